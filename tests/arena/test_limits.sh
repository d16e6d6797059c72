#!/bin/sh
# Every limit of the checker pinned from both sides, and its words; and a checker that knows no limit must not pass.
# More than 20 s: texts at the limits are as large as a checker takes.
command -v python3 >/dev/null || { echo 'skipped: there is no python3'; exit 77; }
run="python3 ${AS_TOP_SRCDIR:?}/tests/arena/limits.py"
$run --only axes "$AS_TOP_SRCDIR/semantics" true >/dev/null && { echo 'a checker without limits passes'; exit 1; }
$run --only axes "$AS_TOP_SRCDIR/semantics" false >/dev/null && { echo 'a checker that rejects everything passes'; exit 1; }
$run --words "$AS_TOP_SRCDIR/semantics" "${AS_TOP_BUILDDIR:?}/assay-check"
