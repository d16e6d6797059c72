"""Tile programs and tensor programs, read and run by their documents (docs/tile.md,
docs/language.md) alone.

Shares nothing with the rest of the tree. Numbers are floating point; a place without a value holds
None. `run` says what the results are, or raises Undefined with the reason, Conflict where
iterations of a parallel loop meet and may not, or Beyond where floating point cannot tell.
"""

import itertools
import math

from tile_text import Unreadable


class Undefined(Exception):
    """outside of what the language gives a meaning to"""


class Conflict(Exception):
    """two iterations of a parallel loop touch a place that one of them stores to, and what they store
    there is not one value, or one of them loads it before it has stored it"""


class Shared:
    """what the iterations of one parallel loop do at one place"""

    def __init__(self):
        self.touched = set()
        self.stored = set()
        self.values = []
        self.loaded_first = False

    def load(self, iteration):
        self.touched.add(iteration)
        self.loaded_first = self.loaded_first or iteration not in self.stored

    def store(self, iteration, value):
        self.touched.add(iteration)
        self.stored.add(iteration)
        if value not in self.values:
            self.values.append(value)

    def conflict(self):
        meets = len(self.touched) > 1 and self.stored
        same = len(self.values) == 1 and self.values[0] is not None
        return meets and (self.loaded_first or not same)


class Beyond(Exception):
    """a number that is too large to tell"""


# --- values
class Tensor:
    def __init__(self, shape, ones=None, element=None, start=None, integer=False):
        self.shape = tuple(shape)
        self.ones = tuple(ones) if ones else (False,) * len(self.shape)
        self.integer = integer
        self.at = {}
        for n in self.shape:
            if n < 0:
                raise Undefined('a negative extent')
        for place in itertools.product(*(range(n) for n in self.shape)):
            self.at[place] = element(place) if element else start


def number(x):
    if x is not None and (x != x or abs(x) > 1e12):
        raise Beyond('a number of %r' % x)
    return x


# an exponential is never 0: one below this is this much, by which nothing can be divided here
LEAST_EXPONENTIAL = 1e-150


def exponential(x):
    if x > 25:
        raise Beyond('an exponential')
    return max(math.exp(x), LEAST_EXPONENTIAL)


def need(holds, why):
    if not holds:
        raise Undefined(why)


def root(x):
    need(x > -1e-9, 'a root of a negative number')
    if abs(x) < 1e-9 and x != 0:
        raise Beyond('a root near 0')
    return math.sqrt(x)


def logarithm(x):
    need(x > 0, 'a logarithm of what is not positive')
    return math.log(x)


def quotient(a, b):
    need(b != 0, 'a division by 0')
    if abs(b) < 1e-9:
        raise Beyond('a division by nearly 0')
    return a / b


UNARY = {
    'exp': exponential,
    'sqrt': root,
    'log': logarithm,
    'abs': abs,
    'inv': lambda x: quotient(1, x),
    'neg': lambda x: -x,
    'square': lambda x: x * x,
    'relu': lambda x: max(x, 0),
    'rsqrt': lambda x: quotient(1, root(x)),
    'sigmoid': lambda x: 1 / (1 + exponential(-x)),
    'silu': lambda x: x / (1 + exponential(-x)),
}
BINARY = {
    '+': lambda a, b: a + b,
    '-': lambda a, b: a - b,
    '*': lambda a, b: a * b,
    '/': quotient,
    'add': lambda a, b: a + b,
    'sub': lambda a, b: a - b,
    'mul': lambda a, b: a * b,
    'div': quotient,
    'maximum': max,
    'minimum': min,
}


def lifted(f, *arguments):
    if any(a is None for a in arguments):
        return None
    return number(f(*arguments))


def divided(op, a, b):
    need(b > 0, 'a division of integers by what is not positive')
    return a // b if op == 'div' else a % b


