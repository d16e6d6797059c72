"""Models as users of PyTorch write them: blocks of transformers, their parts, and others.

Each row of CASES is a name, and a function that makes a module and the arguments of a call.  Written
from PyTorch's documentation and the papers' formulas; nothing here knows what compiles it.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

HALF = torch.float16


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        h = x.float()
        h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + self.eps)
        return h.to(x.dtype) * self.weight


class SwiGLU(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class MLP(nn.Module):
    def __init__(self, width, hidden, act=F.gelu):
        super().__init__()
        self.up, self.down, self.act = nn.Linear(width, hidden), nn.Linear(hidden, width), act

    def forward(self, x):
        return self.down(self.act(self.up(x)))


def rotate_halves(x, cos, sin):
    """Rotary embedding, the two halves of a head as pairs."""
    a, b = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-b, a), dim=-1) * sin


def rotate_neighbours(x, cos, sin):
    """Rotary embedding, neighbours as pairs."""
    a, b = x[..., ::2], x[..., 1::2]
    cos, sin = cos[..., ::2], sin[..., ::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2)


def angles(rows, width, first=0):
    at = torch.arange(first, first + rows).float()
    rates = 10000 ** (-torch.arange(0, width, 2).float() / width)
    turned = torch.outer(at, rates).repeat(1, 2)
    return turned.cos().to(HALF), turned.sin().to(HALF)


class Attention(nn.Module):
    """Heads split by view and transpose; `shared` heads of queries for each of keys."""

    def __init__(self, width, heads, shared=1, rotate=None, causal=True, bias=False, norm=False):
        super().__init__()
        self.heads, self.groups, self.size = heads, heads // shared, width // heads
        self.q = nn.Linear(width, width, bias=bias)
        self.k = nn.Linear(width, self.groups * self.size, bias=bias)
        self.v = nn.Linear(width, self.groups * self.size, bias=bias)
        self.o = nn.Linear(width, width, bias=bias)
        self.rotate, self.causal = rotate, causal
        self.norms = nn.ModuleList(RMSNorm(self.size) for _ in range(2 if norm else 0))

    def split(self, x, heads):
        return x.view(*x.shape[:-1], heads, self.size).transpose(1, 2)

    def forward(self, x, cos=None, sin=None, cache=None):
        q = self.split(self.q(x), self.heads)
        k, v = self.split(self.k(x), self.groups), self.split(self.v(x), self.groups)
        if self.norms:
            q, k = self.norms[0](q), self.norms[1](k)
        if self.rotate:
            q, k = self.rotate(q, cos, sin), self.rotate(k, cos, sin)
        if cache is not None:
            k, v = torch.cat((cache[0], k), dim=2), torch.cat((cache[1], v), dim=2)
        gqa = self.groups != self.heads
        causal = self.causal and cache is None
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=gqa)
        return self.o(seen.transpose(1, 2).reshape(x.shape))


class Block(nn.Module):
    """Norms before attention and feed-forward, residuals around both."""

    def __init__(self, width, attention, forward, norm=RMSNorm):
        super().__init__()
        self.n1, self.n2 = norm(width), norm(width)
        self.attention, self.feed = attention, forward

    def forward(self, x, *rest):
        x = x + self.attention(self.n1(x), *rest)
        return x + self.feed(self.n2(x))


class PostNorm(Block):
    def forward(self, x, *rest):
        x = self.n1(x + self.attention(x, *rest))
        return self.n2(x + self.feed(x))


class OwnHeads(nn.Module):
    """nn.MultiheadAttention of one tensor."""

    def __init__(self, width, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]


class ByHand(nn.Module):
    """One projection for queries, keys and values; scores, mask and softmax in the open."""

    def __init__(self, width, heads, mask):
        super().__init__()
        self.heads, self.mask = heads, mask
        self.qkv, self.o = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x, *given):
        b, s, d = x.shape
        q, k, v = self.qkv(x).view(b, s, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        weights = torch.softmax(self.mask(scores, *given), dim=-1)
        return self.o((weights @ v).transpose(1, 2).reshape(b, s, d))


def causal_by_comparison(scores):
    at = torch.arange(scores.shape[-1], device=scores.device)
    return scores.masked_fill(at[None, :] > at[:, None], -math.inf)


def causal_by_a_large_number(scores, mask):
    return torch.where(mask, scores, -6e4)


def added(scores, bias):
    return scores + bias


class PackedSDPA(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.o = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        b, s, d = x.shape
        q, k, v = self.qkv(x).view(b, s, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o(seen.transpose(1, 2).reshape(b, s, d))


class Cross(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm, self.heads = nn.LayerNorm(width), heads
        self.q, self.kv = nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.o = nn.Linear(width, width)

    def forward(self, x, memory):
        b, s, d = x.shape
        q = self.q(self.norm(x)).view(b, s, self.heads, -1).transpose(1, 2)
        k, v = self.kv(memory).view(b, memory.shape[1], 2, self.heads, -1).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v)
        return x + self.o(seen.transpose(1, 2).reshape(b, s, d))


class DenseExperts(nn.Module):
    """A mixture of experts of which all are computed and weighted."""

    def __init__(self, width, hidden, experts):
        super().__init__()
        self.router = nn.Linear(width, experts, bias=False)
        self.up = nn.Parameter(torch.randn(experts, width, hidden) / width**0.5)
        self.down = nn.Parameter(torch.randn(experts, hidden, width) / hidden**0.5)

    def forward(self, x):
        shares = torch.softmax(self.router(x), dim=-1)
        h = F.silu(torch.matmul(x.unsqueeze(0), self.up))
        return (torch.matmul(h, self.down) * shares.t().unsqueeze(-1)).sum(0)


class AdaptiveBlock(nn.Module):
    """A block of a diffusion transformer: scales, shifts and gates from a condition."""

    def __init__(self, width, heads):
        super().__init__()
        self.n1 = nn.LayerNorm(width, elementwise_affine=False)
        self.n2 = nn.LayerNorm(width, elementwise_affine=False)
        self.attention = Attention(width, heads, causal=False, bias=True)
        self.feed, self.condition = MLP(width, 4 * width), nn.Linear(width, 6 * width)

    def forward(self, x, c):
        a, b, g, d, e, h = self.condition(F.silu(c)).unsqueeze(1).chunk(6, dim=-1)
        x = x + g * self.attention(self.n1(x) * (1 + a) + b)
        return x + h * self.feed(self.n2(x) * (1 + d) + e)


class MixerBlock(nn.Module):
    def __init__(self, width, tokens):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.over_tokens, self.over_width = MLP(tokens, 2 * tokens), MLP(width, 4 * width)

    def forward(self, x):
        x = x + self.over_tokens(self.n1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.over_width(self.n2(x))


class ConvMixerBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.depth = nn.Conv2d(width, width, 7, groups=width, padding=3)
        self.point = nn.Conv2d(width, width, 1)
        self.n1, self.n2 = nn.BatchNorm2d(width), nn.BatchNorm2d(width)

    def forward(self, x):
        x = x + self.n1(F.gelu(self.depth(x)))
        return self.n2(F.gelu(self.point(x)))


class ConvBlock(nn.Module):
    """A residual block of a diffusion model."""

    def __init__(self, width):
        super().__init__()
        self.n1, self.n2 = nn.GroupNorm(32, width), nn.GroupNorm(32, width)
        self.c1 = nn.Conv2d(width, width, 3, padding=1)
        self.c2 = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x):
        h = self.c1(F.silu(self.n1(x)))
        return x + self.c2(F.silu(self.n2(h)))


class LoRA(nn.Module):
    def __init__(self, width, rank):
        super().__init__()
        self.base = nn.Linear(width, width)
        self.a = nn.Linear(width, rank, bias=False)
        self.b = nn.Linear(rank, width, bias=False)

    def forward(self, x):
        return self.base(x) + 2.0 * self.b(self.a(x))


class Head(nn.Module):
    """The last norm, the products with a vocabulary, and probabilities."""

    def __init__(self, width, words):
        super().__init__()
        self.norm, self.words = RMSNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, x):
        return torch.log_softmax(self.words(self.norm(x)).float(), dim=-1)


def x(*extents):
    return torch.randn(*extents).to(HALF)


def llama(width, hidden, batch, rows, **options):
    heads = width // 128
    options = {"rotate": rotate_halves, **options}
    module = Block(width, Attention(width, heads, **options), SwiGLU(width, hidden))
    return module, (x(batch, rows, width), *angles(rows, 128))


def one_token(width, hidden, batch, cached, **options):
    heads = width // 128
    shared = options.get("shared", 1)
    module = Block(
        width,
        Attention(width, heads, rotate=rotate_halves, **options),
        SwiGLU(width, hidden),
    )
    cache = tuple(x(batch, heads // shared, cached, 128) for _ in range(2))
    return module, (x(batch, 1, width), *angles(1, 128, cached), cache)


def gpt(width, batch, rows):
    return Block(width, OwnHeads(width, width // 64), MLP(width, 4 * width), nn.LayerNorm), (
        x(batch, rows, width),
    )


def encoder(width, batch, rows, **options):
    layer = nn.TransformerEncoderLayer(
        width, width // 64, 4 * width, 0.1, batch_first=True, **options
    )
    return layer, (x(batch, rows, width),)


def decoder(width, batch, rows, memory):
    layer = nn.TransformerDecoderLayer(width, width // 64, 4 * width, 0.1, batch_first=True)
    return layer, (x(batch, rows, width), x(batch, memory, width))


def sequence(*layers):
    return nn.Sequential(*layers)


BLOCKS = {
    "rms rotary swiglu 2048 1x512": lambda: llama(2048, 5632, 1, 512),
    "rms rotary swiglu 4096 8x512": lambda: llama(4096, 11008, 8, 512),
    "rms rotary swiglu 4096 1x1537": lambda: llama(4096, 11008, 1, 1537),
    "one token 2048 cache 511": lambda: one_token(2048, 5632, 1, 511),
    "one token 4096 cache 777": lambda: one_token(4096, 11008, 1, 777),
    "one token 4096 batch 8 cache 1023": lambda: one_token(4096, 11008, 8, 1023),
    "ln mha gelu 2048 8x512": lambda: gpt(2048, 8, 512),
    "ln mha gelu 2048 1x1000": lambda: gpt(2048, 1, 1000),
    "rms swiglu 4096 8 tokens": lambda: (
        sequence(RMSNorm(4096), SwiGLU(4096, 11008)),
        (x(8, 4096),),
    ),
}

PARTS = {
    "mha 2048 8x512": lambda: (OwnHeads(2048, 32), (x(8, 512, 2048),)),
    "rotary attention 4096 8x512": lambda: (
        Attention(4096, 32, rotate=rotate_halves),
        (x(8, 512, 4096), *angles(512, 128)),
    ),
    "rotary attention swiglu 4096 8x512": lambda: (
        Block(
            4096,
            Attention(4096, 32, rotate=rotate_halves),
            SwiGLU(4096, 11008),
            lambda _: nn.Identity(),
        ),
        (x(8, 512, 4096), *angles(512, 128)),
    ),
    "ln linear 2048 to 6144 4096 tokens": lambda: (
        sequence(nn.LayerNorm(2048), nn.Linear(2048, 6144)),
        (x(4096, 2048),),
    ),
    "swiglu 4096 4096 tokens": lambda: (SwiGLU(4096, 11008), (x(4096, 4096),)),
    "linear gelu linear 2048 4096 tokens": lambda: (MLP(2048, 8192), (x(4096, 2048),)),
    "rms linear 4096 16 tokens": lambda: (
        sequence(RMSNorm(4096), nn.Linear(4096, 4096, bias=False)),
        (x(16, 4096),),
    ),
    "packed sdpa 2048 4x300": lambda: (PackedSDPA(2048, 16), (x(4, 300, 2048),)),
    "residual rms 4096 2000 tokens": lambda: (
        sequence(RMSNorm(4096)),
        (x(2000, 4096),),
    ),
    "qk norm attention 2048 2x333": lambda: (
        Attention(2048, 16, rotate=rotate_halves, norm=True),
        (x(2, 333, 2048), *angles(333, 128)),
    ),
}

OTHERS = {
    "encoder post-norm 768 16x197": lambda: encoder(768, 16, 197),
    "encoder pre-norm gelu 1024 4x511": lambda: encoder(
        1024, 4, 511, norm_first=True, activation="gelu"
    ),
    "decoder 512 8x77 memory 100": lambda: decoder(512, 8, 77, 100),
    "cross attention 1024 2x500 memory 77": lambda: (
        Cross(1024, 16),
        (x(2, 500, 1024), x(2, 77, 1024)),
    ),
    "post-norm own 1024 4x250": lambda: (
        PostNorm(1024, Attention(1024, 16, causal=False), MLP(1024, 4096), nn.LayerNorm),
        (x(4, 250, 1024),),
    ),
    "gqa halves 4096 2x700": lambda: llama(4096, 14336, 2, 700, shared=4),
    "gqa neighbours 2048 1x1999": lambda: llama(
        2048, 5632, 1, 1999, shared=4, rotate=rotate_neighbours
    ),
    "gqa one token 4096 cache 2047": lambda: one_token(4096, 14336, 1, 2047, shared=4),
    "neighbours 2048 3x129": lambda: llama(2048, 5632, 3, 129, rotate=rotate_neighbours),
    "one row 2048 1x1": lambda: llama(2048, 5632, 1, 1),
    "dense experts 1024 100 tokens": lambda: (DenseExperts(1024, 2816, 8), (x(100, 1024),)),
    "vit block 768 8x197": lambda: (
        Block(768, Attention(768, 12, causal=False, bias=True), MLP(768, 3072), nn.LayerNorm),
        (x(8, 197, 768),),
    ),
    "adaptive block 1152 2x256": lambda: (AdaptiveBlock(1152, 16), (x(2, 256, 1152), x(2, 1152))),
    "mixer block 512 16x196": lambda: (MixerBlock(512, 196), (x(16, 196, 512),)),
    "convmixer 256 8x32x32": lambda: (ConvMixerBlock(256), (x(8, 256, 32, 32),)),
    "conv block 256 4x32x32": lambda: (ConvBlock(256), (x(4, 256, 32, 32),)),
    "by hand causal 1024 2x200": lambda: (
        ByHand(1024, 16, causal_by_comparison),
        (x(2, 200, 1024),),
    ),
    "by hand large number 1024 2x300": lambda: (
        ByHand(1024, 16, causal_by_a_large_number),
        (x(2, 300, 1024), torch.ones(300, 300).tril().bool()),
    ),
    "by hand bias 768 8x100": lambda: (
        ByHand(768, 12, added),
        (x(8, 100, 768), x(12, 100, 100)),
    ),
    "lora 4096 16 tokens": lambda: (LoRA(4096, 16), (x(16, 4096),)),
    "lora 4096 1000 tokens": lambda: (LoRA(4096, 16), (x(1000, 4096),)),
    "head 2048 to 32000 5 tokens": lambda: (Head(2048, 32000), (x(5, 2048),)),
    "swiglu 4096 1 token": lambda: (SwiGLU(4096, 11008), (x(1, 4096),)),
    "swiglu 2048 77 tokens": lambda: (SwiGLU(2048, 5632), (x(77, 2048),)),
    "gpt 768 16x128": lambda: gpt(768, 16, 128),
    "gpt 1280 1x77": lambda: gpt(1280, 1, 77),
}

CASES = {**BLOCKS, **PARTS, **OTHERS}


def made(name):
    """The module of a case in 16 bits, ready to be called, and the arguments; on the CPU."""
    torch.manual_seed(0)
    module, arguments = CASES[name]()
    return module.to(HALF).eval(), arguments
