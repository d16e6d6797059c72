"""`torch.compile(model, backend="assay")`.

Dynamo hands over graphs; AOT autograd turns them into core ATen without updates in place, and
where gradients are wanted into a forward and a backward graph.  What is certified of each runs as
kernels, the rest as PyTorch does.
"""

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch._functorch.partitioners import min_cut_rematerialization_partition

from .compiled import GraphRunner, Options
from .gradient import decompositions


def _certified(graph_module, examples):
    """The compiler of one graph of ATen operators."""
    on_gpu = any(isinstance(x, torch.Tensor) and x.is_cuda for x in examples)
    runner = GraphRunner(graph_module.graph, Options(device="cuda" if on_gpu else "cpu"))
    return make_boxed_func(runner.run_flat)


_inference = aot_autograd(fw_compiler=_certified, decompositions=decompositions())
_training = aot_autograd(
    fw_compiler=_certified,
    decompositions=decompositions(),
    partition_fn=min_cut_rematerialization_partition,
)


def assay_backend(graph_module, examples):
    """The backend itself, registered under the name "assay" by the package's entry point."""
    wanting = any(isinstance(x, torch.Tensor) and x.requires_grad for x in examples)
    return (_training if torch.is_grad_enabled() and wanting else _inference)(graph_module, examples)
