/* Sums over pieces of one range, cut at the same places wherever they stand.
 *
 * What lanes have summed, each its own elements, is one sum cut where the lanes end; and a product
 * of such sums, or a root of one, is the same only where all of them are cut alike.  So a sum is
 * cut where another one of the same elements begins or ends. */
#include "pv_folds.h"

/* s with b(k) = a(k + s) for closed terms a and b that are alike up to arguments of functions;
 * CK_BAD: none is seen */
ck_id pv_shift_between(pv *prover, ck_id left, ck_id right, ck_id k) {
  const ck_terms *terms = prover->terms;
  ck_id shift = CK_BAD;
  if (left == right || ck_head(terms, left) != ck_head(terms, right) ||
      ck_nkids(terms, left) != ck_nkids(terms, right))
    return CK_BAD;
  for (uint32_t i = 0, n = ck_nkids(terms, left); i < n && shift == CK_BAD; i++) {
    ck_id left_kid = ck_kid(terms, left, i);
    ck_id right_kid = ck_kid(terms, right, i);
    if (ck_head(terms, left) == CK_APP && left_kid != right_kid && ck_is_int(terms, left_kid) &&
        ck_is_int(terms, right_kid)) {
      ck_id distance = pv_canon(prover, pv_sub(prover, right_kid, left_kid));
      pv_poly poly;
      pv_poly_init(&poly);
      pv_poly_read(prover, &poly, left_kid);
      for (uint32_t j = 0; j < poly.count; j++) {
        if (poly.monos[j].degree == 1 && poly.monos[j].atoms[0] == k &&
            pv_is_one(prover, poly.monos[j].coef) && !ck_has_var(terms, distance, k))
          shift = distance;
      }
      pv_poly_clear(&poly);
    } else {
      shift = pv_shift_between(prover, left_kid, right_kid, k);
    }
  }
  return shift;
}

enum { MOST_SUMS = 128, MOST_CUTS = 12 };

typedef struct {
  ck_id sum[MOST_SUMS];
  uint32_t n;
} sums;

/* sums with a number of elements, outside of binders */
static void find_sums(pv *prover, ck_id term, as_map *seen, sums *found) {
  uint64_t known;
  if (found->n == MOST_SUMS || as_map_get(seen, AS_KEY(term), &known))
    return;
  as_map_put(seen, AS_KEY(term), 1);
  if (ck_is_closed(prover->terms, term) && pv_is_sum(prover, term)) {
    if (pv_is_const(prover, ck_kid(prover->terms, term, 0)))
      found->sum[found->n++] = term;
    return;
  }
  for (uint32_t i = 0; i < ck_nkids(prover->terms, term); i++)
    find_sums(prover, ck_kid(prover->terms, term, i), seen, found);
}

/* the constant s with other(k) = body(k + s); CK_BAD: there is none */
static ck_id shift_to(pv *prover, ck_id body, ck_id other, ck_id k) {
  if (body == other)
    return prover->zero;
  ck_id shift = pv_shift_between(prover, body, other, k);
  if (shift == CK_BAD || !pv_is_const(prover, shift))
    return CK_BAD;
  ck_id ahead = pv_add(prover, k, shift);
  ck_id moved = ck_sub(prover->terms, body, &k, &ahead, 1, NULL, 0);
  return pv_same_index(prover, moved, other) == PV_NONE ? CK_BAD : shift;
}

/* is it a place inside of 0 .. n? */
static bool inside(pv *prover, ck_id place, ck_id n) {
  return pv_const_sign(prover, place) > 0 &&
         pv_const_sign(
             prover, pv_const_add(prover, n, pv_const_mul(prover, place, pv_num(prover, -1)))) > 0;
}

/* where the sum is to be cut, as the other one begins or ends there; CK_BAD: nowhere */
static ck_id place_in(pv *prover, ck_id sum, ck_id other) {
  ck_id k = pv_int_var(prover, "$$piece");
  ck_id n = ck_kid(prover->terms, sum, 0);
  ck_id start = shift_to(prover, pv_sum_body(prover, sum, k), pv_sum_body(prover, other, k), k);
  if (start == CK_BAD)
    return CK_BAD;
  ck_id end = pv_const_add(prover, start, ck_kid(prover->terms, other, 0));
  if (inside(prover, start, n))
    return start;
  return inside(prover, end, n) ? end : CK_BAD;
}

