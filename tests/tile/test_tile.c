/* Tile programs: what the reader accepts and refuses, that printing gives the same program back,
 * and what programs compute, in which orders. */
#include "semantics/tile_eval.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <string.h>

/* a row softmax with a running maximum, a tile of T columns at a time, cut off at the end */
static const char softmax[] = "tile online_softmax\n"
                              "sizes M = 4, N = 10, T = 3\n"
                              "input X: f16[M, N]\n"
                              "output Y: f16[M, N]\n"
                              "parallel r = 0 to M\n"
                              "  make low[] = -1000\n"
                              "  make nothing[] = 0\n"
                              "  for k = 0 to N step T\n"
                              "    carry m = low\n"
                              "    carry s = nothing\n"
                              "    load x[i < min(T, N - k)] = X[r, k + i]\n"
                              "    top = maximum(m, max(x))\n"
                              "    next m = top\n"
                              "    next s = s * exp(m - top) + sum(exp(x - top))\n"
                              "  end\n"
                              "  load all[i < N] = X[r, i]\n"
                              "  y = exp(all - m) / s\n"
                              "  store Y[r, i] = y[i] over [i < N]\n"
                              "end\n";

static as_tile_program *parse(const char *text, as_oplib *lib, as_err *err) {
  return as_tile_parse("test.tile", text, strlen(text), as_sizes_new(), lib, err);
}

static as_tile_program *must_parse(const char *text, as_oplib *lib) {
  as_err err;
  as_err_init(&err);
  as_tile_program *program = parse(text, lib, &err);
  if (program == NULL)
    ck_abort_msg("%s", as_err_format(&err));
  return program;
}

static void drop(as_tile_program *program) {
  as_sizes *sizes = program->sizes->sizes;
  as_tile_free(program);
  as_sizes_free(sizes);
}

/* Runs it at the stated sizes on small numbers over rationals; gives the first result's text. */
typedef struct {
  as_status status;
  as_tile_notes notes;
  as_err err;
  char *text; /* of all results */
} outcome;

static outcome run(const char *text, const as_domain *domain, as_tile_order order) {
  as_oplib *lib = test_operators();
  as_tile_program *program = must_parse(text, lib);
  int64_t *env = as_env_new(program->sizes->sizes);
  uint32_t n_arguments = as_tile_n_arguments(program);
  uint32_t n_results = as_tile_n_results(program);
  as_tensor arguments[8];
  as_tensor results[8];
  for (uint32_t i = 0; i < n_arguments; i++) {
    const as_tile_tensor *tensor = &program->tensor[as_tile_argument(program, i)];
    int64_t dim[AS_MAX_RANK];
    for (uint32_t d = 0; d < tensor->rank; d++)
      dim[d] = as_size_eval(program->sizes->sizes, tensor->dim[d], env);
    as_tensor_init(&arguments[i], domain, dim, tensor->rank);
    for (size_t k = 0; k < arguments[i].n; k++)
      as_dom_from_int(domain, as_tensor_at(&arguments[i], k), (int64_t)(k * 7 % 5) + 1);
  }
  outcome made = {.status = AS_OK};
  as_err_init(&made.err);
  as_tile_setting setting = {domain, env, arguments, order, 1, 0, order == AS_TILE_ASCENDING};
  made.status = as_tile_run(program, &setting, results, &made.notes, &made.err);
  as_str shown;
  as_str_init(&shown);
  for (uint32_t i = 0; made.status == AS_OK && i < n_results; i++) {
    for (size_t k = 0; k < results[i].n; k++) {
      char *number = domain->print(domain, as_tensor_at(&results[i], k));
      as_str_printf(&shown, "%s ", number);
      free(number);
    }
    as_tensor_clear(&results[i]);
  }
  made.text = as_str_take(&shown);
  for (uint32_t i = 0; i < n_arguments; i++)
    as_tensor_clear(&arguments[i]);
  free(env);
  drop(program);
  as_oplib_free(lib);
  return made;
}

static void outcome_clear(outcome *o) {
  as_err_clear(&o->err);
  free(o->text);
}

static void gives(const char *text, const char *results) {
  for (int order = 0; order < AS_TILE_N_ORDERS; order++) {
    outcome o = run(text, &as_domain_exact, (as_tile_order)order);
    ck_assert_msg(o.status == AS_OK, "%s", o.err.text);
    ck_assert_str_eq(o.text, results);
    ck_assert_msg(!o.notes.conflict, "a conflict in line %d", o.notes.line);
    outcome_clear(&o);
  }
}

