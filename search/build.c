/* From a recipe to a block of a muGraph: new sizes and their relations, loads with imap and fmap,
 * operators with the axes that broadcasting wants, accumulators, epilogue, stores. */
#include "sg_space.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  as_node_id id;
  sg_axes real;
} made; /* with the axes of extent 1 that the tensor really has */

typedef struct {
  as_graph *g;
  const sg_space *s;
  const sg_part *p;
  const sg_plan *plan;
  const sg_vocab *v;
  as_size tile[AX_MAX_CLASS];
  as_size count[AX_MAX_CLASS];
  uint32_t block;
  made *of;
  as_node_id *maximum /* of a tile: its max accumulator */;
  as_err *err;
} builder;

static bool taken(const as_graph *g, const char *name) {
  for (const as_graph *h = g; h; h = h->program) {
    for (uint32_t i = 0; i < h->n_own_size; i++) {
      if (!strcmp(as_size_name(g->sizes, h->own_size[i]), name))
        return true;
    }
  }
  for (uint32_t i = 0; i < g->n; i++) {
    if (g->node[i].name && !strcmp(g->node[i].name, name))
      return true;
  }
  for (uint32_t i = 0; i < g->program->n; i++) {
    if (g->program->node[i].name && !strcmp(g->program->node[i].name, name))
      return true;
  }
  return false;
}

static as_size new_size(builder *B, const char *stem) {
  char name[32];
  as_size s = AS_SIZE_BAD;
  for (int k = 0;; k++) {
    if (k)
      snprintf(name, sizeof name, "%s%d", stem, k);
    else
      snprintf(name, sizeof name, "%s", stem);
    if (!taken(B->g, name))
      break;
  }
  return as_graph_declare(B->g, name, 1, -1, &s, B->err) ? s : AS_SIZE_BAD;
}

static bool make_sizes(builder *B) {
  as_size grid[3] = {AS_SIZE_ONE, AS_SIZE_ONE, AS_SIZE_ONE};
  as_size loop = AS_SIZE_ONE;
  for (uint32_t c = 0; c < B->p->n_cls; c++) {
    B->tile[c] = B->p->cls[c].extent;
    B->count[c] = AS_SIZE_ONE;
    sg_mode m = B->plan->mode[c];
    if (m == SG_GRID_ONE) {
      B->tile[c] = AS_SIZE_ONE;
      B->count[c] = B->p->cls[c].extent;
    }
    if (m != SG_GRID && m != SG_LOOP)
      continue;
    B->count[c] = new_size(B, m == SG_GRID ? "J" : "L");
    B->tile[c] = new_size(B, m == SG_GRID ? "U" : "T");
    if (B->count[c] == AS_SIZE_BAD || B->tile[c] == AS_SIZE_BAD)
      return false;
    if (!as_graph_where(B->g, B->p->cls[c].extent, AS_REL_EQ,
                        as_size_mul(B->g->sizes, B->count[c], B->tile[c]), B->err))
      return as_err_set(B->err, AS_INTERNAL, "search: relation refused");
  }
  for (uint32_t i = 0; i < B->plan->n_grid; i++)
    grid[i] = B->count[B->plan->grid[B->plan->n_grid - 1 - i]];
  if (B->plan->loop >= 0)
    loop = B->count[B->plan->loop];
  char name[24];
  for (uint32_t k = B->g->n_block;; k++) {
    snprintf(name, sizeof name, "k%u", k);
    if (!taken(B->g, name))
      break;
  }
  B->block = as_graph_block(B->g, name, grid, loop, B->plan->loop >= 0);
  return true;
}

/* which axis of the tensor each grid axis and the loop divide */
static void make_map(const builder *B, const sg_axes *ax, bool with_loop, int map[4]) {
  for (int i = 0; i < 4; i++)
    map[i] = -1;
  for (uint32_t k = 0; k < ax->rank; k++) {
    if (ax->ax[k] == SG_UNIT || !SG_IS_TILE(ax->ax[k]))
      continue;
    uint32_t c = SG_CLASS(ax->ax[k]);
    if ((int)c == B->plan->loop) {
      if (with_loop)
        map[3] = (int)k;
      continue;
    }
    for (uint32_t i = 0; i < B->plan->n_grid; i++) {
      if (B->plan->grid[B->plan->n_grid - 1 - i] == c)
        map[i] = (int)k;
    }
  }
}

/* an operator of one tensor and one attribute whose body is exactly `x * attr` (or `x / attr`):
 * found by what it means, not by its name */
