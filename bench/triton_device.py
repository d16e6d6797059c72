#!/usr/bin/env python3
"""What the writer and the improver of Triton's kernels, and tile programs lowered by themselves,
give on a GPU, in one short run.

  bench/triton_device.py prepare ASSAY FOLDER DIR [N]   without a GPU: DIR has then all that `run`
                                                        needs, this file too
      FOLDER: kernels of Triton with their launches; N: how many tile programs (20)
  DIR/triton_device.py run DIR OUT    on a GPU, needs PyTorch, Triton and nvcc: OUT/triton.json
  bench/triton_device.py show OUT     tables in Markdown

1. written   each workload of bench/table as `--to triton` writes it: compared with float64 (5e-3),
             timed beside our own kernel.
2. improved  kernels of Triton before and after `optimize --from triton`, compiled from TTIR by
             Triton's own compiler: compared with each other on random inputs and, where places are
             recorded, with the record; timed by turns.
3. general   tile programs lowered by themselves (src/kernels), lifted kernels of Triton and what
             saturation makes of the blocks of bench/blocks, compared with the reference in doubles,
             timed.

Compilation runs side by side, by the clock at most half of BUDGET (110 s); timing has the GPU
alone.  A worker that dies or takes more than 25 s is ended and started anew; what it was at is said
to have failed.  What the time does not suffice for is said to be left out.
"""

import concurrent.futures
import json
import math
import os
import queue
import statistics
import subprocess
import sys
import threading
import time

from commands import compile_program, compile_shared
from triton_prepare import prepare, quiet
from triton_tables import show

BUDGET = float(os.environ.get("BUDGET", 110))
PATIENCE = 25
BEGINNING = 20  # more for a process that has PyTorch to load first
SLOW_US = 1500
MACHINE = (
    "import torch, triton; print(torch.cuda.get_device_name(0), 'PyTorch', torch.__version__,"
    " 'Triton', triton.__version__)"
)


