#include "sample.h"
#include <stdlib.h>
#include <string.h>

#define MAX_EXTENT 64

void as_sample_init(as_sample *g, const as_opdef *op) {
  memset(g, 0, sizeof *g);
  g->op = op;
  g->S = as_sizes_new();
  for (int v = 0; v < 9; v++) { /* symbols with the values 0..8 */
    char name[8] = {'v', (char)('0' + v), 0};
    as_size s = as_size_sym(g->S, name);
    as_size_set_least(g->S, s, 0);
    as_size_set_value(g->S, s, v);
  }
  g->env = as_env_new(g->S);
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_init(&g->attr[i]);
}

void as_sample_clear(as_sample *g) {
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_clear(&g->attr[i]);
  free(g->env);
  as_sizes_free(g->S);
}

static int64_t draw(as_rng *r, int64_t most) {
  return (int64_t)as_rng_below(r, (uint64_t)most + 1);
}

static as_size some(as_sample *g, as_rng *r, int64_t v) {
  char name[8] = {'v', (char)('0' + v), 0};
  return v < 9 && (as_rng_next(r) & 1) ? as_size_find(g->S, name) : as_size_int(g->S, (long)v);
}

typedef struct {
  const char *name;
  int64_t v;
  uint32_t n;
  int64_t d[3];
} bound;

static bound *get(bound *b, uint32_t *n, const char *name, as_rng *r, int64_t most) {
  for (uint32_t i = 0; i < *n; i++) {
    if (!strcmp(b[i].name, name))
      return &b[i];
  }
  bound *x = &b[(*n)++];
  x->name = name;
  x->v = draw(r, most);
  x->n = (uint32_t)as_rng_below(r, 3);
  for (int i = 0; i < 3; i++)
    x->d[i] = draw(r, most);
  return x;
}

void as_sample_draw(as_sample *g, as_rng *r, int64_t least, int64_t most) {
  const as_opdef *op = g->op;
  bound b[32];
  uint32_t nb = 0;
  for (uint32_t i = 0; i < op->nattrs; i++) {
    as_attr_set(&g->attr[i], &op->attr_default[i]);
    if (op->attr_has_default[i] && (as_rng_next(r) & 1))
      continue;
    g->attr[i].is_size = true;
    int64_t v = least + draw(r, most - least);
    g->attr[i].size = v < 0 ? as_size_int(g->S, (long)v) : some(g, r, v);
  }
  for (uint32_t a = 0; a < op->nargs; a++) {
    uint32_t rank = 0;
    for (uint32_t i = 0; i < op->arg[a].n; i++) {
      const as_dim *d = &op->arg[a].dim[i];
      if (d->kind == AS_D_SIZE) {
        int64_t v;
        if (d->size->kind == AS_E_NAME)
          v = get(b, &nb, d->size->name, r, most)->v;
        else
          v = draw(r, most);
        g->dim[a][rank++] = v;
        continue;
      }
      const bound *l = get(b, &nb, d->name, r, most);
      for (uint32_t k = 0; k < l->n; k++)
        g->dim[a][rank++] = as_rng_below(r, 4) ? l->d[k] : as_rng_below(r, 2) ? 1 : l->d[k];
    }
    g->arank[a] = rank;
    for (uint32_t i = 0; i < rank; i++)
      g->adim[a][i] = some(g, r, g->dim[a][i]);
    /* the axis that `..a@axis` counts to: named from either end */
    for (uint32_t i = 0; i < op->arg[a].n && a == 0; i++) {
      const as_dim *d = &op->arg[a].dim[i];
      if (d->kind != AS_D_LIST || !d->count || d->count->kind != AS_E_NAME)
        continue;
      for (uint32_t k = 0; k < op->nattrs; k++) {
        if (!strcmp(op->attr[k], d->count->name)) {
          int64_t at = get(b, &nb, d->name, r, most)->n;
          g->attr[k].is_size = true;
          g->attr[k].size = as_size_int(
              g->S, (long)(at == (int64_t)rank || (as_rng_next(r) & 1) ? at : at - (int64_t)rank));
        }
      }
    }
  }
}

static bool attempt(as_sample *g, as_rng *r, int64_t most) {
  const as_opdef *op = g->op;
  as_sample_draw(g, r, 0, most);
  as_err e;
  as_err_init(&e);
  as_opcode *c = as_opcode_new(g->S, op, (const as_size(*)[AS_MAX_RANK])g->adim, g->arank,
                               op->nargs, g->attr, &as_domain_double, g->env, &e);
  bool ok = c != NULL;
  if (ok)
    as_opcode_dims(c, g->outdim, &g->outrank);
  size_t n = 1;
  for (uint32_t i = 0; ok && i < g->outrank; i++)
    n *= (size_t)g->outdim[i];
  as_opcode_free(c);
  as_err_clear(&e);
  return ok && n <= MAX_EXTENT * MAX_EXTENT;
}

bool as_sample_next(as_sample *g, as_rng *rng, int64_t most) {
  for (int t = 0; t < 3000; t++) {
    if (attempt(g, rng, most))
      return true;
  }
  return false;
}
