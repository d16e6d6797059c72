#!/bin/sh
# The table of options, as users meet it: what each command takes, what it refuses, the manual, completions, standard input.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
ex=$src/examples
commands='optimize certify check regress bench explain ops completion'

# an option of another command is an error; each command lists its own and no other
expect 2 'check has no option --junit' check --junit=x dir
expect 2 'ops has no option --update' ops --update
expect 2 'certify has no option --prune' certify --prune=exact a b
expect 2 'optimize has no option --direction' --direction=both optimize a
expect 2 'completion has no option --json' completion bash --json
expect 2 'which --from names the form of' certify --generalise "$ex/lora.tp" "$ex/lora.mug"
"$assay" completion man >rows 2>err || fail 'no rows'
tr '\n' ' ' <rows | sed 's/\.TP/\n/g' | sed -n 's/.*fB\(--[a-z-]*\)\\fR.* Of: \([a-z ]*\)\..*/\1 \2/p' >table
[ "$(wc -l <table)" -ge 25 ] || fail 'the rows cannot be read'
twice=$(sed -n 's/^\\fB-\(.\)\\fR, .*/\1/p' rows | sort | uniq -d)
[ -z "$twice" ] || fail "a letter stands for two options: $twice"
expect 0 'assay ' -V
for command in $commands; do
  expect 0 "usage: assay $command" "$command" --help
  cp out help
  while read -r option of; do
    case " $of " in
    *" $command "*) grep -q -e " $option\(=\|  \)" help || fail "$command --help lacks $option" ;;
    *)
      grep -q -e " $option\(=\|  \)" help && fail "$command --help has $option, which is of: $of"
      case $(grep -c -e "fB$option.fR=" rows) in 0) given=$option ;; *) given=$option=1 ;; esac
      case $option in --from | --to) given=$option=mirage ;; --require) given=$option=check ;; --solvers) given=$option=z3 ;;
      --direction | --checkers | --search) given=$option=both ;; --scratch) given=$option=global ;; --literals) given=$option=decimal ;; --device | --tune) given=$option=host ;; --prune) given=$option=z3 ;; --library) given=$option=auto ;; esac
      expect 2 "$command has no option $option" "$command" "$given"
      ;;
    esac
  done <table
done

# the manual's section is what the rows say (make golden)
if [ -n "${AS_GOLDEN:-}" ]; then
  { sed '/made by .assay completion man./q' "$src/man/assay.1"; cat rows; sed -n '/^.." end/,$p' "$src/man/assay.1"; } >manual
  golden manual "$src/man/assay.1"
  rm manual
fi
sed -n '/made by .assay completion man./,/^.." end/p' "$src/man/assay.1" | sed '1d; $d' >section
cmp -s section rows || fail "man/assay.1: its options are not those of the table: $(diff section rows | head -5)"

# values: types, bounds, words
expect 2 'needs a number, not `1x`' optimize --seed=1x a
expect 2 'needs a number, not `+1`' optimize --seed=+1 a
expect 2 'needs a number, not `99999999999999999999999`' optimize --seed=99999999999999999999999 a
expect 2 'must be from 1 to 1024, not `0`' optimize --threads=0 a
expect 2 'must be from 1 to 86400, not `0`' certify --solver-seconds=0 a b
expect 2 'unknown word `sideways`' certify --direction=sideways a.rule
expect 2 'unknown word `forward,both`' certify --direction=forward,both a.rule
expect 2 'requires an argument' --trace
expect 2 'completion for `fish`' completion fish

# completion, by the shell itself
if command -v bash >/dev/null; then
  "$assay" completion bash >completion
  complete_line() { # WORDS..: what the last one may become
    bash -c '. ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _assay; printf "%s\n" "${COMPREPLY[@]}"' bash "$@" >out 2>err
  }
  complete_line assay cert
  grep -qx certify out || fail 'bash: cert is not completed'
  complete_line assay regress --up
  grep -qx -e --update out || fail 'bash: regress --up is not completed'
  complete_line assay check --ju
  grep -q junit out && fail 'bash: check is offered --junit'
  complete_line assay certify --require = z
  grep -qx z3 out || fail 'bash: the words of --require are not offered'
  complete_line assay certify --require = check,cv
  grep -qx check,cvc5 out || fail 'bash: the second word of a list is not offered'
fi

# standard input
"$assay" certify - "$ex/lora.mug" -q --solvers=none <"$ex/lora.tp" >out 2>err || fail 'a program on standard input'
grep -qx PROVED out || fail 'a program on standard input is not judged'
"$assay" certify "$ex/lora.tp" - -q --solvers=none <"$ex/lora.mug" >out 2>err || fail 'a candidate on standard input'
"$assay" certify "$ex/lora.tp" - -q --solvers=none -o piped <"$ex/lora.mug" >out 2>err || fail 'a result of standard input'
expect 0 VERIFIED check piped
printf 'program broken' | "$assay" certify - "$ex/lora.mug" >out 2>err
[ $? -eq 2 ] || fail 'a broken program on standard input'
expect 2 'there is one standard input' certify - -
: >err

# what is done is counted where that is asked for
expect 0 'runs of the prover' certify "$ex/lora.tp" "$ex/lora.mug" --solvers=none --stats
only rows table help section completion piped
finish
