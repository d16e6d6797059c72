"""ONNX models as PyTorch modules, by the `onnx` package: a table of ONNX operators, one row each.

A row says an operator by PyTorch functions; what torch.export makes of these are operators of the
table in operators.py, so that ONNX models are compiled and certified as PyTorch's are.
"""

import torch
import torch.nn.functional as F
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from . import onnx_integers
from . import onnx_more  # noqa: F401  (it fills the table)
from .constants import in_double, read_of_32_bits
from .errors import AssayError, Unsupported
from .onnx_table import ROWS, axes_of, axis_of, of_reals, row

# what a row raises for what it does not expect, and PyTorch for what cannot be
_NOT_KNOWN = (TypeError, KeyError, IndexError, NotImplementedError, ValueError, RuntimeError)

# constants of more bytes are none that an operator's extents depend on
_SAYS_NO_SHAPE = 1 << 12
_DOMAINS = ("", "ai.onnx")  # both name the operators that ONNX itself has


def from_onnx(model):
    """A module that computes what an ONNX model does; `model` is a path, or an onnx.ModelProto."""
    try:
        import onnx
    except ImportError as problem:
        raise AssayError("the package `onnx` is not installed: pip install onnx") from problem
    if not isinstance(model, onnx.ModelProto):
        path = model
        try:
            model = onnx.load(path)
        except Exception as problem:  # noqa: BLE001  (the parser raises many kinds)
            raise AssayError(f"{path}: no ONNX model can be read ({problem})") from problem
    if not model.graph.output:
        raise AssayError("a file without an ONNX graph, or one that has no outputs")
    return OnnxModel(model)


