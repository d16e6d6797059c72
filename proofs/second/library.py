"""Operators and functions of specification files (CLAIM.md section 0)."""

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


class Library:
    def __init__(self):
        self.operators, self.functions, self.texts = {}, {}, set()

    def add_path(self, path):
        for file in sorted(Path(path).glob("*.sem")) if Path(path).is_dir() else [path]:
            data = read(file)
            if data not in self.texts:
                self.texts.add(data)
                self.add(parse_text("library", data, str(file)))

    def add_used(self, names, user):
        within("files used", len(names))
        for name in names:
            self.add_path(Path(user).parent / name)

    def add(self, definitions):
        for kind, name, *parts in definitions:
            others = self.operators if kind == "op" else self.functions
            ensure(name not in others, f"{name} is defined twice")
            if kind == "op":
                formals, attributes, *rest = parts
                self.operators[name] = formals, attributes or (), *rest
            else:
                self._add_function(name, *parts)

    def _add_function(self, name, parameters, body):
        ensure(name not in FUNCTIONS, f"{name} is known to all")
        within("arguments of a call", len(parameters))
        ensure(len(set(parameters)) == len(parameters), f"{name} has a parameter twice")
        if body != BUILTIN:
            anywhere = SimpleNamespace(claim=SimpleNamespace(library=self), oblige=lambda *_: None)
            reals = {parameter: variable(parameter, "r") for parameter in parameters}
            Scalars(anywhere, reals).scalar(body)
        self.functions[name] = parameters, body
