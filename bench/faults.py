#!/usr/bin/env python3
"""Which tests notice a wrong line?  Lines of C are changed one at a time, spread over all modules;
the suite runs on each changed tree until a test fails.

    bench/faults.py [--seed N] [--count N] [--jobs N] [--lanes N] [--work FOLDER] [--out FILE]
                    [--tests all|reached|fast|NAME,..] [--times FILE] [--within SECONDS]
    bench/faults.py --mutants FILE ..      the changes that FILE, an earlier --out, has, on this tree

With --lanes, N changed trees at once share the jobs.  What --out has already is not judged again,
so that a run that --within ended goes on where it was.

Changes: an operator for its neighbour, a number that is one more, a condition negated, a statement
left out.  The same seed gives the same changes of the same sources; what does not compile is drawn
again.  The tree is copied to the work folder (git's files, as they are) and built there, so that
this one stays as it is.  Tests that the changed file reaches come first (tests/since.py), the
shorter ones before the longer ones (--times: tests/times.tsv of an earlier run); --tests=reached
leaves out the others, --tests=fast has those of `make check-fast` alone, names those named.  A test
that takes ten times as long as it did there, and two minutes at least, has failed.  What fails on
the unchanged tree, too, is left out.

--out: of each its file, line, what it was, what it is, `caught` or `missed`, and by which test.
"""

import argparse
import concurrent.futures
import copy
import itertools
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import threading
import time

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
SWAPS = [
    (r' < ', ' <= '), (r' <= ', ' < '), (r' > ', ' >= '), (r' >= ', ' > '), (r' == ', ' != '),
    (r' != ', ' == '), (r' && ', ' || '), (r' \|\| ', ' && '), (r' \+ ', ' - '), (r' - ', ' + '),
    (r' \* ', ' + '), (r'\+\+', '--'), (r' \+= ', ' -= '),
]  # fmt: skip
NUMBER = re.compile(r'(?<![\w.%"])(\d+)(?=[uUlL]*\b(?![\w.]))')
CONDITION = re.compile(r'^(\s*(?:\} else )?(?:if|while) \()(.*)(\)(?: \{)?)$')
STATEMENT = re.compile(r'^\s+[a-z_][\w\[\].>()-]*(?: [-+*/|&]?= .*|\(.*\)|\+\+|--);$')
DECLARATION = re.compile(
    r'^\s+(?:const |static |struct |unsigned )?[a-z_]\w* \**\w+(?:\[.*\])?(?: =|;)'
)


def modules(top):
    with open(os.path.join(top, 'tests', 'layers'), encoding='utf-8') as file:
        rows = [line.split('#')[0].split() for line in file]
    return [row[0] for row in rows if row]


def sources(top, module, others):
    inner = [other for other in others if other.startswith(module + '/')]
    found = []
    for folder, folders, names in os.walk(os.path.join(top, module)):
        path = os.path.relpath(folder, top)
        if any(path == other or path.startswith(other + '/') for other in inner):
            folders[:] = []
            continue
        found += [os.path.join(path, name) for name in names if name.endswith('.c')]
    return sorted(found)


def masked(line):
    """the line with the insides of its texts and characters blanked, at the same places"""
    return re.sub(
        r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', lambda m: '"' + '~' * (len(m[0]) - 2) + '"', line
    )


def changes(line):
    """all that can be made of a line"""
    code = masked(line)
    if (
        not code.strip()
        or code.lstrip().startswith(('#', '/', '*'))
        or '/*' in code
        or '*/' in code
    ):
        return []
    if not code.startswith(' ') or 'assert' in code or 'AS_TRACE' in code:
        return []  # outside of functions, and what only says something
    made = []
    for pattern, other in SWAPS:
        made += [line[: m.start()] + other + line[m.end() :] for m in re.finditer(pattern, code)]
    made += [
        line[: m.start(1)] + str(int(m[1]) + 1) + line[m.end(1) :]
        for m in NUMBER.finditer(code)
        if len(m[1]) < 10
    ]
    m = CONDITION.match(line)
    if m and code[m.start(2) : m.end(2)].count('(') == code[m.start(2) : m.end(2)].count(')'):
        made.append('%s!(%s)%s' % m.groups())
    if STATEMENT.match(code) and not DECLARATION.match(code):
        made.append(re.match(r'\s*', line)[0] + ';')
    return [other for other in made if other != line]


def draw(top, rng, count):
    """changes without end, module by module; which come first depends on the seed alone"""
    names = modules(top)
    files = {module: sources(top, module, names) for module in names}
    # what only a build with MPI compiles is left out
    names = [module for module in names if files[module] and module != 'launch']
    while True:
        rng.shuffle(names)
        for module in names:
            lines = []
            for path in files[module]:
                with open(os.path.join(top, path), encoding='utf-8') as file:
                    lines += [(path, i, line) for i, line in enumerate(file.read().split('\n'))]
            while True:
                path, at, line = rng.choice(lines)
                made = changes(line)
                if made:
                    yield path, at, line, rng.choice(made)
                    break


