#!/bin/sh
# Kernels of Triton at symbolic sizes: launches that say sizes, launches whose numbers are taken for sizes, and kernels that are right at the
# example's sizes alone.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
cases=$src/tests/ttir/cases
judge() { "$assay" certify --solvers=none --from triton --literals=decimal --writes-all "$@" >out 2>err; }

general() { # WORDS.. -- PROGRAM KERNEL OPTIONS..: proved of the launches that the words say
  : >words
  while [ "$1" != -- ]; do
    echo "$1" >>words
    shift
  done
  shift
  program=$1 kernel=$2
  shift 2
  judge --generalise "$@" "$program" "$kernel" || fail "$kernel is not proved: $(cat out)"
  while read -r line; do
    grep -qF "$line" out || fail "$kernel: no \`$line\` in: $(cat out)"
  done <words
}

# --- what a launch says, in JSON
cat >sized.json <<'EOF'
{"cases": [{"sizes": {"n": 100}, "grid": ["cdiv(n, 64)", 1, 1], "args": [{"name": "x", "kind": "ptr", "size": "n"},
 {"name": "y", "kind": "ptr", "size": ["n"]}, {"name": "z", "kind": "ptr", "size": "n"}, {"name": "n", "kind": "int", "value": "n"}]}]}
EOF
expect 0 'Proved for all sizes' certify --solvers=none --from triton --writes-all --launch sized.json "$cases/scaled_add.tp" "$cases/scaled_add.ttir"
"$assay" lift --writes-all --launch sized.json "$cases/scaled_add.ttir" >lifted
cmp -s lifted "$cases/scaled_add.tile" || fail 'the launch in JSON is another one than on the command line'
sed 's/"sizes": {"n": 100}/"sizes": {"n": 0}/' sized.json >none.json
expect 2 'the size n has no value from 1 on' lift --launch none.json "$cases/scaled_add.ttir"
sed 's/"sizes": {"n": 100}/"sizes": [3]/' sized.json >list.json
expect 2 'has names with values' lift --launch list.json "$cases/scaled_add.ttir"
sed 's/"cdiv(n, 64)"/"cdiv(n"/' sized.json >cut.json
expect 2 'no size expression' lift --launch cut.json "$cases/scaled_add.ttir"

# --- relations of sizes: the given program states them too, or nothing is claimed
cat >rows.tp <<'EOF'
program rows
sizes R = 3, n = 5
input x: f32[R, n]
output y = softmax(x)
EOF
rows='--grid R --size R=3 --size n=5 --argument x=R,n --argument y=R,n --argument n=n'
sed '/^sizes/a where n <= 8' rows.tp >bounded.tp
# shellcheck disable=SC2086
{
  judge $rows --where 'n <= 8' bounded.tp "$cases/row_softmax.ttir" || fail "not proved within a bound: $(cat out)"
  judge $rows --where 'n <= 8' rows.tp "$cases/row_softmax.ttir" && fail 'a bound that the given program does not state'
  judge $rows rows.tp "$cases/row_softmax.ttir" && fail 'rows that are longer than a block'
  grep -q REFUTED out || fail "rows that are longer than a block are not refuted: $(cat out)"
  expect 2 'is no relation of sizes' lift $rows --where ' ' "$cases/row_softmax.ttir"
  expect 0 'where R <= 268435456' lift $rows --where 'n <= 8' "$cases/row_softmax.ttir"
}

# --- numbers of a concrete launch taken for sizes
general 'grid x = cdiv(n, 64)' -- "$cases/scaled_add.tp" "$cases/scaled_add.ttir" --grid 2 --argument x=100 --argument y=100 --argument z=100 --argument n=100
general 'grid x = R, n = n, where' 'where n <= 8' -- rows.tp "$cases/row_softmax.ttir" --grid 3 --argument x=15 --argument y=15 --argument n=5

# a bound that is inferred is the given program's, however that is laid out
sed 's/^sizes R = 3, /sizes	R = 3,	/' rows.tp >laid_out.tp
general 'where n <= 8' -- laid_out.tp "$cases/row_softmax.ttir" --grid 3 --argument x=15 --argument y=15 --argument n=5 -o laid_out
grep -qx 'where n <= 8, R <= 268435456' laid_out/program.tp || fail "the bound is not in the program that is left: $(cat laid_out/program.tp)"

# --- kernels as people write them, at all sizes; and changed so that they are right at some sizes alone
sizes=$src/tests/ttir/sizes own=$src/tests/ttir/own
launch_of() { sed -n "s/^$1 //p" "$sizes/launches"; }

proved=0
for name in $(sed -n 's/^\([a-z_]*\) .*/\1/p' "$sizes/launches"); do
  # shellcheck disable=SC2046
  judge $(launch_of "$name") "$sizes/$name.tp" "$own/$name.ttir" || fail "$name is not proved at all sizes"
  proved=$((proved + 1))
done
[ "$proved" -ge 10 ] || fail "only $proved kernels were judged at all sizes"

changed=0
grep -v '^#' "$sizes/wrong" >lines
while read -r name example grid change; do
  [ "$change" = = ] && change=
  [ "$grid" = = ] && grid=$(launch_of "$name" | sed 's/^--grid \([^ ]*\) .*/\1/')
  sed "$change" "$own/$name.ttir" >changed.ttir
  launch=$(launch_of "$name" | sed 's/^--grid [^ ]* //')
  sed 's#use "[^"]*/#use "'"$own"'/#' "$sizes/$name.tp" >all.tp
  # shellcheck disable=SC2086
  judge --grid "$grid" $launch all.tp changed.ttir
  [ $? -eq 1 ] || fail "$name $example $grid $change: not refuted at all sizes"
  relations=$(echo "$example" | sed 's/\([A-Za-z]*\)=/where \1 = /g' | tr , '\n')
  { echo "sizes $(echo "$example" | sed 's/,/, /g')"; echo "$relations"; } >lines_more
  sed -e '/^sizes/r lines_more' -e '/^sizes/d' all.tp >example.tp
  values=$(echo "$example" | sed 's/^/--size /; s/,/ --size /g')
  # shellcheck disable=SC2086
  judge --grid "$grid" $values $(echo "$launch" | sed 's/--size [^ ]* *//g') example.tp changed.ttir
  [ $? -eq 1 ] && fail "$name $example $grid $change: wrong at the example too"
  grep -qE 'no difference at|PROVED' out || fail "$name $example: nothing was compared"
  changed=$((changed + 1))
done <lines
[ "$changed" -ge 36 ] || fail "only $changed changed kernels were judged"
[ "$failures" -eq 0 ]
