"""Texts to trees (docs/language.md).  A tree is a tuple whose first part says what it is."""

import re
from fractions import Fraction

MAX_TEXT = 1 << 20
MAX_TOKEN = 100
MAX_NESTING = 98  # of what stands inside of an expression, which counts itself and its statement
MAX_EXPONENT = 1000
MAX_DECLARED_DIGITS = 12

RESERVED = set(
    """program sizes where input output use func op let out require builtin mugraph kernel grid
    loop load acc store end sum max min prod if then div mod and or not none inf f16 bf16 f32 rule
    ints axes tensor assume lhs rhs expect int bool""".split()
)
REDUCTIONS = ("sum", "prod", "max", "min")
RELOPS = ("=", "!=", "<=", "<", ">=", ">")
NAMES_OF_OPERATORS = ("sum", "max", "min", "div")
TRUTH = dict(zip(RELOPS, "equal not_equal less_equal less less_equal less".split()))

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r]+|\#[^\n]*)|(?P<line>\n)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<string>"[^"\n]*")
    |(?P<symbol>\.\.|->|!=|<=|>=|[()\[\],:;=<>+\-*/@~])""",
    re.VERBOSE,
)


class Refused(Exception):
    """The texts state no claim."""


def ensure(condition, why):
    if not condition:
        raise Refused(why)


class Tokens:
    """The tokens of a text: (kind, text, position); line ends inside of brackets are blank."""

    def __init__(self, data, name):
        ensure(len(data) <= MAX_TEXT, f"{name}: the text is longer than 1 MiB")
        ensure(all(byte < 128 and byte != 0 for byte in data), f"{name}: the text is not ASCII")
        self.name = name
        self.text = data.decode("ascii")
        self.list = []
        self.at = 0
        self.nesting = 0
        self._scan()

    def _scan(self):
        place, depth = 0, 0
        while place < len(self.text):
            found = _TOKEN.match(self.text, place)
            ensure(found, f"{self.name}: a character that has no place here: {self.text[place]!r}")
            kind, text = found.lastgroup, found.group()
            place = found.end()
            if kind == "blank" or (kind == "line" and depth > 0):
                continue
            if kind != "line":
                ensure(len(text) <= MAX_TOKEN, f"{self.name}: a token of more than 100 characters")
            if kind == "line" and self.list and self.list[-1][0] == "line":
                continue
            depth += text in ("(", "[")
            depth -= text in (")", "]") and depth > 0
            ensure(depth <= 100, f"{self.name}: brackets nest too deeply")
            self.list.append((kind, text, found.start()))
        self.list += [("line", "\n", len(self.text)), ("end", "", len(self.text))]
        if self.list[0][0] == "line":
            del self.list[0]
        if len(self.list) > 2 and self.list[-3][0] == "line":
            del self.list[-2]

    def fail(self, what):
        line = self.text.count("\n", 0, self.list[self.at][2]) + 1
        raise Refused(f"{self.name}:{line}: {what}, not `{self.list[self.at][1]}`")

    def peek(self, ahead=0):
        return self.list[min(self.at + ahead, len(self.list) - 1)]

    def is_(self, text, ahead=0):
        kind, token, _ = self.peek(ahead)
        return token == text and kind in ("name", "symbol")

    def take(self):
        self.at += 1
        return self.list[self.at - 1]

    def accept(self, text):
        if self.is_(text):
            self.at += 1
            return True
        return False

    def want(self, text):
        if not self.accept(text):
            self.fail(f"`{text}` is wanted")

    def end_line(self):
        if self.peek()[0] == "line":
            self.at += 1
        elif self.peek()[0] != "end":
            self.fail("the end of the line is wanted")

    def name_(self):
        kind, text, _ = self.peek()
        if kind != "name" or text in RESERVED:
            self.fail("a name is wanted")
        return self.take()[1]

    def is_name(self):
        kind, text, _ = self.peek()
        return kind == "name" and text not in RESERVED

    def int_(self):
        kind, text, _ = self.peek()
        if kind != "number" or not text.isdigit():
            self.fail("an integer is wanted")
        return int(self.take()[1])

    def declared_int(self):
        value = self.int_()
        digits = self.list[self.at - 1][1]
        ensure(len(digits) <= MAX_DECLARED_DIGITS, f"{self.name}: {digits} has too many digits")
        return value

    def list_of(self, item):
        found = [item()]
        while self.accept(","):
            found.append(item())
        return found

    def deeper(self, parse):
        self.nesting += 1
        ensure(self.nesting <= MAX_NESTING, f"{self.name}: expressions nest too deeply")
        result = parse()
        self.nesting -= 1
        return result


def number_value(text):
    mantissa, _, exponent = text.lower().partition("e")
    power = int(exponent or 0)
    ensure(abs(power) <= MAX_EXPONENT, f"the exponent of {text} is too large")
    return Fraction(mantissa) * Fraction(10) ** power


class Parser(Tokens):
    # -- sizes -----------------------------------------------------------------------------------

    def size(self):
        return self._left(self._size_term, ("+", "-"))

    def _size_term(self):
        return self._left(self._size_factor, ("*", "div", "mod"))

    def _left(self, operand, operators):
        tree = operand()
        while any(self.is_(o) for o in operators):
            operator = self.take()[1]
            tree = ("bin", operator, tree, operand())
        return tree

    def _size_factor(self):
        if self.accept("-"):
            return ("neg", self.deeper(self._size_factor))
        if self.accept("("):
            tree = self.deeper(self.size)
            self.want(")")
            return tree
        for word in ("max", "min"):
            if self.is_(word):
                self.take()
                self.want("(")
                first = self.deeper(self.size)
                self.want(",")
                second = self.deeper(self.size)
                self.want(")")
                return ("call", word, [first, second])
        if self.peek()[0] == "number":
            return ("num", Fraction(self.int_()))
        return ("name", self.name_())

    def relation(self):
        left = self.size()
        return (self._relop(), left, self.size())

    def stated_relation(self):
        """A relation; of several that `or` joins `0 < if(r or .., 1, 0)`."""
        either = self._either()
        if either[0] == "rel":
            return either[1:]
        zero, one = (("num", Fraction(n)) for n in (0, 1))
        return ("<", zero, ("if", either, one, zero))

    def _either(self):
        relation = ("rel", *self.relation())
        return ("or", relation, self.deeper(self._either)) if self.accept("or") else relation

    def _relop(self):
        for relop in RELOPS:
            if self.accept(relop):
                return relop
        return self.fail("a relation is wanted")

    # -- tensor expressions ----------------------------------------------------------------------

    def expr(self):
        return self._left(self._expr_term, ("+", "-"))

    def _expr_term(self):
        return self._left(self._unary, ("*", "/", "@"))

    def _unary(self):
        if self.accept("-"):
            if self.peek()[0] == "number" and not self.is_("[", 1):
                return self.deeper(lambda: ("num", -number_value(self.take()[1])))
            return ("neg", self.deeper(self._unary))
        tree = self._atom()
        while self.accept("["):
            tree = ("items", tree, self.list_of(self._item))
            self.want("]")
        return tree

    def _atom(self):
        kind, text, _ = self.peek()
        if kind == "number":
            return ("num", number_value(self.take()[1]))
        if self.accept("("):
            tree = self.deeper(self.expr)
            self.want(")")
            return tree
        if kind == "name" and self.is_("(", 1) and (
            text not in RESERVED or text in NAMES_OF_OPERATORS
        ):
            self.at += 2
            tensors, attributes = self.deeper(self._arguments)
            self.want(")")
            return self._written_out(text, tensors, attributes)
        return ("name", self.name_())

    def _arguments(self):
        tensors, attributes = [], []
        if self.is_(")"):
            return tensors, attributes
        while True:
            if self.is_name() and self.is_("=", 1):
                name = self.name_()
                self.take()
                attributes.append((name, self._attribute()))
            else:
                ensure(not attributes, f"{self.name}: a tensor after an attribute")
                tensors.append(self.expr())
            if not self.accept(","):
                return tensors, attributes

    def _written_out(self, name, tensors, attributes):
        """The calls that keepdims and a list of axes are short for."""
        for attribute in [a for a in attributes if a[0] == "keepdims"]:
            keeps = attribute[1]
            ensure(keeps in (("num", Fraction(0)), ("num", Fraction(1))), "keepdims is 0 or 1")
            name += "_keep" if keeps[1] else ""
            attributes.remove(attribute)
        if not any(tree[0] == "axes" for _, tree in attributes):
            return ("op", name, tensors, attributes)
        ensure(len(attributes) == len(tensors) == 1, f"{self.name}: a list is the only attribute")
        (what, (_, axes)), (tree,) = attributes[0], tensors
        number = lambda n: ("num", Fraction(n)) if n >= 0 else ("neg", ("num", Fraction(-n)))  # noqa: E731
        ensure(what == "axis", f"{self.name}: a list is of axes")
        if name != "transpose":
            right = axes[0] < 0
            ordered = all(a < b and (b < 0) == right for a, b in zip(axes, axes[1:]))
            ensure(ordered, f"{self.name}: axes are in order, all counted from one end")
            for axis in axes if right else reversed(axes):
                tree = ("op", name, [tree], [("axis", number(axis))])
            return tree
        ensure(sorted(axes) == list(range(len(axes))), f"{self.name}: a permutation is wanted")
        ensure(axes != sorted(axes), f"{self.name}: this permutation leaves every axis in place")
        now = list(range(len(axes)))
        for place, axis in enumerate(axes):
            at = now.index(axis, place)
            now[at] = now[place]
            if at != place:
                where = [("first", number(place)), ("second", number(at))]
                tree = ("op", "swap_axes", [tree], where)
        return tree

    def _axis(self):
        sign = -1 if self.accept("-") else 1
        axis = self.declared_int()
        ensure(axis < 8, f"{self.name}: no tensor has an axis {axis}")
        return sign * axis

    def _attribute(self):
        if self.accept("["):
            axes = self.list_of(self._axis)
            self.want("]")
            ensure(len(axes) <= 8, f"{self.name}: more than 8 axes")
            return ("axes", axes)
        sign = self.is_("-")
        kind, text, _ = self.peek(1 if sign else 0)
        if kind == "number" and not text.isdigit():
            self.at += 2 if sign else 1
            value = number_value(text)
            return ("num", -value if sign else value)
        return self.size()

    def _item(self):
        if self.accept("none"):
            return ("none",)
        start = None if self.is_(":") else self.size()
        self.want(":")
        stop = None if any(self.is_(t) for t in (":", ",", "]")) else self.size()
        step = self.size() if self.accept(":") else None
        return ("slice", start, stop, step)

    # -- scalars of specifications ---------------------------------------------------------------

    def scalar(self):
        return self._left(self._product, ("+", "-"))

    def _product(self):
        return self._left(self._signed, ("*", "/", "div", "mod"))

    def _signed(self):
        if self.accept("-"):
            return ("neg", self.deeper(self._signed))
        return self.deeper(self._scalar_atom)

    def _scalar_atom(self):
        kind, text, _ = self.peek()
        if kind == "number":
            return ("num", number_value(self.take()[1]))
        if self.accept("("):
            tree = self.scalar()
            self.want(")")
            return tree
        if self.accept("if"):
            self.want("(")
            condition = self.condition()
            self.want(",")
            yes = self.scalar()
            self.want(",")
            no = self.scalar()
            self.want(")")
            return ("if", condition, yes, no)
        if text in REDUCTIONS and self.is_("(", 1) and self.peek(2)[0] == "name" and self.is_("<", 3):
            self.at += 2
            counter = self.name_()
            self.take()
            bound = self.scalar()
            self.want(")")
            return ("reduce", text, counter, bound, self._product())
        if kind == "name" and self.is_("(", 1) and (text not in RESERVED or text in ("max", "min")):
            self.at += 2
            arguments = self.list_of(self.scalar)
            self.want(")")
            return ("call", text, arguments)
        name = self.name_()
        if self.accept("["):
            indices = [] if self.is_("]") else self.list_of(self._access)
            self.want("]")
            return ("access", name, indices)
        return ("name", name)

    def _access(self):
        if self.accept(".."):
            return ("list", self.name_())
        if self.accept("~"):
            return ("fit", self.name_())
        return self.scalar()

    def condition(self):
        tree = self._conjunction()
        if self.accept("or"):
            return ("or", tree, self.deeper(self.condition))
        return tree

    def _conjunction(self):
        tree = self._condition_atom()
        if self.accept("and"):
            return ("and", tree, self.deeper(self._conjunction))
        return tree

    def _condition_atom(self):
        if self.accept("not"):
            return ("not", self.deeper(self._condition_atom))
        if self.is_("(") and self._opens_condition():
            self.take()
            tree = self.deeper(self.condition)
            self.want(")")
            return tree
        left = self.scalar()
        return ("rel", self._relop(), left, self.scalar())

    def _opens_condition(self):
        """The matching parenthesis is followed by no scalar operator or relation."""
        depth, place = 0, self.at
        while place < len(self.list):
            text = self.list[place][1]
            depth += text == "("
            depth -= text == ")"
            place += 1
            if depth == 0:
                break
        follows = self.list[min(place, len(self.list) - 1)][1]
        return follows not in ("+", "-", "*", "/", "div", "mod") + RELOPS

    # -- specifications --------------------------------------------------------------------------

    def shape(self):
        self.want("[")
        parts = [] if self.is_("]") else self.list_of(self._part)
        self.want("]")
        ensure(len(parts) <= 10, f"{self.name}: a shape has too many parts")
        return parts

    def _part(self):
        if self.accept(".."):
            name = self.name_()
            return ("list", name, self.size() if self.accept("@") else None)
        if self.is_("broadcast") and self.is_("(", 1):
            self.at += 2
            first = self.name_()
            self.want(",")
            second = self.name_()
            self.want(")")
            if not self.is_("as"):
                self.fail("`as` is wanted")
            self.take()
            return ("broadcast", first, second, self.name_())
        return ("size", self.size())

    def func(self):
        """("func", name, parameters, body or None)."""
        self.want("func")
        name = self.name_()
        self.want("(")
        parameters = self.list_of(self.name_)
        self.want(")")
        if self.accept("builtin"):
            body = None
        else:
            self.want("=")
            body = self.scalar()
        self.end_line()
        return ("func", name, parameters, body)

    def op(self):
        """A dictionary of the parts of an operator."""
        start = self.peek()[2]
        self.want("op")
        kind, text, _ = self.peek()
        name = self.take()[1] if kind == "name" and text in NAMES_OF_OPERATORS else self.name_()
        tensors, attributes = [], []
        self.want("(")
        if not self.is_(")") and not self.is_(";"):
            tensors = self.list_of(lambda: (self.name_(), self.shape()))
        if self.accept(";"):
            attributes = self.list_of(self._formal_attribute)
        self.want(")")
        self.want("->")
        result = self.shape()
        self.end_line()
        requires, lets = [], []
        while self.accept("require"):
            requires += self.list_of(self.relation)
            self.end_line()
        while self.accept("let"):
            let = self.name_()
            indices = self._left_side()
            lets.append((let, indices, self.scalar()))
            self.end_line()
        self.want("out")
        indices = self._left_side()
        body = self.scalar()
        self.end_line()
        ensure(len(lets) < 16, f"{self.name}: an operator has too many definitions")
        return {
            "name": name, "tensors": tensors, "attributes": attributes, "shape": result,
            "requires": requires, "lets": lets, "out": (indices, body), "start": start,
        }

    def _formal_attribute(self):
        name = self.name_()
        if not self.accept("="):
            return name, None
        sign = -1 if self.accept("-") else 1
        if self.peek()[0] != "number":
            self.fail("a number is wanted")
        return name, sign * number_value(self.take()[1])

    def _left_side(self):
        self.want("[")
        names = [] if self.is_("]") else self.list_of(self._left_index)
        self.want("]")
        self.want("=")
        return names

    def _left_index(self):
        return ("list", self.name_()) if self.accept("..") else ("name", self.name_())

    # -- programs, muGraphs, rules ---------------------------------------------------------------

    def uses(self):
        found = []
        while self.accept("use"):
            if self.peek()[0] != "string":
                self.fail("a path in quotes is wanted")
            found.append(self.take()[1][1:-1])
            self.end_line()
        return found

    def size_declaration(self):
        name = self.name_()
        least = self.declared_int() if self.accept(">=") else None
        return name, least, self.declared_int() if self.accept("=") else None

    def declarations(self):
        """`sizes` and `where` lines as statements, or None."""
        if self.accept("sizes"):
            return ("sizes", self.list_of(self.size_declaration))
        if self.accept("where"):
            return ("where", self.list_of(self.stated_relation))
        return None

    def dims(self):
        self.want("[")
        extents = [] if self.is_("]") else self.list_of(self.size)
        self.want("]")
        return extents

    def statement(self):
        """`NAME = expr` and `output ..`."""
        if self.accept("output"):
            name = self.name_()
            return ("output", name, self.expr() if self.accept("=") else None)
        name = self.name_()
        self.want("=")
        return ("let", name, self.expr())

    def program(self):
        uses = self.uses()
        self.want("program")
        name = self.name_()
        self.end_line()
        body = []
        while self.peek()[0] != "end":
            statement = self.declarations()
            if statement is None and self.accept("input"):
                tensor = self.name_()
                self.want(":")
                if not any(self.is_(t) for t in ("f16", "bf16", "f32", "int")):
                    self.fail("a type is wanted")
                statement = ("input", tensor, self.take()[1], self.dims())
            body.append(statement or self.statement())
            self.end_line()
        return ("program", name, uses, body)

    def mugraph(self):
        self.want("mugraph")
        name = self.name_()
        self.end_line()
        body = []
        while self.peek()[0] != "end":
            statement = self.declarations()
            if statement is None and self.is_("kernel"):
                statement = self._kernel()
            elif statement is None:
                target = self.name_()
                self.want("=")
                statement = ("let", target, self.expr())
            body.append(statement)
            self.end_line()
        return ("mugraph", name, [], body)

    def _kernel(self):
        self.want("kernel")
        name = self.name_()
        self.end_line()
        grid, loop = [], None
        if self.accept("grid"):
            grid = self.list_of(self._grid_axis)
            self.end_line()
        if self.accept("loop"):
            variable = self.name_()
            self.want("=")
            loop = (variable, self.size())
            self.end_line()
        body = []
        while not self.accept("end"):
            body.append(self._block_statement())
            self.end_line()
        return ("kernel", name, grid, loop, body)

    def _grid_axis(self):
        axis = self.name_()
        ensure(axis in ("x", "y", "z"), f"{self.name}: {axis} is no axis of the grid")
        self.want("=")
        return axis, self.size()

    def _block_statement(self):
        if self.is_("load") or self.is_("store"):
            word = self.take()[1]
            name = self.name_()
            tile = self.dims()
            self.want("=")
            return (word, name, tile, self.name_(), self._map(word == "load"))
        if not self.accept("acc"):
            name = self.name_()
            self.want("=")
            return ("let", name, self.expr())
        name = self.name_()
        running = self.name_() if self.accept(",") else None
        self.want("=")
        if self.is_("concat"):
            self.take()
            source = self.name_()
            if not self.is_("axis"):
                self.fail("`axis` is wanted")
            self.take()
            return ("acc", name, running, "concat", source, self.declared_int())
        kind = "sum" if self.accept("sum") else "max"
        if kind == "max":
            self.want("max")
        source = self.name_()
        rescale = None
        if self.is_("rescale"):
            self.take()
            rescale = self.name_()
        return ("acc", name, running, kind, source, rescale)

    def _map(self, with_loop):
        found = {}
        while self.peek()[0] == "name":
            axis = self.take()[1]
            known = axis in ("x", "y", "z") or (with_loop and axis == "loop")
            ensure(known and axis not in found, f"{self.name}: `{axis}` cannot be mapped here")
            self.want("->")
            found[axis] = self.declared_int()
        return found

    def rules(self):
        """(uses, funcs, ops, {name: rule})."""
        uses, funcs, ops, found = self.uses(), [], [], {}
        while self.peek()[0] != "end":
            if self.is_("func"):
                funcs.append(self.func())
            elif self.is_("op"):
                ops.append(self.op())
            else:
                rule = self._rule()
                ensure(rule["name"] not in found, f"{self.name}: two rules {rule['name']}")
                found[rule["name"]] = rule
        return uses, funcs, ops, found

    def _rule(self):
        start = self.peek()[2]
        self.want("rule")
        name = self.name_()
        self.end_line()
        declared = []
        while not self.accept("lhs"):
            declared.append(self._rule_declaration())
            self.end_line()
        left = self._side("rhs")
        self.want("rhs")
        right = self._side("expect", "rule", "op", "func")
        if self.accept("expect"):
            self.name_()
            self.end_line()
        last = self.at - 1
        while self.list[last][0] in ("line", "end"):
            last -= 1
        end = self.list[last][2] + len(self.list[last][1])
        text = self.text[start:end]
        return {"name": name, "declared": declared, "lhs": left, "rhs": right, "text": text}

    def _rule_declaration(self):
        statement = self.declarations()
        if statement is not None:
            return statement
        if self.accept("ints"):
            return ("ints", self.list_of(self.name_))
        if self.accept("axes"):
            return ("axes", self.list_of(self.name_))
        if self.accept("tensor"):
            return ("tensor", self.list_of(self._tensor))
        self.want("assume")
        return ("assume", self.list_of(self._assumption))

    def _assumption(self):
        """left, relation, right; of several `0 < logical_or(.., ..)` of their truth values."""
        several = [(self.expr(), self._relop(), self.expr())]
        while self.accept("or"):
            several.append((self.expr(), self._relop(), self.expr()))
        if len(several) == 1:
            return several[0]
        truths = []
        for left, relop, right in several:
            sides = [right, left] if relop in (">", ">=") else [left, right]
            truths.append(("op", TRUTH[relop], sides, []))
        tree = truths[0]
        for other in truths[1:]:
            tree = ("op", "logical_or", [tree, other], [])
        return ("num", Fraction(0)), "<", tree

    def _tensor(self):
        name = self.name_()
        self.want("[")
        dims = [] if self.is_("]") else self.list_of(self._part)
        self.want("]")
        kind = "int" if self.accept("int") else "bool" if self.accept("bool") else "real"
        return name, dims, kind

    def _side(self, *ends):
        if self.peek()[0] != "line":
            tree = self.expr()
            self.end_line()
            return [("output", "out", tree)]
        self.end_line()
        body = []
        while self.peek()[0] != "end" and not any(self.is_(e) for e in ends):
            body.append(self.statement())
            self.end_line()
        return body

    def specification(self):
        funcs, ops = [], []
        while self.peek()[0] != "end":
            if self.is_("func"):
                funcs.append(self.func())
            else:
                ops.append(self.op())
        return funcs, ops
