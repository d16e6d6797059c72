/* Operator specifications: reading, canonical text, the shape rule, what is refused. */
#include "src/base/mem.h"
#include "src/base/rng.h"
#include "util.h"

/* of elementwise.sem */
static const char *const functions[] = {"floor", "round", "sin", "cos", "sigmoid",
                                        "silu",  "tanh",  "erf", "gelu"};

static bool add(as_oplib *lib, const char *text, as_err *err) {
  return as_oplib_parse(lib, "t.sem", text, strlen(text), err);
}

START_TEST(canonical_text_reads_back) {
  as_oplib *lib = test_operators();
  ck_assert_uint_gt(as_oplib_count(lib), 35);
  as_oplib *other = as_oplib_new();
  as_err err;
  as_err_init(&err);
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    char *s = as_func_print(as_oplib_func(lib, functions[i]));
    char *again;
    ck_assert(add(other, s, &err));
    again = as_func_print(as_oplib_func(other, functions[i]));
    ck_assert_str_eq(s, again);
    free(s);
    free(again);
  }
  for (uint32_t i = 0; i < as_oplib_count(lib); i++) {
    const as_opdef *op = as_oplib_nth(lib, i);
    char *s = as_opdef_print(op);
    char *again;
    char *why;
    bool ok = add(other, s, &err);
    why = as_err_format(&err);
    ck_assert_msg(ok, "%s", why);
    const as_opdef *copy = as_oplib_find(other, op->name);
    again = as_opdef_print(copy);
    ck_assert_str_eq(s, again);
    ck_assert_str_eq(op->sha256, copy->sha256);
    free(s);
    free(again);
    free(why);
  }
  as_oplib_free(lib);
  as_oplib_free(other);
}

END_TEST

START_TEST(awkward_bodies_read_back) {
  static const char *const text =
      "op f(x[..a, n], y[n]; c = -2.5, d) -> [..a, 2 * n - 1]\n  require 1 <= n, d > 0\n"
      "  let q[..a, i] = (sum(k < n) x[..a, k]) + (max(k < n) (sum(j < k + 1) x[..a, j] * y[k])) / "
      "n\n"
      "  out[..a, i] = if(not (i < n and (i > 2 or i div 2 = 1)) or (i + 1) * 2 != n, -(q[..a, i] "
      "- 1) * -c, (x[..a, i mod n] - (q[..a, 0] - y[0])) / (c / d))\n";
  as_oplib *lib = as_oplib_new();
  as_oplib *other = as_oplib_new();
  as_err err;
  as_err_init(&err);
  bool ok = add(lib, text, &err);
  char *why = as_err_format(&err);
  ck_assert_msg(ok, "%s", why);
  free(why);
  char *s = as_opdef_print(as_oplib_nth(lib, 0));
  char *t;
  ck_assert(add(other, s, &err));
  t = as_opdef_print(as_oplib_nth(other, 0));
  ck_assert_str_eq(s, t);
  ck_assert_ptr_nonnull(strstr(s, "x[..a, i mod n] - (q[..a, 0] - y[0])"));
  free(s);
  free(t);
  as_oplib_free(lib);
  as_oplib_free(other);
}

END_TEST

