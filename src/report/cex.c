/* Counterexamples in report.json: enough to evaluate them again. */
#include "judged.h"
#include "src/base/id.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"value", "undefined", "shape",
                                    "ill-formed"}; /* in the order of as_cex_kind */

void *as_report_cex_json(const as_judged *judged, const as_cex *x) {
  json_t *sizes = json_object();
  json_t *inputs = json_object();
  json_t *index = json_array();
  for (uint32_t i = 0; i < x->n_sizes; i++)
    json_object_set_new(sizes, as_size_name(judged->graph->sizes, x->size[i]),
                        json_integer(x->value[i]));
  for (uint32_t i = 0; i < x->n_inputs; i++) {
    const as_tensor *t = &x->input[i];
    json_t *dims = json_array();
    json_t *values = json_array();
    for (uint32_t d = 0; d < t->rank; d++)
      json_array_append_new(dims, json_integer(t->dim[d]));
    for (size_t k = 0; k < t->n; k++) {
      char *v = as_domain_exact.print(&as_domain_exact, as_tensor_at(t, k));
      json_array_append_new(values, json_string(v));
      free(v);
    }
    json_object_set_new(inputs, judged->program->node[judged->program->input[i]].name,
                        json_pack("{s:o, s:o}", "shape", dims, "values", values));
  }
  for (uint32_t i = 0; i < x->rank; i++)
    json_array_append_new(index, json_integer(x->index[i]));
  return json_pack("{s:s, s:o, s:o, s:s, s:o, s:s, s:s, s:s}", "kind", kinds[x->kind], "sizes",
                   sizes, "inputs", inputs, "output",
                   x->output < judged->program->n_output
                       ? judged->program->node[judged->program->output[x->output]].name
                       : "",
                   "index", index, "given", x->given, "candidate", x->candidate, "method",
                   x->method);
}

static as_size size_named(const as_sizes *S, const char *name) {
  for (uint32_t i = 0;; i++) {
    as_size s = as_size_nth_sym(S, i);
    if (s == AS_SIZE_BAD || strcmp(as_size_name(S, s), name) == 0)
      return s;
  }
}

static bool read_sizes(json_t *sizes, const as_judged *judged, as_cex *x, as_err *err) {
  const char *name;
  json_t *v;
  x->size = as_calloc(json_object_size(sizes) + 1, sizeof *x->size);
  x->value = as_calloc(json_object_size(sizes) + 1, sizeof *x->value);
  json_object_foreach(sizes, name, v) {
    as_size s = size_named(judged->graph->sizes, name);
    if (s == AS_SIZE_BAD || !json_is_integer(v)) {
      return as_err_set(err, AS_BAD_INPUT,
                        "the counterexample has a value for `%s`, which is no size of the programs",
                        name);
    }
    x->size[x->n_sizes] = s;
    x->value[x->n_sizes++] = json_integer_value(v);
  }
  return true;
}

static bool read_input(json_t *in, const as_node *n, as_tensor *t, as_err *err) {
  json_t *dims = json_object_get(in, "shape");
  json_t *values = json_object_get(in, "values");
  int64_t dim[AS_MAX_RANK];
  uint32_t rank = (uint32_t)json_array_size(dims);
  bool ok = json_is_array(dims) && json_is_array(values) && rank == n->rank;
  for (uint32_t d = 0; ok && d < rank; d++)
    ok = (dim[d] = json_integer_value(json_array_get(dims, d))) >= 0;
  size_t used = 0;
  if (!ok || !as_tensor_fits(&as_domain_exact, dim, rank, &used)) {
    return as_err_set(err, AS_BAD_INPUT, "the counterexample's input %s has another shape",
                      n->name);
  }
  as_tensor_init(t, &as_domain_exact, dim, rank);
  ok = json_array_size(values) == t->n;
  mpq_t q;
  mpq_init(q);
  for (size_t k = 0; ok && k < t->n; k++) {
    const char *v = json_string_value(json_array_get(values, k));
    ok = v && mpq_set_str(q, v, 10) == 0 && mpz_sgn(mpq_denref(q)) > 0;
    if (ok) {
      mpq_canonicalize(q);
      as_domain_exact.from_q(&as_domain_exact, as_tensor_at(t, k), q);
    }
  }
  mpq_clear(q);
  return ok ||
         as_err_set(err, AS_BAD_INPUT,
                    "the counterexample's input %s has values that are no rationals, or too few",
                    n->name);
}

static int64_t *env_of(const as_judged *judged, const as_cex *x) { /* malloc'ed */
  int64_t *env = as_env_new(judged->graph->sizes);
  for (uint32_t i = 0; i < x->n_sizes; i++)
    env[x->size[i]] = x->value[i];
  return env;
}

/* the inputs have the extents that the program gives them at these sizes */
static bool fits(const as_judged *judged, const as_cex *x, as_err *err) {
  int64_t *env = env_of(judged, x);
  const as_node *odd = NULL;
  for (uint32_t i = 0; i < x->n_inputs; i++) {
    for (uint32_t d = 0; d < x->input[i].rank; d++) {
      const as_node *n = &judged->program->node[judged->program->input[i]];
      if (as_size_eval(judged->graph->sizes, n->dim[d], env) != x->input[i].dim[d])
        odd = n;
    }
  }
  free(env);
  return odd == NULL ||
         as_err_set(err, AS_BAD_INPUT,
                    "the counterexample's input %s has another shape than its sizes say",
                    odd->name);
}

bool as_report_cex_read(void *from, const as_judged *judged, as_cex *x, as_err *err) {
  json_t *kept = from;
  json_t *inputs = json_object_get(kept, "inputs");
  as_cex_init(x);
  const char *const texts[] = {"kind", "given", "candidate"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (!json_is_string(json_object_get(kept, texts[i])))
      return as_err_set(err, AS_BAD_INPUT, "the counterexample has no `%s`", texts[i]);
  }
  if (!read_sizes(json_object_get(kept, "sizes"), judged, x, err))
    return false;
  x->input = as_calloc(judged->program->n_input + 1, sizeof *x->input);
  for (uint32_t i = 0; i < judged->program->n_input; i++) {
    const as_node *n = &judged->program->node[judged->program->input[i]];
    x->n_inputs = i + 1;
    if (!read_input(json_object_get(inputs, n->name), n, &x->input[i], err))
      return false;
  }
  if (!fits(judged, x, err))
    return false;
  for (int k = 0; k < 4; k++) {
    if (strcmp(json_string_value(json_object_get(kept, "kind")), kinds[k]) == 0)
      x->kind = (as_cex_kind)k;
  }
  x->given = as_strdup(json_string_value(json_object_get(kept, "given")));
  x->candidate = as_strdup(json_string_value(json_object_get(kept, "candidate")));
  x->method = "as reported";
  x->output = AS_NONE;
  const char *output = json_string_value(json_object_get(kept, "output"));
  for (uint32_t i = 0; output && i < judged->program->n_output; i++) {
    if (strcmp(judged->program->node[judged->program->output[i]].name, output) == 0)
      x->output = i;
  }
  json_t *index = json_object_get(kept, "index");
  for (x->rank = 0; x->rank < json_array_size(index) && x->rank < AS_MAX_RANK; x->rank++)
    x->index[x->rank] = json_integer_value(json_array_get(index, x->rank));
  return true;
}

as_status as_report_cex_again(const as_judged *judged, const as_cex *told, as_cex *now,
                              as_err *err) {
  int64_t *env = env_of(judged, told);
  as_status s = as_compare_at(judged->program, judged->graph, env, told->input, 0, NULL, now, err);
  free(env);
  return s;
}
