#!/usr/bin/env python3
"""The second checker on the cases of tests/claim/claim.cases: what it states, and what it refuses.

usage: cases.py SECOND_FOLDER CLAIM_CASES SEMANTICS
"""

import contextlib
import io
import re
import sys
import tempfile
import threading
from pathlib import Path


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


def main(second_folder, path, semantics):
    sys.path.insert(0, str(Path(second_folder).resolve()))
    import second.__main__ as second

    bad = 0
    all_cases = cases(path)
    for case in all_cases:
        with tempfile.TemporaryDirectory() as folder:
            got = stated(second, case, semantics, Path(folder))
        wanted = "refused" if "reject" in case else "stated"
        if (got is None) != (wanted == "refused"):
            print(f"{case['name']}: must be {wanted}")
            bad += 1
        elif "goals" in case and comparable(got.split("\n")) != comparable(case["goals"]):
            print(f"{case['name']}: states another claim:\n{got}")
            bad += 1
    print(f"{len(all_cases)} cases, {bad} wrong")
    return 1 if bad or not all_cases else 0


if __name__ == "__main__":
    sys.setrecursionlimit(200_000)
    threading.stack_size(1 << 29)
    status = [4]
    thread = threading.Thread(target=lambda: status.__setitem__(0, main(*sys.argv[1:])))
    thread.start()
    thread.join()
    sys.exit(status[0])
