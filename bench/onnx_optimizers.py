"""What onnxsim, onnxoptimizer and onnxruntime make of models, judged against the models.

usage: onnx_optimizers.py [--shard I/N] [--seconds S] [NAME..]
The models of tests/python/onnx_optimized.py: graphs written by hand, small modules that torch.onnx
exports, and the function bodies of the onnx package's test models.  Each optimizer's result is
judged against what it was made of, and the model with something folded wrongly against the model.
Prints a line a pair and a summary; the exit status says whether a verdict was wrong.
"""

import argparse
import collections
import os
import random
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "python"))
os.environ["AS_LONG"] = "1"

import onnx_optimized as tests  # noqa: E402


def models():
    for name, make in tests.MODELS.items():
        yield name, make()
    for name in tests.EXPORTED:
        yield name, tests.exported(name)
    for name, _, body in tests.bodies():
        yield f"body of {name}", body


def is_changed(given, made):
    """Whether an optimizer did anything but name things otherwise."""
    kinds = [[n.op_type for n in m.graph.node] for m in (given, made)]
    return kinds[0] != kinds[1] or len(given.graph.initializer) != len(made.graph.initializer)


def runs_alike(given, made):
    """Whether onnxruntime gives the same of both for random inputs: optimizers are wrong, too."""
    import onnxruntime

    examples = [x.numpy() for x in tests.assay.from_onnx(given).examples(extent=3)]
    results = []
    for model in (given, made):
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"]
        )
        names = [each.name for each in session.get_inputs()]
        results.append(session.run(None, dict(zip(names, examples))))
    alike = lambda x, y: tests.np.allclose(x, y, rtol=1e-3, atol=1e-4, equal_nan=True)  # noqa: E731
    return all(map(alike, *results))


def pairs(names):
    """(name, by whom, the true verdict, model, other): what is made is equal, but where it runs
    otherwise; what is folded wrongly is not."""
    for name, model in models():
        if names and name not in names:
            continue
        for who, optimizer in tests.OPTIMIZERS.items():
            try:
                made = optimizer(model)
            except Exception as problem:  # noqa: BLE001  (an optimizer's own mistakes)
                yield name, who, f"fails ({str(problem)[:60]})", None, None
                continue
            true = "PROVED" if runs_alike(model, made) else "REFUTED"
            true = true if is_changed(model, made) else "unchanged"
            yield name, who, true, model, made
        wrong = tests.wrongly_folded(model, random.Random(name))
        if wrong is not None:
            true = "PROVED" if runs_alike(model, wrong[0]) else "REFUTED"  # where nothing reads it
            yield name, f"wrong {wrong[1]}", true, model, wrong[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    shard, shards = map(int, options.shard.split("/"))
    counted = collections.Counter()
    for number, (name, who, true, given, made) in enumerate(pairs(options.names)):
        if number % shards != shard:
            continue
        if true not in ("PROVED", "REFUTED"):
            counted["unchanged" if true == "unchanged" else "failed"] += 1
            print(f"      {name}, {who}: {true}", flush=True)
            continue
        begin = time.time()
        word, said = tests.judged(given, made, options.seconds)
        kind = "right" if word == true else "WRONG" if word in ("PROVED", "REFUTED") else "open"
        counted[f"{kind}, is {true}"] += 1
        line = "" if kind == "right" else " ".join(str(said).split())[:200]
        spent = time.time() - begin
        print(f"{kind:5} {name}, {who}: {word}, is {true}, {spent:.1f} s {line}", flush=True)
    print(dict(counted))
    return int(any(kind.startswith("WRONG") for kind in counted))


if __name__ == "__main__":
    sys.exit(main())
