#!/usr/bin/env python3
"""The models of bench/models.py on a GPU: eager, torch.compile, and torch.compile(backend="assay").

bench/models_device.py [--only WORDS] [--kernelbench CHECKOUT] [--seconds N] [--workers N]
                       [--prepare-within SECONDS] [--within SECONDS] [--raw] [--log] [--out FILE]

Kernels are searched and built first, and what TorchInductor makes of parts, by several processes,
which say how long the first calls took that found nothing on disk; then each case is timed in one
process:
medians of replays of CUDA graphs by turns, the second-level cache flushed.  Errors are against
double precision.  With --kernelbench the words name problems of level 3 of a checkout of KernelBench,
too.  --raw times certified parts without the measured choice (never_slower=False)
beside it.  FILE gets a line of JSON a case.
"""

import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.append(os.path.join(HERE, "..", "python"))

import torch  # noqa: E402

import kernelbench  # noqa: E402
import models  # noqa: E402
from blocks_device import captured  # noqa: E402

ROUNDS = 21
FLUSHED = 128 << 20
GOAL = 0.97


def on_gpu(values):
    return torch.utils._pytree.tree_map(
        lambda x: x.cuda() if isinstance(x, torch.Tensor) else x, values
    )


def backend_of(module, seconds, **options):
    import assay  # noqa: F401  (names the backend)
    from assay.backend import assay_backend

    torch._dynamo.reset()
    settings = {"seconds": seconds, "quiet": True, **options}
    return torch.compile(
        module, backend=lambda graph, examples: assay_backend(graph, examples, options=settings)
    )


def prepare(names, options):
    """Searches and builds for these cases, so that another process finds kernels in the cache."""
    for name in names:
        begin = time.monotonic()
        try:
            module, arguments = made(name, options)
            module, arguments = module.cuda(), on_gpu(arguments)
            with torch.no_grad():
                torch.compile(module)(*arguments)
                theirs = time.monotonic() - begin
                ours = backend_of(module, options.seconds)
                for _ in range(3):
                    ours(*arguments)
            said = f"prepared: torch.compile in {theirs:.1f} s, then assay"
            prepared(name, options).touch()
        except Exception as problem:  # noqa: BLE001  (one case does not end the others)
            said = f"not prepared: {problem}"
        print(f"{name}: {said} in {time.monotonic() - begin:.1f} s", flush=True)


def prepared(name, options):
    """A file that is there once a case is prepared."""
    return Path(options.folder) / name.replace("/", "-")


def made(name, options):
    """The module of a case and its arguments, on the CPU."""
    if name in models.CASES:
        return models.made(name)
    torch.manual_seed(0)
    problem = kernelbench.load(Path(options.kernelbench) / "KernelBench" / "level3" / name)
    return kernelbench.model_of(problem), tuple(problem.get_inputs())


def medians(works):
    flushed = torch.empty(FLUSHED, dtype=torch.uint8, device="cuda")
    graphs = {name: captured(work) for name, work in works.items()}
    took = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, graph in graphs.items():
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            flushed.zero_()
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            took[name].append(begin.elapsed_time(end) * 1e3)
    return {name: statistics.median(times) for name, times in took.items()}


def first(result):
    return torch.utils._pytree.tree_leaves(result)[0]


def error(result, right):
    return float((first(result).double() - right).norm() / right.norm())


def in_doubles(name, options):
    module, arguments = made(name, options)
    wide = torch.utils._pytree.tree_map(
        lambda x: x.double() if x.is_floating_point() else x, on_gpu(arguments)
    )
    return first(module.cuda().double()(*wide))


