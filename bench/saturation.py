#!/usr/bin/env python3
"""Equality saturation on the blocks of bench/blocks at two sizes: what the e-graph holds, and what
comes of its cheapest program.

bench/saturation.py ASSAY [NAME..]     a row of a table in Markdown for each; seconds are the
processor's, of the whole command
                                       and of saturation and extraction alone (by the clock)"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

from commands import optimize

HERE = os.path.dirname(os.path.abspath(__file__))
PUBLISHED = {
    "vanilla": "2 x 10^17",
    "swiglu": "2 x 10^12",
    "prenorm": "10^20",
    "qknorm": "4 x 10^17",
    "roco": "2 x 10^20",
    "keyformer": "10^21",
}
FALCON = {"K": 4544, "H": 71, "D": 64, "F": 18176}


def falcon(text):
    def line(match):
        return "sizes " + re.sub(
            r"(\w+) = \d+",
            lambda m: f"{m[1]} = {FALCON[m[1]]}" if m[1] in FALCON else m[0],
            match[1],
        )

    return re.sub(r"^sizes (.*)$", line, text, flags=re.M)


def run(assay, path, out):
    command = optimize(assay, path, out, "--search=saturate")
    with tempfile.TemporaryFile("w+") as said:
        begin = time.time()
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        took = time.time() - begin
        said.seek(0)
        return said.read(), usage, took


def chosen(out):
    """The kernels of the result, how many have validated thread graphs, and what they take by the
    model."""
    try:
        with open(os.path.join(out, "report.json")) as report:
            said = json.load(report)
    except OSError:
        return ""
    kernels = said["kernels"]
    return (
        f"{len(kernels)} ({sum(k['validated'] for k in kernels)} validated),"
        f" {said['tiling']['model_us']:.1f}"
        if "tiling" in said
        else f"{len(kernels)}, by itself"
    )


def short(digits):
    return f"{digits[0]}.{digits[1]} x 10^{len(digits) - 1}" if len(digits) > 1 else digits


def row(name, said, usage, took, lowered):
    found = re.search(
        r"saturation (\d+) programs in (\d+) e-classes of (\d+) e-nodes; (.*?); ([\d.]+) s, and"
        r" ([\d.]+) s to extract (\d+)",
        said,
        re.S,
    )
    if not found:
        return f"| {name} | {said.strip().splitlines()[-1] if said.strip() else 'nothing'} |"
    programs, classes, nodes, ended, saturating, extracting, extracted = found.groups()
    best = re.search(r"certified: (\d+) kernels, ([\d.]+) us.*?\n +(.*)", said)
    judged = re.search(r"judged +(\d+)", said)[1]
    goals = re.search(r"(\d+) goals, (\d+) steps", best[3]) if best else None
    verdict = (
        f"PROVED, {goals[1]} goals, {goals[2]} steps (of {judged} judged)"
        if goals
        else f"none of {judged} certified"
    )
    published = PUBLISHED.get(name.split(",")[0], "")
    return (
        f"| {name} | {short(programs)} | {published if 'Falcon' not in name else ''} |"
        f" {int(classes):,} | {int(nodes):,} | {ended} | {usage.ru_utime + usage.ru_stime:.1f}"
        f" ({float(saturating) + float(extracting):.1f} of {took:.1f}) | {usage.ru_maxrss // 1024}"
        f" | {int(extracted):,} | {best[1] if best else ''} | {best[2] if best else ''} | {verdict}"
        f" | {lowered} |"
    )


def main():
    assay, wanted = sys.argv[1], sys.argv[2:] or list(PUBLISHED)
    print(
        "| block | programs | published | e-classes | e-nodes | ended by | s | MB | extracted |"
        " kernels of the certified | us by the model | verdict | kernels of the result, us by the"
        " model |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as work:
        for name in wanted:
            with open(os.path.join(HERE, "blocks", name + ".tp")) as f:
                text = f.read()
            for size, content in (("LLaMA", text), ("Falcon", falcon(text))):
                path = os.path.join(work, name + ".tp")
                with open(path, "w") as f:
                    f.write(content)
                out = os.path.join(work, "out")
                said, usage, took = run(assay, path, out)
                print(row(f"{name}, {size}", said, usage, took, chosen(out)), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main()
