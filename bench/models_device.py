#!/usr/bin/env python3
"""The models of bench/models.py on a GPU: eager, torch.compile, and torch.compile(backend="assay").

bench/models_device.py [--only WORDS] [--kernelbench CHECKOUT] [--seconds N] [--workers N]
                       [--prepare-within SECONDS] [--within SECONDS] [--raw] [--log] [--out FILE]
bench/models_device.py --table FILE                the rows of bench/results/models.md

Kernels are searched and built first, and what TorchInductor makes of parts, by several processes,
which say how long the first calls took that found nothing on disk.  When all are ready, or time is
up, each is timed, one at a time: medians of replays of CUDA graphs by turns, the second-level cache
flushed.  Errors are against
double precision.  With --kernelbench the words name problems of level 3 of a checkout of KernelBench,
too.  --raw times certified parts without the measured choice (never_slower=False)
beside it.  FILE gets a line of JSON a case.
"""

import argparse
import fcntl
import json
import math
import os
import shutil
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
from assay import cache, measured  # noqa: E402
from assay.measured import GraphTimer  # noqa: E402

ROUNDS = 21
GOAL = 0.97
# a file that is there when cases are to be timed
GO = "go"


def on_gpu(values):
    return torch.utils._pytree.tree_map(
        lambda x: x.cuda() if isinstance(x, torch.Tensor) else x, values
    )


def backend_of(module, seconds, **options):
    import assay  # noqa: F401  (names the backend)
    from assay.backend import assay_backend

    settings = {"seconds": seconds, "quiet": True, **options}
    return torch.compile(
        module, backend=lambda graph, examples: assay_backend(graph, examples, options=settings)
    )


class OneAtATime(GraphTimer):
    """A timer that has the GPU to itself, but for what others do to compile."""

    def __init__(self, options, **settings):
        super().__init__(**settings)
        self._lock = Path(options.folder) / "lock"

    def times(self, functions):
        with open(self._lock, "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return super().times(functions)


def work(names, options):
    """Prepares and times these cases, in a process of their own."""
    ready = [name for name in names if prepare(name, options)]
    Path(options.folder, f"ready-{os.getpid()}").touch()
    while not Path(options.folder, GO).exists():
        time.sleep(0.2)
    measured.timer_of = lambda device: OneAtATime(options)
    for name in ready:
        try:
            with torch.no_grad():
                row = measure(name, options)
        except Exception:  # noqa: BLE001  (one case does not end the others)
            print(f"{name}: failed\n{traceback.format_exc(limit=-3)}", flush=True)
            continue
        print(told(row)[0], flush=True)
        with open(options.out, "a") as file:
            file.write(json.dumps(row) + "\n")
        torch.cuda.empty_cache()


def prepare(name, options):
    """Searches and builds for a case, so that the cache has its kernels; whether that was done in
    time."""
    if not Path(options.folder, GO).exists():
        torch._dynamo.reset()
        begin = time.monotonic()
        try:
            module, arguments = made(name, options)
            module, arguments = module.cuda(), on_gpu(arguments)
            with torch.no_grad():
                torch.compile(module)(*arguments)
                theirs = time.monotonic() - begin
                ours = backend_of(module, options.seconds)
                for _ in range(2):
                    ours(*arguments)
            seconds = time.monotonic() - begin - theirs
            print(f"{name}: torch.compile in {theirs:.1f} s, assay in {seconds:.1f} s", flush=True)
            return True
        except Exception as problem:  # noqa: BLE001  (one case does not end the others)
            print(f"{name}: not prepared: {problem}", flush=True)
    return False


def made(name, options):
    """The module of a case and its arguments, on the CPU."""
    if name in models.CASES:
        return models.made(name)
    torch.manual_seed(0)
    problem = kernelbench.load(Path(options.kernelbench) / "KernelBench" / "level3" / name)
    return kernelbench.model_of(problem), tuple(problem.get_inputs())


def medians(works, options):
    timer = OneAtATime(options, rounds=ROUNDS)
    return dict(zip(works, timer.times(list(works.values()))))


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
    torch._dynamo.reset()  # what was compiled of other modules of the class is in the way
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
        for _ in range(2):  # PyTorch looks on at the first; parts and the whole are timed then
            ours(*arguments)
        seconds[way] = time.monotonic() - begin
        works[way] = lambda ours=ours: ours(*arguments)
    right = in_doubles(name, options)
    errors = {way: error(work(), right) for way, work in works.items()}
    return {"name": name, "us": medians(works, options), "error": errors, "seconds": seconds}


def told(row):
    us = row["us"]
    ratio = min(us["eager"], us["torch.compile"]) / us["assay"]
    said = " ".join(f"{way} {time:.1f}" for way, time in us.items())
    errors = " ".join(f"{error:.1e}" for error in row["error"].values())
    return f"{row['name']}: {said}: {ratio:.2f}; errors {errors}", ratio


def table(path):
    """Prints the rows of a file as the text of a table, and what they come to."""
    rows = [json.loads(line) for line in open(path)]
    for row in rows:
        us = " | ".join(f"{row['us'][way]:.1f}" for way in ("eager", "torch.compile", "assay"))
        errors = ", ".join(f"{error:.1e}" for error in row["error"].values())
        seconds = ", ".join(f"{time:.1f}" for time in row["seconds"].values())
        print(f"| {row['name']} | {us} | {told(row)[1]:.2f} | {errors} | {seconds} |")
    summary(rows)


def summary(rows):
    ratios = [told(row)[1] for row in rows]
    slow = sum(ratio < GOAL for ratio in ratios)
    if ratios:
        print(f"{len(ratios)} cases: {geometric(ratios):.3f}x, {slow} under {GOAL}")


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
    """Prepares the cases in several processes, the last first, and has each timed."""
    waiting, running = names[::-1], []
    given = ["--seconds", str(options.seconds), "--out", options.out, "--folder", options.folder]
    given += ["--kernelbench", options.kernelbench]
    given += ["--raw"] * options.raw + ["--log"] * options.log
    for worker in range(options.workers):
        mine = waiting[worker :: options.workers]
        if mine:
            command = [sys.executable, __file__, "--work", ";".join(mine), *given]
            running.append(subprocess.Popen(command))
    begin = time.monotonic()
    while time.monotonic() - begin < options.prepare_within:
        ready = list(Path(options.folder).glob("ready-*"))
        if len(ready) == sum(process.poll() is None for process in running):
            break
        time.sleep(0.2)
    # what was timed while others compiled says nothing
    shutil.rmtree(cache.folder() / "measured", ignore_errors=True)
    print(f"prepared in {time.monotonic() - begin:.0f} s", flush=True)
    Path(options.folder, GO).touch()
    for process in running:
        try:
            process.wait(max(0, begin + options.within - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


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
    parser.add_argument("--table")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work.split(";"), options)
        return
    if options.table:
        table(options.table)
        return
    print(torch.cuda.get_device_name(0), "PyTorch", torch.__version__, flush=True)
    with tempfile.TemporaryDirectory() as options.folder:
        options.out = options.out or os.path.join(options.folder, "rows")
        Path(options.out).touch()
        spread(chosen(options), options)
        rows = [json.loads(line) for line in open(options.out)]
    summary(rows)


if __name__ == "__main__":
    main()
