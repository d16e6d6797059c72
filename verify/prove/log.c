/* The checker's rules, each call logged once; the certificate written from the steps that are
 * needed. */
#include "pv.h"
#include <stdlib.h>
#include <string.h>

void pv_init(pv *p, ck_terms *T, uint32_t max_steps) {
  memset(p, 0, sizeof *p);
  p->terms = T;
  p->proof = ck_proof_new(T);
  p->max_steps = max_steps;
  p->max_work = 1600ull * max_steps;
  as_vec_init(&p->steps, sizeof(pv_step));
  as_vec_init(&p->tokens, sizeof(pv_token));
  as_vec_init(&p->scratch, sizeof(pv_token));
  as_vec_init(&p->ctxs, sizeof(pv_assumption));
  as_vec_init(&p->fact_busy, sizeof(uint64_t));
  as_vec_init(&p->owned, sizeof(void *));
  for (int i = 0; i < PV_LEMMAS; i++)
    p->lemmas[i] = PV_NONE;
  pv_assumption root = {PV_NONE, CK_BAD, PV_NONE, CK_BAD, 0, 0};
  as_vec_push(&p->ctxs, &root);
  p->zero = ck_int(T, 0);
  p->one = ck_int(T, 1);
}

void pv_clear(pv *p) {
  ck_proof_free(p->proof);
  for (size_t i = 0; i < p->owned.n; i++)
    free(AS_VEC_AT(&p->owned, void *, i));
  as_vec_clear(&p->owned);
  as_vec_clear(&p->steps);
  as_vec_clear(&p->tokens);
  as_vec_clear(&p->scratch);
  as_vec_clear(&p->ctxs);
  as_vec_clear(&p->fact_busy);
  pv_map_clear(&p->step_memo);
  pv_map_clear(&p->norm_memo);
  pv_map_clear(&p->ctx_memo);
  pv_map_clear(&p->rel_memo);
  pv_map_clear(&p->cmp_memo);
  pv_map_clear(&p->misc_memo);
  pv_map_clear(&p->inst_memo);
}

bool pv_spent(const pv *p) {
  return p->steps.n >= p->max_steps || p->work >= p->max_work;
}

static void start(pv *p) {
  p->scratch.n = 0;
}

static void tok(pv *p, char kind, uint32_t val) {
  pv_token t = {(uint32_t)kind, val};
  as_vec_push(&p->scratch, &t);
}

static void toks(pv *p, char kind, const uint32_t *v, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    tok(p, kind, v[i]);
}

static bool have(const uint32_t *v, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (v[i] == PV_NONE || v[i] == PV_REFL)
      return false;
  }
  return true;
}

static void scratch_key(pv *p, uint32_t rule, uint64_t *k1, uint64_t *k2) {
  *k1 = as_hash(p->scratch.data, p->scratch.n * sizeof(pv_token), 17 + rule);
  *k2 = as_hash(p->scratch.data, p->scratch.n * sizeof(pv_token), 0x5151u + rule * 7919u);
}

/* the step with these tokens, if it was made before */
static bool known(pv *p, uint32_t rule, pv_thm *s) {
  uint64_t k1;
  uint64_t k2;
  uint64_t v;
  scratch_key(p, rule, &k1, &k2);
  if (!pv_map_get(&p->step_memo, k1, k2, &v))
    return false;
  *s = (uint32_t)v;
  return true;
}

/* the step of this rule with the arguments in scratch, made now or before */
static pv_thm made(pv *p, uint32_t rule) {
  uint64_t k1;
  uint64_t k2;
  pv_thm s;
  uint32_t n = (uint32_t)p->scratch.n;
  if (known(p, rule, &s))
    return s;
  char *kind = as_malloc(n);
  uint32_t *val = as_malloc(n * sizeof *val);
  for (uint32_t i = 0; i < n; i++) {
    const pv_token *t = &AS_VEC_AT(&p->scratch, pv_token, i);
    kind[i] = (char)t->kind;
    val[i] = t->value;
  }
  s = ck_step(p->proof, rule, (ck_args){kind, val, n, 0, false});
  free(kind);
  free(val);
  if (s == CK_BAD)
    return PV_NONE;
  scratch_key(p, rule, &k1, &k2);
  pv_map_put(&p->step_memo, k1, k2, s);
  pv_step st = {rule, p->tokens.n, p->scratch.n};
  for (size_t i = 0; i < p->scratch.n; i++)
    as_vec_push(&p->tokens, &AS_VEC_AT(&p->scratch, pv_token, i));
  as_vec_push(&p->steps, &st);
  p->work += 500;
  return s;
}

