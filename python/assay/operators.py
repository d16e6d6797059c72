"""The table: an ATen overload, and how it is said in Assay's operators.  One row each.

A row's function gets the translator `t` and the call's arguments as `Value`s and Python numbers.
It returns a `Value`, or a tuple of them for an operator with several results.  Rows of pure
arithmetic stand in the dictionaries at the top; `@row` adds the others.
"""

import math

from .errors import Unsupported
from .values import Masked, Value, number

ROWS = {}


def row(*overloads):
    def add(function):
        for overload in overloads:
            ROWS[f"aten.{overload}"] = function
        return function

    return add


# -- element by element ------------------------------------------------------------------------

INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
UNARY = (  # said by the operators of the same names
    "relu", "sigmoid", "tanh", "exp", "log", "abs", "sqrt", "rsqrt", "neg", "silu", "square",
)
COMPARE = {
    "gt": "greater",
    "lt": "less",
    "ge": "greater_equal",
    "le": "less_equal",
    "eq": "equal",
    "ne": "not_equal",
}


def _arithmetic(name, sign):
    def translate(t, x, y, alpha=1, rounding_mode=None):
        if rounding_mode is not None:
            raise Unsupported(f"aten.{name}", f"rounding_mode={rounding_mode}")
        if isinstance(x, Masked):
            return _masked_arithmetic(t, name, x, y, alpha)
        if isinstance(y, Masked):
            if name != "add":
                raise Unsupported(f"aten.{name}", "by a tensor that has minus infinity in it")
            return _masked_arithmetic(t, name, y, x, alpha)
        if alpha != 1:
            y = t.value(f"{number(alpha)} * {t.text(y)}", t.extents(y), t.kind(y))
        kind = "float" if name == "div" else t.joint_kind(x, y)
        return t.value(f"{t.text(x)} {sign} {t.text(y)}", t.broadcast(x, y), kind)

    return translate


def _masked_arithmetic(t, name, x, y, alpha):
    """Minus infinity stays what it is under + and - of reals, and under * and / by numbers > 0."""
    if isinstance(y, Masked):
        raise Unsupported(f"aten.{name}", "of two tensors that have minus infinity in them")
    if name in ("mul", "div") and not (isinstance(y, (int, float)) and y > 0):
        raise Unsupported(f"aten.{name}", "minus infinity by something not known to be positive")
    value = ROWS[f"aten.{name}.Tensor"](t, x.value, y, alpha)
    return Masked(value, t.layouts.expand(x.keep, value.extents))


for _name, _sign in INFIX.items():
    row(f"{_name}.Tensor", f"{_name}.Scalar")(_arithmetic(_name, _sign))
row("div.Tensor_mode")(_arithmetic("div", "/"))


def _unary(name):
    def translate(t, x):
        if isinstance(x, Masked):
            if name != "exp":
                raise Unsupported(f"aten.{name}", "of a tensor that has minus infinity in it")
            exponential = t.value(f"exp({x.value.text})", x.extents)
            return t.choose(x.keep, exponential, 0)
        kind = x.dtype if name in ("abs", "neg", "relu", "square") else "float"
        return t.value(f"{name}({x.text})", x.extents, kind)

    return translate


for _name in UNARY:
    row(f"{_name}.default")(_unary(_name))


def _compare(op):
    def translate(t, x, y):
        if isinstance(x, Masked):
            return _compare_masked(t, op, x, y)
        if isinstance(y, float) and math.isinf(y):
            return t.constant(_against_infinity(op, y), x.extents, "bool")
        return t.value(f"{op}({t.text(x)}, {t.text(y)})", t.broadcast(x, y), "bool")

    return translate


def _against_infinity(op, bound):
    """A real number compared with an infinity."""
    if op in ("equal", "not_equal"):
        return int(op == "not_equal")
    return int((op in ("less", "less_equal")) == (bound > 0))


def _compare_masked(t, op, x, y):
    if op not in ("equal", "not_equal") or y != float("-inf"):
        raise Unsupported(f"aten.{op}", "of a tensor that has minus infinity in it")
    if op == "not_equal":
        return Value(x.keep.text, x.extents, "bool")
    return t.value(f"logical_not({x.keep.text})", x.extents, "bool")


for _name, _op in COMPARE.items():
    row(f"{_name}.Scalar", f"{_name}.Tensor")(_compare(_op))


