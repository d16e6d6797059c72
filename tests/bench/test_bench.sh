#!/bin/sh
# What measurements are made with, without measuring: turns and quotients, and the tables of what KernelBench's script has certified and timed.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
python3 "$src/tests/bench/rounds.py" >out 2>err || fail "bench/rounds.py: $(cat out err)"
for rows in certified timed; do
  python3 "$src/bench/kernelbench_tables.py" "$src/tests/bench/$rows.jsonl" >table.md 2>err || fail "no table of what was $rows: $(cat err)"
  diff "$src/tests/bench/$rows.md" table.md >differ || fail "another table of what was $rows: $(cat differ)"
done
[ "$failures" -eq 0 ]
