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


def main():
    assay = os.path.abspath(sys.argv[1])
    files = sorted(glob.glob(os.path.join(TOP, 'examples/rules/*.rule')))
    verdicts, report = certify(assay, files)
    catalogue = table('tests/rules/catalogue.tsv')
    advice = {a['row']: a for a in table('tests/rules/advice.tsv')}
    texts, ops = {}, {}
    for f in files:
        found, ops[os.path.basename(f)] = rules_of(f)
        texts.update({n: (os.path.basename(f), c, '\n'.join(t)) for n, (c, t) in found.items()})
    wrong = [
        c
        for c in catalogue
        if c['kind'] in ('stated', 'instance') and verdicts[c['rule']]['verdict'] == 'REFUTED'
    ]
    # counterexamples without empty tensors, where there are such
    plain = {}
    with tempfile.TemporaryDirectory() as d:
        paths = []
        for name in sorted({texts[c['rule']][0] for c in wrong}):
            paths.append(os.path.join(d, name))
            with open(paths[-1], 'w') as f:
                f.write(
                    ops[name]
                    + '\n'
                    + '\n'.join(
                        proper(texts[c['rule']][2]) + '\n'
                        for c in wrong
                        if texts[c['rule']][0] == name
                    )
                )
        plain = {n: r for n, r in certify(assay, paths)[0].items() if r['verdict'] == 'REFUTED'}

    def verdict(name):
        return '`%s` (%s)' % (
            name,
            {'PROVED': 'proved', 'REFUTED': 'refuted'}.get(
                verdicts[name]['verdict'], 'not decided by this run'
            ),
        )

    def entries(prefixes):
        return [c for c in catalogue if c['row'].startswith(prefixes)]

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
    for title, prefixes in GROUPS + OTHERS:
        rows = [c for c in entries(prefixes) if c['kind'] in ('stated', 'instance')]
        n = [sum(verdicts[c['rule']]['verdict'] == v for c in rows) for v in ('PROVED', 'REFUTED')]
        repaired = {
            c['row']
            for c in entries(prefixes)
            if c['kind'] == 'repaired' and verdicts[c['rule']]['verdict'] == 'PROVED'
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
    for title, prefixes in GROUPS:
        rows = [c for c in wrong if c['row'].startswith(prefixes)]
        if not rows:
            continue
        print('## %s\n' % title)
        for c in rows:
            name, a = c['rule'], advice.get(c['row'], {'status': '', 'advice': ''})
            file, comment, text = texts[name]
            print('### %s: %s\n' % (c['row'], c['name']))
            print(
                '%s%s. `%s` in `examples/rules/%s`.\n'
                % (c['source'], '; ' + a['status'] if a['status'] else '', name, file)
            )
            print(code(re.sub(r'\n  expect .*', '', text)) + '\n')
            what = ' '.join(comment).strip().split(': ', 1)[-1]
            if what and not what.startswith('---'):
                print(
                    '%s%s%s\n'
                    % (
                        what[0].upper() if what[1].isalpha() else what[0],
                        what[1:],
                        '' if what.endswith('.') else '.',
                    )
                )
            used = plain.get(name) or verdicts[name]
            print(
                'Counterexample%s:\n'
                % ('' if name in plain else ' (none without empty tensors was found)')
            )
            print(code(textwrap.dedent(used['counterexample'])) + '\n')
            if a['advice']:
                print(
                    '**To do.** '
                    + re.sub(r'\{(\w+)\}', lambda m: verdict(m[1]), a['advice'])
                    + '\n'
                )
            for r in (r for r in catalogue if r['row'] == c['row'] and r['kind'] == 'repaired'):
                more = [x for x in conditions(texts[r['rule']][2]) if x not in conditions(text)]
                v = verdicts[r['rule']]['verdict']
                said = (
                    'is proved for all sizes'
                    if v == 'PROVED'
                    else (
                        'is not decided by this run: no counterexample was found, and no proof'
                        ' either'
                    )
                )
                print('With `%s`, %s %s.\n' % ('`, `'.join(more), '`%s`' % r['rule'], said))
    print('## Valid rules that their source does not check\n')
    print('| Rule | What its source does | Here |')
    print('|---|---|---|')
    for row, what in (
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
    ):
        print('| %s | %s | %s |' % (row, what, verdict(row.replace('-', '_'))))
    undecided = [r['rule'] for r in report['rules'] if r['verdict'] not in ('PROVED', 'REFUTED')]
    print('\n## Undecided in this run\n')
    print(
        'Of %d rules, those that no list has included: %s.'
        % (len(report['rules']), ', '.join('`%s`' % n for n in undecided) if undecided else 'none')
    )
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
