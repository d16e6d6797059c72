"""What is computed only to be left out: torch.where(x > 0, torch.log(x), 0).

A program of Assay's is defined where all of its operators are, also those whose results a choice
leaves out; PyTorch's functions go on with NaN or an infinity there, and then leave it out.  So that
a program is defined where PyTorch's function gives numbers, such an operator is given 1 where the
choice leaves its result out: torch.where(x > 0, torch.log(torch.where(x > 0, x, 1)), 0).
"""

import math

import torch

from .nodes import made

aten = torch.ops.aten

# operators that are not defined everywhere, and the argument that says where
_PARTIAL = {
    aten.log.default: 0,
    aten.log2.default: 0,
    aten.log10.default: 0,
    aten.log1p.default: 0,
    aten.sqrt.default: 0,
    aten.rsqrt.default: 0,
    aten.reciprocal.default: 0,
    aten.div.Tensor: 1,
    aten.pow.Tensor_Scalar: 0,
}
# of tensors of numbers, nowhere
_NEVER = (aten.isnan.default, aten.isinf.default)
# results of a choice are followed back through at most so many operators
_MOST_STEPS = 64


def guard_what_is_left_out(graph):
    """Writes such operators of an exported graph as above; a graph of which that was done stays."""
    place = {node: i for i, node in enumerate(graph.nodes)}
    for choice in [node for node in graph.nodes if node.target is aten.where.self]:
        for branch in (1, 2):
            for partial in _left_out(choice, branch, place):
                _guard(graph, choice.args[0], branch == 1, partial, place)


def _is_pointwise(node):
    target = node.target
    return node.op == "call_function" and torch.Tag.pointwise in getattr(target, "tags", ())


def _is_partial(node):
    if node.target is aten.pow.Tensor_Scalar:
        return not (isinstance(node.args[1], int) and node.args[1] >= 0)
    return node.target in _PARTIAL


def _shape(node):
    value = node.meta.get("val")
    return value.shape if isinstance(value, torch.Tensor) else None


def _left_out(choice, branch, place):
    """Partial operators that only one branch of a choice wants, element by element."""
    wanted, found = {choice}, []
    left = [choice.args[branch]]
    while left and len(wanted) < _MOST_STEPS:
        node = max(left, key=lambda n: place.get(n, -1) if isinstance(n, torch.fx.Node) else -1)
        left.remove(node)
        if not isinstance(node, torch.fx.Node) or node in wanted or not _is_pointwise(node):
            continue
        elsewhere = any(node is choice.args[i] for i in range(3) if i != branch)
        if elsewhere or _shape(node) != _shape(choice) or any(u not in wanted for u in node.users):
            continue
        wanted.add(node)
        found += [node] if _is_partial(node) else []
        left += node.all_input_nodes
    return found


def _sources(node, most=_MOST_STEPS):
    """The node and what it is made of element by element."""
    found, left = set(), [node]
    while left and len(found) < most:
        node = left.pop()
        if node not in found:
            found.add(node)
            left += node.all_input_nodes if _is_pointwise(node) else []
    return found


# operators whose results are at least 0, and those whose results are more
_NOT_NEGATIVE = ("relu", "abs", "sqrt", "square")
_POSITIVE = ("exp", "sigmoid")


def _least(x):
    """The least that a number or the elements of a tensor may be, and whether they are more: as far
    as the operator that computes them says it."""
    if isinstance(x, (int, float)):
        return x, False
    if not isinstance(x, torch.fx.Node) or x.op != "call_function":
        return -math.inf, False
    name = str(x.target).split(".")[-2:][0]
    arguments = x.args
    if name in _POSITIVE:
        return 0, True
    if name in _NOT_NEGATIVE or (name == "mul" and arguments[0] is arguments[1]):
        return 0, False
    if name == "add" and not x.kwargs:
        (left, more), (right, or_more) = map(_least, arguments)
        return left + right, more or or_more
    return -math.inf, False


def _is_defined(partial, argument):
    """Whether the operator is defined for all that its argument may be."""
    least, more = _least(argument)
    if partial.target is aten.sqrt.default:
        return least >= 0
    bound = -1 if partial.target is aten.log1p.default else 0
    return least > bound or (more and least == bound)


def _guard(graph, condition, kept, partial, place):
    """Gives a partial operator 1 where the condition says that its result is left out.  Left as it
    is where the condition is of other things than its argument: it then says nothing about that."""
    argument = partial.args[_PARTIAL[partial.target]]
    if not isinstance(argument, torch.fx.Node) or not isinstance(condition, torch.fx.Node):
        return
    if condition.target in _NEVER or _is_guarded(argument, condition):
        return
    if _is_defined(partial, argument):
        return
    sources = _sources(condition)
    if partial in sources or not _computed(sources & _sources(argument)):
        return
    later = [node for node in sources if place.get(node, -1) > place[partial]]
    if not all(map(_is_pointwise, later)):
        return
    for node in sorted(later, key=place.get):
        partial.prepend(node)
        place[node] = place[partial]
    with graph.inserting_before(partial):
        value = argument.meta["val"]
        one = made(graph, partial, aten.full.default, [], 1, dtype=value.dtype, device=value.device)
        branches = (argument, one) if kept else (one, argument)
        guarded = made(graph, partial, aten.where.self, condition, *branches)
    place[one] = place[guarded] = place[partial]
    arguments = list(partial.args)
    arguments[_PARTIAL[partial.target]] = guarded
    partial.args = tuple(arguments)


def _is_guarded(argument, condition):
    while argument.target is aten.where.self and argument.args[0] is not condition:
        branches = [n for n in argument.args[1:] if isinstance(n, torch.fx.Node)]
        argument = next((n for n in branches if n.target is not aten.full.default), None)
        if argument is None:
            return False
    return argument.target is aten.where.self


def _computed(nodes):
    """Those that are tensors of several elements: numbers have everything in common."""
    return [node for node in nodes if _shape(node)]
