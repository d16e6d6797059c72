/* Abstract expressions: laws of the normal form, the subexpression question, and the same question
 * asked of Z3 in two ways. */
#include "search/abstract.h"
#include "search/prune_z3.h"
#include "src/base/rng.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include <stddef.h>
#include <stdlib.h>
#include <z3.h>

static ax_store *A;
static ax_id x;
static ax_id y;
static ax_id z;

static void setup(void) {
  A = ax_new();
  x = ax_tensor(A, 0, 0xf);  /* depends on classes 0 and 1 */
  y = ax_tensor(A, 1, 0xc);  /* on class 1 */
  z = ax_tensor(A, 2, 0x3c); /* on classes 1 and 2 */
}

static void teardown(void) {
  ax_free(A);
}

static ax_id sum1(ax_id a) {
  return ax_sum(A, a, 1, AX_BOTH, ax_size(A, 100), ax_size(A, 101));
}

START_TEST(laws) {
  ck_assert_uint_eq(ax_mul(A, x, ax_add(A, y, z)), ax_add(A, ax_mul(A, x, y), ax_mul(A, z, x)));
  ck_assert_uint_eq(ax_add(A, x, ax_neg(A, x)), AX_ZERO);
  ck_assert_uint_eq(ax_mul(A, x, ax_inv(A, x)), AX_ONE);
  ck_assert_uint_eq(ax_mul(A, ax_exp(A, x), ax_exp(A, y)), ax_exp(A, ax_add(A, x, y)));
  ck_assert_uint_eq(ax_inv(A, ax_exp(A, x)), ax_exp(A, ax_neg(A, x)));
  ck_assert_uint_eq(sum1(ax_mul(A, ax_tensor(A, 3, 3), y)),
                    ax_mul(A, ax_tensor(A, 3, 3), sum1(y))); /* what does not depend comes out */
  ck_assert_uint_eq(
      sum1(ax_tensor(A, 3, 3)),
      ax_mul(A, ax_tensor(A, 3, 3), ax_mul(A, ax_size(A, 100), ax_size(A, 101)))); /* n times */
  ax_id tile = ax_sum(A, y, 1, AX_TILE, AX_ONE, AX_ONE);
  ck_assert_uint_eq(ax_sum(A, tile, 1, AX_LOOP, AX_ONE, AX_ONE),
                    sum1(y)); /* tile sums accumulate to the sum */
  ax_id m = ax_extremum(A, true, x, 1, AX_TILE);
  ck_assert_uint_eq(ax_extremum(A, true, m, 1, AX_LOOP), ax_extremum(A, true, x, 1, AX_BOTH));
  ck_assert_uint_eq(ax_inv(A, AX_ZERO), AX_BAD);
  /* a sum in a denominator does not cancel against the sum's own body */
  ck_assert_uint_ne(ax_mul(A, y, ax_inv(A, sum1(y))), ax_inv(A, sum1(AX_ONE)));
}

END_TEST

/* Numbers too long to count with: the same where they are written alike, up to the sign, in no
 * product with a sum, and read back, in another store too. */
START_TEST(long_numbers) {
  static const char *const digits[] = {"1000000000000000000000000000000",
                                       "-1000000000000000000000000000000",
                                       "1/1000000000000000000000000000000"};
  mpq_t value;
  mpq_t back;
  mpq_inits(value, back, NULL);
  ax_store *other = ax_new();
  for (int i = 0; i < 3; i++) {
    mpq_set_str(value, digits[i], 10);
    ax_id number = ax_const(A, value);
    ck_assert_uint_ne(number, AX_BAD);
    ck_assert_uint_eq(number, ax_const(A, value));
    ck_assert_uint_eq(ax_add(A, number, ax_neg(A, number)), AX_ZERO);
    ck_assert(ax_long_number(A, number, back) && mpq_equal(value, back));
    ck_assert(ax_long_number(other, ax_copy_unit(other, A, number), back) &&
              mpq_equal(value, back));
    ck_assert(!ax_long_number(A, ax_mul(A, number, x), back));
    ck_assert_uint_eq(ax_mul(A, number, ax_add(A, x, AX_ONE)), AX_BAD);
    mpq_neg(value, value);
    ck_assert_uint_eq(ax_const(A, value), ax_neg(A, number));
    mpq_mul(value, value, value);
    ck_assert_uint_ne(ax_const(A, value), number);
  }
  mpq_set_si(value, 7, 2);
  ck_assert(!ax_long_number(A, ax_const(A, value), back) && !ax_long_number(A, x, back));
  mpq_clears(value, back, NULL);
  ax_free(other);
}

END_TEST

