/* The larger, or the smaller, of several things, as they stand: nested choices `ite(a <= b, b, a)`.
 * Two of them are equal if each thing of the one is at most the other, which has it too, or has
 * something that is at least as large.  Nothing is written as a sum of positive parts, so that the
 * work is the number of things times that of choices. */
#include "pv_folds.h"
#include "src/base/mem.h"

enum { MOST_THINGS = 256 };

/* a choice between two, and the relations of both to it: a <= it, b <= it; of the smaller of two
 * the other way round */
typedef struct {
  ck_id node;
  ck_id part[2];    /* left and right side of the condition */
  pv_thm beside[2]; /* PV_REFL: not asked for yet */
  uint32_t above;   /* the choice that has this one as a part; PV_NONE: the whole */
  uint32_t as_part;
} choice;

/* what is chosen among */
typedef struct {
  ck_id term;
  pv_eqn normal;
  uint32_t above;
  uint32_t as_part;
} thing;

typedef struct {
  pv *prover;
  pv_ctx ctx;
  bool smaller; /* the smaller of two, not the larger */
  ck_id whole;
  as_vec choices;
  as_vec things;
} extreme;

/* 1: the term is the larger of both sides of its condition, -1: the smaller, 0: neither */
static int chooses(const pv *prover, ck_id term) {
  const ck_terms *terms = prover->terms;
  if (!ck_is(terms, term, CK_ITE) || !ck_is_closed(terms, term))
    return 0;
  ck_id cond = ck_kid(terms, term, 0);
  ck_id left = ck_kid(terms, cond, 0);
  ck_id right = ck_kid(terms, cond, 1);
  if (ck_head(terms, cond) != CK_LE && ck_head(terms, cond) != CK_LT)
    return 0;
  if (ck_kid(terms, term, 1) == right && ck_kid(terms, term, 2) == left)
    return 1;
  return ck_kid(terms, term, 1) == left && ck_kid(terms, term, 2) == right ? -1 : 0;
}

/* false: there are too many things, or one has no normal form */
static bool collect(extreme *e, ck_id term, uint32_t above, uint32_t as_part) {
  pv *prover = e->prover;
  if (chooses(prover, term) != (e->smaller ? -1 : 1)) {
    thing one = {term, pv_norm(prover, e->ctx, term), above, as_part};
    as_vec_push(&e->things, &one);
    return one.normal.by != PV_NONE && e->things.n <= MOST_THINGS;
  }
  ck_id cond = ck_kid(prover->terms, term, 0);
  choice here = {.node = term, .above = above, .as_part = as_part};
  for (uint32_t i = 0; i < 2; i++) {
    here.part[i] = ck_kid(prover->terms, cond, i);
    here.beside[i] = PV_REFL;
  }
  uint32_t number = (uint32_t)e->choices.n;
  as_vec_push(&e->choices, &here);
  return collect(e, here.part[0], number, 0) &&
         (here.part[0] == here.part[1] || collect(e, here.part[1], number, 1));
}

/* a <= b, or of smaller ones b <= a */
static ck_id order(const extreme *e, ck_id a, ck_id b) {
  return e->smaller ? pv_le(e->prover, b, a) : pv_le(e->prover, a, b);
}

/* the value of the choice where its condition holds, or fails */
static pv_thm value_of(pv *prover, ck_id node, bool holds) {
  ck_id cond = ck_kid(prover->terms, node, 0);
  ck_id here = holds ? cond : ck_neg(prover->terms, cond);
  return pv_law(prover, holds ? "ite1" : "ite0", &node, 1, pv_hyp(prover, here));
}

/* part <= choice, for the larger of two, by cases on its condition */
static pv_thm beside(extreme *e, uint32_t number, uint32_t as_part) {
  pv *prover = e->prover;
  choice *c = &AS_VEC_AT(&e->choices, choice, number);
  if (c->beside[as_part] != PV_REFL)
    return c->beside[as_part];
  ck_id cond = ck_kid(prover->terms, c->node, 0);
  ck_id claim = order(e, c->part[as_part], c->node);
  pv_thm branch[2];
  for (uint32_t i = 0; i < 2; i++) {
    ck_id here = i ? ck_neg(prover->terms, cond) : cond;
    bool itself = ck_kid(prover->terms, c->node, 1 + i) == c->part[as_part];
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add(&comb, pv_num(prover, e->smaller ? 1 : -1), value_of(prover, c->node, i == 0));
    pv_comb_add(&comb, prover->one, itself ? PV_REFL : pv_hyp(prover, here));
    branch[i] = pv_comb_prove(prover, &comb, claim);
  }
  c->beside[as_part] = pv_cases(prover, cond, branch[0], branch[1]);
  return c->beside[as_part];
}

/* bound <= whole of e, from the theorem that says that it is at most that thing, in normal form */
static pv_thm up_from(extreme *e, const thing *t, ck_id bound, pv_thm thm) {
  pv *prover = e->prover;
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, thm);
  pv_comb_add(&comb, pv_num(prover, e->smaller ? 1 : -1), t->normal.by);
  uint32_t as_part = t->as_part;
  for (uint32_t above = t->above; above != PV_NONE;) {
    pv_comb_add(&comb, prover->one, beside(e, above, as_part));
    as_part = AS_VEC_AT(&e->choices, choice, above).as_part;
    above = AS_VEC_AT(&e->choices, choice, above).above;
  }
  return pv_comb_prove(prover, &comb, order(e, bound, e->whole));
}

