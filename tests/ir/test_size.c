/* Sizes: normal form against evaluation on random expressions, laws, printing. */
#include "../../src/ir/lex.h"
#include "../../src/ir/size.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

static as_size look(void *ctx, const char *name) {
  return as_size_find(ctx, name);
}

static as_size parse(as_sizes *S, const char *text, as_err *e) {
  as_lexed X;
  as_arena *mem = as_arena_new();
  as_size s = AS_SIZE_BAD;
  if (as_lex(&X, "size", text, strlen(text), mem, e))
    s = as_parse_size(&X, S, look, S);
  as_lexed_clear(&X);
  as_arena_free(mem);
  return s;
}

/* a random expression, and its value computed beside it; INT64_MIN where it has none */
static as_size grow(as_sizes *S, as_rng *r, int depth, const as_size *sym, const int64_t *env,
                    int64_t *value) {
  if (depth == 0 || as_rng_below(r, 5) == 0) {
    if (as_rng_below(r, 3) == 0) {
      *value = (int64_t)as_rng_below(r, 9) - 3;
      return as_size_int(S, (long)*value);
    }
    as_size s = sym[as_rng_below(r, 4)];
    *value = env[s];
    return s;
  }
  int64_t x;
  int64_t y;
  as_size a = grow(S, r, depth - 1, sym, env, &x);
  as_size b = grow(S, r, depth - 1, sym, env, &y);
  uint64_t op = as_rng_below(r, 5);
  bool none = x == INT64_MIN || y == INT64_MIN || (op > 2 && y < 1);
  int64_t q = none || op < 3 ? 0 : x / y - (x % y < 0);
  *value = none      ? INT64_MIN
           : op == 0 ? x + y
           : op == 1 ? x - y
           : op == 2 ? x * y
           : op == 3 ? q
                     : x - q * y;
  return op == 0   ? as_size_add(S, a, b)
         : op == 1 ? as_size_sub(S, a, b)
         : op == 2 ? as_size_mul(S, a, b)
         : op == 3 ? as_size_div(S, a, b)
                   : as_size_mod(S, a, b);
}

START_TEST(random_expressions) {
  as_rng r;
  as_rng_seed(&r, 20240611);
  unsigned compared = 0;
  for (int round = 0; round < 3000; round++) {
    as_sizes *S = as_sizes_new();
    as_size sym[4];
    int64_t *env = calloc(4096, sizeof *env);
    for (int i = 0; i < 4; i++) {
      char name[2] = {(char)('a' + i), 0};
      sym[i] = as_size_sym(S, name);
      env[sym[i]] = 1 + (int64_t)as_rng_below(&r, 6);
    }
    int64_t want;
    as_size s = grow(S, &r, 4, sym, env, &want);
    if (s != AS_SIZE_BAD && want != INT64_MIN) {
      ck_assert_int_eq(as_size_eval(S, s, env), want);
      char *text = as_size_print(S, s);
      char *again;
      as_err e;
      as_err_init(&e);
      as_size t = parse(S, text, &e);
      ck_assert_msg(t == s, "%s read back differently", text);
      as_sizes *C = as_sizes_copy(S);
      again = as_size_print(C, s);
      ck_assert_str_eq(again, text);
      ck_assert_uint_eq(as_size_add(C, s, sym[0]), as_size_add(S, s, sym[0]));
      as_size by = as_size_add(S, sym[1], AS_SIZE_ONE); /* substitution agrees with evaluation */
      int64_t direct = as_size_eval(S, as_size_subst(S, s, sym[0], by), env);
      env[sym[0]] = env[sym[1]] + 1;
      int64_t via = as_size_eval(S, s, env);
      if (direct != INT64_MIN && via != INT64_MIN)
        ck_assert_int_eq(direct, via);
      as_sizes_free(C);
      free(text);
      free(again);
      compared++;
    }
    free(env);
    as_sizes_free(S);
  }
  ck_assert_uint_gt(compared, 1500);
}

