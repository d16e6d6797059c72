"""Tables of what triton_device.py measured."""

import json
import math
import os

WRONG = 5e-3  # of a workload, against double precision


def show_written(report):
    print("| workload | `--to triton`, cold (hot) us | ours | error |\n|---|---|---|---|")
    for name, w in report["written"].items():
        ours = report["ours"].get(name, {})
        mine = (
            f"{ours['cold']:.1f} ({ours['hot']:.1f})" if "cold" in ours else ours.get("failed", "")
        )
        error = f"{w['error']:.1e}" if "error" in w else ""
        theirs = f"{w['cold']:.1f} ({w['hot']:.1f})" if "cold" in w else w.get("failed", "")
        print(f"| {name} | {theirs} | {mine} | {error} |")
    right = sum(w.get("error", math.inf) < WRONG for w in report["written"].values())
    print(f"\n{right} of {len(report['written'])} workloads within {WRONG} of float64.\n")


def geometric(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def show_improved(report):
    print(
        "| kernel | before, us | after | quotient hot | cold | differ by"
        " |\n|---|---|---|---|---|---|"
    )
    quotients = {"hot": [], "cold": []}
    for name, k in report["improved"].items():
        if "cold" not in k:
            print(f"| {name} | {k.get('failed', '')} | | | | |")
            continue
        for kind, kept in quotients.items():
            kept.append(k[kind]["before"][0] / k[kind]["after"][0])
        print(
            f"| {name} | {k['hot']['before'][0]:.2f} ({k['cold']['before'][0]:.2f}) |"
            f" {k['hot']['after'][0]:.2f} ({k['cold']['after'][0]:.2f}) |"
            f" {quotients['hot'][-1]:.2f} | {quotients['cold'][-1]:.2f} | {k['difference']:.1e} |"
        )
    measured = [k for k in report["improved"].values() if "difference" in k]
    print(
        f"\n{sum(k['difference'] < WRONG for k in measured)} of {len(measured)} give the same on"
        f" random inputs within {WRONG} (at most"
        f" {max((k['difference'] for k in measured), default=0):.1e})."
    )
    records = [
        max(v for v in k["record"].values())
        for k in measured
        if None not in k.get("record", {"": None}).values()
    ]
    print(
        f"Of {len(records)} with recorded results the largest difference from them is"
        f" {max(records, default=0):.1e}."
    )
    for kind, kept in quotients.items():
        if kept:
            print(
                f"Before / after, {kind}: geometric mean {geometric(kept):.3f}, at most"
                f" {max(kept):.2f}, at least {min(kept):.2f}."
            )
    print()


def show_general(report):
    print("| tile program | relative errors | us, hot (cold) |\n|---|---|---|")
    right = 0
    for name, g in report["general"].items():
        timed_run = g.get("timed", {})
        runs = [r for r in g["runs"] + [timed_run] if "status" in r]
        failed = [r["failed"] for r in g["runs"] + [timed_run] if "failed" in r]
        said = ", ".join(
            f"{r['rel_frobenius']:.1e}" if r["rel_frobenius"] is not None else "no number"
            for r in runs
        )
        us = (
            f"{timed_run['hot_us']:.1f} ({timed_run['cold_us']:.1f})"
            if "hot_us" in timed_run
            else "; ".join(failed)
        )
        right += len(runs) > 0 and all(r["status"] == 0 for r in runs)
        print(f"| {name} | {said} | {us} |")
    print(
        f"\n{right} of {len(report['general'])} agree with the reference in doubles on all inputs"
        " that were drawn."
    )


def show(out):
    with open(os.path.join(out, "triton.json")) as f:
        report = json.load(f)
    print(f"One run: {report.get('gpu', '')}.\n")
    show_written(report)
    show_improved(report)
    show_general(report)
