#!/usr/bin/env python3
"""An evaluation of rewrite rules that shares no code with the rest of the tree: operators and rules
are read from their texts, and each rule is tried at small random sizes, integers and tensors, in
exact fractions (floating point where exp, log or sqrt occur).

usage: oracle.py SEMDIR RULES... [--trials N] [--seed N] [--seconds N] [--only NAME]
       oracle.py SEMDIR --report REPORT.json

A rule expected to be proved must have no counterexample and at least one trial at which its left
side is well formed and defined; one expected to be refuted must have a counterexample, one expected
to be vacuous no such trial.  With --report, what `assay certify --json` said of rules, in either
direction, is tried instead: no counterexample to what it proved, and each of its counterexamples
evaluated here.  Files are read as the report names them: one of `--out` is tried in its folder.
Exit status 1 otherwise.
"""

import argparse
import collections
import glob
import itertools
import json
import math
import random
import re
import sys
import time
from fractions import Fraction

from oracle_operators import RELATIONS, Library, Operator, Reader, Tensor
from oracle_scalars import ONE, SCALARS, IllFormed, Undefined, adapt, fold_max, quotient

MOST_ELEMENTS = 400  # of a tensor that is drawn


MOST_ELEMENTS = 400  # of a tensor that is drawn


class Rule(Reader):
    """statements of a rule are kept as tokens and evaluated afresh at each trial"""

    def __init__(self, lib, toks):
        self.lib = lib
        self.t = toks if 'expect' in toks else toks + ['expect', 'unknown', '\n']
        self.at = 0
        self.sizes = []
        self.ints = []
        self.axes = []
        self.tensors = []
        self.where = []
        self.assume = []
        self.lets = {}
        self.numbers = sorted(
            {int(t) for t in self.t if t.isdigit() and int(t) > 4}
        )  # beside which a rule may be wrong
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
                        a = self.op(
                            'slice',
                            [a],
                            {
                                'axis': axis,
                                'start': lo,
                                'stop': a.shape[axis] if hi is None else hi,
                                'step': step,
                            },
                        )
                axis += 1
                self.accept(',')
        return a

    def integer(self, env):
        source = self.scalar()
        value = eval(
            source, SCALARS, {'v_' + k: v for k, v in env.items() if not isinstance(v, Tensor)}
        )
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
                attrs[a] = (
                    self.many(lambda: self.integer(env), ']')
                    if self.accept('[')
                    else self.integer(env)
                )
            else:
                args.append(self.sum_(env))
            self.accept(',')
        keeps = attrs.pop('keepdims', 0)
        if isinstance(attrs.get('axis'), list):
            return (
                self.permuted(*args, attrs['axis'])
                if t == 'transpose'
                else self.reduced(t, *args, attrs['axis'], keeps)
            )
        return self.op(t + '_keep' if keeps else t, args, attrs)

    def permuted(self, a, axes):
        if sorted(axes) != list(range(len(a.shape))):
            raise IllFormed('permutation')
        shape = [a.shape[axis] for axis in axes]
        return Tensor(
            shape,
            [
                a.get([index[axes.index(axis)] for axis in range(len(axes))])
                for index in itertools.product(*map(range, shape))
            ],
        )

    def reduced(self, name, a, axes, keeps):
        """all at once, by Python's own functions"""
        axes = [
            axis % len(a.shape) if -len(a.shape) <= axis < len(a.shape) else None for axis in axes
        ]
        if None in axes:
            raise IllFormed('axis')
        how = {
            'sum': sum,
            'mean': lambda l: quotient(sum(l), len(l)),
            'max': lambda l: fold_max(len(l), l.__getitem__, max),
            'min': lambda l: fold_max(len(l), l.__getitem__, min),
            'all': math.prod,
            'any': lambda l: 1 - math.prod(1 - x for x in l),
        }[name]
        kept = [e for axis, e in enumerate(a.shape) if axis not in axes]
        data = []
        for place in itertools.product(*map(range, kept)):
            spans = iter(place)
            ranges = [
                range(e) if axis in axes else (next(spans),) for axis, e in enumerate(a.shape)
            ]
            data.append(how([a.get(index) for index in itertools.product(*ranges)]))
        return Tensor(
            [ONE if axis in axes else e for axis, e in enumerate(a.shape)] if keeps else kept, data
        )

    def drawn_numbers(self, rng):
        """sizes and integers, now and then beside a number of the rule's text"""
        numbers = {}
        top = rng.choice((1, 2, 3, 4))
        for name, least in self.sizes:
            numbers[name] = rng.randint(least, max(top, least))
            if self.numbers and rng.random() < 0.1:
                numbers[name] = max(least, rng.choice(self.numbers) + rng.randint(-1, 1))
        for name in self.ints:
            numbers[name] = rng.randint(0, 4) if rng.random() < 0.7 else rng.randint(-3, 6)
        return numbers

    def drawn_groups(self, rng):
        """extents of the axes of each group"""
        return {
            group: [
                rng.randint(0, 2) if rng.random() < 0.3 else rng.randint(1, 2)
                for _ in range(rng.randint(0, 2))
            ]
            for group in self.axes
        }

    def drawn_reals(self, rng, n, least):
        data = [Fraction(rng.randint(least, 4), rng.choice((1, 1, 2))) for _ in range(n)]
        if not self.numbers or rng.random() >= 0.3:
            return data
        sign = -1 if least < 0 else 1
        for i in range(n):
            if rng.random() >= 0.5:
                beside = rng.choice(self.numbers) + rng.randint(-1, 1)
                data[i] = Fraction(beside * rng.choice((1, sign)))
        return data

    def trial(self, rng, reverse=False):
        """None, or whether both sides agree and what was tried"""
        env = self.drawn_numbers(rng)
        scope = {'v_' + k: v for k, v in env.items()}
        try:
            if not all(eval(w, SCALARS, scope) for w in self.where):
                return None
        except Undefined:
            return None
        groups = self.drawn_groups(rng)
        least = rng.choice((-4, -4, 0, 1, None))
        same = Fraction(rng.randint(0, 3))
        for name, dims, sort in self.tensors:
            shape = self.shape(dims, groups, scope)
            n = math.prod(shape)
            if min(shape, default=0) < 0 or n > MOST_ELEMENTS:
                return None
            if sort == 'bool':
                data = [rng.randint(0, 1) for _ in range(n)]
            elif sort == 'int':
                data = [rng.randint(-7, 7) for _ in range(n)]
            else:
                data = [same] * n if least is None else self.drawn_reals(rng, n, least)
            env[name] = Tensor(shape, data)
        try:
            if not self.assumed(env):
                return None
        except (IllFormed, Undefined, OverflowError):
            return None
        return self.assess(env, reverse)

    # None: the given side says nothing there; otherwise whether both sides agree, what was tried,
    # and why not
    def assess(self, env, reverse, near=1e-9):
        given, other = (self.right, self.left) if reverse else (self.left, self.right)
        try:
            left = self.program(given, env)
        except (IllFormed, Undefined, OverflowError):
            return None
        try:
            right = self.program(other, env)
        except (IllFormed, Undefined) as e:
            return (
                False,
                env,
                'the other side is %s'
                % ('undefined' if isinstance(e, Undefined) else 'ill formed: %s' % e),
            )
        for n, a in left.items():
            b = right[n]
            if a.shape != b.shape:
                return False, env, '%s: shapes %s and %s' % (n, a.shape, b.shape)
            for i, (x, y) in enumerate(zip(a.data, b.data)):
                exact = not isinstance(x, float) and not isinstance(y, float)
                if (x != y) if exact else abs(x - y) > near * (1 + abs(x) + abs(y)):
                    return False, env, '%s, element %d: %s and %s' % (n, i, x, y)
        return True, env, ''

    # a counterexample as `assay certify` prints it: sizes, integers and groups on one line, each
    # tensor on its own
    def replay(self, text, reverse):
        env, groups = {}, {}
        lines = [line.strip() for line in text.split('\n')]
        for name, value in (
            re.findall(r'(\w+) = (-?\d+|\[[-\d, ]*\])', lines[0])
            if self.sizes or self.ints or self.axes
            else []
        ):
            if name in self.axes:
                groups[name] = [int(v) for v in re.findall(r'\d+', value)]
            elif any(name == n for n, _ in self.sizes) or name in self.ints:
                env[name] = int(value)
        if len(groups) != len(self.axes) or len(env) != len(self.sizes) + len(self.ints):
            raise SyntaxError('%s: sizes not understood: %s' % (self.title, lines[0]))
        scope = {'v_' + k: v for k, v in env.items()}
        if any(env[n] < least for n, least in self.sizes) or not all(
            eval(w, SCALARS, scope) for w in self.where
        ):
            return None
        for name, dims, sort in self.tensors:
            value = [line[len(name) + 3 :] for line in lines if line.startswith(name + ' = ')][-1]
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
            shape += (
                groups[what]
                if kind == 'list'
                else [ONE if what == '1' else eval(what, SCALARS, scope)]
            )
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
        while r.peek() and (
            r.at == start or r.peek() not in ('rule', 'op', 'func') or r.t[r.at - 1] != '\n'
        ):
            r.at += 1
        found[r.t[start + 1]] = r.t[start : r.at]
    return found