#define BEGIN(p)                                                                                   \
  if (pv_spent(p))                                                                                 \
    return PV_NONE;                                                                                     \
  start(p)

pv_thm pv_hyp(pv *p, ck_id f) {
  BEGIN(p);
  tok(p, 't', f);
  return made(p, PV_RULE_HYP);
}

pv_thm pv_use(pv *p, pv_thm s, const ck_id *ts, uint32_t nt, const pv_thm *ps, uint32_t np) {
  if (s == PV_NONE || !have(ps, np))
    return PV_NONE;
  BEGIN(p);
  tok(p, 's', s);
  tok(p, '|', 0);
  toks(p, 't', ts, nt);
  tok(p, '|', 0);
  toks(p, 's', ps, np);
  return made(p, PV_RULE_USE);
}

pv_thm pv_inst(pv *p, pv_thm s, const pv_var_sub *vs, uint32_t nv, const ck_fsub *fs, uint32_t nf,
                const pv_thm *ps0, uint32_t np0) {
  if (s == PV_NONE || !have(ps0, np0))
    return PV_NONE;
  pv_thm ps[16];
  uint32_t np = 0;
  uint32_t nh;
  ck_id vars[16];
  ck_id vals[16];
  if (nv > 16 || np0 > 16)
    return PV_NONE;
  for (uint32_t i = 0; i < nv; i++) {
    vars[i] = vs[i].var;
    vals[i] = vs[i].term;
    if (vals[i] == CK_BAD)
      return PV_NONE;
  }
  const ck_id *h = ck_thm_hyps(p->proof, s, &nh);
  for (uint32_t i = 0; i < np0; i++) {
    for (uint32_t j = 0; j < nh; j++) {
      if (ck_sub(p->terms, h[j], vars, vals, nv, fs, nf) == ck_thm_formula(p->proof, ps0[i])) {
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
  return made(p, PV_RULE_INST);
}

pv_thm pv_cases(pv *p, ck_id c, pv_thm a, pv_thm b) {
  if (a == PV_NONE || b == PV_NONE)
    return PV_NONE;
  BEGIN(p);
  tok(p, 't', c);
  tok(p, 's', a);
  tok(p, 's', b);
  return made(p, PV_RULE_CASES);
}

pv_thm pv_cong(pv *p, ck_id a, ck_id b, const pv_thm *ps, uint32_t np) {
  if (!have(ps, np) || a == CK_BAD || b == CK_BAD)
    return PV_NONE;
  BEGIN(p);
  tok(p, 't', a);
  tok(p, 't', b);
  toks(p, 's', ps, np);
  return made(p, PV_RULE_CONG);
}

pv_thm pv_foldcong(pv *p, ck_id a, ck_id b, const ck_id *vars, uint32_t nv, const pv_thm *ps,
                    uint32_t np) {
  if (!have(ps, np) || a == CK_BAD || b == CK_BAD)
    return PV_NONE;
  BEGIN(p);
  tok(p, 't', a);
  tok(p, 't', b);
  tok(p, '|', 0);
  toks(p, 't', vars, nv);
  tok(p, '|', 0);
  toks(p, 's', ps, np);
  return made(p, PV_RULE_FOLDCONG);
}

pv_thm pv_arith(pv *p, ck_id f, const pv_summand *sums, uint32_t n) {
  if (f == CK_BAD)
    return PV_NONE;
  for (uint32_t i = 0; i < n; i++) {
    if (sums[i].coef == CK_BAD || !have(sums[i].premises, sums[i].count))
      return PV_NONE;
  }
  BEGIN(p);
  tok(p, 't', f);
  tok(p, '|', 0);
  for (uint32_t i = 0; i < n; i++) {
    if (i)
      tok(p, ',', 0);
    tok(p, 't', sums[i].coef);
    toks(p, 's', sums[i].premises, sums[i].count);
  }
  return made(p, PV_RULE_ARITH);
}

pv_thm pv_antisym(pv *p, pv_thm a, pv_thm b) {
  if (a == PV_NONE || b == PV_NONE)
    return PV_NONE;
  BEGIN(p);
  tok(p, 's', a);
  tok(p, 's', b);
  return made(p, PV_RULE_ANTISYM);
}

pv_thm pv_int(pv *p, ck_id f, pv_thm a) {
  if (a == PV_NONE || f == CK_BAD)
    return PV_NONE;
  BEGIN(p);
  tok(p, 't', f);
  tok(p, 's', a);
  return made(p, PV_RULE_INT);
}

pv_thm pv_law(pv *p, const char *name, const ck_id *ts, uint32_t nt, pv_thm prem) {
  for (uint32_t i = 0; i < nt; i++) {
    if (ts[i] == CK_BAD)
      return PV_NONE;
  }
  uint32_t np = prem == PV_NONE ? 0 : 1;
  BEGIN(p);
  tok(p, '\'', ck_word(p->terms, name));
  tok(p, '|', 0);
  toks(p, 't', ts, nt);
  tok(p, '|', 0);
  toks(p, 's', &prem, np);
  return made(p, PV_RULE_LAW);
}

pv_thm pv_zero(pv *p, ck_id t, pv_thm a) {
  if (a == PV_NONE || t == CK_BAD)
    return PV_NONE;
  BEGIN(p);
  tok(p, 't', t);
  tok(p, 's', a);
  return made(p, PV_RULE_ZERO);
}

pv_thm pv_succ(pv *p, ck_id t, ck_id k, pv_thm a) {
  if (a == PV_NONE || t == CK_BAD || k == CK_BAD)
    return PV_NONE;
  BEGIN(p);
  tok(p, 't', t);
  tok(p, 't', k);
  tok(p, 's', a);
  return made(p, PV_RULE_SUCC);
}

pv_thm pv_induct(pv *p, ck_id k, ck_id n, uint32_t j, const ck_id *fs, const pv_thm *base,
                  const pv_thm *step, uint32_t r, pv_thm a) {
  char count[16];
  if (a == PV_NONE || !have(base, r) || !have(step, r))
    return PV_NONE;
  snprintf(count, sizeof count, "%u", (unsigned)j);
  BEGIN(p);
  tok(p, 't', k);
  tok(p, 't', n);
  tok(p, '=', ck_word(p->terms, count));
  tok(p, '|', 0);
  toks(p, 't', fs, r);
  tok(p, '|', 0);
  toks(p, 's', base, r);
  tok(p, '|', 0);
  toks(p, 's', step, r);
  tok(p, '|', 0);
  tok(p, 's', a);
  return made(p, PV_RULE_INDUCT);
}

ck_id pv_says(const pv *p, pv_thm s) {
  return ck_thm_formula(p->proof, s);
}

ck_id pv_left(const pv *p, pv_thm s) {
  return ck_kid(p->terms, pv_says(p, s), 0);
}

ck_id pv_right(const pv *p, pv_thm s) {
  return ck_kid(p->terms, pv_says(p, s), 1);
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
  pv_map_get(&w->num, t, 0, &v);
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
  pv_map_put(&w->num, t, 0, w->terms++);
}

static void write_term(writer *w, ck_id t0) {
  uint64_t v;
  as_vec_push(&w->stack, &t0);
  while (w->stack.n) {
    ck_id t = AS_VEC_AT(&w->stack, ck_id, w->stack.n - 1);
    bool ready = true;
    if (pv_map_get(&w->num, t, 0, &v)) {
      w->stack.n--;
      continue;
    }
    for (uint32_t i = ck_nkids(w->p->terms, t); i-- > 0;) {
      ck_id k = ck_kid(w->p->terms, t, i);
      if (!pv_map_get(&w->num, k, 0, &v)) {
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

char *pv_certificate(pv *p, const char *const *names, const pv_thm *proof, uint32_t n,
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
  pv_map_clear(&w.num);
  as_vec_clear(&w.stack);
  return as_str_take(&w.out);
}
