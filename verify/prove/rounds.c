/* The one round in which conditions can hold (see pv_rounds.h): read off an equation, off the two
 * ends of a tile, or off the digits of a position. */
#include "pv_rounds.h"
#include <string.h>

/* term = slope * k + rest; false: it is no such, or speaks of the state */
static bool linear(const pv_opened *fold, ck_id term, ck_id *slope, ck_id *rest) {
  pv *prover = fold->prover;
  return !ck_has_var(prover->terms, term, fold->s) &&
         pv_poly_linear(prover, term, fold->k, slope, rest) && *slope != CK_BAD && *rest != CK_BAD;
}

ck_id pv_difference(pv *prover, ck_id relation) {
  ck_id left = ck_kid(prover->terms, relation, 0);
  ck_id right = ck_kid(prover->terms, relation, 1);
  if (!ck_is_int(prover->terms, left) || !ck_is_int(prover->terms, right))
    return CK_BAD;
  return pv_canon(prover, pv_sub(prover, right, left));
}

/* an equation that says which round it is */
static bool by_equation(const pv_opened *fold, pv_round *round) {
  pv *prover = fold->prover;
  for (uint32_t c = 0; c < fold->chain.n; c++) {
    ck_id cond = fold->chain.cond[c];
    ck_id gap = ck_head(prover->terms, cond) == CK_EQ ? pv_difference(prover, cond) : CK_BAD;
    ck_id slope;
    ck_id rest;
    if (gap == CK_BAD || !linear(fold, gap, &slope, &rest))
      continue;
    bool up = pv_is_one(prover, slope);
    if (!up && slope != pv_num(prover, -1))
      continue;
    /* gap = slope*k + rest = 0 */
    round->q = pv_canon(prover, up ? pv_neg(prover, rest) : rest);
    round->first = round->second = c;
    round->is_q = pv_scaled(prover, pv_eq(prover, fold->k, round->q), pv_num(prover, up ? -1 : 1),
                            pv_hyp(prover, cond));
    round->drop_first = round->drop_second = true;
    round->instead = CK_BAD;
    return ck_is_int(prover->terms, round->q) && round->is_q != PV_NONE;
  }
  return false;
}

/* width <= size, where the width is size, or the smaller of size and something; *other: that */
static pv_thm at_most(const pv_opened *fold, ck_id width, ck_id size, ck_id *other) {
  pv *prover = fold->prover;
  const ck_terms *terms = prover->terms;
  ck_id claim = pv_le(prover, width, size);
  *other = CK_BAD;
  if (pv_canon(prover, width) == pv_canon(prover, size))
    return pv_identity(prover, claim);
  if (!ck_is(terms, width, CK_ITE))
    return PV_NONE;
  ck_id cond = ck_kid(terms, width, 0);
  ck_id yes = ck_kid(terms, width, 1);
  ck_id no = ck_kid(terms, width, 2);
  bool smaller = ck_head(terms, cond) == CK_LE && ck_kid(terms, cond, 0) == yes &&
                 ck_kid(terms, cond, 1) == no;
  bool size_first = pv_canon(prover, yes) == pv_canon(prover, size);
  if (!smaller || (!size_first && pv_canon(prover, no) != pv_canon(prover, size)))
    return PV_NONE;
  *other = size_first ? no : yes;
  ck_id not_cond = ck_neg(prover->terms, cond);
  pv_thm hyp = pv_hyp(prover, cond);
  pv_thm no_hyp = pv_hyp(prover, not_cond);
  pv_thm is_yes = pv_law(prover, "ite1", &width, 1, hyp);
  pv_thm is_no = pv_law(prover, "ite0", &width, 1, no_hyp);
  /* width = yes <= no, or width = no < yes */
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, is_yes);
  if (!size_first)
    pv_comb_add(&comb, prover->one, hyp);
  pv_thm first = pv_comb_prove(prover, &comb, claim);
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, is_no);
  if (size_first)
    pv_comb_add(&comb, prover->one, no_hyp);
  return pv_cases(prover, cond, first, pv_comb_prove(prover, &comb, claim));
}

/* how the ends of a tile are looked for: as they stand; or the lower one from the upper, if that
 * speaks of less and the context says that it follows */
typedef enum { AS_THEY_STAND, BY_THE_SIMPLER } ends_way;

