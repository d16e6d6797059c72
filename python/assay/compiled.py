"""`assay.compile`: a callable in which certified kernels do what they can and PyTorch the rest."""

import functools
import json
import sys
import threading
import webbrowser
from dataclasses import dataclass

import torch
from torch.autograd import forward_ad

from . import cache, eager, measured, rounding, tool
from .memory import may_overlap
from .attention_step import as_step
from .contested import EAGER, INDUCTOR, Contested, Inductor, Measuring
from .copies import Origin, has_minus_infinity
from .custom import as_operator
from .direct import direct_of, is_plain, is_watched
from .equality import SPECIFICATIONS
from .errors import AssayError, ToolError, Unsupported
from .exporting import computes_otherwise, export, place_of, signature_of
from .first_call import check_first
from .islands import Island, View, divide, programs_of
from .kernels import Kernel
from .measured import OURS, Contest
from .nodes import run_as
from .once import made_once
from .questions import answers
from .state import Mode, State, autocast, check_autocast
from .translate import MINUS_INFINITY
from .whole import most_from_outside


@dataclass
class Options:
    """What a user may ask for; all of it is part of the cache's key."""

    device: str = None  # "cuda" or "cpu" (emulation); by default where the examples are
    seconds: int = 20  # of search, for all islands together
    least_work: int = 2  # an island of fewer computing operators is left to PyTorch
    strict: bool = False  # an error, and no PyTorch, for what cannot be certified
    quiet: bool = False
    # whether a matrix product alone may be a call of cuBLASLt: "auto", "never" or "always"; by
    # default auto on a GPU, where PyTorch has loaded that library
    library: str = None
    # whether such a call takes the fastest of the library's algorithms, found when it first runs on
    # a GPU and kept in the cache, or the first that the library names
    timed: bool = True
    # whether parts, and the whole, are timed beside PyTorch when they first run on a GPU, and stay
    # with it where it is faster (measured.py)
    never_slower: bool = True
    # whether candidates that compute worse in floats than what was written may be chosen
    fast_floats: bool = False

    def __post_init__(self):
        if self.library not in (None, "auto", "never", "always"):
            raise AssayError(f"library={self.library!r}: auto, never or always")

    @property
    def calls(self):
        return self.library or ("auto" if self.device == "cuda" else "never")


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
            floats = tool.floats_of(part.directory)
            if floats:
                lines.append(f"assay:   floats: {floats}")
            trial = tool.trial_of(part.directory)
            if trial:
                lines.append(f"assay:   trial: {trial[1]}")
            if part.kernel.calls:
                lines.append(
                    f"assay: a product in it is a call of {part.kernel.calls}, believed, not"
                    " validated"
                )
        for target, reason, place in self.left:
            lines.append(f"assay: {place or 'somewhere'}: {target} stays with PyTorch: {reason}")
        return "\n".join(lines or ["assay: nothing to do"])

    @property
    def tried(self):
        """Of each certified part whether its kernels ran under the emulation before they were handed
        out; None where its report does not say."""
        trials = [tool.trial_of(part.directory) for part in self.parts]
        return [trial and trial[0] for trial in trials]

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


