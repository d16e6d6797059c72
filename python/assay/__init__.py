"""PyTorch programs in, proofs and certified kernels out.

    fast = assay.compile(f, *examples)  a callable; certified kernels do what they can
    assay.certify(f, g, *examples)      are two functions equal, for all sizes?

Nothing is compiled when this package is imported.
"""

from .compiled import Compiled, compile
from .equality import Verdict, certify
from .errors import AssayError, ToolError, Unsupported, UnsupportedGraph

__all__ = ["AssayError", "Compiled", "ToolError", "Unsupported", "UnsupportedGraph", "Verdict", "certify", "compile"]
