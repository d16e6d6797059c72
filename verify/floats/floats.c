/* The test of one candidate, and the words for what came of it. */
#include "floats.h"
#include "cases.h"
#include "src/base/file.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/base/str.h"
#include "verify/refute/refute.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 64, LOST = 2 }; /* relative errors of 1/64 and of 1/2 */

enum {
  MOST_CASES = 3,
  LONG_FROM = 1024,
  MOST_OPS = 500000,
  AT_LEAST_SIZES = 4 /* times as many operations where no sizes take fewer: extents are numbers */
};

const as_floats_options as_floats_default = {.seed = 1, .work = 4000, .long_work = 20000};

struct as_floats {
  as_graph *program; /* a copy with sizes of its own */
  as_floats_options options;
  as_float_case *made[MOST_CASES];
  uint32_t n_cases;
  as_err err; /* why there is none */
  double seconds;
};

static void add_case(as_floats *test, const int64_t *env, bool is_long) {
  as_float_case *made = as_float_case_new(test->program, &test->options, env, is_long, &test->err);
  if (made)
    test->made[test->n_cases++] = made;
}

/* the free size with the largest value that is stated, of those not seen; AS_NONE: none is long */
static uint32_t longest(const as_instance *inst, const bool *seen) {
  uint32_t found = AS_NONE;
  long most = LONG_FROM - 1;
  for (uint32_t i = 0; i < inst->n_chosen; i++) {
    long value = as_size_value(inst->S, inst->chosen[i]);
    if (value <= most || seen[i])
      continue;
    most = value;
    found = i;
  }
  return found;
}

static void make_cases(as_floats *test) {
  as_instance inst;
  as_rng rng;
  as_rng_seed(&rng, test->options.seed);
  if (!as_instance_init(&inst, test->program, NULL, &test->err)) {
    as_instance_clear(&inst);
    return;
  }
  double work = test->options.work;
  bool found = as_float_grow(&inst, test->program, AS_NONE, work, &rng);
  if (!found)
    found = as_float_grow(&inst, test->program, AS_NONE, work *= AT_LEAST_SIZES, &rng);
  if (found)
    add_case(test, inst.env, false);
  else
    as_err_set(&test->err, AS_UNKNOWN,
               "no small sizes were found at which an evaluation takes at most %.0f operations",
               work);
  bool *seen = as_calloc(inst.n_chosen + 1, sizeof *seen);
  for (uint32_t i;
       test->n_cases > 0 && test->n_cases < MOST_CASES && (i = longest(&inst, seen)) != AS_NONE;) {
    seen[i] = true;
    if (as_float_grow(&inst, test->program, i, test->options.long_work, &rng))
      add_case(test, inst.env, true);
  }
  free(seen);
  as_instance_clear(&inst);
}

as_floats *as_floats_new(const as_graph *program, const as_floats_options *options) {
  double start = as_now();
  as_floats *test = as_calloc(1, sizeof *test);
  test->options = options ? *options : as_floats_default;
  test->program = as_graph_copy(program);
  test->program->sizes = as_sizes_copy(program->sizes);
  as_err_init(&test->err);
  make_cases(test);
  test->seconds = as_now() - start;
  return test;
}

void as_floats_free(as_floats *test) {
  if (!test)
    return;
  for (uint32_t i = 0; i < test->n_cases; i++)
    as_float_case_free(test->made[i]);
  as_sizes *sizes = test->program->sizes;
  as_graph_free(test->program);
  as_sizes_free(sizes);
  as_err_clear(&test->err);
  free(test);
}

double as_floats_seconds(const as_floats *test) {
  return test->seconds;
}

/* --- one candidate */
typedef struct {
  const as_graph *cand;
  const as_float_types *types;
  as_float_domain floats;
  bool thorough;
  as_floats_result *result;
} tester;

static void note_factor(tester *job, as_float_class of, double factor) {
  double *here = &job->result->of_class[of];
  *here = factor > *here ? factor : *here;
  if (factor <= job->result->factor)
    return;
  job->result->factor = factor;
  job->result->worst = of;
}

static void note_safer(tester *job, as_float_class of, double factor) {
  if (factor <= job->result->safer_factor)
    return;
  job->result->safer_factor = factor;
  job->result->safer = of;
}

/* Of an element that the program given has, and of which the candidate has nothing, the factor of
 * errors; 0: it is none.  Among larger ones it makes no difference to a row's error. */
