/* What the search looks for beyond one kernel for a run of operators: loops that several blocks
 * share, other orders of the same operators, groups of the dataflow graph. */
#include "search/search.h"
#include "src/base/str.h"
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

/* The kernel that combines divides an axis more than the one before it, where what it does at one
 * index of the axis reads no other. */
START_TEST(combining_is_divided) {
  static const struct {
    const char *text;
    const char *stored; /* by the kernel that combines */
  } row[] = {
      {"program decode\nsizes M = 1, E = 128, K = 65536\ninput Q: f16[M, E]\n"
       "input Kt: f16[E, K]\ninput V: f16[K, E]\noutput O = softmax(Q @ Kt) @ V\n",
       "store O [M, U] = "},
      {"program tall\nsizes B = 16, D = 65536, N = 32\ninput X: f16[B, D]\ninput W: f16[D, N]\n"
       "output O = rms_norm(X @ W)\n",
       ", N] = "}, /* the norm reads whole rows */
  };

  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    searched s = search_text(row[i].text);
    const as_candidate *best = &s.found.cand[0];
    const char *combining = strstr(best->text, "kernel k1\n");
    ck_assert_msg(combining != NULL, "%s", best->text);
    const char *store = strstr(combining, "store O ");
    ck_assert_msg(strstr(combining, "grid x = ") != NULL, "%s", best->text);
    ck_assert_msg(store && strstr(store, row[i].stored), "%s", best->text);
    ck_assert_uint_eq(s.found.stats.ill_formed + s.found.stats.unproved, 0);
    done(&s);
  }
}

END_TEST

#define CACHED                                                                                     \
  "H = 8, M = 16, E = 64, C = 4080\ninput Q: f16[H, M, E]\ninput Kc: f16[H, C, E]\n"               \
  "input Vc: f16[H, C, E]\ninput K: f16[H, M, E]\ninput V: f16[H, M, E]\n"
#define KEYS_AND_VALUES "Ka = concat(Kc, K, axis=1)\nVa = concat(Vc, V, axis=1)\n"

/* what is folded over an axis that joins two tensors is folded over either part in a kernel of its
 * own, without joining them */
static const char *const joined[] = {
    "program attention\nsizes " CACHED KEYS_AND_VALUES
    "output O = softmax(Q @ transpose(Ka)) @ Va\n",
    "program product\nsizes M = 16, N = 64, C = 65536, D = 32768\ninput A: f16[M, C]\n"
    "input B: f16[M, D]\ninput W: f16[C, N]\ninput Z: f16[D, N]\n"
    "output O = concat(A, B, axis=1) @ concat(W, Z, axis=0)\n"};

START_TEST(joins_are_searched_apart) {
  searched s = search_text(joined[_i]);
  const as_candidate *best = &s.found.cand[0];
  ck_assert_msg(strstr(best->text, "concat") == NULL, "%s", best->text);
  ck_assert_msg(best->kernels == 3, "%s", best->text);
  ck_assert_uint_eq(s.found.stats.ill_formed + s.found.stats.unproved, 0);
  done(&s);
}

END_TEST

/* Nothing is searched apart, and nothing made that is then not proved, where the joined axis is not
 * only folded, or another tensor has all of it. */
static const char *const not_joined[] = {
    /* an output has the axis */
    "program kept\nsizes M = 16, C = 4080, N = 4096\nwhere N = C + M\ninput A: f16[M, C]\n"
    "input B: f16[M, M]\noutput O = exp(concat(A, B, axis=1))\n",
    /* the concatenation is along another axis than the one that is folded */
    "program other\nsizes M = 16, C = 4080, N = 64\ninput A: f16[C, N]\ninput B: f16[M, N]\n"
    "output O = sum(exp(concat(A, B, axis=0)), axis=1)\n",
    /* a fold that is no sum and no maximum */
    "program least\nsizes M = 16, C = 65536, D = 32768\ninput A: f16[M, C]\n"
    "input B: f16[M, D]\noutput O = min(concat(A, B, axis=1), axis=1)\n",
    /* three parts */
    "program three\nsizes " CACHED "K2 = concat(Kc, K, axis=1)\nV2 = concat(Vc, V, axis=1)\n"
    "Ka = concat(K2, K, axis=1)\nVa = concat(V2, V, axis=1)\n"
    "output O = softmax(Q @ transpose(Ka)) @ Va\n",
    /* a mask goes over the whole axis */
    "program masked\nsizes " CACHED "input B: f16[M, C + M]\n" KEYS_AND_VALUES
    "output O = softmax(Q @ transpose(Ka) + B) @ Va\n",
    /* the operands are the wrong way round: new keys before the old, values behind */
    "program crossed\nsizes " CACHED "Ka = concat(K, Kc, axis=1)\nVa = concat(Vc, V, axis=1)\n"
    "output O = softmax(Q @ transpose(Ka)) @ Va\n"};

