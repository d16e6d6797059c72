"""Specifications of operators for the oracle (oracle.py): read, and called on tensors."""

import itertools
import re
from fractions import Fraction

from oracle_scalars import ONE, SCALARS, IllFormed, Number1

TOKEN = re.compile(
    r'[ \t\r]*(?:'
    r'(#[^\n]*)|(\n)'
    r'|(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)'
    r'|([A-Za-z_]\w*)'
    r'|(\.\.|->|!=|<=|>=|[()\[\],:;=<>+\-*/@~])'
    r')'
)


def tokens(text):
    out, at, depth = [], 0, 0
    text = text.rstrip() + '\n'
    while at < len(text):
        m = TOKEN.match(text, at)
        if not m:
            raise SyntaxError('cannot read %r' % text[at : at + 30])
        at = m.end()
        if m[2]:
            if depth == 0 and out and out[-1] != '\n':
                out.append('\n')
        elif m[3] or m[4] or m[5]:
            t = m[3] or m[4] or m[5]
            depth += (t in '([') - (t in ')]')
            out.append(t)
    return out


class Tensor:
    def __init__(self, shape, data):
        self.shape, self.data = tuple(shape), data
        strides, s = [], 1
        for e in reversed(self.shape):
            strides.append(s)
            s *= e
        self.strides = strides[::-1]

    def get(self, index):
        if len(index) != len(self.shape):
            raise IllFormed('rank')
        at = 0
        for i, e, s in zip(index, self.shape, self.strides):
            if not 0 <= i < e or i != int(i):
                raise IllFormed('read out of range')
            at += int(i) * s  # a place that is data may be a Fraction
        return self.data[at]


RELATIONS = {
    '=': lambda x: x == 0,
    '!=': lambda x: x != 0,
    '<': lambda x: x < 0,
    '<=': lambda x: x <= 0,
    '>': lambda x: x > 0,
    '>=': lambda x: x >= 0,
}


