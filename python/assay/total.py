"""Which operators give a real number for all real numbers.

A claim leaves out inputs at which the program that it is about is not defined.  A function that
asks whether a number is NaN or infinite is there for just those: x / x at 0, log(x) below it.  So
that no claim says that such a question is always answered with no, it may be asked only of what
operators like these have made.
"""

import math

import torch

_TOTAL = set(
    """add sub rsub mul neg abs sign relu exp sigmoid tanh erf sin cos atan sinh cosh asinh gelu silu
    softplus floor ceil round trunc square mm bmm addmm baddbmm matmul dot mv convolution where
    maximum minimum clamp clamp_min clamp_max amax amin max min sum mean cumsum argmax argmin any all
    eq ne lt le gt ge logical_and logical_or logical_xor logical_not bitwise_and bitwise_or
    bitwise_xor bitwise_not _softmax _safe_softmax _log_softmax logsumexp alias clone detach lift_fresh_copy
    contiguous copy _to_copy view reshape _unsafe_view permute transpose t unsqueeze squeeze expand
    slice select split split_with_sizes cat stack repeat diagonal slice_scatter select_scatter flip
    roll unfold unbind gather embedding index index_select masked_fill constant_pad_nd tril triu full
    full_like fill zeros ones zeros_like ones_like scalar_tensor arange sym_size""".split()
)


def is_real_for_all(node):
    """Whether the elements of a node's tensor are real numbers whatever the inputs are: so far as
    all operators on the way to them are known to give such."""
    seen, left = set(), [node]
    while left:
        each = left.pop()
        if each in seen:
            continue
        seen.add(each)
        if each.op == "call_function" and not _is_total(each):
            return False
        left += each.all_input_nodes
    return True


def _is_total(node):
    if not isinstance(node.meta.get("val"), torch.Tensor):
        return True  # an extent, or several tensors, of which parts are asked for
    if any(isinstance(x, float) and not math.isfinite(x) for x in _numbers(node)):
        return False
    name = _name(node)
    if name == "getitem":
        return _name(node.args[0]) in _TOTAL
    if name == "div":
        divisor = node.args[1]
        return isinstance(divisor, (int, float)) and divisor != 0
    if name == "pow":
        exponent = node.args[1]
        return isinstance(exponent, int) and exponent >= 0
    return name in _TOTAL


def _name(node):
    target = str(node.target)
    return target.split(".")[1] if target.startswith("aten.") else node.target.__name__


def _numbers(node):
    return torch.utils._pytree.tree_leaves((node.args, dict(node.kwargs)))
