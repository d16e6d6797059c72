#!/bin/sh
# A float that is no number can be dropped, or tested for.  Here it is no value at all, so a candidate that does so is not refuted by
# having none; it is by another value, and one that stores what is no number is.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"

# BODY: lanes of y from x: %x1 is what is loaded, %q what x divided by itself is, %v what is stored
kernel() {
  cat >nan.ttir <<END
module {
  tt.func public @nan(%px: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %lane = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %x0 = tt.splat %px : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %xp = tt.addptr %x0, %lane : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %x1 = tt.load %xp : tensor<8x!tt.ptr<f32>>
    %q = arith.divf %x1, %x1 : tensor<8xf32>
$1
    %y0 = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %yp = tt.addptr %y0, %lane : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %yp, %v : tensor<8x!tt.ptr<f32>>
    tt.return
  }
}
END
}
launch='--writes-all --argument px=8 --argument y=8'
printf 'program ones\ninput px: f32[8]\noutput y = px * 0 + 1\n' >ones.tp
printf 'program twos\ninput px: f32[8]\noutput y = px * 0 + 2\n' >twos.tp

# VERDICT STATUS WORDS GIVEN BODY
judged() {
  kernel "$4"
  # shellcheck disable=SC2086
  expect "$1" "$2" certify --solvers=none --from triton $launch "$3" nan.ttir
}
drops='    %v = arith.maxnumf %q, %one : tensor<8xf32>'
tests='    %isnan = arith.cmpf une, %q, %q : tensor<8xf32>
    %v = arith.select %isnan, %one, %q : tensor<8xi1>, tensor<8xf32>'
orders='    %over = arith.cmpf ogt, %q, %zero : tensor<8xf32>
    %v = arith.select %over, %q, %one : tensor<8xi1>, tensor<8xf32>'
keeps='    %v = arith.addf %q, %zero : tensor<8xf32>'
guards='    %is = arith.cmpf oeq, %x1, %zero : tensor<8xf32>
    %d = arith.select %is, %one, %x1 : tensor<8xi1>, tensor<8xf32>
    %w = arith.divf %d, %d : tensor<8xf32>
    %v = arith.maxnumf %w, %zero : tensor<8xf32>'
# right on hardware: not refuted; and not proved, as the reading has no value there
for body in "$drops" "$tests" "$orders"; do
  judged 3 'That refutes nothing' ones.tp "$body"
  judged 3 'of what may be no number (NaN) this makes one, or a truth' ones.tp "$body"
done
judged 1 'undefined' ones.tp "$keeps" # what is stored is no number
judged 0 'PROVED' ones.tp "$guards"
# other values where there are some
for body in "$drops" "$tests" "$orders"; do
  judged 1 'y[0]: given 2, candidate 1' twos.tp "$body"
done
judged 1 'REFUTED' twos.tp "$guards"
judged 1 'undefined' twos.tp "$keeps"
finish
