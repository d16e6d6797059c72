#!/bin/sh
# --trace: each channel says something, a line a time under its name; what is made does not depend on it.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
ex=$src/examples

expect 0 '' optimize -q --solvers=none -o plain "$ex/lora.tp"
[ -s err ] && fail 'something is traced that nobody asked for'
expect 0 '' optimize -q --solvers=none -o traced --trace=all "$ex/lora.tp"
cp err trace
for file in program.tp candidate.mug certificate.cert kernel.cu; do
  cmp -s "plain/$file" "traced/$file" || fail "$file depends on the trace"
done
grep -vE '^(search|prune|prove|lower): ' trace | head -3 >odd
[ -s odd ] && fail "lines of no channel: $(cat odd)"
for words in 'search: plan 2 of 16 (B whole, D loop' 'search: to be judged: tiling 1 of ' 'search:   store O ' 'prune: ' 'prove: goal eq.O: met' 'prove: lemma derived: ' \
  'lower: k0: shared memory '; do
  grep -qF "$words" trace || fail "nothing says \`$words'"
done
expect 0 '' optimize -q --solvers=none --force -o traced --trace=prove "$ex/lora.tp"
grep -q '^prove: ' err || fail 'prove is not traced'
grep -qv '^prove: ' err && fail 'more is traced than was asked for'
expect 2 '--trace: seach is none of search, prune, prove, lower, all' optimize --trace=seach "$ex/lora.tp"
rm -rf plain traced trace odd
only
finish
