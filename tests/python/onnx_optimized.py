"""Models of ONNX against what optimizers make of them, and against what wrong ones would: onnxsim,
onnxoptimizer and onnxruntime where they are installed, the function bodies of the package onnx's own
test models, and graphs written by hand.

In `make check` some of the pairs are judged, with AS_LONG=1 all of them.
"""

import contextlib
import os
import random
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

import assay
import onnx_cases

ALL = bool(os.environ.get("AS_LONG"))
SEED = 7
f32 = np.float32
MODELS = {}


def model(nodes, inputs, outputs, constants=(), opset=21, checked=True):
    """A model of nodes ("Add x y -> z", attributes), inputs and outputs (name, extents)."""
    made = []
    for text, attributes in nodes:
        given, results = text.split("->")
        kind, *names = given.split()
        names = ["" if name == "_" else name for name in names]
        made.append(helper.make_node(kind, names, results.split(), **attributes))
    values = [[helper.make_tensor_value_info(n, TensorProto.FLOAT, e) for n, e in inputs]]
    values.append([helper.make_tensor_value_info(n, TensorProto.FLOAT, e) for n, e in outputs])
    held = [numpy_helper.from_array(np.asarray(v), n) for n, v in constants]
    graph = helper.make_graph(made, "model", *values, held)
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    if checked:
        onnx.checker.check_model(whole)
    return whole


def named(function):
    MODELS[function.__name__] = function
    return function


def drawn(*extents):
    return np.random.default_rng(SEED + len(extents)).standard_normal(extents).astype(f32)


@named
def product_of_constants():
    nodes = [("Mul x a -> t", {}), ("Mul t b -> u", {}), ("Add u c -> y", {})]
    constants = [("a", f32(2)), ("b", f32(3)), ("c", f32(0))]
    return model(nodes, [("x", ["n", 4])], [("y", ["n", 4])], constants)


@named
def folded_constants():
    nodes = [("Add a b -> c", {}), ("Mul c k -> d", {}), ("Mul x d -> y", {})]
    constants = [("a", drawn(4)), ("b", drawn(1, 4)), ("k", f32(2))]
    return model(nodes, [("x", ["n", 4])], [("y", ["n", 4])], constants)


@named
def transposed_weight():
    nodes = [("Transpose w -> v", {"perm": [1, 0]}), ("MatMul x v -> t", {}), ("Add t b -> y", {})]
    constants = [("w", drawn(3, 4)), ("b", drawn(3))]
    return model(nodes, [("x", ["n", 4])], [("y", ["n", 3])], constants)


@named
def transposed_twice():
    nodes = [("Transpose x -> t", {"perm": [0, 2, 1]}), ("Relu t -> u", {})]
    nodes += [("Transpose u -> v", {"perm": [0, 2, 1]}), ("Identity v -> y", {})]
    return model(nodes, [("x", ["n", 3, "m"])], [("y", ["n", 3, "m"])])


@named
def layer_norm_by_hand():
    nodes = [("ReduceMean x axes -> m", {}), ("Sub x m -> d", {}), ("Mul d d -> q", {})]
    nodes += [("ReduceMean q axes -> v", {}), ("Add v e -> w", {}), ("Sqrt w -> s", {})]
    nodes += [("Div d s -> z", {}), ("Mul z g -> t", {}), ("Add t b -> y", {})]
    constants = [("axes", np.array([-1])), ("e", f32(1e-5)), ("g", drawn(4)), ("b", drawn(4) + 1)]
    return model(nodes, [("x", ["n", 4])], [("y", ["n", 4])], constants)


@named
def shape_chain():
    nodes = [("Shape x -> s", {}), ("Gather s zero -> n", {"axis": 0}), ("Unsqueeze n zero1 -> k", {})]
    nodes += [("Concat k rest -> w", {"axis": 0}), ("Reshape x w -> y", {})]
    constants = [("zero", np.array(0)), ("zero1", np.array([0])), ("rest", np.array([2, 2]))]
    return model(nodes, [("x", ["n", 4])], [("y", ["n", 2, 2])], constants)


