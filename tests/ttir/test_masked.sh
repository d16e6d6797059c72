#!/bin/sh
# Values that are none (infinity minus infinity, infinity times 0) and integers that leave their type: part of what is proved, or refuted, or
# refused; nothing stands beside the theorem.  The kernels, masked/kernels.py, were written in Triton.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
masked=$src/tests/ttir/masked

cat >masked.sem <<'END'
func weight(inside, score) = if(inside = 1, exp(score), 0)
op before(x[m, n]) -> [m]
  out[i] = if(i = 0, 0, sum(k < n) (weight(if(k < i, 1, 0), x[i, k]) * x[i, k]) / if(i = 0, 1, sum(j < n) (weight(if(j < i, 1, 0), x[i, j]))))
op near(x[m, n]; w) -> [m]
  out[i] = sum(k < n) (weight(if(k <= i and i < k + w, 1, 0), x[i, k]) * x[i, k]) / sum(j < n) (weight(if(j <= i and i < j + w, 1, 0), x[i, j]))
op products(a[n], b[n]) -> [n]
  out[i] = a[i] * b[i]
op bytes(a[n], b[n]) -> [n]
  out[i] = (a[i] * b[i] + 128) mod 256 - 128
op quotients(a[n]) -> [n]
  out[i] = if(a[i] < 0, (-a[i]) div 3, -(a[i] div 3)) + if(a[i] < 0, -((-a[i]) mod 7), a[i] mod 7) - if(a[i] < 0, -((-a[i]) mod 5), a[i] mod 5)
op floors(a[n]) -> [n]
  out[i] = (-a[i]) div 3 + a[i] mod 7 - a[i] mod 5
END

# INPUTS OUTPUT: the given program from here on
give() { printf 'use "masked.sem"\nprogram given\n%s\noutput y = %s\n' "$1" "$2" >given.tp; }

# WORD KERNEL OPTIONS..: the verdict against given.tp
judged() {
  want=$1 kernel=$2
  shift 2
  "$assay" certify -q --solvers=none --from triton --writes-all "$@" given.tp "$masked/$kernel.ttir" >out 2>err
  grep -qxE "$want" out || fail "$kernel against $(tail -1 given.tp): $(cat out err), not $want"
}

# what is left where a mask leaves nothing: not a number, and with the guard 0
give 'sizes R = 3
input x: f32[R, 8]' 'sum(x, axis=1) * 0'
rows='--grid R --size R=3 --argument x=R,8 --argument y=R'
# shellcheck disable=SC2086
{
  judged REFUTED nothing $rows
  judged 'PROVED, 1 hypothesis on sizes' nothing_guarded $rows
  expect 1 'the candidate is undefined' certify --solvers=none --from triton --writes-all $rows given.tp "$masked/nothing.ttir"
  grep -q '^sizes R = ' out || fail 'a refutation has no launch'
}
give 'input x: f32[6, 7]' 'before(x)'
rows='--grid 6 --argument x=6,7 --argument y=6 --argument n=7'
# shellcheck disable=SC2086
{
  judged REFUTED strict $rows
  judged PROVED strict_guarded $rows
}
give 'input x: f32[9, 12]' 'near(x, w=4)'
rows='--grid 9 --argument x=9,12 --argument y=9 --argument n=12'
# shellcheck disable=SC2086
{
  judged REFUTED window $rows
  rows='--writes-all --grid 8 --argument x=8,8 --argument y=8 --argument n=8'
  expect 0 PROVED certify --solvers=none --from triton $rows "$masked/window_guarded.ttir" "$masked/window_guarded.ttir"
}
# of a given kernel the same: it is not defined, so nothing is said of it
rows='--writes-all --grid 6 --argument x=6,7 --argument y=6 --argument n=7'
# shellcheck disable=SC2086
{
  expect 3 'the given program is undefined there' certify --solvers=none --from triton $rows "$masked/strict.ttir" "$masked/strict.ttir"
  expect 1 'the candidate is undefined' certify --solvers=none --from triton $rows "$masked/strict_guarded.ttir" "$masked/strict.ttir"
  expect 0 PROVED certify --solvers=none --from triton $rows "$masked/strict_guarded.ttir" "$masked/strict_guarded.ttir"
  expect 3 'the given program is undefined there' certify --solvers=none --from triton $rows "$masked/times_zero.ttir" "$masked/times_zero.ttir"
}

# a product of bytes is one modulo 256; quotients and remainders are towards zero
few='--argument a=13 --argument b=13 --argument y=13 --argument n=13'
two='input a: int[13]
input b: int[13]'
# shellcheck disable=SC2086
for case in 'PROVED bytes(a,b) bytes_product' 'REFUTED|UNKNOWN products(a,b) bytes_product'; do
  set -- $case
  give "$two" "$2"
  judged "$1" "$3" $few
done
# shellcheck disable=SC2086
{
  give "$two" 'quotients(a)'
  judged 'PROVED|UNKNOWN' quotients $few
  give "$two" 'floors(a)'
  judged REFUTED quotients $few
}

