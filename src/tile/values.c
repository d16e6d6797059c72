/* Tile programs of loops that carry sums, as values: loads, calls, and what loops have summed up.
 */
#include "blocks_int.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>

bool tv_fail(const tv_program *p, const as_tile_stmt *stmt, const char *what) {
  return as_err_set(p->err, AS_BAD_INPUT, "line %d%s: %s", stmt->line,
                    p->rewritten ? " of the text as operators (--trace=search)" : "", what);
}

/* ---- sizes and places */
static as_size size_of_name(const tv_program *p, const as_tile_scalar *scalar) {
  if (scalar->meaning == AS_TILE_IS_SIZE)
    return tv_tied(p, (as_size)scalar->id);
  if (scalar->meaning != AS_TILE_IS_INTEGER)
    return AS_SIZE_BAD;
  for (uint32_t i = 0; i < p->loops.n; i++) {
    const tv_loop *loop = TV_LOOP(p, i);
    if (loop->stmt->slot == scalar->id)
      return as_size_mul(p->given->sizes, loop->variable, loop->step);
  }
  return AS_SIZE_BAD;
}

as_size tv_tied(const tv_program *p, as_size size) {
  for (uint32_t i = 0; i < p->ties.n && size != AS_SIZE_BAD; i++) {
    const tv_tie *tie = &AS_VEC_AT(&p->ties, tv_tie, i);
    size = as_size_subst(p->given->sizes, size, tie->own, tie->given);
  }
  return size;
}

/* The least of a tile's extent and of what is left of the loop that goes by it is the extent: a
 * block graph has whole tiles. */
static as_size whole_tile(const tv_program *p, as_size tile, as_size left) {
  as_sizes *sizes = p->given->sizes;
  for (uint32_t i = 0; i < p->loops.n; i++) {
    const tv_loop *loop = TV_LOOP(p, i);
    as_size start = as_size_mul(sizes, loop->variable, loop->step);
    as_size end = as_size_mul(sizes, loop->count, loop->step);
    if (tile == loop->step && as_size_mentions(sizes, left, loop->variable) &&
        (as_size_add(sizes, left, start) == tv_size(p, loop->stmt->to) ||
         as_size_add(sizes, left, start) == end))
      return tile;
  }
  return AS_SIZE_BAD;
}

as_size tv_size(const tv_program *p, const as_tile_scalar *scalar) {
  as_sizes *sizes = p->given->sizes;
  if (scalar->text->kind == AS_E_NAME)
    return size_of_name(p, scalar);
  if (scalar->text->kind == AS_E_NUM) {
    bool whole = mpz_cmp_ui(mpq_denref(scalar->text->num), 1) == 0 &&
                 mpz_fits_slong_p(mpq_numref(scalar->text->num));
    return whole ? as_size_int(sizes, mpz_get_si(mpq_numref(scalar->text->num))) : AS_SIZE_BAD;
  }
  if (scalar->n == 1 && scalar->text->kind == AS_E_NEG)
    return as_size_sub(sizes, as_size_int(sizes, 0), tv_size(p, scalar->kid[0]));
  if (scalar->n != 2)
    return AS_SIZE_BAD;
  as_size a = tv_size(p, scalar->kid[0]);
  as_size b = tv_size(p, scalar->kid[1]);
  if (a == AS_SIZE_BAD || b == AS_SIZE_BAD)
    return AS_SIZE_BAD;
  switch (scalar->text->kind) {
  case AS_E_ADD:
    return as_size_add(sizes, a, b);
  case AS_E_SUB:
    return as_size_sub(sizes, a, b);
  case AS_E_MUL:
    return as_size_mul(sizes, a, b);
  case AS_E_IDIV:
    return as_size_div(sizes, a, b);
  case AS_E_MOD:
    return as_size_mod(sizes, a, b);
  case AS_E_MIN2: {
    as_size tile = whole_tile(p, a, b);
    return tile != AS_SIZE_BAD ? tile : whole_tile(p, b, a);
  }
  default:
    return AS_SIZE_BAD;
  }
}

