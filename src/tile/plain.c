/* Tile programs whose tiles are made element by element, with masks, as programs of operators'
 * calls over whole tiles: kernels of one lane a program computes, as block graphs have them.
 * Nothing rests on it, so it guesses: masks that say where a tensor ends are what tiles of any
 * extent need not say; each way in which places depend on the instance is an axis of the grid; and
 * a maximum so far, by which exponentials are shifted, is left out.  What is made of a wrong guess
 * is refuted. */
#include "plain.h"
#include "src/base/id.h"
#include "src/base/str.h"
#include "src/base/vec.h"
#include <stdlib.h>
#include <string.h>

/* tiles along an axis of a tensor, numbered by what depends on instances and rounds */
typedef struct {
  as_size number;
  as_size extent;           /* of the tensor */
  as_size tile;             /* in the text */
  bool single;              /* one index each */
  const as_tile_stmt *loop; /* NULL: an axis of the grid */
  uint32_t id;
  uint32_t kernel;
} axis;

/* what a place is along one axis of a tensor */
typedef struct {
  as_size position; /* with the lane */
  uint32_t lane;    /* of the statement; AS_NONE: none */
  const axis *of;   /* NULL: the whole axis */
} part;

/* A tile as a text: which lanes and counters its axes are.  shift: it is a maximum so far, 0. */
typedef struct {
  char *text; /* NULL with err */
  uint32_t n;
  uint32_t slot[AS_MAX_RANK];
} tile;

typedef struct {
  as_tile_program *program;
  as_sizes *sizes;
  as_err *err;
  as_arena *mem;
  as_size *of_integer;   /* by slot: loops' variables and lanes */
  const char **constant; /* by tile slot: the number that it is, 0 a maximum so far; NULL: none */
  bool *first_round;     /* by tile slot: 1 before the first round, 0 after it */
  as_vec axes;           /* axis * */
  uint32_t kernel;       /* which one is read */
  uint32_t names;        /* used so far */
  uint32_t order[2 * AS_MAX_RANK];
  uint32_t n_order; /* lanes of the statement at hand, and counters around */
  as_str out;
} plain;

static bool fail(const plain *p, const as_tile_stmt *stmt, const char *what) {
  return as_err_set(p->err, AS_BAD_INPUT, "line %d: %s", stmt->line, what);
}

static char *keep(const plain *p, char *text) {
  char *own = as_arena_strdup(p->mem, text);
  free(text);
  return own;
}

/* ---- integers */
static as_size size_of(const plain *p, const as_tile_scalar *x) {
  if (x->text->kind == AS_E_NAME)
    return x->meaning == AS_TILE_IS_SIZE      ? (as_size)x->id
           : x->meaning == AS_TILE_IS_INTEGER ? p->of_integer[x->id]
                                              : AS_SIZE_BAD;
  if (x->text->kind == AS_E_NUM)
    return mpz_cmp_ui(mpq_denref(x->text->num), 1) == 0 &&
                   mpz_fits_slong_p(mpq_numref(x->text->num))
               ? as_size_int(p->sizes, mpz_get_si(mpq_numref(x->text->num)))
               : AS_SIZE_BAD;
  if (x->n != 2)
    return AS_SIZE_BAD;
  as_size a = size_of(p, x->kid[0]);
  as_size b = size_of(p, x->kid[1]);
  if (a == AS_SIZE_BAD || b == AS_SIZE_BAD)
    return AS_SIZE_BAD;
  switch (x->text->kind) {
  case AS_E_ADD:
    return as_size_add(p->sizes, a, b);
  case AS_E_SUB:
    return as_size_sub(p->sizes, a, b);
  case AS_E_MUL:
    return as_size_mul(p->sizes, a, b);
  case AS_E_IDIV:
    return as_size_div(p->sizes, a, b);
  case AS_E_MOD:
    return as_size_mod(p->sizes, a, b);
  case AS_E_MIN2:
    return as_size_min(p->sizes, a, b);
  case AS_E_MAX2:
    return as_size_max(p->sizes, a, b);
  default:
    return AS_SIZE_BAD;
  }
}

static as_size symbol(const plain *p, uint32_t slot) {
  char *name = as_format("@i%u", slot);
  as_size size = as_size_sym(p->sizes, name);
  free(name);
  return size;
}

