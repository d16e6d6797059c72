"""bench/rounds.py against a machine whose clock falls while it is used."""

import random
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

import rounds  # noqa: E402

failures = 0


def expect(what, is_so):
    global failures
    if not is_so:
        print(f"FAIL: {what}")
        failures += 1


class Machine:
    """Calls take longer the more have been made, by jumps: what is measured later looks slower."""

    def __init__(self):
        self.calls = []
        self.work = 0.0
        self.flushed = True

    def call(self, seconds):
        expect("the cache is flushed before each call", self.flushed)
        self.flushed = False
        taken = seconds * (1.13 if self.work > 0.1 else 1.0)
        self.work += taken
        self.calls.append(seconds)
        return taken

    def flush(self):
        self.flushed = True


def turns():
    for count in (1, 2, 3, 4):
        orders = list(rounds.turns(count, 2 * count))
        expect("a round has each way once", all(sorted(o) == list(range(count)) for o in orders))
        for place in range(count):
            at = Counter(order[place] for order in orders)
            expect("each way is at each place as often", set(at.values()) == {2})


def falling_clock():
    """Of two ways, 1% apart, the slower one is found to be that, whichever is named first."""
    for ways in ((2.0e-3, 2.02e-3), (2.02e-3, 2.0e-3)):
        machine = Machine()
        times = rounds.timed_in_turns(ways, 60, machine.call, machine.flush)
        expect("as many times as rounds", [len(t) for t in times] == [60, 60])
        ratio = rounds.quotient(*times)
        expect("the quotient is that of one state", abs(ratio - ways[0] / ways[1]) < 1e-3)
        one_after_another = Machine()
        first = [
            one_after_another.call(ways[0]) for _ in range(60) if not one_after_another.flush()
        ]
        then = [one_after_another.call(ways[1]) for _ in range(60) if not one_after_another.flush()]
        wrong = sorted(then)[30] / sorted(first)[30]
        expect("one after another it is not", abs(wrong - ways[1] / ways[0]) > 0.05)


def outliers():
    """A call now and then that takes ten times as long changes nothing."""
    draw = random.Random(1)
    ours = [1.0 * (10 if draw.random() < 0.1 else 1) for _ in range(31)]
    theirs = [1.5 * (10 if draw.random() < 0.1 else 1) for _ in range(31)]
    expect("the median is no outlier", rounds.quotient(theirs, ours) == 1.5)
    try:
        rounds.quotient([1.0], [1.0, 2.0])
        expect("rounds that do not meet are refused", False)
    except ValueError:
        pass


def how_many():
    expect("fast ones", rounds.rounds_for([0.1, 0.1, 0.1], 360) == 30)
    expect("some", rounds.rounds_for([8.0, 8.0, 8.0], 360) == 15)
    expect("at least three", rounds.rounds_for([100.0, 100.0, 100.0], 360) == 3)
    expect("what is slow, once", rounds.rounds_for([10.0, 10.0, 500.0], 360) == 1)


turns()
falling_clock()
outliers()
how_many()
sys.exit(failures > 0)
