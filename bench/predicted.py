#!/usr/bin/env python3
"""What the cost model predicts of generated kernels beside what a GPU says.

bench/predicted.py prepare FOLDER [--programs N] [--seed N] [--workers N] [--within SECONDS]
bench/predicted.py time FOLDER --out FILE [--within SECONDS]      on a GPU
bench/predicted.py table FILE

Programs of several families, at sizes drawn from a seed (powers of two, their multiples, and
others), are searched for and built by several processes; what is ready in time is timed: medians of
replays of CUDA graphs, the second-level cache flushed.  FILE gets a line of JSON a program.
The table has, of each family, the rank correlation and how far off the predictions are, and the worst
of all.
"""

import argparse
import concurrent.futures
import json
import math
import os
import random
import statistics
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "python"))

FEW = (1, 2, 3, 5, 8, 16, 17, 32, 48, 64)
MANY = (100, 256, 500, 777, 1024, 2048, 4096)
WIDE = (512, 768, 1024, 1536, 2048, 3072, 4096, 5120, 8192)
ODD = (520, 1000, 1288, 2056, 3000)
HEADS, SIZE, KEYS = (1, 4, 8, 16, 32), (64, 128), (128, 333, 512, 1024, 2048, 4096)

# name: sizes and what they are drawn from, inputs, statements
FAMILIES = {
    "elementwise": (
        {"B": MANY, "D": WIDE + ODD},
        {"X": "B, D", "Y": "B, D", "Z": "B, D"},
        ("O = gelu(X) * Y", "O = silu(X) * Y + Z", "O = tanh(X * 0.5) + Y", "O = X * Y + Z"),
    ),
    "norms of rows": (
        {"B": FEW + MANY, "D": WIDE + ODD},
        {"X": "B, D", "G": "D", "Y": "B, D"},
        (
            "O = rms_norm(X) * G",
            "O = softmax(X)",
            "O = layer_norm(X) * G",
            "O = rms_norm(X + Y) * G",
        ),
    ),
    "reductions": (
        {"B": MANY, "D": WIDE + ODD},
        {"X": "B, D", "Y": "B, D"},
        (
            "O = sum(X * Y, axis=1)",
            "O = sum(X, axis=0)",
            "O = max(X, axis=1)",
            "O = mean(X * X, axis=0)",
        ),
    ),
    "moves": (
        {"B": MANY, "D": WIDE + ODD},
        {"X": "B, D", "Y": "D, B"},
        ("O = transpose(X, axis=0) + Y", "O = transpose(gelu(X), axis=0)"),
    ),
    "products of few rows": (
        {"B": FEW, "K": WIDE, "N": WIDE},
        {"X": "B, K", "W": "K, N", "C": "N"},
        ("O = X @ W", "O = gelu(X @ W + C)", "O = softmax(X @ W)"),
    ),
    "products of many rows": (
        {"B": MANY, "K": WIDE, "N": WIDE},
        {"X": "B, K", "W": "K, N", "C": "N"},
        ("O = X @ W + C", "O = gelu(X @ W + C)", "O = relu(X @ W) * 2"),
    ),
    "norm and product": (
        {"B": FEW + MANY[:3], "K": WIDE, "N": WIDE},
        {"X": "B, K", "G": "K", "W": "K, N"},
        ("O = (rms_norm(X) * G) @ W", "O = layer_norm(X) @ W"),
    ),
    "gated products": (
        {"B": FEW + MANY[:4], "K": WIDE, "N": WIDE},
        {"X": "B, K", "W": "K, N", "V": "K, N"},
        ("O = silu(X @ W) * (X @ V)",),
    ),
    "batches of products": (
        {"H": HEADS, "B": FEW + MANY[:4], "K": SIZE + (256, 1024), "N": KEYS},
        {"X": "H, B, K", "W": "H, K, N"},
        ("O = matmul(X, W)", "O = relu(matmul(X, W))"),
    ),
    "attention": (
        {"H": HEADS, "M": FEW + (128, 333, 512, 1024), "E": SIZE, "K": KEYS},
        {"Q": "H, M, E", "Kt": "H, E, K", "V": "H, K, E"},
        ("O = matmul(softmax(matmul(Q, Kt) * 0.125), V)",),
    ),
}
# files of a program that is built, and of one that is not
READY, PROBLEM = "ready", "problem"

TYPES = ("f16", "f16", "bf16", "f32")


def program_of(family, choose):
    """The text of a program of a family."""
    sizes, inputs, statements = FAMILIES[family]
    dtype, statement = choose.choice(TYPES), choose.choice(statements)
    drawn = {name: choose.choice(values) for name, values in sizes.items()}
    lines = ["program p", "sizes " + ", ".join(f"{name} = {n}" for name, n in drawn.items())]
    expression = statement.split("=", 1)[1]
    names = [name for name in inputs if _reads(expression, name)]
    lines += [f"input {name}: {dtype}[{inputs[name]}]" for name in names]
    return "\n".join([*lines, "output " + statement, ""])


def _reads(expression, name):
    return name in "".join(c if c.isalnum() else " " for c in expression).split()


