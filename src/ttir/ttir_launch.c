/* Launches: as they are given on a command line, and from JSON. */
#include "src/base/str.h"
#include "ttir.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 256, MOST_SIZES = 64, MOST_WHERE = 64 };

as_ttir_launch *as_ttir_launch_new(void) {
  as_ttir_launch *launch = as_calloc(1, sizeof *launch);
  launch->mem = as_arena_new();
  launch->argument = as_calloc(MOST_ARGUMENTS, sizeof *launch->argument);
  launch->size = as_calloc(MOST_SIZES, sizeof *launch->size);
  launch->where = as_calloc(MOST_WHERE, sizeof *launch->where);
  return launch;
}

void as_ttir_launch_free(as_ttir_launch *launch) {
  if (!launch)
    return;
  as_arena_free(launch->mem);
  free(launch->argument);
  free(launch->size);
  free(launch->where);
  free(launch);
}

static const char *kept(as_ttir_launch *launch, const char *text, size_t n) {
  while (n > 0 && *text == ' ') {
    text++;
    n--;
  }
  while (n > 0 && text[n - 1] == ' ')
    n--;
  char *copy = as_arena_alloc(launch->mem, n + 1);
  memcpy(copy, text, n);
  return copy;
}

/* the part up to the next comma outside of parentheses; *rest is behind it, NULL after the last */
static const char *part(as_ttir_launch *launch, const char *text, const char **rest) {
  int depth = 0;
  const char *at = text;
  while (*at && (*at != ',' || depth > 0)) {
    depth += *at == '(';
    depth -= *at == ')';
    at++;
  }
  *rest = *at ? at + 1 : NULL;
  return kept(launch, text, (size_t)(at - text));
}

bool as_ttir_launch_grid(as_ttir_launch *launch, const char *text, as_err *err) {
  const char *rest = text;
  for (int axis = 0; rest; axis++) {
    if (axis == 3)
      return as_err_set(err, AS_BAD_INPUT, "a grid has at most three axes: `%s`", text);
    launch->grid[axis] = part(launch, rest, &rest);
    if (launch->grid[axis][0] == 0 || launch->grid[axis][0] == '-')
      return as_err_set(err, AS_BAD_INPUT, "a grid's extent is missing, or negative: `%s`", text);
  }
  return true;
}

/* what stands before `=`; NULL with err */
static const char *left_of(as_ttir_launch *launch, const char *text, const char **value,
                           as_err *err) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || equals[1] == 0) {
    as_err_set(err, AS_BAD_INPUT, "`%s` is not of the form NAME=VALUE", text);
    return NULL;
  }
  *value = equals + 1;
  return kept(launch, text, (size_t)(equals - text));
}

static as_ttir_argument *add_argument(as_ttir_launch *launch, const char *name, as_err *err) {
  if (launch->n_argument == MOST_ARGUMENTS) {
    as_err_set(err, AS_BAD_INPUT, "more than %d arguments", (int)MOST_ARGUMENTS);
    return NULL;
  }
  as_ttir_argument *argument = &launch->argument[launch->n_argument++];
  *argument = (as_ttir_argument){.name = name};
  argument->dim = as_arena_alloc(launch->mem, AS_TTIR_MAX_RANK * sizeof *argument->dim);
  return argument;
}

bool as_ttir_launch_argument(as_ttir_launch *launch, const char *text, as_err *err) {
  const char *rest;
  const char *name = left_of(launch, text, &rest, err);
  as_ttir_argument *argument = name ? add_argument(launch, name, err) : NULL;
  while (argument && rest) {
    if (argument->rank == AS_TTIR_MAX_RANK)
      return as_err_set(err, AS_BAD_INPUT, "`%s` has more than %d axes", name,
                        (int)AS_TTIR_MAX_RANK);
    argument->dim[argument->rank++] = part(launch, rest, &rest);
  }
  return argument != NULL;
}

static bool add_size(as_ttir_launch *launch, const char *name, int64_t value, as_err *err) {
  if (launch->n_size == MOST_SIZES)
    return as_err_set(err, AS_BAD_INPUT, "more than %d sizes", (int)MOST_SIZES);
  launch->size[launch->n_size++] = (as_ttir_size){.name = name, .value = value, .least = 1};
  return true;
}

