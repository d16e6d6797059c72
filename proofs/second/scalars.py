"""Scalars at a place, and calls of operators (CLAIM.md sections 3 and 4)."""

from dataclasses import dataclass, field, replace

from .grammar import Refused, ensure, within
from .sizes import (
    ONE,
    STATE,
    ZERO,
    at_values,
    computed,
    fold,
    is_group,
    is_one,
    larger,
    negative,
    relation,
    smaller,
)
from .terms import Term, constant, make, negation, range_of, variable

FUNCTIONS = {"max": 2, "min": 2, "abs": 1, "exp": 1, "log": 1, "sqrt": 1, "inv": 1}
DEFINED_WHERE = {
    "log": lambda a: make("<", ZERO, a),
    "sqrt": lambda a: make("<=", ZERO, a),
    "inv": lambda a: make("#", a, ZERO),
}
BUILTIN = ("builtin",)


@dataclass
class Tensor:
    extents: list
    value: object = None  # of rank 0: a number, or the name of a size
    symbol: tuple = ()  # name and signature
    kind: str = "real"
    grid: tuple = ()  # in a block: the variables of the declared axes
    varies: bool = False
    after: bool = False  # after the loop
    maximum_of: object = None  # of a running maximum: the tile
    valued: object = None  # of a tile program: the tensor that is 1 where this one has a value

    def element(self, indices, iteration=variable("$b3")):
        if self.value is not None:
            return self.value
        loop = [iteration] if self.varies else []
        element = make("app", *self.symbol, *self.grid, *loop, *indices)
        if self.kind == "bool":
            return make("ite", make("=", element, ZERO), ZERO, ONE)
        return element


@dataclass(frozen=True)
class Place:
    """What holds around a place: variables and conditions, outermost first."""

    variables: tuple = ()
    conditions: tuple = ()

    def under(self, *conditions, variables=()):
        return Place(self.variables + variables, self.conditions + conditions)

    def ranging(self, indices, extents):
        """Under indices in their ranges."""
        ranges = [formula for pair in zip(indices, extents) for formula in range_of(*pair)]
        return self.under(*ranges, variables=tuple(indices))


def group_of(extent):
    return extent if is_group(extent) else None


def list_name(part):
    """The name of a list of axes in a result's shape."""
    return part[3] if part[0] == "broadcast" else part[1]


def element_indices(count):
    return [variable(f"$i{k}") for k in range(count)]


@dataclass
class Effort:
    """Of one call, or of one size expression or function of its own."""

    steps: int = 0
    depth: int = 0

    def enter(self, counts):
        self.steps += counts
        self.depth += 1
        within("steps to expand one call", self.steps)
        within("expressions within each other, all written out", self.depth)


@dataclass(frozen=True)
class Let:
    indices: list
    body: tuple
    names: dict  # what it knows


