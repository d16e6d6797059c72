"""Operators and functions of specification files (CLAIM.md section 0)."""

from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import SimpleNamespace

from .grammar import Refused, ensure, parse_text, within
from .scalars import BUILTIN, FUNCTIONS, Scalars
from .terms import variable


def read(path):
    try:
        return Path(path).read_bytes()
    except OSError as problem:
        raise Refused(f"{path}: {problem.strerror}") from None


@dataclass(eq=False)
class Definition:
    kind: str  # op or func
    name: str
    parts: tuple
    users: set  # who knows its file: all ("library"), the given side, the candidate
    number: int  # in the order in which definitions become known


# whose definitions a name means first, by what is being read
ORDERS = {
    "given": ("given", "library"),
    "mugraph": ("candidate", "given", "library"),
    "program": ("candidate", "library", "given"),
}


class Library:
    def __init__(self):
        self.files = {}  # by what is in them: a name, and their users; the same text is one file
        self.known = {}  # by kind and name: the definitions, in order
        self.number = 0
        self.done = set()  # users whose files are known
        self.reader = "given"

    def open_path(self, path, user):
        for file in sorted(Path(path).glob("*.sem")) if Path(path).is_dir() else [path]:
            _, users = self.files.setdefault(read(file), (str(file), set()))
            users.add(user)

    def open_used(self, names, by, user):
        within("files used", len(names))
        for name in names:
            self.open_path(Path(by).parent / name, user)

    def know(self, user):
        """Files of that user that are not known yet."""
        for data, (name, users) in list(self.files.items()):
            if user in users and not users & self.done:
                self.add(parse_text("library", data, name), users)
        self.done.add(user)

    def add(self, definitions, users):
        for kind, name, *parts in definitions:
            others = self.known.setdefault((kind, name), [])
            twice = any(other.users & users for other in others)
            ensure(not twice, f"{name} is defined twice")
            self.number += 1
            made = Definition(kind, name, tuple(parts), users, self.number)
            if kind == "func":
                self._check_function(made)
            others.append(made)

    def find(self, kind, name, behind=None):
        """What the name means in what is read, or in the body of a definition: None: nothing."""
        given = behind and "candidate" not in behind.users
        for user in ORDERS["given" if given else self.reader]:
            for other in self.known.get((kind, name), ()):
                if user in other.users and (behind is None or other.number < behind.number):
                    return other
        return None

    def all(self, kind):
        return [made for made in chain(*self.known.values()) if made.kind == kind]

    def _check_function(self, made):
        name, (parameters, body) = made.name, made.parts
        ensure(name not in FUNCTIONS, f"{name} is known to all")
        within("arguments of a call", len(parameters))
        ensure(len(set(parameters)) == len(parameters), f"{name} has a parameter twice")
        if body != BUILTIN:
            anywhere = SimpleNamespace(claim=SimpleNamespace(library=self), oblige=lambda *_: None)
            reals = {parameter: variable(parameter, "r") for parameter in parameters}
            Scalars(anywhere, reals, behind=made).scalar(body)
