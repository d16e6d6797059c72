#include "instance.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

/* does symbol s occur in e, looking through the definitions made so far? */
static bool occurs_in(const as_instance *inst, as_size sym, as_size expr) {
  for (uint32_t i = 0; i < as_size_nmono(inst->S, expr); i++) {
    as_size_mono mono = as_size_get_mono(inst->S, expr, i);
    for (uint32_t k = 0; k < mono.n; k++) {
      as_size num;
      as_size den;
      if (mono.atom[k] == sym)
        return true;
      if (as_size_atom(inst->S, mono.atom[k], &num, &den) != AS_SIZE_SYM) {
        if (occurs_in(inst, sym, num) || occurs_in(inst, sym, den))
          return true;
        continue;
      }
      for (uint32_t d = 0; d < inst->n_defined; d++) {
        if (inst->defined[d] == mono.atom[k] && occurs_in(inst, sym, inst->definition[d]))
          return true;
      }
    }
  }
  return false;
}

static bool define_by(as_instance *inst, as_size sym, as_size expr) {
  if (!as_size_is_sym(inst->S, sym) || as_id_among(inst->defined, inst->n_defined, sym) ||
      occurs_in(inst, sym, expr))
    return false;
  for (uint32_t d = 0; d < inst->n_defined;
       d++) /* nor may an earlier definition come to depend on itself */
  {
    if (occurs_in(inst, inst->defined[d], expr) && occurs_in(inst, sym, inst->definition[d]))
      return false;
  }
  inst->defined[inst->n_defined] = sym;
  inst->definition[inst->n_defined++] = expr;
  return true;
}

/* definitions that others need come first */
static void sort_definitions(as_instance *inst) {
  for (uint32_t done = 0; done < inst->n_defined; done++) {
    for (uint32_t k = done; k < inst->n_defined; k++) {
      bool ready = true;
      for (uint32_t j = done; j < inst->n_defined && ready; j++)
        ready = j == k || !occurs_in(inst, inst->defined[j], inst->definition[k]);
      if (!ready)
        continue;
      as_size sym = inst->defined[k];
      as_size expr = inst->definition[k];
      inst->defined[k] = inst->defined[done];
      inst->definition[k] = inst->definition[done];
      inst->defined[done] = sym;
      inst->definition[done] = expr;
      break;
    }
  }
}

/* an equation that no symbol alone is a side of: x + rest = 0 for an x of coefficient 1 or -1 that
 * the rest is free of */
static bool define_by_solving(as_instance *inst, as_size lhs, as_size rhs) {
  as_size difference = as_size_sub(inst->S, lhs, rhs);
  if (difference == AS_SIZE_BAD)
    return false;
  for (uint32_t i = 0; i < as_size_nmono(inst->S, difference); i++) {
    as_size_mono mono = as_size_get_mono(inst->S, difference, i);
    if (mono.n != 1 || (mono.coef != 1 && mono.coef != -1))
      continue;
    as_size sym = mono.atom[0];
    as_size rest = mono.coef == 1 ? as_size_sub(inst->S, sym, difference)
                                  : as_size_add(inst->S, sym, difference);
    if (rest != AS_SIZE_BAD && define_by(inst, sym, rest))
      return true;
  }
  return false;
}

/* extents are not negative: what is not plain to see */
static void add_extent_relations(as_instance *inst, const as_graph *graph) {
  for (as_node_id i = 0; i < graph->n; i++) {
    for (uint32_t k = 0; k < graph->node[i].rank && graph->node[i].block == AS_NONE; k++) {
      as_size_fact relation = {0, graph->node[i].dim[k], AS_REL_LE};
      bool known =
          as_size_is_const(inst->S, relation.rhs, NULL) ||
          (as_size_is_sym(inst->S, relation.rhs) && as_size_least(inst->S, relation.rhs) >= 0);
      for (size_t j = 0; j < inst->facts.n && !known; j++) {
        const as_size_fact *other = &AS_VEC_AT(&inst->facts, as_size_fact, j);
        known =
            other->lhs == relation.lhs && other->rhs == relation.rhs && other->rel == relation.rel;
      }
      if (!known)
        as_vec_push(&inst->facts, &relation);
    }
  }
}

