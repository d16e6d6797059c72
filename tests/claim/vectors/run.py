#!/usr/bin/env python3
"""Claims of a checker compared with the vectors of this folder.

usage: run.py [--update] FOLDER-OF-THE-STANDARD-LIBRARY CHECKER [ARGUMENT..]

A vector is a file NAME.vector: parts that begin with a line `=== FILE`, and last the part `===
claim`: what the checker prints for `--goals GIVEN CANDIDATE` (proofs/CLAIM.md section 9), or the
word `refused`.  The given program is the part given.tp, given.tile or given.rule; the candidate
candidate.tp, candidate.mug, candidate.tile or, of a rule, the name in the part `candidate`.  A part
own.sem is read after the standard library, alone where there is a part `alone`.  Other checkers are
run the same way: it takes no more than `--sem PATH`, `--goals`, and exit status 2 for what is
refused.
"""

import os, subprocess, sys, tempfile


def parts_of(path):
    parts, name = {}, None
    for line in open(path, encoding='ascii'):
        if line.startswith('=== '):
            name = line[4:].strip()
            parts[name] = ''
        else:
            parts[name] += line
    return parts


def claim_of(parts, library, checker, folder):
    for name, text in parts.items():
        if '.' in name:
            with open(os.path.join(folder, name), 'w', encoding='ascii') as out:
                out.write(text)
    given = next(name for name in parts if name.startswith('given.'))
    candidate = next(name for name in parts if name.split('.')[0] == 'candidate')
    command = list(checker)
    if 'alone' not in parts:
        command += ['--sem', library]
    if 'own.sem' in parts:
        command += ['--sem', 'own.sem']
    command += [
        '--goals',
        given,
        parts[candidate].strip() if candidate == 'candidate' else candidate,
    ]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode == 2 and not done.stdout:
        return 'refused\n'
    return done.stdout if done.returncode == 0 else f'exit status {done.returncode}\n'


def main():
    arguments = sys.argv[1:]
    update = bool(arguments) and arguments[0] == '--update'
    library, *checker = arguments[update:]
    if os.sep in checker[0]:
        checker[0] = os.path.abspath(checker[0])
    here = os.path.dirname(os.path.abspath(__file__))
    names = sorted(name for name in os.listdir(here) if name.endswith('.vector'))
    wrong = refused = 0
    for name in names:
        path = os.path.join(here, name)
        parts = parts_of(path)
        with tempfile.TemporaryDirectory() as folder:
            got = claim_of(parts, os.path.abspath(library), checker, folder)
        refused += got == 'refused\n'
        if update and got != parts.get('claim'):
            parts.pop('claim', None)
            parts['claim'] = got
            with open(path, 'w', encoding='ascii') as out:
                out.write(''.join(f'=== {part}\n{text}' for part, text in parts.items()))
        elif got != parts.get('claim'):
            wrong += 1
            print(f'{name}: the claim is\n{got}')
    print(f'{len(names)} vectors, {refused} refused, {wrong} wrong')
    return 1 if wrong or len(names) < 300 else 0


if __name__ == '__main__':
    sys.exit(main())
