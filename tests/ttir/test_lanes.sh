#!/bin/sh
# Values that some lanes do not have: what is stored, or feeds what is stored, needs them; what a mask leaves out does not.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"

# NAME BODY: a kernel of 2 rows of 4 lanes; %x is loaded where %m, lane < 3, holds, and 0 elsewhere; %v is stored where %m holds
kernel() {
  cat >"$1.ttir" <<END
module {
  tt.func public @lanes(%px: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
    %zero = arith.constant dense<0.0> : tensor<4xf32>
    %one = arith.constant dense<1.0> : tensor<4xf32>
    %three = arith.constant dense<3> : tensor<4xi32>
    %first = arith.constant 0 : i32
    %step = arith.constant 1 : i32
    %rounds = arith.constant 3 : i32
    %width = arith.constant 3 : i32
    %row = tt.get_program_id x : i32
    %start = arith.muli %row, %width : i32
    %lane = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %m = arith.cmpi slt, %lane, %three : tensor<4xi32>
    %s = tt.splat %start : i32 -> tensor<4xi32>
    %at = arith.addi %s, %lane : tensor<4xi32>
    %x0 = tt.splat %px : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
    %x1 = tt.addptr %x0, %at : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    %x = tt.load %x1, %m, %zero : tensor<4x!tt.ptr<f32>>
$2
    %y0 = tt.splat %y : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
    %y1 = tt.addptr %y0, %at : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    tt.store %y1, %v, %m : tensor<4x!tt.ptr<f32>>
    tt.return
  }
}
END
}

launch='--grid 2 --writes-all --argument px=2,3 --argument y=2,3'

# VERDICT GIVEN: of near.ttir, where a program is given
# shellcheck disable=SC2086
against() {
  printf 'use "lanes.sem"\nprogram given\ninput px: f32[2, 3]\noutput y = %s\n' "$2" >given.tp
  certify "$1" given.tp
}

# VERDICT GIVEN: of near.ttir
# shellcheck disable=SC2086
certify() {
  "$assay" certify -q --solvers=none --from triton --literals=decimal $launch "$2" near.ttir >out 2>err
  grep -qxE "$1" out || fail "$2: $(tail -1 "$2") against near.ttir: $(cat out), not $1"
}

# the lifted text of near.ttir is the given program from here on
# shellcheck disable=SC2086
give() {
  "$assay" lift --literals=decimal $launch near.ttir >given.tile 2>err || fail 'it is not read'
}

printf '%s\n' 'op chosen(a[..s]) -> [..s]' '  out[..s] = if(a[..s] = 0, 0, 1 / (a[..s] * a[..s]))' \
  'op firsts(a[m, n]) -> [m, n]' '  require 1 <= n' '  out[i, j] = 1 / (a[i, 0] * a[i, 0]) + 1 / a[i, 0] + a[i, j]' \
  'op tops(a[m, n]) -> [m]' '  out[i] = max(k < n) a[i, k]' \
  'op largest(a[m, n]) -> [m, n]' '  require 3 <= n' '  out[i, j] = max(k < 2) (1 / a[i, k + 1]) + a[i, j]' \
  'op bounded(a[..s]) -> [..s]' '  out[..s] = min(max(a[..s], 0), 1)' \
  'op sums(a[m, n]) -> [m, n]' '  out[i, j] = sum(k < n) min(max(a[i, k], 0), 1)' \
  'op means(a[m, n]) -> [m, n]' '  out[i, j] = sum(k < n) (1 / a[i, k]) + a[i, j]' >lanes.sem

# a quotient that is used twice, and has no value in the fourth lane
twice='    %q = arith.divf %one, %x : tensor<4xf32>
    %v = arith.mulf %q, %q : tensor<4xf32>'
kernel near "$twice"
against PROVED '1 / (px * px)'
against REFUTED '1 / (px * px) + 1'
against REFUTED 'chosen(px)'

# of the given kernel the same: what is not stored is not asked for, so a pair that differs elsewhere is refuted
give
certify PROVED given.tile
kernel near "$twice
    %w = arith.addf %v, %one : tensor<4xf32>" && sed -i 's/%y1, %v, %m/%y1, %w, %m/' near.ttir
certify REFUTED given.tile

# chosen only where it has a value: defined everywhere; the other way round it is not
chosen='    %q = arith.divf %one, %x : tensor<4xf32>
    %p = arith.mulf %q, %q : tensor<4xf32>
    %t = arith.cmpf WORD, %x, %zero : tensor<4xf32>
    %v = arith.select %t, %p, %zero : tensor<4xi1>, tensor<4xf32>'
