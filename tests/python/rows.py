"""Each row of the operator table against PyTorch: programs that use it, run under the emulation.

usage: rows.py [NAME..]    prints a line a program; the exit status says whether all agree.
The programs are grouped, so that few kernels are compiled; every row of the table must be used by
one of them, or be named below among those that always refuse.
"""

import sys
import warnings

import torch
import torch.nn.functional as F

import assay
from assay.exporting import export
from assay.islands import Island, divide
from assay.table import ROWS

CASES = {}

# rows that exist to refuse with a reason, or that kernels are not made of (claims are)
REFUSING = {
    "aten.topk.default",
    "assay.lstm.default",
    "assay.gru.default",
    "assay.rnn_tanh.default",
    "assay.rnn_relu.default",
    "aten.sort.default",
    "aten.sort.stable",
    "aten.nonzero.default",
    "aten.rand.default",
    "aten.randn.default",
    "aten.native_dropout.default",
    "aten.bernoulli.p",
    "aten.pow.Tensor_Tensor",
    "aten.isinf.default",
    "aten.nan_to_num.default",
}
# rows that core ATen decompositions replace by others before the table is asked; they serve graphs
# that come from elsewhere
DECOMPOSED = {
    "aten.add.Scalar",
    "aten.sub.Scalar",
    "aten.div.Scalar",
    "aten.div.Tensor_mode",
    "aten.silu.default",
    "aten.square.default",
    "aten.detach.default",
    "aten.contiguous.default",
    "aten.lift_fresh_copy.default",
    "aten.dropout.default",
    "aten.reshape.default",
    "aten._unsafe_view.default",
    "aten.transpose.int",
    "aten.t.default",
    "aten.squeeze.dim",
    "aten.zeros.default",
    "aten.ones.default",
    "aten.zeros_like.default",
    "aten.ones_like.default",
    "aten.masked_fill.Scalar",
    "aten.addmv.default",
    "aten.mv.default",
    "aten.dot.default",
    "aten.mean.default",
    "aten.sum.default",
    "aten.bitwise_not.default",
    "aten.any.dims",
    "aten.all.dim",
    "aten.all.default",
    "aten.any.default",
    "aten.isnan.default",
    "aten.alias.default",
    "aten.avg_pool1d.default",
    "aten.bitwise_or.Tensor",
    "aten.bitwise_left_shift.Tensor_Scalar",
    "aten.bitwise_right_shift.Tensor_Scalar",
    "assay.attention.default",  # in attention.py beside this file
    "aten.bitwise_and.Tensor",
    "aten.index_select.default",
    "aten.linalg_vector_norm.default",
    "aten.var.dim",
    "aten.fill.Scalar",
    "aten.div.Scalar_mode",
    "aten.select_scatter.default",
    "aten.adaptive_avg_pool1d.default",
    "aten._fused_rms_norm.default",
    *(
        f"aten.{how}_pad{axes}d.default"
        for how in ("reflection", "replication")
        for axes in (1, 2, 3)
    ),
}


def case(*shapes):
    def add(function):
        torch.manual_seed(len(CASES))
        CASES[function.__name__] = (function, tuple(torch.randn(*s) for s in shapes))
        return function

    return add


@case((3, 4), (3, 4))
def arithmetic(x, y):
    return (
        (x + y) * 2 - x / (y * y + 1),
        torch.add(x, y, alpha=3),
        torch.sub(x, y, alpha=2),
        1 / (x * x + 2),
    )


@case((3, 4), (2, 3, 2, 2))
def norms(x, y):
    vector = torch.linalg.vector_norm
    return (
        vector(x) * 1,
        vector(x, dim=1, keepdim=True) * 1,
        vector(x, 1, dim=0) * 1,
        vector(y, float("inf"), dim=(1, 2)) * 1,
        vector(y, -float("inf")) * 1,
    )


@case((1, 2, 4, 4, 4))
def adaptive_pools(x):
    # of one element PyTorch makes a mean and reads its memory with other axes (as_strided)
    return (
        F.adaptive_avg_pool3d(x, 2),
        F.adaptive_avg_pool1d(x[0, 0, 0], 2),
        F.adaptive_avg_pool1d(x[0, 0], 1),
        (x[0, 0] * 2).as_strided((4, 1, 4, 4), (1, 1, 16, 4)) * 1,
    )


@case((3, 4), (3, 5), (2, 4, 5), (2,))
def bilinear(x, y, weight, bias):
    return F.bilinear(x, y, weight, bias), F.bilinear(x, y, weight)


@case((130, 129, 2))
def few_elements_of_many(x):
    return (
        (x * x).mean(),
        (x - 1).sum((0, 1, 2), keepdim=True),
        x.amax((0, 1, 2)),
        F.layer_norm(x[None], (130, 129, 2)),
    )


