"""Which numbers of a launch of a Triton kernel, and of the specification beside it, may be sizes.

Each guess is a case as the folder has them, in which sizes with names stand in the place of numbers;
`ttir_spec.py` writes its program.  A guess may be wrong: it is a specification that is printed, and
judged."""

import ast
import copy
import math
import re

from ttir_sizes import named

SHAPING = {'arange', 'ones', 'zeros', 'full', 'reshape', 'broadcast_to', 'tril', 'split'}


def product(extents):
    whole = 1
    for extent in extents:
        whole = whole * extent
    return whole


def row_major(shape):
    return [product(shape[d + 1 :]) for d in range(len(shape))]


class Named(ast.NodeTransformer):
    """numbers that say an extent, by their sizes: in calls that shape, slices, and where `remainders`
    holds as what is divided by"""

    def __init__(self, name_of, remainders):
        self.name_of, self.remainders, self.inside = name_of, remainders, 0

    def visit_Constant(self, node):
        name = self.name_of.get(node.value) if type(node.value) is int and self.inside else None
        return ast.copy_location(ast.Name(name, ast.Load()), node) if name else node

    def extents(self, node):
        self.inside += 1
        result = self.visit(node)
        self.inside -= 1
        return result

    def visit_Call(self, node):
        function = node.func
        word = function.attr if isinstance(function, ast.Attribute) else getattr(function, 'id', '')
        node.func = self.visit(function)
        visit = self.extents if word in SHAPING else self.visit
        node.args = [visit(a) for a in node.args]
        return node

    def visit_Slice(self, node):
        for part in ('lower', 'upper'):
            if getattr(node, part) is not None:
                setattr(node, part, self.extents(getattr(node, part)))
        return node

    def visit_BinOp(self, node):
        inside, self.inside = self.inside, 0
        node.left = self.visit(node.left)
        divides = isinstance(node.op, (ast.Mod, ast.FloorDiv)) and self.remainders
        node.right = self.extents(node.right) if divides else self.visit(node.right)
        self.inside = inside
        return node


def with_names(line, name_of, remainders):
    return ast.unparse(Named(name_of, remainders).visit(ast.parse(line)))


def used_numbers(case, text):
    """integer arguments that the kernel reads"""
    return {
        a['name']: a['value']
        for a in case['args']
        if a['kind'] == 'int' and len(re.findall('%' + a['name'] + r'\b', text)) > 1
    }


def rewritten(case, sizes, number, shape_of, code):
    """the case with sizes; number: of an extent or stride, shape_of: of a list of extents"""
    made = copy.deepcopy(case)
    made['sizes'] = {str(size): int(size) for size in sizes}
    made['spec']['code'] = code
    made['shapes'] = {}
    for argument in made['args']:
        if argument['kind'] == 'int':
            argument['value'] = number(argument['value'])
        if argument['kind'] != 'ptr':
            continue
        shape = shape_of(argument.get('shape') or [argument['size']])
        whole = product(shape)
        fits = int(whole) == argument['size']
        made['shapes'][argument['name']] = shape if fits else [argument['size']]
        argument['size'] = whole if fits else argument['size']
    for views in (made['spec']['inputs'], made['spec']['outputs']):
        for view in views.values():
            plain = view['strides'] == row_major(view['shape'])
            view['shape'] = shape_of(view['shape'])
            view['strides'] = (
                row_major(view['shape']) if plain else [number(n) for n in view['strides']]
            )
    for size in sizes:
        made['spec']['code'] = list(made['spec']['code'])
    return made


def by_arguments(case, text):
    """sizes are the integers that the kernel is given, and the leading extents of what it is given"""
    sizes = []
    for name, value in used_numbers(case, text).items():
        if value > 1 and all(int(s) != value for s in sizes):
            sizes.append(named(name, value))
    if not used_numbers(case, text):
        return
    leading = [a['shape'][0] for a in case['args'] if a['kind'] == 'ptr' and a.get('shape')]
    for value in leading:
        if value > 1 and all(int(s) != value for s in sizes):
            sizes.append(named('R%d' % len(sizes), value))
    name_of = {int(s): str(s) for s in sizes}

    def number(value):
        return next((s for s in sizes if int(s) == value), value)

    for remainders in (True, False):
        code = [with_names(line, name_of, remainders) for line in case['spec']['code']]
        yield rewritten(case, sizes, number, lambda shape: [number(n) for n in shape], code)


def by_batch(case):
    """one size: the leading extents of results, and what is in them as often"""
    outputs = [v['shape'] for v in case['spec']['outputs'].values()]
    common = math.gcd(*[shape[0] for shape in outputs])
    numbers = [int(n) for line in case['spec']['code'] for n in re.findall(r'\b\d+\b', line)]
    leading = [v['shape'][0] for v in case['spec']['inputs'].values()]
    values = {common} | {math.gcd(common, n) for n in numbers + leading if n}
    least = min(product(shape) for shape in outputs)
    for value in sorted((v for v in values if v > 1), reverse=True)[:5]:
        size = named('B', value)
        for all_large in (True, False):

            def shape_of(shape):
                grows = shape[0] % value == 0 and (
                    product(shape) >= least if all_large else any(shape[0] == o[0] for o in outputs)
                )
                return [shape[0] // value * size] + shape[1:] if grows else list(shape)

            yield rewritten(case, [size], lambda n: n, shape_of, case['spec']['code'])


def flat(case):
    """the same with flat arguments"""
    made = dict(case)
    made['shapes'] = {}
    return made


def guesses(case, text):
    """the likely ones first"""
    for made in by_arguments(case, text):
        yield made
        yield flat(made)
    for made in by_batch(case):
        yield flat(made)
        yield made


def clearest(cases):
    """the number of the case whose numbers tell most sizes apart"""

    def distinct(case):
        numbers = [a['value'] for a in case['args'] if a['kind'] == 'int']
        numbers += [n for a in case['args'] if a['kind'] == 'ptr' for n in a.get('shape') or []]
        return len({n for n in numbers if n > 1})

    return max(range(len(cases)), key=lambda k: (distinct(cases[k]), -k))
