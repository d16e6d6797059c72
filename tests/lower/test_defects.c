/* Certified programs that were once lowered to wrong kernels, or ended in nonsense: each must be
 * right under the emulation now, or be refused.
 * More than 20 s where nvcc is, which takes two for a form of kernel. */
#include "case.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check_text(const char *sem, const char *tp, const char *mug) {
  lower_case j;
  case_open(&j);
  if (sem)
    ck_assert_msg(as_oplib_parse(j.lib, "user.sem", sem, strlen(sem), &j.err), "%s", j.err.text);
  case_read(&j, tp, mug);
  case_check(&j, NULL, NULL, 1);
}

static const char rows[] = "op prev_row_sum(x[m, n]) -> [m]\n"
                           "  out[i] = if(0 < i, sum(k < n) x[i - 1, k], 0)\n"
                           "op next_if(x[m, n], y[m]) -> [m]\n"
                           "  out[i] = if(y[i] < 0 and i + 1 < m, max(k < n) x[i + 1, k], y[i])\n";

/* a reduction that stands under a condition reads nothing where the condition does not hold */
START_TEST(reduction_under_condition) {
  check_text(rows,
             "program p\nsizes M = 6, N = 40\ninput X: f16[M, N]\n"
             "output Z = prev_row_sum(X)\n",
             NULL);
  check_text(rows,
             "program p\nsizes M = 6, N = 40\ninput X: f16[M, N]\ninput Y: f16[M]\n"
             "output Z = next_if(X, Y)\n",
             NULL);
}

END_TEST
START_TEST(reduction_under_condition_in_block) {
  check_text(rows,
             "program p\nsizes M = 6, N = 40\ninput X: f16[M, N]\ninput Y: f16[M]\n"
             "output Z = prev_row_sum(X)\noutput U = next_if(X, Y)\n",
             "mugraph c\nkernel k\n  load x [M, N] = X\n  load y [M] = Y\n  z = prev_row_sum(x)\n"
             "  u = next_if(x, y)\n  store Z [M] = z\n  store U [M] = u\nend\n");
}

END_TEST

/* Rows and the map that follows them are one unit: the block graph behind them, of which there is
 * no thread graph, still has its tiles. */
START_TEST(product_behind_joined_units) {
  check_text(NULL,
             "program p\nsizes B = 2, S = 10, D = 512, F = 48\ninput x: f16[B, S, D]\n"
             "input w: f16[F, D]\ny = softmax(x)\nz = merge_axes(y, axis=0)\n"
             "output o = relu(matmul(z, transpose(w, axis=0)))\n",
             "mugraph c\nsizes J = 2, U = 1, J1 = 10, U1 = 1, L = 8, T = 64, J2 = 6, U2 = 8\n"
             "where B = J * U, (S + U1 - 1) div U1 = J1, D = L * T, F = J2 * U2\nkernel k0\n"
             "  grid x = J1, y = J\n  loop l = L\n"
             "  load t1 [U, U1 upto S, T] = x x -> 1 y -> 0 loop -> 2\n"
             "  acc t2 = concat t1 axis 2\n  t3 = softmax(t2)\n"
             "  store y [U, U1 upto S, L*T] = t3 x -> 1 y -> 0\nend\nkernel k1\n"
             "  grid x = J2\n  loop l = L\n  load t4 [B, S, T] = y loop -> 2\n"
             "  load t5 [U2, T] = w x -> 0 loop -> 1\n  t6 = transpose(t5, axis=0)\n"
             "  t7 = matmul(t4, t6)\n  acc t8 = sum t7\n  t9 = merge_axes(t8, axis=0)\n"
             "  t10 = relu(t9)\n  store o [B * S, U2] = t10 x -> 1\nend\n");
}

END_TEST

static const char wide[] = "op first(x[n]) -> [n]\n"
                           "  out[k] = if(k * 100000 * 100000 < 1, x[k], 0)\n"
                           "op shuffled(x[n]) -> [n]\n"
                           "  out[k] = x[(k * 2147483647 + 3 * 4000000000) mod n]\n"
                           "op thirds(x[n]) -> [n]\n"
                           "  out[k] = if(k / 3 <= 2, x[k], if(k * (1/7) = 1, 1, 0 - x[k]))\n"
                           "op above(x[n], y[n]) -> [n]\n"
                           "  out[k] = if(x[k] > y[k], 1, if(k >= 3, 2, x[k]))\n";

