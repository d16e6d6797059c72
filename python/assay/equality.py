"""`assay.certify`: are two PyTorch functions equal, for all sizes and all real inputs?

The `assay` program judges what was exported of them.  Before its verdict is said, both functions are
run (eager.py): what is PROVED on trials, what is REFUTED at the counterexample.
"""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import torch

from . import eager, pairing, rerun, tool
from .compare import Comparison
from .errors import AssayError, ConstantsDiffer, SizesDiffer, Unsupported
from .exporting import export
from .program import Extents
from .running import by_place
from .shared_constants import share
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
    numbers of them.  `supposed` has, in words, what a function asked of memory, gradients and
    modes of PyTorch, and what the answers are in the claim.
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
    supposed: list = None

    def __bool__(self):
        return self.verdict == tool.PROVED

    @property
    def floats(self):
        """What the float test says of the second function against the first, in words; None where
        nothing is proved.  It is a test, and no part of the verdict."""
        return self.result.floats

    def __str__(self):
        read = "".join(f"supposed: {each}\n" for each in self.supposed or [])
        read += "".join(f"{x!r} is read as {text}\n" for x, text in (self.numbers or {}).items())
        read += "".join(f"{name} is {x!r}\n" for name, x in (self.arguments or {}).items())
        if self.scope != THESE_SIZES:
            read += "".join(
                f"{name} has the extents ({', '.join(dims)}): numbers are the examples'\n"
                for name, dims in (self.shapes or {}).items()
            )
        about = "not decided" if self.verdict == tool.UNKNOWN else "no claim about all sizes"
        narrowed = f"{about}: {self.narrowed}\n" if self.narrowed else ""
        said = self.result.output.strip()
        if self.verdict != self.result.verdict:
            return f"{self.verdict}, of {self.scope}\n{narrowed}{read}evidence in {self.result.directory}"
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
    if directory is None:
        directory = tempfile.mkdtemp(prefix="certify-", dir=tool.own_folder())
    directory = Path(directory)
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
            return general
        if not fixed:
            break
    try:
        verdict = _of_these_sizes(functions, examples, directory, seconds)
    except AssayError as problem:
        verdict = general
        if verdict is None and isinstance(problem, ConstantsDiffer):
            verdict = _refuted_by_running(functions, examples, directory, problem)
        if verdict is None:
            raise
    if general is not None and verdict.verdict == tool.UNKNOWN:
        verdict = general
    verdict.narrowed = verdict.narrowed or narrowed
    return verdict


def _of_all_sizes(functions, examples, dynamic, directory, seconds, literal):
    """The verdict about all sizes, and the sizes that the functions fix: of these something else
    may be true than of others.  Those are symbols, too, or with `literal` the numbers that they
    are."""
    extents = Extents(literal, exact=True)
    exported = [export(function, examples, dynamic) for function in functions]
    name = "open-sizes" if literal else "all-sizes"
    verdict = _judge(exported, directory / name, extents, seconds, ALL_SIZES)
    return _tried(verdict, functions, exported, examples), extents.fixed


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
    verdict = _judge(exported, directory / "these-sizes", extents, seconds, THESE_SIZES)
    return _tried(verdict, functions, exported, examples)


def _tried(verdict, functions, exported, examples):
    """The verdict where both functions, run by PyTorch, do not contradict it."""
    if verdict.verdict == tool.REFUTED:
        return _with_counterexample(verdict, functions, exported, examples)
    asked = [question for program in exported for question in program.seen.of_layout]
    verdict.supposed += _supposed(asked, functions, exported, examples)
    if verdict.verdict != tool.PROVED:
        return verdict
    try:
        trials = _trials(functions, exported, examples)
        alike = pairing.have_same_parameters(*exported)
        apart = eager.difference_of(*trials) if alike else None
        apart = apart and f"{apart}: of the functions as they run"
    except eager.Difference as problem:
        apart = str(problem)
    if apart:
        verdict.verdict = tool.UNKNOWN
        verdict.narrowed = f"what was exported is proved equal, but {apart}"
    return verdict


