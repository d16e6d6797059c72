#!/bin/sh
# Kernels of Triton as block graphs: those that have such a form are certified in it and checked, and run as it says; what is changed in
# what they compute is not certified.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
own=$src/tests/ttir/own

lifted() { # a kernel of own/launches, as NAME.tile
  # shellcheck disable=SC2046
  "$assay" lift --from triton --literals=decimal --writes-all $(sed -n "s/^$1 [a-z]* //p" "$own/launches") "$own/$1.ttir" >"$1.tile" || fail "$1 is not lifted"
}
offered() { # KERNEL TEXT.tile, to OUT, further options
  kernel=$1 text=$2 to=$3
  shift 3
  "$assay" optimize "$own/$kernel.tp" --search=none --offer="$text" --solvers=none --no-cache -f -o "$to" "$@" >out 2>err
}

n=0
for name in layer_norm rms_norm softmax_rows linear_gelu matmul_leaky matmul_wrapped int8_matmul attention \
  transpose batched_matvec column_sums batch_norm layer_norm_dx rms_norm_backward cosine; do
  lifted $name
  offered $name $name.tile $name || fail "$name has no certified block graph: $(cat out err)"
  expect 0 VERIFIED check -q $name
  n=$((n + 1))
done
# what is equal over the reals and worse in floats than the program is left out, unless that is wanted: a variance by the mean of squares,
# exponentials whose maximum cancels
for name in layer_norm_moments softmax_online; do
  lifted $name
  offered $name $name.tile $name && fail "$name is chosen, and computes worse than the program given"
  grep -q ' 0 certified, .* [1-9][0-9]* worse in floats than the program given' out || fail "$name: another reason: $(cat out err)"
  offered $name $name.tile $name --fast-floats || fail "$name has no certified block graph: $(cat out err)"
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

# a launch in numbers, of a program with sizes: what is certified is of all sizes
cat >sizes.tp <<'END'
program linear_gelu
sizes M = 64, N = 32, K = 48
input a: f16[M, K]
input b: f16[K, N]
input bias: f16[N]
v = a @ b + bias
u = 0.7978846 * (v + 0.044715 * v * v * v)
output c = 0.5 * v * (1 + tanh(u))
END
at() { # extents of the launch M N K
  echo "--grid 8 --argument a=$1,$3 --argument b=$3,$2 --argument bias=$2 --argument c=$1,$2 --argument M=$1 --argument N=$2 --argument K=$3"
}
# the float test computes a tanh written by exponentials as it is written, where the kernel that is printed calls tanh
# shellcheck disable=SC2046
expect 0 'For all integers M, N, K, ' optimize sizes.tp --search=none --offer="$own/linear_gelu.ttir" --literals=decimal --writes-all $(at 64 32 48) \
  --fast-floats --solvers=none --no-cache -v -o sizes
expect 0 VERIFIED check -q sizes
# not of a launch at other sizes than the program states
# shellcheck disable=SC2046
expect 3 'no certified candidate' optimize sizes.tp --search=none --offer="$own/linear_gelu.ttir" --literals=decimal --writes-all $(at 64 32 32) \
  --solvers=none --no-cache -f -o sizes

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
