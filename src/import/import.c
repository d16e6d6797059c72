#include "import.h"
#include "mirage.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "tile.h"
#include "trinity.h"
#include "triton.h"
#include "written.h"
#include <stdlib.h>
#include <string.h>

struct as_import {
  const as_import_format *format;
  void *file;
};

const as_import_format *as_import_format_named(const char *name) {
  static const as_import_format *const formats[] = {&as_mirage_format, &as_tile_format,
                                                    &as_tensorir_format, &as_written_triton_format};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    if (strcmp(formats[i]->name, name) == 0)
      return formats[i];
  }
  return NULL;
}

static const as_import_tile_format *const tile_formats[] = {&as_trinity_format, &as_triton_format};

enum { N_TILE_FORMATS = sizeof tile_formats / sizeof *tile_formats };

const as_import_tile_format *as_import_tile_format_named(const char *name) {
  for (size_t i = 0; i < N_TILE_FORMATS; i++) {
    if (strcmp(tile_formats[i]->name, name) == 0)
      return tile_formats[i];
  }
  return NULL;
}

const as_import_tile_format *as_import_tile_format_of(const char *path) {
  for (size_t i = 0; i < N_TILE_FORMATS; i++) {
    if (as_ends_with(path, tile_formats[i]->extension))
      return tile_formats[i];
  }
  return NULL;
}

const as_import_tile_format *as_import_tile_format_for(const char *name, const char *path,
                                                       as_err *err) {
  const as_import_tile_format *format =
      name ? as_import_tile_format_named(name) : as_import_tile_format_of(path);
  if (!format && name)
    as_err_set(err, AS_BAD_INPUT, "%s is no format of tile programs", name);
  else if (!format)
    as_err_set(err, AS_BAD_INPUT, "%s: whose kernel is it? say --from", path);
  return format;
}

static as_import *import_of(const as_import_format *format, void *file) {
  if (file == NULL)
    return NULL;
  as_import *import = as_malloc(sizeof *import);
  *import = (as_import){format, file};
  return import;
}

as_import *as_import_read(const as_import_format *format, const char *path, as_err *err) {
  return import_of(format, format->read(path, err));
}

as_import *as_import_new(const as_import_format *format) {
  return import_of(format, format->new ());
}

void as_import_free(as_import *import) {
  if (import == NULL)
    return;
  import->format->free(import->file);
  free(import);
}

size_t as_import_count(const as_import *import) {
  return import->format->count(import->file);
}

char *as_import_mug(const as_import *import, size_t index, const as_graph *program, bool fixed,
                    as_err *err) {
  return import->format->mug(import->file, index, program, fixed, err);
}

bool as_import_add(as_import *import, const as_graph *graph, as_err *err) {
  return import->format->add(import->file, graph, err);
}

bool as_import_add_tile(as_import *import, const as_tile_program *tile, const char *text,
                        as_err *err) {
  if (import->format->add_tile)
    return import->format->add_tile(import->file, tile, text, err);
  return as_err_set(err, AS_BAD_INPUT, "a file of %s holds no tile programs", import->format->name);
}

bool as_import_can_read(const as_import *import) {
  return import->format->mug != NULL;
}

void as_import_drop(as_import *import) {
  import->format->drop(import->file);
}

char *as_import_text(const as_import *import) {
  return import->format->text(import->file);
}
