"""A counterexample given to the functions themselves: what PyTorch computes there."""

import math
from fractions import Fraction

import torch

from .running import state_kept

_KINDS = torch.export.graph_signature.InputKind


def tensor_of(shape, values, dtype):
    """The tensor that an input of a counterexample is: of an argument of truths or integers one of
    that type, of others one of doubles."""
    flat = torch.tensor([float(Fraction(value)) for value in values], dtype=torch.float64)
    made = flat.reshape(shape)
    if dtype == torch.bool:
        return made != 0
    return made if dtype.is_floating_point else made.to(dtype)


def beyond_types(inputs, types):
    """The first input that is to have an integer which its type has not; else None."""
    for name, tensor in inputs.items():
        if types[name].is_floating_point or types[name] == torch.bool:
            continue
        limits = torch.iinfo(types[name])
        if not all(limits.min <= Fraction(value) <= limits.max for value in tensor["values"]):
            return name
    return None


def nested(shape, values):
    """The flat row-major values as lists of lists; of a tensor without axes, its one value."""
    if not shape:
        return values[0]
    stride = math.prod(shape[1:])
    return [nested(shape[1:], values[row * stride : (row + 1) * stride]) for row in range(shape[0])]


def results(function, exported, inputs, of_its_types=False):
    """What a function gives for inputs, by the names of its placeholders, and None; or None, and
    what it raises.  It runs in double precision, or else in the types that it was made for, with
    `of_its_types` in these alone.
    """
    made_for = _as_exported(exported, inputs)
    for given in (made_for,) if of_its_types else (inputs, made_for):
        try:
            with state_kept(function):
                return _call(function, exported, given), None
        except Exception as raised:  # noqa: BLE001  (whatever the function's own code raises)
            problem = raised
    return None, problem


def _as_exported(exported, inputs):
    types = {
        node.name: node.meta["val"].dtype
        for node in exported.graph_module.graph.nodes
        if isinstance(node.meta.get("val"), torch.Tensor)
    }
    return {name: tensor.to(types[name]) for name, tensor in inputs.items()}


def _call(function, exported, inputs):
    leaves, state = [], {}
    for spec in exported.graph_signature.input_specs:
        if spec.kind == _KINDS.USER_INPUT:
            is_fixed = isinstance(spec.arg, torch.export.graph_signature.ConstantArgument)
            leaves.append(spec.arg.value if is_fixed else inputs[spec.arg.name].clone())
        elif spec.kind in (_KINDS.PARAMETER, _KINDS.BUFFER):
            state[spec.target] = inputs[spec.arg.name].clone()
    form = exported.call_spec.in_spec
    arguments, keywords = torch.utils._pytree.tree_unflatten(leaves, form)
    if isinstance(function, torch.nn.Module):
        return torch.func.functional_call(function, state, arguments, keywords)
    return function(*arguments, **keywords)
