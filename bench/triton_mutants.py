#!/usr/bin/env python3
"""Changed Triton kernels against the specifications of the kernels that they were made from: none
may be proved that evaluation refutes.

usage: triton_mutants.py [--assay PATH] [--work DIR] [--each N] [--seed N] [--only TEXT]
Of each kernel that is proved, N texts with one change each (a number, a comparison, a value for
what is masked out, an operation, the grid) are asked of the prover alone (--require=check); of
those that it proves the evaluation is asked as well, which comes first there. Prints each proved
one with its change, and counts.
"""

import argparse
import collections
import json
import os
import random
import re
import sys
import tempfile

import triton_folder

CHANGES = (
    (
        'an integer, one more',
        r'dense<(\d+)> : tensor<[0-9x]+xi32>',
        lambda m: m.group(0).replace(m.group(1), str(int(m.group(1)) + 1), 1),
    ),
    (
        'an integer, one less',
        r'dense<([1-9]\d*)> : tensor<[0-9x]+xi32>',
        lambda m: m.group(0).replace(m.group(1), str(int(m.group(1)) - 1), 1),
    ),
    (
        'an integer, twice',
        r'constant (?:dense<)?([1-9]\d*)(?:>)? : ',
        lambda m: m.group(0).replace(m.group(1), str(2 * int(m.group(1))), 1),
    ),
    ('slt to sle', r'cmpi slt', lambda m: 'cmpi sle'),
    ('slt to sge', r'cmpi slt', lambda m: 'cmpi sge'),
    ('the value of what is masked out', r'dense<0\.000000e\+00>', lambda m: 'dense<1.000000e+00>'),
    ('a sum to a difference', r'arith\.addf', lambda m: 'arith.subf'),
    ('a product to a sum', r'arith\.mulf', lambda m: 'arith.addf'),
    ('a quotient to a product', r'arith\.divf', lambda m: 'arith.mulf'),
    ('divsi to remsi', r'arith\.divsi', lambda m: 'arith.remsi'),
    ('remsi to divsi', r'arith\.remsi', lambda m: 'arith.divsi'),
    ('a sum of integers to a product', r'arith\.addi', lambda m: 'arith.muli'),
    ('a product of integers to a sum', r'arith\.muli', lambda m: 'arith.addi'),
)


def changed(text, rng):
    """one change at a place that has it, outside of comments; what, and the text; None where there
    is none"""
    for what, pattern, new in rng.sample(CHANGES, len(CHANGES)):
        places = list(re.finditer(pattern, text))
        if places:
            place = rng.choice(places)
            return what, text[: place.start()] + new(place) + text[place.end() :]
    return None, None


def with_other_grid(case, rng):
    grid = list(case['grid'])
    axis = rng.choice([k for k in range(3) if grid[k] > 1] or [0])
    grid[axis] = max(1, grid[axis] + rng.choice((-1, 1)))
    return 'grid %s to %s' % (case['grid'], grid), dict(case, grid=grid)


def mutant(kernel, case, stem, rng):
    """writes a changed kernel and its launch; what was changed"""
    with open(kernel) as f:
        text = f.read()
    what = None
    if rng.random() < 0.12:
        what, case = with_other_grid(case, rng)
    else:
        what, text = changed(text, rng)
    if what is None:
        return None
    with open(stem + '.ttir', 'w') as f:
        f.write(text)
    with open(stem + '.json', 'w') as f:
        json.dump({'cases': [case]}, f)
    return what


def verdict(assay, given, stem, options, more, seconds):
    launch = ['--launch', stem + '.json:0'] + options[2:]
    status, out, err, _ = triton_folder.run(
        [assay, 'certify', '--json', '--from', 'triton'] + more + launch + [given, stem + '.ttir'],
        seconds,
    )
    try:
        found = json.loads(out)['programs'][0]
        return found['verdict'], found['words']
    except (ValueError, KeyError, IndexError):
        return 'UNREADABLE' if status is not None else 'UNKNOWN', err.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--assay', default=os.path.join(triton_folder.TOP, 'build/assay'))
    parser.add_argument('--prover', help='another build of it, for what is asked of the prover')
    parser.add_argument('--work', default=os.path.join(tempfile.gettempdir(), 'assay-triton'))
    parser.add_argument('--each', type=int, default=10)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only')
    options = parser.parse_args()
    rng = random.Random(options.seed)
    counts = collections.Counter()
    os.makedirs(options.work, exist_ok=True)
    prover = options.prover or options.assay
    for path in triton_folder.kernels(triton_folder.FOLDER, options.only):
        with open(path) as f:
            case = json.load(f)['cases'][0]
        if not case.get('spec'):
            continue
        kernel = path[:-5] + '.ttir'
        launch = triton_folder.launch_options(case, path, 0)
        stem = os.path.join(options.work, 'whole_' + os.path.basename(path)[:-5])
        given, _ = triton_folder.specification(prover, kernel, case, launch, stem)
        if not given or triton_folder.verdict(prover, given, kernel, launch, 10)[0] != 'PROVED':
            continue
        counts['kernels'] += 1
        for _ in range(options.each):
            stem = os.path.join(options.work, 'mutant')
            what = mutant(kernel, case, stem, rng)
            if what is None:
                continue
            word, _ = verdict(prover, given, stem, launch, ['--require=check'], 10)
            counts[word] += 1
            if word == 'PROVED':
                seen, words = verdict(options.assay, given, stem, launch, [], 60)
                counts['PROVED, evaluated: ' + seen] += 1
                print(
                    'PROVED\t%s\t%s\t%s\t%s'
                    % (os.path.basename(path)[:-5], what, seen, words.replace('\n', ' ')[:120]),
                    flush=True,
                )
    print(dict(counts))
    return (
        1
        if any(
            k.startswith('PROVED, evaluated: REF') or k.startswith('PROVED, evaluated: ORD')
            for k in counts
        )
        else 0
    )


if __name__ == '__main__':
    sys.exit(main())
