/* Sizes left to run time: one kernel, built once, run under the emulation at many sizes, each
 * compared with the evaluator.  Extents of 0, 1, one less and one more than a tile, primes, the
 * bound, and some drawn from AS_SEED (20); sizes in the place of rows, of columns, of what is
 * summed; strides that depend on them.
 * More than 20 s: each library is compiled, and all sizes run the whole of what it computes. */
#include "../../semantics/eval.h"
#include "live_text.h"
#include "src/base/mem.h"
#include "src/base/rng.h"
#include "src/base/str.h"
#include "subject.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_TENSORS = 8, MOST_SIZES = 4, MOST_RUNS = 16 };

typedef struct {
  const char *name;
  const char *program;
  const char *graph;               /* NULL: the program alone */
  long run[MOST_RUNS][MOST_SIZES]; /* values in the program's order; ended by a first one of -1 */
} live_case;

/* sizes that are out of range, and nothing is touched */
static void refuse_at(subject *of, const as_lower_size *size, const char *what) {
  void *none[MOST_TENSORS] = {0};
  as_rt_interface ports = as_rt_interface_of(&of->lowered);
  ports.size = size;
  as_status status = as_rt_library_run(of->dir, "live", &ports, none, none, &of->err);
  ck_assert_msg(status == AS_BAD_INPUT, "%s: taken", what);
  as_err_clear(&of->err);
}

