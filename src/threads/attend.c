/* Thread graphs of two chained products over a loop (attention and its kin): each warp has rows of
 * its own, the scores of a tile of keys stay in its registers from one product to the next, the
 * running maximum and the row sums beside them.  The scores' accumulator becomes the second
 * product's operand by renaming registers, or not at all. */
#include "attend.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { /* register, lane and warp bits along one of two axes */
  const as_plan_axis *axis;
  unsigned from; /* its bit */
  unsigned n;
} along;

static bool fail(as_attend_builder *B, const char *why) {
  return as_plan_fail(B->p, why);
}

int as_attend_value(as_attend_builder *B, const char *stem, unsigned i) {
  char name[24];
  snprintf(name, sizeof name, "%s%u", stem, i);
  return as_tg_value(B->g, name);
}

/* --- layouts */
static void push_along(as_lay *l, const along *a) {
  for (unsigned i = 0; i < a->n; i++)
    as_lay_push_at(l, a->axis->name, 1u << (a->from + i));
}

static void push_fragment(as_lay *l, const as_lay *fragment, const char *dim,
                          const char *const own[2], const as_plan_axis *const axis[2]) {
  uint32_t cols[AS_LAY_BITS];
  unsigned n = as_lay_cols(fragment, dim, cols);
  for (unsigned i = 0; i < n; i++) {
    uint32_t first = as_lay_part(fragment, own[0], cols[i]);
    uint32_t second = as_lay_part(fragment, own[1], cols[i]);
    as_lay_push_at(l, axis[first ? 0 : 1]->name, first ? first : second);
  }
}

/* a fragment grown to the tile: own: the fragment's names of the two axes; then register bits */
static as_lay grown(const as_attend_builder *B, const as_lay *fragment, const char *first,
                    const as_plan_axis *x, const char *second, const as_plan_axis *y,
                    const along *registers, unsigned n, bool rows_by_warp) {
  const char *const own[2] = {first, second};
  const as_plan_axis *const axis[2] = {x, y};
  along warps = {&B->T.row, 4 + B->copies, B->warps};
  as_lay l = as_lay_new();
  as_lay_add_out(&l, x->name, x->bits);
  as_lay_add_out(&l, y->name, y->bits);
  as_lay_add_in(&l, "reg");
  push_fragment(&l, fragment, "reg", own, axis);
  for (unsigned i = 0; i < n; i++)
    push_along(&l, &registers[i]);
  as_lay_add_in(&l, "lane");
  push_fragment(&l, fragment, "lane", own, axis);
  as_lay_add_in(&l, "warp");
  if (rows_by_warp)
    push_along(&l, &warps);
  for (unsigned i = 0; i < B->warps && !rows_by_warp; i++)
    as_lay_push(&l, 0);
  return l;
}

static bool layouts(as_attend_builder *B) {
  const as_isa_product *x = &B->row->product;
  const as_lay *fa = as_isa_layout(B->row, x->first);
  const as_lay *fb = as_isa_layout(B->row, x->second);
  const as_lay *fc = as_isa_layout(B->row, x->result);
  const as_attend *T = &B->T;
  along rows = {&T->row, 4, B->copies};
  along key8 = {&T->key, 3, T->key.bits - 3};
  along key16 = {&T->key, 4, T->key.bits - 4};
  along depth16 = {&T->depth, 4, T->depth.bits - 4};
  along columns = {&T->column, 3, T->column.bits - 3};
  B->query = grown(B, fa, x->row, &T->row, x->over, &T->depth, (along[]){depth16, rows}, 2, true);
  B->keys =
      grown(B, fb, x->over, &T->depth, x->column, &T->key, (along[]){key8, depth16}, 2, false);
  B->score = grown(B, fc, x->row, &T->row, x->column, &T->key, (along[]){key8, rows}, 2, true);
  B->weight = grown(B, fa, x->row, &T->row, x->over, &T->key, (along[]){key16, rows}, 2, true);
  B->values =
      grown(B, fb, x->over, &T->key, x->column, &T->column, (along[]){columns, key16}, 2, false);
  B->result =
      grown(B, fc, x->row, &T->row, x->column, &T->column, (along[]){columns, rows}, 2, true);
  if (B->query.bad || B->keys.bad || B->score.bad || B->weight.bad || B->values.bad ||
      B->result.bad)
    return fail(B, "a tile too large");
  return true;
}

