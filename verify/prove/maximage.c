/* Maxima of images.  The maximum is one of the elements, so whatever h is, h of the maximum is at
 * most the maximum of h; where h keeps the order both are the same, and where it turns it, h of the
 * minimum.  The maximum of the larger of two is the larger of two maxima; and windows that overlap,
 * each moved by one, are one longer window. */
#include "pv_folds.h"
#include "pv_order.h"

/* ---- lemmas */
static ck_id image(pv *prover, ck_id x) {
  return ck_app(prover->terms, "h", "r:r", &x, 1);
}

static ck_id f_at(pv *prover, ck_id k) {
  return pv_apply(prover, "f", k);
}

static ck_id image_at(pv *prover, ck_id k, ck_id bound) {
  ck_id max = pv_max(prover, bound, k, f_at(prover, k));
  ck_id max_of_images = pv_max(prover, bound, k, image(prover, f_at(prover, k)));
  return pv_le(prover, image(prover, max), max_of_images);
}

/* h(y) <= x:  h(max2(y, w)) <= max2(x, h(w)) */
static pv_thm image_of_two(pv *prover, ck_id x, ck_id y, ck_id w) {
  ck_id max = pv_max2(prover, y, w);
  ck_id bound = pv_max2(prover, x, image(prover, w));
  ck_id le = pv_le(prover, y, w);
  ck_id goal = pv_le(prover, image(prover, max), bound);
  pv_thm cases[2];
  for (int i = 0; i < 2; i++) { /* i: w < y */
    ck_id larger = i ? y : w;
    pv_thm chosen = pv_law1(prover, i ? "ite0" : "ite1", max,
                            pv_hyp(prover, i ? ck_neg(prover->terms, le) : le));
    pv_var_sub vars[2] = {{y, x}, {w, image(prover, w)}};
    pv_thm below =
        pv_inst(prover, pv_prove_goal(prover, 0, pv_le(prover, larger, pv_max2(prover, y, w))),
                vars, 2, NULL, 0, NULL, 0);
    pv_comb comb;
    pv_comb_init(&comb);
    if (chosen == PV_NONE)
      return PV_NONE;
    pv_comb_add(&comb, prover->one,
                pv_cong(prover, image(prover, max), image(prover, larger), &chosen, 1));
    pv_comb_add(&comb, prover->one, below);
    if (i)
      pv_comb_add(&comb, prover->one, pv_hyp(prover, pv_le(prover, image(prover, y), x)));
    cases[i] = pv_comb_prove(prover, &comb, goal);
  }
  return pv_cases(prover, le, cases[0], cases[1]);
}

/* 0 <= n:  h(max(k < n) f(k)) <= max(k < n) h(f(k)) */
pv_thm pv_derive_max_image(pv *prover) {
  ck_id n = pv_int_var(prover, "n");
  ck_id j = pv_int_var(prover, "j");
  ck_id k = pv_int_var(prover, "k");
  ck_id x = pv_real_var(prover, "x");
  ck_id y = pv_real_var(prover, "y");
  ck_id w = pv_real_var(prover, "w");
  ck_id zero = prover->zero;
  ck_id j_next = pv_add(prover, j, prover->one);
  ck_id image_k = image(prover, f_at(prover, k));
  ck_id max[3] = {pv_max(prover, zero, k, f_at(prover, k)), pv_max(prover, j, k, f_at(prover, k)),
                  pv_max(prover, j_next, k, f_at(prover, k))};
  ck_id images[3] = {pv_max(prover, zero, k, image_k), pv_max(prover, j, k, image_k),
                     pv_max(prover, j_next, k, image_k)};
  pv_thm empty = pv_zero(prover, max[0], pv_zero_le_zero(prover));
  if (empty == PV_NONE)
    return PV_NONE;
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(
      &comb, prover->one,
      pv_cong(prover, image(prover, max[0]), image(prover, pv_right(prover, empty)), &empty, 1));
  pv_comb_add(&comb, pv_num(prover, -1), pv_zero(prover, images[0], pv_zero_le_zero(prover)));
  pv_thm base = pv_comb_prove(prover, &comb, image_at(prover, k, zero));
  pv_thm j_nonneg = pv_hyp(prover, pv_ge0(prover, j));
  pv_thm last = pv_succ(prover, max[2], j, j_nonneg);
  pv_thm assumed = pv_hyp(prover, image_at(prover, k, j));
  pv_var_sub vars[3] = {{x, images[1]}, {y, max[1]}, {w, f_at(prover, j)}};
  if (last == PV_NONE)
    return PV_NONE;
  pv_comb_init(&comb); /* h(max to j+1) = h(max2(..)) <= max2(images to j, h(f(j))) = images */
  pv_comb_add(
      &comb, prover->one,
      pv_cong(prover, image(prover, max[2]), image(prover, pv_right(prover, last)), &last, 1));
  pv_comb_add(&comb, prover->one,
              pv_inst(prover, image_of_two(prover, x, y, w), vars, 3, NULL, 0, &assumed, 1));
  pv_comb_add(&comb, pv_num(prover, -1), pv_succ(prover, images[2], j, j_nonneg));
  pv_thm step = pv_comb_prove(prover, &comb, image_at(prover, k, j_next));
  ck_id invariant = image_at(prover, k, j);
  return pv_induct(prover, j, n, 0, &invariant, &base, &step, 1, pv_hyp(prover, pv_ge0(prover, n)));
}

