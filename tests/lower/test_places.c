/* Scans, whose reductions have bounds that depend on indices, and integers that are data, under the
 * emulation against the evaluator; and what of them is refused. */
#include "case.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

static void check(const char *program, const char *graph) {
  lower_case j;
  case_open(&j);
  case_read(&j, program, graph);
  case_check(&j, NULL, NULL, 1);
}

START_TEST(scans) {
  check("program p\nsizes N = 5, M = 19\ninput X: f32[N, M]\ninput D: f32[N, M]\n"
        "output A = cumsum(X, axis=0) + cumprod(X)\noutput B = cummax(X) * cummin(X, axis=0)\n"
        "output C = linear_scan(D, X)\n",
        NULL);
}

END_TEST
START_TEST(scans_of_little) {
  check("program p\nsizes N >= 0 = 0, M = 1\ninput X: f32[N, M]\ninput Y: f16[M]\n"
        "output A = cumsum(X, axis=0)\noutput B = cumprod(Y)\n",
        NULL);
}

END_TEST
START_TEST(scan_in_a_block) {
  check("program p\nsizes N = 12, M = 9\ninput X: f16[N, M]\noutput Z = cumsum(X) * 2\n",
        "mugraph q\nsizes J = 3, T = 4\nwhere N = J * T\nkernel k\n  grid x = J\n"
        "  load x [T, M] = X x -> 0\n  y = cumsum(x)\n  z = y * 2\n  store Z [T, M] = z x -> 0\n"
        "end\n");
}

END_TEST
START_TEST(places_that_are_data) {
  check("program p\nsizes N = 9, M = 5\ninput X: f16[N, M]\ninput at: int[7]\ninput start: int[]\n"
        "input word: int[2, 3]\noutput A = gather(X, at)\noutput B = gather(X, at - at, axis=1)\n"
        "output C = slice_at(X, start, axis=0, size=4)\noutput D = embedding(X, word) * 2\n",
        NULL);
}

END_TEST
START_TEST(integers_as_numbers) {
  check("program p\nsizes N = 6\ninput X: f32[N]\ninput a: int[N]\ninput b: int[N]\n"
        "output A = X * a + b\noutput B = maximum(a, b) - X\noutput C = a * b * 3 - b\n",
        NULL);
}

END_TEST

/* an operator at kernel level that reads integers is a kernel of its own */
START_TEST(places_before_a_block) {
  check("program p\nsizes V = 20, M = 8, D = 16, N = 8\ninput table: f16[V, D]\ninput at: int[M]\n"
        "input W: f16[D, N]\noutput Z = rms_norm(embedding(table, at)) @ W\n",
        "mugraph q\nE = embedding(table, at)\nR = rms_norm(E)\nkernel k\n  load r [M, D] = R\n"
        "  load w [D, N] = W\n  z = r @ w\n  store Z [M, N] = z\nend\n");
}

END_TEST

static void refused(const char *program, const char *graph, const char *part) {
  lower_case j;
  as_lowered lowered;
  case_open(&j);
  case_read(&j, program, graph);
  ck_assert(!as_lower_cuda(j.mug ? j.mug : j.prog, NULL, &lowered, &j.err));
  ck_assert_int_eq(j.err.status, AS_BAD_INPUT);
  ck_assert_msg(strstr(j.err.text, part) != NULL, "%s", j.err.text);
  case_close(&j);
}

START_TEST(refusals) {
  refused("program p\nsizes N = 6\ninput X: f32[N]\ninput a: f32[N]\noutput Z = gather(X, a)\n",
          NULL, "is data, and not of integers");
  refused("program p\nsizes N = 6\ninput X: f32[N]\ninput a: int[N]\noutput Z = gather(X, a / 2)\n",
          NULL, "is data, and not of integers");
}

END_TEST

/* how many values a place may have, from how the program reads it */
START_TEST(ranges_of_places) {
  static const struct {
    const char *output;
    int64_t range;
    bool exact;
  } cases[] = {
      {"gather(X, a)", 9, true},
      {"gather(X, a, axis=1)", 5, true},
      {"gather(X, a) + gather(X, a, axis=1)[:, 0:1]", 5, true},
      {"slice_at(X, b, axis=0, size=4)", 6, true},
      {"gather(X, a + 1)", 1, false},
      {"gather(X, squeeze(expand_dims(a, axis=0), axis=0))", 9, false},
      {"X * b", -1, false},
  };

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lower_case j;
    case_open(&j);
    bool first = strchr(cases[i].output, 'b') == NULL || cases[i].output[0] == 'g';
    char *text = as_format("program p\nsizes N = 9, M = 5\ninput X: f32[N, M]\ninput a: int[N]\n"
                           "input b: int[]\noutput Z = %s\n",
                           cases[i].output);
    case_read(&j, text, NULL);
    int64_t *env = as_graph_size_values(j.prog);
    bool exact = true;
    ck_assert_int_eq(as_graph_index_range(j.prog, j.prog->input[first ? 1 : 2], env, &exact),
                     cases[i].range);
    ck_assert_int_eq(exact, cases[i].exact);
    free(env);
    free(text);
    case_close(&j);
  }
}

END_TEST

int main(void) {
  TCase *tests = test_case("places", 120);
  tcase_add_test(tests, scans);
  tcase_add_test(tests, scans_of_little);
  tcase_add_test(tests, scan_in_a_block);
  tcase_add_test(tests, places_that_are_data);
  tcase_add_test(tests, integers_as_numbers);
  tcase_add_test(tests, places_before_a_block);
  tcase_add_test(tests, refusals);
  tcase_add_test(tests, ranges_of_places);
  return case_test_run("places", tests, 240);
}
