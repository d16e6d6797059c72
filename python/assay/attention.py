"""Scaled dot-product attention in operators of its own.

PyTorch's own way of writing it scales queries and keys by a square root each, converts tensors of
16 bits, and repeats keys for the heads that share them.  Here it is two products and a softmax, as
a kernel takes it.
"""

import math

import torch
from torch.overrides import TorchFunctionMode

_ATTENTION = torch.nn.functional.scaled_dot_product_attention


def attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """What torch.nn.functional.scaled_dot_product_attention of these arguments is."""
    nothing = query.shape[-1] == 0 and scale is None  # by the root of which nothing is divided
    if dropout_p != 0.0 or (is_causal and attn_mask is not None) or nothing:
        return _ATTENTION(
            query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
        )
    factor = 1.0 / math.sqrt(query.shape[-1]) if scale is None else scale
    shared = query.shape[-3] // key.shape[-3] if enable_gqa else 1
    if shared == 1:
        return _attend(query, key, value, attn_mask, is_causal, factor)
    heads = key.shape[-3]
    if attn_mask is None and not is_causal:
        rows = query.unflatten(-3, (heads, shared)).flatten(-3, -2)
        return _attend(rows, key, value, None, False, factor).reshape(
            *query.shape[:-1], value.shape[-1]
        )
    if attn_mask is None and query.dim() == 4 and query.shape[0] == 1:
        # a batch of one as no axis at all: blocks divide three at most
        grouped = query.squeeze(0).unflatten(-3, (heads, shared))
        each = _attend(
            grouped,
            key.squeeze(0).unsqueeze(-3),
            value.squeeze(0).unsqueeze(-3),
            None,
            True,
            factor,
        )
        return each.flatten(-4, -3).unsqueeze(0)
    if attn_mask is not None and attn_mask.dim() > 2:
        one = attn_mask.shape[-3] == 1
        attn_mask = attn_mask.unflatten(-3, (1, 1) if one else (heads, shared))
    query = query.unflatten(-3, (heads, shared))
    key, value = key.unsqueeze(-3), value.unsqueeze(-3)
    return _attend(query, key, value, attn_mask, is_causal, factor).flatten(-4, -3)


def _attend(query, key, value, mask, is_causal, factor):
    """With extents in front of the last two that broadcast against each other."""
    scores = torch.matmul(query, key.transpose(-2, -1)) * factor
    if is_causal:
        rows = torch.arange(query.shape[-2], device=query.device)
        columns = torch.arange(key.shape[-2], device=query.device)
        kept = columns[None, :] <= rows[:, None]  # the first key is, for every query
        weights = torch.softmax(torch.where(kept, scores, -math.inf), -1)
    elif mask is None:
        weights = torch.softmax(scores, -1)
    else:
        # rows may be masked out wholly: these are 0
        truths = mask.dtype == torch.bool
        masked = torch.where(mask, scores, -math.inf) if truths else scores + mask
        weights = torch.ops.aten._safe_softmax(masked, -1)
    return torch.matmul(weights, value)


class InProducts(TorchFunctionMode):
    """Within it, attention is written as here."""

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        written = attention if function is _ATTENTION else function
        return written(*arguments, **(keywords or {}))


def in_products(graph_module):
    """Writes the attention of a graph of calls, as Dynamo makes one, as here."""
    found = [node for node in graph_module.graph.nodes if node.target is _ATTENTION]
    for node in found:
        node.target = attention
    if found:
        graph_module.recompile()
