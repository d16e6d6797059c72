#!/bin/sh
# Kernels that are nearly others: each pair was once read as one program, or a text was read as what it does not say.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"

# NAME BODY: a kernel of two lanes; `%v` is stored to y, %x, %k, %l, %b are loaded; `%lane` is 0, 1
kernel() {
  cat >"$1.ttir" <<END
module {
  tt.func public @near(%px: !tt.ptr<f32>, %y: !tt.ptr<f32>, %pk: !tt.ptr<i32>, %pl: !tt.ptr<i64>, %pb: !tt.ptr<i8>, %n: i32) {
    %lane = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
    %x0 = tt.splat %px : !tt.ptr<f32> -> tensor<2x!tt.ptr<f32>>
    %x1 = tt.addptr %x0, %lane : tensor<2x!tt.ptr<f32>>, tensor<2xi32>
    %x = tt.load %x1 : tensor<2x!tt.ptr<f32>>
    %k0 = tt.splat %pk : !tt.ptr<i32> -> tensor<2x!tt.ptr<i32>>
    %k1 = tt.addptr %k0, %lane : tensor<2x!tt.ptr<i32>>, tensor<2xi32>
    %k = tt.load %k1 : tensor<2x!tt.ptr<i32>>
    %l0 = tt.splat %pl : !tt.ptr<i64> -> tensor<2x!tt.ptr<i64>>
    %l1 = tt.addptr %l0, %lane : tensor<2x!tt.ptr<i64>>, tensor<2xi32>
    %l = tt.load %l1 : tensor<2x!tt.ptr<i64>>
    %b0 = tt.splat %pb : !tt.ptr<i8> -> tensor<2x!tt.ptr<i8>>
    %b1 = tt.addptr %b0, %lane : tensor<2x!tt.ptr<i8>>, tensor<2xi32>
    %b = tt.load %b1 : tensor<2x!tt.ptr<i8>>
    %z = tt.splat %y : !tt.ptr<f32> -> tensor<2x!tt.ptr<f32>>
    %y2 = tt.addptr %z, %lane : tensor<2x!tt.ptr<f32>>, tensor<2xi32>
$2
    %y0 = tt.splat %y : !tt.ptr<f32> -> tensor<2x!tt.ptr<f32>>
    %y1 = tt.addptr %y0, %lane : tensor<2x!tt.ptr<f32>>, tensor<2xi32>
    tt.store %y1, %v : tensor<2x!tt.ptr<f32>>
    tt.return
  }
}
END
}

launch='--writes-all --argument px=2 --argument y=2 --argument pk=2 --argument pl=2 --argument pb=2 --size n=2'

# STATUS WORDS BODY: what reading it says
# shellcheck disable=SC2086
says() {
  kernel near "$3"
  expect "$1" "$2" lift --literals=decimal $launch near.ttir
}

# lists are not one number, also where their text begins with one
says 3 'another form than one number' '    %v = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>'
says 3 'another form than one number' '    %t = arith.constant dense<[true, false]> : tensor<2xi1>
    %v = arith.uitofp %t : tensor<2xi1> to tensor<2xf32>'
says 3 'another form than one number' '    %v = arith.constant dense<1.0x> : tensor<2xf32>'

# bytes without a sign are no bytes with one; bits of floats are no integers
says 0 'y[i0] = b[i0] mod 256' '    %v = arith.uitofp %b : tensor<2xi8> to tensor<2xf32>'
says 3 'not shown to be at least 0' '    %v = arith.uitofp %l : tensor<2xi64> to tensor<2xf32>'
says 0 'y[i0] = b[i0]' '    %v = arith.sitofp %b : tensor<2xi8> to tensor<2xf32>'
says 3 'the bits of a number' '    %p = tt.bitcast %px : !tt.ptr<f32> -> !tt.ptr<i32>
    %q = tt.load %p : !tt.ptr<i32>
    %r = arith.sitofp %q : i32 to f32
    %v = tt.splat %r : f32 -> tensor<2xf32>'

# elements in an order that is left open: a sum of all of them does not ask for it, anything else does
open_order='    %q = tt.reshape %x allow_reorder : tensor<2xf32> -> tensor<2xf32>'
combined() {
  cat <<END
    %s = "tt.reduce"(%q) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %c: f32):
      %d = arith.$1 %a, %c : f32
      tt.reduce.return %d : f32
    }) : (tensor<2xf32>) -> f32
    %t = tt.splat %s : f32 -> tensor<2xf32>
END
}
says 0 'sum(k0 < 2) (x[k0])' "$open_order
$(combined addf)
    %v = arith.addf %t, %t : tensor<2xf32>"
says 0 'max(k0 < 2) (x[k0])' "$open_order
$(combined maxnumf)
    %v = arith.addf %t, %t : tensor<2xf32>"
says 3 'an order that is left open' "$open_order
$(combined subf)
    %v = arith.addf %t, %t : tensor<2xf32>"
says 3 'an order that is left open' "$open_order
$(combined addf)
    %v = arith.addf %t, %q : tensor<2xf32>"
says 3 'an order that is left open' "$open_order
    %v = \"tt.scan\"(%q) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %c: f32):
      %d = arith.addf %a, %c : f32
      tt.scan.return %d : f32
    }) : (tensor<2xf32>) -> tensor<2xf32>"

# by one of few amounts, a choice; by any number, nothing that is read; towards minus infinity
few='    %c2 = arith.constant dense<2> : tensor<2xi32>
    %c4 = arith.constant dense<4> : tensor<2xi32>
    %m = arith.remsi %lane, %c2 : tensor<2xi32>
    %r = arith.muli %m, %c4 : tensor<2xi32>'
says 0 'if(i0 = 0, k[i0], k[i0] div 16)' "$few
    %q = arith.shrsi %k, %r : tensor<2xi32>
    %v = arith.sitofp %q : tensor<2xi32> to tensor<2xf32>"
