"""Rows of the ONNX table for models as exporters and optimizers write them now: quantised ones,
attention and rotary positions as operators, what is computed of shapes."""

import math
from fractions import Fraction

import torch
import torch.nn.functional as F

from .errors import Unsupported
from .onnx_table import axes_of, axis_of, of_reals, row

for _name, _function in {
    "Ceil": torch.ceil, "Floor": torch.floor, "Cos": torch.cos, "Sin": torch.sin, "Erf": torch.erf,
    "Sign": torch.sign, "Cosh": torch.cosh, "Sinh": torch.sinh, "Round": torch.round,
}.items():  # fmt: skip
    row(_name)(of_reals(_name, _function))


@row("Swish")
def _swish(call, x, alpha=1.0):
    return x * torch.sigmoid(x if alpha == 1 else alpha * x)


@row("Celu")
def _celu(call, x, alpha=1.0):
    return F.celu(x, alpha)


@row("ThresholdedRelu")
def _thresholded(call, x, alpha=1.0):
    return torch.where(x > alpha, x, 0)


@row("PRelu")
def _prelu(call, x, slope):
    return torch.where(x < 0, slope * x, x)


@row("CastLike")
def _cast_like(call, x, like, saturate=1, round_mode="up"):
    return x.to(like.dtype)


@row("Shape")
def _shape(call, x, start=0, end=None):
    return [None]  # the integers are kept beside the tensors (onnx_integers.py)


@row("Size")
def _size(call, x):
    return [None]


@row("ConstantOfShape")
def _constant_of_shape(call, shape, value=None):
    from onnx import numpy_helper

    fill = 0.0 if value is None else numpy_helper.to_array(value).reshape(-1)[0].item()
    dtype = torch.float32 if value is None else torch.from_numpy(numpy_helper.to_array(value)).dtype
    return torch.full(tuple(call.integers(0)), fill, dtype=dtype)


@row("Range")
def _range(call, start, limit, delta):
    begin, end, step = (call.integers(place)[0] for place in range(3))
    return torch.arange(begin, end, step)


@row("Mod")
def _mod(call, x, y, fmod=0):
    return torch.fmod(x, y) if fmod else torch.remainder(x, y)


@row("TopK")
def _largest(call, x, k, axis=-1, largest=1, sorted=1):
    """In their order, of equal ones the first one first."""
    count = call.integers(1)[0]
    values, places = torch.sort(x, stable=True, dim=axis_of(x, axis), descending=bool(largest))
    return values.narrow(axis, 0, count), places.narrow(axis, 0, count)


@row("Tile")
def _tile(call, x, repeats):
    return x.repeat(call.integers(1))


@row("Trilu")
def _trilu(call, x, k=None, upper=1):
    diagonal = call.integers(1, [0])[0]
    return torch.triu(x, diagonal) if upper else torch.tril(x, diagonal)


@row("Einsum")
def _einsum(call, *inputs, equation):
    return torch.einsum(equation, *inputs).to(inputs[0].dtype)


# -- other sizes ---------------------------------------------------------------------------------


@row("Resize")
def _resize(
    call, x, roi=None, scales=None, sizes=None, antialias=0, axes=None,
    coordinate_transformation_mode="half_pixel", cubic_coeff_a=-0.75, exclude_outside=0,
    extrapolation_value=0.0, keep_aspect_ratio_policy="stretch", mode="nearest",
    nearest_mode="round_prefer_floor",
):  # fmt: skip
    """Axis by axis: where an element lies in the tensor is a fraction of integers."""
    if call.version < 11 or antialias or exclude_outside or keep_aspect_ratio_policy != "stretch":
        raise Unsupported("ONNX Resize", "of opset 10, with antialias, or of an aspect that is kept")
    if mode != "nearest" and not x.is_floating_point():
        raise Unsupported("ONNX Resize", f"{mode}, of integers")
    axes = range(x.dim()) if axes is None else [axis_of(x, axis) for axis in axes]
    wanted = call.integers(3) if sizes is not None else call.numbers(2)
    if len(wanted) != len(axes):
        raise Unsupported("ONNX Resize", f"with {len(wanted)} sizes for {len(axes)} axes")
    for axis, each in zip(axes, wanted):
        size = x.shape[axis]
        scale = Fraction(each, size) if sizes is not None else _fraction(each)
        extent = each if sizes is not None else math.floor(size * scale)
        if scale == 1 and extent == size:
            continue
        above, below = _places(coordinate_transformation_mode, size, extent, scale)
        x = _RESIZED[mode](x, axis, above, below, nearest_mode, cubic_coeff_a)
    return x


