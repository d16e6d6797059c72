"""What torch.export makes of modules with a state, and of networks over sequences.

Networks over sequences would be taken apart into operators of each step and layer: thousands of
them, after minutes.  They stay with PyTorch as a whole, and only the extents of their results are
asked for while a function is exported.
"""

import contextlib
import dis
import inspect

import torch
from torch._subclasses.fake_tensor import FakeTensor

WHOLE = ("lstm", "gru", "rnn_tanh", "rnn_relu")


def _operators():
    for name in WHOLE:
        packet = getattr(torch.ops.aten, name, None)
        if packet is not None:
            yield packet.input


def decompositions():
    """Core ATen's, without those of networks over sequences, of what the table has a row for, and
    of what replaces infinities and NaN, which are no real numbers: it would be taken apart into
    comparisons that say nothing of these."""
    table = torch.export.default_decompositions()
    whole = torch.ops.aten._safe_softmax.default, torch.ops.aten.nan_to_num.default
    for operator in (*_operators(), *whole):
        table.pop(operator, None)
    return table


def _by_one_step(network):
    """The network, but for tensors without data, of which only extents are asked: there it goes
    over one step, and the first result gets as many as the sequence has."""

    def shapes(x, hx, params, has_biases, layers, dropout, train, both_ways, batch_first):
        rest = (hx, params, has_biases, layers, dropout, train, both_ways, batch_first)
        time = 1 if batch_first else 0
        if not isinstance(x, FakeTensor) or x.dim() != 3 or x.shape[time] == 0:
            return network(x, *rest)
        out, *states = network(x.narrow(time, 0, 1), *rest)
        extents = list(out.shape)
        extents[time] = x.shape[time]
        return (out.new_empty(extents), *states)

    return shapes


@contextlib.contextmanager
def exported_whole():
    """Within it, PyTorch infers the results of networks over sequences by one step of them."""
    keys = torch._C.DispatchKey.CompositeImplicitAutograd, torch._C.DispatchKey.Autograd
    tables = [(torch._decomp.decomposition_table, op, op) for op in _operators()]
    tables += [(op.py_kernels, key, op) for op in _operators() for key in keys]
    before = [(table, at, table[at], op) for table, at, op in tables if at in table]
    try:
        for table, at, network, op in before:
            table[at] = _by_one_step(network)
            op._dispatch_cache.clear()
        yield
    finally:
        for table, at, network, op in before:
            table[at] = network
            op._dispatch_cache.clear()


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
