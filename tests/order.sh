#!/bin/sh
# tests/order.sh TEST...: in the build folder, the tests in the order in which to run them.  First those that failed in their last run,
# then those that what is not yet committed reaches (tests/since.py), then those that failed more often, then the longer ones, so
# that there is work for all processors at the end; what has not yet run keeps its place before those.
set -u
LC_ALL=C
export LC_ALL
reached=
command -v python3 >/dev/null && reached=$(python3 "${AS_TOP_SRCDIR:?}/tests/since.py" HEAD "$@" 2>/dev/null)
[ -f tests/history.tsv ] || : >tests/history.tsv
printf '%s\n' "$@" | awk -F '\t' -v reached="$reached" '
  BEGIN { n = split(reached, word, /[ \n]+/); for (i = 1; i <= n; i++) near[word[i]] = 1 }
  FILENAME != "-" { failing[$1] = $2 != "PASS" && $2 != "SKIP"; failures[$1] = $3; seconds[$1] = $4; next }
  { printf "%d\t%d\t%d\t%.2f\t%d\t%s\n", failing[$0], near[$0], failures[$0], ($0 in seconds) ? seconds[$0] : 1e6, FNR, $0 }
  ' tests/history.tsv - | sort -k1,1nr -k2,2nr -k3,3nr -k4,4nr -k5,5n | cut -f 6
