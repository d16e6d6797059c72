"""Kernels that passed a benchmark's tolerance though they compute something else, as pairs.

usage: cheats.py [--page FILE] [NAME..]

Each row is a problem, what was returned in its place, the inputs that the benchmark draws, and the
verdict that the pair must have.  The run says whether the tolerance lets the pair pass, judges it
for all sizes, and runs the counterexample again in PyTorch.  --page writes docs/cheats.md.
"""

import argparse
import sys
import warnings
from dataclasses import dataclass
from typing import Callable

import torch
import torch.nn.functional as F

import assay

TOLERANCE = 1e-2  # absolute and relative, as in the first versions of KernelBench
EQUAL, DIFFERENT = "PROVED", "REFUTED"


@dataclass
class Row:
    name: str
    problem: Callable
    returned: Callable
    inputs: Callable  # what the benchmark draws; rows, where it has many, are fewer
    shapes: list  # examples for the proof: only ranks matter
    expected: str
    where: str  # who published it


ROWS = []


def row(inputs, shapes, expected, where):
    """Adds a row: the decorated function returns (problem, returned), its text says what it is."""

    def add(make):
        problem, returned = make()
        ROWS.append(Row(make.__doc__, problem, returned, inputs, shapes, expected, where))
        return make

    return add


ZEROS = "KernelBench issue 165: zeros pass where the right result is below the tolerance"
FLAWED = "KernelBench issue 116 and pull request 108: problems with a constant or an idle operator"
FIELD = "of a kind that catalogues of such kernels list (input copied, work left out); pair by us"


@row(lambda: [torch.rand(16, 393216)], [(3, 5)], DIFFERENT, ZEROS)
def zeros_as_softmax():
    """zeros for a softmax (level 1, 23)"""
    return lambda x: torch.softmax(x, dim=1), torch.zeros_like


@row(lambda: [torch.rand(16, 65535)], [(3, 5)], DIFFERENT, ZEROS)
def zeros_as_l2_norm():
    """zeros for rows divided by their 2-norm (level 1, 39)"""
    return lambda x: x / torch.norm(x, p=2, dim=1, keepdim=True), torch.zeros_like


@row(lambda: [torch.rand(8, 64, 256, 256)], [(2, 2, 3, 3)], DIFFERENT, ZEROS)
def zeros_as_frobenius_norm():
    """zeros for a tensor divided by its Frobenius norm (level 1, 37)"""
    return lambda x: x / torch.norm(x, p="fro"), torch.zeros_like


@row(lambda: [torch.rand(16, 4096, 1024)], [(2, 3, 4)], DIFFERENT, ZEROS)
def zeros_as_minimum():
    """zeros for the minimum over an axis (level 1, 53)"""
    return lambda x: torch.min(x, dim=1)[0], lambda x: torch.zeros_like(x[:, 0])


@row(lambda: [torch.randn(2, 64, 256, 256)], [(2, 3, 4, 2)], DIFFERENT, FIELD)
def a_copy_as_layer_norm():
    """the input itself for its layer norm (level 1, 40; normal inputs)"""
    return lambda x: F.layer_norm(x, x.shape[1:]), lambda x: x.clone()


@row(lambda: [torch.randn(2, 1 << 20), torch.rand(1 << 20)], [(3, 4), (4,)], DIFFERENT, FIELD)
def mean_not_subtracted():
    """a layer norm without its mean (normal inputs)"""

    def problem(x, weight):
        return F.layer_norm(x, x.shape[-1:], weight)

    def returned(x, weight):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * weight

    return problem, returned


@row(
    lambda: [torch.rand(8, 512), torch.randn(512, 512) / 4096, torch.rand(512)],
    [(2, 3), (3, 4), (4,)],
    DIFFERENT,
    FIELD,
)
def a_product_dropped():
    """the bias alone for a linear layer whose weights are small"""
    return lambda x, w, b: x @ w + b, lambda x, w, b: b.expand(x.shape[0], b.shape[0])


@row(
    lambda: [
        torch.rand(8, 16384),
        (torch.rand(4096, 16384) * 2 - 1) / 128,
        (torch.rand(4096) * 2 - 1) / 128,
    ],
    [(2, 3), (4, 3), (4,)],
    DIFFERENT,
    FIELD,
)
def a_bias_dropped():
    """a linear layer without its bias (16,384 features, PyTorch's initial weights)"""
    return lambda x, w, b: F.linear(x, w, b), lambda x, w, b: F.linear(x, w)


@row(lambda: [torch.randn(64, 4096)], [(3, 4)], DIFFERENT, FIELD)
def an_approximate_gelu():
    """the hyperbolic tangent's GELU for the exact one"""
    return F.gelu, lambda x: F.gelu(x, approximate="tanh")


@row(lambda: [torch.randn(64, 4096)], [(3, 4)], EQUAL, FIELD)
def softmax_without_its_maximum():
    """a softmax that does not subtract the maximum: these are the same real numbers; in
    single precision the exponential overflows from inputs of 89 on, and the theorem does not speak
    of that"""

    def returned(x):
        weights = torch.exp(x)
        return weights / weights.sum(-1, keepdim=True)

    return lambda x: torch.softmax(x, -1), returned


