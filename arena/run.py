#!/usr/bin/env python3
"""Runs a checker of certificates over the cases of the arena (README.md says what they are).

usage: run.py [--claims] [--library FOLDER] [--only WORD] [--kinds LIST] [--json FILE]
              CHECKER [ARGUMENT..]
       run.py [--only WORD] --claims-by ASSAY_ELAB | --write-claims ASSAY_ELAB

CHECKER runs as `CHECKER --sem LIBRARY GIVEN CANDIDATE CERTIFICATE`, with own.sem as a second --sem
where a case has one; with --claims as `CHECKER CLAIM CERTIFICATE`.  It answers by its exit status:
0 accepts, 1 rejects, 2 declines (the texts, or the claim, have no meaning).  LIBRARY is the folder
of the standard operators.  --only runs the cases with WORD in their names, --kinds those of these
kinds.  --json writes all answers to a file.  --claims-by compares the claims of the cases with what
an elaborator, run as `ASSAY_ELAB --sem LIBRARY GIVEN CANDIDATE`, writes of their texts;
--write-claims renews them.

Exit status: 0, every answer is the expected one but for bounds (kind limit); 1, an answer is
another one; 3, something is accepted that is not to be: the checker is unsound, or knows other
rules.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ANSWERS = {0: 'accept', 1: 'reject', 2: 'decline'}
SECONDS = 120


def grown(line):
    if line.startswith('@repeat '):
        _, times, rest = line.split(' ', 2)
        return rest * int(times)
    return line


def parts_of(path, grow=grown):
    """{part: text} of a case."""
    parts, name = {}, None
    for line in path.read_text(encoding='ascii').splitlines(keepends=True):
        if line.startswith('=== '):
            name = line[4:].strip()
            parts[name] = ''
        else:
            parts[name] += grow(line)
    return parts


def cases(only='', kinds=None):
    """[(name, parts)] in the order of names."""
    found = [(path.stem, parts_of(path)) for path in sorted((HERE / 'cases').glob('*.case'))]
    return [
        (name, parts)
        for name, parts in found
        if only in name and (not kinds or parts['kind'].strip() in kinds)
    ]


def texts_of(parts, library):
    """The words that name a case's texts, in its folder; None where it has a claim alone."""
    given = [name for name in parts if name.startswith('given.')]
    if not given:
        return None
    candidate = next(name for name in parts if name.partition('.')[0] == 'candidate')
    own = ['--sem', 'own.sem'] if 'own.sem' in parts else []
    last = parts[candidate].strip() if candidate == 'candidate' else candidate
    return ['--sem', library, *own, given[0], last]


def write_files(parts, folder):
    for name, text in parts.items():
        if '.' in name or name == 'claim':
            (Path(folder) / name).write_text(text, encoding='ascii')


def answer(command, folder):
    """accept, reject, decline, or in what other way it ended."""
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f'no answer in {SECONDS} seconds'
    return ANSWERS.get(done.returncode, f'exit status {done.returncode}')


def ask(checker, parts, options):
    """None: the case does not have what this checker reads."""
    words = ['claim'] if options.claims else texts_of(parts, options.library)
    if words is None or (options.claims and 'claim' not in parts):
        return None
    with tempfile.TemporaryDirectory() as folder:
        write_files(parts, folder)
        return answer([*checker, *words, 'proof.cert'], folder)


def compare_claims(elaborator, options, renew):
    """The part `claim` of each case with texts is what the elaborator writes of them."""
    changed = 0
    for name, parts in cases(options.only):
        words = texts_of(parts, options.library)
        if words is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            write_files(parts, folder)
            done = subprocess.run(
                [elaborator, *words], cwd=folder, capture_output=True, text=True, check=False
            )
        path = HERE / 'cases' / f'{name}.case'
        stored = parts_of(path, grow=lambda line: line)
        before = stored.pop('claim', None)
        claim = done.stdout if done.returncode == 0 else None
        if claim is not None:
            expected = stored.pop('expected')
            stored |= {'claim': claim, 'expected': expected}
        if claim != before:
            changed += 1
            print(f'{name}: the claim is another one')
            if renew:
                path.write_text(''.join(f'=== {part}\n{text}' for part, text in stored.items()))
    print(f'{changed} claims are other ones')
    return 1 if changed and not renew else 0


def judged(got, wanted, kind):
    if got == wanted:
        return 'right'
    if kind == 'limit':
        return 'limits'
    return 'unsound' if got == 'accept' else 'wrong'


def run(checker, options):
    rows, count = [], dict.fromkeys(['asked', 'right', 'limits', 'wrong', 'unsound'], 0)
    for name, parts in cases(options.only, options.kinds):
        got, wanted, kind = (
            ask(checker, parts, options),
            parts['expected'].strip(),
            parts['kind'].strip(),
        )
        if got is None:
            continue
        verdict = judged(got, wanted, kind)
        count['asked'] += 1
        count[verdict] += 1
        rows.append({'case': name, 'kind': kind, 'expected': wanted, 'answer': got})
        if verdict != 'right':
            print(f'{name}: {got}, expected: {wanted}', flush=True)
    if options.json:
        version = (HERE / 'VERSION').read_text().strip()
        text = json.dumps({'arena': version, **count, 'cases': rows}, indent=1)
        Path(options.json).write_text(text + '\n')
    print(', '.join(f'{number} {what}' for what, number in count.items()))
    return 3 if count['unsound'] else 1 if count['wrong'] or not rows else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--claims', action='store_true')
    parser.add_argument('--library', default=str(HERE.parent / 'semantics'))
    parser.add_argument('--only', default='')
    parser.add_argument('--kinds', type=lambda text: text.split(','))
    parser.add_argument('--json')
    parser.add_argument('--claims-by', metavar='ASSAY_ELAB')
    parser.add_argument('--write-claims', metavar='ASSAY_ELAB')
    parser.add_argument('checker', nargs=argparse.REMAINDER)
    options = parser.parse_args()
    options.library = os.path.abspath(options.library)
    elaborator = options.write_claims or options.claims_by
    if elaborator:
        return compare_claims(os.path.abspath(elaborator), options, bool(options.write_claims))
    if not options.checker:
        parser.error('a checker is asked for')
    checker = options.checker
    if os.sep in checker[0]:
        checker[0] = os.path.abspath(checker[0])
    return run(checker, options)


if __name__ == '__main__':
    sys.exit(main())
