#!/bin/sh
# Lanes run in any order between barriers: what is loaded where another lane stores is known by a barrier, or by places that are apart.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"

# BODY: a kernel of 8 lanes over y; %y1 are the places of the lanes, %far those 16 further, %next those of the next lanes, %x what is stored
kernel() {
  cat >near.ttir <<END
module {
  tt.func public @order(%px: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %c32 = arith.constant 32 : i32
    %one = arith.constant dense<1> : tensor<8xi32>
    %more = arith.constant dense<16> : tensor<8xi32>
    %three = arith.constant dense<3> : tensor<8xi32>
    %lane = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %m = arith.cmpi slt, %lane, %three : tensor<8xi32>
    %other = arith.cmpi sge, %lane, %three : tensor<8xi32>
    %x0 = tt.splat %px : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %x1 = tt.addptr %x0, %lane : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %x = tt.load %x1 : tensor<8x!tt.ptr<f32>>
    %y0 = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %y1 = tt.addptr %y0, %lane : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %far = tt.addptr %y1, %more : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %next = tt.addptr %y1, %one : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
$1
    tt.return
  }
}
END
}

store() { echo "    tt.store %$1, %$2 : tensor<8x!tt.ptr<f32>>"; }
load() { echo "    %$1 = tt.load %$2 : tensor<8x!tt.ptr<f32>>"; }
# BOUND STEP BODY
loop() { printf '    scf.for %%i = %%c0 to %%%s step %%%s : i32 {\n%s\n    }\n' "$1" "$2" "$3"; }
# SHIFT: %at are the places of round %i, so many lanes further
places() {
  printf '    %%s%s = arith.constant dense<%s> : tensor<8xi32>\n    %%r%s = tt.splat %%i : i32 -> tensor<8xi32>\n    %%a%s = arith.addi %%r%s, %%lane : tensor<8xi32>\n    %%b%s = arith.addi %%a%s, %%s%s : tensor<8xi32>\n' "$1" "$1" "$1" "$1" "$1" "$1" "$1" "$1"
  printf '    %%at%s = tt.addptr %%y0, %%b%s : tensor<8x!tt.ptr<f32>>, tensor<8xi32>\n' "$1" "$1"
}
barrier='    gpu.barrier'

launch='--size n=16 --argument px=8 --argument y=n+64'

# BODY: read, and no order is taken for granted
# shellcheck disable=SC2086
fine() {
  kernel "$1"
  expect 0 'parallel' lift $launch near.ttir
}

# BODY: refused, or in the order of the text where that is asked for
# shellcheck disable=SC2086
disordered() {
  kernel "$1"
  expect 3 'with no barrier between' lift $launch near.ttir
  expect 0 'parallel' lift $launch --in-order near.ttir
}

# The same lane of a load and of a store: other threads may execute it.  What is stored is made of what is loaded, or a barrier is between;
# two stores to one place need one.
disordered "$(store y1 x; load v y1; store far v)"
fine "$(store y1 x; echo "$barrier"; load v y1; store y1 v)"
fine "$(load v y1; store y1 v)"
disordered "$(load v y1; store y1 x; store far v)"
fine "$(load v y1; echo "$barrier"; store y1 x; store far v)"
made='    %w = arith.addf %v, %x : tensor<8xf32>'
fine "$(load v y1; echo "$made"; store y1 w)"
disordered "$(load v y1; echo "$made"; store y1 x; store far w)"
fine "$(load v y1; echo '    %is = arith.cmpf ogt, %v, %x : tensor<8xf32>
    tt.store %y1, %x, %is : tensor<8x!tt.ptr<f32>>')"
disordered "$(store y1 x; store y1 x)"
fine "$(store y1 x; echo "$barrier"; store y1 x)"
# in the branches of one condition, of two
branch() { printf '    scf.if %%%s {\n%s\n    }' "$1" "$2"; }
yes='    %yes = arith.cmpi slt, %n, %c8 : i32
    %also = arith.cmpi slt, %n, %c32 : i32'
fine "$yes
$(branch yes "$(store y1 x)" | sed '$d'; echo '    } else {'; store y1 x; echo '    }')"
disordered "$yes
$(branch yes "$(store y1 x)"; echo; branch also "$(store y1 x)")"
# through a loop: a sum of what each round loads is stored behind it; a number that is not made of it
sums() { printf '    %%zero = arith.constant dense<0.0> : tensor<8xf32>\n    %%all = scf.for %%i = %%c0 to %%c8 step %%c1 iter_args(%%s = %%zero) -> (tensor<8xf32>) : i32 {\n%s\n    %%t = arith.addf %%s, %%%s : tensor<8xf32>\n      scf.yield %%t : tensor<8xf32>\n    }\n' "$(load v y1)" "$1"; }
fine "$(sums v; store y1 all)"
disordered "$(sums x; store y1 all)"
# other places, a barrier
fine "$(store y1 x; load v far; store far v)"
fine "$(store y1 x; echo "$barrier"; load v next; store far v)"
# the next lane's place: stored before, or stored behind
disordered "$(store y1 x; load v next; store far v)"
disordered "$(load v next; store y1 v)"
fine "$(load v next; echo "$barrier"; store y1 v)"
# both lines are told
kernel "$(store y1 x; load v next; store far v)"
first=$(grep -n 'tt.store %y1' near.ttir | cut -d: -f1)
second=$(grep -n '%v = tt.load' near.ttir | cut -d: -f1)
# shellcheck disable=SC2086
expect 3 "near.ttir:$second: tt.load: a place that another thread may touch in line $first" lift $launch near.ttir

