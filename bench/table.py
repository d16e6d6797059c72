#!/usr/bin/env python3
"""Measures every workload of bench/table/ beside its baselines in one run.

  bench/table.py prepare ASSAY DIR       lowers each NAME.tp with NAME.mug (no GPU needed):
                                         DIR/NAME.cu, and what ASSAY says of it
  bench/table.py run DIR OUT [NAME...]   on a GPU: compiles, checks, times; OUT/table.json,
                                         OUT/table.md, OUT/table.svg
  bench/table.py show OUT                writes the table and the plot again from OUT/table.json

A file NAME@VARIANT.cu is another lowering of NAME: all are timed, the fastest right one stands in
the table, the others in the JSON.

Timing: many calls captured in one CUDA graph, its replay timed by events; the median of 11 replays
and their spread (quartiles), with rests between them of ten times what the last one took, at most
50 ms, so that no row finds the clock that the one before has left.  All that compute a row,
lowerings and baselines, are captured first and take turns then (rounds.py): one replay of each a
round.  "hot" repeats one set of inputs, "cold" rotates among as many as exceed four times the L2
cache.  Microseconds.

Check: 20 fresh inputs, by turns of ordinary, small, large and mixed
magnitude, against float64: relative Frobenius error, which must be finite and at most twice that of
the most exact baseline on the same input (with a floor of 4e-4, half precision's own rounding).

Baselines, as a user of PyTorch would write the row who wants it fast: eager, torch.compile and
max-autotune, of the formula as it stands and of other ways to write it (matrices of weights that
read the same tensor joined into one; new keys written behind the cached ones in place); for
attention scaled_dot_product_attention by each backend that takes it, with K stored as
[.., length, head_dim] for it, alone and with what is around it (norms) compiled."""

import ctypes
import json
import math
import os
import statistics
import subprocess
import sys
import time

from commands import compile_shared
import rounds

REST_SECONDS = (
    0.05  # at most, before a replay: a GPU that was busy lowers its clock, whoever comes next
)
HERE = os.path.dirname(os.path.abspath(__file__))
ROWS = {}


def row(name, title, shapes, floor_us, **more):
    """The decorated function computes the workload in whatever type its tensors have."""

    def add(function):
        ROWS[name] = {
            "title": title,
            "shapes": shapes,
            "floor": floor_us,
            "function": function,
            **more,
        }
        return function

    return add


def rms(x):
    return x / (x * x).mean(-1, keepdim=True).sqrt()


def attention(q, kt, v):
    import torch

    return torch.softmax(q @ kt, -1) @ v


def sdpa(q, k, v):
    """Tensors as [1, heads, rows, depth], K by rows."""
    import torch.nn.functional as F

    return F.scaled_dot_product_attention(q, k, v, scale=1.0)


def attention_shapes(heads, rows, depth, keys):
    return [(heads, rows, depth), (heads, depth, keys), (heads, keys, depth)]


def gated_joined(x, ab):
    """The two matrices beside each other as one."""
    import torch.nn.functional as F

    a, b = (x @ ab).chunk(2, -1)
    return F.silu(a) * b


@row(
    "gated_mlp",
    "gated_mlp 8x4096, 4096x4096 twice",
    [(8, 4096), (4096, 4096), (4096, 4096)],
    15.7,
    fan_in=[1, 2],
    others={"joined": (gated_joined, [(8, 4096), (4096, 8192)])},
)
def gated_mlp(x, a, b):
    import torch.nn.functional as F

    return F.silu(x @ a) * (x @ b)


def rms_linear(x, g, w):
    return (rms(x) * g) @ w


for batch in (2, 16):
    row(
        f"rmsnorm_linear_{batch}",
        f"rmsnorm_linear {batch}x4096, 4096x6144",
        [(batch, 4096), (4096,), (4096, 6144)],
        11.8,
        fan_in=[2],
    )(rms_linear)


@row(
    "lora",
    "lora 16x256, 256x4096, rank 16",
    [(16, 256), (256, 4096), (256, 16), (16, 4096)],
    0.5,
    fan_in=[1, 2, 3],
)
def lora(x, w, a, c):
    return x @ w + (x @ a) @ c


def ntrans(h, x, a):
    return rms(x + a * (rms(h) + x))


