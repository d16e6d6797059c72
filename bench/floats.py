#!/usr/bin/env python3
"""Does a certified kernel compute worse in floats than PyTorch does?  Programs by classes of inputs.

usage: floats.py prepare DIR [NAME..]    certifies the programs' parts and leaves their kernels as
                                         text in DIR, for a machine without an `assay` (no GPU)
       floats.py run DIR OUT [NAME..]    on a GPU: eager, torch.compile and the kernels in DIR, beside
                                         double precision; OUT/floats.jsonl, a line a program
       floats.py emulate OUT [NAME..]    the same on the CPU at reduced sizes, kernels under the
                                         emulation, without torch.compile
       floats.py show OUT                the table: what is worse, and a summary

Parts of a program are results of `assay optimize` (assay.compile asks it for each), so a program
that is one part is tried by both at once.  An error is the largest difference from double
precision beside the largest element of a result that the type holds.  A class fails where, among
elements that are finite in both, the kernels' error is more than twice that of eager or of
torch.compile (with a floor of four units in the last place, or of the type's least number), or
where something is not finite that is finite in either.  FLOATS_SECONDS limits the
search of one program (20), FLOATS_BUDGET a run (540 s): what is left out is said.
"""

import json
import math
import os
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "python"), str(HERE)]

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

from assay import cache, tool  # noqa: E402
from assay.compiled import Compiled, Options  # noqa: E402
from assay.equality import SPECIFICATIONS  # noqa: E402
from assay.errors import AssayError  # noqa: E402
from assay.exporting import export  # noqa: E402

F32, F16, BF16 = torch.float32, torch.float16, torch.bfloat16
MOST = {F32: 3.4028234e38, F16: 65504.0, BF16: 3.3895e38}
LEAST = {F32: 2.0**-149, F16: 2.0**-24, BF16: 2.0**-133}
ULP = {F32: 2.0**-23, F16: 2.0**-10, BF16: 2.0**-7}
FLOOR = 4  # units in the last place
FACTOR = 2
MOST_AT_EDGE = 0.01
PROGRAMS = {}


def program(name, shapes, *types):
    """The decorated function is a program for each of these types; `shapes` are of its inputs."""

    def add(function):
        for dtype in types or (F32, F16, BF16):
            word = {F32: "f32", F16: "f16", BF16: "bf16"}[dtype]
            PROGRAMS[f"{name}_{word}"] = (function, shapes, dtype)
        return function

    return add


def rms(x):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)


ROWS = [(64, 1024)]
LINEAR = [(16, 1024), (1024, 512)]
SCORES = [(4, 64, 64), (4, 64, 256), (4, 256, 64)]