def _trials(functions, exported, examples):
    return [
        eager.check(function, program, examples)
        for function, program in zip(functions, exported)
    ]


def _supposed(asked, functions, exported, examples):
    """What the functions ask of memory, gradients and modes, and how that is answered."""
    if asked:
        places = ", ".join(map(str, asked))
        yield f"arguments lie in memory and want gradients as the examples do ({places})"
    modes = {}
    for function, program in zip(functions, exported):
        modes |= eager.modes_that_matter(function, examples, {}, program.seen.observed)
    for name, value in modes.items():
        yield f"{name} is {value}"


def _result_shapes(exported):
    """The shapes of the tensors that an exported program returns."""
    return [list(node.meta["val"].shape) for node in pairing.tensors_of(exported)]


def _judge(exported, directory, extents, seconds, scope):
    """The verdict on two exported programs."""
    for program in exported:
        _check_reads_no_number(program)
        graph = program.graph_module.graph
        count = sum(node.op == "call_function" for node in graph.nodes)
        if count > MOST_OPERATORS:
            place = getattr(graph, "place", None)
            raise AssayError(
                f"{place + ': ' if place else ''}{count} operators, more than {MOST_OPERATORS}: "
                "certify the parts of the program one by one"
            )
    rounded = share(*exported)
    first = Translator("given", extents, reading=True).run(exported[0])
    given = first.program
    suppose_alike(exported, first, extents)
    by_node = {node.name: taken for node, taken in zip(first.input_nodes, given.inputs)}
    which = pairing.inputs_of(*exported)
    like = {ours: by_node[name] for ours, name in which.items() if name in by_node}
    order = pairing.results_of(*exported)
    second = Translator("other", extents, like=like, reading=True).run(exported[1])
    other = second.program
    _check_inputs(second, like)
    for ours, theirs in enumerate(order):
        if ours in first.kept or theirs in second.kept:
            first.add_where_kept(ours)
            second.add_where_kept(theirs)
    other.outputs = [other.outputs[p] for p in order] + other.outputs[len(order) :]
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
    verdict.supposed = rounded + first.supposed + [x for x in second.supposed if x not in first.supposed]
    return verdict


def suppose_alike(exported, first, extents):
    """Extents that one name of a model stands for are one size."""
    inputs = dict(zip((node.name for node in first.input_nodes), first.program.inputs))
    kinds = torch.export.graph_signature.InputKind
    specs = exported[0].graph_signature.input_specs
    names = [spec.arg.name for spec in specs if spec.kind == kinds.USER_INPUT]
    for places in exported[0].seen.alike:
        found = [inputs[names[which]][2][axis] for which, axis in places if names[which] in inputs]
        for other in found[1:]:
            if other != found[0]:
                extents.suppose(f"{other} = {found[0]}")


def _check_reads_no_number(exported):
    """Unsupported where Python reads a number that depends on data."""
    nodes = exported.graph_module.graph.nodes
    if exported.seen.of_data and any("_local_scalar_dense" in str(n.target) for n in nodes):
        first = exported.seen.of_data[0]
        raise Unsupported(
            first.name, "reads a number out of a tensor: keep it as a tensor", first.place
        )


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


