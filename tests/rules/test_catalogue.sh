#!/bin/sh
# The published rules with the verdicts that are right (catalogue.tsv; what its columns mean is in NOTATION.md and below): no invalid rule is
# proved, no valid one refuted, at least 97 in 100 rows are decided, every certificate is accepted by the checker alone, all in under 120 s a direction.
# What is said of the rules, and of the same backwards in `make check-long`, is tried by an evaluation that shares no code with Assay (oracle.py): nothing proved
# has a counterexample, every counterexample shown is one.  More than 20 s: all rules that there are, once.
# row rule file as_stated kind source name verdict; kind: stated, as published; repaired, with the condition that makes it right; variant, another
# reading that is right as well; instance, of a rule on loops and statements, which rules cannot speak of.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
list=$src/tests/rules/catalogue.tsv
: >err

direction=forward trials=4
[ -n "${AS_LONG-}" ] && direction=both trials=20
"$assay" certify --solvers=none --direction="$direction" --json -o result "$src"/examples/rules/*.rule >json 2>err </dev/null
status=$?
times >spent # processor time of the command, which other work on the machine does not change
cp json out
case $status in 0|1|3) ;; *) fail "assay certify: exit $status" ;; esac
# one line a rule: name, verdict, what the file expects
awk -F'"' '$2 == "rule" { rule = $4 } $2 == "verdict" { verdict = $4 } $2 == "expected" { print rule "\t" verdict "\t" $4 }' json >verdicts
[ -s verdicts ] || fail "no verdicts"

# the rules' files and the list agree on what is right; no rule is missing
tail -n +2 "$list" | awk -F'\t' -v OFS='\t' 'NR == FNR { verdict[$1] = $2; expected[$1] = $3; next }
  !($2 in verdict) { print "missing: " $2; next }
  { want = $4 == "valid" ? "proved" : "refuted"
    if (expected[$2] != want) print "file and list disagree: " $2
    if (verdict[$2] == "PROVED" && want == "refuted") print "WRONGLY PROVED: " $2
    if (verdict[$2] == "REFUTED" && want == "proved") print "wrongly refuted: " $2
    right = toupper(want) == verdict[$2]
    if (!right) print "undecided: " $2 " (" $1 ", " $5 ")" > "open"
    if ($5 == "stated") { rows++; good += right } else if ($5 == "instance") { loops++; loopsgood += right } else { more++; moregood += right } }
  END { printf "%d of %d rows decided rightly as published, %d of %d repaired or further ones, %d of %d instances of rules on loops\n",
      good, rows, moregood, more, loopsgood, loops > "summary"
    if (rows < 266 || good * 100 < 97 * rows) print "too few rows decided: " good " of " rows }' verdicts - >wrong
[ -f open ] && cat open
cat summary
while read -r line; do fail "$line"; done <wrong
# and of the rules that no list has
awk -F'\t' '$2 == "PROVED" && $3 == "refuted" || $2 == "REFUTED" && $3 == "proved" { print $1 ": " $2 }' verdicts >wrong
while read -r line; do fail "$line"; done <wrong

# what is right and undecided is known (undecided.txt)
awk -F'\t' '$2 != "PROVED" && $2 != "REFUTED" { print $1 }' verdicts | grep -vxF -f "$src/tests/rules/undecided.txt" >wrong
while read -r line; do fail "no longer decided: $line"; done <wrong

# each certificate, by the checker alone
accepted=0
for cert in result/*.cert; do
  name=$(basename "$cert" .cert)
  case $name in *.reverse) continue ;; esac
  file=$(grep -l "^rule $name\$" "$src"/examples/rules/*.rule)
  if "$build/assay-check" --sem "$ASSAY_SEM" "$file" "$name" "$cert" >out 2>err; then accepted=$((accepted + 1)); else fail "assay-check refuses $name"; fi
done
proved=$(awk -F'\t' '$2 == "PROVED"' verdicts | wc -l)
echo "$accepted certificates accepted by assay-check alone"
[ "$accepted" -eq "$proved" ] || fail "$proved rules proved, but $accepted certificates accepted"

# a certificate says nothing of another rule
first=$(ls result/*.cert | head -1)
"$build/assay-check" --sem "$ASSAY_SEM" "$src/examples/rules/trinity.rule" TY_A02 "$first" >out 2>err && fail "a certificate of another rule is accepted"

sed -n 's/^ *"all": \([0-9]*\).*/\1 s for all/p' json
awk 'NR == 2 { split($1, p, /[ms]/); found = 1; late = p[1] * 60 + p[2] >= ("'"$direction"'" == "both" ? 240 : 120); print p[1] * 60 + p[2] " s of processor time" }
  END { exit late || !found }' spent || fail "it took $(cat spent) of processor time; 120 s a direction are allowed"

if command -v python3 >/dev/null; then
  # in the folder, which the names in its report are relative to
  (cd result && python3 "$src/tests/rules/oracle.py" "$ASSAY_SEM" --report report.json --trials $trials) >out 2>err || fail "Assay and the oracle disagree"
  cat out
else
  echo "no python3: what is said of the rules is not tried by the oracle"
fi
finish
