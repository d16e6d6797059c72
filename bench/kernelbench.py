#!/usr/bin/env python3
"""How much of KernelBench becomes certified kernels, whether they are right, and how fast.

usage: kernelbench.py CHECKOUT [--level N] [--blocks FOLDER] [--jobs N] [--seconds S] [--limit S]
                      [--import-only | --check [--inputs N] [--dtype T] |
                       --time DIR [--beside DIR] [--budget S] [--ways W,..]]
                      [--parts WHEN] [--in-parts] [--keep DIR] [--out FILE.jsonl] [NAME..]
       kernelbench.py --table FILE.jsonl..

CHECKOUT is a checkout of the public repository ScalingIntelligence/KernelBench; --blocks names a
folder of problems of the same form.  One JSON object a problem goes to --out; --table makes of such
files the text of bench/results/kernelbench.md.

Without a mode each problem is exported with tensors that have shapes and no data, at the sizes that
it states, divided into islands, and each island is certified.  --check compares, at reduced sizes,
what assay.compile gives on the CPU (certified kernels under the emulation) and what PyTorch gives
with the same model in double precision, for as many random inputs (20) and in another type where
that is asked for.  --keep leaves the certified kernels as text in a folder,
which --time takes on a machine with a GPU and without an `assay`: eager, torch.compile and the
kernels are timed in one run, and compared with double precision at the sizes stated; they take
turns (rounds.py), and ratios are medians over the turns.  --jobs processes generate and compile
code at a time, one of them has the GPU.  With --budget the run ends after so many seconds; problems
come in a mixed order, so that what it did is a sample.  --beside names a second folder of kernels,
such as those kept with --in-parts, which permits products of float32 in two parts of TF32: where
they are other kernels they are timed beside the first ones, and the table has what each folder
comes to.  With
--ways only some of eager, compile and ours are timed.  --parts says when convolutions' factors are
taken in two parts (rounding.convolutions_in_parts); each has a folder of its own to be kept in.
Each problem has a process and a time limit of its own.
"""

import argparse
import ast
import copy
import fcntl
import functools
import itertools
import json
import math
import multiprocessing
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import types
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "python"), str(HERE)]  # also where a process is made anew

import torch  # noqa: E402
from torch.utils.flop_counter import flop_registry  # noqa: E402

import rounds  # noqa: E402
from kernelbench_tables import BASELINES, OURS, print_tables  # noqa: E402
from assay import cache, rounding, tool  # noqa: E402
from assay.compiled import Compiled, Options  # noqa: E402
from assay.equality import SPECIFICATIONS  # noqa: E402
from assay.errors import AssayError, Consequence  # noqa: E402
from assay.exporting import export  # noqa: E402
from assay.islands import Island, computes, divide, programs_of  # noqa: E402

# what KernelBench allows an fp32 kernel to be away, absolutely and relatively; 16-bit types more
TOLERANCE = {torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 1e-2}
PARTS = {"auto": "auto", "always": True, "never": False}
TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


# -- problems ------------------------------------------------------------------------------------


class Reduce(ast.NodeTransformer):
    """Numbers above 8 that a problem's module gives names become small, batches odd."""

    @staticmethod
    def small(value):
        return 8 * max(1, round(math.log2(value) / 2) - 1) if value > 8 else value

    def visit_Module(self, module):
        for statement in module.body:
            if isinstance(statement, ast.Assign):
                name = getattr(statement.targets[0], "id", "")
                for part in ast.walk(statement.value):
                    if isinstance(part, ast.Constant) and type(part.value) is int:
                        batch = "batch" in name and part.value > 3
                        part.value = 3 if batch else self.small(part.value)
        return module


def load(path, reduced=False):
    """The module of a problem; `reduced` has smaller numbers at its top level."""
    tree = ast.parse(path.read_text())
    if reduced:
        tree = Reduce().visit(tree)
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    exec(compile(tree, str(path), "exec"), module.__dict__)
    return module


def model_of(module):
    """The model in evaluation mode, of the module's DTYPE where it has one."""
    model = module.Model(*module.get_init_inputs()).eval()
    return model.to(module.DTYPE) if hasattr(module, "DTYPE") else model


def without_data(module):
    try:
        with torch.device("meta"):
            model = model_of(module)
    except RuntimeError:  # it looks at numbers while it is built
        model = model_of(module).to("meta")
    with torch.device("meta"):
        return model, list(module.get_inputs())


