#!/bin/sh
# Changed tile programs, to the prover and to a reference of their own: AS_WRONG_MUTANTS of them, 50 by default, from AS_WRONG_SEED.
# By default from 2, and in `make check-long` from 1, among whose changes are loops of a minute.
command -v python3 >/dev/null || { echo 'skipped: there is no python3'; exit 77; }
seed=2
[ -n "${AS_LONG-}" ] && seed=1
src=${AS_TOP_SRCDIR:?} build=${AS_TOP_BUILDDIR:?}
exec python3 -B "$src/tests/tile/wrong_mutants.py" "$build/tests/tile/test_loops" "${AS_WRONG_MUTANTS:-50}" "${AS_WRONG_SEED:-$seed}" \
  "$src/tests/tile/loops.cases" "$src/tests/tile/mutants.cases"
