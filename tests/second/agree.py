#!/usr/bin/env python3
"""Both checkers on mutated certificates and mutated texts: what they say must be the same.

usage: agree.py ASSAY_CHECK SOURCE [--certificates N] [--texts N] [--seed N] [--keep FOLDER]
                [--languages LIST] [--tiles] [--extracted PROGRAM] [CASE..]

SOURCE is the source tree.  A CASE is a folder with program.tp (or .tile), candidate.mug (or .tp,
.tile) and certificate.cert; or FILE.rule:NAME:CERTIFICATE.  Beside these, certificates are taken
from the arena, and texts of all five languages from the vectors of claims.  Of a certificate the
verdicts are compared; of a text whether it is refused, and otherwise the claim, in its canonical
print. LIST are the parts of vectors that are mutated; with --tiles, of the arena those with tile
programs alone are taken.  With --extracted, assay-check-extracted is asked about each certificate
as well, of the claim that assay-elab beside it writes.
"""

import argparse
import contextlib
import io
import random
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

LANGUAGES = "given.tp,candidate.mug,given.rule,own.sem,given.tile,candidate.tile,candidate.tile"


def parts_of(path):
    """{part: text} of a case of the arena, or of a vector."""
    parts, name = {}, None
    for line in path.read_text(encoding="ascii").splitlines(keepends=True):
        if line.startswith("=== "):
            name = line[4:].strip()
            parts[name] = ""
        elif line.startswith("@repeat "):
            _, times, rest = line.split(" ", 2)
            parts[name] += rest * int(times)
        else:
            parts[name] += line
    return parts


# -- cases: {file name: text}, with the name of a rule under "candidate" -------------------------


def case_of(argument):
    if ":" in argument:
        rules, name, certificate = argument.split(":")
        texts = {"given.rule": rules, "proof.cert": certificate}
        return {"candidate": name, **{k: Path(v).read_text() for k, v in texts.items()}}
    folder = Path(argument)
    (given,), (candidate,) = folder.glob("program.*"), folder.glob("candidate.*")
    files = {"given" + given.suffix: given, candidate.name: candidate}
    files["proof.cert"] = folder / "certificate.cert"
    return {name: path.read_text() for name, path in files.items()}


def stored_cases(folder, pattern):
    return [parts_of(path) for path in sorted(folder.glob(pattern))]


def arguments_of(case, folder, library):
    """(specifications, given, candidate), the case's files being written."""
    for name, text in case.items():
        if "." in name:
            (folder / name).write_text(text)
    given = next(name for name in case if name.startswith("given."))
    graph = next(name for name in case if name.partition(".")[0] == "candidate")
    candidate = case[graph].strip() if graph == "candidate" else str(folder / graph)
    sems = [] if "alone" in case else [library]
    sems += [str(folder / "own.sem")] if "own.sem" in case else []
    return sems, str(folder / given), candidate


# -- mutations -----------------------------------------------------------------------------------


def near(token, rng):
    if token[:1] in "ts" and token[1:].isdigit():
        number = int(token[1:])
        step = rng.choice((-3, -2, -1, 1, 2, 3, -number, rng.randrange(1, 50)))
        return token[0] + str(max(0, number + step))
    if re.fullmatch("=-?[0-9]{1,20}", token):
        return "=" + str(int(token[1:]) + rng.choice((-2, -1, 1, 2)))
    return rng.choice(("|", ",", "'i", "'r", "t0", "s0", "=0", token + "x"))


HEADS = """+ * div mod = # <= < inv exp sqrt log ite q v b app fold all hyp use inst cases cong
foldcong arith antisym int law zero succ induct qed""".split()


def mutated_certificate(text, rng):
    """One or two small changes of lines."""
    lines = text.split("\n")
    for _ in range(rng.choice((1, 1, 1, 2))):
        if len(lines) < 4:
            break
        at, other = (rng.randrange(1, len(lines) - 1) for _ in range(2))
        tokens = lines[at].split(" ")
        place = rng.randrange(len(tokens))
        match rng.randrange(8):
            case 0:
                del lines[at]
                continue
            case 1:
                lines.insert(at, lines[other])
                continue
            case 2:
                lines[at], lines[other] = lines[other], lines[at]
                continue
            case 3:
                tokens[place] = near(tokens[place], rng)
            case 4:
                swap = rng.randrange(len(tokens))
                tokens[place], tokens[swap] = tokens[swap], tokens[place]
            case 5:
                del tokens[place]
            case 6:
                tokens[0] = rng.choice(HEADS)
            case 7:
                tokens.insert(place, rng.choice(tokens))
        lines[at] = " ".join(tokens)
    return "\n".join(lines)