/* the two ends of a tile as found in the conditions: 0 <= offset < size */
typedef struct {
  ck_id offset;
  ck_id size;
  ck_id at;    /* offset + size*k */
  ck_id other; /* what the tile ends at if not at its size; CK_BAD: nothing */
  pv_thm not_before;
  pv_thm not_after;
  bool drop_low; /* these hold wherever k is the quotient */
  bool drop_high;
} tile_ends;

/* The two ends where the upper one speaks of less, and `width <= size` follows from the context:
 * the lower condition says more than where the tile begins. */
static bool ends_within(const pv_opened *fold, ck_id lower, ck_id upper, ck_id room,
                        tile_ends *ends) {
  pv *prover = fold->prover;
  ck_id width = pv_canon(prover, pv_add(prover, room, ends->offset));
  ck_id from_high = pv_canon(prover, pv_sub(prover, ends->size, room));
  if (pv_poly_monomials(prover, from_high) >= pv_poly_monomials(prover, ends->offset))
    return false;
  pv_thm fits = pv_follows(prover, fold->ctx, pv_le(prover, width, ends->size));
  ends->offset = from_high;
  ends->at = pv_canon(prover, pv_add(prover, from_high, pv_mul(prover, ends->size, fold->k)));
  ends->not_before = PV_COMBINE(prover, pv_ge0(prover, from_high), prover->one,
                                pv_hyp(prover, lower), prover->one, fits);
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, pv_hyp(prover, upper));
  if (ck_head(prover->terms, upper) == CK_LE)
    pv_comb_add(&comb, prover->one, pv_by_value(prover, pv_gt0(prover, prover->one)));
  ends->not_after = pv_comb_prove(prover, &comb, pv_lt(prover, from_high, ends->size));
  ends->drop_low = false;
  ends->drop_high = true;
  return ends->not_before != PV_NONE && ends->not_after != PV_NONE &&
         !ck_has_var(prover->terms, ends->at, fold->k);
}

static bool read_ends(const pv_opened *fold, ck_id lower, ck_id upper, ends_way way,
                      tile_ends *ends) {
  pv *prover = fold->prover;
  ck_id slope;
  ck_op head = ck_head(prover->terms, upper);
  if (ck_head(prover->terms, lower) != CK_LE ||
      (head != CK_LT && (way == AS_THEY_STAND || head != CK_LE)))
    return false;
  ends->offset = pv_difference(prover, lower);
  ck_id room = pv_difference(prover, upper);
  ends->other = CK_BAD;
  if (ends->offset == CK_BAD || room == CK_BAD || !linear(fold, ends->offset, &slope, &ends->at) ||
      pv_is_zero(prover, slope))
    return false;
  ends->size = pv_canon(prover, pv_neg(prover, slope));
  if (!ck_is_int(prover->terms, ends->size) || !ck_is_int(prover->terms, ends->at))
    return false;
  if (head == CK_LE)
    room = pv_canon(prover, pv_add(prover, room, prover->one));
  if (way != AS_THEY_STAND)
    return ends_within(fold, lower, upper, room, ends);
  ck_id width = pv_canon(prover, pv_add(prover, room, ends->offset));
  pv_thm fits = at_most(fold, width, ends->size, &ends->other);
  if (fits == PV_NONE)
    return false;
  ends->not_before = pv_restate(prover, pv_ge0(prover, ends->offset), pv_hyp(prover, lower));
  ck_id inside = pv_lt(prover, ends->offset, ends->size);
  ends->not_after =
      PV_COMBINE(prover, inside, prover->one, pv_hyp(prover, upper), prover->one, fits);
  ends->drop_low = true;
  ends->drop_high = ends->other == CK_BAD;
  return true;
}

