"""Attention that a user wrote out: products, scale, mask and softmax in the open.

What looks like it is stated as a call of scaled_dot_product_attention, and the prover is asked
whether both are equal for all sizes and values.  Where they are, the call takes the place of the
steps: it is then the step of attention that a call of the user's own is (attention_step.py), with
PyTorch's kernels and ours to choose from.  Where they are not, as with a mask by a large number,
which no call has, the steps are a part of their own all the same, for which a kernel may be found.
What is looked for is a proposal; nothing rests on it.
"""

import math
from dataclasses import dataclass, field

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily

from .attention_step import OPERATOR
from .errors import AssayError
from .moves import REPEATED, moved, unmoved, value_of, write
from .nodes import OF_ATTENTION, is_made_of_numbers, made, numbers_of
from .same_steps import proved_equal, region

aten = torch.ops.aten

# elements of a mask that is looked at to see whether it is causal
_MOST_OF_MASK = 1 << 24
_CASTS = (aten._to_copy.default,)
# what a mask by a number has in the place of minus infinity is at most
_FAR = -1e3


@dataclass
class _Written:
    """Attention as it was written out: products of `query`, `key` and `value`, moved tensors of
    which the leading extents are those of the scores."""

    query: object
    key: object
    value: object
    factor: float
    masks: list = field(default_factory=list)  # (node, whether it is of truths: where it counts)
    shared: bool = False  # whether heads share keys


def find_attention(graph):
    """Writes attention as steps of their own."""
    known, plain = {}, {}
    for node in graph.nodes:
        for table, repeated in ((known, True), (plain, False)):
            found = moved(node, table, repeated)
            if found is not None:
                table[node] = found
    for scores, weights in list(_softmaxes(graph)):
        last = _product_with(weights)
        found = last and _written(scores, last, known, plain)
        if found:
            _replace(graph, last, found)


def _softmaxes(graph):
    """Pairs (what a softmax along the last axis is of, its result)."""
    for node in graph.nodes:
        value = value_of(node)
        if value is None or value.dim() < 2:
            continue
        if node.target is aten._softmax.default and node.args[1] % value.dim() == value.dim() - 1:
            yield node.args[0], node
        elif node.target is aten.div.Tensor:
            scores = _divided_exponentials(node, value.dim() - 1)
            if scores is not None:
                yield scores, node


def _divided_exponentials(node, axis):
    """x of exp(x - max(x)) / sum(exp(x - max(x))), along the last axis."""
    above, below = node.args
    if not _is_along(below, aten.sum.dim_IntList, axis) or below.args[0] is not above:
        return None
    less = above.args[0] if _is(above, aten.exp.default) else None
    if not _is(less, aten.sub.Tensor):
        return None
    scores, most = less.args
    return scores if _is_along(most, aten.amax.default, axis) and most.args[0] is scores else None


def _is(node, *targets):
    return isinstance(node, torch.fx.Node) and node.target in targets


def _is_along(node, target, axis):
    if not _is(node, target) or len(node.args) < 3 or not node.args[2]:
        return False
    return [a % (axis + 1) for a in node.args[1]] == [axis]


def _product_with(weights):
    """The product of weights, of which nothing but the type and the shape is changed, with values:
    where it is all that is done with them."""
    node = weights
    while len(node.users) == 1:
        (user,) = node.users
        if _is(user, aten.bmm.default, aten.mm.default):
            return user if user.args[0] is node and user.args[1] is not node else None
        if not _is(user, *_CASTS) and moved(user, {}) is None:
            return None
        if value_of(user) is None or user.meta["val"].shape[-2:] != node.meta["val"].shape[-2:]:
            return None
        node = user
    return None


