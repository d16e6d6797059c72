"""The `assay` program: where it is, how it is run, what it says."""

import atexit
import functools
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from .errors import ToolError

PROVED, REFUTED, UNKNOWN = "PROVED", "REFUTED", "UNKNOWN"

# seconds beyond its limit in which `assay` has to end: what it has begun by then it ends by itself
GRACE = 60

# exit statuses of the program, as its manual states them
_YES, _NO, _BAD_INPUT, _UNKNOWN, _INTERNAL = range(5)


def find_tool():
    """Path of the `assay` program: $ASSAY, the search path, or a build beside this package."""
    named = os.environ.get("ASSAY")
    if named:
        if not os.path.isfile(named) or not os.access(named, os.X_OK):
            raise ToolError(f"ASSAY={named} is no program that can be run")
        return named
    found = shutil.which("assay")
    if found:
        return found
    top = Path(__file__).resolve().parents[2]
    for build in ("build-quickstart", "build", "build-gcc"):
        candidate = top / build / "assay"
        if os.access(candidate, os.X_OK):
            return str(candidate)
    raise ToolError("the `assay` program is not installed: build it, and set ASSAY to its path")


@dataclass
class Result:
    """What one run said: the verdict, the directory with all evidence, and the report's data."""

    verdict: str
    directory: Path
    output: str
    report: dict = field(default_factory=dict)

    def text(self, name):
        """A file of the result directory, or None where there is none."""
        path = self.directory / name
        return path.read_text() if path.exists() else None

    @property
    def floats(self):
        """What the float test says, in words; None where there was none."""
        return self.report.get("floats", {}).get("words")

    @property
    def trial(self):
        """What is said of the trial of the kernels, in words that begin with `not tried` where there
        was none; None where there are no kernels."""
        return self.report.get("trial", {}).get("words")

    @property
    def certificate(self):
        return self.text("certificate.cert")

    @property
    def mugraph(self):
        return self.text("candidate.mug")

    @property
    def kernel_source(self):
        return self.text("kernel.cu")


def floats_of(directory):
    """What the report of a result directory says of the float test, in words; None: nothing."""
    report = _described(Path(directory) / "report.json") or {}
    return report.get("floats", {}).get("words")


def trial_of(directory):
    """What the report of a result directory says of the trial of its kernels: (were they tried,
    words); None: nothing."""
    report = _described(Path(directory) / "report.json") or {}
    trial = report.get("trial")
    return (trial.get("tried") is True, trial.get("words", "")) if trial else None


def said_by(command, seconds=None):
    """How a run of the program ended, and what it said; ToolError where it cannot be run."""
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL
        )
    except OSError as problem:
        raise ToolError(f"{command[0]} cannot be run: {problem}") from problem


def run(arguments, directory, seconds=600):
    """Runs `assay` with -o DIRECTORY; raises ToolError where it gives no verdict at all."""
    command = [find_tool(), *map(str, arguments), "--force", "-o", str(directory)]
    try:
        done = said_by(command, seconds)
    except subprocess.TimeoutExpired:
        return Result(UNKNOWN, Path(directory), f"no answer in {seconds} s")
    said = done.stdout + done.stderr
    if done.returncode in (_BAD_INPUT, _INTERNAL) or done.returncode not in range(5):
        raise ToolError(f"{' '.join(command)}\nended with status {done.returncode}:\n{said}")
    verdict = {_YES: PROVED, _NO: REFUTED, _UNKNOWN: UNKNOWN}[done.returncode]
    report = _described(Path(directory) / "report.json") or {}
    if verdict != UNKNOWN and report.get("verdict") != verdict:
        raise ToolError(
            f"{' '.join(command)}\nended with status {done.returncode}, and its report does not say"
            f" {verdict}: is it the `assay` program of this package?\n{said}"
        )
    return Result(verdict, Path(directory), said, report)


@functools.cache
def own_folder():
    """A folder of this process alone, for what cannot be kept elsewhere; gone when it ends."""
    folder, owner = Path(tempfile.mkdtemp(prefix="assay-")), os.getpid()

    def remove():
        if os.getpid() == owner:  # and not one that was forked
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


# names of devices: PyTorch's, and the program's own
_DEVICES = {"cpu": "host", "cuda": "cuda"}


# what was built of which kernels, beside a built library
_BUILT = "built.json"


def build(directory, device):
    """Has the library of a result directory built; the folder that holds it.

    One that is there is used if it is the one that was built of these kernels, by their hashes;
    where there is no certificate beside its text (a result that was carried to a machine with a GPU
    and without the program), the CUDA compiler makes it.  It is made elsewhere and then put there,
    as another process may make the same; where nothing can be put there, it is of this process
    alone.
    """
    directory = Path(directory)
    made = directory / f"build-{device}"
    if _is_built(made, directory):
        return made
    if device == "cuda" and made.exists() and not (directory / "certificate.cert").exists():
        interface = _described(made / "interface.json")
        if interface is not None:
            _compile_carried(made / "library.cu", made / interface["library"])
            _record(made, directory)
            return made
    if not os.access(directory, os.W_OK):
        made = own_folder() / f"{directory.name}-{device}"
        if _is_built(made, directory):
            return made
    scratch = Path(tempfile.mkdtemp(prefix=".building-", dir=made.parent))
    try:
        _build(directory, device, scratch / "made")
        _record(scratch / "made", directory)
        return _put(scratch / "made", made, directory)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _hash(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _hashes(made, directory):
    """Of the library, of what describes it, and of the kernels that it is to be made of; None where
    one is not there."""
    interface = _described(made / "interface.json")
    if interface is None:
        return None
    kernels = directory / "kernel.cu"
    kernels = kernels if kernels.exists() else made / "kernel.cu"  # carried: there are no others
    try:
        paths = (made / interface["library"], made / "interface.json", kernels)
        return dict(zip(("library", "interface", "kernels"), map(_hash, paths)))
    except (OSError, KeyError):
        return None


def _record(made, directory):
    (made / _BUILT).write_text(json.dumps(_hashes(made, directory)))


def _is_built(made, directory):
    """Is there a library that was built of the directory's kernels, and nothing else since?"""
    recorded = _described(made / _BUILT)
    return recorded is not None and recorded == _hashes(made, directory)


def _build(directory, device, made):
    command = [
        find_tool(),
        "build",
        str(directory),
        f"--device={_DEVICES[device]}",
        "-o",
        str(made),
    ]
    done = said_by(command)
    if done.returncode != _YES:
        raise ToolError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def _put(new, place, directory):
    """Gives a folder its place, unless another process has put a good one there meanwhile."""
    try:
        new.rename(place)
    except OSError:
        if not _is_built(place, directory):
            shutil.rmtree(place, ignore_errors=True)  # an old or a damaged one
            new.rename(place)
    return place


def _described(path):
    """What a built library says of itself; None where there is none, or a damaged one."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def _compile_carried(source, library):
    architecture = os.environ.get("ASSAY_ARCH", "sm_90a")
    # not -arch=: of a shared library some versions of nvcc make code for the base architecture too
    code = f"-gencode=arch={architecture.replace('sm', 'compute')},code={architecture}"
    command = [os.environ.get("NVCC", "nvcc"), "-std=c++17", "-O3", code]
    command += ["-shared", "-Xcompiler", "-fPIC", "-I", str(source.parents[1])]
    command += [str(source), "-o", str(library)]
    done = said_by(command)
    if done.returncode != 0:
        raise ToolError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
