"""Which way a function's own code takes, and what a run of it leaves behind.

A graph is what a function did while torch.export followed it.  Python may do something else then:
it asks whether it is exported, what class a tensor is of, or catches the error of a read that
cannot be followed.  So the instructions that the user's code runs are recorded, once eagerly and
once while it is exported; where the two differ, the graph is of another function.  Code of PyTorch,
of this package and of installed packages is not recorded: of these, values alone are compared
(eager.py).
"""

import random
import sys
import types
from collections import deque

import torch

from .frames import is_not_the_users

# a run of more instructions of the user's own is not followed, and said not to be
MOST_STEPS = 400_000
# how deep, and how far along, values that a run may leave behind are looked through
_DEEPEST = 5
_LONGEST = 500
_MOST_VALUES = 4_000


def is_own(frame):
    """Is it a frame of the user's own code: of a file, an interactive session or `python -c`?"""
    name = frame.f_code.co_filename
    if name.startswith("<"):
        # what PyTorch and others generate from texts is not the main module's
        return frame.f_globals is sys.modules["__main__"].__dict__
    return not is_not_the_users(name) and "-packages" not in name


class Path:
    """The instructions of the user's code that run within it, on this thread.

    `runs` has a list of (code, offset) for each call of the user's code from other code.
    """

    def __init__(self):
        self.runs = []
        self.state = {}  # what the code could reach when it was called, by how it names it
        self._seen = set()
        self._depth = 0
        self._steps = 0
        self._outer = None

    def __enter__(self):
        self._outer = sys.gettrace()
        sys.settrace(self._called)
        return self

    def __exit__(self, *problem):
        sys.settrace(self._outer)

    @property
    def is_whole(self):
        return self._steps <= MOST_STEPS

    def _called(self, frame, event, argument):
        if not is_own(frame):
            return None
        if frame.f_code not in self._seen:
            self._seen.add(frame.f_code)
            self.state |= untraced(_reached, frame)
        if self._depth == 0:
            self.runs.append([])
        self._depth += 1
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._step

    def _step(self, frame, event, argument):
        if event == "opcode":
            self._steps += 1
            if self.is_whole:
                self.runs[-1].append((frame.f_code, frame.f_lasti))
        elif event == "return":
            self._depth -= 1
        return self._step


def untraced(function, *arguments, **keywords):
    """Calls what is not the user's code, without a look at its instructions."""
    outer = sys.gettrace()
    sys.settrace(None)
    try:
        return function(*arguments, **keywords)
    finally:
        sys.settrace(outer)


def first_difference(runs, known):
    """Where `runs` go another way than one of `known`, as `file.py:12`; None where they do not.

    `runs` are those of any number of calls one after another; `known` are the runs of a call each.
    """
    at = 0
    while at < len(runs):
        found = next((k for k in known if k and runs[at : at + len(k)] == k), None)
        if found is None:
            return _where_apart(runs[at], known, runs)
        at += len(found)
    if not runs and any(known):
        return _line(*known[0][0][0])
    return None


def _where_apart(run, known, runs):
    """The line of the last common instruction of a run with the most similar one that is known."""
    best, where = -1, run[0]
    for other in [each for call in known for each in call]:
        common = next(
            (i for i, (x, y) in enumerate(zip(run, other)) if x != y), min(len(run), len(other))
        )
        if common > best:
            best, where = common, run[max(0, min(common, len(run)) - 1)]
    return _line(*where)


def _line(code, offset):
    for begin, end, line in code.co_lines():
        if begin <= offset < end and line is not None:
            return f"{code.co_filename}:{line}"
    return f"{code.co_filename}:{code.co_firstlineno}"


# -- what a run leaves behind --------------------------------------------------------------------


def what_changed(before, after):
    """The first thing that is not as it was, in words; None where all is."""
    return next((said for said, value in before.items() if after.get(said, value) != value), None)


