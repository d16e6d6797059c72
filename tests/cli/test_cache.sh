#!/bin/sh
# Results kept between runs: what is found again, what is not, and that nothing in the cache is believed.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
unset ASSAY_CACHE
XDG_CACHE_HOME=$work/xdg
export XDG_CACHE_HOME
ex=$src/examples

# run STATUS WORDS OUT ARGS..: optimize without solvers
run() {
  status=$1 words=$2 to=$3
  shift 3
  expect "$status" "$words" optimize --solvers=none --force -o "$to" "$@"
}
hits() { run 0 'from the cache' "$@"; grep -q '"taken_from_it": true' "$1/report.json" || fail "$1: not said in the report"; }
misses() { run 0 'states visited, ' "$@"; grep -q '"taken_from_it": false' "$1/report.json" || fail "$1: not said in the report"; }
same_result() {
  for file in program.tp candidate.mug certificate.cert kernel.cu; do
    cmp -s "$1/$file" "$2/$file" || fail "$1/$file and $2/$file differ"
  done
}

# found again: the certificate is replayed, nothing is searched or proved
misses first "$ex/lora.tp"
hits again "$ex/lora.tp" --threads=1 --seconds=7
same_result first again
grep -q '"certificate": "replayed"' again/report.json || fail 'the certificate was not replayed'
grep -q '"proofs": 0,' again/report.json || fail 'something was proved'
grep -q '"replays": 1,' again/report.json || fail 'not exactly one replay'
expect 0 'VERIFIED' check again

# comments and layout are no part of it
{ echo '# a comment'; sed 's/ *= */  =  /' "$ex/lora.tp"; } >spaced.tp
hits spaced spaced.tp
expect 0 'VERIFIED' check spaced

# other names are the same program, also names that the candidate has for tiles of its own; the claim is another text, and proved
printf 'program attention\nsizes H = 2, M = 256, E = 64, K = 4096\ninput Q: f16[H, M, E]\ninput Kt: f16[H, E, K]\ninput V: f16[H, K, E]\nS = matmul(Q, Kt)\nP = softmax(S)\noutput O = matmul(P, V)\n' >one.tp
printf 'program other\nsizes K = 2, U = 256, t1 = 64, H = 4096\ninput V: f16[K, U, t1]\ninput t2: f16[K, t1, H]\ninput L: f16[K, H, t1]\nt7 = matmul(V, t2)\nQ = softmax(t7)\noutput k0 = matmul(Q, L)\n' >two.tp
misses one one.tp
hits two two.tp
grep -q '"certificate": "proved anew' two/report.json || fail 'the report does not say that it was proved anew'
expect 0 'VERIFIED' check two
sed '/^sizes\|^where/d; s/[A-Za-z][A-Za-z0-9_]*/w/g' one/candidate.mug >one.shape
sed '/^sizes\|^where/d; s/[A-Za-z][A-Za-z0-9_]*/w/g' two/candidate.mug >two.shape
cmp -s one.shape two.shape || fail 'renamed, it is another graph'
hits one one.tp

