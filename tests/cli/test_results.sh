#!/bin/sh
# The commands that work: verdicts and their exit status, result directories and what `check` finds changed in them.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
ex=$src/examples

# --- usage
expect 0 'optimize' --help
expect 0 'usage: assay certify' certify --help
expect 0 'assay ' --version
expect 2 'usage: assay COMMAND'
expect 2 'unknown command `bogus`' bogus
expect 2 'usage: assay certify' certify one
expect 2 'unrecognized option' certify --bogus a b
expect 2 'needs a number' optimize --seed=x a
expect 2 'needs a number' optimize --threads=-1 a
expect 2 'unknown word' optimize --require=nobody a
expect 2 'unknown word' optimize --prune=maybe a
expect 0 'op softmax' ops
expect 0 'exp(' ops softmax
expect 2 'frobnicate' ops frobnicate

# --- verdicts
expect 0 'PROVED' certify "$ex/lora.tp" "$ex/lora.mug" --require=check,z3 -o proved
expect 0 'PROVED' certify "$ex/lora.tp" "$ex/lora.tp" -q
sed 's/sum(q, axis=-1)/sum(y, axis=-1)/' "$ex/rmsnorm_linear.mug" >wrong.mug
expect 1 'REFUTED' certify "$ex/rmsnorm_linear.tp" wrong.mug -o refuted
grep -q '>Counterexample<' refuted/report.html || fail 'no counterexample in the report'
grep -q '<td class="bad">' refuted/report.html || fail 'no value of the candidate in the report'
[ -f refuted/certificate.cert ] && fail 'a refuted candidate has a certificate'
expect 1 'REFUTED' certify "$ex/rmsnorm_linear.tp" wrong.mug --json
expect 0 'REFUTED as reported' check refuted
printf 'program zero\nsizes N >= 0\ninput X: f16[N]\ninput Y: f16[N]\noutput Z = X / Y\n' >div.tp
printf 'program zero\nsizes N >= 0\ninput X: f16[N]\ninput Y: f16[N]\noutput Z = X * Y / (Y * Y)\n' >div2.tp
printf 'program zero\nsizes N >= 0\ninput X: f16[N]\ninput Y: f16[N]\noutput Z = X * Y / Y / Y\n' >div3.tp
printf 'program zero\nsizes N >= 0\ninput X: f16[N]\ninput Y: f16[N]\noutput Z = (X + Y - Y) / Y\n' >div4.tp
expect 0 'PROVED' certify div.tp div2.tp -q
expect 0 'PROVED' certify div.tp div3.tp -q
expect 0 'PROVED' certify div.tp div4.tp -q
printf 'program one\nsizes N\ninput X: f16[N]\noutput Z = X + 0\n' >one.tp
printf 'program one\nsizes N\ninput X: f16[N]\noutput Z = X * X / X\n' >undefined.tp
expect 1 'REFUTED' certify one.tp undefined.tp -q # 0/0 where the program is defined

# --- a solver that is broken or missing is said so, and never counts where it is required
mkdir bin
for kind in crash exit garbage unknown sat lies; do
  cp "$src/tests/smt/fake_cvc5_$kind.sh" bin/cvc5
  chmod +x bin/cvc5
  PATH=$work/bin:$PATH
  expect 3 'cvc5' certify "$ex/lora.tp" "$ex/lora.mug" --require=cvc5
done
cp "$src/tests/smt/fake_cvc5_unknown.sh" bin/cvc5
expect 0 'unknown' certify "$ex/lora.tp" "$ex/lora.mug"
cp "$src/tests/smt/fake_cvc5_crash.sh" bin/cvc5
expect 0 'died' certify "$ex/lora.tp" "$ex/lora.mug"
cp "$src/tests/smt/fake_cvc5_lies.sh" bin/cvc5
expect 0 'unsound: 0 of' certify "$ex/lora.tp" "$ex/lora.mug" # unsat for everything is no agreement
cp "$src/tests/smt/fake_cvc5_sat.sh" bin/cvc5
expect 3 'NOT CERTIFIED' certify "$ex/lora.tp" "$ex/lora.mug" # a solver that disputes a step stands in the way
cp "$src/tests/smt/fake_cvc5_hang.sh" bin/cvc5
expect 3 'no answer in time' certify "$ex/lora.tp" "$ex/lora.mug" --require=cvc5 --solver-seconds=1
expect 3 'PROVED, NOT CERTIFIED' certify "$ex/lora.tp" "$ex/lora.mug" --require=cvc5 --solver-seconds=1 -q # also in one word
rm -rf bin

# a time limit that does not strike changes nothing, not even the certificate
expect 0 'PROVED' certify "$ex/lora.tp" "$ex/lora.mug" --solvers=none -q -o untimed
expect 0 'PROVED' certify "$ex/lora.tp" "$ex/lora.mug" --solvers=none -q -o timed --within=600
cmp -s untimed/certificate.cert timed/certificate.cert || fail "the certificate depends on the time limit"
rm -rf untimed timed
expect 2 'must be from 0' certify "$ex/lora.tp" "$ex/lora.mug" --within=99999999999

