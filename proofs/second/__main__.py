"""usage: second [--sem FILE|DIR].. [-q] SPEC CANDIDATE CERT
       second [--sem FILE|DIR].. [-q] FILE.rule NAME[.reverse] CERT
       second [--sem FILE|DIR].. --goals SPEC CANDIDATE
       second [--sem FILE|DIR].. --batch LIST

A second checker of certificates, written from CLAIM.md, FORMAT.md and RULES.md alone.
Exit status: 0 accepted, 1 rejected, 2 bad input.
"""

import os
import sys
import threading
from pathlib import Path

from .certificate import Replay
from .graphs import Builder
from .syntax import Parser, Refused, ensure
from .terms import Rejected, Terms

ACCEPTED, REJECTED, BAD_INPUT = range(3)


def read(path):
    try:
        return Path(path).read_bytes()
    except OSError as problem:
        raise Refused(f"{path}: {problem.strerror}") from None


class Library:
    """Operators and functions of specification files, each file read once."""

    def __init__(self):
        self.ops, self.funcs, self.seen = {}, {}, set()

    def add_path(self, path):
        path = Path(path)
        for file in sorted(path.glob("*.sem")) if path.is_dir() else [path]:
            self.add_file(file)

    def add_file(self, path):
        real = os.path.realpath(path)
        if real not in self.seen:
            self.seen.add(real)
            self.add(*Parser(read(path), str(path)).specification())

    def add(self, funcs, ops):
        for _, name, parameters, body in funcs:
            ensure(name not in self.funcs, f"two functions {name}")
            self.funcs[name] = (parameters, body)
        for op in ops:
            ensure(op["name"] not in self.ops, f"two operators {op['name']}")
            self.ops[op["name"]] = op


def state(terms, sems, spec, candidate):
    """(builder, goals) of a claim; Refused where there is none."""
    library = Library()
    for sem in sems:
        library.add_path(sem)
    text = Parser(read(spec), spec)
    folder = Path(spec).parent
    if spec.endswith(".rule"):
        uses, funcs, ops, rules = text.rules()
        for use in uses:
            library.add_file(folder / use)
        library.add(funcs, ops)
        name, backwards = candidate, candidate.endswith(".reverse")
        if backwards:
            name = candidate[: -len(".reverse")]
        ensure(name in rules, f"{spec} has no rule {name}")
        builder = Builder(terms, library.ops, library.funcs)
        return builder, builder.rule(rules[name], backwards)
    program = text.program()
    other_text = Parser(read(candidate), candidate)
    is_program = candidate.endswith(".tp")
    other = other_text.program() if is_program else other_text.mugraph()
    for place, tree in ((folder, program), (Path(candidate).parent, other)):
        for use in tree[2]:
            library.add_file(place / use)
    builder = Builder(terms, library.ops, library.funcs)
    return builder, builder.pair(program, other)


def show_goals(terms, builder, goals):
    for clause in builder.definition_clauses():
        print("define", terms.show(clause))
    for relation in builder.stated:
        print("stated", terms.show(relation))
    for clause in builder.given_clauses():
        print("given", terms.show(clause))
    for name, relation, conditions in goals:
        print("goal", name, terms.show(relation))
        for condition in conditions:
            print("  if", terms.show(condition))


def check(sems, spec, candidate, certificate, quiet):
    terms = Terms()
    try:
        builder, goals = state(terms, sems, spec, candidate)
        data = read(certificate)
    except (Refused, Rejected) as problem:
        print(f"bad input: {problem}", file=sys.stderr)
        return BAD_INPUT
    common = frozenset(builder.stated + builder.given_clauses() + builder.definition_clauses())
    wanted = {name: (relation, common | set(given)) for name, relation, given in goals}
    replay = Replay(terms)
    try:
        replay.run(data, wanted)
    except Rejected as problem:
        print(f"rejected {certificate}: {problem}")
        return REJECTED
    print(f"accepted {certificate}")
    if not quiet:
        print(" ".join(f"{rule} {count}" for rule, count in sorted(replay.used.items())))
    return ACCEPTED


def batch(sems, path, quiet):
    worst = ACCEPTED
    for line in read(path).decode("latin-1").split("\n"):
        if not line.strip(" ") or line.startswith("#"):
            continue
        names = line.split()
        if len(names) != 3 or "\0" in line:
            print(f"bad input: {line!r} does not name three files", file=sys.stderr)
            worst = BAD_INPUT
            continue
        worst = max(worst, check(sems, *names, quiet))
    return worst


def main(arguments):
    sems, quiet, goals, listed, files = [], False, False, None, []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word in ("--sem", "--batch") and rest:
            value = rest.pop(0)
            listed = value if word == "--batch" else listed
            sems += [value] if word == "--sem" else []
        elif word in ("-q", "--goals"):
            quiet, goals = quiet or word == "-q", goals or word == "--goals"
        elif word.startswith("-"):
            print(__doc__, file=sys.stdout if word == "--help" else sys.stderr)
            return ACCEPTED if word == "--help" else BAD_INPUT
        else:
            files.append(word)
    if not sems:
        beside = Path(__file__).resolve().parents[2] / "semantics"
        sems = [os.environ.get("ASSAY_SEM") or str(beside)]
    if listed is not None and not files:
        return batch(sems, listed, True)
    if len(files) != (2 if goals else 3):
        print(__doc__, file=sys.stderr)
        return BAD_INPUT
    if not goals:
        return check(sems, *files, quiet)
    terms = Terms()
    try:
        show_goals(terms, *state(terms, sems, *files))
    except (Refused, Rejected) as problem:
        print(f"bad input: {problem}", file=sys.stderr)
        return BAD_INPUT
    return ACCEPTED


def run_deep(function, *arguments):
    """Terms may be 3,000 deep: a thread with a stack for that."""
    sys.setrecursionlimit(200_000)
    sys.set_int_max_str_digits(0)  # numbers of certificates have up to 10,000 digits
    threading.stack_size(1 << 29)
    results = []
    thread = threading.Thread(target=lambda: results.append(function(*arguments)))
    thread.start()
    thread.join()
    return results[0] if results else BAD_INPUT


if __name__ == "__main__":
    sys.exit(run_deep(main, sys.argv[1:]))