static double lost_by(const as_float_output *out, size_t i, as_float_format format, double have) {
  double size = fabs(out->exact[i]);
  double error = fabs(have - out->exact[i]);
  if (size < as_float_normal(format) || out->apart[i] >= size / KEPT || error <= size / LOST)
    return 0;
  return error / fmax(out->apart[i], as_float_ulp(format) * size);
}

/* One element of a row may be small beside the errors of both, and right in one of them by
 * chance. */
static void note_lost(double lost[2], double factor) {
  if (factor > lost[0]) {
    lost[1] = lost[0];
    lost[0] = factor;
  } else {
    lost[1] = fmax(lost[1], factor);
  }
}

static bool is_finite_row(const as_float_output *out, size_t row) {
  for (size_t i = row * out->row; i < (row + 1) * out->row && i < out->n; i++) {
    if (!isfinite(out->given[i]))
      return false;
  }
  return true;
}

/* What a row of an output says: errors against each other, and what is not finite. */
static void compare_row(tester *job, as_float_class of, const as_float_output *out, size_t row,
                        as_float_format format, const double *have) {
  double own = 0;
  double given = 0;
  double lost[2] = {0, 0};
  bool counts = !as_float_class_rows[of].is_infinite || is_finite_row(out, row);
  bool compared = isfinite(out->allowed[row]) && counts;
  for (size_t i = row * out->row; i < (row + 1) * out->row && i < out->n; i++) {
    bool real = isfinite(out->exact[i]) && fabs(out->exact[i]) <= as_float_most(format);
    if (counts && (compared || real) && isfinite(out->given[i]) && !isfinite(have[i]))
      note_factor(job, of, INFINITY);
    if (!isfinite(out->given[i]) && isfinite(have[i]) && real)
      note_safer(job, of, INFINITY);
    if (!isfinite(out->exact[i]) || !isfinite(out->given[i]) || !isfinite(have[i]))
      continue;
    own = fmax(own, fabs(have[i] - out->exact[i]));
    note_lost(lost, lost_by(out, i, format, have[i]));
    given = fmax(given, fabs(out->given[i] - out->exact[i]));
  }
  if (compared)
    note_factor(job, of, fmax(own / out->allowed[row], out->row > 1 ? lost[1] : lost[0]));
  note_safer(job, of, given / fmax(own, out->finest[row]));
}

static void compare(tester *job, const as_float_draw *draw, const as_tensor *have) {
  job->result->draws++;
  note_factor(job, draw->of, 0);
  for (uint32_t i = 0; i < job->cand->n_output; i++) {
    const as_float_output *out = &draw->output[i];
    as_float_format format = job->types->value[job->cand->output[i]];
    for (size_t row = 0; out->n == have[i].n && row * out->row < out->n; row++)
      compare_row(job, draw->of, out, row, format, have[i].data);
  }
}

/* the sizes of the case, and of the candidate those that go with them; malloc'ed, NULL: none do */
static int64_t *sizes_at(const as_graph *cand, const as_float_case *at) {
  const as_graph *program = cand->program ? cand->program : cand;
  int64_t *env = as_env_new(cand->sizes);
  for (uint32_t i = 0; i < program->n_own_size; i++)
    env[program->own_size[i]] = at->env[i];
  if (!cand->program || as_float_solve(cand, env))
    return env;
  free(env);
  return NULL;
}

static bool goes_on(const tester *job) {
  return job->thorough || job->result->factor <= AS_FLOATS_FACTOR;
}

/* false: the candidate cannot be evaluated there, and the result says why */
static bool run_case(tester *job, const as_float_case *at) {
  as_err err;
  as_err_init(&err);
  int64_t *env = sizes_at(job->cand, at);
  as_eval_codes *codes = as_eval_codes_new();
  bool ok = env || as_err_set(&err, AS_UNKNOWN, "no small sizes meet the candidate's relations");
  for (uint32_t k = 0; ok && goes_on(job) && k < at->n_draws; k++) {
    as_tensor *outputs = as_calloc(job->cand->n_output + 1, sizeof *outputs);
    ok = as_float_run(job->cand, &job->floats, job->types, env, codes, at->draw[k].inputs, outputs,
                      MOST_OPS, &err) == AS_OK;
    if (ok)
      compare(job, &at->draw[k], outputs);
    as_outputs_free(job->cand, outputs);
  }
  if (!ok && job->result->why == NULL)
    job->result->why = as_strdup(err.text ? err.text : "it cannot be evaluated");
  as_eval_codes_free(codes);
  free(env);
  as_err_clear(&err);
  return ok;
}