def _with_counterexample(verdict, functions, exported, examples):
    """A refutation with the counterexample, and what both functions give there; UNKNOWN where it is
    none of the functions as they run."""
    replay = verdict.result.report.get("replay")
    if pairing.has_constants(exported[0]):
        # what the functions bring along is an input like others in the claim, of any value
        otherwise = "if tensors that the functions bring along may be others"
        return _apart_at_a_trial(verdict, functions, exported, examples, otherwise)
    if replay is None:
        return verdict
    verdict.sizes = replay["sizes"]
    verdict.exact = {
        name: rerun.nested(tensor["shape"], tensor["values"])
        for name, tensor in replay["inputs"].items()
    }
    outside = rerun.beyond_types(replay["inputs"], verdict.types)
    if outside:
        otherwise = f"at integers that {outside} cannot hold"
        return _apart_at_a_trial(verdict, functions, exported, examples, otherwise)
    verdict.inputs = {
        name: rerun.tensor_of(tensor["shape"], tensor["values"], verdict.types[name])
        for name, tensor in replay["inputs"].items()
    }
    return _run_there(verdict, functions, exported, examples)


# two functions agree at a counterexample where no more than this times rounding is between them;
# and where they bring numbers of 32 bits along, which are rounded themselves, than rounding
_AS_GOOD_AS_SAME = 1e-6


def _bring_numbers(exported):
    """Whether functions bring tensors of real numbers along, as what rounding left of them."""
    kind = torch.export.graph_signature.InputKind.CONSTANT_TENSOR
    specs = [(p, spec) for p in exported for spec in p.graph_signature.input_specs]
    held = [p.constants[spec.target] for p, spec in specs if spec.kind == kind]
    return any(x.is_floating_point() and x.dtype != torch.float64 for x in held)


def _run_there(verdict, functions, exported, examples):
    """A refutation with what both functions give at the counterexample; where one of them raises
    there, at a trial where they differ.  UNKNOWN where there is none, or both give the same: in
    double precision, and in their own types, which a function may ask for."""
    for of_its_types in (False, True):
        found = [
            rerun.results(
                function,
                program,
                {place: verdict.inputs[name] for place, name in names.items()},
                of_its_types,
            )
            for function, (program, names) in zip(functions, verdict.places)
        ]
        problems = [problem for _, problem in found]
        if any(problems):
            which, problem = next((k, p) for k, p in enumerate(problems) if p is not None)
            said = (str(problem).splitlines() or [""])[0]
            where = f"where the {('first', 'second')[which]} function raises"
            otherwise = f"{where} ({type(problem).__name__}: {said})"
            return _apart_at_a_trial(verdict, functions, exported, examples, otherwise)
        verdict.outputs = tuple(results for results, _ in found)
        leaves = [by_place(results) for results in verdict.outputs]
        bound = 1 if of_its_types or _bring_numbers(exported) else _AS_GOOD_AS_SAME
        if Comparison(bound, infinities=True).difference(*leaves) is not None:
            return verdict
    verdict.verdict = tool.UNKNOWN
    verdict.narrowed = "refuted only where both functions, as they run, give the same"
    return verdict


def _apart_at_a_trial(verdict, functions, exported, examples, otherwise):
    """A refutation whose counterexample is none of the functions, with one of the examples' extents
    at which these, as they run, differ beyond rounding; UNKNOWN, refuted only `otherwise`, where no
    trial is one."""
    alike = pairing.have_same_parameters(*exported)  # others are of any value in the claim
    apart = eager.apart(functions, examples) if alike else None
    verdict.sizes = verdict.exact = verdict.inputs = None
    if apart is None:
        verdict.verdict = tool.UNKNOWN
        verdict.narrowed = f"refuted only {otherwise}"
        return verdict
    trial, verdict.narrowed, verdict.outputs = apart
    verdict.inputs = dict(enumerate(trial.values[0]))
    return verdict


def _refuted_by_running(functions, examples, directory, problem):
    """REFUTED where functions whose constants differ (`problem`), so that nothing is stated of them,
    differ beyond rounding as they run; else None."""
    apart = eager.apart(functions, examples)
    if apart is None:
        return None
    trial, said, outputs = apart
    result = tool.Result(tool.REFUTED, directory, f"{said}\nnothing is stated of them: {problem}")
    inputs = dict(enumerate(trial.values[0]))
    return Verdict(tool.REFUTED, result, THESE_SIZES, inputs=inputs, outputs=outputs)