/* ---- axes */
/* the loop, not of instances, whose rounds alone are numbered so */
static const as_tile_stmt *loop_of(as_tile_stmt *const *body, uint32_t n, const plain *p,
                                   as_size number) {
  for (uint32_t i = 0; i < n; i++) {
    if (body[i]->kind != AS_TILE_LOOP)
      continue;
    if (!body[i]->parallel && number == symbol(p, body[i]->slot))
      return body[i];
    const as_tile_stmt *inner = loop_of(body[i]->body, body[i]->n_body, p, number);
    if (inner)
      return inner;
  }
  return NULL;
}

static const axis *find_axis(plain *p, as_size number, as_size extent, as_size of_tile,
                             bool single) {
  for (uint32_t i = 0; i < p->axes.n; i++) {
    const axis *known = AS_VEC_AT(&p->axes, axis *, i);
    if (known->number == number && known->kernel == p->kernel)
      return known->extent == extent && known->tile == of_tile && known->single == single ? known
                                                                                          : NULL;
  }
  axis *own = as_arena_alloc(p->mem, sizeof *own);
  *own = (axis){.number = number,
                .extent = extent,
                .tile = of_tile,
                .single = single,
                .loop = loop_of(p->program->body, p->program->n_body, p, number),
                .id = (uint32_t)p->axes.n,
                .kernel = p->kernel};
  as_vec_push(&p->axes, &own);
  return own;
}

static bool read_axis(plain *p, const as_tile_stmt *stmt, uint32_t d, part *out) {
  const as_tile_scalar *x = stmt->place[d];
  as_size extent = p->program->tensor[stmt->tensor].dim[d];
  if (x->text->kind == AS_E_MOD && size_of(p, x->kid[1]) == extent)
    x = x->kid[0]; /* places beyond the end, which begin again */
  *out = (part){.position = size_of(p, x), .lane = AS_NONE};
  as_size start = out->position;
  for (uint32_t i = 0; i < stmt->n_lane && start != AS_SIZE_BAD; i++) {
    as_size lane = symbol(p, stmt->lane[i].slot);
    if (!as_size_mentions(p->sizes, start, lane))
      continue;
    as_size without = as_size_sub(p->sizes, start, lane);
    if (out->lane != AS_NONE || as_size_mentions(p->sizes, without, lane))
      return fail(p, stmt, "a place of several lanes");
    out->lane = i;
    start = without;
  }
  long zero;
  if (start == AS_SIZE_BAD)
    return fail(p, stmt, "a place that is data");
  bool at_start = as_size_is_const(p->sizes, start, &zero) && zero == 0;
  if (at_start && out->lane != AS_NONE)
    return true;
  as_size of_tile = out->lane == AS_NONE ? AS_SIZE_ONE : size_of(p, stmt->lane[out->lane].extent);
  as_size number = of_tile == AS_SIZE_BAD ? AS_SIZE_BAD : as_size_div(p->sizes, start, of_tile);
  if (number == AS_SIZE_BAD || as_size_mul(p->sizes, number, of_tile) != start)
    return fail(p, stmt, "a place that is no tile");
  out->of = find_axis(p, number, extent, of_tile, out->lane == AS_NONE);
  return out->of || fail(p, stmt, "tiles of several extents numbered alike");
}

/* ---- conditions */
typedef enum { HOLDS, FAILS, OPEN } truth;

/* does `left < right` say of a position that it is within a tensor? */
static bool is_bound(const plain *p, const as_tile_stmt *stmt, as_size left, as_size right) {
  as_size over = as_size_sub(p->sizes, left, right);
  for (uint32_t i = 0; i < p->n_order; i++) {
    as_size lane = symbol(p, p->order[i]);
    for (uint32_t k = 0; k < p->axes.n; k++) {
      const axis *known = AS_VEC_AT(&p->axes, axis *, k);
      as_size start = as_size_mul(p->sizes, known->number, known->tile);
      as_size at = known->single ? start : as_size_add(p->sizes, start, lane);
      if (over == as_size_sub(p->sizes, at, known->extent))
        return true;
    }
    /* a lane of a whole axis */
    for (uint32_t t = 0; t < p->program->n_tensor; t++) {
      const as_tile_tensor *tensor = &p->program->tensor[t];
      for (uint32_t d = 0; d < tensor->rank; d++) {
        if (over == as_size_sub(p->sizes, lane, tensor->dim[d]))
          return true;
      }
    }
  }
  (void)stmt;
  return false;
}

