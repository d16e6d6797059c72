/* Random changes of thread graphs: of every field that an operation has, of the order of
 * operations, of buffers, barriers, loops, expressions. */
#include "cases.h"
#include <string.h>

typedef struct {
  as_tg_op *op[400];
  as_tg_op *parent[400];
  unsigned at[400];
  unsigned n;
} list;

static void collect(list *l, as_tg_op *in) {
  for (unsigned i = 0; i < in->n_body && l->n < 400; i++) {
    l->op[l->n] = in->body[i];
    l->parent[l->n] = in;
    l->at[l->n++] = i;
    collect(l, in->body[i]);
  }
}

static int below(as_rng *r, size_t n) {
  return (int)as_rng_below(r, n ? n : 1);
}

static int sign(as_rng *r) {
  return as_rng_below(r, 2) ? 1 : -1;
}

static as_lay *any_lay(as_tg_op *op, as_rng *r) {
  as_lay *all[5 + AS_TG_ARGS] = {&op->src, &op->dst, &op->ga, &op->gb, &op->gc};
  unsigned n = 5;
  for (int i = 0; i < op->n_arg; i++)
    all[n++] = &op->arg_map[i];
  as_lay *l = all[as_rng_below(r, n)];
  return as_lay_in_bits(l) && as_lay_out_bits(l) ? l : NULL;
}

static const char *change_layout(list *l, as_rng *r) {
  as_lay *lay = any_lay(l->op[below(r, l->n)], r);
  if (!lay)
    return NULL;
  unsigned bits = as_lay_in_bits(lay);
  unsigned i = (unsigned)below(r, bits);
  if (as_rng_below(r, 3)) {
    lay->col[i] ^= 1u << below(r, as_lay_out_bits(lay));
    return "a bit of a layout";
  }
  unsigned j = (unsigned)below(r, bits);
  uint32_t c = lay->col[i];
  lay->col[i] = lay->col[j];
  lay->col[j] = c;
  return lay->col[i] == c ? NULL : "two columns";
}

static void remove_at(as_tg_op *in, unsigned at) {
  memmove(in->body + at, in->body + at + 1, (in->n_body - at - 1) * sizeof *in->body);
  in->n_body--;
}

static const char *change_order(as_tg *g, list *l, as_rng *r) {
  int i = below(r, l->n);
  as_tg_op *op = l->op[i];
  as_tg_op *in = l->parent[i];
  uint64_t how = as_rng_below(r, 3);
  if (how == 0) {
    remove_at(in, l->at[i]);
    return op->kind >= AS_TG_BAR ? "synchronisation dropped" : "an operation dropped";
  }
  if (how == 1) {
    if (op->n_body)
      return NULL;
    as_tg_op *twin = as_tg_new_op(g, op->kind, op->who);
    *twin = *op;
    as_tg_insert(g, in, (unsigned)below(r, in->n_body + 1), twin);
    return "an operation twice";
  }
  as_tg_op *to = as_rng_below(r, 4) ? in : as_rng_below(r, 2) ? &g->top : l->parent[below(r, l->n)];
  for (as_tg_op *p = to; p == op;)
    return NULL;
  remove_at(in, l->at[i]);
  as_tg_insert(g, to, (unsigned)below(r, to->n_body + 1), op);
  return "an operation moved";
}