/* --- tiles */
static const as_plan_axis *axis_of(const as_attend *T, int32_t index) {
  return index == AS_ATTEND_ROW ? &T->row : index == AS_ATTEND_COLUMN ? &T->column : NULL;
}

/* the axes of a load: `key` and `depth` are the names that its term has for them */
static const as_atom *atom_of(const as_attend_builder *B, as_node_id load) {
  const as_terms *t = B->p->t;
  for (uint32_t i = as_terms_atoms(t); i-- > 0;) {
    const as_atom *a = as_term_atom(t, i);
    bool own = true; /* before the store's axes were renamed it was another atom */
    if (a->kind != AS_ATOM_LOAD || a->node != load)
      continue;
    for (uint32_t d = 0; d < a->n; d++) {
      own = own && (a->index[d] == AS_INDEX_ZERO || a->index[d] < 0 || axis_of(&B->T, a->index[d]));
    }
    if (own)
      return a;
  }
  return NULL;
}

/* the tile of a load whose axes are `free` (a row or a column, or NULL) and bound ones in the order
 * of the extents */
static bool load_tile(as_attend_builder *B, as_node_id load, const as_plan_axis *bound_first,
                      const as_plan_axis *bound_second, unsigned *out) {
  const as_plan_axis *axis[AS_MAX_RANK] = {NULL};
  const as_atom *a = atom_of(B, load);
  int32_t first = AS_INDEX_ZERO;
  if (!a)
    return fail(B, "a load that is read at other indices");
  for (uint32_t d = 0; d < a->n; d++) { /* inner folds have the higher names: -1 before -2 */
    if (a->index[d] < 0 && (first == AS_INDEX_ZERO || a->index[d] > first))
      first = a->index[d];
  }
  bool row_seen = false;
  for (uint32_t d = a->n; d-- > 0;) {
    if (a->index[d] == AS_INDEX_ZERO) {
      if (load == B->T.query && B->T.row.index == AS_INDEX_ZERO && !row_seen) {
        axis[d] = &B->T.row; /* a single row, padded */
        row_seen = true;
      }
      continue;
    }
    axis[d] = a->index[d] == first ? bound_first : axis_of(&B->T, a->index[d]);
    if (a->index[d] < 0 && a->index[d] != first)
      axis[d] = bound_second;
  }
  return as_plan_named_tile(B->p, B->g, load, axis, out);
}

/* of an element that belongs to a row and a key, or to one of them */
bool as_attend_tile(as_attend_builder *B, as_node_id load, unsigned *out) {
  return load_tile(B, load, &B->T.key, NULL, out);
}

static bool tiles(as_attend_builder *B) {
  const as_attend *T = &B->T;
  unsigned keys;
  unsigned values;
  return load_tile(B, T->keys, &T->depth, &T->key, &keys) &&
         load_tile(B, T->values, &T->key, NULL, &values) &&
         as_ring_stream_new(B->p, B->g, keys, T->keys, &B->stream[0]) &&
         as_ring_stream_new(B->p, B->g, values, T->values, &B->stream[1]);
}

/* who copies the tiles and who multiplies them, and with that the ring that they pass through */
static bool place_ring(as_attend_builder *B, bool *bulk) {
  *bulk = true;
  for (unsigned i = 0; i < 2; i++)
    *bulk = *bulk && as_ring_can_bulk(B->p, &B->g->tile[B->stream[i].tile], &B->stream[i].ring);
  B->group = *bulk && as_attend_group(B);
  B->p->least_stages = B->group ? AS_TARGET_GROUP_STAGES : 0;
  if (!as_ring_place(B->p, B->g, B->stream, 2))
    return false;
  as_attend_order(B);
  B->group = B->group && as_attend_group_has_stages(B);
  bool handed = B->group && B->fits_handed && !B->shares;
  if (!B->fits && !handed)
    return fail(B, "scores and results of too many registers");
  if (handed) {
    const as_target *gpu = B->p->o->gpu ? B->p->o->gpu : as_target_default();
    as_target_registers r = as_target_hand_over(gpu, 1u << B->warps);
    B->g->compute_registers = (int)r.compute;
    B->g->copy_registers = (int)r.copy;
  }
  return true;
}

