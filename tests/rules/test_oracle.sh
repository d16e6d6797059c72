#!/bin/sh
# The verdicts that the files of examples/rules expect, by an evaluation that shares no code with Assay (oracle.py).  What Assay says of the
# same rules it tries in test_catalogue.sh.
command -v python3 >/dev/null || { echo "no python3: the rules are not tried"; exit 77; }
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
trials=10
[ -n "${AS_LONG-}" ] && trials=40
python3 "$src/tests/rules/oracle.py" "$ASSAY_SEM" "$src"/examples/rules/*.rule --trials $trials >out 2>err || fail "a verdict that a file expects is wrong"
cat out
finish
