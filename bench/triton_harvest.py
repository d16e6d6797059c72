#!/usr/bin/env python3
"""Kernels that torch.compile makes of models, as a folder that triton_folder.py judges.

usage: triton_harvest.py collect PROBLEM.py.. --out OUT [--mode M] [--jobs N] [--seconds S]
       triton_harvest.py folder RUN.json.. --out FOLDER

`collect`, on a machine with a GPU: each problem (a file of KernelBench's form: Model, get_inputs,
get_init_inputs) is compiled at reduced sizes by a process of its own; OUT/NAME.json gets the code
that Inductor wrote and, of each kernel that was launched, its TTIR, tiles and arguments.  The mode
is eval, train (forward and backward), eval16 or train16 (halves).
`folder` makes FOLDER/dev/NAME.ttir and NAME.json of them: launches, and the specifications that the
graphs above the kernels say (ttir_fragments.py).  `triton_folder.py --folder FOLDER` judges them.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import traceback

import ttir_fragments

TYPES = {
    'torch.float64': 'f64',
    'torch.float32': 'f32',
    'torch.float16': 'f16',
    'torch.bfloat16': 'bf16',
    'torch.int64': 'i64',
    'torch.int32': 'i32',
    'torch.int8': 'i8',
    'torch.uint8': 'i8',
    'torch.bool': 'i8',  # a byte in memory
}
MOST_SECONDS = 90  # for one model


# -- on a machine with a GPU ---------------------------------------------------------------------


def described(argument):
    if not hasattr(argument, 'stride'):
        return argument
    return {
        'shape': list(argument.shape),
        'strides': list(argument.stride()),
        'dtype': str(argument.dtype),
    }


def texts_of(autotuner, config):
    """TTIR that is still at hand; else it is in the cache on disk"""
    for result in autotuner.compile_results:
        text = (getattr(getattr(result, 'kernel', None), 'asm', None) or {}).get('ttir')
        if text and str(getattr(result, 'config', None)) == str(config):
            yield text


def launch_of(autotuner, arguments):
    """what is known of a launch when it is over: the tiles that were chosen, and the text"""
    launcher = autotuner.launchers[0]
    texts = list(texts_of(autotuner, launcher.config))
    return {
        'name': autotuner.fn.__name__,
        'tiles': dict(launcher.config.kwargs),
        'grid': autotuner.inductor_meta['grid_type'],
        'names': list(autotuner.fn.arg_names),
        'args': [described(a) for a in arguments],
        'ttir': texts[0] if texts else None,
        'hash': getattr(launcher, 'cache_hash', None),
    }


def record_launches(launches):
    """each kernel's first launch from here on"""
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner

    run, seen = CachingAutotuner.run, set()

    def recorded(self, *arguments, **named):
        result = run(self, *arguments, **named)
        if self.fn.__name__ not in seen:
            seen.add(self.fn.__name__)
            launches.append(launch_of(self, arguments))
        return result

    CachingAutotuner.run = recorded


def on_gpu(mode):
    import torch

    def moved(x):
        half = mode.endswith('16') and isinstance(x, torch.Tensor) and x.is_floating_point()
        return x.cuda().half() if half else x.cuda() if isinstance(x, torch.Tensor) else x

    return moved


def collect_one(path, mode, out):
    import torch
    from torch._inductor.utils import run_and_get_code

    import kernelbench

    torch.manual_seed(0)
    module = kernelbench.load(pathlib.Path(path), reduced=True)
    model = kernelbench.model_of(module).cuda().train(mode.startswith('train'))
    model = model.half() if mode.endswith('16') else model
    inputs = [on_gpu(mode)(x) for x in module.get_inputs()]
    launches = []
    record_launches(launches)
    compiled = torch.compile(model)

    def once():
        with torch.set_grad_enabled(mode.startswith('train')):
            result = compiled(*inputs)
        result = result[0] if isinstance(result, (tuple, list)) else result
        if mode.startswith('train'):
            (result.float() ** 2).sum().backward()

    _, codes = run_and_get_code(once)
    cache = pathlib.Path(os.environ['TRITON_CACHE_DIR'])
    for launch in launches:
        kept = sorted((cache / str(launch['hash'])).glob('*.ttir'))
        if not launch['ttir'] and kept:
            launch['ttir'] = kept[0].read_text()
    about = {'problem': pathlib.Path(path).stem, 'mode': mode, 'codes': codes, 'launches': launches}
    pathlib.Path(out).write_text(json.dumps(about))


def begin(path, options):
    name = '%s_%s' % (pathlib.Path(path).stem, options.mode)
    caches = options.out / 'caches' / name
    env = dict(
        os.environ,
        TRITON_CACHE_DIR=str(caches / 'triton'),
        TORCHINDUCTOR_CACHE_DIR=str(caches / 'inductor'),
        OMP_NUM_THREADS='1',
    )
    log = open(options.out / (name + '.log'), 'w')
    command = [sys.executable, __file__, 'one', path, options.mode]
    command.append(str(options.out / (name + '.json')))
    process = subprocess.Popen(command, env=env, stdout=log, stderr=subprocess.STDOUT)
    return process, name, time.time() + MOST_SECONDS