@case((3, 4))
def unary(x):
    p = x * x + 0.5
    return (
        F.relu(x),
        torch.sigmoid(x),
        torch.tanh(x),
        torch.exp(x),
        torch.log(p),
        abs(x),
        torch.sqrt(p),
        torch.rsqrt(p),
        -x,
        F.silu(x),
        F.gelu(x),
        F.gelu(x, approximate="tanh"),
        torch.log1p(p),
        torch.expm1(x),
        torch.reciprocal(p),
    )


@case((3, 4))
def powers_and_kinks(x):
    return (
        x**2,
        x**3,
        (x * x + 1) ** 0.5,
        (x * x + 1) ** -0.5,
        (x * x + 1) ** -2,
        F.leaky_relu(x, 0.1),
        F.elu(x),
        torch.clamp(x, -0.5, 0.5),
        torch.clamp(x, min=0.25),
        F.hardtanh(x),
        F.relu6(x),
    )


@case((3, 4))
def by_formula(x):
    small = x / (1 + x * x)
    return (
        torch.floor(x),
        torch.ceil(x),
        torch.trunc(x),
        torch.round(x * 4),
        torch.sign(x),
        torch.sin(x),
        torch.cos(x),
        torch.tan(small),
        torch.sinh(x),
        torch.cosh(x),
        torch.asinh(x),
        torch.acosh(x * x + 1.5),
        torch.atanh(small),
        torch.erf(x),
        torch.log2(x * x + 1),
        torch.log10(x * x + 1),
        torch.exp2(x),
    )


@case((3, 4), (3, 4))
def quotients_and_rests(x, y):
    d = y * y + 0.5
    return (
        torch.remainder(x, d),
        torch.remainder(x, -0.75),
        torch.fmod(x, d),
        torch.fmod(x, 0.75),
        torch.div(x, d, rounding_mode="floor"),
        torch.div(x, 0.3, rounding_mode="trunc"),
        x // d,
        1.5**x,
    )


@case((3, 4), (3, 4))
def truths(x, y):
    a, b = x > 0, y > 0
    return (
        (a ^ b).float(),
        torch.logical_xor(a, y).float(),
        (a & True).float(),
        (b | False).float(),
        torch.logical_not(x).float(),
        torch.logical_and(a, y).float(),
        (a ^ True).float(),
    )


@case((3, 4), (3, 4))
def comparisons(x, y):
    a = (x > y).float() + (x < 0.5).float() * 2 + (x >= y).float() * 4 + (x <= 0).float() * 8
    b = torch.where((x > 0) & (y > 0), x, y) + torch.where((x > 0) | (y > 0), 1.0, 0.0)
    c = torch.where(~(x > 0), x, torch.zeros_like(x)) + (x == y * 1).float() + (x != y).float()
    c = c + (x >= 0.25).float() + (x < y).float() * 2 + torch.logical_or(x > 0, y > 0).float() * 4
    c = c + torch.clamp(x, min=y)
    return a, b, c, torch.maximum(x, y), torch.minimum(x, y), (x > 0).any(-1).float()


@case((2, 3, 4))
def reductions(x):
    return (
        x.sum(),
        x.sum(1),
        x.mean((0, 2)),
        x.mean(-1, keepdim=True),
        x.amax(1),
        x.amin((0, 1)),
        x.max(2)[0],
        x.min(0)[0],
        x.var(-1),
        x.var(1, correction=0),
        x.cumsum(1),
        x.cumprod(2),
    )


@case((2, 3, 4), (2, 3, 4))
def layouts(x, y):
    return (
        x.permute(2, 0, 1) * 1,
        x.reshape(6, 4) * 1,
        x.reshape(2, 12).t() * 1,
        x[:, 1:3] * 1,
        x[:, -1] * 1,
        x.unsqueeze(1).expand(2, 5, 3, 4) * 1,
        torch.cat([x, y], 1) * 1,
        torch.flip(x, (1,)) * 1,
        torch.split(x, [1, 2], 1)[1] * 1,
        x[:1].squeeze(0) * 1,
        F.pad(x, (1, 2, 0, 1)) * 1,
        torch.arange(2, 8, 2, dtype=torch.float32) * 1,
        torch.full((2, 2), 3.0) * 1,
        torch.full_like(x, 2.0) * 1,
    )


@case((2, 3, 4), (2, 2, 4), (2, 4))
def parts_and_copies(x, u, v):
    square = x[:, :, :3]
    updated = x.clone()
    updated[:, 1:] = u
    updated[:, 0] = v
    return (
        x.repeat(2, 1, 3) * 1,
        x[0, :1].repeat(4, 2) * 1,
        torch.diagonal(square, dim1=1, dim2=2) * 1,
        x[:, ::2, 1::2] * 1,
        torch.diagonal(x, 1, 1, 2) * 1,
        torch.diagonal(x, -1, 1, 2) * 1,
        updated * 1,
        x[:, -2:] * 1,
        x.prod(1),
        x.prod(),
        torch.trace(square[0]),
        torch.zeros_like(x).fill_(2.5) * x,
        x.var((1, 2)),
        x.repeat_interleave(2, 1) * 1,
    )


