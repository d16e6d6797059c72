/* Draws, and evaluations of the program given: in its types, and in many bits. */
#include "cases.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include "verify/refute/draws.h"
#include "verify/refute/refute.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  BITS = 128,     /* of what stands for the reals */
  MOST_ALONE = 4, /* inputs that have a class's numbers one after the other */
  LEAST_TOGETHER = 8,
  FINEST_WIDE = 2,  /* units in the last place of results of 32 bits: functions are not exact */
  LONG_DRAWS = 1,   /* of an axis that is long */
  MOST_OPS = 500000 /* of one evaluation */
};

static const double WRONG =
    0.5; /* an error as large as that, in parts of the result: no digit is right */
static const double PERTURBATION = 0x1p-23; /* a unit in the last place of 32 bits */

typedef struct {
  const as_graph *program;
  const int64_t *env;
  as_float_case *made;
  as_float_domain floats;
  as_point_domain points;
  as_float_types types;
  as_eval_codes *codes; /* of both domains */
  as_rng rng;
  as_err *err;
} maker;

static size_t row_of(const as_tensor *tensor) {
  for (uint32_t axis = tensor->rank; axis-- > 0;) {
    if (tensor->dim[axis] > 1)
      return (size_t)tensor->dim[axis];
  }
  return 1;
}

/* are so many of the elements different numbers? */
static bool has_different(const double *x, size_t n) {
  double found[LEAST_TOGETHER];
  size_t n_found = 0;
  for (size_t i = 0; i < n && n_found < LEAST_TOGETHER; i++) {
    bool is_new = true;
    for (size_t k = 0; is_new && k < n_found; k++)
      is_new = memcmp(&found[k], &x[i], sizeof *x) != 0;
    if (is_new)
      found[n_found++] = x[i];
  }
  return n_found == LEAST_TOGETHER;
}

static bool some_row_has_different(const as_float_output *out, size_t row) {
  for (size_t from = 0; from + row <= out->n; from += row) {
    if (has_different(out->exact + from, row))
      return true;
  }
  return false;
}

/* Elements of an output whose errors are compared together: a row, or several where rows are short,
 * or have one number many times, since of few elements chance decides how large the errors are. */
static size_t compared_together(const as_float_output *out, const as_tensor *tensor) {
  size_t n = 1;
  for (uint32_t axis = tensor->rank; axis-- > 0 && n > 0 && !some_row_has_different(out, n);)
    n *= (size_t)tensor->dim[axis];
  return n > 0 ? n : 1;
}

static bool is_integer(const maker *make, uint32_t input) {
  return make->program->node[make->program->input[input]].dtype == AS_INT;
}

static void fill_integers(maker *make, uint32_t input, as_tensor *tensor) {
  double *x = tensor->data;
  as_constants literals;
  as_constants_init(&literals);
  as_constants_add_graph(&literals, make->program);
  as_draw draw = as_draw_of(make->program, make->program->input[input], make->env, &literals);
  mpq_t number;
  mpq_init(number);
  for (size_t i = 0; i < tensor->n; i++) {
    as_draw_integer(&draw, &make->rng, false, number);
    x[i] = mpq_get_d(number);
  }
  mpq_clear(number);
  as_constants_clear(&literals);
}

/* alone: the input that has the class's numbers; AS_NONE: all have */
static bool draw_inputs(maker *make, as_float_draw *draw, uint32_t alone) {
  const as_graph *program = make->program;
  draw->inputs = as_inputs_new(program, &make->floats.d, make->env, make->err);
  for (uint32_t i = 0; draw->inputs && i < program->n_input; i++) {
    as_tensor *tensor = &draw->inputs[i];
    as_float_format format = as_float_format_of(program->node[program->input[i]].dtype);
    as_float_class of = alone == i || alone == AS_NONE ? draw->of : AS_FLOATS_ORDINARY;
    if (is_integer(make, i))
      fill_integers(make, i, tensor);
    else
      as_float_fill(of, format, &make->rng, i, tensor->data, tensor->n, row_of(tensor));
  }
  return draw->inputs != NULL;
}

static bool run_given(maker *make, const as_tensor *inputs, as_tensor *outputs) {
  return as_float_run(make->program, &make->floats, &make->types, make->env, make->codes, inputs,
                      outputs, MOST_OPS, make->err) == AS_OK;
}

static as_tensor *tensors_over(const as_domain *domain, const as_tensor *from, uint32_t n) {
  as_tensor *made = as_calloc(n + 1, sizeof *made);
  for (uint32_t i = 0; i < n; i++)
    as_tensor_init(&made[i], domain, from[i].dim, from[i].rank);
  return made;
}

