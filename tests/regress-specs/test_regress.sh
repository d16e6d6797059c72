#!/bin/sh
# Changed specifications: exactly the facts that depend on them are judged again, and exactly those whose truth depends on the change flip.
# The lists below are complete: every fact of the baseline is in each of them, or stands.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
cp -R "$src/tests/regress-specs/facts" facts
chmod -R u+w facts
regress() { # STATUS WORDS ARGS..
  status=$1 words=$2
  shift 2
  expect "$status" "$words" regress -v "$@"
}

# the four changes
inclusive='/^op slice/,/^$/ { s/(stop - start + step - 1) div step/(stop - start + step) div step/; s/require stop <= n/require stop <= n - 1/; }'
unclamped='/^op dynamic_slice_clamped/,/^$/ { s/  require size <= n/  require 0 <= start\n  require start + size <= n/; s/max(min(start, n - size), 0)/start/; }'
uncounted='/^op avg_pool2d(/,/^$/ s|  out\(.*\) / (kh \* kw)|  let counts[r, s] = if(0 <= r and r < h and 0 <= s and s < w, 1, 0)\n  out\1 / (sum(a < kh) sum(b < kw) counts[y * stride_h + a - top, z * stride_w + b - left])|'

# --- a baseline: every fact new, the same bytes for any number of threads, and nothing to do the second time
regress 0 '27 new' --update facts --threads=1
cp assay-baseline.json first.json
rm assay-baseline.json assay-baseline.json.times
regress 0 'assay-baseline.json: 27 facts' --update facts --threads=4
cmp -s first.json assay-baseline.json || fail 'the baseline depends on the number of threads'
regress 0 '27 stand'
regress 0 '27 judged again and the same, 0 stand' --all
regress 0 '2 stand' facts/mean_shift.tp facts/mean_scaled.after.tp
regress 0 '27 stand' --update
cmp -s first.json assay-baseline.json || fail 'accepting nothing changes the baseline'

base=assay-baseline.json
# changed NAME FILE SED: a copy of the specifications with one change; what comes of each fact, without what stands
changed() { # the baseline is $base
  rm -rf sem
  cp -R "$src/semantics" sem
  chmod -R u+w sem
  sed "$3" "$src/semantics/$2" >"sem/$2"
  cmp -s "$src/semantics/$2" "sem/$2" && fail "$1: nothing is changed"
  timeout 300 "$assay" regress -v --baseline "$base" --sem sem >out 2>err
  st=$?
  [ "$st" -eq 1 ] || fail "$1: exit $st, not 1"
  sed -n 's|facts/||g; s/^\(CHANGED\|UNKNOWN\|same\|new\|gone\) *\([^ ]*\) \([^ :]*\): \([A-Z-]*\)\( (not certified)\)*\( -> [A-Z-]*\)*.*/\1 \3 \4\6/p' out | sort >got
  sort >want
  diff want got >diff || { cat diff; fail "$1: other facts flip than expected"; }
  # who depends on it, as the report says it, is who was judged again
  sed -n '/^specification /,/^[^ s]/ s|^  [^ ]* \(facts/\)*\([^ ]*\)$|\2|p' out | sort -u >dependents
  awk '{ print $2 }' got | grep -v '^TS_ax27r$' | sort | diff - dependents >diff || { cat diff; fail "$1: dependents named otherwise"; }
  grep -q "^specification $1: changed" out || fail "$1: not named"
}

changed slice shape.sem "$inclusive" <<'L'
CHANGED slice_gap.left.tp REFUTED -> PROVED
CHANGED slice_halves.parts.tp PROVED -> ILL-FORMED
CHANGED slice_first.square.tp PROVED -> REFUTED
CHANGED dynamic_end.clamped.tp PROVED -> ILL-FORMED
CHANGED dynamic_in_range.clamped.tp PROVED -> REFUTED
same slice_commutes.after.tp PROVED
same slice_commutes.shifted.tp REFUTED
same slice_twice.once.tp PROVED
L
grep -q 'Y\[\]: given .*, candidate ' out || fail 'no counterexample with a value is shown'

changed mean reduce.sem '/^op mean/,/^$/ s|) / n$|) / (n - 1)|' <<'L'
CHANGED mean_sum.divided.tp PROVED -> REFUTED
CHANGED mean_sum.one_less.tp REFUTED -> PROVED
CHANGED mean_shift.after.tp PROVED -> REFUTED
CHANGED mean_square.mug PROVED -> REFUTED
same mean_scaled.after.tp PROVED
L

# clamped to unclamped
changed dynamic_slice_clamped index.sem "$unclamped" <<'L'
CHANGED dynamic_end.clamped.tp PROVED -> REFUTED
CHANGED dynamic_whole.clamped.tp PROVED -> REFUTED
CHANGED dynamic_plain.unclamped.tp REFUTED -> PROVED
CHANGED clamped_whole PROVED -> REFUTED
CHANGED clamped_plain REFUTED -> PROVED
same clamped_commutes PROVED
same dynamic_in_range.clamped.tp PROVED
same dynamic_commutes.after.tp PROVED
L

