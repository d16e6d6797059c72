/* The base: errors, memory, strings, hashes, tables, random numbers, threads, files. */
#include "../../src/base/intern.h"
#include "../../src/base/map.h"
#include "../../src/base/trace.h"
#include "src/base/file.h"
#include "src/base/hash.h"
#include "src/base/pool.h"
#include "src/base/rng.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

START_TEST(errors_keep_the_first) {
  as_err err;
  as_err_init(&err);
  const char *text = "one\n\ttwo three\nfour\n";
  ck_assert(!as_err_at(&err, "a.tp", text, strlen(text), 2, 6, "no %s", "way"));
  as_err_set(&err, AS_INTERNAL, "second");
  ck_assert_int_eq(err.status, AS_BAD_INPUT);
  char *s = as_err_format(&err);
  ck_assert_str_eq(s, "a.tp:2:6: no way\n   two three\n       ^");
  free(s);
  as_err_clear(&err);
  ck_assert(!as_err_at(&err, "b", "x", 1, 7, 3, "past the end"));
  s = as_err_format(&err);
  ck_assert_str_eq(s, "b:7:3: past the end");
  free(s);
  as_err_clear(&err);
  as_err_set(NULL, AS_NO, "nowhere to go");
}

END_TEST

START_TEST(binary_lines_are_shown_safely) {
  as_err err;
  as_err_init(&err);
  as_err_at(&err, "bin", "\x01\x80\x7f\0z", 5, 1, 1, "x");
  ck_assert_str_eq(err.shown, "????z");
  as_err_clear(&err);
}

END_TEST

START_TEST(arenas) {
  as_arena *arena = as_arena_new();
  for (size_t round = 0; round < 3; round++) {
    for (size_t n = 1; n < 3000; n += 7) {
      unsigned char *p = as_arena_alloc(arena, n);
      ck_assert_uint_eq((uintptr_t)p % 16, 0);
      size_t set = 0;
      for (size_t i = 0; i < n; i++)
        set += p[i] != 0;
      ck_assert_uint_eq(set, 0);
      memset(p, 0xff, n);
    }
    char *big = as_arena_alloc(arena, 1 << 20);
    ck_assert_int_eq(big[(1 << 20) - 1], 0);
    ck_assert_str_eq(as_arena_strdup(arena, "kept"), "kept");
    as_arena_reset(arena);
  }
  as_arena_free(arena);
  as_arena_free(NULL);
}

END_TEST

START_TEST(vectors_and_strings) {
  as_vec vec;
  as_vec_init(&vec, sizeof(int));
  for (int i = 0; i < 1000; i++)
    as_vec_push(&vec, &i);
  ck_assert_int_eq(*(int *)as_vec_push(&vec, NULL), 0);
  for (int i = 0; i < 1000; i++)
    ck_assert_int_eq(AS_VEC_AT(&vec, int, i), i);
  as_vec_clear(&vec);
  ck_assert_uint_eq(vec.n, 0);
  as_str out;
  as_str_init(&out);
  for (int i = 0; i < 100; i++)
    as_str_printf(&out, "%d,", i);
  as_str_addn(&out, "abc", 2);
  char *text = as_str_take(&out);
  ck_assert(strncmp(text, "0,1,2,", 6) == 0 && strcmp(text + strlen(text) - 5, "99,ab") == 0);
  free(text);
  text = as_str_take(&out);
  ck_assert_str_eq(text, "");
  free(text);
}

END_TEST

START_TEST(lists_without_a_word) {
  static const struct {
    const char *list;
    const char *rest;
    bool had;
  } row[] = {{"", "", false},
             {"trial", "", true},
             {"a,trial,b", "a,b", true},
             {"trial,a,trial", "a", true},
             {"a,b", "a,b", false},
             {"trials,a", "trials,a", false}};

  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    bool had = false;
    char *rest = as_list_without(row[i].list, "trial", &had);
    ck_assert_str_eq(rest, row[i].rest);
    ck_assert(had == row[i].had);
    free(rest);
  }
}

END_TEST

