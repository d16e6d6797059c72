"""Rows of the table for casts, constants, layouts, reductions, products and normalisations."""

import math
from dataclasses import replace

import torch

from .errors import Unsupported
from .indexing import place_of_extremum
from .table import row
from .values import Masked, Value, number

# -- what leaves the numbers as they are --------------------------------------------------------


@row(
    "alias.default",
    "clone.default",
    "detach.default",
    "lift_fresh_copy.default",
    "contiguous.default",
)
def _same(t, x, memory_format=None):
    return x


@row("dropout.default")
def _dropout(t, x, probability, training):
    if training and probability != 0:
        raise Unsupported("aten.dropout", "in training mode: random numbers have no equation")
    return x


def check_rounds(t, dtype, *values):
    """Unsupported where floats become integers: what that leaves of them has no row."""
    if dtype is not None and not dtype.is_floating_point and "float" in map(t.kind, values):
        raise Unsupported(t.operator, "rounds a float to an integer")


@row("_to_copy.default")
def _cast(
    t,
    x,
    dtype=None,
    layout=None,
    device=None,
    pin_memory=None,
    non_blocking=False,
    memory_format=None,
):
    if dtype is None:
        return x
    if dtype.is_complex:
        raise Unsupported("aten._to_copy", "to complex numbers")
    return x  # of the kind that the result has: Translator.as_kind


@row("copy.default")
def _copy(t, x, source, non_blocking=False):
    source = t.as_kind(t.tensor(source), x.dtype)
    return t.on_both(source, lambda part: t.layouts.expand(part, x.extents))


# -- constants ----------------------------------------------------------------------------------


@row("full.default")
def _full(t, extents, fill, **_):
    fill = t.fill(fill)
    return t.constant(fill, t.size_list(extents), t.kind(fill))


@row("full_like.default")
def _full_like(t, x, fill, **_):
    fill = t.fill(fill)
    return t.constant(fill, x.extents, t.kind(fill))


@row("fill.Scalar")
def _fill(t, x, fill):
    return t.constant(t.fill(fill), x.extents, x.dtype)


@row("zeros.default")
def _zeros(t, extents, **_):
    return t.constant(0, t.size_list(extents), "float")


@row("ones.default")
def _ones(t, extents, **_):
    return t.constant(1, t.size_list(extents), "float")


@row("zeros_like.default")
def _zeros_like(t, x, **_):
    return t.constant(0, x.extents, x.dtype)


@row("ones_like.default")
def _ones_like(t, x, **_):
    return t.constant(1, x.extents, x.dtype)


@row("scalar_tensor.default")
def _scalar(t, fill, **_):
    if isinstance(fill, float) and not math.isfinite(fill):
        return fill  # what it means is said by what reads it
    fill = t.fill(fill)
    return Value(number(fill), (), t.kind(fill))


@row("arange.start_step")
def _arange(t, start, end, step=1, **_):
    (extent,) = t.result_extents()
    check_rounds(t, t.result_dtype(), start, step)
    counted = t.value(f"iota(size={extent})", (extent,), "int")
    if step != 1:
        counted = t.value(f"{counted.text} * {number(step)}", (extent,), t.kind(step))
    if start != 0:
        counted = t.value(f"{counted.text} + {t.text(start)}", (extent,), t.kind(start))
    return counted


# -- layouts ------------------------------------------------------------------------------------


@row("view.default", "reshape.default", "_unsafe_view.default")
def _view(t, x, extents):
    return t.on_both(x, lambda part: t.layouts.view(part, t.result_extents()))


@row("permute.default")
def _permute(t, x, order):
    return t.on_both(x, lambda part: t.layouts.permute(part, [d % x.rank for d in order]))


@row("transpose.int")
def _transpose(t, x, first, second):
    order = list(range(x.rank))
    first, second = first % x.rank, second % x.rank
    order[first], order[second] = second, first
    return t.on_both(x, lambda part: t.layouts.permute(part, order))


@row("t.default")
def _transpose_matrix(t, x):
    return t.layouts.permute(x, list(reversed(range(x.rank))))


