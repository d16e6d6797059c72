#!/bin/sh
# Kernels of Triton on the command line: what they are lifted to, verdicts, bad input; and where kernels of others are, that what is lifted
# computes what is recorded of them.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
cases=$src/tests/ttir/cases
shared=${AS_SHARED:-$src/../shared}

judge() { # STATUS WORDS PROGRAM KERNEL OPTIONS..
  want=$1 words=$2 program=$cases/$3 kernel=$cases/$4
  shift 4
  expect "$want" "$words" certify --from triton --writes-all "$@" "$program" "$kernel"
}

# the text is read back as a program, and is what it was
lifted() { # NAME KERNEL OPTIONS..
  name=$1 kernel=$2
  shift 2
  "$assay" lift --writes-all "$@" "$cases/$kernel" >out 2>err || fail "$kernel is not lifted"
  cmp -s out "$cases/$name" || fail "$kernel is lifted to another text than $name: $(diff out "$cases/$name" | head -5)"
}
lifted scaled_add.tile scaled_add.ttir --grid 'cdiv(n, 64)' --size n=100 --argument x=n --argument y=n --argument z=n
lifted row_softmax.tile row_softmax.ttir --grid 3 --argument x=15 --argument y=15 --argument n=5
lifted running.tile running.ttir --argument x=40 --argument out=8 --argument n=5

add='--size n=100 --argument x=n --argument y=n --argument z=n'
# shellcheck disable=SC2086
{
  judge 0 'no difference at' scaled_add.tp scaled_add.ttir --grid 'cdiv(n, 64)' $add
  judge 1 'z[0]: given 13/32, candidate -19/32' scaled_add.tp scaled_subtract.ttir --grid 'cdiv(n, 64)' $add
  judge 1 'is outside of its 1' scaled_add.tp scaled_add_one_too_many.ttir --grid 'cdiv(n, 64)' $add
  judge 1 'REFUTED' scaled_add.tp scaled_add.ttir --grid 'n div 64' $add
}
judge 0 'Proved for all sizes' row_softmax.tp row_softmax.ttir --grid 3 --argument x=15 --argument y=15 --argument n=5
judge 1 'y[0]: given' row_softmax.tp row_softmax.ttir --grid 3 --argument x=15 --argument y=15 --argument n=4

# pointers that each round moves on by the same are no tiles; a wrong step is seen
product='--grid 3 --argument x=480 --argument y=160 --argument z=192 --argument k=20'
# shellcheck disable=SC2086
{
  judge 0 'Proved for all sizes' block_product.tp block_product.ttir $product
  judge 1 'REFUTED' block_product.tp block_product_skewed.ttir $product
}
# rows with gaps between them; a remainder of what is negative only where a mask reads nothing
expect 0 'Proved for all sizes' certify --from triton --grid 4 --argument x=55 --argument y=66 "$cases/shifted_rows.tile" "$cases/shifted_rows.ttir"
sed 's/dense<6> : tensor<16xi32>/dense<5> : tensor<16xi32>/' "$cases/shifted_rows.ttir" >without_gaps.ttir
expect 1 'REFUTED' certify --from triton --grid 4 --argument x=55 --argument y=66 "$cases/shifted_rows.tile" without_gaps.ttir

# an argument whose name is a word of the language gets another one: the text can be read
expect 0 'Proved for all sizes' certify --from triton --launch "$cases/running.json" "$cases/running.ttir" "$cases/running.ttir"

# lanes of a masked load of integers that nobody reads may hold any number; where one is read, it has none
gather='--grid 2 --argument at=20 --argument x=9 --argument y=20'
# shellcheck disable=SC2086
judge 0 'Proved for all sizes' masked_index.tp masked_index.ttir $gather
for change in 's/%value = tt.load %place, %mask/%value = tt.load %place/' 's/tt.store %to, %value, %mask/tt.store %to, %value/'; do
  sed "$change" "$cases/masked_index.ttir" >unmasked.ttir
  # shellcheck disable=SC2086
  expect 1 'REFUTED' certify --from triton --writes-all $gather "$cases/masked_index.tp" unmasked.ttir
done
sed 's/%value = tt.load %place, %mask/%value = tt.load %place/' "$cases/masked_index.ttir" >unmasked.ttir
# shellcheck disable=SC2086
"$assay" lift $gather unmasked.ttir --writes-all | grep -q '= at\[.* < 20$' || fail 'a lane that is read has a number'

# what goes lane by lane to a store under the mask goes through any operation of that kind, and through no other
root='    %f = arith.sitofp %which : tensor<16xi32> to tensor<16xf32>\
    %r = tt.precise_sqrt %f : tensor<16xf32>'
sed "s/%value = tt.load .*/$root/; s/tt.store %to, %value/tt.store %to, %r/" "$cases/masked_index.ttir" >rooted.ttir
# shellcheck disable=SC2086
"$assay" lift $gather rooted.ttir --writes-all | grep -q '< 20 else 0$' || fail 'lanes that nobody reads are read'
sed 's/%f = arith.sitofp %which/%z = tt.trans %which {order = array<i32: 0>} : tensor<16xi32> -> tensor<16xi32>\
    %f = arith.sitofp %z/' rooted.ttir >moved.ttir
