"""Arguments and functions that are odd: given twice, in each other's memory, views that stand for
others, numbers that are equal and not the same, constants that functions bring along."""

import operator
import os
import threading
import unittest
import warnings

import torch
import torch.nn.functional as F
from torch.autograd import forward_ad

import assay
from assay.backend import assay_backend
from assay.compiled import GraphRunner, Options
from assay.exporting import export
from assay.islands import Island, computes, divide, translate_island
from assay.memory import may_overlap


def gated(x, y):
    return torch.sigmoid(x) * y + 1


def made(function, *examples, **options):
    return assay.compile(function, *examples, quiet=True, seconds=2, **options)


class Calls(unittest.TestCase):
    """What a compiled function gives for them is what PyTorch gives, or an error."""

    def setUp(self):
        warnings.simplefilter("ignore")
        torch.manual_seed(5)

    def same(self, fast, function, *arguments, bound=1e-5):
        ours, theirs = (torch.utils._pytree.tree_leaves(f(*arguments)) for f in (fast, function))
        for a, b in zip(ours, theirs, strict=True):
            self.assertEqual((a.dtype, a.shape), (b.dtype, b.shape))
            self.assertLess((a.double() - b.double()).abs().max(), bound)

    def test_an_example_given_twice_is_two_arguments(self):
        x, y = torch.randn(3, 4), torch.randn(3, 4)
        self.same(made(gated, x, x), gated, x, y)
        self.same(made(gated, x, x, dynamic=True), gated, x, y)
        named = lambda parts: gated(parts["x"], parts["y"])  # noqa: E731
        self.same(made(named, {"x": x, "y": x[:]}), named, {"x": x, "y": y})

    def test_updated_arguments_lie_apart(self):
        def doubled(x, y):
            y.mul_(2)
            return torch.sigmoid(x) * x + y.sum()

        fast = made(doubled, torch.randn(4, 4), torch.randn(4))
        base = torch.randn(4, 4)
        with self.assertRaisesRegex(assay.AssayError, "shares memory"):
            fast(base, base[0])
        both = torch.randn(4, 2, 4)
        other = both.clone()
        self.same(fast, lambda x, _: doubled(x, other[1, 0]), both[:, 1], both[1, 0])
        square, row = made(doubled, torch.randn(4), torch.randn(4)), base[0]
        with self.assertRaisesRegex(assay.AssayError, "given twice"):
            square(row, row)

    def test_memory(self):
        base = torch.zeros(400)
        cache = base[:256].view(2, 2, 8, 8)
        self.assertFalse(may_overlap(cache[:, 0], cache[:, 1]))
        self.assertFalse(may_overlap(cache[..., 0], cache[..., 1]))
        self.assertTrue(may_overlap(cache[:, 0], cache[1]))
        self.assertTrue(may_overlap(base[::2], base[1::3]))
        self.assertFalse(may_overlap(base[::2], base[1::2]))
        self.assertFalse(may_overlap(base, torch.zeros(400)))

    def test_numbers_that_are_equal_are_not_the_same(self):
        def scaled(x, n):
            return (x * n + 1) * n

        at = torch.arange(8).reshape(2, 4)
        fast = made(scaled, at, 2)
        for other in (2.0, True, 3):
            with self.assertRaisesRegex(assay.AssayError, "made for 2"):
                fast(at, other)
        later = made(scaled, at, 2, dynamic=True)
        self.same(later, scaled, at, 2)
        self.same(later, scaled, at, 2.0)
        x = torch.randn(3, requires_grad=True)
        with self.assertRaisesRegex(assay.AssayError, "made for 2.5"):
            made(scaled, x, 2.5)(x, 3.5)

    def test_what_a_choice_leaves_out(self):
        def entropy(x):
            return torch.special.xlogy(x, x).sum(-1)

        def logarithms(x, y):
            later = torch.log(x + 1)  # before its condition
            return (
                torch.where(x > -1, later * y, 0.0)
                + torch.where(y != 0, x / y, y)
                + torch.where(y <= 0, 2, y.rsqrt())
            )

        x, y = torch.randn(4, 6) * 2, torch.tensor([0.0, 1.0, -2.0, 3.0, 0.0, 0.5]).repeat(4, 1)
        self.same(made(entropy, x), entropy, y.abs())
        self.same(made(logarithms, x, y), logarithms, x, y)
        kept = assay.certify(lambda x: torch.where(x > 0, x.log(), 0.0), lambda x: x.log(), x)
        self.assertNotEqual(kept.verdict, "PROVED")
        same = assay.certify(
            lambda x: torch.where(x > 0, x.log() * 2, 0.0),
            lambda x: 2 * torch.where(x > 0, x.log(), 0.0),
            x,
        )
        self.assertEqual(same.verdict, "PROVED")

    def test_claims_do_not_answer_whether_there_is_a_number(self):
        """Where what is asked about may have no value: a claim would leave that out, and no is what
        is left."""
        x = torch.randn(4, 4)
        pairs = (
            (lambda x: torch.nan_to_num(x / x), torch.ones_like),
            (lambda x: torch.where(torch.isnan(x.log()), 0.0, x.log()), torch.log),
            (lambda x: torch.isfinite(1 / x) * 1.0, torch.ones_like),
            (lambda x: (x.sqrt() == x.sqrt()) * 1.0, torch.ones_like),
            (lambda x: (x.pow(-1).abs() != float("inf")) * 1.0, torch.ones_like),
        )
        for first, second in pairs:
            with self.assertRaisesRegex(assay.UnsupportedGraph, "whether there is a number"):
                assay.certify(first, second, x, seconds=5)
        asked = lambda x: torch.nan_to_num(torch.softmax(x * 2, -1))  # noqa: E731
        of_numbers = assay.certify(asked, lambda x: torch.softmax(x + x, -1), x, seconds=20)
        self.assertEqual(of_numbers.verdict, "PROVED")

    def test_rows_that_are_masked_out_wholly(self):
        inf, x, mask = float("inf"), torch.randn(3, 4), torch.rand(3, 4) > 0.5
        mask[:, 0], mask[1] = False, True
        for softmax in (F.softmax, F.log_softmax):
            function = lambda x, mask: softmax(x.masked_fill(mask, -inf), -1)  # noqa: E731, B023
            ours, theirs = made(function, x, mask)(x, mask), function(x, mask)
            torch.testing.assert_close(ours, theirs, equal_nan=True)
            self.assertTrue(ours[1].isnan().all() and not ours[::2].isnan().any())

    def test_views_that_stand_for_others(self):
        x, y = torch.randn(3, 4), torch.randn(3, 4)
        fast = made(gated, x, y)
        self.same(fast, gated, torch._neg_view(x), y)
        self.same(fast, gated, torch.complex(x, y).conj().imag, y)
        self.same(fast, gated, torch._efficientzerotensor((3, 4)), y)
        self.same(fast, gated, torch.randn(4, 3).t(), torch.randn(4).expand(3, 4))
        self.same(fast, gated, torch.randn(40).as_strided((3, 4), (1, 2), 3), x.flip(0))
        with self.assertRaisesRegex(assay.AssayError, "strides"):
            fast(x.to_sparse(), y)

    def test_what_changes_after_compilation(self):
        x, layer = torch.randn(3, 4), torch.nn.Linear(4, 5).eval()
        fast = made(layer, x, least_work=1)
        layer.weight = torch.nn.Parameter(torch.randn(5, 4))
        self.same(fast, layer, x)
        layer.weight = torch.nn.Parameter(torch.randn(5, 3))
        with self.assertRaisesRegex(assay.AssayError, "extents"):
            fast(x)
        layer.weight = torch.nn.Parameter(torch.randn(5, 4))
        with torch.autocast("cpu", torch.bfloat16):
            with self.assertRaisesRegex(assay.AssayError, "autocast to torch.bfloat16"):
                fast(x)
            lower = made(layer, x, least_work=1)
            self.same(lower, layer, x, bound=3e-2)
        with self.assertRaisesRegex(assay.AssayError, "autocast off"):
            lower(x)

    def test_gradients_beside_tensors_made_of_numbers(self):
        def taken(x):
            return (
                torch.sin(x)[:, torch.tensor([2, 0, 0])] * torch.tensor([1.0, 2.0, -3.0])
            ).tanh()

        x = torch.randn(4, 3, requires_grad=True)
        fast = made(taken, x)
        self.same(fast, taken, x)
        ours, theirs = (torch.autograd.grad(f(x).square().sum(), x)[0] for f in (fast, taken))
        self.assertLess((ours - theirs).abs().max(), 1e-5)

    def test_second_derivatives_are_refused(self):
        x = torch.randn(4, requires_grad=True)
        fast = made(lambda x: (torch.sigmoid(x) * x).sum(), x)
        with self.assertRaisesRegex(assay.AssayError, "second derivative"):
            torch.autograd.grad(fast(x), x, create_graph=True)

    def test_open_extents_of_the_backend(self):
        def scores(x, y, n):
            return torch.nn.functional.layer_norm(x @ y, (y.shape[1],)).softmax(-1) * n + x.sum()

        torch._dynamo.reset()
        fast = torch.compile(scores, backend=assay_backend, dynamic=True)
        for rows, n in ((3, 2), (5, 2), (5, 2.5)):
            x, y = torch.randn(rows, 6, requires_grad=True), torch.randn(6, rows)
            self.same(fast, scores, x, y, n)
            gradients = [
                torch.autograd.grad(f(x, y, n).square().sum(), x)[0] for f in (fast, scores)
            ]
            torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-4)
        layer = torch.nn.LayerNorm(6).eval()  # its epsilon comes as a tensor
        normed = torch.compile(layer, backend=assay_backend, dynamic=True)
        with torch.no_grad():
            for rows in (3, 4):
                self.same(normed, layer, torch.randn(rows, 6))

    def test_operators_that_other_versions_leave_whole(self):
        fused = torch.ops.aten._fused_rms_norm.default
        x, w = torch.randn(4, 6), torch.randn(6)
        graph = torch.fx.Graph()
        places = [graph.placeholder(name) for name in "xw"]
        both = graph.call_function(fused, (places[0], [6], places[1], 1e-3))
        values = (x, w, fused(x, [6], w, 1e-3))
        for node, value in zip((*places, both), values):
            node.meta["val"] = value
        results = [graph.call_function(operator.getitem, (both, which)) for which in (0, 1)]
        for node, value in zip(results, values[2]):
            node.meta["val"] = value
        graph.output(results)
        runner = GraphRunner(graph, Options(device="cpu", quiet=True, least_work=1))
        self.assertEqual((runner.left, len(runner.parts)), ([], 1))
        self.same(runner.run_flat, lambda x, w: fused(x, [6], w, 1e-3), x, w)

    def test_results_without_a_row(self):
        def places(c, x):
            pooled, at = F.max_pool2d(c, 2, return_indices=True)
            largest, where = x.max(1, keepdim=True)
            return pooled * 2 + 1, at, x.gather(1, where) - largest, where, torch.sigmoid(c) * 2

        c, x = torch.randn(2, 3, 6, 6), torch.randn(4, 6).round()
        fast = made(places, c, x, least_work=1)
        self.same(fast, places, c, x)
        self.assertEqual([name for name, *_ in fast.left], ["aten.max_pool2d_with_indices.default"])

    def test_devices(self):
        fast = made(gated, torch.randn(3, 4), torch.randn(3, 4))
        x, nowhere = torch.randn(3, 4), torch.empty(3, 4, device="meta")
        with self.assertRaisesRegex(assay.AssayError, "on meta, while others are on cpu"):
            fast.parts[0].kernel(x, nowhere)
        scaled = made(lambda x, n: torch.sigmoid(x) * n, x, torch.tensor(2.0))
        operator = scaled.parts[0].operator
        single, rest = (torch.empty(e, device="meta") for e in ((), (3, 4)))
        ports = scaled.parts[0].kernel.inputs
        self.assertEqual(
            operator(*(rest if p.extents else single for p in ports)).device.type, "meta"
        )

    def test_a_damaged_cache(self):
        fast = made(gated, torch.randn(2, 3), torch.randn(2, 3))
        described = fast.parts[0].directory / "build-cpu" / "interface.json"
        text = described.read_text()
        described.write_text(text[: len(text) // 2])
        self.same(made(gated, torch.randn(2, 3), torch.randn(2, 3)), gated, *torch.randn(2, 2, 3))
        self.assertEqual(described.read_text(), text)

    def test_who_traces_or_differentiates(self):
        x, y = torch.randn(3, 4), torch.randn(3, 4)
        fast = made(gated, x, y)
        traced = torch.jit.trace(lambda a, b: fast(a, b), (x, y), check_trace=False)
        self.same(traced, gated, y, x)
        with forward_ad.dual_level(), self.assertRaisesRegex(assay.AssayError, "forward mode"):
            fast(forward_ad.make_dual(x, y), y)

    def test_threads_and_processes(self):
        weight = torch.randn(32, 32)

        def rows(x):
            return torch.softmax(x @ weight, -1)

        fast = made(rows, torch.randn(32, 32))
        inputs = [torch.randn(32, 32) for _ in range(8)]
        found = [None] * len(inputs)

        def work(place):
            for _ in range(3):
                found[place] = fast(inputs[place])

        threads = [threading.Thread(target=work, args=(place,)) for place in range(len(inputs))]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        for x, result in zip(inputs, found):
            self.assertLess((result - rows(x)).abs().max(), 1e-5)
        child = os.fork()
        if child == 0:
            os._exit(int(not torch.equal(fast(inputs[0]), found[0])))
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_wide_results_without_products(self):
        """Inputs keep their types, and an input that nothing reads says that of the results; an
        argument of that name is none."""
        x = torch.randn(6, 50, dtype=torch.bfloat16)
        y = torch.randn(6, 1, dtype=torch.float16)
        for function, arguments in (
            (lambda x: torch.log_softmax(x.float(), -1), (x,)),
            (lambda x: (x.float().exp(), x + 1), (x,)),
            (lambda result_type, x: x.float() * 2 + result_type, (torch.ones(1), x)),
            (lambda x, y: x.float() - y.float(), (x, y)),
        ):
            fast = assay.compile(function, *arguments, quiet=True, seconds=2, least_work=1)
            for _ in range(2):  # the first call and the short way
                got, want = fast(*arguments), function(*arguments)
                for ours, theirs in zip(
                    *(r if isinstance(r, tuple) else (r,) for r in (got, want))
                ):
                    self.assertEqual((ours.dtype, ours.shape), (theirs.dtype, theirs.shape))
                    self.assertLess((ours.double() - theirs.double()).abs().max(), 1e-5)

    def test_losses_by_labels(self):
        """What the labels do not say of a softmax's logarithm is not made; nor is it said wrongly
        of another axis, or of several labels a row."""
        x, at = torch.randn(6, 50), torch.randint(0, 50, (6,))
        at[3] = -100
        for function, arguments in (
            (torch.nn.functional.cross_entropy, (x, at)),
            (
                lambda x, at: torch.log_softmax(x, 1).gather(1, at),
                (x, torch.randint(0, 50, (6, 3))),
            ),
            (
                lambda x, at: torch.log_softmax(x, 0).gather(1, at),
                (x, torch.randint(0, 50, (6, 1))),
            ),
            (
                lambda x, at: torch.log_softmax(x, 0).gather(0, at),
                (x, torch.randint(0, 6, (1, 50))),
            ),
        ):
            fast = assay.compile(function, *arguments, quiet=True, seconds=2, least_work=1)
            ours, theirs = fast(*arguments), function(*arguments)
            self.assertLess((ours.double() - theirs.double()).abs().max(), 1e-5)

    def test_wider_results_of_halves(self):
        x, y = torch.full((3, 4), 300.0).half(), torch.randn(3, 4)
        squared = lambda a: a.float() * a.float() + 1  # noqa: E731
        self.same(made(squared, x), squared, x)
        mixed = lambda a, b: a * 2 + b  # noqa: E731
        self.same(made(mixed, x, y), mixed, x, y)
        self.same(made(mixed, x, y.bfloat16()), mixed, x, y.bfloat16())

    def test_minus_infinity(self):
        def causal(q, k):
            keep = torch.ones(16, 16, dtype=torch.bool).tril()
            scores = (q @ k.t()).masked_fill(~keep, float("-inf"))
            return torch.softmax(scores, -1), torch.exp(torch.log_softmax(scores, -1))

        q, k = torch.randn(16, 8) * 20, torch.randn(16, 8) * 20  # exponentials of scores overflow
        self.same(made(causal, q, k), causal, q, k)

        def attention(q, k, v, mask):
            return torch.softmax(q @ k.t() / 4 + mask, -1) @ v

        q, k, v = torch.randn(32, 16), torch.randn(512, 16), torch.randn(512, 16)
        mask = torch.zeros(32, 512)
        mask[:16, :256] = mask[16:, 256:] = mask[5, :500] = float("-inf")
        self.same(made(attention, q, k, v, mask), attention, q, k, v, mask)

    def test_truths_and_integers(self):
        x = torch.tensor([[-2.0, 0.0, 1.5], [0.0, 0.0, 0.0], [3.0, -1.0, 0.5]])
        at = torch.tensor([1, 200, 300])
        cases = (
            (lambda x: ((x > 0) + (x > -1)).float() * 2, x),
            (lambda x: (torch.any(x, -1).float() + 1, torch.all(x, -1).float() * 2), x),
            (lambda at: torch.full((3,), 2.7, dtype=torch.int64) * at + 1, at),
            (lambda x: x.sum(-1, dtype=torch.int64) + 1, x),
            (lambda at: at.to(torch.int8).float() + 1, at),
            (lambda at: at.to(torch.uint8) * 2 + 200, at),
            (lambda x: torch.var(x, -1, correction=0.5) + 1, x),
            (lambda x: torch.pow(x, x.round()) + 1, x),
            (lambda x: torch.asinh(x * -1e4) + 1, x),
        )
        for function, argument in cases:
            self.same(made(function, argument), function, argument)
        for function, argument in (
            (
                lambda at: torch.full((3,), 5, dtype=torch.bool) * at
                + torch.scalar_tensor(7, dtype=torch.bool),
                at,
            ),
            (lambda x: (x > 0).clone().fill_(3) * 2 + torch.full_like(x > 0, 4), x),
            (lambda x: torch.zeros(3, 3, dtype=torch.bool).copy_(x * 3) * 2, x),
            (lambda x: torch.zeros(3, dtype=torch.int64).copy_(x[2] * 3) * 2, x),
            (lambda x: (x > 0).scatter(1, torch.tensor([[0], [1], [2]]), 5) * 2, x),
            (lambda at: at.new_zeros(3, 3).scatter(0, torch.tensor([[0, 1, 2]]), 2.0) * 2, at),
        ):
            self.same(made(function, argument, least_work=1), function, argument)
        cube = lambda at: at * at * at + 1  # noqa: E731
        self.same(made(cube, torch.tensor([2])), cube, torch.tensor([20001]))

    def test_integers_on_the_way(self):
        at = torch.tensor([[3, -5, 250], [7, 0, 99]])
        for function in (
            lambda at: (at * 1000003) % 7 + 1,
            lambda at: (at + 20000000) - 20000000,
            lambda at: at * 100000 * 100000 // 100000,
            lambda at: (torch.arange(3) * 5 + at.clamp(-9, 9) * 3).float() * 0.5,
            lambda at: (at > 0) * at * 2 + torch.remainder(at, 4),
        ):
            self.same(made(function, at, least_work=1), function, at)
        few = made(lambda at: at * 3 + 1, at, least_work=1)
        self.same(few, lambda at: at * 3 + 1, at * 1000)
        with self.assertRaisesRegex(assay.AssayError, "beyond 2\\^22"):
            few(at * 30000)

    def test_axes_of_numbers(self):
        x = torch.tensor(0.7)
        for function in (
            lambda x: (x * 2).sum(0) + x.amax(-1),
            lambda x: torch.softmax(x * 2, -1) + x.mean(0, keepdim=True),
            lambda x: torch.cumsum(x * 2, 0) + x.var(0, correction=0),
            lambda x: x.index_select(0, torch.tensor([0])) * 2 + 1,
        ):
            self.same(made(function, x), function, x)

    def test_what_is_no_number(self):
        inf, nan = float("inf"), float("nan")
        x, usual = torch.tensor([[1.0, -2.0, inf, nan], [-inf, 0.0, 3.0, 1.0]]), torch.randn(2, 4)
        for function in (
            lambda x: torch.nan_to_num(x) * 2 + 1,
            lambda x: (x.isnan(), x.isinf(), x.isfinite(), x != x),
            lambda x: (x < inf, x == inf, x != -inf, x >= -inf, x.where(x != inf, 1.0)),
            lambda x: torch.where(x.isnan(), 0.0, x).relu() + 1,
        ):
            fast = made(function, usual, least_work=1)
            self.same(fast, function, usual)
            for a, b in zip(*(torch.utils._pytree.tree_leaves(f(x)) for f in (fast, function))):
                torch.testing.assert_close(a, b, equal_nan=True)
        nothing = lambda x: x.masked_fill(x > -9, -inf).softmax(-1).nan_to_num(0.25)  # noqa: E731
        self.same(made(nothing, usual), nothing, usual)

    def test_checks_of_data(self):
        def positive(x):
            torch._assert_async((x > 0).all(), "not positive")
            return x.log() * 2

        fast, x = made(positive, torch.rand(3, 4) + 1), torch.rand(3, 4) + 0.5
        self.same(fast, positive, x)
        with self.assertRaises(RuntimeError):
            fast(-x)

    def test_updates_of_parts(self):
        def parts(x):
            y = x.clone()
            y[:, ::2] += 1
            y[1::2, 1::3] *= 2
            y.t()[0].fill_(3.0)
            y[:, 1::2] = y[:, ::2]
            y.view(-1)[3:9].mul_(2)
            left, right = y.chunk(2, 1)
            left.add_(right)
            right.sub_(left)
            return y, y[-2:].sum(0)

        x = torch.randn(4, 6)
        self.same(made(parts, x), parts, torch.randn(4, 6))

    def test_parts_of_tensors_with_minus_infinity(self):
        low = float("-inf")
        x, y = torch.randn(4, 6), torch.randn(4, 6)
        for function in (
            lambda x, y: torch.add(x, y.masked_fill(y > 0.5, low), alpha=2).exp(),
            lambda x, y: x.masked_fill(y > 1, low).masked_fill(x > 0.5, low).softmax(1),
            lambda x, y: torch.cat([x.masked_fill(y > 0.5, low), y], 1).softmax(-1),
            lambda x, y: x.masked_fill(y > 0.5, low).flip(0)[1].exp()
            + y.masked_fill(y > 0.5, low).repeat(2, 1).exp().sum(0),
            lambda x, y: torch.where(x > 0.5, float("inf"), y).neg().exp(),
            lambda x, y: x.masked_fill(y > 0.5, low).bool() * y,
        ):
            fast = made(function, x, y, least_work=1)
            self.same(fast, function, x * 2, y)
            self.same(fast, function, y, x)


class Constants(torch.nn.Module):
    """x * k - s, with k and s kept in a way that the subclass says."""

    def forward(self, x):
        return x * self.k - self.s


class Attribute(Constants):
    def __init__(self, k, s):
        super().__init__()
        self.k, self.s = torch.tensor(k), torch.tensor(s)


class Buffers(Constants):
    def __init__(self, k, s):
        super().__init__()
        self.register_buffer("k", torch.tensor(k))
        self.register_buffer("s", torch.tensor(s))


class Parameters(Constants):
    def __init__(self, names="ks"):
        super().__init__()
        for name in names:
            setattr(self, name, torch.nn.Parameter(torch.randn(())))


class Exchanged(Parameters):
    def forward(self, x):
        return x * self.s - self.k


class Claims(unittest.TestCase):
    """What `certify` says of two functions is said of them, and not of others."""

    def setUp(self):
        warnings.simplefilter("ignore")

    def verdict(self, first, second, *examples):
        return assay.certify(first, second, *examples, seconds=20).verdict

    def refuses(self, pattern, first, second, *examples):
        with self.assertRaisesRegex(assay.AssayError, pattern):
            assay.certify(first, second, *examples, seconds=20)

    def test_an_example_given_twice(self):
        x = torch.randn(3, 4)
        less, more = lambda a, b: a - b, lambda a, b: b - a
        self.assertEqual(self.verdict(less, more, x, x), "REFUTED")
        self.assertEqual(self.verdict(less, more, x, x.view(3, 4)), "REFUTED")
        self.assertEqual(self.verdict(less, lambda a, b: -(b - a), x, x), "PROVED")

    def test_tensors_that_functions_bring_along(self):
        x, one, two = torch.randn(3), torch.tensor([1.0, 2.0, 3.0]), torch.tensor([3.0, 2.0, 1.0])
        for given, other in ((lambda a: a + one, lambda a: a + two), (lambda a: a, lambda a: a * two)):
            self.assertEqual(assay.certify(given, other, x).verdict, "REFUTED")  # as they run
        self.assertEqual(self.verdict(lambda a: a + one, lambda a: one.clone() + a, x), "PROVED")
        ones = torch.ones(3)  # equal for these numbers, and not for all
        self.assertEqual(self.verdict(lambda a: a * ones, lambda a: a, x), "PROVED")
        self.assertEqual(self.verdict(Attribute(2.0, 1.0), Attribute(2.0, 1.0), x), "PROVED")
        self.assertEqual(self.verdict(Attribute(2.0, 1.0), Attribute(3.0, 1.0), x), "REFUTED")
        self.assertEqual(self.verdict(Attribute(0.1, 1.0), lambda a: a * 0.1 - 1, x), "PROVED")

    def test_buffers_and_parameters(self):
        x = torch.randn(3)
        self.assertEqual(self.verdict(Buffers(2.0, 1.0), Buffers(2.0, 1.0), x), "PROVED")
        verdict = assay.certify(Buffers(2.0, 1.0), Buffers(2.0, 1.5), x)
        self.assertEqual(verdict.verdict, "REFUTED")  # as they run
        self.assertIn("other values", str(verdict))
        self.assertEqual(self.verdict(Parameters(), Parameters("sk"), x), "PROVED")
        self.assertEqual(self.verdict(Parameters(), Exchanged("sk"), x), "REFUTED")
        self.refuses("parameters", Parameters(), lambda a: a, x)

    def test_forms_of_results(self):
        x = torch.randn(3)
        self.refuses("is 3 in one", lambda a: (a + 1, 3), lambda a: (a + 1, 4), x)
        self.refuses("tensor in one", lambda a: (a + 1, None), lambda a: (a + 1, a), x)
        self.refuses("another form", lambda a: (a + 1, [a]), lambda a: [(a + 1,), a], x)
        first = lambda a: {"p": a + 1, "q": a * 2}  # noqa: E731
        self.assertEqual(self.verdict(first, lambda a: {"q": a + 1, "p": a * 2}, x), "REFUTED")
        self.assertEqual(self.verdict(first, lambda a: {"q": a + a, "p": 1 + a}, x), "PROVED")

    def test_numbers_among_the_arguments(self):
        verdict = assay.certify(lambda a, n: a * n, lambda a, n: a * 3, torch.randn(3), 3)
        self.assertEqual(verdict.verdict, "PROVED")
        self.assertIn("n is 3", str(verdict))

    def test_truths_and_narrow_integers(self):
        x = torch.randn(3)
        sums = lambda a: (a > 0) + (a > -1)  # noqa: E731
        self.assertEqual(self.verdict(sums, lambda a: (a > 0).float() + (a > -1), x), "REFUTED")
        self.assertEqual(self.verdict(sums, lambda a: torch.logical_or(a > 0, a > -1), x), "PROVED")
        full = lambda a: torch.full((3,), 5, dtype=torch.bool) * a  # noqa: E731
        self.assertEqual(self.verdict(full, lambda a: 5 * a, x), "REFUTED")
        self.assertEqual(self.verdict(full, lambda a: a, x), "PROVED")
        at = torch.tensor([1, 2], dtype=torch.uint8)
        self.refuses("wrap around", lambda a: (a * 2) // 2, lambda a: a + 0, at)

    def test_places_outside_are_no_counterexample(self):
        x, at = torch.randn(4), torch.tensor([0, -1])
        again = lambda x, at: x[at % x.shape[0]]  # noqa: E731
        self.assertEqual(assay.certify(lambda x, at: x[at], again, x, at).verdict, "PROVED")
        at = torch.tensor([0, 1, 3])
        sent = lambda x, at, y: x.scatter_add(0, at, y)  # noqa: E731  (an error below 0)
        put = lambda x, at, y: x.index_put((at,), y, accumulate=True)  # noqa: E731
        verdict = assay.certify(sent, put, x, at, torch.randn(3))
        self.assertEqual(verdict.verdict, "UNKNOWN")
        self.assertIn("where the first function raises", str(verdict))
        from_front = lambda x, at: x[torch.where(at < 0, 0, at)]  # noqa: E731
        wrong = assay.certify(lambda x, at: x[at] * 2, from_front, x, at)
        self.assertEqual(wrong.verdict, "REFUTED")
        self.assertIsNotNone(wrong.outputs)

    def test_counterexamples_are_run_again(self):
        cases = (
            (lambda at: at // -3, lambda at: -(at // 3), torch.tensor([0, 1, -2])),
            (lambda b, x: b * x, lambda b, x: x * 1, torch.randn(3) > 0, torch.randn(3)),
            (torch.nn.Linear(3, 2), torch.nn.Linear(3, 2, bias=False), torch.randn(4, 3)),
            (
                lambda x, n: F.threshold(x, 0.0, n),
                lambda x, n: F.threshold(x, 0.0, 0.0),
                torch.randn(3),
                2.0,
            ),
        )
        for first, second, *examples in cases:
            if isinstance(second, torch.nn.Linear):
                second = Sums(second)
            verdict = assay.certify(first, second, *examples, seconds=20)
            self.assertEqual(verdict.verdict, "REFUTED")
            given, other = verdict.outputs
            self.assertFalse(torch.equal(given, other))


class Sizes(unittest.TestCase):
    """A claim is of sizes of which the functions were asked the same as of the examples'."""

    def holds_where(self, words, first, second, *examples):
        verdict = assay.certify(first, second, *examples, seconds=20)
        self.assertEqual(verdict.verdict, "PROVED")
        self.assertIn(words, str(verdict).partition("and all inputs")[0])

    def test_branches(self):
        x = torch.randn(4, 3)
        double = lambda x: x * 2  # noqa: E731
        self.holds_where("4 <= x_0", lambda x: double(x) if x.shape[0] > 3 else x, double, x)
        self.holds_where("2 <= x_0", lambda x: x if x.shape[0] == 1 else double(x), double, x)
        self.holds_where("2 <= x_0", lambda x: x.squeeze(0), lambda x: x + 0, x)
        self.holds_where("x_0 mod 2", lambda x: double(x) if x.shape[0] % 2 == 0 else x, double, x)
        self.holds_where(
            "x_1 <= x_0", lambda x: x if x.shape[0] < x.shape[1] else double(x), double, x
        )

    def test_extents_that_are_numbers_are_told(self):
        rows = assay.certify(lambda x: x.sum(0), lambda x: x[0], torch.randn(1, 3))
        self.assertEqual(rows.shapes, {"x": ["1", "x_1"]})
        self.assertIn("x has the extents (1, x_1)", str(rows))
        self.assertEqual(assay.certify(torch.relu, torch.relu, torch.randn(2, 3)).shapes, {})

    def test_the_scope_names_what_is_supposed(self):
        """Of sizes: what was asked, what a range says, which one is fixed."""
        x, open_sizes = torch.randn(4, 3), assay.equality.ALL_SIZES
        within = ({0: torch.export.Dim("n", min=4, max=8)},)
        pooled = lambda x: F.adaptive_avg_pool1d(x, 2)  # noqa: E731
        cases = (
            (lambda x: x * 2 if x.shape[0] > 3 else x * 3, None, " where x_0 >= 4"),
            (lambda x: x * 2, within, " where x_0 >= 4, x_0 <= 8"),
            (lambda x: x * 2, None, ""),
            (lambda x: torch.cat([pooled(x.t()).t(), x * 0]) + 0, None, " where x_0 = 4"),
        )
        for function, dynamic, where in cases:
            verdict = assay.certify(function, function, x, dynamic=dynamic, seconds=20)
            self.assertEqual((verdict.verdict, verdict.scope), ("PROVED", open_sizes + where))
            self.assertIn(open_sizes + where, str(verdict))

    def test_windows(self):
        x = torch.randn(1, 2, 4, 4)
        pairs = (
            (lambda x: F.adaptive_avg_pool2d(x, 2), lambda x: F.avg_pool2d(x, 2)),
            (lambda x: F.max_pool2d(x, 2), lambda x: F.max_pool2d(x, 2, ceil_mode=True)),
            (lambda x: F.avg_pool2d(x, 2), lambda x: F.avg_pool2d(x, 2, ceil_mode=True)),
            (lambda x: F.interpolate(x, size=(8, 8)), lambda x: F.interpolate(x, scale_factor=2)),
        )
        for first, second in pairs:
            self.holds_where("x_2 = 4", first, second, x)

    def test_counts(self):
        x = torch.randn(4, 3)
        twice = lambda x: x.sum(0) * 2  # noqa: E731
        self.holds_where("x_0 = 4", lambda x: x.repeat(x.shape[0], 1), lambda x: x.repeat(4, 1), x)
        self.holds_where("x_0 div 2", lambda x: x.tile(x.shape[0] // 2, 1).sum(0), twice, x)
        pairs = lambda x: x.unfold(0, 2, 2).sum(-1).sum(0)  # noqa: E731
        self.holds_where("x_0 = 4", pairs, lambda x: x.sum(0), x)

    def test_numbers_that_only_an_extent_may_be(self):
        x = torch.randn(5, 3)
        for size in (lambda x: torch.sym_max(x.shape[0], 4), lambda x: x.shape[0] // 2):
            verdict = assay.certify(
                lambda x: x.sum(0) * size(x),
                lambda x: size(x) * x.sum(0),
                x,
                seconds=20,  # noqa: B023
            )
            self.assertIn("which only an extent may be", verdict.narrowed)
            self.assertEqual(verdict.scope, assay.equality.THESE_SIZES)

    def test_parts(self):
        x = torch.randn(4, 3)
        exchanged = lambda x: torch.cat([x[2:], x[:2]])  # noqa: E731
        self.holds_where("x_0 = 4", exchanged, lambda x: torch.cat([x[-2:], x[:-2]]), x)
        self.holds_where("x_0 = 4", lambda x: x[::2], lambda x: x[:4:2], x)
        self.holds_where("x_0 = 4", lambda x: x[: min(4, x.shape[0])], lambda x: x + 0, x)
        six = torch.randn(6, 3)
        self.holds_where("x_0 = 6", lambda x: x[4:5], lambda x: x[-2:-1], six)
        last = assay.certify(lambda x: x[3], lambda x: x[-1], x, seconds=20)
        self.assertTrue(last)
        self.assertEqual(last.scope, assay.equality.THESE_SIZES)


class Sums(torch.nn.Module):
    """A layer and a bias, which it takes the square of."""

    def __init__(self, layer):
        super().__init__()
        self.weight, self.bias = layer.weight, torch.nn.Parameter(torch.zeros(2))

    def forward(self, x):
        return x @ self.weight.t() + self.bias * self.bias


class Statements(unittest.TestCase):
    """How islands are stated."""

    def test_what_is_defined_everywhere_is_not_guarded(self):
        """The logarithm of 1 and an exponential, and a place along an axis, which is no large one."""
        cases = (
            (F.mish, torch.empty(64, 64, device="meta"), "exp(", "full_like"),
            (lambda x: x.argmax(1), torch.empty(4096, 4096, 4095, device="meta"), "argmax", "mod"),
            (
                lambda x: torch.where(x > 0, x.log(), 0),
                torch.empty(64, 64, device="meta"),
                "full_like",
                "exp",
            ),
        )
        for function, example, has, has_not in cases:
            graph = export(function, [example], fixed=True).graph_module.graph
            (island,) = [p for p in divide(graph, least_work=0)[0] if isinstance(p, Island)]
            text = translate_island(island, "island").tp("torch_ops.sem")
            self.assertIn(has, text)
            self.assertNotIn(has_not, text)

    def test_a_network_over_many_steps_is_an_operator(self):
        """One that computes, and is counted among what is not certified."""
        network = torch.nn.LSTM(4, 3).eval()
        graph = export(network, [torch.randn(20, 1, 4)], fixed=True).graph_module.graph
        counted = [str(node.target) for node in graph.nodes if computes(node)]
        self.assertEqual([name for name in counted if "lstm" in name], ["assay.lstm.default"])

    def test_a_product_of_a_product_is_one(self):
        """The axis of two, of which one is taken, is a number: products with it are expressions,
        and those of three factors the same whichever two came first."""

        def heads(x, w):
            parts = x.view(6, 2, 5, 3, 4)
            rows = parts.permute(0, 1, 3, 2, 4).reshape(36, 5, 4)
            return torch.bmm(rows, w).view(6, 2, 3, 5, 7).exp(), parts[:, :1] * 2

        examples = [torch.empty(6, 10, 3, 4, device="meta"), torch.empty(36, 4, 7, device="meta")]
        graph = export(heads, examples, fixed=True).graph_module.graph
        (island,) = [p for p in divide(graph, least_work=1)[0] if isinstance(p, Island)]
        program = translate_island(island, "island")
        self.assertIn("n10 = 2 * n5", program.extents.relations)
        self.assertEqual(set(program.extents.values), {"n10", "n3", "n4", "n5", "n7"})


if __name__ == "__main__":
    unittest.main()
