#!/usr/bin/env python3
"""Both checkers on mutated certificates and mutated texts: verdicts must be the same.

usage: agree.py ASSAY_CHECK SECOND_FOLDER SEMANTICS [--certificates N] [--texts N] [--seed N] DIR..

Each DIR holds program.tp, candidate.mug (or .tp) and certificate.cert.  SECOND_FOLDER is the folder
that holds the package `second`.  Prints how many were tried and accepted, and each difference.
"""

import argparse
import contextlib
import io
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ACCEPTED, REJECTED, BAD_INPUT = range(3)


def mutate_certificate(data, rng):
    """One or two small changes of a certificate's lines."""
    lines = data.split("\n")
    for _ in range(rng.choice((1, 1, 1, 2))):
        at = rng.randrange(1, len(lines) - 1)
        kind = rng.randrange(8)
        tokens = lines[at].split(" ")
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, lines[rng.randrange(1, len(lines) - 1)])
        elif kind == 2:
            other = rng.randrange(1, len(lines) - 1)
            lines[at], lines[other] = lines[other], lines[at]
        elif kind == 3 and len(tokens) > 1:
            place = rng.randrange(1, len(tokens))
            tokens[place] = _near(tokens[place], rng)
            lines[at] = " ".join(tokens)
        elif kind == 4 and len(tokens) > 2:
            i, j = rng.sample(range(1, len(tokens)), 2)
            tokens[i], tokens[j] = tokens[j], tokens[i]
            lines[at] = " ".join(tokens)
        elif kind == 5 and len(tokens) > 1:
            del tokens[rng.randrange(len(tokens))]
            lines[at] = " ".join(tokens)
        elif kind == 6:
            heads = "+ * div mod = # <= < inv exp sqrt log hyp use cong arith zero succ int".split()
            tokens[0] = rng.choice(heads)
            lines[at] = " ".join(tokens)
        else:
            tokens.insert(rng.randrange(1, len(tokens) + 1), rng.choice(tokens))
            lines[at] = " ".join(tokens)
        if len(lines) < 4:
            break
    return "\n".join(lines)


def _near(token, rng):
    if token[:1] in "ts" and token[1:].isdigit():
        number = int(token[1:])
        step = rng.choice((-3, -2, -1, 1, 2, 3, -number, rng.randrange(1, 50)))
        return token[0] + str(max(0, number + step))
    if token[:1] == "=":
        return "=" + str(int(token[1:] or 0) + rng.choice((-2, -1, 1, 2)))
    return rng.choice(("|", ",", "'i", "'r", "t0", "s0", "=0", token + "x"))


_WORDS = "sizes where input output = + - * / @ ( ) [ ] , : -> 0 1 2 none loop x y sum max".split()


def mutate_text(data, rng):
    """One or two tokens of a text changed, exchanged, left out or doubled."""
    import re

    tokens = re.findall(r"\s+|[A-Za-z_]\w*|\d+|->|.", data)
    places = [k for k, token in enumerate(tokens) if not token.isspace()]
    for _ in range(rng.choice((1, 1, 2))):
        at = rng.choice(places)
        kind = rng.randrange(4)
        if kind == 0:
            tokens[at] = ""
        elif kind == 1:
            tokens[at] = rng.choice(_WORDS)
        elif kind == 2:
            other = rng.choice(places)
            tokens[at], tokens[other] = tokens[other], tokens[at]
        else:
            tokens[at] += " " + tokens[rng.choice(places)]
    return "".join(tokens)


class Checkers:
    def __init__(self, options):
        sys.path.insert(0, str(Path(options.second).resolve()))
        import second.__main__ as second

        self.second = second
        self.check = options.check
        self.semantics = options.semantics

    def first_verdicts(self, triples, folder):
        """The verdicts of assay-check, one process each, so that no limit of one ends another."""
        found = []
        for triple in triples:
            done = subprocess.run(
                [self.check, "--sem", self.semantics, "-q", *triple], capture_output=True
            )
            found.append(done.returncode)
        return found

    def second_verdict(self, triple):
        hidden = io.StringIO()
        with contextlib.redirect_stdout(hidden), contextlib.redirect_stderr(hidden):
            verdict = self.second.check([self.semantics], *triple, True)
        return verdict, hidden.getvalue().strip()


def find(folder):
    folder = Path(folder)
    candidate = folder / "candidate.mug"
    return folder / "program.tp", candidate if candidate.exists() else folder / "candidate.tp"


def campaign(options):
    rng = random.Random(options.seed)
    checkers = Checkers(options)
    differences = accepted = 0
    jobs = ["certificate"] * options.certificates + ["text"] * options.texts
    with tempfile.TemporaryDirectory() as scratch:
        for number, job in enumerate(jobs):
            source = Path(rng.choice(options.folders))
            spec, candidate = find(source)
            certificate = source / "certificate.cert"
            place = Path(scratch)
            names = [place / spec.name, place / f"c-{candidate.name}", place / "p.cert"]
            texts = [p.read_text() for p in (spec, candidate, certificate)]
            if job == "certificate":
                texts[2] = mutate_certificate(texts[2], rng)
            else:
                which = rng.randrange(2)
                texts[which] = mutate_text(texts[which], rng)
            for name, text in zip(names, texts):
                name.write_text(text)
            triple = [str(n) for n in names]
            (first,) = checkers.first_verdicts([triple], place)
            second, words = checkers.second_verdict(triple)
            accepted += first == ACCEPTED
            if first != second:
                differences += 1
                kept = Path(options.keep or ".") / f"difference-{options.seed}-{number}"
                kept.mkdir(parents=True, exist_ok=True)
                for name, text in zip(names, texts):
                    (kept / name.name).write_text(text)
                print(f"{kept}: first {first}, second {second}: {words}")
    print(f"seed {options.seed}: {options.certificates} certificates, {options.texts} texts, "
          f"{accepted} accepted, {differences} differences")
    return 1 if differences else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("check")
    parser.add_argument("second")
    parser.add_argument("semantics")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--certificates", type=int, default=200)
    parser.add_argument("--texts", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    sys.exit(campaign(parser.parse_args()))


if __name__ == "__main__":
    from threading import Thread, stack_size

    sys.setrecursionlimit(200_000)
    stack_size(1 << 29)
    status = []

    def run():
        try:
            main()
        except SystemExit as end:
            status.append(end.code)

    thread = Thread(target=run)
    thread.start()
    thread.join()
    sys.exit(status[0] if status else 4)
