#!/bin/sh
# A program of N matrix products with a function between: long to search.
printf 'program chain\nsizes B = 16, D = 512\ninput X0: f16[B, D]\n'
i=0
while [ "$i" -lt "$1" ]; do
  printf 'input W%d: f16[D, D]\n' "$i"
  i=$((i + 1))
done
i=0
while [ "$i" -lt "$1" ]; do
  [ "$((i + 1))" -lt "$1" ] || printf 'output '
  printf 'X%d = silu(X%d @ W%d)\n' "$((i + 1))" "$i" "$i"
  i=$((i + 1))
done
