/* Kernels over whole tensors, under the emulation against the evaluator: maps, reductions along
 * every axis and over many elements, scans, windows, and block graphs that are written as such; at
 * extents of 0, 1, odd ones and ones that vectors of 16 bytes divide; of 32 bits, and of 16.
 * More than 20 s: 120 programs, of two types each, are compiled. */
#include "case.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

/* places of extrema: the first, or the last */
static const char place_ops[] =
    "op first_most(x[..a@axis, n, ..b]; axis) -> [..a, ..b]\n"
    "  let m[..a, ..b] = max(k < n) x[..a, k, ..b]\n"
    "  out[..a, ..b] = min(k < n) if(x[..a, k, ..b] = m[..a, ..b], k, n)\n"
    "op last_least(x[..a@axis, n, ..b]; axis) -> [..a, ..b]\n"
    "  let m[..a, ..b] = min(k < n) x[..a, k, ..b]\n"
    "  out[..a, ..b] = max(k < n) if(x[..a, k, ..b] = m[..a, ..b], k, 0)\n"
    "op first_or_one(x[..a@axis, n, ..b]; axis) -> [..a, ..b]\n"
    "  let m[..a, ..b] = max(k < n) x[..a, k, ..b]\n"
    "  out[..a, ..b] = min(k < n) if(x[..a, k, ..b] = m[..a, ..b], k, 1)\n"
    "op first_of(x[..a@axis, n, ..b], y[..a@axis, n, ..b]; axis) -> [..a, ..b]\n"
    "  let m[..a, ..b] = max(k < n) y[..a, k, ..b]\n"
    "  out[..a, ..b] = min(k < n) if(x[..a, k, ..b] = m[..a, ..b], k, n)\n";

/* the program with its inputs of another type than f32; malloc'ed */
static char *in_type(const char *program, const char *type) {
  as_str out;
  as_str_init(&out);
  for (const char *at = program; *at;) {
    bool wide = !strncmp(at, "f32[", 4);
    as_str_printf(&out, wide ? "%s[" : "%.1s", wide ? type : at);
    at += wide ? 4 : 1;
  }
  return as_str_take(&out);
}

/* Builds, runs and compares, if that is wanted; gives how many kernels and blocks there are. */
static uint32_t kernels_of_one(const char *program, const char *graph, bool run, long *blocks) {
  lower_case j;
  as_lowered lowered;
  case_open(&j);
  ck_assert_msg(as_oplib_parse(j.lib, "p.sem", place_ops, strlen(place_ops), &j.err), "%s",
                j.err.text);
  case_read(&j, program, graph);
  ck_assert_msg(as_lower_cuda(j.mug ? j.mug : j.prog, NULL, &lowered, &j.err), "%s", j.err.text);
  uint32_t n = lowered.n_kernel;
  *blocks = 0;
  for (uint32_t i = 0; i < n; i++)
    *blocks += lowered.kernel[i].blocks;
  as_lowered_clear(&lowered);
  if (run)
    case_check(&j, NULL, NULL, 1);
  else
    case_close(&j);
  return n;
}

/* The same of 32 bits and of one of the types of 16, which has as many kernels; one in three of
 * these is run. */
static uint32_t kernels_of(const char *program, const char *graph, long *blocks) {
  static unsigned calls;
  long blocks_narrow;
  char *narrow = in_type(program, strlen(program) % 2 ? "bf16" : "f16");
  uint32_t n = kernels_of_one(program, graph, true, blocks);
  uint32_t n_narrow =
      kernels_of_one(narrow, graph, calls++ % 3 == 0 || getenv("AS_LONG"), &blocks_narrow);
  ck_assert_msg(n == n_narrow, "%u kernels, of 16 bits %u: %s", n, n_narrow, narrow);
  free(narrow);
  return n;
}

