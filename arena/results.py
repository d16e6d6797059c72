#!/usr/bin/env python3
"""Tables of the arena: RESULTS.md and results.json from what run.py --json wrote.

usage: results.py OUT NAME=FILE.json..
"""

import json
import sys
from pathlib import Path

COLUMNS = ['asked', 'right', 'limits', 'wrong', 'unsound']


def other_answers(result):
    return {
        row['case']: row['answer'] for row in result['cases'] if row['answer'] != row['expected']
    }


def main(out, *named):
    found = {}
    for argument in named:
        name, _, path = argument.partition('=')
        found[name] = json.loads(Path(path).read_text())
    (version,) = {result['arena'] for result in found.values()}
    lines = [
        '# Results of the arena',
        '',
        f'Version {version} of the cases; written by `make arena`. *right*: the expected answer.',
        '*limits*: another answer about a bound on sizes, which is no fault. *wrong*: something',
        'true is not accepted, or rejected and declined are exchanged. *unsound*: something is',
        'accepted that is not to be. Who reads texts is not asked about claims without texts,',
        'and the other way round.',
        '',
        '| checker | ' + ' | '.join(COLUMNS) + ' |',
        '|---|' + '---|' * len(COLUMNS),
    ]
    for name, result in found.items():
        lines.append(f'| {name} | ' + ' | '.join(str(result[column]) for column in COLUMNS) + ' |')
    for name, result in found.items():
        odd = [row for row in result['cases'] if row['answer'] != row['expected']]
        if odd and len(odd) <= 5:
            told = '; '.join(f'`{row["case"]}`: {row["answer"]}' for row in odd)
            lines += ['', f'{name}: {told}.']
    Path(out, 'RESULTS.md').write_text('\n'.join(lines) + '\n')
    summary = {
        name: {column: result[column] for column in COLUMNS} | {'other': other_answers(result)}
        for name, result in found.items()
    }
    text = json.dumps({'arena': version, 'checkers': summary}, indent=1)
    Path(out, 'results.json').write_text(text + '\n')


if __name__ == '__main__':
    main(*sys.argv[1:])
