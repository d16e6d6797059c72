#!/bin/sh
# assay certify FILE.rule...: lines, counterexamples, exit status, directions, what is left behind.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
check=$build/assay-check

cat >mixed.rule <<'END'
op twice(x[..a]) -> [..a]
  out[..a] = 2 * x[..a]

rule distribute
  axes I
  tensor A[..I], B[..I], C[..I]
  lhs (A + B) * C
  rhs A * C + B * C
  expect proved

rule cancel
  tensor a[], b[]
  lhs a
  rhs (a * b) / b
  expect refuted

rule shifted
  sizes N
  ints s
  tensor A[N]
  lhs dynamic_slice(A, start = s, size = 1)
  rhs dynamic_slice(A, start = s + 1, size = 1)

rule nothing
  sizes N >= 1
  tensor A[N]
  assume A < A
  lhs A
  rhs twice(A)
  expect vacuous

rule broken
  tensor A[]
  lhs A +
  rhs A

rule open
  tensor x[]
  lhs floor(x + 1) * 1
  rhs floor(x) + 1
  expect unknown
END
cat >good.rule <<'END'
rule commute
  axes I
  tensor A[..I], B[..I]
  lhs A + B
  rhs B + A

rule doubled
  sizes N
  tensor A[N]
  lhs sum(A + A)
  rhs 2 * sum(A)
END
cat >mixed.golden <<'END'
distribute  PROVED   T s
cancel      REFUTED  T s
    a = 0
    b = 0
    out: left side 0, right side undefined
shifted     REFUTED  T s
    N = 1, s = 0
    A = [0]
    left side well formed, right side not: out: operator dynamic_slice: s + 2 <= N does not hold at these sizes
broken      ERROR    T s
mixed.rule:34:10: expected a tensor, found the end of the line
    lhs A +
           ^
nothing     VACUOUS  T s
    no sizes and inputs were found at which what the rule starts from is well formed and defined
open        UNKNOWN  T s
END

plain() { sed 's/ *[0-9]*\.[0-9]* s\( *\)$/   T s\1/; s/ *[0-9]*\.[0-9]* s  /   T s  /; s/in [0-9.]* s/in T s/' out | sed 's/  *T s/ T s/'; }
expect 2 '1 proved, 2 refuted, 1 unknown, 1 vacuous, 1 not readable' certify --threads 2 mixed.rule
plain >told
sed 's/  *T s/ T s/' mixed.golden >want
sed '/^open /q' told >told.main # what follows are terms of the prover
cmp -s told.main want || { diff want told.main >err; fail "other lines than the golden ones"; }

# the same lines whatever the number of threads
"$assay" certify --threads 1 mixed.rule >out 2>err; plain >one
"$assay" certify --threads 4 mixed.rule >out 2>err; plain >four
cmp -s one four || fail "threads change what is told"

# exit status: 0 all proved, 1 one refuted (or not as it says of itself), 3 unknown, 2 bad input
expect 0 '2 proved, 0 refuted' certify good.rule
expect 0 '0 unknown' certify -q good.rule
[ "$(wc -l <out)" -eq 1 ] || fail "-q prints the summary only"
printf 'rule a\n  tensor x[]\n  lhs x\n  rhs x + 1\n' >wrong.rule
expect 1 '1 refuted' certify good.rule wrong.rule
grep -q '^# wrong.rule' out || fail "files are not told apart"
printf 'rule a\n  tensor x[]\n  lhs x\n  rhs x + 1\n  expect proved\n' >hoped.rule
expect 1 'expected: proved' certify hoped.rule
printf 'rule a\n  tensor x[]\n  lhs x\n  rhs x + 1\n  expect refuted\n' >known.rule
expect 0 '1 refuted' certify known.rule
printf 'rule a\n  tensor x[]\n  lhs floor(x + 1)\n  rhs floor(x) + 1\n' >unknown.rule # true of a function that proofs know nothing of
expect 3 '1 unknown' certify unknown.rule
expect 3 'seconds    longest' certify --stats unknown.rule
grep -q '^proof, first  *[1-9]' out || fail "--stats does not say how often the prover had its first turn"
grep -q 'open: goal' out || fail "no residual is shown"
# never defined, which numbers cannot tell but at 0: a proof of it is no proof of the rule
printf 'rule a\n  tensor x[]\n  lhs 1 / (exp(x) * exp(-x) - 1)\n  rhs x\n' >nowhere.rule
expect 3 'it may say nothing' certify nowhere.rule
expect 2 'absent.rule' certify absent.rule good.rule
grep -q '2 proved' out || fail "a file that is not there stops the others"
printf 'op f(x[..a]) -> [..a]\n  out[..a] = x[..a]\n' >none.rule
expect 2 'none.rule: holds no rules' certify none.rule
expect 2 'no file of rules' certify good.rule mixed.tp
expect 2 'unknown word' certify --direction=sideways good.rule

# both directions, each with its own verdict
expect 2 'cancel.reverse' certify --direction both mixed.rule
grep -q '^cancel.reverse *PROVED' out || fail "(a * b) / b is a where it is defined"
expect 0 'commute.reverse' certify --direction backward good.rule
grep -q '^commute ' out && fail "forward verdicts were not asked for"