static void check(const char *program, const char *graph, uint32_t kernels) {
  long blocks;
  uint32_t n = kernels_of(program, graph, &blocks);
  ck_assert_msg(n == kernels, "%u kernels, not %u: %s", n, kernels, program);
}

static const long extent[] = {0, 1, 31, 64, 1028};

/* the axis along which memory goes, and the others, at every extent */
START_TEST(maps) {
  char *program = as_format("program p\nsizes N >= 0 = %ld, M = 5\ninput X: f32[M, N]\n"
                            "input G: f32[N]\ninput H: f32[M]\ninput S: f32[]\n"
                            "Y = exp(X) * G + S\noutput Z = Y - expand_dims(H, axis=1)\n"
                            "output T = transpose(X) * 2\n",
                            extent[_i]);
  long blocks;
  kernels_of(program, NULL, &blocks);
  free(program);
}

END_TEST
START_TEST(reductions) {
  char *program = as_format("program p\nsizes N = %ld, M = 6, K = 4\ninput X: f32[M, N, K]\n"
                            "output A = sum(X * X, axis=0)\noutput B = max(X, axis=1)\n"
                            "output C = sum(X, axis=2) / 3\n"
                            "output D = sqrt(sum(sum(abs(X), axis=2), axis=1))\n",
                            extent[_i] ? extent[_i] : 2);
  long blocks;
  kernels_of(program, NULL, &blocks);
  free(program);
}

END_TEST

/* few results of many terms are divided among blocks, the last part shorter than the others */
START_TEST(long_reductions) {
  long blocks;
  kernels_of("program p\nsizes N = 9001\ninput X: f32[N]\ninput Y: f32[N]\n"
             "output A = sum((X - Y) * (X - Y), axis=0) / 9001\n",
             NULL, &blocks);
  ck_assert_int_gt(blocks, 3);
  kernels_of("program p\nsizes N = 1031, M = 7\ninput X: f32[N, M]\noutput A = max(X, axis=0)\n",
             NULL, &blocks);
  ck_assert_int_gt(blocks, 3);
}

END_TEST

/* in one pass: a block for each row, or a thread for each column */
START_TEST(scans) {
  long n = extent[_i] ? extent[_i] : 2;
  char *program = as_format(
      "program p\nsizes N = %ld, M = 3, K = 6\ninput X: f32[K, M, N]\noutput A = cumsum(X)\n"
      "output B = cumprod(X) * 2\noutput C = cumsum(X * X)\n"
      "output D = reverse(cumsum(reverse(X, axis=2)), axis=2)\noutput E = cumsum(X, axis=1)\n",
      n);
  long blocks;
  kernels_of(program, NULL, &blocks);
  ck_assert_msg(blocks <= 100 + 6 * n / 256, "%ld blocks: %s", blocks, program);
  free(program);
}

END_TEST

/* Zeros in front of a scan, or ones of products, are one scan of fewer terms. */
START_TEST(scans_moved) {
  static const struct {
    const char *front;
    const char *scan;
    uint32_t kernels;
  } of[] = {{"0", "cumsum(T)", 1},
            {"1", "cumprod(T)", 1},
            {"0", "cumsum(T) * 2", 2}, /* what is computed of it is no result of a scan */
            {"1", "cumsum(T)", 2},
            {"0", "cumprod(T)", 2}};

  static const long extents[] = {37, 260, 1028};

  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    char *program = as_format("program p\nsizes N = %ld, M = 3\ninput X: f32[M, N + 1]\n"
                              "T = slice(X, axis=1, start=0, stop=N)\nc = %s\n"
                              "z = full(full(%s, size=1), size=M)\n"
                              "output A = concat(z, c, axis=1)\n",
                              extents[i % 3] - 1, of[i].scan, of[i].front);
    check(program, NULL, of[i].kernels);
    free(program);
  }
  check("program p\nsizes N = 40, M = 3\ninput X: f32[M, N]\nc = cumsum(X)\n"
        "z = full(full(0, size=1), size=M)\noutput A = concat(z, c, axis=1)\n"
        "output B = max(c, axis=1)\n",
        NULL, 2); /* c, and what reads it */
}