@row("unsqueeze.default")
def _unsqueeze(t, x, axis):
    return t.on_both(x, lambda part: t.layouts.unsqueeze(part, axis % (x.rank + 1)))


@row("squeeze.dims", "squeeze.dim")
def _squeeze(t, x, axes):
    axes = axes if isinstance(axes, (list, tuple)) else [axes]
    for axis in sorted((a % x.rank for a in axes if x.rank), reverse=True):
        if x.extents[axis] == "1":
            x = t.on_both(x, lambda part: t.layouts.squeeze(part, axis))
    return x


@row("expand.default")
def _expand(t, x, extents, implicit=False):
    return t.on_both(x, lambda part: t.layouts.expand(part, t.result_extents()))


_NO_END = 2**62  # a position that is at least so far says that a part goes to the end


def _position(t, position, size, extent):
    """A position along an axis as a number and as text; from the end where it is below 0, and no
    further than the axis goes."""
    number_there = t.size_of(position)
    if abs(number_there) >= size and abs(number_there) < _NO_END:
        if isinstance(position, int) or t.bound(position) != extent:
            t.program.extents.fix(extent)
    if number_there >= size:
        return size, extent
    if number_there >= 0:
        return number_there, t.bound(position)
    if number_there <= -size:
        return 0, "0"
    if isinstance(position, int):
        return size + number_there, f"({extent} - {-number_there})"
    return size + number_there, f"({extent} + {t.bound(position)})"


def _are_numbers(*positions):
    return all(position is None or isinstance(position, int) for position in positions)


@row("slice.Tensor")
def _slice(t, x, axis=0, start=None, end=None, step=1):
    axis %= x.rank
    extent = x.extents[axis]
    size = t.program.extents.value(extent)
    begin, begin_text = _position(t, start or 0, size, extent)
    stop, stop_text = _position(t, _NO_END if end is None else end, size, extent)
    if begin == 0:
        t.program.extents.fix(begin_text)
    if stop == size and stop_text != extent:
        t.program.extents.fix(extent)
    if (begin, stop, step) == (0, size, 1):
        return x
    if step == 1 and isinstance(t.result_value(axis), int) and _are_numbers(start, end):
        if (start or 0) < 0 or (end or 0) < 0:  # from the end, which is so far at this extent
            t.program.extents.fix(extent)
        begin_text, stop_text, new = t.program.extents.part(extent, begin, stop)
    else:
        new = t.strided(begin_text, stop_text, step, axis)
        if begin == 0 and step == 1:
            stop_text = new
    arguments = f"axis={axis}, start={begin_text}, stop={stop_text}, step={step}"
    extents = x.extents[:axis] + (new,) + x.extents[axis + 1 :]
    return t.on_both(
        x, lambda part: t.value(f"slice({part.text}, {arguments})", extents, part.dtype)
    )


def _from_an_end(extent, place):
    """A place along an axis, counted from its end where it is below 0."""
    return str(place) if place >= 0 else f"({extent} - {-place})"


@row("select.int")
def _select(t, x, axis, index):
    axis %= x.rank
    taken = x.extents[:axis] + ("1",) + x.extents[axis + 1 :]
    if t.program.extents.exact:
        start, stop = _from_an_end(x.extents[axis], index), _from_an_end(x.extents[axis], index + 1)
        stop = x.extents[axis] if index == -1 else stop
    else:
        index += t.program.extents.value(x.extents[axis]) if index < 0 else 0
        start, stop, _ = t.program.extents.part(x.extents[axis], index, index + 1)
    place = f"axis={axis}, start={start}, stop={stop}"

    def taken_of(part):
        one = t.value(f"slice({part.text}, {place})", taken, part.dtype)
        return t.layouts.squeeze(one, axis)

    return t.on_both(x, taken_of)


@row("split_with_sizes.default")
def _split(t, x, sizes, axis=0):
    axis %= x.rank
    if any(isinstance(size, Value) for size in sizes):
        return _split_anywhere(t, x, t.size_list(sizes), axis)
    parts = []
    begin = 0
    for size in sizes:
        start, stop, extent = t.program.extents.part(x.extents[axis], begin, begin + size)
        extents = x.extents[:axis] + (extent,) + x.extents[axis + 1 :]
        text = f"slice({x.text}, axis={axis}, start={start}, stop={stop})"
        parts.append(t.value(text, extents, x.dtype))
        begin += size
    return tuple(parts)


