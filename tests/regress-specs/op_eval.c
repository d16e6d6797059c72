/* op_eval SEM_FOLDER <calls >results: evaluates operators over doubles as their specifications say,
 * for comparison with other libraries. A call is {"op", "args": [{"dim": [..], "data": [..]}],
 * "attrs": {..}}; a result {"dim", "data"} with null for what is undefined, or {"error"}. */
#include "../../semantics/eval.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool tensor_of(const json_t *json, as_tensor *tensor) {
  const json_t *dims = json_object_get(json, "dim");
  const json_t *data = json_object_get(json, "data");
  int64_t dim[AS_MAX_RANK];
  size_t rank = json_array_size(dims);
  if (rank > AS_MAX_RANK)
    return false;
  for (size_t i = 0; i < rank; i++)
    dim[i] = json_integer_value(json_array_get(dims, i));
  as_tensor_init(tensor, &as_domain_double, dim, (uint32_t)rank);
  for (size_t i = 0; i < tensor->n && i < json_array_size(data); i++)
    *(double *)as_tensor_at(tensor, i) = json_number_value(json_array_get(data, i));
  return json_array_size(data) == tensor->n;
}

static void attributes(as_sizes *sizes, const as_opdef *op, const json_t *given, as_attr *attr) {
  for (uint32_t i = 0; i < op->nattrs; i++) {
    const json_t *value = json_object_get(given, op->attr[i]);
    if (op->attr_has_default[i])
      as_attr_set(&attr[i], &op->attr_default[i]);
    if (json_is_integer(value)) {
      attr[i].is_size = true;
      attr[i].size = as_size_int(sizes, (long)json_integer_value(value));
    } else if (json_is_real(value)) {
      attr[i].is_size = false;
      mpq_set_d(attr[i].num, json_real_value(value));
    }
  }
}

static json_t *result(const as_tensor *tensor) {
  json_t *dims = json_array();
  json_t *data = json_array();
  for (uint32_t i = 0; i < tensor->rank; i++)
    json_array_append_new(dims, json_integer(tensor->dim[i]));
  for (size_t i = 0; i < tensor->n; i++) {
    double value = *(const double *)as_tensor_at(tensor, i);
    json_array_append_new(data, isfinite(value) ? json_real(value) : json_null());
  }
  return json_pack("{s:o, s:o}", "dim", dims, "data", data);
}

static json_t *call(const as_oplib *lib, const json_t *json) {
  const char *name = json_string_value(json_object_get(json, "op"));
  const json_t *args = json_object_get(json, "args");
  const as_opdef *op = name ? as_oplib_find(lib, name) : NULL;
  if (op == NULL || json_array_size(args) != op->nargs)
    return json_pack("{s:s}", "error", "no such operator, or another number of arguments");
  as_sizes *sizes = as_sizes_new();
  as_size adim[AS_MAX_ARGS][AS_MAX_RANK];
  uint32_t arank[AS_MAX_ARGS];
  as_tensor inputs[AS_MAX_ARGS];
  as_tensor out;
  const as_tensor *arg[AS_MAX_ARGS];
  as_attr attr[AS_MAX_ATTRS];
  as_err err;
  as_err_init(&err);
  uint32_t n = 0;
  for (; n < op->nargs && tensor_of(json_array_get(args, n), &inputs[n]); n++) {
    arg[n] = &inputs[n];
    arank[n] = inputs[n].rank;
    for (uint32_t i = 0; i < inputs[n].rank; i++)
      adim[n][i] = as_size_int(sizes, (long)inputs[n].dim[i]);
  }
  for (int i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_init(&attr[i]);
  attributes(sizes, op, json_object_get(json, "attrs"), attr);
  int64_t *env = as_env_new(sizes);
  as_opcode *opcode = n == op->nargs ? as_opcode_new(sizes, op, (const as_size(*)[AS_MAX_RANK])adim,
                                                     arank, n, attr, &as_domain_double, env, &err)
                                     : NULL;
  json_t *row = NULL;
  if (opcode) {
    int64_t dim[AS_MAX_RANK];
    uint32_t rank;
    as_opcode_dims(opcode, dim, &rank);
    as_tensor_init(&out, &as_domain_double, dim, rank);
    if (as_opcode_run(opcode, arg, &out, NULL, &err) == AS_OK)
      row = result(&out);
    as_tensor_clear(&out);
  }
  if (row == NULL)
    row = json_pack("{s:s}", "error", err.text ? err.text : "data do not fit the extents");
  as_opcode_free(opcode);
  for (uint32_t i = 0; i < n; i++)
    as_tensor_clear(&inputs[i]);
  for (int i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_clear(&attr[i]);
  free(env);
  as_err_clear(&err);
  as_sizes_free(sizes);
  return row;
}

int main(int argc, char **argv) {
  as_err err;
  as_err_init(&err);
  as_oplib *lib = as_oplib_new();
  json_error_t error;
  if (argc != 2 || !as_oplib_load_dir(lib, argv[1], &err)) {
    fprintf(stderr, "op_eval: %s\n", err.text ? err.text : "a folder of specifications is needed");
    return 2;
  }
  json_t *calls = json_loadf(stdin, 0, &error);
  json_t *results = json_array();
  json_t *json;
  size_t i;
  if (!json_is_array(calls)) {
    fprintf(stderr, "op_eval: line %d: %s\n", error.line, calls ? "not a list" : error.text);
    return 2;
  }
  json_array_foreach(calls, i, json) json_array_append_new(results, call(lib, json));
  int bad = json_dumpf(results, stdout, JSON_REAL_PRECISION(17));
  json_decref(results);
  json_decref(calls);
  as_oplib_free(lib);
  as_err_clear(&err);
  return bad != 0;
}