def told(path):
    with open(path, encoding='utf-8') as file:
        for row in file:
            words = row.rstrip('\n').split('\t')
            if len(words) >= 4:
                yield words[0], int(words[1]) - 1, words[2], words[3]


def verdicts(path):
    """what an earlier run left in its --out: (change, (verdict, test)) each"""
    if not os.path.exists(path):
        return []
    with open(path, encoding='utf-8') as file:
        rows = [row.rstrip('\n').split('\t') for row in file]
    return [((r[0], int(r[1]) - 1, r[2], r[3]), (r[4], r[5])) for r in rows if len(r) == 6]


def applied(path, at, old, new):
    """the text of the file with the line changed, where it stands now; None: it is not there"""
    with open(path, encoding='utf-8') as file:
        lines = file.read().split('\n')
    places = [i for i, line in enumerate(lines) if line == old]
    if not places:
        return None
    lines[min(places, key=lambda i: abs(i - at))] = new
    return '\n'.join(lines)


class Suite:
    """a copy of the tree, built, and its tests"""

    def __init__(self, options):
        self.jobs = max(1, options.jobs // options.lanes)
        self.top = os.path.join(options.work, 'tree')
        self.build = os.path.join(self.top, 'build')
        os.makedirs(self.top, exist_ok=True)
        names = subprocess.run(
            ['git', '-C', TOP, 'ls-files', '-co', '--exclude-standard', '-z'],
            check=True,
            stdout=subprocess.PIPE,
        ).stdout.decode()
        for name in filter(None, names.split('\0')):
            path = os.path.join(self.top, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if os.path.isfile(os.path.join(TOP, name)):
                shutil.copy2(os.path.join(TOP, name), path)
        os.makedirs(self.build, exist_ok=True)
        if not os.path.exists(os.path.join(self.build, 'Makefile')):
            subprocess.run(['./autogen.sh'], cwd=self.top, check=True)
            subprocess.run(['../configure', '-q'], cwd=self.build, check=True)
        printed = 'print:\n\t@echo $(%s)\n\t@echo $(check_PROGRAMS)\n' % (
            'FAST_TESTS' if options.tests == 'fast' else 'TESTS'
        )
        tests, programs = subprocess.run(
            ['make', '-s', '-f', 'Makefile', '-f', '-', 'print'],
            cwd=self.build, check=True, input=printed, text=True, stdout=subprocess.PIPE,
        ).stdout.split('\n')[:2]  # fmt: skip
        self.tests, self.programs = tests.split(), programs.split()
        if options.tests not in ('all', 'reached', 'fast'):
            self.tests = options.tests.split(',')
            self.programs = [program for program in self.programs if program in self.tests]
        self.environment = dict(
            os.environ, AS_TOP_SRCDIR=self.top, AS_TOP_BUILDDIR=self.build, ASSAY_CACHE='',
            CK_TIMEOUT_MULTIPLIER='8', AS_SHARED=os.path.abspath(os.path.join(TOP, '..', 'shared')),
        )  # fmt: skip
        if options.tests == 'fast':
            self.environment['AS_FAST'] = '1'
        if not self.made():
            sys.exit('faults: the tree does not build')
        self.lock = threading.Lock()
        self.seconds = dict(read_seconds(options.times)) if options.times else {}

    def twin(self, top):
        """the same suite over a copy of the built tree"""
        if not os.path.exists(top):
            shutil.copytree(self.top, top, symlinks=True)
        other = copy.copy(self)
        other.top, other.build = top, os.path.join(top, 'build')
        other.lock = threading.Lock()
        other.environment = dict(
            self.environment, AS_TOP_SRCDIR=other.top, AS_TOP_BUILDDIR=other.build
        )
        return other

    def made(self, goals=('all',)):
        """Does it compile?  Test programs are made when they are about to run."""
        return (
            subprocess.run(
                ['make', '-s', '-j%d' % self.jobs] + list(goals),
                cwd=self.build,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            ).returncode
            == 0
        )

    def passes(self, test):
        if test in self.programs:
            with self.lock:  # two of make in one folder would write the same objects
                if not self.made([test]):
                    return False
        path = os.path.join(self.build, test)
        path = path if os.path.exists(path) else os.path.join(self.top, test)
        child = subprocess.Popen(
            [path], cwd=self.build, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            return child.wait(max(120, 10 * self.seconds.get(test, 10))) in (0, 77)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 9)
            child.wait()
            return False

    def order(self, path, only_reached):
        """the tests that the file reaches, and then the others"""
        words = [
            sys.executable,
            os.path.join(TOP, 'tests', 'since.py'),
            '--files',
            path,
            '--',
        ] + self.tests
        reached = set(
            subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        )
        tests = [test for test in self.tests if test != 'tests/lint.sh']
        tests.sort(key=lambda test: (test not in reached, self.seconds.get(test, 10)))
        return [test for test in tests if test in reached or not only_reached]

    def first_failing(self, tests, fails_anyway):
        """the first that fails on this tree; fails_anyway(test): on the unchanged one, too"""
        left = iter(tests)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            running = {}
            failed = None
            while True:
                while failed is None and len(running) < self.jobs:
                    test = next(left, None)
                    if test is None:
                        break
                    running[pool.submit(self.passes, test)] = test
                if not running:
                    return failed
                done, _ = concurrent.futures.wait(
                    running, return_when=concurrent.futures.FIRST_COMPLETED
                )
                for one in done:
                    test = running.pop(one)
                    if not one.result() and failed is None and not fails_anyway(test):
                        failed = test


class Unchanged:
    """Which tests fail without any change?  Asked of those alone that failed with one."""

    def __init__(self, suite):
        self.suite = suite
        self.known = {}
        self.lock = threading.Lock()

    def fails(self, test):
        with self.lock:
            if test not in self.known:
                self.known[test] = not self.suite.passes(test)
                if self.known[test]:
                    print('faults: %s fails on the unchanged tree' % test, flush=True)
            return self.known[test]


def read_seconds(path):
    """rows of an earlier run's tests/times.tsv: (test, seconds)"""
    with open(path, encoding='utf-8') as file:
        for row in file:
            words = row.rstrip('\n').split('\t')
            try:
                yield next(w for w in words if w.startswith('tests/')), float(words[0])
            except (StopIteration, ValueError):
                continue


def judge(suite, change, options, unchanged):
    """'caught' or 'missed' and the test; None: it is no change of this tree, or does not compile"""
    path, at, old, new = change
    here = os.path.join(suite.top, path)
    text = applied(here, at, old, new) if os.path.exists(here) else None
    if text is None:
        return None
    with open(here, encoding='utf-8') as file:
        before = file.read()
    try:
        with open(here, 'w', encoding='utf-8') as file:
            file.write(text)
        if not suite.made():
            return None
        tests = suite.order(path, options.tests == 'reached')
        by = suite.first_failing(tests, unchanged.fails)
        return ('caught', by) if by else ('missed', '-')
    finally:
        with open(here, 'w', encoding='utf-8') as file:
            file.write(before)


def judge_all(suites, drawn, options, known, unchanged):
    """Judges changes on all suites at once; yields (change, verdict or None, seconds)."""
    lock = threading.Lock()
    end = time.monotonic() + options.within if options.within else float('inf')
    wanted = float('inf') if options.mutants else options.count - len(known)
    judged = itertools.count()
    done = queue.SimpleQueue()

    def run(suite):
        count = 0
        while time.monotonic() < end and count < wanted:
            with lock:
                change = next(drawn, None)
            if change is None:
                break
            if change in known:
                continue
            begun = time.monotonic()
            verdict = judge(suite, change, options, unchanged)
            if verdict is not None:
                with lock:
                    count = next(judged) + 1
                if count > wanted:
                    break
            done.put((change, verdict, time.monotonic() - begun))

    with concurrent.futures.ThreadPoolExecutor(len(suites)) as pool:
        left = [pool.submit(run, suite) for suite in suites]
        while not all(one.done() for one in left) or not done.empty():
            try:
                yield done.get(timeout=1)
            except queue.Empty:
                continue
        for one in left:
            one.result()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=60)
    parser.add_argument('--jobs', type=int, default=os.cpu_count() or 1)
    parser.add_argument('--lanes', type=int, default=1)
    parser.add_argument('--within', type=float)
    parser.add_argument('--times')
    parser.add_argument('--work', default='faults-work')
    parser.add_argument('--tests', default='all')
    parser.add_argument('--mutants')
    parser.add_argument('--out', default='faults.tsv')
    options = parser.parse_args()
    options.work = os.path.abspath(options.work)
    suite = Suite(options)
    print('seed %d; %d tests' % (options.seed, len(suite.tests)), flush=True)
    drawn = (
        told(options.mutants)
        if options.mutants
        else draw(suite.top, random.Random(options.seed), options.count)
    )
    rows = verdicts(options.out)
    known = {row[0] for row in rows}
    caught = [row[1][0] for row in rows].count('caught')
    judged = len(rows)
    suites = [
        suite.twin(os.path.join(options.work, 'tree%d' % i)) for i in range(1, options.lanes + 1)
    ]
    with open(options.out, 'a', encoding='utf-8') as out:
        for change, verdict, seconds in judge_all(
            suites, drawn, options, known, Unchanged(suite)
        ):
            path, at, old, new = change
            if verdict is None:
                if options.mutants:
                    print('faults: not a change of this tree: %s:%d' % (path, at + 1), flush=True)
                continue
            judged += 1
            caught += verdict[0] == 'caught'
            print('\t'.join((path, str(at + 1), old, new) + verdict), file=out, flush=True)
            print(
                '%d: %s:%d %s by %s, %.0f s' % (judged, path, at + 1, *verdict, seconds),
                flush=True,
            )
    print('%d of %d caught' % (caught, judged))


main()
