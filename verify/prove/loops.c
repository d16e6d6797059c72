/* Recursive definitions in closed form (see pv_loops.h).
 *
 * What a loop carries is defined by X[0, p] = base[p] and X[k + 1, p] = after[k, p], where `after`
 * speaks of X[k, ..] in many places.  It is written out in other symbols, and where it reads X[k,
 * p] alone, X[k, p] is the fold of that over the iterations: by induction over their number, and
 * for a negative number by the clause for none.  What depends on another tensor of the same loop
 * waits until that one is known. */
#include "pv_folds.h"
#include "pv_loops.h"
#include "src/base/mem.h"
#include "src/base/trace.h"
#include <stdlib.h>
#include <string.h>

/* LONG_LEAF, NESTED_CHOICES: what is longer, with so many choices of reals within each other, has
 * no short normal form, and stays as it stands (named.c) */
enum { MOST_CHOICES = 64, LONG_LEAF = 200, NESTED_CHOICES = 2 };

typedef struct {
  pv *prover;
  pv_defs *defs;
  const ck_claim *claim;
  pv_ctx sizes;
  bool *open;     /* recursive, and not in closed form yet */
  pv_thm *closed; /* what is in closed form: the theorem that says so; PV_NONE: none */
  pv_twins *twins;
  bool alone[2]; /* was there a body that reads itself alone without stores inside; with some */
} solver;

static ck_id applied(const solver *all, const ck_definition *def) {
  return ck_make(all->prover->terms, CK_APP, def->name, def->signature, def->parameter, def->n);
}

/* --- quotients that the sizes decide, as (k * N) div N */
enum { MOST_QUOTIENTS = 16 };

typedef struct {
  ck_id from[MOST_QUOTIENTS];
  pv_thm by[MOST_QUOTIENTS];
  uint32_t n;
} quotients;

static void find_quotients(const solver *all, ck_id t, as_map *seen, quotients *found) {
  pv *prover = all->prover;
  uint64_t known;
  if (as_map_get(seen, AS_KEY(t), &known) || found->n == MOST_QUOTIENTS)
    return;
  as_map_put(seen, AS_KEY(t), 1);
  for (uint32_t i = 0; i < ck_nkids(prover->terms, t); i++)
    find_quotients(all, ck_kid(prover->terms, t, i), seen, found);
  bool divides = ck_is(prover->terms, t, CK_DIV) || ck_is(prover->terms, t, CK_MOD);
  if (!divides || !ck_is_closed(prover->terms, t) || found->n == MOST_QUOTIENTS)
    return;
  pv_eqn normal = pv_norm(prover, all->sizes, t);
  bool simpler = normal.by != PV_NONE && normal.by != PV_REFL &&
                 !ck_is(prover->terms, normal.to, CK_DIV) &&
                 !ck_is(prover->terms, normal.to, CK_MOD) && ck_is_int(prover->terms, normal.to);
  if (simpler) {
    found->from[found->n] = t;
    found->by[found->n++] = normal.by;
  }
}

static pv_eqn without_quotients(const solver *all, ck_id t) {
  pv *prover = all->prover;
  pv_eqn eqn = pv_same(t);
  for (bool more = true; more && eqn.by != PV_NONE;) {
    as_map seen;
    quotients found = {.n = 0};
    as_map_init(&seen, 1);
    find_quotients(all, eqn.to, &seen, &found);
    as_map_clear(&seen);
    more = found.n > 0;
    if (more)
      eqn = pv_then(prover, eqn, pv_rewrite(prover, eqn.to, found.from, found.by, found.n));
  }
  return eqn.by == PV_NONE ? eqn : pv_then(prover, eqn, pv_index_canon(prover, eqn.to));
}

/* --- folds in each other, lanes of a store or iterations: from the innermost outwards; ctx: also
 * the ranges of those around */
static pv_eqn tidy_nest(pv *prover, pv_ctx ctx, ck_id term, uint32_t depth) {
  ck_terms *terms = prover->terms;
  char name[24];
  if (!ck_is(terms, term, CK_FOLD) || ck_width(terms, term) != 1)
    return pv_same(term);
  ck_id bound = ck_kid(terms, term, 0);
  snprintf(name, sizeof name, "$$lane%u", depth);
  ck_id k = pv_int_var(prover, name);
  snprintf(name, sizeof name, "$$held%u", depth);
  ck_id vars[2] = {k, pv_real_var(prover, name)};
  ck_id step = ck_open(terms, ck_kid(terms, term, 2), vars, 2);
  pv_ctx inside = pv_ctx_push(prover, ctx, pv_ge0(prover, k), CK_BAD);
  inside = pv_ctx_push(prover, inside, pv_lt(prover, k, bound), CK_BAD);
  pv_eqn inner = tidy_nest(prover, inside, step, depth + 1);
  pv_eqn eqn = pv_same(term);
  if (inner.by == PV_NONE)
    return inner;
  if (inner.by != PV_REFL) {
    eqn.to = pv_fold1(prover, bound, ck_kid(terms, term, 1), vars[0], vars[1], inner.to);
    eqn.by = pv_foldcong(prover, term, eqn.to, vars, 2, &inner.by, 1);
  }
  if (eqn.by == PV_NONE)
    return pv_fail();
  return pv_then(prover, eqn, pv_tidy_fold(prover, ctx, eqn.to));
}