def _fraction(scale):
    """A scale of 32 bits as the fraction that it was."""
    found = Fraction(scale).limit_denominator(1000)
    if torch.tensor(float(found)).item() != scale or found <= 0:
        raise Unsupported("ONNX Resize", f"by {scale}, which is no small fraction")
    return found


def _places(mode, size, extent, scale):
    """Where the elements of the result lie: the numerators, and the denominator of all."""
    at = torch.arange(extent)
    if mode == "align_corners":
        return (at * (size - 1), extent - 1) if extent > 1 else (at, 1)
    below, above = scale.numerator, scale.denominator
    if mode == "asymmetric":
        return at * above, below
    if mode == "pytorch_half_pixel" and extent == 1:
        return at, 1
    if mode not in ("half_pixel", "pytorch_half_pixel"):
        raise Unsupported("ONNX Resize", f"with coordinates of the mode {mode}")
    return (2 * at + 1) * above - below, 2 * below


def _taken(x, axis, at):
    return x.index_select(axis, at.clamp(0, x.shape[axis] - 1))


# how a fraction is rounded to a place
_ROUNDED = {
    "floor": lambda above, below: above // below,
    "ceil": lambda above, below: (above + (below - 1)) // below,
    "round_prefer_floor": lambda above, below: (2 * above + (below - 1)) // (2 * below),
    "round_prefer_ceil": lambda above, below: (2 * above + below) // (2 * below),
}


def _nearest(x, axis, above, below, nearest_mode, _):
    return _taken(x, axis, _ROUNDED[nearest_mode](above, below))


def _between(x, axis, above, below):
    """The place before, and how far behind it, along that axis."""
    beyond = (above % below).to(x.dtype) / below
    return above // below, beyond.reshape([-1] + [1] * (x.dim() - 1 - axis))


def _linear(x, axis, above, below, *_):
    above = above.clamp(0, (x.shape[axis] - 1) * below)
    before, beyond = _between(x, axis, above, below)
    return _taken(x, axis, before) * (1 - beyond) + _taken(x, axis, before + 1) * beyond


def _cubic(x, axis, above, below, _, a):
    before, t = _between(x, axis, above, below)
    near = lambda d: ((a + 2) * d - (a + 3)) * d * d + 1  # noqa: E731
    far = lambda d: ((a * d - 5 * a) * d + 8 * a) * d - 4 * a  # noqa: E731
    weights = (far(1 + t), near(t), near(1 - t), far(2 - t))
    taps = [_taken(x, axis, before + k) * w for k, w in zip((-1, 0, 1, 2), weights)]
    return taps[0] + taps[1] + taps[2] + taps[3]


_RESIZED = {"nearest": _nearest, "linear": _linear, "cubic": _cubic}


