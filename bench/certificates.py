#!/usr/bin/env python3
"""Certificates of programs of many operators against themselves: size, time to prove and to check.

usage: bench/certificates.py ASSAY ASSAY_CHECK OUT.md OUT.svg

The programs are 1, 2, 4 and 8 transformer layers (tests/prove/layers.py), and of the shared data,
where it is there, norms2, norms6, transformer1 and transformer2.  Times are processor time, the
least of three; `certify` without the report and its drawings.  OUT.svg shows bytes over layers,
with the line through 1 layer and the origin.
"""

import glob, os, re, resource, subprocess, sys, tempfile

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
SHARED = os.environ.get('AS_SHARED') or os.path.join(TOP, '..', 'shared')
LAYERS = (1, 2, 4, 8)


def processor_time(command):
    """Seconds of the command and its children, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        done.returncode,
        done.stdout.decode(),
    )


def measured(assay, check, program, folder):
    result = os.path.join(folder, 'result')
    best = [9e9, 9e9]
    certify = [assay, 'certify', '--require=check', '--solvers=none', '-q']
    certificate = os.path.join(result, 'certificate.cert')
    subprocess.run(
        certify + ['--force', '-o', result, program, program], stdout=subprocess.DEVNULL, check=True
    )
    for _ in range(3):
        seconds, status, text = processor_time(certify + [program, program])
        verdict = 'PROVED' if status == 0 and 'PROVED' in text else 'not proved'
        best[0] = min(best[0], seconds)
        seconds, status, text = processor_time(
            [check, '--sem', os.path.join(TOP, 'semantics'), program, program, certificate]
        )
        best[1] = min(best[1], seconds)
        if status != 0:
            sys.exit(f'{program}: not accepted: {text[-300:]}')
    found = re.search(r'Goals met: (\d+)\.  Definitions: (\d+)\.  Terms: \d+\.  Steps: (\d+)', text)
    return {
        'verdict': verdict,
        'prove': best[0],
        'check': best[1],
        'bytes': os.path.getsize(certificate),
        'definitions': int(found[2]),
        'steps': int(found[3]),
    }


def picture(points):
    """Bytes over layers."""
    width, height, left, bottom = 640, 400, 80, 50
    most_layers, most_bytes = max(x for x, _ in points), max(y for _, y in points) * 1.15
    at = lambda layers, size: (
        left + layers / most_layers * (width - left - 30),
        height - bottom - size / most_bytes * (height - bottom - 30),
    )
    one = dict(points)[1]
    lines = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            ' font-family="sans-serif" font-size="13">'
        ),
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    x0, y0 = at(0, 0)
    lines.append(f'<path d="M {x0} 30 V {y0} H {width - 30}" fill="none" stroke="black"/>')
    for layers, size in points:
        x, y = at(layers, size)
        lines.append(f'<text x="{x:.1f}" y="{y0 + 20:.1f}" text-anchor="middle">{layers}</text>')
        lines.append(f'<text x="{x - 8:.1f}" y="{y - 8:.1f}" text-anchor="end">{size}</text>')
    (xa, ya), (xb, yb) = at(0, 0), at(most_layers, one * most_layers)
    lines.append(
        f'<line x1="{xa:.1f}" y1="{ya:.1f}" x2="{xb:.1f}" y2="{yb:.1f}" stroke="gray"'
        ' stroke-dasharray="4 4"/>'
    )
    lines.append(
        '<polyline fill="none" stroke="#1f5fa8" stroke-width="2" points="'
        + ' '.join('%.1f,%.1f' % at(*point) for point in points)
        + '"/>'
    )
    lines += ['<circle cx="%.1f" cy="%.1f" r="4" fill="#1f5fa8"/>' % at(*point) for point in points]
    lines.append(
        f'<text x="{(left + width) / 2:.0f}" y="{height - 10}" text-anchor="middle">transformer'
        ' layers</text>'
    )
    lines.append(
        f'<text x="18" y="{height / 2:.0f}" text-anchor="middle" transform="rotate(-90 18'
        f' {height / 2:.0f})">bytes of the certificate</text>'
    )
    return '\n'.join(lines + ['</svg>']) + '\n'


def main():
    assay, check, table, svg = sys.argv[1:]
    assay, check = os.path.abspath(assay), os.path.abspath(check)
    rows, points = [], []
    with tempfile.TemporaryDirectory() as folder:
        for layers in LAYERS:
            program = os.path.join(folder, f'layers{layers}.tp')
            with open(program, 'w', encoding='ascii') as out:
                subprocess.run(
                    [sys.executable, os.path.join(TOP, 'tests', 'prove', 'layers.py'), str(layers)],
                    stdout=out,
                    check=True,
                )
            row = measured(assay, check, program, folder)
            rows.append((f'{layers} layer' + 's' * (layers > 1), row))
            points.append((layers, row['bytes']))
        for name in ('norms2', 'norms6', 'transformer1', 'transformer2'):
            for program in sorted(
                glob.glob(os.path.join(SHARED, 'data', 'programs', '*', name + '.tp'))
            ):
                rows.append((name, measured(assay, check, program, folder)))
    with open(svg, 'w', encoding='ascii') as out:
        out.write(picture(points))
    with open(table, 'w', encoding='ascii') as out:
        out.write(
            '# Certificates that grow with the program\n\nPrograms against themselves, by'
            ' `bench/certificates.py`: seconds of processor time, least of three runs: `assay'
            ' certify` with its replay but without the\nreport (whose drawings of eight layers take'
            ' Graphviz seconds more), and `assay-check` with the theorem printed. Definitions are'
            ' those of both sides. `certificates.svg` shows the bytes over the layers, with the'
            ' line through one layer.\n\n| program | verdict | certify s | assay-check s |'
            ' definitions | steps | bytes |\n|---|---|---|---|---|---|---|\n'
        )
        for name, row in rows:
            out.write(
                f"| {name} | {row['verdict']} | {row['prove']:.3f} | {row['check']:.3f} |"
                f" {row['definitions']} | {row['steps']} | {row['bytes']} |\n"
            )
    print(open(table, encoding='ascii').read())


if __name__ == '__main__':
    main()
