/* Tile programs as block graphs: how many kernels the ways of cutting give, what is carried by a
 * running maximum, and what has no such form.  (That block graphs are those of their program is for
 * the verdict to say: tests/tiles/test_saturate.sh.) */
#include "src/base/mem.h"
#include "src/tile/blocks.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

static as_oplib *lib;
static as_sizes *sizes;

static void open_library(void) {
  lib = test_operators();
  sizes = as_sizes_new();
}

static void close_library(void) {
  as_sizes_free(sizes);
  as_oplib_free(lib);
}

static as_graph *program(const char *text) {
  as_err err;
  as_err_init(&err);
  as_graph *given = as_parse_tp("given.tp", text, strlen(text), sizes, lib, &err);
  ck_assert_msg(given != NULL, "%s", err.text ? err.text : "");
  return given;
}

/* the text, which reads as a muGraph of the program; NULL: there is none, and why is said */
static char *blocks(const as_graph *given, const char *tile, as_tile_cut cut, bool shifted) {
  const as_tile_blocks_how how = {.cut = cut, .shifted = shifted};
  as_err err;
  as_err_init(&err);
  char *text = as_tile_blocks(tile, given, lib, &how, &err);
  ck_assert_msg(text || err.text, "no reason");
  if (text) {
    as_graph *graph = as_parse_mug("blocks.mug", text, strlen(text), given, &err);
    ck_assert_msg(graph != NULL, "%s\n%s", err.text ? err.text : "", text);
    as_graph_free(graph);
  }
  as_err_clear(&err);
  return text;
}

static int count(const char *text, const char *word) {
  int n = 0;
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
    n++;
  return n;
}

static const char attention[] = "program attention\n"
                                "sizes M = 4, K = 8, N = 6, D = 10\n"
                                "input X: f16[M, K]\n"
                                "input W: f16[K, K]\n"
                                "input C: f16[N, K]\n"
                                "input V: f16[N, D]\n"
                                "output O = softmax((X @ W) @ transpose(C)) @ V\n";

static const char head[] = "tile t\n"
                           "sizes M = 4\n"
                           "sizes K = 8\n"
                           "sizes N = 6\n"
                           "sizes D = 10\n"
                           "sizes K_n = 4, K_t = 2\n"
                           "where K = K_n * K_t\n"
                           "sizes N_n = 3, N_t = 2\n"
                           "where N = N_n * N_t\n"
                           "input X: f16[M, K]\n"
                           "input W: f16[K, K]\n"
                           "input C: f16[N, K]\n"
                           "input V: f16[N, D]\n"
                           "scratch E: f32[M, N]\n"
                           "output O: f16[M, D]\n";

/* queries by one loop, keys by another; %s and what comes instead are the tests' */
static const char body[] = "make z[i < M, j < K] = 0\n"
                           "for k = 0 to K_n\n"
                           "  carry q = z\n"
                           "  load x[i < M, j < K_t] = X[i, k * K_t + j]\n"
                           "  load w[i < K_t, j < K] = W[k * K_t + i, j]\n"
                           "  p = matmul(x, w)\n"
                           "  next q = q + p\n"
                           "end\n"
                           "make u[i < M, j < D] = 0\n"
                           "make v[i < M, j < 1] = 0\n"
                           "for n = 0 to N_n\n"
                           "  carry o = u\n"
                           "  carry l = v\n"
                           "  load c[i < N_t, j < K] = C[n * N_t + i, j]\n"
                           "  t = transpose(c)\n"
                           "  s = matmul(q, t)\n"
                           "  e = exp(s)\n"
                           "  b = sum_keep(e, axis=1)\n"
                           "  load y[i < N_t, j < D] = V[n * N_t + i, j]\n"
                           "  a = matmul(e, y)\n"
                           "  next o = o + a\n"
                           "  next l = l + b\n"
                           "end\n"
                           "r = div(o, l)\n"
                           "store O[i, j] = r over [i < M, j < D]\n";

