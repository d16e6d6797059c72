/* Index tensors: what operators at kernel level compute of no input is no kernel and no memory.
 * Blocks compute the elements of their tiles from where these lie: along the grid, along the loop,
 * along both at once, where a tile is cut off; operators at kernel level where they read them.
 * Tensors of integers in the same places: tiles of them are read from memory, and stay integers.
 * And where tiles lie that several axes of the grid divide. */
#include "case.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include <stdlib.h>

/* the graph against the program at these sizes, and how many kernels it is lowered to, beside
 * operators at kernel level that compute integers of integers: the graph counts them, and they are
 * written out where they are read */
static void check_beside(const char *given, const char *graph, const case_size *size,
                         unsigned kernels, unsigned integer_operators) {
  lower_case j;
  as_lowered lowered;
  case_open(&j);
  case_read(&j, given, graph);
  case_set_sizes(&j, size);
  as_lowered_init(&lowered);
  bool made = as_lower_cuda(graph ? j.mug : j.prog, &(as_lower_opts){0}, &lowered, &j.err);
  ck_assert_msg(made, "%s", made ? "" : as_err_format(&j.err));
  ck_assert_uint_eq(lowered.n_kernel, kernels);
  if (graph)
    ck_assert_uint_eq(as_graph_kernels(j.mug), kernels + integer_operators);
  as_lowered_clear(&lowered);
  case_check(&j, size, NULL, 1);
}

static void check_kernels(const char *given, const char *graph, const case_size *size,
                          unsigned kernels) {
  check_beside(given, graph, size, kernels, 0);
}

static const char masked[] = "program masked\nsizes M, K, E\ninput Q: f16[M, E]\n"
                             "input Kt: f16[E, K]\ninput V: f16[K, E]\n"
                             "P = iota(size=K)\nR = iota(size=M)\n"
                             "Keep = less_equal(P[none, :], R[:, none])\n"
                             "S = Q @ Kt - (1 - Keep) * 1000\noutput O = softmax(S) @ V\n";

static const char masked_in_blocks[] =
    "mugraph masked\nsizes J, U, L, T\nwhere M = J*U, K = L*T\n"
    "P = iota(size=K)\nR = iota(size=M)\nP1 = expand_dims(P, axis=0)\n"
    "R1 = expand_dims(R, axis=1)\nKeep = less_equal(P1, R1)\nNot = 1 - Keep\nZ = Not * 1000\n"
    "kernel k0\n  grid x = J\n  loop l = L\n  load q [U, E] = Q x -> 0\n"
    "  load k [E, T] = Kt loop -> 1\n  load v [T, E] = V loop -> 0\n"
    "  load z [U, T] = Z x -> 0 loop -> 1\n  a = matmul(q, k)\n  s = a - z\n  most = max(s)\n"
    "  acc last, run = max most\n  r1 = expand_dims(run, axis=1)\n  d = s - r1\n  e = exp(d)\n"
    "  w = matmul(e, v)\n  n = sum(e)\n  acc total = sum n rescale run\n"
    "  acc sums = sum w rescale run\n  t1 = expand_dims(total, axis=1)\n  o = sums / t1\n"
    "  store O [U, E] = o x -> 0\nend\n";

START_TEST(mask_over_grid_and_loop) {
  const case_size size[] = {{"M", 32}, {"K", 48}, {"E", 16}, {"J", 2},
                            {"U", 16}, {"L", 3},  {"T", 16}, {NULL, 0}};
  const case_size odd[] = {{"M", 15}, {"K", 21}, {"E", 10}, {"J", 5},
                           {"U", 3},  {"L", 3},  {"T", 7},  {NULL, 0}};
  check_kernels(masked, masked_in_blocks, size, 1);
  check_kernels(masked, masked_in_blocks, odd, 1);
}

END_TEST