@named
def convolution_and_bias():
    nodes = [("Conv x w -> c", {"pads": [1, 1, 1, 1]}), ("Add c b -> d", {}), ("Relu d -> y", {})]
    constants = [("w", drawn(2, 3, 3, 3)), ("b", drawn(1, 2, 1, 1))]
    return model(nodes, [("x", ["n", 3, 5, 5])], [("y", ["n", 2, 5, 5])], constants)


@named
def padded_convolution():
    nodes = [("Pad x p -> q", {}), ("Conv q w b -> y", {})]
    constants = [("p", np.array([0, 0, 1, 1, 0, 0, 1, 1])), ("w", drawn(2, 3, 3, 3)), ("b", drawn(2))]
    return model(nodes, [("x", ["n", 3, 5, 5])], [("y", ["n", 2, 5, 5])], constants)


@named
def dropped_out():
    nodes = [("Dropout x -> t", {}), ("Gemm t w b -> u", {"transB": 1}), ("Sigmoid u -> y", {})]
    constants = [("w", drawn(3, 4)), ("b", drawn(3))]
    return model(nodes, [("x", ["n", 4])], [("y", ["n", 3])], constants)


@named
def cast_and_unsqueezed():
    nodes = [("Cast x -> t", {"to": 1}), ("Unsqueeze t a -> u", {}), ("Unsqueeze u b -> v", {})]
    nodes += [("Squeeze v a -> w", {}), ("Exp w -> y", {})]
    constants = [("a", np.array([0])), ("b", np.array([2]))]
    return model(nodes, [("x", ["n", "m"])], [("y", ["n", 1, "m"])], constants)


@named
def sliced_twice():
    nodes = [("Slice x s e a -> t", {}), ("Slice t s e a -> u", {}), ("Neg u -> y", {})]
    constants = [("s", np.array([1])), ("e", np.array([99])), ("a", np.array([1]))]
    return model(nodes, [("x", ["n", 6])], [("y", ["n", 4])], constants)


@named
def common_subexpressions():
    nodes = [("Tanh x -> a", {}), ("Tanh x -> b", {}), ("Mul a b -> c", {}), ("Add c a -> y", {})]
    return model(nodes, [("x", ["n", "m"])], [("y", ["n", "m"])])


@named
def gelu_by_hand():
    nodes = [("Div x r -> a", {}), ("Erf a -> b", {}), ("Add b one -> c", {}), ("Mul x c -> d", {})]
    nodes += [("Mul d half -> y", {})]
    constants = [("r", f32(2)), ("one", f32(1)), ("half", f32(0.5))]
    return model(nodes, [("x", ["n", "m"])], [("y", ["n", "m"])], constants)


@named
def attention_by_hand():
    nodes = [("MatMul x wq -> q", {}), ("MatMul x wk -> k", {}), ("MatMul x wv -> v", {})]
    nodes += [("Transpose k -> t", {"perm": [0, 2, 1]}), ("MatMul q t -> s", {}), ("Mul s c -> u", {})]
    nodes += [("Softmax u -> p", {"axis": -1}), ("MatMul p v -> y", {})]
    constants = [(name, drawn(4, 4) + k) for k, name in enumerate(("wq", "wk", "wv"))]
    constants.append(("c", f32(0.5)))
    return model(nodes, [("x", ["n", "m", 4])], [("y", ["n", "m", 4])], constants)


# what torch.onnx writes of small modules: name, module, input, axes that stay open
EXPORTED = {
    "perceptron": (
        torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.Linear(8, 3)),
        (2, 4),
        {0: "n"},
    ),
    "normalised": (
        torch.nn.Sequential(torch.nn.LayerNorm(4), torch.nn.Linear(4, 4), torch.nn.SiLU()),
        (2, 3, 4),
        {0: "n", 1: "m"},
    ),
    "convolved": (
        torch.nn.Sequential(
            torch.nn.Conv2d(3, 4, 3, padding=1), torch.nn.ReLU(), torch.nn.AvgPool2d(2)
        ),
        (1, 3, 6, 6),
        {0: "n"},
    ),
}