def measure(name, options):
    module, arguments = made(name, options)
    module, arguments = module.cuda(), on_gpu(arguments)
    works = {"eager": lambda: module(*arguments)}
    seconds = {}
    begin = time.monotonic()
    compiled = torch.compile(module)
    compiled(*arguments)
    seconds["torch.compile"] = time.monotonic() - begin
    works["torch.compile"] = lambda: compiled(*arguments)
    ways = {"assay": {}}
    if options.raw:
        ways["certified"] = {"never_slower": False}
    for way, settings in ways.items():
        begin = time.monotonic()
        ours = backend_of(module, options.seconds, quiet=not options.log, **settings)
        for _ in range(3):  # parts are timed at the first call, the whole at the second
            ours(*arguments)
        seconds[way] = time.monotonic() - begin
        works[way] = lambda ours=ours: ours(*arguments)
    right = in_doubles(name, options)
    errors = {way: error(work(), right) for way, work in works.items()}
    return {"name": name, "us": medians(works), "error": errors, "seconds": seconds}


def told(row):
    us = row["us"]
    ratio = min(us["eager"], us["torch.compile"]) / us["assay"]
    said = " ".join(f"{way} {time:.1f}" for way, time in us.items())
    errors = " ".join(f"{error:.1e}" for error in row["error"].values())
    return f"{row['name']}: {said}: {ratio:.2f}; errors {errors}", ratio


def geometric(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def chosen(options):
    groups = {"blocks": models.BLOCKS, "parts": models.PARTS, "others": models.OTHERS}
    if options.only in groups:
        return list(groups[options.only])
    words = options.only.split(",") if options.only else [""]
    known = list(models.CASES)
    if options.kernelbench:
        folder = Path(options.kernelbench) / "KernelBench" / "level3"
        known += sorted(path.name for path in folder.glob("*.py"))
    return list(dict.fromkeys(name for word in words for name in known if word in name))


def spread(names, options):
    """Prepares the cases in several processes, the last first; those that were in time."""
    running = []
    waiting = names[::-1]
    for worker in range(options.workers):
        mine = waiting[worker :: options.workers]
        if mine:
            command = [sys.executable, __file__, "--prepare", ";".join(mine)]
            command += ["--seconds", str(options.seconds), "--folder", options.folder]
            if options.kernelbench:
                command += ["--kernelbench", options.kernelbench]
            running.append(subprocess.Popen(command))
    until = time.monotonic() + options.prepare_within
    for process in running:
        try:
            process.wait(max(0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    from assay import cache

    # what was timed while others ran says nothing
    shutil.rmtree(cache.folder() / "measured", ignore_errors=True)
    return [name for name in names if prepared(name, options).exists()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--within", type=float, default=1e9, help="seconds for all cases")
    parser.add_argument("--raw", action="store_true")
    parser.add_argument("--log", action="store_true", help="what was certified, left and timed")
    parser.add_argument("--out")
    parser.add_argument("--kernelbench", default="")
    parser.add_argument("--prepare-within", type=float, default=1e9, help="seconds")
    parser.add_argument("--prepare", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.prepare:
        prepare(options.prepare.split(";"), options)
        return
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as options.folder:
        names = spread(chosen(options), options)
    measure_all(names, begin, options)


def measure_all(names, begin, options):
    print(torch.cuda.get_device_name(0), "PyTorch", torch.__version__, flush=True)
    print(f"prepared in {time.monotonic() - begin:.0f} s", flush=True)
    ratios = []
    for name in names:
        if time.monotonic() - begin > options.within:
            print(f"{name}: not measured: no time is left")
            continue
        try:
            with torch.no_grad():
                row = measure(name, options)
        except Exception:  # noqa: BLE001  (one case does not end the others)
            print(f"{name}: failed\n{traceback.format_exc(limit=-3)}", flush=True)
            continue
        line, ratio = told(row)
        ratios.append(ratio)
        print(line, flush=True)
        if options.out:
            with open(options.out, "a") as file:
                file.write(json.dumps(row) + "\n")
        torch.cuda.empty_cache()
    if ratios:
        slow = sum(ratio < GOAL for ratio in ratios)
        print(f"{len(ratios)} cases: {geometric(ratios):.3f}x, {slow} under {GOAL}")


if __name__ == "__main__":
    main()