static ck_id joined_at(pv *prover, ck_id k, ck_id bound) {
  ck_id f = f_at(prover, k);
  ck_id g = pv_apply(prover, "g", k);
  return pv_eq(prover, pv_max(prover, bound, k, pv_max2(prover, f, g)),
               pv_max2(prover, pv_max(prover, bound, k, f), pv_max(prover, bound, k, g)));
}

/* the right side of joined_at with its two maxima by the equations */
static pv_eqn joined_sides(pv *prover, ck_id formula, pv_thm of_f, pv_thm of_g) {
  pv_thm steps[2] = {of_f, of_g};
  if (of_f == PV_NONE || of_g == PV_NONE)
    return pv_fail();
  ck_id from[2] = {pv_left(prover, of_f), pv_left(prover, of_g)};
  return pv_rewrite(prover, ck_kid(prover->terms, formula, 1), from, steps, 2);
}

/* joined_at for a bound of no elements */
static pv_thm joined_nothing(pv *prover, ck_id k, ck_id bound, pv_thm none) {
  ck_id f = f_at(prover, k);
  ck_id g = pv_apply(prover, "g", k);
  ck_id both = pv_max(prover, bound, k, pv_max2(prover, f, g));
  pv_eqn sides = joined_sides(prover, joined_at(prover, k, bound),
                              pv_zero(prover, pv_max(prover, bound, k, f), none),
                              pv_zero(prover, pv_max(prover, bound, k, g), none));
  return pv_trans(prover, pv_zero(prover, both, none), pv_sym(prover, sides.by));
}

/* max(k < n) max2(f(k), g(k)) = max2(max(k < n) f(k), max(k < n) g(k)) */
pv_thm pv_derive_max_join(pv *prover) {
  ck_id n = pv_int_var(prover, "n");
  ck_id j = pv_int_var(prover, "j");
  ck_id k = pv_int_var(prover, "k");
  ck_id v[4] = {pv_real_var(prover, "x"), pv_real_var(prover, "y"), pv_real_var(prover, "w"),
                pv_real_var(prover, "z")};
  ck_id f = f_at(prover, k);
  ck_id g = pv_apply(prover, "g", k);
  ck_id body = pv_max2(prover, f, g);
  ck_id zero = prover->zero;
  ck_id j_next = pv_add(prover, j, prover->one);
  pv_thm base = joined_nothing(prover, k, zero, pv_zero_le_zero(prover));
  pv_thm j_nonneg = pv_hyp(prover, pv_ge0(prover, j));
  pv_eqn sides = joined_sides(prover, joined_at(prover, k, j_next),
                              pv_succ(prover, pv_max(prover, j_next, k, f), j, j_nonneg),
                              pv_succ(prover, pv_max(prover, j_next, k, g), j, j_nonneg));
  pv_thm assumed = pv_hyp(prover, joined_at(prover, k, j));
  pv_thm last = pv_succ(prover, pv_max(prover, j_next, k, body), j, j_nonneg);
  pv_thm exchanged = pv_prove_eq(
      prover, 0, pv_max2(prover, pv_max2(prover, v[0], v[1]), pv_max2(prover, v[2], v[3])),
      pv_max2(prover, pv_max2(prover, v[0], v[2]), pv_max2(prover, v[1], v[3])), 0);
  pv_var_sub vars[4] = {{v[0], pv_max(prover, j, k, f)},
                        {v[1], pv_max(prover, j, k, g)},
                        {v[2], f_at(prover, j)},
                        {v[3], pv_apply(prover, "g", j)}};
  pv_thm step = pv_trans(prover, pv_then_rewrite(prover, last, &assumed, 1),
                         pv_inst(prover, exchanged, vars, 4, NULL, 0, NULL, 0));
  step = pv_trans(prover, step, pv_sym(prover, sides.by));
  ck_id invariant = joined_at(prover, k, j);
  pv_thm some =
      pv_induct(prover, j, n, 0, &invariant, &base, &step, 1, pv_hyp(prover, pv_ge0(prover, n)));
  pv_thm none = joined_nothing(prover, k, n, pv_below_zero_is_none(prover, n));
  return pv_at_any_bound(prover, n, some, none);
}

