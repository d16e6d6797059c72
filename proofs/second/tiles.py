"""Tile programs (CLAIM.md section 6.1)."""

from dataclasses import dataclass, replace
from functools import partial
from itertools import product

from .grammar import ensure, within
from .scalars import Scalars, Tensor, element_indices
from .sizes import MINUS_ONE, ONE, STATE, ZERO, computed, fold, negative
from .terms import constant, make, variable

MAX_LOOPS = 8  # within each other


@dataclass
class Store:
    at: Scalars  # under the lanes, without obligations
    rows: list  # (counter, extent) of each lane
    trees: list  # positions
    condition: object

    def version(self, before, value):
        """The element at $i0 .. after it.  value: Scalars to the term that is stored."""
        indices = element_indices(len(before.extents))
        old = before.element(indices)
        kept = STATE if self.rows else old
        at = self.at.anew()
        positions = [at.size(tree) for tree in self.trees]
        body = at.choose(self.condition, value, lambda at: kept)
        for position, index in reversed([*zip(positions, indices)]):
            body = make("ite", make("=", position, index), body, kept)
        for j, (counter, extent) in reversed([*enumerate(self.rows)]):
            body = fold(counter, extent, STATE if j else old, body)
        return body


@dataclass
class Access:
    """A load, or the place of a store."""

    name: str  # of the tensor
    stores: bool
    place: object
    positions: list
    value: object  # that is stored

    def depends_on(self, j):
        """Whether index number j decides where it is, or that it is made at all."""
        beyond = [*self.positions, *self.place.conditions[2 * j + 2 :]]
        return any(self.place.variables[j] in term.free for term in beyond)

    def is_at(self, other):
        """Whether the places are the same but for the names of the indices."""
        own, theirs = self.place, other.place
        if self.name != other.name or len(own.variables) != len(theirs.variables):
            return False
        renamed = dict(zip(own.variables, theirs.variables))
        terms = [x.replaced(renamed) for x in (*own.conditions, *self.positions)]
        return terms == [*theirs.conditions, *other.positions]