static const as_opdef *find_scaling(const as_oplib *L, bool divides) {
  for (uint32_t i = 0; i < as_oplib_count(L); i++) {
    const as_opdef *o = as_oplib_nth(L, i);
    const as_expr *b = o->let[o->nlet - 1].body;
    if (o->nargs == 1 && o->nattrs == 1 && o->nlet == 1 && !o->nreq && sg_op_is_pointwise(o) &&
        b->kind == (divides ? AS_E_FDIV : AS_E_MUL) && b->kid[0]->kind == AS_E_ACCESS &&
        b->kid[1]->kind == AS_E_NAME && !strcmp(b->kid[1]->name, o->attr[0]))
      return o;
  }
  return NULL;
}

static as_node_id scaled(builder *B, as_node_id x, bool divides, as_size by) {
  const as_opdef *o = find_scaling(B->g->lib, divides);
  as_attr attr[AS_MAX_ATTRS];
  if (!o) {
    as_err_set(B->err, AS_BAD_INPUT,
               "the search needs an operator `x %c attribute`, which no specification defines",
               divides ? '/' : '*');
    return AS_NONE;
  }
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_init(&attr[i]);
  attr[0].is_size = true;
  attr[0].size = by;
  as_node_id r = as_graph_op(B->g, B->block, NULL, o, &x, 1, attr, B->err);
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_clear(&attr[i]);
  return r;
}

static as_node_id call(builder *B, const char *op, const as_node_id *arg, uint32_t nargs, long axis,
                       as_err *err) {
  const as_opdef *o = as_oplib_find(B->g->lib, op);
  as_attr attr[AS_MAX_ATTRS];
  if (!o) {
    as_err_set(err, AS_BAD_INPUT,
               "the search needs an operator `%s`, which no specification defines", op);
    return AS_NONE;
  }
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_init(&attr[i]);
  if (o->nattrs) {
    attr[0].is_size = true;
    attr[0].size = as_size_int(B->g->sizes, axis);
  }
  as_node_id r = as_graph_op(B->g, B->block, NULL, o, arg, nargs, attr, err);
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_clear(&attr[i]);
  return r;
}

/* the same tensor with axes of extent 1 put in or taken out until it has the axes `want` */
static as_node_id adapt(builder *B, const made *m, const sg_axes *want) {
  as_node_id id = m->id;
  sg_axes have = m->real;
  for (uint32_t i = 0; i < want->rank || i < have.rank;) {
    if (i < want->rank && i < have.rank && want->ax[i] == have.ax[i]) {
      i++;
      continue;
    }
    if (i < have.rank && have.ax[i] == SG_UNIT) {
      id = call(B, "squeeze", &id, 1, (long)i, B->err);
      memmove(have.ax + i, have.ax + i + 1, have.rank - i - 1);
      have.rank--;
    } else if (i < want->rank && want->ax[i] == SG_UNIT && have.rank < AS_MAX_RANK) {
      id = call(B, "expand_dims", &id, 1, (long)i, B->err);
      memmove(have.ax + i + 1, have.ax + i, have.rank - i);
      have.ax[i] = SG_UNIT;
      have.rank++;
    } else {
      as_err_set(B->err, AS_INTERNAL, "search: axes of a tile do not fit its use");
      return AS_NONE;
    }
    if (id == AS_NONE)
      return AS_NONE;
  }
  return id;
}

/* axes that make `own` align with `all` from the right */
static sg_axes aligned(const sg_axes *own, const sg_axes *all) {
  sg_axes r = {0, {0}};
  uint32_t k = 0;
  for (uint32_t i = 0; i < all->rank; i++) {
    bool has = k < own->rank && own->ax[k] == all->ax[i];
    if (has)
      k++;
    else if (!r.rank)
      continue;
    r.ax[r.rank++] = has ? all->ax[i] : SG_UNIT;
  }
  return r;
}