/* how often the lane of this slot occurs in a position, as it is or in a sum; -1: otherwise too */
static int lanes_in(const as_tile_scalar *scalar, uint32_t slot) {
  bool name = scalar->text->kind == AS_E_NAME && scalar->meaning == AS_TILE_IS_INTEGER;
  if (name && scalar->id == slot)
    return 1;
  int n = 0;
  for (uint32_t i = 0; i < scalar->n; i++) {
    int inner = lanes_in(scalar->kid[i], slot);
    if (inner < 0 || (inner > 0 && scalar->text->kind != AS_E_ADD))
      return -1;
    n += inner;
  }
  return n;
}

/* a position without its lane, which is a summand: what is added to it, or 0 */
static as_size without_lane(const tv_program *p, const as_tile_scalar *scalar, uint32_t slot) {
  if (scalar->text->kind == AS_E_NAME && scalar->meaning == AS_TILE_IS_INTEGER &&
      scalar->id == slot)
    return as_size_int(p->given->sizes, 0);
  if (scalar->text->kind != AS_E_ADD)
    return tv_size(p, scalar);
  as_size a = without_lane(p, scalar->kid[0], slot);
  as_size b = without_lane(p, scalar->kid[1], slot);
  return a == AS_SIZE_BAD || b == AS_SIZE_BAD ? AS_SIZE_BAD : as_size_add(p->given->sizes, a, b);
}

/* the loops whose variables a start mentions, from the outside in, and whether it is their number
 * times the tile's extent */
static bool number_tiles(const tv_program *p, as_size start, uint32_t loop, tv_part *part) {
  as_sizes *sizes = p->given->sizes;
  uint32_t inner[TV_MOST_LOOPS];
  uint32_t n = 0;
  for (; loop != AS_NONE; loop = TV_LOOP(p, loop)->parent) {
    if (as_size_mentions(sizes, start, TV_LOOP(p, loop)->variable))
      inner[n++] = loop;
  }
  as_size number = as_size_int(sizes, 0);
  part->n = 0;
  if (n > TV_MOST_AXES)
    return false;
  while (n > 0) {
    const tv_loop *of = TV_LOOP(p, inner[--n]);
    part->loop[part->n++] = inner[n];
    number = as_size_add(sizes, as_size_mul(sizes, number, of->count), of->variable);
  }
  return start == as_size_mul(sizes, number, part->tile);
}

static uint32_t loop_around(const tv_program *p, const as_tile_stmt *stmt);

const tv_updated *tv_update_of(const tv_program *p, const as_tile_stmt *stmt) {
  for (uint32_t i = 0; i < p->updates.n; i++) {
    const tv_updated *update = &AS_VEC_AT(&p->updates, tv_updated, i);
    if (update->stmt == stmt)
      return update;
  }
  return NULL;
}

bool tv_read_axis(const tv_program *p, const as_tile_stmt *stmt, uint32_t d, uint32_t *lane,
                  tv_part *part, as_size *start) {
  const as_tile_scalar *x = stmt->place[d];
  bool here = *lane < stmt->n_lane;
  int times = here ? lanes_in(x, stmt->lane[*lane].slot) : 0;
  if (times < 0 || times > 1)
    return false;
  part->has_lane = times == 1;
  part->tile = times ? tv_size(p, stmt->lane[*lane].extent) : AS_SIZE_ONE;
  *start = times ? without_lane(p, x, stmt->lane[*lane].slot) : tv_size(p, x);
  *lane += (uint32_t)times;
  return part->tile != AS_SIZE_BAD && *start != AS_SIZE_BAD;
}

bool tv_place(const tv_program *p, const as_tile_stmt *stmt, tv_part *part) {
  uint32_t lane = 0;
  uint32_t loop = loop_around(p, stmt);
  const tv_updated *update = tv_update_of(p, stmt);
  if (stmt->mask)
    return false;
  for (uint32_t d = 0; d < stmt->n_place; d++) {
    as_size start;
    if (!tv_read_axis(p, stmt, d, &lane, &part[d], &start))
      return false;
    if (update && update->axis == d) {
      part[d].tile = tv_tied(p, p->program->tensor[stmt->tensor].dim[d]);
      start = as_size_int(p->given->sizes, 0);
    }
    if (!number_tiles(p, start, loop, &part[d]))
      return false;
  }
  return lane == stmt->n_lane;
}

