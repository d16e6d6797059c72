"""Tile programs, printed and changed at random places of their trees."""

import copy


def scalar(x):
    kind = x[0]
    if kind in ('num', 'name'):
        return x[1]
    if kind == 'neg':
        return '(-%s)' % scalar(x[1])
    if kind == 'bin':
        return '(%s %s %s)' % (scalar(x[2]), x[1], scalar(x[3]))
    if kind == 'if':
        return 'if(%s, %s, %s)' % (condition(x[1]), scalar(x[2]), scalar(x[3]))
    if kind == 'at':
        return '%s[%s]' % (x[1], ', '.join(map(scalar, x[2])))
    if kind == 'fun':
        return '%s(%s)' % (x[1], ', '.join(map(scalar, x[2])))
    if kind == 'red':
        return '(%s(%s < %s) %s)' % (x[1], x[2], scalar(x[3]), '(%s)' % scalar(x[4]))
    if kind == 'call':
        attributes = [
            '%s=%s' % (n, scalar(v)[1:-1] if v[0] == 'neg' else scalar(v)) for n, v in x[3].items()
        ]
        return '%s(%s)' % (x[1], ', '.join([scalar(a) for a in x[2]] + attributes))
    raise ValueError(kind)


def condition(c):
    if c[0] == 'rel':
        return '%s %s %s' % (scalar(c[2]), c[1], scalar(c[3]))
    if c[0] == 'not':
        return 'not (%s)' % condition(c[1])
    return '(%s) %s (%s)' % (condition(c[1]), c[0], condition(c[2]))


def lanes(ls):
    return '[%s]' % ', '.join('%s < %s' % (n, scalar(e)) for n, e in ls)


def place(access):
    return '%s[%s]' % (access[0], ', '.join(map(scalar, access[1])))


def printed_lines(lines, indent, out):
    for line in lines:
        kind = line['kind']
        pad = '  ' * indent
        if kind == 'loop':
            step = '' if line['step'] == ['num', '1'] else ' step %s' % scalar(line['step'])
            out.append(
                '%s%s %s = %s to %s%s'
                % (
                    pad,
                    'parallel' if line['parallel'] else 'for',
                    line['name'],
                    scalar(line['from']),
                    scalar(line['to']),
                    step,
                )
            )
            for c in line['carry']:
                out.append('%s  carry %s = %s' % (pad, c['name'], scalar(c['value'])))
            printed_lines(line['body'], indent + 1, out)
            for c in line['next']:
                out.append('%s  next %s = %s' % (pad, c['name'], scalar(c['value'])))
            out.append(pad + 'end')
        elif kind == 'load':
            mask = ' where %s' % condition(line['mask']) if line['mask'] else ''
            other = ' else %s' % scalar(line['else']) if line['mask'] and line['else'] else ''
            out.append(
                '%sload %s%s = %s%s%s'
                % (pad, line['name'], lanes(line['lanes']), place(line['place']), mask, other)
            )
        elif kind == 'make':
            out.append(
                '%smake %s%s = %s'
                % (pad, line['name'], lanes(line['lanes']), scalar(line['value']))
            )
        elif kind == 'store':
            over = ' over %s' % lanes(line['lanes']) if line['lanes'] else ''
            mask = ' where %s' % condition(line['mask']) if line['mask'] else ''
            out.append(
                '%sstore %s = %s%s%s'
                % (pad, place(line['place']), scalar(line['value']), over, mask)
            )
        elif kind == 'let':
            if line.get('output') and line['name'] is None:
                out.append('output %s' % line['output'])
            else:
                out.append(
                    '%s%s%s = %s'
                    % (
                        pad,
                        'output ' if line.get('output') else '',
                        line['name'],
                        scalar(line['value']),
                    )
                )
        else:
            out.append(pad + tensor(line))


def tensor(line):
    start = '' if line['start'] is None else ' = %g' % line['start']
    return '%s %s: %s[%s]%s' % (
        line['kind'],
        line['name'],
        line['type'],
        ', '.join(map(scalar, line['dims'])),
        start,
    )