static as_node_id make_op(builder *B, const sg_deriv *d, sg_axes *real) {
  const sg_inst *in = &B->v->inst[d->inst];
  as_node_id arg[AS_MAX_ARGS];
  sg_axes ax[AS_MAX_ARGS];
  sg_axes all;
  const sg_value *v[AS_MAX_ARGS];
  for (uint32_t i = 0; i < d->nargs; i++) {
    v[i] = sg_space_value(B->s, d->arg[i]);
    ax[i] = v[i]->axes;
  }
  if (in->broadcasts && d->nargs == 2) {
    if (!sg_merge(B->p, &v[0]->axes, &v[1]->axes, &all)) {
      as_err_set(B->err, AS_INTERNAL, "search: axes do not merge");
      return AS_NONE;
    }
    for (uint32_t i = 0; i < 2; i++)
      ax[i] = aligned(&v[i]->axes, &all);
  } else if (in->pointwise && d->nargs == 1) {
    ax[0] = B->of[d->arg[0]].real;
  }
  for (uint32_t i = 0; i < d->nargs; i++) {
    arg[i] = adapt(B, &B->of[d->arg[i]], &ax[i]);
    if (arg[i] == AS_NONE)
      return AS_NONE;
  }
  sg_ctx C = B->s->ctx;
  ax_id none;
  C.A = NULL;
  C.strict_ones = true;
  if (!sg_apply(&C, in->op, in->attr, d->nargs, ax, NULL, real, &none))
    *real = sg_space_value(B->s, d->value)->axes;
  return as_graph_op(B->g, B->block, NULL, in->op, arg, d->nargs, in->attr, B->err);
}

static as_node_id make_number(builder *B, long num, long den) {
  mpq_t q;
  mpq_init(q);
  mpq_set_si(q, num, (unsigned long)den);
  as_node_id r = as_graph_const(B->g, q);
  mpq_clear(q);
  return r;
}

/* multiplication by a number and powers of sizes */
static as_node_id make_scale(builder *B, const sg_deriv *d) {
  int64_t num;
  int64_t den;
  uint32_t sym[16];
  uint32_t n;
  int ex[16];
  as_size up = AS_SIZE_ONE;
  as_size down = AS_SIZE_ONE;
  as_sizes *S = B->g->sizes;
  if (!ax_unit(B->s->ctx.A, d->factor, &num, &den, sym, ex, 16, &n)) {
    as_err_set(B->err, AS_INTERNAL, "search: no unit");
    return AS_NONE;
  }
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < n; j++) /* tile times count is the size itself */
    {
      while (sym[i] >= 0x80000000u && sym[j] == (sym[i] | 1) && i != j && ex[i] && ex[j] &&
             (ex[i] > 0) == (ex[j] > 0)) {
        as_size whole = B->p->cls[(sym[i] & 0x7fffffffu) / 2].extent;
        if (ex[i] > 0) {
          up = as_size_mul(S, up, whole);
          ex[i]--;
          ex[j]--;
        } else {
          down = as_size_mul(S, down, whole);
          ex[i]++;
          ex[j]++;
        }
      }
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    uint32_t c = (sym[i] & 0x7fffffffu) / 2;
    as_size sz = sym[i] < 0x80000000u ? sym[i] : sym[i] & 1 ? B->count[c] : B->tile[c];
    for (int k = 0; k < ex[i]; k++)
      up = as_size_mul(S, up, sz);
    for (int k = 0; k > ex[i]; k--)
      down = as_size_mul(S, down, sz);
  }
  as_node_id id = B->of[d->arg[0]].id;
  if (num != 1 || (den != 1 && down != AS_SIZE_ONE)) {
    as_node_id a[2] = {id, make_number(B, num, den)};
    id = call(B, "mul", a, 2, 0, B->err);
    den = 1;
  }
  if (up != AS_SIZE_ONE && id != AS_NONE)
    id = scaled(B, id, false, up);
  if (down != AS_SIZE_ONE && id != AS_NONE)
    id = scaled(B, id, true, down);
  if (den != 1 && id != AS_NONE) {
    as_node_id a[2] = {id, make_number(B, den, 1)};
    id = call(B, "div", a, 2, 0, B->err);
  }
  return id;
}

/* one accumulator gives both the running and the final maximum */
static as_node_id max_of(builder *B, uint32_t tile) {
  if (B->maximum[tile] == AS_NONE) {
    B->maximum[tile] =
        as_graph_acc(B->g, B->block, NULL, AS_ACC_MAX, B->of[tile].id, AS_NONE, 0, B->err);
  }
  return B->maximum[tile];
}

