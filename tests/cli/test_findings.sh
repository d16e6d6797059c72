#!/bin/sh
# What trying the command from outside has shown, a case each: specifications that are not yours, reports that were forged, directories
# of every kind, runs that were killed or share a baseline, disks that are full.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
ex=$src/examples
sha() { sha256sum "$1" | cut -d' ' -f1; }

# --- whose specifications: yours, unless you say otherwise, and what differs is named
mkdir altered
cp "$src"/semantics/*.sem altered
sed -i '/^op mean/,/^$/ s|/ n$|/ (n + 1)|' altered/reduce.sem
cmp -s altered/reduce.sem "$src/semantics/reduce.sem" && fail 'nothing altered'
printf 'program m\nsizes N, M\ninput X: f16[N, M]\noutput Z = mean(X, axis=1)\n' >m.tp
printf 'program m\nsizes N, M\ninput X: f16[N, M]\noutput Z = sum(X, axis=1) / (M + 1)\n' >by_altered.tp
expect 1 REFUTED certify m.tp by_altered.tp -q
expect 0 PROVED certify m.tp by_altered.tp --sem altered -o odd --solvers=none
expect 1 'specification mean: the result'"'"'s is not yours' check odd
grep -q 'NOT VERIFIED' out || fail 'verified by specifications that are not the ones installed'
expect 0 'VERIFIED' check odd --sem odd/semantics
expect 0 'VERIFIED' check odd --sem altered
expect 2 'nowhere: operator specifications not found' check odd --sem nowhere
expect 0 PROVED certify m.tp m.tp -o same --solvers=none
expect 0 'VERIFIED' check same
grep -q 'not yours' out && fail 'specifications that are the same are said to differ'
# what is run or explained by its own specifications says so
expect 0 'specification mean: the result'"'"'s is not yours' explain odd
expect 0 'Theorem' explain same
grep -q 'not yours' out err && fail 'specifications that are the same are said to differ'
# what is no result directory
expect 2 'nowhere: there is no such directory' check nowhere
expect 2 'altered: no result directory: it has no report.json' check altered
expect 2 'nowhere: there is no such directory' explain nowhere
expect 2 'altered: no result directory: it has no program.tp' run altered
# rules by a pipe, alone
printf 'rule twice\n  sizes n\n  tensor x[n]\n  lhs x + x\n  rhs 2*x\n' >twice.rule
"$assay" certify --solvers=none -o piped - <twice.rule >out 2>err || fail 'rules by a pipe'
grep -q 'twice  *PROVED' out || fail 'a rule by a pipe is not proved'
expect 0 'VERIFIED: 1 certificate' check piped
# an operator that only the altered ones have
printf 'op half(x[..a]) -> [..a]\n  out[..a] = x[..a] / 2\n' >altered/half.sem
printf 'program h\nsizes N\ninput X: f16[N]\noutput Z = half(X)\n' >h.tp
expect 0 PROVED certify h.tp h.tp --sem altered -o halved --solvers=none
expect 2 'you have none of that name' check halved
expect 0 VERIFIED check halved --sem halved/semantics

# --- forged reports: hashes made to fit, and every claim is still found again
expect 0 PROVED certify "$ex/lora.tp" "$ex/lora.mug" -o true
forge() { # WORDS SED: of report.json
  rm -rf forged && cp -R true forged
  sed "$2" true/report.json >forged/report.json
  cmp -s true/report.json forged/report.json && fail "nothing forged: $2"
  expect 1 "$1" check forged
}
forge '`verdict`' 's/"verdict": "PROVED"/"verdict": "REFUTED"/'
forge '`certified`' 's/"certified": true/"certified": false/'
forge '`theorem`' 's/"theorem": "For all integers/"theorem": "For all reals/'
forge '`specifications`' 's/"add": "...../"add": "00000/'
forge '`proof`' 's/"steps": [0-9]*/"steps": 1/'
forge '`random_test`' 's/"same": [0-9]*/"same": 1000000/'
forge '`z3`' '/"z3"/,/}/ s/"agreed": [0-9]*/"agreed": 1000/'
forge '`cvc5`' '/"cvc5"/,/}/ s/"verdict": "[a-z]*"/"verdict": "disagrees"/'
forge '`sizes`' 's/"B": [0-9]*/"B": 99999/'
rm -rf forged && cp -R true forged
sed 's/PROVED/PROVED TWICE/' true/report.html >forged/report.html
sed "s/$(sha true/report.html)/$(sha forged/report.html)/" true/report.json >forged/report.json
expect 1 'report.html: not what this version' check forged

