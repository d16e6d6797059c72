# shellcheck shell=sh
# What the tests of Mirage's files share, after tests/cli/lib.sh.
ex=$src/examples/mirage

# every graph of a file is proved
all() { # PROGRAM FILE GRAPHS
  expect 0 "$3 proved, 0 refuted, 0 unknown" certify "$ex/$1.tp" --from mirage "$2"
  # the time of each graph, its check included; the bound leaves room for a busy machine
  awk '$3 == "PROVED" && $4 > 10 { print "FAIL: graph " $1 " took " $4 " s"; bad = 1 } END { exit bad }' out || fail "$2: too slow"
}

# a file is written again with the same fields and operators, and what is written is certified when it is read
round() { # PROGRAM FILE GRAPHS
  expect 0 "$3 proved" certify -q "$ex/$1.tp" --from mirage "$2" --to mirage back.json
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
