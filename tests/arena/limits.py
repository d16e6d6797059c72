#!/usr/bin/env python3
"""Limits of checkers, pinned from both sides: for each one text or certificate that is just within
it, and one that is just beyond.

usage: limits.py [--words] [--only WORD | --except WORD] FOLDER-OF-THE-STANDARD-LIBRARY CHECKER
[ARGUMENT..]

What is just beyond a limit of proofs/CLAIM.md section 1 must be refused (exit status 2 of `CHECKER
--sem PATH --goals GIVEN CANDIDATE`), beyond one of proofs/RULES.md section 1 or proofs/FORMAT.md
rejected (1 of `CHECKER --sem PATH GIVEN CANDIDATE CERTIFICATE`); what is just within passes (0).
With --words the message must name the limit, in the words of assay-check; --except leaves out the
limits with WORD in their names (a checker that prints no theorem has no limit of one).  The files
are made here, as some are large.

Not pinned, as the file that reaches them is too large for a test: 8,000,000 terms of a claim; 2^25
nodes, 2^30 steps, 2 * 10^9 bytes and 2^25 monomials of a certificate."""

import os, subprocess, sys, tempfile

IDENTITY = 'program p\nsizes N\ninput X: f32[N]\noutput Z = X\n'
# proves that program refines itself: 5 terms, 2 steps
PROOF = [
    "assay-cert 1",
    "v 'N 'i",
    "= t0 t0",
    "arith t1 |",
    "v '$i0 'i",
    "app 'X 'i:r t2",
    "= t3 t3",
    "arith t4 |",
    "qed shape.Z.0 s0",
    "qed eq.Z s1",
]
TERMS, STEPS = 5, 2


# --- texts: each makes {file: text}, the given program being given.tp, the candidate it too where
# there is no other
def program(*lines, head='program p\nsizes N\ninput X: f32[N]\n'):
    return {'given.tp': head + '\n'.join(lines) + '\n'}


def own(specification, expression='f(X)', **more):
    return {'own.sem': specification, **program(f'output Z = {expression}', **more)}


def text_bytes(n):
    return {'given.tp': IDENTITY + '#' * (n - len(IDENTITY) - 1) + '\n'}


def brackets(n):
    return {
        'given.rule': (
            f"rule other\nlhs {'(' * n + 'x' + ')' * n}\nrhs x\nrule r\nsizes N\ntensor x[N]\nlhs"
            " x\nrhs x\n"
        ),
        'candidate': 'r',
    }


def used(n):
    return {
        'f.sem': 'op f(x[n]) -> [n]\n  out[i] = x[i]\n',
        'given.tp': 'use "f.sem"\n' * n + IDENTITY,
    }


def axes(n):
    names = ', '.join(f'N{i}' for i in range(n))
    return program('output Z = X', head=f'program p\nsizes {names}\ninput X: f32[{names}]\n')


def arguments(n):
    return own(
        'op f(' + ', '.join(f'x{i}[n]' for i in range(n)) + ') -> [n]\n  out[i] = x0[i]\n',
        'f(' + ', '.join('X' * n) + ')',
    )


def attributes(n):
    return own(
        'op f(x[n]; ' + ', '.join(f'a{i}=0' for i in range(n)) + ') -> [n]\n  out[i] = x[i]\n',
        'f(X, ' + ', '.join(f'a{i}=1' for i in range(n)) + ')',
    )


def function_arguments(n):
    names = [f'a{i}' for i in range(n)]
    return own(
        f"func g({', '.join(names)}) = {' + '.join(names)}\nop f(x[n]) -> [n]\n  out[i] ="
        f" g({', '.join(['x[i]'] * n)})\n"
    )


def parts(n):
    lists = [f'..l{i}@0' for i in range(n - 1)] + ['m']
    return own(f"op f(x[{', '.join(lists)}]) -> [m]\n  out[i] = x[i]\n")


def lets(n):
    return own(
        'op f(x[n]) -> [n]\n'
        + ''.join(f'  let l{i}[k] = x[k]\n' for i in range(n - 1))
        + '  out[i] = l0[i]\n'
    )


def names(n):
    return own(
        'op f(x[m]; ' + ', '.join(f'a{i}=0' for i in range(n - 2)) + ') -> [m]\n  out[i] = x[i]\n'
    )


def sizes(n):
    return program(
        'output Z = X',
        head='program p\nsizes N\n'
        + ''.join(f'sizes M{i}\n' for i in range(n - 1))
        + 'input X: f32[N]\n',
    )