@case((1, 2, 4, 5))
def continued(x):
    return (
        F.pad(x, (2, 1, 1, 3), mode="reflect") * 1,
        F.pad(x, (2, 1, 0, 3), mode="replicate") * 1,
        F.interpolate(x, scale_factor=2) * 1,
        F.adaptive_avg_pool2d(x, (2, 5)),
        F.pad(x[0], (1, 2), mode="reflect") * 1,
        F.pad(x[0], (1, 2), mode="replicate") * 1,
    )


@case((1, 2, 5), (1, 2, 2, 3, 2))
def neighbours(x, y):
    return F.interpolate(x, scale_factor=2) + 1, F.interpolate(y, scale_factor=(2, 1, 3)) * 2


@case((5, 3), (4, 3))
def distances(x, y):
    return torch.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist"), torch.cdist(x, y, p=1)


@case((2, 3, 4), (2, 4, 5), (4, 5), (5,))
def products(x, y, w, b):
    return (
        x @ y,
        F.linear(x, w.t(), b),
        x[0] @ w,
        torch.addmm(b, x[0], w, alpha=2, beta=3),
        x[0] @ w[:, 0],
    )


@case((2, 3, 4))
def softmaxes(x):
    keep = torch.arange(4)[None, None, :] <= torch.arange(3)[None, :, None]
    masked = x.masked_fill(~keep, float("-inf"))
    return (
        torch.softmax(x, 1),
        torch.log_softmax(x, -1),
        torch.softmax(masked, -1),
        torch.log_softmax(masked, -1).exp(),
    )


@case((2, 4, 4), (2, 6))
def made_masks(x, y):
    above = torch.full((4, 4), float("-inf")).triu(1)
    both = torch.where(x > 0, x.masked_fill(x > 1, float("-inf")), above)
    return (
        torch.softmax(x + above, -1),
        torch.exp(both),
        torch.relu(both),
        torch.tanh(both),
        torch.sigmoid(both),
        y.unfold(1, 2, 2) * 1,
    )


@case((2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 4))
def attention(q, k, v):
    among = q[..., :1] > k[..., 0].unsqueeze(-2)
    return (
        F.scaled_dot_product_attention(q, k, v),
        F.scaled_dot_product_attention(q, k[:, :, :3], v[:, :, :3], is_causal=True),
        F.scaled_dot_product_attention(q, k, v, among),
        torch.ops.aten.mul.Scalar(q, 0.5),
    )


@case((2, 4, 3), (3,), (3,), (4,), (4,))
def normalisations(x, g, b, h, c):
    mean, variance = c * 0.5, h * h + 0.5
    return (
        F.layer_norm(x, (3,), g, b),
        F.layer_norm(x, (4, 3)),
        F.group_norm(x, 2, h, c),
        F.batch_norm(x, mean, variance, h, c),
        F.batch_norm(x, None, None, h, c, True),
        F.instance_norm(x),
    )


@case((2, 4, 7), (6, 2, 3), (6,), (4, 3, 3))
def convolutions_1d(x, f, b, g):
    return (
        F.conv1d(x, f, b, stride=2, padding=1, groups=2),
        F.conv_transpose1d(x, g, stride=2, padding=1),
        F.avg_pool1d(x, 3, 2, 1),
        F.max_pool1d(x, 3, 2, 1),
    )


@case((1, 2, 6, 5), (4, 2, 3, 2), (4,), (2, 2, 3, 3))
def convolutions_2d(x, f, b, g):
    return (
        F.conv2d(x, f, b, padding=1, dilation=(2, 1)),
        F.conv2d(x, f, stride=2),
        F.conv_transpose2d(x, g, stride=2, padding=1, output_padding=1, groups=2),
    )


@case((1, 2, 4, 5, 4), (3, 2, 2, 3, 2), (2, 2, 2, 2, 2))
def convolutions_3d(x, f, g):
    return (
        F.conv3d(x, f, stride=(1, 2, 1), padding=1),
        F.conv_transpose3d(x, g, stride=2, padding=1),
        F.avg_pool3d(x, 2),
        F.max_pool3d(x, 3, 2, 1),
    )


@case((1, 2, 7, 6))
def pools(x):
    return (
        F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        F.max_pool2d(x, 3, 2, 1),
        F.max_pool2d(x, (2, 3), (1, 2), dilation=(2, 1)),
        F.avg_pool2d(x, 3, 2, 1),
        F.adaptive_avg_pool2d(x, 1),
    )


