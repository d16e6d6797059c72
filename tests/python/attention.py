"""Attention as users call it: scaled_dot_product_attention with its arguments, within modules, with
gradients, and by torch.compile; and that a heads' product of batches is the product it was."""

import unittest
import warnings

import torch
import torch.nn.functional as F

import assay
from assay.backend import assay_backend
from assay.exporting import export

BATCH, HEADS, SHARED, ROWS, WIDTH = 2, 4, 2, 5, 8


def attend(*, masked=False, **options):
    if masked:
        return lambda q, k, v, mask: F.scaled_dot_product_attention(q, k, v, mask, **options)
    return lambda q, k, v: F.scaled_dot_product_attention(q, k, v, **options)


def tensors(heads=HEADS, keys=ROWS, rows=ROWS, width=WIDTH):
    return (
        torch.randn(BATCH, HEADS, rows, WIDTH),
        torch.randn(BATCH, heads, keys, WIDTH),
        torch.randn(BATCH, heads, keys, width),
    )


def extents_of_weights(function, *examples):
    """Those of the tensor that a softmax gives in the exported function."""
    graph = export(function, examples, fixed=True).graph_module.graph
    (node,) = (node for node in graph.nodes if str(node.target) == "aten._softmax.default")
    return tuple(node.meta["val"].shape)


def a_mask(*extents):
    """With rows that are masked out wholly."""
    mask = torch.rand(*extents) > 0.5
    mask[..., 2, :] = False
    return mask


