"""Families of functions, written from docs/pytorch.md alone: what a user has, the same written
otherwise, and a near miss that a border hides (masks, labels, layouts, writes, types, sizes, modes).

`FAMILIES` has rows (border, name, given, right, wrong, examples): `right` equals `given` wherever
that has a value, `wrong` does not.
"""

import math

import torch
import torch.nn.functional as F

FAMILIES = []
_generator = torch.Generator().manual_seed(5)


def family(border, name, given, right, wrong, *examples):
    FAMILIES.append((border, name, given, right, wrong, examples))


def r(*extents):
    return torch.randn(*extents, generator=_generator)


def positive(*extents):
    return torch.rand(*extents, generator=_generator) + 0.5


def integers(*extents, low=-9, high=10):
    return torch.randint(low, high, extents, generator=_generator)


def labels(*extents, classes=4):
    return torch.randint(0, classes, extents, generator=_generator)


def truths(*extents):
    return torch.rand(*extents, generator=_generator) < 0.5


INF = math.inf

# -- masks ---------------------------------------------------------------------------------------

_masks = [
    ("chosen", lambda x, k: torch.where(k, x, 0), lambda x, k: x * k,
     lambda x, k: torch.where(k, x, 1)),
    ("filled", lambda x, k: x.masked_fill(k, 2), lambda x, k: x * ~k + 2 * k,
     lambda x, k: x.masked_fill(~k, 2)),
    ("softmax", lambda x, k: torch.softmax(x.masked_fill(~k, -INF), -1),
     lambda x, k: x.exp() * k / (x.exp() * k).sum(-1, True),
     lambda x, k: torch.softmax(x.masked_fill(~k, -20), -1)),
    ("softmax_before", lambda x, k: torch.softmax(x.masked_fill(~k, -INF), -1),
     lambda x, k: torch.where(k, x.exp(), 0) / torch.where(k, x.exp(), 0).sum(-1, True),
     lambda x, k: torch.softmax(x, -1) * k),
    ("mean", lambda x, k: (x * k).sum(-1) / k.sum(-1), lambda x, k: (x * k).mean(-1) / k.float().mean(-1),
     lambda x, k: (x * k).mean(-1)),
    ("any", lambda x, k: k.any(-1) * x.sum(-1), lambda x, k: (k.sum(-1) > 0) * x.sum(-1),
     lambda x, k: (k.sum(-1) > 1) * x.sum(-1)),
    ("all", lambda x, k: k.all(-1) * x.sum(-1), lambda x, k: ~(~k).any(-1) * x.sum(-1),
     lambda x, k: k.any(-1) * x.sum(-1)),
    ("not", lambda x, k: x * ~k, lambda x, k: x - x * k, lambda x, k: -x * k),
    ("logical_not", lambda x, k: torch.logical_not(k) + x, lambda x, k: 1 - k.float() + x,
     lambda x, k: x - k.float()),
    ("count", lambda x, k: x + k.sum(), lambda x, k: x + k.float().sum(), lambda x, k: x + k.any()),
    ("additive", lambda x, k: torch.softmax(x + torch.where(k, 0.0, -INF), -1),
     lambda x, k: torch.softmax(x.masked_fill(~k, -INF), -1),
     lambda x, k: torch.softmax(x + torch.where(k, -INF, 0.0), -1)),
    ("chosen_twice", lambda x, k: torch.where(k, torch.where(k, x, 1), 2),
     lambda x, k: torch.where(k, x, 2), lambda x, k: torch.where(k, x, 1)),
    ("by_product", lambda x, k: x * k * k, lambda x, k: x * k, lambda x, k: x * x * k),
    ("xor_self", lambda x, k: (k ^ k) + x, lambda x, k: x * 1, lambda x, k: (k & k) + x),
]  # fmt: skip
for _name, *_row in _masks:
    family("masks", _name, *_row, r(3, 4), truths(3, 4))

_both = [
    ("and", lambda k, j: (k & j).float(), lambda k, j: k.float() * j, lambda k, j: (k | j).float()),
    ("or", lambda k, j: (k | j).float(), lambda k, j: torch.maximum(k.float(), j.float()),
     lambda k, j: k.float() + j.float()),
    ("xor", lambda k, j: (k ^ j).float(), lambda k, j: (k != j).float(),
     lambda k, j: (k == j).float()),
    ("xor_by_count", lambda k, j: (k ^ j).float(), lambda k, j: (k.float() - j.float()).abs(),
     lambda k, j: k.float() - j.float()),
    ("implies", lambda k, j: (~k | j).float(), lambda k, j: 1 - (k & ~j).float(),
     lambda k, j: (k | ~j).float()),
    ("sum_of_truths", lambda k, j: k + j, lambda k, j: k | j, lambda k, j: k & j),
    ("less", lambda k, j: (k < j).float(), lambda k, j: (~k & j).float(),
     lambda k, j: (k & ~j).float()),
]  # fmt: skip
for _name, *_row in _both:
    family("masks", _name, *_row, truths(3, 4), truths(3, 4))

