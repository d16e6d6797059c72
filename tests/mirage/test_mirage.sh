#!/bin/sh
# Every saved muGraph of Mirage is decided: all are right.  Changed ones are refuted; those that cannot be read are unknown and stop nothing.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
ex=$src/examples/mirage data=$src/tests/data/mirage-mugraphs

all() { # PROGRAM FILE GRAPHS
  expect 0 "$3 proved, 0 refuted, 0 unknown" certify "$ex/$1.tp" --from mirage "$data/$2.json"
  # the time of each graph, its check included; the bound leaves room for a busy machine
  awk '$3 == "PROVED" && $4 > 2 { print "FAIL: graph " $1 " took " $4 " s"; bad = 1 } END { exit bad }' out || fail "$2: too slow"
}
all gated_mlp gated_mlp 32
all gated_mlp single_gated_mlp 1
all lora lora 4
all lora single_lora 1
all rmsnorm rmsnorm_bs8 20
all ntrans ntrans_bs1 9
all gqa gqa_bs1 28
all mha mha_bs1 21
all mqa mqa_bs1 12
all mqa single_mqa_bs1 1

# the extents are lifted: the theorem names sizes of the program, and tiles with their relations
expect 0 'K = G1 * L1 * S2' certify -v "$ex/mqa.tp" --from mirage "$data/single_mqa_bs1.json"
expect 0 '"verdict": "PROVED"' certify --json "$ex/lora.tp" --from mirage "$data/single_lora.json"

# one result directory for a file; the certificates are accepted by the checker in one call
expect 0 '4 proved' certify "$ex/lora.tp" --from mirage "$data/lora.json" -o result
for i in 000 001 002 003; do expect 0 '' check "result/graph-$i"; done
"$build/assay-check" --sem "$src/semantics" --batch result/batch >out 2>err || fail 'assay-check refuses the batch'
[ "$(grep -c '<tbody' result/report.html)" -eq 4 ] || fail 'the report has not 4 rows'
[ "$(wc -l <result/batch)" -eq 4 ] || fail 'the batch has not 4 lines'
rm -rf result

# wrong graphs: a counterexample each
sed 's/tb_add_op/tb_mul_op/' "$data/single_lora.json" >wrong.json
expect 1 '0 proved, 1 refuted, 0 unknown' certify "$ex/lora.tp" --from mirage wrong.json
expect 1 'REFUTED' certify "$ex/lora.tp" --from mirage wrong.json
sed 's/tb_silu_op/tb_exp_op/' "$data/single_gated_mlp.json" >wrong.json
expect 1 '0 proved, 1 refuted, 0 unknown' certify "$ex/gated_mlp.tp" --from mirage wrong.json
sed 's/tb_accum_red_ld_rms_op/tb_accum_red_ld_sum_op/' "$data/rmsnorm_bs8.json" >wrong.json
expect 1 '0 unknown' certify "$ex/rmsnorm.tp" --from mirage wrong.json

# graphs that cannot be read or are of another program: unknown with the reason, and the rest goes on
sed 's/tb_silu_op/tb_frobnicate_op/' "$data/single_gated_mlp.json" >wrong.json
expect 3 'unknown operator `tb_frobnicate_op`' certify "$ex/gated_mlp.tp" --from mirage wrong.json
expect 3 '0 proved, 0 refuted, 1 unknown' certify "$ex/gqa.tp" --from mirage "$data/single_lora.json"
printf '[3, {}, [], [[]], [{"op_type": 1}], null]' >wrong.json
expect 3 '0 proved, 0 refuted, 6 unknown' certify "$ex/lora.tp" --from mirage wrong.json
printf '{}' >wrong.json
expect 2 'not a list of graphs' certify "$ex/lora.tp" --from mirage wrong.json
head -c 1000 "$data/lora.json" >wrong.json
expect 2 'wrong.json:' certify "$ex/lora.tp" --from mirage wrong.json
expect 2 'unknown word `onnx`' certify "$ex/lora.tp" --from onnx "$data/lora.json"

