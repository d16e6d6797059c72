#!/usr/bin/env python3
"""An evaluation of rewrite rules that shares no code with the rest of the tree: operators and rules are read from their texts, and each rule
is tried at small random sizes, integers and tensors, in exact fractions (floating point where exp, log or sqrt occur).

usage: oracle.py SEMDIR RULES... [--trials N] [--seed N] [--seconds N] [--only NAME]      or      oracle.py SEMDIR --report REPORT.json

A rule expected to be proved must have no counterexample and at least one trial at which its left side is well formed and defined;
one expected to be refuted must have a counterexample, one expected to be
vacuous no such trial.  With --report, what `assay certify --json` said of rules, in either direction, is
tried instead: no counterexample to what it proved, and each of its counterexamples evaluated here.  Exit status 1 otherwise."""
import argparse
import glob
import itertools
import json
import math
import random
import re
import sys
import time
from fractions import Fraction

from oracle_scalars import ONE, SCALARS, IllFormed, Number1, Undefined, adapt, fold_max, quotient

TOKEN = re.compile(r'[ \t\r]*(?:(#[^\n]*)|(\n)|(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(\.\.|->|!=|<=|>=|[()\[\],:;=<>+\-*/@~]))')


def tokens(text):
    out, at, depth = [], 0, 0
    text = text.rstrip() + '\n'
    while at < len(text):
        m = TOKEN.match(text, at)
        if not m:
            raise SyntaxError('cannot read %r' % text[at:at + 30])
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


RELATIONS = {'=': lambda x: x == 0, '!=': lambda x: x != 0, '<': lambda x: x < 0, '<=': lambda x: x <= 0, '>': lambda x: x > 0, '>=': lambda x: x >= 0}


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
            raise SyntaxError('%r expected, not %r, in %s' % (word, self.peek(), ' '.join(self.t[max(0, self.at - 12):self.at + 3])))

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
        return str(f.numerator) if f.denominator == 1 else 'Fraction(%d,%d)' % (f.numerator, f.denominator)

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
            s = '(%s*%s)' % (s, b) if o == '*' else '%s(%s,%s)' % ({'/': 'DIV', 'div': 'IDIV', 'mod': 'MOD'}[o], s, b)
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
            head = {'sum': 'SUM(%s,%s)', 'prod': 'PROD(%s,%s)', 'max': 'FOLD(%s,%s,max)', 'min': 'FOLD(%s,%s,min)'}[t]
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
                    rest = ['(%s,)' % w if k == 'scalar' else w for k, w in acc[i + 1:]]
                    parts.append('ADAPT(t_%s,len(%s),len(%s),%s)' % (t, '+'.join(parts) or '()', '+'.join(rest) or '()', v))
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
        if self.peek() == '(':  # a condition's, when no operator or relation follows the one that matches
            depth, k = 0, 0
            while True:
                depth += (self.peek(k) == '(') - (self.peek(k) == ')')
                k += 1
                if depth == 0:
                    break
            if self.peek(k) not in ('+', '-', '*', '/', 'div', 'mod', '=', '!=', '<', '<=', '>', '>='):
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
                lib.scope['f_' + name] = eval('lambda %s: %s' % (','.join(params), self.scalar()), lib.scope)
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
            left = self.many(lambda: 'l_' + self.name() if self.accept('..') else 'v_' + self.name(), ']')
            self.expect('=')
            body = self.scalar()
            self.expect('\n')
            lines.append('    def %s(%s): return %s' % ('let_' + let if let else 'element', ','.join(left), body))
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
        lists = {d[1] for _, ds in self.args for d in ds if d[0] == 'list'} | {d[1] for d in self.out if d[0] != 'size'}
        self.lists = sorted(lists)
        names = ['t_' + a for a, _ in self.args]
        self.sizes = sorted({d[1][2:] for _, ds in self.args for d in ds if d[0] == 'size' and d[1].startswith('v_')} | {a for a, _ in self.attrs})
        src = 'def make(%s):\n%s\n    return element' % (','.join(names + ['v_' + s for s in self.sizes]), '\n'.join(lines))
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
                ix.append(index[at] if kind == 'size' else index[at:at + n])
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
            part = shape[at:at + n]
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


