"""What triton_device.py takes to a machine with a GPU, made without one."""

import glob
import json
import os
import re
import shutil
import subprocess

from commands import optimize

HERE = os.path.dirname(os.path.abspath(__file__))


def quiet(command, **more):
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)


def no_compilers():
    return {**os.environ, "NVCC": "/bin/false", "CXX": "/bin/false"}


def work_folder(out, name):
    os.makedirs(os.path.join(out, "work"), exist_ok=True)
    return os.path.join(out, "work", name)


def prepare_written(assay, out):
    os.makedirs(os.path.join(out, "written"), exist_ok=True)
    os.makedirs(os.path.join(out, "ours"), exist_ok=True)
    for given in sorted(glob.glob(os.path.join(HERE, "table", "*.tp"))):
        name = os.path.basename(given)[:-3]
        graph = given[:-3] + ".mug"
        path = os.path.join(out, "written", name + ".py")
        said = quiet(
            [
                assay,
                "certify",
                "-q",
                "--require=check",
                "--solvers=none",
                "--to",
                "triton",
                given,
                graph,
                path,
            ]
        )
        if said.returncode:
            print(f"{name}: not written: {said.stderr.strip()[-200:]}")
        work = work_folder(out, name)
        os.makedirs(work)
        quiet([assay, "bench", given, graph, "-o", work], env=no_compilers())
        text = os.path.join(work, "bench", "kernel.cu")
        if os.path.exists(text):
            shutil.copy(text, os.path.join(out, "ours", name + ".cu"))
        else:
            print(f"{name}: not lowered")
    shutil.rmtree(os.path.join(out, "work"), ignore_errors=True)


def launches(folder):
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.json"), recursive=True)):
        if os.path.exists(path[:-4] + "ttir"):
            with open(path) as f:
                yield path[:-4] + "ttir", json.load(f)


def prepare_improved(assay, folder, out):
    kept = 0
    for kernel, about in launches(folder):
        name = os.path.basename(kernel)[:-5]
        work = work_folder(out, name)
        try:
            said = quiet(
                optimize(assay, kernel, work, "--from", "triton", "-q"),
                timeout=120,
            )
        except subprocess.TimeoutExpired:
            print(f"{name}: not in 120 s")
            continue
        if said.returncode:
            continue
        to = os.path.join(out, "improved", name)
        os.makedirs(to, exist_ok=True)
        for before, after in (("original.ttir", "before.ttir"), ("improved.ttir", "after.ttir")):
            shutil.copy(os.path.join(work, before), os.path.join(to, after))
        case = about["cases"][0]
        with open(kernel) as f:
            taken = re.findall(
                r"%(\w+): ",
                re.search(r"tt\.func public @\w+\((.*?)\)( attributes)? *\{", f.read(), re.S).group(
                    1
                ),
            )
        # an integer that was 1 when the kernel was compiled is not there, but counts where inputs
        # are recorded
        given = [{**a, "position": i} for i, a in enumerate(case["args"]) if a["name"] in taken]
        assert [a["name"] for a in given] == taken, kernel
        with open(os.path.join(to, "launch.json"), "w") as f:
            json.dump(
                {
                    "grid": case["grid"],
                    "args": given,
                    "num_warps": about.get("num_warps") or 4,
                    "whole": case.get("pids") is None,
                    "probe": case.get("probe", {}),
                },
                f,
            )
        kept += 1
    shutil.rmtree(os.path.join(out, "work"), ignore_errors=True)
    print(f"{kept} improved kernels")


def elements(about):
    return sum(a.get("size", 0) for a in about["cases"][0]["args"] if a["kind"] == "ptr")


def keep_general(work, to):
    os.makedirs(to, exist_ok=True)
    for file in ("main.cu", "kernel.cu", "reference.inc", "shapes.inc"):
        path = os.path.join(work, "bench", file)
        if os.path.exists(path):
            shutil.copy(path, to)


def prepare_general(assay, folder, out, most):
    """Of the kernels that are certified (against themselves), `most` from small to large."""
    sized = sorted(
        (elements(about), kernel) for kernel, about in launches(folder) if elements(about) < 4e6
    )
    wanted = (
        [sized[i * (len(sized) - 1) // max(1, most - 1)][1] for i in range(most)] if sized else []
    )
    made = 0
    for kernel in sorted(set(wanted)):
        name = os.path.basename(kernel)[:-5]
        work = work_folder(out, name)
        launch = ["--launch", kernel[:-4] + "json:0"]
        try:
            said = quiet([assay, "lift", kernel, *launch], timeout=60)
            text = os.path.join(out, name + ".tile")
            with open(text, "w") as f:
                f.write(said.stdout)
            if said.returncode == 0:
                said = quiet(
                    [
                        assay,
                        "certify",
                        "-q",
                        "--require=check",
                        "--solvers=none",
                        "-o",
                        work,
                        text,
                        text,
                    ],
                    timeout=60,
                )
            os.remove(text)
        except subprocess.TimeoutExpired:
            print(f"{name}: not certified in 60 s")
            continue
        if said.returncode:
            print(f"{name}: not certified: {said.stderr.strip()[-160:]}")
            continue
        quiet([assay, "bench", work], env=no_compilers())
        keep_general(work, os.path.join(out, "general", name))
        made += 1
    shutil.rmtree(os.path.join(out, "work"), ignore_errors=True)
    print(f"{made} tile programs lowered by themselves")


def prepare_saturated(assay, out):
    """Of the blocks of bench/blocks what saturation certifies, where it is lowered by itself."""
    for given in sorted(glob.glob(os.path.join(HERE, "blocks", "*.tp"))):
        name = "saturated_" + os.path.basename(given)[:-3]
        work = work_folder(out, name)
        said = quiet(optimize(assay, given, work, "--search=saturate", "-q"))
        if said.returncode:
            print(f"{name}: {said.stderr.strip()[-160:]}")
            continue
        quiet([assay, "bench", work], env=no_compilers())
        keep_general(work, os.path.join(out, "general", name))
    shutil.rmtree(os.path.join(out, "work"), ignore_errors=True)


def prepare(assay, folder, out, most):
    os.makedirs(out, exist_ok=True)
    for file in (
        "triton_device.py",
        "triton_prepare.py",
        "triton_tables.py",
        "table.py",
        "rounds.py",
        "commands.py",
    ):
        shutil.copy(os.path.join(HERE, file), out)
    prepare_written(assay, out)
    prepare_improved(assay, folder, out)
    prepare_general(assay, folder, out, most)
    prepare_saturated(assay, out)
