/* Axes of the result are rows, columns or batch by the operands that depend on them; those of one
 * kind are joined where they are one axis in memory. */
#include "gemm.h"
#include <string.h>

#define ZERO 0u /* the size 0, in every table */

typedef struct {
  lo_gemm_axis axis[LO_GEMM_MOST_AXES];
  int n;
} axis_list;

static void append(axis_list *list, const lo_gemm_axis *axis) {
  list->axis[list->n++] = *axis;
}

/* are both one axis in memory, in a tensor of these two strides? */
static bool joins(as_sizes *sizes, as_size outer, as_size inner, as_size inner_extent) {
  return outer == as_size_mul(sizes, inner, inner_extent);
}

/* joins each axis with the next one where every tensor allows it */
static void join(as_sizes *sizes, axis_list *list) {
  int kept = 0;
  for (int i = 1; i < list->n; i++) {
    lo_gemm_axis *outer = &list->axis[kept];
    const lo_gemm_axis *inner = &list->axis[i];
    bool one = joins(sizes, outer->left, inner->left, inner->extent) &&
               joins(sizes, outer->right, inner->right, inner->extent) &&
               joins(sizes, outer->result, inner->result, inner->extent);
    if (one) {
      as_size extent = as_size_mul(sizes, outer->extent, inner->extent);
      *outer = *inner;
      outer->extent = extent;
    } else {
      list->axis[++kept] = *inner;
    }
  }
  list->n = list->n ? kept + 1 : 0;
}

/* all but the innermost become axes of the batch, outside of those that it has */
static void leave_one(axis_list *list, axis_list *batch) {
  axis_list all = {.n = 0};
  for (int i = 0; i + 1 < list->n; i++)
    append(&all, &list->axis[i]);
  for (int i = 0; i < batch->n; i++)
    append(&all, &batch->axis[i]);
  if (list->n > 1) {
    list->axis[0] = list->axis[list->n - 1];
    list->n = 1;
    *batch = all;
  }
}

static const char *divide(const lo_gemm_product *product, axis_list *rows, axis_list *columns,
                          axis_list *batch) {
  rows->n = columns->n = batch->n = 0;
  for (int i = 0; i < product->n_axis; i++) {
    const lo_gemm_axis *axis = &product->axis[i];
    if (axis->extent == AS_SIZE_ONE)
      continue;
    if (axis->left == ZERO && axis->right == ZERO)
      return "the result repeats along an axis that no operand has";
    append(axis->right == ZERO ? rows : axis->left == ZERO ? columns : batch, axis);
  }
  return rows->n || columns->n ? NULL : "no operand has an axis of its own";
}

static as_size extent_of(const axis_list *list) {
  return list->n ? list->axis[0].extent : AS_SIZE_ONE;
}

/* is there room for a column between the beginnings of two? */
static bool is_apart(as_sizes *sizes, const int64_t *at, as_size leading, as_size rows) {
  int64_t room = as_size_eval(sizes, leading, at);
  int64_t needed = as_size_eval(sizes, rows, at);
  return room != INT64_MIN && needed != INT64_MIN && room > 0 && room >= needed;
}

/* A matrix of `outer` times `inner` elements by their strides, whose columns go along `inner` if
 * its stride is 1, else along `outer`, transposed.  An axis of one element has any stride. */
static bool place(as_sizes *sizes, const int64_t *at, as_size inner, as_size inner_stride,
                  as_size outer, as_size outer_stride, lo_gemm_matrix *matrix) {
  bool inner_runs = inner_stride == AS_SIZE_ONE || inner == AS_SIZE_ONE;
  bool outer_runs = outer_stride == AS_SIZE_ONE || outer == AS_SIZE_ONE;
  if (!inner_runs && !outer_runs)
    return false;
  matrix->transposed = !inner_runs;
  matrix->rows = inner_runs ? inner : outer;
  matrix->columns = inner_runs ? outer : inner;
  matrix->leading = inner_runs ? outer_stride : inner_stride;
  if (matrix->columns == AS_SIZE_ONE)
    matrix->leading = matrix->rows;
  return is_apart(sizes, at, matrix->leading, matrix->rows);
}

const char *lo_gemm_arrange(as_sizes *sizes, const int64_t *at, const lo_gemm_product *product,
                            lo_gemm *call) {
  axis_list rows;
  axis_list columns;
  axis_list batch;
  const char *why = divide(product, &rows, &columns, &batch);
  if (why)
    return why;
  join(sizes, &rows);
  join(sizes, &columns);
  leave_one(&rows, &batch);
  leave_one(&columns, &batch);
  join(sizes, &batch);
  if (batch.n > 1)
    return "its batch is no one axis with equal strides";
  lo_gemm_axis none = {AS_SIZE_ONE, ZERO, ZERO, ZERO};
  lo_gemm_axis row = rows.n ? rows.axis[0] : none;
  lo_gemm_axis column = columns.n ? columns.axis[0] : none;
  lo_gemm_axis member = batch.n ? batch.axis[0] : none;
  memset(call, 0, sizeof *call);
  call->swapped = column.result == AS_SIZE_ONE || column.extent == AS_SIZE_ONE;
  call->depth = product->depth;
  call->batches = extent_of(&batch);
  as_size inner = call->swapped ? column.extent : row.extent;
  as_size outer = call->swapped ? row.extent : column.extent;
  as_size inner_stride = call->swapped ? column.result : row.result;
  as_size outer_stride = call->swapped ? row.result : column.result;
  if (!place(sizes, at, inner, inner_stride, outer, outer_stride, &call->d) || call->d.transposed)
    return "neither rows nor columns of the result lie one behind the other";
  lo_gemm_matrix *left = call->swapped ? &call->b : &call->a;
  lo_gemm_matrix *right = call->swapped ? &call->a : &call->b;
  /* op(A) is rows of D times depth, op(B) depth times columns of D */
  bool placed =
      call->swapped
          ? place(sizes, at, product->depth, product->left_step, row.extent, row.left, left) &&
                place(sizes, at, column.extent, column.right, product->depth, product->right_step,
                      right)
          : place(sizes, at, row.extent, row.left, product->depth, product->left_step, left) &&
                place(sizes, at, product->depth, product->right_step, column.extent, column.right,
                      right);
  if (!placed)
    return "neither axis of an operand lies one element behind the other without overlap";
  left->stride = member.left;
  right->stride = member.right;
  call->d.stride = member.result;
  return NULL;
}