/* the sum cut once, where another one of them begins or ends; PV_REFL: nowhere */
static pv_eqn cut_once(pv *prover, pv_ctx ctx, ck_id sum, const sums *all) {
  for (uint32_t j = 0; j < all->n; j++) {
    ck_id place = sum == all->sum[j] ? CK_BAD : place_in(prover, sum, all->sum[j]);
    pv_eqn cut = place == CK_BAD ? pv_same(sum) : pv_cut_sum(prover, ctx, sum, place);
    if (cut.by != PV_REFL && cut.by != PV_NONE)
      return cut;
  }
  return pv_same(sum);
}

/* each of the term's sums that is to be cut, cut once; PV_REFL: none is */
static pv_eqn cut_each(pv *prover, pv_ctx ctx, ck_id term) {
  sums all = {.n = 0};
  ck_id from[MOST_SUMS];
  pv_thm by[MOST_SUMS];
  uint32_t n = 0;
  as_map seen;
  as_map_init(&seen, 1);
  find_sums(prover, term, &seen, &all);
  as_map_clear(&seen);
  for (uint32_t i = 0; i < all.n; i++) {
    pv_eqn cut = cut_once(prover, ctx, all.sum[i], &all);
    if (cut.by == PV_REFL)
      continue;
    from[n] = all.sum[i];
    by[n++] = cut.by;
  }
  return n == 0 ? pv_same(term) : pv_rewrite(prover, term, from, by, n);
}

pv_eqn pv_sums_in_pieces(pv *prover, pv_ctx ctx, ck_id term) {
  pv_eqn eqn = pv_same(term);
  for (uint32_t cuts = 0; cuts < MOST_CUTS && eqn.by != PV_NONE; cuts++) {
    pv_eqn cut = cut_each(prover, ctx, eqn.to);
    if (cut.by == PV_REFL)
      break;
    eqn = pv_then(prover, eqn, cut);
  }
  if (eqn.by == PV_NONE || eqn.by == PV_REFL)
    return eqn;
  return pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
}

/* --- roots of such sums */
enum { MOST_ROOTS = 6 };

static void find_roots(const pv *prover, ck_id term, as_map *seen, ck_id *root, uint32_t *n) {
  uint64_t known;
  if (*n == MOST_ROOTS || as_map_get(seen, AS_KEY(term), &known))
    return;
  as_map_put(seen, AS_KEY(term), 1);
  if (ck_is(prover->terms, term, CK_SQRT) && ck_is_closed(prover->terms, term))
    root[(*n)++] = term;
  for (uint32_t i = 0; i < ck_nkids(prover->terms, term); i++)
    find_roots(prover, ck_kid(prover->terms, term, i), seen, root, n);
}

/* the number that stands in the sum by itself; 0: there is none */
static ck_id number_in(pv *prover, ck_id term) {
  ck_id found = prover->zero;
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, term);
  for (uint32_t i = 0; i < poly.count; i++) {
    if (poly.monos[i].degree == 0)
      found = poly.monos[i].coef;
  }
  pv_poly_clear(&poly);
  return found;
}

/* the root as a multiple of the other one, where what they are taken of is a multiple but for how
 * sums are cut; PV_REFL: it is no such */
static pv_eqn as_multiple(pv *prover, pv_ctx ctx, ck_id root, ck_id other) {
  ck_id under = ck_kid(prover->terms, root, 0);
  ck_id there = ck_kid(prover->terms, other, 0);
  ck_id number[2] = {number_in(prover, under), number_in(prover, there)};
  if (pv_const_sign(prover, number[0]) <= 0 || pv_const_sign(prover, number[1]) <= 0)
    return pv_same(root);
  ck_id ratio = pv_const_mul(prover, number[0], pv_const_inv(prover, number[1]));
  ck_id multiple = pv_mul(prover, ratio, there);
  pv_eqn zero = pv_norm(prover, ctx, pv_sub(prover, under, multiple));
  if (zero.by != PV_NONE)
    zero = pv_then(prover, zero, pv_sums_in_pieces(prover, ctx, zero.to));
  if (zero.by == PV_NONE || !pv_is_zero(prover, zero.to))
    return pv_same(root);
  pv_thm same = PV_COMBINE(prover, pv_eq(prover, under, multiple), prover->one, zero.by);
  pv_eqn eqn = {pv_sqrt(prover, multiple), PV_NONE};
  eqn.by = pv_cong(prover, root, eqn.to, &same, 1);
  pv_eqn normal = pv_norm(prover, ctx, eqn.to);
  if (eqn.by == PV_NONE || normal.by == PV_NONE || !pv_occurs(prover, normal.to, other))
    return pv_same(root);
  return pv_then(prover, eqn, normal);
}

