#!/bin/sh
# Definitions of a user's file that have the name of a built-in operator or function: they shadow it in the texts that use the file,
# nowhere else, and every verdict says so (proofs/CLAIM.md section 0).  Each claim is stated by both checkers, and is the same.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"

cat >own.sem <<'END'
op relu(x[..a]) -> [..a]
  out[..a] = 2 * x[..a]
END
cat >other.sem <<'END'
op relu(x[..a]) -> [..a]
  out[..a] = 3 * x[..a]
END
# another number of arguments; and what the program's signs stand for
cat >arity.sem <<'END'
op relu(x[..a], y[..a]) -> [..a]
  out[..a] = x[..a] - y[..a]
END
cat >signs.sem <<'END'
op add(x[..a], y[..a]) -> [..a]
  out[..a] = x[..a] * y[..a]
END
# a function: what is defined before it, and the built-in operators, keep the old one; its own body may name that
cat >func.sem <<'END'
op before(x[..a]) -> [..a]
  out[..a] = tanh(x[..a])
func tanh(x) = 0 * tanh(x) + 2 * x
op behind(x[..a]) -> [..a]
  out[..a] = tanh(x[..a])
END
cat >calls.sem <<'END'
op behind(x[..a]) -> [..a]
  out[..a] = tanh(x[..a])
END
printf 'func erf(x) = x\n' >erf.sem
printf 'func exp(x) = x\n' >known.sem
printf 'op relu(x[..a]) -> [..a]\n  out[..a] = x[..a]\nop relu(x[..a]) -> [..a]\n  out[..a] = x[..a]\n' >twice.sem

# program FILE EXPR [USED..]
program() {
  to=$1 expr=$2
  shift 2
  for used; do printf 'use "%s"\n' "$used"; done >"$to"
  printf 'program p\nsizes N >= 0, relu >= 0\nwhere relu = N\ninput X: f32[N]\noutput Y = %s\n' "$expr" >>"$to"
}
program own.tp 'relu(X)' own.sem # a size of that name is something else
program plain.tp 'relu(X)'
program other.tp 'relu(X)' other.sem
program twice.tp 'X * 2'
program thrice.tp 'X * 3'
program max.tp 'maximum(X, 0)'
program two.tp 'relu(X, X)' arity.sem
program zero.tp 'X * 0'
program signs.tp 'X + X' signs.sem
program square.tp 'X * X'
program behind.tp 'behind(X)' func.sem
program before.tp 'before(X)' func.sem
program tanh.tp 'tanh(X)'
program built_in.tp 'tanh(X)' func.sem # the operator of that name is the built-in one
program calls.tp 'behind(X)' calls.sem
program chain.tp 'behind(X)' func.sem
program erf.tp 'gelu(X)' erf.sem
program gelu.tp 'gelu(X)'
program linear.tp 'X * (1 + X / sqrt(2)) / 2'
program known.tp 'relu(X)' known.sem
program defined_twice.tp 'relu(X)' twice.sem
program both.tp 'relu(X)' own.sem other.sem
program borrowed.tp 'behind(X)' # no `use` line of its own
cp own.sem same.sem
program same.tp 'relu(X)' same.sem
printf 'mugraph m\nY = relu(X)\n' >reads.mug
printf 'mugraph m\nY = X * 2\n' >double.mug
printf 'mugraph m\nY = maximum(X, 0)\n' >max.mug
printf 'tile t\nsizes N >= 0, relu >= 0\nwhere relu = N\ninput X: f32[N]\noutput Y: f32[N]\nfor i = 0 to N\n  load t [] = X[i]\n  u = relu(t)\n  store Y[i] = u\nend\n' >plain.tile
{ printf 'use "own.sem"\n'; cat plain.tile; } >own.tile

