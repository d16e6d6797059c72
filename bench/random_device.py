"""Runs the random programs of bench/random_device on this machine's GPU.

    random_device FOLDER                                       (makes FOLDER; see random_device.c)
    python3 bench/random_device.py FOLDER --out FILE [--seconds N] [--jobs N] [--first N]
    python3 bench/random_device.py FOLDER --out FILE --memcheck N     (the kernels of N programs under compute-sanitizer)
    python3 bench/random_device.py FOLDER --dry                       (no GPU: the references alone)

Texts are compiled side by side while what is compiled runs.  Inputs are drawn here; the reference is the program's text, line by line, by
PyTorch in double precision (operators as this file says, nothing of semantics/).  A result may be off by a share of the root mean square of
the reference, or by four times what PyTorch is off that computes each line in the program's own type.  Outputs and workspace have a margin on
both sides that must stay as it was, and begin as NaN.  An error of CUDA ends a worker: its program is wrong, and the next worker goes on.
FILE gets a JSON object a line; the last lines on standard output say how many were right."""

import argparse
import ctypes
import json
import os
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = {'f32': 1e-3, 'f16': 2e-2, 'bf16': 1e-1}
ROUNDED = 1e-2  # factors rounded to TF32, over the root mean square
OF_EAGER = 4
MARGIN = 4096  # bytes
FILL = 0xFF


def operators(torch):
    """what the programs call, by names"""
    functional = torch.nn.functional

    def split_axis(x, axis, outer, inner):
        return x.reshape(*x.shape[:axis], outer, inner, *x.shape[axis + 1 :])

    def merge_axes(x, axis):
        return x.reshape(*x.shape[:axis], -1, *x.shape[axis + 2 :])

    def slice_(x, axis, start, stop):
        return x.narrow(axis, start, stop - start)

    def layer_norm(x):
        centered = x - x.mean(-1, keepdim=True)
        return centered / torch.sqrt((centered * centered).mean(-1, keepdim=True) + 1e-5)

    return {
        'relu': torch.relu,
        'gelu': functional.gelu,
        'silu': functional.silu,
        'abs': torch.abs,
        'tanh': torch.tanh,
        'sigmoid': torch.sigmoid,
        'maximum': torch.maximum,
        'rms_norm': lambda x: x / torch.sqrt((x * x).mean(-1, keepdim=True)),
        'layer_norm': layer_norm,
        'softmax': lambda x: torch.softmax(x, -1),
        'sum': lambda x: x.sum(-1),
        'mean': lambda x: x.mean(-1),
        'max': lambda x: x.amax(-1),
        'sum_keep': lambda x: x.sum(-1, keepdim=True),
        'mean_keep': lambda x: x.mean(-1, keepdim=True),
        'max_keep': lambda x: x.amax(-1, keepdim=True),
        'transpose': lambda x, axis: x.transpose(axis, axis + 1),
        'merge_axes': merge_axes,
        'split_axis': split_axis,
        'slice': slice_,
        'concat': lambda x, y, axis: torch.cat([x, y], axis),
        'matmul': torch.matmul,
    }


def evaluate(torch, text, inputs):
    """the outputs of a program's text, from tensors by names"""
    names = dict(operators(torch), **inputs)
    for name, value in re.findall(r'^sizes (\w+) = (\d+)$', text, re.M):
        names[name] = int(value)
    outputs = []
    for line in text.splitlines():
        made = re.match(r'(output )?(v\d+) = (.*)$', line)
        if made:
            names[made[2]] = eval(made[3], {'__builtins__': {}}, names)
            if made[1]:
                outputs.append(names[made[2]])
    return outputs


def draw(torch, program, device):
    types = {'f16': torch.float16, 'bf16': torch.bfloat16, 'f32': torch.float32}
    generator = torch.Generator(device=device)
    generator.manual_seed(program['program'])
    inputs = {}
    for port, scale in zip(program['in'], program['scale']):
        drawn = torch.rand(port['shape'], generator=generator, device=device, dtype=torch.float32)
        inputs[port['name']] = ((2 * drawn - 1) * scale).to(types[port['type']])
    return inputs


def expected(torch, program, inputs):
    """by double precision, and how far each may be off"""
    exact = evaluate(torch, program['tp'], {name: x.double() for name, x in inputs.items()})
    eager = evaluate(torch, program['tp'], inputs)
    limits = []
    for want, got, port in zip(exact, eager, program['out']):
        share = TOLERANCE[port['type']]
        if program['tf32'] and port['type'] == 'f32':
            share = ROUNDED
        square = want.square().mean().sqrt().item() if want.numel() else 0
        off = (got.double() - want).abs().max().item() if want.numel() else 0
        limits.append((share * square, OF_EAGER * off if off == off else 0))
    return exact, limits