kernel near "$(echo "$chosen" | sed 's/WORD/une/')"
against PROVED 'chosen(px)'
against PROVED '1 / (px * px)'
give
certify PROVED given.tile
kernel near "$twice"
certify REFUTED given.tile
kernel near "$(echo "$chosen" | sed 's/WORD/oeq/')"
certify REFUTED given.tile

# what stands in for what is not loaded: only lanes that are stored need one
other='    %n = arith.negf %one : tensor<4xf32>
    %q = arith.divf %one, %x : tensor<4xf32>
    %w = tt.load %x1, MASK, %q : tensor<4x!tt.ptr<f32>>
    %v = arith.addf %w, MORE : tensor<4xf32>'
kernel near "$(echo "$other" | sed 's/MASK/%m/;s/MORE/%one/')"
against PROVED 'px + 1'
give
certify PROVED given.tile
kernel near "$(echo "$other" | sed 's/MASK/%m/;s/MORE/%zero/')"
certify REFUTED given.tile
kernel near "$(echo "$other" | sed 's/    %n = .*/    %few = arith.constant dense<false> : tensor<4xi1>\n    %two = arith.cmpi slt, %lane, %lane : tensor<4xi32>/;s/MASK/%two/;s/MORE/%zero/')"
against PROVED '1 / px'

# roots and logarithms
kernel near '    %r = math.sqrt %x : tensor<4xf32>
    %l = math.log %x : tensor<4xf32>
    %p = arith.mulf %r, %l : tensor<4xf32>
    %q = arith.addf %p, %r : tensor<4xf32>
    %v = arith.addf %q, %l : tensor<4xf32>'
against PROVED 'sqrt(px) * log(px) + sqrt(px) + log(px)'
against REFUTED 'sqrt(px) * log(px) + sqrt(px) + log(px) + 1'

# A sum needs all of its terms: over a lane that has none it has no value, and a program that has one is not what the kernel computes.
sum='    %q = arith.divf %one, %x : tensor<4xf32>
    %z = CHOSEN
    %r = "tt.reduce"(%z) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<4xf32>) -> f32
    %all = tt.splat %r : f32 -> tensor<4xf32>
    %v = arith.addf %all, %x : tensor<4xf32>'
kernel near "$(echo "$sum" | sed 's/CHOSEN/arith.select %m, %q, %zero : tensor<4xi1>, tensor<4xf32>/')"
against PROVED 'means(px)'
give
certify PROVED given.tile
kernel near "$(echo "$sum" | sed 's/CHOSEN/arith.addf %q, %zero : tensor<4xf32>/')"
against REFUTED 'means(px)'
certify REFUTED given.tile

# A combination that returns its first argument is another one in another order.
kernel near '    %q = arith.divf %one, %x : tensor<4xf32>
    %p = arith.mulf %q, %q : tensor<4xf32>
    %z = arith.addf %p, %q : tensor<4xf32>
    %r = "tt.reduce"(%z) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %a : f32
    }) : (tensor<4xf32>) -> f32
    %all = tt.splat %r : f32 -> tensor<4xf32>
    %v = arith.addf %all, %x : tensor<4xf32>'
against REFUTED 'firsts(px)'

# carried from round to round: the fourth lane loses its value in the first one; so do others where they are 0
carried='    %r = scf.for %i = %first to %rounds step %step iter_args(%a = %x) -> (tensor<4xf32>) : i32 {
      %q = arith.divf %one, %a : tensor<4xf32>
      %n = arith.addf %q, %q : tensor<4xf32>
      scf.yield %n : tensor<4xf32>
    }
    %v = arith.addf %r, MORE : tensor<4xf32>'
kernel near "$(echo "$carried" | sed 's/MORE/%zero/')"
give
certify 'PROVED|UNKNOWN' given.tile # rounds of which some lanes have no value are beyond the prover
kernel near "$(echo "$carried" | sed 's/MORE/%one/')"
certify REFUTED given.tile
grep -q 'lacks' given.tile || fail 'a carried value is said to have values in all lanes'

# A load without another value, compared lane by lane, in two steps: nobody reads the fourth lane, so that the comparison needs no value there.
bounded='    %w = tt.load %x1, MASK : tensor<4x!tt.ptr<f32>>
    %t = arith.cmpf ogt, %w, %zero : tensor<4xf32>
    %l = arith.select %t, %w, %zero : tensor<4xi1>, tensor<4xf32>
    %u = arith.cmpf olt, %l, %one : tensor<4xf32>
    %v = arith.select %u, %l, %one : tensor<4xi1>, tensor<4xf32>'