def prepare_one(text, folder, seconds):
    """Searches for a program's kernels and builds them; PROBLEM has why there are none."""
    from assay import tool

    folder.mkdir()
    (folder / "p.tp").write_text(text)
    options = [f"--seconds={seconds}", "--solvers=none", "--library=auto", "--fast-floats", "-q"]
    try:
        result = tool.run(["optimize", folder / "p.tp", *options], folder / "p.assay", seconds + 60)
        if result.verdict == tool.PROVED:
            tool.build(folder / "p.assay", "cuda")
            (folder / READY).touch()
            return
        problem = result.output
    except Exception as raised:  # noqa: BLE001  (one program does not end the others)
        problem = str(raised)
    (folder / PROBLEM).write_text(problem)


def prepare_in_time(until, *job):
    if time.monotonic() < until:
        prepare_one(*job)


def prepare(options):
    choose = random.Random(options.seed)
    families = [name for name in FAMILIES for _ in range(options.programs // len(FAMILIES))]
    choose.shuffle(families)
    folder, until = Path(options.where), time.monotonic() + options.within
    folder.mkdir(parents=True)
    pool = concurrent.futures.ThreadPoolExecutor(options.workers)
    for number, family in enumerate(families):
        name = f"{number:03} {family}"
        text = program_of(family, choose)
        pool.submit(prepare_in_time, until, text, folder / name, options.seconds)
    pool.shutdown()
    print(f"{len(list(folder.glob('*/' + READY)))} of {len(families)} programs are built")


def time_of(directory, timer):
    import torch
    from assay.kernels import Kernel

    kernel = Kernel(directory, "cuda")
    inputs = [torch.randn(p.extents, device="cuda").mul(0.1).to(p.dtype) for p in kernel.inputs]
    (us,) = timer.times([lambda: kernel(*inputs)])
    report = json.loads((Path(directory) / "report.json").read_text())
    return {
        "predicted": report["tiling"]["model_us"],
        "measured": us,
        "kernels": len(report["kernels"]),
        "routes": sorted({each["route"] for each in report["kernels"]}),
    }


def time_all(options):
    from assay.measured import GraphTimer

    timer, until = GraphTimer(), time.monotonic() + options.within
    with open(options.out, "a") as file:
        for folder in sorted(Path(options.where).iterdir()):
            if time.monotonic() > until:
                break
            row = {"family": folder.name[4:], "program": (folder / "p.tp").read_text()}
            try:
                if (folder / READY).exists():
                    row |= time_of(folder / "p.assay", timer)
                else:
                    row["failed"] = (folder / PROBLEM).read_text()
            except Exception as problem:  # noqa: BLE001  (one program does not end the others)
                row["failed"] = str(problem)
            file.write(json.dumps(row) + "\n")
            file.flush()


# -- tables --------------------------------------------------------------------------------------


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    for place, k in enumerate(order):
        result[k] = place
    return result


def rank_correlation(xs, ys):
    """Spearman's, of numbers that are seldom equal."""
    xs, ys = ranks(xs), ranks(ys)
    return statistics.correlation(xs, ys) if len(xs) > 2 else math.nan


def told(row):
    lines = row["program"].splitlines()
    statement = lines[-1].removeprefix("output ")
    dtype = next(line.split(":")[1].split("[")[0].strip() for line in lines if "input" in line)
    return f"`{statement}`, {lines[1].removeprefix('sizes ')}, {dtype}"


def table(path, worst=15):
    rows = [json.loads(line) for line in open(path)]
    timed = [row for row in rows if "measured" in row]
    print(
        "| family | programs | kernels | rank correlation | measured / predicted: median |"
        " within 1.5 | beyond 2 |"
    )
    print("|---|---|---|---|---|---|---|")
    for family in [*FAMILIES, None]:
        some = [row for row in timed if family in (None, row["family"])]
        if not some:
            continue
        quotients = [row["measured"] / row["predicted"] for row in some]
        near = sum(2 / 3 <= q <= 1.5 for q in quotients)
        far = sum(not 0.5 <= q <= 2 for q in quotients)
        pairs = ([row[k] for row in some] for k in ("predicted", "measured"))
        correlation = rank_correlation(*pairs)
        kernels = sum(row["kernels"] for row in some)
        print(
            f"| {family or '**all**'} | {len(some)} | {kernels} | {correlation:.2f} |"
            f" {statistics.median(quotients):.2f} | {near} | {far} |"
        )
    print("\n| program | routes | predicted | measured |\n|---|---|---|---|")
    timed.sort(key=lambda row: -abs(math.log(row["measured"] / row["predicted"])))
    for row in timed[:worst]:
        routes = ", ".join(row["routes"])
        print(f"| {told(row)} | {routes} | {row['predicted']:.1f} | {row['measured']:.1f} |")
    failed = [row for row in rows if "failed" in row]
    if failed:
        print(f"\n{len(failed)} programs were not timed:")
        for row in failed[:worst]:
            print(f"- {told(row)}: {str(row['failed'])[:200]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("prepare", "time", "table"))
    parser.add_argument("where")
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=2, help="of each search")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--within", type=float, default=1e9)
    parser.add_argument("--out")
    options = parser.parse_args()
    if options.what == "table":
        table(options.where)
    else:
        {"prepare": prepare, "time": time_all}[options.what](options)


if __name__ == "__main__":
    main()
