#!/usr/bin/env python3
"""The blocks of bench/blocks on a GPU: what saturation and the enumeration make of them, and the
block graphs of Trinity's best programs for them, beside PyTorch.

bench/blocks_device.py prepare ASSAY DIR [WAY..]   where assay and nvcc are: DIR/NAME.WAY.so, of
                                                   ways saturate, enumerate (default: both), trinity
                                                   (where the shared folder is)
bench/blocks_device.py run DIR                     on a GPU, needs PyTorch: errors against doubles
                                                   with weights of three sizes (scores to 10^5),
                                                   medians of 30 replays by turns, the second-level
                                                   cache flushed
"""

import ctypes
import glob
import os
import statistics
import subprocess
import sys

from commands import compile_shared, optimize

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ("vanilla", "prenorm", "qknorm", "keyformer", "roco", "swiglu")
M, K, H, D, P, S, F = 16, 4096, 32, 128, 1024, 1008, 14336
SCALES = (1 / 64, 0.25, 1.0)
TIMED = 0.25
REPLAYS = 30


def searched(assay, out, name, way):
    """The program, and how candidates are come by."""
    if way != "trinity":
        return [os.path.join(HERE, "blocks", name + ".tp"), f"--search={way}"]
    from trinity_blocks import best  # which needs the folder

    program, tile = os.path.join(out, name + ".tp"), os.path.join(out, name + ".tile")
    for path, text in zip((program, tile), best(assay, name)):
        with open(path, "w") as file:
            file.write(text)
    return [program, "--search=none", "--offer=" + tile]


def prepare(assay, out, ways):
    os.makedirs(out, exist_ok=True)
    for name in NAMES:
        for way in ways:
            result = os.path.join(out, f"{name}.{way}")
            program, *options = searched(assay, out, name, way)
            subprocess.run(
                optimize(assay, program, result, *options, "--quiet"),
                check=True,
            )
            subprocess.run(
                compile_shared(os.path.join(result, "kernel.cu"), result + ".so"),
                check=True,
            )


def shapes(name):
    if name == "swiglu":
        return {"A": (M, K), "X": (M, K), "Wo": (K, K), "Wa": (K, F), "Wb": (K, F), "Wd": (F, K)}
    attention = {
        "X": (M, K),
        "Wq": (K, K),
        "Wk": (K, K),
        "Wv": (K, K),
        "Kcache": (H, P, D),
        "Vcache": (H, P, D),
    }
    return {**attention, "noise": (H, M, P)} if name == "keyformer" else attention


def norm(x):
    return x / (x * x).mean(-1, keepdim=True).sqrt()


def reference(name, given):
    """The outputs in the order of the program, in the type of the inputs."""
    import torch

    if name == "swiglu":
        n = norm(given["A"] @ given["Wo"] + given["X"])
        return [((n @ given["Wa"]) * torch.nn.functional.silu(n @ given["Wb"])) @ given["Wd"]]
    x = norm(given["X"]) if name == "prenorm" else given["X"]
    q, k, v = ((x @ given[w]).view(M, H, D).transpose(0, 1) for w in ("Wq", "Wk", "Wv"))
    if name == "qknorm":
        q, k = norm(q), norm(k)
    keys, values = given["Kcache"].clone(), given["Vcache"].clone()
    keys[:, S : S + M], values[:, S : S + M] = k, v
    s = q @ keys.transpose(1, 2)
    p = torch.softmax(s, -1)
    o = (p @ values).transpose(0, 1).reshape(M, K)
    if name == "roco":
        return [p.sum(-2), (p * p).sum(-2), o]
    return (
        [torch.softmax((s + given["noise"]) / 1.5, -1).sum(-2), o] if name == "keyformer" else [o]
    )


def addresses(tensors):
    return (ctypes.c_void_p * len(tensors))(*[t.data_ptr() for t in tensors])


def launcher(library, inputs, outputs):
    import torch

    workspace = torch.empty(library.assay_workspace_bytes() + 256, dtype=torch.uint8, device="cuda")
    given, results = addresses(inputs), addresses(outputs)

    def launch():
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        status = library.assay_launch(given, results, ctypes.c_void_p(workspace.data_ptr()), stream)
        if status:
            raise RuntimeError(f"status {status}")

    return launch


def captured(work):
    import torch

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        work()
        work()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        work()
    return graph


def medians(works):
    import torch

    flush = torch.empty(128 << 20, dtype=torch.uint8, device="cuda")
    graphs = [captured(work) for work in works]
    times = [[] for _ in works]
    for _ in range(REPLAYS):
        for graph, took in zip(graphs, times):
            flush.zero_()
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            graph.replay()
            end.record()
            torch.cuda.synchronize()
            took.append(begin.elapsed_time(end) * 1e3)
    return [round(statistics.median(took), 1) for took in times]


def away(outputs, right):
    return " ".join(
        f"{float((o.double() - r).norm() / r.norm()):.1e}" for o, r in zip(outputs, right)
    )


def measure(name, libraries):
    import torch

    works, keep = {}, []
    for scale in SCALES:
        given = {
            n: (torch.randn(shape, device="cuda") * (scale if n.startswith("W") else 1)).half()
            for n, shape in shapes(name).items()
        }
        right = reference(name, {n: t.double() for n, t in given.items()})
        said = {"PyTorch": away(reference(name, given), right)}
        if scale == TIMED:
            works["PyTorch"] = lambda given=given: reference(name, given)
        for way, library in libraries.items():
            outputs = [
                torch.full(r.shape, float("nan"), device="cuda", dtype=torch.float16) for r in right
            ]
            launch = launcher(library, list(given.values()), outputs)
            launch()
            torch.cuda.synchronize()
            said[way] = away(outputs, right)
            if scale == TIMED:
                works[way] = launch
                keep += [given, outputs]
        print(f"{name}, weights by {scale:g}: errors {said}", flush=True)
    print(f"{name}: us {dict(zip(works, medians(list(works.values()))))}", flush=True)


def run(folder):
    import torch

    torch.manual_seed(1)
    print(torch.cuda.get_device_name(0), "PyTorch", torch.__version__)
    for name in NAMES:
        libraries = {}
        for path in sorted(glob.glob(os.path.join(folder, name + ".*.so"))):
            library = ctypes.CDLL(os.path.abspath(path))
            library.assay_workspace_bytes.restype = ctypes.c_size_t
            libraries[os.path.basename(path).split(".")[1]] = library
        if libraries:
            measure(name, libraries)


def main():
    if len(sys.argv) >= 4 and sys.argv[1] == "prepare":
        prepare(sys.argv[2], sys.argv[3], sys.argv[4:] or ("saturate", "enumerate"))
    elif len(sys.argv) == 3 and sys.argv[1] == "run":
        run(sys.argv[2])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
