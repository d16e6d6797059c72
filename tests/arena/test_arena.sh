#!/bin/sh
# The checkers in the arena, and checkers that must not pass it: one accepts everything, one rejects everything, one ignores the side
# conditions of rules, one ignores freshness.  The extracted checker reads the claims, which must be those of the texts.
command -v python3 >/dev/null || { echo 'skipped: there is no python3'; exit 77; }
arena=${AS_TOP_SRCDIR:?}/arena
run="python3 $arena/run.py"
failed() { echo "FAIL: $*"; exit 1; }
# must_fail STATUS ARGUMENTS: run.py gives this status
must_fail() {
  want=$1
  shift
  $run "$@" >/dev/null
  got=$?
  [ "$got" -eq "$want" ] || failed "$*: exit status $got, $want is expected"
}
must_fail 3 --only rule- true
must_fail 1 --only rule- false
must_fail 3 --only rule-induct python3 "$arena/controls/control.py" no-side-conditions
must_fail 3 --only rule-foldcong-state python3 "$arena/controls/control.py" no-freshness
$run "${AS_TOP_BUILDDIR:?}/assay-check" || failed 'assay-check'
if [ -x "$AS_TOP_BUILDDIR/assay-check-extracted" ]; then
  $run --claims "$AS_TOP_BUILDDIR/assay-check-extracted" || failed 'the extracted checker'
else
  echo 'the extracted checker is not built (make mechanised), and is not asked'
fi
# each claim of the arena is what assay-elab writes of the texts; a few, or all
only='--only tile-'
[ -n "${AS_LONG-}" ] && only=
# shellcheck disable=SC2086
$run --claims-by "$AS_TOP_BUILDDIR/assay-elab" $only || failed 'claims are not those of the texts'