# ---- workers: one task at a time, a line of JSON each way
class Worker(threading.Thread):
    """Takes tasks off a queue and hands them to a process, which is started again where it dies."""

    def __init__(self, directory, tasks, results, deadline, environment):
        super().__init__(daemon=True)
        self.directory, self.tasks, self.results = directory, tasks, results
        self.deadline, self.environment = deadline, environment
        self.process = None

    def begin(self):
        self.process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "worker", self.directory],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=self.environment,
        )

    def end(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None

    def ask(self, task):
        patience = PATIENCE
        if not self.process:
            self.begin()
            patience += BEGINNING
        strike = threading.Timer(
            max(1, min(patience, self.deadline - time.time())), self.process.kill
        )
        strike.start()
        try:
            self.process.stdin.write(json.dumps(task) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        strike.cancel()
        if not line:
            self.end()
            return {"failed": "the process ended or took too long"}
        return json.loads(line)

    def run(self):
        while True:
            try:
                task = self.tasks.get_nowait()
            except queue.Empty:
                break
            if time.time() > self.deadline:
                answer = {"failed": "left out: no time"}
            else:
                answer = self.ask(task)
                if answer.pop("broken", False):
                    self.end()
            self.results.append((task, answer))
        self.end()


def work_off(directory, listed, n, deadline, environment):
    tasks, results = queue.Queue(), []
    for task in listed:
        tasks.put(task)
    workers = [Worker(directory, tasks, results, deadline, environment) for _ in range(n)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    return results


def worker(directory):
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        task = json.loads(line)
        try:
            answer = TASKS[task["do"]](directory, task["name"])
        except Exception as e:
            words = str(e).strip().splitlines() or [""]
            answer = {"failed": f"{type(e).__name__}: {words[0][:200]}", "broken": "CUDA" in str(e)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


# ---- 1. workloads as Triton
def load_written(directory, name):
    import importlib.util
    import inspect

    spec = importlib.util.spec_from_file_location(
        name, os.path.join(directory, "written", name + ".py")
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    launcher = [value for value in vars(module).values() if inspect.isfunction(value)][-1]

    def call(*tensors):
        made = launcher(*tensors)
        return made[0] if isinstance(made, tuple) else made

    return call


def errors(call, row, seeds):
    import torch

    import table

    worst = 0.0
    for i in range(seeds):
        torch.manual_seed(1000 + i)
        given = table.inputs(row, ("plain", "small", "large", "mixed")[i % 4])
        reference = row["function"](*[t.double() for t in given])
        made = call(*given)
        worst = max(worst, table.relative(made.reshape(reference.shape), reference))
        del reference
    return worst


def timed(call, row):
    """Microseconds, cold and hot; slow kernels outside of graphs, a few calls each."""
    import torch

    import table

    given = table.inputs(row, "plain")
    call(*given)
    once = events(lambda: call(*given), 1)
    if once < SLOW_US:
        both = table.time_all({"": (lambda: call, row["shapes"])}, row, True)[""]
        return {"cold": both["cold"], "hot": both["hot"]}
    calls = 1 if once > 50 * SLOW_US else 3
    us = statistics.median(events(lambda: call(*given), 1) for _ in range(calls))
    torch.cuda.synchronize()
    return {"cold": us, "hot": us}


def events(call, n):
    import torch

    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(n):
        call()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1000 / n


def written_right(directory, name):
    import table

    return {"error": errors(load_written(directory, name), table.ROWS[name], 4)}


def written_timed(directory, name):
    import table

    return timed(load_written(directory, name), table.ROWS[name])


def ours_timed(directory, name):
    import torch

    import table

    row = table.ROWS[name]
    out_shape = row["function"](*table.inputs(row, "plain")).shape
    kernel = table.Kernel(os.path.join(directory, "made", name + ".so"), out_shape)
    answer = {"error": errors(kernel, row, 4)}
    answer.update(timed(kernel, row))
    torch.cuda.synchronize()
    return answer


# ---- 2. kernels before and after
TYPES = {
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "i1": "bool",
}


def compiled(directory, name, which):
    import triton
    from triton.backends.compiler import GPUTarget

    with open(os.path.join(directory, "improved", name, "launch.json")) as f:
        launch = json.load(f)
    path = os.path.join(directory, "improved", name, which + ".ttir")
    return launch, triton.compile(
        path, target=GPUTarget("cuda", 90, 32), options={"num_warps": launch["num_warps"]}
    )


def scratch(size, alignment, stream):
    import torch

    return torch.empty(size, dtype=torch.int8, device="cuda")


def recorded(size, position, fill):
    """The inputs of the record: a hash of the element's number and the argument's."""
    import torch

    mask = 0xFFFFFFFF
    h = (
        torch.arange(size, dtype=torch.int64) * 2654435761 + (2654404609 * (position + 1) & mask)
    ) & mask
    h ^= h >> 15
    h = (h * 2246822519) & mask
    h ^= h >> 13
    if fill == "f":
        return (h % 4001).double() / 1000 - 2
    if fill == "p":
        return (h % 1000).double() / 1000 + 0.5
    if fill.startswith("i"):
        low, high = map(int, fill[2:].split(":"))
        return low + h % (high - low)
    return torch.zeros(size, dtype=torch.float64)


def drawn(size, fill, like):
    import torch

    if fill == "f":
        return torch.randn(size)
    if fill == "p":
        return torch.rand(size) + 0.5
    return like


def arguments(launch, seed):
    """Tensors and numbers of one launch; seed 0: the recorded inputs."""
    import torch

    torch.manual_seed(seed)
    made = []
    for a in launch["args"]:
        if a["kind"] != "ptr":
            made.append(a["value"])
            continue
        values = recorded(a["size"], a["position"], a["fill"])
        if seed:
            values = drawn(a["size"], a["fill"], values)
        made.append(values.to(getattr(torch, TYPES[a["elt"]])).cuda())
    return made


def call_kernel(kernel, launch, given):
    kernel[tuple(launch["grid"])](*given)


def improved_compiled(directory, name):
    launch = None
    for which in ("before", "after"):
        launch, kernel = compiled(directory, name, which)
        kernel._init_handles()
    return {}


def tensors(given):
    import torch

    return [t for t in given if isinstance(t, torch.Tensor)]


def difference(a, b):
    """Relative Frobenius norm of what differs; elements that are no number count where only one
    side has them."""
    import torch

    worst = 0.0
    for x, y in zip(tensors(a), tensors(b)):
        x, y = x.double(), y.double()
        if not torch.equal(torch.isfinite(x), torch.isfinite(y)):
            return math.inf
        x, y = torch.nan_to_num(x, 0, 0, 0), torch.nan_to_num(y, 0, 0, 0)
        worst = max(worst, ((x - y).norm() / y.norm().clamp(min=1e-30)).item())
    return worst


def record_error(launch, given):
    """Of the recorded places: the largest |difference| / (1 + |value|); None without a record."""
    worst = None
    for tensor, a in zip(given, launch["args"]):
        for offset, value in launch["probe"].get(a["name"], []):
            off = abs(float(tensor[offset]) - value) / (1 + abs(value))
            worst = max(worst or 0.0, off)
    return worst


def replayed(kernel, launch, sets, calls):
    import torch

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        call_kernel(kernel, launch, sets[0])
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(calls):
            call_kernel(kernel, launch, sets[i % len(sets)])
    return graph


def by_turns(graphs, calls, replays):
    """Medians of replays that take turns, so that what drifts hits all alike."""
    times = {which: [] for which in graphs}
    for i in range(replays + 2):
        for which, graph in graphs.items():
            us = events(graph.replay, 1) / calls
            if i >= 2:
                times[which].append(us)
    return {
        which: [statistics.median(t), *statistics.quantiles(t, n=4)[::2]]
        for which, t in times.items()
    }


def improved_timed(directory, name):
    import torch
    import triton

    triton.set_allocator(scratch)
    kernels = {}
    for which in ("before", "after"):
        launch, kernels[which] = compiled(directory, name, which)
    answer = {"difference": 0.0}
    for seed in range(4):
        results = {}
        for which, kernel in kernels.items():
            results[which] = arguments(launch, seed)
            call_kernel(kernel, launch, results[which])
        torch.cuda.synchronize()
        answer["difference"] = max(
            answer["difference"], difference(results["after"], results["before"])
        )
        if seed == 0 and launch["whole"]:
            answer["record"] = {
                which: record_error(launch, given) for which, given in results.items()
            }
    size = sum(t.numel() * t.element_size() for t in tensors(results["before"]))
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    count = max(2, min(1024, 2 * l2 // size + 1))
    sets = [arguments(launch, 1)]
    sets += [
        [t.clone() if isinstance(t, torch.Tensor) else t for t in sets[0]] for _ in range(count - 1)
    ]
    calls = max(64, count)
    for kind, used in (("hot", sets[:1]), ("cold", sets)):
        graphs = {which: replayed(kernel, launch, used, calls) for which, kernel in kernels.items()}
        answer[kind] = by_turns(graphs, calls, 15)
    answer["bytes"] = size
    answer["registers"] = {
        which: [kernel.n_regs, kernel.n_spills, kernel.metadata.shared]
        for which, kernel in kernels.items()
    }
    return answer


TASKS = {
    "written right": written_right,
    "written timed": written_timed,
    "ours timed": ours_timed,
    "improved compiled": improved_compiled,
    "improved timed": improved_timed,
}


# ---- with a GPU
def names(directory, folder, end=""):
    path = os.path.join(directory, folder)
    return (
        sorted(n.removesuffix(end) for n in os.listdir(path) if n.endswith(end))
        if os.path.isdir(path)
        else []
    )


class Compilers(threading.Thread):
    """nvcc for our kernels and for the tile programs, some at once."""

    def __init__(self, directory, at_once, deadline):
        super().__init__()
        self.directory, self.at_once, self.deadline = directory, at_once, deadline
        self.failed = {}

    def jobs(self):
        for name in names(self.directory, "ours", ".cu"):
            source = os.path.join(self.directory, "ours", name + ".cu")
            made = os.path.join(self.directory, "made", name + ".so")
            yield name, compile_shared(source, made)
        for name in names(self.directory, "general"):
            folder = os.path.join(self.directory, "general", name)
            main = os.path.join(folder, "main")
            yield name, compile_program(main + ".cu", main)

    def run(self):
        waiting, under_way = list(self.jobs()), []
        while (waiting or under_way) and time.time() < self.deadline:
            while waiting and len(under_way) < self.at_once:
                name, command = waiting.pop(0)
                under_way.append(
                    (
                        name,
                        subprocess.Popen(
                            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
                        ),
                    )
                )
            for job in list(under_way):
                if job[1].poll() is not None:
                    under_way.remove(job)
                    said = job[1].communicate()[0]
                    if job[1].returncode:
                        self.failed[job[0]] = said[-300:]
            time.sleep(0.1)
        for name, job in under_way:
            job.kill()
            self.failed[name] = "left out: no time"
        self.failed.update((name, "left out: no time") for name, _ in waiting)


def run_general(directory, name, options, deadline):
    """One run: what the program says of itself."""
    program = os.path.join(directory, "general", name, "main")
    left = deadline - time.time()
    if not os.path.exists(program):
        return {"failed": "not compiled"}
    if left < 1:
        return {"failed": "left out: no time"}
    try:
        said = quiet([program, *options], timeout=min(PATIENCE, left))
    except subprocess.TimeoutExpired:
        return {"failed": "too long"}
    try:
        return {"status": said.returncode, **json.loads(said.stdout)}
    except ValueError:
        return {"failed": (said.stdout + said.stderr).strip()[-200:]}


def general_right(directory, listed, at_once, deadline):
    """Two inputs each, side by side."""
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        runs = [
            (name, pool.submit(run_general, directory, name, ["--seed", str(seed)], deadline))
            for name in listed
            for seed in (1, 2)
        ]
        found = {name: {"runs": []} for name in listed}
        for name, one in runs:
            found[name]["runs"].append(one.result())
    return found


def run(directory, out):
    began = time.time()
    deadline = began + BUDGET
    os.makedirs(out, exist_ok=True)
    os.makedirs(os.path.join(directory, "made"), exist_ok=True)
    cache = os.path.join(os.environ.get("TMPDIR", "/tmp"), "triton-device-cache")
    environment = {**os.environ, "TRITON_CACHE_DIR": cache, "PYTHONDONTWRITEBYTECODE": "1"}
    cores = os.cpu_count() or 2
    compilers = Compilers(directory, max(1, cores // 2), began + BUDGET / 2)
    compilers.start()
    machine = subprocess.Popen(
        [sys.executable, "-c", MACHINE],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    written = names(directory, "written", ".py")
    improved = names(directory, "improved")
    general = names(directory, "general")
    report = {
        "written": {n: {} for n in written},
        "ours": {},
        "improved": {n: {} for n in improved},
        "general": {},
    }

    def save():
        report["seconds"] = time.time() - began
        with open(os.path.join(out, "triton.json"), "w") as f:
            json.dump(report, f, indent=1)

    def collect(results):
        for task, answer in results:
            group, what = task["do"].split()
            report.setdefault(group, {}).setdefault(task["name"], {}).update(answer)
            if "failed" in answer:
                print(f"{task['do']} {task['name']}: {answer['failed']}", flush=True)
        save()

    listed = [{"do": "written right", "name": n} for n in written] + [
        {"do": "improved compiled", "name": n} for n in improved
    ]
    collect(work_off(directory, listed, max(1, cores // 2), began + BUDGET / 2, environment))
    compilers.join()
    report["nvcc"] = compilers.failed
    print(f"compiled after {time.time() - began:.0f} s; failed: {compilers.failed}", flush=True)
    report["general"] = general_right(directory, general, max(1, cores // 2), deadline)
    report["gpu"] = machine.communicate()[0].strip()
    save()
    listed = []
    for n in written:
        if "error" in report["written"][n]:
            listed.append({"do": "written timed", "name": n})
        if os.path.exists(os.path.join(directory, "made", n + ".so")):
            listed.append({"do": "ours timed", "name": n})
    listed += [
        {"do": "improved timed", "name": n}
        for n in improved
        if "failed" not in report["improved"][n]
    ]
    collect(work_off(directory, listed, 1, deadline - 8, environment))
    for n in general:
        report["general"][n]["timed"] = run_general(
            directory, n, ["--seed", "3", "--time"], deadline
        )
        save()
    show(out)
    print(f"{report['seconds']:.0f} s")


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what == "prepare" and len(sys.argv) in (5, 6):
        prepare(
            sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]) if len(sys.argv) == 6 else 20
        )
    elif what == "run" and len(sys.argv) == 4:
        run(os.path.abspath(sys.argv[2]), sys.argv[3])
    elif what == "worker" and len(sys.argv) == 3:
        worker(sys.argv[2])
    elif what == "show" and len(sys.argv) == 3:
        show(sys.argv[2])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
