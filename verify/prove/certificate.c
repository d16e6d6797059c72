/* The certificate (proofs/FORMAT.md), written from the steps that the goals need. */
#include "pv_log.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stdlib.h>

typedef struct {
  pv *prover;
  as_str out;
  as_map numbers;
  uint32_t terms;
  as_vec stack;
} writer;

static const char *op_word(ck_op head) {
  static const char *const w[] = {"q",   "v",   "b",    "+",   "*",   "div", "mod",
                                  "inv", "exp", "sqrt", "log", "ite", "app", "fold",
                                  "=",   "#",   "<=",   "<",   "all"};
  return w[head];
}

static uint32_t term_no(writer *out, ck_id term) {
  uint64_t v = 0;
  as_map_get(&out->numbers, AS_KEY(term, 0), &v);
  return (uint32_t)v;
}

static void term_line(writer *out, ck_id term) {
  const ck_terms *terms = out->prover->terms;
  ck_op head = ck_head(terms, term);
  as_str_add(&out->out, op_word(head));
  if (head == CK_Q) {
    const mpq_t *q = ck_q_value(terms, term);
    char *a = mpz_get_str(NULL, 10, mpq_numref(*q));
    char *b = mpz_get_str(NULL, 10, mpq_denref(*q));
    as_str_printf(&out->out, " =%s =%s", a, b);
    free(a);
    free(b);
  } else if (head == CK_V) {
    as_str_printf(&out->out, " '%s '%c", ck_word_text(terms, ck_name(terms, term)),
                  ck_sort(terms, term));
  } else if (head == CK_B) {
    as_str_printf(&out->out, " =%u '%c", ck_index(terms, term), ck_sort(terms, term));
  } else if (head == CK_APP) {
    as_str_printf(&out->out, " '%s '%s", ck_word_text(terms, ck_name(terms, term)),
                  ck_word_text(terms, ck_sig(terms, term)));
  } else if (head == CK_FOLD) {
    as_str_printf(&out->out, " =%u =%u", ck_index(terms, term), ck_width(terms, term));
  } else if (head == CK_ALL) {
    as_str_printf(&out->out, " =%u", ck_index(terms, term));
  }
  for (uint32_t i = 0, n = ck_nkids(terms, term); i < n; i++)
    as_str_printf(&out->out, " t%u", term_no(out, ck_kid(terms, term, i)));
  as_str_add(&out->out, "\n");
  as_map_put(&out->numbers, AS_KEY(term, 0), out->terms++);
}

static void write_term(writer *out, ck_id t0) {
  uint64_t v;
  as_vec_push(&out->stack, &t0);
  while (out->stack.n) {
    ck_id term = AS_VEC_AT(&out->stack, ck_id, out->stack.n - 1);
    bool ready = true;
    if (as_map_get(&out->numbers, AS_KEY(term, 0), &v)) {
      out->stack.n--;
      continue;
    }
    for (uint32_t i = ck_nkids(out->prover->terms, term); i-- > 0;) {
      ck_id k = ck_kid(out->prover->terms, term, i);
      if (!as_map_get(&out->numbers, AS_KEY(k, 0), &v)) {
        as_vec_push(&out->stack, &k);
        ready = false;
      }
    }
    if (ready) {
      out->stack.n--;
      term_line(out, term);
    }
  }
}

static void write_step(writer *out, const pv_step *st, const uint32_t *num) {
  pv *prover = out->prover;
  const pv_token *tk = &AS_VEC_AT(&prover->tokens, pv_token, st->first);
  for (size_t i = 0; i < st->count; i++) {
    if (tk[i].kind == 't')
      write_term(out, tk[i].value);
  }
  as_str_add(&out->out, ck_rule_name[st->rule]);
  for (size_t i = 0; i < st->count; i++) {
    switch (tk[i].kind) {
    case 't':
      as_str_printf(&out->out, " t%u", term_no(out, tk[i].value));
      break;
    case 's':
      as_str_printf(&out->out, " s%u", num[tk[i].value]);
      break;
    case '=':
      as_str_printf(&out->out, " =%s", ck_word_text(prover->terms, tk[i].value));
      break;
    case '\'':
      as_str_printf(&out->out, " '%s", ck_word_text(prover->terms, tk[i].value));
      break;
    case '|':
      as_str_add(&out->out, " |");
      break;
    default:
      as_str_add(&out->out, " ,");
      break;
    }
  }
  as_str_add(&out->out, "\n");
}

char *pv_certificate(pv *prover, const char *const *names, const pv_thm *proof, uint32_t n,
                     size_t *len, uint32_t *steps, uint32_t *terms) {
  size_t ns = prover->steps.n;
  uint32_t count = 0;
  bool *live = as_calloc(ns + 1, sizeof *live);
  uint32_t *num = as_calloc(ns + 1, sizeof *num);
  writer out = {.prover = prover};
  as_map_init(&out.numbers, 2);
  as_str_init(&out.out);
  as_vec_init(&out.stack, sizeof(ck_id));
  for (uint32_t i = 0; i < n; i++)
    live[proof[i]] = true;
  for (size_t s = ns; s-- > 0;) {
    const pv_step *st = &AS_VEC_AT(&prover->steps, pv_step, s);
    if (!live[s])
      continue;
    for (size_t i = 0; i < st->count; i++) {
      const pv_token *t = &AS_VEC_AT(&prover->tokens, pv_token, st->first + i);
      if (t->kind == 's')
        live[t->value] = true;
    }
  }
  as_str_add(&out.out, "assay-cert 1\n");
  for (size_t s = 0; s < ns; s++) {
    if (live[s]) {
      num[s] = count++;
      write_step(&out, &AS_VEC_AT(&prover->steps, pv_step, s), num);
    }
  }
  for (uint32_t i = 0; i < n; i++)
    as_str_printf(&out.out, "qed %s s%u\n", names[i], num[proof[i]]);
  *len = out.out.n;
  *steps = count;
  *terms = out.terms;
  free(live);
  free(num);
  as_map_clear(&out.numbers);
  as_vec_clear(&out.stack);
  return as_str_take(&out.out);
}
