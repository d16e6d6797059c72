"""Near misses (near_families.py, near_blocks.py): each function against the same written otherwise
and against a wrong one.  No verdict may be wrong.

usage: near_misses.py [--all] [--shard I/N] [--seconds S] [NAME..]
A few families are judged by default, with --all or AS_LONG=1 all of them.  Prints a line a pair and
a table of borders; the exit status says whether a verdict was wrong.
"""

import argparse
import collections
import os
import sys
import time
import warnings

import torch

import assay
import near_blocks  # noqa: F401  (it adds families)
import near_families

SAMPLE = 40  # of so many families one is judged by default


def judged(given, other, examples, seconds):
    """The verdict's word, and what was said: why there is none, or of which sizes it is."""
    try:
        verdict = assay.certify(given, other, *examples, seconds=seconds)
    except assay.AssayError as problem:
        return "refused", str(problem)
    narrow = verdict.scope != assay.equality.ALL_SIZES
    return verdict.verdict, f"of {verdict.scope}" if narrow else str(verdict.narrowed or "")


def is_right(word, true, said, given, other, examples):
    """Whether a verdict is right, None where nothing is decided.  What is equal at the sizes that
    it names alone, as the examples are, may be PROVED of these."""
    if word not in ("PROVED", "REFUTED"):
        return None
    if (word, true) == ("PROVED", "REFUTED") and said.startswith("of "):
        first, second = (f(*(x.clone() for x in examples)) for f in (given, other))
        return first.shape == second.shape and torch.allclose(first, second, atol=1e-4)
    return word == true


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    every = 1 if options.all or options.names or os.environ.get("AS_LONG") else SAMPLE
    shard, shards = map(int, options.shard.split("/"))
    counted = collections.defaultdict(collections.Counter)
    for place, (border, name, given, right, wrong, examples) in enumerate(near_families.FAMILIES):
        chosen = f"{border}/{name}" in options.names if options.names else place % every == 0
        if not chosen or place // every % shards != shard:
            continue
        for other, true in ((right, "PROVED"), (wrong, "REFUTED")):
            begin = time.time()
            word, said = judged(given, other, examples, options.seconds)
            fine = is_right(word, true, said, given, other, examples)
            counted[border][fine] += 1
            mark = {True: "ok   ", False: "WRONG", None: "open "}[fine]
            line = " ".join(said.split())[:300]
            spent = time.time() - begin
            print(f"{mark} {border}/{name}: {word}, is {true}, {spent:.1f} s {line}", flush=True)
    total = collections.Counter()
    for border, counts in counted.items():
        total.update(counts)
        print(f"{border}: {counts[True]} right, {counts[None]} open, {counts[False]} wrong")
    print(f"{sum(total.values())} pairs: {total[True]} right, {total[None]} open, {total[False]} wrong")
    return int(total[False] > 0)


if __name__ == "__main__":
    sys.exit(main())