/* one axis that the grid and the loop divide: tile number x * L + l; and tiles that are cut off */
START_TEST(shared_and_cut_axes) {
  static const char given[] = "program places\nsizes N, B\ninput X: f32[B, N]\n"
                              "W = iota(size=N)\noutput Y = sum(X * W[none, :], axis=1)\n";
  static const char shared[] =
      "mugraph places\nsizes S, L, T\nwhere N = S*L*T\nW = iota(size=N)\n"
      "kernel k0\n  grid x = S\n  loop l = L\n  load x [B, T] = X x -> 1 loop -> 1\n"
      "  load w [T] = W x -> 0 loop -> 0\n  p = x * w\n  s = sum(p)\n  acc a = sum s\n"
      "  b = expand_dims(a, axis=0)\n  store A [1, B] = b x -> 0\nend\n"
      "Y = sum(A, axis=0)\n";
  static const char cut[] =
      "mugraph places\nsizes L, T\nwhere L = (N + T - 1) div T\nW = iota(size=N)\n"
      "kernel k0\n  loop l = L\n  load x [B, T upto N] = X loop -> 1\n"
      "  load w [T upto N] = W loop -> 0\n  p = x * w\n  s = sum(p)\n  acc Y0 = sum s\n"
      "  store Y [B] = Y0\nend\n";
  const case_size sharing[] = {{"N", 60}, {"B", 3}, {"S", 3}, {"L", 4}, {"T", 5}, {NULL, 0}};
  const case_size cutting[] = {{"N", 19}, {"B", 3}, {"L", 3}, {"T", 8}, {NULL, 0}};
  check_kernels(given, shared, sharing, 2);
  check_kernels(given, cut, cutting, 1);
}

END_TEST

/* an operand of a product on tensor cores; an output that the same tensor is has a kernel */
START_TEST(operands_and_outputs) {
  static const char given[] = "program band\nsizes N, E\ninput X: f16[N, E]\n"
                              "I = identity(size=N)\noutput Y = (I * 3 - 1) @ X\n";
  static const char graph[] =
      "mugraph band\nsizes J, U, L, T\nwhere N = J*U, N = L*T\nI = identity(size=N)\n"
      "I3 = I * 3\nB = I3 - 1\nkernel k0\n  grid x = J\n  loop l = L\n"
      "  load b [U, T] = B x -> 0 loop -> 1\n  load x [T, E] = X loop -> 0\n"
      "  p = matmul(b, x)\n  acc y = sum p\n  store Y [U, E] = y x -> 0\nend\n";
  const case_size size[] = {{"N", 64}, {"E", 16}, {"J", 4}, {"U", 16},
                            {"L", 2},  {"T", 32}, {NULL, 0}};
  check_kernels(given, graph, size, 1);
  const case_size place[] = {{"N", 7}, {NULL, 0}};
  check_kernels("program both\nsizes N\ninput X: f32[N]\nR = iota(size=N)\n"
                "output Y = X + R\noutput R2 = R * 2\n",
                NULL, place, 1); /* one launch */
}

END_TEST

/* at kernel level: computed where each element is read once; where a reduction reads it over and
 * over, or it takes a root, it is a kernel as ever */
START_TEST(at_kernel_level) {
  static const struct {
    const char *output;
    unsigned kernels;
  } row[] = {{"X * iota(size=N)[none, :] - 3", 1},
             {"X * less_equal(iota(size=N), 3)[none, :]", 1},
             {"X * less(iota(size=N) * 2, 2.3)[none, :]", 1},
             {"X + exp(iota(size=N))[none, :]", 2},
             {"X @ identity(size=N)", 2}};

  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    lower_case j;
    char *given =
        as_format("program flat\nsizes M, N\ninput X: f32[M, N]\noutput Y = %s\n", row[i].output);
    const case_size size[] = {{"M", 4}, {"N", 12}, {NULL, 0}};
    case_open(&j);
    case_read(&j, given, NULL);
    case_set_sizes(&j, size);
    as_lowered lowered;
    as_lowered_init(&lowered);
    ck_assert(as_lower_cuda(j.prog, &(as_lower_opts){0}, &lowered, &j.err));
    ck_assert_msg(lowered.n_kernel == row[i].kernels, "%s: %u kernels", row[i].output,
                  lowered.n_kernel);
    as_lowered_clear(&lowered);
    case_check(&j, size, NULL, 1);
    free(given);
  }
}

END_TEST

/* blocks are numbered along an axis by x, then y, then z, then the loop, the last one fastest: in
 * loads and stores, with tiles of any extent */
