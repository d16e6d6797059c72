/* Sizes: normal form against evaluation on random expressions, laws, printing. */
#include "../../src/ir/lex.h"
#include "../../src/ir/size.h"
#include "src/base/rng.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

static as_size look(void *ctx, const char *name) {
  return as_size_find(ctx, name);
}

static as_size parse(as_sizes *sizes, const char *text, as_err *err) {
  as_lexed lexed;
  as_arena *mem = as_arena_new();
  as_size size = AS_SIZE_BAD;
  if (as_lex(&lexed, "size", text, strlen(text), mem, err))
    size = as_parse_size(&lexed, sizes, look, sizes);
  as_lexed_clear(&lexed);
  as_arena_free(mem);
  return size;
}

/* a random expression, and its value computed beside it; INT64_MIN where it has none */
static as_size grow(as_sizes *sizes, as_rng *rng, int depth, const as_size *sym, const int64_t *env,
                    int64_t *value) {
  if (depth == 0 || as_rng_below(rng, 5) == 0) {
    if (as_rng_below(rng, 3) == 0) {
      *value = (int64_t)as_rng_below(rng, 9) - 3;
      return as_size_int(sizes, (long)*value);
    }
    as_size size = sym[as_rng_below(rng, 4)];
    *value = env[size];
    return size;
  }
  int64_t x;
  int64_t y;
  as_size a = grow(sizes, rng, depth - 1, sym, env, &x);
  as_size extent = grow(sizes, rng, depth - 1, sym, env, &y);
  uint64_t op = as_rng_below(rng, 5);
  bool none = x == INT64_MIN || y == INT64_MIN || (op > 2 && y < 1);
  int64_t q = none || op < 3 ? 0 : x / y - (x % y < 0);
  *value = none      ? INT64_MIN
           : op == 0 ? x + y
           : op == 1 ? x - y
           : op == 2 ? x * y
           : op == 3 ? q
                     : x - q * y;
  return op == 0   ? as_size_add(sizes, a, extent)
         : op == 1 ? as_size_sub(sizes, a, extent)
         : op == 2 ? as_size_mul(sizes, a, extent)
         : op == 3 ? as_size_div(sizes, a, extent)
                   : as_size_mod(sizes, a, extent);
}

START_TEST(random_expressions) {
  as_rng rng;
  as_rng_seed(&rng, 20240611);
  unsigned compared = 0;
  for (int round = 0; round < 3000; round++) {
    as_sizes *sizes = as_sizes_new();
    as_size sym[4];
    int64_t *env = calloc(4096, sizeof *env);
    for (int i = 0; i < 4; i++) {
      char name[2] = {(char)('a' + i), 0};
      sym[i] = as_size_sym(sizes, name);
      env[sym[i]] = 1 + (int64_t)as_rng_below(&rng, 6);
    }
    int64_t want;
    as_size size = grow(sizes, &rng, 4, sym, env, &want);
    if (size != AS_SIZE_BAD && want != INT64_MIN) {
      ck_assert_int_eq(as_size_eval(sizes, size, env), want);
      char *text = as_size_print(sizes, size);
      char *again;
      as_err err;
      as_err_init(&err);
      as_size t = parse(sizes, text, &err);
      ck_assert_msg(t == size, "%s read back differently", text);
      as_sizes *copy = as_sizes_copy(sizes);
      again = as_size_print(copy, size);
      ck_assert_str_eq(again, text);
      ck_assert_uint_eq(as_size_add(copy, size, sym[0]), as_size_add(sizes, size, sym[0]));
      as_size extent =
          as_size_add(sizes, sym[1], AS_SIZE_ONE); /* substitution agrees with evaluation */
      int64_t direct = as_size_eval(sizes, as_size_subst(sizes, size, sym[0], extent), env);
      env[sym[0]] = env[sym[1]] + 1;
      int64_t via = as_size_eval(sizes, size, env);
      if (direct != INT64_MIN && via != INT64_MIN)
        ck_assert_int_eq(direct, via);
      as_sizes_free(copy);
      free(text);
      free(again);
      compared++;
    }
    free(env);
    as_sizes_free(sizes);
  }
  ck_assert_uint_gt(compared, 1500);
}

END_TEST

