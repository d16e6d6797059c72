/* Pairs that differ in one way each, and equal pairs that are hard for a test over finite fields. */
#include "../../verify/field/field.h"
#include "load.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static as_oplib *lib;
#define HEAD "program p\nsizes M, N\ninput X: f32[M, N]\ninput Y: f32[M, N]\n"
#define HEAD0 "program p\nsizes M, N >= 0\ninput X: f32[M, N]\ninput s: f32[M]\n"
#define MUG "mugraph m\nsizes J, U, L, T\nwhere M = J * U, N = L * T\nkernel k\n"

typedef enum { SAME, CLOSE, NOT_REJECTED, WRONG } expected; /* CLOSE: by intervals; NOT_REJECTED: the field test may leave it open */
typedef struct { const char *what, *given, *cand; expected e; as_cex_kind kind; } row;
static const row rows[] = {
  {"identity", HEAD "output Z = X + Y\n", HEAD "output Z = Y + X\n", SAME, 0},
  {"concatenating accumulator", HEAD "output Z = exp(X)\n",
   MUG "  grid x = J\n  loop l = L\n  load x [U, T] = X x -> 0 loop -> 1\n  e = exp(x)\n  acc c = concat e axis 1\n  store Z [U, N] = c x -> 0\nend\n", SAME, 0},
  {"maximum accumulator", HEAD "output Z = max(X)\n",
   MUG "  grid x = J\n  loop l = L\n  load x [U, T] = X x -> 0 loop -> 1\n  r = max(x)\n  acc c = max r\n  store Z [U] = c x -> 0\nend\n", SAME, 0},
  {"block outside, loop inside one axis", HEAD "output Z = sum(X)\n",
   "mugraph m\nsizes G, L, T\nwhere N = G * L * T\nkernel k\n  grid x = G\n  loop l = L\n  load x [M, T] = X x -> 1 loop -> 1\n  r = sum(x)\n  acc c = sum r\n  q = c[none, :]\n"
   "  store P [1, M] = q x -> 0\nend\nZ = sum(P, axis=0)\n", SAME, 0},
  {"tiles in order", HEAD "output Z = X * Y\n",
   "mugraph m\nsizes G, L, T\nwhere N = G * L * T\nkernel k\n  grid x = G\n  loop l = L\n  load x [M, T] = X x -> 1 loop -> 1\n  load y [M, T] = Y x -> 1 loop -> 1\n  p = x * y\n"
   "  acc c = concat p axis 1\n  store Z [M, L * T] = c x -> 1\nend\n", SAME, 0},
  {"tiles swapped", HEAD "output Z = X * Y\n",
   "mugraph m\nsizes G, T\nwhere N = G * T, M = G * T\nkernel k\n  grid x = G\n  load x [T, N] = X x -> 0\n  load y [M, T] = Y x -> 1\n  p = x * transpose(y)\n"
   "  store Z [T, N] = p x -> 0\nend\n", WRONG, AS_CEX_VALUE},
  {"relu by abs", HEAD "output Z = relu(X)\n", HEAD "output Z = (X + abs(X)) / 2\n", SAME, 0},
  {"minimum by maximum", HEAD "output Z = minimum(X, Y)\n", HEAD "output Z = X + Y - maximum(X, Y)\n", SAME, 0},
  {"root of a product", HEAD "output Z = sqrt(abs(X) * 4) + sqrt(abs(Y))\n", HEAD "output Z = sqrt(abs(Y)) + sqrt(abs(X)) * 2\n", SAME, 0},
  {"root of a square", HEAD "output Z = sqrt(X * X * abs(Y))\n", HEAD "output Z = abs(X) * sqrt(abs(Y))\n", NOT_REJECTED, 0},
  {"odd error function", HEAD "output Z = gelu(X) - gelu(-X)\n", HEAD "output Z = X * 1\n", NOT_REJECTED, 0},
  {"log of a sum of exponentials", HEAD "output Z = log(sum(exp(X)))\n", HEAD "m = max(X)\noutput Z = log(sum(exp(X - m[:, none]))) + m\n", CLOSE, 0},
  {"log of a product of exponentials", HEAD "output Z = log(exp(X) * exp(Y))\n", HEAD "output Z = X + Y\n", SAME, 0},
  {"exp of exp", HEAD "output Z = exp(exp(X))\n", HEAD "output Z = exp(exp(X) + 0)\n", CLOSE, 0},
  {"softmax without the shift", HEAD "output Z = softmax(X)\n", HEAD "e = exp(X)\nt = sum(e)\noutput Z = e / t[:, none]\n", SAME, 0},
  {"x / x is 1 where defined", HEAD "output Z = X / X\n", HEAD "output Z = X * 0 + 1\n", SAME, 0},
  {"large fixed size", "program p\nsizes M, N\nwhere N >= 20\ninput X: f32[M, N]\noutput Z = X[:, 3:19] * 2\n", "program p\nsizes M, N\nwhere N >= 20\ninput X: f32[M, N]\noutput Z = (X * 2)[:, 3:19]\n", SAME, 0},
  {"1 is not x / x", HEAD "output Z = X * 0 + 1\n", HEAD "output Z = X / X\n", WRONG, AS_CEX_UNDEFINED},
  {"division out of a sum that may be empty", HEAD0 "output Z = sum(X / s[:, none])\n", HEAD0 "output Z = sum(X) / s\n", WRONG, AS_CEX_UNDEFINED},
  {"relu is not the identity", HEAD "output Z = relu(X)\n", HEAD "output Z = X * 1\n", WRONG, AS_CEX_VALUE},
  {"root of a square is not x", HEAD "output Z = sqrt(X * X)\n", HEAD "output Z = X * 1\n", WRONG, AS_CEX_VALUE},
  {"another shape", HEAD "output Z = X * 1\n", HEAD "output Z = X[none, :, :]\n", WRONG, AS_CEX_SHAPE},
  {"transposed", HEAD "output Z = X * 1\n", HEAD "output Z = transpose(X)\n", WRONG, AS_CEX_SHAPE},
  {"exponentials", HEAD "output Z = exp(X + Y)\n", HEAD "output Z = exp(X) + exp(Y)\n", WRONG, AS_CEX_VALUE},
  {"close but wrong", HEAD "output Z = X / (1 + exp(-X))\n", HEAD "output Z = X / (1 + exp(-X)) + 0.0000001\n", WRONG, AS_CEX_VALUE},
  {"very close but wrong", HEAD "output Z = log(1 + exp(X))\n", HEAD "output Z = log(1 + exp(X)) * 1.000000000000000000001\n", WRONG, AS_CEX_VALUE},
  {"approximate erf", HEAD "output Z = gelu(X)\n", HEAD "output Z = X * sigmoid(1.702 * X)\n", WRONG, AS_CEX_VALUE},
  {"concatenation in the other order", HEAD "output Z = concat(X, Y)\n", HEAD "output Z = concat(Y, X)\n", WRONG, AS_CEX_VALUE},
  {"sum of squares", HEAD "output Z = sum(X * X)\n", HEAD "t = sum(X)\noutput Z = t * t\n", WRONG, AS_CEX_VALUE},
  {"one slice off", HEAD "output Z = X[:, 0:N - 1]\n", HEAD "output Z = X[:, 1:N]\n", WRONG, AS_CEX_VALUE},
};