# a bound of 1 on the chance of a missed difference is said to be none, and no number stands for it
expect 0 'no chance of a missed difference can be stated' certify "$ex/gated_mixer.tp" "$ex/gated_mixer.mug" --solvers=none
grep -q 'probability at most 1$\|vacuous' out && fail 'a bound that bounds nothing is printed as one'
# the program itself is no more certified than another where it is defined nowhere, or for no sizes
printf 'program p\nsizes N = 4\ninput X: f32[N]\noutput Y = sqrt(0 - 1 - X * X)\n' >never.tp
expect 3 'PROVED, NOT CERTIFIED' certify never.tp never.tp --solvers=none
printf 'program p\nsizes N, M\nwhere N < M, M < N\ninput X: f32[N]\noutput Y = X * 2\n' >no_sizes.tp
expect 3 'PROVED, NOT CERTIFIED' certify no_sizes.tp no_sizes.tp --solvers=none

# --- every kind of directory
sed 's/sum(q, axis=-1)/sum(y, axis=-1)/' "$ex/rmsnorm_linear.mug" >wrong.mug
expect 1 REFUTED certify "$ex/rmsnorm_linear.tp" wrong.mug -o refuted
expect 0 'REFUTED as reported' check refuted
sed 's/given 36/given 37/' refuted/report.json >forged.json
rm -rf forged && cp -R refuted forged && mv forged.json forged/report.json
cmp -s refuted/report.json forged/report.json && fail 'no counterexample forged'
expect 1 '`counterexample`' check forged
mkdir elsewhere
printf 'op twice(x[..a]) -> [..a]\n  out[..a] = 2 * x[..a]\n' >elsewhere/own.sem
printf 'use "own.sem"\n\nrule good\nsizes N\ntensor X[N]\nlhs twice(X)\nrhs X + X\n\nrule bad\nsizes N\ntensor X[N]\nlhs twice(X)\nrhs X * X\n' >elsewhere/r.rule
expect 1 '1 proved, 1 refuted' certify elsewhere/r.rule -o rules
expect 0 'PROVED' certify "$ex/lora.tp" "$ex/lora.mug" written.json --to mirage -q --solvers=none
cp "$ex/lora.tp" elsewhere
mv written.json elsewhere
expect 0 '1 proved' certify elsewhere/lora.tp elsewhere/written.json --from mirage -o graphs
rm -r elsewhere # a batch needs nothing beside it, and can be moved
mkdir moved && mv rules graphs moved
expect 0 '1 certificates accepted' check moved/rules
expect 0 '1 certificates accepted' check moved/graphs
for batch in rules graphs; do
  (cd "moved/$batch" && "$build/assay-check" --sem semantics --batch batch) >out 2>err || fail "assay-check refuses the batch of $batch"
  grep -q "$work\|elsewhere" "moved/$batch/batch" && fail "the batch of $batch names what is not in it"
done
sed '/"rule": "bad"/,/}/ s/REFUTED/PROVED/' moved/rules/report.json >forged.json
cp moved/rules/report.json kept.json && mv forged.json moved/rules/report.json
expect 1 'bad: PROVED as reported' check moved/rules
mv kept.json moved/rules/report.json
sed 's/"verdict": "PROVED"/"verdict": "REFUTED"/' moved/graphs/report.json >forged.json && mv forged.json moved/graphs/report.json
expect 1 'graph 0: REFUTED as reported' check moved/graphs

