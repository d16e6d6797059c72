/* Groups of operators: what no kernel for one takes less than, which maps are joined, and which
 * groups say the same. */
#include "read_program.h"
#include "search/cost_model.h"
#include "search/cuts.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

/* all operators of a program as one order of them, moves where they are read */
static sg_variant variant_of(const as_graph *program) {
  as_graph *graph = sg_reordered(program, SG_MOVES_LATE);
  ck_assert(graph != NULL);
  sg_variant variant = {.graph = graph, .owned = graph};
  variant.ops = as_malloc((graph->n + 1) * sizeof *variant.ops);
  for (uint32_t i = 0; i < graph->n; i++) {
    if (graph->node[i].kind == AS_N_OP)
      variant.ops[variant.n_ops++] = i;
  }
  variant.is_late = sg_late_moves(graph, SG_MOVES_LATE);
  return variant;
}

static void variant_done(sg_variant *variant) {
  as_graph_free(variant->owned);
  free(variant->ops);
  free(variant->is_late);
}

/* --- bounds */
static double bound_of(const as_graph *program) {
  sg_variant variant = variant_of(program);
  sg_bounds *bounds = sg_bounds_new(variant.graph, as_target_default());
  uint32_t n;
  uint32_t *crossing = sg_crossing(variant.graph, variant.ops, variant.n_ops, &n);
  double us = sg_bounds_of(bounds, variant.ops, variant.n_ops, crossing, n);
  free(crossing);
  sg_bounds_free(bounds);
  variant_done(&variant);
  return us;
}

#define ROWS "program p\nsizes B = 4096, D = 1024\ninput X: f32[B, D]\n"
#define WEIGHT "program p\nsizes B = 64, D = 128, N = 256\ninput X: f32[B, D]\ninput W: f32[D, N]\n"

static const char *const one_kernel[] = {
    ROWS "output Y = relu(X) * 2 + 1\n",
    ROWS "input Z: f32[B, D]\ninput g: f32[D]\noutput Y = sqrt(X * X + 1) * g + Z\n",
    ROWS "output Y = softmax(X)\n",
    ROWS "output Y = sum(X * X, axis=-1)\n",
    "program p\nsizes B = 4096, D = 1024\ninput X: f16[B, D]\noutput Y = exp(X)\n",
    "program p\nsizes B = 8, D = 16\ninput X: f32[B, D]\noutput Y = exp(X)\n",
    "program p\nsizes B = 512, D = 1024\ninput X: f16[B, D]\noutput Y = softmax(X)\n",
    WEIGHT "output Y = relu(X @ W)\n",
    WEIGHT "output Y = sum(X @ W, axis=-1)\n",
    WEIGHT "input V: f32[N, D]\noutput Y = (X @ W) @ V\n",
};

/* no graph that the search finds for all operators costs less than the bound */
START_TEST(bounds_are_below_prices) {
  read_program p = read_program_text(one_kernel[_i], NULL);
  as_search_opts options = as_search_default;
  as_search_result found;
  double bound = bound_of(p.graph);
  uint32_t n_single = 0;
  options.policy = NULL; /* candidates are priced and not judged */
  options.keep = 64;
  options.max_tested = 256;
  ck_assert_int_eq(as_search(p.graph, &options, &found), AS_OK);
  for (uint32_t i = 0; i < found.n; i++) {
    if (found.cand[i].kernels != 1 || found.cand[i].graph->n_block != 1)
      continue;
    n_single++;
    ck_assert_msg(found.cand[i].us >= bound, "%g us below %g us:\n%s", found.cand[i].us, bound,
                  found.cand[i].text);
  }
  ck_assert_uint_gt(n_single, 0);
  as_search_result_clear(&found);
  read_program_done(&p);
}

END_TEST

#define LARGE                                                                                      \
  "program p\nsizes B = 512, D = 4096, N = 512\ninput X: f32[B, D]\ninput W: f32[D, N]\n"

typedef struct {
  const char *text;
  bool counts; /* its product */
} product_case;

