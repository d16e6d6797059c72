#!/bin/sh
# What `optimize` says of what it did not look at, and what it leaves when it is stopped.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"

# kernels need concrete sizes: asked for before the search
printf 'program open\nsizes B, D = 64\ninput X: f16[B, D]\noutput O = silu(X)\n' >open.tp
expect 2 'give a value to B' optimize open.tp
only open.tp
rm open.tp

# a limit that strikes is said, in words and in the report
printf 'program conv\nsizes N = 1, C = 64, O = 64, P = 32\ninput X: f16[N, C, P, P]\ninput F: f16[O, C, 3, 3]\ninput b: f16[O]\nY = conv2d(X, F, top=1, left=1, bottom=1, right=1)\noutput Z = relu(Y + b[:, none, none])\n' >conv.tp
expect 0 'limits that struck: ' optimize conv.tp --solvers=none -o conv
limit=$(sed -n 's/.*limits that struck: \([a-z ]*([0-9]*)\).*/\1/p' out)
[ -n "$limit" ] || fail 'the limit is not printed'
grep -qF "$limit" conv/report.json || fail 'the limit is not in the report'
expect 0 'VERIFIED' check conv

# with nothing pruned no rule of thumb strikes, and the result is another job's in the cache
printf 'program few\nsizes B = 64, D = 64\ninput X: f16[B, D]\noutput O = sum(exp(X))\n' >few.tp
expect 0 'limits that struck: sign' optimize few.tp --solvers=none -o few --cache=kept
expect 0 'PROVED' optimize few.tp --solvers=none --no-prune=2 -o unpruned --cache=kept
grep -q '"search_said": ""' unpruned/report.json || fail 'something was left out'
[ "$(ls kept | wc -l)" -eq 2 ] || fail 'one cache entry for two searches'

# extents that nothing divides: tiles overhang, in one kernel
printf 'program prime\nsizes B = 7, D = 4099, N = 6145\ninput X: f16[B, D]\ninput W: f16[D, N]\noutput O = silu(X) @ W\n' >prime.tp
expect 0 'PROVED' optimize prime.tp --solvers=none -o prime
grep -q 'load .* \[T upto D, U upto N\] = W x -> 1 loop -> 0' prime/candidate.mug || fail 'tiles do not overhang'
grep -c '^kernel' prime/candidate.mug | grep -qx 1 || fail 'more than one kernel'
expect 0 'VERIFIED' check prime

# a size as a number among tensors: it is made anew in each piece of the program
printf 'program count\nsizes a = 2, c = 4\ninput x: f32[a, c]\noutput u = sum(x, axis=1) / c\noutput v = x * (c - 1)\n' >count.tp
expect 0 'PROVED' optimize count.tp --solvers=none -o count
# and in a sum of its own that a kernel computes
for expression in 'sum(x, axis=1) / (c - 1)' 'sum(x) * (a + c)' 'exp(x * c) / (1 + c)' 'sum(x - c) / -c'; do
  printf 'program count\nsizes a = 2, c = 4\ninput x: f32[a, c]\noutput u = %s\n' "$expression" >sum.tp
  expect 0 'PROVED' optimize sum.tp --solvers=none --force -o sum
done

# all that differs in structure, what each costs, which was chosen, and what the float test has left out
expect 0 'candidates that differ in structure' optimize "$src/examples/lora.tp" --all --solvers=none -o all
[ "$(grep -c '^     chosen$' out)" = 1 ] || fail 'not exactly one candidate is the chosen one'
[ "$(grep -c 'us more by the model$' out)" -ge 3 ] || fail 'fewer than three others are listed'
grep -q '^     not chosen, nor proved: in floats, ' out || fail 'nothing is worse in floats, (A B) v among it'
# of what is certified
listed=$(sed '/^     not chosen, nor proved/{x;d;};x' out | sed -n 's/^  [0-9]*\. [^:]*: \(\[.*\)/\1/p')
[ "$(echo "$listed" | sort -u | wc -l)" = "$(echo "$listed" | wc -l)" ] || fail 'a structure is listed twice'
# a budget in states: the result is certified, and the limit said
"$src/tests/cli/chain.sh" 10 >chain.tp
expect 0 'groups (' optimize chain.tp --budget=1 --solvers=none -o small
expect 0 'VERIFIED' check small
# a report does not depend on who made the terms, the prover or a replay
expect 0 'PROVED' optimize "$src/examples/gqa.tp" --solvers=none -o gqa
expect 0 'VERIFIED' check gqa
expect 2 'budget' optimize "$src/examples/gqa.tp" --budget=0 --solvers=none -o none

# more relations of tiles than a few kernels have
"$src/tests/cli/chain.sh" 26 >chain.tp
expect 0 'PROVED' optimize chain.tp --solvers=none -o longer
[ "$(grep -c '^kernel' longer/candidate.mug)" = 26 ] || fail 'a chain of 26 products is not as many fused kernels'

