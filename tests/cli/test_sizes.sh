#!/bin/sh
# Sizes left to run time, `sizes B <= 37`: one library serves them all, refuses others, and what cannot serve all is refused when it is made.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
TMPDIR=$work
export TMPDIR

cat >rows.tp <<'EOF'
program rows
sizes B >= 0 <= 37, D = 40
input X: f16[B, D]
output Y = softmax(X)
output S = sum(X, axis=1) / 8
EOF
cat >rows.mug <<'EOF'
mugraph rows
sizes G >= 0 = 3, U = 16
where G = (B + U - 1) div U
kernel k
  grid x = G
  load x [U upto B, D] = X x -> 0
  y = softmax(x)
  s = sum(x, axis=1) / 8
  store Y [U upto B, D] = y x -> 0
  store S [U upto B] = s x -> 0
end
EOF
expect 0 PROVED certify rows.tp rows.mug -q --solvers=none -o rows.d
# the theorem is of all sizes, and does not speak of the bound
grep -q '"theorem": "For all integers B, D, G, U with' rows.d/report.json || fail "the theorem is not of all sizes"

grep -q '"run_time_sizes": {' rows.d/report.json || fail "the report does not say what is left to run time"

# the same numbers as a program of that size alone
for extent in 1 17; do
  expect 0 "Y: f16[$extent, 40] =" run rows.d "B=$extent" --seed=5
  mv out of_all
  sed "s/B >= 0 <= 37/B = $extent/" rows.tp >one.tp
  expect 0 PROVED certify one.tp one.tp -q --solvers=none -o one.d --force
  expect 0 "Y: f16[$extent, 40] =" run one.d --seed=5
  cmp -s out of_all || fail "at $extent the kernel for all sizes gives other numbers than the one for it"
done
expect 0 'Y: f16[37, 40] =' run rows.d
expect 0 'Y: f16[0, 40] =' run rows.d B=0

# what is not taken
expect 2 'B is 38, and goes from 0 to 37' run rows.d B=38
expect 2 'B is -1, and goes from 0 to 37' run rows.d B=-1
expect 2 'B=many: is no integer' run rows.d B=many
expect 2 'B=: is no integer' run rows.d B=
expect 2 'B=99999999999999999999: is no integer' run rows.d B=99999999999999999999
expect 2 'no SIZE=NUMBER of a size that is left to run time' run rows.d D=40
expect 2 'no SIZE=NUMBER of a size that is left to run time' run one.d B=37

# where one kernel does not serve all sizes, none is made
sed -e 's/sizes G >= 0 = 3, U = 16/sizes G = 1, U = 37/' -e 's/where G = .*/where B = G * U/' -e 's/ upto B//' rows.mug >exact.mug
sed 's/B >= 0/B/' rows.tp >from_one.tp
expect 0 PROVED certify from_one.tp exact.mug -q --solvers=none -o exact.d
expect 0 'Y: f16[5, 40] =' run exact.d B=5
sed 's/G = 1, U = 37/G = 2, U = 16/' exact.mug >sixteen.mug
sed 's/<= 37/<= 32/' from_one.tp >to_32.tp
expect 0 PROVED certify to_32.tp sixteen.mug -q --solvers=none -o sixteen.d
expect 2 '`B = G*U` is not known to hold at all sizes that are left to run time' run sixteen.d B=16
expect 2 '`B = G*U` is not known to hold at all sizes that are left to run time' build sixteen.d -o none

# only a program leaves sizes to run time
sed 's/U = 16/U <= 16/' rows.mug >ranged.mug
expect 2 'only sizes of a program are left to run time' certify rows.tp ranged.mug
printf 'rule r\nsizes N <= 4\ntensor x[N]\nlhs x + x\nrhs 2 * x\n' >ranged.rule
expect 2 'only sizes of a program are left to run time' certify ranged.rule

# the given program says the range, whatever a program as its candidate says
printf 'program given\nsizes B <= 8, N = 4\ninput X: f32[B, N]\noutput Y = sum(X, axis=0)\n' >given.tp
for says in 'B >= 0 <= 8' 'B = 8' B; do
  sed "s/B <= 8/$says/" given.tp >says.tp
  expect 0 PROVED certify given.tp says.tp -q --solvers=none -o given.d --force
  expect 2 'B is 0, and goes from 1 to 8' run given.d B=0
  expect 2 'B is 9, and goes from 1 to 8' run given.d B=9
done
expect 0 'Y: f32[4] =' run given.d B=3
sed 's/B <= 8/B = 8/' given.tp >eight.tp
expect 0 PROVED certify eight.tp given.tp -q --solvers=none -o given.d --force
expect 2 'no SIZE=NUMBER of a size that is left to run time' run given.d B=3

# what the program asks of its sizes is asked of each launch
cat >slice.tp <<'EOF'
program slices
sizes B <= 12, C <= 12
where B <= C
input X: f32[B]
input Z: f32[C]
output Y = X[0:3]
output W = Z[0:B] + X
EOF
expect 0 PROVED certify slice.tp slice.tp -q --solvers=none -o slice.d
expect 0 'W: f32[4] =' run slice.d B=4 C=7
expect 2 'the program asks for 3 <= B' run slice.d B=2 C=7
expect 2 'the program asks for B <= C' run slice.d B=5 C=4

