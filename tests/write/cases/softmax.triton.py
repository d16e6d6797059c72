# The tile program `row_softmax` for Triton: what is written is certified, this text is not.
import torch
import triton
import triton.language as tl


@triton.jit
def product_of(a, b):
    return a * b


@triton.jit
def row_softmax_kernel_1(x, y):
    pid0 = tl.program_id(0) * 1 + 0
    xv = tl.load(x + ((pid0 * 5) + tl.arange(0, 8)), mask=(tl.arange(0, 8) < 5), other=0.0)
    m = tl.max(tl.where((~(tl.arange(0, 8) < 5)), tl.sum(tl.where(tl.arange(0, 8) == 0, xv, 0), axis=0), xv), axis=0)
    e = tl.where((~(tl.arange(0, 8) < 5)), 0.0, tl.exp((xv - m)))
    sum_2 = tl.sum(e, axis=0)
    tl.store(y + ((pid0 * 5) + tl.arange(0, 8)), (e / sum_2), mask=(tl.arange(0, 8) < 5))


def row_softmax(x):
    y = torch.empty((15, ), dtype=torch.float32, device=x.device)
    row_softmax_kernel_1[(3,)](x, y, num_warps=4)
    return y