static const product_case products[] = {
    {LARGE "output Y = relu(X @ W)\n", true},
    {LARGE "input b: f32[N]\noutput Y = sqrt(exp(X @ W + b))\n", true},
    {LARGE "output Y = softmax(X @ W)\n", true},
    {LARGE "input g: f32[D]\noutput Y = rms_norm(X * g) @ W\n", true},
    /* a sum of its results is a product with a sum, also behind what is linear */
    {LARGE "output Y = sum(X @ W, axis=-1)\n", false},
    {LARGE "input b: f32[N]\noutput Y = sum((X @ W) * 2 + b, axis=0)\n", false},
    /* .. but not behind an exponential */
    {LARGE "output Y = sum(exp(X @ W), axis=-1)\n", true},
    /* parts of it */
    {LARGE "output Y = (X @ W)[0:8, :]\n", false},
    /* an operand that is an outer product, or repeated */
    {"program p\nsizes B = 512, D = 4096, N = 512\ninput u: f32[B, 1]\ninput v: f32[1, D]\n"
     "input W: f32[D, N]\noutput Y = (u * v) @ W\n",
     false},
    {"program p\nsizes B = 512, D = 4096, N = 512\ninput u: f32[D]\ninput W: f32[D, N]\n"
     "output Y = broadcast(expand_dims(u, axis=0), axis=0, size=B) @ W\n",
     false},
};

START_TEST(products_that_count) {
  read_program p = read_program_text(products[_i].text, NULL);
  double work = 512.0 * 4096 * 512;
  const as_target *target = as_target_default();
  double slowest = work / target->threads.rows_elements / target->multiprocessors;
  double bound = bound_of(p.graph);
  if (products[_i].counts)
    ck_assert_msg(bound >= slowest, "%g us below %g us", bound, slowest);
  else
    ck_assert_msg(bound < slowest / 4, "%g us", bound);
  read_program_done(&p);
}

END_TEST

/* --- maps that are joined */
#define IMAGE                                                                                      \
  "program p\nsizes C = 64, H = 100, K = 8\ninput X: f32[C, H]\ninput Z: f32[C, H]\n"              \
  "input g: f32[C, 1]\ninput W: f32[H, K]\n"

typedef struct {
  const char *text;
  uint32_t atoms;
} atoms_case;

static const atoms_case joined[] = {
    {IMAGE "output Y = relu((X - g) * 2 + 1)\n", 1},
    /* what has few results, on the way to one operator */
    {IMAGE "output Y = X / sqrt(g + 1)\n", 1},
    /* two operands as large as the result: a border before it would store both */
    {IMAGE "a = X + Z\noutput Y = relu(a)\n", 2},
    {IMAGE "a = exp(X) + exp(Z)\noutput Y = relu(a)\n", 2},
    /* read twice, by one atom and by two */
    {IMAGE "a = exp(X)\noutput Y = a * a\n", 1},
    {IMAGE "a = exp(X)\nb = sum(a, axis=-1)\noutput Y = a / expand_dims(b, axis=1)\n", 3},
    /* stored for others */
    {IMAGE "output A = exp(X)\noutput Y = relu(A)\n", 2},
    /* reductions and products keep what is before and behind apart */
    {IMAGE "output Y = sum(exp(X), axis=-1)\n", 2},
    {IMAGE "output Y = relu(exp(X) @ W)\n", 3},
    {IMAGE "output Y = exp(max(X, axis=-1))\n", 2},
};

START_TEST(maps_are_joined) {
  read_program p = read_program_text(joined[_i].text, NULL);
  sg_variant variant = variant_of(p.graph);
  bool *apart = as_calloc(variant.graph->n + 1, sizeof *apart);
  for (int none = 0; none < 2; none++) {
    uint32_t *root = sg_atom_roots(&variant, apart);
    uint32_t n = 0;
    uint32_t n_computing = 0;
    for (uint32_t i = 0; i < variant.n_ops; i++) {
      n += root[variant.ops[i]] == variant.ops[i];
      n_computing += !variant.is_late[variant.ops[i]];
    }
    ck_assert_uint_eq(n, none ? n_computing : joined[_i].atoms);
    free(root);
    memset(apart, true, variant.graph->n * sizeof *apart);
  }
  free(apart);
  variant_done(&variant);
  read_program_done(&p);
}

END_TEST

/* --- groups that say the same */
typedef struct {
  const char *first;
  const char *second;
  bool same;
} twins_case;