/* --- maps of registers */
static as_lay registers(const char *in, unsigned out) {
  as_lay l = as_lay_new();
  as_lay_add_out(&l, in, out);
  return l;
}

/* the row value's register of each register of a value that lies as `lay` says */
static as_lay rows_of(const as_attend_builder *B, const as_lay *lay) {
  uint32_t cols[AS_LAY_BITS];
  unsigned n = as_lay_cols(lay, "reg", cols);
  unsigned next = 0;
  as_lay l = registers("reg", 1 + B->copies);
  as_lay_add_in(&l, "reg");
  for (unsigned i = 0; i < n; i++) {
    bool row = as_lay_part(lay, B->T.row.name, cols[i]) != 0;
    as_lay_push(&l, row ? 1u << next++ : 0);
  }
  return l;
}

static void split_bits(const as_attend_builder *B, const as_lay *lay, as_lay *rows,
                       as_lay *others) {
  uint32_t cols[AS_LAY_BITS];
  unsigned n = as_lay_cols(lay, "reg", cols);
  *rows = registers("reg", n);
  *others = registers("reg", n);
  as_lay_add_in(rows, "reg");
  as_lay_add_in(others, "k");
  for (unsigned i = 0; i < n; i++) {
    bool row = as_lay_part(lay, B->T.row.name, cols[i]) != 0;
    as_lay_push(row ? rows : others, 1u << i);
  }
}

/* v = an expression of the score (registers as `lay`), the maximum of its row and, after the loop,
 * the sums.  Which value each atom is: */
typedef struct {
  uint32_t atom[AS_TG_ARGS];
  int value[AS_TG_ARGS];
  bool of_row[AS_TG_ARGS];       /* one number a row */
  const as_lay *map[AS_TG_ARGS]; /* which of its registers each element takes; NULL: its own */
  unsigned n;
} arguments;

/* where an element lies that is computed: of a row and a key, or of a row and a column */
static bool place_of(as_attend_builder *B, as_tg_op *in, uint32_t atom, const as_lay *lay,
                     int *out) {
  const as_attend *T = &B->T;
  const as_terms *t = B->p->t;
  const as_atom *a = as_term_atom(t, atom);
  as_place_axis axis[3] = {{AS_ATTEND_ROW, T->row.name}};
  unsigned n = 1;
  if (!lay)
    return fail(B, "a place in a number of rows");
  if (lay == &B->result)
    axis[n++] = (as_place_axis){AS_ATTEND_COLUMN, T->column.name};
  /* keys are bound, under the one name that the fold over them gives */
  for (int32_t bound = -1; lay == &B->score && bound >= -AS_ATTEND_DEEPEST; bound--) {
    if (!(a->kind == AS_ATOM_COND ? as_poly_uses_index(t, a->p, bound) : a->index[0] == bound))
      continue;
    if (n == 2)
      return fail(B, "a place along two bound axes");
    axis[n++] = (as_place_axis){bound, T->key.name};
  }
  *out = as_attend_value(B, "place", B->n_place++);
  return as_place_value(B->p, B->g, in, atom, lay, axis, n, *out);
}

static bool argument_of(as_attend_builder *B, as_tg_op *in, uint32_t atom, const as_lay *lay,
                        arguments *a) {
  const as_attend *T = &B->T;
  as_atom_kind kind = as_term_atom(B->p->t, atom)->kind;
  for (unsigned i = 0; i < a->n; i++) {
    if (a->atom[i] == atom)
      return true;
  }
  if (a->n == AS_TG_ARGS)
    return fail(B, "an expression of too many values");
  a->atom[a->n] = atom;
  a->of_row[a->n] = false;
  a->map[a->n] = NULL;
  a->value[a->n] = -1;
  if (kind == AS_ATOM_PLACE || kind == AS_ATOM_COND)
    return place_of(B, in, atom, lay, &a->value[a->n++]);
  for (unsigned i = 0; i < T->n_score; i++) {
    if (T->score[i] == atom)
      a->value[a->n] = B->score_value;
  }
  for (unsigned i = 0; i < T->n_element && lay == &B->score; i++) {
    unsigned first = as_attend_element_first(T, i);
    if (T->element[i].atom != atom)
      continue;
    a->value[a->n] = B->element_value[first];
    a->map[a->n] = &B->element_map[first];
  }
  if (atom == T->run_atom) {
    a->value[a->n] = B->maximum;
    a->of_row[a->n] = true;
  }
  for (unsigned i = 0; i < T->n_sum; i++) {
    if (T->sum[i].atom != atom)
      continue;
    a->value[a->n] = B->result_value[i];
    a->of_row[a->n] = !T->sum[i].product;
  }
  return a->value[a->n++] >= 0 || fail(B, "an expression of something else than scores and sums");
}