# padding is no longer counted
changed avg_pool2d window.sem "$uncounted" <<'L'
CHANGED pool_padded.in_range.tp REFUTED -> PROVED
CHANGED padding_counts REFUTED -> PROVED
CHANGED pool_padded.pad_first.tp PROVED -> REFUTED
CHANGED pool_same.padded.tp PROVED -> REFUTED
same pool_bare.in_range.tp PROVED
same pool_sum.after.tp PROVED
L

# --- published rules (TASO's by way of tensat, TensorRight, issue trackers): the same changes.  TS_ax27r has no claim that could be read, so it never stands.
base=rules.json
mkdir rules
for f in tensat tensorright upstream; do # without some that take long and speak of none of it
  awk '/^rule / { out = $2 ~ /^(TS_ax21_if|TS_ax42_in_range|TS_ax43|TS_ax44|TR_gen01|TR_conv01|TR_conv02|TR_dbg01|TR_dbg01b_if)$/ } !out' "$src/examples/rules/$f.rule" >"rules/$f.rule"
done
expect 0 'new' regress --update -q --baseline "$base" rules
changed slice shape.sem "$inclusive" <<'L'
CHANGED TS_ax29 PROVED -> REFUTED
CHANGED TS_ax30 PROVED -> VACUOUS
CHANGED TR_dbg03 PROVED -> REFUTED
CHANGED TR_ds01 PROVED -> REFUTED
CHANGED TR_sl01 PROVED -> VACUOUS
CHANGED TR_sl02 PROVED -> REFUTED
CHANGED TR_sl03 PROVED -> REFUTED
CHANGED TR_sl04 PROVED -> REFUTED
CHANGED TR_sl06 PROVED -> REFUTED
CHANGED TR_sl08 PROVED -> VACUOUS
CHANGED TR_sl09 PROVED -> REFUTED
CHANGED TR_sl10 PROVED -> REFUTED
same TR_sl07 PROVED
same TR_sl11 PROVED
same TR_sl12 PROVED
same TS_ax27r REFUTED
L
changed avg_pool2d window.sem "$uncounted" <<'L'
CHANGED TS_ax24 PROVED -> REFUTED
same TS_ax42 PROVED
same TS_ax27r REFUTED
L
base=assay-baseline.json

# --- accepting a change (the last one): the facts stand under the changed specifications, and flip back under the old ones
expect 0 '4 verdicts changed' regress --sem sem --update
expect 0 '27 stand' regress --sem sem
cmp -s first.json assay-baseline.json && fail 'accepting a change leaves the baseline as it was'
expect 1 '4 verdicts changed' regress
expect 0 '4 verdicts changed' regress --update
cmp -s first.json assay-baseline.json || fail 'there and back is not the same baseline'

# --- a change of layout alone: judged again, nothing flips, and said so
rm -rf sem
cp -R "$src/semantics" sem
chmod -R u+w sem
sed '/^op mean/,/^$/ s/ = (sum/ =   (sum/' "$src/semantics/reduce.sem" >sem/reduce.sem
expect 0 'specification mean: only its layout or comments, 5 facts rely on it' regress --sem sem

# --- a baseline of a version that states the claim otherwise: nothing stands on it
sed '0,/"claim": "/ s/\("claim": "\)[0-9a-f]\{8\}/\100000000/' first.json >other.json
expect 0 '1 judged again and the same, 26 stand' regress --baseline other.json
grep -q '^1 claims are read otherwise' out || fail 'a claim that is read otherwise is not reported'
rm -f other.json

# --- what got slower: by proof steps, and by times where they are known
sed 's/"work": [0-9]*/"work": 1/' first.json >slow.json
expect 0 'slower: at least 2 times the time and 0.1 s more, or 1.5 times the proof steps and 200 more' regress --all --baseline slow.json
grep -q '^slower   facts/mean_square.tp facts/mean_square.mug: [0-9]* proof steps, 1 before$' out || fail 'a proof of more steps is not reported'
grep -q '^slower   facts/mean_sum.tp facts/mean_sum.divided.tp' out && fail 'a short proof is reported as slower'
expect 0 '"slower": true' regress --all --json --baseline slow.json
rm -f slow.json

# --- a rule that is changed, and one that is no more: the others of its file stand
sed 's/relu(A)$/relu(A) + 1/' "$src/tests/regress-specs/facts/clamped.rule" >facts/clamped.rule
expect 1 '1 verdicts changed, 0 unknown that were known, 0 judged again and the same, 26 stand' regress
sed '/^rule padding_counts/,$ d' "$src/tests/regress-specs/facts/clamped.rule" >facts/clamped.rule
expect 2 'gone     facts/clamped.rule padding_counts' regress
expect 0 '3 new, 1 gone' regress --update --direction=both facts/clamped.rule
cp "$src/tests/regress-specs/facts/clamped.rule" facts
cp first.json assay-baseline.json