static const live_case cases[] = {
    {.name = "rows one by one",
     .program = "program rows\nsizes B >= 0 <= 37, D = 40\ninput X: f16[B, D]\n"
                "output Y = softmax(X)\noutput Z = rms_norm(X)\n",
     .graph = "mugraph rows\nkernel k\ngrid x = B\nload x [1, D] = X x -> 0\n"
              "y = softmax(x)\nz = rms_norm(x)\nstore Y [1, D] = y x -> 0\n"
              "store Z [1, D] = z x -> 0\nend\n",
     .run = {{0}, {1}, {2}, {31}, {36}, {37}, {-1}}},
    {.name = "a contraction by register tiles",
     .program = "program contraction\nsizes B <= 21, C <= 9, K >= 0 <= 37\ninput X: f32[B, C, K]\n"
                "input W: f32[K, 24]\noutput Y = X @ W\n"
                "output V = transpose(W) @ W\n",
     .run = {{1, 1, 0}, {2, 3, 1}, {21, 9, 37}, {20, 9, 32}, {17, 8, 33}, {-1}}},
    {.name = "a convolution of batches left to run time",
     .program = "program windows\nsizes B <= 5, H <= 9\ninput X: f32[B, 3, H, 7]\n"
                "input W: f32[8, 3, 3, 3]\n"
                "output Y = conv2d(X, W, top = 1, bottom = 1, left = 1)\n",
     .run = {{1, 1}, {2, 8}, {5, 9}, {4, 7}, {-1}}},
    {.name = "rows in tiles",
     .program = "program tiles\nsizes B >= 0 <= 67, D = 40\ninput X: f16[B, D]\n"
                "input W: f16[D, 24]\noutput Y = softmax(X) @ W\noutput H = max(X, axis=1)\n",
     .graph = "mugraph tiles\nsizes G >= 0 = 5, U = 16\nwhere G = (B + U - 1) div U\n"
              "kernel k\ngrid x = G\nload x [U upto B, D] = X x -> 0\nload w [D, 24] = W\n"
              "y = softmax(x) @ w\nh = max(x, axis=1)\nstore Y [U upto B, 24] = y x -> 0\n"
              "store H [U upto B] = h x -> 0\nend\n",
     .run = {{0}, {1}, {15}, {16}, {17}, {31}, {32}, {61}, {67}, {-1}}},
    {.name = "tiles of integers",
     .program = "program whole\nsizes B <= 37, N <= 29\ninput X: f32[B, N]\ninput w: int[B, N]\n"
                "input v: int[B]\noutput Y = sum(X * w, axis=1) - v\n",
     .graph = "mugraph whole\nsizes G = 5, U = 8, L = 4, T = 8\n"
              "where G = (B + U - 1) div U, L = (N + T - 1) div T\nkernel k\ngrid x = G\n"
              "loop l = L\nload x [U upto B, T upto N] = X x -> 0 loop -> 1\n"
              "load t [U upto B, T upto N] = w x -> 0 loop -> 1\nload u [U upto B] = v x -> 0\n"
              "s = sum(x * t, axis=1)\nacc a = sum s\ny = a - u\n"
              "store Y [U upto B] = y x -> 0\nend\n",
     .run = {{1, 1}, {7, 8}, {8, 9}, {9, 29}, {37, 29}, {31, 23}, {-1}}},
    {.name = "parts whose place is left to run time",
     .program = "program parts\nsizes C >= 16 <= 48, B <= 9\ninput X: f16[24, C]\n"
                "input Y: f16[B, 32]\noutput R = X[8:24, 0:16] * 2\n"
                "output S = softmax(Y[:, 16:32])\n",
     .graph = "mugraph parts\na = slice(X, axis=0, start=8, stop=24)\n"
              "b = slice(a, axis=1, start=0, stop=16)\nc = slice(Y, axis=1, start=16, stop=32)\n"
              "kernel k\ngrid x = 16\nload p [1, 16] = b x -> 0\nq = p * 2\n"
              "store R [1, 16] = q x -> 0\nend\nkernel m\ngrid x = B\nload u [1, 16] = c x -> 0\n"
              "v = softmax(u)\nstore S [1, 16] = v x -> 0\nend\n",
     .run = {{16, 1}, {17, 2}, {40, 9}, {48, 8}, {-1}}},
    {.name = "all axes of a product",
     .program = "program cut\nsizes M <= 19, K <= 37, N <= 29\ninput X: f16[M, K]\n"
                "input W: f16[K, N]\nY = rms_norm(X) @ W\noutput S = sum(X, axis=1)\n"
                "output H = max(X, axis=1)\noutput Y\n",
     .graph = "mugraph cut\nsizes G = 5, U = 4, L = 5, T = 8, J = 4, V = 8\n"
              "where G = (M + U - 1) div U, L = (K + T - 1) div T, J = (N + V - 1) div V\n"
              "kernel rows\ngrid x = G\nloop l = L\n"
              "load x [U upto M, T upto K] = X x -> 0 loop -> 1\n"
              "s = sum(x, axis=1)\nh = max(x, axis=1)\nacc z = sum s\nacc m = max h\n"
              "store S [U upto M] = z x -> 0\nstore H [U upto M] = m x -> 0\nend\n"
              "kernel product\ngrid x = G, y = J\nloop l = L\n"
              "load a [U upto M, T upto K] = X x -> 0 loop -> 1\n"
              "load w [T upto K, V upto N] = W y -> 1 loop -> 0\n"
              "p = a @ w\nq = sum(a * a, axis=1)\nacc c = sum p\nacc d = sum q\n"
              "r = sqrt(d / K)\no = c / expand_dims(r, axis=1)\n"
              "store Y [U upto M, V upto N] = o x -> 0 y -> 1\nend\n",
     .run = {{1, 1, 1},
             {4, 8, 8},
             {5, 7, 9},
             {3, 9, 7},
             {19, 37, 29},
             {17, 31, 23},
             {19, 1, 29},
             {1, 37, 13},
             {13, 24, 16},
             {-1}}},
    {.name = "online softmax",
     .program = "program online\nsizes Q <= 19, N <= 83, H = 32, V = 16\ninput A: f16[Q, H]\n"
                "input K: f16[N, H]\ninput W: f16[N, V]\n"
                "output O = softmax(A @ transpose(K)) @ W\n",
     .graph = "mugraph online\nsizes G = 2, U = 16, L = 3, T = 32\n"
              "where G = (Q + U - 1) div U, L = (N + T - 1) div T\nkernel k\ngrid x = G\n"
              "loop l = L\nload a [U upto Q, H] = A x -> 0\nload b [T upto N, H] = K loop -> 0\n"
              "load w [T upto N, V] = W loop -> 0\ns = a @ transpose(b)\nr = max(s, axis=1)\n"
              "acc m, run = max r\ne = exp(s - expand_dims(run, axis=1))\nd = sum(e, axis=1)\n"
              "acc dn = sum d rescale run\np = e @ w\nacc pn = sum p rescale run\n"
              "o = pn / expand_dims(dn, axis=1)\nstore O [U upto Q, V] = o x -> 0\nend\n",
     .run = {{1, 1}, {15, 31}, {16, 32}, {17, 33}, {19, 83}, {7, 64}, {2, 65}, {-1}}},
    {.name = "rows that stay whole",
     .program = "program whole\nsizes B >= 0 <= 11, D = 64, N = 48, R = 16\ninput X: f16[B, D]\n"
                "input W: f16[D, N]\ninput A: f16[D, R]\ninput C: f16[R, N]\n"
                "output O = rms_norm(X @ W + X @ A @ C)\n",
     .graph = "mugraph lora\nsizes L = 2, T = 32\nwhere D = L * T\nkernel k\nloop l = L\n"
              "load x [B, T] = X loop -> 1\nload w [T, N] = W loop -> 0\n"
              "load a [T, R] = A loop -> 0\nload c [R, N] = C\np = x @ w\nq = x @ a\n"
              "acc s = sum p\nacc t = sum q\no = rms_norm(s + t @ c)\nstore O [B, N] = o\nend\n",
     .run = {{0}, {1}, {2}, {7}, {8}, {9}, {11}, {-1}}},
    {.name = "sums over what is left to run time",
     .program = "program over\nsizes B <= 41, D = 24\ninput X: f16[B, D]\ninput W: f16[B, 16]\n"
                "output M = mean(X, axis=0)\noutput P = transpose(X) @ W\n"
                "output S = softmax(transpose(X))\n",
     .graph = "mugraph over\nkernel k\nload x [B, D] = X\nload w [B, 16] = W\n"
              "m = mean(x, axis=0)\np = transpose(x) @ w\ns = softmax(transpose(x))\n"
              "store M [D] = m\nstore P [D, 16] = p\nstore S [D, B] = s\nend\n",
     .run = {{1}, {2}, {15}, {16}, {17}, {40}, {41}, {-1}}},
    {.name = "attention with a batch",
     .program = "program attention\nsizes B <= 5, N <= 48, H = 2, Q = 16, D = 16\n"
                "input A: f16[B, H, Q, D]\ninput K: f16[B, H, N, D]\ninput V: f16[B, H, N, D]\n"
                "output O = softmax(A @ transpose(K)) @ V\n",
     .graph = "mugraph attention\nsizes L = 3, T = 16\nwhere L = (N + T - 1) div T\nkernel k\n"
              "grid x = B, y = H\nloop l = L\nload a [1, 1, Q, D] = A x -> 0 y -> 1\n"
              "load b [1, 1, T upto N, D] = K x -> 0 y -> 1 loop -> 2\n"
              "load v [1, 1, T upto N, D] = V x -> 0 y -> 1 loop -> 2\n"
              "s = a @ transpose(b)\nr = max(s, axis=3)\nacc m, run = max r\n"
              "e = exp(s - expand_dims(run, axis=3))\nd = sum(e, axis=3)\n"
              "acc dn = sum d rescale run\np = e @ v\nacc pn = sum p rescale run\n"
              "o = pn / expand_dims(dn, axis=3)\nstore O [1, 1, Q, D] = o x -> 0 y -> 1\nend\n",
     .run = {{1, 1}, {2, 15}, {3, 16}, {5, 17}, {4, 47}, {5, 48}, {-1}}},
    {.name = "operators as kernels",
     .program = "program kernels\nsizes B <= 13, C <= 9, N = 6\ninput X: f32[B, N]\n"
                "input Y: f32[C, N]\ninput W: f32[N, B]\nZ = concat(X, Y, axis=0)\n"
                "output R = reverse(Z, axis=0)\noutput P = Z @ W\noutput T = transpose(P)\n"
                "output S = sum(P * P, axis=1) / (B + C)\noutput E = exp(X @ W)[0:1]\n"
                "output L = layer_norm(transpose(X))\n",
     .run = {{1, 1}, {2, 9}, {13, 1}, {7, 5}, {13, 9}, {-1}}},
    {.name = "moved within a block",
     .program = "program moved\nsizes B <= 13, N = 6\ninput X: f16[B, N]\ninput Y: f16[3, N]\n"
                "output R = reverse(X, axis=0)\noutput C = concat(X, Y, axis=0)\n"
                "output D = concat(Y, X, axis=0)\n",
     .graph = "mugraph moved\nkernel k\nload x [B, N] = X\nload y [3, N] = Y\n"
              "r = reverse(x, axis=0)\nc = concat(x, y, axis=0)\nd = concat(y, x, axis=0)\n"
              "store R [B, N] = r\nstore C [B + 3, N] = c\nstore D [B + 3, N] = d\nend\n",
     .run = {{1}, {2}, {5}, {12}, {13}, {-1}}},
    {.name = "between kernels",
     .program = "program between\nsizes B <= 21, C <= 7, D = 16\ninput X: f16[B, C, D]\n"
                "output Y = softmax(rms_norm(X))\n",
     .graph = "mugraph between\nkernel first\ngrid x = B\nload x [1, C, D] = X x -> 0\n"
              "n = rms_norm(x)\nstore N [1, C, D] = n x -> 0\nend\n"
              "kernel second\ngrid x = C, y = B\nload n2 [1, 1, D] = N x -> 1 y -> 0\n"
              "y = softmax(n2)\nstore Y [1, 1, D] = y x -> 1 y -> 0\nend\n",
     .run = {{1, 1}, {2, 7}, {21, 1}, {20, 6}, {21, 7}, {-1}}},
};

