#!/bin/sh
# The prover's certificates of the examples, byte by byte: what is meant to change no proof changes none.  The list is renewed by `make golden`.
. "${AS_TOP_SRCDIR:?}/tests/cli/lib.sh"
ex=$src/examples
command -v sha256sum >/dev/null || { echo 'skipped: there is no sha256sum'; exit 77; }

note() { # NAME CERTIFICATE
  printf '%s  %7d  %s\n' "$(sha256sum <"$2" | cut -c1-64)" "$(wc -l <"$2")" "$1" >>certificates.txt
}
prove() { # NAME ARGS..
  name=$1
  shift
  expect 0 'PROVED' certify --require=check --solvers=none -q -o result "$@"
  note "$name" result/certificate.cert
  rm -rf result
}
for e in gated_mixer gated_mlp gqa layernorm_linear lora rmsnorm_linear; do prove "$e" "$ex/$e.tp" "$ex/$e.mug"; done
for e in gated_mlp gqa lora mha mqa ntrans rmsnorm; do prove "mirage/$e" "$ex/mirage/$e.tp" "$ex/mirage/$e.mug"; done
prove mirage/mqa_split "$ex/mirage/mqa.tp" "$ex/mirage/mqa_split.mug"
prove own_operator "$ex/own_operator/capped_logits.tp" "$ex/own_operator/capped_logits.mug"
# a file with rules that are wrong as well: only what is proved has a certificate
timeout 120 "$assay" certify --solvers=none -q -o rules "$ex/rules/probes.rule" "$ex/rules/trinity.rule" >out 2>err
ls rules/*.cert >/dev/null || fail 'no rule has a certificate'
for cert in rules/*.cert; do note "$(basename "$cert" .cert)" "$cert"; done
rm -rf rules
golden certificates.txt "$src/tests/cli/certificates.txt"
rm certificates.txt
only
finish
