"""How factors of f32 products may be taken on a GPU's tensor cores: as PyTorch is told for its
own."""

import torch

from .equality import SPECIFICATIONS

# Products that may not be rounded to TF32: in two parts of eleven bits each, or as they are?  What
# PyTorch permits where nobody asks is float32 arithmetic.
products_in_parts = False

# Convolutions that may be rounded to TF32: in parts where that is expected to take little longer
# ("auto"), always (True) or never (False)?
convolutions_in_parts = "auto"


def _convolutions():
    lines = SPECIFICATIONS.read_text().splitlines()
    names = [line[3:].split("(")[0] for line in lines if line.startswith("op ")]
    return [name for name in names if name.startswith("torch_conv")]


def permitted():
    """Names of operators, as `assay optimize --tf32` takes them; empty where none may be.

    Convolutions follow torch.backends.cudnn.allow_tf32, which is True where nobody sets it,
    products torch.backends.cuda.matmul.allow_tf32, which is not: they are as they are, or, with
    `products_in_parts`, taken in parts, which leave 22 of the 24 bits.
    """
    in_parts = ":3" if products_in_parts else None
    wanted = {"auto": ":auto", True: ":3", False: ""}[convolutions_in_parts]
    convolutions = wanted if torch.backends.cudnn.allow_tf32 else in_parts
    products = "" if torch.backends.cuda.matmul.allow_tf32 else in_parts
    names = [name + convolutions for name in _convolutions()] if convolutions is not None else []
    if products is not None:
        names.append("matmul" + products)
    return ",".join(names)
