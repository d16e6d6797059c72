/* From a tile program to definitions: names, statements, reductions taken out of scalars. */
#include "flat_int.h"
#include "src/base/id.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool wr_fail(wr_maker *maker, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = as_format_va(format, arguments);
  va_end(arguments);
  as_err_set(maker->err, AS_BAD_INPUT, "%s, line %d of the tile program: %s", maker->tile->name,
             maker->line, text);
  free(text);
  return false;
}

/* ---- names, variables, tiles */

static bool is_taken(const wr_maker *maker, const char *name) {
  for (const char *const *word = maker->taken; *word; word++) {
    if (strcmp(*word, name) == 0)
      return true;
  }
  return false;
}

const char *wr_fresh(wr_maker *maker, const char *wish) {
  char *name = as_strdup(wish);
  for (int k = 2; is_taken(maker, name) || as_intern_find(&maker->names, name) != AS_NONE; k++) {
    free(name);
    name = as_format("%s_%d", wish, k);
  }
  as_intern_string(&maker->names, name);
  const char *kept = as_arena_strdup(maker->program->mem, name);
  free(name);
  return kept;
}

uint32_t wr_new_var(wr_maker *maker, const char *wish, int64_t low, int64_t high) {
  wr_var made = {wr_fresh(maker, wish), low, high};
  as_vec_push(&maker->program->var, &made);
  return (uint32_t)maker->program->var.n - 1;
}

uint32_t wr_new_lane(wr_maker *maker, const char *wish, const wr_expr *extent) {
  int64_t low;
  int64_t high;
  if (!wr_range(maker->program, extent, &low, &high)) {
    wr_fail(maker, "an extent has no bound that is known before the program runs");
    return AS_NONE;
  }
  return wr_new_var(maker, wish, 0, high > 0 ? high - 1 : 0);
}

uint32_t wr_new_tile(wr_maker *maker, const char *wish, uint32_t rank, wr_expr *const *extent) {
  wr_tile made = {.rank = rank, .type = AS_TILE_F32};
  for (uint32_t i = 0; i < rank; i++) {
    int64_t low;
    made.extent[i] = extent[i];
    if (!wr_range(maker->program, extent[i], &low, &made.bound[i])) {
      wr_fail(maker, "an extent of `%s` has no bound that is known before the program runs", wish);
      return AS_NONE;
    }
  }
  made.name = wr_fresh(maker, wish);
  as_vec_push(&maker->program->tile, &made);
  return (uint32_t)maker->program->tile.n - 1;
}

static wr_stmt *new_stmt(wr_maker *maker, wr_stmt_kind kind) {
  wr_stmt *made = as_arena_alloc(maker->program->mem, sizeof *made);
  made->kind = kind;
  made->fold = AS_E_NUM;
  as_vec_init(&made->first, sizeof(wr_stmt *));
  as_vec_init(&made->carry, sizeof(wr_carry));
  as_vec_init(&made->body, sizeof(wr_stmt *));
  return made;
}

static void add(wr_maker *maker, wr_stmt *stmt) {
  as_vec_push(maker->into, &stmt);
}

/* ---- definitions */

static bool is_fold(const wr_expr *expr) {
  return expr->kind == AS_E_SUM || expr->kind == AS_E_PROD || expr->kind == AS_E_MAXR ||
         expr->kind == AS_E_MINR;
}

/* the variables around a reduction that it can depend on: lanes of its definition, and counters of
 * the reductions that it stands in */
typedef struct {
  uint32_t n;
  uint32_t var[AS_MAX_RANK];
  wr_expr *extent[AS_MAX_RANK];
} around;

static wr_expr *without_folds(wr_maker *maker, wr_expr *expr, const around *lanes);

/* A reduction as a tile of its own, over those variables around that occur in it. */
static wr_expr *taken_out(wr_maker *maker, wr_expr *fold, const around *lanes) {
  as_vec used;
  as_vec_init(&used, sizeof(uint32_t));
  wr_variables(fold, &used);
  around own = {0};
  wr_expr *index[AS_MAX_RANK];
  for (uint32_t i = 0; i < lanes->n; i++) {
    bool occurs = false;
    for (size_t k = 0; k < used.n; k++)
      occurs = occurs || AS_VEC_AT(&used, uint32_t, k) == lanes->var[i];
    if (!occurs)
      continue;
    index[own.n] = wr_name(maker, lanes->var[i]);
    own.var[own.n] = lanes->var[i];
    own.extent[own.n++] = lanes->extent[i];
  }
  as_vec_clear(&used);
  uint32_t tile = wr_define(maker, "part", own.n, own.var, own.extent, fold);
  if (tile == AS_NONE)
    return NULL;
  wr_expr *made = wr_new(maker, AS_E_ACCESS, own.n, index);
  made->id = tile;
  made->integer = WR_TILE(maker->program, tile)->integers;
  return made;
}

