/* The round of a fold that conditions tell by quotients and remainders (see pv_rounds.h).
 *
 * An element of several axes is stored at `e div c` of one axis and at `e mod c` of the next, and
 * an instance's number is taken apart into those of its tiles.  No such condition says by itself
 * which round it is; they are brought together by four equivalences, each proved here:
 *
 *   a pair       e div c = q  and  e - c*(e div c) = r      is  0 <= r,  r < c  and  e = c*q + r
 *   a window     0 <= a - w*X  and  a - w*X < w             is  X = a div w
 *   .. cut off   0 <= a - w*X  and  a - w*X < v, v <= w     is  X = a div w  and  a - w*X < v
 *   a quotient that is known, e div c = q, in the other conditions
 *
 * where c is positive and w a number.  Of more than two axes the last two are joined first: what is
 * left of e then stands beside the quotient of the axis before. */
#include "pv_rounds.h"

/* a chain is what another one is, by the facts */
typedef struct {
  const pv_opened *fold;
  pv_ctx inside; /* with the range of the round */
  pv_chain *to;
  pv_facts *facts;
} joining;

/* --- parts of all four */
/* the value of an equation of integers; CK_BAD: the relation is no such */
static ck_id equated(pv *prover, ck_id relation) {
  return ck_head(prover->terms, relation) == CK_EQ ? pv_difference(prover, relation) : CK_BAD;
}

/* term = factor*atom + rest, where the rest is without it */
static bool apart(pv *prover, ck_id term, ck_id atom, ck_id *factor, ck_id *rest) {
  return pv_poly_linear(prover, term, atom, factor, rest) && *factor != CK_BAD && *rest != CK_BAD &&
         !pv_is_zero(prover, *factor) && !pv_occurs(prover, *rest, atom) &&
         !pv_occurs(prover, *factor, atom);
}

/* an atom of the integer term that is a choice; CK_BAD: none */
static ck_id choice_in(pv *prover, ck_id term) {
  ck_id found = CK_BAD;
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, term);
  for (uint32_t i = 0; i < poly.count && found == CK_BAD; i++) {
    if (poly.monos[i].degree == 1 && ck_is(prover->terms, poly.monos[i].atoms[0], CK_ITE))
      found = poly.monos[i].atoms[0];
  }
  pv_poly_clear(&poly);
  return found;
}

/* 0 <= term, by cases where it has a choice */
static pv_thm nonneg_by_cases(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id claim = pv_ge0(prover, term);
  pv_thm thm = pv_follows(prover, ctx, claim);
  ck_id choice = thm == PV_NONE ? choice_in(prover, term) : CK_BAD;
  ck_id factor;
  ck_id rest;
  if (choice == CK_BAD || !apart(prover, term, choice, &factor, &rest))
    return thm;
  ck_id cond = ck_kid(prover->terms, choice, 0);
  pv_thm part[2];
  for (uint32_t i = 0; i < 2; i++) {
    ck_id here = i ? ck_neg(prover->terms, cond) : cond;
    ck_id branch = ck_kid(prover->terms, choice, 1 + i);
    ck_id there = pv_canon(prover, pv_add(prover, rest, pv_mul(prover, factor, branch)));
    pv_thm law = pv_law(prover, i ? "ite0" : "ite1", &choice, 1, pv_hyp(prover, here));
    part[i] = pv_follows(prover, pv_ctx_push(prover, ctx, here, CK_BAD), pv_ge0(prover, there));
    part[i] = PV_COMBINE(prover, claim, prover->one, part[i], pv_neg(prover, factor), law);
  }
  return pv_cases(prover, cond, part[0], part[1]);
}

/* cond, which the theorem concludes from conditions of the new chain: where it fails, the last one
 * of these fails if the others hold */
