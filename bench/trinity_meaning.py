"""What a program of Trinity's language computes, exactly, at small extents: numbers are those of a
prime field, functions (exp, sqrt, sigmoid) are arbitrary ones of its elements. Two programs that
are equal by algebra agree at all inputs; others differ at nearly all. Written from FORMAT.md of the
shared data alone, so that it judges without anything of Assay.

Readings of scratch tensors: `global`, one array for the whole program; `private`, what one kernel of
ploops alone uses is zeros in each of its instances."""

import fractions
import itertools
import random
import re
import zlib

PRIME = (1 << 61) - 1
# extents of the shared table, and small ones that keep how they divide and add up
SCALED = {
    4096: 6,
    32: 3,
    128: 2,
    4544: 6,
    71: 3,
    64: 2,
    16: 4,
    1024: 7,
    1008: 3,
    14336: 5,
    16384: 5,
    18176: 5,
}
# sizes of tiles, by run: no loop of the small extents is one tile in all
TILES = ((1,), (2,), (1, 2, 3, 4))
LOOPS = ('loop', 'ploop', 'sloop')
ORDERS = ('ascending', 'descending', 'shuffled', 'at once')


def copied(state):
    return {name: list(data) for name, data in state.items()}


class Undefined(Exception):
    """shapes that do not fit, or a place outside of its tensor"""


def scaled(atom):
    number = int(atom)
    return SCALED.get(number, number)


def number_of(atom):
    if re.fullmatch(r'\d+', atom):
        return scaled(atom)
    number = fractions.Fraction(atom)
    return number.numerator * pow(number.denominator, -1, PRIME) % PRIME


class Array:
    """elements in rows, the last axis fastest"""

    def __init__(self, shape, data):
        self.shape = tuple(shape)
        self.data = data

    @staticmethod
    def make(shape, element):
        return Array(shape, [element(at) for at in itertools.product(*map(range, shape))])

    def position(self, at):
        place = 0
        for index, extent in zip(at, self.shape):
            if not 0 <= index < extent:
                raise Undefined('outside of a tensor')
            place = place * extent + index
        return place

    def get(self, at):
        return self.data[self.position(at)]


def function(name):
    seed = zlib.crc32(name.encode())
    return lambda x: pow((x + seed) % PRIME, 7, PRIME) ^ 5


def elementwise(a, b, op):
    if not isinstance(a, Array) and not isinstance(b, Array):
        return op(a, b)
    if not isinstance(a, Array):
        return Array(b.shape, [op(a, x) for x in b.data])
    if not isinstance(b, Array):
        return Array(a.shape, [op(x, b) for x in a.data])
    if len(a.shape) != len(b.shape):
        raise Undefined('ranks differ')
    shape = []
    for x, y in zip(a.shape, b.shape):
        if x != y and 1 not in (x, y):
            raise Undefined('extents differ')
        shape.append(y if x == 1 else x)
    one = lambda of, at: of.get([0 if n == 1 else i for i, n in zip(at, of.shape)])
    return Array.make(shape, lambda at: op(one(a, at), one(b, at)))


def product(a, b):
    fits = len(a.shape) == len(b.shape) >= 2 and a.shape[:-2] == b.shape[:-2]
    if not fits or a.shape[-1] != b.shape[-2]:
        raise Undefined('a product of these shapes')
    terms = range(a.shape[-1])
    return Array.make(
        a.shape[:-1] + b.shape[-1:],
        lambda at: sum(a.get(at[:-1] + (k,)) * b.get(at[:-2] + (k, at[-1])) for k in terms) % PRIME,
    )


def summed(x, axis):
    if axis >= len(x.shape):
        raise Undefined('no such axis')
    shape = x.shape[:axis] + x.shape[axis + 1 :]
    terms = range(x.shape[axis])
    return Array.make(
        shape, lambda at: sum(x.get(at[:axis] + (k,) + at[axis:]) for k in terms) % PRIME
    )


def divided(a, b):
    if b % PRIME == 0:
        raise Undefined('a quotient by 0')
    return a * pow(b, -1, PRIME) % PRIME


BINARY = {
    '+': lambda a, b: (a + b) % PRIME,
    '-': lambda a, b: (a - b) % PRIME,
    '*': lambda a, b: a * b % PRIME,
    '/': divided,
}


