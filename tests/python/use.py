"""What docs/pytorch.md says of the package: compile, the backend, certify, errors."""

import copy
import os
import tempfile
import unittest
import warnings
from pathlib import Path
from unittest import mock

import torch
import torch.nn.functional as F
from torch.autograd.gradcheck import GradcheckError
from torch.export import export
from torch.utils._python_dispatch import TorchDispatchMode

import assay
from assay import equality, rounding
from assay.kernels import _Choices
from assay.program import Extents


def normed(x, g):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * g


class Called(torch.nn.Module):
    """A function as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *tensors):
        return self.function(*tensors)


def _leaves(outputs):
    return [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)


class Use(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        torch.manual_seed(1)

    def test_what_may_be_rounded(self):
        cudnn, matmul = torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32

        def permitted(convolutions, wanted="auto", products=False):
            torch.backends.cudnn.allow_tf32 = convolutions
            rounding.convolutions_in_parts, rounding.products_in_parts = wanted, products
            return rounding.permitted().split(",")

        try:
            torch.backends.cuda.matmul.allow_tf32 = False
            self.assertIn("torch_conv2d:auto", permitted(True))
            self.assertIn("torch_conv2d:3", permitted(True, True))
            self.assertIn("torch_conv2d", permitted(True, False))
            self.assertEqual(permitted(False), [""])
            self.assertIn("torch_conv2d:3", permitted(False, "auto", True))
            self.assertIn("matmul:3", permitted(False, "auto", True))
        finally:
            torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32 = cudnn, matmul
            rounding.convolutions_in_parts, rounding.products_in_parts = "auto", False

    def test_compile(self):
        x, g = torch.randn(4, 8), torch.randn(8)
        fast = assay.compile(normed, x, g, quiet=True)
        self.assertLess((fast(x, g) - normed(x, g)).abs().max(), 1e-5)
        self.assertEqual(len(fast.parts), 1)
        self.assertTrue(fast.certificate[0].startswith("assay-cert 1"))
        self.assertIn("mugraph", fast.mugraph[0])
        self.assertIn("assay_launch", fast.kernel_source[0])
        untried = bool(os.environ.get("ASSAY_NO_TRY"))
        self.assertEqual(fast.tried, [not untried])
        self.assertIn("trial: not tried" if untried else "are right", fast.summary())

    def test_the_short_way(self):
        """It is taken by tensors as the kernel wants them, and by no others."""
        x, g = torch.randn(4, 8), torch.randn(8)
        fast = assay.compile(lambda x, g: (normed(x, g), x * g + g), x, g, quiet=True)
        short = fast._direct

        def went_short(*inputs):
            exact = normed(*[t.double() for t in inputs])
            with torch.no_grad():
                made = fast(*inputs)
                self.assertIsInstance(made, tuple)
                self.assertLess((made[0] - exact).abs().max(), 1e-5)
                self.assertLess((made[1] - (inputs[0] * inputs[1] + inputs[1])).abs().max(), 1e-5)
                return short(inputs) is not None

        self.assertTrue(went_short(x, g))
        self.assertTrue(went_short(x, torch.nn.Parameter(g)))
        self.assertFalse(went_short(torch.randn(8, 4).t(), g))
        self.assertFalse(went_short(torch.randn(33)[1:].view(4, 8), g))
        self.assertIsNone(short((x.double(), g)))
        self.assertIsNone(short((torch.randn(5, 8), g)))
        self.assertIsNone(short((x, torch.nn.Parameter(g))))
        with self.assertRaisesRegex(assay.AssayError, "extents"):
            fast(torch.randn(5, 8), g)

    def test_the_short_way_reads_parameters_anew(self):
        model = torch.nn.Sequential(torch.nn.Linear(8, 5), torch.nn.ReLU()).eval()
        x = torch.randn(4, 8)
        with torch.no_grad():
            fast = assay.compile(model, x, quiet=True)
            self.assertIsNotNone(fast._direct)
            model[0].weight.mul_(-2)
            self.assertLess((fast(x) - model(x)).abs().max(), 1e-5)

    def test_the_short_way_is_for_one_kernel(self):
        """Not where a step is left to PyTorch, an argument is written to, or nothing reads one."""

        def sorted_too(x):
            return torch.sort(torch.relu(x * 2) + 1)[0]

        def unread(x, y):
            return torch.relu(x * 2)

        def written(x):
            x.mul_(2)
            return torch.relu(x) + 1

        x = torch.randn(4, 8)
        for function, inputs in ((sorted_too, (x,)), (unread, (x, x)), (written, (x,))):
            fast = assay.compile(function, *[t.clone() for t in inputs], quiet=True)
            self.assertIsNone(fast._direct)
            here, there = [t.clone() for t in inputs], [t.clone() for t in inputs]
            self.assertLess((fast(*here) - function(*there)).abs().max(), 1e-5)
            self.assertTrue(torch.equal(here[0], there[0]))

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

    def test_minus_infinity_between_kernels(self):
        def masked(x, keep):
            scores = (x * 2 + 1).masked_fill(~keep, float("-inf"))
            order = torch.sort(x, -1)[0]  # what follows is another kernel
            return torch.softmax(scores + order, -1)

        x, keep = torch.randn(3, 5), torch.arange(5) <= torch.arange(3)[:, None]
        fast = assay.compile(masked, x, keep, quiet=True)
        self.assertEqual(len(fast.parts), 2)
        self.assertEqual([target for target, _, _ in fast.left], ["aten.sort.default"])
        self.assertLess((fast(x, keep) - masked(x, keep)).abs().max(), 1e-6)

    def test_masks_are_made_where_they_are_read(self):
        def causal(x, y):
            keep = torch.arange(4)[:, None] >= torch.arange(4)
            order = torch.sort(y, -1)[0]
            return torch.softmax((order * 2 + x).masked_fill(~keep, float("-inf")), -1)

        x, y = torch.randn(4, 4), torch.randn(4, 4)
        fast = assay.compile(causal, x, y, quiet=True)
        self.assertEqual([len(part.kernel.inputs) for part in fast.parts], [2])
        self.assertLess((fast(x, y) - causal(x, y)).abs().max(), 1e-6)

    def test_layers_that_are_the_same(self):
        layers = [torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.ReLU()) for _ in range(24)]
        model = torch.nn.Sequential(*layers).eval()
        x = torch.randn(6, 6)
        fast = assay.compile(model, x, quiet=True)
        self.assertEqual(fast.left, [])
        self.assertGreater(len(fast.parts), 2)
        self.assertLess(len({part.directory for part in fast.parts}), len(fast.parts))
        with torch.no_grad():
            self.assertLess((fast(x) - model(x)).abs().max(), 1e-5)

    def test_blocks_that_come_again(self):
        class Block(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.norm, self.wide = torch.nn.LayerNorm(8), torch.nn.Linear(8, 12)
                self.narrow = torch.nn.Linear(12, 8)

            def forward(self, x):
                hidden = torch.sigmoid(self.wide(self.norm(x))) * 2
                return x + torch.tanh(self.narrow(torch.relu(hidden) + hidden * hidden))

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.blocks = torch.nn.ModuleList(Block() for _ in range(9))

            def forward(self, x):
                biases = [
                    torch.exp(block.wide.bias) for block in self.blocks
                ]  # apart from the chain
                for block, bias in zip(self.blocks, biases):
                    x = block(x) + bias[:8]
                return x

        model, x = Model().eval(), torch.randn(5, 8)
        fast = assay.compile(model, x, quiet=True)
        self.assertEqual(fast.left, [])
        self.assertLessEqual(len({part.directory for part in fast.parts}), 4)
        self.assertGreaterEqual(len(fast.parts), 7)
        with torch.no_grad():
            self.assertLess((fast(x) - model(x)).abs().max(), 1e-4)

    def test_steps_of_a_loop(self):
        def through(xs, h, w):
            for x in xs:
                h = torch.tanh(torch.cat([x, h], 1) @ w) * 2
            return h

        xs, h, w = torch.randn(32, 2, 4), torch.randn(2, 4), torch.randn(8, 4)
        fast = assay.compile(through, xs, h, w, quiet=True)
        self.assertEqual(fast.left, [])
        self.assertLess(len({part.directory for part in fast.parts}), len(fast.parts))
        for given in (xs, xs.transpose(0, 1).contiguous().transpose(0, 1)):
            self.assertLess((fast(given, h, w) - through(given, h, w)).abs().max(), 1e-5)

    def test_networks_over_sequences(self):
        class Model(torch.nn.Module):
            def __init__(self, kind, **settings):
                super().__init__()
                self.network = kind(4, 3, 2, **settings)

            def forward(self, x):
                steps, last = self.network(torch.sigmoid(x) * 2)
                return torch.relu(steps[:, -1]) * 3, last

        for kind in (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN):
            for settings in ({"batch_first": True}, {"bidirectional": True}):
                model = Model(kind, **settings).eval()
                for steps in (7, 2):
                    at = 1 if "batch_first" in settings else 0
                    x = torch.randn(3, 3, 4).narrow(at, 0, 1).repeat_interleave(steps, at)
                    self._network_over(model, x, steps)

    def _network_over(self, model, x, steps):
        fast = assay.compile(model, x, quiet=True, seconds=2)
        if steps == 2:  # 2 layers of few steps are taken apart, in both directions
            self.assertEqual(fast.left, [])
        else:
            self.assertIn("over a sequence", " ".join(reason for _, reason, _ in fast.left))
            self.assertEqual(len(fast.parts), 2)
        leaves = torch.utils._pytree.tree_leaves
        with torch.no_grad():
            for got, wanted in zip(leaves(fast(x)), leaves(model(x)), strict=True):
                self.assertEqual(got.shape, wanted.shape)
                self.assertLess((got - wanted).abs().max(), 1e-5)

    def test_a_short_network_by_its_cells(self):
        class Whole(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.network = torch.nn.LSTM(4, 3)

            def forward(self, x):
                return self.network(x)[0]

        class Cells(torch.nn.Module):
            def __init__(self, wrong):
                super().__init__()
                self.cell, self.wrong = torch.nn.LSTMCell(4, 3), wrong

            def forward(self, x):
                hidden = state = torch.zeros(x.shape[1], 3)
                first = self.cell(x[0], (hidden, state))
                second = self.cell(x[1], (first[0], state if self.wrong else first[1]))
                return torch.stack([first[0], second[0]])

        x = torch.randn(2, 5, 4)
        self.assertEqual(assay.certify(Whole(), Cells(False), x).verdict, "PROVED")
        self.assertEqual(assay.certify(Whole(), Cells(True), x).verdict, "REFUTED")

    def test_rms_norm_without_an_epsilon(self):
        for dtype, bound in ((torch.float32, 1e-5), (torch.bfloat16, 2e-2)):
            x = torch.randn(3, 4).to(dtype) * 1e-4  # squares of about the epsilon
            normed = lambda x: torch.nn.functional.rms_norm(x, (4,)) * 2  # noqa: E731
            fast = assay.compile(normed, x, quiet=True, seconds=2, least_work=1)
            self.assertEqual(fast.left, [])
            self.assertLess((fast(x) - normed(x)).abs().max(), bound)

    def test_tensors_that_a_module_replaces(self):
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.hidden, self.step = torch.zeros(2, 3), torch.nn.Linear(7, 3)

            def forward(self, x):
                self.hidden = torch.tanh(self.step(torch.cat([x, self.hidden], 1)))
                return self.hidden * 2

        torch.manual_seed(3)
        model = Model().eval()
        other = copy.deepcopy(model)
        fast = assay.compile(model, torch.randn(2, 4), quiet=True, seconds=2)
        self.assertEqual(type(model.hidden), torch.Tensor)
        self.assertNotIn("hidden", dict(model.named_buffers()))
        with torch.no_grad():
            for _ in range(3):
                x = torch.randn(2, 4)
                self.assertLess((fast(x) - other(x)).abs().max(), 1e-5)
                self.assertLess((model.hidden - other.hidden).abs().max(), 1e-5)

    def test_concatenations_that_grow(self):
        def dense(x):
            features = [x, torch.sigmoid(x)]
            for _ in range(14):
                features.append(torch.tanh(torch.cat(features, 1)[:, -3:] * 2 + 1))
            return torch.cat(features, 1) * 2, torch.cat([x * 2, *features], 1) + 1

        x = torch.randn(2, 3, 4)
        fast = assay.compile(dense, x, quiet=True)
        self.assertEqual(fast.left, [])
        most = max(part.program.count("concat(") for part in fast.parts)
        self.assertLess(most, 30)  # of 136 where each is made anew
        for got, wanted in zip(fast(x), dense(x)):
            self.assertLess((got - wanted).abs().max(), 1e-5)

    def test_positions_that_are_constants(self):
        def rolled(x):
            turned = torch.roll(x, (2, -1), (1, 2)) * 2
            return turned, x.index_select(2, torch.arange(1, 4)) + 1, torch.roll(x, 5) + 1

        x = torch.randn(2, 5, 6)
        fast = assay.compile(rolled, x, quiet=True, seconds=2)
        self.assertNotIn("torch_take", "".join(part.program for part in fast.parts))
        for got, wanted in zip(fast(x), rolled(x)):
            self.assertTrue(torch.equal(got, wanted))

    def test_parts_that_are_the_whole_again(self):
        extents = Extents()
        whole, few = extents.number(14), extents.number(5)
        part = extents.derive(f"({whole} - 3)", 11)
        for parts, said, value in (
            ([part, "3"], "n14", 14),
            ([part, "2"], "(n14 - 1)", 13),
            ([part, few, "4"], "(n14 + n5 + 1)", 20),
            ([part, part], "(2 * n14 - 6)", 22),
            ([few, few], "2 * n5", 10),
            (["2", "3"], "5", 5),
        ):
            self.assertEqual(extents.sum(parts), said)
            self.assertEqual(extents.value(said), value)

    def test_memory_read_otherwise(self):
        def read(x, w):
            y = torch.relu(x @ w) * 2
            turned = (y.t() * 3 + 1).as_strided((24,), (1,))  # as the transposed tensor lies
            return torch.sigmoid(y.as_strided((3, 2), (6, 3), 1)) + 1, torch.tanh(turned) * 2

        x, w = torch.randn(4, 5), torch.randn(5, 6)
        fast = assay.compile(read, x, w, quiet=True, seconds=2)
        self.assertIn("memory", " ".join(reason for _, reason, _ in fast.left))
        for got, wanted in zip(fast(x, w), read(x, w)):
            self.assertLess((got - wanted).abs().max(), 1e-5)

    def test_arguments_that_lie_otherwise(self):
        def read(x):
            return x.view(4, 6).as_strided((6, 4), (1, 6)) * 2 + 1

        x = torch.randn(4, 6)
        fast = assay.compile(read, x, quiet=True, seconds=2)
        self.assertLess((fast(x) - read(x)).abs().max(), 1e-6)
        with self.assertRaisesRegex(assay.AssayError, "lies in memory otherwise"):
            fast(torch.randn(6, 4).t())

    def test_arguments_by_name(self):
        def scaled(x, scale, shift=None):
            return torch.relu(x * scale) + (0 if shift is None else shift)

        x, scale = torch.randn(3, 4), torch.randn(4)
        fast = assay.compile(scaled, x, scale, quiet=True, seconds=2)
        self.assertLess((fast(scale=scale, x=x) - scaled(x, scale)).abs().max(), 1e-5)
        with self.assertRaisesRegex(assay.AssayError, "another form"):
            fast(x, scale, shift=scale)
        with self.assertRaisesRegex(assay.AssayError, "other"):
            fast(x, other=scale)

    def test_what_single_precision_is_not_enough_for(self):
        def mixed(x, n, b):
            return (
                torch.tanh(x * 2) + 1,
                n * n,
                n.sum(),
                b + b,
                (x.float() * 2).sigmoid() + b.float(),
            )

        x = torch.randn(4, dtype=torch.float64)
        n, b = torch.full((4,), (1 << 23) + 5), torch.full((4,), 200, dtype=torch.uint8)
        fast = assay.compile(mixed, x, n, b, quiet=True, seconds=2)
        for got, wanted in zip(fast(x, n, b), mixed(x, n, b)):
            self.assertEqual(got.dtype, wanted.dtype)
            self.assertLess(
                (got.double() - wanted.double()).abs().max(),
                1e-6 if got.dtype != x.dtype else 1e-15,
            )
        said = " ".join(reason for _, reason, _ in fast.left)
        for reason in ("double precision", "2^24", "wrap around"):
            self.assertIn(reason, said)
        with self.assertRaisesRegex(assay.AssayError, "wrap around"):
            assay.certify(lambda b: b + b, lambda b: 2 * b, b)

    def test_extents_that_meet(self):
        def joined(
            x, w, v, n
        ):  # channels of two convolutions, and as many images as a window leaves
            both = torch.cat([F.conv2d(x, w, padding=1), x, x], 1)
            return F.max_pool2d(F.conv2d(both, v), 2) * n

        def parts(c, x):
            shift, scale, gate = c.chunk(3, -1)
            half = torch.cat([-x[:, 2:], x[:, :2]], -1)
            return gate * (half * (1 + scale) + shift), x[:, 1:] * 2

        images = (
            torch.randn(2, 3, 6, 6),
            torch.randn(4, 3, 3, 3),
            torch.randn(5, 10, 3, 3),
            torch.randn(2, 1, 1, 1),
        )
        for function, examples in (
            (joined, images),
            (parts, (torch.randn(5, 12), torch.randn(5, 4))),
        ):
            fast = assay.compile(function, *examples, quiet=True, strict=True)
            self.assertEqual(len(fast.parts), 1)
            self.assertIn("sizes n", fast.parts[0].program)  # about all sizes, not these alone
            for wanted, got in zip(_leaves(function(*examples)), _leaves(fast(*examples))):
                self.assertLess((wanted - got).abs().max(), 1e-4)
        program = assay.compile(joined, *images, quiet=True).parts[0].program
        self.assertRegex(program, r"where w2 = .* div 2")
        self.assertRegex(program, r"input x: f32\[n2, n3, n6, n6\]|input x: f32\[n2, 3, n6, n6\]")

    def test_backend(self):
        model = torch.nn.Sequential(
            torch.nn.Linear(8, 6), torch.nn.ReLU(), torch.nn.Softmax(-1)
        ).eval()
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
        verdict = assay.certify(
            lambda x: torch.softmax(x, -1), lambda x: torch.softmax(x, 0), torch.randn(3, 4)
        )
        self.assertEqual(verdict.verdict, "REFUTED")
        self.assertIsNotNone(verdict.inputs)
        given, other = verdict.outputs
        self.assertGreater((given - other).abs().max(), 1e-6)

    def test_sizes_that_are_multiples_stay_open(self):
        verdict = assay.certify(
            lambda x: x.view(x.shape[0], 2, -1).mean(-1),
            lambda x: torch.stack([h.mean(-1) for h in x.unflatten(-1, (2, -1)).unbind(1)], -1),
            torch.randn(2, 8),
        )
        self.assertEqual(verdict.verdict, "PROVED")
        self.assertTrue(verdict.scope.startswith(equality.ALL_SIZES + " where "))
        self.assertIn("x_1 mod 2", verdict.scope)
        self.assertIn("= 2 *", str(verdict))

    def test_all_that_is_missing_is_said_at_once(self):
        def two(x):
            return torch.linalg.det(x[:, None] * x), torch.nonzero(x), torch.erfinv(x)

        with self.assertRaises(assay.UnsupportedGraph) as caught:
            assay.certify(two, two, torch.randn(5))
        self.assertGreater(len(caught.exception.problems), 1)
        self.assertIn("use.py", str(caught.exception))

    def test_training_and_complex_numbers(self):
        with self.assertRaises(assay.UnsupportedGraph):
            assay.certify(
                torch.nn.Dropout(0.5).train(), torch.nn.Dropout(0.5).eval(), torch.randn(3)
            )
        with self.assertRaises(assay.UnsupportedGraph):
            assay.certify(lambda x: x * 2, lambda x: x + x, torch.randn(3, dtype=torch.complex64))


def updated(x, cache):
    cache[:, 1] = torch.tanh(x) * torch.sigmoid(x)
    return {"sums": (cache.sum(-1), x * x + 1)}


class Forms(unittest.TestCase):
    """What goes in and comes out beside tensors, and how kernels join PyTorch."""

    def setUp(self):
        warnings.simplefilter("ignore")
        torch.manual_seed(2)

    def test_updates_in_place_and_nested_results(self):
        x, cache = torch.randn(3, 4), torch.zeros(3, 2, 4)
        fast = assay.compile(updated, x, cache.clone(), quiet=True, seconds=2)
        mine, theirs = cache.clone(), cache.clone()
        got, wanted = fast(x, mine), updated(x, theirs)
        for a, b in zip(got["sums"], wanted["sums"]):
            self.assertLess((a - b).abs().max(), 1e-5)
        self.assertLess((mine - theirs).abs().max(), 1e-5)

    def test_algorithms_of_products_are_chosen_once_and_kept(self):
        x, w = torch.randn(4, 8), torch.randn(8, 4)
        product = lambda x, w: x @ w  # noqa: E731
        fast = assay.compile(product, x, w, quiet=True, seconds=2, least_work=1, library="always")
        kernel = fast.parts[0].kernel
        self.assertEqual(kernel.calls, "cuBLASLt")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "algorithms"
            path.write_text("12.0.0:another_device 1 2 3\n")  # another machine's stay
            again = lambda: len(kernel(x, w)) - 1  # noqa: E731  (0, as a launch gives)
            self.assertEqual(_Choices(kernel._library, path).chosen(again), 0)
            kept = path.read_text().splitlines()
            self.assertEqual(kept[0], "12.0.0:another_device 1 2 3")
            self.assertEqual([line.split()[0] for line in kept[1:]], ["13.1.2:emulated"])
            self.assertEqual(_Choices(kernel._library, path).chosen(again), 0)
            self.assertEqual(path.read_text().splitlines(), kept)
            path.unlink()
            self.assertEqual(_Choices(kernel._library, path).chosen(lambda: -3), -3)
            self.assertFalse(path.exists())  # of a launch that fails nothing is kept
            launches = []
            launch = lambda *a: launches.append(a) or len(kernel(x, w)) - 1  # noqa: E731
            kernel._launch = launch
            kernel._launch = kernel._first(_Choices(kernel._library, path))
            with mock.patch("torch.cuda.is_current_stream_capturing", lambda: True):
                self.assertEqual(kernel._launch(0), 0)
            self.assertFalse(path.exists())  # nothing is timed while a graph is captured
            with mock.patch("torch.cuda.is_current_stream_capturing", lambda: False):
                self.assertEqual([kernel._launch(1, 2), kernel._launch(3, 4)], [0, 0])
            self.assertEqual(launches, [(0,), (1, 2), (3, 4)])
            self.assertIs(kernel._launch, launch)  # only the first one outside of a graph chooses
            self.assertTrue(path.exists())
        self.assertLess((fast(x, w) - x @ w).abs().max(), 1e-5)

    def test_operators_of_pytorch(self):
        x, g = torch.randn(4, 8), torch.randn(8)
        fast = assay.compile(normed, x, g, quiet=True, seconds=2)
        operator = fast.parts[0].operator
        reads = (g, x) if fast.parts[0].kernel.inputs[0].extents == (8,) else (x, g)
        torch.library.opcheck(operator.default, reads)
        wanting = tuple(a.clone().requires_grad_() for a in reads)  # all but the backward itself
        kinds = ("test_schema", "test_autograd_registration", "test_faketensor")
        torch.library.opcheck(operator.default, wanting, test_utils=kinds)
        with self.assertRaisesRegex(assay.AssayError, "backward"):
            operator(*wanting).sum().backward()
        twice = torch.compile(lambda a, b: operator(a, b) * 2, backend="aot_eager", fullgraph=True)
        self.assertLess((twice(*reads) - 2 * normed(x, g)).abs().max(), 1e-5)

    def test_who_watches_sees_an_operator(self):
        """Kernels are called past PyTorch's dispatcher, but not past those who listen to it."""

        class Seen(TorchDispatchMode):
            def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
                self.names.append(str(function))
                return function(*arguments, **(keywords or {}))

        x, g = torch.randn(4, 8), torch.randn(8)
        fast = assay.compile(normed, x, g, quiet=True, seconds=2)
        name = str(fast.parts[0].operator.default)
        with Seen() as seen:
            seen.names = []
            fast(x, g)
        self.assertIn(name, seen.names)
        meant = export(Called(fast), (x, g)).graph_module.graph.nodes
        self.assertIn(name, [str(node.target) for node in meant])
        without_memory = fast(x.to("meta"), g.to("meta"))
        self.assertEqual(without_memory.device.type, "meta")
        rows = torch.randn(3, 4, 8)
        each = torch.vmap(fast, in_dims=(0, None))(rows, g)
        self.assertLess((each - normed(rows, g)).abs().max(), 1e-5)

    def test_sizes_that_come_later(self):
        fast = assay.compile(
            normed, torch.randn(4, 8), torch.randn(8), dynamic=True, quiet=True, seconds=2
        )
        for rows, columns in ((4, 8), (3, 6), (1, 5)):
            x, g = torch.randn(rows, columns), torch.randn(columns)
            self.assertLess((fast(x, g) - normed(x, g)).abs().max(), 1e-5)
        self.assertEqual(len(fast.sizes), 3)
        self.assertEqual(fast.certificate[0].count("assay-cert"), 1)

    def test_numbers_and_masks(self):
        def picked(table, at, mask, scale):
            return torch.where(mask, F.embedding(at, table) * scale, 0.0) + 1

        table = torch.randn(6, 3)
        at = torch.tensor([5, 0, 2])
        mask = torch.tensor([[True], [False], [True]])
        fast = assay.compile(picked, table, at, mask, 2.5, quiet=True, seconds=2)
        self.assertLess(
            (fast(table, at, mask, 2.5) - picked(table, at, mask, 2.5)).abs().max(), 1e-5
        )
        with self.assertRaisesRegex(assay.AssayError, "2.5"):
            fast(table, at, mask, 3.5)
        with self.assertRaisesRegex(assay.AssayError, "int32"):
            fast(table, at.int(), mask, 2.5)
        with self.assertRaisesRegex(assay.AssayError, "extents"):
            fast(table, at[:2], mask, 2.5)

    def test_integers_that_kernels_do_not_count(self):
        def shifted(at):
            return at.float() * 2 + 1

        fast = assay.compile(shifted, torch.tensor([1, 2]), quiet=True, seconds=2)
        with self.assertRaisesRegex(assay.AssayError, "2\\^24"):
            fast(torch.tensor([1, (1 << 24) + 1]))


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = torch.nn.Linear(8, 6), torch.nn.Linear(6, 8)
        self.norm = torch.nn.LayerNorm(8)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


