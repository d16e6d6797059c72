#!/bin/sh
# What a job does, counted: every specification is read once, and a candidate is proved once and replayed once, also where the
# search has proved it before.  What the search asks of the prover beyond that, kernels by themselves, has a counter of its own.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
ex=$src/examples

counted() { sed -n "s/^ *\"$1\": \([0-9]*\),*\$/\1/p" "$2"; }
# is FILE COUNTER VALUE
is() {
  value=$(counted "$2" "$1")
  [ "$value" = "$3" ] || fail "$1: $2 is ${value:-missing}, not $3"
}
files=$(find "$src/semantics" -name '*.sem' | wc -l)

expect 0 'PROVED' optimize "$ex/rmsnorm_linear.tp" -o found
report=found/report.json
certified=$(counted certified "$report")
[ "$certified" -ge 1 ] || fail 'nothing certified by the search'
is "$report" failed_late 0
is "$report" specifications_read "$files"
apart=$(counted kernels_proved_apart "$report")
is "$report" proofs $((certified + apart))
is "$report" replays "$certified" # of kernels by themselves nothing is claimed
is "$report" field_tests "$certified"
is "$report" claims_read $((2 * certified + apart)) # one to be proved, one of its own for the replay
is "$report" counterexample_searches 0
# the candidate that was chosen is proved no other way when it is certified by itself
expect 0 'PROVED' certify found/program.tp found/candidate.mug -o again --solvers=none
cmp -s found/certificate.cert again/certificate.cert || fail 'the search and certify prove a candidate differently'
is again/report.json specifications_read "$files"
is again/report.json proofs 1
is again/report.json replays 1
is again/report.json claims_read 2
is again/report.json solver_queries 0

# one job, many cases
for way in left right; do
  printf 'rule %s_one\nsizes N\ntensor X[N]\nlhs X + X\nrhs 2 * X\n\nrule %s_two\nsizes N\ntensor X[N]\nlhs X * X\nrhs X * X\n' $way $way >$way.rule
done
expect 0 '4 proved' certify left.rule right.rule -o rules
is rules/report.json proofs 4
is rules/report.json replays 4
is rules/report.json specifications_read "$files"
expect 0 'PROVED' certify "$ex/lora.tp" "$ex/lora.mug" written.json --to mirage -q
expect 0 '1 proved' certify "$ex/lora.tp" written.json --from mirage -o imported
is imported/report.json specifications_read "$files"
is imported/report.json proofs 1

# what certified demands is parsed: a word inside of another is none
expect 2 'unknown word `z3x`' certify "$ex/lora.tp" "$ex/lora.mug" --require=z3x
expect 2 'unknown word `notz3`' certify "$ex/lora.tp" "$ex/lora.mug" --solvers=notz3

# a candidate whose relations restrain the program is no claim for all sizes; where it is wrong at sizes that satisfy them, it is wrong
cat >twice.tp <<'END'
program twice
sizes N = 4
input x: f16[N]
output y = x * 2
END
printf 'mugraph thrice\nsizes S = 2\nwhere N = 2 * S\ny = mul(x, 3)\n' >thrice.mug
printf 'mugraph twice\nsizes S = 2\nwhere N = 2 * S\ny = mul(x, 2)\n' >twice.mug
expect 1 'sizes N = 2, S = 1' certify twice.tp thrice.mug
expect 2 'may restrict the sizes' certify twice.tp twice.mug

only twice.tp thrice.mug twice.mug left.rule right.rule found again rules written.json imported
finish