static bool make(builder *B, const sg_deriv *d, const as_node_id *node) {
  made *m = &B->of[d->value];
  const sg_value *v = sg_space_value(B->s, d->value);
  int64_t num;
  int64_t den;
  uint32_t sym[1];
  uint32_t n;
  int ex[1];
  m->real = v->axes;
  switch (d->kind) {
  case SG_D_LOAD: {
    int map[4];
    as_size tile[AS_MAX_RANK];
    m->real = B->p->axes[d->inst];
    for (uint32_t k = 0; k < m->real.rank; k++) {
      if (m->real.ax[k] == SG_UNIT) {
        tile[k] = AS_SIZE_ONE;
        continue;
      }
      uint32_t c = SG_CLASS(m->real.ax[k]);
      if (B->plan->mode[c] != SG_WHOLE)
        m->real.ax[k] |= 1;
      tile[k] = B->tile[c];
    }
    make_map(B, &m->real, true, map);
    m->id = as_graph_load(B->g, B->block, NULL, node[d->inst], tile, map, B->err);
    break;
  }
  case SG_D_CONST:
    if (!ax_unit(B->s->ctx.A, d->factor, &num, &den, sym, ex, 1, &n))
      return as_err_set(B->err, AS_INTERNAL, "search: no number");
    m->id = make_number(B, num, den);
    break;
  case SG_D_OP:
    m->id = make_op(B, d, &m->real);
    break;
  case SG_D_SCALE:
    m->id = make_scale(B, d);
    m->real = B->of[d->arg[0]].real;
    break;
  case SG_D_RUN:
    m->real = B->of[d->arg[0]].real;
    m->id = max_of(B, d->arg[0]);
    if (m->id != AS_NONE)
      m->id = as_graph_run(B->g, B->block, NULL, m->id, B->err);
    break;
  case SG_D_ACC: {
    const made *of = &B->of[d->arg[0]];
    int axis = 0;
    as_node_id run = AS_NONE;
    m->real = of->real;
    for (uint32_t k = 0; k < m->real.rank; k++) {
      if (d->acc == AS_ACC_CONCAT && m->real.ax[k] == SG_LABEL(B->plan->loop, 1)) {
        axis = (int)k;
        m->real.ax[k] = SG_LABEL(B->plan->loop, 0);
      }
    }
    if (d->acc == AS_ACC_RESCALE)
      run = B->of[d->arg[1]].id;
    m->id = d->acc == AS_ACC_MAX
                ? max_of(B, d->arg[0])
                : as_graph_acc(B->g, B->block, NULL, d->acc, of->id, run, axis, B->err);
    break;
  }
  }
  return m->id != AS_NONE;
}

/* loads, then what runs in the loop, then accumulators, then the epilogue */
static int stage(const sg_space *s, const sg_deriv *d) {
  if (d->kind == SG_D_LOAD)
    return 0;
  if (d->kind == SG_D_ACC)
    return d->acc == AS_ACC_MAX ? 1 : 2;
  return sg_space_value(s, d->value)->phase == SG_AFTER ? 3 : 1;
}

bool sg_build_block(as_graph *g, const sg_space *s, const sg_part *p, const sg_plan *plan,
                    const sg_vocab *v, const sg_recipe *r, as_node_id *node, as_err *err) {
  builder B = {.g = g, .s = s, .p = p, .plan = plan, .v = v, .err = err};
  if (!make_sizes(&B))
    return false;
  B.of = as_calloc(s->values.n + 1, sizeof *B.of);
  B.maximum = as_malloc((s->values.n + 1) * sizeof *B.maximum);
  for (uint32_t i = 0; i < s->values.n; i++)
    B.maximum[i] = AS_NONE;
  bool ok = true;
  for (int st = 0; st < 4 && ok; st++) {
    for (uint32_t i = 0; i < r->n && ok; i++) {
      const sg_deriv *d = sg_space_deriv(s, r->deriv[i]);
      if (stage(s, d) == st)
        ok = make(&B, d, node);
    }
  }
  for (uint32_t o = 0; o < r->n_goal && ok; o++) {
    sg_axes want = p->axes[p->output[o]];
    int map[4];
    for (uint32_t k = 0; k < want.rank; k++) {
      if (want.ax[k] != SG_UNIT && plan->mode[SG_CLASS(want.ax[k])] != SG_WHOLE &&
          (int)SG_CLASS(want.ax[k]) != plan->loop)
        want.ax[k] |= 1;
    }
    as_node_id id = adapt(&B, &B.of[r->goal[o]], &want);
    make_map(&B, &want, false, map);
    ok = id != AS_NONE;
    if (ok) {
      node[p->output[o]] =
          as_graph_store(g, B.block, p->g->node[p->tensor[p->output[o]]].name, id, map, err);
    }
    ok = ok && node[p->output[o]] != AS_NONE;
  }
  free(B.of);
  free(B.maximum);
  return ok;
}
