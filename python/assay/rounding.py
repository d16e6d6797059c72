"""Where factors of f32 products may be rounded to TF32: as PyTorch is told for its own kernels."""

import torch

from .equality import SPECIFICATIONS

_PRODUCTS = ["matmul"]


def _convolutions():
    lines = SPECIFICATIONS.read_text().splitlines()
    names = [line[3:].split("(")[0] for line in lines if line.startswith("op ")]
    return [name for name in names if name.startswith("torch_conv")]


def permitted():
    """Names of operators, as `assay optimize --tf32` takes them; empty where none may be.

    Convolutions follow torch.backends.cudnn.allow_tf32, which is True where nobody sets it, products
    torch.backends.cuda.matmul.allow_tf32, which is not.
    """
    names = []
    if torch.backends.cudnn.allow_tf32:
        names += _convolutions()
    if torch.backends.cuda.matmul.allow_tf32:
        names += _PRODUCTS
    return ",".join(names)
