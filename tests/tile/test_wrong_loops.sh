#!/bin/sh
# Wrong tile programs with loops, to evaluation and to the prover: AS_WRONG_LOOPS of them, by default 30, or 60 in `make check-long`.
command -v python3 >/dev/null || { echo 'skipped: there is no python3'; exit 77; }
few=30
[ -n "${AS_LONG-}" ] && few=60
src=${AS_TOP_SRCDIR:?} build=${AS_TOP_BUILDDIR:?}
ASSAY_SEM=$src/semantics
export ASSAY_SEM
exec python3 "$src/tests/tile/wrong_loops.py" "$build/assay" "$build/tests/tile/test_loops" "$src/tests/tile/loops.cases" "${AS_WRONG_LOOPS:-$few}"