bool as_ttir_launch_size(as_ttir_launch *launch, const char *text, as_err *err) {
  const char *value;
  const char *name = left_of(launch, text, &value, err);
  if (!name)
    return false;
  char *end;
  long long number = strtoll(value, &end, 10);
  if (*end || number < 1)
    return as_err_set(err, AS_BAD_INPUT, "the size %s is `%s`, which is no number from 1 on", name,
                      value);
  return add_size(launch, name, number, err);
}

/* `NAME <= NUMBER` or `NAME = NUMBER` bounds a size; other relations bound none */
static void take_bound(as_ttir_launch *launch, const char *text) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  size_t n = strspn(text, letters);
  const char *at = text + n + strspn(text + n, " ");
  bool equal = *at == '=';
  if (!equal && strncmp(at, "<=", 2) != 0)
    return;
  char *end;
  long long number = strtoll(at + (equal ? 1 : 2), &end, 10);
  if (*end || number < 1 || number > INT32_MAX)
    return;
  for (uint32_t i = 0; i < launch->n_size; i++) {
    as_ttir_size *size = &launch->size[i];
    if (strlen(size->name) != n || strncmp(size->name, text, n) != 0)
      continue;
    size->most = size->most && size->most < number ? size->most : number;
    size->least = equal && number <= size->most ? number : size->least;
  }
}

bool as_ttir_launch_where(as_ttir_launch *launch, const char *text, as_err *err) {
  if (launch->n_where == MOST_WHERE)
    return as_err_set(err, AS_BAD_INPUT, "more than %d relations of sizes", (int)MOST_WHERE);
  const char *copy = kept(launch, text, strlen(text));
  if (copy[0] == 0 || strchr(copy, '\n') || strchr(copy, '#'))
    return as_err_set(err, AS_BAD_INPUT, "`%s` is no relation of sizes", text);
  launch->where[launch->n_where++] = copy;
  take_bound(launch, copy);
  return true;
}

/* ---- from JSON */

/* a number that is at least `least`, or a size expression; NULL: neither */
static const char *json_extent(as_ttir_launch *launch, const json_t *from, json_int_t least) {
  if (json_is_string(from) && json_string_length(from) > 0)
    return kept(launch, json_string_value(from), json_string_length(from));
  if (!json_is_integer(from) || json_integer_value(from) < least)
    return NULL;
  char *text = as_format("%lld", (long long)json_integer_value(from));
  const char *copy = kept(launch, text, strlen(text));
  free(text);
  return copy;
}

/* the extents of the tensor, where they are said as numbers */
static void json_shape(as_ttir_launch *launch, as_ttir_argument *argument, const json_t *shape) {
  argument->shape = as_arena_alloc(launch->mem, AS_TTIR_MAX_RANK * sizeof *argument->shape);
  bool fits = json_array_size(shape) <= AS_TTIR_MAX_RANK;
  for (size_t d = 0; fits && d < json_array_size(shape); d++) {
    fits = json_is_integer(json_array_get(shape, d));
    argument->shape[d] = json_integer_value(json_array_get(shape, d));
  }
  argument->n_shape = fits ? (uint32_t)json_array_size(shape) : 0;
}

/* what it points to: an extent, or a list of them */
static bool json_pointer(as_ttir_launch *launch, as_ttir_argument *argument, const json_t *from,
                         as_err *err) {
  const json_t *size = json_object_get(from, "size");
  size_t rank = json_is_array(size) ? json_array_size(size) : 1;
  if (rank > AS_TTIR_MAX_RANK)
    return as_err_set(err, AS_BAD_INPUT, "`%s` has more than %d axes", argument->name,
                      (int)AS_TTIR_MAX_RANK);
  for (size_t d = 0; d < rank; d++) {
    const json_t *extent = json_is_array(size) ? json_array_get(size, d) : size;
    argument->dim[d] = json_extent(launch, extent, 0);
    if (!argument->dim[d])
      return as_err_set(err, AS_BAD_INPUT, "`%s` has no size, or a negative one", argument->name);
  }
  argument->rank = (uint32_t)rank;
  const char *fill = json_string_value(json_object_get(from, "fill"));
  argument->zero = fill && strcmp(fill, "z") == 0;
  json_shape(launch, argument, json_object_get(from, "shape"));
  return true;
}

