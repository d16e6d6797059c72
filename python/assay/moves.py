"""Moves of elements that come to nothing, or cost less elsewhere.

PyTorch's modules turn tensors to and fro: nn.MultiheadAttention exchanges batch and sequence before
its projections and again behind them, and writes a copy each time.  Views, permutations and copies
that follow each other are at most one view, one permutation and one view here, of which few are
copies; a permutation of the rows of a matrix product is one of its result, where the next moves
often undo it; and a bias that is added to a product's result is the product's own.

Each move is a bijection of places, which is followed exactly: a tensor is its source's axes, divided
into *atoms*, in another order.
"""

from collections import Counter
from dataclasses import dataclass

import torch

from .nodes import made

aten = torch.ops.aten

# what PyTorch raises where a tensor cannot be viewed in another shape
_NO_VIEW = (RuntimeError, ValueError)

_COPIES = (aten.clone.default,)
_RESHAPED = (aten.view.default, aten._unsafe_view.default, aten.reshape.default)
_SAME_ELEMENTS = (aten.unsqueeze.default, aten.squeeze.default, aten.squeeze.dim)
_SAME_ELEMENTS += (aten.squeeze.dims, aten.alias.default, aten.detach.default)
_SAME_ELEMENTS += (*_RESHAPED, *_COPIES)


# the axis of an atom along which elements are repeated
REPEATED = -1


@dataclass(frozen=True)
class Atom:
    """A factor of an axis: `extent` places, `step` apart along it."""

    axis: int
    step: int
    extent: int


@dataclass(frozen=True)
class Moved:
    """A tensor that is another one's elements, moved: each of its axes is a list of atoms of the
    source's, the last the fastest."""

    source: torch.fx.Node
    axes: tuple
    copied: bool = False  # whether one of the moves is a copy

    @property
    def shape(self):
        return [_product(axis) for axis in self.axes]

    def viewed(self, shape, copied=False):
        """The same elements in another shape; None where an extent divides none of the atoms."""
        left = [atom for axis in reversed(self.axes) for atom in reversed(axis)]
        axes = []
        for extent in shape:
            axis = []
            while extent > 1:
                if not left:
                    return None
                atom = left.pop()
                if extent % atom.extent == 0:
                    axis.append(atom)
                    extent //= atom.extent
                elif atom.extent % extent == 0:
                    inner = atom.extent // extent
                    axis.append(Atom(atom.axis, atom.step * inner, extent))
                    left.append(Atom(atom.axis, atom.step, inner))
                    extent = 1
                else:
                    return None
            axes.append(tuple(axis))
        return None if left else Moved(self.source, tuple(axes), self.copied or copied)

    def permuted(self, order):
        return Moved(self.source, tuple(self.axes[axis] for axis in order), self.copied)

    def steps(self):
        """(shape of a view of the source, a permutation, shape of a view of that) that make it; the
        permutation is None where nothing is permuted."""
        axes = [_joined(axis) for axis in self.axes]
        atoms = [atom for axis in axes for atom in axis]
        order = sorted(range(len(atoms)), key=lambda k: (atoms[k].axis, -atoms[k].step))
        split = [atoms[k].extent for k in order]
        places = [order.index(k) for k in range(len(atoms))]
        return split, None if places == sorted(places) else places, self.shape


def _product(atoms):
    extent = 1
    for atom in atoms:
        extent *= atom.extent
    return extent


def _joined(atoms):
    """Neighbours that are one stretch of an axis as one."""
    result = []
    for atom in atoms:
        last = result[-1] if result else None
        if last and last.axis == atom.axis and last.step == atom.step * atom.extent:
            result[-1] = Atom(atom.axis, atom.step, last.extent * atom.extent)
        else:
            result.append(atom)
    return tuple(result)


def value_of(node):
    """The tensor of a node whose extents are numbers, and not 0; else None."""
    value = node.meta.get("val") if isinstance(node, torch.fx.Node) else None
    if not isinstance(value, torch.Tensor) or not all(isinstance(n, int) for n in value.shape):
        return None
    return value if value.numel() else None