#define CHAIN(x, y, c)                                                                             \
  "program p\nsizes B = 64, D = 128, E = 128\ninput " x ": f16[B, D]\ninput " y ": f16[D]\na_" x   \
  " = " x " * " y " + " c "\noutput o_" x " = sum(a_" x ", axis=-1)\n"

static const twins_case twins[] = {
    {CHAIN("X", "g", "1"), CHAIN("V", "h", "1"), true},
    {CHAIN("X", "g", "1"), CHAIN("X", "g", "2"), false},
    {CHAIN("X", "g", "1"),
     "program p\nsizes B = 64, D = 128, E = 128\ninput X: f16[B, E]\n"
     "input g: f16[E]\na = X * g + 1\noutput o = sum(a, axis=-1)\n",
     false},
    {CHAIN("X", "g", "1"),
     "program p\nsizes B = 64, D = 128, E = 128\ninput X: f16[B, D]\n"
     "input g: f16[D]\na = X * g + 1\noutput o = max(a, axis=-1)\n",
     false},
    {CHAIN("X", "g", "1"),
     "program p\nsizes B = 64, D = 128, E = 128\ninput X: f16[B, D]\n"
     "input g: f16[D]\noutput a = X * g + 1\noutput o = sum(a, axis=-1)\n",
     false},
};

static void prepare(sg_segment *segment, const sg_variant *variant, as_search_stats *stats) {
  static const as_search_deadline none = {.until = 0};
  as_search_opts options = as_search_default;
  as_err err;
  as_err_init(&err);
  options.target = as_target_default();
  sg_cut cut = {.graph = variant->graph,
                .op = variant->ops,
                .n = variant->n_ops,
                .kernel = variant->ops,
                .n_kernel = variant->n_ops};
  ck_assert(sg_segment_prepare(segment, &cut, &options, &none, stats, &err));
  ck_assert(segment->has_part);
}

START_TEST(groups_that_say_the_same) {
  as_search_opts options = as_search_default;
  as_search_deadline none = {.until = 0};
  as_search_stats stats = {.states = 0};
  as_err err;
  as_err_init(&err);
  options.target = as_target_default();
  read_program programs[2] = {read_program_text(twins[_i].first, NULL),
                              read_program_text(twins[_i].second, NULL)};
  sg_variant variants[2] = {variant_of(programs[0].graph), variant_of(programs[1].graph)};
  sg_segment segments[2];
  sg_segment *earlier = &segments[0];
  prepare(&segments[0], &variants[0], &stats);
  ck_assert(!sg_segment_take(&segments[0], &options, NULL, 0));
  sg_cut cut = {.graph = variants[0].graph,
                .op = variants[0].ops,
                .n = variants[0].n_ops,
                .kernel = variants[0].ops,
                .n_kernel = variants[0].n_ops};
  sg_segment_complete(&segments[0], &cut, &options, &none, &stats, &err);
  ck_assert_uint_gt(segments[0].n_rank, 0);
  prepare(&segments[1], &variants[1], &stats);
  ck_assert(sg_segment_take(&segments[1], &options, &earlier, 1) == twins[_i].same);
  if (twins[_i].same) { /* its graphs are made when they are wanted */
    ck_assert_uint_eq(segments[1].n_rank, segments[0].n_rank);
    as_graph *graph = sg_segment_alone(&segments[1], 0, &err);
    ck_assert(graph != NULL);
    ck_assert(as_graph_valid(graph, &err));
    as_graph_free(graph);
    ck_assert(!sg_segment_is_proved(&segments[1]));
    sg_segment_proved(&segments[1]);
    ck_assert(sg_segment_is_proved(&segments[0]));
  }
  for (int i = 0; i < 2; i++) {
    sg_segment_clear(&segments[i]);
    variant_done(&variants[i]);
    read_program_done(&programs[i]);
  }
}

END_TEST

int main(void) {
  TCase *tests = test_case("groups", 240);
  tcase_add_loop_test(tests, bounds_are_below_prices, 0, sizeof one_kernel / sizeof *one_kernel);
  tcase_add_loop_test(tests, products_that_count, 0, sizeof products / sizeof *products);
  tcase_add_loop_test(tests, maps_are_joined, 0, sizeof joined / sizeof *joined);
  tcase_add_loop_test(tests, groups_that_say_the_same, 0, sizeof twins / sizeof *twins);
  return test_run("groups", tests);
}