/* a = b, indices */
static pv_thm same_index(const extreme *e, ck_id a, ck_id b) {
  pv *prover = e->prover;
  pv_thm equal = pv_follows(prover, e->ctx, pv_eq(prover, a, b));
  if (equal != PV_NONE)
    return equal;
  pv_thm up = pv_follows(prover, e->ctx, pv_le(prover, a, b));
  pv_thm down = up == PV_NONE ? PV_NONE : pv_follows(prover, e->ctx, pv_le(prover, b, a));
  return down == PV_NONE ? PV_NONE : pv_antisym(prover, up, down);
}

/* a = b, elements of one tensor at places that are equal by what is known here; PV_NONE: they are
 * not seen to be */
static pv_thm same_place(const extreme *e, ck_id a, ck_id b) {
  enum { MOST_AXES = 8 };

  pv *prover = e->prover;
  const ck_terms *terms = prover->terms;
  uint32_t axes = ck_nkids(terms, a);
  pv_thm premises[MOST_AXES];
  uint32_t n = 0;
  if (!ck_is(terms, a, CK_APP) || !ck_is(terms, b, CK_APP) ||
      ck_name(terms, a) != ck_name(terms, b) || ck_sig(terms, a) != ck_sig(terms, b) ||
      axes > MOST_AXES)
    return PV_NONE;
  for (uint32_t i = 0; i < axes; i++) {
    ck_id at[2] = {ck_kid(terms, a, i), ck_kid(terms, b, i)};
    if (at[0] == at[1])
      continue;
    if (!ck_is_int(terms, at[0]) || !ck_is_int(terms, at[1]))
      return PV_NONE;
    premises[n] = same_index(e, at[0], at[1]);
    if (premises[n++] == PV_NONE)
      return PV_NONE;
  }
  return pv_cong(prover, a, b, premises, n);
}

/* the thing t of another extreme is at most the whole of e */
static pv_thm found_in(extreme *e, const thing *t) {
  enum { MOST_COMPARED = 12 };

  pv *prover = e->prover;
  for (size_t i = 0; i < e->things.n; i++) {
    thing *other = &AS_VEC_AT(&e->things, thing, i);
    if (other->normal.to == t->normal.to)
      return up_from(e, other, t->term, t->normal.by);
  }
  for (size_t i = 0; i < e->things.n; i++) {
    thing *other = &AS_VEC_AT(&e->things, thing, i);
    pv_thm same = same_place(e, t->normal.to, other->normal.to);
    if (same != PV_NONE)
      return up_from(e, other, t->term, pv_trans(prover, t->normal.by, same));
  }
  for (size_t i = 0; i < e->things.n && i < MOST_COMPARED; i++) {
    thing *other = &AS_VEC_AT(&e->things, thing, i);
    pv_thm less = pv_follows(prover, e->ctx, order(e, t->normal.to, other->normal.to));
    if (less == PV_NONE)
      continue;
    ck_id claim = order(e, t->term, other->normal.to);
    ck_id sign = pv_num(prover, e->smaller ? -1 : 1);
    return up_from(e, other, t->term,
                   PV_COMBINE(prover, claim, prover->one, less, sign, t->normal.by));
  }
  return PV_NONE;
}

/* term <= whole of e, where all its things are, which `of` has in this order */
static pv_thm all_at_most(extreme *e, const extreme *of, ck_id term, size_t *next) {
  pv *prover = e->prover;
  if (chooses(prover, term) != (e->smaller ? -1 : 1)) {
    const thing *t = &AS_VEC_AT(&of->things, thing, *next);
    ++*next;
    return found_in(e, t);
  }
  ck_id cond = ck_kid(prover->terms, term, 0);
  ck_id part[2] = {ck_kid(prover->terms, cond, 0), ck_kid(prover->terms, cond, 1)};
  pv_thm most[2];
  most[0] = all_at_most(e, of, part[0], next);
  most[1] = most[0];
  if (most[0] != PV_NONE && part[0] != part[1])
    most[1] = all_at_most(e, of, part[1], next);
  if (most[1] == PV_NONE)
    return PV_NONE;
  pv_thm branch[2];
  for (uint32_t i = 0; i < 2; i++) {
    pv_thm value = value_of(prover, term, i == 0);
    bool first = ck_kid(prover->terms, term, 1 + i) == part[0];
    branch[i] = PV_COMBINE(prover, order(e, term, e->whole), prover->one, most[first ? 0 : 1],
                           pv_num(prover, e->smaller ? -1 : 1), value);
  }
  return pv_cases(prover, cond, branch[0], branch[1]);
}

static void start(extreme *e, pv *prover, pv_ctx ctx, bool smaller, ck_id whole) {
  *e = (extreme){.prover = prover, .ctx = ctx, .smaller = smaller, .whole = whole};
  as_vec_init(&e->choices, sizeof(choice));
  as_vec_init(&e->things, sizeof(thing));
}

static void end(extreme *e) {
  as_vec_clear(&e->choices);
  as_vec_clear(&e->things);
}

pv_thm pv_by_extremes(pv *prover, pv_ctx ctx, ck_id left, ck_id right) {
  int way = chooses(prover, left);
  way = way ? way : chooses(prover, right);
  if (way == 0)
    return PV_NONE;
  extreme side[2];
  start(&side[0], prover, ctx, way < 0, left);
  start(&side[1], prover, ctx, way < 0, right);
  pv_thm thm = PV_NONE;
  if (collect(&side[0], left, PV_NONE, 0) && collect(&side[1], right, PV_NONE, 0)) {
    size_t next[2] = {0, 0};
    pv_thm up = all_at_most(&side[1], &side[0], left, &next[0]);
    pv_thm down = up == PV_NONE ? PV_NONE : all_at_most(&side[0], &side[1], right, &next[1]);
    if (down != PV_NONE)
      thm = way < 0 ? pv_antisym(prover, down, up) : pv_antisym(prover, up, down);
  }
  end(&side[0]);
  end(&side[1]);
  return thm;
}
