/* Tile programs made wrong: one change each in the order, a mask, an extent, a position, an
 * accumulation, the start of a tensor.  A change may leave a program right; none is ever PROVED,
 * and most are found wrong.  The seed is printed. */
#include "src/base/id.h"
#include "src/base/rng.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include "verify/tile/tile_job.h"
#include <stdio.h>
#include <string.h>

enum { WRONG_PROGRAMS = 1000 };

/* right programs of some variety; sizes are small */
static const char *const right[] = {
    "tile product\nsizes M = 4, K = 6, N = 4, T = 2, U = 3\n"
    "input A: f16[M, K]\ninput B: f16[K, N]\noutput C: f16[M, N] = 0\n"
    "parallel n = 0 to N step T\n"
    "  for k = 0 to K step U\n"
    "    load a[i < M, j < min(U, K - k)] = A[i, k + j]\n"
    "    load b[i < min(U, K - k), j < min(T, N - n)] = B[k + i, n + j]\n"
    "    load c[i < M, j < min(T, N - n)] = C[i, n + j]\n"
    "    d = c + a @ b\n"
    "    store C[i, n + j] = d over [i < M, j < min(T, N - n)]\n"
    "  end\nend\n",
    "tile softmax\nsizes M = 3, N = 5, T = 2\n"
    "input X: f16[M, N]\noutput Y: f16[M, N]\n"
    "parallel r = 0 to M\n"
    "  make low[] = -50\n  make nothing[] = 0\n"
    "  for k = 0 to N step T\n"
    "    carry m = low\n    carry s = nothing\n"
    "    load x[i < min(T, N - k)] = X[r, k + i]\n"
    "    top = maximum(m, max(x))\n"
    "    next m = top\n    next s = s * exp(m - top) + sum(exp(x - top))\n"
    "  end\n"
    "  load all[i < N] = X[r, i]\n"
    "  y = exp(all - m) / s\n"
    "  store Y[r, i] = y over [i < N]\nend\n",
    "tile shift\nsizes N = 7, T = 3\n"
    "input X: f16[N]\noutput Y: f16[N]\nscratch S: f32[N + 1] = 0\n"
    "parallel p = 0 to N step T\n"
    "  load x[i < T] = X[p + i] where p + i < N else 0\n"
    "  store S[p + i + 1] = 2 * x[i] over [i < T] where p + i < N\nend\n"
    "parallel q = 0 to N step T\n"
    "  load s[i < T] = S[q + i] where q + i < N else 0\n"
    "  load t[i < T] = S[q + i + 1] where q + i < N else 0\n"
    "  u = s - t\n"
    "  store Y[q + i] = u over [i < T] where q + i < N\nend\n",
    "tile norm\nsizes M = 3, N = 6, T = 4\n"
    "inout X: f16[M, N]\noutput Z: f16[M]\nscratch S: f32[M] = 0\n"
    "for n = 0 to N step T\n"
    "  load x[r < M, i < min(T, N - n)] = X[r, n + i]\n"
    "  load s[r < M] = S[r]\n"
    "  t = s + sum(square(x), axis=1)\n"
    "  store S[r] = t over [r < M]\nend\n"
    "parallel r = 0 to M\n"
    "  load s[] = S[r]\n"
    "  store Z[r] = s[] + 1\n"
    "  load x[i < N] = X[r, i]\n"
    "  y = x / (s + 1)\n"
    "  store X[r, i] = y over [i < N]\nend\n",
};

