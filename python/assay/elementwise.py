"""Rows of the table that go element by element.

Those of pure arithmetic stand in the dictionaries at the top; `@row` adds the others.
"""

import math

import torch

from .constants import Exact
from .errors import Unsupported
from .table import ROWS, row
from .total import is_real_for_all
from .values import Masked, Value, number

INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
UNARY = (  # said by the operators of the same names
    "relu",
    "sigmoid",
    "tanh",
    "exp",
    "log",
    "abs",
    "sqrt",
    "rsqrt",
    "neg",
    "silu",
    "square",
    "floor",
    "round",
    "sin",
    "cos",
)
_AT_MINUS_INFINITY = {"exp": 0, "relu": 0, "sigmoid": 0, "tanh": -1}
_KEEP_INTEGERS = ("abs", "neg", "relu", "square", "floor", "round")

# What is said by one expression of x; the numbers are real, so nothing is said for accuracy.
FORMULAS = {
    "log1p": "log(1 + {x})",
    "expm1": "exp({x}) - 1",
    "reciprocal": "1 / {x}",
    "exp2": "exp({x} * log(2))",
    "log2": "log({x}) / log(2)",
    "log10": "log({x}) / log(10)",
    "ceil": "-floor(-{x})",
    "trunc": "(greater({x}, 0) - less({x}, 0)) * floor(abs({x}))",
    "sign": "greater({x}, 0) - less({x}, 0)",
    "tan": "sin({x}) / cos({x})",
    "sinh": "(exp({x}) - exp(-{x})) / 2",
    "cosh": "(exp({x}) + exp(-{x})) / 2",
    # odd, so that a kernel takes no difference of large numbers
    "asinh": "(greater({x}, 0) - less({x}, 0)) * log(abs({x}) + sqrt({x} * {x} + 1))",
    "acosh": "log({x} + sqrt({x} - 1) * sqrt({x} + 1))",
    "atanh": "log((1 + {x}) / (1 - {x})) / 2",
    "erf": "torch_erf({x})",
}
COMPARE = {
    "gt": "greater",
    "lt": "less",
    "ge": "greater_equal",
    "le": "less_equal",
    "eq": "equal",
    "ne": "not_equal",
}


def _arithmetic(name, sign):
    def translate(t, x, y, alpha=1):
        if isinstance(x, Masked):
            return _masked_arithmetic(t, name, x, y, alpha)
        if isinstance(y, Masked):
            if name not in ("add", "mul") or (alpha != 1 and not alpha > 0):
                raise Unsupported(f"aten.{name}", "by a tensor that has minus infinity in it")
            if alpha != 1:
                y = Masked(t.value(f"{number(alpha)} * {y.value.text}", y.extents), y.keep)
            return _masked_arithmetic(t, name, y, x, 1)
        if name == "add" and t.kind(x) == t.kind(y) == "bool":
            return _either(t, x, y)
        if name == "div" and isinstance(y, Exact):
            return ROWS["aten.mul.Tensor"](t, x, y.reciprocal())
        if alpha != 1:
            y = t.value(f"{number(alpha)} * {t.text(y)}", t.extents(y), t.kind(y))
        kind = "float" if name == "div" else t.joint_kind(x, y)
        return t.value(f"{t.text(x)} {sign} {t.text(y)}", t.broadcast(x, y), kind)

    return translate


def _either(t, x, y):
    """A sum of truths is a truth in PyTorch."""
    text = f"logical_or({t.text(x)}, {t.text(y)})"
    return t.value(text, t.broadcast(x, y), "bool")


def _masked_arithmetic(t, name, x, y, alpha):
    """Minus infinity stays what it is under + and - of reals, and under * and / by numbers > 0."""
    if isinstance(y, Masked) and name == "sub" and t.reading:
        # minus infinity less itself is no number, nor is there one for a number less it: a quotient
        # by 0 where the second one is minus infinity
        y = t.value(f"{y.value.text} / {y.keep.text}", y.extents)
    if isinstance(y, Masked):
        raise Unsupported(f"aten.{name}", "of two tensors that have minus infinity in them")
    if name in ("mul", "div") and not (isinstance(y, (int, float)) and y > 0):
        raise Unsupported(f"aten.{name}", "minus infinity by something not known to be positive")
    value = ROWS[f"aten.{name}.Tensor"](t, x.value, y, alpha)
    return Masked(value, t.layouts.expand(x.keep, value.extents))


