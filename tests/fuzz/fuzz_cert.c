/* Replay of certificates against a false claim: nothing may be accepted. */
#include "driver.h"
#include "proofs/checker/ck_cert.h"
#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = {
    "a_split",          "a_sum_add",   "b_rmsnorm",   "c1_softmax_defer", "d2_mutual",
    "d_online_softmax", "e_lora",      "f_gated_mlp", "g_layernorm",      "h5_max_split",
    "i2_flatten",       "i_slice_pad", "j_divs"};

void fuzz_seeds(void) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char rel[200];
    size_t n;
    snprintf(rel, sizeof rel, "tests/checker/data/%s.cert", names[i]);
    char *text = fuzz_read(rel, &n);
    fuzz_seed(text, n);
    free(text);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  ck_terms *terms = ck_terms_new();
  ck_id id = ck_var(terms, "X", 'r');
  ck_id term = ck_mk2(terms, CK_EQ, id, ck_mk2(terms, CK_ADD, id, ck_int(terms, 1)));
  char name[] = "eq";
  ck_goal goal = {.name = name, .formula = term};
  ck_usage usage;
  char *why = NULL;
  if (ck_cert_check(terms, &goal, 1, (const char *)data, n, &usage, &why))
    abort();
  if (!why)
    abort();
  free(why);
  ck_terms_free(terms);
  return 0;
}