bool tv_same_place(const tv_program *p, const as_tile_stmt *one, const as_tile_stmt *other) {
  tv_part a[AS_MAX_RANK];
  tv_part b[AS_MAX_RANK];
  bool same = one->tensor == other->tensor && tv_place(p, one, a) && tv_place(p, other, b);
  for (uint32_t d = 0; same && d < one->n_place; d++) {
    same = a[d].tile == b[d].tile && a[d].has_lane == b[d].has_lane && a[d].n == b[d].n &&
           memcmp(a[d].loop, b[d].loop, a[d].n * sizeof a[d].loop[0]) == 0;
  }
  return same;
}

bool tv_is_within(const tv_program *p, uint32_t loop, uint32_t outer) {
  for (; loop != AS_NONE; loop = TV_LOOP(p, loop)->parent) {
    if (loop == outer)
      return true;
  }
  return outer == AS_NONE;
}

/* ---- operators by their bodies */
static const as_expr *body_of(const tv_value *value) {
  const as_opdef *op = value->kind == TV_CALL ? value->expr->op : NULL;
  return op && op->nlet == 1 ? op->let[0].body : NULL;
}

bool tv_is_exponential(const tv_value *value) {
  const as_expr *body = body_of(value);
  return body && value->n_arg == 1 && body->kind == AS_E_EXP && body->kid[0]->kind == AS_E_ACCESS;
}

bool tv_sums_along(const tv_program *p, const tv_value *value, int *axis) {
  const as_expr *body = body_of(value);
  long number = 0;
  if (body == NULL || value->n_arg != 1 || body->kind != AS_E_SUM ||
      body->kid[1]->kind != AS_E_ACCESS || value->expr->op->nattrs == 0)
    return false;
  const as_tile_attr *given = &value->expr->attr[0];
  as_size size = given->scalar ? tv_size(p, given->scalar)
                 : given->number || !value->expr->op->attr_default[0].is_size
                     ? AS_SIZE_BAD
                     : value->expr->op->attr_default[0].size;
  bool known = size != AS_SIZE_BAD && as_size_is_const(p->given->sizes, size, &number);
  *axis = (int)number;
  return known;
}

bool tv_is_move(const tv_value *value) {
  const as_expr *body = body_of(value);
  return body && value->n_arg == 1 && body->kind == AS_E_ACCESS;
}

/* ---- statements */
static uint32_t loop_around(const tv_program *p, const as_tile_stmt *stmt) {
  for (uint32_t i = 0; i < p->loops.n; i++) {
    const tv_loop *loop = TV_LOOP(p, i);
    for (uint32_t k = 0; k < loop->stmt->n_body; k++) {
      if (loop->stmt->body[k] == stmt)
        return i;
    }
  }
  return AS_NONE;
}

uint32_t tv_add_value(tv_program *p, const tv_value *value) {
  as_vec_push(&p->values, value);
  return (uint32_t)p->values.n - 1;
}

/* the body of an operator of two operands that is this of both; which is the first, -1: none */
static int first_of_two(const as_opdef *op, as_ekind kind) {
  const as_expr *body = op && op->nlet == 1 && op->nargs == 2 ? op->let[0].body : NULL;
  bool both = body && body->kind == kind && body->kid[0]->kind == AS_E_ACCESS &&
              body->kid[1]->kind == AS_E_ACCESS &&
              strcmp(body->kid[0]->name, body->kid[1]->name) != 0;
  return both ? strcmp(body->kid[0]->name, op->arg[0].name) != 0 : -1;
}

static bool is_one(const tv_value *value) {
  return value->kind == TV_NUMBER && value->expr->kind == AS_TILE_NUMBER &&
         mpq_cmp_si(value->expr->number->num, 1, 1) == 0;
}

/* the operand that a product with 1 is, AS_NONE: it is no such product */
static uint32_t times_one(const tv_program *p, const tv_value *call) {
  if (first_of_two(call->expr->op, AS_E_MUL) < 0)
    return AS_NONE;
  return is_one(TV_VALUE(p, call->arg[0]))   ? call->arg[1]
         : is_one(TV_VALUE(p, call->arg[1])) ? call->arg[0]
                                             : AS_NONE;
}

