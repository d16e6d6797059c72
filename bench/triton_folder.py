#!/usr/bin/env python3
"""Judges the folder of Triton kernels (shared data, `ttir`) against the specifications beside them.

usage: triton_folder.py [--assay PATH] [--work DIR] [--seconds S] [--only TEXT] [--all-cases]
                        [--mutants] [--folder DIR]

Prints a line a case: verdict, seconds, what is missing. --mutants: the folder's changed kernels
instead, evaluation first; a line says too what the folder says of them. The folder is read where it
is (AS_SHARED, or ../shared beside the tree), or one that triton_harvest.py made."""

import argparse
import collections
import glob
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import ttir_own
import ttir_spec

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(os.environ.get('AS_SHARED', os.path.join(TOP, '../shared')), 'data/ttir')
EXIT_UNKNOWN = 3


def run(command, seconds):
    env = dict(os.environ, ASSAY_SEM=os.path.join(TOP, 'semantics'))
    begin = time.time()
    p = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = p.communicate(timeout=seconds)
        return p.returncode, out, err, time.time() - begin
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        p.communicate()
        return None, '', 'more than %d s' % seconds, time.time() - begin


def launch_options(case, json_path, number):
    options = ['--launch', '%s:%d' % (json_path, number), '--literals=fraction']
    if not ttir_spec.partial(case):
        options.append('--writes-all')
    return options


def specification(assay, kernel, case, options, stem):
    """writes STEM.sem and STEM.tp or .tile; its path, or None and why there is none"""
    status, out, err, _ = run([assay, 'lift', kernel] + options, 60)
    if status != 0:
        return None, 'refused: ' + err.strip().split('\n')[-1].split('ttir:')[-1]
    if not case.get('spec'):
        return None, 'no specification'
    declarations = [line for line in out.split('\n') if re.match(r'(input|inout|output) ', line)]
    try:
        written = ttir_spec.Written(case, declarations, os.path.basename(stem) + '.sem')
    except ttir_spec.NoSpecification as reason:
        return None, 'specification not written: %s' % reason
    with open(stem + '.sem', 'w') as f:
        f.write(written.operators())
    path = stem + ('.tile' if written.in_tiles() else '.tp')
    with open(path, 'w') as f:
        f.write(written.text())
    return path, None


def verdict(assay, given, kernel, options, seconds, more=('--require=check',)):
    status, out, err, took = run(
        [assay, 'certify', '--json', *more, '--from', 'triton'] + options + [given, kernel], seconds
    )
    if status is None:
        return 'UNKNOWN', err, took
    try:
        report = json.loads(out)
    except ValueError:
        return 'ERROR %s' % status, (err.strip().split('\n') or ['?'])[-1], took
    found = report.get('programs', [report])[0]
    reason = found.get('words', '').replace('\n', ' ')
    return found.get('verdict', '?'), reason, took


def kernels(folder, only):
    for path in sorted(
        glob.glob(os.path.join(folder, 'dev/*.json'))
        + glob.glob(os.path.join(folder, 'extra/*.json'))
    ):
        if os.path.basename(path) != 'mutants.json' and (not only or only in path):
            yield path


def judge_mutants(options):
    """a line a changed kernel: verdict, seconds, what it is said to be; counts"""
    counts = collections.Counter()
    folder = os.path.join(options.folder, 'dev')
    with open(os.path.join(folder, 'mutants.json')) as f:
        mutants = json.load(f)
    for mutant in mutants:
        path = os.path.join(folder, mutant['of'].replace('.ttir', '.json'))
        with open(path) as f:
            case = ttir_own.with_own(json.load(f)['cases'][mutant['case']], mutant['of'])
        kernel = os.path.join(folder, mutant['mutant'])
        launch = launch_options(case, path, mutant['case']) if case.get('spec') else []
        stem = os.path.join(options.work, 'of_' + os.path.basename(kernel)[:-5])
        given, why = (
            specification(options.assay, os.path.join(folder, mutant['of']), case, launch, stem)
            if launch
            else (None, 'no specification')
        )
        word, took = 'NONE', 0.0
        if given:
            word, why, took = verdict(options.assay, given, kernel, launch, options.seconds, ())
        counts['%s: %s' % (mutant['verdict'], word)] += 1
        print(
            '%s\t%s\t%.2f\t%s\t%s'
            % (mutant['verdict'], word, took, os.path.basename(kernel)[:-5], why[:160]),
            flush=True,
        )
    print(dict(counts))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--assay', default=os.path.join(TOP, 'build/assay'))
    parser.add_argument('--work', default=os.path.join(tempfile.gettempdir(), 'assay-triton'))
    parser.add_argument('--seconds', type=float, default=60)
    parser.add_argument('--only')
    parser.add_argument('--folder', default=FOLDER)
    parser.add_argument('--all-cases', action='store_true')
    parser.add_argument('--mutants', action='store_true')
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    if options.mutants:
        judge_mutants(options)
        return 0
    counts, times = collections.Counter(), []
    for path in kernels(options.folder, options.only):
        with open(path) as f:
            report = json.load(f)
        kernel = path[:-5] + '.ttir'
        for number, case in enumerate(report['cases']):
            if number > 0 and not options.all_cases:
                break
            case = ttir_own.with_own(case, kernel)
            launch = (
                launch_options(case, path, number)
                if case.get('spec')
                else ['--launch', '%s:%d' % (path, number)]
            )
            stem = os.path.join(options.work, '%s_%d' % (os.path.basename(path)[:-5], number))
            given, why = specification(options.assay, kernel, case, launch, stem)
            took = 0.0
            if given:
                word, why, took = verdict(options.assay, given, kernel, launch, options.seconds)
                times.append(took)
            else:
                word = 'NONE' if not why.startswith('refused') else 'REFUSED'
            counts[word] += 1
            print(
                '%s\t%.2f\t%s:%d\t%s' % (word, took, os.path.basename(path)[:-5], number, why),
                flush=True,
            )
    print(dict(counts), 'median %.2f s' % (statistics.median(times) if times else 0))
    return 0


if __name__ == '__main__':
    sys.exit(main())