says 0 'if(i0 = 0, k[i0], k[i0] * 16)' "$few
    %q = arith.shli %k, %r : tensor<2xi32>
    %v = arith.sitofp %q : tensor<2xi32> to tensor<2xf32>"
says 3 'not one of few' "    %q = arith.shrsi %lane, %k : tensor<2xi32>
    %v = arith.sitofp %q : tensor<2xi32> to tensor<2xf32>"

# `(i - 1) * 2 + (k - 1)`, its numbers put together, is the place (i - 1, k - 1) where the mask says 0 <= k - 1 < 2
placed() {
  cat <<END
    %c1 = arith.constant dense<1> : tensor<2xi32>
    %c2 = arith.constant dense<2> : tensor<2xi32>
    %c3 = arith.constant dense<3> : tensor<2xi32>
    %least = arith.cmpi sge, %k, %c1 : tensor<2xi32>
    %most = arith.cmpi $1 : tensor<2xi32>
    %m = arith.andi %least, %most : tensor<2xi1>
    %r = arith.muli %lane, %c2 : tensor<2xi32>
    %s = arith.addi %r, %k : tensor<2xi32>
    %p = arith.subi %s, %c3 : tensor<2xi32>
    %q = tt.addptr %x0, %p : tensor<2x!tt.ptr<f32>>, tensor<2xi32>
    %w = arith.constant dense<0.0> : tensor<2xf32>
    %v = tt.load %q, %m, %w : tensor<2x!tt.ptr<f32>>
END
}
launch=$(echo "$launch" | sed 's/px=2/px=2,2/')
says 0 'px[i0 - 1, k[i0] - 1] where' "$(placed 'slt, %k, %c3')"
says 0 'div 2, (i0 * 2 + k[i0] - 3) mod 2] where' "$(placed 'sle, %k, %c3')"
launch=$(echo "$launch" | sed 's/px=2,2/px=2/')

# a lane that a mask leaves out is 0 only where nobody reads it: not where another mask lets it be stored
masked() {
  cat <<END
    %c1 = arith.constant dense<1> : tensor<2xi32>
    %m = arith.cmpi slt, %lane, %c1 : tensor<2xi32>
    %o = arith.cmpi sle, %lane, %c1 : tensor<2xi32>
    %q = tt.load %x1, %m : tensor<2x!tt.ptr<f32>>
    %e = arith.mulf %q, %q : tensor<2xf32>
    %f = arith.mulf %e, %e : tensor<2xf32>
    tt.store %y2, %f, $1 : tensor<2x!tt.ptr<f32>>
    gpu.barrier
    %v = arith.addf %x, %x : tensor<2xf32>
END
}
says 0 'where i0 < 1 else 0' "$(masked %m)"
kernel near "$(masked %o)"
# shellcheck disable=SC2086
expect 0 'load q' lift --literals=decimal $launch --in-order near.ttir
grep -q 'else 0' out && fail 'a lane that is stored was read as 0'

# numbers at and beyond what ranges are known of
says 0 'if(l[i0] <= 4611686018427387905' '    %c = arith.constant dense<4611686018427387905> : tensor<2xi64>
    %t = arith.cmpi sle, %l, %c : tensor<2xi64>
    %v = arith.uitofp %t : tensor<2xi1> to tensor<2xf32>'
says 0 '2305843009213693952' '    %c = arith.constant dense<2305843009213693952> : tensor<2xi64>
    %d = arith.constant dense<3> : tensor<2xi64>
    %e = arith.muli %c, %d : tensor<2xi64>
    %v = arith.sitofp %e : tensor<2xi64> to tensor<2xf32>'

# truths are no numbers
says 3 'of truths' '    %t = arith.cmpi slt, %k, %lane : tensor<2xi32>
    %u = arith.divsi %t, %t : tensor<2xi1>
    %v = arith.uitofp %u : tensor<2xi1> to tensor<2xf32>'
says 3 'of truths' '    %t = arith.constant dense<false> : tensor<2xi1>
    %u = arith.shli %t, %t : tensor<2xi1>
    %v = arith.uitofp %u : tensor<2xi1> to tensor<2xf32>'

# orders that are left open; what is no zero outside of a tensor
says 3 'left open' '    %v = tt.reshape %x {allow_reorder = true} : tensor<2xf32> -> tensor<2xf32>'
says 3 'something else than zeros' '    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %px, [%n], [%one] {padding = 2 : i32} : <f32>, <2xf32>
    %v = tt.descriptor_load %d[%n] : !tt.tensordesc<2xf32> -> tensor<2xf32>'

# a sum of integers may leave its type: it is another number then
says 0 'y[i0] = (r[] + 2147483648) mod 4294967296 - 2147483648' '    %r = "tt.reduce"(%k) <{axis = 0 : i32}> ({
    ^bb0(%p: i32, %q: i32):
      %s = arith.addi %p, %q : i32
      tt.reduce.return %s : i32
    }) : (tensor<2xi32>) -> i32
    %f = arith.sitofp %r : i32 to f32
    %v = tt.splat %f : f32 -> tensor<2xf32>'

# operands, results and lanes that do not fit
for body in 'arith.addf %x : tensor<2xf32>' 'arith.addf %x, %k : tensor<2xf32>' 'arith.addf %x, %lane : tensor<4xf32>' 'tt.splat %x : tensor<2xf32> -> tensor<2xf32>' \
  'tt.reshape %x : tensor<2xf32> -> tensor<3xf32>' 'tt.trans %x {order = array<i32: 1, 0>} : tensor<2xf32> -> tensor<2x2xf32>' 'arith.negf %x, %x : tensor<2xf32>' \
  'tt.expand_dims %x {axis = 0 : i32} : tensor<2xf32> -> tensor<2x2xf32>' 'tt.load %x1, %k : tensor<2x!tt.ptr<f32>>' 'tt.dot %x, %x, %x : tensor<2xf32> * tensor<2xf32> -> tensor<2xf32>' \
  'arith.select %k, %x, %x : tensor<2xi1>, tensor<2xf32>' 'arith.sitofp %x : tensor<2xf32> to tensor<2xf32>'; do
  kernel near "    %v = $body"
  # shellcheck disable=SC2086
  "$assay" lift $launch near.ttir >out 2>err
  got=$?
  [ "$got" -eq 2 ] || [ "$got" -eq 3 ] || fail "\`$body\`: status $got"
