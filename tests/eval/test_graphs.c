/* The field test and the refuter on programs and muGraphs: equal pairs and mutants. */
#include "../../semantics/domain_field.h"
#include "../../verify/field/field.h"
#include "../../verify/refute/instance.h"
#include "load.h"
#include "src/base/file.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static as_oplib *lib;

START_TEST(equal_pairs_pass) {
  for (int i = 0; load_examples[i]; i++) {
    load_pair pair;
    load_pair_init(&pair, load_examples[i], lib);
    double start = as_now();
    as_field_report report;
    as_err err;
    as_err_init(&err);
    as_status status = as_field_test(pair.tp, pair.mug, NULL, &report, &err);
    char *text = as_field_report_print(&report);
    printf("%s (%.3f s)\n%s", load_examples[i], as_now() - start, text);
    ck_assert_msg(status == AS_OK, "%s: %s", load_examples[i], err.text ? err.text : "");
    ck_assert_uint_ge(report.same + report.close, report.needed);
    free(text);
    as_field_report_clear(&report);
    /* never rejected, whatever the seed */
    for (uint64_t seed = 2; seed < 12; seed++) {
      as_field_options options = as_field_default;
      options.seed = seed;
      status = as_field_test(pair.tp, pair.mug, &options, &report, &err);
      ck_assert_msg(status == AS_OK, "%s, seed %d: %d (%s)", load_examples[i], (int)seed,
                    (int)status, err.text ? err.text : "");
      as_field_report_clear(&report);
      status = as_field_test(pair.tp, pair.tp, &options, &report, &err);
      ck_assert_int_eq(status, AS_OK);
      as_field_report_clear(&report);
    }
    as_refute_budget budget = as_refute_default;
    budget.total_ops = 1000000;
    budget.max_size = 2;
    as_cex cex;
    status = as_refute(pair.tp, pair.mug, &budget, &cex, &err);
    if (status == AS_NO) {
      char *t = as_cex_print(pair.tp, &cex);
      printf("%s", t);
      free(t);
    }
    ck_assert_int_eq(status, AS_UNKNOWN);
    as_cex_clear(&cex);
    as_err_clear(&err);
    load_pair_clear(&pair);
  }
}

END_TEST

/* What an evaluation takes is known before, within a half: bodies with a reduction, with values
 * that are kept by their indices, and functions. */
START_TEST(work_is_foreseen) {
  static const char *const text = "program p\n"
                                  "sizes B\n"
                                  "input x: f32[B, 64]\n"
                                  "input w: f32[64, 48]\n"
                                  "h = x @ w\n"
                                  "s = softmax(h, axis=1)\n"
                                  "output y = relu(s)\n";
  as_err err;
  as_err_init(&err);
  as_sizes *sizes = as_sizes_new();
  as_graph *program = load_text(text, sizes, lib, NULL);
  int64_t *env = as_env_new(program->sizes);
  as_rng rng;
  as_field_domain field;
  as_rng_seed(&rng, 1);
  as_field_domain_init(&field, &rng);
  for (int64_t extent = 1; extent <= 5; extent += 2) {
    env[program->own_size[0]] = extent;
    as_tensor *inputs = as_inputs_new(program, &field.d, env, &err);
    as_tensor output;
    as_eval_marks marks;
    ck_assert_ptr_nonnull(inputs);
    as_status status =
        as_eval_graph_ops(program, &field.d, env, inputs, &output, 10000000, &marks, &err);
    ck_assert_msg(status == AS_OK, "%s", err.text ? err.text : "");
    double work = as_graph_work(program, &field.d, env);
    ck_assert_msg(work >= (double)marks.ops / 1.5 && work <= 1.5 * (double)marks.ops,
                  "%g foreseen, %llu taken", work, (unsigned long long)marks.ops);
    as_tensor_clear(&output);
    as_inputs_free(program, inputs);
  }
  as_field_domain_clear(&field);
  free(env);
  as_graph_free(program);
  as_sizes_free(sizes);
  as_err_clear(&err);
}

END_TEST