START_TEST(sha256_vectors) { /* FIPS 180-4 examples, and lengths around the padding's edges against
                                a streaming property */
  char h[65];
  as_sha256("abc", 3, h);
  ck_assert_str_eq(h, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  as_sha256("", 0, h);
  ck_assert_str_eq(h, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  as_sha256(two, strlen(two), h);
  ck_assert_str_eq(h, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  char *million = as_malloc(1000000);
  memset(million, 'a', 1000000);
  as_sha256(million, 1000000, h);
  ck_assert_str_eq(h, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  free(million);
}

END_TEST

START_TEST(random_numbers) {
  as_rng a;
  as_rng rng;
  as_rng_seed(&a, 42);
  as_rng_seed(&rng, 42);
  uint64_t seen[7] = {0};
  for (int i = 0; i < 7000; i++) {
    ck_assert_uint_eq(as_rng_next(&a), as_rng_next(&rng));
    seen[as_rng_below(&a, 7)]++;
    as_rng_below(&rng, 7);
    double u = as_rng_unit(&a);
    ck_assert(u >= 0 && u < 1);
    as_rng_unit(&rng);
  }
  for (int i = 0; i < 7; i++)
    ck_assert(seen[i] > 850 && seen[i] < 1150);
  as_rng_seed(&a, 1);
  as_rng_seed(&rng, 2);
  ck_assert_uint_ne(as_rng_next(&a), as_rng_next(&rng));
}

END_TEST

static void square(void *arg, size_t i) {
  ((size_t *)arg)[i] = i * i;
}

START_TEST(parallel_covers_all) {
  for (unsigned threads = 0; threads < 6; threads++) {
    size_t v[500] = {0};
    as_parallel(threads, 500, square, v);
    for (size_t i = 0; i < 500; i++)
      ck_assert_uint_eq(v[i], i * i);
  }
  as_parallel(4, 0, square, NULL);
}

END_TEST

START_TEST(files) {
  as_err err;
  as_err_init(&err);
  char dir[] = "base-test-XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(dir));
  char *path = as_format("%s/f", dir);
  ck_assert(as_write_file(path, "a\0b", 3, &err));
  size_t n;
  char *text = as_read_file(path, &n, &err);
  ck_assert(text && n == 3 && memcmp(text, "a\0b", 4) == 0);
  free(text);
  ck_assert_ptr_null(as_read_file(dir, &n, &err));
  ck_assert_int_eq(err.status, AS_BAD_INPUT);
  as_err_clear(&err);
  char *lost = as_format("%s/none/f", dir);
  ck_assert(!as_write_file(lost, "x", 1, &err));
  ck_assert_ptr_nonnull(strstr(err.text, "No such file"));
  as_err_clear(&err);
  ck_assert_ptr_null(as_read_file("/dev/zero", &n, &err));
  ck_assert_int_eq(err.status, AS_BAD_INPUT);
  as_err_clear(&err);
  ck_assert_ptr_null(as_read_file(lost, &n, &err));
  as_err_clear(&err);
  unlink(path);
  ck_assert_int_eq(rmdir(dir), 0); /* nothing temporary is left */
  free(path);
  free(lost);
}

END_TEST

START_TEST(an_index_walks_equal_hashes_in_order) {
  as_index index = {0};
  as_index_walk none = as_index_start(&index, 7);
  ck_assert_uint_eq(as_index_next(&none), AS_NONE);
  /* few hashes, most of them next to each other at the table's end, so that runs wrap around */
  static const uint64_t hashes[] = {UINT32_MAX, UINT32_MAX - 1, 0, 1, 17};

  enum { N_HASHES = sizeof hashes / sizeof *hashes, N_IDS = 1000 };

  for (uint32_t id = 0; id < N_IDS; id++)
    as_index_add(&index, hashes[id * 7 % N_HASHES], id);
  as_index copy;
  as_index_copy(&copy, &index);
  as_index_clear(&index);
  for (uint32_t h = 0; h < N_HASHES; h++) {
    as_index_walk walk = as_index_start(&copy, hashes[h]);
    uint32_t expected = 0;
    for (uint32_t id; (id = as_index_next(&walk)) != AS_NONE; expected++) {
      while (expected * 7 % N_HASHES != h)
        expected++;
      ck_assert_uint_eq(id, expected);
    }
    ck_assert_uint_ge(expected, N_IDS - N_HASHES);
  }
  as_index_reset(&copy);
  as_index_walk walk = as_index_start(&copy, 17);
  ck_assert_uint_eq(as_index_next(&walk), AS_NONE);
  as_index_clear(&copy);
}

END_TEST

/* a map against an array: keys are the digits of a number */
START_TEST(maps_hold_what_was_put) {
  enum { N_KEYS = 4096, N_ROUNDS = 20000 };

  as_rng rng;
  as_rng_seed(&rng, 11);
  for (uint32_t words = 1; words <= 3; words++) {
    static uint64_t expected[N_KEYS]; /* 0: not there */
    memset(expected, 0, sizeof expected);
    uint32_t count = 0;
    as_map map;
    as_map_init(&map, words);
    for (int round = 0; round < N_ROUNDS; round++) {
      uint64_t number = as_rng_below(&rng, N_KEYS);
      uint64_t key[3] = {number, number, number};
      if (words > 1) {
        key[0] = number % 16;
        key[words - 1] = (number / 16) << 40;
      }
      uint64_t value = 0;
      ck_assert_int_eq(as_map_get(&map, key, &value), expected[number] != 0);
      ck_assert_uint_eq(value, expected[number]);
      bool fresh = false;
      if (round % 3 == 0) {
        uint32_t entry = as_map_entry(&map, key, 5, &fresh);
        ck_assert_int_eq(fresh, expected[number] == 0);
        ck_assert_mem_eq(as_map_key(&map, entry), key, words * sizeof *key);
        expected[number] = *as_map_value(&map, entry);
        count += fresh;
      } else if (round % 3 == 1) {
        count += expected[number] == 0;
        expected[number] = 1 + (uint64_t)round;
        as_map_put(&map, key, expected[number]);
      }
      ck_assert_uint_eq(map.count, count);
    }
    as_map_reset(&map);
    uint64_t value;
    ck_assert(!as_map_get(&map, AS_KEY(1, 1, 1), &value));
    as_map_clear(&map);
  }
}

END_TEST

START_TEST(a_map_of_empty_keys_has_one) {
  as_map map;
  as_map_init(&map, 0);
  uint64_t value;
  ck_assert(!as_map_get(&map, NULL, &value));
  as_map_put(&map, NULL, 3);
  as_map_put(&map, NULL, 4);
  ck_assert(as_map_get(&map, NULL, &value));
  ck_assert_uint_eq(value, 4);
  ck_assert_uint_eq(map.count, 1);
  as_map_clear(&map);
}

END_TEST

START_TEST(entries_are_numbered_as_they_come) {
  as_map map;
  as_map_init(&map, 1);
  for (uint64_t i = 0; i < 500; i++)
    as_map_put(&map, AS_KEY(i * 0x123456789u), i);
  for (uint32_t i = 0; i < 500; i++) {
    ck_assert_uint_eq(*as_map_key(&map, i), i * (uint64_t)0x123456789u);
    ck_assert_uint_eq(*as_map_value(&map, i), i);
  }
  as_map_clear(&map);
}

END_TEST

START_TEST(interned_rows) {
  for (int owned = 0; owned < 2; owned++) {
    as_arena *arena = owned ? NULL : as_arena_new();
    as_intern table;
    as_intern_init(&table, arena);
    ck_assert_uint_eq(as_intern_find(&table, "x"), AS_NONE);
    ck_assert_uint_eq(as_intern_row(&table, NULL, 0), 0);
    ck_assert_uint_eq(as_intern_string(&table, ""), 0);
    const char *first = NULL;
    for (uint32_t i = 0; i < 2000; i++) {
      char *name = as_format("n%u", i);
      ck_assert_uint_eq(as_intern_string(&table, name), i + 1);
      if (i == 0)
        first = as_intern_text(&table, 1);
      free(name);
    }
    ck_assert_ptr_eq(first, as_intern_text(&table, 1));
    ck_assert_uint_eq(as_intern_find(&table, "n1234"), 1235);
    ck_assert_str_eq(as_intern_text(&table, 1235), "n1234");
    uint32_t row = as_intern_row(&table, "n1\0", 3); /* a NUL within: not the string n1 */
    ck_assert_uint_eq(row, 2001);
    ck_assert_uint_eq(as_intern_find_row(&table, "n1\0", 3), row);
    ck_assert_uint_eq(as_intern_find(&table, "n1"), 2);
    size_t n;
    ck_assert_mem_eq(as_intern_bytes(&table, row, &n), "n1\0", 3);
    ck_assert_uint_eq(n, 3);
    ck_assert_uint_eq(as_intern_count(&table), 2002);
    as_intern_clear(&table);
    as_arena_free(arena);
  }
}

END_TEST

static int evaluated;

static const char *costly(void) {
  evaluated++;
  return "said";
}

/* what is written to standard error while f runs (malloc'ed) */
static char *said_by(void (*f)(void)) {
  FILE *file = tmpfile();
  ck_assert_ptr_nonnull(file);
  fflush(stderr);
  int before = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  f();
  fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  rewind(file);
  char text[256];
  size_t n = fread(text, 1, sizeof text - 1, file);
  text[n] = 0;
  fclose(file);
  return as_strdup(text);
}

static void trace_two(void) {
  AS_TRACE(SEARCH, "%s %d", costly(), 1);
  AS_TRACE(LOWER, "%s %d", costly(), 2);
}

START_TEST(paths_below_a_folder) {
  static const char *const below[] = {"a", "a/b.sem", "...", "a..b", "..a/b", "a/b..", "./a"};
  static const char *const not_below[] = {"",     "/",    "/a",     "..",
                                          "../a", "a/..", "a/../b", "a/b/../../.."};
  for (size_t i = 0; i < sizeof below / sizeof *below; i++)
    ck_assert_msg(as_path_is_below(below[i]), "%s", below[i]);
  for (size_t i = 0; i < sizeof not_below / sizeof *not_below; i++)
    ck_assert_msg(!as_path_is_below(not_below[i]), "%s", not_below[i]);
}

END_TEST

START_TEST(channels_are_off_until_named) {
  as_err err;
  as_err_init(&err);
  char *nothing = said_by(trace_two);
  ck_assert_str_eq(nothing, "");
  ck_assert_int_eq(evaluated, 0);
  free(nothing);
  static const char *const wrong[] = {"", "sea", "searches", "search,", ",search", "search, prove"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ck_assert(!as_trace_set(wrong[i], &err));
    ck_assert_int_eq(err.status, AS_BAD_INPUT);
    as_err_clear(&err);
    as_err_init(&err);
  }
  ck_assert_uint_eq(as_trace_mask, 0);
  ck_assert(as_trace_set("lower,prove", &err));
  char *lower = said_by(trace_two);
  ck_assert_str_eq(lower, "lower: said 2\n");
  ck_assert_int_eq(evaluated, 1);
  free(lower);
  ck_assert(as_trace_set("all", &err));
  char *both = said_by(trace_two);
  ck_assert_str_eq(both, "search: said 1\nlower: said 2\n");
  free(both);
  as_trace_mask = 0;
  as_err_clear(&err);
}

END_TEST

int main(void) {
  TCase *tests = test_case("base", 60);
  tcase_add_test(tests, errors_keep_the_first);
  tcase_add_test(tests, binary_lines_are_shown_safely);
  tcase_add_test(tests, arenas);
  tcase_add_test(tests, vectors_and_strings);
  tcase_add_test(tests, lists_without_a_word);
  tcase_add_test(tests, sha256_vectors);
  tcase_add_test(tests, an_index_walks_equal_hashes_in_order);
  tcase_add_test(tests, maps_hold_what_was_put);
  tcase_add_test(tests, a_map_of_empty_keys_has_one);
  tcase_add_test(tests, entries_are_numbered_as_they_come);
  tcase_add_test(tests, interned_rows);
  tcase_add_test(tests, random_numbers);
  tcase_add_test(tests, parallel_covers_all);
  tcase_add_test(tests, files);
  tcase_add_test(tests, paths_below_a_folder);
  tcase_add_test(tests, channels_are_off_until_named);
  return test_run("base", tests);
}
