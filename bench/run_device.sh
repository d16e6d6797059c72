#!/bin/sh
# Builds, checks and times lowered programs on this machine's GPU.
#   bench/run_device.sh DIR OUT     DIR/NAME/{main.cu,kernel.cu,reference.inc,shapes.inc} for each program, as `assay bench` writes them
# OUT gets results.json (a JSON object per line), pytorch.json, sanitizer.txt and build.log.  Exit status 1 when a check failed.
set -u
dir=$1; out=$2; here=$(dirname "$0"); status=0
mkdir -p "$out"
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
arch=${ARCH:-sm_90}
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader >"$out/gpu.txt" 2>&1
: >"$out/build.log"
for d in "$dir"/*/; do
  ( "$nvcc" -std=c++17 -O3 -arch=$arch -lineinfo -Werror all-warnings -Xcompiler -Wall,-fopenmp "$d/main.cu" -o "$d/main" >"$d/build.log" 2>&1 || echo "BUILD FAILED $d" >>"$out/build.log" ) &
done
wait
: >"$out/results.json"; : >"$out/sanitizer.txt"
for d in "$dir"/*/; do
  for seed in ${SEEDS-1 2}; do "$d/main" --seed $seed >"$d/check.json" 2>"$d/check.log" || { status=1; cat "$d/check.json" "$d/check.log"; }; done
  "$d/main" --seed 3 --time >"$d/time.json" 2>>"$d/check.log" || status=1
  cat "$d/time.json" "$d/check.log" | tee -a "$out/results.json"
  if [ -f "$d/large" ]; then "$d/main" --seed 4 --scale "$(cat "$d/large")" | sed 's/"program": "/&large scores: /' | tee -a "$out/results.json"; fi
done
if [ "${SANITIZE:-yes}" = yes ] && command -v compute-sanitizer >/dev/null; then
  for d in "$dir"/*/; do
    for tool in memcheck racecheck synccheck initcheck; do
      echo "== $(basename "$d") $tool: $(timeout 60 compute-sanitizer --tool $tool "$d/main" 2>&1 | grep -E 'ERROR SUMMARY|RACECHECK SUMMARY|not supported|Error' | head -2 | tr '\n' ' ')" | tee -a "$out/sanitizer.txt"
    done
  done
fi
if [ "${PYTORCH:-yes}" = yes ] && [ -f "$here/pytorch_baseline.py" ]; then timeout 300 python3 "$here/pytorch_baseline.py" >"$out/pytorch.json" 2>"$out/pytorch.log" && cat "$out/pytorch.json"; fi
exit $status