for _name, _sign in INFIX.items():
    row(f"{_name}.Tensor", f"{_name}.Scalar")(_arithmetic(_name, _sign))


def _unary(name):
    def translate(t, x):
        if isinstance(x, Masked):
            if name not in _AT_MINUS_INFINITY:
                raise Unsupported(f"aten.{name}", "of a tensor that has minus infinity in it")
            result = t.value(f"{name}({x.value.text})", x.extents)
            return t.choose(x.keep, result, _AT_MINUS_INFINITY[name])
        kind = x.dtype if name in _KEEP_INTEGERS else "float"
        return t.value(f"{name}({x.text})", x.extents, kind)

    return translate


for _name in UNARY:
    row(f"{_name}.default")(_unary(_name))


def _compare(op):
    def translate(t, x, y):
        if isinstance(y, Masked) and t.constants.get(y.keep.text) == "0":
            y = float("-inf")  # everywhere
        if isinstance(x, Masked):
            return _compare_masked(t, op, x, y)
        if isinstance(y, float) and math.isinf(y):
            return _against_infinity(t, op, x, y)
        if x == y and t.kind(x) == "float":
            if not t.reading:
                raise Unsupported(t.operator, _ASKS_FOR_NAN)
            _check_real(t)
        return t.value(f"{op}({t.text(x)}, {t.text(y)})", t.broadcast(x, y), "bool")

    return translate


def _check_real(t):
    """Unsupported where a claim would be asked whether the argument is a real number, and what
    made it may have no value: the claim leaves out where the answer is no."""
    if not is_real_for_all(t.made_by(0)):
        raise Unsupported(
            t.operator,
            "asks whether there is a number, of what is not defined everywhere: a claim leaves out"
            " where there is none",
        )


_ASKS_FOR_NAN = "asks whether it is NaN: kernels are made for real numbers"
# The largest number of single precision, and what compares with it as with infinity from below.
_LARGEST = 3.4028234663852886e38
_BEYOND = {
    "equal": "greater",
    "greater_equal": "greater",
    "not_equal": "greater",
    "less": "less_equal",
}
_MIRRORED = {
    "less": "greater",
    "greater": "less",
    "less_equal": "greater_equal",
    "greater_equal": "less_equal",
}


def _against_infinity(t, op, x, bound):
    """A number compared with an infinity.  For a claim, which is of real numbers, what comes of it
    is known; a kernel, which may meet an infinity, compares with the largest number that is
    none."""
    positive = op if bound > 0 else _MIRRORED.get(op, op)
    beyond = _BEYOND.get(positive)
    of_any_number = t.reading or x.dtype != "float" or _guards_what_is_real(t)
    if t.reading and x.dtype == "float" and not _guards_what_is_real(t):
        _check_real(t)
    if positive == "less_equal" and not of_any_number:
        raise Unsupported(t.operator, _ASKS_FOR_NAN)
    if beyond is None or of_any_number:
        return t.constant(int(positive in ("not_equal", "less", "less_equal")), x.extents, "bool")
    beyond = beyond if bound > 0 else _MIRRORED[beyond]
    limit = number(math.copysign(_LARGEST, bound))
    found = f"{beyond}({x.text}, {limit})"
    return t.value(f"logical_not({found})" if op == "not_equal" else found, x.extents, "bool")


_EXTREMA = ("aten.amax.default", "aten.amin.default", "aten.max.dim", "aten.min.dim")
_SAME_NUMBERS = (
    "aten.abs.default",
    "aten.squeeze.dims",
    "aten.unsqueeze.default",
    "aten.view.default",
)


def _guards_what_is_real(t):
    """Is it one of the comparisons that PyTorch's own softmax and logarithms of sums have, which
    matter where a whole row is infinite: of a row's extremum, or of scores of which any is to be
    finite?
    """
    source = t.made_by(0)
    while str(source.target) in _SAME_NUMBERS or "getitem" in str(source.target):
        source = source.args[0]
    asked = [user for no in t.users() for user in no.users]
    kept = bool(asked) and all("aten.any." in str(user.target) for user in asked)
    return kept or str(source.target) in _EXTREMA


def _compare_masked(t, op, x, y):
    if op not in ("equal", "not_equal") or y != float("-inf"):
        raise Unsupported(f"aten.{op}", "of a tensor that has minus infinity in it")
    if op == "not_equal":
        return Value(x.keep.text, x.extents, "bool")
    return t.value(f"logical_not({x.keep.text})", x.extents, "bool")