pv_eqn pv_roots_in_pieces(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id root[MOST_ROOTS];
  uint32_t n = 0;
  as_map seen;
  as_map_init(&seen, 1);
  find_roots(prover, term, &seen, root, &n);
  as_map_clear(&seen);
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < n; j++) {
      pv_eqn eqn = i == j ? pv_same(root[i]) : as_multiple(prover, ctx, root[i], root[j]);
      if (eqn.by == PV_REFL || eqn.by == PV_NONE)
        continue;
      pv_eqn other = pv_rewrite(prover, term, &root[i], &eqn.by, 1);
      return other.by == PV_NONE ? other : pv_then(prover, other, pv_norm(prover, ctx, other.to));
    }
  }
  return pv_same(term);
}

/* --- what hypotheses say of such sums */
static ck_id value_of(pv *prover, ck_id relation) {
  return pv_sub(prover, ck_kid(prover->terms, relation, 1), ck_kid(prover->terms, relation, 0));
}

/* is it a relation of reals of this kind, or a clause that concludes one? */
static bool may_say(const pv *prover, ck_id fact, ck_op head) {
  const ck_terms *terms = prover->terms;
  if (ck_is(terms, fact, CK_ALL))
    fact = ck_kid(terms, fact, ck_nkids(terms, fact) - 1);
  return ck_is(terms, fact, head) &&
         !(ck_is_int(terms, ck_kid(terms, fact, 0)) && ck_is_int(terms, ck_kid(terms, fact, 1)));
}

/* the formula by a fact of the same kind, whose value is the same but for how sums are cut */
static pv_thm by_fact(pv *prover, pv_ctx ctx, ck_id formula, pv_thm fact) {
  ck_id says = ck_thm_formula(prover->proof, fact);
  ck_op head = ck_head(prover->terms, formula);
  for (int sign = 1; sign >= (head == CK_NE ? -1 : 1); sign -= 2) {
    ck_id scale = pv_num(prover, sign);
    ck_id other = pv_mul(prover, scale, value_of(prover, says));
    ck_id diff = pv_sub(prover, value_of(prover, formula), other);
    pv_thm zero = pv_zero_in_pieces(prover, ctx, diff, 0);
    if (zero != PV_NONE)
      return PV_COMBINE(prover, formula, scale, fact, pv_num(prover, -1), zero);
  }
  return PV_NONE;
}

pv_thm pv_by_fact_in_pieces(pv *prover, pv_ctx ctx, ck_id formula) {
  enum { MOST = 4 };

  ck_op head = ck_head(prover->terms, formula);
  pv_eqn value = pv_norm(prover, ctx, value_of(prover, formula));
  sums all = {.n = 0};
  as_map seen;
  as_map_init(&seen, 1);
  if (value.by != PV_NONE && !ck_is_int(prover->terms, value.to))
    find_sums(prover, value.to, &seen, &all);
  as_map_clear(&seen);
  for (pv_ctx link = ctx; all.n > 0 && link != 0; link = pv_at(prover, link)->parent) {
    pv_thm instance[2 * MOST];
    if (!ck_is(prover->terms, pv_at(prover, link)->formula, CK_ALL) ||
        !may_say(prover, pv_at(prover, link)->formula, head))
      continue;
    pv_thm hyp = pv_at(prover, link)->thm;
    uint32_t n = pv_clause_at_accesses(prover, ctx, hyp, value.to, instance, MOST);
    n += pv_clause_instances(prover, ctx, hyp, value.to, instance + n, MOST);
    for (uint32_t i = 0; i < n; i++) {
      pv_thm thm = by_fact(prover, ctx, formula, instance[i]);
      if (thm != PV_NONE)
        return thm;
    }
  }
  return PV_NONE;
}
