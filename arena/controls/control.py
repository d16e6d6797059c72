#!/usr/bin/env python3
"""Checkers that must fail: run.py has to find out about each of them.

usage: control.py accepts-all | no-side-conditions | no-freshness
                  [--sem PATH].. GIVEN CANDIDATE CERT

The first accepts whatever it is given.  The others are the checker in Python (proofs/second)
without what the rules demand beside their form, or without the demand that a variable is fresh.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'proofs'))

from second import __main__ as second
from second import rules


def ignore(*_):
    """What is asked is not looked at."""


def kept_without_freshness(theorem, removed, _fresh):
    return theorem.given - removed


def main(control, *arguments):
    if control == 'accepts-all':
        return 0
    if control == 'no-side-conditions':
        rules.need = ignore
    elif control == 'no-freshness':
        rules.kept = kept_without_freshness
    else:
        sys.exit(__doc__)
    try:
        return second.main(list(arguments))
    except Exception as problem:  # without its conditions a rule may go wrong in any way
        print(f'rejected: {problem!r}')
        return 1


if __name__ == '__main__':
    sys.exit(second.run_deep(main, *sys.argv[1:]))
