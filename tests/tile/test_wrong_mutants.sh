#!/bin/sh
# Changed tile programs, to the prover and to a reference of their own: AS_WRONG_MUTANTS of them, by default 20, or 50 in `make check-long`, from AS_WRONG_SEED.
command -v python3 >/dev/null || { echo 'skipped: there is no python3'; exit 77; }
few=20
[ -n "${AS_LONG-}" ] && few=50
src=${AS_TOP_SRCDIR:?} build=${AS_TOP_BUILDDIR:?}
exec python3 -B "$src/tests/tile/wrong_mutants.py" "$build/tests/tile/test_loops" "${AS_WRONG_MUTANTS:-$few}" "${AS_WRONG_SEED:-1}" \
  "$src/tests/tile/loops.cases" "$src/tests/tile/mutants.cases"
