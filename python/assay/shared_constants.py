"""Tensors that two functions bring along, as an optimizer leaves them: those of one that the other
computes of its own.

A model's constants are known values.  What an optimizer made of them (transposed, joined, computed
once and for all) is found by its numbers: a constant of one graph that has the numbers of what the
other computes of constants alone is stated as that, so that both graphs speak of the same tensors.
What is stated is then looked at by nobody's word but the numbers': where they differ by rounding,
the verdict names the constant.
"""

import itertools
import math

import torch

from .nodes import made

aten = torch.ops.aten
_KINDS = torch.export.graph_signature.InputKind
# of axes that may stand in another order, and elements of which orders are tried
_MOST_AXES, _MOST_ELEMENTS = 4, 1 << 22
# how far two numbers of a type may be apart, where one was computed as the other
_ROUNDING = {torch.float64: 1e-14, torch.float32: 1e-6, torch.float16: 2e-3, torch.bfloat16: 2e-2}


def share(first, second):
    """States constants of each of two exported programs by those of the other where it can.  Gives
    in words those that differ from what they are stated as, by rounding."""
    rounded = []
    for ours, theirs in ((first, second), (second, first)):
        known = _of_constants(theirs)
        for node, spec in _constants(ours):
            value = ours.constants[spec.target]
            if is_uniform(value) or any(_same(value, v) for n, v in known if n.op == "placeholder"):
                continue
            found = _source(value, known)
            if found is not None:
                source, change, exact = found
                _state(ours, theirs, node, source, change)
                if not exact:
                    rounded.append(
                        f"{spec.target} is what the other function computes of its constants; it"
                        " differs from that by rounding"
                    )
    return rounded


def is_uniform(value):
    """Are all elements of a constant the same number?"""
    return value.numel() > 0 and bool((value == value.reshape(-1)[0]).all())


def _constants(exported):
    """Placeholders of the tensors that a function brings along, with what is said of them."""
    places = {node.name: node for node in exported.graph_module.graph.nodes}
    for spec in list(exported.graph_signature.input_specs):
        if spec.kind == _KINDS.CONSTANT_TENSOR and spec.arg.name in places:
            yield places[spec.arg.name], spec


def _of_constants(exported):
    """The nodes of a graph that are constants, or computed of constants alone, with their values;
    those computed first."""
    values = {node: exported.constants[spec.target] for node, spec in _constants(exported)}
    for node in exported.graph_module.graph.nodes:
        inputs = node.all_input_nodes
        if node.op != "call_function" or not inputs or any(n not in values for n in inputs):
            continue
        arguments, keywords = torch.fx.node.map_arg((node.args, node.kwargs), values.__getitem__)
        with torch.no_grad():
            values[node] = node.target(*arguments, **keywords)
    tensors = [(n, v) for n, v in values.items() if isinstance(v, torch.Tensor)]
    return sorted(tensors, key=lambda pair: pair[0].op == "placeholder")


def _same(x, y):
    return x.dtype == y.dtype and x.shape == y.shape and torch.equal(x, y)


def _source(value, known):
    """The node whose value a constant is, a change of layout of it (None, or a permutation), and
    whether the numbers are exactly the same; None where there is no such node."""
    alike = [(n, v) for n, v in known if v.dtype == value.dtype and v.numel() == value.numel()]
    for node, other in alike:
        if _same(other, value):
            return node, None, True
    for node, other in alike:
        if other.dim() <= _MOST_AXES and value.numel() <= _MOST_ELEMENTS:
            for order in itertools.permutations(range(other.dim())):
                if torch.equal(other.permute(order).reshape(value.shape), value):
                    return node, order, True
    tolerance = _ROUNDING.get(value.dtype)
    for node, other in alike:
        if tolerance and node.op != "placeholder" and other.shape == value.shape:
            if float((other - value).abs().max()) <= tolerance * float(value.abs().max()):
                return node, None, False
    return None


def _state(ours, theirs, constant, source, order):
    """Writes in our graph, for a constant, what their graph computes as `source`."""
    graph = ours.graph_module.graph
    copies = {}
    with graph.inserting_before(constant):
        for node in _before(source):
            if node.op == "placeholder":
                copies[node] = _placeholder(ours, theirs, node)
    first = next(node for node in graph.nodes if node.op != "placeholder")
    with graph.inserting_before(first):
        for node in _before(source):
            if node.op != "placeholder":
                copies[node] = graph.node_copy(node, copies.__getitem__)
        result = copies[source]
        if order is not None:
            result = _laid(graph, result, order, constant)
    constant.replace_all_uses_with(result)
    graph.erase_node(constant)
    specs = ours.graph_signature.input_specs
    specs[:] = [spec for spec in specs if spec.arg.name != constant.name]
    ours.graph_module.recompile()


def _laid(graph, node, order, constant):
    """The node with its axes in an order, in the extents of the constant."""
    value, wanted = node.meta["val"], list(constant.meta["val"].shape)
    if list(order) != sorted(order):
        node = made(graph, node, aten.permute.default, node, list(order))
    if list(node.meta["val"].shape) != wanted:
        node = made(graph, node, aten.view.default, _row_by_row(graph, node), wanted)
    assert node.meta["val"].numel() == math.prod(wanted) == value.numel()
    return node


def _row_by_row(graph, node):
    if node.meta["val"].is_contiguous():
        return node
    form = torch.contiguous_format
    return made(graph, node, aten.clone.default, node, memory_format=form)


def _before(node):
    """The node and all that it is computed of, in their order."""
    needed, left = set(), [node]
    while left:
        each = left.pop()
        if each not in needed:
            needed.add(each)
            left += each.all_input_nodes
    return [each for each in node.graph.nodes if each in needed]


def _placeholder(ours, theirs, node):
    """Their constant, as one of ours."""
    spec = next(s for s in theirs.graph_signature.input_specs if s.arg.name == node.name)
    value = theirs.constants[spec.target]
    for known, known_spec in _constants(ours):
        if _same(ours.constants[known_spec.target], value):
            return known
    graph, name = ours.graph_module.graph, f"{spec.target}_"
    while name in ours.constants:
        name += "_"
    copy = graph.placeholder(f"c_{node.name}")
    copy.meta = dict(node.meta)
    ours.constants[name] = value
    argument = torch.export.graph_signature.TensorArgument(name=copy.name)
    new = torch.export.graph_signature.InputSpec(spec.kind, argument, name, spec.persistent)
    places = [n.name for n in graph.nodes if n.op == "placeholder"]
    ours.graph_signature.input_specs.insert(places.index(copy.name), new)
    return copy