family("masks", "row_mask", lambda x, k: x * k[:, None], lambda x, k: (x.t() * k).t(),
       lambda x, k: x * k[None, :], r(4, 4), truths(4))  # fmt: skip
family("masks", "causal", lambda x: torch.tril(x), lambda x: x * torch.ones(4, 4).tril(),
       lambda x: x * torch.ones(4, 4).tril(-1), r(4, 4))  # fmt: skip
family("masks", "causal_by_places",
       lambda x: torch.tril(x),
       lambda x: torch.where(torch.arange(x.shape[0])[:, None] >= torch.arange(x.shape[1]), x, 0),
       lambda x: torch.where(torch.arange(x.shape[0])[:, None] > torch.arange(x.shape[1]), x, 0),
       r(3, 5))  # fmt: skip
family("masks", "upper", lambda x: torch.triu(x, 1), lambda x: x - torch.tril(x),
       lambda x: x - torch.tril(x, -1), r(3, 5))  # fmt: skip

# -- comparisons and signs -----------------------------------------------------------------------

_signs = [
    ("relu", lambda x: F.relu(x), lambda x: x * (x >= 0), lambda x: x * (x <= 0)),
    ("relu_by_abs", lambda x: F.relu(x), lambda x: (x + x.abs()) / 2, lambda x: (x - x.abs()) / 2),
    ("count_positive", lambda x: (x > 0).sum(-1) + 0.0, lambda x: (x > 0).float().sum(-1),
     lambda x: (x >= 0).float().sum(-1)),
    ("sign", lambda x: torch.sign(x), lambda x: (x > 0).float() - (x < 0).float(),
     lambda x: torch.where(x >= 0, 1.0, -1.0)),
    ("heaviside", lambda x: (x >= 0) * 1.0, lambda x: 1 - (x < 0).float(),
     lambda x: 1 - (x <= 0).float()),
    ("clamp", lambda x: x.clamp(-1, 1), lambda x: torch.minimum(torch.maximum(x, -torch.ones(())), torch.ones(())),
     lambda x: x.clamp(-1, 2)),
    ("clamp_crossed", lambda x: x.clamp(2, 1), lambda x: x * 0 + 1, lambda x: x * 0 + 2),
    ("clamp_below", lambda x: x.clamp(min=0.5), lambda x: F.relu(x - 0.5) + 0.5,
     lambda x: F.relu(x) + 0.5),
    ("leaky", lambda x: F.leaky_relu(x, 0.1), lambda x: torch.maximum(x, 0.1 * x),
     lambda x: torch.minimum(x, 0.1 * x)),
    ("leaky_steep", lambda x: F.leaky_relu(x, 2.0), lambda x: torch.minimum(x, 2 * x),
     lambda x: torch.maximum(x, 2 * x)),
    ("hardtanh", lambda x: F.hardtanh(x), lambda x: x.clamp(-1, 1), lambda x: x.clamp(0, 1)),
    ("relu6", lambda x: F.relu6(x), lambda x: x.clamp(0, 6), lambda x: F.relu(x)),
    ("hardsigmoid", lambda x: F.hardsigmoid(x), lambda x: F.relu6(x + 3) / 6,
     lambda x: F.relu6(x + 3)),
    ("hardswish", lambda x: F.hardswish(x), lambda x: x * F.relu6(x + 3) / 6,
     lambda x: x * F.relu6(x + 2.5) / 6),
    ("softshrink", lambda x: F.softshrink(x, 0.5), lambda x: x - x.clamp(-0.5, 0.5),
     lambda x: x * (x.abs() > 0.5)),
    ("hardshrink", lambda x: F.hardshrink(x, 0.5), lambda x: x * (x.abs() > 0.5),
     lambda x: x * (x.abs() >= 0.5)),
    ("threshold", lambda x: F.threshold(x, 1.0, 7.0), lambda x: torch.where(x > 1, x, 7),
     lambda x: torch.where(x >= 1, x, 7)),
    ("elu", lambda x: F.elu(x), lambda x: torch.where(x > 0, x, x.exp() - 1),
     lambda x: torch.where(x > 1, x, x.exp() - 1)),
    ("celu", lambda x: F.celu(x, 2.0), lambda x: F.relu(x) + torch.clamp(2 * ((x / 2).exp() - 1), max=0),
     lambda x: F.relu(x) + torch.clamp((x / 2).exp() - 1, max=0)),
    ("silu", lambda x: F.silu(x), lambda x: x / (1 + torch.exp(-x)), lambda x: x / (1 + torch.exp(x))),
    ("logsigmoid", lambda x: F.logsigmoid(x), lambda x: -torch.log(1 + torch.exp(-x)),
     lambda x: -torch.log(1 + torch.exp(x))),
    ("tanh", lambda x: torch.tanh(x), lambda x: 2 * torch.sigmoid(2 * x) - 1,
     lambda x: 2 * torch.sigmoid(x) - 1),
    ("sigmoid_odd", lambda x: torch.sigmoid(-x), lambda x: 1 - torch.sigmoid(x),
     lambda x: -torch.sigmoid(x)),
    ("max_of_rows", lambda x: x.amax(-1), lambda x: -(-x).amin(-1), lambda x: x.abs().amax(-1)),
    ("absolute_max", lambda x: x.abs().amax(-1), lambda x: torch.maximum(x.amax(-1), -x.amin(-1)),
     lambda x: torch.maximum(x.amax(-1), x.amin(-1))),
    ("max_with_zero", lambda x: F.relu(x).amax(-1), lambda x: F.relu(x.amax(-1)), lambda x: x.amax(-1)),
    ("range", lambda x: x.amax(-1) - x.amin(-1), lambda x: x.amax(-1) + (-x).amax(-1),
     lambda x: x.abs().amax(-1) * 2),
    ("lerp_by_truth", lambda x: torch.where(x > 0, x * x, -x * x), lambda x: x * x.abs(),
     lambda x: x * x),
    ("floor", lambda x: torch.floor(-x), lambda x: -torch.ceil(x), lambda x: -torch.floor(x)),
    ("trunc", lambda x: torch.trunc(x), lambda x: torch.where(x < 0, torch.ceil(x), torch.floor(x)),
     lambda x: torch.floor(x)),
    ("fraction", lambda x: x - torch.floor(x), lambda x: torch.remainder(x, 1), lambda x: torch.fmod(x, 1)),
    ("square_root", lambda x: (x * x).sqrt(), lambda x: x.abs(), lambda x: x * 1),
]  # fmt: skip
for _name, *_row in _signs:
    family("signs", _name, *_row, r(3, 4))

