/* Rewriting without context: closed subterms by equations, and index arithmetic alone. */
#include "pv_norm.h"
#include <stdio.h>

enum {
  MOST_WIDTH = 8, /* results of a fold that is gone into */
  MOST_KIDS = 32
};

/* --- what both do with a term's parts */

/* What becomes of a closed term that stands below `depth` folds. */
typedef struct term_map {
  pv_eqn (*at)(pv *prover, const struct term_map *map, ck_id term, uint32_t depth);
  char index_name; /* of the variables that stand for a fold's counter .. */
  char state_name; /* .. and for its states */
  const ck_id *from;
  const pv_thm *steps; /* of pv_rewrite: the left sides, the equations, how many */
  uint32_t n;
} term_map;

typedef struct {
  ck_id kid[MOST_KIDS];
  pv_thm premise[MOST_KIDS + 1];
  uint32_t n_premises;
} mapped_parts;

static bool map_part(pv *prover, const term_map *map, uint32_t depth, mapped_parts *parts,
                     ck_id *part) {
  pv_eqn eqn = map->at(prover, map, *part, depth);
  if (eqn.by == PV_NONE)
    return false;
  *part = eqn.to;
  if (eqn.by != PV_REFL)
    parts->premise[parts->n_premises++] = eqn.by;
  return true;
}

/* The sides of a choice's condition count as parts of the choice (proofs/RULES.md, cong). */
static bool map_condition(pv *prover, const term_map *map, uint32_t depth, mapped_parts *parts,
                          ck_id *cond) {
  ck_id left = ck_kid(prover->terms, *cond, 0);
  ck_id right = ck_kid(prover->terms, *cond, 1);
  if (!map_part(prover, map, depth, parts, &left) || !map_part(prover, map, depth, parts, &right))
    return false;
  *cond = pv_rel(prover, ck_head(prover->terms, *cond), left, right);
  return true;
}

/* The parts outside of a fold's bodies; fails where one does. */
static pv_eqn map_kids(pv *prover, const term_map *map, ck_id term, uint32_t depth) {
  const ck_terms *terms = prover->terms;
  mapped_parts parts = {.n_premises = 0};
  uint32_t n = ck_nkids(terms, term);
  for (uint32_t i = 0; i < n; i++) {
    bool is_condition = ck_head(terms, term) == CK_ITE && i == 0;
    parts.kid[i] = ck_kid(terms, term, i);
    if (ck_kid_binders(terms, term, i))
      continue;
    if (!(is_condition ? map_condition : map_part)(prover, map, depth, &parts, &parts.kid[i]))
      return pv_fail();
  }
  if (!parts.n_premises)
    return pv_same(term);
  pv_eqn eqn = {ck_rebuild(prover->terms, term, parts.kid), PV_NONE};
  eqn.by = pv_cong(prover, term, eqn.to, parts.premise, parts.n_premises);
  return eqn;
}

/* The bodies of a fold, with variables of their own for its counter and its states. */
static pv_eqn map_bodies(pv *prover, const term_map *map, ck_id fold, uint32_t depth) {
  uint32_t width = ck_width(prover->terms, fold);
  pv_thm body_thm[MOST_WIDTH];
  ck_id vars[MOST_WIDTH + 1];
  ck_id kids[2 * MOST_WIDTH + 1];
  bool changed = false;
  char name[40];
  snprintf(name, sizeof name, "$$%c%u", map->index_name, depth);
  vars[0] = pv_int_var(prover, name);
  for (uint32_t state = 0; state < width; state++) {
    snprintf(name, sizeof name, "$$%c%u.%u", map->state_name, depth, state);
    vars[state + 1] = pv_real_var(prover, name);
  }
  for (uint32_t i = 0; i < 1 + width; i++)
    kids[i] = ck_kid(prover->terms, fold, i);
  for (uint32_t state = 0; state < width; state++) {
    ck_id body =
        ck_open(prover->terms, ck_kid(prover->terms, fold, 1 + width + state), vars, width + 1);
    pv_eqn eqn = map->at(prover, map, body, depth + 1);
    if (eqn.by == PV_NONE)
      return pv_fail();
    changed = changed || eqn.by != PV_REFL;
    body_thm[state] = eqn.by == PV_REFL ? pv_refl(prover, body) : eqn.by;
    kids[1 + width + state] = ck_close(prover->terms, eqn.to, vars, width + 1);
  }
  if (!changed)
    return pv_same(fold);
  pv_eqn folded = {ck_fold(prover->terms, ck_index(prover->terms, fold), width, kids), PV_NONE};
  folded.by = pv_foldcong(prover, fold, folded.to, vars, width + 1, body_thm, width);
  return folded;
}

static bool is_leaf(const ck_terms *terms, ck_id term) {
  ck_op head = ck_head(terms, term);
  return head == CK_Q || head == CK_V || head == CK_B;
}

static bool is_wide_fold(const ck_terms *terms, ck_id term) {
  return ck_head(terms, term) == CK_FOLD && ck_width(terms, term) > MOST_WIDTH;
}

/* --- replacing closed subterms by equations */
static pv_eqn rewrite_at(pv *prover, const term_map *map, ck_id term, uint32_t depth) {
  for (uint32_t i = 0; i < map->n; i++) {
    if (term == map->from[i])
      return (pv_eqn){pv_right(prover, map->steps[i]), map->steps[i]};
  }
  if (is_leaf(prover->terms, term) || ck_nkids(prover->terms, term) > MOST_KIDS)
    return pv_same(term);
  pv_eqn eqn = map_kids(prover, map, term, depth);
  if (eqn.by == PV_NONE)
    return pv_fail();
  if (ck_head(prover->terms, term) == CK_FOLD && !is_wide_fold(prover->terms, term))
    eqn = pv_then(prover, eqn, map_bodies(prover, map, eqn.to, depth));
  return eqn.by == PV_NONE ? pv_fail() : eqn;
}

pv_eqn pv_rewrite(pv *prover, ck_id term, const ck_id *from, const pv_thm *steps, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (steps[i] == PV_NONE) /* the effort may be spent */
      return pv_fail();
  }
  term_map map = {rewrite_at, 'r', 's', from, steps, n};
  return rewrite_at(prover, &map, term, 0);
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

static pv_eqn index_canon_at(pv *prover, const term_map *map, ck_id term, uint32_t depth) {
  const ck_terms *terms = prover->terms;
  ck_op head = ck_head(terms, term);
  uint64_t known;
  if (is_leaf(terms, term))
    return pv_same(term);
  if (as_map_get(&prover->misc_memo, AS_KEY(term, 16 + depth), &known))
    return (pv_eqn){(ck_id)(known >> 32), (uint32_t)known};
  pv_eqn eqn = pv_same(term);
  bool polynomial = ck_is_int(terms, term) && (head == CK_ADD || head == CK_MUL);
  if (!polynomial || has_choice_part(terms, term)) {
    if (ck_nkids(terms, term) > MOST_KIDS || is_wide_fold(terms, term))
      return pv_fail();
    eqn = map_kids(prover, map, term, depth);
    if (head == CK_FOLD && eqn.by != PV_NONE)
      eqn = pv_then(prover, eqn, map_bodies(prover, map, eqn.to, depth));
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
  term_map map = {index_canon_at, 'i', 'j', NULL, NULL, 0};
  return index_canon_at(prover, &map, term, 0);
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
