"""Which parts of a graph become certified kernels, and which stay with PyTorch.

A *step* is an operator call of the graph.  Steps that the table covers are gathered into islands:
steps are taken in an order in which an island goes on for as long as covered steps are ready, so
an island is convex (nothing outside both reads from it and feeds it), and the whole is a list of
islands and PyTorch steps to be run one after another.
"""

import heapq
import re
import threading
from collections import Counter
from dataclasses import dataclass, field

import torch

from . import whole
from .attention_step import attention_of, is_attention
from .errors import Consequence, Unsupported
from .exporting import place_of
from .program import Extents
from .fixed_extents import divided_extents, extents_of_few, window_extents
from .rewrite import prepare
from .translate import Translator
from .values import Masked

# Above this many operators the search gets no better and takes long; a good part of them is enough
# where an operator that begins a kernel anyway comes next.
MOST_OPERATORS = 24
ENOUGH_OPERATORS = 16

# As many are enough where a block of the model ends, which may come again.
ENOUGH_FOR_BLOCKS = 8

# A program has at most 512 inputs, and a tensor with minus infinity in it is two.
MOST_INPUTS = 256

# Convolutions and poolings of one island: what is proved of windows over windows grows faster than
# their number.
MOST_WINDOWS = 4

# Attention is two products, a softmax and a mask or a scale.
_WORK_OF_ATTENTION = 4

# Operators that move or name numbers and compute nothing: an island of these alone is not worth a
# kernel.
_MOVES = (
    "view",
    "_unsafe_view",
    "reshape",
    "permute",
    "transpose",
    "t",
    "unsqueeze",
    "squeeze",
    "expand",
    "clone",
    "alias",
    "detach",
    "slice",
    "select",
    "split_with_sizes",
    "_to_copy",
    "lift_fresh_copy",
    "contiguous",
    "full",
    "full_like",
    "arange",
    "scalar_tensor",
    "zeros",
    "ones",
    "zeros_like",
    "ones_like",
    "flip",
    "cat",
)


@dataclass
class Island:
    """Consecutive covered steps: `reads` and `gives` are nodes of the graph.

    A tensor of `masked` has minus infinity in it.  It crosses the border as two: numbers, and where
    these count.
    """

    nodes: list
    reads: list = field(default_factory=list)
    gives: list = field(default_factory=list)
    masked: set = field(default_factory=set)
    begins_block: bool = True

    @property
    def work(self):
        """How many of its steps compute something."""
        return sum(_WORK_OF_ATTENTION if is_attention(n) else computes(n) for n in self.nodes)

    @property
    def attention(self):
        """The attention that it is of, which is a part of its own; else None."""
        return next(filter(None, map(attention_of, self.nodes)), None)

    @property
    def windows(self):
        """How many of its steps go over windows."""
        return sum(has_window(node) for node in self.nodes)

    def is_full(self, node, most_operators, begins_block=False, block=None):
        """Whether the node is better the first of another island.

        Islands begin with blocks, and have all of one where they can: so those of blocks that come
        again are alike, and made once.
        """
        if self.attention is not None or attention_of(node) is not None:
            return self.attention is not attention_of(node)
        if self.work >= most_operators:
            return True
        if begins_block and (self.work >= ENOUGH_FOR_BLOCKS or not self.begins_block):
            return self.work > 0
        target = str(node.target)
        if len(self._arguments_with(node)) > MOST_INPUTS:
            return True
        begins = "convolution" in target or target.startswith(("aten.mm.", "aten.addmm."))
        is_whole = block is not None and self.begins_block and block[1] <= most_operators
        enough = begins and not is_whole and self.work >= min(most_operators, ENOUGH_OPERATORS)
        return enough or (has_window(node) and self.windows >= MOST_WINDOWS)

    def takes(self, other, most_operators):
        """Whether it may have the steps of another, which follow it."""
        few = (
            self.attention is None
            and other.attention is None
            and self.work + other.work <= most_operators
            and self.windows + other.windows <= MOST_WINDOWS
        )
        return few and len(self._arguments_with(*other.nodes)) <= MOST_INPUTS

    def _arguments_with(self, *nodes):
        """What it reads that no step of it makes, with steps more."""
        members = {*self.nodes, *nodes}
        return {s for n in members for s in n.all_input_nodes if s not in members}

    def arguments(self, values):
        """The tensors that its kernel reads."""
        for node in self.reads:
            tensor = values[node]
            if node not in self.masked:
                yield tensor
                continue
            kept = tensor != -torch.inf
            yield torch.where(kept, tensor, 0)
            yield kept

    def types(self):
        """The types of the tensors that its kernel gives."""
        for node in self.gives:
            yield node.meta["val"].dtype
            if node in self.masked:
                yield torch.bool

    def keep(self, results, values):
        """Takes over what its kernel gave."""
        results = iter(results)
        for node in self.gives:
            tensor = next(results)
            if node in self.masked:
                tensor = torch.where(next(results), tensor, -torch.inf)
            values[node] = tensor.reshape(node.meta["val"].shape)