START_TEST(joins_are_left) {
  searched s = search_text(not_joined[_i]);
  const as_candidate *best = &s.found.cand[0];
  ck_assert_msg(strstr(best->text, "concat") != NULL, "%s", best->text);
  ck_assert_uint_eq(s.found.stats.ill_formed + s.found.stats.unproved, 0);
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
     3, 2, true}, /* blocks may share what the first product sums over */
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
  ck_assert_uint_ge(s.found.cand[0].kernels, 2);
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

/* Statements of one program in two orders of the text: the dataflow is what counts. */
typedef struct {
  const char *head;
  const char *statement[10];
  uint32_t n;
} shuffled;

static const shuffled programs[] = {
    {"program heads\nsizes M = 32, D = 512, H = 4, E = 128\nwhere D = H * E\ninput X: f16[M, D]\n"
     "input Wq: f16[D, D]\ninput Wk: f16[D, D]\n",
     {"Q1 = X @ Wq\n", "Q = transpose(split_axis(Q1, axis=-1, outer=H, inner=E), axis=0)\n",
      "K1 = X @ Wk\n", "K = transpose(split_axis(K1, axis=-1, outer=H, inner=E), axis=0)\n",
      "output O = Q @ transpose(K)\n"},
     5},
    {"program gates\nsizes B = 16, D = 1024, N = 512\ninput X: f16[B, D]\ninput U: f16[D, N]\n"
     "input V: f16[D, N]\ninput W: f16[D, N]\n",
     {"A = X @ U\n", "G = sigmoid(A)\n", "B1 = X @ V\n", "C = X @ W\n", "T = tanh(C)\n",
      "output Y = G * B1\n", "output Z = G * T\n"},
     7}};

/* whether the statement reads a name that none of those placed before it defines */
static bool reads_later(const shuffled *of, const bool *placed, uint32_t which) {
  for (uint32_t i = 0; i < of->n; i++) {
    char name[16];
    const char *statement = of->statement[i];
    const char *from = strncmp(statement, "output ", 7) == 0 ? statement + 7 : statement;
    size_t length = strcspn(from, " ");
    snprintf(name, sizeof name, "%.*s", (int)length, from);
    const char *right = strchr(of->statement[which], '=');
    for (const char *at = strstr(right, name); at && !placed[i] && i != which;
         at = strstr(at + 1, name)) {
      bool starts = strchr(" (", at[-1]) != NULL;
      bool ends = strchr(" ,)\n", at[length]) != NULL;
      if (starts && ends)
        return true;
    }
  }
  return false;
}

/* the program with its statements in a random order that defines before it reads */
static char *shuffle(const shuffled *of, uint64_t *state) {
  as_str text;
  bool placed[10] = {false};
  as_str_init(&text);
  as_str_add(&text, of->head);
  for (uint32_t n = 0; n < of->n;) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint32_t which = (uint32_t)(*state >> 33) % of->n;
    if (placed[which] || reads_later(of, placed, which))
      continue;
    as_str_add(&text, of->statement[which]);
    placed[which] = true;
    n++;
  }
  return as_str_take(&text);
}

/* the order of the text is of no matter to the choice */
START_TEST(text_order_is_of_no_matter) {
  const shuffled *of = &programs[_i];
  uint64_t state = 20261123;
  double us = 0;
  uint32_t kernels = 0;
  printf("text_order_is_of_no_matter: seed %llu\n", (unsigned long long)state);
  for (uint32_t run = 0; run < 3; run++) {
    char *text = shuffle(of, &state);
    searched s = search_text(text);
    const as_candidate *best = &s.found.cand[0];
    us = run ? us : best->us;
    kernels = run ? kernels : best->kernels;
    ck_assert_msg(best->us == us && best->kernels == kernels, "%g us, not %g:\n%s%s", best->us, us,
                  text, best->text);
    free(text);
    done(&s);
  }
}

END_TEST

typedef struct {
  const char *text;
  uint32_t kernels; /* at most */
  const char *has;  /* NULL, or what the muGraph's text has */
} bounded;

