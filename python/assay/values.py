"""Values of a graph under translation, and how layouts are stated.

A `Value` is an expression of the program's language with its extents (size expressions) and its
type.  A `Masked` value stands for a tensor that is minus infinity wherever `keep` is 0: the reals
have no infinities, so the two parts travel together until a softmax, an exponential or a maximum
says what they mean.
"""

from dataclasses import dataclass, field, replace

from .constants import Exact
from .errors import Unsupported


@dataclass(frozen=True)
class Value:
    text: str
    extents: tuple = field(default_factory=tuple)
    dtype: str = "float"  # float, int or bool: what the numbers are, not how many bits they have

    @property
    def rank(self):
        return len(self.extents)


@dataclass(frozen=True)
class Masked:
    """`value` where `keep` (0 or 1, of the same extents) is 1, minus infinity elsewhere."""

    value: Value
    keep: Value

    @property
    def text(self):
        raise Unsupported("tensor", "it has minus infinity in it, for which this has no meaning")

    @property
    def extents(self):
        return self.value.extents

    @property
    def rank(self):
        return self.value.rank

    @property
    def dtype(self):
        return self.value.dtype


def number(x):
    """An exact literal of a Python number; floats are the decimals that print as they do, or what
    they were read as."""
    if isinstance(x, Exact):
        return x.text() if x >= 0 else f"(-{x.text()})"
    if isinstance(x, bool):
        return "1" if x else "0"
    if isinstance(x, int):
        return str(x) if x >= 0 else f"(-{-x})"
    if x != x or x in (float("inf"), float("-inf")):
        raise Unsupported("constant", f"{x} is not a real number")
    text = repr(abs(float(x)))
    return text if x >= 0 else f"(-{text})"


# views that leave the elements in their order
_KEEP_ORDER = ("unsqueeze", "squeeze", "merge", "split")