START_TEST(several_grid_axes_on_one) {
  static const char given[] = "program heads\nsizes M, H, E, C, D\nwhere D = H * E\n"
                              "input P: f16[H, M, C]\ninput V: f16[C, D]\n"
                              "Vh = transpose(split_axis(V, axis=-1, outer=H, inner=E), axis=0)\n"
                              "A = P @ Vh\noutput O = merge_axes(transpose(A, axis=0), axis=1)\n";
  static const char graph[] =
      "mugraph heads\nsizes J, U, L, T\nwhere E = J*U, C = L*T\nkernel k0\n  grid x = H, y = J\n"
      "  loop l = L\n  load p [1, M, T] = P x -> 0 loop -> 2\n"
      "  load v [T, U] = V x -> 1 y -> 1 loop -> 0\n  v1 = expand_dims(v, axis=0)\n"
      "  a = matmul(p, v1)\n  s = sum(a, axis=0)\n  acc o = sum s\n"
      "  store O [M, U] = o x -> 1 y -> 1\nend\n";
  static const char place_given[] = "program places\nsizes B, N\ninput X: f32[B, N]\n"
                                    "R = iota(size=N)\noutput Y = X * R[none, :] - X\n";
  static const char places[] =
      "mugraph places\nsizes F, G, H, L, T\nwhere N = F*G*H*L*T\nR = iota(size=N)\nkernel k0\n"
      "  grid x = F, y = G, z = H\n  loop l = L\n"
      "  load x [B, T] = X x -> 1 y -> 1 z -> 1 loop -> 1\n"
      "  load r [T] = R x -> 0 y -> 0 z -> 0 loop -> 0\n  p = x * r\n  q = p - x\n"
      "  acc y = concat q axis 1\n  store Y [B, L*T] = y x -> 1 y -> 1 z -> 1\nend\n";
  static const case_size even[] = {{"M", 16}, {"H", 3},  {"E", 32}, {"C", 32}, {"D", 96},
                                   {"J", 2},  {"U", 16}, {"L", 2},  {"T", 16}, {NULL, 0}};
  static const case_size odd[] = {{"M", 5}, {"H", 2}, {"E", 9}, {"C", 6}, {"D", 18},
                                  {"J", 3}, {"U", 3}, {"L", 3}, {"T", 2}, {NULL, 0}};
  static const case_size five[] = {{"B", 2}, {"N", 120}, {"F", 2}, {"G", 3},
                                   {"H", 4}, {"L", 5},   {"T", 1}, {NULL, 0}};

  static const struct {
    const char *given;
    const char *graph;
    const case_size *size;
  } row[] = {{given, graph, even}, {given, graph, odd}, {place_given, places, five}};

  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    lower_case j;
    case_open(&j);
    case_read(&j, row[i].given, row[i].graph);
    case_check(&j, row[i].size, NULL, 1);
  }
}

END_TEST

/* labels by the grid, classes by grid and loop at once; what is computed of labels at kernel level
 * is no kernel either */
START_TEST(integers_over_grid_and_loop) {
  static const char given[] = "program picked\nsizes B, V\ninput X: f32[B, V]\ninput at: int[B]\n"
                              "Hot = equal(iota(size=V)[none, :], (at * 3 + 1)[:, none])\noutput Y "
                              "= sum(Hot * X, axis=1)\n";
  static const char graph[] =
      "mugraph picked\nsizes J, U, S, L, T\nwhere B = J*U, V = S*L*T\nW = iota(size=V)\n"
      "a3 = at * 3\na4 = a3 + 1\nkernel k0\n  grid x = J, y = S\n  loop l = L\n"
      "  load x [U, T] = X x -> 0 y -> 1 loop -> 1\n  load w [T] = W y -> 0 loop -> 0\n"
      "  load a [U] = a4 x -> 0\n  a1 = expand_dims(a, axis=1)\n  h = equal(w, a1)\n"
      "  p = h * x\n  s = sum(p)\n  acc c = sum s\n  d = expand_dims(c, axis=0)\n"
      "  store Z [1, U] = d x -> 1 y -> 0\nend\nY = sum(Z, axis=0)\n";
  const case_size size[] = {{"B", 6}, {"V", 24}, {"J", 3}, {"U", 2},
                            {"S", 2}, {"L", 3},  {"T", 4}, {NULL, 0}};
  check_beside(given, graph, size, 2, 2);
}

END_TEST

