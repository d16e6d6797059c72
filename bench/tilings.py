#!/usr/bin/env python3
"""Measures many tilings of the block graphs of bench/table/, for the cost model to be fitted to and
judged by.

  bench/tilings.py prepare ASSAY DIR [NAME...]   lowers every tiling of the grids below (no GPU
                                                 needed): DIR/NAME@SIZES.cu, DIR/tilings.json
  bench/tilings.py run DIR OUT [NAME...]         on a GPU: compiles, checks on one fresh input,
                                                 times; OUT/tilings.jsonl

A line of tilings.jsonl: workload, graph (a file of bench/), sizes, cold and hot microseconds,
registers and bytes of spills by kernel, whether it was right and always the same, and how each
kernel was lowered; tilings.tsv has what tests/search/test_cost reads of it
(bench/results/tilings.tsv).
"""

import concurrent.futures
import itertools
import json
import os
import re
import subprocess
import sys

from commands import compile_shared

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)


# block graphs that are not their row's: the float test rejects them, so that `optimize` takes others
OF_ROW = {
    "rmsnorm_fused_16": "rmsnorm_linear_16",
    "rmsnorm_fused_2": "rmsnorm_linear_2",
}


def attention(rows, keys, rows_grid, keys_grid, parts_grid, combined_grid):
    """rows and keys of a tile, parts of the keys, rows of a block that combines them."""
    for u, t, p, u2 in itertools.product(rows_grid, keys_grid, parts_grid, combined_grid):
        if u <= rows and rows % u == 0 and keys % (p * t) == 0 and u2 <= rows:
            yield {
                "P": p,
                "L": keys // (p * t),
                "T": t,
                "R": rows // u,
                "U": u,
                "R2": rows // u2,
                "U2": u2,
            }


