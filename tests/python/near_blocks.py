"""More families (near_families.py): products, attention, norms, losses, windows, scans, quantised
values, modes, and questions for what is no number; and functions that people write, whole."""

import torch
import torch.nn.functional as F

from near_families import INF, family, integers, labels, positive, r, truths

# -- products ------------------------------------------------------------------------------------

_products = [
    ("transposed", lambda a, b: (a @ b).t(), lambda a, b: b.t() @ a.t(), lambda a, b: (b.t() @ a.t()).t().flip(0).t()),
    ("parts", lambda a, b: a @ b, lambda a, b: a[:, :2] @ b[:2] + a[:, 2:] @ b[2:], lambda a, b: a[:, :2] @ b[:2] + a[:, 2:] @ b[:2]),
    ("columns", lambda a, b: a @ b, lambda a, b: torch.cat((a @ b[:, :2], a @ b[:, 2:]), 1), lambda a, b: torch.cat((a @ b[:, 2:], a @ b[:, :2]), 1)),
    ("einsum", lambda a, b: torch.einsum("ik,kj->ij", a, b), lambda a, b: (a[:, :, None] * b[None]).sum(1), lambda a, b: (a[:, :, None] * b[None]).sum(0)[None]),
    ("trace", lambda a, b: (a @ b).diagonal().sum(), lambda a, b: (a * b.t()).sum(), lambda a, b: (a * b).sum()),
    ("scaled", lambda a, b: (2 * a) @ (3 * b), lambda a, b: 6 * (a @ b), lambda a, b: 5 * (a @ b)),
    ("row_scale", lambda a, b: (a * a.sum(0)) @ b, lambda a, b: a @ (a.sum(0)[:, None] * b), lambda a, b: a @ (a.sum(1)[:, None] * b)),
    ("associated", lambda a, b: (a @ b) @ a, lambda a, b: a @ (b @ a), lambda a, b: b @ (a @ a)),
    ("addmm", lambda a, b: torch.addmm(a, a, b, beta=2, alpha=3), lambda a, b: 2 * a + 3 * (a @ b), lambda a, b: 3 * a + 2 * (a @ b)),
    ("addmm_no_bias", lambda a, b: torch.addmm(a, a, b, beta=0), lambda a, b: a @ b, lambda a, b: a + a @ b),
    ("outer", lambda a, b: torch.outer(a[0], b[0]), lambda a, b: a[0][:, None] * b[0], lambda a, b: a[0] * b[0][:, None]),
    ("linear", lambda a, b: F.linear(a, b), lambda a, b: a @ b.t(), lambda a, b: a @ b),
    ("bilinear", lambda a, b: (a @ b * a).sum(-1), lambda a, b: torch.einsum("ni,ij,nj->n", a, b, a), lambda a, b: torch.einsum("ni,ji,ni->n", a, b, a)),
    ("distances", lambda a, b: ((a[:, None] - b[None]) ** 2).sum(-1), lambda a, b: (a * a).sum(-1)[:, None] - 2 * a @ b.t() + (b * b).sum(-1), lambda a, b: (a * a).sum(-1) - 2 * a @ b.t() + (b * b).sum(-1)),
    ("two_products", lambda a, b: a @ b + b @ a, lambda a, b: (a + b) @ (a + b) - a @ a - b @ b, lambda a, b: 2 * a @ b),
    ("kron", lambda a, b: torch.kron(a, b), lambda a, b: (a[:, None, :, None] * b[None, :, None, :]).reshape(a.shape[0] * b.shape[0], -1), lambda a, b: torch.kron(b, a)),
]  # fmt: skip
for _name, *_row in _products:
    family("products", _name, *_row, r(4, 4), r(4, 4))

_batched = [
    ("bmm", lambda a, b: torch.bmm(a, b), lambda a, b: torch.einsum("bik,bkj->bij", a, b), lambda a, b: torch.einsum("bki,bkj->bij", a, b)),
    ("baddbmm", lambda a, b: torch.baddbmm(a, a, b, beta=0.5), lambda a, b: a / 2 + a @ b, lambda a, b: a + a @ b / 2),
    ("batch_of_one", lambda a, b: a @ b[0], lambda a, b: (a.flatten(0, 1) @ b[0]).reshape(a.shape[0], a.shape[1], -1), lambda a, b: a @ b[1]),
    ("summed_batch", lambda a, b: (a @ b).sum(0), lambda a, b: a.transpose(0, 1).flatten(1) @ b.flatten(0, 1), lambda a, b: a.sum(0) @ b.sum(0)),
    ("tensordot", lambda a, b: torch.tensordot(a, b, ([0, 2], [0, 1])), lambda a, b: torch.einsum("bik,bkj->ij", a, b), lambda a, b: torch.einsum("bik,bij->kj", a, b)),
]  # fmt: skip
for _name, *_row in _batched:
    family("products", _name, *_row, r(2, 4, 4), r(2, 4, 4))

# -- attention -----------------------------------------------------------------------------------


def attend(q, k, v, scale=None, keep=None):
    s = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    s = s if keep is None else s.masked_fill(~keep, -INF)
    return torch.softmax(s, -1) @ v


_sdpa = F.scaled_dot_product_attention


def _heads(x, count):
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


def _turned(x, cos, sin):
    first, second = x.chunk(2, -1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1)


