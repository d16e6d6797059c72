/* The checker's rules, each call logged once. */
#include "pv_defs.h"
#include "pv_log.h"
#include "src/base/hash.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

static void start(pv *prover) {
  prover->scratch.n = 0;
}

static void tok(pv *prover, char kind, uint32_t val) {
  pv_token t = {(uint32_t)kind, val};
  as_vec_push(&prover->scratch, &t);
}

static void toks(pv *prover, char kind, const uint32_t *v, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    tok(prover, kind, v[i]);
}

static bool have(const uint32_t *v, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (v[i] == PV_NONE || v[i] == PV_REFL)
      return false;
  }
  return true;
}

static void scratch_key(pv *prover, uint32_t rule, uint64_t *k1, uint64_t *k2) {
  *k1 = as_hash(prover->scratch.data, prover->scratch.n * sizeof(pv_token), 17 + rule);
  *k2 = as_hash(prover->scratch.data, prover->scratch.n * sizeof(pv_token), 0x5151u + rule * 7919u);
}

/* the step with these tokens, if it was made before */
static bool known(pv *prover, uint32_t rule, pv_thm *thm) {
  uint64_t k1;
  uint64_t k2;
  uint64_t v;
  scratch_key(prover, rule, &k1, &k2);
  if (!as_map_get(&prover->step_memo, AS_KEY(k1, k2), &v))
    return false;
  *thm = (uint32_t)v;
  return true;
}

/* the step of this rule with the arguments in scratch, made now or before */
static pv_thm made(pv *prover, uint32_t rule) {
  uint64_t k1;
  uint64_t k2;
  pv_thm thm;
  uint32_t n = (uint32_t)prover->scratch.n;
  if (known(prover, rule, &thm))
    return thm;
  char *kind = as_malloc(n);
  uint32_t *val = as_malloc(n * sizeof *val);
  for (uint32_t i = 0; i < n; i++) {
    const pv_token *t = &AS_VEC_AT(&prover->scratch, pv_token, i);
    kind[i] = (char)t->kind;
    val[i] = t->value;
  }
  thm = ck_step(prover->proof, rule, (ck_args){kind, val, n, 0, false});
  free(kind);
  free(val);
  if (thm == CK_BAD)
    return PV_NONE;
  scratch_key(prover, rule, &k1, &k2);
  as_map_put(&prover->step_memo, AS_KEY(k1, k2), thm);
  pv_step st = {rule, prover->tokens.n, prover->scratch.n};
  for (size_t i = 0; i < prover->scratch.n; i++)
    as_vec_push(&prover->tokens, &AS_VEC_AT(&prover->scratch, pv_token, i));
  as_vec_push(&prover->steps, &st);
  prover->work += 500;
  return thm;
}

#define BEGIN(p)                                                                                   \
  if (pv_spent(p))                                                                                 \
    return PV_NONE;                                                                                \
  start(p)

pv_thm pv_hyp(pv *prover, ck_id formula) {
  BEGIN(prover);
  tok(prover, 't', formula);
  return made(prover, PV_RULE_HYP);
}

pv_thm pv_use(pv *prover, pv_thm thm, const ck_id *ts, uint32_t nt, const pv_thm *ps, uint32_t np) {
  pv_thm by;
  if (thm == PV_NONE || !have(ps, np))
    return PV_NONE;
  if (prover->defs && pv_defs_use(prover->defs, thm, ts, nt, ps, np, &by))
    return by;
  BEGIN(prover);
  tok(prover, 's', thm);
  tok(prover, '|', 0);
  toks(prover, 't', ts, nt);
  tok(prover, '|', 0);
  toks(prover, 's', ps, np);
  return made(prover, PV_RULE_USE);
}