static bool is_needed(const as_instance *inst, as_size sym) {
  for (uint32_t d = 0; d < inst->n_defined; d++) {
    if (occurs_in(inst, sym, inst->definition[d]))
      return true;
  }
  return false;
}

bool as_instance_init(as_instance *inst, const as_graph *spec, const as_graph *cand, as_err *err) {
  memset(inst, 0, sizeof *inst);
  inst->S = spec->sizes;
  as_vec_init(&inst->facts, sizeof(as_size_fact));
  as_vec_init(&inst->wishes, sizeof(as_size_fact));
  const as_graph *graphs[2] = {spec, cand};
  for (int side = 1; side >= 0;
       side--) /* the candidate's equations first: they split the program's sizes */
  {
    for (uint32_t i = 0; graphs[side] && i < graphs[side]->n_fact; i++)
      as_vec_push(&inst->facts, &graphs[side]->fact[i]);
  }
  if (!as_graph_obligations(spec, &inst->facts, err))
    return false;
  if (spec->open)
    add_extent_relations(inst, spec);
  uint32_t total = spec->n_own_size + (cand ? cand->n_own_size : 0);
  inst->sym = as_calloc(total + 1, sizeof *inst->sym);
  for (int side = 0; side < 2; side++) {
    for (uint32_t i = 0; graphs[side] && i < graphs[side]->n_own_size;
         i++) { /* two programs may both declare a size */
      uint32_t j = 0;
      while (j < inst->n && inst->sym[j] != graphs[side]->own_size[i])
        j++;
      if (j == inst->n)
        inst->sym[inst->n++] = graphs[side]->own_size[i];
    }
  }
  inst->defined = as_calloc(total + 1, sizeof *inst->defined);
  inst->definition = as_calloc(total + 1, sizeof *inst->definition);
  inst->chosen = as_calloc(total + 1, sizeof *inst->chosen);
  inst->needed = as_calloc(total + 1, sizeof *inst->needed);
  for (size_t i = 0; i < inst->facts.n; i++) {
    const as_size_fact *relation = &AS_VEC_AT(&inst->facts, as_size_fact, i);
    if (relation->rel == AS_REL_EQ && inst->n_defined < total &&
        !define_by(inst, relation->lhs, relation->rhs) &&
        !define_by(inst, relation->rhs, relation->lhs))
      define_by_solving(inst, relation->lhs, relation->rhs);
  }
  sort_definitions(inst);
  for (uint32_t i = 0; i < inst->n; i++) {
    if (!as_id_among(inst->defined, inst->n_defined, inst->sym[i]))
      inst->chosen[inst->n_chosen++] = inst->sym[i];
    if (is_needed(inst, inst->sym[i]))
      inst->needed[inst->n_needed++] = inst->sym[i];
  }
  inst->env = as_env_new(inst->S);
  return true;
}

void as_instance_wish(as_instance *inst, as_size lhs, as_rel relation, as_size rhs) {
  as_vec_push(&inst->wishes, &(as_size_fact){lhs, rhs, relation});
}

void as_instance_clear(as_instance *inst) {
  free(inst->sym);
  free(inst->defined);
  free(inst->definition);
  free(inst->chosen);
  free(inst->needed);
  free(inst->env);
  as_vec_clear(&inst->facts);
  as_vec_clear(&inst->wishes);
  memset(inst, 0, sizeof *inst);
}

bool as_instance_settle(as_instance *inst) {
  for (uint32_t i = 0; i < inst->n_defined; i++)
    inst->env[inst->defined[i]] = as_size_eval(inst->S, inst->definition[i], inst->env);
  for (uint32_t i = 0; i < inst->n; i++) {
    if (inst->env[inst->sym[i]] < as_size_least(inst->S, inst->sym[i]))
      return false;
  }
  for (size_t i = 0; i < inst->facts.n; i++) {
    if (!as_fact_holds(inst->S, &AS_VEC_AT(&inst->facts, as_size_fact, i), inst->env))
      return false;
  }
  return true;
}

