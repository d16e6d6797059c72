/* Every operator of the .sem files at random small shapes (0 and 1 included): exact = field =
 * double = intervals = hand-written reference. */
#include "../../semantics/domain_field.h"
#include "reference.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static as_oplib *lib;

static void one_call(const as_sample *g, as_rng *rng, as_agreement *t, const as_field_domain *F,
                     const as_domain *interval) {
  as_tensor exact[AS_MAX_ARGS];
  as_tensor out;
  double *plain[AS_MAX_ARGS];
  char *why;
  as_sample_inputs(g, rng, exact);
  for (uint32_t a = 0; a < g->op->nargs; a++) {
    plain[a] = as_calloc(exact[a].n + 1, sizeof(double));
    for (size_t k = 0; k < exact[a].n; k++) {
      const mpq_t *q = as_tensor_at(&exact[a], k);
      plain[a][k] = mpz_get_d(mpq_numref(*q)) / mpz_get_d(mpq_denref(*q));
    }
  }
  as_status s = as_sample_agree(g, exact, F, interval, t, &out, &why);
  ck_assert_msg(s == AS_OK, "%s: %s", g->op->name, why);
  int64_t ix[AS_MAX_RANK] = {0};
  for (size_t k = 0; k < out.n; k++) {
    bool known;
    double ref = reference(g, (const double *const *)plain, ix, &known);
    double v = *(double *)as_tensor_at(&out, k);
    ck_assert_msg(known, "%s has no reference: add it to tests/eval/reference.c", g->op->name);
    ck_assert_msg(isnan(ref) == isnan(v), "%s: reference %g, double %g", g->op->name, ref, v);
    if (!isnan(v)) {
      ck_assert_msg(fabs(ref - v) <= 1e-9 * fmax(1, fabs(v)), "%s: reference %.17g, double %.17g",
                    g->op->name, ref, v);
    }
    for (uint32_t i = g->outrank; i-- > 0;) {
      if (++ix[i] < g->outdim[i])
        break;
      ix[i] = 0;
    }
  }
  as_tensor_clear(&out);
  as_sample_inputs_clear(g, exact);
  for (uint32_t a = 0; a < g->op->nargs; a++)
    free(plain[a]);
}

START_TEST(every_operator) {
  as_rng rng;
  as_rng_seed(&rng, 20260101);
  as_field_domain F;
  as_field_domain_init(&F, &rng);
  printf("p = %llu, q = %llu\n", (unsigned long long)F.p, (unsigned long long)F.q);
  as_interval_domain I;
  as_interval_domain_init(&I, 128);
  for (uint32_t k = 0; k < as_oplib_count(lib); k++) {
    as_sample g;
    as_sample_init(&g, as_oplib_nth(lib, k));
    as_agreement t = {0};
    for (int i = 0; i < 60; i++) {
      if (!as_sample_next(&g, &rng, 3))
        break;
      one_call(&g, &rng, &t, &F, &I.d);
    }
    printf("%-12s %llu calls, %llu with an empty axis, %llu with an axis of 1, %llu elements: %llu "
           "exact, %llu of them in the field\n",
           g.op->name, (unsigned long long)t.calls, (unsigned long long)t.empty,
           (unsigned long long)t.ones, (unsigned long long)t.elements, (unsigned long long)t.exact,
           (unsigned long long)t.field);
    ck_assert_msg(t.calls >= 60 && t.elements > 20 && t.ones > 0, "%s: too few instances",
                  g.op->name);
    as_sample_clear(&g);
  }
  as_field_domain_clear(&F);
}

END_TEST

