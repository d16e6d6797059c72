"""Integers of few bits, which begin anew beyond their largest: what is said of them has to be true
of the numbers that PyTorch has, not of those that it was given."""

import torch

from .errors import Unsupported
from .values import Masked, Value

_NARROW = (torch.uint8, torch.int8, torch.int16, torch.uint16, torch.uint32, torch.uint64)

# operators that leave no number beyond those of their arguments
_KEEP_NUMBERS = set(
    """alias clone detach lift_fresh_copy contiguous copy view reshape _unsafe_view permute
    transpose t unsqueeze squeeze expand slice select split_with_sizes cat repeat diagonal
    slice_scatter select_scatter flip unfold gather embedding index index_select where masked_fill
    maximum minimum clamp amax amin max min sign relu full full_like fill zeros ones zeros_like
    ones_like __rshift__ bitwise_right_shift bitwise_and
    bitwise_or bitwise_xor sort topk""".split()
)

# Of those, and of the comparisons, the ones that convert operands to one type: a number beyond it,
# or a tensor without axes of a wider type, begins anew (`u > -1` is false of all bytes), and so
# does what is copied into a tensor.
_COMPARE = set("eq ne lt le gt ge".split())
_CONVERT = _COMPARE | set(
    "maximum minimum where clamp masked_fill full_like fill copy slice_scatter".split()
)
_NUMBERS_ARE_AXES = ("slice_scatter",)


def check_width(target, node, arguments):
    """Unsupported where integers of few bits are computed, or made of numbers that they have not.

    `arguments` are those of the node, also those given by name, translated."""
    result = node.meta.get("val")
    if not isinstance(result, torch.Tensor):
        return
    name = target.split(".")[1]
    if result.dtype in _NARROW and not _keeps_numbers(name, result.dtype, node):
        raise Unsupported(
            target, f"integers of type {result.dtype} wrap around: convert them first"
        )
    if name in _CONVERT:
        _check_conversion(target, name, node, arguments)


def _keeps_numbers(name, dtype, node):
    """Whether the results are numbers of the arguments, or a range of known ones in the type."""
    if name != "arange":
        return name in _KEEP_NUMBERS
    start, end = node.args[:2]
    return type(start) is type(end) is int and all(_has(dtype, n) for n in (start, end))


def _check_conversion(target, name, node, arguments):
    """Unsupported where an operand, converted to the type in which an operator computes, may be
    another number."""
    operands = [
        (_meta(given), value)
        for given, value in zip([*node.args, *node.kwargs.values()], arguments)
        if not (name in _NUMBERS_ARE_AXES and not isinstance(given, torch.fx.Node))
    ]
    common = node.meta["val"].dtype
    if name in _COMPARE:
        known = [meta for meta, _ in operands if isinstance(meta, (torch.Tensor, int, float))]
        common, _ = torch._prims_common.elementwise_dtypes(
            *known,
            type_promotion_kind=torch._prims_common.ELEMENTWISE_TYPE_PROMOTION_KIND.DEFAULT,
        )
    if common not in (*_NARROW, torch.int32):
        return
    for meta, value in operands:
        if not _stays(common, meta, value):
            raise Unsupported(
                target,
                f"a number that may be none of {common} is converted to it and begins anew there:"
                " convert the others first",
            )


def _meta(argument):
    """What an argument is to PyTorch: a tensor, or a number."""
    return argument.meta.get("val") if isinstance(argument, torch.fx.Node) else argument


def _stays(common, meta, value):
    """Whether an operand is the same number in that type of integers."""
    if type(meta) is int:
        return _has(common, meta)
    if not isinstance(meta, torch.Tensor) or meta.dtype == torch.bool:
        return True  # a size, which is no wider than others; nothing at all
    if meta.dtype.is_floating_point:
        return True  # refused as a rounding, or not converted
    limits = torch.iinfo(meta.dtype)
    if _has(common, limits.min) and _has(common, limits.max):
        return True
    if isinstance(value, Value) and _is_whole_number(value.text):
        return _has(common, _whole_number(value.text))
    return common == torch.int32 and not isinstance(value, Masked)  # as large ones as overflow


def _has(dtype, number):
    limits = torch.iinfo(dtype)
    return limits.min <= number <= limits.max


def _is_whole_number(text):
    return text.removeprefix("(-").removesuffix(")").isdigit()


def _whole_number(text):
    """Of a literal, as values.number writes it."""
    return int(text.strip("()"))