for _name, _op in COMPARE.items():
    row(f"{_name}.Scalar", f"{_name}.Tensor")(_compare(_op))


@row("logical_not.default", "bitwise_not.default")
def _not(t, x):
    if x.dtype != "bool" and t.operator.startswith("aten.bitwise"):
        raise Unsupported(t.operator, "of integers")
    x = t.truth(x)
    if x.text in t.negations:
        return t.negations[x.text]
    negation = t.value(f"logical_not({x.text})", x.extents, "bool")
    t.negations[negation.text] = x
    return negation


def _joined(op):
    """Two truths joined; PyTorch's bitwise operators are the same ones where both are truths."""

    def translate(t, x, y):
        bitwise = t.operator.startswith("aten.bitwise")
        if bitwise and "int" in (t.kind(x), t.kind(y)):
            return _of_bits(t, op, x, y)
        x, y = (t.truth(each) for each in (x, y))
        return t.value(f"{op}({t.text(x)}, {t.text(y)})", t.broadcast(x, y), "bool")

    return translate


for _name, _op in {"and": "logical_and", "or": "logical_or", "xor": "not_equal"}.items():
    row(f"logical_{_name}.default", f"bitwise_{_name}.Tensor", f"bitwise_{_name}.Scalar")(
        _joined(_op)
    )


def _of_bits(t, op, x, y):
    """Bits of integers joined with those of a number, or with others that have none in common.  Of
    negative numbers, too: their bits are those of the two's complement."""
    if isinstance(x, Value) and type(y) is int:
        common = _bits(t, x, y)
        if op == "logical_and":
            return common
        times = 1 if op == "logical_or" else 2  # x | y = x + y - (x & y), x ^ y = x + y - 2 (x & y)
        return t.value(f"{x.text} + {number(y)} - {times} * {common.text}", x.extents, "int")
    if op != "logical_and" and isinstance(x, Value) and isinstance(y, Value):
        if _bits_of(t, 0, x) & _bits_of(t, 1, y) == 0:
            return t.value(f"{x.text} + {y.text}", t.broadcast(x, y), "int")
    raise Unsupported(t.operator, "of integers that may have bits in common")


_ALL_BITS = -1  # in the two's complement


def _bits_of(t, place, x):
    """The bits that integers may have, as a mask: by how they were made, or by their type."""
    made = t.made_by(place)
    while isinstance(made, torch.fx.Node) and "_to_copy" in str(made.target):
        made = made.args[0]
    of_type = 255 if made.meta["val"].dtype == torch.uint8 else _ALL_BITS
    return t.bits.get(x.text, _ALL_BITS) & of_type


def _with_bits(t, value, mask):
    t.bits[value.text] = mask
    return value


def _bits(t, x, mask):
    """Those bits of integers that a mask has: stretches of neighbours, each a quotient by a power
    of two, of which the rest by another."""
    if mask < 0:
        without = _bits(t, x, ~mask)
        return t.value(f"{x.text} - {without.text}", x.extents, "int")
    found = None
    left = mask
    while left:
        lowest = left & -left
        count = 1
        while left & (lowest * count):
            count *= 2
        left &= ~(lowest * (count - 1))
        above = x if lowest == 1 else _by_whole_number(t, "torch_div({x}, n={n})", x, lowest)
        part = _by_whole_number(t, "torch_mod({x}, n={n})", above, count)
        part = part if lowest == 1 else t.value(f"{part.text} * {lowest}", part.extents, "int")
        found = part if found is None else t.value(f"{found.text} + {part.text}", x.extents, "int")
    return _with_bits(t, found or t.constant(0, x.extents, "int"), mask)


@row("__rshift__.Scalar", "bitwise_right_shift.Tensor_Scalar")
def _right_shift(t, x, places):
    if type(places) is not int or not 0 <= places < 31:
        raise Unsupported(t.operator, f"by {places} places")
    if places == 0:
        return x
    shifted = _by_whole_number(t, "torch_div({x}, n={n})", x, 1 << places)
    return _with_bits(t, shifted, _bits_of(t, 0, x) >> places)


@row("__lshift__.Scalar", "bitwise_left_shift.Tensor_Scalar")
def _left_shift(t, x, places):
    if type(places) is not int or not 0 <= places < 31 or t.kind(x) != "int":
        raise Unsupported(t.operator, f"by {places} places")
    shifted = t.value(f"{x.text} * {1 << places}", x.extents, "int")
    return _with_bits(t, shifted, _bits_of(t, 0, x) << places)