class OnnxModel(torch.nn.Module):
    """The graph of an ONNX model; called with its inputs in their order."""

    def __init__(self, model):
        super().__init__()
        from onnx import numpy_helper

        self._model = model
        versions = [o.version for o in model.opset_import if o.domain in _DOMAINS]
        self._version = max(versions, default=0)
        self._known = {}  # integers that say shapes and axes, by name
        self._numbers = {}  # constants of one element
        self._tensors = {}
        for given in model.graph.initializer:
            self._keep(given.name, torch.from_numpy(numpy_helper.to_array(given).copy()))
        for node in model.graph.node:
            if node.op_type == "Constant":
                self._keep(node.output[0], _constant(node))
        names = {given.name for given in model.graph.initializer}
        self._inputs = [i for i in model.graph.input if i.name not in names]
        self._check()

    def _keep(self, name, tensor):
        if not tensor.is_floating_point() and tensor.dim() <= 1 and tensor.dtype != torch.bool:
            self._known[name] = onnx_integers.as_array(tensor)
        if tensor.numel() == 1:
            self._numbers[name] = tensor.item()
        attribute = "c_" + "".join(c if c.isalnum() else "_" for c in name)
        while hasattr(self, attribute):
            attribute += "_"
        setattr(self, attribute, tensor)  # a constant: no buffer, which may be of any value
        self._tensors[name] = attribute

    def _apply(self, function, recurse=True):
        for attribute in self._tensors.values():
            setattr(self, attribute, function(getattr(self, attribute)))
        return super()._apply(function, recurse)

    @property
    def input_names(self):
        return [given.name for given in self._inputs]

    @property
    def output_names(self):
        return [made.name for made in self._model.graph.output]

    def is_fixed(self, place, axis):
        """Has an axis of an input one extent alone?"""
        return self._axes(place)[axis].HasField("dim_value")

    def alike(self):
        """The places (input, axis) of each extent that has a name (dim_param) in several."""
        found = {}
        for place in range(len(self._inputs)):
            for axis, extent in enumerate(self._axes(place)):
                if extent.dim_param:
                    found.setdefault(extent.dim_param, []).append((place, axis))
        return [places for places in found.values() if len(places) > 1]

    def _axes(self, place):
        return self._inputs[place].type.tensor_type.shape.dim

    def _check(self):
        missing = sorted(
            {
                n.op_type
                for n in self._model.graph.node
                if _row_of(n) is None and n.op_type != "Constant"
            }
        )
        if missing:
            raise Unsupported(
                "ONNX " + ", ".join(missing), "no row of the table says what it is", self._place()
            )
        self._check_types()

    def _check_types(self):
        """Refuses what ONNX does not allow, by its own schemas: an operator that its version has
        not, types that it does not take, extents that do not meet."""
        import onnx

        bare = onnx.ModelProto()
        bare.CopyFrom(self._model)
        for held in bare.graph.initializer:
            if held.ByteSize() > _SAYS_NO_SHAPE:  # its type and extents are enough
                held.CopyFrom(
                    onnx.TensorProto(name=held.name, data_type=held.data_type, dims=held.dims)
                )
        context = onnx.checker.C.CheckerContext()
        context.ir_version = self._model.ir_version or onnx.IR_VERSION
        context.opset_imports = {o.domain: o.version for o in self._model.opset_import} or {"": 1}
        try:
            for node in self._model.graph.node:
                onnx.checker.check_node(node, context)
            onnx.shape_inference.infer_shapes(bare, check_type=True, strict_mode=True)
        except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as problem:
            raise AssayError(f"{self._place()}: not a model that ONNX allows: {problem}") from problem

    def _place(self):
        return self._model.graph.name or "the ONNX model"

    def examples(self, extent=4):
        """Random tensors of the inputs' types and shapes; extents that have no value get
        `extent`."""
        made = []
        for given in self._inputs:
            tensor = given.type.tensor_type
            shape = [d.dim_value if d.HasField("dim_value") else extent for d in tensor.shape.dim]
            kind = _torch_type(tensor.elem_type)
            made.append(
                torch.randn(shape).to(kind)
                if kind.is_floating_point
                else torch.zeros(shape, dtype=kind)
            )
        return made

    def forward(self, *inputs):
        values = {name: getattr(self, attribute) for name, attribute in self._tensors.items()}
        values.update({given.name: x for given, x in zip(self._inputs, inputs, strict=True)})
        known = dict(self._known)
        for node in self._model.graph.node:
            if node.op_type == "Constant" or self._is_of_integers(node, values, known):
                continue
            for name in node.input:
                if name in known and name not in values:
                    values[name] = onnx_integers.as_tensor(known[name])
            place = f"{self._place()}, node {node.name or node.output[0]}"
            lacking = [name for name in node.input if name and name not in values]
            if lacking:
                raise Unsupported(
                    f"ONNX {node.op_type}", f"reads {lacking[0]}, which no row computes", place
                )
            call = _Call(self, node, values, known)
            try:
                results = _row_of(node)(call, *call.inputs, **call.attributes)
            except GuardOnDataDependentSymNode:
                raise
            except _NOT_KNOWN as problem:
                raise Unsupported(
                    f"ONNX {node.op_type}",
                    f"in a form that the table does not know ({problem})",
                    place,
                ) from problem
            results = results if isinstance(results, (tuple, list)) else [results]
            values.update(zip(node.output, results))
        for output in self._model.graph.output:
            if output.name in known and output.name not in values:
                values[output.name] = onnx_integers.as_tensor(known[output.name])
        lacking = [o.name for o in self._model.graph.output if o.name not in values]
        if lacking:
            raise Unsupported(f"ONNX output {lacking[0]}", "no row computes it", self._place())
        results = tuple(values[o.name] for o in self._model.graph.output)
        return results[0] if len(results) == 1 else results


    def _is_of_integers(self, node, values, known):
        """Computes a node of integers that say shapes, or of a tensor's extents; False where it is
        none."""
        if node.domain not in _DOMAINS:
            return False
        attributes = _attributes(node)
        if node.op_type in ("Shape", "Size"):
            name = node.input[0]
            shape = onnx_integers.shape_of(values.get(name, known.get(name)), **attributes)
            if node.op_type == "Size":
                shape = onnx_integers.computed("ReduceProd", [shape], {"keepdims": 0})
            known[node.output[0]] = shape
            return True
        names = [name for name in node.input if name]
        if not names or not all(name in known for name in names):
            return False
        arrays = [known[name] if name else None for name in node.input]
        found = onnx_integers.computed(node.op_type, arrays, attributes)
        if found is not None:
            known[node.output[0]] = found
        return found is not None


def _attributes(node):
    from onnx import helper

    found = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    return {name: _as_written(value) for name, value in found.items()}


def _as_written(value):
    """An attribute: a number of 32 bits as the fraction, root or decimal that it was."""
    if isinstance(value, float):
        return in_double(read_of_32_bits(value))
    return value.decode() if isinstance(value, bytes) else value


