/* Counterexamples to rules: near misses are refuted, right ones never, and every rule of
 * examples/rules is judged as it says of itself. */
#include "../../verify/refute/rule_refute.h"
#include "util.h"
#include <dirent.h>
#include <stdio.h>

typedef enum { RIGHT, WRONG, EMPTY } kind;

static const char *const kinds[] = {"right", "wrong", "vacuous"};

/* thorough: also where the rule is to be right and instances were found */
static kind judge(const as_rulefile *file, uint32_t i, bool reverse, bool thorough, char **words) {
  as_rule_cex cex;
  as_rule_tally tally = {0};
  as_err err;
  as_err_init(&err);
  as_status status = as_rule_refute(file, i, reverse, &as_rule_quick, &cex, &tally, &err);
  as_rule_cex_clear(status == AS_NO ? &(as_rule_cex){0} : &cex);
  if (status == AS_UNKNOWN && (thorough || tally.defined + tally.open == 0))
    status = as_rule_refute(file, i, reverse, &as_rule_thorough, &cex, &tally, &err);
  ck_assert_msg(status == AS_NO || status == AS_UNKNOWN, "%s: %s", as_rulefile_name(file, i),
                err.text);
  *words = status == AS_NO ? as_rule_cex_print(&cex, "    ") : as_strdup("");
  as_rule_cex_clear(&cex);
  as_err_clear(&err);
  return status == AS_NO ? WRONG : tally.defined || tally.open ? RIGHT : EMPTY;
}

#define OPS                                                                                        \
  "op roll(x[n, ..a]; by) -> [n, ..a]\n  require 1 <= n\n  out[i, ..a] = x[(i + by) mod n, "       \
  "..a]\nop most(x[n]; k) -> [k]\n  require k <= n\n"                                              \
  "  out[i] = x[i]\n"

