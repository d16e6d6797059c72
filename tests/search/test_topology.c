/* Topologies: what is the same whatever names, order, synonyms and tile sizes, and what is not. */
#include "search/topology.h"
#include "src/base/str.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

static const char program_text[] =
    "program p\nsizes M = 16, D = 64, N = 32\ninput X: f16[M, D]\ninput W: f16[D, N]\n"
    "input V: f16[D, N]\nA = X @ W\nB = X @ V\noutput O = silu(A) * B\n";

typedef struct {
  as_oplib *lib;
  as_sizes *sizes;
  as_graph *program;
  as_topologies *table;
} given;

static given new_given(void) {
  as_err err;
  as_err_init(&err);
  given g = {test_operators(), as_sizes_new(), NULL, as_topologies_new()};
  g.program = as_parse_tp("p.tp", program_text, strlen(program_text), g.sizes, g.lib, &err);
  ck_assert_msg(g.program != NULL, "%s", g.program ? "" : as_err_format(&err));
  return g;
}

static void free_given(given *g) {
  as_topologies_free(g->table);
  as_graph_free(g->program);
  as_sizes_free(g->sizes);
  as_oplib_free(g->lib);
}

/* a muGraph of the program, with sizes of its own */
static as_graph *read_graph(const given *g, const char *body) {
  as_err err;
  as_err_init(&err);
  char *text = as_format("mugraph p\n%s", body);
  as_graph *program = as_graph_copy(g->program);
  program->sizes = as_sizes_copy(g->sizes);
  as_graph *graph = as_parse_mug("p.mug", text, strlen(text), program, &err);
  ck_assert_msg(graph != NULL, "%s\n%s", graph ? "" : as_err_format(&err), text);
  free(text);
  return graph;
}

static void free_graph(as_graph *graph) {
  as_graph *program = (as_graph *)(uintptr_t)graph->program;
  as_sizes *sizes = program->sizes;
  as_graph_free(graph);
  as_graph_free(program);
  as_sizes_free(sizes);
}

static uint32_t topology(const given *g, const char *body) {
  as_graph *graph = read_graph(g, body);
  uint32_t id = as_topology(g->table, graph);
  free_graph(graph);
  return id;
}

/* whether the second has the first's topology at some tile sizes */
static bool is_among(const given *g, const char *body, const char *other) {
  uint32_t wanted = topology(g, body);
  as_graph *graph = read_graph(g, other);
  uint32_t n;
  uint32_t *all = as_topologies_of(g->table, graph, &n);
  bool found = false;
  for (uint32_t i = 0; i < n; i++)
    found = found || all[i] == wanted;
  free(all);
  free_graph(graph);
  return found;
}

static const char sizes[] = "sizes J = 4, U = 8, L = 2, T = 32\nwhere N = J * U, D = L * T\n";
static const char body[] =
    "kernel k0\n  grid x = J\n  loop l = L\n  load x [M, T] = X loop -> 1\n"
    "  load w [T, U] = W x -> 1 loop -> 0\n  load v [T, U] = V x -> 1 loop -> 0\n"
    "  a = matmul(x, w)\n  b = matmul(x, v)\n  acc c = sum a\n  acc d = sum b\n"
    "  s = silu(c)\n  o = s * d\n  store O [M, U] = o x -> 1\nend\n";

/* the text with one word in place of another, everywhere; malloc'ed */
static char *with(const char *text, const char *word, const char *other) {
  as_str out;
  as_str_init(&out);
  const char *at;
  while ((at = strstr(text, word)) != NULL) {
    as_str_addn(&out, text, (size_t)(at - text));
    as_str_add(&out, other);
    text = at + strlen(word);
  }
  as_str_add(&out, text);
  return as_str_take(&out);
}

typedef struct {
  const char *word;
  const char *other;
  bool same;
} change;

static const change changes[] = {
    {"J = 4, U = 8", "J = 2, U = 16", true},
    {"L = 2, T = 32", "L = 8, T = 8", true},
    {"grid x = J", "grid y = J", true}, /* and the maps, below */
    {"o = s * d", "o = d * s", true},
    {"s = silu(c)", "e = exp(0 - c)\n  s = c / (1 + e)", true},
    {"s = silu(c)", "e = sigmoid(c)\n  s = c * e", true},
    {"s = silu(c)", "s = sigmoid(c)", false},
    {"s = silu(c)", "s = silu(d)", false},
    {"o = s * d", "o = s + d", false},
    {"acc d = sum b", "acc d = sum a", false},
    {"W x -> 1 loop -> 0\n  load v [T, U] = V", "V x -> 1 loop -> 0\n  load v [T, U] = W", false},
};

START_TEST(one_change) {
  const change *c = &changes[_i];
  given g = new_given();
  char *text = as_format("%s%s", sizes, body);
  char *other = with(text, c->word, c->other);
  ck_assert_str_ne(text, other);
  if (strcmp(c->other, "grid y = J") == 0) {
    char *maps = with(other, "x -> 1", "y -> 1");
    free(other);
    other = maps;
  }
  ck_assert_int_eq(topology(&g, text) == topology(&g, other), c->same);
  free(other);
  free(text);
  free_given(&g);
}