# --- texts: a changed candidate, a new one, one that is gone, one that cannot be read
sed 's/mean(X) + 3/3 + mean(X)/' "$src/tests/regress-specs/facts/mean_shift.after.tp" >facts/mean_shift.after.tp
expect 0 '1 judged again and the same, 26 stand' regress
sed 's/mean(X) + 3/mean(X) + 4/' "$src/tests/regress-specs/facts/mean_shift.after.tp" >facts/mean_shift.after.tp
expect 1 'PROVED -> REFUTED' regress
printf 'program' >facts/mean_shift.after.tp
expect 1 'PROVED -> ILL-FORMED' regress
cp facts/mean_scaled.after.tp facts/mean_shift.after.tp
rm facts/mean_shift.after.tp
expect 2 'gone     facts/mean_shift.tp facts/mean_shift.after.tp' regress
cp facts/relu_twice.again.tp facts/relu_twice.more.tp
expect 0 'new      facts/relu_twice.tp facts/relu_twice.more.tp: PROVED' regress facts/relu_twice.tp
expect 0 '27 facts' regress --update facts
expect 0 '27 stand' regress

# --- unknown where it was known: a solver that is demanded and is not there
mkdir bin
cp "$src/tests/smt/fake_cvc5_unknown.sh" bin/cvc5
chmod +x bin/cvc5
PATH=$work/bin:$PATH expect 3 'unknown that were known' regress --all --require=check,cvc5 facts/relu_twice.tp

# --- JSON and JUnit say the same
cp -R "$src/tests/regress-specs/facts/." facts
sed 's/mean(X) + 3/mean(X) + 4/' "$src/tests/regress-specs/facts/mean_shift.after.tp" >facts/mean_shift.after.tp
expect 0 'facts' regress --update facts
cp "$src/tests/regress-specs/facts/mean_shift.after.tp" facts
expect 1 '"outcome": "changed"' regress --json --junit report.xml --page report.html
grep -q '<testsuites name="assay" tests="28" failures="1" errors="0"' report.xml || fail 'the JUnit file counts otherwise'
grep -q '<failure type="changed" message="REFUTED -&gt; PROVED' report.xml || fail 'no failure in the JUnit file'

# and the page: what changed comes first, what was recorded beside what is
[ "$(grep -o 'mean_shift\|relu_twice' report.html | head -1)" = mean_shift ] || fail 'what changed is not first on the page'
grep -q Recorded report.html || fail 'the page does not say what was recorded'
expect 2 'nowhere' regress --page nowhere/report.html

# --- graphs of Mirage, one fact each, and a baseline elsewhere
mkdir deep deep/base
. "$src/tests/mirage/lib.sh"
join "$ex/gqa.json" "$ex/gqa.json" >graphs.json
expect 0 '2 new' regress --update "$ex/gqa.tp=graphs.json" --baseline deep/base/m.json
(cd deep && timeout 60 "$assay" regress --baseline base/m.json >../out 2>&1)
grep -q '2 stand' out || fail 'a baseline in another folder does not find its files'
# --- bad input
expect 2 'no facts' regress --baseline none.json
expect 2 'no such file' regress facts/none.tp
expect 2 'belongs to it' regress "$src/tests/cli/../regress-specs/facts/../../regress/forced_size.tp"
expect 2 'PROGRAM.tp=CANDIDATE' regress "facts/mean_sum.tp=out"
printf '{' >broken.json
expect 2 'broken.json:1:' regress --baseline broken.json
printf '{"format": "assay-baseline 1", "facts": [{"kind": "program"}]}' >broken.json
expect 2 'fact 0' regress --baseline broken.json
for swap in 's/"kind": "mirage"/"kind": "program"/' 's/"part": "0"/"part": "x"/' 's/"verdict"/"verdit"/' 's/"sha256": "[0-9a-f]/"sha256": "g/' '/"part": "0"/d'; do
  sed "$swap" deep/base/m.json >broken.json
  expect 2 'broken.json: fact ' regress --baseline broken.json
done
printf '{"format": "other"}' >broken.json
expect 2 'assay-baseline 1' regress --baseline broken.json
printf 'op' >bad.sem
expect 2 'bad.sem:1:' regress --sem bad.sem
expect 2 'cannot be written' regress --update facts --baseline not/there.json

only graphs.json facts rules rules.json rules.json.times assay-baseline.json assay-baseline.json.times first.json sem got want diff dependents bin report.xml report.html broken.json bad.sem deep
finish