def collect(options):
    options.out.mkdir(parents=True, exist_ok=True)
    left, running, failed = list(options.files), [], []
    end = time.time() + options.seconds
    while running or (left and time.time() < end):
        while left and len(running) < options.jobs and time.time() < end:
            running.append(begin(left.pop(0), options))
        time.sleep(0.1)
        for one in list(running):
            process, name, limit = one
            if process.poll() is None and time.time() > limit:
                process.kill()
                process.wait()
            if process.poll() is not None:
                running.remove(one)
                failed += [name] if process.returncode != 0 else []
    print('failed: %s; not begun: %d' % (', '.join(failed) or 'none', len(left)))


# -- the folder ----------------------------------------------------------------------------------


def ceil_div(a, b):
    return -(-a // b)


def arguments_of(launch):
    """the launch's arguments as the folder has them"""
    names = [n for n in launch['names'] if n not in launch['tiles']]
    result = []
    for name, value in zip(names, launch['args']):
        if not isinstance(value, dict):
            result.append({'name': name, 'kind': 'int', 'elt': 'i32', 'value': value})
            continue
        extents = zip(value['shape'], value['strides'])
        size = 1 + sum((n - 1) * stride for n, stride in extents) if all(value['shape']) else 0
        result.append(
            {
                'name': name,
                'kind': 'ptr',
                'elt': TYPES[value['dtype']],
                'size': size,
                'shape': value['shape'],
                'strides': value['strides'],
            }
        )
    return result


def grid_of(launch, arguments):
    """None: a grid of another form"""
    axes = {'Grid1D': 'x', 'Grid2D': 'xy', 'Grid3D': 'xyz'}.get(launch['grid'])
    if axes is None:
        return None
    value = {a['name']: a.get('value') for a in arguments}
    tiles = launch['tiles']
    grid = [ceil_div(value[a + 'numel'], tiles.get(a.upper() + 'BLOCK', 1)) for a in axes]
    return grid + [1] * (3 - len(grid))


def case_of(about, launch):
    """a launch with its specification, and why it has none"""
    arguments = arguments_of(launch)
    case = {'args': arguments, 'grid': grid_of(launch, arguments)}
    if not case['grid']:
        return None, 'a grid of the form ' + launch['grid']
    made = '\n%s = async_compile' % launch['name']
    code = next((text for text in about['codes'] if made in text), '')
    pointers = [a for a in arguments if a['kind'] == 'ptr']
    try:
        case['spec'] = ttir_fragments.specification(code, launch['name'], pointers)
    except ttir_fragments.NotSaid as reason:
        return case, str(reason)
    return case, None


def text_alone(ttir):
    """without places in the source, and without the kernel's name: the same kernel again"""
    return re.sub(r'triton_\w+', '', re.sub(r'(#loc.*|loc\(.*)', '', ttir))


def folder(options):
    dev = options.out / 'dev'
    dev.mkdir(parents=True, exist_ok=True)
    seen, n_specified = set(), 0
    for path in options.files:
        about = json.loads(pathlib.Path(path).read_text())
        for launch in about['launches']:
            case, why = case_of(about, launch) if launch['ttir'] else (None, 'no text')
            key = (text_alone(launch['ttir'] or ''), json.dumps(case and case['args']))
            if case is None or key in seen:
                continue
            seen.add(key)
            n_specified += why is None
            name = '%s_%s_%d' % (about['problem'], launch['name'].replace('triton_', ''), len(seen))
            (dev / (name + '.ttir')).write_text(launch['ttir'])
            origin = 'torch.compile of %s, %s' % (about['problem'], about['mode'])
            kept = {'ttir': name + '.ttir', 'origin': origin, 'without': why, 'cases': [case]}
            (dev / (name + '.json')).write_text(json.dumps(kept, indent=1))
    print('%d kernels, %d with a specification' % (len(seen), n_specified))


def main():
    if sys.argv[1:2] == ['one']:
        try:
            collect_one(*sys.argv[2:5])
            return 0
        except Exception:  # whatever a model does; the log has it
            traceback.print_exc()
            return 1
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('what', choices=['collect', 'folder'])
    parser.add_argument('files', nargs='+')
    parser.add_argument('--out', type=pathlib.Path, required=True)
    parser.add_argument('--mode', choices=['eval', 'train', 'eval16', 'train16'], default='eval')
    parser.add_argument('--jobs', type=int, default=8)
    parser.add_argument('--seconds', type=float, default=600)
    options = parser.parse_args()
    (collect if options.what == 'collect' else folder)(options)
    return 0


if __name__ == '__main__':
    sys.exit(main())