static bool collect(as_attend_builder *B, as_tg_op *in, as_poly x, const as_lay *lay,
                    arguments *a) {
  const as_terms *t = B->p->t;
  for (uint32_t i = 0; i < as_poly_monos(t, x); i++) {
    const as_mono *m = as_poly_mono(t, x, i);
    for (uint32_t k = 0; k < m->n; k++) {
      const as_atom *f = as_term_atom(t, m->factor[k].atom);
      bool ok;
      if (f->kind < AS_ATOM_EXP)
        ok = argument_of(B, in, m->factor[k].atom, lay, a);
      else
        ok = (f->p == AS_POLY_NONE || collect(B, in, f->p, lay, a)) &&
             (f->q == AS_POLY_NONE || collect(B, in, f->q, lay, a));
      if (!ok)
        return false;
    }
  }
  return true;
}

/* lay NULL: a value of rows */
static bool expression(as_attend_builder *B, as_tg_op *in, as_poly x, const as_lay *lay,
                       as_dtype type, int v) {
  arguments a = {.n = 0};
  unsigned bits = lay ? as_lay_in(lay, "reg", NULL) : 1 + B->copies;
  if (!collect(B, in, x, lay, &a))
    return false;
  if (!a.n)
    return fail(B, "a constant");
  as_tg_op *map = as_tg_add(B->g, in, AS_TG_MAP, 'c');
  map->v = v;
  map->type = (int)type;
  map->bits = (int)bits;
  map->n_arg = (int)a.n;
  for (unsigned i = 0; i < a.n; i++) {
    if (!lay && !a.of_row[i])
      return fail(B, "a result of rows that depends on columns");
    map->arg[i] = a.value[i];
    map->arg_map[i] = a.map[i]             ? *a.map[i]
                      : lay && a.of_row[i] ? rows_of(B, lay)
                                           : as_lay_identity("reg", "reg", bits);
  }
  map->expr = as_term_expr(B->g, B->p->t, x, a.atom, a.n);
  return map->expr || fail(B, "an expression that a thread cannot compute alone");
}

/* --- the body */
static as_tg_op *update(as_attend_builder *B, as_tg_op *in, as_tg_kind kind, int v, int a,
                        const as_lay *src) {
  as_tg_op *op = as_tg_add(B->g, in, kind, 'c');
  op->v = v;
  op->a = a;
  op->src = *src;
  return op;
}

static as_tg_op *zero(as_attend_builder *B, as_tg_op *in, int v, unsigned bits, as_tg_fold fold) {
  as_tg_op *op = as_tg_add(B->g, in, AS_TG_ZERO, 'c');
  op->v = v;
  op->bits = (int)bits;
  op->fold = fold;
  return op;
}

/* fragments: how many copies along the instruction's column, the fold and its row */
static void multiply(as_attend_builder *B, as_tg_op *in, int c, int a, int b, unsigned columns,
                     unsigned folds) {
  as_tg_op *op = as_tg_add(B->g, in, AS_TG_MMA, 'c');
  op->instr = as_arena_strdup(B->g->mem, B->row->name);
  op->v = c;
  op->a = a;
  op->b = b;
  op->ga = registers("g", folds + B->copies);
  op->gb = registers("g", columns + folds);
  op->gc = registers("g", columns + B->copies);
  as_lay_add_in(&op->ga, "u");
  as_lay_add_in(&op->gb, "u");
  as_lay_add_in(&op->gc, "u");
  for (unsigned i = 0; i < columns + folds + B->copies; i++) {
    bool column = i < columns;
    bool fold = !column && i < columns + folds;
    unsigned row = i - columns - folds;
    as_lay_push(&op->ga, column ? 0 : fold ? 1u << (i - columns) : 1u << (folds + row));
    as_lay_push(&op->gb, column || fold ? 1u << i : 0);
    as_lay_push(&op->gc, column ? 1u << i : fold ? 0 : 1u << (columns + row));
  }
}

