/* Tensors that are parts of others in memory (slices, permutations, axes written as two): no
 * kernels, but loaded from where they lie, under the emulation against the evaluator. */
#include "case.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

static unsigned count(const char *text, const char *part) {
  unsigned n = 0;
  for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
    n++;
  return n;
}

/* right, and of so many kernels, so many of them printed from validated thread graphs */
static void check(const char *program, const char *graph, unsigned kernels, unsigned validated) {
  for (int general = 0; general < 2; general++) {
    lower_case j;
    as_lowered lowered;
    as_lower_opts options = {.no_threads = general};
    case_open(&j);
    case_read(&j, program, graph);
    case_set_sizes(&j, NULL);
    ck_assert_msg(as_lower_cuda(j.mug, &options, &lowered, &j.err), "%s", j.err.text);
    ck_assert_uint_eq(lowered.n_kernel, kernels);
    ck_assert_msg(count(lowered.notes, "validated") == (general ? 0 : validated), "%s",
                  lowered.notes);
    case_demand(&j, &lowered, 1);
  }
}

/* gate and up side by side in one weight; `from` columns come before them */
static void gated(const char *type, int from, int rows, unsigned validated) {
  char *program = as_format("program p\nsizes B = %d, D = 256, F = 128\ninput X: %s[B, D]\n"
                            "input W: %s[D, %d + 2*F]\nh = matmul(X, W)\n"
                            "output Y = silu(h[:, %d:%d+F]) * h[:, %d+F:%d+2*F]\n",
                            rows, type, type, from, from, from, from, from);
  char *graph = as_format("mugraph p\nsizes L = 4, T = 64, J = 2, U = 64\n"
                          "where D = L*T, F = J*U\n"
                          "Wa = slice(W, axis=1, start=%d, stop=%d + F)\n"
                          "Wb = slice(W, axis=1, start=%d + F, stop=%d + 2*F)\n"
                          "kernel k0\n  grid x = J\n  loop l = L\n  load x [B, T] = X loop -> 1\n"
                          "  load a [T, U] = Wa x -> 1 loop -> 0\n"
                          "  load b [T, U] = Wb x -> 1 loop -> 0\n"
                          "  p = matmul(x, a)\n  q = matmul(x, b)\n  acc r = sum p\n"
                          "  acc s = sum q\n  t = silu(r)\n  u = t * s\n"
                          "  store Y [B, U] = u x -> 1\nend\n",
                          from, from, from, from);
  check(program, graph, 1, validated);
  free(program);
  free(graph);
}

START_TEST(columns_of_a_weight) {
  gated("f16", 0, 16, 1);
  gated("bf16", 8, 5, 1);
  gated("f16", 3, 16, 0); /* no copies of 16 bytes begin there */
  gated("f32", 4, 7, 0);
}

END_TEST
START_TEST(halves_of_rows) {
  check(
      "program p\nsizes N = 24, F = 64\ninput X: f16[N, 2*F]\n"
      "output Y = silu(X[:, 0:F]) * X[:, F:2*F]\n",
      "mugraph p\na = slice(X, axis=1, start=0, stop=F)\nb = slice(X, axis=1, start=F, stop=2*F)\n"
      "kernel k\n  grid x = N\n  load p [1, F] = a x -> 0\n  load q [1, F] = b x -> 0\n"
      "  r = silu(p)\n  s = r * q\n  store Y [1, F] = s x -> 0\nend\n",
      1, 1);
}

END_TEST
START_TEST(every_second) {
  check("program p\nsizes N = 6, F = 16\ninput X: f32[2*N, 3*F]\n"
        "output Y = slice(slice(X, axis=0, start=1, stop=2*N, step=2), axis=1, start=2, "
        "stop=3*F, step=3) * 2\n",
        "mugraph p\nsizes J = 3, T = 2\nwhere N = J*T\n"
        "a = slice(X, axis=0, start=1, stop=2*N, step=2)\n"
        "b = slice(a, axis=1, start=2, stop=3*F, step=3)\n"
        "kernel k\n  grid x = J\n  load p [T, F] = b x -> 0\n  q = p * 2\n"
        "  store Y [T, F] = q x -> 0\nend\n",
        1, 0);
}

END_TEST

/* other axes, an axis written as two, axes of extent 1, and a part of that */
START_TEST(moved_axes) {
  check("program p\nsizes A = 3, H = 4, E = 8\ninput X: f16[A, 2*(H*E)]\n"
        "output Y = exp(transpose(split_axis(X[:, H*E:2*(H*E)], axis=1, outer=H, inner=E), "
        "axis=[1, 0, 2]))\n",
        "mugraph p\na = slice(X, axis=1, start=H*E, stop=2*(H*E))\n"
        "b = split_axis(a, axis=1, outer=H, inner=E)\nc = swap_axes(b, first=0, second=1)\n"
        "kernel k\n  grid x = H\n  load p [1, A, E] = c x -> 0\n  q = exp(p)\n"
        "  store Y [1, A, E] = q x -> 0\nend\n",
        1, 1);
  check("program p\nsizes N = 5, M = 6\ninput X: f32[N, M]\n"
        "output Y = sum(transpose(X)[1:4], axis=1)\n",
        "mugraph p\na = transpose(X)\nb = slice(a, axis=0, start=1, stop=4)\n"
        "c = expand_dims(b, axis=1)\nkernel k\n  load p [3, 1, N] = c\n  q = sum(p)\n"
        "  r = squeeze(q, axis=1)\n  store Y [3] = r\nend\n",
        1, 1);
}

