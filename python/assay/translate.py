"""From an exported program (exporting.py) to a tensor program: core ATen, and the table of rows.

Nothing here decides what is equal or fast: it is translation only.  What no row covers is
collected, and said all at once with the user's file and line.
"""

import math
import re
from dataclasses import dataclass, replace

import sympy
import torch
from torch.fx.experimental import symbolic_shapes
from torch.utils._sympy.functions import FloorDiv, Mod, PythonMod

from . import asked
from . import elementwise, indexing, operators, softmaxes, windows  # noqa: F401  (they fill the table)
from .constants import Exact, read, read_of_32_bits, shortest
from .errors import Consequence, SizesDiffer, Unsupported, UnsupportedGraph
from .exporting import place_of
from .fixed_extents import window_extents
from .narrow import check_width
from .shared_constants import is_uniform
from .table import ROWS
from .program import Extents, Program
from .values import Layouts, Masked, Value, number

# What an example says of a tensor: that minus infinity is among its elements.
MINUS_INFINITY = "minus_infinity"

_DTYPES = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f32"}

# in a size expression, not in one of tensors
_ROUNDED = re.compile(r"\b(div|mod|min|max)\b")


class Translator:
    """One exported graph on its way to a `Program`."""

    def __init__(self, name, extents, like=None, reading=False, long_names=True, wide=False):
        """`like` says of each input which one of another program it is, as (name, type, extents);
        with `wide` inputs of 16 bits are taken as ones of 32, which results then are, too; with
        `reading`, numbers are read as the roots and fractions that they were computed from; without
        `long_names` inputs are named by the last part of their names, so that islands that compute
        the same are the same program."""
        self.long_names = long_names
        self.like = like
        self.reading = reading
        self.wide = wide
        self.numbers_read = {}
        self.size_names = {}
        self.program = Program(name, extents)
        self.layouts = Layouts(self.program, self._emit)
        self.environment = {}
        self.failed = {}
        self.constants = {}
        self.negations = {}  # the value that another one is the negation of, by the other's text
        # by the text of a logarithm of a softmax: along which axis, of what, and what is subtracted:
        # a maximum and the logarithm of a sum
        self.less_of_rows = {}
        self.bits = {}  # of integers, by their text: a mask of the bits that they may have
        self.supposed = []  # what rows take PyTorch to do where it says nothing
        self.constants_held = {}  # tensors that an exported function brings along, by name
        self.probing = False
        self.input_nodes = []
        self.output_nodes = []
        self.results = []  # of the program
        self.kept = {}  # by place: where a result is a number, and not minus infinity
        self.operator = None
        self._node = None
        self._comment = None

    # -- what rows call --------------------------------------------------------------------------

    def _emit(self, expression):
        return self.program.emit(expression, "t", self._comment)

    def value(self, expression, extents, dtype="float"):
        """A statement of that expression, as a value with these extents."""
        return Value(self._emit(expression), tuple(extents), dtype)

    def text(self, x):
        if isinstance(x, Masked):
            raise Unsupported(self.operator, "of a tensor that has minus infinity in it")
        if isinstance(x, Value) and not x.extents and _ROUNDED.search(x.text):
            raise Unsupported(self.operator, f"of the number {x.text}, which only an extent may be")
        return x.text if isinstance(x, Value) else number(x)

    def extents(self, x):
        return x.extents if isinstance(x, (Value, Masked)) else ()

    def kind(self, x):
        if isinstance(x, (Value, Masked)):
            return x.dtype
        return "bool" if isinstance(x, bool) else "int" if isinstance(x, int) else "float"

    def joint_kind(self, *xs):
        kinds = {self.kind(x) for x in xs}
        return next(kind for kind in ("float", "int", "bool") if kind in kinds)

    def as_kind(self, x, kind):
        """A value as numbers of another kind, as PyTorch converts them: of a truth there are 0 and
        1 alone, and what rounding to an integer leaves of a number has no row."""
        if isinstance(x, Masked) and kind != "float":
            raise Unsupported(self.operator, "of a tensor that has minus infinity in it")
        if isinstance(x, Masked) or x.dtype == kind:
            return x
        if kind == "bool":
            return self.truth(x)
        if kind == "int" and x.dtype == "float":
            raise Unsupported(self.operator, "rounds a float to an integer")
        return replace(x, dtype=kind)

    def fill(self, x):
        """A Python number as an element of the result of the node under translation."""
        kind = _kind_of(self.result_dtype())
        if kind == "int" and isinstance(x, float):
            raise Unsupported(self.operator, "rounds a float to an integer")
        return bool(x) if kind == "bool" and isinstance(x, (bool, int, float)) else x

    def suppose(self, what):
        """Names what a claim supposes of PyTorch."""
        if what not in self.supposed:
            self.supposed.append(what)

    def users(self):
        """The nodes that read the result of the node under translation."""
        return list(self._node.users)

    def node(self):
        """The node under translation."""
        return self._node

    def inline(self, graph, arguments):
        """What a graph of ATen operators gives of these values, for the node under translation."""
        node, operator = self._node, self.operator
        places = [inner for inner in graph.nodes if inner.op == "placeholder"]
        self.environment |= dict(zip(places, arguments, strict=True))
        try:
            for inner in graph.nodes:
                if inner.op == "call_function":
                    self._node = inner
                    self._call(inner)
        finally:
            self._node, self.operator = node, operator
        return self.environment[graph.output_node().args[0]]

    def made_by(self, place):
        """The node that makes an argument of the node under translation."""
        return self._node.args[place]

    def tensor(self, x):
        return x if isinstance(x, (Value, Masked)) else Value(number(x), (), self.kind(x))

    def broadcast(self, *xs):
        """The extents of operands that broadcast against each other."""
        result = []
        rank = max(len(self.extents(x)) for x in xs)
        for place in range(1, rank + 1):
            met = [self.extents(x)[-place] for x in xs if len(self.extents(x)) >= place]
            wide = [e for e in met if e != "1"]
            result.insert(0, wide[0] if wide else "1")
        return tuple(result)

    def choose(self, condition, x, y):
        """x where the condition is 1, y elsewhere, all of the joint extents."""
        extents = self.broadcast(condition, x, y)
        kind = self.joint_kind(x, y)
        condition = self.layouts.expand(condition, extents)
        x, y = (self._filled(part, condition, extents) for part in (x, y))
        return self.value(f"select({condition.text}, {x.text}, {y.text})", extents, kind)

    def _filled(self, part, like, extents):
        if isinstance(part, (int, float)) or not part.extents:
            return self.value(f"full_like({like.text}, {self.text(part)})", extents)
        return self.layouts.expand(part, extents)

    def truth(self, x):
        """What PyTorch takes as true: anything but 0."""
        if self.kind(x) == "bool":
            return x
        return self.value(f"not_equal({self.text(x)}, 0)", self.extents(x), "bool")

    def constant(self, fill, extents, dtype):
        """A tensor of one number everywhere."""
        if fill == -math.inf:
            nothing = self.constant(0, extents, dtype)
            return Masked(nothing, replace(self.constant(0, extents, "int"), dtype="bool"))
        filled = Value(number(fill), (), dtype)
        for extent in reversed(extents):
            text = f"full({filled.text}, size={extent})"
            filled = self.value(text, (extent,) + filled.extents, dtype)
        self.constants[filled.text] = number(fill)
        return filled

    def is_constant(self, x, number_value):
        """Whether x is a tensor of that one number, by how it was made."""
        return self.constants.get(x.text) == number_value.text

    def on_both(self, x, change):
        """A change of layout, of both parts of a value that has minus infinity in it."""
        if isinstance(x, Masked):
            return Masked(change(x.value), change(x.keep))
        return change(x)

    def size_list(self, extents):
        return tuple(self._extent(e) for e in extents)

    def bound(self, value):
        """A position as an attribute: a symbolic one by its name, otherwise its number."""
        return str(value) if isinstance(value, int) else self._extent(value)

    def size_of(self, extent):
        """The number that a position or an extent is at the sizes of the examples."""
        if isinstance(extent, Value):
            return self.program.extents.value(extent.text)
        return int(extent.node.hint) if isinstance(extent, torch.SymInt) else extent

    def number_of(self, extent):
        """The same of an extent that is taken for the number that it is: a claim is then of that."""
        if not isinstance(extent, int):
            self.program.extents.fix(self._extent(extent))
        return self.size_of(extent)

    def result_extents(self, index=None):
        """The extents that PyTorch gives the result of the node under translation."""
        result = self._node.meta["val"]
        if isinstance(result, (tuple, list)):
            result = result[index or 0]
        return tuple(self._extent(e) for e in result.shape)

    def window(self, extent, taps, stride, padding, dilation, axis):
        """What is left of an extent when a window slides over it: an extent of the result."""
        value = self.result_value(axis)
        if not isinstance(value, int):
            return self._extent(value)
        if extent.isdigit() or not str(taps).isdigit():
            return self.program.extents.number(value)
        rest = 2 * padding - dilation * (int(taps) - 1)
        if stride == 1:
            return self.plus(extent, rest, value)
        steps = f"({extent} {'+' if rest >= 1 else '-'} {abs(rest - 1)})"
        return self.program.extents.derive(f"({steps} div {stride} + 1)", value, of_window=True)

    def strided(self, start, stop, step, axis):
        """The extent of what stands from start to stop at a distance: an extent of the result."""
        value = self.result_value(axis)
        if not isinstance(value, int) or step == 1 or (start.isdigit() and stop.isdigit()):
            return self._extent(value)
        from_start = stop if start == "0" else f"{stop} - {start}"
        return self.program.extents.derive(f"(({from_start} + {step - 1}) div {step})", value)

    def spread(self, extent, taps, stride, padding, dilation, extra, axis):
        """The extent of what a transposed window makes of an extent."""
        value = self.result_value(axis)
        if not isinstance(value, int):
            return self._extent(value)
        if extent.isdigit() or not str(taps).isdigit():
            return self.program.extents.number(value)
        rest = dilation * (int(taps) - 1) + extra + 1 - stride - 2 * padding
        wide = extent if stride == 1 else f"{extent} * {stride}"
        return self.plus(wide, rest, value)

    def plus(self, expression, number_added, value):
        """The extent expression + number_added, of that value."""
        if number_added == 0 and "*" not in expression:
            return expression
        sign = "+" if number_added >= 0 else "-"
        text = f"({expression} {sign} {abs(number_added)})"
        return self.program.extents.derive(text, value, of_window=True)

    def result_dtype(self):
        """The type that PyTorch gives the result of the node under translation."""
        return self._node.meta["val"].dtype

    def takes_result(self, index):
        """Whether anything takes that one of several results of the node under translation."""
        takes = (user for user in self._node.users if "getitem" in str(user.target))
        return any(user.args[1] == index and user.users for user in takes)

    def result_value(self, axis):
        """What PyTorch says of one extent of the node's (first) result."""
        result = self._node.meta["val"]
        return (result[0] if isinstance(result, (tuple, list)) else result).shape[axis]

    def dtype_of_argument(self, place):
        """PyTorch's type of a tensor among the arguments of the node under translation."""
        return self._node.args[place].meta["val"].dtype

    def is_multiple(self, axis, times):
        """Whether PyTorch says of an axis of the result that it is as many times its axis of the
        first argument, whatever that is."""
        have, want = self._node.args[0].meta["val"].shape[axis], self.result_value(axis)
        symbols = isinstance(have, torch.SymInt) and isinstance(want, torch.SymInt)
        return symbols and want.node.expr == times * have.node.expr

    def strides_of_argument(self, place):
        """How a tensor among the arguments of the node under translation lies in memory."""
        tensor = self._node.args[place].meta["val"]
        return _Lying(tuple(tensor.shape), tensor.stride(), tensor.storage_offset())

    # -- extents ---------------------------------------------------------------------------------

    def _extent(self, extent, of_window=True):
        if isinstance(extent, Value):
            return extent.text
        if isinstance(extent, int):
            return self.program.extents.number(extent, of_window)
        if extent.node.hint is None:
            raise Unsupported("extent", f"{extent} depends on data")
        expression = self._divided(extent.node)
        hint = int(extent.node.hint)
        if expression.is_Integer:
            return self.program.extents.number(int(expression))
        if expression.is_Symbol:
            return self._size_name(expression)
        if expression.is_Mul and all(factor.is_Symbol for factor in expression.args):
            return self.program.extents.product([self._size_name(f) for f in expression.args])
        text = said_by_size(expression, self._size_name)
        self.program.extents.remember(text, hint)
        return text

    def _divided(self, node):
        """The expression of an extent, in which s div k is a size of its own wherever torch.export
        asked that k divides s: s = k * (s div k) is stated, and divisions fall away."""
        expression = node.expr
        if not expression.has(FloorDiv, Mod, PythonMod):
            return expression
        within = lambda a, b: a.is_nonnegative and (b - a).is_positive  # noqa: E731
        for kind in (Mod, PythonMod):
            expression = expression.replace(kind, lambda a, b: a if within(a, b) else kind(a, b))
        sizes = self.program.extents
        for symbol, divisor in _divisors(node.shape_env).items():
            whole = self.size_names.get(symbol)
            if symbol not in expression.free_symbols or whole not in sizes.values:
                continue
            quotient = sympy.Symbol(f"{symbol}_div_{divisor}", integer=True, positive=True)
            if quotient not in self.size_names:
                value = sizes.value(whole) // divisor
                self.size_names[quotient] = sizes.symbol(f"{whole}_div_{divisor}", value)
                sizes.relate(whole, str(divisor), self.size_names[quotient])
            expression = expression.xreplace({symbol: divisor * quotient})
        return expression

    def _symbolic_number(self, number):
        """A number computed from extents, as an expression of the program."""
        return Value(said_by_program(number.node.expr, self._size_name), (), "float")

    def _size_name(self, symbol):
        """The name that a symbol of torch.export got where an input had it first."""
        name = self.size_names.get(symbol)
        if name is None:
            raise Unsupported("extent", f"{symbol} is the extent of no input")
        return name

    def _float_type(self, dtype):
        return "f32" if self.wide else _DTYPES.get(dtype, "f32")

    def _name_sizes(self, node, tensor, name):
        """Names the symbols among the extents of an input after the input and the axis."""
        for axis, extent in enumerate(tensor.shape):
            if not isinstance(extent, torch.SymInt):
                continue
            if not extent.node.expr.is_Symbol:
                self._name_parts(extent.node, f"{name}_{axis}")
                continue
            symbol = extent.node.expr
            wanted = self.like[node.name][2][axis] if self.like else None
            known = self.size_names.get(symbol)
            if wanted and known and known != wanted:
                raise SizesDiffer(
                    f"the second function asks for {known} = {wanted}, the first does not"
                )
            if known and symbol in [e.node.expr for e in _open(tensor.shape[:axis])]:
                self.program.extents.suppose(f"{name}_{axis} = {known}", stated=True)
            if known is None:
                if extent.node.hint is None:
                    raise Unsupported("extent", f"{extent} depends on data")
                value = int(extent.node.hint)
                wanted = wanted or self.program.extents.symbol(f"{name}_{axis}", value)
                self.size_names[symbol] = wanted

    def _name_parts(self, node, name):
        """Names the symbols of an extent that is computed from them, such as 2 * s."""
        expression = node.expr
        self.program.extents.state_as_numbers(int(n) for n in expression.atoms(sympy.Integer))
        for symbol in sorted(expression.free_symbols - self.size_names.keys(), key=str):
            value = int(node.shape_env.size_hint(symbol))
            self.size_names[symbol] = self.program.extents.symbol(f"{name}_{symbol}", value)

    # -- the graph -------------------------------------------------------------------------------

    def run(self, exported):
        """Translates a whole exported program; UnsupportedGraph says all that is not covered."""
        specs = {spec.arg.name: spec for spec in exported.graph_signature.input_specs}
        graph = exported.graph_module.graph
        self.constants_held = exported.constants
        self.program.extents.state_as_numbers(window_extents(graph.nodes, all_of_them=True))
        for node in graph.nodes:
            if node.op != "output":
                self.attempt(node, specs.get(node.name))
        problems = [each for each in self.failed.values() if not isinstance(each, Consequence)]
        if not problems:
            try:
                self._outputs(graph.output_node(), exported)
                if self.program.extents.exact:
                    extents, names = self.program.extents, self.size_names
                    asked.state(graph, extents, names, lambda e: said_by_size(e, self._size_name))
            except Unsupported as problem:
                problems.append(problem)
        if problems:
            raise UnsupportedGraph(problems)
        return self

    @classmethod
    def for_probe(cls):
        """A translator that only finds out what is covered: integer inputs are let through."""
        probe = cls("probe", Extents(literal=True))
        probe.probing = True
        return probe

    def attempt(self, node, spec=None):
        """Translates one node, or remembers in `failed` why it cannot be."""
        if node in self.environment:
            return
        self._node = node
        self._comment = place_of(node)
        try:
            if node.op == "placeholder":
                self.add_input(node, spec)
            elif node.op == "call_function":
                self._call(node)
            else:
                raise Unsupported(node.op, f"the constant {node.target}")
        except Unsupported as problem:
            self.failed[node] = type(problem)(problem.operator, problem.reason, self._comment)
            if self.probing and isinstance(node.meta.get("val"), torch.Tensor):
                self._suppose(node)

    def _input_extents(self, node, tensor):
        """Those of batches and channels are no extents of windows, whatever their numbers."""
        rank = tensor.dim()
        targets = [str(user.target) for user in node.users]
        of_channels = rank == 1 and any(n in t for t in targets for n in _HAVE_CHANNELS)
        first = 2 if rank > 2 else rank if of_channels else 0
        return [
            self._extent(extent, of_window=axis >= first)
            for axis, extent in enumerate(tensor.shape)
        ]

    def _suppose(self, node):
        """What follows a node that is not covered may be covered all the same."""
        try:
            self.add_input(node)
        except Unsupported:
            pass  # its extents depend on data: what follows is a consequence

    def add_input(self, node, spec=None):
        """Makes a node of the graph an input of the program."""
        result = node.meta.get("val")
        if isinstance(result, torch.SymInt):
            if not isinstance(result.node.expr, sympy.Symbol) or not self.probing:
                self.environment[node] = Value(self._extent(result), (), "int")
            return
        if not isinstance(result, torch.Tensor):
            self.environment[node] = result
            return
        if self.reading and self._is_one_number(spec):
            self.environment[node] = self._constant_of(spec, result)
            return
        if node.meta.get(MINUS_INFINITY):
            self.add_masked_input(node)
            return
        if result.is_complex():
            raise Unsupported(
                "input",
                f"{node.name} is complex; give its parts as real tensors (torch.view_as_real)",
                place_of(node) or getattr(node.graph, "place", None),
            )
        kind = _kind_of(result.dtype)
        hint = _input_name(node, spec) if self.long_names else _short_name(node)
        self._name_sizes(node, result, hint)
        dims = self._input_extents(node, result)
        number = "int" if kind == "int" else self._float_type(result.dtype)
        name = self.program.input(hint, number, dims, node.name)
        if kind == "bool":
            # the tensor comes as 0 and 1; whatever else it held would count as 1
            truth = self._emit(f"not_equal({name}, 0)")
            self.environment[node] = Value(truth, tuple(dims), kind)
        else:
            self.environment[node] = Value(name, tuple(dims), kind)
        self.input_nodes.append(node)

    def _is_one_number(self, spec):
        """Is it a tensor that the function itself brings along, of the same number everywhere?"""
        kinds = torch.export.graph_signature.InputKind
        is_constant = spec is not None and spec.kind == kinds.CONSTANT_TENSOR
        return is_constant and is_uniform(self.constants_held[spec.target])

    def _constant_of(self, spec, result):
        """A tensor that the function brings along, as the number that all of its elements are."""
        held = self.constants_held[spec.target].reshape(-1)[0].item()
        kind = _kind_of(result.dtype)
        if kind == "float":
            of_32_bits = result.dtype == torch.float32
            held = read_of_32_bits(held) if of_32_bits else shortest(held, result.dtype)
        number_held = self._read(held) if isinstance(held, float) else held
        if result.numel() != 1 or number_held == -math.inf:
            return self.constant(number_held, self.size_list(result.shape), kind)
        value = replace(self.tensor(number_held), dtype=kind)
        return self.layouts.expand(value, ("1",) * result.dim())

    def add_masked_input(self, node):
        """Makes two inputs of a node whose tensor has minus infinity in it: numbers, which count
        where the second is true."""
        result = node.meta["val"]
        hint = _short_name(node)
        self._name_sizes(node, result, hint)
        dims = self._input_extents(node, result)
        name = self.program.input(hint, self._float_type(result.dtype), dims, node.name)
        kept = self.program.input(f"{hint}_kept", "f32", dims)
        truth = Value(self._emit(f"not_equal({kept}, 0)"), tuple(dims), "bool")
        self.environment[node] = Masked(Value(name, tuple(dims)), truth)

    def _call(self, node):
        target = str(node.target)
        result = node.meta.get("val")
        if isinstance(result, torch.SymInt):
            self.environment[node] = Value(self._extent(result), (), "int")
            return
        if isinstance(result, torch.SymFloat):
            self.environment[node] = self._symbolic_number(result)
            return
        if isinstance(result, torch.SymBool):
            return  # a guard: what the program asks of sizes is what export has checked
        if "getitem" in target:
            value = self.environment.get(node.args[0])
            if value is None:
                raise Consequence(target, "of what is not covered")
            self.environment[node] = value[node.args[1]]
            return
        if target.startswith("aten._assert") or target.startswith("aten.sym_constrain"):
            return
        self.operator = target
        translate = ROWS.get(target)
        if translate is None:
            raise Unsupported(
                target,
                "no row of the table says what it is; write it by operators that have one, or "
                "leave it to PyTorch (assay.compile cuts the program there)",
            )
        arguments = self._arguments(node.args)
        keywords = {k: self._arguments(v) for k, v in node.kwargs.items()}
        if arguments is _MISSING or any(v is _MISSING for v in keywords.values()):
            raise Consequence(target, "an argument of it is not covered")
        check_width(target, node, [*arguments, *keywords.values()])
        try:
            made = translate(self, *arguments, **keywords)
            self.environment[node] = self._typed(made, result)
            self._note_rounding(self.environment[node], result)
        except symbolic_shapes.GuardOnDataDependentSymNode as problem:
            raise Unsupported(target, "of extents that depend on data") from problem
        except ZeroDivisionError as problem:
            raise Unsupported(target, "along an axis of a tensor that has none") from problem
        except (TypeError, KeyError, ValueError, AttributeError, IndexError) as problem:
            raise Unsupported(
                target, f"in a form that the table does not know ({problem})"
            ) from problem

    def _typed(self, value, result):
        """The value with the kind of numbers that PyTorch's promotion gives the result."""
        if isinstance(value, tuple) and isinstance(result, (tuple, list)):
            return tuple(map(self._typed, value, result))
        if isinstance(value, (Value, Masked)) and isinstance(result, torch.Tensor):
            return self.as_kind(value, _kind_of(result.dtype))
        return value

    def _note_rounding(self, value, result):
        """Says of a node's result whether PyTorch rounds it: what an operator computes on its way
        has 32 bits, whatever its arguments have."""
        if isinstance(value, tuple) and isinstance(result, (tuple, list)):
            for part, of in zip(value, result):
                self._note_rounding(part, of)
        value = value.value if isinstance(value, Masked) else value
        if not isinstance(value, Value) or not isinstance(result, torch.Tensor):
            return
        if result.dtype in (torch.float16, torch.bfloat16):
            self.program.rounds(value.text)
        elif not _is_conversion(self._node) and not all(map(_only_converts, self._node.users)):
            self.program.keeps(value.text)

    def _arguments(self, argument):
        """Arguments with nodes replaced; _MISSING where one of them was not translated."""
        if isinstance(argument, torch.fx.Node):
            value = self.environment.get(argument, _MISSING)
            if isinstance(value, Unsupported):
                raise value
            return value
        if isinstance(argument, (list, tuple)):
            parts = [self._arguments(a) for a in argument]
            return _MISSING if any(p is _MISSING for p in parts) else type(argument)(parts)
        return self._read(argument) if self.reading and type(argument) is float else argument

    def _read(self, x):
        exact = read(x)
        if isinstance(exact, Exact):
            self.numbers_read[x] = number(exact)
        return exact

    def _outputs(self, node, exported):
        specs = exported.graph_signature.output_specs
        for count, (result, spec) in enumerate(zip(node.args[0], specs)):
            if spec.kind != torch.export.graph_signature.OutputKind.USER_OUTPUT:
                raise Unsupported("output", f"an update of {spec.target} in place")
            if isinstance(result, torch.fx.Node):
                self.add_output(result, count)

    def _stored(self, value):
        """What is stored for a value: where its axes are only written otherwise than those of
        another, the other, as no kernel is needed to say so."""
        before = self.layouts.in_this_order(value)
        taken = [name for name, *_ in self.program.inputs] + [n for _, n in self.program.outputs]
        return value if before.text in taken else before

    def add_output(self, node, count, in_parts=False):
        """Makes the value of a node the count-th output of the program.

        With `in_parts` one that has minus infinity in it is two of them, as add_masked_input takes
        them, and extents may be written otherwise than those of the node.
        """
        value = self.environment.get(node)
        if isinstance(value, Unsupported):
            raise value
        if isinstance(value, Masked) and not in_parts and not self.reading:
            raise Unsupported("output", "a tensor that has minus infinity in it", place_of(node))
        if in_parts and isinstance(value, Value):
            value = self._stored(value)
        if isinstance(value, Masked) and in_parts:
            self.program.output(value.value.text, f"out{count}")
            self.program.output(value.keep.text, f"out{count}_kept")
            return
        if isinstance(value, Masked):  # as 0 there, and beside it where
            self.kept[len(self.program.outputs)] = value.keep
            value = self.choose(value.keep, value.value, 0)
        if not isinstance(value, Value):
            raise Unsupported("output", f"{node.name} is no tensor", place_of(node))
        self.output_nodes.append(node)
        self.results.append(value)
        self.program.output(value.text, f"out{count}")

    def add_where_kept(self, place):
        """Makes where a result is a number, and not minus infinity, one more result."""
        value = self.results[place]
        kept = self.kept.get(place) or self.constant(1, value.extents, "bool")
        self.program.output(kept.text, f"out{place}_kept")


