#!/bin/sh
# Random tile programs as kernels: AS_RANDOM_KERNELS of them, 5 by default, from AS_RANDOM_SEED.
command -v python3 >/dev/null || { echo 'skipped: there is no python3'; exit 77; }
src=${AS_TOP_SRCDIR:?} build=${AS_TOP_BUILDDIR:?}
exec python3 -B "$src/tests/tile/random_kernels.py" "$build/tests/lower/test_tiles" --cases "${AS_RANDOM_KERNELS:-5}" --seed "${AS_RANDOM_SEED:-1}"