/* symbol i at its parameters is body, by that theorem */
static void solved(const solver *all, uint32_t i, ck_id body, pv_thm by) {
  AS_TRACE(PROVE, "%s is %s",
           ck_show(all->prover->terms, applied(all, &all->claim->definitions[i])),
           ck_show(all->prover->terms, body));
  all->open[i] = false;
  all->closed[i] = by;
  pv_defs_solve(all->defs, i, body, by);
}

/* the closed form of the twin of symbol i, if there is one, as its own */
static bool solve_as_twin(const solver *all, uint32_t i) {
  uint32_t twin = pv_twin(all->twins, i);
  pv_thm there = twin == PV_NONE ? PV_NONE : all->closed[twin];
  pv_thm here = pv_twin_theorem(all->twins, there);
  if (here != PV_NONE)
    solved(all, i, pv_right(all->prover, here), here);
  return here != PV_NONE;
}

/* --- what is left behind a kernel's loop */
/* how many iterations symbol i of an outermost loop is asked for behind the loop; CK_BAD: it is not
 */
static ck_id count_in(const solver *all, ck_id term, uint32_t i, as_map *seen) {
  const ck_terms *terms = all->prover->terms;
  uint64_t known;
  if (as_map_get(seen, AS_KEY(term), &known))
    return CK_BAD;
  as_map_put(seen, AS_KEY(term), 1);
  if (pv_defs_number(all->defs, term) == i)
    return ck_kid(terms, term, 0);
  ck_id found = CK_BAD;
  for (uint32_t k = 0; k < ck_nkids(terms, term) && found == CK_BAD; k++)
    found = count_in(all, ck_kid(terms, term, k), i, seen);
  return found;
}

static ck_id count_behind(const solver *all, uint32_t i) {
  const ck_claim *claim = all->claim;
  ck_id found = CK_BAD;
  as_map seen;
  as_map_init(&seen, 1);
  for (uint32_t k = claim->definitions[i].until; k < claim->n_definitions && found == CK_BAD; k++) {
    const ck_definition *def = &claim->definitions[k];
    found = count_in(all, def->body, i, &seen);
    if (found == CK_BAD && def->carried)
      found = count_in(all, def->base, i, &seen);
  }
  for (uint32_t k = 0; k < claim->n_goals && found == CK_BAD; k++)
    found = count_in(all, claim->goals[k].formula, i, &seen);
  as_map_clear(&seen);
  return found;
}

/* symbol i at its parameters is what the theorem says: what its tensor is behind the loop */
static void leave(const solver *all, uint32_t i, pv_thm thm) {
  pv *prover = all->prover;
  const ck_definition *def = &all->claim->definitions[i];
  ck_id count = def->n_loops == 1 ? count_behind(all, i) : CK_BAD;
  if (count == CK_BAD || !ck_is_closed(prover->terms, count))
    return;
  pv_eqn normal = pv_norm(prover, all->sizes, count);
  if (normal.by == PV_NONE)
    return;
  pv_var_sub over = {def->parameter[0], normal.to};
  pv_thm then = pv_inst(prover, thm, &over, 1, NULL, 0, NULL, 0);
  if (then == PV_NONE)
    return;
  pv_eqn eqn = {pv_right(prover, then), then};
  eqn = pv_then(prover, eqn, pv_few_conditions(prover, all->sizes, eqn.to, def->base));
  if (eqn.by != PV_NONE)
    eqn = pv_then(prover, eqn, pv_choices_under(prover, all->sizes, eqn.to));
  if (eqn.by == PV_NONE)
    return;
  AS_TRACE(PROVE, "%s is left as %s", ck_word_text(prover->terms, def->name),
           ck_show(prover->terms, eqn.to));
  pv_defs_leave(all->defs, i, count, normal, eqn.to, eqn.by);
}

static void solve_store(const solver *all, uint32_t i) {
  pv *prover = all->prover;
  const ck_definition *def = &all->claim->definitions[i];
  pv_eqn eqn = tidy_nest(prover, all->sizes, def->body, 0);
  if (eqn.by == PV_NONE || eqn.by == PV_REFL)
    return;
  pv_thm clause = pv_hyp(prover, def->clause);
  pv_thm body = def->n ? pv_use(prover, clause, def->parameter, def->n, NULL, 0) : clause;
  eqn = pv_then(prover, eqn, without_quotients(all, eqn.to));
  pv_thm thm = pv_trans(prover, body, eqn.by);
  if (thm != PV_NONE)
    solved(all, i, eqn.to, thm);
}

