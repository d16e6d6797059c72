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

# slow WORDS: are cases that take long to be run?  not in `make check-fast`, which says what it leaves out
slow() {
  [ -z "${AS_FAST-}" ] && return 0
  echo "left out: $*"
  return 1
}

# expect STATUS WORDS ARGS..: runs assay; its messages or output must hold WORDS (a fixed string)
expect() {
  want=$1 words=$2
  shift 2
  timeout 120 "$assay" "$@" >out 2>err </dev/null
  got=$?
  [ "$got" -eq "$want" ] || fail "assay $*: exit $got, not $want"
  grep -qF -e "$words" out err || fail "assay $*: does not say \`$words'"
  case_done "assay $*"
}

# case_done NAME: the seconds since the last case ended are this one's, in the table of `make check` (tests/driver)
case_began=$(date +%s.%N)
case_done() {
  [ -n "${AS_CASES-}" ] || return 0
  case_ended=$(date +%s.%N)
  printf '%s %s %s\n' "$case_ended" "$case_began" "$*" | awk '{ printf "%.2f\t", $1 - $2; $1 = $2 = ""; print substr($0, 3) }' >>"$AS_CASES"
  case_began=$case_ended
}

# golden GOT WANTED: the stored file WANTED is what GOT holds; with AS_GOLDEN it is written anew
golden() {
  if [ -n "${AS_GOLDEN:-}" ]; then
    cmp -s "$1" "$2" || { cp "$1" "$2" && echo "golden: ${2#"$src"/}"; }
  elif ! cmp -s "$1" "$2"; then
    diff "$2" "$1" >out 2>err
    fail "${2#"$src"/} holds something else"
  fi
}

# shared_data NAME: where data of others lie; the whole test is skipped where they are not
shared_data() {
  folder=${AS_SHARED:-$src/../shared}/data/$1
  [ -d "$folder" ] || { echo "skipped: there is no $folder (AS_SHARED names the folder of shared files)" >&2; return 77; }
  echo "$folder"
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
