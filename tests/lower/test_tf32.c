/* Contractions on tensor cores with factors rounded to TF32, under the host emulation: products and
 * convolutions of fixed and random shapes, of integers that no rounding changes, so that results
 * are exactly the evaluators'; what may be rounded and what may not; what is written out behind.
 * More than 20 s: some 250 kernels are compiled, and run thread by thread. */
#include "gather.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* operators that the library lacks: convolutions in groups, transposed, in three dimensions */
static const char own_operators[] =
    "op up(x[n, c, h], f[c, oi, k]; groups = 1, s = 2, d = 1, e = 0) -> [n, oi * groups,\n"
    "    (h - 1) * s + d * (k - 1) - 2 * e + 1]\n"
    "  require 1 <= groups\n"
    "  require c mod groups = 0\n"
    "  require 1 <= s\n"
    "  let at[i, m, t] = if(0 <= t and t mod s = 0 and t div s < h, x[i, m, t div s], 0)\n"
    "  out[i, q, z] = (sum(m < c div groups) sum(b < k)\n"
    "    at[i, (q div oi) * (c div groups) + m, z + e - d * b] *\n"
    "    f[(q div oi) * (c div groups) + m, q mod oi, b])\n"
    "op up2(x[n, c, h, w], f[c, o, k, l]) -> [n, o, (h - 1) * 2 + k, (w - 1) * 3 + l]\n"
    "  let at[i, m, r, t] = if(0 <= r and r mod 2 = 0 and r div 2 < h and 0 <= t and t mod 3 = 0\n"
    "    and t div 3 < w, x[i, m, r div 2, t div 3], 0)\n"
    "  out[i, q, y, z] = (sum(m < c) sum(a < k) sum(b < l) at[i, m, y - a, z - b] * f[m, q, a, "
    "b])\n"
    "op full2(x[n, c, h, w], f[c, o, k, l]) -> [n, o, h - 1 + k, w - 1 + l]\n"
    "  let at[i, m, r, t] = if(0 <= r and r < h and 0 <= t and t < w, x[i, m, r, t], 0)\n"
    "  out[i, q, y, z] = (sum(m < c) sum(a < k) sum(b < l) at[i, m, y - a, z - b] * f[m, q, a, "
    "b])\n"
    "op mish(x[..a]) -> [..a]\n"
    "  out[..a] = x[..a] * (1 - 2 / (exp(2 * if(20 < x[..a], x[..a], log(1 + exp(x[..a])))) + 1))\n"
    "op conv3(x[n, c, d, h, w], f[o, c, kd, kh, kw]) -> [n, o, d, h, w]\n"
    "  let at[i, p, t, r, s] = if(0 <= t and t < d and 0 <= r and r < h and 0 <= s and s < w,\n"
    "    x[i, p, t, r, s], 0)\n"
    "  out[i, q, u, y, z] = (sum(p < c) sum(e < kd) sum(a < kh) sum(b < kw)\n"
    "    at[i, p, u + e - 1, y + 2 * a - 2, z + b - 1] * f[q, p, e, a, b])\n"
    "op groups3(x[n, c, d, h, w], f[o, ci, kd, kh, kw]) -> [n, o, d - kd + 1, h - kh + 1,\n"
    "    w - kw + 1]\n"
    "  require 1 <= ci\n  require ci <= c\n  require c mod ci = 0\n"
    "  require o mod (c div ci) = 0\n"
    "  out[i, q, u, y, z] = (sum(p < ci) sum(e < kd) sum(a < kh) sum(b < kw)\n"
    "    x[i, (q div (o div (c div ci))) * ci + p, u + e, y + a, z + b] * f[q, p, e, a, b])\n";

static const char all[] = "conv,conv2d,conv3,groups3,up,up2,full2,matmul";

static void read_case(lower_case *j, const char *text) {
  case_open(j);
  ck_assert_msg(as_oplib_parse(j->lib, "own.sem", own_operators, strlen(own_operators), &j->err),
                "%s", j->err.text);
  case_read(j, text, NULL);
}

/* lowers a program so; the lowering, which stays the list's */
static const as_lowered *gather(gathering *all_of, const char *text, const as_lower_opts *options,
                                double tolerance) {
  lower_case of;
  as_lowered lowered;
  read_case(&of, text);
  ck_assert_msg(as_lower_cuda(of.prog, options, &lowered, &of.err), "%s\n%s", text, of.err.text);
  const as_lowered *kept = gather_add(all_of, &of, text, &lowered, tolerance);
  if (getenv("TF32_NOTES"))
    printf("%s%s", text, kept->notes);
  return kept;
}

static bool says(const as_lowered *lowered, const char *what) {
  return strstr(lowered->notes, what) != NULL;
}

/* with tiles that the model chooses, and with those of more warps, of which some are by warpgroups;
 * for a GPU that has none, too: all ways of the first program of a list, of the others the model's
 * and one more, in turn */
