#!/bin/sh
# Tile programs on the command line: verdicts with what shows them, Trinity's text of our own, and bad input.
# About 20 s: inputs of 10 MB and proofs of block graphs, of which each is another way through the command.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
cases=$src/tests/tile/cases
own=$src/tests/tile/trinity

# a tile program against a program, and against another one
expect 0 'Proved for all sizes' certify "$cases/rows.tp" "$cases/rows.tile" --solvers=none
expect 0 PROVED certify -q "$cases/rows.tile" "$cases/rows.tile" --solvers=none
expect 0 PROVED certify -q "$cases/rows.tile" "$cases/rows.tp" --solvers=none
expect 1 'candidate' certify "$cases/rows.tp" "$cases/rows_stale.tile"
expect 1 REFUTED certify -q "$cases/rows.tp" "$cases/rows_stale.tile"
expect 1 'The other order' certify "$cases/rows.tp" "$cases/rows_shared.tile"
expect 0 'the given program may depend on the order of its iterations' certify "$cases/rows_shared.tile" "$cases/rows.tile" --solvers=none
expect 1 'is outside of its' certify "$cases/rows.tp" "$cases/rows_far.tile"
expect 1 'no value' certify "$cases/rows.tp" "$cases/rows_unset.tile"
expect 1 '"order_dependent": 1' certify --json "$cases/rows.tp" "$cases/rows_shared.tile"

# what differs far from 0 alone
printf '%s\n' 'program clamped' 'sizes N' 'input X: f32[N]' 'output Y = X + 1' >far.tp
printf '%s\n' 'tile clamped' 'sizes N' 'input X: f32[N]' 'output Y: f32[N]' 'load x[i < N] = X[i]' \
  'store Y[i] = if(x[i] < 1000, x[i] + 1, 1001) over [i < N]' >far.tile
expect 1 REFUTED certify -q far.tp far.tile --solvers=none
rm far.tp far.tile

# a million elements of which the last ones have no value, or another one by an exponential: no small instance shows it, and rationals would take too much
printf '%s\n' 'program many' 'input X: f32[1300000]' 'output Y = exp(X)' >many.tp
printf '%s\n' 'tile many' 'input X: f32[1300000]' 'output Y: f32[1300000]' 'parallel p = 0 to 1300' '  load x[i < 1000] = X[p * 1000 + i]' \
  '  store Y[p * 1000 + i] = exp(x[i]) over [i < 1000] where p * 1000 + i < 1299999' 'end' >many.tile
expect 1 'candidate no value (intervals)' certify many.tp many.tile
sed 's/exp(x\[i\]) over.*/exp(x[i] + if(p = 1299, 1, 0)) over [i < 1000]/' many.tile >other.tile
expect 1 'Y[1299000]: given' certify many.tp other.tile
rm many.tp many.tile other.tile

# block graphs written as loops are proved; the certificate is one of the text
for name in product two_kernels; do
  expect 0 PROVED certify -q "$cases/$name.tp" "$cases/$name.tile" --require=check,z3 -o result
  expect 0 VERIFIED check -q result
  "$build/assay-check" -q --sem "$src/semantics" "$cases/$name.tp" "$cases/$name.tile" result/certificate.cert >out 2>err || fail "$name: not accepted"
  cmp -s "$cases/$name.tile" result/candidate.tile || fail "$name: the candidate is not the text"
  expect 0 ': f16[' run result
  # the text, and the block graph that is lowered for it
  grep -q '"replays": 2' result/report.json || fail "$name: the block graph was not proved beside the text"
  # a certificate is of one text: for a loop that misses its last round, and so on, there is none
  sed 's/for l = 0 to L/for l = 0 to L - 1/' "$cases/$name.tile" >wrong.tile
  "$build/assay-check" -q --sem "$src/semantics" "$cases/$name.tp" wrong.tile result/certificate.cert >out 2>err && fail "$name: accepted for another text"
  expect 1 REFUTED certify -q "$cases/$name.tp" wrong.tile
  rm -r result wrong.tile
