"""How large the integers of a graph get: kernels compute with them in single precision, which has
all of them up to 2^24.

Integers that come from outside are looked at before a kernel runs (`Kernel.most_whole`); what is
computed of them between is bounded here, by what the operators say.
"""

import math

import torch

# single precision has all integers up to this
LARGEST = 1 << 24
# an operator is worth a kernel where the integers of its arguments may be as large as this at least
_LEAST_ASKED = 1 << 20

_OF_ONE = ("square", "pow")
_SUMS = ("sum", "cumsum")
_OF_MANY = ("prod", "cumprod")
_PRODUCTS_OF_ROWS = ("mm", "_int_mm", "bmm", "addmm", "mv", "dot")
_RESTS = ("remainder", "fmod")
_QUOTIENTS = ("div", "floor_divide")
_PLACES = ("argmax", "argmin")


def is_whole(x):
    """Whether it is a node of a tensor of integers."""
    tensor = x.meta.get("val") if isinstance(x, torch.fx.Node) else None
    is_tensor = isinstance(tensor, torch.Tensor)
    return is_tensor and not tensor.is_floating_point() and tensor.dtype != torch.bool


def _most_of_type(value):
    """The largest absolute value that integers of few bits have."""
    if not isinstance(value, torch.Tensor) or value.dtype not in _FEW_BITS:
        return math.inf
    return max(torch.iinfo(value.dtype).max, -torch.iinfo(value.dtype).min)


_FEW_BITS = (torch.int8, torch.uint8, torch.int16)


class Bounds:
    """The largest absolute values of the integers of nodes, and of what a kernel has on the way to
    them, where those from outside are at most `outside`."""

    def __init__(self, nodes, outside):
        self._outside = outside
        self._of = {}
        self.on_the_way = {}
        for node in nodes:
            if node.op == "call_function" and is_whole(node):
                self.on_the_way[node], self._of[node] = self._bounds(node)

    def of(self, x):
        """The bound of an argument: a node's, or of a Python number its own."""
        if isinstance(x, torch.fx.Node):
            value = x.meta.get("val")
            is_truth = isinstance(value, torch.Tensor) and value.dtype == torch.bool
            return 1 if is_truth else min(self._of.get(x, self._outside), _most_of_type(value))
        is_number = isinstance(x, (int, float)) and math.isfinite(x)
        return abs(x) if is_number else 0

    def _bounds(self, node):
        name = _name(node)
        first, second = (self.of(node.args[k]) if len(node.args) > k else 1 for k in (0, 1))
        if name in _RESTS:
            return first + second, second
        bound = self._bound(node, name, first, second)
        return bound, bound

    def _bound(self, node, name, first, second):
        if name in ("add", "sub"):
            return first + second * self.of(node.kwargs.get("alpha", 1))
        if name == "mul":
            return first * second if first and second else 0
        if name in _OF_ONE:
            return first ** (second if name == "pow" else 2)
        if name in _SUMS:
            return first * _terms(node)
        if name in _OF_MANY:
            return 1 if first <= 1 else math.inf
        if name in _PRODUCTS_OF_ROWS:
            return self._of_rows(node, name)
        if name in _QUOTIENTS:
            return first
        if name in _PLACES:
            given = node.args[0].meta["val"]
            along = node.args[1] if len(node.args) > 1 else None
            return given.numel() if along is None or given.dim() == 0 else given.shape[along]
        given = torch.utils._pytree.tree_leaves((node.args, node.kwargs))
        tensors = [x for x in given if isinstance(x, torch.fx.Node)]
        return max(map(self.of, tensors if name in _ONLY_MOVE else given), default=0)

    def _of_rows(self, node, name):
        factors = node.args[1:3] if name == "addmm" else node.args[:2]
        terms = factors[0].meta["val"].shape[-1]
        added = self.of(node.args[0]) if name == "addmm" else 0
        scales = [self.of(node.kwargs.get(scale, 1)) for scale in ("alpha", "beta")]
        return self.of(factors[0]) * self.of(factors[1]) * terms * scales[0] + added * scales[1]


# operators whose numbers among the arguments are axes, extents and positions, and no elements
_ONLY_MOVE = (
    """view _unsafe_view reshape permute transpose t unsqueeze squeeze expand clone alias detach
    slice select split_with_sizes repeat flip cat gather embedding index index_select unfold
    diagonal _to_copy lift_fresh_copy contiguous copy amax amin max min""".split()
)


def _name(node):
    target = str(node.target)
    return target.split(".")[1] if "." in target else target


def _terms(node):
    """How many elements of the first argument an element of the result is made of, at most."""
    given, made = node.args[0].meta["val"], node.meta["val"]
    if _name(node) == "cumsum":
        return given.shape[node.args[1]] if given.dim() else 1
    return math.ceil(given.numel() / max(1, made.numel()))


def _grows(node):
    """Is it an operator whose results are soon large, whatever its arguments are?"""
    name = _name(node)
    of_two = name == "mul" and sum(map(is_whole, node.args)) > 1
    return of_two or name in (*_OF_ONE, *_SUMS, *_OF_MANY, *_PRODUCTS_OF_ROWS)


def beyond(graph):
    """Nodes that kernels would not count exactly, or that read integers which they cannot:
    operators that grow where nothing bounds their arguments, others where these are as large as is
    asked."""
    known, likely = (Bounds(graph.nodes, outside) for outside in (math.inf, _LEAST_ASKED))
    found = set()
    for node in graph.nodes:
        if node.op != "call_function":
            continue
        bounds = known if _grows(node) else likely
        on_the_way = bounds.on_the_way.get(node, 0)
        read = max((likely.of(x) for x in node.all_input_nodes if is_whole(x)), default=0)
        if max(on_the_way, read) > LARGEST:
            found.add(node)
    return found


def most_from_outside(nodes):
    """How large the integers that an island reads may be, so that it counts exactly."""
    most = LARGEST
    while most > _LEAST_ASKED and max(Bounds(nodes, most).on_the_way.values(), default=0) > LARGEST:
        most //= 2
    return most
