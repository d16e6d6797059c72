#include "graph.h"
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  uint64_t fields;
} kinds[] = {

#define K(id, name, fields) {name, fields},
    AS_TG_KINDS(K)
#undef K
};

static const struct {
  const char *name;
  unsigned arity;
} scalars[] = {

#define S(id, name, arity) {name, arity},
    AS_TG_SCALARS(S)
#undef S
};

uint64_t as_tg_fields(as_tg_kind kind) {
  return kinds[kind].fields;
}

bool as_tg_has_body(as_tg_kind kind) {
  return kind == AS_TG_LOOP || kind == AS_TG_STEPS || kind == AS_TG_SURE;
}

bool as_tg_has_field(const as_tg_op *op, unsigned field) {
  switch (field) {
  case AS_TGF_CUT:
    return op->cut != 0;
  case AS_TGF_BEGIN:
    return op->begin != NULL;
  case AS_TGF_DELAY:
    return op->delay != 0;
  case AS_TGF_FROM:
    return op->from != 0 || kinds[op->kind].fields >> field & 1;
  default:
    return kinds[op->kind].fields >> field & 1;
  }
}

const char *as_tg_kind_name(as_tg_kind kind) {
  return kinds[kind].name;
}

const char *as_tg_scalar_name(as_tg_scalar op) {
  return scalars[op].name;
}

unsigned as_tg_scalar_arity(as_tg_scalar op) {
  return scalars[op].arity;
}

as_tg *as_tg_new(const char *name) {
  as_tg *g = as_calloc(1, sizeof *g);
  g->mem = as_arena_new();
  g->name = as_arena_strdup(g->mem, name);
  as_vec_init(&g->value, sizeof(const char *));
  g->top.kind = AS_TG_LOOP;
  return g;
}

void as_tg_free(as_tg *g) {
  if (!g)
    return;
  as_vec_clear(&g->value);
  as_arena_free(g->mem);
  free(g);
}

as_tg_op *as_tg_new_op(as_tg *g, as_tg_kind kind, char who) {
  as_tg_op *op = as_arena_alloc(g->mem, sizeof *op);
  op->kind = kind;
  op->who = who;
  return op;
}

void as_tg_insert(as_tg *g, as_tg_op *in, unsigned at, as_tg_op *op) {
  if (in->n_body == in->cap_body) {
    in->cap_body = in->cap_body ? 2 * in->cap_body : 8;
    as_tg_op **body = as_arena_alloc(g->mem, in->cap_body * sizeof *body);
    if (in->n_body)
      memcpy(body, in->body, in->n_body * sizeof *body);
    in->body = body;
  }
  memmove(in->body + at + 1, in->body + at, (in->n_body - at) * sizeof *in->body);
  in->body[at] = op;
  in->n_body++;
}

as_tg_op *as_tg_add(as_tg *g, as_tg_op *in, as_tg_kind kind, char who) {
  as_tg_op *op = as_tg_new_op(g, kind, who);
  as_tg_op *to = in ? in : &g->top;
  as_tg_insert(g, to, to->n_body, op);
  return op;
}

int as_tg_value(as_tg *g, const char *name) {
  for (size_t i = 0; i < g->value.n; i++) {
    if (!strcmp(AS_VEC_AT(&g->value, const char *, i), name))
      return (int)i;
  }
  const char *copy = as_arena_strdup(g->mem, name);
  as_vec_push(&g->value, &copy);
  return (int)g->value.n - 1;
}

const char *as_tg_value_name(const as_tg *g, int v) {
  return AS_VEC_AT(&g->value, const char *, v);
}

as_tg_expr *as_tg_expr_new(as_tg *g, as_tg_scalar op, as_tg_expr *x, as_tg_expr *y) {
  as_tg_expr *e = as_arena_alloc(g->mem, sizeof *e);
  e->op = op;
  e->kid[0] = x;
  e->kid[1] = y;
  return e;
}

as_tg_expr *as_tg_expr_choose(as_tg *g, as_tg_expr *which, as_tg_expr *x, as_tg_expr *y) {
  as_tg_expr *e = as_tg_expr_new(g, AS_TGS_CHOOSE, which, x);
  e->kid[2] = y;
  return e;
}

as_tg_expr *as_tg_expr_arg(as_tg *g, unsigned arg) {
  as_tg_expr *e = as_tg_expr_new(g, AS_TGS_ARG, NULL, NULL);
  e->arg = arg;
  return e;
}

as_tg_expr *as_tg_expr_num(as_tg *g, const char *num) {
  as_tg_expr *e = as_tg_expr_new(g, AS_TGS_NUM, NULL, NULL);
  e->num = as_arena_strdup(g->mem, num);
  return e;
}

static as_tg_expr *copy_expr(as_tg *g, const as_tg_expr *e) {
  if (!e)
    return NULL;
  as_tg_expr *r = as_tg_expr_new(g, e->op, copy_expr(g, e->kid[0]), copy_expr(g, e->kid[1]));
  r->kid[2] = copy_expr(g, e->kid[2]);
  r->arg = e->arg;
  r->num = e->num ? as_arena_strdup(g->mem, e->num) : NULL;
  return r;
}

