"""Arithmetic of the elaboration, sizes, S, and what is plain (CLAIM.md sections 1, 2 and 3.3)."""

from .grammar import ensure, within
from .terms import constant, make, variable

ZERO, ONE, MINUS_ONE = constant(0), constant(1), constant(-1)
STATE = variable("$s", "r")  # of a fold, before it is bound
DIRECTED = {"=": "=", "!=": "#", "<=": "<=", "<": "<", ">=": "<=", ">": "<"}


def computed(operator, a, b):
    """`a (+) b` and so on: made with the foldings of section 1."""
    x, y = a.constant, b.constant
    integers = a.integer and b.integer
    unit = 0 if operator == "+" else 1
    if operator == "*" and integers and 0 in (x, y):
        return ZERO
    if integers and y == unit:
        return ZERO if operator == "mod" else a
    if integers and operator in ("+", "*") and x == unit:
        return b
    if x is not None and y is not None and (operator == "*" or integers):
        match operator:
            case "+":
                return constant(x + y)
            case "*":
                return constant(x * y)
            case "div" if y > 0:
                return constant(x // y)
            case "mod" if y > 0:
                return constant(x % y)
    return make(operator, a, b)


def negative(a):
    return computed("*", MINUS_ONE, a)


def larger(a, b):
    return make("ite", make("<=", a, b), b, a)


def smaller(a, b):
    return make("ite", make("<=", a, b), a, b)


def fold(counter, bound, base, step):
    return make("fold", 0, 1, bound, base, step.bound([counter, STATE]))


def relation(relop, a, b):
    if relop in (">", ">="):
        a, b = b, a
    return make(DIRECTED[relop], a, b)


def is_group(extent):
    return extent.head == "v" and extent.parts[0].startswith("..")


def is_one(extent):
    return extent.poly == {(): 1}


def truth(formula):
    """Whether a relation whose value is a constant is true; None if it is none."""
    if formula.value.keys() - {()}:
        return None
    number = formula.value.get((), 0)
    answers = {"=": number == 0, "#": number != 0, "<=": number >= 0, "<": number > 0}
    return answers[formula.head]


def at_values(term, values, made=None):
    """A term with constants for some sizes, made anew by section 1."""
    made = {} if made is None else made
    if term.head in ("q", "v"):
        return constant(values[term]) if term in values else term
    if term in made:
        return made[term]
    match term.head:
        case "+" | "*" | "div" | "mod":
            new = computed(term.head, *(at_values(kid, values, made) for kid in term.kids))
        case "=" | "#" | "<=" | "<":
            new = make(term.head, *(at_values(kid, values, made) for kid in term.kids))
        case "ite":
            condition, yes, no = (at_values(kid, values, made) for kid in term.kids)
            holds = truth(condition)
            new = make("ite", condition, yes, no) if holds is None else yes if holds else no
        case _:
            new = term
    made[term] = new
    within("nodes of a value at the stated sizes", len(made))
    return new


class Sizes:
    """The sizes of both sides, and S."""

    def __init__(self):
        self.least = {}  # of each size, in the order of declaration
        self.values = {}
        self.stated = []
        self.own = set()  # sizes of the candidate alone
        self.added = []  # relations of the candidate

    def declare(self, name, least, value, own):
        """A size; one of the given program, if a candidate program names it too."""
        size = variable(name)
        ensure(value is None or value >= least, f"the value of {name} is below the least one")
        if value is not None:
            ensure(self.values.setdefault(size, value) == value, f"{name} has two values")
        if size in self.least:
            ensure(least <= self.least[size], f"{name} is bounded more than in the given program")
            return
        self.least[size] = least
        within("sizes", len(self.least))
        self.own |= {size} if own else set()
        self._state(make("<" if least > 0 else "<=", ZERO, size))
        if least > 1:
            self._state(make("<=", constant(least), size))

    def _state(self, formula):
        self.stated.append(formula)
        within("relations of sizes", len(self.stated))

    def where(self, formula, own):
        if not self.is_plain(formula):
            self.need_not_false(formula)
            self._state(formula)
            self.added += [formula] if own else []

    # -- what the candidate adds leaves the given sizes free -------------------------------------

    def check_freedom(self):
        for place, formula in enumerate(self.added):
            others = self.added[:place] + self.added[place + 1 :]
            a, b = formula.kids
            free = formula.head in ("=", "<=") and self._leaves_free(formula.head, a, b, others)
            free = free or formula.head == "=" and self._leaves_free("=", b, a, others)
            ensure(free, "a relation may restrict the sizes of the given program")

    def _leaves_free(self, head, own_side, other_side, others):
        own, (whole, tile) = factors(own_side), covered(other_side)
        if tile is not None and (head == "<=" or not self._never_zero(tile)):
            return False
        counted = factors(whole) + ([] if tile is None else factors(tile))
        if (
            any(factor not in self.own or self.least[factor] > 1 for factor in own)
            or not all(self._may_be_other(factor) for factor in counted)
            or set(own) & set(counted)
        ):
            return False
        never_zero = self._never_zero(whole)
        if head == "<=":
            return len(own) == 1 and (self.least[own[0]] == 0 or never_zero)
        return any(
            own.count(size) == 1
            and not any(size in formula.free for formula in others)
            and all(self.least[factor] == 1 for factor in own if factor != size)
            and (self.least[size] == 0 or never_zero)
            for size in own
        )

    def _may_be_other(self, factor):
        """A positive number, or a size, of the candidate alone with a least value of at most 1."""
        if factor in self.least:
            return factor not in self.own or self.least[factor] <= 1
        return factor.constant is not None and factor.constant > 0

    def _never_zero(self, product):
        return all(self.least.get(factor, 1) >= 1 for factor in factors(product))

    # -- plain relations -------------------------------------------------------------------------

    def need_not_false(self, formula):
        false = truth(at_values(formula, self.values)) is False
        ensure(not false, "a relation is false at the stated sizes")

    def is_plain(self, formula, conditions=()):
        holds = truth(formula)
        if holds is not None:
            return holds
        a, b = formula.kids
        integers = a.integer and b.integer
        for known in (*self.stated, *conditions):
            if known is formula:
                return True
            if integers and known.head == formula.head and all(k.integer for k in known.kids):
                if known.value == formula.value:
                    return True
        if formula.head == "#":
            return b is ZERO and self._is_positive(a, strict=True)
        return formula.head != "=" and a is ZERO and self._is_positive(b, formula.head == "<")

    def _is_positive(self, term, strict):
        """Positive coefficients of exponentials, sizes and squares; strictly, one that is not 0."""
        some = False
        for atoms, coefficient in term.poly.items():
            others = [atom for atom in atoms if atom.head != "exp"]
            some = some or not others
            odd = [atom for atom in others if others.count(atom) % 2]
            if coefficient <= 0 or any(atom not in self.least for atom in odd):
                return False
        return some or not strict


def factors(term):
    return factors(term.kids[0]) + factors(term.kids[1]) if term.head == "*" else [term]


def covered(term):
    """(whole, tile) of `(whole + tile - 1) div tile`; of any other term (term, None)."""
    if term.head == "div":
        dividend, tile = term.kids
        if dividend.head == "+" and dividend.kids[1] is MINUS_ONE and dividend.kids[0].head == "+":
            parts = dividend.kids[0].kids
            if tile in parts:
                return parts[parts[0] is tile], tile
    return term, None