/* the two ends of a tile, 0 <= at - k*size and at - k*size < width <= size: round at div size */
static bool by_tile(const pv_opened *fold, uint32_t low, uint32_t high, ends_way way,
                    pv_round *round) {
  pv *prover = fold->prover;
  tile_ends ends;
  if (!read_ends(fold, fold->chain.cond[low], fold->chain.cond[high], way, &ends))
    return false;
  ck_id size = ends.size;
  ck_id at = ends.at;
  round->first = low;
  round->second = high;
  round->instead = CK_BAD;
  if (pv_is_one(prover, size)) {
    pv_thm at_zero = pv_int(prover, pv_le(prover, ends.offset, prover->zero), ends.not_after);
    pv_thm is_zero = pv_antisym(prover, ends.not_before, at_zero);
    round->q = at;
    round->is_q = pv_scaled(prover, pv_eq(prover, fold->k, at), prover->one, is_zero);
    round->drop_first = ends.drop_low;
    round->drop_second = ends.drop_high;
    return round->is_q != PV_NONE;
  }
  ck_id whole = pv_add(prover, pv_mul(prover, size, fold->k), ends.offset);
  pv_thm premise[3] = {ends.not_before, ends.not_after,
                       pv_identity(prover, pv_eq(prover, at, whole))};
  pv_thm quotient = pv_divided(prover, at, size, fold->k, ends.offset, premise);
  if (quotient == PV_NONE)
    return false;
  round->q = pv_left(prover, quotient);
  round->is_q = pv_sym(prover, quotient);
  bool positive = pv_follows(prover, fold->ctx, pv_gt0(prover, size)) != PV_NONE;
  round->drop_first = positive && ends.drop_low;
  round->drop_second = positive && ends.drop_high;
  /* at - q*size < min(size, end - q*size) says at < end */
  if (positive && ends.other != CK_BAD) {
    ck_id end = pv_canon(prover, pv_add(prover, ends.other, pv_mul(prover, fold->k, size)));
    if (!pv_speaks_of(fold, end))
      round->instead = pv_lt(prover, at, end);
  }
  return true;
}

/* 0 <= gap and gap < width where the width is a number less what is not negative: gap' with the
 * whole number as its width, gap' < number by the same condition; false: it is no such */
static bool widened(const pv_opened *fold, ck_id *gap, ck_id *width, pv_thm *not_before) {
  pv *prover = fold->prover;
  ck_id most = prover->zero;
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, *width);
  for (uint32_t i = 0; i < poly.count; i++) {
    if (poly.monos[i].degree == 0)
      most = poly.monos[i].coef;
  }
  pv_poly_clear(&poly);
  pv_thm fits = pv_const_sign(prover, most) > 0
                    ? pv_follows(prover, fold->ctx, pv_le(prover, *width, most))
                    : PV_NONE;
  if (fits == PV_NONE ||
      ck_head(prover->terms, ck_thm_formula(prover->proof, *not_before)) != CK_LE)
    return false;
  ck_id wider = pv_canon(prover, pv_add(prover, *gap, pv_sub(prover, most, *width)));
  *not_before =
      PV_COMBINE(prover, pv_ge0(prover, wider), prover->one, *not_before, prover->one, fits);
  *gap = wider;
  *width = most;
  return *not_before != PV_NONE;
}

/* 0 <= gap < width from two conditions whose differences add up to a constant, or from an equation
 * (low = high), up to its sign; gap in normal form */
static bool window_of(const pv_opened *fold, pv_ctx ctx, uint32_t low, uint32_t high, int sign,
                      bool wider, pv_window *window) {
  pv *prover = fold->prover;
  ck_id lower = fold->chain.cond[low];
  ck_id upper = fold->chain.cond[high];
  bool equation = ck_head(prover->terms, lower) == CK_EQ;
  bool strict = ck_head(prover->terms, lower) == CK_LT;
  ck_id gap = pv_difference(prover, lower);
  ck_id room = low == high ? pv_canon(prover, pv_neg(prover, gap)) : pv_difference(prover, upper);
  if (equation != (low == high) || ck_head(prover->terms, upper) == CK_NE ||
      ck_head(prover->terms, lower) == CK_NE || gap == CK_BAD || room == CK_BAD)
    return false;
  ck_id all = pv_canon(prover, pv_add(prover, gap, room));
  pv_thm before = pv_hyp(prover, lower);
  if (!pv_is_const(prover, all) && (!wider || !widened(fold, &gap, &all, &before)))
    return false;
  if (!ck_has_var(prover->terms, gap, fold->k) || ck_has_var(prover->terms, gap, fold->s))
    return false;
  ck_id scale = pv_num(prover, sign);
  pv_eqn normal = pv_norm(prover, ctx, pv_mul(prover, scale, gap));
  if (normal.by == PV_NONE || !ck_is_int(prover->terms, normal.to))
    return false;
  if (strict)
    all = pv_const_add(prover, all, pv_num(prover, -1));
  if (ck_head(prover->terms, upper) != CK_LT)
    all = pv_const_add(prover, all, prover->one);
  window->gap = strict ? pv_canon(prover, pv_sub(prover, normal.to, prover->one)) : normal.to;
  if (pv_const_sign(prover, all) <= 0 ||
      !mpz_fits_slong_p(mpq_numref(*ck_q_value(prover->terms, all))))
    return false;
  window->width = mpz_get_si(mpq_numref(*ck_q_value(prover->terms, all)));
  pv_comb comb;
  pv_comb_init(&comb);
  pv_thm tight = pv_tighten(prover, before);
  pv_comb_add(&comb, scale, tight);
  pv_comb_add(&comb, prover->one, normal.by);
  window->not_before = pv_comb_prove(prover, &comb, pv_ge0(prover, window->gap));
  pv_comb_init(&comb);
  pv_comb_add(&comb, pv_neg(prover, scale), equation ? pv_hyp(prover, lower) : PV_REFL);
  pv_comb_add(&comb, prover->one, equation ? PV_REFL : pv_hyp(prover, upper));
  pv_comb_add(&comb, pv_num(prover, -1), normal.by);
  if (ck_head(prover->terms, upper) != CK_LT)
    pv_comb_add(&comb, prover->one, pv_by_value(prover, pv_gt0(prover, prover->one)));
  window->not_after = pv_comb_prove(prover, &comb, pv_lt(prover, window->gap, all));
  return window->not_before != PV_NONE && window->not_after != PV_NONE;
}