def is_problem(path):
    tree = ast.parse(path.read_text())
    return any(isinstance(part, ast.ClassDef) and part.name == "Model" for part in tree.body)


# -- certified -----------------------------------------------------------------------------------


def flops(node):
    """Floating-point operations of a step: of products by PyTorch's formulas, else one a result."""
    result = node.meta.get("val")
    result = result[0] if isinstance(result, (tuple, list)) else result
    if not isinstance(result, torch.Tensor) or not computes(node):
        return 0
    tensors = [n.meta.get("val") for n in (*node.all_input_nodes, node)]
    if any(isinstance(e, torch.SymInt) for t in tensors for e in getattr(t, "shape", ())):
        return 0  # how much it is depends on data
    formula = flop_registry.get(getattr(node.target, "overloadpacket", None))
    if formula is None:
        return result.numel()
    values = torch.fx.node.map_arg(node.args, lambda n: n.meta["val"])
    return int(formula(*values, out_val=result))


def certify(path, options):
    """Share of operators and work in certified kernels, island by island."""
    start, used = time.monotonic(), processor_seconds()
    model, inputs = without_data(load(path))
    graph = export(model, inputs, fixed=True).graph_module.graph
    pieces, reasons = divide(graph, least_work=1)
    steps = [node for node in graph.nodes if node.op == "call_function"]
    results = cache.Search(
        SPECIFICATIONS, options.seconds, library=options.library, rounded=rounding.permitted()
    )
    found = {
        "operators": sum(map(computes, steps)),
        "flops": sum(map(flops, steps)),
        "export_s": round(time.monotonic() - start, 1),
        "cuts": sorted({cut(r) for r in reasons.values() if not isinstance(r, Consequence)}),
    }
    islands = [piece for piece in pieces if isinstance(piece, Island)]
    shares = cache.Shares(options.seconds, len(islands))
    row = lambda island: island_row(island, results, shares, options)  # noqa: E731
    found["islands"] = cache.side_by_side(row, islands)
    found["seconds"] = round(time.monotonic() - start, 1)
    found["processor_s"] = round(processor_seconds() - used, 1)
    return found


def processor_seconds():
    """Those of this process and of the programs that it has run, which do not depend on what else
    the machine does."""
    return sum(os.times()[:4])


def cut(reason):
    return f"{reason.operator}: {reason.reason}"


def in_a_line(problem):
    """What the program said, without the command that was run."""
    lines = str(problem).splitlines()
    said = [line for line in lines if line.startswith("assay: ")]
    return (said or lines[-1:])[0][:300]


def island_row(island, results, shares, options):
    row = {"operators": island.work, "flops": sum(map(flops, island.nodes)), "certified": False}
    start = time.monotonic()
    seconds = shares.next()
    try:
        for how, program in programs_of(island, "island"):
            row.update(statements=len(program.statements), windows=how)
            if options.import_only:
                break
            try:
                directory = results.find(program.tp(SPECIFICATIONS.name), seconds)
            except AssayError as problem:
                row.setdefault("why", in_a_line(problem))
                continue
            report = json.loads((directory / "report.json").read_text())
            row.update(
                certified=True, kernels=len(report["kernels"]), us=report["tiling"]["model_us"]
            )
            row.pop("why", None)
            if options.keep:
                keep(directory, program.tp(SPECIFICATIONS.name), options.keep)
            break
    except AssayError as problem:
        row["why"] = in_a_line(problem)
    row["seconds"] = round(time.monotonic() - start, 1)
    return row


def keep(directory, text, folder):
    """The library's text of a result, for a machine with a CUDA compiler and no `assay`."""
    place = folder / cache.Carried.name(text)
    made = place / "build-cuda"
    made.mkdir(parents=True, exist_ok=True)
    shutil.copy(directory / "kernel.cu", place)
    command = [tool.find_tool(), "build", directory, "--device=cuda", "-o", made]
    environment = {**os.environ, "NVCC": "true"}  # the text is wanted, not what it compiles to
    subprocess.run(command, env=environment, capture_output=True, check=True)
    for path in made.iterdir():
        if path.name not in ("library.cu", "interface.json"):
            path.unlink()


# -- correct -------------------------------------------------------------------------------------


def in_type(tree, dtype):
    def cast(x):
        floating = isinstance(x, torch.Tensor) and x.is_floating_point()
        return x.to(dtype) if floating else x

    return torch.utils._pytree.tree_map(cast, tree)


def flat(outputs):
    return [x for x in torch.utils._pytree.tree_leaves(outputs) if isinstance(x, torch.Tensor)]


