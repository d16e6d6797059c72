/* Rewriting without context: closed subterms by equations, and index arithmetic alone. */
#include "pv_norm.h"
#include <stdio.h>

enum { MAX_W = 8 };

/* --- replacing closed subterms by equations */
static pv_eqn rewrite_at(pv *prover, ck_id term, const ck_id *from, const pv_thm *steps, uint32_t n,
                         uint32_t depth) {
  const ck_terms *terms = prover->terms;
  ck_op head = ck_head(terms, term);
  ck_id kids[40];
  pv_thm premises[40];
  uint32_t n_premises = 0;
  uint32_t n_kids = ck_nkids(terms, term);
  pv_eqn eqn = pv_same(term);
  for (uint32_t i = 0; i < n; i++) {
    if (term == from[i]) {
      eqn.to = pv_right(prover, steps[i]);
      eqn.by = steps[i];
      return eqn;
    }
  }
  if (head == CK_Q || head == CK_V || head == CK_B || n_kids > 32)
    return eqn;
  for (uint32_t i = 0; i < n_kids; i++) {
    kids[i] = ck_kid(terms, term, i);
    if (ck_kid_binders(terms, term, i))
      continue;
    if (head == CK_ITE && i == 0) {
      pv_eqn left = rewrite_at(prover, ck_kid(terms, kids[0], 0), from, steps, n, depth);
      pv_eqn right = rewrite_at(prover, ck_kid(terms, kids[0], 1), from, steps, n, depth);
      if (left.by == PV_NONE || right.by == PV_NONE)
        return pv_fail();
      if (left.by != PV_REFL)
        premises[n_premises++] = left.by;
      if (right.by != PV_REFL)
        premises[n_premises++] = right.by;
      kids[0] = pv_rel(prover, ck_head(terms, kids[0]), left.to, right.to);
      continue;
    }
    pv_eqn kid_eqn = rewrite_at(prover, kids[i], from, steps, n, depth);
    if (kid_eqn.by == PV_NONE)
      return pv_fail();
    kids[i] = kid_eqn.to;
    if (kid_eqn.by != PV_REFL)
      premises[n_premises++] = kid_eqn.by;
  }
  if (n_premises) {
    eqn.to = ck_rebuild(prover->terms, term, kids);
    eqn.by = pv_cong(prover, term, eqn.to, premises, n_premises);
  }
  if (head == CK_FOLD && eqn.by != PV_NONE) {
    uint32_t width = ck_width(terms, term);
    pv_thm step_thm[MAX_W];
    ck_id vars[MAX_W + 1];
    bool changed = false;
    char name[40];
    if (width > MAX_W)
      return eqn;
    snprintf(name, sizeof name, "$$r%u", depth);
    vars[0] = pv_int_var(prover, name);
    for (uint32_t state = 0; state < width; state++) {
      snprintf(name, sizeof name, "$$s%u.%u", depth, state);
      vars[state + 1] = pv_real_var(prover, name);
    }
    for (uint32_t i = 0; i < 1 + width; i++)
      kids[i] = ck_kid(prover->terms, eqn.to, i);
    for (uint32_t state = 0; state < width; state++) {
      ck_id body =
          ck_open(prover->terms, ck_kid(prover->terms, eqn.to, 1 + width + state), vars, width + 1);
      pv_eqn kid_eqn = rewrite_at(prover, body, from, steps, n, depth + 1);
      if (kid_eqn.by == PV_NONE)
        return pv_fail();
      changed = changed || kid_eqn.by != PV_REFL;
      step_thm[state] = kid_eqn.by == PV_REFL ? pv_refl(prover, body) : kid_eqn.by;
      kids[1 + width + state] = ck_close(prover->terms, kid_eqn.to, vars, width + 1);
    }
    if (changed) {
      pv_eqn folded = {ck_fold(prover->terms, ck_index(prover->terms, term), width, kids), PV_NONE};
      folded.by = pv_foldcong(prover, eqn.to, folded.to, vars, width + 1, step_thm, width);
      eqn = pv_then(prover, eqn, folded);
    }
  }
  return eqn.by == PV_NONE ? pv_fail() : eqn;
}

pv_eqn pv_rewrite(pv *prover, ck_id term, const ck_id *from, const pv_thm *steps, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (steps[i] == PV_NONE) /* the effort may be spent */
      return pv_fail();
  }
  return rewrite_at(prover, term, from, steps, n, 0);
}

/* s with its right side rewritten by the equations st */
pv_thm pv_then_rewrite(pv *prover, pv_thm thm, const pv_thm *st, uint32_t n) {
  ck_id from[4];
  if (thm == PV_NONE)
    return PV_NONE;
  for (uint32_t i = 0; i < n; i++) {
    if (st[i] == PV_NONE)
      return PV_NONE;
    from[i] = pv_left(prover, st[i]);
  }
  pv_eqn eqn = pv_rewrite(prover, pv_right(prover, thm), from, st, n);
  return pv_trans(prover, thm, eqn.by);
}

/* --- canonical index arithmetic alone, without context */
/* a choice among the parts of a sum or product: what it asks is index arithmetic too */
static bool has_choice_part(const ck_terms *terms, ck_id term) {
  ck_op head = ck_head(terms, term);
  if (head != CK_ADD && head != CK_MUL)
    return head == CK_ITE;
  return has_choice_part(terms, ck_kid(terms, term, 0)) ||
         has_choice_part(terms, ck_kid(terms, term, 1));
}

