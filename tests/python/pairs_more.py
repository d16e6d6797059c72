"""More pairs of PyTorch functions, as pairs.py has them: losses, positions, masks, windows, heads,
convolutions, sums so far, integers, activations."""

import math

import torch
import torch.nn.functional as F

from pairs import DIFFERENT, EQUAL

PAIRS = []


def labels(*extents, most=4):
    return torch.randint(0, most, extents)


def pair(name, expected, given, other, *examples):
    """Adds a pair; of an example that is a shape, random numbers of it."""
    made = (torch.rand(*x) if isinstance(x, tuple) else x for x in examples)
    PAIRS.append((name, expected, given, other, tuple(made)))


# losses
pair(
    "cross_entropy_summed",
    DIFFERENT,
    lambda x, y: F.cross_entropy(x, y),
    lambda x, y: F.cross_entropy(x, y, reduction="sum"),
    (3, 4),
    labels(3),
)
pair(
    "cross_entropy_weighted_mean_of_all",
    DIFFERENT,
    lambda x, y, w: F.cross_entropy(x, y, weight=w),
    lambda x, y, w: -(torch.log_softmax(x, -1).gather(1, y[:, None])[:, 0] * w[y]).mean(),
    (3, 4),
    labels(3),
    (4,),
)
pair(
    "label_smoothing_over_others",
    DIFFERENT,
    lambda x, y: F.cross_entropy(x, y, label_smoothing=0.1),
    lambda x, y: (
        0.9 * -torch.log_softmax(x, -1).gather(1, y[:, None])[:, 0]
        - 0.1 * torch.log_softmax(x, -1).sum(-1)
    ).mean(),
    (3, 4),
    labels(3),
)
pair(
    "soft_labels",
    EQUAL,
    lambda x, p: F.cross_entropy(x, p),
    lambda x, p: -(p * torch.log_softmax(x, 1)).sum(1).mean(),
    (3, 4),
    (3, 4),
)
pair(
    "soft_labels_as_divergence",
    DIFFERENT,
    lambda x, p: F.cross_entropy(x, p),
    lambda x, p: F.kl_div(torch.log_softmax(x, 1), p, reduction="batchmean"),
    (3, 4),
    (3, 4),
)
pair(
    "kl_by_hand",
    EQUAL,
    lambda p, q: F.kl_div(p, q, reduction="sum", log_target=True),
    lambda p, q: (torch.exp(q) * (q - p)).sum(),
    (3, 4),
    (3, 4),
)
pair(
    "kl_the_other_way",
    DIFFERENT,
    lambda p, q: F.kl_div(p, q, reduction="sum", log_target=True),
    lambda p, q: F.kl_div(q, p, reduction="sum", log_target=True),
    (3, 4),
    (3, 4),
)
pair(
    "kl_mean_for_batchmean",
    DIFFERENT,
    lambda p, q: F.kl_div(p, q, reduction="batchmean", log_target=True),
    lambda p, q: F.kl_div(p, q, reduction="mean", log_target=True),
    (3, 4),
    (3, 4),
)
pair(
    "bce_with_logits",
    EQUAL,
    lambda x, y: F.binary_cross_entropy_with_logits(x, y),
    lambda x, y: (torch.clamp(x, min=0) - x * y + torch.log1p(torch.exp(-x.abs()))).mean(),
    (3, 4),
    (3, 4),
)
pair(
    "softplus_has_a_threshold",
    DIFFERENT,
    lambda x, y: F.binary_cross_entropy_with_logits(x, y, reduction="sum"),
    lambda x, y: (F.softplus(x) - x * y).sum(),
    (3, 4),
    (3, 4),
)
pair(
    "bce_with_logits_sign",
    DIFFERENT,
    lambda x, y: F.binary_cross_entropy_with_logits(x, y),
    lambda x, y: (F.softplus(-x) - x * y).mean(),
    (3, 4),
    (3, 4),
)
pair(
    "bce_pos_weight",
    EQUAL,
    lambda x, y, w: F.binary_cross_entropy_with_logits(x, y, pos_weight=w),
    lambda x, y, w: ((1 - y) * x + (1 + (w - 1) * y) * torch.log1p(torch.exp(-x))).mean(),
    (3, 4),
    (3, 4),
    (4,),
)
pair(
    "bce_pos_weight_as_weight",
    DIFFERENT,
    lambda x, y, w: F.binary_cross_entropy_with_logits(x, y, pos_weight=w),
    lambda x, y, w: F.binary_cross_entropy_with_logits(x, y, weight=w),
    (3, 4),
    (3, 4),
    (4,),
)
pair(
    "huber_is_scaled_smooth",
    EQUAL,
    lambda x, y: F.huber_loss(x, y, delta=0.5),
    lambda x, y: 0.5 * F.smooth_l1_loss(x, y, beta=0.5),
    (3, 4),
    (3, 4),
)
pair(
    "huber_as_smooth",
    DIFFERENT,
    lambda x, y: F.huber_loss(x, y, delta=0.5),
    lambda x, y: F.smooth_l1_loss(x, y, beta=0.5),
    (3, 4),
    (3, 4),
)
pair(
    "huber_by_clamp",
    EQUAL,
    lambda x, y: F.huber_loss(x, y, reduction="none"),
    lambda x, y: torch.clamp((x - y).abs(), max=1)
    * ((x - y).abs() - 0.5 * torch.clamp((x - y).abs(), max=1)),
    (3, 4),
    (3, 4),
)
pair(
    "margin_ranking",
    EQUAL,
    lambda a, b, y: F.margin_ranking_loss(a, b, y, margin=0.5),
    lambda a, b, y: torch.relu(0.5 - y * (a - b)).mean(),
    (5,),
    (5,),
    (5,),
)
pair(
    "margin_ranking_swapped",
    DIFFERENT,
    lambda a, b, y: F.margin_ranking_loss(a, b, y, margin=0.5),
    lambda a, b, y: torch.relu(0.5 - y * (b - a)).mean(),
    (5,),
    (5,),
    (5,),
)
# norms
pair(
    "group_norm_of_one_is_layer",
    EQUAL,
    lambda x: F.group_norm(x, 1),
    lambda x: F.layer_norm(x, x.shape[1:]),
    (2, 4, 3),
)
pair(
    "group_norm_of_all_is_instance",
    EQUAL,
    lambda x: F.group_norm(x, 4),
    lambda x: F.instance_norm(x),
    (2, 4, 5),
)
pair(
    "group_norm_for_instance",
    DIFFERENT,
    lambda x: F.group_norm(x, 2),
    lambda x: F.instance_norm(x),
    (2, 4, 5),
)
pair(
    "cosine_eps_inside",
    DIFFERENT,
    lambda x, y: F.cosine_similarity(x, y, dim=-1, eps=0.1),
    lambda x, y: (x * y).sum(-1) / (x.norm(dim=-1) * y.norm(dim=-1) + 0.1),
    (3, 4),
    (3, 4),
)
pair(
    "cosine_by_normalised",
    EQUAL,
    lambda x, y: F.cosine_similarity(x, y, dim=-1, eps=0.1),
    lambda x, y: (
        x
        / x.norm(dim=-1, keepdim=True).clamp(min=0.1)
        * (y / y.norm(dim=-1, keepdim=True).clamp(min=0.1))
    ).sum(-1),
    (3, 4),
    (3, 4),
)
pair(
    "normalize_twice",
    EQUAL,
    lambda x: F.normalize(x, dim=-1, eps=0),
    lambda x: x / torch.sqrt((x * x).sum(-1, keepdim=True)),
    (3, 4),
)
pair(
    "normalize_wrong_axis",
    DIFFERENT,
    lambda x: F.normalize(x, dim=-1),
    lambda x: F.normalize(x, dim=0),
    (3, 4),
)