done

says 3 'arith.cmpi: its operands and results do not fit' '    %t = arith.cmpi slt, %k, %l : tensor<2xi32>
    %v = arith.uitofp %t : tensor<2xi1> to tensor<2xf32>'

# What a loop adds is what it adds whatever becomes infinite: here 3 rounds see minus infinity.
count='    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %four = arith.constant 4 : i32
    %low = arith.constant 0xFF800000 : f32
    %first = arith.constant 0.0 : f32
    %r:2 = scf.for %i = %zero to %four step %one iter_args(%m = %first, %c = %zero) -> (f32, i32) : i32 {
      %is = arith.cmpf oeq, %m, %low : f32
      %more = arith.addi %c, %one : i32
      %next = arith.select %is, %more, %c : i32
      scf.yield %low, %next : f32, i32
    }
    %f = arith.sitofp %r#1 : i32 to f32
    %v = tt.splat %f : f32 -> tensor<2xf32>'
kernel counted "$count"
for number in 0 3; do
  printf 'program given\ninput px: f32[2]\ninput pk: int[2]\ninput pl: int[2]\ninput pb: int[2]\noutput y = 0*px + %s\n' "$number" >given.tp
  # shellcheck disable=SC2086
  "$assay" certify -q --solvers=none --from triton $launch given.tp counted.ttir >out 2>&1
  case $number-$(cat out) in
    0-REFUTED | 3-PROVED | 3-UNKNOWN) ;;
    *) fail "a loop that counts to 3, and $number: $(cat out)" ;;
  esac
done

# Where no lane has a number, nothing is known of lanes beyond those; nor is `lane < n` what `lane + 2 < n` is.
beyond='    %low = arith.constant dense<0xFF800000> : tensor<2xf32>
    %far = arith.constant dense<2> : tensor<2xi32>
    %nn = tt.splat %n : i32 -> tensor<2xi32>
    %here = arith.cmpi sge, %lane, %nn : tensor<2xi32>
    %at = arith.addi %lane, %far : tensor<2xi32>
    %there = arith.cmpi sge, %at, %nn : tensor<2xi32>
    %both = arith.andi %there, %here : tensor<2xi1>
    %a = arith.select CHOSEN, %x, %low : tensor<2xi1>, tensor<2xf32>
    %c = arith.select %there, %x, %low : tensor<2xi1>, tensor<2xf32>
    %r = "tt.reduce"(%a) <{axis = 0 : i32}> ({
    ^bb0(%p: f32, %q: f32):
      %s = arith.maxnumf %p, %q : f32
      tt.reduce.return %s : f32
    }) : (tensor<2xf32>) -> f32
    %m = tt.splat %r : f32 -> tensor<2xf32>
    %e = arith.maxnumf %m, %c : tensor<2xf32>
    %t = arith.cmpf oeq, %e, %low : tensor<2xf32>
    %v = arith.uitofp %t : tensor<2xi1> to tensor<2xf32>'
for chosen in %here %both; do
  says 0 'empty[] = 1 and not (n <= i0 + 2)' "$(echo "$beyond" | sed "s/CHOSEN/$chosen/")"
done

# a quotient that only some lanes read is computed where it is read, also where it is used twice
quotient='    %o = arith.constant dense<1.0> : tensor<2xf32>
    %zero = arith.constant dense<0.0> : tensor<2xf32>
    %d = DIVISOR
    %q = arith.divf %o, %d : tensor<2xf32>
    %t = arith.cmpf une, %x, %zero : tensor<2xf32>
    %r = arith.mulf %q, %q : tensor<2xf32>
    %v = arith.select %t, %r, %zero : tensor<2xi1>, tensor<2xf32>'
says 0 'if(not (x[i0] = 0), 1 / (x[i0] - abs(x[i0])) * (1 / (x[i0] - abs(x[i0]))), 0)' "$(echo "$quotient" | sed 's/DIVISOR/arith.subf %x, %q1 : tensor<2xf32>/;s/    %d =/    %q1 = math.absf %x : tensor<2xf32>\n&/')"
says 0 'if(not (x[i0] = 0), 1 / x[i0]' "$(echo "$quotient" | sed 's/DIVISOR/arith.addf %x, %zero : tensor<2xf32>/;s/%o, %d/%o, %x/')"

# Welford's combination but at some places: a weight of 1, equal means, a quotient of what may be 0
welford=$src/tests/ttir/own/layer_norm_welford.ttir
one='s/    %cst = arith.constant 0.000000e+00 : f32/&\n    %one = arith.constant 1.000000e+00 : f32/'
for change in 's/arith.addf %arg6, %arg9 : f32/&\n      %odd = arith.cmpf oeq, %arg9, %one : f32/;s/      tt.reduce.return %28,/      %mean = arith.select %odd, %arg4, %28 : f32\n      tt.reduce.return %mean,/' \
  's/arith.addf %arg6, %arg9 : f32/&\n      %odd = arith.cmpf oeq, %arg7, %arg4 : f32/;s/      tt.reduce.return %28,/      %mean = arith.select %odd, %one, %28 : f32\n      tt.reduce.return %mean,/' \
  's/      tt.reduce.return %28, %33,/      %part = arith.divf %33, %22 : f32\n      %all = arith.mulf %part, %22 : f32\n      tt.reduce.return %28, %all,/'; do
  sed "$one;$change" "$welford" >near.ttir
  expect 3 'may depend on the order' lift near.ttir --grid 3 --argument x=3,7 --argument y=3,7 --argument n=7
