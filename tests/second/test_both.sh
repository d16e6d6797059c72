#!/bin/sh
# `assay check --checkers=both`: both accept, both reject, they differ, and there is no Python.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
python=${PYTHON3:-python3}
command -v "$python" >/dev/null || { echo "skipped: there is no $python"; exit 77; }

expect 0 PROVED certify "$src/examples/lora.tp" "$src/examples/lora.mug" --require=check --solvers=none -q -o lora.d
expect 0 'assay-check accepts, the second checker accepts' check --checkers=both lora.d
expect 0 'VERIFIED: certificate accepted by both checkers' check --checkers=both -q lora.d
expect 0 '"checkers": 2, "checkers_differ": 0' check --checkers=both -j lora.d
expect 0 'VERIFIED: certificate accepted, files unchanged' check --checkers=first -q lora.d
expect 2 checkers check --checkers=second lora.d

# a tile program, by its text
expect 0 PROVED certify "$src/tests/tile/cases/product.tp" "$src/tests/tile/cases/product.tile" --require=check --solvers=none -q -o tile.d
expect 0 'assay-check accepts, the second checker accepts' check --checkers=both tile.d
sed -i '$d' tile.d/certificate.cert
expect 1 'assay-check rejects, the second checker rejects' check --checkers=both tile.d

# rules, each with its certificate
expect 0 proved certify "$src/examples/rules/axon.rule" --solvers=none -q -o rules.d
expect 0 'certificates accepted by both checkers' check --checkers=both rules.d

# a certificate that both reject
cp -r lora.d broken.d
sed '$d' lora.d/certificate.cert >broken.d/certificate.cert
expect 1 'assay-check rejects, the second checker rejects' check --checkers=both broken.d

# a second checker that judges otherwise, by either way of judging: nothing passes
for status in 1 2; do
  printf '#!/bin/sh\nexit %s\n' "$status" >other && chmod +x other
  PYTHON3=$work/other
  export PYTHON3
  expect 1 'THE CHECKERS DIFFER' check --checkers=both -q lora.d
  expect 1 'NOT VERIFIED' check --checkers=both -q lora.d
  expect 1 '"accepted": false' check --checkers=both -j lora.d
done
printf '#!/bin/sh\nexit 0\n' >other
expect 1 'THE CHECKERS DIFFER' check --checkers=both -q broken.d

# one that fails, or cannot be run, is no verdict
printf '#!/bin/sh\nexit 4\n' >other
expect 4 'the second checker' check --checkers=both lora.d
printf '#!/bin/sh\nkill -9 $$\n' >other
expect 4 'signal 9' check --checkers=both lora.d
PYTHON3=$work/nowhere
expect 4 'the second checker needs Python 3' check --checkers=both lora.d
grep -q VERIFIED out && fail "it passes without Python"
[ "$failures" -eq 0 ]
