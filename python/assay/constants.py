"""Numbers of a program, read as what they were computed from.

Python computes `1 / math.sqrt(head_dim)` before PyTorch sees it, and what arrives is the double
nearest to a root.  Two programs that say the same root by different doubles, 8 ** 0.5 as a divisor
and 0.353.. as a factor, differ in the 17th digit, as a theorem about real numbers takes the digits.
So a claim reads a double that is a small root, or a small fraction, up to two roundings as that
number, and says so.
"""

import math
from fractions import Fraction

import torch

# A double is read as p / q, or its square or fourth root (attention scales both of its operands by
# the root of the scale), where p * q is at most this: there are some 10^7 such
# numbers among 2^53 doubles of each binade, so that one met by chance is out of the question.
_MOST = 1 << 20

# What has so few digits was written, not computed.
_DIGITS_WRITTEN = 14

_ROUNDINGS = 2

# The same of numbers of single precision, as tensors hold them: among 2^23 of each binade there are
# about a hundred such fractions and roots.
_MOST_OF_32_BITS, _DIGITS_OF_32_BITS = 1 << 9, 7


class Exact(float):
    """A float together with the number it stands for: `rational` times the `degree`-th root of
    `radicand`, which is 1 or has no factor that is such a power; the degree is 2 or 4."""

    def __new__(cls, value, rational, radicand=1, degree=2):
        made = super().__new__(cls, value)
        made.rational = rational
        made.radicand = radicand
        made.degree = degree
        return made

    def text(self):
        """The number, its sign aside, as an expression of the program."""
        top, bottom = abs(self.rational.numerator), self.rational.denominator
        factors = [str(top)] if top != 1 or self.radicand == 1 else []
        if self.radicand != 1:
            factors.append(f"sqrt({self._under_the_root()})")
        product = " * ".join(factors)
        return f"({product} / {bottom})" if bottom != 1 else f"({product})"

    def _under_the_root(self):
        """Of a fourth root the root inside has no square: sqrt(2 * sqrt(2)) for that of 8."""
        if self.degree == 2:
            return str(self.radicand)
        outside, inside = _without_powers(self.radicand, 2)
        parts = [str(outside)] if outside != 1 else []
        parts += [f"sqrt({inside})"] if inside != 1 else []
        return " * ".join(parts)

    def reciprocal(self):
        outside, rest = _without_powers(self.radicand ** (self.degree - 1), self.degree)
        rational = outside / (self.rational * self.radicand)
        return Exact(1 / float(self), rational, rest, self.degree)

    def __neg__(self):
        return Exact(-float(self), -self.rational, self.radicand, self.degree)


def read(x):
    """The float as the small fraction or root that it is within rounding, else as it is."""
    if isinstance(x, Exact) or not math.isfinite(x) or x == 0 or _is_written(x):
        return x
    size = abs(x)
    sign = 1 if x > 0 else -1
    for degree in (1, 2, 4):
        power = _small_fraction(size, degree)
        if power is not None:
            whole = power.numerator * power.denominator ** (degree - 1)
            outside, radicand = _without_powers(whole, degree)
            return Exact(x, sign * Fraction(outside, power.denominator), radicand, max(degree, 2))
    return x


def read_of_32_bits(x):
    """The same of a number that single precision holds: the fraction, square or fourth root that it is
    the nearest to, or the next; else its shortest decimal."""
    decimal = shortest(x, torch.float32)
    if not math.isfinite(x) or x == 0 or _digits(decimal) <= _DIGITS_OF_32_BITS:
        return decimal
    ulp = math.ulp(abs(x)) * 2**29
    for degree in (1, 2, 4):
        power = _small_fraction(abs(x), degree, _MOST_OF_32_BITS, ulp)
        if power is not None:
            whole = power.numerator * power.denominator ** (degree - 1)
            outside, radicand = _without_powers(whole, degree)
            rational = Fraction(outside, power.denominator) * (1 if x > 0 else -1)
            return Exact(x, rational, radicand, max(degree, 2))
    return decimal


def in_double(x):
    """The double that is nearest to what a number stands for."""
    if not isinstance(x, Exact):
        return x
    root = math.sqrt(x.radicand) if x.degree == 2 else math.sqrt(math.sqrt(x.radicand))
    return float(x.rational) * root


def shortest(x, dtype):
    """The decimal of fewest digits that a floating-point type reads as x."""
    for digits in range(1, 18):
        decimal = float(f"{x:.{digits}g}")
        if torch.tensor(decimal, dtype=dtype).item() == x:
            return decimal
    return x


def _digits(x):
    return len(repr(abs(x)).split("e")[0].replace(".", "").strip("0"))


def _is_written(x):
    return _digits(x) <= _DIGITS_WRITTEN


def _small_fraction(nearest, degree, most=_MOST, bound=None):
    """The fraction, with a product of its parts of at most `most`, whose root of that degree, 1, 2
    or 4, is `nearest` within a bound; by default within rounding."""
    value = nearest**degree
    if not 1 / most <= value <= most:
        return None
    fraction = Fraction(value).limit_denominator(math.isqrt(int(most / value)) + 1)
    if fraction == 0 or fraction.numerator * fraction.denominator > most:
        return None
    root = float(fraction)
    for _ in range(degree // 2):
        root = math.sqrt(root)
    bound = _ROUNDINGS * math.ulp(nearest) if bound is None else bound
    return fraction if abs(root - nearest) <= bound else None


def _without_powers(whole, degree):
    """(a, b) with whole = a ** degree * b, where b has no factor that is such a power."""
    outside = 1
    factor = 2
    while factor**degree <= whole:
        while whole % factor**degree == 0:
            whole //= factor**degree
            outside *= factor
        factor += 1
    return outside, whole