static void stops(const char *text, const char *why) {
  outcome o = run(text, &as_domain_exact, AS_TILE_ASCENDING);
  ck_assert_int_eq(o.status, AS_NO);
  ck_assert_msg(strstr(o.err.text, why) != NULL, "%s", o.err.text);
  outcome_clear(&o);
}

START_TEST(prints_what_it_read) {
  as_oplib *lib = test_operators();
  as_tile_program *program = must_parse(softmax, lib);
  char *first = as_tile_print(program);
  as_tile_program *again = must_parse(first, lib);
  char *second = as_tile_print(again);
  ck_assert_str_eq(first, second);
  ck_assert(as_tile_is_text(first, strlen(first)));
  ck_assert(!as_tile_is_text("tiles\n", 6));
  free(first);
  free(second);
  drop(program);
  drop(again);
  as_oplib_free(lib);
}

END_TEST

/* sizes as numbers wherever they stand: extents, scalars, attributes, operands, relations */
START_TEST(sizes_become_their_values) {
  static const char text[] = "tile sized\n"
                             "sizes N = 4, M = 3\n"
                             "where M <= N\n"
                             "input X: f32[N, M*N]\n"
                             "output Y: f32[N]\n"
                             "scratch S: f32[M + 1] = 0\n"
                             "parallel n = 0 to N step M - 2\n"
                             "  make zero[] = sum(k < M) (k - k*N)\n"
                             "  for m = M - M to M\n"
                             "    carry s = zero\n"
                             "    load x[i < M] = X[n, m * M + i] where i < N else M\n"
                             "    next s = s + sum(concat(x, x, axis=1 - 1)) * N\n"
                             "  end\n"
                             "  load z[i < 2] = X[n, i]\n"
                             "  y = repeat(z / N, axis=0, times=N - M + 1)\n"
                             "  store Y[n] = y[N - M - 1] + s[] over [] where n < N\n"
                             "end\n";
  static const char *const words[] = {"X: f32[7, 35]",
                                      "scratch S: f32[6]",
                                      "= 0 to 7 step 5 - 2",
                                      "sum(k < 5) (k - k * 7)",
                                      "where 5 <= 7",
                                      "X[n, m * 5 + i]",
                                      "i < 7 else 5",
                                      "times=7 - 5 + 1",
                                      "y[7 - 5 - 1]",
                                      "to 5\n",
                                      "(z, 7)",
                                      "[i < 5]"};
  static const int64_t value[] = {7, 5};
  as_oplib *lib = test_operators();
  as_err err;
  as_err_init(&err);
  as_tile_program *program = must_parse(text, lib);
  ck_assert(as_tile_fix_sizes(program, lib, value, &err));
  char *printed = as_tile_print(program);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    ck_assert_msg(strstr(printed, words[i]) != NULL, "no `%s` in\n%s", words[i], printed);
  ck_assert(strstr(printed, "sizes") == NULL);
  ck_assert(strpbrk(printed, "NM") == NULL);
  as_tile_program *again = must_parse(printed, lib);
  ck_assert_uint_eq(again->sizes->n_own_size, 0);
  free(printed);
  drop(program);
  drop(again);
  as_oplib_free(lib);
}

END_TEST

START_TEST(computes) {
  outcome o = run(softmax, &as_domain_double, AS_TILE_TOGETHER);
  ck_assert_int_eq(o.status, AS_OK);
  double sum = 0;
  char *at = o.text;
  for (int i = 0; i < 40; i++)
    sum += strtod(at, &at);
  ck_assert_double_eq_tol(sum, 4, 1e-12);
  outcome_clear(&o);

  /* masks, positions by div and mod, and by data; scratch of each iteration */
  gives("tile gather\nsizes N = 4\ninput A: int[N]\ninput X: f32[N + 2]\noutput Y: f32[N]\n"
        "parallel n = 0 to N step 3\n"
        "  scratch S: f32[3] = 0\n"
        "  load a[i < 3] = A[n + i] where n + i < N else 0\n"
        "  load x[i < 3] = X[a[i]] where n + i < N else 0\n"
        "  store S[2 - i] = x[i] over [i < 3]\n"
        "  load s[i < 3] = S[(5 - i) mod 3]\n"
        "  store Y[n + i] = s[i] * 10 + i over [i < 3] where n + i < N\n"
        "end\n",
        "30 21 12 50 ");
  /* an accumulator in memory, and what is carried */
  gives("tile sums\nsizes N = 5\ninput X: f32[N]\noutput Y: f32[] = 0\noutput Z: f32[]\n"
        "make zero[] = 0\n"
        "for n = 0 to N step 2\n"
        "  carry z = zero\n"
        "  load x[i < min(2, N - n)] = X[n + i]\n"
        "  load y[] = Y[]\n"
        "  store Y[] = y[] + sum(k < min(2, N - n)) x[k]\n"
        "  next z = z + sum(x)\n"
        "end\n"
        "store Z[] = z[]\n",
        "15 15 ");
}