static bool add_back(const joining *join, pv_thm back, ck_id cond, const ck_id *asked, uint32_t n) {
  enum { MOST = 4 };

  pv *prover = join->fold->prover;
  ck_id formulas[MOST];
  if (back == PV_NONE || n >= MOST)
    return false;
  for (uint32_t i = 0; i < n; i++)
    formulas[i] = asked[i];
  formulas[n] = ck_neg(prover->terms, cond);
  pv_add_failing(join->fold, pv_both_ways(prover, back), &asked[n - 1], 1, formulas, n + 1,
                 join->facts);
  return true;
}

/* the chain with n conditions in the place of the first of two */
static void replace_two(const joining *join, uint32_t one, uint32_t other, const ck_id *asked,
                        uint32_t n) {
  const pv_chain *chain = &join->fold->chain;
  uint32_t begin = one < other ? one : other;
  *join->to = *chain;
  join->to->n = 0;
  for (uint32_t c = 0; c < chain->n; c++) {
    for (uint32_t i = 0; c == begin && i < n; i++)
      join->to->cond[join->to->n++] = asked[i];
    if (c != one && c != other)
      join->to->cond[join->to->n++] = chain->cond[c];
  }
}

/* --- pairs */
typedef struct {
  ck_id quotient; /* e div c */
  ck_id whole;    /* e */
  ck_id size;     /* c */
  ck_id q;
  ck_id r;
  ck_id of_rest; /* the second condition's value is this times r - e + c*quotient .. */
  ck_id of_mod;  /* .. or this times e mod c - r; the other one is CK_BAD */
  pv_thm law;    /* e = c*quotient + e mod c */
  pv_thm size_pos;
  pv_thm is_q; /* quotient = q, by the first condition */
  pv_thm is_r; /* e - c*quotient = r, by the second one */
} pair;

enum { LOW, HIGH, PLACE, N_ASKED };

static ck_id what_is_left(pv *prover, const pair *found) {
  return pv_sub(prover, found->whole, pv_mul(prover, found->size, found->quotient));
}

static ck_id place_of(pv *prover, const pair *found) {
  return pv_add(prover, pv_mul(prover, found->size, found->q), found->r);
}

/* what the second condition says is left */
static bool read_rest(pv *prover, ck_id second, pair *found) {
  ck_id factor;
  ck_id rest;
  ck_id minus = pv_num(prover, -1);
  ck_id value = equated(prover, second);
  ck_id mod = ck_mk2(prover->terms, CK_MOD, found->whole, found->size);
  ck_id claim;
  found->of_mod = found->of_rest = CK_BAD;
  if (value == CK_BAD)
    return false;
  if (apart(prover, value, mod, &factor, &rest) && !pv_occurs(prover, rest, found->quotient) &&
      (pv_is_one(prover, factor) || factor == minus)) {
    found->of_mod = factor;
    found->r = pv_canon(prover, pv_mul(prover, pv_neg(prover, factor), rest));
    claim = pv_eq(prover, what_is_left(prover, found), found->r);
    found->is_r = PV_COMBINE(prover, claim, prover->one, found->law, pv_neg(prover, factor),
                             pv_hyp(prover, second));
    return found->is_r != PV_NONE;
  }
  if (!apart(prover, value, found->quotient, &factor, &rest))
    return false;
  bool same = pv_canon(prover, found->size) == factor;
  if (!same && pv_canon(prover, pv_neg(prover, found->size)) != factor)
    return false;
  found->of_rest = same ? prover->one : minus;
  found->r = pv_canon(prover, pv_add(prover, found->whole, pv_mul(prover, found->of_rest, rest)));
  claim = pv_eq(prover, what_is_left(prover, found), found->r);
  found->is_r = pv_scaled(prover, claim, found->of_rest, pv_hyp(prover, second));
  return found->is_r != PV_NONE;
}

