# The tile program `prefill_rows` for Triton: what is written is certified, this text is not.
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
def prefill_rows_kernel_1(Q, Kt, V, O):
    x = tl.program_id(0) * 1 + 0
    y2 = tl.program_id(1) * 1 + 0
    q = tl.load(Q + ((x + 0)) * 1024 + (((y2 * 16) + tl.arange(0, 16)[:, None])) * 16 + tl.arange(0, 16)[None, :])
    k_first = tl.load(Kt + ((x + 0)) * 1024 + (tl.arange(0, 16)[:, None]) * 64 + tl.arange(0, 16)[None, :])
    v_first = tl.load(V + ((x + 0)) * 1024 + (tl.arange(0, 16)[:, None]) * 16 + tl.arange(0, 16)[None, :])
    keep_first = tl.where((tl.arange(0, 16)[None, :] <= ((y2 * 16) + tl.arange(0, 16)[:, None])), 1, 0)
    drop_first = tl.where((((y2 * 16) + tl.arange(0, 16)[:, None]) < tl.arange(0, 16)[None, :]), 1, 0)
    s0_first = tl.dot(q[:, :], k_first[:, :])
    t12_first = drop_first[:, :]
    neg = (-2.9999999999999997e+38)
    s_first = tl.where((t12_first[:, :] != 0), neg, s0_first[:, :])
    r_first = tl.max(s_first[:, :], axis=1)
    t15_first = r_first
    d_first = (s_first[:, :] - t15_first[:, None])
    e0_first = tl.exp(d_first[:, :])
    e_first = (e0_first[:, :] * keep_first.to(tl.float32)[:, :])
    t_first = tl.sum(e_first[:, :], axis=1)
    p_first = tl.dot(e_first[:, :], v_first.to(tl.float32)[:, :], input_precision="tf32x3")
    mx = r_first.to(tl.float32)
    z = t_first.to(tl.float32)
    o = p_first.to(tl.float32)
    for l in range(1, 4, 1):
        k_3 = tl.load(Kt + ((x + 0)) * 1024 + (tl.arange(0, 16)[:, None]) * 64 + ((l * 16) + tl.arange(0, 16)[None, :]))
        v = tl.load(V + ((x + 0)) * 1024 + (((l * 16) + tl.arange(0, 16)[:, None])) * 16 + tl.arange(0, 16)[None, :])
        keep = tl.where((((l * 16) + tl.arange(0, 16)[None, :]) <= ((y2 * 16) + tl.arange(0, 16)[:, None])), 1, 0)
        drop = tl.where((((y2 * 16) + tl.arange(0, 16)[:, None]) < ((l * 16) + tl.arange(0, 16)[None, :])), 1, 0)
        s0 = tl.dot(q[:, :], k_3[:, :])
        t12 = drop[:, :]
        neg_2 = (-2.9999999999999997e+38)
        s = tl.where((t12[:, :] != 0), neg_2, s0[:, :])
        r = tl.max(s[:, :], axis=1)
        mx_next = tl.maximum(mx, r)
        t15 = mx_next
        d = (s[:, :] - t15[:, None])
        e0 = tl.exp(d[:, :])
        e = (e0[:, :] * keep.to(tl.float32)[:, :])
        t = tl.sum(e[:, :], axis=1)
        p_5 = tl.dot(e[:, :], v.to(tl.float32)[:, :], input_precision="tf32x3")
        z_next = ((z * tl.exp((mx - mx_next))) + t)
        o_next = ((o[:, :] * tl.exp((mx[:, None] - mx_next[:, None]))) + p_5[:, :])
        next_0 = mx_next
        next_1 = z_next
        next_2 = o_next
        mx = next_0
        z = next_1
        o = next_2
    t21 = z
    y = (o[:, :] / t21[:, None])
    tl.store(O + ((x + 0)) * 1024 + (((y2 * 16) + tl.arange(0, 16)[:, None])) * 16 + tl.arange(0, 16)[None, :], y[:, :])


def prefill_rows(Q, Kt, V):
    O = torch.empty((2, 64, 16, ), dtype=torch.float32, device=Q.device)
    launched(prefill_rows_kernel_1, (2, 4), 4, Q, Kt, V, O)
    return O
