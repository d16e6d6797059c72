"""Texts to trees: the grammar of docs/language.md as a text, and one parser for all of it.

In the grammar, "x" is the token x, 'x' the same and kept in the tree; { x } any number of x, [ x ]
one or none, < x > one or more with commas between, ! x that there is no x, ^ x one more level of
nesting.  A choice takes the first alternative that fits.  `tag: ..` makes (tag, what it keeps ..),
or what the function of that name below makes; without a tag one thing kept stands for itself, and
several are a tuple.
"""

import re
from fractions import Fraction
from functools import lru_cache, reduce

GRAMMAR = r"""
size        = chain: sterm { ('+' | '-') sterm }
sterm       = chain: sfac { ('*' | 'div' | 'mod') sfac }
sfac        = neg: "-" ^sfac | "(" ^size ")" | num: INT | name: NAME
            | call: ('max' | 'min') "(" two_sizes ")"
two_sizes   = ^size "," ^size
rel         = rel: size relop size
either      = right: rel [ 'or' ^either ]
relop       = '=' | '!=' | '<=' | '<' | '>=' | '>'

expr        = chain: term { ('+' | '-') term }
term        = chain: unary { ('*' | '/' | '@') unary }
unary       = signed: "-" ^NUMBER !"[" | neg: "-" ^unary | items: atom { "[" ^<item> "]" }
tile_unary  = signed: "-" ^NUMBER | neg: "-" ^unary | atom
atom        = num: NUMBER | "(" ^expr ")" | applied: opname "(" ^[<arg>] ")" | name: NAME
opname      = NAME | 'sum' | 'max' | 'min' | 'div'
arg         = attribute: NAME "=" attr | expr
attr        = axes: "[" <axis> "]" | signed: "-" REAL | num: REAL | size
tile_attr   = signed: "-" REAL | num: REAL | size
axis        = ['-'] INT12
item        = none: "none" | slice: [size] ":" [size] [":" size]

scalar      = chain: prod { ('+' | '-') prod }
prod        = chain: sun { ('*' | '/' | 'div' | 'mod') sun }
sun         = neg: "-" ^sun | sat
sat         = num: NUMBER | "(" ^scalar ")"
            | if: "if" "(" ^cond "," ^scalar "," ^scalar ")"
            | reduce: reduction "(" NAME "<" ^scalar ")" ^prod
            | call: function "(" <^scalar> ")" | access: NAME "[" [<index>] "]" | name: NAME
reduction   = 'sum' | 'prod' | 'max' | 'min'
function    = NAME | 'max' | 'min'
index       = list: ".." NAME | fit: "~" NAME | ^scalar
cond        = right: ^cand [ 'or' ^cond ]
cand        = right: ^catom [ 'and' ^cand ]
catom       = not: "not" ^catom | rel: ^scalar relop ^scalar | "(" ^cond ")"
formula     = rel: scalar relop scalar NL END

library     = { definition } END
definition  = func | op
func        = func: "func" NAME "(" <NAME> ")" ( builtin: "builtin" | "=" scalar ) NL
op          = op: "op" opname "(" [<formal>] [";" <aarg>] ")" "->" shape NL
              { "require" <rel> NL } { let } "out" left_side scalar NL
formal      = NAME shape
aarg        = NAME [ "=" ['-'] NUMBER ]
shape       = "[" [<dim>] "]"
dim         = list: ".." NAME [ "@" size ]
            | broadcast: "broadcast" "(" NAME "," NAME ")" "as" NAME
            | size: size
let         = "let" NAME left_side scalar NL
left_side   = "[" [<bound>] "]" "="
bound       = list: ".." NAME | name: NAME

use         = "use" STRING NL
program     = program: { use } "program" NAME NL { stmt NL } END
stmt        = declaration | input: "input" NAME ":" dtype dims
            | output: "output" stored "=" expr | output: "output" NAME | let: stored "=" expr
dtype       = 'f16' | 'bf16' | 'f32' | 'int'
declaration = sizes: "sizes" <sdecl> | where: "where" <either>
sdecl       = NAME [ ">=" INT12 ] [ svalue ]
svalue      = "=" INT12 | "<=" INT12
dims        = "[" [<size>] "]"
statement   = output: "output" NAME [ "=" expr ] | let: NAME "=" expr

mugraph     = mugraph: { use } "mugraph" NAME NL { declaration NL }
              { ( kernel | let: stored "=" expr ) NL } END
stored      = typed: NAME [ ":" memory ]
memory      = 'f16' | 'bf16' | 'f32'
given       = program | tiles
graph       = program | mugraph | tiles
kernel      = kernel: "kernel" NAME NL [ "grid" <gdim> NL ] [ "loop" NAME "=" size NL ]
              { bstmt NL } "end"
gdim        = ('x' | 'y' | 'z') "=" size
bstmt       = load: "load" NAME tile "=" NAME { map | loop }
            | store: "store" stored tile "=" NAME { map }
            | acc: "acc" NAME [ "," NAME ] "=" reduced | let: NAME "=" expr
tile        = "[" [<part>] "]"
part        = part: size [ "upto" size ]
reduced     = concat: "concat" NAME "axis" INT12 | sum: "sum" NAME [ "rescale" NAME ]
            | max: "max" NAME
map         = ('x' | 'y' | 'z') "->" INT12
loop        = 'loop' "->" INT12

tiles       = tiles: { use } "tile" NAME NL { tdeclared NL } { tstmt NL } END
tdeclared   = declaration | tensor: ('input' | 'inout' | 'output') declared | scratch
scratch     = tensor: 'scratch' declared
declared    = OWN ":" dtype dims [ "=" ['-'] NUMBER ]
tstmt       = loop: ('for' | 'parallel') OWN "=" bounds NL { carry } { ^tstmt NL } { next } "end"
            | load: "load" OWN lanes "=" place [ "where" cond [ "else" scalar ] ]
            | store: "store" place "=" scalar [ "over" lanes ] [ "where" cond ]
            | make: "make" OWN lanes "=" scalar | scratch
            | let: OWN "=" expr
bounds      = scalar "to" scalar [ "step" scalar ]
carry       = "carry" ['int'] OWN "=" expr NL
next        = "next" NAME "=" expr NL
lanes       = "[" [<lane>] "]"
lane        = OWN "<" scalar
place       = NAME "[" [<scalar>] "]"

rule        = "rule" NAME NL { rdecl NL } "lhs" side "rhs" side [ "expect" verdict NL ]
verdict     = "proved" | "refuted" | "unknown" | "vacuous"
rdecl       = declaration | ints: "ints" <NAME> | axes: "axes" <NAME> | tensor: "tensor" <tdecl>
            | assume: "assume" <assumption>
tdecl       = NAME "[" [<rdim>] "]" [ 'int' | 'bool' ]
rdim        = list: ".." NAME | size: size
assumption  = alternatives: compared { "or" compared }
compared    = expr relop expr
side        = NL { statement NL } | short: expr NL
"""

