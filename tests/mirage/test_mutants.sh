#!/bin/sh
# muGraphs changed at random (mutate.py: tiles, maps, loops, grids and operators taken for others): each is proved, refuted, or refused for what is
# wrong with it, and none is left unknown because it could not be lifted.  AS_MUTANTS: how many of each file; AS_SEED: the seed.  `make mirage-mutants
# COUNT=100 SEED=7` is a campaign.  Files of others take part where they are (AS_SHARED).
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
. "$src/tests/mirage/lib.sh"
count=${AS_MUTANTS:-2} seed=${AS_SEED:-1}
command -v python3 >/dev/null || { echo "skipped: there is no python3" >&2; exit 77; }
echo "seed $seed, $count of each file"

list="gated_mlp:$ex/gated_mlp.json gated_mlp:$ex/gated_mlp_plain.json gqa:$ex/gqa.json lora:$ex/lora.json mha:$ex/mha.json mha:$ex/mha_plain.json
  mqa:$ex/mqa.json mqa:$ex/mqa_split.json ntrans:$ex/ntrans.json rmsnorm:$ex/rmsnorm.json"
if data=$(shared_data mirage-mugraphs); then
  list="$list gated_mlp:$data/gated_mlp.json gqa:$data/gqa_bs1.json lora:$data/lora.json mha:$data/mha_bs1.json mqa:$data/mqa_bs1.json
    ntrans:$data/ntrans_bs1.json rmsnorm:$data/rmsnorm_bs8.json $data/qknorm:$data/qknorm_two.json"
fi

: >verdicts
for pair in $list; do
  program=${pair%%:*} file=${pair#*:}
  case $program in /*) ;; *) program=$ex/$program ;; esac
  python3 "$src/tests/mirage/mutate.py" "$file" "$count" "$seed" >changed.json 2>what || fail "mutate.py: $file"
  "$assay" certify --solvers=none --json "$program.tp" --from mirage changed.json >out 2>err </dev/null
  case $? in 0|1|3) ;; *) fail "$file: exit status" ;; esac
  python3 - "$(basename "$file")" >>verdicts <<'END' || fail "$file: the JSON cannot be read"
import json, sys
for graph in json.load(open('out'))['graphs']:
    kind = 'refused' if graph.get('refused') else graph['verdict']
    print(sys.argv[1], graph['graph'], kind + (' at its own sizes' if graph.get('at_its_own_sizes') else ''), (graph.get('reason') or '').split('\n')[0], sep='\t')
END
done
# the same lines in the same order, however many threads there are: a graph that the first turn leaves undecided comes after the others
told() { "$assay" certify --solvers=none -t "$1" "$ex/ntrans.tp" --from mirage changed.json 2>/dev/null </dev/null | sed 's/ *[0-9.]* s\>//'; }
python3 "$src/tests/mirage/mutate.py" "$ex/ntrans.json" 4 "$seed" >changed.json 2>what || fail "mutate.py: ntrans.json"
told 1 >one
told 3 >three
cmp -s one three || fail "threads change what is told: $(diff one three | head -4)"
awk -F'\t' '{ n[$3]++; all++ } END { for (k in n) printf "%d %s, ", n[k], k; printf "of %d graphs\n", all }' verdicts
awk -F'\t' '$3 ~ /UNKNOWN/' verdicts >open
while read -r line; do fail "undecided: $line"; done <open
awk -F'\t' '$3 == "REFUTED"' verdicts | grep -q . || fail "none was refuted"
finish
