/* Programs and muGraphs: round trips of the examples and of random programs, shapes, flags, speed.
 */
#include "src/base/id.h"
#include "src/base/rng.h"
#include "util.h"

typedef struct {
  as_oplib *lib;
  as_sizes *S;
  as_err e;
} world;

static void open_world(world *here) {
  here->lib = test_operators();
  here->S = as_sizes_new();
  as_err_init(&here->e);
}

static void close_world(world *here) {
  as_err_clear(&here->e);
  as_sizes_free(here->S);
  as_oplib_free(here->lib);
}

static as_graph *tp(world *here, const char *file, const char *text, size_t n) {
  as_graph *graph = as_parse_tp(file, text, n, here->S, here->lib, &here->e);
  char *s = as_err_format(&here->e);
  ck_assert_msg(graph != NULL, "%s", s);
  free(s);
  return graph;
}

static as_graph *mug(world *here, const char *file, const char *text, size_t n,
                     const as_graph *program) {
  as_graph *graph = as_parse_mug(file, text, n, program, &here->e);
  char *s = as_err_format(&here->e);
  ck_assert_msg(graph != NULL, "%s", s);
  free(s);
  return graph;
}

static const char *const examples[] = {"rmsnorm_linear",
                                       "gated_mlp",
                                       "lora",
                                       "gqa",
                                       "layernorm_linear",
                                       "gated_mixer",
                                       "own_operator/capped_logits"};

START_TEST(examples_read_back) {
  world given;
  world here;
  open_world(&given);
  open_world(&here);
  char *rest = as_format("examples/%s.tp", examples[_i]);
  char *path;
  size_t n;
  char *text = slurp(rest, &n, &path);
  as_graph *graph = tp(&given, path, text, n);
  char *once = as_print_tp(graph);
  as_graph *h = tp(&here, path, once, strlen(once));
  char *twice = as_print_tp(h);
  ck_assert_str_eq(once, twice);
  ck_assert_uint_eq(graph->n, h->n);
  ck_assert(as_graph_valid(graph, &given.e));
  free(text);
  free(rest);
  free(path);
  rest = as_format("examples/%s.mug", examples[_i]);
  text = slurp(rest, &n, &path);
  as_graph *mugraph = mug(&given, path, text, n, graph);
  as_graph *copy = as_graph_copy(mugraph);
  ck_assert_uint_eq(as_graph_kernels(mugraph), 1);
  ck_assert_uint_gt(as_graph_kernels(graph), 1);
  char *a = as_print_mug(mugraph);
  char *b = as_print_mug(copy);
  ck_assert_str_eq(a, b);
  as_graph *other = mug(&here, path, a, strlen(a), h);
  free(b);
  b = as_print_mug(other);
  ck_assert_str_eq(a, b);
  ck_assert_uint_eq(mugraph->n, other->n);
  as_graph_free(other);
  as_graph_free(copy);
  as_graph_free(mugraph);
  as_graph_free(h);
  as_graph_free(graph);
  free(a);
  free(b);
  free(once);
  free(twice);
  free(text);
  free(rest);
  free(path);
  close_world(&given);
  close_world(&here);
}

END_TEST