def computes(node):
    """Whether it is an operator, of PyTorch or the package's own, that does not move numbers only."""
    target = str(node.target)
    return target.startswith(("aten.", "assay.")) and target.split(".")[1] not in _MOVES


def has_window(node):
    return "convolution" in str(node.target) or "_pool" in str(node.target)


def is_step(node):
    return node.op == "call_function"


def _probed(graph):
    """A translator that knows of each node what it is, or why the table does not cover it."""
    probe = Translator.for_probe()
    for node in graph.nodes:
        if node.op != "output":
            probe.attempt(node)
    return probe


def _takes_a_result(node):
    return "getitem" in str(node.target)


def _is_tensor(node):
    return isinstance(node.meta.get("val"), torch.Tensor)


def _not_exact(graph):
    """Steps of which kernels, which compute in single precision, would not give what PyTorch gives,
    or would not do what PyTorch does; and why."""
    large = whole.beyond(graph)
    for node in filter(is_step, graph.nodes):
        tensors = [n.meta.get("val") for n in (*node.all_input_nodes, node)]
        if any(isinstance(t, torch.Tensor) and t.dtype == torch.float64 for t in tensors):
            yield (
                node,
                "in double precision, and kernels compute in single precision; convert to float32",
            )
        elif node in large:
            yield node, "products or sums of integers, which kernels count up to 2^24 only"
        elif str(node.target).startswith("aten._assert"):
            yield node, "a check of data, which a kernel does not make"


# an argument of which as many parts are taken one by one is gone through by a loop
_FEW_PARTS = 8
_ALIGNMENT = 16  # bytes: kernels read tensors that begin at such places without a copy


class View(Consequence):
    """A step of which nothing is to be computed, left to PyTorch for nothing."""

    def __init__(self, node):
        super().__init__(
            str(node.target), "a view of an argument, which costs nothing", place_of(node)
        )


def _is_part_of_first_axis(node):
    """Whether it takes an element, or neighbours, of a tensor's first axis."""
    target, axis = str(node.target), node.args[1] if len(node.args) > 1 else 0
    step = node.args[4] if len(node.args) > 4 else 1
    return axis == 0 and (
        target == "aten.select.int" or (target == "aten.slice.Tensor" and step == 1)
    )


def _is_step_of_a_sequence(node):
    """Whether it is one of many parts of an argument, side by side in memory: made before the
    islands that read them, so that those of a loop's steps are alike."""
    if not is_step(node) or not _is_part_of_first_axis(node):
        return False
    source = node.args[0]
    tensor = source.meta.get("val")
    extents = (*tensor.shape, *tensor.stride())
    if source.op != "placeholder" or not all(isinstance(e, int) for e in extents):
        return False
    aligned = tensor.stride(0) * tensor.element_size() % _ALIGNMENT == 0
    parts = sum(is_step(user) and _is_part_of_first_axis(user) for user in source.users)
    return aligned and tensor.is_contiguous() and parts >= _FEW_PARTS