static void copy_body(as_tg *g, as_tg_op *to, const as_tg_op *from) {
  for (unsigned i = 0; i < from->n_body; i++) {
    as_tg_op *op = as_tg_new_op(g, from->body[i]->kind, from->body[i]->who);
    *op = *from->body[i];
    op->expr = copy_expr(g, op->expr);
    op->begin = copy_expr(g, op->begin);
    op->instr = op->instr ? as_arena_strdup(g->mem, op->instr) : NULL;
    op->body = NULL;
    op->n_body = op->cap_body = 0;
    copy_body(g, op, from->body[i]);
    as_tg_insert(g, to, to->n_body, op);
  }
}

as_tg *as_tg_copy(const as_tg *g) {
  as_tg *r = as_tg_new(g->name);
  r->warp_bits = g->warp_bits;
  r->producer = g->producer;
  r->trip = g->trip;
  r->stages = g->stages;
  r->limit = copy_expr(r, g->limit);
  r->per = g->per;
  r->compute_registers = g->compute_registers;
  r->copy_registers = g->copy_registers;
  r->reversed = g->reversed;
  r->together = g->together;
  r->n_tile = g->n_tile;
  r->n_buffer = g->n_buffer;
  r->n_barrier = g->n_barrier;
  memcpy(r->tile, g->tile, sizeof r->tile);
  memcpy(r->buffer, g->buffer, sizeof r->buffer);
  memcpy(r->barrier, g->barrier, sizeof r->barrier);
  for (unsigned i = 0; i < r->n_tile; i++)
    r->tile[i].name = as_arena_strdup(r->mem, g->tile[i].name);
  for (unsigned i = 0; i < r->n_buffer; i++)
    r->buffer[i].name = as_arena_strdup(r->mem, g->buffer[i].name);
  for (unsigned i = 0; i < r->n_barrier; i++)
    r->barrier[i].name = as_arena_strdup(r->mem, g->barrier[i].name);
  for (size_t i = 0; i < g->value.n; i++)
    as_tg_value(r, as_tg_value_name(g, (int)i));
  copy_body(r, &r->top, &g->top);
  return r;
}

const as_tg_axis *as_tg_find_axis(const as_tg_tile *t, const char *name) {
  for (unsigned i = 0; i < t->n_axis; i++) {
    if (!strcmp(t->axis[i].name, name))
      return &t->axis[i];
  }
  return NULL;
}

unsigned as_tg_tile_bits(const as_tg_tile *t) {
  unsigned bits = 0;
  for (unsigned i = 0; i < t->n_axis; i++)
    bits += t->axis[i].bits;
  return bits;
}

long as_tg_buffer_bytes(const as_tg_buffer *b) {
  return (long)b->elem << b->bits;
}

unsigned as_tg_warps(const as_tg *g) {
  unsigned others = g->compute_registers ? 4 : 1; /* registers are handed over by warpgroups */
  return (1u << g->warp_bits) + (g->producer ? others : 0);
}

/* of whole numbers, by sums, differences and products */
static long whole_number(const as_tg_expr *e, const long block[3]) {
  if (e->op == AS_TGS_ARG)
    return e->arg < 3 ? block[e->arg] : 0;
  if (e->op == AS_TGS_NUM)
    return strtol(e->num, NULL, 10);
  long x = whole_number(e->kid[0], block);
  long y = as_tg_scalar_arity(e->op) == 2 ? whole_number(e->kid[1], block) : 0;
  return e->op == AS_TGS_ADD   ? x + y
         : e->op == AS_TGS_SUB ? x - y
         : e->op == AS_TGS_MUL ? x * y
                               : -x;
}

int as_tg_iterations(const as_tg *g, const long block[3]) {
  long most = g->limit ? whole_number(g->limit, block) / g->per : g->trip;
  if (most < 1) /* so that it does not matter which way a negative one is rounded */
    most = 1;
  return most < g->trip ? (int)most : g->trip;
}

int as_tg_loop_count(const as_tg *g, const as_tg_op *loop) {
  return loop->cut ? g->trip : loop->count;
}

bool as_tg_expr_has(const as_tg_expr *e, unsigned arg) {
  bool has = e && e->op == AS_TGS_ARG && e->arg == arg;
  for (unsigned i = 0; e && !has && i < as_tg_scalar_arity(e->op); i++)
    has = as_tg_expr_has(e->kid[i], arg);
  return has;
}

long as_tg_shared_bytes(const as_tg *g) {
  long most = 0;
  for (unsigned i = 0; i < g->n_buffer; i++) {
    const as_tg_buffer *b = &g->buffer[i];
    long end = b->base + as_tg_buffer_bytes(b) * (long)b->stages;
    most = end > most ? end : most;
  }
  return most;
}

void as_tg_walk(const as_tg_op *top, as_tg_visit *visit, void *arg) {
  for (unsigned i = 0; i < top->n_body; i++) {
    visit(arg, top->body[i]);
    as_tg_walk(top->body[i], visit, arg);
  }
}
