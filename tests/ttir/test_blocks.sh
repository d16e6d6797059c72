#!/bin/sh
# Kernels of Triton as block graphs: those that have such a form are certified in it and checked, and run as it says; what is changed in
# what they compute is not certified.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
own=$src/tests/ttir/own

lifted() { # a kernel of own/launches, as NAME.tile
  # shellcheck disable=SC2046
  "$assay" lift --from triton --literals=decimal --writes-all $(sed -n "s/^$1 [a-z]* //p" "$own/launches") "$own/$1.ttir" >"$1.tile" || fail "$1 is not lifted"
}
offered() { # KERNEL TEXT.tile, to OUT
  "$assay" optimize "$own/$1.tp" --search=none --offer="$2" --solvers=none --no-cache -f -o "$3" >out 2>err
}

n=0
for name in layer_norm layer_norm_moments rms_norm softmax_online softmax_rows linear_gelu matmul_leaky matmul_wrapped int8_matmul attention \
  transpose batched_matvec column_sums batch_norm layer_norm_dx rms_norm_backward cosine; do
  lifted $name
  offered $name $name.tile $name || fail "$name has no certified block graph: $(cat out err)"
  expect 0 VERIFIED check -q $name
  n=$((n + 1))
done
[ $n -ge 17 ] || fail "only $n kernels"

# by instances grouped for the second-level cache, and tiles beyond the end: one block graph over both axes, with tiles of any extent
[ "$(grep -c '^kernel' linear_gelu/candidate.mug)" = 1 ] || fail 'a product of several kernels'
grep -q 'grid x = count_[0-9]*, y = count_[0-9]*$' linear_gelu/candidate.mug || fail 'a grid of other axes'
# with the maximum so far, as the kernel has it
[ "$(grep -c rescale attention/candidate.mug)" = 2 ] || fail 'sums that are not rescaled'
for name in linear_gelu attention rms_norm; do
  expect 0 'is chosen by the model' bench --tune=host $name
  grep -q ', right' out || fail "$name was not run: $(cat out)"
done

# as it stands in its file, with its launch
# shellcheck disable=SC2046
expect 0 'attention.ttir: 3 block graphs: 1 certified' optimize "$own/attention.tp" --search=none --offer="$own/attention.ttir" \
  --literals=decimal --writes-all $(sed -n 's/^attention [a-z]* //p' "$own/launches") --solvers=none --no-cache -f -o attention
expect 2 'the launch does not say the extents' optimize "$own/attention.tp" --search=none --offer="$own/attention.ttir" --solvers=none --no-cache -f -o attention

refused() { # KERNEL, and a change of its text by sed
  sed "$2" "$1.tile" >wrong.tile
  cmp -s wrong.tile "$1.tile" && fail "$1: \`$2\` changes nothing"
  offered "$1" wrong.tile wrong
  [ $? -eq 3 ] || fail "$1: \`$2\` is certified, or an error: $(cat out err)"
}
refused attention 's/ = v\[pid1, / = k[pid1, /'
refused attention 's/v43\[i0, i1\] \* scale_2\[\]/v43[i0, i1]/'
refused attention 's/+ v60\[i0\]/+ v60[i0] + v60[i0]/'
refused attention 's/sum(k3 < 16) (v56\[i0, k3\] \* v67/max(k3 < 16) (v56[i0, k3] * v67/'
refused attention 's/o\[pid1, pid0 \* 16 + i0, i1\]/o[pid1, i0, i1]/'
refused attention 's/arg6 + i0 < 40/arg6 + i0 < 39/'
refused linear_gelu 's/arg7 + i1 < 20/arg7 + i1 < 16/'
refused linear_gelu 's/for arg7 = 0/for arg7 = 16/; s/0\.044715/0.04/'
refused linear_gelu 's/make arg8\[i0 < 16, i1 < 16\] = 0/make arg8[i0 < 16, i1 < 16] = 1/'
refused softmax_rows 's/v18\[\]/(v18[] + v10[])/'
refused matmul_leaky 's/if(0 <= /if(1 <= /'
refused rms_norm 's,/ 21,/ 20,'
refused layer_norm 's/v8\[i0\] - v9/v8[i0] + v9/'
# a causal mask says which elements are summed, and is no bound
sed 's/arg6 + i1 < 40, v43/arg6 + i1 < pid0 * 16 + i0, v43/' attention.tile >causal.tile
cmp -s causal.tile attention.tile && fail 'no causal mask'
offered attention causal.tile wrong && fail 'a mask by place is left out'

[ $failures -eq 0 ]
