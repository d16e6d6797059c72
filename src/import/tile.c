#include "tile.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/tile/tile.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *text; /* NULL: none yet */
} tile_file;

static void *tile_new(void) {
  return as_calloc(1, sizeof(tile_file));
}

static void tile_drop(void *file) {
  tile_file *tile = file;
  free(tile->text);
  tile->text = NULL;
}

static void tile_free(void *file) {
  if (file == NULL)
    return;
  tile_drop(file);
  free(file);
}

static void *tile_read(const char *path, as_err *err) {
  size_t len;
  char *text = as_read_file(path, &len, err);
  if (text == NULL)
    return NULL;
  bool ended = memchr(text, 0, len) != NULL; /* a zero byte would end the text before its end */
  if (ended || !as_tile_is_text(text, len)) {
    as_err_set(err, AS_BAD_INPUT,
               ended ? "%s: byte 0x00: this is not a text file in ASCII" : "%s: no tile program",
               path);
    free(text);
    return NULL;
  }
  tile_file *file = tile_new();
  file->text = text;
  return file;
}

static size_t tile_count(const void *file) {
  return ((const tile_file *)file)->text != NULL;
}

/* the text itself: whoever takes candidates reads it, and a claim is made of it */
static char *tile_text_at(const void *file, size_t index, const as_graph *program, bool fixed,
                          as_err *err) {
  (void)program;
  (void)fixed; /* its sizes are those that its text declares */
  if (index < tile_count(file))
    return as_strdup(((const tile_file *)file)->text);
  as_err_set(err, AS_INTERNAL, "a file holds one tile program");
  return NULL;
}

static bool tile_add(void *file, const as_graph *graph, as_err *err) {
  tile_file *tile = file;
  if (tile->text)
    return as_err_set(err, AS_BAD_INPUT, "a file holds one tile program");
  tile->text = as_tile_of_graph(graph, err);
  return tile->text != NULL;
}

static bool tile_add_tile(void *file, const as_tile_program *program, const char *text,
                          as_err *err) {
  tile_file *tile = file;
  (void)program;
  if (tile->text)
    return as_err_set(err, AS_BAD_INPUT, "a file holds one tile program");
  tile->text = as_strdup(text);
  return true;
}

static char *tile_text(const void *file) {
  const tile_file *tile = file;
  return as_strdup(tile->text ? tile->text : "");
}

const as_import_format as_tile_format = {.name = "tile",
                                         .read = tile_read,
                                         .new = tile_new,
                                         .free = tile_free,
                                         .count = tile_count,
                                         .mug = tile_text_at,
                                         .add = tile_add,
                                         .add_tile = tile_add_tile,
                                         .drop = tile_drop,
                                         .text = tile_text};
