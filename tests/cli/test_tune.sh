#!/bin/sh
# bench --tune: the best tilings by the model are lowered, checked under emulation, and the choice is a file that is certified as the
# candidate was; without a GPU the model chooses and says so; a wrong answer of what ran is never chosen.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"

cat >gated.tp <<'END'
program gated
sizes B = 16, D = 128, N = 128
input X: f16[B, D]
input W: f16[D, N]
input V: f16[D, N]
G = X @ W
U = X @ V
output O = silu(G) * U
END
expect 0 PROVED optimize -S none -o dir gated.tp
expect 0 'is chosen by the model' bench --tune=model dir
tried=$(grep -c '^[* ] tiling' out)
[ "$tried" -gt 1 ] || fail "$tried tilings"
[ "$(grep -c '^[*] tiling' out)" -eq 1 ] || fail 'not one choice'
grep -q '"chosen_by": "model"' dir/tune.json || fail 'tune.json does not tell who chose'
expect 0 PROVED certify -S none gated.tp dir/tuned.mug

expect 0 'is chosen by the model' bench --tune=host dir
[ "$(grep -c ', right' out)" -eq 2 ] || fail "not two were run: $(cat out)"
[ "$(grep -c '"right": true' dir/tune.json)" -eq 2 ] || fail 'tune.json does not tell what was right'

# no compiler: what failed is said of each
NVCC=/bin/false expect 0 'is chosen by the model' bench --tune=gpu dir
grep -q '"failed"' dir/tune.json || fail 'tune.json does not tell what failed'
expect 2 'unknown word' bench --tune=fast dir
finish
