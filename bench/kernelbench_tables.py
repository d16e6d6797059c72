#!/usr/bin/env python3
"""The tables of bench/results/kernelbench.md, from the lines that bench/kernelbench.py wrote.

usage: kernelbench_tables.py FILE.jsonl..

A line is a JSON object of one problem: what was certified of it, what --check said, or, in tables
of their own, what --time found.  Needs nothing beside the standard library, so that a table can be
made, and tested, where PyTorch is not installed.
"""

import json
import math
import re
import statistics
import sys
from pathlib import Path

BASELINES = {"eager": "eager PyTorch", "compile": "torch.compile"}
OURS = ("ours", "beside")
LONGEST_MESSAGE = 120  # characters of a message that a table shows


def share(part, whole):
    return f"{part} of {whole} ({100 * part / whole:.0f}%)" if whole else "-"


def rounded(seconds):
    return f"{round(seconds, 2):g}"


# -- what was certified --------------------------------------------------------------------------


class Level:
    """The problems of one level that were translated, and what the two tables count of them."""

    def __init__(self, rows):
        self.rows = rows
        self.translated = [r for r in rows if "islands" in r]
        self.islands = [i for r in self.translated for i in r["islands"]]
        self.certified = [i for i in self.islands if i["certified"]]
        self.whole = [r for r in self.translated if operators_of(r["islands"]) == r["operators"]]
        self.wholly = [r for r in self.whole if all(i["certified"] for i in r["islands"])]


def operators_of(islands):
    return sum(island["operators"] for island in islands)


def certified_sums(level):
    """What the problems of a level come to together."""
    several = [i for i in level.certified if i["operators"] > 1]
    fewer = sum(i["kernels"] < i["operators"] for i in several)
    operators = sum(r["operators"] for r in level.translated)
    checked = [r for r in level.rows if "ours" in r]
    right = sum(r["ours"] <= 1 or r["ours"] <= 4 * r["eager"] for r in checked)
    yield f"| problems | {len(level.rows)} |"
    yield "|---|---|"
    yield f"| wholly in islands | {share(len(level.whole), len(level.rows))} |"
    yield f"| wholly certified | {share(len(level.wholly), len(level.rows))} |"
    yield f"| operators in certified kernels | {share(operators_of(level.certified), operators)} |"
    work = sum(r["flops"] for r in level.translated)
    if work:
        part = sum(i["flops"] for i in level.certified) / work
        yield f"| floating-point operations in certified kernels | {100 * part:.1f}% |"
    yield f"| islands certified | {share(len(level.certified), len(level.islands))} |"
    yield f"| islands of several operators with fewer kernels | {share(fewer, len(several))} |"
    yield from certified_seconds(level)
    yield f"| checked at reduced sizes: right | {share(right, len(checked))} |"


def certified_seconds(level):
    seconds = sorted(r["seconds"] for r in level.translated)
    if seconds:
        late = sum(s > 60 for s in seconds)
        yield (
            f"| seconds a problem | median {rounded(statistics.median(seconds))}, most"
            f" {rounded(seconds[-1])}, {late} over 60 |"
        )
    used = sorted(r["processor_s"] for r in level.translated if "processor_s" in r)
    if used:
        yield (
            f"| processor seconds a problem | median {rounded(statistics.median(used))}, most"
            f" {rounded(used[-1])} |"
        )


def missing(row):
    """Why a problem is not wholly certified, or not right where it was tried."""
    said = [row.get("error"), *row.get("cuts", []), *(i.get("why") for i in row.get("islands", []))]
    if row.get("ours", 0) > 1:
        said.append(f"{row['ours']:.1f} times the tolerance away; eager {row['eager']:.1f}")
    if row.get("check_error"):
        said.append("not checked: " + row["check_error"])
    return [message for message in said if message]


def grouped(messages):
    """Messages that say the same of numbered names, such as u0 and u1, as one that lists them: a
    loop that was unrolled says each of them many times."""
    numbers = {}
    for message in messages:
        numbered = re.search(r"\b([A-Za-z_]+)(\d+)\b", message)
        if numbered:
            key = (message[: numbered.start()] + numbered[1], message[numbered.end() :])
            numbers.setdefault(key, set()).add(int(numbered[2]))
        else:
            numbers.setdefault((message, ""), set())
    return [before + listed(before, at) + after for (before, after), at in numbers.items()]


def listed(before, numbers):
    """3, or 3 to 5 (3) of an unbroken row, or 3, 5 (2)."""
    ordered = sorted(numbers)
    if len(ordered) < 2:
        return "".join(str(number) for number in ordered)
    name = re.search(r"[A-Za-z_]*$", before)[0]
    unbroken = ordered[-1] - ordered[0] == len(ordered) - 1
    rest = ordered[-1:] if unbroken else ordered[1:]
    between = " to " if unbroken else ", "
    return between.join([str(ordered[0]), *(name + str(n) for n in rest)]) + f" ({len(ordered)})"


def one_line(messages, longest):
    """A cell of a table."""
    return "; ".join(message[:longest].replace("|", "/") for message in messages if message)


def certified_table(rows):
    """The text for one level: sums first, then a line a problem that was not wholly certified."""
    level = Level(rows)
    yield from certified_sums(level)
    yield ""
    yield "| problem | operators | islands | certified | kernels | seconds | what is missing |"
    yield "|---|---|---|---|---|---|---|"
    for r in rows:
        if r in level.wholly and not r.get("check_error") and r.get("ours", 0) <= 1:
            continue
        islands = r.get("islands", [])
        good = [i for i in islands if i["certified"]]
        yield (
            f"| {r['problem']} | {r.get('operators', '-')} | {len(islands)} | {len(good)} |"
            f" {sum(i['kernels'] for i in good)} | {r.get('seconds', '-')} |"
            f" {one_line(grouped(missing(r)), LONGEST_MESSAGE)} |"
        )


