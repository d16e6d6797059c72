#!/bin/sh
# Changed tile programs, to the prover and to a reference of their own: AS_WRONG_MUTANTS of them, 50 by default, from AS_WRONG_SEED.
command -v python3 >/dev/null || { echo 'skipped: there is no python3'; exit 77; }
src=${AS_TOP_SRCDIR:?} build=${AS_TOP_BUILDDIR:?}
exec python3 -B "$src/tests/tile/wrong_mutants.py" "$build/tests/tile/test_loops" "${AS_WRONG_MUTANTS:-50}" "${AS_WRONG_SEED:-1}" \
  "$src/tests/tile/loops.cases" "$src/tests/tile/mutants.cases"