/* f(at) <= max over `windows`, from at = i + t, 0 <= i < n, 0 <= t < m */
static pv_thm in_window(pv *prover, ck_id n, ck_id m, ck_id at, ck_id i, ck_id t,
                        const pv_thm *of_i, const pv_thm *of_t) {
  ck_id k = pv_int_var(prover, "t0"); /* i and t may hold k */
  ck_id outer = pv_int_var(prover, "i0");
  ck_id element = f_at(prover, pv_add(prover, i, k));
  ck_id window = pv_max(prover, m, k, f_at(prover, pv_add(prover, outer, k)));
  ck_id all = pv_max(prover, n, outer, window);
  pv_var_sub inside[2] = {{pv_int_var(prover, "n"), m}, {pv_int_var(prover, "i"), t}};
  pv_var_sub among[2] = {{pv_int_var(prover, "n"), n}, {pv_int_var(prover, "i"), i}};
  ck_fsub elements = pv_fun_sub(prover, "f", &k, element);
  ck_fsub windows = pv_fun_sub(prover, "f", &outer, window);
  pv_thm same = pv_identity(prover, pv_eq(prover, at, pv_add(prover, i, t)));
  pv_thm place = pv_cong(prover, f_at(prover, at), f_at(prover, pv_add(prover, i, t)), &same, 1);
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, place);
  pv_comb_add(&comb, prover->one,
              pv_use_lemma(prover, PV_MAX_GE, inside, 2, &elements, 1, of_t, 2));
  pv_comb_add(&comb, prover->one, pv_use_lemma(prover, PV_MAX_GE, among, 2, &windows, 1, of_i, 2));
  return pv_comb_prove(prover, &comb, pv_le(prover, f_at(prover, at), all));
}

/* 0 < n, 0 < m:  max(i < n) max(k < m) f(i + k) = max(k < n+m-1) f(k): f(k) stands in window k, or
 * from n on in the last one */
