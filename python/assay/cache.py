"""Results kept on disk, under the hash of all that they depend on."""

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import tool


def folder():
    """$ASSAY_CACHE, or a folder in the user's cache."""
    named = os.environ.get("ASSAY_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(named) if named else Path(base) / "assay"


@functools.lru_cache(maxsize=None)
def _tool_hash(path, _changed):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def key(texts, options):
    """The name of a result: program text, specifications, options, and the tool itself."""
    path = tool.find_tool()
    digest = hashlib.sha256()
    for part in [*texts, *options, _tool_hash(path, os.stat(path).st_mtime_ns)]:
        digest.update(part.encode())
        digest.update(b"\0")
    return digest.hexdigest()[:32]


def certified(name, make):
    """The directory of that name; `make(DIRECTORY)` fills one that is not there.

    A directory that is there is checked again before it is used: `assay check` reads the
    certificate anew, so what the cache holds has to be believed no more than anything else.
    Returns (directory, what make returned or None).
    """
    place = folder() / name
    if place.exists():
        again = [tool.find_tool(), "check", "-q", str(place)]
        if subprocess.run(again, capture_output=True, stdin=subprocess.DEVNULL).returncode == 0:
            return place, None
        shutil.rmtree(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".making-", dir=place.parent))
    try:
        result = make(scratch / "result")
        if result.verdict == tool.PROVED:
            try:
                (scratch / "result").rename(place)
            except OSError:
                if not place.exists():  # somebody else made the same meanwhile: as good
                    raise
            return place, result
        return None, result
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
