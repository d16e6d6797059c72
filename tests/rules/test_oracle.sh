#!/bin/sh
# The rules of examples/rules against an evaluation that shares no code with Assay (oracle.py): the verdicts that their files expect, and what
# `assay certify` says of them in both directions: nothing proved has a counterexample, every counterexample shown is one.
command -v python3 >/dev/null || { echo "no python3: the rules are not tried"; exit 77; }
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
python3 "$src/tests/rules/oracle.py" "$ASSAY_SEM" "$src"/examples/rules/*.rule >out 2>err || fail "a verdict that a file expects is wrong"
cat out
"$assay" certify --solvers=none --direction=both --json "$src"/examples/rules/*.rule >json 2>err </dev/null
case $? in 0|1|3) ;; *) fail "assay certify: exit status" ;; esac
python3 "$src/tests/rules/oracle.py" "$ASSAY_SEM" --report json --trials 20 >out 2>err || fail "Assay and the oracle disagree"
cat out
finish
