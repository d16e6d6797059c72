"""Types of numbers, classes of tensors and modes of modules: what a claim or a kernel would take for
something else."""

import operator
import contextlib
import unittest
import warnings

import torch
import torch.nn.functional as F

import assay
from assay import exporting
from assay.program import Extents
from assay.translate import Translator


def made(function, *examples, **options):
    return assay.compile(function, *examples, quiet=True, seconds=2, **options)


def text_of(function, *inputs):
    """A function as a tensor program."""
    exported = exporting.export(function, inputs, fixed=True)
    return Translator("p", Extents()).run(exported).program.tp(None)


class Types(unittest.TestCase):
    """A program states what PyTorch rounds: results of its operators, not what is within one."""

    @staticmethod
    def normed(x):
        return torch.exp(F.layer_norm(x, x.shape[-1:]))

    def test_within_an_operator_nothing_is_rounded(self):
        text = text_of(self.normed, torch.randn(4, 8).half())
        self.assertRegex(text, r"\n\w+: f32 = mean\(")
        self.assertRegex(text, r"\n\w+: f32 = \w+ - \w+\n")
        self.assertRegex(text, r"\n\w+: f16 = \w+ / sqrt")
        self.assertRegex(text, r"\n\w+: f16 = exp\(")

    def test_casts(self):
        x = torch.randn(4, 8).bfloat16()
        text = text_of(lambda x: torch.exp(x.float() * 2).bfloat16() + x, x)
        self.assertRegex(text, r"\n\w+: f32 = \w+ \* 2")
        self.assertRegex(text, r"\n\w+: bf16 = exp\(")

    def test_programs_of_32_bits_or_of_several_types_state_none(self):
        for x in (torch.randn(4, 8), torch.randn(4, 8).half()):
            text = text_of(lambda x, y: self.normed(x) + y, x, torch.randn(8))
            self.assertNotRegex(text, r"\n\w+: f(16|32) = ")


class Sums(unittest.TestCase):
    """Truths that are added are a count, or, where the result is of truths, whether any is true."""

    def setUp(self):
        warnings.simplefilter("ignore")
        torch.manual_seed(2)
        self.truths = torch.rand(4, 6) > 0.5

    def verdict(self, first, second, *examples):
        return assay.certify(first, second, *examples, seconds=20).verdict

    def test_sums_of_truths(self):
        b = self.truths
        any_of = lambda b: torch.sum(b, 0, dtype=torch.bool).float()  # noqa: E731
        self.assertEqual(self.verdict(any_of, lambda b: b.any(0).float(), b), "PROVED")
        self.assertEqual(self.verdict(any_of, lambda b: b.float().sum(0), b), "REFUTED")
        self.assertEqual(self.verdict(lambda b: b.sum(0), lambda b: b.float().sum(0), b), "PROVED")
        running = lambda b: torch.cumsum(b, 0, dtype=torch.bool).float()  # noqa: E731
        with contextlib.suppress(assay.NotExported):  # some versions of PyTorch do not run it
            self.assertNotEqual(self.verdict(running, lambda b: b.float().cumsum(0), b), "PROVED")

    def test_integers_are_converted_before_they_are_added(self):
        i = torch.randint(-5, 5, (4, 6))
        any_of = lambda i: torch.sum(i, 0, dtype=torch.bool).float()  # noqa: E731
        self.assertEqual(self.verdict(any_of, lambda i: (i.sum(0) != 0).float(), i), "REFUTED")
        self.assertEqual(self.verdict(any_of, lambda i: (i != 0).any(0).float(), i), "PROVED")

    def test_truths_sent_to_places(self):
        b, at = self.truths, torch.randint(0, 4, (4, 6))
        sent = lambda b, at: b.scatter_add(0, at, b).float()  # noqa: E731
        counted = lambda b, at: b.float().scatter_add(0, at, b.float())  # noqa: E731
        self.assertNotEqual(self.verdict(sent, counted, b, at), "PROVED")
        rows, ones = torch.tensor([0, 1, 1]), torch.ones(3, 6, dtype=torch.bool)
        put = lambda b, at, y: b.index_put((at,), y, accumulate=True).float()  # noqa: E731
        counted = lambda b, at, y: put(b.float(), at, y.float())  # noqa: E731
        self.assertNotEqual(self.verdict(put, counted, b, rows, ones), "PROVED")

    def test_kernels(self):
        b = self.truths
        function = lambda b: (  # noqa: E731
            torch.sum(b, 0, dtype=torch.bool),
            b.sum(1) * 2,
            torch.sum(b.int() - 1, 0, dtype=torch.bool),
        )
        fast = made(function, b, least_work=1)
        for ours, theirs in zip(fast(b), function(b), strict=True):
            self.assertEqual(ours.dtype, theirs.dtype)
            self.assertTrue(torch.equal(ours, theirs))

    def test_more_taken_off_than_there_is(self):
        """PyTorch divides by 0, not by a number below it, where a variance has no elements left."""
        squares = lambda x: ((x - x.mean(0)) ** 2).sum(0)  # noqa: E731
        x = torch.randn(2, 6)
        variance = lambda x: torch.var(x[:2], 0, correction=3)  # noqa: E731
        self.assertNotEqual(self.verdict(variance, lambda x: -squares(x[:2]), x), "PROVED")
        variance = lambda x: torch.var(x, 0, correction=3)  # noqa: E731
        by_hand = lambda x: squares(x) / (x.shape[0] - 3)  # noqa: E731
        self.assertEqual(self.verdict(variance, by_hand, torch.randn(2, 6)), "UNKNOWN")


