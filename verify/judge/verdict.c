/* What a verdict holds, and giving it back. */
#include "judge.h"
#include <stdlib.h>
#include <string.h>

void as_verdict_init(as_verdict *verdict) {
  memset(verdict, 0, sizeof *verdict);
  verdict->answer = AS_ANSWER_UNKNOWN;
  as_err_init(&verdict->err);
  as_cex_init(&verdict->cex);
}

void as_verdict_release(as_verdict *verdict) {
  ck_claim_free(verdict->claim);
  if (verdict->terms)
    ck_terms_free(verdict->terms);
  verdict->claim = NULL;
  verdict->terms = NULL;
}

void as_verdict_clear(as_verdict *verdict) {
  as_verdict_release(verdict);
  for (uint32_t i = 0; i < verdict->n_relied; i++)
    free(verdict->relied[i].name);
  for (int i = 0; i < AS_SMT_N_SOLVERS; i++) {
    if (verdict->opinion[i].asked)
      as_smt_result_clear(&verdict->opinion[i].result);
  }
  as_err_clear(&verdict->err);
  as_proof_result_clear(&verdict->proof);
  as_field_report_clear(&verdict->field);
  as_cex_clear(&verdict->cex);
  as_rule_cex_clear(&verdict->rule_cex);
  free(verdict->relied);
  free(verdict->shadowing);
  free(verdict->implied);
  free(verdict->why);
  free(verdict->theorem);
  free(verdict->check_why);
  free(verdict->block_why);
  free(verdict->field_words);
  free(verdict->cex_words);
  free(verdict->queries_text);
  free(verdict->queries_why);
  memset(verdict, 0, sizeof *verdict);
}

const as_graph *as_judged_sizes(const as_judged *judged) {
  return judged->program ? judged->program : judged->declared[0];
}