static const char *change_number(as_tg *g, list *l, as_rng *r) {
  as_tg_op *op = l->op[below(r, l->n)];
  uint64_t f = as_tg_fields(op->kind);
  int *numbers[] = {&op->it,   &op->slot, &op->vec,  &op->lanes, &op->warps, &op->base,
                    &op->bits, &op->type, &op->fold, &op->count, &op->from,  &op->off,
                    &op->par,  &op->rows, &op->lead, &op->side};
  static const as_tg_field which[] = {AS_TGF_IT,    AS_TGF_SLOT,  AS_TGF_VEC,  AS_TGF_LANES,
                                      AS_TGF_WARPS, AS_TGF_BASE,  AS_TGF_BITS, AS_TGF_TYPE,
                                      AS_TGF_FOLD,  AS_TGF_COUNT, AS_TGF_FROM, AS_TGF_OFF,
                                      AS_TGF_PAR,   AS_TGF_ROWS,  AS_TGF_LEAD, AS_TGF_SIDE};
  int k = below(r, sizeof which / sizeof *which);
  if (!(f >> which[k] & 1))
    return NULL;
  switch (which[k]) {
  case AS_TGF_LANES:
  case AS_TGF_WARPS:
    *numbers[k] ^= 1 << below(r, 5);
    return "a mask";
  case AS_TGF_TYPE:
    *numbers[k] = below(r, 3);
    return "a type";
  case AS_TGF_SIDE:
    *numbers[k] ^= 1;
    return "a side";
  case AS_TGF_FOLD:
    *numbers[k] ^= 1;
    return "a fold";
  case AS_TGF_BASE:
    *numbers[k] ^= 1 << below(r, 9);
    return "a part of a buffer";
  case AS_TGF_LEAD:
    *numbers[k] = as_rng_below(r, 2) ? *numbers[k] * 2 : *numbers[k] + 16;
    return "the distance of panels";
  case AS_TGF_SLOT:
    *numbers[k] += sign(r) * (as_rng_below(r, 3) ? 1 : g->stages);
    if ((f >> AS_TGF_IT & 1) && as_rng_below(r, 2))
      op->it = op->slot;
    return "a stage";
  default:
    *numbers[k] += sign(r) * (as_rng_below(r, 4) ? 1 : g->stages);
    if (*numbers[k] < 0)
      *numbers[k] = 0;
    return "a number";
  }
}

static const char *change_operand(as_tg *g, list *l, as_rng *r) {
  as_tg_op *op = l->op[below(r, l->n)];
  uint64_t f = as_tg_fields(op->kind);
  int any = below(r, g->value.n);
  switch (as_rng_below(r, 8)) {
  case 0:
    if (!(f & AS_TG_BIT(V)))
      return NULL;
    op->v = any;
    return "a result";
  case 1:
    if (!(f & AS_TG_BIT(A)))
      return NULL;
    op->a = any;
    return "an operand";
  case 2:
    if (!(f & AS_TG_BIT(B)))
      return NULL;
    int a = op->a;
    op->a = op->b;
    op->b = a;
    return "operands exchanged";
  case 3:
    if (op->n_arg < 1)
      return NULL;
    op->arg[below(r, (size_t)op->n_arg)] = any;
    return "an operand";
  case 4:
    if (!(f & AS_TG_BIT(BUF)) || !g->n_buffer)
      return NULL;
    if (f & AS_TG_BIT(BUFB) && as_rng_below(r, 2))
      op->bufb = below(r, g->n_buffer);
    else
      op->buf = below(r, g->n_buffer);
    return "a buffer";
  case 5:
    if (!(f & AS_TG_BIT(TILE)))
      return NULL;
    op->tile = below(r, g->n_tile);
    return "a tile";
  case 6:
    if (!(f & AS_TG_BIT(BAR)) || !g->n_barrier)
      return NULL;
    op->bar = below(r, g->n_barrier);
    return "a barrier";
  default:
    if (!(f & AS_TG_BIT(PRED)))
      return NULL;
    op->pred[below(r, 2)] += sign(r) * (1 + below(r, 7));
    return "a predicate";
  }
}