def wanting(*extents):
    return torch.randn(*extents, requires_grad=True)


def attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


def two_results(x, y):
    return torch.softmax(x @ y, -1), {"rows": torch.tanh(x).sum(-1)}


class Gradients(unittest.TestCase):
    """Forward and backward are two programs; autograd of the function itself is the reference."""

    def setUp(self):
        warnings.simplefilter("ignore")
        torch.manual_seed(3)

    def compare(self, function, *inputs):
        """The largest differences of results and gradients, and the compiled function."""
        fast = assay.compile(function, *inputs, quiet=True, seconds=2, gradients=True)
        found = []
        for way in (fast, function):
            leaves = torch.utils._pytree.tree_leaves(way(*inputs))
            torch.manual_seed(4)
            loss = sum((x * torch.randn_like(x)).sum() for x in leaves)
            wanted = [x for x in inputs if x.requires_grad]
            if isinstance(function, torch.nn.Module):
                wanted += function.parameters()
            found.append((leaves, torch.autograd.grad(loss, wanted)))
        for ours, theirs in zip(*found):
            for x, y in zip(ours, theirs):
                self.assertEqual(x.shape, y.shape)
                self.assertLess((x - y).abs().max(), 1e-5)
        return fast

    def test_functions(self):
        fast = self.compare(normed, wanting(4, 8), wanting(8))
        self.assertEqual((len(fast.forward.parts), len(fast.backward.parts)), (1, 1))
        self.assertEqual(fast.left, [])
        self.assertEqual(len(fast.certificate), 2)
        self.compare(two_results, wanting(3, 4), wanting(4, 5))
        self.compare(lambda x: F.group_norm(x, 2) * x, wanting(2, 4, 3))
        self.compare(attention, wanting(1, 2, 3, 4), wanting(1, 2, 3, 4), wanting(1, 2, 3, 4))

    def test_parameters(self):
        model = Block()
        fast = self.compare(model, torch.randn(4, 8))
        self.assertEqual(fast.left, [])
        x = torch.randn(4, 8)
        with torch.no_grad():
            model.up.weight.mul_(2)  # a step of training is seen
            self.assertLess((fast(x) - model(x)).abs().max(), 1e-5)

    def test_gradcheck(self):
        x, g = (torch.randn(*e, requires_grad=True) for e in ((2, 3), (3,)))
        fast = assay.compile(normed, x, g, quiet=True, seconds=2)  # as the examples want gradients
        # kernels compute in single precision, so steps are longer and tolerances wider
        self.assertTrue(torch.autograd.gradcheck(fast, (x, g), eps=1e-2, atol=1e-2, rtol=1e-2))
        with self.assertRaises(GradcheckError):
            torch.autograd.gradcheck(
                lambda *a: fast(*a) * a[0].detach(), (x, g), eps=1e-2, atol=1e-2
            )

    def test_what_stays_with_pytorch(self):
        def ordered(x):
            return torch.sort(x)[0] * torch.exp(x) * x

        fast = self.compare(ordered, wanting(4, 8))
        self.assertIn("aten.sort.default", [target for target, _, _ in fast.left])

    def test_the_backend(self):
        from assay.backend import assay_backend

        model, x = Block(), torch.randn(4, 8)
        fast = torch.compile(model, backend=assay_backend)
        ours = torch.autograd.grad(fast(x).sin().sum(), list(model.parameters()))
        theirs = torch.autograd.grad(model(x).sin().sum(), list(model.parameters()))
        for a, b in zip(ours, theirs):
            self.assertLess((a - b).abs().max(), 1e-5)

    def test_errors(self):
        x = wanting(4, 8)
        fast = assay.compile(torch.tanh, x, quiet=True, seconds=2, least_work=1)
        with self.assertRaisesRegex(assay.AssayError, "extents"):
            fast(wanting(5, 8))
        with self.assertRaisesRegex(assay.AssayError, "second derivative"):
            torch.autograd.grad(fast(x).sum(), x, create_graph=True)
        with self.assertRaisesRegex(assay.AssayError, "1 of 2 results"):
            assay.compile(lambda a: (a * 2, a.detach() + 1), x, quiet=True)
        with self.assertRaisesRegex(assay.AssayError, "wants a gradient"):
            assay.compile(torch.tanh, torch.randn(3), quiet=True, gradients=True)
        with self.assertRaisesRegex(assay.NotExported, "in place"):
            assay.compile(lambda a, b: a.add_(1) * b, torch.randn(3), wanting(3), quiet=True)
        with self.assertRaisesRegex(assay.AssayError, "dynamic"):
            assay.compile(torch.tanh, x, quiet=True, dynamic=True)


