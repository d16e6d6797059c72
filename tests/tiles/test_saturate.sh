#!/bin/sh
# Saturation on the command line: what it finds is certified, the equations that it uses are proved, limits are said.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"

# every equation between tiles, and every abbreviation
expect 0 ' proved, 0 refuted, 0 unknown, 0 vacuous, 0 not readable' certify "$src/search/tiles/algebra.rule" "$src/search/tiles/expand.rule" --solvers=none

# a product with what follows it: one kernel of block form, which is lowered
printf '%s\n' 'program product' 'sizes M = 256, K = 512, N = 256' 'input X: f16[M, K]' 'input W: f16[K, N]' 'input B: f16[N]' \
  'output Y = relu(X @ W + B)' >product.tp
expect 0 'kernel    k1' optimize product.tp --search=saturate --solvers=none -o product
grep -q 'certified: 1 kernels' out || fail 'not one kernel'
expect 0 VERIFIED check -q product
expect 0 PROVED certify -q product.tp product.tile --solvers=none
expect 0 'saturation' optimize product.tp --search=both --solvers=none -o both

# attention with the projection of its queries in one kernel, with one loop over the keys: proved, and not lowered
cat >attention.tp <<'END'
program attention
sizes M = 16, K = 4096, H = 32, D = 128, P = 1024
where K = H * D
input X: f16[M, K]
input Wq: f16[K, K]
input Kc: f16[H, P, D]
input Vc: f16[H, P, D]
q = swap_axes(split_axis(X @ Wq, axis=1, outer=H, inner=D), first=0, second=1)
o = softmax(q @ transpose(Kc)) @ Vc
output O = merge_axes(swap_axes(o, first=0, second=1), axis=1)
END
expect 3 'lowering  not this one' optimize attention.tp --search=saturate --solvers=none -o attention
grep -q 'certified: 1 kernels' out || fail 'not one kernel'
grep -q ', saturated;' out || fail 'not saturated'
[ "$(grep -c 'parallel' attention.tile)" = 1 ] || fail 'not one kernel'
[ "$(grep -c 'for i_P' attention.tile)" = 1 ] || fail 'not one loop over the keys'
expect 0 PROVED certify -q attention.tp attention.tile --solvers=none
# and a wrong one is not: the keys' loop one round short
sed 's/for i_P = 0 to P_count/for i_P = 0 to P_count - 1/' attention.tile >short.tile
expect 1 REFUTED certify -q attention.tp short.tile

# a bound that strikes is said
expect 3 'the bound of nodes struck' optimize attention.tp --search=saturate --nodes=300 --solvers=none -f -o attention
expect 3 'the bound of nodes is below what the program has' optimize attention.tp --search=saturate --nodes=1 -f -o attention
expect 2 'search' optimize attention.tp --search=everything
finish