static const struct {
  kind want;
  const char *text;
  const char *says;
} cases[] = {
    {RIGHT, "axes I\ntensor A[..I], B[..I], C[..I]\nlhs (A + B) * C\nrhs A * C + B * C\n", ""},
    {WRONG, "axes I\ntensor A[..I], B[..I], C[..I]\nlhs (A + B) * C\nrhs A * C + B\n",
     "left side 0, right side 1"},
    {WRONG, "axes I\ntensor A[..I], B[..I], C[..I]\nlhs (A + B) * C\nrhs A * C + B\n",
     "I = []"}, /* no axes are the fewest */
    {WRONG,
     "axes I\nsizes N\ntensor A[..I, N], c[]\nlhs sum(A * c)\nrhs sum(A) * c + sum(A * 0 + 1) - N "
     "* (1 + 0 * sum(A)) + sum(A * 0 + c - c) + c\n",
     "N = 0"},
    /* definedness is eager, and of every tensor computed */
    {WRONG, "tensor a[], b[]\nlhs a\nrhs (a * b) / b\n", "right side undefined"},
    {RIGHT, "tensor a[], b[]\nassume b != 0\nlhs a\nrhs (a * b) / b\n", ""},
    {WRONG, "tensor a[], b[]\nlhs\n  output y = a\nrhs\n  dead = 1 / b\n  output y = a\n",
     "undefined"},
    {RIGHT, "tensor a[], b[]\nlhs\n  dead = 1 / b\n  output y = a\nrhs\n  output y = (a * b) / b\n",
     ""},
    {WRONG,
     "sizes m, k, n\ntensor a[m, k], b[m, 1], c[k, n]\nlhs matmul(a / b, c)\nrhs matmul(a, c) / "
     "b\n",
     "k = 0"},
    {WRONG, "tensor x[], y[]\nlhs sqrt(x * y)\nrhs sqrt(x) * sqrt(y)\n", "undefined"},
    {RIGHT, "tensor x[], y[]\nassume x >= 0, y >= 0\nlhs sqrt(x * y)\nrhs sqrt(x) * sqrt(y)\n", ""},
    {RIGHT, "axes I\ntensor x[..I], y[..I]\nlhs exp(x) * exp(y)\nrhs exp(x + y)\n", ""},
    {WRONG, "axes I\ntensor x[..I], y[..I]\nlhs exp(x) * exp(y)\nrhs exp(x * y)\n", "do not meet"},
    {RIGHT,
     "sizes N >= 1\ntensor x[N]\nlhs softmax(x)\nrhs exp(x) / expand_dims(sum(exp(x)), axis=0)\n",
     ""},
    {WRONG, "sizes N\ntensor x[N]\nlhs exp(sum(x))\nrhs sum(exp(x))\n", "N = 0"},
    /* integers and truth values */
    {WRONG, "tensor x[]\nlhs x * x\nrhs x\n", "right side"},
    {RIGHT, "tensor x[] bool\nlhs x * x\nrhs x\n", ""},
    {WRONG, "tensor x[] int\nlhs (2 * x) * (2 * x)\nrhs 2 * x\n", "x = "},
    {RIGHT, "tensor x[] int\nassume x > 0, x < 2\nlhs x\nrhs 1\n", ""},
    {WRONG, "tensor x[]\nassume x > 0, x < 2\nlhs x\nrhs 1\n", "x = "},
    {WRONG,
     "sizes N\nints s\ntensor x[N]\nwhere s != 0, s != 1, s != 2\nlhs x * s\nrhs x * abs(s)\n",
     "s = -1"},
    {RIGHT, "sizes N >= 1\nints s\ntensor x[N]\nlhs roll(roll(x, by=s), by=-s)\nrhs x\n", ""},
    {WRONG,
     "sizes N >= 1\nints s, t\ntensor x[N]\nlhs roll(roll(x, by=s), by=t)\nrhs roll(x, by=s - t)\n",
     "N = 3"},
    {RIGHT,
     "sizes N\nints s, t\nlhs iota(size=max(0, min(N, s)))\nrhs iota(size=min(N, max(s, 0)))\n",
     ""},
    {WRONG, "sizes N\nints s\nlhs iota(size=max(0, min(N, s)))\nrhs iota(size=max(s, 0))\n",
     "of shape [0]"},
    /* well-formedness of the right side, and shapes */
    {WRONG, "sizes N, k\ntensor x[N]\nlhs x[0:min(k, N)]\nrhs most(x, k=k)\n", "not"},
    {RIGHT, "sizes N, k\ntensor x[N]\nlhs most(x, k=k)\nrhs x[0:min(k, N)]\n", ""},
    {WRONG, "tensor x[]\nlhs x - x\nrhs expand_dims(x - x, axis=0)\n", "of shape [1]"},
    {WRONG, "sizes n\nlhs full(iota(size=0), size=n)\nrhs full(iota(size=0), size=n + 1)\n",
     "of shape [0, 0]"},
    {WRONG, "sizes n\ntensor x[n]\nlhs x\nrhs transpose(x)\n",
     "not: `transpose`"}, /* ill-formed at any size */
    {WRONG,
     "sizes a, b, c, d\ntensor x[a], y[b], z[c], w[d]\nwhere a + b = c + d\nlhs concat(x, y) + "
     "concat(z, w)\nrhs concat(x + z, y + w)\n",
     "not"},
    {RIGHT,
     "sizes a, b, c, d\ntensor x[a], y[b], z[c], w[d]\nwhere a + b = c + d, a = c\nlhs concat(x, "
     "y) + concat(z, w)\nrhs concat(x + z, y + w)\n",
     ""},
    /* large numbers and relations that leave few instances */
    {WRONG, "sizes N\ntensor x[N]\nwhere N mod 64 = 0, N >= 64\nlhs sum(x)\nrhs sum(x[1:])\n",
     "N = 64"},
    {WRONG, "sizes K, q, T\ntensor x[K]\nwhere K = q * T, T >= 1\nlhs sum(x)\nrhs sum(x[0:q])\n",
     "K = "},
    {EMPTY, "sizes N\ntensor x[N]\nwhere N < 0\nlhs x\nrhs x + 1\n", ""},
    {EMPTY, "sizes N >= 1\ntensor x[N]\nassume x != x\nlhs x\nrhs x + 1\n", ""},
    {EMPTY, "sizes N\ntensor i[N], x[]\nwhere N = 0\nassume max(i) < i\nlhs x\nrhs x + 1\n",
     ""}, /* a maximum of nothing is undefined, needed or not */
    {EMPTY, "sizes N\ntensor x[N]\nlhs most(x, k=N + 1)\nrhs x\n", ""},
    /* assumptions that broadcast, and equations between tensors */
    {RIGHT,
     "axes I\nsizes N\ntensor x[..I, N], lo[N], hi[]\nassume lo <= x, x <= hi\nlhs "
     "minimum(maximum(x, lo), hi)\nrhs x\n",
     ""},
    {WRONG,
     "axes I\nsizes N\ntensor x[..I, N], lo[N], hi[]\nassume lo <= x\nlhs minimum(maximum(x, lo), "
     "hi)\nrhs x\n",
     "hi = "},
    {WRONG,
     "sizes n >= 2\ntensor A[n, n], B[n, n]\nassume A = transpose(A), B = transpose(B), A != 0, B "
     "!= 0\nlhs A @ B\nrhs transpose(A @ B)\n",
     "n = 2"},
    {WRONG,
     "sizes n >= 2\ntensor x[n, n], y[n, n]\nassume x @ y = identity(size=n)\nlhs x\nrhs y\n",
     "x = "},
    {RIGHT,
     "sizes n\ntensor p[n] bool, q[n] bool, x[n]\nassume p + q = 1\nlhs p * x + q * x\nrhs x\n",
     ""},
    {WRONG,
     "sizes n >= 3\ntensor x[n]\nassume x[0:n - 1] < x[1:n]\nlhs expand_dims(max(x), axis=0)\nrhs "
     "x[n - 2:n - 1]\n",
     "n = 3"},
    {WRONG,
     "sizes a >= 1, b >= 1, c >= 1\ntensor A[a, b, c]\nwhere a * a + b * b = c * c\nlhs A\nrhs A + "
     "1\n",
     "c = 5"},
    {RIGHT, "tensor A[100000, 100000]\nlhs A\nrhs A + 0\n", ""}, /* too large to try: not vacuous */
    {RIGHT, "axes I\ntensor a[..I], b[..I]\nassume a = b, a >= 0\nlhs sqrt(a) * sqrt(b)\nrhs a\n",
     ""},
};

