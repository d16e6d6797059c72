/* Sums of products read as matrix products.  The factors are divided into two groups by the
 * result's axes they depend on: axes of one group alone are rows, of the other alone columns, of
 * both batch axes. */
#include "fault.h"
#include "job.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>
#define MAX_FACTORS 16

static bool factors(lx *expr, lx **factor, int *n) {
  if (expr->op == LX_MUL)
    return factors(expr->kid[0], factor, n) && factors(expr->kid[1], factor, n);
  if (*n == MAX_FACTORS)
    return false;
  factor[(*n)++] = expr;
  return true;
}

static unsigned var_set(const lx *expr, int nvar) {
  unsigned axes = 0;
  for (int i = 0; i < nvar; i++) {
    if (lx_uses_var(expr, i))
      axes |= 1u << i;
  }
  return axes;
}

/* a read of a tensor with every index a variable of its own or an integer */
static bool plain_ref(const lx *expr) {
  unsigned seen = 0;
  if (expr->op != LX_REF)
    return false;
  for (int i = 0; i < expr->n; i++) {
    if (expr->kid[i]->op == LX_INT)
      continue;
    if (expr->kid[i]->op != LX_VAR || (seen >> expr->kid[i]->number & 1))
      return false;
    seen |= 1u << expr->kid[i]->number;
  }
  return true;
}

/* the product of a group as an operand: the tensor itself, or a new map over (batch, rows, k) */
static lx *operand(lo_job *job, lo_unit *unit, uint32_t val, lx **factor, int n, const char *side) {
  if (n == 1 && plain_ref(factor[0]))
    return factor[0];
  const lo_value *result = &job->value[val];
  lx *body = factor[0];
  lx *inner[9] = {0};
  lx *outer[9];
  for (int i = 1; i < n; i++)
    body = lx_mk(job, LX_MUL, 2, (lx *[]){body, factor[i]});
  long dim[9];
  int rank = 0;
  for (int i = 0; i <= result->rank; i++) {
    if (i < result->rank && !lx_uses_var(body, i))
      continue;
    inner[i] = lx_var(job, rank);
    outer[rank] = lx_var(job, i);
    dim[rank++] = i < result->rank ? result->dim[i] : result->extent;
  }
  if (rank > 8)
    return NULL;
  char *name = as_format("%s_%s", result->name, side);
  body = lx_subst(job, body, inner, result->rank + 1);
  uint32_t id = lo_new_val(job, LV_MAP, name, rank, dim);
  free(name);
  job->value[id].body = body;
  /* in front of its user, to keep definitions before uses */
  lo_unit_add(job, unit, id);
  uint32_t at_pos = 0;
  while (unit->val[at_pos] != val)
    at_pos++;
  memmove(&unit->val[at_pos + 1], &unit->val[at_pos], (unit->n - 1 - at_pos) * sizeof *unit->val);
  unit->val[at_pos] = id;
  return lx_ref(job, id, rank, outer);
}

