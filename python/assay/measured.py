"""Never slower: each part of a compiled program is timed on the GPU that runs it, beside what PyTorch
would do in its place, and stays with PyTorch where that is clearly faster.

A prediction chooses among certified candidates; whether the one chosen is faster than PyTorch's own
kernels only a measurement tells.  It is made when a part first runs, of the very tensors of that
call, and what was found is kept in the cache for that GPU and those versions.  Timed are replays of
CUDA graphs, by turns: the kernels of each way, without what the host does between them.
"""

import hashlib
import json
import os
import statistics
import warnings

import torch

from . import cache

# A part is left for another way that is faster by more than this share, as less is noise, and ours
# may be what a neighbour is best with; a whole for one that is faster at all.
MARGIN = 0.02
MARGIN_OF_WHOLE = 0.002

OURS = "certified"

_ROUNDS = 15
_WARM_UPS = 2
# more than the second-level cache holds
_FLUSHED_BYTES = 128 << 20


class GraphTimer:
    """Microseconds of functions without arguments on the current GPU: medians of replays by turns,
    each after the second-level cache was flushed."""

    def __init__(self, rounds=_ROUNDS):
        self._rounds = rounds

    @property
    def place(self):
        """What times depend on beside the functions."""
        return f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}"

    @property
    def may_measure(self):
        return not torch.cuda.is_current_stream_capturing()

    def times(self, functions):
        replays = [self._captured(function) for function in functions]
        flushed = torch.empty(_FLUSHED_BYTES, dtype=torch.uint8, device="cuda")
        took = [[] for _ in replays]
        for _ in range(self._rounds):
            for replay, each in zip(replays, took):
                begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                flushed.zero_()
                begin.record()
                replay()
                end.record()
                end.synchronize()
                each.append(begin.elapsed_time(end) * 1e3)
        return [statistics.median(each) for each in took]

    @staticmethod
    def _captured(function):
        """A replay of the function's kernels; the function itself where they cannot be captured."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(_WARM_UPS):
                function()
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
                function()
        except RuntimeError:  # it waits for the device, or for data
            torch.cuda.synchronize()
            return function
        return graph.replay


def timer_of(device):
    """The timer of a kind of device; None where times say nothing, as under the emulation."""
    return GraphTimer() if device == "cuda" else None


class Kept:
    """Times that were measured before, a file each."""

    def __init__(self, folder=None):
        self._folder = folder

    def _path(self, name):
        digest = hashlib.sha256("\0".join(name).encode()).hexdigest()[:32]
        return (self._folder or cache.folder() / "measured") / f"{digest}.json"

    def get(self, name):
        """The times of that name, or None where there are none that can be read."""
        try:
            found = json.loads(self._path(name).read_text())
        except (OSError, ValueError):
            return None
        is_one = isinstance(found, dict) and found.get("name") == list(name)
        times = found.get("us") if is_one else None
        if not isinstance(times, dict) or not all(
            isinstance(us, (int, float)) and us > 0 for us in times.values()
        ):
            return None
        return times

    def put(self, name, times):
        path = self._path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            scratch = path.with_suffix(f".{os.getpid()}")
            scratch.write_text(json.dumps({"name": list(name), "us": times}))
            scratch.replace(path)
        except OSError as problem:
            warnings.warn(f"{path}: what was measured is not kept: {problem}")


def fastest(times, margin=MARGIN):
    """The way that is taken: ours, unless another is faster by more than the margin."""
    best = min(times, key=times.get)
    if OURS not in times:
        return best
    return OURS if times[OURS] <= times[best] * (1 + margin) else best


class Contest:
    """Ways to compute the same, of which one is taken once they were timed.

    `ways` are functions that make a function without arguments of the values at hand, by name; ours
    is OURS.  A way that fails to be made or to run is left out, unless it is ours.
    """

    def __init__(self, title, name, ways, timer, kept, tell, margin=MARGIN):
        self._margin = margin
        self.title = title
        self._name = name
        self._ways = ways
        self._timer = timer
        self._kept = kept
        self._tell = tell
        self.times = None

    def decide(self, values):
        """The name of the way that is taken; None where nothing can be measured now."""
        if not self._timer.may_measure:
            return None
        name = (*self._name, self._timer.place, *sorted(self._ways))
        self.times = self._kept.get(name)
        if self.times is None or OURS not in self.times:
            self.times = self._measured(values)
            self._kept.put(name, self.times)
        chosen = fastest(self.times, self._margin)
        self._tell(self.line(chosen))
        return chosen

    def _measured(self, values):
        ready = {}
        for name, way in self._ways.items():
            try:
                function = way(values)
                function()
            except Exception as problem:  # noqa: BLE001  (what a compiler of another raises)
                if name == OURS:
                    raise
                self._tell(f"{self.title}: {name} is not timed: {_first_line(problem)}")
                continue
            ready[name] = function
        return dict(zip(ready, self._timer.times(list(ready.values()))))

    def line(self, chosen):
        said = ", ".join(f"{us:.1f} us {name}" for name, us in self.times.items())
        return f"{self.title}: {said}: {chosen}"


def _first_line(problem):
    return (str(problem).splitlines() or [type(problem).__name__])[0]