/* index arithmetic that needs 64 bits; relations that floating point would decide wrongly */
START_TEST(index_arithmetic) {
  check_text(wide,
             "program p\nsizes N = 19\ninput X: f32[N]\ninput Y: f32[N]\noutput A = first(X)\n"
             "output B = shuffled(X)\noutput C = thirds(X)\noutput D = above(X, Y)\n",
             NULL);
}

END_TEST
START_TEST(index_arithmetic_in_block) {
  check_text(wide,
             "program p\nsizes N = 19\ninput X: f32[N]\ninput Y: f32[N]\noutput A = first(X)\n"
             "output B = shuffled(X)\noutput C = thirds(X)\noutput D = above(X, Y)\n",
             "mugraph c\nkernel k\n  load x [N] = X\n  load y [N] = Y\n  a = first(x)\n"
             "  b = shuffled(x)\n  c = thirds(x)\n  d = above(x, y)\n  store A [N] = a\n"
             "  store B [N] = b\n  store C [N] = c\n  store D [N] = d\nend\n");
}

END_TEST

/* what is loaded once is waited for, also where the loop has no iterations */
START_TEST(loop_of_no_iterations) {
  check_text(NULL,
             "program p\nsizes N = 4, K >= 0 = 0\ninput X: f32[N, K]\ninput B: f32[N]\n"
             "output Z = sum(X) + B\n",
             "mugraph c\nsizes L >= 0 = 0, T = 2\nwhere K = L * T\nkernel k\n  loop l = L\n"
             "  load x [N, T] = X loop -> 1\n  load b [N] = B\n  r = sum(x)\n  acc s = sum r\n"
             "  z = s + b\n  store Z [N] = z\nend\n");
  /* a product of the form that thread graphs are made for */
  check_text(NULL,
             "program p\nsizes M = 16, N = 64, K >= 0 = 0\ninput A: f16[M, K]\n"
             "input B: f16[K, N]\noutput C = A @ B\n",
             "mugraph c\nsizes J = 2, T = 32, L >= 0 = 0, U = 32\nwhere N = J * T, K = L * U\n"
             "kernel k\n  grid x = J\n  loop l = L\n  load a [M, U] = A loop -> 1\n"
             "  load b [U, T] = B x -> 1 loop -> 0\n  p = matmul(a, b)\n  acc s = sum p\n"
             "  store C [M, T] = s x -> 1\nend\n");
}

END_TEST

/* tensors without elements: nothing divides by their extents */
START_TEST(no_elements) {
  static const char tp[] = "program p\nsizes N >= 0 = 0, K = 8\ninput X: f16[N, K]\n"
                           "input W: f16[K, K]\noutput Y = exp(X)\noutput Z = X @ W\n"
                           "output S = sum(X, axis=0)\n";
  check_text(NULL, tp, NULL);
  check_text(NULL, tp,
             "mugraph c\nkernel k\n  load x [N, K] = X\n  load w [K, K] = W\n  y = exp(x)\n"
             "  z = matmul(x, w)\n  s = sum(x, axis=0)\n  store Y [N, K] = y\n"
             "  store Z [N, K] = z\n  store S [K] = s\nend\n");
}

END_TEST

START_TEST(sizes_beyond_all_memory) {
  static const struct {
    const char *tp;
    const char *said;
  } text[] = {
      {"program p\nsizes B = 2147483648, D = 4294967296\ninput X: f16[B, D]\n"
       "output O = exp(X)\n",
       "2^56 elements"},
      {"program p\nsizes B = 4294967296, D = 4294967296\ninput X: f16[B, D]\n"
       "output O = exp(X)\n",
       "2^56 elements"},
      {"program p\nsizes N = 2147483648\ninput X: f16[N]\ninput Y: f16[N]\n"
       "output O = exp(X)[:, none] * Y[none, :]\n",
       "2^56 elements"},
      {"program p\nsizes N = 549755813888, M = 32\ninput X: f16[N, M]\noutput O = exp(X)\n",
       "blocks"},
  };

  lower_case j;
  as_lowered lowered;
  case_open(&j);
  case_read(&j, text[_i].tp, NULL);
  ck_assert(!as_lower_cuda(j.prog, NULL, &lowered, &j.err));
  ck_assert_int_eq(j.err.status, AS_BAD_INPUT);
  ck_assert_msg(strstr(j.err.text, text[_i].said) != NULL, "%s", j.err.text);
  case_close(&j);
}

