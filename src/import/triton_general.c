/* Launches of a kernel of which the one that is given may be an example. */
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/ttir/ttir_general.h"
#include "triton_int.h"
#include <stdlib.h>

enum { MOST_LAUNCHES = 16 };

typedef struct {
  const triton_file *file;
  as_ttir_launch *launch[MOST_LAUNCHES]; /* the first is the one at hand */
  uint32_t n_launch;
  as_ttir_tensor *tensor;
  as_ttir_known known;
  as_ttir_general *general;
} hypotheses;

static void close_all(void *from) {
  hypotheses *all = from;
  if (!all)
    return;
  as_ttir_general_free(all->general);
  for (uint32_t i = 0; i < all->n_launch; i++)
    as_ttir_launch_free(all->launch[i]);
  free(all->tensor);
  free(all);
}

static void *open_all(const void *from, const as_import_tile_options *options,
                      const as_import_known *known, as_err *err) {
  hypotheses *all = as_calloc(1, sizeof *all);
  all->file = from;
  all->tensor = as_calloc(known->n_tensor + 1, sizeof *all->tensor);
  for (uint32_t i = 0; i < known->n_tensor; i++)
    all->tensor[i] =
        (as_ttir_tensor){known->tensor[i].name, known->tensor[i].rank, known->tensor[i].dim};
  all->known =
      (as_ttir_known){known->sizes, known->n_size, known->size, known->n_tensor, all->tensor};
  all->launch[0] = triton_launch(all->file, options, err);
  all->n_launch = all->launch[0] != NULL;
  if (all->launch[0]) {
    all->n_launch += triton_other_launches(all->file, options, all->launch + 1, MOST_LAUNCHES - 1);
    all->general =
        as_ttir_general_new(all->file->kernel, all->launch, all->n_launch, &all->known, err);
  }
  if (all->general)
    return all;
  close_all(all);
  return NULL;
}

static uint32_t readings(const void *general) {
  return as_ttir_general_readings(((const hypotheses *)general)->general);
}

static uint32_t scopes(const void *general) {
  return as_ttir_general_scopes(((const hypotheses *)general)->general);
}

static int64_t value(const void *general, uint32_t size) {
  return as_ttir_general_value(((const hypotheses *)general)->general, size);
}

static char *tile(const void *general, uint32_t reading, uint32_t scope, char **where, char **says,
                  as_err *err) {
  const hypotheses *all = general;
  as_ttir_launch *launch = as_ttir_general_launch(all->general, reading, scope, says);
  as_str text;
  as_str_init(&text);
  as_str_add(&text, "");
  for (uint32_t i = 0; i < launch->n_where; i++)
    as_str_printf(&text, "where %s\n", launch->where[i]);
  *where = as_str_take(&text);
  char *relations = NULL;
  char *whole = as_ttir_lift(all->file->kernel, all->file->path, launch, &relations, err);
  char *both = as_format("%s%s", *where, relations);
  free(relations);
  free(*where);
  *where = both;
  as_ttir_launch_free(launch);
  return whole;
}

const as_import_general triton_general = {open_all, close_all, readings, scopes, value, tile};