_attention = [
    ("default_scale", lambda q, k, v: _sdpa(q, k, v), lambda q, k, v: attend(q, k, v), lambda q, k, v: attend(q, k, v, 1.0)),
    ("given_scale", lambda q, k, v: _sdpa(q, k, v, scale=0.25), lambda q, k, v: attend(q / 4, k, v, 1.0), lambda q, k, v: attend(q, k, v)),
    ("causal", lambda q, k, v: _sdpa(q, k, v, is_causal=True),
     lambda q, k, v: attend(q, k, v, keep=torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()),
     lambda q, k, v: attend(q, k, v, keep=torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(1))),
    ("over_queries", lambda q, k, v: attend(q, k, v), lambda q, k, v: (torch.softmax(k @ q.transpose(-1, -2) * q.shape[-1] ** -0.5, -2).transpose(-1, -2)) @ v,
     lambda q, k, v: (torch.softmax(k @ q.transpose(-1, -2) * q.shape[-1] ** -0.5, -1).transpose(-1, -2)) @ v),
    ("keys_shifted", lambda q, k, v: attend(q, k + q[:, :, :1], v), lambda q, k, v: attend(q, k, v),
     lambda q, k, v: attend(q + q[:, :, :1], k, v)),
    ("values_shifted", lambda q, k, v: attend(q, k, v + 1), lambda q, k, v: attend(q, k, v) + 1, lambda q, k, v: attend(q, k, v) + 2),
    ("divided_last", lambda q, k, v: attend(q, k, v),
     lambda q, k, v: ((q @ k.mT * q.shape[-1] ** -0.5).exp() @ v) / (q @ k.mT * q.shape[-1] ** -0.5).exp().sum(-1, True),
     lambda q, k, v: ((q @ k.mT * q.shape[-1] ** -0.5).exp() @ v) / (q @ k.mT * q.shape[-1] ** -0.5).exp().sum(-2, True)),
    ("window", lambda q, k, v: attend(q, k, v, keep=(torch.arange(4)[:, None] - torch.arange(4)).abs() <= 1),
     lambda q, k, v: attend(q, k, v, keep=torch.ones(4, 4, dtype=torch.bool).tril(1).triu(-1)),
     lambda q, k, v: attend(q, k, v, keep=torch.ones(4, 4, dtype=torch.bool).tril(1).triu(0))),
    ("bias_of_distance", lambda q, k, v: torch.softmax(q @ k.mT - (torch.arange(4)[:, None] - torch.arange(4)).abs(), -1) @ v,
     lambda q, k, v: torch.softmax(q @ k.mT - torch.maximum(torch.arange(4)[:, None], torch.arange(4)) + torch.minimum(torch.arange(4)[:, None], torch.arange(4)), -1) @ v,
     lambda q, k, v: torch.softmax(q @ k.mT - (torch.arange(4)[:, None] - torch.arange(4)), -1) @ v),
    ("softcap", lambda q, k, v: torch.softmax(5 * torch.tanh(q @ k.mT / 5), -1) @ v,
     lambda q, k, v: torch.softmax(5 * (2 * torch.sigmoid(q @ k.mT * 0.4) - 1), -1) @ v,
     lambda q, k, v: torch.softmax(5 * (2 * torch.sigmoid(q @ k.mT * 0.2) - 1), -1) @ v),
    ("linear", lambda q, k, v: (F.elu(q) + 1) @ ((F.elu(k) + 1).mT @ v), lambda q, k, v: ((F.elu(q) + 1) @ (F.elu(k) + 1).mT) @ v,
     lambda q, k, v: ((F.elu(q) + 1) @ F.elu(k).mT) @ v),
    ("kept_keys", lambda q, k, v: attend(q, torch.cat((k, q), 2), torch.cat((v, q), 2)),
     lambda q, k, v: attend(q, torch.cat((q, k), 2), torch.cat((q, v), 2)),
     lambda q, k, v: attend(q, torch.cat((q, k), 2), torch.cat((v, q), 2))),
    ("two_heads_split", lambda q, k, v: attend(q, k, v).transpose(1, 2).flatten(2), lambda q, k, v: torch.cat((attend(q, k, v)[:, 0], attend(q, k, v)[:, 1]), -1),
     lambda q, k, v: attend(q, k, v).flatten(2).reshape(1, 4, 8)),
]  # fmt: skip
for _name, *_row in _attention:
    family("attention", _name, *_row, r(1, 2, 4, 4), r(1, 2, 4, 4), r(1, 2, 4, 4))

family("attention", "mask_of_truths", lambda q, k, v, m: _sdpa(q, k, v, attn_mask=m),
       lambda q, k, v, m: (torch.exp(q @ k.mT * q.shape[-1] ** -0.5) * m) @ v / torch.where(m.any(-1, True), (torch.exp(q @ k.mT * q.shape[-1] ** -0.5) * m).sum(-1, True), 1),
       lambda q, k, v, m: torch.softmax((q @ k.mT / 2) * m, -1) @ v,
       r(1, 2, 3, 4), r(1, 2, 5, 4), r(1, 2, 5, 4), truths(3, 5))  # fmt: skip
family("attention", "shared_keys", lambda q, k, v: _sdpa(q, k, v, enable_gqa=True),
       lambda q, k, v: attend(q, k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)),
       lambda q, k, v: attend(q, k.repeat(1, 2, 1, 1), v.repeat(1, 2, 1, 1)),
       r(1, 4, 3, 4), r(1, 2, 5, 4), r(1, 2, 5, 4))  # fmt: skip
family("attention", "rotary", _turned,
       lambda x, c, s: x * torch.cat((c, c), -1) + torch.cat((-x[..., 2:], x[..., :2]), -1) * torch.cat((s, s), -1),
       lambda x, c, s: x * torch.cat((c, c), -1) + torch.cat((x[..., 2:], -x[..., :2]), -1) * torch.cat((s, s), -1),
       r(3, 4), r(3, 2), r(3, 2))  # fmt: skip