static void fold_lanes(as_attend_builder *B, as_tg_op *in, int v, as_tg_fold fold) {
  uint32_t cols[AS_LAY_BITS];
  unsigned n = as_lay_cols(&B->score, "lane", cols);
  for (unsigned i = 0; i < n; i++) {
    if (as_lay_part(&B->score, B->T.row.name, cols[i]))
      continue;
    as_tg_op *op = as_tg_add(B->g, in, AS_TG_SHFL, 'c');
    op->v = v;
    op->fold = fold;
    op->lanes = 1 << i;
  }
}

static int fold_keys(as_attend_builder *B, as_tg_op *in, int x, as_tg_fold fold, const char *stem,
                     unsigned which) {
  as_tg_op *red = as_tg_add(B->g, in, AS_TG_RED, 'c');
  red->v = as_attend_value(B, stem, which);
  red->a = x;
  red->fold = fold;
  split_bits(B, &B->score, &red->src, &red->dst);
  return red->v;
}

static as_tg_expr *exp_of_difference(as_tg *g) {
  as_tg_expr *d = as_tg_expr_new(g, AS_TGS_SUB, as_tg_expr_arg(g, 0), as_tg_expr_arg(g, 1));
  return as_tg_expr_new(g, AS_TGS_EXP, d, NULL);
}

/* the running maximum of each row, and exp(old - new) */
static bool take_maximum(as_attend_builder *B, as_tg_op *in) {
  as_lay rows = as_lay_identity("reg", "reg", 1 + B->copies);
  int compared = B->score_value;
  const as_terms *t = B->p->t;
  bool plain = as_poly_monos(t, B->T.compared) == 1 && as_poly_mono(t, B->T.compared, 0)->n == 1;
  as_poly one = as_poly_int(B->p->t, 1);
  plain = plain && as_poly_mono(t, B->T.compared, 0)->coef == as_poly_mono(t, one, 0)->coef &&
          as_term_atom(t, as_poly_mono(t, B->T.compared, 0)->factor[0].atom)->kind == AS_ATOM_SUM;
  as_tg_op *of = in; /* where it is compared, and folded with it: fewer registers are left */
  if (!plain) {
    compared = as_attend_value(B, "compared", 0);
    of = as_attend_sure(B, in, B->T.compared);
    if (!expression(B, of, B->T.compared, &B->score, AS_F32, compared))
      return false;
  }
  int most = fold_keys(B, of, compared, AS_TG_MAXIMUM, "most", 0);
  fold_lanes(B, in, most, AS_TG_MAXIMUM);
  as_tg_op *was = as_tg_add(B->g, in, AS_TG_MAP, 'c');
  was->v = as_attend_value(B, "was", 0);
  was->type = AS_F32;
  was->bits = (int)(1 + B->copies);
  was->n_arg = 1;
  was->arg[0] = B->maximum;
  was->arg_map[0] = rows;
  was->expr = as_tg_expr_arg(B->g, 0);
  update(B, in, AS_TG_ACCMAX, B->maximum, most, &rows);
  as_tg_op *factor = as_tg_add(B->g, in, AS_TG_MAP, 'c');
  factor->v = B->old_factor = as_attend_value(B, "factor", 0);
  factor->type = AS_F32;
  factor->bits = (int)(1 + B->copies);
  factor->n_arg = 2;
  factor->arg[0] = was->v;
  factor->arg[1] = B->maximum;
  factor->arg_map[0] = factor->arg_map[1] = rows;
  factor->expr = exp_of_difference(B->g);
  return true;
}

/* the weight as operand of the second product: a renaming of the score's registers */
static bool as_operand(as_attend_builder *B, as_tg_op *in, int from, int to) {
  as_lay have = B->score;
  as_conv way = as_lay_conversion(&have, &B->weight);
  unsigned bits = as_lay_in(&B->weight, "reg", NULL);
  if (way.kind != AS_CONV_RENAME)
    return fail(B, "scores that do not lie as the second product wants them");
  as_tg_op *map = as_tg_add(B->g, in, AS_TG_MAP, 'c');
  map->v = to;
  map->type = (int)B->p->type;
  map->bits = (int)bits;
  map->n_arg = 1;
  map->arg[0] = from;
  map->arg_map[0] = registers("reg", as_lay_in(&have, "reg", NULL));
  as_lay_add_in(&map->arg_map[0], "reg");
  for (unsigned i = 0; i < bits; i++)
    as_lay_push(&map->arg_map[0], way.reg[i]);
  map->expr = as_tg_expr_arg(B->g, 0);
  return true;
}