def words_of(text):
    return re.findall(r"\s+|[A-Za-z_]\w*|\d+(?:\.\d+)?|->|\.\.|[!<>]=|.", text)


ALIKE = [{"for", "parallel"}, {"input", "inout", "output", "scratch"}, {"load", "make"}]
ALIKE += [{"f16", "bf16", "f32", "int"}, {"sum", "max", "min", "prod"}, {"and", "or"}]
ALIKE += [{"=", "<", "<=", ">", ">=", "!="}, {"+", "-", "*", "/"}, {"div", "mod"}]


def kind_of(word):
    """Words of one kind can often take each other's place."""
    for kind, words in enumerate(ALIKE):
        if word in words:
            return kind
    if word[0].isdigit():
        return "number"
    return "name" if word[0].isalpha() else "(" if word in "()[]" else "operator"


def mutated_text(text, vocabulary, rng):
    """One or two tokens changed, exchanged, left out, doubled or inserted, or a line moved."""
    for _ in range(rng.choice((1, 1, 2))):
        words = words_of(text)
        places = [k for k, word in enumerate(words) if not word.isspace()]
        if not places:
            break
        at, other = rng.choice(places), rng.choice(places)
        lines = text.split("\n")
        match rng.randrange(13):
            case 0:
                words[at] = ""
            case 1:
                words[at] = rng.choice(vocabulary)
            case 2:
                words[at], words[other] = words[other], words[at]
            case 3:
                words[at] += " " + words[other]
            case 4:
                words[at] += " " + rng.choice(vocabulary)
            case 5:
                words[at] = words[other]
            case 6:
                line = lines.pop(rng.randrange(len(lines)))
                lines.insert(rng.randrange(len(lines) + 1), line)
                words = ["\n".join(lines)]
            case 7 | 8 | 9:
                alike = [w for w in vocabulary if kind_of(w) == kind_of(words[at])]
                words[at] = rng.choice(alike)
            case _:
                here = [w for w in words if not w.isspace() and kind_of(w) == kind_of(words[at])]
                words[at] = rng.choice(here)
        text = "".join(words)
    return text


# -- the two checkers ----------------------------------------------------------------------------


class Checkers:
    def __init__(self, second, source, check, extracted=None):
        self.second, self.forget = second, second.forget_terms
        self.check, self.library = check, str(source / "semantics")
        self.extracted = extracted

    def first(self, sems, *arguments):
        command = [self.check, *(word for sem in sems for word in ("--sem", sem)), *arguments]
        return subprocess.run(command, capture_output=True, text=True, errors="replace")

    def write_claim(self, folder, sems, given, candidate):
        """The claim as a text, for the extracted checker."""
        elaborator = Path(self.extracted).with_name("assay-elab")
        command = [elaborator, *(word for sem in sems for word in ("--sem", sem)), given, candidate]
        with (folder / "claim").open("w") as out:
            subprocess.run(command, stdout=out, check=True)

    def third(self, folder):
        command = [self.extracted, folder / "claim", folder / "proof.cert"]
        return subprocess.run(command, capture_output=True, check=False).returncode

    def claim(self, sems, given, candidate):
        """(claim, its canonical print), or two Nones."""
        printed = io.StringIO()
        try:
            claim = self.second.state(sems, given, candidate)
        except (self.second.Refused, self.second.Rejected):
            return None, None
        with contextlib.redirect_stdout(printed):
            self.second.print_claim(claim)
        return claim, printed.getvalue()

    def verdict(self, goals, text):
        try:
            self.second.replay(text.encode("latin-1"), goals)
        except self.second.Rejected as problem:
            return 1, str(problem)
        return 0, ""


