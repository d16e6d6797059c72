#!/usr/bin/env python3
"""Which of Mirage's saved muGraphs the search finds, or what it finds instead, as tables.

usage: topologies.py ASSAY TOPOLOGIES [--data FOLDER] [--seconds N] [--out FILE.md]

ASSAY is the command, TOPOLOGIES the program that bench/topologies.c becomes, FOLDER has the files
that Mirage saved.  Each file is certified first: what is refuted needs no finding.  Each program is
searched once, whatever the number of its files.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
# which program of examples/mirage a file is of; None: of qknorm.tp beside it
FILES = [
    ("gated_mlp", "gated_mlp"),
    ("single_gated_mlp", "gated_mlp"),
    ("lora", "lora"),
    ("single_lora", "lora"),
    ("rmsnorm_bs8", "rmsnorm"),
    ("ntrans_bs1", "ntrans"),
    ("gqa_bs1", "gqa"),
    ("mha_bs1", "mha"),
    ("mqa_bs1", "mqa"),
    ("single_mqa_bs1", "mqa"),
    ("qknorm_two", None),
]
INTRODUCTION = """# Mirage's saved muGraphs: found, or beaten

Made by `make bench-topologies` (`bench/topologies.py`). Each graph that Mirage saved is imported and certified; its program is searched as `assay optimize --all` does (64 certified candidates, 256 tried),
and the graph's *topology* is looked for among those of all certified candidates, at all tile sizes: where a candidate's tile may be all of an axis, it also has the topology in which the grid does not divide that axis.
`search/topology.h` says what a topology is: the kernels; of each what it loads and stores, which axes the grid and the loop divide, the accumulators, and what is computed, whatever the names, the order, synonymous operators and tile sizes.

- *found*: a certified candidate has the topology.
- *beaten*: none has, but the cheapest certified candidate costs no more by the model than the graph, at the graph's own tile sizes and at the best that the model knows for it.
- *missed*: neither.

*us* are the model's at the sizes of the file, of the cheapest graph of its topology: at the file's own tile sizes, and at the best ones. *ours* is the cheapest certified candidate. *ratio* is the smaller of the two to ours. None of this was run on a GPU.
*why not found*: the first kernel that no certified candidate has, or `together` where each kernel is in one.
"""


def certified(assay, name, program, data, folder):
    """The files of the graphs that are right, and how many are not; the program's file."""
    source = data / f"{name}.json"
    if not source.exists():
        sys.exit(f"topologies.py: there is no {source}")
    text = TOP / "examples" / "mirage" / f"{program}.tp" if program else data / "qknorm.tp"
    out = folder / name
    command = [
        assay,
        "certify",
        "-q",
        "-S",
        "none",
        str(text),
        "--from",
        "mirage",
        str(source),
        "-o",
        str(out),
    ]
    status = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    if status not in (0, 1, 3):
        sys.exit(f"topologies.py: certify ends with {status} for {source}")
    right = []
    verdicts = collections.Counter()
    for directory in sorted(out.glob("graph-*")):
        verdict = json.loads((directory / "report.json").read_text())["verdict"]
        verdicts[verdict] += 1
        if verdict == "PROVED":
            right.append(directory / "candidate.mug")
    return text, right, verdicts


def searched(tool, program, graphs, seconds):
    """What the tool says of the graphs of one program: the search, and a row for each."""
    command = [tool, "--seconds", str(seconds), str(program)] + [str(graph) for graph in graphs]
    env = dict(os.environ, AS_TOP_SRCDIR=str(TOP))
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=env, check=False)
    if result.returncode != 0:
        sys.exit(f"topologies.py: {program}: exit {result.returncode}")
    search, rows = None, []
    for line in result.stdout.splitlines():
        words = line.split("\t")
        if words[0] == "search":
            search = {
                "candidates": int(words[1]),
                "us": float(words[2]),
                "states": int(words[3]),
                "seconds": float(words[4]),
            }
        elif words[0] == "graph":
            price = [float(word) if word != "-" else None for word in words[3:6]]
            rows.append(
                {
                    "file": pathlib.Path(words[1]).parent,
                    "topology": words[2],
                    "own": price[0],
                    "best": price[1],
                    "found": price[2],
                    "state": words[6],
                    "words": words[7],
                }
            )
    return search, rows


