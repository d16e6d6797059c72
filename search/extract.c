/* Reading graphs off the enumerated tensors: for every tensor the few lightest sets of derivations
 * that compute it (a derivation shared by two operands counts once), by rounds until nothing
 * improves; then the outputs' sets together. */
#include "sg_space.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

#define MAX_SET 64

typedef struct {
  uint64_t weight;
  uint32_t n;
  uint32_t deriv[MAX_SET];
} deriv_set; /* sorted by the value that the derivation computes */

typedef struct {
  uint32_t n;
  deriv_set *best;
} set_list;

#define VALUE(s, i) (&AS_VEC_AT(&(s)->values, sg_value, i))
#define DERIV(s, i) (&AS_VEC_AT(&(s)->derivs, sg_deriv, i))

/* false: too large, or one value would be computed in two ways */
static bool unite(const sg_space *space, const deriv_set *left, const deriv_set *right,
                  deriv_set *out) {
  deriv_set both = {0, 0, {0}};
  for (uint32_t i = 0, j = 0; i < left->n || j < right->n;) {
    uint32_t left_value = i < left->n ? DERIV(space, left->deriv[i])->value : AS_NONE;
    uint32_t right_value = j < right->n ? DERIV(space, right->deriv[j])->value : AS_NONE;
    uint32_t deriv;
    if (left_value == right_value) {
      if (left->deriv[i] != right->deriv[j])
        return false;
      deriv = left->deriv[i++];
      j++;
    } else {
      deriv = left_value < right_value ? left->deriv[i++] : right->deriv[j++];
    }
    if (both.n == MAX_SET) {
      space->stats->struck[AS_LIMIT_STEPS]++;
      return false;
    }
    both.deriv[both.n++] = deriv;
    both.weight += DERIV(space, deriv)->weight;
  }
  *out = both;
  return true;
}

static bool has_value(const sg_space *space, const deriv_set *in, uint32_t value) {
  for (uint32_t i = 0; i < in->n; i++) {
    if (DERIV(space, in->deriv[i])->value == value)
      return true;
  }
  return false;
}

static int compare_sets(const deriv_set *left, const deriv_set *right) {
  if (left->weight != right->weight)
    return left->weight < right->weight ? -1 : 1;
  if (left->n != right->n)
    return left->n < right->n ? -1 : 1;
  for (uint32_t i = 0; i < left->n; i++) {
    if (left->deriv[i] != right->deriv[i])
      return left->deriv[i] < right->deriv[i] ? -1 : 1;
  }
  return 0;
}

/* keeps the `keep` smallest in order; true if it went in */
static bool offer(set_list *list, const deriv_set *candidate, uint32_t keep) {
  uint32_t place = 0;
  while (place < list->n && compare_sets(&list->best[place], candidate) < 0)
    place++;
  if (place == keep || (place < list->n && !compare_sets(&list->best[place], candidate)))
    return false;
  uint32_t last = list->n < keep ? list->n++ : keep - 1;
  for (uint32_t i = last; i > place; i--)
    list->best[i] = list->best[i - 1];
  list->best[place] = *candidate;
  return true;
}

/* all choices of one set per operand */
static bool combine(const sg_space *space, const set_list *all, const uint32_t *arg, uint32_t nargs,
                    const deriv_set *so_far, uint32_t avoid, uint32_t own, set_list *into,
                    uint32_t keep) {
  deriv_set joined;
  bool changed = false;
  if (!nargs) {
    if (own == AS_NONE)
      return offer(into, so_far, keep);
    deriv_set itself = {DERIV(space, own)->weight, 1, {own}};
    return unite(space, so_far, &itself, &joined) && offer(into, &joined, keep);
  }
  for (uint32_t i = 0; i < all[arg[0]].n; i++) {
    const deriv_set *choice = &all[arg[0]].best[i];
    if ((avoid != AS_NONE && has_value(space, choice, avoid)) ||
        !unite(space, so_far, choice, &joined))
      continue;
    if (into->n == keep && joined.weight > into->best[keep - 1].weight)
      continue;
    changed |= combine(space, all, arg + 1, nargs - 1, &joined, avoid, own, into, keep);
  }
  return changed;
}

/* derivations in an order in which they can be made: loads, then by dependence */
static void in_order(const sg_space *space, const deriv_set *chosen, uint32_t *out) {
  bool done[MAX_SET] = {false};
  uint32_t n = 0;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < chosen->n; i++) {
      const sg_deriv *deriv = DERIV(space, chosen->deriv[i]);
      bool ready = !done[i];
      for (uint32_t arg = 0; arg < deriv->nargs && ready; arg++) {
        bool have = false;
        for (uint32_t j = 0; j < n && !have; j++)
          have = DERIV(space, out[j])->value == deriv->arg[arg];
        ready = have;
      }
      if (!ready)
        continue;
      out[n++] = chosen->deriv[i];
      done[i] = more = true;
    }
  }
}

sg_recipe *sg_space_extract(sg_space *space, uint32_t keep, uint32_t *n) {
  uint32_t n_values = (uint32_t)space->values.n;
  uint32_t per_value = keep < 6 ? 6 : keep;
  set_list *all = as_calloc(n_values + 1, sizeof *all);
  set_list top = {0, as_malloc((keep + 1) * sizeof(deriv_set))};
  deriv_set empty = {0, 0, {0}};
  for (uint32_t value = 0; value < n_values; value++)
    all[value].best = as_malloc(per_value * sizeof(deriv_set));
  as_search_limit why;
  bool late = false;
  for (bool changed = true, first = true; changed && !late; first = false) {
    changed = false;
    for (uint32_t value = 0; value < n_values && !late; value++) {
      late = as_search_is_late(&space->limits->deadline, &why);
      for (uint32_t i = 0; i < VALUE(space, value)->derivs.n; i++) {
        uint32_t deriv = AS_VEC_AT(&VALUE(space, value)->derivs, uint32_t, i);
        if (!first && !DERIV(space, deriv)->nargs)
          continue;
        changed |= combine(space, all, DERIV(space, deriv)->arg, DERIV(space, deriv)->nargs, &empty,
                           value, deriv, &all[value], per_value);
      }
    }
  }
  if (late)
    space->stats->struck[why]++;
  /* one more than is kept, to know whether there were more */
  combine(space, all, space->goal, space->part->n_output, &empty, AS_NONE, AS_NONE, &top, keep + 1);
  if (top.n > keep) {
    space->stats->struck[AS_LIMIT_GRAPHS]++;
    top.n = keep;
  }
  sg_recipe *recipes = as_calloc(top.n + 1, sizeof *recipes);
  for (uint32_t i = 0; i < top.n; i++) {
    recipes[i].n = top.best[i].n;
    recipes[i].weight = top.best[i].weight;
    recipes[i].deriv = as_malloc((top.best[i].n + 1) * sizeof(uint32_t));
    recipes[i].n_goal = space->part->n_output;
    recipes[i].goal = as_malloc((recipes[i].n_goal + 1) * sizeof(uint32_t));
    memcpy(recipes[i].goal, space->goal, recipes[i].n_goal * sizeof(uint32_t));
    in_order(space, &top.best[i], recipes[i].deriv);
  }
  *n = top.n;
  for (uint32_t value = 0; value < n_values; value++)
    free(all[value].best);
  free(all);
  free(top.best);
  return recipes;
}

void sg_recipe_clear(sg_recipe *recipe) {
  free(recipe->deriv);
  free(recipe->goal);
  memset(recipe, 0, sizeof *recipe);
}
