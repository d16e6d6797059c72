#!/usr/bin/env python3
"""Programs of Trinity's language made of others by changes that keep what they compute, and by
changes that should not.

usage: trinity_variants.py PROGRAM COUNT SEED OUT
       trinity_variants.py --judge ASSAY GIVEN PROGRAM COUNT SEED [OPTION ..]
Writes COUNT variants of PROGRAM (S-expressions) to OUT, one a line as `NUMBER: PROGRAM`, even
numbers right, odd ones changed. --judge judges them as one file (by evaluation) and, one by one,
with proofs, and prints a table: the change, the verdicts, processor seconds. A right one that is
refuted, or a verdict of the two ways that contradicts the other, fails."""

import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def parse(text):
    tokens = re.findall(r'[()]|[^\s()]+', re.sub(r';.*', '', text))
    stack = [[]]
    for token in tokens:
        if token == '(':
            stack.append([])
        elif token == ')':
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0][0]


def text_of(tree):
    return tree if isinstance(tree, str) else '(' + ' '.join(text_of(part) for part in tree) + ')'


def places(tree, wanted, path=()):
    """paths of the subtrees that the predicate takes"""
    found = [path] if wanted(tree) else []
    if not isinstance(tree, str):
        for i, part in enumerate(tree):
            found += places(part, wanted, path + (i,))
    return found


def at(tree, path):
    for i in path:
        tree = tree[i]
    return tree


def replaced(tree, path, new):
    if not path:
        return new
    return [replaced(part, path[1:], new) if i == path[0] else part for i, part in enumerate(tree)]


def head(*words):
    return lambda tree: not isinstance(tree, str) and tree and tree[0] in words


def is_sum(tree):
    return (
        head('store')(tree)
        and head('+')(tree[2])
        and any(target(tree) in text_of(part) for part in tree[2][1:])
    )


def target(store):
    return text_of(store[1]).split()[1].rstrip(')') + ')'


def one_time(tree):
    """a store that does not read what it stores to"""
    return head('store')(tree) and not any(
        name in re.findall(r'[\w]+', text_of(tree[2]))
        for name in re.findall(r'\w+', text_of(tree[1]))[1:]
    )


def addend(store):
    parts = store[2][1:]
    return parts[0] if target(store) in text_of(parts[1]) else parts[1]


LOOP = head('loop', 'ploop', 'sloop')


def renamed_tile(tree, rng):
    at_loop = rng.choice(places(tree, lambda t: LOOP(t) and not t[3].isdigit()))
    loop = at(tree, at_loop)
    return replaced(tree, at_loop, [loop[0], loop[1], loop[2], loop[3] + 'x', loop[4], loop[5]])


def rule(wanted, change):
    def apply(tree, rng):
        path = rng.choice(places(tree, wanted))
        return replaced(tree, path, change(at(tree, path), rng))

    return apply


RIGHT = {
    'tiles of another size': renamed_tile,
    'operands in the other order': rule(head('+'), lambda t, _: [t[0], t[2], t[1]]),
    'factors in the other order': rule(head('*'), lambda t, _: [t[0], t[2], t[1]]),
    'stored twice': rule(one_time, lambda t, _: ['seq', t, t]),
    'nothing beside it': rule(
        head('store'), lambda t, rng: rng.choice((['seq', 'dummy', t], ['seq', t, 'dummy']))
    ),
    'added to the sum of nothing': rule(is_sum, lambda t, _: [t[0], t[1], ['+', '0', t[2]], t[3]]),
}
CHANGED = {
    'no accumulation': rule(is_sum, lambda t, _: [t[0], t[1], addend(t), t[3]]),
    'accumulated twice': rule(is_sum, lambda t, _: ['seq', t, t]),
    'a round too few': rule(LOOP, lambda t, _: [t[0], t[3], t[2], t[3], t[4], t[5]]),
    'never stored': rule(head('store'), lambda t, _: 'dummy'),
    'no exponential': rule(head('exp', 'sqrt', 'sigmoid'), lambda t, _: t[1]),
    'statements in the other order': rule(head('seq'), lambda t, _: ['seq', t[2], t[1]]),
    'divided by what it is': rule(head('/'), lambda t, _: ['*', t[1], t[2]]),
    'rows elsewhere': rule(
        head('const_tile'), lambda t, rng: ['const_tile', rng.choice(('0', '1')), t[2]]
    ),
}


def variant(tree, rules, rng):
    """the name of a change that can be made, and the program with it"""
    for name in rng.sample(sorted(rules), len(rules)):
        try:
            return name, rules[name](tree, rng)
        except IndexError:
            continue
    sys.exit('no change can be made')


def variants(path, count, seed):
    rng = random.Random(seed)
    with open(path, encoding='utf-8') as file:
        tree = parse(file.read())
    out = []
    for number in range(count):
        name, new = variant(tree, CHANGED if number % 2 else RIGHT, rng)
        _, new = variant(new, RIGHT, rng)
        out.append((name, text_of(new)))
    return out


def judged(assay, given, path, options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    env = dict(os.environ, ASSAY_SEM=os.path.join(TOP, 'semantics'))
    done = subprocess.run(
        [assay, 'certify', '--json', '--solvers=none', given, '--from', 'trinity', path] + options,
        stdout=subprocess.PIPE,
        env=env,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1, 2, 3):
        sys.exit('%s: exit %d' % (path, done.returncode))
    took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return (
        [program['verdict'] for program in json.loads(done.stdout)['programs']]
        if done.stdout
        else ['UNREADABLE']
    ), took


def judge(assay, given, path, count, seed, options):
    made = variants(path, count, seed)
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        many = os.path.join(folder, 'many.txt')
        write(many, made)
        seen, took = judged(assay, given, many, options)
        print('| change | should be | by evaluation | with proofs | s |\n|---|---|---|---|---|')
        for number, (name, text) in enumerate(made):
            one = os.path.join(folder, 'one.tir')
            with open(one, 'w', encoding='utf-8') as file:
                file.write(text + '\n')
            (verdict,), seconds = judged(assay, given, one, options)
            wrong = verdict != seen[number] and (verdict, seen[number]) != ('PROVED', 'UNKNOWN')
            wrong = wrong or (number % 2 == 0 and verdict not in ('PROVED', 'UNKNOWN'))
            bad += wrong
            print(
                '| %s | %s | %s | %s%s | %.2f |'
                % (
                    name,
                    'changed' if number % 2 else 'the same',
                    seen[number],
                    verdict,
                    ' (WRONG)' if wrong else '',
                    seconds,
                ),
                flush=True,
            )
    print('\n%d programs at once: %.3f s of the processor each' % (count, took / count))
    return bad


def write(path, made):
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines('%d: %s\n' % (number, text) for number, (_, text) in enumerate(made))


def main():
    if sys.argv[1] == '--judge':
        assay, given, path, count, seed = sys.argv[2:7]
        sys.exit(1 if judge(assay, given, path, int(count), int(seed), sys.argv[7:]) else 0)
    path, count, seed, out = sys.argv[1:]
    write(out, variants(path, int(count), int(seed)))


if __name__ == '__main__':
    main()