class Trials:
    """random instances of a rule: how many were tried, at how many both sides agree, and the first
    at which they do not; they end with `enough` that agree, or with the time"""

    def __init__(self, rule, options, reverse=False, enough=math.inf, seconds=None):
        rng = random.Random('%d %s' % (options.seed, rule.title))
        end = time.monotonic() + (options.seconds if seconds is None else seconds)
        self.counter = None
        self.tries = self.agreeing = 0
        while self.counter is None and self.agreeing < enough and time.monotonic() < end:
            self.tries += 1
            found = rule.trial(rng, reverse)
            if found and found[0]:
                self.agreeing += 1
            elif found:
                self.counter = found


def of_refuted(rule, counterexample, reverse):
    """what becomes of a counterexample that Assay reports"""
    if '...' in counterexample:
        return 'counterexamples too large to be shown whole'
    replayed = rule.replay(counterexample, reverse)
    wrong = replayed is None or replayed[0]
    return 'COUNTEREXAMPLES WRONG' if wrong else 'counterexamples right'


def of_proved(rule, options, reverse):
    trials = Trials(rule, options, reverse, enough=options.trials)
    if trials.counter:
        return 'PROVED BUT WRONG'
    return 'proved, and not contradicted' if trials.agreeing else 'proved, and never tried'