START_TEST(normal_form) {
  as_sizes *sizes = as_sizes_new();
  as_size D = as_size_sym(sizes, "D");
  as_size L = as_size_sym(sizes, "L");
  as_size extent = as_size_sym(sizes, "T");
  as_size size = as_size_sym(sizes, "Z");
  as_size_set_least(sizes, size, 0);
  ck_assert_uint_eq(as_size_int(sizes, 0), 0);
  ck_assert_uint_eq(as_size_int(sizes, 1), AS_SIZE_ONE);
  ck_assert_uint_eq(as_size_mul(sizes, L, extent), as_size_mul(sizes, extent, L));
  as_size sum = as_size_add(sizes, L, extent);
  as_size diff = as_size_sub(sizes, L, extent);
  ck_assert_uint_eq(as_size_mul(sizes, sum, diff), as_size_sub(sizes, as_size_mul(sizes, L, L),
                                                               as_size_mul(sizes, extent, extent)));
  ck_assert_uint_eq(as_size_sub(sizes, sum, sum), 0);
  ck_assert_uint_eq(as_size_div(sizes, as_size_mul(sizes, L, extent), extent), L);
  ck_assert_uint_eq(as_size_mod(sizes, as_size_mul(sizes, L, extent), extent), 0);
  ck_assert_uint_eq(as_size_mod(sizes, sum, sum), 0); /* channels that were joined, of one group */
  ck_assert_uint_eq(as_size_div(sizes, as_size_mul(sizes, sum, D), sum), D);
  as_size by_one_more = as_size_mul(sizes, sum, as_size_add(sizes, diff, AS_SIZE_ONE));
  ck_assert_uint_eq(as_size_div(sizes, by_one_more, sum), as_size_add(sizes, diff, AS_SIZE_ONE));
  ck_assert_uint_ne(as_size_mod(sizes, as_size_add(sizes, by_one_more, AS_SIZE_ONE), sum), 0);
  ck_assert_uint_ne(as_size_mod(sizes, diff, diff), 0); /* L - T may be 0 */
  as_size perhaps = as_size_add(sizes, size, size);     /* so may 2 * Z */
  ck_assert_uint_ne(as_size_div(sizes, perhaps, perhaps), AS_SIZE_ONE);
  /* what a window of stride 2 leaves of L is at least 1, of Z perhaps nothing */
  as_size two = as_size_int(sizes, 2);
  as_size less = as_size_sub(sizes, L, AS_SIZE_ONE);
  as_size left = as_size_add(sizes, as_size_div(sizes, less, two), AS_SIZE_ONE);
  ck_assert_uint_eq(as_size_mod(sizes, as_size_mul(sizes, left, D), left), 0);
  as_size none = as_size_div(sizes, as_size_add(sizes, size, AS_SIZE_ONE), two);
  ck_assert_uint_ne(as_size_mod(sizes, none, none), 0);
  as_size below = as_size_add(sizes, as_size_sub(sizes, size, AS_SIZE_ONE), AS_SIZE_ONE);
  ck_assert_uint_eq(below, size);
  as_size lower = as_size_div(sizes, as_size_sub(sizes, size, AS_SIZE_ONE), two); /* -1 at Z = 0 */
  lower = as_size_add(sizes, lower, AS_SIZE_ONE);
  ck_assert_uint_ne(as_size_mod(sizes, lower, lower), 0);
  as_size odd = as_size_div(sizes, as_size_mul(sizes, L, size), size); /* Z may be 0: not L */
  ck_assert_uint_ne(odd, L);
  as_size num;
  as_size den;
  ck_assert_int_eq(as_size_atom(sizes, odd, &num, &den), AS_SIZE_DIV);
  ck_assert_uint_eq(as_size_div(sizes, as_size_int(sizes, -7), as_size_int(sizes, 2)),
                    as_size_int(sizes, -4));
  ck_assert_uint_eq(as_size_mod(sizes, as_size_int(sizes, -7), as_size_int(sizes, 2)), 1);
  ck_assert_uint_eq(as_size_div(sizes, D, 0), AS_SIZE_BAD);
  ck_assert_uint_eq(as_size_add(sizes, AS_SIZE_BAD, D), AS_SIZE_BAD);
  as_size big = as_size_int(sizes, INT64_MAX);
  ck_assert_uint_eq(as_size_add(sizes, big, big), AS_SIZE_BAD);
  ck_assert_uint_eq(as_size_mul(sizes, as_size_mul(sizes, big, D), big), AS_SIZE_BAD);
  int64_t env[64] = {0};
  ck_assert_int_eq(as_size_eval(sizes, as_size_div(sizes, L, D), env), INT64_MIN);
  ck_assert_uint_eq(as_size_nth_sym(sizes, 2), extent);
  ck_assert_uint_eq(as_size_nth_sym(sizes, 4), AS_SIZE_BAD);
  as_sizes_free(sizes);
}

END_TEST

START_TEST(printing) {
  static const char *const same[] = {
      "0", "-1", "D", "D*L + 2*T - 3", "D div L", "(D mod 4)*D", "(D + 1) div (L - 1)", "-D",
      "2*D*D",
      /* numbers of tiles, which the claim reads as what is covered and the tile */
      "(120 + T - 1) div T", "(D + T - 1) div T", "(T - 1) div T", "(2*T + 3) div T"};
  as_sizes *sizes = as_sizes_new();
  as_err err;
  as_err_init(&err);
  as_size_sym(sizes, "T");
  as_size_sym(sizes, "L");
  as_size_sym(sizes, "D");
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    char *text = as_size_print(sizes, parse(sizes, same[i], &err));
    ck_assert_str_eq(text, same[i]);
    free(text);
  }
  static const char *const bad[] = {"D +",     "Q",  "1.5", "99999999999999999999",
                                    "D div 0", "(D", "",    "9223372036854775807*2",
                                    "1e400000"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ck_assert_msg(parse(sizes, bad[i], &err) == AS_SIZE_BAD, "%s", bad[i]);
    ck_assert_int_eq(err.status, AS_BAD_INPUT);
    as_err_clear(&err);
  }
  as_sizes_free(sizes);
}

END_TEST

int main(void) {
  TCase *tests = test_case("size", 60);
  tcase_add_test(tests, random_expressions);
  tcase_add_test(tests, normal_form);
  tcase_add_test(tests, printing);
  return test_run("size", tests);
}