def inputs(n):
    return program(
        'output Z = X',
        head='program p\nsizes N\ninput X: f32[N]\n'
        + ''.join(f'input Y{i}: f32[N]\n' for i in range(n - 1)),
    )


def outputs(n):
    return program(*(f'output Z{i} = X' for i in range(n)))


def stores(n):
    lines = ''.join(f'  store Z{i} [T] = x x -> 0\n' for i in range(n))
    return {
        **program('output Z0 = X'),
        'candidate.mug': (
            'mugraph q\nsizes G, T\nwhere N = G * T\nkernel k\n  grid x = G\n  load x [T] = X x ->'
            f' 0\n{lines}end\n'
        ),
    }


def relations(n):  # one of each of 512 sizes, the others of `where`
    return program(
        'output Z = X',
        head='program p\nsizes N, '
        + ', '.join(f'M{i}' for i in range(511))
        + ''.join(f'\nwhere M{i % 511} < {i + 2} * N' for i in range(n - 512))
        + '\ninput X: f32[N]\n',
    )


def tensors(n):  # the input is one
    return program(*(f'a{i} = X' for i in range(n - 2)), 'output Z = X')


def obligations(n):  # two of each call, three of the last where n is odd
    lines = [f'a{i} = f(X, c={i})' for i in range(n // 2)] + (['b = sqrt(X)'] if n % 2 else [])
    return {
        'own.sem': 'op f(x[n]; c) -> [n]\n  out[i] = sqrt(x[i] + c) + sqrt(x[i] - c - 1)\n',
        **program(*lines, 'output Z = X'),
        'candidate.tp': IDENTITY,
    }


def hypotheses(n):
    """n sums under roots in the candidate: n + 2 goals, each with 2 conditions and the hypotheses
    0 < N and n definitions"""
    return {
        **program('output Z = X'),
        'candidate.tp': (
            'program q\nsizes N\ninput X: f32[N]\na0 = sqrt(X)\n'
            + ''.join(f'a{i} = sqrt(a{i - 1})\n' for i in range(1, n))
            + 'output Z = X\n'
        ),
    }


def conditions(n):  # two of each index and counter, one of an `if`
    reductions = ' '.join(f'sum(k{i} < n)' for i in range(n // 2 - 1))
    value = 'if(x[i] = 0, sqrt(x[i]), 0)' if n % 2 else 'sqrt(x[i])'
    return own(f'op f(x[n]) -> [n]\n  out[i] = {reductions} {value}\n')


def related(relation):
    return {
        **program(
            'output Z = X', head=f'program p\nsizes N = 2\nwhere {relation}\ninput X: f32[N]\n'
        ),
        'candidate.tp': IDENTITY,
    }


def relation_depth(n):  # N, n - 2 sums, the relation
    summands = ' + '.join(f'N * {i}' for i in range(2, n))
    return related(f'N < {summands}')


def relation_steps(n):  # N, and the sums of n - 1 numbers and names; chains are none
    names = ['N'] * (n - 1)
    sums = [' + '.join(names[i : i + 1000]) for i in range(0, n - 1, 1000)]
    return related('N < ' + ' + '.join(f'({each})' for each in sums))


def steps(n):  # one of the result's extent, one of each number
    return own('op f(x[n]) -> [n]\n  out[i] = ' + '+'.join('1' * (n - 1)) + '\n')


def depth(n):  # the body of f, and of n - 1 functions
    functions = 'func g0(x) = x\n' + ''.join(
        f'func g{i}(x) = g{i - 1}(x)\n' for i in range(1, n - 1)
    )
    return own(functions + f'op f(x[n]) -> [n]\n  out[i] = g{n - 2}(x[i])\n')


def theorem(n):  # n obligations, of 2^15 times `x[i0] + ` each; 2^18 bytes and a little
    doubled = ''.join(f'  let l{i}[k] = l{i - 1}[k] + l{i - 1}[k]\n' for i in range(1, 14))
    specification = (
        f'op f(x[n]) -> [n]\n  let l0[k] = x[k] + x[k] + x[k] + x[k]\n{doubled}  out[i] ='
        ' sqrt(l13[i])\n'
    )
    return {
        'own.sem': specification,
        **program(*(f'a{i} = f(X)' for i in range(n)), 'output Z = X'),
        'candidate.tp': IDENTITY,
    }


def name(n):
    return program('output Z = ' + 'a' * n, head=f"program p\nsizes N\ninput {'a' * n}: f32[N]\n")


def number(n):
    return program('output Z = X * ' + '1' * n)


def minus(n):
    return program('output Z = ' + '-' * n + 'X')


def digits(n):
    return program(
        'output Z = X', head=f"program p\nsizes N >= {'1'.rjust(n, '0')}\ninput X: f32[N]\n"
    )


def exponent(n):
    return program(f'output Z = X * 1e{n}')


def small_exponent(n):
    return program(f'output Z = X * 1e-{n}')


def scalar_nesting(n):  # a body nests by each operand
    return own('op f(x[n]) -> [n]\n  out[i] = ' + '(' * (n - 2) + 'x[i]' + ')' * (n - 2) + '\n')


def value_digits(n):
    return program(
        'output Z = X', head=f"program p\nsizes N = {'1'.rjust(n, '0')}\ninput X: f32[N]\n"
    )


def axis_digits(n):
    return {
        **program('output Z = X'),
        'candidate.mug': (
            "mugraph q\nsizes G, T\nwhere N = G * T\nkernel k\n  grid x = G\n  load x [T] = X x ->"
            f" {'0' * n}\n  store Z [T] = x x -> 0\nend\n"
        ),
    }


# --- tile programs
def tile(*lines):
    head = 'tile q\nsizes N\ninput X: f32[N]\noutput Z: f32[N] = 0\n'
    return {
        **program('output Z = X'),
        'candidate.tile': head + ''.join(line + '\n' for line in lines),
    }


def tile_loops(n):
    return tile(*(f'for k{i} = 0 to N' for i in range(n)), *['end'] * n)


def lanes(n):
    return tile('make t[' + ', '.join(f'i{k} < N' for k in range(n)) + '] = 0')


def loop_nesting(n):  # a loop counts as one
    return tile('for k = 0 to N', 'make t[] = ' + '-' * n + 'N', 'end')


def tile_tensors(n):  # the input and the output are two
    return tile(*(f'scratch s{i}: f32[]' for i in range(n - 2)))


def tile_definitions(n):
    return tile('scratch s: f32[] = 0', *['store s[] = 0'] * n)


# --- certificates: each makes lines that follow PROOF
def deep(n):
    return ["v 'x 'r"] + [f'exp t{TERMS + i}' for i in range(n - 1)]


def bound_index(n):
    return [f"b ={n} 'i"]


def width(n):
    return [
        'q =0 =1',
        'q =1 =1',
        f'fold =0 ={n} ' + ' '.join([f't{TERMS + 1}'] + [f't{TERMS}'] * (2 * n)),
    ]


def binders(n):
    return [f'all ={n} t1']


def long_number(n):
    return [f"q ={'7' * n} =1"]


def word(n):
    return [f"v '{'w' * n} 'r"]


def pairs(n):
    lines = ['hyp t1'] + [f"v 'x{i} 'r" for i in range(n)]
    return lines + [
        f'inst s{STEPS} | ' + ' , '.join(f't{TERMS + i} t{TERMS + i}' for i in range(n)) + ' | |'
    ]


def functions(n):
    lines = ['hyp t1', "v 'x 'r"]
    return lines + [
        f'inst s{STEPS} | | ' + ' , '.join(f"'f{i} 'r:r t{TERMS} t{TERMS}" for i in range(n)) + ' |'
    ]


def invariants(n):
    lines = [
        "v 'k 'i",
        "v 'm 'i",
        "q =0 =1",
        f"<= t{TERMS + 2} t{TERMS + 1}",
        f'hyp t{TERMS + 3}',
        f'= t{TERMS + 2} t{TERMS + 2}',
        f'arith t{TERMS + 4} |',
    ]
    many = lambda token: ' '.join([token] * n)
    return lines + [
        f"induct t{TERMS} t{TERMS + 1} =0 | {many(f't{TERMS + 4}')} | {many(f's{STEPS + 1}')} |"
        f" {many(f's{STEPS + 1}')} | s{STEPS}"
    ]


def sum_of(variables, at):
    """Lines that make the sum of these terms, and the number of the sum."""
    lines, total = [], variables[0]
    for variable in variables[1:]:
        lines.append(f'+ t{total} t{variable}')
        total = at + len(lines) - 1
    return lines, total


def products(n):  # of a sum of 500 and one of n monomials
    lines = [f"v 'a{i} 'r" for i in range(500)] + [f"v 'b{i} 'r" for i in range(n)]
    for first, last in ((0, 500), (500, 500 + n)):
        more, total = sum_of([TERMS + i for i in range(first, last)], TERMS + len(lines))
        lines += more
        if first == 0:
            left = total
    at = TERMS + len(lines)
    return lines + [f'* t{left} t{total}', f'= t{at} t{at}', f'arith t{at + 1} |']


def degree(n):  # x^n by squaring
    lines, power, at = ["v 'x 'r"], {1: TERMS}, TERMS + 1

    def of(k):
        nonlocal at
        if k not in power:
            half, rest = of(k // 2), of(k - k // 2)
            lines.append(f'* t{half} t{rest}')
            power[k] = at
            at += 1
        return power[k]

    total = of(n)
    return lines + [f'= t{total} t{total}', f'arith t{at} |']


def bits(n):  # 2^32768 * 2^(n - 32769), a number of n bits
    return [
        f'q ={2 ** 32768} =1',
        f'q ={2 ** (n - 32769)} =1',
        f'* t{TERMS} t{TERMS + 1}',
        f'= t{TERMS + 2} t{TERMS + 2}',
        f'arith t{TERMS + 3} |',
    ]


# name, words of the message, what is made, the number within, the number beyond
TEXTS = [
    ('bytes of a text', 'bytes in a text', text_bytes, 1 << 20, (1 << 20) + 1),
    ('characters of a name', 'characters in a name', name, 100, 101),
    ('characters of a number', 'characters in a name', number, 100, 101),
    ('brackets', 'brackets within each other', brackets, 100, 101),
    ('nesting of tensors', 'expressions within each other', minus, 99, 100),
    ('nesting of scalars', 'expressions within each other', scalar_nesting, 100, 101),
    ('digits of a least value', 'digits where', digits, 12, 13),
    ('exponent', 'powers of ten', exponent, 1000, 1001),
    ('negative exponent', 'powers of ten', small_exponent, 1000, 1001),
    ('digits of a concrete value', 'digits where', value_digits, 12, 13),
    ('digits of an axis', 'digits where', axis_digits, 12, 13),
    ('files used', 'files used', used, 64, 65),
    ('axes', 'axes of a tensor', axes, 8, 9),
    ('arguments', 'arguments or attributes', arguments, 8, 9),
    ('attributes', 'arguments or attributes', attributes, 8, 9),
    ('arguments of a function', 'arguments or attributes', function_arguments, 8, 9),
    ('parts of a shape', 'parts of a shape', parts, 10, 11),
    ('definitions', 'definitions in an operator', lets, 16, 17),
    ('names', 'names in an operator', names, 64, 65),
    ('sizes', '512 sizes', sizes, 512, 513),
    ('inputs', '512 inputs', inputs, 512, 513),
    ('outputs', '512 outputs', outputs, 512, 513),
    ('stores', '64 stores', stores, 64, 65),
    ('relations', 'relations between sizes', relations, 1024, 1025),
    ('tensors', 'tensors of a side', tensors, 20000, 20001),
    ('obligations', 'obligations of a side', obligations, 20000, 20001),
    ('hypotheses of all goals', 'hypotheses, those of all goals', hypotheses, 4469, 4470),
    ('conditions', 'conditions around one place', conditions, 96, 97),
    ('steps', 'steps to expand one call', steps, 100000, 100001),
    ('depth of a relation', 'term too deep', relation_depth, 3000, 3001),
    ('steps of a relation', 'steps to expand one call', relation_steps, 100000, 100001),
    ('depth', 'functions and definitions written out', depth, 1000, 1001),
    ('loops of a tile program', 'loops within each other', tile_loops, 8, 9),
    ('lanes', 'axes of a tensor', lanes, 8, 9),
    ('nesting in a loop', 'expressions within each other', loop_nesting, 98, 99),
    ('tensors of a tile program', 'tensors of a side', tile_tensors, 20000, 20001),
    ('definitions of a tile program', 'tensors of a side', tile_definitions, 20000, 20001),
    ('bytes of the theorem', 'bytes in the theorem', theorem, 63, 64),
]
CERTIFICATES = [
    ('depth of a term', 'term too deep', deep, 3000, 3001),
    ('bound index', 'bound index too large', bound_index, 3000, 3001),
    ('width of a fold', 'shape of fold', width, 64, 65),
    ('binders of a clause', 'at most 64 variables', binders, 64, 65),
    ('digits of a number', 'no token', long_number, 10000, 10001),
    ('bytes of a word', 'no token', word, 255, 256),
    ('pairs of an instance', 'at most 1000', pairs, 1000, 1001),
    ('functions of an instance', 'at most 1000', functions, 1000, 1001),
    ('invariants', 'number of invariants', invariants, 1000, 1001),
    ('pairs of monomials', 'polynomial too large', products, 400, 401),
    ('degree of a monomial', 'polynomial too large', degree, 10000, 10001),
    ('bits of a coefficient', 'polynomial too large', bits, 65536, 65537),
]
LARGEST_CERTIFICATE = 1 << 28


class Suite:
    def __init__(self, library, checker, words):
        self.command = checker + ['--sem', os.path.abspath(library)]
        self.words = words
        self.wrong = self.pinned = 0

    def run(self, arguments, folder):
        done = subprocess.run(
            self.command + arguments, cwd=folder, capture_output=True, timeout=900, check=False
        )
        return done.returncode, (done.stdout[-4000:] + done.stderr[-4000:]).decode(errors='replace')

    def claim(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name_of_file, text in files.items():
                with open(os.path.join(folder, name_of_file), 'w', encoding='ascii') as out:
                    out.write(text)
            given = 'given.rule' if 'given.rule' in files else 'given.tp'
            candidate = next(
                (c for c in ('candidate.tp', 'candidate.mug', 'candidate.tile') if c in files),
                files.get('candidate', given),
            )
            return self.run(
                (['--sem', 'own.sem'] if 'own.sem' in files else [])
                + ['--goals', given, candidate],
                folder,
            )

    def certificate(self, lines, length=0):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, 'given.tp'), 'w', encoding='ascii') as out:
                out.write(IDENTITY)
            with open(os.path.join(folder, 'proof.cert'), 'w', encoding='ascii') as out:
                out.write(''.join(line + '\n' for line in PROOF + lines))
            if length:
                os.truncate(os.path.join(folder, 'proof.cert'), length)
            return self.run(['given.tp', 'given.tp', 'proof.cert'], folder)

    def say(self, wanted, got, what, words=None):
        status, message = got
        if status != wanted:
            print(f'{what}: exit status {status}, not {wanted}: {message[-300:]}')
        elif self.words and words and words not in message:
            print(f'{what}: the message does not say `{words}`: {message[:300]}')
        else:
            return
        self.wrong += 1

    def pin(self, what, words, beyond_status, outcome, within, beyond):
        self.pinned += 1
        self.say(0, outcome(within), f'{what}, {within}')
        self.say(beyond_status, outcome(beyond), f'{what}, {beyond}', words)


def main():
    arguments = sys.argv[1:]
    words = arguments[:1] == ['--words']
    arguments = arguments[words:]
    only = without = ''
    if arguments[:1] == ['--only']:
        only, arguments = arguments[1], arguments[2:]
    elif arguments[:1] == ['--except']:
        without, arguments = arguments[1], arguments[2:]
    library, *checker = arguments
    if os.sep in checker[0]:
        checker[0] = os.path.abspath(checker[0])
    suite = Suite(library, checker, words)
    for what, said, make, within, beyond in TEXTS:
        if only in what and not (without and without in what):
            suite.pin(what, said, 2, lambda n, make=make: suite.claim(make(n)), within, beyond)
    for what, said, make, within, beyond in CERTIFICATES:
        if only in what and not (without and without in what):
            suite.pin(
                what, said, 1, lambda n, make=make: suite.certificate(make(n)), within, beyond
            )
    if not only:  # zero bytes are rejected too, for another reason
        suite.pinned += 1
        suite.say(
            1,
            suite.certificate([], LARGEST_CERTIFICATE),
            f'certificate of {LARGEST_CERTIFICATE} bytes',
            'zero byte',
        )
        suite.say(
            1,
            suite.certificate([], LARGEST_CERTIFICATE + 1),
            f'certificate of {LARGEST_CERTIFICATE + 1} bytes',
            'more than 2^28 bytes',
        )
    print(f'{suite.pinned} limits pinned from both sides, {suite.wrong} wrong')
    return 1 if suite.wrong or not suite.pinned else 0


if __name__ == '__main__':
    sys.set_int_max_str_digits(0)
    sys.exit(main())
