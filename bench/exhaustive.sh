#!/bin/sh
# What pruning loses, by exhaustive enumeration of block graphs of at most N operators, as a table.
#
# usage: exhaustive.sh EXHAUSTIVE N FOLDER OUT.md
set -eu
[ $# -eq 4 ] || { echo "usage: exhaustive.sh EXHAUSTIVE N FOLDER OUT.md" >&2; exit 2; }
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
for program in "$3"/*.tp; do
  "$1" "$program" "$2" >"$rows.one" || { echo "exhaustive.sh: $program failed" >&2; exit 1; }
  tail -n 1 "$rows.one" >>"$rows"
  head -n 2 "$rows.one" >"$rows.head"
done
{
  echo '# What pruning loses'
  echo
  echo 'Made by `make bench-exhaustive`. For every plan of each program of `bench/exhaustive`: all ways to compute tile tensors in block graphs of at most N operators and accumulators,'
  echo 'with nothing pruned, beside those that the search has; what it does not have is put into a graph, which is judged. *Lighter* graphs would be a loss; `docs/search.md` says what is compared.'
  echo
  cat "$rows.head" "$rows"
  echo
  echo 'Ways that are lost and not judged are those of which no graph could be made. Seconds are by the clock.'
} >"$4"
rm -f "$rows.one" "$rows.head"