def _predicted(directory):
    """What the cost model says of a result, in words; empty where its report has none."""
    try:
        us = json.loads((directory / "report.json").read_text())["tiling"]["model_us"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return f", predicted {us:.1f} us"


def _held(graph, node):
    """The tensor that a node of a graph names: one that the function makes of numbers."""
    return functools.reduce(getattr, node.target.split("."), graph.owning_module).detach()


class GraphRunner(Telling):
    """A graph of ATen operators, divided into certified kernels and steps of PyTorch."""

    def __init__(self, graph, options, results=None, rivals=(EAGER,)):
        """`results` finds the certified result of a program's text; by default by a search.
        `rivals` are the ways of PyTorch that certified parts are timed beside."""
        self.options = options
        self.measured = []  # lines of what was timed
        self._whole = None  # all parts together as a step, where it may be TorchInductor's
        timer = measured.timer_of(options.device)
        self.measuring = None
        if options.never_slower and not options.strict and timer is not None:
            self.measuring = Measuring(timer, measured.Kept(), self._tell, rivals)
        if results is None:
            tool.find_tool()  # an error now: without it PyTorch would do everything
        rounded = rounding.permitted() if options.device == "cuda" else ""
        self.results = results or cache.Search(
            SPECIFICATIONS,
            options.seconds,
            library=options.calls,
            rounded=rounded,
            fast_floats=options.fast_floats,
        )
        self.parts = []
        self.left = []
        self.graph = graph
        pieces, reasons = divide(graph, options.least_work)
        self._shares = cache.Shares(options.seconds, sum(isinstance(p, Island) for p in pieces))
        self._pieces = pieces
        self._kernels = cache.Once()  # of directories
        made = cache.side_by_side(self._made, pieces)
        self._steps = [self._step(*each, reasons) for each in zip(pieces, made)]
        self._places = [node for node in graph.nodes if node.op == "placeholder"]
        self._results = graph.output_node().args[0]
        self._held = {n: _held(graph, n) for n in graph.nodes if n.op == "get_attr"}
        self._rounded = (torch.float16,) if rounded else ()  # TF32 has as many digits
        self._is_tried = not self.parts
        if options.strict and self.left:
            raise AssayError("not all of the program is certified:\n" + self.summary())
        if not options.quiet:
            print(self.summary(), file=sys.stderr)

    # -- making ----------------------------------------------------------------------------------

    def _made(self, piece):
        """The kernel of an island with its program's text, or why there is none."""
        if not isinstance(piece, Island):
            return None
        try:
            return self._certified(piece)
        except (Unsupported, ToolError) as problem:
            return problem

    def _step(self, piece, made, reasons):
        """What runs one piece: a function from the values so far to the piece's results."""
        if not isinstance(piece, Island):
            self._leave([piece], reasons.get(piece) or "too little work for a kernel")
            return _eager([piece])
        if isinstance(made, Exception):
            self._leave(piece.nodes, made)
            return _eager(piece.nodes)
        kernel, text = made
        kernel.most_whole = min(kernel.most_whole, most_from_outside(piece.nodes))
        types = list(piece.types())
        operator = as_operator(kernel, text, types)
        self.parts.append(Part(piece.work, kernel.directory, kernel, text, operator))
        step = _kernel_step(piece, kernel, types, operator)
        if self.measuring is None:
            return step
        title = f"part {len(self.parts)} ({piece.work} operators{_predicted(kernel.directory)})"
        name = (text, kernel.directory.name, *map(str, piece.nodes))
        return self.measuring.step(title, name, step, _eager(piece.nodes), piece)

    def _tell(self, line):
        self.measured.append(line)
        if not self.options.quiet:
            print(f"assay: {line}", file=sys.stderr)

    def _leave(self, nodes, reason):
        for node in () if isinstance(reason, View) else nodes:
            if isinstance(node.target, torch._ops.OpOverload):
                self.left.append((str(node.target), str(reason), place_of(node)))

    def _certified(self, island):
        """The kernel of an island, of the most general statement of it that can be certified, and
        that statement."""
        problem = None
        seconds = self._shares.next()
        for _, program in programs_of(island, "island"):
            text = program.tp(SPECIFICATIONS.name)
            try:
                directory = self.results.find(text, seconds)
            except ToolError as failed:
                problem = problem or failed
                continue
            make = functools.partial(Kernel, directory, self.options.device, self.options.timed)
            return self._kernels.get(directory, make), text
        raise problem

    # -- running ---------------------------------------------------------------------------------

    def run(self, values):
        """Runs all steps; `values` holds those of the placeholders, the results are a list."""
        values |= self._held
        given = None if self._is_tried or is_watched() else dict(values)
        for step in self._steps:
            step(values)
        results = [values[o] if isinstance(o, torch.fx.Node) else o for o in self._results]
        if given is not None:
            with torch.no_grad():
                self._is_tried = check_first(self.graph, given, results, self._rounded)
        return results

    def run_flat(self, *arguments):
        """Runs with the values of the placeholders, in order."""
        return self.run(dict(zip(self._places, arguments)))

    def beside_inductor(self):
        """A function like run_flat that TorchInductor may run as a whole instead, where it is
        faster than all parts together."""
        one_part = len(self._steps) == 1 and self.parts  # which is the whole
        if self.measuring is None or not self._steps or one_part:
            return self.run_flat
        reads = [*self._places, *self._held]
        results = [o for o in self._results if isinstance(o, torch.fx.Node)]
        steps = [node for node in self.graph.nodes if node.op == "call_function"]
        made = list(dict.fromkeys(r for r in results if r not in reads))

        def parts(values):
            for step in self._steps:
                step(values)

        ways = {OURS: parts, INDUCTOR: Inductor(steps, reads, made)}
        name, margin = self.name_of_whole(), measured.MARGIN_OF_WHOLE
        whole = Contested("the whole", name, ways, reads, self.measuring, margin)
        self._whole = whole

        def run(*arguments):
            values = dict(zip(self._places, arguments)) | self._held
            (whole if whole.chosen is not None else parts)(values)
            if self.measuring.is_decided:
                whole.settle(values)
            return [values[o] if isinstance(o, torch.fx.Node) else o for o in self._results]

        return run

    @property
    def is_settled(self):
        """Whether all that is timed beside PyTorch was timed."""
        whole = self._whole is None or self._whole.chosen is not None
        return self.measuring.is_decided and whole

    def name_of_whole(self):
        """What the times of all parts together depend on."""
        parts = [part.directory.name for part in self.parts]
        return (*parts, str(self.graph), *(str(n.meta.get("val")) for n in self._places))


def another_form(given, wanted):
    """What is said of arguments that are put together otherwise than the examples."""

    class Each:
        def __repr__(self):
            return ".."

    def said(form):
        return torch.utils._pytree.tree_unflatten([Each()] * form.num_leaves, form)

    (given, by_name), (examples, examples_by_name) = said(given), said(wanted)
    return (
        f"arguments of another form: {given}, by name {by_name}; the examples were {examples}, by "
        f"name {examples_by_name}: compile with examples of this form"
    )


def check_alike(name, value, wanted):
    """AssayError for another number, or for a tensor of other extents or type: PyTorch's steps
    would run with it, and give what nobody certified."""
    if isinstance(wanted, torch.Tensor):
        check_tensor(name, value, tuple(wanted.shape), wanted.dtype)
    elif exactly(value) != exactly(wanted):
        raise AssayError(f"{name} is {value!r}, but the program was made for {wanted!r}")


def exactly(value):
    """What tells an argument that is no tensor from others: 2, 2.0 and True are not the same, nor
    are 0.0 and -0.0."""
    return type(value), value.hex() if isinstance(value, float) else value


def check_tensor(name, value, extents, dtype):
    """The same, of a tensor."""
    if not isinstance(value, torch.Tensor):
        raise AssayError(f"{name}: a tensor is wanted, not {type(value).__name__}")
    if value.layout is not torch.strided:
        raise AssayError(f"{name}: a tensor with strides is wanted, not {value.layout}")
    if computes_otherwise(value):
        raise AssayError(
            f"{name}: a {type(value).__name__} has operators of its own (__torch_function__), which"
            " kernels do not call: give it as a plain tensor"
        )
    if value.shape != extents:
        raise AssayError(
            f"{name}: extents {tuple(value.shape)}, but the kernel is for {extents}: compile for"
            " these, too (dynamic=True does it when they come, where no gradient is wanted)"
        )
    if value.dtype != dtype:
        raise AssayError(f"{name}: {value.dtype}, but the kernel is for {dtype}")


@dataclass
class Place:
    """Where the value of a placeholder comes from; what is the same for all calls is found once."""

    name: str
    node: object  # of the graph; None for what the graph does not read
    state: str  # a parameter, buffer or constant of the program; None for an argument
    constant: object  # a one-element tuple of what an argument that is no tensor must be, or None
    extents: tuple = None  # of a tensor
    dtype: torch.dtype = None
    state_value: object = None  # a function that gives the state's tensor
    lying: tuple = None  # strides and offset, of a tensor whose memory the program reads as it lies
    known: dict = None  # what of the example decides what the function `asked` of memory
    asked: list = None

    def __post_init__(self):
        wanted = self.node.meta.get("val") if self.node is not None else None
        if isinstance(wanted, torch.Tensor):
            self.extents = tuple(wanted.shape)
            self.dtype = wanted.dtype
            if _is_read_as_it_lies(self.node):
                self.lying = _lying(wanted)

    def check(self, value):
        """AssayError for what the program was not made for."""
        if self.constant is not None and exactly(value) != exactly(self.constant[0]):
            raise AssayError(
                f"{self.name} is {value!r}, but the program was made for "
                f"{self.constant[0]!r}: say dynamic=True for others"
            )
        if self.extents is not None:
            check_tensor(self.name, value, self.extents, self.dtype)
        if self.lying is not None and _lying(value) != self.lying:
            raise AssayError(
                f"{self.name} lies in memory otherwise than its example did (strides and offset"
                f" {_lying(value)}, not {self.lying}), and the function reads it as it lies"
                " (as_strided)"
            )
        now = None if self.known is None else answers(value, self.asked)
        if now != self.known:
            raise AssayError(
                f"{self.name} lies in memory, or wants a gradient, otherwise than its example did"
                f" ({now}, not {self.known}), and the function asks for it:"
                f" {', '.join(map(str, self.asked))}"
            )


def _lying(tensor):
    return (*tensor.stride(), tensor.storage_offset())


def _is_view(target):
    """May an operator's result be in the memory of its argument?"""
    schema = getattr(target, "_schema", None)
    return schema is not None and any(r.alias_info is not None for r in schema.returns)


def _is_read_as_it_lies(node):
    """Does as_strided read the tensor's memory, or that of a view of it?"""
    return any(
        str(user.target).startswith("aten.as_strided")
        or (_is_view(user.target) and _is_read_as_it_lies(user))
        for user in node.users
    )


class Compiled(GraphRunner):
    """The result of `compile`: call it like the function that it was made of."""

    def __init__(self, exported, options, results=None, function=None, origin=None):
        """`function` is what was exported: its signature is for arguments that are given by name,
        and where it is a module, parameters and buffers are those that it has at a call.  Copies
        are made of the `origin`."""
        self._origin = origin
        seen = getattr(exported, "seen", None)
        self._exported = exported
        self._asked = seen.of_layout if seen else []
        self._answers = seen.answers if seen else {}
        self._modes = seen.modes if seen else {}
        self._signature = signature_of(function)
        self._state = State(exported, function).get
        self._mode = Mode(function)
        self._autocast = autocast(options.device)
        super().__init__(exported.graph_module.graph, options, results)
        self._function = function
        self._eagerly = None  # whether the function itself is called; None: not known yet
        self._form = exported.call_spec  # a property that PyTorch makes anew each time
        self._one_result = self._form.out_spec == torch.utils._pytree.tree_structure(0)
        self._plain_arguments = self._arguments_if_plain()
        self._inputs = list(self._placed())
        self._updates = self._written()
        self._updated = [update for update in self._updates if update is not None]
        self._arity, self._direct = None, None
        if self.measuring is None:
            self._arity, self._direct = self._short_way()

    def __reduce__(self):
        if self._origin is None:
            raise AssayError("what was compiled of an exported program has no copy: compile again")
        return Origin.copy, (self._origin,)

    # -- what is the same for all calls ----------------------------------------------------------

    def _placed(self):
        nodes = {node.name: node for node in self._places}
        kinds = torch.export.graph_signature.InputKind
        for item in self._exported.graph_signature.input_specs:
            name = getattr(item.arg, "name", None)
            fixed = isinstance(item.arg, torch.export.graph_signature.ConstantArgument)
            state = None if item.kind == kinds.USER_INPUT else item.target
            constant = (item.arg.value,) if fixed else None
            known = self._answers.get(name)
            if self._asked and state is not None:
                known = answers(self._state(state), self._asked)
            yield Place(name, nodes.get(name), state, constant, known=known, asked=self._asked)

    def _written(self):
        """For each result what it updates: None where it is returned, else an argument's node or
        the name of a parameter, buffer or constant."""
        kinds = torch.export.graph_signature.OutputKind
        nodes = {node.name: node for node in self._places}
        updates = []
        for spec in self._exported.graph_signature.output_specs:
            if spec.kind == kinds.USER_OUTPUT:
                updates.append(None)
            elif spec.kind == kinds.USER_INPUT_MUTATION:
                updates.append(nodes[spec.target])
            elif spec.kind == kinds.BUFFER_MUTATION:
                updates.append(spec.target)
            else:
                raise AssayError(f"an output of kind {spec.kind} is not returned by kernels")
        return updates

    def _arguments_if_plain(self):
        """The number of arguments, where each is one value and none has a keyword; else None."""
        count = self._form.in_spec.num_leaves
        plain = torch.utils._pytree.tree_structure(((0,) * count, {}))
        return count if self._form.in_spec == plain else None

    def _short_way(self):
        """The number of arguments of the short way through a call (direct.py), and that; or
        Nones."""
        if self._plain_arguments is None or any(self._updates):
            return None, None
        for place in self._inputs:
            place.state_value = functools.partial(self._state, place.state)
        kernels = [part.kernel for part in self.parts]
        found = direct_of(self._pieces, kernels, self._inputs, self._results)
        return found or (None, None)

    # -- a call ----------------------------------------------------------------------------------

    def _leaves(self, arguments, keywords):
        """The values in the arguments; AssayError where they are of another form."""
        if len(arguments) == self._plain_arguments and not keywords:
            if all(type(x) is torch.Tensor for x in arguments):
                return arguments
        leaves, form = torch.utils._pytree.tree_flatten((arguments, keywords))
        if form != self._form.in_spec and keywords and self._signature is not None:
            leaves, form = self._by_position(arguments, keywords)
        if form != self._form.in_spec:
            raise AssayError(another_form(form, self._form.in_spec))
        return leaves

    def _by_position(self, arguments, keywords):
        """The values, and their form, where those given by name stand at their places."""
        try:
            bound = self._signature.bind(*arguments, **keywords)
        except TypeError as problem:
            raise AssayError(f"arguments of another form: {problem}") from problem
        return torch.utils._pytree.tree_flatten((bound.args, bound.kwargs))

    def __call__(self, *arguments, **keywords):
        check_autocast(self.options.device, self._autocast)
        self._mode.check()
        for name, wanted in self._modes.items():
            eager.check_mode(name, wanted)
        if self._is_tried and len(arguments) == self._arity and not keywords:
            results = self._direct(arguments)
            if results is not None:
                return self._in_form(results)
        leaves = self._leaves(arguments, keywords)
        if torch.is_grad_enabled() and any(
            isinstance(x, torch.Tensor) and x.requires_grad for x in leaves
        ):
            raise AssayError(
                "an input wants a gradient, which its example did not: compile with gradients=True,"
                " or call under torch.no_grad()"
            )
        if forward_ad._current_level >= 0 and any(map(_has_tangent, leaves)):
            raise AssayError(
                "a kernel has no derivative in forward mode: differentiate the function itself"
            )
        values = self._bound(leaves)
        if self._updated:
            self._check_apart(values)
        if self.measuring is not None and self._eagerly is None:
            self._compare_whole(values, arguments, keywords)
        if self._eagerly:
            with torch.no_grad():
                return self._function(*arguments, **keywords)
        return self._in_form(self._returned(self.run(values), values))

    def _compare_whole(self, values, arguments, keywords):
        """Times all parts together beside the function itself, once each part was timed, and says
        from then on which of them is called."""
        if is_watched() or not self.measuring.timer.may_measure:
            return
        self.run(dict(values))
        if not self.measuring.is_decided:
            return
        self._eagerly = False
        if self.measuring.all_ours and not self.left:
            self._arity, self._direct = self._short_way()
        if self._function is None or self._updated or not self.parts:
            return
        ways = {
            OURS: lambda given: lambda: self.run(dict(given)),
            EAGER: lambda given: lambda: self._function(*arguments, **keywords),
        }
        common = self.measuring.common
        whole = Contest(
            "the whole", self.name_of_whole(), ways, *common, margin=measured.MARGIN_OF_WHOLE
        )
        with torch.no_grad():
            self._eagerly = whole.decide(values) == EAGER
        if self._eagerly:
            self._arity, self._direct = None, None

    def _in_form(self, results):
        """Results as the function gave them."""
        if self._one_result:
            return results[0]
        return torch.utils._pytree.tree_unflatten(results, self._form.out_spec)

    def _returned(self, results, values):
        """Writes what the program updates in place, and gives what it returns."""
        returned = []
        for result, update in zip(results, self._updates):
            if update is None:
                returned.append(result)
            else:
                place = self._state(update) if isinstance(update, str) else values[update]
                place.copy_(result)
        return returned

    def _check_apart(self, values):
        """AssayError where an argument lies in memory that the program updates: what it then reads
        depends on when, which no equation says."""
        tensors = [value for value in values.values() if isinstance(value, torch.Tensor)]
        for update in self._updated:
            place = self._state(update) if isinstance(update, str) else values[update]
            for other in tensors:
                if other is not place and may_overlap(place, other):
                    raise AssayError(
                        f"{update} is updated in place, and shares memory with another argument: "
                        "give one of them as a copy"
                    )
            if sum(other is place for other in tensors) > 1:
                raise AssayError(f"{update} is updated in place, and given twice: give a copy")

    def _bound(self, leaves):
        """Values of the placeholders: parameters and constants of the program, then arguments."""
        values = {}
        given = iter(leaves)
        for place in self._inputs:
            value = next(given) if place.state is None else self._state(place.state)
            place.check(value)
            if place.node is not None:
                values[place.node] = value
        return values


# operators that read a tensor's memory as it lies there
_READ_MEMORY = ("aten.as_strided.default",)


def _as_traced(node, value):
    """The tensor, lying in memory as it did when the function was exported: kernels give theirs row
    by row, and arguments may lie otherwise than the examples."""
    traced = node.meta.get("val")
    if not isinstance(traced, torch.Tensor):
        return value
    lying = (*traced.shape, *traced.stride(), traced.storage_offset())
    if not all(isinstance(each, int) for each in lying):
        return value  # extents that depend on data: PyTorch's own steps made it
    if value.stride() == traced.stride() and value.storage_offset() == traced.storage_offset():
        return value
    room = value.new_empty(traced.untyped_storage().nbytes() // traced.element_size())
    once = [1 if step == 0 else extent for extent, step in zip(traced.shape, traced.stride())]
    for axis, extent in enumerate(once):
        value = value.narrow(axis, 0, extent)
    laid = room.as_strided(once, traced.stride(), traced.storage_offset()).copy_(value)
    return laid.expand(traced.shape)


def _eager(nodes):
    """Runs nodes as PyTorch does."""

    def run(values):
        for node in nodes:
            reads_memory = str(node.target) in _READ_MEMORY
            look_up = lambda n: (
                _as_traced(n, values[n]) if reads_memory else values[n]
            )  # noqa: E731
            arguments = torch.fx.node.map_arg(node.args, look_up)
            keywords = torch.fx.node.map_arg(node.kwargs, look_up)
            values[node] = run_as(node.target)(*arguments, **keywords)

    return run


def _has_tangent(value):
    return isinstance(value, torch.Tensor) and forward_ad.unpack_dual(value).tangent is not None


def _kernel_step(island, kernel, types, operator):
    """Calls the kernel, or, where PyTorch is to see an operator, that: what PyTorch does on the way
    to a custom operator takes longer than many a kernel."""

    def run(values):
        tensors = list(island.arguments(values))
        if is_watched() or not all(is_plain(x, kernel.device) for x in tensors):
            results = operator(*tensors)
            results = results if isinstance(results, (tuple, list)) else [results]
        else:
            results = kernel.of_types(tensors, types)
        island.keep(results, values)

    return run


class CompiledForSizes:
    """A callable for tensors of any extents: what it was not made for yet is made when it comes.

    Certificates speak of all sizes; kernels are for some, so each set of extents has its own.
    """

    def __init__(self, function, examples, options):
        self._function = function
        self._options = options
        self._for = {}
        self._making = threading.Lock()
        self._origin = Origin(_for_sizes, function, examples, options)
        self._of(examples)

    def __reduce__(self):
        return Origin.copy, (self._origin,)

    def __call__(self, *arguments, **keywords):
        return self._of(arguments, keywords)(*arguments, **keywords)

    @property
    def sizes(self):
        """The sets of extents that there are kernels for."""
        return [extents for extents, _ in self._for]

    def _of(self, arguments, keywords=None):
        leaves, form = torch.utils._pytree.tree_flatten((arguments, keywords or {}))
        extents = tuple(tuple(x.shape) for x in leaves if isinstance(x, torch.Tensor))
        other = tuple(exactly(x) for x in leaves if not isinstance(x, torch.Tensor))
        key = (extents, (other, form))
        make = functools.partial(_compiled, self._function, arguments, self._options, keywords)
        return made_once(self._for, key, self._making, make)

    def __getattr__(self, name):
        """What is asked of the certified parts is that of the first set of extents."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(next(iter(self._for.values())), name)


def _for_sizes(function, examples, options, _):
    return CompiledForSizes(function, examples, options)


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
        raise AssayError(
            "gradients=True is for the extents of the examples: leave out dynamic=True"
        )
    if gradients:
        from .gradient import Differentiable  # it loads much of PyTorch that others do not want

        return Differentiable(function, examples, options)
    if dynamic:
        return CompiledForSizes(function, examples, options)
    return _compiled(function, examples, options)


def _compiled(function, examples, options, keywords=None):
    """The callable for the extents of the examples."""
    exported = export(function, examples, fixed=True, keywords=keywords, attention=as_step)
    leaves = torch.utils._pytree.tree_leaves((examples, keywords or {}))
    kinds = torch.export.graph_signature.InputKind
    places = [
        spec for spec in exported.graph_signature.input_specs if spec.kind == kinds.USER_INPUT
    ]
    nodes = {node.name: node for node in exported.graph_module.graph.nodes}
    for spec, example in zip(places, leaves, strict=True):
        node = nodes.get(getattr(spec.arg, "name", None))
        if node is not None and has_minus_infinity(example):
            node.meta[MINUS_INFINITY] = True
    asked = exported.seen.of_layout
    eager.check(function, exported, examples, keywords)
    exported.seen.modes = eager.modes_that_matter(
        function, examples, keywords, exported.seen.observed
    )
    exported.seen.observed = None  # it is compared with no more
    if asked:
        exported.seen.answers = {
            spec.arg.name: answers(example, asked)
            for spec, example in zip(places, leaves)
            if isinstance(example, torch.Tensor)
        }
    origin = Origin(_compiled, function, examples, options, keywords)
    return Compiled(exported, options, function=function, origin=origin)