/* Sizes that the text forces to be large: no verdict, and not the machine's memory either. */
START_TEST(forced_sizes) {
  static const char *const name[] = {"forced_sizes", "forced_size"};
  for (int i = 0; i < 2; i++) {
    char *path = load_path("tests/regress", name[i], ".tp");
    as_sizes *sizes = as_sizes_new();
    as_graph *graph = load_tp(path, sizes, lib);
    as_field_report report;
    as_err err;
    as_err_init(&err);
    double start = as_now();
    as_field_options options = as_field_default;
    options.max_ops = 1000000;
    as_status status = as_field_test(graph, graph, &options, &report, &err);
    /* where nothing can be compared, the same calls give the same all the same */
    bool compared = report.same >= options.min_elements;
    ck_assert_msg(status == AS_OK && report.identical == !compared, "%s: %d (%s)", name[i],
                  (int)status, err.text ? err.text : "");
    printf("%s: %.3f s\n", name[i], as_now() - start);
    as_field_report_clear(&report);
    as_cex cex;
    as_refute_budget budget = as_refute_default;
    budget.total_ops = 1000000;
    ck_assert_int_eq(as_refute(graph, graph, &budget, &cex, NULL), AS_UNKNOWN);
    as_cex_clear(&cex);
    as_err_clear(&err);
    as_graph_free(graph);
    as_sizes_free(sizes);
    free(path);
  }
}

END_TEST

/* the verdict on a candidate that is not the program operator by operator */
static as_status verdict_of(const char *program, const char *candidate, uint64_t seed, double until,
                            as_field_report *report) {
  as_sizes *sizes = as_sizes_new();
  as_graph *given = load_text(program, sizes, lib, NULL);
  as_graph *other = load_text(candidate, sizes, lib, given);
  as_field_options options = as_field_default;
  options.until = until;
  options.seed = seed;
  as_err err;
  as_err_init(&err);
  as_status status = as_field_test(given, other, &options, report, &err);
  ck_assert(!report->identical);
  as_err_clear(&err);
  as_graph_free(other);
  as_graph_free(given);
  as_sizes_free(sizes);
  return status;
}

static as_status verdict(const char *program, const char *candidate, double until,
                         as_field_report *report) {
  return verdict_of(program, candidate, as_field_default.seed, until, report);
}

/* What is left of an axis behind 20 elements: at the sizes of at most 3 that are tried first there
 * is nothing to compare. */
static const char long_way[] = "program p\nsizes n\ninput x: f32[n + 19]\n"
                               "t = slice(x, axis=0, start=min(20, n + 19), stop=n + 19)\n"
                               "y = t + t\noutput y\n";
/* the largest of a row is met at many places, as all of the negative ones are 0 */
static const char ties[] = "program p\nsizes m, n\ninput x: f32[m, n]\n"
                           "r = relu(x)\nc = equal(r, max(r, axis=1)[:, none])\n"
                           "y = sum(c, axis=1)\noutput y\n";

START_TEST(sizes_with_something_to_compare) {
  as_field_report report;
  ck_assert_int_eq(verdict(long_way,
                           "mugraph c\n"
                           "t = slice(x, axis=0, start=min(20, n + 19), stop=n + 19)\ny = 2 * t\n",
                           0, &report),
                   AS_OK);
  ck_assert_uint_ge(report.same, report.needed);
  as_field_report_clear(&report);
  ck_assert_int_eq(verdict(long_way,
                           "mugraph c\n"
                           "t = slice(x, axis=0, start=min(20, n + 19), stop=n + 19)\ny = 3 * t\n",
                           0, &report),
                   AS_NO);
  as_field_report_clear(&report);
}

END_TEST

START_TEST(ties_are_told) {
  as_field_report report;
  ck_assert_int_eq(verdict(ties,
                           "mugraph c\nr = maximum(0, x)\nc = equal(r, max(r, axis=1)[:, none])\n"
                           "y = sum(c, axis=1)\n",
                           0, &report),
                   AS_OK);
  ck_assert_uint_ge(report.same + report.close, report.needed);
  as_field_report_clear(&report);
  /* of which only one counts */
  ck_assert_int_eq(verdict(ties,
                           "mugraph c\nr = relu(x)\nc = equal(r, max(r, axis=1)[:, none])\n"
                           "y = max(c, axis=1)\n",
                           0, &report),
                   AS_NO);
  as_field_report_clear(&report);
}

END_TEST

START_TEST(time_that_is_up) {
  as_field_report report;
  const char *twice = "mugraph c\nt = slice(x, axis=0, start=min(20, n + 19), stop=n + 19)\n"
                      "y = 2 * t\n";
  ck_assert_int_eq(verdict(long_way, twice, as_now() - 1, &report), AS_UNKNOWN);
  ck_assert_int_eq(report.why, AS_FIELD_TIME);
  as_field_report_clear(&report);
  ck_assert_int_eq(verdict(long_way, twice, as_now() + 100, &report), AS_OK);
  as_field_report_clear(&report);
}