@dataclass(frozen=True)
class Scalars:
    """Size expressions and bodies, at one place."""

    side: object
    names: dict  # to terms, and in an operator to tensors and definitions
    place: Place = Place()
    lists: dict = field(default_factory=dict)  # ..a to the indices bound to it
    depth: int = 0  # of reductions
    call: object = None
    behind: object = None  # the definition whose body this is
    effort: Effort = field(default_factory=Effort)
    silent: bool = False  # without obligations

    def __post_init__(self):
        numbers = sum(isinstance(what, Term) for what in self.names.values())
        within("names of numbers at one place", numbers if self.call else 0)

    def oblige(self, formula):
        if not self.silent:
            self.side.oblige(formula, self.place)

    @property
    def groups(self):
        """The groups that indices of a call's result stand for."""
        return self.call.groups if self.call else {}

    def anew(self):
        """The same place, for what has steps of its own."""
        return replace(self, effort=Effort())

    def size(self, tree):
        term = self.scalar(tree)
        ensure(term.integer, "a size is no integer")
        return term

    def scalar(self, tree):
        self.effort.enter(tree[0] != "chain")
        term = self._scalar(tree)
        self.effort.depth -= 1
        return term

    def _scalar(self, tree):
        match tree:
            case "num", value:
                return constant(value)
            case "name", name:
                term = self.names.get(name)
                ensure(hasattr(term, "head"), f"{name} is no number that is known here")
                self._no_group(term)
                return term
            case "neg", operand:
                return negative(self.scalar(operand))
            case "chain", first, rest:
                term = self.scalar(first)
                for operator, operand in rest:
                    term = self._binary(operator, term, self.scalar(operand))
                return term
            case "call", name, arguments:
                return self._function(name, [self.scalar(argument) for argument in arguments])
            case "if", condition, yes, no:
                return self.choose(condition, lambda at: at.scalar(yes), lambda at: at.scalar(no))
            case "reduce", kind, counter, bound, body:
                return self._reduction(kind, counter, self.size(bound), body)
        _, name, accesses = tree
        return self._access(name, accesses)

    def _no_group(self, term):
        """A group's index stands for many: it is no number, and goes where the group is only."""
        ensure(term not in self.groups, "a group's index goes where the group is only")

    def _binary(self, operator, a, b):
        match operator:
            case "-":
                return computed("+", a, negative(b))
            case "/":
                self.oblige(make("#", b, ZERO))
                return make("*", a, make("inv", b))
            case "div" | "mod":
                ensure(a.integer and b.integer, f"{operator} of what is no integer")
                self.oblige(make("<", ZERO, b))
        return computed(operator, a, b)

    def _function(self, name, values):
        made = self.side.claim.library.find("func", name, self.behind)
        ensure(name in FUNCTIONS or made, f"there is no function {name}")
        count = FUNCTIONS[name] if name in FUNCTIONS else len(made.parts[0])
        ensure(len(values) == count, f"{name} has another number of arguments")
        match name, *values:
            case "max", a, b:
                return larger(a, b)
            case "min", a, b:
                return smaller(a, b)
            case "abs", a:
                return make("ite", make("<=", ZERO, a), a, negative(a))
            case ("exp" | "log" | "sqrt" | "inv"), a:
                if name in DEFINED_WHERE:
                    self.oblige(DEFINED_WHERE[name](a))
                return make(name, a)
        parameters, body = made.parts
        if body == BUILTIN:
            return make("app", f"func.{name}", "r" * len(values) + ":r", *values)
        names = dict(zip(parameters, values))
        return replace(self, names=names, lists={}, behind=made).scalar(body)

    def choose(self, condition, yes, no):
        """yes and no are what remains to be evaluated; no condition leaves yes."""
        match condition:
            case None:
                return yes(self)
            case "not", inner:
                return self.choose(inner, no, yes)
            case "and", first, second:
                return self.choose(first, lambda at: at.choose(second, yes, no), no)
            case "or", first, second:
                return self.choose(first, yes, lambda at: at.choose(second, yes, no))
        _, left, relop, right = condition
        a = self.scalar(left)
        formula = relation(relop, a, self.scalar(right))
        positive = yes(replace(self, place=self.place.under(formula)))
        negative_ = no(replace(self, place=self.place.under(negation(formula))))
        return make("ite", formula, positive, negative_)

    def _reduction(self, kind, counter, bound, body):
        if kind in ("max", "min"):
            self.oblige(make("<", ZERO, bound))
        ensure(counter not in self.names, f"{counter} has a meaning already")
        k = variable(f"$k{self.depth}")
        place = self.place.under(*range_of(k, bound), variables=(k,))
        names = {**self.names, counter: k}
        f = replace(self, names=names, place=place, depth=self.depth + 1).scalar(body)
        base, step = {
            "sum": (ZERO, make("+", STATE, f)),
            "prod": (ONE, make("*", STATE, f)),
            "max": (f.replaced({k: ZERO}), larger(STATE, f)),
            "min": (f.replaced({k: ZERO}), smaller(STATE, f)),
        }[kind]
        return fold(k, bound, base, step)

    # -- accesses (section 4.4) ------------------------------------------------------------------

    def _access(self, name, accesses):
        what = self.names.get(name)
        ensure(isinstance(what, (Tensor, Let)), f"{name} is no tensor that is known here")
        indices = []
        for place, access in enumerate(accesses):
            match access:
                case "list", group:
                    ensure(group in self.lists, f"..{group} is not bound")
                    indices += self.lists[group]
                case "fit", group:
                    rest = [other[0] for other in accesses[place + 1 :]]
                    ensure(isinstance(what, Tensor) and "fit" not in rest, "~ into a let, or twice")
                    left = what.extents[len(indices) :]
                    ensure(len(left) >= len(rest), f"~{group} does not fit")
                    indices += self._fitted(group, left[: len(left) - len(rest)])
                case _:
                    indices.append(self.scalar(access))
        ensure(all(index.integer for index in indices), f"an index of {name} is no integer")
        read = self._body_of if isinstance(what, Let) else self.element
        return read(what, indices)

    def _fitted(self, group, extents):
        """The indices of ~group, fitted to the axes of what is accessed."""
        count = len(extents)
        ensure(group in self.lists and count <= len(self.lists[group]), f"~{group} does not fit")
        skipped = len(self.lists[group]) - count
        outer = zip(self.lists[group][skipped:], self.call.lists[group][skipped:])
        return [
            ZERO if is_one(extent) and not is_one(other) else index
            for extent, (index, other) in zip(extents, outer)
        ]

    def element(self, tensor, indices):
        ensure(len(indices) == len(tensor.extents), "an access with another number of indices")
        for index, extent in zip(indices, tensor.extents):
            fits = self.groups.get(index) is group_of(extent)
            ensure(fits, "a group's index goes where the same group is, and no other does")
            for formula in range_of(index, extent):
                self.oblige(formula)
        return self.value_of(tensor, indices)

    def value_of(self, tensor, indices):
        """The element, where it must have a value."""
        if tensor.valued:
            self.oblige(make("=", tensor.valued.element(indices), ONE))
        return tensor.element(indices)

    def _body_of(self, let, indices):
        """A `let`, written out under the conditions of this place."""
        names, lists, rest = dict(let.names), {}, list(indices)
        for kind, name in let.indices:
            count = len(self.call.lists.get(name, ())) if kind == "list" else 1
            taken, rest = rest[:count], rest[count:]
            ensure(len(taken) == count, "a let has another number of indices")
            if kind == "list":
                ensure(name in self.call.lists, f"..{name} is not known")
                ours = [self.groups.get(index) for index in taken]
                theirs = [group_of(extent) for extent in self.call.lists[name]]
                ensure(ours == theirs, "a group's index goes where the group is only")
                lists[name] = taken
            else:
                self._no_group(taken[0])
                ensure(name not in names, f"{name} has two meanings")
                names[name] = taken[0]
        ensure(not rest, "a let has another number of indices")
        return replace(self, names=names, lists=lists).scalar(let.body)


