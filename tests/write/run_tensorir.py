#!/usr/bin/env python3
"""Runs what `assay --to tensorir` has written, by TVM on the CPU.

run_tensorir.py check                       exit status 77 where TVM is not there
run_tensorir.py run FILE OUT NAME=FILE.npy ...   the function of FILE on these arguments; results as
OUT/NAME.npy run_tensorir.py cases FILE LAUNCHES ...     each on the first launch of a kernel of
Triton as LAUNCHES (JSON) has it; compares with the elements
                                        that are recorded there
"""

import importlib.util
import json
import os
import sys

import numpy as np


def load(path):
    spec = importlib.util.spec_from_file_location("written", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return next(value for value in vars(module).values() if type(value).__name__ == "PrimFunc")


def compiled(function):
    import tvm

    return tvm.compile(tvm.IRModule({"main": function}), target="llvm")["main"]


def buffers(function):
    """Names, shapes and types of the arguments, in order."""
    made = []
    for parameter in function.params:
        buffer = getattr(function, "buffer_map", {}).get(
            parameter, parameter
        )  # in later versions the parameter itself
        made.append((str(buffer.name), tuple(int(n) for n in buffer.shape), str(buffer.dtype)))
    return made


def call(function, arrays):
    """Arrays by name, poisoned where none is given; the same after the call."""
    import tvm

    tensors = []
    for name, shape, dtype in buffers(function):
        array = arrays.get(name)
        if array is None:
            array = np.full(shape, -7777 if dtype.startswith("int") else np.nan)
        tensors.append(
            tvm.runtime.tensor(np.array(np.asarray(array).reshape(shape), dtype=dtype, order="C"))
        )
    compiled(function)(*tensors)
    return {name: tensor.numpy() for (name, _, _), tensor in zip(buffers(function), tensors)}


def filled(number, argument):
    """The inputs of a recorded launch: element i of argument a, by the hash that the recording
    names."""
    i = np.arange(argument["size"], dtype=np.uint64)
    mask = np.uint64(0xFFFFFFFF)
    h = (np.uint64(2654435761) * i + np.uint64((2654404609 * (number + 1)) & 0xFFFFFFFF)) & mask
    h ^= h >> np.uint64(15)
    h = (np.uint64(2246822519) * h) & mask
    h ^= h >> np.uint64(13)
    kind = argument.get("fill", "z")
    if kind == "f":
        return (h % np.uint64(4001)).astype(np.float64) / 1000 - 2
    if kind == "p":
        return (h % np.uint64(1000)).astype(np.float64) / 1000 + 0.5
    if kind.startswith("i:"):
        low, high = (int(part) for part in kind.split(":")[1:])
        return low + (h % np.uint64(high - low)).astype(np.int64)
    return np.zeros(argument["size"])


def run_case(path, launches):
    function = load(path)
    case = json.load(open(launches))["cases"][0]
    known = {name.removesuffix("_2"): name for name, _, _ in buffers(function)}
    known.update({name: name for name, _, _ in buffers(function)})
    arrays = {}
    for position, argument in enumerate(case["args"]):
        if argument["kind"] == "ptr" and argument["name"] in known:
            arrays[known[argument["name"]]] = filled(position, argument)
        elif argument["kind"] == "float":
            arrays[argument["name"] + "_given"] = np.asarray(argument["value"])
    results = call(function, arrays)
    compared = 0
    worst = 0.0
    for name, elements in case["probe"].items():
        if name not in known:
            continue
        flat = results[known[name]].reshape(-1)
        for offset, value in elements:
            worst = max(worst, abs(float(flat[offset]) - value) / (1 + abs(value)))
            compared += 1
    return compared, worst


def main():
    if sys.argv[1] == "check":
        try:
            import tvm  # noqa: F401
            from tvm.script import tirx  # noqa: F401
        except ImportError as missing:
            print(f"TVM is not there: {missing}")
            return 77
        return 0
    if sys.argv[1] == "run":
        given = dict(word.split("=", 1) for word in sys.argv[4:])
        results = call(load(sys.argv[2]), {name: np.load(path) for name, path in given.items()})
        for name, array in results.items():
            if name not in given:
                np.save(os.path.join(sys.argv[3], name + ".npy"), array)
        return 0
    different = 0
    for path, launches in zip(sys.argv[2::2], sys.argv[3::2]):
        try:
            compared, worst = run_case(path, launches)
        except Exception as error:  # TVM's, of any kind: the others are to be seen too
            different += 1
            print(
                f"NOT RUN: {os.path.basename(path)}: {type(error).__name__}:"
                f" {str(error).splitlines()[-1][:200]}"
            )
            continue
        fine = compared > 0 and worst < 2e-3
        different += not fine
        print(
            f"{'same' if fine else 'DIFFERS'}: {os.path.basename(path)}: {compared} elements, error"
            f" at most {worst:.2g}"
        )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