/* the i-th free symbol counts through its values up to `most` in this order: from its least on; 0,
 * 1, .. most, -1, .. -most for any integer */
static int64_t n_values(const as_instance *inst, uint32_t i, int64_t most) {
  int64_t least = as_size_least(inst->S, inst->chosen[i]);
  return least == AS_SIZE_NO_LEAST ? 2 * most + 1 : most < least ? 0 : most - least + 1;
}

static int64_t nth_value(const as_instance *inst, uint32_t i, int64_t most, int64_t nth) {
  int64_t least = as_size_least(inst->S, inst->chosen[i]);
  return least != AS_SIZE_NO_LEAST ? least + nth : nth <= most ? nth : most - nth;
}

static void draw_one(as_instance *inst, as_rng *rng, uint32_t i, int64_t low, int64_t most) {
  int64_t n_choices = n_values(inst, i, most);
  int64_t value =
      nth_value(inst, i, most, n_choices > 1 ? (int64_t)as_rng_below(rng, (uint64_t)n_choices) : 0);
  bool small =
      value < low && low <= most && as_size_least(inst->S, inst->chosen[i]) != AS_SIZE_NO_LEAST;
  inst->env[inst->chosen[i]] =
      small ? low + (int64_t)as_rng_below(rng, (uint64_t)(most - low + 1)) : value;
}

static void draw(as_instance *inst, as_rng *rng, int64_t low, int64_t most) {
  for (uint32_t i = 0; i < inst->n_chosen; i++)
    draw_one(inst, rng, i, low, most);
}

/* A divisor of `of` between `least` and it, of all with the same chance; 0: there is none.  They
 * come in ascending order: those up to the root, then what these leave of it. */
static int64_t random_divisor(as_rng *rng, int64_t of, int64_t least) {
  int64_t chosen = 0;
  uint64_t seen = 0;
  int64_t divisor = 1;
  for (; divisor <= of / divisor; divisor++) {
    if (of % divisor == 0 && divisor >= least && as_rng_below(rng, ++seen) == 0)
      chosen = divisor;
  }
  for (divisor--; divisor > 0; divisor--) {
    int64_t other = of / divisor;
    bool is_new = other > divisor && of % divisor == 0;
    if (is_new && other >= least && as_rng_below(rng, ++seen) == 0)
      chosen = other;
  }
  return chosen;
}

/* Takes the right side, a product, apart into its free symbols so that it has the value of the left
 * side; symbols that have their values go on to `fixed`. */
static void take_apart(as_instance *inst, as_rng *rng, const as_size_fact *relation, as_size *fixed,
                       uint32_t *n_fixed) {
  as_size free_syms[16];
  uint32_t n_free = 0;
  if (as_size_nmono(inst->S, relation->rhs) != 1)
    return;
  as_size_mono product = as_size_get_mono(inst->S, relation->rhs, 0);
  int64_t rest = as_size_eval(inst->S, relation->lhs, inst->env);
  int64_t known = product.coef;
  for (uint32_t i = 0; i < product.n; i++) {
    bool is_free = as_id_among(inst->chosen, inst->n_chosen, product.atom[i]) &&
                   !as_id_among(fixed, *n_fixed, product.atom[i]) &&
                   !as_id_among(free_syms, n_free, product.atom[i]) && n_free < 16;
    if (is_free)
      free_syms[n_free++] = product.atom[i];
    else
      known *= as_size_eval(inst->S, product.atom[i], inst->env);
  }
  if (known <= 0 || rest <= 0 || rest % known)
    return;
  rest /= known;
  for (uint32_t i = 0; i < n_free; i++) {
    int64_t factor =
        i + 1 < n_free ? random_divisor(rng, rest, as_size_least(inst->S, free_syms[i])) : rest;
    if (factor == 0)
      return;
    inst->env[free_syms[i]] = factor;
    rest /= factor;
    fixed[(*n_fixed)++] = free_syms[i];
  }
}