def unmoved(node):
    """A tensor as itself."""
    extents = enumerate(node.meta["val"].shape)
    axes = tuple((Atom(axis, 1, extent),) if extent > 1 else () for axis, extent in extents)
    return Moved(node, axes)


def _order(node):
    """The permutation of axes that a node makes, or None."""
    axes = node.meta["val"].dim()
    if node.target is aten.permute.default:
        return [axis % axes for axis in node.args[1]]
    if node.target is aten.t.default:
        return list(reversed(range(axes)))
    if node.target is aten.transpose.int:
        order = list(range(axes))
        first, second = (axis % axes for axis in node.args[1:])
        order[first], order[second] = order[second], order[first]
        return order
    return None


def moved(node, known, repeated=False):
    """What a node is of another's elements, where it only moves them; `known` says so of its
    source.  With `repeated` elements may be repeated along new axes, which are no source's."""
    source = node.args[0] if node.args else None
    if node.op != "call_function" or value_of(node) is None or value_of(source) is None:
        return None
    before = known.get(source) or unmoved(source)
    order = _order(node)
    if order is not None:
        return before.permuted(order)
    if repeated and node.target is aten.expand.default:
        return _expanded(before, node.meta["val"].shape)
    if node.target not in _SAME_ELEMENTS and not _expands_nothing(node):
        return None
    shape, copied = node.meta["val"].shape, node.target in _COPIES
    return before.viewed(shape, copied) or unmoved(source).viewed(shape, copied)


def _expanded(before, shape):
    new = len(shape) - len(before.axes)
    axes = []
    for extent, axis in zip(shape, [*[()] * new, *before.axes]):
        is_new = extent > 1 and not axis
        axes.append((Atom(REPEATED, 1, extent),) if is_new else axis)
    return Moved(before.source, tuple(axes), before.copied)


def _expands_nothing(node):
    is_expansion = node.target is aten.expand.default
    return is_expansion and node.meta["val"].shape == node.args[0].meta["val"].shape


def write(graph, like, wanted):
    """A node that is a source's elements so moved, of the user's line of another."""
    split, order, shape = wanted.steps()
    node = wanted.source
    if order is not None:
        node = _viewed(graph, like, node, split)
        node = made(graph, like, aten.permute.default, node, order)
    return _viewed(graph, like, node, shape)


def _viewed(graph, like, node, shape):
    if list(node.meta["val"].shape) == list(shape):
        return node
    if not _is_viewable(node.meta["val"], shape):
        node = _copied(graph, like, node)
    return made(graph, like, aten.view.default, node, list(shape))


def _copied(graph, like, source):
    contiguous = torch.contiguous_format
    return made(graph, like, aten.clone.default, source, memory_format=contiguous)


# -- the graph -----------------------------------------------------------------------------------


def bring_together(graph):
    """Writes moves that are copies so."""
    _write_as_matrices(graph)
    _fold_biases(graph)
    _Moves(graph).bring_together()
    graph.eliminate_dead_code(is_impure_node=_is_kept)


def _is_kept(node):
    """Whether a node that nobody reads stays: what only moves elements does not."""
    return node.op != "call_function" or node.target not in (*_SAME_ELEMENTS, *_OTHERS)


_OTHERS = (aten.permute.default, aten.t.default, aten.transpose.int, aten.expand.default)
_OTHERS += (aten.mm.default, aten.addmm.default, aten.bmm.default)