static long pad(long count, long multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

/* the condition under which the reduced index is within what is left of a tile, where the body is
 * `if (k < left) .. else 0`: then *body becomes what is chosen; NULL: it is not of this form */
static lx *within_cut(lx **body, int rank) {
  lx *choice = *body;
  if (choice->op != LX_IF || choice->kid[2]->op != LX_NUM || choice->kid[2]->real < 0 ||
      choice->kid[2]->real > 0)
    return NULL;
  lx *test = choice->kid[0];
  if (test->op != LX_LT || test->kid[0]->op != LX_VAR || test->kid[0]->number != rank ||
      test->kid[1]->op != LX_CUT)
    return NULL;
  *body = choice->kid[1];
  return test;
}

/* a tile as it was copied, with zeros where k is beyond what is left */
static bool zero_beyond(const lo_job *job, const lx *expr, const lx *within) {
  if (!plain_ref(expr) || job->value[expr->val].kind != LV_LOAD)
    return false;
  for (int i = 0; i < expr->n; i++) {
    bool by_depth = expr->kid[i]->op == LX_VAR && expr->kid[i]->number == within->kid[0]->number;
    if (by_depth && job->value[expr->val].cut[i] == (uint32_t)within->kid[1]->number)
      return true;
  }
  return false;
}

/* The product of factors is to be 0 beyond what is left: so are the tiles that are copied, and of
 * others, which can be any number there, one factor is. */
static void cut_factors(lo_job *job, lx **factor, int n, lx *within) {
  if (within == NULL || (n == 1 && zero_beyond(job, factor[0], within)))
    return;
  lx *product = factor[0];
  for (int i = 1; i < n; i++)
    product = lx_mk(job, LX_MUL, 2, (lx *[]){product, factor[i]});
  factor[0] = lx_mk(job, LX_IF, 3, (lx *[]){within, product, lx_num(job, 0)});
}

bool lo_contraction(lo_job *job, lo_unit *unit, uint32_t val) {
  const lo_value *value = &job->value[val];
  lx *body = value->body;
  lx *factor[MAX_FACTORS];
  lx *left_factor[MAX_FACTORS];
  lx *right_factor[MAX_FACTORS];
  int n = 0;
  int n_left = 0;
  int n_right = 0;
  int rank = value->rank;
  lx *within = value->kind == LV_RED ? within_cut(&body, rank) : NULL;
  if (!job->is16 || job->options->no_mma || value->kind != LV_RED || value->red != LO_SUM ||
      rank > 7 || lx_has_whole(value->body) || !factors(body, factor, &n) || n < 2)
    return false;
  unsigned left_axes = 0;
  unsigned right_axes = 0;
  bool started = false;
  for (int i = 0; i < n; i++) { /* the first factor with an axis opens group A; those within A's
                                   axes join it, the rest make B */
    unsigned axes = var_set(factor[i], rank);
    if (!started && axes) {
      left_axes = axes;
      started = true;
      left_factor[n_left++] = factor[i];
    } else if (!(axes & ~left_axes)) {
      left_factor[n_left++] = factor[i];
    } else {
      right_axes |= axes;
      right_factor[n_right++] = factor[i];
    }
  }
  for (int i = 0; i < rank; i++) {
    if (value->dim[i] == 1 && !((left_axes | right_axes) >> i & 1)) {
      left_axes |= 1u << i;
      right_axes |= 1u << i;
    } /* written as 0 */
  }
  if (!n_left || !n_right || (left_axes | right_axes) != (1u << rank) - 1u)
    return false;
  if (LO_FAULT(LO_FAULT_CONTRACTION) && n_left > 1)
    n_left--;
  lo_mma product = {.on = true,
                    .batches = 1,
                    .rows = 1,
                    .columns = 1,
                    .depth = value->extent,
                    .type = job->type16,
                    .tiles_batch = 1};
  for (int i = 0; i < rank; i++) {
    bool ina = left_axes >> i & 1;
    bool inb = right_axes >> i & 1;
    if (ina && inb) {
      product.batch_axis[product.n_batch_axis++] = i;
      product.batches *= value->dim[i];
    } else if (ina) {
      product.row_axis[product.n_row_axis++] = i;
      product.rows *= value->dim[i];
    } else {
      product.column_axis[product.n_column_axis++] = i;
      product.columns *= value->dim[i];
    }
  }
  if (product.rows < 1 || product.columns < 1 || product.batches < 1 || product.depth < 1)
    return false;
  double useful = (double)product.rows * (double)product.columns * (double)product.depth;
  double cost_plain = (double)pad(product.rows, 16) * (double)pad(product.columns, 8);
  double cost_swapped = (double)pad(product.columns, 16) * (double)pad(product.rows, 8);
  if ((cost_plain < cost_swapped ? cost_plain : cost_swapped) * (double)pad(product.depth, 16) >
      16 * useful)
    return false; /* mostly padding: the scalar path is as good */
  bool left_uses_k = false;
  bool right_uses_k = false;
  for (int i = 0; i < n_left; i++)
    left_uses_k = left_uses_k || lx_uses_var(left_factor[i], rank);
  for (int i = 0; i < n_right; i++)
    right_uses_k = right_uses_k || lx_uses_var(right_factor[i], rank);
  if (!left_uses_k || !right_uses_k)
    return false;
  cut_factors(job, left_factor, n_left, within);
  cut_factors(job, right_factor, n_right, within);
  product.a_read = operand(job, unit, val, left_factor, within ? 1 : n_left, "a");
  product.b_read = operand(job, unit, val, right_factor, within ? 1 : n_right, "b");
  if (!product.a_read || !product.b_read)
    return false;
  product.a_value = product.a_read->val;
  product.b_value = product.b_read->val;
  job->value[val].mma = product;
  job->value[val].body = lx_mk(job, LX_MUL, 2, (lx *[]){product.a_read, product.b_read});
  return true;
}