static bool pair_by(const joining *join, ck_id first, ck_id second, ck_id quotient, pair *found) {
  pv *prover = join->fold->prover;
  ck_id factor;
  ck_id rest;
  ck_id minus = pv_num(prover, -1);
  found->quotient = quotient;
  found->whole = ck_kid(prover->terms, quotient, 0);
  found->size = ck_kid(prover->terms, quotient, 1);
  if (!apart(prover, equated(prover, first), quotient, &factor, &rest) ||
      (!pv_is_one(prover, factor) && factor != minus))
    return false;
  ck_id room = pv_canon(prover, pv_sub(prover, found->size, prover->one));
  pv_thm fits = nonneg_by_cases(prover, join->inside, room);
  if (fits == PV_NONE)
    return false;
  found->size_pos = PV_COMBINE(prover, pv_gt0(prover, found->size), prover->one, fits, prover->one,
                               pv_by_value(prover, pv_gt0(prover, prover->one)));
  found->law = pv_law2(prover, "div", found->whole, found->size, found->size_pos);
  found->q = pv_canon(prover, pv_mul(prover, pv_neg(prover, factor), rest));
  found->is_q = pv_scaled(prover, pv_eq(prover, quotient, found->q), pv_neg(prover, factor),
                          pv_hyp(prover, first));
  return found->is_q != PV_NONE && read_rest(prover, second, found) &&
         ck_is_int(prover->terms, found->q) && ck_is_int(prover->terms, found->r);
}

/* .. by some quotient of what has the round, which stands in both */
static bool pair_of(const joining *join, ck_id first, ck_id second, pair *found) {
  pv *prover = join->fold->prover;
  ck_id value = equated(prover, first);
  bool is_pair = false;
  pv_poly poly;
  if (value == CK_BAD || equated(prover, second) == CK_BAD)
    return false;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, value);
  for (uint32_t i = 0; i < poly.count && !is_pair; i++) {
    ck_id atom = poly.monos[i].degree == 1 ? poly.monos[i].atoms[0] : CK_BAD;
    if (atom != CK_BAD && ck_is(prover->terms, atom, CK_DIV) && pv_speaks_of(join->fold, atom))
      is_pair = pair_by(join, first, second, atom, found);
  }
  pv_poly_clear(&poly);
  return is_pair;
}

/* the three conditions, each from the two */
static void ask_place(pv *prover, const pair *found, ck_id *asked, pv_thm *by) {
  pv_thm low = pv_law2(prover, "mod>", found->whole, found->size, found->size_pos);
  pv_thm high = pv_law2(prover, "mod<", found->whole, found->size, found->size_pos);
  ck_id minus = pv_num(prover, -1);
  ck_id gap = pv_canon(prover, pv_sub(prover, found->whole, place_of(prover, found)));
  asked[LOW] = pv_ge0(prover, found->r);
  asked[HIGH] = pv_lt(prover, found->r, found->size);
  asked[PLACE] = pv_eq(prover, prover->zero, gap);
  by[LOW] =
      PV_COMBINE(prover, asked[LOW], prover->one, low, minus, found->law, prover->one, found->is_r);
  by[HIGH] = PV_COMBINE(prover, asked[HIGH], prover->one, high, prover->one, found->law, minus,
                        found->is_r);
  by[PLACE] = PV_COMBINE(prover, asked[PLACE], minus, found->is_r, pv_neg(prover, found->size),
                         found->is_q);
}

/* each of the two from the three */
static void ask_back(pv *prover, const pair *found, const ck_id *asked, const ck_id *two,
                     pv_thm *back) {
  pv_thm is_place = pv_hyp(prover, asked[PLACE]);
  ck_id minus = pv_num(prover, -1);
  ck_id placed = pv_eq(prover, found->whole, place_of(prover, found));
  pv_thm premises[3] = {pv_hyp(prover, asked[LOW]), pv_hyp(prover, asked[HIGH]),
                        pv_scaled(prover, placed, minus, is_place)};
  pv_thm quotient = pv_divided(prover, found->whole, found->size, found->q, found->r, premises);
  ck_id claim = pv_eq(prover, what_is_left(prover, found), found->r);
  pv_thm left = PV_COMBINE(prover, claim, minus, is_place, pv_neg(prover, found->size), quotient);
  bool up = quotient != PV_NONE && pv_restate(prover, two[0], quotient) != PV_NONE;
  back[0] = pv_scaled(prover, two[0], up ? prover->one : minus, quotient);
  back[1] = found->of_mod == CK_BAD ? pv_scaled(prover, two[1], found->of_rest, left)
                                    : PV_COMBINE(prover, two[1], found->of_mod, found->law,
                                                 pv_neg(prover, found->of_mod), left);
}

