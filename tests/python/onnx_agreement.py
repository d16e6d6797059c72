"""Models of ONNX as onnxruntime runs them: the import gives the same values, types and shapes, or
refuses.

The onnx package's own models of operators that the table has, and random chains of operators with
random attributes, many of which ONNX does not allow.  `make check` takes some, AS_LONG=1 all;
`python tests/python/onnx_agreement.py COUNT SEED` makes so many chains of that seed.
"""

import collections
import os
import random
import sys
import unittest
import warnings

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

import assay
import onnx_cases
from assay.onnx_model import ROWS

try:
    import onnxruntime
except ImportError:
    onnxruntime = None

ALL = bool(os.environ.get("AS_LONG"))
SEED = 11
CHAINS = 500 if ALL else 60
CASES_APART = 1 if ALL else 8
_REFUSALS = (assay.AssayError, RuntimeError, IndexError, ValueError)

AGREES, REFUSED, INVALID, DIFFERS, ACCEPTED, NO_KERNEL = (
    "as onnxruntime",
    "refused",
    "refused by both",
    "DIFFERS",
    "ACCEPTED, refused by onnxruntime",
    "onnxruntime has no kernel",
)


# -- what runs a model ---------------------------------------------------------------------------


def by_runtime(model, arrays):
    """What onnxruntime gives; None where it refuses the model or its inputs, NO_KERNEL where it has
    none for an operator of these types."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return session.run(None, arrays)
    except Exception as problem:  # noqa: BLE001  (onnxruntime raises many kinds)
        return NO_KERNEL if type(problem).__name__ == "NotImplemented" else None


def imported(model, arrays):
    """What the imported module gives, as arrays; the refusal where it refuses."""
    try:
        module = assay.from_onnx(model)
        names = [given.name for given in module._inputs]
        made = module(*(torch.from_numpy(arrays[name].copy()) for name in names))
    except _REFUSALS as problem:
        return problem
    made = made if isinstance(made, tuple) else (made,)
    return [each.detach().numpy() for each in made]


def are_alike(ours, theirs):
    """By type, shape and value, beside rounding."""
    if not isinstance(theirs, np.ndarray) or ours.dtype != theirs.dtype:
        return False
    if ours.shape != theirs.shape:
        return False
    if ours.dtype.kind != "f":
        return np.array_equal(ours, theirs)
    bound = {2: 4e-3, 4: 2e-5, 8: 1e-6}[ours.dtype.itemsize]  # of doubles some come of single ones
    largest = np.abs(theirs[np.isfinite(theirs)], dtype=np.float64).max(initial=1.0)
    return np.allclose(ours, theirs, rtol=bound, atol=bound * largest, equal_nan=True)


def compared(model, arrays):
    """How import and onnxruntime compare, and both results."""
    theirs, ours = by_runtime(model, arrays), imported(model, arrays)
    if theirs == NO_KERNEL:
        return NO_KERNEL, ours, theirs
    if theirs is None:
        return (INVALID if isinstance(ours, Exception) else ACCEPTED), ours, theirs
    if isinstance(ours, Exception):
        return REFUSED, ours, theirs
    same = len(ours) == len(theirs) and all(map(are_alike, ours, theirs))
    return (AGREES if same else DIFFERS), ours, theirs


# -- random chains of operators ------------------------------------------------------------------


class Chain:
    """A model under construction: nodes one after the other, each of the last one's result."""

    def __init__(self, generator):
        self.generator = generator
        self.version = generator.choice((11, 13, 17, 18, 19, 21))
        self.nodes, self.constants, self.arrays = [], {}, {}
        self.value = self.drawn(self.extents(), self.kind())
        self.name = "x"
        self.arrays["x"] = self.value

    # what is drawn

    def pick(self, *choices):
        return self.generator.choice(choices)

    def kind(self):
        return self.pick(*["float32"] * 8, "int32", "int64", "uint8", "int8", "bool", "float64")

    def extents(self, rank=None):
        rank = self.generator.choice((0, 1, 2, 2, 3, 3, 4, 4)) if rank is None else rank
        return [self.generator.choice((1, 2, 3, 4, 5, 6)) for _ in range(rank)]

    def drawn(self, extents, kind="float32"):
        numbers = np.random.default_rng(self.generator.randrange(1 << 30))
        if kind == "bool":
            return np.asarray(numbers.random(extents) < 0.5)
        if kind.startswith("float"):
            coarse = self.generator.random() < 0.4  # with ties, halves and zeros
            drawn = numbers.standard_normal(extents) * 2
            return np.asarray(np.round(drawn * 2) / 2 if coarse else drawn, dtype=kind)
        low = 0 if kind.startswith("u") else -9
        return numbers.integers(low, 10, extents).astype(kind)

    def axis(self):
        rank = self.value.ndim
        return self.generator.randrange(-rank - 1, rank + 1) if self.rarely() else self._inside()

    def _inside(self):
        rank = max(self.value.ndim, 1)
        return self.generator.randrange(-rank, rank)

    def size(self, axis):
        inside = -self.value.ndim <= axis < self.value.ndim
        return max(self.value.shape[axis], 1) if inside else 1

    def axes(self):
        return [self.axis() for _ in range(self.generator.randrange(0, max(self.value.ndim, 1) + 1))]

    def rarely(self):
        return self.generator.random() < 0.08

    def often(self):
        return self.generator.random() < 0.5

    def partner(self):
        """A tensor that mostly broadcasts against the last one."""
        extents = [e if self.often() else 1 for e in self.value.shape]
        extents = extents[self.generator.randrange(len(extents) + 1) :] if self.often() else extents
        if self.rarely():
            extents = self.extents()
        kind = self.kind() if self.rarely() else str(self.value.dtype)
        return self.drawn(extents, kind)

    # what is built

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(value)
        return name

    def given(self, value):
        """A constant or another input of the model."""
        if self.often():
            return self.constant(value)
        name = f"i{len(self.arrays)}"
        self.arrays[name] = np.asarray(value)
        return name

    def integers(self, *values):
        return self.constant(np.array(values, dtype=np.int64))

    def model(self, kind, names, attributes, results=1):
        outputs = [f"y{len(self.nodes)}"] + [f"z{len(self.nodes)}_{k}" for k in range(results - 1)]
        settings = {k: v for k, v in attributes.items() if v != []}
        node = helper.make_node(kind, names, outputs, **settings)
        node_list = [*self.nodes, node]
        read = {name for n in node_list for name in n.input}
        given = [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
            for n, v in self.arrays.items()
            if n in read
        ]
        held = [numpy_helper.from_array(v, n) for n, v in self.constants.items() if n in read]
        made = [onnx.ValueInfoProto(name=name) for name in outputs]
        graph = helper.make_graph(node_list, "chain", given, made, held)
        imports = [helper.make_opsetid("", self.version)]
        return helper.make_model(graph, opset_imports=imports, ir_version=10), node

    def arrays_of(self, model):
        return {given.name: self.arrays[given.name] for given in model.graph.input}