def _reached(frame):
    """The values that code can reach by name and that outlive its call, as they are now."""
    code, found = frame.f_code, {"the state of the module random": hash(random.getstate())}
    outline = lambda value: hash(_Outline().of(value))  # noqa: E731
    for name in code.co_names:
        if name in frame.f_globals:
            found[f"the global {name}"] = outline(frame.f_globals[name])
    for name in code.co_freevars:
        if name in frame.f_locals:
            found[f"{name}, of the function around {code.co_name},"] = outline(frame.f_locals[name])
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        value = frame.f_locals.get(name)
        if isinstance(value, _CONTAINERS):  # it may be the default, which outlives the call
            found[f"{name} of {code.co_name}"] = outline(value)
        elif not isinstance(value, (*_PLAIN, torch.Tensor)):
            kind = type(value)
            found[f"an attribute of {name}, a {kind.__name__},"] = outline(value)
            found[f"an attribute of the class {kind.__name__}"] = outline(kind)
    return found


_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_CONTAINERS = (list, dict, set, deque)
# what of a module's attributes torch.export itself follows
_OF_MODULES = ("_parameters", "_buffers", "_modules")


class _Outline:
    """Values as nested tuples of numbers and texts, so far as they are the user's own data."""

    def __init__(self):
        self._left = _MOST_VALUES

    def of(self, value, depth=_DEEPEST):
        self._left -= 1
        if isinstance(value, _PLAIN):
            return type(value).__name__, repr(value)
        if isinstance(value, torch.Tensor):
            # (an extent that is a symbol has no hash)
            return "tensor", str(tuple(value.shape)), str(value.dtype), _version(value)
        if depth == 0 or self._left < 0:
            return type(value).__name__
        inner = lambda each: self.of(each, depth - 1)  # noqa: E731
        if isinstance(value, dict):
            pairs = list(value.items())[:_LONGEST]
            return len(value), tuple((inner(k), inner(v)) for k, v in pairs)
        if isinstance(value, (list, tuple, deque)):
            return len(value), tuple(map(inner, list(value)[:_LONGEST]))
        if isinstance(value, (set, frozenset)):
            return len(value), tuple(sorted(map(repr, map(inner, list(value)[:_LONGEST]))))
        return self._of_object(value, inner)

    def _of_object(self, value, inner):
        kind = type(value)
        if isinstance(value, torch.nn.Module):
            return tuple((path, self._of_part(part)) for path, part in value.named_modules())
        if isinstance(value, types.GeneratorType):
            frame = value.gi_frame
            return "generator", None if frame is None else (frame.f_lasti, inner(frame.f_locals))
        if isinstance(value, (types.FunctionType, type)):
            if _is_of_packages(value):
                return "function"
            own = {n: v for n, v in vars(value).items() if not n.startswith("__")}
            plain = (*_PLAIN, *_CONTAINERS)
            return tuple((n, inner(v)) for n, v in own.items() if isinstance(v, plain))
        if isinstance(value, types.MethodType):
            return inner(value.__self__)
        if hasattr(kind, "__next__"):
            return kind.__name__, _as_reduced(value)
        if _is_of_packages(kind) or not hasattr(value, "__dict__"):
            return kind.__name__
        return kind.__name__, tuple((n, inner(v)) for n, v in vars(value).items())

    def _of_part(self, part):
        """Attributes of one module: those that are tensors torch.export follows."""
        found = []
        for name, value in vars(part).items():
            skipped = name in _OF_MODULES or name.endswith("_hooks")
            if not skipped and not isinstance(value, torch.Tensor):
                found.append((name, self.of(value, 2)))
        return tuple(found)


def _version(tensor):
    """How often a tensor was written to; what torch.export makes of one has no such count."""
    return None if tensor.is_inference() else tensor._version


def _as_reduced(iterator):
    """Where an iterator stands, so far as it says so."""
    try:
        return repr(iterator.__reduce__()[1:])
    except (TypeError, AttributeError):
        return ""


def _is_of_packages(thing):
    """Is a function or a class of PyTorch, of Python or of an installed package?"""
    module = sys.modules.get(getattr(thing, "__module__", None) or "")
    path = getattr(module, "__file__", None)
    if path is None:
        return module is not sys.modules.get("__main__")
    return is_not_the_users(path) or "-packages" in path
