/* The checker's readers of operators, programs and muGraphs, and the claim. */
#include "parts.h"
#include "proofs/checker/ck_claim.h"
#include <stdlib.h>

void fuzz_seeds(void) {
  parts_seeds();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  parts split = parts_of(data, n);
  ck_terms *terms = ck_terms_new();
  ck_text sem = {"a.sem", split.s[0], split.n[0]};
  ck_text spec = {"a.tp", split.s[1], split.n[1]};
  ck_text cand = {"a.mug", split.s[2], split.n[2]};
  ck_msg msg;
  ck_claim *claim = ck_claim_texts(terms, &spec, &cand, &sem, 1, &msg);
  if (!claim && !msg.text)
    abort(); /* a refusal has a reason */
  free(msg.text);
  free(msg.file);
  ck_claim_free(claim);
  ck_terms_free(terms);
  return 0;
}
