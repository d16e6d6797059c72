"""Results kept on disk, under the hash of all that they depend on."""

import concurrent.futures
import functools
import hashlib
import json
import os
import shutil
import stat
import tempfile
import threading
import time
import warnings
from pathlib import Path

from . import tool
from .errors import ToolError


def folder():
    """$ASSAY_CACHE, or a folder in the user's cache."""
    named = os.environ.get("ASSAY_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(named) if named else Path(base) / "assay"


@functools.lru_cache(maxsize=None)
def _tool_hash(path, _changed):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _tool_hash_now():
    path = tool.find_tool()
    return _tool_hash(path, os.stat(path).st_mtime_ns)


def key(request):
    """The name of a result: a hash of all that it depends on."""
    return hashlib.sha256(json.dumps(request).encode()).hexdigest()[:32]


# of a result's directory: the program that was asked for, and the parts of its name
_PROGRAM, _REQUEST = "program.tp", "request.json"


def certified(text, request, make):
    """The directory of a result for a program's text; `make(DIRECTORY)` fills one that is not
    there.  `request` has all else that the result depends on, as texts.

    A directory that is there is checked before it is used: that it was made for this request and
    is about this program, and by `assay check`, which reads the certificate anew, so what the cache
    holds has to be believed no more than anything else.
    Returns (directory, what make returned or None).
    """
    request = [said(text), *request, _tool_hash_now()]
    name = key(request)
    place = _folder_to_use() / name
    if place.exists():
        again = [tool.find_tool(), "check", "-q", str(place)]
        if _is_of(place, request) and tool.said_by(again).returncode == 0:
            return place, None
        shutil.rmtree(place, ignore_errors=True)
    try:
        return _kept(_folder_to_write() / name, request, make)
    except OSError as problem:
        raise ToolError(f"nothing can be kept: {problem}") from problem


def _is_of(place, request):
    """Is it the result of this request: by what it says of itself, and by its program?"""
    try:
        recorded = json.loads((place / _REQUEST).read_text())
        program = (place / _PROGRAM).read_text()
    except (OSError, ValueError):
        return False
    return not place.is_symlink() and recorded == request and said(program) == request[0]


def _folder_to_use():
    """The cache, or where others can write to it, a folder of this process alone."""
    try:
        folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        who = who_else_writes(folder())
        if who:
            raise PermissionError(f"{who} can write to {folder()}: chmod go-w")
        return folder()
    except OSError as problem:
        _warn_once(f"the cache is not used: {problem}")
        return tool.own_folder()


def _folder_to_write():
    """The same, or where nothing can be written there, a folder of this process alone."""
    try:
        with tempfile.TemporaryFile(dir=_folder_to_use()):
            return _folder_to_use()
    except OSError as problem:
        _warn_once(f"the cache cannot be written: {problem}")
        return tool.own_folder()


def who_else_writes(path):
    """Who beside this user and root can put files into a folder; None where nobody can."""
    path = path.resolve()
    for each in (path, *path.parents):
        status = os.stat(each)
        if status.st_uid not in (os.geteuid(), 0):
            return f"the user {status.st_uid}"
        if status.st_mode & 0o022 and (each == path or not status.st_mode & stat.S_ISVTX):
            return "a group" if not status.st_mode & 0o002 else "everybody"
    return None


@functools.cache
def _warn_once(problem):
    warnings.warn(f"results are kept for this process alone: {problem}")


def _kept(place, request, make):
    scratch = Path(tempfile.mkdtemp(prefix=".making-", dir=place.parent))
    try:
        result = make(scratch / "result")
        if result.verdict == tool.PROVED:
            (scratch / "result" / _REQUEST).write_text(json.dumps(request))
            try:
                (scratch / "result").rename(place)
            except OSError:
                if not _is_of(place, request):  # else somebody made the same meanwhile: as good
                    raise
            return place, result
        return None, result
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def said(text):
    """What a program says, without its comments: they name files of the machine it was made on."""
    return "\n".join(line for line in text.splitlines() if not line.startswith("#"))


def workers():
    """How many searches are under way at a time: one a processor that this process may use."""
    return max(1, len(os.sched_getaffinity(0)))


def side_by_side(function, things):
    """function(thing) of each, in their order; several at a time, as what takes long is a program's
    work.  The first that raises ends it."""
    with concurrent.futures.ThreadPoolExecutor(workers()) as pool:
        under_way = [pool.submit(function, thing) for thing in things]
        try:
            return [each.result() for each in under_way]
        finally:
            for each in under_way:
                each.cancel()


class Once:
    """What is made once for each name, by the first that asks; others wait for that."""

    def __init__(self):
        self._made = {}
        self._lock = threading.Lock()

    def get(self, name, make):
        """make() of the first call with that name: its result, or its error again."""
        with self._lock:
            is_first = name not in self._made
            found = self._made.setdefault(name, concurrent.futures.Future())
        if is_first:
            try:
                found.set_result(make())
            except BaseException as problem:
                found.set_exception(problem)
        return found.result()


class Shares:
    """The seconds of a search, divided among islands that are searched side by side: what one does
    not take is for the others."""

    def __init__(self, seconds, islands):
        self._until = time.monotonic() + seconds
        self._islands = islands
        self._lock = threading.Lock()

    def next(self):
        """Seconds for the next island, at least one."""
        with self._lock:
            left = self._until - time.monotonic()
            together = min(workers(), max(1, self._islands))
            share = left * together / max(1, self._islands)
            self._islands -= 1
        return max(1, round(share))


class Search:
    """Results made by `assay optimize`, kept on disk."""

    def __init__(
        self,
        specifications,
        seconds,
        target=None,
        library="never",
        rounded="",
        fast_floats=False,
    ):
        """`specifications` is a file of operators; `target` a GPU, as --arch takes it; `library`
        says whether a matrix product alone may be a call, as --library takes it; `rounded` names
        operators, as --tf32 takes them; `fast_floats` turns the float test off."""
        self.specifications = specifications
        self.seconds = seconds
        self.target = target
        self.library = library
        self.rounded = rounded
        self.fast_floats = fast_floats
        self._found = Once()  # of programs of this run, for islands that say the same

    def find(self, text, seconds=None):
        """The directory of a certified result for a program's text; ToolError where there is none.

        `seconds` may be less than those of all islands.  It is no part of the name: what was found
        in less time is as good.  Islands that say the same share the first one's result, or its
        error; several threads may ask at a time.
        """
        make = functools.partial(self._certified, text, seconds or self.seconds)
        return self._found.get(said(text), make)

    def _certified(self, text, seconds):
        options = [str(self.seconds), self.target or "", self.library, self.rounded]
        options += ["fast-floats"] if self.fast_floats else []
        request = [self.specifications.read_text(), *options]
        make = functools.partial(self._optimize, text, seconds)
        directory, result = certified(text, request, make)
        if directory is None:
            lines = [line for line in result.output.splitlines() if line.strip()]
            first = [line for line in lines if line.startswith("assay: ")] or lines[-1:]
            raise ToolError(f"no certified candidate: {first[0] if first else 'no reason given'}")
        return directory

    def _optimize(self, text, seconds, directory):
        folder = directory.parent
        (folder / self.specifications.name).write_text(self.specifications.read_text())
        program = folder / "program.tp"
        program.write_text(text)
        limit = f"--seconds={seconds}"
        arguments = ["optimize", program, limit, "--solvers=none", "-q"]
        arguments.append(f"--library={self.library}")
        if self.fast_floats:
            arguments.append("--fast-floats")
        if self.target:
            arguments.append(f"--arch={self.target}")
        if self.rounded:
            arguments.append(f"--tf32={self.rounded}")
        return tool.run(arguments, directory, seconds + tool.GRACE)


class Carried:
    """Results that were made elsewhere, for a machine without the `assay` program."""

    def __init__(self, folder):
        self.folder = Path(folder)

    @staticmethod
    def name(text):
        return hashlib.sha256(said(text).encode()).hexdigest()[:24]

    def find(self, text, seconds=None):
        place = self.folder / self.name(text)
        if not place.is_dir():
            raise ToolError("no certified candidate was carried here")
        return place
