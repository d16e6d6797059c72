"""Copies of what was compiled: by `copy.deepcopy`, `pickle` and `torch.save`.

A copy is the function compiled again for examples like those of before, of which only the outline is
kept; its kernels are found in the cache, and checked again, where it is used.
"""

import math
from dataclasses import dataclass

import torch

from .state import autocast


@dataclass
class _Likeness:
    """All of an example that what is compiled depends on."""

    extents: tuple
    strides: tuple
    offset: int
    dtype: torch.dtype
    device: torch.device
    wants_gradient: bool
    fill: float

    def made(self):
        """A tensor like it, of other numbers."""
        last = sum(d * (n - 1) for n, d in zip(self.extents, self.strides))
        room = self.offset + (last + 1 if 0 not in self.extents else 0)
        memory = torch.full((room,), self.fill, dtype=self.dtype, device=self.device)
        like = memory.as_strided(self.extents, self.strides, self.offset)
        return like.requires_grad_() if self.wants_gradient else like


def has_minus_infinity(example):
    """Whether an example is a mask added to scores, which later arguments will be, too."""
    if type(example) not in (torch.Tensor, torch.nn.Parameter) or example.is_meta:
        return False
    if not example.dtype.is_floating_point:
        return False
    wide = example.float() if example.itemsize == 1 else example  # which have no isneginf
    return bool(torch.isneginf(wide).any())


def _likeness(x):
    if not isinstance(x, torch.Tensor) or x.layout is not torch.strided:
        return x
    fill = -math.inf if has_minus_infinity(x) else 0
    memory = tuple(x.shape), x.stride(), x.storage_offset()
    return _Likeness(*memory, x.dtype, x.device, x.requires_grad, fill)


def _made(x):
    return x.made() if isinstance(x, _Likeness) else x


class Origin:
    """What something was compiled of, for a copy of it."""

    def __init__(self, make, function, examples, options, keywords=None):
        """`make(function, examples, options, keywords)` compiles it."""
        self._make = make
        self._function = function
        self._given = torch.utils._pytree.tree_map(_likeness, (tuple(examples), keywords or {}))
        self._options = options
        self._autocast = autocast(options.device)

    def copy(self):
        """It, compiled again; other objects may have become of the function and of what it has."""
        examples, keywords = torch.utils._pytree.tree_map(_made, self._given)
        there, dtype = self._options.device, self._autocast
        with torch.autocast(there, dtype=dtype, enabled=dtype is not None):
            return self._make(self._function, examples, self._options, keywords)
