#!/usr/bin/env python3
"""Writes docs/found.md: what certifying the published rewrite rules found.

usage: found.py ASSAY > docs/found.md        (ASSAY: the built command; `make found` in a build
folder does this)

tests/rules/oracle.py must agree with the run.  All verdicts, counterexamples and the repaired
rules' proofs are those of a run; only the advice of tests/rules/advice.tsv is written by hand, and
what it says of a rule in braces is replaced by that rule's verdict."""

import csv
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap

import found_tiles

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GROUPS = [
    ('TASO, as tensat uses it', ('TS-',)),
    ('TASO', ('TB-', 'TC-')),
    ('TensorRight', ('TR-',)),
    ('Trinity', ('TY-A',)),
    ('Trinity, instances of rules on loops', ('TY-L',)),
    ('Mirage', ('MI-',)),
    ('Axon', ('AX-',)),
    ('Issue trackers', ('RW-',)),
    ('Probes of an encoding', ('PB-',)),
]
OTHERS = [('folklore', ('FL-',)), ('deliberate mutants', ('MU-',))]


def table(path):
    with open(os.path.join(TOP, path)) as f:
        return list(csv.DictReader(f, delimiter='\t', quoting=csv.QUOTE_NONE))


def certify(assay, files):
    env = dict(os.environ, ASSAY_SEM=os.path.join(TOP, 'semantics'))
    p = subprocess.run(
        [assay, 'certify', '--solvers=none', '--json'] + files,
        stdout=subprocess.PIPE,
        env=env,
        text=True,
        check=False,
    )
    if p.returncode not in (0, 1, 3):
        sys.exit('found.py: %s certify: exit %d' % (assay, p.returncode))
    with tempfile.NamedTemporaryFile('w', suffix='.json') as f:
        f.write(p.stdout)
        f.flush()
        oracle = [
            sys.executable,
            os.path.join(TOP, 'tests/rules/oracle.py'),
            env['ASSAY_SEM'],
            '--report',
            f.name,
        ]
        subprocess.run(oracle, stdout=sys.stderr, check=True)
    return {r['rule']: r for r in json.loads(p.stdout)['rules']}, json.loads(p.stdout)


def rules_of(path):
    """name -> (comment, text) of the rules of a file, and the operators before them"""
    rules, comment, body, ops = {}, [], None, []
    for line in open(path).read().split('\n') + ['# end']:
        m = re.match(r'rule (\w+)', line)
        if m:
            body = rules[m[1]] = [comment, [line]]
        elif body is not None and line.startswith('  '):
            body[1].append(line)
        else:
            body = None
            if line.startswith('#'):
                comment = comment + [line[1:].strip()] if comment else [line[1:].strip()]
                continue
            if line.strip() or not m:
                ops.append(line)
        comment = []
    return rules, '\n'.join(ops)


def proper(text):
    """the rule without empty tensors"""

    def sizes(m):
        return 'sizes ' + ', '.join(
            s if '>=' in s else s.strip() + ' >= 1' for s in m[1].split(',')
        )

    return re.sub(r'sizes ([^\n]*)', sizes, text)


def conditions(text):
    """the relations that a rule states, and its other declarations, one by one"""
    out = []
    for line in text.split('\n'):
        m = re.match(r'  (where|assume|sizes) (.*)', line)
        if m:
            out += [
                (m[1] + ' ' if m[1] == 'sizes' else '') + part.strip() for part in m[2].split(',')
            ]
        elif re.match(r'  tensor ', line):
            out.append(line.strip())
    return out


def code(text):
    return '\n'.join('    ' + line.strip('\n') for line in text.split('\n') if line.strip())


