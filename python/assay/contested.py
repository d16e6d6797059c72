"""Steps of a compiled program that PyTorch may run instead, and which of the two does."""

import copy

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from .attention_step import as_called, is_attention
from .direct import is_watched
from .measured import MARGIN, MARGIN_OF_WHOLE, OURS, Contest
from .nodes import run_as

EAGER = "eager"
INDUCTOR = "inductor"


class Inductor:
    """Steps of a graph as TorchInductor compiles them, from values to values; compiled when they
    first run."""

    def __init__(self, nodes, reads, gives):
        self._nodes, self._reads, self._gives = nodes, reads, gives
        self._compiled = None

    def __call__(self, values):
        arguments = [values[node] for node in self._reads]
        if self._compiled is None:
            from torch._inductor import compile as compiled  # it loads much that others do not want

            with torch.no_grad():
                self._compiled = compiled(self._module(), arguments)
        values.update(zip(self._gives, self._compiled(*arguments)))

    def _module(self):
        graph = torch.fx.Graph()
        copies = {}
        for node in self._reads:
            copies[node] = graph.placeholder(node.name)
            copies[node].meta = dict(node.meta)
        for node in self._nodes:
            if node not in copies:
                copies[node] = _copied(graph, node, copies)
        graph.output(tuple(copies[node] for node in self._gives))
        return torch.fx.GraphModule(torch.nn.Module(), graph)


def _copied(graph, node, copies):
    """A copy of the node; a step of attention is PyTorch's own call, which a compiler knows."""
    if not is_attention(node):
        copy = graph.node_copy(node, copies.__getitem__)
        copy.target = run_as(node.target)
        return copy
    arguments, keywords = as_called(node)
    arguments, keywords = torch.fx.node.map_arg((arguments, keywords), copies.__getitem__)
    return graph.call_function(
        torch.ops.aten.scaled_dot_product_attention.default, arguments, keywords
    )


class Contested:
    """A step that runs in one of several ways: ours until a measurement says otherwise.

    `ways` are functions from the values so far, which they add their results to, by name; `reads`
    the nodes whose values they read.  Nothing is measured while a graph is captured or PyTorch
    looks on; the step is then ours, and the next call measures.
    """

    def __init__(self, title, name, ways, reads, measuring, margin=MARGIN):
        self._ways = ways
        self._reads = reads
        self.contest = Contest(
            title,
            name,
            {each: self._alone(way) for each, way in ways.items()},
            *measuring.common,
            margin=margin,
        )
        self.chosen = None

    def _alone(self, way):
        def made(values):
            scratch = {node: values[node] for node in self._reads}
            return lambda: way(scratch)

        return made

    def __call__(self, values):
        self.settle(values)
        self._ways[self.chosen or OURS](values)

    def settle(self, values):
        """Chooses a way, where none is yet and something can be measured."""
        if self.chosen is None and not is_watched():
            self.chosen = self.contest.decide(values)


def written_arguments(module, arguments):
    """The places of arguments that a call changes in place; None where that cannot be told, as of a
    module that holds tensors itself, which it might change."""
    if next(module.parameters(), None) is not None or next(module.buffers(), None) is not None:
        return None
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    stand_ins = [mode.from_tensor(x) if isinstance(x, torch.Tensor) else x for x in arguments]
    tensors = {place: x for place, x in enumerate(stand_ins) if isinstance(x, torch.Tensor)}
    before = {place: x._version for place, x in tensors.items()}
    try:
        with mode, torch.no_grad():
            module(*stand_ins)
    except Exception:  # noqa: BLE001  (what a function without data raises)
        return None
    return {place for place, x in tensors.items() if x._version != before[place]}


class Given:
    """A graph as TorchInductor compiles it for torch.compile; compiled when it first runs."""

    def __init__(self, module):
        self._module = module
        self._compiled = None

    def __call__(self, *arguments):
        if self._compiled is None:
            from torch._inductor import compile as compiled  # it loads much that others do not want

            with torch.no_grad():
                self._compiled = compiled(copy.deepcopy(self._module), list(arguments))
        return self._compiled(*arguments)


class BesideGiven:
    """What the backend made of a graph, or the graph as it was given, as eager PyTorch or
    TorchInductor has it, where that is faster: PyTorch's own operators need not be those that the
    graph was taken apart into.  The last word, of whole against whole: what handing over between
    parts costs is in it."""

    def __init__(self, compiled, module, runner):
        self._ways = {OURS: compiled, EAGER: module, INDUCTOR: Given(module)}
        self._runner = runner
        self._chosen = None

    def __call__(self, *arguments):
        results = self._ways[self._chosen or OURS](*arguments)
        if self._chosen is None and self._runner.is_settled and not is_watched():
            self._chosen = self._decided(arguments)
        return results

    def _decided(self, arguments):
        """The way that is taken; what a call writes to is a copy while it is timed."""
        written = written_arguments(self._ways[EAGER], arguments)
        if written is None:
            return OURS
        given = [x.clone() if place in written else x for place, x in enumerate(arguments)]
        ways = {
            name: lambda given, way=way: lambda: way(*given) for name, way in self._ways.items()
        }
        name = (*self._runner.name_of_whole(), "as it was given")
        common = self._runner.measuring.common
        contest = Contest(
            "the graph as it was given", name, ways, *common, margin=MARGIN_OF_WHOLE
        )
        with torch.no_grad():
            return contest.decide(given)


class Measuring:
    """What contests of one compiled program have in common."""

    def __init__(self, timer, kept, tell, rivals):
        """`rivals`: EAGER, INDUCTOR or both."""
        self.timer, self.kept, self.tell, self.rivals = timer, kept, tell, rivals
        self.contested = []

    @property
    def common(self):
        return self.timer, self.kept, self.tell

    def step(self, title, name, ours, eager, piece):
        """The step of a certified part."""
        ways = {OURS: ours}
        if EAGER in self.rivals:
            ways[EAGER] = eager
        if INDUCTOR in self.rivals:
            ways[INDUCTOR] = Inductor(piece.nodes, piece.reads, piece.gives)
        step = Contested(title, name, ways, piece.reads, self)
        self.contested.append(step)
        return step

    @property
    def is_decided(self):
        return all(step.chosen is not None for step in self.contested)

    @property
    def all_ours(self):
        return all(step.chosen == OURS for step in self.contested)