/* where an input's tile lies */
static const char *change_tile(as_tg *g, as_rng *r) {
  as_tg_tile *t = &g->tile[below(r, g->n_tile)];
  as_tg_axis *a = t->n_axis ? &t->axis[below(r, t->n_axis)] : NULL;
  const long steps[] = {1, 8, 16, a ? a->stride : 1};
  long step = sign(r) * steps[below(r, 4)];
  if (t->output || !a)
    return NULL;
  switch (as_rng_below(r, 4)) {
  case 0:
    a->stride += step;
    return "a stride";
  case 1:
    a->grid_step += a->grid >= 0 ? step : 0;
    return a->grid >= 0 ? "where a block begins" : NULL;
  default:
    t->origin += step;
    return "where a tensor begins";
  }
}

static const char *change_memory(as_tg *g, as_rng *r) {
  switch (as_rng_below(r, 6)) {
  case 5:
    return change_tile(g, r);
  case 0:
  case 1:
    if (!g->n_buffer)
      return NULL;
    as_tg_buffer *b = &g->buffer[below(r, g->n_buffer)];
    static const long steps[] = {16, 128, 1024, 2048};
    b->base += sign(r) * (as_rng_below(r, 2) ? steps[below(r, 4)] : as_tg_buffer_bytes(b));
    if (b->base < 0)
      b->base = 0;
    return "place of a buffer";
  case 2:
    g->stages += sign(r);
    if (g->stages < 1)
      g->stages = 1;
    for (unsigned i = 0; as_rng_below(r, 2) && i < g->n_buffer; i++)
      g->buffer[i].stages = g->buffer[i].stages > 1 ? (unsigned)g->stages : 1;
    return "stages";
  case 3:
    if (!g->n_barrier)
      return NULL;
    as_tg_barrier *m = &g->barrier[below(r, g->n_barrier)];
    m->count = m->count == 1 || as_rng_below(r, 2) ? m->count + 1 : m->count - 1;
    return "count of a barrier";
  default:
    if (!g->n_buffer)
      return NULL;
    as_tg_buffer *x = &g->buffer[below(r, g->n_buffer)];
    x->bits += x->bits && as_rng_below(r, 2) ? -1u : 1;
    return "size of a buffer";
  }
}

static void change_tree(as_tg_expr *e, as_rng *r, bool *done) {
  if (!e || *done)
    return;
  if (e->op == AS_TGS_NUM && as_rng_below(r, 2)) {
    e->num = as_rng_below(r, 2) ? "3" : "-1";
    *done = true;
    return;
  }
  if (e->op == AS_TGS_ARG && as_rng_below(r, 4) == 0) {
    e->arg ^= 1;
    *done = true;
    return;
  }
  unsigned arity = as_tg_scalar_arity(e->op);
  if (arity && as_rng_below(r, 3) == 0) {
    static const as_tg_scalar one[] = {AS_TGS_NEG, AS_TGS_INV, AS_TGS_RSQRT, AS_TGS_EXP,
                                       AS_TGS_ZERO};
    static const as_tg_scalar two[] = {AS_TGS_ADD, AS_TGS_SUB, AS_TGS_MUL, AS_TGS_MAX};
    if (arity == 3) {
      as_tg_expr *kid = e->kid[1];
      e->kid[1] = e->kid[2];
      e->kid[2] = kid;
    } else {
      e->op = arity == 1 ? one[below(r, 5)] : two[below(r, 4)];
    }
    *done = true;
    return;
  }
  change_tree(e->kid[0], r, done);
  change_tree(e->kid[1], r, done);
  change_tree(e->kid[2], r, done);
}