# one bad graph stops no other: the table, the JSON and the JUnit file say the same of each
inner() { tr -d '\n' <"$data/single_lora.json" | sed 's/^ *\[//; s/\] *$//'; }
{ echo '['; inner | sed 's/tb_add_op/tb_mul_op/'; echo ', 7,'; inner; echo ']'; } >mixed.json
expect 1 '1 proved, 1 refuted, 1 unknown' certify "$ex/lora.tp" --from mirage mixed.json --junit mixed.xml
for words in 'sizes M = ' 'X = ' 'O[0, 0]: given '; do grep -qF "$words" out || fail "a refuted graph prints no $words"; done
count() { [ "$(grep -c -e "$2" mixed.xml)" -eq "$1" ] || fail "mixed.xml has not $1 of $2"; }
count 1 '<testsuites name="assay" tests="3" failures="1" errors="1" '
count 1 '<testcase .*name="graph 0"'
count 1 '<failure type="REFUTED" message="a counterexample was found">sizes M = '
count 1 '<error type="UNKNOWN" message="graph 1: not a list of operators"></error>'
count 1 '<testcase .*name="graph 2" time="[0-9.]*"/>$'
expect 1 '"verdict": "REFUTED"' certify --json "$ex/lora.tp" --from mirage mixed.json --junit mixed.xml
[ "$(grep -c '"verdict"' out)" -eq 3 ] || fail '--json has not three verdicts'
printf 'program p\nsizes N\ninput X: f16[N]\noutput Y = X + X\n' >'a<&">.tp'
expect 0 'PROVED' certify -q 'a<&">.tp' 'a<&">.tp' --junit mixed.xml
count 1 'classname="a&lt;&amp;&quot;&gt;.tp"'
expect 2 'cannot be written' certify -q 'a<&">.tp' 'a<&">.tp' --junit not/there.xml

# the other direction: every published graph is written again, with the same fields and operators, and what is written is certified when it is read
round() { # PROGRAM FILE GRAPHS
  expect 0 "$3 proved" certify -q "$ex/$1.tp" --from mirage "$data/$2.json" --to mirage back.json
  expect 0 "$3 proved" certify -q "$ex/$1.tp" --from mirage back.json --to mirage again.json
  cmp -s back.json again.json || fail "$2: written differently the second time"
  "$build/tests/mirage/same_structure" "$data/$2.json" back.json >out 2>err || fail "$2: written with another structure"
  rm -f back.json again.json
}
round gated_mlp gated_mlp 32
round lora lora 4
round rmsnorm rmsnorm_bs8 20
round ntrans ntrans_bs1 9
round gqa gqa_bs1 28
round mha mha_bs1 21
round mqa mqa_bs1 12
for one in gated_mlp lora; do round "$one" "single_$one" 1; done
round mqa single_mqa_bs1 1

# muGraphs of ours: those that the format can express, at their concrete sizes
top=$src/examples
expect 0 'PROVED' certify -q -S none "$top/lora.tp" "$top/lora.mug" --to mirage own.json
expect 0 '1 proved' certify -q "$top/lora.tp" --from mirage own.json
rm -f own.json
refuse() { # WORDS PROGRAM CANDIDATE
  expect 2 "$1" certify -q -S none "$2" "$3" --to mirage own.json
}
refuse 'operands of different numbers of axes' "$top/rmsnorm_linear.tp" "$top/rmsnorm_linear.mug"
refuse 'lora is a program' "$top/lora.tp" "$top/lora.tp"
refuse 'there is no operator `max`' "$top/gqa.tp" "$top/gqa.mug"
printf 'program s\nsizes M = 4, N = 8\ninput X: f16[M, N]\noutput Y = X / 3 + X\n' >s.tp
printf 'mugraph s\nkernel k0\ngrid x = M\nload x [1, N] = X x -> 0\ny = x / 3\nz = x + y\nstore Y [1, N] = z x -> 0\nend\n' >s.mug
refuse 'a division by a number' s.tp s.mug
printf 'program s\nsizes M = 4, N = 8\ninput X: f16[M, N]\ns = mean(X * X, axis=-1)\noutput Y = X / sqrt(s)[:, none]\n' >s.tp
printf 'mugraph s\nkernel k0\ngrid x = M\nload x [1, N] = X x -> 0\nq = x * x\ns = mean(q, axis=-1)\nr = s[:, none]\nd = sqrt(r)\nz = x / d\nstore Y [1, N] = z x -> 0\nend\n' >s.mug
expect 0 'PROVED' certify -q -S none s.tp s.mug --to mirage own.json
grep -q tb_accum_red_ld_rms_op own.json || fail 'a root mean square is not written as one'
rm -f own.json
sed -i.old 's/q = x \* x/q = x * x * x/' s.mug
expect 1 'only what is certified is written' certify -q -S none s.tp s.mug --to mirage own.json
expect 2 'the file to write' certify s.tp s.mug --to mirage
expect 2 'the file to write' certify s.tp s.mug own.json
rm -f s.tp s.mug s.mug.old wrong.json mixed.json mixed.xml 'a<&">.tp'
only
finish