# rotary
def rot_half(x):
    a, b = x.chunk(2, -1)
    return torch.cat([-b, a], -1)


def rot_pairs(x):
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([-b, a], -1).flatten(-2)


def rotary_half(x, c, s):
    c, s = torch.cat([c, c], -1), torch.cat([s, s], -1)
    return x * c + rot_half(x) * s


def rotary_pairs(x, c, s):
    c, s = c.repeat_interleave(2, -1), s.repeat_interleave(2, -1)
    return x * c + rot_pairs(x) * s


def rotary_halves(x, c, s):
    a, b = x.chunk(2, -1)
    return torch.cat([a * c - b * s, b * c + a * s], -1)


def rotary_strided(x, c, s):
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)


pair("rotary_half", EQUAL, rotary_half, rotary_halves, (3, 8), (3, 4), (3, 4))
pair("rotary_interleaved", EQUAL, rotary_pairs, rotary_strided, (3, 8), (3, 4), (3, 4))
pair("rotary_half_for_interleaved", DIFFERENT, rotary_half, rotary_strided, (3, 8), (3, 4), (3, 4))
pair(
    "rotary_sign",
    DIFFERENT,
    rotary_half,
    lambda x, c, s: rotary_halves(x, c, -s),
    (3, 8),
    (3, 4),
    (3, 4),
)