# a library: C, with the functions of the header
expect 0 'libassay_rows.so' build rows.d -o made
grep -q 'inputs\[0\]  X: f16\[B, 40\]' made/assay_rows.h || fail "the header does not say the extents"
grep -q 'sizes\[0\]  B: from 0 to 37' made/assay_rows.h || fail "the header does not say the sizes"
grep -q '{"name": "B", "least": 0, "most": 37}' made/interface.json || fail "interface.json does not say the sizes"
cat >call.c <<'EOF'
#include "made/assay_rows.h"
#include <stdio.h>
static _Alignas(16) unsigned short X[37 * 40], Y[38 * 40], S[48];
int main(void) {
  void *inputs[] = {X}, *outputs[] = {Y, S};
  for (int i = 0; i < 37 * 40; i++)
    X[i] = 0x3c00;
  for (long long B = 0; B <= 37; B++) {
    for (int i = 0; i < 38 * 40; i++)
      Y[i] = 0xaaaa;
    if (assay_input_bytes(0, &B) != (size_t)B * 80 || assay_output_bytes(1, &B) != (size_t)B * 2)
      return 10;
    if (assay_run_host(inputs, outputs, &B) != 0)
      return 11;
    for (int i = 0; i < 38 * 40; i++)
      if (Y[i] != (i < B * 40 ? 0x2666 : 0xaaaa)) /* 1/40, and nothing beyond */
        return 12;
  }
  long long wrong[] = {-1, 38, 1LL << 40};
  for (int i = 0; i < 3; i++)
    if (assay_run_host(inputs, outputs, &wrong[i]) != ASSAY_BAD_SIZE ||
        assay_launch(inputs, outputs, 0, 0, &wrong[i]) != ASSAY_BAD_SIZE)
      return 13;
  puts(assay_size_error(wrong));
  return 0;
}
EOF
"${CC:-gcc}" -std=c11 -Wall -Werror call.c -o call made/libassay_rows.so -Wl,-rpath,"$work/made" >out 2>err || fail "the caller does not compile"
./call >out 2>err || fail "the library gave something else"
[ "$(cat out)" = 'B goes from 0 to 37' ] || fail "the library does not say what is wrong"

# from Python
if command -v python3 >/dev/null; then
  cat >call.py <<'EOF'
import ctypes
library = ctypes.CDLL("made/libassay_rows.so")
library.assay_size_error.restype = ctypes.c_char_p
X = (ctypes.c_uint16 * (16 * 40))(*[0x3c00] * (5 * 40))
Y, S = (ctypes.c_uint16 * (16 * 40))(), (ctypes.c_uint16 * 8)()
inputs = (ctypes.c_void_p * 1)(ctypes.addressof(X))
outputs = (ctypes.c_void_p * 2)(ctypes.addressof(Y), ctypes.addressof(S))
five, many = (ctypes.c_longlong * 1)(5), (ctypes.c_longlong * 1)(64)
print(library.assay_run_host(inputs, outputs, five), hex(Y[199]), Y[200], hex(S[4]), S[5])
print(library.assay_run_host(inputs, outputs, many), library.assay_size_error(many).decode())
EOF
  python3 call.py >out 2>err || fail "the library cannot be called from Python"
  [ "$(cat out)" = "0 0x2666 0 0x4500 0
-2 B goes from 0 to 37" ] || fail "called from Python the library gave something else"
fi

# the search offers what serves all sizes: rows one by one, whose thread graph is validated; products with tiles that overhang
cat >norm.tp <<'EOF'
program norm
sizes B >= 0 <= 48, D = 512
input X: f16[B, D]
input G: f16[D]
output Y = rms_norm(X) * G
EOF
expect 0 norm.d optimize norm.tp -q --solvers=none --no-cache -o norm.d
grep -q '"validated": true' norm.d/report.json || fail "rows have no validated thread graph"
expect 0 VERIFIED check -q norm.d
cat >gated.tp <<'EOF'
program gated
sizes B <= 19, D = 64, N = 32
input X: f16[B, D]
input W: f16[D, N]
input V: f16[D, N]
output Y = silu(X @ W) * (X @ V)
EOF
expect 0 gated.d optimize gated.tp -q --solvers=none --no-cache -o gated.d
for name in norm gated; do
  sed 's/B .*<= [0-9]*/B = 17/' "$name.tp" >fixed.tp
  expect 0 PROVED certify fixed.tp fixed.tp -q --solvers=none -o fixed.d --force
  expect 0 'Y: f16[17' run fixed.d --seed=3
  cut -d' ' -f1-6 out >of_one
  expect 0 'Y: f16[17' run "$name.d" B=17 --seed=3
  # another kernel may round elsewhere, so the last of the 11 bits may differ
  cut -d' ' -f1-6 out | paste -d' ' - of_one | awk '{ for (i = 5; i <= 6; i++) { d = $i - $(i + 6); d = d < 0 ? -d : d
      if ($i == 0 || d > 1e-3 * ($i < 0 ? -$i : $i)) exit 1 } }' || fail "$name: other numbers than the program at that size"
done
[ "$failures" -eq 0 ]
