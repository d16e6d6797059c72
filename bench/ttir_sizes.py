"""Sizes with names, for specifications of Triton kernels at all sizes: polynomials that know the
value that they have in an example."""


class NotOfSizes(Exception):
    """an operation whose result is no polynomial of sizes, or would differ at other sizes"""


def terms_of(value):
    """{names of a product: coefficient}"""
    if isinstance(value, Size):
        return value.terms
    return {(): int(value)} if value else {}


def made(terms, value):
    """a size, or a number where no name is left"""
    terms = {names: coef for names, coef in terms.items() if coef}
    if not terms or set(terms) == {()}:
        return terms.get((), 0)
    size = Size(value)
    size.terms = terms
    return size


class Size(int):
    """equal to another only where it is so at all sizes; ordered by the example's values"""

    def __add__(self, other):
        terms = dict(self.terms)
        for names, coef in terms_of(other).items():
            terms[names] = terms.get(names, 0) + coef
        return made(terms, int(self) + int(other))

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + other * -1

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        if not isinstance(other, int):
            return NotImplemented
        terms = {}
        for mine, a in self.terms.items():
            for its, b in terms_of(other).items():
                names = tuple(sorted(mine + its))
                terms[names] = terms.get(names, 0) + a * b
        return made(terms, int(self) * int(other))

    __radd__ = __add__
    __rmul__ = __mul__

    def __floordiv__(self, other):
        divisor = terms_of(other)
        if len(divisor) != 1:
            raise NotOfSizes('a quotient by %s' % other)
        (names, by), terms = next(iter(divisor.items())), {}
        for mine, coef in self.terms.items():
            rest = list(mine)
            for name in names:
                if name not in rest:
                    raise NotOfSizes('%s div %s' % (self, other))
                rest.remove(name)
            if coef % by:
                raise NotOfSizes('%s div %s' % (self, other))
            terms[tuple(rest)] = coef // by
        return made(terms, int(self) // int(other))

    def __rfloordiv__(self, other):
        raise NotOfSizes('%s div %s' % (other, self))

    def __mod__(self, other):
        if made(terms_of(self // other), 1) is None or int(self) % int(other):
            raise NotOfSizes('%s mod %s' % (self, other))
        return 0

    def __rmod__(self, other):
        raise NotOfSizes('%s mod %s' % (other, self))

    def __eq__(self, other):
        return isinstance(other, int) and terms_of(self) == terms_of(other)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(tuple(sorted(self.terms.items())))

    def __str__(self):
        parts = []
        for names, coef in sorted(self.terms.items(), reverse=True):
            factors = ([str(abs(coef))] if abs(coef) != 1 or not names else []) + list(names)
            sign = ' - ' if coef < 0 else ' + ' if parts else ''
            parts.append(sign + '*'.join(factors))
        return ''.join(parts)

    __repr__ = __str__


def named(name, value):
    size = Size(value)
    size.terms = {(name,): 1}
    return size


def names_in(*sizes):
    """the names that these mention, each once"""
    found = []
    for size in sizes:
        for names in terms_of(size) if isinstance(size, Size) else ():
            found += [name for name in names if name not in found]
    return found