static truth holds(const plain *p, const as_tile_stmt *stmt, const as_tile_scalar *x) {
  if (x->text->kind == AS_E_NOT) {
    truth inner = holds(p, stmt, x->kid[0]);
    return inner == OPEN ? OPEN : inner == HOLDS ? FAILS : HOLDS;
  }
  if (x->text->kind == AS_E_AND || x->text->kind == AS_E_OR) {
    truth a = holds(p, stmt, x->kid[0]);
    truth b = holds(p, stmt, x->kid[1]);
    truth decides = x->text->kind == AS_E_AND ? FAILS : HOLDS;
    return a == decides || b == decides ? decides : a == OPEN || b == OPEN ? OPEN : a;
  }
  if (x->text->kind != AS_E_REL)
    return OPEN;
  if (x->text->rel == AS_REL_EQ && x->kid[0]->text->kind == AS_E_ACCESS &&
      p->first_round[x->kid[0]->id])
    return FAILS;
  as_size left = size_of(p, x->kid[0]);
  as_size right = size_of(p, x->kid[1]);
  return x->text->rel == AS_REL_LT && left != AS_SIZE_BAD && right != AS_SIZE_BAD &&
                 is_bound(p, stmt, left, right)
             ? HOLDS
             : OPEN;
}

/* ---- scalars as calls */
static tile bad(const plain *p, const as_tile_stmt *stmt, const char *what) {
  fail(p, stmt, what);
  return (tile){.text = NULL};
}

static uint32_t place_in_order(const plain *p, uint32_t slot) {
  for (uint32_t i = 0; i < p->n_order; i++) {
    if (p->order[i] == slot)
      return i;
  }
  return AS_NONE;
}

static bool is_text(const tile *t, const char *text) {
  return t->n == 0 && strcmp(t->text, text) == 0;
}

/* with its axes in the order of lanes */
static tile ordered(const plain *p, const as_tile_stmt *stmt, tile t) {
  bool in_order = true;
  for (uint32_t i = 1; i < t.n; i++)
    in_order = in_order && place_in_order(p, t.slot[i - 1]) < place_in_order(p, t.slot[i]);
  if (in_order)
    return t;
  if (t.n != 2)
    return bad(p, stmt, "axes in another order");
  return (tile){
      .text = keep(p, as_format("transpose(%s)", t.text)), .n = 2, .slot = {t.slot[1], t.slot[0]}};
}

static bool has(const tile *t, uint32_t slot) {
  for (uint32_t i = 0; i < t->n; i++) {
    if (t->slot[i] == slot)
      return true;
  }
  return false;
}

/* with an axis of extent 1 for each of the others that stands behind one of its own */
static char *spread(const plain *p, const tile *t, const uint32_t *all, uint32_t n) {
  char *text = t->text;
  bool begun = false;
  uint32_t axis_of = 0;
  for (uint32_t i = 0; i < n; i++) {
    begun = begun || has(t, all[i]);
    if (begun && !has(t, all[i]))
      text = keep(p, as_format("expand_dims(%s, axis=%u)", text, axis_of));
    axis_of += begun;
  }
  return text;
}

static tile both(const plain *p, const as_tile_stmt *stmt, const char *op, tile a, tile b) {
  tile out = {.n = 0};
  a = a.text ? ordered(p, stmt, a) : a;
  b = b.text ? ordered(p, stmt, b) : b;
  if (a.text == NULL || b.text == NULL)
    return (tile){.text = NULL};
  for (uint32_t i = 0; i < p->n_order; i++) {
    if (has(&a, p->order[i]) || has(&b, p->order[i])) {
      if (out.n == AS_MAX_RANK)
        return bad(p, stmt, "a tile of too many axes");
      out.slot[out.n++] = p->order[i];
    }
  }
  out.text = keep(p, as_format("%s(%s, %s)", op, spread(p, &a, out.slot, out.n),
                               spread(p, &b, out.slot, out.n)));
  return out;
}

static tile scalar(plain *p, const as_tile_stmt *stmt, const as_tile_scalar *x);

static tile access(const plain *p, const as_tile_stmt *stmt, const as_tile_scalar *x) {
  tile out = {.text = keep(p, as_strdup(x->text->name)), .n = x->n};
  if (p->constant[x->id])
    return (tile){.text = keep(p, as_strdup(p->constant[x->id]))};
  for (uint32_t i = 0; i < x->n; i++) {
    const as_tile_scalar *at = x->kid[i];
    if (at->text->kind != AS_E_NAME || at->meaning != AS_TILE_IS_INTEGER || has(&out, at->id) ||
        place_in_order(p, at->id) == AS_NONE)
      return bad(p, stmt, "an element of a tile at a computed place");
    out.slot[i] = at->id;
  }
  return out;
}

