/* Folds in which few rounds change anything (see pv_loops.h): stores over lanes, and loops whose
 * iterations store to different places.  A round that changes the state does so under conditions;
 * those that do not speak of the round are taken out, and where the others hold in one round alone,
 * which is read off an equation or off the two ends of a tile, the fold is the choice of that
 * round. */
#include "pv_digits.h"
#include "pv_loops.h"
#include <stdio.h>
#include <string.h>

typedef struct {
  pv *prover;
  pv_ctx ctx;
  ck_id fold;
  ck_id bound;
  ck_id base;
  ck_id k;
  ck_id s;
  ck_id step;
  pv_chain chain;
} opened;

static bool speaks_of(const opened *fold, ck_id term) {
  return ck_has_var(fold->prover->terms, term, fold->k) ||
         ck_has_var(fold->prover->terms, term, fold->s);
}

static ck_id with_step(const opened *fold, ck_id step) {
  return pv_fold1(fold->prover, fold->bound, fold->base, fold->k, fold->s, step);
}

/* the fold with that step, from a theorem that says it is the same */
static pv_eqn other_step(const opened *fold, ck_id step, pv_thm same) {
  ck_id vars[2] = {fold->k, fold->s};
  ck_id to = with_step(fold, step);
  if (to == fold->fold)
    return pv_same(to);
  pv_thm thm = pv_foldcong(fold->prover, fold->fold, to, vars, 2, &same, 1);
  return thm == PV_NONE ? pv_fail() : (pv_eqn){to, thm};
}

/* its step changes nothing */
static pv_thm kept(const opened *fold) {
  pv_var_sub vars[2] = {{pv_int_var(fold->prover, "n"), fold->bound},
                        {pv_real_var(fold->prover, "b"), fold->base}};
  return pv_use_lemma(fold->prover, PV_KEEP, vars, 2, NULL, 0, NULL, 0);
}

/* its step does not read the state */
static pv_eqn last(const opened *fold) {
  pv *prover = fold->prover;
  pv_var_sub vars[2] = {{pv_int_var(prover, "n"), fold->bound},
                        {pv_real_var(prover, "b"), fold->base}};
  ck_fsub f = pv_fun_sub(prover, "f", &fold->k, fold->step);
  pv_thm thm = pv_use_lemma(prover, PV_LAST, vars, 2, &f, 1, NULL, 0);
  return thm == PV_NONE ? pv_fail() : (pv_eqn){pv_right(prover, thm), thm};
}

/* --- conditions that do not speak of the round */
typedef struct {
  const opened *fold;
  pv_chain out; /* over what remains, or the base */
  ck_id inner;  /* the fold that remains */
  ck_id whole;
} hoisting;

/* the fold is the chain, where the first i conditions hold */
static pv_thm hoisted(const hoisting *h, uint32_t i) {
  const opened *fold = h->fold;
  pv *prover = fold->prover;
  pv_facts facts = {.n = 0};
  for (uint32_t c = 0; c < i; c++)
    pv_fact_add(&facts, h->out.cond[c], pv_hyp(prover, h->out.cond[c]), CK_BAD, CK_BAD);
  bool all = i == h->out.n;
  ck_id rest = fold->s;
  if (all) {
    pv_chain remaining = fold->chain;
    remaining.n = 0;
    for (uint32_t c = 0; c < fold->chain.n; c++) {
      if (speaks_of(fold, fold->chain.cond[c]))
        remaining.cond[remaining.n++] = fold->chain.cond[c];
    }
    rest = pv_chain_term(prover, &remaining);
  } else {
    ck_id cond = h->out.cond[i];
    pv_thm yes = hoisted(h, i + 1);
    ck_id no_cond = ck_neg(prover->terms, cond);
    pv_fact_add(&facts, no_cond, pv_hyp(prover, no_cond), CK_BAD, CK_BAD);
    pv_thm same = pv_same_by_cases(prover, fold->step, rest, &facts);
    pv_eqn to = same == PV_NONE ? pv_fail() : other_step(fold, rest, same);
    if (yes == PV_NONE || to.by == PV_NONE)
      return PV_NONE;
    pv_thm no = pv_trans(prover, pv_trans(prover, to.by, kept(fold)),
                         pv_same_by_cases(prover, fold->base, h->whole, &facts));
    return pv_cases(prover, cond, yes, no);
  }
  pv_thm same = pv_same_by_cases(prover, fold->step, rest, &facts);
  pv_eqn to = same == PV_NONE ? pv_fail() : other_step(fold, rest, same);
  if (to.by == PV_NONE)
    return PV_NONE;
  return pv_trans(prover, to.by, pv_same_by_cases(prover, to.to, h->whole, &facts));
}