/* --- recursions */
/* does t apply a symbol of the same loop that is not in closed form, but this one? */
static bool waits(const solver *all, ck_id t, uint32_t number, as_map *seen) {
  const ck_terms *terms = all->prover->terms;
  uint64_t known;
  if (as_map_get(seen, AS_KEY(t), &known))
    return false;
  as_map_put(seen, AS_KEY(t), 1);
  const ck_definition *here = &all->claim->definitions[number];
  uint32_t other = pv_defs_number(all->defs, t);
  if (other != PV_NONE && other != number && all->open[other]) {
    const ck_definition *def = &all->claim->definitions[other];
    if (def->n_loops >= here->n_loops &&
        def->loop[here->n_loops - 1] == here->loop[here->n_loops - 1])
      return true;
  }
  for (uint32_t i = 0; i < ck_nkids(terms, t); i++) {
    if (waits(all, ck_kid(terms, t, i), number, seen))
      return true;
  }
  return false;
}

/* does t apply the symbol to nothing but its parameters? */
static bool reads_itself_alone(const solver *all, ck_id t, uint32_t number, ck_id self,
                               as_map *seen) {
  const ck_terms *terms = all->prover->terms;
  uint64_t known;
  if (as_map_get(seen, AS_KEY(t), &known) || t == self)
    return true;
  as_map_put(seen, AS_KEY(t), 1);
  if (pv_defs_number(all->defs, t) == number)
    return false;
  for (uint32_t i = 0; i < ck_nkids(terms, t); i++) {
    if (!reads_itself_alone(all, ck_kid(terms, t, i), number, self, seen))
      return false;
  }
  return true;
}

/* --- what is read where a condition says that it is the place at hand */
typedef struct {
  const solver *all;
  uint32_t number; /* of the symbol that is read; PV_NONE: none */
  ck_id self;
  ck_id cond[PV_MAX_CHAIN]; /* which hold here */
  uint32_t n;
  pv_ctx ctx; /* these, and what is known of sizes and of the iteration */
} reader;

/* the claim from the condition, both equations of integers whose differences have one normal form,
 * or one of the other sign */
static pv_thm equal_up_to_form(const reader *read, ck_id cond, ck_id claim) {
  pv *prover = read->all->prover;
  pv_eqn normal[2];
  for (int i = 0; i < 2; i++) {
    ck_id relation = i ? claim : cond;
    ck_id left = ck_kid(prover->terms, relation, 0);
    ck_id right = ck_kid(prover->terms, relation, 1);
    if (!ck_is_int(prover->terms, left) || !ck_is_int(prover->terms, right))
      return PV_NONE;
    normal[i] = pv_norm(prover, read->ctx, pv_sub(prover, right, left));
    if (normal[i].by == PV_NONE)
      return PV_NONE;
  }
  bool same = normal[0].to == normal[1].to;
  if (!same && pv_canon(prover, pv_neg(prover, normal[0].to)) != normal[1].to)
    return PV_NONE;
  /* claim: g = g' by normal[1], g' = +-c', c = c' by normal[0], 0 = c */
  ck_id sign = pv_num(prover, same ? 1 : -1);
  return PV_COMBINE(prover, claim, sign, pv_hyp(prover, cond), sign, normal[0].by,
                    pv_num(prover, -1), normal[1].by);
}

/* a = b by an equation that holds here */
static pv_thm equal_here(const reader *read, ck_id a, ck_id b) {
  pv *prover = read->all->prover;
  ck_id claim = pv_eq(prover, a, b);
  ck_id gap = pv_canon(prover, pv_sub(prover, b, a));
  for (uint32_t i = 0; i < read->n; i++) {
    ck_id cond = read->cond[i];
    if (ck_head(prover->terms, cond) != CK_EQ)
      continue;
    ck_id left = ck_kid(prover->terms, cond, 0);
    ck_id right = ck_kid(prover->terms, cond, 1);
    for (int sign = -1; sign <= 1; sign += 2) {
      ck_id same = sign > 0 ? pv_sub(prover, right, left) : pv_sub(prover, left, right);
      if (pv_canon(prover, same) == gap)
        return pv_scaled(prover, claim, pv_num(prover, sign), pv_hyp(prover, cond));
    }
    pv_thm thm = equal_up_to_form(read, cond, claim);
    if (thm != PV_NONE)
      return thm;
  }
  return PV_NONE;
}

