"""What is timed beside PyTorch, and what becomes of it: the logic, with a timer that says what a
test wants it to say."""

import contextlib
import io
import json
import os
import tempfile
import unittest
from pathlib import Path

import torch
import torch.nn.functional as F

import assay
from assay import measured
from assay.attention_step import OPERATOR, as_step
from assay.backend import assay_backend
from assay.contested import INDUCTOR, Inductor
from assay.exporting import export
from assay.islands import Island, divide, translate_island
from assay.measured import OURS, Contest, Kept, fastest


class Timer:
    """A timer that calls each function and says these times, in the order of the calls."""

    place = "a machine"
    may_measure = True

    def __init__(self, *answers):
        self.answers = list(answers)
        self.calls = 0

    def times(self, functions):
        self.calls += 1
        for function in functions:
            function()
        return self.answers.pop(0)[: len(functions)]


class Fastest(unittest.TestCase):
    def test_ours_within_the_margin(self):
        self.assertEqual(fastest({OURS: 102.0, "eager": 100.0}), OURS)
        self.assertEqual(fastest({OURS: 102.1, "eager": 100.0}), "eager")
        self.assertEqual(fastest({OURS: 50.0, "eager": 100.0}), OURS)

    def test_the_best_of_several_others(self):
        self.assertEqual(fastest({OURS: 99.0, "eager": 90.0, "inductor": 80.0}), "inductor")

    def test_without_ours(self):
        self.assertEqual(fastest({"eager": 90.0, "inductor": 80.0}), "inductor")


class Contests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.lines = []

    def contest(self, timer, ways, name=("a part",)):
        return Contest("part 1", name, ways, timer, Kept(self.folder), self.lines.append)

    @staticmethod
    def way(values):
        return lambda: None

    def test_what_was_measured_is_kept_for_others(self):
        ways = {OURS: self.way, "eager": self.way}
        first, second = Timer([30.0, 20.0]), Timer()
        self.assertEqual(self.contest(first, ways).decide({}), "eager")
        self.assertEqual(self.contest(second, ways).decide({}), "eager")
        self.assertEqual((first.calls, second.calls), (1, 0))
        self.assertEqual(self.lines, ["part 1: 30.0 us certified, 20.0 us eager: eager"] * 2)

    def test_a_margin_of_its_own(self):
        ways = {OURS: self.way, "eager": self.way}
        for margin, chosen in ((0.02, OURS), (0.002, "eager")):
            timer = Timer([20.1, 20.0])
            kept = Kept(self.folder / str(margin))
            contest = Contest("a", ("a",), ways, timer, kept, self.lines.append, margin)
            self.assertEqual(contest.decide({}), chosen)

    def test_another_part_or_machine_is_measured_again(self):
        ways = {OURS: self.way, "eager": self.way}
        self.contest(Timer([30.0, 20.0]), ways).decide({})
        other = Timer([10.0, 20.0])
        self.assertEqual(self.contest(other, ways, ("another",)).decide({}), OURS)
        moved = Timer([10.0, 20.0])
        moved.place = "another machine"
        self.assertEqual(self.contest(moved, ways).decide({}), OURS)
        self.assertEqual((other.calls, moved.calls), (1, 1))

    def test_what_cannot_be_read_is_measured_again(self):
        ways = {OURS: self.way, "eager": self.way}
        self.contest(Timer([30.0, 20.0]), ways).decide({})
        (path,) = self.folder.glob("*.json")
        whole = json.loads(path.read_text())
        for text in ("", "{", "[1]", '{"us": 3}', json.dumps({**whole, "us": {OURS: "fast"}})):
            path.write_text(text)
            again = Timer([10.0, 20.0])
            self.assertEqual(self.contest(again, ways).decide({}), OURS, text)
            self.assertEqual(again.calls, 1, text)

    def test_times_of_another_name_are_not_believed(self):
        ways = {OURS: self.way, "eager": self.way}
        self.contest(Timer([30.0, 20.0]), ways).decide({})
        self.contest(Timer([10.0, 20.0]), ways, ("another",)).decide({})
        one, other = sorted(self.folder.glob("*.json"))
        texts = one.read_text(), other.read_text()
        one.write_text(texts[1])
        other.write_text(texts[0])
        again = Timer([30.0, 20.0])
        self.contest(again, ways).decide({})
        self.assertEqual(again.calls, 1)

    def test_a_way_that_fails_is_left_out(self):
        def fails(values):
            raise RuntimeError("no compiler\nhere")

        ways = {OURS: self.way, "inductor": fails}
        self.assertEqual(self.contest(Timer([30.0]), ways).decide({}), OURS)
        self.assertIn("inductor is not timed: no compiler", self.lines[0])
        with self.assertRaises(RuntimeError):
            self.contest(Timer([30.0]), {OURS: fails, "eager": self.way}, ("b",)).decide({})

    def test_nothing_is_measured_while_a_graph_is_captured(self):
        timer = Timer([30.0, 20.0])
        timer.may_measure = False
        contest = self.contest(timer, {OURS: self.way, "eager": self.way})
        self.assertIsNone(contest.decide({}))
        self.assertEqual(timer.calls, 0)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = torch.nn.Linear(8, 16), torch.nn.Linear(16, 8)

    def forward(self, x):
        return torch.sigmoid(self.down(torch.tanh(self.up(x)))) * 2