/* sum over the counter of a product of a tile with it and one without the other's axis */
static bool product(plain *p, const as_tile_stmt *stmt, const as_tile_scalar *x, tile *out) {
  const as_tile_scalar *body = x->kid[1];
  if (x->text->kind != AS_E_SUM || body->text->kind != AS_E_MUL)
    return false;
  tile a = scalar(p, stmt, body->kid[0]);
  tile b = scalar(p, stmt, body->kid[1]);
  if (a.text == NULL || b.text == NULL || a.n != 2 || b.n != 2 || !has(&a, x->id) ||
      !has(&b, x->id))
    return false;
  uint32_t i = a.slot[a.slot[0] == x->id];
  uint32_t j = b.slot[b.slot[0] == x->id];
  if (i == j)
    return false;
  if (place_in_order(p, i) > place_in_order(p, j)) {
    tile other = a;
    a = b;
    b = other;
    uint32_t index = i;
    i = j;
    j = index;
  }
  const char *left = a.slot[1] == x->id ? "%s" : "transpose(%s)";
  const char *right = b.slot[0] == x->id ? "%s" : "transpose(%s)";
  char *l = keep(p, left[0] == '%' ? as_strdup(a.text) : as_format("transpose(%s)", a.text));
  char *r = keep(p, right[0] == '%' ? as_strdup(b.text) : as_format("transpose(%s)", b.text));
  *out = (tile){.text = keep(p, as_format("matmul(%s, %s)", l, r)), .n = 2, .slot = {i, j}};
  return true;
}

static tile reduction(plain *p, const as_tile_stmt *stmt, const as_tile_scalar *x) {
  tile out;
  const char *op = x->text->kind == AS_E_SUM ? "sum" : x->text->kind == AS_E_MAXR ? "max" : "min";
  if (p->n_order == sizeof p->order / sizeof *p->order)
    return bad(p, stmt, "too many counters");
  p->order[p->n_order++] = x->id;
  p->of_integer[x->id] = symbol(p, x->id);
  bool found = product(p, stmt, x, &out);
  if (!found) {
    tile body = scalar(p, stmt, x->kid[1]);
    body = body.text ? ordered(p, stmt, body) : body;
    if (body.text && !has(&body, x->id))
      body = bad(p, stmt, "a reduction of what does not depend on its counter");
    out = (tile){.text = NULL};
    if (body.text) {
      out.text = keep(p, as_format("%s(%s, axis=%u)", op, body.text, body.n - 1));
      out.n = body.n - 1; /* the counter is the last one */
      memcpy(out.slot, body.slot, sizeof out.slot);
    }
  }
  p->n_order--;
  return out;
}

static const struct {
  as_ekind kind;
  const char *op;
} calls[] = {
    {AS_E_ADD, "add"},      {AS_E_SUB, "sub"},      {AS_E_MUL, "mul"}, {AS_E_FDIV, "div"},
    {AS_E_MAX2, "maximum"}, {AS_E_MIN2, "minimum"}, {AS_E_NEG, "neg"}, {AS_E_EXP, "exp"},
    {AS_E_LOG, "log"},      {AS_E_SQRT, "sqrt"},    {AS_E_ABS, "abs"},
};

static const char *operator_of(const as_tile_scalar *x) {
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    if (calls[i].kind == x->text->kind)
      return calls[i].op;
  }
  return NULL;
}

/* what an operation of 0 or 1 is; false: nothing simpler */
static bool simplified(as_ekind kind, const tile *a, const tile *b, tile *out) {
  static tile zero = {.text = "0"};
  bool adds = kind == AS_E_ADD;
  bool scales = kind == AS_E_MUL;
  if ((adds && is_text(a, "0")) || (scales && is_text(a, "1")))
    *out = *b;
  else if (((adds || kind == AS_E_SUB) && is_text(b, "0")) ||
           ((scales || kind == AS_E_FDIV) && is_text(b, "1")))
    *out = *a;
  else if (scales && (is_text(a, "0") || is_text(b, "0")))
    *out = zero;
  else
    return false;
  return true;
}