class Campaign:
    def __init__(self, options):
        source = Path(options.source).resolve()
        sys.path.insert(0, str(source / "proofs"))
        import second.__main__ as second

        self.checkers = Checkers(second, source, options.check, options.extracted)
        self.options = options
        self.rng = random.Random(options.seed)
        self.count = dict.fromkeys(
            ["certificates", "texts", "accepted", "stated", "differences"], 0
        )
        given = [case_of(argument) for argument in options.cases]
        arena = stored_cases(source / "arena/cases", "*.case")
        stated = [c for c in arena if c["expected"] != "decline\n" and c["kind"] != "definition\n"]
        small = [c for c in stated if len(c["proof.cert"]) < 50_000]
        if options.tiles:
            small = [case for case in small if any(name.endswith(".tile") for name in case)]
        self.proved = given * max(1, len(small) // (2 * max(1, len(given)))) + small
        vectors = stored_cases(source / "tests/claim/vectors", "*.vector")
        self.texts = given + vectors + 2 * [c for c in vectors if c["claim"] != "refused\n"]

    def report(self, case, words):
        self.count["differences"] += 1
        folder = Path(self.options.keep) / f"{self.options.seed}-{self.count['differences']}"
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in case.items():
            (folder / name).write_text(text)
        print(f"{folder}: {words}", flush=True)

    def certificates(self, number, folder):
        """Ten mutants of a case, so that its claim is made once."""
        while self.count["certificates"] < number:
            case = dict(self.rng.choice(self.proved))
            self.checkers.forget()
            arguments = arguments_of(case, folder, self.checkers.library)
            goals = self.checkers.second.allowed(self.checkers.claim(*arguments)[0])
            original = case["proof.cert"]
            if self.checkers.extracted:
                self.checkers.write_claim(folder, *arguments)
            for _ in range(min(10, number - self.count["certificates"])):
                case["proof.cert"] = mutated_certificate(original, self.rng)
                (folder / "proof.cert").write_text(case["proof.cert"])
                done = self.checkers.first(
                    arguments[0], "-q", *arguments[1:], str(folder / "proof.cert")
                )
                second, why = self.checkers.verdict(goals, case["proof.cert"])
                self.count["certificates"] += 1
                self.count["accepted"] += second == 0
                third = self.checkers.third(folder) if self.checkers.extracted else second
                if done.returncode != second or third != second:
                    said = f"first {done.returncode} {done.stderr}, second {second}: {why}"
                    self.report(case, f"{said}, extracted {third}")

    def mutate_texts(self, number, folder):
        languages = self.options.languages.split(",")
        kinds = {
            language: [case for case in self.texts if language in case] for language in languages
        }
        words = {k: [w for case in kinds[k] for w in words_of(case[k]) if w.strip()] for k in kinds}
        for k in range(number):
            language = languages[k % len(languages)]
            case = dict(self.rng.choice(kinds[language]))
            case[language] = mutated_text(case[language], words[language], self.rng)
            self.checkers.forget()
            arguments = arguments_of(case, folder, self.checkers.library)
            done = self.checkers.first(arguments[0], "--goals", *arguments[1:])
            printed = self.checkers.claim(*arguments)[1]
            self.count["texts"] += 1
            self.count["stated"] += printed is not None
            first = done.stdout if done.returncode == 0 else None
            if first != printed or done.returncode not in (0, 2):
                said = "refuses" if printed is None else "states a claim"
                self.report(case, f"first {done.returncode} {done.stderr.strip()!r}, second {said}")

    def run(self):
        with tempfile.TemporaryDirectory() as scratch:
            self.certificates(self.options.certificates, Path(scratch))
        with tempfile.TemporaryDirectory() as scratch:
            self.mutate_texts(self.options.texts, Path(scratch))
        told = ", ".join(f"{number} {what}" for what, number in self.count.items())
        print(f"seed {self.options.seed}: {told}")
        return 1 if self.count["differences"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("check")
    parser.add_argument("source")
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--certificates", type=int, default=200)
    parser.add_argument("--texts", type=int, default=50)
    parser.add_argument("--languages", default=LANGUAGES)
    parser.add_argument("--tiles", action="store_true")
    parser.add_argument("--extracted")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default=".")
    return Campaign(parser.parse_intermixed_args()).run()


if __name__ == "__main__":
    sys.setrecursionlimit(200_000)
    sys.set_int_max_str_digits(0)
    threading.stack_size(1 << 29)
    status = [4]
    thread = threading.Thread(target=lambda: status.__setitem__(0, main()))
    thread.start()
    thread.join()
    sys.exit(status[0])