def printed(program):
    out = ['%s %s' % ('tile' if program['tile'] else 'program', program['name'])]
    for line in program['declarations']:
        if line['kind'] == 'sizes':
            out.append(
                'sizes '
                + ', '.join(
                    n + (' >= %d' % m if m != 1 else '') + (' = %d' % v if v is not None else '')
                    for n, m, v in line['items']
                )
            )
        elif line['kind'] == 'where':
            if line['items']:
                out.append('where ' + ', '.join(map(condition, line['items'])))
        else:
            out.append(tensor(line))
    printed_lines(program['body'], 0, out)
    return '\n'.join(out) + '\n'


# --- changes
def spots(x, found):
    """(list, index) of each scalar of the tree"""
    if isinstance(x, dict):
        for k, v in x.items():
            if k in ('from', 'to', 'step', 'value', 'else') and isinstance(v, list):
                found.append((x, k))
            spots(v, found)
    elif isinstance(x, list):
        if x and x[0] == 'bin':
            found += [(x, 2), (x, 3)]
            spots(x[2], found)
            spots(x[3], found)
        elif x and x[0] == 'if':
            found += [(x, 2), (x, 3)]
            for e in x[1:]:
                spots(e, found)
        elif x and x[0] == 'rel':
            found += [(x, 2), (x, 3)]
            spots(x[2], found)
            spots(x[3], found)
        elif x and x[0] in ('at', 'fun', 'call'):
            for i, e in enumerate(x[2]):
                found.append((x[2], i))
                spots(e, found)
            if x[0] == 'call':
                for k in x[3]:
                    found.append((x[3], k))
        elif x and x[0] == 'red':
            found += [(x, 3), (x, 4)]
            spots(x[4], found)
        elif x and x[0] == 'neg':
            found.append((x, 1))
        elif len(x) == 2 and isinstance(x[0], str) and isinstance(x[1], list):  # a lane or a place
            if x[1] and isinstance(x[1][0], list) or not x[1]:
                for i, e in enumerate(x[1]):
                    found.append((x[1], i))
                    spots(e, found)
            else:
                found.append((x, 1))
                spots(x[1], found)
        else:
            for e in x:
                if isinstance(e, (dict, list)):
                    spots(e, found)
    return found


def bodies(lines, found):
    found.append(lines)
    for line in lines:
        if line['kind'] == 'loop':
            bodies(line['body'], found)
    return found


def names_of(program):
    sizes = [
        i[0] for line in program['declarations'] if line['kind'] == 'sizes' for i in line['items']
    ]
    tensors = [
        line['name'] for line in program['declarations'] if line['kind'] not in ('sizes', 'where')
    ]
    loops, lane_names, tiles = [], [], []
    for lines in bodies(program['body'], []):
        for line in lines:
            if line['kind'] == 'loop':
                loops.append(line['name'])
                tiles += [(c['name'], 0) for c in line['carry']]
            elif line['kind'] in ('load', 'make'):
                tiles.append((line['name'], len(line['lanes'])))
                lane_names += [n for n, _ in line['lanes']]
            elif line['kind'] == 'store':
                lane_names += [n for n, _ in line['lanes']]
            elif line['kind'] == 'scratch':
                tensors.append(line['name'])
            elif line['kind'] == 'let':
                tiles.append((line['name'], 1))
    return sizes, tensors, loops, lane_names, tiles


def atom(program, rng):
    sizes, _, loops, lane_names, tiles = names_of(program)
    kind = rng.randrange(6)
    if kind == 0 or not sizes:
        return ['num', rng.choice(('0', '1', '1', '2'))]
    if kind == 1 and loops:
        return ['name', rng.choice(loops)]
    if kind == 2 and lane_names:
        return ['name', rng.choice(lane_names)]
    if kind == 3 and tiles:
        name, rank = rng.choice(tiles)
        return [
            'at',
            name,
            [['name', rng.choice(lane_names or loops or sizes)] for _ in range(rank)],
        ]
    return ['name', rng.choice(sizes)]


def relation(program, rng):
    return [
        'rel',
        rng.choice(('=', '!=', '<', '<=', '>', '>=')),
        atom(program, rng),
        atom(program, rng),
    ]


