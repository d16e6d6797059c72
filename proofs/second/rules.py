"""The thirteen rules (RULES.md section 4).  A theorem is (hypotheses, formula)."""

from .terms import RELATIONS, need, poly_add, poly_multiply, poly_scale


class Rules:
    def __init__(self, terms):
        self.t = terms

    # -- small questions -------------------------------------------------------------------------

    def _closed_term(self, x, what="a term"):
        need(not self.t.is_formula[x] and self.t.closed(x), f"{what} is not a closed term")

    def _closed_relation(self, x):
        need(self.t.node[x][0] in RELATIONS, "a relation is asked for")
        need(self.t.closed(x), "a formula is not closed")

    def _integer(self, x):
        self._closed_term(x)
        need(self.t.is_int[x], "an integer term is asked for")

    def _variable(self, x, sort=None):
        node = self.t.node[x]
        need(node[0] == "v" and sort in (None, node[2]), "a variable is asked for")

    def _fresh(self, variables, hypotheses):
        for hypothesis in hypotheses:
            need(not variables & self.t.free(hypothesis), "a variable is not fresh")

    def _zero(self):
        return self.t.constant(0)

    def _range(self, k, n):
        return {self.t.make("<=", self._zero(), k), self.t.make("<", k, n)}

    @staticmethod
    def _all_hypotheses(premises):
        return frozenset().union(*(h for h, _ in premises))

    # -- the rules -------------------------------------------------------------------------------

    def hyp(self, formula):
        need(self.t.is_formula[formula] and self.t.closed(formula), "hyp of no closed formula")
        return frozenset([formula]), formula

    def use(self, theorem, instances, premises):
        node = self.t.node[theorem[1]]
        need(node[0] == "all", "use of what is no clause")
        _, binders, *conditions, conclusion = node
        need(binders == len(instances), "use with another number of terms")
        need(len(conditions) == len(premises), "use with another number of premises")
        for term in instances:
            self._integer(term)
        for condition, (_, formula) in zip(conditions, premises):
            need(self.t.open(condition, instances) == formula, "a premise of use is another")
        return (
            self._all_hypotheses([theorem, *premises]),
            self.t.open(conclusion, instances),
        )

    def inst(self, theorem, pairs, functions, premises):
        variables = {}
        for variable, term in pairs:
            self._variable(variable)
            need(variable not in variables, "inst has a variable twice")
            self._closed_term(term)
            is_real = self.t.node[variable][2] == "r"
            need(is_real or self.t.is_int[term], "an integer variable gets a real")
            variables[variable] = term
        bodies = {}
        for name, signature, parameters, body in functions:
            need((name, signature) not in bodies, "inst has a function twice")
            bodies[name, signature] = self._function(signature, parameters, body)
        memo = {}
        change = lambda f: self.t.substitute(f, variables, bodies, memo)  # noqa: E731
        conclusion = change(theorem[1])
        hypotheses = {change(h) for h in theorem[0]}
        for _, formula in premises:
            need(formula in hypotheses, "a premise of inst is no hypothesis")
        hypotheses -= {formula for _, formula in premises}
        return frozenset(hypotheses) | self._all_hypotheses(premises), conclusion

    def _function(self, signature, parameters, body):
        letters, colon, result = signature.partition(":")
        need(colon and result in ("i", "r") and not letters.strip("ir"), "a signature is malformed")
        need(len(letters) == len(parameters), "inst has another number of parameters")
        need(len(set(parameters)) == len(parameters), "parameters are not distinct")
        for letter, parameter in zip(letters, parameters):
            self._variable(parameter, letter)
        self._closed_term(body)
        need(result == "r" or self.t.is_int[body], "the body of a function is no integer")
        return parameters, body

    def cases(self, condition, positive, negative):
        self._closed_relation(condition)
        need(positive[1] == negative[1], "the cases conclude different formulas")
        hypotheses = positive[0] - {condition}
        return hypotheses | (negative[0] - {self.t.negation(condition)}), positive[1]

    def cong(self, a, b, premises):
        self._closed_term(a)
        self._closed_term(b)
        left, right = self.t.node[a], self.t.node[b]
        need(self.t.parts(left) == self.t.parts(right), "cong of terms with different heads")
        pairs = list(zip(self.t.kids(left), self.t.kids(right)))
        need(len(self.t.kids(left)) == len(self.t.kids(right)), "cong of different lengths")
        if left[0] == "ite":
            p, q = self.t.node[left[1]], self.t.node[right[1]]
            need(p[0] == q[0], "the conditions have different relations")
            pairs[:1] = zip(p[1:], q[1:])
        elif left[0] == "fold":
            width = left[2]
            need(left[4 + width :] == right[4 + width :], "kids under binders differ")
        rest = list(premises)
        for x, y in pairs:
            if x != y:
                need(rest, "cong has too few premises")
                need(rest.pop(0)[1] == self.t.make("=", x, y), "a premise of cong is another")
        need(not rest, "cong has too many premises")
        return self._all_hypotheses(premises), self.t.make("=", a, b)

    def foldcong(self, a, b, variables, premises):
        self._closed_term(a)
        self._closed_term(b)
        left, right = self.t.node[a], self.t.node[b]
        need(left[0] == "fold" and right[0] == "fold", "foldcong of what is no fold")
        width = left[2]
        need(left[: 4 + width] == right[: 4 + width], "the folds differ in more than their steps")
        need(len(variables) == width + 1, "foldcong has another number of variables")
        for place, variable in enumerate(variables):
            self._variable(variable, "r" if place else "i")
        fresh = frozenset(variables)
        need(len(fresh) == width + 1, "variables are not distinct")
        need(not fresh & (self.t.free(a) | self.t.free(b)), "a variable is free in a fold")
        need(len(premises) == width, "foldcong has another number of premises")
        removed = self._range(variables[0], left[3])
        hypotheses = frozenset()
        for p, q, (given, formula) in zip(left[4 + width :], right[4 + width :], premises):
            wanted = self.t.make("=", self.t.open(p, variables), self.t.open(q, variables))
            need(formula == wanted, "a premise of foldcong is another")
            kept = given - removed
            self._fresh(fresh, kept)
            hypotheses |= kept
        return hypotheses, self.t.make("=", a, b)

    def arith(self, goal, summands):
        self._closed_relation(goal)
        head = self.t.node[goal][0]
        total = {}
        others = []
        hypotheses = frozenset()
        for coefficient, premises in summands:
            self._closed_term(coefficient)
            product = self.t.poly(coefficient)
            relations = []
            for given, formula in premises:
                relation = self.t.node[formula][0]
                need(relation in RELATIONS, "a premise of arith is no relation")
                relations.append(relation)
                product = poly_multiply(product, self.t.value(formula))
                hypotheses |= given
            total = poly_add(total, product)
            if "=" not in relations:
                factor = self.t.poly(coefficient)
                need(not factor.keys() - {()}, "a coefficient of arith is no number")
                others.append((factor.get((), 0), relations))
        need(total == self.t.value(goal), "the summands of arith do not add up")
        self._signs(head, others)
        return hypotheses, goal

    @staticmethod
    def _signs(head, others):
        if head == "=":
            need(not others, "an equation by arith has a summand that may not be zero")
        elif head == "#":
            need(len(others) == 1, "`#` by arith asks for exactly one summand")
            factor, relations = others[0]
            fit = all(r in ("<", "#") for r in relations)
            need(factor != 0 and fit, "a summand of arith may be zero")
        else:
            for factor, relations in others:
                fit = all(r in ("<", "<=") for r in relations)
                need(factor >= 0 and fit, "a summand of arith may be negative")
            strict = any(f > 0 and all(r == "<" for r in rs) for f, rs in others)
            need(head == "<=" or strict, "no summand of arith is positive")

    def antisym(self, first, second):
        head, a, b = self._relation(first[1])
        need(head == "<=" and second[1] == self.t.make("<=", b, a), "antisym asks for a<=b, b<=a")
        return first[0] | second[0], self.t.make("=", a, b)

    def _relation(self, formula):
        need(self.t.node[formula][0] in RELATIONS, "a relation is asked for")
        return self.t.node[formula]

    def int(self, goal, premise):
        self._closed_relation(goal)
        head, a, b = self._relation(premise[1])
        need(head == "<" and self.t.is_int[a] and self.t.is_int[b], "int asks for integers a < b")
        need(self.t.node[goal][0] == "<=", "int concludes a `<=`")
        less_one = poly_add(self.t.value(premise[1]), poly_scale({(): 1}, -1))
        need(self.t.value(goal) == less_one, "int concludes another value")
        return premise[0], goal

    def law(self, name, arguments, premises):
        make, zero, one = self.t.make, self._zero(), self.t.constant(1)
        for argument in arguments:
            self._closed_term(argument)
        two = name in ("exp+", "div", "mod>", "mod<")
        need(len(arguments) == (2 if two else 1), f"law {name} has another number of terms")
        x = arguments[0]
        y = arguments[-1]
        wanted = None
        if name in ("div", "mod>", "mod<"):
            self._integer(x)
            self._integer(y)
            wanted = make("<", zero, y)
        if name == "inv":
            wanted, conclusion = make("#", x, zero), make("=", make("*", x, make("inv", x)), one)
        elif name == "exp+":
            product = make("*", make("exp", x), make("exp", y))
            conclusion = make("=", make("exp", make("+", x, y)), product)
        elif name == "exp>":
            conclusion = make("<=", make("+", one, x), make("exp", x))
        elif name == "log":
            wanted, conclusion = make("<", zero, x), make("=", make("exp", make("log", x)), x)
        elif name == "sqrt2":
            root = make("sqrt", x)
            wanted, conclusion = make("<=", zero, x), make("=", make("*", root, root), x)
        elif name == "sqrt>":
            wanted, conclusion = make("<=", zero, x), make("<=", zero, make("sqrt", x))
        elif name == "div":
            product = make("*", y, make("div", x, y))
            conclusion = make("=", x, make("+", product, make("mod", x, y)))
        elif name == "mod>":
            conclusion = make("<=", zero, make("mod", x, y))
        elif name == "mod<":
            conclusion = make("<", make("mod", x, y), y)
        else:
            need(name in ("ite1", "ite0"), "a law that there is not")
            node = self.t.node[x]
            need(node[0] == "ite", "a law of ite about something else")
            wanted = node[1] if name == "ite1" else self.t.negation(node[1])
            conclusion = make("=", x, node[2] if name == "ite1" else node[3])
        need(len(premises) == (wanted is not None), f"law {name} has another number of premises")
        need(all(formula == wanted for _, formula in premises), f"the premise of {name} is another")
        return self._all_hypotheses(premises), conclusion

    def zero(self, fold, premise):
        self._closed_term(fold)
        node = self.t.node[fold]
        need(node[0] == "fold", "zero of what is no fold")
        need(premise[1] == self.t.make("<=", node[3], self._zero()), "the premise of zero is another")
        return premise[0], self.t.make("=", fold, node[4 + node[1]])

    def succ(self, fold, k, premise):
        self._closed_term(fold)
        self._integer(k)
        node = self.t.node[fold]
        need(node[0] == "fold", "succ of what is no fold")
        p, width, bound = node[1:4]
        rest = node[4:]
        one_more = poly_add(self.t.poly(k), {(): 1})
        need(self.t.poly(bound) == one_more, "succ: the bound is not one more")
        need(premise[1] == self.t.make("<=", self._zero(), k), "the premise of succ is another")
        states = [self.t.make("fold", q, width, k, *rest) for q in range(width)]
        return premise[0], self.t.make("=", fold, self.t.open(rest[width + p], [k, *states]))

    def induct(self, k, n, j, invariants, bases, steps, premise):
        self._variable(k, "i")
        self._integer(n)
        need(k not in self.t.free(n), "induct: the bound speaks of the variable")
        need(0 <= j < len(invariants), "induct: no such invariant")
        need(len(bases) == len(steps) == len(invariants), "induct: a base or step is missing")
        need(premise[1] == self.t.make("<=", self._zero(), n), "the premise of induct is another")
        for invariant in invariants:
            self._closed_relation(invariant)
        at = lambda f, term: self.t.substitute(f, {k: term}, {})  # noqa: E731
        next_k = self.t.make("+", k, self.t.constant(1))
        removed = self._range(k, n) | set(invariants)
        hypotheses = premise[0]
        for invariant, base, step in zip(invariants, bases, steps):
            need(base[1] == at(invariant, self._zero()), "a base of induct is another")
            need(step[1] == at(invariant, next_k), "a step of induct is another")
            kept = step[0] - removed
            self._fresh(frozenset([k]), kept)
            hypotheses |= base[0] | kept
        return hypotheses, at(invariants[j], n)
