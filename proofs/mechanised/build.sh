#!/bin/sh
# build.sh SOURCE FOLDER: compiles the Coq development of SOURCE in FOLDER, with only what changed, and builds the extracted checker there.
# MECHANISED_QUICK=1 leaves out coqchk.  Prints the axioms that the end theorem rests on.  Where there is no Coq, no OCaml or no Zarith, it says so and exits with 77.
set -eu
source=$1 folder=$2
theories='Sharing Term Compare Traversal Semantics Substitution Consistency Polynomial Rules Laws Binders Kernel Definitions Lexer Reader Checker'
for program in coqc ocamlfind; do
  command -v "$program" >/dev/null || { echo "mechanised: skipped: there is no $program (Debian: coq ocaml-nox ocaml-findlib libzarith-ocaml-dev)"; exit 77; }
done
ocamlfind query zarith >/dev/null 2>&1 || { echo 'mechanised: skipped: there is no Zarith (Debian: libzarith-ocaml-dev)'; exit 77; }
mkdir -p "$folder"
stale=
# each file may rest on all before it
compile() {
  cmp -s "$source/$1" "$folder/$1" || { cp "$source/$1" "$folder/$1"; stale=yes; }
  if [ "$stale" ] || [ ! -f "$folder/$2" ]; then
    stale=yes
    echo "  COQC     $1"
    (cd "$folder" && coqc -Q . Assay "$1" >"$1.out") || { rm -f "$folder/$2"; exit 1; }
  fi
}
for theory in $theories; do compile "$theory.v" "$theory.vo"; done
compile Extract.v kernel.ml
if grep -nE '^ *(Admitted|Axiom|Parameter|Conjecture)' "$folder"/*.v; then
  echo 'mechanised: something is not proved'
  exit 1
fi
# what the end theorem rests on: as Coq says when it is compiled, and as the independent checker of compiled files finds
grep -oE '^[A-Za-z_]+\.[A-Za-z_.]+' "$folder/Checker.v.out" | sort -u >"$folder/axioms"
cat "$folder/Checker.v.out"
if ! cmp -s "$source/axioms" "$folder/axioms"; then
  echo 'mechanised: other axioms than those of the real numbers (proofs/mechanised/axioms)'
  exit 1
fi
if [ "$stale" ] && [ -z "${MECHANISED_QUICK-}" ]; then
  (cd "$folder" && coqchk -silent -o -Q . Assay Assay.Checker) || exit 1
fi
for file in sharing.ml main.ml; do cp "$source/$file" "$folder/$file"; done
(cd "$folder" && ocamlfind ocamlopt -package zarith,unix -linkpkg -w -a sharing.ml kernel.mli kernel.ml main.ml -o assay-check-extracted)
