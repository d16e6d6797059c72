#!/usr/bin/env python3
"""Compares what kernels of Triton are read as with what Triton's own interpreter computes, on the CPU.

usage: triton_interpreter.py [--probes PATH] [--most N] [NAME ..]      (with a Python that has triton, torch)

Kernels of tests/ttir/own and tests/ttir/masked, at the launches of `own/launches` and at others with
smaller extents and other inputs.  Each launch is interpreted, its results are recorded beside the
kernel's text as `tests/ttir/probes` reads them, and that program executes what is lifted.  A launch
agrees if all finite results do and those that are none (not a number, infinite) have no value.
One line a kernel, then the totals; exit status 1: a launch differs."""

import argparse
import collections
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

os.environ['TRITON_INTERPRET'] = '1'
os.environ.setdefault('TRITON_DEFAULT_FP_FUSION', '1')

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OWN = os.path.join(TOP, 'tests/ttir/own')
MASKED = os.path.join(TOP, 'tests/ttir/masked')

MASKED_LAUNCHES = {
    'nothing': ['--grid {r} --argument x={r},8 --argument y={r}', {}],
    'nothing_guarded': ['--grid {r} --argument x={r},8 --argument y={r}', {}],
    'strict': ['--grid {r} --argument x={r},{n} --argument y={r} --argument n={n}', {'n': 8}],
    'strict_guarded': ['--grid {r} --argument x={r},{n} --argument y={r} --argument n={n}', {'n': 8}],
    'window': ['--grid {r} --argument x={r},{n} --argument y={r} --argument n={n}', {'n': 13}],
    'window_guarded': ['--grid {r} --argument x={r},{n} --argument y={r} --argument n={n}', {'n': 13}],
    'times_zero': ['--grid {r} --argument x={r},{n} --argument y={r} --argument n={n}', {'n': 8}],
    'first_place': ['--grid {r} --argument x={r},{n} --argument y={r} --argument n={n}', {'n': 8}],
    'bytes_product': ['--grid 1 --argument a={n} --argument b={n} --argument y={n} --argument n={n}', {'n': 16}],
    'quotients': ['--grid 1 --argument a={n} --argument b={n} --argument y={n} --argument n={n}', {'n': 16}],
}


def load(folder, name):
    """the module NAME of a folder, whose own folder is searched first"""
    import importlib.util

    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(name + '_of_' + os.path.basename(folder), os.path.join(folder, name + '.py'))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def filled(kind, argument, count):
    """what tests/ttir/probes.c puts into argument number `argument`"""
    import numpy

    i = numpy.arange(count, dtype=numpy.uint64)
    mask = numpy.uint64(0xFFFFFFFF)
    h = (i * numpy.uint64(2654435761) + numpy.uint64(2654404609 * (argument + 1) & 0xFFFFFFFF)) & mask
    h ^= h >> numpy.uint64(15)
    h = h * numpy.uint64(2246822519) & mask
    h ^= h >> numpy.uint64(13)
    if kind == 'f':
        return (h % numpy.uint64(4001)).astype(float) / 1000 - 2
    if kind == 'p':
        return (h % numpy.uint64(1000)).astype(float) / 1000 + 0.5
    least, beyond = map(int, kind.split(':')[1:])
    return least + (h % numpy.uint64(beyond - least)).astype(float)


def read_options(text):
    grid = [int(x) for x in re.search(r'--grid (\S+)', text + ' --grid 1').group(1).split(',')]
    arguments = {}
    for name, value in re.findall(r'--argument (\w+)=(\S+)', text):
        arguments[name] = [int(x) for x in value.split(',')]
    return grid + [1] * (3 - len(grid)), arguments


def interpret(function, types, constants, grid, arguments, fills):
    """the case for probes, or None where it cannot be interpreted"""
    import torch

    kinds = {'*fp32': torch.float32, '*fp16': torch.float16, '*i32': torch.int32, '*i64': torch.int64, '*i8': torch.int8}
    names = function.arg_names[: len(types)]
    case = {'args': [], 'grid': grid}
    values, tensors = [], {}
    for number, (name, kind) in enumerate(zip(names, types)):
        if kind.startswith('*'):
            if kind not in kinds or name not in arguments:
                return None
            shape = arguments[name]
            count = 1
            for extent in shape:
                count *= extent
            fill = fills[0] if 'fp' in kind else fills[1]
            around = 4096  # what is read beyond its ends is no crash
            whole = torch.zeros(count + 2 * around, dtype=kinds[kind])
            data = torch.tensor(filled(fill, number, count))
            whole[around : around + count] = data.to(kinds[kind])
            tensors[name] = (whole[around : around + count], data)
            values.append(tensors[name][0])
            case['args'].append({'name': name, 'kind': 'ptr', 'size': count, 'fill': fill})
        elif kind.startswith('fp'):
            values.append(0.25)
            case['args'].append({'name': name, 'kind': 'float', 'value': 0.25})
        else:
            value = arguments.get(name, [1])[0]
            values.append(value)
            case['args'].append({'name': name, 'kind': 'int', 'value': value})
    function[tuple(grid)](*values, **constants)
    case['probe'], case['none'] = {}, {}
    for name, (after, before) in tensors.items():
        changed = (after.double() != before.to(after.dtype).double()).nonzero().flatten().tolist()
        if changed:
            finite = torch.isfinite(after.double())
            case['probe'][name] = [[k, float(after[k])] for k in changed if finite[k]]
            case['none'][name] = [k for k in changed if not finite[k]]
    return case


