#!/bin/sh
# The block graphs that bench/table.py measures: each is certified, and every kernel of it is printed from a validated thread graph, but
# for those named here; for sm_80, without bulk copies, too.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"

wide=' gemm_gelu '  # a tile too large for the products of a warp, so that it is a thread graph for sm_90 only
# tiles that take registers handed over: for sm_80 half of the keys
smaller() { sed 's/^sizes R = 32, U = 128, L = 32, T = 128$/sizes R = 32, U = 128, L = 64, T = 64/' "$src/bench/table/prefill.mug"; }

for mug in "$src"/bench/table/*.mug; do
  name=$(basename "$mug" .mug)
  timeout 300 "$assay" certify -S none -q "$src/bench/table/$name.tp" "$mug" >out 2>err </dev/null || fail "$name is not certified"
  for arch in sm_90a sm_80; do
    rm -rf lowered && mkdir lowered
    lower=$mug
    case $arch" $name" in "sm_80 prefill")
      smaller >smaller.mug
      cmp -s smaller.mug "$mug" && fail "prefill has other sizes"
      lower=smaller.mug ;;
    esac
    NVCC=/bin/false CXX=/bin/false "$assay" bench --no-try --arch=$arch --trace=lower "$src/bench/table/$name.tp" "$lower" -o lowered >out 2>err </dev/null
    [ -f lowered/bench/kernel.cu ] || fail "$name is not lowered for $arch"
    case $arch$wide in sm_80*" $name "*) continue ;; esac
    if grep 'no thread graph' err; then fail "$name for $arch: a kernel without thread graph"; fi
    grep -q 'thread graph validated' err || fail "$name for $arch: nothing is said of thread graphs"
  done
done
# masks that are nearly causal: no certificate
nearly_causal() {
  sed "$2" "$src/bench/table/prefill.mug" >near.mug
  if cmp -s near.mug "$src/bench/table/prefill.mug"; then fail "$1: the graph is the same"; fi
  expect 1 'REFUTED' certify -S none -q "$src/bench/table/prefill.tp" near.mug
}
nearly_causal 'no key sees itself' 's/less_equal(Key, Row)/less(Key, Row)/'
nearly_causal 'the other order' 's/less_equal(Key, Row)/greater_equal(Key, Row)/'
# (exp(-3e38) is no number that can be told from 0)
nearly_causal 'masked keys have weights' 's/e = e0 \* keep/e = e0 * 1/; s/-3e38/-10000/'
nearly_causal 'a window' 's/^Keep = less_equal(Key, Row)/Far = Key + 2\nKeep = logical_and(less_equal(Key, Row), greater(Far, Row))/'
finish