# -- what was timed ------------------------------------------------------------------------------


def is_right(row, name="ours"):
    """Within KernelBench's tolerance of exact results, or at most twice as far away as eager
    PyTorch, whose own convolutions may be TF32's."""
    return row[f"{name}_away"] <= max(1, 2 * row.get("eager_away", 0))


def time_over(row, baseline, subject):
    """A baseline's time over ours; of rows from before the ways took turns, that of the medians."""
    said = row.get(f"{baseline}_over_{subject}")
    return row[f"{baseline}_ms"] / row[f"{subject}_ms"] if said is None else said


def geometric_mean(ratios):
    return f"{math.exp(statistics.mean(map(math.log, ratios))):.2f}" if ratios else "-"


def subject_of(row, subject):
    """Which kernels of ours stand for a subject: those of the first folder where it has no
    others."""
    return subject if f"{subject}_ms" in row else "ours"


def timed_sums(rows, asked, subject):
    """What the rows say together of one folder's kernels."""
    whole = [r for r in asked if r.get("parts") and not r["left"]]
    timed_all = [r for r in whole if all(f"{n}_ms" in r for n in (*BASELINES, "ours"))]
    done = [r for r in timed_all if f"{subject}_error" not in r]
    right = [r for r in done if is_right(r, subject_of(r, subject))]
    yield f"| problems timed | {len(asked)} of {len(rows)} |"
    yield "|---|---|"
    yield f"| wholly certified | {len(whole)} |"
    strict = sum(r[f"{subject_of(r, subject)}_away"] <= 1 for r in done)
    eager = sum(r["eager_away"] <= 1 for r in done)
    yield (
        "| within the tolerance, or at most twice as far as eager |"
        f" {share(len(right), len(whole))} |"
    )
    yield f"| within the tolerance (eager PyTorch: {eager}) | {share(strict, len(whole))} |"
    for name, said in reversed(BASELINES.items()):
        ratios = [time_over(r, name, subject_of(r, subject)) for r in right]
        fast = sum(ratio >= 1 for ratio in ratios)
        yield f"| right and at least as fast as {said} (fast_1) | {share(fast, len(whole))} |"
        yield f"| geometric mean of {said}'s time over ours | {geometric_mean(ratios)} |"


def timed_row(row, ways, ours):
    """The line of one problem: milliseconds of each way, distances, and what went wrong."""
    numbers = [row.get(f"{n}_ms") for n in ways]
    distances = [row.get(f"{n}_away") for n in (*ours, "eager")]
    wrong = [n for n in ours if f"{n}_away" in row and not is_right(row, n)]
    said = [f"{n}: beyond the tolerance" for n in wrong]
    said += [row.get("error"), *row.get("left", [])[:1]]
    said += [row.get(f"{n}_error") for n in (*BASELINES, *OURS)]
    times = " | ".join("-" if x is None else f"{x:.3f}" for x in numbers)
    away = ", ".join("-" if x is None else f"{x:.2g}" for x in distances)
    return f"| {row['problem']} | {times} | {away} | {one_line(said, 100)} |"


def timed_table(rows):
    """The text for one level of what --time found: sums first, then a line a problem."""
    asked = [r for r in rows if "parts" in r or "eager_ms" in r]
    ways = [n for n in (*BASELINES, *OURS) if any(f"{n}_ms" in r for r in rows)]
    ours = [n for n in OURS if n in ways]
    for subject in ours:
        if subject != "ours":
            yield "The kernels beside these, where there are any:"
            yield ""
        yield from timed_sums(rows, asked, subject)
        yield ""
    names = {**BASELINES, "eager": "eager"}
    titles = [f"{names.get(n, n)} ms" for n in ways]
    yield f"| problem | {' | '.join(titles)} | away: {', '.join([*ours, 'eager'])} | |"
    yield "|---" * (len(ways) + 3) + "|"
    for row in rows:
        yield timed_row(row, ways, ours)


# -- all levels ----------------------------------------------------------------------------------


def print_tables(files):
    """All levels; what --check said of a problem joins what was certified of it, and what --time
    said makes a table of its own."""
    rows, timed_rows = {}, {}
    for file in files:
        for line in Path(file).read_text().splitlines():
            row = json.loads(line)
            if row.pop("timed", False):
                timed_rows.setdefault(row["level"], []).append(row)
                continue
            at = rows.setdefault((row["level"], row["problem"]), {})
            if "error" in row and at:
                row["check_error"] = row.pop("error")
            at.update(row)
    for level in sorted({level for level, _ in rows}, key=str):
        print(f"\n## {'Blocks' if level == 'blocks' else f'Level {level}'}\n")
        print("\n".join(certified_table([r for (at, _), r in rows.items() if at == level])))
    for level, found in sorted(timed_rows.items(), key=str):
        print(f"\n## Time, {'blocks' if level == 'blocks' else f'level {level}'}\n")
        found.sort(key=lambda r: (len(r["problem"].split("_")[0]), r["problem"]))
        print("\n".join(timed_table(found)))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.split("\n\n")[1])
    print_tables(sys.argv[1:])
