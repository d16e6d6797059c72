#!/bin/sh
# What becomes of a tile program of any form that is certified: explained, run, built, checked; and not once it is changed.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
cases=$src/tests/ttir/cases
tiles=$src/tests/lower/tiles

# a given tile program: two loops over rows that are cut off, a maximum and a sum carried
expect 0 PROVED certify -q "$tiles/softmax.tile" "$tiles/softmax.tile" --solvers=none -o made
[ -f made/program.tile ] || fail "no program.tile"
expect 0 VERIFIED check -q made
expect 0 'the tile program online_softmax has the outputs Y[B, M, N]' explain made
expect 0 '"accepted": true' explain --json made
expect 0 'Y: f32[2, 3, 100] = ' run made -o arrays
[ -s arrays/Y.npy ] || fail "no array"
expect 0 'libassay_online_softmax.so' build made -o library
grep -q '"program": "online_softmax"' library/interface.json || fail "the library's interface"
grep -q 'parallel\|instance' library/kernel.cu || fail "no kernel"
expect 2 'has no tilings' bench --tune=host made

# the numbers: rows of equal numbers have equal shares
python3 - <<'PY' || fail "no input"
import struct
def npy(path, shape, numbers):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s,), }" % ", ".join(map(str, shape))
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<%df" % len(numbers), *numbers))
npy("x.npy", (2, 3, 100), [3.0] * 600)
npy("short.npy", (2, 3, 99), [3.0] * 594)
PY
expect 0 'Y: f32[2, 3, 100] = 0.01 0.01 0.01' run made X=x.npy
expect 2 'has other extents' run made X=short.npy
expect 2 'is no INPUT=FILE.npy' run made W=x.npy

# a candidate that is another one than was certified, and none that is
cp -r made changed
sed 's/carry s = nothing/carry s = low/' made/candidate.tile >changed/candidate.tile
expect 1 'does not prove' run changed
expect 1 'does not prove' build changed -o library2
expect 1 'does not prove' bench changed
rm changed/certificate.cert
expect 2 'has no certificate' run changed
[ ! -e library2 ] || fail "something of it was built"

# a given .tp; its size left to run time is the launch's, and no library is made for all of them
expect 0 PROVED certify -q "$cases/row_softmax.tp" "$cases/row_softmax.tile" --solvers=none -o rows
expect 0 ' = ' run rows
printf '%s\n' 'program doubled' 'sizes N <= 100' 'input X: f32[N]' 'output Y = X + X' >doubled.tp
printf '%s\n' 'tile doubled' 'sizes N' 'input X: f32[N]' 'output Y: f32[N]' 'parallel p = 0 to (N + 31) div 32' \
  '  load x[i < 32] = X[32 * p + i] where 32 * p + i < N else 0' \
  '  store Y[32 * p + i] = 2 * x[i] over [i < 32] where 32 * p + i < N' 'end' >doubled.tile
expect 0 PROVED certify -q doubled.tp doubled.tile --solvers=none -o doubled
expect 0 'Y: f32[33] = ' run doubled N=33
expect 0 'Y: f32[100] = ' run doubled
expect 2 'N is left to run time' build doubled
expect 2 'is no integer' run doubled N=x
# the certificate is for sizes at which the stated relations hold
expect 2 'N is 200, and goes from 1 to 100' run doubled N=200
expect 2 'N is 0, and goes from 1 to 100' run doubled N=0

[ $failures -eq 0 ]
