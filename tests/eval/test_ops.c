/* Every operator of the .sem files at random small shapes (0 and 1 included): exact = field =
 * double = intervals = hand-written reference. */
#include "../../semantics/domain_field.h"
#include "reference.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static as_oplib *lib;

static void one_call(const as_sample *sample, as_rng *rng, as_agreement *tally,
                     const as_field_domain *field, const as_domain *interval) {
  as_tensor exact[AS_MAX_ARGS];
  as_tensor out;
  double *plain[AS_MAX_ARGS];
  char *why;
  as_sample_inputs(sample, rng, exact);
  for (uint32_t a = 0; a < sample->op->nargs; a++) {
    plain[a] = as_calloc(exact[a].n + 1, sizeof(double));
    for (size_t k = 0; k < exact[a].n; k++) {
      const mpq_t *value = as_tensor_at(&exact[a], k);
      plain[a][k] = mpz_get_d(mpq_numref(*value)) / mpz_get_d(mpq_denref(*value));
    }
  }
  as_status status = as_sample_agree(sample, exact, field, interval, tally, &out, &why);
  ck_assert_msg(status == AS_OK, "%s: %s", sample->op->name, why);
  int64_t index[AS_MAX_RANK] = {0};
  for (size_t k = 0; k < out.n; k++) {
    bool known;
    double ref = reference(sample, (const double *const *)plain, index, &known);
    double v = *(double *)as_tensor_at(&out, k);
    ck_assert_msg(known, "%s has no reference: add it to tests/eval/reference.c", sample->op->name);
    ck_assert_msg(isnan(ref) == isnan(v), "%s: reference %g, double %g", sample->op->name, ref, v);
    if (!isnan(v)) {
      ck_assert_msg(fabs(ref - v) <= 1e-9 * fmax(1, fabs(v)), "%s: reference %.17g, double %.17g",
                    sample->op->name, ref, v);
    }
    for (uint32_t i = sample->outrank; i-- > 0;) {
      if (++index[i] < sample->outdim[i])
        break;
      index[i] = 0;
    }
  }
  as_tensor_clear(&out);
  as_sample_inputs_clear(sample, exact);
  for (uint32_t a = 0; a < sample->op->nargs; a++)
    free(plain[a]);
}

START_TEST(every_operator) {
  as_rng rng;
  as_rng_seed(&rng, 20260101);
  as_field_domain field;
  as_field_domain_init(&field, &rng);
  printf("p = %llu, q = %llu\n", (unsigned long long)field.p, (unsigned long long)field.q);
  as_interval_domain intervals;
  as_interval_domain_init(&intervals, 128);
  for (uint32_t k = 0; k < as_oplib_count(lib); k++) {
    as_sample sample;
    as_sample_init(&sample, as_oplib_nth(lib, k));
    as_agreement tally = {0};
    for (int i = 0; i < 60; i++) {
      if (!as_sample_next(&sample, &rng, 3))
        break;
      one_call(&sample, &rng, &tally, &field, &intervals.d);
    }
    printf("%-12s %llu calls, %llu with an empty axis, %llu with an axis of 1, %llu elements: %llu "
           "exact, %llu of them in the field\n",
           sample.op->name, (unsigned long long)tally.calls, (unsigned long long)tally.empty,
           (unsigned long long)tally.ones, (unsigned long long)tally.elements,
           (unsigned long long)tally.exact, (unsigned long long)tally.field);
    ck_assert_msg(tally.calls >= 60 && tally.elements > 20 && tally.ones > 0,
                  "%s: too few instances", sample.op->name);
    as_sample_clear(&sample);
  }
  as_field_domain_clear(&field);
}

END_TEST

