/* Tiles that are cut off at the end of their tensor, at extents around those of a tile: none, one,
 * one less, as many, one more, primes.  The graph's values are those of the program. */
#include "load.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static as_oplib *lib;

static const char given_sums[] = "program sums\nsizes M >= 0, K >= 0\ninput X: f32[M, K]\n"
                                 "output S = sum(X, axis=1)\noutput Y = X + X\n";
static const char cut_sums[] =
    "mugraph cut\nsizes G >= 0, U, L >= 0, T\n"
    "where G = (M + U - 1) div U, L = (K + T - 1) div T\n"
    "kernel rows\n  grid x = G\n  loop l = L\n  load x [U upto M, T upto K] = X x -> 0 loop -> 1\n"
    "  s = sum(x, axis=1)\n  acc z = sum s\n  store S [U upto M] = z x -> 0\nend\n"
    "kernel twice\n  grid x = G, y = L\n  load x [U upto M, T upto K] = X x -> 0 y -> 1\n"
    "  y = x + x\n  store Y [U upto M, T upto K] = y x -> 0 y -> 1\nend\n";

/* sizes and their values; a size beside which -1 stands counts the tiles of the two before it */
typedef struct {
  const char *name;
  long value;
} sized;

static int64_t *values(const as_sizes *sizes, const sized *list, size_t n) {
  int64_t *env = as_env_new(sizes);
  for (size_t i = 0; i < n; i++) {
    as_size size = as_size_find(sizes, list[i].name);
    ck_assert_msg(size != AS_SIZE_BAD, "%s", list[i].name);
    long tile = i > 0 ? list[i - 1].value : 1;
    env[size] = list[i].value >= 0 ? list[i].value : (list[i - 2].value + tile - 1) / tile;
  }
  return env;
}

static void fill(const as_graph *given, const int64_t *env, as_tensor *inputs, as_rng *rng) {
  for (uint32_t i = 0; i < given->n_input; i++) {
    const as_node *input = &given->node[given->input[i]];
    int64_t dim[AS_MAX_RANK];
    for (uint32_t d = 0; d < input->rank; d++)
      dim[d] = as_size_eval(given->sizes, input->dim[d], env);
    as_tensor_init(&inputs[i], &as_domain_double, dim, input->rank);
    for (size_t k = 0; k < inputs[i].n; k++)
      *(double *)as_tensor_at(&inputs[i], k) = -1.5 - (double)as_rng_below(rng, 1000) / 500;
  }
}

static void same(const as_graph *given, const as_graph *cut, const sized *list, size_t n) {
  as_rng rng;
  as_err err;
  as_err_init(&err);
  as_rng_seed(&rng, 7);
  int64_t *env = values(given->sizes, list, n);
  as_tensor inputs[4];
  as_tensor want[4];
  as_tensor have[4];
  fill(given, env, inputs, &rng);
  ck_assert_int_eq(as_eval_graph(given, &as_domain_double, env, inputs, want, &err), AS_OK);
  as_status status = as_eval_graph(cut, &as_domain_double, env, inputs, have, &err);
  ck_assert_msg(status == AS_OK, "%s %ld: %s", list[0].name, list[0].value, err.text);
  for (uint32_t k = 0; k < given->n_output; k++) {
    ck_assert_uint_eq(want[k].n, have[k].n);
    for (size_t i = 0; i < want[k].n; i++) {
      double a = *(double *)as_tensor_at(&want[k], i);
      double b = *(double *)as_tensor_at(&have[k], i);
      ck_assert_msg(fabs(a - b) <= 1e-9 * (1 + fabs(a)), "%s %ld, output %u[%zu]: %g and %g",
                    list[0].name, list[0].value, k, i, a, b);
    }
    as_tensor_clear(&want[k]);
    as_tensor_clear(&have[k]);
  }
  for (uint32_t i = 0; i < given->n_input; i++)
    as_tensor_clear(&inputs[i]);
  free(env);
}

static const long extents[] = {1, 3, 4, 5, 7, 8, 11, 13};

START_TEST(sums_of_none_to_many) {
  as_sizes *sizes = as_sizes_new();
  as_graph *given = load_text(given_sums, sizes, lib, NULL);
  as_graph *cut = load_text(cut_sums, sizes, lib, given);
  for (long m = 0; m <= 5; m++) {
    for (long k = 0; k <= 9; k++) {
      sized list[] = {{"K", k}, {"T", 4}, {"L", -1}, {"M", m}, {"U", 3}, {"G", -1}};
      same(given, cut, list, sizeof list / sizeof *list);
    }
  }
  as_graph_free(cut);
  as_graph_free(given);
  as_sizes_free(sizes);
}