for batch, floor in ((8, 0.05), (64, 0.4)):
    row(f"ntrans_{batch}", f"ntrans {batch}x4096", [(batch, 4096)] * 3, floor)(ntrans)

row(
    "gqa_2", "gqa 2x256x64, KV 4096", attention_shapes(2, 256, 64, 4096), 0.5, sdpa=sdpa, fan_in=[1]
)(attention)
row(
    "gqa_16",
    "gqa 16x256x64, KV 4096",
    attention_shapes(16, 256, 64, 4096),
    4.1,
    sdpa=sdpa,
    fan_in=[1],
)(attention)
row("mha", "mha 32x16x64, KV 4096", attention_shapes(32, 16, 64, 4096), 7.9, sdpa=sdpa, fan_in=[1])(
    attention
)
row(
    "decode_1",
    "decode 1 token, 8 heads of 128, KV 65536",
    attention_shapes(8, 1, 128, 65536),
    63.0,
    sdpa=sdpa,
    fan_in=[1],
)(attention)
row(
    "decode_8",
    "decode 8 tokens, 8 heads of 128, KV 65536",
    attention_shapes(8, 8, 128, 65536),
    63.0,
    sdpa=sdpa,
    fan_in=[1],
)(attention)


def qknorm(q, kt, v):
    return attention(rms(q), kt, rms(v))


def qknorm_sdpa(q, k, v):
    return sdpa(rms(q), k, rms(v))


for heads, floor in ((2, 0.5), (16, 4.1)):
    row(
        f"qknorm_{heads}",
        f"qknorm {heads}x256x64, KV 4096",
        attention_shapes(heads, 256, 64, 4096),
        floor,
        sdpa=qknorm_sdpa,
        fan_in=[1],
    )(qknorm)


def causal_attention(q, kt, v):
    import torch

    rows = q.shape[-2]
    later = torch.ones(rows, rows, dtype=torch.bool, device=q.device).triu(1)
    return torch.softmax((q @ kt).masked_fill(later, -math.inf), -1) @ v


def causal_sdpa(q, k, v):
    import torch.nn.functional as F

    return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=1.0)


row(
    "prefill",
    "prefill attention 32x4096x128, causal",
    attention_shapes(32, 4096, 128, 4096),
    174,
    sdpa=causal_sdpa,
    fan_in=[1],
)(causal_attention)


@row(
    "swiglu",
    "swiglu 16x4096, 4096x14336 twice, 14336x4096",
    [(16, 4096), (4096, 14336), (4096, 14336), (14336, 4096)],
    82.3,
    fan_in=[1, 2, 3],
    others={
        "joined": (
            lambda x, ab, c: gated_joined(x, ab) @ c,
            [(16, 4096), (4096, 28672), (14336, 4096)],
        )
    },
)
def swiglu(x, a, b, c):
    import torch.nn.functional as F

    return (F.silu(x @ a) * (x @ b)) @ c


@row("rms_rows", "rms_norm with weight, 4096x4096", [(4096, 4096), (4096,)], 15.7)
def rms_rows(x, g):
    return rms(x) * g


@row("softmax_rows", "softmax of rows, 4096x4096", [(4096, 4096)], 15.7)
def softmax_rows(x):
    import torch

    return torch.softmax(x, -1)


def gemm_gelu_addmm(x, w, c):
    import torch
    import torch.nn.functional as F

    return F.gelu(torch.addmm(c, x, w))


@row(
    "gemm_gelu",
    "matrix product 4096x4096x4096 with bias and GELU",
    [(4096, 4096), (4096, 4096), (4096,)],
    174,
    fan_in=[1],
    others={"addmm": (gemm_gelu_addmm, [(4096, 4096), (4096, 4096), (4096,)])},
)
def gemm_gelu(x, w, c):
    import torch.nn.functional as F

    return F.gelu(x @ w + c)


HEADS, DEPTH, CACHED, TOKENS = 32, 128, 1008, 16


def by_head(x):
    return x.view(TOKENS, HEADS, DEPTH).transpose(0, 1)


def block(x, wq, wk, wv, kc, vc):
    import torch

    k = torch.cat([kc, by_head(x @ wk)], 1)
    v = torch.cat([vc, by_head(x @ wv)], 1)
    a = torch.softmax(by_head(x @ wq) @ k.transpose(-1, -2), -1) @ v
    return a.transpose(0, 1).reshape(TOKENS, HEADS * DEPTH)