# shellcheck disable=SC2086
"$assay" lift $gather moved.ttir --writes-all | grep -q '= at\[.* < 20$' || fail 'lanes that are moved are taken for unread'

# Welford's combination is known by what it computes; one that is nearly that has no value, as it depends on the order
welford=$src/tests/ttir/own/layer_norm_welford.ttir
expect 0 'make squares[] = sum(k0 < 8)' lift "$welford" --grid 3 --argument x=3,7 --argument y=3,7 --argument n=7
sed 's/arith.mulf %31, %26/arith.mulf %26, %31/' "$welford" >turned.ttir
expect 0 'make squares[] = sum(k0 < 8)' lift turned.ttir --grid 3 --argument x=3,7 --argument y=3,7 --argument n=7
for change in 's/arith.mulf %30, %arg6/arith.mulf %30, %arg9/' 's/select %24, %cst, %25/select %24, %25, %cst/' 's/arith.divf %arg9, %23/arith.divf %arg6, %23/'; do
  sed "$change" "$welford" >near.ttir
  cmp -s near.ttir "$welford" && fail "\`$change\` changes nothing"
  expect 0 ' = 1 to 8' lift near.ttir --grid 3 --argument x=3,7 --argument y=3,7 --argument n=7
  grep -qF '0 / 0' out || fail "\`$change\` has a value"
done

# rows and columns are what a kernel's writer began with where ranges and the mask say so, and quotients where they do not
rows=$src/tests/ttir/own/rms_norm.ttir
options='--grid 3 --argument x=3,21 --argument w=21 --argument y=3,21 --argument n=21'
# shellcheck disable=SC2086
expect 0 '= x[pid0, arg5 + i0] where arg5 + i0 < 21' lift "$rows" $options
sed 's/cmpi slt/cmpi sle/' "$rows" >beyond.ttir
# shellcheck disable=SC2086
expect 0 'mod 21] where arg5 + i0 <= 21' lift beyond.ttir $options
# shellcheck disable=SC2086
expect 0 'mod 22] where arg5 + i0 < 21' lift "$rows" --grid 3 --argument x=3,22 --argument w=21 --argument y=3,21 --argument n=21
# shellcheck disable=SC2086
expect 0 '= x[pid0, arg5 + i0] where arg5 + i0 < n' lift "$rows" --size R=3 --size n=21 --grid R --argument x=R,n --argument w=n --argument y=R,n --argument n=n

# what is missing, or wrong, is named
kernel=$cases/scaled_add.ttir
expect 2 'does not say the extents of `x`' lift "$kernel" --grid 2
expect 2 'no size expression' lift "$kernel" --grid 'n +' --argument x=n --argument y=n --argument z=n
expect 2 'missing, or negative' lift "$kernel" --grid=-3 --argument x=n
expect 2 'at most three axes' lift "$kernel" --grid 1,2,3,4
expect 2 'NAME=VALUE' lift "$kernel" --grid 2 --argument x
expect 2 'no number from 1 on' lift "$kernel" --grid 2 --size n=0
expect 2 'no case 7' lift "$kernel" --launch "$cases/running.json:7"
expect 2 'whose kernel is it' lift "$cases/scaled_add.tp"
head -c 900 "$kernel" >cut.ttir
expect 2 'cut.ttir:' lift cut.ttir --grid 2
sed 's/arith.mulf/shape.mulf/' "$kernel" >dialect.ttir
expect 3 'shape.mulf: this operation has no meaning here' lift dialect.ttir --grid 2 --size n=100 --argument x=n --argument y=n --argument z=n
sed 's/tensor<64xi32>/tensor<-64xi32>/' "$kernel" >negative.ttir
expect 2 'negative or not known' lift negative.ttir --grid 2
sed 's/%ns = tt.splat %n/%ns = tt.splat %nowhere/' "$kernel" >undefined.ttir
expect 2 '`%nowhere` is not defined here' lift undefined.ttir --grid 2
echo 'module { }' >empty.ttir
expect 2 'no `tt.func`' lift empty.ttir --grid 2
head -c 10000000 /dev/zero | tr '\0' '{' >braces.ttir
expect 2 'no `tt.func`' lift braces.ttir --grid 2
{ head -3 "$kernel"; seq 350000 | sed 's/.*/%c& = arith.constant 1 : i32/'; } >long.ttir
expect 2 'ends inside of a region' lift long.ttir --grid 2
sed 's/%start = /%pid = /' "$kernel" >twice.ttir
expect 2 'a second time' lift twice.ttir --grid 2

# kernels of others: small ones, that one evaluates in seconds
if [ -d "$shared/data/ttir/extra" ]; then
  "$build/tests/ttir/probes" --most 30000 "$shared"/data/ttir/dev/*.ttir "$shared"/data/ttir/extra/*.ttir >out 2>err ||
    fail "a kernel computes something else than what is recorded: $(grep DIFFERS out)"
  tail -1 out
  agreed=$(sed -n '$s/ agrees.*//p' out) refused=$(sed -n '$s/.*, \([0-9]*\) refused.*/\1/p' out)
  [ "${agreed:-0}" -ge 30 ] || fail "only ${agreed:-0} kernels were compared"
  [ "${refused:-99}" -le 9 ] || fail "${refused:-all} kernels are not lifted"
else
  echo "kernels of others are not there ($shared/data/ttir): not compared"
fi
[ "$failures" -eq 0 ]