# masks: stored in three lanes, loaded in those, in the others, in all of the next
masked='    tt.store %y1, %x, %m : tensor<8x!tt.ptr<f32>>'
disordered "$(echo "$masked"; load v y1; store far v)"
fine "$(echo "$masked"; echo "$barrier"; load v y1; store far v)"
fine "$(echo "$masked"; echo '    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %v = tt.load %y1, %other, %zero : tensor<8x!tt.ptr<f32>>'; store far v)"
fine "$(echo "$masked"; echo '    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %v = tt.load %next, %other, %zero : tensor<8x!tt.ptr<f32>>'; store far v)"
disordered "$(echo "$masked"; echo '    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %v = tt.load %next, %m, %zero : tensor<8x!tt.ptr<f32>>'; store far v)"
# one place for all lanes, stored by one of them
disordered '    %same = arith.constant dense<5> : tensor<8xi32>
    %p = tt.addptr %y0, %same : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %is = arith.cmpi slt, %lane, %one : tensor<8xi32>
    tt.store %p, %x, %is : tensor<8x!tt.ptr<f32>>
    %v = tt.load %p : tensor<8x!tt.ptr<f32>>
    tt.store %far, %v : tensor<8x!tt.ptr<f32>>'

# two lanes store to one place: seen to; by masks, or at places, that are not known; by masks, or rounds, never
back='    %seven = arith.constant dense<7> : tensor<8xi32>
    %turned = arith.subi %seven, %lane : tensor<8xi32>
    %back = tt.addptr %y0, %turned : tensor<8x!tt.ptr<f32>>, tensor<8xi32>'
few='    %few = arith.cmpi COMPARISON : tensor<8xi32>
    tt.store %back, %x, %few : tensor<8x!tt.ptr<f32>>'
disordered "$back
$(store back x; store y1 x)"
fine "$back
$(store back x; echo "$barrier"; store y1 x)"
disordered "$(loop c8 c1 "$(places 0; store at0 x)")"
disordered "$(loop n c1 "$(places 0; store at0 x)")"
fine "$(loop n c8 "$(places 0; store at0 x)")"
fine "$back
$(echo "$few" | sed 's/COMPARISON/slt, %lane, %one/'; echo "$few" | sed 's/COMPARISON/slt, %lane, %one/;s/%few/%none/g;s/%back/%y1/')"
disordered "$back
$(echo "$few" | sed 's/COMPARISON/sge, %lane, %seven/'; echo "    tt.store %y1, %x, %m : tensor<8x!tt.ptr<f32>>")"
disordered "$back
    %nn = tt.splat %n : i32 -> tensor<8xi32>
$(echo "$few" | sed 's/COMPARISON/slt, %lane, %nn/'; store y1 x)"

# barriers that may not be executed: in a loop without rounds, in a branch
disordered "$(store y1 x; loop c0 c1 "$barrier"; load v next; store far v)"
disordered "$(store y1 x; echo '    %yes = arith.cmpi slt, %n, %c8 : i32
    scf.if %yes {'; echo "$barrier"; echo '    }'; load v next; store far v)"

# From round to round: of two accesses that meet, a barrier has to stand on either way.
disordered "$(loop c8 c1 "$(load v next; store y1 v)")"
disordered "$(loop c8 c1 "$(load v next; echo "$barrier"; store y1 v)")"
disordered "$(loop c8 c1 "$(echo "$barrier"; load v next; store y1 v)")"
fine "$(loop c8 c1 "$(load v next; echo "$barrier"; store y1 v; echo "$barrier")")"
disordered "$(loop c8 c1 "$(load v y1; store y1 v)")" # what a round stores the next one loads
fine "$(loop c8 c1 "$(load v y1; store y1 v; echo "$barrier")")"

# places that go on: a loop over a row, in steps of the lanes, also where the number of rounds is not known
for bound in c32 n; do
  fine "$(loop "$bound" c8 "$(places 0; load v at0; store at0 v)")"
  disordered "$(loop "$bound" c8 "$(places 0; places 1; load v at1; store at0 v)")"
  disordered "$(loop "$bound" c1 "$(places 0; load v at0; store at0 v)")"
  disordered "$(loop "$bound" c8 "$(places 0; places 9; load v at9; echo "$barrier"; store at0 v)")"
  fine "$(loop "$bound" c8 "$(places 0; places 16; load v at16; store at0 v)")"
done
# what a first loop stored, a second one loads in the same lanes, or in others
disordered "$(loop n c8 "$(places 0; store at0 x)"; loop n c8 "$(places 0; load v at0; store at0 v)" | sed 's/%\([sabr]0\|at0\|i\|v\)\>/%\1_2/g')"
fine "$(loop n c8 "$(places 0; store at0 x)"; echo "$barrier"; loop n c8 "$(places 0; load v at0; store at0 v)" | sed 's/%\([sabr]0\|at0\|i\|v\)\>/%\1_2/g')"
disordered "$(loop n c8 "$(places 0; store at0 x)"; loop n c8 "$(places 1; load v at1; store at1 v)")"

# a loop whose bounds depend on the round of the one around: its first rounds do not tell of all
disordered "$(loop c8 c1 "$(printf '    scf.for %%j = %%c0 to %%i step %%c1 : i32 {\n%s\n    }' "$(places 1 | sed 's/%i\>/%j/g'; load v y1; store at1 v)")")"

# of a candidate the order is asked, whatever is said
kernel "$(store y1 x; load v next; store far v)"
# shellcheck disable=SC2086
"$assay" lift $launch --in-order near.ttir >given.tile 2>err || fail 'it is not read in order'
# shellcheck disable=SC2086
expect 2 'with no barrier between' certify --solvers=none --from triton $launch --in-order given.tile near.ttir
finish