family("attention", "rotary_interleaved",
       lambda x, c, s: torch.stack((x[:, ::2] * c - x[:, 1::2] * s, x[:, 1::2] * c + x[:, ::2] * s), -1).flatten(1),
       lambda x, c, s: x * c.repeat_interleave(2, 1) + torch.stack((-x[:, 1::2], x[:, ::2]), -1).flatten(1) * s.repeat_interleave(2, 1),
       _turned, r(3, 4), r(3, 2), r(3, 2))  # fmt: skip
family("attention", "heads", lambda x: _heads(x, 2).sum(2), lambda x: torch.stack((x[..., :3].sum(1), x[..., 3:].sum(1)), 1),
       lambda x: x.reshape(x.shape[0], 2, -1, 3).sum(2), r(2, 4, 6))  # fmt: skip

# -- norms ---------------------------------------------------------------------------------------


def _ln(x, eps=1e-5):
    c = x - x.mean(-1, True)
    return c / ((c * c).mean(-1, True) + eps).sqrt()


_norms = [
    ("layer_norm", lambda x, w, b: F.layer_norm(x, (4,), w, b), lambda x, w, b: _ln(x) * w + b, lambda x, w, b: _ln(x) * (w + 1) + b),
    ("layer_norm_eps", lambda x, w, b: F.layer_norm(x, (4,), w, b, 0.1), lambda x, w, b: _ln(x, 0.1) * w + b, lambda x, w, b: _ln(x) * w + b),
    ("layer_norm_shift", lambda x, w, b: F.layer_norm(x + 2, (4,), w, b), lambda x, w, b: F.layer_norm(x, (4,), w, b), lambda x, w, b: F.layer_norm(2 * x, (4,), w, b)),
    ("rms_norm", lambda x, w, b: F.rms_norm(x, (4,), w, 1e-6) + b, lambda x, w, b: x * w * torch.rsqrt((x * x).mean(-1, True) + 1e-6) + b, lambda x, w, b: x * w * torch.rsqrt((x * x).sum(-1, True) + 1e-6) + b),
    ("rms_gemma", lambda x, w, b: F.rms_norm(x, (4,), 1 + w, 1e-6) + b, lambda x, w, b: F.rms_norm(x, (4,), None, 1e-6) * (1 + w) + b, lambda x, w, b: F.rms_norm(x, (4,), w, 1e-6) + b),
    ("residual_first", lambda x, w, b: _ln(x + b) * w, lambda x, w, b: F.layer_norm(x + b, (4,), w), lambda x, w, b: F.layer_norm(x, (4,), w) + b),
    ("normalise", lambda x, w, b: F.normalize(x, dim=-1) * w, lambda x, w, b: x / (x * x).sum(-1, True).sqrt().clamp(min=1e-12) * w, lambda x, w, b: x / ((x * x).sum(-1, True) + 1e-2).sqrt() * w),
    ("folded_scale", lambda x, w, b: (_ln(x) * w + b) @ torch.ones(4, 4), lambda x, w, b: (_ln(x) * w).sum(-1, True) + b.sum() + torch.zeros(4), lambda x, w, b: (_ln(x) * w).sum(-1, True) + b + torch.zeros(4)),
    ("batch_eval", lambda x, w, b: F.batch_norm(x, b, w * w + 1, w, b), lambda x, w, b: (x - b) / (w * w + 1 + 1e-5).sqrt() * w + b, lambda x, w, b: (x - b) / ((w * w + 1).sqrt() + 1e-5) * w + b),
    ("batch_training", lambda x, w, b: F.batch_norm(x, None, None, w, b, True), lambda x, w, b: (x - x.mean(0)) / (x.var(0, correction=0) + 1e-5).sqrt() * w + b, lambda x, w, b: (x - x.mean(0)) / (x.var(0) + 1e-5).sqrt() * w + b),
]  # fmt: skip
for _name, *_row in _norms:
    family("norms", _name, *_row, r(3, 4), r(4), r(4))

_channels = [
    ("group", lambda x: F.group_norm(x, 2), lambda x: _ln(x.reshape(2, 2, -1)).reshape(2, 4, 3), lambda x: _ln(x.reshape(2, 2, 2, 3).transpose(1, 2).reshape(2, 2, -1)).reshape(2, 4, 3)),
    ("instance", lambda x: F.instance_norm(x), lambda x: _ln(x), lambda x: _ln(x.transpose(1, 2)).transpose(1, 2)),
    ("group_of_one", lambda x: F.group_norm(x, 1), lambda x: _ln(x.flatten(1)).reshape(x.shape), lambda x: _ln(x)),
    ("group_of_each", lambda x: F.group_norm(x, 4), lambda x: F.instance_norm(x), lambda x: F.layer_norm(x.transpose(1, 2), (4,)).transpose(1, 2)),
]  # fmt: skip
for _name, *_row in _channels:
    family("norms", _name, *_row, r(2, 4, 3))

# -- losses --------------------------------------------------------------------------------------

