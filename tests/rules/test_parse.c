/* Reading and printing rewrite rules; the messages of ill-formed ones. */
#include "util.h"

static const char *const good[] = {
    "rule dist\naxes I\ntensor A[..I], B[..I], C[..I]\nlhs (A + B) * C\nrhs A * C + B * C\nexpect "
    "proved\n",
    ("rule pads\nsizes N, L >= 1, M = 4\nints s, t\ntensor A[N, max(L, M)], c[] int, p[N] "
     "bool\nwhere 0 <= s, s + L <= N, t != min(s, -2*L)\nassume A >= 0, c != 3\n"
     "lhs\n  x = slice(A, axis=0, start=max(s, 0), stop=s + L)\n  output y = x * c\n  output "
     "x\nrhs\n  output x = A[s:s + L]\n  output y = x * c\n"),
    "op count(; n) -> [n]\n  out[i] = i\nrule io\nsizes n\nlhs count(n=n)\nrhs count(n=n + 0)\n",
    "rule late\nsizes N\nassume x < 1\ntensor x[N]\nlhs x\nrhs 0\n\nrule second\nsizes N\ntensor "
    "x[N]\nlhs twice(x)\nrhs x + x\nop twice(x[..a]) -> [..a]\n  out[..a] = 2 * x[..a]\n",
    "rule mixed\naxes I, J\nsizes N\ntensor A[..I, N, ..J], B[..I, 3, ..J]\nassume (A + 1) * 2 <= "
    "A - 4\nlhs A + A\nrhs neg(-B)\n",
};

START_TEST(round_trip) {
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    rules given;
    rules_open(&given, good[i]);
    ck_assert(given.file != NULL);
    for (uint32_t k = 0; k < as_rulefile_count(given.file); k++) {
      as_rule *rule = rules_read(&given, k, NULL);
      char *text = as_rule_print(rule);
      rules read;
      char *with = i == 2 ? as_format("op count(; n) -> [n]\n  out[i] = i\n%s", text)
                   : i == 3
                       ? as_format("op twice(x[..a]) -> [..a]\n  out[..a] = 2 * x[..a]\n%s", text)
                       : as_strdup(text);
      rules_open(&read, with);
      as_rule *q = rules_read(&read, 0, NULL);
      char *again = as_rule_print(q);
      ck_assert_str_eq(text, again);
      ck_assert_str_eq(rule->name, q->name);
      ck_assert_uint_eq(rule->n_assumption, q->n_assumption);
      ck_assert_int_eq(rule->expect, q->expect);
      as_rule_free(q);
      as_rule_free(rule);
      rules_close(&read);
      free(with);
      free(again);
      free(text);
    }
    rules_close(&given);
  }
}

END_TEST

START_TEST(contents) {
  rules read;
  rules_open(&read, good[1]);
  as_rule *rule = rules_read(&read, 0, NULL);
  ck_assert_uint_eq(rule->n_output, 2);
  ck_assert_str_eq(rule->output[0], "y");
  ck_assert_str_eq(rule->rhs->node[rule->rhs->output[0]].name,
                   "y"); /* outputs of both sides in one order */
  ck_assert_int_eq(rule->type[0], AS_R_REAL);
  ck_assert_int_eq(rule->type[1], AS_R_INT);
  ck_assert_int_eq(rule->type[2], AS_R_BOOL);
  ck_assert_int_eq(as_size_least(rule->sizes, as_size_find(rule->sizes, "N")), 0);
  ck_assert_int_eq(as_size_least(rule->sizes, as_size_find(rule->sizes, "L")), 1);
  ck_assert_int_eq(as_size_least(rule->sizes, as_size_find(rule->sizes, "s")), AS_SIZE_NO_LEAST);
  as_rule_free(rule);
  rules_close(&read);
  rules_open(&read, good[3]);
  size_t n;
  const char *t = as_rulefile_text(read.file, 0, &n);
  char *text = as_format("%.*s", (int)n, t);
  ck_assert_str_eq(text, "rule late\nsizes N\nassume x < 1\ntensor x[N]\nlhs x\nrhs 0");
  ck_assert_str_eq(as_rulefile_name(read.file, 1), "second");
  free(text);
  rules_close(&read);
}

END_TEST