static void add_sum(as_attend_builder *B, as_tg_op *in, unsigned i, int weight, int operand,
                    int values) {
  const as_attend_sum *x = &B->T.sum[i];
  as_lay rows = as_lay_identity("reg", "reg", 1 + B->copies);
  as_lay spread = rows_of(B, &B->result);
  if (x->rescaled)
    update(B, in, AS_TG_RESCALE, B->result_value[i], B->old_factor, x->product ? &spread : &rows);
  if (x->product) {
    if (!B->group)
      multiply(B, in, B->result_value[i], operand, values, B->T.column.bits - 3, B->T.key.bits - 4);
    return;
  }
  int part = fold_keys(B, in, weight, AS_TG_SUM, "part", i);
  update(B, in, AS_TG_ACCADD, B->result_value[i], part, &rows);
}

/* values of weights and of operands of products, by sum: those of one term are one */
static void name_weights(as_attend_builder *B, int *weight, int *operand) {
  const as_attend *T = &B->T;
  for (unsigned i = 0; i < T->n_sum; i++) {
    weight[i] = operand[i] = -1;
    for (unsigned k = 0; k < i; k++) {
      if (T->sum[k].weight == T->sum[i].weight) {
        weight[i] = weight[k];
        operand[i] = operand[i] < 0 ? operand[k] : operand[i];
      }
    }
    if (weight[i] < 0)
      weight[i] = as_attend_value(B, "weight", i);
    if (T->sum[i].product && operand[i] < 0)
      operand[i] = as_attend_value(B, "operand", i);
  }
}

static bool is_first(const int *of, unsigned i) {
  for (unsigned k = 0; k < i; k++) {
    if (of[k] == of[i])
      return false;
  }
  return of[i] >= 0;
}

static bool make_weights(as_attend_builder *B, as_tg_op *in, const int *weight,
                         const int *operand) {
  const as_attend *T = &B->T;
  for (unsigned i = 0; i < T->n_sum; i++) {
    as_poly term = T->sum[i].weight;
    if (is_first(weight, i) &&
        !expression(B, as_attend_sure(B, in, term), term, &B->score, AS_F32, weight[i]))
      return false;
    if (!B->group && is_first(operand, i) && !as_operand(B, in, weight[i], operand[i]))
      return false;
  }
  return true;
}

static bool body(as_attend_builder *B, as_tg_op *in) {
  as_attend *T = &B->T;
  int keys = as_attend_value(B, "keys", 0);
  int values = as_attend_value(B, "values", 0);
  int weight[AS_ATTEND_SUMS];
  int operand[AS_ATTEND_SUMS];
  if (!B->group &&
      !as_select_load(B->p, B->g, in, &B->keys, B->stream[0].buf, &B->stream[0].ring, keys))
    return false;
  zero(B, in, B->score_value, as_lay_in(&B->score, "reg", NULL), AS_TG_SUM);
  name_weights(B, weight, operand);
  if (B->group)
    as_attend_group_scores(B, in, B->score_value, as_attend_value(B, "query", 0), operand);
  else
    multiply(B, in, B->score_value, as_attend_value(B, "query", 0), keys, T->key.bits - 3,
             T->depth.bits - 4);
  if ((T->run_atom != AS_NONE && !take_maximum(B, in)) || !make_weights(B, in, weight, operand))
    return false;
  for (unsigned i = 0; i < T->n_sum; i++) {
    if (!T->sum[i].product)
      add_sum(B, in, i, weight[i], -1, -1);
  }
  if (!B->group &&
      !as_select_load(B->p, B->g, in, &B->values, B->stream[1].buf, &B->stream[1].ring, values))
    return false;
  if (B->group)
    as_attend_group_land(B, in);
  for (unsigned i = 0; i < T->n_sum; i++) {
    if (T->sum[i].product)
      add_sum(B, in, i, weight[i], operand[i], values);
    if (B->group && is_first(operand, i) && !as_operand(B, in, weight[i], operand[i]))
      return false;
  }
  return true;
}

