#!/usr/bin/env python3
"""Programs of Trinity's language that are written otherwise: loops fused, split, exchanged, made
parallel, cut in two; sums split over two scratch tensors, term by term or round by round; updates in
place; values stored on the way (transposed too), loaded before or computed again; tensors and tiles
renamed; statements in another order.

usage: trinity_written.py [--assay PATH] [--seed S] [--count N] [--steps N] [--reading R]
                          [--only REGEX] [--changes REGEX] [--keep DIR]

Starts from the programs of the shared folder (AS_SHARED). What each variant computes is said by an
exact evaluation that shares nothing with Assay (trinity_meaning.py), so a change need not be right.
Each program's variants are judged as one file with proofs of at most --steps steps. Prints a line a
variant that is right and UNKNOWN, counts by change, and the median seconds of the processor. Exit
status 1: a wrong one is PROVED, or a right one REFUTED."""

import argparse
import collections
import csv
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile

import trinity_meaning as meaning
from trinity_variants import at, head, is_sum, parse, places, replaced, text_of

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(os.environ.get('AS_SHARED', os.path.join(TOP, '../shared')), 'data/trinity')
LOOP = head('loop', 'ploop', 'sloop')
STORE = head('store')
MAY = {
    # iterations are run whole by the judge: what shows only between statements is Assay's to see
    'EQUIVALENT': ('PROVED', 'UNKNOWN', 'ORDER-DEPENDENT'),
    'WRONG': ('REFUTED', 'UNREADABLE', 'UNKNOWN', 'ORDER-DEPENDENT'),
    'ORDER-DEPENDENT': ('ORDER-DEPENDENT', 'REFUTED', 'UNKNOWN'),
}


class Writer:
    """one program while it is rewritten, with the tensors that it has by now"""

    def __init__(self, tree, rows, rng):
        self.tree = tree
        self.rows = [dict(row) for row in rows]
        self.rng = rng

    def pick(self, wanted):
        found = places(self.tree, wanted)
        return self.rng.choice(found) if found else None

    def change(self, wanted, new):
        path = self.pick(wanted)
        if path is None:
            return False
        made = new(at(self.tree, path))
        if made is None:
            return False
        self.tree = replaced(self.tree, path, made)
        return True

    def fresh(self, like):
        """a scratch tensor of the shape of another"""
        row = next(row for row in self.rows if row['tensor'] == like)
        name = '%s_%d' % (like, len(self.rows))
        self.rows.append(dict(row, tensor=name, kind='tensor'))
        return name


# ---- changes: whether one was made
def fuse(w):
    def new(tree):
        first, rest = tree[1], tree[2]
        second = rest[1] if head('seq')(rest) else rest
        if not (LOOP(first) and LOOP(second)) or first[1:4] != second[1:4]:
            return None
        body = replace_name(second[5], second[4], first[4])
        loop = first[:5] + [['seq', first[5], body]]
        return ['seq', loop, rest[2]] if head('seq')(rest) else loop

    return w.change(lambda t: head('seq')(t) and new(t) is not None, new)


def part(w):
    def new(loop):
        return ['seq', loop[:5] + [loop[5][1]], loop[:5] + [loop[5][2]]]

    return w.change(lambda t: LOOP(t) and head('seq')(t[5]), new)


def exchange(w):
    def new(loop):
        inner = loop[5]
        return inner[:5] + [loop[:5] + [inner[5]]]

    return w.change(lambda t: LOOP(t) and LOOP(t[5]), new)


def other_kind(w):
    def new(loop):
        return [w.rng.choice([k for k in ('ploop', 'sloop') if k != loop[0]])] + loop[1:]

    return w.change(LOOP, new)


def cut_in_two(w):
    """the range of a sequential loop, at a place where tiles end"""

    def new(loop):
        middle = {4096: 128, 4544: 64}.get(int(loop[2]), 0)
        if loop[3] != str(middle) or loop[1] != '0':
            return None
        cut = str(middle)
        return ['seq', [loop[0], '0', cut] + loop[3:], [loop[0], cut] + loop[2:]]

    return w.change(lambda t: LOOP(t) and new(t) is not None, new)


def on_the_way(w):
    """what is stored is stored to another tensor first"""

    def new(store):
        of = store[1][1]
        if ',' in of or is_sum(store) or of not in {row['tensor'] for row in w.rows}:
            return None
        other = ['tensor', w.fresh(of)]
        return [
            'seq',
            ['store', other, store[2], store[3]],
            store[:2] + [['load', other, store[3]], store[3]],
        ]

    return w.change(lambda t: STORE(t) and not is_sum(t) and ',' not in t[1][1], new)


