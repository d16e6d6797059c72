"""The readers of tile_reference.py: texts of docs/tile.md and docs/language.md as trees.

Shares nothing with the rest of the tree.
"""

import re

TOKEN = re.compile(
    r'[ \t]+|#[^\n]*'
    r'|(?P<t>\n|[A-Za-z_][A-Za-z0-9_]*'
    r'|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?'
    r'|"[^"\n]*"'
    r'|!=|<=|>=|->|\.\.|[()\[\],:;=<>+\-*/@~])'
)


class Unreadable(Exception):
    """not in the grammar that is read here"""


class Reader:
    def __init__(self, text):
        self.tokens, at, depth = [], 0, 0
        while at < len(text):
            found = TOKEN.match(text, at)
            if not found:
                raise Unreadable('character %r' % text[at])
            at = found.end()
            token = found.group('t')
            if token is None or (token == '\n' and depth):
                continue
            depth += (token in '([') - (token in ')]') if token in '()[]' else 0
            self.tokens.append(token)
        self.tokens.append('\n')
        self.at = 0

    @property
    def next(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ''

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, *words):
        if self.next in words:
            return self.take()
        return None

    def expect(self, word):
        if self.next != word:
            raise Unreadable('%r where %r is expected' % (self.next, word))
        return self.take()

    def name(self):
        if not re.match('[A-Za-z_]', self.next):
            raise Unreadable('no name: %r' % self.next)
        return self.take()

    def end_line(self):
        self.expect('\n')

    def list_of(self, read, close):
        items = []
        if self.accept(close):
            return items
        while True:
            items.append(read())
            if not self.accept(','):
                break
        self.expect(close)
        return items

    def chain(self, operators, part):
        left = part()
        while self.next in operators:
            left = ['bin', self.take(), left, part()]
        return left

    # scalars
    def scalar(self):
        return self.chain(('+', '-'), self.product)

    def product(self):
        return self.chain(('*', '/', 'div', 'mod'), self.unary)

    def unary(self):
        return ['neg', self.unary()] if self.accept('-') else self.atom()

    def atom(self):
        if self.accept('('):
            inner = self.scalar()
            self.expect(')')
            return inner
        token = self.take()
        if re.match('[0-9]', token):
            return ['num', token]
        if not re.match('[A-Za-z_]', token):
            raise Unreadable('no scalar: %r' % token)
        if token == 'if':
            self.expect('(')
            condition = self.condition()
            self.expect(',')
            yes = self.scalar()
            self.expect(',')
            no = self.scalar()
            self.expect(')')
            return ['if', condition, yes, no]
        if self.accept('['):
            return ['at', token, self.list_of(self.scalar, ']')]
        if self.accept('('):
            if token in ('sum', 'prod', 'max', 'min') and self.tokens[self.at + 1] == '<':
                counter = self.name()
                self.expect('<')
                bound = self.scalar()
                self.expect(')')
                return ['red', token, counter, bound, self.product()]
            return ['fun', token, self.list_of(self.scalar, ')')]
        return ['name', token]

    def condition(self):
        left = self.conjunction()
        return ['or', left, self.condition()] if self.accept('or') else left

    def conjunction(self):
        left = self.relation()
        return ['and', left, self.conjunction()] if self.accept('and') else left

    def relation(self):
        if self.accept('not'):
            return ['not', self.relation()]
        if self.next == '(':
            at = self.at
            try:
                self.take()
                inner = self.condition()
                self.expect(')')
                if self.next not in (
                    '=',
                    '!=',
                    '<',
                    '<=',
                    '>',
                    '>=',
                    '+',
                    '-',
                    '*',
                    '/',
                    'div',
                    'mod',
                ):
                    return inner
            except Unreadable:
                pass
            self.at = at
        left = self.scalar()
        if self.next not in ('=', '!=', '<', '<=', '>', '>='):
            raise Unreadable('no relation: %r' % self.next)
        return ['rel', self.take(), left, self.scalar()]

    # expressions of tensors
    def expression(self):
        return self.chain(('+', '-'), self.term)

    def term(self):
        return self.chain(('*', '/', '@'), self.factor)

    def factor(self):
        if self.accept('-'):
            return ['neg', self.factor()]
        if self.accept('('):
            inner = self.expression()
            self.expect(')')
            return inner
        token = self.take()
        if re.match('[0-9]', token):
            return ['num', token]
        if not re.match('[A-Za-z_]', token):
            raise Unreadable('no expression: %r' % token)
        if not self.accept('('):
            return ['name', token]
        arguments, attributes = [], {}

        def argument():
            if self.at + 1 < len(self.tokens) and self.tokens[self.at + 1] == '=':
                name = self.name()
                self.expect('=')
                attributes[name] = self.scalar()
            else:
                arguments.append(self.expression())

        self.list_of(argument, ')')
        return ['call', token, arguments, attributes]

    # declarations and statements
    def lanes(self):
        self.expect('[')

        def lane():
            name = self.name()
            self.expect('<')
            return [name, self.scalar()]

        return self.list_of(lane, ']')

    def place(self):
        name = self.name()
        self.expect('[')
        return [name, self.list_of(self.scalar, ']')]

    def tensor(self, kind):
        name = self.name()
        self.expect(':')
        dtype = self.take()
        self.expect('[')
        dims = self.list_of(self.scalar, ']')
        start = None
        if self.accept('='):
            start = -float(self.take()) if self.accept('-') else float(self.take())
        return {'kind': kind, 'name': name, 'type': dtype, 'dims': dims, 'start': start}

    def sizes(self):
        def size():
            name, least = self.name(), 1
            if self.accept('>='):
                least = int(self.take())
            value = int(self.take()) if self.accept('=') else None
            return [name, least, value]

        items = [size()]
        while self.accept(','):
            items.append(size())
        return {'kind': 'sizes', 'items': items}

    def where(self):
        items = [self.condition()]
        while self.accept(','):
            items.append(self.condition())
        return {'kind': 'where', 'items': items}

    def statement(self):
        word = self.take()
        if word in ('for', 'parallel'):
            line = {
                'kind': 'loop',
                'parallel': word == 'parallel',
                'name': self.name(),
                'step': ['num', '1'],
                'carry': [],
                'next': [],
            }
            self.expect('=')
            line['from'] = self.scalar()
            self.expect('to')
            line['to'] = self.scalar()
            if self.accept('step'):
                line['step'] = self.scalar()
            self.end_line()
            while self.accept('carry'):
                line['carry'].append(self.let(self.name()))
                self.end_line()
            line['body'] = self.statements()
            while self.accept('next'):
                line['next'].append(self.let(self.name()))
                self.end_line()
            self.expect('end')
            return line
        if word == 'load':
            line = {
                'kind': 'load',
                'name': self.name(),
                'lanes': self.lanes(),
                'mask': None,
                'else': None,
            }
            self.expect('=')
            line['place'] = self.place()
            if self.accept('where'):
                line['mask'] = self.condition()
                if self.accept('else'):
                    line['else'] = self.scalar()
            return line
        if word == 'make':
            line = {'kind': 'make', 'name': self.name(), 'lanes': self.lanes()}
            self.expect('=')
            line['value'] = self.scalar()
            return line
        if word == 'store':
            line = {'kind': 'store', 'place': self.place(), 'lanes': [], 'mask': None}
            self.expect('=')
            line['value'] = self.scalar()
            if self.accept('over'):
                line['lanes'] = self.lanes()
            if self.accept('where'):
                line['mask'] = self.condition()
            return line
        if word == 'scratch':
            return self.tensor('scratch')
        return self.let(word)

    def let(self, name):
        self.expect('=')
        return {'kind': 'let', 'name': name, 'value': self.expression()}

    def statements(self):
        lines = []
        while True:
            while self.accept('\n'):
                pass
            if self.next in ('', 'end', 'next'):
                return lines
            lines.append(self.statement())
            self.end_line()


def read(text):
    """a program: {'tile': bool, 'declarations': [..], 'body': [..]}"""
    r = Reader(text)
    while r.accept('\n'):
        pass
    form = r.take()
    if form not in ('tile', 'program'):
        raise Unreadable('no program: %r' % form)
    program = {'tile': form == 'tile', 'name': r.name(), 'declarations': [], 'body': []}
    r.end_line()
    while True:
        while r.accept('\n'):
            pass
        word = r.next
        if word == 'sizes':
            r.take()
            program['declarations'].append(r.sizes())
        elif word == 'where':
            r.take()
            program['declarations'].append(r.where())
        elif word in ('input', 'inout') or (form == 'tile' and word in ('output', 'scratch')):
            program['declarations'].append(r.tensor(r.take()))
        elif form == 'program' and word:
            output = bool(r.accept('output'))
            name = r.name()
            line = (
                r.let(name)
                if r.next == '='
                else {'kind': 'let', 'name': None, 'value': ['name', name]}
            )
            program['body'].append(dict(line, output=name if output else None))
        else:
            break
        r.end_line()
    if form == 'tile':
        program['body'] = r.statements()
    if r.next:
        raise Unreadable('what comes after: %r' % r.next)
    return program
