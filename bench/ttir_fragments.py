"""Specifications of torch.compile's kernels: the graph that it prints above each, as lines of NumPy.

Above a kernel Inductor writes which operators of ATen it computes: what is read (place holders with
their shapes and strides), the nodes in order, and what is written. `specification` makes of it what
the folder of Triton kernels has in its JSON (`code`, `inputs`, `outputs`), so that ttir_spec.py can
write the program that the kernel has to be equal to. Nothing of the kernel's own text is looked at.
"""

import re

NODE = re.compile(
    r'%(?P<name>\w+) : (?:Tensor'
    r' "(?P<type>\w+)\[(?P<shape>[^\]]*)\]\[(?P<strides>[^\]]*)\]\S*"\s*)?'
    r'(?:\[num_users=(?P<users>\d+)\])?\s*= (?P<what>PlaceHolder|call_function)\[target=(?P<target>'
    r'[\w.]+)\](?:\(args = \((?P<args>.*)\), kwargs = \{(?P<named>.*)\}\))?'
)


class NotSaid(Exception):
    """what a fragment does not say, or no line here says"""


class Node:
    def __init__(self, match):
        self.name = match['name']
        self.held = match['what'] == 'PlaceHolder'
        self.operator = match['target'].replace('torch.ops.', '')
        self.shape = numbers(match['shape'])
        self.strides = numbers(match['strides'])
        self.users = int(match['users'] or 1)
        self.arguments = [] if self.held else arguments(match['args'])
        self.named = {} if self.held else named(match['named'])

    def reads(self):
        return set(re.findall(r'%(\w+)', repr(self.arguments) + repr(self.named)))


def numbers(text):
    return None if text is None else [int(n) for n in text.split(', ') if n]


def parts(text):
    """at the commas that are in no bracket"""
    found, depth, begin = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in '([{') - (letter in ')]}')
        if letter == ',' and depth == 0:
            found.append(text[begin:at].strip())
            begin = at + 1
    return [part for part in found + [text[begin:].strip()] if part]


