#!/bin/sh
# What `optimize` says of what it did not look at, and what it leaves when it is stopped.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"

# kernels need concrete sizes: asked for before the search
printf 'program open\nsizes B, D = 64\ninput X: f16[B, D]\noutput O = silu(X)\n' >open.tp
expect 2 'give a value to B' optimize open.tp
only open.tp
rm open.tp

# a limit that strikes is said, in words and in the report
printf 'program prime\nsizes B = 7, D = 4099, N = 6145\ninput X: f16[B, D]\ninput W: f16[D, N]\noutput O = silu(X) @ W\n' >prime.tp
expect 0 'no tile size divides' optimize prime.tp --solvers=none -o prime
grep -q 'limits that struck: .*tiles (' out || fail 'the limit is not printed'
grep -q '"search_said": .*tiles (' prime/report.json || fail 'the limit is not in the report'
expect 0 'VERIFIED' check prime

# a size as a number among tensors: it is made anew in each piece of the program
printf 'program count\nsizes a = 2, c = 4\ninput x: f32[a, c]\noutput u = sum(x, axis=1) / c\noutput v = x * (c - 1)\n' >count.tp
expect 0 'PROVED' optimize count.tp --solvers=none -o count
# and in a sum of its own that a kernel computes
for expression in 'sum(x, axis=1) / (c - 1)' 'sum(x) * (a + c)' 'exp(x * c) / (1 + c)' 'sum(x - c) / -c'; do
  printf 'program count\nsizes a = 2, c = 4\ninput x: f32[a, c]\noutput u = %s\n' "$expression" >sum.tp
  expect 0 'PROVED' optimize sum.tp --solvers=none --force -o sum
done

# a time limit and Ctrl-C keep the best so far
"$src/tests/cli/chain.sh" 10 >chain.tp
expect 0 'limits that struck: ' optimize chain.tp --solvers=none --seconds=1 -o late
grep -q '"search_said": .*time (' late/report.json || fail 'the time limit is not in the report'
expect 0 'VERIFIED' check late
# (--foreground: otherwise the process gets the signal twice, once for its group, and the second ends it at once)
timeout --foreground -s INT 1 "$assay" optimize chain.tp --solvers=none --seconds=60 -o stopped >out 2>err </dev/null
grep -q '"search_said": .*interrupt (' stopped/report.json || fail 'an interrupted search leaves no result that says so'
expect 0 'VERIFIED' check stopped
finish