/* tiles of integers that are cut off, along the loop and along the grid: nothing is read beyond */
START_TEST(integers_cut_off) {
  static const char given[] = "program weigh\nsizes B, N\ninput X: f32[B, N]\ninput w: int[B, N]\n"
                              "output Y = sum(X * w, axis=1)\n";
  static const char graph[] =
      "mugraph weigh\nsizes J, U, L, T\nwhere J = (B + U - 1) div U, L = (N + T - 1) div T\n"
      "kernel k0\n  grid x = J\n  loop l = L\n"
      "  load x [U upto B, T upto N] = X x -> 0 loop -> 1\n"
      "  load v [U upto B, T upto N] = w x -> 0 loop -> 1\n  p = x * v\n  s = sum(p)\n"
      "  acc a = sum s\n  store Y [U upto B] = a x -> 0\nend\n";
  static const long extent[][4] = {{7, 19, 3, 8}, {1, 1, 4, 4}, {13, 17, 5, 16}, {8, 32, 4, 8}};

  for (size_t i = 0; i < sizeof extent / sizeof *extent; i++) {
    const long *of = extent[i];
    const case_size size[] = {{"B", of[0]},
                              {"N", of[1]},
                              {"U", of[2]},
                              {"T", of[3]},
                              {"J", (of[0] + of[2] - 1) / of[2]},
                              {"L", (of[1] + of[3] - 1) / of[3]},
                              {NULL, 0}};
    check_kernels(given, graph, size, 1);
  }
}

END_TEST

/* weights as integers, scaled by groups, as the operand of a product on tensor cores; integers as
 * places of another tile */
START_TEST(integers_as_operands_and_places) {
  static const char scaled[] =
      "program scaled\nsizes M, K, N, G, P\nwhere K = G*P\ninput X: f16[M, K]\n"
      "input W: int[K, N]\ninput s: f16[G, N]\n"
      "D = split_axis(W, axis=0, outer=G, inner=P) * s[:, none, :]\n"
      "output Y = X @ merge_axes(D, axis=0)\n";
  static const char in_block[] =
      "mugraph scaled\nsizes J, U\nwhere N = J*U\nkernel k0\n  grid x = J\n  loop l = G\n"
      "  load x [M, P] = X loop -> 1\n  load w [P, U] = W x -> 1 loop -> 0\n"
      "  load t [1, U] = s x -> 1 loop -> 0\n  d = w * t\n  p = matmul(x, d)\n"
      "  acc y = sum p\n  store Y [M, U] = y x -> 1\nend\n";
  const case_size size[] = {{"M", 16}, {"K", 64}, {"N", 48}, {"G", 2},
                            {"P", 32}, {"J", 3},  {"U", 16}, {NULL, 0}};
  check_kernels(scaled, in_block, size, 1);
  static const char taken[] = "program taken\nsizes V, E, B\ninput X: f32[V, E]\n"
                              "input at: int[B]\noutput Y = exp(embedding(X, at))\n";
  static const char taken_in_block[] =
      "mugraph taken\nsizes J, U, C, T\nwhere B = J*U, E = C*T\nkernel k0\n"
      "  grid x = J, y = C\n  load t [V, T] = X y -> 1\n  load a [U] = at x -> 0\n"
      "  r = embedding(t, a)\n  e = exp(r)\n  store Y [U, T] = e x -> 0 y -> 1\nend\n";
  const case_size places[] = {{"V", 11}, {"E", 6}, {"B", 8}, {"J", 4},
                              {"U", 2},  {"C", 3}, {"T", 2}, {NULL, 0}};
  check_kernels(taken, taken_in_block, places, 1);
}

END_TEST

int main(void) {
  TCase *tests = test_case("index tensors", 120);
  tcase_add_test(tests, mask_over_grid_and_loop);
  tcase_add_test(tests, shared_and_cut_axes);
  tcase_add_test(tests, operands_and_outputs);
  tcase_add_test(tests, at_kernel_level);
  tcase_add_test(tests, several_grid_axes_on_one);
  tcase_add_test(tests, integers_over_grid_and_loop);
  tcase_add_test(tests, integers_cut_off);
  tcase_add_test(tests, integers_as_operands_and_places);
  return case_test_run("lower_index", tests, 300);
}
