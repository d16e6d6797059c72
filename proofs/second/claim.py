"""The claim: statements, definitions, rules and goals (CLAIM.md sections 2, 5, 7 and 8)."""

import hashlib
from dataclasses import dataclass, field

from .grammar import ensure, within
from .kernels import Kernel
from .scalars import BUILTIN, Call, Place, Scalars, Tensor, element_indices
from .sizes import ONE, ZERO, Sizes, is_group, relation
from .terms import constant, make, range_of, variable
from .tiles import TileProgram

INFIX = {"+": "add", "-": "sub", "*": "mul", "/": "div", "@": "matmul"}
BARE = ("slice", None, None, None)  # `:`


def clause(variables, conditions, formula):
    if not variables and not conditions:
        return formula
    return make("all", len(variables), *(part.bound(variables) for part in (*conditions, formula)))


@dataclass
class Definition:
    letter: str  # of the side
    symbol: tuple
    parameters: list
    body: object

    loops: tuple  # in which it stands

    def clauses(self):
        equation = make("=", make("app", *self.symbol, *self.parameters), self.body)
        return [clause(self.parameters, (), equation)]


@dataclass
class Recursion(Definition):
    """What a loop carries; the body is the element before the loop."""

    after: object = None  # the body of the loop
    end: int = 0  # definitions up to the end of the loop

    @property
    def index(self):
        """The iteration."""
        return self.parameters[len(self.loops) - 1]

    def clauses(self):
        index = self.index
        following = [make("+", p, ONE) if p is index else p for p in self.parameters]
        rows = [
            (make("<=", index, ZERO), self.parameters, self.body),
            (make("<=", ZERO, index), following, self.after),
        ]
        return [
            clause(self.parameters, [condition], make("=", make("app", *self.symbol, *at), term))
            for condition, at, term in rows
        ]


