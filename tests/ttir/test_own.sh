#!/bin/sh
# Kernels as people write them (own/kernels.py, whose texts lie beside it) against programs: what is right is proved, what was changed is refuted.
# More than 20 s: 340 kernels, of which each is one form of what people write.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
own=$src/tests/ttir/own

# options of a kernel's launch in own/launches, whose lines are KERNEL VERDICT OPTIONS..
launch_of() { sed -n "s/^$1 [a-z]* //p" "$own/launches"; }
given_of() { if [ -f "$own/$1.tp" ]; then echo "$own/$1.tp"; else echo "$own/$1.tile"; fi; }

judged=0
for name in $(sed -n 's/^\([a-z0-9_]*\) proved .*/\1/p' "$own/launches"); do
  # shellcheck disable=SC2046
  expect 0 PROVED certify -q --solvers=none --from triton --literals=decimal --writes-all $(launch_of "$name") "$(given_of "$name")" "$own/$name.ttir"
  judged=$((judged + 1))
done
[ "$judged" -ge 77 ] || fail "only $judged kernels were judged"

changed=0
grep -v '^#' "$own/wrong" >lines
while read -r name change; do
  sed "$change" "$own/$name.ttir" >wrong.ttir
  cmp -s wrong.ttir "$own/$name.ttir" && fail "$name: \`$change\` changes nothing"
  # shellcheck disable=SC2046
  expect 1 REFUTED certify -q --solvers=none --from triton --literals=decimal --writes-all $(launch_of "$name") "$(given_of "$name")" wrong.ttir
  changed=$((changed + 1))
done <lines
[ "$changed" -ge 262 ] || fail "only $changed changed kernels were judged"
# A root of what depends on an order may be no number, which the maximum behind it drops: that it has no value does not refute it.
sed '0,/arith.addf/s//arith.subf/' "$own/l2_normed.ttir" >wrong.ttir
# shellcheck disable=SC2046
expect 3 'That refutes nothing' certify --solvers=none --from triton --literals=decimal --writes-all $(launch_of l2_normed) "$(given_of l2_normed)" wrong.ttir
[ "$failures" -eq 0 ]