@row(
    lambda: [torch.rand(64, 512), torch.randn(512, 512) / 22, torch.rand(512)],
    [(2, 3), (4, 3), (4,)],
    EQUAL,
    FLAWED,
)
def zeros_after_max_and_mean():
    """zeros for product, maximum, subtraction of the mean, GELU (level 2, 80): the problem itself
    is zero, whatever its inputs"""

    def problem(x, w, b):
        largest = torch.max(F.linear(x, w, b), dim=1, keepdim=True).values
        return F.gelu(largest - largest.mean(dim=1, keepdim=True))

    return problem, lambda x, w, b: torch.zeros_like(x[:, :1])


@row(
    lambda: [torch.rand(64, 512), torch.randn(512, 512) / 22, torch.rand(512)],
    [(2, 3), (4, 3), (4,)],
    EQUAL,
    FLAWED,
)
def idle_reductions():
    """a product and its row sums for product, sum, maximum, mean and two log-sum-exps (level 2,
    18): after the sum each reduction is over one element"""

    def problem(x, w, b):
        total = torch.sum(F.linear(x, w, b), dim=1, keepdim=True)
        total = torch.max(total, dim=1, keepdim=True)[0]
        total = torch.mean(total, dim=1, keepdim=True)
        total = torch.logsumexp(total, dim=1, keepdim=True)
        return torch.logsumexp(total, dim=1, keepdim=True)

    return problem, lambda x, w, b: torch.sum(F.linear(x, w, b), dim=1, keepdim=True)


@row(lambda: [torch.randn(64, 4096)], [(3, 4)], EQUAL, FLAWED)
def zeros_after_minimum_and_clamp():
    """zeros for the minimum with 0, then a clamp to [0, 1] (end of level 2, 83)"""

    def problem(x):
        return torch.clamp(torch.minimum(x, torch.zeros_like(x)), min=0.0, max=1.0)

    return problem, torch.zeros_like


def judge(each):
    """The verdict for all sizes, and whether the benchmark's tolerance lets the pair pass."""
    torch.manual_seed(0)
    verdict = assay.certify(each.problem, each.returned, *[torch.rand(*s) for s in each.shapes])
    drawn = each.inputs()
    right, returned = each.problem(*drawn), each.returned(*drawn)
    passes = torch.allclose(right, returned, atol=TOLERANCE, rtol=TOLERANCE)
    return verdict, passes, (right - returned).abs().max().item()


def counterexample(verdict):
    """Sizes, inputs, and what the two give there by PyTorch in double precision."""
    lines = ["    sizes " + ", ".join(f"{name} = {value}" for name, value in verdict.sizes.items())]
    for name, values in verdict.exact.items():
        lines.append(f"    {name} = {values}".replace("'", ""))
    if verdict.outputs is not None:
        first, second = (output.tolist() for output in verdict.outputs)
        lines += [f"    the problem gives {first}", f"    returned is {second}"]
    return "\n".join(lines)


HEAD = f"""# Wrong kernels that a tolerance lets pass

Made by `python3 tests/python/cheats.py --page docs/cheats.md`; the verdicts are tested. Kernels that were, or could have been, published as fast and correct, each as a pair of PyTorch
functions: the problem, and what was returned in its place. "Passes" is the benchmark's test, elements within {TOLERANCE} absolutely or relatively, on
inputs as the benchmark draws them (fewer rows where rows are independent). The verdict is for all sizes and all real inputs; a counterexample is run again by PyTorch.

What games a clock or a cache (work on another stream, results kept from the call before, memory that happens to hold the reference's result) is no function of the
inputs and cannot be stated as a pair; nothing of the kind is certified, since a kernel that Assay emits is made from the certified graph.
"""


def section(each, verdict, passes, largest):
    title, _, remark = " ".join(each.name.split()).partition(": ")
    said = (
        f"the tolerance lets it pass (largest difference {largest:.1e})"
        if passes
        else (f"the tolerance notices it (largest difference {largest:.1e})")
    )
    text = (
        f"\n## {title[0].upper()}{title[1:]}\n\n{verdict.verdict}; {said}. Source: {each.where}.\n"
    )
    text += f"\n{remark[0].upper()}{remark[1:]}.\n" if remark else ""
    return text + (f"\n{counterexample(verdict)}\n" if verdict.verdict == DIFFERENT else "")


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--page")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    failed, page = 0, HEAD
    for each in ROWS:
        if options.names and not any(name in each.name for name in options.names):
            continue
        verdict, passes, largest = judge(each)
        fine = verdict.verdict == each.expected
        failed += not fine
        print(
            f"{'ok  ' if fine else 'FAIL'} {each.name.split(':')[0]}: {verdict.verdict}, "
            f"expected {each.expected}; {'passes' if passes else 'noticed'} ({largest:.1e})",
            flush=True,
        )
        page += section(each, verdict, passes, largest)
    if options.page and not failed:
        with open(options.page, "w", encoding="utf-8") as out:
            out.write(page)
    print(f"{len(ROWS)} cheats, {failed} judged wrongly")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
