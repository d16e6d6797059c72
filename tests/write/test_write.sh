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

# masks that are computed outside of kernels: each kernel computes the elements that it reads
mkdir -p small
sed 's/H = 32, M = 4096, E = 128/H = 2, M = 64, E = 16/' "$src/bench/table/prefill.tp" >small/prefill.tp
sed 's/R = 32, U = 128, L = 32, T = 128/R = 4, U = 16, L = 4, T = 16/' "$src/bench/table/prefill.mug" >small/prefill.mug
write triton prefill.triton.py small/prefill.tp small/prefill.mug
golden prefill.triton.py "$here/cases/prefill.triton.py"
expect 2 'what was written is not certified when read back' certify --require=check --solvers=none --to tile small/prefill.tp small/prefill.mug prefill.tile
# not so what is computed of inputs, or is a result
cat >outer.tp <<'T'
program outer
sizes M = 64
input X: f16[M, M]
input Y: f16[M, M]
output Z = exp(X + X) * Y
T
cat >outer.mug <<'T'
mugraph outer_rows
sizes R = 4, U = 16
where M = R * U
D = X + X
kernel rows
  grid x = R
  load d [U, M] = D x -> 0
  load y [U, M] = Y x -> 0
  e = exp(d)
  z = e * y
  store Z [U, M] = z x -> 0
end
T
expect 2 '`D` is computed outside of kernels' certify --require=check --solvers=none --to triton outer.tp outer.mug outer.py
sed 's/^output Z.*/I = iota(size=M)\noutput P = less_equal(I[none, :], I[:, none])\noutput Z = X + Y/' outer.tp >place.tp
sed 's/^D = .*/I = iota(size=M)\nP = less_equal(I[none, :], I[:, none])/; s/= D/= X/; s/^  z = .*/  z = d + y/; /^  e = /d' outer.mug >place.mug
expect 2 '`P` is computed outside of kernels' certify --require=check --solvers=none --to triton place.tp place.mug place.py

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
# .. but not where they are functions of the places
mkdir -p tiles
cat >tiles/turned.tile <<'T'
tile turned
input X: f32[4, 8]
output Y: f32[4, 8]
I = iota(size=8)
J = I * 2 - 7
parallel p = 0 to 4
  load x[i < 8] = X[p, i]
  make y[i < 8] = x[i] * J[7 - i] + if(J[3 + p] <= I[i], 1, 0)
  store Y[p, i] = y[i] over [i < 8]
end
T
cat >tiles/carried.tile <<'T'
tile carried
input X: f32[4, 8]
output Y: f32[8]
I = iota(size=8)
J = I * 2
parallel p = 0 to 1
  for l = 0 to 4
    carry a = I
    load x[i < 8] = X[l, i]
    make y[i < 8] = x[i] * J[7 - i]
    next a = a + y
  end
  store Y[i] = a over [i < 8]
end
T
write triton turned.py tiles/turned.tile tiles/turned.tile
expect 2 'it is computed in one kernel and used in another' certify --require=check --solvers=none --to triton tiles/carried.tile tiles/carried.tile carried.py
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
run_written() { # GIVEN CANDIDATE LANGUAGE..: what is written of them
  given=$1 candidate=$2 name=$(basename "${1%.*}")
  shift 2
  "$python" "$here/inputs.py" "$given" "$name.in" >arguments || fail "no inputs for $name"
  expect 0 '' certify --require=check --solvers=none -q -f -o "$name.result" "$given" "$candidate"
  # shellcheck disable=SC2046
  expect 0 '' run -o "$name.out" "$name.result" $(cat arguments)
  mkdir -p "$name.tvm" "$name.triton"
  for to; do
    write "$to" "$name.$to.py" "$given" "$candidate"
  done
  for want in "$name.out"/*.npy; do
    # shellcheck disable=SC2046
    if [ "$tvm" ] && [ -f "$name.tensorir.py" ]; then
      "$python" "$here/run_tensorir.py" run "$name.tensorir.py" "$name.tvm" $(cat arguments) >out 2>err || fail "TVM does not run $name"
      compare "$name.tvm/$(basename "$want")" "$want"
    fi
    # shellcheck disable=SC2046
    if [ "$triton" ] && [ -f "$name.triton.py" ]; then
      "$python" "$here/run_triton.py" run "$name.triton.py" "$name.triton" $(cat arguments) >out 2>err || fail "Triton does not run $name"
      compare "$name.triton/0.npy" "$want"
    fi
  done
}
if [ "$tvm$triton" ]; then
  run_written "$src/examples/lora.tp" "$src/examples/lora.mug" tensorir triton
  run_written small/prefill.tp small/prefill.mug tensorir triton
  run_written tiles/turned.tile tiles/turned.tile tensorir triton
  run_written tiles/carried.tile tiles/carried.tile tensorir
  # the block graph that a kernel of Triton has, as a kernel of Triton again
  # shellcheck disable=SC2046
  expect 0 '1 certified' optimize "$src/tests/ttir/own/attention.tp" --search=none --offer="$src/tests/ttir/own/attention.ttir" \
    --literals=decimal --writes-all $(sed -n 's/^attention [a-z]* //p' "$src/tests/ttir/own/launches") --solvers=none --no-cache -o own
  run_written own/program.tp own/candidate.mug tensorir triton
fi
if [ "$triton" ]; then
  # at the size of the table too, where the blocks of three stages take more shared memory than there is
  write triton table.triton.py "$src/bench/table/prefill.tp" "$src/bench/table/prefill.mug"
  for name in gqa softmax lora prefill table; do
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