done

# a quotient that is rounded up is one factor; a number below 0 is what it says
add=$src/tests/ttir/cases/scaled_add.ttir
options='--size n=100 --argument x=n --argument y=n --argument z=n'
# shellcheck disable=SC2086
{
  expect 0 '0 to (2 * ((n + 64 - 1) div (64)))' lift "$add" --grid '2 * cdiv(n, 64)' $options
  expect 0 '0 to (n div ((n + 64 - 1) div (64)))' lift "$add" --grid 'n div cdiv(n, 64)' $options
  expect 0 '< (-1 + 5)' lift "$add" --grid 2 --size n=100 --argument x=100 --argument y=100 --argument z=100 --argument 'n=-1 + 5'
  expect 2 'no size expression' lift "$add" --grid 5000000000000000000000 $options
}

# Bits of numbers below 0, powers, bytes without a sign: VERDICT EXPRESSION BODY, an element of y in terms of x, k, l, b.
# `open`: not proved; integers below 0 are not among those that are tried.
judged() {
  kernel near "$3"
  cat >near.tile <<END
tile given
input px: f32[2]
input pk: int[2]
input pl: int[2]
input pb: int[2]
output y: f32[2]
load x[i < 2] = px[i]
load k[i < 2] = pk[i]
load l[i < 2] = pl[i]
load b[i < 2] = pb[i]
store y[i] = $2 over [i < 2]
END
  # shellcheck disable=SC2086
  "$assay" certify -q --solvers=none --from triton --literals=decimal $launch near.tile near.ttir >out 2>&1
  case $1-$(cat out) in
    PROVED-PROVED | REFUTED-REFUTED | open-REFUTED | open-UNKNOWN) ;;
    *) fail "$2, which is to be $1: $(cat out)" ;;
  esac
}
low='    %c = arith.constant dense<15> : tensor<2xi32>
    %d = arith.andi %k, %c : tensor<2xi32>
    %v = arith.sitofp %d : tensor<2xi32> to tensor<2xf32>'
judged PROVED 'k[i] mod 16' "$low"
judged open 'k[i] - k[i] div 8 * 8' "$low"
judged open 'if(k[i] < 0, -(-k[i] mod 16), k[i] mod 16)' "$low"
judged open 'k[i] mod 16' "$(echo "$low" | sed 's/arith.andi/arith.remsi/;s/<15>/<16>/')"
high='    %c = arith.constant dense<4> : tensor<2xi32>
    %d = arith.shrsi %k, %c : tensor<2xi32>
    %v = arith.sitofp %d : tensor<2xi32> to tensor<2xf32>'
judged PROVED 'k[i] div 16' "$high"
judged open 'k[i] div 16' "$(echo "$high" | sed 's/arith.shrsi/arith.divsi/;s/<4>/<16>/')"
judged PROVED 'k[i] mod 4294967296 div 16' "$(echo "$high" | sed 's/arith.shrsi/arith.shrui/')"
judged open 'k[i] div 16' "$(echo "$high" | sed 's/arith.shrsi/arith.shrui/')"
says 3 'bits of integers' "$(echo "$low" | sed 's/<15>/<14>/')"
judged PROVED 'b[i] mod 256' '    %d = arith.extui %b : tensor<2xi8> to tensor<2xi32>
    %v = arith.sitofp %d : tensor<2xi32> to tensor<2xf32>'
power='    %c = arith.constant dense<EXPONENT> : tensor<2xf32>
    %v = math.powf %x, %c : tensor<2xf32>'
judged PROVED 'x[i] * x[i] * x[i]' "$(echo "$power" | sed 's/EXPONENT/3.0/')"
judged REFUTED 'x[i] * x[i]' "$(echo "$power" | sed 's/EXPONENT/3.0/')"
judged PROVED 'exp(3 / 2 * log(x[i]))' "$(echo "$power" | sed 's/EXPONENT/1.5/')"
judged REFUTED 'exp(2 * log(x[i]))' "$(echo "$power" | sed 's/EXPONENT/1.5/')"
says 0 'exp(0 * log(x[i0]))' "$(echo "$power" | sed 's/EXPONENT/0.0/')"

# a truth in memory is a byte, 1 where it holds; a byte is none
mask='    %p = tt.bitcast %pb : !tt.ptr<i1> -> !tt.ptr<i8>
    %p0 = tt.splat %p : !tt.ptr<i8> -> tensor<2x!tt.ptr<i8>>
    %p1 = tt.addptr %p0, %lane : tensor<2x!tt.ptr<i8>>, tensor<2xi32>
    %q = tt.load %p1 : tensor<2x!tt.ptr<i8>>
    %zero = arith.constant dense<0> : tensor<2xi8>
    %t = arith.cmpi ne, %q, %zero : tensor<2xi8>
    %none = arith.constant dense<0.0> : tensor<2xf32>
    %v = arith.select %t, %x, %none : tensor<2xi1>, tensor<2xf32>'
kernel near "$mask"
sed '/%b[01]* = /d;s/%pb: !tt.ptr<i8>/%pb: !tt.ptr<i1>/' near.ttir >mask.ttir
# shellcheck disable=SC2086
{
  expect 0 'if(not (q[i0] = 0), x[i0], 0)' lift $launch mask.ttir
  sed 's/!tt.ptr<i1> -> !tt.ptr<i8>/!tt.ptr<i1> -> !tt.ptr<i16>/;s/tt.ptr<i8>/tt.ptr<i16>/g;s/xi8>/xi16>/g' mask.ttir >near.ttir
  expect 3 'the bits of a number' lift $launch near.ttir
}

