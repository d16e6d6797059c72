/* Which tile programs are each other but for names. */
#include "src/batch/alike.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

static const char given[] =
    "tile p\nsizes M = 4, N = 12\ninput X: f16[M, N]\noutput Y: f16[M, N]\n";

#define PROGRAM(sizes, scratch, body)                                                              \
  "tile q\nsizes M = 4\nsizes N = 12\n" sizes "input X: f16[M, N]\noutput Y: f16[M, N]\n" scratch  \
  "parallel r = 0 to M\n" body "end\n"

static bool alike(const char *a, const char *b) {
  char *left = as_batch_plain_text(given, a);
  char *right = as_batch_plain_text(given, b);
  bool same = strcmp(left, right) == 0;
  free(left);
  free(right);
  return same;
}

static void expect(const char *what, bool wanted, const char *a, const char *b) {
  ck_assert_msg(alike(a, b) == wanted, "%s", what);
  ck_assert_msg(alike(b, a) == wanted, "%s, the other way round", what);
}

START_TEST(names) {
  static const char body[] =
      PROGRAM("sizes T\n", "scratch A: f32[M] = 0\nscratch B: f32[M] = 0\n",
              "  load x[i < T] = X[r, i]\n  y = swap_axes(exp(x), first=0, second=1)\n"
              "  store A[r] = y over [i < T]\n  store B[r] = x over [i < T]\n");
  static const char renamed[] =
      PROGRAM("sizes U\n", "scratch D: f32[M] = 0\nscratch C: f32[M] = 0\n",
              "  load z[k < U] = X[r, k]\n  t = swap_axes(exp(z), first=0, second=1)\n"
              "  store C[r] = t over [k < U]\n  store D[r] = z over [k < U]\n");
  static const char crossed[] =
      PROGRAM("sizes U\n", "scratch D: f32[M] = 0\nscratch C: f32[M] = 0\n",
              "  load z[k < U] = X[r, k]\n  t = swap_axes(exp(z), first=0, second=1)\n"
              "  store C[r] = z over [k < U]\n  store C[r] = t over [k < U]\n");
  static const char of_given[] =
      PROGRAM("sizes U\n", "scratch D: f32[M] = 0\nscratch C: f32[M] = 0\n",
              "  load z[k < N] = X[r, k]\n  t = swap_axes(exp(z), first=0, second=1)\n"
              "  store C[r] = t over [k < N]\n  store D[r] = z over [k < N]\n");
  static const char other_extent[] =
      PROGRAM("sizes U\n", "scratch D: f32[N] = 0\nscratch C: f32[M] = 0\n",
              "  load z[k < U] = X[r, k]\n  t = swap_axes(exp(z), first=0, second=1)\n"
              "  store C[r] = t over [k < U]\n  store D[r] = z over [k < U]\n");
  static const char result[] =
      PROGRAM("sizes U\n", "scratch D: f32[M] = 0\nscratch C: f32[M] = 0\n",
              "  load z[k < U] = X[r, k]\n  t = swap_axes(exp(z), first=0, second=1)\n"
              "  store Y[r] = t over [k < U]\n  store D[r] = z over [k < U]\n");
  expect("itself", true, body, body);
  expect("other names, declared in another order", true, body, renamed);
  expect("two names for one", false, body, crossed);
  expect("a size of the given program for one of its own", false, body, of_given);
  expect("another extent", false, body, other_extent);
  expect("a result for a tensor of its own", false, body, result);
  /* names of operators and attributes are not renamed, whatever tensors are called */
  expect("an operator's name", false,
         PROGRAM("", "scratch exp: f32[M] = 0\n", "  store exp[r] = exp(r)\n"),
         PROGRAM("", "scratch log: f32[M] = 0\n", "  store log[r] = log(r)\n"));
  expect("an attribute's name", false,
         PROGRAM("", "scratch first: f32[M] = 0\n", "  store first[r] = f(r, first=0, last=1)\n"),
         PROGRAM("", "scratch last: f32[M] = 0\n", "  store last[r] = f(r, last=0, first=1)\n"));
}

END_TEST

int main(void) {
  TCase *tests = test_case("alike", 30);
  tcase_add_test(tests, names);
  return test_run("alike", tests);
}
