#!/usr/bin/env python3
"""Runs what `assay --to triton` has written, by Triton's interpreter on the CPU.

  run_triton.py check                          exit status 77 where Triton or PyTorch is not there
  run_triton.py run FILE OUT NAME=FILE.npy ... the launcher of FILE on these arguments; the results as OUT/0.npy, 1.npy ..
"""
import importlib.util
import inspect
import os
import sys

os.environ.setdefault("TRITON_INTERPRET", "1")


def load(path):
    spec = importlib.util.spec_from_file_location("written", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def launcher(module):
    """The function that launches the kernels is the last one."""
    plain = [value for value in vars(module).values() if inspect.isfunction(value)]
    return plain[-1]


def main():
    if sys.argv[1] == "check":
        try:
            import torch  # noqa: F401
            import triton  # noqa: F401
        except ImportError as missing:
            print(f"Triton is not there: {missing}")
            return 77
        return 0
    import numpy as np
    import torch

    given = dict(word.split("=", 1) for word in sys.argv[4:])
    function = launcher(load(sys.argv[2]))
    arguments = [torch.from_numpy(np.load(given[name])) for name in inspect.signature(function).parameters]
    results = function(*arguments)
    results = results if isinstance(results, tuple) else (results,)
    for number, tensor in enumerate(results):
        np.save(os.path.join(sys.argv[3], f"{number}.npy"), tensor.float().numpy())
    return 0


if __name__ == "__main__":
    sys.exit(main())
