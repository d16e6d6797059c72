"""Replay of a certificate (FORMAT.md): lines are rows of kinds of arguments, read by one reader."""

import re
from functools import lru_cache

from . import rules
from .rules import Theorem
from .terms import BINARY, RELATIONS, UNARY, Rejected, Term, make, need

# S step; N number; C count or index; W word; T term.  Kinds of terms: F closed formula, R closed
# relation, X closed term, I the same and integer.  `T*` any number of them; `(..),` any number of
# such groups with commas between them; `|` itself.
TERM_ROWS = {
    **dict.fromkeys(BINARY + RELATIONS, "T T"),
    **dict.fromkeys(UNARY, "T"),
    "ite": "T T T",
    "q": "N N",
    "v": "W W",
    "b": "C W",
    "app": "W W T*",
    "fold": "C C T*",
    "all": "C T*",
}
STEP_ROWS = {
    "hyp": (rules.hyp, "F"),
    "use": (rules.use, "S | I* | S*"),
    "inst": (rules.inst, "S | (X X), | (W W X*), | S*"),
    "cases": (rules.cases, "R S S"),
    "cong": (rules.cong, "X X S*"),
    "foldcong": (rules.foldcong, "X X | X* | S*"),
    "arith": (rules.arith, "R | (X S*),"),
    "antisym": (rules.antisym, "S S"),
    "int": (rules.int_, "R S"),
    "law": (rules.law, "W | X* | S*"),
    "zero": (rules.zero, "X S"),
    "succ": (rules.succ, "X I S"),
    "induct": (rules.induct, "X I C | R* | S* | S* | S"),
}
TERM_KINDS = {
    "T": lambda term: True,
    "F": lambda term: term.is_formula and term.closed,
    "R": lambda term: term.is_relation and term.closed,
    "X": lambda term: not term.is_formula and term.closed,
    "I": lambda term: not term.is_formula and term.closed and term.integer,
}
MAX_BYTES = 1 << 28
MAX_COUNT = 1_000_000
MAX_DIGITS = 10_000
MAX_WORD = 255
NUMBER = re.compile("=-?[0-9]+")
PLACE = re.compile("[ts=](0|[1-9][0-9]{0,9})")


@lru_cache
def items_of(row):
    """[(group or kind, `*` or `,` or nothing)]"""
    found = re.findall(r"(?:\(([^)]*)\)|([A-Z|]))([*,]?)", row)
    return [(group or kind, mark) for group, kind, mark in found]


class Line:
    """The tokens of one line, taken from the left."""

    def __init__(self, tokens, terms, steps):
        self.tokens = tokens[::-1]
        self.made = {"C": ("=", range(MAX_COUNT)), "S": ("s", steps), "T": ("t", terms)}

    def arguments(self, row):
        found = []
        for item, mark in items_of(row):
            if item == "|":
                need(self._take() == "|", "a `|` is missing")
            elif mark == ",":
                found.append(self._groups(item))
            elif mark == "*":
                letter = "s" if item == "S" else "t"
                found.append([])
                while self.tokens and self.tokens[-1][0] == letter:
                    found[-1].append(self._one(item))
            else:
                found.append(self._one(item))
        return found

    def _groups(self, row):
        if self.tokens[-1:] in ([], ["|"]):
            return []
        found = [self.arguments(row)]
        while self.tokens[-1:] == [","]:
            self._take()
            found.append(self.arguments(row))
        return found

    def _take(self):
        need(self.tokens, "the line ends too early")
        return self.tokens.pop()

    def _one(self, kind):
        token = self._take()
        if kind == "W":
            need(token[0] == "'" and 2 <= len(token) <= 1 + MAX_WORD, "no word")
            need("|" not in token and "," not in token, "a word has a bar or comma in it")
            return token[1:]
        if kind == "N":
            need(NUMBER.fullmatch(token), "no number")
            need(len(token.lstrip("=-")) <= MAX_DIGITS, "a number has too many digits")
            return int(token[1:])
        letter, made = self.made.get(kind, self.made["T"])
        need(token[0] == letter and PLACE.fullmatch(token), f"{token[:20]} is not of kind {kind}")
        need(int(token[1:]) < len(made), f"{token} is not there")
        found = made[int(token[1:])]
        need(TERM_KINDS.get(kind, bool)(found) or kind == "C", f"{token} is not of kind {kind}")
        return found


def theorem_of(conclusion, arguments):
    """What a rule returned, with the hypotheses of all premises if it named none."""
    if not isinstance(conclusion, Term):
        return Theorem(*conclusion)
    given, rest = set(), list(arguments)
    while rest:
        argument = rest.pop()
        if isinstance(argument, Theorem):
            given |= argument.given
        elif isinstance(argument, list):
            rest += argument
    return Theorem(conclusion, frozenset(given))


def replay(data, goals):
    """goals: name -> (formula, allowed hypotheses).  Rejected, with why, or nothing."""
    need(len(data) <= MAX_BYTES and b"\0" not in data, "a file too long, or with a zero byte")
    lines = data.decode("latin-1").split("\n")
    need(lines[-1] == "", "the last line does not end")
    need(lines[0] == "assay-cert 1", "the first line is another")
    terms, steps, proved = [], [], set()
    for count, text in enumerate(lines[1:-1], 2):
        head, *tokens = text.split(" ")
        try:
            need(all(tokens), "blanks are not single")
            line = Line(tokens, terms, steps)
            if head in TERM_ROWS:
                arguments = line.arguments(TERM_ROWS[head])
                many = arguments.pop() if isinstance(arguments[-1], list) else []
                terms.append(make(head, *arguments, *many))
            elif head in STEP_ROWS:
                rule, row = STEP_ROWS[head]
                arguments = line.arguments(row)
                steps.append(theorem_of(rule(*arguments), arguments))
            else:
                need(head == "qed" and len(tokens) == 2, f"`{text[:40]}` is no line")
                name = line.tokens.pop()
                need(name in goals and name not in proved, f"no goal {name}, or twice")
                (theorem,) = line.arguments("S")
                wanted, allowed = goals[name]
                need(theorem.formula is wanted, f"goal {name} is another formula")
                need(theorem.given <= allowed, f"goal {name} is proved from more than is allowed")
                proved.add(name)
            need(not line.tokens, "something is left over")
        except Rejected as problem:
            raise Rejected(f"line {count}: {problem}") from None
    need(goals and proved == goals.keys(), f"goals are not proved: {sorted(goals.keys() - proved)}")