# a directory: certificates, a list for assay-check, a report
expect 0 '4 proved' certify --direction both -o result good.rule
for f in commute.cert doubled.reverse.cert batch report.json report.html; do [ -s "result/$f" ] || fail "no result/$f"; done
(cd result && "$check" --sem semantics --batch batch) >out 2>err || fail "assay-check does not accept the batch"
[ "$(grep -c '^accepted' out)" -eq 4 ] || fail "not all of the batch"
"$check" good.rule commute result/doubled.cert >out 2>err && fail "the certificate of another rule is accepted"
sed 's/A + B/A - B/' good.rule >changed.rule
"$check" changed.rule commute result/commute.cert >out 2>err && fail "a certificate is accepted for a changed rule"
expect 2 'exists' certify -o result good.rule
expect 0 '2 proved' certify -f -o result good.rule
cp good.rule twin.rule
expect 0 '4 proved' certify -f -o result good.rule twin.rule
[ -s result/twin-commute.cert ] || fail "two rules of one name overwrite each other"
(cd result && "$check" --sem semantics --batch batch) >out 2>err || fail "assay-check does not accept the batch of two files"

# JSON and JUnit
expect 2 '"format": "assay-rules 2"' certify --json --junit verdicts.xml mixed.rule
python3 - <<'END' || fail "the JSON is not what it should be"
import json
d = json.load(open("out"))
v = {r["rule"]: r for r in d["rules"]}
assert [r["rule"] for r in d["rules"]] == ["distribute", "cancel", "shifted", "nothing", "broken", "open"]
assert v["distribute"]["verdict"] == "PROVED" and "add" in v["distribute"]["relies_on"] and v["distribute"]["theorem"]
i = v["shifted"]["instance"]
assert i["sizes"] == {"N": 1, "s": 0} and i["inputs"]["A"] == {"shape": [1], "values": ["0"]} and i["kind"] == "ill-formed"
assert v["distribute"]["instances"]["not_empty"] > 0
assert v["cancel"]["verdict"] == "REFUTED" and "undefined" in v["cancel"]["counterexample"] and v["cancel"]["as_expected"]
assert v["nothing"]["instances"]["defined"] == 0 and v["nothing"]["instances"]["tried"] == 0
assert v["broken"]["verdict"] == "ERROR" and "mixed.rule:34:10" in v["broken"]["error"]
assert v["open"]["residual"]["goal"]
END
grep -q '<failure type="REFUTED"' verdicts.xml || fail "no failure in the JUnit file"

# what is ill-formed between rules, and a file that is not there: a row each, everywhere, and the other rules as they are
cat >defect.rule <<'END'
op twice(x[..a]) -> [..a]
  out[..a] = 2 * * x[..a]

op half(x[..a]) -> [..a]
  out[..a] = x[..a] / 2

junk

rule whole
  axes I
  tensor x[..I]
  lhs half(x) + half(x)
  rhs x

rule touched
  axes I
  tensor x[..I]
  lhs twice(x)
  rhs 2 * x
END
expect 2 '1 proved, 0 refuted, 0 unknown, 0 vacuous, 4 not readable' certify -f -o defect.d --junit defect.xml defect.rule absent.rule
for line in '^op twice *ERROR' '^line 7 *ERROR' '^whole *PROVED' '^touched *ERROR'; do grep -q "$line" out || fail "no line $line"; done
grep -q '^defect.rule:2:18: expected a scalar' out || fail "the defect is not told"
(cd defect.d && "$check" --sem semantics --batch batch) >out 2>err || fail "assay-check does not accept what was proved beside a defect"
[ "$(grep -c '<error type="ERROR"' defect.xml)" -eq 4 ] || fail "JUnit: not a row for each"
python3 - <<'END' || fail "JSON: not a row for each"
import json
d = json.load(open("defect.d/report.json"))
assert d["errors"] == 4 and {r["rule"] for r in d["rules"] if r["verdict"] == "ERROR"} == {"op twice", "line 7", "touched", "absent.rule"}
END

# what a proof takes for granted of the sizes is said with the verdict, and nothing where it is stated
cat >sizes.rule <<'END'
rule forced
  sizes b, m, k, n
  tensor x[b, m, k], y[1, k, n]
  lhs squeeze(x, axis = 0) @ squeeze(y, axis = 0)
  rhs squeeze(x, axis = 0) @ squeeze(y, axis = 0) + 0

rule two
  sizes p, q
  tensor x[p], y[q]
  lhs x + y
  rhs y + x

rule stated
  sizes p, q
  tensor x[p], y[q]
  where p = q
  lhs x + y
  rhs y + x

rule implied_by_others
  sizes n
  tensor x[n]
  where n >= 5
  lhs x[2:n]
  rhs x[2:n] + 0
END
expect 0 '4 proved' certify -f -o sizes.d sizes.rule
[ "$(grep -c 'for sizes where' out)" -eq 2 ] || fail "sizes are told where there is nothing to tell, or not told"
grep -q 'for sizes where b = 1: elsewhere the left side is not defined' out || fail "that b is 1 is not said"
grep -q 'for sizes where p = q: elsewhere' out || fail "that p is q is not said"
grep -q '"implied_of_sizes": "b = 1"' sizes.d/report.json || fail "JSON does not say that b is 1"
printf 'program add\nsizes p = 4\ninput X: f32[p]\noutput Z = X[2:p] + X[2:p]\n' >add.tp
printf 'program swapped\nsizes p = 4\ninput X: f32[p]\noutput Z = 2 * X[2:p]\n' >swapped.tp
expect 0 'the program is defined only where 2 <= p' certify --solvers=none --require=check add.tp swapped.tp

# a second opinion only where it is required
expect 0 '2 proved' certify --require=check,z3 good.rule
finish
