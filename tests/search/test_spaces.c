/* What the search looks for beyond one kernel for a run of operators: loops that several blocks
 * share, other orders of the same operators. */
#include "search/search.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  as_oplib *lib;
  as_sizes *sizes;
  as_graph *graph;
  as_search_result found;
} searched;

/* searches the program; it is certified, or the test fails */
static searched search_text(const char *text) {
  searched s = {.lib = test_operators(), .sizes = as_sizes_new()};
  as_search_opts options = as_search_default;
  as_err err;
  as_err_init(&err);
  s.graph = as_parse_tp("program.tp", text, strlen(text), s.sizes, s.lib, &err);
  ck_assert_msg(s.graph != NULL, "%s", s.graph ? "" : as_err_format(&err));
  options.threads = 2;
  options.keep = 1;
  as_status status = as_search(s.graph, &options, &s.found);
  ck_assert_msg(status == AS_OK, "%s", s.found.message ? s.found.message : "");
  ck_assert(s.found.cand[0].verdict.certified);
  as_err_clear(&err);
  return s;
}

static void done(searched *s) {
  as_search_result_clear(&s->found);
  as_graph_free(s->graph);
  as_sizes_free(s->sizes);
  as_oplib_free(s->lib);
}

/* whether a load of the block is divided by a grid axis and by the loop along the same axis */
static bool shares_loop(const as_graph *graph, uint32_t which) {
  const as_block *block = &graph->block[which];
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &graph->node[block->nodes[i]];
    for (int k = 0; k < 3 && node->kind == AS_N_LOAD && node->map[3] >= 0; k++) {
      if (node->map[k] == node->map[3])
        return true;
    }
  }
  return false;
}

static const char *const few_blocks[] = {
    "program splitk\nsizes B = 16, D = 65536, N = 256\ninput X: f16[B, D]\ninput W: f16[D, N]\n"
    "output O = X @ W\n",
    "program decode\nsizes H = 8, M = 1, E = 128, K = 65536\ninput Q: f16[H, M, E]\n"
    "input Kt: f16[H, E, K]\ninput V: f16[H, K, E]\noutput O = softmax(Q @ Kt) @ V\n",
    "program two\nsizes B = 16, D = 32768, N = 64\ninput X: f16[B, D]\ninput W: f16[D, N]\n"
    "Y = X @ W\noutput O = silu(Y) * sum(X)[:, none]\n",
    /* keys and values that a group of queries shares: an axis of extent 1 in both products */
    "program grouped\nsizes G = 4, R = 8, M = 1, E = 128, K = 4096\ninput Q: f16[G, R, M, E]\n"
    "input Kt: f16[G, 1, E, K]\ninput V: f16[G, 1, K, E]\noutput O = softmax(Q @ Kt) @ V\n",
    "program widest\nsizes B = 2, V = 1048576\ninput X: f16[B, V]\noutput O = max(X, axis=-1)\n"};

/* a long reduction with few outputs is shared among blocks, and a second kernel combines */
START_TEST(loops_are_shared) {
  searched s = search_text(few_blocks[_i]);
  const as_graph *best = s.found.cand[0].graph;
  bool shared = false;
  for (uint32_t i = 0; i < best->n_block; i++)
    shared |= shares_loop(best, i);
  ck_assert_msg(shared, "%s", s.found.cand[0].text);
  ck_assert_uint_eq(s.found.cand[0].kernels, 2);
  done(&s);
}

END_TEST

/* enough blocks as it is: a second kernel would only cost */
START_TEST(loops_are_not_shared) {
  searched s = search_text("program wide\nsizes B = 16, D = 4096, N = 16384\ninput X: f16[B, D]\n"
                           "input W: f16[D, N]\noutput O = silu(X @ W)\n");
  ck_assert_uint_eq(s.found.cand[0].kernels, 1);
  done(&s);
}

END_TEST

typedef struct {
  const char *text;
  uint32_t kernels;
  uint32_t products;
  bool cheaper; /* much, by the model, than the operators as written */
} reordered;

