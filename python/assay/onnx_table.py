"""The table of ONNX operators: one row each, by the operator's name."""

from .errors import Unsupported

ROWS = {}

# operators of one tensor that ONNX has of integers and truths, too
_OF_ALL = ("Relu", "Abs", "Neg", "Identity", "Not", "Sign")


def row(*names):
    """Adds a function as the row of these operators: it takes the call (onnx_model.py), the inputs
    and the attributes, and gives the results."""

    def add(function):
        ROWS.update(dict.fromkeys(names, function))
        return function

    return add


def of_reals(name, function):
    """The row of an operator of one tensor, which ONNX has of real numbers alone unless it is among
    those above."""

    def apply(call, x):
        if name not in _OF_ALL and not x.is_floating_point():
            raise Unsupported(f"ONNX {name}", f"of {x.dtype}")
        return function(x)

    return apply


def axis_of(x, axis):
    """An axis of a tensor, counted from the left; what is none is an error, as ONNX says."""
    if not -x.dim() <= axis < x.dim():
        raise IndexError(f"axis {axis} of {x.dim()} axes")
    return axis % x.dim()


def axes_of(x, axes):
    """The same of several, none of which is named twice."""
    found = [axis_of(x, axis) for axis in axes]
    if len(set(found)) != len(found):
        raise IndexError(f"the axes {axes}, of which two are one")
    return tuple(found)
