#!/bin/sh
# The specifications themselves: those of the library are in order; each kind of defect is found; what can be undefined is stated.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
expect 0 ' 0 with defects' ops --check
for words in 'defined only if y[~o] != 0' 'defined only if 0 < n' 'defined only if sqrt(x[..a]) != 0' 'defined only if 1 + exp(-x) != 0 (in silu)'; do
  grep -qF "  $words" out || fail "not stated: $words"
done
cp out first
expect 0 ' 0 with defects' ops --check --threads=1
cmp -s out first || fail 'the check depends on the number of threads'
expect 0 'reduce' ops mean
expect 0 '1 operators, 0 with defects' ops --check mean
expect 0 '"defined_only_if": [' ops --check --json mean
expect 2 'frobnicate' ops --check frobnicate

# wrong WORDS TEXT
wrong() {
  printf '%b' "$2" >own.sem
  expect 1 "$1" ops --check --sem own.sem
  expect 1 '"in_order": false' ops --check --json --sem own.sem
}
wrong 'extent 0 of the result has no value at x[' 'op halves(x[n]; k) -> [n div k]\n  out[i] = x[i]\n'
wrong 'at x[' 'op next(x[n]) -> [n]\n  out[i] = x[i + 1]\n'
wrong 'at x[' 'op longer(x[n]) -> [n + 1]\n  out[i] = x[i]\n'
wrong 'no call at small sizes satisfies the requirements' 'op never(x[n]) -> [n]\n  require 100 < n\n  out[i] = x[i]\n'

# in order, and its conditions with what guards them
cat >own.sem <<'S'
func scaled(x) = x / 3
op guarded(x[n], y[n]; k) -> [n - k]
  require 0 <= k
  out[i] = if(y[i] != 0, x[i] / y[i], log(x[i])) + scaled(x[i]) / 2
S
expect 0 'x[' ops --check --sem own.sem
cat >want <<'L'
  defined only if y[i] != 0 where y[i] != 0
  defined only if 0 < x[i] where not y[i] != 0
L
grep 'defined only if' out | diff want - || fail 'conditions otherwise'
grep -q 'every call must show that the extents are at least 0: extent 0 of the result is -' out || fail 'a negative extent is not reported'
only first own.sem want
finish