def positions(x, labels, table, words):
    picked = torch.gather(x, 1, labels[:, None])
    return (
        picked * 1,
        F.embedding(words, table) * 1,
        F.cross_entropy(x, labels),
        x.argmax(1).float() * 1,
        x.argmin(0, keepdim=True).float() * 1,
        x.argmax().float() * 1,
        table[words] * 1,
        x[:, words % 5] * 1,
        x[torch.arange(4), labels] * 1,
        table[-1 - words] * 1,
        x.index_select(1, labels) * 1,
        F.one_hot(labels, 5).float() * 1,
        x[(torch.arange(4) - 3) % 4] * 1,
        x[torch.arange(4) // 2] * 1,
        torch.scatter(x, 1, labels[:, None], 2.0) * 1,
        torch.scatter_add(x, 1, labels[:, None], x[:, 1:2]) * 1,
    )


CASES["positions"] = (
    positions,
    (
        torch.randn(4, 5),
        torch.tensor([1, 4, 0, 2]),
        torch.randn(6, 3),
        torch.tensor([[5, 0], [2, 2]]),
    ),
)


def writes(x, at, one, order, values):
    """Writes at positions that are data: several that differ, one alone, one of each row, from the
    end."""
    several, alone, added = x.clone(), x.clone(), x.clone()
    several[:, at] = values
    alone[:, :, one] = values[:, 0, :1, None]
    added = added.index_add(1, at, values)
    added.index_put_((at - 5,), x[:2] * 2, accumulate=True)  # from the end
    return several * 1, alone * 1, added * 1, torch.scatter(x, 1, order, values * 3) * 1


CASES["writes"] = (
    writes,
    (
        torch.randn(3, 5, 4),
        torch.tensor([4, 2]),
        torch.tensor([3]),
        torch.tensor([[[0, 1, 2, 3], [1, 0, 4, 4]]] * 3),
        torch.randn(3, 2, 4),
    ),
)


@case((1, 2, 3, 4), (1, 2, 3), (1, 1, 2, 3, 2), (3, 4))
def between(x, y, z, rows):
    return (
        F.interpolate(x, scale_factor=2, mode="bilinear") * 1,
        F.interpolate(x, size=(5, 7), mode="bilinear", align_corners=True) * 1,
        F.interpolate(y, size=5, mode="linear") * 1,
        F.interpolate(z, scale_factor=2, mode="trilinear") * 1,
        torch.logsumexp(rows, -1),
        torch.logsumexp(rows, (0, 1), keepdim=True),
        F.pad(rows, (1, 2), value=3.0),
    )


def bits(i, u):
    kept = u.int()
    return i | 8, i ^ 5, i & -8, i << 2, ((kept & 15) << 4) | (kept >> 4)


CASES["bits"] = (bits, (torch.arange(-6, 6).reshape(3, 4), torch.arange(12).to(torch.uint8) * 21))


def whole_products(a, b):
    return torch._int_mm(a, b) + 1


CASES["whole_products"] = (
    whole_products,
    (torch.ones(32, 16, dtype=torch.int8), torch.full((16, 8), -3, dtype=torch.int8)),
)


def largest_difference(wanted, got):
    """Over the tensors of both, relative to what is wanted."""
    worst = 0.0
    for a, b in zip(wanted, got):
        if a.shape != b.shape or a.dtype != b.dtype:
            return float("inf")
        scale = max(1.0, float(a.abs().max())) if a.numel() else 1.0
        worst = max(
            worst, float((a.double() - b.double()).abs().max()) / scale if a.numel() else 0.0
        )
    return worst


def used_rows(function, examples):
    graph = export(function, examples, fixed=True).graph_module.graph
    pieces, _ = divide(graph, least_work=1)
    return {str(n.target) for piece in pieces if isinstance(piece, Island) for n in piece.nodes}


def main(names):
    warnings.simplefilter("ignore")
    failed = 0
    used = set()
    for name, (function, examples) in CASES.items():
        if names and name not in names:
            continue
        fast = assay.compile(function, *examples, quiet=True, least_work=1, seconds=2)
        wanted, got = function(*examples), fast(*examples)
        worst = largest_difference(wanted, got)
        used |= used_rows(function, examples)
        # checks of data are PyTorch's
        stays = [each for each in fast.left if not each[0].startswith("aten._assert")]
        fine = worst < 1e-4 and not stays
        failed += not fine
        left = "; ".join(f"{target}: {reason}" for target, reason, _ in stays)
        print(
            f"{'ok  ' if fine else 'FAIL'} {name}: {len(fast.parts)} parts, difference {worst:.1e}"
            f" {left}",
            flush=True,
        )
    unused = set(ROWS) - used - REFUSING - DECOMPOSED if not names else set()
    if unused:
        print("FAIL rows without a program:", *sorted(unused))
    return 1 if failed or unused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
