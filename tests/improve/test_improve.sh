#!/bin/sh
# Kernels of Triton made cheaper: what is found, what may not be touched, certificates that are checked; the published rules refuted where
# they lack a condition. Where kernels of others are, how many of them improve.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
cases=$src/tests/improve/cases
shared=${AS_SHARED:-$src/../shared}

improve() { # STATUS WORDS NAME OPTIONS..
  want=$1 words=$2 name=$3
  shift 3
  expect "$want" "$words" optimize --from triton --solvers=none -o "$name" "$@" "$cases/$name.ttir"
  [ ! -e "$name.ttir" ] || fail "$name.ttir is left behind"
  [ "$want" -ne 0 ] || expect 0 'VERIFIED: certificate accepted' check "$name"
}
certify() { # STATUS WORDS GIVEN CANDIDATE OPTIONS..
  want=$1 words=$2 given=$3 candidate=$4
  shift 4
  expect "$want" "$words" certify --from triton --solvers=none "$@" "$given" "$candidate"
}
eights='--argument x=8 --argument y=8'
sixteens='--argument a=16 --argument b=16 --argument c=16 --argument y=16 --argument z=16'
rows='--grid 3 --argument x=96 --argument y=96 --argument z=3'

# loads that differ in hints alone, a reduction done twice, one division a row; stores to other tensors lie between
# shellcheck disable=SC2086
{
  improve 0 'loads 2 -> 1, reductions 2 -> 1, divided elements 32 -> 1' twice $rows
  [ "$(grep -c 'tt.load' twice/improved.ttir)" -eq 1 ] || fail "the second load is still there"
  improve 0 'divisions 4 -> 2, divided elements 64 -> 32' chains $sixteens
  improve 0 'loads 2 -> 1' stored $eights
  improve 0 'divided elements 32 -> 1' loops --argument x=32 --argument y=32
  # what is stored to in between, at places that are written in another way, is loaded again
  improve 3 'nothing was found' alias $eights
  [ ! -e alias ] || fail "a directory is left of nothing"
}
golden twice/improved.ttir "$cases/twice.improved.ttir"

# an improved kernel is one like any other: read, and found to be as cheap as can be
# shellcheck disable=SC2086
certify 0 PROVED "$cases/twice.ttir" twice/improved.ttir $rows
# inout tensors are inputs and outputs of what is run
expect 0 'f32[' run twice
# shellcheck disable=SC2086
expect 3 'nothing was found' optimize --from triton --solvers=none -o again $rows twice/improved.ttir
sed -i 's/arith.mulf/arith.addf/' twice/improved.ttir
expect 1 'NOT VERIFIED' check twice
# shellcheck disable=SC2086
certify 1 REFUTED "$cases/twice.ttir" twice/improved.ttir $rows

# a load that is volatile, and one under another mask, stay
sed 's/evictionPolicy = evict_last/{isVolatile = true}/' "$cases/twice.ttir" >volatile.ttir
# shellcheck disable=SC2086
timeout 120 "$assay" optimize --from triton --solvers=none -o kept $rows volatile.ttir >out 2>err
[ "$(grep -c 'tt.load' kept/improved.ttir)" -eq 2 ] || fail "a volatile load was merged with another"
expect 2 'kernels of `triton` alone' optimize --from trinity "$cases/twice.ttir"
head -c 700 "$cases/twice.ttir" >cut.ttir
expect 2 'cut.ttir:' optimize --from triton --grid 3 cut.ttir

# ---- the published algorithms, where they lack a condition (Han et al., Kernel instruction optimization based on the triton compiler)
# algorithm 1 asks of stores in between whether their pointer is the same value, not whether it may reach the same places
# shellcheck disable=SC2086
certify 1 'y[0]: given' "$cases/alias.ttir" "$cases/alias_published.ttir" $eights
# and of reductions whether dimensions, types and bodies agree, not what is reduced
# shellcheck disable=SC2086
certify 1 'z[0]: given' "$cases/two_sums.ttir" "$cases/two_sums_published.ttir" $rows
# algorithm 2 as rules: right where divisors are not 0, which the side that one starts from demands; not the other way round
expect 0 'by_a_quotient_backwards' certify --solvers=none "$src/tests/improve/divisions.rule"
grep -q '3 proved, 1 refuted, 0 unknown' out || fail "the rules of divisions are judged otherwise"
grep -q 'not as expected' out && fail "a rule is not as expected"

# ---- kernels of others
if [ -d "$shared/data/ttir/extra" ]; then
  for name in redundant_table1 div_chain1 div_chain2 bertpytorch_layernorm; do
    expect 0 PROVED optimize --from triton --solvers=none -o "k_$name" "$shared/data/ttir/extra/$name.ttir"
    expect 0 'VERIFIED: certificate accepted' check "k_$name"
  done
else
  echo "kernels of others are not there ($shared/data/ttir): not improved"
fi
finish