def divide(graph, least_work=2, most_operators=MOST_OPERATORS):
    """The graph as a list of islands and single nodes, and why each single node is one.

    An island that computes in fewer than `least_work` steps is left to PyTorch too.
    """
    prepare(graph)
    probe = _probed(graph)
    reasons = dict(probe.failed)
    for node in graph.nodes:
        problem = probe.environment.get(node)
        if isinstance(problem, Unsupported) and node.users:
            # a result that the row does not give: PyTorch gives all of them
            reasons |= {each: problem for each in (node.args[0], *node.args[0].users)}
        numbers = [n.name for n in node.all_input_nodes if isinstance(n.meta.get("val"), _NUMBERS)]
        if numbers and node.op != "output" and node not in reasons:
            reasons[node] = Unsupported("extent", f"{numbers[0]} is no tensor", place_of(node))
    for node, inexact in _not_exact(graph):
        reasons.setdefault(node, Unsupported(str(node.target), inexact, place_of(node)))
    reasons |= {node: View(node) for node in graph.nodes if _is_step_of_a_sequence(node)}
    steps = [node for node in graph.nodes if is_step(node)]
    pieces = _gathered(_schedule(steps, reasons), reasons, most_operators)
    pieces = _without_crumbs(pieces, max(2, least_work), most_operators)
    pieces = _with_views(pieces, graph)
    _make_inside(pieces, graph, reasons)
    result = []
    for piece in pieces:
        if isinstance(piece, Island) and piece.work < least_work:
            result += piece.nodes
        else:
            result.append(piece)
    masked = {node for node, value in probe.environment.items() if isinstance(value, Masked)}
    numbers = {node for node, value in probe.environment.items() if isinstance(value, float)}
    return _with_borders(result, graph, masked, numbers, reasons), reasons


def _gathered(order, reasons, most_operators):
    """The steps as islands and single nodes."""
    pieces = []
    home = {}
    blocks = _blocks(order)
    for node, before in zip(order, [None, *order]):
        source = node.args[0] if _takes_a_result(node) else None
        if isinstance(home.get(source), Island):
            home[source].nodes.append(node)  # several results never cross a border as one
            home[node] = home[source]
            continue
        last = pieces[-1] if pieces else None
        begins = before is None or blocks[node] != blocks[before]
        if node in reasons:
            pieces.append(node)
        elif isinstance(last, Island) and not last.is_full(
            node, most_operators, begins, blocks[node]
        ):
            last.nodes.append(node)
        else:
            pieces.append(Island([node], begins_block=begins))
        home[node] = pieces[-1]
    return pieces


def _without_crumbs(pieces, least_work, most_operators):
    """The pieces, in which islands of little work behind another are part of that, which may then
    have so many operators more than others: what stands between two blocks is often an operator
    alone, and so may be the last one."""
    result = []
    for piece in pieces:
        last = result[-1] if result else None
        joins = isinstance(piece, Island) and isinstance(last, Island)
        if joins and piece.work < least_work and last.takes(piece, most_operators + least_work):
            last.nodes += piece.nodes
        else:
            result.append(piece)
    return result


# what PyTorch makes of a tensor without a copy, where it lies in memory row by row or nearly so
_VIEWS = "view permute transpose t unsqueeze squeeze expand slice select alias detach".split()


def _is_view(node):
    target = str(node.target)
    return target.startswith("aten.") and target.split(".")[1] in _VIEWS


def _with_views(pieces, graph):
    """The pieces, in which views that attention alone reads, or that are made of its result, are in
    its part: heads are split and merged there, so that what crosses the borders lies row by row,
    and is neither copied by kernels nor by PyTorch."""
    home = {n: p for p in pieces for n in (p.nodes if isinstance(p, Island) else [p])}
    results = set(graph.output_node().all_input_nodes)
    for number, piece in enumerate(pieces):
        if not isinstance(piece, Island) or piece.attention is None:
            continue
        before = [n for p in pieces[:number] if isinstance(p, Island) for n in p.nodes]
        for node in reversed(before):
            read_here = node.users and all(home.get(user) is piece for user in node.users)
            if read_here and _is_view(node) and node not in results:
                _move(node, home, piece, 0)
        after = [n for p in pieces[number + 1 :] if isinstance(p, Island) for n in p.nodes]
        for node in after:
            made_here = all(home.get(source) is piece for source in node.all_input_nodes)
            if made_here and _is_view(node) and node.all_input_nodes:
                _move(node, home, piece, len(piece.nodes))
    return [p for p in pieces if not isinstance(p, Island) or p.nodes]