static void gather_ways(gathering *all_of, const char *inputs, const char *output) {
  static const struct {
    const char *gpu;
    unsigned warps;
  } way[] = {{"H200", 0}, {"H200", 2}, {"H200", 4}, {"H200", 8}, {"A100", 0}, {"A100", 8}};

  enum { WAYS = sizeof way / sizeof *way };

  static unsigned calls;
  const unsigned other = 1 + calls++ % (WAYS - 1);
  char *text = as_format("program p\n%s\noutput O = %s\n", inputs, output);
  for (unsigned i = 0; i < WAYS; i++) {
    if (i > 0 && i != other && all_of->n >= WAYS && !getenv("AS_LONG"))
      continue;
    const as_target *target = as_target_rounding(as_target_find(way[i].gpu, NULL), all);
    const as_lower_opts options = {.target = target, .warps = way[i].warps};
    const as_lowered *lowered = gather(all_of, text, &options, 0);
    ck_assert_msg(says(lowered, ": contraction in TF32 "), "%s%s", text, lowered->notes);
  }
  free(text);
}

START_TEST(convolutions) {
  gathering all_of = {.n = 0};
  gather_ways(&all_of, "input X: f32[2, 16, 11, 9]\ninput F: f32[40, 16, 3, 3]",
              "conv2d(X, F, top = 1, left = 1, bottom = 1, right = 1)");
  gather_ways(&all_of, "input X: f32[1, 3, 23, 17]\ninput F: f32[6, 3, 5, 4]",
              "conv2d(X, F, stride_h = 2, stride_w = 3, top = 2, right = 1)");
  gather_ways(&all_of, "input X: f32[2, 20, 8, 8]\ninput F: f32[16, 20, 1, 1]", "conv2d(X, F)");
  gather_ways(&all_of, "input X: f32[2, 8, 30]\ninput F: f32[8, 12, 3]",
              "conv(X, F, low = 2, high = 1, window_dilation = 2)");
  gather_ways(&all_of, "input X: f32[1, 3, 5, 7, 6]\ninput F: f32[5, 3, 2, 2, 3]", "conv3(X, F)");
  gather_ways(&all_of, "input X: f32[1, 33, 6, 7]\ninput F: f32[130, 33, 2, 2]", "conv2d(X, F)");
  gather_run(&all_of);
}

END_TEST

/* remainders of places are batches of their own or a thread has all, taps that reach nothing there
 * are left out */
START_TEST(transposed) {
  gathering all_of = {.n = 0};
  gather_ways(&all_of, "input X: f32[2, 16, 9]\ninput F: f32[16, 5, 3]", "up(X, F)");
  gather_ways(&all_of, "input X: f32[2, 16, 9]\ninput F: f32[16, 5, 4]", "up(X, F)");
  gather_ways(&all_of, "input X: f32[2, 16, 9]\ninput F: f32[16, 5, 4]",
              "up(X, F, s = 3, d = 2, e = 1)");
  gather_ways(&all_of, "input X: f32[2, 32, 8]\ninput F: f32[32, 24, 4]", "up(X, F, e = 1)");
  gather_ways(&all_of, "input X: f32[1, 16, 7, 6]\ninput F: f32[16, 12, 3, 4]", "up2(X, F)");
  gather_ways(&all_of, "input X: f32[1, 16, 6, 8]\ninput F: f32[16, 24, 2, 3]", "up2(X, F)");
  gather_run(&all_of);
}

END_TEST

/* The zeros between elements stand in operators of their own, one for each axis: they are read
 * through, and all three axes are divided by their remainders, which with groups makes nine. */
START_TEST(zeros_between) {
  gathering all_of = {.n = 0};
  gather_ways(&all_of, "input X: f32[2, 16, 3, 4, 5]\ninput F: f32[16, 8, 3, 2, 3]",
              "groups3(pad(pad(pad(X, 0, axis = 2, low = 1, interior = 1, high = 2), 0, axis = 3,"
              " interior = 1), 0, axis = 4, low = 2, interior = 1, high = 1), F)");
  for (unsigned i = 0; i < all_of.n; i++)
    ck_assert_uint_le(all_of.item[i].lowered.n_kernel, 2);
  gather_run(&all_of);
}

END_TEST

START_TEST(channels_in_groups) {
  gathering all_of = {.n = 0};
  gather_ways(&all_of, "input X: f32[2, 32, 7, 6]\ninput F: f32[24, 16, 3, 2]", "conv2d(X, F)");
  gather_ways(&all_of, "input X: f32[2, 6, 9]\ninput F: f32[6, 5, 3]", "up(X, F, groups = 2)");
  gather_run(&all_of);
}

END_TEST