static bool json_argument(as_ttir_launch *launch, const json_t *from, as_err *err) {
  const char *name = json_string_value(json_object_get(from, "name"));
  const char *kind = json_string_value(json_object_get(from, "kind"));
  if (!name || !kind)
    return as_err_set(err, AS_BAD_INPUT, "an argument of the launch has no name or no kind");
  as_ttir_argument *argument = add_argument(launch, kept(launch, name, strlen(name)), err);
  if (!argument)
    return false;
  if (strcmp(kind, "ptr") == 0)
    return json_pointer(launch, argument, from, err);
  argument->value = json_extent(launch, json_object_get(from, "value"), INT64_MIN);
  return true;
}

/* `sizes`, names with values, and `where`, relations: both may be missing */
static bool json_sizes(as_ttir_launch *launch, const json_t *from, const char *file, as_err *err) {
  json_t *sizes = json_object_get(from, "sizes");
  const json_t *where = json_object_get(from, "where");
  const char *name;
  json_t *value;
  bool fine = true;
  if ((sizes && !json_is_object(sizes)) || (where && !json_is_array(where)))
    return as_err_set(err, AS_BAD_INPUT,
                      "%s: `sizes` has names with values, and `where` a list of relations", file);
  json_object_foreach(sizes, name, value) {
    if (fine && (!json_is_integer(value) || json_integer_value(value) < 1))
      fine = as_err_set(err, AS_BAD_INPUT, "%s: the size %s has no value from 1 on", file, name);
    fine =
        fine && add_size(launch, kept(launch, name, strlen(name)), json_integer_value(value), err);
  }
  for (size_t i = 0; fine && i < json_array_size(where); i++) {
    const char *text = json_string_value(json_array_get(where, i));
    fine = as_ttir_launch_where(launch, text ? text : "", err);
  }
  return fine;
}

/* are all places of the arguments elements of what is said of their shape? */
static bool without_gaps(const json_t *arguments) {
  for (size_t i = 0; i < json_array_size(arguments); i++) {
    const json_t *argument = json_array_get(arguments, i);
    const json_t *shape = json_object_get(argument, "shape");
    json_int_t elements = 1;
    for (size_t d = 0; d < json_array_size(shape); d++)
      elements *= json_integer_value(json_array_get(shape, d));
    const json_t *size = json_object_get(argument, "size");
    if (json_is_array(shape) && json_is_integer(size) && elements < json_integer_value(size))
      return false;
  }
  return true;
}

bool as_ttir_launch_json(as_ttir_launch *launch, const char *file, const char *text, size_t len,
                         uint32_t number, as_err *err) {
  json_error_t why;
  json_t *root = json_loadb(text, len, 0, &why);
  if (!root)
    return as_err_set(err, AS_BAD_INPUT, "%s:%d: %s", file, why.line, why.text);
  const json_t *chosen = json_array_get(json_object_get(root, "cases"), number);
  const json_t *grid = json_object_get(chosen, "grid");
  const json_t *arguments = json_object_get(chosen, "args");
  bool fine = json_is_object(chosen) && json_array_size(grid) == 3 && json_is_array(arguments);
  if (!fine)
    as_err_set(err, AS_BAD_INPUT, "%s: there is no case %u with a grid and arguments", file,
               number);
  for (size_t axis = 0; fine && axis < 3; axis++) {
    launch->grid[axis] = json_extent(launch, json_array_get(grid, axis), 1);
    fine = launch->grid[axis] != NULL;
    if (!fine)
      as_err_set(err, AS_BAD_INPUT, "%s: a grid's extent is no positive number", file);
  }
  fine = fine && json_sizes(launch, chosen, file, err);
  for (size_t i = 0; fine && i < json_array_size(arguments); i++)
    fine = json_argument(launch, json_array_get(arguments, i), err);
  bool all = json_is_true(json_object_get(chosen, "all_elements_written"));
  launch->writes_all = all && without_gaps(arguments);
  json_decref(root);
  return fine;
}