pv_thm pv_derive_max_windows(pv *prover) {
  ck_id n = pv_int_var(prover, "n");
  ck_id m = pv_int_var(prover, "m");
  ck_id i = pv_int_var(prover, "i0");
  ck_id k = pv_int_var(prover, "k");
  ck_id zero = prover->zero;
  ck_id last = pv_sub(prover, n, prover->one);
  ck_id length = pv_sub(prover, pv_add(prover, n, m), prover->one);
  ck_id window = pv_max(prover, m, k, f_at(prover, pv_add(prover, i, k)));
  ck_id windows = pv_max(prover, n, i, window);
  ck_id whole = pv_max(prover, length, k, f_at(prover, k));
  pv_thm n_pos = pv_hyp(prover, pv_gt0(prover, n));
  pv_thm m_pos = pv_hyp(prover, pv_gt0(prover, m));
  pv_thm n_one = pv_int(prover, pv_le(prover, prover->one, n), n_pos);
  pv_thm i_range[2] = {pv_hyp(prover, pv_ge0(prover, i)), pv_hyp(prover, pv_lt(prover, i, n))};
  pv_thm k_range[2] = {pv_hyp(prover, pv_ge0(prover, k)), pv_hyp(prover, pv_lt(prover, k, m))};
  ck_id place = pv_add(prover, i, k);
  pv_thm i_below = pv_int(prover, pv_le(prover, pv_add(prover, i, prover->one), n), i_range[1]);
  pv_thm premises[2] = {
      PV_COMBINE(prover, pv_ge0(prover, place), prover->one, i_range[0], prover->one, k_range[0]),
      PV_COMBINE(prover, pv_lt(prover, place, length), prover->one, i_below, prover->one,
                 k_range[1])};
  pv_thm length_pos =
      PV_COMBINE(prover, pv_gt0(prover, length), prover->one, n_one, prover->one, m_pos);
  pv_var_sub vars[2] = {{n, length}, {pv_int_var(prover, "i"), place}};
  pv_thm below = pv_use_lemma(prover, PV_MAX_GE, vars, 2, NULL, 0, premises, 2);
  pv_thm left = pv_max_le(prover, n, i, window, whole, n_pos,
                          pv_max_le(prover, m, k, f_at(prover, place), whole, m_pos, below));
  /* the other way */
  ck_id early = pv_lt(prover, k, n);
  ck_id late_place = pv_sub(prover, k, last);
  pv_thm k_nonneg = pv_hyp(prover, pv_ge0(prover, k));
  pv_thm zero_in_m[2] = {pv_zero_le_zero(prover), m_pos};
  pv_thm k_in_n[2] = {k_nonneg, pv_hyp(prover, early)};
  pv_thm from_n = pv_hyp(prover, pv_le(prover, n, k));
  pv_thm last_in_n[2] = {
      pv_scaled(prover, pv_ge0(prover, last), prover->one, n_one),
      pv_arith(prover, pv_lt(prover, last, n), &(pv_summand){prover->one, NULL, 0}, 1)};
  pv_summand late_summands[2] = {{prover->one, &from_n, 1}, {prover->one, NULL, 0}};
  pv_thm late_in_m[2] = {pv_arith(prover, pv_ge0(prover, late_place), late_summands, 2),
                         pv_scaled(prover, pv_lt(prover, late_place, m), prover->one,
                                   pv_hyp(prover, pv_lt(prover, k, length)))};
  pv_thm covered = pv_cases(prover, early, in_window(prover, n, m, k, k, zero, k_in_n, zero_in_m),
                            in_window(prover, n, m, k, last, late_place, last_in_n, late_in_m));
  pv_thm right = pv_max_le(prover, length, k, f_at(prover, k), windows, length_pos, covered);
  return pv_antisym(prover, left, right);
}

/* ---- what a body is a function of */
typedef enum { CORE_NONE, CORE_ONE, CORE_MANY } core_kind;

typedef struct {
  core_kind kind;
  ck_id term;
} core;

static core cores_together(core a, core b) {
  if (a.kind == CORE_NONE || (a.kind == b.kind && a.term == b.term))
    return b;
  return b.kind == CORE_NONE ? a : (core){CORE_MANY, CK_BAD};
}

/* the one term with k in it of which t is made, beside what is free of k.  The argument of a
 * function counts where it has several. */
static core core_of(pv *prover, ck_id t, ck_id k) {
  const ck_terms *terms = prover->terms;
  if (!ck_has_var(terms, t, k))
    return (core){CORE_NONE, CK_BAD};
  switch (ck_head(terms, t)) {
  case CK_ADD:
  case CK_MUL:
    return cores_together(core_of(prover, ck_kid(terms, t, 0), k),
                          core_of(prover, ck_kid(terms, t, 1), k));
  case CK_EXP:
  case CK_LOG:
  case CK_SQRT:
  case CK_INV: {
    ck_id argument = ck_kid(terms, t, 0);
    core inside = core_of(prover, argument, k);
    return inside.kind == CORE_MANY ? (core){CORE_ONE, argument} : inside;
  }
  case CK_ITE: {
    core inside = core_of(prover, ck_kid(terms, t, 1), k);
    core condition = cores_together(core_of(prover, ck_kid(terms, ck_kid(terms, t, 0), 0), k),
                                    core_of(prover, ck_kid(terms, ck_kid(terms, t, 0), 1), k));
    return cores_together(cores_together(inside, condition),
                          core_of(prover, ck_kid(terms, t, 2), k));
  }
  default:
    return (core){CORE_ONE, t};
  }
}

pv_thm pv_max_below_zero(pv *prover, pv_ctx inner, ck_id n, ck_id k, ck_id body, pv_thm n_pos) {
  pv_thm each = pv_follows(prover, inner, pv_lt(prover, body, prover->zero));
  if (each == PV_NONE)
    each = pv_follows(prover, inner, pv_le(prover, body, prover->zero));
  return each == PV_NONE ? PV_NONE : pv_max_le(prover, n, k, body, prover->zero, n_pos, each);
}

