/* Scalars of lanes as calls of operators over tiles. */
#include "plain_int.h"
#include "src/base/id.h"
#include <string.h>

/* ---- scalars as calls */
pl_tile pl_bad(const pl_program *p, const as_tile_stmt *stmt, const char *what) {
  pl_fail(p, stmt, what);
  return (pl_tile){.text = NULL};
}

static uint32_t place_in_order(const pl_program *p, uint32_t slot) {
  for (uint32_t i = 0; i < p->n_order; i++) {
    if (p->order[i] == slot)
      return i;
  }
  return AS_NONE;
}

bool pl_is_text(const pl_tile *t, const char *text) {
  return t->n == 0 && strcmp(t->text, text) == 0;
}

/* with its axes in the order of lanes */
pl_tile pl_ordered(const pl_program *p, const as_tile_stmt *stmt, pl_tile t) {
  bool in_order = true;
  for (uint32_t i = 1; i < t.n; i++)
    in_order = in_order && place_in_order(p, t.slot[i - 1]) < place_in_order(p, t.slot[i]);
  if (in_order)
    return t;
  if (t.n != 2)
    return pl_bad(p, stmt, "axes in another order");
  return (pl_tile){.text = pl_keep(p, as_format("transpose(%s)", t.text)),
                   .n = 2,
                   .slot = {t.slot[1], t.slot[0]}};
}

/* with an axis of extent 1 for each of the others that stands behind one of its own */
static char *spread(const pl_program *p, const pl_tile *t, const uint32_t *all, uint32_t n) {
  char *text = t->text;
  bool begun = false;
  uint32_t axis_of = 0;
  for (uint32_t i = 0; i < n; i++) {
    begun = begun || as_id_among(t->slot, t->n, all[i]);
    if (begun && !as_id_among(t->slot, t->n, all[i]))
      text = pl_keep(p, as_format("expand_dims(%s, axis=%u)", text, axis_of));
    axis_of += begun;
  }
  return text;
}

static pl_tile both(const pl_program *p, const as_tile_stmt *stmt, const char *op, pl_tile a,
                    pl_tile b) {
  pl_tile out = {.n = 0};
  a = a.text ? pl_ordered(p, stmt, a) : a;
  b = b.text ? pl_ordered(p, stmt, b) : b;
  if (a.text == NULL || b.text == NULL)
    return (pl_tile){.text = NULL};
  for (uint32_t i = 0; i < p->n_order; i++) {
    if (as_id_among(a.slot, a.n, p->order[i]) || as_id_among(b.slot, b.n, p->order[i])) {
      if (out.n == AS_MAX_RANK)
        return pl_bad(p, stmt, "a tile of too many axes");
      out.slot[out.n++] = p->order[i];
    }
  }
  out.text = pl_keep(p, as_format("%s(%s, %s)", op, spread(p, &a, out.slot, out.n),
                                  spread(p, &b, out.slot, out.n)));
  return out;
}

static pl_tile access(const pl_program *p, const as_tile_stmt *stmt, const as_tile_scalar *x) {
  pl_tile out = {.text = pl_keep(p, as_strdup(x->text->name)), .n = x->n};
  if (p->constant[x->id])
    return (pl_tile){.text = pl_keep(p, as_strdup(p->constant[x->id]))};
  for (uint32_t i = 0; i < x->n; i++) {
    const as_tile_scalar *at = x->kid[i];
    if (at->text->kind != AS_E_NAME || at->meaning != AS_TILE_IS_INTEGER ||
        as_id_among(out.slot, out.n, at->id) || place_in_order(p, at->id) == AS_NONE)
      return pl_bad(p, stmt, "an element of a tile at a computed place");
    out.slot[i] = at->id;
  }
  return out;
}

static char *transposed(const pl_program *p, const char *text) {
  return pl_keep(p, as_format("transpose(%s)", text));
}

/* sum over the counter of a product of a tile with it and one without the other's axis */
static bool product(pl_program *p, const as_tile_stmt *stmt, const as_tile_scalar *x,
                    pl_tile *out) {
  const as_tile_scalar *body = x->kid[1];
  if (x->text->kind != AS_E_SUM || body->text->kind != AS_E_MUL)
    return false;
  pl_tile a = pl_scalar(p, stmt, body->kid[0]);
  pl_tile b = pl_scalar(p, stmt, body->kid[1]);
  if (a.text == NULL || b.text == NULL || a.n != 2 || b.n != 2 ||
      !as_id_among(a.slot, a.n, x->id) || !as_id_among(b.slot, b.n, x->id))
    return false;
  uint32_t i = a.slot[a.slot[0] == x->id];
  uint32_t j = b.slot[b.slot[0] == x->id];
  if (i == j)
    return false;
  if (place_in_order(p, i) > place_in_order(p, j)) {
    const pl_tile first = a;
    const uint32_t row = i;
    a = b;
    b = first;
    i = j;
    j = row;
  }
  char *left = a.slot[1] == x->id ? a.text : transposed(p, a.text);
  char *right = b.slot[0] == x->id ? b.text : transposed(p, b.text);
  *out = (pl_tile){
      .text = pl_keep(p, as_format("matmul(%s, %s)", left, right)), .n = 2, .slot = {i, j}};
  return true;
}

