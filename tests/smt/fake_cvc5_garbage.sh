#!/bin/sh
# a solver that prints nonsense, also an answer with a tail
case "$1" in --version) echo 'no version here'; exit 0 ;; esac
printf 'unsatisfactory\n\001\002(error "unsat")\n'
cat >/dev/null