class Call:
    """One call of an operator."""

    def __init__(self, side, name, tensors, attributes):
        made = side.claim.library.find("op", name)
        ensure(made, f"there is no operator {name}")
        self.formals, defaults, *self.rest = made.parts
        self.defaults = defaults or ()
        self.name, self.side, self.tensors, self.attributes = name, side, tensors, attributes
        self.names, self.lists = {}, {}  # lists: ..a to the extents bound to it
        self.groups = {}  # the groups that indices of the result stand for
        self.here = Scalars(side, self.names, side.around, call=self, behind=made)

    def _enter(self, name, what):
        ensure(name not in self.names, f"{name} has two meanings")
        self.names[name] = what

    def run(self):
        """(extents, body at $i0 ..)."""
        shape, requires, lets, left, body = self.rest
        within("definitions of an operator", 1 + len(lets))
        for parts in [shape, *(parts for _, parts in self.formals)]:
            within("parts of a shape", len(parts))
        self._bind_attributes()
        ensure(len(self.tensors) == len(self.formals), f"{self.name}: number of tensors")
        for (name, parts), tensor in zip(self.formals, self.tensors):
            self._match(parts, tensor.extents)
            self._enter(name, tensor)
        for _, a, relop, b in (formula for line in requires for formula in line):
            self.side.oblige(relation(relop, self.here.size(a), self.here.size(b)))
        extents = self._result(shape)
        within("axes of a tensor", len(extents))
        for extent in extents:
            self.side.extent_obligation(extent)
        return extents, self._body(extents, shape, lets, left, body)

    def _bind_attributes(self):
        given = dict(self.attributes)
        within("attributes of a call", len(given))
        for name, default in self.defaults:
            if name not in given:
                ensure(default, f"{self.name} needs the attribute {name}")
                sign, value = default
                given[name] = constant(-value if sign else value)
            self._enter(name, given.pop(name))
        ensure(not given, f"{self.name} has no attribute {', '.join(given)}")

    # -- matching (section 4.2) ------------------------------------------------------------------

    def _match(self, parts, extents):
        rank = len(extents)
        counts = [self._count(part, rank) for part in parts]
        ensure(counts.count(None) <= 1, "two lists of axes of unknown length")
        left = rank - sum(count for count in counts if count is not None)
        counts = [left if count is None else count for count in counts]
        fits = sum(counts) == rank and min(counts, default=0) >= 0
        ensure(fits, f"{self.name}: a tensor has another number of axes")
        before = []
        for part, count in zip(parts, counts):
            taken, extents = extents[:count], extents[count:]
            match part:
                case "list", name, number:
                    self._match_list(name, taken)
                    if number is not None:
                        after = self.here.size(number).constant < 0
                        crossed = before + extents if after else taken
                        ensure(not any(map(is_group, crossed)), "an axis is counted across a group")
                case "size", tree:
                    ensure(not is_group(taken[0]), "a group of axes is taken as one axis")
                    if tree[0] == "name" and tree[1] not in self.names:
                        self._enter(tree[1], taken[0])
                    else:
                        self.side.shape_obligation(self.here.size(tree), taken[0])
            before += taken

    def _count(self, part, rank):
        """The axes that a part of a shape takes; None if it is what is left."""
        match part:
            case "size", _:
                return 1
            case "list", name, None:
                return len(self.lists[name]) if name in self.lists else None
            case "list", _, tree:
                number = self.here.size(tree).constant
                ensure(number is not None and -rank <= number <= rank, "no such axis")
                return number + (rank if number < 0 else 0)
        raise Refused("broadcast stands in results only")

    def _match_list(self, name, extents):
        known = self.lists.setdefault(name, extents)
        ensure(len(known) == len(extents), f"..{name} has another number of axes")
        for a, b in zip(known, extents):
            self.side.shape_obligation(a, b)

    def _result(self, shape):
        for part in shape:
            if part[0] == "broadcast":
                _, a, b, name = part
                ensure(a in self.lists and b in self.lists, f"..{a} or ..{b} is not known")
                self.lists[name] = self._broadcast(self.lists[a], self.lists[b])
        extents = []
        for part in shape:
            if part[0] == "size":
                extents.append(self.here.size(part[1]))
            else:
                name = list_name(part)
                ensure(name in self.lists, f"..{name} is not known")
                extents += self.lists[name]
        return extents

    def _broadcast(self, first, second):
        result = []
        for i in range(1, max(len(first), len(second)) + 1):
            x = first[-i] if i <= len(first) else second[-i]
            y = second[-i] if i <= len(second) else x
            if is_one(x) or is_one(y):
                ensure(not is_group(x) and not is_group(y), "a group of axes meets only itself")
            elif x.poly != y.poly:
                ensure(not self._one_at_large(x), "an extent is 1 at large")
                ensure(not self._one_at_large(y), "an extent is 1 at large")
                self.side.shape_obligation(x, y)
            result.insert(0, y if is_one(x) else x)
        return result

    def _one_at_large(self, extent):
        sizes = self.side.claim.sizes.least
        values = [{size: n + j for j, size in enumerate(sizes)} for n in (1000, 1001, 1002)]
        return all(at_values(extent, value) is ONE for value in values)

    def _body(self, extents, shape, lets, left, body):
        indices = element_indices(len(extents))
        pairs = list(zip(indices, extents))
        self.groups = {index: extent for index, extent in pairs if is_group(extent)}
        ensure(len(left) == len(shape), f"{self.name}: the left side is not as the result")
        own, lists, rest = {}, {}, indices
        for (kind, name), part in zip(left, shape):
            if kind == "list":
                fits = part[0] != "size" and list_name(part) == name
                ensure(fits, f"{self.name}: another left side")
                count = len(self.lists[name])
                lists[name], rest = rest[:count], rest[count:]
            else:
                ensure(part[0] == "size" and name not in own, f"{self.name}: another left side")
                own[name], rest = rest[0], rest[1:]
        for name, let_indices, let_body in lets:
            self._enter(name, Let(let_indices, let_body, dict(self.names)))
        ensure(own.keys().isdisjoint(self.names), f"{self.name}: a name has two meanings")
        place = self.side.around.ranging(indices, extents)
        return replace(self.here, names={**self.names, **own}, place=place, lists=lists).scalar(
            body
        )
