"""What torch.export makes of modules with a state, and of networks over sequences.

Networks over sequences would be taken apart into operators of each step and layer.  Of a few steps
that is what is wanted; of many it would be thousands of operators, after minutes, so these stay with
PyTorch as a whole: while a function is exported, a call of such a network is a call of an operator of
our own, which does what PyTorch's does and has the extents of its results at once.
"""

import contextlib
import dis
import inspect

import torch
from torch.overrides import TorchFunctionMode

from .custom import LIBRARY

# A network of at most so many steps, counted in each layer and direction, is taken apart.
MOST_STEPS = 8

_SETTINGS = (
    "bool has_biases, int layers, float dropout, bool train, bool both_ways, bool batch_first"
)
# the networks, and how many tensors their state is
NETWORKS = {"lstm": 2, "gru": 1, "rnn_tanh": 1, "rnn_relu": 1}


def _defined(name, states):
    """The operator of our own that is PyTorch's network of that name."""
    network = getattr(torch, name)
    state = "Tensor[] state" if states > 1 else "Tensor state"
    results = ", ".join(["Tensor"] * (1 + states))
    LIBRARY.define(f"{name}(Tensor x, {state}, Tensor[] parameters, {_SETTINGS}) -> ({results})")

    def run(*arguments):
        return tuple(network(*arguments))

    def extents(x, state, parameters, has_biases, layers, dropout, train, both_ways, batch_first):
        given = list(state) if states > 1 else [state]
        features = given[0].shape[-1] * (2 if both_ways else 1)
        return x.new_empty(*x.shape[:-1], features), *(each.new_empty(each.shape) for each in given)

    LIBRARY.impl(name, run, "CompositeExplicitAutograd")
    torch.library.register_fake(f"assay::{name}", extents, lib=LIBRARY)
    return getattr(torch.ops.assay, name).default


_WHOLE = {getattr(torch, name): _defined(name, states) for name, states in NETWORKS.items()}


def _fake_quantized(x, scale, zero_point, least, most):
    """What quantising and back makes of numbers, by operators that can be traced."""
    return (torch.clamp(torch.round(x / scale) + zero_point, least, most) - zero_point) * scale


def _fake_quantized_by_channel(x, scale, zero_point, axis, least, most):
    along = [-1 if k == axis % x.dim() else 1 for k in range(x.dim())]
    scale, zero_point = scale.reshape(along), zero_point.reshape(along)
    return _fake_quantized(x, scale, zero_point, least, most)


# operators that PyTorch cannot trace, and what they are
_WRITTEN_OUT = {
    torch.fake_quantize_per_tensor_affine: _fake_quantized,
    torch.fake_quantize_per_channel_affine: _fake_quantized_by_channel,
}


class AsWhole(TorchFunctionMode):
    """Within it, networks over many steps are the operators above, and what PyTorch cannot trace is
    written out."""

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        whole = _WHOLE.get(function) if _has_many_steps(function, arguments) else None
        whole = whole or _WRITTEN_OUT.get(function)
        return (whole or function)(*arguments, **(keywords or {}))


def _has_many_steps(function, arguments):
    if function not in _WHOLE or len(arguments) != 9 or isinstance(arguments[3], (list, tuple)):
        return False  # of sequences that are packed, whose extents are data
    x, _, _, _, layers, _, _, both_ways, batch_first = arguments
    steps = x.shape[1 if batch_first else 0]
    return steps * layers * (2 if both_ways else 1) > MOST_STEPS


def decompositions(attention):
    """Core ATen's, without those of what the table has a row for, and of what replaces infinities
    and NaN, which are no real numbers: it would be taken apart into comparisons that say nothing of
    these.  Attention that no mode has seen is what `attention` makes of it: PyTorch would take it
    apart into products of 32 bits, and with it all that comes before."""
    aten = torch.ops.aten
    table = torch.export.default_decompositions()
    kept = (
        aten._safe_softmax.default,
        aten.nan_to_num.default,
        aten.upsample_nearest1d.vec,
        aten.upsample_nearest3d.vec,
        aten.upsample_linear1d.vec,
        aten.upsample_trilinear3d.vec,
        aten.logsumexp.default,
    )
    for operator in kept:
        table.pop(operator, None)
    table[aten.scaled_dot_product_attention.default] = attention
    return table


# -- tensors that a module's own code replaces ---------------------------------------------------


def _attributes_set(kind):
    """Names of the attributes that methods of a class of modules set, but for those that build
    it."""
    names = set()
    for parent in kind.__mro__:
        if parent in (torch.nn.Module, object):
            continue
        for name, method in vars(parent).items():
            if inspect.isfunction(method) and name != "__init__":
                found = dis.get_instructions(method)
                names |= {step.argval for step in found if step.opname == "STORE_ATTR"}
    return names


def _replaced(module):
    """(module, name) of each tensor that is an attribute, no parameter or buffer, and set by a
    method."""
    for part in module.modules():
        own = {name for name, value in vars(part).items() if type(value) is torch.Tensor}
        for name in sorted(own & _attributes_set(type(part))):
            yield part, name


@contextlib.contextmanager
def states_as_buffers(module):
    """Within it, tensors that a module's methods replace (`self.hidden = ..`) are buffers: these
    torch.export may update, other tensors are constants to it."""
    found = list(_replaced(module))
    try:
        for part, name in found:
            value = getattr(part, name)
            delattr(part, name)
            part.register_buffer(name, value, persistent=False)
        yield
    finally:
        for part, name in found:
            value = getattr(part, name)
            delattr(part, name)
            setattr(part, name, value)
