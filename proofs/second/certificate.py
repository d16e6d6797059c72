"""Replay of a certificate (FORMAT.md)."""

import re

from .rules import Rules
from .terms import BINARY, RELATIONS, UNARY, Rejected, need

_NUMBER = re.compile(r"0|[1-9][0-9]*")
_COUNT_LIMIT = 1_000_000
_DIGITS = 10_000
_WORD = 255
_LIST = 1_000


class _Line:
    """The tokens of one line, taken from the left."""

    def __init__(self, text, replay):
        self.tokens = text.split(" ")
        need(all(self.tokens), "blanks are not single")
        self.at = 0
        self.replay = replay

    def _next(self, what):
        need(self.at < len(self.tokens), f"the line ends where {what} is wanted")
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def _reference(self, letter, made):
        token = self._next("a number")
        need(token[0] == letter and _NUMBER.fullmatch(token[1:]), f"{token} is no {letter}-number")
        need(len(token) < 12 and int(token[1:]) < len(made), f"{token} is not there yet")
        return made[int(token[1:])]

    def term(self):
        return self._reference("t", self.replay.terms)

    def step(self):
        return self._reference("s", self.replay.steps)

    def number(self):
        token = self._next("a number")
        need(re.fullmatch(r"=-?[0-9]+", token), f"{token} is no number")
        need(len(token.lstrip("=-")) <= _DIGITS, "a number has too many digits")
        return int(token[1:])

    def count(self):
        token = self._next("a count")
        need(token[0] == "=" and _NUMBER.fullmatch(token[1:]), f"{token} is no count")
        need(len(token) < 12 and int(token[1:]) < _COUNT_LIMIT, "a count is too large")
        return int(token[1:])

    def word(self):
        token = self._next("a word")
        need(token[0] == "'" and 1 <= len(token) - 1 <= _WORD, f"{token} is no word")
        need("|" not in token and "," not in token, "a word has a bar or comma in it")
        return token[1:]

    def symbol(self, wanted):
        need(self._next(wanted) == wanted, f"`{wanted}` is missing")

    def end(self):
        need(self.at == len(self.tokens), "something is left over at the end of a line")

    def terms(self):
        return self._while("t", self.term)

    def steps(self):
        return self._while("s", self.step)

    def _while(self, letter, take):
        found = []
        while self.peek() is not None and self.peek()[0] == letter:
            found.append(take())
        return found

    def group(self, item):
        """Items with commas between them, up to a bar or the end; possibly none."""
        found = []
        if self.peek() in (None, "|"):
            return found
        found.append(item())
        while self.peek() == ",":
            self.symbol(",")
            found.append(item())
        return found


