/* Folds of a few rounds written out, round by round. */
#include "pv_folds.h"
#include <stdio.h>

enum { MOST_FOLDS = 16 };

bool pv_has_few_rounds(pv *prover, ck_id fold, uint32_t most) {
  if (!ck_is(prover->terms, fold, CK_FOLD) || ck_width(prover->terms, fold) != 1)
    return false;
  ck_id bound = ck_kid(prover->terms, fold, 0);
  return pv_is_const(prover, bound) && ck_is_int(prover->terms, bound) &&
         mpq_cmp_ui(*ck_q_value(prover->terms, bound), most, 1) <= 0;
}

pv_eqn pv_by_last_round(pv *prover, ck_id fold) {
  ck_id bound = ck_kid(prover->terms, fold, 0);
  ck_id last = pv_const_add(prover, bound, pv_num(prover, -1));
  pv_thm thm = pv_const_sign(prover, bound) <= 0
                   ? pv_zero(prover, fold, pv_by_value(prover, pv_le(prover, bound, prover->zero)))
                   : pv_succ(prover, fold, last, pv_by_value(prover, pv_ge0(prover, last)));
  if (thm == PV_NONE)
    return pv_fail();
  pv_eqn eqn = {pv_right(prover, thm), thm};
  return pv_then(prover, eqn, pv_index_canon(prover, eqn.to));
}

static ck_id with_bound(pv *prover, ck_id fold, ck_id bound) {
  ck_id kids[3] = {bound, ck_kid(prover->terms, fold, 1), ck_kid(prover->terms, fold, 2)};
  return ck_fold(prover->terms, 0, 1, kids);
}

/* the fold without any of its rounds left */
static pv_eqn by_all_rounds(pv *prover, ck_id fold) {
  pv_eqn eqn = pv_by_last_round(prover, fold);
  ck_id before = fold;
  while (eqn.by != PV_NONE && pv_const_sign(prover, ck_kid(prover->terms, before, 0)) > 0) {
    ck_id bound = pv_const_add(prover, ck_kid(prover->terms, before, 0), pv_num(prover, -1));
    before = with_bound(prover, before, bound);
    pv_eqn next = pv_by_last_round(prover, before);
    pv_eqn stands = pv_index_canon(prover, before); /* as it stands in the equation */
    if (next.by == PV_NONE || stands.by == PV_NONE)
      return pv_fail();
    pv_thm by =
        stands.by == PV_REFL ? next.by : pv_trans(prover, pv_sym(prover, stands.by), next.by);
    eqn = pv_then(prover, eqn, pv_rewrite(prover, eqn.to, &stands.to, &by, 1));
  }
  return eqn;
}

/* the outermost sums in the term, outside of binders */
static void find_sums(pv *prover, ck_id term, as_map *seen, ck_id *found, uint32_t *n) {
  uint64_t known;
  if (*n == MOST_FOLDS || as_map_get(seen, AS_KEY(term), &known))
    return;
  as_map_put(seen, AS_KEY(term), 1);
  if (ck_is_closed(prover->terms, term) && pv_is_sum(prover, term)) {
    found[(*n)++] = term;
    return;
  }
  for (uint32_t i = 0; i < ck_nkids(prover->terms, term); i++)
    find_sums(prover, ck_kid(prover->terms, term, i), seen, found, n);
}

static pv_eqn written_out(pv *prover, ck_id term, uint32_t depth);

/* the sum, of so many sums around it, without those of few rounds; PV_REFL: there are none */
static pv_thm without_few(pv *prover, ck_id sum, uint32_t depth) {
  enum { FEW = 8, MOST_DEPTH = 4 };

  if (pv_has_few_rounds(prover, sum, FEW))
    return by_all_rounds(prover, sum).by;
  if (depth == MOST_DEPTH)
    return PV_REFL;
  char name[24];
  snprintf(name, sizeof name, "$$within%u", depth);
  ck_id k = pv_int_var(prover, name);
  pv_eqn inside = written_out(prover, pv_sum_body(prover, sum, k), depth + 1);
  return inside.by == PV_REFL || inside.by == PV_NONE
             ? inside.by
             : pv_lift_sum(prover, ck_kid(prover->terms, sum, 0), k, inside.by);
}

/* the term, under so many sums, without sums of few rounds */
static pv_eqn written_out(pv *prover, ck_id term, uint32_t depth) {
  ck_id sum[MOST_FOLDS];
  pv_thm by[MOST_FOLDS];
  uint32_t found = 0;
  uint32_t n = 0;
  as_map seen;
  as_map_init(&seen, 1);
  find_sums(prover, term, &seen, sum, &found);
  as_map_clear(&seen);
  for (uint32_t i = 0; i < found; i++) {
    by[n] = without_few(prover, sum[i], depth);
    if (by[n] == PV_NONE)
      return pv_fail();
    if (by[n] != PV_REFL)
      sum[n++] = sum[i];
  }
  return n == 0 ? pv_same(term) : pv_rewrite(prover, term, sum, by, n);
}

pv_eqn pv_sums_written_out(pv *prover, pv_ctx ctx, ck_id term) {
  pv_eqn eqn = written_out(prover, term, 0);
  if (eqn.by == PV_NONE || eqn.by == PV_REFL)
    return eqn;
  return pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
}

/* --- what runs along with a sum */
/* has the term a fold over as many rounds as the counter says that is no sum, product or maximum?
 */
static bool runs_along(pv *prover, ck_id term, ck_id k, as_map *seen) {
  ck_terms *terms = prover->terms;
  uint64_t known;
  ck_id body;
  if (!ck_has_var(terms, term, k) || as_map_get(seen, AS_KEY(term), &known))
    return false;
  as_map_put(seen, AS_KEY(term), 1);
  if (ck_is(terms, term, CK_FOLD) && ck_has_var(terms, ck_kid(terms, term, 0), k) &&
      !pv_is_sum(prover, term) && !pv_is_prod(prover, term, &body) &&
      !pv_is_max(prover, term, &body))
    return true;
  for (uint32_t i = 0; i < ck_nkids(terms, term); i++) {
    if (runs_along(prover, ck_kid(terms, term, i), k, seen))
      return true;
  }
  return false;
}

/* does the term count elements under conditions, speaking of nothing but indices and counters,
 * which no source file can name?  *others: of others than k */
static bool counts(const pv *prover, ck_id term, ck_id k, bool *others) {
  const ck_terms *terms = prover->terms;
  ck_op head = ck_head(terms, term);
  if (head == CK_V) {
    *others = *others || term != k;
    return ck_word_text(terms, ck_name(terms, term))[0] == '$';
  }
  if (head == CK_APP || head == CK_FOLD)
    return false;
  for (uint32_t i = 0; i < ck_nkids(terms, term); i++) {
    if (!counts(prover, ck_kid(terms, term, i), k, others))
      return false;
  }
  return true;
}

pv_eqn pv_running_written_out(pv *prover, ck_id sum) {
  enum { FEW = 4 };

  if (!pv_has_few_rounds(prover, sum, FEW))
    return pv_same(sum);
  ck_id k = pv_int_var(prover, "$$within");
  ck_id body = pv_sum_body(prover, sum, k);
  bool others = false;
  as_map seen;
  as_map_init(&seen, 1);
  bool runs = runs_along(prover, body, k, &seen) ||
              (ck_is(prover->terms, body, CK_ITE) && counts(prover, body, k, &others) && others);
  as_map_clear(&seen);
  return runs ? by_all_rounds(prover, sum) : pv_same(sum);
}