class Errors(unittest.TestCase):
    """Each names a line of this file, and says what to do."""

    def setUp(self):
        warnings.simplefilter("ignore")

    def said(self, kind, function, *examples):
        with self.assertRaises(kind) as caught:
            assay.certify(function, function, *examples)
        self.assertRegex(str(caught.exception), "use.py:[0-9]+")
        return str(caught.exception)

    def test_unsupported_operator(self):
        said = self.said(
            assay.UnsupportedGraph, lambda x: torch.linalg.inv(x) * 2, torch.randn(3, 3)
        )
        self.assertRegex(said, "aten.linalg_inv.*write it by operators")

    def test_control_flow_by_data(self):
        def branches(x):
            if x.sum() > 0:
                return x * 2
            return x * 3

        self.assertIn("torch.where", self.said(assay.NotExported, branches, torch.randn(3)))

    def test_random_numbers(self):
        said = self.said(assay.UnsupportedGraph, lambda x: x + torch.rand(3), torch.randn(3))
        self.assertIn("random numbers have no equation", said)

    def test_training(self):
        class Model(torch.nn.Module):
            def forward(self, x):
                return torch.nn.functional.dropout(x, 0.5, self.training)

        self.assertIn("eval()", self.said(assay.UnsupportedGraph, Model(), torch.randn(3)))

    def test_complex_numbers(self):
        said = self.said(
            assay.UnsupportedGraph, lambda x: x * 2, torch.randn(3, dtype=torch.complex64)
        )
        self.assertIn("view_as_real", said)

    def test_huge_graphs(self):
        def long(x):
            for step in range(20):
                x = x * 2 + step
            return x

        most, equality.MOST_OPERATORS = equality.MOST_OPERATORS, 30
        try:
            self.assertIn("one by one", self.said(assay.AssayError, long, torch.randn(3)))
        finally:
            equality.MOST_OPERATORS = most


if __name__ == "__main__":
    unittest.main()
