"""Scalars at a place, and calls of operators (CLAIM.md sections 3 and 4)."""

from .syntax import Refused, ensure

MAX_CALL_STEPS = 100_000
MAX_CONDITIONS = 96


class Tensor:
    """Extents and either a value (rank 0) or a symbol; in a block also how it varies."""

    def __init__(self, extents, value=None, symbol=None, kind="real", block=None):
        self.extents, self.value, self.symbol = extents, value, symbol
        self.kind, self.block = kind, block
        self.varies = self.after = False
        self.maximum_of = None  # of a running maximum: the tile


class Place:
    """What holds around a place: variables and conditions, outermost first."""

    def __init__(self, variables=(), conditions=()):
        self.variables, self.conditions = tuple(variables), tuple(conditions)
        ensure(len(self.conditions) <= MAX_CONDITIONS, "too many conditions around one place")

    def under(self, *conditions, variables=()):
        return Place(self.variables + tuple(variables), self.conditions + conditions)


class Evaluation:
    """Size expressions and scalars at one place (section 3)."""

    def __init__(self, claim, side, names, place, call=None):
        self.claim, self.side, self.names, self.place, self.call = claim, side, names, place, call

    def at(self, place=None, **names):
        new = Evaluation(self.claim, self.side, {**self.names, **names}, place or self.place, self.call)
        return new

    def size(self, tree):
        term = self.scalar(tree)
        ensure(self.claim.t.is_int[term], "a size is no integer")
        return term

    def oblige(self, head, a, b):
        self.claim.oblige(self.side, self.claim.t.make(head, a, b), self.place)

    def scalar(self, tree):
        if self.call:
            self.call.count()
        return getattr(self, "_" + tree[0])(*tree[1:])

    def _num(self, value):
        return self.claim.t.constant(value)

    def _name(self, name):
        if name in self.names:
            found = self.names[name]
            ensure(isinstance(found, int), f"{name} is no number")
            self._no_group(found)
            return found
        ensure(self.call is None and name in self.side.sizes, f"{name} is not known")
        return self.claim.var(name)

    def _no_group(self, term):
        """A group's index stands for many: it is no number, and goes where the group is only."""
        groups = self.call.group_indices if self.call else frozenset()
        ensure(term not in groups, "a group's index goes where the group is only")

    def _neg(self, tree):
        return self.claim.minus_(self.scalar(tree))

    def _bin(self, operator, left, right):
        claim = self.claim
        a = self.scalar(left)
        b = self.scalar(right)
        if operator == "-":
            return claim.fold("+", a, claim.minus_(b))
        if operator == "/":
            self.oblige("#", b, claim.zero)
            return claim.t.make("*", a, claim.t.make("inv", b))
        if operator in ("div", "mod"):
            ensure(claim.t.is_int[a] and claim.t.is_int[b], f"{operator} of what is no integer")
            self.oblige("<", claim.zero, b)
        return claim.fold(operator, a, b)

    def _call(self, name, arguments):
        claim, zero = self.claim, self.claim.zero
        values = [self.scalar(a) for a in arguments]
        known = {"max": 2, "min": 2, "abs": 1, "exp": 1, "log": 1, "sqrt": 1, "inv": 1}
        if name in known:
            ensure(len(values) == known[name], f"{name} has another number of arguments")
            if name in ("max", "min"):
                return claim.larger(*values, least=name == "min")
            x = values[0]
            if name == "abs":
                return claim.t.make("ite", claim.t.make("<=", zero, x), x, claim.minus_(x))
            if name == "log":
                self.oblige("<", zero, x)
            elif name == "sqrt":
                self.oblige("<=", zero, x)
            elif name == "inv":
                self.oblige("#", x, zero)
            return claim.t.make(name, x)
        ensure(name in claim.funcs, f"there is no function {name}")
        parameters, body = claim.funcs[name]
        ensure(len(values) == len(parameters), f"{name} has another number of arguments")
        if body is None:
            return claim.t.make("app", f"func.{name}", "r" * len(values) + ":r", *values)
        inside = Evaluation(claim, self.side, dict(zip(parameters, values)), self.place, self.call)
        return inside.scalar(body)

    def _if(self, condition, yes, no):
        return self._choose(condition, lambda e: e.scalar(yes), lambda e: e.scalar(no))

    def _choose(self, condition, yes, no):
        kind = condition[0]
        if kind == "not":
            return self._choose(condition[1], no, yes)
        if kind in ("and", "or"):
            further = lambda e: e._choose(condition[2], yes, no)  # noqa: E731
            second = (further, no) if kind == "and" else (yes, further)
            return self._choose(condition[1], *second)
        _, relop, left, right = condition
        a = self.scalar(left)
        relation = self.claim.relation(relop, a, self.scalar(right))
        positive = yes(self.at(self.place.under(relation)))
        negative = no(self.at(self.place.under(self.claim.t.negation(relation))))
        return self.claim.t.make("ite", relation, positive, negative)

    def _reduce(self, kind, counter, bound_tree, body):
        claim, t = self.claim, self.claim.t
        bound = self.size(bound_tree)
        if kind in ("max", "min"):
            self.oblige("<", claim.zero, bound)
        ensure(counter not in self.names, f"{counter} has a meaning already")
        k = claim.var(f"$k{self.names.get('', 0)}")
        place = self.place.under(*claim.range(k, bound), variables=(k,))
        inside = self.at(place, **{counter: k, "": self.names.get("", 0) + 1})
        f = inside.scalar(body)
        state = claim.var("$s", "r")
        if kind in ("sum", "prod"):
            base = claim.zero if kind == "sum" else claim.one
            step = t.make("+" if kind == "sum" else "*", state, f)
        else:
            base = t.substitute(f, {k: claim.zero}, {})
            step = claim.larger(state, f, least=kind == "min")
        return t.make("fold", 0, 1, bound, base, t.close(step, [k, state]))

    def _access(self, name, accesses):
        ensure(name in self.names, f"{name} is not known")
        what = self.names[name]
        claim = self.claim
        indices = []
        for place, access in enumerate(accesses):
            if access[0] == "list":
                ensure(self.call and access[1] in self.call.index_lists, f"..{access[1]} is not bound")
                indices += self.call.index_lists[access[1]]
            elif access[0] == "fit":
                single = sum(a[0] == "fit" for a in accesses) == 1
                ensure(isinstance(what, Tensor) and single, "~ into what is no argument, or twice")
                count = len(what.extents) - len(indices) - (len(accesses) - place - 1)
                indices += self._fitted(access[1], what.extents[len(indices) :][:count], count)
            else:
                indices.append(self.scalar(access))
        ensure(all(claim.t.is_int[i] for i in indices), f"an index of {name} is no integer")
        if isinstance(what, Let):
            return what.at(self, indices)
        ensure(isinstance(what, Tensor), f"{name} is no tensor")
        ensure(len(indices) == len(what.extents), f"{name} has another number of axes")
        for index, extent in zip(indices, what.extents):
            if not claim.is_group(extent):
                self._no_group(index)
            else:
                ensure(index in self.call.group_indices, "a group's index is its own")
            for relation in claim.range(index, extent):
                claim.oblige(self.side, relation, self.place)
        return claim.element(what, indices)

    def _fitted(self, name, extents, count):
        lists = self.call.index_lists
        ensure(name in lists and 0 <= count <= len(lists[name]), f"~{name} does not fit")
        if count == 0:
            return []
        claim = self.claim
        return [
            claim.zero if claim.is_one(extent) and not claim.is_one(own) else index
            for index, own, extent in zip(
                lists[name][-count:], self.call.lists[name][-count:], extents
            )
        ]


