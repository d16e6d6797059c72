"""Functions with gradients: the forward and the backward program, each in certified kernels.

PyTorch differentiates: AOT autograd traces a function together with its backward pass, and the
joint graph is cut in two, with what the backward needs of the forward among the forward's results.
Each of the two is a graph of ATen operators like any other, and is certified as one: each kernel
computes what that graph says.  That the graph is the derivative is PyTorch's word.
"""

import torch
import torch.nn.attention
from torch._decomp import core_aten_decompositions
from torch._functorch.aot_autograd import aot_export_joint_simple
from torch._functorch.partitioners import min_cut_rematerialization_partition

from .attention import InProducts
from .compiled import GraphRunner, Telling, another_form, check_alike
from .copies import Origin
from .errors import AssayError, NotExported
from .exporting import TRACING, module_of
from .questions import Questions
from .state import Mode, autocast, check_autocast


def decompositions(differentiated=True):
    """Core ATen, but for what replaces infinities and NaN (see sequences.decompositions) and, where
    it is `differentiated`, for what is decomposed without what its backward wants: PyTorch's
    decomposition of attention for the CPU gives another tensor in the place of the logarithms of
    sums."""
    table = core_aten_decompositions()
    del table[torch.ops.aten.nan_to_num.default]
    if differentiated:
        del table[torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default]
    return table


_flatten = torch.utils._pytree.tree_flatten
_unflatten = torch.utils._pytree.tree_unflatten


def _wants_gradient(value):
    return isinstance(value, torch.Tensor) and value.requires_grad


