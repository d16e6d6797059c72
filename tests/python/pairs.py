"""Pairs of PyTorch functions, and whether the second equals the first wherever that is defined.

Half of them are wrong in ways that tests with tolerances let pass.
"""

import torch
import torch.nn.functional as F

EQUAL, DIFFERENT = "PROVED", "REFUTED"
PAIRS = []


def pair(expected, *shapes):
    """Adds a pair: the decorated function returns (given, other)."""

    def add(make):
        given, other = make()
        examples = tuple(torch.rand(*shape) for shape in shapes)
        PAIRS.append((make.__name__, expected, given, other, examples))
        return make

    return add


@pair(EQUAL, (4, 6), (6,), (6, 5))
def rms_norm_after_product():
    def given(x, g, w):
        return (x * torch.rsqrt((x * x).mean(-1, keepdim=True)) * g) @ w

    def other(x, g, w):
        return ((x * g) @ w) / torch.sqrt((x * x).sum(-1, keepdim=True) / x.shape[-1])

    return given, other


@pair(DIFFERENT, (4, 6), (6,), (6, 5))
def rms_norm_sum_for_mean():
    def given(x, g, w):
        return (x * torch.rsqrt((x * x).mean(-1, keepdim=True)) * g) @ w

    def other(x, g, w):
        return ((x * g) @ w) / torch.sqrt((x * x).sum(-1, keepdim=True))

    return given, other


@pair(DIFFERENT, (4, 6))
def epsilon_outside_of_the_root():
    def given(x):
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-2)

    def other(x):
        return x / (torch.sqrt((x * x).mean(-1, keepdim=True)) + 1e-2)

    return given, other


@pair(EQUAL, (4, 6))
def safe_softmax():
    def given(x):
        e = torch.exp(x)
        return e / e.sum(-1, keepdim=True)

    def other(x):
        return torch.softmax(x, dim=-1)

    return given, other


@pair(DIFFERENT, (4, 6))
def softmax_over_the_wrong_axis():
    return lambda x: torch.softmax(x, dim=-1), lambda x: torch.softmax(x, dim=0)


@pair(EQUAL, (4, 6))
def log_softmax_by_logarithm():
    return lambda x: torch.log_softmax(x, dim=-1), lambda x: x - torch.log(
        torch.exp(x).sum(-1, keepdim=True)
    )


@pair(DIFFERENT, (4, 6))
def log_softmax_without_the_sum():
    return lambda x: torch.log_softmax(x, dim=-1), lambda x: x - x.amax(-1, keepdim=True)


def _attention(q, k, v, scale):
    return torch.softmax(q @ k.transpose(-1, -2) * scale, dim=-1) @ v


@pair(EQUAL, (2, 3, 4), (2, 5, 4), (2, 5, 4))
def attention_scaled_early():
    def other(q, k, v):
        return torch.softmax((q * 0.5) @ k.transpose(-1, -2), dim=-1) @ v

    return lambda q, k, v: _attention(q, k, v, 0.5), other


@pair(DIFFERENT, (2, 3, 4), (2, 5, 4), (2, 5, 4))
def attention_without_scale():
    return lambda q, k, v: _attention(q, k, v, 0.5), lambda q, k, v: _attention(q, k, v, 1.0)


@pair(EQUAL, (3, 4), (5, 4), (5, 4))
def attention_divided_last():
    def other(q, k, v):
        weights = torch.exp(q @ k.t())
        return (weights @ v) / weights.sum(-1, keepdim=True)

    return lambda q, k, v: torch.softmax(q @ k.t(), dim=-1) @ v, other


@pair(DIFFERENT, (3, 4), (5, 4), (5, 4))
def attention_normalised_over_queries():
    def other(q, k, v):
        weights = torch.exp(q @ k.t())
        return (weights / weights.sum(0, keepdim=True)) @ v

    return lambda q, k, v: torch.softmax(q @ k.t(), dim=-1) @ v, other