def _split_anywhere(t, x, sizes, axis):
    """Parts whose extents are said by expressions."""
    parts = []
    start, where = "0", 0
    for size in sizes:
        where += t.program.extents.value(size)
        stop = size if start == "0" else f"({start} + {size})"
        t.program.extents.remember(stop, where)
        extents = x.extents[:axis] + (size,) + x.extents[axis + 1 :]
        text = f"slice({x.text}, axis={axis}, start={start}, stop={stop})"
        parts.append(t.value(text, extents, x.dtype))
        start = stop
    return tuple(parts)


@row("cat.default")
def _cat(t, tensors, axis=0):
    rank = max(x.rank for x in tensors)
    tensors = [x for x in tensors if x.rank == rank]  # others are the empty list that grows
    axis %= tensors[0].rank
    if any(isinstance(x, Masked) for x in tensors):
        return _cat_masked(t, tensors, axis)
    result = tensors[0]
    for piece in tensors[1:]:
        joint = t.program.extents.sum([result.extents[axis], piece.extents[axis]])
        extents = result.extents[:axis] + (joint,) + result.extents[axis + 1 :]
        text = f"concat({result.text}, {piece.text}, axis={axis})"
        result = t.value(text, extents, result.dtype)
    return result


def _cat_masked(t, tensors, axis):
    """The same, of tensors of which some have minus infinity in them."""
    values = [x.value if isinstance(x, Masked) else x for x in tensors]
    kept = [
        x.keep if isinstance(x, Masked) else replace(t.constant(1, x.extents, "int"), dtype="bool")
        for x in tensors
    ]
    return Masked(_cat(t, values, axis), _cat(t, kept, axis))


@row("repeat.default")
def _repeat(t, x, times):
    return t.on_both(x, lambda part: _repeated(t, part, times))


def _repeated(t, x, times):
    x = t.layouts.expand(x, ("1",) * (len(times) - x.rank) + x.extents)
    for axis, count in enumerate(times):
        count = t.number_of(count)
        if count == 1:
            continue
        extent = t.program.extents.product([t.program.extents.number(count), x.extents[axis]])
        extents = x.extents[:axis] + (extent,) + x.extents[axis + 1 :]
        if x.extents[axis] == "1":
            x = t.layouts.expand(x, extents)
        else:
            times_text = t.program.extents.number(count)
            x = t.value(f"tile({x.text}, axis={axis}, times={times_text})", extents, x.dtype)
    return x


@row("diagonal.default")
def _diagonal(t, x, offset=0, first=0, second=1):
    first, second = first % x.rank, second % x.rank
    others = [axis for axis in range(x.rank) if axis not in (first, second)]
    x = t.layouts.permute(x, others + [first, second])
    down, right = max(-offset, 0), max(offset, 0)
    rows, columns = x.extents[-2:]
    value = t.result_value(-1)
    shorter = f"min({rows} - {down}, {columns} - {right})"
    extent = (
        t.program.extents.number(value)
        if rows.isdigit()
        else t.program.extents.derive(shorter, t.size_of(value))
    )
    text = f"torch_diagonal({x.text}, down={down}, right={right})"
    return t.value(text, (*x.extents[:-2], extent), x.dtype)