static pv_eqn hoist(const opened *fold) {
  pv *prover = fold->prover;
  hoisting h = {.fold = fold, .out = {.other = fold->base}};
  pv_chain remaining = fold->chain;
  remaining.n = 0;
  for (uint32_t c = 0; c < fold->chain.n; c++) {
    if (speaks_of(fold, fold->chain.cond[c]))
      remaining.cond[remaining.n++] = fold->chain.cond[c];
    else
      h.out.cond[h.out.n++] = fold->chain.cond[c];
  }
  if (h.out.n == 0)
    return pv_same(fold->fold);
  h.inner = with_step(fold, pv_chain_term(prover, &remaining));
  h.out.value = h.inner;
  h.whole = pv_chain_term(prover, &h.out);
  pv_thm thm = hoisted(&h, 0);
  if (thm == PV_NONE)
    return pv_fail();
  pv_eqn inner = pv_tidy_fold(prover, fold->ctx, h.inner);
  if (inner.by == PV_NONE || inner.by == PV_REFL)
    return inner.by == PV_NONE ? pv_fail() : (pv_eqn){h.whole, thm};
  pv_eqn tidy = pv_rewrite(prover, h.whole, &h.inner, &inner.by, 1);
  return pv_then(prover, (pv_eqn){h.whole, thm}, tidy);
}

/* --- the one round */
/* in which round, why conditions say so, and what follows of it */
typedef struct {
  ck_id q;
  uint32_t first; /* numbers of the conditions */
  uint32_t second;
  pv_thm is_q;     /* k = q, from these conditions */
  bool drop_first; /* that condition is left out of what is chosen: it holds there */
  bool drop_second;
  ck_id instead;        /* of the second condition; CK_BAD: it stays */
  pv_consequences also; /* what follows from both and can stand in their place */
} round_of;

/* term = slope * k + rest; false: it is no such, or speaks of the state */
static bool linear(const opened *fold, ck_id term, ck_id *slope, ck_id *rest) {
  pv *prover = fold->prover;
  return !ck_has_var(prover->terms, term, fold->s) &&
         pv_poly_linear(prover, term, fold->k, slope, rest) && *slope != CK_BAD && *rest != CK_BAD;
}

/* the difference of a relation's sides, if both are integers; else CK_BAD */
static ck_id difference(pv *prover, ck_id relation) {
  ck_id left = ck_kid(prover->terms, relation, 0);
  ck_id right = ck_kid(prover->terms, relation, 1);
  if (!ck_is_int(prover->terms, left) || !ck_is_int(prover->terms, right))
    return CK_BAD;
  return pv_canon(prover, pv_sub(prover, right, left));
}

