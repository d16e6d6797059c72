/* Operators' calls by their specifications: shapes matched, bodies unfolded into scalars. */
#include "flat_int.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_BOUND = 128, MOST_UNFOLDED = 200 };

/* a name of a specification, and what it stands for: an index, or those of a list */
typedef struct {
  const char *name;
  bool list;
  uint32_t n;
  wr_expr *value[AS_MAX_RANK];
} bound_name;

typedef struct {
  wr_maker *maker;
  const as_opdef *op; /* NULL: the body of a function */
  const as_match *match;
  const wr_argument *arg;
  wr_expr *const *attr;
  uint32_t *let_tile; /* by definition of the specification: its tile, or AS_NONE */
  bound_name bound[MOST_BOUND];
  uint32_t n_bound;
  uint32_t depth;
  bool bad;
} scope;

static wr_expr *stop(scope *in, const char *what, const char *name) {
  if (!in->bad)
    wr_fail(in->maker, "%s `%s`%s%s", what, name, in->op ? " in operator " : "",
            in->op ? in->op->name : "");
  in->bad = true;
  return wr_integer(in->maker, 0);
}

static void bind(scope *in, const char *name, bool list, uint32_t n, wr_expr *const *value) {
  if (in->n_bound == MOST_BOUND) {
    stop(in, "too many names at", name);
    return;
  }
  bound_name *made = &in->bound[in->n_bound++];
  *made = (bound_name){.name = name, .list = list, .n = n};
  for (uint32_t i = 0; i < n; i++)
    made->value[i] = value[i];
}

static const bound_name *find(const scope *in, const char *name, bool list) {
  for (uint32_t i = in->n_bound; i-- > 0;) {
    if (in->bound[i].list == list && strcmp(in->bound[i].name, name) == 0)
      return &in->bound[i];
  }
  return NULL;
}

static wr_expr *read_expr(scope *in, const as_expr *expr);

/* ---- extents */

static wr_expr *extent_of(wr_maker *maker, as_size size) {
  long value;
  if (as_size_is_const(maker->sizes, size, &value))
    return wr_integer(maker, value);
  for (size_t i = 0; i < maker->extents.n; i++) {
    const wr_symbol *symbol = &AS_VEC_AT(&maker->extents, wr_symbol, i);
    if (symbol->size == size)
      return symbol->extent;
  }
  wr_fail(maker, "an extent that differs between iterations is computed with by an operator");
  return NULL;
}

static bool same(const wr_expr *a, const wr_expr *b) {
  int64_t left;
  int64_t right;
  if (a == b)
    return true;
  if (wr_integer_value(a, &left) && wr_integer_value(b, &right))
    return left == right;
  if (a->kind != b->kind || a->n != b->n || a->id != b->id || a->rel != b->rel || a->n == 0)
    return a->kind == AS_E_NAME && b->kind == AS_E_NAME && a->id == b->id;
  for (uint32_t i = 0; i < a->n; i++) {
    if (!same(a->kid[i], b->kid[i]))
      return false;
  }
  return true;
}

static as_size size_of(wr_maker *maker, wr_expr *extent) {
  int64_t value;
  if (wr_integer_value(extent, &value))
    return as_size_int(maker->sizes, (long)value);
  for (size_t i = 0; i < maker->extents.n; i++) {
    const wr_symbol *known = &AS_VEC_AT(&maker->extents, wr_symbol, i);
    if (same(known->extent, extent))
      return known->size;
  }
  char *name = as_format("extent%zu", maker->extents.n);
  wr_symbol made = {as_size_sym(maker->sizes, name), extent};
  free(name);
  as_vec_push(&maker->extents, &made);
  return made.size;
}

/* ---- names and accesses */

static wr_expr *read_name(scope *in, const as_expr *expr) {
  const bound_name *known = find(in, expr->name, false);
  if (known)
    return known->value[0];
  for (uint32_t i = 0; in->op && i < in->op->nattrs; i++) {
    if (strcmp(in->op->attr[i], expr->name) == 0)
      return in->attr[i];
  }
  for (uint32_t i = 0; in->op && i < in->match->nsize; i++) {
    if (strcmp(in->match->size[i].name, expr->name) == 0) {
      wr_expr *extent = extent_of(in->maker, in->match->size[i].size);
      in->bad = in->bad || extent == NULL;
      return extent ? extent : wr_integer(in->maker, 1);
    }
  }
  return stop(in, "unknown name", expr->name);
}

