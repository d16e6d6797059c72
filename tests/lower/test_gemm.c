/* How products of strided tensors are asked of a library: all orders of the axes of operands and
 * result, batches that both operands have or only one, extents of 1, 2 and 3, room between rows and
 * between elements.  What is asked for, carried out by the meaning of column-major matrices, must
 * be the product; what is refused must be for a reason. */
#include "../../src/lower/gemm.h"
#include "tests/suite.h"
#include <string.h>

enum { BATCH, ROW, COLUMN, DEPTH, N_AXES, MOST = 4096 };

typedef struct {
  long extent[N_AXES];
  long left[N_AXES]; /* elements apart; 0: it has no such axis */
  long right[N_AXES];
  long result[N_AXES];
} layout;

static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

/* strides of a tensor with these axes, those that it has of the batch; room: elements that stay
 * free between rows (1) or between all elements (2) */
static void strides(const layout *of, const int *axis, int order, bool batch, int room,
                    long *stride) {
  long apart = room == 2 ? 2 : 1;
  memset(stride, 0, N_AXES * sizeof *stride);
  for (int i = 3; i-- > 0;) {
    int at = axis[orders[order][i]];
    if (at == BATCH && !batch)
      continue;
    stride[at] = apart;
    apart = apart * of->extent[at] + (room == 1);
  }
}

static long place(const long *stride, const long *index) {
  long at = 0;
  for (int i = 0; i < N_AXES; i++)
    at += stride[i] * index[i];
  return at;
}

/* the axes of the result, the outermost first */
static lo_gemm_product strided(as_sizes *sizes, const layout *of) {
  lo_gemm_product product = {.n_axis = 0};
  bool taken[N_AXES] = {false};
  for (int n = 0; n < 3; n++) {
    int outer = -1;
    for (int i = 0; i < 3; i++) {
      if (!taken[i] && (outer < 0 || of->result[i] > of->result[outer]))
        outer = i;
    }
    taken[outer] = true;
    product.axis[product.n_axis++] =
        (lo_gemm_axis){as_size_int(sizes, of->extent[outer]), as_size_int(sizes, of->left[outer]),
                       as_size_int(sizes, of->right[outer]), as_size_int(sizes, of->result[outer])};
  }
  product.depth = as_size_int(sizes, of->extent[DEPTH]);
  product.left_step = as_size_int(sizes, of->left[DEPTH]);
  product.right_step = as_size_int(sizes, of->right[DEPTH]);
  return product;
}

static long number(const as_sizes *sizes, as_size size) {
  long value = -1;
  if (!as_size_is_const(sizes, size, &value))
    ck_abort_msg("a size that is no number");
  return value;
}

/* ck_assert for what is asked millions of times: it writes to a file each time that it holds */
static void demand(bool holds, const char *what) {
  if (!holds)
    ck_abort_msg("%s", what);
}

/* element (row, column) of op(X) */
static long element(const as_sizes *sizes, const lo_gemm_matrix *matrix, long row, long column,
                    long member) {
  long in_memory = matrix->transposed ? column : row;
  long across = matrix->transposed ? row : column;
  demand(in_memory < number(sizes, matrix->rows), "an element beyond the rows");
  demand(across < number(sizes, matrix->columns), "an element beyond the columns");
  return in_memory + across * number(sizes, matrix->leading) +
         member * number(sizes, matrix->stride);
}

/* D = op(A) op(B), as the library means it */
static void multiply(const as_sizes *sizes, const lo_gemm *call, const long *left,
                     const long *right, long *result) {
  const long *a = call->swapped ? right : left;
  const long *b = call->swapped ? left : right;
  ck_assert(!call->d.transposed);
  ck_assert_int_ge(number(sizes, call->d.leading), number(sizes, call->d.rows));
  ck_assert_int_ge(number(sizes, call->a.leading), number(sizes, call->a.rows));
  ck_assert_int_ge(number(sizes, call->b.leading), number(sizes, call->b.rows));
  for (long member = 0; member < number(sizes, call->batches); member++) {
    for (long column = 0; column < number(sizes, call->d.columns); column++) {
      for (long row = 0; row < number(sizes, call->d.rows); row++) {
        long sum = 0;
        for (long k = 0; k < number(sizes, call->depth); k++)
          sum += a[element(sizes, &call->a, row, k, member)] *
                 b[element(sizes, &call->b, k, column, member)];
        result[element(sizes, &call->d, row, column, member)] = sum;
      }
    }
  }
}

