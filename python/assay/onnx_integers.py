"""Integers of an ONNX model that say shapes and axes: constants, extents, and what is computed of
these alone.

An exporter writes x.reshape(x.shape[0], -1) as Shape, Gather, Unsqueeze, Concat and Reshape.  Such
integers are computed here, with the extents as the sizes that they are, beside the tensors.
"""

import math

import numpy
import torch


def as_array(tensor):
    """A tensor of integers, as an array of Python's."""
    return numpy.array(tensor.tolist(), dtype=object)


def as_tensor(array):
    """The same as a tensor; extents that are sizes stay so."""
    if array.size and all(isinstance(x, (bool, numpy.bool_)) for x in array.reshape(-1)):
        return torch.tensor(array.astype(bool))
    flat = [x if isinstance(x, torch.SymInt) else int(x) for x in array.reshape(-1)]
    if not any(isinstance(x, torch.SymInt) for x in flat):
        return torch.tensor(flat, dtype=torch.int64).reshape(array.shape)
    parts = [torch.scalar_tensor(x, dtype=torch.int64) for x in flat]
    return torch.stack(parts).reshape(array.shape)


def _of_sizes(values):
    return numpy.array(list(values), dtype=object)


def shape_of(tensor, start=0, end=None):
    return _of_sizes(tensor.shape[start:end])


def _slice(x, starts, ends, axes=None, steps=None):
    starts, ends = list(starts), list(ends)
    axes = range(len(starts)) if axes is None else [int(axis) for axis in axes]
    steps = [1] * len(starts) if steps is None else [int(step) for step in steps]
    cut = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps):
        cut[axis] = slice(int(start), int(end), step)
    return x[tuple(cut)]


def _divided(x, y):
    """Integers of ONNX are divided towards 0; extents are not below it."""
    return numpy.frompyfunc(lambda a, b: a // b if _is_size(a) else int(a / b), 2, 1)(x, y)


def _is_size(x):
    return isinstance(x, torch.SymInt) or x >= 0


def _unsqueezed(x, at=None, axes=None):
    axes = at if at is not None else axes
    for axis in sorted(int(a) % (x.ndim + len(axes)) for a in axes):
        x = numpy.expand_dims(x, axis)
    return x


def _squeezed(x, at=None, axes=None):
    axes = at if at is not None else axes
    return x.squeeze(None if axes is None else tuple(int(a) for a in axes))


def _reshaped(x, shape, allowzero=0):
    return x.reshape([int(x.shape[k] if e == 0 else e) for k, e in enumerate(shape)])


def _product(x, axes=None, keepdims=1, noop_with_empty_axes=0):
    return numpy.array(math.prod(x.reshape(-1)), dtype=object).reshape((1,) if keepdims else ())


def _ranged(start, limit, delta):
    values = (int(x.reshape(-1)[0]) for x in (start, limit, delta))
    return _of_sizes(range(*values))


# what is computed of integers alone; another operator of them makes a tensor
COMPUTED = {
    "Add": numpy.add,
    "Sub": numpy.subtract,
    "Mul": numpy.multiply,
    "Div": _divided,
    "Identity": lambda x: x,
    "Gather": lambda x, at, axis=0: numpy.take(x, at.astype(int), axis),
    "Concat": lambda *parts, axis: numpy.concatenate(parts, axis),
    "Slice": _slice,
    "Squeeze": _squeezed,
    "Unsqueeze": _unsqueezed,
    "Reshape": _reshaped,
    "ReduceProd": _product,
    "Range": _ranged,
    "Mod": numpy.remainder,
    "Equal": lambda x, y: numpy.frompyfunc(lambda a, b: bool(a == b), 2, 1)(x, y),
    "Not": lambda x: numpy.frompyfunc(lambda a: not a, 1, 1)(x),
    "And": lambda x, y: numpy.frompyfunc(lambda a, b: bool(a and b), 2, 1)(x, y),
    "Where": lambda condition, x, y: numpy.where(condition.astype(bool), x, y),
    "Max": lambda *parts: numpy.frompyfunc(torch.sym_max, 2, 1).reduce(parts),
    "Min": lambda *parts: numpy.frompyfunc(torch.sym_min, 2, 1).reduce(parts),
}


def _filled(shape, value):
    """An array of one integer; None where it is none, or as long as a size."""
    from onnx import numpy_helper

    if value is None or any(isinstance(extent, torch.SymInt) for extent in shape):
        return None
    held = numpy_helper.to_array(value)
    if held.dtype.kind != "i":
        return None
    return numpy.full([int(extent) for extent in shape], held.reshape(-1)[0].item(), dtype=object)


def computed(kind, arrays, attributes):
    """What an operator gives of known integers, as an array; None where it is none of those above,
    or the sizes do not allow it."""
    if kind == "Cast":
        return arrays[0] if attributes.get("to") in (6, 7) else None  # to int32, int64
    if kind == "ConstantOfShape":
        return _filled(arrays[0], attributes.get("value"))
    compute = COMPUTED.get(kind)
    if compute is None or any(x is None for x in arrays):
        return None
    try:
        found = compute(*arrays, **attributes)
    except (TypeError, ValueError, IndexError):
        return None  # a size where a number is wanted, such as in a range
    return numpy.asarray(found, dtype=object)