@row("logical_not.default", "bitwise_not.default")
def _not(t, x):
    if x.dtype != "bool":
        raise Unsupported("aten.bitwise_not", "of integers")
    return t.value(f"logical_not({x.text})", x.extents, "bool")


@row("logical_and.default", "bitwise_and.Tensor")
def _and(t, x, y):
    if "int" in (x.dtype, y.dtype):
        raise Unsupported("aten.bitwise_and", "of integers")
    return t.value(f"logical_and({x.text}, {y.text})", t.broadcast(x, y), "bool")


@row("logical_or.default", "bitwise_or.Tensor")
def _or(t, x, y):
    if "int" in (x.dtype, y.dtype):
        raise Unsupported("aten.bitwise_or", "of integers")
    return t.value(f"logical_or({x.text}, {y.text})", t.broadcast(x, y), "bool")


@row("maximum.default")
def _maximum(t, x, y):
    return t.value(f"maximum({t.text(x)}, {t.text(y)})", t.broadcast(x, y), t.joint_kind(x, y))


@row("minimum.default")
def _minimum(t, x, y):
    return t.value(f"minimum({t.text(x)}, {t.text(y)})", t.broadcast(x, y), t.joint_kind(x, y))


@row("clamp.default", "clamp.Tensor", "hardtanh.default")
def _clamp(t, x, low=None, high=None, min=None, max=None):
    low = min if low is None else low
    high = max if high is None else high
    if t.operator.startswith("aten.hardtanh"):
        low = -1.0 if low is None else low
        high = 1.0 if high is None else high
    if low is not None:
        x = t.value(f"maximum({x.text}, {t.text(low)})", t.broadcast(x, low), x.dtype)
    if high is not None:
        x = t.value(f"minimum({x.text}, {t.text(high)})", t.broadcast(x, high), x.dtype)
    return x


@row("leaky_relu.default")
def _leaky_relu(t, x, slope=0.01):
    positive = f"maximum({x.text}, 0)"
    negative = f"minimum({x.text}, 0)"
    return t.value(f"{positive} + {number(slope)} * {negative}", x.extents)


@row("elu.default")
def _elu(t, x, alpha=1, scale=1, input_scale=1):
    below = f"{number(alpha)} * (exp({number(input_scale)} * minimum({x.text}, 0)) - 1)"
    return t.value(f"{number(scale)} * (maximum({x.text}, 0) + {below})", x.extents)


@row("gelu.default")
def _gelu(t, x, approximate="none"):
    if approximate == "none":
        return t.value(f"gelu({x.text})", x.extents)
    cube = f"{x.text} * {x.text} * {x.text}"
    inner = f"{number(math.sqrt(2 / math.pi))} * ({x.text} + 0.044715 * {cube})"
    return t.value(f"0.5 * {x.text} * (1 + tanh({inner}))", x.extents)


@row("log1p.default")
def _log1p(t, x):
    return t.value(f"log(1 + {x.text})", x.extents)


@row("expm1.default")
def _expm1(t, x):
    return t.value(f"exp({x.text}) - 1", x.extents)


@row("reciprocal.default")
def _reciprocal(t, x):
    return t.value(f"1 / {x.text}", x.extents)


@row("pow.Tensor_Scalar")
def _power(t, x, exponent):
    if exponent == 0.5:
        return t.value(f"sqrt({x.text})", x.extents)
    if exponent == -0.5:
        return t.value(f"rsqrt({x.text})", x.extents)
    if exponent != int(exponent) or abs(exponent) > 16:
        raise Unsupported("aten.pow", f"exponent {exponent}")
    count = abs(int(exponent))
    product = " * ".join([x.text] * count) if count else "1"
    if count == 0:
        return t.constant(1, x.extents, x.dtype)
    return t.value(product if exponent > 0 else f"1 / ({product})", x.extents, x.dtype)


@row("where.self")
def _where(t, condition, x, y):
    if isinstance(y, (int, float)) and y == float("-inf"):
        extents = t.broadcast(condition, x)
        keep = t.layouts.expand(condition, extents)
        return Masked(t.layouts.expand(t.tensor(x), extents), keep)
    if isinstance(x, (int, float)) and x == float("-inf"):
        return _where(t, _not(t, condition), y, x)
    if isinstance(x, Masked) or isinstance(y, Masked):
        raise Unsupported(t.operator, "of a tensor that has minus infinity in it")
    never = Value("0", (), "bool")
    if isinstance(x, float) and math.isnan(x) and t.is_constant(condition, never):
        return y
    return t.choose(condition, x, y)


