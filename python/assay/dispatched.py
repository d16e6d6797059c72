"""PyTorch's list of composite operators, made once and not at each export.

torch.export asks the dispatcher of each namespace for its composite operators, several times an
export, which takes longer than all else that certifying a small function does.  The list depends on the operators that are registered alone, and on these it is made
again.
"""

import contextlib

import torch

_collected = {}  # by namespace, of so many registered operators
_of = None


@contextlib.contextmanager
def operators_listed_once():
    """Within it, the composite operators of a namespace are those found before, as long as no
    operator was registered since.  One thread at a time (exporting.TRACING)."""
    global _of
    utils = torch._export.utils
    collect = getattr(utils, "_collect_all_valid_cia_ops_for_namespace", None)
    if collect is None:  # another version of PyTorch
        yield
        return
    registered = len(torch._C._dispatch_get_all_op_names())
    if registered != _of:
        _collected.clear()
        _of = registered

    def listed(namespace):
        if namespace.name not in _collected:
            _collected[namespace.name] = collect(namespace)
        return _collected[namespace.name]

    utils._collect_all_valid_cia_ops_for_namespace = listed
    try:
        yield
    finally:
        utils._collect_all_valid_cia_ops_for_namespace = collect