RESERVED = set(
    """program sizes where input output use func op let out require builtin mugraph kernel grid
    loop load acc store end sum max min prod if then div mod and or not none inf f16 bf16 f32 rule
    ints axes tensor assume lhs rhs expect int bool""".split()
)
# what a tile program's own tensors, tiles, loops and lanes are not called either
TILE_RESERVED = set("tile inout scratch for to step parallel carry next make over else".split())
TILE_VARIANTS = {"unary": "tile_unary", "attr": "tile_attr"}  # of rules, in tile programs
LIMITS = {
    "bytes of one text": 1 << 20,
    "characters of a token": 100,
    "nested brackets": 100,
    "nested expressions": 99,  # within an expression, which counts itself
    "digits of an integer that is declared": 12,
    "as an exponent": 1000,
    "axes of a tensor": 8,
    "arguments of a call": 8,
    "attributes of a call": 8,
    "parts of a shape": 10,
    "definitions of an operator": 16,
    "names of numbers at one place": 64,
    "expressions within each other, all written out": 1000,
    "sizes": 512,
    "inputs": 512,
    "outputs": 512,
    "stores of a kernel": 64,
    "relations of sizes": 1024,
    "tensors of a side": 20_000,
    "obligations of a side": 20_000,
    "conditions around one obligation": 96,
    "steps to expand one call": 100_000,
    "nodes of a value at the stated sizes": 100_000,
    "files used": 64,
    "hypotheses of all goals": 20_000_000,
}
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