static pl_tile reduction(pl_program *p, const as_tile_stmt *stmt, const as_tile_scalar *x) {
  pl_tile out;
  const char *op = x->text->kind == AS_E_SUM ? "sum" : x->text->kind == AS_E_MAXR ? "max" : "min";
  if (p->n_order == sizeof p->order / sizeof *p->order)
    return pl_bad(p, stmt, "too many counters");
  p->order[p->n_order++] = x->id;
  p->of_integer[x->id] = pl_symbol(p, x->id);
  bool found = product(p, stmt, x, &out);
  if (!found) {
    pl_tile body = pl_scalar(p, stmt, x->kid[1]);
    body = body.text ? pl_ordered(p, stmt, body) : body;
    if (body.text && !as_id_among(body.slot, body.n, x->id))
      body = pl_bad(p, stmt, "a reduction of what does not depend on its counter");
    out = (pl_tile){.text = NULL};
    if (body.text) {
      out.text = pl_keep(p, as_format("%s(%s, axis=%u)", op, body.text, body.n - 1));
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

/* a function is an operator by its own name */
static const char *operator_of(const pl_program *p, const as_tile_scalar *x) {
  if (x->text->kind == AS_E_CALL && x->text->func)
    return as_oplib_find(p->program->lib, x->text->func->name) ? x->text->func->name : NULL;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    if (calls[i].kind == x->text->kind)
      return calls[i].op;
  }
  return NULL;
}

/* what an operation of 0 or 1 is; false: nothing simpler */
static bool simplified(as_ekind kind, const pl_tile *a, const pl_tile *b, pl_tile *out) {
  static pl_tile zero = {.text = "0"};
  bool adds = kind == AS_E_ADD;
  bool scales = kind == AS_E_MUL;
  if ((adds && pl_is_text(a, "0")) || (scales && pl_is_text(a, "1")))
    *out = *b;
  else if (((adds || kind == AS_E_SUB) && pl_is_text(b, "0")) ||
           ((scales || kind == AS_E_FDIV) && pl_is_text(b, "1")))
    *out = *a;
  else if (scales && (pl_is_text(a, "0") || pl_is_text(b, "0")))
    *out = zero;
  else
    return false;
  return true;
}

/* a choice by data between tiles of the same axes */
static pl_tile choice(pl_program *p, const as_tile_stmt *stmt, const as_tile_scalar *x) {
  static const char *const compare[] = {[AS_REL_EQ] = "equal",
                                        [AS_REL_NE] = "not_equal",
                                        [AS_REL_LE] = "less_equal",
                                        [AS_REL_LT] = "less"};
  const as_tile_scalar *condition = x->kid[0];
  if (condition->text->kind != AS_E_REL)
    return pl_bad(p, stmt, "a choice by more than one comparison, or by place");
  pl_tile left = pl_scalar(p, stmt, condition->kid[0]);
  pl_tile right = left.text ? pl_scalar(p, stmt, condition->kid[1]) : left;
  if (right.text == NULL)
    return right;
  pl_tile of[3] = {both(p, stmt, compare[condition->text->rel], left, right)};
  for (uint32_t i = 1; i < 3; i++) {
    of[i] = of[i - 1].text ? pl_scalar(p, stmt, x->kid[i]) : of[i - 1];
    of[i] = of[i].text ? pl_ordered(p, stmt, of[i]) : of[i];
    if (of[i].text &&
        (of[i].n != of[0].n || memcmp(of[i].slot, of[0].slot, of[0].n * sizeof of[0].slot[0]) != 0))
      of[i] = pl_bad(p, stmt, "a choice between tiles of other axes");
  }
  if (of[2].text)
    of[2].text = pl_keep(p, as_format("select(%s, %s, %s)", of[0].text, of[1].text, of[2].text));
  return of[2];
}

/* A number that is an extent is that size of the given program. */
static pl_tile number(const pl_program *p, const as_tile_scalar *x) {
  for (uint32_t t = 0; x->text->kind == AS_E_NUM && t < p->program->n_tensor; t++) {
    const as_tile_tensor *tensor = &p->program->tensor[t];
    for (uint32_t d = tensor->rank; d-- > 0;) {
      as_size shown = pl_shown(p, tensor, d);
      if (shown != tensor->dim[d] && as_size_is_sym(p->sizes, shown) &&
          pl_size(p, x) == tensor->dim[d])
        return (pl_tile){.text = pl_keep(p, as_size_print(p->sizes, shown))};
    }
  }
  return (pl_tile){.text = pl_keep(p, as_expr_print(x->text))};
}

pl_tile pl_scalar(pl_program *p, const as_tile_stmt *stmt, const as_tile_scalar *x) {
  as_ekind kind = x->text->kind;
  pl_tile out;
  if (kind == AS_E_NUM || (kind == AS_E_NAME && x->meaning == AS_TILE_IS_SIZE))
    return number(p, x);
  if (kind == AS_E_ACCESS)
    return access(p, stmt, x);
  if (kind == AS_E_SUM || kind == AS_E_MAXR || kind == AS_E_MINR)
    return reduction(p, stmt, x);
  if (kind == AS_E_IF) {
    pl_truth of = pl_holds(p, x->kid[0]);
    return of == PL_OPEN ? choice(p, stmt, x) : pl_scalar(p, stmt, x->kid[of == PL_HOLDS ? 1 : 2]);
  }
  const char *op = operator_of(p, x);
  if (op == NULL || x->n == 0 || x->n > 2)
    return pl_bad(p, stmt, "what no operator says");
  pl_tile a = pl_scalar(p, stmt, x->kid[0]);
  if (x->n == 1 && a.text && kind == AS_E_EXP && pl_is_text(&a, "0"))
    return (pl_tile){.text = pl_keep(p, as_strdup("1"))};
  if (x->n == 1 && a.text)
    a.text = pl_keep(p, as_format("%s(%s)", op, a.text));
  if (x->n == 1)
    return a;
  pl_tile b = pl_scalar(p, stmt, x->kid[1]);
  if (a.text == NULL || b.text == NULL)
    return (pl_tile){.text = NULL};
  return simplified(kind, &a, &b, &out) ? out : both(p, stmt, op, a, b);
}