@dataclass
class Side:
    """The given program, S, or the candidate, C."""

    claim: object
    letter: str
    names: dict = field(default_factory=dict)  # of sizes that it may speak of, to their variables
    tensors: dict = field(default_factory=dict)
    inputs: dict = field(default_factory=dict)
    outputs: dict = field(default_factory=dict)
    obligations: list = field(default_factory=list)  # (variables, conditions, relation)
    kernel: object = None  # the one that is being read
    kernels: int = 0
    made: int = 0  # tensors that are known
    defined: int = 0
    around: Place = Place()  # the loops of a tile program, and which they are
    loops: tuple = ()

    def sizes_here(self):
        """What evaluates size expressions that count their steps together."""
        return Scalars(self, self.names, self.around)

    def size(self, tree):
        return self.sizes_here().size(tree)

    def new_name(self, name):
        inside = self.kernel.tensors if self.kernel else ()
        known = name in self.names or name in self.tensors or name in inside
        ensure(not known, f"{name} has a meaning already")

    def oblige(self, formula, place=None):
        sizes, place = self.claim.sizes, place or self.around
        if sizes.is_plain(formula, place.conditions):
            return
        within("conditions around one obligation", len(place.conditions))
        if not place.conditions:
            sizes.need_not_false(formula)
        variables, conditions = list(place.variables), list(place.conditions)
        met = formula.free.union(*(condition.free for condition in place.conditions))
        for index, extent in self.kernel.ranges() if self.kernel else ():
            if index in met:
                variables.append(index)
                conditions += range_of(index, extent)
        self.obligations.append((variables, conditions, formula))
        within("obligations of a side", len(self.obligations))

    def extent_obligation(self, extent):
        self.oblige(make("<=", ZERO, extent))

    def shape_obligation(self, a, b):
        if a.poly != b.poly:
            ensure(not is_group(a) and not is_group(b), "a group of axes meets only itself")
            self.oblige(make("=", a, b))

    def extents(self, trees):
        found = []
        for tree in trees:
            found.append(self.size(tree))
            self.extent_obligation(found[-1])
        return found

    def define(self, name, extents, body, grid=(), varies=False, **more):
        """The tensor whose element at $i0 .. is the body."""
        loop = [variable("$b3")] if varies else []
        parameters = [*grid, *loop, *element_indices(len(extents))]
        symbol = name, "i" * len(parameters) + (":i" if body.integer else ":r")
        self._add(Definition(self.letter, symbol, parameters, body, self.loops))
        return Tensor(extents, symbol=symbol, grid=tuple(grid), varies=varies, **more)

    def recursion(self, name, extents, before, grid, **more):
        """What a loop carries, at its iteration; `close` says what follows."""
        parameters = [*grid, *element_indices(len(extents))]
        symbol = name, "i" * len(parameters) + ":r"
        made = Recursion(self.letter, symbol, parameters, before, self.loops)
        self.claim.recursions[symbol] = made
        self._add(made)
        return Tensor(extents, symbol=symbol, grid=tuple(grid), **more)

    def _add(self, definition):
        self.claim.definitions.append(definition)
        self.defined += 1
        within("tensors of a side", self.defined)

    def close(self, tensor, after):
        made = self.claim.recursions[tensor.symbol]
        made.after, made.end = after, len(self.claim.definitions)

    def count_tensor(self):
        self.made += 1
        within("tensors of a side", self.made)

    def input(self, name, extents, kind):
        self.new_name(name)
        symbol = name, "i" * len(extents) + (":i" if kind == "int" else ":r")
        within("axes of a tensor", len(extents))
        self.claim.inputs[name] = symbol
        within("inputs", len(self.claim.inputs))
        self.count_tensor()
        self.inputs[name] = self.tensors[name] = Tensor(extents, symbol=symbol, kind=kind)

    # -- statements ------------------------------------------------------------------------------

    def declare_sizes(self, rows, usual_least, own=False):
        for name, least, value in rows:
            self.new_name(name)
            least = usual_least if least is None else least
            self.claim.sizes.declare(name, least, value, own)
            self.names[name] = variable(name)

    def where(self, formulas, own=False):
        for tree in formulas:
            if tree[0] == "or":
                tree = ("rel", ("num", 0), "<", ("if", tree, ("num", 1), ("num", 0)))
            _, a, relop, b = tree
            here = self.sizes_here()
            self.claim.sizes.where(relation(relop, here.size(a), here.size(b)), own)

    def statement(self, kind, name, tree=None):
        """`NAME = expr` and `output ..`."""
        scope = self.kernel.tensors if self.kernel else self.tensors
        if tree is not None:
            self.new_name(name)
            prefix = self.kernel.prefix if self.kernel else self.letter
            scope[name] = self.expression(scope, f"{prefix}.{name}", tree)
        if kind == "output":
            ensure(name in scope and name not in self.outputs, f"{name} is no new output")
            self.output(name, scope[name])

    def expression(self, scope, symbol, tree):
        if not count_calls(tree):
            self.count_tensor()
        return Expression(self, scope, symbol, tree).tensor(tree)

    def output(self, name, tensor):
        self.outputs[name] = tensor
        within("outputs", len(self.outputs))


def applications(term):
    """The applications of functions in a term."""
    found, rest, met = [], [term], {term}
    while rest:
        node = rest.pop()
        found += [node] if node.head == "app" else []
        rest += [kid for kid in node.kids if kid not in met]
        met.update(node.kids)
    return found


class Expression:
    """A tensor expression of a statement."""

    def __init__(self, side, scope, symbol, tree=None):
        self.side, self.scope, self.symbol = side, scope, symbol
        self.calls = count_calls(tree) if tree else None  # of assumptions: none has the plain name
        self.made = 0

    def tensor(self, tree):
        match tree:
            case "num", value:
                return Tensor([], value=constant(value))
            case "name", name:
                if name not in self.scope:
                    ensure(name in self.side.names, f"{name} is not known")
                    return Tensor([], value=self.side.names[name])
                return self.scope[name]
            case "neg", operand:
                return self._call("neg", [self.tensor(operand)])
            case "chain", first, rest:
                tensor = self.tensor(first)
                for operator, operand in rest:
                    tensor = self._call(INFIX[operator], [tensor, self.tensor(operand)])
                return tensor
            case "items", inner, lists:
                tensor = self.tensor(inner)
                for items in lists:
                    tensor = self._items(tensor, items)
                return tensor
        _, name, arguments, named = tree
        tensors = [self.tensor(argument) for argument in arguments]
        return self._call(name, tensors, {key: self._attribute(named[key]) for key in named})

    def _attribute(self, tree):
        return constant(tree[1]) if tree[0] == "num" else self.side.size(tree)

    def _items(self, tensor, items):
        for d, item in enumerate(items):
            bare = item == BARE
            ensure(d < len(tensor.extents) or item[0] == "none", "an item too many")
            crossed = tensor.extents[: d + bare]
            ensure(not any(map(is_group, crossed)), "an item counts across a group")
            if item[0] == "none":
                tensor = self._call("expand_dims", [tensor], {"axis": constant(d)})
            elif not bare:
                where = {"axis": constant(d), "start": ZERO, "stop": tensor.extents[d], "step": ONE}
                given = zip(("start", "stop", "step"), item[1:])
                where |= {key: self._attribute(tree) for key, tree in given if tree is not None}
                tensor = self._call("slice", [tensor], where)
        return tensor

    def _call(self, name, tensors, attributes={}):
        side = self.side
        within("arguments of a call", len(tensors))
        extents, body = Call(side, name, tensors, attributes).run()
        varies = any(tensor.varies for tensor in tensors)
        after = any(tensor.after for tensor in tensors)
        ensure(not (varies and after), "a statement reads the loop and what comes after it")
        self.made += 1
        symbol = self.symbol if self.made == self.calls else f"{self.symbol}:{self.made}"
        grid = side.kernel.grid if side.kernel else ()
        side.count_tensor()
        return side.define(symbol, extents, body, grid, varies, after=after)


