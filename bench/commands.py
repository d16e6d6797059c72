"""Commands that more than one measurement runs: nvcc, and `assay optimize` where nobody looks on."""

NVCC = ["nvcc", "-std=c++17", "-O3", "-gencode=arch=compute_90a,code=sm_90a"]


def compile_shared(source, library, *options):
    """A shared library of a CUDA text, for an H200; options: more of nvcc's."""
    return [*NVCC, *options, "-shared", "-Xcompiler", "-fPIC", source, "-o", library]


def compile_program(source, program, *options):
    return [*NVCC, *options, "-Xcompiler", "-fopenmp", source, "-o", program]


def optimize(assay, program, out, *options):
    """Into the directory `out`, over what is there, without solvers."""
    return [assay, "optimize", str(program), "--solvers=none", "--force", "-o", str(out), *options]