_losses = [
    ("mse", lambda x, y: F.mse_loss(x, y), lambda x, y: ((x - y) ** 2).mean(), lambda x, y: ((x - y) ** 2).sum(-1).mean()),
    ("l1", lambda x, y: F.l1_loss(x, y, reduction="sum"), lambda x, y: torch.maximum(x - y, y - x).sum(), lambda x, y: (x - y).sum().abs()),
    ("smooth", lambda x, y: F.smooth_l1_loss(x, y, reduction="none"), lambda x, y: torch.where((x - y).abs() < 1, (x - y) ** 2 / 2, (x - y).abs() - 0.5), lambda x, y: torch.where((x - y).abs() < 1, (x - y) ** 2, (x - y).abs() - 0.5)),
    ("smooth_beta", lambda x, y: F.smooth_l1_loss(x, y, reduction="none", beta=2.0), lambda x, y: F.huber_loss(x, y, reduction="none", delta=2.0) / 2, lambda x, y: F.huber_loss(x, y, reduction="none", delta=2.0)),
    ("bce_logits", lambda x, y: F.binary_cross_entropy_with_logits(x, torch.sigmoid(y), reduction="none"), lambda x, y: torch.log(1 + torch.exp(x)) - x * torch.sigmoid(y), lambda x, y: torch.log(1 + torch.exp(x)) - x * y),
    ("soft_labels", lambda x, y: F.cross_entropy(x, torch.softmax(y, -1), reduction="none"), lambda x, y: -(torch.softmax(y, -1) * torch.log_softmax(x, -1)).sum(-1), lambda x, y: -(torch.softmax(y, -1) * torch.log_softmax(x, -1)).mean(-1)),
    ("kl", lambda x, y: F.kl_div(torch.log_softmax(x, -1), torch.softmax(y, -1), reduction="sum"), lambda x, y: (torch.softmax(y, -1) * (torch.log_softmax(y, -1) - torch.log_softmax(x, -1))).sum(), lambda x, y: (torch.softmax(x, -1) * (torch.log_softmax(x, -1) - torch.log_softmax(y, -1))).sum()),
    ("kl_log", lambda x, y: F.kl_div(x, y, reduction="none", log_target=True), lambda x, y: y.exp() * (y - x), lambda x, y: y.exp() * (x - y)),
    ("kl_batchmean", lambda x, y: F.kl_div(x, y, reduction="batchmean", log_target=True), lambda x, y: (y.exp() * (y - x)).sum() / x.shape[0], lambda x, y: (y.exp() * (y - x)).mean()),
    ("hinge", lambda x, y: F.margin_ranking_loss(x[:, 0], x[:, 1], torch.ones(3), margin=1.0), lambda x, y: F.relu(1 - x[:, 0] + x[:, 1]).mean(), lambda x, y: F.relu(1 + x[:, 0] - x[:, 1]).mean()),
    ("poisson", lambda x, y: F.poisson_nll_loss(x, y, reduction="none"), lambda x, y: x.exp() - y * x, lambda x, y: x - y * x.exp()),
    ("contrastive", lambda x, y: torch.log_softmax(x @ y.t(), -1).diagonal().mean(), lambda x, y: ((x * y).sum(-1) - torch.logsumexp(x @ y.t(), -1)).mean(), lambda x, y: ((x * y).sum(-1) - torch.logsumexp(x @ y.t(), 0)).sum() / 3 * 2),
    ("cosine", lambda x, y: (x * y).sum(-1) / ((x * x).sum(-1) * (y * y).sum(-1)).sqrt(), lambda x, y: (x * y).sum(-1) / ((x * x).sum(-1).sqrt() * (y * y).sum(-1).sqrt()), lambda x, y: (x * y).sum(-1) / ((x * x).sum(-1) * (y * y).sum(-1))),
    ("dpo", lambda x, y: -F.logsigmoid(x.sum(-1) - y.sum(-1)), lambda x, y: F.softplus((y - x).sum(-1), threshold=1e9), lambda x, y: F.softplus((x - y).sum(-1), threshold=1e9)),
    ("focal", lambda x, y: (1 - torch.sigmoid(x)) ** 2 * F.logsigmoid(x) + 0 * y, lambda x, y: torch.sigmoid(-x) ** 2 * torch.log(torch.sigmoid(x)) + 0 * y, lambda x, y: torch.sigmoid(x) ** 2 * F.logsigmoid(x) + 0 * y),
    ("entropy", lambda x, y: -(torch.softmax(x, -1) * torch.log_softmax(x, -1)).sum(-1) + 0 * y[:, 0], lambda x, y: torch.logsumexp(x, -1) - (torch.softmax(x, -1) * x).sum(-1) + 0 * y[:, 0], lambda x, y: torch.logsumexp(x, -1) - x.mean(-1) + 0 * y[:, 0]),
    ("triplet", lambda x, y: F.relu(((x - y) ** 2).sum(-1) - ((x + y) ** 2).sum(-1) + 1), lambda x, y: F.relu(1 - 4 * (x * y).sum(-1)), lambda x, y: F.relu(1 - 2 * (x * y).sum(-1))),
]  # fmt: skip
for _name, *_row in _losses:
    family("losses", _name, *_row, r(3, 4), r(3, 4))

# -- windows -------------------------------------------------------------------------------------