def launches():
    """name, function, types, constants, text of the kernel, options"""
    own = load(OWN, 'kernels')
    for line in open(os.path.join(OWN, 'launches')):
        words = line.split(None, 2)
        if line.startswith('#') or len(words) < 3:
            continue
        name = words[0]
        types, constants = own.KERNELS[name]
        for less in range(3):  # the last extent, and all that are like it, made smaller
            numbers = [int(x) for x in re.findall(r'=(\d+)(?= |$)', words[2]) if int(x) > 3]
            options = words[2]
            if less and numbers:
                options = re.sub(r'(?<![\w])%d(?![\w])' % numbers[-1], str(numbers[-1] - less), options)
            if less == 0 or numbers:
                yield name, own.function_of(name), types, constants, os.path.join(OWN, name + '.ttir'), options
    masked = load(MASKED, 'kernels')
    for name, (form, most) in MASKED_LAUNCHES.items():
        types, constants = masked.KERNELS[name]
        for rows, n in itertools.product((1, 2, 5, 7), range(1, most.get('n', 1) + 1)):
            options = form.format(r=rows, n=n)
            yield name, getattr(masked, name), types, constants, os.path.join(MASKED, name + '.ttir'), options


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--probes', default=os.path.join(TOP, 'build/tests/ttir/probes'))
    parser.add_argument('--most', type=int, default=100000)
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()
    work = tempfile.mkdtemp(prefix='assay-interpreter.')
    expected, skipped = {}, collections.Counter()
    for number, (name, function, types, constants, text, options) in enumerate(launches()):
        if args.names and name not in args.names:
            continue
        grid, arguments = read_options(options)
        integers = 'i:-128:128' if '*i8' in types else 'i:-9:9' if name == 'quotients' else 'i:0:3'
        for fill in ('f', 'p'):
            stem = os.path.join(work, '%s-%03d%s' % (name, number, fill))
            try:
                made = interpret(function, types, constants, grid, arguments, (fill, integers))
            except Exception as error:  # the interpreter lacks it, or the launch makes no sense
                made = None
                skipped[name + ': ' + type(error).__name__] += 1
            if made is None:
                continue
            json.dump({'cases': [made]}, open(stem + '.json', 'w'))
            os.symlink(text, stem + '.ttir')
            expected[os.path.basename(stem) + '.ttir'] = any(made['none'].values())
    files = [os.path.join(work, name) for name in expected]
    env = dict(os.environ, AS_TOP_SRCDIR=TOP, ASSAY_SEM=os.path.join(TOP, 'semantics'))
    said = subprocess.run([args.probes, '--most', str(args.most)] + files, env=env, capture_output=True, text=True).stdout
    outcome = collections.defaultdict(collections.Counter)
    wrong = []
    for line in said.splitlines():
        words = line.split(None, 2)
        if len(words) < 2 or words[1] not in expected:
            continue
        if len(words) > 2 and 'is outside of' in words[2]:  # where the interpreter reads on
            outcome[words[1].rsplit('-', 1)[0]]['out of bounds'] += 1
            continue
        kind = words[0] + (', not finite' if words[0] == 'agrees' and expected[words[1]] else '')
        outcome[words[1].rsplit('-', 1)[0]][kind] += 1
        if kind == 'DIFFERS':
            wrong.append(line)
    for name, counts in outcome.items():
        print('%-24s %s' % (name, ', '.join('%d %s' % (n, kind) for kind, n in counts.items())))
    total = sum((counts for counts in outcome.values()), collections.Counter())
    for line in wrong + ['skipped %d: %s' % (n, what) for what, n in skipped.items()]:
        print(line)
    print(', '.join('%d %s' % (n, kind) for kind, n in total.items()))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