@row("DepthToSpace")
def _depth_to_space(call, x, blocksize, mode="DCR"):
    n, c, h, w = x.shape
    b = blocksize
    if mode == "CRD":
        return F.pixel_shuffle(x, b)
    parts = x.reshape(n, b, b, c // (b * b), h, w).permute(0, 3, 4, 1, 5, 2)
    return parts.reshape(n, c // (b * b), h * b, w * b)


@row("SpaceToDepth")
def _space_to_depth(call, x, blocksize):
    n, c, h, w = x.shape
    b = blocksize
    parts = x.reshape(n, c, h // b, b, w // b, b).permute(0, 3, 5, 1, 2, 4)
    return parts.reshape(n, c * b * b, h // b, w // b)


@row("MeanVarianceNormalization")
def _mean_variance(call, x, axes=(0, 2, 3)):
    axes = axes_of(x, axes)
    centred = x - x.mean(axes, keepdim=True)
    return centred / ((centred * centred).mean(axes, keepdim=True).sqrt() + 1e-9)


@row("LpNormalization")
def _lp_normalization(call, x, axis=-1, p=2):
    axis = axis_of(x, axis)
    norm = x.abs().sum(axis, True) if p == 1 else (x * x).sum(axis, True).sqrt()
    return torch.where(norm == 0, 0, x / torch.where(norm == 0, 1, norm))


# -- quantised models ----------------------------------------------------------------------------


def _along(x, scale, axis, block_size):
    """A scale or a zero point for each element of x, so that it broadcasts."""
    if block_size:
        raise Unsupported("ONNX DequantizeLinear", "with blocks")
    if scale is None or scale.numel() == 1 or scale.dim() != 1:
        return scale if scale is None or scale.dim() != 1 else scale.reshape(())
    return scale.reshape([-1 if k == axis_of(x, axis) else 1 for k in range(x.dim())])


@row("DequantizeLinear")
def _dequantize(call, x, scale, zero=None, axis=1, block_size=0, output_dtype=0):
    if output_dtype:
        raise Unsupported("ONNX DequantizeLinear", "of a type that it names")
    scale, zero = _along(x, scale, axis, block_size), _along(x, zero, axis, block_size)
    x = x.to(torch.int32)
    x = x if zero is None else x - zero.to(torch.int32)
    return x.to(scale.dtype) * scale


@row("QuantizeLinear")
def _quantize(
    call, x, scale, zero=None, axis=1, saturate=1, block_size=0, output_dtype=0, precision=0,
):  # fmt: skip
    dtype = torch.uint8 if zero is None else zero.dtype
    if output_dtype or precision or dtype.is_floating_point:
        raise Unsupported("ONNX QuantizeLinear", "to another type than integers of its zero point")
    scale, zero = _along(x, scale, axis, block_size), _along(x, zero, axis, block_size)
    limits = torch.iinfo(dtype)
    rounded = torch.round(x / scale)
    rounded = rounded if zero is None else rounded + zero.to(x.dtype)
    return torch.clamp(rounded, limits.min, limits.max).to(dtype)


# -- attention -----------------------------------------------------------------------------------


@row("RotaryEmbedding")
def _rotary(
    call, x, cos, sin, at=None, interleaved=0, num_heads=0, rotary_embedding_dim=0,
):  # fmt: skip
    flat = x.dim() == 3
    if flat:
        batch, length, width = x.shape
        x = x.reshape(batch, length, num_heads, width // num_heads)
    else:
        x = x.transpose(1, 2)  # length before heads
    turned = rotary_embedding_dim or x.shape[-1]
    x, rest = x[..., :turned], x[..., turned:]
    cos, sin = (cos[at], sin[at]) if at is not None else (cos, sin)
    cos, sin = cos.unsqueeze(2), sin.unsqueeze(2)
    if interleaved:
        first, second = x[..., 0::2], x[..., 1::2]
    else:
        first, second = x[..., : turned // 2], x[..., turned // 2 :]
    real, imaginary = cos * first - sin * second, sin * first + cos * second
    if interleaved:
        made = torch.stack((real, imaginary), -1).reshape(x.shape)
    else:
        made = torch.cat((real, imaginary), -1)
    made = torch.cat((made, rest), -1)
    return made.reshape(batch, length, width) if flat else made.transpose(1, 2)


def _heads(x, count):
    batch, length, width = x.shape
    return x.reshape(batch, length, count, width // count).transpose(1, 2)


@row("Attention")
def _attention(
    call, q, k, v, mask=None, past_key=None, past_value=None, lengths=None, is_causal=0,
    kv_num_heads=0, q_num_heads=0, qk_matmul_output_mode=0, scale=None, softcap=0.0,
    softmax_precision=None,
):  # fmt: skip
    if past_key is not None or past_value is not None or lengths is not None:
        raise Unsupported("ONNX Attention", "with keys and values of before")
    if len([name for name in call.node.output if name]) > 1:
        raise Unsupported("ONNX Attention", "with more results than one")
    flat = q.dim() == 3
    if flat:
        q, k, v = _heads(q, q_num_heads), _heads(k, kv_num_heads), _heads(v, kv_num_heads)
    groups = q.shape[1] // k.shape[1]
    if groups != 1:
        k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    if not softcap:
        made = F.scaled_dot_product_attention(
            q, k, v, _joined(mask, is_causal, q, k), is_causal=bool(is_causal and mask is None),
            scale=scale,
        )  # fmt: skip
    else:
        scores = softcap * torch.tanh(q @ k.transpose(-1, -2) * scale / softcap)
        kept = _joined(mask, is_causal, q, k, always=True)
        if kept is not None:
            kept = torch.where(kept, 0.0, -math.inf) if kept.dtype == torch.bool else kept
            scores = scores + kept
        made = torch.softmax(scores, -1) @ v
    if flat:
        made = made.transpose(1, 2)
        made = made.reshape(*made.shape[:2], made.shape[2] * made.shape[3])
    return made


def _joined(mask, is_causal, q, k, always=False):
    """The mask of what is kept, joined with that of what lies before."""
    if not is_causal or (mask is None and not always):
        return mask
    before = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()
    if mask is None:
        return before
    if mask.dtype == torch.bool:
        return mask & before
    return torch.where(before, mask, -math.inf)