START_TEST(fast_enough) {
  const as_opdef *op = as_oplib_find(lib, "matmul");
  ck_assert_ptr_nonnull(op);
  as_sample g;
  as_sample_init(&g, op);
  int64_t d[2][2] = {{16, 256}, {256, 256}};
  as_tensor in[2];
  as_tensor out;
  const as_tensor *arg[2] = {&in[0], &in[1]};
  for (int a = 0; a < 2; a++) {
    g.arank[a] = 2;
    for (int i = 0; i < 2; i++)
      g.adim[a][i] = as_size_int(g.S, (long)d[a][i]);
    as_tensor_init(&in[a], &as_domain_double, d[a], 2);
    for (size_t k = 0; k < in[a].n; k++)
      ((double *)in[a].data)[k] = (double)(k % 7);
  }
  as_err e;
  as_err_init(&e);
  double start = as_now();
  as_opcode *c = as_opcode_new(g.S, op, (const as_size(*)[AS_MAX_RANK])g.adim, g.arank, 2, g.attr,
                               &as_domain_double, g.env, &e);
  ck_assert_ptr_nonnull(c);
  int64_t od[AS_MAX_RANK];
  uint32_t r;
  as_opcode_dims(c, od, &r);
  as_tensor_init(&out, &as_domain_double, od, r);
  ck_assert_int_eq(as_opcode_run(c, arg, &out, NULL, &e), AS_OK);
  printf("matmul 16x256x256 over doubles: %.3f s\n", as_now() - start);
  uint64_t few = 100;
  ck_assert_int_eq(as_opcode_run(c, arg, &out, &few, &e), AS_UNKNOWN);
  as_opcode_free(c);
  as_tensor_clear(&in[0]);
  as_tensor_clear(&in[1]);
  as_tensor_clear(&out);
  as_sample_clear(&g);
  as_err_clear(&e);
}

END_TEST

/* an index that leaves its tensor is an error, not a value */
START_TEST(out_of_bounds) {
  static const char text[] = "op shifted(x[n]) -> [n]\n  out[i] = x[i + 1]\nop before(x[n]; by = "
                             "1) -> [n]\n  out[i] = x[i - by]\n";

  static const struct {
    const char *op;
    int64_t n;
    as_status s;
  } want[] = {{"shifted", 3, AS_NO}, {"shifted", 0, AS_OK}, {"before", 2, AS_NO}};

  as_err e;
  as_err_init(&e);
  as_oplib *own = as_oplib_new();
  ck_assert_msg(as_oplib_parse(own, "own.sem", text, sizeof text - 1, &e), "%s", e.text);
  for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
    as_sample g;
    as_sample_init(&g, as_oplib_find(own, want[k].op));
    g.arank[0] = 1;
    g.adim[0][0] = as_size_int(g.S, (long)want[k].n);
    for (uint32_t i = 0; i < g.op->nattrs; i++)
      as_attr_set(&g.attr[i], &g.op->attr_default[i]);
    as_opcode *c = as_opcode_new(g.S, g.op, (const as_size(*)[AS_MAX_RANK])g.adim, g.arank, 1,
                                 g.attr, &as_domain_double, g.env, &e);
    ck_assert_ptr_nonnull(c);
    as_tensor in;
    as_tensor out;
    as_tensor_init(&in, &as_domain_double, &want[k].n, 1);
    as_tensor_init(&out, &as_domain_double, &want[k].n, 1);
    const as_tensor *arg[1] = {&in};
    ck_assert_int_eq(as_opcode_run(c, arg, &out, NULL, &e), want[k].s);
    as_opcode_free(c);
    as_tensor_clear(&in);
    as_tensor_clear(&out);
    as_sample_clear(&g);
  }
  as_err_clear(&e);
  as_oplib_free(own);
}

END_TEST