END_TEST

/* a maximum and what is below it, a sum and what is about its mean: one pass makes both */
START_TEST(pairs) {
  static const long terms[] = {256, 301, 1028, 2, 130};
  long n = terms[_i];
  char *program = as_format(
      "program p\nsizes N = %ld, M = 3\ninput X: f32[M, N]\ninput G: f32[N]\n"
      "output A = softmax(X * 20)\n"
      "m = max(X, axis=1)\noutput B = log(sum(exp(X - expand_dims(m, axis=1)), axis=1)) + m\n"
      "u = mean(X, axis=1)\nd = X - expand_dims(u, axis=1)\nv = mean(d * d, axis=1)\n"
      "output C = d / expand_dims(sqrt(v + 0.00001), axis=1) * G\n",
      n);
  long blocks;
  kernels_of(program, NULL, &blocks);
  free(program);
}

END_TEST

/* the same along any axis, and where the result has more axes than the terms */
START_TEST(pairs_of_columns) {
  static const long terms[] = {1, 2, 37, 64, 301};
  char *program = as_format(
      "program p\nsizes N = %ld, M = 3, K = 68\ninput X: f32[M, N, K]\ninput G: f32[M, K]\n"
      "output A = softmax(X * 20, axis=1)\n"
      "u = mean(X, axis=1)\nd = X - expand_dims(u, axis=1)\nv = mean(d * d, axis=1)\n"
      "output C = d / expand_dims(sqrt(v + 0.00001) * G, axis=1)\n"
      "w = sum(d * d, axis=1)\nq = expand_dims(expand_dims(w * G, axis=1), axis=0)\n"
      "output D = q + 1\n",
      terms[_i]);
  long blocks;
  kernels_of(program, NULL, &blocks);
  free(program);
}

END_TEST

/* the first place of an extremum, or the last, of which there are several */
START_TEST(places) {
  static const long terms[] = {1, 2, 37, 300, 1028};
  char *program = as_format("program p\nsizes N = %ld, M = 3, K = 12\ninput X: f32[M, N, K]\n"
                            "input Y: f32[M, N]\n"
                            "output A = first_most(X, axis=1)\n"
                            "output B = last_least(Y, axis=1) * 2\n"
                            "output C = first_most(0 - relu(X), axis=1)\n"
                            "output D = last_least(relu(Y), axis=1)\n",
                            terms[_i]);
  long blocks;
  kernels_of(program, NULL, &blocks);
  free(program);
}

END_TEST

/* one kernel makes both, and another the result */
START_TEST(pairs_are_made) {
  check("program p\nsizes N = 300, M = 3\ninput X: f32[M, N]\nu = mean(X, axis=1)\n"
        "d = X - expand_dims(u, axis=1)\nv = mean(d * d, axis=1)\n"
        "output C = d / expand_dims(sqrt(v + 1), axis=1)\n",
        NULL, 1);
  /* columns, and places */
  check("program p\nsizes N = 40, M = 3, K = 8\ninput X: f32[M, N, K]\n"
        "output A = softmax(X, axis=1)\n",
        NULL, 2);
  check("program p\nsizes N = 40, M = 3, K = 8\ninput X: f32[M, N, K]\n"
        "output A = first_most(X, axis=1)\noutput B = last_least(X, axis=2)\n",
        NULL, 2);
  /* a number that a term has stands where there is none; another tensor's place */
  check("program p\nsizes N = 40, M = 3, K = 8\ninput X: f32[M, N, K]\n"
        "output A = first_or_one(X, axis=1)\n",
        NULL, 2);
  check("program p\nsizes N = 40, M = 3\ninput X: f32[M, N]\ninput Y: f32[M, N]\n"
        "output A = first_of(X, Y, axis=1)\n",
        NULL, 2);
  /* sums of sums are one; not where the inner one is read by others too */
  check("program p\nsizes N = 40, M = 3, K = 5\ninput X: f32[M, N, K]\n"
        "output A = sum(sum(X * X, axis=2) / 5, axis=1) * 2\n",
        NULL, 1);
  check("program p\nsizes N = 40, M = 3, K = 5\ninput X: f32[M, N, K]\ns = sum(X, axis=2)\n"
        "output A = sum(s, axis=1)\noutput B = max(s, axis=1)\n",
        NULL, 3);
  check("program p\nsizes N = 40, M = 3, K = 5\ninput X: f32[M, N, K]\n"
        "output A = sum(max(X, axis=2), axis=1)\n",
        NULL, 2);
  /* about something else than the mean */
  check("program p\nsizes N = 300, M = 3\ninput X: f32[M, N]\nu = sum(X, axis=1) / 299\n"
        "d = X - expand_dims(u, axis=1)\nv = mean(d * d, axis=1)\n"
        "output C = d / expand_dims(sqrt(v + 1), axis=1)\n",
        NULL, 2);
}