def in_place(w):
    """a quotient or product is made of what was stored before"""

    def new(store):
        value = store[2]
        return [
            'seq',
            store[:2] + [value[1], store[3]],
            store[:2] + [[value[0], ['load', store[1], store[3]], value[2]], store[3]],
        ]

    return w.change(lambda t: STORE(t) and head('/', '*', '+')(t[2]) and not is_sum(t), new)


def two_sums(w):
    """a sum of products as two sums, in two tensors, added where it is complete"""
    name = w.rng.choice(
        [at(w.tree, p)[1][1] for p in places(w.tree, lambda t: STORE(t) and is_sum(t))] or [None]
    )
    if name is None or ',' in name:
        return False
    loops = places(
        w.tree, lambda t: LOOP(t) and STORE(t[5]) and is_sum(t[5]) and t[5][1][1] == name
    )
    if len(loops) != 1:
        return False
    loop = at(w.tree, loops[0])
    store = loop[5]
    other = ['tensor', w.fresh(name)]
    again = replace_tensor(store, name, other[1])
    halves = [
        'seq',
        store[:2] + [halved(store, name), store[3]],
        again[:2] + [halved(again, other[1]), again[3]],
    ]
    index = store[3]
    total = ['store', store[1], ['+', ['load', store[1], index], ['load', other, index]], index]
    w.tree = replaced(w.tree, loops[0], ['seq', loop[:5] + [halves], total])
    return True


def halved(store, name):
    value = store[2]
    mine = [name in text_of(side) for side in value[1:]]
    return ['+'] + [side if own else ['*', '0.5', side] for side, own in zip(value[1:], mine)]


def sum_in_parts(w):
    """the first tile of a sum in one loop and tensor, the others in another, added at the end"""
    size = {'4096': '128', '4544': '64'}

    def fits(loop):
        store = loop[5]
        return (
            (loop[1], loop[2] in size) == ('0', True)
            and STORE(store)
            and is_sum(store)
            and store[1][0] == 'tensor'
            and ',' not in store[1][1]
        )

    def new(loop):
        store = loop[5]
        other = ['tensor', w.fresh(store[1][1])]
        tile, index = size[loop[2]], store[3]
        rest = replace_tensor(store, store[1][1], other[1])
        return [
            'seq',
            ['sloop', '0', tile, tile] + loop[4:],
            [
                'seq',
                ['sloop', tile, loop[2], tile, loop[4], rest],
                [
                    'store',
                    store[1],
                    ['+', ['load', store[1], index], ['load', other, index]],
                    index,
                ],
            ],
        ]

    return w.change(lambda t: LOOP(t) and fits(t), new)


def transposed(w):
    """what is stored goes through a tensor whose last two axes are exchanged"""
    three = {row['tensor'] for row in w.rows if len(row['dims'].split()) == 3}

    def new(store):
        other = ['tensor', w.fresh(store[1][1])]
        row, place = w.rows[-1], store[3]
        first, second, third = row['dims'].split()
        row['dims'] = ' '.join((first, third, second))
        turned = [place[0], place[1], place[3], place[2]]
        return [
            'seq',
            ['store', other, ['permute3', store[2], '0', '2', '1'], turned],
            store[:2] + [['permute3', ['load', other, turned], '0', '2', '1'], place],
        ]

    return w.change(lambda t: STORE(t) and not is_sum(t) and t[1][1] in three, new)


def loaded_before(w):
    """what a loop loads at one place in all its rounds is loaded before it"""
    stored = {at(w.tree, path)[1][1] for path in places(w.tree, STORE)}
    stored = set(','.join(stored).split(','))
    unchanged = {row['tensor'] for row in w.rows} - stored

    def found(loop):
        counted = {at(loop, path)[4] for path in places(loop, LOOP)}
        return places(
            loop[5],
            lambda t: head('load')(t)
            and t[1][0] == 'input'
            and t[1][1] in unchanged
            and not counted & set(re.findall(r'[^\s()]+', text_of(t[2]))),
        )

    def new(loop):
        load = at(loop[5], w.rng.choice(found(loop)))
        other = ['tensor', w.fresh(load[1][1])]
        body = replace_tree(loop[5], load, ['load', other, load[2]])
        return ['seq', ['store', other, load, load[2]], loop[:5] + [body]]

    return w.change(lambda t: LOOP(t) and bool(found(t)), new)


def computed_again(w):
    """a load of what the statement before has stored at this place is the value again"""

    def new(tree):
        store, rest = tree[1], tree[2]
        found = places(
            rest,
            lambda t: not isinstance(t, str)
            and t[:1] == ['load']
            and t[1][1:] == store[1][1:]
            and t[2] == store[3],
        )
        if not found:
            return None
        return ['seq', store, replaced(rest, w.rng.choice(found), store[2])]

    return w.change(
        lambda t: head('seq')(t) and STORE(t[1]) and not is_sum(t[1]) and new(t) is not None, new
    )


