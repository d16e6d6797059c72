"""PyTorch programs in, proofs and certified kernels out.

    assay.certify(f, g, *examples)      are two functions equal, for all sizes?

Nothing is compiled when this package is imported.
"""

from .equality import Verdict, certify
from .errors import AssayError, ToolError, Unsupported, UnsupportedGraph

__all__ = ["AssayError", "ToolError", "Unsupported", "UnsupportedGraph", "Verdict", "certify"]
