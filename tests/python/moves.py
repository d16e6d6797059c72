"""Moves of elements that are brought together: graphs compute what they did, lie as they did, and
copy less.  Random chains print their seed."""

import os
import random
import unittest

import torch
from torch.fx.experimental.proxy_tensor import make_fx

from assay.attention import InProducts
from assay.attention_step import as_step
from assay.moves import Moved, bring_together, moved, unmoved
from assay.nodes import run_as

aten = torch.ops.aten


def graph_of(function, *examples):
    """The core ATen graph of a function, with tensors without data, and how it is run."""
    table = torch._decomp.core_aten_decompositions()
    with InProducts(as_step):
        traced = make_fx(function, decomposition_table=table, tracing_mode="fake")(*examples)
    return traced.graph


class Runner(torch.fx.Interpreter):
    """Runs a graph as its steps are run where they stay with PyTorch."""

    def call_function(self, target, arguments, keywords):
        return super().call_function(run_as(target), arguments, keywords)


def run(graph, *inputs):
    return Runner(torch.fx.GraphModule({}, graph)).run(*inputs)


def count(graph, target):
    return sum(node.target is target for node in graph.nodes)


class Case(unittest.TestCase):
    def same(self, function, *examples):
        """The graph after; results are the same, lie alike, and share memory with nothing that
        they did not."""
        graph = graph_of(function, *examples)
        before = torch.utils._pytree.tree_leaves(run(graph, *examples))
        bring_together(graph)
        graph.lint()
        after = torch.utils._pytree.tree_leaves(run(graph, *examples))
        for one, other in zip(before, after, strict=True):
            torch.testing.assert_close(one, other)
            self.assertTrue(other.is_contiguous() or not one.is_contiguous())
        self.assertEqual(shared(before, examples), shared(after, examples))
        return graph


class Chains(Case):

    def test_random_chains(self):
        seed = int(os.environ.get("AS_SEED", random.randrange(1 << 30)))
        print(f"seed {seed}")
        choose = random.Random(seed)
        for _ in range(25):
            extents = [choose.choice((1, 2, 3, 4, 5, 6)) for _ in range(choose.randint(1, 4))]
            steps = random_steps(choose, list(extents))

            def chain(x):
                for step in steps:
                    x = step(x)
                return torch.sin(x), x.clone()

            self.same(chain, torch.randn(extents))

    def test_a_chain_that_comes_to_nothing(self):
        def to_and_fro(x):
            turned = x.transpose(0, 1).contiguous().view(-1, 8)
            return torch.sin(turned.view(5, 3, 8).transpose(0, 1).contiguous())

        graph = self.same(to_and_fro, torch.randn(3, 5, 8))
        self.assertEqual(count(graph, aten.clone.default), 0)
        self.assertEqual(count(graph, aten.permute.default), 0)

    def test_a_copy_that_is_needed_stays(self):
        graph = self.same(lambda x: x.t().contiguous(), torch.randn(3, 5))
        self.assertEqual(count(graph, aten.clone.default), 1)
        graph = self.same(lambda x: torch.sin(x.t().contiguous().view(15)), torch.randn(3, 5))
        self.assertEqual(count(graph, aten.clone.default), 1)

    def test_results_are_tensors_of_their_own(self):
        self.same(lambda x: x.clone(), torch.randn(3, 5))
        self.same(lambda x: (torch.sin(x), x.clone(), x.view(15).clone()), torch.randn(3, 5))

        def twice(x):
            y = torch.sin(x)
            return y, y.clone()

        self.same(twice, torch.randn(3, 5))

    def test_extents_that_do_not_divide(self):
        self.same(lambda x: torch.sin(x.t().contiguous().view(2, 3)), torch.randn(2, 3))

    def test_empty_tensors(self):
        self.same(lambda x: torch.sin(x.transpose(0, 1).contiguous()), torch.randn(0, 3))