class Attention(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        torch.manual_seed(7)

    def same(self, function, *arguments, bound=1e-5):
        made = assay.compile(function, *arguments, quiet=True, seconds=2, device="cpu")
        ours, theirs = made(*arguments), function(*arguments)
        self.assertEqual((ours.dtype, ours.shape), (theirs.dtype, theirs.shape))
        self.assertLess((ours.double() - theirs.double()).abs().max(), bound)

    def test_without_a_mask(self):
        self.same(attend(), *tensors())
        self.same(attend(scale=0.3), *tensors(keys=7, width=3))
        self.same(attend(), *tensors(rows=1))
        self.same(attend(), *(x[0, 0] for x in tensors()))
        halves = (x.half() for x in tensors())
        self.same(attend(), *halves, bound=3e-3)

    def test_heads_of_no_width(self):
        empty = tuple(x[..., :0] for x in tensors()[:2])
        made = assay.compile(attend(), *empty, tensors()[2], quiet=True, seconds=2, device="cpu")
        value = torch.randn(BATCH, HEADS, ROWS, WIDTH)
        theirs = attend()(*empty, value)
        torch.testing.assert_close(made(*empty, value), theirs, equal_nan=True)

    def test_causal(self):
        for keys in (3, 5, 7):
            self.same(attend(is_causal=True), *tensors(keys=keys))

    def test_heads_that_share_keys(self):
        for rows in (1, ROWS):
            self.same(attend(enable_gqa=True), *tensors(SHARED, rows=rows))
        self.same(attend(enable_gqa=True, is_causal=True), *tensors(SHARED))
        one = tuple(x[:1] for x in tensors(SHARED))
        self.same(attend(enable_gqa=True, is_causal=True), *one)
        for extents in ((ROWS, ROWS), (BATCH, 1, ROWS, ROWS), (BATCH, HEADS, ROWS, ROWS)):
            masked = attend(masked=True, enable_gqa=True)
            self.same(masked, *tensors(SHARED), a_mask(*extents))

    def test_keys_that_are_repeated(self):
        """Heads that share keys as many models write it: the keys are repeated for each."""

        def repeated(query, key, value):
            times = query.shape[1] // key.shape[1]
            key, value = (
                x[:, :, None].expand(*x.shape[:2], times, *x.shape[2:]).flatten(1, 2)
                for x in (key, value)
            )
            return torch.softmax(query @ key.transpose(2, 3) * 0.3, -1) @ value

        self.same(repeated, *tensors(SHARED))
        self.same(repeated, *(x[:1] for x in tensors(SHARED)))

    def test_keys_repeated_for_attention(self):
        """In front of attention they are what they were before, however they are repeated."""
        sdpa = F.scaled_dot_product_attention

        def expanded(x):
            wide = x[:, :, None].expand(*x.shape[:2], 2, *x.shape[2:])
            return wide.reshape(x.shape[0], 2 * x.shape[1], *x.shape[2:])

        def heads_last(x):
            return x.transpose(1, 2).repeat_interleave(2, dim=2).transpose(1, 2)

        query, key, value = tensors(SHARED)
        for repeat in (expanded, heads_last, lambda x: x.repeat_interleave(2, 1)):
            function = lambda q, k, v: sdpa(
                q, repeat(k), repeat(v), is_causal=True
            )  # noqa: B023,E731
            groups = (BATCH * SHARED, HEADS // SHARED, ROWS, ROWS)
            self.assertEqual(extents_of_weights(function, query, key, value), groups)
            self.same(function, query, key, value)

    def test_keys_repeated_otherwise(self):
        """What is not repeated so, or was written to since, is taken as it is."""
        sdpa = F.scaled_dot_product_attention

        def written_to(x):
            x = x.repeat_interleave(2, 1)
            x[:, 1] = 0.5
            return x

        def relu_in_place(x):
            x = x.repeat_interleave(2, 1)
            F.relu(x, inplace=True)
            return x

        def source_written_to(x):
            x = x + 1
            wide = x.repeat_interleave(2, 1)
            x.mul_(2)
            return wide

        def written_to_turned(x):
            wide = x.repeat_interleave(2, 1)
            turned = wide.transpose(2, 3).transpose(2, 3)
            wide.mul_(3)
            return turned

        others = (written_to, relu_in_place, source_written_to, written_to_turned)
        query, key, value = tensors(SHARED)
        for repeat in (*others, lambda x: x.repeat(1, 2, 1, 1)):
            function = lambda q, k, v: sdpa(
                q, repeat(k), repeat(v), is_causal=True
            )  # noqa: B023,E731
            self.assertEqual(
                extents_of_weights(function, query, key, value), (BATCH, HEADS, ROWS, ROWS)
            )
            self.same(function, query, key, value)

    def test_rows_that_are_masked_out_wholly(self):
        for extents in ((ROWS, ROWS), (BATCH, 1, ROWS, ROWS)):
            self.same(attend(masked=True), *tensors(), a_mask(*extents))
        self.same(attend(masked=True), *tensors(), torch.randn(HEADS, ROWS, ROWS))
        infinite = torch.zeros(ROWS, ROWS).masked_fill(~a_mask(ROWS, ROWS), float("-inf"))
        self.same(attend(masked=True), *tensors(), infinite)

    def test_modules(self):
        x = torch.randn(2, 5, 16)
        heads = torch.nn.MultiheadAttention(16, 4, batch_first=True).eval()
        self.same(lambda x: heads(x, x, x, need_weights=False)[0], x)
        self.same(torch.nn.TransformerEncoderLayer(16, 4, 32, batch_first=True).eval(), x)

    def test_products_of_batches(self):
        product = lambda x, y: x @ y  # noqa: E731
        self.same(product, torch.randn(2, 3, 4, 5, 6), torch.randn(3, 1, 6, 2))
        self.same(product, torch.randn(1, 3, 4, 5), torch.randn(7, 1, 5, 2))
        x, y = torch.randn(2, 3, 4, 5), torch.randn(2, 3, 5, 4)

        def otherwise(x, y):
            return torch.bmm(x.reshape(6, 4, 5), y.reshape(6, 5, 4)).reshape(3, 2, 4, 4)

        self.same(otherwise, x, y)
        self.same(otherwise, x, y.reshape(3, 2, 5, 4))
        whole = torch.randint(-5, 6, (2, 3, 4)), torch.randint(-5, 6, (2, 4, 3))
        self.same(torch.bmm, *whole)

    def test_gradients_and_torch_compile(self):
        q, k, v = tensors()
        cases = (
            (attend(is_causal=True), (k, v)),
            (attend(masked=True), (k, v, a_mask(ROWS, ROWS))),
        )
        for function, rest in cases:
            wanting = q.clone().requires_grad_()
            (theirs,) = torch.autograd.grad(function(wanting, *rest).square().sum(), wanting)
            made = assay.compile(
                function, wanting, *rest, quiet=True, seconds=2, device="cpu", gradients=True
            )
            for fast in (made, torch.compile(function, backend=assay_backend)):
                (ours,) = torch.autograd.grad(fast(wanting, *rest).square().sum(), wanting)
                self.assertLess((ours - theirs).abs().max(), 1e-4)

    def test_what_is_equal(self):
        examples = tensors()

        def by_hand(axis, scale=WIDTH**0.5):
            return lambda q, k, v: torch.softmax(q @ k.transpose(-1, -2) / scale, axis) @ v

        right = assay.certify(attend(), by_hand(-1), *examples)
        self.assertEqual(right.verdict, "PROVED")
        for wrong in (by_hand(-2), by_hand(-1, WIDTH), attend(is_causal=True)):
            self.assertEqual(assay.certify(attend(), wrong, *examples).verdict, "REFUTED")


if __name__ == "__main__":
    unittest.main()
