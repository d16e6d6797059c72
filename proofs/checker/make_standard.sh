#!/bin/sh
# Writes the table of ck_standard.c anew from the specifications of the source tree: after one of them was changed on purpose.
# usage: make_standard.sh ASSAY-CHECK
set -e
here=$(dirname "$0")
table=$("$1" --sem "$here/../../semantics" --specifications | sort -k 2 | sed 's/.*/    "&",/')
awk -v table="$table" '/standard\[\] = \{/ { print; print table; skip = 1 } /^\};/ { skip = 0 } !skip { print }' "$here/ck_standard.c" >"$here/ck_standard.new"
mv "$here/ck_standard.new" "$here/ck_standard.c"
if command -v clang-format >/dev/null; then clang-format -i "$here/ck_standard.c"; fi
