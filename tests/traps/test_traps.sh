#!/bin/sh
# The checker in the conformance suite; and two checkers that must not pass it: one accepts everything, the other rejects everything.
command -v python3 >/dev/null || { echo 'skipped: there is no python3'; exit 77; }
run="python3 ${AS_TOP_SRCDIR:?}/tests/traps/run.py $AS_TOP_SRCDIR/semantics"
$run true >/dev/null && { echo 'a checker that accepts everything passes'; exit 1; }
$run false >/dev/null && { echo 'a checker that rejects everything passes'; exit 1; }
$run "${AS_TOP_BUILDDIR:?}/assay-check"
