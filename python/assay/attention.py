"""Scaled dot-product attention in operators of its own.

PyTorch's own way of writing it scales queries and keys by a square root each, converts tensors of
16 bits, and repeats keys for the heads that share them.  Here it is two products and a softmax, as
a kernel takes it.
"""

import contextlib
import math
import threading

import torch
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

_ATTENTION = torch.nn.functional.scaled_dot_product_attention
_OF_SEVERAL_HEADS = torch.nn.functional.multi_head_attention_forward
_REPLACING = threading.RLock()


def attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """What torch.nn.functional.scaled_dot_product_attention of these arguments is."""
    nothing = query.shape[-1] == 0 and scale is None  # by the root of which nothing is divided
    if dropout_p != 0.0 or (is_causal and attn_mask is not None) or nothing:
        return torch.ops.aten._scaled_dot_product_attention_math(
            query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
        )[0]
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
    if _is_of_all_heads(attn_mask):
        # batches and heads of keys as one axis: blocks divide three at most
        flat = attn_mask is not None and attn_mask.dim() > 2
        mask = attn_mask.flatten(0, -2) if flat else attn_mask
        each = _attend(
            query.unflatten(-3, (heads, shared)).flatten(0, -4),
            key.flatten(0, -3).unsqueeze(-3),
            value.flatten(0, -3).unsqueeze(-3),
            mask,
            is_causal,
            factor,
        )
        return each.reshape(*query.shape[:-1], value.shape[-1])
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


def _is_of_all_heads(mask):
    """Whether each head of each batch has the same mask, or none."""
    return mask is None or all(extent == 1 for extent in mask.shape[:-2])


# -- keys that are repeated for the heads that share them ----------------------------------------

_EXPANDED = {torch.Tensor.expand, torch.Tensor.expand_as, torch.Tensor.broadcast_to}
_EXPANDED |= {torch.broadcast_to}
_WRITTEN_OTHERWISE = {torch.Tensor.reshape, torch.reshape, torch.Tensor.flatten, torch.flatten}
_WRITTEN_OTHERWISE |= {torch.Tensor.view}
_EXCHANGED = {torch.Tensor.transpose, torch.transpose, torch.Tensor.swapaxes, torch.swapaxes}
_REPEATED = {torch.Tensor.repeat_interleave, torch.repeat_interleave}


def _same(extent, other):
    """Whether two extents are said alike, which asks nothing of sizes that are symbols."""
    return str(extent) == str(other)


def _written(x):
    """How often a tensor's memory was written to; None where PyTorch does not count."""
    return None if x.is_inference() else x._version


class _Repeated:
    """What tensors were before an axis of theirs was repeated, each element so many times in a
    row: repeat_interleave, or an axis of one element that is expanded and joined to the one before
    it.  What was written to since is not."""

    def __init__(self):
        self._expanded = WeakIdKeyDictionary()  # what has one element along the axis; which axis
        self._found = WeakIdKeyDictionary()  # the same for what was repeated, and how many times

    def see(self, function, arguments, keywords, result):
        if function in _EXPANDED:
            self._see_expanded(arguments[0], result)
        elif function in _WRITTEN_OTHERWISE and arguments[0] in self._expanded:
            self._see_joined(*self._expanded[arguments[0]], arguments[0], result)
        elif function in _REPEATED:
            self._see_repeated(result, *arguments, **(keywords or {}))
        elif function in _EXCHANGED and arguments[0] in self._found and len(arguments) == 3:
            self._see_exchanged(result, *arguments)

    def before(self, x, axis):
        """(what x was before, how many times) where it is repeated along the axis, or None."""
        if not isinstance(x, torch.Tensor) or x not in self._found:
            return None
        one, along, times, *writes = self._found[x]
        untouched = writes == [_written(one), _written(x)]
        return (one, times) if along == axis % x.dim() and untouched else None

    def _keep(self, result, before, axis, times):
        writes = _written(before), _written(result)
        if None not in writes:
            self._found[result] = (before, axis, times, *writes)

    def _see_expanded(self, x, result):
        if x.dim() != result.dim():
            return
        wider = [k for k in range(x.dim()) if not _same(x.shape[k], result.shape[k])]
        if len(wider) == 1 and wider[0] > 0:
            self._expanded[result] = (x, wider[0])

    def _see_joined(self, before, axis, x, result):
        if not isinstance(result, torch.Tensor) or result.dim() != x.dim() - 1:
            return
        kept = [*x.shape[: axis - 1], *x.shape[axis + 1 :]]
        if all(map(_same, kept, [*result.shape[: axis - 1], *result.shape[axis:]])):
            self._keep(result, before.squeeze(axis), axis - 1, x.shape[axis])

    def _see_repeated(self, result, x, repeats=None, dim=None, **_):
        if isinstance(repeats, int) and isinstance(dim, int):
            self._keep(result, x, dim % x.dim(), repeats)

    def _see_exchanged(self, result, x, first, second):
        before, axis, times, *writes = self._found[x]
        if writes == [_written(before), _written(x)]:
            places = list(range(x.dim()))
            places[first], places[second] = places[second], places[first]
            self._keep(result, before.transpose(first, second), places.index(axis), times)


class InProducts(TorchFunctionMode):
    """Within it, attention is written as here (or as `written` says), and keys that are repeated
    for the heads that share them are not."""

    def __init__(self, written=attention):
        super().__init__()
        self._written = written
        self._repeated = _Repeated()

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        if function is _ATTENTION:
            return self._attention(*arguments, **(keywords or {}))
        if function is _OF_SEVERAL_HEADS:
            with self._seen_within():
                return function(*arguments, **(keywords or {}))
        result = function(*arguments, **(keywords or {}))
        self._repeated.see(function, arguments, keywords, result)
        return result

    @contextlib.contextmanager
    def _seen_within(self):
        """While PyTorch's function of several heads runs, of which a mode sees the call alone, the
        attention that it calls in this thread is written as elsewhere."""
        here = threading.get_ident()

        def attend(*arguments, **keywords):
            is_here = threading.get_ident() == here
            return (self._attention if is_here else _ATTENTION)(*arguments, **keywords)

        with _REPLACING:
            torch.nn.functional.scaled_dot_product_attention = attend
            try:
                yield
            finally:
                torch.nn.functional.scaled_dot_product_attention = _ATTENTION

    def _attention(self, query, key, value, *rest, **keywords):
        """Heads that share keys are groups where keys and values are repeated for as many."""
        keys, values = (self._repeated.before(x, -3) for x in (key, value))
        grouped = keys and values and query.dim() == key.dim() == value.dim()
        if grouped and _same(keys[1], values[1]) and _same(query.shape[-3], key.shape[-3]):
            keywords = {**keywords, "enable_gqa": True}
            return self._written(query, keys[0], values[0], *rest, **keywords)
        return self._written(query, key, value, *rest, **keywords)
