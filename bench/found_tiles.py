#!/usr/bin/env python3
"""What judging Trinity's published tile programs and rewrites of loops found: a section of
docs/found.md.

Read from the folder of shared data (AS_SHARED, or ../shared beside the tree); nothing of it is
copied but names, and counterexamples are this run's. The words of advice are those of
tests/tile/advice.tsv."""

import csv
import json
import os
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TITLE = '## Trinity: tile programs and rewrites of loops'
READINGS = ('global', 'private', 'generator')


def folder():
    path = os.path.join(os.environ.get('AS_SHARED', os.path.join(TOP, '../shared')), 'data/trinity')
    return path if os.path.isdir(path) else None


def judge(assay, given, candidate, reading, config=None):
    env = dict(os.environ, ASSAY_SEM=os.path.join(TOP, 'semantics'))
    more = ['--config=' + config] if config else []
    p = subprocess.run(
        [assay, 'certify', '--json', given, '--from', 'trinity', candidate, '--scratch=' + reading]
        + more,
        stdout=subprocess.PIPE,
        env=env,
        text=True,
        check=False,
    )
    return json.loads(p.stdout)['programs'][0]


def rows(path):
    with open(path) as f:
        return list(csv.DictReader(f, delimiter='\t', quoting=csv.QUOTE_NONE))


def word(verdict):
    return {
        'UNKNOWN': 'no difference found',
        'REFUTED': 'refuted',
        'ORDER-DEPENDENT': 'order-dependent',
        'UNREADABLE': 'no program',
    }[verdict]


def tile_sizes(line):
    """tiles of the given program do not matter: they are left out"""
    if not line.startswith('sizes '):
        return line
    return 'sizes ' + ', '.join(s for s in line[6:].split(', ') if not s.startswith('given_'))


def code(words, most=12):
    lines = [tile_sizes(line) for line in words.split('\n')]
    if len(lines) > most:
        lines = lines[: most - 1] + ['...'] + lines[-2:]
    return '\n'.join('    ' + (line if len(line) < 150 else line[:147] + '...') for line in lines)


def rewrites(assay, data):
    out = []
    advice = {r['case']: r['advice'] for r in rows(os.path.join(TOP, 'tests/tile/advice.tsv'))}
    for r in rows(os.path.join(data, 'rules/verdicts.tsv')):
        name = r['case']
        before, after = (
            os.path.join(data, 'rules', '%s.%s.tir' % (name, side)) for side in ('before', 'after')
        )
        found = {reading: judge(assay, before, after, reading) for reading in READINGS[:2]}
        shown = found['global']
        out.append('### %s: %s\n' % (name, r['rule']))
        out.append(
            'Scratch tensors one array for the whole program: %s; one of each instance: %s.\n'
            % tuple(word(found[reading]['verdict']) for reading in READINGS[:2])
        )
        words = shown['words']
        if shown['verdict'] == 'UNREADABLE':
            words = words.split('\n')[0].split(': ', 1)[1]
        out.append(code(words) + '\n')
        out.append('**To do.** %s\n' % advice[name])
    return out


def candidates(assay, data):
    out = [
        '### Candidates and best programs of the artifact\n',
        (
            'Each against the initial program of its benchmark, at several sizes of tiles, under'
            ' three readings of scratch tensors. The values are of those that'
        ),
        'are wrong as generated.\n',
        '| program | from | one array | one of each instance | as generated |',
        '|---|---|---|---|---|',
    ]
    wrong = []
    total = 0
    differ = 0
    for r in rows(os.path.join(data, 'dev/verdicts.tsv')):
        if r['generator'] == '-':
            continue
        found = [
            judge(
                assay,
                os.path.join(data, r['reference']),
                os.path.join(data, r['file']),
                reading,
                r['config'],
            )
            for reading in READINGS
        ]
        total += 1
        if all(f['verdict'] == 'UNKNOWN' for f in found):
            continue
        differ += 1
        out.append(
            '| %s | `%s` | %s |'
            % (
                os.path.basename(r['file'])[:-4],
                r['source'],
                ' | '.join(word(f['verdict']) for f in found),
            )
        )
        if found[2]['verdict'] != 'UNKNOWN':
            wrong.append((os.path.basename(r['file'])[:-4], found[2]))
    out.append(
        '\nThe other %d of the %d that were read differ nowhere that was tried, under any'
        ' reading.\n' % (total - differ, total)
    )
    for name, found in wrong:
        values = [
            line
            for line in found['words'].split('\n')
            if ': given ' in line or 'candidate is undefined' in line
        ]
        out.append('- `%s`: %s' % (name, values[-1] if values else found['words'].split('\n')[-1]))
    out.append(
        '\n**To do.** Programs that are right under one reading alone rely on it: state it, and'
        ' test candidates against the initial program before one is'
    )
    out.append(
        'measured. Those that are wrong as generated repeat a sum or an in-place division once for'
        ' each tile of a loop that was put around it.\n'
    )
    return out


def section(assay):
    """None where the data are absent"""
    data = folder()
    if data is None:
        return None
    out = [
        TITLE + '\n',
        (
            'The pairs of programs before and after rewrites that the optimizer of the artifact'
            ' makes, and programs that it ships, judged by `assay certify --from'
        ),
        (
            'trinity` at small sizes with every number that is an extent read as a size. *Refuted*:'
            ' another value, or undefined, by exact rationals or intervals that'
        ),
        (
            'do not meet. *Order-dependent*: two orders of the iterations of a parallel loop give'
            ' different results.\n'
        ),
    ]
    return '\n'.join(out + rewrites(assay, data) + candidates(assay, data))