pv_thm pv_inst(pv *prover, pv_thm thm, const pv_var_sub *vs, uint32_t nv, const ck_fsub *funs,
               uint32_t nf, const pv_thm *ps0, uint32_t np0) {
  if (thm == PV_NONE || !have(ps0, np0))
    return PV_NONE;

  enum { MOST_VARIABLES = 256, MOST_PREMISES = 16 };

  pv_thm ps[MOST_PREMISES];
  uint32_t np = 0;
  uint32_t nh;
  ck_id vars[MOST_VARIABLES];
  ck_id vals[MOST_VARIABLES];
  if (nv > MOST_VARIABLES || np0 > MOST_PREMISES)
    return PV_NONE;
  for (uint32_t i = 0; i < nv; i++) {
    vars[i] = vs[i].var;
    vals[i] = vs[i].term;
    if (vals[i] == CK_BAD)
      return PV_NONE;
  }
  const ck_id *h = ck_thm_hyps(prover->proof, thm, &nh);
  for (uint32_t i = 0; i < np0; i++) {
    for (uint32_t j = 0; j < nh; j++) {
      if (ck_sub(prover->terms, h[j], vars, vals, nv, funs, nf) ==
          ck_thm_formula(prover->proof, ps0[i])) {
        ps[np++] = ps0[i];
        break;
      }
    }
  }
  BEGIN(prover);
  tok(prover, 's', thm);
  tok(prover, '|', 0);
  for (uint32_t i = 0; i < nv; i++) {
    if (i)
      tok(prover, ',', 0);
    tok(prover, 't', vs[i].var);
    tok(prover, 't', vs[i].term);
  }
  tok(prover, '|', 0);
  for (uint32_t i = 0; i < nf; i++) {
    if (i)
      tok(prover, ',', 0);
    tok(prover, '\'', funs[i].name);
    tok(prover, '\'', funs[i].sig);
    toks(prover, 't', funs[i].params, funs[i].n);
    tok(prover, 't', funs[i].body);
  }
  tok(prover, '|', 0);
  toks(prover, 's', ps, np);
  return made(prover, PV_RULE_INST);
}

pv_thm pv_cases(pv *prover, ck_id c, pv_thm a, pv_thm b) {
  if (a == PV_NONE || b == PV_NONE)
    return PV_NONE;
  BEGIN(prover);
  tok(prover, 't', c);
  tok(prover, 's', a);
  tok(prover, 's', b);
  return made(prover, PV_RULE_CASES);
}

pv_thm pv_cong(pv *prover, ck_id a, ck_id b, const pv_thm *ps, uint32_t np) {
  if (!have(ps, np) || a == CK_BAD || b == CK_BAD)
    return PV_NONE;
  BEGIN(prover);
  tok(prover, 't', a);
  tok(prover, 't', b);
  toks(prover, 's', ps, np);
  return made(prover, PV_RULE_CONG);
}

pv_thm pv_foldcong(pv *prover, ck_id a, ck_id b, const ck_id *vars, uint32_t nv, const pv_thm *ps,
                   uint32_t np) {
  if (!have(ps, np) || a == CK_BAD || b == CK_BAD)
    return PV_NONE;
  BEGIN(prover);
  tok(prover, 't', a);
  tok(prover, 't', b);
  tok(prover, '|', 0);
  toks(prover, 't', vars, nv);
  tok(prover, '|', 0);
  toks(prover, 's', ps, np);
  return made(prover, PV_RULE_FOLDCONG);
}

pv_thm pv_arith(pv *prover, ck_id formula, const pv_summand *sums, uint32_t n) {
  if (formula == CK_BAD)
    return PV_NONE;
  for (uint32_t i = 0; i < n; i++) {
    if (sums[i].coef == CK_BAD || !have(sums[i].premises, sums[i].count))
      return PV_NONE;
  }
  BEGIN(prover);
  tok(prover, 't', formula);
  tok(prover, '|', 0);
  for (uint32_t i = 0; i < n; i++) {
    if (i)
      tok(prover, ',', 0);
    tok(prover, 't', sums[i].coef);
    toks(prover, 's', sums[i].premises, sums[i].count);
  }
  return made(prover, PV_RULE_ARITH);
}