END_TEST

START_TEST(maxima_products_norms) {
  as_sizes *sizes = as_sizes_new();
  char *path = load_path("tests/prove/cases", "cut", ".tp");
  char *cut_path = load_path("tests/prove/cases", "cut", ".mug");
  as_graph *given = load_tp(path, sizes, lib);
  as_graph *cut = load_mug(cut_path, given);
  for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
    for (long m = 3; m <= 5; m++) {
      long n = extents[(i + (size_t)m) % 8];
      sized list[] = {{"K", extents[i]}, {"T", 4}, {"L", -1}, {"M", m}, {"U", 4},
                      {"G", -1},         {"N", n}, {"V", 5},  {"J", -1}};
      same(given, cut, list, sizeof list / sizeof *list);
    }
  }
  as_graph_free(cut);
  as_graph_free(given);
  as_sizes_free(sizes);
  free(path);
  free(cut_path);
}

END_TEST

START_TEST(online_softmax) {
  as_sizes *sizes = as_sizes_new();
  char *path = load_path("tests/prove/cases", "online", ".tp");
  as_graph *given = load_tp(path, sizes, lib);
  free(path);
  for (int split = 0; split < 2; split++) {
    path = load_path("tests/prove/cases", split ? "flash" : "online", ".mug");
    as_graph *cut = load_mug(path, given);
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
      sized whole[] = {{"N", extents[i]}, {"T", 4}, {"L", -1}, {"Q", 5}, {"U", 4}, {"G", -1}};
      sized shared[] = {{"N", extents[i]}, {"T", 4}, {"L", -1}, {"S", 1}};
      if (split)
        same(given, cut, shared, sizeof shared / sizeof *shared);
      else
        same(given, cut, whole, sizeof whole / sizeof *whole);
    }
    if (split) { /* six tiles, two blocks */
      sized shared[] = {{"N", 11}, {"T", 2}, {"L", 3}, {"S", 2}};
      same(given, cut, shared, sizeof shared / sizeof *shared);
    }
    as_graph_free(cut);
    free(path);
  }
  as_graph_free(given);
  as_sizes_free(sizes);
}

END_TEST

/* The text of a graph is read back as the same graph; what is no number of tiles is refused. */
START_TEST(read_back) {
  as_sizes *sizes = as_sizes_new();
  as_graph *given = load_text(given_sums, sizes, lib, NULL);
  as_graph *cut = load_text(cut_sums, sizes, lib, given);
  char *text = as_print_mug(cut);
  as_sizes *others = as_sizes_new();
  as_graph *other = load_text(given_sums, others, lib, NULL);
  as_graph *again = load_mug_text(text, other);
  ck_assert_ptr_nonnull(again);
  char *second = as_print_mug(again);
  ck_assert_str_eq(text, second);
  const char *const wrong[] = {"G = M div U", "G = (M + U) div U", "G*U = M",
                               "G = (K + U - 1) div U"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const char *at = strstr(cut_sums, "G = (M + U - 1) div U");
    const char *behind = strchr(at, ',');
    char *changed = as_format("%.*s%s%s", (int)(at - cut_sums), cut_sums, wrong[i], behind);
    as_sizes *more = as_sizes_new();
    as_graph *p = load_text(given_sums, more, lib, NULL);
    ck_assert_msg(load_mug_text(changed, p) == NULL, "%s", wrong[i]);
    as_graph_free(p);
    as_sizes_free(more);
    free(changed);
  }
  free(text);
  free(second);
  as_graph_free(again);
  as_graph_free(other);
  as_sizes_free(others);
  as_graph_free(cut);
  as_graph_free(given);
  as_sizes_free(sizes);
}

END_TEST

int main(void) {
  lib = test_operators();
  TCase *tests = test_case("cut", 60);
  tcase_add_test(tests, sums_of_none_to_many);
  tcase_add_test(tests, maxima_products_norms);
  tcase_add_test(tests, online_softmax);
  tcase_add_test(tests, read_back);
  int status = test_run("cut", tests);
  as_oplib_free(lib);
  return status;
}