class Programs(unittest.TestCase):
    """Compiled programs under the emulation, whose times are what a test says."""

    def setUp(self):
        torch.manual_seed(1)
        before = measured.timer_of, os.environ.get("ASSAY_CACHE")
        self.addCleanup(self.restore, *before)

    @staticmethod
    def restore(timer_of, place):
        measured.timer_of = timer_of
        os.environ.pop("ASSAY_CACHE")
        if place is not None:
            os.environ["ASSAY_CACHE"] = place

    def compiled(self, *answers, **options):
        """A net compiled in a cache whose measurements are its own, with the timer."""
        timer = Timer(*answers)
        measured.timer_of = lambda device: timer
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.environ["ASSAY_CACHE"] = folder.name
        net = Net().eval()
        x = torch.randn(3, 8)
        return timer, net, x, assay.compile(net, x, seconds=1, quiet=True, **options)

    def test_ours_is_taken_where_it_is_faster(self):
        timer, net, x, fast = self.compiled([10.0, 20.0], [10.0, 20.0])
        with torch.no_grad():
            for _ in range(3):
                torch.testing.assert_close(fast(x), net(x))
        self.assertEqual(timer.calls, 2)  # the part, and the whole
        self.assertEqual(len(fast.measured), 2)
        self.assertTrue(all(line.endswith(": certified") for line in fast.measured))

    def test_a_part_that_loses_stays_with_pytorch(self):
        timer, net, x, fast = self.compiled([21.0, 20.0], [20.0, 20.0])
        with torch.no_grad():
            torch.testing.assert_close(fast(x), net(x))
        kernel = fast.parts[0].kernel
        kernel.of_types = None  # it is not called any more
        with torch.no_grad():
            torch.testing.assert_close(fast(x), net(x))
        line = r"part 1 \(5 operators, predicted [0-9.]+ us\): 21.0 us certified, 20.0 us eager: eager"
        self.assertRegex(fast.measured[0], f"^{line}$")

    def test_the_whole_may_lose_though_no_part_does(self):
        timer, net, x, fast = self.compiled([10.0, 20.0], [21.0, 20.0])
        seen = []
        net.register_forward_hook(lambda *_: seen.append(1))
        with torch.no_grad():
            fast(x)
            before = len(seen)
            torch.testing.assert_close(fast(x), net(x))
        self.assertEqual(len(seen) - before, 2)  # once by the compiled one, once by us
        with self.assertRaises(assay.AssayError):
            fast(torch.randn(4, 8))  # what it was not made for is an error all the same

    def test_turned_off(self):
        timer, net, x, fast = self.compiled(never_slower=False)
        with torch.no_grad():
            torch.testing.assert_close(fast(x), net(x))
        self.assertEqual((timer.calls, fast.measured), (0, []))


