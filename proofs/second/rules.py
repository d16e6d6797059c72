"""The thirteen rules (RULES.md section 4).

ROWS of certificate.py says how the arguments of a rule stand in a line, and of what kind they are.
A rule returns its conclusion, whose hypotheses are those of all its premises together; or, where
it says otherwise, the conclusion and the hypotheses.
"""

from typing import NamedTuple

from .grammar import parse_text
from .sizes import ONE, ZERO, relation
from .terms import constant, make, need, negation, poly_add, poly_multiply, range_of
from .terms import split_signature

MAX_REPLACED = 1_000

# name: terms ("int" where they must be integers), premise, conclusion
LAWS = {
    "inv": ("x", "x != 0", "x * inv(x) = 1"),
    "exp+": ("x y", "", "exp(x + y) = exp(x) * exp(y)"),
    "exp>": ("x", "", "1 + x <= exp(x)"),
    "log": ("x", "0 < x", "exp(log(x)) = x"),
    "sqrt2": ("x", "0 <= x", "sqrt(x) * sqrt(x) = x"),
    "sqrt>": ("x", "0 <= x", "0 <= sqrt(x)"),
    "sin2": ("x", "", "sin(x) * sin(x) + cos(x) * cos(x) = 1"),
    "sin+": ("x y", "", "sin(x + y) = sin(x) * cos(y) + cos(x) * sin(y)"),
    "cos+": ("x y", "", "cos(x + y) + sin(x) * sin(y) = cos(x) * cos(y)"),
    "erf": ("x y", "x + y = 0", "erf(x) + erf(y) = 0"),
    "div": ("int a b", "0 < b", "a = b * (a div b) + a mod b"),
    "mod>": ("int a b", "0 < b", "0 <= a mod b"),
    "mod<": ("int a b", "0 < b", "a mod b < b"),
}


# what a law speaks of is that function, and no other one
OF_LAWS = {(f"func.{name}", "r:r") for name in ("sin", "cos", "erf")}


class Theorem(NamedTuple):
    formula: object
    given: frozenset


def need_premises(premises, wanted):
    need([premise.formula for premise in premises] == wanted, "the premises are others")


def need_variables(variables, sorts):
    fit = [v.head == "v" and v.parts[1] == sort for v, sort in zip(variables, sorts)]
    need(len(variables) == len(sorts) and all(fit), "other variables are asked for")
    need(len(set(variables)) == len(variables), "variables are not distinct")


def kept(theorem, removed, fresh):
    """The hypotheses that are left, in which the variables must be fresh."""
    rest = theorem.given - removed
    for hypothesis in rest:
        need(hypothesis.free.isdisjoint(fresh), "a variable is not fresh")
    return rest


def hyp(formula):
    return formula, frozenset([formula])


def use(theorem, instances, premises):
    clause = theorem.formula
    need(clause.head == "all", "use of what is no clause")
    need(clause.parts[0] == len(instances), "use with another number of terms")
    *conditions, conclusion = (kid.opened(instances) for kid in clause.kids)
    need_premises(premises, conditions)
    return conclusion


def inst(theorem, pairs, functions, premises):
    need(max(len(pairs), len(functions)) <= MAX_REPLACED, "inst replaces too much")
    variables, bodies = dict(pairs), {}
    need(len(variables) == len(pairs), "a variable is replaced twice")
    for variable, term in pairs:
        need(variable.head == "v", "inst replaces what is no variable")
        need(term.integer or not variable.integer, "an integer variable gets a real")
    for name, signature, terms in functions:
        need(terms and (name, signature) not in bodies, "a function without body, or twice")
        need((name, signature) not in OF_LAWS, "a law speaks of a function that is replaced")
        *parameters, body = terms
        letters, result = split_signature(signature)
        need_variables(parameters, letters)
        need(body.integer or result == "r", "the body of a function is no integer")
        bodies[name, signature] = parameters, body
    memo = {}
    given = {formula.substituted(variables, bodies, memo) for formula in theorem.given}
    cut = {premise.formula for premise in premises}
    need(cut <= given, "a premise of inst is no hypothesis")
    conclusion = theorem.formula.substituted(variables, bodies, memo)
    return conclusion, frozenset(given - cut).union(*(premise.given for premise in premises))


def cases(condition, positive, negative):
    need(positive.formula is negative.formula, "the cases conclude different formulas")
    given = (positive.given - {condition}) | (negative.given - {negation(condition)})
    return positive.formula, given


def cong(a, b, premises):
    need((a.head, a.parts) == (b.head, b.parts), "cong of terms with different heads")
    need(len(a.kids) == len(b.kids), "cong of different lengths")
    left, right = list(a.kids), list(b.kids)
    if a.head == "ite":
        need(left[0].head == right[0].head, "the conditions have different relations")
        left[:1], right[:1] = left[0].kids, right[0].kids
    outside, _ = a.binding()
    need(a.head != "fold" or left[outside:] == right[outside:], "kids under binders differ")
    need_premises(premises, [make("=", x, y) for x, y in zip(left, right) if x is not y])
    return make("=", a, b)