@row("maximum.default")
def _maximum(t, x, y):
    return t.value(f"maximum({t.text(x)}, {t.text(y)})", t.broadcast(x, y), t.joint_kind(x, y))


@row("minimum.default")
def _minimum(t, x, y):
    return t.value(f"minimum({t.text(x)}, {t.text(y)})", t.broadcast(x, y), t.joint_kind(x, y))


@row("clamp.default", "clamp.Tensor", "hardtanh.default")
def _clamp(t, x, low=None, high=None, min=None, max=None):
    low = min if low is None else low
    high = max if high is None else high
    if t.operator.startswith("aten.hardtanh"):
        low = -1.0 if low is None else low
        high = 1.0 if high is None else high
    if low is not None:
        x = t.value(f"maximum({x.text}, {t.text(low)})", t.broadcast(x, low), x.dtype)
    if high is not None:
        x = t.value(f"minimum({x.text}, {t.text(high)})", t.broadcast(x, high), x.dtype)
    return x


@row("leaky_relu.default")
def _leaky_relu(t, x, slope=0.01):
    positive = f"maximum({x.text}, 0)"
    negative = f"minimum({x.text}, 0)"
    return t.value(f"{positive} + {number(slope)} * {negative}", x.extents)


@row("elu.default")
def _elu(t, x, alpha=1, scale=1, input_scale=1):
    below = t.value(f"{number(alpha)} * (exp({number(input_scale)} * {x.text}) - 1)", x.extents)
    positive = t.value(f"greater({x.text}, 0)", x.extents, "bool")
    chosen = t.choose(positive, x, below)
    return chosen if scale == 1 else t.value(f"{number(scale)} * {chosen.text}", x.extents)


@row("gelu.default")
def _gelu(t, x, approximate="none"):
    if approximate == "none" and t.reading:
        return t.value(f"0.5 * {x.text} * (1 + torch_erf({x.text} * (sqrt(2) / 2)))", x.extents)
    if approximate == "none":
        return t.value(f"gelu({x.text})", x.extents)
    cube = f"{x.text} * {x.text} * {x.text}"
    inner = f"{number(math.sqrt(2 / math.pi))} * ({x.text} + 0.044715 * {cube})"
    return t.value(f"0.5 * {x.text} * (1 + tanh({inner}))", x.extents)


def _formula(name):
    def translate(t, x):
        kind = x.dtype if name in ("ceil", "trunc", "sign") else "float"
        return t.value(FORMULAS[name].format(x=t.text(x)), x.extents, kind)

    return translate


for _name in FORMULAS:
    row(f"{_name}.default")(_formula(_name))


def _by_whole_number(t, form, x, y):
    """An operator of integers by a number above 0, for which there are `div` and `mod`; else None.
    `form` has places for both."""
    size = isinstance(y, Value) and y.text in t.program.extents.values
    number_above = type(y) is int and y >= 1
    if t.kind(x) != "int" or not isinstance(x, Value) or not (size or number_above):
        return None
    return t.value(form.format(x=x.text, n=t.text(y)), x.extents, "int")


def _floor_quotient(t, x, y):
    whole = _by_whole_number(t, "torch_div({x}, n={n})", x, y)
    if whole is not None:
        return whole
    return t.value(f"floor({t.text(x)} / {t.text(y)})", t.broadcast(x, y), t.joint_kind(x, y))


def _truncated_quotient(t, x, y):
    quotient = t.value(f"{t.text(x)} / {t.text(y)}", t.broadcast(x, y))
    whole = FORMULAS["trunc"].format(x=quotient.text)
    return t.value(whole, quotient.extents, t.joint_kind(x, y))


def _rest(quotient):
    """What is left of x after as many whole y as the quotient says."""

    def translate(t, x, y):
        whole = quotient(t, x, y)
        text = f"{t.text(x)} - {t.text(y)} * {whole.text}"
        return t.value(text, t.broadcast(x, y), t.joint_kind(x, y))

    return translate


@row("remainder.Tensor", "remainder.Scalar")
def _remainder(t, x, y):
    whole = _by_whole_number(t, "torch_mod({x}, n={n})", x, y)
    return _rest(_floor_quotient)(t, x, y) if whole is None else whole


@row("fmod.Tensor", "fmod.Scalar")
def _truncated_rest(t, x, y):
    whole = _by_whole_number(t, "remainder({x}, {n})", x, y)
    return _rest(_truncated_quotient)(t, x, y) if whole is None else whole