@row("as_strided.default")
def _as_strided(t, x, extents, strides, offset=None):
    """Memory read otherwise: where each axis of more than one element is one of the tensor's, with
    as many elements at the same distance, these axes in another order."""
    source = t.strides_of_argument(0)
    axes = {d: axis for axis, d in enumerate(source.strides) if source.extents[axis] > 1}
    wanted = [(n, d) for n, d in zip(extents, strides) if n != 1]
    order = [axes.get(d) for _, d in wanted]
    sizes = [source.extents[axis] if axis is not None else None for axis in order]
    whole = sorted(axes.values()) == sorted(order, key=lambda axis: -1 if axis is None else axis)
    if not whole or sizes != [n for n, _ in wanted] or (offset or 0) != source.offset:
        raise Unsupported(
            t.operator, "reads memory as it lies; write it by slices, views and permutes"
        )
    for axis in reversed(range(x.rank)):
        if source.extents[axis] == 1:
            x = t.layouts.squeeze(x, axis)
    left = sorted(order)
    x = t.layouts.permute(x, [left.index(axis) for axis in order])
    for axis, extent in enumerate(extents):
        if extent == 1:
            x = t.layouts.unsqueeze(x, axis)
    return x


@row("slice_scatter.default")
def _slice_scatter(t, x, part, axis=0, start=None, end=None, step=1):
    axis %= x.rank
    extent = x.extents[axis]
    begin, begin_text = _position(t, start or 0, t.program.extents.value(extent), extent)
    part = t.as_kind(part, x.dtype)
    operands = f"{x.text}, {part.text}, axis={axis}, start={begin_text}"
    text = f"dynamic_update_slice({operands})"
    if step != 1:
        text = f"torch_update_steps({operands}, step={step})"
    return t.value(text, x.extents, x.dtype)


@row("select_scatter.default")
def _select_scatter(t, x, part, axis, index):
    axis %= x.rank
    return _slice_scatter(t, x, t.layouts.unsqueeze(part, axis), axis, index)


@row("flip.default")
def _flip(t, x, axes):
    def reversed_axes(part):
        for axis in axes:
            text = f"reverse({part.text}, axis={axis % part.rank})"
            part = t.value(text, part.extents, part.dtype)
        return part

    return t.on_both(x, reversed_axes)


# -- reductions ---------------------------------------------------------------------------------


def axes_of(x, axes):
    if axes is None or axes == [] or x.rank == 0:  # (PyTorch calls a number's axis 0 or -1)
        return list(range(x.rank))
    return sorted(a % x.rank for a in (axes if isinstance(axes, (list, tuple)) else [axes]))


def _summands(t, x, dtype=None):
    """x as what is added up: of the type that is asked for, as PyTorch converts before it adds.
    Sums of truths are counts, which the result takes as truths where these are its type."""
    check_rounds(t, dtype, x)
    if dtype == torch.bool:
        x = t.truth(x)
    return replace(x, dtype="int") if t.kind(x) == "bool" else x


# reductions that torch_ops.sem has over two to four axes at once
_TOGETHER = ("sum", "mean", "max", "min")


# An element of a result is computed by one thread or one block: where elements are few and each is
# of many, the last axes are reduced first, so that more elements than these are under way.
_FEW_RESULTS, _MANY_ELEMENTS = 1 << 10, 1 << 14


def _at_once(t, x, count):
    """How many of the last `count` axes, all to be reduced, are reduced at once."""
    sizes = [t.program.extents.value(extent) for extent in x.extents]
    left, reduced = sizes[: x.rank - count], sizes[x.rank - count :]
    if math.prod(left) >= _FEW_RESULTS or math.prod(reduced) <= _MANY_ELEMENTS:
        return count
    for first in range(1, count):
        if math.prod(left + reduced[:first]) >= _FEW_RESULTS:
            return count - first
    return 1


def _reduced(t, op, x, axes):
    """x without these axes, in as few steps as leave enough to do at the same time."""
    while axes:
        together = 1
        if op in _TOGETHER and axes == list(range(x.rank - len(axes), x.rank)):
            together = min(_at_once(t, x, len(axes)), 4)
        if together == 1:
            axis = axes.pop()
            extents = x.extents[:axis] + x.extents[axis + 1 :]
            x = t.value(f"{op}({x.text}, axis={axis})", extents, x.dtype)
            continue
        axes = axes[:-together]
        extents = x.extents[: x.rank - together]
        x = t.value(f"torch_{op}{together}({x.text})", extents, x.dtype)
    return x