START_TEST(expressions) {
  world given;
  open_world(&given);
  static const char *const good =
      "program p\nsizes B=4, D=8, H=2, E=4\nwhere D = H*E\ninput X: f16[B, D]\ninput s: bf16[]\n"
      "t1 = -X + 2 * X / D\nA = split_axis(t1, axis=1, outer=H, inner=E)\nC = transpose(A, "
      "axis=1)[:, none, 1:3, ::2]\n"
      "eps = 0.5\nU = clamp(X, lo=-1.5, hi=1e0) + eps + s\nV = merge_axes(A, axis=-2) - U[:,\n  "
      "0:D] # comment\n"
      "output W = max(-2 - V, axis=0)\noutput V\n";
  as_graph *graph = tp(&given, "p.tp", good, strlen(good));
  char *text = as_print_tp(graph);
  ck_assert_ptr_nonnull(strstr(text, "lo=-1.5, hi=1)"));
  ck_assert_ptr_nonnull(strstr(text, "(-2) - V"));
  ck_assert_ptr_nonnull(strstr(text, "output W\noutput V\n"));
  const as_node *node = &graph->node[as_graph_find(graph, AS_NONE, "C")];
  ck_assert_uint_eq(node->rank, 4);
  as_size size = as_size_find(given.S, "B");
  ck_assert_uint_eq(node->dim[0], size);
  ck_assert_uint_eq(node->dim[1], AS_SIZE_ONE);
  ck_assert_uint_eq(node->dim[2], as_size_int(given.S, 2));
  ck_assert_uint_eq(node->dim[3],
                    as_size_div(given.S,
                                as_size_add(given.S, as_size_find(given.S, "H"), AS_SIZE_ONE),
                                as_size_int(given.S, 2)));
  world here;
  open_world(&here);
  as_graph *other = tp(&here, "p.tp", text, strlen(text));
  char *t = as_print_tp(other);
  ck_assert_str_eq(text, t);
  as_graph_free(graph);
  as_graph_free(other);
  free(text);
  free(t);
  close_world(&given);
  close_world(&here);
}

END_TEST

/* one bracket after another, and grid axes of extent 1, which are mapped like any */
START_TEST(brackets_and_axes_of_one) {
  world given;
  open_world(&given);
  static const char *const program = "program p\nsizes B=4, D=8\ninput X: f16[B, D]\n"
                                     "output Z = X[:, 0:4][1:3][:, 2:4] + 0\n";
  static const char *const kernel =
      "mugraph p\nkernel k\n  grid x = 2, y = 1\n  load x [1, 2] = A x -> 0 y -> 1\n"
      "  y = x + 0\n  store Z [1, 2] = y x -> 0 y -> 1\nend\n";
  char *candidate =
      as_format("mugraph p\nA = X[:, 0:4][1:3][:, 2:4]\n%s", strchr(kernel, '\n') + 1);
  as_graph *spec = tp(&given, "p.tp", program, strlen(program));
  ck_assert_ptr_nonnull(spec);
  as_err err;
  as_err_init(&err);
  as_graph *graph = as_parse_mug("p.mug", candidate, strlen(candidate), spec, &err);
  char *why = as_err_format(&err);
  ck_assert_msg(graph != NULL, "%s", why);
  const as_node *stored = &graph->node[as_graph_find(graph, AS_NONE, "Z")];
  ck_assert_int_eq(stored->map[0], 0);
  ck_assert_int_eq(stored->map[1], -1);
  ck_assert_uint_eq(stored->dim[0], as_size_int(given.S, 2));
  free(why);
  free(candidate);
  as_graph_free(graph);
  as_graph_free(spec);
  close_world(&given);
}

END_TEST