END_TEST

/* Two axes as one: a part where the outer one goes on where the inner one ends, of a part too; else
 * it is read element by element. */
START_TEST(joined_axes) {
  check("program p\nsizes B = 3, H = 4, E = 8\ninput X: f16[B, H, E]\n"
        "output Y = exp(merge_axes(X, axis=0))\n",
        "mugraph p\na = merge_axes(X, axis=0)\nkernel k\n  grid x = B*H\n"
        "  load p [1, E] = a x -> 0\n  q = exp(p)\n  store Y [1, E] = q x -> 0\nend\n",
        1, 1);
  check("program p\nsizes B = 3, H = 4, R = 2, E = 8\ninput X: f16[B, H*R, E]\n"
        "output Y = exp(merge_axes(split_axis(X, axis=1, outer=H, inner=R), axis=0))\n",
        "mugraph p\na = split_axis(X, axis=1, outer=H, inner=R)\nb = merge_axes(a, axis=0)\n"
        "kernel k\n  grid x = B*H, y = R\n  load p [1, 1, E] = b x -> 0 y -> 1\n  q = exp(p)\n"
        "  store Y [1, 1, E] = q x -> 0 y -> 1\nend\n",
        1, 1);
  check("program p\nsizes B = 3, H = 4, E = 8\ninput X: f16[H, B, E]\n"
        "output Y = exp(merge_axes(swap_axes(X, first=0, second=1), axis=0))\n",
        "mugraph p\na = swap_axes(X, first=0, second=1)\nb = merge_axes(a, axis=0)\n"
        "kernel k\n  grid x = B*H\n  load p [1, E] = b x -> 0\n  q = exp(p)\n"
        "  store Y [1, E] = q x -> 0\nend\n",
        1, 0);
}

END_TEST

/* Heads behind each other in a row: boxes of one head's keys move along the columns of their map.
 * Not where elements beyond a head are padding, which lie in the next head; nor where heads overlap
 * rows.  */
START_TEST(heads_within_rows) {
  static const char form[] =
      "program p\nsizes B = 1, S = %d, H = 2, E = %d\ninput Q: f16[B, H, 64, E]\n"
      "input K: f16[B, S, H, E]\ninput V: f16[B, S, H, E]\n"
      "k = swap_axes(K, first=1, second=2)\nv = swap_axes(V, first=1, second=2)\n"
      "w = exp(matmul(Q, transpose(k)))\n"
      "output Y = matmul(w, v) / sum(w, axis=3)[:, :, :, none]\n";
  static const char graph[] =
      "mugraph p\nsizes L = 2, T = %d\nwhere S = L*T\n"
      "k = swap_axes(K, first=1, second=2)\nv = swap_axes(V, first=1, second=2)\n"
      "kernel k0\n  grid x = H, y = B\n  loop l = L\n"
      "  load q [1, 1, 64, E] = Q x -> 1 y -> 0\n"
      "  load a [1, 1, T, E] = k x -> 1 y -> 0 loop -> 2\n"
      "  load b [1, 1, T, E] = v x -> 1 y -> 0 loop -> 2\n"
      "  s = matmul(q, transpose(a))\n  w = exp(s)\n  o = matmul(w, b)\n  n = sum(w, axis=3)\n"
      "  acc c = sum o\n  acc d = sum n\n  e = expand_dims(d, axis=3)\n  f = c / e\n"
      "  store Y [1, 1, 64, E] = f x -> 1 y -> 0\nend\n";

  static const struct {
    int keys;
    int width;
    unsigned validated;
  } of[] = {{128, 64, 1}, {128, 128, 1}, {128, 80, 0}};

  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    char *program = as_format(form, of[i].keys, of[i].width);
    char *candidate = as_format(graph, of[i].keys / 2);
    check(program, candidate, 1, of[i].validated);
    free(program);
    free(candidate);
  }
}

END_TEST

