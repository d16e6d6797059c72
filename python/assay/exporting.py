"""Exported programs: `torch.export` of a function or module in core ATen, and the user's lines."""

import inspect
import os
import re
import sysconfig
import threading
import traceback

import torch
import torch.nn.attention
from torch.overrides import TorchFunctionMode
from torch.fx.experimental import symbolic_shapes

from . import sequences
from .attention import InProducts, attention
from .errors import NotExported
from .masking import guard_what_is_left_out

# What torch.export keeps of a trace that is under way is the process's: one thread traces at a time.
TRACING = threading.RLock()

# frames of PyTorch, of this package and of Python's own library say nothing about the user's program
_NOT_THE_USERS = (os.path.dirname(torch.__file__), os.path.dirname(os.path.abspath(__file__)))
_STANDARD_LIBRARY = sysconfig.get_paths()["stdlib"] + os.sep


def _is_not_the_users(path):
    # what is installed by others lies below the standard library
    standard = path.startswith(_STANDARD_LIBRARY) and "-packages" not in path
    return standard or path.startswith(_NOT_THE_USERS) or path.startswith("<")


def place_of(node):
    """The user's file and line of a node, as `file.py:12`, from the trace that PyTorch keeps."""
    trace = node.meta.get("stack_trace") or ""
    found = re.findall(r'File "([^"]+)", line (\d+)', trace)
    frames = [f"{path}:{line}" for path, line in found if not _is_not_the_users(path)]
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


class NoOtherMemory(TorchFunctionMode):
    """Within it a function may not give a tensor another memory (`x.data = y`), of which
    torch.export sees nothing."""

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        if getattr(function, "__self__", None) is torch.Tensor.data and (
            function.__name__ == "__set__"
        ):
            raise RuntimeError("a tensor is given another memory (x.data = ..): write x.copy_(..)")
        return function(*arguments, **(keywords or {}))


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
    where = [f"{f.filename}:{f.lineno}" for f in frames if not _is_not_the_users(f.filename)]
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
    what a call of scaled_dot_product_attention becomes.  NotExported
    where torch.export does not follow the function.
    """
    whole = None
    if not isinstance(function, torch.nn.Module):
        whole = _place_of_function(function)
        function = module_of(function, len(examples))
    if dynamic is None and not fixed:
        auto = torch.export.Dim.AUTO
        dynamic = tuple(
            (
                {axis: auto for axis, extent in enumerate(x.shape) if extent > 1}
                if isinstance(x, torch.Tensor)
                else None
            )
            for x in examples
        )
    _check_plain((examples, keywords))
    examples, keywords = _apart((tuple(examples), keywords or None))
    # what attention.py leaves to PyTorch is taken apart, whatever kernel the device has for it
    plain = torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)
    states = sequences.states_as_buffers(function)
    with TRACING, torch.no_grad(), plain, states, InProducts(attention), sequences.AsWhole():
        try:
            with NoOtherMemory():
                exported = torch.export.export(function, examples, keywords, dynamic_shapes=dynamic)
            exported = exported.run_decompositions(sequences.decompositions(attention))
        except Exception as problem:  # noqa: BLE001  (PyTorch raises many kinds)
            raise _not_exported(problem, whole) from problem
    guard_what_is_left_out(exported.graph_module.graph)
    exported.graph_module.graph.place = whole
    return exported


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