static bool join_pair(const joining *join, uint32_t one, uint32_t other) {
  pv *prover = join->fold->prover;
  const pv_chain *chain = &join->fold->chain;
  ck_id two[2] = {chain->cond[one], chain->cond[other]};
  ck_id asked[N_ASKED];
  pv_thm by[N_ASKED];
  pv_thm back[2];
  pair found;
  if (!pair_of(join, two[0], two[1], &found))
    return false;
  ask_place(prover, &found, asked, by);
  ask_back(prover, &found, asked, two, back);
  for (int i = 0; i < N_ASKED; i++) {
    if (by[i] == PV_NONE)
      return false;
    pv_fact_add_under(prover, join->facts, by[i], two, 2);
  }
  for (int i = 0; i < 2; i++) {
    if (!add_back(join, back[i], two[i], asked, N_ASKED))
      return false;
  }
  replace_two(join, one, other, asked, N_ASKED);
  return true;
}

/* --- windows */
typedef struct {
  ck_id low; /* a - w*X */
  ck_id a;
  ck_id w;
  ck_id x;
  bool cut;          /* it ends before w */
  pv_thm not_before; /* 0 <= low */
  pv_thm not_after;  /* low < w */
} window;

static bool speaks_of_fold(pv *prover, ck_id part, const void *fold) {
  (void)prover;
  return pv_speaks_of(fold, part);
}

/* whether a monomial of the term has a quotient or remainder */
static bool has_divided(pv *prover, ck_id term) {
  pv_poly poly;
  bool divided = false;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, term);
  for (uint32_t i = 0; i < poly.count; i++) {
    for (uint32_t k = 0; k < poly.monos[i].degree; k++) {
      ck_op head = ck_head(prover->terms, poly.monos[i].atoms[k]);
      divided = divided || head == CK_DIV || head == CK_MOD;
    }
  }
  pv_poly_clear(&poly);
  return divided;
}

/* the term as a - w*X, where all that speaks of the round is in X, a quotient or remainder among
 * it, and w is the greatest such number */
static bool read_tiles(const pv_opened *fold, ck_id term, window *found) {
  pv *prover = fold->prover;
  ck_id tiles;
  long width = pv_poly_apart(prover, term, speaks_of_fold, fold, &tiles, &found->a);
  if (width <= 1 || !has_divided(prover, tiles) || ck_has_var(prover->terms, term, fold->s))
    return false;
  ck_id scale = pv_const_inv(prover, pv_num(prover, -width));
  found->w = pv_num(prover, width);
  found->x = pv_canon(prover, pv_mul(prover, scale, tiles));
  return ck_is_int(prover->terms, found->x) && ck_is_int(prover->terms, found->a);
}