def price_of(row):
    """The least that the model says of the graph."""
    return min(price for price in (row["own"], row["best"]) if price is not None)


def judge(rows, search):
    """Adds to each row what became of it."""
    for row in rows:
        row["ratio"] = price_of(row) / search["us"]
        if row["state"] == "found":
            row["verdict"] = "found"
        else:
            row["verdict"] = "beaten" if row["ratio"] >= 1 else "missed"


def label(row):
    """`gqa_bs1 3`"""
    return f"{row['file'].parent.name} {int(row['file'].name.split('-')[1])}"


def numbers(rows):
    """The graphs of a topology: `gqa_bs1 0, 2, 4`."""
    files = collections.OrderedDict()
    for row in rows:
        name, number = label(row).split()
        files.setdefault(name, []).append(number)
    return "; ".join(f"{name} {', '.join(list_)}" for name, list_ in files.items())


def number(value):
    return "-" if value is None else f"{value:.2f}"


def topology_table(rows):
    """A line for each topology of a program."""
    groups = collections.OrderedDict()
    for row in rows:
        groups.setdefault(row["topology"], []).append(row)
    lines = [
        "| graphs | n | kernels | us, own sizes | us, best sizes | ratio | | why not found |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for group in groups.values():
        least = min(group, key=price_of)
        worst = min(group, key=lambda row: row["ratio"])
        why = "" if worst["state"] == "found" else worst["state"]
        lines.append(
            "| "
            + " | ".join(
                [
                    numbers(group),
                    str(len(group)),
                    least["words"].replace("|", "\\|"),
                    number(min(row["own"] for row in group)),
                    number(
                        min((row["best"] for row in group if row["best"] is not None), default=None)
                    ),
                    f"{worst['ratio']:.3f}",
                    worst["verdict"],
                    why,
                ]
            )
            + " |"
        )
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("assay")
    parser.add_argument("tool")
    parser.add_argument(
        "--data", type=pathlib.Path, default=TOP.parent / "shared" / "data" / "mirage-mugraphs"
    )
    parser.add_argument("--seconds", type=int, default=150)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    programs = collections.OrderedDict()
    verdicts = {}
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for name, program in FILES:
            text, right, counts = certified(options.assay, name, program, options.data, folder)
            verdicts[name] = counts
            programs.setdefault(text, []).extend(right)
        detail, all_rows = [], []
        for text, graphs in programs.items():
            if not graphs:
                continue
            search, rows = searched(options.tool, text, graphs, options.seconds)
            judge(rows, search)
            all_rows += rows
            print(f"{text.stem}: {search['seconds']} s", file=sys.stderr)
            detail += [
                "",
                f"## {text.stem}",
                "",
                (
                    f"Ours: {search['us']:.2f} us; {search['candidates']} certified candidates, "
                    f"{search['states']} states."
                ),
                "",
            ] + topology_table(rows)
    lines = [
        INTRODUCTION,
        "| file | graphs | right | topologies | found | beaten | missed |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, counts in verdicts.items():
        own = [row for row in all_rows if row["file"].parent.name == name]
        states = collections.Counter(row["verdict"] for row in own)
        lines.append(
            f"| {name} | {sum(counts.values())} | {counts['PROVED']} | "
            f"{len({row['topology'] for row in own})} | {states['found']} | "
            f"{states['beaten']} | {states['missed']} |"
        )
    states = collections.Counter(row["verdict"] for row in all_rows)
    lines.append(
        f"| all | {sum(sum(c.values()) for c in verdicts.values())} | {len(all_rows)} | | "
        f"{states['found']} | {states['beaten']} | {states['missed']} |"
    )
    text = "\n".join(lines + detail) + "\n"
    if options.out:
        options.out.write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