class Integers(unittest.TestCase):
    """Integers of few bits begin anew beyond their largest, also where others become such."""

    def setUp(self):
        warnings.simplefilter("ignore")
        self.bytes = torch.randint(0, 256, (4, 6), dtype=torch.uint8)

    def refused(self, function, *examples):
        with self.assertRaisesRegex(assay.AssayError, r"types_and_classes\.py:\d+.*begins anew"):
            assay.certify(function, lambda u, *_: u.float(), *examples, seconds=20)

    def test_numbers_beyond_the_type(self):
        u = self.bytes
        for compare in (operator.gt, operator.eq, operator.ne, operator.le):
            self.refused(lambda u: compare(u, -1).float(), u)  # noqa: B023
            self.refused(lambda u: compare(u, 256).float(), u)  # noqa: B023
            self.refused(lambda u: compare(u, torch.tensor(256)).float(), u)  # noqa: B023
        self.refused(lambda u: torch.full_like(u, -1).float(), u)
        self.refused(lambda u: torch.maximum(u, torch.tensor(300)).float(), u)
        self.refused(lambda u: torch.where(u > 0, u, torch.tensor(300)).float(), u)
        self.refused(lambda u: u.clamp(min=torch.tensor(-5)).float(), u)
        self.refused(lambda i: (i > 2**40).float(), torch.arange(4, dtype=torch.int32))

    def test_what_is_copied(self):
        u, i = self.bytes, torch.randint(0, 9, (4, 6))
        self.refused(lambda u, i: torch.zeros_like(u).copy_(i).float(), u, i)

    def test_numbers_within_the_type(self):
        u = self.bytes
        least = lambda u: torch.where(u > 254, u, torch.tensor(255))  # noqa: E731
        for first, second in (
            (lambda u: (u >= 128).float(), lambda u: (u > 127.5).float()),
            (lambda u: torch.full_like(u, 255).float(), lambda u: u * 0.0 + 255),
            (lambda u: least(u).float(), lambda u: torch.where(u > 254, u.float(), 255.0)),
            (lambda u: torch.minimum(u, u.to(torch.int64) - 1), lambda u: u.float() - 1),
            (lambda u: (u.float()[:, :4] @ torch.eye(4)), lambda u: u[:, :4].float() + 0),
        ):
            verdict = assay.certify(first, second, u, seconds=20)
            self.assertEqual(verdict.verdict, "PROVED", verdict)

    def test_integers_that_a_type_has_not_refute_nothing(self):
        never_less = lambda u: (u >= 0).float()  # noqa: E731
        verdict = assay.certify(never_less, lambda u: u * 0.0 + 1, self.bytes, seconds=20)
        self.assertEqual(verdict.verdict, "UNKNOWN")
        self.assertIn("u cannot hold", str(verdict))
        i = torch.arange(6).reshape(2, 3)
        verdict = assay.certify(never_less, lambda u: u * 0.0 + 1, i, seconds=20)
        self.assertEqual(verdict.verdict, "REFUTED")

    def test_kernels(self):
        u = self.bytes
        function = lambda u: ((u > -1).float() * 2 + 1, (u > 200).float() * 3 - 1)  # noqa: E731
        fast = made(function, u, least_work=1)
        self.assertIn("aten.gt.Scalar", [target for target, *_ in fast.left])
        for ours, theirs in zip(fast(u), function(u), strict=True):
            self.assertTrue(torch.equal(ours, theirs))

    def test_powers_are_whole(self):
        """2 ** -1 of integers is 0."""
        i = torch.randint(-3, 4, (4, 6))
        with self.assertRaisesRegex(assay.AssayError, "pow.Scalar: of integers"):
            assay.certify(lambda i: (2**i).float(), lambda i: torch.exp2(i.float()), i)
        verdict = assay.certify(lambda i: 2.0**i, lambda i: torch.exp2(i.float()), i, seconds=20)
        self.assertEqual(verdict.verdict, "PROVED")


class Minutes(torch.Tensor):
    """A class of tensors of which the sigmoid is another function."""

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), keywords=None):
        function = torch.tanh if function is torch.sigmoid else function
        return super().__torch_function__(function, types, arguments, keywords or {})


class Plain(torch.Tensor):
    pass