START_TEST(groups) { /* a group stands for as many axes as one says */
  rules read;
  rules_open(
      &read,
      "rule g\naxes I, J\nsizes N\ntensor A[..I, N], B[N], C[N, ..J]\nlhs A * B\nrhs A * B\n");
  for (int k = 0; k < 4; k++) {
    int ranks[AS_MAX_GROUPS] = {k, 3 - k};
    as_rule *rule = rules_read(&read, 0, ranks);
    ck_assert_uint_eq(rule->lhs->node[rule->lhs->output[0]].rank, (uint32_t)k + 1);
    ck_assert_uint_eq(rule->decl->node[rule->decl->input[2]].rank, 4 - (uint32_t)k);
    ck_assert_uint_eq(rule->decl->n_own_size, 4);
    as_rule_free(rule);
  }
  as_rule *rule = rules_read(&read, 0, NULL);
  ck_assert_uint_eq(rule->lhs->node[rule->lhs->output[0]].rank, 2);
  as_rule_free(rule);
  rules_close(&read);
}

END_TEST

static const struct {
  const char *text;
  const char *message;
  int line;
  int col;
} bad[] = {
    {"rule a\nsizes N\ntensor x[N]\nlhs y\nrhs x\n", "unknown tensor `y`", 4, 5},
    {"rule a\nsizes N\ntensor x[M]\nlhs x\nrhs x\n", "unknown size `M`", 3, 10},
    {"rule a\nsizes N\ntensor x[..I]\nlhs x\nrhs x\n", "`I` is no group of axes", 3, 12},
    {"rule a\nsizes N\naxes N\nlhs 1\nrhs 1\n", "already defined", 3, 6},
    {"rule a\naxes I\nsizes I\nlhs 1\nrhs 1\n", "already defined", 3, 7},
    {"rule a\naxes I\ntensor I[]\nlhs 1\nrhs 1\n", "already defined", 3, 8},
    {"rule a\nints N, N\nlhs 1\nrhs 1\n", "already defined", 2, 9},
    {"rule a\naxes I\ntensor A[..I]\nlhs sum(A)\nrhs A\n", "a group of axes", 4, 5},
    {"rule a\naxes I\ntensor A[..I]\nlhs expand_dims(A, axis=-1)\nrhs A\n", "a group of axes", 4,
     5},
    {"rule a\naxes I\nsizes N\ntensor A[N, ..I]\nlhs sum(A, axis=-2)\nrhs A\n", "a group of axes",
     5, 5},
    {"rule a\naxes I\nsizes N\ntensor A[..I, N]\nlhs A + sum(A)\nrhs A\n", "meets", 5, 7},
    {"rule a\naxes I, J\ntensor A[..I], B[..J]\nlhs A + B\nrhs A\n", "meets", 4, 7},
    {"rule a\naxes I\ntensor A[..I], B[1]\nlhs A + B\nrhs A\n", "meets", 4, 7},
    {"rule a\ntensor A[]\nlhs\n  output x = A\nrhs\n  output y = A\n", "no output `x`", 5, 1},
    {"rule a\ntensor A[]\nlhs\n  x = A\nrhs A\n", "no output", 3, 4},
    {"rule a\ntensor A[]\nlhs A\n", "expected `rhs`", 4, 1},
    {"rule a\ntensor A[]\nlhs A\nrhs A\nexpect nothing\n", "expected proved", 5, 8},
    {"rule a\ntensor A[]\nlhs A\nrhs A\nexpect proved\njunk\n", "end of the rule", 6, 1},
    {"rule a\nassume 1 = 1 = 1\nlhs 1\nrhs 1\n", "the end of the line", 2, 14},
    {"rule a\ntensor A[1, 1, 1, 1, 1, 1, 1, 1, 1]\nlhs A\nrhs A\n", "more than 8", 2, 34},
    {"rule lhs\nlhs 1\nrhs 1\n", "reserved", 1, 6},
};

START_TEST(messages) {
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    rules R;
    rules_open(&R, bad[i].text);
    ck_assert(R.file != NULL);
    as_err err;
    as_err_init(&err);
    as_rule *rule = as_rule_read(R.file, 0, NULL, &err);
    ck_assert_msg(rule == NULL, "accepted:\n%s", bad[i].text);
    ck_assert_msg(strstr(err.text, bad[i].message) != NULL, "`%s` instead of `%s`:\n%s", err.text,
                  bad[i].message, bad[i].text);
    ck_assert_msg(err.line == bad[i].line && err.col == bad[i].col, "at %d:%d, not %d:%d: %s\n%s",
                  err.line, err.col, bad[i].line, bad[i].col, err.text, bad[i].text);
    ck_assert_str_eq(err.file, "t.rule");
    as_err_clear(&err);
    rules_close(&R);
  }
}

END_TEST

