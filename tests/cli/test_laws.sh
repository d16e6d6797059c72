#!/bin/sh
# Programs that are equal by a law of the sine, the cosine or the error function, and such as nearly are: the random test has other functions
# in their place, so it looks at the real numbers where these differ.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"

program() { printf 'program p\nsizes N = 16\ninput X: f32[N]\ninput Y: f32[N]\noutput Z = %s\n' "$1" >given.tp; }
candidate() { printf 'mugraph c\nZ = %s\n' "$1" >candidate.mug; }

program 'sin(X) * sin(X) + cos(X) * cos(X) + Y'
candidate 'Y + 1'
expect 0 'PROVED' certify given.tp candidate.mug --solvers=none -o circle
candidate 'Y + 1.00001'
expect 1 'REFUTED' certify given.tp candidate.mug --solvers=none -o nearly
candidate 'Y + sin(X) / sin(X)'
expect 1 'REFUTED' certify given.tp candidate.mug --solvers=none -o undefined

program 'gelu(-X) + Y'
candidate 'gelu(X) - X + Y'
expect 0 'PROVED' certify given.tp candidate.mug --solvers=none -o mirrored
candidate 'gelu(X) - 0.9999999 * X + Y'
expect 1 'REFUTED' certify given.tp candidate.mug --solvers=none -o scaled

# without a law that would help, the field tells two functions apart, or nobody does
program 'sin(2 * X) + Y'
candidate '2 * sin(X) * cos(X) + Y'
expect 0 'PROVED' certify given.tp candidate.mug --solvers=none -o double
candidate '2 * sin(X) + Y'
expect 1 'REFUTED' certify given.tp candidate.mug --solvers=none -o half
program 'floor(X + 1) + Y'
candidate 'floor(X) + 1 + Y'
expect 3 'UNKNOWN' certify given.tp candidate.mug --solvers=none -o floors
finish