/* Many relations `extent = count * tile` of one extent are hardly met by chance: with the values
 * that were drawn for what defines the extents, the other products are taken apart. */
static void meet_products(as_instance *inst, as_rng *rng) {
  as_size *fixed = as_malloc((2 * inst->n + 1) * sizeof *fixed);
  uint32_t n_fixed = inst->n_needed;
  memcpy(fixed, inst->needed, inst->n_needed * sizeof *fixed);
  for (uint32_t d = 0; d < inst->n_defined; d++)
    inst->env[inst->defined[d]] = as_size_eval(inst->S, inst->definition[d], inst->env);
  for (size_t i = 0; i < inst->facts.n; i++) {
    const as_size_fact *relation = &AS_VEC_AT(&inst->facts, as_size_fact, i);
    if (relation->rel == AS_REL_EQ && !as_fact_holds(inst->S, relation, inst->env))
      take_apart(inst, rng, relation, fixed, &n_fixed);
  }
  free(fixed);
}

bool as_instance_between(as_instance *inst, as_rng *rng, int64_t low, int64_t most,
                         uint32_t tries) {
  for (uint32_t attempt = 0; attempt < tries; attempt++) {
    draw(inst, rng, low, most);
    if (attempt >= tries / 2)
      meet_products(inst, rng);
    if (as_instance_settle(inst))
      return true;
  }
  return false;
}

bool as_instance_mixed(as_instance *inst, as_rng *rng, int64_t few, int64_t most, uint32_t tries) {
  for (uint32_t attempt = 0; attempt < tries; attempt++) {
    for (uint32_t i = 0; i < inst->n_chosen; i++)
      draw_one(inst, rng, i, 0, as_rng_below(rng, 2) ? most : few);
    if (attempt >= tries / 2)
      meet_products(inst, rng);
    if (as_instance_settle(inst))
      return true;
  }
  return false;
}

static const as_size_fact *nth_fact(const as_instance *inst, size_t i) {
  return i < inst->facts.n ? &AS_VEC_AT(&inst->facts, as_size_fact, i)
                           : &AS_VEC_AT(&inst->wishes, as_size_fact, i - inst->facts.n);
}

/* what is violated: a computed symbol below its least value, or a relation or wish (I->n and above)
 */
static uint32_t violated(const as_instance *inst, uint32_t *out, uint32_t room) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < inst->n && n < room; i++) {
    if (inst->env[inst->sym[i]] < as_size_least(inst->S, inst->sym[i]))
      out[n++] = i;
  }
  for (size_t i = 0; i < inst->facts.n + inst->wishes.n && n < room; i++) {
    if (!as_fact_holds(inst->S, nth_fact(inst, i), inst->env))
      out[n++] = inst->n + (uint32_t)i;
  }
  return n;
}

static void compute(as_instance *inst) {
  for (uint32_t i = 0; i < inst->n_defined; i++)
    inst->env[inst->defined[i]] = as_size_eval(inst->S, inst->definition[i], inst->env);
}

static bool concerns(const as_instance *inst, uint32_t what, as_size sym) {
  if (what < inst->n)
    return occurs_in(inst, sym, inst->sym[what]);
  const as_size_fact *relation = nth_fact(inst, what - inst->n);
  return occurs_in(inst, sym, relation->lhs) || occurs_in(inst, sym, relation->rhs);
}

