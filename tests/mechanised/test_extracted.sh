#!/bin/sh
# The checker extracted from the proofs in Coq, where it is built (make mechanised): what `assay check --checkers=all` says, that an
# absent checker is named, and that it and assay-check agree on claims with loops and on changed claims and certificates.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
extracted=$build/assay-check-extracted
expect 0 PROVED certify "$src/examples/lora.tp" "$src/examples/lora.mug" --require=check --solvers=none -q -o lora.d
PYTHON3=$work/nowhere expect 0 'the second checker is not there' check --checkers=all lora.d
[ -x "$extracted" ] || { echo 'skipped: the extracted checker is not built (make mechanised)'; [ "$failures" -eq 0 ] && exit 77; exit 1; }

expect 0 'the extracted checker accepts' check --checkers=all lora.d
expect 0 PROVED certify "$src/tests/tile/cases/product.tp" "$src/tests/tile/cases/product.tile" --require=check --solvers=none -q -o tile.d
expect 0 'the extracted checker accepts' check --checkers=all tile.d
cp -r lora.d broken.d
sed '$d' lora.d/certificate.cert >broken.d/certificate.cert
expect 1 'the extracted checker rejects' check --checkers=all broken.d
printf '#!/bin/sh\nexit 1\n' >elab && chmod +x elab
ASSAY_ELAB=$work/elab expect 1 'THE CHECKERS DIFFER' check --checkers=all lora.d

# claim files: each certificate of the kernel's tests, and claims that are not to be read
for certificate in "$src"/tests/checker/data/*.cert; do
  "$extracted" "${certificate%.cert}.goals" "$certificate" >out 2>&1 || fail "$certificate: $(cat out)"
done
# claim LINE..: what is said of a claim of these lines, with a goal that is true, and of its proof
claim() {
  { printf '%s\n' "q =0 =1" "= t0 t0" "$@" "goal g t1 |"; } >own.goals
  printf '%s\n' "assay-cert 1" "q =0 =1" "= t0 t0" "arith t1 |" "qed g s0" >own.cert
  status=0
  "$extracted" own.goals own.cert >out 2>&1 || status=$?
}
takes() { claim "$@"; [ "$status" -eq 0 ] || fail "$*: $(cat out)"; }
refuses() { claim "$@"; [ "$status" -eq 2 ] || fail "$*: status $status, 2 is expected"; }
takes
takes "app 'T ':r" "= t2 t0" "define t3"
takes "b =0 'i" "app 'T 'i:i t2" "= t3 t2" "all =1 t4" "define t5"
refuses "app 'T ':r" "= t2 t0" "define t3" "define t3"                                # twice
refuses "app 'T ':r" "q =1 =1" "+ t2 t3" "= t2 t4" "define t5"                        # T = T + 1
refuses "app 'T ':r" "app 'U ':r" "= t2 t3" "define t4" "= t3 t2" "define t5"         # T = U, U = T
refuses "app 'func.sin 'r:r t0" "b =0 'i" "app 'func.sin 'i:r t2" "app 'func.sin 'r:r t3" "= t5 t0" "all =1 t6" "define t7"
refuses "q =1 =2" "app 'T ':i" "= t3 t2" "define t4"                                  # an integer that is a half
refuses "app 'T ':r" "<= t2 t0" "define t3"                                           # no equation
refuses "b =0 'i" "app 'T 'i:r t2" "= t3 t0" "= t0 t0" "all =1 t5 t4" "define t6"     # under a condition
refuses "b =0 'i" "b =1 'i" "app 'T 'ii:r t3 t2" "= t4 t0" "all =2 t5" "define t6"    # parameters in another order
refuses loop                                                                          # not closed
refuses end
refuses "assume t0"                                                                   # a term
# R[l] for l <= 0 is 0, and R[l + 1] is what stands behind `step`: term 16
loop() { recursion 0 "$@"; }
recursion() {
  base=$1 step=$2
  shift 2
  set -- "b =0 'i" "app 'R 'i:r t2" "= t3 t$base" "<= t2 t0" "all =1 t5 t4" "q =1 =1" "+ t2 t7" "app 'R 'i:r t8" "$@"
  n=$(($# + 2))
  claim "$@" "= t9 t$step" "<= t0 t2" "all =1 t$((n + 1)) t$n" loop "carry t6 t$((n + 2))" end
}
loop 3 || true
[ "$status" -eq 0 ] || fail "R[l + 1] = R[l]: $(cat out)"
loop 9
[ "$status" -eq 2 ] || fail "R[l + 1] = R[l + 1] is taken"
loop 10 "* t9 t7"
[ "$status" -eq 2 ] || fail "R[l + 1] = R[l + 1] * 1 is taken"
recursion 3 3
[ "$status" -eq 2 ] || fail "before the first iteration, R = R is taken"
[ "$failures" -eq 0 ]