static char *with(const char *before, const char *after) {
  size_t n = strlen(head) + strlen(body) + strlen(after) + 1;
  char *text = as_malloc(n);
  const char *at = strstr(body, before);
  ck_assert(at != NULL);
  strcpy(text, head);
  strncat(text, body, (size_t)(at - body));
  strcat(text, after);
  strcat(text, at + strlen(before));
  return text;
}

START_TEST(two_loops_are_two_kernels) {
  as_graph *given = program(attention);
  char *tile = with("store", "store");
  for (int cut = 0; cut < AS_TILE_N_CUTS; cut++) {
    char *plain = blocks(given, tile, (as_tile_cut)cut, false);
    char *shifted = blocks(given, tile, (as_tile_cut)cut, true);
    ck_assert(plain && shifted);
    ck_assert_int_eq(count(plain, "\nkernel "), 2);
    ck_assert_int_eq(count(plain, "rescale"), 0);
    ck_assert_int_eq(count(shifted, "\nkernel "), 2);
    ck_assert_int_eq(count(shifted, " rescale "), 2);
    free(plain);
    free(shifted);
  }
  free(tile);
  as_graph_free(given);
}

END_TEST

/* what is between the loops: stored as it is needed, made again where it is, or by a kernel */
START_TEST(ways_of_cutting) {
  as_graph *given = program(attention);
  char *tile = with("make u", "h = square(q)\ng = mul(h, 2)\nmake u");
  char *at = strstr(tile, "matmul(q, t)");
  ck_assert(at != NULL);
  at[7] = 'g';
  static const int kernels[AS_TILE_N_CUTS] = {2, 2, 3};
  static const int before[AS_TILE_N_CUTS] = {1, 0, 0}; /* squares in the first kernel */
  for (int cut = 0; cut < AS_TILE_N_CUTS; cut++) {
    char *text = blocks(given, tile, (as_tile_cut)cut, true);
    ck_assert(text != NULL);
    ck_assert_int_eq(count(text, "\nkernel "), kernels[cut]);
    ck_assert_int_eq(count(text, "square("), 1);
    bool first = strstr(text, "square(") < strstr(text, "\nend");
    ck_assert_int_eq(first, before[cut]);
    free(text);
  }
  free(tile);
  as_graph_free(given);
}

END_TEST

/* exponentials that one loop stores and another sums: the argument is made again */
START_TEST(stored_exponentials_are_made_again) {
  as_graph *given = program(attention);
  char *tile = with("  b = sum_keep(e, axis=1)\n  load y[i < N_t, j < D] = V[n * N_t + i, j]\n"
                    "  a = matmul(e, y)\n  next o = o + a\n  next l = l + b\nend\n",
                    "  store E[i, n * N_t + j] = e over [i < M, j < N_t]\n"
                    "  b = sum_keep(e, axis=1)\n  next l = l + b\nend\n"
                    "for n = 0 to N_n\n  carry o = u\n"
                    "  load f[i < M, j < N_t] = E[i, n * N_t + j]\n"
                    "  load y[i < N_t, j < D] = V[n * N_t + i, j]\n"
                    "  a = matmul(f, y)\n  next o = o + a\nend\n");
  char *carry = strstr(tile, "  carry o = u\n  carry l");
  ck_assert(carry != NULL);
  memset(carry, ' ', strlen("  carry o = u"));
  char *text = blocks(given, tile, AS_TILE_CUT_LATE, true);
  ck_assert(text != NULL);
  ck_assert_int_eq(count(text, "store E"), 0);
  ck_assert_int_eq(count(text, "exp("), 2);
  ck_assert_int_eq(count(text, "max("), 1); /* of the first loop; the second loads it */
  ck_assert_int_eq(count(text, " rescale "), 1);
  free(text);
  free(tile);
  as_graph_free(given);
}

END_TEST