START_TEST(verdicts) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *text = as_format(OPS "rule r\n%s", cases[i].text);
    char *words;
    rules read;
    rules_open(&read, text);
    as_rule_free(rules_read(&read, 0, NULL));
    kind k = judge(read.file, 0, false, true, &words);
    ck_assert_msg(k == cases[i].want, "%s instead of %s:\n%s%s", kinds[k], kinds[cases[i].want],
                  cases[i].text, words);
    ck_assert_msg(strstr(words, cases[i].says) != NULL, "`%s` is not in:\n%s%s", cases[i].says,
                  cases[i].text, words);
    free(words);
    free(text);
    rules_close(&read);
  }
}

END_TEST

START_TEST(backward) {
  rules read;
  rules_open(&read, "rule r\ntensor a[], b[]\nlhs (a * b) / b\nrhs a\n");
  char *words;
  ck_assert_int_eq(judge(read.file, 0, false, true, &words), RIGHT);
  free(words);
  ck_assert_int_eq(judge(read.file, 0, true, true, &words), WRONG);
  ck_assert_msg(strstr(words, "right side 0, left side undefined") != NULL, "%s", words);
  free(words);
  rules_close(&read);
}

END_TEST

static void replay_changed(const char *text, const char *other, as_status want) {
  rules given;
  rules read;
  rules_open(&given, text);
  rules_open(&read, other);
  as_rule_cex cex;
  as_rule_tally tally = {0};
  ck_assert_int_eq(as_rule_refute(given.file, 0, false, &as_rule_quick, &cex, &tally, NULL), AS_NO);
  ck_assert_int_eq(as_rule_replay(given.file, 0, &cex, NULL), AS_NO);
  ck_assert_int_eq(as_rule_replay(read.file, 0, &cex, NULL), want);
  as_rule_cex_clear(&cex);
  rules_close(&given);
  rules_close(&read);
}