program("layer_norm", ROWS)(lambda x: F.layer_norm(x, x.shape[-1:]))
program("rms_norm", ROWS)(rms)
program("rms_norm_weighted", ROWS + [(1024,)])(lambda x, g: rms(x) * g)
program("batch_norm_rows", [(256, 64)])(lambda x: (x - x.mean(0)) / x.std(0, unbiased=False))
program("softmax", ROWS)(lambda x: torch.softmax(x, -1))
program("log_softmax", ROWS, F32, F16)(lambda x: torch.log_softmax(x, -1))
program("softmax_by_hand", ROWS, F32, F16)(lambda x: x.exp() / x.exp().sum(-1, keepdim=True))
program("logsumexp", ROWS, F32, F16)(lambda x: torch.logsumexp(x, -1))
program("variance", ROWS, F32, F16)(lambda x: x.var(-1, unbiased=False))
program("deviation", ROWS, F32)(lambda x: x.std(-1, unbiased=False))
program("naive_variance", ROWS, F32)(lambda x: (x * x).mean(-1) - x.mean(-1) ** 2)
program("standardised", ROWS, F32)(
    lambda x: (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-5)
)
program("cosine", [(64, 256), (64, 256)], F32, F16)(lambda x, y: F.cosine_similarity(x, y, dim=-1))
program("normalised", ROWS, F32, F16)(lambda x: x / (x * x).sum(-1, keepdim=True).sqrt())
program("rms_norm_linear", LINEAR[:1] + [(1024,), LINEAR[1]], F16, BF16)(
    lambda x, g, w: (rms(x) * g) @ w
)
program("layer_norm_linear", LINEAR, F16, BF16)(lambda x, w: F.layer_norm(x, x.shape[-1:]) @ w)
program("gated_mlp", LINEAR + [LINEAR[1]], F16, BF16)(lambda x, v, w: F.silu(x @ v) * (x @ w))
program("lora", LINEAR + [(1024, 16), (16, 512)], F16, BF16)(
    lambda x, w, a, b: x @ w + (x @ a) @ b
)
program("linear_gelu", LINEAR, F16)(lambda x, w: F.gelu(x @ w))
program("chain", [(64, 64), (64, 64), (64, 8)], F16)(lambda a, b, v: a @ (b @ v))
program("attention", SCORES, F16, BF16)(lambda q, k, v: torch.softmax(q @ k, -1) @ v)
program("attention_scaled", SCORES, F16)(lambda q, k, v: torch.softmax((q @ k) * 0.125, -1) @ v)
program("attention_capped", SCORES, F16)(
    lambda q, k, v: torch.softmax(30 * torch.tanh((q @ k) / 30), -1) @ v
)
program("attention_sink", SCORES, F16)(
    lambda q, k, v: (lambda s, m: (s - m).exp() / ((s - m).exp().sum(-1, keepdim=True) + 1))(
        q @ k, (q @ k).amax(-1, keepdim=True)
    )
    @ v
)
program("attention_masked", SCORES + [(64, 256)], F16)(
    lambda q, k, v, b: torch.softmax((q @ k).masked_fill(b > 0, -10000.0), -1) @ v
)
program("attention_biased", SCORES + [(64, 256)], F16)(
    lambda q, k, v, b: torch.softmax(q @ k + b, -1) @ v
)
program("attention_boolean", SCORES + [(64, 256)], F16, BF16)(
    lambda q, k, v, b: F.scaled_dot_product_attention(q, k.mT, v, attn_mask=b > 0)
)
program("attention_causal", [(4, 64, 64)] * 3, F16)(
    lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)
)
program("mish", ROWS, F32, F16)(F.mish)
program("elu", ROWS, F32)(F.elu)
program("gelu_tanh", ROWS, F32, F16)(lambda x: F.gelu(x, approximate="tanh"))
program("silu_product", ROWS + ROWS, F32, F16)(lambda x, y: F.silu(x) * y)
program("softplus", ROWS, F32)(lambda x: F.softplus(x) * x)
program("long_sum", [(2, 65536)], F32, F16)(lambda x: x.sum(-1))
program("long_mean_square", [(2, 65536)], F32)(lambda x: (x * x).mean(-1))
program("cumulative_sum", [(8, 512)], F32)(lambda x: torch.cumsum(x, -1) * 0.5)
program("divisions", [(4096,)] * 3, F32)(lambda a, b, c: a / b / c)
program("norm_of_difference", [(64, 256), (64, 256)], F32)(lambda x, y: ((x - y) ** 2).sum(-1))
program("folded_norm", [(4, 16, 32, 32), (16,), (16,)], F32)(
    lambda x, m, s: ((x - m[:, None, None]) * s[:, None, None]).relu()
)
program("cross_entropy", [(64, 512), (64, 512)], F32)(
    lambda x, t: -(torch.log_softmax(x, -1) * t).sum(-1)
)


def normal(shape):
    return torch.randn(shape, dtype=torch.float64)


def spread(shape, dtype):
    return (2 * torch.rand(shape, dtype=torch.float64) - 1) * MOST[dtype]


def dominated(shape):
    x = 0.1 * normal(shape)
    x[..., 0] = 1e4
    return x


def masked(shape, value):
    x = (torch.rand(shape) < 0.5).double() * value
    if x.dim() > 1:
        x[..., 0, :] = value
    return x