# Sums into memory by instances in an order that is left open: nobody reads what was there, and nothing is stored otherwise.
cat >sums.ttir <<'END'
module {
  tt.func public @sums(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
    %r = tt.get_program_id x : i32
    %two = arith.constant 2 : i32
    %lane = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
    %at = arith.muli %r, %two : i32
    %p = tt.addptr %x, %at : !tt.ptr<f32>, i32
    %p0 = tt.splat %p : !tt.ptr<f32> -> tensor<2x!tt.ptr<f32>>
    %p1 = tt.addptr %p0, %lane : tensor<2x!tt.ptr<f32>>, tensor<2xi32>
    %v = tt.load %p1 : tensor<2x!tt.ptr<f32>>
    %q0 = tt.splat %y : !tt.ptr<f32> -> tensor<2x!tt.ptr<f32>>
    %q1 = tt.addptr %q0, %lane : tensor<2x!tt.ptr<f32>>, tensor<2xi32>
    %all = arith.constant dense<true> : tensor<2xi1>
    %old = tt.atomic_rmw fadd, acq_rel, gpu, %q1, %v, %all : (tensor<2x!tt.ptr<f32>>, tensor<2xf32>, tensor<2xi1>) -> tensor<2xf32>
    tt.return
  }
}
END
# what is added to begins with zeros in the first case, with anything in the second
args='{"name": "x", "kind": "ptr", "size": 6}, {"name": "z", "kind": "ptr", "size": 2}, {"name": "y", "kind": "ptr", "size": 2'
printf '{"cases": [{"grid": [3, 1, 1], "args": [%s, "fill": "z"}]}, {"grid": [3, 1, 1], "args": [%s}]}]}\n' "$args" "$args" >sums.json
# CASE VERDICT GIVEN
summed() {
  printf 'input x: f32[6]\ninput z: f32[2]\n%s' "$3" >body
  { echo 'tile given' && cat body; } >sums.tile
  "$assay" certify -q --solvers=none --from triton --launch "sums.json:$1" sums.tile sums.ttir >out 2>&1
  [ "$(cat out)" = "$2" ] || fail "sums of case $1, to be $2: $(cat out)"
}
each='load v[i < 2, k < 3] = x[2 * k + i]
'
summed 0 PROVED "output y: f32[2]
${each}store y[i] = sum(k < 3) v[i, k] over [i < 2]
"
summed 0 REFUTED "output y: f32[2]
${each}store y[i] = sum(k < 2) v[i, k] over [i < 2]
"
summed 1 PROVED "inout y: f32[2]
${each}load o[i < 2] = y[i]
store y[i] = o[i] + sum(k < 3) v[i, k] over [i < 2]
"
summed 1 REFUTED "inout y: f32[2]
${each}load o[i < 2] = y[i]
store y[i] = o[i] - o[i] + sum(k < 3) v[i, k] over [i < 2]
"
# STATUS WORDS CHANGE: the kernel changed
updated() {
  sed "$3" sums.ttir >near.ttir
  expect "$1" "$2" lift --launch sums.json:0 near.ttir
}
updated 0 'for pid0 = 0 to 3' ''
updated 3 'another thread may touch' 's/addptr %q0, %lane/addptr %q0, %same/;s/    %at = /    %same = arith.constant dense<0> : tensor<2xi32>\n&/'
updated 3 'in an order that is left open' 's/fadd/exch/'
updated 3 'in an order that is left open' 's/    tt.return/    tt.store %p1, %old : tensor<2x!tt.ptr<f32>>\n&/'
updated 3 'beside stores' 's/    tt.return/    tt.store %z, %c : !tt.ptr<f32>\n&/;s/    %at = /    %c = arith.constant 1.0 : f32\n&/'
updated 3 'beside stores' 's/    tt.return/    tt.store %q1, %v : tensor<2x!tt.ptr<f32>>\n&/'
updated 3 'of what is loaded too' 's/tt.load %p1/tt.load %q1/;s/^    %v = .*$//;s/^    %all = .*/    %v = tt.load %q1 : tensor<2x!tt.ptr<f32>>\n&/'
updated 3 'do not fit' 's/%q1, %v, %all/%q1, %lane, %all/'

# A number is equal to itself where it has a value: 0/0 is not, in a float.
one='    %one = arith.constant dense<1.0> : tensor<2xf32>
    %two = arith.constant dense<2.0> : tensor<2xf32>
    %q = arith.divf %x, DIVISOR : tensor<2xf32>'
printf 'program given\ninput px: f32[2]\ninput pk: int[2]\ninput pl: int[2]\ninput pb: int[2]\noutput y = 0*px + 1\n' >given.tp
# VERDICT DIVISOR COMPARISON CHOICE
itself() {
  kernel near "$(echo "$one" | sed "s/DIVISOR/$2/")
    %t = arith.cmpf $3, %q, %q : tensor<2xf32>
    %v = arith.select %t, $4 : tensor<2xi1>, tensor<2xf32>"
  # shellcheck disable=SC2086
  "$assay" certify -q --solvers=none --from triton $launch given.tp near.ttir >out 2>&1
  [ "$(cat out)" = "$1" ] || fail "$3 of a quotient by $2 and itself, to be $1: $(cat out)"
}
# a float may be no number there, of which a comparison makes a number again: not equal, and not refuted by having no value
itself UNKNOWN %x oeq '%one, %two'
itself UNKNOWN %x une '%two, %one'
itself UNKNOWN %x ord '%one, %two'
itself UNKNOWN %x uno '%two, %one'
itself UNKNOWN %x olt '%two, %one'
itself PROVED %two oeq '%one, %two'
itself PROVED %two une '%two, %one'
itself PROVED %two ord '%one, %two'
itself PROVED %two uno '%two, %one'
itself PROVED %two olt '%two, %one'

