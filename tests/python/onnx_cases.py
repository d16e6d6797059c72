"""The onnx package's own test cases for the operators that the table has, and models compiled."""

import sys
import unittest
import warnings

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

import assay
from assay.onnx_model import ROWS


def tensor(value):
    if isinstance(value, TensorProto):
        value = numpy_helper.to_array(value)
    if not isinstance(value, np.ndarray):
        return None  # a sequence
    try:
        return torch.from_numpy(value.copy())
    except TypeError:
        return None  # of a type that NumPy lacks


def with_known_integers(case, inputs):
    """The model with its integer inputs of one axis as initializers: they say shapes and axes."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    places = []
    for place, (given, value) in enumerate(zip(case.model.graph.input, inputs)):
        says_shape = (
            not value.is_floating_point() and value.dtype != torch.bool and value.dim() <= 1
        )
        if says_shape and place > 0:
            model.graph.initializer.append(numpy_helper.from_array(value.numpy(), given.name))
        else:
            places.append(place)
    return model, [inputs[place] for place in places]


def is_close(got, wanted):
    """By the tolerance of the onnx package's own tests."""
    same = got.shape == wanted.shape and got.dtype == wanted.dtype
    least = 1e-3 if got.dtype == torch.float16 else 1e-6
    return same and torch.allclose(got, wanted, rtol=1e-3, atol=least, equal_nan=True)