static pv_eqn icanon_at(pv *prover, ck_id term, uint32_t depth) {
  const ck_terms *terms = prover->terms;
  ck_op head = ck_head(terms, term);
  uint64_t known;
  if (head == CK_Q || head == CK_V || head == CK_B)
    return pv_same(term);
  if (as_map_get(&prover->misc_memo, AS_KEY(term, 16 + depth), &known)) {
    pv_eqn m = {(ck_id)(known >> 32), (uint32_t)known};
    return m;
  }
  pv_eqn eqn = pv_same(term);
  bool polynomial = ck_is_int(terms, term) && (head == CK_ADD || head == CK_MUL);
  if (!polynomial || has_choice_part(terms, term)) {
    uint32_t n = ck_nkids(terms, term);
    uint32_t n_premises = 0;
    uint32_t width = head == CK_FOLD ? ck_width(terms, term) : 0;
    ck_id kids[40];
    pv_thm premises[40];
    ck_id cond = CK_BAD;
    if (n > 32)
      return pv_fail();
    for (uint32_t i = 0; i < n; i++) {
      kids[i] = ck_kid(terms, term, i);
      if (ck_kid_binders(terms, term, i))
        continue;
      if (head == CK_ITE && i == 0) {
        pv_eqn left = icanon_at(prover, ck_kid(terms, kids[0], 0), depth);
        pv_eqn right = icanon_at(prover, ck_kid(terms, kids[0], 1), depth);
        if (left.by == PV_NONE || right.by == PV_NONE)
          return pv_fail();
        if (left.by != PV_REFL)
          premises[n_premises++] = left.by;
        if (right.by != PV_REFL)
          premises[n_premises++] = right.by;
        cond = pv_rel(prover, ck_head(terms, kids[0]), left.to, right.to);
        kids[0] = cond;
        continue;
      }
      pv_eqn kid_eqn = icanon_at(prover, kids[i], depth);
      if (kid_eqn.by == PV_NONE)
        return pv_fail();
      kids[i] = kid_eqn.to;
      if (kid_eqn.by != PV_REFL)
        premises[n_premises++] = kid_eqn.by;
    }
    if (n_premises) {
      eqn.to = ck_rebuild(prover->terms, term, kids);
      eqn.by = pv_cong(prover, term, eqn.to, premises, n_premises);
    }
    if (head == CK_FOLD && eqn.by != PV_NONE) {
      ck_id vars[9];
      ck_id steps[16];
      pv_thm step_thm[8];
      bool changed = false;
      char name[40];
      if (width > 8)
        return pv_fail();
      snprintf(name, sizeof name, "$$i%u", depth);
      vars[0] = pv_int_var(prover, name);
      for (uint32_t state = 0; state < width; state++) {
        snprintf(name, sizeof name, "$$j%u.%u", depth, state);
        vars[state + 1] = pv_real_var(prover, name);
      }
      for (uint32_t i = 0; i < 1 + width; i++)
        steps[i] = ck_kid(prover->terms, eqn.to, i);
      for (uint32_t state = 0; state < width; state++) {
        ck_id body = ck_open(prover->terms, ck_kid(prover->terms, eqn.to, 1 + width + state), vars,
                             width + 1);
        pv_eqn kid_eqn = icanon_at(prover, body, depth + 1);
        if (kid_eqn.by == PV_NONE)
          return pv_fail();
        changed = changed || kid_eqn.by != PV_REFL;
        step_thm[state] = kid_eqn.by == PV_REFL ? pv_refl(prover, body) : kid_eqn.by;
        steps[1 + width + state] = ck_close(prover->terms, kid_eqn.to, vars, width + 1);
      }
      if (changed) {
        ck_id to = ck_fold(prover->terms, ck_index(prover->terms, term), width, steps);
        pv_eqn folded = {to, pv_foldcong(prover, eqn.to, to, vars, width + 1, step_thm, width)};
        eqn = pv_then(prover, eqn, folded);
      }
    }
  }
  if (polynomial && eqn.by != PV_NONE) {
    ck_id to = pv_canon(prover, eqn.to);
    if (to != eqn.to)
      eqn = pv_then(prover, eqn, (pv_eqn){to, pv_identity(prover, pv_eq(prover, eqn.to, to))});
  }
  if (eqn.by == PV_NONE)
    return pv_fail();
  as_map_put(&prover->misc_memo, AS_KEY(term, 16 + depth), ((uint64_t)eqn.to << 32) | eqn.by);
  return eqn;
}

pv_eqn pv_index_canon(pv *prover, ck_id term) {
  return icanon_at(prover, term, 0);
}

/* a = b because both are the same up to index arithmetic */
pv_thm pv_same_index(pv *prover, ck_id a, ck_id b) {
  if (a == b)
    return PV_REFL;
  pv_eqn x = pv_index_canon(prover, a);
  pv_eqn y = pv_index_canon(prover, b);
  if (x.by == PV_NONE || y.by == PV_NONE || x.to != y.to)
    return PV_NONE;
  return pv_trans(prover, x.by, pv_sym(prover, y.by));
}
