#!/bin/sh
# Saturation on the command line: what it finds is certified, the equations that it uses are proved, limits are said.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"

# every equation between tiles, and every abbreviation
expect 0 ' proved, 0 refuted, 0 unknown, 0 vacuous, 0 not readable' certify "$src/search/tiles/algebra.rule" "$src/search/tiles/expand.rule" --solvers=none

# a product with what follows it: one kernel of block form, which is lowered
printf '%s\n' 'program product' 'sizes M = 256, K = 512, N = 256' 'input X: f16[M, K]' 'input W: f16[K, N]' 'input B: f16[N]' \
  'output Y = relu(X @ W + B)' >product.tp
expect 0 'kernel    k0' optimize product.tp --search=saturate --solvers=none -o product
grep -q 'certified: 1 kernels' out || fail 'not one kernel'
expect 0 VERIFIED check -q product
expect 0 PROVED certify -q product.tp product.tile --solvers=none
expect 0 'saturation' optimize product.tp --search=both --solvers=none -o both

# attention with the projection of its queries in one kernel, with one loop over the keys: proved; as block graphs two
# kernels, whose exponentials are of differences to a running maximum
cat >attention.tp <<'END'
program attention
sizes M = 16, K = 128, H = 2, D = 64, P = 128
where K = H * D
input X: f16[M, K]
input Wq: f16[K, K]
input Kc: f16[H, P, D]
input Vc: f16[H, P, D]
q = swap_axes(split_axis(X @ Wq, axis=1, outer=H, inner=D), first=0, second=1)
o = softmax(q @ transpose(Kc)) @ Vc
output O = merge_axes(swap_axes(o, first=0, second=1), axis=1)
END
expect 0 'as they are lowered, by the model' optimize attention.tp --search=saturate --solvers=none -o attention
grep -q 'certified: 1 kernels' out || fail 'not one kernel'
grep -q ', saturated;' out || fail 'not saturated'
grep -q 'block graphs of them: [1-9][0-9]* certified' out || fail 'no block graphs'
[ "$(grep -c 'parallel' attention.tile)" = 1 ] || fail 'not one kernel'
[ "$(grep -c 'for i_P' attention.tile)" = 1 ] || fail 'not one loop over the keys'
[ "$(grep -c '^kernel' attention/candidate.mug)" = 2 ] || fail 'not two kernels'
[ "$(grep -c 'rescale' attention/candidate.mug)" = 2 ] || fail 'sums that are not rescaled by the maximum'
expect 0 PROVED certify -q attention.tp attention.tile --solvers=none
expect 0 VERIFIED check -q attention
expect 0 'O: ' run attention
cp out blocks
# the same by itself, as it is extracted: the emulation gives the same numbers of the same inputs
expect 0 PROVED certify -q attention.tp attention.tile --solvers=none -o by_itself
expect 0 'O: ' run by_itself
sed 's/.*= //' out >by_itself.values
sed 's/.*= //' blocks >blocks.values
paste -d' ' by_itself.values blocks.values | awk '{
  for (i = 1; i <= NF / 2; i++) { d = $i - $(i + NF / 2); if (d * d > 1e-5 || $i == "nan") bad = 1; n++ }
} END { exit bad || n < 4 }' || fail 'the two directories compute different numbers'
# what was changed since is not run
sed -i 's/exp(/square(/' by_itself/candidate.tile
expect 1 'NOT VERIFIED' check -q by_itself
# and a wrong one is not: the keys' loop one round short
sed 's/for i_P = 0 to P_count/for i_P = 0 to P_count - 1/' attention.tile >short.tile
expect 1 REFUTED certify -q attention.tp short.tile

# of block graphs of both searches the cheaper one
expect 0 'as they are lowered, by the model' optimize attention.tp --search=both --solvers=none -o both -f
[ -f both/candidate.mug ] || fail 'not the cheaper one'