# --- two runs of the same say the same, times apart
expect 0 PROVED certify "$ex/lora.tp" "$ex/lora.mug" -o twin -q
for dir in true twin; do sed '/^ "run": {/,/^ }/d' "$dir/report.json" >"$dir.plain"; done
cmp -s true.plain twin.plain || fail "report.json differs between runs: $(diff true.plain twin.plain | head -5)"
grep -q seconds true.plain && fail 'a time among what should be the same in every run'

# --- one baseline, two who update it
mkdir facts
printf 'program a\nsizes N\ninput X: f16[N]\noutput Z = X + X\n' | tee facts/a.tp facts/b.tp >/dev/null
cp facts/a.tp facts/a.same.tp && cp facts/b.tp facts/b.same.tp
"$assay" regress -q --update facts/a.tp >one 2>&1 &
"$assay" regress -q --update facts/b.tp >two 2>&1 &
wait
for fact in a b; do grep -q "facts/$fact.tp" assay-baseline.json || fail "the fact of $fact.tp is lost: $(cat one two)"; done

# --- a disk that is full: the failure is said, and no success before it
cp assay-baseline.json before.json
printf 'program a\nsizes N\ninput X: f16[N]\noutput Z = X * X\n' >facts/a.same.tp
(
  trap '' XFSZ
  ulimit -f 0
  "$assay" regress --update facts 2>&1
) | cat >out
grep -q 'cannot be written' out || fail 'a full disk is not said'
grep -q 'assay-baseline.json: [0-9]* facts' out && fail 'success is said before the failure'
cmp -s assay-baseline.json before.json || fail 'the baseline of a full disk'
(
  trap '' XFSZ
  ulimit -f 0
  "$assay" certify m.tp m.tp -q -o full --solvers=none 2>&1
) | cat >out
grep -q PROVED out && fail 'a verdict is said whose directory could not be written'
[ -e full ] && fail 'a directory of a full disk'

# --- what runs that were killed have left
gone=4194305 # more than any process has
mkdir "again.tmp$gone" "again.old$gone" "again.tmp$$" "againer.tmp$gone" "again.tmp${gone}x"
: >"assay-baseline.json.tmp$gone"
: >"again.tmp$gone/part"
echo kept >"again.old$gone/report.json"
expect 2 'again: exists' certify m.tp m.tp -o again # what was put aside when it was killed is back
grep -q kept again/report.json || fail 'what a killed run had put aside is lost'
[ -e "again.tmp$gone" ] && fail 'what a killed run was writing is still there'
for f in "again.tmp$$" "againer.tmp$gone" "again.tmp${gone}x"; do [ -e "$f" ] || fail "$f is not of a killed run of this directory"; rmdir "$f"; done
expect 1 'CHANGED' regress facts
expect 0 'facts' regress --update facts
[ -e "assay-baseline.json.tmp$gone" ] && fail 'a part of a baseline is still there'

# --- what is open is shown, values have the shape of their tensor, and a page without drawings says so
root='sqrt(1 + X * X)'
printf 'program u\nsizes N\ninput X: f16[N, N]\noutput Z = sqrt(2 + 2 * %s + X * X)\n' "$root" >u.tp
printf 'program u\nsizes N\ninput X: f16[N, N]\noutput Z = 1 + %s\n' "$root" >v.tp
"$assay" certify u.tp v.tp -o open --solvers=none >out 2>err
if [ ! -f open/certificate.cert ]; then # as long as nobody proves it
  expect 0 'goal eq.Z' explain open
  expect 3 'UNKNOWN as reported' check open
fi
sed 's/1 + sqrt/2 + sqrt/' v.tp >w.tp
expect 1 'X = [[' certify u.tp w.tp
mkdir nodot && for tool in sh cat; do ln -s "$(command -v $tool)" nodot; done
PATH=$work/nodot "$assay" certify m.tp m.tp -q -o undrawn --solvers=none >out 2>err || fail 'without Graphviz'
grep -q 'class="undrawn"' undrawn/report.html || fail 'nothing is said of drawings that could not be made'
expect 0 VERIFIED check undrawn