def within(limit, count):
    """Bounds of CLAIM.md section 1; NAME: the most there may be."""
    ensure(count <= LIMITS[limit], f"more than {LIMITS[limit]:,} {limit}")


# -- the grammar's own text ----------------------------------------------------------------------


def _read_grammar():
    """{name: element}; an element is a tuple, its first part says what it is."""
    tokens = re.findall(r"""[a-z_]+:|\w+|"[^"]+"|'[^']+'|\S""", GRAMMAR)
    starts = [k - 1 for k, token in enumerate(tokens) if token == "="]
    ends = [*starts[1:], len(tokens)]
    return {tokens[k]: _choice(tokens[k + 2 : end][::-1]) for k, end in zip(starts, ends)}


def _choice(tokens):
    choices = [_sequence(tokens)]
    while tokens and tokens[-1] == "|":
        tokens.pop()
        choices.append(_sequence(tokens))
    return ("choice", choices) if len(choices) > 1 else choices[0]


def _sequence(tokens):
    tag = tokens.pop()[:-1] if tokens[-1].endswith(":") else None
    items = []
    while tokens and tokens[-1] not in ("|", ")", "]", "}", ">"):
        items.append(_element(tokens))
    return items[0] if tag is None and len(items) == 1 else ("sequence", tag, items)


def _element(tokens):
    token = tokens.pop()
    if token in ("^", "!"):
        return ("deeper" if token == "^" else "absent", _element(tokens))
    if token[0] in "\"'":
        return ("token", token[1:-1], token[0] == "'")
    if token not in ("(", "[", "{", "<"):
        return ("kind" if token in KINDS else "rule", token)
    inner = _choice(tokens)
    tokens.pop()
    if token == "<":
        rest = ("many", ("sequence", None, [("token", ",", False), inner]))
        return ("sequence", "commas", [inner, rest])
    return inner if token == "(" else ("maybe" if token == "[" else "many", inner)


# -- what tags make, and kinds of tokens ---------------------------------------------------------


def number(text):
    mantissa, _, exponent = text.lower().partition("e")
    within("as an exponent", abs(int(exponent or 0)))
    value = Fraction(mantissa) * Fraction(10) ** int(exponent or 0)
    return value.numerator if value.denominator == 1 else value


def declared(text):
    within("digits of an integer that is declared", len(text))
    return int(text)


def _call(name, arguments):
    """A call of an operator, and what keepdims and a list of axes are short for."""
    named = {argument[1]: argument[2] for argument in arguments if argument[0] == "attribute"}
    tensors = arguments[: len(arguments) - len(named)]
    ensure(not any(tree[0] == "attribute" for tree in tensors), "an attribute twice, or not last")
    within("attributes of a call", len(named))
    if "keepdims" in named:
        keeps = named.pop("keepdims")
        ensure(keeps in (("num", 0), ("num", 1)), "keepdims is 0 or 1")
        name += "_keep" if keeps[1] else ""
    if not any(tree[0] == "axes" for tree in named.values()):
        return ("op", name, tensors, named)
    ensure([*named] == ["axis"] and len(tensors) == 1, "a list of axes is the only attribute")
    axes = [-axis if sign else axis for sign, axis in named["axis"][1]]
    within("axes of a tensor", max(len(axes), 1 + max(map(abs, axes))))
    calls = _swaps(axes) if name == "transpose" else [(name, {"axis": a}) for a in _in_turn(axes)]
    (tree,) = tensors
    for name, numbers in calls:
        tree = ("op", name, [tree], {key: ("num", value) for key, value in numbers.items()})
    return tree