END_TEST

START_TEST(undefined) {
  stops("tile far\nsizes N = 4\ninput X: f32[N]\noutput Y: f32[N]\n"
        "load x[i < N] = X[i + 1]\nstore Y[i] = x[i] over [i < N]\n",
        "line 5: position 4 of axis 0 of `X` is outside of its 4");
  stops("tile below\nsizes N = 4\noutput Y: f32[N]\nstore Y[i - 1] = 1 over [i < N]\n",
        "position -1");
  stops("tile twice\nsizes N = 4\noutput Y: f32[N]\nstore Y[i div 2] = i over [i < N]\n",
        "two lanes store to one place of `Y`");
  stops("tile shapes\nsizes N = 4\ninput X: f32[N]\noutput Y: f32[N]\n"
        "load x[i < N] = X[i]\nload y[i < 3] = X[i]\nz = x + y\n"
        "store Y[i] = z[i] over [i < N]\n",
        "line 7: ");
  stops("tile extents\nsizes N = 4\ninput X: f32[N]\noutput Y: f32[N]\n"
        "load x[i < N] = X[i]\nstore Y[i] = x over [i < N - 1]\n",
        "`x` has not the extents of the lanes");
  stops("tile step\nsizes N = 4\noutput Y: f32[N] = 0\nfor n = 0 to N step N - 4\nend\n",
        "the step of a loop is 0");
  stops("tile negative\nsizes N = 4\noutput Y: f32[N] = 0\nmake t[i < 3 - N] = 0\n",
        "a negative extent");
  /* what has no value has none after arithmetic; a mask or an `if` can leave it out */
  outcome o = run("tile stale\nsizes N = 4\noutput Y: f32[N]\nscratch S: f32[N]\n"
                  "load s[i < N] = S[i]\nstore Y[i] = s[i] + 1 over [i < N]\n",
                  &as_domain_double, AS_TILE_ASCENDING);
  ck_assert_str_eq(o.text, "undefined undefined undefined undefined ");
  outcome_clear(&o);
  gives("tile dead\nsizes N = 4\ninput X: f32[N]\noutput Y: f32[N + 1] = 7\n"
        "load x[i < N + 1] = X[i] where i < N\n"
        "make y[i < N + 1] = if(i < N, x[i], 0)\n"
        "store Y[i] = y[i] over [i < N + 1] where i < 3\n",
        "1 3 5 7 7 ");
}

END_TEST

START_TEST(orders) {
  /* all iterations add to one place: together, all but one sum is lost */
  static const char lost[] = "tile lost\nsizes N = 3\ninput X: f32[N]\noutput Y: f32[] = 0\n"
                             "parallel n = 0 to N\n"
                             "  load x[] = X[n]\n  load y[] = Y[]\n"
                             "  store Y[] = x[] + y[]\n"
                             "end\n";
  outcome in_order = run(lost, &as_domain_exact, AS_TILE_ASCENDING);
  outcome together = run(lost, &as_domain_exact, AS_TILE_TOGETHER);
  ck_assert_str_eq(in_order.text, "9 ");
  ck_assert_str_eq(together.text, "5 ");
  ck_assert(in_order.notes.conflict);
  ck_assert_int_eq(in_order.notes.loop, 5);
  outcome_clear(&in_order);
  outcome_clear(&together);
  /* the last one wins */
  static const char last[] = "tile last\nsizes N = 3\noutput Y: f32[]\n"
                             "parallel n = 0 to N\n  store Y[] = n\nend\n";
  outcome ascending = run(last, &as_domain_exact, AS_TILE_ASCENDING);
  outcome descending = run(last, &as_domain_exact, AS_TILE_DESCENDING);
  ck_assert_str_eq(ascending.text, "2 ");
  ck_assert_str_eq(descending.text, "0 ");
  ck_assert(ascending.notes.conflict);
  outcome_clear(&ascending);
  outcome_clear(&descending);
  /* one kernel after another: no conflict; nested loops that own rows and columns: none either */
  gives("tile kernels\nsizes N = 3\ninput X: f32[N]\noutput Y: f32[N, 2]\noutput Z: f32[N]\n"
        "parallel n = 0 to N\n  parallel k = 0 to 2\n    load x[] = X[n]\n"
        "    store Y[n, k] = x[] + k\n  end\nend\n"
        "parallel m = 0 to N\n  load y[k < 2] = Y[m, k]\n  store Z[m] = y[0] * y[1]\nend\n",
        "1 2 3 4 5 6 2 12 30 ");
  /* a neighbour's place is read: loaded first and stored then is a conflict as well */
  static const char neighbour[] = "tile neighbour\nsizes N = 3\ninout X: f32[N]\n"
                                  "parallel n = 0 to N - 1\n"
                                  "  load x[] = X[n + 1]\n  store X[n] = x[]\nend\n";
  outcome before = run(neighbour, &as_domain_exact, AS_TILE_ASCENDING);
  ck_assert(before.notes.conflict);
  outcome_clear(&before);
}

