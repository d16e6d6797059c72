/* A hash of what a claim demands: its goals with what each may assume, as the checker's reader
 * states them.  Two claims of one hash have the same proofs. */
#include "baseline.h"
#include "src/base/hash.h"
#include <stdlib.h>

typedef struct {
  const ck_terms *terms;
  uint32_t *number;
  uint32_t next;
  as_str out;
} writer; /* number: of the terms met, from 1, in order */

static void rational(as_str *out, const mpq_t *value) {
  char *digits = mpq_get_str(NULL, 62, *value);
  as_str_add(out, digits);
  free(digits);
}

/* every term once, after its parts; the walk keeps its own stack, for terms may be deep */
static void write_term(writer *to, ck_id root) {
  as_vec stack;
  as_vec_init(&stack, sizeof(ck_id));
  as_vec_push(&stack, &root);
  while (stack.n) {
    ck_id term = AS_VEC_AT(&stack, ck_id, stack.n - 1);
    size_t before = stack.n;
    for (uint32_t i = 0; i < ck_nkids(to->terms, term) && !to->number[term]; i++) {
      ck_id kid = ck_kid(to->terms, term, i);
      if (!to->number[kid])
        as_vec_push(&stack, &kid);
    }
    if (stack.n > before)
      continue;
    stack.n--;
    if (to->number[term])
      continue;
    ck_op op = ck_head(to->terms, term);
    as_str_printf(&to->out, "%d", (int)op);
    if (op == CK_Q) {
      as_str_add(&to->out, " ");
      rational(&to->out, ck_q_value(to->terms, term));
    }
    if (op == CK_V || op == CK_APP)
      as_str_printf(&to->out, " %s", ck_word_text(to->terms, ck_name(to->terms, term)));
    if (op == CK_APP)
      as_str_printf(&to->out, " %s", ck_word_text(to->terms, ck_sig(to->terms, term)));
    if (op == CK_V || op == CK_B)
      as_str_printf(&to->out, " %c", ck_sort(to->terms, term));
    if (op == CK_B || op == CK_FOLD || op == CK_ALL)
      as_str_printf(&to->out, " %u", ck_index(to->terms, term));
    if (op == CK_FOLD)
      as_str_printf(&to->out, "/%u", ck_width(to->terms, term));
    for (uint32_t i = 0; i < ck_nkids(to->terms, term); i++)
      as_str_printf(&to->out, " #%u", to->number[ck_kid(to->terms, term, i)]);
    as_str_add(&to->out, "\n");
    to->number[term] = ++to->next;
  }
  as_vec_clear(&stack);
}

void as_baseline_claim_sha(const ck_terms *terms, const ck_claim *claim, char out[65]) {
  writer to = {.terms = terms, .number = as_calloc(ck_size(terms) + 1, sizeof(uint32_t))};
  as_str_init(&to.out);
  for (uint32_t number = 0; number < claim->n_goals; number++) {
    const ck_goal *goal = &claim->goals[number];
    write_term(&to, goal->formula);
    for (uint32_t i = 0; i < goal->n_allowed; i++)
      write_term(&to, goal->allowed[i]);
    as_str_printf(&to.out, "goal %s #%u from", goal->name, to.number[goal->formula]);
    for (uint32_t i = 0; i < goal->n_allowed; i++)
      as_str_printf(&to.out, " #%u", to.number[goal->allowed[i]]);
    as_str_add(&to.out, "\n");
  }
  as_sha256(to.out.s ? to.out.s : "", to.out.n, out);
  as_str_clear(&to.out);
  free(to.number);
}