/* cond, if it holds here: because it stands in the list, or is between constants */
static pv_thm holds_here(const reader *read, ck_id cond) {
  pv *prover = read->all->prover;
  ck_terms *terms = prover->terms;
  for (uint32_t i = 0; i < read->n; i++) {
    if (read->cond[i] == cond)
      return pv_hyp(prover, cond);
  }
  ck_id left = ck_kid(terms, cond, 0);
  ck_id right = ck_kid(terms, cond, 1);
  ck_id gap = pv_canon(prover, pv_sub(prover, right, left));
  if (gap == CK_BAD)
    return PV_NONE;
  if (!pv_is_const(prover, gap))
    return ck_is_int(terms, left) && ck_is_int(terms, right) ? pv_follows(prover, read->ctx, cond)
                                                             : PV_NONE;
  int sign = pv_const_sign(prover, gap);
  ck_op head = ck_head(terms, cond);
  bool yes = head == CK_EQ   ? sign == 0
             : head == CK_NE ? sign != 0
             : head == CK_LE ? sign >= 0
                             : sign > 0;
  pv_summand whole = {gap, NULL, 0};
  if (!yes)
    return PV_NONE;
  return head == CK_EQ ? pv_identity(prover, cond) : pv_arith(prover, cond, &whole, sign != 0);
}

/* a choice, made if its condition is decided; PV_REFL: it is not, or t is no choice */
static pv_eqn choose_here(const reader *read, ck_id t) {
  pv *prover = read->all->prover;
  if (!ck_is(prover->terms, t, CK_ITE))
    return pv_same(t);
  ck_id cond = ck_kid(prover->terms, t, 0);
  pv_thm yes = ck_is_closed(prover->terms, cond) ? holds_here(read, cond) : PV_NONE;
  pv_thm no = yes == PV_NONE && ck_is_closed(prover->terms, cond)
                  ? holds_here(read, ck_neg(prover->terms, cond))
                  : PV_NONE;
  if (yes == PV_NONE && no == PV_NONE)
    return pv_same(t);
  pv_thm law =
      yes != PV_NONE ? pv_law(prover, "ite1", &t, 1, yes) : pv_law(prover, "ite0", &t, 1, no);
  return law == PV_NONE ? pv_same(t) : (pv_eqn){pv_right(prover, law), law};
}

/* a choice within t that can be made; CK_BAD: none */
static ck_id decided_choice(const reader *read, ck_id t, as_map *seen, pv_thm *by) {
  const ck_terms *terms = read->all->prover->terms;
  uint64_t known;
  if (as_map_get(seen, AS_KEY(t), &known))
    return CK_BAD;
  as_map_put(seen, AS_KEY(t), 1);
  if (ck_is(terms, t, CK_ITE) && ck_is_closed(terms, t)) {
    pv_eqn made = choose_here(read, t);
    if (made.by != PV_REFL) {
      *by = made.by;
      return t;
    }
  }
  for (uint32_t i = 0; i < ck_nkids(terms, t); i++) {
    ck_id found = decided_choice(read, ck_kid(terms, t, i), seen, by);
    if (found != CK_BAD)
      return found;
  }
  return CK_BAD;
}

static pv_eqn choices_made(const reader *read, ck_id t) {
  pv *prover = read->all->prover;
  pv_eqn eqn = pv_same(t);
  for (int tries = 0; tries < MOST_CHOICES && eqn.by != PV_NONE; tries++) {
    as_map seen;
    pv_thm by = PV_NONE;
    as_map_init(&seen, 1);
    ck_id found = decided_choice(read, eqn.to, &seen, &by);
    as_map_clear(&seen);
    if (found == CK_BAD)
      return eqn;
    eqn = pv_then(prover, eqn, pv_rewrite(prover, eqn.to, &found, &by, 1));
  }
  return eqn;
}

/* an application of the symbol in t, to other arguments; CK_BAD: none */
static ck_id other_reading(const reader *read, ck_id t, as_map *seen) {
  const ck_terms *terms = read->all->prover->terms;
  uint64_t known;
  if (as_map_get(seen, AS_KEY(t), &known) || t == read->self || read->number == PV_NONE)
    return CK_BAD;
  as_map_put(seen, AS_KEY(t), 1);
  if (pv_defs_number(read->all->defs, t) == read->number)
    return t;
  for (uint32_t i = 0; i < ck_nkids(terms, t); i++) {
    ck_id found = other_reading(read, ck_kid(terms, t, i), seen);
    if (found != CK_BAD)
      return found;
  }
  return CK_BAD;
}