# --- optimize: a whole directory, the same for any number of threads, never over something else
expect 0 'one' optimize "$ex/lora.tp" -o one --threads=1 -q
expect 0 'two' optimize "$ex/lora.tp" -o two --threads=3 -q
for f in program.tp candidate.mug certificate.cert kernel.cu; do cmp -s "one/$f" "two/$f" || fail "$f depends on the number of threads"; done
for f in program.tp candidate.mug certificate.cert kernel.cu report.json report.html semantics/linear.sem; do [ -s "one/$f" ] || fail "no $f"; done
expect 2 'one: exists' optimize "$ex/lora.tp" -o one
expect 0 'one' optimize "$ex/lora.tp" -o one -q --force --json
grep -q '<svg' one/report.html || fail 'no drawing in the report'
grep -qE '(src|href)="?https?:' one/report.html && fail 'the report is not self-contained'
[ "$(tail -n 1 out)" = '}' ] || fail '--json prints more than one object'

# --- check, and every change that it must notice
expect 0 'VERIFIED' check one
expect 0 'accepted' check one --json
expect 0 'For all integers' explain one
for f in program.tp candidate.mug certificate.cert kernel.cu report.html semantics/linear.sem; do
  rm -rf copy && cp -R one copy
  printf '\n' >>"copy/$f"
  timeout 60 "$assay" check copy >out 2>err
  st=$?
  [ "$st" -eq 1 ] || [ "$st" -eq 2 ] || fail "a change of $f: exit $st"
  rm -rf copy && cp -R one copy
  rm "copy/$f"
  expect 2 "$f" check copy
done
sha() { sha256sum "$1" | cut -d' ' -f1; }
# hashes made to fit: then the checker, or the comparison with the lowering, must notice
forge() { # FILE SED
  rm -rf copy && cp -R one copy
  old=$(sha "copy/$1")
  sed "$2" "one/$1" >"copy/$1"
  cmp -s "one/$1" "copy/$1" && fail "nothing forged in $1"
  sed "s/$old/$(sha "copy/$1")/" one/report.json >copy/report.json
}
forge candidate.mug 's/load \([a-z0-9]*\) \(.*\) x -> 1/load \1 \2 x -> 0/'
timeout 60 "$assay" check copy >out 2>err
st=$?
[ "$st" -eq 1 ] || [ "$st" -eq 2 ] || fail "a forged candidate: exit $st"
forge program.tp 's/ + / - /'
expect 1 'NOT VERIFIED' check copy
forge kernel.cu 's/__syncthreads();//'
expect 1 'kernel.cu' check copy
forge certificate.cert 's/^qed .*//'
expect 1 'NOT VERIFIED' check copy
forge semantics/linear.sem 's|\(x.*\) \* y|\1 + y|'
timeout 60 "$assay" check copy >out 2>err
st=$?
[ "$st" -eq 1 ] || [ "$st" -eq 2 ] || fail "a forged specification: exit $st"
rm -rf copy && cp -R one copy
sed '/"kernel.cu"/d' one/report.json >copy/report.json
expect 2 'kernel.cu' check copy
printf '{' >copy/report.json
expect 2 'report.json' check copy
expect 2 'nothing' check nothing

# --- what is no file: a pipe that nobody writes to, a device, standard input in the place of one
mkfifo held
exec 8<>held
# COMMAND NAME ODD: the file is something odd; nothing is waited for
odd_file() {
  rm -rf copy && cp -r one copy && rm "copy/$2"
  if [ "$3" = pipe ]; then mkfifo "copy/$2"; else ln -s "$3" "copy/$2"; fi
  timeout 60 "$assay" "$1" copy >out 2>err <&8
  got=$?
  [ "$got" -le 3 ] || fail "$1, $2 being $3: exit $got"
  [ "$1-$got" != check-0 ] || fail "check passes, $2 being $3"
}
for name in program.tp candidate.mug certificate.cert report.json kernel.cu semantics/reduce.sem; do
  odd_file check "$name" pipe
  odd_file explain "$name" /dev/stdin
done
odd_file check program.tp /dev/zero
odd_file run program.tp pipe
odd_file build certificate.cert /dev/stdin
exec 8<&-
expect 2 'is no regular file' certify held held
timeout 60 "$assay" certify -q --solvers=none - "$ex/lora.mug" <"$ex/lora.tp" >out 2>err || fail 'standard input is not read'
sh -c 'cat "$1" | timeout 60 "$2" certify -q --solvers=none /dev/stdin "$3"' sh "$ex/lora.tp" "$assay" "$ex/lora.mug" >out 2>err || fail '/dev/stdin is not read'

# --- an operator of one's own, in a file beside the program, through the whole pipeline
mkdir own
cat >own/center.sem <<'S'
op center_scale(x[..a, n]; by = 2) -> [..a, n]
  let m[..a] = sum(k < n) x[..a, k] / n
  out[..a, i] = x[..a, i] * by - m[..a]
S
cat >own/own.tp <<'S'
use "center.sem"
program own
sizes B = 16, D = 256, N = 512
input X: f16[B, D]
input W: f16[D, N]
Y = center_scale(X)
output Z = matmul(Y, W)
S
expect 0 'PROVED' optimize own/own.tp -o own.assay
expect 0 'VERIFIED' check own.assay
[ -f own.assay/center.sem ] || fail "the program's own specification is not kept"
sed 's/center.sem/..\/own\/center.sem/' own/own.tp >own/up.tp
expect 2 'below the program' optimize own/up.tp -o up.assay

only held proved refuted wrong.mug div.tp div2.tp div3.tp div4.tp one.tp undefined.tp one two copy own own.assay
finish
