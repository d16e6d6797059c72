#!/usr/bin/env python3
"""All checkers on the certificates of result folders: verdicts, and times of assay-check and of the
checker extracted from the proofs in Coq.

usage: bench/checkers.py BUILD FOLDER..

BUILD has assay-check, assay-elab and assay-check-extracted.  A FOLDER is what `assay certify -o`
wrote, of two files or of rules.  Times are processor time with the start, in seconds; assay-check
makes the claim as well, which assay-elab does for the other one, and is not counted there.
"""

import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
SEMANTICS = str(TOP / 'semantics')


def certificates(folder):
    """[(given, candidate, certificate)]"""
    for rules in folder.glob('*.rule'):
        stated = re.findall(r'^rule ([\w.-]+)', rules.read_text(), re.M)
        for certificate in sorted(folder.glob('*.cert')):
            if certificate.stem.removesuffix('.reverse') in stated:
                yield rules, certificate.stem, certificate
    for certificate in folder.glob('certificate.cert'):
        (given,), (candidate,) = folder.glob('program.*'), folder.glob('candidate.*')
        yield given, candidate, certificate


def timed(command, **more):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, check=False, **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done, used


def main(build, *folders):
    build = Path(build).resolve()
    rows, differ = [], 0
    for folder in folders:
        for given, candidate, certificate in certificates(Path(folder)):
            claim_of = [build / 'assay-elab', '--sem', SEMANTICS, given, candidate]
            claim = subprocess.run(claim_of, capture_output=True, check=True).stdout
            first, seconds = timed(
                [build / 'assay-check', '-q', '--sem', SEMANTICS, given, candidate, certificate]
            )
            with tempfile.NamedTemporaryFile() as file:
                file.write(claim)
                file.flush()
                third, others = timed([build / 'assay-check-extracted', file.name, certificate])
            differ += first.returncode != third.returncode
            if first.returncode != third.returncode:
                print(f'{certificate}: {first.returncode}, {third.returncode}')
            rows.append((certificate.stat().st_size, seconds, others, certificate))
    rows.sort()
    print(f'{len(rows)} certificates, {differ} judged otherwise')
    print(f'together: {sum(row[1] for row in rows):.2f} s, {sum(row[2] for row in rows):.2f} s')
    for size, seconds, others, certificate in rows[-12:]:
        print(f'| {certificate.parent.name} | {size} | {seconds:.3f} | {others:.3f} |')
    ratios = sorted(row[2] / max(row[1], 0.005) for row in rows)
    print(f'ratio: median {ratios[len(ratios) // 2]:.2f}, largest {ratios[-1]:.2f}')
    return 1 if differ else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
