#!/bin/sh
# Every muGraph that Mirage published is decided: all are right.  The files are others' and not in this tree: AS_SHARED says where they are.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
. "$src/tests/mirage/lib.sh"
data=$(shared_data mirage-mugraphs) || exit $?

while read -r program file graphs; do
  round "$program" "$data/$file.json" "$graphs"
done <<END
gated_mlp gated_mlp 32
gated_mlp single_gated_mlp 1
lora lora 4
lora single_lora 1
rmsnorm rmsnorm_bs8 20
ntrans ntrans_bs1 9
gqa gqa_bs1 28
mha mha_bs1 21
mqa mqa_bs1 12
mqa single_mqa_bs1 1
END
# the extents are lifted: the theorem names sizes of the program, and tiles with their relations
expect 0 'K = G1 * L1 * S2' certify -v "$ex/mqa.tp" --from mirage "$data/single_mqa_bs1.json"
# wrong graphs that read two sizes of the program as one, and another as its multiple: no claim for all sizes can be made of them, and they
# are refuted at sizes that satisfy their relations, none above 4
expect 1 '0 proved, 2 refuted, 0 unknown' certify "$data/qknorm.tp" --from mirage "$data/qknorm_two.json"
awk '/^sizes/ { n++; gsub(/[A-Za-z0-9]* = /, ""); sub(/^sizes /, ""); split($0, v, ", "); for (i in v) if (v[i] > 4) bad = 1 }
     END { exit bad || n != 2 }' out || fail "qknorm: sizes of the counterexamples"
only
finish