static as_graph *read_graph(const char *text, as_sizes *S, const as_graph *given) {
  as_err e;
  as_err_init(&e);
  as_graph *g = strncmp(text, "mug", 3) ? as_parse_tp("pair.tp", text, strlen(text), S, lib, &e) : as_parse_mug("pair.mug", text, strlen(text), given, &e);
  if (!g) {
    char *m = as_err_format(&e);
    ck_abort_msg("%s", m);
  }
  as_err_clear(&e);
  return g;
}
static void check_row(const row *r) {
  as_sizes *S = as_sizes_new();
  as_graph *a = read_graph(r->given, S, NULL), *b = read_graph(r->cand, S, a);
  as_err e;
  as_err_init(&e);
  as_field_report f;
  as_status s = as_field_test(a, b, NULL, &f, &e);
  as_cex c;
  as_refute_budget budget = as_refute_default;
  budget.seconds = 2;
  if (r->e != WRONG) budget.max_size = 2;
  as_status q = as_refute(a, b, &budget, &c, &e);
  if (q == AS_NO) {
    char *t = as_cex_print(a, &c);
    printf("%s: field %d, refuter %d: %s", r->what, (int)s, (int)q, t);
    free(t);
  } else printf("%s: field %d (%llu same, %llu close, %llu unexplained), refuter %d\n", r->what, (int)s, (unsigned long long)f.same, (unsigned long long)f.close, (unsigned long long)f.unexplained, (int)q);
  if (r->e == WRONG) {
    /* the field test draws no zeros and no empty sizes: definedness at such points is the refuter's */
    ck_assert_msg(s == AS_NO || r->kind == AS_CEX_UNDEFINED, "%s: the field test says %d", r->what, (int)s);
    ck_assert_msg(q == AS_NO, "%s: not refuted (%s)", r->what, e.text ? e.text : "");
    ck_assert_msg(c.kind == r->kind, "%s: a counterexample of kind %d", r->what, (int)c.kind);
    ck_assert_int_eq(as_cex_replay(a, b, &c, &e), AS_NO);
    ck_assert_int_ne(as_cex_replay(a, a, &c, &e), AS_NO);
  } else {
    ck_assert_msg(s != AS_NO && q == AS_UNKNOWN, "%s: an equal pair is rejected", r->what);
    ck_assert_msg(s == AS_OK || r->e == NOT_REJECTED, "%s: the field test says %d (%s)", r->what, (int)s, e.text ? e.text : "");
    if (r->e == SAME) ck_assert_msg(f.same > 0, "%s: nothing compared in the field", r->what);
    if (r->e == CLOSE) ck_assert_msg(f.close > 0 && f.bound >= 1, "%s: a bound without field values", r->what);
    for (uint64_t seed = 100; seed < 110; seed++) {
      as_field_report f2;
      as_field_options o = as_field_default;
      o.seed = seed;
      o.p = f.p;
      o.q = f.q;
      ck_assert_msg(as_field_test(a, b, &o, &f2, &e) != AS_NO, "%s: rejected with seed %d", r->what, (int)seed);
      as_field_report_clear(&f2);
    }
  }
  as_cex_clear(&c);
  as_field_report_clear(&f);
  as_err_clear(&e);
  as_graph_free(b);
  as_graph_free(a);
  as_sizes_free(S);
}

START_TEST(pairs) { check_row(&rows[_i]); }
END_TEST

int main(void) {
  lib = load_lib();
  Suite *s = suite_create("pairs");
  TCase *c = tcase_create("pairs");
  tcase_set_timeout(c, 60);
  tcase_add_loop_test(c, pairs, 0, (int)(sizeof rows / sizeof *rows));
  suite_add_tcase(s, c);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  as_oplib_free(lib);
  return failed != 0;
}
