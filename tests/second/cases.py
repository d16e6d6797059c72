#!/usr/bin/env python3
"""The second checker on the cases of tests/claim (claim.cases, cut.cases, tile.cases), the vectors
of claims and the arena: what it states, refuses, accepts and rejects.

usage: cases.py SOURCE
"""

import contextlib
import io
import re
import sys
import tempfile
import threading
from pathlib import Path

import agree


def cases(path):
    """[{part: lines}], with the name under "name"."""
    found, part = [], None
    text = Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    for line in text.split("\n"):
        if line.startswith("=== "):
            found.append({"name": line[4:]})
            part = None
        elif line.startswith("--- ") and found:
            part = line[4:].split(" ")[0]
            found[-1][part] = []
        elif part:
            found[-1][part].append(line)
    return found


def write(path, lines):
    path.write_bytes(("\n".join(lines) + "\n").encode("utf-8", "surrogateescape"))
    return str(path)


def texts(case, folder):
    """(spec, candidate) as files, or a rule's name."""
    rules = [line.split()[1] for line in case["spec"] if line.startswith("rule ")]
    if rules:
        name = case["cand"][0].strip() if "cand" in case else rules[0]
        return write(folder / "a.rule", case["spec"]), name
    spec = write(folder / "a.tp", case["spec"])
    if "cand" not in case:
        return spec, spec
    is_program = any(line.startswith("program") for line in case["cand"])
    return spec, write(folder / ("b.tp" if is_program else "b.mug"), case["cand"])


def stated(second, case, semantics, folder):
    """The canonical print of the case's claim, or None where it is refused."""
    sems = [semantics] + ([write(folder / "s.sem", case["sem"])] if "sem" in case else [])
    printed = io.StringIO()
    try:
        claim = second.state(sems, *texts(case, folder))
    except (second.Refused, second.Rejected):
        return None
    with contextlib.redirect_stdout(printed):
        second.print_claim(claim)
    return printed.getvalue()


def comparable(lines):
    """Goals as the cases have them: without S, and with SHA for the hash of a rule."""
    kept = [line for line in lines if line and not line.startswith("stated ")]
    return [re.sub(r"@[0-9a-f]{64}", "@SHA", line) for line in kept]


def wrong_vectors(second, source):
    """Claims of tests/claim/vectors, in the canonical print."""
    checkers = agree.Checkers(second, source, None)
    for path in sorted((source / "tests/claim/vectors").glob("*.vector")):
        case = agree.parts_of(path)
        with tempfile.TemporaryDirectory() as folder:
            printed = checkers.claim(*agree.arguments_of(case, Path(folder), checkers.library))[1]
        if (printed or "refused\n") != case["claim"]:
            yield f"{path.name}: states {printed or 'nothing'}"


def wrong_in_arena(second, source):
    verdicts = {"accept": 0, "reject": 1, "decline": 2}
    library = str(source / "semantics")
    for path in sorted((source / "arena/cases").glob("*.case")):
        case = agree.parts_of(path)
        if case["kind"] == "definition\n":
            continue
        second.forget_terms()
        with tempfile.TemporaryDirectory() as folder:
            sems, *given = agree.arguments_of(case, Path(folder), library)
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(
                io.StringIO()
            ):
                got = second.check(sems, *given, str(Path(folder) / "proof.cert"))
        if got != verdicts[case["expected"].strip()]:
            yield f"{path.name}: exit status {got}, to {case['expected'].strip()} is wanted"


def wrong_cases(second, source):
    found = [
        case
        for name in ("claim", "cut", "tile")
        for case in cases(source / f"tests/claim/{name}.cases")
    ]
    for case in found:
        with tempfile.TemporaryDirectory() as folder:
            got = stated(second, case, str(source / "semantics"), Path(folder))
        wanted = "refused" if "reject" in case else "stated"
        if (got is None) != (wanted == "refused"):
            yield f"{case['name']}: must be {wanted}"
        elif "goals" in case and comparable(got.split("\n")) != comparable(case["goals"]):
            yield f"{case['name']}: states another claim:\n{got}"


def main(source):
    source = Path(source).resolve()
    sys.path.insert(0, str(source / "proofs"))
    import second.__main__ as second

    wrong = [
        *wrong_cases(second, source),
        *wrong_vectors(second, source),
        *wrong_in_arena(second, source),
    ]
    print("\n".join([*wrong, f"{len(wrong)} wrong"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.setrecursionlimit(200_000)
    sys.set_int_max_str_digits(0)
    threading.stack_size(1 << 29)
    status = [4]
    thread = threading.Thread(target=lambda: status.__setitem__(0, main(*sys.argv[1:])))
    thread.start()
    thread.join()
    sys.exit(status[0])
