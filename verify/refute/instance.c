#include "instance.h"
#include <stdlib.h>
#include <string.h>

/* does symbol s occur in e, looking through the definitions made so far? */
static bool occurs(const as_instance *I, as_size s, as_size e) {
  for (uint32_t i = 0; i < as_size_nmono(I->S, e); i++) {
    as_size_mono m = as_size_get_mono(I->S, e, i);
    for (uint32_t k = 0; k < m.n; k++) {
      as_size num;
      as_size den;
      if (m.atom[k] == s)
        return true;
      if (as_size_atom(I->S, m.atom[k], &num, &den) != AS_SIZE_SYM) {
        if (occurs(I, s, num) || occurs(I, s, den))
          return true;
        continue;
      }
      for (uint32_t d = 0; d < I->n_def; d++) {
        if (I->order[d] == m.atom[k] && occurs(I, s, I->by[d]))
          return true;
      }
    }
  }
  return false;
}

static bool defined(const as_instance *I, as_size s) {
  for (uint32_t d = 0; d < I->n_def; d++) {
    if (I->order[d] == s)
      return true;
  }
  return false;
}

static bool define(as_instance *I, as_size s, as_size by) {
  if (!as_size_is_sym(I->S, s) || defined(I, s) || occurs(I, s, by))
    return false;
  for (uint32_t d = 0; d < I->n_def;
       d++) /* nor may an earlier definition come to depend on itself */
  {
    if (occurs(I, I->order[d], by) && occurs(I, s, I->by[d]))
      return false;
  }
  I->order[I->n_def] = s;
  I->by[I->n_def++] = by;
  return true;
}

/* definitions that others need come first */
static void sort_defs(as_instance *I) {
  for (uint32_t done = 0; done < I->n_def; done++) {
    for (uint32_t k = done; k < I->n_def; k++) {
      bool ready = true;
      for (uint32_t j = done; j < I->n_def && ready; j++)
        ready = j == k || !occurs(I, I->order[j], I->by[k]);
      if (!ready)
        continue;
      as_size s = I->order[k];
      as_size b = I->by[k];
      I->order[k] = I->order[done];
      I->by[k] = I->by[done];
      I->order[done] = s;
      I->by[done] = b;
      break;
    }
  }
}

/* an equation that no symbol alone is a side of: x + rest = 0 for an x of coefficient 1 or -1 that
 * the rest is free of */
static bool solve(as_instance *I, as_size lhs, as_size rhs) {
  as_size d = as_size_sub(I->S, lhs, rhs);
  if (d == AS_SIZE_BAD)
    return false;
  for (uint32_t i = 0; i < as_size_nmono(I->S, d); i++) {
    as_size_mono m = as_size_get_mono(I->S, d, i);
    if (m.n != 1 || (m.coef != 1 && m.coef != -1))
      continue;
    as_size x = m.atom[0];
    as_size rest = m.coef == 1 ? as_size_sub(I->S, x, d) : as_size_add(I->S, x, d);
    if (rest != AS_SIZE_BAD && define(I, x, rest))
      return true;
  }
  return false;
}

/* extents are not negative: what is not plain to see */
static void extents(as_instance *I, const as_graph *g) {
  for (as_node_id i = 0; i < g->n; i++) {
    for (uint32_t k = 0; k < g->node[i].rank && g->node[i].block == AS_NONE; k++) {
      as_size_fact f = {0, g->node[i].dim[k], AS_REL_LE};
      bool known = as_size_is_const(I->S, f.rhs, NULL) ||
                   (as_size_is_sym(I->S, f.rhs) && as_size_least(I->S, f.rhs) >= 0);
      for (size_t j = 0; j < I->facts.n && !known; j++) {
        const as_size_fact *o = &AS_VEC_AT(&I->facts, as_size_fact, j);
        known = o->lhs == f.lhs && o->rhs == f.rhs && o->rel == f.rel;
      }
      if (!known)
        as_vec_push(&I->facts, &f);
    }
  }
}

