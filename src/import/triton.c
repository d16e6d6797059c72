/* Kernels of Triton, with the launch that says what their arguments are. */
#include "src/base/file.h"
#include "src/base/str.h"
#include "src/base/vec.h"
#include "triton_int.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *format_read(const char *path, const as_import_tile_options *options, as_err *err) {
  (void)options;
  size_t len;
  char *text = as_read_file(path, &len, err);
  if (!text)
    return NULL;
  as_ttir_kernel *kernel = as_ttir_parse(path, text, len, err);
  free(text);
  if (!kernel)
    return NULL;
  triton_file *file = as_calloc(1, sizeof *file);
  file->path = as_strdup(path);
  file->kernel = kernel;
  return file;
}

static void format_free(void *from) {
  triton_file *file = from;
  if (!file)
    return;
  as_ttir_free(file->kernel);
  free(file->path);
  free(file);
}

static size_t format_count(const void *file) {
  (void)file;
  return 1;
}

static const char *format_label(const void *file, size_t index) {
  (void)index;
  return ((const triton_file *)file)->kernel->name;
}

/* `FILE` or `FILE:N`, a JSON text and the number of the launch in it: the path (malloc'ed) */
static char *path_of(const char *where, uint32_t *number) {
  char *path = as_strdup(where);
  char *colon = strrchr(path, ':');
  *number = 0;
  if (colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1)) {
    *colon = 0;
    *number = (uint32_t)strtoul(colon + 1, NULL, 10);
  }
  return path;
}

static bool read_launch(as_ttir_launch *launch, const char *where, as_err *err) {
  uint32_t number;
  char *path = path_of(where, &number);
  size_t len;
  char *text = as_read_file(path, &len, err);
  bool fine = text && as_ttir_launch_json(launch, path, text, len, number, err);
  free(text);
  free(path);
  return fine;
}

/* the launch that lies beside the kernel, where nothing is said of one; malloc'ed, or NULL */
static char *launch_beside(const triton_file *file, const as_import_tile_options *options) {
  bool said = options->launch || options->grid || (options->argument && options->argument->n > 0);
  if (said || !as_ends_with(file->path, ".ttir"))
    return NULL;
  char *path = as_format("%.*sjson", (int)(strlen(file->path) - strlen("ttir")), file->path);
  FILE *there = fopen(path, "r");
  if (there) {
    fclose(there);
    return path;
  }
  free(path);
  return NULL;
}

uint32_t triton_other_launches(const triton_file *file, const as_import_tile_options *options,
                               as_ttir_launch **to, uint32_t room) {
  char *beside = launch_beside(file, options);
  const char *where = beside ? beside : options->launch;
  uint32_t chosen;
  uint32_t n = 0;
  size_t len;
  as_err over; /* the number behind the last */
  as_err_init(&over);
  char *path = where ? path_of(where, &chosen) : NULL;
  char *text = path ? as_read_file(path, &len, &over) : NULL;
  for (uint32_t number = 0; text && n < room && over.status == AS_OK; number++) {
    as_ttir_launch *launch = number == chosen ? NULL : as_ttir_launch_new();
    if (launch && as_ttir_launch_json(launch, path, text, len, number, &over))
      to[n++] = launch;
    else
      as_ttir_launch_free(launch);
  }
  as_err_clear(&over);
  free(text);
  free(path);
  free(beside);
  return n;
}

/* the words of AS_IMPORT_LITERALS; the first one is meant where none is given */
static const struct reading {
  const char *name;
  as_ttir_literals literals;
  const char *words;
  const char *in_order; /* the same where the given kernel's lanes touch places in its order */
} readings[] = {

#define READING(name, literals, words)                                                             \
  { name, literals, words, words "; places of the given kernel touched in the order of its text" }
    READING("printed", AS_TTIR_PRINTED, "literals as they are printed"),
    READING("decimal", AS_TTIR_DECIMAL, "literals as the shortest decimals that round to them"),
    READING("fraction", AS_TTIR_FRACTION,
            "literals as the shortest decimals that round to them, long ones as fractions that do"),
#undef READING
};

static const struct reading *reading_of(const as_import_tile_options *options) {
  for (size_t i = 0; options->literals && i < sizeof readings / sizeof *readings; i++) {
    if (strcmp(options->literals, readings[i].name) == 0)
      return &readings[i];
  }
  return &readings[0];
}

static bool read_options(as_ttir_launch *launch, const triton_file *file,
                         const as_import_tile_options *options, as_err *err) {
  char *beside = launch_beside(file, options);
  const char *where = beside ? beside : options->launch;
  bool fine = !where || read_launch(launch, where, err);
  free(beside);
  fine = fine && (!options->grid || as_ttir_launch_grid(launch, options->grid, err));
  for (size_t i = 0; fine && options->argument && i < options->argument->n; i++)
    fine = as_ttir_launch_argument(launch, AS_VEC_AT(options->argument, char *, i), err);
  for (size_t i = 0; fine && options->size && i < options->size->n; i++)
    fine = as_ttir_launch_size(launch, AS_VEC_AT(options->size, char *, i), err);
  for (size_t i = 0; fine && options->where && i < options->where->n; i++)
    fine = as_ttir_launch_where(launch, AS_VEC_AT(options->where, char *, i), err);
  launch->literals = reading_of(options)->literals;
  launch->writes_all = launch->writes_all || options->writes_all;
  launch->in_order = options->in_order;
  launch->no_nan = options->no_nan;
  return fine;
}

as_ttir_launch *triton_launch(const triton_file *file, const as_import_tile_options *options,
                              as_err *err) {
  as_ttir_launch *launch = as_ttir_launch_new();
  if (read_options(launch, file, options, err))
    return launch;
  as_ttir_launch_free(launch);
  return NULL;
}

static char *format_tile(const void *from, size_t index, const as_import_tile_options *options,
                         bool given, char **where, as_err *err) {
  (void)index;
  const triton_file *file = from;
  char *relations = NULL;
  as_ttir_launch *launch = triton_launch(file, options, err);
  if (launch)
    launch->given = given;
  char *text = launch ? as_ttir_lift(file->kernel, file->path, launch, &relations, err) : NULL;
  as_ttir_launch_free(launch);
  if (where)
    *where = relations ? relations : as_strdup("");
  else
    free(relations);
  return text;
}

static const char *format_reading(const as_import_tile_options *options) {
  const struct reading *how = reading_of(options);
  return options->in_order ? how->in_order : how->words;
}

const as_import_tile_format as_triton_format = {"triton",    ".ttir",        format_read,
                                                format_free, format_count,   format_label,
                                                format_tile, format_reading, &triton_general};
