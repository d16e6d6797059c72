"""The pairs of pairs.py and pairs_more.py, judged: half are equal, half are subtly wrong."""

import sys
import warnings

import assay
import torch
import pairs
import pairs_more

PAIRS = pairs.PAIRS + pairs_more.PAIRS

DIFFER = "; PyTorch's results differ there"
AGREE = "; PyTorch's results AGREE there"


def run_again(verdict):
    """What PyTorch itself gives at the counterexample, in double precision."""
    if verdict.outputs is None:
        return "; PyTorch cannot run both at those sizes"
    given, other = (flattened(outputs) for outputs in verdict.outputs)
    for first, second in zip(given, other, strict=True):
        same_shape = first.shape == second.shape
        if not same_shape or not torch.allclose(
            first, second, rtol=1e-12, atol=1e-13, equal_nan=False
        ):
            return DIFFER
    return AGREE


def flattened(outputs):
    return [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)


def main(names):
    warnings.simplefilter("ignore")
    failed = rerun = 0
    for name, expected, given, other, examples in PAIRS:
        if names and name not in names:
            continue
        verdict = assay.certify(given, other, *examples)
        again = run_again(verdict) if verdict.verdict == "REFUTED" else ""
        fine = verdict.verdict == expected and again != AGREE
        failed += not fine
        print(
            f"{'ok  ' if fine else 'FAIL'} {name}: {verdict.verdict}, expected {expected}{again}",
            flush=True,
        )
        rerun += again == DIFFER
    print(
        f"{len(PAIRS)} pairs, {failed} judged wrongly, {rerun} counterexamples run again in PyTorch"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
