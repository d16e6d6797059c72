#!/bin/sh
# `--tf32` names operators whose factors may be rounded: it reaches the search, the lowering and the result directory, `check` makes the kernels again under
# the permission recorded, and another one is noticed.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
cat >product.tp <<'P'
program product
sizes M = 1024, K = 512, N = 1024
input A: f32[M, K]
input B: f32[K, N]
input C: f32[N]
output D = relu(A @ B + C)
P
for how in matmul matmul:3; do
  expect 0 'PROVED' optimize product.tp --tf32=$how --solvers=none -o "$how"
  grep -q "\"tf32\": \"$how\"" "$how/report.json" || fail "report.json does not have the permission $how"
  grep -q 'as_wgmma_tf32<' "$how/kernel.cu" || fail "$how: no product on tensor cores"
  expect 0 'VERIFIED' check "$how"
done
grep -q 'as_tf32_restf(as_ldg_f32' matmul:3/kernel.cu || fail 'factors are not taken in parts'
grep -q 'as_tf32_restf(as_ldg_f32' matmul/kernel.cu && fail 'factors are taken in parts that are to be rounded'
expect 0 'PROVED' optimize product.tp --solvers=none -o none
grep -q '"tf32"' none/report.json && fail 'a permission that nobody gave'
grep -q 'as_wgmma_tf32<' none/kernel.cu && fail 'rounded without a permission'
# the permission is part of what is checked
sed 's/"tf32": "matmul"/"tf32": "conv2d"/' matmul/report.json >report && mv report matmul/report.json
expect 1 'not what this version of assay' check matmul
finish
