#!/usr/bin/env python3
"""How much of KernelBench becomes certified kernels.

usage: kernelbench.py CHECKOUT [--level N] [--import-only] [--seconds S] [--out FILE.tsv] [NAME..]

CHECKOUT is a checkout of the public repository ScalingIntelligence/KernelBench.  Each problem is
exported with tensors that have shapes and no data, so that its size does not matter; its graph is
divided into islands, and each island is translated.  Without --import-only each island is
certified too.  One line a problem: level, name, operators that compute, those in islands, islands,
certified islands, kernels, seconds, and what the cuts are for.
"""

import argparse
import importlib.util
import sys
import tempfile
import time
import warnings
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from assay import tool  # noqa: E402
from assay.equality import SPECIFICATIONS  # noqa: E402
from assay.errors import AssayError  # noqa: E402
from assay.islands import Island, computes, divide, translate_island  # noqa: E402
from assay.program import Extents  # noqa: E402
from assay.translate import export  # noqa: E402


def load(path):
    """The problem's model and inputs, in evaluation mode and without data."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with torch.device("meta"):
        model = module.Model(*module.get_init_inputs()).eval()
        inputs = [x for x in module.get_inputs()]
    return model, inputs


def certify(program, seconds):
    """Verdict and kernel count of one island's program."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / SPECIFICATIONS.name).write_text(SPECIFICATIONS.read_text())
        (folder / "island.tp").write_text(program.tp(SPECIFICATIONS.name))
        try:
            result = tool.run(
                ["optimize", folder / "island.tp", f"--seconds={seconds}", "-q"],
                folder / "result",
                seconds + 60,
            )
        except AssayError as problem:
            return "FAILED " + str(problem).splitlines()[-1], 0
        return result.verdict, result.report.get("kernel_count", 0)


def judge(path, options):
    """One row of the table."""
    start = time.monotonic()
    try:
        model, inputs = load(path)
        graph = export(model, inputs, fixed=True).graph_module.graph
    except Exception as problem:  # noqa: BLE001  (whatever export raises is the row's text)
        return ["-"] * 5 + [0, f"not exported: {type(problem).__name__}: {problem}".splitlines()[0]]
    pieces, reasons = divide(graph, least_work=1)
    all_work = sum(computes(n) for n in graph.nodes if n.op == "call_function")
    islands = [p for p in pieces if isinstance(p, Island)]
    covered = certified = kernels = 0
    notes = sorted({f"{r.operator}: {r.reason}" for r in reasons.values()})
    for island in islands:
        try:
            program = translate_island(island, "island", Extents())
        except AssayError as problem:
            notes.append(str(problem))
            continue
        covered += island.work
        if not options.import_only:
            verdict, count = certify(program, options.seconds)
            certified += verdict == tool.PROVED
            kernels += count
            if verdict != tool.PROVED:
                notes.append(verdict)
    seconds = time.monotonic() - start
    return [all_work, covered, len(islands), certified, kernels, f"{seconds:.1f}", "; ".join(notes)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--level", type=int)
    parser.add_argument("--import-only", action="store_true")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--out", type=Path)
    options = parser.parse_intermixed_args()
    warnings.simplefilter("ignore")
    rows = ["level\tproblem\toperators\tin islands\tislands\tcertified\tkernels\tseconds\tcuts"]
    print(rows[0])
    totals = {}
    for level in [options.level] if options.level else [1, 2, 3]:
        for path in sorted((options.checkout / "KernelBench" / f"level{level}").glob("*.py")):
            if options.names and not any(path.stem.startswith(f"{n}_") for n in options.names):
                continue
            row = judge(path, options)
            rows.append("\t".join(str(cell) for cell in [level, path.stem, *row]))
            print(rows[-1], flush=True)
            total = totals.setdefault(level, [0, 0, 0])
            total[0] += 1
            total[1] += row[0] == row[1]
            total[2] += row[0] != "-" and row[1] > 0
    for level, (problems, whole, partly) in totals.items():
        print(f"# level {level}: {problems} problems, {whole} wholly in islands, {partly} in part or wholly")
    if options.out:
        options.out.write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