/* what may be exchanged for what; an empty text leaves the words out */
static const struct {
  const char *from;
  const char *to;
} changes[] = {
    {"parallel ", "for "},
    {"for ", "parallel "},
    {" = 0\n", "\n"},
    {" = 0 to", " = 1 to"},
    {" step T", " step T + 1"},
    {" step U", ""},
    {"min(T, N - n)", "T"},
    {"min(U, K - k)", "U"},
    {"min(T, N - k)", "T"},
    {" else 0", " else 1"},
    {" < N", " < N - 1"},
    {" < M", " < M - 1"},
    {"p + i", "i"},
    {"q + i", "q + i + 1"},
    {"n + j", "j"},
    {"k + j", "k"},
    {"k + i", "i"},
    {"r, i", "0, i"},
    {"c + a @ b", "a @ b"},
    {"c + a @ b", "c - a @ b"},
    {"s + sum", "sum"},
    {"s * exp(m - top)", "s"},
    {"exp(x - top)", "exp(x)"},
    {"maximum(m, max(x))", "max(x)"},
    {"= low", "= nothing"},
    {"square(x)", "x"},
    {"(s + 1)", "(s + 2)"},
    {"2 * x[i]", "x[i]"},
    {"s - t", "t - s"},
    {"S[r]", "S[0]"},
    {" where p + i < N", ""},
    {" where q + i < N", ""},
    {" to N ", " to N - 1 "},
    {" to K ", " to K - 1 "},
    {" to M\n", " to M - 1\n"},
    {"f32[M] = 0", "f32[M]"},
    {"output C: f16[M, N] = 0", "output C: f16[M, N] = 1"},
    {"A[i,", "A[0,"},
    {"axis=1", "axis=0"},
    {"inout X", "inout X"},
    {"    load c", "    load c"},
};

/* the i-th place of a text where the words stand; NULL: there are fewer */
static const char *nth_place(const char *text, const char *words, uint64_t n) {
  const char *at = strstr(text, words);
  while (at && n--)
    at = strstr(at + 1, words);
  return at;
}

/* a text with one or two changes (malloc'ed); NULL: this choice changes nothing */
static char *changed(const char *text, as_rng *rng) {
  char *made = as_strdup(text);
  uint64_t wanted = 1 + as_rng_below(rng, 2);
  uint64_t done = 0;
  for (int tries = 0; tries < 40 && done < wanted; tries++) {
    size_t k = as_rng_below(rng, sizeof changes / sizeof *changes);
    const char *at = nth_place(made, changes[k].from, as_rng_below(rng, 3));
    if (at == NULL)
      continue;
    char *next =
        as_format("%.*s%s%s", (int)(at - made), made, changes[k].to, at + strlen(changes[k].from));
    free(made);
    made = next;
    done++;
  }
  if (strcmp(made, text) != 0)
    return made;
  free(made);
  return NULL;
}

/* AS_NONE: it is not read */
static uint32_t judge(as_oplib *lib, const char *given, const char *candidate, uint64_t seed) {
  as_err err;
  as_err_init(&err);
  as_tile_job job;
  as_tile_verdict verdict = {0};
  as_tile_budget budget = as_tile_budget_default;
  budget.seed = seed;
  as_tile_job_init(&job, lib);
  bool ok = as_tile_job_take(&job, 0, "given.tile", given, strlen(given), &err) &&
            as_tile_job_take(&job, 1, "candidate.tile", candidate, strlen(candidate), &err) &&
            as_tile_job_judge(&job, &budget, &verdict, &err) == AS_OK;
  uint32_t answer = ok ? (uint32_t)verdict.answer : AS_NONE;
  as_tile_verdict_clear(&verdict);
  as_tile_job_clear(&job);
  as_err_clear(&err);
  return answer;
}

START_TEST(right_ones) {
  as_oplib *lib = test_operators();
  for (size_t i = 0; i < sizeof right / sizeof *right; i++)
    ck_assert_uint_eq(judge(lib, right[i], right[i], 1), AS_TILE_NO_DIFFERENCE);
  as_oplib_free(lib);
}

END_TEST

START_TEST(wrong_ones) {
  as_oplib *lib = test_operators();
  as_rng rng;
  uint64_t seed = 20;
  uint32_t count[3] = {0};
  uint32_t made = 0;
  uint32_t refused = 0;
  as_rng_seed(&rng, seed);
  while (made < WRONG_PROGRAMS) {
    const char *given = right[as_rng_below(&rng, sizeof right / sizeof *right)];
    char *candidate = changed(given, &rng);
    if (candidate == NULL)
      continue;
    uint32_t answer = judge(lib, given, candidate, made);
    free(candidate);
    if (answer == AS_NONE) {
      refused++;
      continue;
    }
    count[answer]++;
    made++;
  }
  printf("seed %llu: %u changed programs: %u refuted, %u order-dependent, %u without a difference; "
         "%u more were refused\n",
         (unsigned long long)seed, made, count[AS_TILE_DIFFERS], count[AS_TILE_ORDER],
         count[AS_TILE_NO_DIFFERENCE], refused);
  /* what is left are loops that may as well run in order, and masks that cover what others do */
  ck_assert_uint_gt(count[AS_TILE_DIFFERS] + count[AS_TILE_ORDER], WRONG_PROGRAMS * 7 / 10);
  ck_assert_uint_gt(count[AS_TILE_ORDER], WRONG_PROGRAMS / 100);
  as_oplib_free(lib);
}