/* max(k < n) body = h(max(k < n) argument), where h is a body in which `hole` stands for the
 * argument and keeps the order; PV_NONE: that is not seen */
static pv_thm through_image(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id argument, ck_id hole,
                            ck_id image_of_hole, pv_thm n_pos) {
  ck_id same_k;
  pv_ctx inner = pv_ctx_bind(prover, ctx, n, &same_k);
  if (same_k != k)
    return PV_NONE;
  ck_id max = pv_max(prover, n, k, argument);
  ck_id body = ck_sub(prover->terms, image_of_hole, &hole, &argument, 1, NULL, 0);
  ck_id image_of_max = ck_sub(prover->terms, image_of_hole, &hole, &max, 1, NULL, 0);
  pv_var_sub vars[2] = {{pv_int_var(prover, "n"), n}, {pv_int_var(prover, "i"), k}};
  ck_fsub funs[2] = {
      pv_fun_sub(prover, "f", &k, argument),
      {ck_word(prover->terms, "h"), ck_word(prover->terms, "r:r"), &hole, 1, image_of_hole}};
  pv_thm n_nonneg = pv_scaled(prover, pv_ge0(prover, n), prover->one, n_pos);
  pv_thm range[2] = {pv_hyp(prover, pv_ge0(prover, k)), pv_hyp(prover, pv_lt(prover, k, n))};
  pv_thm below_max = pv_use_lemma(prover, PV_MAX_GE, vars, 2, funs, 1, range, 2);
  if (below_max == PV_NONE)
    return PV_NONE;
  pv_ctx known = pv_ctx_know(prover, inner, below_max);
  pv_thm sign = pv_max_below_zero(prover, inner, n, k, argument, n_pos);
  if (sign != PV_NONE)
    known = pv_ctx_know(prover, known, sign);
  pv_change change = pv_raise(prover, known, body, argument, max, below_max);
  if (change.way != PV_RISES || change.to != image_of_max)
    return PV_NONE;
  pv_thm at_most = pv_max_le(prover, n, k, body, image_of_max, n_pos, change.thm);
  pv_thm at_least = pv_use_lemma(prover, PV_MAX_IMAGE, vars, 1, funs, 2, &n_nonneg, 1);
  return pv_antisym(prover, at_most, at_least);
}

/* body in the form that a law wants, equal to it for 0 <= k < n by the normal form; n_pos PV_NONE:
 * the first elements are compared by themselves */
static pv_thm in_the_form(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id body, ck_id form,
                          pv_thm n_pos) {
  ck_id same_k;
  pv_ctx inner = pv_ctx_bind(prover, ctx, n, &same_k);
  if (form == body)
    return PV_REFL;
  pv_eqn back = pv_norm(prover, inner, form);
  if (same_k != k || back.by == PV_NONE || back.to != body)
    return PV_NONE;
  pv_thm same = pv_sym(prover, back.by);
  return n_pos == PV_NONE ? pv_lift_max_anyhow(prover, ctx, n, k, same)
                          : pv_lift_max(prover, n, k, same, n_pos);
}

/* a multiple of x and something without it: other laws are for that */
static bool affine_in(pv *prover, ck_id t, ck_id x) {
  pv_poly poly;
  bool affine = true;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, t);
  for (uint32_t i = 0; i < poly.count && affine; i++) {
    uint32_t times = 0;
    for (uint32_t j = 0; j < poly.monos[i].degree; j++) {
      ck_id atom = poly.monos[i].atoms[j];
      times += atom == x;
      affine = affine && (atom == x || !pv_occurs(prover, atom, x));
    }
    affine = affine && times <= 1;
  }
  pv_poly_clear(&poly);
  return affine;
}

