#!/usr/bin/env bash
# The published rules against an evaluation that shares no code with Assay: no counterexample to a rule that must be proved, one to each other.
set -u
top=${AS_TOP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
command -v python3 >/dev/null || { echo "no python3: the rules are not tried"; exit 77; }
exec python3 "$top/tests/rules/oracle.py" "$top/semantics" "$top"/examples/rules/*.rule
