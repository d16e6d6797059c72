"""PyTorch programs in, proofs and certified kernels out.

    fast = assay.compile(f, *examples)  a callable; certified kernels do what they can
    assay.certify(f, g, *examples)      are two functions equal, for all sizes?
    assay.from_onnx("model.onnx")       a module of an ONNX model, for both of these

Nothing is compiled when this package is imported.
"""

from .compiled import Compiled, compile
from .equality import Verdict, certify
from .errors import AssayError, NotExported, ToolError, Unsupported, UnsupportedGraph
from .named import name_backend
from .onnx_model import from_onnx

name_backend()

__all__ = [
    "AssayError",
    "Compiled",
    "NotExported",
    "ToolError",
    "Unsupported",
    "UnsupportedGraph",
    "Verdict",
    "certify",
    "compile",
    "from_onnx",
]
