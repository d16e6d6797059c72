#!/usr/bin/env python3
"""Tile programs changed at random places of their trees, given ones too: none that a reference
finds wrong is proved.

usage: wrong_mutants.py TEST_LOOPS COUNT SEED CASES..

The prover and the checker (TEST_LOOPS, without evaluation) are asked first. The reference
(tile_reference.py), which shares nothing with the tree, then runs both programs at small sizes that
satisfy what is stated and at random inputs. Of what is proved it must find the same results, no
conflict between iterations of a parallel loop, and nothing undefined, wherever the given program is
defined; of what is not proved, it says how much was wrong.
"""

import collections
import copy
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile

import tile_mutants
import tile_reference
import tile_text


def read_cases(path):
    with open(path, encoding='utf-8') as file:
        text = '\n' + file.read()
    for case in text.split('\n=== ')[1:]:
        given, candidate = re.search(r'--- given\n(.*?)\n--- candidate\n(.*)', case, re.S).groups()
        try:
            yield tile_text.read(given + '\n'), tile_text.read(candidate.rstrip('\n') + '\n')
        except tile_text.Unreadable:
            pass  # operators with items and lists, of programs


# --- cases: sizes and arguments
def all_sizes(given, candidate, most):
    """values of all sizes of both, from the least one up to `most`, that satisfy what is stated"""
    items, relations = {}, []
    for program in (given, candidate):
        for line in program['declarations']:
            if line['kind'] == 'sizes':
                for name, least, _ in line['items']:
                    items.setdefault(name, least)
            elif line['kind'] == 'where':
                relations += line['items']
    names = sorted(items)
    judge = tile_reference.Run(given, {}, {}, False)
    for values in itertools.product(*(range(items[n], items[n] + most) for n in names)):
        sizes = dict(zip(names, values))
        try:
            if all(judge.holds(r, sizes) for r in relations):
                yield sizes
        except tile_reference.Undefined:
            pass


def arguments_of(program, sizes, rng):
    found = {}
    judge = tile_reference.Run(program, sizes, {}, False)
    style = rng.randrange(5)

    def real(_):
        if style == 0:
            return rng.choice((-2.0, -1.0, 0.0, 1.0, 2.0))
        if style == 1 and rng.random() < 0.3:
            return rng.choice((2000.0, -2000.0, 1e5))
        if style == 2:
            return rng.uniform(0.25, 3)
        return rng.uniform(-3, 3)

    for line in program['declarations']:
        if line['kind'] in ('input', 'inout'):
            shape, ones = judge.extents(line['dims'])
            most = max([1] + list(sizes.values()))
            integer = line['type'] == 'int'
            found[line['name']] = tile_reference.Tensor(
                shape,
                ones,
                (
                    (lambda _, m=most: rng.randint(-1 if rng.random() < 0.1 else 0, m - 1))
                    if integer
                    else real
                ),
                integer=integer,
            )
    return found


def outcome(given, candidate, sizes, arguments):
    """None: the given program is undefined here, or it cannot be told; else what is wrong with the
    candidate, or 'same'"""
    try:
        want = tile_reference.Run(given, sizes, arguments, False).results()
    except (
        tile_reference.Undefined,
        tile_reference.Conflict,
        tile_reference.Beyond,
        OverflowError,
    ):
        return None
    try:
        have = tile_reference.Run(candidate, sizes, arguments, candidate['tile']).results()
    except tile_reference.Undefined as e:
        return 'undefined: %s' % e
    except tile_reference.Conflict as e:
        return 'conflict: %s' % e
    except (tile_reference.Beyond, OverflowError):
        return None
    if sorted(want) != sorted(have):
        return 'other outputs'
    for name, w in want.items():
        h = have[name]
        if w.shape != h.shape:
            return 'other extents'
        for p, x in w.at.items():
            y = h.at[p]
            if y is None or abs(x - y) > 1e-5 * (1 + abs(x) + abs(y)):
                return 'differs: %s%r is %r, not %r' % (name, list(p), y, x)
    return 'same'


# --- changes
def change(program, times, rng):
    for _ in range(times):
        tile_mutants.change(program, rng)


def changed(given, candidate, rng):
    """the texts of a pair: the candidate changed, the given program, both, or one program against a
    changed copy of itself"""
    given, candidate = copy.deepcopy(given), copy.deepcopy(candidate)
    way = rng.choice(('candidate', 'candidate', 'given', 'both', 'itself', 'itself'))
    if way == 'itself' and candidate['tile']:
        change(candidate, rng.randrange(5), rng)
        given = copy.deepcopy(candidate)
        change(rng.choice((given, candidate, candidate)), rng.choice((1, 1, 2)), rng)
    if way in ('candidate', 'both'):
        change(candidate, rng.choice((1, 1, 2, 3)), rng)
    if way in ('given', 'both') and given['tile']:
        change(given, rng.choice((1, 1, 2, 3)), rng)
    return tile_mutants.printed(given), tile_mutants.printed(candidate)


def run(given, candidate, n_sizes, each, rng):
    """what the reference says: 'same', 'nothing' (it could compare nowhere), or what is wrong and
    at which sizes"""
    choices = list(all_sizes(given, candidate, 4))
    rng.shuffle(choices)
    compared = 0
    for sizes in choices[:n_sizes] * each:
        seen = outcome(given, candidate, sizes, arguments_of(given, sizes, rng))
        if seen not in (None, 'same'):
            return '%s, at %s' % (seen, sizes)
        compared += seen is not None
    return 'same' if compared else 'nothing'


def one(pool, rng):
    """a pair that the reference can read and run, as texts and trees"""
    while True:
        try:
            texts = changed(*rng.choice(pool), rng)
            if texts[0] != texts[1]:
                trees = [tile_text.read(text) for text in texts]
                run(*trees, 2, 1, rng)
                return texts, trees
        except (tile_text.Unreadable, ValueError, KeyError, TypeError, IndexError, RecursionError):
            pass  # a change that made no program: another one


def main():
    prover, count, seed = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    pool = [pair for path in sys.argv[4:] for pair in read_cases(path)]
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count):
            texts, trees = one(pool, rng)
            names = [
                os.path.join(folder, name + ('.tile' if tree['tile'] else '.tp'))
                for name, tree in zip(('given', 'candidate'), trees)
            ]
            for name, text in zip(names, texts):
                with open(name, 'w', encoding='utf-8') as file:
                    file.write(text)
            done = subprocess.run(
                [prover] + names, capture_output=True, text=True, timeout=300, check=False
            )
            proof = done.stdout.strip()
            if done.returncode != 0 or proof not in ('proved', 'unproved', 'refused'):
                sys.exit('%s: exit %d: %s\n%s\n%s' % (prover, done.returncode, done.stderr, *texts))
            try:
                seen = (
                    'nothing'
                    if proof == 'refused'
                    else run(
                        *trees, 200 if proof == 'proved' else 20, 3 if proof == 'proved' else 1, rng
                    )
                )
            except (tile_text.Unreadable, RecursionError):
                seen = 'nothing'
            wrong = seen not in ('same', 'nothing')
            counts[proof, 'wrong' if wrong else seen] += 1
            if proof == 'proved' and wrong:
                print('WRONG: proved, but %s\n%s\n%s' % (seen, *texts))
    told = ', '.join('%d %s and %s' % (n, *both) for both, n in sorted(counts.items()))
    print('seed %d: %d pairs: %s' % (seed, count, told))
    sys.exit(
        1
        if counts['proved', 'wrong']
        or not counts['proved', 'same']
        or not counts['unproved', 'wrong']
        else 0
    )


if __name__ == '__main__':
    main()