def _kind_of(dtype):
    if dtype.is_floating_point:
        return "float"
    return "bool" if dtype == torch.bool else "int"


def _is_conversion(node):
    """Does it only give a tensor another type?"""
    return str(node.target) in ("aten._to_copy.default", "prims.convert_element_type.default")


def _only_converts(node):
    """Does what reads a tensor compute nothing of it as it is?"""
    return _is_conversion(node) or str(node.target).startswith("aten._assert")


def _divisors(shape_env):
    """Of each size that has to be a multiple of numbers: the least number that all of these
    divide."""
    found = {}
    for guard in getattr(shape_env, "guards", ()):
        for size, divisor in _multiples_by_equality(guard.expr):
            found[size] = math.lcm(found.get(size, 1), divisor)
    for fact in getattr(shape_env, "divisible", ()):
        size, divisor = fact.args
        common = sympy.gcd(
            size, divisor
        )  # of positive numbers: (c * a) mod (c * b) = c * (a mod b)
        size, divisor = size / common, divisor / common
        if size.is_Symbol and divisor.is_Integer:
            found[size] = math.lcm(found.get(size, 1), int(divisor))
    return found


def _multiples_by_equality(fact):
    """Where an equation between quotients of a size holds of multiples of a number alone: the size
    and the number, such as 2 for (s + 1) div 2 = s div 2.  Each of the equation's sides grows by as
    much for each step of that length, so two steps tell all."""
    if not isinstance(fact, sympy.Eq) or len(fact.free_symbols) != 1:
        return
    size = next(iter(fact.free_symbols))
    for quotient in fact.atoms(FloorDiv):
        whole, divisor = quotient.args
        if not divisor.is_Integer or whole.coeff(size) != 1:
            continue
        holds = lambda rest, k: all(
            fact.subs(size, m * k + rest) == True for m in (4, 5)
        )  # noqa: E712, E731
        k = int(divisor)
        if [rest for rest in range(k) if holds(rest, k)] == [0]:
            yield size, k