# --- an open goal is read as mathematics wherever it is shown (products change places: nobody proves that yet)
printf 'program p\nsizes N, M\ninput X: f32[N, M]\noutput Z = all(all(X, axis=0), axis=0)\n' >p.tp
printf 'mugraph p\nZ = all(all(X, axis=1), axis=0)\n' >p.mug
printf 'rule p\nsizes N, M\ntensor X[N, M]\nlhs all(all(X, axis=0), axis=0)\nrhs all(all(X, axis=1), axis=0)\n' >p.rule
"$assay" certify p.tp p.mug --solvers=none --trace=prove -o product >out 2>err
if [ ! -f product/certificate.cert ]; then
  grep -q 'prove: *left: *prod(k < M)' err || fail 'the trace does not show the open goal as mathematics'
  grep -q 'prod(k < M) prod(l < N) X\[l, k\]' out || fail 'the open goal is not shown as mathematics'
  expect 3 'prod(k < N)' certify p.rule -o products
  expect 0 'prod(k < N)' explain product
  expect 3 'UNKNOWN as reported' check product
  grep -l 'fold0\|#r1' out err product/report.json product/report.html products/report.json products/report.html >found && fail "raw terms in $(cat found)"
fi

# --- what was made of it is on the page, and found again by check: tiles, kernels, links, a legend
expect 0 PROVED certify "$src/examples/lora.tp" "$src/examples/lora.mug" -q --solvers=none -o by_hand
grep -q 'Tiles</th><td>' by_hand/report.html || fail 'the page has no tiles'
expect 0 made optimize "$src/examples/lora.tp" -q --solvers=none -o made
grep -q 'Kernel k0</th><td>[0-9]* blocks of [0-9]* warps, [0-9]* bytes of shared memory' made/report.html || fail 'the page has no kernel facts'
for file in program.tp candidate.mug certificate.cert kernel.cu report.json; do
  grep -q "<a href=\"$file\">" made/report.html || fail "the page has no link to $file"
  [ -f "made/$file" ] || fail "the page links to $file, which is not there"
done
grep -q 'class="key acc">accumulator' made/report.html || fail 'the page has no legend'
# what report.json says of the kernels is found again as well, and each specification has its hash
cp -r made claims
sed -i 's/"validated": false/"validated": yes/; s/"validated": true/"validated": false/; s/"validated": yes/"validated": true/' claims/report.json
cmp -s made/report.json claims/report.json && fail 'the report says nothing of a validation'
expect 1 '`kernels` is not what' check claims
sed 's/"arch": "sm_90a"/"arch": "sm_80"/' made/report.json >claims/report.json
expect 1 '`arch` is not what' check claims
sed '/"semantics.elementwise.sem": /d' made/report.json >claims/report.json
expect 1 'semantics/elementwise.sem: the report has no hash of it' check claims
expect 0 VERIFIED check made
blocks=$(sed -n 's/.*Kernel k0<.th><td>\([0-9]*\) blocks.*/\1/p' made/report.html)
sed -i "s/<td>$blocks blocks/<td>1$blocks blocks/" made/report.html
expect 1 'not what this version of assay makes' check made

# --- a build finds its own specifications
(
  unset ASSAY_SEM
  mkdir prefix && cp "$assay" prefix && mkdir prefix/semantics && printf 'op only(x[..a]) -> [..a]\n  out[..a] = x[..a]\n' >prefix/semantics/a.sem
  prefix/assay ops >out 2>err
  [ "$(cat out)" = 'op only(x[..a]) -> [..a]' ] || fail 'specifications beside the program are not found'
  "$assay" ops softmax >out 2>err || fail 'the build does not find its own specifications'
  finish
) || failures=$((failures + 1))
finish
