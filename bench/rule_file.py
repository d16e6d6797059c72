#!/usr/bin/env python3
"""One file of many rules, to time `assay certify` on: all rules of examples and tests with all
their operators, then copies of them under other names.

usage: rule_file.py [--count N] > FILE.rule        (1,000 unless said; without `expect`, whose
verdicts the tests ask for)

An operator that two files define differently gets the name of its file behind its own in the later
one; a definition of what `semantics/` has is left out where it says the same.
"""

import argparse
import glob
import os
import re
import sys

import found

PATHS = [
    'examples/rules/*.rule',
    'tests/rules/tricks.rule',
    'tests/rules/unseen.rule',
    'tests/prove/cases/*.rule',
]


def definitions(text):
    """name -> text of the `op` and `func` definitions, in their order"""
    out, body = {}, None
    for line in text.split('\n'):
        m = re.match(r'(?:op|func) (\w+)', line)
        if m:
            body = out.setdefault(m[1], [])
            body.append(line)
        elif body is not None and line.startswith('  '):
            body.append(line)
        else:
            body = None
    return {name: '\n'.join(lines) for name, lines in out.items()}


def renamed(text, names):
    return re.sub(r'\b\w+\b', lambda m: names.get(m[0], m[0]), text)


def merged(paths):
    """all definitions by name, and (name, text) of each rule"""
    known, rules = {}, []
    for path in paths:
        texts, before = found.rules_of(path)
        label = os.path.basename(path).split('.')[0]
        names = {}
        for name, text in definitions(before).items():
            names[name] = name if known.get(name, text) == text else '%s_%s' % (name, label)
            known.setdefault(names[name], renamed(text, names))
        for name, (_, lines) in texts.items():
            text = '\n'.join(line for line in lines[1:] if not line.startswith('  expect'))
            rules.append(('%s_%s' % (label, name), renamed(text, names)))
    return known, rules


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--count', type=int, default=1000)
    count = parser.parse_args().count
    paths = [p for pattern in PATHS for p in sorted(glob.glob(os.path.join(found.TOP, pattern)))]
    known, rules = merged(paths)
    print('\n\n'.join(known.values()))
    for i in range(count):
        name, text = rules[i % len(rules)]
        again = i // len(rules)
        print('\nrule %s%s\n%s' % (name, '_%d' % again if again else '', text))
    print(
        '%d operators, %d rules, %d of them once' % (len(known), count, min(count, len(rules))),
        file=sys.stderr,
    )


if __name__ == '__main__':
    main()
