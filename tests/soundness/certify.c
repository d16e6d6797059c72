#include "certify.h"
#include "verify/prove/prove.h"
#include <stdlib.h>

bool accepted(ck_terms *T, const ck_claim *c, const char *cert, size_t len) {
  ck_usage u;
  char *why = NULL;
  bool ok = ck_cert_check(T, c->goals, c->n_goals, cert, len, &u, &why);
  free(why);
  return ok;
}

bool certified_as(claim_maker *claim_of, const char *given, const char *other, uint32_t max_steps,
                  char **cert, size_t *len) {
  ck_terms *T = ck_terms_new();
  ck_claim *c = claim_of(T, given, other);
  bool ok = false;
  if (c) {
    as_proof_result r;
    as_prove_opts o = {.max_steps = max_steps};
    as_prove_claim(T, c, &o, &r);
    if (r.verdict == AS_PROVED) {
      ck_terms *U = ck_terms_new(); /* the checker starts afresh */
      ck_claim *d = claim_of(U, given, other);
      ok = d && accepted(U, d, r.cert, r.cert_len);
      ck_claim_free(d);
      ck_terms_free(U);
      if (ok && cert) {
        *cert = r.cert;
        *len = r.cert_len;
        r.cert = NULL;
      }
    }
    as_proof_result_clear(&r);
  }
  ck_claim_free(c);
  ck_terms_free(T);
  return ok;
}