class Let:
    """A `let`: its body written out at each use, under the conditions of that place."""

    def __init__(self, indices, body, names):
        self.indices, self.body, self.names = indices, body, names

    def at(self, user, values):
        lists, values = dict(user.call.index_lists), list(values)
        claim_is_group = user.claim.is_group
        names = {**self.names, "": user.names.get("", 0)}
        for kind, name in self.indices:
            count = len(user.call.lists[name]) if kind == "list" else 1
            ensure(len(values) >= count, "a let has another number of indices")
            taken, values = values[:count], values[count:]
            if kind == "list":
                same = [v in user.call.group_indices for v in taken] == [
                    claim_is_group(e) for e in user.call.lists[name]
                ]
                ensure(same, "a group's index goes where the group is only")
                lists[name] = taken
            else:
                user._no_group(taken[0])
                names[name] = taken[0]
        ensure(not values, "a let has another number of indices")
        saved, user.call.index_lists = user.call.index_lists, lists
        inside = Evaluation(user.claim, user.side, names, user.place, user.call)
        result = inside.scalar(self.body)
        user.call.index_lists = saved
        return result


class Call:
    """One call of an operator (section 4)."""

    def __init__(self, claim, side, op, tensors, attributes):
        self.claim, self.side, self.op = claim, side, op
        self.tensors, self.attributes = tensors, attributes
        self.names, self.lists = {"": 0}, {}
        self.index_lists, self.group_indices = {}, frozenset()
        self.steps = 0
        self.here = Evaluation(claim, side, self.names, Place(), self)

    def count(self):
        self.steps += 1
        ensure(self.steps <= MAX_CALL_STEPS, f"a call of {self.op['name']} expands too far")

    def run(self):
        """(extents, body at $i0 ..)."""
        self._bind_attributes()
        ensure(len(self.tensors) == len(self.op["tensors"]), f"{self.op['name']}: number of tensors")
        for (name, shape), tensor in zip(self.op["tensors"], self.tensors):
            self._match(shape, tensor)
            ensure(name not in self.names, f"{name} has two meanings")
            self.names[name] = tensor
        for relop, a, b in self.op["requires"]:
            a, b = self.here.size(a), self.here.size(b)
            self.claim.oblige(self.side, self.claim.relation(relop, a, b), Place())
        extents = self._result()
        for extent in extents:
            self.claim.extent_obligation(self.side, extent)
        return extents, self._body(extents)

    def _bind_attributes(self):
        given = dict(self.attributes)
        ensure(len(given) == len(self.attributes) <= 8, "an attribute is given twice")
        for name, default in self.op["attributes"]:
            if name in given:
                self.names[name] = given.pop(name)
            else:
                ensure(default is not None, f"{self.op['name']} needs the attribute {name}")
                self.names[name] = self.claim.t.constant(default)
        ensure(not given, f"{self.op['name']} has no attribute {list(given)[:1]}")

    def _match(self, shape, tensor):
        rank = len(tensor.extents)
        counts = [self._count(part, rank) for part in shape]
        if None in counts:
            ensure(counts.count(None) == 1, "two lists of axes of unknown length")
            rest = rank - sum(c for c in counts if c is not None)
            counts[counts.index(None)] = rest
        fits = all(c >= 0 for c in counts) and sum(counts) == rank
        ensure(fits, f"{self.op['name']}: a tensor has another number of axes")
        extents = list(tensor.extents)
        at = 0
        for part, count in zip(shape, counts):
            taken = extents[at : at + count]
            if part[0] == "list" and part[2] is not None:
                self._not_across(part, extents, at, count)
            at += count
            if part[0] == "list":
                self._match_list(part[1], taken)
            else:
                self._match_extent(part[1], taken[0])

    def _not_across(self, part, extents, at, count):
        number = self.claim.t.value_of(self.here.size(part[2]))
        left = extents[:at] + extents[at + count :]
        crossed = extents[at : at + count] if number >= 0 else left
        ensure(not any(map(self.claim.is_group, crossed)), "an axis is counted across a group")

    def _count(self, part, rank):
        if part[0] != "list":
            ensure(part[0] == "size", "broadcast stands in results only")
            return 1
        if part[2] is not None:
            number = self.claim.t.value_of(self.here.size(part[2]))
            ensure(number is not None and -rank <= number <= rank, "an axis number is out of range")
            return int(number) + (rank if number < 0 else 0)
        return len(self.lists[part[1]]) if part[1] in self.lists else None

    def _match_list(self, name, extents):
        known = self.lists.get(name)
        if known is None:
            self.lists[name] = extents
            return
        ensure(len(known) == len(extents), f"..{name} has another number of axes")
        for a, b in zip(known, extents):
            self.claim.shape_obligation(self.side, a, b)

    def _match_extent(self, tree, extent):
        ensure(not self.claim.is_group(extent), "a group of axes is taken as one axis")
        if tree[0] == "name" and tree[1] not in self.names:
            self.names[tree[1]] = extent
        else:
            self.claim.shape_obligation(self.side, self.here.size(tree), extent)

    def _result(self):
        extents, self.sides = [], []
        for part in self.op["shape"]:
            if part[0] == "size":
                extents.append(self.here.size(part[1]))
                self.sides.append(None)
                continue
            name = part[-1] if part[0] == "broadcast" else part[1]
            if part[0] == "broadcast":
                self.lists[name] = self._broadcast(self.lists[part[1]], self.lists[part[2]])
            ensure(name in self.lists, f"..{name} is not known")
            extents += self.lists[name]
            self.sides.append(name)
        return extents

    def _broadcast(self, first, second):
        result = []
        for i in range(1, max(len(first), len(second)) + 1):
            x = first[-i] if i <= len(first) else second[-i]
            y = second[-i] if i <= len(second) else x
            one = self.claim.is_one(x) or self.claim.is_one(y)
            if not one and not self.claim.t.same_poly(x, y):
                ensure(not self._one_at_large(x) and not self._one_at_large(y), "an extent is 1")
                self.claim.shape_obligation(self.side, x, y)
            elif one and (self.claim.is_group(x) or self.claim.is_group(y)):
                raise Refused("a group of axes meets only itself")
            result.insert(0, y if self.claim.is_one(x) else x)
        return result

    def _one_at_large(self, extent):
        for n in (1000, 1001, 1002):
            values = {v: n + j for j, v in enumerate(self.claim.size_order)}
            if self.claim.t.value_of(self.claim.at_stated_sizes(extent, values)) != 1:
                return False
        return True

    def _body(self, extents):
        claim = self.claim
        indices = claim.indices(extents)
        names = dict(self.names)
        left, body = self.op["out"]
        ensure(len(left) == len(self.sides), f"{self.op['name']}: left side of out")
        at = 0
        for (kind, name), part in zip(left, self.sides):
            ensure((kind == "list") == (part is not None), f"{self.op['name']}: left side of out")
            if kind == "list":
                ensure(name == part, f"{self.op['name']}: left side of out")
                self.index_lists[name] = indices[at : at + len(self.lists[name])]
                at += len(self.lists[name])
            else:
                ensure(name not in names, f"{name} has two meanings")
                names[name] = indices[at]
                at += 1
        pairs = zip(extents, indices)
        self.group_indices = frozenset(index for extent, index in pairs if claim.is_group(extent))
        for name, let_indices, let_body in self.op["lets"]:
            ensure(name not in names, f"{name} has two meanings")
            self.names[name] = Let(let_indices, let_body, dict(self.names))
            names[name] = self.names[name]
        place = Place(indices, claim.ranges(extents))
        return Evaluation(claim, self.side, names, place, self).scalar(body)