# sums of probabilities beside attention: what is stored of exponentials in one loop and summed in another is of
# differences to the maximum as well (RoCo)
sed 's/^sizes.*/sizes M = 16, K = 128, H = 2, D = 64, P = 128, S = 112/' "$src/bench/blocks/roco.tp" >roco.tp
expect 0 'kernel    k0' optimize roco.tp --search=saturate --nodes=3000 --solvers=none -o roco
[ "$(grep -c '= exp(' roco/candidate.mug)" -ge 1 ] || fail 'no exponential'
! grep -q 'rescale' roco/candidate.mug && ! grep -q 'max' roco/candidate.mug && fail 'no maximum'
expect 0 VERIFIED check -q roco

# a tile program of one's own, as people write it: its block graphs are a candidate
cat >own.tp <<'END'
program attention
sizes M = 16, N = 256, D = 64
input Q: f16[M, D]
input Kt: f16[N, D]
input V: f16[N, D]
output O = softmax(Q @ transpose(Kt)) @ V
END
cat >own.tile <<'END'
tile attention
sizes M = 16, N = 256, D = 64
sizes C = 4, T = 64
where N = C * T
input Q: f16[M, D]
input Kt: f16[N, D]
input V: f16[N, D]
output O: f16[M, D]
make u[i < M, j < D] = 0
make v[i < M, j < 1] = 0
for n = 0 to N step T
  carry o = u
  carry l = v
  load q[i < M, j < D] = Q[i, j]
  load c[i < T, j < D] = Kt[n + i, j]
  e = exp(q @ transpose(c))
  load y[i < T, j < D] = V[n + i, j]
  next o = o + e @ y
  next l = l + sum_keep(e, axis=1)
end
r = o / l
store O[i, j] = r over [i < M, j < D]
END
expect 0 'certified, each cheaper' optimize own.tp --search=none --offer=own.tile --solvers=none -o own
[ "$(grep -c 'rescale' own/candidate.mug)" = 2 ] || fail 'sums that are not rescaled by the maximum'
expect 0 VERIFIED check -q own
# a muGraph as well; not what is something else, has no such form or is not there
cp own/candidate.mug own.mug
expect 0 '1 block graphs: 1 certified' optimize own.tp --search=none --offer=own.mug --solvers=none -f -o own
sed 's/r = o/r = (o + o)/' own.tile >wrong.tile
expect 3 'no certified candidate' optimize own.tp --search=none --offer=wrong.tile --solvers=none -f -o own
sed 's/exp(q @ transpose(c))/exp((q @ transpose(c)) * (q @ transpose(c)))/' own.tile >wrong.tile
expect 3 'no certified candidate' optimize own.tp --search=none --offer=wrong.tile --solvers=none -f -o own
sed 's/Kt\[n + i, j\]/Kt[n + i, j] where i < 3 else 0/' own.tile >masked.tile
expect 3 'no block graphs: line 15' optimize own.tp --search=none --offer=masked.tile --solvers=none -f -o own
expect 2 'absent.tile' optimize own.tp --search=none --offer=absent.tile --solvers=none -f -o own

# pressed together: the whole block with a norm in front in one kernel with one loop over each axis, in a few nodes
sed 's/^sizes.*/sizes M = 4, K = 128, H = 2, D = 64, P = 128, S = 120/' "$src/bench/blocks/prenorm.tp" >prenorm.tp
expect 0 'certified: 1 kernels' optimize prenorm.tp --search=saturate --nodes=8000 --solvers=none -o prenorm
[ "$(grep -c ' for i_' prenorm.tile)" = 2 ] || fail 'more than two loops'
# and a feed-forward layer, whose norm is divided out of the sums
sed 's/^sizes.*/sizes M = 4, K = 128, F = 256/' "$src/bench/blocks/swiglu.tp" >swiglu.tp
expect 0 'certified: 2 kernels' optimize swiglu.tp --search=saturate --nodes=2500 --solvers=none -o swiglu

# a bound that strikes is said
expect 0 'the bound of nodes struck' optimize attention.tp --search=saturate --nodes=300 --solvers=none -f -o attention
expect 3 'the bound of nodes is below what the program has' optimize attention.tp --search=saturate --nodes=1 -f -o attention
expect 2 'search' optimize attention.tp --search=everything
finish
