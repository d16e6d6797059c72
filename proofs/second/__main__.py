"""usage: second [--sem FILE|DIR].. [-q] SPEC CANDIDATE CERT
       second [--sem FILE|DIR].. [-q] FILE.rule NAME[.reverse] CERT
       second [--sem FILE|DIR].. --goals SPEC CANDIDATE

A second checker of certificates, written from CLAIM.md, FORMAT.md and RULES.md alone.
Exit status: 0 accepted, 1 rejected, 2 bad input, 4 a fault of the checker itself.
"""

import getopt
import os
import sys
import threading
from itertools import chain
from pathlib import Path

from .certificate import replay
from .claim import Claim
from .grammar import Refused, ensure, parse_rules, parse_text
from .library import Library, read
from .terms import Rejected, forget_terms

ACCEPTED, REJECTED, BAD_INPUT, _, FAILED = range(5)


def state(sems, spec, candidate):
    """The claim; Refused (or Rejected, by a bound of terms) where there is none."""
    library = Library()
    for sem in sems:
        library.open_path(sem, "library")
    claim = Claim(library)
    if spec.endswith(".rule"):
        name = candidate.removesuffix(".reverse")
        uses, definitions, tree, text = parse_rules(read(spec), spec, name)
        library.open_used(uses, spec, "given")
        library.know("library")
        library.know("given")
        library.add(definitions, {"given"})
        claim.read_rule(tree, text, candidate != name)
        return claim
    kind, uses, _, *parts = parse_text("given", read(spec), spec)
    other_kind, other_uses, _, *others = parse_text("graph", read(candidate), candidate)
    library.open_used(uses, spec, "given")
    library.open_used(other_uses, candidate, "candidate")
    library.know("library")
    library.know("given")
    claim.read_given(kind, list(chain(*parts)))
    library.reader = "mugraph" if other_kind == "mugraph" else "program"
    library.know("candidate")
    claim.read_candidate(other_kind, list(chain(*others)))
    return claim


def print_claim(claim):
    for clause in claim.definition_clauses():
        print("define", clause)
    for relation in claim.sizes.stated:
        print("stated", relation)
    for clause in claim.given_clauses():
        print("given", clause)
    for name, relation, conditions in claim.goals:
        print("goal", name, relation)
        for condition in conditions:
            print("  if", condition)


def allowed(claim):
    """name -> (formula, allowed hypotheses) of each goal."""
    common = {*claim.sizes.stated, *claim.given_clauses(), *claim.definition_clauses()}
    return {name: (formula, common.union(given)) for name, formula, given in claim.goals}


def check(sems, spec, candidate, certificate):
    forget_terms()
    try:
        goals = allowed(state(sems, spec, candidate))
        data = read(certificate)
    except (Refused, Rejected) as problem:
        print(f"bad input: {problem}", file=sys.stderr)
        return BAD_INPUT
    try:
        replay(data, goals)
    except Rejected as problem:
        print(f"rejected {certificate}: {problem}")
        return REJECTED
    print(f"accepted {certificate}")
    return ACCEPTED


def main(arguments):
    try:
        options, files = getopt.gnu_getopt(arguments, "q", ["sem=", "goals", "help"])
        given = dict(options)
        count = 0 if "--help" in given else 2 if "--goals" in given else 3
        ensure(len(files) == count, "another number of files is asked for")
        beside = Path(__file__).resolve().parents[2] / "semantics"
        sems = [value for name, value in options if name == "--sem"]
        sems = sems or [os.environ.get("ASSAY_SEM") or str(beside)]
        if "--help" in given:
            print(__doc__)
        elif "--goals" in given:
            print_claim(state(sems, *files))
        else:
            return check(sems, *files)
    except (getopt.GetoptError, Refused, Rejected) as problem:
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
    return results[0] if results else FAILED


if __name__ == "__main__":
    sys.exit(run_deep(main, sys.argv[1:]))
