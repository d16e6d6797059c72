#!/usr/bin/env python3
"""Trinity's programs of the shared folder as block graphs: how many have such a form, what the
model says of it, and whether it is certified against the block's program of bench/blocks.

usage: trinity_blocks.py [--assay PATH] [--only REGEX] [--keep FOLDER] [--enumerate]

A row of a table in Markdown for each program: what the folder's evaluator says of it under the
reading that is taken (scratch tensors of the whole program where that is right, else of each
instance), kernels, how many of them have validated thread graphs, microseconds by the model, the
verdict, seconds of the processor. --keep: result directories are left there. --enumerate: rows of
what the enumerating search finds for each block instead. The folder is read where it is (AS_SHARED,
or ../shared beside the tree)."""

import argparse
import json
import os
import re
import resource
import subprocess
import tempfile

from trinity import FOLDER, TOP, rows

# names of the blocks' programs there
NAMES = {
    'Wq': 'WQ',
    'Wk': 'WK',
    'Wv': 'WV',
    'Kcache': 'K_cache',
    'Vcache': 'V_cache',
    'score': 'C_out',
    'first': 'C_out1',
    'second': 'C_out2',
    'A': 'O2',
    'Wo': 'WO',
    'Wa': 'WFF1a',
    'Wb': 'WFF1b',
    'Wd': 'WFF2',
}
FALCON = {'K': 4544, 'H': 71, 'D': 64, 'F': 18176}


def given(config):
    """the block's program at the configuration's sizes, by the folder's names"""
    kind, _, rest = config.partition('_')
    sizes = FALCON if rest == 'falcon' else {'F': int((rest.split('_') + ['14336'])[1])}
    ffn = kind == 'ffn'
    path = os.path.join(TOP, 'bench/blocks', 'swiglu.tp' if ffn else kind + '.tp')
    with open(path, encoding='utf-8') as file:
        text = file.read()
    # the new rows of a cache are its last ones
    text = text.replace(', S = 1008', '').replace('S + M <= P', 'M <= P')
    text = text.replace('start=S', 'start=P - M')
    text = re.sub(r'\b(first|second)(?==)', r'\1_axis', text)
    for ours, theirs in list(NAMES.items()) + [('O', 'FF2' if ffn else 'O2')]:
        text = re.sub(r'\b%s\b' % ours, theirs, text)
    text = text.replace('first_axis=', 'first=').replace('second_axis=', 'second=')

    def stated(match):
        return 'sizes ' + re.sub(
            r'(\w+) = \d+',
            lambda m: '%s = %d' % (m[1], sizes[m[1]]) if m[1] in sizes else m[0],
            match[1],
        )

    return re.sub(r'^sizes (.*)$', stated, text, flags=re.M)


def run(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    env = dict(os.environ, ASSAY_SEM=os.path.join(TOP, 'semantics'))
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode, done.stdout, done.stderr, took


def found(out):
    """kernels, those with validated thread graphs, microseconds by the model, the verdict"""
    with open(os.path.join(out, 'report.json'), encoding='utf-8') as file:
        said = json.load(file)
    kernels = said['kernels']
    validated = sum(kernel['validated'] for kernel in kernels)
    return [str(len(kernels)), str(validated), '%.1f' % said['tiling']['model_us'], said['verdict']]


def lifted(assay, row):
    """the program as a tile program, under the reading that is right"""
    reading = 'global' if row['global'] == 'EQUIVALENT' else 'private'
    path = os.path.join(FOLDER, row['file'])
    command = [assay, 'lift', '--from', 'trinity', '--scratch=' + reading, path]
    return run(command + ['--config=' + row['config']])[1], reading


def best(assay, name):
    """the block's program, and the best of Trinity's for LLaMA3 8B's sizes"""
    kind = 'ffn' if name == 'swiglu' else name
    for row in rows(os.path.join(FOLDER, 'dev/verdicts.tsv')):
        if row['file'].startswith('dev/best_%s_llama' % kind):
            return given(kind + '_llama'), lifted(assay, row)[0]
    raise SystemExit('no program for ' + name)


def judged(options, name, text, extra):
    out = os.path.join(options.keep, name + '.assay')
    path = os.path.join(options.keep, name + '.tp')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    command = [
        options.assay,
        'optimize',
        path,
        '--solvers=none',
        '--no-cache',
        '--force',
        '-o',
        out,
    ]
    code, said, wrong, took = run(command + extra)
    offered = re.search(r'^offered +\S+ (.*)$', said, re.M)
    return (found(out) if code == 0 else [offered[1] if offered else wrong.strip()]) + [
        '%.1f' % took
    ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--assay', default=os.path.join(TOP, 'build/assay'))
    parser.add_argument('--only', default='')
    parser.add_argument('--keep', default=None)
    parser.add_argument('--enumerate', action='store_true')
    options = parser.parse_args()
    folder = tempfile.TemporaryDirectory()
    options.keep = options.keep or folder.name
    done = set()
    for row in rows(os.path.join(FOLDER, 'dev/verdicts.tsv')):
        name = os.path.basename(row['file'])[: -len('.tir')]
        config = row['config']
        if not re.search(options.only, name) or (options.enumerate and config in done):
            continue
        done.add(config)
        if options.enumerate:
            cells = [config] + judged(options, config, given(config), ['--search=enumerate'])
        else:
            tile = os.path.join(options.keep, name + '.tile')
            text, reading = lifted(options.assay, row)
            with open(tile, 'w', encoding='utf-8') as file:
                file.write(text)
            cells = [name, reading, row[reading]]
            cells += judged(options, name, given(config), ['--search=none', '--offer=' + tile])
        print('| ' + ' | '.join(cells) + ' |', flush=True)


if __name__ == '__main__':
    main()