/* what is known of round k; with `chain` also its conditions that are orders */
static pv_ctx in_rounds(const pv_opened *fold, bool chain) {
  pv *prover = fold->prover;
  pv_ctx ctx = pv_ctx_push(prover, fold->ctx, pv_ge0(prover, fold->k), CK_BAD);
  ctx = pv_ctx_push(prover, ctx, pv_lt(prover, fold->k, fold->bound), CK_BAD);
  for (uint32_t c = 0; chain && c < fold->chain.n; c++) {
    ck_id cond = fold->chain.cond[c];
    ck_op head = ck_head(prover->terms, cond);
    if ((head == CK_LE || head == CK_LT) && pv_difference(prover, cond) != CK_BAD &&
        !ck_has_var(prover->terms, cond, fold->s))
      ctx = pv_ctx_push(prover, ctx, cond, CK_BAD);
  }
  return ctx;
}

/* how digits are looked for: as the conditions stand; with a lower end from the upper one; by what
 * else there is */
typedef enum { AS_DIGITS_STAND, WIDER, RELATIVE } digits_way;

/* the round by its digits, in what is a part of a sum of digits */
static bool by_digits(const pv_opened *fold, pv_ctx ctx, uint32_t low, uint32_t high,
                      digits_way way, pv_round *round) {
  pv *prover = fold->prover;
  for (int sign = 1; sign >= (low == high ? -1 : 1); sign -= 2) {
    pv_window window = {.relative = way == RELATIVE};
    if (!window_of(fold, ctx, low, high, sign, way == WIDER, &window))
      continue;
    round->q = pv_digits_solve(prover, ctx, fold->k, &window, &round->is_q, &round->also);
    round->first = low;
    round->second = high;
    round->drop_first = round->drop_second = false;
    round->instead = CK_BAD;
    if (round->q != CK_BAD)
      return true;
  }
  return false;
}

static bool by_some_tile(const pv_opened *fold, ends_way way, pv_round *round) {
  for (uint32_t low = 0; low < fold->chain.n; low++) {
    for (uint32_t high = 0; high < fold->chain.n; high++) {
      if (low != high && by_tile(fold, low, high, way, round))
        return true;
    }
  }
  return false;
}

static bool by_some_digits(const pv_opened *fold, digits_way way, pv_round *round) {
  for (int chain = 0; chain < 2; chain++) {
    pv_ctx ctx = in_rounds(fold, chain > 0);
    for (uint32_t low = 0; low < fold->chain.n; low++) {
      for (uint32_t high = 0; high < fold->chain.n; high++) {
        if (by_digits(fold, ctx, low, high, way, round))
          return true;
      }
    }
  }
  return false;
}

bool pv_find_round(const pv_opened *fold, pv_round *round) {
  round->also.n = 0;
  return by_equation(fold, round) || by_some_tile(fold, AS_THEY_STAND, round) ||
         by_some_digits(fold, AS_DIGITS_STAND, round) ||
         by_some_tile(fold, BY_THE_SIMPLER, round) || by_some_digits(fold, WIDER, round) ||
         by_some_digits(fold, RELATIVE, round);
}