def judge(torch, program, results, exact, limits):
    """(right, words, the largest share of the limit)"""
    worst = 0.0
    for result, want, limit, port in zip(results, exact, limits, program['out']):
        if want.numel() == 0:
            continue
        got = result.double()
        largest = max(limit) + 1e-30
        bad = ~torch.isfinite(got) & torch.isfinite(want)
        if bad.any():
            return False, '%s: %d elements are not finite' % (port['name'], int(bad.sum())), 0
        error = (got - want).abs().max().item()
        worst = max(worst, error / largest)
        if error > largest:
            return False, '%s: off by %.3g, may be by %.3g' % (port['name'], error, largest), worst
    return True, '', worst


class Memory:
    """a tensor's bytes with a margin on both sides"""

    def __init__(self, torch, size, device):
        self.torch = torch
        self.size = size
        self.whole = torch.full((size + 2 * MARGIN,), FILL, dtype=torch.uint8, device=device)

    def pointer(self):
        return self.whole.data_ptr() + MARGIN

    def view(self, dtype, shape):
        return self.whole[MARGIN : MARGIN + self.size].view(dtype).reshape(shape)

    def is_kept(self):
        margins = self.torch.cat([self.whole[:MARGIN], self.whole[MARGIN + self.size :]])
        return bool((margins == FILL).all())


def run_one(torch, folder, program):
    device = 'cuda'
    types = {'f16': torch.float16, 'bf16': torch.bfloat16, 'f32': torch.float32}
    library = ctypes.CDLL(os.path.join(folder, 'group_%d.so' % program['group']))
    launch = getattr(library, 'assay_launch_%d' % program['id'])
    inputs = draw(torch, program, device)
    exact, limits = expected(torch, program, inputs)
    given = [inputs[port['name']].contiguous() for port in program['in']]
    sizes = [torch.empty(port['shape'], dtype=types[port['type']]) for port in program['out']]
    outputs = [Memory(torch, x.numel() * x.element_size(), device) for x in sizes]
    workspace = Memory(torch, program['workspace'], device)
    pointers = ctypes.c_void_p * 16
    live = (ctypes.c_longlong * 1)(program['live'])
    torch.cuda.synchronize()
    arguments = [
        pointers(*[x.data_ptr() for x in given]),
        pointers(*[x.pointer() for x in outputs]),
        ctypes.c_void_p(workspace.pointer()),
        ctypes.c_void_p(torch.cuda.current_stream().cuda_stream),
    ]
    status = launch(*arguments, live) if program['live'] else launch(*arguments)
    torch.cuda.synchronize()
    if status:
        return False, 'the launch gives %d' % status, 0
    if not workspace.is_kept() or not all(x.is_kept() for x in outputs):
        return False, 'memory beside an output or the workspace was written', 0
    results = [x.view(like.dtype, like.shape) for x, like in zip(outputs, sizes)]
    return judge(torch, program, results, exact, limits)


def work(folder):
    """a line with a program on standard input, a line with what became of it on standard output"""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    for line in sys.stdin:
        program = json.loads(line)
        try:
            right, words, share = run_one(torch, folder, program)
            again = True
        except torch.OutOfMemoryError as error:
            right, words, share, again = None, 'no memory: %s' % str(error)[:100], 0, True
        except Exception as error:  # of CUDA: the context is lost
            right, words, share, again = False, str(error)[:300], 0, False
        print(json.dumps({'id': program['id'], 'right': right, 'words': words, 'share': share}))
        sys.stdout.flush()
        if not again:
            os._exit(3)


def compile_group(folder, group, arch):
    nvcc = os.environ.get('NVCC', '/usr/local/cuda/bin/nvcc')
    target = 'compute_%s,code=sm_%s' % (arch, arch)
    source = os.path.join(folder, 'group_%d.cu' % group)
    command = [nvcc, '-std=c++17', '-O3', '-gencode=arch=' + target, '-shared']
    command += ['-Xcompiler', '-fPIC', source, '-o', source[:-3] + '.so']
    made = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return made.returncode == 0, made.stdout


class Workers:
    """one at a time, each for as long as CUDA takes its programs"""

    def __init__(self, folder):
        self.folder = folder
        self.process = None

    def run(self, program):
        if self.process is None or self.process.poll() is not None:
            command = [sys.executable, os.path.abspath(__file__), self.folder, '--worker']
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        try:
            self.process.stdin.write(json.dumps(program) + '\n')
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ''
        if line:
            return json.loads(line)
        status = self.process.wait()
        words = 'the worker ended with status %d' % status
        return {'id': program['id'], 'right': False, 'words': words, 'share': 0}


def groups_of(programs):
    groups = {}
    for program in programs:
        groups.setdefault(program['group'], []).append(program)
    return groups


