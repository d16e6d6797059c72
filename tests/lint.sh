#!/bin/sh
# The rules of the tree (lint.py), as a test.
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
exec python3 "${AS_TOP_SRCDIR:-$(dirname "$0")/..}/tests/lint.py" "${AS_TOP_SRCDIR:-$(dirname "$0")/..}"
