/* The place of an element of several axes, told by quotients and remainders (see pv_rounds.h).
 *
 * A kernel that counts the elements of a tensor of several axes stores at `e div c` of one axis and
 * at `e mod c` of the next.  Neither equation says which round it is; both together are one, as
 * where c is positive
 *     e div c = q  and  e - c*(e div c) = r     is     0 <= r, r < c  and  e = c*q + r.
 * Of more than two axes the last two are joined first: what is left of e then stands beside the
 * quotient of the axis before. */
#include "pv_rounds.h"

/* two conditions of a chain that are such equations */
typedef struct {
  ck_id quotient; /* e div c */
  ck_id whole;    /* e */
  ck_id size;     /* c */
  ck_id q;
  ck_id r;
  pv_thm size_pos;
  pv_thm is_q; /* quotient = q, by the first condition */
  pv_thm is_r; /* r = e - c*quotient, by the second one */
} pair;

/* what is asked instead */
enum { LOW, HIGH, PLACE, N_ASKED };

/* term = factor*quotient + rest, which has no such quotient */
static bool apart(pv *prover, ck_id term, ck_id quotient, ck_id *factor, ck_id *rest) {
  return pv_poly_linear(prover, term, quotient, factor, rest) && *factor != CK_BAD &&
         *rest != CK_BAD && !pv_is_zero(prover, *factor) && !pv_occurs(prover, *rest, quotient) &&
         !pv_occurs(prover, *factor, quotient);
}

/* the value of an equation of integers; CK_BAD: the relation is no such */
static ck_id equated(pv *prover, ck_id relation) {
  return ck_head(prover->terms, relation) == CK_EQ ? pv_difference(prover, relation) : CK_BAD;
}

/* does the first equation say what the quotient is, and the second one what it leaves? */
static bool pair_by(const pv_opened *fold, ck_id first, ck_id second, ck_id quotient, pair *found) {
  pv *prover = fold->prover;
  ck_id factor[2];
  ck_id rest[2];
  ck_id minus = pv_num(prover, -1);
  found->quotient = quotient;
  found->whole = ck_kid(prover->terms, quotient, 0);
  found->size = ck_kid(prover->terms, quotient, 1);
  if (!apart(prover, equated(prover, first), quotient, &factor[0], &rest[0]) ||
      !apart(prover, equated(prover, second), quotient, &factor[1], &rest[1]))
    return false;
  bool up = pv_is_one(prover, factor[0]);
  bool same = pv_canon(prover, found->size) == factor[1];
  if ((!up && factor[0] != minus) ||
      (!same && pv_canon(prover, pv_neg(prover, found->size)) != factor[1]))
    return false;
  ck_id sign = same ? prover->one : minus; /* sign*second = r - e + c*quotient */
  found->q = pv_canon(prover, up ? pv_neg(prover, rest[0]) : rest[0]);
  found->r = pv_canon(prover, pv_add(prover, found->whole, pv_mul(prover, sign, rest[1])));
  found->size_pos = pv_follows(prover, fold->ctx, pv_gt0(prover, found->size));
  if (found->size_pos == PV_NONE || !ck_is_int(prover->terms, found->q) ||
      !ck_is_int(prover->terms, found->r))
    return false;
  ck_id left = pv_sub(prover, found->whole, pv_mul(prover, found->size, quotient));
  found->is_q = pv_scaled(prover, pv_eq(prover, quotient, found->q), up ? minus : prover->one,
                          pv_hyp(prover, first));
  found->is_r = pv_scaled(prover, pv_eq(prover, left, found->r), sign, pv_hyp(prover, second));
  return found->is_q != PV_NONE && found->is_r != PV_NONE;
}

/* .. by some quotient of what has the round, which stands in both */
static bool pair_of(const pv_opened *fold, ck_id first, ck_id second, pair *found) {
  pv *prover = fold->prover;
  ck_id value = equated(prover, first);
  bool is_pair = false;
  pv_poly poly;
  if (value == CK_BAD || equated(prover, second) == CK_BAD)
    return false;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, value);
  for (uint32_t i = 0; i < poly.count && !is_pair; i++) {
    ck_id atom = poly.monos[i].degree == 1 ? poly.monos[i].atoms[0] : CK_BAD;
    if (atom != CK_BAD && ck_is(prover->terms, atom, CK_DIV) && pv_speaks_of(fold, atom))
      is_pair = pair_by(fold, first, second, atom, found);
  }
  pv_poly_clear(&poly);
  return is_pair;
}

