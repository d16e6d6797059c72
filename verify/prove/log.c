/* The checker's rules, each call logged once; the certificate written from the steps that are
 * needed. */
#include "pv.h"
#include <stdlib.h>
#include <string.h>

void pv_init(pv *p, ck_terms *T, uint32_t max_steps) {
  memset(p, 0, sizeof *p);
  p->T = T;
  p->P = ck_proof_new(T);
  p->max_steps = max_steps;
  p->max_work = 1600ull * max_steps;
  as_vec_init(&p->steps, sizeof(pv_step));
  as_vec_init(&p->toks, sizeof(pv_tok));
  as_vec_init(&p->scratch, sizeof(pv_tok));
  as_vec_init(&p->ctx, sizeof(pv_ctx));
  as_vec_init(&p->fact_busy, sizeof(uint64_t));
  as_vec_init(&p->owned, sizeof(void *));
  for (int i = 0; i < N_LEMMAS; i++)
    p->lemma[i] = NO;
  pv_ctx root = {NO, CK_BAD, NO, CK_BAD, 0, 0};
  as_vec_push(&p->ctx, &root);
  p->zero = ck_int(T, 0);
  p->one = ck_int(T, 1);
}

void pv_clear(pv *p) {
  ck_proof_free(p->P);
  for (size_t i = 0; i < p->owned.n; i++)
    free(AS_VEC_AT(&p->owned, void *, i));
  as_vec_clear(&p->owned);
  as_vec_clear(&p->steps);
  as_vec_clear(&p->toks);
  as_vec_clear(&p->scratch);
  as_vec_clear(&p->ctx);
  as_vec_clear(&p->fact_busy);
  map_clear(&p->step_memo);
  map_clear(&p->norm_memo);
  map_clear(&p->ctx_memo);
  map_clear(&p->rel_memo);
  map_clear(&p->cmp_memo);
  map_clear(&p->misc_memo);
  map_clear(&p->inst_memo);
}

bool pv_spent(const pv *p) {
  return p->steps.n >= p->max_steps || p->work >= p->max_work;
}

static void start(pv *p) {
  p->scratch.n = 0;
}

static void tok(pv *p, char kind, uint32_t val) {
  pv_tok t = {(uint32_t)kind, val};
  as_vec_push(&p->scratch, &t);
}

static void toks(pv *p, char kind, const uint32_t *v, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    tok(p, kind, v[i]);
}

static bool have(const uint32_t *v, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (v[i] == NO || v[i] == REFL)
      return false;
  }
  return true;
}

static void scratch_key(pv *p, uint32_t rule, uint64_t *k1, uint64_t *k2) {
  *k1 = as_hash(p->scratch.data, p->scratch.n * sizeof(pv_tok), 17 + rule);
  *k2 = as_hash(p->scratch.data, p->scratch.n * sizeof(pv_tok), 0x5151u + rule * 7919u);
}

/* the step with these tokens, if it was made before */
static bool known(pv *p, uint32_t rule, uint32_t *s) {
  uint64_t k1;
  uint64_t k2;
  uint64_t v;
  scratch_key(p, rule, &k1, &k2);
  if (!map_get(&p->step_memo, k1, k2, &v))
    return false;
  *s = (uint32_t)v;
  return true;
}

/* the step of this rule with the arguments in scratch, made now or before */
static uint32_t made(pv *p, uint32_t rule) {
  uint64_t k1;
  uint64_t k2;
  uint32_t s;
  uint32_t n = (uint32_t)p->scratch.n;
  if (known(p, rule, &s))
    return s;
  char *kind = as_malloc(n);
  uint32_t *val = as_malloc(n * sizeof *val);
  for (uint32_t i = 0; i < n; i++) {
    const pv_tok *t = &AS_VEC_AT(&p->scratch, pv_tok, i);
    kind[i] = (char)t->kind;
    val[i] = t->val;
  }
  s = ck_step(p->P, rule, (ck_args){kind, val, n, 0, false});
  free(kind);
  free(val);
  if (s == CK_BAD)
    return NO;
  scratch_key(p, rule, &k1, &k2);
  map_put(&p->step_memo, k1, k2, s);
  pv_step st = {rule, p->toks.n, p->scratch.n};
  for (size_t i = 0; i < p->scratch.n; i++)
    as_vec_push(&p->toks, &AS_VEC_AT(&p->scratch, pv_tok, i));
  as_vec_push(&p->steps, &st);
  p->work += 500;
  return s;
}

#define BEGIN(p)                                                                                   \
  if (pv_spent(p))                                                                                 \
    return NO;                                                                                     \
  start(p)

uint32_t r_hyp(pv *p, ck_id f) {
  BEGIN(p);
  tok(p, 't', f);
  return made(p, R_HYP);
}