def _in_turn(axes):
    ordered = all(a < b for a, b in zip(axes, axes[1:]))
    ensure(ordered and (axes[0] < 0) == (axes[-1] < 0), "axes are in order, and from one end")
    return axes if axes[0] < 0 else axes[::-1]


def _swaps(axes):
    now = list(range(len(axes)))
    ensure(sorted(axes) == now != axes, "a permutation is wanted that moves something")
    calls = []
    for place, axis in enumerate(axes):
        at = now.index(axis)
        now[at], now[place] = now[place], now[at]
        calls += [("swap_axes", {"first": place, "second": at})] if at != place else []
    return calls


TRUTH = {"=": "equal", "!=": "not_equal", "<=": "less_equal", "<": "less"}


def _alternatives(first, others):
    """Several assumptions that `or` joins are one of their truth values."""
    if not others:
        return first
    trees = []
    for left, relop, right in [first, *others]:
        sides = [right, left] if relop in (">", ">=") else [left, right]
        trees.append(("op", TRUTH[relop.replace(">", "<")], sides, {}))
    tree = reduce(lambda one, other: ("op", "logical_or", [one, other], {}), trees)
    return ("num", 0), "<", tree


MAKE = {
    "typed": lambda name, memory: name,  # the claim says nothing of types in memory
    "signed": lambda value: ("num", -value),
    "applied": _call,
    "alternatives": _alternatives,
    "chain": lambda first, rest: ("chain", first, rest) if rest else first,
    "right": lambda first, rest: (rest[0], first, rest[1]) if rest else first,
    "items": lambda tree, lists: ("items", tree, lists) if lists else tree,
    "commas": lambda first, rest: [first, *rest],
}
SILENT, NO = object(), object()
KINDS = {  # the kind of token, what it must be besides, and what it stands for
    "NAME": ("name", lambda text: text not in RESERVED, str),
    "OWN": ("name", lambda text: text not in RESERVED | TILE_RESERVED, str),
    "NUMBER": ("number", str.isascii, number),
    "INT": ("number", str.isdigit, int),
    "INT12": ("number", str.isdigit, declared),
    "REAL": ("number", lambda text: not text.isdigit(), number),
    "STRING": ("string", str.isascii, lambda text: text[1:-1]),
    "NL": ("line", str.isascii, lambda text: SILENT),
    "END": ("end", str.isascii, lambda text: SILENT),
}
_grammar = _read_grammar()


# -- texts ---------------------------------------------------------------------------------------


