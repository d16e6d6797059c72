"""`assay.compile`: a callable in which certified kernels do what they can and PyTorch the rest."""

import sys
import webbrowser
from dataclasses import dataclass

import torch

from . import cache, rounding
from .custom import as_operator
from .equality import SPECIFICATIONS
from .errors import AssayError, ToolError, Unsupported
from .islands import Island, divide, programs_of
from .kernels import Kernel
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
    operator: object  # torch.ops.assay.<name>


class Telling:
    """What users ask of a compiled program: of its `parts`, and of what is `left` to PyTorch."""

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


class GraphRunner(Telling):
    """A graph of ATen operators, divided into certified kernels and steps of PyTorch."""

    def __init__(self, graph, options, results=None):
        """`results` finds the certified result of a program's text; by default by a search."""
        self.options = options
        rounded = rounding.permitted() if options.device == "cuda" else ""
        self.results = results or cache.Search(SPECIFICATIONS, options.seconds, rounded=rounded)
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
            dtypes = [node.meta["val"].dtype for node in island.gives]
            operator = as_operator(kernel, text, dtypes)
            self.parts.append(Part(island.work, directory, kernel, text, operator))
            return _kernel_step(island, operator)
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


def check_alike(name, value, wanted):
    """AssayError for a value of other extents or type: PyTorch's steps would run with it, and give
    what nobody certified."""
    if not isinstance(wanted, torch.Tensor):
        return
    if not isinstance(value, torch.Tensor):
        raise AssayError(f"{name}: a tensor is wanted, not {type(value).__name__}")
    if value.shape != wanted.shape:
        raise AssayError(
            f"{name}: extents {tuple(value.shape)}, but the kernel is for {tuple(wanted.shape)}: "
            "compile for these, too (dynamic=True does it when they come, where no gradient is wanted)"
        )
    if value.dtype != wanted.dtype:
        raise AssayError(f"{name}: {value.dtype}, but the kernel is for {wanted.dtype}")


class Compiled(GraphRunner):
    """The result of `compile`: call it like the function that it was made of."""

    def __init__(self, exported, options, results=None):
        self._exported = exported
        super().__init__(exported.graph_module.graph, options, results)

    def __call__(self, *arguments, **keywords):
        leaves = torch.utils._pytree.tree_leaves((arguments, keywords))
        if torch.is_grad_enabled() and any(
            isinstance(x, torch.Tensor) and x.requires_grad for x in leaves
        ):
            raise AssayError(
                "an input wants a gradient, which its example did not: compile with gradients=True, "
                "or call under torch.no_grad()"
            )
        values = self._bound(arguments, keywords)
        results = self._updated(self.run(values), values)
        return torch.utils._pytree.tree_unflatten(results, self._exported.call_spec.out_spec)

    def _updated(self, results, values):
        """Writes what the program updates in place, and gives what it returns."""
        kinds = torch.export.graph_signature.OutputKind
        places = {node.name: value for node, value in values.items()}
        returned = []
        for result, spec in zip(results, self._exported.graph_signature.output_specs):
            if spec.kind == kinds.USER_OUTPUT:
                returned.append(result)
            elif spec.kind == kinds.USER_INPUT_MUTATION:
                places[spec.target].copy_(result)
            elif spec.kind == kinds.BUFFER_MUTATION:
                self._state(spec.target).copy_(result)
            else:
                raise AssayError(f"an output of kind {spec.kind} is not returned by kernels")
        return returned

    def _state(self, name):
        """A parameter, buffer or constant of the program."""
        exported = self._exported
        return exported.state_dict[name] if name in exported.state_dict else exported.constants[name]

    def _bound(self, arguments, keywords):
        """Values of the placeholders: parameters and constants of the program, then arguments."""
        flat, spec = torch.utils._pytree.tree_flatten((arguments, keywords))
        if spec != self._exported.call_spec.in_spec:
            raise AssayError(f"arguments of another form: {spec}")
        values = {}
        given = iter(flat)
        nodes = {n.name: n for n in self._exported.graph_module.graph.nodes if n.op == "placeholder"}
        kinds = torch.export.graph_signature.InputKind
        for item in self._exported.graph_signature.input_specs:
            node = nodes.get(getattr(item.arg, "name", None))
            value = next(given) if item.kind == kinds.USER_INPUT else self._state(item.target)
            if isinstance(item.arg, torch.export.graph_signature.ConstantArgument):
                if value != item.arg.value:
                    raise AssayError(
                        f"{item.arg.name} is {value!r}, but the program was made for "
                        f"{item.arg.value!r}: say dynamic=True for others"
                    )
            if node is not None:
                check_alike(node.name, value, node.meta.get("val"))
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


def _kernel_step(island, operator):
    def run(values):
        results = operator(*(values[node] for node in island.reads))
        results = results if isinstance(results, (tuple, list)) else [results]
        for node, result in zip(island.gives, results):
            values[node] = result

    return run


class CompiledForSizes:
    """A callable for tensors of any extents: what it was not made for yet is made when it comes.

    Certificates speak of all sizes; kernels are for some, so each set of extents has its own.
    """

    def __init__(self, function, examples, options):
        self._function = function
        self._options = options
        self._for = {}
        self._of(examples)

    def __call__(self, *arguments, **keywords):
        return self._of(arguments, keywords)(*arguments, **keywords)

    @property
    def sizes(self):
        """The sets of extents that there are kernels for."""
        return [extents for extents, _ in self._for]

    def _of(self, arguments, keywords=None):
        leaves, form = torch.utils._pytree.tree_flatten((arguments, keywords or {}))
        extents = tuple(tuple(x.shape) for x in leaves if isinstance(x, torch.Tensor))
        other = tuple(x for x in leaves if not isinstance(x, torch.Tensor))
        key = (extents, (other, form))
        if key not in self._for:
            exported = export(self._function, arguments, fixed=True, keywords=keywords)
            self._for[key] = Compiled(exported, self._options)
        return self._for[key]

    def __getattr__(self, name):
        """What is asked of the certified parts is that of the first set of extents."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(next(iter(self._for.values())), name)


def compile(function, *examples, dynamic=None, gradients=None, **options):
    """A callable with the signature of `function`, certified for the extents of the examples.

    With `dynamic` (True) tensors of other extents are welcome, too: kernels for them are made, or
    found on disk, when they first come.  With `gradients` (by default where an example wants one)
    results can be differentiated: the backward is a program of its own, certified like the forward.
    """
    options = Options(**options)
    if options.device is None:
        leaves = torch.utils._pytree.tree_leaves(examples)
        on_gpu = any(isinstance(x, torch.Tensor) and x.is_cuda for x in leaves)
        options.device = "cuda" if on_gpu else "cpu"
    if gradients is None:
        leaves = torch.utils._pytree.tree_leaves(examples)
        gradients = any(isinstance(x, torch.Tensor) and x.requires_grad for x in leaves)
    if gradients and dynamic:
        raise AssayError("gradients=True is for the extents of the examples: leave out dynamic=True")
    if gradients:
        from .gradient import Differentiable  # it loads much of PyTorch that others do not want

        return Differentiable(function, examples, options)
    if dynamic:
        return CompiledForSizes(function, examples, options)
    return Compiled(export(function, examples, fixed=True), options)