class _Moves:
    def __init__(self, graph):
        self._graph = graph
        self._known = {}  # Moved, of nodes that are
        self._written = {}  # the node that a moved one was written as
        self._changed = {}  # nodes that lie in memory otherwise than they did, and how they did

    def bring_together(self):
        for node in list(self._graph.nodes):
            if node.op == "output":
                self._write_results(node)
                continue
            self._renew(node)
            found = moved(node, self._known)
            if found is not None:
                self._known[node] = found
                continue
            if not self._turn_rows(node):
                self._replace_sources(node, node.all_input_nodes)

    def _renew(self, node):
        """Finds how a node's tensor lies in memory where that of a source has changed."""
        if not any(source in self._changed for source in node.all_input_nodes):
            return
        arguments = torch.fx.node.map_arg((node.args, node.kwargs), lambda n: n.meta["val"])
        before = node.meta.get("val")
        try:
            node.meta["val"] = node.target(*arguments[0], **arguments[1])
        except _NO_VIEW:
            if node.target not in _RESHAPED:
                return
            with self._graph.inserting_before(node):
                copy = _copied(self._graph, node, node.args[0])
            self._known[copy] = moved(copy, self._known)
            node.replace_input_with(node.args[0], copy)
            node.meta["val"] = node.target(copy.meta["val"], *arguments[0][1:])
        before = self._changed.pop(node, before)
        if _lies_otherwise(before, node.meta["val"]):
            self._changed[node] = before

    def _replace_sources(self, node, sources):
        for source in sources:
            is_moved = self._known.get(source)
            if is_moved is not None and is_moved.copied:
                new = self._as_written(node, source)
                if new is not source:
                    node.replace_input_with(source, new)
                    self._renew(node)

    def _as_written(self, user, node):
        """The node of a moved tensor, in as few moves as it takes, in front of a user of it."""
        if node not in self._written:
            with self._graph.inserting_before(user):
                new = write(self._graph, node, self._known[node])
            self._written[node] = new
            if _lies_otherwise(node.meta["val"], new.meta["val"]):
                self._changed[new] = node.meta["val"]
        return self._written[node]

    # -- rows of products

    def _turn_rows(self, node):
        """Has a product's rows in the order in which they lie in memory, where they are copied to
        be in another, and its result in that other; whether it was done."""
        place = {aten.mm.default: 0, aten.addmm.default: 1}.get(node.target)
        if place is None or value_of(node) is None:
            return False
        rows = self._known.get(node.args[place])
        if rows is None or not rows.copied or not _is_copied_to_be(rows):
            return False
        if place and node.args[0].meta["val"].dim() == 2 and node.args[0].meta["val"].shape[0] > 1:
            return False  # what is added has rows of its own
        strides = rows.source.meta["val"].stride()
        lying = sorted(rows.axes[0], key=lambda atom: -strides[atom.axis] * atom.step)
        if lying == list(rows.axes[0]):
            return False
        with self._graph.inserting_before(node):
            wanted = Moved(rows.source, (tuple(lying), rows.axes[1]))
            turned = write(self._graph, node, wanted)
            others = [a for a in node.all_input_nodes if a is not node.args[place]]
            self._replace_sources(node, others)
            arguments = list(node.args)
            arguments[place] = turned
            product = made(self._graph, node, node.target, *arguments, **node.kwargs)
        step, atoms = 1, {}
        for atom in reversed(lying):
            atoms[atom] = Atom(0, step, atom.extent)
            step *= atom.extent
        columns = unmoved(product).axes[1]
        turned_back = tuple(atoms[atom] for atom in rows.axes[0])
        self._known[node] = Moved(product, (turned_back, columns), copied=True)
        return True

    # -- results

    def _write_results(self, output):
        """Results are tensors of their own, that lie as they did, or row by row."""
        memories = Counter(map(_memory_of, output.all_input_nodes))
        for node in output.all_input_nodes:
            before, new = self._changed.get(node, node.meta.get("val")), node
            known = self._known.get(node)
            if known is not None and known.copied:
                new = self._as_written(output, node)
                memories[_memory_of(new)] += 1
            if not isinstance(before, torch.Tensor):
                continue
            memory = _memory_of(new)
            its_own = new is node or (memory.op == "call_function" and memories[memory] == 1)
            is_row_by_row = new.meta["val"].is_contiguous()
            if not its_own or not (is_row_by_row or not _lies_otherwise(before, new.meta["val"])):
                if not before.is_contiguous():
                    continue
                with self._graph.inserting_before(output):
                    new = _copied(self._graph, node, new)
            output.replace_input_with(node, new)


