/* A maximum of which the last elements do not count: from some place on they are all one value that
 * is at most the first element, as amounts of lanes that a mask leaves out are 0.  This is asked of
 * the element as it stands; its normal form would put the mask and the amount together. */
#include "pv_folds.h"

/* the maximum over k < n of body, cut to k < place */
typedef struct {
  pv *prover;
  ck_id n;
  ck_id k;
  ck_id body;
  ck_id place;
  pv_thm some;   /* 0 < place */
  pv_thm within; /* place <= n */
} cut;

/* body at k <= max(k < bound) body, by why 0 <= k, k < bound */
static pv_thm below_maximum(const cut *c, ck_id bound, ck_id k, pv_thm nonneg, pv_thm less) {
  pv *prover = c->prover;
  pv_var_sub vars[2] = {{pv_int_var(prover, "n"), bound}, {pv_int_var(prover, "i"), k}};
  ck_fsub fun = pv_fun_sub(prover, "f", &c->k, c->body);
  pv_thm range[2] = {nonneg, less};
  return pv_use_lemma(prover, PV_MAX_GE, vars, 2, &fun, 1, range, 2);
}

/* max(k < place) body <= max(k < n) body */
static pv_thm part_at_most(const cut *c) {
  pv *prover = c->prover;
  ck_id whole = pv_max(prover, c->n, c->k, c->body);
  pv_thm less = PV_COMBINE(prover, pv_lt(prover, c->k, c->n), prover->one,
                           pv_hyp(prover, pv_lt(prover, c->k, c->place)), prover->one, c->within);
  pv_thm each = below_maximum(c, c->n, c->k, pv_hyp(prover, pv_ge0(prover, c->k)), less);
  return pv_max_le(prover, c->place, c->k, c->body, whole, c->some, each);
}

/* max(k < n) body <= max(k < place) body, from constant: body = value for place <= k, k < n, and
 * least: value <= body at 0 */
static pv_thm whole_at_most(const cut *c, pv_thm constant, pv_thm least) {
  pv *prover = c->prover;
  ck_id part = pv_max(prover, c->place, c->k, c->body);
  ck_id before = pv_lt(prover, c->k, c->place);
  ck_id claim = pv_le(prover, c->body, part);
  pv_thm kept = below_maximum(c, c->place, c->k, pv_hyp(prover, pv_ge0(prover, c->k)),
                              pv_hyp(prover, before));
  pv_thm first = below_maximum(c, c->place, prover->zero, pv_zero_le_zero(prover), c->some);
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, first);
  pv_comb_add(&comb, prover->one, least);
  pv_comb_add(&comb, prover->one, constant);
  pv_thm left_out = pv_comb_prove(prover, &comb, claim);
  pv_thm n_pos =
      PV_COMBINE(prover, pv_gt0(prover, c->n), prover->one, c->some, prover->one, c->within);
  return pv_max_le(prover, c->n, c->k, c->body, part, n_pos,
                   pv_cases(prover, before, kept, left_out));
}

/* Could the element be one value for many k, once choices by k are made?  Where none of a choice's
 * branches is free of k it could not; asked first, as a normal form is dear. */
static bool may_be_constant(pv *prover, ck_id term, ck_id k, as_map *seen) {
  const ck_terms *terms = prover->terms;
  uint64_t known;
  if (!ck_has_var(terms, term, k))
    return true;
  if (term == k || as_map_get(seen, AS_KEY(term), &known))
    return term != k && known;
  bool chooses = ck_is(terms, term, CK_ITE) && ck_has_var(terms, ck_kid(terms, term, 0), k);
  bool constant = !chooses && ck_nkids(terms, term) > 0;
  if (chooses) {
    constant = may_be_constant(prover, ck_kid(terms, term, 1), k, seen) ||
               may_be_constant(prover, ck_kid(terms, term, 2), k, seen);
  }
  for (uint32_t i = 0; i < ck_nkids(terms, term) && !chooses && constant; i++)
    constant = may_be_constant(prover, ck_kid(terms, term, i), k, seen);
  as_map_put(seen, AS_KEY(term), constant);
  return constant;
}

static pv_thm dropped(pv *prover, pv_ctx ctx, cut *c) {
  c->some = pv_follows(prover, ctx, pv_gt0(prover, c->place));
  c->within = c->some == PV_NONE ? PV_NONE : pv_follows(prover, ctx, pv_le(prover, c->place, c->n));
  if (c->within == PV_NONE)
    return PV_NONE;
  ck_id same_k;
  pv_ctx there = pv_ctx_bind(prover, ctx, c->n, &same_k);
  if (same_k != c->k)
    return PV_NONE;
  there = pv_ctx_push(prover, there, pv_le(prover, c->place, c->k), CK_BAD);
  pv_eqn value = pv_norm(prover, there, c->body);
  if (value.by == PV_NONE || ck_has_var(prover->terms, value.to, c->k))
    return PV_NONE;
  ck_id first = ck_sub(prover->terms, c->body, &c->k, &prover->zero, 1, NULL, 0);
  pv_thm least = pv_prove_goal(prover, ctx, pv_le(prover, value.to, first));
  pv_thm up = least == PV_NONE ? PV_NONE : whole_at_most(c, value.by, least);
  return up == PV_NONE ? PV_NONE : pv_antisym(prover, up, part_at_most(c));
}

pv_eqn pv_without_neutral(pv *prover, pv_ctx ctx, ck_id term, ck_id n, ck_id init, ck_id k,
                          ck_id body) {
  enum { PLACES = 4 };

  ck_id place[PLACES];
  as_map seen;
  as_map_init(&seen, 1);
  bool perhaps = !prover->leaves_lanes && may_be_constant(prover, body, k, &seen);
  as_map_clear(&seen);
  uint32_t n_places = perhaps ? pv_cut_places(prover, body, k, place, PLACES) : 0;
  for (uint32_t i = 0; i < n_places; i++) {
    cut c = {.prover = prover, .n = n, .k = k, .body = body, .place = place[i]};
    /* a place that depends on others, as in causal attention, differs from row to row: what is
     * left out there would have to be compared with the first element of each */
    if (place[i] == n || !pv_is_const(prover, place[i]))
      continue;
    prover->leaves_lanes = true;
    pv_thm thm = dropped(prover, ctx, &c);
    prover->leaves_lanes = false;
    pv_thm literal =
        thm == PV_NONE ? PV_NONE : pv_max_written_out(prover, ctx, term, n, init, k, body);
    if (literal != PV_NONE)
      return (pv_eqn){pv_right(prover, thm), pv_trans(prover, literal, thm)};
  }
  return pv_same(term);
}
