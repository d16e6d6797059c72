/* What a claim says of the sizes beyond what its texts state. */
#include "judge_int.h"
#include "src/base/mem.h"
#include <stdlib.h>

/* a relation is asked with this effort; one that is not found to follow is told, so that too small
 * a number tells too much and never too little */
enum { STEPS_FOR_A_RELATION = 1000, MOST_TOLD = 64 };

/* t speaks of integers by their names alone: of no tensor, and of nothing that is summed up */
static bool of_sizes(const ck_terms *terms, ck_id t) {
  switch (ck_head(terms, t)) {
  case CK_Q:
    return true;
  case CK_V:
  case CK_B:
    return ck_is_int(terms, t);
  case CK_ADD:
  case CK_MUL:
  case CK_DIV:
  case CK_MOD:
  case CK_ITE:
  case CK_EQ:
  case CK_NE:
  case CK_LE:
  case CK_LT:
  case CK_ALL:
    for (uint32_t i = 0; i < ck_nkids(terms, t); i++) {
      if (!of_sizes(terms, ck_kid(terms, t, i)))
        return false;
    }
    return true;
  default:
    return false;
  }
}

/* the clause's relations at arbitrary indices: its conditions, the last one its conclusion; how
 * many.  kid: room for all */
static uint32_t opened(ck_terms *terms, ck_id formula, ck_id *kid) {
  if (ck_head(terms, formula) != CK_ALL) {
    kid[0] = formula;
    return 1;
  }
  uint32_t binders = ck_index(terms, formula);
  ck_id *index = as_calloc(binders + 1, sizeof *index);
  for (uint32_t i = 0; i < binders; i++) {
    char *name = as_format("$i%u", binders - 1 - i);
    index[i] = ck_var(terms, name, 'i');
    free(name);
  }
  uint32_t n = ck_nkids(terms, formula);
  for (uint32_t i = 0; i < n; i++)
    kid[i] = ck_open(terms, ck_kid(terms, formula, i), index, binders);
  free(index);
  return n;
}

/* whether the last of n relations follows from the others and from what is stated and told */
static bool follows(as_verdict *verdict, const ck_id *relation, uint32_t n) {
  const ck_claim *claim = verdict->claim;
  uint32_t known = 0;
  ck_id *allowed = as_calloc(claim->n_stated + verdict->n_implied + n, sizeof *allowed);
  for (uint32_t i = 0; i < claim->n_stated; i++)
    allowed[known++] = claim->stated[i];
  for (uint32_t i = 0; i < verdict->n_implied; i++)
    allowed[known++] = verdict->implied[i];
  for (uint32_t i = 0; i + 1 < n; i++)
    allowed[known++] = relation[i];
  ck_goal goal = {
      .name = "sizes", .allowed = allowed, .n_allowed = known, .formula = relation[n - 1]};
  as_prove_opts limits = {.max_steps = STEPS_FOR_A_RELATION};
  as_proof_result result;
  as_prove_goals(verdict->terms, &goal, 1, &limits, &result);
  bool found = result.verdict == AS_PROVED;
  as_proof_result_clear(&result);
  free(allowed);
  return found;
}

/* Those of one form, with indices or without, that do not follow; how many of them at most. */
static uint32_t collect(as_verdict *verdict, bool with_indices, ck_id *into, uint32_t most) {
  ck_terms *terms = verdict->terms;
  const ck_claim *claim = verdict->claim;
  uint32_t found = 0;
  for (uint32_t i = 0; i < claim->n_given && found < most; i++) {
    ck_id formula = claim->given[i];
    if ((ck_head(terms, formula) == CK_ALL) != with_indices || !of_sizes(terms, formula))
      continue;
    ck_id *relation = as_calloc(ck_nkids(terms, formula) + 1, sizeof *relation);
    uint32_t n = opened(terms, formula, relation);
    if (relation[n - 1] != CK_BAD && !follows(verdict, relation, n)) {
      into[found++] = formula;
      if (!with_indices) /* those after it may follow from it */
        verdict->n_implied = found;
    }
    free(relation);
  }
  return found;
}

void judge_implied(as_verdict *verdict) {
  if (verdict->claim == NULL || verdict->implied)
    return;
  ck_id clause;
  verdict->implied = as_calloc(MOST_TOLD, sizeof *verdict->implied);
  verdict->n_implied = collect(verdict, false, verdict->implied, MOST_TOLD);
  verdict->implied_reads = collect(verdict, true, &clause, 1) > 0;
}
