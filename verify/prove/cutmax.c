/* Maxima over tiles of which the last is cut off where the tensor ends: the maximum over g + 1
 * tiles of extent min(tile, whole - l*tile), where g*tile < whole <= (g + 1)*tile, is that over the
 * whole. All tiles but the last are full, so that they make up the maximum to g*tile; the last one
 * is what is left of the whole.  No element has to stand for those that are not there. */
#include "pv_context.h"
#include "pv_folds.h"

/* ---- the lemma: f over tiles */
typedef struct {
  ck_id g; /* number of full tiles */
  ck_id tile;
  ck_id whole;
  ck_id l; /* counter of tiles */
  ck_id t; /* .. in a tile */
  pv_thm g_nonneg;
  pv_thm tile_pos;
  pv_thm last_begins; /* g*tile < whole */
  pv_thm last_ends;   /* whole <= g*tile + tile */
} tiles;

static ck_id left_at(pv *prover, const tiles *all, ck_id l) {
  return pv_sub(prover, all->whole, pv_mul(prover, l, all->tile));
}

static ck_id cut_bound(pv *prover, const tiles *all, ck_id l) {
  return pv_min2(prover, all->tile, left_at(prover, all, l));
}

/* max(t < n) f(l*tile + t) */
static ck_id tile_to(pv *prover, const tiles *all, ck_id l, ck_id n) {
  ck_id place = pv_add(prover, pv_mul(prover, l, all->tile), all->t);
  return pv_max(prover, n, all->t, pv_apply(prover, "f", place));
}

static ck_id cut_tile(pv *prover, const tiles *all, ck_id l) {
  return tile_to(prover, all, l, cut_bound(prover, all, l));
}

static ck_id f_to(pv *prover, const tiles *all, ck_id n) {
  return pv_max(prover, n, all->t, pv_apply(prover, "f", all->t));
}

/* cut_tile(l) = tile_to(l, n) from s: cut_bound(l) = n */
static pv_thm with_bound(pv *prover, const tiles *all, ck_id l, ck_id n, pv_thm thm) {
  return pv_cong(prover, cut_tile(prover, all, l), tile_to(prover, all, l, n), &thm, 1);
}

/* max(l < g) cut_tile(l) = max(k < g*tile) f(k), where 0 < g: the tiles before the last are full */
static pv_thm full_tiles(pv *prover, const tiles *all, pv_thm g_pos) {
  ck_id least = cut_bound(prover, all, all->l);
  ck_id fits = pv_le(prover, all->tile, left_at(prover, all, all->l));
  pv_thm before = pv_hyp(prover, pv_lt(prover, all->l, all->g));
  pv_comb comb;
  pv_comb_init(&comb); /* whole - l*tile - tile = (whole - g*tile) + (g - l - 1)*tile */
  pv_comb_add(&comb, prover->one, all->last_begins);
  pv_comb_add_product(&comb, prover->one, pv_tighten(prover, before), all->tile_pos);
  pv_thm is_full = pv_law(prover, "ite1", &least, 1, pv_comb_prove(prover, &comb, fits));
  pv_thm each = with_bound(prover, all, all->l, all->tile, is_full);
  pv_thm lifted = pv_lift_max(prover, all->g, all->l, each, g_pos);
  pv_var_sub vars[2] = {{pv_int_var(prover, "G"), all->g}, {pv_int_var(prover, "T"), all->tile}};
  pv_thm premises[2] = {g_pos, all->tile_pos};
  pv_thm joined = pv_use_lemma(prover, PV_MAX_SPLIT, vars, 2, NULL, 0, premises, 2);
  if (lifted == PV_NONE || joined == PV_NONE)
    return PV_NONE;
  pv_thm same = pv_same_index(prover, pv_right(prover, lifted), pv_left(prover, joined));
  return pv_trans(prover, pv_trans(prover, lifted, same), joined);
}

