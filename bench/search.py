#!/usr/bin/env python3
"""Runs `assay optimize` on every program of a folder and writes what it found as a table.

usage: search.py ASSAY FOLDER [--seconds N] [--threads N] [--only NAME,..] [--out FILE.md]

Seconds are those of the whole command without second opinions of solvers, megabytes the largest
resident set of the process.  A program for which nothing was certified has a row as well.
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


def run(assay, program, seconds, threads, folder):
    """One row: what the report says, and what the process took."""
    out = folder / program.stem
    command = optimize(assay, program, out, "-q", "--no-cache", "-l", str(seconds))
    if threads:
        command += ["-t", str(threads)]
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    row = {
        "program": program.stem,
        "exit": child.returncode,
        "seconds": time.monotonic() - start,
        "user": usage.ru_utime,
        "megabytes": usage.ru_maxrss / 1024,
        "said": said.strip().splitlines()[-1:] or [""],
    }
    report = out / "report.json"
    if child.returncode == 0 and report.exists():
        data = json.loads(report.read_text())
        row |= {
            "certified": data["certified"],
            "kernels": data["kernel_count"],
            "blocks": len(data["kernels"]),
            "us": data["tiling"].get("model_us"),
            "states": data["search"]["states"],
            "candidates": data["search"]["certified"],
            "said": [data.get("search_said", "")],
        }
    return row


def number(value, digits):
    return "" if value is None else f"{value:.{digits}f}"


def table(rows, seconds):
    """The rows as Markdown."""
    lines = [
        f"Limit {seconds} s a program; {os.cpu_count()} processors; no second opinions of solvers.",
        "",
        (
            "| program | certified | kernels | model us | candidates | states | s | user s | MB |"
            " said |"
        ),
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = [
            row["program"],
            "yes" if row.get("certified") else f"no (exit {row['exit']})",
            str(row.get("kernels", "")),
            number(row.get("us"), 1),
            str(row.get("candidates", "")),
            str(row.get("states", "")),
            number(row["seconds"], 2),
            number(row["user"], 2),
            number(row["megabytes"], 0),
            row["said"][0].replace("|", "\\|"),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("assay")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    only = [name for name in options.only.split(",") if name]
    programs = sorted(options.folder.glob("*.tp"))
    if only:
        programs = [program for program in programs if program.stem in only]
    if not programs:
        sys.exit(f"search.py: no programs in {options.folder}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            row = run(
                options.assay, program, options.seconds, options.threads, pathlib.Path(folder)
            )
            rows.append(row)
            print(
                f"{row['program']}: {row.get('kernels', '-')} kernels, {row['seconds']:.2f} s, "
                f"{row['megabytes']:.0f} MB",
                file=sys.stderr,
            )
    text = table(rows, options.seconds)
    if options.out:
        options.out.write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