def exported(name):
    """The model that torch.onnx writes."""
    module, extents, axes = EXPORTED[name]
    torch.manual_seed(SEED)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "model.onnx"
        torch.onnx.export(
            module.eval(), (torch.randn(*extents),), str(path), dynamo=False, opset_version=17,
            input_names=["x"], output_names=["y"], dynamic_axes={"x": axes, "y": axes},
            do_constant_folding=False,
        )  # fmt: skip
        return onnx.load(path)


# -- optimizers ----------------------------------------------------------------------------------


def simplified(given):
    import onnxsim

    made, right = onnxsim.simplify(given)
    assert right
    return made


def optimized(given):
    import onnxoptimizer

    return onnxoptimizer.optimize(given)


def of_runtime(given):
    import onnxruntime

    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = f"{folder}/optimized.onnx"
        options.log_severity_level = 4
        onnxruntime.InferenceSession(
            given.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return onnx.load(options.optimized_model_filepath)


OPTIMIZERS = {"onnxsim": simplified, "onnxoptimizer": optimized, "onnxruntime": of_runtime}


# -- wrong folds ---------------------------------------------------------------------------------


# operators whose results have the extents of their first input
_SAME_EXTENTS = ("Relu", "Sigmoid", "Tanh", "Exp", "Neg", "Erf", "Softmax", "Sqrt")


def wrongly_folded(given, generator):
    """The model with one thing wrong, and what that is: a constant, the order of inputs, or an
    operator that is left out; None where it has none of these."""
    made = onnx.ModelProto()
    made.CopyFrom(given)
    graph = made.graph
    reals = [c for c in graph.initializer if c.data_type == TensorProto.FLOAT]
    swapped = [n for n in graph.node if n.op_type in ("Sub", "Div")]
    left_out = [n for n in graph.node if n.op_type in _SAME_EXTENTS]
    ways = ["constant"] * bool(reals) + ["order"] * bool(swapped) + ["dropped"] * bool(left_out)
    if not ways:
        return None
    way = generator.choice(ways)
    if way == "constant":
        each = generator.choice(reals)
        value = numpy_helper.to_array(each).copy()
        flat = value.reshape(-1)
        flat[generator.randrange(len(flat))] += f32(0.75)
        each.CopyFrom(numpy_helper.from_array(value.reshape(value.shape), each.name))
    elif way == "order":
        node = generator.choice(swapped)
        first, second = node.input
        node.input[0], node.input[1] = second, first
    else:
        node = generator.choice(left_out)
        node.CopyFrom(helper.make_node("Identity", [node.input[0]], [node.output[0]]))
    return made, way


# -- the tests -----------------------------------------------------------------------------------


def judged(first, second, seconds=60):
    """The verdict's word, and the verdict or why there is none."""
    try:
        given, other = assay.from_onnx(first), assay.from_onnx(second)
        torch.manual_seed(SEED)
        examples = given.examples(extent=3)
        verdict = assay.certify(given, other, *examples, seconds=seconds)
    except assay.AssayError as problem:
        return "refused", problem
    return verdict.verdict, verdict


def bodies():
    """The onnx package's test models of operators, and of the same written out."""
    from onnx.backend.test.case import node as cases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = {case.name: case for case in cases.collect_testcases(None)}
    wanted = """softmax_axis_1 logsoftmax_axis_1 mish hardswish celu selu elu leakyrelu softplus
    softsign thresholdedrelu hardsigmoid reduce_l1_do_not_keepdims_random
    reduce_l2_keep_dims_random reduce_sum_square_keepdims_random gelu_default_1
    reduce_log_sum_exp_keepdims_random layer_normalization_2d_axis1 rms_normalization_2d_axis1
    layer_normalization_3d_axis1_epsilon rms_normalization_4d_axis3 mvn swish
    group_normalization_example prelu_example rotary_embedding attention_4d attention_3d
    attention_4d_gqa attention_4d_scaled attention_4d_softcap""".split()
    for name in wanted:
        pair = known.get(f"test_{name}"), known.get(f"test_{name}_expanded")
        if None not in pair:
            yield name, *map(_with_integers, pair)


def _with_integers(case):
    """The model, with integers that say axes as constants."""
    given = [onnx_cases.tensor(x) for x in case.data_sets[0][0]]
    return onnx_cases.with_known_integers(case, given)[0]


class Optimized(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")

    def told(self, what, words):
        counted = {word: words.count(word) for word in sorted(set(words))}
        print(f"{what}: {len(words)} pairs, {counted}", file=sys.stderr)

    def originals(self):
        for name, make in MODELS.items():
            yield name, make()
        for name in EXPORTED if ALL else ():
            yield name, exported(name)

    def test_what_optimizers_make(self):
        installed = {}
        for name, optimizer in OPTIMIZERS.items():
            with contextlib.suppress(ImportError):
                __import__(name)
                installed[name] = optimizer
        if not installed:
            self.skipTest("onnxsim, onnxoptimizer and onnxruntime are not installed")
        words = []
        for number, (name, original) in enumerate(self.originals()):
            for place, (who, optimizer) in enumerate(installed.items()):
                if not ALL and (number % 5 or place != number // 5 % len(installed)):
                    continue
                try:
                    made = optimizer(original)
                except Exception as problem:  # noqa: BLE001  (an optimizer's own mistakes)
                    print(f"{who} fails at {name}: {problem}", file=sys.stderr)
                    continue
                word, verdict = judged(original, made)
                words.append(word)
                with self.subTest(model=name, by=who, said=str(verdict)[:500]):
                    self.assertEqual(word, "PROVED")
        self.told("optimized", words)

    def test_operators_and_their_bodies(self):
        words = []
        for number, (name, operator, body) in enumerate(bodies()):
            if not ALL and number % 16:
                continue
            word, verdict = judged(operator, body)
            words.append(word)
            with self.subTest(operator=name, said=str(verdict)[:500]):
                self.assertEqual(word, "PROVED")
        self.told("operators written out", words)

    def test_wrong_folds(self):
        generator = random.Random(SEED)
        print(f"seed {SEED}", file=sys.stderr)
        words = []
        folds = [(name, m, wrongly_folded(m, generator)) for name, m in self.originals()]
        folds = [each for each in folds if each[2] is not None]
        for name, original, (wrong, way) in folds if ALL else folds[:3]:
            word, verdict = judged(original, wrong)
            words.append(word)
            with self.subTest(model=name, way=way, said=str(verdict)[:500]):
                self.assertEqual(word, "REFUTED")
        self.told("wrong folds", words)

    def test_models_that_are_none(self):
        """What ONNX does not allow is refused, and not read as something near to it."""
        x, y = ("x", ["n", 3]), ("y", ["n", "m"])
        axes = [("a", np.array([1, 1]))]
        for nodes, constants in (
            ([("Squeeze x a -> y", {})], [("a", np.array([1]))]),
            ([("Unsqueeze x a -> y", {})], axes),
            ([("Cast x -> t", {"to": 7}), ("Reciprocal t -> y", {})], []),
            ([("Add x z -> y", {})], []),
        ):
            with self.subTest(nodes=nodes), self.assertRaises(assay.AssayError):
                whole = model(nodes, [x], [y], constants, checked=False)
                assay.from_onnx(whole)(torch.randn(2, 3))

    def test_sizes_that_a_model_names(self):
        inputs = [("x", ["n", 4]), ("z", ["n", 4])]
        first = model([("Add x z -> y", {})], inputs, [("y", ["n", 4])])
        second = model([("Add z x -> y", {})], inputs, [("y", ["n", 4])])
        word, verdict = judged(first, second)
        self.assertEqual(word, "PROVED")
        self.assertTrue(verdict.scope.startswith(assay.equality.ALL_SIZES))
        self.assertNotIn("4 =", verdict.scope)


if __name__ == "__main__":
    unittest.main()