# positions and masks
def alibi(q, k, m, shift=0):
    i = torch.arange(q.shape[0])[:, None]
    j = torch.arange(k.shape[0])[None, :]
    return torch.softmax(q @ k.T - m * (i - j + shift), -1)


pair(
    "alibi_shift_cancels",
    EQUAL,
    lambda q, k, m: alibi(q, k, m),
    lambda q, k, m: alibi(q, k, m, 3),
    (3, 4),
    (5, 4),
    (1,),
)
pair(
    "alibi_by_key_alone",
    EQUAL,
    lambda q, k, m: alibi(q, k, m),
    lambda q, k, m: torch.softmax(q @ k.T + m * torch.arange(k.shape[0]), -1),
    (3, 4),
    (5, 4),
    (1,),
)
pair(
    "alibi_by_query_alone",
    DIFFERENT,
    lambda q, k, m: alibi(q, k, m),
    lambda q, k, m: torch.softmax(q @ k.T - m * torch.arange(q.shape[0])[:, None], -1),
    (3, 4),
    (5, 4),
    (1,),
)


def window(s, w, strict):
    i = torch.arange(s.shape[0])[:, None]
    j = torch.arange(s.shape[1])[None, :]
    keep = (j <= i) & ((i - j < w) if strict else (i - j <= w))
    return torch.softmax(torch.where(keep, s, -math.inf), -1)


