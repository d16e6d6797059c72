"""Attention as one step of a graph that is compiled.

Written in operators (attention.py) a call of scaled_dot_product_attention is a dozen steps, among
which a division into islands may fall, and of which PyTorch, where they stay with it, makes a
dozen kernels with the scores in memory.  While a function is exported to be compiled, a call is a
call of an operator of our own instead: to PyTorch it is the call that the user wrote, with its own
kernels; to a program it is what attention.py says.
"""

import threading

import torch
from torch._decomp import core_aten_decompositions
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from .attention import attention
from .custom import LIBRARY
from .nodes import OF_ATTENTION
from .table import ROWS

_ARGUMENTS = (
    "Tensor query, Tensor key, Tensor value, Tensor? mask=None, bool is_causal=False, "
    "float? scale=None, bool enable_gqa=False"
)
_WRITING_OUT = threading.Lock()


def _computed(query, key, value, mask=None, is_causal=False, scale=None, enable_gqa=False):
    return torch.nn.functional.scaled_dot_product_attention(
        query, key, value, mask, 0.0, is_causal, scale=scale, enable_gqa=enable_gqa
    )


def _extents(query, key, value, mask=None, is_causal=False, scale=None, enable_gqa=False):
    """A result that lies as PyTorch's kernels leave it: heads behind each other in a row."""
    leading = torch.broadcast_shapes(query.shape[:-3], key.shape[:-3], value.shape[:-3])
    extents = (*leading, *query.shape[-3:-1], value.shape[-1])
    if len(extents) < 3:
        return query.new_empty(extents)
    heads, rows = extents[-3:-1]
    return query.new_empty((*leading, rows, heads, extents[-1])).transpose(-3, -2)


LIBRARY.define(f"attention({_ARGUMENTS}) -> Tensor")
LIBRARY.impl("attention", _computed, "CompositeExplicitAutograd")
torch.library.register_fake("assay::attention", _extents, lib=LIBRARY)

OPERATOR = torch.ops.assay.attention.default


def as_step(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """What scaled_dot_product_attention of these arguments is in a graph that is compiled."""
    random_or_nothing = dropout_p != 0.0 or (query.shape[-1] == 0 and scale is None)
    of_one_type = query.dtype == key.dtype == value.dtype
    if random_or_nothing or (is_causal and attn_mask is not None) or not of_one_type:
        return attention(
            query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
        )
    return OPERATOR(query, key, value, attn_mask, is_causal, scale, enable_gqa)


def attention_of(node):
    """The step of attention that a node is, or the last of those that it is one of; else None."""
    return node if is_attention(node) else node.meta.get(OF_ATTENTION)


def is_attention(node):
    return node.op == "call_function" and node.target is OPERATOR


def _all_arguments(node):
    """Those of the step, with the defaults of what is left out."""
    return (*node.args, *(None, False, None, False)[len(node.args) - 3 :])


def as_called(node):
    """Arguments, and those by name, of the call of scaled_dot_product_attention that a step is."""
    query, key, value, mask, is_causal, scale, shared = _all_arguments(node)
    return (query, key, value, mask, 0.0, is_causal), {"scale": scale, "enable_gqa": shared}


def _without_axes_of_one(query, key, value, mask, is_causal, scale, shared):
    """Attention of operands without the leading axes of which each has one element: kernels are
    found for fewer axes sooner."""
    extents = query.shape[:-2]
    ones = [axis for axis in range(len(extents)) if extents[axis] == 1]
    alike = key.shape[:-2] == value.shape[:-2] == extents
    if not ones or not alike:
        return attention(query, key, value, mask, 0.0, is_causal, scale, shared)
    query, key, value = (x.squeeze(ones) for x in (query, key, value))
    if mask is not None:
        missing = len(extents) + 2 - mask.dim()
        mask = mask.squeeze([axis - missing for axis in ones if axis >= missing])
    made = attention(query, key, value, mask, 0.0, is_causal, scale)
    for axis in ones:
        made = made.unsqueeze(axis)
    return made


def _written_out(node):
    """The graph of core ATen operators that such a step stands for; its placeholders are the
    tensors among the step's arguments, in order."""
    tensors = [a for a in node.args if isinstance(a, torch.fx.Node)]

    def function(*given):
        given = iter(given)
        query, key, value, mask, *rest = [
            next(given) if isinstance(a, torch.fx.Node) else a
            for a in _all_arguments(node)
        ]
        return _without_axes_of_one(query, key, value, mask, *rest)

    table = core_aten_decompositions()
    table.pop(torch.ops.aten._safe_softmax.default, None)
    with _WRITING_OUT, torch.no_grad(), FakeTensorMode():
        examples = [
            torch.empty_strided(t.shape, t.stride(), dtype=t.dtype, device=t.device)
            for t in (a.meta["val"] for a in tensors)
        ]
        return make_fx(function, decomposition_table=table)(*examples).graph


def _row(t, *arguments):
    node = t.node()
    if "written_out" not in node.meta:
        node.meta["written_out"] = _written_out(node)
    tensors = [x for x, a in zip(arguments, node.args) if isinstance(a, torch.fx.Node)]
    return t.inline(node.meta["written_out"], tensors)


ROWS[str(OPERATOR)] = _row