@row("masked_fill.Scalar")
def _masked_fill(t, x, mask, fill):
    return _where(t, _not(t, mask), x, fill)


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


@row("_to_copy.default")
def _cast(t, x, dtype=None, layout=None, device=None, pin_memory=None, non_blocking=False, memory_format=None):
    import torch

    if dtype is None:
        return x
    if dtype.is_complex:
        raise Unsupported("aten._to_copy", "to complex numbers")
    if dtype == torch.bool:
        return x if x.dtype == "bool" else t.value(f"not_equal({x.text}, 0)", x.extents, "bool")
    if not dtype.is_floating_point and x.dtype == "float":
        raise Unsupported("aten._to_copy", "rounds a float to an integer")
    kind = "float" if dtype.is_floating_point else "int"
    if isinstance(x, Masked):
        return x
    return Value(x.text, x.extents, kind)


# -- constants ----------------------------------------------------------------------------------


@row("full.default")
def _full(t, extents, fill, **_):
    return t.constant(fill, t.size_list(extents), t.kind(fill))


@row("full_like.default")
def _full_like(t, x, fill, **_):
    return t.constant(fill, x.extents, t.kind(fill))


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
    if isinstance(fill, float) and math.isinf(fill):
        return fill
    return Value(number(fill), (), t.kind(fill))


@row("arange.start_step")
def _arange(t, start, end, step=1, **_):
    (extent,) = t.result_extents()
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
    for axis in sorted((a % x.rank for a in axes), reverse=True):
        if x.extents[axis] == "1":
            x = t.on_both(x, lambda part: t.layouts.squeeze(part, axis))
    return x


@row("expand.default")
def _expand(t, x, extents, implicit=False):
    return t.on_both(x, lambda part: t.layouts.expand(part, t.result_extents()))


@row("slice.Tensor")
def _slice(t, x, axis=0, start=None, end=None, step=1):
    axis %= x.rank
    extent = x.extents[axis]
    size = t.program.extents.value(extent)
    begin = 0 if start is None else start
    if begin < 0:
        begin += size
    stop = size if end is None else min(end, size)
    if stop < 0:
        stop += size
    if (begin, stop, step) == (0, size, 1):
        return x
    (new,) = (e for k, e in enumerate(t.result_extents()) if k == axis)
    stop_text = extent if stop == size else t.bound(stop)
    arguments = f"axis={axis}, start={t.bound(begin)}, stop={stop_text}, step={step}"
    extents = x.extents[:axis] + (new,) + x.extents[axis + 1 :]
    if step != 1:
        raise Unsupported("aten.slice", f"step {step}: the extent has no name yet")
    if begin == 0:
        arguments = f"axis={axis}, start=0, stop={new}, step=1"
    return t.on_both(x, lambda part: t.value(f"slice({part.text}, {arguments})", extents, part.dtype))


@row("select.int")
def _select(t, x, axis, index):
    axis %= x.rank
    size = t.program.extents.value(x.extents[axis])
    index = index + size if index < 0 else index
    taken = x.extents[:axis] + ("1",) + x.extents[axis + 1 :]
    part = t.value(f"slice({x.text}, axis={axis}, start={index}, stop={index + 1})", taken, x.dtype)
    return t.layouts.squeeze(part, axis)


@row("split_with_sizes.default")
def _split(t, x, sizes, axis=0):
    axis %= x.rank
    parts = []
    start = 0
    for size in sizes:
        extent = t.program.extents.number(size)
        extents = x.extents[:axis] + (extent,) + x.extents[axis + 1 :]
        arguments = f"axis={axis}, start={start}, stop={start + size}"
        if start == 0:
            arguments = f"axis={axis}, start=0, stop={extent}"
        parts.append(t.value(f"slice({x.text}, {arguments})", extents, x.dtype))
        start += size
    return tuple(parts)


@row("cat.default")
def _cat(t, tensors, axis=0):
    axis %= tensors[0].rank
    result = tensors[0]
    for piece in tensors[1:]:
        both = [t.program.extents.value(p.extents[axis]) for p in (result, piece)]
        extents = result.extents[:axis] + (f"({result.extents[axis]} + {piece.extents[axis]})",)
        extents += result.extents[axis + 1 :]
        text = f"concat({result.text}, {piece.text}, axis={axis})"
        result = t.value(text, extents, result.dtype)
        t.program.extents.remember(extents[axis], sum(both))
    return result