def _causal(scores, shift):
    rows = torch.arange(scores.shape[-2])[:, None]
    columns = torch.arange(scores.shape[-1])[None, :]
    return scores.masked_fill(columns > rows + shift, float("-inf"))


@pair(EQUAL, (4, 4), (4, 3))
def causal_mask_as_a_product():
    def given(s, v):
        return torch.softmax(_causal(s, 0), dim=-1) @ v

    def other(s, v):
        rows = torch.arange(s.shape[-2])[:, None]
        columns = torch.arange(s.shape[-1])[None, :]
        weights = torch.where(columns <= rows, torch.exp(s), 0.0)
        return (weights @ v) / weights.sum(-1, keepdim=True)

    return given, other


@pair(DIFFERENT, (4, 4), (4, 3))
def causal_mask_off_by_one():
    def given(s, v):
        return torch.softmax(_causal(s, 0), dim=-1) @ v

    return given, lambda s, v: torch.softmax(_causal(s, 1), dim=-1) @ v


@pair(EQUAL, (4, 6), (6, 5), (6, 5))
def gated_products_joined():
    def given(x, w, v):
        return F.silu(x @ w) * (x @ v)

    def other(x, w, v):
        gate = x @ w
        return gate * torch.sigmoid(gate) * (x @ v)

    return given, other


@pair(DIFFERENT, (4, 6), (6, 5), (6, 5))
def gate_on_the_wrong_branch():
    return lambda x, w, v: F.silu(x @ w) * (x @ v), lambda x, w, v: (x @ w) * F.silu(x @ v)


@pair(EQUAL, (4, 6), (6, 2), (2, 5), (6, 5))
def lora_reassociated():
    return lambda x, a, b, w: x @ w + (x @ a) @ b, lambda x, a, b, w: x @ (w + a @ b)


@pair(DIFFERENT, (4, 6), (6, 2), (2, 5), (6, 5))
def lora_scaled_twice():
    def other(x, a, b, w):
        return 2 * (x @ (w + a @ b))

    return lambda x, a, b, w: x @ w + 2 * ((x @ a) @ b), other


@pair(EQUAL, (4, 6))
def variance_by_moments():
    def given(x):
        centred = x - x.mean(-1, keepdim=True)
        return (centred * centred).mean(-1)

    return given, lambda x: (x * x).mean(-1) - x.mean(-1) * x.mean(-1)


@pair(DIFFERENT, (4, 6))
def variance_of_a_sample():
    return lambda x: torch.var(x, -1, correction=0), lambda x: torch.var(x, -1, correction=1)


@pair(EQUAL, (4, 6), (6,), (6,))
def layer_norm_by_hand():
    def other(x, g, b):
        centred = x - x.mean(-1, keepdim=True)
        return centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + 1e-5) * g + b

    return lambda x, g, b: F.layer_norm(x, (6,), g, b, 1e-5), other


@pair(DIFFERENT, (4, 6), (6,), (6,))
def layer_norm_with_another_epsilon():
    def given(x, g, b):
        return F.layer_norm(x, (6,), g, b, 1e-5)

    return given, lambda x, g, b: F.layer_norm(x, (6,), g, b, 1e-6)


@pair(DIFFERENT, (4, 6), (6,), (6,))
def a_copy_as_layer_norm():
    return lambda x, g, b: F.layer_norm(x, (6,), g, b), lambda x, g, b: x * 1.0


@pair(DIFFERENT, (4, 6))
def zeros_as_softmax():
    return lambda x: torch.softmax(x, dim=-1), lambda x: torch.zeros_like(x)


def _batch_norm(training):
    def run(x, mean, var, g, b):
        return F.batch_norm(
            x, None if training else mean, None if training else var, g, b, training
        )

    return run


@pair(DIFFERENT, (4, 3, 5), (3,), (3,), (3,), (3,))
def batch_norm_of_training():
    return _batch_norm(False), _batch_norm(True)