/* what is wrong, and what the message must say */
static const struct {
  const char *text;
  const char *says;
} refused[] = {
    {"opp f(x[n]) -> [n]\n", "expected `op` or `func`"},
    {"op f(x[n]) -> [n]\n", "no definition"},
    {"op f(x[n]) -> [n]\n  out[i] = y[i]\n", "unknown tensor `y`"},
    {"op f(x[n]) -> [n]\n  out[i] = x[j]\n", "unknown name `j`"},
    {"op f(x[n]) -> [n]\n  out[i] = x[i, i]\n", "wrong number of indices"},
    {"op f(x[n]) -> [m]\n  out[i] = x[i]\n", "unknown name `m`"},
    {"op f(x[n]) -> [n, n]\n  out[i] = x[i]\n", "shape of the result"},
    {"op f(x[..a]) -> [..b]\n  out[..b] = x[..b]\n", "unknown list of axes `b`"},
    {"op f(x[..a, n]) -> [n]\n  out[i] = x[..a, i]\n", "does not bind the indices `a`"},
    {"op f(x[..a, ..b]) -> [..a]\n  out[..a] = x[..a, ..b]\n", "two lists of axes"},
    {"op f(x[n]) -> [n]\n  out[n] = x[n]\n", "already in use"},
    {"op f(x[n]) -> [n]\n  out[i] = sum(i < n) x[i]\n", "already in use"},
    {"op f(x[n]) -> [n]\n  out[i] = x[x[i]]\n", NULL}, /* of integers: for the call to say */
    {"op f(x[n]) -> [n]\n  out[i] = x[y[i]]\n", "unknown tensor `y`"},
    {"op f(x[n]) -> [n]\n  out[i] = x[x[i, i]]\n", "wrong number of indices"},
    {"op f(x[n]) -> [n]\n  out[i] = x[exp(x[i])]\n", "made of integers"},
    {"op f(x[n]) -> [x[0]]\n  out[i] = x[i]\n", "expected"},
    {"op f(x[n]) -> [n]\n  out[i] = x[i div 0.5]\n", "must be an integer"},
    {"op f(x[n]) -> [n]\n  out[i] = g(x[i])\n", "unknown function `g`"},
    {"func g(x) = g(x) + 1\n", "cannot be cyclic"},
    {"func g(x) = h(x)\nfunc h(x) = g(x)\n", "unknown function `h`"},
    {"func g(x) = y\n", "not a parameter"},
    {"func g(x) = sum(k < 3) x\n", "no tensors"},
    {"func g(x) builtin\n", "no built-in `g`"},
    {"func exp(x) = x\n", "already defined"},
    {"op f(x[n]) -> [n]\n  out[i] = exp(x[i], x[i])\n", "takes 1 argument"},
    {"op f(x[n]) -> [n]\n  out[i] = x[i]\nop f(x[n]) -> [n]\n  out[i] = x[i]\n",
     "already defined at t.sem:1"},
    {"op f(x[n], x[n]) -> [n]\n  out[i] = x[i]\n", "two tensors"},
    {"op f(x[n]; a, a) -> [n]\n  out[i] = x[i]\n", "two attributes"},
    {"op f(x[n]) -> [n]\n  out[i] = if(x[i], 1, 2)\n", "a relation"},
    {"op f(x[n]) -> [n]\n  out[i] = x[i]", NULL},
    {"op f(x[n]) -> [n]\n  out[i] = 1e99999\n", "exponent"},
    {"op loop(x[n]) -> [n]\n  out[i] = x[i]\n", "reserved word"},
    {"op f(x[n]) -> [n]\n  out[i] = $1\n", "unexpected character `$`"},
    {"op f(x[n]) -> [n]\n  out[i] = x[i] x\n", "end of the line"},
    {"op f(x[n]) -> [n]\n  let out[i] = x[i]\n", "reserved word"},
    {"op f(x[n]) -> [n]\n  let x[i] = 1\n  out[i] = x[i]\n", "defined twice"},
    {"op f(x[n", "expected"},
    {"\x7f"
     "ELF\x02\x01\x01",
     "not a text file"},
    {"", NULL},
};

START_TEST(errors) {
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    as_oplib *lib = as_oplib_new();
    as_err err;
    as_err_init(&err);
    bool ok = add(lib, refused[i].text, &err);
    char *s = as_err_format(&err);
    if (refused[i].says == NULL) {
      ck_assert_msg(ok, "%s", s);
    } else {
      ck_assert_msg(!ok && strstr(s, refused[i].says), "case %zu: %s", i, s);
      ck_assert_int_eq(err.status, AS_BAD_INPUT);
      ck_assert(strncmp(s, "t.sem:", 6) == 0);
      ck_assert_uint_eq(as_oplib_count(lib), 0); /* nothing half-read stays */
    }
    free(s);
    as_err_clear(&err);
    as_oplib_free(lib);
  }
}

END_TEST

START_TEST(deep_nesting_is_refused) {
  as_str out;
  as_str_init(&out);
  as_str_add(&out, "op f(x[n]) -> [n]\n  out[i] = ");
  for (int i = 0; i < 100000; i++)
    as_str_add(&out, "(");
  as_err err;
  as_err_init(&err);
  as_oplib *lib = as_oplib_new();
  ck_assert(!as_oplib_parse(lib, "t.sem", out.s, out.n, &err));
  ck_assert_ptr_nonnull(strstr(err.text, "nested too deeply"));
  as_err_clear(&err);
  as_oplib_free(lib);
  as_str_clear(&out);
}