/* cut_tile(g) = max(t < whole - g*tile) f(g*tile + t) */
static pv_thm last_tile(pv *prover, const tiles *all) {
  ck_id left = left_at(prover, all, all->g);
  ck_id least = cut_bound(prover, all, all->g);
  ck_id fits = pv_le(prover, all->tile, left);
  pv_thm at_most = pv_scaled(prover, pv_le(prover, left, all->tile), prover->one, all->last_ends);
  pv_thm here = pv_hyp(prover, fits);
  pv_thm whole =
      pv_trans(prover, pv_law(prover, "ite1", &least, 1, here), pv_antisym(prover, here, at_most));
  pv_thm part = pv_law(prover, "ite0", &least, 1, pv_hyp(prover, ck_neg(prover->terms, fits)));
  return with_bound(prover, all, all->g, left, pv_cases(prover, fits, whole, part));
}

/* the maximum of the full tiles and the last one is that over the whole, where 0 < g */
static pv_thm several(pv *prover, const tiles *all, pv_thm unrolled, pv_thm last) {
  ck_id begin = pv_mul(prover, all->g, all->tile);
  ck_id rest = pv_sub(prover, left_at(prover, all, all->g), prover->one);
  pv_thm g_pos = pv_hyp(prover, pv_gt0(prover, all->g));
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, prover->one, all->g_nonneg, all->tile_pos);
  pv_thm begin_nonneg = pv_comb_prove(prover, &comb, pv_ge0(prover, begin));
  pv_thm rest_nonneg =
      pv_restate(prover, pv_ge0(prover, rest), pv_tighten(prover, all->last_begins));
  pv_var_sub vars[2] = {{pv_int_var(prover, "m"), begin}, {pv_int_var(prover, "q"), rest}};
  pv_thm premises[2] = {begin_nonneg, rest_nonneg};
  pv_thm both = pv_use_lemma(prover, PV_MAX_CONCAT, vars, 2, NULL, 0, premises, 2);
  pv_thm parts[2] = {full_tiles(prover, all, g_pos), last};
  pv_thm left = pv_then_rewrite(prover, unrolled, parts, 2);
  if (left == PV_NONE || both == PV_NONE)
    return PV_NONE;
  pv_thm mid = pv_same_index(prover, pv_right(prover, left), pv_right(prover, both));
  pv_thm whole = pv_same_index(prover, pv_left(prover, both), f_to(prover, all, all->whole));
  return pv_trans(prover, pv_trans(prover, pv_trans(prover, left, mid), pv_sym(prover, both)),
                  whole);
}

/* .. and where g = 0 the last is the only one */
static pv_thm only_one(pv *prover, const tiles *all, ck_id left) {
  const pv_thm known[] = {all->g_nonneg, all->tile_pos, all->last_begins, all->last_ends};
  ck_id is_zero = pv_eq(prover, all->g, prover->zero);
  pv_thm zero =
      pv_antisym(prover, pv_hyp(prover, pv_le(prover, all->g, prover->zero)), all->g_nonneg);
  pv_ctx ctx = 0;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    ctx = pv_ctx_push(prover, ctx, pv_says(prover, known[i]), CK_BAD);
  ctx = pv_ctx_assume(prover, ctx, is_zero);
  pv_thm thm = pv_prove_eq(prover, ctx, left, f_to(prover, all, all->whole), 0);
  return thm == PV_NONE ? PV_NONE : pv_inst(prover, thm, NULL, 0, NULL, 0, &zero, 1);
}

pv_thm pv_derive_max_cut(pv *prover) {
  tiles all = {.g = pv_int_var(prover, "g"),
               .tile = pv_int_var(prover, "T"),
               .whole = pv_int_var(prover, "D"),
               .l = pv_int_var(prover, "l"),
               .t = pv_int_var(prover, "t")};
  ck_id begin = pv_mul(prover, all.g, all.tile);
  all.g_nonneg = pv_hyp(prover, pv_ge0(prover, all.g));
  all.tile_pos = pv_hyp(prover, pv_gt0(prover, all.tile));
  all.last_begins = pv_hyp(prover, pv_lt(prover, begin, all.whole));
  all.last_ends = pv_hyp(prover, pv_le(prover, all.whole, pv_add(prover, begin, all.tile)));
  ck_id g_next = pv_add(prover, all.g, prover->one);
  ck_id left = pv_max(prover, g_next, all.l, cut_tile(prover, &all, all.l));
  pv_thm unrolled = pv_succ(prover, left, all.g, all.g_nonneg);
  pv_thm more = several(prover, &all, unrolled, last_tile(prover, &all));
  pv_thm one = more == PV_NONE ? PV_NONE : only_one(prover, &all, left);
  return one == PV_NONE ? PV_NONE : pv_cases(prover, pv_gt0(prover, all.g), more, one);
}