@row("flip.default")
def _flip(t, x, axes):
    for axis in axes:
        x = t.value(f"reverse({x.text}, axis={axis % x.rank})", x.extents, x.dtype)
    return x


# -- reductions ---------------------------------------------------------------------------------


def _axes(x, axes):
    if axes is None or axes == []:
        return list(range(x.rank))
    return sorted(a % x.rank for a in (axes if isinstance(axes, (list, tuple)) else [axes]))


# reductions that torch_ops.sem has over two to four axes at once
_TOGETHER = ("sum", "mean", "max", "min")


def _reduce(t, op, x, axes, keep):
    count = len(_axes(x, axes))
    last = _axes(x, axes) == list(range(x.rank - count, x.rank))
    if op in _TOGETHER and last and 2 <= count <= 4:
        left = x.extents[: x.rank - count]
        kept = "_kept" if keep else ""
        extents = left + ("1",) * count if keep else left
        return t.value(f"torch_{op}{count}{kept}({x.text})", extents, x.dtype)
    for axis in reversed(_axes(x, axes)):
        extents = x.extents[:axis] + x.extents[axis + 1 :]
        x = t.value(f"{op}({x.text}, axis={axis})", extents, x.dtype)
        if keep:
            x = t.layouts.unsqueeze(x, axis)
    return x


def _reduction(op):
    def translate(t, x, axes=None, keep=False, dtype=None):
        if isinstance(x, Masked):
            raise Unsupported(t.operator, "of a tensor that has minus infinity in it")
        return _reduce(t, op, x, axes, keep)

    return translate


row("sum.dim_IntList", "sum.default")(_reduction("sum"))
row("mean.dim", "mean.default")(_reduction("mean"))
row("amax.default")(_reduction("max"))
row("amin.default")(_reduction("min"))


@row("any.dim", "any.default", "any.dims")
def _any(t, x, axes=None, keep=False):
    return _reduce(t, "any", x, axes, keep)


@row("all.dim", "all.default")
def _all(t, x, axes=None, keep=False):
    return _reduce(t, "all", x, axes, keep)


@row("max.dim", "min.dim")
def _extremum(t, x, axis, keep=False):
    op = t.operator.split(".")[1]
    return (_reduce(t, op, x, axis, keep), Unsupported(t.operator, "the index of the extremum"))


@row("var.correction")
def _variance(t, x, axes=None, correction=1, keepdim=False):
    count = t.program.extents.product([x.extents[a] for a in _axes(x, axes)])
    centred = _centred(t, x, axes)
    squares = t.value(f"{centred.text} * {centred.text}", x.extents)
    total = _reduce(t, "sum", squares, axes, keepdim)
    divisor = count if correction == 0 else f"{count} - {int(correction)}"
    return t.value(f"div_by({total.text}, n={divisor})", total.extents)


def _centred(t, x, axes):
    mean = _reduce(t, "mean", x, axes, True)
    return t.value(f"{x.text} - {mean.text}", x.extents)


@row("cumsum.default")
def _cumsum(t, x, axis, dtype=None):
    return t.value(f"torch_cumsum({x.text}, axis={axis % x.rank})", x.extents, x.dtype)


@row("_softmax.default")
def _softmax(t, x, axis, half_to_float=False):
    if not isinstance(x, Masked):
        return t.value(f"softmax({x.text}, axis={axis % x.rank})", x.extents)
    # exp(-oo) is 0, and what is subtracted cancels: the weights of what is kept, over their sum
    weights = t.choose(x.keep, t.value(f"exp({x.value.text})", x.extents), 0)
    total = _reduce(t, "sum", weights, axis, True)
    return t.value(f"{weights.text} / {total.text}", x.extents)


@row("_log_softmax.default")
def _log_softmax(t, x, axis, half_to_float=False):
    if isinstance(x, Masked):
        raise Unsupported(t.operator, "of a tensor that has minus infinity in it")
    shifted = t.value(f"{x.text} - {_reduce(t, 'max', x, axis, True).text}", x.extents)
    exponential = t.value(f"exp({shifted.text})", x.extents)
    total = _reduce(t, "sum", exponential, axis, True)
    return t.value(f"{shifted.text} - log({total.text})", x.extents)


# -- products -----------------------------------------------------------------------------------


def _product(t, x, y):
    extents = x.extents[:-1] + y.extents[-1:]
    return t.value(f"matmul({x.text}, {y.text})", extents)


@row("mm.default", "bmm.default")
def _matmul(t, x, y):
    return _product(t, x, y)