def new_scalar(x, program, rng):
    a = atom(program, rng)
    return rng.choice(
        (
            lambda: a,
            lambda: a,
            lambda: ['bin', '+', x, ['num', '1']],
            lambda: ['bin', '-', x, ['num', '1']],
            lambda: ['bin', '+', x, a],
            lambda: ['bin', '-', a, x],
            lambda: ['bin', '-', ['bin', '-', a, ['num', '1']], x],
            lambda: ['bin', '*', x, a],
            lambda: ['bin', '+', x, ['bin', '*', ['num', '0'], a]],
            lambda: ['bin', 'div', x, a],
            lambda: ['bin', 'mod', x, a],
            lambda: ['fun', 'max', [x, a]],
            lambda: ['fun', 'min', [x, a]],
            lambda: ['neg', x],
            lambda: ['fun', rng.choice(('sqrt', 'log', 'inv', 'exp', 'abs')), [x]],
            lambda: ['bin', '/', x, a],
            lambda: ['if', relation(program, rng), x, a],
            lambda: ['if', relation(program, rng), a, x],
            lambda: ['red', rng.choice(('sum', 'max', 'min')), 'q%d' % rng.randrange(3), a, x],
            lambda: ['num', '0'],
            lambda: ['num', '1'],
        )
    )()


def operand(x, program, rng):
    """of an expression of tensors"""
    names = [n for n, _ in names_of(program)[4]] or ['x']
    a = ['name', rng.choice(names)] if rng.random() < 0.7 else ['num', rng.choice(('0', '1', '2'))]
    return rng.choice(
        (
            lambda: a,
            lambda: ['bin', rng.choice('+-*/'), x, a],
            lambda: ['bin', rng.choice('+-*/'), a, x],
            lambda: [
                'call',
                rng.choice(('exp', 'sqrt', 'log', 'abs', 'square', 'relu', 'neg')),
                [x],
                {},
            ],
            lambda: [
                'call',
                rng.choice(('sum', 'mean', 'max', 'min', 'sum_keep', 'softmax', 'max_keep')),
                [x],
                {'axis': ['num', rng.choice('01')]},
            ],
            lambda: ['bin', '+', x, ['bin', '*', ['num', '0'], a]],
        )
    )()


def let_spots(x, found):
    """(list, index) in expressions of tensors"""
    if x[0] == 'bin':
        found += [(x, 2), (x, 3)]
        let_spots(x[2], found)
        let_spots(x[3], found)
    elif x[0] == 'neg':
        found.append((x, 1))
    elif x[0] == 'call':
        for i, e in enumerate(x[2]):
            found.append((x[2], i))
            let_spots(e, found)
    return found


class Parts:
    """What of a program a change may take: blocks of statements, (block, index) of each, loops"""

    def __init__(self, program):
        self.program = program
        self.blocks = bodies(program['body'], [])
        self.statements = [(block, i) for block in self.blocks for i in range(len(block))]
        self.lines = [block[i] for block, i in self.statements]
        self.loops = self.of('loop')

    def of(self, *kinds):
        return [line for line in self.lines if line['kind'] in kinds]

    def tensors(self, *kinds):
        return [d for d in self.program['declarations'] if d['kind'] in kinds] + self.of(*kinds)


def scalar_spots(parts):
    """(owner, key) of each scalar of loads, stores and tiles that are made, and of loops' heads"""
    found = [(line, k) for line in parts.loops for k in ('from', 'to', 'step')]
    for line in parts.of('load', 'make', 'store'):
        keys = [k for k in ('lanes', 'place', 'mask', 'else', 'value') if k in line]
        own = {k: line[k] for k in keys}
        here = spots(own, [])
        found += [(line, k) if owner is own else (owner, k) for owner, k in here]
    return found


def change_expression(parts, rng):
    program = parts.program
    lets = parts.of('let') + [c for line in parts.loops for c in line['carry'] + line['next']]
    if lets and rng.random() < 0.3:
        line = rng.choice(lets)
        owner, at = rng.choice(let_spots(line['value'], [(line, 'value')]))
        owner[at] = operand(owner[at], program, rng)
        return
    found = scalar_spots(parts)
    if found:
        owner, at = rng.choice(found)
        owner[at] = new_scalar(owner[at], program, rng)


def change_order_of_iterations(parts, rng):
    if not parts.loops:
        return
    line = rng.choice(parts.loops)
    if not line['carry']:
        line['parallel'] = not line['parallel']


