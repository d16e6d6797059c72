#!/bin/sh
# The 20 benchmarks of Axon: each is certified, and the reorderings of its figures 3 and 14 are found.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"

n=0
for program in "$src"/examples/axon/*.tp; do
  name=$(basename "$program" .tp)
  expect 0 "$name" optimize "$program" --solvers=none --quiet -o "$name"
  expect 0 'VERIFIED' check "$name"
  n=$((n + 1))
done
[ "$n" = 20 ] || fail "$n programs, not 20"

# divided_last NAME: the only quotient is computed behind the product, and is what Z is stored from
divided_last() {
  awk '
    / = matmul/ { product = NR }
    / = t[0-9]+ \/ t[0-9]+$/ { quotient = NR; result = $1; n++ }
    $1 == "store" && $2 == "Z" { for (i = 3; i <= NF; i++) if ($i == "=") stored = $(i + 1) }
    END { exit !(n == 1 && product && product < quotient && stored == result) }' "$1/candidate.mug" || fail "$1: not divided last"
}
# figure 3 (b): rows are scaled after the product. At this size one kernel has no thread graph, and two are cheaper by the model
expect 0 'Z' optimize "$src/examples/axon/rmsnorm_matmul.tp" --solvers=none --force --all -o rmsnorm_matmul
grep -A1 -E '^ +[0-9]+\. .* 1 kernel: \[grid of 2, loop: .*matmul, mul, rsqrt' out | grep -q 'more by the model' ||
  fail 'rmsnorm_matmul: nothing that scales rows after the product passes the float test'
# where a block has room for whole rows, they are divided before the product, and stored in 16 bits: that costs nothing;
# divided after it they are as good in floats
expect 0 'Z' optimize "$src/examples/axon/softmax_matmul.tp" --solvers=none --force --all -o softmax_matmul
grep -A1 -E '^ +[0-9]+\. .*exp, max, sub.*loop: div, matmul' out | grep -q 'more by the model' ||
  fail 'softmax_matmul: nothing that divides after the product passes the float test'
sed 's/^sizes.*/sizes M = 2048, K = 65536, N = 128/' "$src/examples/axon/softmax_matmul.tp" >long_rows.tp
expect 0 'long_rows' optimize long_rows.tp --solvers=none -o long_rows
divided_last long_rows # figure 14 (b), in the kernel that brings the parts together

# the same reorderings of whole operators, by propagation: among the orders gone through is one with the product first
ordered() { # NAME FIRST LAST: FIRST is a regular expression
  expect 0 'Z' optimize "$src/examples/axon/$1.tp" --solvers=none --force --trace=search -o "$1"
  awk -v first="$2" -v last="$3" '
    /an order of the operators/ { product = "" }
    $0 ~ first { product = $2 }
    product != "" && index($0, "output Z = " product " " last " ") { found = 1 }
    END { exit !found }' err || fail "$1: no order with $2 before $3"
}
ordered rmsnorm_matmul '= matmul[(]X, W[)]' '*'
ordered softmax_matmul '= matmul[(]s[0-9]+, V[)]' '/' # of exponentials less their maximum: the safer form is searched first
# figure 7: nothing goes through the gate of a gated MLP, so there is the given order alone
expect 0 'O' optimize "$src/examples/axon/matmul_matmul_silu_mul.tp" --solvers=none --force --trace=search -o matmul_matmul_silu_mul
[ "$(grep -c 'an order of the operators' err)" = 1 ] || fail 'something is propagated in matmul_matmul_silu_mul'
finish