def other_order(w):
    def new(tree):
        first, rest = tree[1], tree[2]
        if head('seq')(rest):
            return ['seq', rest[1], ['seq', first, rest[2]]]
        return ['seq', rest, first]

    return w.change(head('seq'), new)


def renamed_tensor(w):
    names = sorted(row['tensor'] for row in w.rows if row['kind'] == 'tensor')
    used = [name for name in names if name in meaning.names_in(w.tree)]
    if not used:
        return False
    name = w.rng.choice(used)
    w.tree = replace_tensor(w.tree, name, w.fresh(name))
    return True


def renamed_variable(w):
    def new(loop):
        return replace_name(loop, loop[4], loop[4] + 'v')

    return w.change(LOOP, new)


def other_tile(w):
    def new(loop):
        return loop if loop[3].isdigit() else loop[:3] + [loop[3] + 'y'] + loop[4:]

    return w.change(lambda t: LOOP(t) and not t[3].isdigit(), new)


def inserted(w):
    """what stands before a loop is done in each of its iterations"""

    def new(tree):
        loop = tree[2][1] if head('seq')(tree[2]) else tree[2]
        if not LOOP(loop):
            return None
        made = loop[:5] + [['seq', tree[1], loop[5]]]
        return ['seq', made, tree[2][2]] if head('seq')(tree[2]) else made

    return w.change(lambda t: head('seq')(t) and new(t) is not None, new)


def later(w):
    """a sum of quotients is divided when it is complete"""

    def new(loop):
        store = loop[5]
        at_quotient = places(store[2], lambda t: head('@')(t) and head('/')(t[1]))
        if not at_quotient:
            return None
        product = at(store[2], at_quotient[0])
        whole = replaced(store[2], at_quotient[0], ['@', product[1][1], product[2]])
        complete = ['load', store[1], store[3]]
        after = ['store', store[1], ['/', complete, product[1][2]], store[3]]
        return ['seq', loop[:5] + [store[:2] + [whole, store[3]]], after]

    return w.change(lambda t: LOOP(t) and STORE(t[5]) and is_sum(t[5]) and new(t) is not None, new)


def squared(w):
    return w.change(head('sqr'), lambda t: ['*', t[1], t[1]])


def other_factors(w):
    return w.change(head('+', '*'), lambda t: [t[0], t[2], t[1]])


def left_out(w):
    return w.change(STORE, lambda _: 'dummy')


def no_sum(w):
    def new(store):
        sides = store[2][1:]
        return store[:2] + [sides[1] if store[1][1] in text_of(sides[0]) else sides[0], store[3]]

    return w.change(lambda t: STORE(t) and is_sum(t), new)


CHANGES = {
    'loops fused': fuse,
    'loop split': part,
    'loops exchanged': exchange,
    'parallel or not': other_kind,
    'range cut in two': cut_in_two,
    'stored on the way': on_the_way,
    'updated in place': in_place,
    'two sums': two_sums,
    'sum in parts': sum_in_parts,
    'transposed on the way': transposed,
    'loaded before': loaded_before,
    'computed again': computed_again,
    'other order': other_order,
    'tensor renamed': renamed_tensor,
    'variable renamed': renamed_variable,
    'other tile': other_tile,
    'done in each iteration': inserted,
    'divided later': later,
    'square as product': squared,
    'operands exchanged': other_factors,
    'never stored': left_out,
    'no accumulation': no_sum,
}


def replace_name(tree, name, new):
    if isinstance(tree, str):
        return new if tree == name else tree
    return [replace_name(part, name, new) for part in tree]


def replace_tree(tree, old, new):
    if tree == old:
        return new
    return tree if isinstance(tree, str) else [replace_tree(part, old, new) for part in tree]


def replace_tensor(tree, name, new):
    if isinstance(tree, str):
        return tree
    if tree[0] in ('tensor', 'input', 'output'):
        kept = [new if part == name else part for part in tree[1].split(',')]
        return ['tensor' if new in kept else tree[0], ','.join(kept)]
    return [tree[0]] + [replace_tensor(part, name, new) for part in tree[1:]]


def written(tree, rows, rng, only=''):
    """names of two to four changes, of those alone, the program, its table"""
    names = sorted(name for name in CHANGES if re.search(only, name))
    w = Writer(tree, rows, rng)
    made = []
    for _ in range(rng.randint(2, 4)):
        for name in rng.sample(names, len(names)):
            if CHANGES[name](w):
                made.append(name)
                break
    return made, w.tree, w.rows


# ---- the folder
def table(path):
    with open(path, encoding='utf-8') as file:
        return list(csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE))


def sources(reading, only):
    shapes = table(os.path.join(FOLDER, 'shapes.tsv'))
    for row in table(os.path.join(FOLDER, 'dev/verdicts.tsv')):
        if row[reading] == 'EQUIVALENT' and re.search(only, row['file']):
            rows = [shape for shape in shapes if shape['config'] == row['config']]
            yield row['file'], row['config'], row['reference'], rows


