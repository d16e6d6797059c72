/* Equations of terms in which choices nest, as activations of activations have them: choices get
 * names, from the innermost outwards, and what is outside speaks of the names.
 *
 * The normal form of `g(if(c, u, v))` is one of sums and products over the choice as an atom; with
 * another choice around it that speaks of the first in its condition and in both branches, and a
 * third around that, it is too long to be made.  Each choice, in its normal form, is called by a
 * variable of its own, on both sides by the same one, before the next choice around it gets its
 * normal form.  What is proved of all values of the variables holds of what they stand for. */
#include "pv_folds.h"
#include "src/base/trace.h"
#include <stdio.h>

enum { MOST_NAMES = 48, MOST_ATOMS = 16 };

typedef struct {
  pv *prover;
  pv_ctx ctx;
  ck_id choice[MOST_NAMES]; /* closed, in terms of names before */
  ck_id name[MOST_NAMES];
  uint32_t n;
} names;

/* which choices of reals are looked at: those that can have names, or those under binders too */
typedef bool choice_test(const ck_terms *terms, ck_id term);

static bool is_any_real_choice(const ck_terms *terms, ck_id term) {
  return ck_is(terms, term, CK_ITE) && !ck_is_int(terms, term);
}

static bool is_real_choice(const ck_terms *terms, ck_id term) {
  return is_any_real_choice(terms, term) && ck_is_closed(terms, term);
}

/* a choice of reals in which there is no other one; CK_BAD: none */
static ck_id innermost(const ck_terms *terms, ck_id term, as_map *seen) {
  uint64_t known;
  if (as_map_get(seen, AS_KEY(term), &known))
    return CK_BAD;
  as_map_put(seen, AS_KEY(term), 1);
  for (uint32_t i = 0; i < ck_nkids(terms, term); i++) {
    ck_id found = innermost(terms, ck_kid(terms, term, i), seen);
    if (found != CK_BAD)
      return found;
  }
  return is_real_choice(terms, term) ? term : CK_BAD;
}

/* is it a function whose normal form is no sum of its argument's parts? */
static bool wraps(const ck_terms *terms, ck_id term) {
  ck_op head = ck_head(terms, term);
  return head == CK_EXP || head == CK_LOG || head == CK_INV || head == CK_SQRT;
}

/* how many of these choices stand within each other; *wrapped: one stands within a function */
static uint32_t nesting(const ck_terms *terms, ck_id term, choice_test *counts, as_map *seen,
                        bool *wrapped) {
  uint64_t known;
  if (as_map_get(seen, AS_KEY(term), &known))
    return (uint32_t)known;
  uint32_t most = 0;
  for (uint32_t i = 0; i < ck_nkids(terms, term); i++) {
    uint32_t inside = nesting(terms, ck_kid(terms, term, i), counts, seen, wrapped);
    most = inside > most ? inside : most;
  }
  *wrapped = *wrapped || (most > 0 && wraps(terms, term));
  most += counts(terms, term);
  as_map_put(seen, AS_KEY(term), most);
  return most;
}

static uint32_t nesting_of(const ck_terms *terms, ck_id term, choice_test *counts, bool *wrapped) {
  as_map seen;
  as_map_init(&seen, 1);
  *wrapped = false;
  uint32_t most = nesting(terms, term, counts, &seen, wrapped);
  as_map_clear(&seen);
  return most;
}

uint32_t pv_nested_choices(const pv *prover, ck_id term) {
  bool wrapped;
  uint32_t most = nesting_of(prover->terms, term, is_real_choice, &wrapped);
  return wrapped ? most : 0;
}

/* the outermost choices of reals in a normal form; false: there are too many */
static bool atoms_of(const ck_terms *terms, ck_id term, as_map *seen, ck_id *atom, uint32_t *n) {
  uint64_t known;
  if (as_map_get(seen, AS_KEY(term), &known))
    return true;
  as_map_put(seen, AS_KEY(term), 1);
  if (is_real_choice(terms, term)) {
    if (*n == MOST_ATOMS)
      return false;
    atom[(*n)++] = term;
    return true;
  }
  for (uint32_t i = 0; i < ck_nkids(terms, term); i++) {
    if (!atoms_of(terms, ck_kid(terms, term, i), seen, atom, n))
      return false;
  }
  return true;
}

/* choice = name, as a hypothesis; CK_BAD: there are too many names */
static ck_id named(names *all, ck_id choice) {
  pv *prover = all->prover;
  uint32_t i = 0;
  while (i < all->n && all->choice[i] != choice)
    i++;
  if (i == MOST_NAMES)
    return CK_BAD;
  if (i == all->n) {
    char text[24];
    snprintf(text, sizeof text, "$$named%u", i);
    all->choice[i] = choice;
    all->name[i] = pv_real_var(prover, text);
    all->n++;
  }
  return pv_eq(prover, choice, all->name[i]);
}