/* random programs over one shape, every operator without attributes or with defaults that fits */
START_TEST(random_programs_read_back) {
  as_rng rng;
  as_rng_seed(&rng, 7 + (uint64_t)_i);
  world here;
  world v;
  open_world(&here);
  open_world(&v);
  as_graph *graph = as_graph_new(here.S, here.lib, NULL, "random");
  as_size dim[3];
  ck_assert(as_graph_declare(graph, "M", 1, 3, &dim[0], &here.e));
  ck_assert(as_graph_declare(graph, "N", 0, -1, &dim[1], &here.e));
  dim[2] = dim[1];
  as_graph_input(graph, "X", AS_F32, dim, 2, &here.e);
  as_graph_input(graph, "Y", AS_BF16, dim, 3, &here.e);
  mpq_t value;
  mpq_init(value);
  mpq_set_si(value, -3, 8);
  as_graph_const(graph, value);
  mpq_clear(value);
  as_graph_size_const(graph, dim[1]);
  for (int tries = 0; tries < 200; tries++) {
    const as_opdef *op =
        as_oplib_nth(here.lib, (uint32_t)as_rng_below(&rng, as_oplib_count(here.lib)));
    as_node_id arg[AS_MAX_ARGS];
    as_attr attr[AS_MAX_ATTRS];
    for (uint32_t i = 0; i < op->nargs; i++)
      arg[i] = (as_node_id)as_rng_below(&rng, graph->n);
    for (uint32_t i = 0; i < op->nattrs; i++) {
      as_attr_init(&attr[i]);
      attr[i].size = as_size_int(here.S, (long)as_rng_below(&rng, 4) - 2);
      if (op->attr_has_default[i] && as_rng_below(&rng, 2))
        as_attr_set(&attr[i], &op->attr_default[i]);
    }
    uint32_t before = graph->n;
    as_err err;
    as_err_init(&err);
    if (as_graph_op(graph, AS_NONE, NULL, op, arg, op->nargs, attr, &err) == AS_NONE) {
      ck_assert(err.status == AS_BAD_INPUT ||
                err.status == AS_NO); /* NO: ranks that fit at no sizes */
      ck_assert_uint_eq(graph->n, before);
    }
    as_err_clear(&err);
    for (uint32_t i = 0; i < op->nattrs; i++)
      as_attr_clear(&attr[i]);
  }
  ck_assert_uint_gt(graph->n_order, 20);
  for (uint32_t i = 0; i < 3; i++) {
    ck_assert(as_graph_output(
        graph, graph->order[as_rng_below(&rng, graph->n_order / 3) + i * (graph->n_order / 3)],
        &here.e));
  }
  char *text = as_print_tp(graph);
  as_graph *h = tp(&v, "r.tp", text, strlen(text));
  char *t = as_print_tp(h);
  ck_assert_str_eq(text, t);
  for (uint32_t i = 0; i < graph->n_order; i++) {
    const as_node *node = &graph->node[graph->order[i]];
    const as_node *b = &h->node[h->order[i]];
    ck_assert_uint_eq(node->rank, b->rank);
    for (uint32_t k = 0; k < node->rank; k++) {
      char *x = as_size_print(here.S, node->dim[k]);
      char *y = as_size_print(v.S, b->dim[k]);
      ck_assert_str_eq(x, y);
      free(x);
      free(y);
    }
  }
  as_graph_free(graph);
  as_graph_free(h);
  free(text);
  free(t);
  close_world(&here);
  close_world(&v);
}

END_TEST

/* read, printed and read again within the limit of a case: what takes time that grows with the
 * square of the operators does not end there */
START_TEST(ten_thousand_operators) {
  world given;
  open_world(&given);
  as_str out;
  as_str_init(&out);
  as_str_add(&out, "program big\nsizes N = 16\ninput X0: f16[N]\n");
  for (int i = 1; i < 10000; i++)
    as_str_printf(&out, "X%d = X%d + relu(X%d)\n", i, i - 1, i / 2);
  as_str_add(&out, "output X9999\n");
  as_graph *graph = tp(&given, "big.tp", out.s, out.n);
  ck_assert_uint_eq(graph->n_order, 19998);
  char *text = as_print_tp(graph);
  as_graph *again = tp(&given, "again.tp", text, strlen(text));
  ck_assert_uint_eq(again->n_order, 19998);
  char *same = as_print_tp(again);
  ck_assert_str_eq(same, text);
  free(same);
  free(text);
  as_graph_free(again);
  as_graph_free(graph);
  as_str_clear(&out);
  close_world(&given);
}

END_TEST

