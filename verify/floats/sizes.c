/* Sizes by growth, and those of candidates by solving their relations. */
#include "sizes.h"
#include "semantics/domain.h"
#include "src/base/id.h"
#include <stdlib.h>

enum { LEAST_EXTENT = 2, NO_VALUE = 64, TRIES = 2000, MOST_AT_FIRST = 8, MOST_STEPS = 20000 };

/* the size that the program states, or one to grow to */
static int64_t stated(const as_instance *inst, uint32_t i) {
  long value = as_size_value(inst->S, inst->chosen[i]);
  return value >= 0 ? value : NO_VALUE;
}

static bool fits(as_instance *inst, const as_graph *program, double work) {
  if (!as_instance_settle(inst))
    return false;
  double takes = as_graph_work(program, &as_domain_double, inst->env);
  return takes >= 0 && takes <= work;
}

/* every free size as small as may be, at most what the program states */
static bool start(as_instance *inst, const as_graph *program, double work, as_rng *rng) {
  for (uint32_t i = 0; i < inst->n_chosen; i++) {
    int64_t least = as_size_least(inst->S, inst->chosen[i]);
    int64_t value = stated(inst, i) < LEAST_EXTENT ? stated(inst, i) : LEAST_EXTENT;
    inst->env[inst->chosen[i]] = least > value ? least : value;
  }
  if (fits(inst, program, work))
    return true;
  for (int64_t most = MOST_AT_FIRST; most <= 8 * MOST_AT_FIRST; most *= 2) {
    if (as_instance_random(inst, rng, most, TRIES) && fits(inst, program, work))
      return true;
  }
  return false;
}

static bool doubled(as_instance *inst, const as_graph *program, uint32_t i, double work) {
  int64_t now = inst->env[inst->chosen[i]];
  if (now < 1 || 2 * now > stated(inst, i))
    return false;
  inst->env[inst->chosen[i]] = 2 * now;
  if (fits(inst, program, work))
    return true;
  inst->env[inst->chosen[i]] = now;
  as_instance_settle(inst);
  return false;
}

bool as_float_grow(as_instance *inst, const as_graph *program, uint32_t axis, double work,
                   as_rng *rng) {
  if (!start(inst, program, work, rng))
    return false;
  bool *full = calloc(inst->n_chosen + 1, sizeof *full);
  for (uint32_t i = 0; i < inst->n_chosen; i++)
    full[i] = axis != AS_NONE && i != axis;
  for (;;) {
    uint32_t next = AS_NONE;
    double furthest = 1;
    for (uint32_t i = 0; i < inst->n_chosen; i++) {
      double below = (double)stated(inst, i) / (double)inst->env[inst->chosen[i]];
      if (full[i] || below <= furthest)
        continue;
      furthest = below;
      next = i;
    }
    if (next == AS_NONE)
      break;
    full[next] = !doubled(inst, program, next, work);
  }
  free(full);
  return true;
}

/* --- a candidate's own sizes */
typedef struct {
  const as_graph *graph;
  int64_t *env;
  uint32_t steps;
} solver;

static const int64_t preferred[] = {4, 2, 8, 3, 1, 16, 5, 32, 6, 64, 7, 128, 9, 256, 512, 1024};

/* own sizes without a value that the relation speaks of; *last: one of them */
static uint32_t unknowns(const solver *on, const as_size_fact *fact, as_size *last) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < on->graph->n_own_size; i++) {
    as_size size = on->graph->own_size[i];
    if (on->env[size] == INT64_MIN && (as_size_mentions(on->graph->sizes, fact->lhs, size) ||
                                       as_size_mentions(on->graph->sizes, fact->rhs, size))) {
      *last = size;
      n++;
    }
  }
  return n;
}

static bool difference(const solver *on, const as_size_fact *fact, as_size size, int64_t value,
                       int64_t *out) {
  on->env[size] = value;
  int64_t left = as_size_eval(on->graph->sizes, fact->lhs, on->env);
  int64_t right = as_size_eval(on->graph->sizes, fact->rhs, on->env);
  return left != INT64_MIN && right != INT64_MIN && !__builtin_sub_overflow(left, right, out);
}

/* the value of an equation's one unknown, which is linear in it; false: there is none */
static bool solve_one(const solver *on, const as_size_fact *fact, as_size size) {
  int64_t at_one;
  int64_t at_two;
  int64_t rest;
  bool known = difference(on, fact, size, 1, &at_one) && difference(on, fact, size, 2, &at_two);
  int64_t slope = known ? at_two - at_one : 0;
  int64_t value = slope != 0 ? 1 - at_one / slope : INT64_MIN;
  if (slope != 0 && value >= as_size_least(on->graph->sizes, size) &&
      difference(on, fact, size, value, &rest) && rest == 0)
    return true;
  on->env[size] = INT64_MIN;
  return false;
}

static bool solve(solver *on);

/* one size after the other by trial */
static bool try_values(solver *on, as_size size) {
  for (size_t i = 0; i < sizeof preferred / sizeof *preferred; i++) {
    if (preferred[i] < as_size_least(on->graph->sizes, size))
      continue;
    on->env[size] = preferred[i];
    if (solve(on))
      return true;
  }
  on->env[size] = INT64_MIN;
  return false;
}

/* Every relation without an unknown holds; an equation with one gives its value. */
static bool solve(solver *on) {
  const as_graph *graph = on->graph;
  if (on->steps++ > MOST_STEPS)
    return false;
  for (uint32_t i = 0; i < graph->n_fact; i++) {
    as_size size = AS_SIZE_BAD;
    uint32_t n = unknowns(on, &graph->fact[i], &size);
    if (n == 0 && !as_fact_holds(graph->sizes, &graph->fact[i], on->env))
      return false;
    if (n != 1 || graph->fact[i].rel != AS_REL_EQ)
      continue;
    if (!solve_one(on, &graph->fact[i], size))
      continue; /* not linear in it: by trial */
    bool solved = solve(on);
    if (!solved)
      on->env[size] = INT64_MIN;
    return solved;
  }
  for (uint32_t i = 0; i < graph->n_own_size; i++) {
    if (on->env[graph->own_size[i]] == INT64_MIN)
      return try_values(on, graph->own_size[i]);
  }
  return true;
}

bool as_float_solve(const as_graph *cand, int64_t *env) {
  solver on = {.graph = cand, .env = env};
  for (uint32_t i = 0; i < cand->n_own_size; i++)
    env[cand->own_size[i]] = INT64_MIN;
  return solve(&on);
}