/* a choice by data between tiles of the same axes */
static tile choice(plain *p, const as_tile_stmt *stmt, const as_tile_scalar *x) {
  static const char *const compare[] = {[AS_REL_EQ] = "equal",
                                        [AS_REL_NE] = "not_equal",
                                        [AS_REL_LE] = "less_equal",
                                        [AS_REL_LT] = "less"};
  const as_tile_scalar *condition = x->kid[0];
  if (condition->text->kind != AS_E_REL)
    return bad(p, stmt, "a choice by more than one comparison, or by place");
  tile left = scalar(p, stmt, condition->kid[0]);
  tile right = left.text ? scalar(p, stmt, condition->kid[1]) : left;
  if (right.text == NULL)
    return right;
  tile of[3] = {both(p, stmt, compare[condition->text->rel], left, right)};
  for (uint32_t i = 1; i < 3; i++) {
    of[i] = of[i - 1].text ? scalar(p, stmt, x->kid[i]) : of[i - 1];
    of[i] = of[i].text ? ordered(p, stmt, of[i]) : of[i];
    if (of[i].text &&
        (of[i].n != of[0].n || memcmp(of[i].slot, of[0].slot, of[0].n * sizeof of[0].slot[0]) != 0))
      of[i] = bad(p, stmt, "a choice between tiles of other axes");
  }
  if (of[2].text)
    of[2].text = keep(p, as_format("select(%s, %s, %s)", of[0].text, of[1].text, of[2].text));
  return of[2];
}

static tile scalar(plain *p, const as_tile_stmt *stmt, const as_tile_scalar *x) {
  as_ekind kind = x->text->kind;
  tile out;
  if (kind == AS_E_NUM || (kind == AS_E_NAME && x->meaning == AS_TILE_IS_SIZE))
    return (tile){.text = keep(p, as_expr_print(x->text))};
  if (kind == AS_E_ACCESS)
    return access(p, stmt, x);
  if (kind == AS_E_SUM || kind == AS_E_MAXR || kind == AS_E_MINR)
    return reduction(p, stmt, x);
  if (kind == AS_E_IF) {
    truth of = holds(p, stmt, x->kid[0]);
    return of == OPEN ? choice(p, stmt, x) : scalar(p, stmt, x->kid[of == HOLDS ? 1 : 2]);
  }
  const char *op = operator_of(x);
  if (op == NULL || x->n == 0 || x->n > 2)
    return bad(p, stmt, "what no operator says");
  tile a = scalar(p, stmt, x->kid[0]);
  if (x->n == 1 && a.text && kind == AS_E_EXP && is_text(&a, "0"))
    return (tile){.text = keep(p, as_strdup("1"))};
  if (x->n == 1 && a.text)
    a.text = keep(p, as_format("%s(%s)", op, a.text));
  if (x->n == 1)
    return a;
  tile b = scalar(p, stmt, x->kid[1]);
  if (a.text == NULL || b.text == NULL)
    return (tile){.text = NULL};
  return simplified(kind, &a, &b, &out) ? out : both(p, stmt, op, a, b);
}

/* ---- statements */
static void take_lanes(plain *p, const as_tile_stmt *stmt) {
  p->n_order = 0;
  for (uint32_t i = 0; i < stmt->n_lane; i++) {
    p->of_integer[stmt->lane[i].slot] = symbol(p, stmt->lane[i].slot);
    p->order[p->n_order++] = stmt->lane[i].slot;
  }
}

static void add_size(plain *p, as_size size) {
  char *text = as_size_print(p->sizes, size);
  as_str_add(&p->out, text);
  free(text);
}

static void add_lane_extent(plain *p, const as_tile_stmt *stmt, uint32_t d, const part *at) {
  if (at->of)
    as_str_printf(&p->out, "tile_%u", at->of->id);
  else
    add_size(p, p->program->tensor[stmt->tensor].dim[d]);
}

static void add_place(plain *p, const as_tile_stmt *stmt, const part *at) {
  as_str_add(&p->out, "[");
  for (uint32_t d = 0; d < stmt->n_place; d++) {
    const char *lane = at[d].lane == AS_NONE ? NULL : stmt->lane[at[d].lane].name;
    as_str_add(&p->out, d ? ", " : "");
    if (at[d].of && lane)
      as_str_printf(&p->out, "at_%u * tile_%u + %s", at[d].of->id, at[d].of->id, lane);
    else if (at[d].of)
      as_str_printf(&p->out, "at_%u", at[d].of->id);
    else
      as_str_add(&p->out, lane);
  }
  as_str_add(&p->out, "]");
}

static void add_lanes(plain *p, const as_tile_stmt *stmt, const part *at) {
  bool first = true;
  as_str_add(&p->out, "[");
  for (uint32_t d = 0; d < stmt->n_place; d++) {
    if (at[d].lane == AS_NONE)
      continue;
    as_str_printf(&p->out, "%s%s < ", first ? "" : ", ", stmt->lane[at[d].lane].name);
    add_lane_extent(p, stmt, d, &at[d]);
    first = false;
  }
  as_str_add(&p->out, "]");
}

