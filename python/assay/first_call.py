"""The first run of a compiled graph, beside the graph's operators as PyTorch runs them.

A certificate is about a program's text.  What was lowered from it and built is tried before its
results are given away: where they are not those of PyTorch but for rounding, the call is an error.
"""

import torch

from .compare import Comparison, types_in
from .errors import AssayError
from .nodes import run_as

# kernels sum in another order, and keep more digits between operators
_OTHER_ORDER = 20
# what PyTorch's own rounding may do to a result, beside double precision, a kernel's may, so often
_AS_PYTORCH = 16


def check_first(graph, values, results, rounded=()):
    """AssayError where `results` of a graph, for the `values` of its placeholders, are not those
    of its operators; False where PyTorch does not run these with such values.  Types of which
    products may be rounded besides those of the graph are `rounded`."""
    try:
        expected = _run(graph, dict(values), lambda x: x)
    except Exception:  # noqa: BLE001  (such as a position outside of a tensor)
        return False
    given = [result for result in results if isinstance(result, torch.Tensor)]
    expected = [x for x in expected if isinstance(x, torch.Tensor)]
    coarse = [*types_in(graph), *rounded]
    found = Comparison(_OTHER_ORDER, coarse).difference(expected, given)
    if found and not _rounds_alike(graph, values, expected, given):
        raise AssayError(
            f"at the first call {found}: the first as PyTorch computes it, the second of the"
            " compiled kernels: nothing is given away; please report this"
        )
    return True


def _run(graph, values, changed):
    """The results of a graph, run node by node with PyTorch's operators; `changed` is done to the
    keywords of each."""
    for node in graph.nodes:
        if node.op == "call_function":
            found = torch.fx.node.map_arg((node.args, node.kwargs), lambda n: values[n])
            arguments, keywords = found
            values[node] = run_as(node.target)(*arguments, **changed(dict(keywords)))
        elif node.op == "output":
            return [values[x] if isinstance(x, torch.fx.Node) else x for x in node.args[0]]
    raise AssertionError("a graph without results")


def _rounds_alike(graph, values, expected, given):
    """Whether what is between a kernel's results and those in double precision is as much as
    between PyTorch's and these."""
    wide = {
        node: x.double() if isinstance(x, torch.Tensor) and x.is_floating_point() else x
        for node, x in values.items()
    }
    try:
        exact = _run(graph, wide, _in_double)
    except Exception:  # noqa: BLE001  (operators that have no double precision)
        return False
    exact = [x for x in exact if isinstance(x, torch.Tensor)]
    return all(map(_is_as_near, exact, expected, given))


def _in_double(keywords):
    dtype = keywords.get("dtype")
    if isinstance(dtype, torch.dtype) and dtype.is_floating_point:
        keywords["dtype"] = torch.float64
    return keywords


def _is_as_near(exact, expected, given):
    if exact.shape != given.shape:
        return False
    exact, expected, given = (x.double() for x in (exact, expected, given))
    counts = torch.isfinite(exact) & torch.isfinite(expected)
    ours = torch.where(counts, (given - exact).abs(), 0)
    theirs = torch.where(counts, (expected - exact).abs(), 0)
    least = torch.where(counts, exact.abs(), 0).max() * 1e-6
    return bool(ours.max() <= _AS_PYTORCH * theirs.max() + least)
