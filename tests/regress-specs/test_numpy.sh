#!/bin/sh
# The library's operators against NumPy and PyTorch, where they are installed (tests/regress-specs/numpy_ops.py).  PYTHON names another interpreter.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
python=
for p in ${PYTHON:-python3 /usr/bin/python3}; do # the first that has NumPy
  if [ -z "$python" ] && "$p" -c 'import numpy' 2>/dev/null; then python=$p; fi
done
script=$src/tests/regress-specs/numpy_ops.py
[ -n "$python" ] || { echo "SKIP: NumPy is not installed; the operators are not compared with it"; exit 77; }
"$assay" ops | sed 's/^op \([a-z0-9_]*\)(.*/\1/' >names
compare() { "$python" "$script" "$build/tests/regress-specs/op_eval" "$1" <names >out 2>err; }
compare "$src/semantics"
st=$?
cat out
[ "$st" -eq 0 ] || fail 'the specifications differ from NumPy'
# the comparison sees a wrong specification
cp -R "$src/semantics" sem
chmod -R u+w sem
sed '/^op mean/,/^$/ s|) / n$|) / (n - 1)|' "$src/semantics/reduce.sem" >sem/reduce.sem
compare sem && fail 'a mean over n - 1 is taken for the mean'
grep -q '^FAIL: mean of ' out || fail 'the wrong operator is not named'
finish
