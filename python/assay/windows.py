"""Rows of the table for what goes over windows of a tensor: padding, convolutions, pooling."""

import math
from fractions import Fraction

from .errors import Unsupported
from .operators import along_channels, scale_shift
from .table import row
from .values import number


def _each(values, count):
    """A setting for each of `count` axes; one value stands for all."""
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    return values * count if len(values) == 1 else values


def _padded(t, x, axis, low, high, interior=0, fill="0"):
    """x with a number, by default 0, before, behind and between its elements along an axis."""
    if (low, high, interior) == (0, 0, 0):
        return x
    if low < 0 or high < 0:
        raise Unsupported(t.operator, "a padding below 0")
    size = t.program.extents.value(x.extents[axis])
    value = size + low + high + max(size - 1, 0) * interior
    symbolic = interior == 0 and not x.extents[axis].isdigit()
    wide = (
        t.plus(x.extents[axis], low + high, value) if symbolic else t.program.extents.number(value)
    )
    extents = x.extents[:axis] + (wide,) + x.extents[axis + 1 :]
    settings = f"axis={axis}, low={low}, interior={interior}, high={high}"
    return t.value(f"pad({x.text}, {fill}, {settings})", extents, x.dtype)


@row("constant_pad_nd.default")
def _pad(t, x, amounts, fill=0):
    fill = number(t.fill(fill))
    for place in range(len(amounts) // 2):
        low, high = amounts[2 * place], amounts[2 * place + 1]
        x = _padded(t, x, x.rank - 1 - place, low, high, fill=fill)
    return x


def _mirrored(t, x, amounts):
    """x continued beyond its ends: mirrored at them, or with the last elements repeated."""
    op = "torch_reflect" if "reflection" in t.operator else "torch_replicate"
    for place in range(len(amounts) // 2):
        low, high = amounts[2 * place], amounts[2 * place + 1]
        if low < 0 or high < 0:
            raise Unsupported(t.operator, "a padding below 0")
        axis = x.rank - 1 - place
        size = t.program.extents.value(x.extents[axis])
        wide = t.plus(x.extents[axis], low + high, size + low + high)
        extents = x.extents[:axis] + (wide,) + x.extents[axis + 1 :]
        x = t.value(f"{op}({x.text}, axis={axis}, low={low}, high={high})", extents, x.dtype)
    return x


for _axes in (1, 2, 3):
    row(f"reflection_pad{_axes}d.default", f"replication_pad{_axes}d.default")(_mirrored)


@row("upsample_nearest2d.vec", "upsample_nearest1d.vec", "upsample_nearest3d.vec")
def _upsample(t, x, sizes, factors=None):
    for axis in range(2, x.rank):
        have, want = (
            t.size_of(e) for e in (t.program.extents.value(x.extents[axis]), t.result_value(axis))
        )
        if want % have != 0:
            raise Unsupported(t.operator, f"from {have} to {want}, which is no multiple")
        times = want // have
        if not t.is_multiple(axis, times):
            t.program.extents.fix(x.extents[axis])
        wide = t.program.extents.product([str(times), x.extents[axis]])
        extents = x.extents[:axis] + (wide,) + x.extents[axis + 1 :]
        x = t.value(f"repeat({x.text}, axis={axis}, times={times})", extents, x.dtype)
    return x


@row("upsample_linear1d.vec", "upsample_bilinear2d.vec", "upsample_trilinear3d.vec")
def _between(t, x, sizes, align_corners, factors=None):
    for axis in range(2, x.rank):
        wide = t.result_extents()[axis]
        have = x.extents[axis]
        factor = None if factors is None else _fraction(t, factors[axis - 2])
        if align_corners and t.program.extents.value(wide) == 1:
            t.program.extents.fix(wide)
            above, below, begin = "0", "1", "0"
        elif align_corners:
            above, below, begin = f"({have} - 1)", f"({wide} - 1)", "0"
        elif factor is None:
            above, below, begin = f"2 * {have}", f"2 * {wide}", f"({have} - {wide})"
        else:
            p, q = factor.numerator, factor.denominator
            above, below, begin = str(2 * q), str(2 * p), f"({q} - {p})"
        settings = f"axis={axis}, size={wide}, above={above}, below={below}, begin={begin}"
        extents = x.extents[:axis] + (wide,) + x.extents[axis + 1 :]
        x = t.value(f"torch_between({x.text}, {settings})", extents)
    return x


def _fraction(t, factor):
    found = Fraction(factor).limit_denominator(1000)
    if float(found) != factor or found <= 0:
        raise Unsupported(t.operator, f"by {factor}, which is no small fraction")
    return found


# settings that one call of an operator can have
_MOST_SETTINGS = 8


def _settings(**values):
    """Settings of a call as text, without those that are what they are by default."""
    default = {"s": 1, "d": 1, "p": 0, "e": 0, "g": 1}
    given = [f"{name}={value}" for name, value in values.items() if value != default[name[0]]]
    return given if len(given) <= _MOST_SETTINGS else None


@row("convolution.default")
def _convolution(t, x, weight, bias, stride, padding, dilation, transposed, extra, groups):
    axes = x.rank - 2
    if axes not in (1, 2, 3):
        raise Unsupported(t.operator, f"{axes}-d convolution")
    stride, padding, dilation, extra = (_each(v, axes) for v in (stride, padding, dilation, extra))
    form = _transposed_convolution if transposed else _plain_convolution
    result = form(t, x, weight, stride, padding, dilation, extra, groups)
    return scale_shift(t, result, None, bias and along_channels(t, bias, x.rank))


def _plain_convolution(t, x, weight, stride, padding, dilation, extra, groups):
    axes = x.rank - 2
    left = tuple(
        t.window(x.extents[2 + k], weight.extents[2 + k], stride[k], padding[k], dilation[k], 2 + k)
        for k in range(axes)
    )
    values = {}
    for letter, s, d, p in zip("dhw"[3 - axes :], stride, dilation, padding):
        values |= {f"s{letter}": s, f"d{letter}": d, f"p{letter}": p}
    settings = _settings(**values)
    if settings is None:  # the padding as a tensor of its own
        for axis in range(axes):
            x = _padded(t, x, 2 + axis, padding[axis], padding[axis])
        settings = _settings(**{k: v for k, v in values.items() if k[0] != "p"})
    text = f"torch_conv{axes}d({', '.join([x.text, weight.text, *settings])})"
    return t.value(text, (x.extents[0], weight.extents[0], *left))


def _transposed_convolution(t, x, weight, stride, padding, dilation, extra, groups):
    axes = x.rank - 2
    wide = tuple(
        t.spread(
            x.extents[2 + k],
            weight.extents[2 + k],
            stride[k],
            padding[k],
            dilation[k],
            extra[k],
            2 + k,
        )
        for k in range(axes)
    )
    values = {"groups": groups}
    form = ""
    if axes == 3 and all(len(set(v)) == 1 for v in (stride, dilation, padding, extra)):
        form = "_even"
        values |= {
            "stride": stride[0],
            "dilation": dilation[0],
            "padding": padding[0],
            "extra": extra[0],
        }
    else:
        for letter, s, d, p, e in zip("dhw"[3 - axes :], stride, dilation, padding, extra):
            values |= {f"s{letter}": s, f"d{letter}": d, f"p{letter}": p, f"e{letter}": e}
    settings = _settings(**values)
    extents = (x.extents[0], t.program.extents.number(t.result_value(1), of_window=False), *wide)
    if settings is not None:
        text = f"torch_conv_transpose{axes}d{form}({', '.join([x.text, weight.text, *settings])})"
        return t.value(text, extents)
    x, weight = _transposed_operands(t, x, weight, stride, padding, dilation, extra, groups)
    gaps = _settings(**{f"d{c}": d for c, d in zip("dhw"[3 - axes :], dilation)})
    return t.value(f"torch_conv{axes}d({', '.join([x.text, weight.text, *gaps])})", extents)


def _transposed_operands(t, x, weight, stride, padding, dilation, extra, groups):
    """The operands of the plain convolution that a transposed one is.

    Zeros come between the elements of x (stride - 1), taps are read backwards, and the two channel
    axes of the weight are exchanged within each group.
    """
    for axis, (step, pad, gap, more) in enumerate(zip(stride, padding, dilation, extra), 2):
        t.program.extents.fix(weight.extents[axis])
        reach = gap * (t.program.extents.value(weight.extents[axis]) - 1)
        x = _padded(t, x, axis, reach - pad, reach - pad + more, step - 1)
        weight = t.value(f"reverse({weight.text}, axis={axis})", weight.extents)
    if groups == 1:
        return x, t.layouts.permute(weight, [1, 0] + list(range(2, weight.rank)))
    extents = t.program.extents
    inputs = extents.number(extents.value(weight.extents[0]) // groups, of_window=False)
    split = (extents.number(groups, of_window=False), inputs) + weight.extents[1:]
    parts = t.layouts.view(weight, split)
    parts = t.layouts.permute(parts, [0, 2, 1] + list(range(3, parts.rank)))
    outputs = extents.number(extents.value(weight.extents[1]) * groups, of_window=False)
    return x, t.layouts.view(parts, (outputs, inputs) + weight.extents[2:])


def _windows(t, x, kernel, stride, padding, dilation):
    """Settings of a pooling for each of its axes, which are the last ones."""
    axes = 3 if "3d" in t.operator else 2 if "2d" in t.operator else 1
    kernel, padding, dilation = (_each(v, axes) for v in (kernel, padding, dilation))
    stride = _each(stride, axes) if stride else kernel
    return list(zip(range(x.rank - axes, x.rank), kernel, stride, padding, dilation))


def _pooled(t, op, x, windows, ceil_mode=False):
    """x with its last axes pooled by torch_window_max or torch_window_sum: at once where two or
    three axes are, one by one where an axis is left alone."""
    windows = [w for w in windows if w[1:] != (1, 1, 0, 1)]
    if ceil_mode and op == "max":
        return _pooled_beyond(t, x, windows)
    extents = list(x.extents)
    values = {}
    for letter, (axis, k, s, p, d) in zip("dhw"[-len(windows) :], windows):
        extents[axis] = t.window(x.extents[axis], k, s, p, d, axis - x.rank)
        values |= {f"s{letter}": s, f"p{letter}": p} | ({f"d{letter}": d} if op == "max" else {})
    settings = _settings(**values)
    together = len(windows) > 1 and windows[0][0] == x.rank - len(windows)
    if together and settings is not None and len(settings) + len(windows) <= _MOST_SETTINGS:
        sizes = [f"k{c}={w[1]}" for c, w in zip("dhw"[-len(windows) :], windows)]
        text = f"torch_window_{op}{len(windows)}d({', '.join([x.text, *sizes, *settings])})"
        return t.value(text, extents)
    for axis, k, s, p, d in windows:
        one = x.extents[:axis] + (extents[axis],) + x.extents[axis + 1 :]
        step = f", d={d}" if op == "max" else ""
        x = t.value(f"torch_window_{op}({x.text}, axis={axis}, k={k}, s={s}, p={p}{step})", one)
    return x


def _pooled_beyond(t, x, windows):
    """ceil_mode: a window that begins inside counts though it ends beyond the padding."""
    for axis, k, s, p, d in windows:
        value = t.result_value(axis - x.rank)
        size = t.program.extents.value(x.extents[axis])
        if s != 1:
            t.program.extents.fix(x.extents[axis])
        if value == (size + 2 * p - d * (k - 1) - 1) // s + 1:
            extent = t.window(x.extents[axis], k, s, p, d, axis - x.rank)
            op = "max"
        else:
            n = x.extents[axis]
            last = f"min(({n} + {2 * p - d * (k - 1) + s - 2}) div {s}, ({n} + {p - 1}) div {s})"
            extent = t.program.extents.derive(f"({last} + 1)", value, of_window=True)
            op = "max_ceil"
        extents = x.extents[:axis] + (extent,) + x.extents[axis + 1 :]
        x = t.value(
            f"torch_window_{op}({x.text}, axis={axis}, k={k}, s={s}, p={p}, d={d})", extents
        )
    return x


@row("max_pool2d_with_indices.default", "max_pool3d_with_indices.default")
def _max_pool(t, x, kernel, stride=(), padding=0, dilation=1, ceil_mode=False):
    pooled = _pooled(t, "max", x, _windows(t, x, kernel, stride, padding, dilation), ceil_mode)
    return (pooled, Unsupported(t.operator, "the index of the maximum"))


@row("avg_pool1d.default", "avg_pool2d.default", "avg_pool3d.default")
def _avg_pool(t, x, kernel, stride=(), padding=0, ceil_mode=False, count_pad=True, divisor=None):
    windows = _windows(t, x, kernel, stride, padding, 1)
    only_inside = not count_pad and divisor is None and any(p for _, _, _, p, _ in windows)
    for axis, k, s, p, _ in windows:
        size = t.program.extents.value(x.extents[axis])
        if ceil_mode and s != 1:
            t.program.extents.fix(x.extents[axis])
        if ceil_mode and t.result_value(axis - x.rank) != (size + 2 * p - k) // s + 1:
            raise Unsupported(t.operator, "ceil_mode, with a window that ends outside")
    total = _pooled(t, "sum", x, windows)
    if only_inside:
        count = _pooled(t, "sum", t.constant(1, x.extents, "float"), windows)
        return t.value(f"{total.text} / {count.text}", total.extents)
    size = math.prod(k for _, k, _, _, _ in windows)
    return t.value(f"{total.text} / {number(divisor or size)}", total.extents)


@row("_adaptive_avg_pool2d.default", "_adaptive_avg_pool3d.default", "adaptive_avg_pool1d.default")
def _adaptive_avg_pool(t, x, sizes):
    first = x.rank - len(sizes)
    have = [t.program.extents.value(e) for e in x.extents[first:]]
    want = [t.size_of(e) for e in sizes]
    if any(h % w != 0 for h, w in zip(have, want)):
        raise Unsupported(t.operator, f"from {have} to {want}: windows of different extents")
    kernel = [h // w for h, w in zip(have, want)]
    for extent in x.extents[first:]:
        t.program.extents.fix(extent)
    windows = [(first + k, size, size, 0, 1) for k, size in enumerate(kernel)]
    total = _pooled(t, "sum", x, windows)
    return t.value(f"{total.text} / {number(math.prod(kernel))}", total.extents)
