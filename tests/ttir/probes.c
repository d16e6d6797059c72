/* Kernels of Triton with recorded results: each is lifted, executed as a tile program over doubles
 * on the recorded inputs, and compared where results are recorded.
 *
 * usage: probes [--most N] FILE.ttir...      (FILE.json beside each)
 *
 * --most: tensor elements of a launch above which it is not executed (and counted so).  One line a
 * kernel, then the totals; exit status 1: a result differs, or a kernel is undefined. */
#include "semantics/tile_eval.h"
#include "src/base/file.h"
#include "src/base/str.h"
#include "src/import/triton.h"
#include "tests/operators.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { AGREES, DIFFERS, REFUSED, TOO_LARGE, N_OUTCOMES } outcome;

static const char *const words[] = {"agrees", "DIFFERS", "refused", "too large"};

/* element i of argument number a, as the recordings say it */
static double filled(const char *fill, uint32_t argument, uint64_t i) {
  uint32_t hash = (uint32_t)(2654435761u * i) + (uint32_t)(2654404609u * (argument + 1));
  hash ^= hash >> 15;
  hash *= 2246822519u;
  hash ^= hash >> 13;
  if (strcmp(fill, "f") == 0)
    return (double)(hash % 4001) / 1000 - 2;
  if (strcmp(fill, "p") == 0)
    return (double)(hash % 1000) / 1000 + 0.5;
  long long least;
  long long beyond;
  if (sscanf(fill, "i:%lld:%lld", &least, &beyond) == 2)
    return (double)(least + (long long)(hash % (uint64_t)(beyond - least)));
  return 0;
}

static uint32_t argument_named(const json_t *arguments, const char *name) {
  for (uint32_t i = 0; i < json_array_size(arguments); i++) {
    const char *own = json_string_value(json_object_get(json_array_get(arguments, i), "name"));
    size_t n = strlen(own);
    if (strncmp(own, name, n) == 0 && (name[n] == 0 || strcmp(name + n, "_given") == 0))
      return i;
  }
  return 0;
}

static void fill_tensor(as_tensor *tensor, const json_t *arguments, uint32_t number) {
  const json_t *argument = json_array_get(arguments, number);
  const char *fill = json_string_value(json_object_get(argument, "fill"));
  const json_t *value = json_object_get(argument, "value");
  for (size_t k = 0; k < tensor->n; k++) {
    double *element = as_tensor_at(tensor, k);
    *element = fill ? filled(fill, number, k) : json_number_value(value);
  }
}

/* is one of these elements a number, of which it is recorded that it is none? */
static bool is_number(const as_tensor *result, const json_t *none) {
  for (size_t k = 0; k < json_array_size(none); k++) {
    size_t offset = (size_t)json_integer_value(json_array_get(none, k));
    if (offset >= result->n || isfinite(*(double *)as_tensor_at(result, offset)))
      return true;
  }
  return false;
}

/* The largest difference between what was recorded and what was computed, relative to 1 + |v|;
 * infinite where a number is computed of what was recorded as none, by `none`. */
static double largest_difference(const as_tile_program *program, const as_tensor *results,
                                 const json_t *probes, const json_t *nones) {
  double largest = 0;
  for (uint32_t i = 0; i < as_tile_n_results(program); i++) {
    const char *name = program->tensor[as_tile_result(program, i)].name;
    if (is_number(&results[i], json_object_get(nones, name)))
      return INFINITY;
    const json_t *of = json_object_get(probes, name);
    for (size_t k = 0; k < json_array_size(of); k++) {
      const json_t *pair = json_array_get(of, k);
      size_t offset = (size_t)json_integer_value(json_array_get(pair, 0));
      double recorded = json_number_value(json_array_get(pair, 1));
      double computed = offset < results[i].n ? *(double *)as_tensor_at(&results[i], offset) : NAN;
      double difference = fabs(recorded - computed) / (1 + fabs(recorded));
      if (!(difference <= largest)) /* not a number is the largest */
        largest = isnan(difference) ? INFINITY : difference;
    }
  }
  return largest;
}

