#!/usr/bin/env python3
"""Times the six example programs in PyTorch, eager and torch.compile, on one GPU.

Method: many calls are captured in one CUDA graph; its replay is timed by events, the median of 11
divided by the calls is reported. "hot" repeats one set of inputs; "cold" rotates among as many sets
as exceed four times the L2 cache.  Times in microseconds, JSON on standard output: {"program":
{"eager": {"hot": .., "cold": ..}, "compile": {...}}}.
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
    "lora": (
        lambda X, W, A, C: X @ W + (X @ A) @ C,
        [(16, 256), (256, 4096), (256, 16), (16, 4096)],
    ),
    "gqa": (
        lambda Q, K, V: torch.softmax(Q @ K, -1) @ V,
        [(2, 256, 64), (2, 64, 4096), (2, 4096, 64)],
    ),
    "layernorm_linear": (lambda X, W: F.layer_norm(X, X.shape[-1:]) @ W, [(8, 4096), (4096, 1024)]),
    "gated_mixer": (
        lambda X, A, W, V: (rms(X * torch.sigmoid(A)) @ W) * torch.sigmoid(X @ V),
        [(16, 2048), (2048,), (2048, 4096), (2048, 4096)],
    ),
}


def make_inputs(shapes):
    # fan-in scaling keeps every intermediate of the programs within half precision's range
    return [
        torch.randn(s, device="cuda", dtype=torch.float16) / (s[-2] ** 0.5 if len(s) > 1 else 1.0)
        for s in shapes
    ]


def time_us(fn, sets, calls):
    """Microseconds per call: one captured graph of many calls, set by set; median over replays
    timed by events."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            fn(*sets[0])
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(calls):
            fn(*sets[i % len(sets)])
    times = []
    for i in range(14):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        graph.replay()
        stop.record()
        stop.synchronize()
        if i >= 3:
            times.append(start.elapsed_time(stop) * 1000 / calls)
    return statistics.median(times)


def main():
    torch.manual_seed(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    out = {"device": torch.cuda.get_device_name(0), "torch": torch.__version__}
    for name, (fn, shapes) in PROGRAMS.items():
        first = make_inputs(shapes)
        size = sum(t.numel() * t.element_size() for t in first)
        sets = [first] + [make_inputs(shapes) for _ in range(min(255, 4 * l2 // size + 1))]
        out[name] = {}
        for kind in ("eager", "compile"):
            call = fn if kind == "eager" else torch.compile(fn, dynamic=False)
            out[name][kind] = {
                "hot": time_us(call, sets[:1], 100),
                "cold": time_us(call, sets, len(sets) * (5 if len(sets) < 20 else 1)),
            }
    print(json.dumps(out, indent=1))


if __name__ == "__main__":
    main()
