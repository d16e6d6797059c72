"""Terms and formulas (RULES.md sections 1 and 2).

A node has a head, parts (numbers and words) and kids (nodes).  It is stored once: equal nodes are
the same object.
"""

from fractions import Fraction
from itertools import count
from math import gcd

RELATIONS = ("=", "#", "<=", "<")
BINARY = ("+", "*", "div", "mod")
UNARY = ("inv", "exp", "sqrt", "log")
SORTS = ("i", "r")

MAX_DEPTH = 3000
MAX_INDEX = 3000
MAX_WIDTH = 64
MAX_BINDERS = 64
MAX_NODES = 1 << 25
MAX_PAIRS = 200_000
MAX_DEGREE = 10_000
MAX_COEFFICIENT_BITS = 65_536


class Rejected(Exception):
    """The step, and with it the certificate, is not accepted."""


def need(condition, why):
    if not condition:
        raise Rejected(why)


class Term:
    def __init__(self, serial, head, arguments):
        self.serial, self.head = serial, head
        self.parts = tuple(part for part in arguments if not isinstance(part, Term))
        self.kids = arguments[len(self.parts) :]
        self.depth = 1 + max((kid.depth for kid in self.kids), default=0)
        need(self.depth <= MAX_DEPTH, "a term is too deep")
        self.is_relation = head in RELATIONS
        self.is_formula = self.is_relation or head == "all"
        self.integer = self._judged()
        self.loose = self._loose()  # pairs (index, sort) of the bound variables without binder
        self.closed = not self.loose
        self._free = self._poly = None

    def _judged(self):
        """The integer flag; Rejected where a condition of the head is not met."""
        relations = {"ite": 1, "all": len(self.kids)}.get(self.head, 0)
        terms = self.kids[relations:]
        need(all(kid.is_relation for kid in self.kids[:relations]), "a relation is asked for")
        need(not any(kid.is_formula for kid in terms), "a formula stands in a term's place")
        integers = all(kid.integer for kid in terms)
        match self.head, *self.parts:
            case "q", numerator, denominator:
                need(denominator > 0 and gcd(numerator, denominator) == 1, "no lowest terms")
                return denominator == 1
            case "v", _, sort:
                need(sort in SORTS, "a variable has a sort that is none")
                return sort == "i"
            case "b", index, sort:
                need(sort in SORTS and index <= MAX_INDEX, "a bound variable that there is not")
                return sort == "i"
            case ("div" | "mod",):
                need(integers, f"{self.head} of what is no integer")
            case "app", _, signature:
                letters, result = split_signature(signature)
                need(len(letters) == len(terms), "a function has another number of arguments")
                fit = all(kid.integer or sort == "r" for kid, sort in zip(terms, letters))
                need(fit, "an argument is no integer")
                return result == "i"
            case "fold", place, width:
                need(0 <= place < width <= MAX_WIDTH, "a fold has a wrong width")
                need(len(terms) == 1 + 2 * width, "a fold has a wrong number of parts")
                need(terms[0].integer, "the bound of a fold is no integer")
            case "all", binders:
                need(binders <= MAX_BINDERS, "a clause has too many binders")
                need(self.kids, "a clause has no conclusion")
        return self.head in (*BINARY, "ite") and integers

    def binding(self):
        """How many of the first kids no binder is over, and the sorts of those over the others."""
        match self.head, *self.parts:
            case "fold", _, width:
                return 1 + width, "i" + "r" * width
            case "all", binders:
                return 0, "i" * binders
        return len(self.kids), ""

    def _scoped_kids(self):
        outside, sorts = self.binding()
        return [(kid, sorts if k >= outside else "") for k, kid in enumerate(self.kids)]

    def _loose(self):
        if self.head == "b":
            return frozenset([self.parts])
        found = set()
        for kid, sorts in self._scoped_kids():
            for index, sort in kid.loose:
                if index >= len(sorts):
                    found.add((index - len(sorts), sort))
                else:
                    need(sort == sorts[index], "a binder captures a variable of the other sort")
        return frozenset(found)

    def reaches(self, under):
        """Whether a bound variable passes `under` binders."""
        return any(index >= under for index, _ in self.loose)

    @property
    def free(self):
        """Free variables, and functions as pairs (name, signature)."""
        if self._free is None:
            own = {"v": {self}, "app": {self.parts}}.get(self.head, ())
            self._free = frozenset(own).union(*(kid.free for kid in self.kids))
        return self._free

    @property
    def constant(self):
        """The number that a constant is, or None."""
        if self.head != "q":
            return None
        return self.parts[0] if self.integer else Fraction(*self.parts)

    # -- copies with changes ---------------------------------------------------------------------

    def rebuilt(self, change, under=0, memo=None):
        """change(node, binders passed) is what takes a node's place, or None to go on below."""
        memo = {} if memo is None else memo
        key = self, under
        if key not in memo:
            new = change(self, under)
            if new is None and self.kids:
                scoped = self._scoped_kids()
                kids = [kid.rebuilt(change, under + len(sorts), memo) for kid, sorts in scoped]
                new = make(self.head, *self.parts, *kids)
            memo[key] = new or self
        return memo[key]

    def _with_loose(self, image):
        """image(b, binders passed) takes the place of each bound variable without binder."""

        def change(node, under):
            if not node.reaches(under):
                return node
            return image(node, under) if node.head == "b" else None

        return self.rebuilt(change)

    def opened(self, terms):
        """Bound index j of a body becomes the closed terms[j]; there is no other index."""
        need(not self.reaches(len(terms)), "a body has a bound variable too many")
        return self._with_loose(lambda b, under: terms[b.parts[0] - under])

    def shifted(self, by):
        """The term under `by` more binders."""
        return self._with_loose(lambda b, under: make("b", b.parts[0] + by, b.parts[1]))

    def replaced(self, terms):
        """Terms for variables of a closed body, shifted where they pass a binder."""
        return self.substituted(terms, {}, {})

    def bound(self, variables):
        """A closed term as a body: variables[j] becomes bound index j."""
        indices = [make("b", j, v.parts[1]) for j, v in enumerate(variables)]
        return self.substituted(dict(zip(variables, indices)), {}, {})

    def substituted(self, variables, functions, memo):
        """All at once: terms for variables, and (parameters, body) for functions."""
        gone = variables.keys() | functions.keys()

        def change(node, under):
            if gone.isdisjoint(node.free):
                return node
            if node.head == "app" and node.parts in functions:
                parameters, body = functions[node.parts]
                arguments = [kid.rebuilt(change, under, memo) for kid in node.kids]
                return body.replaced(dict(zip(parameters, arguments)))
            return variables[node].shifted(under) if node in variables else None

        return self.rebuilt(change, 0, memo)

    # -- polynomials -----------------------------------------------------------------------------

    @property
    def poly(self):
        """{atoms in order: coefficient}; constants, + and * are read, all else is an atom."""
        if self._poly is None:
            match self.head:
                case "q":
                    self._poly = {(): self.constant} if self.constant else {}
                case "+":
                    self._poly = poly_add(*(kid.poly for kid in self.kids))
                case "*":
                    self._poly = poly_multiply(*(kid.poly for kid in self.kids))
                case _:
                    self._poly = {(self,): 1}
        return self._poly

    @property
    def value(self):
        """poly(b) - poly(a) of a relation between a and b."""
        a, b = self.kids
        return poly_add(b.poly, poly_multiply({(): -1}, a.poly))

    def __str__(self):
        """The canonical print (CLAIM.md section 9)."""
        kids = [str(kid) for kid in self.kids]
        match self.head, *self.parts:
            case "q", numerator, denominator:
                return str(numerator) if denominator == 1 else f"{numerator}/{denominator}"
            case "v", name, _:
                return name
            case "b", index, sort:
                return f"#{sort}{index}"
            case ("*",):
                return f"({kids[0]}*{kids[1]})"
            case ("+" | "div" | "mod",):
                return f"({kids[0]} {self.head} {kids[1]})"
            case ("=" | "#" | "<=" | "<",):
                return f"{kids[0]} {self.head} {kids[1]}"
            case "app", name, _:
                return f"{name}[{', '.join(kids)}]"
            case "fold", place, width:
                return f"fold{place}/{width}({'; '.join(kids)})"
            case "all", binders:
                return f"all {binders} ({' ; '.join(kids)})"
        return f"{self.head}({', '.join(kids)})"


