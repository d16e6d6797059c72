/* Addresses of a thread graph as texts: its maps printed as shifts, ands and xors. */
#include "emit.h"
#include "src/base/id.h"
#include <stdlib.h>
#include <string.h>

/* xor of the columns that var's bits pick: one term for each distance between input and output bit
 */
static void bits_expr(as_str *s, const char *var, const uint32_t *cols, unsigned n, unsigned up) {
  for (int distance = -31; distance <= 31; distance++) {
    uint32_t mask = 0;
    for (unsigned i = 0; i < n; i++) {
      int o = (int)i + distance - (int)up;
      if (o >= 0 && o < 32 && (cols[i] >> o & 1))
        mask |= 1u << i;
    }
    if (!mask)
      continue;
    as_str_printf(s, "%s(", s->n ? " ^ " : "");
    if (distance)
      as_str_printf(s, "(%s & %u) %s %d)", var, mask, distance > 0 ? "<<" : ">>", abs(distance));
    else
      as_str_printf(s, "%s & %u)", var, mask);
  }
}

static char *hardware_expr(const as_lay *l, unsigned up) {
  uint32_t cols[AS_LAY_BITS];
  as_str s;
  as_str_init(&s);
  unsigned n = as_lay_cols(l, "lane", cols);
  bits_expr(&s, "lane", cols, n, up);
  n = as_lay_cols(l, "warp", cols);
  bits_expr(&s, "warp", cols, n, up);
  if (!s.n)
    as_str_add(&s, "0");
  return as_str_take(&s);
}

/* the bits that lane and warp move */
static uint32_t moved_bits(const as_lay *l) {
  uint32_t cols[AS_LAY_BITS];
  uint32_t moved = 0;
  unsigned n = as_lay_cols(l, "lane", cols);
  for (unsigned i = 0; i < n; i++)
    moved |= cols[i];
  n = as_lay_cols(l, "warp", cols);
  for (unsigned i = 0; i < n; i++)
    moved |= cols[i];
  return moved;
}

/* the name of an expression of lane and warp that is computed once; takes text */
static unsigned once(as_emitter *E, const char *prefix, char *text, const char *type) {
  for (size_t i = 0; i < E->named.n; i++) {
    if (!strcmp(AS_VEC_AT(&E->named, char *, i), text)) {
      free(text);
      return (unsigned)i;
    }
  }
  as_str_printf(&E->head, "  const %s%s%zu = %s;\n", type, prefix, E->named.n, text);
  as_vec_push(&E->named, &text);
  return (unsigned)E->named.n - 1;
}

static unsigned log2_of(unsigned v) {
  return v > 1 ? 1 + log2_of(v / 2) : 0;
}

/* shared address of copy u in step s; stage: text or NULL.  Bits that lane and warp never move are
 * added, the others xor'ed. */
char *as_emit_shared(as_emitter *E, const as_tg_op *op, const as_lay *l, unsigned u, int step,
                     const char *stage) {
  const as_tg_buffer *buf = &E->g->buffer[op->buf];
  unsigned up = log2_of(buf->elem);
  uint32_t c = as_lay_at(l, "u", u) ^ as_lay_at(l, "s", (uint32_t)step);
  uint32_t moved = moved_bits(l);
  char *e = hardware_expr(l, up);
  as_str s;
  as_str_init(&s);
  bool none = !strcmp(e, "0");
  unsigned name = none ? 0 : once(E, "a", e, "unsigned ");
  if (none)
    free(e);
  as_str_add(&s, "s0");
  if (stage && buf->stages > 1)
    as_str_printf(&s, " + %s * %ldu", stage, as_tg_buffer_bytes(buf));
  if (!none && (c & moved))
    as_str_printf(&s, " + (a%u ^ %uu)", name, (c & moved) << up);
  else if (!none)
    as_str_printf(&s, " + a%u", name);
  bool part = op->kind == AS_TG_LDS || op->kind == AS_TG_STS;
  long at = buf->base + ((long)(c & ~moved) << up) + (part ? (long)op->base << up : 0);
  if (at)
    as_str_printf(&s, " + %ldu", at);
  return as_str_take(&s);
}

