"""`torch.compile(model, backend="assay")`.

Dynamo hands over graphs; AOT autograd turns them into core ATen without updates in place.  What
is certified runs as kernels, the rest as PyTorch does.  Graphs that want gradients are left to
PyTorch altogether, with one line that says so.
"""

import sys

import torch
from torch._decomp import core_aten_decompositions
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func

from .compiled import GraphRunner, Options


def _forward(graph_module, examples):
    """The compiler of one graph of ATen operators."""
    on_gpu = any(isinstance(x, torch.Tensor) and x.is_cuda for x in examples)
    runner = GraphRunner(graph_module.graph, Options(device="cuda" if on_gpu else "cpu"))
    return make_boxed_func(runner.run_flat)


def _unchanged(graph_module, examples):
    print("assay: a graph that wants gradients stays with PyTorch", file=sys.stderr)
    return make_boxed_func(graph_module.forward)


_inference = aot_autograd(
    fw_compiler=_unchanged,
    bw_compiler=_unchanged,
    inference_compiler=_forward,
    decompositions=core_aten_decompositions(),
)


def assay_backend(graph_module, examples):
    """The backend itself, registered under the name "assay" by the package's entry point."""
    return _inference(graph_module, examples)
