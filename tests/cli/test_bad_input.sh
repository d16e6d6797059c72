#!/bin/sh
# Bad input of every kind: a message that says what and where, exit status 2 (or 3), nothing written.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
ex=$src/examples

mkdir in
printf 'program p\nsizes N = 4\ninput X: f16[N]\noutput Y = frobnicate(X)\n' >in/unknown.tp
printf 'program p\nsizes N = 4, M = 5\ninput X: f16[N]\ninput Z: f16[M]\noutput Y = X + Z\n' >in/shape.tp
printf 'use "nothere.sem"\nprogram p\nsizes N = 4\ninput X: f16[N]\noutput Y = X\n' >in/nosem.tp
printf 'func f(x) = g(x)\nfunc g(x) = f(x)\n' >in/cyclic.sem
printf 'use "cyclic.sem"\nprogram p\nsizes N = 4\ninput X: f16[N]\noutput Y = X + X\n' >in/cyclic.tp
printf 'program p\nsizes N = 4\ninput X: f16[N]\nA = B + X\nB = A + X\noutput Y = B\n' >in/cyclic2.tp
printf 'program p\nsizes N = 4\ninput X: f16[N]\nA = A + X\noutput Y = A\n' >in/self.tp
head -c 120 "$ex/rmsnorm_linear.tp" >in/truncated.tp
head -c 4096 "$assay" >in/binary.tp
: >in/empty.tp
printf 'program p' >in/word.tp
awk 'BEGIN { print "program p\nsizes N = 4\ninput X: f16[N]"; s = "X"; for (i = 0; i < 20000; i++) s = "(" s; print "output Y = " s }' >in/deep.tp
awk 'BEGIN { print "program p\nsizes N = 4\ninput X: f16[N]\noutput Y = X +"; for (i = 0; i < 100000; i++) printf "x"; print "" }' >in/long.tp
printf 'program p\nsizes N = 99999999999999999999999999\ninput X: f16[N]\noutput Y = X + X\n' >in/huge.tp

both() { # STATUS WORDS FILE
  expect "$1" "$2" optimize "in/$3" -o result
  expect "$1" "$2" certify "in/$3" "in/$3" -o result
  only in
}
both 2 'in/unknown.tp:4:12: unknown operator `frobnicate`' unknown.tp
both 2 'in/shape.tp:5:14:' shape.tp
both 2 'nothere.sem' nosem.tp
both 2 'cyclic.sem:1:13:' cyclic.tp
both 2 'in/cyclic2.tp:4:5:' cyclic2.tp
both 2 'in/self.tp:4:5:' self.tp
both 2 'in/truncated.tp:' truncated.tp
both 2 'in/binary.tp:1:' binary.tp
both 2 'in/empty.tp:1:1:' empty.tp
both 2 'in/word.tp:' word.tp
both 2 'in/deep.tp:' deep.tp
both 2 'in/long.tp:' long.tp
both 2 'in/huge.tp:2:' huge.tp
# chains of operators, which nest without a bracket
long() { awk -v item="$1" 'BEGIN { for (i = 0; i < 30000; i++) printf "%s", item; print "" }'; }
{ printf 'op long(x[..a]) -> [..a]\n  out[..a] = 0'; long ' + x[..a]'; } >in/long.sem
printf 'use "long.sem"\nprogram p\nsizes N = 4\ninput X: f16[N]\noutput Y = long(X)\n' >in/chain.tp
{ printf 'func long(x) = 0'; long ' + x'; } >in/longf.sem
printf 'use "longf.sem"\nprogram p\nsizes N = 4\ninput X: f16[N]\noutput Y = X + X\n' >in/chainf.tp
both 2 'in/long.sem:2:14: more than 4000 operators' chain.tp
both 2 'in/longf.sem:1:16: more than 4000 operators' chainf.tp
{ printf 'rule r\nsizes N\ntensor X[N]\nassume X > 0'; long ' or X > 0' | head -c 180000; printf '\nlhs X\nrhs X\n'; } >in/any.rule
"$build/assay-check" --sem "$src/semantics" --goals in/any.rule r >out 2>err
[ $? -eq 2 ] || fail 'alternatives: another exit status'
grep -q 'more than 20000 tensors of a side' err || fail 'alternatives: no limit is named'
both 2 'No such file' absent.tp
both 2 'in/.' .

