"""Specifications of the folder of Triton kernels, as programs that Assay reads.

Beside each kernel its JSON has lines of NumPy (FORMAT.md there). They are executed here over arrays
that know their shape and write, for each operation, one operator in index notation (`.sem`) and one
statement. Arguments of a kernel are flat, as their pointers are; views with strides are operators
too. A number is written as what `--literals=fraction` makes of the kernel's: the shortest decimal
that rounds to the same f32, or a fraction.
"""

import functools
import re
import struct

from ttir_sizes import NotOfSizes, Size, names_in

MOST_AXES = 8
# of decimals and fractions of which a number is the rounded one (src/ttir/ttir_literal.c)
MOST_DIGITS = 6
MOST_PRODUCT = 1 << 17


class NoSpecification(Exception):
    """what a specification says that no operator here says"""


def decimal(value):
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int):
        return str(value)
    if value != value or value in (float('inf'), float('-inf')):
        raise NoSpecification('an infinity')
    as_f32 = rounded(value)
    if value == int(value):
        return str(int(value))
    digits = next(p for p in range(1, 18) if rounded(float('%.*g' % (p, as_f32))) == as_f32)
    return (digits > MOST_DIGITS and fraction(as_f32)) or '%.*g' % (digits, as_f32)


def rounded(value):
    return struct.unpack('f', struct.pack('f', value))[0]


def fraction(as_f32):
    """p / q of the least q that rounds to the same f32; None where p * q would be too large: what
    `--literals=fraction` reads (docs/triton.md)"""
    for q in range(2, MOST_PRODUCT + 1):
        p = round(as_f32 * q)
        if abs(p) * q > MOST_PRODUCT:
            return None
        if p != 0 and rounded(p / q) == as_f32:
            return '(%d / %d)' % (p, q)
    return None


def product(extents):
    return functools.reduce(lambda a, b: a * b, extents, 1)


def flat(index, strides, extents):
    parts = []
    for at, stride, extent in zip(index, strides, extents):
        if extent != 1 and at != '0':
            parts.append(at if stride == 1 else '%s * %s' % (at, bracketed(str(stride))))
    return ' + '.join(parts) or '0'


def row_major(shape):
    return [product(shape[d + 1 :]) for d in range(len(shape))]


def names(shape):
    return ['i%d' % d for d in range(len(shape))]


def bracketed(text):
    return text if re.fullmatch(r'\w+', text) else '(%s)' % text


def div(text, by):
    return text if by == 1 else '%s div %s' % (bracketed(text), bracketed(str(by)))


def mod(text, by):
    return '0' if by == 1 else '%s mod %s' % (bracketed(text), bracketed(str(by)))


class Program:
    """operators and statements, in the order in which they are made"""

    def __init__(self, sizes=()):
        self.operators = []
        self.statements = []
        self.sizes = sizes  # their names

    def call(self, shape, body, arguments, lets=(), truth=False):
        """a tensor of `shape` whose element at i0, i1, .. is `body`, in which the arguments are a0,
        a1, .."""
        if len(shape) > MOST_AXES:
            raise NoSpecification('more than %d axes' % MOST_AXES)
        number = len(self.operators)
        heads = ', '.join(
            'a%d[%s]' % (k, ', '.join(map(str, a.shape))) for k, a in enumerate(arguments)
        )
        # sizes of which nothing but the text speaks are there too: what is not used does not harm
        sizes = names_in(*shape, *[n for a in arguments for n in a.shape])
        sizes += [n for n in self.sizes if n not in sizes and re.search(r'\b%s\b' % n, body)]
        attributes = '; ' + ', '.join(sizes) if sizes else ''
        lines = [
            'op step%d(%s%s) -> [%s]' % (number, heads, attributes, ', '.join(map(str, shape)))
        ]
        lines += ['  let ' + text for text in lets]
        lines.append('  out[%s] = %s' % (', '.join(names(shape)), body))
        self.operators.append('\n'.join(lines))
        result = Array(self, shape, 't%d' % number, truth)
        given = [a.name for a in arguments] + ['%s=%s' % (n, n) for n in sizes]
        self.statements.append('%s = step%d(%s)' % (result.name, number, ', '.join(given)))
        return result