/* t with such applications at the place at hand, as far as equations say that they are */
static pv_eqn places_at_hand(const reader *read, ck_id t) {
  pv *prover = read->all->prover;
  pv_eqn eqn = pv_same(t);
  for (int tries = 0; tries < MOST_CHOICES && eqn.by != PV_NONE; tries++) {
    as_map seen;
    as_map_init(&seen, 1);
    ck_id found = other_reading(read, eqn.to, &seen);
    as_map_clear(&seen);
    if (found == CK_BAD || !ck_is_closed(prover->terms, found))
      return eqn;
    pv_thm premise[16];
    uint32_t n = 0;
    for (uint32_t k = 0; k < ck_nkids(prover->terms, found); k++) {
      ck_id argument = ck_kid(prover->terms, found, k);
      ck_id wanted = ck_kid(prover->terms, read->self, k);
      if (argument != wanted)
        premise[n++] = equal_here(read, argument, wanted);
      if (n && premise[n - 1] == PV_NONE)
        return eqn;
    }
    pv_thm same = pv_cong(prover, found, read->self, premise, n);
    eqn = pv_then(prover, eqn, pv_rewrite(prover, eqn.to, &found, &same, 1));
    if (eqn.by == PV_NONE)
      return eqn;
  }
  return eqn;
}

/* the same, with choices that are decided made, in normal form, if there is one */
static pv_eqn normal_leaf(const reader *read, ck_id t) {
  pv_eqn eqn = choices_made(read, t);
  if (eqn.by == PV_NONE)
    return eqn;
  eqn = pv_then(read->all->prover, eqn, places_at_hand(read, eqn.to));
  if (eqn.by == PV_NONE)
    return eqn;
  if (pv_nested_choices(read->all->prover, eqn.to) >= NESTED_CHOICES &&
      pv_tree_size(read->all->prover, eqn.to) > LONG_LEAF)
    return pv_then(read->all->prover, eqn, pv_index_canon(read->all->prover, eqn.to));
  pv_eqn normal = pv_norm(read->all->prover, read->ctx, eqn.to);
  return normal.by == PV_NONE ? eqn : pv_then(read->all->prover, eqn, normal);
}

static pv_eqn read_here(reader *read, ck_id t) {
  pv *prover = read->all->prover;
  if (!ck_is(prover->terms, t, CK_ITE) || read->n == PV_MAX_CHAIN)
    return normal_leaf(read, t);
  pv_eqn chosen = choose_here(read, t);
  if (chosen.by == PV_REFL)
    chosen = places_at_hand(read, t);
  if (chosen.by != PV_REFL)
    return chosen.by == PV_NONE ? chosen : pv_then(prover, chosen, read_here(read, chosen.to));
  ck_id cond = ck_kid(prover->terms, t, 0);
  pv_eqn branch[2];
  for (uint32_t i = 0; i < 2; i++) {
    ck_id here = i ? ck_neg(prover->terms, cond) : cond;
    pv_ctx outside = read->ctx;
    read->cond[read->n++] = here;
    ck_op head = ck_head(prover->terms, here); /* an equation would rename what it speaks of */
    if (head == CK_LE || head == CK_LT)
      read->ctx = pv_ctx_push(prover, read->ctx, here, CK_BAD);
    branch[i] = read_here(read, ck_kid(prover->terms, t, 1 + i));
    read->ctx = outside;
    read->n--;
    if (branch[i].by == PV_NONE)
      return branch[i];
  }
  return pv_choice_of(prover, t, branch);
}

pv_eqn pv_choices_under(pv *prover, pv_ctx ctx, ck_id term) {
  solver all = {.prover = prover};
  reader read = {.all = &all, .number = PV_NONE, .self = CK_BAD, .ctx = ctx};
  return read_here(&read, term);
}

typedef struct {
  const ck_definition *whole; /* as it stands in the claim */
  const ck_definition *def;   /* the same, or with numbers for some of its parameters */
  ck_id self;                 /* the symbol at its parameters */
  ck_id counter;
  ck_id j;
  ck_id state;
  pv_eqn after; /* the body, written out */
  ck_id step;   /* the same with the state */
} recursion;

static ck_id at(pv *prover, const recursion *rec, ck_id term, ck_id count) {
  return ck_sub(prover->terms, term, &rec->counter, &count, 1, NULL, 0);
}

static ck_id fold_to(pv *prover, const recursion *rec, ck_id count) {
  return pv_fold1(prover, count, rec->def->base, rec->counter, rec->state, rec->step);
}

static ck_id with_base(pv *prover, const recursion *rec, ck_id base) {
  return pv_fold1(prover, rec->counter, base, rec->counter, rec->state, rec->step);
}

/* a clause of the definition where so many iterations are counted */
static pv_thm clause_at(pv *prover, const recursion *rec, ck_id clause, ck_id count,
                        pv_thm premise) {
  ck_id argument[16];
  for (uint32_t k = 0; k < rec->def->n; k++)
    argument[k] = rec->def->parameter[k] == rec->counter ? count : rec->def->parameter[k];
  return pv_use(prover, pv_hyp(prover, clause), argument, rec->def->n, &premise, 1);
}

/* before iterations: the base, which both sides are */
static pv_thm before_first(pv *prover, const recursion *rec, ck_id count, pv_thm none) {
  pv_thm left = clause_at(prover, rec, rec->def->base_clause, count, none);
  return pv_trans(prover, left, pv_sym(prover, pv_zero(prover, fold_to(prover, rec, count), none)));
}

