"""`assay.certify`: are two PyTorch functions equal, for all sizes and all real inputs?"""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import pairing, rerun, tool
from .errors import AssayError, SizesDiffer
from .exporting import export
from .program import Extents
from .translate import Translator

# Above this many operators a claim is not made: parts of it are easier to prove, and to use.
MOST_OPERATORS = 2000

SPECIFICATIONS = Path(__file__).with_name("torch_ops.sem")


ALL_SIZES = "all sizes that the functions leave open"
THESE_SIZES = "the sizes of the examples"


@dataclass
class Verdict:
    """PROVED, REFUTED or UNKNOWN; truthy only if proved.

    `scope` is what sizes the verdict is about, with what the theorem supposes of them because the
    functions asked for it or fix it, and `narrowed` why it is not about all, where no
    claim about all could be stated.  A refutation has `sizes`, `inputs` (integers and truths of
    the examples' types, others in double precision; exact values in `exact`), and what both
    functions give there.  `numbers` has the
    floating-point numbers that were read as a fraction or a root, and as which; `arguments` those
    arguments that are no tensors, and what they are in the claim; `shapes` has the extents of
    inputs of which some are numbers: a function fixes these, or they are 1, or torch.export made
    numbers of them.
    """

    verdict: str
    result: tool.Result
    scope: str = ALL_SIZES
    narrowed: str = None
    sizes: dict = None
    exact: dict = None
    inputs: dict = None
    outputs: tuple = None
    types: dict = None  # of the inputs
    places: list = None  # of both functions: the exported program, and which input a placeholder is
    numbers: dict = None
    arguments: dict = None
    shapes: dict = None  # of inputs with an extent that is a number in the claim: all extents

    def __bool__(self):
        return self.verdict == tool.PROVED

    def __str__(self):
        read = "".join(f"{x!r} is read as {text}\n" for x, text in (self.numbers or {}).items())
        read += "".join(f"{name} is {x!r}\n" for name, x in (self.arguments or {}).items())
        if self.scope != THESE_SIZES:
            read += "".join(
                f"{name} has the extents ({', '.join(dims)}): numbers are the examples'\n"
                for name, dims in (self.shapes or {}).items()
            )
        narrowed = f"no claim about all sizes: {self.narrowed}\n" if self.narrowed else ""
        said = self.result.output.strip()
        if self.verdict == tool.REFUTED and self.scope != THESE_SIZES:
            said += (
                "\nOf the sizes of the examples alone it may hold: certify(.., these_sizes=True)"
            )
        return f"{self.verdict}, of {self.scope}\n{narrowed}{read}{said}"


def certify(first, second, *examples, dynamic=None, directory=None, seconds=600, these_sizes=False):
    """Judges whether second(*x) = first(*x) wherever `first` is defined, in exact arithmetic.

    `examples` are tensors that say ranks and types; `dynamic` is `torch.export`'s
    dynamic_shapes, for sizes that shall stay apart although the examples agree in them.
    The claim is about all sizes.  Where it cannot be stated so, or is not proved while the
    functions fix sizes by themselves, it is judged again with these as numbers and the others open,
    and then at the sizes of the examples; with `these_sizes` that alone is judged.
    """
    directory = Path(directory or tempfile.mkdtemp(prefix="assay-certify-"))
    functions = (first, second)
    general = narrowed = None
    for literal in () if these_sizes else (False, True):
        try:
            general, fixed = _of_all_sizes(
                functions, examples, dynamic, directory, seconds, literal
            )
        except AssayError as problem:
            narrowed = narrowed or str(problem)  # where sizes are numbers it may be stated
            continue
        if general or (general.verdict == tool.REFUTED and not fixed):
            return _with_counterexample(general, first, second)
        if not fixed:
            break
    try:
        verdict = _of_these_sizes(functions, examples, directory, seconds)
    except AssayError:
        if general is None:
            raise
        verdict = general
    if general is not None and verdict.verdict == tool.UNKNOWN:
        verdict = general
    verdict.narrowed = narrowed
    return _with_counterexample(verdict, first, second)


def _of_all_sizes(functions, examples, dynamic, directory, seconds, literal):
    """The verdict about all sizes, and the sizes that the functions fix: of these something else
    may be true than of others.  Those are symbols, too, or with `literal` the numbers that they
    are."""
    extents = Extents(literal, exact=True)
    exported = [export(function, examples, dynamic) for function in functions]
    name = "open-sizes" if literal else "all-sizes"
    verdict = _judge(exported, directory / name, extents, seconds, ALL_SIZES)
    return verdict, extents.fixed


def _of_these_sizes(functions, examples, directory, seconds):
    exported = [export(function, examples, fixed=True) for function in functions]
    order = pairing.results_of(*exported)
    shapes = [_result_shapes(program) for program in exported]
    shapes[1] = [shapes[1][place] for place in order]
    if shapes[0] != shapes[1]:
        said = f"the results' shapes differ: {shapes[0]} and {shapes[1]}"
        outputs = tuple(function(*examples) for function in functions)
        result = tool.Result(tool.REFUTED, directory, said)
        return Verdict(tool.REFUTED, result, THESE_SIZES, outputs=outputs)
    extents = Extents(literal=True)
    return _judge(exported, directory / "these-sizes", extents, seconds, THESE_SIZES)