bool as_emit_where(const as_emitter *E, const as_tg_tile *t, as_node_id *tensor,
                   as_block_place *out) {
  const as_block *blk = &E->b->graph->block[E->b->block];
  for (uint32_t i = 0; i < blk->n; i++) {
    const as_node *n = &E->b->graph->node[blk->nodes[i]];
    if (n->kind != (t->output ? AS_N_STORE : AS_N_LOAD) || strcmp(n->name, t->name) != 0)
      continue;
    *tensor = t->output ? blk->nodes[i] : n->arg[0];
    return as_block_place_of(E->b, *tensor, out, NULL);
  }
  return false;
}

char *as_emit_memory(as_emitter *E, const as_tg_tile *t) {
  as_node_id tensor;
  as_block_place at;
  if (as_emit_where(E, t, &tensor, &at))
    return E->address(E->arg, at.base);
  E->failed = true;
  return as_strdup("0");
}

static const char *element(const as_tg_tile *t) {
  return t->type == AS_F32 ? "float" : "unsigned short";
}

/* name of the pointer to lane's and warp's part, in iteration 0 */
static unsigned pointer(as_emitter *E, const as_tg_tile *t, const as_lay *l) {
  as_str s;
  char *base = as_emit_memory(E, t);
  as_str_init(&s);
  as_str_printf(&s, "(%s%s *)(%s)", t->output ? "" : "const ", element(t), base);
  free(base);
  if (t->origin)
    as_str_printf(&s, " + %ldu", t->origin);
  for (unsigned i = 0; i < t->n_axis; i++) {
    const as_tg_axis *a = &t->axis[i];
    if (a->grid >= 0)
      as_str_printf(&s, " + (size_t)g%c * %ldu", "xyz"[a->grid], a -> grid_step * a -> stride);
    if (!a->bits)
      continue;
    as_lay part = as_lay_take(l, (const char *[]){a->name}, 1);
    char *h = hardware_expr(&part, 0);
    if (strcmp(h, "0") != 0)
      as_str_printf(&s, " + (size_t)(%s) * %ldu", h, a->stride);
    free(h);
  }
  return once(E, "p", as_str_take(&s), "auto ");
}

char *as_emit_global(as_emitter *E, const as_tg_op *op, const as_lay *l, unsigned u, int step,
                     const char *iteration) {
  const as_tg_tile *t = &E->g->tile[op->tile];
  uint32_t c = as_lay_at(l, "u", u) ^ as_lay_at(l, "s", (uint32_t)step);
  long offset = 0;
  if (c & moved_bits(l))
    E->failed = true; /* would need an xor of an address */
  as_str s;
  as_str_init(&s);
  as_str_printf(&s, "p%u", pointer(E, t, l));
  for (unsigned i = 0; i < t->n_axis; i++) {
    const as_tg_axis *a = &t->axis[i];
    if (a->bits)
      offset += (long)as_lay_part(l, a->name, c) * a->stride;
    if (a->loop_step && iteration)
      as_str_printf(&s, " + (size_t)(%s) * %ldu", iteration, a->loop_step * a->stride);
  }
  if (offset)
    as_str_printf(&s, " + %ld", offset);
  return as_str_take(&s);
}

char *as_emit_index(const as_lay *l, uint32_t u) {
  char *h = hardware_expr(l, 0);
  char *t = as_format("(int)((%s) ^ %uu)", h, as_lay_at(l, "u", u));
  free(h);
  return t;
}

/* the index along one axis; bits that lane and warp never move are added, so that a compiler sees
 * through it */
static char *index_along(as_emitter *E, const as_lay *l, const char *axis, uint32_t u) {
  as_lay part = as_lay_take(l, (const char *[]){axis}, 1);
  uint32_t constant = as_lay_at(&part, "u", u);
  bool joins = constant & moved_bits(&part);
  char *h = hardware_expr(&part, 0);
  char *whole = as_format("(int)(%s)", h);
  free(h);
  unsigned name = once(E, "i", whole, "int ");
  return as_format("(i%u %c %u)", name, joins ? '^' : '+', constant);
}