START_TEST(products) {
  gathering all_of = {.n = 0};
  gather_ways(&all_of, "input A: f32[20, 48]\ninput B: f32[96, 48]", "A @ transpose(B)");
  gather_ways(&all_of, "input A: f32[70, 36]\ninput B: f32[33, 36]", "A @ transpose(B)");
  gather_ways(&all_of, "input A: f32[2, 9, 68]\ninput B: f32[2, 70, 68]",
              "matmul(A, transpose(B))");
  gather_ways(&all_of, "input A: f32[64, 48]\ninput B: f32[48, 96]", "A @ B");
  gather_ways(&all_of, "input A: f32[130, 33]\ninput B: f32[33, 67]", "A @ B");
  gather_ways(&all_of, "input A: f32[48, 64]\ninput B: f32[20, 48]", "transpose(A) @ transpose(B)");
  gather_ways(&all_of, "input A: f32[3, 17, 40]\ninput B: f32[3, 40, 36]", "A @ B");
  gather_run(&all_of);
}

END_TEST

static long below(unsigned *state, long most) {
  *state = *state * 1664525u + 1013904223u;
  return (long)(*state >> 8) % most;
}

static char *random_convolution(unsigned *state) {
  long groups = 1 + below(state, 2);
  long inputs = 3 + below(state, 30);
  long outputs = 4 + below(state, 60);
  long window[2] = {1 + below(state, 4), 1 + below(state, 4)};
  return as_format("program p\ninput X: f32[%ld, %ld, %ld, %ld]\n"
                   "input F: f32[%ld, %ld, %ld, %ld]\n"
                   "output O = conv2d(X, F, stride_h = %ld, stride_w = %ld, top = %ld, left = %ld, "
                   "right = %ld)\n",
                   1 + below(state, 3), inputs * groups, window[0] + 3 + below(state, 7),
                   window[1] + 3 + below(state, 9), outputs * groups, inputs, window[0], window[1],
                   1 + below(state, 3), 1 + below(state, 3), below(state, 3), below(state, 3),
                   below(state, 3));
}

static char *random_transposed(unsigned *state) {
  long groups = 1 + below(state, 2);
  return as_format("program p\ninput X: f32[%ld, %ld, %ld]\ninput F: f32[%ld, %ld, %ld]\n"
                   "output O = up(X, F, groups = %ld, s = %ld, d = %ld, e = %ld)\n",
                   1 + below(state, 2), groups * 16, 4 + below(state, 20), groups * 16,
                   4 + below(state, 20), 2 + below(state, 4), groups, 1 + below(state, 4),
                   1 + below(state, 2), below(state, 2));
}

START_TEST(random_shapes) {
  const char *cases = getenv("TF32_CASES");
  unsigned seed = 20261124;
  gathering all_of = {.n = 0};
  long n = cases ? atol(cases) : 16;
  const as_target *target = as_target_rounding(as_target_default(), all);
  for (long i = 0; i < n && i < GATHER_MOST; i++) {
    char *text = i % 2 ? random_convolution(&seed) : random_transposed(&seed);
    const as_lower_opts options = {.target = target, .warps = i % 3 ? 1u << i % 4 : 0};
    gather(&all_of, text, &options, 0);
    free(text);
  }
  gather_run(&all_of);
}

END_TEST

/* what the tiles of the tests above are made by */
START_TEST(both_kinds) {
  const as_target *target = as_target_rounding(as_target_default(), all);
  static const char text[] = "program p\ninput X: f32[2, 32, 9]\ninput F: f32[32, 5, 3]\n"
                             "output O = up(X, F)\n";
  static const char *const way[] = {"by warpgroups", "warps 16x32;"};
  gathering all_of = {.n = 0};
  for (int i = 0; i < 2; i++) {
    const as_lower_opts options = {.target = target, .warps = i ? 1 : 4};
    const as_lowered *lowered = gather(&all_of, text, &options, 0);
    ck_assert_msg(says(lowered, way[i]), "%s", lowered->notes);
    ck_assert_msg(says(lowered, "those without terms are left out"), "%s", lowered->notes);
  }
  gather_run(&all_of);
}

END_TEST

/* Two parts of eleven bits each are most of what f32 has: of factors of 24 bits, one of 2^-22 is
 * left out, of those of 22 bits nothing but the product of both rests. */
START_TEST(in_parts) {
  static const char *const text[] = {
      "program p\ninput A: f32[20, 48]\ninput B: f32[96, 48]\noutput O = A @ transpose(B)\n",
      "program p\ninput A: f32[33, 40]\ninput B: f32[40, 52]\noutput O = A @ B\n",
      ("program p\ninput X: f32[2, 16, 8, 9]\ninput F: f32[24, 16, 3, 2]\n"
       "output O = conv2d(X, F, top = 1)\n")};
  const as_target *target = as_target_rounding(as_target_default(), "conv2d:3,matmul:3");
  gathering all_of = {.n = 0};
  for (unsigned i = 0; i < 9; i++) {
    const as_lower_opts options = {.target = target, .warps = i / 3 * 4};
    const as_lowered *lowered = gather(&all_of, text[i % 3], &options, ldexp(1, -20));
    ck_assert_msg(says(lowered, ": contraction in TF32 parts "), "%s", lowered->notes);
    batch_item *item = &all_of.item[all_of.n - 1];
    for (uint32_t input = 0; input < 2; input++) {
      for (long k = 0; k < lowered->in_elems[input]; k++)
        item->in[input][k] = (double)(float)(1 + (double)(k * 7919 % 10007) / 10007.0);
    }
  }
  gather_run(&all_of);
}