void as_attend_padding(const as_tg_tile *t, long *pred) {
  for (unsigned i = 0; i < t->n_axis; i++)
    pred[i] = t->axis[i].live != 1L << t->axis[i].bits ? t->axis[i].live : 0;
}

/* (reg, ..) -> (u, ..), the lowest `vec` register bits being one access's elements; outputs in the
 * tile's order */
static as_lay accesses(const as_lay *lay, const as_tg_tile *t, unsigned vec) {
  uint32_t cols[AS_LAY_BITS];
  const char *names[AS_TG_AXES];
  unsigned n_name = 0;
  for (unsigned i = 0; i < t->n_axis; i++) {
    if (t->axis[i].bits)
      names[n_name++] = t->axis[i].name;
  }
  as_lay l = as_lay_take(lay, names, n_name);
  unsigned n = as_lay_cols(&l, "reg", cols);
  as_lay r = as_lay_with(&l, "u", cols + vec, n - vec);
  return as_lay_with(&r, "reg", NULL, 0);
}

static bool begin(as_attend_builder *B) {
  const as_attend *T = &B->T;
  unsigned tile;
  if (!load_tile(B, T->query, &T->depth, NULL, &tile))
    return false;
  const as_tg_tile *t = &B->g->tile[tile];
  const as_tg_axis *depth = as_tg_find_axis(t, T->depth.name);
  if (!depth || depth->stride != 1)
    return fail(B, "a query that is not stored row by row");
  as_tg_op *op = as_tg_add(B->g, NULL, AS_TG_LDG, 'c');
  op->v = as_attend_value(B, "query", 0);
  op->tile = (int)tile;
  op->vec = 1;
  memcpy(op->vaxis, T->depth.name, sizeof op->vaxis);
  op->src = accesses(&B->query, t, 1);
  as_attend_padding(t, op->pred);
  B->score_value = as_attend_value(B, "score", 0);
  if (T->run_atom != AS_NONE) {
    as_tg_op *first = zero(B, NULL, as_attend_value(B, "maximum", 0), 1 + B->copies, AS_TG_MAXIMUM);
    B->maximum = first->v;
    first->begin = B->left_out;
  }
  for (unsigned i = 0; i < T->n_sum; i++) {
    unsigned bits = T->sum[i].product ? as_lay_in(&B->result, "reg", NULL) : 1 + B->copies;
    B->result_value[i] = zero(B, NULL, as_attend_value(B, "sum", i), bits, AS_TG_SUM)->v;
  }
  return true;
}

/* --- what follows the loop */
static bool store(as_attend_builder *B, const as_attend_store *s, unsigned which) {
  const as_attend *T = &B->T;
  const as_graph *graph = B->p->b->graph;
  const as_plan_axis *axis[AS_MAX_RANK] = {NULL};
  bool row_seen = false;
  unsigned tile;
  for (uint32_t d = graph->node[s->node].rank; d-- > 0;) {
    axis[d] = (int32_t)d == s->row                       ? &T->row
              : s->has_column && (int32_t)d == s->column ? &T->column
                                                         : NULL;
    if (!axis[d] && s->row == AS_INDEX_ZERO && !row_seen) {
      axis[d] = &T->row; /* of one row, padded */
      row_seen = true;
    }
  }
  if (!as_plan_named_tile(B->p, B->g, s->node, axis, &tile))
    return false;
  const as_tg_tile *t = &B->g->tile[tile];
  as_lay rows = as_lay_take(&B->result, (const char *[]){T->row.name}, 1);
  uint32_t cols[AS_LAY_BITS];
  unsigned n = as_lay_cols(&rows, "reg", cols);
  unsigned kept = 0;
  for (unsigned i = 0; i < n; i++) {
    if (cols[i])
      cols[kept++] = cols[i];
  }
  rows = as_lay_with(&rows, "reg", cols, kept);
  int result = as_attend_value(B, "result", which);
  if (!expression(B, NULL, s->want, s->has_column ? &B->result : NULL, t->type, result))
    return false;
  unsigned vec = s->has_column ? 1 : 0;
  as_tg_op *op = as_tg_add(B->g, NULL, AS_TG_STG, 'c');
  op->tile = (int)tile;
  op->a = result;
  op->vec = (int)vec;
  memcpy(op->vaxis, s->has_column ? T->column.name : T->row.name, sizeof op->vaxis);
  op->dst = accesses(s->has_column ? &B->result : &rows, t, vec);
  n = as_lay_cols(&op->dst, "lane", cols);
  for (unsigned i = 0; i < n; i++)
    op->lanes |= cols[i] ? 0 : 1 << i;
  as_attend_padding(t, op->pred);
  return true;
}