def gated(x, y):
    return torch.sigmoid(x) * y + x


class Classes(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        torch.manual_seed(3)

    def test_operators_of_their_own(self):
        x, y = torch.randn(3, 4), torch.randn(3, 4)
        fast = made(gated, x, y)
        with self.assertRaisesRegex(assay.AssayError, "x: a Minutes has operators of its own"):
            fast(x.as_subclass(Minutes), y)
        with self.assertRaisesRegex(assay.AssayError, "Minutes, which has operators of its own"):
            made(gated, x.as_subclass(Minutes), y)
        ours = fast(x.as_subclass(Plain), torch.nn.Parameter(y, requires_grad=False))
        self.assertLess((ours.as_subclass(torch.Tensor) - gated(x, y)).abs().max(), 1e-5)

    def test_another_memory(self):
        def moved(x, y):
            x.data = y
            return x * 2

        x, y = torch.randn(3, 4), torch.randn(3, 4)
        where = r"types_and_classes\.py:\d+: .*another memory"
        with self.assertRaisesRegex(assay.AssayError, where):
            assay.certify(moved, lambda x, y: x * 2, x, y)
        with self.assertRaisesRegex(assay.AssayError, where):
            made(moved, x, y)
        with self.assertRaisesRegex(assay.AssayError, "another memory"):
            made(moved, x.requires_grad_(), y)

    def test_messages_name_the_function(self):
        def scaled(x, *, by):
            return x * by

        def cut(x):
            x.resize_(2, 2)
            return x * 2

        for function in (scaled, cut):
            with self.assertRaisesRegex(assay.AssayError, r"^\S*types_and_classes\.py:\d+: "):
                made(function, torch.randn(3, 4))


class Block(torch.nn.Module):
    """Computes something else in training by its own code."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        x = torch.relu(self.linear(x)) * 2
        return x + 1 if self.training else x


class Modes(unittest.TestCase):
    """A call in another mode than at compilation is an error where the mode is asked for."""

    def setUp(self):
        warnings.simplefilter("ignore")
        torch.manual_seed(4)

    def test_training(self):
        x = torch.randn(3, 4)
        layers = (torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.BatchNorm1d(4))
        for module in (torch.nn.Sequential(*layers).eval(), Block().eval()):
            fast = made(module, x)
            with torch.no_grad():
                self.assertLess((fast(x) - module(x)).abs().max(), 1e-5)
                module.train()
                with self.assertRaisesRegex(assay.AssayError, r"is in train\(\) mode now"):
                    fast(x)
                module.eval()
                self.assertLess((fast(x) - module(x)).abs().max(), 1e-5)

    def test_modules_that_do_not_ask(self):
        x, layer = torch.randn(3, 4), torch.nn.Linear(4, 4)
        fast = made(layer.eval(), x, least_work=1)
        layer.train()
        with torch.no_grad():
            self.assertLess((fast(x) - layer(x)).abs().max(), 1e-5)

    def test_gradients(self):
        module = Block().eval()
        fast = made(module, torch.randn(3, 4, requires_grad=True))
        module.train()
        with self.assertRaisesRegex(assay.AssayError, r"is in train\(\) mode now"):
            fast(torch.randn(3, 4, requires_grad=True))


class Windows(unittest.TestCase):
    def test_nearest_neighbours(self):
        """Also along one axis and three, for which core ATen has a decomposition."""
        twice = lambda x: F.interpolate(x, scale_factor=2)  # noqa: E731
        by_hand = lambda x: x.repeat_interleave(2, -1)  # noqa: E731
        verdict = assay.certify(twice, by_hand, torch.randn(1, 2, 5), seconds=20)
        self.assertEqual(verdict.verdict, "PROVED")
        tiled = lambda x: x.repeat(1, 1, 2)  # noqa: E731
        verdict = assay.certify(twice, tiled, torch.randn(1, 2, 5), seconds=20)
        self.assertEqual(verdict.verdict, "REFUTED")


class Sizes(unittest.TestCase):
    def test_axes_that_are_equal(self):
        """That two axes of an argument are as long is among what the functions asked for."""
        turned = lambda x: x.view(x.shape[1], x.shape[0])  # noqa: E731
        verdict = assay.certify(turned, lambda x: x, torch.randn(4, 4), seconds=20)
        self.assertEqual(verdict.verdict, "PROVED")
        self.assertIn("x_1 = x_0", verdict.scope)
        verdict = assay.certify(turned, lambda x: x, torch.randn(4, 5), seconds=20)
        self.assertEqual(verdict.verdict, "REFUTED")
        again = lambda x: x * 1  # noqa: E731
        verdict = assay.certify(again, lambda x: x, torch.randn(4, 4), seconds=20)
        self.assertEqual(verdict.verdict, "PROVED")
        self.assertNotIn("x_1 = x_0", verdict.scope)


if __name__ == "__main__":
    unittest.main()