def away(results, reference):
    """How far tensors are from the reference, in units of what KernelBench allows."""
    worst = 0.0
    for result, exact in zip(flat(results), flat(reference), strict=True):
        if result.shape != exact.shape:
            return math.inf
        tolerance = TOLERANCE.get(result.dtype, 0)
        for part, wanted in zip(result.flatten().split(1 << 26), exact.flatten().split(1 << 26)):
            allowed = tolerance * (1 + wanted.double().abs())
            distance = (part.double() - wanted.double()).abs() / allowed.clamp_min(1e-30)
            most = float(distance.max()) if distance.numel() else 0.0
            if not most <= worst:  # what is no number is as far away as can be
                worst = most if most == most else math.inf
    return worst


def check(path, options):
    """Certified kernels under the emulation, and eager PyTorch, beside double precision."""
    torch.manual_seed(42)
    module = load(path, reduced=True)
    model = model_of(module)
    draw = module.get_inputs
    if options.dtype:
        model = model.to(TYPES[options.dtype])
        draw = lambda: in_type(module.get_inputs(), TYPES[options.dtype])  # noqa: E731
    inputs = list(draw())
    exported = export(model, inputs, fixed=True)
    fast = Compiled(
        exported, Options(device="cpu", seconds=options.seconds, least_work=1, quiet=True)
    )
    exact_model = copy.deepcopy(model).double()
    ours = eager = 0.0
    with torch.no_grad():
        for _ in range(options.inputs):
            exact = exact_model(*in_type(inputs, torch.float64))
            ours = max(ours, away(fast(*inputs), exact))
            eager = max(eager, away(model(*inputs), exact))
            inputs = list(draw())
    return {
        "inputs": options.inputs,
        "dtype": options.dtype or "as stated",
        "checked": [list(x.shape) for x in inputs if isinstance(x, torch.Tensor)],
        "parts": len(fast.parts),
        "left": sorted({f"{target}: {reason}"[:200] for target, reason, _ in fast.left}),
        "ours": ours,
        "eager": eager,
    }


# -- fast ----------------------------------------------------------------------------------------

# the ways that a problem is computed in: PyTorch's, and kernels of ours from one folder or two
# seconds that a problem may have the GPU for, all in all, and that calls of one way take together
LONGEST_ON_GPU = 25
TIMED_SECONDS = 0.12
# bytes of inputs that processes may hold on the GPU while they generate code
MOST_WAITING = 40 << 30


# processors that are left to the process that has the GPU, where there are so many
RESERVED, LEAST_PROCESSORS = 2, 8


def processors():
    """Those of the process that has the GPU, whose calls are timed with what they take of the host,
    and those of processes that generate and compile code."""
    all_of_them = sorted(os.sched_getaffinity(0))
    few = len(all_of_them) < LEAST_PROCESSORS
    return all_of_them if few else all_of_them[-RESERVED:], all_of_them[
        : None if few else -RESERVED
    ]


class Gpu:
    """The GPU, which one process at a time has: what others do meanwhile needs only processors, and
    not those of this one."""

    def __init__(self, path, reserved):
        self._file = open(path, "w")
        self._reserved = reserved
        self._taken = False

    def take(self):
        """Waits until no other process has it; it is given back when this process ends."""
        if not self._taken:
            fcntl.flock(self._file, fcntl.LOCK_EX)
            os.sched_setaffinity(0, self._reserved)
            self._taken = True
            signal.alarm(LONGEST_ON_GPU)

    def inductor(self, graph, examples):
        """The backend of torch.compile, whose code is generated before and run with the GPU
        taken."""
        from torch._inductor.compile_fx import compile_fx

        generated = compile_fx(graph, examples)

        def run(*arguments):
            self.take()
            return generated(*arguments)

        return run


def timed(function, inputs):
    """The result of one call, and its milliseconds by events."""
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    result = function(*inputs)
    stop.record()
    torch.cuda.synchronize()
    return result, start.elapsed_time(stop)


def poison(outputs):
    """Leaves memory of these extents to the allocator with nothing in it that could pass as a
    result."""
    for tensor in flat(outputs):
        fill = math.nan if tensor.is_floating_point() else -1
        torch.full(tensor.shape, fill, dtype=torch.float32, device=tensor.device)


def how_far(ways, inputs, exact):
    """How far each way is from exact results, or why it gives none, and the ways that give some."""
    found, running = {}, {}
    for name, function in ways.items():
        try:
            poison(exact)
            found[f"{name}_away"] = away(timed(function, inputs)[0], exact)
            running[name] = function
        except (RuntimeError, AssayError) as problem:
            found[f"{name}_error"] = in_a_line(problem)
    return found, running


