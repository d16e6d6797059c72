#!/usr/bin/env python3
"""Every operator of the library against NumPy (and PyTorch, where it can be imported), at random
small shapes, axes of 0 and 1 among them.

numpy_ops.py OP_EVAL SEM_FOLDER: OP_EVAL evaluates calls as the .sem files say; the table below says
what NumPy has for each operator. Exit status 0 all agree, 1 some do not or an operator has no row,
77 no NumPy.  What is undefined by the specification must not be finite here, except where a row
says why NumPy defines it.
"""

import json
import math
import random
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("SKIP: NumPy is not installed; the operators are not compared with it")
    sys.exit(77)
try:
    import torch
    import torch.nn.functional as tf
except ImportError:
    torch = None

CALLS = 60
rng = random.Random(20260101)


def extent(least=0):
    return rng.choice([n for n in (0, 1, 1, 2, 2, 3, 3, 4) if n >= least])


def shape(rank=None, least=0):
    return [extent(least) for _ in range(rng.randrange(4) if rank is None else rank)]


def data(dims, kind="any"):
    n = math.prod(dims)
    values = {
        "any": lambda: rng.randrange(-12, 13) / 4,
        "bool": lambda: rng.randrange(2),
        "int": lambda: rng.randrange(-5, 6),
    }
    return np.array([values[kind]() for _ in range(n)], dtype=float).reshape(dims)


def unary(kind="any"):
    return lambda: ([data(shape(), kind)], {})


def binary(kind="any"):
    def make():
        a = shape()
        b = [d if rng.randrange(4) else 1 for d in a]
        a = [d if rng.randrange(4) else 1 for d in a]
        b = b[rng.randrange(len(b) + 1) :] if rng.randrange(2) else b
        if rng.randrange(2):
            a, b = b, a
        return [data(a, kind), data(b, kind)], {}

    return make


def along(least=0, **attrs):
    """a tensor and one of its axes, counted from either end; attributes as functions of the extent
    there"""

    def make():
        dims = shape(rng.randrange(1, 4))
        axis = rng.randrange(len(dims))
        dims[axis] = extent(least)
        out = {k: f(dims[axis]) for k, f in attrs.items()}
        out["axis"] = axis if rng.randrange(2) else axis - len(dims)
        return [data(dims)], out

    return make


def reduction(kind="any"):
    def make():
        dims = shape(rng.randrange(1, 4))
        return [data(dims, kind)], {"axis": rng.randrange(-len(dims), len(dims))}

    return make


def slicing():
    (x,), attrs = along()()
    n = x.shape[attrs["axis"]]
    start = rng.randrange(n + 1)
    attrs.update(start=start, stop=rng.randrange(start, n + 1), step=rng.randrange(1, 4))
    return [x], attrs


def dynamic(clamped, update=False):
    def make():
        (x,), attrs = along(1)()
        n = x.shape[attrs["axis"]]
        size = rng.randrange(n + 1)
        attrs["start"] = rng.randrange(-3, n + 4) if clamped else rng.randrange(n - size + 1)
        if not update:
            attrs["size"] = size
            return [x], attrs
        dims = list(x.shape)
        dims[attrs["axis"]] = size
        return [x, data(dims)], attrs

    return make


def start_of(x, a, size):
    return max(min(a["start"], x.shape[a["axis"]] - size), 0)


def take(x, axis, start, size):
    return np.take(x, range(start, start + size), axis=axis)


def put(x, u, a):
    out, axis = x.copy(), a["axis"] % x.ndim
    s = start_of(x, a, u.shape[axis])
    out[(slice(None),) * axis + (slice(s, s + u.shape[axis]),)] = u
    return out


def padding():
    (x,), attrs = along(
        low=lambda n: rng.randrange(-1, 3),
        interior=lambda n: rng.randrange(3),
        high=lambda n: rng.randrange(-1, 3),
    )()
    return [x, data([])], attrs


def pad(x, v, a):
    axis, n = a["axis"] % x.ndim, x.shape[a["axis"]]
    length = a["low"] + n + max(n - 1, 0) * a["interior"] + a["high"]
    if length < 0:
        return None
    out = np.full(x.shape[:axis] + (length,) + x.shape[axis + 1 :], v)
    for k in range(n):
        at = a["low"] + k * (a["interior"] + 1)
        if 0 <= at < length:
            out[(slice(None),) * axis + (at,)] = x[(slice(None),) * axis + (k,)]
    return out