def over_axes(t, op, x, axes, keep):
    axes = axes_of(x, axes)
    wide = [axis for axis in axes if x.extents[axis] != "1"]
    if keep and op in _TOGETHER and wide == axes:
        count = len(axes)
        last = axes == list(range(x.rank - count, x.rank))
        if last and 2 <= count <= 4 and _at_once(t, x, count) == count:
            extents = x.extents[: x.rank - count] + ("1",) * count
            return t.value(f"torch_{op}{count}_kept({x.text})", extents, x.dtype)
    for axis in reversed(axes):  # of one element the sum, the mean and the maximum are that element
        if axis not in wide:
            x = t.layouts.squeeze(x, axis)
    x = _reduced(t, op, x, [axis - sum(a not in wide for a in axes if a < axis) for axis in wide])
    for axis in axes if keep else ():
        x = t.layouts.unsqueeze(x, axis)
    return x


def _reduction(op):
    def translate(t, x, axes=None, keep=False, dtype=None):
        if isinstance(x, Masked):
            raise Unsupported(t.operator, "of a tensor that has minus infinity in it")
        return over_axes(t, op, _summands(t, x, dtype), axes, keep)

    return translate


@row("linalg_vector_norm.default")
def _vector_norm(t, x, order=2, axes=None, keep=False, dtype=None):
    if order == 2:
        squares = t.value(f"{x.text} * {x.text}", x.extents)
        total = over_axes(t, "sum", squares, axes, keep)
        return t.value(f"sqrt({total.text})", total.extents)
    if order not in (1, math.inf, -math.inf):
        raise Unsupported(t.operator, f"of the order {order}")
    sizes = t.value(f"abs({x.text})", x.extents)
    return over_axes(t, {1: "sum", math.inf: "max", -math.inf: "min"}[order], sizes, axes, keep)


row("sum.dim_IntList", "sum.default")(_reduction("sum"))
row("mean.dim", "mean.default")(_reduction("mean"))
@row("amax.default", "amin.default")
def _extrema(t, x, axes=None, keep=False):
    op = {"aten.amax.default": "max", "aten.amin.default": "min"}[t.operator]
    if not isinstance(x, Masked):
        return over_axes(t, op, x, axes, keep)
    # of what is kept; where nothing is, minus infinity, as the minimum is where anything is not
    least = t.layouts.expand(over_axes(t, "min", x.value, axes, True), x.extents)
    kept = t.choose(x.keep, x.value, least) if op == "max" else x.value
    are = over_axes(t, "any" if op == "max" else "all", x.keep, axes, keep)
    return Masked(over_axes(t, op, kept, axes, keep), replace(are, dtype="bool"))


@row("any.dim", "any.default", "any.dims")
def _any(t, x, axes=None, keep=False):
    return over_axes(t, "any", t.truth(x), axes, keep)


@row("all.dim", "all.default")
def _all(t, x, axes=None, keep=False):
    return over_axes(t, "all", t.truth(x), axes, keep)


@row("max.dim", "min.dim")
def _extremum(t, x, axis, keep=False):
    op = t.operator.split(".")[1]
    place = Unsupported(t.operator, "its place, which nothing asked for")
    if t.takes_result(1):
        place = place_of_extremum(t, f"arg{op}", x, axis % x.rank, keep)
    return (over_axes(t, op, x, axis, keep), place)


@row("prod.dim_int", "prod.default")
def _prod(t, x, axes=None, keep=False, dtype=None):
    return over_axes(t, "torch_prod", _summands(t, x, dtype), axes, keep)


@row("var.dim")
def _variance_of_axes(t, x, axes=None, unbiased=True, keepdim=False):
    return _variance(t, x, axes, int(unbiased), keepdim)


@row("var.correction")
def _variance(t, x, axes=None, correction=1, keepdim=False):
    if correction is not None and correction != int(correction):
        raise Unsupported(t.operator, f"with the correction {correction}")
    correction = 1 if correction is None else int(correction)
    count = t.program.extents.product([x.extents[a] for a in axes_of(x, axes)])
    centred = _centred(t, x, axes)
    squares = t.value(f"{centred.text} * {centred.text}", x.extents)
    total = over_axes(t, "sum", squares, axes, keepdim)
    divisor = count if correction == 0 else f"{count} - {correction}"
    if correction > 1 or count == "0":  # PyTorch divides by 0, not by a number below it
        divisor = f"max({divisor}, 0)"
    return t.value(f"div_by({total.text}, n={divisor})", total.extents)


