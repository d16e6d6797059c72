#!/usr/bin/env python3
"""Mutants of the rules of examples/rules, judged by Assay in both directions and then by
tests/rules/oracle.py, which shares no code with it: nothing that is proved may have a
counterexample, and every counterexample must be one.

usage: rule_mutants.py ASSAY [--seed N] [--count N] [--keep DIR]        (not part of `make check`:
3,000 mutants take some minutes)
"""

import argparse
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

import found

FAMILIES = [
    ('maximum', 'minimum', 'add', 'sub'),
    ('greater', 'less', 'greater_equal', 'less_equal', 'equal', 'not_equal'),
    ('sum', 'max', 'min', 'mean'),
    ('logical_and', 'logical_or'),
    ('all', 'any'),
    ('exp', 'log', 'sqrt', 'abs', 'relu', 'neg'),
    ('dynamic_slice', 'dynamic_slice_clamped'),
    ('dynamic_update_slice', 'dynamic_update_slice_clamped'),
    ('avg_pool2d', 'avg_pool2d_in_range', 'max_pool2d'),
    ('conv2d_same', 'conv2d'),
    ('reverse', 'relu'),
    ('repeat', 'tile'),
]


def replace(rng, text, pattern, choices, accept=lambda m: True):
    """one match of the pattern by one of choices(match)"""
    found_ = [m for m in re.finditer(pattern, text) if accept(m)]
    if not found_:
        return text
    m = rng.choice(found_)
    return text[: m.start()] + rng.choice(choices(m)) + text[m.end() :]


def change(rng, text, names):
    head, mark, body = text.partition('\n  lhs')
    kind = rng.randrange(7)
    if kind == 0:
        body = replace(
            rng,
            body,
            r'(?<![\w.])\d+(?![\w.])',
            lambda m: [str(int(m[0]) + 1), str(max(int(m[0]) - 1, 0)), '2'],
        )
    elif kind == 1:
        body = replace(rng, body, r' [-+*/@] ', lambda m: [' + ', ' - ', ' * ', ' / '])
    elif kind == 2:
        body = replace(
            rng, body, r'\b[A-Za-z_]\w*\b', lambda m: sorted(names), lambda m: m[0] in names
        )
    elif kind == 3:
        m = re.search(r'\n  (where|assume) ([^\n]*)', head)
        if m:
            parts = m[2].split(',')
            parts.pop(rng.randrange(len(parts)))
            head = (
                head[: m.start()]
                + ('\n  %s %s' % (m[1], ','.join(parts).strip()) if parts else '')
                + head[m.end() :]
            )
    elif kind == 4:
        family = {n: f for f in FAMILIES for n in f}
        body = replace(
            rng, body, r'\b[a-z_0-9]+(?=\()', lambda m: family[m[0]], lambda m: m[0] in family
        )
    elif kind == 5:
        head = replace(
            rng,
            head,
            r' >= 1',
            lambda m: [''],
            lambda m: 'sizes' in head[head.rfind('\n', 0, m.start()) : m.start()],
        )
    else:
        body = replace(rng, body, r'axis = -?\d', lambda m: ['axis = 0', 'axis = 1', 'axis = -1'])
    return head + mark + body


def mutant(rng, text):
    tensors = set(re.findall(r'(\w+)\[', ' '.join(re.findall(r'\n  tensor ([^\n]*)', text))))
    sizes = {
        s.split()[0]
        for line in re.findall(r'\n  (?:sizes|ints) ([^\n]*)', text)
        for s in line.split(',')
    }
    names = rng.choice((tensors, sizes, tensors | sizes))
    for _ in range(rng.choice((1, 1, 2))):
        text = change(rng, text, names)
    return text


def main():
    p = argparse.ArgumentParser()
    p.add_argument('assay')
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--count', type=int, default=3000)
    p.add_argument('--keep', help='a folder for the mutants and the verdicts')
    o = p.parse_args()
    rng = random.Random(o.seed)
    rules, ops = [], {}
    for f in sorted(glob.glob(os.path.join(found.TOP, 'examples/rules/*.rule'))):
        texts, ops[os.path.basename(f)] = found.rules_of(f)
        rules += [
            (os.path.basename(f), n, re.sub(r'\n  expect .*', '', '\n'.join(t)))
            for n, (_, t) in texts.items()
        ]
    out, seen = {f: [] for f in ops}, {t for _, _, t in rules}
    while len(seen) < len(rules) + o.count:
        f, name, text = rng.choice(rules)
        m = mutant(rng, text)
        if m not in seen:
            seen.add(m)
            out[f].append(
                re.sub(r'^rule \w+', 'rule M%05d_%s' % (len(seen) - len(rules), name), m) + '\n'
            )
    with tempfile.TemporaryDirectory() as scratch:
        d = o.keep or scratch
        os.makedirs(d, exist_ok=True)
        files = []
        for f, texts in out.items():
            if texts:
                files.append(os.path.join(d, f))
                with open(files[-1], 'w') as h:
                    h.write(ops[f] + '\n' + '\n'.join(texts))
        env = dict(os.environ, ASSAY_SEM=os.path.join(found.TOP, 'semantics'))
        report = os.path.join(d, 'report.json')
        with open(report, 'w') as h:
            subprocess.run(
                [o.assay, 'certify', '--solvers=none', '--direction=both', '--json'] + files,
                stdout=h,
                stderr=subprocess.DEVNULL,
                env=env,
                check=False,
            )
        oracle = os.path.join(found.TOP, 'tests/rules/oracle.py')
        return subprocess.run(
            [
                sys.executable,
                oracle,
                env['ASSAY_SEM'],
                '--report',
                report,
                '--seconds',
                '5',
                '--trials',
                '60',
            ],
            check=False,
        ).returncode


if __name__ == '__main__':
    sys.exit(main())