static pv_thm one_more(pv *prover, const recursion *rec, pv_thm assumed) {
  ck_id j_next = pv_add(prover, rec->j, prover->one);
  pv_thm nonneg = pv_hyp(prover, pv_ge0(prover, rec->j));
  pv_thm left = clause_at(prover, rec, rec->def->clause, rec->j, nonneg);
  pv_var_sub sub = {rec->counter, rec->j};
  pv_thm after = rec->after.by == PV_REFL
                     ? PV_REFL
                     : pv_inst(prover, rec->after.by, &sub, 1, NULL, 0, NULL, 0);
  ck_id self = at(prover, rec, rec->self, rec->j);
  pv_eqn eqn = pv_rewrite(prover, at(prover, rec, rec->after.to, rec->j), &self, &assumed, 1);
  pv_thm right = pv_succ(prover, fold_to(prover, rec, j_next), rec->j, nonneg);
  return pv_trans(prover, pv_trans(prover, left, pv_trans(prover, after, eqn.by)),
                  pv_sym(prover, right));
}

/* symbol[parameters] = fold */
static pv_thm by_induction(pv *prover, const recursion *rec) {
  ck_id claim = pv_eq(prover, at(prover, rec, rec->self, rec->j), fold_to(prover, rec, rec->j));
  ck_id negative = pv_le(prover, rec->counter, prover->zero);
  pv_thm positive = pv_hyp(prover, pv_gt0(prover, rec->counter));
  pv_thm nonneg = pv_scaled(prover, pv_ge0(prover, rec->counter), prover->one, positive);
  pv_thm base = before_first(prover, rec, prover->zero, pv_zero_le_zero(prover));
  pv_thm step = one_more(prover, rec, pv_hyp(prover, claim));
  pv_thm some = pv_induct(prover, rec->j, rec->counter, 0, &claim, &base, &step, 1, nonneg);
  pv_thm none = before_first(prover, rec, rec->counter, pv_hyp(prover, negative));
  return pv_cases(prover, negative, none, some);
}

/* the body with the state for the symbol, which it reads at its parameters */
static ck_id with_state(pv *prover, const recursion *rec) {
  const ck_definition *def = rec->whole;
  ck_fsub state = {def->name, def->signature, def->parameter, def->n, rec->state};
  return ck_sub(prover->terms, rec->after.to, NULL, NULL, 0, &state, 1);
}

static bool itself_alone(const solver *all, const recursion *rec, uint32_t number) {
  as_map seen;
  as_map_init(&seen, 1);
  bool alone = reads_itself_alone(all, rec->after.to, number, rec->self, &seen);
  as_map_clear(&seen);
  return alone;
}

/* writes the body so that it reads the symbol nowhere but at its parameters; false: it does not */
static bool written_for_itself(solver *all, recursion *rec, uint32_t number) {
  pv *prover = all->prover;
  pv_ctx inside = pv_ctx_push(prover, all->sizes, pv_ge0(prover, rec->counter), CK_BAD);
  reader read = {.all = all, .number = number, .self = rec->self, .ctx = inside};
  /* a second time, as several stores of an iteration are choices over each other at first */
  for (int tries = 0; tries < 2; tries++) {
    pv_reads reads = {.def = rec->def, .self = rec->self, .after = rec->after};
    reads.chain = pv_chain_read(prover, rec->after.to, rec->self);
    if (tries > 0 && reads.chain.n == 0)
      break;
    prover->reads = reads.chain.n && rec->def == rec->whole ? &reads : NULL;
    rec->after = pv_then(prover, rec->after, read_here(&read, rec->after.to));
    prover->reads = NULL;
    if (rec->after.by == PV_NONE)
      return false;
    if (itself_alone(all, rec, number))
      return true;
  }
  AS_TRACE(PROVE, "%s reads other places: %s", ck_word_text(prover->terms, rec->def->name),
           ck_show(prover->terms, rec->after.to));
  return false;
}

/* the fold with its base written out, as a scale times a sum: before ranges of lanes and rounds are
 * known, as what they decide is decided in the folds that it reads too */
static pv_eqn rescaled_from_number(solver *all, const recursion *rec) {
  pv *prover = all->prover;
  ck_id base = rec->def->base;
  pv_eqn out = pv_defs_out(all->defs, PV_WHOLE, base);
  pv_eqn eqn = pv_same(fold_to(prover, rec, rec->counter));
  out = out.by == PV_NONE ? out : pv_then(prover, out, pv_norm(prover, all->sizes, out.to));
  if (out.by == PV_NONE || !pv_is_zero(prover, out.to))
    return pv_fail();
  if (out.by != PV_REFL)
    eqn.by = pv_cong(prover, eqn.to, with_base(prover, rec, out.to), &out.by, 1);
  eqn.to = with_base(prover, rec, out.to);
  pv_eqn scaled = eqn.by == PV_NONE ? eqn : pv_rescaled_by_cases(prover, all->sizes, eqn.to);
  return scaled.by == PV_NONE ? scaled : pv_then(prover, eqn, scaled);
}

