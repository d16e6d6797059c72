/* The checker's rules, each call logged once. */
#include "pv_defs.h"
#include "pv_log.h"
#include "src/base/hash.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

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
  if (!as_map_get(&p->step_memo, AS_KEY(k1, k2), &v))
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
  as_map_put(&p->step_memo, AS_KEY(k1, k2), s);
  pv_step st = {rule, p->tokens.n, p->scratch.n};
  for (size_t i = 0; i < p->scratch.n; i++)
    as_vec_push(&p->tokens, &AS_VEC_AT(&p->scratch, pv_token, i));
  as_vec_push(&p->steps, &st);
  p->work += 500;
  return s;
}

#define BEGIN(p)                                                                                   \
  if (pv_spent(p))                                                                                 \
    return PV_NONE;                                                                                \
  start(p)

pv_thm pv_hyp(pv *p, ck_id f) {
  BEGIN(p);
  tok(p, 't', f);
  return made(p, PV_RULE_HYP);
}

pv_thm pv_use(pv *p, pv_thm s, const ck_id *ts, uint32_t nt, const pv_thm *ps, uint32_t np) {
  pv_thm by;
  if (s == PV_NONE || !have(ps, np))
    return PV_NONE;
  if (p->defs && pv_defs_use(p->defs, s, ts, nt, ps, np, &by))
    return by;
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

ck_fsub pv_fun_sub(pv *p, const char *function, const ck_id *k, ck_id body) {
  return (ck_fsub){ck_word(p->terms, function), ck_word(p->terms, "i:r"), k, 1, body};
}

ck_fsub pv_fun2_sub(pv *p, const char *function, const ck_id *both, ck_id body) {
  return (ck_fsub){ck_word(p->terms, function), ck_word(p->terms, "ii:r"), both, 2, body};
}