/* false with err; turned: lanes go by the axes in the other order */
static bool read_place(plain *p, const as_tile_stmt *stmt, part *at, bool *turned) {
  uint32_t n = 0;
  uint32_t lane[AS_MAX_RANK];
  for (uint32_t d = 0; d < stmt->n_place; d++) {
    if (!read_axis(p, stmt, d, &at[d]))
      return false;
    if (at[d].lane != AS_NONE)
      lane[n++] = at[d].lane;
  }
  *turned = n == 2 && lane[0] == 1;
  bool in_order = n == stmt->n_lane;
  for (uint32_t i = 0; i < n && !*turned; i++)
    in_order = in_order && lane[i] == i;
  if (!in_order || (*turned && lane[1] != 0))
    return fail(p, stmt, "lanes in another order than axes");
  return !stmt->mask || holds(p, stmt, stmt->mask) == HOLDS ||
         fail(p, stmt, "a mask that says something else than where a tensor ends");
}

static bool load(plain *p, const as_tile_stmt *stmt) {
  part at[AS_MAX_RANK];
  bool turned;
  take_lanes(p, stmt);
  if (!read_place(p, stmt, at, &turned))
    return false;
  as_str_printf(&p->out, "load %s%s", stmt->name, turned ? "_turned" : "");
  add_lanes(p, stmt, at);
  as_str_printf(&p->out, " = %s", p->program->tensor[stmt->tensor].name);
  add_place(p, stmt, at);
  as_str_add(&p->out, "\n");
  if (turned)
    as_str_printf(&p->out, "%s = transpose(%s_turned)\n", stmt->name, stmt->name);
  return true;
}

/* with all axes of the lanes, in their order; NULL with err */
static char *whole(const plain *p, const as_tile_stmt *stmt, tile made) {
  made = made.text ? ordered(p, stmt, made) : made;
  if (made.text && made.n != stmt->n_lane)
    made = bad(p, stmt, "a tile that is the same along an axis");
  return made.text;
}

static bool store(plain *p, const as_tile_stmt *stmt) {
  part at[AS_MAX_RANK];
  bool turned;
  take_lanes(p, stmt);
  if (!read_place(p, stmt, at, &turned))
    return false;
  char *text = stmt->whole_name ? keep(p, as_strdup(stmt->whole_name))
                                : whole(p, stmt, scalar(p, stmt, stmt->value));
  if (text == NULL)
    return false;
  as_str_printf(&p->out, turned ? "stored_%u = transpose(%s)\n" : "stored_%u = %s\n", p->names,
                text);
  as_str_printf(&p->out, "store %s", p->program->tensor[stmt->tensor].name);
  add_place(p, stmt, at);
  as_str_printf(&p->out, " = stored_%u over ", p->names++);
  add_lanes(p, stmt, at);
  as_str_add(&p->out, "\n");
  return true;
}

static bool make(plain *p, const as_tile_stmt *stmt) {
  if (p->constant[stmt->slot] || p->first_round[stmt->slot])
    return true;
  take_lanes(p, stmt);
  if (stmt->value->text->kind == AS_E_NUM) {
    as_str_printf(&p->out, "make %s[", stmt->name);
    for (uint32_t i = 0; i < stmt->n_lane; i++) {
      as_str_printf(&p->out, "%s%s < ", i ? ", " : "", stmt->lane[i].name);
      add_size(p, size_of(p, stmt->lane[i].extent));
    }
    char *number = as_expr_print(stmt->value->text);
    as_str_printf(&p->out, "] = %s\n", number);
    free(number);
    return true;
  }
  tile made = scalar(p, stmt, stmt->value);
  if (made.text && (is_text(&made, "0") || is_text(&made, "1"))) {
    p->constant[stmt->slot] = made.text;
    return true;
  }
  char *text = whole(p, stmt, made);
  if (text)
    as_str_printf(&p->out, "%s = %s\n", stmt->name, text);
  return text != NULL;
}

/* ---- what is carried */
static const as_tile_stmt *made_by(as_tile_stmt *const *body, uint32_t n,
                                   const as_tile_expr *name) {
  for (uint32_t i = 0; i < n && name->kind == AS_TILE_NAMED; i++) {
    if (body[i]->kind == AS_TILE_MAKE && name->meaning == AS_TILE_IS_TILE &&
        body[i]->slot == name->id)
      return body[i];
  }
  return NULL;
}

