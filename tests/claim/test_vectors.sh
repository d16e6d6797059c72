#!/bin/sh
# The checker's claims of all vectors.
command -v python3 >/dev/null || { echo 'skipped: there is no python3'; exit 77; }
exec python3 "${AS_TOP_SRCDIR:?}/tests/claim/vectors/run.py" "$AS_TOP_SRCDIR/semantics" "${AS_TOP_BUILDDIR:?}/assay-check"