START_TEST(fast_enough) {
  const as_opdef *op = as_oplib_find(lib, "matmul");
  ck_assert_ptr_nonnull(op);
  as_sample sample;
  as_sample_init(&sample, op);
  int64_t d[2][2] = {{16, 256}, {256, 256}};
  as_tensor inputs[2];
  as_tensor out;
  const as_tensor *arg[2] = {&inputs[0], &inputs[1]};
  for (int a = 0; a < 2; a++) {
    sample.arank[a] = 2;
    for (int i = 0; i < 2; i++)
      sample.adim[a][i] = as_size_int(sample.S, (long)d[a][i]);
    as_tensor_init(&inputs[a], &as_domain_double, d[a], 2);
    for (size_t k = 0; k < inputs[a].n; k++)
      ((double *)inputs[a].data)[k] = (double)(k % 7);
  }
  as_err err;
  as_err_init(&err);
  double start = as_now();
  as_opcode *opcode =
      as_opcode_new(sample.S, op, (const as_size(*)[AS_MAX_RANK])sample.adim, sample.arank, 2,
                    sample.attr, &as_domain_double, sample.env, &err);
  ck_assert_ptr_nonnull(opcode);
  int64_t od[AS_MAX_RANK];
  uint32_t r;
  as_opcode_dims(opcode, od, &r);
  as_tensor_init(&out, &as_domain_double, od, r);
  ck_assert_int_eq(as_opcode_run(opcode, arg, &out, NULL, &err), AS_OK);
  printf("matmul 16x256x256 over doubles: %.3f s\n", as_now() - start);
  uint64_t few = 100;
  ck_assert_int_eq(as_opcode_run(opcode, arg, &out, &few, &err), AS_UNKNOWN);
  as_opcode_free(opcode);
  as_tensor_clear(&inputs[0]);
  as_tensor_clear(&inputs[1]);
  as_tensor_clear(&out);
  as_sample_clear(&sample);
  as_err_clear(&err);
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

  as_err err;
  as_err_init(&err);
  as_oplib *own = as_oplib_new();
  ck_assert_msg(as_oplib_parse(own, "own.sem", text, sizeof text - 1, &err), "%s", err.text);
  for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
    as_sample sample;
    as_sample_init(&sample, as_oplib_find(own, want[k].op));
    sample.arank[0] = 1;
    sample.adim[0][0] = as_size_int(sample.S, (long)want[k].n);
    for (uint32_t i = 0; i < sample.op->nattrs; i++)
      as_attr_set(&sample.attr[i], &sample.op->attr_default[i]);
    as_opcode *opcode =
        as_opcode_new(sample.S, sample.op, (const as_size(*)[AS_MAX_RANK])sample.adim, sample.arank,
                      1, sample.attr, &as_domain_double, sample.env, &err);
    ck_assert_ptr_nonnull(opcode);
    as_tensor inputs;
    as_tensor out;
    as_tensor_init(&inputs, &as_domain_double, &want[k].n, 1);
    as_tensor_init(&out, &as_domain_double, &want[k].n, 1);
    const as_tensor *arg[1] = {&inputs};
    ck_assert_int_eq(as_opcode_run(opcode, arg, &out, NULL, &err), want[k].s);
    as_opcode_free(opcode);
    as_tensor_clear(&inputs);
    as_tensor_clear(&out);
    as_sample_clear(&sample);
  }
  as_err_clear(&err);
  as_oplib_free(own);
}

END_TEST

