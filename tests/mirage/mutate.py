#!/usr/bin/env python3
"""muGraphs changed at random: mutate.py FILE COUNT SEED writes a list of COUNT graphs, each one of
FILE's with one to three changes, to standard output.  A change takes a map, a loop, a tile or an
operator for another one; extents are worked out again from the changed fields (the description of
the format has the rules), so that the graph is one that Mirage could have written.  A change after
which no extents fit is taken back; one graph in eight keeps its old extents, and is then
inconsistent as a rule."""

import copy
import json
import random
import sys

AXES = 'xyz'


class Misfit(Exception):
    """the fields do not give extents"""


def extents(tensor):
    return tensor['dim'][: tensor['num_dims']]


def set_extents(tensor, dims):
    tensor['dim'] = list(dims) + [0] * (4 - len(dims))
    tensor['num_dims'] = len(dims)


def broadcast(a, b):
    if len(a) != len(b):
        raise Misfit
    for p, q in zip(a, b):
        if p != q and 1 not in (p, q):
            raise Misfit
    return [max(p, q) for p, q in zip(a, b)]


def product(a, b):
    if len(a) != len(b) or a[:-2] != b[:-2] or a[-1] != b[-2]:
        raise Misfit
    return a[:-1] + b[-1:]


def divided(n, by):
    if by < 1 or n % by:
        raise Misfit
    return n // by


def tile_of(graph, op):
    dims = list(extents(op['dtensor']))
    for axis in AXES:
        at, blocks = op['input_map'][axis], graph['grid_dim'][axis]
        if at >= 0 and blocks > 1:
            if at >= len(dims):
                raise Misfit
            dims[at] = divided(dims[at], blocks)
    at = op['forloop_dim']
    if at >= len(dims):
        raise Misfit
    if at >= 0:
        dims[at] = divided(dims[at], graph['forloop_range'])
    return dims


def whole_of(graph, op, tile):
    dims = list(tile)
    for axis in AXES:
        at, blocks = op['output_map'][axis], graph['grid_dim'][axis]
        if blocks > 1:
            if not 0 <= at < len(dims):
                raise Misfit
            dims[at] *= blocks
    return dims


def result_of(kind, operands, graph):
    if kind == 'matmul':
        return product(*operands)
    if kind in ('add', 'mul', 'div'):
        return broadcast(*operands)
    if kind in ('accum_red_ld_sum', 'accum_red_ld_rms'):
        return operands[0][:-1] + [1]
    if kind == 'accum_redtox_ld_sum':
        divided(operands[0][-1], graph['reduction_dimx'])
        return operands[0][:-1] + [graph['reduction_dimx']]
    return list(operands[0])


def settle_block(kernel, known):
    graph = kernel['bgraph']
    inside = {}
    after = {}
    inputs = iter(kernel['input_tensors'])
    outputs = iter(kernel['output_tensors'])
    for op in graph['operators']:
        kind = op['op_type'][3:-3]
        if kind == 'input':
            source = next(inputs)
            set_extents(op['dtensor'], known[source['guid']])
            op['dtensor']['guid'] = source['guid']
            dims, late = tile_of(graph, op), False
        elif kind == 'output':
            guid = op['input_tensors'][0]['guid']
            set_extents(op['input_tensors'][0], inside[guid])
            op['input_tensors'][0]['after_accum'] = after[guid]
            target = next(outputs)
            whole = whole_of(graph, op, inside[guid])
            for tensor in (target, op['dtensor']):
                set_extents(tensor, whole)
            known[target['guid']] = whole
            continue
        else:
            late = kind.startswith('accum')
            for tensor in op['input_tensors']:
                if tensor['guid'] not in inside:
                    raise Misfit
                set_extents(tensor, inside[tensor['guid']])
                tensor['after_accum'] = after[tensor['guid']]
                late = late or after[tensor['guid']]
            dims = result_of(kind, [extents(tensor) for tensor in op['input_tensors']], graph)
        for tensor in op['output_tensors']:
            set_extents(tensor, dims)
            tensor['after_accum'] = late
            inside[tensor['guid']], after[tensor['guid']] = dims, late


def settle(graph):
    known = {}
    for op in graph:
        kind = op['op_type'][3:-3]
        for tensor in op['input_tensors']:
            if tensor['guid'] not in known:
                raise Misfit
            set_extents(tensor, known[tensor['guid']])
        if kind == 'input':
            known[op['output_tensors'][0]['guid']] = extents(op['output_tensors'][0])
        elif kind == 'customized':
            settle_block(op, known)
        elif kind != 'output':
            dims = result_of(kind, [extents(tensor) for tensor in op['input_tensors']], None)
            set_extents(op['output_tensors'][0], dims)
            known[op['output_tensors'][0]['guid']] = dims


# ---- changes: each takes the graph's operators and says what it did, or None where there is
# nothing for it
def pick(rng, graph, test):
    found = [op for op in graph if test(op)]
    return rng.choice(found) if found else None


def block_op(rng, graph, test):
    found = [
        (kernel['bgraph'], op)
        for kernel in graph
        if 'bgraph' in kernel
        for op in kernel['bgraph']['operators']
        if test(op)
    ]
    return rng.choice(found) if found else (None, None)