class Backend(unittest.TestCase):
    """Graphs of torch.compile: parts and all of them beside TorchInductor, then the graph itself."""

    def setUp(self):
        torch.manual_seed(1)
        torch._dynamo.reset()
        self.addCleanup(Programs.restore, measured.timer_of, os.environ.get("ASSAY_CACHE"))
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.environ["ASSAY_CACHE"] = folder.name

    def compiled(self, module, *answers):
        timer = Timer(*answers)
        measured.timer_of = lambda device: timer
        options = {"seconds": 1, "quiet": False}
        return timer, torch.compile(module, backend=assay_backend, options=options)

    def test_the_graph_as_it_was_given_may_win(self):
        net, x = Net().eval(), torch.randn(3, 8)
        timer, fast = self.compiled(net, [10.0, 20.0, 30.0], [30.0, 20.0])
        with torch.no_grad():
            for calls in (0, 2, 2):  # PyTorch looks on at the first, and all is timed at the next
                torch.testing.assert_close(fast(x), net(x))
                self.assertIn(timer.calls, {calls, 2})

    def test_the_whole_has_three_ways(self):
        net, x = Net().eval(), torch.randn(3, 8)
        timer, fast = self.compiled(net, [10.0, 20.0, 30.0], [30.0, 29.0, 20.0])
        with torch.no_grad():
            said = self.said(lambda: [fast(x), torch.testing.assert_close(fast(x), net(x))])
        self.assertRegex(said, "as it was given: .*: inductor\n")

    @staticmethod
    def said(call):
        out = io.StringIO()
        with contextlib.redirect_stderr(out):
            call()
        return out.getvalue()

    def test_what_is_written_to_is_written_once(self):
        def count(x, seen):
            seen.add_(1)
            return torch.sigmoid(torch.tanh(x) * 2) + seen

        timer, fast = self.compiled(count, [10.0, 20.0, 30.0], [30.0, 20.0])
        x, seen = torch.randn(3, 4), torch.zeros(4)
        with torch.no_grad():
            for step in range(1, 4):
                fast(x, seen)
                self.assertEqual(seen.tolist(), [float(step)] * 4)
        self.assertEqual(timer.calls, 2)


class TypesOfInputs(unittest.TestCase):
    """What a part reads keeps its type, so that no call converts weights."""

    def inputs(self, function, *examples):
        with torch.no_grad():
            graph = export(function, examples, fixed=True, attention=as_step).graph_module.graph
        (part,) = divide(graph)[0]
        text = translate_island(part, "part").tp(None)
        found = (line.split()[1:3] for line in text.splitlines() if line.startswith("input"))
        return {name.rstrip(":"): dtype[:3] for name, dtype in found}

    def test_results_of_32_bits_of_products_of_16(self):
        def head(x, w):
            return torch.log_softmax((x @ w).float(), -1)

        x, w = torch.randn(5, 8).half(), torch.randn(8, 16).half()
        types = self.inputs(head, x, w)
        self.assertEqual(types, {"result_type": "f32", "x": "f16", "w": "f16"})

    def test_products_of_32_bits(self):
        """Operands that are computed in 32 bits are not rounded to 16."""

        def normed(x, w):
            return torch.softmax(x.float(), -1) @ w.float() + 1

        x, w = torch.randn(5, 8).half(), torch.randn(8, 16).half()
        self.assertEqual(self.inputs(normed, x, w), {"x": "f32", "w": "f32"})