END_TEST

/* What is made of a row and its results is made with them: rows of a warp and of a block, of
 * lengths that 16 bytes divide and others; groups of channels, with numbers of each channel. */
START_TEST(rows_and_what_follows) {
  static const long terms[] = {64, 67, 300, 1028, 2310};
  char *program = as_format(
      "program p\nsizes N = %ld, M = 3, C = 6, O = 2, I = 3, H = 32\nwhere C = O * I\n"
      "input X: f32[M, N]\ninput G: f32[N]\n"
      "input Y: f32[M, C, H]\ninput W: f32[C]\n"
      "u = mean(X, axis=1)\nd = X - expand_dims(u, axis=1)\nv = mean(d * d, axis=1)\n"
      "output A = d / expand_dims(sqrt(v + 0.00001), axis=1) * G\n"
      "output B = softmax(X * 3 + G)\n"
      "s = sum(X * X, axis=1)\noutput C1 = sqrt(s)\n"
      "output D = X / expand_dims(s + 1, axis=1)\n"
      "y = split_axis(Y, axis=1, outer=O, inner=I)\n"
      "a = mean(mean(y, axis=3), axis=2)\ne = y - expand_dims(expand_dims(a, axis=2), axis=3)\n"
      "b = mean(mean(e * e, axis=3), axis=2)\n"
      "n = e / sqrt(expand_dims(expand_dims(b, axis=2), axis=3) + 0.00001)\n"
      "output E = merge_axes(n, axis=1) * expand_dims(W, axis=1)\n",
      terms[_i]);
  long blocks;
  kernels_of(program, NULL, &blocks);
  free(program);
}

END_TEST

START_TEST(what_follows_rows) {
  check("program p\nsizes N = 300, M = 3\ninput X: f32[M, N]\noutput A = softmax(X)\n", NULL, 1);
  /* results of another row are not at hand, nor are those of all */
  check("program p\nsizes N = 288\ninput X: f32[N, N]\ns = sum(X * X, axis=1)\n"
        "output A = X * expand_dims(s, axis=1)\noutput B = X * s\n",
        NULL, 2);
  check("program p\nsizes N = 288, M = 4\ninput X: f32[M, N]\ns = sum(X * X, axis=1)\n"
        "output A = X * expand_dims(reverse(s, axis=0), axis=1)\n",
        NULL, 2);
}

END_TEST

/* A reduction that another one reads is stored, whatever else is made of it. */
START_TEST(reductions_of_reductions) {
  long blocks;
  kernels_of("program p\nsizes N = 301, M = 3\ninput X: f32[M, N]\nm = max(X, axis=1)\n"
             "output B = log(sum(exp(X - m[:, none]), axis=1))\noutput Z = m * 2\n",
             NULL, &blocks);
  kernels_of("program p\nsizes N = 40, M = 3\ninput X: f32[M, N]\nm = sum(X, axis=1)\n"
             "s = sum(abs(X - m[:, none]), axis=1)\noutput B = sqrt(s)\noutput Z = m / 2\n"
             "output T = max(X * s[:, none], axis=1)\n",
             NULL, &blocks);
}