class Products(Case):
    def test_rows_are_turned_behind_a_product(self):
        def project(x, w):
            y = x.transpose(0, 1).contiguous().view(-1, 8) @ w
            return torch.sin(y.view(5, 3, 4).transpose(0, 1).contiguous())

        graph = self.same(project, torch.randn(3, 5, 8), torch.randn(8, 4))
        self.assertEqual(count(graph, aten.clone.default), 0)

    def test_a_bias_is_the_products_own(self):
        def project(x, w, b):
            return torch.sin((x.transpose(0, 1).reshape(15, 8) @ w).view(5, 3, 4) + b)

        graph = self.same(project, torch.randn(3, 5, 8), torch.randn(8, 4), torch.randn(4))
        self.assertEqual((count(graph, aten.add.Tensor), count(graph, aten.addmm.default)), (0, 1))

    def test_batches_of_one_matrix(self):
        """As PyTorch writes a linear layer of a tensor that is turned."""
        x, w, b = torch.randn(3, 5, 8), torch.randn(8, 4), torch.randn(4)

        def turned(x, w, b):
            y = torch.bmm(x.transpose(0, 1), w.expand(5, 8, 4)) + b
            return torch.sin(y.transpose(0, 1).contiguous())

        graph = self.same(turned, x, w, b)
        self.assertEqual(count(graph, aten.clone.default), 0)
        self.assertEqual((count(graph, aten.bmm.default), count(graph, aten.addmm.default)), (0, 1))
        graph = self.same(lambda x, w: torch.sin(torch.bmm(x, w)), x, torch.randn(3, 8, 4))
        self.assertEqual(count(graph, aten.bmm.default), 1)

    def test_what_is_no_bias(self):
        x, w = torch.randn(6, 8), torch.randn(8, 6)
        others = (torch.randn(6, 6), torch.randn(6, 1), torch.randn(1), torch.randn(6).double())
        for other in others:
            graph = self.same(lambda x, w, b: torch.sin(x @ w + b), x, w, other)
            self.assertEqual(count(graph, aten.addmm.default), 0, other.shape)
        graph = self.same(lambda x, w, b: torch.add(x @ w, b, alpha=2), x, w, torch.randn(6))
        self.assertEqual(count(graph, aten.addmm.default), 0)

        def read_twice(x, w, b):
            y = x @ w
            return y + b, torch.sin(y)

        graph = self.same(read_twice, x, w, torch.randn(6))
        self.assertEqual(count(graph, aten.addmm.default), 0)

    def test_multihead_attention(self):
        """Of the function behind nn.MultiheadAttention the copies to and fro are gone."""

        def attend(x, *parameters):
            given = (x.transpose(0, 1),) * 3
            w, b, wo, bo = parameters
            made = torch.nn.functional.multi_head_attention_forward(
                *given, 16, 4, w, b, None, None, False, 0.0, wo, bo, False, need_weights=False
            )
            return made[0].transpose(0, 1).contiguous()

        parameters = (torch.randn(n) for n in ((48, 16), (48,), (16, 16), (16,)))
        examples = (torch.randn(3, 5, 16), *parameters)
        copies = count(graph_of(attend, *examples), aten.clone.default)
        graph = self.same(attend, *examples)
        self.assertLessEqual(count(graph, aten.clone.default), copies - 3)


class Atoms(unittest.TestCase):
    """A move followed by hand."""

    def test_steps(self):
        graph = graph_of(lambda x: x.permute(1, 0, 2).reshape(15, 4), torch.randn(3, 5, 4))
        known = {}
        for node in graph.nodes:
            found = moved(node, known)
            if found:
                known[node] = found
        last = graph.output_node().all_input_nodes[0]
        self.assertEqual(known[last].steps(), ([3, 5, 4], [1, 0, 2], [15, 4]))

    def test_shapes_that_do_not_divide(self):
        graph = graph_of(lambda x: x.t(), torch.randn(2, 3))
        (place, *_) = graph.nodes
        turned = unmoved(place).permuted([1, 0])
        self.assertIsInstance(turned.viewed([6]), Moved)
        self.assertIsNone(turned.viewed([2, 3]))


def shared(results, inputs):
    """Which results share memory with which inputs and results."""
    memory = [x.untyped_storage().data_ptr() for x in (*results, *inputs)]
    return [[memory.index(m), len(memory)] for m in memory]


def random_steps(choose, extents):
    """Functions that move a tensor's elements, of which each fits what the one before gives."""
    steps = []
    for _ in range(choose.randint(2, 7)):
        kind = choose.choice(("permute", "view", "unsqueeze", "copy"))
        if kind == "permute":
            order = list(range(len(extents)))
            choose.shuffle(order)
            extents = [extents[axis] for axis in order]
            steps.append(lambda x, order=order: x.permute(order))
        elif kind == "view":
            extents = random_view(choose, extents)
            steps.append(lambda x, shape=tuple(extents): x.reshape(shape))
        elif kind == "unsqueeze":
            axis = choose.randint(0, len(extents))
            extents = [*extents[:axis], 1, *extents[axis:]]
            steps.append(lambda x, axis=axis: x.unsqueeze(axis))
        else:
            steps.append(lambda x: x.contiguous())
    return steps


def random_view(choose, extents):
    factors = []
    for extent in extents:
        while extent > 1:
            factor = next(n for n in range(2, extent + 1) if extent % n == 0)
            factors.append(factor)
            extent //= factor
    shape = []
    for factor in factors:
        if shape and choose.random() < 0.5:
            shape[-1] *= factor
        else:
            shape.append(factor)
    return shape or [1]


if __name__ == "__main__":
    unittest.main()