class Reader:
    """texts to Python sources of expressions"""

    def __init__(self, text):
        self.t, self.at = tokens(text), 0

    def peek(self, k=0):
        return self.t[self.at + k] if self.at + k < len(self.t) else ''

    def accept(self, *words):
        if self.peek() in words:
            self.at += 1
            return self.t[self.at - 1]
        return None

    def expect(self, word):
        if not self.accept(word):
            raise SyntaxError(
                '%r expected, not %r, in %s'
                % (word, self.peek(), ' '.join(self.t[max(0, self.at - 12) : self.at + 3]))
            )

    def name(self):
        self.at += 1
        return self.t[self.at - 1]

    def many(self, one, end):
        out = []
        while self.peek() != end:
            out.append(one())
            if not self.accept(','):
                break
        self.expect(end)
        return out

    # scalar expressions of specifications; reader.op holds the operator being read
    def number(self, t):
        f = Fraction(t)
        return (
            str(f.numerator)
            if f.denominator == 1
            else 'Fraction(%d,%d)' % (f.numerator, f.denominator)
        )

    def scalar(self):
        s = self.prod()
        while self.peek() in ('+', '-'):
            s = '(%s%s%s)' % (s, self.name(), self.prod())
        return s

    def prod(self):
        s = self.unary()
        while self.peek() in ('*', '/', 'div', 'mod'):
            o = self.name()
            b = self.unary()
            s = (
                '(%s*%s)' % (s, b)
                if o == '*'
                else '%s(%s,%s)' % ({'/': 'DIV', 'div': 'IDIV', 'mod': 'MOD'}[o], s, b)
            )
        return s

    def unary(self):
        return '(-%s)' % self.unary() if self.accept('-') else self.atom()

    def atom(self):
        t = self.name()
        if t[0].isdigit():
            return self.number(t)
        if t == '(':
            s = self.scalar()
            self.expect(')')
            return s
        if t == 'if':
            self.expect('(')
            c = self.cond()
            self.expect(',')
            a = self.scalar()
            self.expect(',')
            b = self.scalar()
            self.expect(')')
            return '(%s if %s else %s)' % (a, c, b)
        if t in ('sum', 'prod', 'max', 'min') and self.peek() == '(' and self.peek(2) == '<':
            self.expect('(')
            k = self.name()
            self.expect('<')
            n = self.scalar()
            self.expect(')')
            body = 'lambda v_%s: %s' % (k, self.prod())
            head = {
                'sum': 'SUM(%s,%s)',
                'prod': 'PROD(%s,%s)',
                'max': 'FOLD(%s,%s,max)',
                'min': 'FOLD(%s,%s,min)',
            }[t]
            return head % (n, body)
        if self.accept('('):
            return 'f_%s(%s)' % (t, ','.join(self.many(self.scalar, ')')))
        if self.accept('['):
            acc = self.many(self.access, ']')
            if t in self.lets:
                return 'let_%s(%s)' % (t, ','.join(v for _, v in acc))
            parts = []
            for i, (kind, v) in enumerate(acc):
                if kind == 'scalar':
                    parts.append('(%s,)' % v)
                elif kind == 'list':
                    parts.append(v)
                else:
                    rest = ['(%s,)' % w if k == 'scalar' else w for k, w in acc[i + 1 :]]
                    parts.append(
                        'ADAPT(t_%s,len(%s),len(%s),%s)'
                        % (t, '+'.join(parts) or '()', '+'.join(rest) or '()', v)
                    )
            return 't_%s.get(%s)' % (t, '+'.join(parts) or '()')
        return 'v_' + t

    def access(self):
        if self.accept('..'):
            return 'list', 'l_' + self.name()
        if self.accept('~'):
            return 'adapted', 'l_' + self.name()
        return 'scalar', self.scalar()

    def cond(self):
        s = self.conj()
        while self.accept('or'):
            s = '(%s or %s)' % (s, self.conj())
        return s

    def conj(self):
        s = self.catom()
        while self.accept('and'):
            s = '(%s and %s)' % (s, self.catom())
        return s

    def catom(self):
        if self.accept('not'):
            return '(not %s)' % self.catom()
        if (
            self.peek() == '('
        ):  # a condition's, when no operator or relation follows the one that matches
            depth, k = 0, 0
            while True:
                depth += (self.peek(k) == '(') - (self.peek(k) == ')')
                k += 1
                if depth == 0:
                    break
            if self.peek(k) not in (
                '+',
                '-',
                '*',
                '/',
                'div',
                'mod',
                '=',
                '!=',
                '<',
                '<=',
                '>',
                '>=',
            ):
                self.expect('(')
                s = self.cond()
                self.expect(')')
                return s
        return self.relation(self.scalar)

    def relation(self, side):
        a = side()
        o = self.name()
        return '(%s%s%s)' % (a, '==' if o == '=' else o, side())

    # specifications
    def specification(self, lib):
        if self.accept('func'):
            name = self.name()
            self.expect('(')
            params = ['v_' + p for p in self.many(self.name, ')')]
            if not self.accept('builtin'):
                self.expect('=')
                self.lets = {}
                lib.scope['f_' + name] = eval(
                    'lambda %s: %s' % (','.join(params), self.scalar()), lib.scope
                )
            self.expect('\n')
            return
        self.expect('op')
        op = Operator(self.name())
        self.expect('(')
        if self.peek() != ';':
            while True:
                arg = self.name()
                self.expect('[')
                op.args.append((arg, self.many(self.dim, ']')))
                if not self.accept(','):
                    break
        if self.accept(';'):
            while True:
                attr, value = self.name(), None
                if self.accept('='):
                    sign = -1 if self.accept('-') else 1
                    value = sign * Fraction(self.name())
                    value = int(value) if value.denominator == 1 else value
                op.attrs.append((attr, value))
                if not self.accept(','):
                    break
        self.expect(')')
        self.expect('->')
        self.expect('[')
        op.out = self.many(self.dim, ']')
        self.expect('\n')
        self.lets = {}
        while self.accept('require'):
            op.requires.append(self.relation(self.scalar))
            self.expect('\n')
        lines = []
        while True:
            let = None
            if self.accept('let'):
                let = self.name()
            else:
                self.expect('out')
            self.expect('[')
            left = self.many(
                lambda: 'l_' + self.name() if self.accept('..') else 'v_' + self.name(), ']'
            )
            self.expect('=')
            body = self.scalar()
            self.expect('\n')
            lines.append(
                '    def %s(%s): return %s'
                % ('let_' + let if let else 'element', ','.join(left), body)
            )
            if let is None:
                break
            self.lets[let] = True
        op.define(lines, lib)
        lib.ops[op.name] = op

    def dim(self):
        if self.accept('..'):
            name = self.name()
            return 'list', name, self.scalar() if self.accept('@') else None
        if self.peek() == 'broadcast' and self.peek(1) == '(':
            self.at += 2
            a = self.name()
            self.expect(',')
            b = self.name()
            self.expect(')')
            self.expect('as')
            return 'broadcast', self.name(), (a, b)
        s = self.scalar()
        return 'size', s, None


