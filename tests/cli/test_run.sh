#!/bin/sh
# `assay run` and `assay build`: certified programs on arrays, as libraries, and what they refuse.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
TMPDIR=$work
export TMPDIR

# npy TYPE SHAPE BYTES..: a .npy file on standard output; BYTES as printf takes them
npy() {
  header="{'descr': '$1', 'fortran_order': False, 'shape': $2, }"
  while [ $(((10 + ${#header} + 1) % 64)) -ne 0 ]; do header="$header "; done
  length=$((${#header} + 1))
  printf '\223NUMPY\001\000'
  printf "\\$(printf %03o $((length % 256)))\\$(printf %03o $((length / 256)))"
  printf '%s\n' "$header"
  shift 2
  for bytes in "$@"; do printf "$bytes"; done
}

cat >scale.tp <<'EOF'
program scale
sizes N = 2, M = 3
input X: f32[N, M]
input w: f16[M]
output Y = X * w
EOF
expect 0 PROVED certify scale.tp scale.tp -q --solvers=none -o scale.d

# 1 2 3 / 4 5 6 as f4, times 0.5 1 -2 as f2: halves, and negative numbers, are exact
one='\000\000\200\077' two='\000\000\000\100' three='\000\000\100\100'
npy '<f4' '(2, 3)' "$one$two$three" '\000\000\200\100\000\000\240\100\000\000\300\100' >X.npy
npy '<f2' '(3,)' '\000\070\000\074\000\300' >w.npy
expect 0 'Y: f32[2, 3] = 0.5 2 -6 2 5 -12' run scale.d X=X.npy w=w.npy -o outputs
[ -f outputs/Y.npy ] || fail "no output file"
# what was written is read again
expect 0 'Y: f32[2, 3] = 0.25 2 12 1 5 24' run scale.d X=outputs/Y.npy w=w.npy
# bytes and 64-bit integers are numbers too
npy '|i1' '(2, 3)' '\001\002\003\374\005\006' >bytes.npy
expect 0 'Y: f32[2, 3] = 0.5 2 -6 -2 5 -12' run scale.d X=bytes.npy w=w.npy
[ -z "$(ls -d assay-run-* 2>/dev/null)" ] || fail "scratch folders are left"
# tensors go by name: a candidate that has them in another order takes and gives those of the program in the program's
printf 'program o\nsizes N = 2, M = 3\ninput X: f32[N, M]\ninput w: f32[N, M]\noutput Y = sin(X) - w\noutput Z = w * 2\n' >o.tp
printf 'program o\nsizes N = 2, M = 3\ninput w: f32[N, M]\ninput X: f32[N, M]\noutput Z = w * 2\noutput Y = sin(X) - w\n' >o2.tp
expect 0 PROVED certify o.tp o2.tp -q --solvers=none -o o.d
expect 0 libassay_o.so build o.d -o o.built
grep -q 'inputs\[0\]  X: ' o.built/*.h && grep -q 'outputs\[0\]  Y: ' o.built/*.h || fail "another order than the program's"
sed 's/sin(X) - w/w - sin(X)/' o2.tp >o3.tp
expect 1 REFUTED certify o.tp o3.tp -q --solvers=none

# random inputs: the same seed, the same numbers
if slow random inputs; then
  expect 0 'Y: f32[2, 3] =' run scale.d --seed=7
  cp out first
  expect 0 'Y: f32[2, 3] =' run scale.d --seed=7
  cmp -s out first || fail "the same seed gave other numbers"
fi

# what cannot be run
expect 2 'is no INPUT=FILE.npy' run scale.d Q=X.npy
expect 2 'other extents than input w' run scale.d w=X.npy
expect 2 'No such file' run scale.d X=none.npy
echo 'no array' >text.npy
expect 2 'is no .npy file' run scale.d X=text.npy
head -c 90 X.npy >cut.npy
expect 2 'header is cut off' run scale.d X=cut.npy
head -c 140 X.npy >short.npy
expect 2 'not as many bytes' run scale.d X=short.npy
npy '<c8' '(2, 3)' '\000' >complex.npy
expect 2 'elements of type <c8' run scale.d X=complex.npy
sed "s/'fortran_order': False/'fortran_order': True /" X.npy >columns.npy
expect 2 'row-major' run scale.d X=columns.npy
# nothing is run or built but what the certificate proves: not another program, nor another candidate, nor by another certificate
cp -r scale.d other.d
sed 's/X \* w/X * w * w/' scale.d/candidate.tp >other.d/candidate.tp
expect 1 'its certificate does not prove' run other.d X=X.npy w=w.npy
expect 1 'its certificate does not prove' build other.d -o made-of-other
expect 1 'its certificate does not prove' bench other.d
expect 1 'its certificate does not prove' bench --tune=model other.d
[ ! -e made-of-other/libassay_scale.so ] || fail "what is not certified was built"
cp scale.d/candidate.tp other.d/candidate.tp
expect 0 'Y: f32' run other.d X=X.npy w=w.npy
sed 's/X \* w/X + w/' scale.d/program.tp >other.d/program.tp
expect 1 'its certificate does not prove' run other.d X=X.npy w=w.npy
cp scale.d/program.tp other.d/program.tp
echo 'no certificate' >other.d/certificate.cert
expect 1 'its certificate does not prove' run other.d X=X.npy w=w.npy
rm scale.d/certificate.cert
expect 2 'has no certificate' run scale.d X=X.npy w=w.npy
expect 2 'unknown word' run scale.d --device=tpu

# integers: places are in range, and arrays that are not are refused before anything runs
if slow integers and types; then
  cat >rows.tp <<'EOF'
program rows
sizes N = 3, M = 2
input at: int[M]
input X: f16[N, 2]
output Y = gather(X, at)
output Z = cumsum(X, axis=0)
EOF
  expect 0 rows.d optimize rows.tp -q --solvers=none -o rows.d
  npy '<f4' '(3, 2)' "$one$two$three" '\000\000\200\100\000\000\240\100\000\000\300\100' >X.npy
  npy '<i8' '(2,)' '\002\000\000\000\000\000\000\000' '\000\000\000\000\000\000\000\000' >at.npy
  expect 0 'Y: f16[2, 2] = 5 6 1 2' run rows.d X=X.npy at=at.npy
  expect 0 'Z: f16[3, 2] = 1 2 4 6 9 12' run rows.d X=X.npy at=at.npy
  expect 0 'Y: f16[2, 2] =' run rows.d
  npy '<i4' '(2,)' '\002\000\000\000' '\003\000\000\000' >beyond.npy
  expect 2 '3 is no place that input at may name: 0 to 2 are' run rows.d at=beyond.npy
  npy '<i4' '(2,)' '\377\377\377\377' '\000\000\000\000' >below.npy
  expect 2 '-1 is no place' run rows.d at=below.npy
  npy '<f4' '(2,)' '\000\000\300\077' '\000\000\000\000' >half.npy
  expect 2 'takes integers of 32 bits, not 1.5' run rows.d at=half.npy

  # outputs have the kernels' one type, whatever comes first in the expression
  printf 'program order\nsizes N = 2\ninput X: f32[N]\ninput w: f16[N]\noutput Y = w * X\n' >order.tp
  expect 0 PROVED certify order.tp order.tp -q --solvers=none -o order.d
  npy '<f4' '(2,)' "$one$two" >X.npy
  npy '<f2' '(2,)' '\000\070\000\074' >w.npy
  expect 0 'Y: f32[2] = 0.5 2' run order.d X=X.npy w=w.npy
fi

# a library, and a C program that calls it
expect 0 PROVED certify scale.tp scale.tp -q --solvers=none -o scale.d --force
expect 0 'libassay_scale.so' build scale.d -o made
for file in libassay_scale.so assay_scale.h interface.json kernel.cu; do
  [ -f "made/$file" ] || fail "build made no $file"
done
cat >call.c <<'EOF'
#include "made/assay_scale.h"
#include <stdio.h>
int main(void) {
  _Alignas(16) float X[6] = {1, 2, 3, 4, 5, 6}, Y[8];
  _Alignas(16) unsigned short w[3] = {0x3800, 0x3c00, 0xc000};
  void *inputs[] = {X, w}, *outputs[] = {Y};
  int status = assay_run_host(inputs, outputs);
  printf("%d %g %g %g\n", status, Y[0], Y[2], Y[5]);
  return status;
}
EOF
"${CC:-gcc}" -std=c11 -Wall -Werror call.c -o call made/libassay_scale.so -Wl,-rpath,"$work/made" >out 2>err || fail "the caller does not compile"
./call >out 2>err
[ "$(cat out)" = '0 0.5 -6 -12' ] || fail "the library gave something else"

# from Python, with integers: the header's types are those of ctypes
if slow from Python && command -v python3 >/dev/null; then
  expect 0 'libassay_rows.so' build rows.d -o rows_made
  cat >call.py <<'EOF'
import ctypes
library = ctypes.CDLL("rows_made/libassay_rows.so")
at = (ctypes.c_int32 * 4)(2, 0)
X = (ctypes.c_uint16 * 8)(0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600)  # 1 2 / 3 4 / 5 6 as f16
Y, Z = (ctypes.c_uint16 * 8)(), (ctypes.c_uint16 * 8)()
inputs = (ctypes.c_void_p * 2)(ctypes.addressof(at), ctypes.addressof(X))
outputs = (ctypes.c_void_p * 2)(ctypes.addressof(Y), ctypes.addressof(Z))
print(library.assay_run_host(inputs, outputs), [hex(x) for x in Y[:4]], [hex(x) for x in Z[4:6]])
for place in (-1, 3, 5000, 2**31 - 1):
    at[1] = place
    assert library.assay_run_host(inputs, outputs) == -4, place  # ASSAY_BAD_PLACE
EOF
  python3 call.py >out 2>err || fail "the library cannot be called from Python"
  [ "$(cat out)" = "0 ['0x4500', '0x4600', '0x3c00', '0x4000'] ['0x4880', '0x4a00']" ] || fail "called from Python the library gave something else"
  grep -q '^ \* Defined where 0 <= at\[..\] < 3, for each element' rows_made/assay_rows.h || fail "the header does not say which integers are places"
  grep -q 'inputs\[0\]  at: int\[2\]' rows_made/assay_rows.h || fail "the header does not name the integers"
fi
[ "$failures" -eq 0 ]