uint32_t r_use(pv *p, uint32_t s, const ck_id *ts, uint32_t nt, const uint32_t *ps, uint32_t np) {
  if (s == NO || !have(ps, np))
    return NO;
  BEGIN(p);
  tok(p, 's', s);
  tok(p, '|', 0);
  toks(p, 't', ts, nt);
  tok(p, '|', 0);
  toks(p, 's', ps, np);
  return made(p, R_USE);
}

uint32_t r_inst(pv *p, uint32_t s, const ck_vsub *vs, uint32_t nv, const ck_fsub *fs, uint32_t nf,
                const uint32_t *ps0, uint32_t np0) {
  if (s == NO || !have(ps0, np0))
    return NO;
  uint32_t ps[16];
  uint32_t np = 0;
  uint32_t nh;
  ck_id vars[16];
  ck_id vals[16];
  if (nv > 16 || np0 > 16)
    return NO;
  for (uint32_t i = 0; i < nv; i++) {
    vars[i] = vs[i].var;
    vals[i] = vs[i].term;
    if (vals[i] == CK_BAD)
      return NO;
  }
  const ck_id *h = ck_thm_hyps(p->P, s, &nh);
  for (uint32_t i = 0; i < np0; i++) {
    for (uint32_t j = 0; j < nh; j++) {
      if (ck_sub(p->T, h[j], vars, vals, nv, fs, nf) == ck_thm_formula(p->P, ps0[i])) {
        ps[np++] = ps0[i];
        break;
      }
    }
  }
  BEGIN(p);
  tok(p, 's', s);
  tok(p, '|', 0);
  for (uint32_t i = 0; i < nv; i++) {
    if (i)
      tok(p, ',', 0);
    tok(p, 't', vs[i].var);
    tok(p, 't', vs[i].term);
  }
  tok(p, '|', 0);
  for (uint32_t i = 0; i < nf; i++) {
    if (i)
      tok(p, ',', 0);
    tok(p, '\'', fs[i].name);
    tok(p, '\'', fs[i].sig);
    toks(p, 't', fs[i].params, fs[i].n);
    tok(p, 't', fs[i].body);
  }
  tok(p, '|', 0);
  toks(p, 's', ps, np);
  return made(p, R_INST);
}

uint32_t r_cases(pv *p, ck_id c, uint32_t a, uint32_t b) {
  if (a == NO || b == NO)
    return NO;
  BEGIN(p);
  tok(p, 't', c);
  tok(p, 's', a);
  tok(p, 's', b);
  return made(p, R_CASES);
}

uint32_t r_cong(pv *p, ck_id a, ck_id b, const uint32_t *ps, uint32_t np) {
  if (!have(ps, np) || a == CK_BAD || b == CK_BAD)
    return NO;
  BEGIN(p);
  tok(p, 't', a);
  tok(p, 't', b);
  toks(p, 's', ps, np);
  return made(p, R_CONG);
}

uint32_t r_foldcong(pv *p, ck_id a, ck_id b, const ck_id *vars, uint32_t nv, const uint32_t *ps,
                    uint32_t np) {
  if (!have(ps, np) || a == CK_BAD || b == CK_BAD)
    return NO;
  BEGIN(p);
  tok(p, 't', a);
  tok(p, 't', b);
  tok(p, '|', 0);
  toks(p, 't', vars, nv);
  tok(p, '|', 0);
  toks(p, 's', ps, np);
  return made(p, R_FOLDCONG);
}

uint32_t r_arith(pv *p, ck_id f, const ck_summand *sums, uint32_t n) {
  if (f == CK_BAD)
    return NO;
  for (uint32_t i = 0; i < n; i++) {
    if (sums[i].coef == CK_BAD || !have(sums[i].prem, sums[i].n))
      return NO;
  }
  BEGIN(p);
  tok(p, 't', f);
  tok(p, '|', 0);
  for (uint32_t i = 0; i < n; i++) {
    if (i)
      tok(p, ',', 0);
    tok(p, 't', sums[i].coef);
    toks(p, 's', sums[i].prem, sums[i].n);
  }
  return made(p, R_ARITH);
}

uint32_t r_antisym(pv *p, uint32_t a, uint32_t b) {
  if (a == NO || b == NO)
    return NO;
  BEGIN(p);
  tok(p, 's', a);
  tok(p, 's', b);
  return made(p, R_ANTISYM);
}

uint32_t r_int(pv *p, ck_id f, uint32_t a) {
  if (a == NO || f == CK_BAD)
    return NO;
  BEGIN(p);
  tok(p, 't', f);
  tok(p, 's', a);
  return made(p, R_INT);
}

uint32_t r_law(pv *p, const char *name, const ck_id *ts, uint32_t nt, uint32_t prem) {
  for (uint32_t i = 0; i < nt; i++) {
    if (ts[i] == CK_BAD)
      return NO;
  }
  uint32_t np = prem == NO ? 0 : 1;
  BEGIN(p);
  tok(p, '\'', ck_word(p->T, name));
  tok(p, '|', 0);
  toks(p, 't', ts, nt);
  tok(p, '|', 0);
  toks(p, 's', &prem, np);
  return made(p, R_LAW);
}

