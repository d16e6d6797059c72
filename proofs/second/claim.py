"""From trees to the claim (CLAIM.md): definitions, S, obligations, goals."""

from .scalars import Call, Evaluation, Place, Tensor
from .syntax import ensure
from .terms import poly_add, poly_scale

BLOCK = ("$b0", "$b1", "$b2", "$b3")
INFIX = {"+": "add", "-": "sub", "*": "mul", "/": "div", "@": "matmul"}
FLIPPED = {">": "<", ">=": "<=", "<": "<", "<=": "<=", "=": "=", "!=": "#"}
MAX_SIZES = 64
MAX_OUTPUTS = 64
MAX_STATED = 128
MAX_ON_A_SIDE = 20_000  # tensors, and obligations


class Side:
    """The given program or the candidate: its tensors, definitions and obligations."""

    def __init__(self, letter):
        self.letter = letter
        self.tensors, self.outputs = {}, {}
        self.sizes = set()  # names that the side may speak of
        self.obligations = []  # (variables, conditions, relation)
        self.kernels = 0


class Claim:
    def __init__(self, terms, operators, functions):
        self.t, self.ops, self.funcs = terms, operators, functions
        self.stated, self.least, self.values = [], {}, {}
        self.size_order, self.own, self.added = [], set(), []
        self.definitions = []  # (side letter, symbol, parameters, body)
        self.inputs = {}
        self.given, self.candidate = Side("S"), Side("C")
        self.block = None
        self.zero, self.one, self.minus = (terms.constant(n) for n in (0, 1, -1))

    # -- arithmetic of the elaboration (section 1) -----------------------------------------------

    def fold(self, op, a, b):
        t = self.t
        x, y = t.value_of(a), t.value_of(b)
        integers = t.is_int[a] and t.is_int[b]
        unit = 0 if op == "+" else 1
        if op == "*" and integers and 0 in (x, y):
            return self.zero
        if integers and y == unit:
            return self.zero if op == "mod" else a
        if integers and op in "+*" and x == unit:
            return b
        if x is not None and y is not None and (op == "*" or integers):
            if op in "+*":
                return t.constant(x + y if op == "+" else x * y)
            if y > 0:
                return t.constant(x // y if op == "div" else x % y)
        return t.make(op, a, b)

    def minus_(self, a):
        return self.fold("*", self.minus, a)

    def larger(self, a, b, least=False):
        order = self.t.make("<=", a, b)
        return self.t.make("ite", order, *((a, b) if least else (b, a)))

    def relation(self, relop, a, b):
        if relop in (">", ">="):
            a, b = b, a
        return self.t.make(FLIPPED[relop], a, b)

    def var(self, name, sort="i"):
        return self.t.make("v", name, sort)

    def is_group(self, extent):
        node = self.t.node[extent]
        return node[0] == "v" and node[1].startswith("..")

    def is_one(self, extent):
        return self.t.poly(extent) == {(): 1}

    # -- sizes and S (section 2) -----------------------------------------------------------------

    def declare_size(self, side, name, least, value):
        variable = self.var(name)
        self._new_name(side, name)
        self.least[variable] = least
        self.size_order.append(variable)
        ensure(len(self.size_order) <= MAX_SIZES, "too many sizes")
        self._value(variable, least, value)
        side.sizes.add(name)
        self.stated.append(self.t.make("<" if least > 0 else "<=", self.zero, variable))
        if least > 1:
            self.stated.append(self.t.make("<=", self.t.constant(least), variable))

    def _value(self, variable, least, value):
        if value is not None:
            ensure(value >= least, "a stated value is below the least one")
            known = self.values.setdefault(variable, value)
            ensure(known == value, "two values are stated for one size")

    def _new_name(self, side, name):
        ensure(name not in side.sizes and name not in side.tensors, f"{name} has a meaning already")

    def redeclare_size(self, side, name, least, value):
        """A candidate program names a size of the given program."""
        variable = self.var(name)
        self._new_name(side, name)
        ensure(least <= self.least[variable], f"{name} is bounded more than in the given program")
        self._value(variable, least, value)
        side.sizes.add(name)

    def where(self, side, relations):
        for relop, a, b in relations:
            here = Evaluation(self, side, {}, Place())
            relation = self.relation(relop, here.size(a), here.size(b))
            if not self.is_plain(relation, ()):
                self._not_false(relation, ())
                self.stated.append(relation)
                ensure(len(self.stated) <= MAX_STATED, "too many relations")
                if side is self.candidate:
                    self.added.append(relation)

    def check_freedom(self):
        for relation in self.added:
            head, a, b = self.t.node[relation]
            choices = [(a, b), (b, a)] if head == "=" else [(a, b)]
            ensure(
                head in ("=", "<=") and any(self._leaves_free(relation, *c) for c in choices),
                "a relation of the candidate may restrict the sizes of the given program",
            )

    def _leaves_free(self, relation, own_side, other_side):
        own, other = self._factors(own_side), self._factors(other_side)
        if own is None or other is None:
            return False
        sizes = [f for f in other if f in self.least]
        numbers = [self.t.value_of(f) for f in other if f not in self.least]
        fits = (
            all(f in self.own and self.least[f] <= 1 for f in own)
            and all(n is not None and n > 0 for n in numbers)
            and all(f not in self.own or self.least[f] <= 1 for f in sizes)
            and not set(own) & set(sizes)
        )
        no_zero = all(self.least[f] >= 1 for f in sizes)
        if self.t.node[relation][0] == "<=":
            return fits and len(own) == 1 and (self.least[own[0]] == 0 or no_zero)
        elsewhere = [r for r in self.added if r != relation]
        return fits and any(
            own.count(c) == 1
            and not any(c in self.t.free(r) for r in elsewhere)
            and self.added.count(relation) == 1
            and all(self.least[f] == 1 for f in own if f != c)
            and (self.least[c] == 0 or no_zero)
            for c in own
        )

    def _factors(self, term):
        node = self.t.node[term]
        if node[0] == "*":
            left, right = self._factors(node[1]), self._factors(node[2])
            return None if left is None or right is None else left + right
        return [term] if node[0] in ("q", "v") else None

    def at_stated_sizes(self, term, values=None):
        """The term with constants for sizes, made anew by section 1 as far as it becomes one."""
        values = self.values if values is None else values
        node = self.t.node[term]
        if node[0] == "v":
            return self.t.constant(values[term]) if term in values else term
        if node[0] in ("+", "*", "div", "mod"):
            return self.fold(node[0], *(self.at_stated_sizes(k, values) for k in node[1:]))
        if node[0] in ("=", "#", "<=", "<"):
            return self.t.make(node[0], *(self.at_stated_sizes(k, values) for k in node[1:]))
        if node[0] == "ite":
            condition, yes, no = (self.at_stated_sizes(k, values) for k in node[1:])
            truth = self.truth(condition)
            if truth is None:
                return self.t.make("ite", condition, yes, no)
            return yes if truth else no
        return term

    def truth(self, relation):
        """Whether a relation whose value is a constant is true; None if it is none."""
        value = self.t.value(relation)
        if value.keys() - {()}:
            return None
        number = value.get((), 0)
        head = self.t.node[relation][0]
        return {"=": number == 0, "#": number != 0, "<=": number >= 0, "<": number > 0}[head]

    # -- obligations (section 3.3) ---------------------------------------------------------------

    def is_plain(self, relation, conditions):
        if self.truth(relation):
            return True
        head, a, b = self.t.node[relation]
        both = lambda r: all(self.t.is_int[k] for k in self.t.node[r][1:])  # noqa: E731
        for known in (*self.stated, *conditions):
            if known == relation:
                return True
            alike = self.t.node[known][0] == head and both(known) and both(relation)
            if alike and self.t.value(known) == self.t.value(relation):
                return True
        if head == "#":
            return b == self.zero and self._plainly_positive(a, strict=True)
        return head != "=" and a == self.zero and self._plainly_positive(b, strict=head == "<")

    def _plainly_positive(self, term, strict):
        some = False
        for mono, coefficient in self.t.poly(term).items():
            exponentials = all(self.t.node[a][0] == "exp" for a in mono)
            some = some or exponentials
            if coefficient <= 0 or not self._not_negative(mono):
                return False
        return some or not strict

    def _not_negative(self, mono):
        place = 0
        while place < len(mono):
            atom = mono[place]
            if self.t.node[atom][0] == "exp":
                place += 1
            elif mono[place + 1 : place + 2] == (atom,):
                place += 2
            elif atom in self.least:  # stated to be at least 0 where it was declared
                place += 1
            else:
                return False
        return True

    def _not_false(self, relation, conditions):
        if not conditions:
            truth = self.truth(self.at_stated_sizes(relation))
            ensure(truth is not False, f"{self.t.show(relation)} is false at the stated sizes")

    def oblige(self, side, relation, place):
        if self.is_plain(relation, place.conditions):
            return
        self._not_false(relation, place.conditions)
        variables, conditions = list(place.variables), list(place.conditions)
        if self.block:
            met = self.t.free(relation).union(*(self.t.free(c) for c in place.conditions))
            for variable, extent in self.block.extents():
                if variable in met:
                    variables.append(variable)
                    conditions += self.range(variable, extent)
        side.obligations.append((variables, conditions, relation))
        ensure(len(side.obligations) <= MAX_ON_A_SIDE, "too many obligations")

    def range(self, variable, extent):
        return (self.t.make("<=", self.zero, variable), self.t.make("<", variable, extent))

    def extent_obligation(self, side, extent, place=Place()):
        self.oblige(side, self.t.make("<=", self.zero, extent), place)

    def shape_obligation(self, side, a, b, place=Place()):
        if not self.t.same_poly(a, b):
            ensure(not self.is_group(a) and not self.is_group(b), "a group of axes meets only itself")
            self.oblige(side, self.t.make("=", a, b), place)

    def clause(self, variables, conditions, relation):
        if not variables and not conditions:
            return relation
        kids = [self.t.close(r, variables) for r in (*conditions, relation)]
        return self.t.make("all", len(variables), *kids)

    # -- definitions (sections 4.1, 7) -----------------------------------------------------------

    def element(self, tensor, indices, iteration=None):
        if tensor.value is not None:
            return tensor.value
        arguments = []
        if tensor.block:
            arguments = [v for v, _ in tensor.block.axes]
            if tensor.varies:
                arguments.append(self.var("$b3") if iteration is None else iteration)
        element = self.t.make("app", *tensor.symbol, *arguments, *indices)
        if tensor.kind == "bool":
            relation = self.t.make("=", element, self.zero)
            return self.t.make("ite", relation, self.zero, self.one)
        return element

    def define(self, side, name, extents, body, block=None, varies=False):
        """The tensor whose element at $i0.. is `body`."""
        parameters = []
        if block:
            parameters = [v for v, _ in block.axes] + ([self.var("$b3")] if varies else [])
        parameters += self.indices(extents)
        letter = "i" if self.t.is_int[body] else "r"
        symbol = (name, "i" * len(parameters) + ":" + letter)
        self.definitions.append((side, symbol, parameters, body))
        tensor = Tensor(extents, symbol=symbol, block=block)
        tensor.varies = varies
        return tensor

    def indices(self, extents):
        return [self.var(f"$i{k}") for k in range(len(extents))]

    def ranges(self, extents):
        return [r for v, e in zip(self.indices(extents), extents) for r in self.range(v, e)]

    def defining_clause(self, symbol, parameters, body):
        equation = self.t.make("=", self.t.make("app", *symbol, *parameters), body)
        return self.clause(parameters, (), equation)

    def admit(self):
        """Section 7: what the list of definitions must satisfy."""
        known = {symbol: None for symbol in self.inputs.values()}
        for name, (parameters, body) in self.funcs.items():
            if body is None:
                known["func." + name, "r" * len(parameters) + ":r"] = None
        for side, symbol, parameters, body in self.definitions:
            ensure(symbol not in known, f"{symbol[0]} is not fresh")
            names = [self.t.node[p][1] for p in parameters]
            plain = len(set(parameters)) == len(parameters) and not any(n in self.least for n in parameters)
            ensure(plain, f"parameters of {symbol[0]} are not distinct: {names}")
            for item in self.t.free(body):
                if isinstance(item, tuple):
                    fine = item in known and known[item] in (None, side)
                else:
                    fine = item in parameters or self.t.node[item][1] in side.sizes
                ensure(fine, f"{symbol[0]} is defined by what it may not speak of: {item}")
            known[symbol] = side

    # -- statements (section 5) ------------------------------------------------------------------

    def statement(self, side, scope, statement, prefix):
        """`NAME = expr` and `output`, at kernel level or in a block."""
        kind, name, tree = statement
        if tree is not None:
            self._new_name(side, name)
            ensure(name not in scope, f"{name} has a meaning already")
            scope[name] = Expression(self, side, scope, f"{prefix}.{name}", tree).run()
        if kind == "output":
            ensure(name in scope and name not in side.outputs, f"{name} is no new output")
            side.outputs[name] = scope[name]
            ensure(len(side.outputs) <= MAX_OUTPUTS, "too many outputs")

    def goals(self, suffix=""):
        """[(name, relation, conditions)] (section 8)."""
        found = []
        for name, given in self.given.outputs.items():
            other = self.candidate.outputs.get(name)
            ensure(other, f"the candidate has no output {name}")
            ensure(len(given.extents) == len(other.extents), f"{name} has another rank")
            for d, (a, b) in enumerate(zip(given.extents, other.extents)):
                fits = a == b or not (self.is_group(a) or self.is_group(b))
                ensure(fits, f"{name}: a group of axes meets only itself")
                found.append((f"shape.{name}.{d}", self.t.make("=", a, b), []))
            indices = self.indices(given.extents)
            sides = [self.element(tensor, indices) for tensor in (given, other)]
            equation = self.t.make("=", *sides)
            found.append((f"eq.{name}{suffix}", equation, self.ranges(given.extents)))
        met = set()
        for obligation in self.candidate.obligations:
            clause = self.clause(*obligation)
            if clause not in met:
                found.append((f"call{len(met)}", obligation[2], list(obligation[1])))
                met.add(clause)
        return found

    def given_clauses(self):
        return [self.clause(*obligation) for obligation in self.given.obligations]

    def definition_clauses(self):
        return [self.defining_clause(*d[1:]) for d in self.definitions]


class Expression:
    """A tensor expression of a statement (section 5)."""

    def __init__(self, claim, side, scope, symbol, tree, counter=None):
        self.claim, self.side, self.scope, self.symbol = claim, side, scope, symbol
        self.tree, self.made = tree, 0
        self.counter = counter  # of the assume lines: no call has the statement's name
        self.calls = self._calls(tree)

    def run(self):
        return self._tensor(self.tree)

    def _calls(self, tree):
        kind = tree[0]
        if kind in ("num", "name"):
            return 0
        if kind == "neg":
            return 1 + self._calls(tree[1])
        if kind == "bin":
            return 1 + self._calls(tree[2]) + self._calls(tree[3])
        if kind == "items":
            made = [i for i in tree[2] if i != ("slice", None, None, None)]
            return len(made) + self._calls(tree[1])
        return 1 + sum(map(self._calls, tree[2]))

    def _tensor(self, tree):
        kind = tree[0]
        if kind == "num":
            return Tensor([], value=self.claim.t.constant(tree[1]))
        if kind == "name":
            if tree[1] in self.scope:
                return self.scope[tree[1]]
            ensure(tree[1] in self.side.sizes, f"{tree[1]} is not known")
            return Tensor([], value=self.claim.var(tree[1]))
        if kind == "neg":
            return self._call("neg", [self._tensor(tree[1])], [])
        if kind == "bin":
            both = [self._tensor(tree[2]), self._tensor(tree[3])]
            return self._call(INFIX[tree[1]], both, [])
        if kind == "items":
            return self._items(self._tensor(tree[1]), tree[2])
        tensors = [self._tensor(a) for a in tree[2]]
        return self._call(tree[1], tensors, [(n, self._attribute(a)) for n, a in tree[3]])

    def _attribute(self, tree):
        if tree[0] == "num":
            return self.claim.t.constant(tree[1])
        return Evaluation(self.claim, self.side, {}, Place()).size(tree)

    def _items(self, tensor, items):
        for d, item in enumerate(items):
            if item == ("slice", None, None, None):
                ensure(d < len(tensor.extents), "an item too many")
                self._not_across(tensor, d + 1)
                continue
            self._not_across(tensor, d)
            axis = ("axis", self.claim.t.constant(d))
            if item == ("none",):
                tensor = self._call("expand_dims", [tensor], [axis])
                continue
            ensure(d < len(tensor.extents), "an item too many")
            _, start, stop, step = item
            start = self._attribute(start) if start else self.claim.zero
            stop = self._attribute(stop) if stop else tensor.extents[d]
            step = self._attribute(step) if step else self.claim.one
            where = [axis, ("start", start), ("stop", stop), ("step", step)]
            tensor = self._call("slice", [tensor], where)
        return tensor

    def _not_across(self, tensor, count):
        crossed = tensor.extents[:count]
        ensure(not any(map(self.claim.is_group, crossed)), "an item counts across a group")

    def _call(self, name, tensors, attributes):
        claim, block = self.claim, self.claim.block
        ensure(name in claim.ops, f"there is no operator {name}")
        ensure(len(tensors) <= 8, "a call has too many arguments")
        extents, body = Call(claim, self.side, claim.ops[name], tensors, attributes).run()
        ensure(len(extents) <= 8, "a tensor has too many axes")
        varies = any(t.varies for t in tensors)
        after = any(t.after for t in tensors)
        ensure(not (varies and after), "a statement reads the loop and what comes after it")
        self.made += 1
        if self.counter is not None:
            self.counter[0] += 1
            symbol = f"{self.symbol}:{self.counter[0]}"
        else:
            symbol = self.symbol if self.made == self.calls else f"{self.symbol}:{self.made}"
        tensor = claim.define(self.side, symbol, extents, body, block, varies)
        tensor.after = after
        return tensor
