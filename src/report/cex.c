/* Counterexamples in report.json: enough to evaluate them again. */
#include "judged.h"
#include "src/base/id.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"value", "undefined", "shape",
                                    "ill-formed"}; /* in the order of as_cex_kind */

void *as_report_cex_json(const as_judged *judged, const as_cex *cex) {
  json_t *sizes = json_object();
  json_t *inputs = json_object();
  json_t *index = json_array();
  for (uint32_t i = 0; i < cex->n_sizes; i++)
    json_object_set_new(sizes, as_size_name(judged->graph->sizes, cex->size[i]),
                        json_integer(cex->value[i]));
  for (uint32_t i = 0; i < cex->n_inputs; i++) {
    const as_tensor *tensor = &cex->input[i];
    json_t *dims = json_array();
    json_t *values = json_array();
    for (uint32_t axis = 0; axis < tensor->rank; axis++)
      json_array_append_new(dims, json_integer(tensor->dim[axis]));
    for (size_t k = 0; k < tensor->n; k++) {
      char *value = as_domain_exact.print(&as_domain_exact, as_tensor_at(tensor, k));
      json_array_append_new(values, json_string(value));
      free(value);
    }
    json_object_set_new(inputs, judged->program->node[judged->program->input[i]].name,
                        json_pack("{s:o, s:o}", "shape", dims, "values", values));
  }
  for (uint32_t i = 0; i < cex->rank; i++)
    json_array_append_new(index, json_integer(cex->index[i]));
  return json_pack("{s:s, s:o, s:o, s:s, s:o, s:s, s:s, s:s}", "kind", kinds[cex->kind], "sizes",
                   sizes, "inputs", inputs, "output",
                   cex->output < judged->program->n_output
                       ? judged->program->node[judged->program->output[cex->output]].name
                       : "",
                   "index", index, "given", cex->given, "candidate", cex->candidate, "method",
                   cex->method);
}

static as_size size_named(const as_sizes *sizes, const char *name) {
  for (uint32_t i = 0;; i++) {
    as_size size = as_size_nth_sym(sizes, i);
    if (size == AS_SIZE_BAD || strcmp(as_size_name(sizes, size), name) == 0)
      return size;
  }
}

static bool read_sizes(json_t *sizes, const as_judged *judged, as_cex *cex, as_err *err) {
  const char *name;
  json_t *value;
  cex->size = as_calloc(json_object_size(sizes) + 1, sizeof *cex->size);
  cex->value = as_calloc(json_object_size(sizes) + 1, sizeof *cex->value);
  json_object_foreach(sizes, name, value) {
    as_size size = size_named(judged->graph->sizes, name);
    if (size == AS_SIZE_BAD || !json_is_integer(value)) {
      return as_err_set(err, AS_BAD_INPUT,
                        "the counterexample has a value for `%s`, which is no size of the programs",
                        name);
    }
    cex->size[cex->n_sizes] = size;
    cex->value[cex->n_sizes++] = json_integer_value(value);
  }
  return true;
}

static bool read_input(json_t *input, const as_node *node, as_tensor *tensor, as_err *err) {
  json_t *dims = json_object_get(input, "shape");
  json_t *values = json_object_get(input, "values");
  int64_t dim[AS_MAX_RANK];
  uint32_t rank = (uint32_t)json_array_size(dims);
  bool ok = json_is_array(dims) && json_is_array(values) && rank == node->rank;
  for (uint32_t axis = 0; ok && axis < rank; axis++)
    ok = (dim[axis] = json_integer_value(json_array_get(dims, axis))) >= 0;
  size_t used = 0;
  if (!ok || !as_tensor_fits(&as_domain_exact, dim, rank, &used)) {
    return as_err_set(err, AS_BAD_INPUT, "the counterexample's input %s has another shape",
                      node->name);
  }
  as_tensor_init(tensor, &as_domain_exact, dim, rank);
  ok = json_array_size(values) == tensor->n;
  mpq_t value;
  mpq_init(value);
  for (size_t k = 0; ok && k < tensor->n; k++) {
    const char *digits = json_string_value(json_array_get(values, k));
    ok = digits && mpq_set_str(value, digits, 10) == 0 && mpz_sgn(mpq_denref(value)) > 0;
    if (ok) {
      mpq_canonicalize(value);
      as_domain_exact.from_q(&as_domain_exact, as_tensor_at(tensor, k), value);
    }
  }
  mpq_clear(value);
  return ok ||
         as_err_set(err, AS_BAD_INPUT,
                    "the counterexample's input %s has values that are no rationals, or too few",
                    node->name);
}

