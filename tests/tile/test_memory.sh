#!/bin/sh
# Tile programs that keep sums in memory, store to a tensor several times, cut tiles off and change a cache in place, as block graphs:
# what comes of them is certified and runs; what depends on the order of rounds, or is another program, is not.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"

cat >head.tp <<'END'
program head
sizes M = 16, K = 64, H = 2, D = 32, P = 64
where K = H * D, M <= P
input X: f16[M, K]
input Wq: f16[K, K]
input Wk: f16[K, K]
input Keys: f16[H, P, D]
input V: f16[H, P, D]
q = swap_axes(split_axis(X @ Wq, axis=1, outer=H, inner=D), first=0, second=1)
k = swap_axes(split_axis(X @ Wk, axis=1, outer=H, inner=D), first=0, second=1)
all = dynamic_update_slice(Keys, k, axis=1, start=P - M)
o = softmax(q @ transpose(all)) @ V
output O = merge_axes(swap_axes(o, first=0, second=1), axis=1)
END
# sizes by other names than the program's, tiles that may be cut off, all sums in memory, the cache stored in each round
cat >head.tile <<'END'
tile head
sizes n64 = 64, n32 = 32, n2 = 2, n16 = 16, rows = 64, tk, tp
where n64 = n2 * n32
where n16 <= rows
input X: f16[n16, n64]
input Wq: f16[n64, n64]
input Wk: f16[n64, n64]
inout Keys: f16[n2, rows, n32]
input V: f16[n2, rows, n32]
scratch Q: f32[n16, n64] = 0
scratch K: f32[n16, n64] = 0
scratch E: f32[n2, n16, rows] = 0
scratch L: f32[n2, n16] = 0
scratch S: f32[n2, n16, n32] = 0
output O: f16[n16, n64] = 0
parallel n = 0 to n64 step n32
  for k = 0 to n64 step tk
    load q[a < n16, b < n32] = Q[a, n + b]
    load x[a < n16, b < min(tk, n64 - k)] = X[a, k + b]
    load w[a < min(tk, n64 - k), b < n32] = Wq[k + a, n + b]
    q2 = add(mul(1, q), matmul(x, w))
    store Q[a, n + b] = q2 over [a < n16, b < n32]
    load y[a < n16, b < n32] = K[a, n + b]
    load z[a < min(tk, n64 - k), b < n32] = Wk[k + a, n + b]
    y2 = add(matmul(x, z), y)
    store K[a, n + b] = y2 over [a < n16, b < n32]
  end
  for p = 0 to rows step tp
    load y3[a < n16, b < n32] = K[a, n + b]
    y4 = expand_dims(y3, axis=0)
    store Keys[n div n32 + a, rows - n16 + b, c] = y4 over [a < 1, b < n16, c < n32]
    load q3[a < n16, b < n32] = Q[a, n + b]
    load r[a < 1, b < min(tp, rows - p), c < n32] = Keys[n div n32 + a, p + b, c]
    e = exp(matmul(expand_dims(q3, axis=0), swap_axes(r, first=1, second=2)))
    store E[n div n32 + a, b, p + c] = e over [a < 1, b < n16, c < min(tp, rows - p)]
    load l[a < 1, b < n16] = L[n div n32 + a, b]
    load e2[a < 1, b < n16, c < min(tp, rows - p)] = E[n div n32 + a, b, p + c]
    l2 = add(l, sum(e2, axis=2))
    store L[n div n32 + a, b] = l2 over [a < 1, b < n16]
    load s[a < 1, b < n16, c < n32] = S[n div n32 + a, b, c]
    load v[a < 1, b < min(tp, rows - p), c < n32] = V[n div n32 + a, p + b, c]
    s2 = add(matmul(e2, v), mul(s, 1))
    store S[n div n32 + a, b, c] = s2 over [a < 1, b < n16, c < n32]
  end
  load s3[a < 1, b < n16, c < n32] = S[n div n32 + a, b, c]
  load l3[a < 1, b < n16] = L[n div n32 + a, b]
  s4 = div(s3, expand_dims(l3, axis=2))
  store S[n div n32 + a, b, c] = s4 over [a < 1, b < n16, c < n32]
  load s5[a < 1, b < n16, c < n32] = S[n div n32 + a, b, c]
  o = squeeze(s5, axis=0)
  store O[a, n + b] = o over [a < n16, b < n32]