# -- reductions: axes, keepdim, corrections ------------------------------------------------------

_reductions = [
    ("mean_last", lambda x: x.mean(-1), lambda x: x.sum(2) / x.shape[2], lambda x: x.mean(1)),
    ("sum_negative", lambda x: x.sum(-2), lambda x: x.transpose(1, 2).sum(-1), lambda x: x.sum(-1)),
    ("sum_both", lambda x: x.sum((0, 2)), lambda x: x.sum(0).sum(-1), lambda x: x.sum((0, 1))),
    ("mean_of_means", lambda x: x.mean((1, 2)), lambda x: x.mean(2).mean(1),
     lambda x: x.sum(2).mean(1)),
    ("keepdim", lambda x: x - x.mean(1, keepdim=True), lambda x: x - x.mean(1)[:, None],
     lambda x: x - x.mean(1)),
    ("keepdim_of_all", lambda x: x / x.sum((1, 2), keepdim=True), lambda x: x / x.sum((1, 2))[:, None, None],
     lambda x: x / x.sum((0, 2), keepdim=True)),
    ("var", lambda x: x.var(-1), lambda x: ((x - x.mean(-1, True)) ** 2).sum(-1) / (x.shape[-1] - 1),
     lambda x: ((x - x.mean(-1, True)) ** 2).mean(-1)),
    ("var_biased", lambda x: x.var(-1, correction=0), lambda x: (x * x).mean(-1) - x.mean(-1) ** 2,
     lambda x: (x * x).mean(-1) - x.mean(-1)),
    ("std", lambda x: x.std(1, unbiased=False), lambda x: x.var(1, correction=0).sqrt(),
     lambda x: x.var(1).sqrt()),
    ("var_of_shifted", lambda x: (x + 3).var(-1), lambda x: x.var(-1), lambda x: (x * 3).var(-1)),
    ("var_of_scaled", lambda x: (3 * x).var(-1), lambda x: 9 * x.var(-1), lambda x: 3 * x.var(-1)),
    ("norm_2", lambda x: torch.linalg.vector_norm(x, 2, -1), lambda x: (x * x).sum(-1).sqrt(),
     lambda x: (x * x).mean(-1).sqrt()),
    ("norm_1", lambda x: torch.linalg.vector_norm(x, 1, -1), lambda x: x.abs().sum(-1),
     lambda x: x.sum(-1).abs()),
    ("norm_max", lambda x: torch.linalg.vector_norm(x, INF, -1), lambda x: x.abs().amax(-1),
     lambda x: x.amax(-1)),
    ("softmax_axis", lambda x: torch.softmax(x, -2), lambda x: torch.softmax(x.transpose(1, 2), -1).transpose(1, 2),
     lambda x: torch.softmax(x, -1)),
    ("softmax_shift", lambda x: torch.softmax(x - x.mean(-1, True), -1), lambda x: torch.softmax(x, -1),
     lambda x: torch.softmax(x / x.shape[-1], -1)),
    ("logsumexp", lambda x: torch.logsumexp(x, -1), lambda x: x.exp().sum(-1).log(),
     lambda x: x.exp().mean(-1).log()),
    ("logsumexp_keep", lambda x: x - torch.logsumexp(x, -1, keepdim=True), lambda x: torch.log_softmax(x, -1),
     lambda x: torch.log_softmax(x, 1)),
    ("cumsum", lambda x: x.cumsum(-1), lambda x: x.sum(-1, True) - x.flip(-1).cumsum(-1).flip(-1) + x,
     lambda x: x.sum(-1, True) - x.flip(-1).cumsum(-1).flip(-1)),
    ("cumsum_axis", lambda x: x.cumsum(1), lambda x: x.transpose(1, 2).cumsum(2).transpose(1, 2),
     lambda x: x.cumsum(2)),
    ("exclusive_sum", lambda x: x.cumsum(-1) - x, lambda x: F.pad(x, (1, 0)).cumsum(-1)[..., :-1],
     lambda x: F.pad(x, (1, 0)).cumsum(-1)[..., 1:]),
    ("prod", lambda x: (2 * x).prod(-1), lambda x: x.prod(-1) * 2.0 ** x.shape[-1],
     lambda x: 2 * x.prod(-1)),
    ("amax_shift", lambda x: (x + 1).amax(-1), lambda x: x.amax(-1) + 1, lambda x: (2 * x).amax(-1) / 2 + 2),
    ("amin_negative", lambda x: (-2 * x).amin(-1), lambda x: -2 * x.amax(-1), lambda x: -2 * x.amin(-1)),
    ("argmax_monotone", lambda x: x.argmax(-1) + 0.0, lambda x: (2 * x + 1).argmax(-1) + 0.0,
     lambda x: (-x).argmax(-1) + 0.0),
    ("max_of_two_axes", lambda x: x.amax((1, 2)), lambda x: x.amax(2).amax(1), lambda x: x.amax(2).sum(1)),
    ("empty_sum", lambda x: x[..., :0].sum(-1) + x[..., 0], lambda x: x[..., 0] * 1,
     lambda x: x[..., :1].sum(-1) + x[..., 0]),
    ("empty_prod", lambda x: x[..., :0].prod(-1) * x[..., 0], lambda x: x[..., 0] * 1,
     lambda x: x[..., 0] * 0),
    ("empty_all", lambda x: (x[..., :0] > 0).all(-1) + x[..., 0], lambda x: x[..., 0] + 1,
     lambda x: x[..., 0] + 0),
    ("empty_any", lambda x: (x[..., :0] > 0).any(-1) + x[..., 0], lambda x: x[..., 0] + 0,
     lambda x: x[..., 0] + 1),
    ("diff", lambda x: torch.diff(x, dim=1), lambda x: x[:, 1:] - x[:, :-1], lambda x: x[:, :-1] - x[:, 1:]),
    ("flip_sum", lambda x: x.flip(1).sum(1), lambda x: x.sum(1), lambda x: x.flip(1).cumsum(1)[:, 0]),
    ("mean_parts", lambda x: x.mean(-1), lambda x: (x[..., :2].sum(-1) + x[..., 2:].sum(-1)) / x.shape[-1],
     lambda x: (x[..., :2].mean(-1) + x[..., 2:].mean(-1)) / 2),
]  # fmt: skip
for _name, *_row in _reductions:
    family("reductions", _name, *_row, r(3, 3, 5) if _name.startswith("keepdim") else r(2, 3, 5))