static int64_t *env_of(const as_judged *judged, const as_cex *cex) { /* malloc'ed */
  int64_t *env = as_env_new(judged->graph->sizes);
  for (uint32_t i = 0; i < cex->n_sizes; i++)
    env[cex->size[i]] = cex->value[i];
  return env;
}

/* the inputs have the extents that the program gives them at these sizes */
static bool fits(const as_judged *judged, const as_cex *cex, as_err *err) {
  int64_t *env = env_of(judged, cex);
  const as_node *odd = NULL;
  for (uint32_t i = 0; i < cex->n_inputs; i++) {
    for (uint32_t axis = 0; axis < cex->input[i].rank; axis++) {
      const as_node *node = &judged->program->node[judged->program->input[i]];
      if (as_size_eval(judged->graph->sizes, node->dim[axis], env) != cex->input[i].dim[axis])
        odd = node;
    }
  }
  free(env);
  return odd == NULL ||
         as_err_set(err, AS_BAD_INPUT,
                    "the counterexample's input %s has another shape than its sizes say",
                    odd->name);
}

bool as_report_cex_read(void *from, const as_judged *judged, as_cex *cex, as_err *err) {
  json_t *kept = from;
  json_t *inputs = json_object_get(kept, "inputs");
  as_cex_init(cex);
  const char *const texts[] = {"kind", "given", "candidate"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (!json_is_string(json_object_get(kept, texts[i])))
      return as_err_set(err, AS_BAD_INPUT, "the counterexample has no `%s`", texts[i]);
  }
  if (!read_sizes(json_object_get(kept, "sizes"), judged, cex, err))
    return false;
  cex->input = as_calloc(judged->program->n_input + 1, sizeof *cex->input);
  for (uint32_t i = 0; i < judged->program->n_input; i++) {
    const as_node *node = &judged->program->node[judged->program->input[i]];
    cex->n_inputs = i + 1;
    if (!read_input(json_object_get(inputs, node->name), node, &cex->input[i], err))
      return false;
  }
  if (!fits(judged, cex, err))
    return false;
  for (int k = 0; k < 4; k++) {
    if (strcmp(json_string_value(json_object_get(kept, "kind")), kinds[k]) == 0)
      cex->kind = (as_cex_kind)k;
  }
  cex->given = as_strdup(json_string_value(json_object_get(kept, "given")));
  cex->candidate = as_strdup(json_string_value(json_object_get(kept, "candidate")));
  cex->method = "as reported";
  cex->output = AS_NONE;
  const char *output = json_string_value(json_object_get(kept, "output"));
  for (uint32_t i = 0; output && i < judged->program->n_output; i++) {
    if (strcmp(judged->program->node[judged->program->output[i]].name, output) == 0)
      cex->output = i;
  }
  json_t *index = json_object_get(kept, "index");
  for (cex->rank = 0; cex->rank < json_array_size(index) && cex->rank < AS_MAX_RANK; cex->rank++)
    cex->index[cex->rank] = json_integer_value(json_array_get(index, cex->rank));
  return true;
}

as_status as_report_cex_again(const as_judged *judged, const as_cex *told, as_cex *now,
                              as_err *err) {
  int64_t *env = env_of(judged, told);
  as_status status =
      as_compare_at(judged->program, judged->graph, env, told->input, 0, NULL, now, err);
  free(env);
  return status;
}