/* of what another kernel stores, and read by an operator at kernel level as well */
START_TEST(of_a_stored_tensor) {
  check("program p\nsizes N = 32, F = 32\ninput X: f16[N, 2*F]\nh = exp(X)\n"
        "output Y = sum(h[:, 0:F] * h[:, F:2*F], axis=1)\noutput Z = sin(h[:, F:2*F])\n",
        "mugraph p\nkernel k0\n  grid x = N\n  load p [1, 2*F] = X x -> 0\n  q = exp(p)\n"
        "  store h [1, 2*F] = q x -> 0\nend\na = slice(h, axis=1, start=0, stop=F)\n"
        "b = slice(h, axis=1, start=F, stop=2*F)\nkernel k1\n  grid x = N\n"
        "  load p [1, F] = a x -> 0\n  load q [1, F] = b x -> 0\n  r = p * q\n"
        "  s = sum(r)\n  store Y [1] = s x -> 0\nend\nZ = sin(b)\n",
        2, 0);
}

END_TEST

/* of a result of 16 bits, whose type in memory is known last */
START_TEST(of_a_result) {
  check("program p\nsizes N = 8, F = 32\ninput X: f16[N, 2*F]\noutput H = exp(X)\n"
        "output Y = H[:, 0:F] * H[:, F:2*F]\n",
        "mugraph p\nkernel k0\n  grid x = N\n  load p [1, 2*F] = X x -> 0\n  q = exp(p)\n"
        "  store H [1, 2*F] = q x -> 0\nend\na = slice(H, axis=1, start=0, stop=F)\n"
        "b = slice(H, axis=1, start=F, stop=2*F)\nkernel k1\n  grid x = N\n"
        "  load p1 [1, F] = a x -> 0\n  load q1 [1, F] = b x -> 0\n  r = p1 * q1\n"
        "  store Y [1, F] = r x -> 0\nend\n",
        2, 2);
}

END_TEST

/* read by an operator at kernel level that fetches four elements at once where it can */
START_TEST(by_register_tiles) {
  check("program p\nsizes N = 12, F = 16\ninput X: f32[N, 40]\ninput W: f32[16, 8]\n"
        "output Y = X[:, 3:19] @ W\noutput Z = X[:, 3:19] * 2\noutput V = transpose(X[:, 3:19]) @ "
        "X[:, 3:19]\n",
        "mugraph p\na = slice(X, axis=1, start=3, stop=19)\nY = matmul(a, W)\n"
        "b = transpose(a)\nV = matmul(b, a)\nkernel k\n  grid x = N\n"
        "  load p [1, 16] = a x -> 0\n  q = p * 2\n  store Z [1, 16] = q x -> 0\nend\n",
        2, 0); /* both products are one launch */
}

END_TEST

/* the result itself is stored: a kernel that copies, which is one launch with the other */
START_TEST(as_a_result) {
  check("program p\nsizes N = 6\ninput X: f32[2*N]\noutput Y = X[N:2*N]\noutput Z = Y * 2\n",
        "mugraph p\nY = slice(X, axis=0, start=N, stop=2*N)\n"
        "kernel k\n  load p [N] = Y\n  q = p * 2\n  store Z [N] = q\nend\n",
        1, 0);
}

END_TEST

/* runs backwards: it is read where it is */
START_TEST(backwards) {
  static const char graph[] = "mugraph p\na = reverse(X)\nkernel k\n  load p [N] = a\n"
                              "  q = p * 2\n  store Y [N] = q\nend\n";
  check("program p\nsizes N = 6\ninput X: f32[N]\noutput Y = reverse(X) * 2\n", graph, 1, 0);
  check("program p\nsizes N = 8\ninput X: f16[N]\noutput Y = reverse(X) * 2\n", graph, 1, 0);
}

END_TEST

/* tiles that are cut off where the part ends, not where the whole does */
START_TEST(cut_off) {
  check("program p\nsizes N = 10, M = 7\ninput X: f16[N, 2*M]\n"
        "output Y = sum(X[2:9, M:2*M], axis=0)\n",
        "mugraph p\nsizes J = 2, T = 4\nwhere J = (M + T - 1) div T\n"
        "a = slice(X, axis=0, start=2, stop=9)\nb = slice(a, axis=1, start=M, stop=2*M)\n"
        "kernel k\n  grid x = J\n  load p [7, T upto M] = b x -> 1\n  q = sum(p, axis=0)\n"
        "  store Y [T upto M] = q x -> 0\nend\n",
        1, 0);
}

END_TEST

int main(void) {
  TCase *tests = test_case("parts", 120);
  tcase_add_test(tests, columns_of_a_weight);
  tcase_add_test(tests, halves_of_rows);
  tcase_add_test(tests, every_second);
  tcase_add_test(tests, moved_axes);
  tcase_add_test(tests, joined_axes);
  tcase_add_test(tests, heads_within_rows);
  tcase_add_test(tests, of_a_stored_tensor);
  tcase_add_test(tests, of_a_result);
  tcase_add_test(tests, by_register_tiles);
  tcase_add_test(tests, as_a_result);
  tcase_add_test(tests, backwards);
  tcase_add_test(tests, cut_off);
  return case_test_run("parts", tests, 240);
}