class Found:
    """What one run says of the rules: verdicts, texts, the catalogue, and what is advised."""

    def __init__(self, assay):
        files = sorted(glob.glob(os.path.join(TOP, 'examples/rules/*.rule')))
        self.verdicts, self.report = certify(assay, files)
        self.catalogue = table('tests/rules/catalogue.tsv')
        self.advice = {a['row']: a for a in table('tests/rules/advice.tsv')}
        self.texts, self.ops = {}, {}
        for f in files:
            name = os.path.basename(f)
            found, self.ops[name] = rules_of(f)
            self.texts.update({n: (name, c, '\n'.join(t)) for n, (c, t) in found.items()})
        self.wrong = [
            c
            for c in self.catalogue
            if c['kind'] in ('stated', 'instance') and self.is_judged(c['rule'], 'REFUTED')
        ]
        self.plain = self.without_empty_tensors(assay)

    def is_judged(self, rule, verdict):
        return self.verdicts[rule]['verdict'] == verdict

    def without_empty_tensors(self, assay):
        """counterexamples without empty tensors, where there are such"""
        with tempfile.TemporaryDirectory() as d:
            paths = []
            for name in sorted({self.texts[c['rule']][0] for c in self.wrong}):
                of_file = [c['rule'] for c in self.wrong if self.texts[c['rule']][0] == name]
                paths.append(os.path.join(d, name))
                with open(paths[-1], 'w') as f:
                    rules = ''.join(proper(self.texts[rule][2]) + '\n\n' for rule in of_file)
                    f.write(self.ops[name] + '\n' + rules.removesuffix('\n'))
            verdicts = certify(assay, paths)[0]
        return {n: r for n, r in verdicts.items() if r['verdict'] == 'REFUTED'}

    def verdict(self, name):
        words = {'PROVED': 'proved', 'REFUTED': 'refuted'}
        said = words.get(self.verdicts[name]['verdict'], 'not decided by this run')
        return '`%s` (%s)' % (name, said)

    def entries(self, prefixes):
        return [c for c in self.catalogue if c['row'].startswith(prefixes)]


def introduction():
    print('# What certifying published rewrite rules found\n')
    print(
        'Generated by `make found` from one run of `assay certify examples/rules/*.rule`; not'
        ' edited by hand. A rule says: wherever its left side is well'
    )
    print(
        'formed and defined, its right side is well formed, defined, of the same shape and equal,'
        ' for all sizes (0 included unless it says otherwise), over'
    )
    print(
        'exact real numbers, integers or truth values. *Refuted* means that the counterexample'
        ' shown was evaluated twice, exactly, or where exp, log or roots'
    )
    print(
        'occur by enclosures that do not meet; an evaluation in Python that shares no code with'
        ' Assay (`tests/rules/oracle.py`) agrees. *Proved* means that'
    )
    print(
        '`assay-check` accepted a certificate for all sizes. Rounding is outside of both. The rules'
        ' are our transcriptions, in `examples/rules`: where one'
    )
    print(
        'misreads its source, the fault is ours. What the sources are and how they were read is in'
        ' `tests/rules/NOTATION.md` and `tests/rules/catalogue.tsv`.\n'
    )
    print(
        '| Source | rules | proved | refuted | undecided | refuted ones proved with a condition |'
    )
    print('|---|---|---|---|---|---|')


def print_sources(found):
    """how many of each source are proved, refuted, repaired"""
    for title, prefixes in GROUPS + OTHERS:
        rows = [c for c in found.entries(prefixes) if c['kind'] in ('stated', 'instance')]
        n = [sum(found.is_judged(c['rule'], v) for c in rows) for v in ('PROVED', 'REFUTED')]
        repaired = {
            c['row']
            for c in found.entries(prefixes)
            if c['kind'] == 'repaired' and found.is_judged(c['rule'], 'PROVED')
        }
        print(
            '| %s | %d | %d | %d | %d | %d |'
            % (title, len(rows), n[0], n[1], len(rows) - sum(n), len(repaired))
        )
    print(
        '\nRules cannot speak of statements yet: of those on loops an instance each is stated,'
        ' which satisfies the printed condition. Deliberate mutants are'
    )
    print('there to test Assay, and are not listed below.\n')