bool as_instance_walk(as_instance *inst, as_rng *rng, int64_t most, uint32_t steps) {
  enum { SEEN = 64, VALUES = 512 };

  uint32_t violations[SEEN];
  uint32_t movable[SEEN];
  draw(inst, rng, 0, most);
  for (uint32_t step = 0; step < steps; step++) {
    compute(inst);
    uint32_t n_violations = violated(inst, violations, SEEN);
    uint32_t n_movable = 0;
    if (n_violations == 0)
      return true;
    uint32_t violation = violations[as_rng_below(rng, n_violations)];
    for (uint32_t moved = 0; moved < inst->n_chosen && n_movable < SEEN; moved++) {
      if (concerns(inst, violation, inst->chosen[moved]))
        movable[n_movable++] = moved;
    }
    if (n_movable == 0)
      break; /* nothing that could be changed */
    uint32_t moved = movable[as_rng_below(rng, n_movable)];
    int64_t n_choices = n_values(inst, moved, most);
    int64_t first = n_choices > 0 ? (int64_t)as_rng_below(rng, (uint64_t)n_choices) : 0;
    int64_t best = inst->env[inst->chosen[moved]];
    uint32_t fewest = UINT32_MAX;
    for (int64_t step_k = 0; step_k < n_choices && step_k < VALUES;
         step_k++) { /* the value that leaves the fewest violated */
      inst->env[inst->chosen[moved]] = nth_value(inst, moved, most, (first + step_k) % n_choices);
      compute(inst);
      uint32_t left = violated(inst, violations, SEEN);
      if (left >= fewest)
        continue;
      fewest = left;
      best = inst->env[inst->chosen[moved]];
      if (left == 0)
        break;
    }
    inst->env[inst->chosen[moved]] = best;
  }
  return as_instance_settle(inst);
}

bool as_instance_simpler(as_instance *inst, uint32_t i, int64_t nth) {
  int64_t now = inst->env[inst->chosen[i]];
  int64_t bound = now < 0 ? -now : now;
  if (nth >= n_values(inst, i, bound) || nth_value(inst, i, bound, nth) == now)
    return false;
  inst->env[inst->chosen[i]] = nth_value(inst, i, bound, nth);
  return true;
}

void as_instance_reduce(as_instance *inst, uint32_t values) {
  for (uint32_t i = 0; i < inst->n_chosen; i++) {
    int64_t now = inst->env[inst->chosen[i]];
    bool found = false;
    for (int64_t nth = 0; nth < values && !found; nth++) {
      inst->env[inst->chosen[i]] = now;
      if (!as_instance_simpler(inst, i, nth))
        break;
      found = as_instance_settle(inst);
    }
    if (!found)
      inst->env[inst->chosen[i]] = now;
  }
  as_instance_settle(inst);
}

bool as_instance_random(as_instance *inst, as_rng *rng, int64_t most, uint32_t tries) {
  return as_instance_between(inst, rng, 0, most, tries);
}

double as_instance_count(const as_instance *inst, int64_t top) {
  double total = 1;
  for (uint32_t i = 0; i < inst->n_chosen; i++)
    total *= (double)n_values(inst, i, top);
  return total;
}

bool as_instance_each(as_instance *inst, as_rng *rng, int64_t top, uint32_t limit,
                      bool (*visit)(void *arg), void *arg) {
  if (as_instance_count(inst, top) > 64.0 * limit) {
    for (uint32_t attempt = 0; attempt < limit; attempt++) {
      if (as_instance_random(inst, rng, top, 50) && visit(arg))
        return true;
    }
    return false;
  }
  for (uint32_t i = 0; i < inst->n_chosen; i++) {
    if (n_values(inst, i, top) == 0)
      return false;
  }
  int64_t *place = as_calloc(inst->n_chosen + 1, sizeof *place);
  bool found = false;
  for (uint32_t done = 0; !found && done < limit;) {
    bool reaches_top =
        inst->n_chosen
            ? false
            : top == 0; /* with no free symbol there is one assignment, met at the least bound */
    for (uint32_t i = 0; i < inst->n_chosen; i++) {
      int64_t value = inst->env[inst->chosen[i]] = nth_value(inst, i, top, place[i]);
      reaches_top = reaches_top || value == top || value == -top;
    }
    if (reaches_top && as_instance_settle(inst)) {
      found = visit(arg);
      done++;
    }
    uint32_t i = 0;
    while (i < inst->n_chosen && place[i] + 1 >= n_values(inst, i, top))
      place[i++] = 0;
    if (i == inst->n_chosen)
      break;
    place[i]++;
  }
  free(place);
  return found;
}