/* a launch at these values, in the program's order, by the kernels that were built */
static void check_at(subject *under, const live_case *of, const char *kernels, int64_t *env,
                     const long *value, uint64_t seed) {
  as_str what;
  as_str_init(&what);
  as_str_printf(&what, "%s, seed %llu:", of->name, (unsigned long long)seed);
  for (uint32_t i = 0; i < under->lowered.n_size; i++) {
    env[as_size_find(under->sizes, under->lowered.size[i].name)] = value[i];
    as_str_printf(&what, " %s=%ld", under->lowered.size[i].name, value[i]);
  }
  ck_assert_msg(subject_lower(under, env), "%s: %s", what.s, under->err.text);
  ck_assert_msg(strcmp(kernels, under->lowered.cuda) == 0, "%s: other kernels", what.s);
  subject_run_at(under, env, seed, what.s);
  as_str_clear(&what);
}

enum { RANDOM_RUNS = 5 };

START_TEST(all_sizes) {
  const live_case *of = &cases[_i];
  subject under = {0};
  subject_open(&under, of->program, of->graph);
  int64_t *env = as_env_new(under.sizes);
  ck_assert_msg(subject_lower(&under, env), "%s: %s", of->name, under.err.text);
  char *kernels = as_strdup(under.lowered.cuda);
  subject_build(&under);
  uint32_t n = under.lowered.n_size;
  for (int k = 0; k < MOST_RUNS && of->run[k][0] >= 0; k++)
    check_at(&under, of, kernels, env, of->run[k], (uint64_t)k + 1);
  const char *asked = getenv("AS_SEED");
  uint64_t seed = asked ? strtoull(asked, NULL, 10) : 20;
  as_rng rng;
  as_rng_seed(&rng, seed);
  for (int k = 0; k < RANDOM_RUNS; k++) {
    long value[MOST_SIZES];
    for (uint32_t i = 0; i < n; i++) {
      const as_lower_size *size = &under.lowered.size[i];
      value[i] = size->least + (long)as_rng_below(&rng, (uint64_t)(size->most - size->least + 1));
    }
    check_at(&under, of, kernels, env, value, seed);
  }
  as_lower_size beyond[MOST_SIZES];
  for (uint32_t wrong = 0; wrong < n; wrong++) {
    for (uint32_t i = 0; i < n; i++)
      beyond[i] = under.lowered.size[i];
    beyond[wrong].value = beyond[wrong].most + 1;
    refuse_at(&under, beyond, of->name);
    beyond[wrong].value = beyond[wrong].least - 1;
    refuse_at(&under, beyond, of->name);
  }
  subject_remove_files(&under);
  free(kernels);
  free(env);
  subject_close(&under);
}