# pointers to two arguments do not become pointers to one
says 3 'of pointers to different arguments' '    %j = tt.join %x1, %y2 : tensor<2x!tt.ptr<f32>> -> tensor<2x2x!tt.ptr<f32>>
    %l2 = tt.load %j : tensor<2x2x!tt.ptr<f32>>
    %a, %v = tt.split %l2 : tensor<2x2xf32> -> tensor<2xf32>'
says 3 'of something that is no number' '    %e = tt.expand_dims %x1 {axis = 1 : i32} : tensor<2x!tt.ptr<f32>> -> tensor<2x1x!tt.ptr<f32>>
    %p = "tt.reduce"(%e) <{axis = 1 : i32}> ({
    ^bb0(%a: !tt.ptr<f32>, %c: !tt.ptr<f32>):
      tt.reduce.return %a : !tt.ptr<f32>
    }) : (tensor<2x1x!tt.ptr<f32>>) -> tensor<2x!tt.ptr<f32>>
    %v = tt.load %p : tensor<2x!tt.ptr<f32>>'
descriptors='    %one = arith.constant 1 : i64
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %first = arith.constant dense<0.0> : tensor<2xf32>
    %d = tt.make_tensor_descriptor %px, [%c2], [%one] : <f32>, <2xf32>
    %o = tt.make_tensor_descriptor %y, [%c2], [%one] : <f32>, <2xf32>
    %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%e = %d, %a = %first) -> (!tt.tensordesc<2xf32>, tensor<2xf32>) : i32 {
      %m = tt.descriptor_load %e[%c0] : !tt.tensordesc<2xf32> -> tensor<2xf32>
      %s = arith.addf %a, %m : tensor<2xf32>
      scf.yield NEXT, %s : !tt.tensordesc<2xf32>, tensor<2xf32>
    }
    %v = arith.addf %r#1, %first : tensor<2xf32>'
says 3 'a carried descriptor becomes another one' "$(echo "$descriptors" | sed 's/NEXT/%o/')"
says 0 '= 0 to 2 step 1' "$(echo "$descriptors" | sed 's/NEXT/%e/')"

# halves of one type, as Triton prints them
says 0 'y[i0] = x[i0] + x[i0]' '    %t = arith.addf %x, %x : tensor<2xf32>
    %j = tt.join %x, %t : tensor<2xf32> -> tensor<2x2xf32>
    %a, %v = tt.split %j : tensor<2x2xf32> -> tensor<2xf32>'

# constants that are others in two's complement; shifts by more bits than there are
for constant in 4294967295 0xFFFFFFFF 2147483648 -2147483649 9223372036854775807; do
  says 3 'beyond the range of its type' "    %c = arith.constant dense<$constant> : tensor<2xi32>
    %m = arith.minsi %c, %k : tensor<2xi32>
    %v = arith.sitofp %m : tensor<2xi32> to tensor<2xf32>"
done
says 0 'min(-2147483648, k[i0])' '    %c = arith.constant dense<-2147483648> : tensor<2xi32>
    %m = arith.minsi %c, %k : tensor<2xi32>
    %v = arith.sitofp %m : tensor<2xi32> to tensor<2xf32>'
says 3 'by an amount that is not one of few' '    %c = arith.constant dense<32> : tensor<2xi32>
    %m = arith.shrsi %k, %c : tensor<2xi32>
    %v = arith.sitofp %m : tensor<2xi32> to tensor<2xf32>'

# the direction of a scan, however it is written
for direction in 'true:sum(k0 < 2 - i0)' 'true :sum(k0 < 2 - i0)' 'false:sum(k0 < i0 + 1)' '1 \: i1:neither'; do
  words=${direction##*[!\\]:}
  status=0 && [ "$words" = neither ] && status=3
  says "$status" "$words" "    %v = \"tt.scan\"(%x) <{axis = 0 : i32, reverse = $(echo "${direction%":$words"}" | tr -d '\\')}> ({
    ^bb0(%a: f32, %c: f32):
      %s = arith.addf %a, %c : f32
      tt.scan.return %s : f32
    }) : (tensor<2xf32>) -> tensor<2xf32>"
done

# truths are no offsets; a combination does not touch memory
says 3 'do not fit' '    %t = arith.constant dense<false> : tensor<2xi1>
    %p = tt.addptr %x0, %t : tensor<2x!tt.ptr<f32>>, tensor<2xi1>
    %v = tt.load %p : tensor<2x!tt.ptr<f32>>'
says 3 'may depend on the order' '    %r = "tt.reduce"(%k) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %c: i32):
      %p = tt.addptr %pk, %c : !tt.ptr<i32>, i32
      %s = tt.load %p : !tt.ptr<i32>
      tt.reduce.return %s : i32
    }) : (tensor<2xi32>) -> i32
    %f = arith.sitofp %r : i32 to f32
    %v = tt.splat %f : f32 -> tensor<2xf32>'

# an argument of which the launch says nothing is no lane or instance of its name
for name in i0 pid0 k0 other; do
  kernel near '    %nn = tt.splat %n : i32 -> tensor<2xi32>
    %p = tt.addptr %x1, %nn : tensor<2x!tt.ptr<f32>>, tensor<2xi32>
    %v = tt.load %p : tensor<2x!tt.ptr<f32>>'
  sed -i "s/%k0/%ks/g;s/%n\\b/%$name/g" near.ttir
  # shellcheck disable=SC2086
  expect 2 "$name: \`$name\` is no size expression" lift $launch near.ttir
done

# numbers as MLIR has them: of ten digits also behind a zero, hexadecimal in attributes too
says 0 'y[i0] = 10' '    %c = arith.constant dense<010> : tensor<2xi32>
    %v = arith.sitofp %c : tensor<2xi32> to tensor<2xf32>'