def check_report(options, base):
    """every verdict of a report of `assay certify`; exit status 1 where one is wrong"""
    rules, counts = {}, collections.Counter()
    for said in json.load(open(options.report))['rules']:
        if said['file'] not in rules:
            lib = library_of(base)
            rules[said['file']] = lib, load(lib, said['file'])
        lib, texts = rules[said['file']]
        reverse = said['direction'] != 'forward'
        if said['verdict'] not in ('PROVED', 'REFUTED'):
            counts['undecided'] += 1
            continue
        rule = Rule(lib, texts[said['rule'].split('.')[0]])
        if options.only and rule.title != options.only:
            continue
        if said['verdict'] == 'REFUTED':
            result = of_refuted(rule, said['counterexample'], reverse)
        else:
            result = of_proved(rule, options, reverse)
        counts[result] += 1
        if result.isupper() or options.verbose:
            print('%s, %s: %s' % (said['rule'], said['direction'], result))
    print(', '.join('%d %s' % (n, result) for result, n in sorted(counts.items())))
    return 1 if any(result.isupper() for result in counts) or not counts else 0


def library_of(base):
    """a copy that a file's own operators can be added to"""
    lib = Library()
    lib.ops, lib.scope = dict(base.ops), dict(base.scope)
    return lib


def contradicts(rule, trials):
    """Do the trials say something else than the rule's file expects?"""
    if rule.verdict == 'refuted':
        return trials.counter is None
    return trials.counter is not None or (trials.agreeing > 0) != (rule.verdict == 'proved')


def print_trials(rule, trials, wrong):
    why, instance = '', ''
    if trials.counter:
        why = '; ' + trials.counter[2]
        instance = {
            name: (
                (value.shape, [str(x) for x in value.data]) if isinstance(value, Tensor) else value
            )
            for name, value in trials.counter[1].items()
        }
    said = 'WRONG' if wrong else 'ok'
    agree = '%d of %d trials agree' % (trials.agreeing, trials.tries)
    print('%s: %s, expected %s, %s%s %s' % (rule.title, said, rule.verdict, agree, why, instance))


def check_rules(options, base):
    """every rule of the files against what it expects; exit status 1 where one is another"""
    bad = total = agreeing = 0
    for path in options.rules:
        lib = library_of(base)
        for rule in [Rule(lib, text) for text in load(lib, path).values()]:
            if options.only and rule.title != options.only:
                continue
            # a wrong rule is tried until it fails; of a vacuous one nothing is to be found
            enough = math.inf if rule.verdict == 'refuted' else options.trials
            seconds = 1 if rule.verdict == 'vacuous' else options.seconds
            trials = Trials(rule, options, enough=enough, seconds=seconds)
            wrong = contradicts(rule, trials)
            if wrong or options.verbose:
                print_trials(rule, trials, wrong)
            total += 1
            agreeing += trials.agreeing
            bad += wrong
    print(
        '%d rules, %d trials at which both sides agree, %d rules with another verdict than expected'
        % (total, agreeing, bad)
    )
    return 1 if bad or total == 0 else 0


def main():
    p = argparse.ArgumentParser()
    p.add_argument('sem')
    p.add_argument('rules', nargs='*')
    p.add_argument('--report')
    p.add_argument(
        '--trials', type=int, default=40, help='that agree, for a rule expected to be proved'
    )
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--seconds', type=float, default=30.0, help='at most this long a rule')
    p.add_argument('--only')
    p.add_argument('--verbose', action='store_true')
    options = p.parse_args()
    base = Library()
    for f in sorted(glob.glob(options.sem + '/*.sem')):
        load(base, f)
    return check_report(options, base) if options.report else check_rules(options, base)


if __name__ == '__main__':
    sys.exit(main())