class _Call:
    """One node under evaluation: its inputs (None: left out), attributes, known integers."""

    def __init__(self, model, node, values, known):
        self.version = model._version
        self.node = node
        self._known, self._numbers = known, model._numbers
        self._held = {name: getattr(model, each) for name, each in model._tensors.items()}
        self.inputs = [values[name] if name else None for name in node.input]
        self.attributes = _attributes(node)

    def is_number(self, place):
        """Is input `place` a constant of one element?"""
        name = self.node.input[place]
        return name in self._numbers or (name in self._known and self._known[name].size == 1)

    def number(self, place, otherwise=None):
        """Input `place` as a number, which must not depend on other inputs."""
        if place >= len(self.inputs) or not self.node.input[place]:
            return otherwise
        name = self.node.input[place]
        if name in self._known and self._known[name].size == 1:
            return self._known[name].reshape(-1)[0]
        if name not in self._numbers:
            raise Unsupported(f"ONNX {self.node.op_type}", f"{name} is not a constant number")
        return self._numbers[name]

    def numbers(self, place):
        """Input `place` as real numbers, which are a constant of the model."""
        name = self.node.input[place]
        if name not in self._held:
            raise Unsupported(f"ONNX {self.node.op_type}", f"{name} is not constant")
        return self._held[name].reshape(-1).tolist()

    def integers(self, place, otherwise=None):
        """Input `place` as integers, which must not depend on other inputs."""
        if place >= len(self.inputs) or not self.node.input[place]:
            return otherwise
        name = self.node.input[place]
        if name not in self._known:
            raise Unsupported(
                f"ONNX {self.node.op_type}", f"{name} is computed, and says a shape or an axis"
            )
        return list(self._known[name].reshape(-1))


def _torch_type(element_type):
    import numpy
    from onnx import helper

    return torch.from_numpy(numpy.zeros(0, helper.tensor_dtype_to_np_dtype(element_type))).dtype


def _row_of(node):
    return ROWS.get(node.op_type) if node.domain in _DOMAINS else None


def _constant(node):
    from onnx import helper, numpy_helper

    (attribute,) = node.attribute
    value = helper.get_attribute_value(attribute)
    if attribute.name == "value":
        return torch.from_numpy(numpy_helper.to_array(value).copy())
    if attribute.name.startswith(("value_int", "value_float")):
        return torch.tensor(value)
    raise Unsupported("ONNX Constant", f"of the kind {attribute.name}")


# -- element by element ------------------------------------------------------------------------

for _name, _function in {
    "Relu": torch.relu, "Sigmoid": torch.sigmoid, "Tanh": torch.tanh, "Exp": torch.exp,
    "Log": torch.log, "Abs": torch.abs, "Sqrt": torch.sqrt, "Neg": torch.neg,
    "Reciprocal": torch.reciprocal, "Softsign": F.softsign, "Softplus": F.softplus,
    "HardSwish": F.hardswish, "Mish": F.mish, "Identity": torch.clone, "Not": torch.logical_not,
}.items():  # fmt: skip
    row(_name)(of_reals(_name, _function))

for _name, _function in {
    "Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Equal": torch.eq, "Greater": torch.gt,
    "Less": torch.lt, "GreaterOrEqual": torch.ge, "LessOrEqual": torch.le,
    "And": torch.logical_and, "Or": torch.logical_or, "MatMul": torch.matmul,
    "Xor": torch.logical_xor, "BitwiseAnd": torch.bitwise_and, "BitwiseOr": torch.bitwise_or,
    "BitwiseXor": torch.bitwise_xor,
}.items():  # fmt: skip
    row(_name)(lambda call, x, y, function=_function: function(x, y))


@row("Div")
def _div(call, x, y):
    if not x.is_floating_point():
        raise Unsupported("ONNX Div", "of integers")
    return x / y


@row("Pow")
def _pow(call, x, y):
    if not x.is_floating_point():
        exponent = call.number(1)
        if y.dim() > x.dim() or exponent != int(exponent) or exponent < 0:
            raise Unsupported("ONNX Pow", "of integers by anything but one whole number")
        return x ** int(exponent)
    if call.is_number(1) and y.dim() <= x.dim():
        return x ** call.number(1)
    return torch.pow(x, y.to(x.dtype))


