#!/bin/sh
# assay-check's command line: which specifications it reads, what a candidate may bring along, lists of certificates.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
check=$build/assay-check

# checks STATUS WORDS ARGS..
checks() {
  want=$1 words=$2
  shift 2
  "$check" "$@" >out 2>err </dev/null
  got=$?
  [ "$got" -eq "$want" ] || fail "assay-check $*: exit $got, not $want"
  grep -qF -e "$words" out err || fail "assay-check $*: does not say \`$words'"
}

printf 'program p\nsizes N\ninput X: f16[N]\noutput Z = twice(X)\n' >p.tp
printf 'mugraph q\nZ = X + X\n' >c.mug
printf "assay-cert 1\nv 'N 'i\n= t0 t0\narith t1 |\nv '\$i0 'i\nb =0 'i\napp 'X 'i:r t3\n+ t4 t4\napp 'C.Z 'i:r t3\n= t6 t5\nall =1 t7\nhyp t8\nuse s1 | t2 |\nq =2 =1\n* t9 t4\napp 'S.Z 'i:r t3\n= t11 t10\nall =1 t12\nhyp t13\nuse s3 | t2 |\napp 'S.Z 'i:r t2\napp 'C.Z 'i:r t2\n= t14 t15\nq =1 =1\nq =-1 =1\narith t16 | t17 s4 , t18 s2\nqed shape.Z.0 s0\nqed eq.Z s5\n" >c.cert
twice() { printf 'op twice(x[..a]) -> [..a]\n  out[..a] = %s * x[..a]\n' "$1"; cat "$src/semantics/elementwise.sem"; }

# a folder's name is no pattern, and neither is a file's
mkdir 'g[1]' g1 'b\s'
twice 2 >'g1/a.sem'
twice 3 >'g[1]/a.sem'
checks 0 ACCEPTED --sem g1 p.tp c.mug c.cert
checks 1 REJECTED --sem 'g[1]' p.tp c.mug c.cert
checks 1 REJECTED --sem 'g[1]/a.sem' p.tp c.mug c.cert
cp g1/a.sem 'b\s/a.sem'
checks 0 ACCEPTED --sem 'b\s' p.tp c.mug c.cert
checks 0 ACCEPTED --sem 'b\s/a.sem' p.tp c.mug c.cert
checks 2 'nowhere' --sem nowhere p.tp c.mug c.cert

# what the given program means is not for the candidate to say
printf 'op twice(x[..a]) -> [..a]\n  out[..a] = 2 * x[..a]\n' >own.sem
printf 'use "own.sem"\nmugraph q\nZ = X + X\n' >own.mug
checks 2 'no operator is called twice' --sem "$src/semantics" p.tp own.mug c.cert
{ echo 'use "own.sem"'; cat p.tp; } >own.tp
checks 0 ACCEPTED --sem "$src/semantics" own.tp own.mug c.cert
checks 0 ACCEPTED --sem "$src/semantics" own.tp c.mug c.cert

# a list has three names a line
printf '# what was certified\n\np.tp c.mug c.cert\n' >list
checks 0 'accepted c.cert' --sem g1 --batch list
printf 'p.tp c.mug\nc.cert p.tp\nc.mug c.cert\n' >list
checks 2 'three file names expected' --sem g1 --batch list
printf 'p.tp c.mug c.cert p.tp\nc.mug c.cert\n' >list
checks 2 'three file names expected' --sem g1 --batch list
printf 'p.tp c.mug c.cert\np.tp p.tp c.cert\n' >list
checks 1 'rejected c.cert' --sem g1 --batch list
printf 'p.tp c.mug c.cert\n\000p.tp p.tp c.cert\n' >list
checks 2 'zero byte' --sem g1 --batch list
printf '# nothing\n' >list
checks 2 'nothing to check' --sem g1 --batch list
# 193,600 products of fractions of 9,800 digits would take gigabytes: refused when they weigh too much
awk 'BEGIN {
  one = zero = ""
  for (i = 0; i < 9800; i++) { one = one "1"; zero = zero "0" }
  print "assay-cert 1\nq =" one " =1" zero
  for (s = 0; s < 2; s++) {
    print "v \047a" 440 * s " \047r"; sum = ++t
    for (i = 1; i < 440; i++) { print "v \047a" 440 * s + i " \047r"; ++t; print "+ t" sum " t" t; sum = ++t }
    print "* t0 t" sum; side[s] = ++t
  }
  print "* t" side[0] " t" side[1]; ++t
  print "= t" t " t" t; ++t
  print "arith t" t " |"
}' >heavy.cert
checks 1 'polynomial too large' --sem g1 p.tp c.mug heavy.cert
# specifications beside the program come before those installed, and what is relied on is compared with the library
printf 'program p\nsizes N\ninput X: f16[N]\noutput Z = X + X\n' >plus.tp
checks 0 'S.Z' --goals plus.tp plus.tp
checks 0 'func silu' --specifications
# what is plainly true is no goal, and is listed on request, with what holds around the place; what is needed twice is one goal
printf 'program p\nsizes N\ninput X: f32[N]\nT = sqrt(X)\noutput Z = T * sqrt(X)\n' >roots.tp
checks 0 'plain roots.tp:4 $i0 < N' --obligations roots.tp roots.tp
checks 0 '  if 0 <= $i0' --obligations roots.tp roots.tp
checks 0 'again roots.tp:5 all 1 (0 <= #i0 ; #i0 < N ; 0 <= X[#i0])' --obligations roots.tp roots.tp
"$check" --sem "$src/semantics" --goals roots.tp roots.tp >goals
"$check" --sem "$src/semantics" --obligations roots.tp roots.tp >listed
grep -qE '^(plain|again) ' goals && fail 'goals lists what is no goal'
grep -vE '^(plain|again) ' listed | sed '/^define/,$!d' | cmp -s - goals || fail 'the claim differs where obligations are listed'
checks 2 'usage' --obligations roots.tp
checks 0 '  add  standard' --sem g1 p.tp c.mug c.cert
checks 0 '  twice  not in the standard library' --sem g1 p.tp c.mug c.cert
sed 's/x\[~o\] + y\[~o\]/y[~o] + x[~o]/' "$src/semantics/elementwise.sem" >changed.sem
cmp -s changed.sem "$src/semantics/elementwise.sem" && fail 'the addition was not changed'
twice 2 | sed '/^op add/,/^$/d' >less.sem
sed -n '/^op add/,/^$/p' changed.sem >>less.sem
checks 0 '  differs from the standard: add' --sem less.sem p.tp c.mug c.cert
"$check" --specifications --sem "$src/semantics" >all
while read -r hash name; do
  grep -qF "\"$hash $name\"" "$src/proofs/checker/ck_standard.c" || fail "the list of the standard library lacks $name $hash"
done <all
[ "$(grep -cE '^ *"[0-9a-f]{64} ' "$src/proofs/checker/ck_standard.c")" -eq "$(wc -l <all)" ] || fail 'the list of the standard library has more than the library: proofs/checker/make_standard.sh'
finish