static const bounded fused[] = {
    /* a mask made of positions is no kernel and no memory: one kernel, as without the mask */
    {"program causal\nsizes H = 16, M = 256, E = 64\ninput Q: f16[H, M, E]\n"
     "input Kt: f16[H, E, M]\ninput V: f16[H, M, E]\nP = Q @ Kt\nS = P / 8\nR = iota(size=M)\n"
     "Col = R[none, :]\nRow = R[:, none]\nKeep = less_equal(Col, Row)\nDrop = 1 - Keep\n"
     "Far = Drop * 10000\nZ = S - Far\nW = softmax(Z)\noutput O = W @ V\n",
     1, "] = Drop "},
    /* integers are tiles of a block: weights of few bits beside their scales, and what they mean */
    {"program whole\nsizes M = 16, K = 1024, N = 1024\ninput X: f16[M, K]\ninput W: int[K, N]\n"
     "input s: f16[N]\noutput Y = X @ (W * s)\n",
     1, "= W "},
    /* a tensor against itself: two tiles of it */
    {"program gram\nsizes N = 1024, D = 256\ninput X: f16[N, D]\n"
     "output G = X @ transpose(X)\n",
     1, "grid x = J1, y = J\n"},
    /* operators that read the same, whatever stands between them in the text */
    {"program apart\nsizes B = 16, D = 1024, N = 1024\ninput X: f16[B, D]\ninput A: f16[D, N]\n"
     "input B1: f16[D, N]\ninput C: f16[B, D]\nP = X @ A\nR = sum(C * C)\n"
     "output Y = silu(P)\noutput Z = R * 2\noutput W = X @ B1\n",
     2, NULL},
    /* a row of 64 KB: a block takes one */
    {"program rows\nsizes B = 64, V = 32768\ninput X: f16[B, V]\nP = softmax(X)\n"
     "output O = log(P)\n",
     1, NULL},
    /* heads are parts of Q, read where they lie; joined keys are stored: blocks read them again */
    {"program head\nsizes M = 16, C = 2048, D = 1024, H = 8, E = 128\nwhere D = H * E\n"
     "input Q: f16[M, D]\ninput K: f16[H, C, E]\ninput L: f16[H, M, E]\n"
     "Qh = transpose(split_axis(Q, axis=-1, outer=H, inner=E), axis=0)\n"
     "output S = softmax(Qh @ transpose(concat(K, L, axis=1)))\n",
     3, "] = Qh "},
    /* heads are taken from where they lie and stored merged: one axis of the grid for heads, one
     * for parts of them, on one axis of both tensors */
    {"program merged\nsizes M = 16, C = 1024, D = 1024, H = 8, E = 128\nwhere D = H * E\n"
     "input P: f16[H, M, C]\ninput V: f16[C, D]\n"
     "Vh = transpose(split_axis(V, axis=-1, outer=H, inner=E), axis=0)\nA = P @ Vh\n"
     "output O = merge_axes(transpose(A, axis=0), axis=1)\n",
     2, "] = Vh "}}; /* the second one adds what blocks have of a shared sum */

START_TEST(kernels_at_most) {
  searched s = search_text(fused[_i].text);
  const as_candidate *best = &s.found.cand[0];
  ck_assert_msg(best->kernels <= fused[_i].kernels, "%s", best->text);
  ck_assert_msg(!fused[_i].has || strstr(best->text, fused[_i].has), "%s", best->text);
  done(&s);
}

END_TEST

/* axes that no operator tells apart are divided as one: hardly more states than over one axis */
START_TEST(alike_axes) {
  static const char *const apart = "program apart\nsizes N = 64, C = 32, H = 128, W = 128\n"
                                   "input X: f32[N, C, H, W]\nA = relu(X)\nB = A * 2\n"
                                   "D = exp(B)\noutput O = D / 3\n";
  static const char *const merged = "program merged\nsizes N = 33554432\ninput X: f32[N]\n"
                                    "A = relu(X)\nB = A * 2\nD = exp(B)\noutput O = D / 3\n";
  searched four = search_text(apart);
  searched one = search_text(merged);
  const as_candidate *best = &four.found.cand[0];
  printf("alike_axes: %llu states, %llu over one axis\n",
         (unsigned long long)four.found.stats.states, (unsigned long long)one.found.stats.states);
  ck_assert_uint_eq(best->kernels, 1);
  ck_assert_msg(best->us <= 1.02 * one.found.cand[0].us, "%g us, %g over one axis:\n%s", best->us,
                one.found.cand[0].us, best->text);
  ck_assert_uint_le(four.found.stats.states, 4 * one.found.stats.states);
  done(&one);
  done(&four);
}

END_TEST

/* one that an operator reduces is told apart: blocks take rows of it, as many as there are */
START_TEST(axes_told_apart) {
  searched s = search_text("program rows\nsizes N = 64, W = 512\ninput X: f32[N, W]\n"
                           "output O = softmax(X) * 2\n");
  ck_assert_uint_eq(s.found.cand[0].kernels, 1);
  ck_assert_msg(strstr(s.found.cand[0].text, "= X x -> 0\n"), "%s", s.found.cand[0].text);
  done(&s);
}

END_TEST

int main(void) {
  TCase *tests = test_case("spaces", 120);
  tcase_add_test(tests, alike_axes);
  tcase_add_test(tests, axes_told_apart);
  tcase_add_loop_test(tests, loops_are_shared, 0, sizeof few_blocks / sizeof *few_blocks);
  tcase_add_test(tests, combining_is_divided);
  tcase_add_loop_test(tests, joins_are_searched_apart, 0, sizeof joined / sizeof *joined);
  tcase_add_loop_test(tests, joins_are_left, 0, sizeof not_joined / sizeof *not_joined);
  tcase_add_test(tests, loops_are_not_shared);
  tcase_add_loop_test(tests, operators_change_places, 0, sizeof orders / sizeof *orders);
  tcase_add_loop_test(tests, outputs_side_by_side, 0, 3);
  tcase_add_test(tests, outputs_apart);
  tcase_add_loop_test(tests, text_order_is_of_no_matter, 0, 2);
  tcase_add_loop_test(tests, kernels_at_most, 0, sizeof fused / sizeof *fused);
  return test_run("spaces", tests);
}
