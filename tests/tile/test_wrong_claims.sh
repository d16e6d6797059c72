#!/bin/sh
# Wrong tile programs through the checker: AS_WRONG_CLAIMS of them, 60 by default.
command -v python3 >/dev/null || { echo 'skipped: there is no python3'; exit 77; }
src=${AS_TOP_SRCDIR:?} build=${AS_TOP_BUILDDIR:?}
ASSAY_SEM=$src/semantics
export ASSAY_SEM
exec python3 "$src/tests/tile/wrong_claims.py" "$build/assay" "$build/assay-check" "$src/semantics" "$src/tests/tile/cases" "${AS_WRONG_CLAIMS:-60}"