touch out err
sem=$src/semantics checker=$build/assay-check
# judged VERDICT(PROVED, REFUTED) SHADOWING GIVEN CANDIDATE: by the command, and the claim by both checkers
judged() {
  verdict=$1 shadowing=$2
  "$checker" --sem "$sem" --goals "$3" "$4" >first || fail "$3 $4: the checker refuses the claim"
  (cd "$src/proofs" && python3 -m second --sem "$sem" --goals "$OLDPWD/$3" "$OLDPWD/$4") >second || fail "$3 $4: the second checker refuses it"
  cmp -s first second || fail "$3 $4: the checkers state other claims"
  status=0
  rm -rf d
  "$assay" certify "$3" "$4" -q -o d --solvers=none >said 2>err || status=$?
  case $verdict in PROVED) [ $status = 0 ] ;; REFUTED) [ $status = 1 ] ;; esac || fail "$3 $4: $(cat said), not $verdict"
  printf '%s%s\n' "$verdict" "${shadowing:+, shadowing $shadowing}" >right
  cmp -s said right || fail "$3 $4: said $(cat said), not $(cat right)"
}
own='own relu (own.sem)'
judged PROVED "$own" own.tp twice.tp
judged REFUTED "$own" own.tp plain.tp # what the candidate calls is the built-in one
judged REFUTED "$own" own.tp max.tp
judged PROVED "$own, candidate's relu (own.sem)" own.tp own.tp
judged PROVED "$own, candidate's relu (same.sem)" own.tp same.tp
judged REFUTED "$own, candidate's relu (other.sem)" own.tp other.tp
judged PROVED "candidate's relu (other.sem)" thrice.tp other.tp
judged REFUTED "candidate's relu (other.sem)" plain.tp other.tp
judged PROVED "candidate's relu (own.sem)" twice.tp own.tp
judged PROVED '' plain.tp max.tp
judged PROVED "$own" own.tp reads.mug # a muGraph is read as its program is
judged PROVED "$own" own.tp double.mug
judged REFUTED "$own" own.tp max.mug
judged PROVED '' plain.tp reads.mug
judged PROVED 'own relu (arity.sem)' two.tp zero.tp
judged REFUTED 'own relu (arity.sem)' two.tp plain.tp
judged PROVED 'own add (signs.sem)' signs.tp square.tp
judged REFUTED 'own add (signs.sem)' signs.tp twice.tp
judged PROVED 'own func tanh (func.sem)' behind.tp twice.tp
judged REFUTED 'own func tanh (func.sem)' behind.tp tanh.tp
judged PROVED 'own func tanh (func.sem)' before.tp tanh.tp
judged REFUTED 'own func tanh (func.sem)' before.tp twice.tp
judged PROVED 'own func tanh (func.sem)' built_in.tp tanh.tp
judged PROVED '' calls.tp tanh.tp
judged PROVED 'own func tanh (func.sem)' chain.tp borrowed.tp # known by the given program's file, and so as it is there
judged REFUTED "candidate's behind (calls.sem), own func tanh (func.sem)" chain.tp calls.tp
judged PROVED 'own func erf (erf.sem)' erf.tp gelu.tp # what built-in operators call stays
judged REFUTED 'own func erf (erf.sem)' erf.tp linear.tp
judged REFUTED "$own" own.tp plain.tile
judged PROVED '' plain.tp plain.tile
judged PROVED "$own, candidate's relu (own.sem)" own.tp own.tile
judged REFUTED "candidate's relu (own.sem)" plain.tp own.tile

# two definitions of one name for one text are none, wherever they stand
for pair in 'known.tp plain.tp' 'defined_twice.tp plain.tp' 'both.tp plain.tp' 'plain.tp both.tp'; do
  set -- $pair
  "$checker" --sem "$sem" --goals "$1" "$2" >/dev/null 2>&1 && fail "$pair: the checker reads it"
  (cd "$src/proofs" && python3 -m second --sem "$sem" --goals "$OLDPWD/$1" "$OLDPWD/$2") >/dev/null 2>&1 && fail "$pair: the second checker reads it"
  expect 2 'already defined' certify "$1" "$2" -q
done
"$checker" --sem "$sem" --sem own.sem --goals own.tp twice.tp >/dev/null 2>&1 && fail 'one of two specifications for all shadows the other'
expect 2 'already defined' certify own.tp twice.tp -q --sem "$sem" --sem own.sem

# it is said everywhere: beside the verdict, in the theorem, in JSON, on the page, when it is checked again
rm -rf d
expect 0 'shadowing own relu (own.sem): other definitions' certify own.tp reads.mug -o d --solvers=none
expect 0 'own relu is the one that own.sem defines, which shadows another' certify own.tp twice.tp --solvers=none
grep -q '"shadowing": "own relu (own.sem)"' d/report.json || fail 'report.json does not say it'
grep -q '"own relu": ' d/report.json || fail 'the specification that is relied on has another name'
grep -q 'own relu (own.sem)' d/report.html || fail 'the page does not say it'
expect 0 'VERIFIED: certificate accepted by both checkers, files unchanged; 1 hypothesis on sizes; shadowing own relu (own.sem)' check --checkers=both -q d
expect 0 '"shadowing": "own relu (own.sem)"' check --json d
"$checker" --sem "$sem" d/program.tp d/candidate.mug d/certificate.cert >accepted || fail 'the checker does not accept it'
grep -q 'own relu is the one that own.sem defines' accepted || fail 'the checker does not say it'
rm -rf d
expect 0 "candidate's relu (own.sem)" certify twice.tp own.tp -o d --solvers=none
expect 0 'VERIFIED' check -q d

# in a file of rules, to itself
cat >own.rule <<'END'
op relu(x[..a]) -> [..a]
  out[..a] = 2 * x[..a]

rule mine
sizes N
tensor X[N]
lhs relu(X)
rhs X * 2

rule built_in
sizes N
tensor X[N]
lhs relu(X)
rhs maximum(X, 0)
END
sed '1,3d' own.rule >plain.rule
expect 1 'shadowing own relu (own.rule)' certify own.rule -o rules
expect 1 '1 proved, 1 refuted' certify own.rule
expect 1 '1 proved, 1 refuted' certify plain.rule
"$checker" -q --sem "$sem" own.rule mine rules/mine.cert >/dev/null || fail 'the rule of the file is not accepted'
"$checker" -q --sem "$sem" plain.rule mine rules/mine.cert >/dev/null && fail 'the certificate holds of the built-in operator'
(cd "$src/proofs" && python3 -m second -q --sem "$sem" "$OLDPWD/own.rule" mine "$OLDPWD/rules/mine.cert") >/dev/null || fail 'the second checker does not accept it'

# a search: what it finds is what the program says, not what the built-in operator is
sed 's/N >= 0, relu >= 0/N = 64/; /^where/d' own.tp >search.tp
expect 0 'shadowing own relu (own.sem)' optimize search.tp -o found --solvers=none
expect 0 'shadowing own relu (own.sem)' check -q found
finish
