/* Terms of a claim with its definitions written out: what the evaluators, who know inputs alone,
 * can give a value to. Includes the claim. */
#ifndef AS_TESTS_WRITTEN_OUT_H
#define AS_TESTS_WRITTEN_OUT_H
#include "proofs/checker/ck_claim.h"
#include "src/base/mem.h"
#include <stdlib.h>

static inline ck_id written_out(ck_terms *terms, const ck_claim *claim, ck_id term) {
  ck_fsub *bodies = as_calloc(claim->n_definitions + 1, sizeof *bodies);
  for (uint32_t i = 0; i < claim->n_definitions; i++) {
    const ck_definition *d = &claim->definitions[i];
    ck_id body = ck_sub(terms, d->body, NULL, NULL, 0, bodies, i);
    bodies[i] = (ck_fsub){d->name, d->signature, d->parameter, d->n, body};
  }
  ck_id out = ck_sub(terms, term, NULL, NULL, 0, bodies, claim->n_definitions);
  free(bodies);
  return out;
}
#endif