/* sums of one loop: of one kernel where they share a sum or have one shape, of two where not */
START_TEST(sums_of_other_shapes_are_apart) {
  as_graph *given = program("program attention\n"
                            "sizes M = 4, K = 8, N = 6, D = 10\n"
                            "input X: f16[M, K]\n"
                            "input W: f16[K, K]\n"
                            "input C: f16[N, K]\n"
                            "input V: f16[N, D]\n"
                            "output O = softmax((X @ W) @ transpose(C)) @ V\n"
                            "output R = sum(V, axis=0)\n"
                            "output S = (X @ W) @ transpose(C) @ V\n");
  char *tile = with("  carry o = u\n", "  carry o = u\n  carry g = w\n  carry f = u\n");
  char *text = as_malloc(strlen(tile) + 300);
  char *loop = strstr(tile, "make u[");
  char *next = strstr(tile, "  next o =");
  const char *stores = "store R[i] = g over [i < D]\nstore S[i, j] = f over [i < M, j < D]\n";
  char *output = strstr(tile, "output O");
  sprintf(text,
          "%.*soutput R: f16[D]\noutput S: f16[M, D]\n%.*smake w[i < D] = 0\n%.*s"
          "  p1 = sum(y, axis=0)\n  p2 = matmul(s, y)\n  next g = g + p1\n  next f = f + p2\n%s%s",
          (int)(output - tile), tile, (int)(loop - output), output, (int)(next - loop), loop, next,
          stores);
  char *blocks_text = blocks(given, text, AS_TILE_CUT_LATE, true);
  ck_assert(blocks_text != NULL);
  ck_assert_int_eq(count(blocks_text, "\nkernel "), 3);
  const char *of_rows = strstr(blocks_text, "store R");
  const char *of_others = strstr(blocks_text, "store S");
  const char *result = strstr(blocks_text, "store O");
  ck_assert(of_rows && of_others && result);
  const char *first = of_others < result ? of_others : result;
  const char *second = of_others < result ? result : of_others;
  ck_assert(strstr(first, "\nend") > second); /* one kernel */
  ck_assert(of_rows < first ? strstr(of_rows, "\nend") < first : strstr(second, "\nend") < of_rows);
  free(blocks_text);
  free(text);
  free(tile);
  as_graph_free(given);
}

END_TEST

/* what is changed of the text above, and no block graph can say */
static const struct {
  const char *before;
  const char *after;
} refused[] = {
    {"for k = 0 to K_n", "for k = 1 to K_n"},                      /* not from the first tile */
    {"for k = 0 to K_n", "for k = 0 to K"},                        /* tiles beyond the tensor */
    {"make z[i < M, j < K] = 0", "make z[i < M, j < K] = 1"},      /* not from zero */
    {"next q = q + p", "next q = q * p"},                          /* no sum */
    {"next q = q + p", "next q = p"},                              /* nor this */
    {"p = matmul(x, w)", "p = matmul(x, w) + q"},                  /* reads what it has so far */
    {"X[i, k * K_t + j]", "X[i, k * K_t + j] where i < 3 else 0"}, /* masked */
    {"X[i, k * K_t + j]", "X[i, k * K_t + j + 1]"},                /* between two tiles */
    {"X[i, k * K_t + j]", "X[i, k * 4 + j]"},                      /* tiles apart */
    {"store O[i, j] = r over [i < M, j < D]", "store O[i, j] = r[i, j] * 2 over [i < M, j < D]"},
    {"r = div(o, l)",
     "load d[i < M, j < N] = E[i, j]\nr = div(o, l)\n" /* nobody stored it */
     "f = sum_keep(d, axis=1)\nr2 = mul(r, f)\nstore E[i, j] = d over [i < M, j < N]"},
};

START_TEST(what_has_no_form_is_refused) {
  as_graph *given = program(attention);
  char *tile = with(refused[_i].before, refused[_i].after);
  char *result = strstr(tile, "= r over");
  if (strstr(tile, "r2 =") && result) /* the last case's result */
    memcpy(result, "=r2 over", strlen("=r2 over"));
  for (int cut = 0; cut < AS_TILE_N_CUTS; cut++)
    ck_assert_ptr_null(blocks(given, tile, (as_tile_cut)cut, _i % 2 == 0));
  free(tile);
  as_graph_free(given);
}

END_TEST

/* a tensor that is stored to several times is what was stored last, and what is read in between is
 * what was stored before */