def _result_shapes(exported):
    """The shapes of the tensors that an exported program returns."""
    return [list(node.meta["val"].shape) for node in pairing.tensors_of(exported)]


def _judge(exported, directory, extents, seconds, scope):
    """The verdict on two exported programs."""
    for program in exported:
        graph = program.graph_module.graph
        count = sum(node.op == "call_function" for node in graph.nodes)
        if count > MOST_OPERATORS:
            place = getattr(graph, "place", None)
            raise AssayError(
                f"{place + ': ' if place else ''}{count} operators, more than {MOST_OPERATORS}: "
                "certify the parts of the program one by one"
            )
    first = Translator("given", extents, reading=True).run(exported[0])
    given = first.program
    by_node = {node.name: taken for node, taken in zip(first.input_nodes, given.inputs)}
    which = pairing.inputs_of(*exported)
    like = {ours: by_node[name] for ours, name in which.items() if name in by_node}
    order = pairing.results_of(*exported)
    second = Translator("other", extents, like=like, reading=True).run(exported[1])
    other = second.program
    _check_inputs(second, like)
    other.outputs = [other.outputs[place] for place in order]
    _share_names(second, like, given)
    directory.mkdir(parents=True, exist_ok=True)
    program, candidate = directory / "given.tp", directory / "other.mug"
    shutil.copy(SPECIFICATIONS, directory)  # a result holds all that its theorem relies on
    program.write_text(given.tp(SPECIFICATIONS.name))
    candidate.write_text(other.mug())
    arguments = ["certify", program, candidate, f"--within={seconds}"]
    result = tool.run(arguments, directory / "result", seconds + tool.GRACE)
    numbers = first.numbers_read | second.numbers_read
    where = f" where {', '.join(extents.hypotheses)}" if extents.hypotheses else ""
    verdict = Verdict(result.verdict, result, scope + where, numbers=numbers)
    names = {node.name: name for node, (name, *_) in zip(first.input_nodes, given.inputs)}
    verdict.types = {names[n.name]: n.meta["val"].dtype for n in first.input_nodes}
    theirs = {ours: names[name] for ours, name in which.items() if name in names}
    verdict.places = [(exported[0], names), (exported[1], theirs)]
    verdict.shapes = {n: d for n, _, d in given.inputs if any(each.isdigit() for each in d)}
    verdict.arguments = pairing.numbers_of(exported[0])
    if verdict.verdict == tool.REFUTED and pairing.has_constants(exported[0]):
        # what the function brings along is an input like others there, of any value
        verdict.verdict = tool.UNKNOWN
        verdict.narrowed = "refuted only if tensors that the functions bring along may be others"
    return verdict


def _check_inputs(second, like):
    """SizesDiffer where an input has not the extents of the one that it is in the first program."""
    for node, (_, _, dims) in zip(second.input_nodes, second.program.inputs):
        name, _, wanted = like[node.name]
        if dims != wanted:
            raise SizesDiffer(f"input {name} has extents {wanted} in one and {dims} in the other")


def _share_names(second, like, given):
    """Inputs and outputs of the second program get the names that they have in the first."""
    other = second.program
    taken = {old: like[node.name][0] for node, (old, *_) in zip(second.input_nodes, other.inputs)}
    other.rename(taken | {old: new for (_, old), (_, new) in zip(other.outputs, given.outputs)})


def _with_counterexample(verdict, first, second):
    """The verdict; of a refutation with the counterexample, and what both functions give there
    where their code lets them run."""
    replay = verdict.result.report.get("replay")
    if verdict.verdict != tool.REFUTED or replay is None:
        return verdict
    verdict.sizes = replay["sizes"]
    verdict.exact = {
        name: rerun.nested(tensor["shape"], tensor["values"])
        for name, tensor in replay["inputs"].items()
    }
    outside = rerun.beyond_types(replay["inputs"], verdict.types)
    if outside:
        verdict.verdict = tool.UNKNOWN
        verdict.narrowed = f"refuted only at integers that {outside} cannot hold"
        return verdict
    verdict.inputs = {
        name: rerun.tensor_of(tensor["shape"], tensor["values"], verdict.types[name])
        for name, tensor in replay["inputs"].items()
    }
    outputs = [
        rerun.results(
            function, exported, {place: verdict.inputs[name] for place, name in names.items()}
        )
        for function, (exported, names) in zip((first, second), verdict.places)
    ]
    verdict.outputs = None if None in outputs else tuple(outputs)
    exported, names = verdict.places[0]
    given = {place: verdict.inputs[name] for place, name in names.items()}
    if rerun.refuses_places(first, exported, given):
        verdict.verdict = tool.UNKNOWN
        verdict.narrowed = "refuted only at integers at which the first function is an error"
    return verdict