def _move(node, home, piece, place):
    if home[node].attention is None:
        home[node].nodes.remove(node)
        piece.nodes.insert(place, node)
        home[node] = piece


# A module of a list of modules with as many operators is a block that may come again.
_LEAST_OF_BLOCK = 6
_NUMBERED = re.compile(r"(?:^|\W)\d+(?=\W|$)")


def _places_of_blocks(node):
    """The paths of the modules of lists that a step is in, outer ones first, as text."""
    stack = node.meta.get("nn_module_stack") or {}
    paths = [path for path, _ in stack.values() if isinstance(path, str)]
    found = (path[: match.end()] for path in paths[-1:] for match in _NUMBERED.finditer(path))
    return list(found)


def _blocks(order):
    """For each step the smallest block that it is in, with its number of operators, or None."""
    places = {node: _places_of_blocks(node) for node in order}
    operators = Counter(place for node in order if computes(node) for place in places[node])
    blocks = {}
    for node in order:
        large = [place for place in places[node] if operators[place] >= _LEAST_OF_BLOCK]
        blocks[node] = (large[-1], operators[large[-1]]) if large else None
    return blocks


# what a node may be that is computed of extents
_NUMBERS = (torch.SymInt, torch.SymFloat, torch.SymBool)

# as many steps may be taken again to have what is made of constants where it is read
_MOST_REPEATED = 24


def _made_again(node, reasons):
    """The steps that make a tensor of nothing but constants, positions and truths, or move an
    argument's elements; None where it is made of other things or by too many steps."""
    steps, waiting, numbers = set(), [node], False
    while waiting:
        step = waiting.pop()
        if step in steps:
            continue
        if step in reasons or len(steps) >= _MOST_REPEATED:
            return None
        if not is_step(step):
            if not _is_tensor(step):
                return None
            numbers |= step.meta["val"].dtype.is_floating_point
            continue
        steps.add(step)
        waiting += step.all_input_nodes
    return None if numbers and any(computes(step) for step in steps) else steps


def _make_inside(pieces, graph, reasons):
    """Masks, positions and moved arguments (a transposed weight) that an island reads are made
    inside it, again where another has them: no kernel then writes them for another."""
    place = {node: number for number, node in enumerate(graph.nodes)}
    for piece in pieces:
        if not isinstance(piece, Island):
            continue
        members, added = set(piece.nodes), set()
        for node in piece.nodes:
            for source in node.all_input_nodes:
                if is_step(source) and source not in members:
                    added |= _made_again(source, reasons) or set()
        added -= members
        piece.nodes[:0] = sorted(added, key=place.get)


def _with_borders(pieces, graph, masked, numbers, reasons):
    """The pieces without steps that nothing needs any more; what islands read and give is found.
    Steps of `numbers`, which are no tensors in an island, PyTorch makes for others."""
    needed = set(graph.output_node().all_input_nodes)
    result = []
    for piece in reversed(pieces):
        nodes = piece.nodes if isinstance(piece, Island) else [piece]
        wanted = [node for node in nodes if node in needed]
        plain = [node for node in wanted if node in numbers and isinstance(piece, Island)]
        gives = [node for node in wanted if node not in plain]
        inside = set(gives)
        for node in reversed(nodes):
            if node in inside or _has_effect(node):
                inside.update(node.all_input_nodes)
                inside.add(node)
        left = [node for node in nodes if node in inside]
        if not left:
            result[:0] = plain
            reasons |= {node: View(node) for node in plain}
            continue
        members = set(left)
        reads = list(dict.fromkeys(s for n in left for s in n.all_input_nodes if s not in members))
        if isinstance(piece, Island):
            piece.nodes, piece.reads, piece.gives = left, reads, gives
            piece.masked = masked & {*reads, *gives}
        needed -= members
        needed.update(reads)
        result[:0] = [*plain, piece]
        reasons |= {node: View(node) for node in plain}
    return result


def _has_effect(node):
    """Whether a step does something beside giving its results, such as a check."""
    return not node.users