/* the three conditions, each from the two */
static void ask_place(pv *prover, const pair *found, ck_id *asked, pv_thm *by) {
  pv_thm law = pv_law2(prover, "div", found->whole, found->size, found->size_pos);
  pv_thm low = pv_law2(prover, "mod>", found->whole, found->size, found->size_pos);
  pv_thm high = pv_law2(prover, "mod<", found->whole, found->size, found->size_pos);
  ck_id place = pv_add(prover, pv_mul(prover, found->size, found->q), found->r);
  ck_id minus = pv_num(prover, -1);
  asked[LOW] = pv_ge0(prover, found->r);
  asked[HIGH] = pv_lt(prover, found->r, found->size);
  asked[PLACE] = pv_eq(prover, prover->zero, pv_canon(prover, pv_sub(prover, found->whole, place)));
  /* e = c*quotient + rest, r = e - c*quotient: r is the rest */
  by[LOW] = PV_COMBINE(prover, asked[LOW], prover->one, low, minus, law, prover->one, found->is_r);
  by[HIGH] =
      PV_COMBINE(prover, asked[HIGH], prover->one, high, prover->one, law, minus, found->is_r);
  by[PLACE] = PV_COMBINE(prover, asked[PLACE], minus, found->is_r, pv_neg(prover, found->size),
                         found->is_q);
}

/* the condition `first` or `second` from the three */
static pv_thm asked_back(pv *prover, const pair *found, const ck_id *asked, ck_id cond,
                         bool second) {
  ck_id place = pv_add(prover, pv_mul(prover, found->size, found->q), found->r);
  pv_thm is_place = pv_hyp(prover, asked[PLACE]);
  pv_thm premises[3] = {
      pv_hyp(prover, asked[LOW]), pv_hyp(prover, asked[HIGH]),
      pv_scaled(prover, pv_eq(prover, found->whole, place), pv_num(prover, -1), is_place)};
  pv_thm quotient = pv_divided(prover, found->whole, found->size, found->q, found->r, premises);
  if (quotient == PV_NONE)
    return PV_NONE;
  for (int sign = -1; sign <= 1; sign += 2) {
    ck_id scale = pv_num(prover, sign);
    pv_thm thm = second ? PV_COMBINE(prover, cond, scale, is_place,
                                     pv_mul(prover, scale, found->size), quotient)
                        : pv_scaled(prover, cond, scale, quotient);
    if (thm != PV_NONE)
      return thm;
  }
  return PV_NONE;
}

/* why the chain with the three instead of the two is the same: from the two the three; where one
 * of the two fails, the place is another, or out of its axis */
static bool facts_of(const pv_opened *fold, const pair *found, const ck_id *two, const ck_id *asked,
                     const pv_thm *by, pv_facts *facts) {
  pv *prover = fold->prover;
  for (int i = 0; i < N_ASKED; i++) {
    if (by[i] == PV_NONE)
      return false;
    pv_fact_add_under(prover, facts, by[i], two, 2);
  }
  for (int i = 0; i < 2; i++) {
    pv_thm back = asked_back(prover, found, asked, two[i], i == 1);
    if (back == PV_NONE)
      return false;
    ck_id fails = ck_neg(prover->terms, two[i]);
    ck_id formulas[N_ASKED + 1] = {asked[LOW], asked[HIGH], asked[PLACE], fails};
    pv_add_failing(fold, pv_both_ways(prover, back), &asked[PLACE], 1, formulas, N_ASKED + 1,
                   facts);
  }
  return true;
}

/* the chain with one such pair of conditions as three others, in the place of the first of them;
 * false: there is none */
static bool join_pair(const pv_opened *fold, uint32_t one, uint32_t other, pv_chain *joined,
                      pv_facts *facts) {
  const pv_chain *chain = &fold->chain;
  ck_id two[2] = {chain->cond[one], chain->cond[other]};
  ck_id asked[N_ASKED];
  pv_thm by[N_ASKED];
  pair found;
  if (!pair_of(fold, two[0], two[1], &found))
    return false;
  ask_place(fold->prover, &found, asked, by);
  facts->n = 0;
  if (!facts_of(fold, &found, two, asked, by, facts))
    return false;
  uint32_t begin = one < other ? one : other;
  *joined = *chain;
  joined->n = 0;
  for (uint32_t c = 0; c < chain->n; c++) {
    for (int i = 0; c == begin && i < N_ASKED; i++)
      joined->cond[joined->n++] = asked[i];
    if (c != one && c != other)
      joined->cond[joined->n++] = chain->cond[c];
  }
  return true;
}

bool pv_join_places(const pv_opened *fold, pv_chain *joined, pv_facts *facts) {
  if (fold->chain.n + 1 > PV_MAX_CHAIN)
    return false;
  for (uint32_t one = 0; one < fold->chain.n; one++) {
    for (uint32_t other = 0; other < fold->chain.n; other++) {
      if (one != other && join_pair(fold, one, other, joined, facts))
        return true;
    }
  }
  return false;
}
