#!/bin/sh
# Programs of many operators against themselves, and against copies with one segment replaced: proved at once, with certificates that grow with the program.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
command -v python3 >/dev/null || { echo 'skipped: there is no python3'; exit 77; }
check=$build/assay-check

# certified NAME GIVEN CANDIDATE: prints the size of the certificate
certified() {
  expect 0 'PROVED' certify --require=check --solvers=none -q -o result "$2" "$3"
  "$check" -q --sem "$src/semantics" "$2" "$3" result/certificate.cert >out 2>err || fail "$1: the checker does not accept"
  bytes=$(wc -c <result/certificate.cert)
  echo "$1: $bytes bytes"
  rm -rf result
}
for n in 1 2 4 8; do
  python3 "$src/tests/prove/layers.py" $n >layers$n.tp
  certified "$n layers, itself" layers$n.tp layers$n.tp
  eval "size$n=$bytes"
done
# as much for each layer: eight take less than nine times one
[ "$size8" -lt $((9 * size1)) ] || fail "certificates of 1, 2, 4, 8 layers have $size1, $size2, $size4, $size8 bytes"
# and so does the time: written-out bodies and sets of hypotheses once made it grow like a cube (40 s for these; now less than one)
python3 "$src/tests/prove/layers.py" 20 >layers20.tp
(ulimit -t 20 && exec "$assay" certify --require=check --solvers=none -q layers20.tp layers20.tp) >out 2>err ||
  fail '20 layers take more than 20 seconds, or are not proved'
for tensor in y1 h1; do
  for n in 1 2; do
    python3 "$src/tests/prove/layers.py" $n $tensor >layers$n.mug
    certified "$n layers, $tensor a block graph" layers$n.tp layers$n.mug
  done
done
# a segment that is wrong is not certified
sed 's/acc s = sum p/acc s = max p/' layers2.mug >wrong.mug
"$assay" certify --require=check --solvers=none -q -o result layers2.tp wrong.mug >out 2>err && fail 'a wrong segment is certified'
rm -rf result
for name in norms2 norms6 transformer1 transformer2; do
  for program in "$src"/../shared/data/programs/*/$name.tp; do
    [ -e "$program" ] || { echo "$name: skipped, the program is not here"; continue; }
    certified "$name, itself" "$program" "$program"
  done
done
finish
