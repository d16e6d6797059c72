"""Arguments to try a function with: other numbers, and other ways in which these lie in memory.

Numbers are drawn like those of the examples (truths, labels and masks as such), and of other
magnitudes.  How they lie is what the theorem says nothing of: strides, offsets, views, elements
that share memory, wishes for a gradient, one tensor given twice.
"""

import itertools
import math
from dataclasses import dataclass

import torch

from .running import laid_like

_tree_map = torch.utils._pytree.tree_map
SEED = 20240229


@dataclass
class Trial:
    """Arguments, as (by position, by name), and how they lie: a function from these to copies that
    lie so.  `differs` says in words what is other than with the examples."""

    values: tuple
    laid: object
    differs: str
    is_modest: bool  # numbers at which rounding matters little
    shares_memory: bool = False

    def copies(self):
        return self.laid(self.values)


def _reversed(x):
    """Axes in the other order in memory."""
    axes = tuple(reversed(range(x.dim())))
    return x.permute(axes).clone(memory_format=torch.contiguous_format).permute(axes)


def _part(x):
    """A part of a larger tensor, with an offset and with gaps."""
    room = torch.zeros([2 * n + 1 for n in x.shape], dtype=x.dtype, device=x.device)
    view = room[tuple(slice(1, None, 2) for _ in x.shape)]
    return view.copy_(x)


def _wanting_gradient(x):
    is_real = x.dtype.is_floating_point and not x.is_inference()
    return x.clone().requires_grad_() if is_real else x


def _computed(x):
    """What an operator computed of a tensor that wants a gradient: no leaf."""
    with torch.enable_grad():
        return _wanting_gradient(x).clone()


def _in_inference(x):
    with torch.inference_mode():
        return x.clone()


def _along_first(x):
    """Numbers that are the same along the first axis of several elements."""
    axis = next((k for k, n in enumerate(x.shape) if n > 1), None)
    return x.clone() if axis is None else x.narrow(axis, 0, 1).clone().expand(x.shape)


LAYOUTS = (
    (_reversed, "with its axes in the other order in memory (t().contiguous().t())"),
    (_part, "as a part of a larger tensor, with an offset and gaps"),
    (_wanting_gradient, "with requires_grad"),
    (_computed, "as the result of an operator on a tensor that wants a gradient"),
    (_in_inference, "made in inference mode"),
)


class Trials:
    """Trials of the examples' extents and types."""

    def __init__(self, examples, keywords, most=None):
        """`most` limits their number."""
        self._given = (tuple(examples), dict(keywords or {}))
        self._most = most

    def __iter__(self):
        return itertools.islice(self._laid(), self._most)

    def as_examples(self, values):
        """Copies of values that lie as the examples do."""
        likes = torch.utils._pytree.tree_leaves(self._given)
        leaves, form = torch.utils._pytree.tree_flatten(values)
        made = [laid_like(x, like) if _is_strided(x) else x for x, like in zip(leaves, likes)]
        return torch.utils._pytree.tree_unflatten(made, form)

    def _drawn(self):
        """The examples, and drawn numbers, lying as these do."""
        generator = torch.Generator().manual_seed(SEED)
        yield Trial(self._given, self.as_examples, "the examples", True)
        for kind in KINDS:
            values = self._values(kind, generator)
            yield Trial(values, self.as_examples, f"{kind} numbers", kind in _MODEST)

    def _laid(self):
        """The same, and between these the examples' numbers in each layout."""
        drawn = self._drawn()
        yield next(drawn)
        for layout, said in LAYOUTS:
            yield Trial(self._given, _on_tensors(layout), f"the examples, each {said}", True)
            yield from itertools.islice(drawn, 1)
        yield from drawn
        same = _tree_map(lambda x: _along_first(x) if _is_strided(x) else x, self._given)
        said = "the examples' first elements, expanded (strides of 0)"
        yield Trial(same, _on_tensors(_along_first), said, False)
        twice = _given_twice(self._given)
        if twice is not None:
            yield Trial(twice, _keeping_identity, "one tensor given twice", True, True)

    def _values(self, kind, generator):
        draw = lambda x: _numbers(x, kind, generator) if _is_strided(x) else x  # noqa: E731
        return _tree_map(draw, self._given)


def _is_strided(x):
    return isinstance(x, torch.Tensor) and x.layout is torch.strided and not x.is_meta


def _on_tensors(layout):
    def laid(values):
        return _tree_map(
            lambda x: layout(x.detach()) if _is_strided(x) else x, values
        )

    return laid


def _given_twice(given):
    """Arguments in which tensors of the same extents and type are one; None where there are
    none."""
    leaves, form = torch.utils._pytree.tree_flatten(given)
    first, found = {}, False
    for place, x in enumerate(leaves):
        if not _is_strided(x):
            continue
        key = (tuple(x.shape), x.dtype, x.device)
        if key in first:
            leaves[place] = leaves[first[key]]
            found = True
        first.setdefault(key, place)
    return torch.utils._pytree.tree_unflatten(leaves, form) if found else None


def _keeping_identity(values):
    """Copies of values, in which what was one tensor is one."""
    copies = {}

    def copy(x):
        if not _is_strided(x):
            return x
        if id(x) not in copies:
            copies[id(x)] = x.detach().clone()
        return copies[id(x)]

    return _tree_map(copy, values)


# -- numbers -------------------------------------------------------------------------------------

KINDS = ("random", "large", "small", "other random", "extreme")
_SCALES = {"random": 1.0, "large": 30.0, "small": 1e-2, "other random": 2.0, "extreme": 3000.0}
_MODEST = ("random", "other random")


def _numbers(x, kind, generator):
    """A tensor of the same extents and type with numbers of such a kind."""
    drawn = _of_type(x.detach().cpu(), kind, generator)
    return drawn.to(device=x.device, dtype=x.dtype)


def _of_type(x, kind, generator):
    shape = tuple(x.shape)
    uniform = torch.rand(shape, generator=generator, dtype=torch.float64)
    if x.dtype == torch.bool:
        return uniform < {"small": 0.0, "large": 1.1}.get(kind, 0.5)
    if not x.dtype.is_floating_point and not x.is_complex():
        return _integers(x, kind, uniform)
    if x.is_complex() or x.numel() == 0:
        return torch.randn(shape, generator=generator).to(x.dtype)
    return _reals(x.double(), kind, uniform, generator)


def _integers(x, kind, uniform):
    """Integers between the examples' ends, as labels and positions have to be; then some beyond."""
    if x.numel() == 0:
        return x
    low, high = int(x.min()), int(x.max())
    limits = torch.iinfo(x.dtype)
    if kind == "large":
        low, high = min(low, 0), max(high + 1, 2)
    if kind == "extreme":
        low, high = max(limits.min, low - 128), min(limits.max, high + 128)
    return (low + (uniform * (high - low + 1)).floor().clamp(max=high - low)).to(x.dtype)


def _reals(x, kind, uniform, generator):
    finite = x[torch.isfinite(x)]
    truths = finite.numel() > 0 and bool(((finite == 0) | (finite == 1)).all())
    if finite.numel() < x.numel():  # a mask that is added
        values = torch.where(uniform < 0.5, 0.0, -math.inf)
        return values if truths or finite.numel() == 0 else torch.where(uniform < 0.2, values, x)
    if truths and finite.numel() > 1:
        return (uniform < 0.5).double()
    scale = _SCALES[kind]
    normal = torch.randn(x.shape, generator=generator, dtype=torch.float64) * scale
    if float(x.min()) >= 0:
        return uniform if float(x.max()) <= 1 and kind != "extreme" else normal.abs()
    return normal