END_TEST

/* a tile of integers is read where it is used, and of an empty tensor there is nothing to read */
START_TEST(integers_that_may_be_none) {
  static const char program[] = "program empty\nsizes B >= 0 <= 37\ninput X: f32[B]\n"
                                "input w: int[B]\noutput Y = X * w\n";
  static const char graph[] = "mugraph empty\nsizes G >= 0 = 5, U = 8\n"
                              "where G = (B + U - 1) div U\nkernel k\ngrid x = G\n"
                              "load x [U upto B] = X x -> 0\nload t [U upto B] = w x -> 0\n"
                              "y = x * t\nstore Y [U upto B] = y x -> 0\nend\n";
  subject under = {0};
  subject_open(&under, program, graph);
  int64_t *env = as_env_new(under.sizes);
  ck_assert(!subject_lower(&under, env));
  ck_assert_int_eq(under.err.status, AS_BAD_INPUT);
  ck_assert_msg(strstr(under.err.text, "may be empty") != NULL, "%s", under.err.text);
  free(env);
  subject_close(&under);
}

END_TEST

/* programs of moves, parts and products, each a library of its own in this process, at several
 * sizes; LIVE_CASES of them, from AS_SEED */
START_TEST(random_programs) {
  const char *cases_asked = getenv("LIVE_CASES");
  const char *asked = getenv("AS_SEED");
  uint64_t seed = asked ? strtoull(asked, NULL, 10) : 20;
  as_rng rng;
  as_rng_seed(&rng, seed);
  for (long i = 0; i < (cases_asked ? atol(cases_asked) : 3); i++) {
    char *text = live_text_new(&rng);
    subject under = {.target = i % 2 ? as_target_using(as_target_default(), AS_LIBRARY_ALWAYS)
                                     : as_target_default()};
    subject_open(&under, text, NULL);
    int64_t *env = as_env_new(under.sizes);
    bool lowered =
        subject_lower(&under, env); /* not where an axis that may be 0 is a divisor, say */
    ck_assert_msg(lowered || under.err.status == AS_BAD_INPUT, "%s: %s", text, under.err.text);
    if (lowered)
      subject_build(&under);
    for (int at = 0; at < 9 && lowered; at++) {
      static const int of_b[] = {1, 2, 6};
      static const int of_c[] = {0, 1, 4};
      env[as_size_find(under.sizes, "B")] = of_b[at % 3];
      env[as_size_find(under.sizes, "C")] = of_c[at / 3];
      char *what = as_format("seed %llu, case %ld, B = %d, C = %d: %s", (unsigned long long)seed, i,
                             of_b[at % 3], of_c[at / 3], text);
      ck_assert_msg(subject_lower(&under, env), "%s: %s", what, under.err.text);
      subject_run_at(&under, env, (uint64_t)at + 1, what);
      free(what);
    }
    if (lowered)
      subject_remove_files(&under);
    free(env);
    free(text);
    subject_close(&under);
  }
}

END_TEST

int main(void) {
  const char *cases_asked = getenv("LIVE_CASES");
  TCase *tests = test_case("live", cases_asked ? 3600 : 240);
  tcase_add_loop_test(tests, all_sizes, 0, (int)(sizeof cases / sizeof *cases));
  tcase_add_test(tests, integers_that_may_be_none);
  tcase_add_test(tests, random_programs);
  return test_run("lower_live", tests);
}