def foldcong(a, b, variables, premises):
    outside, sorts = a.binding()
    same = (a.head, a.parts, a.kids[:outside]) == (b.head, b.parts, b.kids[:outside])
    need(a.head == "fold" and same, "no two folds that differ in their steps only")
    need_variables(variables, sorts)
    need((a.free | b.free).isdisjoint(variables), "a variable is free in a fold")
    steps = zip(a.kids[outside:], b.kids[outside:])
    need_premises(premises, [make("=", p.opened(variables), q.opened(variables)) for p, q in steps])
    removed = set(range_of(variables[0], a.kids[0]))
    given = (kept(premise, removed, variables) for premise in premises)
    return make("=", a, b), frozenset().union(*given)


def arith(goal, summands):
    total, others = {}, []
    for coefficient, premises in summands:
        need(all(p.formula.is_relation for p in premises), "a premise of arith is no relation")
        product = coefficient.poly
        for premise in premises:
            product = poly_multiply(product, premise.formula.value)
        total = poly_add(total, product)
        relations = {premise.formula.head for premise in premises}
        if "=" not in relations:
            need(coefficient.poly.keys() <= {()}, "a coefficient of arith is no number")
            others.append((coefficient.poly.get((), 0), relations))
    need(total == goal.value, "the summands of arith do not add up")
    need(_signs_fit(goal.head, others), "the summands of arith do not show the relation")
    return goal


def _signs_fit(head, others):
    """The table under arith, for the summands without an equation."""
    if head == "=":
        return not others
    if head == "#":
        return len(others) == 1 and others[0][0] != 0 and others[0][1] <= {"<", "#"}
    positive = any(factor > 0 and relations <= {"<"} for factor, relations in others)
    fits = all(factor >= 0 and relations <= {"<", "<="} for factor, relations in others)
    return fits and (head == "<=" or positive)


def antisym(first, second):
    need(first.formula.head == "<=", "antisym asks for a <= b")
    a, b = first.formula.kids
    need_premises([second], [make("<=", b, a)])
    return make("=", a, b)


def int_(goal, premise):
    need(premise.formula.head == "<", "int asks for a < b")
    need(all(side.integer for side in premise.formula.kids), "int asks for integers")
    less = poly_add(premise.formula.value, {(): -1})
    need(goal.head == "<=" and goal.value == less, "int concludes another formula")
    return goal


def _made(tree, names):
    """What stands in LAWS, made as written."""
    match tree:
        case "num", value:
            return constant(value)
        case "name", name:
            return names[name]
        case "call", function, (argument,):
            of_law = (f"func.{function}", "r:r")
            head = ("app", *of_law) if of_law in OF_LAWS else (function,)
            return make(*head, _made(argument, names))
        case "chain", first, rest:
            term = _made(first, names)
            for operator, operand in rest:
                term = make(operator, term, _made(operand, names))
            return term
    _, left, relop, right = tree
    return relation(relop, _made(left, names), _made(right, names))


def law(name, terms, premises):
    if name in ("ite1", "ite0"):
        need(len(terms) == 1 and terms[0].head == "ite", "a law of ite about something else")
        condition, yes, no = terms[0].kids
        need_premises(premises, [condition if name == "ite1" else negation(condition)])
        return make("=", terms[0], yes if name == "ite1" else no)
    need(name in LAWS, "a law that there is not")
    words, *formulas = LAWS[name]
    letters = words.removeprefix("int ").split()
    need(len(terms) == len(letters), f"law {name} has another number of terms")
    need(words[0] != "i" or all(term.integer for term in terms), f"{name} asks for integers")
    names = dict(zip(letters, terms))
    trees = [parse_text("formula", text.encode(), name) for text in formulas if text]
    *wanted, conclusion = (_made(tree, names) for tree in trees)
    need_premises(premises, wanted)
    return conclusion


def zero(fold, premise):
    need(fold.head == "fold", "zero of what is no fold")
    need_premises([premise], [make("<=", fold.kids[0], ZERO)])
    return make("=", fold, fold.kids[1 + fold.parts[0]])


def succ(fold, k, premise):
    need(fold.head == "fold", "succ of what is no fold")
    place, width = fold.parts
    bound, *rest = fold.kids
    need(bound.poly == poly_add(k.poly, {(): 1}), "succ: the bound is not one more")
    need_premises([premise], [make("<=", ZERO, k)])
    states = [make("fold", q, width, k, *rest) for q in range(width)]
    return make("=", fold, rest[width + place].opened([k, *states]))


def induct(k, n, j, invariants, bases, steps, premise):
    need_variables([k], "i")
    need(k not in n.free, "induct: the bound speaks of the variable")
    need(len(invariants) <= MAX_REPLACED and j < len(invariants), "induct: no such invariant")

    def at(term):
        return [invariant.substituted({k: term}, {}, {}) for invariant in invariants]

    need_premises([premise], [make("<=", ZERO, n)])
    need_premises(bases, at(ZERO))
    need_premises(steps, at(make("+", k, ONE)))
    removed = {*range_of(k, n), *invariants}
    given = [kept(step, removed, [k]) for step in steps]
    return at(n)[j], premise.given.union(*(base.given for base in bases), *given)