FORMS = {}


def form(*kinds):
    """A function of a chain and the operator's name that gives input names and attributes."""

    def add(function):
        FORMS.update(dict.fromkeys(kinds, function))
        return function

    return add


@form(*"""Relu Sigmoid Tanh Exp Log Abs Sqrt Neg Reciprocal Softsign Softplus HardSwish Mish Identity
Not Ceil Floor Cos Sin Erf Sign Cosh Sinh Round Dropout GlobalAveragePool GlobalMaxPool""".split())
def _of_one(chain, kind):
    return [chain.name], {}


@form(*"""Add Sub Mul Div Equal Greater Less GreaterOrEqual LessOrEqual And Or Pow Max Min Sum Mean
PRelu Xor BitwiseAnd BitwiseOr""".split())
def _of_two(chain, kind):
    other = chain.given(chain.partner())
    turned = chain.often() and kind not in ("PRelu", "Pow")
    return ([other, chain.name] if turned else [chain.name, other]), {}


@form("Mod")
def _mod(chain, kind):
    other = chain.partner()
    other = np.where(other == 0, 1, other).astype(other.dtype)
    fmod = int(chain.often() or other.dtype.kind == "f")
    return [chain.name, chain.given(other)], {"fmod": fmod}


@form("LeakyRelu", "Elu", "Celu", "ThresholdedRelu", "Selu", "HardSigmoid", "Swish")
def _with_alpha(chain, kind):
    return [chain.name], {"alpha": chain.pick(0.1, 0.5, 1.5)} if chain.often() else {}


