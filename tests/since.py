#!/usr/bin/env python3
"""Which tests do the files reach that were changed since a revision?

    tests/since.py REV TEST...            prints those of the tests, one a line
    tests/since.py --files FILE... -- TEST...   the same of files that are named

A changed source reaches the tests of its module, and of all modules that include it, directly or not: tests/layers says what
includes what, tests/reach which modules a test is about.  A changed file of tests/ reaches the tests of its folder; one that
nothing is known about reaches all.
"""

import os
import subprocess
import sys

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))


def table(name):
    """Rows of a table: its first word, and the others."""
    rows = {}
    with open(os.path.join(TOP, 'tests', name), encoding='utf-8') as file:
        for line in file:
            words = line.split('#')[0].split()
            if words:
                rows[words[0]] = words[1:]
    return rows


def within(path, folder):
    return path == folder or path.startswith(folder + '/')


def closed(modules, layers):
    """The modules and all that they include."""
    known, left = set(), list(modules)
    while left:
        module = left.pop()
        if module not in known:
            known.add(module)
            left += [other for other in layers.get(module, ()) if other != '*']
    return known


def about(test, rows, layers):
    """The modules and folders that a test reaches; None where no row of tests/reach fits."""
    words = next((rows[name] for name in rows if within(test, name)), None)
    if words is None:
        return None
    left_out = {word[1:] for word in words if word.startswith('-')}
    named = [word for word in words if word != '*' and not word.startswith('-')]
    every = [module for module in layers if module not in left_out] if '*' in words else []
    return closed(named, layers) | set(every)


def folder_of(path, folders):
    """The innermost of the folders that has the path."""
    return max((folder for folder in folders if within(path, folder)), key=len, default=None)


def reached(files, tests):
    layers, rows = table('layers'), table('reach')
    reach = {test: about(test, rows, layers) for test in tests}
    folders = set(layers).union(*(modules or () for modules in reach.values()))
    found = set()
    for path in files:
        if path.startswith('tests/') and path.count('/') > 1:
            own = {
                test for test in tests if path.startswith((test + '.', test + '/')) or path == test
            }
            folder = '/'.join(path.split('/')[:2])
            found |= own or {test for test in tests if within(test, folder)}
            found |= {test for test in tests if test == 'tests/lint.sh'}
            continue
        folder = folder_of(path, folders)
        if folder is None:
            return list(tests)
        found |= {
            test
            for test, modules in reach.items()
            if modules is None or any(within(path, module) for module in modules)
        }
    return [test for test in tests if test in found]


def changed(revision):
    """Files that differ from a revision, those that git does not know included."""
    run = lambda *words: subprocess.run(
        ('git', '-C', TOP) + words, check=True, stdout=subprocess.PIPE
    ).stdout.decode()
    names = run('diff', '--name-only', '--no-renames', '-z', revision, '--')
    names += run('ls-files', '--others', '--exclude-standard', '-z')
    return [name for name in names.split('\0') if name]


def main():
    words = sys.argv[1:]
    if words[:1] == ['--files']:
        border = words.index('--')
        files, tests = words[1:border], words[border + 1 :]
    else:
        try:
            files, tests = changed(words[0]), words[1:]
        except (subprocess.CalledProcessError, OSError) as error:
            sys.exit(f'since: git cannot say what has changed: {error}')
    print('\n'.join(reached(files, tests)))


main()
