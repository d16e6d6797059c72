# shellcheck shell=sh
# What the command-line tests share: a scratch folder, the two binaries, and assertions on status, output and leftovers.
# Sourced by each test; AS_TOP_SRCDIR and AS_TOP_BUILDDIR come from the makefile.
set -u
src=${AS_TOP_SRCDIR:?} build=${AS_TOP_BUILDDIR:?}
assay=$build/assay
ASSAY_SEM=$src/semantics
export ASSAY_SEM
work=$(mktemp -d "${TMPDIR:-/tmp}/assay-cli.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
failures=0

fail() {
  echo "FAIL: $*"
  failures=$((failures + 1))
  sed 's/^/    out: /' out | head -20
  sed 's/^/    err: /' err | head -20
}

# expect STATUS WORDS ARGS..: runs assay; its messages or output must hold WORDS (a fixed string)
expect() {
  want=$1 words=$2
  shift 2
  timeout 120 "$assay" "$@" >out 2>err </dev/null
  got=$?
  [ "$got" -eq "$want" ] || fail "assay $*: exit $got, not $want"
  grep -qF -e "$words" out err || fail "assay $*: does not say \`$words'"
}

# nothing but what is named may be in the folder
only() {
  for f in * .*; do
    case " . .. out err $* " in *" $f "*) ;; *) fail "left behind: $f" ;; esac
  done
}

finish() {
  [ "$failures" -eq 0 ] || echo "$failures failures"
  exit $((failures > 0))
}