def _centred(t, x, axes):
    mean = over_axes(t, "mean", x, axes, True)
    return t.value(f"{x.text} - {mean.text}", x.extents)


@row("cumsum.default")
def _cumsum(t, x, axis, dtype=None):
    x = _summands(t, x, dtype)
    return t.value(f"torch_cumsum({x.text}, axis={axis % x.rank})", x.extents, x.dtype)


# -- products -----------------------------------------------------------------------------------


def _product(t, x, y):
    extents = x.extents[:-1] + y.extents[-1:]
    first, second = (t.layouts.unexpanded(factor, 2) for factor in (x, y))
    return t.value(f"matmul({first.text}, {second.text})", extents, t.joint_kind(x, y))


@row("_trilinear.default")
def _trilinear(t, first, second, third, *axes_and_sum):
    """The product of three tensors, each with axes of extent 1 put in, summed over axes."""
    *added, summed = axes_and_sum[:4]
    factors = []
    for factor, axes in zip((first, second, third), added):
        for axis in sorted(axes):
            factor = t.layouts.unsqueeze(factor, axis)
        factors.append(factor)
    extents = t.broadcast(*factors)
    product = t.value(" * ".join(f.text for f in factors), extents)
    return over_axes(t, "sum", t.layouts.expand(product, extents), summed, False)


@row("mm.default", "_int_mm.default")
def _matmul(t, x, y):
    return _product(t, x, y)


@row("bmm.default")
def _batched(t, x, y):
    """Of batches that were merged only for this product, the product of what they were."""
    done = []
    while (batches := t.layouts.merged_alike(x, y)) is not None:
        what, axis, x, y = batches
        done.append((what, axis))
    product = _product(t, x, y)
    for what, axis in reversed(done):
        again = t.layouts.merge if what == "merge" else t.layouts.squeeze
        product = again(product, axis)
    return product


@row("addmm.default")
def _addmm(t, bias, x, y, beta=1, alpha=1):
    product = _product(t, x, y)
    scaled = product.text if alpha == 1 else f"{number(alpha)} * {product.text}"
    if beta == 0:  # the bias is not read then
        return t.value(scaled, product.extents, product.dtype)
    offset = bias.text if beta == 1 else f"{number(beta)} * {bias.text}"
    return t.value(
        f"{scaled} + {offset}", product.extents, t.joint_kind(bias, product, alpha, beta)
    )


@row("mv.default")
def _matrix_vector(t, x, y):
    column = t.layouts.unsqueeze(y, 1)
    return t.layouts.squeeze(_product(t, x, column), 1)


@row("_cdist_forward.default")
def _distances(t, x, y, p, compute_mode=None):
    if p not in (1, 2):
        raise Unsupported(t.operator, f"p={p}")
    x = t.layouts.unsqueeze(x, x.rank - 1)
    y = t.layouts.unsqueeze(y, y.rank - 2)
    extents = t.broadcast(x, y)
    difference = t.value(f"{x.text} - {y.text}", extents)
    if p == 1:
        return over_axes(t, "sum", t.value(f"abs({difference.text})", extents), -1, False)
    squares = t.value(f"{difference.text} * {difference.text}", extents)
    total = over_axes(t, "sum", squares, -1, False)
    return t.value(f"sqrt({total.text})", total.extents)


@row("dot.default")
def _dot(t, x, y):
    products = t.value(f"{x.text} * {y.text}", x.extents, t.joint_kind(x, y))
    return over_axes(t, "sum", products, None, False)


# -- normalisations -----------------------------------------------------------------------------