class Run:
    """one execution, with its tile sizes and order of parallel iterations; `at once`: each iteration
    begins with what there was before the loop, and sees nothing of the others"""

    def __init__(self, shapes, inputs, rng, order, reading, tiles):
        self.shapes = shapes
        self.rng = rng
        self.tiles = tiles
        self.order = order
        self.reading = reading
        self.zip = 0
        self.env = {}
        self.tile = {}
        self.kernel = 0
        self.own = {}
        self.state = {}
        for name, (kind, shape) in shapes.items():
            self.state[name] = list(inputs[name].data) if kind == 'input' else [0] * size_of(shape)

    # ---- places
    def name(self, of):
        names = of[1].split(',')
        name = names[self.zip] if len(names) > 1 else names[0]
        if name not in self.shapes:
            raise Undefined('no such tensor')
        return name

    def lanes(self, index, shape):
        parts = index[1:]
        if len(parts) != len(shape):
            raise Undefined('an index of another rank')
        out = []
        for part, extent in zip(parts, shape):
            word = part if isinstance(part, str) else part[0]
            if word == 'fulltile':
                out.append(range(extent))
            elif word == 'tile':
                start, step = self.env[part[1]]
                out.append(range(start, min(start + step, extent)))
            elif word == 'const_tile':
                start = scaled(part[1])
                out.append(range(start, start + scaled(part[2])))
            elif word == 'elem':
                start, step = self.env[part[1]]
                out.append(range(start // step, start // step + 1))
            else:
                raise Undefined('an unknown index')
        return out

    def load(self, of, index):
        name = self.name(of)
        shape = self.shapes[name][1]
        lanes = self.lanes(index, shape)
        whole = Array(shape, self.own.get(name, self.state[name]))
        return Array.make(
            [len(x) for x in lanes], lambda at: whole.get([x[i] for x, i in zip(lanes, at)])
        )

    def store(self, of, value, index):
        name = self.name(of)
        shape = self.shapes[name][1]
        lanes = self.lanes(index, shape)
        if not isinstance(value, Array) or value.shape != tuple(len(x) for x in lanes):
            raise Undefined('a tile of another shape is stored')
        whole = Array(shape, self.own.get(name, self.state[name]))
        for at in itertools.product(*(range(len(x)) for x in lanes)):
            whole.data[whole.position([x[i] for x, i in zip(lanes, at)])] = value.get(at)

    # ---- tiles
    def value(self, tree):
        if isinstance(tree, str):
            return number_of(tree)
        head = tree[0]
        if head == 'load':
            return self.load(tree[1], tree[2])
        if head in BINARY:
            return elementwise(self.value(tree[1]), self.value(tree[2]), BINARY[head])
        if head == '@':
            return product(self.value(tree[1]), self.value(tree[2]))
        x = self.value(tree[1])
        if head == 'sqr':
            return elementwise(x, x, BINARY['*'])
        if head in ('exp', 'sqrt', 'sigmoid'):
            return Array(x.shape, [function(head)(v) for v in x.data])
        numbers = [int(number) for number in tree[2:]]
        if head == 'rsum':
            return summed(x, numbers[0])
        if head in ('bcast', 'unsqueeze'):
            return Array(x.shape[: numbers[0]] + (1,) + x.shape[numbers[0] :], x.data)
        if head == 'squeeze':
            if x.shape[numbers[0]] != 1:
                raise Undefined('an axis that is not of extent 1')
            return Array(x.shape[: numbers[0]] + x.shape[numbers[0] + 1 :], x.data)
        if head == 'permute3':
            if sorted(numbers) != list(range(len(x.shape))):
                raise Undefined('not an order of the axes')
            back = [numbers.index(d) for d in range(len(numbers))]
            return Array.make(
                [x.shape[d] for d in numbers], lambda at: x.get([at[d] for d in back])
            )
        raise Undefined('an unknown operator')

    # ---- statements
    def step(self, atom):
        if re.fullmatch(r'\d+', atom):
            return scaled(atom)
        return self.tile.setdefault((self.kernel, atom), self.rng.choice(self.tiles))

    def rounds(self, head, start, end, step):
        """the values of a loop's variable; of a parallel loop in the order that is tried"""
        rounds = list(range(scaled(start), scaled(end), self.step(step)))
        if head == 'ploop' and self.order in ('descending', 'shuffled'):
            rounds.reverse()
        if head == 'ploop' and self.order == 'shuffled':
            self.rng.shuffle(rounds)
        return rounds

    def run_loop(self, tree, private):
        head, start, end, step, variable, body = tree
        outer = self.env.get(variable)
        nested = head == 'ploop' and not isinstance(body, str) and body[0] == 'ploop'

        def run_round(at):
            self.env[variable] = (at, self.step(step))
            for name in () if nested else private:
                self.own[name] = [0] * size_of(self.shapes[name][1])
            self.run(body, private if nested else ())

        rounds = self.rounds(head, start, end, step)
        if head == 'ploop' and self.order == 'at once':
            self.run_at_once(run_round, rounds)
        else:
            for at in rounds:
                run_round(at)
        self.env[variable] = outer

    def run_at_once(self, run_round, rounds):
        """each round sees what was there before all of them; what it changes is there after them"""
        before, after = copied(self.state), copied(self.state)
        for at in rounds:
            self.state = copied(before)
            run_round(at)
            for name, data in self.state.items():
                for place, value in enumerate(data):
                    if value != before[name][place]:
                        after[name][place] = value
        self.state = after

    def run(self, tree, private=()):
        if isinstance(tree, str):
            return
        if tree[0] == 'seq':
            self.run(tree[1])
            self.run(tree[2])
        elif tree[0] in LOOPS:
            self.run_loop(tree, private)
        else:
            for self.zip in range(len(tree[1][1].split(','))):
                self.store(tree[1], self.value(tree[2]), tree[3])
            self.zip = 0

    def program(self, tree):
        kernels = kernels_of(tree)
        used = [names_in(kernel) for kernel in kernels]
        for number, kernel in enumerate(kernels):
            self.kernel = number
            self.own = {}
            alone = [
                name
                for name in used[number]
                if self.reading == 'private'
                and self.shapes[name][0] == 'tensor'
                and kernel[0] == 'ploop'
                and sum(name in names for names in used) == 1
            ]
            self.run(kernel, alone)
        return {
            name: self.state[name]
            for name, (kind, _) in self.shapes.items()
            if kind in ('input', 'output')
        }


def size_of(shape):
    out = 1
    for extent in shape:
        out *= extent
    return out


def does_nothing(tree):
    if isinstance(tree, str):
        return True
    if tree[0] == 'seq':
        return does_nothing(tree[1]) and does_nothing(tree[2])
    return tree[0] in LOOPS and does_nothing(tree[5])


def kernels_of(tree):
    if does_nothing(tree):
        return []
    return kernels_of(tree[1]) + kernels_of(tree[2]) if tree[0] == 'seq' else [tree]


def names_in(tree):
    if isinstance(tree, str):
        return set()
    if tree[0] in ('tensor', 'input', 'output'):
        return set(tree[1].split(','))
    return set().union(*(names_in(part) for part in tree[1:]))


def computed(tree, shapes, seed, order, reading):
    """results, or None: undefined"""
    rng = random.Random(seed)
    inputs = {
        name: Array(shape, [rng.randrange(1, PRIME) for _ in range(size_of(shape))])
        for name, (_, shape) in sorted(shapes.items())
    }
    try:
        return Run(shapes, inputs, rng, order, reading, TILES[seed % len(TILES)]).program(tree)
    except Undefined:
        return None


def verdict(given, candidate, shapes, reading, seeds=len(TILES)):
    """EQUIVALENT, WRONG, or ORDER-DEPENDENT: right in ascending order alone"""
    for order in ORDERS:
        for seed in range(seeds):
            # of the initial program nothing depends on order or tiles
            want = computed(given, shapes, seed, 'ascending', reading)
            if want is None:
                raise ValueError('the given program is undefined')
            if computed(candidate, shapes, seed, order, reading) != want:
                return 'WRONG' if order == 'ascending' else 'ORDER-DEPENDENT'
    return 'EQUIVALENT'


def shapes_of(rows):
    """by tensor: kind and small extents, of the rows of a table of one configuration"""
    return {
        row['tensor']: (row['kind'], [scaled(extent) for extent in row['dims'].split()])
        for row in rows
    }