def change_input_map(rng, graph):
    _, op = block_op(rng, graph, lambda op: op['op_type'] == 'tb_input_op')
    if op is None:
        return None
    axis = rng.choice(AXES)
    op['input_map'][axis] = rng.randint(-1, op['dtensor']['num_dims'] - 1)
    return 'input map'


def change_output_map(rng, graph):
    _, op = block_op(rng, graph, lambda op: op['op_type'] == 'tb_output_op')
    if op is None:
        return None
    first, second = rng.sample(AXES, 2)
    if rng.random() < 0.5:
        op['output_map'][first], op['output_map'][second] = (
            op['output_map'][second],
            op['output_map'][first],
        )
    else:
        op['output_map'][first] = rng.randint(0, op['dtensor']['num_dims'] - 1)
    return 'output map'


def change_loop_dim(rng, graph):
    _, op = block_op(rng, graph, lambda op: op['op_type'] == 'tb_input_op')
    if op is None:
        return None
    op['forloop_dim'] = rng.randint(-1, op['dtensor']['num_dims'] - 1)
    return 'loop axis'


def scaled(rng, n):
    return n * 2 if n == 1 or rng.random() < 0.5 else n // 2


def change_loop_range(rng, graph):
    kernel = pick(rng, graph, lambda op: 'bgraph' in op)
    if kernel is None:
        return None
    kernel['bgraph']['forloop_range'] = scaled(rng, kernel['bgraph']['forloop_range'])
    return 'loop count'


def change_grid(rng, graph):
    kernel = pick(rng, graph, lambda op: 'bgraph' in op)
    if kernel is None:
        return None
    grid = kernel['bgraph']['grid_dim']
    if rng.random() < 0.4:
        first, second = rng.sample(AXES, 2)
        grid[first], grid[second] = grid[second], grid[first]
    else:
        axis = rng.choice(AXES)
        grid[axis] = scaled(rng, grid[axis])
    return 'grid'


OTHERS = [
    ('add', 'mul', 'div'),
    ('exp', 'silu', 'rms_norm'),
    ('accum_red_ld_sum', 'accum_red_ld_rms'),
    ('accum_nored', 'accum_red_ld_sum', 'accum_red_ld_rms'),
    ('accum_red_ld_sum', 'accum_redtox_ld_sum'),
]


def change_operator(rng, graph):
    level = rng.choice(('tb', 'tb', 'tb', 'kn'))
    names = [name for row in OTHERS for name in row]
    test = lambda op: op['op_type'][3:-3] in names
    op = block_op(rng, graph, test)[1] if level == 'tb' else pick(rng, graph, test)
    if op is None:
        return None
    here = op['op_type'][3:-3]
    rows = [row for row in OTHERS if here in row]
    other = rng.choice([name for row in rows for name in row if name != here])
    if level == 'kn' and other == 'rms_norm':
        return None
    op['op_type'] = '%s_%s_op' % (level, other)
    return 'operator'


def swap_operands(rng, graph):
    test = lambda op: len(op['input_tensors']) == 2 and 'bgraph' not in op
    op = block_op(rng, graph, test)[1] if rng.random() < 0.8 else pick(rng, graph, test)
    if op is None:
        return None
    op['input_tensors'].reverse()
    return 'operands'


def swap_tiles(rng, graph):
    """an operator reads another tile than it did"""
    kernel = pick(rng, graph, lambda op: 'bgraph' in op)
    if kernel is None:
        return None
    ops = kernel['bgraph']['operators']
    at = rng.randrange(len(ops))
    if not ops[at]['input_tensors']:
        return None
    made = [tensor for op in ops[:at] for tensor in op['output_tensors']]
    if not made:
        return None
    which = rng.randrange(len(ops[at]['input_tensors']))
    ops[at]['input_tensors'][which] = copy.deepcopy(rng.choice(made))
    return 'tile'


def swap_sources(rng, graph):
    """two tensors that kernels read change places"""
    kernel = pick(rng, graph, lambda op: 'bgraph' in op and len(op['input_tensors']) > 1)
    if kernel is None:
        return None
    first, second = rng.sample(range(len(kernel['input_tensors'])), 2)
    tensors = kernel['input_tensors']
    tensors[first], tensors[second] = tensors[second], tensors[first]
    return 'sources'


CHANGES = [
    change_input_map,
    change_output_map,
    change_loop_dim,
    change_loop_range,
    change_grid,
    change_operator,
    swap_operands,
    swap_tiles,
    swap_sources,
]


def mutated(rng, graphs):
    """(graph, what was changed)"""
    while True:
        graph = copy.deepcopy(rng.choice(graphs))
        done = []
        wanted = rng.choice((1, 1, 2, 3))
        for _ in range(200):
            before = copy.deepcopy(graph)
            change = rng.choice(CHANGES)(rng, graph)
            if change is None or graph == before:
                graph = before
                continue
            keep = rng.random() < 0.125
            try:
                settle(graph)
            except Misfit:
                if not keep:
                    graph = before
                    continue
            done.append(change)
            if len(done) == wanted:
                return graph, done


def main():
    path, count, seed = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    graphs = json.load(open(path))
    rng = random.Random('%s %s' % (seed, len(graphs)))
    made = [mutated(rng, graphs) for _ in range(count)]
    json.dump([graph for graph, _ in made], sys.stdout)
    for number, (_, done) in enumerate(made):
        print('%d: %s' % (number, ', '.join(done)), file=sys.stderr)


main()