pair("sliding_window", EQUAL, lambda s: window(s, 3, True), lambda s: window(s, 2, False), (5, 5))
pair(
    "sliding_window_off_by_one",
    DIFFERENT,
    lambda s: window(s, 3, True),
    lambda s: window(s, 3, False),
    (5, 5),
)
pair(
    "prefix_mask",
    DIFFERENT,
    lambda s: torch.softmax(s.masked_fill(torch.ones_like(s).triu(1).bool(), -math.inf), -1),
    lambda s: torch.softmax(s.masked_fill(torch.ones_like(s).triu(1).bool(), 0.0), -1),
    (4, 4),
)
pair(
    "mask_by_tril_product",
    EQUAL,
    lambda s: s.tril(),
    lambda s: s * (torch.arange(s.shape[1]) <= torch.arange(s.shape[0])[:, None]),
    (4, 5),
)
pair("triu_complement", EQUAL, lambda s: s.tril(-1) + s.triu(), lambda s: s * 1, (4, 5))
pair("triu_overlap", DIFFERENT, lambda s: s.tril() + s.triu(), lambda s: s * 1, (4, 5))
pair(
    "threshold_mask",
    EQUAL,
    lambda x: torch.where(x >= x.amax(-1, keepdim=True), x, 0.0),
    lambda x: x * (x == x.amax(-1, keepdim=True)),
    (3, 5),
)
pair(
    "top1_all_ties",
    DIFFERENT,
    lambda x: F.one_hot(x.argmax(-1), 5).float(),
    lambda x: (x == x.amax(-1, keepdim=True)).float(),
    (3, 5),
)
pair(
    "argmax_shifted",
    EQUAL,
    lambda x, b: torch.argmax(x + b, -1),
    lambda x, b: torch.argmax(x, -1),
    (3, 5),
    (3, 1),
)
pair(
    "argmax_negated",
    DIFFERENT,
    lambda x: torch.argmax(x * -2, -1),
    lambda x: torch.argmax(x, -1),
    (3, 5),
)
pair(
    "argmax_negated_is_argmin",
    EQUAL,
    lambda x: torch.argmax(-x, -1),
    lambda x: torch.argmin(x, -1),
    (3, 5),
)
# heads
pair(
    "gqa_repeat_interleave",
    EQUAL,
    lambda q, k: q @ k.repeat_interleave(2, 0).transpose(-2, -1),
    lambda q, k: (q.unflatten(0, (k.shape[0], 2)) @ k.unsqueeze(1).transpose(-2, -1)).flatten(0, 1),
    (4, 3, 5),
    (2, 6, 5),
)
pair(
    "gqa_repeat",
    DIFFERENT,
    lambda q, k: q @ k.repeat_interleave(2, 0).transpose(-2, -1),
    lambda q, k: q @ k.repeat(2, 1, 1).transpose(-2, -1),
    (4, 3, 5),
    (2, 6, 5),
)
pair(
    "attention_scale_of_key_length",
    DIFFERENT,
    lambda q, k, v: F.scaled_dot_product_attention(q, k, v),
    lambda q, k, v: F.scaled_dot_product_attention(q, k, v, scale=1 / math.sqrt(6)),
    (2, 3, 4),
    (2, 6, 4),
    (2, 6, 4),
)
pair(
    "attention_scale_split",
    EQUAL,
    lambda q, k, v: F.scaled_dot_product_attention(q, k, v),
    lambda q, k, v: torch.softmax((q * 4**-0.25) @ (k * 4**-0.25).transpose(-2, -1), -1) @ v,
    (2, 3, 4),
    (2, 6, 4),
    (2, 6, 4),
)
pair(
    "heads_first",
    EQUAL,
    lambda x, w: torch.einsum("btd,hde->bhte", x, w),
    lambda x, w: (x @ w.permute(1, 0, 2).flatten(1))
    .unflatten(-1, (w.shape[0], w.shape[2]))
    .transpose(1, 2),
    (2, 3, 4),
    (5, 4, 6),
)
pair(
    "einsum_transposed",
    DIFFERENT,
    lambda x, y: torch.einsum("ij,kj->ik", x, y),
    lambda x, y: torch.einsum("ij,jk->ik", x, y),
    (4, 4),
    (4, 4),
)
pair(
    "einsum_three",
    EQUAL,
    lambda x, y, z: torch.einsum("ij,jk,kl->il", x, y, z),
    lambda x, y, z: x @ (y @ z),
    (2, 3),
    (3, 4),
    (4, 5),
)
pair(
    "einsum_diagonal",
    EQUAL,
    lambda x, y: torch.einsum("ij,ij->i", x, y),
    lambda x, y: torch.diagonal(x @ y.T),
    (3, 4),
    (3, 4),
)
# convolutions
pair(
    "conv_flipped",
    DIFFERENT,
    lambda x, w: F.conv1d(x, w),
    lambda x, w: F.conv1d(x, w.flip(-1)),
    (2, 3, 7),
    (4, 3, 3),
)
pair(
    "conv_1x1_is_linear",
    EQUAL,
    lambda x, w, b: F.conv2d(x, w, b),
    lambda x, w, b: F.linear(x.permute(0, 2, 3, 1), w[:, :, 0, 0], b).permute(0, 3, 1, 2),
    (2, 3, 4, 5),
    (6, 3, 1, 1),
    (6,),
)
pair(
    "conv_padding",
    DIFFERENT,
    lambda x, w: F.conv1d(F.pad(x, (2, 0)), w),
    lambda x, w: F.conv1d(F.pad(x, (1, 1)), w),
    (2, 3, 7),
    (4, 3, 3),
)
pair(
    "average_pool_as_conv",
    EQUAL,
    lambda x: F.avg_pool1d(x, 2),
    lambda x: F.conv1d(x, torch.full((1, 1, 2), 0.5), stride=2),
    (2, 1, 8),
)
pair(
    "pool_pad_counted",
    DIFFERENT,
    lambda x: F.avg_pool1d(x, 3, 1, 1),
    lambda x: F.avg_pool1d(x, 3, 1, 1, count_include_pad=False),
    (2, 3, 8),
)
# cumulative
pair(
    "cumsum_exclusive",
    EQUAL,
    lambda x: torch.cumsum(x, -1) - x,
    lambda x: F.pad(torch.cumsum(x, -1)[..., :-1], (1, 0)),
    (3, 5),
)
pair(
    "cumsum_inclusive",
    DIFFERENT,
    lambda x: torch.cumsum(x, -1),
    lambda x: F.pad(torch.cumsum(x, -1)[..., :-1], (1, 0)),
    (3, 5),
)
pair(
    "cumsum_as_product",
    EQUAL,
    lambda x: torch.cumsum(x, -1),
    lambda x: x @ torch.ones(x.shape[-1], x.shape[-1]).triu(),
    (3, 5),
)
pair(
    "cumsum_reversed",
    EQUAL,
    lambda x: x.flip(-1).cumsum(-1).flip(-1),
    lambda x: x.sum(-1, keepdim=True) - x.cumsum(-1) + x,
    (3, 5),
)
pair(
    "cumsum_then_difference",
    EQUAL,
    lambda x: torch.diff(torch.cumsum(x, -1), dim=-1),
    lambda x: x[..., 1:] * 1,
    (3, 5),
)
# types
pair("integer_quotients", EQUAL, lambda n: n // 4 * 4 + n % 4, lambda n: n * 1, labels(6, most=100))
pair(
    "integer_truncated",
    DIFFERENT,
    lambda n: n // 4,
    lambda n: torch.div(n, 4, rounding_mode="trunc"),
    labels(6, most=100),
)
pair("truncated_in_floats", DIFFERENT, lambda x: torch.floor(x), lambda x: torch.trunc(x), (5,))
pair("int_promotes", EQUAL, lambda n, x: n * x, lambda n, x: n.float() * x, labels(4), (4,))
pair(
    "bool_mean",
    EQUAL,
    lambda x: (x > 0.5).float().mean(),
    lambda x: torch.where(x > 0.5, 1.0, 0.0).sum() / x.numel(),
    (5,),
)
pair("bool_not", DIFFERENT, lambda x: (x > 0.5), lambda x: ~(x < 0.5), (5,))
pair("half_up_for_even", DIFFERENT, lambda x: torch.round(x), lambda x: torch.floor(x + 0.5), (5,))
pair(
    "clamp_order",
    DIFFERENT,
    lambda x, a, b: torch.minimum(torch.maximum(x, a), b),
    lambda x, a, b: torch.maximum(torch.minimum(x, b), a),
    (5,),
    (5,),
    (5,),
)
pair(
    "clamp_order_of_numbers",
    EQUAL,
    lambda x: torch.clamp(x, -1, 2),
    lambda x: torch.maximum(torch.minimum(x, torch.tensor(2.0)), torch.tensor(-1.0)),
    (5,),
)
pair(
    "clamp_is_hardtanh",
    EQUAL,
    lambda x: torch.clamp(x, -1, 2),
    lambda x: F.hardtanh(x, -1, 2),
    (5,),
)
# activations
pair(
    "gelu_tanh_for_erf",
    DIFFERENT,
    lambda x: F.gelu(x),
    lambda x: F.gelu(x, approximate="tanh"),
    (5,),
)
pair(
    "gelu_tanh_by_hand",
    EQUAL,
    lambda x: F.gelu(x, approximate="tanh"),
    lambda x: x * torch.sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)),
    (5,),
)
pair(
    "quick_gelu",
    DIFFERENT,
    lambda x: F.gelu(x, approximate="tanh"),
    lambda x: x * torch.sigmoid(1.702 * x),
    (5,),
)
pair("silu", EQUAL, lambda x: F.silu(x), lambda x: x / (1 + torch.exp(-x)), (5,))
pair("hardswish", EQUAL, lambda x: F.hardswish(x), lambda x: x * torch.clamp(x + 3, 0, 6) / 6, (5,))
pair(
    "hardsigmoid_slope",
    DIFFERENT,
    lambda x: F.hardsigmoid(x),
    lambda x: torch.clamp(0.2 * x + 0.5, 0, 1),
    (5,),
)
pair(
    "softplus_beta", DIFFERENT, lambda x: F.softplus(x, beta=2.0), lambda x: F.softplus(2 * x), (5,)
)
pair(
    "softplus_scaled",
    EQUAL,
    lambda x: F.softplus(x, beta=2.0),
    lambda x: F.softplus(2 * x) / 2,
    (5,),
)
pair(
    "softplus_threshold",
    EQUAL,
    lambda x: F.softplus(x),
    lambda x: torch.where(x > 20, x, torch.log1p(torch.exp(x))),
    (5,),
)
pair("dropout_eval", EQUAL, lambda x: F.dropout(x, 0.5, training=False) * 2, lambda x: x + x, (5,))
pair(
    "dropout_scaled", DIFFERENT, lambda x: F.dropout(x, 0.5, training=False), lambda x: x * 2, (5,)
)
pair(
    "bias_columns",
    EQUAL,
    lambda x, w, b: F.linear(x, w, b),
    lambda x, w, b: torch.cat([x, torch.ones(x.shape[0], 1)], 1) @ torch.cat([w.T, b[None]], 0),
    (3, 4),
    (5, 4),
    (5,),
)
pair(
    "bias_broadcast_rows", DIFFERENT, lambda x, b: x + b, lambda x, b: x + b[:, None], (4, 4), (4,)
)
pair(
    "baddbmm",
    EQUAL,
    lambda a, b, c: torch.baddbmm(c, a, b, beta=0.5, alpha=2),
    lambda a, b, c: 2 * (a @ b) + c / 2,
    (2, 3, 4),
    (2, 4, 5),
    (2, 3, 5),
)
pair(
    "variance_correction", DIFFERENT, lambda x: x.var(-1), lambda x: x.var(-1, correction=0), (3, 4)
)
pair(
    "std_by_variance",
    EQUAL,
    lambda x: x.std(-1),
    lambda x: (((x - x.mean(-1, keepdim=True)) ** 2).sum(-1) / (x.shape[-1] - 1)).sqrt(),
    (3, 4),
)
pair(
    "softmax_temperature_outside",
    DIFFERENT,
    lambda x: torch.softmax(x / 2, -1),
    lambda x: torch.softmax(x, -1) / 2,
    (3, 4),
)
pair(
    "log_softmax_temperature",
    DIFFERENT,
    lambda x: torch.log_softmax(x / 2, -1),
    lambda x: torch.log_softmax(x, -1) / 2,
    (3, 4),
)
pair(
    "online_softmax",
    EQUAL,
    lambda x, y: torch.softmax(torch.cat([x, y], -1), -1)[..., 0] * 1,
    lambda x, y: torch.exp(x[..., 0]) / (torch.exp(x).sum(-1) + torch.exp(y).sum(-1)),
    (3, 4),
    (3, 5),
)
pair(
    "pixel_shuffle_inverse",
    EQUAL,
    lambda x: F.pixel_unshuffle(F.pixel_shuffle(x, 2), 2),
    lambda x: x * 1,
    (1, 8, 3, 2),
)
pair(
    "outer_product",
    EQUAL,
    lambda x, y: torch.outer(x, y).sum(0),
    lambda x, y: x.sum() * y,
    (3,),
    (4,),
)
pair(
    "kron",
    EQUAL,
    lambda x, y: torch.kron(x, y),
    lambda x, y: (x[:, None, :, None] * y[None, :, None, :]).flatten(2).flatten(0, 1),
    (2, 3),
    (4, 5),
)
pair(
    "lerp",
    EQUAL,
    lambda x, y, w: torch.lerp(x, y, w),
    lambda x, y, w: (1 - w) * x + w * y,
    (5,),
    (5,),
    (5,),
)
pair(
    "lerp_swapped",
    DIFFERENT,
    lambda x, y, w: torch.lerp(x, y, w),
    lambda x, y, w: (1 - w) * y + w * x,
    (5,),
    (5,),
    (5,),
)
pair(
    "embedding_one_hot", EQUAL, lambda w, y: F.embedding(y, w), lambda w, y: w[y], (4, 3), labels(5)
)
pair(
    "embedding_wrong_row",
    DIFFERENT,
    lambda w, y: F.embedding(y, w),
    lambda w, y: w[-y],
    (4, 3),
    labels(5),
)
pair(
    "gather_by_one_hot",
    EQUAL,
    lambda x, y: x.gather(1, y[:, None])[:, 0],
    lambda x, y: (x * (y[:, None] == torch.arange(x.shape[1]))).sum(1),
    (3, 4),
    labels(3),
)
pair(
    "gather_and_index",
    EQUAL,
    lambda x, y: x.gather(1, y[:, None])[:, 0],
    lambda x, y: x[torch.arange(x.shape[0]), y],
    (3, 4),
    labels(3),
)
pair(
    "scatter_one_hot",
    EQUAL,
    lambda x, y: torch.zeros_like(x).scatter(1, y[:, None], 1.0),
    lambda x, y: (y[:, None] == torch.arange(x.shape[1])).float(),
    (3, 4),
    labels(3),
)
pair(
    "nll_kept",
    EQUAL,
    lambda x, y: F.nll_loss(x, y, reduction="none"),
    lambda x, y: torch.where(
        y != -100, -x.gather(1, torch.where(y != -100, y, 0)[:, None])[:, 0], 0
    ),
    (3, 4),
    labels(3),
)
pair(
    "index_select_negative",
    DIFFERENT,
    lambda x, y: torch.gather(x, 0, y),
    lambda x, y: torch.gather(x, 0, x.shape[0] - 1 - y),
    (5,),
    labels(5),
)
