#!/usr/bin/env python3
"""Triton's kernels as block graphs: how many have such a form, and are certified in it against their
specification.

usage: triton_blocks.py [--assay PATH] [--work DIR] [--seconds S] [--only TEXT] [--own]

The shared folder's kernels at their first launch, or with --own those of tests/ttir/own. Prints a
line a kernel: `certified` with kernels, how many of them have validated thread graphs, and
microseconds by the model; or what it is that stands in the way. The folder is read where it is
(AS_SHARED, or ../shared beside the tree)."""

import argparse
import collections
import json
import os
import re
import tempfile

import triton_folder
import ttir_own

TOP = triton_folder.TOP
OWN = os.path.join(TOP, 'tests/ttir/own')


def own_kernels(only):
    """name, program, kernel, options of the launch"""
    with open(os.path.join(OWN, 'launches'), encoding='utf-8') as file:
        for line in file:
            name, _, launch = line.partition(' ')
            given = os.path.join(OWN, name + '.tp')
            if only in name and os.path.exists(given):
                options = ['--literals=decimal', '--writes-all'] + launch.split()[1:]
                yield name, given, os.path.join(OWN, name + '.ttir'), options


def folder_kernels(assay, work, only):
    for path in triton_folder.kernels(triton_folder.FOLDER, only):
        name = os.path.basename(path)[:-5]
        with open(path, encoding='utf-8') as file:
            case = ttir_own.with_own(json.load(file)['cases'][0], name + '.ttir')
        kernel = path[:-5] + '.ttir'
        if not case.get('spec'):
            continue
        options = triton_folder.launch_options(case, path, 0)
        stem = os.path.join(work, re.sub(r'\W', '_', name))
        given, why = triton_folder.specification(assay, kernel, case, options, stem)
        yield name, given or why, kernel if given else None, options


def offered(assay, work, name, given, kernel, options, seconds):
    stem = os.path.join(work, re.sub(r'\W', '_', name))
    _, text, _, _ = triton_folder.run([assay, 'lift', '--from', 'triton'] + options + [kernel], 60)
    with open(stem + '.lifted.tile', 'w', encoding='utf-8') as file:
        file.write(text)
    out = stem + '.assay'
    command = [assay, 'optimize', given, '--search=none', '--offer=' + stem + '.lifted.tile']
    status, said, wrong, _ = triton_folder.run(
        command + ['--solvers=none', '--no-cache', '--force', '-o', out], seconds
    )
    if status == 0:
        with open(os.path.join(out, 'report.json'), encoding='utf-8') as file:
            report = json.load(file)
        kernels = report['kernels']
        validated = sum(k['validated'] for k in kernels)
        return 'certified', '%d kernels (%d validated), %.1f us' % (
            len(kernels),
            validated,
            report['tiling']['model_us'],
        )
    found = re.search(r'(\d+) block graphs: (.*)$', said, re.M)
    none = re.search(r'no block graphs: (.*)$', said, re.M)
    if found:
        return 'no proof' if ' 0 without a proof' not in found[2] else 'not lowered', found[2]
    return 'no block graph', re.sub(r'line \d+: ', '', none[1]) if none else wrong.strip()[-200:]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--assay', default=os.path.join(TOP, 'build/assay'))
    parser.add_argument(
        '--work', default=os.path.join(tempfile.gettempdir(), 'assay-triton-blocks')
    )
    parser.add_argument('--seconds', type=float, default=60)
    parser.add_argument('--only', default='')
    parser.add_argument('--own', action='store_true')
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    counts, reasons = collections.Counter(), collections.Counter()
    cases = (
        own_kernels(options.only)
        if options.own
        else folder_kernels(options.assay, options.work, options.only)
    )
    for name, given, kernel, launch in cases:
        if kernel is None or given.endswith('.tile'):
            word, why = 'no program', 'a tensor is changed in place' if kernel else given
        else:
            word, why = offered(
                options.assay, options.work, name, given, kernel, launch, options.seconds
            )
        counts[word] += 1
        reasons[why] += word == 'no block graph'
        print('%s\t%s\t%s' % (word, name, why), flush=True)
    print(dict(counts))
    for why, n in reasons.most_common():
        print('%4d  %s' % (n, why) if n else '', end='\n' if n else '')


if __name__ == '__main__':
    main()