static outcome execute(const as_tile_program *program, const json_t *chosen, char **why) {
  const json_t *arguments = json_object_get(chosen, "args");
  int64_t *env = as_env_new(program->sizes->sizes);
  uint32_t n = as_tile_n_arguments(program);
  as_tensor *given = as_calloc(n + 1, sizeof *given);
  as_tensor *results = as_calloc(as_tile_n_results(program) + 1, sizeof *results);
  for (uint32_t i = 0; i < n; i++) {
    const as_tile_tensor *tensor = &program->tensor[as_tile_argument(program, i)];
    int64_t dim[AS_MAX_RANK];
    for (uint32_t d = 0; d < tensor->rank; d++)
      dim[d] = as_size_eval(program->sizes->sizes, tensor->dim[d], env);
    as_tensor_init(&given[i], &as_domain_double, dim, tensor->rank);
    fill_tensor(&given[i], arguments, argument_named(arguments, tensor->name));
  }
  as_tile_setting setting = {&as_domain_double, env, given, AS_TILE_ASCENDING, 1, 0, false};
  as_tile_notes notes;
  as_err err;
  as_err_init(&err);
  outcome made = DIFFERS;
  as_status status = as_tile_run(program, &setting, results, &notes, &err);
  if (status == AS_OK) {
    double difference = largest_difference(program, results, json_object_get(chosen, "probe"),
                                           json_object_get(chosen, "none"));
    made = difference < 1e-5 ? AGREES : DIFFERS;
    *why = as_format("%.1e", difference);
    for (uint32_t i = 0; i < as_tile_n_results(program); i++)
      as_tensor_clear(&results[i]);
  } else {
    *why = as_err_format(&err);
  }
  for (uint32_t i = 0; i < n; i++)
    as_tensor_clear(&given[i]);
  free(given);
  free(results);
  free(env);
  as_err_clear(&err);
  return made;
}

static double elements_of(const json_t *chosen) {
  double sum = 0;
  const json_t *arguments = json_object_get(chosen, "args");
  for (size_t i = 0; i < json_array_size(arguments); i++)
    sum += json_number_value(json_object_get(json_array_get(arguments, i), "size"));
  return sum;
}

static outcome judge_text(const char *text, as_oplib *lib, const json_t *chosen, char **why) {
  as_err err;
  as_err_init(&err);
  as_sizes *sizes = as_sizes_new();
  as_tile_program *program = as_tile_parse("lifted", text, strlen(text), sizes, lib, &err);
  outcome made = DIFFERS;
  if (program)
    made = execute(program, chosen, why);
  else
    *why = as_err_format(&err);
  as_tile_free(program);
  as_sizes_free(sizes);
  as_err_clear(&err);
  return made;
}

static outcome judge(const char *path, as_oplib *lib, double most, char **why) {
  as_err err;
  as_err_init(&err);
  as_import_tile_options options = {0};
  void *file = as_triton_format.read(path, &options, &err);
  char *text = file ? as_triton_format.tile(file, 0, &options, true, NULL, &err) : NULL;
  as_triton_format.free(file);
  if (!text) {
    *why = as_err_format(&err);
    as_err_clear(&err);
    return REFUSED;
  }
  char *launch = as_format("%.*sjson", (int)(strlen(path) - strlen("ttir")), path);
  json_t *root = json_load_file(launch, 0, NULL);
  const json_t *chosen = json_array_get(json_object_get(root, "cases"), 0);
  outcome made = TOO_LARGE;
  if (elements_of(chosen) <= most)
    made = judge_text(text, lib, chosen, why);
  json_decref(root);
  free(launch);
  free(text);
  return made;
}

int main(int argc, char **argv) {
  double most = 1e5;
  int first = 1;
  if (argc > 2 && strcmp(argv[1], "--most") == 0) {
    most = strtod(argv[2], NULL);
    first = 3;
  }
  as_oplib *lib = test_operators();
  int count[N_OUTCOMES] = {0};
  for (int i = first; i < argc; i++) {
    char *why = NULL;
    outcome made = judge(argv[i], lib, most, &why);
    count[made]++;
    const char *name = strrchr(argv[i], '/');
    printf("%s %s %s\n", words[made], name ? name + 1 : argv[i], why ? why : "");
    free(why);
  }
  for (int i = 0; i < N_OUTCOMES; i++)
    printf("%d %s%s", count[i], words[i], i + 1 < N_OUTCOMES ? ", " : "\n");
  as_oplib_free(lib);
  return count[DIFFERS] > 0;
}
