"""Ways to compute the same thing, timed round by round, so that all see one state of the machine.

A GPU under load lowers its clock (products of float32 by an eighth, on an H200), and does so
whoever is measured then: ways that are timed one after another are compared with what the others
left.  Here each round calls each way once, another one first each time, and two ways are compared
by the median of the quotients of their times within a round.
"""

import statistics


def turns(count, rounds):
    """For each round the order of the ways, of which each is at each place equally often."""
    for first in range(rounds):
        yield [(first + i) % count for i in range(count)]


def rounds_for(about, budget, least=3, most=30):
    """How many rounds of calls that take `about` so long each fit a budget; `least` of them, unless
    one call alone takes more than its share of it."""
    fits = int(budget / max(sum(about), 1e-9))
    slow = max(about) > budget / len(about)
    return max(1 if slow else least, min(most, fits))


def timed_in_turns(ways, rounds, clock, before=None):
    """Times of each way, one a round, in the order of the rounds.  `clock(way)` calls it and gives
    its time; `before()` is what comes in front of each call and is not timed."""
    times = [[] for _ in ways]
    for order in turns(len(ways), rounds):
        for at in order:
            if before:
                before()
            times[at].append(clock(ways[at]))
    return times


def quotient(theirs, ours):
    """How many times as long as ours theirs takes: the median over rounds."""
    return statistics.median(t / o for t, o in zip(theirs, ours, strict=True))
