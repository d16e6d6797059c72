"""`assay.compile`: a callable in which certified kernels do what they can and PyTorch the rest."""

import sys
import webbrowser
from dataclasses import dataclass

import torch

from . import cache
from .equality import SPECIFICATIONS
from .errors import AssayError, ToolError, Unsupported
from .islands import Island, divide, programs_of
from .kernels import Kernel
from .program import Extents
from .translate import export, place_of


@dataclass
class Options:
    """What a user may ask for; all of it is part of the cache's key."""

    device: str = None  # "cuda" or "cpu" (emulation); by default where the examples are
    seconds: int = 20  # of search for each island
    least_work: int = 2  # an island of fewer computing operators is left to PyTorch
    strict: bool = False  # an error, and no PyTorch, for what cannot be certified
    quiet: bool = False


@dataclass
class Part:
    """One certified island of a compiled program."""

    operators: int
    directory: object
    kernel: Kernel
    program: str


class GraphRunner:
    """A graph of ATen operators, divided into certified kernels and steps of PyTorch."""

    def __init__(self, graph, options, results=None):
        """`results` finds the certified result of a program's text; by default by a search."""
        self.options = options
        self.results = results or cache.Search(SPECIFICATIONS, options.seconds)
        self.parts = []
        self.left = []
        self.graph = graph
        pieces, reasons = divide(graph, options.least_work)
        self._steps = [self._step(piece, reasons) for piece in pieces]
        if options.strict and self.left:
            raise AssayError("not all of the program is certified:\n" + self.summary())
        if not options.quiet:
            print(self.summary(), file=sys.stderr)

    # -- making ----------------------------------------------------------------------------------

    def _step(self, piece, reasons):
        """What runs one piece: a function from the values so far to the piece's results."""
        if not isinstance(piece, Island):
            self._leave([piece], reasons.get(piece) or "too little work for a kernel")
            return _eager([piece])
        try:
            return self._certified(piece)
        except (Unsupported, ToolError) as problem:
            self._leave(piece.nodes, problem)
            return _eager(piece.nodes)

    def _leave(self, nodes, reason):
        for node in nodes:
            if str(node.target).startswith("aten."):
                self.left.append((str(node.target), str(reason), place_of(node)))

    def _certified(self, island):
        """The kernel of an island: of the most general statement of it that can be certified."""
        problem = None
        for _, program in programs_of(island, f"island{len(self.parts)}"):
            text = program.tp(SPECIFICATIONS.name)
            try:
                directory = self.results.find(text)
            except ToolError as failed:
                problem = problem or failed
                continue
            kernel = Kernel(directory, self.options.device)
            self.parts.append(Part(island.work, directory, kernel, text))
            return _kernel_step(island, kernel)
        raise problem

    # -- running ---------------------------------------------------------------------------------

    def run(self, values):
        """Runs all steps; `values` holds those of the placeholders, the results are a list."""
        for step in self._steps:
            step(values)
        outputs = self.graph.output_node().args[0]
        return [values[o] if isinstance(o, torch.fx.Node) else o for o in outputs]

    def run_flat(self, *arguments):
        """Runs with the values of the placeholders, in order."""
        places = (node for node in self.graph.nodes if node.op == "placeholder")
        return self.run(dict(zip(places, arguments)))

    # -- telling ---------------------------------------------------------------------------------

    def summary(self):
        """What was certified, and what was left to PyTorch and why."""
        lines = []
        for part in self.parts:
            lines.append(f"assay: {part.operators} operators certified in {part.directory}")
        for target, reason, place in self.left:
            lines.append(f"assay: {place or 'somewhere'}: {target} stays with PyTorch: {reason}")
        return "\n".join(lines or ["assay: nothing to do"])

    @property
    def certificate(self):
        """Texts of the certificates, one for each certified part."""
        return [(p.directory / "certificate.cert").read_text() for p in self.parts]

    @property
    def mugraph(self):
        return [(p.directory / "candidate.mug").read_text() for p in self.parts]

    @property
    def kernel_source(self):
        return [(p.directory / "kernel.cu").read_text() for p in self.parts]

    def report(self):
        """Opens the report page of each certified part, and gives their paths."""
        pages = [p.directory / "report.html" for p in self.parts]
        for page in pages:
            webbrowser.open(page.as_uri())
        return pages


class Compiled(GraphRunner):
    """The result of `compile`: call it like the function that it was made of."""

    def __init__(self, exported, options, results=None):
        self._exported = exported
        super().__init__(exported.graph_module.graph, options, results)

    def __call__(self, *arguments):
        if torch.is_grad_enabled() and any(
            isinstance(a, torch.Tensor) and a.requires_grad for a in arguments
        ):
            raise AssayError("an input wants a gradient: certified backward kernels do not exist yet")
        flat = self.run(self._bound(arguments))
        return torch.utils._pytree.tree_unflatten(flat, self._exported.call_spec.out_spec)

    def _bound(self, arguments):
        """Values of the placeholders: parameters and constants of the program, then arguments."""
        flat, spec = torch.utils._pytree.tree_flatten((arguments, {}))
        if spec != self._exported.call_spec.in_spec:
            raise AssayError(f"arguments of another form: {spec}")
        values = {}
        given = iter(flat)
        nodes = {n.name: n for n in self._exported.graph_module.graph.nodes if n.op == "placeholder"}
        kinds = torch.export.graph_signature.InputKind
        for item in self._exported.graph_signature.input_specs:
            node = nodes.get(getattr(item.arg, "name", None))
            if item.kind == kinds.USER_INPUT:
                value = next(given)
            elif item.target in self._exported.state_dict:
                value = self._exported.state_dict[item.target]
            else:
                value = self._exported.constants[item.target]
            if node is not None:
                values[node] = value
        return values


def _eager(nodes):
    """Runs nodes as PyTorch does."""

    def run(values):
        for node in nodes:
            look_up = lambda n: values[n]  # noqa: E731
            arguments = torch.fx.node.map_arg(node.args, look_up)
            keywords = torch.fx.node.map_arg(node.kwargs, look_up)
            values[node] = node.target(*arguments, **keywords)

    return run


def _kernel_step(island, kernel):
    dtypes = [node.meta["val"].dtype for node in island.gives]

    def run(values):
        results = kernel(*(values[node] for node in island.reads))
        for node, result, dtype in zip(island.gives, results, dtypes):
            values[node] = result.to(dtype)

    return run


def compile(function, *examples, dynamic=None, **options):
    """A callable with the signature of `function`, certified for the extents of the examples."""
    options = Options(**options)
    if options.device is None:
        on_gpu = any(isinstance(x, torch.Tensor) and x.is_cuda for x in examples)
        options.device = "cuda" if on_gpu else "cpu"
    return Compiled(export(function, examples, dynamic, fixed=True), options)