def print_repaired(found, rule, text):
    """one repaired form of a rule whose text this is"""
    name = rule['rule']
    more = [x for x in conditions(found.texts[name][2]) if x not in conditions(text)]
    said = (
        'is proved for all sizes'
        if found.is_judged(name, 'PROVED')
        else 'is not decided by this run: no counterexample was found, and no proof either'
    )
    print('With `%s`, %s %s.\n' % ('`, `'.join(more), '`%s`' % name, said))


def print_comment(comment):
    what = ' '.join(comment).strip().split(': ', 1)[-1]
    if what and not what.startswith('---'):
        first = what[0].upper() if what[1].isalpha() else what[0]
        print('%s%s%s\n' % (first, what[1:], '' if what.endswith('.') else '.'))


def print_wrong(found, c):
    """one rule that is refuted: what it says, a counterexample, what is advised"""
    name, a = c['rule'], found.advice.get(c['row'], {'status': '', 'advice': ''})
    file, comment, text = found.texts[name]
    print('### %s: %s\n' % (c['row'], c['name']))
    status = '; ' + a['status'] if a['status'] else ''
    print('%s%s. `%s` in `examples/rules/%s`.\n' % (c['source'], status, name, file))
    print(code(re.sub(r'\n  expect .*', '', text)) + '\n')
    print_comment(comment)
    used = found.plain.get(name) or found.verdicts[name]
    none = '' if name in found.plain else ' (none without empty tensors was found)'
    print('Counterexample%s:\n' % none)
    print(code(textwrap.dedent(used['counterexample'])) + '\n')
    if a['advice']:
        advice = re.sub(r'\{(\w+)\}', lambda m: found.verdict(m[1]), a['advice'])
        print('**To do.** ' + advice + '\n')
    for r in found.catalogue:
        if r['row'] == c['row'] and r['kind'] == 'repaired':
            print_repaired(found, r, text)


UNCHECKED = (
    (
        'TR-div02',
        (
            'takes x / 0 = 0 and asks for no nonzero divisor; over the reals the rule needs `c'
            ' != 0` also for empty tensors'
        ),
    ),
    (
        'TR-dot03',
        'gives its rewrite the left side twice, so that the right side is never compared',
    ),
    (
        'TR-dus03',
        (
            'asks for a size of 0 instead of a start of 0, next to a check that the size is'
            ' positive: it verifies nothing'
        ),
    ),
    ('TR-sel04', 'fixes the predicate to false, so that one instance is checked'),
    ('TR-ds06', 'cannot say that the constant on its right side is the start'),
)


def print_unchecked(found):
    print('## Valid rules that their source does not check\n')
    print('| Rule | What its source does | Here |')
    print('|---|---|---|')
    for row, what in UNCHECKED:
        print('| %s | %s | %s |' % (row, what, found.verdict(row.replace('-', '_'))))


def print_undecided(report):
    undecided = [r['rule'] for r in report['rules'] if r['verdict'] not in ('PROVED', 'REFUTED')]
    print('\n## Undecided in this run\n')
    print(
        'Of %d rules, those that no list has included: %s.'
        % (len(report['rules']), ', '.join('`%s`' % n for n in undecided) if undecided else 'none')
    )


def main():
    assay = os.path.abspath(sys.argv[1])
    found = Found(assay)
    introduction()
    print_sources(found)
    for title, prefixes in GROUPS:
        rows = [c for c in found.wrong if c['row'].startswith(prefixes)]
        if rows:
            print('## %s\n' % title)
        for c in rows:
            print_wrong(found, c)
    print_unchecked(found)
    print_undecided(found.report)
    print('\n' + tiles(assay))


def tiles(assay):
    """the section on tile programs; where their data are absent, the one that is there"""
    made = found_tiles.section(assay)
    if made is None:
        print(
            'found.py: there are no data of tile programs: their section stays as it is',
            file=sys.stderr,
        )
        with open(os.path.join(TOP, 'docs/found.md')) as f:
            made = found_tiles.TITLE + f.read().split(found_tiles.TITLE, 1)[1].rstrip('\n')
    return made.rstrip('\n')


if __name__ == '__main__':
    main()