@row("LeakyRelu")
def _leaky(call, x, alpha=0.01):
    return F.leaky_relu(x, alpha)


@row("Elu")
def _elu(call, x, alpha=1.0):
    return F.elu(x, alpha)


@row("Selu")
def _selu(call, x, alpha=1.67326319217681884765625, gamma=1.05070102214813232421875):
    return gamma * F.elu(x, alpha)


@row("HardSigmoid")
def _hard_sigmoid(call, x, alpha=0.2, beta=0.5):
    return torch.clamp(alpha * x + beta, 0, 1)


@row("Gelu")
def _gelu(call, x, approximate="none"):
    return F.gelu(x, approximate=approximate)


@row("Clip")
def _clip(call, x, low=None, high=None, min=None, max=None):
    low, high = call.number(1, min), call.number(2, max)
    return x if low is None and high is None else torch.clamp(x, low, high)


def _folded(function):
    def combine(call, first, *others):
        for other in others:
            first = function(first, other)
        return first

    return combine


row("Max")(_folded(torch.maximum))
row("Min")(_folded(torch.minimum))
row("Sum")(_folded(torch.add))


@row("Mean")
def _mean_of(call, *inputs):
    return _folded(torch.add)(call, *inputs) / len(inputs)


@row("Where")
def _where(call, condition, x, y):
    return torch.where(condition, x, y)


@row("Cast")
def _cast(call, x, to, saturate=1, round_mode="up"):
    return x.to(_torch_type(to))


@row("Dropout")
def _dropout(call, x, ratio=None, training=None, seed=0):
    if training is not None and call.integers(2) != [0]:
        raise Unsupported("ONNX Dropout", "in training mode: random numbers have no equation")
    return torch.clone(x)


# -- layouts -------------------------------------------------------------------------------------


@row("Transpose")
def _transpose(call, x, perm=None):
    return x.permute(perm or tuple(reversed(range(x.dim()))))


@row("Reshape")
def _reshape(call, x, shape, allowzero=0):
    wanted = call.integers(1)
    return x.reshape([x.shape[k] if e == 0 and not allowzero else e for k, e in enumerate(wanted)])


@row("Flatten")
def _flatten(call, x, axis=1):
    axis = axis + x.dim() if axis < 0 else axis
    rows = 1
    for extent in x.shape[:axis]:
        rows *= extent
    return x.reshape(rows, -1)


@row("Squeeze")
def _squeeze(call, x, at=None, axes=None):
    axes = call.integers(1, axes)
    if axes is not None and any(x.shape[axis] != 1 for axis in axes):
        raise Unsupported("ONNX Squeeze", f"of axes {axes} of the extents {tuple(x.shape)}")
    return x.squeeze(tuple(axes)) if axes is not None else x.squeeze()


@row("Unsqueeze")
def _unsqueeze(call, x, at=None, axes=None):
    axes = call.integers(1, axes)
    places = sorted({a % (x.dim() + len(axes)) for a in axes})
    if len(places) != len(axes):
        raise Unsupported("ONNX Unsqueeze", f"of axes {axes}, of which two are one")
    for axis in places:
        x = x.unsqueeze(axis)
    return x


@row("Expand")
def _expand(call, x, shape):
    return x.expand(torch.broadcast_shapes(x.shape, tuple(call.integers(1))))


@row("Concat")
def _concat(call, *inputs, axis):
    return torch.cat(inputs, axis)


