"""Which parts of a graph become certified kernels, and which stay with PyTorch.

A *step* is an operator call of the graph.  Steps that the table covers are gathered into islands:
steps are taken in an order in which an island goes on for as long as covered steps are ready, so
an island is convex (nothing outside both reads from it and feeds it), and the whole is a list of
islands and PyTorch steps to be run one after another.
"""

from dataclasses import dataclass, field

import torch

from .errors import Unsupported
from .program import Extents
from .translate import Translator, place_of, window_extents

# Above this many operators the search gets no better and takes long.
MOST_OPERATORS = 24

# Operators that move or name numbers and compute nothing: an island of these alone is not worth a
# kernel.
_MOVES = (
    "view", "_unsafe_view", "reshape", "permute", "transpose", "t", "unsqueeze", "squeeze",
    "expand", "clone", "alias", "detach", "slice", "select", "split_with_sizes", "_to_copy",
    "lift_fresh_copy", "contiguous", "full", "full_like", "arange", "scalar_tensor", "zeros",
    "ones", "zeros_like", "ones_like", "flip", "cat",
)


@dataclass
class Island:
    """Consecutive covered steps: `reads` and `gives` are nodes of the graph."""

    nodes: list
    reads: list = field(default_factory=list)
    gives: list = field(default_factory=list)

    @property
    def work(self):
        """How many of its steps compute something."""
        return sum(computes(node) for node in self.nodes)


def computes(node):
    target = str(node.target)
    return target.startswith("aten.") and target.split(".")[1] not in _MOVES


def is_step(node):
    return node.op == "call_function"


def _uncovered(graph):
    """Nodes that the table does not cover, with the reason of each."""
    probe = Translator.for_probe()
    for node in graph.nodes:
        if node.op != "output":
            probe.attempt(node)
    return probe.failed


def _takes_a_result(node):
    return "getitem" in str(node.target)


def _is_tensor(node):
    return isinstance(node.meta.get("val"), torch.Tensor)


def divide(graph, least_work=2, most_operators=MOST_OPERATORS):
    """The graph as a list of islands and single nodes, and why each single node is one.

    An island that computes in fewer than `least_work` steps is left to PyTorch too.
    """
    reasons = dict(_uncovered(graph))
    steps = [node for node in graph.nodes if is_step(node)]
    order = _schedule(steps, reasons)
    pieces = []
    home = {}
    for node in order:
        source = node.args[0] if _takes_a_result(node) else None
        if isinstance(home.get(source), Island):
            home[source].nodes.append(node)  # several results never cross a border as one
            home[node] = home[source]
            continue
        if node in reasons:
            pieces.append(node)
        elif pieces and isinstance(pieces[-1], Island) and pieces[-1].work < most_operators:
            pieces[-1].nodes.append(node)
        else:
            pieces.append(Island([node]))
        home[node] = pieces[-1]
    result = []
    for piece in pieces:
        if isinstance(piece, Island) and piece.work < least_work:
            result += piece.nodes
        else:
            result.append(piece)
    for piece in result:
        if isinstance(piece, Island):
            _find_borders(piece, graph)
    return result, reasons


def _schedule(steps, reasons):
    """A topological order with long runs of covered steps."""
    waiting = {node: {a for a in node.all_input_nodes if is_step(a)} for node in steps}
    order, inside = [], True
    while waiting:
        ready = [node for node, needs in waiting.items() if not needs]
        fitting = [node for node in ready if (node not in reasons) == inside]
        if not fitting:
            inside = not inside
            continue
        for node in fitting:
            order.append(node)
            del waiting[node]
            for needs in waiting.values():
                needs.discard(node)
    return order


def _find_borders(island, graph):
    members = set(island.nodes)
    for node in island.nodes:
        for source in node.all_input_nodes:
            if source not in members and source not in island.reads:
                island.reads.append(source)
        if any(user not in members for user in node.users):
            island.gives.append(node)


# How extents that windows slide over are stated: as symbols, so that the theorem is for all of
# them, or as numbers, where what windows leave of symbols does not meet as it has to.
SYMBOLS, NUMBERS = "symbols", "numbers"


def has_windows(island):
    return any("convolution" in str(n.target) or "_pool" in str(n.target) for n in island.nodes)


def translate_island(island, name, windows=SYMBOLS):
    """The program of an island; raises Unsupported where a border is no tensor of reals."""
    first = _translated(island, name, windows, {})
    derived = first.program.extents.what_was_derived()
    return (_translated(island, name, windows, derived) if derived else first).program


def programs_of(island, name):
    """The programs that state an island, the most general first, as pairs (how, program)."""
    for windows in (SYMBOLS, NUMBERS) if has_windows(island) else (SYMBOLS,):
        try:
            yield windows, translate_island(island, name, windows)
        except Unsupported:
            if windows == NUMBERS or not has_windows(island):
                raise


def _translated(island, name, windows, derived):
    extents = Extents()
    extents.know(derived)
    extents.state_as_numbers(window_extents(island.nodes, windows == NUMBERS))
    translator = Translator(name, extents)
    for node in island.reads:
        if not _is_tensor(node):
            raise Unsupported("island", f"{node.name} is no tensor", place_of(node))
        translator.add_input(node)
    for node in island.nodes:
        translator.attempt(node)
    if translator.failed:
        raise next(iter(translator.failed.values()))
    for count, node in enumerate(island.gives):
        translator.add_output(node, count)
    return translator
