#!/bin/sh
# Rules that are wrong only where an obligation could be forgotten, and rules that say nothing (tricks.rule); rules of our own that no list has,
# half of them subtly false (unseen.rule; identities.rule, of functions with laws; users.rule, of all the language): each must get the verdict that its file expects, and the oracle's.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
for name in tricks unseen identities users; do
  file=$src/tests/rules/$name.rule
  "$assay" certify --solvers=none "$file" >out 2>err </dev/null
  case $? in 0|1) ;; *) fail "$name: exit status" ;; esac
  grep -q "0 unknown.*0 not readable" out || fail "$name: some are undecided"
  grep "expected:" out && fail "$name: verdicts other than expected"
  [ "$(grep -c '^[a-z_0-9]* *\(PROVED\|REFUTED\|VACUOUS\)' out)" -eq "$(grep -c '^rule ' "$file")" ] || fail "$name: rules are missing"
  grep "proved," out
  command -v python3 >/dev/null && { python3 "$src/tests/rules/oracle.py" "$ASSAY_SEM" "$file" >out 2>err || fail "$name: the oracle says otherwise"; }
done
# a size beyond what the oracle tries
printf 'rule thousand\n  sizes n\n  tensor x[n]\n  lhs sum(x[0:min(n, 1000)])\n  rhs sum(x)\n' >thousand.rule
expect 1 'n = 1001' certify --solvers=none thousand.rule
finish