@form("Gelu")
def _gelu(chain, kind):
    chain.version = 21
    return [chain.name], {"approximate": chain.pick("none", "tanh")}


@form("Clip")
def _clip(chain, kind):
    low, high = (chain.constant(np.array(v, chain.value.dtype)) for v in (1, chain.pick(0, 2, 5)))
    return [chain.name, *chain.pick(("", high), (low, high), (low,), ())], {}


@form("Where")
def _where(chain, kind):
    condition = chain.given(np.asarray(chain.partner() > 0))
    return [condition, chain.name, chain.given(chain.partner())], {}


@form("Cast")
def _cast(chain, kind):
    return [chain.name], {"to": chain.pick(1, 2, 3, 6, 7, 9, 10, 11)}


@form(*"""ReduceSum ReduceMean ReduceMax ReduceMin ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum
ReduceLogSumExp ReduceProd""".split())
def _reduction(chain, kind):
    attributes = {"keepdims": chain.pick(0, 1)} if chain.often() else {}
    axes = chain.axes()
    as_input = chain.version >= 18 or (chain.version >= 13 and kind == "ReduceSum")
    if as_input and chain.often():
        attributes["noop_with_empty_axes"] = chain.pick(0, 1)
    if chain.often() and chain.often():
        return [chain.name], attributes
    if as_input:
        return [chain.name, chain.integers(*axes)], attributes
    return [chain.name], attributes | ({"axes": axes} if axes else {})


@form("ArgMax", "ArgMin")
def _place(chain, kind):
    attributes = {"axis": chain.axis(), "keepdims": chain.pick(0, 1)}
    return [chain.name], attributes | ({"select_last_index": 1} if chain.rarely() else {})


@form("CumSum")
def _cumsum(chain, kind):
    attributes = {"exclusive": int(chain.often()), "reverse": int(chain.often())}
    return [chain.name, chain.constant(np.int64(chain.axis()))], attributes


@form("Softmax", "LogSoftmax", "Flatten", "LpNormalization")
def _along(chain, kind):
    attributes = {"axis": chain.axis()} if chain.often() else {}
    if kind == "LpNormalization":
        attributes["p"] = chain.pick(1, 2)
    return [chain.name], attributes


@form("MeanVarianceNormalization")
def _of_axes(chain, kind):
    several = [k for k, extent in enumerate(chain.value.shape) if extent > 1]
    return [chain.name], {"axes": several[: chain.pick(1, 2)] or [9]}


@form("Transpose")
def _transpose(chain, kind):
    order = list(range(chain.value.ndim))
    chain.generator.shuffle(order)
    return [chain.name], {"perm": order} if chain.often() else {}


@form("Reshape")
def _reshape(chain, kind):
    shape = list(chain.value.shape)
    wanted = chain.pick([-1], [0, -1], [1, *shape], shape[::-1], [*shape[:-2], -1], [2, -1], [0])
    attributes = {"allowzero": 1} if chain.version >= 14 and chain.rarely() else {}
    return [chain.name, chain.integers(*wanted)], attributes


@form("Squeeze", "Unsqueeze")
def _squeeze(chain, kind):
    axes = chain.axes() if chain.often() else [chain.axis()]
    if kind == "Squeeze" and not chain.rarely():
        axes = [k for k, e in enumerate(chain.value.shape) if e == 1]
    if kind == "Squeeze" and chain.often():
        return [chain.name], {}
    if chain.version < 13:
        return [chain.name], {"axes": axes} if axes else {}
    return [chain.name, chain.integers(*axes)], {}


@form("Expand")
def _expand(chain, kind):
    wanted = [e if chain.often() else 1 for e in chain.value.shape]
    wanted = [3 if e == 1 and chain.often() else e for e in wanted]
    return [chain.name, chain.integers(*chain.pick(wanted, [2, *wanted], wanted[1:]))], {}


@form("Concat")
def _concat(chain, kind):
    axis = chain.axis()
    extents = list(chain.value.shape)
    if -len(extents) <= axis < len(extents) and not chain.rarely():
        extents[axis] = chain.pick(1, 2, 3)
    other = chain.drawn(extents, str(chain.value.dtype))
    return [chain.name, chain.given(other)], {"axis": axis}