END_TEST

START_TEST(refuses) {
  static const struct {
    const char *text;
    const char *why;
  } cases[] = {
      {"tile t\ninput X: f32[2]\n", "no output"},
      {"tile t\noutput Y: f32[2]\nparallel n = 0 to 2\n", "expected `end`"},
      {"tile t\noutput Y: f32[2]\nstore X[0] = 1\n", "unknown tensor `X`"},
      {"tile t\noutput Y: f32[2]\nstore Y[0, 0] = 1\n", "has 1 axes, not 2"},
      {"tile t\noutput Y: f32[2]\nstore Y[0.5] = 1\n", "a position is no integer"},
      {"tile t\noutput Y: f32[2]\nstore Y[i] = Y[i] over [i < 2]\n", "only `load` reads it"},
      {"tile t\ninput X: f32[2]\noutput Y: f32[2]\nstore X[0] = 1\n", "never stored to"},
      {"tile t\noutput Y: f32[2]\nload y[i < 2] = Y[i]\nload y[i < 2] = Y[i]\n", "already defined"},
      {"tile t\noutput Y: f32[2]\nfor n = 0 to 2\n  load y[] = Y[n]\nend\nstore Y[0] = y[]\n",
       "unknown name `y`"},
      {"tile t\noutput Y: f32[2]\nparallel n = 0 to 2\n  carry c = 0\n  next c = c\nend\n",
       "carry nothing"},
      {"tile t\noutput Y: f32[2]\nfor n = 0 to 2\n  carry c = 0\nend\n", "`next c` is missing"},
      {"tile t\noutput Y: f32[2]\nx = frobnicate(1)\n", "unknown operator"},
      {"tile t\noutput Y: f32[2]\nx = exp(1, 2)\n", "takes 1 tensor"},
      {"tile t\noutput Y: f32[0 - 3]\n", "negative extent"},
      {"tile t\ninput Y: f32[2] = 3\n", "an argument has the value"},
      {"tile t\noutput Y: f32[2]\nfor for = 0 to 2\nend\n", "reserved word"},
      {"tile t\nsizes N = 3\noutput Y: f32[N]\nmake N[] = 1\n", "already defined"},
      {"tile t\noutput Y: f32[2] = 0\nfor c = 0 to 2\n  carry c = 0\n  next c = c\nend\n",
       "already defined"},
      {"tile t\noutput Y: int[2]\nmake h[] = 1 / 2\nstore Y[0] = h[]\n", "holds integers"},
      {"tile", "the program's name"},
  };

  as_oplib *lib = test_operators();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    as_err err;
    as_err_init(&err);
    as_sizes *sizes = as_sizes_new();
    as_tile_program *program =
        as_tile_parse("test.tile", cases[i].text, strlen(cases[i].text), sizes, lib, &err);
    ck_assert_msg(program == NULL, "accepted: %s", cases[i].text);
    ck_assert_msg(strstr(err.text, cases[i].why) != NULL, "%s", err.text);
    as_err_clear(&err);
    as_sizes_free(sizes);
  }
  as_oplib_free(lib);
}

END_TEST

/* every prefix of a program is read or refused, and none of them is anything else */
START_TEST(truncated) {
  as_oplib *lib = test_operators();
  for (size_t n = 0; n < sizeof softmax - 1; n++) {
    as_err err;
    as_err_init(&err);
    as_sizes *sizes = as_sizes_new();
    as_tile_program *program = as_tile_parse("cut.tile", softmax, n, sizes, lib, &err);
    ck_assert(program != NULL || err.status == AS_BAD_INPUT);
    as_tile_free(program);
    as_err_clear(&err);
    as_sizes_free(sizes);
  }
  as_oplib_free(lib);
}

END_TEST

int main(void) {
  TCase *tests = test_case("tile", 60);
  tcase_add_test(tests, prints_what_it_read);
  tcase_add_test(tests, sizes_become_their_values);
  tcase_add_test(tests, computes);
  tcase_add_test(tests, undefined);
  tcase_add_test(tests, orders);
  tcase_add_test(tests, refuses);
  tcase_add_test(tests, truncated);
  return test_run("tile", tests);
}
