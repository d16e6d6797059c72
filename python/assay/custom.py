"""Certified kernels as custom operators of PyTorch.

Each kernel becomes `torch.ops.assay.<name>`, with a function that gives the results' shapes, so
that torch.compile and torch.export see one operator and need not run it.
"""

import hashlib
import threading

import torch

from .errors import AssayError
from .once import made_once

LIBRARY = torch.library.Library("assay", "FRAGMENT")
_DEFINED = {}
_DEFINING = threading.Lock()
_DISPATCH = {"cpu": "CPU", "cuda": "CUDA"}


def as_operator(kernel, text, dtypes):
    """The custom operator of a kernel whose results have these types; `text` is its program.

    The same program on the same device is the same operator.
    """
    said = "\0".join([text, str(kernel.directory), kernel.device, *map(str, dtypes)])
    name = f"kernel_{hashlib.sha256(said.encode()).hexdigest()[:16]}"
    return made_once(_DEFINED, name, _DEFINING, lambda: _define(name, kernel, dtypes))


def _define(name, kernel, dtypes):
    arguments = ", ".join(f"Tensor x{place}" for place in range(len(kernel.inputs)))
    results = "Tensor" if len(dtypes) == 1 else f"({', '.join(['Tensor'] * len(dtypes))})"
    LIBRARY.define(f"{name}({arguments}) -> {results}")

    def run(*tensors):
        made = kernel.of_types(tensors, dtypes)
        return made[0] if len(made) == 1 else tuple(made)

    def shapes(*tensors):
        kernel.check_extents(tensors)
        made = [
            torch.empty(port.extents, dtype=dtype, device=kernel.place_of(tensors))
            for port, dtype in zip(kernel.outputs, dtypes)
        ]
        return made[0] if len(made) == 1 else tuple(made)

    LIBRARY.impl(name, run, _DISPATCH[kernel.device])
    torch.library.register_fake(f"assay::{name}", shapes, lib=LIBRARY)
    torch.library.register_autograd(f"assay::{name}", _no_gradient, lib=LIBRARY)
    return getattr(torch.ops.assay, name)


def _no_gradient(context, *gradients):
    raise AssayError(
        "a kernel has no backward of its own: compile the function with gradients=True, "
        "or call the compiled one under torch.no_grad()"
    )