END_TEST

static bool in_parts_by_itself(const char *text, const char *permission) {
  lower_case j;
  as_lowered lowered;
  const as_lower_opts options = {.target = as_target_rounding(as_target_default(), permission)};
  read_case(&j, text);
  ck_assert_msg(as_lower_cuda(j.prog, &options, &lowered, &j.err), "%s", j.err.text);
  bool result = says(&lowered, ": contraction in TF32 parts ");
  ck_assert(result || says(&lowered, ": contraction in TF32 "));
  ck_assert_uint_eq(lowered.n_kernel, 2);
  ck_assert_str_eq(lowered.kernel[1].factors, result ? "two parts in TF32" : "TF32");
  ck_assert_ptr_null(lowered.kernel[0].factors);
  as_lowered_clear(&lowered);
  case_close(&j);
  return result;
}

/* A few columns of a deep convolution whose factors no tile takes in parts: other ways are left. */
START_TEST(no_tile_in_parts) {
  static const char deep[] =
      "program p\ninput X: f32[2, 256, 14, 14]\ninput F: f32[512, 256, 3, 3]\n"
      "output Y = conv2d(X, F, stride_h=2, stride_w=2, top=1, left=1, bottom=1, right=1)\n";
  static const char *const permissions[] = {"conv2d", "conv2d:3", "conv2d:auto"};
  for (size_t i = 0; i < sizeof permissions / sizeof *permissions; i++) {
    lower_case j;
    as_lowered lowered;
    const as_lower_opts options = {.target =
                                       as_target_rounding(as_target_default(), permissions[i])};
    read_case(&j, deep);
    ck_assert_msg(as_lower_cuda(j.prog, &options, &lowered, &j.err), "%s", j.err.text);
    ck_assert_uint_ge(lowered.n_kernel, 1);
    as_lowered_clear(&lowered);
    case_close(&j);
  }
}

END_TEST

/* Where both ways are permitted the model chooses: parts where few channels, or copies, take most
 * of the time, and not where tensor cores do. */
START_TEST(parts_where_cheap) {
  static const char few[] = "program p\ninput X: f32[16, 3, 64, 64, 64]\n"
                            "input F: f32[64, 3, 3, 3, 3]\noutput O = conv3(X, F)\n";
  static const char many[] = "program p\ninput X: f32[64, 64, 256, 256]\n"
                             "input F: f32[128, 64, 3, 3]\noutput O = conv2d(X, F)\n";
  ck_assert(in_parts_by_itself(few, "conv3:auto"));
  ck_assert(!in_parts_by_itself(many, "conv2d:auto"));
  ck_assert(!in_parts_by_itself(few, "conv3"));
  ck_assert(in_parts_by_itself(many, "conv,conv2d:3,up"));
}

END_TEST

/* 1 + 2^-11 lies between two numbers of eleven bits, and is rounded away from zero */
START_TEST(factors_are_rounded) {
  static const char text[] =
      "program p\ninput A: f32[64, 16]\ninput B: f32[16, 32]\noutput O = A @ B\n";
  for (int rounded = 0; rounded < 2; rounded++) {
    for (unsigned warps = 1; warps <= 4; warps *= 4) {
      gathering all_of = {.n = 0};
      const as_lower_opts options = {
          .target = as_target_rounding(as_target_default(), rounded ? all : NULL), .warps = warps};
      gather(&all_of, text, &options, 0);
      batch_item *item = &all_of.item[0];
      for (long i = 0; i < 64L * 16; i++)
        item->in[0][i] = 1 + ldexp(1, -11);
      for (long i = 0; i < 16L * 32; i++)
        item->in[1][i] = 1 + ldexp(1, -12);
      char dir[] = "tf32-test-XXXXXX";
      ck_assert(mkdtemp(dir) != NULL);
      ck_assert(batch_run(item, 1, dir) && item->ran);
      double expected =
          rounded ? 16 * (1 + ldexp(1, -10)) : 16 * (1 + ldexp(1, -11)) * (1 + ldexp(1, -12));
      for (long i = 0; i < 64L * 32; i++)
        ck_assert_msg(fabs(item->out[0][i] - expected) < 16 * ldexp(1, -22), "%.9g, not %.9g",
                      item->out[0][i], expected);
      char *command = as_format("rm -r %s", dir);
      ck_assert_int_eq(system(command), 0);
      free(command);
      batch_item_clear(item);
      case_close(&all_of.subject[0].of);
      free(all_of.subject[0].text);
    }
  }
}

