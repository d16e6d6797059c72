"""Attention that is written out is taken for the call where it is proved to be that, and for
nothing else."""

import math
import unittest

import torch
import torch.nn.functional as F

from assay.attention_step import OPERATOR, as_step
from assay.exporting import export
from assay.first_call import check_first
from assay.islands import Island, divide
from assay.rewrite import prepare

BATCH, HEADS, ROWS, KEYS, WIDTH = 2, 4, 10, 7, 8


def attend(mask=lambda scores: scores, softmax=lambda x: torch.softmax(x, -1), scale=WIDTH**-0.5):
    def function(q, k, v, *given):
        scores = q @ k.transpose(-1, -2) * scale
        return softmax(mask(scores, *given)).to(v.dtype) @ v

    return function


def causal(scores):
    at = torch.arange(scores.shape[-1])
    return scores.masked_fill(at[None, :] > at[:, None], -math.inf)


def causal_by_addition(scores):
    rows, columns = scores.shape[-2:]
    return scores + torch.full((rows, columns), -math.inf, dtype=scores.dtype).triu(1)


def by_exponentials(x):
    above = torch.exp(x - x.amax(-1, keepdim=True))
    return above / above.sum(-1, keepdim=True)


def repeated(x, times=2):
    wide = x[:, :, None].expand(*x.shape[:2], times, *x.shape[2:])
    return wide.reshape(x.shape[0], -1, *x.shape[2:])