def block_in_place(x, wq, wk, wv, k, v):
    """The new keys and values are written behind the cached ones: nothing is copied."""
    k[:, CACHED:] = by_head(x @ wk)
    v[:, CACHED:] = by_head(x @ wv)
    a = sdpa(by_head(x @ wq)[None], k[None], v[None])[0]
    return a.transpose(0, 1).reshape(TOKENS, HEADS * DEPTH)


def block_joined(x, wqkv, k, v):
    """The same with one matrix for queries, keys and values."""
    q, new_k, new_v = (x @ wqkv).chunk(3, -1)
    k[:, CACHED:], v[:, CACHED:] = by_head(new_k), by_head(new_v)
    a = sdpa(by_head(q)[None], k[None], v[None])[0]
    return a.transpose(0, 1).reshape(TOKENS, HEADS * DEPTH)


def normed(f):
    return lambda x, *more: f(rms(x), *more)


WIDTH = HEADS * DEPTH
BLOCK = [(TOKENS, WIDTH)] + 3 * [(WIDTH, WIDTH)]
CACHE = 2 * [(HEADS, CACHED, DEPTH)]
ROOM = 2 * [(HEADS, CACHED + TOKENS, DEPTH)]
for name, change in (("vanilla", lambda f: f), ("prenorm", normed)):
    row(
        name,
        f"attention block, {name}: 16 tokens, 32 heads of 128, cache 1008",
        BLOCK + CACHE,
        27.5,
        fan_in=[1, 2, 3, 4],
        others={
            "in place": (change(block_in_place), BLOCK + ROOM),
            "joined, in place": (change(block_joined), [(TOKENS, WIDTH), (WIDTH, 3 * WIDTH)] + ROOM),
        },
    )(change(block))


# --- without a GPU
def prepare(assay, out):
    os.makedirs(out, exist_ok=True)
    for name in ROWS:
        base = os.path.join(HERE, "table", name)
        if not os.path.exists(base + ".mug"):
            print(f"{name}: no block graph for it in bench/table")
            continue
        work = os.path.join(out, "work", name)
        os.makedirs(work, exist_ok=True)
        # no nvcc on this path: the text is wanted, not the measurement
        said = subprocess.run(
            [assay, "bench", base + ".tp", base + ".mug", "-o", work, "--no-try", "--trace=lower"],
            env={**os.environ, "NVCC": "/bin/false", "CXX": "/bin/false"},
            capture_output=True,
            text=True,
        )
        text = os.path.join(work, "bench", "kernel.cu")
        if not os.path.exists(text):
            print(f"{name}: not lowered: {said.stderr.strip()[-300:]}")
            continue
        os.replace(text, os.path.join(out, name + ".cu"))
        for line in said.stderr.splitlines():
            if "thread graph" in line:
                print(f"{name}: {line.removeprefix('lower: ')}")


# --- with one
def inputs(r, kind, shapes=None):
    import torch

    fan_in = r.get(
        "fan_in", []
    )  # which inputs are matrices of weights, scaled so that sums of products stay near 1
    made = []
    for i, s in enumerate(shapes or r["shapes"]):
        x = torch.randn(s, device="cuda", dtype=torch.float32)
        if len(s) > 1 and i in fan_in:
            x = x / math.sqrt(s[-2])
        if kind == "small":
            x = x / 8
        elif kind == "large":
            x = x * 4
        elif kind == "mixed":
            x = x * torch.exp2(torch.randint(-4, 3, s, device="cuda").float())
        made.append(x.half())
    return made


class Captured:
    """A graph of `calls` calls on sets of inputs by turns; `us()` replays it after a rest:
    microseconds a call."""

    def __init__(self, call, sets, calls):
        import torch

        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for i in range(3):
                call(*sets[i % len(sets)])
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        self._call, self._sets = call, sets  # the graph has their code and memory
        self._calls = calls
        self._elapsed = 0
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            for i in range(calls):
                call(*sets[i % len(sets)])

    def us(self):
        import torch

        time.sleep(min(REST_SECONDS, 10 * self._elapsed))
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        self._graph.replay()
        stop.record()
        stop.synchronize()
        self._elapsed = start.elapsed_time(stop) / 1000
        return self._elapsed * 1e6 / self._calls


