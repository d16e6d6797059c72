#!/bin/sh
# tests/times.sh BUILD-SECONDS TEST...: in the build folder, after a run of these tests: what took how long.  Writes
#   tests/times.tsv    seconds, processor seconds (- of a case), result, name: of each test and each case, longest first
#   tests/history.tsv  name, last result, number of failed runs so far, processor seconds: what tests/order.sh goes by
# and prints the ten longest tests, the folders over their budgets (BUDGETS: FOLDER=SECONDS, processor seconds, a report and no
# test: machines differ), and as its last line how many tests passed.
set -u
LC_ALL=C
export LC_ALL
build=$1
shift
tab=$(printf '\t')

one() { # TEST: its row, and those of its cases
  [ -f "$1.trs" ] || { printf '0\t0\tNOT RUN\t%s\n' "$1"; return; }
  awk -v name="$1" '/^:test-result:/ { result = $2 } /^:seconds:/ { elapsed = $2; cpu = $3 }
    END { printf "%.2f\t%.2f\t%s\t%s\n", elapsed, cpu, result, name }' "$1.trs"
  [ -f "$1.cases" ] && awk -F '\t' -v name="$1" '{ printf "%.2f\t-\tcase\t%s: %s\n", $1, name, $2 }' "$1.cases"
  [ -f "$1.cases.xml" ] && awk -F '[<>]' -v name="$1" '$2 == "id" { id = $3 }
    $2 == "iteration" && $3 > 0 { id = id "[" $3 "]" }
    $2 == "duration" && id != "" { printf "%.2f\t-\tcase\t%s: %s\n", $3, name, id; id = "" }' "$1.cases.xml"
  return 0
}

for test in "$@"; do one "$test"; done | sort -t "$tab" -k1,1nr -k4,4 >tests/times.tsv

touch tests/history.tsv
awk -F '\t' -v OFS='\t' '
  FILENAME == ARGV[1] { failures[$1] = $3; row[$1] = $0; next }
  $3 != "case" { row[$4] = $4 OFS $3 OFS failures[$4] + ($3 != "PASS" && $3 != "SKIP") OFS $2 }
  END { for (name in row) print row[name] }' tests/history.tsv tests/times.tsv | sort >tests/history.new
mv tests/history.new tests/history.tsv

awk -F '\t' -v build="$build" -v budgets="${BUDGETS-}" '
  function folder_of(name) { sub("/[^/]*$", "", name); return name }
  $3 == "case" { next }
  longest++ < 10 { line[longest] = sprintf("%8.1f s  %8.1f s  %s", $1, $2, $4) }
  { sum += $2; spent[folder_of($4)] += $2 }
  $3 == "PASS" { passed++; next }
  $3 == "SKIP" { skipped++; next }
  { failed++; print tolower($3) ": " $4 }
  END {
    print "the longest tests (elapsed, processor; tests/times.tsv has all tests and their cases):"
    for (i = 1; i <= longest && i <= 10; i++)
      print line[i]
    printf "build %.1f s, tests %.1f s of processor time\n", build, sum
    n = split(budgets, word, " ")
    for (i = 1; i <= n; i++) {
      split(word[i], pair, "=")
      if (spent[pair[1]] > pair[2])
        printf "over budget: %s took %.1f s of processor time; its local.mk has %d s\n", pair[1], spent[pair[1]], pair[2]
    }
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
  }' tests/times.tsv