# -- layouts -------------------------------------------------------------------------------------

_layouts = [
    ("transpose", lambda x: x.transpose(0, 1).reshape(-1), lambda x: x.t().flatten(),
     lambda x: x.reshape(-1)),
    ("swap_and_view", lambda x: x.t().contiguous().view(-1, 2), lambda x: x.t().reshape(-1, 2),
     lambda x: x.reshape(-1, 2)),
    ("strided", lambda x: x[:, ::2], lambda x: torch.stack((x[:, 0], x[:, 2]), 1),
     lambda x: x[:, 1::2]),
    ("stack", lambda x: torch.stack((x, 2 * x), 0), lambda x: torch.cat((x[None], 2 * x[None]), 0),
     lambda x: torch.cat((2 * x[None], x[None]), 0)),
    ("stack_last", lambda x: torch.stack((x, 2 * x), -1).flatten(1), lambda x: x.repeat_interleave(2, 1) * torch.tensor([1.0, 2.0]).repeat(4),
     lambda x: torch.cat((x, 2 * x), 1)),
    ("expand", lambda x: x[:, None].expand(-1, 2, -1) * 1, lambda x: torch.stack((x, x), 1),
     lambda x: x[None].expand(2, -1, -1).reshape(3, 2, 4) * 1),
    ("repeat", lambda x: x.repeat(1, 2), lambda x: torch.cat((x, x), 1),
     lambda x: x.repeat_interleave(2, 1)),
    ("roll", lambda x: torch.roll(x, 1, 1), lambda x: torch.cat((x[:, -1:], x[:, :-1]), 1),
     lambda x: torch.cat((x[:, 1:], x[:, :1]), 1)),
    ("flip", lambda x: x.flip(0, 1), lambda x: x.flip(1).flip(0), lambda x: x.flip(0)),
    ("rot90", lambda x: torch.rot90(x), lambda x: x.flip(1).t(), lambda x: x.flip(0).t()),
    ("chunk", lambda x: x.chunk(2, 1)[0] * 1, lambda x: x[:, :2] * 1, lambda x: x[:, 2:] * 1),
    ("split_uneven", lambda x: x.split((1, 3), 1)[1] * 1, lambda x: x[:, 1:] * 1, lambda x: x[:, :3] * 1),
    ("diagonal", lambda x: torch.diagonal(x) * 1, lambda x: x[torch.arange(3), torch.arange(3)] * 1,
     lambda x: torch.diagonal(x, 1) * 1),
    ("unsqueeze", lambda x: x.unsqueeze(-1) * x.unsqueeze(-2), lambda x: torch.einsum("ni,nj->nij", x, x),
     lambda x: x.unsqueeze(-1) * x.unsqueeze(-1)),
    ("movedim", lambda x: x[None].movedim(0, -1) * 1, lambda x: x[..., None] * 1, lambda x: x[None].movedim(0, 1).movedim(1, 2).flip(0) * 1),
    ("negative_slice", lambda x: x[:, -3:-1] * 1, lambda x: x[:, x.shape[1] - 3 : x.shape[1] - 1] * 1,
     lambda x: x[:, -2:] * 1),
    ("channels_last", lambda x: x[None, None].contiguous(memory_format=torch.channels_last) * 2,
     lambda x: x[None, None] * 2, lambda x: x[None, None] * 3),
    ("triangle_indices", lambda x: torch.triu(x) + torch.tril(x), lambda x: x + x * torch.eye(3, 4),
     lambda x: x * 1),
    ("narrow", lambda x: x.narrow(1, 1, 2) * 1, lambda x: x[:, 1:3] * 1, lambda x: x[:, 1:2].expand(-1, 2) * 1),
    ("unfold", lambda x: x.unfold(1, 2, 2).sum(-1), lambda x: x[:, ::2] + x[:, 1::2], lambda x: x[:, :2] + x[:, 2:]),
    ("view_of_heads", lambda x: x.view(3, 2, 2).transpose(1, 2).reshape(3, 4), lambda x: torch.cat((x[:, ::2], x[:, 1::2]), 1)[:, [0, 1, 2, 3]],
     lambda x: x * 1),
    ("tile", lambda x: x.tile(2, 1), lambda x: torch.cat((x, x)), lambda x: torch.stack((x, x), 1).flatten(0, 1)),
]  # fmt: skip
for _name, *_row in _layouts:
    family("layouts", _name, *_row, r(3, 4))

