#!/usr/bin/env python3
"""inputs.py PROGRAM.tp FOLDER: random inputs of a program at its sizes, as FOLDER/NAME.npy; prints
NAME=FILE for each."""

import os
import re
import sys

import numpy as np

text = open(sys.argv[1]).read()
sizes = {
    name: int(value)
    for name, value in re.findall(
        r"(\w+)(?: >= \d+)? = (\d+)", " ".join(re.findall(r"^sizes (.*)$", text, re.M))
    )
}
os.makedirs(sys.argv[2], exist_ok=True)
random = np.random.default_rng(1)
for name, kind, dims in re.findall(r"^input (\w+): (\w+)\[([^]]*)\]", text, re.M):
    shape = [eval(part, {}, sizes) for part in dims.split(",") if part.strip()]
    path = os.path.join(sys.argv[2], name + ".npy")
    np.save(
        path,
        (random.standard_normal(shape) / 4).astype(np.float16 if kind == "f16" else np.float32),
    )
    print(f"{name}={path}")