static void free_tensors(as_tensor *tensors, uint32_t n) {
  for (uint32_t i = 0; tensors && i < n; i++)
    as_tensor_clear(&tensors[i]);
  free(tensors);
}

/* the same inputs, each but for about a unit in the last place of 32 bits */
static as_tensor *perturbed(maker *make, const as_tensor *inputs) {
  as_tensor *made = tensors_over(&make->floats.d, inputs, make->program->n_input);
  for (uint32_t i = 0; i < make->program->n_input; i++) {
    const double *x = inputs[i].data;
    double *y = made[i].data;
    for (size_t k = 0; k < inputs[i].n; k++) {
      double part = is_integer(make, i) ? 0 : PERTURBATION * (2 * as_rng_unit(&make->rng) - 1);
      y[k] = x[k] * (1 + part);
    }
  }
  return made;
}

/* outputs: of which element k is as near to the real one as a double is */
static bool run_exactly(maker *make, const as_tensor *inputs, as_float_draw *draw) {
  const as_graph *program = make->program;
  as_tensor *points = tensors_over(&make->points.d, inputs, program->n_input);
  as_tensor *outputs = as_calloc(program->n_output + 1, sizeof *outputs);
  for (uint32_t i = 0; i < program->n_input; i++) {
    const double *x = inputs[i].data;
    for (size_t k = 0; k < inputs[i].n; k++)
      mpfr_set_d((mpfr_ptr)as_tensor_at(&points[i], k), x[k], MPFR_RNDN);
  }
  bool ok = as_eval_graph_again(program, &make->points.d, make->env, make->codes, points, outputs,
                                MOST_OPS, NULL, make->err) == AS_OK;
  for (uint32_t i = 0; ok && i < program->n_output; i++) {
    as_float_output *out = &draw->output[i];
    out->n = outputs[i].n;
    out->exact = as_malloc((out->n + 1) * sizeof *out->exact);
    for (size_t k = 0; k < out->n; k++)
      out->exact[k] = as_point_double(as_tensor_at(&outputs[i], k));
    out->row = compared_together(out, &outputs[i]);
  }
  free_tensors(outputs, program->n_output);
  free_tensors(points, program->n_input);
  return ok;
}

/* the largest error of a row among its finite elements */
static double error_of_row(const as_float_output *out, size_t row, const double *have) {
  double most = 0;
  for (size_t i = row * out->row; i < (row + 1) * out->row && i < out->n; i++) {
    if (isfinite(out->exact[i]) && isfinite(have[i]))
      most = fmax(most, fabs(have[i] - out->exact[i]));
  }
  return most;
}

static int compare_doubles(const void *left, const void *right) {
  const double *a = left;
  const double *b = right;
  return (*a > *b) - (*a < *b);
}

/* A row of which the program given is right by chance demands no more than the others do: each is
 * allowed the median of their errors, as shares of their largest elements (the upper one of two).
 */
static void allow_median(as_float_output *out, size_t rows, const double *largest) {
  double *share = as_malloc((rows + 1) * sizeof *share);
  size_t n = 0;
  for (size_t row = 0; row < rows; row++) {
    if (isfinite(out->allowed[row]) && largest[row] > 0)
      share[n++] = out->allowed[row] / largest[row];
  }
  qsort(share, n, sizeof *share, compare_doubles);
  for (size_t row = 0; row < rows && n; row++)
    out->allowed[row] = fmax(out->allowed[row], share[n / 2] * largest[row]);
  free(share);
}

static void measure_given(as_float_output *out, as_float_format format, const double *given,
                          const double *beside) {
  size_t rows = (out->n + out->row - 1) / out->row;
  out->given = as_malloc((out->n + 1) * sizeof *out->given);
  out->allowed = as_malloc((rows + 1) * sizeof *out->allowed);
  out->finest = as_malloc((rows + 1) * sizeof *out->finest);
  out->apart = as_malloc((out->n + 1) * sizeof *out->apart);
  for (size_t i = 0; i < out->n; i++) {
    out->given[i] = given[i];
    out->apart[i] = fmax(fabs(given[i] - out->exact[i]), fabs(beside[i] - out->exact[i]));
  }
  double *largest = as_calloc(rows + 1, sizeof *largest);
  for (size_t row = 0; row < rows; row++) {
    for (size_t i = row * out->row; i < (row + 1) * out->row && i < out->n; i++)
      largest[row] =
          isfinite(out->exact[i]) ? fmax(largest[row], fabs(out->exact[i])) : largest[row];
    double unit = as_float_ulp(format) * (format == AS_FLOAT_F32 ? FINEST_WIDE : 1);
    out->finest[row] = fmax(unit * largest[row], as_float_least(format));
    double own = fmax(error_of_row(out, row, given), error_of_row(out, row, beside));
    out->allowed[row] = own > WRONG * largest[row] ? INFINITY : fmax(own, out->finest[row]);
  }
  allow_median(out, rows, largest);
  free(largest);
}