START_TEST(stored_several_times) {
  as_graph *given = program(attention);
  char *tile =
      with("store O[i, j] = r over [i < M, j < D]", "store O[i, j] = o over [i < M, j < D]\n"
                                                    "load a2[i < M, j < D] = O[i, j]\n"
                                                    "r2 = div(a2, l)\n"
                                                    "store O[i, j] = r2 over [i < M, j < D]");
  char *text = blocks(given, tile, AS_TILE_CUT_LATE, true);
  ck_assert(text != NULL);
  ck_assert_int_eq(count(text, "\nkernel "), 2);
  ck_assert_int_eq(count(text, "store O "), 1);
  free(text);
  free(tile);
  as_graph_free(given);
}

END_TEST

static const char in_memory[] =
    "tile t\n"
    "sizes m = 4, k = 8, tm, tk\n"
    "input X: f16[m, k]\n"
    "input W: f16[k, k]\n"
    "scratch S: f32[m, k]%s\n"
    "output O: f16[m, k]\n"
    "parallel r = 0 to m step tm\n"
    "  %s c = 0 to k step tk\n"
    "    load s[i < min(tm, m - r), j < k] = S[%s + i, j]\n"
    "    load x[i < min(tm, m - r), j < min(tk, k - c)] = X[r + i, c + j]\n"
    "    load w[i < min(tk, k - c), j < k] = W[c + i, j]\n"
    "    t = %s(matmul(x, w), s)\n"
    "    store S[r + i, j] = t over [i < min(tm, m - r), j < k]\n"
    "  end\n"
    "  load u[i < min(tm, m - r), j < k] = S[r + i, j]\n"
    "  store O[r + i, j] = u over [i < min(tm, m - r), j < k]\n"
    "end\n";

static const struct {
  const char *initial;
  const char *loop;
  const char *read;
  const char *operator;
  bool is;
} memory[] = {
    {" = 0", "for", "r", "add", true},       {" = 1", "for", "r", "add", false}, /* not from zero */
    {"", "for", "r", "add", false},                                              /* from nothing */
    {" = 0", "parallel", "r", "add", false},                                     /* in any order */
    {" = 0", "for", "0", "add", false},                                          /* of other rows */
    {" = 0", "for", "r", "mul", false},                                          /* no sum */
    {" = 0", "for", "r", "sub", false},      {" = 0", "for", "r", "maximum", false},
};

/* sums in memory, of tiles that may be cut off: sizes are the program's, and tiles divide them */
START_TEST(sums_in_memory) {
  as_graph *given = program("program product\n"
                            "sizes M = 4, K = 8\n"
                            "input X: f16[M, K]\n"
                            "input W: f16[K, K]\n"
                            "output O = X @ W\n");
  char text[2000];
  snprintf(text, sizeof text, in_memory, memory[_i].initial, memory[_i].loop, memory[_i].read,
           memory[_i].operator);
  char *mug = blocks(given, text, AS_TILE_CUT_LATE, false);
  ck_assert_int_eq(mug != NULL, memory[_i].is);
  if (mug) {
    ck_assert_int_eq(count(mug, "\nkernel "), 1);
    ck_assert_int_eq(count(mug, "acc "), 1);
    ck_assert_int_eq(count(mug, "M = tm*tm_n"), 1);
    ck_assert_int_eq(count(mug, "K = tk*tk_n"), 1);
  }
  free(mug);
  as_graph_free(given);
}

END_TEST

int main(void) {
  TCase *all = test_case("blocks", 20);
  tcase_add_checked_fixture(all, open_library, close_library);
  tcase_add_test(all, two_loops_are_two_kernels);
  tcase_add_test(all, ways_of_cutting);
  tcase_add_test(all, stored_exponentials_are_made_again);
  tcase_add_test(all, sums_of_other_shapes_are_apart);
  tcase_add_test(all, stored_several_times);
  tcase_add_loop_test(all, sums_in_memory, 0, sizeof memory / sizeof *memory);
  tcase_add_loop_test(all, what_has_no_form_is_refused, 0, sizeof refused / sizeof *refused);
  return test_run("blocks", all);
}