static wr_expr *without_folds(wr_maker *maker, wr_expr *expr, const around *lanes) {
  if (is_fold(expr))
    return taken_out(maker, expr, lanes);
  wr_expr *copy = expr;
  for (uint32_t i = 0; i < expr->n; i++) {
    wr_expr *kid = without_folds(maker, expr->kid[i], lanes);
    if (!kid)
      return NULL;
    if (kid != expr->kid[i] && copy == expr) {
      copy = as_arena_alloc(maker->program->mem, sizeof *copy);
      *copy = *expr;
    }
    copy->kid[i] = kid;
  }
  return copy;
}

/* the counters of a reduction at the head of `value`, and of those of its kind right in it */
static wr_expr *peel(wr_maker *maker, wr_expr *value, wr_stmt *stmt, around *lanes) {
  while (is_fold(value) && (stmt->n_counter == 0 || value->kind == stmt->fold)) {
    if (lanes->n == AS_MAX_RANK) {
      wr_fail(maker, "a reduction with more than %d axes and counters", AS_MAX_RANK);
      return NULL;
    }
    stmt->fold = value->kind;
    stmt->counter[stmt->n_counter] = value->id;
    stmt->count[stmt->n_counter++] = value->kid[0];
    lanes->var[lanes->n] = value->id;
    lanes->extent[lanes->n++] = value->kid[0];
    value = value->kid[1];
  }
  return value;
}

uint32_t wr_define(wr_maker *maker, const char *wish, uint32_t n, const uint32_t *lane,
                   wr_expr *const *extent, wr_expr *value) {
  wr_stmt *stmt = new_stmt(maker, WR_DEFINE);
  around lanes = {.n = n};
  for (uint32_t i = 0; i < n; i++) {
    lanes.var[i] = stmt->lane[i] = lane[i];
    lanes.extent[i] = stmt->extent[i] = extent[i];
  }
  stmt->n_lane = n;
  value = peel(maker, value, stmt, &lanes);
  stmt->value = value ? without_folds(maker, value, &lanes) : NULL;
  if (!stmt->value)
    return AS_NONE;
  stmt->tile = wr_new_tile(maker, wish, n, extent);
  if (stmt->tile == AS_NONE)
    return AS_NONE;
  if (stmt->value->integer) {
    WR_TILE(maker->program, stmt->tile)->integers = true;
    WR_TILE(maker->program, stmt->tile)->type = AS_TILE_INT;
  }
  add(maker, stmt);
  return stmt->tile;
}

/* ---- scalars of the tile program */

static wr_expr *scalar_fold(wr_maker *maker, const as_tile_scalar *scalar) {
  wr_expr *count = wr_scalar(maker, scalar->kid[0]);
  uint32_t counter = count ? wr_new_lane(maker, scalar->text->name, count) : AS_NONE;
  if (counter == AS_NONE)
    return NULL;
  maker->variable[scalar->id] = wr_name(maker, counter);
  wr_expr *term = wr_scalar(maker, scalar->kid[1]);
  if (!term)
    return NULL;
  wr_expr *made = wr_new(maker, scalar->text->kind, 2, (wr_expr *[]){count, term});
  made->id = counter;
  made->integer = term->integer;
  return made;
}

static wr_expr *scalar_name(wr_maker *maker, const as_tile_scalar *scalar) {
  if (scalar->meaning == AS_TILE_IS_SIZE)
    return wr_integer(maker, maker->value[scalar->id]);
  return maker->variable[scalar->id];
}

