"""Whether two nodes of a graph are equal, as steps from the same nodes: judged by `assay certify`.

What was judged is kept like other results, under both statements, and checked anew when it is read.
"""

import shutil


from . import cache, tool
from .equality import SPECIFICATIONS
from .errors import Unsupported
from .program import Extents
from .translate import Translator

# seconds of a judgement; what takes longer is no proof
_WITHIN = 10


def region(node, reads):
    """The steps from nodes that are read to a node, in the order of the graph."""
    steps, waiting = set(), [node]
    while waiting:
        step = waiting.pop()
        if step not in steps and step not in reads:
            steps.add(step)
            waiting += step.all_input_nodes
    return [each for each in node.graph.nodes if each in steps]


def proved_equal(given, other, reads):
    """Whether a node is proved to equal another one for all values of those that both are made of,
    and all sizes where it can be stated of all."""
    for literal in (False, True):
        try:
            first, second = _stated(given, other, reads, literal)
        except Unsupported:
            continue
        if _is_proved(first, second):
            return True
    return False


def _stated(given, other, reads, literal):
    extents = Extents(literal=literal)
    first = Translator("given", extents, reading=True, long_names=False)
    _translate(first, given, reads)
    inputs = {n.name: taken for n, taken in zip(first.input_nodes, first.program.inputs)}
    second = Translator("other", extents, like=inputs, reading=True, long_names=False)
    _translate(second, other, [node for node in reads if node.name in inputs])
    theirs = zip(second.input_nodes, second.program.inputs)
    second.program.rename({old: inputs[node.name][0] for node, (old, *_) in theirs})
    names = zip(second.program.outputs, first.program.outputs)
    second.program.rename({old: new for (_, old), (_, new) in names})
    return first.program, second.program


def _translate(translator, result, reads):
    steps = region(result, reads)
    wanted = {source for step in steps for source in step.all_input_nodes}
    for node in dict.fromkeys(reads):
        if node in wanted:
            translator.add_input(node)
    for step in steps:
        if step.op != "call_function":
            raise Unsupported(step.op, f"{step.name} is no step")
        translator.attempt(step)
    if translator.failed:
        raise next(iter(translator.failed.values()))
    translator.add_output(result, 0)


def _is_proved(first, second):
    text, candidate = first.tp(SPECIFICATIONS.name), second.mug()

    def judge(directory):
        folder = directory.parent
        shutil.copy(SPECIFICATIONS, folder)
        (folder / "given.tp").write_text(text)
        (folder / "other.mug").write_text(candidate)
        arguments = ["certify", folder / "given.tp", folder / "other.mug", "-q", "--require=check"]
        arguments.append(f"--within={_WITHIN}")
        return tool.run(arguments, directory, _WITHIN + tool.GRACE)

    request = ["steps of a graph", cache.said(candidate), SPECIFICATIONS.read_text()]
    directory, _ = cache.certified(text, request, judge)
    return directory is not None