@form("Split")
def _split(chain, kind):
    axis = chain.axis()
    if chain.version >= 18:
        return [chain.name], {"axis": axis, "num_outputs": 2}
    return [chain.name], {"axis": axis}


@form("Slice")
def _slice(chain, kind):
    axes = sorted({chain._inside() for _ in range(chain.pick(1, 2))})
    starts = [chain.generator.randrange(-4, 5) for _ in axes]
    ends = [chain.pick(-7, -1, 1, 2, 3, 99, -99) for _ in axes]
    parts = [chain.integers(*v) for v in (starts, ends, axes)]
    if chain.often():
        parts.append(chain.integers(*(chain.pick(1, 2, 3, -1, -2) for _ in axes)))
    return [chain.name, *parts], {}


@form("Gather")
def _gather(chain, kind):
    axis = chain.axis()
    size = chain.size(axis)
    at = chain.drawn(chain.extents(chain.pick(0, 1, 2)), "int64") % (2 * size) - size
    return [chain.name, chain.constant(at)], {"axis": axis} if chain.often() else {"axis": axis}


@form("GatherElements")
def _gather_elements(chain, kind):
    axis = chain.axis()
    size = chain.size(axis)
    extents = list(chain.value.shape)
    if chain.often() and extents:
        extents[axis % len(extents)] = 2
    return [chain.name, chain.given(chain.drawn(extents, "int64") % (2 * size) - size)], {"axis": axis}


@form("Pad")
def _pad(chain, kind):
    amounts = [chain.pick(0, 0, 1, 2, -1) for _ in range(2 * chain.value.ndim)]
    mode = chain.pick("constant", "constant", "reflect", "edge", "wrap")
    parts = [chain.name, chain.integers(*amounts)]
    if mode == "constant" and chain.often():
        parts.append(chain.constant(np.array(chain.pick(0, 1), chain.value.dtype)))
    return parts, {"mode": mode}


@form("Tile")
def _tile(chain, kind):
    times = [chain.pick(1, 1, 2, 3) for _ in chain.value.shape]
    return [chain.name, chain.integers(*(times[1:] if chain.rarely() else times))], {}


@form("Trilu")
def _trilu(chain, kind):
    diagonal = [chain.constant(np.int64(chain.pick(-2, -1, 0, 1, 9)))] if chain.often() else []
    return [chain.name, *diagonal], {"upper": chain.pick(0, 1)}


@form("MatMul")
def _matmul(chain, kind):
    kind = str(chain.value.dtype)
    inner = chain.value.shape[-1] if chain.value.ndim else 2
    inner = inner + 1 if chain.rarely() else inner
    batch = list(chain.value.shape[:-2]) if chain.often() else []
    extents = chain.pick([inner], [*batch, inner, 3], [inner, 1])
    return [chain.name, chain.given(chain.drawn(extents, kind))], {}


@form("Gemm")
def _gemm(chain, kind):
    attributes = {k: v for k, v in (("transA", 1), ("transB", 1)) if chain.often()}
    attributes |= {k: chain.pick(0.5, 2.0) for k in ("alpha", "beta") if chain.often()}
    shape = chain.value.shape
    inner = shape[0 if "transA" in attributes else -1] if shape else 1
    b = chain.drawn([4, inner] if "transB" in attributes else [inner, 4], str(chain.value.dtype))
    c = chain.drawn(chain.pick([4], [1], [], [1, 4], [3, 4], [2, 1, 4]), str(chain.value.dtype))
    return [chain.name, chain.given(b), *([chain.given(c)] if chain.often() else [])], attributes


@form("LayerNormalization", "RMSNormalization")
def _of_rows(chain, kind):
    chain.version = 23 if kind[0] == "R" else 17
    axis = chain.axis()
    inside = -chain.value.ndim <= axis < chain.value.ndim
    extents = chain.value.shape[axis:] if inside and chain.value.ndim else [1]
    names = [chain.given(chain.drawn(extents)) for _ in range(2 if kind[0] == "L" else 1)]
    return [chain.name, *names], {"axis": axis, "epsilon": chain.pick(1e-5, 0.1)}


