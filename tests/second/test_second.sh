#!/bin/sh
# The second checker: the cases of claims, certificates of the examples and of some rules, and mutated files on which both checkers
# must agree. SECOND_CERTIFICATES and SECOND_TEXTS say how many of these; SECOND_SEED is printed.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
python=${PYTHON3:-python3}
second=$src/proofs/second
long=${AS_LONG:+yes}
certificates=${SECOND_CERTIFICATES:-${long:+2000}} texts=${SECOND_TEXTS:-${long:+300}}
certificates=${certificates:-120} texts=${texts:-40} seed=${SECOND_SEED:-1}
check_by_second() { (cd "$src/proofs" && "$python" -m second --sem "$src/semantics" "$@"); }

"$python" -B "$src/tests/second/cases.py" "$src" >out 2>err || fail "cases of claims, vectors and the arena"

cases=
for program in "$src"/examples/*.tp; do
  name=$(basename "$program" .tp)
  candidate=$src/examples/$name.mug
  [ -f "$candidate" ] || continue
  expect 0 PROVED certify "$program" "$candidate" --require=check --solvers=none -q -o "$name.d"
  check_by_second "$work/$name.d/program.tp" "$work/$name.d/candidate.mug" "$work/$name.d/certificate.cert" >out 2>err || fail "$name: the second checker does not accept"
  cases="$cases $work/$name.d"
done
[ -n "$cases" ] || fail "there are no examples"

# tile programs, the block graph written as loops; of other forms there are cases in the arena
for name in product two_kernels; do
  at=$src/tests/tile/cases/$name
  expect 0 PROVED certify "$at.tp" "$at.tile" --require=check --solvers=none -q -o "$name.d"
  check_by_second "$work/$name.d/program.tp" "$work/$name.d/candidate.tile" "$work/$name.d/certificate.cert" >out 2>err || fail "$name: the second checker does not accept"
  cases="$cases $work/$name.d"
done

# rules: certificates are bound to the text, and to the direction
expect 0 proved certify "$src/examples/rules/axon.rule" --solvers=none -q -o rules.d
accepted=0
for certificate in rules.d/*.cert; do
  rule=$(basename "$certificate" .cert)
  check_by_second "$src/examples/rules/axon.rule" "$rule" "$work/$certificate" >out 2>err || fail "$rule: the second checker does not accept"
  cases="$cases $src/examples/rules/axon.rule:$rule:$work/$certificate"
  accepted=$((accepted + 1))
done
[ "$accepted" -ge 3 ] || fail "only $accepted rules were checked"

extracted=
[ -x "$build/assay-check-extracted" ] && extracted="--extracted $build/assay-check-extracted"
echo "the extracted checker is asked too: ${extracted:-no, it is not built (make mechanised)}"
# shellcheck disable=SC2086
"$python" "$src/tests/second/agree.py" "$build/assay-check" "$src" --certificates "$certificates" --texts "$texts" --seed "$seed" $extracted \
  --keep "${SECOND_KEEP:-$work}" $cases >out 2>err || fail "the checkers differ"
grep '^seed' out
# it is written with the standard library alone
grep -rhE '^(import|from) ' "$second"/*.py | grep -vE '^(import|from) (\.|(collections|dataclasses|fractions|functools|getopt|hashlib|itertools|math|os|pathlib|re|sys|threading|types|typing)( |$))' >out && fail "the second checker imports something"
[ "$failures" -eq 0 ]