def run_all(options, programs):
    started = time.time()
    groups = groups_of(programs)
    counted = {'right': 0, 'wrong': 0, 'not run': 0}
    workers = Workers(options.folder)
    lock = threading.Lock()
    out = open(options.out, 'w')

    def tell(program, result):
        how = {True: 'right', False: 'wrong', None: 'not run'}[result['right']]
        counted[how] += 1
        out.write(json.dumps(dict(result, program=program['program'], kernels=program['kernels'],
                                  searched=program['mug'] is not None, arch=program['arch'],
                                  library=program['library'], tf32=program['tf32'])) + '\n')  # fmt: skip
        if how == 'wrong':
            print('WRONG', json.dumps(dict(program, words=result['words'])))

    def group(number):
        if time.time() - started > options.seconds:
            made, said = None, 'the time is up'
        else:
            made, said = compile_group(options.folder, number, options.arch)
        with lock:
            for program in groups[number]:
                if made and time.time() - started < options.seconds:
                    tell(program, workers.run(program))
                else:
                    right = False if made is False else None
                    words = said[-600:] if made is False else 'the time is up'
                    tell(program, {'id': program['id'], 'right': right, 'words': words, 'share': 0})
            out.flush()

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(group, sorted(groups)))
    out.close()
    print(json.dumps(dict(counted, lowerings=len(programs), seconds=time.time() - started)))
    return counted['wrong'] == 0


def memcheck(options, programs):
    """the kernels alone: PyTorch's would take most of the time"""
    started = time.time()
    nvcc = os.environ.get('NVCC', '/usr/local/cuda/bin/nvcc')
    runner = os.path.join(options.folder, 'memory')
    source = os.path.join(HERE, 'random_device.cu')
    subprocess.run([nvcc, '-std=c++17', '-O1', source, '-o', runner, '-ldl'], check=True)
    plain = [p for p in programs if not p['calls']][: options.memcheck]
    chosen = groups_of(plain)
    size = {'f16': 2, 'bf16': 2, 'f32': 4, 'int': 4}
    out = open(options.out, 'w')
    bad = [0]
    done = [0]
    lock = threading.Lock()

    def group(number):
        library = os.path.join(options.folder, 'group_%d.so' % number)
        if not os.path.exists(library) and time.time() - started < options.seconds:
            compile_group(options.folder, number, options.arch)
        lines = []
        for program in chosen[number]:
            words = [program['id'], program['workspace'], program['live'], len(program['in'])]
            words.append(len(program['out']))
            for port in program['in'] + program['out']:
                elements = 1
                for extent in port['shape']:
                    elements *= extent
                words += [elements * size[port['type']], port['type']]
            lines.append(' '.join(str(word) for word in words))
        command = ['compute-sanitizer', '--tool', options.tool, '--error-exitcode', '9', runner]
        left = options.seconds - (time.time() - started)
        if left < 5:
            words, status, ran = 'the time is up', None, 0
        else:
            try:
                run = subprocess.run(command + [library], input='\n'.join(lines) + '\n', text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=left)  # fmt: skip
                words, status, ran = run.stdout, run.returncode, run.stdout.count('ran ')
            except subprocess.TimeoutExpired:
                words, status, ran = 'the time is up', None, 0
        with lock:
            bad[0] += status not in (0, None)
            done[0] += ran
            out.write(json.dumps({'group': number, 'status': status, 'ran': ran,
                                  'words': words[-1500:]}) + '\n')  # fmt: skip
            out.flush()

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(group, sorted(chosen)))
    print(json.dumps({'tool': options.tool, 'ran': done[0], 'of': len(plain), 'groups': len(chosen),
                      'groups with errors': bad[0], 'seconds': time.time() - started}))  # fmt: skip
    return bad[0] == 0


def dry(programs):
    import torch

    most = 0.0
    for program in programs:
        inputs = draw(torch, program, 'cpu')
        exact, limits = expected(torch, program, inputs)
        assert all(list(x.shape) == port['shape'] for x, port in zip(exact, program['out']))
        most = max([most] + [limit[1] / OF_EAGER / (limit[0] + 1e-30) for limit in limits])
    print('%d references; PyTorch in the programs\' types is off by %.3g of the limit' % (len(programs), most))
    return True


def main():
    options = argparse.ArgumentParser()
    options.add_argument('folder')
    options.add_argument('--out')
    options.add_argument('--seconds', type=float, default=600)
    options.add_argument('--jobs', type=int, default=os.cpu_count())
    options.add_argument('--first', type=int, default=0, help='lowering to begin with')
    options.add_argument('--cases', type=int, default=1 << 30)
    options.add_argument('--arch', default='90a')
    options.add_argument('--memcheck', type=int, default=0)
    options.add_argument('--tool', default='memcheck')
    options.add_argument('--dry', action='store_true')
    options.add_argument('--worker', action='store_true')
    options = options.parse_args()
    if options.worker:
        work(options.folder)
        return 0
    with open(os.path.join(options.folder, 'programs.jsonl')) as lines:
        programs = [json.loads(line) for line in lines]
    programs = programs[options.first : options.first + options.cases]
    if options.dry:
        return not dry(programs)
    return not (memcheck if options.memcheck else run_all)(options, programs)


if __name__ == '__main__':
    sys.exit(main())
