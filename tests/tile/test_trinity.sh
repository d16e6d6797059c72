#!/bin/sh
# Trinity's programs as its artifact ships them, and the pairs of its unsound rewrites, under the three readings of scratch tensors:
# each verdict is that of the exact evaluator that the folder's table was made with.
# More than 20 s: 150 programs are evaluated exactly, each under its readings.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
data=$(shared_data trinity) || exit $?

# what evaluation can say: that nothing differs is no proof
word() {
  case $1 in
    EQUIVALENT) echo UNKNOWN ;;
    WRONG) echo REFUTED ;;
    *) echo "$1" ;;
  esac
}

count=0
judge() { # VERDICT GIVEN CANDIDATE READING CONFIG?
  want=$(word "$1")
  # twice in one file: of several programs none is proved, which would take minutes here
  text=$(sed 's/;.*//' "$3" | tr '\n' ' ')
  printf '1: %s\n2: %s\n' "$text" "$text" >twice.txt
  "$assay" certify -q --solvers=none "$2" --from trinity twice.txt --scratch="$4" --shapes="${6:-$data/shapes.tsv}" ${5:+--config="$5"} >out 2>err
  got=$(sort -u out)
  count=$((count + 1))
  # shapes that do not fit are a counterexample: the given program is defined there, and the candidate is not
  [ "$want" = UNREADABLE ] && [ "$got" = REFUTED ] &&
    "$assay" certify --solvers=none "$2" --from trinity "$3" --scratch="$4" | grep -q 'the candidate is undefined' && return
  [ "$got" = "$want" ] || fail "$3 ($4): $got, not $want"
}

tail -n +2 "$data/dev/verdicts.tsv" >dev
while IFS='	' read -r file config reference _ _ global _ private _ generator _; do
  judge "$global" "$data/$reference" "$data/$file" global "$config"
  judge "$private" "$data/$reference" "$data/$file" private "$config"
  [ "$generator" = - ] || judge "$generator" "$data/$reference" "$data/$file" generator "$config"
done <dev

tail -n +2 "$data/rules/verdicts.tsv" >rules
while IFS='	' read -r name _ global private _; do
  judge "$global" "$data/rules/$name.before.tir" "$data/rules/$name.after.tir" global '' "$data/rules/shapes.tsv"
  judge "$private" "$data/rules/$name.before.tir" "$data/rules/$name.after.tir" private '' "$data/rules/shapes.tsv"
done <rules
[ "$count" -gt 150 ] || fail "only $count verdicts were compared"

# a file of many programs
sed 's/^/1: /; s/;.*//' "$data/dev/vanilla_llama_977.tir" | tr '\n' ' ' >many.txt
echo >>many.txt
sed 's/^/2: /; s/;.*//' "$data/dev/vanilla_llama_1277.tir" | tr '\n' ' ' >>many.txt
expect 1 '1 refuted, 0 order-dependent, 1 unknown, 0 unreadable' certify "$data/dev/initial_vanilla_llama.tir" --from trinity many.txt \
  --shapes="$data/shapes.tsv"
expect 1 'zeros anew in each of its instances' certify "$data/dev/initial_vanilla_llama.tir" --from trinity many.txt --shapes="$data/shapes.tsv" \
  --scratch=private
# a program of nine kernels against itself, at other tile sizes
expect 0 '1 proved' certify "$data/dev/initial_ffn_falcon.tir" --from trinity "$data/dev/initial_ffn_falcon.tir"
# in `make check-long`: more of them against themselves
for name in ${AS_LONG:+initial_qknorm_llama initial_prenorm_falcon}; do
  expect 0 '1 proved' certify "$data/dev/$name.tir" --from trinity "$data/dev/$name.tir"
done
# programs that were optimised against those that they come from
expect 0 '1 proved' certify "$data/dev/initial_roco_llama.tir" --from trinity "$data/dev/best_roco_llama_case1620.tir"
expect 0 '1 proved' certify "$data/dev/initial_ffn_falcon.tir" --from trinity "$data/dev/ffn_falcon_141.tir" --scratch=private
# conditions that repeat in what they guard, squares of sums, and side conditions of such
expect 0 '1 proved' certify "$data/dev/initial_qknorm_llama.tir" --from trinity "$data/dev/qknorm_llama_3069.tir"
expect 0 '1 proved' certify "$data/dev/initial_prenorm_llama.tir" --from trinity "$data/dev/best_prenorm_llama_case579.tir" --scratch=private
expect 0 '1 proved' certify "$data/dev/initial_keyformer_llama.tir" --from trinity "$data/dev/keyformer_llama_6697.tir"
# instances that all store the same to what they share, and load what they have stored
expect 0 '1 proved' certify "$data/dev/initial_ffn_falcon.tir" --from trinity "$data/dev/ffn_falcon_399.tir"
# written otherwise: a kernel cut in two, one loop of it with tiles of a size of its own, what is stored taken through another tensor
cut() { # FILE OUT STEP SECOND?
  sed "s/;.*//; s/^(ploop 0 \([0-9]*\) $3 n \(.*\))\$/(seq (ploop 0 $3 $3 n \2) (ploop ${4:-$3} \1 $3 n \2))/" "$data/dev/$1" >"$2"
  grep -q '^(seq (ploop 0' "$2" || fail "$1 is not cut"
}
certified() { # WORDS GIVEN CANDIDATE
  expect "$([ "$1" = '1 proved' ] && echo 0 || echo 1)" "$1" certify "$data/dev/$2" --from trinity "$3" --shapes="$data/shapes.tsv" --solvers=none
}
cut qknorm_falcon_1350.tir cut.txt 64
certified '1 proved' initial_qknorm_falcon.tir cut.txt
cut qknorm_falcon_1350.tir cut.txt 64 128
certified '1 refuted' initial_qknorm_falcon.tir cut.txt
if [ -n "${AS_LONG-}" ]; then
  cut best_keyformer_llama_case1799.tir cut.txt 128
  certified '1 proved' initial_keyformer_llama.tir cut.txt
fi
sed 's/(sloop 0 1024 tile_p p (store (tensor C_exp)/(sloop 0 1024 tile_py p (store (tensor C_exp)/' "$data/dev/qknorm_llama_3069.tir" >other.txt
certified '1 proved' initial_qknorm_llama.tir other.txt
sed 's/(sloop 0 1024 tile_p p (store (tensor C_exp)/(sloop 16 1024 tile_py p (store (tensor C_exp)/' "$data/dev/qknorm_llama_3069.tir" >other.txt
certified '1 refuted' initial_qknorm_llama.tir other.txt
finish