/* the field is a homomorphism: laws that hold for reals hold for random elements */
START_TEST(field_laws) {
  as_rng rng;
  as_rng_seed(&rng, 7);
  as_field_domain field;
  as_field_domain_init(&field, &rng);
  const as_domain *domain = &field.d;
  char *v = as_dom_new(domain, 8);
  mpq_t value;
  mpq_init(value);
#define X(i) AS_DOM_AT(domain, v, i)
  long roots = 0;
  for (int t = 0; t < 200; t++) {
    as_field_random(&field, &rng, true, X(0), value);
    as_field_random(&field, &rng, true, X(1), value);
    /* exp(a + b) = exp a * exp b, log(exp a) = a, 1/exp a = exp(-a) */
    domain->add(domain, X(2), X(0), X(1));
    domain->un(domain, AS_U_EXP, X(2), X(2));
    domain->un(domain, AS_U_EXP, X(3), X(0));
    domain->un(domain, AS_U_EXP, X(4), X(1));
    domain->mul(domain, X(5), X(3), X(4));
    ck_assert_int_eq(as_field_compare(X(2), X(5)), AS_FC_SAME);
    ck_assert(!as_field_apart(X(2), X(5)));
    domain->un(domain, AS_U_LOG, X(6), X(5));
    domain->add(domain, X(7), X(0), X(1));
    ck_assert_int_eq(as_field_compare(X(6), X(7)), AS_FC_SAME);
    domain->un(domain, AS_U_INV, X(6), X(3));
    domain->un(domain, AS_U_NEG, X(7), X(0));
    domain->un(domain, AS_U_EXP, X(7), X(7));
    ck_assert_int_eq(as_field_compare(X(6), X(7)), AS_FC_SAME);
    /* roots: of a product, of a quotient, of four times */
    domain->un(domain, AS_U_SQRT, X(2), X(0));
    domain->un(domain, AS_U_SQRT, X(3), X(1));
    domain->mul(domain, X(4), X(0), X(1));
    domain->un(domain, AS_U_SQRT, X(4), X(4));
    domain->mul(domain, X(5), X(2), X(3));
    as_field_cmp c = as_field_compare(X(4), X(5));
    ck_assert(c == AS_FC_SAME || c == AS_FC_CLOSE);
    roots += c == AS_FC_SAME;
    as_dom_from_int(domain, X(6), 60);
    domain->mul(domain, X(6), X(6), X(0));
    as_dom_from_int(domain, X(7), 15);
    domain->mul(domain, X(7), X(7), X(0));
    domain->un(domain, AS_U_SQRT, X(6), X(6));
    domain->un(domain, AS_U_SQRT, X(7), X(7));
    domain->add(domain, X(7), X(7), X(7));
    c = as_field_compare(X(6), X(7));
    ck_assert(c == AS_FC_SAME || c == AS_FC_CLOSE);
    /* an exp of an exp has no field value but a real one */
    domain->un(domain, AS_U_EXP, X(3), X(0));
    domain->un(domain, AS_U_EXP, X(3), X(3));
    ck_assert_int_eq(as_field_compare(X(3), X(3)), AS_FC_CLOSE);
  }
  ck_assert_int_gt(roots, 20);
  mpq_clear(value);
  as_dom_free(domain, v, 8);
  as_field_domain_clear(&field);
}

END_TEST

/* degrees and bounds, by hand */
START_TEST(bounds) {
  as_rng rng;
  as_rng_seed(&rng, 8);
  as_field_domain field;
  as_field_domain_init(&field, &rng);
  const as_domain *domain = &field.d;
  char *v = as_dom_new(domain, 8);
  mpq_t value;
  mpq_init(value);
  for (int i = 0; i < 3; i++)
    as_field_random(&field, &rng, true, X(i), value);
  double p = (double)field.p;
  double qq = (double)field.q;
  domain->mul(domain, X(3), X(0), X(1)); /* x y - z */
  as_field_bound b = as_field_error(&field, X(3), X(2));
  ck_assert(b.degree == 2 && b.exponentials == 1 && b.roots == 0 && b.affine &&
            fabs(b.bound - 2 / p) < 1e-25);
  domain->un(domain, AS_U_INV, X(4), X(1)); /* x - z / y: numerator x y - z */
  domain->mul(domain, X(4), X(2), X(4));
  b = as_field_error(&field, X(0), X(4));
  ck_assert(b.degree == 2);
  domain->un(domain, AS_U_EXP, X(5),
             X(0)); /* exp x - exp(y - z): degree at most 2, cleared of 1 + 2 */
  domain->sub(domain, X(6), X(1), X(2));
  domain->un(domain, AS_U_EXP, X(6), X(6));
  b = as_field_error(&field, X(5), X(6));
  ck_assert(b.affine && b.degree == 0 && b.exponentials == 2 && b.exp_degree == 5 &&
            fabs(b.bound - 5 / (qq - 1)) < 1e-25);
  domain->un(domain, AS_U_EXP, X(7), X(3)); /* exp(x y) - exp x: one half */
  b = as_field_error(&field, X(7), X(5));
  ck_assert(!b.affine && b.exp_degree == 2 && b.bound >= 0.5 && b.bound < 0.5001);
  do { /* a root: norm and chance of a square */
    as_field_random(&field, &rng, true, X(3), value);
    domain->un(domain, AS_U_SQRT, X(4), X(3));
  } while (as_field_compare(X(4), X(4)) != AS_FC_SAME);
  b = as_field_error(&field, X(4), X(0));
  ck_assert(b.roots == 1 && fabs(b.bound - 4 / p) < 1e-25);
  mpq_clear(value);
  as_dom_free(domain, v, 8);
  as_field_domain_clear(&field);
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
