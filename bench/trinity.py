#!/usr/bin/env python3
"""Judges the folder of Trinity's programs (shared data, `trinity`) under each reading of scratch
tensors, and writes the table of bench/results/tiles.md.

usage: trinity.py [--assay PATH] [--seconds S] [--only REGEX] [--readings LIST] [--proofs all|first]
                  [--lines FILE ..] [--write FILE]

A line a program and reading: what the folder's evaluator says, our verdict, seconds of the
processor, what is missing. --proofs=first: what is right under several
readings is proved under the first of them alone, and evaluated under the others. --lines: the table
is made of the lines that runs of parts have printed instead.
--write: the table takes the place of the one in FILE between its two marks. The folder is read
where it is (AS_SHARED, or ../shared beside the tree). Exit status 1: a verdict contradicts the
folder's."""

import argparse
import collections
import csv
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(os.environ.get('AS_SHARED', os.path.join(TOP, '../shared')), 'data/trinity')
READINGS = ('global', 'private', 'generator')
BEGIN, END = '<!-- trinity.py: begin -->', '<!-- trinity.py: end -->'
# what may be said of a program of which the folder's evaluator says this
RIGHT = {
    'EQUIVALENT': ('PROVED', 'UNKNOWN'),
    'WRONG': ('REFUTED',),
    'ORDER-DEPENDENT': ('ORDER-DEPENDENT',),
    'UNREADABLE': ('UNREADABLE', 'REFUTED'),
}

Case = collections.namedtuple('Case', 'name reading truth given candidate config shapes')


def rows(path):
    with open(path, encoding='utf-8') as file:
        return list(csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE))


def cases(readings):
    shapes = os.path.join(FOLDER, 'shapes.tsv')
    for row in rows(os.path.join(FOLDER, 'dev/verdicts.tsv')):
        for reading in readings:
            if row[reading] != '-':
                name = os.path.basename(row['file'])[: -len('.tir')]
                yield Case(
                    name,
                    reading,
                    row[reading],
                    os.path.join(FOLDER, row['reference']),
                    os.path.join(FOLDER, row['file']),
                    row['config'],
                    shapes,
                )
    shapes = os.path.join(FOLDER, 'rules/shapes.tsv')
    for row in rows(os.path.join(FOLDER, 'rules/verdicts.tsv')):
        for reading in readings:
            if reading in row:
                before, after = (
                    os.path.join(FOLDER, 'rules', '%s.%s.tir' % (row['case'], side))
                    for side in ('before', 'after')
                )
                yield Case(row['case'], reading, row[reading], before, after, None, shapes)


def command(assay, case, candidate, seconds):
    out = [
        assay,
        'certify',
        '--json',
        '--solvers=none',
        case.given,
        '--from',
        'trinity',
        candidate,
        '--scratch=' + case.reading,
        '--shapes=' + case.shapes,
    ]
    out += ['--config=' + case.config] if case.config else []
    return out + (['--within=%d' % seconds] if seconds else [])


def judge(assay, case, candidate, seconds):
    env = dict(os.environ, ASSAY_SEM=os.path.join(TOP, 'semantics'))
    done = subprocess.run(
        command(assay, case, candidate, seconds),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1, 2, 3):
        sys.exit('%s: exit %d\n%s' % (' '.join(done.args), done.returncode, done.stderr))
    return json.loads(done.stdout)['programs'], done.stderr


def evaluated(assay, case):
    """by evaluation alone, which is what several programs in one file get"""
    with open(case.candidate, encoding='utf-8') as file:
        text = ' '.join(re.sub(r';.*', '', file.read()).split())
    with tempfile.NamedTemporaryFile('w', suffix='.txt', encoding='utf-8') as twice:
        twice.write('1: %s\n2: %s\n' % (text, text))
        twice.flush()
        return judge(assay, case, twice.name, 0)


def processor():
    """seconds of the processor, of all programs that were run"""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def lacks(words):
    found = re.search(r'No proof: (.*)', words)
    return found.group(1) if found else ''


def agrees(truth, verdict):
    return verdict in RIGHT[truth]


def table(options):
    lines, proved = [], set()
    for case in cases(options.readings.split(',')):
        if options.only and not re.search(options.only, case.name):
            continue
        begin = processor()
        again = options.proofs == 'first' and case.candidate in proved
        found, _ = (
            evaluated(options.assay, case)
            if again
            else judge(options.assay, case, case.candidate, options.seconds)
        )
        took = (processor() - begin) / (2 if again else 1)
        verdict = found[0]['verdict']
        if case.truth == 'EQUIVALENT':
            proved.add(case.candidate)
        why = (
            'evaluated only'
            if again
            else lacks(found[0].get('words', '')) if verdict == 'UNKNOWN' else ''
        )
        lines.append(
            '| %s | %s | %s | %s | %.1f | %s |'
            % (case.name, case.reading, case.truth, verdict, took, why)
        )
        print(lines[-1], flush=True)
    return lines


def read_lines(paths):
    lines = []
    for path in paths:
        with open(path, encoding='utf-8') as file:
            lines += [
                line.rstrip('\n')
                for line in file
                if re.match(r'\| \S+ \| (%s) \|' % '|'.join(READINGS), line)
            ]
    return lines


def summary(lines):
    counts, times, bad = collections.Counter(), [], 0
    for line in lines:
        _, reading, truth, verdict, took, why = (
            part.strip() for part in line.strip('|').split('|')
        )
        counts[reading, truth, verdict + (', ' + why if why == 'evaluated only' else '')] += 1
        times.append(float(took))
        bad += not agrees(truth, verdict)
    out = ['| reading | the folder says | our verdict | programs |', '|---|---|---|---|']
    out += ['| %s | %s | %s | %d |' % (key + (n,)) for key, n in sorted(counts.items())]
    return (
        out
        + [
            '',
            'Seconds of the processor: %.2f in the median, %.1f at most, %.0f in all.'
            ' Contradictions: %d.' % (statistics.median(times), max(times), sum(times), bad),
            '',
        ],
        bad,
    )


def written(path, text):
    with open(path, encoding='utf-8') as file:
        before, rest = file.read().split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    with open(path, 'w', encoding='utf-8') as file:
        file.write(before + BEGIN + '\n' + text + '\n' + END + after)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--assay', default=os.path.join(TOP, 'build/assay'))
    parser.add_argument('--seconds', type=int, default=0)
    parser.add_argument('--only')
    parser.add_argument('--readings', default=','.join(READINGS))
    parser.add_argument('--proofs', choices=('all', 'first'), default='all')
    parser.add_argument('--lines', nargs='+')
    parser.add_argument('--write')
    options = parser.parse_args()
    lines = read_lines(options.lines) if options.lines else table(options)
    counted, bad = summary(lines)
    head = [
        '| program | reading | the folder says | our verdict | s | what is missing |',
        '|---|---|---|---|---|---|',
    ]
    print('\n'.join(counted))
    if options.write:
        written(options.write, '\n'.join(counted + head + lines))
    sys.exit(1 if bad else 0)


if __name__ == '__main__':
    main()
