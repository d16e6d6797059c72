/* Places of tiles made element by element: axes that they go by, and where tensors end. */
#include "plain_int.h"
#include <stdlib.h>

bool pl_fail(const pl_program *p, const as_tile_stmt *stmt, const char *what) {
  return as_err_set(p->err, AS_BAD_INPUT, "line %d: %s", stmt->line, what);
}

char *pl_keep(const pl_program *p, char *text) {
  char *own = as_arena_strdup(p->mem, text);
  free(text);
  return own;
}

/* ---- integers */
as_size pl_size(const pl_program *p, const as_tile_scalar *x) {
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
  as_size a = pl_size(p, x->kid[0]);
  as_size b = pl_size(p, x->kid[1]);
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

as_size pl_symbol(const pl_program *p, uint32_t slot) {
  char *name = as_format("@i%u", slot);
  as_size size = as_size_sym(p->sizes, name);
  free(name);
  return size;
}

/* ---- axes */
as_size pl_shown(const pl_program *p, const as_tile_tensor *tensor, uint32_t d) {
  long number;
  int64_t value;
  as_node_id id = as_graph_find(p->given, AS_NONE, tensor->name);
  if (id == AS_NONE || p->given->node[id].rank != tensor->rank ||
      !as_size_is_const(p->sizes, tensor->dim[d], &number))
    return tensor->dim[d];
  as_size size = p->given->node[id].dim[d];
  return as_graph_concrete(p->given, size, &value) && value == number ? size : tensor->dim[d];
}

/* the loop, not of instances, whose rounds alone are numbered so */
static const as_tile_stmt *loop_of(as_tile_stmt *const *body, uint32_t n, const pl_program *p,
                                   as_size number) {
  for (uint32_t i = 0; i < n; i++) {
    if (body[i]->kind != AS_TILE_LOOP)
      continue;
    if (!body[i]->parallel && number == pl_symbol(p, body[i]->slot))
      return body[i];
    const as_tile_stmt *inner = loop_of(body[i]->body, body[i]->n_body, p, number);
    if (inner)
      return inner;
  }
  return NULL;
}

static const pl_axis *find_axis(pl_program *p, as_size number, const as_tile_tensor *tensor,
                                uint32_t d, as_size of_tile, bool single) {
  as_size extent = tensor->dim[d];
  as_size shown = pl_shown(p, tensor, d);
  for (uint32_t i = 0; i < p->axes.n; i++) {
    const pl_axis *known = AS_VEC_AT(&p->axes, pl_axis *, i);
    if (known->number == number && known->kernel == p->kernel)
      return known->extent == extent && known->shown == shown && known->tile == of_tile &&
                     known->single == single
                 ? known
                 : NULL;
  }
  pl_axis *own = as_arena_alloc(p->mem, sizeof *own);
  *own = (pl_axis){.number = number,
                   .extent = extent,
                   .shown = shown,
                   .tile = of_tile,
                   .single = single,
                   .loop = loop_of(p->program->body, p->program->n_body, p, number),
                   .id = (uint32_t)p->axes.n,
                   .kernel = p->kernel};
  as_vec_push(&p->axes, &own);
  return own;
}

bool pl_read_axis(pl_program *p, const as_tile_stmt *stmt, uint32_t d, pl_part *out) {
  const as_tile_scalar *x = stmt->place[d];
  as_size extent = p->program->tensor[stmt->tensor].dim[d];
  if (x->text->kind == AS_E_MOD && pl_size(p, x->kid[1]) == extent)
    x = x->kid[0]; /* places beyond the end, which begin again */
  *out = (pl_part){.position = pl_size(p, x), .lane = AS_NONE};
  as_size start = out->position;
  for (uint32_t i = 0; i < stmt->n_lane && start != AS_SIZE_BAD; i++) {
    as_size lane = pl_symbol(p, stmt->lane[i].slot);
    if (!as_size_mentions(p->sizes, start, lane))
      continue;
    as_size without = as_size_sub(p->sizes, start, lane);
    if (out->lane != AS_NONE || as_size_mentions(p->sizes, without, lane))
      return pl_fail(p, stmt, "a place of several lanes");
    out->lane = i;
    start = without;
  }
  long zero;
  if (start == AS_SIZE_BAD)
    return pl_fail(p, stmt, "a place that is data");
  bool at_start = as_size_is_const(p->sizes, start, &zero) && zero == 0;
  if (at_start && out->lane != AS_NONE)
    return true;
  as_size of_tile = out->lane == AS_NONE ? AS_SIZE_ONE : pl_size(p, stmt->lane[out->lane].extent);
  as_size number = of_tile == AS_SIZE_BAD ? AS_SIZE_BAD : as_size_div(p->sizes, start, of_tile);
  if (number == AS_SIZE_BAD || as_size_mul(p->sizes, number, of_tile) != start)
    return pl_fail(p, stmt, "a place that is no tile");
  out->of =
      find_axis(p, number, &p->program->tensor[stmt->tensor], d, of_tile, out->lane == AS_NONE);
  return out->of || pl_fail(p, stmt, "tiles of several extents numbered alike");
}

/* ---- conditions */

/* is this a position, minus the extent of the axis that it is in? */
static bool is_over(const pl_program *p, as_size over, const pl_axis *of, as_size lane) {
  as_size start = as_size_mul(p->sizes, of->number, of->tile);
  as_size at = of->single ? start : as_size_add(p->sizes, start, lane);
  return of->kernel == p->kernel && over == as_size_sub(p->sizes, at, of->extent);
}

/* is it a lane, minus the extent of an axis that it may be all of? */
static bool is_over_whole(const pl_program *p, as_size over, as_size lane) {
  for (uint32_t t = 0; t < p->program->n_tensor; t++) {
    const as_tile_tensor *tensor = &p->program->tensor[t];
    for (uint32_t d = 0; d < tensor->rank; d++) {
      if (over == as_size_sub(p->sizes, lane, tensor->dim[d]))
        return true;
    }
  }
  return false;
}

/* does `left < right` say of a position that it is within a tensor? */
static bool is_bound(const pl_program *p, as_size left, as_size right) {
  as_size over = as_size_sub(p->sizes, left, right);
  for (uint32_t i = 0; i < p->n_order; i++) {
    as_size lane = pl_symbol(p, p->order[i]);
    for (uint32_t k = 0; k < p->axes.n; k++) {
      if (is_over(p, over, AS_VEC_AT(&p->axes, pl_axis *, k), lane))
        return true;
    }
    if (is_over_whole(p, over, lane))
      return true;
  }
  for (uint32_t k = 0; k < p->axes.n; k++) {
    const pl_axis *of = AS_VEC_AT(&p->axes, pl_axis *, k);
    if (of->single && is_over(p, over, of, AS_SIZE_BAD))
      return true;
  }
  return false;
}

pl_truth pl_holds(const pl_program *p, const as_tile_scalar *x) {
  if (x->text->kind == AS_E_NOT) {
    pl_truth inner = pl_holds(p, x->kid[0]);
    return inner == PL_OPEN ? PL_OPEN : inner == PL_HOLDS ? PL_FAILS : PL_HOLDS;
  }
  if (x->text->kind == AS_E_AND || x->text->kind == AS_E_OR) {
    pl_truth a = pl_holds(p, x->kid[0]);
    pl_truth b = pl_holds(p, x->kid[1]);
    pl_truth decides = x->text->kind == AS_E_AND ? PL_FAILS : PL_HOLDS;
    return a == decides || b == decides ? decides : a == PL_OPEN || b == PL_OPEN ? PL_OPEN : a;
  }
  if (x->text->kind != AS_E_REL)
    return PL_OPEN;
  if (x->text->rel == AS_REL_EQ && x->kid[0]->text->kind == AS_E_ACCESS &&
      p->first_round[x->kid[0]->id])
    return PL_FAILS;
  as_size left = pl_size(p, x->kid[0]);
  as_size right = pl_size(p, x->kid[1]);
  return x->text->rel == AS_REL_LT && left != AS_SIZE_BAD && right != AS_SIZE_BAD &&
                 is_bound(p, left, right)
             ? PL_HOLDS
             : PL_OPEN;
}
