#!/usr/bin/env python3
"""What `assay optimize --from triton` makes of a collection of kernels.

  bench/improve.py run ASSAY FOLDER OUT   every NAME.ttir with its NAME.json below FOLDER:
                                          OUT/NAME/, OUT/improve.json
  bench/improve.py show OUT               a table in Markdown

Counts are those of one instance of a kernel (a program id); loops of a constant number of rounds
count each round.
"""

import glob
import json
import os
import subprocess
import sys

from commands import optimize

COUNTS = (
    ("loads", "loads"),
    ("reductions", "reductions"),
    ("divisions", "divisions"),
    ("divided", "divided elements"),
)


def run(assay, folder, out):
    os.makedirs(out, exist_ok=True)
    rows = []
    for kernel in sorted(glob.glob(os.path.join(folder, "**", "*.ttir"), recursive=True)):
        if not os.path.exists(kernel.removesuffix("ttir") + "json"):
            continue
        name = os.path.basename(kernel).removesuffix(".ttir")
        row = {"name": name, "file": kernel}
        try:
            said = subprocess.run(
                optimize(assay, kernel, os.path.join(out, name), "--from", "triton", "--json"),
                capture_output=True,
                text=True,
                timeout=120,
            )
            row["status"] = said.returncode
            row["words"] = said.stderr.strip().splitlines()[0] if said.stderr.strip() else ""
            if said.returncode == 0:
                row.update(json.loads(said.stdout))
                checked = subprocess.run(
                    [assay, "check", "-q", os.path.join(out, name)], capture_output=True
                )
                row["checked"] = checked.returncode == 0
        except subprocess.TimeoutExpired:
            row.update(status=124, words="more than 120 s")
        rows.append(row)
        print(row["status"], name, flush=True)
    with open(os.path.join(out, "improve.json"), "w") as f:
        json.dump(rows, f, indent=1)


def show(out):
    rows = json.load(open(os.path.join(out, "improve.json")))
    better = [row for row in rows if row["status"] == 0]
    nothing = [row for row in rows if "nothing was found" in row["words"]]
    unproved = [row for row in rows if "is not proved" in row["words"]]
    print(
        f"{len(rows)} kernels: {len(better)} improved and certified"
        f" ({sum(row['checked'] for row in better)} directories verified by `assay check`),"
        f" {len(unproved)} where what was found is not proved, {len(nothing)} where nothing was"
        f" found, {len(rows) - len(better) - len(unproved) - len(nothing)} not read or not in"
        " time.\n"
    )
    print("| of an instance | kernels with fewer | removed in all |\n|---|---|---|")
    for key, words in COUNTS:
        saved = [
            row["work_of_an_instance"]["before"][key] - row["work_of_an_instance"]["after"][key]
            for row in better
        ]
        print(f"| {words} | {sum(s > 0 for s in saved)} | {sum(saved)} |")
    print(
        "\n| kernel | loads | reductions | divisions | divided elements | steps"
        " |\n|---|---|---|---|---|---|"
    )
    for row in better:
        work = row["work_of_an_instance"]
        cells = [
            (
                f"{work['before'][key]} -> {work['after'][key]}"
                if work["before"][key] != work["after"][key]
                else str(work["after"][key])
            )
            for key, _ in COUNTS
        ]
        cells.append(str(row["steps"]))
        print(f"| {row['name']} | " + " | ".join(cells) + " |")


if sys.argv[1] == "run":
    run(*sys.argv[2:5])
else:
    show(*sys.argv[2:])
