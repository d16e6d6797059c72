/* A hash of what a claim demands: its goals with what each may assume, as the checker's reader
 * states them.  Two claims of one hash have the same proofs. */
#include "baseline.h"
#include "src/base/hash.h"
#include <stdlib.h>

typedef struct {
  const ck_terms *T;
  uint32_t *number;
  uint32_t next;
  as_str out;
} writer; /* number: of the terms met, from 1, in order */

static void rational(as_str *s, const mpq_t *q) {
  char *t = mpq_get_str(NULL, 62, *q);
  as_str_add(s, t);
  free(t);
}

/* every term once, after its parts; the walk keeps its own stack, for terms may be deep */
static void write_term(writer *w, ck_id root) {
  as_vec stack;
  as_vec_init(&stack, sizeof(ck_id));
  as_vec_push(&stack, &root);
  while (stack.n) {
    ck_id t = AS_VEC_AT(&stack, ck_id, stack.n - 1);
    size_t before = stack.n;
    for (uint32_t i = 0; i < ck_nkids(w->T, t) && !w->number[t]; i++) {
      ck_id kid = ck_kid(w->T, t, i);
      if (!w->number[kid])
        as_vec_push(&stack, &kid);
    }
    if (stack.n > before)
      continue;
    stack.n--;
    if (w->number[t])
      continue;
    ck_op op = ck_head(w->T, t);
    as_str_printf(&w->out, "%d", (int)op);
    if (op == CK_Q) {
      as_str_add(&w->out, " ");
      rational(&w->out, ck_q_value(w->T, t));
    }
    if (op == CK_V || op == CK_APP)
      as_str_printf(&w->out, " %s", ck_word_text(w->T, ck_name(w->T, t)));
    if (op == CK_APP)
      as_str_printf(&w->out, " %s", ck_word_text(w->T, ck_sig(w->T, t)));
    if (op == CK_V || op == CK_B)
      as_str_printf(&w->out, " %c", ck_sort(w->T, t));
    if (op == CK_B || op == CK_FOLD || op == CK_ALL)
      as_str_printf(&w->out, " %u", ck_index(w->T, t));
    if (op == CK_FOLD)
      as_str_printf(&w->out, "/%u", ck_width(w->T, t));
    for (uint32_t i = 0; i < ck_nkids(w->T, t); i++)
      as_str_printf(&w->out, " #%u", w->number[ck_kid(w->T, t, i)]);
    as_str_add(&w->out, "\n");
    w->number[t] = ++w->next;
  }
  as_vec_clear(&stack);
}

void as_baseline_claim_sha(const ck_terms *T, const ck_claim *c, char out[65]) {
  writer w = {.T = T, .number = as_calloc(ck_size(T) + 1, sizeof(uint32_t))};
  as_str_init(&w.out);
  for (uint32_t g = 0; g < c->n_goals; g++) {
    const ck_goal *goal = &c->goals[g];
    write_term(&w, goal->formula);
    for (uint32_t i = 0; i < goal->n_allowed; i++)
      write_term(&w, goal->allowed[i]);
    as_str_printf(&w.out, "goal %s #%u from", goal->name, w.number[goal->formula]);
    for (uint32_t i = 0; i < goal->n_allowed; i++)
      as_str_printf(&w.out, " #%u", w.number[goal->allowed[i]]);
    as_str_add(&w.out, "\n");
  }
  as_sha256(w.out.s ? w.out.s : "", w.out.n, out);
  as_str_clear(&w.out);
  free(w.number);
}