static const as_bind_list *list_named(const scope *in, const char *name) {
  for (uint32_t i = 0; i < in->match->nlist; i++) {
    if (strcmp(in->match->list[i].name, name) == 0)
      return &in->match->list[i];
  }
  return NULL;
}

/* Indices `~o` of a tensor are the last of o; those along which it has extent 1, and o has not, are
 * 0. */
static uint32_t broadcast_indices(scope *in, const bound_name *list, const char *name,
                                  const wr_tile *tile, uint32_t take, uint32_t at,
                                  wr_expr **index) {
  for (uint32_t j = 0; j < take && at < AS_MAX_RANK; j++, at++) {
    uint32_t from = list->n - take + j;
    const as_bind_list *whole = list_named(in, name);
    long value = 0;
    bool one = whole && as_size_is_const(in->maker->sizes, whole->dim[from], &value) && value == 1;
    bool gives_way = wr_is_integer(tile->extent[at], 1) && !one;
    index[at] = gives_way ? wr_integer(in->maker, 0) : list->value[from];
  }
  return at;
}

/* tile NULL: of a definition of the specification */
static uint32_t read_indices(scope *in, const as_expr *expr, const wr_tile *tile, wr_expr **index) {
  uint32_t n = 0;
  uint32_t others = 0;
  for (uint32_t i = 0; i < expr->n; i++) {
    const bound_name *list =
        expr->acc[i] == AS_IX_SCALAR ? NULL : find(in, expr->acc_name[i], true);
    if (expr->acc[i] != AS_IX_SCALAR && !list) {
      stop(in, "unknown list of indices", expr->acc_name[i]);
      return 0;
    }
    others += expr->acc[i] == AS_IX_SCALAR ? 1 : expr->acc[i] == AS_IX_LIST ? list->n : 0;
  }
  for (uint32_t i = 0; i < expr->n; i++) {
    const bound_name *list =
        expr->acc[i] == AS_IX_SCALAR ? NULL : find(in, expr->acc_name[i], true);
    if (!list && n < AS_MAX_RANK) {
      index[n++] = read_expr(in, expr->kid[i]);
    } else if (expr->acc[i] == AS_IX_LIST) {
      for (uint32_t j = 0; j < list->n && n < AS_MAX_RANK; j++)
        index[n++] = list->value[j];
    } else if (list && tile && tile->rank >= others && tile->rank - others <= list->n) {
      n = broadcast_indices(in, list, expr->acc_name[i], tile, tile->rank - others, n, index);
    } else {
      stop(in, "indices do not fit at", expr->name);
    }
  }
  return n;
}

static uint32_t length_of(const scope *in, const as_ix *ix, uint32_t otherwise) {
  const as_bind_list *list = ix->is_list ? list_named(in, ix->name) : NULL;
  return !ix->is_list ? 1 : list ? list->n : otherwise;
}

/* binds the names on the left of a definition */
static bool bind_left(scope *in, const as_let *let, uint32_t n, wr_expr *const *index) {
  uint32_t lists = 0;
  for (uint32_t i = 0; i < let->n; i++)
    lists += let->ix[i].is_list;
  uint32_t at = 0;
  for (uint32_t i = 0; i < let->n; i++) {
    uint32_t rest = lists == 1 && n + 1 >= let->n ? n + 1 - let->n : 0;
    uint32_t take = length_of(in, &let->ix[i], rest);
    if (at + take > n) {
      stop(in, "too few indices of", let->name);
      return false;
    }
    bind(in, let->ix[i].name, let->ix[i].is_list, take, index + at);
    at += take;
  }
  return true;
}

static wr_expr *access(scope *in, uint32_t tile, uint32_t n, wr_expr *const *index) {
  wr_expr *made = wr_new(in->maker, AS_E_ACCESS, n, index);
  made->id = tile;
  made->integer = WR_TILE(in->maker->program, tile)->integers;
  return made;
}