bool as_instance_init(as_instance *I, const as_graph *spec, const as_graph *cand, as_err *err) {
  memset(I, 0, sizeof *I);
  I->S = spec->sizes;
  as_vec_init(&I->facts, sizeof(as_size_fact));
  as_vec_init(&I->wishes, sizeof(as_size_fact));
  const as_graph *g[2] = {spec, cand};
  for (int k = 1; k >= 0; k--) /* the candidate's equations first: they split the program's sizes */
  {
    for (uint32_t i = 0; g[k] && i < g[k]->n_fact; i++)
      as_vec_push(&I->facts, &g[k]->fact[i]);
  }
  if (!as_graph_obligations(spec, &I->facts, err))
    return false;
  if (spec->open)
    extents(I, spec);
  uint32_t total = spec->n_own_size + (cand ? cand->n_own_size : 0);
  I->sym = as_calloc(total + 1, sizeof *I->sym);
  for (int k = 0; k < 2; k++) {
    for (uint32_t i = 0; g[k] && i < g[k]->n_own_size;
         i++) { /* two programs may both declare a size */
      uint32_t j = 0;
      while (j < I->n && I->sym[j] != g[k]->own_size[i])
        j++;
      if (j == I->n)
        I->sym[I->n++] = g[k]->own_size[i];
    }
  }
  I->order = as_calloc(total + 1, sizeof *I->order);
  I->by = as_calloc(total + 1, sizeof *I->by);
  I->free = as_calloc(total + 1, sizeof *I->free);
  for (size_t i = 0; i < I->facts.n; i++) {
    const as_size_fact *f = &AS_VEC_AT(&I->facts, as_size_fact, i);
    if (f->rel == AS_REL_EQ && I->n_def < total && !define(I, f->lhs, f->rhs) &&
        !define(I, f->rhs, f->lhs))
      solve(I, f->lhs, f->rhs);
  }
  sort_defs(I);
  for (uint32_t i = 0; i < I->n; i++) {
    if (!defined(I, I->sym[i]))
      I->free[I->n_free++] = I->sym[i];
  }
  I->env = as_env_new(I->S);
  return true;
}

void as_instance_wish(as_instance *I, as_size lhs, as_rel rel, as_size rhs) {
  as_vec_push(&I->wishes, &(as_size_fact){lhs, rhs, rel});
}

void as_instance_clear(as_instance *I) {
  free(I->sym);
  free(I->order);
  free(I->by);
  free(I->free);
  free(I->env);
  as_vec_clear(&I->facts);
  as_vec_clear(&I->wishes);
  memset(I, 0, sizeof *I);
}

bool as_instance_settle(as_instance *I) {
  for (uint32_t i = 0; i < I->n_def; i++)
    I->env[I->order[i]] = as_size_eval(I->S, I->by[i], I->env);
  for (uint32_t i = 0; i < I->n; i++) {
    if (I->env[I->sym[i]] < as_size_least(I->S, I->sym[i]))
      return false;
  }
  for (size_t i = 0; i < I->facts.n; i++) {
    if (!as_fact_holds(I->S, &AS_VEC_AT(&I->facts, as_size_fact, i), I->env))
      return false;
  }
  return true;
}

/* the i-th free symbol counts through its values up to `most` in this order: from its least on; 0,
 * 1, .. most, -1, .. -most for any integer */
static int64_t n_values(const as_instance *I, uint32_t i, int64_t most) {
  int64_t least = as_size_least(I->S, I->free[i]);
  return least == AS_SIZE_NO_LEAST ? 2 * most + 1 : most < least ? 0 : most - least + 1;
}

static int64_t nth_value(const as_instance *I, uint32_t i, int64_t most, int64_t k) {
  int64_t least = as_size_least(I->S, I->free[i]);
  return least != AS_SIZE_NO_LEAST ? least + k : k <= most ? k : most - k;
}

static void draw(as_instance *I, as_rng *rng, int64_t low, int64_t most) {
  for (uint32_t i = 0; i < I->n_free; i++) {
    int64_t n = n_values(I, i, most);
    int64_t v = nth_value(I, i, most, n > 1 ? (int64_t)as_rng_below(rng, (uint64_t)n) : 0);
    bool small = v < low && low <= most && as_size_least(I->S, I->free[i]) != AS_SIZE_NO_LEAST;
    I->env[I->free[i]] = small ? low + (int64_t)as_rng_below(rng, (uint64_t)(most - low + 1)) : v;
  }
}

bool as_instance_between(as_instance *I, as_rng *rng, int64_t low, int64_t most, uint32_t tries) {
  for (uint32_t t = 0; t < tries; t++) {
    draw(I, rng, low, most);
    if (as_instance_settle(I))
      return true;
  }
  return false;
}

static const as_size_fact *nth_fact(const as_instance *I, size_t i) {
  return i < I->facts.n ? &AS_VEC_AT(&I->facts, as_size_fact, i)
                        : &AS_VEC_AT(&I->wishes, as_size_fact, i - I->facts.n);
}

/* what is violated: a computed symbol below its least value, or a relation or wish (I->n and above)
 */
static uint32_t violated(const as_instance *I, uint32_t *out, uint32_t room) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < I->n && n < room; i++) {
    if (I->env[I->sym[i]] < as_size_least(I->S, I->sym[i]))
      out[n++] = i;
  }
  for (size_t i = 0; i < I->facts.n + I->wishes.n && n < room; i++) {
    if (!as_fact_holds(I->S, nth_fact(I, i), I->env))
      out[n++] = I->n + (uint32_t)i;
  }
  return n;
}