wr_expr *wr_scalar(wr_maker *maker, const as_tile_scalar *scalar) {
  const as_expr *text = scalar->text;
  wr_expr *kid[AS_MAX_RANK];
  if (text->kind == AS_E_NUM)
    return wr_rational(maker, text->num);
  if (text->kind == AS_E_NAME)
    return scalar_name(maker, scalar);
  if (text->kind == AS_E_SUM || text->kind == AS_E_PROD || text->kind == AS_E_MAXR ||
      text->kind == AS_E_MINR)
    return scalar_fold(maker, scalar);
  if (scalar->n > AS_MAX_RANK) {
    wr_fail(maker, "an operation with more than %d operands", AS_MAX_RANK);
    return NULL;
  }
  for (uint32_t i = 0; i < scalar->n; i++) {
    if ((kid[i] = wr_scalar(maker, scalar->kid[i])) == NULL)
      return NULL;
  }
  if (text->kind == AS_E_ACCESS) {
    wr_expr *made = wr_new(maker, AS_E_ACCESS, scalar->n, kid);
    made->id = maker->tile_of[scalar->id];
    made->integer = WR_TILE(maker->program, made->id)->integers;
    return made;
  }
  if (text->kind == AS_E_CALL)
    return wr_function(maker, text->func, scalar->n, kid);
  if (text->kind == AS_E_REL)
    return wr_relation(maker, (as_rel)text->rel, kid[0], kid[1]);
  return wr_mk(maker, text->kind, scalar->n, kid);
}

/* ---- statements */

static bool read_lanes(wr_maker *maker, const as_tile_stmt *from, wr_stmt *stmt) {
  stmt->n_lane = from->n_lane;
  for (uint32_t i = 0; i < from->n_lane; i++) {
    stmt->extent[i] = wr_scalar(maker, from->lane[i].extent);
    if (!stmt->extent[i])
      return false;
    stmt->lane[i] = wr_new_lane(maker, from->lane[i].name, stmt->extent[i]);
    if (stmt->lane[i] == AS_NONE)
      return false;
    maker->variable[from->lane[i].slot] = wr_name(maker, stmt->lane[i]);
  }
  return true;
}

/* position, mask, what stands where it does not hold, and value are scalars without reductions */
static bool plain_scalar(wr_maker *maker, const as_tile_scalar *from, const wr_stmt *stmt,
                         wr_expr **to) {
  around lanes = {.n = stmt->n_lane};
  for (uint32_t i = 0; i < lanes.n; i++) {
    lanes.var[i] = stmt->lane[i];
    lanes.extent[i] = stmt->extent[i];
  }
  if (!from)
    return true;
  wr_expr *made = wr_scalar(maker, from);
  *to = made ? without_folds(maker, made, &lanes) : NULL;
  return *to != NULL;
}

static bool read_access(wr_maker *maker, const as_tile_stmt *from, wr_stmt *stmt) {
  stmt->tensor = from->tensor;
  stmt->n_place = from->n_place;
  for (uint32_t i = 0; i < from->n_place; i++) {
    if (!plain_scalar(maker, from->place[i], stmt, &stmt->place[i]))
      return false;
  }
  return plain_scalar(maker, from->mask, stmt, &stmt->mask) &&
         plain_scalar(maker, from->other, stmt, &stmt->other);
}

static bool read_load(wr_maker *maker, const as_tile_stmt *from) {
  wr_stmt *stmt = new_stmt(maker, WR_LOAD);
  if (!read_lanes(maker, from, stmt) || !read_access(maker, from, stmt))
    return false;
  stmt->tile = wr_new_tile(maker, from->name, stmt->n_lane, stmt->extent);
  if (stmt->tile == AS_NONE)
    return false;
  wr_tile *tile = WR_TILE(maker->program, stmt->tile);
  tile->type = WR_TENSOR(maker->program, stmt->tensor)->type;
  tile->integers = tile->type == AS_TILE_INT;
  maker->tile_of[from->slot] = stmt->tile;
  add(maker, stmt);
  return true;
}

static bool read_store(wr_maker *maker, const as_tile_stmt *from) {
  wr_stmt *stmt = new_stmt(maker, WR_STORE);
  if (!read_lanes(maker, from, stmt) || !read_access(maker, from, stmt))
    return false;
  if (from->whole_name) {
    wr_expr *index[AS_MAX_RANK];
    for (uint32_t i = 0; i < stmt->n_lane; i++)
      index[i] = wr_name(maker, stmt->lane[i]);
    stmt->value = wr_new(maker, AS_E_ACCESS, stmt->n_lane, index);
    stmt->value->id = maker->tile_of[from->whole];
    stmt->value->integer = WR_TILE(maker->program, stmt->value->id)->integers;
  } else if (!plain_scalar(maker, from->value, stmt, &stmt->value)) {
    return false;
  }
  add(maker, stmt);
  return true;
}

