#!/bin/sh
# `explain`: a proof as it is to be read, word by word for one small certificate; lemmas by name; refutations evaluated again.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
ex=$src/examples at=$src/tests/cli/explain

# --- a certificate as the prover writes it, and the whole text of it (make golden)
expect 0 'PROVED' certify "$at/given.tp" "$at/candidate.tp" --require=check --solvers=none -q -o made
golden made/certificate.cert "$at/proof.cert"
rm -rf made
same() { # GOLDEN ARGS..
  wanted=$1
  shift
  timeout 60 "$assay" explain "$@" >out 2>err || fail "explain $*: exit $?"
  # the theorem's words are the checker's, and tested with it
  case $wanted in *.json) grep -v '^ "theorem"' out >text ;; *) sed -n '/^Proof:/,$p' out >text ;; esac
  golden text "$at/$wanted"
  rm -f text
}
same proof.txt "$at/given.tp" "$at/candidate.tp" "$at/proof.cert"
same full.txt --full "$at/given.tp" "$at/candidate.tp" "$at/proof.cert"
same proof.json --json "$at/given.tp" "$at/candidate.tp" "$at/proof.cert"

# --- a certificate that is no proof: said so by the checker, whatever can be read of it
grep -v '^qed eq' "$at/proof.cert" >open.cert
expect 1 'the certificate does not prove goal eq.Z' explain "$at/given.tp" "$at/candidate.tp" open.cert
expect 2 'explain needs' explain "$at/given.tp" "$at/candidate.tp"
expect 2 'No such file' explain "$at/given.tp" "$at/candidate.tp" nothing.cert
rm open.cert

# --- every lemma of real proofs is known by what it says, and every fact is numbered once
for e in lora rmsnorm_linear layernorm_linear; do
  expect 0 'PROVED' certify "$ex/$e.tp" "$ex/$e.mug" --require=check --solvers=none -q -o result
  expect 0 'The checker accepts' explain result
  grep -qE '^  L[0-9]+$' out && fail "$e: a lemma without a name"
  grep -oE '^ +\([0-9]+\) ' out | tr -d ' ()' >numbers
  seq "$(wc -l <numbers)" | cmp -s - numbers || fail "$e: facts are not numbered from 1 on"
  [ -s numbers ] || fail "$e: no facts"
  grep -q '<summary>Goal <code>' result/report.html || fail "$e: no proof in the report"
  expect 0 'The checker accepts' explain --full result
  steps=$(grep -cE '^(hyp|use|inst|cases|cong|foldcong|arith|antisym|int|law|zero|succ|induct) ' result/certificate.cert)
  [ "$(grep -cE '^ +[0-9]+  ' out)" -eq "$steps" ] || fail "$e: --full does not show all $steps steps"
  rm -rf result numbers
done

# --- a term that has no end when it is written out: cut off, and at once
awk 'BEGIN { print "func twice(x) = x + x\nop grow(x[..a]) -> [..a]"; t = "x[..a]"; for (i = 0; i < 60; i++) t = "twice(" t ")"; print "  out[..a] = exp(" t ")" }' >dbl.sem
printf 'use "dbl.sem"\nprogram dbl\nsizes N\ninput X: f16[N]\noutput Y = grow(X * X)\n' >dbl.tp
sed 's/X \* X/X * X * 1/' dbl.tp >dbl2.tp
expect 0 'PROVED' certify dbl.tp dbl2.tp --require=check --solvers=none -q -o dbl
expect 0 ' ...' explain --full dbl
[ "$(wc -c <out)" -lt 100000 ] || fail 'the proof of a short program is not cut off'
rm -rf dbl dbl.tp dbl2.tp dbl.sem

# --- a rule, by its file and name; a certificate of another rule is none of it
cat >two.rule <<'R'
rule distribute
axes I
tensor A[..I], B[..I], C[..I]
lhs A * (B + C)
rhs A * B + A * C

rule divide
sizes N
tensor x[N], y[N]
lhs x / y / y
rhs x / (y * y)
R
expect 0 'PROVED' certify two.rule -o rules
expect 0 'The checker accepts' explain two.rule divide rules/divide.cert
expect 0 'the inverse of a product' explain two.rule divide rules/divide.cert
expect 1 'certificate line' explain two.rule distribute rules/divide.cert
expect 2 'has no rule nothing' explain two.rule nothing rules/divide.cert
grep -q '<h3>Left side</h3>' rules/report.html || fail 'the sides of a rule are not drawn'
grep -q '<h3>The same for all</h3>' rules/report.html && fail 'different drawings shown as one'
sed -i 's/rhs A \* B + A/rhs A * B - A/' two.rule
expect 1 'REFUTED' certify two.rule -f -o rules
grep -q '<th scope="col">left side</th>' rules/report.html || fail 'no counterexample in the report of the rules'
expect 0 'Evaluated twice' explain two.rule distribute
expect 0 'PROVED' explain two.rule divide
expect 0 'PROVED' explain two.rule divide.reverse
expect 2 'has no rule' explain two.rule nothing
expect 2 'results of a batch' explain rules
rm -rf rules two.rule

# --- refuted: evaluated again at the sizes and inputs of the report
sed 's/sum(q, axis=-1)/sum(y, axis=-1)/' "$ex/rmsnorm_linear.mug" >wrong.mug
expect 1 'REFUTED' certify "$ex/rmsnorm_linear.tp" wrong.mug -q -o wrong
expect 0 'Evaluated again just now: the two differ as shown.' explain wrong
grep -q '^Z\[0, 0\]: given 36, candidate 72' out || fail 'the values are not shown'
expect 0 '"replayed": true' explain --json wrong
change() { sed "$1" wrong/report.json >changed && cat changed >wrong/report.json && rm changed; }
change 's/"16"/"0"/' # 0 in, 0 out: where the program divides by 0 there is nothing to refute
expect 1 'NOT CONFIRMED' explain wrong
change 's/"0"/"zero"/'
expect 2 'no rationals' explain wrong
change 's/"zero"/"16", "17"/'
expect 2 'too few' explain wrong
change 's/"16", "17"/"16"/; s/"J": 1,/"J": 2,/' # N = J*U no longer
expect 1 'NOT CONFIRMED' explain wrong
change 's/"J": 2,/"J": 1,/; s/"B": 1,/"B": 2,/'
expect 2 'another shape' explain wrong
change 's/"B": 2,/"ZZ": 2,/'
expect 2 'no size' explain wrong

only wrong wrong.mug
finish