def _is_viewable(value, shape):
    try:
        value.view(shape)
        return True
    except _NO_VIEW:
        return False


def _is_copied_to_be(wanted):
    """Whether PyTorch has to copy the source for it."""
    split, order, shape = wanted.steps()
    value = wanted.source.meta["val"]
    if order is not None:
        value = value.reshape(split).permute(order)
    return not _is_viewable(value, shape)


def _lies_otherwise(one, other):
    if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
        return False
    return _lying(one) != _lying(other)


def _lying(tensor):
    """How a tensor lies in memory: strides of axes of one element say nothing."""
    steps = zip(tensor.shape, tensor.stride())
    return [step for extent, step in steps if extent != 1], tensor.storage_offset()


def _memory_of(node):
    """The node in whose memory a view lies."""
    while node.op == "call_function":
        schema = getattr(node.target, "_schema", None)
        is_view = schema is not None and any(r.alias_info is not None for r in schema.returns)
        if not is_view or not node.all_input_nodes:
            break
        node = node.all_input_nodes[0]
    return node


# -- products of batches ------------------------------------------------------------------------


def _write_as_matrices(graph):
    """A product of a batch of matrices with one matrix, repeated for each, is one product of all
    rows."""
    known = {}
    for node in list(graph.nodes):
        found = moved(node, known, repeated=True)
        if found is not None:
            known[node] = found
        if node.target is aten.bmm.default and value_of(node) is not None:
            matrix = _repeated_matrix(known.get(node.args[1]))
            if matrix is not None:
                _write_as_matrix(graph, node, matrix)


def _repeated_matrix(batch):
    """The matrix that all of a batch are, or None."""
    if batch is None or not batch.axes[0]:
        return None
    times, *axes = ([atom.axis == REPEATED for atom in axis] for axis in batch.axes)
    if not all(times) or any(map(any, axes)):
        return None
    return Moved(batch.source, batch.axes[1:], batch.copied)


def _write_as_matrix(graph, node, matrix):
    count, rows, columns = node.meta["val"].shape
    with graph.inserting_before(node):
        left = _viewed(graph, node, node.args[0], [count * rows, node.args[0].meta["val"].shape[2]])
        product = made(graph, node, aten.mm.default, left, write(graph, node, matrix))
        whole = made(graph, node, aten.view.default, product, [count, rows, columns])
    node.replace_all_uses_with(whole)
    graph.erase_node(node)


# -- biases --------------------------------------------------------------------------------------


def _fold_biases(graph):
    """A vector that is added to each row of a product's result, which nothing else reads, is added
    by the product: addmm."""
    for node in list(graph.nodes):
        if node.target is not aten.add.Tensor or node.kwargs or value_of(node) is None:
            continue
        for x, bias in (node.args, reversed(node.args)):
            product = _product_of_rows(x)
            if product is not None and _is_vector_of(bias, product, node):
                _fold(graph, node, product, bias)
                break


def _product_of_rows(node):
    """The product whose result, seen in another shape with the same last axis, a node is; None
    where something else reads it."""
    while value_of(node) is not None and len(node.users) == 1:
        if node.target is aten.mm.default:
            return node
        if node.target not in (aten.view.default, aten._unsafe_view.default):
            return None
        node, seen = node.args[0], node
        if value_of(node) is None or node.meta["val"].shape[-1:] != seen.meta["val"].shape[-1:]:
            return None
    return None


def _is_vector_of(bias, product, result):
    value, whole = value_of(bias), product.meta["val"]
    if value is None or result.meta["val"].dtype != whole.dtype:
        return False
    return value.dtype == whole.dtype and value.shape == whole.shape[1:]


def _fold(graph, node, product, bias):
    with graph.inserting_before(node):
        new = made(graph, node, aten.addmm.default, bias, *product.args)
        if new.meta["val"].shape != node.meta["val"].shape:
            new = made(graph, node, aten.view.default, new, list(node.meta["val"].shape))
    node.replace_all_uses_with(new)
    graph.erase_node(node)
    graph.eliminate_dead_code(is_impure_node=_is_kept)