END_TEST

/* ---- choices that chance hardly meets */
typedef struct {
  const char *program;
  const char *right;
  const char *wrong;
} choice_case;

static const choice_case choices[] = {
    /* a mask of truth values, which come as integers */
    {"program p\nsizes n\ninput k: int[n]\ninput s: f32[n]\n"
     "y = select(not_equal(k, 0), s, 0 * s)\noutput y\n",
     "mugraph c\ny = select(equal(k, 0), s - s, s)\n",
     "mugraph c\ny = select(not_equal(k, 0), s, 0 * s + 1)\n"},
    /* one of real numbers: its elements are hardly ever 0 by chance */
    {"program p\nsizes n\ninput k: f32[n]\ninput s: f32[n]\ny = select(k, s, s + 1)\noutput y\n",
     "mugraph c\ny = select(k, s, 1 + s)\n", "mugraph c\ny = 1 * s\n"},
    /* a number of the text */
    {"program p\nsizes n\ninput s: f32[n]\ny = select(equal(s, 0.5), 2 * s, s + 1)\noutput y\n",
     "mugraph c\ny = select(equal(s, 0.5), s + s, 1 + s)\n", "mugraph c\ny = 1 + s\n"},
    /* labels, one of which is ignored: they name places elsewhere */
    {"program p\nsizes m, n\ninput l: int[m]\ninput x: f32[n]\n"
     "t = select(not_equal(l, -100), l, 0 * l)\ng = gather(x, t)\n"
     "y = select(not_equal(l, -100), g, 0 * g)\noutput y\n",
     "mugraph c\nt = select(not_equal(l, -100), l, 0 * l)\ng = gather(x, t)\n"
     "y = select(equal(l, -100), g - g, g)\n",
     "mugraph c\nt = select(not_equal(l, -100), l, 0 * l)\ng = gather(x, t)\n"
     "y = select(not_equal(l, -100), g, 0 * g + 1)\n"},
    /* the end of a type */
    {"program p\nsizes n\ninput b: int[n]\ninput s: f32[n]\n"
     "y = select(less(b, 200), s, 0 * s)\noutput y\n",
     "mugraph c\ny = select(less(b, 200), s, s - s)\n", "mugraph c\ny = 1 * s\n"},
};

/* Both ways are taken, so that a wrong one is seen, at every seed; a right one never is. */
START_TEST(choices_go_both_ways) {
  const choice_case *of = &choices[_i];
  as_field_report report;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    as_status right = verdict_of(of->program, of->right, seed, 0, &report);
    ck_assert_msg(right == AS_OK, "seed %d", (int)seed);
    ck_assert_msg(as_field_says_all(&report), "seed %d: %s", (int)seed,
                  report.untaken ? report.untaken : "");
    as_field_report_clear(&report);
    as_status wrong = verdict_of(of->program, of->wrong, seed, 0, &report);
    ck_assert_msg(wrong == AS_NO, "seed %d", (int)seed);
    as_field_report_clear(&report);
  }
}

END_TEST

/* Of a choice that can only go one way the test says nothing, and tells that it does not; nor does
 * it state a chance of what is made of integers alone. */
START_TEST(what_it_says_nothing_of) {
  as_field_report report;
  ck_assert_int_eq(verdict("program p\nsizes n\ninput s: f32[n]\n"
                           "y = select(greater(exp(s), 0), s, s + 1)\noutput y\n",
                           "mugraph c\ny = select(less(0, exp(s)), s, 1 + s)\n", 0, &report),
                   AS_OK);
  ck_assert_ptr_nonnull(report.untaken);
  ck_assert(!as_field_says_all(&report));
  ck_assert_double_lt(report.bound, 1);
  as_field_report_clear(&report);
  ck_assert_int_eq(verdict("program p\nsizes n\ninput k: int[n]\ny = 2 * k\noutput y\n",
                           "mugraph c\ny = k + k\n", 0, &report),
                   AS_OK);
  ck_assert_double_eq(report.bound, 1);
  ck_assert(!as_field_says_all(&report));
  as_field_report_clear(&report);
}

END_TEST

