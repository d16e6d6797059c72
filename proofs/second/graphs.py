"""Programs, muGraphs with their block graphs, and rules, as claims (CLAIM.md sections 5, 6)."""

import hashlib

from .claim import BLOCK, Claim, Expression
from .scalars import Evaluation, Place, Tensor
from .syntax import ensure


MAX_INPUTS = 64
MAX_STORES = 64


class Block:
    """The grid and loop of one kernel."""

    def __init__(self, claim, name, axes, loop):
        self.name = name
        self.axes = axes  # [(variable, extent)] of the declared axes, in the order x y z
        self.letters = {}
        self.loop = loop
        self.iteration = claim.var("$b3")

    def extents(self):
        return self.axes + ([(self.iteration, self.loop)] if self.loop is not None else [])


class Builder(Claim):
    # -- programs --------------------------------------------------------------------------------

    def program(self, side, tree):
        inputs = {}
        for statement in tree[3]:
            kind = statement[0]
            if kind == "sizes":
                for name, least, value in statement[1]:
                    self._program_size(side, name, 1 if least is None else least, value)
            elif kind == "where":
                self.where(side, statement[1])
            elif kind == "input":
                ensure(statement[1] not in inputs, f"two inputs {statement[1]}")
                inputs[statement[1]] = self._input(side, *statement[1:])
            elif kind == "kernel":
                self.kernel(side, statement)
            else:
                self.statement(side, side.tensors, statement, side.letter)
        return inputs

    def _program_size(self, side, name, least, value):
        if side is self.candidate and self.var(name) in self.least:
            self.redeclare_size(side, name, least, value)
            return
        self.declare_size(side, name, least, value)
        if side is self.candidate:
            self.own.add(self.var(name))

    def _input(self, side, name, kind, dims):
        self._new_name(side, name)
        here = Evaluation(self, side, {}, Place())
        extents = [here.size(d) for d in dims]
        for extent in extents:
            self.extent_obligation(side, extent)
        symbol = (name, "i" * len(extents) + (":i" if kind == "int" else ":r"))
        tensor = Tensor(extents, symbol=symbol)
        tensor.type = kind
        side.tensors[name] = tensor
        self.inputs.setdefault(name, symbol)
        ensure(len(self.inputs) <= MAX_INPUTS, "too many inputs")
        return tensor

    def pair(self, spec, candidate):
        """The claim of a program and a candidate."""
        given_inputs = self.program(self.given, spec)
        ensure(self.given.outputs, "the program has no output")
        if candidate[0] == "program":
            inputs = self.program(self.candidate, candidate)
            self._same_inputs(given_inputs, inputs)
            same = len(self.candidate.outputs) == len(self.given.outputs)
            ensure(same, "the candidate has another number of outputs")
        else:
            self.candidate.sizes |= self.given.sizes
            self.candidate.tensors.update(given_inputs)
            self.program(self.candidate, candidate)
            for name in self.given.outputs:
                if name in self.candidate.tensors and name not in given_inputs:
                    self.candidate.outputs[name] = self.candidate.tensors[name]
        self.check_freedom()
        self.admit()
        return self.goals()

    def _same_inputs(self, given, other):
        ensure(set(given) == set(other), "the candidate has other inputs")
        for name, tensor in given.items():
            theirs = other[name].extents
            same = other[name].type == tensor.type and len(theirs) == len(tensor.extents) and all(
                self.t.same_poly(a, b) for a, b in zip(tensor.extents, theirs)
            )
            ensure(same, f"input {name} is another in the candidate")

    # -- rules -----------------------------------------------------------------------------------

    def rule(self, rule, backwards):
        sides = (rule["rhs"], rule["lhs"]) if backwards else (rule["lhs"], rule["rhs"])
        for statement in rule["declared"]:
            self._declaration(*statement)
        self.candidate.sizes |= self.given.sizes
        declared = dict(self.given.tensors)
        self.candidate.tensors.update(declared)
        for side, body in zip((self.given, self.candidate), sides):
            for statement in body:
                self.statement(side, side.tensors, statement, side.letter)
        same = self.given.outputs.keys() == self.candidate.outputs.keys()
        ensure(same and self.given.outputs, "the sides have other outputs")
        self.admit()
        return self.goals("@" + hashlib.sha256(rule["text"].encode()).hexdigest())

    def _declaration(self, kind, items):
        side = self.given
        if kind == "where":
            self.where(side, items)
        for item in items if kind != "where" else ():
            if kind == "sizes":
                name, least, value = item
                self.declare_size(side, name, least or 0, value)
            elif kind == "ints":
                self._new_name(side, item)
                side.sizes.add(item)
            elif kind == "axes":
                self.declare_size(side, ".." + item, 0, None)
            elif kind == "tensor":
                self._rule_tensor(*item)
            else:
                self._assume(*item)

    def _rule_tensor(self, name, dims, kind):
        side = self.given
        self._new_name(side, name)
        here = Evaluation(self, side, {}, Place())
        extents = []
        for dim in dims:
            if dim[0] == "list":
                ensure(dim[2] is None and ".." + dim[1] in side.sizes, f"no axes {dim[1]}")
                extents.append(self.var(".." + dim[1]))
            else:
                ensure(dim[0] == "size", "broadcast stands in operators only")
                extents.append(here.size(dim[1]))
        for extent in extents:
            self.extent_obligation(side, extent)
        symbol = (name, "i" * len(extents) + (":i" if kind == "int" else ":r"))
        side.tensors[name] = Tensor(extents, symbol=symbol, kind=kind)
        self.inputs[name] = symbol

    def _assume(self, left, relop, right):
        if not hasattr(self, "assumed"):
            self.assumed = [0]
        if relop in (">", ">="):
            larger, lesser = left, right
        else:
            larger, lesser = right, left
        tree = ("op", "sub", [larger, lesser], [])
        scope = self.given.tensors
        d = Expression(self, self.given, scope, "S.assume", tree, self.assumed).run()
        indices = self.indices(d.extents)
        head = {">": "<", ">=": "<=", "!=": "#"}.get(relop, relop)
        relation = self.t.make(head, self.zero, self.element(d, indices))
        self.oblige(self.given, relation, Place(indices, self.ranges(d.extents)))

    # -- block graphs ----------------------------------------------------------------------------

    def kernel(self, side, tree):
        _, name, grid, loop, body = tree
        side.kernels += 1
        here = Evaluation(self, side, {}, Place())
        declared = {}
        for axis, size in grid:
            ensure(axis not in declared, f"two axes {axis}")
            declared[axis] = here.size(size)
            self.extent_obligation(side, declared[axis])
        extent = None
        if loop is not None:
            extent = here.size(loop[1])
            self.extent_obligation(side, extent)
        order = [a for a in "xyz" if a in declared]
        axes = [(self.var(BLOCK["xyz".index(a)]), declared[a]) for a in order]
        self.block = Block(self, name, axes, extent)
        self.block.letters = {a: pair for a, pair in zip(order, axes)}
        self.block.prefix = f"{side.letter}{side.kernels}"
        scope, stores = {}, []
        for statement in body:
            kind = statement[0]
            if kind == "let":
                self.statement(side, scope, statement, self.block.prefix)
            elif kind == "store":
                stores.append(self._store(side, scope, *statement[1:]))
                ensure(len(stores) <= MAX_STORES, "a kernel has too many stores")
            else:
                self._new_name(side, statement[1])
                ensure(statement[1] not in scope, f"{statement[1]} has a meaning already")
                make = self._load if kind == "load" else self._accumulate
                scope[statement[1]] = make(side, scope, *statement[1:])
        self.block = None
        for target, extents, element in stores:
            self._new_name(side, target)
            side.tensors[target] = self.define(side, f"{side.letter}.{target}", extents, element)

    def _tile(self, side, dims):
        here = Evaluation(self, side, {}, Place())
        extents = [here.size(d) for d in dims]
        for extent in extents:
            self.extent_obligation(side, extent)
        return extents

    def _load(self, side, scope, name, dims, source, mapped):
        block = self.block
        tile = self._tile(side, dims)
        ensure(source in side.tensors, f"there is no tensor {source}")
        tensor = side.tensors[source]
        ensure(len(tensor.extents) == len(tile), f"{source} has another number of axes")
        self._check_map(mapped, len(tile))
        at = [self.zero] * len(tile)
        tiles = [self.one] * len(tile)
        along = dict(block.letters)
        if block.loop is not None:
            along["loop"] = (block.iteration, block.loop)
        for axis in ("x", "y", "z", "loop"):
            if axis in mapped:
                ensure(axis in along, f"there is no {axis}")
                variable, extent = along[axis]
                d = mapped[axis]
                at[d] = self.fold("+", self.fold("*", at[d], extent), variable)
                tiles[d] = self.fold("*", tiles[d], extent)
        for extent, count, size in zip(tensor.extents, tiles, tile):
            self.shape_obligation(side, extent, self.fold("*", count, size))
        indices = [
            self.fold("+", self.fold("*", a, size), i)
            for a, size, i in zip(at, tile, self.indices(tile))
        ]
        element = self.element(tensor, indices)
        symbol = f"{block.prefix}.{name}"
        return self.define(side, symbol, tile, element, block, "loop" in mapped)

    def _check_map(self, mapped, rank):
        grid = [d for axis, d in mapped.items() if axis != "loop"]
        ensure(all(d < rank for d in mapped.values()), "an axis is mapped to none")
        ensure(len(set(grid)) == len(grid), "two grid axes are mapped to one axis")

    def _accumulate(self, side, scope, name, running, kind, source, more):
        block, t = self.block, self.t
        ensure(block.loop is not None, "acc without a loop")
        ensure(source in scope, f"there is no tile {source}")
        tile = scope[source]
        ensure(not tile.after, "an accumulator reads what comes after the loop")
        ensure(running is None or kind == "max", "only a maximum has a running value")
        indices = self.indices(tile.extents)
        symbol = f"{block.prefix}.{name}"
        if kind == "concat":
            return self._concat(side, symbol, tile, more)
        state = self.var("$s", "r")
        over = [block.iteration, state]
        element = self.element(tile, indices)
        if kind == "sum":
            kept = state
            if more is not None:
                kept = self._rescaled(side, scope, more, tile, indices, state)
            step = t.make("+", kept, element)
            body = t.make("fold", 0, 1, block.loop, self.zero, t.close(step, over))
        else:
            self.oblige(side, t.make("<", self.zero, block.loop), Place())
            if running is not None:
                self._running(side, scope, running, tile, indices)
            body = self._largest(tile, indices, block.loop)
        result = self.define(side, symbol, tile.extents, body, block)
        result.after = True
        return result

    def _largest(self, tile, indices, bound):
        """The maximum of a tile over the iterations below `bound`."""
        state = self.var("$s", "r")
        step = self.larger(state, self.element(tile, indices))
        over = [self.block.iteration, state]
        base = self.element(tile, indices, self.zero)
        return self.t.make("fold", 0, 1, bound, base, self.t.close(step, over))

    def _running(self, side, scope, name, tile, indices):
        self._new_name(side, name)
        ensure(name not in scope, f"{name} has a meaning already")
        bound = self.t.make("+", self.block.iteration, self.one)
        fold = self._largest(tile, indices, bound)
        symbol = f"{self.block.prefix}.{name}"
        scope[name] = self.define(side, symbol, tile.extents, fold, self.block, True)
        scope[name].maximum_of = tile

    def _rescaled(self, side, scope, name, tile, indices, state):
        t = self.t
        ensure(name in scope and scope[name].maximum_of, f"{name} is no running maximum")
        m = scope[name]
        ensure(len(m.extents) <= len(tile.extents), f"{name} has more axes than what it rescales")
        for a, b in zip(m.extents, tile.extents):
            self.shape_obligation(side, a, b)
        leading = indices[: len(m.extents)]
        before = self._largest(m.maximum_of, leading, self.block.iteration)
        now = t.make("*", self.minus, self.element(m, leading))
        return t.make("*", state, t.make("exp", t.make("+", before, now)))

    def _concat(self, side, symbol, tile, d):
        ensure(d < len(tile.extents), "concat along an axis that there is not")
        size = tile.extents[d]
        self.oblige(side, self.t.make("<", self.zero, size), Place())
        indices = self.indices(tile.extents)
        iteration = self.fold("div", indices[d], size)
        indices[d] = self.fold("mod", indices[d], size)
        body = self.element(tile, indices, iteration)
        extents = list(tile.extents)
        extents[d] = self.fold("*", self.block.loop, size)
        result = self.define(side, symbol, extents, body, self.block)
        result.after = True
        return result

    def _store(self, side, scope, target, dims, source, mapped):
        block = self.block
        tile = self._tile(side, dims)
        ensure(source in scope, f"there is no tile {source}")
        tensor = scope[source]
        ensure(len(tensor.extents) == len(tile) and not tensor.varies, f"{source} cannot be stored")
        self._check_map(mapped, len(tile))
        ensure(set(mapped) == set(block.letters), "every grid axis is mapped, and no other")
        for extent, size in zip(tensor.extents, tile):
            self.shape_obligation(side, extent, size)
        extents, indices = list(tile), self.indices(tile)
        inner = list(indices)
        blocks = {}
        for axis, (variable, count) in block.letters.items():
            d = mapped[axis]
            self.oblige(side, self.t.make("<", self.zero, tile[d]), Place())
            blocks[variable] = self.fold("div", indices[d], tile[d])
            inner[d] = self.fold("mod", indices[d], tile[d])
            extents[d] = self.fold("*", count, tile[d])
        if tensor.value is not None:
            return target, extents, tensor.value
        arguments = [blocks[v] for v, _ in block.axes] + inner
        return target, extents, self.t.make("app", *tensor.symbol, *arguments)