static void conclude(tester *job, uint32_t n_cases) {
  as_floats_result *result = job->result;
  for (int i = 0; i < AS_N_FLOAT_CLASSES; i++)
    result->n_classes += result->of_class[i] >= 0;
  result->outcome = isinf(result->factor)               ? AS_FLOATS_NOT_FINITE
                    : result->factor > AS_FLOATS_FACTOR ? AS_FLOATS_WORSE
                    : n_cases == 0                      ? AS_FLOATS_UNTESTED
                                                        : AS_FLOATS_PASSED;
  result->is_safer =
      result->outcome == AS_FLOATS_PASSED && result->safer_factor >= AS_FLOATS_CLEARLY;
  if (result->outcome != AS_FLOATS_UNTESTED) {
    free(result->why);
    result->why = NULL;
  }
}

void as_floats_test(const as_floats *test, const as_graph *cand, const as_float_types *types,
                    bool thorough, as_floats_result *result) {
  double start = as_now();
  memset(result, 0, sizeof *result);
  as_stats_add(AS_STAT_FLOAT_TESTS, 1);
  tester job = {.cand = cand, .types = types, .thorough = thorough, .result = result};
  for (int i = 0; i < AS_N_FLOAT_CLASSES; i++)
    result->of_class[i] = -1;
  as_float_domain_init(&job.floats, AS_FLOATS_PART);
  uint32_t n_cases = 0;
  for (uint32_t i = 0; i < test->n_cases && goes_on(&job); i++)
    n_cases += run_case(&job, test->made[i]);
  if (test->n_cases == 0)
    result->why = as_strdup(test->err.text ? test->err.text : "it cannot be evaluated");
  conclude(&job, n_cases);
  result->seconds = as_now() - start;
}

bool as_floats_fails(const as_floats_result *result) {
  return result->outcome == AS_FLOATS_WORSE || result->outcome == AS_FLOATS_NOT_FINITE;
}

void as_floats_result_clear(as_floats_result *result) {
  free(result->why);
  memset(result, 0, sizeof *result);
}

const char *as_floats_word(as_floats_outcome outcome) {
  static const char *const words[] = {[AS_FLOATS_OFF] = "off",
                                      [AS_FLOATS_UNTESTED] = "not tested",
                                      [AS_FLOATS_PASSED] = "passed",
                                      [AS_FLOATS_WORSE] = "worse",
                                      [AS_FLOATS_NOT_FINITE] = "not finite"};
  return words[outcome];
}

char *as_floats_table(const as_floats_result *result) {
  as_str text;
  as_str_init(&text);
  for (int i = 0; result->draws > 0 && i < AS_N_FLOAT_CLASSES; i++) {
    if (isinf(result->of_class[i]))
      as_str_printf(&text, "  %-30s not finite\n", as_float_class_rows[i].name);
    else if (result->of_class[i] >= 0)
      as_str_printf(&text, "  %-30s %.3g\n", as_float_class_rows[i].name, result->of_class[i]);
  }
  return as_str_take(&text);
}

static void add_safer(const as_floats_result *result, as_str *text) {
  const char *class = as_float_class_rows[result->safer].name;
  if (isinf(result->safer_factor))
    as_str_printf(text, "; safer than the program given (%s: finite where that is not)", class);
  else
    as_str_printf(text, "; safer than the program given (%s: 1/%.3g of its error)", class,
                  result->safer_factor);
}

char *as_floats_print(const as_floats_result *result) {
  const char *class = as_float_class_rows[result->worst].name;
  as_str text;
  as_str_init(&text);
  switch (result->outcome) {
  case AS_FLOATS_OFF:
    as_str_add(&text, "not tested: --fast-floats");
    break;
  case AS_FLOATS_UNTESTED:
    as_str_printf(&text, "not tested: %s", result->why ? result->why : "no reason given");
    break;
  case AS_FLOATS_NOT_FINITE:
    as_str_printf(&text, "%s: not finite where the program given is", class);
    break;
  case AS_FLOATS_WORSE:
    as_str_printf(&text, "%s: %.3g x the error of the program given", class, result->factor);
    break;
  case AS_FLOATS_PASSED:
    as_str_printf(&text,
                  "%u draws of %u classes passed; at most %.2g x the error of the program given "
                  "(%s)",
                  result->draws, result->n_classes, result->factor, class);
    if (result->is_safer)
      add_safer(result, &text);
    break;
  }
  return as_str_take(&text);
}