# name: how it is drawn for an input of that shape and type, and whether it is of all inputs or,
# beside ordinary ones, of each alone
CLASSES = {
    "ordinary": (lambda s, t, i: normal(s), "all"),
    "mean 100": (lambda s, t, i: 100 + normal(s), "each"),
    "mean 1,000": (lambda s, t, i: 1e3 + normal(s), "each"),
    "mean 10,000": (lambda s, t, i: 1e4 + normal(s), "each"),
    "mean 1,000,000 deviations": (lambda s, t, i: 1e3 + 1e-3 * normal(s), "each"),
    "10,000": (lambda s, t, i: 1e4 * normal(s), "each"),
    "type's end": (lambda s, t, i: spread(s, t), "each"),
    "0.001": (lambda s, t, i: 1e-3 * normal(s), "all"),
    "denormal": (lambda s, t, i: 128 * LEAST[t] * normal(s), "each"),
    "scores of 10,000": (lambda s, t, i: 50 * normal(s), "all"),
    "about -15,000": (lambda s, t, i: -15000 + 10 * normal(s), "each"),
    "-30 to -5": (lambda s, t, i: -5 - 25 * torch.rand(s, dtype=torch.float64), "all"),
    "one dominates": (lambda s, t, i: dominated(s), "each"),
    "opposite signs": (lambda s, t, i: (-6 if i % 2 else 6) + normal(s), "all"),
    "equal rows": (lambda s, t, i: 10 * normal(s[:-1] + (1,)).expand(s).clone(), "each"),
    "zeros and ones": (lambda s, t, i: masked(s, 1.0), "each"),
    "masked": (lambda s, t, i: masked(s, -1e4), "each"),
}


def in_type(x, dtype):
    return x.clamp(-MOST[dtype], MOST[dtype]).to(dtype)


def draws(of, shapes, dtype, device):
    """Inputs of a class, once or once for each input."""
    fill, where = CLASSES[of]
    for alone in range(len(shapes)) if where == "each" else (None,):
        torch.manual_seed(17)
        drawn = [
            fill(shape, dtype, i) if alone in (None, i) else normal(shape)
            for i, shape in enumerate(shapes)
        ]
        yield [in_type(x, dtype).to(device) for x in drawn]


def error_of(exact, have, where, scale):
    """The largest difference from double precision among some elements, beside `scale`."""
    return ((have - exact)[where].abs().max().item() / scale) if where.any() else 0.0


def one_draw(ways, function, inputs, dtype):
    """Errors of each way where it is finite, how many elements of ours are not finite that are in
    another, and whether ours is worse than another where both are finite."""
    exact = function(*[x.double() for x in inputs])
    fits = exact.abs() <= MOST[dtype]
    scale = max(exact[fits].abs().max().item() if fits.any() else 0.0, LEAST[dtype])
    floor = FLOOR * max(ULP[dtype], LEAST[dtype] / scale)
    have = {name: way(*inputs).double() for name, way in ways.items()}
    finite = {name: torch.isfinite(x) & torch.isfinite(exact) for name, x in have.items()}
    errors = {name: error_of(exact, x, finite[name], scale) for name, x in have.items()}
    others = [name for name in ways if name != "ours"]
    # an element within the error that is allowed of the type's end is a number or none by chance
    edge = min(FACTOR * max(min(errors[name] for name in others), floor), MOST_AT_EDGE)
    inside = exact.abs() <= MOST[dtype] - edge * scale
    wanted = torch.stack([finite[name] for name in others]).any(0) & inside
    lost = int((wanted & ~finite["ours"]).sum())
    worse = False
    for name in others:
        both = finite[name] & finite["ours"]
        own, theirs = (error_of(exact, have[way], both, scale) for way in ("ours", name))
        worse = worse or own > FACTOR * max(theirs, floor)
    return errors, lost, lost > 0 or worse


def measure(name, ways, shapes, device):
    function, _, dtype = PROGRAMS[name]
    worst = {}
    for of in CLASSES:
        for inputs in draws(of, shapes, dtype, device):
            errors, lost, failed = one_draw(ways, function, inputs, dtype)
            seen = worst.get(of)
            if seen is None or (failed, errors["ours"]) > (seen["failed"], seen["errors"]["ours"]):
                worst[of] = {"errors": errors, "lost": lost, "failed": failed}
    return worst


def exported(name, shapes, device):
    function, _, dtype = PROGRAMS[name]

    class Module(torch.nn.Module):
        def forward(self, *inputs):
            return function(*inputs)

    examples = [torch.ones(shape, dtype=dtype, device=device) for shape in shapes]
    return export(Module(), examples, fixed=True)