@row("Split")
def _split(call, x, sizes=None, axis=0, num_outputs=None, split=None):
    sizes = call.integers(1, split)
    count = num_outputs or len(call.node.output)
    return x.split(sizes or -(-x.shape[axis] // count), axis)


@row("Slice")
def _slice(call, x, *inputs, starts=None, ends=None, axes=None):
    starts, ends = call.integers(1, starts), call.integers(2, ends)
    axes = call.integers(3, axes or range(len(starts)))
    for start, end, axis, step in zip(starts, ends, axes, call.integers(4, [1] * len(starts))):
        axis = axis_of(x, axis)
        begin, stop, _ = slice(start, end, step).indices(x.shape[axis])
        if step < 0:  # as what stands there, counted from the other end
            x = x.flip(axis)
            begin, stop, step = x.shape[axis] - 1 - begin, x.shape[axis] - 1 - stop, -step
        x = x[(slice(None),) * axis + (slice(begin, max(stop, begin), step),)]
    return x


@row("Gather")
def _gather(call, x, at, axis=0):
    return x[(slice(None),) * axis_of(x, axis) + (at,)]  # from the end where it is below 0


@row("GatherElements")
def _gather_elements(call, x, at, axis=0):
    return torch.gather(x, axis, torch.where(at < 0, at + x.shape[axis], at))


_MODES_OF_PAD = {"reflect": "reflect", "edge": "replicate"}


@row("Pad")
def _pad(call, x, *inputs, mode="constant", pads=None, value=0.0):
    if mode not in ("constant", *_MODES_OF_PAD):
        raise Unsupported("ONNX Pad", f"of the mode {mode}")
    amounts = call.integers(1, pads)
    axes = axes_of(x, call.integers(3, range(x.dim())))
    pairs = [(0, 0)] * x.dim()
    for place, axis in enumerate(axes):
        pairs[axis] = (amounts[place], amounts[place + len(axes)])
    if mode == "constant":
        fill = call.number(2, value)
        return F.pad(x, [amount for pair in reversed(pairs) for amount in pair], value=fill)
    for axis, pair in enumerate(pairs):
        if pair != (0, 0):
            last = x.movedim(axis, -1)
            rows = last.reshape(1, -1, last.shape[-1])
            wide = F.pad(rows, pair, _MODES_OF_PAD[mode])
            x = wide.reshape(*last.shape[:-1], wide.shape[-1]).movedim(-1, axis)
    return x


# -- reductions ----------------------------------------------------------------------------------


# reductions that change nothing over one element
_NOTHING_OF_ONE = (
    "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceLogSumExp", "ReduceProd",
)  # fmt: skip
# those that are whole numbers of whole numbers
_WHOLE = ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceSumSquare", "ReduceProd")


def _reduction(name, function):
    def reduce(call, x, at=None, axes=None, keepdims=1, noop_with_empty_axes=0):
        if not x.is_floating_point() and name not in _WHOLE:
            raise Unsupported(f"ONNX {name}", "of integers")
        axes = call.integers(1, axes)
        if not axes:
            if noop_with_empty_axes and name not in _NOTHING_OF_ONE:
                raise Unsupported(f"ONNX {name}", "over no axes, of which versions say two things")
            if noop_with_empty_axes:
                return x
            axes = range(x.dim())
        result = function(x, axes_of(x, axes), bool(keepdims))
        return result.to(x.dtype)  # PyTorch's sums of integers have 64 bits

    return reduce


def _product(x, axes, keep):
    for axis in sorted(axes, reverse=True):
        x = x.prod(axis, keepdim=keep, dtype=x.dtype)
    return x


for _name, _function in {
    "ReduceProd": _product,
    "ReduceSum": torch.sum,
    "ReduceMean": torch.mean,
    "ReduceMax": torch.amax,
    "ReduceMin": torch.amin,
    "ReduceL1": lambda x, axes, keep: x.abs().sum(axes, keep),
    "ReduceL2": lambda x, axes, keep: (x * x).sum(axes, keep).sqrt(),
    "ReduceSumSquare": lambda x, axes, keep: (x * x).sum(axes, keep),
    "ReduceLogSum": lambda x, axes, keep: x.sum(axes, keep).log(),
    "ReduceLogSumExp": torch.logsumexp,
}.items():
    row(_name)(_reduction(_name, _function))


def _extremum_place(function):
    def place(call, x, axis=0, keepdims=1, select_last_index=0):
        if select_last_index:
            raise Unsupported(f"ONNX {call.node.op_type}", "select_last_index")
        return function(x, axis, bool(keepdims))

    return place


row("ArgMax")(_extremum_place(torch.argmax))
row("ArgMin")(_extremum_place(torch.argmin))


@row("CumSum")
def _cumsum(call, x, axis, exclusive=0, reverse=0):
    axis = axis_of(x, call.integers(1)[0])
    given = x.flip(axis) if reverse else x
    total = torch.cumsum(given, axis, dtype=x.dtype)
    total = total - given if exclusive else total
    return total.flip(axis) if reverse else total


def _of_rows(function):
    def normalise(call, x, axis=None):
        if call.version >= 13:
            return function(x, -1 if axis is None else axis)
        axis = axis_of(x, 1 if axis is None else axis)  # of the tensor as a matrix
        return function(x.flatten(axis), -1).reshape(x.shape)

    return normalise


row("Softmax")(_of_rows(torch.softmax))
row("LogSoftmax")(_of_rows(torch.log_softmax))


# -- products, normalisations, windows -----------------------------------------------------------


@row("Gemm")
def _gemm(call, a, b, c=None, alpha=1.0, beta=1.0, transA=0, transB=0):
    if c is not None and c.dim() > 2:
        raise Unsupported("ONNX Gemm", f"with a bias of {c.dim()} axes")
    product = (a.t() if transA else a) @ (b.t() if transB else b)
    product = product if alpha == 1 else alpha * product
    return product if c is None else product + (c if beta == 1 else beta * c)


@row("LayerNormalization")
def _layer_norm(call, x, scale, bias=None, axis=-1, epsilon=1e-5, stash_type=1):
    axes = tuple(range(axis_of(x, axis), x.dim()))
    mean = x.mean(axes, keepdim=True)
    centred = x - mean
    deviation = ((centred * centred).mean(axes, keepdim=True) + epsilon).sqrt()
    normal = centred / deviation * scale
    normal = normal if bias is None else normal + bias
    return (normal, mean, 1 / deviation)[: len(call.node.output)]


@row("RMSNormalization")
def _rms_norm(call, x, scale, axis=-1, epsilon=1e-5, stash_type=1):
    axes = tuple(range(axis_of(x, axis), x.dim()))
    return x / ((x * x).mean(axes, keepdim=True) + epsilon).sqrt() * scale


@row("InstanceNormalization")
def _instance_norm(call, x, scale, bias, epsilon=1e-5):
    return F.instance_norm(x, weight=scale, bias=bias, eps=epsilon)


@row("GroupNormalization")
def _group_norm(call, x, scale, bias, num_groups, epsilon=1e-5, stash_type=1):
    if scale.shape[0] != x.shape[1]:
        raise Unsupported("ONNX GroupNormalization", "with a scale for each group (opset 18)")
    return F.group_norm(x, num_groups, scale, bias, epsilon)


@row("BatchNormalization")
def _batch_norm(
    call, x, scale, bias, mean, var, epsilon=1e-5, momentum=0.9, training_mode=0, spatial=1,
):  # fmt: skip
    if not spatial:
        raise Unsupported("ONNX BatchNormalization", "with statistics for each element")
    if training_mode or len(call.node.output) > 1:
        raise Unsupported("ONNX BatchNormalization", "in training mode; export it for inference")
    return F.batch_norm(x, mean, var, scale, bias, False, 0.0, epsilon)


def _paddings(call, x, kernel, strides, dilations, pads, auto_pad):
    """x with what cannot be said by one padding an axis already added, and the paddings left."""
    axes = len(kernel)
    if auto_pad != "NOTSET" and any("pads" in a.name for a in call.node.attribute):
        raise Unsupported(f"ONNX {call.node.op_type}", f"{auto_pad}, and paddings besides")
    if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        if any(dilation != 1 for dilation in dilations):
            raise Unsupported(f"ONNX {call.node.op_type}", f"{auto_pad} with dilations")
        pads = [0] * (2 * axes)
        for k in range(axes):
            extent, reach = x.shape[2 + k], dilations[k] * (kernel[k] - 1) + 1
            total = max((-(-extent // strides[k]) - 1) * strides[k] + reach - extent, 0)
            small, large = total // 2, total - total // 2
            first, last = (small, large) if auto_pad == "SAME_UPPER" else (large, small)
            pads[k], pads[axes + k] = first, last
    if auto_pad == "VALID":
        pads = [0] * (2 * axes)
    if pads[:axes] == pads[axes:]:
        return x, pads[:axes]
    return None, pads


def _padded_zeros(x, pads):
    axes = len(pads) // 2
    return F.pad(x, [p for k in reversed(range(axes)) for p in (pads[k], pads[axes + k])])


@row("Conv")
def _conv(
    call, x, w, bias=None, kernel_shape=None, strides=None, dilations=None, pads=None, group=1,
    auto_pad="NOTSET",
):  # fmt: skip
    axes = x.dim() - 2
    strides, dilations = strides or [1] * axes, dilations or [1] * axes
    pads = pads or [0] * (2 * axes)
    even, pads = _paddings(call, x, w.shape[2:], strides, dilations, pads, auto_pad)
    if even is None:
        x, pads = _padded_zeros(x, pads), [0] * axes
    convolve = (F.conv1d, F.conv2d, F.conv3d)[axes - 1]
    return convolve(x, w, bias, strides, pads, dilations, group)


@row("ConvTranspose")
def _conv_transpose(
    call, x, w, bias=None, kernel_shape=None, strides=None, dilations=None, pads=None, group=1,
    output_padding=None, auto_pad="NOTSET", output_shape=None,
):  # fmt: skip
    axes = x.dim() - 2
    pads = pads or [0] * (2 * axes)
    if auto_pad != "NOTSET" or output_shape or pads[:axes] != pads[axes:]:
        raise Unsupported("ONNX ConvTranspose", "auto_pad, output_shape or uneven padding")
    convolve = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[axes - 1]
    more = output_padding or [0] * axes
    return convolve(
        x, w, bias, strides or [1] * axes, pads[:axes], more, group, dilations or [1] * axes
    )


def _pool_settings(call, x, kernel_shape, strides, dilations, pads, auto_pad):
    axes = len(kernel_shape)
    strides, dilations = strides or [1] * axes, dilations or [1] * axes
    pads = pads or [0] * (2 * axes)
    even, pads = _paddings(call, x, kernel_shape, strides, dilations, pads, auto_pad)
    reach = [gap * (k - 1) + 1 for gap, k in zip(dilations, kernel_shape)]
    if any(pad >= r for pad, r in zip(pads, [*reach, *reach])):
        raise Unsupported(f"ONNX {call.node.op_type}", "with windows that may lie in the padding")
    is_wide = even is None or any(2 * pad > r for pad, r in zip(pads, reach))
    return strides, pads, dilations, is_wide


@row("MaxPool")
def _max_pool(
    call, x, kernel_shape, strides=None, dilations=None, pads=None, ceil_mode=0,
    auto_pad="NOTSET", storage_order=0,
):  # fmt: skip
    if len(call.node.output) > 1:
        raise Unsupported("ONNX MaxPool", "the place of the maximum")
    steps, pads, gaps, is_wide = _pool_settings(
        call, x, kernel_shape, strides, dilations, pads, auto_pad
    )
    if is_wide:
        raise Unsupported("ONNX MaxPool", "with uneven padding")
    pool = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[len(kernel_shape) - 1]
    return pool(x, kernel_shape, steps, pads, gaps, bool(ceil_mode))


@row("AveragePool")
def _average_pool(
    call, x, kernel_shape, strides=None, dilations=None, pads=None, ceil_mode=0,
    auto_pad="NOTSET", count_include_pad=0,
):  # fmt: skip
    steps, pads, gaps, is_wide = _pool_settings(
        call, x, kernel_shape, strides, dilations, pads, auto_pad
    )
    if any(gap != 1 for gap in gaps):
        raise Unsupported("ONNX AveragePool", "with dilations")
    pool = (F.avg_pool1d, F.avg_pool2d, F.avg_pool3d)[len(kernel_shape) - 1]
    if not is_wide:
        return pool(x, kernel_shape, steps, pads, bool(ceil_mode), bool(count_include_pad))
    if ceil_mode:
        raise Unsupported("ONNX AveragePool", "that rounds up, with uneven padding")
    pads = pads if len(pads) > len(kernel_shape) else pads * 2
    mean = pool(_padded_zeros(x, pads), kernel_shape, steps)
    if count_include_pad:
        return mean
    return mean / pool(_padded_zeros(torch.ones_like(x), pads), kernel_shape, steps)


@row("GlobalAveragePool")
def _global_average(call, x):
    _check_has_positions(call, x)
    return x.mean(tuple(range(2, x.dim())), keepdim=True)


@row("GlobalMaxPool")
def _global_max(call, x):
    _check_has_positions(call, x)
    return x.amax(tuple(range(2, x.dim())), keepdim=True)


def _check_has_positions(call, x):
    if x.dim() < 3:
        raise Unsupported(f"ONNX {call.node.op_type}", f"of {x.dim()} axes")