END_TEST

START_TEST(normal_form) {
  as_sizes *S = as_sizes_new();
  as_size D = as_size_sym(S, "D");
  as_size L = as_size_sym(S, "L");
  as_size T = as_size_sym(S, "T");
  as_size Z = as_size_sym(S, "Z");
  as_size_set_least(S, Z, 0);
  ck_assert_uint_eq(as_size_int(S, 0), 0);
  ck_assert_uint_eq(as_size_int(S, 1), AS_SIZE_ONE);
  ck_assert_uint_eq(as_size_mul(S, L, T), as_size_mul(S, T, L));
  as_size sum = as_size_add(S, L, T);
  as_size diff = as_size_sub(S, L, T);
  ck_assert_uint_eq(as_size_mul(S, sum, diff),
                    as_size_sub(S, as_size_mul(S, L, L), as_size_mul(S, T, T)));
  ck_assert_uint_eq(as_size_sub(S, sum, sum), 0);
  ck_assert_uint_eq(as_size_div(S, as_size_mul(S, L, T), T), L);
  ck_assert_uint_eq(as_size_mod(S, as_size_mul(S, L, T), T), 0);
  as_size odd = as_size_div(S, as_size_mul(S, L, Z), Z); /* Z may be 0: not L */
  ck_assert_uint_ne(odd, L);
  as_size num;
  as_size den;
  ck_assert_int_eq(as_size_atom(S, odd, &num, &den), AS_SIZE_DIV);
  ck_assert_uint_eq(as_size_div(S, as_size_int(S, -7), as_size_int(S, 2)), as_size_int(S, -4));
  ck_assert_uint_eq(as_size_mod(S, as_size_int(S, -7), as_size_int(S, 2)), 1);
  ck_assert_uint_eq(as_size_div(S, D, 0), AS_SIZE_BAD);
  ck_assert_uint_eq(as_size_add(S, AS_SIZE_BAD, D), AS_SIZE_BAD);
  as_size big = as_size_int(S, INT64_MAX);
  ck_assert_uint_eq(as_size_add(S, big, big), AS_SIZE_BAD);
  ck_assert_uint_eq(as_size_mul(S, as_size_mul(S, big, D), big), AS_SIZE_BAD);
  int64_t env[64] = {0};
  ck_assert_int_eq(as_size_eval(S, as_size_div(S, L, D), env), INT64_MIN);
  ck_assert_uint_eq(as_size_nth_sym(S, 2), T);
  ck_assert_uint_eq(as_size_nth_sym(S, 4), AS_SIZE_BAD);
  as_sizes_free(S);
}

END_TEST

START_TEST(printing) {
  static const char *const same[] = {
      "0",  "-1",   "D", "D*L + 2*T - 3", "D div L", "(D mod 4)*D", "(D + 1) div (L - 1)",
      "-D", "2*D*D"};
  as_sizes *S = as_sizes_new();
  as_err e;
  as_err_init(&e);
  as_size_sym(S, "T");
  as_size_sym(S, "L");
  as_size_sym(S, "D");
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    char *s = as_size_print(S, parse(S, same[i], &e));
    ck_assert_str_eq(s, same[i]);
    free(s);
  }
  static const char *const bad[] = {"D +",     "Q",  "1.5", "99999999999999999999",
                                    "D div 0", "(D", "",    "9223372036854775807*2",
                                    "1e400000"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ck_assert_msg(parse(S, bad[i], &e) == AS_SIZE_BAD, "%s", bad[i]);
    ck_assert_int_eq(e.status, AS_BAD_INPUT);
    as_err_clear(&e);
  }
  as_sizes_free(S);
}

END_TEST

int main(void) {
  TCase *tests = test_case("size", 60);
  tcase_add_test(tests, random_expressions);
  tcase_add_test(tests, normal_form);
  tcase_add_test(tests, printing);
  return test_run("size", tests);
}