@row("div.Tensor_mode", "div.Scalar_mode")
def _divide(t, x, y, rounding_mode=None):
    if rounding_mode is None:
        return ROWS["aten.div.Tensor"](t, x, y)
    return (_floor_quotient if rounding_mode == "floor" else _truncated_quotient)(t, x, y)


@row("pow.Tensor_Scalar")
def _power(t, x, exponent):
    if exponent == 0.5:
        return t.value(f"sqrt({x.text})", x.extents)
    if exponent == -0.5:
        return t.value(f"rsqrt({x.text})", x.extents)
    if exponent != int(exponent) or abs(exponent) > 16:
        raise Unsupported("aten.pow", f"exponent {exponent}")
    count = abs(int(exponent))
    product = " * ".join([x.text] * count) if count else "1"
    if count == 0:
        return t.constant(1, x.extents, x.dtype)
    return t.value(product if exponent > 0 else f"1 / ({product})", x.extents, x.dtype)


@row("pow.Scalar")
def _power_of_number(t, base, x):
    if base <= 0:
        raise Unsupported(t.operator, f"of the base {base}")
    kind = t.joint_kind(base, x)
    if kind != "float":
        raise Unsupported(t.operator, "of integers, which leaves whole numbers below 0 as well")
    return t.value(f"exp({x.text} * log({number(base)}))", x.extents, kind)


@row("pow.Tensor_Tensor")
def _power_of_tensor(t, x, y):
    """Where x > 0, which is what the logarithm asks for: a claim says so, a kernel would not."""
    if not t.reading:
        raise Unsupported(t.operator, "of bases that need not be positive")
    return t.value(f"exp({y.text} * log({x.text}))", t.broadcast(x, y))


@row("where.self")
def where(t, condition, x, y):
    if isinstance(y, (int, float)) and y == float("-inf"):
        extents = t.broadcast(condition, x)
        keep = t.layouts.expand(condition, extents)
        if isinstance(x, Masked):
            kept = t.layouts.expand(x.keep, extents)
            keep = t.value(f"logical_and({keep.text}, {kept.text})", extents, "bool")
            x = x.value
        return Masked(t.layouts.expand(t.tensor(x), extents), keep)
    if isinstance(x, (int, float)) and x == float("-inf"):
        return where(t, _not(t, condition), y, x)
    if isinstance(x, Masked) or isinstance(y, Masked):
        return _where_of_masked(t, condition, t.tensor(x), t.tensor(y))
    never = Value("0", (), "bool")
    if isinstance(x, float) and math.isnan(x) and t.is_constant(condition, never):
        return y
    return t.choose(condition, x, y)


def _where_of_masked(t, condition, x, y):
    """One of two tensors that may have minus infinity in them, element by element."""
    parts = [(p.value, p.keep) if isinstance(p, Masked) else (p, 1) for p in (x, y)]
    (x, x_kept), (y, y_kept) = parts
    value = t.choose(condition, x, y)
    keep = t.choose(condition, x_kept, y_kept)
    return Masked(value, Value(t.layouts.expand(keep, value.extents).text, value.extents, "bool"))


@row("masked_fill.Scalar")
def _masked_fill(t, x, mask, fill):
    return where(t, _not(t, mask), x, fill)


@row("isnan.default", "isinf.default")
def _is_no_number(t, x):
    """A real number is one.  A claim speaks of these; a kernel meets others, too, so what asks for
    them stays with PyTorch, but where the answer is NaN for what is NaN."""
    if isinstance(x, Masked):
        raise Unsupported(t.operator, "of a tensor that has minus infinity in it")
    never_asked = x.dtype != "float" or all(map(_gives_nan, t.users()))
    if t.reading and not never_asked:
        _check_real(t)
    if t.reading or never_asked:
        return t.constant(0, x.extents, "bool")
    raise Unsupported(t.operator, "kernels are made for real numbers, all of which are finite")


@row("nan_to_num.default")
def _numbers_for_others(t, x, *_, **__):
    if not t.reading or isinstance(x, Masked):
        raise Unsupported(t.operator, "kernels are made for real numbers, all of which are finite")
    _check_real(t)
    return x


def _gives_nan(choice):
    """Is it where(.., NaN, ..)?"""
    chosen = choice.args[1] if str(choice.target) == "aten.where.self" else None
    numbers = chosen.args if isinstance(chosen, torch.fx.Node) else ()
    return any(isinstance(n, float) and math.isnan(n) for n in numbers)
