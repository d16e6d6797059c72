"""Rows of the table for softmaxes and logarithms of sums, also of tensors that have minus infinity in
them."""

from .operators import axes_of, check_rounds, over_axes
from .table import row
from .values import Masked


@row("_softmax.default")
def _softmax(t, x, axis, half_to_float=False):
    if not isinstance(x, Masked):
        return t.value(f"softmax({x.text}, axis={axis % x.rank})", x.extents)
    _, weights, total = _masked_weights(t, x, axis)
    return t.value(f"{weights.text} / {total.text}", x.extents)


@row("_safe_softmax.default")
def _safe_softmax(t, x, axis, dtype=None):
    """Like a softmax, but 0 in rows that are minus infinity everywhere: their weights are all 0,
    and are divided by 1."""
    check_rounds(t, dtype, x)
    if not isinstance(x, Masked):
        return _softmax(t, x, axis)
    _, weights, total = _masked_weights(t, x, axis)
    nothing = t.value(f"equal({total.text}, 0)", total.extents)
    return t.value(f"{weights.text} / ({total.text} + {nothing.text})", x.extents)


# What takes the place of minus infinity where a maximum is looked for, so that it is that of what
# is kept: no number that a kernel meets is far from it, and weights there are 0 whatever it is.
_FAR_BELOW = "1e30"


def _masked_weights(t, x, axis):
    """What a softmax takes the exponential of, of a tensor that has minus infinity in it, that
    exponential, which is 0 there, and its sum along the axis.  What is subtracted cancels: a claim
    leaves it out, a kernel would overflow without it."""
    if t.reading:
        weights = t.choose(x.keep, t.value(f"exp({x.value.text})", x.extents), 0)
        return x.value, weights, over_axes(t, "sum", weights, axis, True)
    keep = t.layouts.unexpanded(x.keep)
    dropped = t.value(f"logical_not({keep.text})", keep.extents)
    # chosen, not subtracted: what is left out is one number, whatever the score was, so that a
    # kernel may see that all of a tile is, and does not compute it
    low = t.value(f"masked_fill({x.value.text}, {dropped.text}, -{_FAR_BELOW})", x.extents)
    shifted = t.value(f"{low.text} - {over_axes(t, 'max', low, axis, True).text}", x.extents)
    weights = t.value(f"exp({shifted.text}) * {keep.text}", x.extents)
    return shifted, weights, over_axes(t, "sum", weights, axis, True)


@row("_log_softmax.default")
def _log_softmax(t, x, axis, half_to_float=False):
    if isinstance(x, Masked):
        shifted, _, total = _masked_weights(t, x, axis)
        if t.reading:
            return Masked(t.value(f"{shifted.text} - log({total.text})", x.extents), x.keep)
        # rows that are minus infinity everywhere are NaN, as PyTorch's are: the logarithm of -1
        nothing = t.value(f"equal({total.text}, 0)", total.extents, "bool")
        weight = t.value(f"log({total.text} - {nothing.text})", total.extents)
        given = t.value(f"logical_or({x.keep.text}, {nothing.text})", x.extents, "bool")
        return Masked(t.value(f"{shifted.text} - {weight.text}", x.extents), given)
    most = over_axes(t, "max", x, axis, True)
    shifted = t.value(f"{x.text} - {most.text}", x.extents)
    exponential = t.value(f"exp({shifted.text})", x.extents)
    total = over_axes(t, "sum", exponential, axis, True)
    result = t.value(f"{shifted.text} - log({total.text})", x.extents)
    t.less_of_rows[result.text] = (axis % x.rank, x, most, total)
    return result


@row("logsumexp.default")
def _logarithm_of_sum(t, x, axes, keep=False):
    if isinstance(x, Masked):
        weights = t.choose(x.keep, t.value(f"exp({x.value.text})", x.extents), 0)
        total = over_axes(t, "sum", weights, axes, keep)
        nothing = t.value(f"equal({total.text}, 0)", total.extents, "bool")
        kept = t.value(f"logical_not({nothing.text})", total.extents, "bool")
        return Masked(t.value(f"log({total.text} + {nothing.text})", total.extents), kept)
    if t.reading:
        total = over_axes(t, "sum", t.value(f"exp({x.text})", x.extents), axes, keep)
        return t.value(f"log({total.text})", total.extents)
    most = over_axes(t, "max", x, axes, True)
    shifted = t.value(f"{x.text} - {most.text}", x.extents)
    total = over_axes(t, "sum", t.value(f"exp({shifted.text})", x.extents), axes, True)
    result = t.value(f"log({total.text}) + {most.text}", total.extents)
    for axis in reversed(axes_of(x, axes)) if not keep else ():
        result = t.layouts.squeeze(result, axis)
    return result