/* the field is a homomorphism: laws that hold for reals hold for random elements */
START_TEST(field_laws) {
  as_rng rng;
  as_rng_seed(&rng, 7);
  as_field_domain F;
  as_field_domain_init(&F, &rng);
  const as_domain *d = &F.d;
  char *v = as_dom_new(d, 8);
  mpq_t q;
  mpq_init(q);
#define X(i) AS_DOM_AT(d, v, i)
  long roots = 0;
  for (int t = 0; t < 200; t++) {
    as_field_random(&F, &rng, true, X(0), q);
    as_field_random(&F, &rng, true, X(1), q);
    /* exp(a + b) = exp a * exp b, log(exp a) = a, 1/exp a = exp(-a) */
    d->add(d, X(2), X(0), X(1));
    d->un(d, AS_U_EXP, X(2), X(2));
    d->un(d, AS_U_EXP, X(3), X(0));
    d->un(d, AS_U_EXP, X(4), X(1));
    d->mul(d, X(5), X(3), X(4));
    ck_assert_int_eq(as_field_compare(X(2), X(5)), AS_FC_SAME);
    ck_assert(!as_field_apart(X(2), X(5)));
    d->un(d, AS_U_LOG, X(6), X(5));
    d->add(d, X(7), X(0), X(1));
    ck_assert_int_eq(as_field_compare(X(6), X(7)), AS_FC_SAME);
    d->un(d, AS_U_INV, X(6), X(3));
    d->un(d, AS_U_NEG, X(7), X(0));
    d->un(d, AS_U_EXP, X(7), X(7));
    ck_assert_int_eq(as_field_compare(X(6), X(7)), AS_FC_SAME);
    /* roots: of a product, of a quotient, of four times */
    d->un(d, AS_U_SQRT, X(2), X(0));
    d->un(d, AS_U_SQRT, X(3), X(1));
    d->mul(d, X(4), X(0), X(1));
    d->un(d, AS_U_SQRT, X(4), X(4));
    d->mul(d, X(5), X(2), X(3));
    as_field_cmp c = as_field_compare(X(4), X(5));
    ck_assert(c == AS_FC_SAME || c == AS_FC_CLOSE);
    roots += c == AS_FC_SAME;
    as_dom_from_int(d, X(6), 60);
    d->mul(d, X(6), X(6), X(0));
    as_dom_from_int(d, X(7), 15);
    d->mul(d, X(7), X(7), X(0));
    d->un(d, AS_U_SQRT, X(6), X(6));
    d->un(d, AS_U_SQRT, X(7), X(7));
    d->add(d, X(7), X(7), X(7));
    c = as_field_compare(X(6), X(7));
    ck_assert(c == AS_FC_SAME || c == AS_FC_CLOSE);
    /* an exp of an exp has no field value but a real one */
    d->un(d, AS_U_EXP, X(3), X(0));
    d->un(d, AS_U_EXP, X(3), X(3));
    ck_assert_int_eq(as_field_compare(X(3), X(3)), AS_FC_CLOSE);
  }
  ck_assert_int_gt(roots, 20);
  mpq_clear(q);
  as_dom_free(d, v, 8);
  as_field_domain_clear(&F);
}

END_TEST

/* degrees and bounds, by hand */
START_TEST(bounds) {
  as_rng rng;
  as_rng_seed(&rng, 8);
  as_field_domain F;
  as_field_domain_init(&F, &rng);
  const as_domain *d = &F.d;
  char *v = as_dom_new(d, 8);
  mpq_t q;
  mpq_init(q);
  for (int i = 0; i < 3; i++)
    as_field_random(&F, &rng, true, X(i), q);
  double p = (double)F.p;
  double qq = (double)F.q;
  d->mul(d, X(3), X(0), X(1)); /* x y - z */
  as_field_bound b = as_field_error(&F, X(3), X(2));
  ck_assert(b.degree == 2 && b.exponentials == 1 && b.roots == 0 && b.affine &&
            fabs(b.bound - 2 / p) < 1e-25);
  d->un(d, AS_U_INV, X(4), X(1)); /* x - z / y: numerator x y - z */
  d->mul(d, X(4), X(2), X(4));
  b = as_field_error(&F, X(0), X(4));
  ck_assert(b.degree == 2);
  d->un(d, AS_U_EXP, X(5), X(0)); /* exp x - exp(y - z): degree at most 2, cleared of 1 + 2 */
  d->sub(d, X(6), X(1), X(2));
  d->un(d, AS_U_EXP, X(6), X(6));
  b = as_field_error(&F, X(5), X(6));
  ck_assert(b.affine && b.degree == 0 && b.exponentials == 2 && b.exp_degree == 5 &&
            fabs(b.bound - 5 / (qq - 1)) < 1e-25);
  d->un(d, AS_U_EXP, X(7), X(3)); /* exp(x y) - exp x: one half */
  b = as_field_error(&F, X(7), X(5));
  ck_assert(!b.affine && b.exp_degree == 2 && b.bound >= 0.5 && b.bound < 0.5001);
  do { /* a root: norm and chance of a square */
    as_field_random(&F, &rng, true, X(3), q);
    d->un(d, AS_U_SQRT, X(4), X(3));
  } while (as_field_compare(X(4), X(4)) != AS_FC_SAME);
  b = as_field_error(&F, X(4), X(0));
  ck_assert(b.roots == 1 && fabs(b.bound - 4 / p) < 1e-25);
  mpq_clear(q);
  as_dom_free(d, v, 8);
  as_field_domain_clear(&F);
}

END_TEST

int main(void) {
  lib = test_operators();
  TCase *tests = test_case("operators", 60);
  tcase_add_test(tests, every_operator);
  tcase_add_test(tests, fast_enough);
  tcase_add_test(tests, out_of_bounds);
  tcase_add_test(tests, field_laws);
  tcase_add_test(tests, bounds);
  int status = test_run("eval", tests);
  as_oplib_free(lib);
  return status;
}