END_TEST

static void check_permission(gathering *all_of, const char *text, const char *rounded, bool is) {
  const as_lower_opts options = {.target = as_target_rounding(as_target_default(), rounded)};
  const as_lowered *lowered = gather(all_of, text, &options, 0);
  ck_assert_msg(says(lowered, ": contraction in TF32 ") == is, "%s%s", text, lowered->notes);
}

/* only what was permitted, by whole names; sizes left to run time go another way */
START_TEST(what_may_be_rounded) {
  static const char product[] =
      "program p\ninput A: f32[64, 48]\ninput B: f32[48, 96]\noutput O = A @ B\n";
  gathering all_of = {.n = 0};
  check_permission(&all_of, product, "matmul", true);
  check_permission(&all_of, product, "conv,matmul,up", true);
  check_permission(&all_of, product, NULL, false);
  check_permission(&all_of, product, "", false);
  check_permission(&all_of, product, "conv2d", false);
  check_permission(&all_of, product, "matmul:2,matmul:33,matmul:", false);
  check_permission(&all_of, product, "matmu,matmuls,xmatmul", false);
  gather_run(&all_of);
  lower_case j;
  as_lowered lowered;
  const as_lower_opts options = {.target = as_target_rounding(as_target_default(), "matmul")};
  read_case(&j, "program p\nsizes B <= 64\ninput A: f32[B, 48]\ninput C: f32[48, 96]\n"
                "output O = A @ C\n");
  ck_assert_msg(as_lower_cuda(j.prog, &options, &lowered, &j.err), "%s", j.err.text);
  ck_assert(says(&lowered, ": contraction ") && !says(&lowered, "TF32"));
  as_lowered_clear(&lowered);
  case_close(&j);
}

END_TEST

/* how many kernels there are, of which one is a contraction; both kinds of tiles */
static void check_kernels(gathering *all_of, const char *text, uint32_t kernels, double tolerance) {
  for (int rounded = 0; rounded < 3; rounded++) {
    const as_lower_opts options = {
        .target = as_target_rounding(as_target_default(), rounded ? all : NULL),
        .warps = rounded == 2 ? 4 : 0};
    const as_lowered *lowered = gather(all_of, text, &options, tolerance);
    ck_assert_msg(says(lowered, ": contraction") &&
                      says(lowered, "contraction in TF32") == (rounded > 0),
                  "%s\n%s", text, lowered->notes);
    ck_assert_msg(lowered->n_kernel == kernels + (rounded > 0), "%s: %u kernels\n%s", text,
                  lowered->n_kernel, lowered->notes);
  }
}

static const char convolution[] = "program p\ninput X: f32[2, 16, 9, 9]\n"
                                  "input F: f32[24, 16, 3, 3]\ninput B: f32[24, 1, 1]\n"
                                  "input R: f32[2, 24, 7, 7]\nC = conv2d(X, F)\n";

static void check_behind(gathering *all_of, const char *lines, uint32_t kernels, double tolerance) {
  char *text = as_format("%s%s", convolution, lines);
  check_kernels(all_of, text, kernels, tolerance);
  free(text);
}

START_TEST(written_out_behind) {
  gathering all_of = {.n = 0};
  check_behind(&all_of, "output Y = relu(C + B)\n", 1, 0);
  check_behind(&all_of, "D = C + B\noutput Y = D * sigmoid(D) + R\n", 1, 1e-5);
  check_behind(&all_of, "D = tanh(C * 2)\nE = maximum(D, R)\noutput Y = E - C\n", 1, 1e-5);
  gather_run(&all_of);
}

END_TEST

/* Rows of odd length, remainders between each other, and what is costly to compute go by way of
 * shared memory, all rows at a time or as many as fit; what is neither does not. */
START_TEST(stored_through_shared_memory) {
  static const struct {
    const char *inputs;
    const char *output;
    bool staged;
  } text[] = {
      {"input X: f32[3, 16, 11, 9]\ninput F: f32[40, 16, 3, 3]", "conv2d(X, F)", true},
      {"input X: f32[2, 16, 10, 10]\ninput F: f32[130, 16, 1, 1]", "conv2d(X, F)", false},
      {"input X: f32[2, 16, 10, 10]\ninput F: f32[130, 16, 3, 3]", "tanh(conv2d(X, F))", true},
      {"input X: f32[2, 16, 70]\ninput F: f32[16, 72, 5]", "up(X, F)", true},
      {"input X: f32[2, 16, 9]\ninput F: f32[16, 24, 4]", "up(X, F, s = 3)", true},
      {"input X: f32[2, 16, 9]\ninput F: f32[16, 8, 5]", "up(X, F, s = 4)", true}};

  gathering all_of = {.n = 0};
  for (unsigned i = 0; i < sizeof text / sizeof *text; i++) {
    for (unsigned warps = 4; warps <= 16; warps *= getenv("AS_LONG") ? 2 : 4) {
      const as_target *target = as_target_rounding(as_target_default(), all);
      const as_lower_opts options = {.target = target, .warps = warps};
      char *program = as_format("program p\n%s\noutput O = %s\n", text[i].inputs, text[i].output);
      const as_lowered *lowered = gather(&all_of, program, &options, 1e-5);
      ck_assert_msg(says(lowered, "stored through shared memory") == text[i].staged, "%s%s",
                    program, lowered->notes);
      free(program);
    }
  }
  gather_run(&all_of);
}