END_TEST

/* every truncation of a real file ends in a verdict, never in a crash */
START_TEST(truncations) {
  size_t n;
  char *path;
  char *text = slurp("semantics/normalize.sem", &n, &path);
  for (size_t cut = 0; cut < n; cut++) {
    as_oplib *lib = as_oplib_new();
    as_err err;
    as_err_init(&err);
    char *part = as_malloc(cut + 1);
    memcpy(part, text, cut);
    if (!as_oplib_parse(lib, path, part, cut, &err))
      ck_assert_int_eq(err.status, AS_BAD_INPUT);
    free(part);
    as_err_clear(&err);
    as_oplib_free(lib);
  }
  free(text);
  free(path);
}

END_TEST

static bool calls_function(const char *text) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    char *call = as_format("%s(", functions[i]);
    const char *found = strstr(text, call);
    free(call);
    if (found)
      return true;
  }
  return false;
}

/* bytes and words changed at random; what is still accepted prints and reads back */
START_TEST(mutations) {
  static const char *const files[] = {"semantics/elementwise.sem", "semantics/normalize.sem",
                                      "semantics/reduce.sem", "semantics/shape.sem"};
  static const char *const junk[] = {"n",  "..a",  "x[", "]",   "(",    ")",     "sum(k < n) ",
                                     "@",  "-1",   "=",  ",",   ";",    "div ",  "if(",
                                     "~o", " or ", "\n", "0.5", "\x80", "k < n", "1e9"};
  size_t n;
  char *path;
  char *text = slurp(files[_i], &n, &path);
  as_rng rng;
  as_rng_seed(&rng, 5 + (uint64_t)_i);
  unsigned accepted = 0;
  for (int round = 0; round < 2000; round++) {
    as_str out;
    as_str_init(&out);
    size_t at = as_rng_below(&rng, n);
    size_t skip = as_rng_below(&rng, 6);
    if (at + skip > n)
      skip = n - at;
    as_str_addn(&out, text, at);
    as_str_add(&out, junk[as_rng_below(&rng, sizeof junk / sizeof *junk)]);
    as_str_addn(&out, text + at + skip, n - at - skip);
    as_oplib *lib = as_oplib_new();
    as_oplib *other = as_oplib_new();
    as_err err;
    as_err_init(&err);
    if (as_oplib_parse(lib, path, out.s, out.n, &err)) {
      accepted++;
      for (uint32_t i = 0; i < as_oplib_count(lib); i++) {
        char *t = as_opdef_print(as_oplib_nth(lib, i));
        char *u = NULL;
        if (calls_function(t)) {
          free(t);
          continue; /* the other library lacks the function */
        }
        bool ok = add(other, t, &err);
        char *why = as_err_format(&err);
        ck_assert_msg(ok, "%s\n%s", t, why);
        u = as_opdef_print(as_oplib_nth(other, as_oplib_count(other) - 1));
        ck_assert_str_eq(t, u);
        free(t);
        free(u);
        free(why);
      }
    } else {
      ck_assert(err.status == AS_BAD_INPUT && err.text != NULL);
    }
    as_err_clear(&err);
    as_oplib_free(lib);
    as_oplib_free(other);
    as_str_clear(&out);
  }
  ck_assert_uint_gt(accepted, 50);
  free(text);
  free(path);
}

END_TEST

START_TEST(missing_files) {
  as_oplib *lib = as_oplib_new();
  as_err err;
  as_err_init(&err);
  ck_assert(!as_oplib_load(lib, "no/such.sem", &err));
  ck_assert_ptr_nonnull(strstr(err.text, "no/such.sem"));
  as_err_clear(&err);
  ck_assert(!as_oplib_load_dir(lib, "no/such", &err));
  as_err_clear(&err);
  as_oplib_free(lib);
}

END_TEST

int main(void) {
  TCase *tests = test_case("sem", 60);
  tcase_add_test(tests, canonical_text_reads_back);
  tcase_add_test(tests, awkward_bodies_read_back);
  tcase_add_test(tests, errors);
  tcase_add_test(tests, deep_nesting_is_refused);
  tcase_add_test(tests, truncations);
  tcase_add_loop_test(tests, mutations, 0, 4);
  tcase_add_test(tests, missing_files);
  return test_run("sem", tests);
}