class Layouts:
    """Views of tensors as operators of the program `out`."""

    def __init__(self, out, emit):
        self.out = out
        self.emit = emit
        self._made_of = {}  # name of a view -> (what was done, the value it was done to)

    def _make(self, expression, extents, like, done=None):
        """The view, and what was done for it, so that doing the opposite gives back the value."""
        made = Value(self.emit(expression), tuple(extents), like.dtype)
        if done is not None:
            self._made_of[made.text] = (done, like)
        return made

    def _before(self, x, done):
        """What x was before `done` was done last, or None."""
        last, value = self._made_of.get(x.text, (None, None))
        return value if last == done else None

    def in_this_order(self, x):
        """What x was before its axes were only written otherwise, with all elements in their
        order."""
        while x.text in self._made_of and self._made_of[x.text][0][0] in _KEEP_ORDER:
            x = self._made_of[x.text][1]
        return x

    def merged_alike(self, x, y):
        """What two operands of a batched product were before the same was done to batches of both:
        their merging, or the leaving out of one of one element; (what was done, along which axis,
        x, y), or None.

        Where one's batches are groups of which each is the same element (heads that share their
        keys), the other's are divided into as many groups."""
        done, before = self._made_of.get(x.text, (None, None))
        other, other_before = self._made_of.get(y.text, (None, None))
        if done is not None and done[:2] in (("merge", 0), ("squeeze", 0)) and done == other:
            return done[0], 0, before, other_before
        for axis in range(min(x.rank, y.rank) - 2 if x.rank == y.rank else 0):
            left, right = self._groups(x, axis), self._groups(y, axis)
            if (left is None) == (right is None):
                continue
            sizes, _ = left or right
            x = left[1] if left else self._split(x, axis, *sizes)
            y = right[1] if right else self._split(y, axis, *sizes)
            return "merge", axis, x, y
        return None

    def _groups(self, x, axis):
        """Of batches that are merged groups of the same elements, the groups' number and size, and
        x with both as axes; None for others.  What came after may have exchanged axes behind."""
        done, before = self._made_of.get(x.text, (None, None))
        if done is None:
            return None
        if done[0] == "exchange" and done[1] > axis:
            groups = self._groups(before, axis)
            if groups is None:
                return None
            repeated = groups[1]
            order = list(range(repeated.rank))
            here = done[1] + 1
            order[here], order[here + 1] = order[here + 1], order[here]
            one = self.permute(self._made_of[repeated.text][1], order)
            return groups[0], self.expand(one, tuple(repeated.extents[k] for k in order))
        if done[:2] != ("merge", axis):
            return None
        repeated = self._made_of.get(before.text, (None, None))[0] == ("broadcast", axis + 1)
        return (done[2], before) if repeated else None

    def unsqueeze(self, x, axis):
        before = self._before(x, ("squeeze", axis))
        if before is not None:
            return before
        extents = list(x.extents)
        extents.insert(axis, "1")
        return self._make(f"expand_dims({x.text}, axis={axis})", extents, x, ("unsqueeze", axis))

    def squeeze(self, x, axis):
        extents = list(x.extents)
        if extents.pop(axis) != "1":
            raise Unsupported("squeeze", f"axis {axis} of extent {x.extents[axis]} is not 1")
        before = self._before(x, ("unsqueeze", axis))
        if before is not None:
            return before
        return self._make(f"squeeze({x.text}, axis={axis})", extents, x, ("squeeze", axis))

    def permute(self, x, order):
        """Axis k of the result is axis order[k] of x: a sequence of exchanges of neighbours."""
        at = list(range(x.rank))
        for place, wanted in enumerate(order):
            here = at.index(wanted)
            while here > place:
                extents = list(x.extents)
                extents[here - 1], extents[here] = extents[here], extents[here - 1]
                exchange = ("exchange", here - 1)
                x = self._before(x, exchange) or self._make(
                    f"transpose({x.text}, axis={here - 1})", extents, x, exchange
                )
                at[here - 1], at[here] = at[here], at[here - 1]
                here -= 1
        return x

    def expand(self, x, extents):
        """x with axes in front and with extents of 1 repeated, as in NumPy's broadcasting."""
        while x.rank < len(extents):
            x = self.unsqueeze(x, 0)
        for axis, (have, want) in enumerate(zip(x.extents, extents)):
            if have == want or self.out.extents.value(have) == self.out.extents.value(want):
                continue
            if have != "1":
                raise Unsupported("expand", f"extent {have} cannot become {want}")
            wide = list(x.extents)
            wide[axis] = want
            text = f"broadcast({x.text}, axis={axis}, size={want})"
            x = self._make(text, wide, x, ("broadcast", axis))
        return x

    def _written_so(self, x, extents):
        """What x was when its axes were written with these extents, its elements in their order."""
        while x.extents != extents:
            done, before = self._made_of.get(x.text, (None, None))
            if done is None or done[0] not in _KEEP_ORDER:
                return None
            x = before
        return x

    def unexpanded(self, x, own=0):
        """What x was before axes were put in front of it and axes of one element were repeated, but
        for its `own` last ones: operators that broadcast do that as they go."""
        while True:
            done, before = self._made_of.get(x.text, (None, None))
            in_front = done == ("unsqueeze", 0) and before.rank >= own
            repeated = done is not None and done[0] == "broadcast" and done[1] < x.rank - own
            if not (in_front or repeated):
                return x
            x = before

    def merge(self, x, axis):
        """x with an axis and the next one as one."""
        left, right = x.extents[axis], x.extents[axis + 1]
        whole = self.out.extents.product([left, right])
        extents = x.extents[:axis] + (whole,) + x.extents[axis + 2 :]
        if left == "1":
            return self.squeeze(x, axis)
        if right == "1":
            return self.squeeze(x, axis + 1)
        before = self._before(x, ("split", axis))
        if before is not None:
            return before
        return self._make(
            f"merge_axes({x.text}, axis={axis})", extents, x, ("merge", axis, (left, right))
        )

    def _split(self, x, axis, outer, inner):
        if outer == "1":
            return self.unsqueeze(x, axis)
        if inner == "1":
            return self.unsqueeze(x, axis + 1)
        before = self._before(x, ("merge", axis, (outer, inner)))
        if before is not None:
            return before
        self.out.extents.relate(x.extents[axis], outer, inner)
        extents = x.extents[:axis] + (outer, inner) + x.extents[axis + 1 :]
        return self._make(
            f"split_axis({x.text}, axis={axis}, outer={outer}, inner={inner})",
            extents,
            x,
            ("split", axis),
        )

    def view(self, x, extents):
        """x in row-major order with other extents: axes merged and split, coarsest first."""
        known = self._written_so(x, tuple(extents))
        if known is not None:
            return known
        have = [self.out.extents.value(e) for e in x.extents]
        want = [self.out.extents.value(e) for e in extents]
        if 0 in have or 0 in want:
            raise Unsupported("view", "of a tensor without elements")
        axis = 0
        while axis < max(len(have), len(want)):
            if axis < min(len(have), len(want)) and have[axis] == want[axis]:
                extents = (*extents[:axis], x.extents[axis], *extents[axis + 1 :])
                axis += 1
            elif axis >= len(want):
                x = self.squeeze(x, axis)
                del have[axis]
            elif axis >= len(have) or (want[axis] == 1):
                x = self.unsqueeze(x, axis)
                have.insert(axis, 1)
            elif have[axis] == 1:
                x = self.squeeze(x, axis)
                del have[axis]
            elif have[axis] % want[axis] == 0:
                rest = have[axis] // want[axis]
                inner = self._rest(x.extents[axis], extents, axis, rest)
                x = self._split(x, axis, extents[axis], inner)
                have[axis : axis + 1] = [want[axis], rest]
            elif axis + 1 < len(have):
                x = self.merge(x, axis)
                have[axis : axis + 2] = [have[axis] * have[axis + 1]]
            else:
                raise Unsupported("view", f"{x.extents} as {tuple(extents)}")
        return replace(x, extents=tuple(extents))

    def _rest(self, whole, extents, axis, rest):
        """The size expression of what is left of `whole` when extents[axis] is split off."""
        product = []
        value = 1
        for extent in extents[axis + 1 :]:
            if value == rest:
                break
            product.append(extent)
            value *= self.out.extents.value(extent)
        if value == rest:
            return self.out.extents.product(product)
        return self.out.extents.number(rest)