says 0 'y[i0] = 16' '    %c = arith.constant dense<0x10> : tensor<2xi32>
    %v = arith.sitofp %c : tensor<2xi32> to tensor<2xf32>'
for constant in 0b10 99999999999999999999 -9223372036854775809 1e3; do
  says 3 'another form than one number' "    %c = arith.constant dense<$constant> : tensor<2xi64>
    %v = arith.sitofp %c : tensor<2xi64> to tensor<2xf32>"
done
says 0 'y[i0] = -9223372036854775808' '    %c = arith.constant dense<-9223372036854775808> : tensor<2xi64>
    %v = arith.sitofp %c : tensor<2xi64> to tensor<2xf32>'
rows='    %j = tt.join %x, %x : tensor<2xf32> -> tensor<2x2xf32>
    %w = arith.constant dense<2.0> : tensor<2xf32>
    %y3 = arith.mulf %x, %w : tensor<2xf32>
    %a = tt.join %x, %y3 : tensor<2xf32> -> tensor<2x2xf32>
    %v = "tt.reduce"(%a) <{axis = AXIS : i32}> ({
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      tt.reduce.return %s : f32
    }) : (tensor<2x2xf32>) -> tensor<2xf32>'
says 0 'if(k0 = 0, x[i0], x[i0] * 2)' "$(echo "$rows" | sed 's/AXIS/0x1/')"
says 0 'if(i0 = 0, x[k0], x[k0] * 2)' "$(echo "$rows" | sed 's/AXIS/00/')"
for axis in -1 2 1.0 0x; do
  says 3 'an axis that its operand does not have' "$(echo "$rows" | sed "s/AXIS/$axis/")"
done

# attributes that say nothing but their names
for reshape in 'tt.reshape %x {allow_reorder} : tensor<2xf32> -> tensor<2x1xf32>' '"tt.reshape"(%x) <{allow_reorder}> : (tensor<2xf32>) -> tensor<2x1xf32>'; do
  says 3 'left open' "    %r = $reshape
    %v = tt.reshape %r : tensor<2x1xf32> -> tensor<2xf32>"
  says 0 'y[i0] = x[i0]' "    %r = $(echo "$reshape" | sed 's/allow_reorder/efficient_layout/')
    %v = tt.reshape %r : tensor<2x1xf32> -> tensor<2xf32>"
done

# What a mask leaves out has no value, so it is not equal to itself, nor is one of two orders right: in a float both may be wrong.
# VERDICT MASK CHOICE: %t of %q, which is loaded where MASK holds
left_out() {
  kernel near "    %c = arith.constant dense<$2> : tensor<2xi32>
    %m = arith.cmpi slt, %lane, %c : tensor<2xi32>
    %q = tt.load %x1, %m : tensor<2x!tt.ptr<f32>>
    %one = arith.constant dense<1.0> : tensor<2xf32>
    %two = arith.constant dense<2.0> : tensor<2xf32>
    %zero = arith.constant dense<0.0> : tensor<2xf32>
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
$3
    %v = arith.select %t, %one, %two : tensor<2xi1>, tensor<2xf32>"
  # shellcheck disable=SC2086
  "$assay" certify -q --solvers=none --from triton $launch given.tp near.ttir >out 2>&1
  [ "$(cat out)" = "$1" ] || fail "of lanes below $2, to be $1: $3: $(cat out)"
}
for choice in 'arith.cmpf oeq, %q, %q' 'arith.cmpf ord, %q, %zero' 'arith.ori %below, %above'; do
  body="    %below = arith.cmpf olt, %q, %zero : tensor<2xf32>
    %above = arith.cmpf oge, %q, %zero : tensor<2xf32>
    %t = $choice : tensor<2x$(case $choice in *ori*) echo i1 ;; *) echo f32 ;; esac)>"
  left_out PROVED 2 "$body"
  left_out REFUTED 1 "$body"
done
# the same of what is made of such lanes, carried from round to round, and loaded at places that are such
for made in '    %w = arith.mulf %q, %q : tensor<2xf32>
    %u = arith.addf %w, %q : tensor<2xf32>' '    %u = scf.for %i = %i0 to %i1 step %i1 iter_args(%a = %q) -> (tensor<2xf32>) : i32 {
      %b2 = arith.addf %a, %one : tensor<2xf32>
      scf.yield %b2 : tensor<2xf32>
    }' '    %u = scf.for %i = %i0 to %i1 step %i1 iter_args(%a = %one) -> (tensor<2xf32>) : i32 {
      scf.yield %q : tensor<2xf32>
    }' '    %e = tt.expand_dims %q {axis = 1 : i32} : tensor<2xf32> -> tensor<2x1xf32>
    %d = tt.broadcast %e : tensor<2x1xf32> -> tensor<2x2xf32>
    %u = "tt.reduce"(%d) <{axis = 1 : i32}> ({
    ^bb0(%p: f32, %p2: f32):
      %s = arith.addf %p, %p2 : f32
      tt.reduce.return %s : f32
    }) : (tensor<2x2xf32>) -> tensor<2xf32>' '    %at = tt.load %k1, %m : tensor<2x!tt.ptr<i32>>
    %there = tt.addptr %x0, %at : tensor<2x!tt.ptr<f32>>, tensor<2xi32>
    %u = tt.load %there, %m : tensor<2x!tt.ptr<f32>>'; do
  left_out REFUTED 1 "$made
    %t = arith.cmpf oeq, %u, %u : tensor<2xf32>"
done
left_out PROVED 1 '    %r = tt.load %x1, %m, %zero : tensor<2x!tt.ptr<f32>>
    %t = arith.cmpf oeq, %r, %r : tensor<2xf32>'