def exchange_statements(parts, rng):
    if not parts.statements:
        return
    block, i = rng.choice(parts.statements)
    if len(block) > 1:
        j = rng.randrange(len(block))
        block[i], block[j] = block[j], block[i]


def drop_statement(parts, rng):
    if len(parts.statements) > 1:
        block, i = rng.choice(parts.statements)
        del block[i]


def repeat_statement(parts, rng):
    if not parts.statements:
        return
    block, i = rng.choice(parts.statements)
    again = copy.deepcopy(block[i])
    if again['kind'] in ('store', 'loop'):
        rng.choice(parts.blocks).insert(rng.randrange(len(block) + 1), again)


def change_mask(parts, rng):
    masked = parts.of('store', 'load')
    if not masked:
        return
    line = rng.choice(masked)
    mask = line['mask']
    if mask and rng.random() < 0.4:
        other = relation(parts.program, rng)
        line['mask'] = rng.choice((None, ['not', mask], ['or', mask, other], ['and', mask, other]))
    else:
        line['mask'] = relation(parts.program, rng)
        if line['kind'] == 'load' and rng.random() < 0.6:
            line['else'] = ['num', rng.choice('01')]
    if line['kind'] == 'load' and line['mask'] is None:
        line['else'] = None


def put_in_loop(parts, rng):
    if not parts.statements:
        return
    block, i = rng.choice(parts.statements)
    n = rng.choice((1, 1, 2, 3))
    loop = {
        'kind': 'loop',
        'parallel': rng.random() < 0.4,
        'name': 'v%d' % rng.randrange(4),
        'from': ['num', rng.choice('0001')],
        'to': atom(parts.program, rng),
        'step': ['num', '1'],
        'carry': [],
        'next': [],
        'body': block[i : i + n],
    }
    block[i : i + n] = [loop]


def change_start(parts, rng):
    tensors = parts.tensors('output', 'scratch')
    if tensors:
        rng.choice(tensors)['start'] = rng.choice((None, 0, 1))


def new_statement(parts, rng):
    """A store of a scalar or of a row, a load, or a tile that is made, anywhere"""
    program = parts.program
    tensors = parts.tensors('output', 'scratch', 'inout')
    if not program['tile'] or not tensors:
        return
    target = rng.choice(tensors)
    tile = 'u%d' % rng.randrange(5)
    lane = 'w%d' % rng.randrange(5)
    rank = len(target['dims'])
    place = [atom(program, rng) for _ in range(rank)]
    kind = rng.choice(('element', 'row', 'load', 'make'))
    if kind == 'element':
        line = {'kind': 'store', 'value': atom(program, rng), 'lanes': [], 'mask': None}
    elif kind == 'row':
        place[:1] = [['name', lane]] if rank else []
        extent = target['dims'][0] if rank else atom(program, rng)
        mask = relation(program, rng) if rng.random() < 0.5 else None
        line = {'kind': 'store', 'value': atom(program, rng), 'mask': mask}
        line['lanes'] = [[lane, extent]]
    elif kind == 'load':
        line = {'kind': 'load', 'name': tile, 'lanes': [], 'mask': None, 'else': None}
    else:
        value = new_scalar(atom(program, rng), program, rng)
        line = {'kind': 'make', 'name': tile, 'value': value, 'lanes': [[lane, atom(program, rng)]]}
    if kind != 'make':
        line['place'] = [target['name'], place]
    block = rng.choice(parts.blocks)
    block.insert(rng.randrange(len(block) + 1), line)


def change_least_sizes(parts, rng):
    for line in parts.program['declarations']:
        if line['kind'] == 'sizes' and rng.random() < 0.5:
            item = rng.choice(line['items'])
            if item[2] is None or item[2] > 1:
                item[1] = rng.choice((0, 1, 1, 2))


# each with how often it is taken among all
CHANGES = (
    (change_expression, 5),
    (change_order_of_iterations, 1),
    (exchange_statements, 1),
    (drop_statement, 1),
    (repeat_statement, 1),
    (change_mask, 1),
    (put_in_loop, 1),
    (change_start, 1),
    (new_statement, 1),
    (change_least_sizes, 1),
)


def change(program, rng):
    """one change in place, or none where the one that is drawn finds nothing"""
    kinds, weights = zip(*CHANGES)
    rng.choices(kinds, weights)[0](Parts(program), rng)