static bool window_of(const joining *join, ck_id lower, ck_id upper, window *found) {
  pv *prover = join->fold->prover;
  ck_op end = ck_head(prover->terms, upper);
  if (ck_head(prover->terms, lower) != CK_LE || (end != CK_LT && end != CK_LE))
    return false;
  ck_id room = pv_difference(prover, upper);
  found->low = pv_difference(prover, lower);
  if (room == CK_BAD || found->low == CK_BAD || !read_tiles(join->fold, found->low, found))
    return false;
  if (end == CK_LE)
    room = pv_add(prover, room, prover->one);
  ck_id spare = pv_canon(prover, pv_sub(prover, found->w, pv_add(prover, found->low, room)));
  found->cut = !pv_is_zero(prover, spare);
  pv_thm fits = found->cut ? nonneg_by_cases(prover, join->inside, spare) : PV_REFL;
  if (fits == PV_NONE)
    return false;
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, pv_hyp(prover, upper));
  pv_comb_add(&comb, prover->one, fits);
  if (end == CK_LE)
    pv_comb_add(&comb, prover->one, pv_by_value(prover, pv_gt0(prover, prover->one)));
  found->not_after = pv_comb_prove(prover, &comb, pv_lt(prover, found->low, found->w));
  found->not_before = pv_restate(prover, pv_ge0(prover, found->low), pv_hyp(prover, lower));
  return found->not_after != PV_NONE && found->not_before != PV_NONE;
}

/* the ends again, from X = a div w */
static pv_thm end_of(pv *prover, const window *found, ck_id equation, ck_id end, bool upper) {
  pv_thm w_pos = pv_by_value(prover, pv_gt0(prover, found->w));
  pv_thm law = pv_law2(prover, "div", found->a, found->w, w_pos);
  pv_thm is_x = pv_hyp(prover, equation);
  ck_id minus_w = pv_neg(prover, found->w);
  if (!upper)
    return PV_COMBINE(prover, end, prover->one, pv_law2(prover, "mod>", found->a, found->w, w_pos),
                      pv_num(prover, -1), law, minus_w, is_x);
  pv_thm below = pv_law2(prover, "mod<", found->a, found->w, w_pos);
  if (ck_head(prover->terms, end) == CK_LE)
    below = pv_tighten(prover, below);
  return PV_COMBINE(prover, end, prover->one, below, prover->one, law, found->w, is_x);
}

static bool join_window(const joining *join, uint32_t low, uint32_t high) {
  pv *prover = join->fold->prover;
  const pv_chain *chain = &join->fold->chain;
  ck_id two[2] = {chain->cond[low], chain->cond[high]};
  window found;
  if (!window_of(join, two[0], two[1], &found))
    return false;
  ck_id whole = pv_add(prover, pv_mul(prover, found.w, found.x), found.low);
  pv_thm premises[3] = {found.not_before, found.not_after,
                        pv_identity(prover, pv_eq(prover, found.a, whole))};
  pv_thm quotient = pv_divided(prover, found.a, found.w, found.x, found.low, premises);
  if (quotient == PV_NONE)
    return false;
  ck_id gap = pv_canon(prover, pv_sub(prover, found.x, pv_left(prover, quotient)));
  ck_id asked[2] = {pv_eq(prover, prover->zero, gap), two[1]};
  pv_fact_add_under(prover, join->facts, pv_restate(prover, asked[0], quotient), two, 2);
  if (!add_back(join, end_of(prover, &found, asked[0], two[0], false), two[0], asked, 1) ||
      (!found.cut &&
       !add_back(join, end_of(prover, &found, asked[0], two[1], true), two[1], asked, 1)))
    return false;
  replace_two(join, low, high, asked, found.cut ? 2 : 1);
  return true;
}

/* --- known quotients */
/* the quotient of what has the round that the equation says to be something that has not: that it
 * is, else PV_NONE */
static pv_thm known_quotient(const pv_opened *fold, ck_id cond) {
  pv *prover = fold->prover;
  ck_id value = equated(prover, cond);
  pv_thm thm = PV_NONE;
  pv_poly poly;
  if (value == CK_BAD)
    return PV_NONE;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, value);
  for (uint32_t i = 0; i < poly.count && thm == PV_NONE; i++) {
    ck_id atom = poly.monos[i].degree == 1 ? poly.monos[i].atoms[0] : CK_BAD;
    ck_id factor;
    ck_id rest;
    if (atom == CK_BAD || !ck_is(prover->terms, atom, CK_DIV) || !pv_speaks_of(fold, atom) ||
        !apart(prover, value, atom, &factor, &rest) || pv_speaks_of(fold, rest) ||
        (!pv_is_one(prover, factor) && factor != pv_num(prover, -1)))
      continue;
    ck_id minus = pv_neg(prover, factor);
    ck_id q = pv_canon(prover, pv_mul(prover, minus, rest));
    thm = pv_scaled(prover, pv_eq(prover, atom, q), minus, pv_hyp(prover, cond));
  }
  pv_poly_clear(&poly);
  return thm;
}