char *as_emit_place(as_emitter *E, const as_tg_op *op, const as_tg_expr *e, uint32_t u) {
  static const char *const others[] = {"(int)gx", "(int)gy", "(int)gz", "l"};
  if (e->op == AS_TGS_NUM)
    return as_format("(%s)", e->num);
  if (e->op == AS_TGS_ARG)
    return e->arg < op->src.n_out ? index_along(E, &op->src, op->src.out[e->arg].name, u)
                                  : as_strdup(others[e->arg - op->src.n_out]);
  char *x = as_emit_place(E, op, e->kid[0], u);
  if (e->op == AS_TGS_NEG) {
    char *negative = as_format("(-%s)", x);
    free(x);
    return negative;
  }
  char *y = as_emit_place(E, op, e->kid[1], u);
  char sign = e->op == AS_TGS_ADD ? '+' : e->op == AS_TGS_SUB ? '-' : '*';
  char *both = as_format("(%s %c %s)", x, sign, y);
  free(x);
  free(y);
  return both;
}

/* a number made of numbers alone */
static bool is_constant(const as_tg_expr *e) {
  bool constant = e->op != AS_TGS_ARG;
  for (unsigned i = 0; constant && i < as_tg_scalar_arity(e->op); i++)
    constant = is_constant(e->kid[i]);
  return constant;
}

/* its value with these outputs of the map, 0 for the block and the iteration; false: not affine */
static bool affine_at(const as_tg_expr *e, const long *out, unsigned n, long *value) {
  long x = 0;
  long y = 0;
  if (e->op == AS_TGS_ARG || e->op == AS_TGS_NUM) {
    *value = e->op == AS_TGS_NUM ? strtol(e->num, NULL, 10) : e->arg < n ? out[e->arg] : 0;
    return true;
  }
  if (e->op == AS_TGS_MUL && !is_constant(e->kid[0]) && !is_constant(e->kid[1]))
    return false;
  if (!affine_at(e->kid[0], out, n, &x) ||
      (as_tg_scalar_arity(e->op) == 2 && !affine_at(e->kid[1], out, n, &y)))
    return false;
  *value = e->op == AS_TGS_ADD   ? x + y
           : e->op == AS_TGS_SUB ? x - y
           : e->op == AS_TGS_MUL ? x * y
                                 : -x;
  return true;
}

bool as_emit_place_step(const as_tg_op *op, uint32_t u, long *step) {
  long none[AS_LAY_DIMS] = {0};
  long out[AS_LAY_DIMS] = {0};
  long first;
  for (unsigned d = 0; d < op->src.n_out; d++) {
    as_lay part = as_lay_take(&op->src, (const char *[]){op->src.out[d].name}, 1);
    out[d] = as_lay_at(&part, "u", u);
    if ((uint32_t)out[d] & moved_bits(&part))
      return false;
  }
  if (!affine_at(op->expr, none, op->src.n_out, &first) ||
      !affine_at(op->expr, out, op->src.n_out, step))
    return false;
  *step -= first;
  return true;
}

char *as_emit_mask(const as_tg_op *op) {
  as_str s;
  as_str_init(&s);
  if (op->lanes)
    as_str_printf(&s, "!(lane & %d)", op->lanes);
  if (op->warps)
    as_str_printf(&s, "%s!(warp & %d)", s.n ? " && " : "", op->warps);
  if (!s.n)
    as_str_add(&s, "");
  return as_str_take(&s);
}

/* index along a padded axis below its limit; "" where nothing is padded */
char *as_emit_pred(const as_tg *g, const as_tg_op *op, const as_lay *l, unsigned u) {
  as_str s;
  const as_tg_tile *t = &g->tile[op->tile];
  as_str_init(&s);
  as_str_add(&s, "");
  for (unsigned i = 0; i < t->n_axis; i++) {
    if (!op->pred[i])
      continue;
    as_lay part = as_lay_take(l, (const char *[]){t->axis[i].name}, 1);
    char *h = hardware_expr(&part, 0);
    as_str_printf(&s, "%s((%s) ^ %u) < %ld", s.n ? " && " : "", h, as_lay_at(&part, "u", u),
                  op->pred[i]);
    free(h);
  }
  return as_str_take(&s);
}