static const reordered orders[] = {
    {"program chain\nsizes M = 4096, K = 2048, N = 1\ninput A: f16[M, K]\ninput B: f16[K, M]\n"
     "input x: f16[M, N]\noutput O = (A @ B) @ x\n",
     2, 2, true},
    {"program chain_left\nsizes M = 16, K = 4096, N = 4096\ninput x: f16[M, K]\n"
     "input A: f16[K, N]\ninput B: f16[N, K]\noutput O = x @ (A @ B)\n",
     2, 2, true},
    /* the sum of the weights first: in a kernel of its own, or in each block of the product */
    {"program distrib\nsizes B = 1024, D = 1024, N = 1024\ninput X: f16[B, D]\n"
     "input W1: f16[D, N]\ninput W2: f16[D, N]\noutput O = X @ W1 + X @ W2\n",
     2, 1, true},
    /* W is read once in either form, which is what it costs: one product or two is a draw */
    {"program factor\nsizes B = 16, D = 4096, N = 4096\ninput X: f16[B, D]\ninput Y: f16[B, D]\n"
     "input W: f16[D, N]\noutput O = (X @ W) * 0.5 + (Y @ W) * 0.5\n",
     1, 2, false},
    /* nothing goes through the function: both products stay */
    {"program gated\nsizes B = 16, D = 1024, N = 1024\ninput X: f16[B, D]\ninput Y: f16[B, D]\n"
     "input W: f16[D, N]\noutput O = silu(X @ W) + silu(Y @ W)\n",
     2, 2, false}};

static uint32_t count(const char *text, const char *word) {
  uint32_t n = 0;
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
    n++;
  return n;
}

/* operators change places where that is cheaper, and only where it means the same */
START_TEST(operators_change_places) {
  const reordered *expected = &orders[_i];
  searched s = search_text(expected->text);
  const as_candidate *best = &s.found.cand[0];
  double apart = as_cost(s.graph, as_target_default(), NULL);
  ck_assert_msg(best->kernels <= expected->kernels, "%s", best->text);
  ck_assert_msg(count(best->text, "matmul(") == expected->products, "%s", best->text);
  ck_assert_msg(!expected->cheaper || best->us < apart / 2, "%g of %g", best->us, apart);
  done(&s);
}

END_TEST

static const char *const side_by_side[] = {
    "program qkv\nsizes B = 16, D = 4096, N = 4096\ninput X: f16[B, D]\ninput Wq: f16[D, N]\n"
    "input Wk: f16[D, N]\ninput Wv: f16[D, N]\noutput Q = X @ Wq\noutput K = X @ Wk\n"
    "output V = X @ Wv\n",
    "program qkv_gqa\nsizes B = 16, D = 4096, N = 4096, P = 1024\ninput X: f16[B, D]\n"
    "input Wq: f16[D, N]\ninput Wk: f16[D, P]\ninput Wv: f16[D, P]\noutput Q = X @ Wq\n"
    "output K = X @ Wk\noutput V = X @ Wv\n",
    /* extents that may be 0: no tiles then, of any size, for both */
    ("program empty\nsizes B = 16, D = 4096, N >= 0 = 4096\ninput X: f16[B, D]\n"
     "input Wq: f16[D, N]\ninput Wk: f16[D, N]\noutput Q = X @ Wq\noutput K = X @ Wk\n")};

/* one may be empty without the other, which a common number of tiles would exclude */
START_TEST(outputs_apart) {
  searched s = search_text("program apart\nsizes B = 16, D = 4096, N >= 0 = 4096, P >= 0 = 1024\n"
                           "input X: f16[B, D]\ninput Wq: f16[D, N]\ninput Wk: f16[D, P]\n"
                           "output Q = X @ Wq\noutput K = X @ Wk\n");
  ck_assert_uint_eq(s.found.cand[0].kernels, 2);
  ck_assert_uint_eq(s.found.stats.unproved + s.found.stats.ill_formed, 0);
  done(&s);
}

END_TEST

/* products that share an operand share a kernel, and each reads its own columns once */
START_TEST(outputs_side_by_side) {
  searched s = search_text(side_by_side[_i]);
  const as_candidate *best = &s.found.cand[0];
  ck_assert_msg(best->kernels == 1, "%s", best->text);
  ck_assert_msg(strstr(best->text, "grid x = J\n") != NULL, "%s", best->text);
  done(&s);
}

END_TEST

int main(void) {
  TCase *tests = test_case("spaces", 120);
  tcase_add_loop_test(tests, loops_are_shared, 0, sizeof few_blocks / sizeof *few_blocks);
  tcase_add_test(tests, loops_are_not_shared);
  tcase_add_loop_test(tests, operators_change_places, 0, sizeof orders / sizeof *orders);
  tcase_add_loop_test(tests, outputs_side_by_side, 0, 3);
  tcase_add_test(tests, outputs_apart);
  return test_run("spaces", tests);
}
