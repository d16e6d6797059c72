#!/bin/sh
# The trial of kernels before they are handed out: what is said of it, that it can be demanded, and that what fails it is not handed out.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
unset ASSAY_NO_TRY
cat >p.tp <<'EOT'
program p
sizes M = 4, N = 48
input X: f32[M, N]
output Y = exp(X) * 2
EOT
# run STATUS WORDS OUT ARGS..
run() {
  status=$1 words=$2 to=$3
  shift 3
  expect "$status" "$words" optimize p.tp --solvers=none --no-cache --force -o "$to" "$@"
}

run 0 'elements of what they wrote are right' tried --require=check,field,trial
grep -q '^trial  ' out || fail 'no line of the trial'
grep -q '"tried": true' tried/report.json || fail 'report.json does not say that they were tried'
grep -q 'Trial.*blocks of each kernel ran under the emulation' tried/report.html || fail 'the page says nothing of the trial'
expect 0 VERIFIED check tried

# not tried, which is said, and refused where it is demanded
run 0 'trial     not tried: --no-try' left --no-try
grep -q '"tried": false' left/report.json || fail 'report.json does not say that they were not tried'
grep -q 'Trial.*not tried: --no-try' left/report.html || fail 'the page does not say why they were not tried'
expect 0 VERIFIED check left
run 3 'a trial of the kernels is required, and they were not tried: --no-try' refused --no-try --require=trial
[ -e refused ] && fail 'kernels that were not tried are handed out'
ASSAY_NO_TRY=1 run 3 'not tried: ASSAY_NO_TRY is set' refused --require=check,trial
CXX=$work/none run 0 'not tried: no compiler for the emulation' none
CXX=$work/none run 3 'not tried: no compiler for the emulation' refused --require=trial,check
expect 2 '`trial` is of `optimize`' certify p.tp p.tp --require=check,trial
expect 2 '--require' optimize p.tp --require=trials

# wrong, or killed: exit status 4, and nothing is handed out.  A compiler stands for kernels that are: what it makes says so
cat >compiler <<'EOT'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
cp "${0%/*}/program" "$2" && chmod +x "$2"
EOT
chmod +x compiler
# fails PROGRAM WORDS: the lines of the program that the compiler makes
fails() {
  printf '#!/bin/sh\n%s\n' "$1" >program
  rm -rf wrong
  CXX=$work/compiler run 4 "$2" wrong
  [ -e wrong ] && fail "handed out: $2"
  CXX=$work/compiler expect 4 "$2" build left -o lib
  [ -e lib ] && fail "built: $2"
}
says='{"kernels": 1, "blocks": 1, "compared": 4, "undefined": 0, "wrong": 1, "faults": 0, "seconds": 0, "late": ""}'
fails "echo 'program 0' >&2; echo 'Y[3] is 1, the kernel gives 2' >&2; echo '$says'" 'the kernel gives 2'
fails "echo '{\"ended\": 139}'" 'its process ended with status 139'
fails "echo '$says' | sed 's/wrong\": 1/wrong\": 0/; s/faults\": 0/faults\": 3/'" 'they are not handed out'
fails 'exit 3' 'the trial of the kernels did not run to its end'
fails 'echo nothing' "a trial's result cannot be read"
[ "$failures" -eq 0 ]
