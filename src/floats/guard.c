#include "guard.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/base/trace.h"
#include "src/lower/lower.h"
#include "verify/field/identical.h"
#include <pthread.h>
#include <stdlib.h>

struct as_guard {
  const as_graph *program;
  const as_target *target;
  bool thorough;
  pthread_mutex_t lock; /* of `test`, which is made when it is first asked for */
  as_floats *test;
};

static bool may_be_rounded(const void *target, const char *operator_name) {
  return as_target_rounds(target, operator_name) != AS_ROUND_NEVER;
}

as_guard *as_guard_new(const as_graph *program, const as_target *target, bool off, bool thorough) {
  if (off)
    return NULL;
  as_guard *guard = as_calloc(1, sizeof *guard);
  guard->program = program;
  guard->target = target;
  guard->thorough = thorough;
  pthread_mutex_init(&guard->lock, NULL);
  return guard;
}

void as_guard_free(as_guard *guard) {
  if (!guard)
    return;
  as_floats_free(guard->test);
  pthread_mutex_destroy(&guard->lock);
  free(guard);
}

static as_float_permission permission_of(const as_guard *guard) {
  return (as_float_permission){may_be_rounded, guard->target};
}

static const as_floats *test_of(as_guard *guard) {
  pthread_mutex_lock(&guard->lock);
  if (!guard->test) {
    as_floats_options options = as_floats_default;
    options.permission = permission_of(guard);
    guard->test = as_floats_new(guard->program, &options);
  }
  pthread_mutex_unlock(&guard->lock);
  return guard->test;
}

/* The types of what kernels leave in memory; where sizes have no values nothing is lowered, and all
 * has 32 bits. */
static bool types_between(const as_guard *guard, const as_graph *cand, as_dtype *between,
                          as_err *err) {
  const as_graph *side = cand;
  as_lower_opts options = {.target = guard->target};
  bool has_values = true;
  for (; side; side = side->program) {
    for (uint32_t i = 0; i < side->n_own_size; i++)
      has_values = has_values && as_size_value(side->sizes, side->own_size[i]) >= 0;
  }
  for (uint32_t i = 0; i < cand->n; i++)
    between[i] = AS_F32;
  return !has_values || as_lower_types(cand, &options, between, err);
}

bool as_guard_test(void *arg, const as_graph *cand, as_floats_result *result) {
  as_guard *guard = arg;
  bool is_given = guard && as_field_is_identical(guard->program, cand);
  *result = (as_floats_result){.outcome = AS_FLOATS_OFF};
  if (!guard)
    return true;
  as_float_permission permission = permission_of(guard);
  as_dtype *between = as_malloc((cand->n + 1) * sizeof *between);
  as_err err;
  as_err_init(&err);
  if (types_between(guard, cand, between, &err)) {
    as_float_types types;
    as_float_types_lowered(cand, between, &permission, &types);
    const as_floats *test = test_of(guard);
    as_floats_test(test, cand, &types, guard->thorough || is_given, result);
    AS_TRACE(SEARCH, "floats: the battery took %.3f s, this candidate %.3f s",
             as_floats_seconds(test), result->seconds);
    as_float_types_clear(&types);
  } else {
    as_guard_untested(guard, err.text ? err.text : "it is not lowered", result);
  }
  as_err_clear(&err);
  free(between);
  result->is_given = is_given;
  return is_given || !as_floats_fails(result);
}

void as_guard_untested(const as_guard *guard, const char *why, as_floats_result *result) {
  *result = (as_floats_result){.outcome = guard ? AS_FLOATS_UNTESTED : AS_FLOATS_OFF,
                               .why = guard ? as_strdup(why) : NULL};
}