def _written(scores, last, known, plain):
    """What attention whose scores these are, masked and scaled, is of; None where it is not."""
    shape, factor, masks = scores.meta["val"].shape, 1.0, []
    node = scores
    while not _is(node, aten.bmm.default, aten.mm.default):
        taken = _taken_off(node)
        if taken is None or value_of(taken[0]) is None:
            return None
        before, mask, times = taken
        value = before.meta["val"]
        if value.shape[-2:] != shape[-2:] or value.numel() != node.meta["val"].numel():
            return None
        if mask is not None and (factor != 1.0 or node.meta["val"].shape != shape):
            return None
        masks += [] if mask is None else [mask]
        factor *= times
        if not masks and value.dim() > len(shape):
            shape = value.shape
        node = before
    return _of_products(node, last, shape, factor, masks, known, plain)


def _taken_off(node):
    """(what is masked, scaled, cast or seen in another shape by a node, the mask or None, the
    factor); None for what does something else."""
    if node.op != "call_function" or value_of(node) is None:
        return None
    if _is(node, *_CASTS) or moved(node, {}) is not None:
        return node.args[0], None, 1.0
    if _is(node, aten.mul.Tensor, aten.div.Tensor):
        times = _constant(node.args[1])
        if times is None or not math.isfinite(times) or times == 0:
            return None
        return node.args[0], None, times if node.target is aten.mul.Tensor else 1 / times
    if _is(node, aten.where.self):
        condition, *branches = node.args
        for place, how in ((1, "kept"), (0, "left out")):
            number = _constant(branches[place])
            if number is not None and number <= _FAR:
                far = how if number == -math.inf else "far"
                return branches[1 - place], (condition, far), 1.0
        return None
    if _is(node, aten.add.Tensor) and not node.kwargs:
        scores = [x for x in node.args if _comes_of_product(x)]
        if len(scores) == 1 and all(isinstance(x, torch.fx.Node) for x in node.args):
            (mask,) = (x for x in node.args if x is not scores[0])
            return scores[0], (mask, "added"), 1.0
    return None


def _comes_of_product(node):
    """Whether a chain of such steps leads to a product of two tensors."""
    while isinstance(node, torch.fx.Node) and not _is(node, aten.bmm.default, aten.mm.default):
        taken = _taken_off(node)
        if taken is None:
            return False
        node = taken[0]
    return isinstance(node, torch.fx.Node)


def _constant(x):
    """The number that an argument is: one of Python's, or a tensor made of one; else None."""
    if isinstance(x, (int, float)) and not isinstance(x, bool):
        return float(x)
    if _is(x, aten.scalar_tensor.default):
        return _constant(x.args[0])
    if _is(x, aten.full.default):
        return _constant(x.args[1])
    if _is(x, *_CASTS, aten.expand.default, aten.view.default):
        return _constant(x.args[0])
    return None


def _of_products(first, last, shape, factor, masks, known, plain):
    leading, rows, columns = shape[:-2], *shape[-2:]
    if not leading:
        return None  # one head of one sequence: PyTorch has no kernel for it
    width, values = first.args[0].meta["val"].shape[-1], last.args[1].meta["val"].shape[-1]

    def seen(node, *extents):
        """The tensor as one of those extents; heads that share it, once."""
        found = [(table.get(node) or unmoved(node)).viewed(extents) for table in (known, plain)]
        return [x and x for x in found]

    query = seen(first.args[0], *leading, rows, width)[1]
    turned = [x and x.permuted(_swapped(x)) for x in seen(first.args[1], *leading, width, columns)]
    value = seen(last.args[1], *leading, columns, values)
    shared = [_once(x) for x in (turned[0], value[0])]
    if query is None or None in (turned[1], value[1]):
        return None
    if all(shared) and shared[0][1] == shared[1][1]:
        key, value = (x for x, _ in shared)
        return _Written(query, key, value, factor, masks, shared=True)
    return _Written(query, turned[1], value[1], factor, masks)


def _swapped(x):
    axes = list(range(len(x.axes)))
    return [*axes[:-2], axes[-1], axes[-2]]


