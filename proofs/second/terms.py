"""Terms and formulas, one table (RULES.md sections 1 and 2).

A node is a tuple (head, part, ..) and is stored once: equal nodes have the same number.  Kids are
numbers of earlier nodes.
"""

from fractions import Fraction
from math import gcd

MAX_DEPTH = 3000
MAX_INDEX = 3000
MAX_WIDTH = 64
MAX_BINDERS = 64
MAX_NODES = 1 << 25
MAX_PAIRS = 200_000
MAX_DEGREE = 10_000
MAX_COEFFICIENT_BITS = 65_536

RELATIONS = ("=", "#", "<=", "<")
BINARY = ("+", "*", "div", "mod")
UNARY = ("inv", "exp", "sqrt", "log")

NOTHING = frozenset()


class Rejected(Exception):
    """The step, and with it the certificate, is not accepted."""


def need(condition, why):
    if not condition:
        raise Rejected(why)


class Terms:
    def __init__(self):
        self.node = []
        self.number = {}
        self.is_int = []
        self.is_formula = []
        self.loose = []  # pairs (index, sort) of bound variables without binder
        self.depth = []
        self._free = {}
        self._poly = {}

    # -- making nodes ----------------------------------------------------------------------------

    def make(self, *node):
        """The number of a node; refuses one that breaks a condition of RULES.md section 1."""
        known = self.number.get(node)
        if known is not None:
            return known
        is_int, is_formula = self._judge(node)
        loose = self._loose_of(node)
        depth = 1 + max((self.depth[k] for k in self.kids(node)), default=0)
        need(depth <= MAX_DEPTH, "a term is too deep")
        need(len(self.node) < MAX_NODES, "too many terms")
        number = len(self.node)
        self.node.append(node)
        self.number[node] = number
        self.is_int.append(is_int)
        self.is_formula.append(is_formula)
        self.loose.append(loose)
        self.depth.append(depth)
        return number

    @staticmethod
    def kids(node):
        head = node[0]
        if head in ("q", "v", "b"):
            return ()
        if head == "fold":
            return node[3:]
        if head == "app":
            return node[3:]
        if head == "all":
            return node[2:]
        return node[1:]

    @staticmethod
    def parts(node):
        """What two nodes must share besides the number of kids to be congruent."""
        return node[: len(node) - len(Terms.kids(node))]

    def _judge(self, node):
        """(integer flag, is a formula), after the conditions of the head."""
        head = node[0]
        if head == "q":
            _, n, d = node
            need(d > 0 and gcd(n, d) == 1, "a constant is not in lowest terms")
            return d == 1, False
        if head == "v":
            need(node[2] in ("i", "r"), "a variable has a sort that is none")
            return node[2] == "i", False
        if head == "b":
            need(node[2] in ("i", "r"), "a bound variable has a sort that is none")
            need(0 <= node[1] <= MAX_INDEX, "a bound index is too large")
            return node[2] == "i", False
        if head in BINARY:
            a, b = self._terms(node[1:])
            both = self.is_int[a] and self.is_int[b]
            need(head in "+*" or both, f"{head} of what is no integer")
            return both, False
        if head in UNARY:
            self._terms(node[1:])
            return False, False
        if head == "ite":
            need(self._is_relation(node[1]), "the condition of ite is no relation")
            a, b = self._terms(node[2:])
            return self.is_int[a] and self.is_int[b], False
        if head == "app":
            return self._judge_app(node), False
        if head == "fold":
            self._judge_fold(node)
            return False, False
        if head in RELATIONS:
            self._terms(node[1:])
            return False, True
        need(head == "all" and 0 <= node[1] <= MAX_BINDERS, "a clause has too many binders")
        need(len(node) >= 3, "a clause has no conclusion")
        need(all(self._is_relation(k) for k in node[2:]), "a part of a clause is no relation")
        return False, True

    def _terms(self, kids):
        for kid in kids:
            need(not self.is_formula[kid], "a formula stands where a term is asked for")
        return kids

    def _is_relation(self, kid):
        return self.node[kid][0] in RELATIONS

    def _judge_app(self, node):
        signature, arguments = node[2], node[3:]
        letters, colon, result = signature.partition(":")
        need(colon and result in ("i", "r") and not letters.strip("ir"), "a signature is malformed")
        need(len(letters) == len(arguments), "a function has another number of arguments")
        for letter, kid in zip(letters, self._terms(arguments)):
            need(letter == "r" or self.is_int[kid], "an argument is no integer")
        return result == "i"

    def _judge_fold(self, node):
        p, width, kids = node[1], node[2], node[3:]
        need(0 <= p < width <= MAX_WIDTH, "a fold has a wrong width")
        need(len(kids) == 1 + 2 * width, "a fold has a wrong number of parts")
        self._terms(kids)
        need(self.is_int[kids[0]], "the bound of a fold is no integer")

    def _loose_of(self, node):
        head = node[0]
        if head == "b":
            return frozenset([(node[1], node[2])])
        if head == "fold":
            width = node[2]
            found = NOTHING.union(*(self.loose[k] for k in node[3 : 4 + width]))
            sorts = ["i"] + ["r"] * width
            return found.union(*(self._captured(k, sorts) for k in node[4 + width :]))
        if head == "all":
            sorts = ["i"] * node[1]
            return NOTHING.union(*(self._captured(k, sorts) for k in node[2:]))
        kids = self.kids(node)
        return NOTHING.union(*(self.loose[k] for k in kids)) if kids else NOTHING

    def _captured(self, kid, sorts):
        left = set()
        for index, sort in self.loose[kid]:
            if index >= len(sorts):
                left.add((index - len(sorts), sort))
            else:
                need(sort == sorts[index], "a binder captures a variable of the other sort")
        return left

    # -- abbreviations ---------------------------------------------------------------------------

    def constant(self, value):
        value = Fraction(value)
        return self.make("q", value.numerator, value.denominator)

    def value_of(self, term):
        """The number that a constant is, or None."""
        node = self.node[term]
        return Fraction(node[1], node[2]) if node[0] == "q" else None

    def negation(self, relation):
        head, a, b = self.node[relation]
        return {
            "=": lambda: self.make("#", a, b),
            "#": lambda: self.make("=", a, b),
            "<=": lambda: self.make("<", b, a),
            "<": lambda: self.make("<=", b, a),
        }[head]()

    def closed(self, term):
        return not self.loose[term]

    def free(self, term):
        """Free variables (numbers of their nodes) and functions (name, signature) of a node."""
        found = self._free.get(term)
        if found is None:
            node = self.node[term]
            if node[0] == "v":
                found = frozenset([term])
            else:
                found = NOTHING.union(*(self.free(k) for k in self.kids(node)))
                if node[0] == "app":
                    found |= {(node[1], node[2])}
            self._free[term] = found
        return found

    # -- operations (section 2) ------------------------------------------------------------------

    def rebuild(self, term, under, change, memo):
        """Copies a term; change(term, binders passed) gives a new node, or None to go on."""
        key = (term, under)
        done = memo.get(key)
        if done is not None:
            return done
        new = change(term, under)
        if new is None:
            node = self.node[term]
            kids = self.kids(node)
            if kids:
                first_bound = len(kids)
                more = 0
                if node[0] == "fold":
                    first_bound, more = 1 + node[2], node[2] + 1
                elif node[0] == "all":
                    first_bound, more = 0, node[1]
                copies = [
                    self.rebuild(kid, under + (more if place >= first_bound else 0), change, memo)
                    for place, kid in enumerate(kids)
                ]
                new = self.make(*self.parts(node), *copies)
            else:
                new = term
        memo[key] = new
        return new

    def shift(self, term, by):
        """The term under `by` more binders."""
        return self.shift_above(term, 0, by) if by else term

    def _reaches(self, term, under):
        return any(index >= under for index, _ in self.loose[term])

    def open(self, body, terms):
        """Index j of the body becomes terms[j]; these are closed, and there is no other index."""
        for index, sort in self.loose[body]:
            need(index < len(terms), "a body has a bound variable too many")
            need(sort == "r" or self.is_int[terms[index]], "an integer variable gets a real")

        def change(t, under):
            if not self._reaches(t, under):
                return t
            node = self.node[t]
            return terms[node[1] - under] if node[0] == "b" else None

        return self.rebuild(body, 0, change, {})

    def close(self, body, variables):
        """The body with variables[j] as bound index j (they are free in it)."""
        places = {variable: j for j, variable in enumerate(variables)}

        def change(t, under):
            if not places.keys() & self.free(t):
                return self.shift_above(t, under, len(variables))
            if t in places:
                return self.make("b", places[t] + under, self.node[t][2])
            return None

        return self.rebuild(body, 0, change, {})

    def shift_above(self, term, under, by):
        """The same for a part of a term that stands under `under` binders of its own."""
        if not self._reaches(term, under):
            return term

        def change(t, more):
            if not self._reaches(t, under + more):
                return t
            node = self.node[t]
            return self.make("b", node[1] + by, node[2]) if node[0] == "b" else None

        return self.rebuild(term, 0, change, {})

    def substitute(self, term, variables, functions, memo=None):
        """All at once: terms for variables, and (parameters, body) for functions."""
        gone = variables.keys() | functions.keys()

        def change(t, under):
            if not gone & self.free(t):
                return t
            node = self.node[t]
            if node[0] == "v":
                return self.shift(variables[t], under)
            if node[0] == "app" and (node[1], node[2]) in functions:
                arguments = [self.rebuild(k, under, change, memo) for k in node[3:]]
                parameters, body = functions[node[1], node[2]]
                return self.replace(body, dict(zip(parameters, arguments)))
            return None

        memo = {} if memo is None else memo
        return self.rebuild(term, 0, change, memo)

    def replace(self, body, arguments):
        """A function's body with its parameters replaced, shifted where they pass a binder."""

        def change(t, under):
            if not arguments.keys() & self.free(t):
                return t
            return self.shift(arguments[t], under) if t in arguments else None

        return self.rebuild(body, 0, change, {})

    # -- polynomials -----------------------------------------------------------------------------

    def poly(self, term):
        """{sorted atoms: coefficient}; constants, + and * are read, all else is an atom."""
        found = self._poly.get(term)
        if found is not None:
            return found
        node = self.node[term]
        if node[0] == "q":
            found = {(): Fraction(node[1], node[2])} if node[1] else {}
        elif node[0] == "+":
            found = poly_add(self.poly(node[1]), self.poly(node[2]))
        elif node[0] == "*":
            found = poly_multiply(self.poly(node[1]), self.poly(node[2]))
        else:
            found = {(term,): Fraction(1)}
        self._poly[term] = found
        return found

    def value(self, relation):
        """poly(b) - poly(a) of a relation between a and b."""
        _, a, b = self.node[relation]
        return poly_add(self.poly(b), poly_scale(self.poly(a), -1))

    def same_poly(self, a, b):
        return a == b or self.poly(a) == self.poly(b)

    # -- canonical print (CLAIM.md section 9) ----------------------------------------------------

    def show(self, term):
        node = self.node[term]
        head = node[0]
        if head == "q":
            return str(node[1]) if node[2] == 1 else f"{node[1]}/{node[2]}"
        if head == "v":
            return node[1]
        if head == "b":
            return f"#{node[2]}{node[1]}"
        kids = [self.show(k) for k in self.kids(node)]
        if head in ("+", "div", "mod"):
            return f"({kids[0]} {head} {kids[1]})"
        if head == "*":
            return f"({kids[0]}*{kids[1]})"
        if head in UNARY:
            return f"{head}({kids[0]})"
        if head == "ite":
            return f"ite({', '.join(kids)})"
        if head == "app":
            return f"{node[1]}[{', '.join(kids)}]"
        if head == "fold":
            return f"fold{node[1]}/{node[2]}({'; '.join(kids)})"
        if head == "all":
            return f"all {node[1]} ({' ; '.join(kids)})"
        return f"{kids[0]} {head} {kids[1]}"


def poly_add(p, q):
    result = dict(p)
    for mono, coefficient in q.items():
        total = result.get(mono, 0) + coefficient
        if total:
            _bounded(total)
            result[mono] = total
        else:
            del result[mono]
    return result


def poly_scale(p, factor):
    return {mono: coefficient * factor for mono, coefficient in p.items()} if factor else {}


def poly_multiply(p, q):
    need(len(p) * len(q) <= MAX_PAIRS, "a product of polynomials is too large")
    result = {}
    for left, a in p.items():
        for right, b in q.items():
            mono = tuple(sorted(left + right))
            need(len(mono) <= MAX_DEGREE, "a degree is too large")
            total = result.get(mono, 0) + a * b
            _bounded(total)
            result[mono] = total
    return {mono: coefficient for mono, coefficient in result.items() if coefficient}


def _bounded(number):
    size = max(number.numerator.bit_length(), number.denominator.bit_length())
    need(size <= MAX_COEFFICIENT_BITS, "a coefficient is too large")