/* One extent is the product of two pairs of sizes: `E = L * S` and `E = G`. */
START_TEST(extents_by_two_relations) {
  static const char head[] = "program p\nsizes E, K\ninput x: f32[E * K]\ny = x + x\noutput y\n";

  static const struct {
    const char *relation;
    const char *factor;
    bool read;
    as_status status;
  } cases[] = {{"E = G", "2", true, AS_UNKNOWN},
               {"E = G", "3", true, AS_NO},
               {"E = G * S", "2", false, AS_UNKNOWN}};

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    as_sizes *sizes = as_sizes_new();
    as_graph *given = load_text(head, sizes, lib, NULL);
    char *text =
        as_format("mugraph c\nsizes G, L, S\nwhere E = L * S, %s\nkernel k\n"
                  "  grid x = G\n  load t [K] = x x -> 0\n  u = %s * t\n  store y [K] = u x -> 0\n"
                  "end\n",
                  cases[i].relation, cases[i].factor);
    as_graph *other = load_mug_text(text, given);
    free(text);
    ck_assert_int_eq(other != NULL, cases[i].read);
    as_cex cex;
    if (other)
      ck_assert_int_eq(as_refute(given, other, NULL, &cex, NULL), cases[i].status);
    if (other)
      as_cex_clear(&cex);
    as_graph_free(other);
    as_graph_free(given);
    as_sizes_free(sizes);
  }
}

END_TEST

/* --- wrong candidates */
typedef struct {
  int parsed;
  int wrong;
  int equal;
  int open;
  int refuted;
} tally;

static void judge(const load_pair *pair, const as_graph *mugraph, const char *text, bool search,
                  tally *t) {
  as_field_report report;
  as_err err;
  as_err_init(&err);
  as_status status = as_field_test(pair->tp, mugraph, NULL, &report, &err);
  t->parsed++;
  t->wrong += status == AS_NO;
  t->equal += status == AS_OK;
  t->open += status == AS_UNKNOWN;
  ck_assert_msg(status != AS_BAD_INPUT && status != AS_INTERNAL, "%s:\n%s",
                err.text ? err.text : "", text);
  if (status == AS_NO) {
    ck_assert_int_eq(as_cex_replay(pair->tp, mugraph, &report.cex, &err), AS_NO);
    ck_assert_int_ne(as_cex_replay(pair->tp, pair->mug, &report.cex, &err), AS_NO);
  }
  as_field_report_clear(&report);
  if (search) {
    as_cex cex;
    as_refute_budget budget = as_refute_default;
    budget.total_ops = 1000000;
    as_status q = as_refute(pair->tp, mugraph, &budget, &cex, &err);
    ck_assert_msg(!(status == AS_OK && q == AS_NO),
                  "the field test passes what the refuter refutes:\n%s", text);
    if (q == AS_NO) {
      t->refuted++;
      ck_assert_int_eq(as_cex_replay(pair->tp, mugraph, &cex, &err), AS_NO);
    }
    as_cex_clear(&cex);
  }
  as_err_clear(&err);
}

START_TEST(mutants) {
  as_rng rng;
  as_rng_seed(&rng, 11);
  for (int i = 0; load_examples[i]; i++) {
    load_pair pair;
    load_pair_init(&pair, load_examples[i], lib);
    tally n = {0};
    for (int t = 0; t < 60; t++) {
      char *text = load_mutate(pair.mug_text, &rng);
      as_graph *mugraph = strcmp(text, pair.mug_text) ? load_mug_text(text, pair.tp) : NULL;
      if (mugraph)
        judge(&pair, mugraph, text, t % 4 == 0, &n);
      as_graph_free(mugraph);
      free(text);
    }
    printf("%s: %d mutants parse: %d wrong, %d the same, %d open; %d refuted from scratch\n",
           load_examples[i], n.parsed, n.wrong, n.equal, n.open, n.refuted);
    ck_assert_int_gt(n.wrong, 3);
    ck_assert_int_gt(n.refuted, 0);
    load_pair_clear(&pair);
  }
}

END_TEST

int main(void) {
  lib = test_operators();
  TCase *tests = test_case("graphs", 240);
  tcase_add_test(tests, equal_pairs_pass);
  tcase_add_test(tests, work_is_foreseen);
  tcase_add_test(tests, forced_sizes);
  tcase_add_test(tests, sizes_with_something_to_compare);
  tcase_add_test(tests, ties_are_told);
  tcase_add_test(tests, time_that_is_up);
  tcase_add_loop_test(tests, choices_go_both_ways, 0, sizeof choices / sizeof *choices);
  tcase_add_test(tests, what_it_says_nothing_of);
  tcase_add_test(tests, extents_by_two_relations);
  tcase_add_test(tests, mutants);
  int status = test_run("graphs", tests);
  as_oplib_free(lib);
  return status;
}
