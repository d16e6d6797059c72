"""`torch.compile(model, backend="assay")`.

Dynamo hands over graphs; AOT autograd turns them into core ATen without updates in place, and
where gradients are wanted into a forward and a backward graph.  What is certified of each runs as
kernels, the rest as PyTorch does.
"""

import copy
import dataclasses
import functools

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch._functorch.partitioners import min_cut_rematerialization_partition

from .attention import InProducts, attention
from .attention_step import as_step
from .contested import EAGER, INDUCTOR, BesideGiven
from .compiled import GraphRunner, Options, exactly
from .errors import AssayError
from .exporting import TRACING
from .gradient import decompositions
from .once import made_once


def _certified(settings, runners, graph_module, examples):
    """The compiler of one graph of ATen operators, whose runner it adds to the others."""
    on_gpu = any(isinstance(x, torch.Tensor) and x.is_cuda for x in examples)
    options = Options(device="cuda" if on_gpu else "cpu", **settings)
    runner = GraphRunner(graph_module.graph, options, rivals=(EAGER, INDUCTOR))
    runners.append(runner)
    return make_boxed_func(runner.beside_inductor())


def _inference(compiler):
    return aot_autograd(fw_compiler=compiler, decompositions=decompositions(differentiated=False))


def _training(compiler):
    return aot_autograd(
        fw_compiler=compiler,
        decompositions=decompositions(),
        partition_fn=min_cut_rematerialization_partition,
    )


def _compiled(graph_module, examples, settings):
    wanting = any(isinstance(x, torch.Tensor) and x.requires_grad for x in examples)
    differentiated = torch.is_grad_enabled() and wanting
    form = _training if differentiated else _inference
    runners = []
    with InProducts(attention if differentiated else as_step):
        made = form(functools.partial(_certified, settings, runners))(graph_module, examples)
    if differentiated or len(runners) != 1 or runners[0].measuring is None:
        return made
    return BesideGiven(made, graph_module, runners[0])


class _ForSizes:
    """A graph whose extents are open: certificates speak of all of them, kernels of some, so it is
    compiled anew for extents, numbers and types that come for the first time."""

    def __init__(self, graph_module, settings):
        self._graph_module = graph_module
        self._settings = settings
        self._for = {}
        places = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
        self._numbers = [i for i, node in enumerate(places) if _is_a_number(node)]

    def __call__(self, *arguments):
        numbers = {i: arguments[i].item() for i in self._numbers}
        key = (torch.is_grad_enabled(), *map(exactly, numbers.values()), *map(_kind, arguments))
        make = lambda: _compiled(
            _with_numbers(self._graph_module, numbers), arguments, self._settings
        )  # noqa: E731
        return made_once(self._for, key, TRACING, make)(*arguments)


def _is_a_number(place):
    """Is it a tensor that stands for a number of Python's (an epsilon of a module)?"""
    return bool(place.users) and all(
        user.op == "call_method" and user.target == "item" for user in place.users
    )


def _with_numbers(graph_module, numbers):
    """The graph with these numbers, by which placeholders they are, written out."""
    graph = copy.deepcopy(graph_module.graph)
    places = [node for node in graph.nodes if node.op == "placeholder"]
    for which, number in numbers.items():
        for item in list(places[which].users):
            for user in list(item.users):
                user.args, user.kwargs = torch.fx.node.map_arg(
                    (user.args, user.kwargs),
                    lambda node: number if node is item else node,  # noqa: B023
                )
            graph.erase_node(item)
    return torch.fx.GraphModule(graph_module, graph)


def _kind(x):
    """What an argument has to have in common with that for which a graph was compiled."""
    if isinstance(x, torch.Tensor):
        return tuple(x.shape), x.stride(), x.dtype, x.device, x.requires_grad
    return exactly(x)


def _is_open(x):
    """Has it extents, or is it a number, that is not known yet?"""
    numbers = (torch.SymInt, torch.SymFloat, torch.SymBool)
    extents = x.shape if isinstance(x, torch.Tensor) else ()
    return isinstance(x, numbers) or any(isinstance(extent, numbers) for extent in extents)


# what a user of the backend may ask for: what `assay.compile` takes, but for the device
_SETTINGS = sorted({field.name for field in dataclasses.fields(Options)} - {"device"})


def assay_backend(graph_module, examples, *, mode=None, options=None):
    """The backend itself, registered under the name "assay" by the package's entry point.

    `options` are those of `torch.compile`, named as `assay.compile` names them."""
    if mode is not None:
        raise AssayError(f'mode="{mode}" is of another backend: leave it out for backend="assay"')
    settings = dict(options or {})
    unknown = sorted(settings.keys() - set(_SETTINGS))
    if unknown:
        raise AssayError(f"options {', '.join(unknown)}: backend=\"assay\" has {_SETTINGS}")
    if any(map(_is_open, examples)):
        return _ForSizes(graph_module, settings)
    return _compiled(graph_module, examples, settings)