static const struct {
  const char *text;
  const char *name; /* of the defect */
  const char *message;
  int line;
} defects[] = {{"junk\nrule a\nlhs 1\nrhs 1\n", "", "expected `rule`, `op` or `func`", 1},
               {"op f(x[..a]) -> [..a]\nrule a\nlhs 1\nrhs 1\n", "f", "has no definition", 2},
               {"rule a\nlhs 1\nrhs 1\nfunc g(x) = x +\n", "g", "expected a scalar", 4},
               {"rule a\nlhs 1\nrhs 1\nfunc g(x) = x x\n", "g", "the end of the line", 4},
               {"op f(x[..a]) -> [..a]\nout[..a] = ((x[..a]\nrule a\nlhs 1\nrhs 1\n", "f", "", 3},
               {"rule a\nlhs 1\nrhs 1\nop h(x[..a]) -> [..a]\nout[..a] = x[..a]\njunk\n", "",
                "expected `rule`", 6},
               {"rule a\nlhs 1\nrhs 1\nuse \"x.sem\"\n", "", "end of the rule", 0}};

START_TEST(a_defect_is_alone) { /* what is ill-formed between rules stops none of them */
  for (size_t i = 0; i < sizeof defects / sizeof *defects; i++) {
    rules R;
    rules_open(&R, defects[i].text);
    ck_assert_msg(R.file != NULL, "%s", defects[i].text);
    ck_assert_uint_eq(as_rulefile_count(R.file), 1);
    as_err err;
    as_err_init(&err);
    if (defects[i].line == 0) { /* it is the end of the rule before it */
      ck_assert_uint_eq(as_rulefile_defects(R.file), 0);
      ck_assert(as_rule_read(R.file, 0, NULL, &err) == NULL);
      ck_assert(strstr(err.text, defects[i].message) != NULL);
      as_err_clear(&err);
      rules_close(&R);
      continue;
    }
    ck_assert_uint_eq(as_rulefile_defects(R.file), 1);
    as_rule_defect defect = as_rulefile_defect(R.file, 0);
    ck_assert_str_eq(defect.name, defects[i].name);
    ck_assert_msg(strstr(defect.why->text, defects[i].message) != NULL, "%s", defect.why->text);
    ck_assert_int_eq(defect.why->line, defects[i].line);
    as_rule_free(rules_read(&R, 0, NULL));
    ck_assert(as_oplib_find(R.lib, "f") == NULL && as_oplib_func(R.lib, "g") == NULL);
    rules_close(&R);
  }
}

END_TEST

START_TEST(whole_file) { /* what stands outside of rules, and rules that do not stop each other */
  static const char *const texts[] = {"use \"missing.sem\"\nrule a\nlhs 1\nrhs 1\n",
                                      "rule a\nlhs 1\nrhs \"\n"};
  rules read;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    rules_open(&read, texts[i]);
    ck_assert(read.file == NULL);
    ck_assert_int_eq(read.err.status, AS_BAD_INPUT);
    rules_close(&read);
  }
  rules_open(&read, "rule a\nlhs ]\nrhs 1\nrule b\nlhs 1\nrhs 1\nrule b\nlhs 1\nrhs 1\n");
  ck_assert_uint_eq(as_rulefile_count(read.file), 3);
  ck_assert(as_rule_read(read.file, 0, NULL, NULL) == NULL);
  as_rule_free(rules_read(&read, 1, NULL));
  ck_assert(as_rule_read(read.file, 2, NULL, NULL) == NULL); /* twice */
  rules_close(&read);
}

END_TEST

START_TEST(sizes) {
  as_sizes *S = as_sizes_new();
  as_size n = as_size_sym(S, "n");
  as_size m = as_size_sym(S, "m");
  as_size x = as_size_max(S, n, m);
  as_size y = as_size_min(S, as_size_int(S, 3), as_size_int(S, -2));
  long value;
  ck_assert(as_size_is_const(S, y, &value) && value == -2);
  ck_assert_uint_eq(as_size_max(S, n, n), n);
  char *text = as_size_print(S, as_size_add(S, x, AS_SIZE_ONE));
  ck_assert_str_eq(text, "(max(n, m)) + 1");
  free(text);
  int64_t env[16] = {0};
  env[n] = 4;
  env[m] = -7;
  ck_assert_int_eq(as_size_eval(S, x, env), 4);
  ck_assert_int_eq(
      as_size_eval(S, as_size_subst(S, as_size_min(S, n, m), m, as_size_int(S, 9)), env), 4);
  as_sizes_free(S);
}

END_TEST

int main(void) {
  TCase *tests = test_case("parse", 60);
  tcase_add_test(tests, round_trip);
  tcase_add_test(tests, contents);
  tcase_add_test(tests, groups);
  tcase_add_test(tests, messages);
  tcase_add_test(tests, a_defect_is_alone);
  tcase_add_test(tests, whole_file);
  tcase_add_test(tests, sizes);
  return test_run("rules", tests);
}