/* an equation that says which round it is */
static bool by_equation(const opened *fold, round_of *round) {
  pv *prover = fold->prover;
  for (uint32_t c = 0; c < fold->chain.n; c++) {
    ck_id cond = fold->chain.cond[c];
    ck_id gap = ck_head(prover->terms, cond) == CK_EQ ? difference(prover, cond) : CK_BAD;
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
static pv_thm at_most(const opened *fold, ck_id width, ck_id size, ck_id *other) {
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
static bool ends_within(const opened *fold, ck_id lower, ck_id upper, ck_id room, tile_ends *ends) {
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

static bool read_ends(const opened *fold, ck_id lower, ck_id upper, ends_way way, tile_ends *ends) {
  pv *prover = fold->prover;
  ck_id slope;
  ck_op head = ck_head(prover->terms, upper);
  if (ck_head(prover->terms, lower) != CK_LE ||
      (head != CK_LT && (way == AS_THEY_STAND || head != CK_LE)))
    return false;
  ends->offset = difference(prover, lower);
  ck_id room = difference(prover, upper);
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
static bool by_tile(const opened *fold, uint32_t low, uint32_t high, ends_way way,
                    round_of *round) {
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
    if (!speaks_of(fold, end))
      round->instead = pv_lt(prover, at, end);
  }
  return true;
}

/* 0 <= gap and gap < width where the width is a number less what is not negative: gap' with the
 * whole number as its width, gap' < number by the same condition; false: it is no such */
static bool widened(const opened *fold, ck_id *gap, ck_id *width, pv_thm *not_before) {
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
static bool window_of(const opened *fold, pv_ctx ctx, uint32_t low, uint32_t high, int sign,
                      bool wider, pv_window *window) {
  pv *prover = fold->prover;
  ck_id lower = fold->chain.cond[low];
  ck_id upper = fold->chain.cond[high];
  bool equation = ck_head(prover->terms, lower) == CK_EQ;
  bool strict = ck_head(prover->terms, lower) == CK_LT;
  ck_id gap = difference(prover, lower);
  ck_id room = low == high ? pv_canon(prover, pv_neg(prover, gap)) : difference(prover, upper);
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
static pv_ctx in_rounds(const opened *fold, bool chain) {
  pv *prover = fold->prover;
  pv_ctx ctx = pv_ctx_push(prover, fold->ctx, pv_ge0(prover, fold->k), CK_BAD);
  ctx = pv_ctx_push(prover, ctx, pv_lt(prover, fold->k, fold->bound), CK_BAD);
  for (uint32_t c = 0; chain && c < fold->chain.n; c++) {
    ck_id cond = fold->chain.cond[c];
    ck_op head = ck_head(prover->terms, cond);
    if ((head == CK_LE || head == CK_LT) && difference(prover, cond) != CK_BAD &&
        !ck_has_var(prover->terms, cond, fold->s))
      ctx = pv_ctx_push(prover, ctx, cond, CK_BAD);
  }
  return ctx;
}

/* how digits are looked for: as the conditions stand; with a lower end from the upper one; by what
 * else there is */
typedef enum { AS_DIGITS_STAND, WIDER, RELATIVE } digits_way;

/* the round by its digits, in what is a part of a sum of digits */
static bool by_digits(const opened *fold, pv_ctx ctx, uint32_t low, uint32_t high, digits_way way,
                      round_of *round) {
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

static bool by_some_tile(const opened *fold, ends_way way, round_of *round) {
  for (uint32_t low = 0; low < fold->chain.n; low++) {
    for (uint32_t high = 0; high < fold->chain.n; high++) {
      if (low != high && by_tile(fold, low, high, way, round))
        return true;
    }
  }
  return false;
}

static bool by_some_digits(const opened *fold, digits_way way, round_of *round) {
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

static bool find_round(const opened *fold, round_of *round) {
  round->also.n = 0;
  return by_equation(fold, round) || by_some_tile(fold, AS_THEY_STAND, round) ||
         by_some_digits(fold, AS_DIGITS_STAND, round) ||
         by_some_tile(fold, BY_THE_SIMPLER, round) || by_some_digits(fold, WIDER, round) ||
         by_some_digits(fold, RELATIVE, round);
}

/* a falsehood that rests on some of the conditions: each fails where the others of these, and what
 * else it rests on among the formulas, hold */
static void add_failing(const opened *fold, pv_thm absurd, const ck_id *cond, uint32_t n_cond,
                        const ck_id *formulas, uint32_t n, pv_facts *facts) {
  pv *prover = fold->prover;
  bool order =
      absurd != PV_NONE && ck_head(prover->terms, ck_thm_formula(prover->proof, absurd)) == CK_LT;
  for (uint32_t i = 0; i < n_cond; i++) {
    ck_id fails = ck_neg(prover->terms, cond[i]);
    if (!pv_rests_on(prover, absurd, cond[i]))
      continue;
    pv_thm false_here = order ? pv_from_zero_below_zero(prover, fails, absurd)
                              : pv_from_zero_differs(prover, fails, absurd);
    pv_thm thm = pv_cases(prover, cond[i], false_here, pv_hyp(prover, fails));
    pv_fact_add_under(prover, facts, thm, formulas, n);
  }
}

/* the step changes nothing but in round q */
static pv_thm only_there(const opened *fold, const round_of *round, ck_id chosen) {
  pv *prover = fold->prover;
  ck_id is_q = pv_eq(prover, fold->k, round->q);
  ck_id is_not = ck_neg(prover->terms, is_q);
  ck_id formulas[PV_MAX_CHAIN + 1];
  uint32_t n = 0;
  for (uint32_t c = 0; c < fold->chain.n; c++)
    formulas[n++] = fold->chain.cond[c];
  formulas[n++] = is_not;
  pv_facts facts = {.n = 0};
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, pv_hyp(prover, is_not));
  pv_comb_add(&comb, pv_num(prover, -1), round->is_q);
  pv_thm absurd = pv_comb_prove(prover, &comb, pv_ne0(prover, prover->zero));
  add_failing(fold, absurd, fold->chain.cond, fold->chain.n, formulas, n, &facts);
  return pv_sym(prover, pv_same_by_cases(prover, chosen, fold->step, &facts));
}

/* a condition in round q, which holds there; of a tile by what quotients are */
static pv_thm holds_there(const opened *fold, const round_of *round, ck_id cond) {
  pv *prover = fold->prover;
  ck_id gap = difference(prover, cond);
  pv_thm value = gap == CK_BAD || !pv_is_const(prover, gap) ? PV_NONE : pv_by_value(prover, cond);
  pv_thm same = gap == CK_BAD ? PV_NONE : pv_identity(prover, cond);
  if (ck_head(prover->terms, cond) == CK_EQ)
    return same;
  if (ck_head(prover->terms, round->q) != CK_DIV) {
    pv_summand one = {gap, NULL, 0};
    return value != PV_NONE                            ? value
           : gap != CK_BAD && pv_is_const(prover, gap) ? pv_arith(prover, cond, &one, 1)
                                                       : PV_NONE;
  }
  ck_id at = ck_kid(prover->terms, round->q, 0);
  ck_id size = ck_kid(prover->terms, round->q, 1);
  pv_thm positive = pv_follows(prover, fold->ctx, pv_gt0(prover, size));
  bool low = ck_head(prover->terms, cond) == CK_LE;
  /* at = size*q + rest, 0 <= rest < size */
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, pv_num(prover, low ? -1 : 1), pv_law2(prover, "div", at, size, positive));
  pv_comb_add(&comb, prover->one, pv_law2(prover, low ? "mod>" : "mod<", at, size, positive));
  return pv_comb_prove(prover, &comb, cond);
}

/* at - q*size < min(size, end - q*size) from at < end, and its negation from that of at < end */
static void cut_off(const opened *fold, const round_of *round, ck_id cond, pv_facts *facts) {
  pv *prover = fold->prover;
  const ck_terms *terms = prover->terms;
  ck_id not_cond = ck_neg(prover->terms, cond);
  ck_id until = round->instead;
  ck_id beyond = ck_neg(prover->terms, until);
  ck_id room = pv_canon(prover, pv_sub(prover, ck_kid(terms, cond, 1), ck_kid(terms, cond, 0)));
  /* the smaller of two: a node in the difference of the sides */
  ck_id width = CK_BAD;
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, room);
  for (uint32_t i = 0; i < poly.count; i++) {
    if (poly.monos[i].degree == 1 && ck_is(terms, poly.monos[i].atoms[0], CK_ITE))
      width = poly.monos[i].atoms[0];
  }
  pv_poly_clear(&poly);
  if (width == CK_BAD)
    return;
  ck_id at = ck_kid(terms, round->q, 0);
  ck_id size = ck_kid(terms, round->q, 1);
  pv_thm positive = pv_follows(prover, fold->ctx, pv_gt0(prover, size));
  ck_id choice = ck_kid(terms, width, 0);
  pv_thm law[2] = {
      pv_law(prover, "ite1", &width, 1, pv_hyp(prover, choice)),
      pv_law(prover, "ite0", &width, 1, pv_hyp(prover, ck_neg(prover->terms, choice)))};
  pv_thm inside[2];
  pv_thm outside[2];
  for (int i = 0; i < 2; i++) {
    bool is_size =
        pv_canon(prover, ck_kid(terms, width, 1 + (uint32_t)i)) == pv_canon(prover, size);
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add(&comb, pv_num(prover, -1), law[i]);
    if (is_size) {
      pv_comb_add(&comb, prover->one, pv_law2(prover, "div", at, size, positive));
      pv_comb_add(&comb, prover->one, pv_law2(prover, "mod<", at, size, positive));
    } else {
      pv_comb_add(&comb, prover->one, pv_hyp(prover, until));
    }
    inside[i] = pv_comb_prove(prover, &comb, cond);
    pv_comb_init(&comb);
    pv_comb_add(&comb, prover->one, law[i]);
    pv_comb_add(&comb, prover->one, pv_hyp(prover, beyond));
    if (is_size) { /* then it is not more than the rest up to the end */
      pv_thm smaller = pv_hyp(prover, i ? ck_neg(prover->terms, choice) : choice);
      pv_comb_add(&comb, prover->one, smaller);
    }
    outside[i] = pv_comb_prove(prover, &comb, not_cond);
  }
  pv_fact_add(facts, cond, pv_cases(prover, choice, inside[0], inside[1]), until, CK_BAD);
  pv_fact_add(facts, not_cond, pv_cases(prover, choice, outside[0], outside[1]), beyond, CK_BAD);
}

static ck_id in_round(const opened *fold, const round_of *round, ck_id term) {
  ck_id from[2] = {fold->k, fold->s};
  ck_id to[2] = {round->q, fold->base};
  return ck_sub(fold->prover->terms, term, from, to, 2, NULL, 0);
}

/* a theorem about round k, of round q; PV_NONE: it rests on something else of the round than its
 * conditions and its range */
static pv_thm there(const opened *fold, const round_of *round, pv_thm thm) {
  pv *prover = fold->prover;
  uint32_t n;
  if (thm == PV_NONE)
    return PV_NONE;
  const ck_id *hyps = ck_thm_hyps(prover->proof, thm, &n);
  ck_id range[2] = {pv_ge0(prover, fold->k), pv_lt(prover, fold->k, fold->bound)};
  for (uint32_t i = 0; i < n; i++) {
    bool found = !speaks_of(fold, hyps[i]) || hyps[i] == range[0] || hyps[i] == range[1];
    for (uint32_t c = 0; c < fold->chain.n; c++)
      found = found || hyps[i] == fold->chain.cond[c];
    if (!found)
      return PV_NONE;
  }
  pv_var_sub sub = {fold->k, round->q};
  return pv_inst(prover, thm, &sub, 1, NULL, 0, NULL, 0);
}

/* the formula and its negation: a falsehood, 0 < 0 or 0 # 0 */
static pv_thm both_ways(pv *prover, pv_thm thm) {
  ck_id formula = ck_thm_formula(prover->proof, thm);
  bool equation = ck_head(prover->terms, formula) == CK_EQ;
  ck_id claim = pv_rel(prover, equation ? CK_NE : CK_LT, prover->zero, prover->zero);
  return PV_COMBINE(prover, claim, prover->one, pv_hyp(prover, ck_neg(prover->terms, formula)),
                    pv_num(prover, equation ? -1 : 1), thm);
}

/* What follows from the conditions that say which round it is, in round q: added to the chain, with
 * why; stands[i]: the condition stands beside it, as it says more.  false: it is not found. */
static bool by_consequences(const opened *fold, const round_of *round, pv_chain *chain,
                            bool stands[2], pv_facts *facts) {
  pv *prover = fold->prover;
  ck_id formulas[PV_MAX_CHAIN + 3];
  ck_id also[PV_MOST_CONSEQUENCES];
  uint32_t n_cond = fold->chain.n;
  uint32_t n = n_cond;
  if (round->also.n == 0)
    return false;
  for (uint32_t c = 0; c < n_cond; c++)
    formulas[c] = in_round(fold, round, fold->chain.cond[c]);
  formulas[n++] = pv_ge0(prover, round->q);
  formulas[n++] = pv_lt(prover, round->q, fold->bound);
  pv_ctx ctx = pv_ctx_push(prover, fold->ctx, formulas[n_cond], CK_BAD);
  ctx = pv_ctx_push(prover, ctx, formulas[n_cond + 1], CK_BAD);
  for (uint32_t g = 0; g < round->also.n; g++) {
    pv_thm thm = there(fold, round, round->also.thm[g]);
    if (thm == PV_NONE)
      return false;
    also[g] = ck_thm_formula(prover->proof, thm);
    ctx = pv_ctx_push(prover, ctx, also[g], CK_BAD);
    formulas[n] = ck_neg(prover->terms, also[g]);
    add_failing(fold, both_ways(prover, thm), formulas, n_cond, formulas, n + 1, facts);
  }
  ck_id cond[2] = {formulas[round->first], formulas[round->second]};
  for (uint32_t i = 0; i < (cond[0] == cond[1] ? 1 : 2); i++) {
    pv_thm holds = pv_follows(prover, ctx, cond[i]);
    stands[i] = holds == PV_NONE;
    if (stands[i])
      continue;
    ck_id under[PV_MOST_CONSEQUENCES + 2] = {formulas[n_cond], formulas[n_cond + 1]};
    memcpy(under + 2, also, round->also.n * sizeof *also);
    pv_fact_add_under(prover, facts, holds, under, round->also.n + 2);
  }
  for (uint32_t g = 0; g < round->also.n; g++)
    chain->cond[chain->n++] = also[g];
  return true;
}

/* the choice of round q, without the conditions that say that it is that round */
static pv_eqn tidy_choice(const opened *fold, const round_of *round, ck_id choice) {
  pv *prover = fold->prover;
  pv_chain chain = {.other = fold->base, .n = 0};
  pv_facts facts = {.n = 0};
  if (fold->chain.n + 2 + PV_MOST_CONSEQUENCES > PV_MAX_CHAIN)
    return pv_same(choice);
  bool stands[2] = {false, false};
  bool replaced = by_consequences(fold, round, &chain, stands, &facts);
  if (!replaced)
    facts.n = 0;
  if (round->first == round->second)
    stands[1] = stands[0];
  for (uint32_t c = 0; c < fold->chain.n; c++) {
    ck_id cond = in_round(fold, round, fold->chain.cond[c]);
    bool first = c == round->first && !stands[0];
    bool second = c == round->second && !stands[1];
    if (replaced && (first || second))
      continue;
    bool drop =
        (c == round->first && round->drop_first) || (c == round->second && round->drop_second);
    pv_thm holds = drop ? holds_there(fold, round, cond) : PV_NONE;
    if (holds != PV_NONE) {
      pv_fact_add(&facts, cond, holds, CK_BAD, CK_BAD);
    } else if (c == round->second && round->instead != CK_BAD) {
      cut_off(fold, round, cond, &facts);
      chain.cond[chain.n++] = round->instead;
    } else {
      chain.cond[chain.n++] = cond;
    }
  }
  /* last, as they often follow from the others */
  chain.cond[chain.n++] = pv_ge0(prover, round->q);
  chain.cond[chain.n++] = pv_lt(prover, round->q, fold->bound);
  chain.value = in_round(fold, round, fold->chain.value);
  ck_id to = pv_chain_term(prover, &chain);
  pv_thm thm = pv_sym(prover, pv_same_by_cases(prover, to, choice, &facts));
  if (thm == PV_NONE)
    return pv_same(choice);
  pv_eqn eqn = {to, thm};
  if (replaced) { /* what they say is needed in what follows */
    pv_eqn tidy = pv_choices_under(prover, fold->ctx, to);
    eqn = tidy.by == PV_NONE ? eqn : pv_then(prover, eqn, tidy);
  }
  return eqn;
}

static pv_eqn select_round(const opened *fold) {
  pv *prover = fold->prover;
  round_of round;
  if (!find_round(fold, &round))
    return pv_same(fold->fold);
  ck_id is_q = pv_eq(prover, fold->k, round.q);
  ck_id chosen = ck_ite(prover->terms, is_q, fold->step, fold->s);
  pv_thm same = only_there(fold, &round, chosen);
  pv_eqn eqn = same == PV_NONE ? pv_fail() : other_step(fold, chosen, same);
  ck_id parameters[2] = {fold->k, fold->s};
  pv_var_sub vars[3] = {{pv_int_var(prover, "n"), fold->bound},
                        {pv_int_var(prover, "q"), round.q},
                        {pv_real_var(prover, "b"), fold->base}};
  ck_fsub f = {ck_word(prover->terms, "f"), ck_word(prover->terms, "ir:r"), parameters, 2,
               fold->step};
  pv_thm lemma = pv_use_lemma(prover, PV_SELECT, vars, 3, &f, 1, NULL, 0);
  if (eqn.by == PV_NONE || lemma == PV_NONE)
    return pv_same(fold->fold);
  eqn = pv_then(prover, eqn, (pv_eqn){pv_right(prover, lemma), lemma});
  return pv_then(prover, eqn, tidy_choice(fold, &round, eqn.to));
}

/* the fold whose step is the chain that it was read as */
static pv_eqn straightened(opened *fold) {
  pv *prover = fold->prover;
  ck_id step = pv_chain_term(prover, &fold->chain);
  pv_facts none = {.n = 0};
  if (step == fold->step)
    return pv_same(fold->fold);
  pv_thm same = pv_same_by_cases(prover, fold->step, step, &none);
  pv_eqn eqn = same == PV_NONE ? pv_fail() : other_step(fold, step, same);
  fold->step = step;
  fold->fold = eqn.to;
  return eqn;
}

static pv_eqn tidy_chain(const opened *fold) {
  for (uint32_t c = 0; c < fold->chain.n; c++) {
    if (!speaks_of(fold, fold->chain.cond[c]))
      return hoist(fold);
  }
  return select_round(fold);
}

pv_eqn pv_tidy_fold(pv *prover, pv_ctx ctx, ck_id term) {
  char name[24];
  opened fold = {.prover = prover, .ctx = ctx, .fold = term};
  if (!ck_is(prover->terms, term, CK_FOLD) || ck_width(prover->terms, term) != 1)
    return pv_same(term);
  snprintf(name, sizeof name, "$$t%u", term);
  fold.k = pv_int_var(prover, name);
  snprintf(name, sizeof name, "$$u%u", term);
  fold.s = pv_real_var(prover, name);
  fold.bound = ck_kid(prover->terms, term, 0);
  fold.base = ck_kid(prover->terms, term, 1);
  ck_id vars[2] = {fold.k, fold.s};
  fold.step = ck_open(prover->terms, ck_kid(prover->terms, term, 2), vars, 2);
  if (fold.step == fold.s) {
    pv_thm thm = kept(&fold);
    return thm == PV_NONE ? pv_fail() : (pv_eqn){fold.base, thm};
  }
  if (!ck_has_var(prover->terms, fold.step, fold.s))
    return last(&fold);
  fold.chain = pv_chain_read(prover, fold.step, fold.s);
  if (fold.chain.n == 0)
    return pv_same(term);
  pv_eqn straight = straightened(&fold);
  pv_eqn tidy = straight.by == PV_NONE ? pv_same(fold.fold) : tidy_chain(&fold);
  /* straightening alone is no progress: the normal form of the step would undo it */
  return tidy.by == PV_REFL ? pv_same(term) : pv_then(prover, straight, tidy);
}