pv_thm pv_image_max(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id body, pv_thm n_pos) {
  core inside = core_of(prover, body, k);
  if (inside.kind != CORE_ONE || inside.term == body || !ck_is_closed(prover->terms, inside.term))
    return PV_NONE;
  ck_id hole = pv_real_var(prover, "$$t");
  if (affine_in(prover, body, inside.term))
    return PV_NONE;
  for (int turned = 0; turned < 2; turned++) {
    ck_id argument = turned ? pv_canon(prover, pv_neg(prover, inside.term)) : inside.term;
    ck_id in_hole = turned ? pv_neg(prover, hole) : hole;
    ck_id image_of_hole = pv_replaced(prover, body, inside.term, in_hole);
    if (image_of_hole == CK_BAD || ck_has_var(prover->terms, image_of_hole, k))
      return PV_NONE;
    ck_id form = ck_sub(prover->terms, image_of_hole, &hole, &argument, 1, NULL, 0);
    pv_thm formed = in_the_form(prover, ctx, n, k, body, form, n_pos);
    if (formed == PV_NONE)
      continue;
    pv_thm thm = through_image(prover, ctx, n, k, argument, hole, image_of_hole, n_pos);
    if (thm != PV_NONE)
      return pv_trans(prover, formed, thm);
  }
  return PV_NONE;
}

/* body = v + a*relu(u), 0 < a: the larger of v and v + a*u */
static bool larger_of_two(pv *prover, ck_id k, ck_id body, ck_id *first, ck_id *second) {
  pv_poly poly;
  bool found = false;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, body);
  for (uint32_t i = 0; i < poly.count && !found; i++) {
    const pv_mono *mono = &poly.monos[i];
    ck_id under = mono->degree == 1 ? pv_under_relu(prover, mono->atoms[0]) : CK_BAD;
    if (under == CK_BAD || !ck_has_var(prover->terms, under, k) ||
        pv_const_sign(prover, mono->coef) <= 0)
      continue;
    ck_id relu = pv_mul(prover, mono->coef, mono->atoms[0]);
    *first = pv_canon(prover, pv_sub(prover, body, relu));
    *second = pv_canon(prover, pv_add(prover, *first, pv_mul(prover, mono->coef, under)));
    found = ck_has_var(prover->terms, *first, k);
  }
  pv_poly_clear(&poly);
  return found;
}

pv_thm pv_larger_max(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id body, pv_thm n_pos) {
  ck_id first;
  ck_id second;
  if (!larger_of_two(prover, k, body, &first, &second))
    return PV_NONE;
  pv_thm formed = in_the_form(prover, ctx, n, k, body, pv_max2(prover, first, second), n_pos);
  if (formed == PV_NONE)
    return PV_NONE;
  pv_var_sub vars = {pv_int_var(prover, "n"), n};
  ck_fsub funs[2] = {pv_fun_sub(prover, "f", &k, first), pv_fun_sub(prover, "g", &k, second)};
  return pv_trans(prover, formed, pv_use_lemma(prover, PV_MAX_JOIN, &vars, 1, funs, 2, NULL, 0));
}

pv_thm pv_window_max(pv *prover, pv_ctx ctx, ck_id term, ck_id n, ck_id k, ck_id body) {
  ck_id joint = pv_int_var(prover, "$$K");
  ck_id inner = pv_int_var(prover, "$$u");
  ck_id element = pv_max_element(prover, body, inner);
  if (element == CK_BAD)
    return PV_NONE;
  ck_id length = ck_kid(prover->terms, body, 0);
  ck_id at = pv_sub(prover, joint, k);
  if (ck_has_var(prover->terms, length, k))
    return PV_NONE;
  ck_id moved = ck_sub(prover->terms, element, &inner, &at, 1, NULL, 0);
  pv_eqn eqn = moved == CK_BAD ? pv_fail() : pv_index_canon(prover, moved);
  if (eqn.by == PV_NONE || ck_has_var(prover->terms, eqn.to, k))
    return PV_NONE;
  pv_thm premises[2] = {pv_follows(prover, ctx, pv_gt0(prover, n)),
                        pv_follows(prover, ctx, pv_gt0(prover, length))};
  if (premises[0] == PV_NONE || premises[1] == PV_NONE)
    return PV_NONE;
  pv_var_sub vars[2] = {{pv_int_var(prover, "n"), n}, {pv_int_var(prover, "m"), length}};
  ck_fsub fun = pv_fun_sub(prover, "f", &joint, eqn.to);
  pv_thm thm = pv_use_lemma(prover, PV_MAX_WINDOWS, vars, 2, &fun, 1, premises, 2);
  if (thm == PV_NONE)
    return PV_NONE;
  pv_thm same = pv_same_index(prover, term, pv_left(prover, thm));
  return pv_trans(prover, same, thm);
}