# offsets of 32 bits: in the launch at hand, and in all
far='--argument x=ROWS,4096 --argument y=ROWS,4096 --writes-all'
# LAST STATUS WORDS SIZES..: so many rows
rows() {
  last=$1 status=$2 words=$3
  shift 3
  # shellcheck disable=SC2046
  expect "$status" "$words" lift --grid "$last" "$@" $(echo "$far" | sed "s/ROWS/$last/g") "$masked/far_rows.ttir"
}
rows 700000 3 'far_rows.ttir:6: arith.muli: pid0 * 4096 reaches 2867195904, beyond an integer of 32 bits'
rows 524289 3 'reaches 2147483648, beyond an integer of 32 bits'
rows 524288 0 'parallel pid0 = 0 to 524288'
rows R 3 'reaches 2867195904' --size R=700000
rows R 0 'where R <= 524288' --size R=3
rows R 0 'where R <= 500000' --size R=3 --where 'R <= 500000'
cat >given.tp <<'END'
program given
sizes R = 3
input x: f32[R, 4096]
output y = x * 1
END
options='--grid R --size R=3 --argument x=R,4096 --argument y=R,4096'
# shellcheck disable=SC2086
{
  judged 'PROVED, 1 hypothesis on sizes' far_rows $options
  expect 0 'Proved for all sizes with R <= 524288' certify --from triton --solvers=none --writes-all $options -o far given.tp "$masked/far_rows.ttir"
  grep -q 'where R <= 524288' far/program.tp || fail 'the given program does not state the relation'
  # the theorem that the checkers state has it, and so has whoever reads the result
  "$build/assay-check" --goals --sem "$src/semantics" far/program.tp far/candidate.tile | grep -q 'stated R <= 524288' || fail 'the claim does not have the relation'
  for command in check explain; do
    "$assay" $command far >out 2>&1
    grep -qF 'R <= 524288' out || fail "$command does not say the relation"
  done
  expect 0 'VERIFIED' check -q far
  grep -q '1 hypothesis on sizes' out || fail "check -q does not count the relation: $(cat out)"
  grep -q '"hypotheses"' far/report.json || fail 'report.json does not have the relation'
  "$assay" certify --json --solvers=none --from triton --writes-all $options given.tp "$masked/far_rows.ttir" >out
  grep -qF '"hypotheses": "R <= 524288"' out || fail 'JSON does not have the relation'
}

# Places of 64 bits that are data: what is added to them is written modulo 2^64, of which evaluators have integers.
cat >wide.ttir <<'END'
module {
  tt.func public @wide(%px: !tt.ptr<f32>, %pk: !tt.ptr<i64>, %y: !tt.ptr<f32>) {
    %zero = arith.constant dense<0> : tensor<2xi64>
    %eight = arith.constant dense<8> : tensor<2xi64>
    %lane = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
    %k0 = tt.splat %pk : !tt.ptr<i64> -> tensor<2x!tt.ptr<i64>>
    %kp = tt.addptr %k0, %lane : tensor<2x!tt.ptr<i64>>, tensor<2xi32>
    %k = tt.load %kp : tensor<2x!tt.ptr<i64>>
    %m = arith.cmpi slt, %k, %zero : tensor<2xi64>
    %w = arith.addi %k, %eight : tensor<2xi64>
    %at = arith.select %m, %w, %k : tensor<2xi1>, tensor<2xi64>
    %fine = arith.cmpi sge, %at, %zero : tensor<2xi64>
    tt.assert %fine, "a place" : tensor<2xi1>
    %x0 = tt.splat %px : !tt.ptr<f32> -> tensor<2x!tt.ptr<f32>>
    %xp = tt.addptr %x0, %at : tensor<2x!tt.ptr<f32>>, tensor<2xi64>
    %v = tt.load %xp : tensor<2x!tt.ptr<f32>>
    %y0 = tt.splat %y : !tt.ptr<f32> -> tensor<2x!tt.ptr<f32>>
    %yp = tt.addptr %y0, %lane : tensor<2x!tt.ptr<f32>>, tensor<2xi32>
    tt.store %yp, %v : tensor<2x!tt.ptr<f32>>
    tt.return
  }
}
END
printf 'op taken(x[n], k[..a]) -> [..a]\n  out[..a] = x[k[..a]]\n' >places.sem
printf 'use "places.sem"\nprogram taken\ninput px: f32[8]\ninput pk: int[2]\noutput y = taken(px, pk)\n' >taken.tp
options='--argument px=8 --argument pk=2 --argument y=2'
# shellcheck disable=SC2086
{
  expect 0 'no difference at' certify --from triton --solvers=none --writes-all $options taken.tp wide.ttir
  expect 0 '18446744073709551616' lift --writes-all $options wide.ttir
  sed 's/dense<0> : tensor<2xi64>/dense<1> : tensor<2xi64>/' wide.ttir >near.ttir # 0 is beyond the end then
  expect 1 REFUTED certify -q --from triton --solvers=none --writes-all $options taken.tp near.ttir
}

# What is read of a kernel is its text and relations of sizes that the text states: nothing else comes out of the reader.
for kernel in "$masked"/*.ttir; do
  "$assay" lift "$kernel" --grid 2 --argument x=2,8 --argument y=2,8 --argument a=2 --argument b=2 --argument n=2 >out 2>err
  ! grep -qiE 'granted|assum|taken' out err || fail "beside the text of $kernel: $(grep -iE 'granted|assum|taken' out err)"
done
! grep -rnE 'assumed|taken for granted' "$src/src/ttir" "$src/src/import" "$src/src/batch" || fail 'a third place for what a reading takes for granted'
[ "$failures" -eq 0 ]