class Text:
    """The tokens of a text: (kind, text, position); line ends inside of brackets are blank."""

    def __init__(self, data, name):
        within("bytes of one text", len(data))
        ensure(all(0 < byte < 128 for byte in data), f"{name}: the text is not ASCII")
        self.name, self.text, self.tokens = name, data.decode("ascii"), []
        self.at = self.furthest = self.nesting = place = depth = 0
        self.wanted, self.known = "the end", {}
        while place < len(self.text):
            found = _TOKEN.match(self.text, place)
            ensure(found, f"{name}: a character that has no place here: {self.text[place]!r}")
            kind, token = found.lastgroup, found.group()
            depth = max(0, depth + (token in ("(", "[")) - (token in (")", "]")))
            within("nested brackets", depth)
            if kind not in ("blank", "line"):
                within("characters of a token", len(token))
                self.tokens.append((kind, token, place))
            elif kind == "line" and depth == 0:
                self._end_line(place)
            place = found.end()
        ensure(depth == 0, f"{name}: a bracket is never closed")
        self._end_line(place)
        self.tokens.append(("end", "the end", place))
        self.variants = {}
        self.parse(("many", ("rule", "use")))
        if self.tokens[self.at][1] == "tile":
            self.variants = TILE_VARIANTS
        self.at = 0

    def _end_line(self, place):
        if self.tokens and self.tokens[-1][0] != "line":
            self.tokens.append(("line", "the end of the line", place))

    def required(self, rule):
        """What a rule makes of what stands here; Refused if nothing."""
        tree = self.parse(("rule", rule))
        if tree is NO:
            _, token, place = self.tokens[max(self.furthest, self.at)]
            line = self.text.count("\n", 0, place) + 1
            raise Refused(f"{self.name}:{line}: {self.wanted} is wanted, not `{token}`")
        return tree

    def parse(self, element):
        """What stands here read as an element; or NO, and nothing is read."""
        start = self.at
        match element:
            case "token" | "kind", *_:
                found = self._terminal(*element)
            case "rule", name:
                name = self.variants.get(name, name)
                if (name, start) not in self.known:
                    self.known[name, start] = self.parse(_grammar[name]), self.at
                found, self.at = self.known[name, start]
            case "choice", choices:
                tried = (self.parse(choice) for choice in choices)
                found = next((tree for tree in tried if tree is not NO), NO)
            case "sequence", tag, items:
                found = self._sequence(tag, items)
            case "many", inner:
                found = list(iter(lambda: self.parse(inner), NO))
            case "maybe", inner:
                found = self.parse(inner)
                if found is NO:
                    found = [] if inner[:2] == ("sequence", "commas") else None
            case "absent", inner:
                found = SILENT if self.parse(inner) is NO else NO
                self.at = start
            case "deeper", inner:
                self.nesting += 1
                within("nested expressions", self.nesting)
                found = self.parse(inner)
                self.nesting -= 1
        if found is NO:
            self.at = start
        return found

    def _sequence(self, tag, items):
        kept = []
        for item in items:
            found = self.parse(item)
            if found is NO:
                return NO
            kept += [] if found is SILENT else [found]
        if tag is not None:
            return MAKE[tag](*kept) if tag in MAKE else (tag, *kept)
        return kept[0] if len(kept) == 1 else tuple(kept) if kept else SILENT

    def _terminal(self, element, wanted, kept=True):
        kind, token, _ = self.tokens[self.at]
        if element == "token":
            fits, value = token == wanted and kind in ("name", "symbol"), str
        else:
            right_kind, test, value = KINDS[wanted]
            fits = kind == right_kind and test(token)
        if not fits:
            if self.at >= self.furthest:
                self.furthest, self.wanted = self.at, wanted.lower()
            return NO
        self.at += 1
        return value(token) if kept else SILENT


@lru_cache(maxsize=256)
def parse_text(rule, data, name):
    return Text(data, name).required(rule)


def parse_rules(data, name, wanted):
    """(paths used, functions and operators, the one rule of the name, its text)."""
    text = Text(data, name)
    uses, library, found = text.parse(("many", ("rule", "use"))), [], []
    while text.tokens[text.at][0] != "end":
        start = text.at
        if text.tokens[start][1] != "rule":
            library.append(text.required("definition"))
        elif text.tokens[start + 1][1] == wanted:
            tree = text.required("rule")
            last = [token for token in text.tokens[start : text.at] if token[0] != "line"][-1]
            found.append((tree, text.text[text.tokens[start][2] : last[2] + len(last[1])]))
        else:
            text.at += 2
            before = text.tokens[text.at - 1 :]
            parts = (
                k
                for k, (line, part) in enumerate(zip(before, before[1:]))
                if line[0] == "line" and part[1] in ("rule", "op", "func", "the end")
            )
            text.at += next(parts)
    ensure(len(found) == 1, f"{name}: {len(found)} rules are called {wanted}")
    return uses, library, *found[0]