class Rule(Reader):
    """statements of a rule are kept as tokens and evaluated afresh at each trial"""

    def __init__(self, lib, toks):
        self.lib, self.t, self.at = lib, toks if 'expect' in toks else toks + ['expect', 'unknown', '\n'], 0
        self.sizes, self.ints, self.axes, self.tensors, self.where, self.assume = [], [], [], [], [], []
        self.lets = {}
        self.numbers = sorted({int(t) for t in self.t if t.isdigit() and int(t) > 4})  # beside which a rule may be wrong
        self.expect('rule')
        self.title = self.name()
        self.expect('\n')
        while self.peek() != 'lhs':
            what = self.name()
            while True:
                if what == 'sizes':
                    n, least = self.name(), 0
                    if self.accept('>='):
                        least = int(self.name())
                    self.sizes.append((n, least))
                elif what in ('ints', 'axes'):
                    (self.ints if what == 'ints' else self.axes).append(self.name())
                elif what == 'tensor':
                    n = self.name()
                    self.expect('[')
                    self.tensors.append((n, self.many(self.dim, ']'), self.accept('int', 'bool')))
                elif what == 'where':
                    self.where.append(self.relation(self.scalar))
                    while self.accept('or'):
                        self.where[-1] += ' or ' + self.relation(self.scalar)
                else:
                    self.assume.append(self.at)
                    self.skip(',', '\n')
                if not self.accept(','):
                    break
            self.expect('\n')
        self.left = self.side('rhs')
        self.right = self.side('expect')
        self.expect('expect')
        self.verdict = self.name()

    def skip(self, *ends):
        depth = 0
        while depth or self.peek() not in ends:
            depth += (self.peek() in '([') - (self.peek() in ')]')
            self.at += 1

    def side(self, end):
        self.at += 1
        start = self.at
        while self.peek() != end:
            self.at += 1
        return start

    # program expressions
    def program(self, start, env):
        env, outputs = dict(env), {}
        self.at = start
        if not self.accept('\n'):
            return {'out': self.sum_(env)}
        while self.peek() not in ('rhs', 'expect'):
            output = self.accept('output')
            name = self.name()
            if self.accept('='):
                env[name] = self.sum_(env)
            if output:
                outputs[name] = env[name]
            self.expect('\n')
        return outputs

    def op(self, name, tensors, attrs=None):
        return self.lib.ops[name].call(tensors, attrs or {})

    def sum_(self, env):
        a = self.term_(env)
        while self.peek() in ('+', '-'):
            a = self.op('add' if self.name() == '+' else 'sub', [a, self.term_(env)])
        return a

    def term_(self, env):
        a = self.minus_(env)
        while self.peek() in ('*', '/', '@'):
            a = self.op({'*': 'mul', '/': 'div', '@': 'matmul'}[self.name()], [a, self.minus_(env)])
        return a

    def minus_(self, env):
        return self.op('neg', [self.minus_(env)]) if self.accept('-') else self.postfix_(env)

    def postfix_(self, env):
        a = self.atom_(env)
        while self.accept('['):
            axis = 0
            while not self.accept(']'):
                if self.accept('none'):
                    a = self.op('expand_dims', [a], {'axis': axis})
                else:
                    lo = self.integer(env) if self.peek() != ':' else 0
                    self.expect(':')
                    hi = self.integer(env) if self.peek() not in (':', ',', ']') else None
                    step = self.integer(env) if self.accept(':') else 1
                    if hi is not None or lo != 0 or step != 1:
                        a = self.op('slice', [a], {'axis': axis, 'start': lo, 'stop': a.shape[axis] if hi is None else hi, 'step': step})
                axis += 1
                self.accept(',')
        return a

    def integer(self, env):
        source = self.scalar()
        value = eval(source, SCALARS, {'v_' + k: v for k, v in env.items() if not isinstance(v, Tensor)})
        return ONE if value == 1 and 'v_' not in source else value

    def atom_(self, env):
        t = self.name()
        if t == '(':
            a = self.sum_(env)
            self.expect(')')
            return a
        if t[0].isdigit():
            return Tensor((), [Fraction(t)])
        if not self.accept('('):
            return env[t] if isinstance(env[t], Tensor) else Tensor((), [env[t]])
        args, attrs = [], {}
        while not self.accept(')'):
            if self.peek(1) == '=':
                a = self.name()
                self.expect('=')
                attrs[a] = self.many(lambda: self.integer(env), ']') if self.accept('[') else self.integer(env)
            else:
                args.append(self.sum_(env))
            self.accept(',')
        keeps = attrs.pop('keepdims', 0)
        if isinstance(attrs.get('axis'), list):
            return self.permuted(*args, attrs['axis']) if t == 'transpose' else self.reduced(t, *args, attrs['axis'], keeps)
        return self.op(t + '_keep' if keeps else t, args, attrs)

    def permuted(self, a, axes):
        if sorted(axes) != list(range(len(a.shape))):
            raise IllFormed('permutation')
        shape = [a.shape[axis] for axis in axes]
        return Tensor(shape, [a.get([index[axes.index(axis)] for axis in range(len(axes))]) for index in itertools.product(*map(range, shape))])

    def reduced(self, name, a, axes, keeps):
        """all at once, by Python's own functions"""
        axes = [axis % len(a.shape) if -len(a.shape) <= axis < len(a.shape) else None for axis in axes]
        if None in axes:
            raise IllFormed('axis')
        how = {'sum': sum, 'mean': lambda l: quotient(sum(l), len(l)), 'max': lambda l: fold_max(len(l), l.__getitem__, max),
               'min': lambda l: fold_max(len(l), l.__getitem__, min), 'all': math.prod, 'any': lambda l: 1 - math.prod(1 - x for x in l)}[name]
        kept = [e for axis, e in enumerate(a.shape) if axis not in axes]
        data = []
        for place in itertools.product(*map(range, kept)):
            spans = iter(place)
            ranges = [range(e) if axis in axes else (next(spans),) for axis, e in enumerate(a.shape)]
            data.append(how([a.get(index) for index in itertools.product(*ranges)]))
        return Tensor([ONE if axis in axes else e for axis, e in enumerate(a.shape)] if keeps else kept, data)

    # one trial: None, or whether both sides agree and what was tried
    def trial(self, rng, reverse=False):
        env = {}
        top = rng.choice((1, 2, 3, 4))
        for n, least in self.sizes:
            env[n] = rng.randint(least, max(top, least))
            if self.numbers and rng.random() < 0.1:
                env[n] = max(least, rng.choice(self.numbers) + rng.randint(-1, 1))
        for n in self.ints:
            env[n] = rng.randint(0, 4) if rng.random() < 0.7 else rng.randint(-3, 6)
        scope = {'v_' + k: v for k, v in env.items()}
        try:
            if not all(eval(w, SCALARS, scope) for w in self.where):
                return None
        except Undefined:
            return None
        groups = {g: [rng.randint(0, 2) if rng.random() < 0.3 else rng.randint(1, 2) for _ in range(rng.randint(0, 2))] for g in self.axes}
        mode, const = rng.choice(('any', 'any', 'natural', 'positive', 'same')), rng.randint(0, 3)
        for name, dims, sort in self.tensors:
            shape = self.shape(dims, groups, scope)
            if min(shape, default=0) < 0:
                return None
            n = math.prod(shape)
            if n > 400:
                return None
            if sort == 'bool':
                data = [rng.randint(0, 1) for _ in range(n)]
            elif sort == 'int':
                data = [rng.randint(-7, 7) for _ in range(n)]
            elif mode == 'same':
                data = [Fraction(const)] * n
            else:
                lo = {'any': -4, 'natural': 0, 'positive': 1}[mode]
                data = [Fraction(rng.randint(lo, 4), rng.choice((1, 1, 2))) for _ in range(n)]
                if self.numbers and rng.random() < 0.3:
                    sign = -1 if lo < 0 else 1
                    data = [x if rng.random() < 0.5 else (rng.choice(self.numbers) + rng.randint(-1, 1)) * rng.choice((1, sign)) for x in data]
            env[name] = Tensor(shape, data)
        try:
            if not self.assumed(env):
                return None
        except (IllFormed, Undefined, OverflowError):
            return None
        return self.assess(env, reverse)

    # None: the given side says nothing there; otherwise whether both sides agree, what was tried, and why not
    def assess(self, env, reverse, near=1e-9):
        given, other = (self.right, self.left) if reverse else (self.left, self.right)
        try:
            left = self.program(given, env)
        except (IllFormed, Undefined, OverflowError):
            return None
        try:
            right = self.program(other, env)
        except (IllFormed, Undefined) as e:
            return False, env, 'the other side is %s' % ('undefined' if isinstance(e, Undefined) else 'ill formed: %s' % e)
        for n, a in left.items():
            b = right[n]
            if a.shape != b.shape:
                return False, env, '%s: shapes %s and %s' % (n, a.shape, b.shape)
            for i, (x, y) in enumerate(zip(a.data, b.data)):
                exact = not isinstance(x, float) and not isinstance(y, float)
                if (x != y) if exact else abs(x - y) > near * (1 + abs(x) + abs(y)):
                    return False, env, '%s, element %d: %s and %s' % (n, i, x, y)
        return True, env, ''

    # a counterexample as `assay certify` prints it: sizes, integers and groups on one line, each tensor on its own
    def replay(self, text, reverse):
        env, groups = {}, {}
        lines = [line.strip() for line in text.split('\n')]
        for name, value in re.findall(r'(\w+) = (-?\d+|\[[-\d, ]*\])', lines[0]) if self.sizes or self.ints or self.axes else []:
            if name in self.axes:
                groups[name] = [int(v) for v in re.findall(r'\d+', value)]
            elif any(name == n for n, _ in self.sizes) or name in self.ints:
                env[name] = int(value)
        if len(groups) != len(self.axes) or len(env) != len(self.sizes) + len(self.ints):
            raise SyntaxError('%s: sizes not understood: %s' % (self.title, lines[0]))
        scope = {'v_' + k: v for k, v in env.items()}
        if any(env[n] < least for n, least in self.sizes) or not all(eval(w, SCALARS, scope) for w in self.where):
            return None
        for name, dims, sort in self.tensors:
            value = [line[len(name) + 3:] for line in lines if line.startswith(name + ' = ')][-1]
            data = [Fraction(v) for v in re.findall(r'-?\d+(?:/\d+)?', value)]
            shape = self.shape(dims, groups, scope)
            if math.prod(shape) != len(data):
                raise SyntaxError('%s: tensor not understood: %s' % (self.title, value))
            if sort and any(x.denominator != 1 or sort == 'bool' and x not in (0, 1) for x in data):
                return None
            env[name] = Tensor(shape, data)
        return self.assess(env, reverse, 1e-13) if self.assumed(env) else None

    def shape(self, dims, groups, scope):
        shape = []
        for kind, what, _ in dims:
            shape += groups[what] if kind == 'list' else [ONE if what == '1' else eval(what, SCALARS, scope)]
        return shape

    def assumed(self, env):
        for at in self.assume:
            self.at = at
            either, shape = [], []
            while not either or self.accept('or'):
                a = self.sum_(env)
                o = self.name()
                d = self.op('sub', [a, self.sum_(env)])
                shape = Operator.broadcast(shape, list(d.shape))
                either.append((RELATIONS[o], d))
            for index in itertools.product(*map(range, shape)):
                if not any(holds(d.get(adapt(d, 0, 0, index))) for holds, d in either):
                    return False
        return True