/* the choice in its normal form, with names for the choices in that */
static pv_eqn name_choice(names *all, ck_id choice) {
  pv *prover = all->prover;
  ck_id atom[MOST_ATOMS];
  pv_thm is_named[MOST_ATOMS];
  uint32_t n = 0;
  as_map seen;
  pv_eqn normal = pv_norm(prover, all->ctx, choice);
  if (normal.by == PV_NONE)
    return normal;
  as_map_init(&seen, 1);
  bool few = atoms_of(prover->terms, normal.to, &seen, atom, &n);
  as_map_clear(&seen);
  if (!few)
    return pv_fail();
  for (uint32_t i = 0; i < n; i++) {
    ck_id formula = named(all, atom[i]);
    if (formula == CK_BAD)
      return pv_fail();
    is_named[i] = pv_hyp(prover, formula);
  }
  return pv_then(prover, normal, pv_rewrite(prover, normal.to, atom, is_named, n));
}

/* a fold of one round; CK_BAD: none */
static ck_id one_round(pv *prover, ck_id term, as_map *seen) {
  uint64_t known;
  if (as_map_get(seen, AS_KEY(term), &known))
    return CK_BAD;
  as_map_put(seen, AS_KEY(term), 1);
  if (ck_is(prover->terms, term, CK_FOLD) && ck_is_closed(prover->terms, term) &&
      pv_has_few_rounds(prover, term, 1))
    return term;
  for (uint32_t i = 0; i < ck_nkids(prover->terms, term); i++) {
    ck_id found = one_round(prover, ck_kid(prover->terms, term, i), seen);
    if (found != CK_BAD)
      return found;
  }
  return CK_BAD;
}

/* the term with what folds of one round make of their base */
static pv_eqn rounds_written_out(pv *prover, ck_id term) {
  pv_eqn eqn = pv_same(term);
  for (uint32_t tries = 0; tries < MOST_NAMES && eqn.by != PV_NONE; tries++) {
    as_map seen;
    as_map_init(&seen, 1);
    ck_id fold = one_round(prover, eqn.to, &seen);
    as_map_clear(&seen);
    if (fold == CK_BAD)
      return eqn;
    pv_thm out = pv_by_last_round(prover, fold).by;
    eqn = pv_then(prover, eqn, pv_rewrite(prover, eqn.to, &fold, &out, 1));
  }
  return eqn;
}

/* the term with names for its choices */
static pv_eqn with_names(names *all, ck_id term) {
  pv *prover = all->prover;
  pv_eqn eqn = rounds_written_out(prover, term);
  for (uint32_t tries = 0; tries <= 2 * MOST_NAMES && eqn.by != PV_NONE; tries++) {
    as_map seen;
    as_map_init(&seen, 1);
    ck_id choice = innermost(prover->terms, eqn.to, &seen);
    as_map_clear(&seen);
    if (choice == CK_BAD)
      return eqn;
    pv_thm same = name_choice(all, choice).by;
    if (same == PV_NONE || same == PV_REFL)
      return pv_fail();
    eqn = pv_then(prover, eqn, pv_rewrite(prover, eqn.to, &choice, &same, 1));
  }
  return pv_fail();
}

/* the theorem without names: each is what it stands for, the last one first */
static pv_thm without_names(const names *all, pv_thm thm) {
  pv *prover = all->prover;
  for (uint32_t i = all->n; i-- > 0 && thm != PV_NONE;) {
    pv_var_sub stands = {all->name[i], all->choice[i]};
    pv_thm itself = pv_refl(prover, all->choice[i]);
    thm = pv_inst(prover, thm, &stands, 1, NULL, 0, &itself, 1);
  }
  return thm;
}

pv_ctx pv_ctx_without_choices(pv *prover, pv_ctx ctx, uint32_t most) {
  if (ctx == 0)
    return 0;
  pv_assumption last = *pv_at(prover, ctx);
  pv_ctx before = pv_ctx_without_choices(prover, last.parent, most);
  bool wrapped;
  bool leave = nesting_of(prover->terms, last.formula, is_any_real_choice, &wrapped) > most;
  leave = leave && (wrapped || most == 0);
  if (leave)
    return before;
  if (before == last.parent)
    return ctx;
  return last.var != CK_BAD ? pv_ctx_push(prover, before, last.formula, last.var)
                            : pv_ctx_know(prover, before, last.thm);
}

pv_thm pv_by_names(pv *prover, pv_ctx goal, ck_id left, ck_id right) {
  pv_ctx ctx = pv_ctx_derive(prover, pv_ctx_without_choices(prover, goal, 0));
  names all = {.prover = prover, .ctx = ctx};
  pv_eqn side[2] = {with_names(&all, left), pv_fail()};
  if (side[0].by != PV_NONE)
    side[1] = with_names(&all, right);
  if (side[1].by == PV_NONE)
    AS_TRACE(PROVE, "too many choices for names, or one without a normal form: %u", all.n);
  if (side[1].by == PV_NONE)
    return PV_NONE;
  AS_TRACE(PROVE, "%u choices have names: %s and %s", all.n, ck_show(prover->terms, side[0].to),
           ck_show(prover->terms, side[1].to));
  pv_thm same = pv_prove_eq(prover, ctx, side[0].to, side[1].to, 0);
  same = pv_trans(prover, pv_trans(prover, side[0].by, same), pv_sym(prover, side[1].by));
  return without_names(&all, same);
}