class Differentiable(Telling):
    """A callable whose results can be differentiated; `forward` and `backward` run the two
    programs.

    Certified for the extents, types and wishes for gradients of the examples.
    """

    def __init__(self, function, examples, options, results=None):
        self._origin = Origin(_differentiable, function, examples, options)
        self._module = module_of(function, len(examples))
        self._examples, self._form = _flatten((examples, {}))
        self._state_names = [
            *(name for name, _ in self._module.named_parameters()),
            *(name for name, _ in self._module.named_buffers()),
        ]
        self._result_form = None
        self._device = options.device
        self._mode = Mode(function)
        self._autocast = autocast(options.device)
        inputs = [*self._state(), *self._tensors(self._examples)]
        if not any(map(_wants_gradient, inputs)):
            raise AssayError(
                "no example and no parameter wants a gradient: leave out gradients=True"
            )
        joint = self._joint_graph(inputs)
        self._check_gradients(joint.graph)
        forward, backward = min_cut_rematerialization_partition(
            joint, inputs, num_fwd_outputs=self._count
        )
        given = [node for node in forward.graph.nodes if node.op == "placeholder"]
        results_of_forward = forward.graph.output_node().args[0]
        self._plan_backward(given, results_of_forward, backward.graph)
        self.forward = GraphRunner(forward.graph, options, results)
        self.backward = GraphRunner(backward.graph, options, results)

    def __reduce__(self):
        return Origin.copy, (self._origin,)

    # -- making ----------------------------------------------------------------------------------

    def _joint_graph(self, inputs):
        """Forward and backward in one graph of core ATen, of flat inputs."""

        def flat(*values):
            count = len(self._state_names)
            state = dict(zip(self._state_names, values))
            tensors = iter(values[count:])
            leaves = [next(tensors) if isinstance(x, torch.Tensor) else x for x in self._examples]
            arguments, keywords = _unflatten(leaves, self._form)
            made = torch.func.functional_call(self._module, state, arguments, keywords)
            results, self._result_form = _flatten(made)
            if not all(isinstance(result, torch.Tensor) for result in results):
                raise AssayError("a result that is no tensor has no gradient: return tensors alone")
            self._count = len(results)
            return tuple(map(torch.clone, results))  # which are views of nothing

        plain = torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)
        with TRACING, torch.enable_grad(), plain, InProducts(), Questions():
            try:
                return aot_export_joint_simple(
                    flat, tuple(inputs), trace_joint=True, decompositions=decompositions()
                )
            except AssayError:
                raise
            except Exception as problem:  # noqa: BLE001  (PyTorch raises many kinds)
                said = (str(problem).splitlines() or [type(problem).__name__])[0]
                raise NotExported(
                    f"AOT autograd cannot trace this with its gradients ({said})",
                    "leave what updates its inputs in place outside of what is differentiated",
                ) from problem

    def _check_gradients(self, joint):
        """AssayError unless each result has a gradient: the graph numbers those that have one."""
        found = sum(node.name.startswith("tangents_") for node in joint.nodes)
        if found != self._count:
            raise AssayError(
                f"{self._count - found} of {self._count} results depend on nothing that wants a "
                "gradient: return them from a function of their own"
            )

    def _plan_backward(self, given, results_of_forward, backward):
        """Where each input of the backward program is found: among the inputs of the forward one
        or its results, or as the gradient of a result."""
        self._inputs_kept = []
        self._results_kept = []
        sources = []
        places = {node.name: place for place, node in enumerate(given)}
        made = {}
        for place, node in enumerate(results_of_forward):
            if isinstance(node, torch.fx.Node):
                made.setdefault(node.name, place)
        for node in backward.nodes:
            if node.op != "placeholder":
                continue
            if node.name in places:
                sources.append(("input", self._index(self._inputs_kept, places[node.name])))
            elif node.name in made:
                sources.append(("result", self._index(self._results_kept, made[node.name])))
            elif node.name.startswith("tangents_"):
                sources.append(("gradient", int(node.name.split("_")[1]) - 1))
            else:
                raise AssayError(f"{node.name}: the backward program wants what nothing gives it")
        self._sources = sources

    @staticmethod
    def _index(kept, place):
        if place not in kept:
            kept.append(place)
        return kept.index(place)

    # -- running ---------------------------------------------------------------------------------

    def _state(self):
        found = dict(self._module.named_parameters()) | dict(self._module.named_buffers())
        return [found[name] for name in self._state_names]

    @staticmethod
    def _tensors(leaves):
        return [x for x in leaves if isinstance(x, torch.Tensor)]

    def __call__(self, *arguments, **keywords):
        check_autocast(self._device, self._autocast)
        self._mode.check()
        leaves, form = _flatten((arguments, keywords))
        if form != self._form:
            raise AssayError(another_form(form, self._form))
        for place, (value, example) in enumerate(zip(leaves, self._examples)):
            check_alike(f"argument {place}", value, example)
            if _wants_gradient(value) and not _wants_gradient(example):
                raise AssayError(f"argument {place} wants a gradient, which its example did not")
        results = _Run.apply(self, *self._state(), *self._tensors(leaves))
        return _unflatten(list(results[: self._count]), self._result_form)

    # -- telling ---------------------------------------------------------------------------------

    @property
    def parts(self):
        return self.forward.parts + self.backward.parts

    @property
    def left(self):
        return self.forward.left + self.backward.left


def _differentiable(function, examples, options, _):
    return Differentiable(function, examples, options)


class _Run(torch.autograd.Function):
    """One call: the forward program now, the backward program when gradients come."""

    @staticmethod
    def forward(context, owner, *values):
        results = owner.forward.run_flat(*values)
        kept = [values[place] for place in owner._inputs_kept]
        made = [results[place] for place in owner._results_kept]
        context.owner = owner
        context.save_for_backward(*kept, *made)
        own = tuple(results[: owner._count])
        return own

    @staticmethod
    def backward(context, *gradients):
        if (
            torch.is_grad_enabled()
        ):  # asked for with create_graph: what is given would have no graph
            raise AssayError(
                "a second derivative is asked for (create_graph=True): kernels have first ones; "
                "differentiate the function itself"
            )
        owner = context.owner
        count = len(owner._inputs_kept)
        saved = context.saved_tensors
        found = {
            "input": saved[:count],
            "result": saved[count:],
            "gradient": [gradient.contiguous() for gradient in gradients],
        }
        return (None, *owner.backward.run_flat(*(found[kind][at] for kind, at in owner._sources)))