START_TEST(subexpressions) {
  ax_id n = ax_mul(A, x, ax_inv(A, ax_sqrt(A, sum1(ax_mul(A, x, x)))));
  ax_id t = sum1(ax_mul(A, n, z));
  ck_assert(ax_sub(A, x, t));
  ck_assert(ax_sub(A, ax_mul(A, x, z), t));
  ck_assert(ax_sub(A, sum1(ax_mul(A, x, z)), t));
  ck_assert(ax_sub(A, ax_mul(A, x, x), t)); /* inside the root */
  ck_assert(ax_sub(A, ax_sqrt(A, sum1(ax_mul(A, x, x))), t));
  ck_assert(!ax_sub(A, y, t));
  ck_assert(!ax_sub(A, ax_mul(A, z, z), t));
  ck_assert(!ax_sub(A, ax_exp(A, x), t));
  ck_assert(!ax_sub(A, ax_add(A, x, z), t));
  ax_id s = ax_add(A, x, ax_neg(A, y));
  ax_id u = ax_mul(A, s, z);
  ck_assert(ax_sub(A, s, u));
  ck_assert(!ax_sub(A, ax_add(A, y, ax_neg(A, x)), u)); /* one of a-b and b-a is enough */
  ck_assert(!ax_sub(A, ax_add(A, x, y), u));
  ax_id max = ax_extremum(A, true, x, 1, AX_BOTH);
  ax_id e = ax_exp(A, ax_add(A, x, ax_neg(A, max)));
  ck_assert(!ax_sub(A, ax_exp(A, x),
                    sum1(e))); /* an unshifted exponential is never a part of a shifted one */
  ck_assert(ax_sub(A, ax_extremum(A, true, x, 1, AX_TILE), sum1(e)));
  ck_assert(ax_rescalable(A, ax_mul(A, e, z), max));
  ck_assert(!ax_rescalable(A, x, max));
  ck_assert(!ax_rescalable(A, ax_mul(A, e, max), max));
}

END_TEST

static ax_id random_expr(as_rng *rng, int depth) {
  ax_id leaf[] = {x, y, z, ax_int(A, 2)};
  if (!depth)
    return leaf[as_rng_below(rng, 4)];
  ax_id a = random_expr(rng, depth - 1);
  ax_id b = random_expr(rng, depth - 1);
  ax_id out = AX_BAD;
  switch (as_rng_below(rng, 7)) {
  case 0:
    out = ax_add(A, a, b);
    break;
  case 1:
  case 2:
    out = ax_mul(A, a, b);
    break;
  case 3:
    out = sum1(a);
    break;
  case 4:
    out = ax_mul(A, a, ax_inv(A, b));
    break;
  case 5:
    out = ax_exp(A, a);
    break;
  default:
    out = ax_sqrt(A, a);
    break;
  }
  return out == AX_BAD || out == AX_ZERO ? a : out;
}

/* the exact test and Z3's arithmetic say the same, on pairs that are and pairs that are not */
START_TEST(z3_agrees) {
  as_rng rng;
  uint32_t yes = 0;
  uint32_t no = 0;
  void *s = sg_z3_new();
  as_rng_seed(&rng, 20260101);
  for (int i = 0; i < 600; i++) {
    ax_id t = random_expr(&rng, 3);
    ax_id a = random_expr(&rng, i % 3);
    if (i % 2) {
      ax_id part[16];
      uint32_t n = ax_arguments(A, t, part, 16);
      if (n)
        t = part[as_rng_below(&rng, n)];
    }
    if (ax_is_unit(A, a) || a == t)
      continue;
    int z3 = sg_z3_part_of(s, A, a, t);
    bool own = ax_sub_top(A, a, t);
    ck_assert_msg(z3 < 0 || own == (z3 == 1), "pair %d: %s in %s: exact %d, z3 %d", i,
                  ax_print(A, a), ax_print(A, t), own, z3);
    if (own)
      yes++;
    else
      no++;
  }
  ck_assert_uint_ge(yes, 20);
  ck_assert_uint_ge(no, 50);
  sg_z3_free(s);
}

END_TEST

enum { PLUS, MINUS, EITHER, TIMES, OVER, SUMMED, N_STEPS };

/* what a step makes of two operands; maybe: what is said of it before it is made */
static ax_id made_by(int step, ax_places *places, ax_id left, ax_id right, bool *maybe) {
  static const int8_t sign[][3] = {{1, 1, 0}, {1, -1, 0}, {1, 1, -1}};
  ax_id product = ax_mul(A, left, right);
  switch (step) {
  case PLUS:
  case MINUS:
  case EITHER:
    *maybe = ax_sum_may_fit(places, left, right, sign[step]);
    return step == PLUS    ? ax_add(A, left, right)
           : step == MINUS ? ax_add(A, left, ax_neg(A, right))
                           : ax_add(A, ax_add(A, left, right), ax_neg(A, product));
  case OVER:
    *maybe = ax_quotient_may_fit(places, left, right, false);
    return ax_mul(A, left, ax_inv(A, right));
  default:
    *maybe = ax_product_may_fit(places, left, right, step == SUMMED);
    return step == SUMMED && product != AX_BAD ? sum1(product) : product;
  }
}