END_TEST

/* ---- what only data of a kind tells apart; at free sizes, and at those of one launch */
#define MAXIMUM(sizes, other)                                                                      \
  "tile q\nsizes " sizes "\ninput X: f32[M, N]\noutput Y: f32[M]\nparallel r = 0 to M\n"           \
  "  load x[i < T] = X[r, i] where i < N else " other "\n  m = max(x)\n  store Y[r] = m[]\nend\n"
#define QUOTIENT(divisor)                                                                          \
  "tile q\nsizes M = 4, N = 5\ninput X: f32[M, N]\noutput Y: f32[M, N]\nparallel r = 0 to M\n"     \
  "  load x[i < N] = X[r, i]\n  m = max(abs(x))\n  y = x / " divisor "\n"                          \
  "  store Y[r, i] = y over [i < N]\nend\n"
#define BYTES(value)                                                                               \
  "tile q\nsizes M = 4\ninput B: int[M]\noutput Y: f32[M]\nload b[i < M] = B[i]\n"                 \
  "store Y[i] = " value " over [i < M]\n"

static const struct {
  const char *given;
  const char *candidate;
  as_tile_answer answer;
} pairs[] = {
    {MAXIMUM("M = 4, N = 5, T = 8", "-10000000"), MAXIMUM("M = 4, N = 5, T = 8", "0"),
     AS_TILE_DIFFERS},
    {"tile q\nsizes M = 4\ninput X: f32[M, 5]\noutput Y: f32[M]\nparallel r = 0 to M\n"
     "  load x[i < 5] = X[r, i]\n  m = max(x)\n  store Y[r] = m[]\nend\n",
     "tile q\nsizes M = 4\ninput X: f32[M, 5]\noutput Y: f32[M]\nparallel r = 0 to M\n"
     "  load x[i < 8] = X[r, i] where i < 5 else 0\n  m = max(x)\n  store Y[r] = m[]\nend\n",
     AS_TILE_DIFFERS},
    {QUOTIENT("select(greater(m, 0), m, 1 + 0 * m)"), QUOTIENT("m"), AS_TILE_DIFFERS},
    {QUOTIENT("m"), QUOTIENT("select(greater(m, 0), m, 1 + 0 * m)"), AS_TILE_NO_DIFFERENCE},
    {BYTES("b[i]"), BYTES("if(b[i] > 127, b[i] - 256, b[i])"), AS_TILE_DIFFERS},
    {BYTES("if(b[i] = -100, 0, b[i])"), BYTES("b[i]"), AS_TILE_DIFFERS},
    {BYTES("b[i] + b[i]"), BYTES("2 * b[i]"), AS_TILE_NO_DIFFERENCE},
};

START_TEST(data_of_a_kind) {
  as_oplib *lib = test_operators();
  for (uint64_t seed = 1; seed <= 5; seed++) {
    uint32_t answer = judge(lib, pairs[_i].given, pairs[_i].candidate, seed);
    ck_assert_msg(answer == (uint32_t)pairs[_i].answer, "seed %d: %d\n%s\n%s", (int)seed,
                  (int)answer, pairs[_i].given, pairs[_i].candidate);
  }
  as_oplib_free(lib);
}

END_TEST

int main(void) {
  TCase *tests = test_case("wrong tile programs", 300);
  tcase_add_loop_test(tests, data_of_a_kind, 0, sizeof pairs / sizeof *pairs);
  tcase_add_test(tests, right_ones);
  tcase_add_test(tests, wrong_ones);
  return test_run("wrong tile programs", tests);
}
