#include "written.h"
#include "src/base/mem.h"
#include "src/write/write.h"
#include <stdlib.h>
#include <string.h>

typedef char *(*write_tile)(const as_tile_program *tile, as_err *err);

typedef struct {
  write_tile write;
  char *written; /* NULL: nothing yet */
} written_file;

static void *new_file(write_tile write) {
  written_file *file = as_calloc(1, sizeof *file);
  file->write = write;
  return file;
}

static void *new_tensorir(void) {
  return new_file(as_write_tensorir);
}

static void *new_triton(void) {
  return new_file(as_write_triton);
}

static void drop(void *from) {
  written_file *file = from;
  free(file->written);
  file->written = NULL;
}

static void free_file(void *file) {
  if (file == NULL)
    return;
  drop(file);
  free(file);
}

static size_t count(const void *file) {
  return ((const written_file *)file)->written != NULL;
}

static bool add_tile(void *to, const as_tile_program *tile, const char *text, as_err *err) {
  written_file *file = to;
  if (file->written)
    return as_err_set(err, AS_BAD_INPUT, "a file holds one program");
  (void)text;
  file->written = file->write(tile, err);
  return file->written != NULL;
}

static bool add_graph(void *to, const as_graph *graph, as_err *err) {
  char *text = as_tile_of_graph(graph, err);
  as_oplib *lib = text ? as_oplib_again(graph->lib, err) : NULL;
  as_sizes *sizes = as_sizes_new();
  as_tile_program *tile =
      lib ? as_tile_parse("the tile program of the graph", text, strlen(text), sizes, lib, err)
          : NULL;
  bool ok = tile && add_tile(to, tile, text, err);
  as_tile_free(tile);
  as_sizes_free(sizes);
  as_oplib_free(lib);
  free(text);
  return ok;
}

static char *text_of(const void *from) {
  const written_file *file = from;
  return as_strdup(file->written ? file->written : "");
}

const as_import_format as_tensorir_format = {.name = "tensorir",
                                             .new = new_tensorir,
                                             .free = free_file,
                                             .count = count,
                                             .add = add_graph,
                                             .add_tile = add_tile,
                                             .drop = drop,
                                             .text = text_of};

const as_import_format as_written_triton_format = {.name = "triton",
                                                   .new = new_triton,
                                                   .free = free_file,
                                                   .count = count,
                                                   .add = add_graph,
                                                   .add_tile = add_tile,
                                                   .drop = drop,
                                                   .text = text_of};