END_TEST

/* Reductions over all output channels, of which a block has a whole column, are made where results
 * are stored; others, of more channels than a tile has, of something that is read elsewhere too, or
 * over other axes, are not. */
START_TEST(reductions_over_channels) {
  static const struct {
    const char *inputs;
    const char *lines;
    bool joined;
  } text[] = {{"input X: f32[2, 16, 9, 8]\ninput F: f32[24, 16, 3, 3]\ninput B: f32[24, 1, 1]",
               "output Y = tanh(min(conv2d(X, F) + B, axis=1))", true},
              {"input X: f32[3, 16, 9, 11]\ninput F: f32[20, 16, 1, 1]\ninput B: f32[20, 1, 1]",
               "output Y = max(relu(conv2d(X, F)) - B, axis=1)", true},
              {"input X: f32[2, 5, 9, 8]\ninput F: f32[70, 5, 2, 2]\ninput B: f32[70, 1, 1]",
               "D = sum(conv2d(X, F) * B, axis=1) / 4\noutput Y = relu(D[:, none, :, :])", true},
              {"input X: f32[2, 16, 9]\ninput F: f32[16, 24, 4]",
               "output Y = min(up(X, F), axis=1) * 2", true},
              {"input X: f32[2, 16, 9, 8]\ninput F: f32[260, 16, 3, 3]",
               "output Y = min(conv2d(X, F), axis=1)", false},
              {"input X: f32[2, 16, 9, 8]\ninput F: f32[24, 16, 3, 3]",
               "output Y = min(conv2d(X, F), axis=2)", false},
              {"input X: f32[2, 16, 9, 8]\ninput F: f32[24, 16, 3, 3]",
               "C = conv2d(X, F)\noutput Y = max(C, axis=1)\noutput Z = C * 2", false},
              {"input X: f32[2, 32, 9, 8]\ninput F: f32[24, 16, 3, 3]",
               "output Y = max(conv2d(X, F), axis=1)", false}};

  gathering all_of = {.n = 0};
  const as_target *target = as_target_rounding(as_target_default(), all);
  for (unsigned i = 0; i < sizeof text / sizeof *text; i++) {
    for (unsigned warps = 0; warps <= 8; warps += 8) {
      const as_lower_opts options = {.target = target, .warps = warps};
      char *program = as_format("program p\n%s\n%s\n", text[i].inputs, text[i].lines);
      const as_lowered *lowered = gather(&all_of, program, &options, 1e-5);
      ck_assert_msg(says(lowered, "rows reduced") == text[i].joined, "%s%s", program,
                    lowered->notes);
      free(program);
    }
  }
  gather_run(&all_of);
}

END_TEST

/* Taps that read the same memory share a patch: rows that begin at multiples of 16 bytes and
 * others, padded, with steps and dilated, in groups, of three dimensions, of more images than one,
 * mirrored (transposed); with one part of factors and two. */
START_TEST(taps_share_patches) {
  static const char *const text[] = {
      "input X: f32[3, 16, 20, 24]\ninput F: f32[40, 16, 3, 3]\noutput O = conv2d(X, F)\n",
      "input X: f32[2, 20, 13, 11]\ninput F: f32[24, 20, 3, 5]\n"
      "output O = conv2d(X, F, top = 1, bottom = 1, left = 2, right = 2)\n",
      "input X: f32[2, 16, 31, 40]\ninput F: f32[130, 16, 3, 3]\n"
      "output O = conv2d(X, F, stride_h = 2, stride_w = 2, top = 2, right = 1)\n",
      "input X: f32[2, 32, 14, 16]\ninput F: f32[24, 16, 3, 2]\noutput O = conv2d(X, F)\n",
      "input X: f32[2, 16, 130]\ninput F: f32[16, 20, 7]\n"
      "output O = conv(X, F, low = 9, high = 4, window_dilation = 3)\n",
      "input X: f32[2, 5, 6, 10, 12]\ninput F: f32[8, 5, 2, 3, 3]\noutput O = conv3(X, F)\n",
      "input X: f32[2, 24, 70]\ninput F: f32[24, 16, 5]\noutput O = up(X, F, s = 1, e = 2)\n",
      "input X: f32[2, 16, 11, 30]\ninput F: f32[16, 24, 3, 5]\noutput O = full2(X, F)\n",
      "input X: f32[2, 24, 71]\ninput F: f32[24, 8, 4]\noutput O = relu(up(X, F, s = 1, d = 2))\n"};
  gathering all_of = {.n = 0};
  const unsigned n = sizeof text / sizeof *text;
  for (unsigned i = 0; i < 2 * n; i++) {
    const as_target *target = as_target_rounding(
        as_target_default(), i < n ? all : "conv:3,conv2d:3,conv3:3,up:3,full2:3");
    for (unsigned warps = 0; warps <= 8; warps += 8) {
      const as_lower_opts options = {.target = target, .warps = warps};
      char *program = as_format("program p\n%s", text[i % n]);
      const as_lowered *lowered = gather(&all_of, program, &options, 0);
      ck_assert_msg(says(lowered, "several from one patch"), "%s%s", program, lowered->notes);
      free(program);
    }
  }
  gather_run(&all_of);
}