@dataclass(frozen=True)
class _Lying:
    """Where the elements of a tensor lie in its memory."""

    extents: tuple
    strides: tuple
    offset: int


def _open(extents):
    return [extent for extent in extents if isinstance(extent, torch.SymInt)]


class _Missing:
    pass


_MISSING = _Missing()


def said_by_size(expression, name_of):
    """A polynomial of sizes with div and mod, in the words of size expressions."""
    if expression.is_Integer:
        return str(expression) if expression >= 0 else f"({expression})"
    if expression.is_Symbol:
        return name_of(expression)
    kind = type(expression).__name__
    if kind in ("FloorDiv", "CleanDiv") and expression.args[1].is_Integer:
        whole, divisor = expression.args
        added = whole.as_coeff_Add()[0]  # (s + a) div k = (s + a mod k) div k + a div k
        if added.is_Integer and not 0 <= added < divisor:
            rest = FloorDiv(whole - added + added % divisor, divisor)
            return said_by_size(rest + added // divisor, name_of)
    parts = [said_by_size(argument, name_of) for argument in expression.args]
    if expression.is_Add:
        return "(" + " + ".join(parts) + ")"
    if expression.is_Mul:
        return " * ".join(parts)
    if kind in ("FloorDiv", "CleanDiv"):
        return f"({parts[0]} div {parts[1]})"
    if kind in ("Mod", "PythonMod"):
        return f"({parts[0]} mod {parts[1]})"
    if kind in ("Max", "Min") and len(parts) == 2:
        return f"{kind.lower()}({parts[0]}, {parts[1]})"
    if expression.is_Pow and expression.args[1].is_Integer and expression.args[1] > 0:
        return " * ".join([parts[0]] * int(expression.args[1]))
    raise Unsupported("extent", f"{expression} has no form as a size")


def said_by_program(expression, name_of):
    """A number made of sizes (such as 1/sqrt(d)), in the words of a program."""
    if expression.is_Symbol:
        return name_of(expression)
    if expression.is_Number:
        return number(int(expression) if expression.is_Integer else float(expression))
    parts = [said_by_program(argument, name_of) for argument in expression.args]
    if expression.is_Add:
        return "(" + " + ".join(parts) + ")"
    if expression.is_Mul:
        return "(" + " * ".join(parts) + ")"
    kind = type(expression).__name__
    if kind in ("ToFloat", "Identity"):
        return parts[0]
    if kind in ("FloatTrueDiv", "IntTrueDiv"):
        return f"({parts[0]} / {parts[1]})"
    if kind == "OpaqueUnaryFn_sqrt":
        return f"sqrt({parts[0]})"
    if kind in ("FloatPow", "PowByNatural", "Pow"):
        return _power(parts[0], expression.args[1], name_of)
    raise Unsupported("number", f"{expression} has no form in a program")


def _power(base, exponent, name_of):
    if not exponent.is_number:
        if not base.replace(".", "").isdigit() or float(base) <= 0:
            raise Unsupported("number", f"{base} to a power that is a size")
        return f"exp({said_by_program(exponent, name_of)} * log({base}))"
    if exponent == -1:
        return f"(1 / {base})"
    if float(exponent) in (0.5, -0.5):
        return f"sqrt({base})" if exponent > 0 else f"rsqrt({base})"
    if exponent == int(exponent) and exponent > 0:
        return "(" + " * ".join([base] * int(exponent)) + ")"
    raise Unsupported("number", f"the power {exponent} of a size")


# operators that take tensors of one element a channel
_HAVE_CHANNELS = ("convolution", "batch_norm", "group_norm")


def _input_name(node, spec):
    if spec is not None and spec.target:
        return spec.target.replace(".", "_")
    return node.name


def _short_name(node):
    """The name without the path of modules that it stands in and without a number."""
    within = re.sub(r"^.*_\d+_(?=[A-Za-z])", "", node.name)
    return re.sub(r"_\d+$", "", within)