# -- writes, and two names of one tensor ---------------------------------------------------------


def _writes(write, after=lambda y: y):
    def function(x):
        y = x * 1
        write(y)
        return after(y)

    return function


def _part(y):
    y[:, 1:] += 1


def _first_row(y):
    y[0] = 7


def _through_view(y):
    y.view(-1).add_(1)


def _through_transpose(y):
    y.t().mul_(2)


def _through_copy(y):
    y.clone().mul_(2)


def _through_select(y):
    y[:, 0].zero_()


def _through_expression(y):
    (y + 0).mul_(2)


def _chained(y):
    z = y[:, 1:]
    z[:, 1:] += 1


def _filled(y):
    y.masked_fill_(y > 0, 3)


def _copied(y):
    y[:, :2].copy_(y[:, 2:])


def _clamped(y):
    y.clamp_(min=0)


def _order(y):
    y.add_(1)
    y.mul_(2)


def _ones(x, *columns):
    mask = torch.zeros(4)
    mask[list(columns)] = 1
    return mask


_written = [
    ("part", _writes(_part), lambda x: torch.cat((x[:, :1], x[:, 1:] + 1), 1), lambda x: x + 1),
    ("first_row", _writes(_first_row), lambda x: torch.cat((x[:1] * 0 + 7, x[1:]), 0),
     lambda x: torch.cat((x[:-1], x[:1] * 0 + 7), 0)),
    ("through_view", _writes(_through_view), lambda x: x + 1, lambda x: x * 1),
    ("through_transpose", _writes(_through_transpose), lambda x: x * 2, lambda x: x * 1),
    ("through_copy", _writes(_through_copy), lambda x: x * 1, lambda x: x * 2),
    ("through_select", _writes(_through_select), lambda x: x * (torch.arange(4) > 0),
     lambda x: x * (torch.arange(4) > 1)),
    ("through_expression", _writes(_through_expression), lambda x: x + 0, lambda x: x * 2),
    ("chained", _writes(_chained), lambda x: x + (torch.arange(4) > 1), lambda x: x + (torch.arange(4) > 0)),
    ("filled", _writes(_filled), lambda x: torch.where(x > 0, 3, x), lambda x: torch.where(x >= 0, 3, x)),
    ("copied", _writes(_copied), lambda x: torch.cat((x[:, 2:], x[:, 2:]), 1),
     lambda x: torch.cat((x[:, :2], x[:, :2]), 1)),
    ("clamped", _writes(_clamped), lambda x: F.relu(x), lambda x: x.abs()),
    ("order", _writes(_order), lambda x: 2 * x + 2, lambda x: 2 * x + 1),
    ("sum_before", lambda x: _before(x), lambda x: x.sum(-1), lambda x: (x + 1).sum(-1)),
    ("sum_after", lambda x: _after(x), lambda x: (x + 1).sum(-1), lambda x: x.sum(-1)),
    ("view_of_before", lambda x: _view_before(x), lambda x: x[0] + 1, lambda x: x[0] + 0),
    ("value_of_before", lambda x: _value_before(x), lambda x: x[0] + 0, lambda x: x[0] + 1),
    ("swapped", lambda x: _swapped(x), lambda x: x[[1, 0]] * 1, lambda x: x[[1, 1]] * 1),
]  # fmt: skip