_nodes, _serials = {}, count()


def make(head, *arguments):
    """The node of a head, its parts and its kids; Rejected if there is none."""
    key = (head, *arguments)
    if key not in _nodes:
        need(len(_nodes) < MAX_NODES, "too many terms")
        _nodes[key] = Term(next(_serials), head, arguments)
    return _nodes[key]


def forget_terms():
    """Between two claims; no term but constants and variables may be used after."""
    for key in [key for key in _nodes if key[0] not in ("q", "v")]:
        del _nodes[key]


def split_signature(signature):
    letters, colon, result = signature.partition(":")
    need(colon and result in SORTS and not letters.strip("ir"), "a signature is malformed")
    return letters, result


def constant(value):
    return make("q", value.numerator, value.denominator)


def variable(name, sort="i"):
    return make("v", name, sort)


def negation(relation):
    a, b = relation.kids
    if relation.head in ("=", "#"):
        return make("#" if relation.head == "=" else "=", a, b)
    return make("<" if relation.head == "<=" else "<=", b, a)


def range_of(index, extent):
    """The relations that say 0 <= index < extent."""
    return make("<=", constant(0), index), make("<", index, extent)


def poly_add(p, q):
    result = dict(p)
    for atoms, coefficient in q.items():
        result[atoms] = _bounded(result.get(atoms, 0) + coefficient)
    return {atoms: coefficient for atoms, coefficient in result.items() if coefficient}


def poly_multiply(p, q):
    need(len(p) * len(q) <= MAX_PAIRS, "a product of polynomials is too large")
    result = {}
    for left, a in p.items():
        for right, b in q.items():
            need(len(left) + len(right) <= MAX_DEGREE, "a degree is too large")
            atoms = tuple(sorted(left + right, key=lambda atom: atom.serial))
            result[atoms] = _bounded(result.get(atoms, 0) + a * b)
    return {atoms: coefficient for atoms, coefficient in result.items() if coefficient}


def _bounded(value):
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    need(bits <= MAX_COEFFICIENT_BITS, "a coefficient is too large")
    return value