def split():
    outer, inner = extent(), extent()
    dims = shape(rng.randrange(1, 3))
    axis = rng.randrange(len(dims))
    dims[axis] = outer * inner
    return [data(dims)], {"axis": axis, "outer": outer, "inner": inner}


def merge():
    dims = shape(rng.randrange(2, 4))
    return [data(dims)], {"axis": rng.randrange(len(dims) - 1)}


def concat():
    dims = shape(rng.randrange(1, 4))
    axis = rng.randrange(len(dims))
    other = dims[:axis] + [extent()] + dims[axis + 1 :]
    return [data(dims), data(other)], {"axis": axis - len(dims)}


def one_at(**attrs):
    def make():
        dims = shape(rng.randrange(1, 4))
        axis = rng.randrange(len(dims))
        dims[axis] = 1
        return [data(dims)], {"axis": axis, **{k: f() for k, f in attrs.items()}}

    return make


def conv1d():
    n, c, o = extent(), extent(1), extent()
    attrs = {
        "low": rng.randrange(-1, 3),
        "high": rng.randrange(-1, 3),
        "base_dilation": rng.randrange(1, 3),
        "window_dilation": rng.randrange(1, 3),
        "stride": rng.randrange(1, 4),
    }
    return [data([n, c, extent(1)]), data([c, o, extent(1)])], attrs


def np_conv1d(x, f, a):
    n, c, h = x.shape
    _, o, k = f.shape
    wide = pad(
        x, 0.0, {"axis": 2, "low": a["low"], "interior": a["base_dilation"] - 1, "high": a["high"]}
    )
    if wide is None:
        wide = np.zeros((n, c, 0))
    reach = (k - 1) * a["window_dilation"] + 1
    places = range(0, wide.shape[2] - reach + 1, a["stride"])
    out = np.zeros((n, o, len(places)))
    for t, s in enumerate(places):
        out[:, :, t] = np.einsum("nck,cok->no", wide[:, :, s : s + reach : a["window_dilation"]], f)
    return out


def windows(kernel):
    """arguments of a two-dimensional convolution or pooling, NCHW, padded by less than the
    window"""

    def make():
        kh, kw = extent(1), extent(1)
        edges = {
            "top": rng.randrange(kh),
            "bottom": rng.randrange(kh),
            "left": rng.randrange(kw),
            "right": rng.randrange(kw),
        }
        attrs = {"stride_h": rng.randrange(1, 3), "stride_w": rng.randrange(1, 3), **edges}
        groups = rng.randrange(1, 3)
        ci, per = extent(1), extent(1)
        x = data([extent(), ci * groups if kernel else extent(1), extent(1), extent(1)])
        if kernel:
            return [x, data([per * groups, ci, kh, kw])], attrs
        return [x], {"kh": kh, "kw": kw, **attrs}

    return make


def same_windows(kernel, strided=False):
    def make():
        args, attrs = windows(kernel)()
        kh, kw = attrs.get("kh"), attrs.get("kw")
        attrs = {"stride_h": attrs["stride_h"], "stride_w": attrs["stride_w"]} if strided else {}
        return args, attrs if kernel else {"kh": kh, "kw": kw, **attrs}

    return make


