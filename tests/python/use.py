"""What docs/pytorch.md says of the package: compile, the backend, certify, errors."""

import unittest
import warnings

import torch

import assay


def normed(x, g):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * g


class Use(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        torch.manual_seed(1)

    def test_compile(self):
        x, g = torch.randn(4, 8), torch.randn(8)
        fast = assay.compile(normed, x, g, quiet=True)
        self.assertLess((fast(x, g) - normed(x, g)).abs().max(), 1e-5)
        self.assertEqual(len(fast.parts), 1)
        self.assertTrue(fast.certificate[0].startswith("assay-cert 1"))
        self.assertIn("mugraph", fast.mugraph[0])
        self.assertIn("assay_launch", fast.kernel_source[0])

    def test_other_extents_are_refused(self):
        fast = assay.compile(normed, torch.randn(4, 8), torch.randn(8), quiet=True)
        with self.assertRaisesRegex(assay.AssayError, "extents"):
            fast(torch.randn(5, 8), torch.randn(8))

    def test_dictionaries_and_what_is_left(self):
        def both(inputs):
            rows = normed(inputs["x"], inputs["g"])
            order = torch.sort(rows, -1)[0]  # no equation says what this is
            return {"rows": rows, "largest": torch.softmax(order, -1) * torch.sigmoid(order)}

        inputs = {"x": torch.randn(4, 8), "g": torch.randn(8)}
        fast = assay.compile(both, inputs, quiet=True)
        wanted, got = both(inputs), fast(inputs)
        for key in wanted:
            self.assertLess((wanted[key] - got[key]).abs().max(), 1e-5)
        self.assertEqual([target for target, _, _ in fast.left], ["aten.sort.default"])
        with self.assertRaisesRegex(assay.AssayError, "use.py:[0-9]+: aten.sort"):
            assay.compile(both, inputs, quiet=True, strict=True)

    def test_backend(self):
        model = torch.nn.Sequential(torch.nn.Linear(8, 6), torch.nn.ReLU(), torch.nn.Softmax(-1)).eval()
        from assay.backend import assay_backend

        x = torch.randn(4, 8)
        with torch.no_grad():
            fast = torch.compile(model, backend=assay_backend)
            self.assertLess((fast(x) - model(x)).abs().max(), 1e-5)

    def test_gradients_are_refused(self):
        fast = assay.compile(normed, torch.randn(4, 8), torch.randn(8), quiet=True)
        with self.assertRaisesRegex(assay.AssayError, "gradient"):
            fast(torch.randn(4, 8, requires_grad=True), torch.randn(8))

    def test_a_refutation_is_run_again(self):
        verdict = assay.certify(lambda x: torch.softmax(x, -1), lambda x: torch.softmax(x, 0), torch.randn(3, 4))
        self.assertEqual(verdict.verdict, "REFUTED")
        self.assertIsNotNone(verdict.inputs)
        given, other = verdict.outputs
        self.assertGreater((given - other).abs().max(), 1e-6)

    def test_all_that_is_missing_is_said_at_once(self):
        def two(x):
            return torch.sort(x)[0], torch.topk(x, 2)[0]

        with self.assertRaises(assay.UnsupportedGraph) as caught:
            assay.certify(two, two, torch.randn(5))
        self.assertEqual(len(caught.exception.problems), 2)
        self.assertIn("use.py", str(caught.exception))

    def test_training_and_complex_numbers(self):
        with self.assertRaises(assay.UnsupportedGraph):
            assay.certify(torch.nn.Dropout(0.5).train(), torch.nn.Dropout(0.5).eval(), torch.randn(3))
        with self.assertRaises(assay.UnsupportedGraph):
            assay.certify(lambda x: x * 2, lambda x: x + x, torch.randn(3, dtype=torch.complex64))


if __name__ == "__main__":
    unittest.main()