def value(text):
    """a number, a list of values, or text: a node as %name"""
    if text.startswith('['):
        return [value(part) for part in parts(text[1:-1])]
    if text in ('True', 'False', 'None'):
        return {'True': True, 'False': False, 'None': None}[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def arguments(text):
    return [value(part) for part in parts(text)]


def named(text):
    pairs = (part.split(': ', 1) for part in parts(text))
    return {name: value(given) for name, given in pairs}


def said(given):
    """a value as NumPy's text"""
    if isinstance(given, list):
        return '[%s]' % ', '.join(map(said, given))
    if isinstance(given, float) and given in (float('inf'), float('-inf')):
        return 'np.inf' if given > 0 else '-np.inf'
    return given[1:] if isinstance(given, str) and given.startswith('%') else repr(given)


# -- operators -----------------------------------------------------------------------------------


def binary(sign):
    def line(node, a, b):
        if node.named.get('alpha', 1) != 1:
            return '%s %s %s * %s' % (said(a), sign, said(node.named['alpha']), said(b))
        return '%s %s %s' % (said(a), sign, said(b))

    return line


def same(node, x, *_):
    return said(x)


def call(form):
    return lambda node, *given: form.format(*map(said, given))


def reduction(word):
    def line(node, x, axes=None, keep=False):
        return 'np.%s(%s, axis=%s, keepdims=%s)' % (word, said(x), axis_of(axes), bool(keep))

    return line


def axis_of(axes):
    if isinstance(axes, list):
        return repr(tuple(axes)) if axes else 'None'
    return repr(axes)


def compared(sign):
    def line(node, a, b):
        if isinstance(b, float) and abs(b) == float('inf'):  # over the reals nothing is
            return 'np.full(%r, %d)' % (node.shape, sign in ('<', '<=') and b > 0)
        return '(%s %s %s) * 1' % (said(a), sign, said(b))

    return line


def shaped(node, x, *_):
    """views that only give the elements another shape"""
    return '%s.reshape(%r)' % (said(x), node.shape)


def permuted(node, x, order):
    return '%s.transpose(%r)' % (said(x), order)


def expanded(node, x, *_):
    return 'np.broadcast_to(%s, %r)' % (said(x), node.shape)


def sliced(node, x, axis=0, start=0, end=None, step=1):
    if axis < 0:
        axis += len(node.shape)
    return '%s[%sslice(%r, %r, %r)]' % (
        said(x),
        'slice(None), ' * axis,
        start,
        None if end is None or end > 2**62 else end,
        step,
    )


def selected(node, x, axis, at):
    if axis < 0:
        axis += len(node.shape) + 1
    return '%s[%s%d]' % (said(x), 'slice(None), ' * axis, at)


def joined(node, xs, axis=0):
    return 'np.concatenate(%s, %d)' % (said(xs), axis)


def filled(node, *given):
    number = given[-1]
    return 'np.full(%r, %s)' % (node.shape, said(number)) if node.shape else said(number)


def counted(node, n):
    return 'np.arange(%d) * %s + %s' % (n, said(node.named['step']), said(node.named['start']))


def padded(node, x, widths, number=0.0):
    rank = len(node.shape)
    pairs = [[0, 0]] * (rank - len(widths) // 2)
    pairs += [widths[2 * k : 2 * k + 2] for k in range(len(widths) // 2)][::-1]
    if any(n < 0 for pair in pairs for n in pair):
        raise NotSaid('padding by less than nothing')
    return 'np.pad(%s, %r, constant_values=%s)' % (said(x), pairs, said(number))


def looked_up(node, table, at):
    at = [part for part in at] if isinstance(at, list) else [at]
    if len(at) != 1 or at[0] is None:
        raise NotSaid('an index of several axes')
    return '%s[%s]' % (said(table), said(at[0]))


def embedded(node, table, at, *_):
    return '%s[%s]' % (said(table), said(at))


def gathered(node, x, axis, at):
    return 'np.take_along_axis(%s, %s, %d)' % (said(x), said(at), axis)


def pooled(word):
    def line(node, x, window, stride=None, padding=0, *rest):
        if len(window) != 2 or (rest and word == 'max' and (rest[0] not in (1, [1, 1]))):
            raise NotSaid('a pooling of other axes')
        if True in rest:
            raise NotSaid('a pooling with partial windows')
        return '%s_pool2d(%s, %r, %r, %r)' % (
            word, said(x), tuple(window), tuple(stride or window), padding or 0
        )  # fmt: skip

    return line


# an operator of ATen -> the line that says it, given the node and its arguments
LINES = {
    'aten.add.Tensor': binary('+'),
    'aten.sub.Tensor': binary('-'),
    'aten.mul.Tensor': binary('*'),
    'aten.div.Tensor': binary('/'),
    'aten.mul.Scalar': binary('*'),
    'aten.add.Scalar': binary('+'),
    'aten.neg.default': call('-{0}'),
    'aten.reciprocal.default': call('1 / {0}'),
    'aten.sqrt.default': call('np.sqrt({0})'),
    'aten.rsqrt.default': call('1 / np.sqrt({0})'),
    'aten.exp.default': call('np.exp({0})'),
    'aten.expm1.default': call('np.exp({0}) - 1'),
    'aten.log.default': call('np.log({0})'),
    'aten.log1p.default': call('np.log1p({0})'),
    'aten.tanh.default': call('np.tanh({0})'),
    'aten.erf.default': call('erf({0})'),
    'aten.sin.default': call('np.sin({0})'),
    'aten.cos.default': call('np.cos({0})'),
    'aten.abs.default': call('np.abs({0})'),
    'aten.sigmoid.default': call('1 / (1 + np.exp(-{0}))'),
    'aten.relu.default': call('np.maximum({0}, 0)'),
    'aten.maximum.default': call('np.maximum({0}, {1})'),
    'aten.minimum.default': call('np.minimum({0}, {1})'),
    'aten.clamp_min.default': call('np.maximum({0}, {1})'),
    'aten.clamp_max.default': call('np.minimum({0}, {1})'),
    'aten.pow.Tensor_Scalar': call('{0} ** {1}'),
    'aten.where.self': call('np.where({0}, {1}, {2})'),
    'aten.gt.Scalar': compared('>'),
    'aten.ge.Scalar': compared('>='),
    'aten.lt.Scalar': compared('<'),
    'aten.le.Scalar': compared('<='),
    'aten.eq.Scalar': compared('=='),
    'aten.ne.Scalar': compared('!='),
    'aten.gt.Tensor': compared('>'),
    'aten.ge.Tensor': compared('>='),
    'aten.lt.Tensor': compared('<'),
    'aten.le.Tensor': compared('<='),
    'aten.eq.Tensor': compared('=='),
    'aten.ne.Tensor': compared('!='),
    'aten.bitwise_and.Tensor': binary('*'),
    'prims.convert_element_type.default': same,
    'aten.clone.default': same,
    'aten.detach.default': same,
    'aten.alias.default': same,
    'aten.unsqueeze.default': shaped,
    'aten.squeeze.dim': shaped,
    'aten.squeeze.dims': shaped,
    'aten.reshape.default': shaped,
    'aten.view.default': shaped,
    'aten.permute.default': permuted,
    'aten.expand.default': expanded,
    'aten.slice.Tensor': sliced,
    'aten.select.int': selected,
    'aten.cat.default': joined,
    'aten.full.default': filled,
    'aten.scalar_tensor.default': filled,
    'prims.iota.default': counted,
    'aten.constant_pad_nd.default': padded,
    'aten.index.Tensor': looked_up,
    'aten.embedding.default': embedded,
    'aten.gather.default': gathered,
    'aten.sum.dim_IntList': reduction('sum'),
    'aten.sum.default': reduction('sum'),
    'aten.mean.dim': reduction('mean'),
    'aten.mean.default': reduction('mean'),
    'aten.amax.default': reduction('max'),
    'aten.amin.default': reduction('min'),
    'aten.avg_pool2d.default': pooled('avg'),
}


def extreme(node, shape_of):
    return [reduction(node.operator[5:8])(node, *node.arguments)]


def moments(node, shape_of):
    x = said(node.arguments[0])
    axes = axis_of(node.arguments[1] if len(node.arguments) > 1 else None)
    keep = bool(node.named.get('keepdim', False))
    less = node.named.get('correction', 1)
    return [
        'np.var(%s, axis=%s, keepdims=%s, ddof=%d)' % (x, axes, keep, less),
        'np.mean(%s, axis=%s, keepdims=%s)' % (x, axes, keep),
    ]


def online_softmax(node, shape_of):
    x, axis = said(node.arguments[0]), node.arguments[1]
    largest = 'np.max(%s, axis=%d, keepdims=True)' % (x, axis)
    return [largest, 'np.sum(np.exp(%s - %s), axis=%d, keepdims=True)' % (x, largest, axis)]


def largest_of_windows(node, shape_of):
    return [pooled('max')(node, *node.arguments)]


def divided(node, shape_of):
    x = node.arguments[0]
    shape = shape_of(x)
    axis = (node.arguments[2] if len(node.arguments) > 2 else 0) % len(shape)
    sizes = node.arguments[1]
    if isinstance(sizes, int):
        sizes = [min(sizes, shape[axis] - at) for at in range(0, shape[axis], sizes)]
    ends = [sum(sizes[: k + 1]) for k in range(len(sizes))]
    return [
        '%s[%sslice(%d, %d)]' % (said(x), 'slice(None), ' * axis, end - size, end)
        for end, size in zip(ends, sizes)
    ]


# operators of several results, of which those that are used have names -> their lines, without the
# positions of extremes
SEVERAL = {
    'aten.max.dim': extreme,
    'aten.min.dim': extreme,
    'aten.var_mean.correction': moments,
    'prims.prepare_softmax_online.default': online_softmax,
    'prims._low_memory_max_pool_with_offsets.default': largest_of_windows,
    'aten.split.Tensor': divided,
    'aten.split_with_sizes.default': divided,
}


# -- a kernel ------------------------------------------------------------------------------------


class Fragment:
    def __init__(self, text):
        self.nodes = []
        self.returned = []
        for line in text.split('\n'):
            line = line.lstrip('# ').strip()
            if line.startswith('return '):
                self.returned = re.findall(r'%(\w+)', line)
            elif line.startswith('%'):
                match = NODE.match(line)
                if not match:
                    raise NotSaid('a line that is no node: ' + line[:80])
                self.nodes.append(Node(match))
        self.held = {n.name: n for n in self.nodes if n.held}
        self.made = [n for n in self.nodes if not n.held]
        self.shapes = {n.name: n.shape for n in self.nodes if n.shape is not None}

    def shape_of(self, given):
        shape = self.shapes.get(given[1:]) if isinstance(given, str) else None
        if shape is None:
            raise NotSaid('a shape')
        return shape


def fragment_of(code, kernel):
    """what Inductor wrote above `kernel`, and the names of the buffers that it is launched with"""
    at = code.find('\n%s = async_compile' % kernel)
    begin = code.rfind('Graph fragment', 0, at)
    call_ = re.search(r'\b%s\.run\((.*), stream=' % kernel, code)
    if at < 0 or begin < 0 or not call_:
        raise NotSaid('no fragment')
    text = '\n'.join(code[begin:at].split('\n')[1:])
    renamed = dict(re.findall(r'\b(buf\d+) = (buf\d+); del', code))
    return Fragment(text), parts(call_[1]), renamed


def elements(shape):
    n = 1
    for extent in shape:
        n *= extent
    return n


def inputs_of(fragment, pointers, names, renamed, result):
    """place holder -> argument: by name, then in order where the number of elements is the same"""
    found, free = {}, []
    for argument in pointers:
        if argument['name'].startswith('out_ptr'):
            continue
        name = names[argument['name']]
        while name not in fragment.held and name in renamed:
            name = renamed[name]
        if name in fragment.held and name not in found:
            found[name] = argument
        else:
            free.append(argument)
    for name, node in fragment.held.items():
        # what this kernel writes itself is read from registers
        if name in found or name in fragment.returned:
            continue
        for argument in free:
            if elements(argument['shape']) == elements(node.shape):
                found[name] = argument
                free.remove(argument)
                break
    for name, argument in found.items():
        node = fragment.held[name]
        result['inputs'][name] = {
            'arg': argument['name'], 'shape': node.shape, 'strides': node.strides
        }  # fmt: skip
    lost = [a['name'] for a in free if not a['name'].startswith('in_out_ptr')]
    if lost:
        raise NotSaid('an argument that no place holder is: ' + lost[0])


def biased(node, fragment, known):
    """a product or convolution that another kernel computed, to which this one adds its bias"""
    bias = {'aten.convolution.default': 2, 'aten.addmm.default': 0}.get(node.operator)
    if bias is None:
        return None
    rest = [n for n in fragment.held if n in known and fragment.held[n].shape == node.shape]
    if len(rest) != 1:
        raise NotSaid('a product that is not there')
    term = node.arguments[bias] if bias < len(node.arguments) else None
    if term is None:
        return rest[0]
    if term[1:] not in known:
        raise NotSaid('a bias that is not there')
    shape = [1, -1] + [1] * (len(node.shape) - 2)
    return '%s + %s.reshape(%r)' % (rest[0], term[1:], shape)


def from_squares(node, fragment, known):
    """a variance whose sum of squares another kernel left in a buffer that nothing else is"""
    if node.operator != 'aten.var_mean.correction':
        return None
    read = set().union(*(n.reads() for n in fragment.made))
    axes = node.arguments[1]
    if not isinstance(axes, list):
        return None
    shape = fragment.shape_of(node.arguments[0])
    count = elements([shape[a] for a in axes])
    left = read | set(fragment.returned)
    sums = [
        n
        for n, held in fragment.held.items()
        if n in known
        and n.startswith('buf')
        and n not in left
        and elements(held.shape) * count == elements(shape)
    ]
    if len(sums) != 1:
        return None
    return '%s / %d' % (sums[0], count - node.named.get('correction', 1))


def results_in_order(fragment):
    """getitem, getitem_1, ..: results of operators that have several, which are not named there"""
    used = set()
    for node in fragment.made:
        used |= node.reads()
    used |= set(fragment.returned)
    names = {n for n in used if re.fullmatch(r'getitem(_\d+)?', n)}
    return sorted(names, key=lambda n: int(n[8:] or 0))


class Lines:
    """the lines of a fragment's nodes, in order; of what cannot be said, why"""

    def __init__(self, fragment, inputs):
        self.fragment = fragment
        self.known = set(inputs)
        self.lost = {}
        self.code = []
        self.several = results_in_order(fragment)
        for node in fragment.made:
            if node.name in self.known:
                continue
            try:
                self.add(node)
            except NotSaid as reason:
                self.lost[node.name] = str(reason)

    def define(self, name, line):
        self.code.append('%s = %s' % (name, line))
        self.known.add(name)

    def need(self, node):
        for name in sorted(node.reads() - self.known):
            raise NotSaid(self.lost.get(name, 'what is not there: ' + name))

    def add(self, node):
        if node.operator in SEVERAL:
            self.add_several(node)
            return
        line = biased(node, self.fragment, self.known)
        if line is None:
            if node.operator not in LINES:
                raise NotSaid('operator ' + node.operator)
            self.need(node)
            line = LINES[node.operator](node, *node.arguments)
        self.define(node.name, line)

    def add_several(self, node):
        """results are named in the order of their operators, those that are used"""
        names = [self.several.pop(0) for _ in range(min(node.users, len(self.several)))]
        squares = from_squares(node, self.fragment, self.known)
        try:
            if not squares:
                self.need(node)
            lines = [squares] if squares else SEVERAL[node.operator](node, self.fragment.shape_of)
        except NotSaid as reason:
            self.lost.update((name, str(reason)) for name in names)
            return
        for name, line in zip(names, lines):
            if name not in self.known:
                self.define(name, line)


def specification(code, kernel, pointers):
    """{'code', 'inputs', 'outputs'} of a launch whose pointer arguments are `pointers`, each with
    name, shape, strides and size; NotSaid, with a reason, where the fragment does not say it"""
    fragment, launched, renamed = fragment_of(code, kernel)
    names = {a['name']: n for a, n in zip(pointers, launched)}
    result = {'inputs': {}, 'code': [], 'outputs': {}}
    inputs_of(fragment, pointers, names, renamed, result)
    lines = Lines(fragment, result['inputs'])
    result['code'] = lines.code
    outputs_of(fragment, pointers, names, lines, result)
    return result


def outputs_of(fragment, pointers, names, lines, result):
    free = [n for n in fragment.returned if n in lines.known]
    for argument in reversed(pointers):
        if not re.match(r'(in_)?out_ptr', argument['name']):
            continue
        name = names[argument['name']]
        if name not in free:
            fitting = [n for n in free if shape_known(fragment, n, argument)]
            copied = [n for n, i in result['inputs'].items() if i['shape'] == argument['shape']]
            if fitting:
                name = fitting[-1]
            elif len(fragment.returned) == 1 and len(result['inputs']) == len(copied) == 1:
                name = copied[0]  # the same elements in other places
            else:
                reasons = [lines.lost[n] for n in fragment.returned if n in lines.lost]
                raise NotSaid((reasons or ['an output without a value: ' + argument['name']])[0])
        if name in free:
            free.remove(name)
        result['outputs'][argument['name']] = {
            'value': name, 'shape': argument['shape'], 'strides': argument['strides']
        }  # fmt: skip


def shape_known(fragment, name, argument):
    shape = fragment.shapes.get(name)
    return shape is None or elements(shape) == elements(argument['shape'])