@form("InstanceNormalization", "GroupNormalization", "BatchNormalization")
def _of_channels(chain, kind):
    channels = chain.value.shape[1] if chain.value.ndim > 1 else 1
    names = [chain.constant(np.abs(chain.drawn([channels])) + 0.5) for _ in range(4)]
    names = names[: 4 if kind[0] == "B" else 2]
    attributes = {"num_groups": chain.pick(1, channels)} if kind[0] == "G" else {}
    chain.version = 21 if kind[0] == "G" else chain.version
    return [chain.name, *names], attributes | {"epsilon": 0.25}


def _window_settings(chain, axes, taps):
    made = {}
    if chain.often():
        made["strides"] = [chain.pick(1, 2, 3) for _ in range(axes)]
    if chain.often() and chain.often():
        made["dilations"] = [chain.pick(1, 2) for _ in range(axes)]
    if chain.often():
        made["auto_pad"] = chain.pick("SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET")
    if made.get("auto_pad", "NOTSET") == "NOTSET" or chain.rarely():
        made["pads"] = [chain.generator.randrange(taps) for _ in range(2 * axes)]
    return made


@form("Conv", "ConvTranspose")
def _convolution(chain, kind):
    axes = max(chain.value.ndim - 2, 1)
    channels = chain.value.shape[1] if chain.value.ndim > 1 else 1
    groups = chain.pick(1, 1, channels)
    taps = chain.pick(1, 2, 3)
    attributes = _window_settings(chain, axes, taps) | {"group": groups}
    outer = [channels, 2] if kind == "ConvTranspose" else [2 * groups, channels // groups]
    if kind == "ConvTranspose" and chain.rarely():
        attributes["output_padding"] = [1] * axes
    weight = chain.given(chain.drawn([*outer, *[taps] * axes]))
    bias = [chain.given(chain.drawn([2 * groups]))] if chain.often() else []
    return [chain.name, weight, *bias], attributes


@form("MaxPool", "AveragePool")
def _pool(chain, kind):
    axes = max(chain.value.ndim - 2, 1)
    taps = chain.pick(1, 2, 3)
    attributes = _window_settings(chain, axes, taps) | {"kernel_shape": [taps] * axes}
    if kind == "AveragePool" and chain.often():
        attributes["count_include_pad"] = 1
    if kind == "AveragePool" and "dilations" in attributes:
        chain.version = 21
    if chain.often() and chain.often():
        attributes["ceil_mode"] = 1
    return [chain.name], attributes


@form("DepthToSpace", "SpaceToDepth")
def _blocks(chain, kind):
    return [chain.name], {"blocksize": 2}


@form("Einsum")
def _einsum(chain, kind):
    letters = "abcd"[: chain.value.ndim]
    kept = "".join(chain.generator.sample(letters, chain.generator.randrange(len(letters) + 1)))
    return [chain.name], {"equation": f"{letters}->{kept}"}


@form("QuantizeLinear", "DequantizeLinear")
def _quantise(chain, kind):
    channels = chain.value.shape[1] if chain.value.ndim > 1 and chain.often() else None
    scale = np.abs(chain.drawn([channels] if channels else [])) + np.float32(0.25)
    held = chain.pick("uint8", "int8") if kind[0] == "Q" else str(chain.value.dtype)
    zero = [chain.constant(chain.drawn(scale.shape, held))] if chain.often() else []
    return [chain.name, chain.constant(scale), *zero], {"axis": 1} if chain.often() else {}


@form("TopK")
def _top(chain, kind):
    count = chain.integers(chain.pick(1, 2, 3))
    return [chain.name, count], {"axis": chain.axis(), "largest": chain.pick(0, 1)}


@form("Resize")
def _resize(chain, kind):
    of_planes = chain.value.ndim == 4  # others are not in onnxruntime
    mode = chain.pick("nearest", "linear", *["cubic"] * of_planes)
    chain.version = max(chain.version, 13)
    attributes = {"mode": mode}
    attributes["coordinate_transformation_mode"] = chain.pick(
        "half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"
    )
    if mode == "nearest":
        attributes["nearest_mode"] = chain.pick("floor", "round_prefer_floor", "ceil")
    fixed = [1] * min(chain.value.ndim, 2)
    times = [chain.pick(1.0, 2.0, 0.5, 3.0) for _ in chain.value.shape[2:]]
    if chain.often():
        return [chain.name, "", chain.constant(np.float32([*fixed, *times]))], attributes
    sizes = [max(1, int(e * t)) for e, t in zip(chain.value.shape[2:], times)]
    return [chain.name, "", "", chain.integers(*chain.value.shape[:2], *sizes)], attributes


def chains(count, seed):
    """The comparison of each of `count` models: (word, node, import's results, onnxruntime's)."""
    generator = random.Random(seed)
    kinds = sorted(FORMS)
    left = []
    done = 0
    while done < count:
        chain = Chain(generator)
        for _ in range(generator.choice((1, 2, 2, 3))):
            if not left:  # each kind as often as the others
                left = generator.sample(kinds, len(kinds))
            kind = left.pop()
            names, attributes = FORMS[kind](chain, kind)
            model, node = chain.model(kind, names, attributes, 2 if kind in ("Split", "TopK") else 1)
            word, ours, theirs = compared(model, chain.arrays_of(model))
            done += 1
            yield word, f"opset {chain.version}, {_said(chain, node)}", ours, theirs
            if word != AGREES or theirs[0].size == 0 or not np.isfinite(theirs[0]).all():
                break
            chain.nodes.append(node)
            chain.name, chain.value = node.output[0], theirs[0]


def _said(chain, node):
    shapes = {n: v for n, v in (*chain.arrays.items(), *chain.constants.items())}
    shapes[chain.name] = chain.value
    said = [f"{shapes[n].dtype}{list(shapes[n].shape)}" if n else "none" for n in node.input]
    held = [f"{n}={chain.constants[n].tolist()}" for n in node.input if _is_short(chain, n)]
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    return f"{node.op_type}({', '.join(said)}) {attributes} {' '.join(held)}"


def _is_short(chain, name):
    return name in chain.constants and chain.constants[name].size <= 4


# -- the tests -----------------------------------------------------------------------------------


@unittest.skipIf(onnxruntime is None, "onnxruntime is not installed")
class Agreement(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        warnings.showwarning = lambda *_: None

    def told(self, what, counted):
        print(f"{what}: {sum(counted.values())}, {dict(counted)}", file=sys.stderr)

    def test_models_of_the_onnx_package(self):
        from onnx.backend.test.case import node as cases

        counted, number = collections.Counter(), 0
        for case in cases.collect_testcases(None):
            graph = case.model.graph
            if any(n.op_type not in ROWS and n.op_type != "Constant" for n in graph.node):
                continue
            number += 1
            if number % CASES_APART:
                continue
            for given, _ in case.data_sets:
                tensors = [onnx_cases.tensor(x) for x in given]
                if any(x is None for x in tensors):
                    continue
                model, inputs = onnx_cases.with_known_integers(case, tensors)
                held = {c.name for c in model.graph.initializer}
                names = [i.name for i in model.graph.input if i.name not in held]
                arrays = {n: x.numpy() for n, x in zip(names, inputs)}
                word, ours, theirs = compared(model, arrays)
                counted[word] += 1
                with self.subTest(case=case.name, ours=str(ours)[:200], theirs=str(theirs)[:200]):
                    self.assertNotEqual(word, DIFFERS)
        self.told("models of the onnx package", counted)

    def test_random_chains(self):
        counted = collections.Counter()
        for word, said, ours, theirs in chains(CHAINS, SEED):
            counted[word] += 1
            with self.subTest(model=said, ours=str(ours)[:200], theirs=str(theirs)[:200]):
                self.assertNotIn(word, (DIFFERS, ACCEPTED))
        self.told(f"random models, seed {SEED}", counted)


def main(count, seed):
    warnings.simplefilter("ignore")
    counted = collections.Counter()
    for word, said, ours, theirs in chains(count, seed):
        counted[word] += 1
        if word in (DIFFERS, ACCEPTED) or "-v" in sys.argv and word == REFUSED:
            print(f"{word}: {said}\n  import      {str(ours)[:300]}\n  onnxruntime {str(theirs)[:300]}")
    print(f"{sum(counted.values())} models, seed {seed}: {dict(counted)}")
    return int(any(counted[word] for word in (DIFFERS, ACCEPTED)))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
    unittest.main()