def product(wide, depth, columns, tiles):
    for u, t in itertools.product(columns, tiles):
        yield {"J": wide // u, "U": u, "L": depth // t, "T": t}


def swiglu(columns, tiles, columns2, tiles2):
    for u, t, u2, t2 in itertools.product(columns, tiles, columns2, tiles2):
        yield {
            "J": 14336 // u,
            "U": u,
            "L": 4096 // t,
            "T": t,
            "J2": 4096 // u2,
            "U2": u2,
            "L2": 14336 // t2,
            "T2": t2,
        }


def rows(count, sizes):
    for u in sizes:
        yield {"J": count // u, "U": u}


def block(columns, tiles, parts):
    for u, t, (p, l2) in itertools.product(columns, tiles, parts):
        yield {"J": 4096 // u, "U": u, "L": 4096 // t, "T": t, "P": p, "L2": l2}


GRIDS = {
    "gqa_2": lambda: itertools.chain(
        attention(256, 4096, (16, 32, 64, 128), (32, 64, 128), (4, 8, 16, 32), (1,)),
        attention(256, 4096, (64,), (64,), (8, 16, 32), (2, 4, 8)),
    ),
    "gqa_16": lambda: itertools.chain(
        attention(256, 4096, (16, 32, 64, 128), (32, 64, 128), (2, 4, 8, 16), (1,)),
        attention(256, 4096, (64,), (64, 128), (2, 4, 8), (2, 4, 8)),
    ),
    "mha": lambda: itertools.chain(
        attention(16, 4096, (16,), (16, 32, 64, 128, 256), (2, 4, 8, 16, 32), (1,)),
        attention(16, 4096, (16,), (128,), (8, 16), (2, 4)),
    ),
    "decode_1": lambda: attention(1, 65536, (1,), (16, 32, 64, 128), (8, 16, 32, 64, 128), (1,)),
    "decode_8": lambda: attention(8, 65536, (8,), (16, 32, 64, 128), (8, 16, 32, 64, 128), (1,)),
    "gated_mlp": lambda: product(4096, 4096, (16, 32, 64, 128), (32, 64, 128, 256)),
    "rmsnorm_fused_16": lambda: product(6144, 4096, (16, 32, 48, 64, 96), (64, 128, 256)),
    "rmsnorm_fused_2": lambda: product(6144, 4096, (16, 32, 48, 64, 96), (64, 128, 256)),
    "lora": lambda: product(4096, 256, (16, 32, 64), (32, 64, 128, 256)),
    "swiglu": lambda: itertools.chain(
        swiglu((32, 64, 128), (32, 64, 128), (32,), (128,)),
        swiglu((64,), (64,), (16, 32, 64), (64, 128, 256)),
    ),
    "ntrans_64": lambda: rows(64, (1, 2, 4)),
    "rms_rows": lambda: rows(4096, (1, 2, 4, 8)),
    "softmax_rows": lambda: rows(4096, (1, 2, 4, 8)),
    "vanilla": lambda: block((16, 32, 64), (64, 128, 256), ((21, 3), (63, 1))),
}


def with_sizes(text, sizes):
    """The graph with these values for its sizes; those that are not named stay."""

    def value(match):
        return f"{match[1]} = {sizes.get(match[1], match[2])}"

    lines = text.split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("sizes "))
    lines[at] = re.sub(r"(\w+) = (\d+)", value, lines[at])
    return "\n".join(lines)


def lower(assay, name, sizes, out):
    """What the lowering says of each kernel; None where there is no such kernel."""
    key = name + "@" + "_".join(f"{k}{v}" for k, v in sizes.items())
    work = os.path.join(out, "work", key)
    os.makedirs(work, exist_ok=True)
    with open(os.path.join(HERE, "table", name + ".mug")) as f:
        text = with_sizes(f.read(), sizes)
    mug = os.path.join(work, "graph.mug")
    with open(mug, "w") as f:
        f.write(text)
    said = subprocess.run(
        [
            assay,
            "bench",
            os.path.join(HERE, "table", name + ".tp"),
            mug,
            "-o",
            work,
            "--trace=lower",
        ],
        env={**os.environ, "NVCC": "/bin/false", "CXX": "/bin/false"},
        capture_output=True,
        text=True,
    )
    kernel = os.path.join(work, "bench", "kernel.cu")
    if not os.path.exists(kernel):
        print(f"{key}: {said.stderr.strip()[-200:]}")
        return None
    os.replace(kernel, os.path.join(out, key + ".cu"))
    notes = [
        line.removeprefix("lower: ") for line in said.stderr.splitlines() if "thread graph" in line
    ]
    return {
        "key": key,
        "workload": name,
        "graph": f"table/{name}.mug",
        "sizes": sizes,
        "lowered": notes,
    }


def prepare(assay, out, names):
    os.makedirs(out, exist_ok=True)
    listed = []
    for name, grid in GRIDS.items():
        if names and name not in names:
            continue
        made = [lower(assay, name, sizes, out) for sizes in grid()]
        listed += [m for m in made if m]
        print(
            f"{name}: {sum(m is not None for m in made)} of {len(made)} tilings lowered", flush=True
        )
    with open(os.path.join(out, "tilings.json"), "w") as f:
        json.dump(listed, f, indent=0)


# --- with a GPU
REPEATS = 200  # launches that must all give the same bits: a race shows here


def compile_one(task):
    text, lib = task
    command = compile_shared(text, lib, "-Xptxas", "-v")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return lib if not done.returncode else None, done.stdout


def measure(entry, lib, r, sets, given, reference):
    import torch
    from table import Kernel, median_us, relative

    kernel = Kernel(lib, reference.shape)
    kernel.out.fill_(float("nan"))
    error = relative(kernel(*given), reference)
    torch.cuda.synchronize()
    calls = max(len(sets), 20) // len(sets) * len(sets)
    cold, low, high = median_us(kernel, sets, calls, 7)
    hot, _, _ = median_us(kernel, sets[:1], 20, 5)
    first = kernel(*given).clone()
    differ = torch.zeros((), dtype=torch.int64, device="cuda")
    for _ in range(REPEATS):
        differ += (kernel(*given) != first).any()
    entry["differ"] = int(differ)
    entry.update(
        {
            "cold": round(cold, 2),
            "cold_low": round(low, 2),
            "cold_high": round(high, 2),
            "hot": round(hot, 2),
            "error": error,
            "right": error < 2e-3,
        }
    )


def run(directory, out, names):
    import math

    import torch
    from table import ROWS, inputs

    os.makedirs(out, exist_ok=True)
    with open(os.path.join(directory, "tilings.json")) as f:
        listed = [e for e in json.load(f) if not names or e["workload"] in names]
    libs = os.environ.get("LIBS", "/tmp")
    tasks = [
        (os.path.join(directory, e["key"] + ".cu"), os.path.join(libs, e["key"] + ".so"))
        for e in listed
    ]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = list(pool.map(compile_one, tasks))
    print("compiled", flush=True)
    current = None
    with open(os.path.join(out, "tilings.jsonl"), "w") as lines:
        for entry, (lib, said) in zip(listed, made):
            entry["registers"] = [int(n) for n in re.findall(r"Used (\d+) registers", said)]
            entry["spills"] = [int(n) for n in re.findall(r"(\d+) bytes spill stores", said)]
            if entry["workload"] != current:
                current = entry["workload"]
                r = ROWS[OF_ROW.get(current, current)]
                torch.manual_seed(1)
                size = sum(2 * math.prod(s) for s in r["shapes"])
                count = min(200, 4 * torch.cuda.get_device_properties(0).L2_cache_size // size + 2)
                sets = [inputs(r, "plain") for _ in range(count)]
                given = inputs(r, "plain")
                reference = r["function"](*[t.double() for t in given])
            try:
                if lib is None:
                    raise RuntimeError(said[-300:])
                measure(entry, lib, r, sets, given, reference)
                print(
                    f"{entry['key']}: {entry['cold']:.2f} {entry['hot']:.2f} {entry['registers']}"
                    f" {'' if entry['right'] else 'WRONG'} {'DIFFERS' if entry['differ'] else ''}",
                    flush=True,
                )
            except Exception as e:
                entry["failed"] = str(e)
                print(f"{entry['key']}: {e}", flush=True)
            lines.write(json.dumps(entry) + "\n")
            lines.flush()
    write_table(listed, os.path.join(out, "tilings.tsv"))


def write_table(listed, path):
    with open(path, "w") as f:
        f.write(
            "# workload (bench/table), sizes, cold us, hot us, registers and bytes of spills by"
            " kernel; one NVIDIA H200, one run of bench/tilings.py\n"
        )
        for e in listed:
            if e["sizes"] and e.get("right"):
                sizes = ",".join(f"{k}={v}" for k, v in e["sizes"].items())
                numbers = [
                    f"{e['cold']:.2f}",
                    f"{e['hot']:.2f}",
                    ",".join(map(str, e["registers"])),
                    ",".join(map(str, e["spills"])),
                ]
                f.write("\t".join([e["workload"], sizes, *numbers]) + "\n")


def main():
    if len(sys.argv) >= 4 and sys.argv[1] == "prepare":
        prepare(sys.argv[2], sys.argv[3], sys.argv[4:])
    elif len(sys.argv) >= 4 and sys.argv[1] == "run":
        run(sys.argv[2], sys.argv[3], sys.argv[4:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
