"""What is written otherwise in a graph before it is divided into islands."""

import torch

from .attention_found import find_attention
from .masking import guard_what_is_left_out
from .moves import bring_together
from .nodes import made, numbers_of

# fewer tensors than these side by side are not worth to be one
_LEAST_SHARED = 2


# positions that are evaluated here, and as how many stretches of neighbours they are written
_MOST_POSITIONS, _MOST_STRETCHES = 1 << 16, 4

aten = torch.ops.aten


def prepare(graph):
    """Writes parts of a graph as what is easier to certify and cheaper to run."""
    for node in list(graph.nodes):
        if str(node.target) == "aten._assert_tensor_metadata.default":
            graph.erase_node(node)  # each tensor of an exported graph is of one type
    find_attention(graph)
    bring_together(graph)
    guard_what_is_left_out(graph)
    write_positions_as_parts(graph)
    share_concatenations(graph)


# -- tensors side by side ------------------------------------------------------------------------


def _is_concatenation(node):
    return node.op == "call_function" and str(node.target) == "aten.cat.default"


def _axis(node):
    axis = node.args[1] if len(node.args) > 1 else node.kwargs.get("dim", 0)
    return axis % node.meta["val"].dim()


def _plain(node):
    """Whether all that is put side by side are tensors of the result's type and number of axes."""
    result = node.meta.get("val")
    parts = [part.meta.get("val") for part in node.args[0]]
    return isinstance(result, torch.Tensor) and all(
        isinstance(part, torch.Tensor) and part.dtype == result.dtype and part.dim() == result.dim()
        for part in parts
    )


def share_concatenations(graph):
    """Tensors side by side that begin or end with those of an earlier node are that node and the
    rest.  Where each layer reads all that was computed before it, a layer's inputs are then two and
    not as many as there are layers, and its kernels write no tensor again."""
    earlier = []  # the axis, the tensors side by side, and the node
    for node in graph.nodes:
        if not _is_concatenation(node) or not _plain(node):
            continue
        axis, parts = _axis(node), list(node.args[0])
        found = max(
            (other for other in earlier if other[0] == axis and _is_in(other[1], parts)),
            key=lambda other: len(other[1]),
            default=None,
        )
        earlier.append((axis, parts, node))
        if found is not None:
            _, shared, whole = found
            at_front = parts[: len(shared)] == shared
            rest = parts[len(shared) :] if at_front else parts[: -len(shared)]
            node.args = ([whole, *rest] if at_front else [*rest, whole], axis)
            node.kwargs = {}


def _is_in(some, parts):
    """Do they stand at either end of the parts, which are more?"""
    if not _LEAST_SHARED <= len(some) < len(parts):
        return False
    return some in (parts[: len(some)], parts[-len(some) :])


# -- positions that are the same in each call ----------------------------------------------------


def write_positions_as_parts(graph):
    """Elements at positions that are made of constants alone and are a few stretches of neighbours
    are these parts, side by side: `torch.roll` asks for the positions (i + shift) mod n."""
    for node in list(graph.nodes):
        found = _taken_at(node)
        if found is None:
            continue
        x, axis, at = found
        size = x.meta["val"].shape[axis]
        stretches = _stretches(numbers_of(at, {}, _MOST_POSITIONS), size)
        if not stretches or len(stretches) > _MOST_STRETCHES:
            continue
        with graph.inserting_before(node):
            parts = [made(graph, node, aten.slice.Tensor, x, axis, *ends) for ends in stretches]
            if len(parts) > 1:
                parts = [made(graph, node, aten.cat.default, parts, axis)]
        node.replace_all_uses_with(parts[0])
        _erase(graph, node)


def _taken_at(node):
    """(x, axis, positions) of a node that takes elements along one axis at a vector of
    positions."""
    target = str(node.target)
    if target == "aten.index_select.default":
        x, axis, at = node.args
    elif target == "aten.index.Tensor":
        x, positions = node.args
        places = [place for place, each in enumerate(positions) if each is not None]
        if len(places) != 1:
            return None
        (axis,) = places
        at = positions[axis]
    else:
        return None
    tensors = [n.meta.get("val") for n in (x, at)]
    if not all(isinstance(t, torch.Tensor) for t in tensors) or tensors[1].dim() != 1:
        return None
    if tensors[0].dim() == 0:
        return None
    extents = (*tensors[0].shape, *tensors[1].shape)
    if not all(isinstance(e, int) for e in extents) or tensors[1].dtype == torch.bool:
        return None
    return x, axis % tensors[0].dim(), at


def _stretches(at, size):
    """Positions along an axis as pairs (first, behind the last) of neighbours; None where they are
    unknown, too many, or no positions."""
    if at is None or at.numel() == 0:
        return None
    positions = [p + size if p < 0 else p for p in at.tolist()]
    if not all(0 <= p < size for p in positions):
        return None
    stretches = []
    for p in positions:
        if stretches and stretches[-1][1] == p:
            stretches[-1][1] += 1
        else:
            stretches.append([p, p + 1])
    return stretches


def _erase(graph, node):
    """Takes out a node that nothing reads any more, and what was made for it alone."""
    sources = node.all_input_nodes
    graph.erase_node(node)
    for source in sources:
        if source.op == "call_function" and not source.users:
            _erase(graph, source)