def patches(x, kh, kw, a, fill):
    """[n, c, y, z, kh, kw]: what each window reads, `fill` outside"""
    n, c, h, w = x.shape
    wide = np.full((n, c, a["top"] + h + a["bottom"], a["left"] + w + a["right"]), fill)
    wide[:, :, a["top"] : a["top"] + h, a["left"] : a["left"] + w] = x
    ny = max((wide.shape[2] - kh + a["stride_h"]) // a["stride_h"], 0)
    nz = max((wide.shape[3] - kw + a["stride_w"]) // a["stride_w"], 0)
    out = np.zeros((n, c, ny, nz, kh, kw))
    for y in range(ny):
        for z in range(nz):
            top, left = y * a["stride_h"], z * a["stride_w"]
            out[:, :, y, z] = wide[:, :, top : top + kh, left : left + kw]
    return out


def same_edges(x, kh, kw, sh=1, sw=1, larger_first=True):
    edges = {}
    for extent_, k, s, first, last in (
        (x.shape[2], kh, sh, "top", "bottom"),
        (x.shape[3], kw, sw, "left", "right"),
    ):
        total = max((-(-extent_ // s) - 1) * s + k - extent_, 0)
        edges[first] = total // 2 if not larger_first else total - total // 2
        edges[last] = total - edges[first]
    return {"stride_h": sh, "stride_w": sw, **edges}


def np_conv2d(x, f, a):
    o, ci, kh, kw = f.shape
    p = patches(x, kh, kw, a, 0.0)
    groups, per = x.shape[1] // ci, o // (x.shape[1] // ci)
    parts = [
        np.einsum("ncyzab,ocab->noyz", p[:, g * ci : (g + 1) * ci], f[g * per : (g + 1) * per])
        for g in range(groups)
    ]
    return np.concatenate(parts, axis=1)


def mean_patches(x, a, edges, count_padding):
    p = patches(x, a["kh"], a["kw"], edges, np.nan)
    return (
        np.nansum(p, axis=(4, 5)) / (a["kh"] * a["kw"])
        if count_padding
        else np.nanmean(p, axis=(4, 5))
    )


def normalized(x, eps, centred):
    x = x - x.mean(axis=-1, keepdims=True) if centred else x
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps)


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True)) if x.shape[axis] else x
    return e / e.sum(axis=axis, keepdims=True)


def batches():
    """matrices with batch axes that broadcast"""
    (x, y), _ = binary()()
    m, k, n = extent(), extent(), extent()
    return [data(list(x.shape) + [m, k]), data(list(y.shape) + [k, n])], {}


def two_axes(least=0):
    """a tensor and the first of two of its axes that follow each other"""

    def make():
        dims = shape(rng.randrange(2, 4))
        axis = rng.randrange(len(dims) - 1)
        dims[axis : axis + 2] = [extent(least), extent(least)]
        return [data(dims)], {"axis": axis - rng.choice((0, len(dims)))}

    return make


def pair_of(a):
    return a["axis"], a["axis"] + 1


def swapped():
    dims = shape(rng.randrange(2, 5))
    first = rng.randrange(len(dims) - 1)
    return [data(dims)], {"first": first, "second": rng.randrange(first + 1, len(dims))}


def moved():
    dims = shape(rng.randrange(1, 5))
    axis = rng.randrange(len(dims))
    return [data(dims)], {"axis": axis, "by": rng.randrange(len(dims) - axis)}


def recurrence():
    dims = shape(rng.randrange(1, 4))
    return [data(dims), data(dims)], {}


def np_scan(d, x, a):
    out = np.array(x)
    for i in range(1, x.shape[-1]):
        out[..., i] = d[..., i] * out[..., i - 1] + x[..., i]
    return out


def places(n, dims):
    """indices, now and then one that is out of range"""
    return np.array(
        [
            rng.randrange(-1, n + 1) if rng.randrange(8) == 0 else rng.randrange(n) if n else 0
            for _ in range(math.prod(dims))
        ],
        dtype=float,
    ).reshape(dims)


def gathering():
    dims = shape(rng.randrange(1, 4))
    axis = rng.randrange(len(dims))
    return [data(dims), places(dims[axis], [extent()])], {"axis": axis}


def rows():
    dims = shape(rng.randrange(1, 3))
    return [data(dims), places(dims[0], shape(rng.randrange(3)))], {}


def sliding():
    dims = shape(rng.randrange(1, 4))
    axis = rng.randrange(len(dims))
    size = rng.randrange(dims[axis] + 1)
    return [data(dims), places(dims[axis] - size + 1, [])], {"axis": axis, "size": size}


def taken(x, axis, at):
    """x at these places of an axis; NaN where there is none"""
    at = at.astype(int)
    inside = (at >= 0) & (at < x.shape[axis])
    shape_ = x.shape[:axis] + at.shape + x.shape[axis + 1 :]
    if x.shape[axis] == 0:
        return np.full(shape_, np.nan)
    out = np.take(x, np.where(inside, at, 0), axis=axis)
    return np.where(inside.reshape(at.shape + (1,) * (x.ndim - axis - 1)), out, np.nan)


erf = np.vectorize(math.erf, otypes=[float])
# operator: (arguments, NumPy); the function gets the arguments and the attributes
TABLE = {
    "add": (binary(), lambda x, y, a: x + y),
    "sub": (binary(), lambda x, y, a: x - y),
    "mul": (binary(), lambda x, y, a: x * y),
    "div": (binary(), lambda x, y, a: x / y),
    "maximum": (binary(), lambda x, y, a: np.maximum(x, y)),
    "minimum": (binary(), lambda x, y, a: np.minimum(x, y)),
    "neg": (unary(), lambda x, a: -x),
    "square": (unary(), lambda x, a: np.square(x)),
    "abs": (unary(), lambda x, a: np.abs(x)),
    "sqrt": (unary(), lambda x, a: np.sqrt(x)),
    "rsqrt": (unary(), lambda x, a: 1 / np.sqrt(x)),
    "exp": (unary(), lambda x, a: np.exp(x)),
    "log": (unary(), lambda x, a: np.log(x)),
    "relu": (unary(), lambda x, a: np.maximum(x, 0)),
    "clamp": (
        lambda: (unary()()[0], {"lo": rng.randrange(-3, 1), "hi": rng.randrange(0, 3)}),
        lambda x, a: np.clip(x, a["lo"], a["hi"]),
    ),
    "sigmoid": (unary(), lambda x, a: 1 / (1 + np.exp(-x))),
    "silu": (unary(), lambda x, a: x / (1 + np.exp(-x))),
    "tanh": (unary(), lambda x, a: np.tanh(x)),
    "gelu": (unary(), lambda x, a: 0.5 * x * (1 + erf(x / math.sqrt(2)))),
    "pow": (
        lambda: (unary()()[0], {"n": rng.randrange(-3, 4)}),
        lambda x, a: np.power(x, float(a["n"])),
    ),
    "floor": (unary(), lambda x, a: np.floor(x)),
    "round": (unary(), lambda x, a: np.round(x)),
    "sin": (unary(), lambda x, a: np.sin(x)),
    "cos": (unary(), lambda x, a: np.cos(x)),
    "full": (
        lambda: (unary()()[0], {"size": extent()}),
        lambda x, a: np.broadcast_to(x, (a["size"],) + x.shape),
    ),
    "full_like": (lambda: ([data(shape()), data([])], {}), lambda x, v, a: np.full_like(x, v)),
    "broadcast_along": (
        lambda: ([data(shape()), data(shape())], {}),
        lambda x, y, a: np.broadcast_to(x.reshape(x.shape + (1,) * y.ndim), x.shape + y.shape),
    ),
    "iota": (lambda: ([], {"size": extent()}), lambda a: np.arange(a["size"])),
    "identity": (lambda: ([], {"size": extent()}), lambda a: np.eye(a["size"])),
    "reverse": (along(), lambda x, a: np.flip(x, a["axis"])),
    "pad": (padding, pad),
    "dynamic_slice": (dynamic(False), lambda x, a: take(x, a["axis"], a["start"], a["size"])),
    "dynamic_slice_clamped": (
        dynamic(True),
        lambda x, a: take(x, a["axis"], start_of(x, a, a["size"]), a["size"]),
    ),
    "dynamic_update_slice": (dynamic(False, True), put),
    "dynamic_update_slice_clamped": (dynamic(True, True), put),
    "remainder": (binary("int"), lambda x, y, a: np.fmod(x, y)),
    "matmul": (batches, lambda x, y, a: x @ y),
    "dot": (
        lambda: (lambda d, k, e: ([data(d + [k]), data([k] + e)], {}))(
            shape(rng.randrange(3)), extent(), shape(rng.randrange(3))
        ),
        lambda x, y, a: np.tensordot(x, y, 1),
    ),
    "greater": (binary("int"), lambda x, y, a: x > y),
    "less": (binary("int"), lambda x, y, a: x < y),
    "greater_equal": (binary("int"), lambda x, y, a: x >= y),
    "less_equal": (binary("int"), lambda x, y, a: x <= y),
    "equal": (binary("int"), lambda x, y, a: x == y),
    "not_equal": (binary("int"), lambda x, y, a: x != y),
    "select": (
        lambda: (lambda d: ([data(d, "bool"), data(d), data(d)], {}))(shape()),
        lambda c, x, y, a: np.where(c != 0, x, y),
    ),
    "select_by": (
        lambda: (lambda d: ([data([], "bool"), data(d), data(d)], {}))(shape()),
        lambda c, x, y, a: np.where(c != 0, x, y),
    ),
    "masked_fill": (
        lambda: (lambda xp: ([xp[0], (xp[1] > 0).astype(float), data([])], {}))(binary()()[0]),
        lambda x, p, v, a: np.where(p != 0, v, x),
    ),
    "logical_not": (unary("bool"), lambda x, a: np.logical_not(x)),
    "logical_and": (binary("bool"), lambda x, y, a: np.logical_and(x, y)),
    "logical_or": (binary("bool"), lambda x, y, a: np.logical_or(x, y)),
    "all": (reduction("bool"), lambda x, a: np.all(x != 0, axis=a["axis"])),
    "any": (reduction("bool"), lambda x, a: np.any(x != 0, axis=a["axis"])),
    "softmax": (reduction(), lambda x, a: softmax(x, a["axis"])),
    "rms_norm": (
        lambda: ([data(shape(rng.randrange(1, 4)))], {"eps": rng.choice([0.0, 0.5])}),
        lambda x, a: normalized(x, a["eps"], False),
    ),
    "layer_norm": (
        lambda: ([data(shape(rng.randrange(1, 4)))], {"eps": 0.25}),
        lambda x, a: normalized(x, a["eps"], True),
    ),
    "sum": (reduction(), lambda x, a: x.sum(axis=a["axis"])),
    "mean": (reduction(), lambda x, a: x.mean(axis=a["axis"])),
    "max": (
        reduction(),
        lambda x, a: x.max(axis=a["axis"], initial=None if x.shape[a["axis"]] else np.nan),
    ),
    "min": (
        reduction(),
        lambda x, a: x.min(axis=a["axis"], initial=None if x.shape[a["axis"]] else np.nan),
    ),
    "sum_keep": (reduction(), lambda x, a: x.sum(axis=a["axis"], keepdims=True)),
    "mean_keep": (reduction(), lambda x, a: x.mean(axis=a["axis"], keepdims=True)),
    "max_keep": (
        reduction(),
        lambda x, a: x.max(
            axis=a["axis"], keepdims=True, initial=None if x.shape[a["axis"]] else np.nan
        ),
    ),
    "min_keep": (
        reduction(),
        lambda x, a: x.min(
            axis=a["axis"], keepdims=True, initial=None if x.shape[a["axis"]] else np.nan
        ),
    ),
    "sum2": (two_axes(), lambda x, a: x.sum(axis=pair_of(a))),
    "mean2": (two_axes(), lambda x, a: x.mean(axis=pair_of(a))),
    "max2": (two_axes(1), lambda x, a: x.max(axis=pair_of(a))),
    "min2": (two_axes(1), lambda x, a: x.min(axis=pair_of(a))),
    "cumsum": (reduction(), lambda x, a: np.cumsum(x, axis=a["axis"])),
    "cumprod": (reduction(), lambda x, a: np.cumprod(x, axis=a["axis"])),
    "cummax": (reduction(), lambda x, a: np.maximum.accumulate(x, axis=a["axis"])),
    "cummin": (reduction(), lambda x, a: np.minimum.accumulate(x, axis=a["axis"])),
    "linear_scan": (recurrence, np_scan),
    "gather": (gathering, lambda x, at, a: taken(x, a["axis"], at)),
    "embedding": (rows, lambda w, at, a: taken(w, 0, at)),
    "slice_at": (sliding, lambda x, s, a: taken(x, a["axis"], s + np.arange(a["size"]))),
    "swap_axes": (swapped, lambda x, a: np.swapaxes(x, a["first"], a["second"])),
    "move_axis": (moved, lambda x, a: np.moveaxis(x, a["axis"], a["axis"] + a["by"])),
    "mul_by": (lambda: (unary()()[0], {"n": extent()}), lambda x, a: x * a["n"]),
    "div_by": (lambda: (unary()()[0], {"n": extent()}), lambda x, a: x / np.float64(a["n"])),
    "transpose": (
        lambda: (lambda x: ([x], {"axis": rng.randrange(x.ndim - 1)}))(
            data(shape(rng.randrange(2, 4)))
        ),
        lambda x, a: np.swapaxes(x, a["axis"], a["axis"] + 1),
    ),
    "split_axis": (
        split,
        lambda x, a: x.reshape(
            x.shape[: a["axis"]] + (a["outer"], a["inner"]) + x.shape[a["axis"] + 1 :]
        ),
    ),
    "merge_axes": (
        merge,
        lambda x, a: x.reshape(
            x.shape[: a["axis"]]
            + (x.shape[a["axis"]] * x.shape[a["axis"] + 1],)
            + x.shape[a["axis"] + 2 :]
        ),
    ),
    "concat": (concat, lambda x, y, a: np.concatenate([x, y], axis=a["axis"])),
    "slice": (
        slicing,
        lambda x, a: np.take(x, range(a["start"], a["stop"], a["step"]), axis=a["axis"]),
    ),
    "repeat": (
        along(times=lambda n: rng.randrange(1, 4)),
        lambda x, a: np.repeat(x, a["times"], axis=a["axis"]),
    ),
    "tile": (
        along(times=lambda n: rng.randrange(4)),
        lambda x, a: (
            np.concatenate([x] * a["times"], axis=a["axis"])
            if a["times"]
            else take(x, a["axis"], 0, 0)
        ),
    ),
    "broadcast": (one_at(size=extent), lambda x, a: np.repeat(x, a["size"], axis=a["axis"])),
    "expand_dims": (
        lambda: (lambda x: ([x], {"axis": rng.randrange(x.ndim + 1)}))(data(shape())),
        lambda x, a: np.expand_dims(x, a["axis"]),
    ),
    "squeeze": (one_at(), lambda x, a: np.squeeze(x, axis=a["axis"])),
    "conv": (conv1d, np_conv1d),
    "conv2d": (windows(True), np_conv2d),
    "conv2d_same": (
        same_windows(True),
        lambda x, f, a: np_conv2d(x, f, same_edges(x, f.shape[2], f.shape[3])),
    ),
    "conv2d_same_strided": (
        same_windows(True, True),
        lambda x, f, a: np_conv2d(
            x, f, same_edges(x, f.shape[2], f.shape[3], a["stride_h"], a["stride_w"])
        ),
    ),
    "identity_kernel": (
        lambda: ([], {"channels": extent(), "kh": extent(1), "kw": extent(1)}),
        lambda a: np.multiply.outer(
            np.ones((a["channels"], 1)),
            np.eye(1, a["kh"] * a["kw"], a["kh"] // 2 * a["kw"] + a["kw"] // 2).reshape(
                a["kh"], a["kw"]
            ),
        ),
    ),
    "avg_pool2d": (windows(False), lambda x, a: mean_patches(x, a, a, True)),
    "avg_pool2d_in_range": (windows(False), lambda x, a: mean_patches(x, a, a, False)),
    "avg_pool2d_same": (
        same_windows(False),
        lambda x, a: mean_patches(x, a, same_edges(x, a["kh"], a["kw"]), True),
    ),
    "max_pool2d": (
        windows(False),
        lambda x, a: patches(x, a["kh"], a["kw"], a, -np.inf).max(axis=(4, 5)),
    ),
}


def torch_table():
    """what PyTorch names itself: the same arguments, its own function"""

    def tensor(x):
        return torch.from_numpy(np.ascontiguousarray(x)).reshape(x.shape)

    def symmetric(a):
        return (
            a["top"] == a["bottom"]
            and a["left"] == a["right"]
            and 2 * a["top"] <= a["kh"]
            and 2 * a["left"] <= a["kw"]
        )

    def pool(f, **more):
        def run(x, a):
            if (
                not symmetric(a)
                or x.size == 0
                or x.shape[2] + 2 * a["top"] < a["kh"]
                or x.shape[3] + 2 * a["left"] < a["kw"]
            ):
                return None
            return f(
                tensor(x),
                (a["kh"], a["kw"]),
                (a["stride_h"], a["stride_w"]),
                (a["top"], a["left"]),
                **more,
            ).numpy()

        return run

    def conv(x, w, a):
        if (
            not (a["top"] == a["bottom"] and a["left"] == a["right"])
            or 0 in x.shape
            or x.shape[2] + 2 * a["top"] < w.shape[2]
            or x.shape[3] + 2 * a["left"] < w.shape[3]
        ):
            return None
        return tf.conv2d(
            tensor(x),
            tensor(w),
            None,
            (a["stride_h"], a["stride_w"]),
            (a["top"], a["left"]),
            1,
            x.shape[1] // w.shape[1],
        ).numpy()

    return {
        "silu": lambda x, a: tf.silu(tensor(x)).numpy(),
        "gelu": lambda x, a: tf.gelu(tensor(x)).numpy(),
        "sigmoid": lambda x, a: torch.sigmoid(tensor(x)).numpy(),
        "softmax": lambda x, a: tf.softmax(tensor(x), a["axis"]).numpy(),
        "remainder": lambda x, y, a: torch.fmod(tensor(x), tensor(y)).numpy(),
        "layer_norm": lambda x, a: (
            tf.layer_norm(tensor(x), x.shape[-1:], eps=a["eps"]).numpy() if x.shape[-1] else None
        ),
        "avg_pool2d": pool(tf.avg_pool2d),
        "avg_pool2d_in_range": pool(tf.avg_pool2d, count_include_pad=False),
        "max_pool2d": pool(tf.max_pool2d),
        "conv2d": conv,
    }


def differs(mine, theirs):
    """None, or how the results differ"""
    got = np.array([math.nan if v is None else v for v in mine["data"]]).reshape(mine["dim"])
    want = np.asarray(theirs, dtype=float)
    if got.shape != want.shape:
        return f"shape {list(got.shape)}, there {list(want.shape)}"
    undefined = np.isnan(got)
    if np.any(undefined & np.isfinite(want)) or np.any(~undefined & ~np.isfinite(want)):
        return f"undefined in one only: {got.tolist()}, there {want.tolist()}"
    if not np.allclose(got[~undefined], want[~undefined], rtol=1e-9, atol=1e-9):
        return f"{got.tolist()}, there {want.tolist()}"
    return None


def main(op_eval, folder, library):
    np.seterr(all="ignore")
    import warnings

    warnings.simplefilter("ignore", RuntimeWarning)
    names = library.split()
    bad = [f"{n}: no row in the table" for n in names if n not in TABLE] + [
        f"{n}: a row, and no such operator" for n in TABLE if n not in names
    ]
    calls = [(n, *TABLE[n][0]()) for n in names if n in TABLE for _ in range(CALLS)]
    text = json.dumps(
        [
            {
                "op": n,
                "args": [{"dim": list(x.shape), "data": x.ravel().tolist()} for x in args],
                "attrs": attrs,
            }
            for n, args, attrs in calls
        ]
    )
    done = subprocess.run([op_eval, folder], input=text, capture_output=True, text=True, check=True)
    torch_rows = torch_table() if torch else {}
    count, torch_count, per = 0, 0, {}
    for (name, args, attrs), mine in zip(calls, json.loads(done.stdout)):
        theirs = [("NumPy", TABLE[name][1](*args, attrs))]
        if torch_rows.get(name):
            theirs.append(("PyTorch", torch_rows[name](*args, attrs)))
        for who, result in theirs:
            if result is None:
                continue
            why = f"refused here: {mine['error']}" if "error" in mine else differs(mine, result)
            if why:
                bad.append(
                    f"{name} of {[list(x.shape) for x in args]} {attrs} against {who}: {why}"
                )
            count, torch_count = count + 1, torch_count + (who == "PyTorch")
            per[name] = per.get(name, 0) + 1
    bad += [
        f"{n}: only {per.get(n, 0)} calls could be compared"
        for n in names
        if n in TABLE and per.get(n, 0) < CALLS // 2
    ]
    for line in bad[:30]:
        print("FAIL:", line)
    print(
        f"{len(names)} operators, {count} results compared, {torch_count} of them with PyTorch,"
        f" {len(bad)} differ"
        + ("" if torch else "; PyTorch is not installed")
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.stdin.read()))
