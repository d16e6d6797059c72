#include "sample.h"
#include <stdlib.h>
#include <string.h>

#define MAX_EXTENT 64

void as_sample_init(as_sample *sample, const as_opdef *op) {
  memset(sample, 0, sizeof *sample);
  sample->op = op;
  sample->S = as_sizes_new();
  for (int v = 0; v < 9; v++) { /* symbols with the values 0..8 */
    char name[8] = {'v', (char)('0' + v), 0};
    as_size size = as_size_sym(sample->S, name);
    as_size_set_least(sample->S, size, 0);
    as_size_set_value(sample->S, size, v);
  }
  sample->env = as_env_new(sample->S);
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_init(&sample->attr[i]);
}

void as_sample_clear(as_sample *sample) {
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_clear(&sample->attr[i]);
  free(sample->env);
  as_sizes_free(sample->S);
}

static int64_t draw(as_rng *rng, int64_t most) {
  return (int64_t)as_rng_below(rng, (uint64_t)most + 1);
}

static as_size some(as_sample *sample, as_rng *rng, int64_t value) {
  char name[8] = {'v', (char)('0' + value), 0};
  return value < 9 && (as_rng_next(rng) & 1) ? as_size_find(sample->S, name)
                                             : as_size_int(sample->S, (long)value);
}

/* what a name of the signature stands for in one sample, drawn where it is met first */
typedef struct {
  const char *name;
  int64_t extent;  /* of a size */
  uint32_t n;      /* of a list of axes: how many .. */
  int64_t axis[3]; /* .. and their extents */
} bound;

enum { MOST_BOUND = 32 };

typedef struct {
  bound at[MOST_BOUND];
  uint32_t n;
  as_rng *rng;
  int64_t most; /* that an extent is */
} bindings;

static const bound *bound_of(bindings *all, const char *name) {
  for (uint32_t i = 0; i < all->n; i++) {
    if (!strcmp(all->at[i].name, name))
      return &all->at[i];
  }
  bound *made = &all->at[all->n++];
  made->name = name;
  made->extent = draw(all->rng, all->most);
  made->n = (uint32_t)as_rng_below(all->rng, 3);
  for (int i = 0; i < 3; i++)
    made->axis[i] = draw(all->rng, all->most);
  return made;
}

/* attributes without a default always, others at times */
static void draw_attributes(as_sample *sample, as_rng *rng, int64_t least, int64_t most) {
  const as_opdef *op = sample->op;
  for (uint32_t i = 0; i < op->nattrs; i++) {
    as_attr_set(&sample->attr[i], &op->attr_default[i]);
    if (op->attr_has_default[i] && (as_rng_next(rng) & 1))
      continue;
    sample->attr[i].is_size = true;
    int64_t value = least + draw(rng, most - least);
    sample->attr[i].size =
        value < 0 ? as_size_int(sample->S, (long)value) : some(sample, rng, value);
  }
}

/* the extents of one argument; at times 1 in place of a list's extent, which is broadcast then */
static void draw_shape(as_sample *sample, uint32_t arg, bindings *all) {
  uint32_t rank = 0;
  for (uint32_t i = 0; i < sample->op->arg[arg].n; i++) {
    const as_dim *dim = &sample->op->arg[arg].dim[i];
    if (dim->kind == AS_D_SIZE) {
      bool named = dim->size->kind == AS_E_NAME;
      sample->dim[arg][rank++] =
          named ? bound_of(all, dim->size->name)->extent : draw(all->rng, all->most);
      continue;
    }
    const bound *list = bound_of(all, dim->name);
    for (uint32_t k = 0; k < list->n; k++) {
      bool one = as_rng_below(all->rng, 4) == 0 && as_rng_below(all->rng, 2) != 0;
      sample->dim[arg][rank++] = one ? 1 : list->axis[k];
    }
  }
  sample->arank[arg] = rank;
  for (uint32_t i = 0; i < rank; i++)
    sample->adim[arg][i] = some(sample, all->rng, sample->dim[arg][i]);
}

/* the axis that `..a@axis` counts to, in the first argument: named from either end */
static void draw_axes(as_sample *sample, bindings *all) {
  const as_opdef *op = sample->op;
  int64_t rank = sample->arank[0];
  for (uint32_t i = 0; i < op->arg[0].n; i++) {
    const as_dim *dim = &op->arg[0].dim[i];
    if (dim->kind != AS_D_LIST || !dim->count || dim->count->kind != AS_E_NAME)
      continue;
    for (uint32_t k = 0; k < op->nattrs; k++) {
      if (strcmp(op->attr[k], dim->count->name))
        continue;
      int64_t at = bound_of(all, dim->name)->n;
      bool from_front = at == rank || (as_rng_next(all->rng) & 1);
      sample->attr[k].is_size = true;
      sample->attr[k].size = as_size_int(sample->S, (long)(from_front ? at : at - rank));
    }
  }
}

void as_sample_draw(as_sample *sample, as_rng *rng, int64_t least, int64_t most) {
  bindings all = {.rng = rng, .most = most};
  draw_attributes(sample, rng, least, most);
  for (uint32_t arg = 0; arg < sample->op->nargs; arg++) {
    draw_shape(sample, arg, &all);
    if (arg == 0)
      draw_axes(sample, &all);
  }
}

static bool attempt(as_sample *sample, as_rng *rng, int64_t most) {
  const as_opdef *op = sample->op;
  as_sample_draw(sample, rng, 0, most);
  as_err err;
  as_err_init(&err);
  as_opcode *opcode =
      as_opcode_new(sample->S, op, (const as_size(*)[AS_MAX_RANK])sample->adim, sample->arank,
                    op->nargs, sample->attr, &as_domain_double, sample->env, &err);
  bool ok = opcode != NULL;
  if (ok)
    as_opcode_dims(opcode, sample->outdim, &sample->outrank);
  size_t n = 1;
  for (uint32_t i = 0; ok && i < sample->outrank; i++)
    n *= (size_t)sample->outdim[i];
  as_opcode_free(opcode);
  as_err_clear(&err);
  return ok && n <= MAX_EXTENT * MAX_EXTENT;
}

bool as_sample_next(as_sample *sample, as_rng *rng, int64_t most) {
  for (int t = 0; t < 3000; t++) {
    if (attempt(sample, rng, most))
      return true;
  }
  return false;
}