/* is it a fold whose rounds keep what was there under conditions? */
static bool stores_in_rounds(pv *prover, ck_id term) {
  ck_terms *terms = prover->terms;
  if (!ck_is(terms, term, CK_FOLD) || ck_width(terms, term) != 1)
    return false;
  ck_id vars[2] = {pv_int_var(prover, "$$lane"), pv_real_var(prover, "$$held")};
  ck_id step = ck_open(terms, ck_kid(terms, term, 2), vars, 2);
  return ck_is(terms, step, CK_ITE) && !ck_has_var(terms, ck_kid(terms, step, 0), vars[1]);
}

/* symbol[parameters] = fold, with its body as it stands, of as many iterations as the symbol is
 * asked for behind the loop, tidied: there all numbers of iterations have ranges, by which a loop
 * inside may be found to store in one of its rounds alone */
static pv_thm as_stated_behind(const solver *all, recursion *rec, uint32_t i) {
  pv *prover = all->prover;
  const ck_definition *def = rec->def;
  ck_id count = def->n_loops == 1 ? count_behind(all, i) : CK_BAD;
  if (count == CK_BAD || !ck_is_closed(prover->terms, count))
    return PV_NONE;
  rec->step = with_state(prover, rec);
  pv_thm thm = by_induction(prover, rec);
  pv_eqn normal = pv_norm(prover, all->sizes, count);
  if (thm == PV_NONE || normal.by == PV_NONE)
    return PV_NONE;
  pv_var_sub over = {rec->counter, normal.to};
  thm = pv_inst(prover, thm, &over, 1, NULL, 0, NULL, 0);
  pv_eqn tidy =
      thm == PV_NONE ? pv_fail() : tidy_nest(prover, all->sizes, pv_right(prover, thm), 0);
  return tidy.by == PV_NONE || ck_is(prover->terms, tidy.to, CK_FOLD)
             ? PV_NONE
             : pv_trans(prover, thm, tidy.by);
}

/* does the body wait for a symbol of its loop that is not in closed form yet? */
static bool body_waits(const solver *all, const recursion *rec, uint32_t i) {
  as_map seen;
  as_map_init(&seen, 1);
  bool waiting = waits(all, rec->after.to, i, &seen);
  as_map_clear(&seen);
  return waiting;
}

/* The body with the choices made that the conditions around decide: of a tensor that an iteration
 * stores before it loads it the elements before the iteration stand there no more. */
static void make_choices(solver *all, recursion *rec, uint32_t i) {
  pv *prover = all->prover;
  pv_ctx inside = pv_ctx_push(prover, all->sizes, pv_ge0(prover, rec->counter), CK_BAD);
  reader read = {.all = all, .number = i, .self = rec->self, .ctx = inside};
  rec->after = pv_then(prover, rec->after, read_here(&read, rec->after.to));
}

/* symbol[parameters] = fold, tidied, with the body in rec; as_stated: which stands as it was */
static pv_eqn tidied_fold(solver *all, recursion *rec, bool as_stated) {
  pv *prover = all->prover;
  rec->step = with_state(prover, rec);
  pv_thm thm = by_induction(prover, rec);
  if (thm == PV_NONE)
    return pv_fail();
  pv_eqn tidy = as_stated ? rescaled_from_number(all, rec) : pv_fail();
  if (tidy.by == PV_NONE)
    tidy = tidy_nest(prover, all->sizes, fold_to(prover, rec, rec->counter), 0);
  if (tidy.by == PV_NONE)
    tidy = pv_same(fold_to(prover, rec, rec->counter));
  tidy = pv_then(prover, tidy, without_quotients(all, tidy.to));
  reader read = {.all = all, .number = PV_NONE, .self = rec->self, .ctx = all->sizes};
  tidy = tidy.by == PV_NONE ? tidy : pv_then(prover, tidy, read_here(&read, tidy.to));
  return (pv_eqn){tidy.to, pv_trans(prover, thm, tidy.by)};
}

/* does an iteration hand what it was given to a fold inside, as a loop or lanes that store do? */
static bool stores_inside(pv *prover, const recursion *rec) {
  ck_terms *terms = prover->terms;
  ck_id after = rec->after.to;
  return ck_is(terms, after, CK_FOLD) && ck_width(terms, after) == 1 &&
         ck_kid(terms, after, 1) == rec->self;
}

/* does the body, which reads itself alone, stand as it was?  One that does keeps what a sum is
 * rescaled by; of stores the places may be found only in its normal form */