class AttentionAsAStep(unittest.TestCase):
    """Attention is a part of its own, which PyTorch has as the call that the user wrote."""

    CASES = {
        "plain": {},
        "causal": {"is_causal": True},
        "scaled": {"scale": 0.5},
        "additive": {"attn_mask": (5, 7)},
    }

    def nodes(self, function, *examples):
        with torch.no_grad():
            graph = export(function, examples, fixed=True, attention=as_step).graph_module.graph
        return graph, [n for n in graph.nodes if n.target is OPERATOR]

    def test_what_it_computes(self):
        query, key = torch.randn(2, 3, 5, 8), torch.randn(2, 3, 7, 8)
        for name, given in self.CASES.items():
            settings = {k: torch.randn(v) if isinstance(v, tuple) else v for k, v in given.items()}
            want = F.scaled_dot_product_attention(query, key, key, **settings)
            torch.testing.assert_close(as_step(query, key, key, **settings), want, msg=name)

    def test_dropout_and_other_forms_are_left_to_pytorch(self):
        graph, steps = self.nodes(
            lambda q: F.scaled_dot_product_attention(q, q, q, dropout_p=0.5), torch.randn(2, 3, 4)
        )
        self.assertEqual(steps, [])

    def test_multihead_attention_stays_in_16_bits(self):
        """PyTorch's own function calls attention where no mode sees it."""
        module = torch.nn.MultiheadAttention(16, 2, batch_first=True).half().eval()
        x = torch.randn(2, 5, 16, dtype=torch.float16)
        graph, steps = self.nodes(lambda x: module(x, x, x, need_weights=False)[0], x)
        self.assertEqual(len(steps), 1)
        types = {n.meta["val"].dtype for n in graph.nodes if hasattr(n.meta.get("val"), "dtype")}
        self.assertEqual(types, {torch.float16})

    def test_heads_are_split_and_merged_within_its_part(self):
        weights = [torch.nn.Parameter(torch.randn(16, 16)) for _ in range(4)]

        def block(x):
            q, k, v = ((x @ w).view(2, 5, 2, 8).transpose(1, 2) for w in weights[:3])
            seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return x + torch.tanh(seen.transpose(1, 2).reshape(2, 5, 16) @ weights[3])

        graph, (step,) = self.nodes(block, torch.randn(2, 5, 16))
        pieces, _ = divide(graph)
        self.assertTrue(all(isinstance(piece, Island) for piece in pieces))
        (part,) = (piece for piece in pieces if step in piece.nodes)
        self.assertIs(part.attention, step)
        for node in (*part.reads, *part.gives):
            self.assertTrue(node.meta["val"].is_contiguous(), node)
        others = [n for piece in pieces if piece is not part for n in piece.nodes]
        self.assertFalse([n for n in others if "permute" in str(n.target) and n.users is None])

    def test_compiled(self):
        def attend(q, k, v):
            return F.scaled_dot_product_attention(q, k, v, is_causal=True) * 2

        q, k, v = (torch.randn(2, 6, 8) for _ in range(3))
        fast = assay.compile(attend, q, k, v, seconds=2, quiet=True, least_work=1)
        self.assertFalse(fast.left)
        torch.testing.assert_close(fast(q, k, v), attend(q, k, v), rtol=1e-4, atol=1e-5)


class ByInductor(unittest.TestCase):
    def test_steps_are_compiled_as_they_stand(self):
        def function(x, y):
            return torch.tanh(x) + y, x * y

        examples = torch.randn(3, 4), torch.randn(4)
        with torch.no_grad():
            graph = export(function, examples, fixed=True).graph_module.graph
        places = [n for n in graph.nodes if n.op == "placeholder"]
        steps = [n for n in graph.nodes if n.op == "call_function"]
        results = graph.output_node().args[0]
        values = dict(zip(places, examples))
        Inductor(steps, places, results)(values)
        for node, want in zip(results, function(*examples)):
            torch.testing.assert_close(values[node], want)

    def test_attention_is_the_call_that_the_user_wrote(self):
        def function(q, k, v):
            return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.5)

        examples = tuple(torch.randn(2, 2, 3, 4) for _ in range(3))
        with torch.no_grad():
            exported = export(function, examples, fixed=True, attention=as_step)
        graph = exported.graph_module.graph
        places = [n for n in graph.nodes if n.op == "placeholder"]
        steps = [n for n in graph.nodes if n.op == "call_function"]
        whole = Inductor(steps, places, graph.output_node().args[0])
        targets = {n.target for n in whole._module().graph.nodes if n.op == "call_function"}
        self.assertIn(torch.ops.aten.scaled_dot_product_attention.default, targets)
        self.assertNotIn(OPERATOR, targets)
        values = dict(zip(places, examples))
        whole(values)
        (result,) = graph.output_node().args[0]
        torch.testing.assert_close(values[result], function(*examples))

    def test_the_backend_names_its_option(self):
        with self.assertRaises(assay.AssayError):
            assay_backend(None, [], options={"never_slow": False})


if __name__ == "__main__":
    unittest.main()
