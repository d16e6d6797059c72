"""Block graphs (CLAIM.md section 6)."""

from functools import partial, reduce

from .grammar import ensure, within
from .scalars import element_indices
from .sizes import MINUS_ONE, ONE, STATE, ZERO, computed, fold, larger, negative, smaller
from .terms import make, variable

GRID = {"x": variable("$b0"), "y": variable("$b1"), "z": variable("$b2")}
ITERATION = variable("$b3")


def maximum(tile, indices, bound):
    """The maximum of a tile over the iterations below `bound`."""
    return fold(ITERATION, bound, tile.element(indices, ZERO), larger(STATE, tile.element(indices)))


class Kernel:
    def __init__(self, side):
        side.kernels += 1
        self.side = side
        self.prefix = f"{side.letter}{side.kernels}"
        self.axes = {}  # x, y, z, as far as declared, and loop: (variable, extent)
        self.tensors, self.stores = {}, []

    @property
    def grid(self):
        return tuple(index for index, _ in self.axes.values() if index is not ITERATION)

    @property
    def loop(self):
        ensure("loop" in self.axes, "an accumulator without a loop")
        return self.axes["loop"][1]

    def ranges(self):
        return self.axes.values()

    def read(self, _name, axes, loop, body):
        names, trees = zip(*axes) if axes else ((), ())
        sizes = dict(zip(names, self.side.extents(trees)))
        ensure(len(sizes) == len(names), "a grid axis is declared twice")
        self.axes = {axis: (GRID[axis], sizes[axis]) for axis in "xyz" if axis in sizes}
        if loop is not None:
            self.side.new_name(loop[0])
            self.axes["loop"] = ITERATION, *self.side.extents([loop[1]])
        self.side.kernel = self
        for kind, name, *parts in body:
            match kind:
                case "let":
                    self.side.statement(kind, name, *parts)
                case "store":
                    self._store(name, *parts)
                case "load":
                    self.side.new_name(name)
                    self.tensors[name] = self._load(name, *parts)
                case "acc":
                    self.side.new_name(name)
                    self.tensors[name] = self._accumulate(name, *parts)
        self.side.kernel = None
        for target, extents, element in self.stores:
            self.side.new_name(target)
            self.side.count_tensor()
            symbol = f"{self.side.letter}.{target}"
            self.side.tensors[target] = self.side.define(symbol, extents, element)

    def _define(self, name, extents, body, varies=False, **more):
        self.side.count_tensor()
        return self.side.define(f"{self.prefix}.{name}", extents, body, self.grid, varies, **more)

    def _map(self, pairs, rank):
        mapped = dict(pairs)
        ensure(len(mapped) == len(pairs), "an axis is mapped twice")
        ensure(mapped.keys() <= self.axes.keys(), "an axis is mapped that is not declared")
        ensure(all(d < rank for d in mapped.values()), "an axis is mapped to none")
        return mapped

    def _tile(self, parts):
        """(extents of one tile, for each axis what it is cut off at or None)."""
        sizes = self.side.extents([size for _, size, _ in parts])
        ends = iter(self.side.extents([end for *_, end in parts if end is not None]))
        return sizes, [None if end is None else next(ends) for *_, end in parts]

    def _cut(self, size, end, at, tiles):
        """The extent of tile number `at` of so many, the last one being cut off at the end."""
        self.side.oblige(make("<=", end, computed("*", tiles, size)))
        extent = smaller(size, computed("+", end, negative(computed("*", at, size))))
        self.side.extent_obligation(extent)
        return extent

    def _load(self, name, parts, source, pairs):
        sizes, ends = self._tile(parts)
        ensure(source in self.side.tensors, f"there is no tensor {source}")
        tensor = self.side.tensors[source]
        ensure(len(tensor.extents) == len(sizes), f"{source} has another number of axes")
        mapped = self._map(pairs, len(sizes))
        at, tiles = [ZERO] * len(sizes), [ONE] * len(sizes)
        for axis, (index, extent) in self.axes.items():
            if axis in mapped:
                d = mapped[axis]
                at[d] = computed("+", computed("*", at[d], extent), index)
                tiles[d] = computed("*", tiles[d], extent)
        extents = list(sizes)
        for d, (whole, size, end) in enumerate(zip(tensor.extents, sizes, ends)):
            if end is None:
                self.side.shape_obligation(whole, computed("*", tiles[d], size))
            else:
                self.side.shape_obligation(whole, end)
                extents[d] = self._cut(size, end, at[d], tiles[d])
        places = zip(at, sizes, element_indices(len(sizes)))
        indices = [computed("+", computed("*", start, size), i) for start, size, i in places]
        return self._define(name, extents, tensor.element(indices), "loop" in mapped)

    def _accumulate(self, name, running, reduction):
        kind, source, *more = reduction
        bound = self.loop
        ensure(source in self.tensors, f"there is no tile {source}")
        ensure(running is None or kind == "max", "only a maximum has a running value")
        tile = self.tensors[source]
        ensure(not tile.after, "an accumulator reads what comes after the loop")
        extents, indices = list(tile.extents), element_indices(len(tile.extents))
        same = not any(ITERATION in extent.free for extent in extents)
        ensure(same, f"{source} has another extent in each iteration")
        match kind:
            case "concat":
                (d,) = more
                ensure(d < len(extents), "concat along an axis that there is not")
                self.side.oblige(make("<", ZERO, extents[d]))
                iteration = computed("div", indices[d], extents[d])
                indices[d] = computed("mod", indices[d], extents[d])
                extents[d] = computed("*", bound, extents[d])
                body = tile.element(indices, iteration)
            case "sum":
                (rescale,) = more
                factor = () if rescale is None else (self._factor(rescale, tile, indices),)
                kept = make("*", STATE, *factor) if factor else STATE
                body = fold(ITERATION, bound, ZERO, make("+", kept, tile.element(indices)))
            case "max":
                self.side.oblige(make("<", ZERO, bound))
                if running is not None:
                    self.side.new_name(running)
                    so_far = maximum(tile, indices, make("+", ITERATION, ONE))
                    made = self._define(running, extents, so_far, True, maximum_of=tile)
                    self.tensors[running] = made
                body = maximum(tile, indices, bound)
        return self._define(name, extents, body, after=True)

    def _factor(self, name, tile, indices):
        """exp(the maximum before - the maximum now), of a running maximum."""
        ensure(name in self.tensors, f"there is no running maximum {name}")
        now = self.tensors[name]
        ensure(now.maximum_of is not None, f"{name} is no running maximum")
        ensure(len(now.extents) <= len(indices), f"{name} has more axes than what it rescales")
        for a, b in zip(now.extents, tile.extents):
            self.side.shape_obligation(a, b)
        leading = indices[: len(now.extents)]
        before = maximum(now.maximum_of, leading, ITERATION)
        return make("exp", make("+", before, make("*", MINUS_ONE, now.element(leading))))

    def _divided(self, index, size):
        """(index div size, index mod size), with the obligation that size is positive."""
        self.side.oblige(make("<", ZERO, size))
        return computed("div", index, size), computed("mod", index, size)

    def _store(self, target, parts, source, pairs):
        sizes, ends = self._tile(parts)
        self.side.new_name(target)
        ensure(source in self.tensors, f"there is no tile {source}")
        tensor = self.tensors[source]
        fits = len(tensor.extents) == len(sizes) and not tensor.varies
        ensure(fits, f"{source} cannot be stored: it varies, or has another number of axes")
        mapped = self._map(pairs, len(sizes))
        ensure(mapped.keys() == self.axes.keys() - {"loop"}, "a grid axis is not mapped")
        on_axis = [[a for a in self.axes if mapped.get(a) == d] for d in range(len(sizes))]
        for d, (whole, size, end) in enumerate(zip(tensor.extents, sizes, ends)):
            if end is not None:
                ensure(len(on_axis[d]) == 1, "a tile is cut off along one axis of the grid only")
                size = self._cut(size, end, *self.axes[on_axis[d][0]])
            self.side.shape_obligation(whole, size)
        extents, indices, blocks = list(sizes), element_indices(len(sizes)), []
        numbers = {}
        for axis in (axis for axis in self.axes if axis != "loop"):
            d = mapped[axis]
            if d not in numbers:
                numbers[d], indices[d] = self._divided(indices[d], sizes[d])
            behind = on_axis[d][on_axis[d].index(axis) + 1 :]
            block = numbers[d]
            if behind:
                passed = reduce(partial(computed, "*"), (self.axes[a][1] for a in behind))
                block, numbers[d] = self._divided(numbers[d], passed)
            blocks.append(block)
            whole = computed("*", self.axes[axis][1], extents[d])
            extents[d] = whole if ends[d] is None else ends[d]
        element = make("app", *tensor.symbol, *blocks, *indices) if tensor.symbol else tensor.value
        self.stores.append((target, extents, element))
        within("stores of a kernel", len(self.stores))
