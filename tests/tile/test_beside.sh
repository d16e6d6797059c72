#!/bin/sh
# Differences that small sizes do not show: they lie beside a number of the texts, beside its double, or beyond a small power of 2.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"

# VALUE: what is stored for element r
added() {
  printf '%s\n' 'tile added' 'sizes N' 'input X: f32[N]' 'output Y: f32[N]' 'parallel r = 0 to N' '  load x[] = X[r]' "  store Y[r] = $1" 'end'
}

# STATUS VALUE: what is said of it where x + 1 is given
says() {
  added "$2" >candidate.tile
  expect "$1" '' certify -q --solvers=none given.tile candidate.tile
}

added 'x[] + 1' >given.tile
says 1 'x[] + min(1, max(0, 8 - r))'
says 1 'if(r < 37, x[] + 1, x[])'
says 1 'if(r = 36, x[], x[] + 1)'
says 1 'if(N = 101, x[], x[] + 1)'
says 1 'if(N = 201, x[], x[] + 100 - 99)'
says 1 'if(r*r < 100 + 5*N, x[] + 1, x[])'
says 1 'if(r < 2000, x[] + 1, x[])'
# right ones, with numbers in them
says 0 'if(r - 37 < N, x[] + 1, x[])'
says 0 'if(r < N + 8, x[] + 1, x[] + 64)'

# one of two sizes alone; sizes of a product
printf '%s\n' 'program sums' 'sizes N, M' 'input X: f32[N, M]' 'output Y = sum(X, axis=1)' >sums.tp
# EXTENT: of the rows that are summed
sums() {
  printf '%s\n' 'tile sums' 'sizes N, M' 'input X: f32[N, M]' 'output Y: f32[N]' 'parallel r = 0 to N' "  load x[i < $1] = X[r, i]" '  s = sum(x)' '  store Y[r] = s[]' 'end' >sums.tile
}
sums 'min(M, 100)'
expect 1 'M = 101' certify --solvers=none sums.tp sums.tile
sums 'if(N < 20, M, M - 1)'
expect 1 'N = 20' certify --solvers=none sums.tp sums.tile
sums 'M'
expect 0 PROVED certify -q --solvers=none sums.tp sums.tile
printf '%s\n' 'program split' 'sizes M' 'input X: f32[M]' 'output Y = X + 1' >split.tp
# EXTENT: of each tile
split() {
  printf '%s\n' 'tile split' 'sizes M, L, T' 'where M = L * T' 'input X: f32[M]' 'output Y: f32[M]' 'parallel g = 0 to L' "  load x[i < $1] = X[g * T + i]" \
    "  store Y[g * T + i] = x[i] + 1 over [i < $1]" 'end' >split.tile
}
split 'min(T, 30)'
expect 1 'T = 31' certify --solvers=none split.tp split.tile
split 'min(T, 30 + T)'
expect 0 PROVED certify -q --solvers=none split.tp split.tile

# An evaluation that would be too long is left out, aloud in no verdict: each element takes as many rounds as the number says.
rounds() {
  sed "s/^  load x.*/&\n  for k = 0 to $1\n    carry s = x\n    next s = s\n  end/; s/= x\[\] + 1/= s[] + 1/" given.tile >"$1.tile"
}
rounds 3
rounds 300000
added 'x[] + min(1, max(0, 8 - r))' >candidate.tile
expect 1 'N = 9' certify --solvers=none 3.tile candidate.tile
expect 0 'PROVED' certify --solvers=none 300000.tile 300000.tile
grep -q 'more steps than allowed' out && fail 'evaluations that are left out are told'
finish