END_TEST

static const char in_two[] =
    "kernel k0\n  grid x = J\n  loop l = L\n  load x [M, T] = X loop -> 1\n"
    "  load w [T, U] = W x -> 1 loop -> 0\n  load v [T, U] = V x -> 1 loop -> 0\n"
    "  a = matmul(x, w)\n  b = matmul(x, v)\n  acc c = sum a\n  acc d = sum b\n"
    "  s = silu(c)\n  store S [M, U] = s x -> 1\n  store R [M, U] = d x -> 1\nend\nO = S * R\n";

/* another partition; a loop that is none at one iteration; a grid that may divide nothing */
START_TEST(kernels_and_tile_sizes) {
  given g = new_given();
  char *fused = as_format("%s%s", sizes, body);
  char *apart = as_format("%s%s", sizes, in_two);
  const char *without_loop =
      "sizes J = 4, U = 8\nwhere N = J * U\nkernel k0\n  grid x = J\n  load x [M, D] = X\n"
      "  load w [D, U] = W x -> 1\n  load v [D, U] = V x -> 1\n  c = matmul(x, w)\n"
      "  d = matmul(x, v)\n  s = silu(c)\n  o = s * d\n  store O [M, U] = o x -> 1\nend\n";
  const char *without_grid =
      "sizes L = 2, T = 32\nwhere D = L * T\nkernel k0\n  loop l = L\n"
      "  load x [M, T] = X loop -> 1\n  load w [T, N] = W loop -> 0\n"
      "  load v [T, N] = V loop -> 0\n  a = matmul(x, w)\n  b = matmul(x, v)\n  acc c = sum a\n"
      "  acc d = sum b\n  s = silu(c)\n  o = s * d\n  store O [M, N] = o\nend\n";
  ck_assert_uint_ne(topology(&g, fused), topology(&g, apart));
  ck_assert(!is_among(&g, apart, fused));
  ck_assert_uint_ne(topology(&g, fused), topology(&g, without_loop));
  ck_assert_uint_ne(topology(&g, fused), topology(&g, without_grid));
  ck_assert(is_among(&g, without_loop, fused));
  ck_assert(is_among(&g, without_grid, fused));
  ck_assert(!is_among(&g, fused, without_loop)); /* not the other way round */
  free(apart);
  free(fused);
  free_given(&g);
}

END_TEST

/* parts side by side along one axis, and along an axis of their own */
START_TEST(parts_between_kernels) {
  given g = new_given();
  static const char head[] =
      "sizes S = 2, L = 2, T = 16, J = 4, U = 4\nwhere D = S * L * T, M = J * U\n"
      "kernel k0\n  grid x = S\n  loop l = L\n  load x [M, T] = X x -> 1 loop -> 1\n"
      "  load w [T, N] = W x -> 0 loop -> 0\n  load v [T, N] = V x -> 0 loop -> 0\n"
      "  a = matmul(x, w)\n  b = matmul(x, v)\n  acc c = sum a\n  acc d = sum b\n";
  char *own =
      as_format("%s  e = expand_dims(c, axis=0)\n  f = expand_dims(d, axis=0)\n"
                "  store P [1, M, N] = e x -> 0\n  store Q [1, M, N] = f x -> 0\nend\n"
                "kernel k1\n  grid x = J\n  load p [S, U, N] = P x -> 1\n"
                "  load q [S, U, N] = Q x -> 1\n  c = sum(p, axis=0)\n  d = sum(q, axis=0)\n"
                "  s = silu(c)\n  o = s * d\n  store O [U, N] = o x -> 0\nend\n",
                head);
  char *beside =
      as_format("%s  store P [M, N] = c x -> 1\n  store Q [M, N] = d x -> 1\nend\n"
                "kernel k1\n  grid x = J\n  load p [U, S * N] = P x -> 0\n"
                "  load q [U, S * N] = Q x -> 0\n  p2 = split_axis(p, axis=-1, outer=S, inner=N)\n"
                "  q2 = split_axis(q, axis=-1, outer=S, inner=N)\n  c = sum(p2, axis=-2)\n"
                "  d = sum(q2, axis=-2)\n  s = silu(c)\n  o = s * d\n"
                "  store O [U, N] = o x -> 0\nend\n",
                head);
  ck_assert_uint_eq(topology(&g, own), topology(&g, beside));
  free(beside);
  free(own);
  free_given(&g);
}

END_TEST

int main(void) {
  TCase *tests = test_case("topology", 20);
  tcase_add_loop_test(tests, one_change, 0, sizeof changes / sizeof *changes);
  tcase_add_test(tests, kernels_and_tile_sizes);
  tcase_add_test(tests, parts_between_kernels);
  return test_run("topology", tests);
}