_windows = [
    ("padding", lambda x, w: F.conv1d(x, w, padding=1), lambda x, w: F.conv1d(F.pad(x, (1, 1)), w), lambda x, w: F.conv1d(F.pad(x, (2, 0)), w)),
    ("flipped_taps", lambda x, w: F.conv1d(x, w), lambda x, w: sum(torch.einsum("ncl,oc->nol", x[:, :, k : k + 6], w[:, :, k]) for k in range(3)), lambda x, w: sum(torch.einsum("ncl,oc->nol", x[:, :, k : k + 6], w[:, :, 2 - k]) for k in range(3))),
    ("stride", lambda x, w: F.conv1d(x, w, stride=2), lambda x, w: F.conv1d(x, w)[:, :, ::2], lambda x, w: F.conv1d(x, w)[:, :, 1::2]),
    ("dilation", lambda x, w: F.conv1d(x, w, dilation=2), lambda x, w: F.conv1d(x, torch.stack((w[..., 0], 0 * w[..., 0], w[..., 1], 0 * w[..., 0], w[..., 2]), -1)), lambda x, w: F.conv1d(x[:, :, ::2], w)[:, :, :4]),
    ("linear_in_input", lambda x, w: F.conv1d(2 * x, w), lambda x, w: 2 * F.conv1d(x, w), lambda x, w: F.conv1d(2 * x, 2 * w)),
    ("causal", lambda x, w: F.conv1d(F.pad(x, (2, 0)), w), lambda x, w: F.conv1d(x, w, padding=2)[:, :, :-2], lambda x, w: F.conv1d(x, w, padding=2)[:, :, 2:]),
    ("mean_pool", lambda x, w: F.avg_pool1d(x, 2) + w.sum(), lambda x, w: (x[:, :, ::2] + x[:, :, 1::2]) / 2 + w.sum(), lambda x, w: (x[:, :, ::2] + x[:, :, 1::2]) + w.sum()),
    ("counted_padding", lambda x, w: F.avg_pool1d(x, 2, 2, 1) * w[0, 0, 0], lambda x, w: F.avg_pool1d(F.pad(x, (1, 1)), 2, 2) * w[0, 0, 0], lambda x, w: F.avg_pool1d(x, 2, 2, 1, count_include_pad=False) * w[0, 0, 0]),
    ("max_pool", lambda x, w: F.max_pool1d(x, 2) * w[0, 0, 0], lambda x, w: torch.maximum(x[:, :, ::2], x[:, :, 1::2]) * w[0, 0, 0], lambda x, w: torch.maximum(x[:, :, :4], x[:, :, 4:]) * w[0, 0, 0]),
    ("max_pool_below_zero", lambda x, w: F.max_pool1d(x, 3, 1, 1) + w.sum(), lambda x, w: -F.max_pool1d(-x, 1) .mul(0) + F.max_pool1d(x, 3, 1, 1) + w.sum(), lambda x, w: F.max_pool1d(F.pad(x, (1, 1)), 3, 1) + w.sum()),
    ("repeated", lambda x, w: F.interpolate(x, scale_factor=2) * w.sum(), lambda x, w: x.repeat_interleave(2, 2) * w.sum(), lambda x, w: x.repeat(1, 1, 2) * w.sum()),
    ("reflected", lambda x, w: F.pad(x, (1, 0), mode="reflect") + w.sum(), lambda x, w: torch.cat((x[:, :, 1:2], x), 2) + w.sum(), lambda x, w: torch.cat((x[:, :, :1], x), 2) + w.sum()),
    ("sum_of_taps", lambda x, w: F.conv1d(x.mean(2, True).expand(-1, -1, 8), w), lambda x, w: torch.einsum("nc,oc->no", x.mean(2), w.sum(2))[:, :, None].expand(-1, -1, 6) * 1, lambda x, w: torch.einsum("nc,oc->no", x.mean(2), w.mean(2))[:, :, None].expand(-1, -1, 6) * 1),
]  # fmt: skip
for _name, *_row in _windows:
    family("windows", _name, *_row, r(2, 3, 8), r(4, 3, 3))

family("windows", "folded_norm",
       lambda x, w, g, m: (F.conv2d(x, w) - m[:, None, None]) * g[:, None, None],
       lambda x, w, g, m: F.conv2d(x, w * g[:, None, None, None], -m * g),
       lambda x, w, g, m: F.conv2d(x, w * g[:, None, None, None], -m),
       r(1, 2, 5, 5), r(3, 2, 3, 3), r(3), r(3))  # fmt: skip
family("windows", "pointwise", lambda x, w: F.conv2d(x, w), lambda x, w: torch.einsum("nchw,ocij->nohw", x, w),
       lambda x, w: torch.einsum("nchw,ocij->nowh", x, w), r(1, 2, 4, 4), r(3, 2, 1, 1))  # fmt: skip
family("windows", "depthwise", lambda x, w: F.conv1d(x, w, groups=3),
       lambda x, w: x[:, :, :-1] * w[:, 0, :1] + x[:, :, 1:] * w[:, 0, 1:],
       lambda x, w: x[:, :, :-1] * w[:, 0, 1:] + x[:, :, 1:] * w[:, 0, :1], r(2, 3, 6), r(3, 1, 2))  # fmt: skip
family("windows", "transposed", lambda x, w: F.conv_transpose1d(x, w), lambda x, w: F.conv1d(F.pad(x, (1, 1)), w.transpose(0, 1).flip(2)),
       lambda x, w: F.conv1d(F.pad(x, (1, 1)), w.transpose(0, 1)), r(1, 2, 5), r(2, 3, 2))  # fmt: skip
family("windows", "shuffled", lambda x: F.pixel_shuffle(x, 2), lambda x: x.reshape(1, 2, 2, 2, 3, 3).permute(0, 1, 4, 2, 5, 3).reshape(1, 2, 6, 6),
       lambda x: x.reshape(1, 2, 2, 2, 3, 3).permute(0, 1, 4, 3, 5, 2).reshape(1, 2, 6, 6), r(1, 8, 3, 3))  # fmt: skip

# -- scans ---------------------------------------------------------------------------------------


def _recurrence(x, a, forget=False):
    h = x[:, 0]
    made = [h]
    for step in range(1, 4):
        h = a * h + ((1 - a) if forget else 1) * x[:, step]
        made.append(h)
    return torch.stack(made, 1)