static bool evaluate(maker *make, as_float_draw *draw) {
  const as_graph *program = make->program;
  as_tensor *given = as_calloc(program->n_output + 1, sizeof *given);
  as_tensor *beside = as_calloc(program->n_output + 1, sizeof *beside);
  as_tensor *other = perturbed(make, draw->inputs);
  bool ok = run_exactly(make, draw->inputs, draw) && run_given(make, draw->inputs, given) &&
            run_given(make, other, beside);
  for (uint32_t i = 0; ok && i < program->n_output; i++)
    measure_given(&draw->output[i], make->types.value[program->output[i]], given[i].data,
                  beside[i].data);
  free_tensors(given, program->n_output);
  free_tensors(beside, program->n_output);
  free_tensors(other, program->n_input);
  return ok;
}

static bool add_draw(maker *make, as_float_class of, uint32_t alone) {
  as_float_case *made = make->made;
  made->draw = as_realloc(made->draw, (made->n_draws + 1) * sizeof *made->draw);
  as_float_draw *draw = &made->draw[made->n_draws++];
  *draw = (as_float_draw){.of = of};
  draw->output = as_calloc(made->n_outputs + 1, sizeof *draw->output);
  return draw_inputs(make, draw, alone) && evaluate(make, draw);
}

static bool add_class(maker *make, as_float_class of) {
  const as_float_where where = as_float_class_rows[of].where;
  uint32_t n_alone = 0;
  if (where != AS_IN_EACH && !add_draw(make, of, AS_NONE))
    return false;
  for (uint32_t i = 0; where != AS_IN_ALL && i < make->program->n_input; i++) {
    if (is_integer(make, i) || n_alone == MOST_ALONE)
      continue;
    n_alone++;
    if (!add_draw(make, of, i))
      return false;
  }
  return true;
}

static bool add_all(maker *make, bool is_long) {
  bool ok = true;
  for (int i = 0; ok && i < AS_N_FLOAT_CLASSES; i++) {
    uint32_t times = i != AS_FLOATS_LONG ? !is_long : is_long ? LONG_DRAWS : 0;
    for (; ok && times > 0; times--)
      ok = add_class(make, (as_float_class)i);
  }
  return ok;
}

as_float_case *as_float_case_new(const as_graph *program, const as_floats_options *options,
                                 const int64_t *env, bool is_long, as_err *err) {
  maker make = {.program = program,
                .env = env,
                .made = as_calloc(1, sizeof *make.made),
                .codes = as_eval_codes_new(),
                .err = err};
  as_float_case *made = make.made;
  made->n_inputs = program->n_input;
  made->n_outputs = program->n_output;
  made->env = as_malloc((program->n_own_size + 1) * sizeof *made->env);
  for (uint32_t i = 0; i < program->n_own_size; i++)
    made->env[i] = env[program->own_size[i]];
  as_rng_seed(&make.rng, options->seed);
  as_float_domain_init(&make.floats, AS_FLOATS_PART);
  as_point_domain_init(&make.points, BITS);
  as_float_types_given(program, &options->permission, &make.types);
  bool ok = add_all(&make, is_long);
  as_float_types_clear(&make.types);
  as_eval_codes_free(make.codes);
  for (uint32_t k = 0; k < made->n_draws; k++) { /* what candidates are run on is theirs */
    for (uint32_t i = 0; made->draw[k].inputs && i < made->n_inputs; i++)
      made->draw[k].inputs[i].d = &as_domain_double;
  }
  if (ok)
    return made;
  as_float_case_free(made);
  return NULL;
}

void as_float_case_free(as_float_case *made) {
  for (uint32_t k = 0; made && k < made->n_draws; k++) {
    free_tensors(made->draw[k].inputs, made->n_inputs);
    for (uint32_t i = 0; i < made->n_outputs; i++) {
      free(made->draw[k].output[i].exact);
      free(made->draw[k].output[i].given);
      free(made->draw[k].output[i].apart);
      free(made->draw[k].output[i].allowed);
      free(made->draw[k].output[i].finest);
    }
    free(made->draw[k].output);
  }
  if (made) {
    free(made->draw);
    free(made->env);
  }
  free(made);
}