pv_thm pv_antisym(pv *prover, pv_thm a, pv_thm b) {
  if (a == PV_NONE || b == PV_NONE)
    return PV_NONE;
  BEGIN(prover);
  tok(prover, 's', a);
  tok(prover, 's', b);
  return made(prover, PV_RULE_ANTISYM);
}

pv_thm pv_int(pv *prover, ck_id formula, pv_thm a) {
  if (a == PV_NONE || formula == CK_BAD)
    return PV_NONE;
  BEGIN(prover);
  tok(prover, 't', formula);
  tok(prover, 's', a);
  return made(prover, PV_RULE_INT);
}

pv_thm pv_law(pv *prover, const char *name, const ck_id *ts, uint32_t nt, pv_thm premises) {
  for (uint32_t i = 0; i < nt; i++) {
    if (ts[i] == CK_BAD)
      return PV_NONE;
  }
  uint32_t np = premises == PV_NONE ? 0 : 1;
  BEGIN(prover);
  tok(prover, '\'', ck_word(prover->terms, name));
  tok(prover, '|', 0);
  toks(prover, 't', ts, nt);
  tok(prover, '|', 0);
  toks(prover, 's', &premises, np);
  return made(prover, PV_RULE_LAW);
}

pv_thm pv_zero(pv *prover, ck_id t, pv_thm a) {
  if (a == PV_NONE || t == CK_BAD)
    return PV_NONE;
  BEGIN(prover);
  tok(prover, 't', t);
  tok(prover, 's', a);
  return made(prover, PV_RULE_ZERO);
}

pv_thm pv_succ(pv *prover, ck_id t, ck_id k, pv_thm a) {
  if (a == PV_NONE || t == CK_BAD || k == CK_BAD)
    return PV_NONE;
  BEGIN(prover);
  tok(prover, 't', t);
  tok(prover, 't', k);
  tok(prover, 's', a);
  return made(prover, PV_RULE_SUCC);
}

pv_thm pv_induct(pv *prover, ck_id k, ck_id n, uint32_t j, const ck_id *fs, const pv_thm *base,
                 const pv_thm *step, uint32_t r, pv_thm a) {
  char count[16];
  if (a == PV_NONE || !have(base, r) || !have(step, r))
    return PV_NONE;
  snprintf(count, sizeof count, "%u", (unsigned)j);
  BEGIN(prover);
  tok(prover, 't', k);
  tok(prover, 't', n);
  tok(prover, '=', ck_word(prover->terms, count));
  tok(prover, '|', 0);
  toks(prover, 't', fs, r);
  tok(prover, '|', 0);
  toks(prover, 's', base, r);
  tok(prover, '|', 0);
  toks(prover, 's', step, r);
  tok(prover, '|', 0);
  tok(prover, 's', a);
  return made(prover, PV_RULE_INDUCT);
}

ck_id pv_says(const pv *prover, pv_thm thm) {
  return ck_thm_formula(prover->proof, thm);
}

/* CK_BAD of no theorem, as where effort has run out: what is made of it is none either */
ck_id pv_left(const pv *prover, pv_thm thm) {
  return thm == PV_NONE ? CK_BAD : ck_kid(prover->terms, pv_says(prover, thm), 0);
}

ck_id pv_right(const pv *prover, pv_thm thm) {
  return thm == PV_NONE ? CK_BAD : ck_kid(prover->terms, pv_says(prover, thm), 1);
}

ck_fsub pv_fun_sub(pv *prover, const char *function, const ck_id *k, ck_id body) {
  return (ck_fsub){ck_word(prover->terms, function), ck_word(prover->terms, "i:r"), k, 1, body};
}

ck_fsub pv_fun2_sub(pv *prover, const char *function, const ck_id *both, ck_id body) {
  return (ck_fsub){ck_word(prover->terms, function), ck_word(prover->terms, "ii:r"), both, 2, body};
}
