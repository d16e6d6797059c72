"""What torch.export found out about extents while it followed a function, as relations of sizes.

A graph is what the function does at the examples' extents, and wherever all that was asked of
extents on the way has the same answer.  A claim is about those sizes: the answers are hypotheses.
An extent of 0 or 1 is told apart from others without a question, so sizes begin at 2.
"""

import sympy
import torch
from torch.utils._sympy.value_ranges import bound_sympy

from .errors import Unsupported

# the least extent that is told apart from no other
_LEAST = 2

# What is asked by these is how a tensor lies in memory, or along which way a view is computed;
# results are the same either way.
_OF_MEMORY = {
    "check_contiguous_sizes_strides",
    "is_contiguous",
    "is_channels_last_contiguous_2d",
    "is_channels_last_contiguous_3d",
    "is_non_overlapping_and_dense",
    "_collapse_view_helper",
    "_reshape_view_helper_core_alg",
    "alias_non_inplace_storage",
}

_WORDS = {
    sympy.Eq: "=",
    sympy.Ne: "!=",
    sympy.StrictLessThan: "<",
    sympy.LessThan: "<=",
    sympy.StrictGreaterThan: ">",
    sympy.GreaterThan: ">=",
}


def state(graph, extents, names, said):
    """Adds to `extents` what was asked of the sizes of a graph.

    `names` has the names of torch.export's symbols, said(EXPRESSION) is a size expression.
    """
    environment = _environment(graph)
    if environment is None:
        return
    for symbol, name in names.items():
        bounds = environment.var_to_range.get(symbol)
        if bounds is not None:
            _state_range(extents, name, bounds)
    for guard in environment.guards:
        if not _is_of_memory(guard):
            _state_fact(extents, environment, environment.replace(guard.expr), said)


def _environment(graph):
    """What torch.export keeps of symbols; None where all extents are numbers."""
    for node in graph.nodes:
        for extent in getattr(node.meta.get("val"), "shape", ()):
            if isinstance(extent, torch.SymInt):
                return extent.node.shape_env
    return None


def _is_of_memory(guard):
    frame = getattr(getattr(guard, "sloc", None), "framework_loc", None)
    return getattr(frame, "name", None) in _OF_MEMORY


def _state_range(extents, name, bounds):
    if bounds.lower.is_Integer and bounds.lower > 1:
        extents.at_least(name, int(bounds.lower))
        if bounds.lower > _LEAST:
            extents.suppose(f"{name} >= {bounds.lower}", stated=True)
    if bounds.upper.is_Integer:
        extents.suppose(f"{name} <= {bounds.upper}")


def _state_fact(extents, environment, fact, said):
    if isinstance(fact, sympy.And):
        for each in fact.args:
            _state_fact(extents, environment, each, said)
        return
    if fact == True or _follows(environment, fact):  # noqa: E712  (a truth of sympy's)
        return
    either = fact.args if isinstance(fact, sympy.Or) else (fact,)
    extents.suppose(" or ".join(_relation(each, said) for each in either))


def _follows(environment, fact):
    """Whether the ranges of its sizes say it already."""
    found = bound_sympy(fact, environment.var_to_range)
    return found.is_singleton() and found.lower == True  # noqa: E712


def _relation(fact, said):
    word = _WORDS.get(type(fact))
    if word is None:
        raise Unsupported("extent", f"{fact}, which was asked, has no form as a relation")
    return f"{said(fact.lhs)} {word} {said(fact.rhs)}"
