#!/usr/bin/env python3
"""The rules of the tree that a compiler does not see.

    tests/lint.py [FOLDER]     prints what is wrong, one line each; exits 1 where there is anything

tests/layers says which module may include which.  Whatever else is allowed is in the tables below.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys

# What there is to read of what is trusted: tokens of C without comments.
CHECKER_TOKENS = 69800
TOKEN = re.compile(
    r'''/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|\d[\w.]*|->|\+\+|--|<<=|>>=|<<|>>|<=|>=
                       |==|!=|&&|\|\||[-+*/%&|^]=|\.\.\.|\#\#|\\\n|\S''',
    re.S | re.X,
)
CHECKER_HEADERS = re.compile(r'(gmp|std\w*|string|limits|errno|inttypes|ctype|unistd|dirent)\.h$')
FILE_LINES = 800
# Main, options, progress and one file a command: what grows beyond this belongs to a module below.
COMMAND_LINES = 2000
COLUMNS = 100
# Nothing is decided by searching a message or JSON as text.  Who searches a text, and for what.
SEARCHES_TEXT = {
    'src/threads/wrappers.c': "an instruction's text, for its holes",
    'verify/smt/smt_child.c': (
        'what a solver says of its version, and where its argument has the limit'
    ),
    'verify/smt/smt_z3.c': 'the command that is a call there',
}
# Folders of the shared data that others wrote.
OTHERS = ('mirage-mugraphs', 'pytorch', 'trinity', 'ttir')
# Texts of one machine, and of unfinished work.
UNWANTED = re.compile(r'/(work|home|root)/[a-z]|\b(TODO|FIXME|XXX)\b')
TEXT_FILES = (
    '.c',
    '.h',
    '.md',
    '.mk',
    '.sh',
    '.py',
    '.am',
    '.ac',
    '.sem',
    '.tp',
    '.mug',
    '.rule',
    '.cu',
    '.cuh',
    '.1',
    'quickstart',
)

SILENT = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL}

found = []


def say(line):
    found.append(line)


def read(path):
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read()


def tracked_or_present():
    """Every file of the tree: by git where there is one, so that a build inside does not count."""
    try:
        out = subprocess.run(
            ['git', 'ls-files', '-co', '--exclude-standard', '-z'],
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ).stdout.decode()
        files = out.split('\0')
    except (OSError, subprocess.CalledProcessError):
        files = [
            os.path.relpath(os.path.join(folder, name), '.')
            for top in (
                'proofs',
                'src',
                'semantics',
                'verify',
                'search',
                'tests',
                'bench',
                'docs',
                'examples',
                'man',
            )
            for folder, _, names in os.walk(top)
            for name in names
        ]
    return sorted(path for path in files if path and os.path.isfile(path))


def modules():
    table = {}
    for line in read('tests/layers').splitlines():
        words = line.split('#')[0].split()
        if words:
            table[words[0]] = words[1:]
    for module, allowed in table.items():
        for other in allowed:
            if other != '*' and other not in table:
                say(f'tests/layers: {module}: there is no module {other}')
    return table


def module_of(path, table):
    return next((module for module in table if path.startswith(module + '/')), None)


def includes(path):
    return re.findall(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', read(path), re.M)


def find_cycle(graph):
    """A list of modules, first and last the same; None where the graph has no cycle."""
    done, way = set(), []

    def visit(module):
        if module in way:
            return way[way.index(module) :] + [module]
        if module in done:
            return None
        way.append(module)
        for other in sorted(graph.get(module, ())):
            cycle = visit(other)
            if cycle:
                return cycle
        way.pop()
        done.add(module)
        return None

    return next(filter(None, (visit(module) for module in sorted(graph))), None)


def check_includes(sources):
    table = modules()
    graph, example = {}, {}
    for path in sources:
        module = module_of(path, table)
        if module is None or path.startswith('src/lower/emu/'):
            continue
        for quote, name in includes(path):
            if quote == '<':
                if module == 'proofs/checker' and not CHECKER_HEADERS.match(name):
                    say(f'{path}: the checker includes <{name}>')
                continue
            if name == 'config.h':
                continue
            places = (os.path.dirname(path), '.', 'src')
            there = next(
                (
                    p
                    for p in (os.path.normpath(os.path.join(place, name)) for place in places)
                    if os.path.isfile(p)
                ),
                None,
            )
            if there is None:
                say(f'{path} includes "{name}", which is not in the tree')
                continue
            other = module_of(there, table)
            if other == module:
                continue
            allowed = table[module]
            if other is None or not (other in allowed or '*' in allowed):
                say(f'{path} ({module}) may not include {there} ({other})')
            graph.setdefault(module, set()).add(other)
            example.setdefault((module, other), f'{path} includes {there}')
    cycle = find_cycle(graph)
    if cycle:
        say('modules include each other: ' + ' -> '.join(cycle))
        for pair in zip(cycle, cycle[1:]):
            say('  ' + example[pair])


def check_reach(files):
    """tests/reach speaks of all folders of tests, and of what there is."""
    rows = [line.split('#')[0].split() for line in read('tests/reach').splitlines()]
    named = {words[0] for words in rows if words}
    for word in sorted({word for words in rows for word in words} - {'*'}):
        if not any(path.startswith((word + '/', word + '.')) or path == word for path in files):
            say(f'tests/reach: there is no {word}')
    for path in files:
        folder = os.path.dirname(path)
        if re.fullmatch(r'tests/[^/]+/local.mk', path) and folder not in named:
            say(f'tests/reach says nothing of {folder}')


def check_sizes(sources, scripts):
    checker = sum(
        not token.startswith(('/*', '//')) and token != '\\\n'
        for path in sources
        if path.startswith('proofs/checker/')
        for token in TOKEN.findall(read(path))
    )
    if checker > CHECKER_TOKENS:
        say(f'the trusted checker has {checker} tokens; {CHECKER_TOKENS} are allowed')
    for path in sources + scripts:
        lines = read(path).count('\n')
        if lines > FILE_LINES:
            say(f'{path} has {lines} lines; {FILE_LINES} are allowed')
    command = sum(read(path).count('\n') for path in sources if path.startswith('src/cli/'))
    if command > COMMAND_LINES:
        say(
            f'src/cli has {command} lines; {COMMAND_LINES} are allowed: main, options, progress,'
            ' commands'
        )


def check_layout(sources):
    """clang-format decides."""
    files = sources
    for path in files:
        for number, line in enumerate(read(path).splitlines(), 1):
            if len(line) > COLUMNS:
                say(f'{path}:{number}: {len(line)} columns; {COLUMNS} are allowed')
    if not shutil.which('clang-format'):
        return
    shares = [files[i :: os.cpu_count() or 1] for i in range(os.cpu_count() or 1)]
    runs = [
        subprocess.Popen(['clang-format', '--dry-run', '-Werror'] + share, stderr=subprocess.PIPE)
        for share in shares
        if share
    ]
    wrong = {
        match
        for run in runs
        for match in re.findall(r'^(\S+?):\d+:\d+: error', run.communicate()[1].decode(), re.M)
    }
    for path in sorted(wrong):
        say(f'{path} is not laid out by clang-format')


def check_texts(files, sources):
    for path in files:
        if path.endswith(TEXT_FILES) and path != 'tests/lint.py':
            for number, line in enumerate(read(path).splitlines(), 1):
                if UNWANTED.search(line):
                    say(f'{path}:{number}: {line.strip()}')
    for path in sources:
        if not path.startswith(('src/', 'verify/', 'search/', 'semantics/', 'proofs/')):
            continue
        for number, line in enumerate(read(path).splitlines(), 1):
            if re.search(r'\bstrstr *\(', line) and path not in SEARCHES_TEXT:
                say(f'{path}:{number}: decides by searching a text: {line.strip()}')


def check_names(scripts):
    """Names that a script reads and nobody defines, where pyflakes is installed: only a run that
    comes by would show them."""
    try:
        subprocess.run([sys.executable, '-m', 'pyflakes', '--version'], check=True, **SILENT)
    except subprocess.CalledProcessError:
        return
    ours = [path for path in scripts if '/write/cases/' not in path]
    run = subprocess.run([sys.executable, '-m', 'pyflakes'] + ours, stdout=subprocess.PIPE)
    for line in run.stdout.decode().splitlines():
        if 'undefined name' in line:
            say(line)


def check_others_files(files):
    """Files of others stay in the shared folder: none is in this tree under whatever name."""
    data = os.path.join(os.environ.get('AS_SHARED') or '../shared', 'data')
    theirs = {}
    for top in OTHERS:
        for folder, _, names in os.walk(os.path.join(data, top)):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.getsize(path):
                    with open(path, 'rb') as file:
                        theirs[hashlib.sha256(file.read()).digest()] = path
    for path in files:
        with open(path, 'rb') as file:
            original = theirs.get(hashlib.sha256(file.read()).digest())
        if original:
            say(f'{path} is a file of others: {original}')


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), '..'))
    files = tracked_or_present()
    folders = ('proofs/', 'src/', 'semantics/', 'verify/', 'search/', 'tests/')
    sources = [path for path in files if path.startswith(folders) and path.endswith(('.c', '.h'))]
    scripts = [
        path
        for path in files
        if path.startswith(folders + ('bench/',)) and path.endswith(('.py', '.sh', '.cu', '.cuh'))
    ]
    check_includes(sources)
    check_reach(files)
    check_sizes(sources, scripts)
    check_layout(sources)
    check_texts(files, sources)
    check_names([path for path in files if path.endswith('.py')])
    check_others_files(files)
    for line in found:
        print('lint:', line)
    if not found:
        print('lint: clean')
    sys.exit(bool(found))


main()
