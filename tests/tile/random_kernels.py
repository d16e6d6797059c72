#!/usr/bin/env python3
"""Random tile programs as kernels, under the emulation, against the evaluator.
   random_kernels.py TEST_TILES [--cases N] [--seed S] [--batch B] [--keep DIR]
TEST_TILES is tests/lower/test_tiles, which lowers, runs and compares the files that it is given.
Programs are defined by the way they are made: positions are taken modulo their extents or are
within them, lanes of a store lie apart, and iterations of a `parallel` store to rows of their own.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path

EXTENTS = [0, 1, 1, 2, 3, 4, 5, 7, 8, 16, 17, 33, 40]
TYPES = ['f32', 'f32', 'f32', 'f16', 'bf16']


class Program:
    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.declared = []
        self.sizes = {}
        self.inputs = []  # name, extents
        self.integers = []  # name, extent
        self.fresh = 0

    def name(self, letter):
        self.fresh += 1
        return '%s%d' % (letter, self.fresh)

    def extent_text(self, n):
        """the extent as a number or as a size of that value"""
        if n > 0 and self.rng.random() < 0.4:
            for name, value in self.sizes.items():
                if value == n:
                    return name
            name = self.name('N')
            self.sizes[name] = n
            return name
        return str(n)


class Scope:
    """what can be named at a place: variables of loops and lanes with the numbers that they are
    below, tiles with their extents"""

    def __init__(self, program, indent=0, outer=None):
        self.program = program
        self.rng = program.rng
        self.indent = indent
        self.variables = dict(outer.variables) if outer else {}
        self.tiles = list(outer.tiles) if outer else []
        self.own_tensors = list(outer.own_tensors) if outer else []

    def say(self, text):
        self.program.lines.append('  ' * self.indent + text)

    # --- integers
    def index(self, lanes, depth=2):
        rng = self.rng
        names = list(self.variables) + list(lanes)
        kind = rng.randrange(10)
        if depth == 0 or kind < 3 or not names:
            return str(rng.randrange(9)) if not names or rng.random() < 0.25 else rng.choice(names)
        a, b = self.index(lanes, depth - 1), self.index(lanes, depth - 1)
        if kind == 3:
            return '(%s + %s)' % (a, b)
        if kind == 4:
            return '(%s - %s)' % (a, b)
        if kind == 5:
            return '(%s * %d)' % (a, rng.choice([1, 2, 3, 5, 1000003, 4000000007]))
        if kind == 6:
            return '(%s %s %d)' % (a, rng.choice(['div', 'mod']), rng.choice([1, 2, 3, 4, 7, 16]))
        if kind == 7:
            return '%s(%s, %s)' % (rng.choice(['min', 'max']), a, b)
        if kind == 8:
            whole = [t for t in self.tiles if t[2]]
            if whole:
                return self.element(rng.choice(whole), lanes, depth - 1)
            return 'abs(%s)' % a
        return 'if(%s, %s, %s)' % (self.condition(lanes, depth - 1), a, b)

    def within(self, extent, lanes):
        """an integer from 0 to below the extent, which is not 0"""
        rng = self.rng
        fitting = [
            n for n, below in list(self.variables.items()) + list(lanes.items()) if below <= extent
        ]
        if fitting and rng.random() < 0.6:
            name = rng.choice(fitting)
            return name if rng.random() < 0.6 else '%d - %s' % (extent - 1, name)
        return '(%s) mod %d' % (self.index(lanes), extent)

    def condition(self, lanes, depth=1):
        rng = self.rng
        if depth > 0 and rng.random() < 0.3:
            return '(%s) %s (%s)' % (
                self.condition(lanes, depth - 1),
                rng.choice(['and', 'or']),
                self.condition(lanes, depth - 1),
            )
        if rng.random() < 0.15:
            return 'not (%s)' % self.condition(lanes, 0)
        relation = rng.choice(['<', '<=', '=', '!=', '>', '>='])
        return '%s %s %s' % (self.index(lanes, 1), relation, self.index(lanes, 1))

    # --- numbers
    def element(self, tile, lanes, depth=1):
        name, extents, _ = tile
        if 0 in extents:
            return '1'
        return '%s[%s]' % (name, ', '.join(self.within(e, lanes) for e in extents))

    def number(self, lanes, depth=3):
        rng = self.rng
        kind = rng.randrange(12)
        real = [t for t in self.tiles if not t[2] and 0 not in t[1]]
        if depth == 0 or kind < 4:
            if real and rng.random() < 0.85:
                return self.element(rng.choice(real), lanes)
            return rng.choice(['1', '0', '3/4', '2', '(-1)', '1/2'])
        a = self.number(lanes, depth - 1)
        if kind < 7:
            b = self.number(lanes, depth - 1)
            return (
                '(%s %s %s)' % (a, rng.choice(['+', '-', '*']), b)
                if kind < 6
                else '(%s / (1 + abs(%s)))' % (a, b)
            )
        if kind == 7:
            return '%s(%s, %s)' % (rng.choice(['min', 'max']), a, self.number(lanes, depth - 1))
        if kind == 8:
            return 'if(%s, %s, %s)' % (self.condition(lanes), a, self.number(lanes, depth - 1))
        if kind == 9:
            return 'exp(-abs(%s))' % a
        if kind == 10:
            return '(%s mod 7)' % self.index(lanes, 2)
        counter = self.program.name('k')
        extent = rng.choice([0, 1, 2, 3, 9, 40]) if depth > 1 else 2
        inner = dict(lanes)
        inner[counter] = extent
        fold = 'sum' if extent == 0 else rng.choice(['sum', 'max', 'min', 'sum'])
        return '(%s(%s < %d) (%s)) / %d' % (
            fold,
            counter,
            extent,
            self.number(inner, depth - 2 if depth > 1 else 0),
            max(extent, 1),
        )

    def bounded(self, lanes, depth=3):
        return 'max(min(%s, 8), -8)' % self.number(lanes, depth)

    # --- statements
    def new_lanes(self, extents):
        names = [self.program.name('i') for _ in extents]
        text = '[%s]' % ', '.join(
            '%s < %s' % (n, self.program.extent_text(e)) for n, e in zip(names, extents)
        )
        return dict(zip(names, extents)), text

    def extents(self):
        rng = self.rng
        return [rng.choice(EXTENTS) for _ in range(rng.choice([0, 1, 1, 1, 2]))]

    def load(self):
        rng = self.rng
        program = self.program
        if program.integers and rng.random() < 0.25:
            source, shape = rng.choice(program.integers)
            whole = True
        else:
            source, shape = rng.choice(program.inputs + [(n, s) for n, s, _ in self.own_tensors])
            whole = False
        prefix = next((p for n, _, p in self.own_tensors if n == source), [])
        extents = self.extents()
        lanes, text = self.new_lanes(extents)
        place = prefix + [self.within(e, lanes) for e in shape[len(prefix) :]]
        name = program.name('t')
        mask = ''
        if rng.random() < 0.3:
            mask = ' where %s else %s' % (self.condition(lanes), rng.choice(['0', '-2', '3']))
        self.say('load %s%s = %s[%s]%s' % (name, text, source, ', '.join(place), mask))
        self.tiles.append((name, extents, whole))

    def make(self):
        extents = self.extents()
        lanes, text = self.new_lanes(extents)
        name = self.program.name('t')
        whole = self.rng.random() < 0.2
        value = '(%s) mod 1009' % self.index(lanes, 2) if whole else self.bounded(lanes)
        self.say('make %s%s = %s' % (name, text, value))
        self.tiles.append((name, extents, whole))

    def let(self):
        real = [t for t in self.tiles if not t[2] and t[1] and 0 not in t[1]]
        if not real:
            return self.make()
        name, extents, _ = self.rng.choice(real)
        made = self.program.name('t')
        square = [t for t in real if len(t[1]) == 2 and len(extents) == 2 and t[1][0] == extents[1]]
        if square:
            other = self.rng.choice(square)
            self.say('%s = (%s @ %s) / %d' % (made, name, other[0], extents[1]))
            extents = [extents[0], other[1][1]]
        elif self.rng.random() < 0.5:
            axis = self.rng.randrange(len(extents))
            self.say(
                '%s = %s(%s, axis=%d)' % (made, self.rng.choice(['max', 'min', 'mean']), name, axis)
            )
            extents = extents[:axis] + extents[axis + 1 :]
        else:
            self.say('%s = %s(%s)' % (made, self.rng.choice(['relu', 'abs']), name))
        self.tiles.append((made, extents, False))
        return None

    def store(self):
        """lanes lie apart: each is an axis of the tensor, forwards or backwards, or all of a flat
        one"""
        if not self.own_tensors:
            return
        rng = self.rng
        target, shape, prefix = rng.choice(self.own_tensors)
        rest = shape[len(prefix) :]
        extents = [rng.randrange(e + 1) if rng.random() < 0.3 else e for e in rest]
        lanes, text = self.new_lanes(extents)
        places = []
        for (lane, count), extent in zip(lanes.items(), rest):
            moved = rng.random()
            if moved < 0.25:
                places.append('%d - %s' % (extent - 1, lane))
            elif moved < 0.4 and extent > 0:
                places.append('(%s + %s) mod %d' % (lane, self.index({}, 1), extent))
            elif moved < 0.5 and count * 2 <= extent:
                places.append('2 * %s' % lane)
            else:
                places.append(lane)
        mask = ' where %s' % self.condition(lanes) if rng.random() < 0.35 else ''
        self.say(
            'store %s[%s] = %s over %s%s'
            % (target, ', '.join(prefix + places), self.bounded(lanes), text, mask)
        )

    def scratch(self):
        name = self.program.name('s')
        shape = [self.rng.choice([1, 3, 8, 33]) for _ in range(self.rng.choice([1, 1, 2]))]
        self.say(
            'scratch %s: f32[%s] = %s'
            % (
                name,
                ', '.join(self.program.extent_text(e) for e in shape),
                self.rng.choice(['0', '1', '-3']),
            )
        )
        self.own_tensors.append((name, shape, []))

    def loop(self, depth):
        rng = self.rng
        variable = self.program.name('v')
        count = rng.choice([0, 1, 2, 3, 4])
        step = rng.choice([1, 1, 2, 3])
        start = rng.choice([0, 0, 1, 2])
        stop = start + count * step - (rng.randrange(step) if count else 0)
        parallel = rng.random() < 0.4
        body = Scope(self.program, self.indent + 1, self)
        shown = '' if step == 1 else ' step %d' % step
        self.say(
            '%s %s = %d to %s%s'
            % (
                'parallel' if parallel else 'for',
                variable,
                start,
                self.program.extent_text(stop),
                shown,
            )
        )
        body.variables[variable] = max(stop, 1)
        carried = []
        if (
            parallel
        ):  # rows of its own of what is there, where there are as many; nothing else is stored to
            rows = [
                (n, s, p + [variable])
                for n, s, p in self.own_tensors
                if len(p) < len(s) and stop <= s[len(p)]
            ]
            body.own_tensors = rows
        elif rng.random() < 0.5:
            real = [t for t in self.tiles if not t[2]]
            for first in rng.sample(real, min(len(real), rng.choice([1, 2]))):
                name = self.program.name('c')
                body.say('carry %s = %s' % (name, first[0]))
                carried.append((name, first[1], False))
            body.tiles += carried
        body.statements(rng.randrange(1, 5), depth - 1)
        for name, extents, _ in carried:
            same = [t for t in body.tiles if t[1] == extents and not t[2]]
            body.say('next %s = %s' % (name, rng.choice(same)[0]))
        self.say('end')
        self.tiles += carried

    def statements(self, n, depth):
        for _ in range(n):
            kind = self.rng.randrange(12)
            if kind < 3:
                self.load()
            elif kind < 5:
                self.make()
            elif kind < 6:
                self.let()
            elif kind < 9:
                self.store()
            elif kind < 10:
                self.scratch()
            elif depth > 0:
                self.loop(depth)


def written(rng, name):
    program = Program(rng)
    top = Scope(program)
    for _ in range(rng.randrange(1, 4)):
        shape = [max(1, rng.choice(EXTENTS)) for _ in range(rng.choice([1, 2, 2, 3]))]
        if len(shape) == 3:
            shape = [min(e, 5) for e in shape]
        program.inputs.append((program.name('X'), shape))
        program.declared.append(('input', *program.inputs[-1], rng.choice(TYPES), ''))
    if rng.random() < 0.6:
        program.integers.append((program.name('I'), [rng.choice([1, 5, 16])]))
        program.declared.append(('input', *program.integers[-1], 'int', ''))
    for _ in range(rng.randrange(1, 4)):
        shape = [rng.choice([1, 3, 4, 8, 12]) for _ in range(rng.choice([1, 2, 2, 3]))]
        tensor = program.name('Y')
        inout = rng.random() < 0.4
        program.declared.append(
            (
                'inout' if inout else 'output',
                tensor,
                shape,
                'f32',
                '' if inout else ' = %d' % rng.randrange(3),
            )
        )
        top.own_tensors.append((tensor, shape, []))
    for _ in range(rng.randrange(1, 3)):
        tensor = program.name('S')
        shape = [rng.choice([3, 4, 8]) for _ in range(rng.choice([1, 2]))]
        program.declared.append(('scratch', tensor, shape, 'f32', ' = 0'))
        top.own_tensors.append((tensor, shape, []))
    for _ in range(rng.randrange(2, 6)):
        if rng.random() < 0.75:
            top.loop(3)
        else:
            top.statements(rng.randrange(1, 4), 2)
    head = ['tile %s' % name]
    tensors = [
        '%s %s: %s[%s]%s'
        % (kind, tensor, dtype, ', '.join(program.extent_text(e) for e in shape), more)
        for kind, tensor, shape, dtype, more in program.declared
    ]
    if program.sizes:
        head.append('sizes ' + ', '.join('%s = %d' % item for item in program.sizes.items()))
    return '\n'.join(head + tensors + program.lines) + '\n'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('test_tiles')
    parser.add_argument('--cases', type=int, default=200)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--batch', type=int, default=20)
    parser.add_argument('--keep')
    options = parser.parse_args()
    wrong = ran = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(options.keep or folder)
        folder.mkdir(exist_ok=True)
        files = []
        for i in range(options.cases):
            files.append(folder / ('r%d_%d.tile' % (options.seed, i)))
            files[-1].write_text(written(random.Random(options.seed * 1000003 + i), 'r%d' % i))
        for i in range(0, len(files), options.batch):
            said = subprocess.run(
                [options.test_tiles] + [str(f) for f in files[i : i + options.batch]],
                capture_output=True,
                text=True,
            )
            for line in said.stdout.splitlines():
                if ': WRONG: ' in line:
                    wrong += 1
                    print(line)
                    print(Path(line.split(': WRONG')[0]).read_text())
                elif ' kernels, ' in line:
                    ran += 1
                elif not line.endswith(' wrong'):
                    print(line)
            if said.returncode not in (0, 1):
                wrong += 1
                print('ended with status %d\n%s%s' % (said.returncode, said.stdout, said.stderr))
            sys.stdout.flush()
    print('seed %d: %d programs, %d right, %d wrong' % (options.seed, options.cases, ran, wrong))
    return wrong > 0 or ran != options.cases


if __name__ == '__main__':
    sys.exit(main())
