#!/bin/sh
# What measurements are made with, without measuring: turns and quotients, and the tables of what KernelBench's script has timed (where there is PyTorch).
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
python3 "$src/tests/bench/rounds.py" >out 2>err || fail "bench/rounds.py: $(cat out err)"
python=
for p in ${PYTHON:-python3 /usr/bin/python3}; do
  if [ -z "$python" ] && "$p" -c 'import torch' 2>/dev/null; then python=$p; fi
done
if [ -n "$python" ]; then
  "$python" "$src/bench/kernelbench.py" --table "$src/tests/bench/timed.jsonl" >table.md 2>err || fail "no table: $(cat err)"
  diff "$src/tests/bench/timed.md" table.md >differ || fail "another table: $(cat differ)"
else
  echo "PyTorch is not installed: the tables are not tried"
fi
[ "$failures" -eq 0 ]