_scans = [
    ("decayed", lambda x, a: _recurrence(x, a), lambda x, a: torch.stack([sum(a ** (i - j) * x[:, j] for j in range(i + 1)) for i in range(4)], 1),
     lambda x, a: torch.stack([sum(a**j * x[:, j] for j in range(i + 1)) for i in range(4)], 1)),
    ("average", lambda x, a: _recurrence(x, a, True), lambda x, a: _recurrence(torch.cat((x[:, :1], (1 - a)[:, None] * x[:, 1:]), 1), a),
     lambda x, a: _recurrence((1 - a)[:, None] * x, a)),
    ("prefix_mean", lambda x, a: x.cumsum(1) / (torch.arange(4) + 1) + a[:, None], lambda x, a: torch.stack([x[:, : i + 1].mean(1) for i in range(4)], 1) + a[:, None],
     lambda x, a: x.cumsum(1) / 4 + a[:, None]),
    ("reversed", lambda x, a: x.flip(1).cumsum(1).flip(1) * a[:, None], lambda x, a: torch.stack([x[:, i:].sum(1) for i in range(4)], 1) * a[:, None],
     lambda x, a: torch.stack([x[:, : i + 1].sum(1) for i in range(4)], 1) * a[:, None]),
    ("by_triangle", lambda x, a: x.cumsum(1) + a[:, None], lambda x, a: x @ torch.ones(4, 4).triu() + a[:, None], lambda x, a: x @ torch.ones(4, 4).tril() + a[:, None]),
    ("horner", lambda x, a: ((x[:, 3] * a + x[:, 2]) * a + x[:, 1]) * a + x[:, 0], lambda x, a: sum(x[:, k] * a**k for k in range(4)), lambda x, a: sum(x[:, 3 - k] * a**k for k in range(4))),
    ("product", lambda x, a: x.cumprod(1)[:, -1] * a, lambda x, a: x.prod(1) * a, lambda x, a: x.cumprod(1).sum(1) * a),
]  # fmt: skip
for _name, *_row in _scans:
    family("scans", _name, *_row, r(3, 4), positive(3))

# -- quantised values ----------------------------------------------------------------------------

WEIGHT = integers(4, 6, low=-128, high=128).to(torch.int8)
PACKED = integers(4, 3, low=0, high=256).to(torch.uint8)
_quantised = [
    ("dequantised", lambda x, w, s: x @ ((w.float() - 3) * s[:, None]).t(), lambda x, w, s: (x @ (w.float() - 3).t()) * s,
     lambda x, w, s: (x @ w.float().t() - 3) * s),
    ("zero_point_apart", lambda x, w, s: x @ ((w.float() - 3) * s[:, None]).t(), lambda x, w, s: (x @ w.float().t() - 3 * x.sum(-1, True)) * s,
     lambda x, w, s: (x @ w.float().t() - 3 * x.mean(-1, True)) * s),
    ("scale_of_columns", lambda x, w, s: (x * s.sum()) @ w.float().t(), lambda x, w, s: (x @ w.float().t()) * s.sum(), lambda x, w, s: (x @ w.float().t()) * s),
]  # fmt: skip
for _name, *_row in _quantised:
    family("quantised", _name, *_row, r(3, 6), WEIGHT, positive(4))