def compare(op, a, b):
    exact = isinstance(a, int) and isinstance(b, int)
    if not exact and a != b and abs(a - b) < 1e-9 * (1 + abs(a)):
        raise Beyond('a comparison of numbers that are nearly equal')
    return {'=': a == b, '!=': a != b, '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b}[op]


class Run:
    """one run in ascending order; strict: as a candidate, which may not load what has no value"""

    def __init__(self, program, sizes, arguments, strict):
        self.sizes, self.strict = sizes, strict
        self.tensors, self.names, self.frames, self.program = {}, dict(sizes), [], program
        self.arguments, self.outputs = arguments, []

    # scalars; names: loops' variables, lanes, counters
    def value(self, x, names):
        kind = x[0]
        if kind == 'num':
            return int(x[1]) if x[1].isdigit() else float(x[1])
        if kind == 'name':
            if x[1] in names:
                return names[x[1]]
            raise Unreadable('nothing is called %s' % x[1])
        if kind == 'neg':
            return lifted(lambda a: -a, self.value(x[1], names))
        if kind == 'bin':
            a, b = self.value(x[2], names), self.value(x[3], names)
            if x[1] in ('div', 'mod'):
                if not all(isinstance(e, int) for e in (a, b)):
                    raise Unreadable('div and mod are for integers')
                return divided(x[1], a, b)
            return lifted(BINARY[x[1]], a, b)
        if kind == 'if':
            return self.value(x[2] if self.holds(x[1], names) else x[3], names)
        if kind == 'at':
            return self.element(x[1], tuple(self.integer(e, names) for e in x[2]))
        if kind == 'fun':
            arguments = [self.value(e, names) for e in x[2]]
            if x[1] in ('max', 'min') and len(arguments) == 2:
                return lifted(max if x[1] == 'max' else min, *arguments)
            if x[1] in ('exp', 'log', 'sqrt', 'inv', 'abs') and len(arguments) == 1:
                return lifted(UNARY[x[1]], *arguments)
            raise Unreadable('no function %s' % x[1])
        if kind == 'red':
            bound = self.integer(x[3], names)
            if x[2] in names or x[2] in self.names:
                raise Unreadable('%s is known' % x[2])
            if x[1] in ('max', 'min'):
                need(bound > 0, 'a maximum of nothing')
            terms = [self.value(x[4], dict(names, **{x[2]: k})) for k in range(bound)]
            if any(t is None for t in terms):
                return None
            return number({'sum': sum, 'prod': math.prod, 'max': max, 'min': min}[x[1]](terms))
        raise Unreadable(kind)

    def integer(self, x, names):
        v = self.value(x, names)
        need(v is not None, 'a position, bound or extent has no value')
        if not isinstance(v, int):
            raise Unreadable('not an integer')
        return v

    def holds(self, c, names):
        if c[0] == 'not':
            return not self.holds(c[1], names)
        if c[0] == 'and':
            return self.holds(c[1], names) and self.holds(c[2], names)
        if c[0] == 'or':
            return self.holds(c[1], names) or self.holds(c[2], names)
        a, b = self.value(c[2], names), self.value(c[3], names)
        need(a is not None and b is not None, 'a condition has no value')
        return compare(c[1], a, b)

    def element(self, name, place):
        tile = self.names.get(name)
        if not isinstance(tile, Tensor):
            raise Unreadable('no tile is called %s' % name)
        if len(place) != len(tile.shape):
            raise Unreadable('wrong number of indices')
        need(place in tile.at, 'a position outside of a tile')
        v = tile.at[place]
        need(v is not None or not self.strict, 'a lane without a value is read')
        return v

    # expressions of tensors
    def tensor(self, x):
        kind = x[0]
        if kind == 'num':
            return Tensor(
                (),
                element=lambda _: int(x[1]) if x[1].isdigit() else float(x[1]),
                integer=x[1].isdigit(),
            )
        if kind == 'name':
            found = self.names.get(x[1])
            if found is None:
                raise Unreadable('nothing is called %s' % x[1])
            return (
                found
                if isinstance(found, Tensor)
                else Tensor((), element=lambda _: found, integer=True)
            )
        if kind == 'neg':
            return self.call('neg', [self.tensor(x[1])], {})
        if kind == 'bin':
            a, b = self.tensor(x[2]), self.tensor(x[3])
            return self.call('matmul' if x[1] == '@' else x[1], [a, b], {})
        return self.call(
            x[1],
            [self.tensor(a) for a in x[2]],
            {n: self.value(v, self.integers()) for n, v in x[3].items()},
        )

    def integers(self):
        return {n: v for n, v in self.names.items() if isinstance(v, int)}

    def whole(self, *tiles):
        for t in tiles:
            need(not self.strict or None not in t.at.values(), 'a lane without a value is read')

    def call(self, op, arguments, attributes):
        self.whole(*arguments)
        a = arguments[0]
        if op in UNARY and len(arguments) == 1:
            return Tensor(a.shape, a.ones, lambda p: lifted(UNARY[op], a.at[p]))
        if op in BINARY and len(arguments) == 2:
            return self.broadcast(BINARY[op], a, arguments[1])
        if op == 'matmul' and len(arguments) == 2 and len(a.shape) == len(arguments[1].shape) == 2:
            b = arguments[1]
            need(a.shape[1] == b.shape[0], 'shapes do not fit')
            return Tensor(
                (a.shape[0], b.shape[1]),
                (a.ones[0], b.ones[1]),
                lambda p: self.total(
                    [lifted(BINARY['*'], a.at[p[0], k], b.at[k, p[1]]) for k in range(a.shape[1])]
                ),
            )
        if (
            op in (
                'sum',
                'mean',
                'max',
                'min',
                'sum_keep',
                'mean_keep',
                'max_keep',
                'min_keep',
                'softmax',
            )
            and len(arguments) == 1
        ):
            return self.reduction(op, a, attributes.pop('axis', -1))
        if op == 'transpose' and len(a.shape) == 2 and not attributes:
            return Tensor(a.shape[::-1], a.ones[::-1], lambda p: a.at[p[::-1]])
        raise Unreadable('no operator %s here' % op)

    @staticmethod
    def total(terms):
        return None if any(t is None for t in terms) else number(sum(terms))

    def reduction(self, op, a, axis):
        rank = len(a.shape)
        if not isinstance(axis, int) or not -rank <= axis < rank:
            raise Unreadable('no such axis')
        axis %= rank
        n = a.shape[axis]
        keep = op.endswith('_keep')
        kind = op[:3]

        def lane(p):
            return [
                a.at[p[:axis] + (k,) + p[axis + (1 if keep or kind == 'sof' else 0) :]]
                for k in range(n)
            ]

        def one(p):
            terms = lane(p)
            if kind in ('max', 'min'):
                need(n > 0, 'a maximum of nothing')
            if kind == 'mea':
                need(n != 0, 'a mean of nothing')
            if any(t is None for t in terms):
                return None
            if kind == 'sof':
                top = max(terms)
                return exponential(a.at[p] - top) / sum(exponential(t - top) for t in terms)
            return number(
                {'sum': sum, 'max': max, 'min': min, 'mea': lambda t: sum(t) / n}[kind](terms)
            )

        if kind == 'sof':
            return Tensor(a.shape, a.ones, one)
        middle, one_there = ((1,), (True,)) if keep else ((), ())
        return Tensor(
            a.shape[:axis] + middle + a.shape[axis + 1 :],
            a.ones[:axis] + one_there + a.ones[axis + 1 :],
            one,
        )

    @staticmethod
    def broadcast(f, a, b):
        rank = max(len(a.shape), len(b.shape))
        shape, ones = [], []
        for i in range(rank):
            j, k = i - rank + len(a.shape), i - rank + len(b.shape)
            if j < 0 or k < 0:
                t, d = (b, k) if j < 0 else (a, j)
                shape.append(t.shape[d])
                ones.append(t.ones[d])
                continue
            if not a.ones[j] and not b.ones[k]:
                need(a.shape[j] == b.shape[k], 'shapes do not fit')
            t, d = (b, k) if a.ones[j] else (a, j)
            shape.append(t.shape[d])
            ones.append(t.ones[d])

        def at(t, p):
            p = p[rank - len(t.shape) :]
            return t.at[
                tuple(
                    0 if one and not whole else i
                    for i, one, whole in zip(p, t.ones, ones[rank - len(t.shape) :])
                )
            ]

        return Tensor(shape, ones, lambda p: lifted(f, at(a, p), at(b, p)))

    # statements
    def extents(self, dims):
        values = [self.integer(d, self.integers()) for d in dims]
        for n in values:
            need(n >= 0, 'a negative extent')
        return values, [d == ['num', '1'] for d in dims]

    def touch(self, tensor, place, act):
        """in each parallel loop around that the tensor is older than; act(place's Shared, iteration)"""
        for frame in self.frames[tensor.depth :]:
            if frame is None:
                continue
            shared = frame['at'].setdefault((id(tensor), place), Shared())
            act(shared, frame['iteration'])
            if shared.conflict():
                raise Conflict('iterations meet')

    def lanes_of(self, lanes):
        values, ones = self.extents([e for _, e in lanes])
        for name, _ in lanes:
            self.new(name)
        return values, ones

    def new(self, name):
        if name in self.names or name in self.tensors:
            raise Unreadable('%s is known' % name)

    def declare(self, line):
        self.new(line['name'])
        if line['kind'] in ('input', 'inout'):
            given = self.arguments[line['name']]
            tensor = Tensor(given.shape, element=lambda p: given.at[p], integer=given.integer)
        else:
            shape, _ = self.extents(line['dims'])
            tensor = Tensor(shape, start=line['start'])
        tensor.depth = len(self.frames)
        tensor.fixed = line['kind'] == 'input' or line['type'] == 'int'
        tensor.keep = tensor  # its id stays its own
        self.tensors[line['name']] = tensor
        self.all_tensors.append(tensor)
        if line['kind'] in ('output', 'inout'):
            self.outputs.append(line['name'])

    def load(self, line):
        self.new(line['name'])
        if line['place'][0] not in self.tensors:
            raise Unreadable('no tensor is called %s' % line['place'][0])
        tensor = self.tensors[line['place'][0]]
        shape, ones = self.lanes_of(line['lanes'])

        def element(p):
            names = dict(self.integers(), **dict(zip((n for n, _ in line['lanes']), p)))
            if line['mask'] and not self.holds(line['mask'], names):
                return self.value(line['else'], names) if line['else'] else None
            place = tuple(self.integer(e, names) for e in line['place'][1])
            if len(place) != len(tensor.shape):
                raise Unreadable('wrong number of indices')
            need(place in tensor.at, 'a position outside of a tensor')
            self.touch(tensor, place, Shared.load)
            need(
                tensor.at[place] is not None or not self.strict, 'a place without a value is loaded'
            )
            return tensor.at[place]

        self.names[line['name']] = Tensor(shape, ones, element)

    def make(self, line):
        self.new(line['name'])
        shape, ones = self.lanes_of(line['lanes'])
        self.names[line['name']] = Tensor(
            shape,
            ones,
            lambda p: self.value(
                line['value'], dict(self.integers(), **dict(zip((n for n, _ in line['lanes']), p)))
            ),
        )

    def store(self, line):
        tensor = self.tensors.get(line['place'][0])
        if tensor is None or tensor.fixed:
            raise Unreadable('%s cannot be stored to' % line['place'][0])
        shape, _ = self.lanes_of(line['lanes'])
        value = line['value']
        whole = self.names.get(value[1]) if value[0] == 'name' else None
        if isinstance(whole, Tensor):
            if len(whole.shape) != len(shape):
                raise Unreadable('a tile of another rank')
            need(list(whole.shape) == shape, 'a tile of other extents is stored')
        written = {}
        for p in itertools.product(*(range(n) for n in shape)):
            names = dict(self.integers(), **dict(zip((n for n, _ in line['lanes']), p)))
            if line['mask'] and not self.holds(line['mask'], names):
                continue
            place = tuple(self.integer(e, names) for e in line['place'][1])
            if len(place) != len(tensor.shape):
                raise Unreadable('wrong number of indices')
            need(place in tensor.at, 'a position outside of a tensor')
            need(place not in written, 'two lanes store to one place')
            written[place] = (
                self.element(value[1], p) if isinstance(whole, Tensor) else self.value(value, names)
            )
            value_there = written[place]
            self.touch(tensor, place, lambda at, i: at.store(i, value_there))
        tensor.at.update(written)

    def loop(self, line):
        self.new(line['name'])
        first, last, step = (self.integer(line[k], self.integers()) for k in ('from', 'to', 'step'))
        need(step > 0, 'a step that is not positive')
        names, tensors = dict(self.names), dict(self.tensors)
        carried = []
        for c in line['carry']:
            self.new(c['name'])
            self.names[c['name']] = self.tensor(c['value'])
            names[c['name']] = self.names[c['name']]
            carried.append(c['name'])
        if (
            line['parallel']
            and carried
            or sorted(carried) != sorted(n['name'] for n in line['next'])
        ):
            raise Unreadable('what is carried')
        frame = {'at': {}} if line['parallel'] else None
        self.frames.append(frame)
        for v in range(first, last, step):
            if frame:
                frame['iteration'] = v
            self.names, self.tensors = dict(names, **{line['name']: v}), dict(tensors)
            self.statements(line['body'])
            after = {n['name']: self.tensor(n['value']) for n in line['next']}
            for name, tile in after.items():
                need(tile.shape == names[name].shape, 'what is carried changes its extents')
            names.update(after)
        self.frames.pop()
        self.names, self.tensors = names, tensors

    def let(self, line):
        self.new(line['name'])
        self.names[line['name']] = self.tensor(line['value'])

    def statements(self, lines):
        for line in lines:
            {
                'loop': self.loop,
                'load': self.load,
                'make': self.make,
                'store': self.store,
                'scratch': self.declare,
                'let': self.let,
            }[line['kind']](line)

    def results(self):
        self.all_tensors = []
        program = self.program
        if program['tile']:
            for line in program['declarations']:
                if line['kind'] not in ('sizes', 'where'):
                    self.declare(line)
            self.statements(program['body'])
            for name in self.outputs:
                need(None not in self.tensors[name].at.values(), 'a result has no value')
            return {name: self.tensors[name] for name in self.outputs}
        for line in program['declarations']:
            if line['kind'] == 'input':
                self.names[line['name']] = self.arguments[line['name']]
        results = {}
        for line in program['body']:
            value = self.tensor(line['value'])
            if line['name']:
                self.names[line['name']] = value
            if line['output']:
                results[line['output']] = value
        return results
