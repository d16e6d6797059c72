#!/bin/sh
# `--arch` names a GPU: it reaches the search, the lowering and the result directory, and `check` makes the kernel again for the GPU recorded.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
ex=$src/examples

expect 2 'unknown architecture `sm_13`; known are' optimize "$ex/lora.tp" --arch=sm_13
grep -q 'sm_80 (A100)' err || fail 'the list of GPUs lacks the A100'
expect 2 'unknown architecture' optimize "$ex/lora.tp" --arch=
only

for gpu in A100 H200; do
  expect 0 "$gpu" optimize "$ex/lora.tp" --arch="$gpu" --solvers=none -o "$gpu"
  grep -q "\"target\": \"$gpu\"" "$gpu/report.json" || fail "report.json of $gpu does not name it"
  grep -q "($gpu)" "$gpu/kernel.cu" || fail "kernel.cu of $gpu does not name it"
  expect 0 'VERIFIED' check "$gpu"
done
cmp -s A100/kernel.cu H200/kernel.cu && fail 'one kernel for two GPUs'
# what a block of an A100 may have is a limit of its kernels
awk '/"shared_bytes"/ { gsub(/[^0-9]/, ""); if ($0 + 0 > 163 * 1024) exit 1 }' A100/report.json || fail 'more shared memory than an A100 has'
expect 1 'not what this version of assay makes' check A100 --arch=H200
sed 's/"target": "A100"/"target": "Z9"/' A100/report.json >report && mv report A100/report.json
expect 2 'unknown architecture `Z9`' check A100
finish