static bool is_number(const as_tile_stmt *stmt, long number) {
  return stmt && stmt->value && stmt->value->text->kind == AS_E_NUM &&
         mpq_cmp_si(stmt->value->text->num, number, 1) == 0;
}

/* is it the maximum of this tile and something, or a copy of such a tile? */
static bool is_maximum(const as_tile_stmt *loop, const as_tile_scalar *x, uint32_t slot,
                       const char **constant) {
  bool found = false;
  if (x->text->kind == AS_E_IF)
    found =
        is_maximum(loop, x->kid[1], slot, constant) || is_maximum(loop, x->kid[2], slot, constant);
  if (x->text->kind == AS_E_MAX2) {
    for (uint32_t i = 0; i < 2; i++)
      found = found || (x->kid[i]->text->kind == AS_E_ACCESS && x->kid[i]->id == slot);
  }
  for (uint32_t i = 0; i < loop->n_body && x->text->kind == AS_E_ACCESS; i++) {
    const as_tile_stmt *stmt = loop->body[i];
    if (stmt->kind == AS_TILE_MAKE && stmt->slot == x->id &&
        is_maximum(loop, stmt->value, slot, constant)) {
      constant[stmt->slot] = "0";
      found = true;
    }
  }
  return found;
}

static void find_shifts(plain *p, as_tile_stmt *const *around, uint32_t n,
                        const as_tile_stmt *loop) {
  for (uint32_t i = 0; i < loop->n_carry; i++) {
    const as_tile_carry *carry = &loop->carry[i];
    const as_tile_stmt *first = made_by(around, n, carry->first);
    const as_tile_stmt *next = made_by(loop->body, loop->n_body, carry->next);
    if (is_number(first, 1) && is_number(next, 0)) {
      p->first_round[carry->slot] = p->first_round[next->slot] = true;
    } else if (first && next && is_maximum(loop, next->value, carry->slot, p->constant)) {
      p->constant[carry->slot] = p->constant[next->slot] = "0";
    }
  }
}

static bool body(plain *p, as_tile_stmt *const *stmt, uint32_t n);

static bool add_carries(plain *p, const as_tile_stmt *stmt, bool next) {
  for (uint32_t i = 0; i < stmt->n_carry; i++) {
    const as_tile_carry *carry = &stmt->carry[i];
    const as_tile_expr *expr = next ? carry->next : carry->first;
    if (p->constant[carry->slot] || p->first_round[carry->slot])
      continue;
    if (expr->kind != AS_TILE_NAMED || carry->integers)
      return fail(p, stmt, "something else than a tile is carried");
    as_str_printf(&p->out, "%s %s = %s\n", next ? "next" : "carry", carry->name, expr->name);
  }
  return true;
}

static void add_loop(const plain *p, as_str *out, const char *word, const axis *of) {
  char *extent = as_size_print(p->sizes, of->extent);
  as_str_printf(out, "%s at_%u = 0 to ", word, of->id);
  if (of->single)
    as_str_printf(out, "%s\n", extent);
  else
    as_str_printf(out, "count_%u\n", of->id);
  free(extent);
}

/* A loop that carries nothing is one over instances; it is left out where no tiles are numbered by
 * its rounds alone. */
static bool loop(plain *p, const as_tile_stmt *stmt, as_tile_stmt *const *around, uint32_t n) {
  as_size step = stmt->step ? size_of(p, stmt->step) : AS_SIZE_ONE;
  as_size from = size_of(p, stmt->from);
  as_size rounds = as_size_mul(p->sizes, symbol(p, stmt->slot), step);
  p->of_integer[stmt->slot] = as_size_add(p->sizes, from, rounds);
  if (p->of_integer[stmt->slot] == AS_SIZE_BAD)
    return fail(p, stmt, "a loop whose bounds are data");
  find_shifts(p, around, n, stmt);
  as_str before = p->out;
  as_str_init(&p->out);
  bool ok = add_carries(p, stmt, false) && body(p, stmt->body, stmt->n_body) &&
            add_carries(p, stmt, true);
  const axis *of = NULL;
  for (uint32_t i = 0; i < p->axes.n; i++) {
    const axis *known = AS_VEC_AT(&p->axes, axis *, i);
    of = known->loop == stmt ? known : of;
  }
  char *text = as_str_take(&p->out);
  p->out = before;
  if (ok && of)
    add_loop(p, &p->out, stmt->n_carry ? "for" : "parallel", of);
  if (ok && of)
    as_str_printf(&p->out, "%send\n", text);
  else if (ok && stmt->n_carry)
    ok = fail(p, stmt, "what is carried does not go by tiles");
  else if (ok)
    as_str_add(&p->out, text);
  free(text);
  return ok;
}