# a lane that is read as a real number stays one wherever it goes: halved in each round it is no integer
says 0 'carry a_2 = a' '    %f = arith.sitofp %lane : tensor<2xi32> to tensor<2xf32>
    %e = tt.expand_dims %f {axis = 1 : i32} : tensor<2xf32> -> tensor<2x1xf32>
    %g = tt.reshape %e : tensor<2x1xf32> -> tensor<2xf32>
    %half = arith.constant dense<0.5> : tensor<2xf32>
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %v = scf.for %i = %i0 to %n step %i1 iter_args(%a = %g) -> (tensor<2xf32>) : i32 {
      %s = arith.mulf %a, %half : tensor<2xf32>
      scf.yield %s : tensor<2xf32>
    }'

# branches in one another whose conditions exclude each other
inner='    %two = arith.constant 2 : i32
    %true = arith.constant true
    %c = arith.cmpi slt, %n, %two : i32
    %other = arith.xori %c, %true : i1
    %v = scf.if %c -> (tensor<2xf32>) {
      %i = scf.if INNER -> (tensor<2xf32>) {
        %s = arith.addf %x, %x : tensor<2xf32>
        scf.yield %s : tensor<2xf32>
      } else {
        scf.yield %x : tensor<2xf32>
      }
      scf.yield %i : tensor<2xf32>
    } else {
      %z1 = arith.mulf %x, %x : tensor<2xf32>
      scf.yield %z1 : tensor<2xf32>
    }'
says 0 'y[i0] = if(n < 2, x[i0], x[i0] * x[i0])' "$(echo "$inner" | sed 's/INNER/%other/')"
says 0 'y[i0] = if(n < 2, x[i0] + x[i0], x[i0] * x[i0])' "$(echo "$inner" | sed 's/INNER/%c/')"

# a combination speaks of numbers: a tensor in its region would have other lanes
says 3 'its region makes tensors' '    %a = tt.join %x, %x : tensor<2xf32> -> tensor<2x2xf32>
    %v = "tt.reduce"(%a) <{axis = 1 : i32}> ({
    ^bb0(%p: f32, %q: f32):
      %w = tt.splat %p : f32 -> tensor<2xf32>
      %z1 = arith.addf %w, %x : tensor<2xf32>
      %s = "tt.reduce"(%z1) <{axis = 0 : i32}> ({
      ^bb0(%p2: f32, %q2: f32):
        %s2 = arith.addf %p2, %q2 : f32
        tt.reduce.return %s2 : f32
      }) : (tensor<2xf32>) -> f32
      tt.reduce.return %s : f32
    }) : (tensor<2x2xf32>) -> tensor<2xf32>'

# sizes of the launch are no lanes, counters, instances or functions of their names; arguments are numbers of their types
kernel near '    %f = arith.sitofp %n : i32 to f32
    %v = tt.splat %f : f32 -> tensor<2xf32>'
at="--writes-all --argument px=2 --argument y=2 --argument pk=2 --argument pl=2 --argument pb=2"
# shellcheck disable=SC2086
{
  for name in i0 k1 pid0 max exp; do
    expect 2 "called \`$name\`" lift $at --size $name=2 --argument n=$name near.ttir
  done
  expect 0 'y[i0] = i' lift $at --size i=2 --argument n=i near.ttir
  expect 2 'an integer of 32 bits' lift $at --argument n=2147483648 near.ttir
  expect 0 'y[i0] = 2147483647' lift $at --argument n=2147483647 near.ttir
  expect 0 'where m <= 46340' lift $at --size m=2 --argument 'n=m * m' near.ttir
  expect 2 'reaches 2147488281' lift $at --size m=46341 --argument 'n=m * m' near.ttir
  expect 0 'y[i0] = m' lift $at --size m=2 --argument 'n=m' near.ttir
  expect 0 'where m <= 2147483647' lift $at --size m=2 --argument 'n=m' near.ttir
}

# truths that never hold: carried by a loop, combined
says 0 'carry t' '    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %false = arith.constant dense<false> : tensor<2xi1>
    %zero = arith.constant dense<0.0> : tensor<2xf32>
    %above = arith.cmpf ogt, %x, %zero : tensor<2xf32>
    %r = scf.for %i = %i0 to %n step %i1 iter_args(%t = %above) -> (tensor<2xi1>) : i32 {
      scf.yield %false : tensor<2xi1>
    }
    %v = arith.uitofp %r : tensor<2xi1> to tensor<2xf32>'
says 0 'carry r_2 = r' '    %false = arith.constant dense<false> : tensor<2xi1>
    %r = "tt.reduce"(%false) <{axis = 0 : i32}> ({
    ^bb0(%p: i1, %q: i1):
      %s = arith.xori %p, %q : i1
      tt.reduce.return %s : i1
    }) : (tensor<2xi1>) -> i1
    %f = arith.uitofp %r : i1 to f32
    %v = tt.splat %f : f32 -> tensor<2xf32>'

# a loop ends where its variable stays in its type behind the last round too: 200 is none of 8 bits
rounds='    %c0 = arith.constant 0 : i8
    %step = arith.constant 100 : i8
    %to = arith.constant TO : i8
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %r = scf.for %i = %c0 to %to step %step iter_args(%a = %zero) -> (f32) : i8 {
      %s = arith.addf %a, %one : f32
      scf.yield %s : f32
    }
    %v = tt.splat %r : f32 -> tensor<2xf32>'
says 3 '200 reaches 200, beyond an integer of 8 bits' "$(echo "$rounds" | sed 's/TO/101/')"
says 0 '0 to 28 step 100' "$(echo "$rounds" | sed 's/TO/28/')"
says 0 'ends[] = 0 / if(' "$(echo "$rounds" | sed 's/    %to = .*/    %to = tt.load %pb : !tt.ptr<i8>/')"
says 0 'where n <= 2147483548' "$(echo "$rounds" | sed 's/i8/i32/;s/: i8 {/: i32 {/;s/    %to = .*//;s/%c0 to %to step/%c0 to %n step/')"
[ "$failures" -eq 0 ]