static void compare(const layout *of, const long *left, const long *right, const long *result) {
  long index[N_AXES];
  for (index[BATCH] = 0; index[BATCH] < of->extent[BATCH]; index[BATCH]++) {
    for (index[ROW] = 0; index[ROW] < of->extent[ROW]; index[ROW]++) {
      for (index[COLUMN] = 0; index[COLUMN] < of->extent[COLUMN]; index[COLUMN]++) {
        long sum = 0;
        for (index[DEPTH] = 0; index[DEPTH] < of->extent[DEPTH]; index[DEPTH]++)
          sum += left[place(of->left, index)] * right[place(of->right, index)];
        index[DEPTH] = 0;
        demand(result[place(of->result, index)] == sum, "another result");
      }
    }
  }
}

/* an axis of the matrix lies one element behind the other, or has one element */
static bool runs(const layout *of, const long *stride, int one, int other) {
  return stride[one] == 1 || stride[other] == 1 || of->extent[one] == 1 || of->extent[other] == 1;
}

static long n_taken;
static long n_refused;

/* both: each operand has a batch of its own, so that no axis changes its kind */
static void try(as_sizes *sizes, const layout *of, bool both) {
  static long left[MOST];
  static long right[MOST];
  static long result[MOST];
  lo_gemm_product product = strided(sizes, of);
  lo_gemm call;
  const char *why = lo_gemm_arrange(sizes, NULL, &product, &call);
  if (why) {
    n_refused++;
    bool plain = runs(of, of->left, ROW, DEPTH) && runs(of, of->right, DEPTH, COLUMN) &&
                 runs(of, of->result, ROW, COLUMN);
    bool alone = of->extent[ROW] == 1 && of->extent[COLUMN] == 1;
    ck_assert_msg(!both || alone || !plain, "refused: %s", why);
    return;
  }
  n_taken++;
  for (int i = 0; i < MOST; i++) {
    left[i] = (i * 7 + 3) % 23 - 11;
    right[i] = (i * 5 + 1) % 19 - 9;
    result[i] = 1000003;
  }
  multiply(sizes, &call, left, right, result);
  compare(of, left, right, result);
}

/* batches: 1 of the left operand, 2 of the right one, 3 of both */
static void try_orders(as_sizes *sizes, layout *of, int batches, int room) {
  static const int of_left[3] = {BATCH, ROW, DEPTH};
  static const int of_right[3] = {BATCH, DEPTH, COLUMN};
  static const int of_result[3] = {BATCH, ROW, COLUMN};
  for (int left = 0; left < 6; left++) {
    for (int right = 0; right < 6; right++) {
      for (int result = 0; result < 6; result++) {
        strides(of, of_left, left, batches & 1, room, of->left);
        strides(of, of_right, right, batches & 2, room, of->right);
        strides(of, of_result, result, true, room == 2 ? 1 : room, of->result);
        try(sizes, of, batches == 3);
      }
    }
  }
}

START_TEST(all_layouts) {
  as_sizes *sizes = as_sizes_new();
  for (int code = 0; code < 81; code++) {
    layout of = {.extent = {1 + code % 3, 1 + code / 3 % 3, 1 + code / 9 % 3, 1 + code / 27}};
    for (int batches = 1; batches < 4; batches++) {
      for (int room = 0; room < 3; room++)
        try_orders(sizes, &of, batches, room);
    }
  }
  ck_assert_int_gt(n_taken, 60000);
  ck_assert_int_gt(n_refused, 10000);
  as_sizes_free(sizes);
}

END_TEST