/* what is said of a pair to lead nowhere makes no part of any target */
START_TEST(pairs_are_not_lost) {
  as_rng rng;
  uint32_t fits[N_STEPS] = {0};
  uint32_t left_out[N_STEPS] = {0};
  as_rng_seed(&rng, 20261123);
  for (int round = 0; round < 300; round++) {
    ax_id operand[16];
    ax_id target[3];
    for (int i = 0; i < 8; i++)
      operand[i] = random_expr(&rng, i % 3);
    for (int i = 8; i < 16; i++) { /* sums, some of the same with other signs */
      ax_id beside = operand[as_rng_below(&rng, 4)];
      ax_id sum = ax_add(A, operand[as_rng_below(&rng, 4)], i % 2 ? beside : ax_neg(A, beside));
      operand[i] = sum == AX_BAD || sum == AX_ZERO ? beside : sum;
    }
    for (int i = 0; i < 3; i++) { /* of these operands, so that pairs do fit */
      bool maybe;
      ax_places *none = ax_places_new(A, NULL, 0);
      ax_id first = made_by((int)as_rng_below(&rng, N_STEPS), none, operand[as_rng_below(&rng, 16)],
                            operand[as_rng_below(&rng, 16)], &maybe);
      ax_places_free(none);
      ax_id beside = first == AX_BAD ? AX_BAD : ax_add(A, first, operand[as_rng_below(&rng, 16)]);
      ax_id times = beside == AX_BAD ? AX_BAD : ax_mul(A, beside, random_expr(&rng, 1));
      target[i] = times != AX_BAD ? times : random_expr(&rng, 3);
    }
    ax_places *places = ax_places_new(A, target, 3);
    for (int k = 0; k < 16 * 16 * N_STEPS; k++) {
      ax_id left = operand[k % 16];
      ax_id right = operand[k / 16 % 16];
      bool maybe;
      ax_id made = made_by(k / 256, places, left, right, &maybe);
      bool is_part = false;
      for (int i = 0; i < 3; i++)
        is_part |= made != AX_BAD && ax_sub_top(A, made, target[i]);
      ck_assert_msg(maybe || !is_part, "round %d, step %d: %s and %s", round, k / 256,
                    ax_print(A, left), ax_print(A, right));
      fits[k / 256] += is_part;
      left_out[k / 256] += !maybe;
    }
    ax_places_free(places);
  }
  for (int step = 0; step < N_STEPS; step++) {
    ck_assert_msg(fits[step] > 200, "step %d: %u pairs fit", step, fits[step]);
    ck_assert_msg(left_out[step] > 10000, "step %d: %u left out", step, left_out[step]);
  }
}

END_TEST

/* where terms of the result merge or vanish, their ratios say nothing */
START_TEST(pairs_that_merge) {
  ax_id xz = ax_mul(A, x, z); /* terms come in the order in which they were made */
  ax_id left = ax_add(A, xz, ax_mul(A, x, y));
  left = ax_add(A, left, ax_mul(A, x, x));
  ax_id right = ax_add(A, y, z); /* x * z * y is x * y * z */
  ax_id whole[] = {ax_mul(A, left, right), right};
  ax_places *places = ax_places_new(A, whole, 1);
  ck_assert(ax_product_may_fit(places, left, right, false));
  ck_assert(!ax_product_may_fit(places, left, left, false));
  ax_places_free(places);
  const int8_t either[] = {1, 1, -1}; /* x + x * z and z: x + z is left */
  whole[0] = ax_add(A, x, z);
  places = ax_places_new(A, whole, 2);
  ck_assert(ax_sum_may_fit(places, ax_add(A, x, xz), z, either));
  ck_assert(!ax_sum_may_fit(places, x, z, either));
  ax_places_free(places);
}

END_TEST

/* the paper's axioms (quantified).  Z3 proves entailments; of the rest it says nothing, which must
 * never prune. */
