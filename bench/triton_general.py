#!/usr/bin/env python3
"""Judges the folder of Triton kernels at all sizes (shared data, `ttir`).

usage: triton_general.py [--assay PATH] [--work DIR] [--seconds S] [--only TEXT]
                         [--skip TEXT] [--write FILE]

Of each kernel with a specification, the numbers of a launch are taken for sizes (ttir_symbols.py
writes the specification, `assay certify --generalise` finds the launch).  A line a kernel: what is
proved, of which launches.  --write: a table, between its marks in FILE."""

import argparse
import collections
import json
import os
import re
import sys
import tempfile

import triton_folder
import ttir_own
import ttir_spec
import ttir_symbols

ENOUGH = 4  # times the seconds of one guess, for all guesses of a kernel
MARKS = ('<!-- triton_general.py: begin -->', '<!-- triton_general.py: end -->')


def declarations(assay, kernel, options):
    status, out, err, _ = triton_folder.run([assay, 'lift', kernel] + options, 60)
    if status != 0:
        return None
    return [line for line in out.split('\n') if re.match(r'(input|inout|output) ', line)]


def written(case, declared, stem):
    """the path of the specification, or None"""
    try:
        program = ttir_spec.Written(case, declared, os.path.basename(stem) + '.sem')
    except (ttir_spec.NoSpecification, ttir_spec.NotOfSizes, StopIteration):
        return None
    with open(stem + '.sem', 'w') as f:
        f.write(program.operators())
    path = stem + ('.tile' if program.in_tiles() else '.tp')
    with open(path, 'w') as f:
        f.write(program.text())
    return path


def launches(report):
    """of which launches: the reading, and what sizes keep; None: of one alone"""
    words = report.get('words', '')
    found = re.match(r'Of all launches with ([^\n]*?)(?:, where sizes keep)?\n((?:where .*\n)*)', words)
    if not found:
        return None, []
    return found.group(1), [line[6:] for line in found.group(2).strip().split('\n') if line]


def judged(options, kernel, case, declared, launch, stem):
    """the widest that is proved: (sizes that are free or bounded, reading, relations, seconds)"""
    best, took, tried = None, 0.0, 0
    with open(kernel) as f:
        text = f.read()
    for guess in ttir_symbols.guesses(case, text):
        given = written(guess, declared, stem)
        if given is None or took > ENOUGH * options.seconds:
            continue
        tried += 1
        word, report, seconds = certified(options, given, kernel, launch)
        took += seconds
        if word != 'PROVED':
            continue
        reading, kept = launches(report)
        if reading is None:
            continue
        fixed = [k for k in kept if re.fullmatch(r'\w+ = \d+', k)]
        free = [n for n in guess['sizes'] if n not in [k.split(' ')[0] for k in fixed]]
        kept = [k for k in kept if k not in fixed]
        quality = (len(free), -len(kept), -len(fixed))
        if best is None or quality > best[0]:
            best = (quality, free, reading, kept, fixed)
        if not fixed:
            break
    return best, took, tried


def certified(options, given, kernel, launch):
    command = [options.assay, 'certify', '--json', '--require=check', '--generalise']
    command += ['--from', 'triton'] + launch + [given, kernel]
    status, out, err, took = triton_folder.run(command, options.seconds)
    if options.verbose:
        print(status, err.strip()[:200], file=sys.stderr)
    try:
        report = json.loads(out)
    except ValueError:
        return 'UNKNOWN', {}, took
    report = report.get('programs', [report])[0]
    return report.get('verdict', '?'), report, took


def write_table(path, rows, counts):
    lines = [
        '| kernel | sizes | launches | kept of sizes |',
        '|---|---|---|---|',
    ]
    lines += ['| %s | %s | %s | %s |' % row for row in rows]
    with open(path) as f:
        text = f.read()
    before, rest = text.split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    said = ', '.join('%s: %d' % pair for pair in sorted(counts.items()))
    body = '\n'.join([MARKS[0], said + '.', ''] + lines + [MARKS[1]])
    with open(path, 'w') as f:
        f.write(before + body + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--assay', default=os.path.join(triton_folder.TOP, 'build/assay'))
    parser.add_argument('--work', default=os.path.join(tempfile.gettempdir(), 'assay-general'))
    parser.add_argument('--seconds', type=float, default=30)
    parser.add_argument('--only')
    parser.add_argument('--skip')
    parser.add_argument('--verbose', action='store_true')
    parser.add_argument('--write')
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    counts, rows = collections.Counter(), []
    for path in triton_folder.kernels(triton_folder.FOLDER, options.only):
        if options.skip and options.skip in path:
            continue
        with open(path) as f:
            report = json.load(f)
        kernel = path[:-5] + '.ttir'
        number = ttir_symbols.clearest(report['cases'])
        case = ttir_own.with_own(report['cases'][number], kernel)
        name = os.path.basename(path)[:-5]
        if not case.get('spec'):
            counts['no specification'] += 1
            continue
        launch = triton_folder.launch_options(case, path, number)
        declared = declarations(options.assay, kernel, launch)
        if declared is None:
            counts['not lifted'] += 1
            continue
        stem = os.path.join(options.work, name)
        best, took, tried = judged(options, kernel, case, declared, launch, stem)
        if best and best[1]:
            _, free, reading, kept, fixed = best
            word = (
                'some of the sizes' if fixed else 'all sizes within bounds' if kept else 'all sizes'
            )
            rows.append((name, ', '.join(free), reading, ', '.join(kept + fixed)))
        else:
            word = 'one size' if tried else 'no specification with sizes'
        counts[word] += 1
        print('%s\t%.1f\t%s:%d\t%s' % (word, took, name, number, best[1:] if best else ''), flush=True)
    print(dict(counts))
    if options.write:
        write_table(options.write, rows, counts)
    return 0


if __name__ == '__main__':
    sys.exit(main())