class Onnx(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        torch.manual_seed(3)

    def test_cases_of_the_onnx_package(self):
        """What a row refuses it names; what it computes is what the onnx package expects."""
        from onnx.backend.test.case import node as cases

        right, refused, used, wrong = 0, 0, set(), []
        for case in cases.collect_testcases(None):
            graph = case.model.graph
            if any(n.op_type not in ROWS for n in graph.node) or len(graph.node) != 1:
                continue
            for given, wanted in case.data_sets:
                tensors = [tensor(x) for x in given]
                expected = [tensor(x) for x in wanted]
                if any(x is None for x in tensors + expected):
                    continue
                model, inputs = with_known_integers(case, tensors)
                try:
                    got = assay.from_onnx(model)(*inputs)
                except (assay.AssayError, RuntimeError, IndexError):  # PyTorch refuses such places
                    refused += 1
                    continue
                got = got if isinstance(got, tuple) else (got,)
                alike = [is_close(a, b) for a, b in zip(got, expected)]
                if not all(alike):
                    wrong.append(case.name)
                    continue
                right += 1
                used.add(graph.node[0].op_type)
        print(f"{right} cases of {len(used)} operators right, {refused} refused", file=sys.stderr)
        self.assertEqual(wrong, [])
        self.assertGreater(right, 200)
        self.assertGreater(len(used), 60)

    def model(self):
        nodes = [
            helper.make_node("Conv", ["x", "f", "b"], ["c"], pads=[1, 1, 1, 1], strides=[2, 2]),
            helper.make_node("Relu", ["c"], ["r"]),
            helper.make_node("GlobalAveragePool", ["r"], ["p"]),
            helper.make_node("Flatten", ["p"], ["v"]),
            helper.make_node("Gemm", ["v", "w"], ["y"], transB=1),
        ]
        shapes = {"f": (4, 3, 3, 3), "b": (4,), "w": (5, 4)}
        constants = [numpy_helper.from_array(torch.randn(s).numpy(), n) for n, s in shapes.items()]
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3, 8, 8])
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 5])
        graph = helper.make_graph(nodes, "small", [x], [y], constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])

    def test_compiled(self):
        from onnx.reference import ReferenceEvaluator

        model = self.model()
        module = assay.from_onnx(model)
        inputs = module.examples()
        fast = assay.compile(module, *inputs, quiet=True, least_work=1, seconds=3)
        (wanted,) = ReferenceEvaluator(model).run(None, {"x": inputs[0].numpy()})
        self.assertEqual(fast.left, [])
        self.assertLess((fast(*inputs) - torch.from_numpy(wanted)).abs().max(), 1e-4)

    def test_places_from_the_end(self):
        nodes = [
            helper.make_node("Gather", ["x", "at"], ["g"]),
            helper.make_node("GatherElements", ["g", "each"], ["y"], axis=1),
        ]
        constants = [
            numpy_helper.from_array(np.array([-1, 0, -3]), "at"),
            numpy_helper.from_array(np.array([[-1, 0], [1, -4], [2, -2]]), "each"),
        ]
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 4])
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [3, 2])
        module = assay.from_onnx(
            helper.make_model(helper.make_graph(nodes, "places", [x], [y], constants))
        )
        rows = torch.arange(12.0).reshape(3, 4)
        wanted = torch.tensor([[11.0, 8.0], [1.0, 0.0], [2.0, 2.0]])
        self.assertTrue(torch.equal(module(rows), wanted))
        fast = assay.compile(module, rows, quiet=True, least_work=1, seconds=2)
        self.assertLess((fast(rows) - wanted).abs().max(), 1e-6)

    def test_versions(self):
        x = torch.randn(2, 3, 4)
        given = helper.make_tensor_value_info("x", TensorProto.FLOAT, list(x.shape))
        result = helper.make_tensor_value_info("y", TensorProto.FLOAT, list(x.shape))
        node = helper.make_node("Softmax", ["x"], ["y"])
        graph = helper.make_graph([node], "softmax", [given], [result])
        for domain, version, wanted in (
            ("", 17, torch.softmax(x, -1)),
            ("ai.onnx", 17, torch.softmax(x, -1)),
            ("ai.onnx", 11, torch.softmax(x.flatten(1), -1).reshape(x.shape)),
        ):
            imports = [helper.make_opsetid(domain, version)]
            module = assay.from_onnx(helper.make_model(graph, opset_imports=imports))
            self.assertTrue(torch.allclose(module(x), wanted))

    def test_statistics_of_a_batch(self):
        x = torch.randn(2, 3, 4)
        given = helper.make_tensor_value_info("x", TensorProto.FLOAT, list(x.shape))
        result = helper.make_tensor_value_info("y", TensorProto.FLOAT, list(x.shape))
        names = ("scale", "bias", "mean", "variance")
        constants = [numpy_helper.from_array(np.ones(3, np.float32), name) for name in names]
        inputs = ["x", *names]
        for outputs, settings in ((["y"], {"spatial": 0}), (["y", "m", "v"], {})):
            node = helper.make_node("BatchNormalization", inputs, outputs, **settings)
            graph = helper.make_graph([node], "statistics", [given], [result], constants)
            imports = [helper.make_opsetid("", 8)]
            whole = helper.make_model(graph, opset_imports=imports)
            with self.assertRaisesRegex(assay.AssayError, "BatchNormalization"):
                assay.from_onnx(whole)(x)

    def of_one_node(self, kind, inputs, constants=(), version=18, **settings):
        """The module of a model of one node; inputs that are constants have these values."""
        names = [f"i{k}" for k in range(len(inputs))]
        node = helper.make_node(kind, names, ["y"], **settings)
        given = [
            helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(x.dtype), list(x.shape)
            )
            for k, (name, x) in enumerate(zip(names, inputs))
            if k not in constants
        ]
        result = onnx.ValueInfoProto(name="y")
        held = [numpy_helper.from_array(inputs[k], names[k]) for k in constants]
        graph = helper.make_graph([node], "one", given, [result], held)
        imports = [helper.make_opsetid("", version)]
        return assay.from_onnx(helper.make_model(graph, opset_imports=imports))

    def test_reductions(self):
        x, whole = np.float32([[1.0, -2.0, 3.0]]), np.int32([[1, -2, 3]])
        no_axes = {"noop_with_empty_axes": 1}
        for kind in ("ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum"):
            with self.assertRaisesRegex(assay.AssayError, f"{kind}: over no axes"):
                self.of_one_node(kind, [x], **no_axes)(torch.from_numpy(x))
        same = self.of_one_node("ReduceSum", [x], **no_axes)(torch.from_numpy(x))
        self.assertTrue(torch.equal(same, torch.from_numpy(x)))
        for kind in ("ReduceL2", "ReduceMean", "ReduceLogSum"):
            with self.assertRaisesRegex(assay.AssayError, f"{kind}: of integers"):
                self.of_one_node(kind, [whole])(torch.from_numpy(whole))
        total = self.of_one_node("ReduceSum", [whole])(torch.from_numpy(whole))
        self.assertEqual((total.dtype, total.item()), (torch.int32, 2))

    def test_powers(self):
        x, whole = np.float32([1.0, 2.0, 3.0]), np.array([1, 2, 3])
        squared = self.of_one_node("Pow", [whole, np.float32(2)], [1])(torch.from_numpy(whole))
        self.assertEqual((squared.dtype, squared.tolist()), (torch.int64, [1, 4, 9]))
        with self.assertRaisesRegex(assay.AssayError, "Pow"):
            self.of_one_node("Pow", [whole, np.float32(0.5)], [1])(torch.from_numpy(whole))
        wide = self.of_one_node("Pow", [x, np.float32([[2.0]])], [1])(torch.from_numpy(x))
        self.assertEqual(wide.tolist(), [[1.0, 4.0, 9.0]])

    def test_settings_of_old_versions(self):
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        part = self.of_one_node("Slice", [x], version=9, starts=[1], ends=[3], axes=[1])
        self.assertEqual(part(torch.from_numpy(x)).tolist(), x[:, 1:3].tolist())
        wide = self.of_one_node("Pad", [x], version=2, pads=[0, 1, 0, 2])(torch.from_numpy(x))
        self.assertEqual(wide.tolist(), np.pad(x, [(0, 0), (1, 2)]).tolist())
        ones = self.of_one_node("Pad", [x], version=2, pads=[0, 1, 0, 2], value=1.0)
        wanted = np.pad(x, [(0, 0), (1, 2)], constant_values=1)
        self.assertEqual(ones(torch.from_numpy(x)).tolist(), wanted.tolist())

    def test_what_cannot_be_is_said(self):
        import tempfile

        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        with self.assertRaisesRegex(assay.AssayError, "Reshape"):
            self.of_one_node("Reshape", [x, np.array([4, -1])], [1])(torch.from_numpy(x))
        with self.assertRaisesRegex(assay.AssayError, "ONNX Add: reads nothing_here"):
            node = helper.make_node("Add", ["x", "nothing_here"], ["y"])
            given = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])
            graph = helper.make_graph([node], "lacks", [given], [given])
            graph.output[0].name = "y"
            assay.from_onnx(helper.make_model(graph))(torch.from_numpy(x))
        with self.assertRaisesRegex(assay.AssayError, "no ONNX model can be read"):
            assay.from_onnx("/nowhere.onnx")
        with tempfile.NamedTemporaryFile(suffix=".onnx") as empty:
            with self.assertRaisesRegex(assay.AssayError, "without an ONNX graph"):
                assay.from_onnx(empty.name)

    def test_imported_by_command(self):
        import subprocess
        import tempfile
        from pathlib import Path

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "small.onnx"
            onnx.save(self.model(), path)
            command = [sys.executable, "-m", "assay", "import", str(path)]
            subprocess.run(command, check=True, capture_output=True)
            text = path.with_suffix(".tp").read_text()
            self.assertIn("torch_conv2d", text)
            self.assertIn("input x: f32[", text)
            self.assertIn("output y\n", text)
            certify = [assay.tool.find_tool(), "optimize", str(path.with_suffix(".tp")), "-q"]
            certify += ["--solvers=none", "--seconds=3", "-o", str(Path(folder) / "result")]
            self.assertEqual(subprocess.run(certify, capture_output=True).returncode, 0)

    def test_sizes_of_an_imported_model(self):
        """Extents of one number are not one size, and extents with a name are one."""
        import tempfile
        from pathlib import Path

        from assay.__main__ import import_model

        given = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, extents)
            for name, extents in (("left", ["n", 4]), ("right", [4, "m"]), ("more", ["n", "m"]))
        ]
        made = helper.make_tensor_value_info("product", TensorProto.FLOAT, ["n", "m"])
        nodes = [
            helper.make_node("MatMul", ["left", "right"], ["t"]),
            helper.make_node("Add", ["t", "more"], ["product"]),
        ]
        graph = helper.make_graph(nodes, "sizes", given, [made])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "sizes.onnx"
            onnx.save(helper.make_model(graph), path)
            import_model(path, path.with_suffix(".tp"))
            text = path.with_suffix(".tp").read_text()
        self.assertIn("input right: f32[n4, inputs_1_1]", text)
        self.assertIn("input more: f32[inputs_0_0, inputs_1_1]", text)
        self.assertIn("output product", text)

    def test_what_is_missing_is_named(self):
        node = helper.make_node("NonZero", ["x"], ["y"])
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])
        graph = helper.make_graph([node], "missing", [x], [x])
        with self.assertRaisesRegex(assay.Unsupported, "missing: ONNX NonZero"):
            assay.from_onnx(helper.make_model(graph))


if __name__ == "__main__":
    unittest.main()