@row("addmm.default")
def _addmm(t, bias, x, y, beta=1, alpha=1):
    product = _product(t, x, y)
    scaled = product.text if alpha == 1 else f"{number(alpha)} * {product.text}"
    offset = bias.text if beta == 1 else f"{number(beta)} * {bias.text}"
    return t.value(f"{scaled} + {offset}", product.extents)


@row("mv.default")
def _matrix_vector(t, x, y):
    column = t.layouts.unsqueeze(y, 1)
    return t.layouts.squeeze(_product(t, x, column), 1)


@row("dot.default")
def _dot(t, x, y):
    return _reduce(t, "sum", t.value(f"{x.text} * {y.text}", x.extents), None, False)


# -- normalisations -----------------------------------------------------------------------------


def _normalise(t, x, axes, eps):
    centred = _centred(t, x, axes)
    squares = t.value(f"{centred.text} * {centred.text}", x.extents)
    variance = _reduce(t, "mean", squares, axes, True)
    return t.value(f"{centred.text} / sqrt({variance.text} + {number(eps)})", x.extents)


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
    no_statistics = Unsupported(t.operator, "its mean and deviation as results")
    result = scale_shift(t, _normalise(t, x, axes, eps), weight, bias)
    return (result, no_statistics, no_statistics)


@row("native_group_norm.default")
def _group_norm(t, x, weight, bias, batch, channels, positions, groups, eps):
    per_group = t.program.extents.number(channels // groups)
    grouped = (x.extents[0], t.program.extents.number(groups), per_group) + x.extents[2:]
    parts = t.layouts.view(x, grouped)
    flat = t.layouts.view(_normalise(t, parts, list(range(2, parts.rank)), eps), x.extents)
    weight, bias = (p and along_channels(t, p, x.rank) for p in (weight, bias))
    no_statistics = Unsupported(t.operator, "its mean and deviation as results")
    return (scale_shift(t, flat, weight, bias), no_statistics, no_statistics)


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
    no_statistics = Unsupported(t.operator, "its saved statistics as results")
    result = scale_shift(t, _normalise(t, x, axes, eps), weight, bias)
    return (result, no_statistics, no_statistics)


# -- indices ------------------------------------------------------------------------------------


@row("cumprod.default")
def _cumprod(t, x, axis, dtype=None):
    return t.value(f"torch_cumprod({x.text}, axis={axis % x.rank})", x.extents, x.dtype)


@row("gather.default")
def _gather(t, x, axis, index, sparse_grad=False):
    axis %= x.rank
    rest = [e for k, e in enumerate(x.extents) if k != axis]
    if rest != [e for k, e in enumerate(index.extents) if k != axis]:
        raise Unsupported(t.operator, "with fewer rows of positions than of values")
    return t.value(f"torch_gather({x.text}, {index.text}, axis={axis})", index.extents, x.dtype)


@row("embedding.default")
def _embedding(t, weight, indices, padding_idx=-1, scale=False, sparse=False):
    extents = indices.extents + weight.extents[1:]
    return t.value(f"torch_rows({weight.text}, {indices.text})", extents)


@row("index_select.default")
def _index_select(t, x, axis, index):
    if x.rank != 2 or axis % 2 != 0:
        raise Unsupported(t.operator, "of anything but rows")
    return t.value(f"torch_rows({x.text}, {index.text})", index.extents + x.extents[1:])


@row("argmax.default", "argmin.default")
def _argmax(t, x, axis=None, keepdim=False):
    if axis is None:
        raise Unsupported(t.operator, "over all elements")
    axis %= x.rank
    op = t.operator.split(".")[1]
    extents = x.extents[:axis] + x.extents[axis + 1 :]
    found = t.value(f"torch_{op}({x.text}, axis={axis})", extents, "int")
    return t.layouts.unsqueeze(found, axis) if keepdim else found


@row("isnan.default")
def _isnan(t, x):
    return t.constant(0, x.extents, "bool")  # a real number is one


@row("index.Tensor", "scatter.src", "index_put.default")
def _positions(t, *_, **__):
    raise Unsupported(t.operator, "reads or writes at positions that are data")


@row("topk.default", "sort.default", "nonzero.default")
def _order(t, *_, **__):
    raise Unsupported(t.operator, "its result is a position in an order")


@row("rand.default", "randn.default", "native_dropout.default", "bernoulli.p")
def _random(t, *_, **__):
    raise Unsupported(t.operator, "random numbers have no equation; call eval() on the model")