static wr_expr *read_definition(scope *in, uint32_t number, const as_expr *expr) {
  const as_let *let = &in->op->let[number];
  wr_expr *index[AS_MAX_RANK];
  uint32_t n = read_indices(in, expr, NULL, index);
  if (in->bad)
    return wr_integer(in->maker, 0);
  if (in->let_tile[number] != AS_NONE)
    return access(in, in->let_tile[number], n, index);
  if (++in->depth > MOST_UNFOLDED)
    return stop(in, "cyclic definitions at", let->name);
  uint32_t keep = in->n_bound;
  wr_expr *made =
      bind_left(in, let, n, index) ? read_expr(in, let->body) : wr_integer(in->maker, 0);
  in->n_bound = keep;
  in->depth--;
  return made;
}

static wr_expr *read_access(scope *in, const as_expr *expr) {
  wr_expr *index[AS_MAX_RANK];
  for (uint32_t i = 0; i < in->op->nargs; i++) {
    if (strcmp(in->op->arg[i].name, expr->name) != 0)
      continue;
    if (!in->arg[i].is_tile)
      return in->arg[i].number;
    /* the list of tiles may grow while indices are read */
    wr_tile tile = *WR_TILE(in->maker->program, in->arg[i].tile);
    uint32_t n = read_indices(in, expr, &tile, index);
    if (!in->bad && n != tile.rank)
      return stop(in, "indices do not fit at", expr->name);
    return in->bad ? wr_integer(in->maker, 0) : access(in, in->arg[i].tile, n, index);
  }
  for (uint32_t i = 0; i + 1 < in->op->nlet; i++) {
    if (strcmp(in->op->let[i].name, expr->name) == 0)
      return read_definition(in, i, expr);
  }
  return stop(in, "unknown tensor", expr->name);
}

static wr_expr *read_fold(scope *in, const as_expr *expr) {
  wr_expr *count = read_expr(in, expr->kid[0]);
  if (in->bad)
    return count;
  uint32_t counter = wr_new_lane(in->maker, expr->name, count);
  in->bad = counter == AS_NONE;
  if (in->bad)
    return count;
  wr_expr *variable = wr_name(in->maker, counter);
  uint32_t keep = in->n_bound;
  bind(in, expr->name, false, 1, &variable);
  wr_expr *term = read_expr(in, expr->kid[1]);
  in->n_bound = keep;
  wr_expr *made = wr_new(in->maker, expr->kind, 2, (wr_expr *[]){count, term});
  made->id = counter;
  made->integer = term->integer;
  return made;
}

static wr_expr *read_call(scope *in, const as_expr *expr) {
  wr_expr *arg[AS_MAX_RANK];
  if (expr->n > AS_MAX_RANK || !expr->func || ++in->depth > MOST_UNFOLDED)
    return stop(in, "a call that cannot be unfolded:", expr->name);
  for (uint32_t i = 0; i < expr->n; i++)
    arg[i] = read_expr(in, expr->kid[i]);
  in->depth--;
  return in->bad ? arg[0] : wr_function(in->maker, expr->func, expr->n, arg);
}

static wr_expr *read_expr(scope *in, const as_expr *expr) {
  wr_expr *kid[3];
  if (in->bad)
    return wr_integer(in->maker, 0);
  switch (expr->kind) {
  case AS_E_NUM:
    return wr_rational(in->maker, expr->num);
  case AS_E_NAME:
    return read_name(in, expr);
  case AS_E_ACCESS:
    return read_access(in, expr);
  case AS_E_CALL:
    return read_call(in, expr);
  case AS_E_SUM:
  case AS_E_PROD:
  case AS_E_MAXR:
  case AS_E_MINR:
    return read_fold(in, expr);
  default:
    break;
  }
  for (uint32_t i = 0; i < expr->n && i < 3; i++)
    kid[i] = read_expr(in, expr->kid[i]);
  return expr->kind == AS_E_REL ? wr_relation(in->maker, (as_rel)expr->rel, kid[0], kid[1])
                                : wr_mk(in->maker, expr->kind, expr->n, kid);
}