def read(name):
    with open(os.path.join(FOLDER, name), encoding='utf-8') as file:
        return parse(file.read())


def judged(options, given, rows, programs, folder):
    """verdict and words of each, and seconds of the processor for all"""
    listed = os.path.join(folder, 'shapes.tsv')
    with open(listed, 'w', encoding='utf-8') as file:
        file.write('config\ttensor\tkind\tdims\n')
        for row in rows:
            file.write(
                '%s\t%s\t%s\t%s\n' % tuple(row[c] for c in ('config', 'tensor', 'kind', 'dims'))
            )
    many = os.path.join(folder, 'many.txt')
    with open(many, 'w', encoding='utf-8') as file:
        for number, program in enumerate(programs):
            file.write('%d: %s\n' % (number, text_of(program)))
    command = [
        options.assay,
        'certify',
        '--json',
        '--solvers=none',
        given,
        '--from',
        'trinity',
        many,
    ]
    command += ['--shapes=' + listed, '--config=' + rows[0]['config']]
    command += ['--scratch=' + options.reading, '--proof-steps=%d' % options.steps]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    env = dict(os.environ, ASSAY_SEM=os.path.join(TOP, 'semantics'))
    done = subprocess.run(command, stdout=subprocess.PIPE, env=env, text=True, check=False)
    took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode not in (0, 1, 3):
        sys.exit('%s: exit %d' % (' '.join(command), done.returncode))
    said = json.loads(done.stdout)['programs']
    return [(one['verdict'], one.get('words', '')) for one in said], took


def keep(options, name, number, program, rows):
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        base = os.path.join(options.keep, '%s_%d' % (name, number))
        with open(base + '.tir', 'w', encoding='utf-8') as file:
            file.write(text_of(program) + '\n')
        with open(base + '.tsv', 'w', encoding='utf-8') as file:
            file.write('config\ttensor\tkind\tdims\n')
            for row in rows:
                file.write(
                    '%s\t%s\t%s\t%s\n' % tuple(row[c] for c in ('config', 'tensor', 'kind', 'dims'))
                )


def variants(options, tree, given, rows, rng):
    """changes, program, table and truth of each; all tables together are one"""
    out = []
    tensors = {row['tensor']: row for row in rows}
    for _ in range(options.count):
        made, program, own = written(tree, list(tensors.values()), rng, options.changes)
        tensors.update((row['tensor'], row) for row in own)
        truth = meaning.verdict(given, program, meaning.shapes_of(own), options.reading)
        out.append((made, program, truth))
    return out, list(tensors.values())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--assay', default=os.path.join(TOP, 'build/assay'))
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=8)
    parser.add_argument('--steps', type=int, default=100000)
    parser.add_argument('--reading', choices=('global', 'private'), default='global')
    parser.add_argument('--only', default='')
    parser.add_argument(
        '--changes', default='', help='a regular expression: of these changes alone'
    )
    parser.add_argument('--keep')
    options = parser.parse_args()
    print('seed %d, %s' % (options.seed, options.reading))
    rng = random.Random(options.seed)
    counts, unknown, bad, seconds = collections.Counter(), collections.Counter(), 0, []
    for name, _, reference, rows in sources(options.reading, options.only):
        given = read(reference)
        made, listed = variants(options, read(name), given, rows, rng)
        with tempfile.TemporaryDirectory() as folder:
            programs = [program for _, program, _ in made]
            said, took = judged(options, os.path.join(FOLDER, reference), listed, programs, folder)
        seconds.append(took / options.count)
        for number, ((changes, program, truth), (verdict, words)) in enumerate(zip(made, said)):
            counts[truth, verdict] += 1
            wrong = verdict not in MAY[truth]
            bad += wrong
            if wrong or (truth == 'EQUIVALENT' and verdict == 'UNKNOWN'):
                unknown.update(set(changes))
                why = re.search(r'No proof: (.*)', words)
                base = os.path.basename(name)[:-4]
                keep(options, base, number, program, listed)
                print(
                    '%s%s %d | %s | %s'
                    % (
                        'WRONG ' if wrong else '',
                        base,
                        number,
                        ', '.join(changes),
                        why.group(1) if why else verdict,
                    ),
                    flush=True,
                )
    for key, n in sorted(counts.items()):
        print('%s, %s: %d' % (key + (n,)))
    print(
        'right and UNKNOWN, by change: %s'
        % ', '.join('%s %d' % one for one in unknown.most_common())
    )
    print('seconds of the processor a program: median %.2f' % sorted(seconds)[len(seconds) // 2])
    sys.exit(1 if bad else 0)


if __name__ == '__main__':
    main()