static void compute(as_instance *I) {
  for (uint32_t i = 0; i < I->n_def; i++)
    I->env[I->order[i]] = as_size_eval(I->S, I->by[i], I->env);
}

static bool concerns(const as_instance *I, uint32_t what, as_size s) {
  if (what < I->n)
    return occurs(I, s, I->sym[what]);
  const as_size_fact *f = nth_fact(I, what - I->n);
  return occurs(I, s, f->lhs) || occurs(I, s, f->rhs);
}

bool as_instance_walk(as_instance *I, as_rng *rng, int64_t most, uint32_t steps) {
  enum { SEEN = 64, VALUES = 512 };

  uint32_t bad[SEEN];
  uint32_t free_of[SEEN];
  draw(I, rng, 0, most);
  for (uint32_t step = 0; step < steps; step++) {
    compute(I);
    uint32_t n = violated(I, bad, SEEN);
    uint32_t m = 0;
    if (n == 0)
      return true;
    uint32_t what = bad[as_rng_below(rng, n)];
    for (uint32_t i = 0; i < I->n_free && m < SEEN; i++) {
      if (concerns(I, what, I->free[i]))
        free_of[m++] = i;
    }
    if (m == 0)
      break; /* nothing that could be changed */
    uint32_t i = free_of[as_rng_below(rng, m)];
    int64_t all = n_values(I, i, most);
    int64_t from = all > 0 ? (int64_t)as_rng_below(rng, (uint64_t)all) : 0;
    int64_t best = I->env[I->free[i]];
    uint32_t fewest = UINT32_MAX;
    for (int64_t k = 0; k < all && k < VALUES;
         k++) { /* the value that leaves the fewest violated */
      I->env[I->free[i]] = nth_value(I, i, most, (from + k) % all);
      compute(I);
      uint32_t left = violated(I, bad, SEEN);
      if (left >= fewest)
        continue;
      fewest = left;
      best = I->env[I->free[i]];
      if (left == 0)
        break;
    }
    I->env[I->free[i]] = best;
  }
  return as_instance_settle(I);
}

bool as_instance_simpler(as_instance *I, uint32_t i, int64_t k) {
  int64_t now = I->env[I->free[i]];
  int64_t most = now < 0 ? -now : now;
  if (k >= n_values(I, i, most) || nth_value(I, i, most, k) == now)
    return false;
  I->env[I->free[i]] = nth_value(I, i, most, k);
  return true;
}

void as_instance_reduce(as_instance *I, uint32_t values) {
  for (uint32_t i = 0; i < I->n_free; i++) {
    int64_t now = I->env[I->free[i]];
    bool found = false;
    for (int64_t k = 0; k < values && !found; k++) {
      I->env[I->free[i]] = now;
      if (!as_instance_simpler(I, i, k))
        break;
      found = as_instance_settle(I);
    }
    if (!found)
      I->env[I->free[i]] = now;
  }
  as_instance_settle(I);
}

bool as_instance_random(as_instance *I, as_rng *rng, int64_t most, uint32_t tries) {
  return as_instance_between(I, rng, 0, most, tries);
}

double as_instance_count(const as_instance *I, int64_t top) {
  double total = 1;
  for (uint32_t i = 0; i < I->n_free; i++)
    total *= (double)n_values(I, i, top);
  return total;
}

bool as_instance_each(as_instance *I, as_rng *rng, int64_t top, uint32_t limit,
                      bool (*f)(void *arg), void *arg) {
  if (as_instance_count(I, top) > 64.0 * limit) {
    for (uint32_t k = 0; k < limit; k++) {
      if (as_instance_random(I, rng, top, 50) && f(arg))
        return true;
    }
    return false;
  }
  for (uint32_t i = 0; i < I->n_free; i++) {
    if (n_values(I, i, top) == 0)
      return false;
  }
  int64_t *at = as_calloc(I->n_free + 1, sizeof *at);
  bool found = false;
  for (uint32_t done = 0; !found && done < limit;) {
    bool mine =
        I->n_free
            ? false
            : top == 0; /* with no free symbol there is one assignment, met at the least bound */
    for (uint32_t i = 0; i < I->n_free; i++) {
      int64_t v = I->env[I->free[i]] = nth_value(I, i, top, at[i]);
      mine = mine || v == top || v == -top;
    }
    if (mine && as_instance_settle(I)) {
      found = f(arg);
      done++;
    }
    uint32_t i = 0;
    while (i < I->n_free && at[i] + 1 >= n_values(I, i, top))
      at[i++] = 0;
    if (i == I->n_free)
      break;
    at[i]++;
  }
  free(at);
  return found;
}
