#!/bin/sh
# Files of Mirage, from graphs of ours: written, read again and decided.  Changed ones are refuted; those that cannot be read are unknown and stop nothing.
# AS_GOLDEN=1 writes the stored files anew (make golden).
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
. "$src/tests/mirage/lib.sh"

# the stored files are what our muGraphs become, byte for byte, and come back as what they were
graphs='gated_mlp/gated_mlp gated_mlp/gated_mlp_plain gqa/gqa lora/lora mha/mha mha/mha_plain mqa/mqa mqa/mqa_split ntrans/ntrans rmsnorm/rmsnorm'
for pair in $graphs; do
  program=${pair%/*} graph=${pair#*/}
  expect 0 'PROVED' certify -q -S none "$ex/$program.tp" "$ex/$graph.mug" --to mirage "$graph.json"
  golden "$graph.json" "$ex/$graph.json"
  all "$program" "$graph.json" 1
  round "$program" "$graph.json" 1
done

# another tiling of the same program is another graph; a file holds any number of them
list='' count=0
for tiles in '8, T = 32' '4, T = 64' '2, T = 128' '16, T = 16'; do
  sed "s/L = 8, T = 32/L = $tiles/" "$ex/lora.mug" >tiled.mug
  expect 0 'PROVED' certify -q -S none "$ex/lora.tp" tiled.mug --to mirage "tiled.$count.json"
  list="$list tiled.$count.json" count=$((count + 1))
done
# shellcheck disable=SC2086
join $list >lora.json
all lora lora.json 4
round lora lora.json 4

# the extents are lifted: the theorem names sizes of the program, and tiles with their relations
expect 0 'K = G1 * L1 * U1 * W1' certify -v "$ex/mqa.tp" --from mirage "$ex/mqa_split.json"
expect 0 '"verdict": "PROVED"' certify --json "$ex/lora.tp" --from mirage "$ex/lora.json"

# one result directory for a file; the certificates are accepted by the checker in one call
expect 0 '4 proved' certify "$ex/lora.tp" --from mirage lora.json -o result
for i in 000 001 002 003; do expect 0 '' check "result/graph-$i"; done
(cd result && "$build/assay-check" --sem semantics --batch batch) >out 2>err || fail 'assay-check refuses the batch'
[ "$(grep -c '<tbody' result/report.html)" -eq 4 ] || fail 'the report has not 4 rows'
[ "$(wc -l <result/batch)" -eq 4 ] || fail 'the batch has not 4 lines'
rm -rf result

# wrong graphs: a counterexample each
sed 's/tb_add_op/tb_mul_op/' "$ex/lora.json" >wrong.json
expect 1 '0 proved, 1 refuted, 0 unknown' certify "$ex/lora.tp" --from mirage wrong.json
expect 1 'REFUTED' certify "$ex/lora.tp" --from mirage wrong.json
sed 's/tb_silu_op/tb_exp_op/' "$ex/gated_mlp.json" >wrong.json
expect 1 '0 proved, 1 refuted, 0 unknown' certify "$ex/gated_mlp.tp" --from mirage wrong.json
sed 's/tb_accum_red_ld_rms_op/tb_accum_red_ld_sum_op/' "$ex/rmsnorm.json" >wrong.json
expect 1 '0 unknown' certify "$ex/rmsnorm.tp" --from mirage wrong.json

# graphs that cannot be read or are of another program: unknown with the reason, and the rest goes on
sed 's/tb_silu_op/tb_frobnicate_op/' "$ex/gated_mlp.json" >wrong.json
expect 3 'unknown operator `tb_frobnicate_op`' certify "$ex/gated_mlp.tp" --from mirage wrong.json
expect 3 '0 proved, 0 refuted, 1 unknown' certify "$ex/gqa.tp" --from mirage "$ex/lora.json"
printf '[3, {}, [], [[]], [{"op_type": 1}], null]' >wrong.json
expect 3 '0 proved, 0 refuted, 6 unknown' certify "$ex/lora.tp" --from mirage wrong.json
printf '{}' >wrong.json
expect 2 'not a list of graphs' certify "$ex/lora.tp" --from mirage wrong.json
head -c 1000 "$ex/lora.json" >wrong.json
expect 2 'wrong.json:' certify "$ex/lora.tp" --from mirage wrong.json
expect 2 'unknown word `onnx`' certify "$ex/lora.tp" --from onnx "$ex/lora.json"

# one bad graph stops no other: the table, the JSON and the JUnit file say the same of each
sed 's/tb_add_op/tb_mul_op/' "$ex/lora.json" >wrong.json
printf '[7]' >seven.json
join wrong.json seven.json "$ex/lora.json" >mixed.json
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

# what the format cannot express, at the concrete sizes
top=$src/examples
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
sed -i.old 's/q = x \* x/q = x * x * x/' s.mug
rm -f own.json
expect 1 'only what is certified is written' certify -q -S none s.tp s.mug --to mirage own.json
expect 2 '[--to: FILE]' certify s.tp s.mug --to mirage
expect 2 '[--to: FILE]' certify s.tp s.mug own.json
rm -f s.tp s.mug s.mug.old tiled.* wrong.json seven.json mixed.json mixed.xml 'a<&">.tp'
for pair in $graphs; do rm -f "${pair#*/}.json"; done
only
finish
