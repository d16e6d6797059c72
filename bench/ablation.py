#!/usr/bin/env python3
"""What each part of the search contributes, in the form of Table 5 of the Mirage paper.

usage: ablation.py ASSAY PROGRAM.tp.. [--states N] [--out FILE.md]

Four ways to search each program: abstract expressions in normal form, with one thread and with two;
the same questions asked of Z3; and nothing pruned, for block graphs of at most 1, 2, 3, .. 13
operators, up to the first number for which so many states are not enough.  States and processor
seconds do not depend on what else the machine does; seconds by the clock do, and stand beside them.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from commands import optimize

MOST_OPERATORS = 13


def run(assay, program, options, folder):
    """One search: by the clock, processor seconds, the report; None where it was cut off."""
    out = folder / str(len(os.listdir(folder)))
    command = optimize(assay, program, out, "-q", "-n", "-l", "0", *options)
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    clock = time.monotonic() - start
    report = out / "report.json"
    data = json.loads(report.read_text()) if report.exists() else None
    return {"clock": clock, "user": usage.ru_utime, "data": data, "exit": child.returncode}


def is_cut_off(row):
    return row["data"] is None or any(
        limit + " (" in row["data"].get("search_said", "")
        for limit in ("values", "states", "groups")
    )


def cells(row):
    """States, seconds by the clock and of the processor, the model's cost."""
    if row["data"] is None:
        return f"no result (exit {row['exit']})"
    states = row["data"]["search"]["states"]
    cost = row["data"]["tiling"].get("model_us")
    end = ", cut off" if is_cut_off(row) else ""
    return (
        f"{row['clock']:.2f} s ({row['user']:.2f}), {states} states, "
        f"{'-' if cost is None else format(cost, '.1f')} us{end}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("assay")
    parser.add_argument("programs", type=pathlib.Path, nargs="+")
    parser.add_argument("--states", type=int, default=1000000)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    ways = [
        ("normal form, 1 thread", ["-t", "1"]),
        ("normal form, 2 threads", ["-t", "2"]),
        ("Z3, 1 thread", ["-t", "1", "-p", "z3"]),
    ]
    lines = [
        "# Parts of the search, left out one by one",
        "",
        (
            "Made by `make bench-ablation`: seconds by the clock (of the processor), states, the "
            "model's cost of what is chosen. *Nothing pruned*: block"
        ),
        f"graphs of at most so many operators; cut off: {options.states} states were not enough.",
        "",
        "| program | " + " | ".join(name for name, _ in ways) + " | nothing pruned |",
        "|---" * (len(ways) + 2) + "|",
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for program in options.programs:
            row = [program.stem]
            for _, chosen in ways:
                row.append(cells(run(options.assay, program, chosen, folder)))
            unpruned = []
            for operators in range(1, MOST_OPERATORS + 1):
                found = run(
                    options.assay,
                    program,
                    ["-t", "2", f"-Q{operators}", "-B", str(options.states)],
                    folder,
                )
                unpruned.append(f"{operators}: {cells(found)}")
                if is_cut_off(found):
                    break
            row.append("; ".join(unpruned))
            lines.append("| " + " | ".join(row) + " |")
            print(lines[-1], file=sys.stderr)
    text = "\n".join(lines) + "\n"
    if options.out:
        options.out.write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