static uint32_t add_expr(tv_program *p, const as_tile_stmt *stmt, const as_tile_expr *expr,
                         uint32_t loop) {
  tv_value value = {.kind = TV_OTHER, .stmt = stmt, .expr = expr, .loop = loop, .name = stmt->name};
  if (expr->kind == AS_TILE_NAMED && expr->meaning == AS_TILE_IS_TILE)
    return p->of_slot[expr->id];
  if (expr->kind == AS_TILE_NUMBER ||
      (expr->kind == AS_TILE_NAMED && expr->meaning == AS_TILE_IS_SIZE))
    value.kind = TV_NUMBER;
  if (expr->kind == AS_TILE_CALL) {
    value.kind = TV_CALL;
    value.n_arg = expr->n_arg;
    for (uint32_t i = 0; i < expr->n_arg; i++)
      value.arg[i] = add_expr(p, stmt, expr->arg[i], loop);
    uint32_t other = times_one(p, &value);
    if (other != AS_NONE)
      return other;
  }
  return tv_add_value(p, &value);
}

bool tv_is_zero(const as_tile_scalar *scalar) {
  return scalar->text->kind == AS_E_NUM && mpq_sgn(scalar->text->num) == 0;
}

uint32_t tv_add_total(tv_program *p, uint32_t loop, uint32_t state, uint32_t next,
                      const as_tile_stmt *shape, const char *name) {
  const tv_value *sum = TV_VALUE(p, next);
  if (sum->kind != TV_CALL || first_of_two(sum->expr->op, AS_E_ADD) < 0 ||
      (sum->arg[0] == state) == (sum->arg[1] == state))
    return AS_NONE;
  tv_value total = {.kind = TV_TOTAL,
                    .stmt = TV_LOOP(p, loop)->stmt,
                    .n_arg = 1,
                    .arg = {sum->arg[sum->arg[0] == state]},
                    .loop = TV_LOOP(p, loop)->parent,
                    .of = loop,
                    .shape = shape,
                    .name = name};
  TV_LOOP(p, loop)->sums = true;
  return tv_add_value(p, &total);
}

/* AS_NONE: what is carried is no sum from zeros, so that nothing but the loop may use it */
static uint32_t add_carried(tv_program *p, const as_tile_stmt *loop, uint32_t number,
                            const as_tile_carry *carry) {
  const as_tile_stmt *first =
      carry->first->kind == AS_TILE_NAMED && carry->first->meaning == AS_TILE_IS_TILE
          ? TV_VALUE(p, p->of_slot[carry->first->id])->stmt
          : NULL;
  uint32_t next = add_expr(p, loop, carry->next, number);
  bool zeros = first && first->kind == AS_TILE_MAKE && first->value && tv_is_zero(first->value);
  uint32_t total =
      zeros ? tv_add_total(p, number, p->of_slot[carry->slot], next, first, carry->name) : AS_NONE;
  tv_value other = {.kind = TV_OTHER,
                    .stmt = loop,
                    .loop = TV_LOOP(p, number)->parent,
                    .of = number,
                    .name = carry->name};
  return total != AS_NONE ? total : tv_add_value(p, &other);
}

static bool add_body(tv_program *p, as_tile_stmt *const *body, uint32_t n, uint32_t loop);

/* A size of the text by which tiles may be cut off at the end: block graphs have the tiles that
 * divide the extent, as many as there are. */
static as_size fresh_rounds(tv_program *p, as_size extent, as_size step) {
  as_graph *own = p->program->sizes;
  as_size count;
  bool declared = false;
  for (uint32_t i = 0; i < own->n_own_size; i++)
    declared = declared || own->own_size[i] == step;
  if (!declared || as_size_mentions(p->given->sizes, extent, step))
    return AS_SIZE_BAD;
  for (uint32_t i = 0; i < p->frees.n && p->how->alike; i++) {
    const tv_free *other = &AS_VEC_AT(&p->frees, tv_free, i);
    tv_tie tie = {step, other->step};
    if (other->extent == extent && other->step != step)
      as_vec_push(&p->ties, &tie);
    if (other->extent == extent)
      return other->count;
  }
  char *name = as_format("%s_n", as_size_name(p->given->sizes, step));
  for (uint32_t i = 2; as_size_find(p->given->sizes, name) != AS_SIZE_BAD; i++) {
    free(name);
    name = as_format("%s_n%u", as_size_name(p->given->sizes, step), i);
  }
  bool ok =
      as_graph_declare(own, name, 1, -1, &count, p->err) &&
      as_graph_where(own, extent, AS_REL_EQ, as_size_mul(p->given->sizes, count, step), p->err);
  free(name);
  if (!ok)
    return AS_SIZE_BAD;
  tv_free of = {extent, step, count};
  as_vec_push(&p->frees, &of);
  return count;
}