@pair(EQUAL, (4, 3), (3,), (3,), (3,), (3,))
def batch_norm_folded():
    def given(x, mean, var, g, b):
        return F.batch_norm(x, mean, var, g, b, False)

    def other(x, mean, var, g, b):
        scale = g * torch.rsqrt(var + 1e-5)
        return x * scale + (b - mean * scale)

    return given, other


@pair(EQUAL, (4, 6), (4, 6))
def relu_of_a_maximum():
    return lambda x, y: torch.relu(torch.maximum(x, y)), lambda x, y: torch.maximum(
        torch.relu(x), torch.relu(y)
    )


@pair(DIFFERENT, (4, 6), (4, 6))
def relu_of_a_sum():
    return lambda x, y: torch.relu(x + y), lambda x, y: torch.relu(x) + torch.relu(y)


@pair(EQUAL, (4, 6), (6, 5))
def product_transposed():
    return lambda x, w: (x @ w).t(), lambda x, w: w.t() @ x.t()


@pair(DIFFERENT, (5, 5), (5, 5))
def product_in_the_other_order():
    return lambda x, w: x @ w, lambda x, w: w @ x


@pair(EQUAL, (4, 6))
def sum_of_a_scaled_row():
    return lambda x: (3 * x).sum(-1), lambda x: 3 * x.sum(-1)


@pair(DIFFERENT, (4, 6))
def mean_over_all_for_rows():
    return lambda x: x - x.mean(-1, keepdim=True), lambda x: x - x.mean()


@pair(DIFFERENT, (4, 4), (4,))
def bias_along_the_other_axis():
    return lambda x, b: x + b, lambda x, b: x + b[:, None]


@pair(EQUAL, (2, 6, 3))
def heads_there_and_back():
    def given(x):
        return x.reshape(x.shape[0], 2, 3, 3).transpose(1, 2).transpose(1, 2).reshape(x.shape)

    return given, lambda x: x + 0


@pair(DIFFERENT, (2, 6, 6))
def heads_split_the_wrong_way():
    def other(x):
        return x.reshape(x.shape[0], 6, 3, 2).transpose(2, 3).reshape(x.shape[0], 6, 6)

    return lambda x: x * 1.0, other


@pair(EQUAL, (4, 6))
def clamp_by_relu():
    return lambda x: torch.clamp(x, 0, 6), lambda x: F.relu(x) - F.relu(x - 6)


@pair(DIFFERENT, (4, 6))
def saturation_forgotten():
    return lambda x: torch.clamp(x, -128, 127), lambda x: x + 0


@pair(EQUAL, (4, 6), (4, 6))
def mean_squared_error():
    return lambda x, y: F.mse_loss(x, y), lambda x, y: (x * x - 2 * x * y + y * y).mean()


@pair(DIFFERENT, (4, 6), (4, 6))
def mean_squared_error_summed():
    return lambda x, y: F.mse_loss(x, y), lambda x, y: F.mse_loss(x, y, reduction="sum")


@pair(EQUAL, (4, 6))
def tanh_by_sigmoid():
    return lambda x: torch.tanh(x), lambda x: 2 * torch.sigmoid(2 * x) - 1


@pair(DIFFERENT, (4, 6))
def gelu_approximated():
    return lambda x: F.gelu(x), lambda x: F.gelu(x, approximate="tanh")


@pair(EQUAL, (3, 4), (5, 4))
def distances_expanded():
    def given(x, y):
        difference = x[:, None, :] - y[None, :, :]
        return (difference * difference).sum(-1)

    def other(x, y):
        return (x * x).sum(-1)[:, None] - 2 * (x @ y.t()) + (y * y).sum(-1)[None, :]

    return given, other


@pair(DIFFERENT, (4, 6))
def leaky_relu_with_another_slope():
    return lambda x: F.leaky_relu(x, 0.01), lambda x: F.leaky_relu(x, 0.001)