def _normalise(t, x, axes, eps, kept=True):
    """x less its mean along the axes, over its deviation there; and where they are asked for as the
    second and third result, the mean and one over the deviation, with their axes `kept` as 1."""
    centred = _centred(t, x, axes)
    squares = t.value(f"{centred.text} * {centred.text}", x.extents)
    variance = over_axes(t, "mean", squares, axes, True)
    result = t.value(f"{centred.text} / sqrt({variance.text} + {number(eps)})", x.extents)
    mean = inverse = Unsupported(t.operator, "its mean or deviation, which nothing asked for")
    if t.takes_result(1):
        mean = over_axes(t, "mean", x, axes, kept)
    if t.takes_result(2):
        if not kept:
            variance = over_axes(t, "mean", squares, axes, False)
        inverse = t.value(f"1 / sqrt({variance.text} + {number(eps)})", variance.extents)
    return result, mean, inverse


def along_channels(t, parameter, rank):
    """A parameter of one element a channel, against axis 1 of a tensor of that rank."""
    for _ in range(rank - 2):
        parameter = t.layouts.unsqueeze(parameter, parameter.rank)
    return parameter


def scale_shift(t, x, weight, bias):
    if weight is not None:
        x = t.value(f"{x.text} * {weight.text}", x.extents)
    if bias is not None:
        x = t.value(f"{x.text} + {bias.text}", x.extents)
    return x


@row("native_layer_norm.default")
def _layer_norm(t, x, extents, weight, bias, eps):
    axes = list(range(x.rank - len(extents), x.rank))
    result, *statistics = _normalise(t, x, axes, eps)
    return (scale_shift(t, result, weight, bias), *statistics)


@row("_fused_rms_norm.default")
def _rms_norm(t, x, extents, weight, eps):
    if eps is None:  # that of the type which PyTorch computes in: of 16 bits in 32
        eps = torch.finfo(torch.promote_types(t.dtype_of_argument(0), torch.float32)).eps
    axes = list(range(x.rank - len(extents), x.rank))
    mean = over_axes(t, "mean", t.value(f"{x.text} * {x.text}", x.extents), axes, True)
    root = f"sqrt({mean.text} + {number(eps)})"
    scaled = t.value(f"{x.text} / {root}", x.extents)
    inverse = Unsupported(t.operator, "its inverse root, which nothing asked for")
    if t.takes_result(1):
        inverse = t.value(f"1 / {root}", mean.extents)
    return scale_shift(t, scaled, weight, None), inverse


@row("native_group_norm.default")
def _group_norm(t, x, weight, bias, batch, channels, positions, groups, eps):
    per_group = t.program.extents.number(t.number_of(channels) // groups, of_window=False)
    groups = t.program.extents.number(groups, of_window=False)
    grouped = (x.extents[0], groups, per_group) + x.extents[2:]
    parts = t.layouts.view(x, grouped)
    result, *statistics = _normalise(t, parts, list(range(2, parts.rank)), eps, kept=False)
    flat = t.layouts.view(result, x.extents)
    weight, bias = (p and along_channels(t, p, x.rank) for p in (weight, bias))
    return (scale_shift(t, flat, weight, bias), *statistics)


@row("_native_batch_norm_legit_no_training.default")
def _batch_norm(t, x, weight, bias, mean, variance, momentum, eps):
    mean, variance = (along_channels(t, p, x.rank) for p in (mean, variance))
    weight, bias = (p and along_channels(t, p, x.rank) for p in (weight, bias))
    centred = f"({x.text} - {mean.text})"
    scaled = t.value(f"{centred} / sqrt({variance.text} + {number(eps)})", x.extents)
    no_statistics = Unsupported(t.operator, "its saved statistics as results")
    return (scale_shift(t, scaled, weight, bias), no_statistics, no_statistics)


@row("_native_batch_norm_legit.no_stats")
def _batch_norm_training(t, x, weight, bias, training, momentum, eps):
    axes = [0, *range(2, x.rank)]
    weight, bias = (p and along_channels(t, p, x.rank) for p in (weight, bias))
    result, *statistics = _normalise(t, x, axes, eps, kept=False)
    return (scale_shift(t, result, weight, bias), *statistics)


@row("cumprod.default")
def _cumprod(t, x, axis, dtype=None):
    x = _summands(t, x, dtype)
    return t.value(f"torch_cumprod({x.text}, axis={axis % x.rank})", x.extents, x.dtype)
