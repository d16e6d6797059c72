#!/usr/bin/env python3
"""Tile programs with loops made wrong: none that evaluation refutes has a proof.

usage: wrong_loops.py ASSAY TEST_LOOPS CASES COUNT [SEED]

Of the cases of CASES that are proved the candidate is changed in one to three places: order,
bounds, steps, positions, masks, extents, what is stored, what is there at the start. Evaluation and
the prover are asked apart from each other, each without the other; what is proved and refuted, or
depends on an order, is told and fails."""

import os
import random
import re
import subprocess
import sys
import tempfile

CHANGES = (
    ('parallel ', 'for '),
    ('for ', 'parallel '),
    (' to N', ' to N - 1'),
    (' to M', ' to M - 1'),
    (' to G', ' to G - 1'),
    (' to N', ' to M'),
    (' to M', ' to N'),
    (' = 0 to', ' = 1 to'),
    ('step T', 'step T + 1'),
    ('step T', 'step 1'),
    (' step T', ''),
    ('n + i', 'i'),
    ('n + i', 'n'),
    ('n + i', 'n + i + 1'),
    ('g * T + i', 'i'),
    ('g * T', 'g'),
    ('g * T', 'g * G'),
    ('[r, ', '[0, '),
    ('r, i]', 'i, r]'),
    ('< N]', '< N - 1]'),
    ('< N]', '< M]'),
    ('< M]', '< N]'),
    ('< T]', '< T + 1]'),
    ('< T]', '< T - 1]'),
    ('min(T, N - n)', 'T'),
    ('min(T, N - n)', 'min(T, N)'),
    ('min(T, N - n)', 'min(T, N - n) - 1'),
    (' where n + i < N else 0', ''),
    (' where n + i < N', ''),
    ('n + i < N', 'n + i <= N'),
    ('n + i < N', 'n + i < N - 1'),
    ('else 0', 'else 1'),
    ('exp(x)', 'x'),
    ('exp(x)', 'exp(x + x)'),
    ('exp(x[i])', 'x[i]'),
    ('s[] + ', ''),
    ('s[] + ', 's[] - '),
    (' + x', ' + x + x'),
    ('x + s', 'x'),
    ('= y over', '= x over'),
    ('] = 0', '] = 1'),
    ('] = 0', ']'),
    (']\n', '] = 0\n'),
    ('scratch S: f32[M, N]', 'scratch S: f32[M, N] = 1'),
    ('S[r, i]', 'S[0, i]'),
    ('S[i, c]', 'S[0, c]'),
    ('Y[r]', 'Y[0]'),
    ('P[g]', 'P[0]'),
    ('y[]', 'y[] + 1'),
    ('T = 5', 'T >= 0 = 5'),
    ('T = 4', 'T >= 0 = 4'),
    ('sum(k < T)', 'sum(k < T - 1)'),
    ('  scratch P: f32[G]\n', ''),
    ('make zero[] = 0', 'make zero[] = 1'),
    ('next s = x + s', 'next s = s'),
)


def bases(path):
    text = open(path, encoding='utf-8').read()
    for case in text.split('\n=== ')[1:]:
        name, want, rest = case.split('\n', 2)
        given, candidate = re.fullmatch(
            r'--- given\n(.*?)\n--- candidate\n(.*)', rest, re.S
        ).groups()
        if want == '--- proved' and candidate.startswith('tile'):
            yield name, given + '\n', candidate.rstrip('\n') + '\n'


def changed(text, rng):
    before = text
    for _ in range(50):
        for _ in range(rng.choice((1, 1, 2, 3))):
            old, new = rng.choice(CHANGES)
            parts = text.split(old)
            if len(parts) > 1:
                at = rng.randrange(1, len(parts))
                text = old.join(parts[:at]) + new + old.join(parts[at:])
        if text != before:
            return text
    return text


def answer(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode not in (0, 1, 2, 3):
        sys.exit('%s: exit %d\n%s' % (' '.join(command), done.returncode, done.stderr))
    return done.stdout.strip() or 'UNREADABLE'


def main():
    assay, prover, cases = (os.path.abspath(path) for path in sys.argv[1:4])
    count, seed = int(sys.argv[4]), int(sys.argv[5]) if len(sys.argv) > 5 else 1
    rng = random.Random(seed)
    given_texts = list(bases(cases))
    counts, bad = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for _ in range(count):
            name, given, candidate = rng.choice(given_texts)
            text = changed(candidate, rng)
            spec = 'given.tile' if given.startswith('tile') else 'given.tp'
            for path, content in ((spec, given), ('candidate.tile', text)):
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(content)
            seen = evaluated(assay, spec)
            proof = answer(prover, spec, 'candidate.tile')
            counts[seen, proof] = counts.get((seen, proof), 0) + 1
            if proof == 'proved' and seen not in ('same', 'PROVED', 'UNKNOWN'):
                bad += 1
                print('WRONG: %s: %s, and proved:\n%s' % (name, seen, text))
    told = ', '.join(
        '%d %s and %s' % (n, seen, proof) for (seen, proof), n in sorted(counts.items())
    )
    print('seed %d: %d changed programs: %s' % (seed, count, told))
    sys.exit(1 if bad else 0)


def evaluated(assay, spec):
    """what evaluation says, at several sizes and inputs"""
    for seed in (1, 102):
        seen = answer(
            assay, 'certify', '-q', spec, 'candidate.tile', '--solvers=none', '--seed=%d' % seed
        )
        if seen not in ('PROVED', 'UNKNOWN'):
            return seen
    return 'same'


if __name__ == '__main__':
    main()