uint32_t r_zero(pv *p, ck_id t, uint32_t a) {
  if (a == NO || t == CK_BAD)
    return NO;
  BEGIN(p);
  tok(p, 't', t);
  tok(p, 's', a);
  return made(p, R_ZERO);
}

uint32_t r_succ(pv *p, ck_id t, ck_id k, uint32_t a) {
  if (a == NO || t == CK_BAD || k == CK_BAD)
    return NO;
  BEGIN(p);
  tok(p, 't', t);
  tok(p, 't', k);
  tok(p, 's', a);
  return made(p, R_SUCC);
}

uint32_t r_induct(pv *p, ck_id k, ck_id n, uint32_t j, const ck_id *fs, const uint32_t *base,
                  const uint32_t *step, uint32_t r, uint32_t a) {
  char count[16];
  if (a == NO || !have(base, r) || !have(step, r))
    return NO;
  snprintf(count, sizeof count, "%u", (unsigned)j);
  BEGIN(p);
  tok(p, 't', k);
  tok(p, 't', n);
  tok(p, '=', ck_word(p->T, count));
  tok(p, '|', 0);
  toks(p, 't', fs, r);
  tok(p, '|', 0);
  toks(p, 's', base, r);
  tok(p, '|', 0);
  toks(p, 's', step, r);
  tok(p, '|', 0);
  tok(p, 's', a);
  return made(p, R_INDUCT);
}

ck_id thm(const pv *p, uint32_t s) {
  return ck_thm_formula(p->P, s);
}

ck_id lhs_of(const pv *p, uint32_t s) {
  return ck_kid(p->T, thm(p, s), 0);
}

ck_id rhs_of(const pv *p, uint32_t s) {
  return ck_kid(p->T, thm(p, s), 1);
}

/* --- certificate */
typedef struct {
  pv *p;
  as_str out;
  pv_map num;
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
  map_get(&w->num, t, 0, &v);
  return (uint32_t)v;
}

static void term_line(writer *w, ck_id t) {
  const ck_terms *T = w->p->T;
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
  map_put(&w->num, t, 0, w->terms++);
}

static void write_term(writer *w, ck_id t0) {
  uint64_t v;
  as_vec_push(&w->stack, &t0);
  while (w->stack.n) {
    ck_id t = AS_VEC_AT(&w->stack, ck_id, w->stack.n - 1);
    bool ready = true;
    if (map_get(&w->num, t, 0, &v)) {
      w->stack.n--;
      continue;
    }
    for (uint32_t i = ck_nkids(w->p->T, t); i-- > 0;) {
      ck_id k = ck_kid(w->p->T, t, i);
      if (!map_get(&w->num, k, 0, &v)) {
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
  const pv_tok *tk = &AS_VEC_AT(&p->toks, pv_tok, st->off);
  for (size_t i = 0; i < st->len; i++) {
    if (tk[i].kind == 't')
      write_term(w, tk[i].val);
  }
  as_str_add(&w->out, ck_rule_name[st->rule]);
  for (size_t i = 0; i < st->len; i++) {
    switch (tk[i].kind) {
    case 't':
      as_str_printf(&w->out, " t%u", term_no(w, tk[i].val));
      break;
    case 's':
      as_str_printf(&w->out, " s%u", num[tk[i].val]);
      break;
    case '=':
      as_str_printf(&w->out, " =%s", ck_word_text(p->T, tk[i].val));
      break;
    case '\'':
      as_str_printf(&w->out, " '%s", ck_word_text(p->T, tk[i].val));
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

char *log_certificate(pv *p, const char *const *names, const uint32_t *proof, uint32_t n,
                      size_t *len, uint32_t *steps, uint32_t *terms) {
  size_t ns = p->steps.n;
  uint32_t count = 0;
  bool *live = as_calloc(ns + 1, sizeof *live);
  uint32_t *num = as_calloc(ns + 1, sizeof *num);
  writer w = {.p = p};
  as_str_init(&w.out);
  as_vec_init(&w.stack, sizeof(ck_id));
  for (uint32_t i = 0; i < n; i++)
    live[proof[i]] = true;
  for (size_t s = ns; s-- > 0;) {
    const pv_step *st = &AS_VEC_AT(&p->steps, pv_step, s);
    if (!live[s])
      continue;
    for (size_t i = 0; i < st->len; i++) {
      const pv_tok *t = &AS_VEC_AT(&p->toks, pv_tok, st->off + i);
      if (t->kind == 's')
        live[t->val] = true;
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
  map_clear(&w.num);
  as_vec_clear(&w.stack);
  return as_str_take(&w.out);
}