/* extents left to run time: strides are compared as expressions, and room at the bounds */
START_TEST(sizes_left_to_run_time) {
  as_sizes *sizes = as_sizes_new();
  as_size m = as_size_sym(sizes, "M");
  as_size n = as_size_sym(sizes, "N");
  as_size k = as_size_sym(sizes, "K");
  as_size b = as_size_sym(sizes, "B");
  as_size zero = as_size_int(sizes, 0);
  as_size mk = as_size_mul(sizes, m, k);
  as_size mn = as_size_mul(sizes, m, n);
  lo_gemm_product product = {.n_axis = 3, .depth = k, .left_step = AS_SIZE_ONE, .right_step = n};
  product.axis[0] = (lo_gemm_axis){b, mk, zero, mn};
  product.axis[1] = (lo_gemm_axis){m, k, zero, n};
  product.axis[2] = (lo_gemm_axis){n, zero, AS_SIZE_ONE, AS_SIZE_ONE};
  int64_t at[256];
  for (int i = 0; i < 256; i++)
    at[i] = 5;
  lo_gemm call;
  ck_assert_ptr_null(lo_gemm_arrange(sizes, at, &product, &call));
  ck_assert(call.swapped);
  ck_assert_uint_eq(call.batches, AS_SIZE_ONE); /* rows of all members are rows of one matrix */
  ck_assert_uint_eq(call.d.columns, as_size_mul(sizes, b, m));
  ck_assert_uint_eq(call.d.rows, n);
  ck_assert_uint_eq(call.a.leading, n);
  ck_assert_uint_eq(call.b.leading, k);
  product.axis[0].left = as_size_mul(sizes, m, n); /* other than the room of a member's rows */
  ck_assert_ptr_null(lo_gemm_arrange(sizes, at, &product, &call));
  ck_assert_uint_eq(call.batches, b);
  ck_assert_uint_eq(call.a.stride, zero);
  as_sizes_free(sizes);
}

END_TEST

/* windows that overlap, axes that no operand has, batches without equal strides */
START_TEST(refused) {
  as_sizes *sizes = as_sizes_new();
  as_size s[65];
  for (long i = 0; i <= 64; i++)
    s[i] = as_size_int(sizes, i);
  lo_gemm call;
  lo_gemm_product windows = {.n_axis = 2, .depth = s[3], .left_step = s[1], .right_step = s[4]};
  windows.axis[0] = (lo_gemm_axis){s[5], s[1], s[0], s[4]};
  windows.axis[1] = (lo_gemm_axis){s[4], s[0], s[1], s[1]};
  ck_assert_str_eq(lo_gemm_arrange(sizes, NULL, &windows, &call),
                   "neither axis of an operand lies one element behind the other without overlap");
  windows.axis[0].left = s[0];
  ck_assert_str_eq(lo_gemm_arrange(sizes, NULL, &windows, &call),
                   "the result repeats along an axis that no operand has");
  lo_gemm_product dots = {.n_axis = 1, .depth = s[3], .left_step = s[1], .right_step = s[1]};
  dots.axis[0] = (lo_gemm_axis){s[5], s[3], s[3], s[1]};
  ck_assert_str_eq(lo_gemm_arrange(sizes, NULL, &dots, &call), "no operand has an axis of its own");
  lo_gemm_product two = {.n_axis = 4, .depth = s[2], .left_step = s[1], .right_step = s[2]};
  two.axis[0] = (lo_gemm_axis){s[2], s[12], s[16], s[24]};
  two.axis[1] = (lo_gemm_axis){s[3], s[4], s[0], s[8]};
  two.axis[2] = (lo_gemm_axis){s[2], s[2], s[4], s[4]};
  two.axis[3] = (lo_gemm_axis){s[2], s[0], s[1], s[1]};
  ck_assert_str_eq(lo_gemm_arrange(sizes, NULL, &two, &call),
                   "its batch is no one axis with equal strides");
  as_sizes_free(sizes);
}

END_TEST

int main(void) {
  TCase *tests = test_case("gemm", 120);
  tcase_add_test(tests, all_layouts);
  tcase_add_test(tests, sizes_left_to_run_time);
  tcase_add_test(tests, refused);
  return test_run("lower_gemm", tests);
}