static bool finish(as_attend_builder *B) {
  for (unsigned i = 0; i < B->T.n_sum; i++) {
    if (!B->T.sum[i].product)
      fold_lanes(B, NULL, B->result_value[i], AS_TG_SUM);
  }
  for (unsigned i = 0; i < B->T.n_store; i++) {
    if (!store(B, &B->T.store[i], i))
      return false;
  }
  return true;
}

static bool copied(as_attend_builder *B) {
  as_tg *g = B->g;
  int n = g->stages;
  if (!begin(B))
    return false;
  as_tg_op *first = as_tg_add(g, NULL, AS_TG_LOOP, 'c');
  first->count = n - 1;
  for (unsigned i = 0; i < 2; i++)
    as_ring_copy(g, first, B->stream[i].tile, B->stream[i].buf, &B->stream[i].ring, 0);
  as_tg_add(g, first, AS_TG_COMMIT, 'c');
  as_tg_op *main = as_tg_add(g, NULL, AS_TG_LOOP, 'c');
  main->count = (int)B->p->trip;
  main->cut = g->limit != NULL;
  if (!as_attend_elements(B, main))
    return false;
  as_tg_add(g, main, AS_TG_WAITG, 'c')->count = n - 2;
  as_tg_add(g, main, AS_TG_BAR, 'a');
  for (unsigned i = 0; i < 2; i++)
    as_ring_copy(g, main, B->stream[i].tile, B->stream[i].buf, &B->stream[i].ring, n - 1);
  as_tg_add(g, main, AS_TG_COMMIT, 'c');
  return body(B, main);
}

static bool by_producer(as_attend_builder *B) {
  as_tg *g = B->g;
  as_ring_produce(B->p, g, B->stream, 2);
  if (!begin(B))
    return false;
  as_tg_op *main = as_tg_add(g, NULL, AS_TG_LOOP, 'c');
  main->count = (int)B->p->trip;
  main->cut = g->limit != NULL;
  if (!as_attend_elements(B, main))
    return false;
  as_tg_add(g, main, AS_TG_MBWAIT, 'c')->bar = 0;
  if (!body(B, main))
    return false;
  if (B->group)
    as_attend_group_end(B);
  else
    as_ring_give_back(g, main);
  return true;
}

/* 16 rows a warp; more where there are more rows than warps, or than are asked for */
static bool share(as_attend_builder *B) {
  as_select_way way;
  if (!as_select_product(B->p->isa, B->T.row.bits, B->T.key.bits, B->p->type, &way))
    return fail(B, "no instruction of the target computes the product");
  B->row = way.row;
  as_target_chained shared = as_target_chain(
      (double)(1u << B->T.row.bits), (double)(1u << B->T.depth.bits), (double)(1u << B->T.key.bits),
      (double)(1u << B->T.column.bits), as_attend_element_bytes(B), (uint32_t)B->p->o->warps);
  if (!shared.fits && !shared.fits_handed)
    return fail(B, "scores and results of too many registers");
  B->fits = shared.fits;
  B->fits_handed = shared.fits_handed;
  B->shares = shared.shares;
  B->warps = B->copies = 0;
  while (1u << B->warps < shared.warps)
    B->warps++;
  while (1u << B->copies < shared.copies)
    B->copies++;
  B->g->warp_bits = B->warps;
  return true;
}

as_tg *as_plan_attend(as_plan *p) {
  as_attend_builder B = {.p = p};
  if (!as_attend_read(p, &B.T))
    return NULL;
  B.g = as_tg_new(p->b->graph->block[p->b->block].name);
  B.g->trip = (int)p->trip;
  bool bulk = false;
  as_attend_cut(&B);
  bool ok = share(&B) && layouts(&B) && tiles(&B) && place_ring(&B, &bulk);
  ok = ok && (bulk ? by_producer(&B) : copied(&B)) && finish(&B);
  if (ok)
    return B.g;
  as_tg_free(B.g);
  return NULL;
}
