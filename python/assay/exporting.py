"""Exported programs: `torch.export` of a function or module in core ATen, and the user's lines."""

import inspect
import re
import threading
import traceback
from dataclasses import dataclass, field

import torch
import torch.nn.attention
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx.experimental import symbolic_shapes
from torch.fx.experimental.proxy_tensor import make_fx

from . import sequences
from .attention import InProducts, attention
from .dispatched import operators_listed_once
from .eager import Observed
from .errors import NotExported
from .frames import is_not_the_users
from .masking import guard_what_is_left_out
from .path import Path, first_difference
from .questions import Questions

# What torch.export keeps of a trace that is under way is the process's: one thread traces at a time.
TRACING = threading.RLock()

def place_of(node):
    """The user's file and line of a node, as `file.py:12`, from the trace that PyTorch keeps."""
    trace = node.meta.get("stack_trace") or ""
    found = re.findall(r'File "([^"]+)", line (\d+)', trace)
    frames = [f"{path}:{line}" for path, line in found if not is_not_the_users(path)]
    return frames[-1] if frames else getattr(node.graph, "place", None)


def _place_of_function(function):
    """Where a plain function begins: PyTorch keeps lines only of what modules do."""
    code = getattr(function, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else None


def _with_signature(function, count):
    """The function itself, or for one written in C, which has no signature, a wrapper with one."""
    try:
        inspect.signature(function)
        return function
    except ValueError:
        pass

    def wrapper(*inputs):
        return function(*inputs)

    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    wrapper.__signature__ = inspect.Signature(
        [inspect.Parameter(f"x{i}", positional) for i in range(count)]
    )
    return wrapper


def signature_of(function):
    """The signature of a function or of what a module computes; None where it has none."""
    try:
        is_module = isinstance(function, torch.nn.Module)
        return inspect.signature(function.forward if is_module else function)
    except (TypeError, ValueError):
        return None


def module_of(function, count):
    """A function as a module, which is what torch.export takes; its parameters keep their names."""
    if isinstance(function, torch.nn.Module):
        return function

    class Function(torch.nn.Module):
        forward = staticmethod(_with_signature(function, count))

    return Function()


# What torch.export raises, and what a user can do about it; the first row that fits counts.
_ADVICE = (
    (
        symbolic_shapes.GuardOnDataDependentSymNode,
        "what runs, or an extent, depends on the data of a tensor",
        "say it by torch.where, or give the number as an argument that is no tensor",
    ),
    (
        Exception,
        "torch.export cannot follow this",
        "leave this part outside of what is compiled or certified",
    ),
)


def computes_otherwise(value):
    """Has a tensor a class with operators of its own in the place of PyTorch's?"""
    if type(value) in (torch.Tensor, torch.nn.Parameter):
        return False
    own = type(value).__torch_function__
    plain = getattr(own, "__func__", own) is torch.Tensor.__torch_function__.__func__
    return not plain and own is not torch._C._disabled_torch_function_impl


def _check_plain(examples):
    """NotExported for an example that has operators of its own: they would be left out."""
    for x in torch.utils._pytree.tree_leaves(examples):
        if isinstance(x, torch.Tensor) and computes_otherwise(x):
            raise NotExported(
                f"an example is a {type(x).__name__}, which has operators of its own"
                " (__torch_function__)",
                "give it as a plain tensor",
            )


def _not_exported(problem, whole):
    """The error in the user's words, at the innermost frame that is the user's, or where the
    function begins."""
    frames = traceback.extract_tb(problem.__traceback__)
    where = [f"{f.filename}:{f.lineno}" for f in frames if not is_not_the_users(f.filename)]
    reason, advice = next(row[1:] for row in _ADVICE if isinstance(problem, row[0]))
    said = str(problem).splitlines()
    reason = f"{reason} ({said[0]})" if said else reason
    return NotExported(reason, advice, where[-1] if where else whole)


def export(
    function, examples, dynamic=None, fixed=False, keywords=None, attention=attention
):
    """The exported program of a function or module, in core ATen operators.

    `dynamic` is torch.export's dynamic_shapes; without it every extent that the program does not
    fix by itself is a symbol, or with `fixed` every extent is the number that it is.  `attention` is
    what a call of scaled_dot_product_attention becomes.  NotExported where torch.export does not
    follow the function, or where the function does something else while it is exported.  The
    program's `seen` is what was seen of the function (Seen).
    """
    whole = None
    given = function
    if not isinstance(function, torch.nn.Module):
        whole = _place_of_function(function)
        function = module_of(function, len(examples))
    alike = []
    if dynamic is None and not fixed:
        dynamic = _all_open(function, examples)
        alike = function.alike() if hasattr(function, "alike") else []
    _check_plain((examples, keywords))
    observed = Observed(given, examples, keywords)
    examples, keywords = _apart((tuple(examples), keywords or None))
    # what attention.py leaves to PyTorch is taken apart, whatever kernel the device has for it
    plain = torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)
    states = sequences.states_as_buffers(function)
    # a transform of torch.func is traced by its own interpreter, and so at numbers alone
    traces = [lambda: function]
    if fixed and not keywords and not isinstance(given, torch.nn.Module):
        traces.append(lambda: make_fx(given, tracing_mode="fake")(*examples))
    with TRACING, plain, states, InProducts(attention), sequences.AsWhole(), operators_listed_once():
        for trace in traces:
            questions, path, exported, problem = Questions(), Path(), None, None
            try:
                with questions, path:
                    exported = torch.export.export(trace(), examples, keywords, dynamic_shapes=dynamic)
                with torch.no_grad():
                    exported = exported.run_decompositions(sequences.decompositions(attention))
            except Exception as raised:  # noqa: BLE001  (PyTorch raises many kinds)
                problem = raised
            loses = exported is not None and any(map(_is_of_a_trace, exported.constants.values()))
            if problem is None and not loses:
                break
    if problem is not None:
        raise _not_exported(problem, whole) from problem
    _check_seen(observed, questions, path, whole)
    _leave_out_unread(exported)
    if loses:
        raise NotExported(
            "torch.export loses a tensor of a transform (torch.func) that the function makes",
            "write out what the transform gives",
            whole,
        )
    exported.seen = Seen(observed, questions.of_layout, questions.of_data, alike)
    guard_what_is_left_out(exported.graph_module.graph)
    exported.graph_module.graph.place = whole
    return exported


