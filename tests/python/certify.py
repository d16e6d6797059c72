"""The pairs of pairs.py, judged: half are equal, half are subtly wrong."""

import sys
import warnings

import assay
from pairs import PAIRS


def main(names):
    warnings.simplefilter("ignore")
    failed = 0
    for name, expected, given, other, examples in PAIRS:
        if names and name not in names:
            continue
        verdict = assay.certify(given, other, *examples)
        fine = verdict.verdict == expected
        failed += not fine
        print(f"{'ok  ' if fine else 'FAIL'} {name}: {verdict.verdict}, expected {expected}", flush=True)
    print(f"{len(PAIRS)} pairs, {failed} judged wrongly")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