family("quantised", "unpacked", lambda x, p: x @ (torch.stack((p & 15, p >> 4), -1).flatten(1).float() - 8).t(),
       lambda x, p: x @ torch.stack((p.int() % 16 - 8, p.int() // 16 - 8), -1).flatten(1).float().t(),
       lambda x, p: x @ torch.stack((p.int() // 16 - 8, p.int() % 16 - 8), -1).flatten(1).float().t(),
       r(3, 6), PACKED)  # fmt: skip
family("quantised", "rounded", lambda x: torch.clamp(torch.round(x / 0.5) + 3, 0, 15) * 0.5,
       lambda x: (torch.clamp(torch.round(2 * x), -3, 12) + 3) / 2,
       lambda x: torch.clamp(torch.round(x / 0.5), 0, 12) * 0.5 + 1.5, r(3, 4))  # fmt: skip
family("quantised", "fake", lambda x: torch.fake_quantize_per_tensor_affine(x, 0.25, 2, -8, 7),
       lambda x: (torch.clamp(torch.round(4 * x) + 2, -8, 7) - 2) / 4,
       lambda x: torch.clamp(torch.round(4 * x), -8, 7) / 4, r(3, 4))  # fmt: skip
family("quantised", "whole_product", lambda a, b: torch._int_mm(a, b).float(), lambda a, b: a.float() @ b.float(),
       lambda a, b: a.float() @ b.float() + (a.float()[:, :1] == -128), integers(32, 16).to(torch.int8), integers(16, 8).to(torch.int8))  # fmt: skip

# -- modes ---------------------------------------------------------------------------------------


def _in_half(x):
    with torch.autocast("cpu", torch.bfloat16):
        return (x @ x.t()).float()


def _no_gradient(x):
    with torch.no_grad():
        return x * 2


_modes = [
    ("no_dropout", lambda x: F.dropout(x, 0.5, training=False), lambda x: x * 1, lambda x: x * 0.5),
    ("dropout_of_nothing", lambda x: F.dropout(x, 0.0, training=True) + 0, lambda x: x * 1, lambda x: x * 2),
    ("alpha_dropout", lambda x: F.alpha_dropout(x, 0.5, training=False) + 0, lambda x: x * 1, lambda x: -x),
    ("autocast", _in_half, lambda x: x @ x.t(), lambda x: x @ x.t() + x[:, :1]),
    ("no_gradient", _no_gradient, lambda x: x + x, lambda x: x * 3),
    ("detached", lambda x: x.detach() * x, lambda x: x * x, lambda x: x.detach() + x),
    ("by_shape", lambda x: x * 2 if x.dim() == 2 else x * 3, lambda x: x + x, lambda x: x * 3),
    ("by_type", lambda x: x * 2 if x.dtype == torch.float32 else x * 3, lambda x: x + x, lambda x: x * 3),
    ("assertion", lambda x: _asserted(x), lambda x: x + x, lambda x: x * 3),
    ("loop", lambda x: _looped(x), lambda x: 8 * x, lambda x: 16 * x),
]  # fmt: skip


def _asserted(x):
    assert x.dim() == 2
    return x * 2


def _looped(x):
    for _ in range(3):
        x = x + x
    return x


for _name, *_row in _modes:
    family("modes", _name, *_row, r(3, 4))

# -- what is no number ---------------------------------------------------------------------------

_numbers = [
    ("nan_to_num", lambda x: torch.nan_to_num(x), lambda x: x * 1, lambda x: x + 1),
    ("equal_to_itself", lambda x: torch.where(x == x, x, 0), lambda x: x * 1, lambda x: torch.where(x == x, 0, x)),
    ("finite", lambda x: torch.where(torch.isfinite(x), x, 0), lambda x: x * 1, lambda x: x * 0),
    ("guarded_quotient", lambda x: torch.where(x != 0, 1 / torch.where(x != 0, x, 1), 0), lambda x: torch.where(x == 0, 0, 1 / torch.where(x == 0, 1, x)), lambda x: torch.where(x > 0, 1 / torch.where(x > 0, x, 1), 0)),
    ("guarded_logarithm", lambda x: torch.where(x > 0, torch.log(torch.where(x > 0, x, 1)), 0), lambda x: torch.log(torch.where(x > 0, x, 1)), lambda x: torch.log(x.abs() + 1)),
    ("logarithm", lambda x: torch.log(x.exp()), lambda x: x * 1, lambda x: x.abs()),
    ("quotient", lambda x: x / (x * x + 1), lambda x: x * (1 / (x * x + 1)), lambda x: x / (x * x)),
    ("root_of_square", lambda x: torch.sqrt(x * x + 2 * x + 1), lambda x: (x + 1).abs(), lambda x: x + 1),
    ("mean_with_guard", lambda x: x.sum(-1) / max(x.shape[-1], 1), lambda x: x.mean(-1), lambda x: x.sum(-1) / (x.shape[-1] + 1)),
    ("clamped_root", lambda x: torch.sqrt(x.clamp(min=0)), lambda x: torch.sqrt(F.relu(x)), lambda x: torch.sqrt(x.abs())),
]  # fmt: skip
for _name, *_row in _numbers:
    family("numbers", _name, *_row, r(3, 4))

# -- experts and gates ---------------------------------------------------------------------------

_gates = [
    ("mixture", lambda x, g, w: torch.einsum("ne,nej->nj", torch.softmax(g, -1), torch.einsum("ni,eij->nej", x, w)),
     lambda x, g, w: (torch.softmax(g, -1).t()[..., None] * (x @ w)).sum(0),
     lambda x, g, w: (torch.softmax(g, 0).t()[..., None] * (x @ w)).sum(0)),
    ("two_experts", lambda x, g, w: torch.softmax(g, -1)[:, :1] * (x @ w[0]) + torch.softmax(g, -1)[:, 1:] * (x @ w[1]),
     lambda x, g, w: x @ w[1] + torch.sigmoid(g[:, :1] - g[:, 1:]) * (x @ (w[0] - w[1])),
     lambda x, g, w: x @ w[1] + torch.sigmoid(g[:, 1:] - g[:, :1]) * (x @ (w[0] - w[1]))),
    ("hard_gate", lambda x, g, w: torch.where((g[:, :1] > g[:, 1:]), x @ w[0], x @ w[1]),
     lambda x, g, w: (x @ w[0]) * (g[:, :1] > g[:, 1:]) + (x @ w[1]) * (g[:, :1] <= g[:, 1:]),
     lambda x, g, w: (x @ w[0]) * (g[:, :1] > g[:, 1:]) + (x @ w[1]) * (g[:, :1] < g[:, 1:])),
    ("swiglu", lambda x, g, w: F.silu(x @ w[0]) * (x @ w[1]) + g.sum(), lambda x, g, w: (x @ w[0]) * (x @ w[1]) / (1 + torch.exp(-x @ w[0])) + g.sum(),
     lambda x, g, w: F.silu(x @ w[1]) * (x @ w[0]) + g.sum()),
    ("joined_gate", lambda x, g, w: F.glu(x @ torch.cat((w[0], w[1]), 1)) + g.sum(), lambda x, g, w: (x @ w[0]) * torch.sigmoid(x @ w[1]) + g.sum(),
     lambda x, g, w: (x @ w[1]) * torch.sigmoid(x @ w[0]) + g.sum()),
    ("low_rank", lambda x, g, w: x @ (w[0] + w[1] @ w[1].t()) + g.sum(), lambda x, g, w: x @ w[0] + (x @ w[1]) @ w[1].t() + g.sum(),
     lambda x, g, w: x @ w[0] + (x @ w[1]) @ w[1] + g.sum()),
    ("best_expert", lambda x, g, w: torch.where((g.argmax(-1) == 0)[:, None], x @ w[0], x @ w[1]), lambda x, g, w: torch.where(g[:, :1] >= g[:, 1:], x @ w[0], x @ w[1]),
     lambda x, g, w: torch.where(g[:, :1] > g[:, 1:], x @ w[0], x @ w[1])),
]  # fmt: skip
for _name, *_row in _gates:
    family("gates", _name, *_row, r(3, 4), r(3, 2), r(2, 4, 4))

_top = labels(3, classes=4)
family("gates", "top_two", lambda g: torch.topk(g, 2, -1).values.sum(-1), lambda g: torch.sort(g, -1, descending=True).values[:, :2].sum(-1),
       lambda g: torch.topk(g, 2, -1, largest=False).values.sum(-1), r(3, 4))  # fmt: skip
family("gates", "top_one", lambda g: torch.topk(g, 1, -1).values, lambda g: g.amax(-1, True), lambda g: g.amin(-1, True), r(3, 4))
family("gates", "top_threshold", lambda g: torch.where(g >= torch.topk(g, 2, -1).values[:, 1:], g, 0),
       lambda g: g * (g >= torch.topk(g, 2, -1).values[:, -1:]), lambda g: torch.where(g > torch.topk(g, 2, -1).values[:, 1:], g, 0), r(3, 4))  # fmt: skip

# -- maxima and logarithms of sums of what a mask leaves ------------------------------------------


def _by_maximum(x, k):
    s = x.masked_fill(~k, -INF)
    e = torch.exp(s - s.amax(-1, True))
    return e / e.sum(-1, True)


def _by_guarded_maximum(x, k):
    s = x.masked_fill(~k, -INF)
    most = s.amax(-1, True)
    e = torch.exp(s - torch.where(most == -INF, 0, most))
    return e / e.sum(-1, True)


_kept = [
    ("softmax_by_maximum", _by_maximum, lambda x, k: torch.softmax(x.masked_fill(~k, -INF), -1),
     lambda x, k: torch.softmax(x.masked_fill(k, -INF), -1)),
    ("guarded_maximum", _by_maximum, _by_guarded_maximum,
     lambda x, k: torch.softmax(torch.where(k, x, 0), -1)),
    ("relu_of_maximum", lambda x, k: torch.relu(x.masked_fill(~k, -INF).amax(-1)),
     lambda x, k: torch.relu((x * k).amax(-1)), lambda x, k: torch.relu(x).amax(-1)),
    ("logarithm_of_sum", lambda x, k: torch.logsumexp(x.masked_fill(~k, -INF), -1),
     lambda x, k: torch.logsumexp(x.masked_fill(~k, -INF), -1) * 1, lambda x, k: torch.logsumexp(x * k, -1)),
    ("where_infinite", lambda x, k: x.masked_fill(k, -INF), lambda x, k: torch.where(k, -INF, x),
     lambda x, k: x.masked_fill(k, 0)),
    ("infinite_elsewhere", lambda x, k: x.masked_fill(k, -INF), lambda x, k: x.masked_fill(k, -INF) + 0,
     lambda x, k: x.masked_fill(~k, -INF)),
    ("whether_any", lambda x, k: (x.masked_fill(~k, -INF).amax(-1) == -INF) + 0.0, lambda x, k: (~k).all(-1) + 0.0,
     lambda x, k: (~k).any(-1) + 0.0),
]  # fmt: skip
for _name, *_row in _kept:
    family("masked maxima", _name, *_row, r(3, 4), truths(3, 4))

# -- other sizes, transforms, bits ----------------------------------------------------------------

_between = [
    ("bilinear", lambda x: F.interpolate(2 * x, scale_factor=2, mode="bilinear"), lambda x: 2 * F.interpolate(x, scale_factor=2, mode="bilinear"),
     lambda x: 2 * F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True)),
    ("axis_by_axis", lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
     lambda x: F.interpolate(F.interpolate(x, scale_factor=(2, 1), mode="bilinear"), scale_factor=(1, 2), mode="bilinear"),
     lambda x: F.interpolate(x, scale_factor=2)),
    ("of_a_constant", lambda x: F.interpolate(x.mean((2, 3), True), size=(2, 2), mode="bilinear"), lambda x: x.mean((2, 3), True).expand(-1, -1, 2, 2) * 1,
     lambda x: x.sum((2, 3), True).expand(-1, -1, 2, 2) * 1),
]  # fmt: skip
for _name, *_row in _between:
    family("windows", _name, *_row, r(1, 2, 3, 4))

_transforms = [
    ("vmap", lambda x, y: torch.vmap(lambda a, b: (a * b).sum())(x, y), lambda x, y: (x * y).sum(-1), lambda x, y: (x * y).sum(0).expand(3) * 1),
    ("gradient", lambda x, y: torch.func.grad(lambda a: (a**3 * y).sum())(x), lambda x, y: 3 * x * x * y, lambda x, y: 3 * x * x),
    ("vjp", lambda x, y: torch.func.vjp(torch.sigmoid, x)[1](y)[0], lambda x, y: y * torch.sigmoid(x) * (1 - torch.sigmoid(x)),
     lambda x, y: torch.sigmoid(x) * (1 - torch.sigmoid(x))),
    ("jvp", lambda x, y: torch.func.jvp(lambda a: a * a, (x,), (y,))[1], lambda x, y: 2 * x * y, lambda x, y: x * y),
]  # fmt: skip
for _name, *_row in _transforms:
    family("transforms", _name, *_row, r(3, 3), r(3, 3))

_bits = [
    ("or_with_number", lambda i: (i | 8) + 0.0, lambda i: i + 8 - (i // 8 % 2) * 8 + 0.0, lambda i: i + 8.0),
    ("xor_with_number", lambda i: (i ^ 5) + 0.0, lambda i: i + 5 - 2 * (i % 2 + i // 4 % 2 * 4) + 0.0, lambda i: (i | 5) + 0.0),
    ("bits_cleared", lambda i: (i & -8) + 0.0, lambda i: i - i % 8 + 0.0, lambda i: i - torch.fmod(i, 8) + 0.0),
    ("bits_apart_and", lambda i: (i & 5) + 0.0, lambda i: i % 2 + i // 4 % 2 * 4 + 0.0, lambda i: (i & 7) + 0.0),
    ("packed", lambda i: (((i & 3) << 2) | (i >> 2 & 3)) + 0.0, lambda i: i % 4 * 4 + i // 4 % 4 + 0.0, lambda i: i % 4 * 2 + i // 4 % 4 + 0.0),
]  # fmt: skip
for _name, *_row in _bits:
    family("types", _name, *_row, integers(3, 4))
