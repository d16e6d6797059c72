"""The text of a tensor program (`.tp`), built statement by statement.

Extents become *size symbols*, so that what is proved holds for all sizes: a symbolic extent of
`torch.export` keeps its name, a number N > 1 becomes the symbol `nN`.  The extents 0 and 1 stay
numbers, since an extent broadcasts only where it is literally 1.
"""

import re
from collections import Counter

from .errors import Unsupported

RESERVED = set(
    """program sizes where input output use func op let out require builtin mugraph kernel grid
    loop load acc store end sum max min prod if then div mod and or not none inf f16 bf16 f32
    rule ints axes tensor assume lhs rhs expect int bool result_type""".split()
)

# An input that nothing reads: a program's results have the type of its first input of numbers, and
# this one is of 32 bits where inputs of 16 give results of 32.  No argument is called so.
RESULT_TYPE = "result_type"


class Extents:
    """Size symbols shared by the programs of one job, with their concrete values.

    With `literal`, extents that the program fixes are numbers and no symbols: the theorem then
    speaks of these sizes only.  With `exact`, what is said of a size because of the number that it
    has is said of that number alone.
    """

    def __init__(self, literal=False, exact=False):
        self.literal = literal
        self.exact = exact
        self.least = {}
        self.fixed = set()
        self._numbers = set()
        self.values = {}
        self.relations = []
        self.hypotheses = []  # what of sizes a claim takes for granted, in words
        self._derived = {}
        self._by_value = {}
        self._of_windows = set()  # expressions of what windows leave of extents
        self._whole_of = {}  # a product that a relation states -> the extent that it is
        self._sums = (
            {}
        )  # a sum of extents -> how often each of them stands in it, and a number added

    def symbol(self, name, value):
        """Declares `name` with a concrete value; the same name may be declared again alike."""
        old = self.values.setdefault(name, value)
        if old != value:
            raise ValueError(f"size {name} is both {old} and {value}")
        return name

    def state(self, relation):
        """States a relation of sizes, once."""
        if relation not in self.relations:
            self.relations.append(relation)

    def suppose(self, relation, stated=False):
        """States, unless that is done, a relation of sizes that others of such tensors need not
        have: a claim is about those that have it."""
        if not stated:
            self.state(relation)
        if relation not in self.hypotheses:
            self.hypotheses.append(relation)

    def at_least(self, name, least):
        """States that a size is at least so large."""
        if name in self.values:
            self.least[name] = max(least, self.least.get(name, least))
        elif not name.isdigit():
            self.state(f"{name} >= {least}")

    def fix(self, extent):
        """What follows is said of an extent because of its number: a claim is then of that."""
        if self.exact and not extent.isdigit() and extent not in self.fixed:
            self.suppose(f"{extent} = {self.value(extent)}")

    def state_as_numbers(self, values):
        """Extents of these values are stated as numbers from now on."""
        self._numbers |= set(values)

    def number(self, value, of_window=True):
        """The size expression of an extent that the program fixes.  One that is no `of_window` is
        not what a window leaves, although it may be as many."""
        if value <= 1 or self.literal or value in self._numbers:
            return str(value)
        known = self._by_value.get(value)
        if known is not None and (of_window or known not in self._of_windows):
            self.fix(known)
            return known
        self.fixed.add(f"n{value}")
        return self.symbol(f"n{value}", value)

    def value(self, expression):
        """The concrete value of a size expression that this class made or remembers."""
        if expression in self._derived:
            return self._derived[expression]
        result = 1
        for factor in expression.split("*"):
            factor = factor.strip().strip("()")
            result *= int(factor) if factor.isdigit() else self.values[factor]
        return result

    def remember(self, expression, value):
        """Keeps the value of a size expression that is no product."""
        if not expression.isdigit():
            self._derived[expression] = value

    def derive(self, expression, value, of_window=False):
        """A size expression that an operator computes from others, as what its result has there.

        Later extents of this value are stated so, too, where no symbol has the value.  What a
        window leaves is a symbol with a stated relation, so that it can be divided like others.
        """
        if expression in self.values or expression.isdigit():
            return expression
        if of_window and value > 1 and not self.literal:
            expression = self._named(expression, value)
        else:
            self.remember(expression, value)
        if f"n{value}" not in self.values and value > 1:
            self._by_value.setdefault(value, expression)
        return expression

    def _named(self, expression, value):
        name = self.symbol(f"w{value}", value)
        self._of_windows.add(name)
        relation = f"{name} = {expression.removeprefix('(').removesuffix(')')}"
        if relation not in self.relations:
            self.relations.append(relation)
        return name

    def what_was_derived(self):
        """Values of derived extents with their expressions and whether these are of windows, for
        another translation of the same.

        An input is met before the window that explains its extent (the weight behind a flattened
        convolution): the second time it is known.  Symbols of which a derived extent is made that
        are derived themselves are written out; one that would be made of itself stays a symbol.
        """
        texts = {}
        for text, value in self._derived.items():
            if value > 1:
                texts.setdefault(value, text)
        symbols = set()
        while True:
            before = len(symbols)
            written = {v: _written_out(v, texts, symbols, ()) for v in texts if v not in symbols}
            if len(symbols) == before:
                break
        found = {value: (text, False) for value, text in written.items()}
        for name in sorted(self._of_windows):  # the same text in each process
            found.setdefault(self.values[name], (name, True))
        return found

    def know(self, derived):
        """Takes what another translation derived."""
        for value, (text, of_window) in derived.items():
            self._by_value[value] = text
            if of_window:
                self._of_windows.add(self.symbol(text, value))
            else:
                self.remember(text, value)

    def sum(self, parts):
        """The size expression of what stands one after another, equal terms taken together."""
        terms, rest = Counter(), 0
        for part in parts:
            of_part, added = self._sums.get(part) or self._terms(part)
            terms.update(of_part)
            rest += added
        value = sum(self.value(part) * count for part, count in terms.items()) + rest
        said = [_times(count, part) for part, count in terms.items()]
        said += [str(rest)] if rest > 0 else []
        text = " + ".join(said) or "0"
        if rest < 0:
            text = f"({text} - {-rest})"
        elif len(said) > 1:
            text = f"({text})"
        text = self._whole_of.get(text, text)
        self._sums[text] = (terms, rest)
        if text not in self.values:
            self.remember(text, value)
        return text

    def _terms(self, part):
        """A size expression as how often symbols stand in a sum, and a number added."""
        if part.isdigit():
            return {}, int(part)
        less = _LESS.fullmatch(part)
        if less and less[1] in self.values:
            return {less[1]: 1}, -int(less[2])
        return {part: 1}, 0

    def part(self, extent, begin, stop):
        """Where a part of an axis begins and ends, both numbers, and its extent: as texts.

        Positions that are multiples of the part's extent are said so, and the axis as a multiple
        where it is one; others are symbols, too.
        """
        size, length = self.value(extent), stop - begin
        whole = self.number(length)
        if stop == size or (not whole.isdigit() and begin % length == 0 and size % length == 0):
            self.fix(extent)
        if extent.isdigit() or whole.isdigit():
            at_end = stop == size and begin > 0 and not extent.isdigit()
            if at_end:  # from the end, wherever that is
                return f"({extent} - {length})", extent, str(length)
            return str(begin), str(stop), str(length)
        if begin % length == 0:
            times = begin // length
            if size % length == 0 and extent in self.values and whole in self.values:
                self.relate(extent, str(size // length), whole)
            return _times(times, whole), _times(times + 1, whole), whole
        if stop == size and begin <= _FEW:
            return str(begin), extent, self.derive(f"({extent} - {begin})", length)
        start = self.number(begin)
        return start, f"({start} + {whole})", whole

    def product(self, parts):
        """The size expression of a product: factors of 1 are left out, one that is a product of
        symbols gets a symbol of its own with a stated relation."""
        parts = [part for part in parts if part != "1"]
        if len(parts) <= 1:
            return parts[0] if parts else "1"
        value = 1
        for part in parts:
            value *= self.value(part)
        if all(part.isdigit() for part in parts):
            return str(value)
        if any(part.isdigit() for part in parts):
            return self.derive(
                " * ".join(sorted(parts, key=lambda part: not part.isdigit())), value
            )
        if not all(part.isdigit() or part in self.values for part in parts):
            return self.derive(" * ".join(parts), value)
        made = self.fixed | self._of_windows  # by the program itself, not by who calls it
        if any(part in self.values and part not in made for part in parts):
            whole = self.symbol("_x_".join(sorted(parts)), value)
        else:
            whole = self.number(value)
        if whole in self._derived:  # another operator's result has as many: not for this reason
            self.fixed.add(f"n{value}")
            whole = self.symbol(f"n{value}", value)
        self.relate(whole, *parts)
        return whole

    def relate(self, whole, *parts):
        """States whole = product of parts, once; all are size expressions."""
        if all(each.isdigit() for each in (whole, *parts)):
            return  # there is nothing to state of numbers
        if _factors(whole) == _factors(" * ".join(parts)):
            return
        rounded = any(_ROUNDS.search(part) for part in parts)
        if whole in self._derived or rounded:
            raise Unsupported("extent", f"{whole}, which is computed, as {' * '.join(parts)}")
        product = " * ".join(parts)
        self._whole_of.setdefault(product, whole)
        relation = f"{whole} = {product}"
        if relation not in self.relations:
            self.relations.append(relation)


# as many elements left out before a part of an axis are a number of the program, and no size
_FEW = 16
_LESS = re.compile(r"\((\w+) - (\d+)\)")
_ROUNDS = re.compile(r"\b(div|mod|min|max)\b")


def _written_out(value, texts, symbols, within):
    """The expression of a derived extent in symbols alone; a value that is met within its own
    expression becomes one of `symbols`."""

    def symbol(match):
        inner = int(match.group(1))
        if inner not in texts or inner in symbols:
            return match.group(0)
        if inner == value or inner in within:
            symbols.add(inner)
            return match.group(0)
        return f"({_written_out(inner, texts, symbols, (*within, value))})"

    return re.sub(r"\bn(\d+)\b", symbol, texts[value])


def _factors(product):
    """The factors of a size expression, in an order of their own: parts of a product may be
    products."""
    return sorted(product.split(" * ")) if "(" not in product else [product]


def _times(count, extent):
    if count == 0:
        return "0"
    return extent if count == 1 else f"{count} * {extent}"


class Program:
    """One program under construction."""

    def __init__(self, name, extents):
        self.name = _identifier(name, set())
        self.extents = extents
        self.inputs = []
        self.outputs = []
        self.statements = []
        self._rounded, self._kept = set(), set()  # names of results: see rounds, keeps
        self._sources = {}  # names of inputs in the user's program, where they are others
        self._names = set(RESERVED) | {self.name}
        self._memo = {}

    def fresh(self, hint):
        """A name that nothing in this program and no size has."""
        return _identifier(hint, self._names | set(self.extents.values))

    def input(self, hint, dtype, dims, comes_from=None):
        name = self.fresh(hint)
        self._names.add(name)
        if comes_from not in (None, name):
            self._sources[name] = comes_from
        self.inputs.append((name, dtype, list(dims)))
        return name

    def give_32_bits(self):
        """Results have 32 bits, whatever the type of the inputs; said before there are any."""
        assert not self.inputs
        self._names.add(RESULT_TYPE)
        self.inputs.append((RESULT_TYPE, "f32", ["1"]))

    def emit(self, expression, hint="t", comment=None):
        """A statement `name = expression`; the same expression is stated once.  An expression that
        is a name already has one."""
        if expression in self._names:
            return expression
        if expression not in self._memo:
            self._memo[expression] = self._state(expression, hint, comment)
        return self._memo[expression]

    def _state(self, expression, hint, comment=None):
        name = self.fresh(hint)
        self._names.add(name)
        self.statements.append((name, expression, comment))
        return name

    def output(self, value, hint):
        """Makes `value` an output.  A name that is an input, or an output already, is copied."""
        taken = {name for name, _, _ in self.inputs} | {name for _, name in self.outputs}
        if value in taken or not re.fullmatch(r"[A-Za-z_]\w*", value):
            value = self._state(f"{value} + 0", hint)
        self.outputs.append((hint, value))
        return value

    def rounds(self, name):
        """Says that PyTorch rounds a result to the type of 16 bits that the inputs have.  Where that
        is said of any, others are what an operator computes on its way, in 32 bits."""
        self._rounded.add(name)

    def keeps(self, name):
        """Says that PyTorch reads a result of 32 bits, whether or not it rounds it as well."""
        self._kept.add(name)

    def prune(self):
        """Leaves out statements that no output is made of."""
        needed = {name for _, name in self.outputs}
        kept = []
        for name, expression, comment in reversed(self.statements):
            if name in needed:
                needed.update(re.findall(r"[A-Za-z_]\w*", expression))
                kept.append((name, expression, comment))
        self.statements = kept[::-1]

    def rename(self, renaming):
        """Gives names of this program other names; what would meet a new name moves aside."""
        renaming = {old: new for old, new in renaming.items() if old != new}
        for new in list(renaming.values()):
            if new in self._names and new not in renaming:
                renaming[new] = self.fresh(new + "_")
                self._names.add(renaming[new])
        self._names |= set(renaming.values())
        name = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?!\w|\s*[=(])")

        def text(expression):
            return name.sub(lambda m: renaming.get(m.group(0), m.group(0)), expression)

        for names in (self._rounded, self._kept):
            names |= {new for old, new in renaming.items() if old in names}
        self.inputs = [(renaming.get(n, n), t, d) for n, t, d in self.inputs]
        self.statements = [(renaming.get(n, n), text(e), c) for n, e, c in self.statements]
        self.outputs = [(h, renaming.get(n, n)) for h, n in self.outputs]

    def _sizes_text(self):
        lines = []
        for name, value in self.extents.values.items():
            least = " >= 0" if value == 0 else ""
            if name in self.extents.least:
                least = f" >= {self.extents.least[name]}"
            lines.append(f"sizes {name}{least} = {value}")
        lines += [f"where {relation}" for relation in self.extents.relations]
        return lines

    def _types(self):
        """By name of a statement, the type that PyTorch gives its result: of programs whose numbers
        have one type of 16 bits, where it is known."""
        own = {dtype for _, dtype, _ in self.inputs if dtype != "int"}
        if not self._rounded or len(own) != 1 or own == {"f32"}:
            return {}
        rounded = self._rounded - self._kept | {name for _, name in self.outputs}
        (narrow,) = own
        return {n: narrow if n in rounded else "f32" for n, _, _ in self.statements}

    def _statement_lines(self, types):
        last = None
        for name, expression, comment in self.statements:
            if comment and comment != last:
                yield f"# {comment}"
            last = comment
            stated = f": {types[name]}" if name in types else ""
            yield f"{name}{stated} = {expression}"

    def tp(self, use):
        """The program as `.tp` text; `use` is the path of a specification file, or None."""
        lines = [f'use "{use}"'] if use else []
        lines.append(f"program {self.name}")
        lines += self._sizes_text()
        for name, dtype, dims in self.inputs:
            if name in self._sources:
                lines.append(f"# {self._sources[name]}")
            lines.append(f"input {name}: {dtype}[{', '.join(dims)}]")
        lines += self._statement_lines(self._types())
        lines += [f"output {name}" for _, name in self.outputs]
        return "\n".join(lines) + "\n"

    def mug(self):
        """The same program as a muGraph of kernel-level statements: the candidate of a claim.

        It speaks of the sizes and inputs of the program that it is compared with, by their
        names there.
        """
        return "\n".join([f"mugraph {self.name}_candidate", *self._statement_lines({})]) + "\n"


def _identifier(hint, taken):
    base = re.sub(r"\W", "_", str(hint)) or "t"
    if not re.match(r"[A-Za-z]", base):
        base = "t" + base
    base = base[:60]
    name = base
    count = 1
    while name in taken:
        count += 1
        name = f"{base}_{count}"
    return name