def how_long(ways, inputs):
    """Median milliseconds of each way, and the median quotients of PyTorch's by ours within a
    round; the ways take turns, and the cache is flushed before each call."""
    flush = torch.empty(64 << 20, dtype=torch.int32, device="cuda")
    functions = list(ways.values())
    clock = lambda function: timed(function, inputs)[1]  # noqa: E731
    about = [t for (t,) in rounds.timed_in_turns(functions, 1, clock, flush.zero_)]
    count = rounds.rounds_for(about, 1000 * TIMED_SECONDS * len(ways))
    times = dict(zip(ways, rounds.timed_in_turns(functions, count, clock, flush.zero_)))
    found = {"calls": count}
    for name, of_one in times.items():
        found[f"{name}_ms"] = statistics.median(of_one)
    for theirs, ours in itertools.product(BASELINES, OURS):
        if theirs in times and ours in times:
            found[f"{theirs}_over_{ours}"] = rounds.quotient(times[theirs], times[ours])
    return found


def differs(parts, folder):
    """Has the folder a kernel for one of these parts that is another text?"""
    for part in parts:
        other = folder / cache.Carried.name(part.program) / "kernel.cu"
        if other.exists() and other.read_text() != (part.directory / "kernel.cu").read_text():
            return True
    return False


def measure(path, options):
    """Eager, torch.compile and the carried kernels in one run on a GPU, beside double precision."""
    torch.manual_seed(42)
    module = load(path)
    gpu = Gpu(options.lock, options.reserved)
    with torch.device("cuda"), torch.no_grad():
        model = model_of(module)
        with torch.device("meta"):
            shapes = list(module.get_inputs())
        empty = [
            torch.zeros_like(x, device="cuda") if isinstance(x, torch.Tensor) else x for x in shapes
        ]
        exported = export(model, empty, fixed=True)
        choices = Options(device="cuda", least_work=1, quiet=True)
        fast = Compiled(exported, choices, cache.Carried(options.time))
        found = {
            "parts": len(fast.parts),
            "left": sorted({f"{target}: {in_a_line(reason)}" for target, reason, _ in fast.left}),
        }
        if not fast.parts:
            return found
        compiled = torch.compile(model, backend=gpu.inductor)
        if "compile" in options.ways:
            compiled(*empty)
        ways = {"eager": model, "compile": compiled, "ours": fast}
        ways = {name: way for name, way in ways.items() if name in options.ways}
        if options.beside and differs(fast.parts, options.beside):
            ways["beside"] = Compiled(exported, choices, cache.Carried(options.beside))
        gpu.take()
        del empty
        inputs = list(module.get_inputs())
        exact = copy.deepcopy(model).double()(*in_type(inputs, torch.float64))
        distances, running = how_far(ways, inputs, exact)
        del exact
        found |= distances
        if running:
            found |= how_long(running, inputs)
    return found


@functools.lru_cache(maxsize=None)
def bytes_of_inputs(path):
    with torch.device("meta"):
        inputs = load(path).get_inputs()
    return sum(x.numel() * x.element_size() for x in inputs if isinstance(x, torch.Tensor))


# -- one process a problem -----------------------------------------------------------------------


def answer(work, path, options, end):
    os.setsid()  # a group of its own, so that what it starts ends with it
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    if options.time:
        os.sched_setaffinity(0, options.others)
    try:
        found = work(path, options)
    except Exception as problem:  # noqa: BLE001  (whatever goes wrong is the row's text)
        found = {"error": f"{type(problem).__name__}: {problem}".splitlines()[0][:300]}
    end.send(found)
    end.close()


