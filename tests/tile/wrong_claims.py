#!/usr/bin/env python3
"""Tile programs that a claim is made of, made wrong: none that is wrong is PROVED.

usage: wrong_claims.py ASSAY ASSAY-CHECK SEMANTICS CASES COUNT [SEED]

One to three changes each in the order, the positions, the extents, what is summed and where sums
start, the relations, the tensors that are stored to. The certificate of each one that is PROVED is
replayed by assay-check for the same text, and the program is evaluated again at other sizes and
inputs.
"""

import os
import random
import subprocess
import sys
import tempfile

CHANGES = (
    (' * U', ' * T'),
    (' * V', ' * U'),
    ('a * U + i', 'i'),
    ('b * V + j', 'j'),
    ('l * T', 'a * T'),
    ('l * T + j', 'j'),
    ('l * T + i', 'i'),
    ('[i < U', '[i < T'),
    ('j < V]', 'j < T]'),
    ('j < T]', 'j < V]'),
    ('0 to L', '0 to L - 1'),
    ('0 to G', '0 to G - 1'),
    ('0 to L', '0 to G'),
    ('0 to G', '0 to U'),
    ('0 to H', '0 to G'),
    ('parallel b', 'for b'),
    ('for l', 'parallel l'),
    ('= 0\n', '= 1\n'),
    ('z + r', 'z + x'),
    ('s + q', 's + x'),
    ('exp(z)', 'exp(z + z)'),
    ('exp(z)', 'exp(z * 1)'),
    ('exp(z)', 'z'),
    ('x @ w', 'w @ x'),
    ('x @ w', '(x * 1) @ w'),
    ('square(x)', 'x'),
    ('square(x)', 'x * x'),
    ('(s + 1)', '(s + 2)'),
    ('(s + 1)', '(1 + s)'),
    ('y * g', 'y'),
    ('x / ', 'x * '),
    ('where M = G * U, ', 'where '),
    (', N = H * V', ''),
    ('K = L * T', 'K = L * V'),
    ('N = L * T', 'N = B * T'),
    ('M, N]', 'N, M]'),
    ('[M, 1]', '[M, 2]'),
    ('store Y', 'store Z'),
    ('= y over', '= z over'),
    ('= e over', '= z over'),
    ('S[a * U + i, j]', 'S[i, j]'),
    ('output Y', 'scratch Y'),
    ('scratch S: f32[M, 1] = 0', 'scratch S: f32[M, 1]'),
    ('a * U', 'b * U'),
    ('sum_keep', 'sum'),
    ('carry s = start', 'carry s = x'),
    ('G[b * V + j]', 'G[j]'),
    ('i < U, j < V]', 'j < V, i < U]'),
    ('U = 2', 'U >= 0'),
    ('L = 4', 'L >= 0'),
)


def changed(text, rng):
    for _ in range(rng.choice((1, 1, 2, 3))):
        old, new = rng.choice(CHANGES)
        if old not in text:
            continue
        parts = text.split(old)
        at = rng.randrange(1, len(parts))
        text = old.join(parts[:at]) + new + old.join(parts[at:])
    return text


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode not in (0, 1, 2, 3):
        sys.exit('%s: exit %d\n%s' % (' '.join(command), done.returncode, done.stderr))
    return done


def judge(assay, given, candidate, seed, *more):
    done = run(
        assay,
        'certify',
        '-q',
        given,
        candidate,
        '--solvers=none',
        '--require=check',
        '--seed=%d' % seed,
        *more
    )
    return done.stdout.strip() or 'refused'


def stands(assay, checker, sem, given, candidate):
    """what is PROVED has a certificate of its own, and nothing that speaks against it"""
    blocks = run(
        assay,
        'certify',
        '-q',
        given,
        candidate,
        '--solvers=none',
        '--require=check',
        '-o',
        'result',
        '-f',
    )
    if (
        blocks.returncode != 2
    ):  # of block form: the others' certificates are replayed by certify itself
        if blocks.stdout.strip() != 'PROVED':
            return False
        if (
            run(checker, '-q', '--sem', sem, given, candidate, 'result/certificate.cert').returncode
            != 0
        ):
            return False
    return all(judge(assay, given, candidate, seed) == 'PROVED' for seed in (101, 102))


def main():
    assay, checker, sem, cases = (os.path.abspath(path) for path in sys.argv[1:5])
    count, seed = int(sys.argv[5]), int(sys.argv[6]) if len(sys.argv) > 6 else 1
    rng = random.Random(seed)
    right = []
    for name in ('product', 'two_kernels'):
        with open(os.path.join(cases, name + '.tile')) as f:
            right.append((os.path.join(cases, name + '.tp'), f.read()))
    verdicts = {}
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for number in range(count):
            given, text = rng.choice(right)
            wrong = changed(text, rng)
            if wrong == text:
                continue
            with open('candidate.tile', 'w') as f:
                f.write(wrong)
            verdict = judge(assay, given, 'candidate.tile', number)
            verdicts[verdict] = verdicts.get(verdict, 0) + 1
            if verdict == 'PROVED' and not stands(assay, checker, sem, given, 'candidate.tile'):
                bad += 1
                print('FAIL: PROVED, and something speaks against it:\n' + wrong)
    print(
        'seed %d: %s'
        % (seed, ', '.join('%d %s' % (n, verdict) for verdict, n in sorted(verdicts.items())))
    )
    if verdicts.get('REFUTED', 0) < sum(verdicts.values()) // 3 or not verdicts.get('PROVED'):
        sys.exit('FAIL: too few are refuted, or none is right')
    sys.exit(bad > 0)


if __name__ == '__main__':
    main()