def _before(x):
    y = x * 1
    total = y.sum(-1)
    y.add_(1)
    return total


def _after(x):
    y = x * 1
    y.add_(1)
    return y.sum(-1)


def _view_before(x):
    y = x * 1
    row = y[0]
    y.add_(1)
    return row * 1


def _value_before(x):
    y = x * 1
    row = y[0] + 0
    y.add_(1)
    return row


def _swapped(x):
    y = x * 1
    first = y[0].clone()
    y[0] = y[1]
    y[1] = first
    return y[:2]


for _name, *_row in _written:
    family("writes", _name, *_row, r(3, 4))

# -- types ---------------------------------------------------------------------------------------

_types = [
    ("division", lambda i: i / 2, lambda i: i * 0.5, lambda i: (i // 2).float()),
    ("floor", lambda i: (i // 2) + 0.0, lambda i: torch.floor(i / 2), lambda i: torch.trunc(i / 2)),
    ("rest", lambda i: (i % 3) + 0.0, lambda i: i - 3 * torch.floor(i / 3), lambda i: torch.fmod(i, 3) + 0.0),
    ("trunc", lambda i: torch.div(i, 4, rounding_mode="trunc") + 0.0, lambda i: torch.sign(i) * (i.abs() // 4) + 0.0,
     lambda i: torch.div(i, 4, rounding_mode="floor") + 0.0),
    ("low_bits", lambda i: (i & 7) + 0.0, lambda i: (i % 8) + 0.0, lambda i: torch.fmod(i, 8) + 0.0),
    ("shift", lambda i: (i >> 2) + 0.0, lambda i: (i // 4) + 0.0,
     lambda i: torch.div(i, 4, rounding_mode="trunc") + 0.0),
    ("bits_apart", lambda i: ((i >> 4) & 3) + 0.0, lambda i: ((i // 16) % 4) + 0.0, lambda i: ((i // 8) % 4) + 0.0),
    ("left_shift", lambda i: (i << 3) + 0.0, lambda i: i * 8 + 0.0, lambda i: i * 6 + 0.0),
    ("parity", lambda i: (i % 2 == 1) + 0.0, lambda i: ((i & 1) != 0) + 0.0, lambda i: (torch.fmod(i, 2) == 1) + 0.0),
    ("square", lambda i: (i * i).float(), lambda i: i.float() ** 2, lambda i: i.float() * 2),
    ("mean", lambda i: i.float().mean(-1), lambda i: i.sum(-1) / i.shape[-1], lambda i: (i.sum(-1) // i.shape[-1]).float()),
    ("abs", lambda i: i.abs() + 0.0, lambda i: torch.maximum(i, -i) + 0.0, lambda i: i + 0.0),
    ("truth_of", lambda i: i.bool() + 0.0, lambda i: (i != 0) + 0.0, lambda i: (i > 0) + 0.0),
    ("equal_literal", lambda i: (i == 3) * 2.0, lambda i: torch.where(i == 3, 2.0, 0.0), lambda i: (i >= 3) * 2.0),
    ("beside_literal", lambda i: (i > 2) + 0.0, lambda i: (i >= 3) + 0.0, lambda i: (i > 3) + 0.0),
    ("clamped", lambda i: i.clamp(0, 5) + 0.0, lambda i: torch.where(i < 0, 0, torch.where(i > 5, 5, i)) + 0.0,
     lambda i: i.clamp(0, 4) + 0.0),
    ("negative_label", lambda i: torch.where(i == -1, 0, i) + 0.0, lambda i: i * (i != -1) + 0.0, lambda i: i.clamp(min=0) + 0.0),
    ("sum_of_comparisons", lambda i: (i > 0).sum() + (i < 0).sum() + 0.0, lambda i: (i != 0).sum() + 0.0,
     lambda i: (i == i).sum() + 0.0),
]  # fmt: skip
for _name, *_row in _types:
    family("types", _name, *_row, integers(3, 4))

_precisions = [
    ("half", lambda x: x.half().float() * 2, lambda x: x + x, lambda x: x * 3),
    ("bf16_product", lambda x: (x.bfloat16() @ x.bfloat16().t()).float(), lambda x: x @ x.t(), lambda x: x @ x.t() * 2),
    ("double", lambda x: x.double().sum(-1), lambda x: x.sum(-1).double(), lambda x: x.double().mean(-1)),
    ("promoted", lambda x: x * torch.tensor(2), lambda x: x + x, lambda x: x * torch.tensor(2.5)),
    ("type_as", lambda x: (x > 0).type_as(x) * x, lambda x: F.relu(x), lambda x: (x > 0).type_as(x)),
    ("float_of_truth", lambda x: (x > 0).float().mean(-1), lambda x: (x > 0).sum(-1) / x.shape[-1], lambda x: (x > 0).any(-1).float()),
    ("scalar_type", lambda x: x + (x > 0), lambda x: torch.where(x > 0, x + 1, x), lambda x: torch.where(x > 0, x + 1, x - 1)),
    ("rounding", lambda x: torch.round(x), lambda x: -torch.round(-x), lambda x: torch.floor(x + 0.5)),
    ("int_division_by_one", lambda x: torch.floor(x), lambda x: torch.div(x, 1, rounding_mode="floor"), lambda x: torch.trunc(x)),
]  # fmt: skip
for _name, *_row in _precisions:
    family("types", _name, *_row, r(3, 4))

BYTES = integers(3, 4, low=0, high=256).to(torch.uint8)
family("types", "byte_halves", lambda u: torch.cat((u & 15, u >> 4), -1).float(),
       lambda u: torch.cat((u.int() % 16, u.int() // 16), -1).float(),
       lambda u: torch.cat((u.int() % 16, u.int() // 8), -1).float(), BYTES)  # fmt: skip
family("types", "byte_above", lambda u: (u > 127).float(), lambda u: (u >= 128).float(),
       lambda u: (u > 128).float(), BYTES)  # fmt: skip
family("types", "signed_of_byte", lambda u: torch.where(u > 127, u.int() - 256, u.int()).float(),
       lambda u: ((u.int() + 128) % 256 - 128).float(), lambda u: (u.int() - 128).float(),
       BYTES)  # fmt: skip

# -- sizes ---------------------------------------------------------------------------------------

_sizes = [
    ("mean_by_number", lambda x: x.mean(-1), lambda x: x.sum(-1) / x.shape[-1], lambda x: x.sum(-1) / 4),
    ("rows_by_number", lambda x: x.sum(0) / x.shape[0], lambda x: x.mean(0), lambda x: x.sum(0) / 3),
    ("first_two", lambda x: x[:, :2].sum(-1), lambda x: x[:, 0] + x[:, 1], lambda x: x[:, :-2].sum(-1)),
    ("last", lambda x: x[:, -1] * 1, lambda x: x[:, x.shape[1] - 1] * 1, lambda x: x[:, 3] * 1),
    ("half", lambda x: x[:, : x.shape[1] // 2].sum(-1), lambda x: x.sum(-1) - x[:, x.shape[1] // 2 :].sum(-1),
     lambda x: x[:, :2].sum(-1)),
    ("places", lambda x: x + torch.arange(x.shape[1]), lambda x: x + torch.ones_like(x).cumsum(-1) - 1,
     lambda x: x + torch.ones_like(x).cumsum(-1)),
    ("identity", lambda x: x @ torch.eye(x.shape[1]), lambda x: x * 1, lambda x: x @ torch.ones(x.shape[1], x.shape[1])),
    ("scale_by_root", lambda x: x / x.shape[-1] ** 0.5, lambda x: x * x.shape[-1] ** -0.5, lambda x: x / 2),
    ("reshape_fixed", lambda x: x.reshape(x.shape[0], -1, 2).sum(-1), lambda x: x[:, ::2] + x[:, 1::2],
     lambda x: x[:, : x.shape[1] // 2] + x[:, x.shape[1] // 2 :]),
    ("outer_places", lambda x: x * (torch.arange(x.shape[0])[:, None] == 0), lambda x: torch.cat((x[:1], x[1:] * 0)),
     lambda x: x * (torch.arange(x.shape[1]) == 0)),
    ("count", lambda x: x * x.numel(), lambda x: x * x.shape[0] * x.shape[1], lambda x: x * 12),
    ("padded", lambda x: F.pad(x, (1, 1)).sum(-1), lambda x: x.sum(-1), lambda x: F.pad(x, (1, 1)).mean(-1)),
    ("reversed", lambda x: x.flip(1)[:, 0] * 1, lambda x: x[:, -1] * 1, lambda x: x[:, 0] * 1),
    ("odd_columns", lambda x: x[:, 1::2].sum(-1), lambda x: x.sum(-1) - x[:, ::2].sum(-1), lambda x: x[:, ::2].sum(-1)),
    ("dimension", lambda x: x * x.dim(), lambda x: x + x, lambda x: x * x.shape[0]),
]  # fmt: skip
for _name, *_row in _sizes:
    family("sizes", _name, *_row, r(3, 4))

# -- labels --------------------------------------------------------------------------------------


def _nll(x, t):
    return -torch.log_softmax(x, -1).gather(1, t[:, None])[:, 0]


def _kept(x, t, label):
    keep = t != label
    return keep, torch.where(keep, _nll(x, torch.where(keep, t, 0)), 0)


_labels = [
    ("cross_entropy", lambda x, t: F.cross_entropy(x, t, reduction="none"), lambda x, t: _kept(x, t, -100)[1],
     lambda x, t: F.cross_entropy(x, t, reduction="none") + (t == -100)),
    ("cross_entropy_at_zero", lambda x, t: F.cross_entropy(x, t, reduction="none"), lambda x, t: _kept(x, t, -100)[1],
     lambda x, t: F.cross_entropy(x, t, reduction="none") * (t != 0)),
    ("ignored_label", lambda x, t: F.cross_entropy(x, t, ignore_index=1, reduction="none"), lambda x, t: _kept(x, t, 1)[1],
     lambda x, t: F.cross_entropy(x, t, ignore_index=2, reduction="none")),
    ("mean_of_kept", lambda x, t: F.cross_entropy(x, t, ignore_index=0),
     lambda x, t: _kept(x, t, 0)[1].sum() / _kept(x, t, 0)[0].sum(), lambda x, t: _kept(x, t, 0)[1].mean()),
    ("smoothing", lambda x, t: F.cross_entropy(x, t, label_smoothing=0.25, reduction="sum"),
     lambda x, t: 0.75 * _kept(x, t, -100)[1].sum() - 0.25 * (torch.log_softmax(x, -1).mean(-1) * (t != -100)).sum(),
     lambda x, t: 0.75 * F.cross_entropy(x, t, reduction="sum") - 0.25 * torch.log_softmax(x, -1).sum()),
    ("picked", lambda x, t: x.gather(1, t[:, None])[:, 0], lambda x, t: (x * (t[:, None] == torch.arange(x.shape[1]))).sum(-1),
     lambda x, t: (x * (t[:, None] >= torch.arange(x.shape[1]))).sum(-1)),
    ("one_hot", lambda x, t: x + (t[:, None] == torch.arange(x.shape[1])), lambda x, t: x.scatter_add(1, t[:, None], torch.ones_like(t[:, None]) + 0.0 * x[:, :1]),
     lambda x, t: x.scatter(1, t[:, None], 1.0)),
    ("row_of", lambda x, t: x[t], lambda x, t: torch.index_select(x, 0, torch.where(t < 0, t + x.shape[0], t)), lambda x, t: x[t.abs()]),
    ("embedding", lambda x, t: F.embedding(t, x), lambda x, t: x.index_select(0, t), lambda x, t: F.embedding(t, x) * (t != 0)[:, None]),
    ("accuracy", lambda x, t: (x.argmax(-1) == t).float(), lambda x, t: 1 - (x.argmax(-1) != t).float(), lambda x, t: (x.argmin(-1) == t).float()),
    ("margin", lambda x, t: x - x.gather(1, t[:, None]), lambda x, t: x - x[torch.arange(x.shape[0]), t][:, None], lambda x, t: x - x[t]),
    ("wrapped", lambda x, t: x[t % x.shape[0]], lambda x, t: x.index_select(0, t - x.shape[0] * (t // x.shape[0])), lambda x, t: x[t.clamp(0, x.shape[0] - 1)]),
]  # fmt: skip
for _name, *_row in _labels:
    family("labels", _name, *_row, r(4, 4), labels(4))