@pair(EQUAL, (2, 4, 8), (2, 4, 8), (2, 4, 8))
def causal_attention_by_hand():
    """The scale arrives as 8 ** -0.25 twice on one side, as a divisor 8 ** 0.5 on the other."""

    def given(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    def other(q, k, v):
        later = torch.ones(4, 4, dtype=torch.bool).triu(1)
        scores = (q @ k.transpose(-1, -2) / 8**0.5).masked_fill(later, float("-inf"))
        return torch.softmax(scores, -1) @ v

    return given, other


@pair(DIFFERENT, (2, 4, 8), (2, 4, 8), (2, 4, 8))
def causal_attention_that_does_not_see_itself():
    def given(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    def other(q, k, v):
        later = torch.ones(4, 4, dtype=torch.bool).triu(0)
        later[0, 0] = False
        scores = (q @ k.transpose(-1, -2) / 8**0.5).masked_fill(later, float("-inf"))
        return torch.softmax(scores, -1) @ v

    return given, other


@pair(EQUAL, (4, 8))
def gelu_by_the_error_function():
    return F.gelu, lambda x: x * 0.5 * (1 + torch.erf(x / 2**0.5))


@pair(DIFFERENT, (4, 8))
def gelu_without_the_root():
    return F.gelu, lambda x: x * 0.5 * (1 + torch.erf(x / 2))


@pair(EQUAL, (3, 8))
def gated_linear_unit():
    return lambda x: F.glu(x, -1), lambda x: x[..., :4] * torch.sigmoid(x[..., 4:])


@pair(DIFFERENT, (3, 8))
def gated_linear_unit_by_the_other_half():
    return lambda x: F.glu(x, -1), lambda x: torch.sigmoid(x[..., :4]) * x[..., 4:]


@pair(EQUAL, (3, 4, 5))
def groups_normalised_by_views():
    def other(x):
        grouped = x.reshape(3, 2, -1)
        centred = grouped - grouped.mean(-1, keepdim=True)
        return (centred / torch.sqrt(grouped.var(-1, keepdim=True, unbiased=False) + 1e-5)).reshape(
            x.shape
        )

    return lambda x: F.group_norm(x, 2), other


@pair(DIFFERENT, (4, 5, 8), (2, 6, 8))
def keys_tiled_where_they_are_repeated():
    return (
        lambda q, k: q @ k.repeat_interleave(2, dim=0).transpose(-1, -2),
        lambda q, k: q @ k.repeat(2, 1, 1).transpose(-1, -2),
    )


@pair(EQUAL, (2, 3, 4, 4))
def average_pool_of_strided_views():
    def other(x):
        even, odd = x[:, :, 0::2], x[:, :, 1::2]
        return (even[..., 0::2] + even[..., 1::2] + odd[..., 0::2] + odd[..., 1::2]) / 4

    return lambda x: F.avg_pool2d(x, 2), other


@pair(EQUAL, (5, 6), (6, 5))
def trace_of_a_product():
    return lambda a, b: torch.trace(a @ b), lambda a, b: (a * b.t()).sum()


@pair(DIFFERENT, (4, 4), (4, 4))
def product_of_the_transposed():
    """Only where both are square have the results the same shape."""
    return lambda a, b: (a @ b).t(), lambda a, b: a.t() @ b.t()


@pair(DIFFERENT, (4, 6), (4, 6))
def rest_with_the_sign_of_the_other():
    return torch.remainder, torch.fmod


@pair(EQUAL, (4, 6))
def exponential_unit():
    return lambda x: F.elu(x), lambda x: torch.where(x > 0, x, torch.exp(x) - 1)


@pair(DIFFERENT, (4, 6), (5, 6))
def results_of_other_shapes():
    return lambda x, y: x @ y.t(), lambda x, y: y @ x.t()


# what is divided into halves, pairs and blocks: claims of all sizes that are multiples


def first_half(x):
    return x[:, : x.shape[1] // 2]


def second_half(x):
    return x[:, x.shape[1] // 2 :]


def mean_of_halves(x):
    return x.view(x.shape[0], 2, -1).mean(-1)


@pair(EQUAL, (2, 8))
def halves_averaged():
    def other(x):
        return torch.stack([first_half(x).mean(-1), second_half(x).mean(-1)], -1)

    return mean_of_halves, other


@pair(DIFFERENT, (2, 8))
def halves_exchanged():
    def other(x):
        return torch.stack([second_half(x).mean(-1), first_half(x).mean(-1)], -1)

    return mean_of_halves, other


@pair(EQUAL, (2, 3, 8))
def neighbours_averaged():
    return lambda x: F.avg_pool1d(x, 2), lambda x: x.unflatten(-1, (-1, 2)).mean(-1)


@pair(DIFFERENT, (2, 3, 8))
def elements_of_two_halves_averaged():
    return lambda x: F.avg_pool1d(x, 2), lambda x: x.unflatten(-1, (2, -1)).mean(-2)


def shuffled(order):
    def pixels(x):
        return x.unflatten(1, (-1, 2, 2)).permute(order).flatten(2, 3).flatten(-2)

    return pixels


@pair(EQUAL, (1, 8, 3, 2))
def pixels_shuffled():
    return lambda x: F.pixel_shuffle(x, 2), shuffled((0, 1, 4, 2, 5, 3))


@pair(DIFFERENT, (1, 8, 3, 2))
def pixels_shuffled_with_rows_for_columns():
    return lambda x: F.pixel_shuffle(x, 2), shuffled((0, 1, 4, 3, 5, 2))


@pair(EQUAL, (3, 4), (3, 5), (2, 4, 5))
def bilinear_form():
    return F.bilinear, lambda x, y, w: torch.einsum("bi,oij,bj->bo", x, w, y)


@pair(DIFFERENT, (3, 4), (3, 4), (2, 4, 4))
def bilinear_form_transposed():
    return F.bilinear, lambda x, y, w: torch.einsum("bi,oji,bj->bo", x, w, y)


@pair(EQUAL, (2, 8))
def rolled():
    return lambda x: torch.roll(x, 1, -1), lambda x: torch.cat([x[:, -1:], x[:, :-1]], -1)


@pair(DIFFERENT, (2, 8))
def rolled_the_other_way():
    return lambda x: torch.roll(x, 1, -1), lambda x: torch.cat([x[:, 1:], x[:, :1]], -1)


@pair(EQUAL, (3, 8))
def gated_unit():
    return F.glu, lambda x: first_half(x) / (1 + torch.exp(-second_half(x)))


@pair(DIFFERENT, (3, 8))
def gated_unit_with_the_gate_first():
    return F.glu, lambda x: second_half(x) * torch.sigmoid(first_half(x))


# statistics


@pair(EQUAL, (3, 4), (3,))
def logarithm_of_shifted_exponentials():
    return (
        lambda x, c: torch.logsumexp(x + c[:, None], -1),
        lambda x, c: torch.logsumexp(x, -1) + c,
    )


@pair(DIFFERENT, (3, 4))
def logarithm_of_scaled_exponentials():
    return lambda x: torch.logsumexp(2 * x, -1), lambda x: 2 * torch.logsumexp(x, -1)


def squared_distances(x, y):
    return ((x[:, None] - y[None]) ** 2).sum(-1)


def squares(x):
    return (x * x).sum(-1)


@pair(EQUAL, (3, 4), (5, 4))
def distances_by_a_product():
    return squared_distances, lambda x, y: squares(x)[:, None] - 2 * x @ y.t() + squares(y)[None]


@pair(DIFFERENT, (3, 4), (5, 4))
def distances_by_half_a_product():
    return squared_distances, lambda x, y: squares(x)[:, None] - x @ y.t() + squares(y)[None]


def entropy_of_rows(x):
    return -(F.softmax(x, -1) * F.log_softmax(x, -1)).sum(-1)


@pair(EQUAL, (3, 4))
def entropy():
    return entropy_of_rows, lambda x: torch.logsumexp(x, -1) - (F.softmax(x, -1) * x).sum(-1)


@pair(DIFFERENT, (3, 4))
def entropy_with_the_mean():
    return entropy_of_rows, lambda x: torch.logsumexp(x, -1) - x.mean(-1)
