"""Whether results are the same but for rounding."""

import torch

# what rounding may make of a result: of its largest number, by the coarsest type on the way
_ROUNDING = {torch.float64: 1e-6, torch.float32: 1e-4, torch.float16: 2e-2, torch.bfloat16: 1e-1}
_COARSE = 2e-1  # of types of 8 bits
# how often rounding of what is computed on the way may make another integer or truth
_ONE_OF = 10_000


def types_in(graph):
    """The floating-point types of the tensors of a graph."""
    values = torch.utils._pytree.tree_leaves([node.meta.get("val") for node in graph.nodes])
    tensors = [x for x in values if isinstance(x, torch.Tensor)]
    return {x.dtype for x in tensors if x.dtype.is_floating_point}


class Comparison:
    """Compares lists of results; numbers are small or large beside the largest that a result has
    had in the first pair."""

    def __init__(self, times=1, types=(), infinities=False):
        """`times` as much rounding is let pass as between two runs of the same operators; `types`
        are those of tensors on the way to the results; with `infinities` these are numbers that
        equal themselves alone."""
        self._times = times
        self._infinities = infinities
        self._types = tuple(types)
        self._largest = {}

    def difference(self, ours, theirs, both_finite=False):
        """In words, the first place where two lists of results differ beyond rounding, with both
        values; None where there is none.

        Places where `ours` has no number are left out, with `both_finite` also those where
        `theirs` has none."""
        if len(ours) != len(theirs):
            return f"{len(ours)} results and {len(theirs)}"
        for place, (x, y) in enumerate(zip(ours, theirs)):
            found = self._between(place, x, y, both_finite)
            if found:
                return (f"result {place}" if len(ours) > 1 else "the result") + found
        return None

    def _between(self, place, x, y, both_finite):
        if not isinstance(x, torch.Tensor) or not isinstance(y, torch.Tensor):
            same = type(x) is type(y) and (x == y or x != x)
            return None if same else f" is {_short(x)} and {_short(y)}"
        if x.shape != y.shape:
            return f" has the extents {_dims(x)} and {_dims(y)}"
        if x.is_meta or y.is_meta or x.numel() == 0:
            return None
        apart = self._apart(place, x.detach(), y.detach().to(x.device), both_finite)
        if not bool(apart.any()):
            return None
        first = tuple(apart.nonzero()[0].tolist())
        return f"{list(first) if first else ''} is {x[first].item()} and {y[first].item()}"

    def _apart(self, place, x, y, both_finite):
        """Where they differ."""
        reals = [t.dtype for t in (x, y) if t.is_floating_point() or t.is_complex()]
        wide = torch.complex128 if x.is_complex() or y.is_complex() else torch.float64
        x, y = x.to(wide), y.to(wide)
        counts = torch.isfinite(x) & (torch.isfinite(y) if both_finite else True)
        if len(reals) < 2:
            apart = counts & (x != y)
            rare = int(apart.sum()) * _ONE_OF <= apart.numel()
            return torch.zeros_like(apart) if rare else apart
        largest = torch.where(counts, x.abs(), 0).max()
        if self._infinities:
            counts = ~torch.isnan(x) & (x != y)
        first = self._largest.setdefault(place, largest)
        tolerance = self._times * max(_ROUNDING.get(t, _COARSE) for t in (*reals, *self._types))
        return counts & ~((x - y).abs() <= tolerance * (largest + first))


def _dims(x):
    return tuple(x.shape)


def _short(x):
    return f"a tensor {_dims(x)}" if isinstance(x, torch.Tensor) else repr(x)