# another program, option, target or specification is another job
sed 's/K = 4096/K = 2048/' one.tp >other.tp && misses other other.tp
sed 's/f16/bf16/' one.tp >other.tp && misses other other.tp
sed 's/sizes/sizes Z = 3,/' one.tp >other.tp && misses other other.tp
misses other one.tp --seed=7
misses other one.tp --arch=A100
misses other one.tp --budget=1000000
cp -r "$src/semantics" sem
for file in sem/*.sem; do echo '# a remark' >>"$file"; break; done
misses other one.tp --sem=sem
hits other one.tp --sem=sem

# the order of operands and attributes are part of the wiring
printf 'program sums\nsizes A = 32, B = 64\ninput X: f32[A, B]\ninput Y: f32[A, B]\noutput O = exp(X) - Y\n' >wired.tp
misses wired wired.tp
sed 's/exp(X) - Y/exp(Y) - X/' wired.tp >wired2.tp
misses wired2 wired2.tp
printf 'program sums\nsizes A = 64, B = 64\ninput X: f32[A, B]\noutput O = sum(X, axis=0)\n' >axis.tp
misses axis axis.tp
sed 's/axis=0/axis=1/' axis.tp >axis1.tp
misses axis1 axis1.tp

# refused WORDS: the damaged entry is not used, which is said; the result is as before, and the entry is made anew
entry=$(grep -l '"program": "program lora' "$work"/xdg/assay/*/*.json)
[ -f "$entry" ] || fail 'no entry for lora'
cp "$entry" good.json
refused() {
  misses mended "$ex/lora.tp"
  grep -qF 'what the cache has is not used: ' err || fail "$1: not said"
  grep -qF "$1" err || fail "not said: $1"
  grep -q '"refused": ' mended/report.json || fail "$1: not in the report"
  same_result first mended
  hits mended "$ex/lora.tp"
}
: >"$entry"
refused 'no JSON object'
head -c 3000 good.json >"$entry"
refused 'no JSON object'
echo '[]' >"$entry"
refused 'no JSON object'
sed 's/assay-cache 1/assay-cache 0/' good.json >"$entry"
refused 'of another format'
sed 's/= matmul(/= add(/' good.json >"$entry"
refused 'its hash differs'
sed 's/"about": "{/"about": "{ /' good.json >"$entry"
refused 'its hash differs'
sed '/"certificate"/d' good.json >"$entry"
refused 'it has no `certificate`'
cp "$(grep -l '"program": "program sums' "$work"/xdg/assay/*/*.json | head -1)" "$entry"
refused 'made for another job'
mkdir kept && mv "$entry" kept/ && mkdir "$entry"
misses mended "$ex/lora.tp"
grep -q 'what the cache has is not used' err || fail 'a folder in the place of an entry is not said'
rmdir "$entry" && mv "kept/$(basename "$entry")" "$entry"

# forged FIELD SED: an entry whose hash is right
forged() {
  python3 - good.json "$entry" "$1" "$2" <<'PYTHON'
import hashlib, json, re, sys
source, target, field, change = sys.argv[1:]
entry = json.load(open(source))
old, new = change.split("=>")
assert re.search(old, entry[field]), (field, old)
entry[field] = re.sub(old, new, entry[field], count=1)
fields = ["format", "key", "program", "candidate", "certificate", "about"]
entry["sha256"] = hashlib.sha256("".join(f"{f} {len(entry[f])}\n{entry[f]}\n" for f in fields).encode()).hexdigest()
json.dump(entry, open(target, "w"))
PYTHON
}
forged candidate '= matmul\((\w+), (\w+)\)=>= matmul(\1, \1)'
refused 'what the cache has is not used'
forged candidate '(t\d+) \+ (t\d+)=>\1 - \2'
refused 'not certified'
forged certificate 'arith t1=>arith t2'
refused 'not certified'
forged certificate '(?s)\n.*=>'
refused 'not certified'
forged program 'matmul=>add'
refused 'what the cache has is not used'
forged about '^\{=>'
refused 'no JSON object'
# lowered by another way than its price is of
forged about '"thread graph"=>"block graph"'
refused 'is lowered as: thread graph; it was chosen by the price of: block graph'
forged about '"thread graph"=>"another way"'
refused 'it does not say by which ways the program is lowered'
forged about '"node_routes":\{\}=>"node_routes":{"1":"library"}'
refused 'it was chosen by the price of: library'
# a number that is not true of the search changes no claim
forged about '"states":\d+=>"states":5'
hits mended "$ex/lora.tp"
same_result first mended

# where it is, and where there is none
run 0 'states visited, ' none "$ex/lora.tp" --no-cache
grep -q '"cache"' none/report.json && fail 'the report speaks of a cache that was not used'
ASSAY_CACHE='' run 0 'states visited, ' none "$ex/lora.tp"
run 0 'candidates that differ in structure' none "$ex/lora.tp" --all
misses none "$ex/lora.tp" --cache=here/it/is
hits none "$ex/lora.tp" --cache=here/it/is
ASSAY_CACHE=$work/here/it/is hits none "$ex/lora.tp"
env -u XDG_CACHE_HOME HOME="$work/home" "$assay" optimize -q --solvers=none --force -o none "$ex/lora.tp" >out 2>err || fail 'no result'
[ "$(find home/.cache/assay -name '*.json' | wc -l)" = 1 ] || fail 'nothing in ~/.cache'
echo >file
misses none "$ex/lora.tp" --cache=file/below
grep -qF 'the result is not kept in the cache: ' err || fail 'a cache that cannot be written is not said'

# what a limit in time cut short is not kept
"$src/tests/cli/chain.sh" 120 >chain.tp
misses late chain.tp --seconds=1 --cache=cut
[ ! -e cut ] || fail 'a result that a time limit cut short was kept'
finish