# a time limit and Ctrl-C keep the best so far
"$src/tests/cli/chain.sh" 120 >chain.tp
expect 0 'limits that struck: ' optimize chain.tp --solvers=none --seconds=1 -o late
grep -q '"search_said": .*time (' late/report.json || fail 'the time limit is not in the report'
expect 0 'VERIFIED' check late
"$src/tests/cli/chain.sh" 24 >chain.tp
# (--foreground: otherwise the process gets the signal twice, once for its group, and the second ends it at once)
# the longer it was left alone, the better what it leaves: soon fewer kernels than operators. With all candidates asked for,
# what is left to prove then takes ten times as long as all before: a step of this ladder falls there, on any machine
kernels=48
said=
for seconds in 0.1 0.15 0.2 0.3 0.4 0.6 0.8 1.2 1.6 2.4 3.2 4.8 6.4 9.6 13 19; do
  [ "$kernels" -ge 48 ] || break
  timeout --foreground -s INT "$seconds" "$assay" optimize chain.tp --all --solvers=none --seconds=60 --force -o stopped >out 2>err </dev/null
  [ $? -eq 124 ] || break # it came to its end before the signal
  said=$(sed -n 's/.*"search_said": \(.*\)/\1/p' stopped/report.json)
  kernels=$(sed -n 's/.*"kernel_count": \([0-9]*\).*/\1/p' stopped/report.json)
done
[ "$kernels" -lt 48 ] || fail 'what was found before the signal is not used'
echo "$said" | grep -q 'interrupt (' || fail 'an interrupted search leaves no result that says so'
grep -q ', best [0-9.]* us, ' err || fail 'the best cost so far is not shown'
expect 0 'VERIFIED' check stopped

# a product of a single row is one as of several rows: attention of one query is one kernel, with a thread graph
printf 'program one\nsizes H = 32, K = 4096, D = 128\ninput q: f16[H, 1, D]\ninput k: f16[H, K, D]\ninput v: f16[H, K, D]\ns = matmul(q, transpose(k, axis=1)) * 0.125\noutput o = matmul(softmax(s, axis=2), v)\n' >one.tp
expect 0 'thread graph validated' optimize one.tp --solvers=none -o one

# heads that share keys, whose queries are an input with an axis written as two: one kernel, a head a block
printf 'program shared\nsizes G = 8, R = 4, M = 1024, D = 64\ninput q: f16[G*R, M, D]\ninput k: f16[G, M, D]\ninput v: f16[G, M, D]\ns = matmul(split_axis(q, axis=0, outer=G, inner=R), transpose(expand_dims(k, axis=1), axis=2))\noutput o = matmul(softmax(s, axis=3), expand_dims(v, axis=1))\n' >shared.tp
expect 0 'thread graph validated' optimize shared.tp --solvers=none -o shared
[ "$(grep -c '^AS_KERNEL' shared/kernel.cu)" -eq 1 ] || fail 'heads that share keys are not one kernel'

# a mask that chooses a number of 31 digits in place of scores: one kernel, whose blocks leave out the tiles that are masked wholly
printf 'program causal\nsizes H = 8, M = 1024, D = 64\ninput q: f16[H, M, D]\ninput k: f16[H, D, M]\ninput v: f16[H, M, D]\ni = iota(size=M)\nkeep = less_equal(i[none, :], i[:, none])\nlow = masked_fill(matmul(q, k), logical_not(keep), -1e30)\nw = exp(low - max(low, axis=2)[:, :, none]) * keep\noutput o = matmul(w / sum(w, axis=2)[:, :, none], v)\n' >causal.tp
expect 0 'thread graph validated' optimize causal.tp --solvers=none -o causal
[ "$(grep -c '^AS_KERNEL' causal/kernel.cu)" -eq 1 ] || fail 'causal attention is not one kernel'
grep -q 'int n_ = most_' causal/kernel.cu || fail 'tiles that are masked wholly are computed'
[ "$(grep -c '^kernel' one/candidate.mug)" -le 2 ] || fail 'attention of one query takes more than two kernels'
# .. and where the row is repeated along another axis it is none
printf 'program rows\nsizes H = 32, K = 64, D = 128\ninput q: f16[H, 1, D]\ninput k: f16[H, K, D]\noutput o = matmul(q, transpose(k, axis=1)) + sum(q * k, axis=2)[:, none, :]\n' >rows.tp
expect 0 'PROVED' optimize rows.tp --solvers=none -o rows

# where what is certified costs more than its pieces did by the model, others are looked at: here the cheapest three by their pieces
# take the general way for the product, seven times what the program's operators as kernels take
printf 'program head\nsizes B = 5, D = 2048, N = 32000\ninput wide: f32[1]\ninput x: f16[B, D]\ninput g: f16[D]\ninput w: f16[N, D]\nl = matmul(x * rsqrt(mean(x * x, axis=1)[:, none] + 1e-6) * g, transpose(w, axis=0))\nd = l - max(l, axis=1)[:, none]\noutput o = d - log(sum(exp(d), axis=1)[:, none])\n' >head.tp
expect 0 'PROVED' optimize head.tp --solvers=none --library=auto --seconds=5 -o head
us=$(sed -n 's/.*"model_us": \([0-9]*\).*/\1/p' head/report.json)
[ "${us:-9999}" -lt 800 ] || fail "a candidate of $us us is chosen"

finish