def _once(x):
    """(a tensor without its repetition along the axis of heads, how many times) where it is
    repeated there alone, each element so many times in a row; else None."""
    if x is None:
        return None
    heads = x.axes[-3]
    repeated = [atom for axis in x.axes for atom in axis if atom.axis == REPEATED]
    if len(repeated) != 1 or not heads or heads[-1] is not repeated[0]:
        return None
    axes = (*x.axes[:-3], heads[:-1], *x.axes[-2:])
    return type(x)(x.source, axes, x.copied), repeated[0].extent


# -- what takes its place ------------------------------------------------------------------------


def _replace(graph, last, found):
    reads = [found.query.source, found.key.source, found.value.source]
    reads += [mask for mask, _ in found.masks if not is_made_of_numbers(mask)]
    if not _is_alone(last, reads):
        return
    with graph.inserting_before(last):
        new = _called(graph, last, found)
    try:
        is_equal = new is not None and proved_equal(last, new, reads)
    except AssayError:
        is_equal = False
    if is_equal:
        last.replace_all_uses_with(new)
    else:
        _keep_together(last, region(last, reads))
    graph.eliminate_dead_code()


def _keep_together(last, steps):
    """Has the steps of attention stand beside each other, as what becomes one part."""
    within = set(steps)
    for step in steps:
        if step is not last and within.issuperset(step.users):
            last.prepend(step)
            step.meta[OF_ATTENTION] = last
    last.meta[OF_ATTENTION] = last


def _called(graph, last, found):
    """A node of the call, in the shape of the last product; None where it has no such call."""
    tensors = [write(graph, last, x) for x in (found.query, found.key, found.value)]
    types = {x.meta["val"].dtype for x in (*tensors, last)}
    if len(types) != 1 or not types.pop().is_floating_point:
        return None
    mask, is_causal = _mask(graph, last, found, tensors)
    if mask is _NONE:
        return None
    new = made(graph, last, OPERATOR, *tensors, mask, is_causal, found.factor, found.shared)
    shape = last.meta["val"].shape
    if new.meta["val"].shape != shape:
        new = made(graph, last, aten.reshape.default, new, list(shape))
    return new


_NONE = object()


def _mask(graph, last, found, tensors):
    """(the mask of a call or None, whether it is causal); (_NONE, _) where no call has it."""
    kept, added = [], []
    for mask, how in found.masks:
        if how == "far":
            return _NONE, False
        if how == "added":
            added.append(mask)
        elif how == "left out":
            kept.append(made(graph, last, aten.logical_not.default, mask))
        else:
            kept.append(mask)
    while len(kept) > 1:
        kept[:2] = [made(graph, last, aten.logical_and.default, *kept[:2])]
    if len(added) > 1 or (kept and added):
        return _NONE, False
    if found.masks and _is_causal(*kept, *added, [t.meta["val"].shape[-2] for t in tensors[:2]]):
        return None, True
    if added and added[0].meta["val"].dtype != tensors[0].meta["val"].dtype:
        return _NONE, False
    return next(iter((*kept, *added)), None), False


def _is_causal(mask, extents):
    """Whether a mask, of truths or added, is made of numbers, and leaves out the keys behind each
    query."""
    numbers = numbers_of(mask, {}, _MOST_OF_MASK)
    if numbers is None:
        return False
    with unset_fake_temporarily():
        left_out = ~numbers if numbers.dtype == torch.bool else numbers == -math.inf
        causal = torch.ones(extents, dtype=torch.bool).tril()
        is_mask = numbers.dtype == torch.bool or bool((left_out | (numbers == 0)).all())
        alike = left_out.shape[-2:] == causal.shape
        return is_mask and alike and bool((left_out != causal).all())


def _is_alone(last, reads):
    """Whether what lies between these and the last product is read by nothing else, so that it
    need not be computed any more."""
    steps = region(last, reads)
    return all(
        user in steps or is_made_of_numbers(step) or _is_move(step)
        for step in steps
        if step is not last
        for user in step.users
    )


def _is_move(node):
    return moved(node, {}, repeated=True) is not None