def _is_of_a_trace(x):
    """Is it a tensor without numbers, which a trace or a transform has made?"""
    if not isinstance(x, torch.Tensor):
        return False
    wrapped = torch._C._functorch.is_functorch_wrapped_tensor(x)
    return wrapped or isinstance(x, FakeTensor) or torch._is_functional_tensor(x)


def _leave_out_unread(exported):
    """Removes tensors that a function brings along and does not read."""
    graph, specs = exported.graph_module.graph, exported.graph_signature.input_specs
    places = {node.name: node for node in graph.nodes if node.op == "placeholder"}
    constant = torch.export.graph_signature.InputKind.CONSTANT_TENSOR
    unread = [s for s in specs if s.kind == constant and not places[s.arg.name].users]
    for spec in unread:
        graph.erase_node(places[spec.arg.name])
    specs[:] = [spec for spec in specs if spec not in unread]
    exported.graph_module.recompile()


@dataclass
class Seen:
    """What was seen of a function: where it ran with the examples, and what it asked while it was
    exported: of how tensors lie and of gradients, and for numbers in tensors."""

    observed: Observed
    of_layout: list
    of_data: list
    alike: list  # places (argument, axis) whose extents are one, for each that are
    answers: dict = field(default_factory=dict)  # of examples, to questions of layout, by name
    modes: dict = field(default_factory=dict)  # those that matter, and what they were


def _all_open(function, examples):
    """torch.export's dynamic_shapes in which no extent of the examples is fixed but 0 and 1, and
    those that the module says it fixes (`is_fixed(argument, axis)`)."""
    auto = torch.export.Dim.AUTO
    is_fixed = getattr(function, "is_fixed", lambda place, axis: False)
    open_extents = tuple(
        (
            {axis: auto for axis, n in enumerate(x.shape) if n > 1 and not is_fixed(place, axis)}
            if isinstance(x, torch.Tensor)
            else None
        )
        for place, x in enumerate(examples)
    )
    return _by_parameters(function, open_extents)


def _by_parameters(function, given):
    """What is said of each argument, in the form that torch.export wants: those that one parameter
    (`*inputs`) takes together are one tuple."""
    signature = signature_of(function)
    parameters = list(signature.parameters.values()) if signature else []
    kinds = [p.kind for p in parameters]
    if inspect.Parameter.VAR_POSITIONAL not in kinds:
        return given
    before = kinds.index(inspect.Parameter.VAR_POSITIONAL)
    return (*given[:before], tuple(given[before:]))


def _check_seen(observed, questions, path, whole):
    """NotExported where the function asked what no claim can state, keeps something from call to
    call, or went another way than where it runs."""
    if observed.problem is not None:
        said = (str(observed.problem).splitlines() or [""])[0]
        raise NotExported(
            f"the function raises where it runs with the examples"
            f" ({type(observed.problem).__name__}: {said})",
            "give examples with which it runs",
            whole,
        )
    if questions.others:
        first = questions.others[0]
        raise NotExported(
            f"the function asks a tensor for its {first.name}, which other tensors of its extents"
            " and type answer otherwise",
            "leave this part outside of what is compiled or certified",
            first.place,
        )
    changes = observed.what_changes()
    if changes:
        raise NotExported(
            f"{changes} changes each time the function runs, and what is exported is one run",
            "give what changes as an argument, and return it",
            whole,
        )
    apart = first_difference(path.runs, observed.paths)
    if apart and path.is_whole and observed.is_whole:
        raise NotExported(
            "from here the function goes another way while torch.export follows it than where it"
            " runs",
            "do not ask what runs it, nor catch what it raises",
            apart,
        )


def _apart(examples):
    """The examples, each tensor in memory of its own: one that is given twice would be one input
    to torch.export, and what is said of the program would be of equal arguments alone."""
    memories = set()

    def apart(x):
        if not isinstance(x, torch.Tensor) or x.layout is not torch.strided:
            return x
        memory = x.untyped_storage().data_ptr()
        if memory not in memories:
            memories.add(memory)
            return x
        made = torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=x.device)
        return made.requires_grad_(x.requires_grad)

    return torch.utils._pytree.tree_map(apart, examples)