static const char axioms[] =
    "(declare-sort E 0)(declare-fun add (E E) E)(declare-fun mul (E E) E)(declare-fun dv (E E) "
    "E)(declare-fun ex (E) E)(declare-fun sq (E) E)(declare-fun su (Int E) E)"
    "(declare-fun sub (E E) Bool)(declare-const x E)(declare-const y E)(declare-const z E)"
    "(assert (forall ((a E)(b E)) (! (sub a (add a b)) :pattern ((add a b)))))(assert (forall ((a "
    "E)(b E)) (! (sub a (mul a b)) :pattern ((mul a b)))))"
    "(assert (forall ((a E)(b E)) (! (= (add a b) (add b a)) :pattern ((add a b)))))(assert "
    "(forall ((a E)(b E)) (! (= (mul a b) (mul b a)) :pattern ((mul a b)))))"
    "(assert (forall ((a E)(b E)) (! (sub a (dv a b)) :pattern ((dv a b)))))(assert (forall ((a "
    "E)(b E)) (! (sub b (dv a b)) :pattern ((dv a b)))))"
    "(assert (forall ((a E)) (! (sub a (ex a)) :pattern ((ex a)))))(assert (forall ((a E)) (! (sub "
    "a (sq a)) :pattern ((sq a)))))"
    "(assert (forall ((i Int)(a E)) (! (sub a (su i a)) :pattern ((su i a)))))"
    "(assert (forall ((i Int)(a E)(b E)) (! (= (su i (mul a b)) (mul (su i a) b)) :pattern ((su i "
    "(mul a b))))))"
    "(assert (forall ((a E)(b E)(c E)) (! (= (mul (mul a b) c) (mul a (mul b c))) :pattern ((mul "
    "(mul a b) c)))))"
    "(assert (forall ((a E)(b E)(c E)) (! (= (mul (dv a b) c) (dv (mul a c) b)) :pattern ((mul (dv "
    "a b) c)))))"
    "(assert (forall ((i Int)(a E)(b E)) (! (= (su i (dv a b)) (dv (su i a) b)) :pattern ((su i "
    "(dv a b))))))"
    "(assert (forall ((a E)(b E)(c E)) (! (=> (and (sub a b) (sub b c)) (sub a c)) :pattern ((sub "
    "a b) (sub b c)))))"
    "(assert (forall ((a E)) (sub a a)))";

typedef struct {
  const char *text;
  ax_id e;
} both;

static int z3_axioms(const char *text, const char *t) {
  Z3_config cfg = Z3_mk_config();
  Z3_context c = Z3_mk_context(cfg);
  Z3_del_config(cfg);
  char *q = as_format("%s(assert (not (sub %s %s)))(set-option :timeout 400)(check-sat)", axioms,
                      text, t);
  const char *r = Z3_eval_smtlib2_string(c, q);
  int out = r[0] == 'u' && r[2] == 's' ? 1 : r[0] == 's' ? 0 : -1;
  free(q);
  Z3_del_context(c);
  return out;
}

START_TEST(paper_axioms) {
  ax_id xx = ax_mul(A, x, x);
  ax_id root = ax_sqrt(A, sum1(xx));
  ax_id xz = ax_mul(A, x, z);
  both t[] = {{"(dv (su 1 (mul x z)) (sq (su 1 (mul x x))))", ax_mul(A, sum1(xz), ax_inv(A, root))},
              {"(mul (ex (add x y)) z)", ax_mul(A, ax_exp(A, ax_add(A, x, y)), z)}};
  both s[] = {{"x", x},
              {"y", y},
              {"z", z},
              {"(mul x x)", xx},
              {"(mul x z)", xz},
              {"(su 1 (mul x z))", sum1(xz)},
              {"(su 1 (mul x x))", sum1(xx)},
              {"(sq (su 1 (mul x x)))", root},
              {"(add x y)", ax_add(A, x, y)},
              {"(mul z z)", ax_mul(A, z, z)},
              {"(ex (add x y))", ax_exp(A, ax_add(A, x, y))},
              {"(sq x)", ax_sqrt(A, x)}};
  uint32_t proved = 0;
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    for (size_t j = 0; j < sizeof s / sizeof *s; j++) {
      int z3 = z3_axioms(s[j].text, t[i].text);
      bool own = ax_sub(A, s[j].e, t[i].e);
      ck_assert_msg(!(z3 == 1 && !own) && !(z3 == 0 && own), "%s in %s: exact %d, axioms %d",
                    s[j].text, t[i].text, own, z3);
      proved += z3 == 1;
    }
  }
  ck_assert_uint_ge(proved, 8);
}

END_TEST

int main(void) {
  TCase *tests = test_case("expressions", 120);
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_add_test(tests, laws);
  tcase_add_test(tests, long_numbers);
  tcase_add_test(tests, subexpressions);
  tcase_add_test(tests, z3_agrees);
  tcase_add_test(tests, pairs_are_not_lost);
  tcase_add_test(tests, pairs_that_merge);
  tcase_add_test(tests, paper_axioms);
  return test_run("abstract", tests);
}
