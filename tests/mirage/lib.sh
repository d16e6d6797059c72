# shellcheck shell=sh
# What the tests of Mirage's files share, after tests/cli/lib.sh.
ex=$src/examples/mirage

# every graph of a file is proved, with a sixth of the effort that is usual: each takes less than 3,000 steps
all() { # PROGRAM FILE GRAPHS
  expect 0 "$3 proved, 0 refuted, 0 unknown" certify --proof-steps=10000 "$ex/$1.tp" --from mirage "$2"
}

# a file, of which that is so, is written again with the same fields and operators, and what is written is certified when it is read
round() { # PROGRAM FILE GRAPHS
  expect 0 "$3 proved" certify -q --proof-steps=10000 "$ex/$1.tp" --from mirage "$2" --to mirage back.json
  expect 0 "$3 proved" certify -q "$ex/$1.tp" --from mirage back.json --to mirage again.json
  cmp -s back.json again.json || fail "$2: written differently the second time"
  "$build/tests/mirage/same_structure" "$2" back.json >out 2>err || fail "$2: written with another structure"
  rm -f back.json again.json
}

# the lists of several files as one
join() {
  before='['
  for file in "$@"; do
    printf '%s' "$before"
    tr -d '\n' <"$file" | sed 's/^ *\[//; s/\] *$//'
    before=,
  done
  echo ']'
}