class Found(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        self.query = torch.randn(BATCH, HEADS, ROWS, WIDTH)
        self.key = torch.randn(BATCH, HEADS, KEYS, WIDTH)
        self.value = torch.randn(BATCH, HEADS, KEYS, 5)

    def steps(self, function, *examples):
        """The steps of attention that a function has in the end; it computes what it did."""
        with torch.no_grad():
            exported = export(function, examples, fixed=True, attention=as_step)
        graph = exported.graph_module.graph
        prepare(graph)
        graph.lint()
        places = [node for node in graph.nodes if node.op == "placeholder"]
        values = dict(zip(places[-len(examples) :], examples))
        self.assertTrue(check_first(graph, values, [function(*examples)]))
        return [node for node in graph.nodes if node.target is OPERATOR]

    def is_found(self, function, *examples, causal=False, shared=False, masked=False, scale=None):
        (step,) = self.steps(function, *examples)
        mask, is_causal, factor, is_shared = step.args[3:]
        self.assertEqual((mask is not None, is_causal, is_shared), (masked, causal, shared))
        self.assertAlmostEqual(factor, scale or WIDTH**-0.5)

    def is_left(self, function, *examples):
        self.assertEqual(self.steps(function, *examples), [])

    def test_plain(self):
        self.is_found(attend(), self.query, self.key, self.value)
        self.is_found(attend(scale=0.3), self.query, self.key, self.value, scale=0.3)

    def test_types(self):
        halves = [x.half() for x in (self.query, self.key, self.value)]
        in_32 = attend(softmax=lambda x: torch.softmax(x, -1, dtype=torch.float32))
        self.is_found(in_32, *halves)

    def test_a_softmax_by_exponentials(self):
        self.is_found(attend(softmax=by_exponentials), self.query, self.key, self.value)

    def test_causal(self):
        square = (self.query,) * 3
        self.is_found(attend(causal), *square, causal=True)
        self.is_found(attend(causal_by_addition), *square, causal=True)

    def test_masks_of_truths_and_added_ones(self):
        given = (self.query, self.key, self.value)
        kept = torch.rand(ROWS, KEYS) > 0.5
        kept[:, 0] = True
        self.is_found(
            attend(lambda s, m: torch.where(m, s, -math.inf)), *given, kept, masked=True
        )
        self.is_found(
            attend(lambda s, m: s.masked_fill(m, -math.inf)), *given, ~kept, masked=True
        )
        bias = torch.randn(HEADS, ROWS, KEYS)
        self.is_found(attend(lambda s, m: m + s), *given, bias, masked=True)

    def test_heads_that_share_keys(self):
        key, value = self.key[:, :2], self.value[:, :2]

        def grouped(q, k, v):
            return attend()(q, repeated(k), repeated(v))

        self.is_found(grouped, self.query, key, value, shared=True)

    def test_heads_split_by_views(self):
        def packed(x):
            q, k, v = x.view(BATCH, ROWS, 3, HEADS, WIDTH).permute(2, 0, 3, 1, 4)
            seen = attend(causal)(q, k, v)
            return F.relu(seen.transpose(1, 2).reshape(BATCH, ROWS, HEADS * WIDTH))

        self.is_found(packed, torch.randn(BATCH, ROWS, 3 * HEADS * WIDTH), causal=True)

    def test_what_is_no_attention(self):
        given = (self.query, self.key, self.value)
        self.is_left(attend(softmax=lambda x: torch.softmax(x, -2)), *given)
        self.is_left(attend(softmax=lambda x: torch.softmax(x, -1) + 0.1), *given)
        self.is_left(attend(softmax=torch.sigmoid), *given)
        self.is_left(attend(lambda s: torch.tanh(s)), *given)
        self.is_left(attend(lambda s, m: s * m, scale=1.0), *given, torch.randn(ROWS, KEYS))

        def other_sum(x):
            above = torch.exp(x - x.amax(-1, keepdim=True))
            return above / (above * above).sum(-1, keepdim=True)

        self.is_left(attend(softmax=other_sum), *given)

    def test_a_mask_by_a_large_number(self):
        """It is no call's, but a part of its own, whatever stands between its steps."""
        kept = torch.ones(ROWS, ROWS).tril().bool()
        weights = [torch.nn.Parameter(torch.randn(32, 32)) for _ in range(4)]

        def block(x, kept):
            q, k = (split(x @ w) for w in weights[:2])
            scores = torch.where(kept, q @ k.transpose(-1, -2) * 0.3, -1e30)
            shares = torch.softmax(scores, -1)
            value = split(torch.tanh(x) @ weights[2])
            seen = (shares @ value).transpose(1, 2).reshape(BATCH, ROWS, 32)
            return torch.relu(x + seen @ weights[3])

        def split(x):
            return x.view(BATCH, ROWS, HEADS, 8).transpose(1, 2)

        with torch.no_grad():
            examples = torch.randn(BATCH, ROWS, 32), kept
            graph = export(block, examples, fixed=True, attention=as_step).graph_module.graph
        pieces, _ = divide(graph)
        graph.lint()
        (part,) = (p for p in pieces if isinstance(p, Island) and p.attention is not None)
        products = [node for node in part.nodes if node.target is torch.ops.aten.bmm.default]
        self.assertEqual(len(products), 2)
        self.assertFalse([n for n in part.nodes if "mm" in str(n.target) and n not in products])

    def test_masks_that_no_call_has(self):
        """A large number is no infinity, and nothing is proved of it."""
        given = (self.query, self.key, self.value)
        kept = torch.rand(ROWS, KEYS) > 0.5
        self.is_left(attend(lambda s, m: torch.where(m, s, -1e4)), *given, kept)
        self.is_left(attend(lambda s, m: torch.where(m, s, 0.0)), *given, kept)

    def test_weights_that_are_read(self):
        def with_weights(q, k, v):
            weights = torch.softmax(q @ k.transpose(-1, -2), -1)
            return weights @ v, weights

        with torch.no_grad():
            given = (self.query, self.key, self.value)
            graph = export(with_weights, given, fixed=True, attention=as_step).graph_module.graph
        prepare(graph)
        self.assertFalse([node for node in graph.nodes if node.target is OPERATOR])

    def test_a_mask_that_is_not_causal(self):
        """Of the diagonal below: a mask of numbers, but no call's own."""
        square = (self.query,) * 3

        def strict(scores):
            at = torch.arange(scores.shape[-1])
            return scores.masked_fill(at[None, :] > at[:, None] + 1, -math.inf)

        self.is_found(attend(strict), *square, masked=True)


if __name__ == "__main__":
    unittest.main()
