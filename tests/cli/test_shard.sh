#!/bin/sh
# A search in shares comes to what one process finds, whatever the shares hold.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
ex=$src/examples

# the same files, and the same report but for times, the hash of the page that shows them, and how much was searched: one process searches
# groups of operators that say the same once, shares look at each
same_result() {
  for file in program.tp candidate.mug certificate.cert kernel.cu; do
    cmp -s "$1/$file" "$2/$file" || fail "$1/$file and $2/$file differ"
  done
  for dir in "$1" "$2"; do
    sed '/^ "run": {/,$d; /^   *"states": /d; /^   *"candidates": /d; /^ *"search_said": /d' "$dir/report.json" >"$dir.report"
  done
  cmp -s "$1.report" "$2.report" || fail "$1/report.json and $2/report.json differ"
}

# shares PROGRAM N: all of them, as one after the other
shares() {
  i=1
  while [ "$i" -le "$2" ]; do
    expect 0 "share$i" optimize "$1" --shard="$i/$2" -q -o "share$i"
    i=$((i + 1))
  done
}

for program in "$ex/lora.tp" "$ex/axon/rmsnorm_matmul.tp" "$ex/layernorm_linear.tp"; do
  expect 0 whole optimize "$program" -q --solvers=none --force -o whole
  for n in 2 4; do
    shares "$program" "$n"
    # shellcheck disable=SC2046
    expect 0 merged merge "$program" $(seq -f 'share%g' "$n") -q --solvers=none --force -o merged
    [ ! -s err ] || fail 'something is said of shares that are all there'
    same_result whole merged
  done
  expect 0 'VERIFIED' check merged
done

# the last program's: out of order, with one missing, with one twice
expect 0 merged merge "$program" share3 share1 share4 share1 -q --solvers=none --force -o merged
grep -qF 'what is missing is enumerated here: 2/4' err || fail 'a missing share is not said'
same_result whole merged

# refused WORDS SHARE..: nothing is made of a share that is not of this search
refused() {
  words=$1
  shift
  expect 2 "$words" merge "$program" "$@" -q --solvers=none -o none
  [ ! -e none ] || fail "a result was left: $words"
}
expect 0 other optimize "$ex/lora.tp" --shard=1/4 -q -o other
refused 'of another job' share1 other
expect 0 other optimize "$program" --shard=1/4 --budget=1000000 -q -o other
refused 'of another job' other
expect 0 other optimize "$program" --shard=1/3 -q -o other
refused 'a share of 3, and others are of 4' share1 other
sed 's/^plan \([^ ]*\) 1/plan \1 2/' share1 >other
refused 'its hash differs' other
head -c 500 share1 >other
refused 'its hash differs' other
: >other
refused 'no share of a search' other
refused 'no share of a search' "$program"
refused 'absent' share1 absent
expect 2 'is not I/N' optimize "$program" --shard=3/2 -o other2
expect 2 'is not I/N' optimize "$program" --shard=0/2 -o other2
expect 2 'is not I/N' optimize "$program" --shard=1/x -o other2

# forge SHARE WORDS..: a share whose hash is right, changed by a Python expression of its lines
forge() {
  python3 - "$1" "$2" >other <<'PYTHON'
import hashlib, sys
lines = open(sys.argv[1]).read().splitlines(True)[:-1]
lines = eval(sys.argv[2], {"lines": lines})
text = "".join(lines)
print(text + "end " + hashlib.sha256(text.encode()).hexdigest())
PYTHON
}
forge share1 '[l.replace("plan ", "plane ", 1) for l in lines]'
refused 'cannot be read' other
forge share1 '[l[:-3] + "\n" if l.startswith("plan") and l.split()[-1] != "0" else l for l in lines]'
refused 'cannot be read' other
# what a share says of costs decides what is tried first, and nothing else: here all of its graphs cost next to nothing
forge share1 '[" ".join("0x1p-9" if w.startswith("0x1") else w for w in l.split(" ")) for l in lines]'
expect 0 forged merge "$program" other share2 share3 share4 -q --solvers=none -o forged
expect 0 'VERIFIED' check forged
# graphs that there are not: left out, not believed
forge share1 '[l if not l.startswith("plan") else " ".join(w if i < 30 else ("4000" if (i - 31) % 4 == 0 and i > 30 else w) for i, w in enumerate(l.split(" "))) for l in lines]'
timeout 120 "$assay" merge "$program" other share2 share3 share4 -q --solvers=none -o absurd >out 2>err
status=$?
[ "$status" = 0 ] || [ "$status" = 2 ] || fail "a share with graphs that there are not: exit $status"
[ "$status" != 0 ] || expect 0 'VERIFIED' check absurd

# MPI, where this was configured
if [ -x "$build/assay-mpi" ] && command -v mpirun >mpirun.path; then
  for n in 2 4; do
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASSAY=$assay timeout 300 \
      mpirun --oversubscribe -n "$n" "$build/assay-mpi" "$program" mpi --solvers=none --force >out 2>err || fail "mpirun: exit $?"
    same_result whole mpi
  done
  [ -z "$(ls mpi.share* 2>err)" ] || fail 'shares are left behind'
fi

# the array job's script, with what Slurm sets
for task in 1 2 3; do
  SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=3 ASSAY=$assay sh "$src/launch/assay-array.sbatch" "$program" array >out 2>err || fail "task $task"
done
ASSAY=$assay sh "$src/launch/assay-array.sbatch" "$program" array --solvers=none -q >out 2>err || fail 'merge of the array'
same_result whole array
finish