/* the relation with the quotient as it is known, or itself: added to the facts */
static ck_id with_quotient(const joining *join, ck_id cond, ck_id equation, pv_thm known) {
  pv *prover = join->fold->prover;
  ck_id quotient = pv_left(prover, known);
  ck_id side[2] = {ck_kid(prover->terms, cond, 0), ck_kid(prover->terms, cond, 1)};
  pv_eqn to[2];
  if (pv_difference(prover, cond) == CK_BAD)
    return cond;
  for (int i = 0; i < 2; i++) {
    to[i] = pv_rewrite(prover, side[i], &quotient, &known, 1);
    if (to[i].by == PV_NONE)
      return cond;
  }
  ck_id other = pv_rel(prover, ck_head(prover->terms, cond), to[0].to, to[1].to);
  if (other == cond || pv_difference(prover, other) == CK_BAD)
    return cond;
  ck_id relation[2] = {cond, other};
  for (int i = 0; i < 2; i++) { /* it holds; it fails: the sides change places */
    ck_id from = i ? ck_neg(prover->terms, relation[0]) : relation[0];
    ck_id goal = i ? ck_neg(prover->terms, relation[1]) : relation[1];
    bool turned = ck_kid(prover->terms, from, 0) != side[0];
    ck_id one = pv_num(prover, turned ? -1 : 1);
    ck_id formulas[2] = {equation, from};
    pv_thm thm = PV_COMBINE(prover, goal, prover->one, pv_hyp(prover, from), pv_neg(prover, one),
                            to[0].by, one, to[1].by);
    if (thm == PV_NONE)
      return cond;
    pv_fact_add_under(prover, join->facts, thm, formulas, 2);
  }
  return other;
}

static bool use_quotient(const joining *join, uint32_t at) {
  const pv_chain *chain = &join->fold->chain;
  ck_id equation = chain->cond[at];
  pv_thm known = known_quotient(join->fold, equation);
  bool used = false;
  if (known == PV_NONE)
    return false;
  *join->to = *chain;
  join->to->n = 0;
  join->to->cond[join->to->n++] = equation; /* first: it is needed for the others */
  for (uint32_t c = 0; c < chain->n; c++) {
    if (c == at)
      continue;
    ck_id cond = with_quotient(join, chain->cond[c], equation, known);
    used = used || cond != chain->cond[c];
    join->to->cond[join->to->n++] = cond;
  }
  return used;
}

/* --- one of them */
bool pv_join_places(const pv_opened *fold, pv_chain *joined, pv_facts *facts) {
  pv *prover = fold->prover;
  joining join = {.fold = fold, .to = joined, .facts = facts};
  uint32_t n = fold->chain.n;
  if (n + 1 > PV_MAX_CHAIN)
    return false;
  join.inside = pv_ctx_push(prover, fold->ctx, pv_ge0(prover, fold->k), CK_BAD);
  join.inside = pv_ctx_push(prover, join.inside, pv_lt(prover, fold->k, fold->bound), CK_BAD);
  for (uint32_t i = 0; i < n * n; i++) {
    uint32_t one = i / n;
    uint32_t other = i % n;
    for (int way = 0; way < 2 && one != other; way++) {
      facts->n = 0;
      if (way ? join_window(&join, one, other) : join_pair(&join, one, other))
        return true;
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    facts->n = 0;
    if (use_quotient(&join, i))
      return true;
  }
  return false;
}