done
sed 's/next z = z + r/next z = z + r + r/' "$cases/product.tile" >other.tile
expect 1 REFUTED certify -q "$cases/product.tp" other.tile
sed 's/    e = exp(z)/    e = exp(z) + 0 * z/' "$cases/product.tile" >other.tile
expect 0 PROVED certify -q "$cases/product.tp" other.tile --solvers=none
expect 0 PROVED certify -q other.tile "$cases/product.tile" --solvers=none
rm other.tile

# block graphs are written as tile programs, which are certified themselves
for name in gated_mlp lora rmsnorm_linear gated_mixer layernorm_linear; do
  expect 0 PROVED certify -q "$src/examples/$name.tp" "$src/examples/$name.mug" --solvers=none --to tile $name.tile
  grep -q '^tile ' $name.tile || fail "$name: not written"
done
rm -f ./*.tile
expect 2 'not certified when read back' certify -q "$src/examples/gqa.tp" "$src/examples/gqa.mug" --solvers=none --to tile written.tile
expect 0 '1 proved' certify -q "$cases/product.tp" --from tile "$cases/product.tile"
rm -f written.tile

# Trinity's text: all verdicts, under each reading
tail -n +2 "$own/verdicts.tsv" >verdicts
column=1
for reading in global private generator; do
  column=$((column + 1))
  "$assay" certify -q "$own/given.tir" --from trinity "$own/programs.txt" --scratch=$reading >out 2>err
  [ $? -eq 1 ] || fail "$reading: another exit status"
  cut -f$column verdicts >wanted
  cmp -s out wanted || fail "$reading: other verdicts than $(tr '\n' ' ' <wanted)"
done
# several in a file: evaluated, and those that are each other but for names once; proved where that is asked for
sed -n 's/^2: //p' "$own/programs.txt" >right
mkdir -p several
cp "$own/shapes.tsv" several
{
  sed 's/^/1: /' right
  sed 's/^/2: /; s/tile_n/tile_m/g' right
  sed 's/^/3: /; s/(+ 1 /(+ 2 /' right
} >several/many.txt
expect 1 '0 proved, 1 refuted, 0 order-dependent, 2 unknown' certify "$own/given.tir" --from trinity several/many.txt
expect 1 'Program 1 but for names, of which: no difference' certify "$own/given.tir" --from trinity several/many.txt
expect 1 '2 proved, 1 refuted, 0 order-dependent, 0 unknown' certify "$own/given.tir" --from trinity several/many.txt --proof-steps=60000
expect 1 '0 proved, 1 refuted, 0 order-dependent, 2 unknown' certify "$own/given.tir" --from trinity several/many.txt --proof-steps=200
rm -r several right
expect 1 'a hole that the extraction left' certify "$own/given.tir" --from trinity "$own/programs.txt"
expect 1 'no loop around binds `n`' certify "$own/given.tir" --from trinity "$own/programs.txt"
rm verdicts wanted
# lists of names, and variables called as lanes, sizes or tiles are; a factor that is the number of rows is that size, aloud
mkdir names
printf 'config\ttensor\tkind\tdims\nc\tX\tinput\t24 8\nc\tY\toutput\t24 8\nc\tt1\ttensor\t24 8\nc\tt2\ttensor\t24 8\n' >names/shapes.tsv
rows='(loop 0 24 6 V (store (output Y) (* 24 (load (input X) (index (tile V) fulltile))) (index (tile V) fulltile)))'
echo "$rows" | sed 's/V/n/g' >names/rows.tir
for name in a0 N24 t1 t2 c0; do
  echo "$rows" | sed "s/V/$name/g" >names/other.tir
  expect 0 '1 proved' certify --solvers=none --from trinity names/rows.tir names/other.tir
done
expect 0 'a number that is an extent in the table is that size' certify --solvers=none --from trinity names/rows.tir names/other.tir
sed 's/(\* 24/(* 12 (* 2/;s/fulltile)))/fulltile))))/' names/other.tir >names/twelve.tir
expect 1 'sizes N24 = 1' certify --solvers=none --from trinity names/rows.tir names/twelve.tir
store='(loop 0 24 6 n (store (tensor t1,t2) (load (input X) (index (tile n) fulltile)) (index (tile n) fulltile)))'
for sum in '(* 24 (load (tensor t1) PLACE))' '(* 12 (+ (load (tensor t1) PLACE) (load (tensor t2) PLACE)))'; do
  load=$(echo "$sum" | sed 's/PLACE/(index (tile m) fulltile)/g')
  echo "(seq $store (loop 0 24 6 m (store (output Y) $load (index (tile m) fulltile))))" >names/listed.tir
  case $sum in
    *12*) expect 1 'sizes N24 = 1' certify --solvers=none --from trinity names/rows.tir names/listed.tir ;;
    *) expect 0 '1 proved' certify --solvers=none --from trinity names/rows.tir names/listed.tir ;;
  esac
done
rm -r names

# bad input: a message that says what and where; nothing is written
mkdir in
head -c 200 "$cases/rows.tile" >in/cut.tile
expect 2 'in/cut.tile:' certify "$cases/rows.tp" in/cut.tile
printf 'tile t\ninput X: f16[0 - 2]\noutput Y: f16[2] = 0\n' >in/negative.tile
expect 2 'a negative extent' certify in/negative.tile in/negative.tile
awk 'BEGIN { print "tile t\noutput Y: f32[2] = 0"; for (i = 0; i < 400000; i++) print "make t" i "[] = 1 + 1" }' >in/large.tile
expect 2 'more than 10000 names' certify in/large.tile in/large.tile
head -c 10485760 /dev/zero | tr '\0' '(' >in/large.tir
cp "$own/shapes.tsv" in
expect 2 'nested too deeply' certify in/large.tir --from trinity in/large.tir
cp "$own/given.tir" in
head -c 300 "$own/given.tir" >in/short.tir
expect 2 'is not closed' certify in/given.tir --from trinity in/short.tir
head -c 5000 "$assay" >in/binary.tir
expect 2 'in/binary.tir' certify in/given.tir --from trinity in/binary.tir
expect 2 'No such file' certify in/given.tir --from trinity in/absent.tir
printf 'config\ttensor\tkind\tdims\nsmall\tA\tinput\t-6 24\n' >in/wrong.tsv
expect 2 'malformed row' certify in/given.tir --from trinity in/given.tir --shapes=in/wrong.tsv
# what comes after a zero byte is part of the text, and so are bytes that are no text
{ cat "$cases/rows.tile"; printf '\0store'; } >in/zero.tile
expect 2 'byte 0x00' certify "$cases/rows.tp" in/zero.tile
expect 2 'byte 0x00' certify --from tile "$cases/rows.tp" in/zero.tile
{ cat "$cases/rows.tile"; printf 'x\303(\n'; } >in/bytes.tile
expect 2 '"verdict": "UNREADABLE"' certify --json "$cases/rows.tp" in/bytes.tile
# chains of operators, which nest without a bracket
{ cat "$cases/rows.tile"; printf 'make long[] = 0'; yes ' + 1' | head -100000 | tr -d '\n'; echo; } >in/sum.tile
expect 2 'more than 4000 operators' certify "$cases/rows.tp" in/sum.tile
{ cat "$cases/rows.tile"; printf 'long = 0'; yes ' + 1' | head -100000 | tr -d '\n'; echo; } >in/calls.tile
expect 2 'more than 4000 calls' certify "$cases/rows.tp" in/calls.tile
# integers are not bounded: where the evaluator's are too small it says nothing, and the proof stands
{ cat "$cases/rows.tile"; echo 'make large[] = 9223372036854775807 * M'; } >in/large.tile
expect 0 PROVED certify -q "$cases/rows.tp" in/large.tile --solvers=none
{ cat "$cases/rows.tile"; echo 'make large[] = 9223372036854775807 * 9223372036854775807 * 4 + M'; } >in/large.tile
expect 3 'beyond 128 bits' certify "$cases/rows.tp" in/large.tile --solvers=none
expect 0 PROVED certify "$cases/rows.tp" "$cases/rows.tile" -o result
expect 0 VERIFIED check result
rm -rf result
only in
finish