class Operator:
    def __init__(self, name):
        self.name, self.args, self.attrs, self.out, self.requires = name, [], [], [], []

    def define(self, lines, lib):
        lists = {d[1] for _, ds in self.args for d in ds if d[0] == 'list'} | {
            d[1] for d in self.out if d[0] != 'size'
        }
        self.lists = sorted(lists)
        names = ['t_' + a for a, _ in self.args]
        self.sizes = sorted(
            {
                d[1][2:]
                for _, ds in self.args
                for d in ds
                if d[0] == 'size' and d[1].startswith('v_')
            }
            | {a for a, _ in self.attrs}
        )
        src = 'def make(%s):\n%s\n    return element' % (
            ','.join(names + ['v_' + s for s in self.sizes]),
            '\n'.join(lines),
        )
        scope = dict(lib.scope)
        exec(src, scope)
        self.make, self.scope = scope['make'], scope

    def call(self, tensors, given):
        size, lists = {}, {}
        for a, default in self.attrs:
            if a not in given and default is None:
                raise SyntaxError('%s: no %s' % (self.name, a))
            size['v_' + a] = given.get(a, default)
        if len(tensors) != len(self.args) or set(given) - {a for a, _ in self.attrs}:
            raise SyntaxError('%s: wrong arguments' % self.name)
        integer = lambda e: eval(e, self.scope, size)
        for (_, dims), t in zip(self.args, tensors):
            self.match(dims, t.shape, size, lists, integer)
        for r in self.requires:
            if not integer(r):
                raise IllFormed('%s: %s' % (self.name, r))
        shape, spans = [], []
        for kind, what, more in self.out:
            if kind == 'size':
                e = ONE if what == '1' else integer(what)
                if e < 0:
                    raise IllFormed('negative extent')
                part = [e]
            elif kind == 'list':
                part = list(lists[what])
            else:
                part = self.broadcast(*(lists[n] for n in more))
                lists[what] = part
            spans.append((kind, len(part)))
            shape += part
        element = self.make(*tensors, *[size['v_' + s] for s in self.sizes])
        data = []
        for index in itertools.product(*(range(e) for e in shape)):
            at, ix = 0, []
            for kind, n in spans:
                ix.append(index[at] if kind == 'size' else index[at : at + n])
                at += n
            data.append(element(*ix))
        return Tensor(shape, data)

    def match(self, dims, shape, size, lists, integer):
        span, rest = [], None
        for i, (kind, what, count) in enumerate(dims):
            n = 1
            if kind == 'list' and count is not None:
                n = integer(count)
                n += len(shape) if n < 0 else 0
            elif kind == 'list':
                n = len(lists[what]) if what in lists else 0
                rest = rest if what in lists else i
            span.append(n)
        if rest is not None:
            span[rest] = len(shape) - sum(span)
        if sum(span) != len(shape) or min(span, default=0) < 0:
            raise IllFormed('%s: rank %d' % (self.name, len(shape)))
        at = 0
        for (kind, what, _), n in zip(dims, span):
            part = shape[at : at + n]
            at += n
            if kind == 'list':
                if lists.setdefault(what, list(part)) != list(part):
                    raise IllFormed('%s: ..%s' % (self.name, what))
            elif what.startswith('v_'):
                if size.setdefault(what, part[0]) != part[0]:
                    raise IllFormed('%s: %s' % (self.name, what))
            elif integer(what) != part[0]:
                raise IllFormed('%s: %s' % (self.name, what))

    @staticmethod
    def broadcast(a, b):
        n, out = max(len(a), len(b)), []
        for i in range(1, n + 1):
            x, y = a[-i] if i <= len(a) else ONE, b[-i] if i <= len(b) else ONE
            if not isinstance(x, Number1) and not isinstance(y, Number1) and x != y:
                raise IllFormed('broadcast')
            out.append(y if isinstance(x, Number1) else x)
        return out[::-1]


class Library:
    def __init__(self):
        self.ops, self.scope = {}, dict(SCALARS)