def count_calls(tree):
    match tree:
        case "neg", operand:
            return 1 + count_calls(operand)
        case "chain", first, rest:
            return count_calls(first) + sum(1 + count_calls(operand) for _, operand in rest)
        case "items", inner, lists:
            items = [item for items in lists for item in items if item != BARE]
            return count_calls(inner) + len(items)
        case "op", _, arguments, _:
            return 1 + sum(map(count_calls, arguments))
    return 0


class Claim:
    """Read a pair of texts, or a rule; then the parts are there."""

    def __init__(self, library):
        self.library, self.sizes = library, Sizes()
        self.definitions, self.inputs, self.goals = [], {}, []
        self.loops, self.recursions = 0, {}  # of tile programs
        self.given, self.candidate = Side(self, "S"), Side(self, "C")

    def new_loop(self):
        self.loops += 1
        return self.loops

    def read_given(self, kind, statements):
        self._read(self.given, kind, statements)
        ensure(self.given.outputs, "the program has no output")

    def read_candidate(self, kind, statements):
        inputs = self.given.inputs
        if kind != "mugraph":
            self._read(self.candidate, kind, statements)
            ensure(self.candidate.inputs.keys() == inputs.keys(), "the inputs are others")
            for name, tensor in inputs.items():
                other = self.candidate.inputs[name]
                same = [e.poly for e in tensor.extents] == [e.poly for e in other.extents]
                same = same and tensor.kind == other.kind
                ensure(same, f"input {name} is another in the candidate")
            same = len(self.candidate.outputs) == len(self.given.outputs)
            ensure(same, "the candidate has another number of outputs")
        else:
            self.candidate.names = dict(self.given.names)
            self.candidate.tensors = dict(inputs)
            self._read(self.candidate, kind, statements)
            made = self.candidate.tensors.keys() - inputs.keys()
            both = [name for name in self.given.outputs if name in made]
            self.candidate.outputs = {name: self.candidate.tensors[name] for name in both}
        self.sizes.check_freedom()
        self._finish("")

    def _read(self, side, kind, statements):
        if kind == "tiles":
            TileProgram(side).read(statements)
            return
        own = side is self.candidate
        for statement in statements:
            match statement:
                case "sizes", rows:
                    side.declare_sizes(rows, 1, own)
                case "where", formulas:
                    side.where(formulas, own)
                case "input", name, type_, dims:
                    side.input(name, side.extents(dims), type_)
                case "kernel", *parts:
                    Kernel(side).read(*parts)
                case _:
                    side.statement(*statement)

    # -- rules -----------------------------------------------------------------------------------

    def read_rule(self, tree, text, backwards):
        _, declarations, left, right, *_ = tree
        assumptions = Expression(self.given, self.given.tensors, "S.assume")
        for declaration in declarations:
            self._declare(assumptions, *declaration)
        self.candidate.names = dict(self.given.names)
        self.candidate.tensors = dict(self.given.tensors)
        bodies = (right, left) if backwards else (left, right)
        for side, body in zip((self.given, self.candidate), bodies):
            statements = [("output", "out", body[1])] if body and body[0] == "short" else body
            for statement in statements:
                side.statement(*statement)
        same = self.given.outputs.keys() == self.candidate.outputs.keys()
        ensure(same and self.given.outputs, "the sides have other outputs")
        self._finish("@" + hashlib.sha256(text.encode()).hexdigest())

    def _declare(self, assumptions, kind, items):
        side = self.given
        match kind:
            case "sizes":
                side.declare_sizes(items, 0)
            case "where":
                side.where(items)
            case "axes":
                side.declare_sizes([(".." + name, 0, None) for name in items], 0)
            case "ints":
                for name in items:
                    side.new_name(name)
                    side.names[name] = variable(name)
            case "tensor":
                for name, dims, type_ in items:
                    parts = [("name", ".." + d[1]) if d[0] == "list" else d[1] for d in dims]
                    side.input(name, side.extents(parts), type_)
            case "assume":
                for left, relop, right in items:
                    lesser, more = (right, left) if relop in (">", ">=") else (left, right)
                    difference = assumptions.tensor(("op", "sub", [more, lesser], {}))
                    indices = element_indices(len(difference.extents))
                    directed = relation(relop.replace(">", "<"), ZERO, difference.element(indices))
                    side.oblige(directed, Place().ranging(indices, difference.extents))

    # -- what must hold, and goals ---------------------------------------------------------------

    def _finish(self, suffix):
        self._admit()
        for name, given in self.given.outputs.items():
            ensure(name in self.candidate.outputs, f"the candidate has no output {name}")
            other = self.candidate.outputs[name]
            ensure(len(given.extents) == len(other.extents), f"{name} has another number of axes")
            for d, (a, b) in enumerate(zip(given.extents, other.extents)):
                ensure(a is b or not (is_group(a) or is_group(b)), "a group meets only itself")
                self.goals.append((f"shape.{name}.{d}", make("=", a, b), ()))
            indices = element_indices(len(given.extents))
            equation = make("=", given.element(indices), other.element(indices))
            conditions = Place().ranging(indices, given.extents).conditions
            self.goals.append((f"eq.{name}{suffix}", equation, conditions))
        met = {}
        for obligation in self.candidate.obligations:
            met.setdefault(clause(*obligation), obligation)
        for k, (_, conditions, formula) in enumerate(met.values()):
            self.goals.append((f"call{k}", formula, conditions))
        common = len(self.sizes.stated) + len(self.given.obligations) + len(self.definitions)
        weight = sum(common + len(conditions) for _, _, conditions in self.goals)
        within("hypotheses of all goals", weight)

    def _admit(self):
        """Section 7.  (integer: by how `define` works; carried: by how `recursion` does.)"""
        known = dict.fromkeys(self.inputs.values())
        for made in self.library.all("func"):
            parameters, body = made.parts
            if body == BUILTIN:
                known["func." + made.name, "r" * len(parameters) + ":r"] = None
        for place, made in enumerate(self.definitions):
            name = made.symbol[0]
            ensure(made.symbol not in known, f"{name} is not fresh")
            known[made.symbol] = place
            parameters = set(made.parameters) - self.sizes.least.keys()
            ensure(len(parameters) == len(made.parameters), f"{name} has a parameter twice")
        for place, made in enumerate(self.definitions):
            if isinstance(made, Recursion):
                self._admit_term(made.body, known, made, place, made.loops[:-1])
                self._admit_term(made.after, known, made, made.end, made.loops)
                ensure(made.index not in made.body.free, "what is before a loop has its iteration")
            else:
                self._admit_term(made.body, known, made, place, made.loops)

    def _admit_term(self, term, known, made, end, loops):
        """Whether a definition may speak of it, earlier ones being those before `end`."""
        side = self.given if made.letter == "S" else self.candidate
        for item in term.free:
            if isinstance(item, tuple):
                place = known.get(item, end)
                fine = place is None or (
                    place < end and self.definitions[place].letter == made.letter
                )
            else:
                fine = item in made.parameters or item in side.names.values()
            ensure(fine, f"{made.symbol[0]} is defined by what it may not speak of")
        for application in applications(term) if loops else ():
            place = known[application.parts]
            around = () if place is None else self.definitions[place].loops
            for j, loop in enumerate(around):
                same = loop not in loops or application.kids[j] is made.parameters[j]
                ensure(same, f"{made.symbol[0]} speaks of another iteration")

    def given_clauses(self):
        return [clause(*obligation) for obligation in self.given.obligations]

    def definition_clauses(self):
        return [clause for made in self.definitions for clause in made.clauses()]
