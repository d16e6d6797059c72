"""Scalars and errors of the oracle (oracle.py)."""

import math
from fractions import Fraction


class Undefined(Exception):
    """no value: division by zero, a root of a negative number, the maximum of nothing"""


class IllFormed(Exception):
    """shapes that do not fit, a requirement that does not hold, a read out of range"""


class Number1(int):
    """the literal extent 1, which alone gives way in broadcasting"""


ONE = Number1(1)


# --- scalar arithmetic
def quotient(a, b):
    if b == 0:
        raise Undefined
    return a / b if isinstance(a, float) or isinstance(b, float) else Fraction(a) / Fraction(b)


def idiv(a, b):
    if b <= 0 or a != int(a) or b != int(b):
        raise Undefined
    return int(a) // int(b)


def imod(a, b):
    return a - b * idiv(a, b)


def root(a):
    if a < 0:
        raise Undefined
    if not isinstance(a, float):
        a = Fraction(a)
        n, d = math.isqrt(a.numerator), math.isqrt(a.denominator)
        if n * n == a.numerator and d * d == a.denominator:
            return Fraction(n, d)
    return math.sqrt(a)


def exponential(a):
    return Fraction(1) if a == 0 else math.exp(a)


def logarithm(a):
    if a <= 0:
        raise Undefined
    return Fraction(0) if a == 1 else math.log(a)


def fold_max(n, f, pick):
    if n <= 0:
        raise IllFormed('the maximum of nothing')
    return pick(f(k) for k in range(n))


def product(n, f):
    r = 1
    for k in range(n):
        r *= f(k)
    return r


def adapt(tensor, first, last, index):
    """the indices of a broadcast list, for axes first..rank-last-1 of a tensor"""
    n = len(tensor.shape) - first - last
    return tuple(
        0 if isinstance(tensor.shape[first + j], Number1) else index[len(index) - n + j]
        for j in range(n)
    )


SCALARS = {
    'DIV': quotient,
    'IDIV': idiv,
    'MOD': imod,
    'FOLD': fold_max,
    'PROD': product,
    'ADAPT': adapt,
    'f_exp': exponential,
    'f_log': logarithm,
    'f_sqrt': root,
    'f_abs': abs,
    'f_inv': lambda a: quotient(1, a),
    'f_max': lambda a, b: max(a, b),
    'f_min': lambda a, b: min(a, b),
    'f_erf': math.erf,
    'f_floor': math.floor,
    'f_round': round,
    'f_sin': math.sin,
    'f_cos': math.cos,
    'Fraction': Fraction,
    'SUM': lambda n, f: sum(f(k) for k in range(n)),
}