end
END
expect 0 'certified, each cheaper' optimize head.tp --search=none --offer=head.tile --solvers=none -o head
[ "$(grep -c '^kernel' head/candidate.mug)" -le 4 ] || fail 'more kernels than there are loops that sum, and the cache'
[ "$(grep -c 'rescale' head/candidate.mug)" = 2 ] || fail 'sums that are not rescaled by the maximum'
grep -q 'dynamic_update_slice' head/candidate.mug || fail 'the cache is not changed'
expect 0 VERIFIED check -q head
expect 0 'is chosen by the model' bench --tune=host head
[ "$(grep -c ', right' out)" -ge 1 ] || fail "nothing was run by the emulation: $(cat out)"

# a program of Trinity's, as it stands in its file: two products by one instance a tile of columns, summed up in memory
cat >product.tp <<'END'
program product
sizes M = 16, K = 64, N = 32
input X: f16[M, K]
input W: f16[K, N]
output O = X @ W
END
cat >product.tir <<'END'
(ploop 0 32 tile_n n (seq (sloop 0 64 tile_k k (store (tensor S) (+ (* 1 (load (tensor S) (index fulltile (tile n)))) (@ (load (input X) (index fulltile (tile k))) (load (input W) (index (tile k) (tile n))))) (index fulltile (tile n)))) (store (output O) (load (tensor S) (index fulltile (tile n))) (index fulltile (tile n)))))
END
printf '%s\t%s\t%s\t%s\n' config tensor kind dims own X input '16 64' own W input '64 32' own S tensor '16 32' own O output '16 32' >shapes.tsv
expect 0 'product.tir: 3 block graphs: 1 certified' optimize product.tp --search=none --offer=product.tir --solvers=none -f -o product
[ "$(grep -c '^kernel' product/candidate.mug)" = 1 ] || fail 'more than one kernel'
sed 's/@ (load (input X)/@ (+ (load (input X) (index fulltile (tile k))) (load (input X)/; s/(index fulltile (tile k))) (load (input W)/(index fulltile (tile k)))) (load (input W)/' product.tir >twice.tir
expect 3 'no certified candidate' optimize product.tp --search=none --offer=twice.tir --solvers=none -f -o twice
cat product.tir product.tir >two.tir
expect 2 'two.tir' optimize product.tp --search=none --offer=two.tir --solvers=none -f -o two

# other programs: nothing of them is certified, whatever form they have
refused() { # the change, by sed
  sed "$1" head.tile >wrong.tile
  cmp -s wrong.tile head.tile && fail "\`$1\` changes nothing"
  expect 3 'no certified candidate' optimize head.tp --search=none --offer=wrong.tile --solvers=none -f -o wrong
}
refused 's/y2 = add(matmul(x, z), y)/y2 = add(matmul(x, z), add(y, y))/' # no sum of what the rounds add
refused 's/q2 = add(mul(1, q), matmul(x, w))/q2 = add(mul(2, q), matmul(x, w))/'
refused 's/q2 = add(mul(1, q), matmul(x, w))/q2 = matmul(x, w)/'         # the last round alone
refused 's/= Q\[a, n + b\]$/= K[a, n + b]/'                              # keys for queries
refused 's/scratch Q: f32\[n16, n64\] = 0/scratch Q: f32[n16, n64] = 1/' # from another number than zero
refused 's/scratch L: f32\[n2, n16\] = 0/scratch L: f32[n2, n16]/'       # from none
refused 's/^  for k = 0/  parallel k = 0/'                               # rounds that meet
refused 's/rows - n16 + b, c\]/b, c]/'                                   # other rows of the cache
refused 's/= y4 over \[a < 1/= y4 over [a < 1 /; s/inout Keys/input Keys/; /store Keys/d' # none of them
refused 's/expand_dims(y3, axis=0)/expand_dims(y3 + y3, axis=0)/'
refused 's/s4 = div(s3, expand_dims(l3, axis=2))/s4 = div(s3, expand_dims(l3 + l3, axis=2))/'
refused 's/^  store S\[\(.*\)\] = s4 over.*/  store L[n div n32 + a, b] = l3 over [a < 1, b < n16]/' # without the quotient
# the sum of the rounds so far is no sum of all
refused 's/e2, v), mul(s, 1))/mul(e2, expand_dims(l2, axis=2)), v), s)/'

[ $failures -eq 0 ]
