/* The certificate (proofs/FORMAT.md), written from the steps that the goals need. */
#include "pv_log.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stdlib.h>

typedef struct {
  pv *p;
  as_str out;
  as_map num;
  uint32_t terms;
  as_vec stack;
} writer;

static const char *op_word(ck_op o) {
  static const char *const w[] = {"q",   "v",   "b",    "+",   "*",   "div", "mod",
                                  "inv", "exp", "sqrt", "log", "ite", "app", "fold",
                                  "=",   "#",   "<=",   "<",   "all"};
  return w[o];
}

static uint32_t term_no(writer *w, ck_id t) {
  uint64_t v = 0;
  as_map_get(&w->num, AS_KEY(t, 0), &v);
  return (uint32_t)v;
}

static void term_line(writer *w, ck_id t) {
  const ck_terms *T = w->p->terms;
  ck_op o = ck_head(T, t);
  as_str_add(&w->out, op_word(o));
  if (o == CK_Q) {
    const mpq_t *q = ck_q_value(T, t);
    char *a = mpz_get_str(NULL, 10, mpq_numref(*q));
    char *b = mpz_get_str(NULL, 10, mpq_denref(*q));
    as_str_printf(&w->out, " =%s =%s", a, b);
    free(a);
    free(b);
  } else if (o == CK_V) {
    as_str_printf(&w->out, " '%s '%c", ck_word_text(T, ck_name(T, t)), ck_sort(T, t));
  } else if (o == CK_B) {
    as_str_printf(&w->out, " =%u '%c", ck_index(T, t), ck_sort(T, t));
  } else if (o == CK_APP) {
    as_str_printf(&w->out, " '%s '%s", ck_word_text(T, ck_name(T, t)),
                  ck_word_text(T, ck_sig(T, t)));
  } else if (o == CK_FOLD) {
    as_str_printf(&w->out, " =%u =%u", ck_index(T, t), ck_width(T, t));
  } else if (o == CK_ALL) {
    as_str_printf(&w->out, " =%u", ck_index(T, t));
  }
  for (uint32_t i = 0, n = ck_nkids(T, t); i < n; i++)
    as_str_printf(&w->out, " t%u", term_no(w, ck_kid(T, t, i)));
  as_str_add(&w->out, "\n");
  as_map_put(&w->num, AS_KEY(t, 0), w->terms++);
}

static void write_term(writer *w, ck_id t0) {
  uint64_t v;
  as_vec_push(&w->stack, &t0);
  while (w->stack.n) {
    ck_id t = AS_VEC_AT(&w->stack, ck_id, w->stack.n - 1);
    bool ready = true;
    if (as_map_get(&w->num, AS_KEY(t, 0), &v)) {
      w->stack.n--;
      continue;
    }
    for (uint32_t i = ck_nkids(w->p->terms, t); i-- > 0;) {
      ck_id k = ck_kid(w->p->terms, t, i);
      if (!as_map_get(&w->num, AS_KEY(k, 0), &v)) {
        as_vec_push(&w->stack, &k);
        ready = false;
      }
    }
    if (ready) {
      w->stack.n--;
      term_line(w, t);
    }
  }
}

static void write_step(writer *w, const pv_step *st, const uint32_t *num) {
  pv *p = w->p;
  const pv_token *tk = &AS_VEC_AT(&p->tokens, pv_token, st->first);
  for (size_t i = 0; i < st->count; i++) {
    if (tk[i].kind == 't')
      write_term(w, tk[i].value);
  }
  as_str_add(&w->out, ck_rule_name[st->rule]);
  for (size_t i = 0; i < st->count; i++) {
    switch (tk[i].kind) {
    case 't':
      as_str_printf(&w->out, " t%u", term_no(w, tk[i].value));
      break;
    case 's':
      as_str_printf(&w->out, " s%u", num[tk[i].value]);
      break;
    case '=':
      as_str_printf(&w->out, " =%s", ck_word_text(p->terms, tk[i].value));
      break;
    case '\'':
      as_str_printf(&w->out, " '%s", ck_word_text(p->terms, tk[i].value));
      break;
    case '|':
      as_str_add(&w->out, " |");
      break;
    default:
      as_str_add(&w->out, " ,");
      break;
    }
  }
  as_str_add(&w->out, "\n");
}

char *pv_certificate(pv *p, const char *const *names, const pv_thm *proof, uint32_t n, size_t *len,
                     uint32_t *steps, uint32_t *terms) {
  size_t ns = p->steps.n;
  uint32_t count = 0;
  bool *live = as_calloc(ns + 1, sizeof *live);
  uint32_t *num = as_calloc(ns + 1, sizeof *num);
  writer w = {.p = p};
  as_map_init(&w.num, 2);
  as_str_init(&w.out);
  as_vec_init(&w.stack, sizeof(ck_id));
  for (uint32_t i = 0; i < n; i++)
    live[proof[i]] = true;
  for (size_t s = ns; s-- > 0;) {
    const pv_step *st = &AS_VEC_AT(&p->steps, pv_step, s);
    if (!live[s])
      continue;
    for (size_t i = 0; i < st->count; i++) {
      const pv_token *t = &AS_VEC_AT(&p->tokens, pv_token, st->first + i);
      if (t->kind == 's')
        live[t->value] = true;
    }
  }
  as_str_add(&w.out, "assay-cert 1\n");
  for (size_t s = 0; s < ns; s++) {
    if (live[s]) {
      num[s] = count++;
      write_step(&w, &AS_VEC_AT(&p->steps, pv_step, s), num);
    }
  }
  for (uint32_t i = 0; i < n; i++)
    as_str_printf(&w.out, "qed %s s%u\n", names[i], num[proof[i]]);
  *len = w.out.n;
  *steps = count;
  *terms = w.terms;
  free(live);
  free(num);
  as_map_clear(&w.num);
  as_vec_clear(&w.stack);
  return as_str_take(&w.out);
}