static bool to_stand(solver *all, const recursion *rec) {
  pv *prover = all->prover;
  bool stores = stores_inside(prover, rec);
  all->alone[stores] = true;
  prover->matter |= PV_AS_STATED;
  if (all->alone[0] && all->alone[1])
    prover->matter |= PV_NUMBERS_AS_STATED;
  return prover->ways & PV_AS_STATED || (prover->ways & PV_NUMBERS_AS_STATED && !stores);
}

/* in_turns: a tensor and another one may each be stored from the other by each iteration */
static bool solve_recursion(solver *all, uint32_t i, bool in_turns) {
  pv *prover = all->prover;
  recursion rec = {.whole = &all->claim->definitions[i]};
  pv_one_place one;
  pv_thm same = PV_REFL;
  rec.def = rec.whole;
  rec.self = applied(all, rec.def);
  rec.counter = rec.def->parameter[rec.def->n_loops - 1];
  rec.j = pv_int_var(prover, "$$round");
  rec.state = pv_real_var(prover, "$$carried");
  pv_defs_within(all->defs, rec.def->loop[0]);
  rec.after = pv_defs_out(all->defs, PV_KERNEL, rec.def->body);
  if (rec.after.by == PV_NONE)
    return false;
  rec.after = pv_then(prover, rec.after, without_quotients(all, rec.after.to));
  if (in_turns && rec.after.by != PV_NONE && body_waits(all, &rec, i))
    make_choices(all, &rec, i);
  if (rec.after.by == PV_NONE || body_waits(all, &rec, i))
    return false;
  bool alone = itself_alone(all, &rec, i);
  if (!alone && pv_at_one_place(prover, all->defs, all->sizes, i, rec.whole, &rec.after, &one)) {
    rec.def = &one.def;
    same = one.same;
    rec.self = applied(all, rec.def);
    alone = true;
  }
  recursion stated = rec;
  bool stands = alone && to_stand(all, &rec);
  if (!stands && !written_for_itself(all, &rec, i))
    return false;
  pv_eqn closed = tidied_fold(all, &rec, stands);
  closed.by = pv_trans(prover, same, closed.by);
  if (closed.by == PV_NONE)
    return false;
  solved(all, i, closed.to, closed.by);
  pv_thm left =
      alone && stores_in_rounds(prover, closed.to) ? as_stated_behind(all, &stated, i) : PV_NONE;
  leave(all, i, left == PV_NONE ? closed.by : pv_trans(prover, same, left));
  pv_defs_refresh(all->defs);
  return true;
}

/* the symbols of the loop that ends there; those whose twins wait wait too */
static bool solve_any(solver *all, uint32_t until, bool in_turns) {
  bool more = false;
  for (uint32_t i = 0; i < all->claim->n_definitions; i++) {
    if (!all->open[i] || all->claim->definitions[i].until != until)
      continue;
    if (pv_twin(all->twins, i) == PV_NONE) {
      more = solve_recursion(all, i, in_turns) || more;
    } else if (solve_as_twin(all, i)) {
      leave(all, i, all->closed[i]);
      pv_defs_refresh(all->defs);
      more = true;
    }
  }
  return more;
}

/* loops inside come first: they end before */
static uint32_t next_until(const solver *all, uint32_t until) {
  uint32_t next = PV_NONE;
  for (uint32_t i = 0; i < all->claim->n_definitions; i++) {
    const ck_definition *def = &all->claim->definitions[i];
    if (def->carried && def->until > until && def->until < next)
      next = def->until;
  }
  return next;
}

void pv_solve_loops(pv *prover, pv_defs *defs, const ck_claim *claim) {
  solver all = {.prover = prover, .defs = defs, .claim = claim};
  bool any = false;
  all.open = as_calloc(claim->n_definitions + 1, sizeof *all.open);
  all.closed = as_calloc(claim->n_definitions + 1, sizeof *all.closed);
  all.twins = pv_twins_new(prover, defs, claim);
  for (uint32_t i = 0; i < claim->n_stated; i++)
    all.sizes = pv_ctx_push(prover, all.sizes, claim->stated[i], CK_BAD);
  for (uint32_t i = 0; i < claim->n_definitions; i++) {
    const ck_definition *def = &claim->definitions[i];
    all.open[i] = def->carried;
    all.closed[i] = PV_NONE;
    any = any || all.open[i];
    if (!def->carried && strcmp(def->by, "store") == 0 && !solve_as_twin(&all, i))
      solve_store(&all, i);
  }
  pv_defs_refresh(defs);
  uint32_t until = 0;
  while (any && (until = next_until(&all, until)) != PV_NONE) {
    while (solve_any(&all, until, false) || solve_any(&all, until, true))
      continue;
  }
  for (uint32_t i = 0; i < claim->n_definitions; i++) {
    if (all.open[i])
      AS_TRACE(PROVE, "%s: no closed form found",
               ck_word_text(prover->terms, claim->definitions[i].name));
  }
  pv_twins_free(all.twins);
  free(all.closed);
  free(all.open);
}