static bool read_make(wr_maker *maker, const as_tile_stmt *from) {
  wr_stmt lanes = {0};
  if (!read_lanes(maker, from, &lanes))
    return false;
  wr_expr *value = wr_scalar(maker, from->value);
  uint32_t tile =
      value ? wr_define(maker, from->name, lanes.n_lane, lanes.lane, lanes.extent, value) : AS_NONE;
  maker->tile_of[from->slot] = tile;
  return tile != AS_NONE;
}

static bool read_stmts(wr_maker *maker, uint32_t n, as_tile_stmt *const *from, as_vec *into);

static bool read_bounds(wr_maker *maker, const as_tile_stmt *from, wr_stmt *stmt) {
  stmt->from = wr_scalar(maker, from->from);
  stmt->to = stmt->from ? wr_scalar(maker, from->to) : NULL;
  stmt->step = from->step && stmt->to ? wr_scalar(maker, from->step) : NULL;
  if (!stmt->to || (from->step && !stmt->step))
    return false;
  int64_t low[2];
  int64_t high[2];
  bool bounded = wr_range(maker->program, stmt->from, &low[0], &high[0]) &&
                 wr_range(maker->program, stmt->to, &low[1], &high[1]);
  if (!bounded)
    return wr_fail(maker, "the bounds of the loop over `%s` are data", from->name);
  int64_t last = high[1] > low[0] ? high[1] - 1 : low[0];
  stmt->variable = wr_new_var(maker, from->name, low[0], last);
  maker->variable[from->slot] = wr_name(maker, stmt->variable);
  return true;
}

/* what a carried tile is; its extents are those of the tile that it starts as */
static bool read_first(wr_maker *maker, const as_tile_carry *from, wr_stmt *stmt) {
  as_vec *outer = maker->into;
  maker->into = &stmt->first;
  wr_carry made = {.first = wr_tiles(maker, from->name, from->first)};
  maker->into = outer;
  if (made.first == AS_NONE)
    return false;
  wr_tile first = *WR_TILE(maker->program, made.first);
  made.tile = wr_new_tile(maker, from->name, first.rank, first.extent);
  if (made.tile == AS_NONE)
    return false;
  wr_tile *tile = WR_TILE(maker->program, made.tile);
  tile->integers = from->integers;
  tile->type = from->integers ? AS_TILE_INT : AS_TILE_F32;
  as_vec_push(&stmt->carry, &made);
  return true;
}

static bool read_loop(wr_maker *maker, const as_tile_stmt *from) {
  wr_stmt *stmt = new_stmt(maker, WR_LOOP);
  stmt->parallel = from->parallel;
  add(maker, stmt);
  if (!read_bounds(maker, from, stmt))
    return false;
  for (uint32_t i = 0; i < from->n_carry; i++) {
    if (!read_first(maker, &from->carry[i], stmt))
      return false;
  }
  for (uint32_t i = 0; i < from->n_carry; i++)
    maker->tile_of[from->carry[i].slot] = AS_VEC_AT(&stmt->carry, wr_carry, i).tile;
  if (!read_stmts(maker, from->n_body, from->body, &stmt->body))
    return false;
  as_vec *outer = maker->into;
  maker->into = &stmt->body;
  bool fine = true;
  for (uint32_t i = 0; i < from->n_carry && fine; i++) {
    wr_carry *carry = &AS_VEC_AT(&stmt->carry, wr_carry, i);
    carry->next = wr_tiles(maker, "next", from->carry[i].next);
    fine = carry->next != AS_NONE;
  }
  maker->into = outer;
  return fine;
}

static bool read_stmt(wr_maker *maker, const as_tile_stmt *from) {
  maker->line = from->line;
  switch (from->kind) {
  case AS_TILE_LOOP:
    return read_loop(maker, from);
  case AS_TILE_LOAD:
    return read_load(maker, from);
  case AS_TILE_STORE:
    return read_store(maker, from);
  case AS_TILE_MAKE:
    return read_make(maker, from);
  case AS_TILE_LET:
    maker->tile_of[from->slot] = wr_tiles(maker, from->name, from->expr);
    return maker->tile_of[from->slot] != AS_NONE;
  case AS_TILE_ALLOC:
    break;
  }
  wr_stmt *stmt = new_stmt(maker, WR_ALLOC);
  stmt->tensor = from->tensor;
  add(maker, stmt);
  return true;
}