START_TEST(flags_of_block_nodes) {
  world here;
  open_world(&here);
  size_t n;
  char *path;
  char *text = slurp("examples/gqa.tp", &n, &path);
  as_graph *graph = tp(&here, path, text, n);
  free(text);
  free(path);
  text = slurp("examples/gqa.mug", &n, &path);
  as_graph *mugraph = mug(&here, path, text, n, graph);

  static const struct {
    const char *name;
    bool varying;
    bool after;
    bool run;
  } want[] = {{"q", false, false, false}, {"k", true, false, false}, {"s", true, false, false},
              {"mx", false, true, false}, {"m", true, false, true},  {"e", true, false, true},
              {"z", false, true, false},  {"y", false, true, false}};

  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    const as_node *node = &mugraph->node[as_graph_find(mugraph, 0, want[i].name)];
    ck_assert_msg(node->varying == want[i].varying && node->after == want[i].after &&
                      node->reads_run == want[i].run,
                  "%s", want[i].name);
  }
  free(text);
  free(path);
  as_graph_free(mugraph);
  as_graph_free(graph);
  close_world(&here);
}

END_TEST

/* two kernels that divide one extent differently, and what an operator asks of it: tiles are put
 * together within a quotient, too */
START_TEST(tiles_within_quotients) {
  world given;
  open_world(&given);
  static const char *const text = "program p\nsizes D, E, L, T, J, U\nwhere D = L*T, D = J*U\n"
                                  "input X: f16[D]\noutput Y = neg(X)\n";
  as_graph *graph = tp(&given, "p.tp", text, strlen(text));
  as_size D = as_size_find(given.S, "D");
  as_size E = as_size_find(given.S, "E");
  as_size tiles = as_size_mul(given.S, as_size_find(given.S, "J"), as_size_find(given.S, "U"));
  as_size others = as_size_mul(given.S, as_size_find(given.S, "L"), as_size_find(given.S, "U"));
  ck_assert(as_graph_same_size(graph, as_size_mod(given.S, tiles, D), as_size_int(given.S, 0)));
  ck_assert(as_graph_same_size(graph, as_size_div(given.S, as_size_mul(given.S, tiles, E), D), E));
  ck_assert(!as_graph_same_size(graph, as_size_mod(given.S, others, D), as_size_int(given.S, 0)));
  ck_assert(!as_graph_same_size(graph, as_size_mod(given.S, tiles, E), as_size_int(given.S, 0)));
  as_graph_free(graph);
  close_world(&given);
}

END_TEST

/* a muGraph divides an extent that the program computes of another */
START_TEST(tiles_of_a_computed_extent) {
  world given;
  open_world(&given);
  static const char *const text = "program p\nsizes D, N >= 2\nwhere D = 2*N - 1\n"
                                  "input X: f16[D]\noutput Y = neg(X)\n";
  static const char *const divided = "mugraph p\nsizes J, U\nwhere D = J*U\nY = neg(X)\n";
  as_graph *program = tp(&given, "p.tp", text, strlen(text));
  as_graph *graph = mug(&given, "p.mug", divided, strlen(divided), program);
  as_size two = as_size_int(given.S, 2);
  as_size twice = as_size_mul(given.S, two, as_size_find(given.S, "N"));
  as_size tiles = as_size_mul(given.S, as_size_find(given.S, "J"), as_size_find(given.S, "U"));
  as_size halves = as_size_div(given.S, as_size_sub(given.S, tiles, two), two);
  as_size less[2] = {as_size_sub(given.S, twice, as_size_int(given.S, 3)),
                     as_size_sub(given.S, twice, as_size_int(given.S, 1))};
  ck_assert(as_graph_same_size(graph, halves, as_size_div(given.S, less[0], two)));
  ck_assert(!as_graph_same_size(graph, halves, as_size_div(given.S, less[1], two)));
  ck_assert(!as_graph_same_size(program, halves, as_size_div(given.S, less[0], two)));
  as_graph_free(graph);
  as_graph_free(program);
  close_world(&given);
}

END_TEST

