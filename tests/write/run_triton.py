#!/usr/bin/env python3
"""Runs what `assay --to triton` has written, by Triton's interpreter on the CPU; or compiles it,
for which no GPU is needed.

run_triton.py check                          exit status 77 where Triton or PyTorch is not there
run_triton.py run FILE OUT NAME=FILE.npy ... the launcher of FILE on these arguments; the results as
OUT/0.npy, 1.npy .. run_triton.py compile FILE ...           every kernel for an H200 (sm_90),
inputs in half precision; their bytes of shared memory
"""

import importlib.util
import inspect
import os
import re
import sys

if "compile" not in sys.argv[1:2]:
    os.environ.setdefault("TRITON_INTERPRET", "1")

MOST_SHARED = 232448  # bytes of a block on an H200


def load(path):
    spec = importlib.util.spec_from_file_location("written", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def launcher(module):
    """The function that launches the kernels is the last one."""
    plain = [value for value in vars(module).values() if inspect.isfunction(value)]
    return plain[-1]


def least_shared(source, warps):
    """Bytes of shared memory with as many stages as an H200 has room for, as the launcher asks for
    them."""
    import triton
    from triton.backends.compiler import GPUTarget

    for stages in (3, 2, 1):
        options = {"num_warps": warps, "num_stages": stages}
        made = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
        if made.metadata.shared <= MOST_SHARED:
            return made.metadata.shared
    sys.exit(f"{source.name} needs {made.metadata.shared} bytes of shared memory")


def compile_all(path):
    from triton.compiler import ASTSource

    module = load(path)
    text = inspect.getsource(launcher(module))
    between = set(re.findall(r"(\w+) = torch\.(?:empty|full)", text))
    shared = []
    for kernel, warps, arguments in re.findall(
        r"launched\((\w+_kernel_\d+), \([^)]*\), (\d), ([^)]*)\)", text
    ):
        signature = {
            name: "*fp32" if name in between else "*fp16" for name in arguments.split(", ")
        }
        aligned = {(i,): [["tt.divisibility", 16]] for i in range(len(signature))}
        source = ASTSource(getattr(module, kernel), signature, {}, aligned)
        shared.append(least_shared(source, int(warps)))
    print(
        f"{os.path.basename(path)}: {len(shared)} kernels compiled, bytes of shared memory {shared}"
    )


def main():
    if sys.argv[1] == "compile":
        for path in sys.argv[2:]:
            compile_all(path)
        return 0
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
    arguments = [
        torch.from_numpy(np.load(given[name])) for name in inspect.signature(function).parameters
    ]
    results = function(*arguments)
    results = results if isinstance(results, tuple) else (results,)
    for number, tensor in enumerate(results):
        np.save(os.path.join(sys.argv[3], f"{number}.npy"), tensor.float().numpy())
    return 0


if __name__ == "__main__":
    sys.exit(main())