END_TEST

/* No patch where places do not go up with the columns, differ from tap to tap by more than a
 * number, or there is one tap. */
START_TEST(taps_that_share_none) {
  static const char *const text[] = {
      "input X: f32[2, 16, 70]\ninput F: f32[16, 12, 4]\noutput O = up(X, F, s = 3)\n",
      "input X: f32[2, 16, 70]\ninput F: f32[16, 12, 5]\noutput O = up(X, F, s = 5)\n",
      "input X: f32[2, 20, 9, 9]\ninput F: f32[16, 20, 1, 1]\noutput O = conv2d(X, F)\n",
      ("input X: f32[2, 16, 12, 12]\ninput F: f32[16, 16, 3, 3]\n"
       "output O = conv2d(reverse(X, axis=3), F)\n"),
      "input A: f32[64, 48]\ninput B: f32[48, 96]\noutput O = A @ B\n"};
  gathering all_of = {.n = 0};
  const as_target *target = as_target_rounding(as_target_default(), all);
  for (unsigned i = 0; i < sizeof text / sizeof *text; i++) {
    const as_lower_opts options = {.target = target};
    char *program = as_format("program p\n%s", text[i]);
    const as_lowered *lowered = gather(&all_of, program, &options, 0);
    ck_assert_msg(says(lowered, "TF32") && !says(lowered, "several from one patch"), "%s%s",
                  program, lowered->notes);
    free(program);
  }
  gather_run(&all_of);
}

END_TEST

/* Mish is x tanh(log(1 + e^x)): a power instead of the exponential of the logarithm, in the case
 * that has one; and beyond 20, where the power would overflow, still the exponential. */
START_TEST(exponentials_of_logarithms) {
  gathering all_of = {.n = 0};
  check_behind(&all_of, "output Y = mish(mish(C + B))\n", 1, 1e-5);
  check_behind(&all_of, "output Y = tanh(log(1 + exp(C / 8)))\n", 1, 1e-5);
  check_behind(&all_of, "output Y = exp(log(abs(C) + 1) * 3)\n", 1, 1e-5);
  for (unsigned i = 0; i < all_of.n; i++) {
    if (!says(&all_of.item[i].lowered, "TF32"))
      continue;
    ck_assert_msg(!strstr(all_of.item[i].lowered.cuda + all_of.item[i].lowered.own, "logf("),
                  "%s%s", all_of.subject[i].text, all_of.item[i].lowered.notes);
  }
  gather_run(&all_of);
}

END_TEST

/* Results that something else reads too, at other places or as an output, are stored. */
START_TEST(stored_in_between) {
  gathering all_of = {.n = 0};
  check_behind(&all_of, "output C2 = C * 2\noutput Y = sum(C, axis=3)\n", 2, 0); /* C, and both */
  check_behind(&all_of, "output Y = C + R\noutput Z = C * 2\n", 2, 0); /* C, and both maps */
  check_behind(&all_of, "output Y = C + transpose(C)\n", 2, 0);
  check_behind(&all_of, "output Y = C + reverse(C, axis=3)\n", 2, 0);
  check_behind(&all_of, "output Y = sum(C, axis=3)\n", 2, 0);
  gather_run(&all_of);
}

END_TEST

/* Whoever reads a result, also in the midst of what follows another contraction, finds it stored.
 */