class Job:
    """A problem under way."""

    def __init__(self, work, level, path, options):
        self.level, self.name, self.path = level, path.stem, path
        self.mode = {"timed": True} if options.time else {}
        self.start = time.monotonic()
        context = multiprocessing.get_context("forkserver" if options.time else "fork")
        self.end, there = context.Pipe(duplex=False)
        self.process = context.Process(target=answer, args=(work, path, options, there))
        self.process.start()
        there.close()

    def end_it(self):
        """Ends the process, and what it has started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:  # it has no group of its own yet
            self.process.kill()
        self.process.join()

    def result(self, limit):
        """The row once there is one, or None."""
        late = time.monotonic() - self.start > limit
        if not late and not self.end.poll() and self.process.is_alive():
            return None
        found = {"error": f"no answer within {limit} s"}
        if self.end.poll():
            try:
                found = self.end.recv()
            except EOFError:
                found = {"error": "the process ended without an answer"}
        elif late:
            self.end_it()
        self.process.join()
        return {"level": self.level, "problem": self.name, **self.mode, **found}


def problems(options):
    folders = [("blocks", options.blocks)] if options.blocks else []
    for level in [options.level] if options.level else [1, 2, 3]:
        if options.checkout:
            folders.append((level, options.checkout / "KernelBench" / f"level{level}"))
    for level, folder in folders:
        for path in sorted(folder.glob("*.py"), key=lambda p: (len(p.stem.split("_")[0]), p.stem)):
            wanted = any(path.stem == n or path.stem.startswith(f"{n}_") for n in options.names)
            if (wanted or not options.names) and is_problem(path):
                yield level, path


def warm_up():
    """What torch.export loads the first time, before processes are made that would load it each."""
    export(torch.nn.ReLU(), [torch.empty(2, 2, device="meta")], fixed=True)


def prepare(options):
    """What is the same for all problems, before the first process is made."""
    if not options.time:
        warm_up()
        return
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"  # processes enough are under way
    # whether there is a GPU is asked of the driver's library: CUDA's own answer, which what is
    # loaded below asks for, makes CUDA unusable in processes that are forked afterwards
    os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
    options.lock = Path(tempfile.mkdtemp()) / "gpu"
    options.reserved, options.others = processors()
    loaded = ["__main__", "torch._dynamo", "torch._inductor.compile_fx"]
    multiprocessing.set_forkserver_preload(loaded)


def in_order(options):
    """The problems; those to be timed mixed, so that a run that ends early has timed a sample."""
    found = list(problems(options))
    if options.time:
        random.Random(0).shuffle(found)
    return found


def has_room(path, running, options):
    """Whether the inputs of one more problem fit the GPU beside those that wait for it."""
    if not options.time or not running:
        return True
    return bytes_of_inputs(path) + sum(bytes_of_inputs(j.path) for j in running) <= MOST_WAITING


def run_all(work, options):
    prepare(options)
    waiting, running, rows = in_order(options), [], []
    out = options.out.open("a") if options.out else None
    begin = time.monotonic()
    while waiting or running:
        over = options.budget and time.monotonic() - begin > options.budget
        if over:
            waiting.clear()
        while waiting and len(running) < options.jobs and has_room(waiting[0][1], running, options):
            running.append(Job(work, *waiting.pop(0), options))
        for job in list(running):
            if over and not job.end.poll():
                job.end_it()
                running.remove(job)
                continue
            row = job.result(options.limit)
            if row is None:
                continue
            running.remove(job)
            rows.append(row)
            print(json.dumps(row), flush=True)
            if out:
                out.write(json.dumps(row) + "\n")
                out.flush()
        time.sleep(0.1)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=Path, nargs="?")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--level", type=int)
    parser.add_argument("--blocks", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--seconds", type=int, default=10, help="of search, for all islands of a problem"
    )
    parser.add_argument("--limit", type=int, default=120, help="seconds for each problem")
    parser.add_argument("--import-only", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--inputs", type=int, default=20, help="of each problem that --check tries")
    parser.add_argument("--dtype", choices=list(TYPES), help="of the model and inputs with --check")
    parser.add_argument("--time", type=Path)
    parser.add_argument("--beside", type=Path, help="other kernels for --time to measure as well")
    parser.add_argument("--in-parts", action="store_true", help="float32 products in parts of TF32")
    parser.add_argument("--budget", type=int, help="seconds for all problems, with --time")
    parser.add_argument(
        "--ways", default="eager,compile,ours", help="to compute it that --time times"
    )
    parser.add_argument(
        "--parts", choices=list(PARTS), default="auto", help="convolutions in two parts"
    )
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--library", default="auto", help="calls of cuBLASLt, as assay has them")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--table", nargs="+")
    options = parser.parse_intermixed_args()
    options.ways = options.ways.split(",")
    rounding.convolutions_in_parts = PARTS[options.parts]
    if options.table:
        print_tables(options.table)
    elif options.checkout or options.blocks:
        rounding.products_in_parts = options.in_parts
        run_all(measure if options.time else check if options.check else certify, options)
    else:
        parser.error("a checkout of KernelBench is wanted, or --blocks, or --table")


if __name__ == "__main__":
    main()
