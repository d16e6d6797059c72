#include "certify.h"
#include "verify/prove/prove.h"
#include <stdlib.h>

bool accepted(ck_terms *terms, const ck_claim *claim, const char *cert, size_t len) {
  ck_usage usage;
  char *why = NULL;
  bool ok = ck_cert_check(terms, claim->goals, claim->n_goals, cert, len, &usage, &why);
  free(why);
  return ok;
}

bool certified_as(claim_maker *claim_of, const char *given, const char *other, uint32_t max_steps,
                  char **cert, size_t *len) {
  ck_terms *terms = ck_terms_new();
  ck_claim *claim = claim_of(terms, given, other);
  bool ok = false;
  if (claim) {
    as_proof_result result;
    as_prove_opts o = {.max_steps = max_steps};
    as_prove_claim(terms, claim, &o, &result);
    if (result.verdict == AS_PROVED) {
      ck_terms *U = ck_terms_new(); /* the checker starts afresh */
      ck_claim *d = claim_of(U, given, other);
      ok = d && accepted(U, d, result.cert, result.cert_len);
      ck_claim_free(d);
      ck_terms_free(U);
      if (ok && cert) {
        *cert = result.cert;
        *len = result.cert_len;
        result.cert = NULL;
      }
    }
    as_proof_result_clear(&result);
  }
  ck_claim_free(claim);
  ck_terms_free(terms);
  return ok;
}
