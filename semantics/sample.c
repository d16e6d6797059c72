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

typedef struct {
  const char *name;
  int64_t v;
  uint32_t n;
  int64_t d[3];
} bound;

static bound *get(bound *b, uint32_t *n, const char *name, as_rng *rng, int64_t most) {
  for (uint32_t i = 0; i < *n; i++) {
    if (!strcmp(b[i].name, name))
      return &b[i];
  }
  bound *x = &b[(*n)++];
  x->name = name;
  x->v = draw(rng, most);
  x->n = (uint32_t)as_rng_below(rng, 3);
  for (int i = 0; i < 3; i++)
    x->d[i] = draw(rng, most);
  return x;
}

void as_sample_draw(as_sample *sample, as_rng *rng, int64_t least, int64_t most) {
  const as_opdef *op = sample->op;
  bound b[32];
  uint32_t nb = 0;
  for (uint32_t i = 0; i < op->nattrs; i++) {
    as_attr_set(&sample->attr[i], &op->attr_default[i]);
    if (op->attr_has_default[i] && (as_rng_next(rng) & 1))
      continue;
    sample->attr[i].is_size = true;
    int64_t value = least + draw(rng, most - least);
    sample->attr[i].size =
        value < 0 ? as_size_int(sample->S, (long)value) : some(sample, rng, value);
  }
  for (uint32_t a = 0; a < op->nargs; a++) {
    uint32_t rank = 0;
    for (uint32_t i = 0; i < op->arg[a].n; i++) {
      const as_dim *dim = &op->arg[a].dim[i];
      if (dim->kind == AS_D_SIZE) {
        int64_t value;
        if (dim->size->kind == AS_E_NAME)
          value = get(b, &nb, dim->size->name, rng, most)->v;
        else
          value = draw(rng, most);
        sample->dim[a][rank++] = value;
        continue;
      }
      const bound *l = get(b, &nb, dim->name, rng, most);
      for (uint32_t k = 0; k < l->n; k++)
        sample->dim[a][rank++] = as_rng_below(rng, 4)   ? l->d[k]
                                 : as_rng_below(rng, 2) ? 1
                                                        : l->d[k];
    }
    sample->arank[a] = rank;
    for (uint32_t i = 0; i < rank; i++)
      sample->adim[a][i] = some(sample, rng, sample->dim[a][i]);
    /* the axis that `..a@axis` counts to: named from either end */
    for (uint32_t i = 0; i < op->arg[a].n && a == 0; i++) {
      const as_dim *dim = &op->arg[a].dim[i];
      if (dim->kind != AS_D_LIST || !dim->count || dim->count->kind != AS_E_NAME)
        continue;
      for (uint32_t k = 0; k < op->nattrs; k++) {
        if (!strcmp(op->attr[k], dim->count->name)) {
          int64_t at = get(b, &nb, dim->name, rng, most)->n;
          sample->attr[k].is_size = true;
          sample->attr[k].size = as_size_int(
              sample->S,
              (long)(at == (int64_t)rank || (as_rng_next(rng) & 1) ? at : at - (int64_t)rank));
        }
      }
    }
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