def load(lib, path):
    """adds a file's operators to lib; the tokens of its rules by name"""
    r = Reader(open(path).read())
    while r.accept('use'):
        raise SyntaxError('%s: `use` is not read here' % path)
    found = {}
    while r.peek():
        if r.peek() != 'rule':
            r.specification(lib)
            continue
        start = r.at
        while r.peek() and (r.at == start or r.peek() not in ('rule', 'op', 'func') or r.t[r.at - 1] != '\n'):
            r.at += 1
        found[r.t[start + 1]] = r.t[start:r.at]
    return found


def check_report(o, base):
    rules, n = {}, {}
    for said in json.load(open(o.report))['rules']:
        if said['file'] not in rules:
            lib = Library()
            lib.ops, lib.scope = dict(base.ops), dict(base.scope)
            rules[said['file']] = lib, load(lib, said['file'])
        lib, texts = rules[said['file']]
        reverse, what = said['direction'] != 'forward', said['verdict']
        if what not in ('PROVED', 'REFUTED'):
            n['undecided'] = n.get('undecided', 0) + 1
            continue
        r = Rule(lib, texts[said['rule'].split('.')[0]])
        if o.only and r.title != o.only:
            continue
        if what == 'REFUTED':
            cut = '...' in said['counterexample']
            t = None if cut else r.replay(said['counterexample'], reverse)
            result = 'counterexamples too large to be shown whole' if cut else 'counterexamples right' if t is not None and not t[0] else 'COUNTEREXAMPLES WRONG'
        else:
            rng, good, counter, end = random.Random('%d %s' % (o.seed, r.title)), 0, None, time.monotonic() + o.seconds
            while counter is None and good < o.trials and time.monotonic() < end:
                t = r.trial(rng, reverse)
                good += t is not None and t[0]
                counter = t if t is not None and not t[0] else None
            result = 'PROVED BUT WRONG' if counter else 'proved, and not contradicted' if good else 'proved, and never tried'
        n[result] = n.get(result, 0) + 1
        if result.isupper() or o.verbose:
            print('%s, %s: %s' % (said['rule'], said['direction'], result))
    print(', '.join('%d %s' % (v, k) for k, v in sorted(n.items())))
    return 1 if any(k.isupper() for k in n) or not n else 0