class Array:
    """a tensor of the specification being written"""

    __array_ufunc__ = None

    def __init__(self, program, shape, name, truth=False):
        self.program, self.shape, self.name, self.truth = program, tuple(shape), name, truth

    ndim = property(lambda self: len(self.shape))

    def __iter__(self):
        return (self[k] for k in range(self.shape[0]))

    def moved(self, shape, index):
        return self.program.call(shape, 'a0[%s]' % ', '.join(index), [self], truth=self.truth)

    def reshape(self, *shape):
        shape = list(shape[0]) if isinstance(shape[0], (list, tuple)) else list(shape)
        size = product(self.shape)
        if -1 in shape:
            shape[shape.index(-1)] = size // -product(shape)
        shape = at_all_sizes(shape, size)
        if product(shape) != size:
            raise NoSpecification('a reshape to another size')
        if tuple(shape) == self.shape:
            return self
        return self.moved(shape, reshaped(list(self.shape), shape))

    def transpose(self, *axes):
        if not axes:
            axes = range(self.ndim)[::-1]
        axes = list(axes[0]) if isinstance(axes[0], (list, tuple)) else list(axes)
        index = [''] * self.ndim
        for to, axis in enumerate(axes):
            index[axis] = 'i%d' % to
        return self.moved([self.shape[a] for a in axes], index)

    def __getitem__(self, item):
        if isinstance(item, Array):
            return taken(self, item)
        items = list(item) if isinstance(item, tuple) else [item]
        if any(isinstance(i, Array) for i in items):
            return picked(self, items)
        if Ellipsis in items:
            at = items.index(Ellipsis)
            items[at : at + 1] = [slice(None)] * (
                self.ndim - len([i for i in items if i is not None]) + 1
            )
        items += [slice(None)] * (self.ndim - len([i for i in items if i is not None]))
        shape, index, axis = [], [], 0
        for part in items:
            if part is None:
                shape.append(1)
                continue
            extent = self.shape[axis]
            axis += 1
            if isinstance(part, int):
                if not -extent <= part < extent:
                    raise IndexError('there is no element %d' % part)
                index.append(str(part % extent))
                continue
            start, stop, step = bounds_of(part, extent)
            at = 'i%d' % len(shape)
            shape.append(max(0, stop - start) if step == 1 else -(-max(0, stop - start) // step))
            at = at if step == 1 else '%s * %d' % (at, step)
            index.append(at if start == 0 else '%s + %s' % (at, start))
        return self.moved(shape, index)

    def __neg__(self):
        return elementwise('-{0}', self)

    def __pow__(self, power):
        if power == 2:
            return elementwise('{0} * {0}', self)
        if power == 0.5:
            return elementwise('sqrt({0})', self)
        if isinstance(power, float) and power > 0:
            return elementwise('exp({1} * log({0}))', self, power)
        raise NoSpecification('a power')

    def __and__(self, mask):
        if not isinstance(mask, int) or mask <= 0 or mask & (mask + 1):
            raise NoSpecification('bits other than the low ones')
        return elementwise('{0} mod {1}', self, mask + 1)

    def __rshift__(self, places):
        return elementwise('{0} div {1}', self, 2**places)

    def __matmul__(self, other):
        lead = broadcast_shape(self.shape[:-2], other.shape[:-2])
        rows, inner, columns = self.shape[-2], self.shape[-1], other.shape[-1]
        shape = lead + (rows, columns)
        at = names(shape)
        left = fitted(at[:-2], lead, self.shape[:-2]) + [at[-2], 'k']
        right = fitted(at[:-2], lead, other.shape[:-2]) + ['k', at[-1]]
        body = 'sum(k < %s) a0[%s] * a1[%s]' % (inner, ', '.join(left), ', '.join(right))
        return self.program.call(shape, body, [self, other])


def bounds_of(part, extent):
    """of a slice, within the extent"""
    step = part.step or 1
    if step <= 0:
        raise NoSpecification('a slice backwards')
    start, stop = part.start or 0, extent if part.stop is None else part.stop
    start, stop = [b + extent if b < 0 else b for b in (start, stop)]
    return min(max(start, 0), extent), min(max(stop, 0), extent), step


def two_sided(form, truth=False):
    return (lambda a, b: elementwise(form, a, b, truth=truth)), (
        lambda a, b: elementwise(form, b, a, truth=truth)
    )


for operator, text in (
    ('add', '{0} + {1}'),
    ('sub', '{0} - {1}'),
    ('mul', '{0} * {1}'),
    ('floordiv', '{0} div {1}'),
    ('mod', '{0} mod {1}'),
):
    forward, backward = two_sided(text)
    setattr(Array, '__%s__' % operator, forward)
    setattr(Array, '__r%s__' % operator, backward)
Array.__truediv__ = lambda a, b: quotient(a, b)
Array.__rtruediv__ = lambda a, b: elementwise('{1} / {0}', a, b)
for operator, text in (
    ('ge', '>='),
    ('gt', '>'),
    ('le', '<='),
    ('lt', '<'),
    ('eq', '='),
    ('ne', '!='),
):
    setattr(Array, '__%s__' % operator, two_sided('if({0} %s {1}, 1, 0)' % text, True)[0])


def at_all_sizes(shape, size):
    """A shape in which a number stands for a size of the example: the first that makes it one of so
    many elements at all sizes."""
    whole = product(shape)
    if whole == size or int(whole) != int(size) or not isinstance(size, Size):
        return shape
    for d, extent in enumerate(shape):
        rest = product(shape[:d] + shape[d + 1 :])
        try:
            return shape[:d] + [size // rest] + shape[d + 1 :]
        except NotOfSizes:
            continue
    return shape


def reshaped(old, new):
    """the index into an array of shape old of the element at i0, i1, .. of one of shape new, axes
    that meet group by group"""
    index, at_old, at_new = [], 0, 0
    while at_old < len(old) or at_new < len(new):
        first_old, first_new = at_old, at_new
        size_old = size_new = 1
        while True:
            if at_old < len(old) and (size_old <= size_new or at_new == len(new)):
                size_old *= old[at_old]
                at_old += 1
            elif at_new < len(new):
                size_new *= new[at_new]
                at_new += 1
            if size_old == size_new:
                break
        group = list(range(first_new, at_new))
        position = flat(
            ['i%d' % d for d in group], row_major(new[first_new:at_new]), new[first_new:at_new]
        )
        rest = old[first_old:at_old]
        for d, stride in enumerate(row_major(rest)):
            outermost = product(rest[:d]) == 1
            part = div(position, stride)
            index.append(part if outermost and rest[d] != 1 else mod(part, rest[d]))
    return index


def broadcast_shape(*shapes):
    rank = max(len(s) for s in shapes)
    padded = [(1,) * (rank - len(s)) + tuple(s) for s in shapes]
    result = tuple(max(extents) if min(extents) > 0 else 0 for extents in zip(*padded))
    for shape in padded:
        if any(e not in (1, r) for e, r in zip(shape, result)):
            raise NoSpecification('shapes that do not fit')
    return result


def fitted(at, shape, argument):
    """the index into an argument that is broadcast to shape"""
    late = at[len(shape) - len(argument) :]
    return ['0' if extent == 1 else name for name, extent in zip(late, argument)]


def quotient(a, b):
    """a / b; by a number that is no integer: times its inverse, which is then rounded as one
    number"""
    if not isinstance(b, (Array, Size)) and b != int(b):
        return elementwise('{0} * {1}', a, 1 / b)
    return elementwise('{0} / {1}', a, b)


def elementwise(form, *operands, truth=False):
    arrays = [o for o in operands if isinstance(o, Array)]
    shape = broadcast_shape(*[a.shape for a in arrays])
    texts, number = [], 0
    for operand in operands:
        if isinstance(operand, Array):
            texts.append(
                'a%d[%s]' % (number, ', '.join(fitted(names(shape), shape, operand.shape)))
            )
            number += 1
        else:
            texts.append('(%s)' % decimal(operand) if operand < 0 else decimal(operand))
    return arrays[0].program.call(shape, form.format(*texts), arrays, truth=truth)


def taken(table, at):
    """table[at]: the leading axis by an array of integers"""
    shape = at.shape + table.shape[1:]
    here = names(shape)
    index = ['a1[%s]' % ', '.join(here[: at.ndim])] + here[at.ndim :]
    return table.program.call(shape, 'a0[%s]' % ', '.join(index), [table, at])


def picked(table, items):
    """table[i, j, ..] of integer arrays of one axis each"""
    if not all(isinstance(i, Array) and i.ndim == 1 for i in items) or len(items) != table.ndim:
        raise NoSpecification('an index of this form')
    index = ['a%d[i0]' % (k + 1) for k in range(len(items))]
    return table.program.call(items[0].shape, 'a0[%s]' % ', '.join(index), [table] + items)


def axes_of(array, axis):
    if axis is None:
        return list(range(array.ndim))
    axis = axis if isinstance(axis, tuple) else (axis,)
    return sorted(a % array.ndim for a in axis)


def reduced(word, array, axis, keepdims, form='{0}', divisor=None):
    """a sum or maximum over axes; form: of an element"""
    axes = axes_of(array, axis)
    shape, inner = [], []
    for d, extent in enumerate(array.shape):
        if d in axes:
            inner.append('k%d' % d)
            if keepdims:
                shape.append(1)
        else:
            inner.append('i%d' % len(shape))
            shape.append(extent)
    body = form.format('a0[%s]' % ', '.join(inner))
    for d in reversed(axes):
        body = '%s(k%d < %s) (%s)' % (word, d, array.shape[d], body)
    if divisor is not None:
        body = '(%s) / %s' % (body, bracketed(str(divisor)))
    return array.program.call(shape, body, [array])


class Numpy:
    """what the specifications name of NumPy"""

    def __init__(self, program):
        self.program = program
        self.inf = float('inf')
        self.pi = 3.141592653589793

    def full(self, shape, value):
        return self.program.call(shape, decimal(value), [])

    def ones(self, shape):
        return self.full(shape, 1)

    def zeros(self, shape):
        return self.full(shape, 0)

    def arange(self, n):
        return self.program.call([n], 'i0', [])

    def tril(self, x):
        return self.program.call(x.shape, 'if(i1 <= i0, a0[i0, i1], 0)', [x])

    def expand_dims(self, x, axis):
        shape = list(x.shape)
        shape.insert(axis % (x.ndim + 1), 1)
        return x.reshape(shape)

    def broadcast_to(self, x, shape):
        late = [None] * (len(shape) - x.ndim) + list(x.shape)
        shape = [
            mine if mine is not None and mine != 1 and int(mine) == int(n) else n
            for mine, n in zip(late, shape)
        ]
        return x.moved(shape, fitted(names(shape), shape, x.shape))

    def moveaxis(self, x, source, to):
        source = [s % x.ndim for s in (source if isinstance(source, (list, tuple)) else [source])]
        to = [t % x.ndim for t in (to if isinstance(to, (list, tuple)) else [to])]
        order = [d for d in range(x.ndim) if d not in source]
        for axis, place in sorted(zip(source, to), key=lambda pair: pair[1]):
            order.insert(place, axis)
        return x.transpose(order)

    def concatenate(self, parts, axis=0):
        axis %= parts[0].ndim
        shape = list(parts[0].shape)
        shape[axis] = sum(p.shape[axis] for p in parts)
        here = names(shape)
        start, body, closing = 0, '', ''
        for k, part in enumerate(parts):
            at = list(here)
            at[axis] = here[axis] if start == 0 else '%s - %s' % (here[axis], bracketed(str(start)))
            element = 'a%d[%s]' % (k, ', '.join(at))
            start += part.shape[axis]
            if k + 1 < len(parts):
                body += 'if(%s < %s, %s, ' % (here[axis], start, element)
                closing += ')'
            else:
                body += element
        return self.program.call(shape, body + closing, list(parts))

    def stack(self, parts, axis=0):
        return self.concatenate(
            [self.expand_dims(p, axis % (parts[0].ndim + 1)) for p in parts],
            axis % (parts[0].ndim + 1),
        )

    def split(self, x, places, axis=0):
        axis %= x.ndim
        if isinstance(places, int):
            step = x.shape[axis] // places
            places = [step * k for k in range(1, places)]
        bounds = [0] + list(places) + [x.shape[axis]]
        return [x[(slice(None),) * axis + (slice(a, b),)] for a, b in zip(bounds, bounds[1:])]

    def pad(self, x, widths, constant_values=0.0):
        shape = [n + before + after for n, (before, after) in zip(x.shape, widths)]
        conditions, index = [], []
        for at, extent, (before, after) in zip(names(shape), x.shape, widths):
            if before:
                conditions.append('%s <= %s' % (before, at))
            if after:
                conditions.append('%s < %s' % (at, before + extent))
            index.append('%s - %s' % (at, bracketed(str(before))) if before else at)
        element = 'a0[%s]' % ', '.join(index)
        if not conditions:
            return x
        value = decimal(constant_values)
        return self.program.call(
            shape, 'if(%s, %s, %s)' % (' and '.join(conditions), element, value), [x]
        )

    def where(self, condition, yes, no):
        return elementwise('if({0} != 0, {1}, {2})', condition, yes, no)

    def maximum(self, a, b):
        return elementwise('max({0}, {1})', a, b)

    def minimum(self, a, b):
        return elementwise('min({0}, {1})', a, b)

    def clip(self, x, low, high):
        return elementwise('max({1}, min({2}, {0}))', x, low, high)

    def sum(self, x, axis=None, keepdims=False):
        return reduced('sum', x, axis, keepdims)

    def max(self, x, axis=None, keepdims=False):
        return reduced('max', x, axis, keepdims)

    def min(self, x, axis=None, keepdims=False):
        return reduced('min', x, axis, keepdims)

    def mean(self, x, axis=None, keepdims=False):
        return reduced(
            'sum', x, axis, keepdims, divisor=product(x.shape[a] for a in axes_of(x, axis))
        )

    def var(self, x, axis=None, keepdims=False, ddof=0):
        count = product(x.shape[a] for a in axes_of(x, axis))
        away = x - self.mean(x, axis, True)
        return reduced('sum', away * away, axis, keepdims, divisor=count - ddof)

    def std(self, x, axis=None, keepdims=False, ddof=0):
        return self.sqrt(self.var(x, axis, keepdims, ddof))

    def cumsum(self, x, axis):
        axis %= x.ndim
        index = names(x.shape)
        inner = index[:axis] + ['k'] + index[axis + 1 :]
        return self.program.call(
            x.shape, 'sum(k < %s + 1) a0[%s]' % (index[axis], ', '.join(inner)), [x]
        )

    def einsum(self, pattern, a, b):
        operands, result = pattern.split('->')
        shared = dict(zip(''.join(operands.split(',')), a.shape + b.shape))
        at = dict(zip(result, names(result)))
        summed = [letter for letter in shared if letter not in result]
        at.update((letter, 'k%d' % number) for number, letter in enumerate(summed))
        parts = [
            'a%d[%s]' % (k, ', '.join(at[letter] for letter in part))
            for k, part in enumerate(operands.split(','))
        ]
        body = ' * '.join(parts)
        for letter in reversed(summed):
            body = 'sum(%s < %s) (%s)' % (at[letter], shared[letter], body)
        return self.program.call([shared[letter] for letter in result], body, [a, b])

    class add:
        @staticmethod
        def at(x, rows, more):
            """adds to rows of x, which is changed in place; each row that is named is read, so that
            it must be there"""
            here = names(x.shape)
            columns = here[1:]
            changed = x.program.call(
                x.shape,
                'a0[%s] + (sum(k < %d) (if(a1[k] = i0, a2[%s], 0) + 0 * a0[%s]))'
                % (
                    ', '.join(here),
                    rows.shape[0],
                    ', '.join(['k'] + columns),
                    ', '.join(['a1[k]'] + columns),
                ),
                [x, rows, more],
            )
            x.name = changed.name

    def take_along_axis(self, x, at, axis):
        shape = at.shape
        index = fitted(names(shape), shape, x.shape)
        index[axis] = 'a1[%s]' % ', '.join(names(shape))
        return self.program.call(shape, 'a0[%s]' % ', '.join(index), [x, at])

    def sqrt(self, x):
        return elementwise('sqrt({0})', x) if isinstance(x, Array) else x**0.5


for function, text in (
    ('exp', 'exp({0})'),
    ('log', 'log({0})'),
    ('abs', 'abs({0})'),
    ('sin', 'sin({0})'),
    ('cos', 'cos({0})'),
    ('floor', 'floor({0})'),
    ('tanh', 'tanh({0})'),
    ('log1p', 'log(1 + {0})'),
    ('log2', 'log({0}) / log(2)'),
):
    setattr(Numpy, function, lambda self, x, form=text: elementwise(form, x))


def pooled(word, x, window, stride, padding, divisor):
    """the last two axes by windows; places outside count for nothing"""
    window, stride, padding = [
        (v, v) if isinstance(v, int) else tuple(v) for v in (window, stride or window, padding)
    ]
    out = [(n + 2 * p - w) // s + 1 for n, p, w, s in zip(x.shape[-2:], padding, window, stride)]
    shape = list(x.shape[:-2]) + out
    here = names(shape)
    at = []
    for d in range(2):
        text = '%s * %d + k%d' % (here[-2 + d], stride[d], d)
        at.append(text if padding[d] == 0 else '%s - %d' % (text, padding[d]))
    element = 'a0[%s]' % ', '.join(here[:-2] + at)
    if any(padding):
        inside = ' and '.join('0 <= %s and %s < %s' % (t, t, n) for t, n in zip(at, x.shape[-2:]))
        outside = '0'
        if word == 'max':
            # an element that is always there: of windows that begin inside, the last before the
            # tensor's end
            nearest = ['max(0, min(%s, %s))' % (n - 1, t) for t, n in zip(at, x.shape[-2:])]
            outside = 'a0[%s]' % ', '.join(here[:-2] + nearest)
        element = 'if(%s, %s, %s)' % (inside, element, outside)
    body = '%s(k0 < %d) (%s(k1 < %d) (%s))' % (word, window[0], word, window[1], element)
    return x.program.call(shape, '(%s) / %d' % (body, divisor) if divisor else body, [x])


def helpers(program):
    """the names that specifications know beside NumPy's"""
    return {
        'np': Numpy(program),
        'erf': lambda x: elementwise('erf({0})', x),
        'max_pool2d': lambda x, w, s=None, p=0, **_: pooled('max', x, w, s, p, None),
        'avg_pool2d': lambda x, w, s=None, p=0, **_: pooled(
            'sum', x, w, s, p, product(w) if not isinstance(w, int) else w * w
        ),
    }


def placed(program, value, shape, strides, size, old):
    """the flat tensor of `size` places whose view by shape and strides is value; `old` where the
    view has none"""
    if not isinstance(value, Array):
        value = program.call(shape, decimal(value), [])
    if value.shape != tuple(shape):
        value = (
            value.reshape(list(shape))
            if product(value.shape) == product(shape)
            else value.moved(shape, fitted(names(shape), shape, value.shape))
        )
    axes = sorted((d for d in range(len(shape)) if shape[d] > 1), key=lambda d: -strides[d])
    index, conditions, outer, rest = ['0'] * len(shape), [], size, 'i0'
    for k, d in enumerate(axes):
        if outer != size and strides[d] * shape[d] > outer:
            raise NoSpecification('a view that meets itself')
        if k > 0:
            # what is left of the place; where all strides so far divide each other, of the whole
            # place
            nested = all(strides[a] % strides[b] == 0 for a, b in zip(axes[: k - 1], axes[1:k]))
            rest = mod('i0' if nested else rest, strides[axes[k - 1]])
        index[d] = div(rest, strides[d])
        if shape[d] * strides[d] < (size if k == 0 else strides[axes[k - 1]]):
            conditions.append('%s < %s' % (index[d], shape[d]))
        outer = strides[d]
    if axes and strides[axes[-1]] != 1:
        conditions.append('%s = 0' % mod(rest, strides[axes[-1]]))
    element = 'a0[%s]' % ', '.join(index)
    if not conditions:
        return program.call([size], element, [value]), True
    if old is None:
        return None, False
    return (
        program.call(
            [size], 'if(%s, %s, a1[i0])' % (' and '.join(conditions), element), [value, old]
        ),
        False,
    )


def partial(case):
    """the outputs that a specification does not define everywhere"""
    found = set()
    size = {a['name']: a['size'] for a in case['args'] if a['kind'] == 'ptr'}
    for name, view in case['spec']['outputs'].items():
        if product(view['shape']) < size[name]:
            found.add(name)
    return found


class Written:
    """the text of a specification: operators, and a program or, where a tensor is changed in place,
    a tile program"""

    def __init__(self, case, declarations, operators_file):
        self.case, self.file = case, operators_file
        self.declared = dict(re.match(r'\w+ (\w+): (.*)', d).groups() for d in declarations)
        self.kind = {d.split()[1].rstrip(':'): d.split()[0] for d in declarations}
        self.sizes = case.get('sizes', {})
        self.elements = {a['name']: a['size'] for a in case['args'] if a['kind'] == 'ptr'}
        for name in set(self.elements) & set(self.declared) if self.sizes else ():
            extents = ', '.join(map(str, self.shape_of(name)))
            self.declared[name] = re.sub(r'\[.*\]', '[%s]' % extents, self.declared[name])
        self.program = Program(list(self.sizes))
        self.outputs = {}
        self.run()

    def shape_of(self, name):
        """of the tensor that an argument points to: flat, but where the case says otherwise"""
        return self.case.get('shapes', {}).get(name, [self.elements[name]])

    def loaded(self, name):
        shape = tuple(self.shape_of(name)) if name in self.elements else ()
        return Array(self.program, shape, name + '_before' if self.in_tiles() else name)

    def in_tiles(self):
        return 'inout' in self.kind.values()

    def run(self):
        scope = helpers(self.program)
        for argument in self.case['args']:
            if argument['kind'] == 'int':
                scope[argument['name']] = argument['value']
            elif argument['kind'] == 'float':
                scope[argument['name']] = self.loaded(argument['name'] + '_given')
        for name, view in self.case['spec']['inputs'].items():
            whole = self.loaded(view['arg'])
            if whole.ndim > 1 and list(whole.shape) == list(view['shape']):
                scope[name] = whole
                continue
            if whole.ndim > 1:
                raise NoSpecification('a view that is not the argument')
            index = flat(names(view['shape']), view['strides'], view['shape'])
            scope[name] = self.program.call(view['shape'], 'a0[%s]' % index, [whole])
        for line in self.case['spec']['code']:
            try:
                exec(line, scope)  # the specification's own line
            except (
                AttributeError,
                TypeError,
                NameError,
                ValueError,
                IndexError,
                NotOfSizes,
            ) as error:
                raise NoSpecification('%s (%s)' % (line, error)) from error
        for name, view in self.case['spec']['outputs'].items():
            size = next(a['size'] for a in self.case['args'] if a['name'] == name)
            old = self.loaded(name) if self.kind[name] == 'inout' else None
            if len(self.shape_of(name)) > 1:
                self.outputs[name] = self.whole_result(scope[view['value']], name, view['shape'])
                continue
            tensor, _ = placed(
                self.program, scope[view['value']], view['shape'], view['strides'], size, old
            )
            if tensor is None:
                raise NoSpecification('an output with gaps that is not in place')
            self.outputs[name] = tensor

    def whole_result(self, value, name, shape):
        """a step of its own, of the argument's shape"""
        if not isinstance(value, Array) or list(shape) != list(self.shape_of(name)):
            raise NoSpecification('a result that is not the argument')
        if list(value.shape) != list(shape):
            value = value.reshape(list(shape))
        return value.moved(shape, names(shape))

    def operators(self):
        return '\n'.join(self.program.operators) + '\n'

    def text(self):
        """a program in `.tp`, or in `.tile` where a result is an input too"""
        head = [
            'use "%s"' % self.file,
            ('tile' if self.in_tiles() else 'program') + ' specification',
        ] + ['sizes %s = %d' % (name, value) for name, value in self.sizes.items()]
        if not self.in_tiles():
            lines = [
                'input %s: %s' % (n, self.declared[n]) for n, k in self.kind.items() if k == 'input'
            ]
            made = dict(s.split(' = ') for s in self.program.statements)
            results = {t.name: n for n, t in self.outputs.items()}
            lines += ['%s = %s' % (n, c) for n, c in made.items() if n not in results]
            lines += ['output %s = %s' % (n, made[t]) for t, n in results.items()]
            return '\n'.join(head + lines) + '\n'
        lines = ['%s %s: %s' % (k, n, self.declared[n]) for n, k in self.kind.items()]
        for name, kind in self.kind.items():
            if kind != 'output':
                extents = self.shape_of(name) if name in self.elements else []
                lanes = ', '.join('i%d < %s' % pair for pair in enumerate(extents))
                at = ', '.join(names(extents))
                lines.append('load %s_before[%s] = %s[%s]' % (name, lanes, name, at))
        lines += self.program.statements
        for name, tensor in self.outputs.items():
            lanes = ', '.join('i%d < %s' % pair for pair in enumerate(tensor.shape))
            at = ', '.join(names(tensor.shape))
            lines.append('store %s[%s] = %s over [%s]' % (name, at, tensor.name, lanes))
        return '\n'.join(head + lines) + '\n'
