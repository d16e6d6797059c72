#!/bin/sh
# The Python package beside the built `assay`.  PYTHON names an interpreter that has PyTorch; where there is none the test is skipped,
# and says so.  `make check-python` makes a fresh virtual environment first and installs the package into it.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
python=
for p in ${PYTHON:-python3 /usr/bin/python3}; do
  if [ -z "$python" ] && "$p" -c 'import torch' 2>/dev/null; then python=$p; fi
done
[ -n "$python" ] || {
  echo "SKIP: PyTorch is not installed (set PYTHON to an interpreter that has it, or run make check-python)"
  exit 77
}
ASSAY=$assay ASSAY_CACHE=$work/cache
export ASSAY ASSAY_CACHE
"$python" -c 'import assay' 2>/dev/null || { PYTHONPATH=$src/python; export PYTHONPATH; }
"$python" "$src/tests/python/certify.py" >out 2>err || fail "a pair is judged wrongly: $(grep FAIL out)"
"$python" "$src/tests/python/cheats.py" --page page.md >out 2>err || fail "a cheat is judged wrongly: $(grep FAIL out)"
for title in page.md "$src/docs/cheats.md"; do grep '^## ' "$title"; done | sort | uniq -u >differ
[ ! -s differ ] || fail "docs/cheats.md is not of these pairs: $(cat differ)"
"$python" "$src/tests/python/rows.py" >out 2>err || fail "a row of the table is wrong: $(grep FAIL out)"
"$python" "$src/tests/python/use.py" >out 2>err || fail "the package does not do what is said of it"
"$python" "$src/tests/python/odd.py" >out 2>err || fail "an odd argument or function is taken for another"
"$python" "$src/tests/python/types_and_classes.py" >out 2>err || fail "a type, a class or a mode is taken for another"
"$python" "$src/tests/python/borders.py" >out 2>err || fail "a border of what is exported is crossed unseen: $(grep '^\(FAIL\|ERROR\)' err)"
"$python" "$src/tests/python/near_misses.py" >out 2>err || fail "a near miss is judged wrongly: $(grep WRONG out)"
"$python" "$src/tests/python/backend.py" >out 2>err || fail "torch.compile, copies, threads or processes go wrong"
"$python" "$src/tests/python/attention.py" >out 2>err || fail "attention is not what PyTorch says"
"$python" "$src/tests/python/found.py" >out 2>err || fail "attention that is written out is taken for what it is not"
"$python" "$src/tests/python/moves.py" >out 2>err || fail "moves of elements that are brought together are others"
"$python" "$src/tests/python/measured.py" >out 2>err || fail "what is measured is not what is done"
if "$python" -c 'import onnx' 2>/dev/null; then
  "$python" "$src/tests/python/onnx_cases.py" >out 2>err || fail "a model of ONNX is not what it says"
  "$python" "$src/tests/python/onnx_agreement.py" >out 2>err || fail "a model of ONNX is not what onnxruntime says: $(grep '^\(FAIL\|ERROR\)' err)"
  "$python" "$src/tests/python/onnx_optimized.py" >out 2>err || fail "what an optimizer makes of a model is judged wrongly: $(grep '^\(FAIL\|ERROR\)' err)"
else
  echo "the package onnx is not installed: models of ONNX are not tried"
fi
. "$src/tests/python/install.sh"
[ "$failures" -eq 0 ]