def main():
    p = argparse.ArgumentParser()
    p.add_argument('sem')
    p.add_argument('rules', nargs='*')
    p.add_argument('--report')
    p.add_argument('--trials', type=int, default=40, help='that agree, for a rule expected to be proved')
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--seconds', type=float, default=30.0, help='at most this long a rule')
    p.add_argument('--only')
    p.add_argument('--verbose', action='store_true')
    o = p.parse_args()
    lib = Library()
    base = Library()
    for f in sorted(glob.glob(o.sem + '/*.sem')):
        load(base, f)
    if o.report:
        return check_report(o, base)
    bad = total = accepted = 0
    for f in o.rules:
        lib.ops, lib.scope = dict(base.ops), dict(base.scope)
        for r in [Rule(lib, text) for text in load(lib, f).values()]:
            if o.only and r.title != o.only:
                continue
            total += 1
            rng, good, counter, tries, end = random.Random('%d %s' % (o.seed, r.title)), 0, None, 0, time.monotonic() + (o.seconds if r.verdict != 'vacuous' else 1)
            while counter is None and (good < o.trials or r.verdict == 'refuted') and time.monotonic() < end:
                tries += 1
                t = r.trial(rng)
                if t is None:
                    continue
                if t[0]:
                    good += 1
                else:
                    counter = t
            accepted += good
            wrong = counter is None if r.verdict == 'refuted' else counter is not None or (good > 0) != (r.verdict == 'proved')
            if wrong or o.verbose:
                what = {k: (v.shape, [str(x) for x in v.data]) if isinstance(v, Tensor) else v for k, v in counter[1].items()} if counter else ''
                print('%s: %s, expected %s, %d of %d trials agree%s %s' % (r.title, 'WRONG' if wrong else 'ok', r.verdict, good, tries, '; ' + counter[2] if counter else '', what))
            bad += wrong
    print('%d rules, %d trials at which both sides agree, %d rules with another verdict than expected' % (total, accepted, bad))
    return 1 if bad or total == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
