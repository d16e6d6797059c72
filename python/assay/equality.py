"""`assay.certify`: are two PyTorch functions equal, for all sizes and all real inputs?"""

import math
import shutil
import tempfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import torch

from . import tool
from .errors import AssayError, SizesDiffer
from .program import Extents
from .translate import Translator, export

# Above this many operators a claim is not made: parts of it are easier to prove, and to use.
MOST_OPERATORS = 2000

SPECIFICATIONS = Path(__file__).with_name("torch_ops.sem")


@dataclass
class Verdict:
    """PROVED, REFUTED or UNKNOWN; truthy only if proved.

    A refutation has `sizes`, `inputs` (tensors of float64, exact values in `exact`), and what both
    functions give there.
    """

    verdict: str
    result: tool.Result
    sizes: dict = None
    exact: dict = None
    inputs: dict = None
    outputs: tuple = None
    order: list = None

    def __bool__(self):
        return self.verdict == tool.PROVED

    def __str__(self):
        return f"{self.verdict}\n{self.result.output.strip()}"


def certify(first, second, *examples, dynamic=None, directory=None, seconds=600):
    """Judges whether second(*x) = first(*x) wherever `first` is defined, in exact arithmetic.

    `examples` are tensors that say ranks and types; `dynamic` is `torch.export`'s
    dynamic_shapes, for sizes that shall stay apart although the examples agree in them.
    """
    directory = Path(directory or tempfile.mkdtemp(prefix="assay-certify-"))
    functions = (first, second)
    try:
        exported = [export(function, examples, dynamic) for function in functions]
        verdict, fixed = _judge(exported, directory / "all-sizes", Extents(), seconds)
    except SizesDiffer:
        verdict, fixed = None, True
    if verdict is None or (verdict.verdict != tool.PROVED and fixed):
        # a size that a program fixes was a symbol: what is false of others may hold of this one
        exported = [export(function, examples, fixed=True) for function in functions]
        verdict, _ = _judge(exported, directory / "these-sizes", Extents(literal=True), seconds)
    if verdict.verdict == tool.REFUTED:
        _counterexample(verdict, first, second)
    return verdict


def _judge(exported, directory, extents, seconds):
    """The verdict on two exported programs, and the sizes that are fixed in them."""
    for program in exported:
        graph = program.graph_module.graph
        count = sum(node.op == "call_function" for node in graph.nodes)
        if count > MOST_OPERATORS:
            place = getattr(graph, "place", None)
            raise AssayError(
                f"{place + ': ' if place else ''}{count} operators, more than {MOST_OPERATORS}: "
                "certify the parts of the program one by one"
            )
    given = Translator("given", extents).run(exported[0]).program
    other = Translator("other", extents, like=given).run(exported[1]).program
    _check_inputs(given, other)
    names = [name for _, name in given.outputs]
    if len(names) != len(other.outputs):
        raise AssayError(f"{len(names)} outputs against {len(other.outputs)}")
    _share_names(other, given, names)
    directory.mkdir(parents=True, exist_ok=True)
    program, candidate = directory / "given.tp", directory / "other.mug"
    shutil.copy(SPECIFICATIONS, directory)  # a result holds all that its theorem relies on
    program.write_text(given.tp(SPECIFICATIONS.name))
    candidate.write_text(other.mug())
    result = tool.run(["certify", program, candidate], directory / "result", seconds)
    verdict = Verdict(result.verdict, result)
    verdict.order = [name for name, _, _ in given.inputs]
    return verdict, extents.fixed


def _check_inputs(given, other):
    for (name, _, dims), (_, _, other_dims) in zip(given.inputs, other.inputs):
        if dims != other_dims:
            raise SizesDiffer(f"input {name} has extents {dims} in one and {other_dims} in the other")
    if len(given.inputs) != len(other.inputs):
        raise AssayError(f"{len(given.inputs)} inputs against {len(other.inputs)}")


def _share_names(other, given, outputs):
    """Inputs and outputs of `other` get the names that they have in `given`."""
    other.rename({old: new for (old, *_), (new, *_) in zip(other.inputs, given.inputs)}
                 | {old: new for (_, old), new in zip(other.outputs, outputs)})


def _counterexample(verdict, first, second):
    """Reads the counterexample and runs both functions on it, where its sizes let them run."""
    replay = verdict.result.report.get("replay")
    if replay is None:
        return
    verdict.sizes = replay["sizes"]
    verdict.exact = {
        name: _nested(tensor["shape"], tensor["values"])
        for name, tensor in replay["inputs"].items()
    }
    try:
        verdict.inputs = {
            name: _tensor(tensor["shape"], tensor["values"])
            for name, tensor in replay["inputs"].items()
        }
        ordered = [verdict.inputs[name] for name in verdict.order]
        verdict.outputs = (first(*ordered), second(*ordered))
    except (ValueError, KeyError, RuntimeError, TypeError):
        verdict.outputs = None  # the functions fix sizes that the counterexample does not have


def _tensor(shape, values):
    flat = [float(Fraction(value)) for value in values]
    return torch.tensor(flat, dtype=torch.float64).reshape(shape)


def _nested(shape, values):
    """The flat row-major values as lists of lists; of a tensor without axes, its one value."""
    if not shape:
        return values[0]
    stride = math.prod(shape[1:])
    return [
        _nested(shape[1:], values[row * stride : (row + 1) * stride]) for row in range(shape[0])
    ]