wr_expr *wr_function(wr_maker *maker, const as_func *function, uint32_t n, wr_expr *const *arg) {
  if (!function->body) {
    wr_expr *made = wr_new(maker, AS_E_CALL, n, arg);
    made->function = function->name;
    made->integer = false;
    return made;
  }
  scope in = {.maker = maker};
  for (uint32_t i = 0; i < n; i++)
    bind(&in, function->param[i], false, 1, &arg[i]);
  wr_expr *made = read_expr(&in, function->body);
  return in.bad ? NULL : made;
}

/* ---- calls */

/* A definition within a specification that reduces, over whole lists of axes, is a tile of its own;
 * others are unfolded where they are used. */
static bool is_tile_of_its_own(const scope *in, const as_let *let) {
  for (uint32_t i = 0; i < let->n; i++) {
    if (!let->ix[i].is_list || !list_named(in, let->ix[i].name))
      return false;
  }
  return as_expr_reduces(let->body);
}

/* the tile that a definition of the specification is, over these axes */
static uint32_t define(scope *in, const as_let *let, const char *wish, uint32_t n,
                       wr_expr *const *extent) {
  uint32_t lane[AS_MAX_RANK];
  wr_expr *index[AS_MAX_RANK];
  for (uint32_t i = 0; i < n; i++) {
    lane[i] = wr_new_lane(in->maker, "i", extent[i]);
    if (lane[i] == AS_NONE)
      return AS_NONE;
    index[i] = wr_name(in->maker, lane[i]);
  }
  uint32_t keep = in->n_bound;
  wr_expr *value = bind_left(in, let, n, index) ? read_expr(in, let->body) : NULL;
  in->n_bound = keep;
  return in->bad || !value ? AS_NONE : wr_define(in->maker, wish, n, lane, extent, value);
}

static bool define_lets(scope *in) {
  for (uint32_t i = 0; i + 1 < in->op->nlet; i++) {
    const as_let *let = &in->op->let[i];
    wr_expr *extent[AS_MAX_RANK];
    uint32_t n = 0;
    in->let_tile[i] = AS_NONE;
    if (!is_tile_of_its_own(in, let))
      continue;
    for (uint32_t k = 0; k < let->n; k++) {
      const as_bind_list *list = list_named(in, let->ix[k].name);
      for (uint32_t j = 0; j < list->n && n < AS_MAX_RANK; j++) {
        if ((extent[n++] = extent_of(in->maker, list->dim[j])) == NULL)
          return false;
      }
    }
    if ((in->let_tile[i] = define(in, let, let->name, n, extent)) == AS_NONE)
      return false;
  }
  return true;
}

/* the attributes as sizes for the shape, and as scalars for the body */
static bool read_attributes(wr_maker *maker, const as_tile_expr *call, as_attr *size,
                            wr_expr **scalar) {
  for (uint32_t k = 0; k < call->op->nattrs; k++) {
    const as_tile_attr *given = &call->attr[k];
    if (given->scalar) {
      if ((scalar[k] = wr_scalar(maker, given->scalar)) == NULL)
        return false;
      size[k].is_size = true;
      size[k].size = size_of(maker, scalar[k]);
      continue;
    }
    if (given->number) {
      size[k].is_size = false;
      mpq_set(size[k].num, *given->number);
    } else {
      as_attr_set(&size[k], &call->op->attr_default[k]);
    }
    scalar[k] = size[k].is_size ? extent_of(maker, size[k].size) : wr_rational(maker, size[k].num);
    if (!scalar[k])
      return false;
  }
  return true;
}