class Replay:
    def __init__(self, table):
        self.table = table
        self.rules = Rules(table)
        self.terms = []
        self.steps = []
        self.used = {}

    def run(self, data, goals):
        """goals: name -> (formula, allowed hypotheses).  Rejected, with the line, or nothing."""
        need(b"\0" not in data, "the file has a zero byte")
        lines = data.decode("latin-1").split("\n")
        need(lines[-1] == "", "the last line does not end")
        need(lines[0] == "assay-cert 1", "the first line is another")
        proved = set()
        for count, text in enumerate(lines[1:-1], 2):
            try:
                self._line(text, goals, proved)
            except Rejected as problem:
                raise Rejected(f"line {count}: {problem}") from None
        missing = [name for name in goals if name not in proved]
        need(goals, "there is no goal")
        need(not missing, f"goal {missing[:1]} is not proved")

    def _line(self, text, goals, proved):
        need(text, "an empty line")
        head, _, rest = text.partition(" ")
        line = _Line(rest, self) if rest else _Line("x", self)
        if not rest:
            line.at = 1
        need(rest or text == head, "a blank at the end")
        if head == "qed":
            self._qed(line, goals, proved)
        elif head in _STEPS:
            theorem = _STEPS[head](line, self.rules)
            line.end()
            self.steps.append(theorem)
            self.used[head] = self.used.get(head, 0) + 1
        else:
            term = self._term(head, line)
            line.end()
            self.terms.append(term)

    def _term(self, head, line):
        make = self.table.make
        if head in BINARY or head in RELATIONS:
            return make(head, line.term(), line.term())
        if head in UNARY:
            return make(head, line.term())
        if head == "ite":
            return make(head, line.term(), line.term(), line.term())
        if head == "q":
            return make(head, line.number(), line.number())
        if head == "v":
            return make(head, line.word(), line.word())
        if head == "b":
            return make(head, line.count(), line.word())
        if head == "app":
            return make(head, line.word(), line.word(), *line.terms())
        if head == "fold":
            return make(head, line.count(), line.count(), *self._some(line))
        need(head == "all", f"`{head}` begins no line")
        return make(head, line.count(), *self._some(line))

    @staticmethod
    def _some(line):
        terms = line.terms()
        need(terms, "terms are missing")
        return terms

    def _qed(self, line, goals, proved):
        name = line._next("a goal")
        hypotheses, formula = line.step()
        line.end()
        need(name in goals, f"there is no goal {name}")
        need(name not in proved, f"goal {name} is named twice")
        wanted, allowed = goals[name]
        need(formula == wanted, f"goal {name} is another formula")
        need(hypotheses <= allowed, f"goal {name} is proved from more than is allowed")
        proved.add(name)


def _use(line, rules):
    clause = line.step()
    line.symbol("|")
    terms = line.terms()
    line.symbol("|")
    return rules.use(clause, terms, line.steps())


def _inst(line, rules):
    theorem = line.step()
    line.symbol("|")
    pairs = line.group(lambda: (line.term(), line.term()))
    line.symbol("|")
    functions = line.group(lambda: _function(line))
    line.symbol("|")
    need(len(pairs) <= _LIST and len(functions) <= _LIST, "inst replaces too much")
    return rules.inst(theorem, pairs, functions, line.steps())


def _function(line):
    name, signature = line.word(), line.word()
    terms = line.terms()
    need(terms, "a function has no body")
    return name, signature, terms[:-1], terms[-1]


def _foldcong(line, rules):
    a, b = line.term(), line.term()
    line.symbol("|")
    variables = line.terms()
    line.symbol("|")
    return rules.foldcong(a, b, variables, line.steps())


def _arith(line, rules):
    goal = line.term()
    line.symbol("|")
    return rules.arith(goal, line.group(lambda: (line.term(), line.steps())))


def _law(line, rules):
    name = line.word()
    line.symbol("|")
    terms = line.terms()
    line.symbol("|")
    return rules.law(name, terms, line.steps())


def _induct(line, rules):
    k, n, j = line.term(), line.term(), line.count()
    line.symbol("|")
    invariants = line.terms()
    line.symbol("|")
    bases = line.steps()
    line.symbol("|")
    steps = line.steps()
    line.symbol("|")
    need(len(invariants) <= _LIST, "induct has too many invariants")
    return rules.induct(k, n, j, invariants, bases, steps, line.step())


_STEPS = {
    "hyp": lambda line, rules: rules.hyp(line.term()),
    "use": _use,
    "inst": _inst,
    "cases": lambda line, rules: rules.cases(line.term(), line.step(), line.step()),
    "cong": lambda line, rules: rules.cong(line.term(), line.term(), line.steps()),
    "foldcong": _foldcong,
    "arith": _arith,
    "antisym": lambda line, rules: rules.antisym(line.step(), line.step()),
    "int": lambda line, rules: rules.int(line.term(), line.step()),
    "law": _law,
    "zero": lambda line, rules: rules.zero(line.term(), line.step()),
    "succ": lambda line, rules: rules.succ(line.term(), line.term(), line.step()),
    "induct": _induct,
}