def options_for(device):
    return Options(device=device, least_work=1, quiet=True, never_slower=False)


def prepare(folder, names):
    """Kernels for a GPU as text.  A machine without one makes them: assay.compile's parts."""
    from assay.islands import Island, divide  # what kernelbench.py does with a model
    from kernelbench import keep, programs_of

    search = cache.Search(SPECIFICATIONS, int(os.environ.get("FLOATS_SECONDS", 20)))
    for name in names:
        shapes = PROGRAMS[name][1]
        graph = exported(name, shapes, "cpu").graph_module.graph
        for island in [p for p in divide(graph, least_work=1)[0] if isinstance(p, Island)]:
            said = "not certified"
            for _, made in programs_of(island, "island"):
                text = made.tp(SPECIFICATIONS.name)
                try:
                    directory = search.find(text)
                except AssayError as problem:
                    said = str(problem).splitlines()[-1]
                    continue
                keep(directory, text, folder)
                said = tool.floats_of(directory)
                break
            print(f"{name}: {said}", flush=True)


def run(results, folder, names, device):
    """A line for each program; on the CPU sizes are reduced and there is no torch.compile."""
    folder.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + float(os.environ.get("FLOATS_BUDGET", 540))
    with open(folder / "floats.jsonl", "a") as out:
        for name in names:
            function, shapes, _ = PROGRAMS[name]
            if device == "cpu":
                shapes = [tuple(min(n, 64) for n in shape) for shape in shapes]
            row = {"name": name, "device": device}
            if time.monotonic() > until:
                row["why"] = "the time was up"
            else:
                try:
                    ours = Compiled(
                        exported(name, shapes, device), options_for(device), results(name)
                    )
                    row.update(parts=len(ours.parts), left=[str(left[0]) for left in ours.left])
                    ways = {"eager": function, "ours": ours}
                    if device == "cuda":
                        ways["compile"] = torch.compile(function)
                    with torch.no_grad():
                        row["classes"] = measure(name, ways, shapes, device)
                except (AssayError, RuntimeError) as problem:
                    row["why"] = str(problem).splitlines()[-1][:300]
            out.write(json.dumps(row) + "\n")
            out.flush()
            print(name, row.get("why") or said_of(row), flush=True)


def said_of(row):
    failed = [of for of, seen in row["classes"].items() if seen["failed"]]
    return f"{row['parts']} parts, {len(row['classes'])} classes, fails: {', '.join(failed) or '-'}"


def show(folder):
    rows = [json.loads(line) for line in (folder / "floats.jsonl").read_text().splitlines()]
    print("| program | class | ours | eager | torch.compile | not finite |\n|---|---|---|---|---|---|")
    n_classes = failed = 0
    for row in rows:
        for of, seen in row.get("classes", {}).items():
            n_classes += 1
            failed += seen["failed"]
            if seen["failed"]:
                errors = [seen["errors"].get(way, math.nan) for way in ("ours", "eager", "compile")]
                cells = " | ".join(f"{error:.2g}" for error in errors)
                print(f"| {row['name']} | {of} | {cells} | {seen['lost']} |")
    tried = [row for row in rows if "classes" in row]
    print(f"\n{len(tried)} of {len(rows)} programs, {n_classes} classes: {failed} fail")
    for row in rows:
        if "why" in row:
            print(f"- {row['name']}: {row['why']}")


def main():
    words = sys.argv[1:]
    forms = {"prepare": 2, "run": 3, "emulate": 2, "show": 2}
    if not words or len(words) < forms.get(words[0], 99):
        sys.exit(__doc__)
    names = words[forms[words[0]] :] or sorted(PROGRAMS)
    names = [name for name in names if name in PROGRAMS] or sys.exit(
        f"no such program: {' '.join(sorted(PROGRAMS))}"
    )
    place = Path(words[1])
    if words[0] == "prepare":
        prepare(place, names)
    elif words[0] == "run":
        run(lambda _: cache.Carried(place), Path(words[2]), names, "cuda")
    elif words[0] == "emulate":
        seconds = int(os.environ.get("FLOATS_SECONDS", 20))
        run(lambda _: cache.Search(SPECIFICATIONS, seconds), place, names, "cpu")
    else:
        show(place)


if __name__ == "__main__":
    main()