static bool read_stmts(wr_maker *maker, uint32_t n, as_tile_stmt *const *from, as_vec *into) {
  as_vec *outer = maker->into;
  bool fine = true;
  maker->into = into;
  for (uint32_t i = 0; i < n && fine; i++)
    fine = read_stmt(maker, from[i]);
  maker->into = outer;
  return fine;
}

/* ---- the program */

static bool read_tensors(wr_maker *maker) {
  const as_tile_program *tile = maker->tile;
  for (uint32_t i = 0; i < tile->n_tensor; i++) {
    const as_tile_tensor *from = &tile->tensor[i];
    wr_tensor made = {
        .role = from->role, .type = from->type, .rank = from->rank, .local = from->local};
    made.name = wr_fresh(maker, from->name);
    made.has_initial = from->initial != NULL;
    if (made.has_initial)
      made.initial = (from->minus ? -1 : 1) * mpq_get_d(from->initial->num);
    for (uint32_t k = 0; k < from->rank; k++) {
      made.dim[k] = as_size_eval(tile->sizes->sizes, from->dim[k], maker->value);
      if (made.dim[k] < 0)
        return as_err_set(maker->err, AS_BAD_INPUT,
                          "an extent of `%s` has no value: every size needs one to be written",
                          from->name);
    }
    as_vec_push(&maker->program->tensor, &made);
  }
  return true;
}

static bool sizes_have_values(wr_maker *maker) {
  const as_graph *sizes = maker->tile->sizes;
  for (uint32_t i = 0; i < sizes->n_own_size; i++) {
    if (maker->value[sizes->own_size[i]] < 0)
      return as_err_set(maker->err, AS_BAD_INPUT, "the size %s has no value: `sizes %s = ..`",
                        as_size_name(sizes->sizes, sizes->own_size[i]),
                        as_size_name(sizes->sizes, sizes->own_size[i]));
  }
  return true;
}

static void clear_stmts(as_vec *list) {
  for (size_t i = 0; i < list->n; i++) {
    wr_stmt *stmt = WR_STMT(list, i);
    clear_stmts(&stmt->first);
    clear_stmts(&stmt->body);
    as_vec_clear(&stmt->carry);
  }
  as_vec_clear(list);
}

void wr_free(wr_program *program) {
  if (!program)
    return;
  clear_stmts(&program->body);
  for (size_t i = 0; i < program->numbers.n; i++)
    mpq_clear(*AS_VEC_AT(&program->numbers, mpq_t *, i));
  as_vec_clear(&program->numbers);
  as_vec_clear(&program->var);
  as_vec_clear(&program->tile);
  as_vec_clear(&program->tensor);
  as_arena_free(program->mem);
  free(program);
}

wr_program *wr_flatten(const as_tile_program *tile, const int64_t *value, const char *const *taken,
                       as_err *err) {
  wr_program *program = as_calloc(1, sizeof *program);
  program->mem = as_arena_new();
  as_vec_init(&program->var, sizeof(wr_var));
  as_vec_init(&program->tile, sizeof(wr_tile));
  as_vec_init(&program->tensor, sizeof(wr_tensor));
  as_vec_init(&program->body, sizeof(wr_stmt *));
  as_vec_init(&program->numbers, sizeof(mpq_t *));
  wr_maker maker = {.program = program, .tile = tile, .taken = taken, .err = err};
  maker.value = as_graph_size_values(tile->sizes);
  for (uint32_t i = 0; value && i < tile->sizes->n_own_size; i++)
    maker.value[tile->sizes->own_size[i]] = value[tile->sizes->own_size[i]];
  maker.variable = as_calloc(tile->n_integers + 1, sizeof *maker.variable);
  maker.tile_of = as_calloc(tile->n_tiles + 1, sizeof *maker.tile_of);
  maker.sizes = as_sizes_new();
  as_intern_init(&maker.names, NULL);
  as_vec_init(&maker.extents, sizeof(wr_symbol));
  program->name = wr_fresh(&maker, tile->name);
  bool fine = sizes_have_values(&maker) && read_tensors(&maker) &&
              read_stmts(&maker, tile->n_body, tile->body, &program->body);
  free(maker.value);
  free(maker.variable);
  free(maker.tile_of);
  as_sizes_free(maker.sizes);
  as_intern_clear(&maker.names);
  as_vec_clear(&maker.extents);
  if (fine)
    return program;
  wr_free(program);
  return NULL;
}
