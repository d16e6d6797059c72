#!/usr/bin/env bash
# bench/figures.sh BUILD: one table line per example: search, proof, checker and solvers, as measured on this machine.
set -euo pipefail
build=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
echo "| program | operators | kernels | search s | whole command s | certificate steps | bytes | assay-check s | z3 | cvc5 |"
echo "|---|---|---|---|---|---|---|---|---|---|"
for tp in "$top"/examples/*.tp; do
  name=$(basename "$tp" .tp)
  start=$(date +%s.%N)
  "$build/assay" optimize --no-cache --quiet --threads=2 -o "$tmp/$name" "$tp" >/dev/null 2>"$tmp/err" || { echo "| $name | failed: $(tail -1 "$tmp/err") |"; continue; }
  stop=$(date +%s.%N)
  t0=$(date +%s.%N)
  "$build/assay-check" --sem "$tmp/$name/semantics" "$tmp/$name/program.tp" "$tmp/$name/candidate.mug" "$tmp/$name/certificate.cert" >/dev/null
  t1=$(date +%s.%N)
  python3 - "$name" "$tmp/$name" "$start" "$stop" "$t0" "$t1" <<'PY'
import json, os, re, sys
name, d, start, stop, t0, t1 = sys.argv[1:]
r = json.load(open(d + "/report.json"))
ops = len(re.findall(r"[-+*/@]|\b[a-z_0-9]+\(", re.sub(r"(?m)^(program|sizes|input|where|use|#).*$", "", open(d + "/program.tp").read())))
solver = lambda s: "%s %s/%s" % (s["verdict"], s.get("agreed", 0), s.get("asked", 0))
print("| %s | %d | %d | %.2f | %.2f | %d | %d | %.3f | %s | %s |" % (name, ops, r["kernel_count"], r["run"]["seconds"]["search"], float(stop) - float(start),
      r["proof"]["steps"], os.path.getsize(d + "/certificate.cert"), float(t1) - float(t0), solver(r["z3"]), solver(r["cvc5"])))
PY
done