/* how many steps make up an extent: by division, a size of which a relation says so, or one of its
 * own */
static as_size rounds(tv_program *p, as_size extent, as_size step) {
  as_sizes *sizes = p->given->sizes;
  const as_graph *own = p->program->sizes;
  if (extent == AS_SIZE_BAD || step == AS_SIZE_BAD)
    return AS_SIZE_BAD;
  as_size quotient = as_size_div(sizes, extent, step);
  if (quotient != AS_SIZE_BAD && as_size_mul(sizes, quotient, step) == extent)
    return quotient;
  for (uint32_t i = 0; i < own->n_own_size; i++) {
    as_size made = as_size_mul(sizes, tv_tied(p, own->own_size[i]), step);
    if (made != AS_SIZE_BAD &&
        (as_graph_same_size(own, made, extent) || as_graph_same_size(p->given, made, extent)))
      return tv_tied(p, own->own_size[i]);
  }
  return fresh_rounds(p, extent, step);
}

static bool add_loop(tv_program *p, const as_tile_stmt *stmt, uint32_t parent) {
  as_sizes *sizes = p->given->sizes;
  if (p->loops.n == TV_MOST_LOOPS)
    return tv_fail(p, stmt, "more loops than are cut into kernels");
  if (!tv_is_zero(stmt->from))
    return tv_fail(p, stmt, "the loop does not start at 0");
  char *name = as_format("@%u", (unsigned)p->loops.n);
  tv_loop loop = {.stmt = stmt, .parent = parent, .variable = as_size_sym(sizes, name)};
  loop.sums = stmt->n_carry > 0;
  free(name);
  loop.step = stmt->step ? tv_size(p, stmt->step) : AS_SIZE_ONE;
  loop.count = rounds(p, tv_size(p, stmt->to), loop.step);
  if (loop.count == AS_SIZE_BAD)
    return tv_fail(p, stmt, "the number of iterations is no size of the program");
  loop.step = tv_tied(p, loop.step);
  uint32_t number = (uint32_t)p->loops.n;
  as_vec_push(&p->loops, &loop);
  tv_value state = {.kind = TV_OTHER, .stmt = stmt, .loop = number};
  for (uint32_t i = 0; i < stmt->n_carry; i++)
    p->of_slot[stmt->carry[i].slot] = tv_add_value(p, &state);
  as_vec before;
  tv_enter_loop(p, number, &before);
  bool ok = add_body(p, stmt->body, stmt->n_body, number);
  if (ok)
    tv_leave_loop(p, number, &before);
  as_vec_clear(&before);
  if (!ok)
    return false;
  uint32_t *total = as_malloc((stmt->n_carry + 1) * sizeof *total);
  for (uint32_t i = 0; i < stmt->n_carry; i++)
    total[i] = add_carried(p, stmt, number, &stmt->carry[i]);
  for (uint32_t i = 0; i < stmt->n_carry; i++)
    p->of_slot[stmt->carry[i].slot] = total[i];
  free(total);
  return true;
}

static bool add_body(tv_program *p, as_tile_stmt *const *body, uint32_t n, uint32_t loop) {
  for (uint32_t i = 0; i < n; i++) {
    const as_tile_stmt *stmt = body[i];
    tv_value made = {.kind = TV_OTHER, .stmt = stmt, .loop = loop, .name = stmt->name};
    bool ok = true;
    switch (stmt->kind) {
    case AS_TILE_LOOP:
      ok = add_loop(p, stmt, loop);
      break;
    case AS_TILE_STORE:
      ok = tv_add_store(p, stmt, loop);
      break;
    case AS_TILE_LET:
      p->of_slot[stmt->slot] = add_expr(p, stmt, stmt->expr, loop);
      break;
    case AS_TILE_LOAD:
      p->of_slot[stmt->slot] = tv_read_load(p, stmt, loop);
      break;
    case AS_TILE_MAKE:
      p->of_slot[stmt->slot] = tv_add_value(p, &made);
      break;
    case AS_TILE_ALLOC:
      p->stored_by[stmt->tensor] = AS_NONE;
      break;
    }
    if (!ok)
      return false;
  }
  return true;
}