START_TEST(replay) { /* a counterexample is one to its own rule */
  static const char wrong[] = "rule r\nsizes N\ntensor x[N]\nlhs x\nrhs x + 1\n";
  replay_changed(wrong, wrong, AS_NO);
  replay_changed(wrong, "rule r\nsizes N\ntensor x[N]\nlhs x\nrhs x + 0\n", AS_OK);
  replay_changed(wrong, "rule r\nsizes N >= 2\ntensor x[N]\nlhs x\nrhs x + 1\n", AS_OK);
  replay_changed(wrong, "rule r\nsizes N\ntensor x[N]\nwhere N > 7\nlhs x\nrhs x + 1\n", AS_OK);
  replay_changed(wrong, "rule r\nsizes N\ntensor x[N]\nassume x > 100\nlhs x\nrhs x + 1\n", AS_OK);
}

END_TEST

static int skip_dots(const struct dirent *entry) {
  return strlen(entry->d_name) > 5 &&
         strcmp(entry->d_name + strlen(entry->d_name) - 5, ".rule") == 0;
}

START_TEST(examples) {
  char *dir = test_path("examples/rules");
  struct dirent **list;
  int n = scandir(dir, &list, skip_dots, alphasort);
  int wrong = 0;
  int seen = 0;
  ck_assert_int_gt(n, 0);
  for (int i = 0; i < n; i++) {
    char *rest = as_format("examples/rules/%s", list[i]->d_name);
    char *path = test_path(rest);
    size_t len;
    char *text = as_read_file(path, &len, NULL);
    as_oplib *lib = test_operators();
    as_err err;
    as_err_init(&err);
    as_rulefile *file = as_rulefile_open(path, text, len, lib, &err);
    ck_assert_msg(file != NULL, "%s: %s", path, err.text);
    for (uint32_t k = 0; k < as_rulefile_count(file); k++) {
      as_rule *rule = as_rule_read(file, k, NULL, &err);
      char *message = as_err_format(&err);
      char *words;
      ck_assert_msg(rule != NULL, "%s", message);
      free(message);
      double start = as_now();
      kind want = rule->expect == AS_EXPECT_REFUTED   ? WRONG
                  : rule->expect == AS_EXPECT_VACUOUS ? EMPTY
                                                      : RIGHT;
      kind got = judge(file, k, false, want != RIGHT || getenv("RULES_THOROUGH"), &words);
      seen++;
      if (getenv("RULES_VERBOSE"))
        printf("%6.0f ms %s %s\n%s", 1000 * (as_now() - start), rule->name, kinds[got], words);
      if (got != want && ++wrong)
        printf("%s: %s is %s\n%s", list[i]->d_name, rule->name, kinds[got], words);
      free(words);
      as_rule_free(rule);
    }
    as_rulefile_free(file);
    as_oplib_free(lib);
    free(text);
    free(path);
    free(rest);
    free(list[i]);
  }
  free(list);
  free(dir);
  printf("%d rules of examples/rules\n", seen);
  ck_assert_int_eq(wrong, 0);
}

END_TEST

int main(void) {
  TCase *tests = test_case("refute", 600);
  tcase_add_test(tests, verdicts);
  tcase_add_test(tests, backward);
  tcase_add_test(tests, replay);
  tcase_add_test(tests, examples);
  return test_run("rules", tests);
}
