#!/usr/bin/env python3
"""A conformance suite for checkers of certificates: small cases, each named after the trap that it
sets.

usage: run.py FOLDER-OF-THE-STANDARD-LIBRARY CHECKER [ARGUMENT..]

A case is a file NAME.trap: parts that begin with a line `=== FILE`.  The given program is given.tp,
given.tile or given.rule, the candidate candidate.mug, candidate.tp, candidate.tile or the name in
the part `candidate`; the certificate is proof.cert; the part `outcome` is what a checker must make
of them: accept, reject, or refuse (bad input).  The checker is run as `CHECKER --sem PATH GIVEN
CANDIDATE CERTIFICATE`, with own.sem as a second --sem where there is one, and answers by its exit
status: 0, 1 or 2.  A part that begins with `@repeat N ` in a line stands for the rest of that line
N times, `@digits N ` for it followed by N sevens.
"""

import os, subprocess, sys, tempfile

STATUS = {'accept': 0, 'reject': 1, 'refuse': 2}


def grown(line):
    if line.startswith('@repeat '):
        _, times, rest = line.split(' ', 2)
        return rest * int(times)
    return line


def parts_of(path):
    parts, name = {}, None
    for line in open(path, encoding='ascii'):
        if line.startswith('=== '):
            name = line[4:].strip()
            parts[name] = []
        else:
            parts[name].append(grown(line))
    return {name: ''.join(lines) for name, lines in parts.items()}


def status_of(parts, library, checker, folder):
    for name, text in parts.items():
        if '.' in name:
            with open(os.path.join(folder, name), 'w', encoding='ascii') as out:
                out.write(text)
    given = next(name for name in parts if name.startswith('given.'))
    candidate = next(name for name in parts if name.split('.')[0] == 'candidate')
    command = checker + ['--sem', library] + (['--sem', 'own.sem'] if 'own.sem' in parts else [])
    command += [
        given,
        parts[candidate].strip() if candidate == 'candidate' else candidate,
        'proof.cert',
    ]
    return subprocess.run(
        command, cwd=folder, capture_output=True, timeout=120, check=False
    ).returncode


def main():
    library, *checker = sys.argv[1:]
    if os.sep in checker[0]:
        checker[0] = os.path.abspath(checker[0])
    here = os.path.dirname(os.path.abspath(__file__))
    names = sorted(name for name in os.listdir(here) if name.endswith('.trap'))
    count = dict.fromkeys(STATUS, 0)
    wrong = 0
    for name in names:
        parts = parts_of(os.path.join(here, name))
        wanted = parts['outcome'].strip()
        count[wanted] += 1
        with tempfile.TemporaryDirectory() as folder:
            got = status_of(parts, os.path.abspath(library), checker, folder)
        if got != STATUS[wanted]:
            wrong += 1
            print(f'{name}: exit status {got}, to {wanted} is {STATUS[wanted]}')
    print(
        f'{len(names)} traps ({count["accept"]} to accept, {count["reject"]} to reject,'
        f' {count["refuse"]} to refuse), {wrong} wrong'
    )
    return 1 if wrong or not names else 0


if __name__ == '__main__':
    sys.exit(main())