def _schedule(steps, reasons):
    """A topological order with long runs of covered steps, that of the program otherwise."""
    place = {node: number for number, node in enumerate(steps)}
    missing = {node: sum(is_step(a) for a in node.all_input_nodes) for node in steps}
    ready = {True: [], False: []}  # by whether they are covered: places, the first in front
    for node in steps:
        if not missing[node]:
            heapq.heappush(ready[node not in reasons], place[node])
    order, inside = [], True
    while ready[True] or ready[False]:
        if not ready[inside]:
            inside = not inside
        node = steps[heapq.heappop(ready[inside])]
        order.append(node)
        for user in filter(is_step, node.users):
            missing[user] -= 1
            if not missing[user]:
                heapq.heappush(ready[user not in reasons], place[user])
    return order


# How extents are stated: as symbols, so that the theorem is for all of them; those that windows
# slide over or that are divided at fixed positions as numbers, where what is computed of symbols
# does not meet as it has to; or all as numbers.
SYMBOLS, NUMBERS, THESE_SIZES = "symbols", "numbers", "these sizes"


def translate_island(island, name, statement=SYMBOLS):
    """The program of an island; raises Unsupported where a border is no tensor of reals."""
    first = _translated(island, name, statement, {})
    derived = first.program.extents.what_was_derived()
    return (_translated(island, name, statement, derived) if derived else first).program


# islands are certified by several threads, of which one translates at a time
_TRANSLATING = threading.Lock()


def programs_of(island, name):
    """The programs that state an island, the most general first, as pairs (how, program)."""
    problem, stated = None, set()
    for statement in (SYMBOLS, NUMBERS, THESE_SIZES):
        try:
            with _TRANSLATING:
                program = translate_island(island, name, statement)
        except Unsupported as found:
            problem = problem or found
            continue
        text = program.tp(None)
        if text not in stated:
            yield statement, program
        stated.add(text)
    if not stated:
        raise problem


def is_wide(island):
    """Whether the island has results, or products, of more than 16 bits of tensors of 16 bits:
    its program would else round them to the type of its inputs."""
    counted = [*island.gives, *(node for node in island.nodes if _is_product(node))]
    found = {dtype for node in counted for dtype in _types_of(node)}
    read = {dtype for node in island.reads for dtype in _types_of(node) if dtype.itemsize <= 2}
    return len(read) > 1 or (bool(read) and any(dtype not in read for dtype in found))


def _multiplies_32(island):
    """Whether a product of the island is of more than 16 bits, or of two types."""
    types = [_types_of(n) for p in island.nodes if _is_product(p) for n in (p, *p.all_input_nodes)]
    found = {dtype for each in types for dtype in each}
    return len(found) > 1 or any(dtype.itemsize > 2 for dtype in found)


def _types_of(node):
    """The floating-point types of what a node gives."""
    value = node.meta.get("val")
    values = value if isinstance(value, (tuple, list)) else [value]
    tensors = (each for each in values if isinstance(each, torch.Tensor))
    return [each.dtype for each in tensors if each.dtype.is_floating_point]


def _is_product(node):
    target = str(node.target)
    return "convolution" in target or target.startswith(_PRODUCTS) or is_attention(node)


_PRODUCTS = ("aten.mm.", "aten.bmm.", "aten.addmm.", "aten.baddbmm.", "aten.mv.", "aten.dot.")


def _translated(island, name, statement, derived):
    extents = Extents(literal=statement == THESE_SIZES)
    extents.know(derived)
    extents.state_as_numbers(window_extents(island.nodes, statement == NUMBERS))
    extents.state_as_numbers(extents_of_few(island.nodes))
    if statement == NUMBERS:
        extents.state_as_numbers(divided_extents(island.nodes))
    # tensor cores take operands of one type; else each input keeps its own
    wide = is_wide(island)
    translator = Translator(name, extents, long_names=False, wide=wide and _multiplies_32(island))
    if wide and not translator.wide:
        translator.program.give_32_bits()
    for node in island.reads:
        if not _is_tensor(node):
            raise Unsupported("island", f"{node.name} is no tensor", place_of(node))
        if node in island.masked:
            translator.add_masked_input(node)
        else:
            translator.add_input(node)
    for node in island.nodes:
        translator.attempt(node)
    if translator.failed:
        raise next(iter(translator.failed.values()))
    for count, node in enumerate(island.gives):
        translator.add_output(node, count, in_parts=True)
    translator.program.prune()
    return translator