class TileProgram:
    """What is known at a place of the text; versions of tensors are in `side.tensors`."""

    def __init__(self, side):
        self.side = side
        self.is_candidate = side is side.claim.candidate
        self.grid = ()  # the lead: variables of the loops around
        self.tensors = {}  # tiles
        self.unset, self.fixed = set(), set()  # with no stated value; never stored to
        self.results, self.accesses = [], []
        self.numbers = 0
        self.loads_unset = False

    def read(self, statements):
        self.side.kernel = self
        self._run(statements)
        for name in self.results:
            tensor = self.side.tensors[name]
            self.side.output(name, tensor)
            if tensor.valued:
                indices = element_indices(len(tensor.extents))
                place = self.side.around.ranging(indices, tensor.extents)
                self.side.oblige(make("=", tensor.valued.element(indices), ONE), place)
        if self.loads_unset and not self.is_candidate:
            self.side.obligations.clear()

    def _run(self, statements):
        for kind, *parts in statements:
            match kind:
                case "sizes":
                    self.side.declare_sizes(*parts, 1, self.is_candidate)
                case "where":
                    self.side.where(*parts, self.is_candidate)
                case "tensor":
                    role, declared = parts
                    self._declare(role, *declared)
                case "let":
                    self._let(*parts)
                case "load":
                    self._load(*parts)
                case "make":
                    self._make(*parts)
                case "store":
                    self._store(*parts)
                case "loop":
                    self._loop(*parts)

    def ranges(self):
        """Of block variables, which there are none of."""
        return ()

    def _declare(self, role, name, type_, dims, value):
        extents = self.side.extents(dims)
        if role in ("input", "inout"):
            ensure(value is None, "an input has no stated value")
            self.side.input(name, extents, type_)
        else:
            self._new_name(name)
            ensure(type_ != "int", "integers are not stored")
            within("axes of a tensor", len(extents))
            self.unset -= {name}  # of a loop before
            self.unset |= {name} if value is None else set()
            sign, number = value or (None, None)
            start = make("inv", ZERO) if value is None else constant(-number if sign else number)
            beside = value is None and self.is_candidate
            valued = Tensor(extents, value=ZERO) if beside else None
            self.side.tensors[name] = Tensor(extents, value=start, valued=valued)
        self.fixed |= {name} if role == "input" or type_ == "int" else set()
        self.results += [name] if role in ("inout", "output") else []

    # -- tiles -----------------------------------------------------------------------------------

    def _new_name(self, name):
        self.side.new_name(name)
        self.side.count_tensor()

    def _symbol(self, name):
        self.numbers += 1
        return f"{self.side.letter}{self.numbers}.{name}"

    def _define(self, name, extents, body, **more):
        return self.side.define(self._symbol(name), extents, body, self.grid, **more)

    def _let(self, name, tree):
        self.side.new_name(name)
        self.tensors[name] = self._expression(name, tree)

    def _expression(self, name, tree):
        return self.side.expression(self.tensors, self._symbol(name), tree)

    def _here(self):
        unread = dict.fromkeys(self.side.tensors)  # but by loads
        return Scalars(self.side, {**unread, **self.side.names, **self.tensors}, self.side.around)

    def _under(self, lanes, variables):
        """(extents, Scalars under the lanes)"""
        here, extents = self._here(), []
        for name, tree in lanes:
            self.side.new_name(name)
            extents.append(here.anew().size(tree))
            self.side.extent_obligation(extents[-1])
        within("axes of a tensor", len(extents))
        names = {name: index for (name, _), index in zip(lanes, variables)}
        ensure(len(names) == len(lanes), "two lanes have one name")
        place = self.side.around.ranging(variables, extents)
        return extents, replace(here, names={**here.names, **names}, place=place)

    def _make(self, name, lanes, tree):
        self._new_name(name)
        extents, at = self._under(lanes, element_indices(len(lanes)))
        self.tensors[name] = self._define(name, extents, at.scalar(tree))

    def _load(self, name, lanes, place, mask):
        self._new_name(name)
        condition, other = mask or (None, None)
        masked = condition is not None and other is None
        ensure(self.is_candidate or not masked, "a given program has a load without a value")
        extents, at = self._under(lanes, element_indices(len(lanes)))
        valued = None
        if masked:
            silent = replace(at.anew(), silent=True)
            body = silent.choose(condition, lambda at: ONE, lambda at: ZERO)
            valued = self._define(name, extents, body)
        body = at.choose(
            condition,
            partial(self._touch, place=place, stores=False),
            lambda at: at.scalar(other) if other else make("inv", ZERO),
        )
        self.tensors[name] = self._define(name, extents, body, valued=valued)
        self.loads_unset = self.loads_unset or place[0] in self.unset

    def _touch(self, at, place, stores, value=None):
        """The element at a place, with what it asks for; the access is remembered."""
        name, trees = place
        ensure(name in self.side.tensors, f"no tensor is called {name}")
        positions = [at.size(tree) for tree in trees]
        self.accesses.append(Access(name, stores, at.place, positions, value))
        tensor = self.side.tensors[name]
        return at.element(replace(tensor, valued=None) if stores else tensor, positions)

    # -- stores ----------------------------------------------------------------------------------

    def _store(self, place, value, lanes, condition):
        lanes = lanes or []
        name, trees = place
        fits = name in self.side.tensors and name not in self.fixed
        ensure(fits, f"no tensor that can be stored to is called {name}")
        counters = [variable(f"$k{j}") for j in range(len(lanes))]
        extents, at = self._under(lanes, counters)
        at = replace(at, depth=len(lanes))
        read = self._stored(value, counters, extents)
        chosen = at.anew().choose(condition, read, lambda at: ZERO)
        first = len(self.accesses)
        touch = partial(self._touch, place=place, stores=True, value=chosen)
        at.anew().choose(condition, touch, lambda at: ZERO)
        accesses = self.accesses[first:] if self.is_candidate else ()
        for a, b in product(accesses, repeat=2):
            for j in range(len(lanes)):
                self._apart(a, b, len(self.grid) + j)
        rows = [*zip(counters, extents)]
        store = Store(replace(at, silent=True), rows, trees, condition)
        before = self.side.tensors[name]
        after = self._define(name, before.extents, store.version(before, read))
        if before.valued:
            body = store.version(before.valued, lambda at: ONE)
            after.valued = self._define(name, before.extents, body)
        self.side.tensors[name] = after

    def _stored(self, value, counters, extents):
        """Scalars to the term of what is stored."""
        tile = self.tensors.get(value[1]) if value[0] == "name" else None
        if tile is None:
            return lambda at: at.scalar(value)
        ensure(len(tile.extents) == len(extents), f"{value[1]} has another number of axes")
        for axis, extent in zip(tile.extents, extents):
            self.side.shape_obligation(axis, extent)
        return lambda at: at.value_of(tile, counters)

    # -- loops -----------------------------------------------------------------------------------

    def _loop(self, kind, name, bounds, carries, body, nexts):
        side, depth = self.side, len(self.grid)
        ensure(depth < MAX_LOOPS, f"more than {MAX_LOOPS} loops within each other")
        first, step, count = self._iterations(*bounds)
        self._carry(kind, carries)
        side.new_name(name)
        grid, around, names = self.grid, side.around, dict(side.names)
        tensors, tiles, made = dict(side.tensors), dict(self.tensors), side.made
        index = variable(f"$l{depth}")
        self.grid, side.around = (*grid, index), around.ranging([index], [count])
        side.loops += (side.claim.new_loop(),)
        side.names[name] = computed("+", first, computed("*", index, step))
        changed = stores_in(body)
        rounds = {t: self._round(t, tensors[t]) for t in tensors if t in changed}
        side.tensors |= rounds
        turns = {t: self._round(t, tiles[t]) for _, t, _ in carries}
        self.tensors |= turns
        begin = len(self.accesses)
        self._run(body)
        after = self._next(nexts, turns)
        if kind == "parallel" and self.is_candidate:
            self._conflicts(self.accesses[begin:], tensors, depth)
        for t, inside in [*rounds.items(), *turns.items()]:
            self._close(inside, after[t] if t in after else side.tensors[t])
        self.grid, side.around, side.names = grid, around, names
        side.loops, side.made = side.loops[:-1], made
        side.tensors = tensors | {t: self._behind(rounds[t], count) for t in rounds}
        self.tensors = tiles | {t: self._behind(turns[t], count) for t in turns}

    def _iterations(self, start, stop, step):
        """(first value, step, count)"""
        here = self._here()
        first, last = here.anew().size(start), here.anew().size(stop)
        step = ONE if step is None else here.anew().size(step)
        self.side.oblige(make("<", ZERO, step))
        count = computed("+", last, negative(first))
        if step is not ONE:
            rounded = computed("+", count, computed("+", step, MINUS_ONE))
            count = computed("div", rounded, step)
        return first, step, count

    def _carry(self, kind, carries):
        ensure(kind == "for" or not carries, "a parallel loop carries nothing")
        for is_int, name, tree in carries:
            ensure(is_int is None, "a tile of integers is carried")
            self._let(name, tree)
            ensure(self.tensors[name].valued is None, f"{name} has no value somewhere")

    def _round(self, name, before):
        """What a loop carries, at its iteration; the definition is closed behind the body."""
        valued = self._round(name, before.valued) if before.valued else None
        element = before.element(element_indices(len(before.extents)))
        symbol = self._symbol(name)
        return self.side.recursion(symbol, before.extents, element, self.grid, valued=valued)

    def _close(self, inside, latest):
        self.side.close(inside, latest.element(element_indices(len(inside.extents))))
        if inside.valued:
            self._close(inside.valued, latest.valued)

    def _behind(self, inside, count):
        valued = self._behind(inside.valued, count) if inside.valued else None
        return replace(inside, grid=(*self.grid, count), valued=valued)

    def _next(self, nexts, turns):
        """The tiles that the next iteration begins with."""
        after = {}
        for name, tree in nexts:
            ensure(name in turns and name not in after, f"{name} is not carried, or has two nexts")
            tile = self._expression(name, tree)
            fits = len(tile.extents) == len(turns[name].extents) and tile.valued is None
            ensure(fits, f"{name} has other axes, or no value somewhere")
            for axis, extent in zip(turns[name].extents, tile.extents):
                self.side.shape_obligation(axis, extent)
            after[name] = tile
        ensure(after.keys() == turns.keys(), "a tile is carried and has no next")
        return after

    # -- conflicts -------------------------------------------------------------------------------

    def _conflicts(self, accesses, outside, depth):
        for a, b in product(accesses, repeat=2):
            if a.name != b.name or a.name not in outside or not (a.stores or b.stores):
                continue
            if a.depends_on(depth) or b.depends_on(depth):
                self._apart(a, b, depth)
            elif a.stores and b.stores:
                self._apart(a, b, depth, alike=True)
            else:
                load = b if a.stores else a
                before = accesses[: accesses.index(load)]
                if not any(c.stores and c.is_at(load) for c in before):
                    self._apart(a, b, depth)

    def _apart(self, a, b, j, alike=False):
        """That the places differ where index number j of b is the larger one; alike: that where
        they do not, what is stored is the same."""
        larger = [variable(f"$q{k}") for k in range(len(b.place.variables) - j)]
        renamed = dict(zip(b.place.variables[j:], larger))
        pairs = [(p, q.replaced(renamed)) for p, q in zip(a.positions, b.positions)]
        x = a.place.variables[j]
        chosen = next((d for d, (p, _) in enumerate(pairs) if x in p.free), len(pairs) - 1)
        conditions = [c.replaced(renamed) for c in b.place.conditions[2 * j :]]
        conditions.append(make("<", x, larger[0]))
        conditions += [make("=", p, q) for d, (p, q) in enumerate(pairs) if alike or d != chosen]
        place = a.place.under(*conditions, variables=tuple(larger))
        if alike:
            formula = make("=", a.value, b.value.replaced(renamed))
        else:
            formula = make("#", *pairs[chosen]) if pairs else make("<", ZERO, ZERO)
        self.side.oblige(formula, place)


def stores_in(statements):
    """The names of the tensors that statements store to."""
    found = set()
    for statement in statements:
        match statement:
            case "store", (name, _), *_:
                found.add(name)
            case "loop", _, _, _, _, body, _:
                found |= stores_in(body)
    return found
