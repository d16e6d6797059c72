#!/usr/bin/env python3
"""Times the six example programs in PyTorch, eager and torch.compile, on one GPU.

Method: the call is captured in a CUDA graph where it can be; one replay is timed by events, the median of many is reported.
"hot" repeats one set of inputs; "cold" rotates among as many sets as exceed four times the L2 cache.  Times in microseconds, JSON on
standard output: {"program": {"eager": {"hot": .., "cold": ..}, "compile": {...}}}.
"""
import json
import statistics
import sys

import torch
import torch.nn.functional as F


def rms(x):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True))


PROGRAMS = {
    "rmsnorm_linear": (lambda X, G, W: (rms(X) * G) @ W, [(16, 4096), (4096,), (4096, 6144)]),
    "gated_mlp": (lambda X, A, B: F.silu(X @ A) * (X @ B), [(8, 4096), (4096, 4096), (4096, 4096)]),
    "lora": (lambda X, W, A, C: X @ W + (X @ A) @ C, [(16, 256), (256, 4096), (256, 16), (16, 4096)]),
    "gqa": (lambda Q, K, V: torch.softmax(Q @ K, -1) @ V, [(2, 256, 64), (2, 64, 4096), (2, 4096, 64)]),
    "layernorm_linear": (lambda X, W: F.layer_norm(X, X.shape[-1:]) @ W, [(8, 4096), (4096, 1024)]),
    "gated_mixer": (
        lambda X, A, W, V: (rms(X * torch.sigmoid(A)) @ W) * torch.sigmoid(X @ V),
        [(16, 2048), (2048,), (2048, 4096), (2048, 4096)],
    ),
}


def make_inputs(shapes):
    # fan-in scaling keeps every intermediate of the programs within half precision's range
    return [torch.randn(s, device="cuda", dtype=torch.float16) / (s[-2] ** 0.5 if len(s) > 1 else 1.0) for s in shapes]


def graph_of(fn, args):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            fn(*args)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        fn(*args)
    return graph


def median_us(graphs, replays=60):
    """Median over replays of one graph launch, the graphs taken in turn; 20 launches between two events to outweigh their resolution."""
    times = []
    for g in graphs:
        g.replay()
    torch.cuda.synchronize()
    at = 0
    for _ in range(replays):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(20):
            graphs[at % len(graphs)].replay()
            at += 1
        stop.record()
        stop.synchronize()
        times.append(start.elapsed_time(stop) * 1000 / 20)
    return statistics.median(times)


def main():
    torch.manual_seed(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    out = {"device": torch.cuda.get_device_name(0), "torch": torch.__version__}
    for name, (fn, shapes) in PROGRAMS.items():
        first = make_inputs(shapes)
        size = sum(t.numel() * t.element_size() for t in first)
        sets = [first] + [make_inputs(shapes) for _ in range(min(63, max(1, 4 * l2 // size)))]
        out[name] = {}
        for kind in ("eager", "compile"):
            call = fn if kind == "eager" else torch.compile(fn, dynamic=False)
            graphs = [graph_of(call, args) for args in sets]
            out[name][kind] = {"hot": median_us(graphs[:1]), "cold": median_us(graphs)}
    print(json.dumps(out, indent=1))


if __name__ == "__main__":
    main()
