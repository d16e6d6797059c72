#!/bin/sh
# What ptxas makes of kernels printed from thread graphs: registers and shared memory within recorded bounds, nothing spilled,
# warnings are errors.  Needs no GPU, but nvcc and ptxas; skipped, saying so, where there are none.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$nvcc" ] || { echo "skipped: there is no nvcc"; exit 77; }

# lowers a workload without compiling or running it: kernel.cu
lowered() {
  rm -rf work && mkdir work
  NVCC=/bin/false CXX=/bin/false "$build/assay" bench --no-try ${3:+--arch=$3} "$src/bench/table/$1.tp" "$src/bench/table/$1.mug" -o work >out 2>err </dev/null
  [ -f work/bench/kernel.cu ] || fail "$1: no kernel: $(cat err)"
  n=$(grep -c '^AS_KERNEL' work/bench/kernel.cu)
  [ "$n" -eq "$2" ] || fail "$1: $n kernels, not $2"
}

# bounds NAME ARCH KERNELS PRODUCTS BULK REGISTERS..: at least so many instructions of tensor cores and bulk copies in all, at most so
# many registers in each kernel, in ptxas's order
bounds() {
  name=$1 arch=$2 count=$3 products=$4 bulk=$5
  shift 5
  lowered "$name" "$count" "${arch%a}"
  rm -rf kept && mkdir kept
  "$nvcc" -std=c++17 -O3 "-gencode=arch=compute_$(echo "$arch" | tr -d 'sm_'),code=$arch" -Werror all-warnings -Xptxas -v --keep --keep-dir kept -cubin work/bench/kernel.cu -o x.cubin >log 2>&1 ||
    fail "$name: $(cat log)"
  if grep 'bytes spill' log | grep -qv ' 0 bytes spill stores, 0 bytes spill loads'; then fail "$name for $arch spills: $(grep spill log)"; fi
  if grep 'serialized' log; then fail "$name for $arch: ptxas waits for each product by itself"; fi
  found_products=$(cat kept/*.ptx | grep -cE '(^|[[:space:]])(mma\.sync|wgmma\.mma_async)') || true
  found_bulk=$(cat kept/*.ptx | grep -cE '(^|[[:space:]])cp\.async\.bulk') || true
  [ "$found_products" -ge "$products" ] || fail "$name for $arch: $found_products instructions of tensor cores, $products were recorded"
  [ "$found_bulk" -ge "$bulk" ] || fail "$name for $arch: $found_bulk bulk copies, $bulk were recorded"
  grep -o 'Used [0-9]* registers' log | grep -o '[0-9]*' >used
  cp used given
  [ "$(wc -l <used)" -eq "$count" ] || fail "$name: ptxas speaks of $(wc -l <used) kernels, not $count"
  for most; do
    read -r registers
    [ "$registers" -le "$most" ] || fail "$name for $arch: $registers registers, at most $most were recorded"
  done <used
  echo "$name for $arch: $found_products products, $found_bulk bulk copies, registers $(tr '\n' ' ' <used)"
}

bounds gqa_2 sm_90a 2 16 8 88 136
bounds lora sm_90a 1 16 0 64
bounds softmax_rows sm_90a 1 0 0 40
bounds rmsnorm_fused_16 sm_90a 1 256 96 72
bounds gated_mlp sm_90a 1 8 3 40
bounds gemm_gelu sm_90a 1 16 5 168
bounds decode_8 sm_90a 2 128 3 152 168
bounds prefill sm_90a 1 32 4 168
# registers are handed over of what each thread has at the launch: with fewer than all that there are the kernel would wait for ever
[ "$(cat given)" = 168 ] || fail "prefill: a thread begins with $(cat given) registers, not with all 168"
[ "$(grep -c 'setmaxnreg' kept/*.ptx)" -eq 2 ] || fail "prefill: registers are not handed over once each way"
grep -q 'wgmma\.mma_async' kept/*.ptx || fail "prefill: no products of warpgroups"
bounds gqa_2 sm_80 2 128 0 88 168

# a library whose kernel has instructions of sm_90a alone: nvcc must make code for nothing else
"$build/assay" certify -q -S none "$src/bench/table/gemm_gelu.tp" "$src/bench/table/gemm_gelu.mug" -o gelu >out 2>err </dev/null || fail "gemm_gelu: $(cat err)"
NVCC=$nvcc "$build/assay" build gelu --device=cuda -o library >out 2>err </dev/null || fail "gemm_gelu as a library: $(cat err)"
finish
