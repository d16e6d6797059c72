#!/bin/sh
# What `optimize` chooses by itself: a row says how many kernels, and how many of them are printed from validated thread graphs, at
# least.  The graphs that a hand wrote for the same programs are in bench/table.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"

# a row: the program, kernels at most, with a thread graph at least
while read -r program most least; do
  rm -rf chosen
  expect 0 '' optimize "$src/bench/$program.tp" --no-cache --solvers=none -q -o chosen
  kernels=$(grep -c '"shared_bytes"' chosen/report.json)
  validated=$(grep -c '"validated": true' chosen/report.json)
  [ "$kernels" -le "$most" ] || fail "$program: $kernels kernels"
  [ "$validated" -ge "$least" ] || fail "$program: $validated of $kernels kernels with a thread graph"
done <<'ROWS'
table/gemm_gelu 1 1
table/gqa_16 2 2
blocks/vanilla 2 1
table/vanilla 4 3
../tests/threads/biased 1 1
../tests/threads/hidden 1 1
ROWS
finish
