#!/usr/bin/env python3
"""What README.md shows of a shell, typed again: readme.py README.md FOLDER [SKIPPED WORD..]

A line `    $ command` of a code block is run in FOLDER, in which commands of the README find what
they name. The lines below it must come out in their order, numbers apart, with any others between
them where the README has `...`; a `cat` of a file that is not there yet makes it, as its reader
would. Commands that hold a SKIPPED word are left out, aloud. Prints what is another, and exits 1.
"""

import os
import re
import subprocess
import sys

SHELL = '    $ '


def commands(text):
    """each command, and the lines that are shown below it"""
    found = None
    for line in text.splitlines() + ['']:
        if line.startswith(SHELL):
            if found:
                yield found
            found = line[len(SHELL) :], []
        elif found and (line.startswith('    ') or not line.strip()):
            found[1].append(line[4:])
        elif found:
            yield found
            found = None
    if found:
        yield found


def without_numbers(line):
    """times, counts and hashes are those of one run"""
    return re.sub(r'\b[0-9a-f]{12}\b|\d+(\.\d+)?(e[-+]?\d+)?', '#', line).strip()


def differs(shown, came):
    """the first shown line that did not come out in its place; None: all did"""
    wanted = [line for line in map(without_numbers, shown) if line]
    came = [line for line in map(without_numbers, came) if line]
    at, anywhere = 0, False
    for line in wanted:
        if line == '...':
            anywhere = True
            continue
        if anywhere:
            at = next((k for k in range(at, len(came)) if came[k] == line), len(came))
        if at >= len(came) or came[at] != line:
            return line
        at, anywhere = at + 1, False
    return None


def made_by_reader(command, shown):
    """the file that the README shows, where it is not there: true"""
    word = command.split()
    if len(word) != 2 or word[0] != 'cat' or os.path.exists(word[1]):
        return False
    with open(word[1], 'w', encoding='utf-8') as file:
        file.write('\n'.join(shown).rstrip('\n') + '\n')
    return True


def main():
    readme, folder, skipped = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(readme, encoding='utf-8') as file:
        text = file.read()
    os.chdir(folder)
    ran = wrong = 0
    for command, shown in commands(text):
        if any(word in command for word in skipped):
            print('left out: ' + command)
            continue
        if made_by_reader(command, shown):
            continue
        done = subprocess.run(command, shell=True, capture_output=True, text=True)
        ran += 1
        missing = differs(shown, done.stdout.splitlines())
        if done.returncode not in (0, 1) or missing:
            wrong += 1
            print('WRONG (exit %d): %s' % (done.returncode, command))
            print('    not there: %s' % missing)
            print(re.sub('^', '    | ', done.stdout[-3000:] + done.stderr[-500:], flags=re.M))
    print('%d commands ran, %d wrong' % (ran, wrong))
    return 1 if wrong or ran == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
