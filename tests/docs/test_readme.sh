#!/bin/sh
# The commands of README.md run as they are shown there, and say what is shown, numbers apart.
command -v python3 >/dev/null || { echo 'skipped: there is no python3'; exit 77; }
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
unset ASSAY_NO_TRY # trials are part of what is shown
PATH=$build:$PATH
export PATH
mkdir readme
for folder in examples semantics tests; do ln -s "$src/$folder" "readme/$folder"; done
# the array that `assay run` is given: ones, of the extents of X
python3 - <<'EOF' || fail 'no array'
import struct

header = "{'descr': '<f2', 'fortran_order': False, 'shape': (16, 4096), }".ljust(117) + '\n'
with open('readme/x.npy', 'wb') as file:
    file.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode())
    file.write(struct.pack('<e', 1) * 16 * 4096)
EOF
# baselines of all examples take minutes: tests/regress-specs has them
python3 "$src/tests/docs/readme.py" "$src/README.md" readme regress 'cp -r semantics' changed/reduce.sem >out 2>err || fail 'README.md shows something else'
cat out
finish