static bool body(plain *p, as_tile_stmt *const *stmt, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    bool ok = true;
    switch (stmt[i]->kind) {
    case AS_TILE_LOOP:
      ok = loop(p, stmt[i], stmt, n);
      break;
    case AS_TILE_LOAD:
      ok = load(p, stmt[i]);
      break;
    case AS_TILE_STORE:
      ok = store(p, stmt[i]);
      break;
    case AS_TILE_MAKE:
      ok = make(p, stmt[i]);
      break;
    case AS_TILE_LET:
    case AS_TILE_ALLOC:
      ok = fail(p, stmt[i], "operators beside tiles that are made by element");
      break;
    }
    if (!ok)
      return false;
  }
  return true;
}

/* ---- the whole */
static bool kernel(plain *p, as_tile_stmt *const *stmt, as_str *out) {
  as_str_init(&p->out);
  bool ok = body(p, stmt, 1);
  char *text = as_str_take(&p->out);
  uint32_t n = 0;
  for (uint32_t i = 0; ok && i < p->axes.n; i++) {
    const axis *of = AS_VEC_AT(&p->axes, axis *, i);
    if (of->kernel != p->kernel || of->loop)
      continue;
    add_loop(p, out, "parallel", of);
    n++;
  }
  as_str_add(out, ok ? text : "");
  for (; n > 0; n--)
    as_str_add(out, "end\n");
  free(text);
  p->kernel++;
  return ok;
}

static void add_sizes(const plain *p, as_str *out) {
  const as_graph *own = p->program->sizes;
  for (uint32_t i = 0; i < own->n_own_size; i++) {
    long value = as_size_value(p->sizes, own->own_size[i]);
    as_str_printf(out, "sizes %s >= %ld", as_size_name(p->sizes, own->own_size[i]),
                  as_size_least(p->sizes, own->own_size[i]));
    if (value >= 0)
      as_str_printf(out, " = %ld", value);
    as_str_add(out, "\n");
  }
  for (uint32_t i = 0; i < p->axes.n; i++) {
    const axis *of = AS_VEC_AT(&p->axes, axis *, i);
    char *extent = as_size_print(p->sizes, of->extent);
    if (!of->single)
      as_str_printf(out, "sizes count_%u, tile_%u\nwhere %s = count_%u * tile_%u\n", of->id, of->id,
                    extent, of->id, of->id);
    free(extent);
  }
}

static void add_tensors(const plain *p, as_str *out) {
  for (uint32_t i = 0; i < p->program->n_tensor; i++) {
    const as_tile_tensor *tensor = &p->program->tensor[i];
    as_str_printf(out, "%s %s: %s[", as_tile_role_word(tensor->role), tensor->name,
                  as_tile_type_word(tensor->type));
    for (uint32_t d = 0; d < tensor->rank; d++) {
      char *extent = as_size_print(p->sizes, tensor->dim[d]);
      as_str_printf(out, "%s%s", d ? ", " : "", extent);
      free(extent);
    }
    as_str_add(out, "]\n");
  }
}

char *as_tile_plain(as_tile_program *program, as_err *err) {
  plain p = {.program = program, .sizes = program->sizes->sizes, .err = err};
  p.mem = as_arena_new();
  p.of_integer = as_malloc((program->n_integers + 1) * sizeof *p.of_integer);
  for (uint32_t i = 0; i < program->n_integers; i++)
    p.of_integer[i] = AS_SIZE_BAD;
  p.constant = as_calloc(program->n_tiles + 1, sizeof *p.constant);
  p.first_round = as_calloc(program->n_tiles + 1, sizeof *p.first_round);
  as_vec_init(&p.axes, sizeof(axis *));
  as_str kernels;
  as_str out;
  as_str_init(&kernels);
  as_str_init(&out);
  bool ok = true;
  for (uint32_t i = 0; ok && i < program->n_body; i++)
    ok = kernel(&p, &program->body[i], &kernels);
  as_str_printf(&out, "tile %s\n", program->name);
  add_sizes(&p, &out);
  add_tensors(&p, &out);
  char *text = as_str_take(&kernels);
  as_str_add(&out, text);
  free(text);
  text = as_str_take(&out);
  as_vec_clear(&p.axes);
  as_arena_free(p.mem);
  free(p.of_integer);
  free(p.constant);
  free(p.first_round);
  if (ok)
    return text;
  free(text);
  return NULL;
}