START_TEST(readers_find_what_they_read) {
  static const char *const lines[] = {
      "D = C + B\nu = sum(sum(D, axis=3), axis=2) / 49\nE = D - u[:, :, none, none]\n"
      "v = sum(sum(E * E, axis=3), axis=2) / 49\noutput Y = E / sqrt(v + 1)[:, :, none, none]\n",
      "P = conv2d(X, F * 2)\nD = relu(C + B)\nE = D * P\noutput Y = abs(E)\noutput Z = P + R\n",
      "P = conv2d(X, F * 2)\nD = relu(C + B)\nE = D * P\noutput Y = sum(abs(E), axis=1)\n"
      "output Z = P * 3\n"};
  gathering all_of = {.n = 0};
  for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
    char *text = as_format("%s%s", convolution, lines[i]);
    for (int rounded = 0; rounded < 3; rounded++) {
      const as_lower_opts options = {
          .target = as_target_rounding(as_target_default(), rounded ? all : NULL),
          .warps = rounded == 2 ? 4 : 0};
      const as_lowered *lowered = gather(&all_of, text, &options, 1e-4);
      ck_assert_msg(says(lowered, "contraction in TF32") == (rounded > 0), "%s", lowered->notes);
    }
    free(text);
  }
  gather_run(&all_of);
}

END_TEST

/* Elements of 16 bits are numbers of TF32: no permission is needed, and nothing is rounded. */
static void check_narrow(gathering *all_of, const char *text, bool is) {
  for (unsigned warps = 0; warps <= 4; warps += 4) {
    const as_lower_opts options = {.target = as_target_default(), .warps = warps};
    const as_lowered *lowered = gather(all_of, text, &options, ldexp(1, -8));
    ck_assert_msg(says(lowered, ": contraction in TF32 ") == is, "%s%s", text, lowered->notes);
    const char *factors = lowered->kernel[lowered->n_kernel - 1].factors;
    ck_assert_msg((factors && !strcmp(factors, "16 bits")) == is, "%s", text);
  }
}

START_TEST(factors_of_16_bits) {
  static const char *const narrow[] = {
      "program p\ninput X: f16[2, 16, 11, 9]\ninput F: f16[40, 16, 3, 3]\n"
      "output O = relu(conv2d(X, F, top = 1, left = 1, bottom = 1, right = 1))\n",
      "program p\ninput X: bf16[1, 5, 23, 17]\ninput F: bf16[40, 5, 5, 4]\ninput B: bf16[40]\n"
      "output O = conv2d(X, F, stride_h = 2, stride_w = 3, top = 2) + B[:, none, none]\n",
      "program p\ninput X: f16[2, 32, 8]\ninput F: f16[32, 24, 4]\noutput O = up(X, F, e = 1)\n",
      "program p\ninput X: bf16[2, 6, 9]\ninput F: bf16[6, 50, 3]\noutput O = up(X, F, groups = "
      "2)\n",
      /* a factor that another kernel stores, as 16 bits */
      "program p\ninput X: f16[2, 16, 11, 9]\ninput F: f16[40, 16, 3, 3]\n"
      "output O = conv2d(X, F * 0.1)\n"};
  static const char *const other[] = {
      /* elements that are used a few times; a factor of 32 bits; one that may be beyond 16 */
      "program p\ninput X: f16[2, 16, 11, 9]\ninput F: f16[3, 16, 2, 2]\noutput O = conv2d(X, F)\n",
      "program p\ninput X: f16[2, 16, 11, 9]\ninput F: f32[40, 16, 3, 3]\n"
      "output O = conv2d(X, F)\n",
      "program p\ninput X: f16[2, 16, 11, 9]\ninput F: f16[40, 16, 3, 3]\n"
      "output O = conv2d(X, exp(F))\n"};
  gathering all_of = {.n = 0};
  for (unsigned i = 0; i < sizeof narrow / sizeof *narrow; i++)
    check_narrow(&all_of, narrow[i], true);
  for (unsigned i = 0; i < sizeof other / sizeof *other; i++)
    check_narrow(&all_of, other[i], false);
  gather_run(&all_of);
}

END_TEST

int main(void) {
  TCase *tests = test_case("tf32", 240);
  tcase_add_test(tests, convolutions);
  tcase_add_test(tests, transposed);
  tcase_add_test(tests, zeros_between);
  tcase_add_test(tests, channels_in_groups);
  tcase_add_test(tests, products);
  tcase_add_test(tests, random_shapes);
  tcase_add_test(tests, both_kinds);
  tcase_add_test(tests, factors_are_rounded);
  tcase_add_test(tests, factors_of_16_bits);
  tcase_add_test(tests, in_parts);
  tcase_add_test(tests, no_tile_in_parts);
  tcase_add_test(tests, parts_where_cheap);
  tcase_add_test(tests, stored_through_shared_memory);
  tcase_add_test(tests, reductions_over_channels);
  tcase_add_test(tests, taps_share_patches);
  tcase_add_test(tests, taps_that_share_none);
  tcase_add_test(tests, exponentials_of_logarithms);
  tcase_add_test(tests, what_may_be_rounded);
  tcase_add_test(tests, written_out_behind);
  tcase_add_test(tests, stored_in_between);
  tcase_add_test(tests, readers_find_what_they_read);
  return test_run("tf32", tests);
}