# the line is shown
expect 2 'output Y = frobnicate(X)' optimize in/unknown.tp

# sizes that no tiling divides: in the candidate's own relations, and as a tile that does not fit
sed 's/L = 32, T = 128/L = 32, T = 100/' "$ex/rmsnorm_linear.mug" >in/tile.mug
expect 2 'in/tile.mug:3:' certify "$ex/rmsnorm_linear.tp" in/tile.mug -o result
sed 's/D = L \* T/L = T/' "$ex/rmsnorm_linear.mug" >in/norel.mug
expect 2 'in/norel.mug:' certify "$ex/rmsnorm_linear.tp" in/norel.mug -o result
printf 'program primes\nsizes N = 7, M = 13, K = 11\ninput X: f16[N, M]\ninput W: f16[M, K]\noutput Y = matmul(X, W)\n' >in/primes.tp
timeout 120 "$assay" optimize in/primes.tp -q -o result >out 2>err </dev/null
st=$?
case $st in
0) [ -f result/kernel.cu ] || fail 'primes: no kernel'; rm -rf result ;;
2 | 3) [ -s err ] || fail 'primes: no message' ;;
*) fail "primes: exit $st" ;;
esac
only in

# candidates that do not belong, candidates cut anywhere, programs in place of muGraphs
expect 2 'rmsnorm_linear.mug:' certify "$ex/lora.tp" "$ex/rmsnorm_linear.mug" -o result
n=$(wc -c <"$ex/gqa.mug")
for c in 0 1 50 100 200 300 $((n - 6)); do
  head -c "$c" "$ex/gqa.mug" >in/cut.mug
  expect 2 'in/cut.mug:' certify "$ex/gqa.tp" in/cut.mug -o result
done
head -c 3000 "$assay" >in/binary.mug
expect 2 'in/binary.mug:1:' certify "$ex/gqa.tp" in/binary.mug -o result
expect 2 '' certify "$ex/gqa.mug" "$ex/gqa.mug" -o result
only in

# 10,000 operators: an answer in reasonable time, and not an internal error
if slow 10,000 operators; then
  awk 'BEGIN { print "program big\nsizes N = 16\ninput X: f16[N]"; p = "X"; for (i = 0; i < 9999; i++) { print "t" i " = " p " + X"; p = "t" i } print "output Y = " p " + X" }' >in/big.tp
  timeout 120 "$assay" optimize in/big.tp -q -o result >out 2>err </dev/null
  st=$?
  [ "$st" -eq 2 ] || [ "$st" -eq 3 ] || fail "10,000 operators: exit $st"
  [ -s err ] || fail '10,000 operators: no message'
  expect 3 'more than 4000 definitions' certify in/big.tp in/big.tp -o result
  rm -rf result
  only in
fi

# nowhere to write: a file in place of a folder, a folder that is not there, a folder that is no result
: >file
mkdir other
: >other/precious
cp "$ex/lora.tp" "$ex/lora.mug" in
expect 2 'cannot be made' certify in/lora.tp in/lora.mug -o file/x
expect 2 'file: exists' certify in/lora.tp in/lora.mug -o file
expect 2 'cannot be made' certify in/lora.tp in/lora.mug -o not/there
expect 2 'cannot be made' certify in/lora.tp in/lora.mug -o /proc/assay
expect 2 'other: exists' certify in/lora.tp in/lora.mug -o other
expect 2 'no result directory' certify in/lora.tp in/lora.mug -o other --force
expect 2 'other: exists' optimize in/lora.tp -o other
expect 2 'cannot be made' optimize in/lora.tp -q -o file/x
[ -f other/precious ] || fail 'a folder that is no result was replaced'
if [ -c /dev/full ]; then
  "$assay" ops >/dev/full 2>err
  [ $? -eq 2 ] || fail 'a full disk goes unnoticed'
fi
rm -rf other file
only in
finish
