#!/bin/sh
# bench/prefill_variants.sh ASSAY DIR: other lowerings of the causal prefill beside the one that `table.py prepare` leaves in DIR, as
# DIR/prefill@VARIANT.cu, which `table.py run DIR OUT prefill` compiles, checks and times with it.  Needs no GPU.
#   keys64     64 keys a tile and four stages
#   all_heads  blocks of all 32 heads before the next row of blocks, not of 16
#   in_order   the grid's own order: the shortest blocks first
#   own        what `assay optimize` finds by itself
set -eu
assay=$1
out=$2
here=$(cd "$(dirname "$0")" && pwd)
program=$here/table/prefill.tp
graph=$here/table/prefill.mug
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# lower NAME GRAPH
lower() {
  mkdir "$work/$1"
  NVCC=/bin/false CXX=/bin/false "$assay" bench --no-try "$program" "$2" -o "$work/$1" >/dev/null 2>&1 || true
  cp "$work/$1/bench/kernel.cu" "$out/prefill@$1.cu"
}

# changed NAME EXPRESSION: the table's kernel with another line of text; it must have one
changed() {
  sed -E "$2" "$out/prefill.cu" >"$out/prefill@$1.cu"
  if cmp -s "$out/prefill.cu" "$out/prefill@$1.cu"; then
    echo "$1: the kernel is not as this script knows it" >&2
    exit 1
  fi
}

sed 's/L = 32, T = 128/L = 64, T = 64/' "$graph" >"$work/keys64.mug"
lower keys64 "$work/keys64.mug"
changed all_heads 's/part_ = .*, place_ = .*;/part_ = as_bid() % 32u, place_ = as_bid() \/ 32u;/'
changed in_order 's/part_ = .*, place_ = .*;/part_ = as_bid() % 32u, place_ = 31u - as_bid() \/ 32u;/'
"$assay" optimize --no-cache -S none -q "$program" -o "$work/found" >/dev/null
for mug in "$work"/found/*.mug; do lower own "$mug"; done
ls "$out"/prefill*.cu