/* ---- at work */
/* The maximum over k < n of the maximum `inner`, which has the element body_at at its counter, over
 * what is left of tile k; PV_REFL: it is not of this kind */
pv_thm pv_cut_tiles_max(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id inner, ck_id counter,
                        ck_id body_at) {
  ck_id bound = ck_kid(prover->terms, inner, 0);
  if (ck_head(prover->terms, bound) != CK_ITE)
    return PV_REFL;
  ck_id tile = ck_kid(prover->terms, bound, 1);
  ck_id left = ck_kid(prover->terms, bound, 2);
  if (ck_has_var(prover->terms, tile, k)) {
    ck_id other = tile;
    tile = left;
    left = other;
  }
  ck_id before = pv_mul(prover, k, tile);
  ck_id whole = pv_canon(prover, pv_add(prover, left, before));
  ck_id joint = pv_int_var(prover, "$$K");
  ck_id with = pv_sub(prover, joint, before);
  pv_eqn element =
      pv_index_canon(prover, ck_sub(prover->terms, body_at, &counter, &with, 1, NULL, 0));
  if (ck_has_var(prover->terms, tile, k) || ck_has_var(prover->terms, whole, k) ||
      element.by == PV_NONE || ck_has_var(prover->terms, element.to, k))
    return PV_REFL;
  /* the tile as the lemma has it */
  pv_ctx in = pv_ctx_bind(prover, ctx, n, &k);
  ck_id least = pv_min2(prover, tile, pv_sub(prover, whole, before));
  pv_eqn same_bound = pv_norm(prover, in, least);
  if (same_bound.by == PV_NONE || same_bound.to != bound)
    return PV_REFL;
  ck_id place = pv_add(prover, before, counter);
  ck_id at_place = ck_sub(prover->terms, element.to, &joint, &place, 1, NULL, 0);
  ck_id written = pv_max(prover, bound, counter, at_place);
  pv_thm tile_same = pv_same_index(prover, inner, written);
  if (same_bound.by != PV_REFL) {
    pv_thm back = pv_sym(prover, same_bound.by);
    ck_id literal = pv_max(prover, least, counter, at_place);
    tile_same = pv_trans(prover, tile_same, pv_cong(prover, written, literal, &back, 1));
  }
  /* the lemma */
  ck_id g = pv_canon(prover, pv_sub(prover, n, prover->one));
  ck_id g_next = pv_add(prover, g, prover->one);
  ck_id begin = pv_mul(prover, g, tile);
  pv_thm n_pos = pv_follows(prover, ctx, pv_gt0(prover, n));
  pv_thm premises[4] = {pv_follows(prover, ctx, pv_ge0(prover, g)),
                        pv_follows(prover, ctx, pv_gt0(prover, tile)),
                        pv_follows(prover, ctx, pv_lt(prover, begin, whole)),
                        pv_follows(prover, ctx, pv_le(prover, whole, pv_add(prover, begin, tile)))};
  for (int i = 0; i < 4; i++) {
    if (premises[i] == PV_NONE || n_pos == PV_NONE)
      return PV_REFL;
  }
  pv_var_sub vars[3] = {{pv_int_var(prover, "g"), g},
                        {pv_int_var(prover, "T"), tile},
                        {pv_int_var(prover, "D"), whole}};
  ck_fsub fun = pv_fun_sub(prover, "f", &joint, element.to);
  pv_thm law = pv_use_lemma(prover, PV_MAX_CUT, vars, 3, &fun, 1, premises, 4);
  pv_thm lifted = pv_lift_max(prover, n, k, tile_same, n_pos);
  if (law == PV_NONE || lifted == PV_NONE)
    return PV_NONE;
  ck_id literal = lifted == PV_REFL ? inner : pv_max_body(prover, pv_right(prover, lifted), k);
  pv_thm same_n = pv_identity(prover, pv_eq(prover, n, g_next));
  pv_thm rebound = n == g_next ? PV_REFL
                               : pv_cong(prover, pv_max(prover, n, k, literal),
                                         pv_max(prover, g_next, k, literal), &same_n, 1);
  return pv_trans(prover, pv_trans(prover, lifted, rebound), law);
}
