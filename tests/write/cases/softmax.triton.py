# The tile program `row_softmax` for Triton: what is written is certified, this text is not.
import torch
import triton
import triton.language as tl


@triton.jit
def product_of(a, b):
    return a * b


stages_of = {}


def launched(kernel, grid, warps, *arguments):
    for stages in range(stages_of.get(id(kernel), 3), 0, -1):
        try:
            kernel[grid](*arguments, num_warps=warps, num_stages=stages)
            stages_of[id(kernel)] = stages
            return
        except triton.runtime.errors.OutOfResources:
            if stages == 1:
                raise


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
    launched(row_softmax_kernel_1, (3,), 4, x, y)
    return y