START_TEST(relations_decide_extents) {
  world given;
  open_world(&given);
  static const char *const text = "program p\nsizes D, G, L, T, S, U\nwhere D = G*S, S = L*T, 2*U "
                                  "= G + L\ninput X: f16[D]\noutput Y = neg(X)\n";
  as_graph *graph = tp(&given, "p.tp", text, strlen(text));
  as_size D = as_size_find(given.S, "D");
  as_size G = as_size_find(given.S, "G");
  as_size L = as_size_find(given.S, "L");
  as_size extent = as_size_find(given.S, "T");
  as_size size = as_size_find(given.S, "U");
  as_size glt = as_size_mul(given.S, G, as_size_mul(given.S, L, extent));
  ck_assert(as_graph_same_size(graph, D, glt));
  ck_assert(!as_graph_same_size(graph, D, as_size_mul(given.S, G, L)));
  ck_assert(
      as_graph_same_size(graph, as_size_add(given.S, size, size), as_size_add(given.S, G, L)));
  ck_assert(!as_graph_same_size(graph, size, G));
  int64_t value;
  ck_assert(!as_graph_concrete(graph, D, &value));
  as_graph_free(graph);
  close_world(&given);
}

END_TEST

START_TEST(relations_are_added) {
  static const char text[] = "program p\n# sizes D\nsizes\tD, G = 4\ninput X: f16[D, G]\n"
                             "output Y = repeat(X / G, axis=0, times=G)\n";
  static const char more[] = "where D <= 8\nwhere D = 2*G, G < D\n";
  static const char *const wrong[] = {"D <= 8\n", "where D\n", "where H <= 8\n", "where G < 1\n",
                                      "sizes H\n"};
  world given;
  open_world(&given);
  as_graph *graph = tp(&given, "p.tp", text, strlen(text));
  ck_assert(as_graph_relate(graph, "p.tp", more, strlen(more), &given.e));
  char *printed = as_print_tp(graph);
  ck_assert_str_eq(printed, "program p\nsizes D, G = 4\nwhere D <= 8, D = 2*G, G < D\n"
                            "input X: f16[D, G]\nt1 = X / G\n"
                            "output Y = repeat(t1, axis=0, times=G)\n");
  free(printed);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ck_assert_msg(!as_graph_relate(graph, "p.tp", wrong[i], strlen(wrong[i]), &given.e), "%s",
                  wrong[i]);
    as_err_clear(&given.e);
  }
  as_graph_free(graph);
  close_world(&given);
}

END_TEST

START_TEST(sizes_become_their_values) {
  static const char text[] = "program p\nsizes D, G = 4\nwhere D = 2*G\ninput X: f16[D*G, G]\n"
                             "output Y = repeat(X / G + D, axis=0, times=D div 3)\n";
  static const int64_t value[] = {6, 3};
  world given;
  open_world(&given);
  as_graph *graph = tp(&given, "p.tp", text, strlen(text));
  ck_assert(as_graph_fix_sizes(graph, value, &given.e));
  char *printed = as_print_tp(graph);
  ck_assert_str_eq(printed, "program p\nwhere 6 = 6\ninput X: f16[18, 3]\nt1 = X / 3\n"
                            "t2 = t1 + 6\noutput Y = repeat(t2, axis=0, times=2)\n");
  as_graph *again = tp(&given, "q.tp", printed, strlen(printed));
  ck_assert_uint_eq(again->n_own_size, 0);
  free(printed);
  as_graph_free(again);
  as_graph_free(graph);
  close_world(&given);
}

END_TEST

int main(void) {
  TCase *tests = test_case("graph", 60);
  tcase_add_test(tests, relations_are_added);
  tcase_add_test(tests, sizes_become_their_values);
  tcase_add_loop_test(tests, examples_read_back, 0, 7);
  tcase_add_test(tests, expressions);
  tcase_add_test(tests, brackets_and_axes_of_one);
  tcase_add_loop_test(tests, random_programs_read_back, 0, 40);
  tcase_add_test(tests, ten_thousand_operators);
  tcase_add_test(tests, flags_of_block_nodes);
  tcase_add_test(tests, relations_decide_extents);
  tcase_add_test(tests, tiles_within_quotients);
  tcase_add_test(tests, tiles_of_a_computed_extent);
  return test_run("graph", tests);
}