static const char *change_rest(as_tg *g, list *l, as_rng *r) {
  as_tg_op *op = l->op[below(r, l->n)];
  bool done = false;
  switch (as_rng_below(r, 4)) {
  case 0: {
    static const char who[] = {'c', 'p', 'a'};
    op->who = who[below(r, 3)];
    return "who executes";
  }
  case 1:
    if (op->kind == AS_TG_WGMMA) {
      static const char *const products[] = {"wgmma.m64n32k16.f16.kk", "wgmma.m64n64k16.f16.kk",
                                             "wgmma.m64n64k16.f16.kn", "wgmma.m64n128k16.f16.kn"};
      op->instr = products[below(r, 4)];
      return "a product";
    }
    if (op->kind == AS_TG_WGMMAR) {
      static const char *const held[] = {"wgmma.m64n32k16.f16.rk", "wgmma.m64n64k16.f16.rk",
                                         "wgmma.m64n64k16.f16.rn", "wgmma.m64n128k16.f16.rn"};
      op->instr = held[below(r, 4)];
      return "a product";
    }
    if (op->kind != AS_TG_LDMATRIX)
      return NULL;
    static const char *const loads[] = {"ldmatrix.x1",       "ldmatrix.x2",
                                        "ldmatrix.x4",       "ldmatrix.x1.trans",
                                        "ldmatrix.x2.trans", "ldmatrix.x4.trans"};
    op->instr = loads[below(r, 6)];
    return "an instruction";
  case 2:
    if (op->kind != AS_TG_BULK)
      return NULL;
    static const char *const copies[] = {"bulk.tensor.2d.32", "bulk.tensor.2d.64",
                                         "bulk.tensor.2d.128"};
    op->instr = copies[below(r, 3)];
    op->rows += below(r, 3) - 1;
    op->rows = op->rows < 0 ? 0 : op->rows;
    return "a box";
  default:
    (void)g;
    change_tree(op->expr, r, &done);
    return done ? "an expression" : NULL;
  }
}

/* how many iterations a block runs, who runs so many, and where a maximum begins; what is executed
 * late, and what is sure for a tile */
static const char *change_limit(as_tg *g, list *l, as_rng *r) {
  static const char *const numbers[] = {"1", "-1", "2", "-5"};
  as_tg_op *op = l->op[below(r, l->n)];
  as_tg_expr *by = as_tg_expr_num(g, numbers[below(r, 2)]);
  bool done = false;
  switch (as_rng_below(r, 8)) {
  case 6: /* whether or not it may be */
    op->delay ^= 1;
    return "a delay";
  case 7:
    if (op->kind != AS_TG_SURE)
      return NULL;
    op->expr = as_tg_expr_new(g, AS_TGS_ADD, op->expr, by);
    return "what is sure";
  case 0:
    if (op->kind != AS_TG_LOOP)
      return NULL;
    op->cut ^= 1;
    return "a loop that is cut";
  case 1:
    if (op->kind != AS_TG_ZERO)
      return NULL;
    op->begin = op->begin ? NULL : as_tg_expr_num(g, numbers[below(r, 4)]);
    return "where an accumulator begins";
  case 2:
    g->per += sign(r);
    return g->limit ? "iterations divided" : NULL;
  case 3:
    change_tree(g->limit, r, &done);
    return done ? "an expression of iterations" : NULL;
  case 4:
    if (!g->limit)
      return NULL;
    g->limit = as_tg_expr_new(g, AS_TGS_ADD, g->limit, by);
    return "iterations";
  default: /* by all */
    g->limit = as_tg_expr_new(g, AS_TGS_ADD, as_tg_expr_arg(g, (unsigned)below(r, 3)), by);
    g->per = 1;
    for (unsigned i = 0; i < l->n; i++)
      l->op[i]->cut = l->op[i]->kind == AS_TG_LOOP && l->op[i]->count == g->trip;
    return "a limit";
  }
}

const char *mutate(as_tg *g, as_rng *r) {
  list l = {.n = 0};
  collect(&l, &g->top);
  if (!l.n)
    return NULL;
  switch (as_rng_below(r, 11)) {
  case 0:
  case 1:
  case 2:
    return change_layout(&l, r);
  case 3:
  case 4:
    return change_order(g, &l, r);
  case 5:
  case 6:
    return change_number(g, &l, r);
  case 7:
    return change_operand(g, &l, r);
  case 8:
    return change_memory(g, r);
  case 9:
    return change_limit(g, &l, r);
  default:
    return change_rest(g, &l, r);
  }
}