/* ---- loads of what was stored */
bool tv_source(const tv_program *p, const tv_value *load, uint32_t *store) {
  const as_tile_tensor *tensor = &p->program->tensor[load->stmt->tensor];
  *store = load->source;
  if (*store == AS_NONE)
    return tensor->role == AS_TILE_INPUT || tensor->role == AS_TILE_INOUT ||
           tv_fail(p, load->stmt, "the tensor is not stored to before it is loaded");
  return !TV_STORE(p, *store)->is_state ||
         tv_fail(p, load->stmt, "the tensor is loaded between stores of other rounds to it");
}

static bool rename_to(const tv_program *p, uint32_t from, uint32_t to, tv_renaming *renaming) {
  if (from == to)
    return true;
  for (uint32_t i = 0; i < renaming->n; i++) {
    if (renaming->from[i] == from || renaming->to[i] == to)
      return renaming->from[i] == from && renaming->to[i] == to;
  }
  if (TV_LOOP(p, from)->count != TV_LOOP(p, to)->count || renaming->n == TV_MOST_AXES)
    return false;
  renaming->from[renaming->n] = from;
  renaming->to[renaming->n++] = to;
  return true;
}

static bool same_part(const tv_program *p, const tv_part *from, const tv_part *to,
                      tv_renaming *renaming) {
  bool same = from->tile == to->tile && from->has_lane == to->has_lane && from->n == to->n;
  for (uint32_t i = 0; same && i < from->n; i++)
    same = rename_to(p, from->loop[i], to->loop[i], renaming);
  return same;
}

/* which is large where its argument is: what is stored is better the argument, or nothing */
static bool is_stored_exponential(const tv_program *p, const tv_store *store) {
  const tv_value *value = TV_VALUE(p, store->value);
  while (tv_is_move(value))
    value = TV_VALUE(p, value->arg[0]);
  return tv_is_exponential(value);
}

bool tv_forwards(const tv_program *p, const tv_value *load, const tv_store **store,
                 tv_renaming *renaming) {
  uint32_t number = load->source;
  if (number == AS_NONE)
    return false;
  *store = TV_STORE(p, number);
  uint32_t loop = (*store)->loop;
  bool sums = loop != AS_NONE && TV_LOOP(p, loop)->sums;
  if (!sums && !(p->how->shifted && is_stored_exponential(p, *store)))
    return false;
  tv_part from[AS_MAX_RANK];
  tv_part to[AS_MAX_RANK];
  *renaming = (tv_renaming){.n = 0};
  bool same = (*store)->stmt->n_place == load->stmt->n_place && tv_place(p, (*store)->stmt, from) &&
              tv_place(p, load->stmt, to);
  for (uint32_t d = 0; same && d < load->stmt->n_place; d++)
    same = same_part(p, &from[d], &to[d], renaming);
  for (; same && loop != AS_NONE; loop = TV_LOOP(p, loop)->parent) {
    bool known = tv_is_within(p, load->loop, loop);
    for (uint32_t i = 0; i < renaming->n; i++)
      known = known || renaming->from[i] == loop;
    same = known;
  }
  return same;
}

bool tv_read(tv_program *p) {
  as_vec_init(&p->loops, sizeof(tv_loop));
  as_vec_init(&p->values, sizeof(tv_value));
  as_vec_init(&p->stores, sizeof(tv_store));
  as_vec_init(&p->cuts, sizeof(tv_cut));
  as_vec_init(&p->frees, sizeof(tv_free));
  as_vec_init(&p->ties, sizeof(tv_tie));
  as_vec_init(&p->updates, sizeof(tv_updated));
  p->of_slot = as_calloc(p->program->n_tiles + 1, sizeof *p->of_slot);
  p->stored_by = as_malloc((p->program->n_tensor + 1) * sizeof *p->stored_by);
  for (uint32_t i = 0; i < p->program->n_tensor; i++)
    p->stored_by[i] = AS_NONE;
  tv_tie_sizes(p);
  return add_body(p, p->program->body, p->program->n_body, AS_NONE) && tv_find_results(p);
}

void tv_clear(tv_program *p) {
  as_vec_clear(&p->loops);
  as_vec_clear(&p->values);
  as_vec_clear(&p->stores);
  as_vec_clear(&p->cuts);
  as_vec_clear(&p->frees);
  as_vec_clear(&p->ties);
  as_vec_clear(&p->updates);
  free(p->of_slot);
  free(p->stored_by);
  free(p->result);
  free(p->most);
  free(p->along);
}