def median_us(call, sets, calls, replays=11):
    """Median and quartiles of one way alone, after three replays that count for nothing."""
    graph = Captured(call, sets, calls)
    times = [graph.us() for _ in range(replays + 3)][3:]
    low, _, high = statistics.quantiles(times, n=4)
    return statistics.median(times), low, high


class Sets:
    """Inputs of a row by their shapes: what takes the same shapes takes the same tensors."""

    def __init__(self, r):
        self._row = r
        self._made = {}

    def of(self, shapes):
        import torch

        key = tuple(shapes)
        if key not in self._made:
            size = sum(2 * math.prod(s) for s in shapes)
            l2 = torch.cuda.get_device_properties(0).L2_cache_size
            count = min(200, 4 * l2 // size + 2)
            self._made[key] = [inputs(self._row, "plain", shapes) for _ in range(count)]
        return self._made[key]


def capture(ways, r, fast):
    """Graphs of the ways, cold and hot; what one says that cannot be captured is printed.  `ways`
    has for each name a call, its shapes, and what has to be done before it is made."""
    sets = Sets(r)
    cold, hot = {}, {}
    for name, (make, shapes) in ways.items():
        try:
            call = make()
            given = sets.of(shapes)
            graphs = (
                Captured(call, given, max(len(given), 20) // len(given) * len(given)),
                Captured(call, given[:1], 20 if fast else 50),
            )
            cold[name], hot[name] = graphs
        except Exception as e:
            print(
                f"  {name}: {type(e).__name__}: {str(e).splitlines()[0][:100] if str(e) else ''}",
                flush=True,
            )
    return cold, hot


def replayed(graphs, replays):
    """For each graph its times, after three rounds that count for nothing."""
    times = rounds.timed_in_turns(list(graphs.values()), replays + 3, Captured.us)
    return {name: of_one[3:] for name, of_one in zip(graphs, times)}


def time_all(ways, r, fast=False):
    """For each way its times; all take turns."""
    cold, hot = capture(ways, r, fast)
    cold = replayed(cold, 7 if fast else 11)
    hot = replayed(hot, 5 if fast else 11)
    found = {}
    for name, times in cold.items():
        low, _, high = statistics.quantiles(times, n=4)
        found[name] = {
            "cold": statistics.median(times),
            "cold_low": low,
            "cold_high": high,
            "hot": statistics.median(hot[name]),
        }
    return found


class Kernel:
    """A lowered program as a shared library."""

    def __init__(self, path, out_shape):
        import torch

        self.torch = torch
        self.lib = ctypes.CDLL(path)
        self.lib.assay_workspace_bytes.restype = ctypes.c_size_t
        self.lib.assay_launch.argtypes = [ctypes.c_void_p] * 4
        self.workspace = torch.empty(
            max(16, self.lib.assay_workspace_bytes()), dtype=torch.uint8, device="cuda"
        )
        self.out = torch.empty(out_shape, dtype=torch.float16, device="cuda")

    def __call__(self, *tensors):
        ins = (ctypes.c_void_p * len(tensors))(*[t.data_ptr() for t in tensors])
        outs = (ctypes.c_void_p * 1)(self.out.data_ptr())
        stream = self.torch.cuda.current_stream().cuda_stream
        status = self.lib.assay_launch(ins, outs, self.workspace.data_ptr(), stream)
        if status:
            raise RuntimeError(f"CUDA error {status}")
        return self.out


def relative(x, reference):
    import torch

    if not torch.isfinite(x).all():
        return math.inf
    return ((x.double() - reference).norm() / reference.norm()).item()


def transposed(tensors):
    """Q, K by rows, V for scaled_dot_product_attention."""
    q, kt, v = tensors
    return [q[None].contiguous(), kt.transpose(-1, -2)[None].contiguous(), v[None].contiguous()]


def check(kernel, r, seeds=20):
    """Worst quotient of our error by the best baseline's, and our worst error."""
    import torch

    worst = 0.0
    error = 0.0
    kinds = ("plain", "small", "large", "mixed")
    for i in range(seeds):
        torch.manual_seed(1000 + i)
        given = inputs(r, kinds[i % 4])
        reference = r["function"](*[t.double() for t in given])
        kernel.out.fill_(math.nan)
        mine = relative(kernel(*given), reference)
        theirs = relative(r["function"](*given), reference)
        if "sdpa" in r:
            theirs = min(theirs, relative(r["sdpa"](*transposed(given))[0], reference))
        error = max(error, mine)
        worst = max(worst, mine / max(theirs, 2e-4))
        del reference
    return error, worst


def compiled(call, **options):
    """What makes torch.compile's form of a call; nothing that was compiled before is forgotten,
    since it is in graphs."""

    def make():
        import torch

        return torch.compile(call, dynamic=False, **options)

    return make


AUTOTUNED = {"mode": "max-autotune-no-cudagraphs"}


def baselines(r):
    """What PyTorch has for a row: for each name what makes the call, and its shapes."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    ways = {
        "eager": (lambda: r["function"], r["shapes"]),
        "compile": (compiled(r["function"]), r["shapes"]),
        "max-autotune": (compiled(r["function"], **AUTOTUNED), r["shapes"]),
    }
    for name, (call, shapes) in r.get("others", {}).items():
        ways[name] = (lambda call=call: call, shapes)
        ways[name + ", compile"] = (compiled(call), shapes)
        ways[name + ", max-autotune"] = (compiled(call, **AUTOTUNED), shapes)
    if "sdpa" in r:
        (h, m, e), (_, _, k), _ = r["shapes"]
        for backend in ("FLASH_ATTENTION", "CUDNN_ATTENTION", "EFFICIENT_ATTENTION"):

            def within(call, backend=backend):
                """The call, with attention by that backend alone."""

                def run(q, kk, v):
                    with sdpa_kernel([getattr(SDPBackend, backend)]):
                        return call(q, kk, v)

                return run

            name = "sdpa " + backend.split("_")[0].lower()
            shapes = [(1, h, m, e), (1, h, k, e), (1, h, k, e)]
            ways[name] = (lambda within=within: within(r["sdpa"]), shapes)
            if r["sdpa"] is not sdpa:  # there is something around it
                around = compiled(r["sdpa"])
                ways[name + ", compile"] = (
                    lambda within=within, around=around: within(around()),
                    shapes,
                )
    return ways


def compile_all(texts, out):
    jobs = []
    for t in texts:
        lib = os.path.join(out, os.path.basename(t)[:-3] + ".so")
        command = compile_shared(t, lib, "-Xptxas", "-v")
        jobs.append(
            (
                t,
                lib,
                subprocess.Popen(
                    command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
                ),
            )
        )
    made = {}
    for t, lib, job in jobs:
        said = job.communicate()[0]
        name = os.path.basename(t)[:-3]
        with open(os.path.join(out, name + ".log"), "w") as f:
            f.write(said)
        if job.returncode:
            print(f"{name}: does not compile\n{said[-2000:]}", flush=True)
        else:
            spills = [
                l for l in said.splitlines() if "spill" in l and " 0 bytes spill stores" not in l
            ]
            for l in spills:
                print(f"{name}: {l.strip()}", flush=True)
            made[name] = lib
    return made


def run(directory, out, names, fast=False, with_baselines=True):
    import torch

    os.makedirs(out, exist_ok=True)
    texts = [os.path.join(directory, f) for f in sorted(os.listdir(directory)) if f.endswith(".cu")]
    texts = [
        t
        for t in texts
        if not names or os.path.basename(t).split("@")[0].removesuffix(".cu") in names
    ]
    libs = compile_all(texts, os.environ.get("LIBS", "/tmp"))
    table = {"gpu": torch.cuda.get_device_name(0), "torch": torch.__version__, "rows": {}}
    for name, r in ROWS.items():
        if names and name not in names:
            continue
        entry = {"variants": {}, "baselines": {}}
        began = time.time()
        torch.manual_seed(1)
        out_shape = r["function"](*inputs(r, "plain")).shape
        ways = {}
        torch._dynamo.reset()
        for lib in (l for l in sorted(libs) if l.split("@")[0] == name):
            try:
                kernel = Kernel(libs[lib], out_shape)
                error, quotient = check(kernel, r, 4 if fast else 20)
                entry["variants"][lib] = {
                    "error": error,
                    "error_over_best": quotient,
                    "right": quotient <= 2,
                }
                ways[lib] = (lambda kernel=kernel: kernel, r["shapes"])
            except Exception as e:
                print(f"{lib}: {type(e).__name__}: {e}", flush=True)
        if with_baselines:
            ways |= baselines(r)
        with torch.no_grad():
            times = time_all(ways, r, fast)
        entry["baselines"] = {way: t for way, t in times.items() if way not in entry["variants"]}
        entry["variants"] = {
            lib: times[lib] | found for lib, found in entry["variants"].items() if lib in times
        }
        for lib, v in entry["variants"].items():
            print(
                f"{lib}: cold {v['cold']:.2f} hot {v['hot']:.2f} error {v['error']:.2e}"
                f" ({v['error_over_best']:.2f} x)",
                flush=True,
            )
        if with_baselines:
            print(
                f"{name}: "
                + ", ".join(f"{k} {v['cold']:.1f}" for k, v in entry["baselines"].items()),
                flush=True,
            )
        table["rows"][name] = entry
        print(f"{name}: {time.time() - began:.0f} s", flush=True)
        with open(os.path.join(out, "table.json"), "w") as f:
            json.dump(table, f, indent=1)
    show(out)


def best(entries):
    right = {k: v for k, v in entries.items() if v.get("right", True)}
    return min(right.items(), key=lambda kv: kv[1]["cold"]) if right else None


def show(out):
    with open(os.path.join(out, "table.json")) as f:
        table = json.load(f)
    lines = [
        (
            f"One run on one {table['gpu']}, PyTorch {table['torch']}; cold microseconds (hot),"
            " quartiles in brackets."
        ),
        "",
        (
            "| workload | Assay | best baseline | which | quotient | floor | error, of the best"
            " baseline's |"
        ),
        "|---|---|---|---|---|---|---|",
    ]
    quotients = []
    bars = []
    for name, e in table["rows"].items():
        mine, theirs = best(e["variants"]), best(e["baselines"])
        if not mine or not theirs:
            continue
        m, t = mine[1], theirs[1]
        quotient = t["cold"] / m["cold"]
        quotients.append(quotient)
        bars.append((ROWS[name]["title"], quotient))
        lines.append(
            f"| {ROWS[name]['title']} | {m['cold']:.1f} ({m['hot']:.1f}) [{m['cold_low']:.1f},"
            f" {m['cold_high']:.1f}] | {t['cold']:.1f} ({t['hot']:.1f}) | {theirs[0]} |"
            f" {quotient:.2f} | {ROWS[name]['floor']} | {m['error']:.1e},"
            f" {m['error_over_best']:.2f} |"
        )
    if quotients:
        mean = math.exp(sum(map(math.log, quotients)) / len(quotients))
        lines += [
            "",
            (
                f"{sum(q > 1 for q in quotients)} of {len(quotients)} rows are faster than the best"
                f" baseline; geometric mean {mean:.2f}."
            ),
        ]
    text = "\n".join(lines) + "\n"
    print(text)
    with open(os.path.join(out, "table.md"), "w") as f:
        f.write(text)
    with open(os.path.join(out, "table.svg"), "w") as f:
        f.write(plot(bars))


def plot(bars):
    """Best baseline's time over ours, a bar a row; the line is 1."""
    most = max([q for _, q in bars] + [1.0])
    scale = 360 / most
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="760" height="{24 * len(bars) + 30}"'
        ' font-family="sans-serif" font-size="12">'
    ]
    for i, (title, q) in enumerate(bars):
        y = 10 + 24 * i
        colour = "#2a7f62" if q >= 1 else "#b03a2e"
        parts.append(f'<text x="325" y="{y + 13}" text-anchor="end">{title}</text>')
        parts.append(f'<rect x="335" y="{y}" width="{q * scale:.1f}" height="17" fill="{colour}"/>')
        parts.append(f'<text x="{340 + q * scale:.1f}" y="{y + 13}">{q:.2f}</text>')
    parts.append(
        f'<line x1="{335 + scale:.1f}" y1="0" x2="{335 + scale:.1f}" y2="{24 * len(bars) + 14}"'
        ' stroke="black" stroke-dasharray="3 3"/>'
    )
    return "\n".join(parts) + "\n</svg>\n"


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what == "prepare" and len(sys.argv) == 4:
        prepare(sys.argv[2], sys.argv[3])
    elif what in ("run", "tune") and len(sys.argv) >= 4:
        run(
            sys.argv[2],
            sys.argv[3],
            sys.argv[4:],
            fast=what == "tune",
            with_baselines=what == "run",
        )
    elif what == "show" and len(sys.argv) == 3:
        show(sys.argv[2])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