static bool match_call(wr_maker *maker, const as_opdef *op, const wr_argument *arg,
                       const as_attr *attr, as_match *match, uint32_t *rank, wr_expr **extent) {
  as_size dim[AS_MAX_ARGS][AS_MAX_RANK] = {{0}};
  as_size out[AS_MAX_RANK];
  uint32_t ranks[AS_MAX_ARGS];
  for (uint32_t i = 0; i < op->nargs; i++) {
    ranks[i] = arg[i].is_tile ? WR_TILE(maker->program, arg[i].tile)->rank : 0;
    for (uint32_t k = 0; k < ranks[i]; k++)
      dim[i][k] = size_of(maker, WR_TILE(maker->program, arg[i].tile)->extent[k]);
  }
  as_vec facts;
  as_vec_init(&facts, sizeof(as_size_fact));
  bool fine = as_opdef_match(maker->sizes, op, (const as_size(*)[AS_MAX_RANK])dim, ranks, op->nargs,
                             attr, match, out, rank, &facts, maker->err);
  as_vec_clear(&facts); /* the program is certified: they hold */
  for (uint32_t i = 0; fine && i < *rank; i++)
    fine = (extent[i] = extent_of(maker, out[i])) != NULL;
  return fine;
}

static bool read_arguments(wr_maker *maker, const as_tile_expr *call, wr_argument *arg) {
  for (uint32_t i = 0; i < call->n_arg; i++) {
    const as_tile_expr *of = call->arg[i];
    bool tile =
        of->kind == AS_TILE_CALL || (of->kind == AS_TILE_NAMED && of->meaning == AS_TILE_IS_TILE);
    arg[i].is_tile = tile;
    if (tile)
      arg[i].tile = wr_tiles(maker, of->op ? of->op->name : "t", of);
    else if (of->kind == AS_TILE_NUMBER)
      arg[i].number = wr_rational(maker, of->number->num);
    else if (of->meaning == AS_TILE_IS_SIZE)
      arg[i].number = wr_integer(maker, maker->value[of->id]);
    else
      arg[i].number = maker->variable[of->id];
    if (tile && arg[i].tile == AS_NONE)
      return false;
  }
  return true;
}

static uint32_t define_call(wr_maker *maker, const char *wish, const as_tile_expr *call,
                            const as_attr *attr, wr_expr *const *scalar) {
  wr_argument arg[AS_MAX_ARGS];
  as_match match = {0};
  wr_expr *extent[AS_MAX_RANK];
  uint32_t rank;
  if (!read_arguments(maker, call, arg) ||
      !match_call(maker, call->op, arg, attr, &match, &rank, extent))
    return AS_NONE;
  uint32_t *let_tile = as_calloc(call->op->nlet + 1, sizeof *let_tile);
  scope *in = as_calloc(1, sizeof *in);
  *in = (scope){.maker = maker,
                .op = call->op,
                .match = &match,
                .arg = arg,
                .attr = scalar,
                .let_tile = let_tile};
  uint32_t made = define_lets(in)
                      ? define(in, &call->op->let[call->op->nlet - 1], wish, rank, extent)
                      : AS_NONE;
  free(in);
  free(let_tile);
  return made;
}

static uint32_t constant_tile(wr_maker *maker, const char *wish, wr_expr *value) {
  return wr_define(maker, wish, 0, NULL, NULL, value);
}

uint32_t wr_tiles(wr_maker *maker, const char *wish, const as_tile_expr *expr) {
  maker->line = expr->line ? expr->line : maker->line;
  if (expr->kind == AS_TILE_NUMBER)
    return constant_tile(maker, wish, wr_rational(maker, expr->number->num));
  if (expr->kind == AS_TILE_NAMED) {
    if (expr->meaning == AS_TILE_IS_TILE)
      return maker->tile_of[expr->id];
    bool size = expr->meaning == AS_TILE_IS_SIZE;
    return constant_tile(
        maker, wish, size ? wr_integer(maker, maker->value[expr->id]) : maker->variable[expr->id]);
  }
  as_attr size[AS_MAX_ATTRS];
  wr_expr *scalar[AS_MAX_ATTRS];
  for (uint32_t k = 0; k < expr->op->nattrs; k++)
    as_attr_init(&size[k]);
  uint32_t made = read_attributes(maker, expr, size, scalar)
                      ? define_call(maker, wish, expr, size, scalar)
                      : AS_NONE;
  for (uint32_t k = 0; k < expr->op->nattrs; k++)
    as_attr_clear(&size[k]);
  return made;
}