END_TEST

/* products of products leave f16: the harness makes its inputs smaller until the program is in
 * range, and says so */
START_TEST(inputs_in_range) {
  lower_case j;
  as_lowered lowered;
  as_rt_result result;
  case_open(&j);
  case_read(&j,
            "program p\nsizes N = 64\ninput A: f16[N, N]\ninput B: f16[N, N]\n"
            "output C = (A @ B) @ (A @ B) * 1000\n",
            NULL);
  ck_assert_msg(as_lower_cuda(j.prog, NULL, &lowered, &j.err), "%s", j.err.text);
  ck_assert_msg(case_emulate(&j, &lowered, 16, &result), "%s\n%s", result.json, result.log);
  ck_assert(strstr(result.json, "\"scale\": 16,") == NULL);
  as_rt_result_clear(&result);
  as_lowered_clear(&lowered);
  case_close(&j);
}

END_TEST

/* every form of kernel that is emitted, compiled without warnings by the CUDA compiler */
START_TEST(forms_compile) {
  static const struct {
    const char *sem;
    const char *tp;
    const char *mug;
  } form[] = {
      {NULL,
       "program p\nsizes N = 7\ninput X: f16[N]\ninput Y: bf16[N]\ninput U: f32[N]\n"
       "output A = exp(X)\noutput B = X + Y * U\noutput C = sum(U)\noutput D = max(X)\n",
       NULL},
      {rows,
       "program p\nsizes M = 6, N = 40\ninput X: f16[M, N]\ninput Y: f16[M]\n"
       "output Z = prev_row_sum(X)\noutput U = next_if(X, Y)\n",
       "mugraph c\nkernel k\n  load x [M, N] = X\n  load y [M] = Y\n  z = prev_row_sum(x)\n"
       "  u = next_if(x, y)\n  store Z [M] = z\n  store U [M] = u\nend\n"},
      {wide,
       "program p\nsizes N = 19\ninput X: f16[N]\ninput Y: f16[N]\noutput A = first(X)\n"
       "output B = shuffled(X)\noutput C = thirds(X)\noutput D = above(X, Y)\n",
       "mugraph c\nkernel k\n  load x [N] = X\n  load y [N] = Y\n  a = first(x)\n"
       "  b = shuffled(x)\n  c = thirds(x)\n  d = above(x, y)\n  store A [N] = a\n"
       "  store B [N] = b\n  store C [N] = c\n  store D [N] = d\nend\n"},
      {NULL,
       "program p\nsizes N = 4, K >= 0 = 0\ninput X: bf16[N, K]\ninput B: bf16[N]\n"
       "output Z = sum(X) + B\n",
       "mugraph c\nsizes L >= 0 = 0, T = 2\nwhere K = L * T\nkernel k\n  loop l = L\n"
       "  load x [N, T] = X loop -> 1\n  load b [N] = B\n  r = sum(x)\n  acc s = sum r\n"
       "  z = s + b\n  store Z [N] = z\nend\n"},
      {NULL,
       "program p\nsizes N >= 0 = 0, K = 8\ninput X: f16[N, K]\ninput W: f16[K, K]\n"
       "output Y = exp(X)\noutput Z = X @ W\noutput S = sum(X, axis=0)\n",
       NULL},
      {NULL,
       "program p\nsizes N = 5000000000\ninput X: f16[N]\noutput Y = exp(X)\n"
       "output S = sum(X)\n",
       NULL},
      {NULL,
       "program p\nsizes N = 24, K = 40\ninput X: bf16[N, K]\ninput W: bf16[K, N]\n"
       "output Y = softmax((X @ W) @ X)\n",
       NULL},
      /* reductions in pairs, of rows and columns, with and without a map that goes on: which of the
       * two results is read again is different each time */
      {NULL,
       "program p\nsizes N = 301, M = 3, K = 68\ninput X: f32[M, N]\ninput Z: f32[M, N, K]\n"
       "input G: f32[N]\noutput A = softmax(X * 20)\nm = max(X, axis=1)\n"
       "output B = log(sum(exp(X - expand_dims(m, axis=1)), axis=1)) + m\nu = mean(X, axis=1)\n"
       "d = X - expand_dims(u, axis=1)\nv = mean(d * d, axis=1)\n"
       "output C = d / expand_dims(sqrt(v + 0.00001), axis=1) * G\nw = mean(Z, axis=1)\n"
       "e = Z - expand_dims(w, axis=1)\noutput D = mean(e * e, axis=1)\n"
       "output E = softmax(Z, axis=1)\noutput F = w * 2\n",
       NULL},
      {NULL,
       "program p\nsizes N = 301, M = 3\ninput X: f32[M, N]\nu = mean(X, axis=1)\n"
       "d = X - expand_dims(u, axis=1)\nv = mean(d * d, axis=1)\n"
       "output C = X / expand_dims(sqrt(v + 0.00001), axis=1)\n",
       NULL},
      {NULL,
       "program p\nsizes N = 301, M = 3\ninput X: f32[M, N]\noutput A = softmax(X)\n"
       "output B = max(X, axis=1)\n",
       NULL},
  };

  _Static_assert(sizeof form / sizeof *form == 10, "as many as the loop below says");
  const char *env = getenv("NVCC");
  const char *nvcc = env && *env ? env : "/usr/local/cuda/bin/nvcc";
  if (access(nvcc, X_OK)) {
    fprintf(stderr, "no CUDA compiler: not compiled for GPUs\n");
    return;
  }
  lower_case j;
  as_lowered lowered;
  case_open(&j);
  if (form[_i].sem)
    ck_assert(as_oplib_parse(j.lib, "user.sem", form[_i].sem, strlen(form[_i].sem), &j.err));
  case_read(&j, form[_i].tp, form[_i].mug);
  ck_assert_msg(as_lower_cuda(j.mug ? j.mug : j.prog, NULL, &lowered, &j.err), "%s", j.err.text);
  const char *scratch = getenv("TMPDIR");
  char *dir = as_format("%s/nvcc-forms-XXXXXX", scratch ? scratch : "/tmp");
  ck_assert(mkdtemp(dir) != NULL);
  ck_assert(as_rt_write(&lowered, "test", dir, &j.err));
  /* of one form the whole harness, reference included, as `assay bench` compiles it; of the others
   * the kernel: the compiler takes twice as long for the harness, which is the same */
  const char *what = _i == 0 ? "main" : "kernel";
  char *cmd = as_format("%s -std=c++17 -arch=%s -c -Werror all-warnings -Xcompiler "
                        "-Wall,-fopenmp -o %s/main.o %s/%s.cu && rm -r %s",
                        nvcc, as_target_default()->arch, dir, dir, what, dir);
  ck_assert_int_eq(system(cmd), 0);
  free(cmd);
  free(dir);
  as_lowered_clear(&lowered);
  case_close(&j);
}

END_TEST

int main(void) {
  TCase *tests = test_case("lowering defects", 300);
  tcase_add_test(tests, reduction_under_condition);
  tcase_add_test(tests, reduction_under_condition_in_block);
  tcase_add_test(tests, product_behind_joined_units);
  tcase_add_test(tests, index_arithmetic);
  tcase_add_test(tests, index_arithmetic_in_block);
  tcase_add_test(tests, loop_of_no_iterations);
  tcase_add_test(tests, no_elements);
  tcase_add_loop_test(tests, sizes_beyond_all_memory, 0, 4);
  tcase_add_test(tests, inputs_in_range);
  tcase_add_loop_test(tests, forms_compile, 0, 10);
  return case_test_run("defects", tests, 240);
}
