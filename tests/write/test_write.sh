#!/bin/sh
# Tile programs and muGraphs written for other systems: what is written, what cannot be, and what is left of general tile programs
# (--out, --to, --junit).  Where TVM and Triton are (AS_PYTHON), what is written is run and compared.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
cases=$src/tests/ttir/cases tiles=$src/tests/tile/cases here=$src/tests/write
python=${AS_PYTHON:-python3}
shared=${AS_SHARED:-$src/../shared}
softmax="--writes-all --grid 3 --argument x=15 --argument y=15 --argument n=5"

write() { # FORMAT FILE GIVEN CANDIDATE OPTIONS..: certified and written
  to=$1 file=$2 given=$3 candidate=$4
  shift 4
  expect 0 PROVED certify --require=check --solvers=none --to "$to" "$@" "$given" "$candidate" "$file"
  [ -s "$file" ] || fail "$file is not written"
}

# a kernel of Triton, and a muGraph, in both languages
# shellcheck disable=SC2086
for to in tensorir triton; do
  write $to softmax.$to.py "$cases/row_softmax.tp" "$cases/row_softmax.ttir" --from triton $softmax
  golden softmax.$to.py "$here/cases/softmax.$to.py"
  write $to lora.$to.py "$src/examples/lora.tp" "$src/examples/lora.mug"
  write $to gqa.$to.py "$src/bench/table/gqa_2.tp" "$src/bench/table/gqa_2.mug"
done
write tile lora.tile "$src/examples/lora.tp" "$src/examples/lora.mug"

# a general tile program leaves a directory that is checked, and no other
# shellcheck disable=SC2086
expect 0 PROVED certify --require=check --solvers=none --from triton $softmax -o result --junit verdicts.xml "$cases/row_softmax.tp" "$cases/row_softmax.ttir"
grep -q 'failures="0" errors="0"' verdicts.xml || fail "the JUnit file has another verdict"
expect 0 'VERIFIED: certificate accepted' check result
sed -i 's/max(k0 < 8)/min(k0 < 8)/' result/candidate.tile
expect 1 'NOT VERIFIED' check result
expect 0 PROVED certify --require=check --solvers=none -o between "$tiles/rows.tile" "$tiles/rows.tile"
[ -f between/program.tile ] || fail "the given tile program is not in the directory"
expect 0 'VERIFIED: certificate accepted' check between
expect 1 REFUTED certify --solvers=none -o wrong --junit wrong.xml --to tensorir "$tiles/rows.tp" "$tiles/rows_far.tile" wrong.py
grep -q 'failures="1"' wrong.xml || fail "the refuted case is no failure"
if [ -e wrong ] || [ -e wrong.py ]; then
  fail "something is left of what is refuted"
fi

# what cannot be said is named
cat >choice.tile <<'T'
tile choice
input X: f32[8]
output Y: f32[8]
parallel p = 0 to 1
  load x[i < 8] = X[i]
  make y[i < 8] = x[7 - i]
  store Y[i] = y over [i < 8]
end
T
expect 2 'read at computed places' certify --require=check --solvers=none --to triton choice.tile choice.tile choice.py
[ ! -e choice.py ] || fail "a file is left of what cannot be written"
write tensorir choice.py choice.tile choice.tile
expect 2 'a file of mirage holds no tile programs' certify --require=check --solvers=none --to mirage choice.tile choice.tile out.json
sed 's/^input X: f32.8./sizes N\ninput X: f32[N]/; s/f32.8./f32[N]/; s/< 8/< N/; s/7 - i/N - 1 - i/' choice.tile >unvalued.tile
expect 2 'the size N has no value' certify --require=check --solvers=none --to tensorir unvalued.tile unvalued.tile out.py

# ---- run
"$python" "$here/run_triton.py" check >said 2>&1 && triton=yes || { triton='' && cat said; }
"$python" "$here/run_tensorir.py" check >said 2>&1 && tvm=yes || { tvm='' && cat said; }

# what a result of `assay run` holds for the same inputs, by the emulation of the lowered kernels
compare() { # FILE WANTED
  "$python" - "$1" "$2" <<'P' || fail "$1 is not what the lowered program computes"
import sys
import numpy as np
got, want = (np.load(path).astype(np.float64).reshape(-1) for path in sys.argv[1:])
error = np.linalg.norm(got - want) / np.linalg.norm(want)
print(f"same: {sys.argv[1]}: relative error {error:.2g}" if error < 5e-3 else f"DIFFERS: {error}")
sys.exit(not error < 5e-3)
P
}
run_graph() { # NAME: of examples, in both languages
  name=$1
  "$python" "$here/inputs.py" "$src/examples/$name.tp" "$name.in" >arguments || fail "no inputs for $name"
  expect 0 '' certify --require=check --solvers=none -q -o "$name.result" "$src/examples/$name.tp" "$src/examples/$name.mug"
  # shellcheck disable=SC2046
  expect 0 '' run -o "$name.out" "$name.result" $(cat arguments)
  mkdir -p "$name.tvm" "$name.triton"
  write tensorir "$name.tensorir.py" "$src/examples/$name.tp" "$src/examples/$name.mug"
  write triton "$name.triton.py" "$src/examples/$name.tp" "$src/examples/$name.mug"
  for want in "$name.out"/*.npy; do
    # shellcheck disable=SC2046
    if [ "$tvm" ]; then
      "$python" "$here/run_tensorir.py" run "$name.tensorir.py" "$name.tvm" $(cat arguments) >out 2>err || fail "TVM does not run $name"
      compare "$name.tvm/$(basename "$want")" "$want"
    fi
    # shellcheck disable=SC2046
    if [ "$triton" ]; then
      "$python" "$here/run_triton.py" run "$name.triton.py" "$name.triton" $(cat arguments) >out 2>err || fail "Triton does not run $name"
      compare "$name.triton/0.npy" "$want"
    fi
  done
}
if [ "$tvm$triton" ]; then
  run_graph lora
fi
if [ "$triton" ]; then
  for name in gqa softmax lora; do
    "$python" "$here/run_triton.py" compile "$name.triton.py" >out 2>err || fail "Triton does not compile $name"
    cat out
  done
fi

# kernels of others, each as it was recorded; the smaller ones
if [ "$tvm" ] && [ -d "$shared/data/ttir/dev" ]; then
  set --
  for kernel in "$shared"/data/ttir/extra/*.ttir "$shared"/data/ttir/dev/*.ttir; do
    [ "$(wc -c <"$kernel")" -lt "${AS_WRITE_BYTES:-9000}" ] || continue
    name=$(basename "$kernel" .ttir)
    timeout 20 "$assay" certify -q --from triton --require=check --solvers=none --to tensorir "$kernel" "$kernel" "k_$name.py" >out 2>err || continue
    set -- "$@" "k_$name.py" "${kernel%.ttir}.json"
    [ $# -lt $((2 * ${AS_WRITE_MOST:-40})) ] || break
  done
  timeout 900 "$python" "$here/run_tensorir.py" cases "$@" >out 2>err || fail "a kernel is not what was recorded"
  echo "$(grep -c '^same' out) kernels of Triton, written as TensorIR and run, are as recorded"
  [ "$(grep -c '^same' out)" -ge "${AS_WRITE_LEAST:-30}" ] || fail "fewer than 30 kernels were compared"
fi
finish
