/* same_structure PUBLISHED WRITTEN: a file that Assay wrote has the fields of the published one.
 * Every object of an operator kind has the same keys with values of the same types, and graph by
 * graph the operators are the same, with the same grids, loops and maps, in whatever order. */
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEN = 64 };

static struct {
  char *kind;
  char *fields;
} seen[SEEN];

static int n_seen;

/* keys and types; lists by their first element; an operator inside is looked at by itself */
static void fields(FILE *out, json_t *json) {
  const char *key;
  json_t *value;
  if (json_is_array(json)) {
    value = json_array_get(json, 0);
    fputc('[', out);
    if (value && !json_object_get(value, "op_type"))
      fields(out, value);
    fputc(']', out);
  } else if (json_is_object(json)) {
    fputc('{', out);
    json_object_foreach(json, key, value) {
      fprintf(out, "%s:", key);
      fields(out, value);
      fputc(' ', out);
    }
    fputc('}', out);
  } else
    fprintf(out, "%d", json_is_boolean(json) ? (int)JSON_TRUE : (int)json_typeof(json));
}

static const char *kind_of(const json_t *op) {
  return json_string_value(json_object_get(op, "op_type"));
}

/* false: an object of this kind has other fields than one before */
static int note(json_t *op, int add) {
  char *text = NULL;
  size_t len = 0;
  const char *kind = kind_of(op);
  FILE *out = open_memstream(&text, &len);
  if (kind == NULL || out == NULL)
    return 0;
  fields(out, op);
  fclose(out);
  for (int i = 0; i < n_seen; i++) {
    if (strcmp(seen[i].kind, kind) != 0)
      continue;
    int same = strcmp(seen[i].fields, text) == 0;
    if (!same)
      printf("fields of %s:\n  %s\n  %s\n", kind, seen[i].fields, text);
    free(text);
    return same;
  }
  if (!add || n_seen == SEEN) {
    printf("unknown %s\n", kind);
    return 0;
  }
  seen[n_seen].kind = strdup(kind);
  seen[n_seen++].fields = text;
  return 1;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* the operators of a graph as sorted lines: kind, maps, loop; and notes their fields */
static int lines(json_t *ops, char **line, size_t *n, int add) {
  size_t i;
  json_t *op;
  int ok = 1;
  json_array_foreach(ops, i, op) {
    json_t *json = json_object_get(op, "bgraph");
    json_t *part = json_object();
    static const char *const keys[] = {"input_map", "output_map", "forloop_dim", "input_strides",
                                       "output_strides"};
    static const char *const bkeys[] = {"grid_dim", "forloop_range", "block_dim"};
    ok = note(op, add) && ok;
    for (size_t k = 0; k < 5; k++)
      json_object_set(part, keys[k], json_object_get(op, keys[k]));
    for (size_t k = 0; k < 3; k++)
      json_object_set(part, bkeys[k], json_object_get(json, bkeys[k]));
    json_object_set(part, "op_type", json_object_get(op, "op_type"));
    line[(*n)++] = json_dumps(part, JSON_SORT_KEYS);
    json_decref(part);
    if (json)
      ok = lines(json_object_get(json, "operators"), line, n, add) && ok;
  }
  return ok;
}

int main(int argc, char **argv) {
  json_error_t error;
  json_t *file[2] = {NULL, NULL};
  for (int k = 0; k < 2 && argc == 3; k++) {
    if ((file[k] = json_load_file(argv[k + 1], 0, &error)) == NULL)
      printf("%s:%d: %s\n", argv[k + 1], error.line, error.text);
  }
  if (!file[0] || !file[1])
    return 2;
  size_t n = json_array_size(file[0]);
  int ok = n > 0 && json_array_size(file[1]) == n;
  if (!ok)
    printf("%zu and %zu graphs\n", n, json_array_size(file[1]));
  for (size_t i = 0; i < n && ok; i++) {
    static char *text[2][4096];
    size_t count[2] = {0, 0};
    for (int f = 0; f < 2; f++)
      ok = lines(json_array_get(file[f], i), text[f], &count[f], f == 0) && ok;
    for (int f = 0; f < 2; f++)
      qsort(text[f], count[f], sizeof *text[f], by_text);
    for (size_t l = 0; ok && l < count[0]; l++) {
      if (count[0] != count[1] || strcmp(text[0][l], text[1][l]) != 0) {
        printf("graph %zu: %zu and %zu operators; %s\n", i, count[0], count[1], text[0][l]);
        ok = 0;
      }
    }
    for (int f = 0; f < 2; f++) {
      for (size_t l = 0; l < count[f]; l++)
        free(text[f][l]);
    }
  }
  for (int i = 0; i < n_seen; i++) {
    free(seen[i].kind);
    free(seen[i].fields);
  }
  json_decref(file[0]);
  json_decref(file[1]);
  return !ok;
}