kernel near "$(echo "$bounded" | sed 's/MASK/%m/')"
against PROVED 'bounded(px)'
give
certify PROVED given.tile
# under a mask with fewer lanes the third one is stored without a value: no kernel is right that way
kernel near "$(echo "$bounded" | sed 's/MASK/%few/;s/%w = /%two = arith.constant dense<2> : tensor<4xi32>\n    %few = arith.cmpi slt, %lane, %two : tensor<4xi32>\n    %w = /')"
against 'REFUTED|UNKNOWN' 'bounded(px)'
# summed up, the fourth lane is read
kernel near "$(echo "$bounded" | sed 's/MASK/%m/;s/%v = /%u0 = /')
    %r = \"tt.reduce\"(%u0) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<4xf32>) -> f32
    %v = tt.splat %r : f32 -> tensor<4xf32>"
against 'REFUTED|UNKNOWN' 'sums(px)'

# The largest of quotients, of which a mask leaves some out: those that are in need values; so does what the result is added to.
largest='    %low = arith.constant dense<0xFF800000> : tensor<4xf32>
    %null = arith.constant dense<0> : tensor<4xi32>
    %in = arith.cmpi sgt, %lane, %null : tensor<4xi32>
    %both = arith.andi %in, %m : tensor<4xi1>
    %q = arith.divf %one, %x : tensor<4xf32>
    %z = arith.select MASK, %q, %low : tensor<4xi1>, tensor<4xf32>
    %r = "tt.reduce"(%z) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<4xf32>) -> f32
    %all = tt.splat %r : f32 -> tensor<4xf32>
    %v = arith.addf %all, %x : tensor<4xf32>'
kernel near "$(echo "$largest" | sed 's/MASK/%both/')"
against 'PROVED|UNKNOWN' 'largest(px)'
against REFUTED 'largest(px) + 1'
give
certify 'PROVED|UNKNOWN' given.tile
# of all that are stored, and of the first two only
kernel near "$(echo "$largest" | sed 's/MASK/%m/')"
against REFUTED 'largest(px)'
certify REFUTED given.tile

# A mask of whole rows: a row is there, with its largest element, or is not stored.
rows() {
  cat >near.ttir <<END
module {
  tt.func public @rows(%px: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
    %low = arith.constant dense<0xFF800000> : tensor<4x2xf32>
    %three = arith.constant dense<3> : tensor<4x1xi32>
    %two = arith.constant dense<2> : tensor<4x1xi32>
    %row = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %r = tt.expand_dims %row {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
    %m = arith.cmpi slt, %r, %three : tensor<4x1xi32>
    %few = arith.cmpi slt, %r, %two : tensor<4x1xi32>
    %column = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
    %c = tt.expand_dims %column {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
    %s = arith.muli %r, %two : tensor<4x1xi32>
    %s2 = tt.broadcast %s : tensor<4x1xi32> -> tensor<4x2xi32>
    %c2 = tt.broadcast %c : tensor<1x2xi32> -> tensor<4x2xi32>
    %at = arith.addi %s2, %c2 : tensor<4x2xi32>
    %m2 = tt.broadcast %m : tensor<4x1xi1> -> tensor<4x2xi1>
    %chosen = tt.broadcast $1 : tensor<4x1xi1> -> tensor<4x2xi1>
    %x0 = tt.splat %px : !tt.ptr<f32> -> tensor<4x2x!tt.ptr<f32>>
    %x1 = tt.addptr %x0, %at : tensor<4x2x!tt.ptr<f32>>, tensor<4x2xi32>
    %x = tt.load %x1, %m2 : tensor<4x2x!tt.ptr<f32>>
    %z = arith.select %chosen, %x, %low : tensor<4x2xi1>, tensor<4x2xf32>
    %l = "tt.reduce"(%z) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %d = arith.maxnumf %a, %b : f32
      tt.reduce.return %d : f32
    }) : (tensor<4x2xf32>) -> tensor<4xf32>
    %l1 = tt.expand_dims %l {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
    %y0 = tt.splat %y : !tt.ptr<f32> -> tensor<4x1x!tt.ptr<f32>>
    %y1 = tt.addptr %y0, %r : tensor<4x1x!tt.ptr<f32>>, tensor<4x1xi32>
    tt.store %y1, %l1, %m : tensor<4x1x!tt.ptr<f32>>
    tt.return
  }
}
END
}
launch='--grid 1 --writes-all --argument px=3,2 --argument y=3'

# VERDICTS: of near.ttir, where the largest elements of rows are given
tops() {
  printf 'use "lanes.sem"\nprogram given\ninput px: f32[3, 2]\noutput y = tops(px)\n' >given.tp
  certify "$1" given.tp
}

rows %m
tops PROVED
give
! grep -q 'empty\|least' given.tile || fail 'a mask of rows is asked of each element'
rows %few # of the third row minus infinity would be stored
if "$assay" lift --literals=decimal $launch near.ttir >out 2>err; then
  tops 'REFUTED|UNKNOWN'
else
  grep -q infinite err || fail 'a row without numbers is refused for another reason'
fi
finish