END_TEST

/* Block graphs without a thread graph: tiles that are cut off, sums over the loop and the tile,
 * several results that share a reduction. */
/* Of what is approximate itself alone: 41 / 41 is 1, as its floor shows. */
START_TEST(approximate_quotients) {
  static const struct {
    const char *result;
    bool approximate;
  } of[] = {{"floor(X / Y)", false}, {"X / (Y * Y + 1)", false}, {"sigmoid(X)", true}};

  for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
    lower_case j;
    as_lowered lowered;
    char *program = as_format("program p\ninput X: f32[64]\ninput Y: f32[64]\noutput Z = %s + Y\n",
                              of[i].result);
    case_open(&j);
    case_read(&j, program, NULL);
    ck_assert_msg(as_lower_cuda(j.prog, NULL, &lowered, &j.err), "%s", j.err.text);
    const char *kernel = strstr(lowered.cuda, ") k0_");
    ck_assert_msg((strstr(kernel, "as_divf(") != NULL) == of[i].approximate, "%s", of[i].result);
    as_lowered_clear(&lowered);
    case_check(&j, NULL, NULL, 1);
    free(program);
  }
}

END_TEST

START_TEST(block_graphs) {
  check("program p\nsizes N = 9, M = 23\ninput X: f32[N, M]\noutput Y = sum(X * X, axis=1)\n",
        "mugraph q\nsizes T = 4, L = 6\nwhere L = (M + T - 1) div T\nkernel k\n  loop l = L\n"
        "  load x [N, T upto M] = X loop -> 1\n  y = x * x\n  z = sum(y, axis=1)\n"
        "  acc a = sum z\n  store Y [N] = a\nend\n",
        1);
  check("program p\nsizes N = 6, M = 24\ninput X: f32[N, M]\n"
        "output Y = X / expand_dims(sum(X * X, axis=1) + 1, axis=1)\n"
        "output Z = sum(X * X, axis=1)\n",
        "mugraph q\nsizes T = 8, L = 3, J = 3, U = 2\nwhere M = L*T, N = J*U\nkernel k\n"
        "  grid x = J\n  loop l = L\n  load x [U, T] = X x -> 0 loop -> 1\n  c = x * x\n"
        "  acc a = sum c\n  acc b = concat x axis 1\n  s = sum(a, axis=1)\n  t = s + 1\n"
        "  e = expand_dims(t, axis=1)\n  y = b / e\n  store Y [U, M] = y x -> 0\n"
        "  store Z [U] = s x -> 0\nend\n",
        2); /* of three, Y and Z are one launch */
}

END_TEST

int main(void) {
  TCase *tests = test_case("sweep", 240);
  int n = (int)(sizeof extent / sizeof *extent);
  tcase_add_loop_test(tests, maps, 0, n);
  tcase_add_loop_test(tests, reductions, 0, n);
  tcase_add_test(tests, long_reductions);
  tcase_add_loop_test(tests, scans, 0, n);
  tcase_add_test(tests, scans_moved);
  tcase_add_loop_test(tests, pairs, 0, 5);
  tcase_add_loop_test(tests, pairs_of_columns, 0, 5);
  tcase_add_loop_test(tests, places, 0, 5);
  tcase_add_test(tests, pairs_are_made);
  tcase_add_loop_test(tests, rows_and_what_follows, 0, 5);
  tcase_add_test(tests, what_follows_rows);
  tcase_add_test(tests, reductions_of_reductions);
  tcase_add_test(tests, approximate_quotients);
  tcase_add_test(tests, block_graphs);
  return case_test_run("lower_sweep", tests, 300);
}
