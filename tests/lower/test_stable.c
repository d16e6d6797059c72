/* What is printed is numerically as good as what was written: programs at magnitudes that go for
 * the weak places, all kernels built into one executable under the emulation, against the same
 * formulas in double precision.  By both routes of lowering: programs alone go the general way,
 * block graphs to validated thread graphs. */
#include "batch.h"
#include "case.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* elements center + width * z, z drawn from -1 to 1 in steps that repeat; or of the list below;
 * or these with minus infinity in the first half of each MASKED_ROW elements */
typedef struct {
  double center;
  double width;
  int listed; /* 1: of the list, 2: of what is beyond numbers, 3: half of it minus infinity */
} filling;

typedef double exact_function(double x);

typedef struct {
  const char *program;
  const char *graph;  /* NULL: the program alone */
  exact_function *of; /* of one input element by element; NULL: the evaluator says */
  filling in[4];
  double most; /* of the error beside the largest result; of functions, beside each */
} stable_case;

static const double list[] = {0,      1e-45, -1e-45, 1e-40, -1e-40, 1e-30, -1e-30, 1e-12,
                              -1e-12, 1e-7,  -1e-7,  1e-4,  -1e-4,  1e-3,  -1e-3,  0.02,
                              -0.02,  0.3,   -0.3,   1,     -1,     3,     -3,     8,
                              -8,     16.5,  -16.5,  20,    -20,    30,    -30,    60,
                              -60,    86,    -86,    100,   -100,   1e4,   -1e4,   1e30};

static const double beyond[] = {NAN, INFINITY, -INFINITY, 1, -1};

enum { BEYOND = sizeof beyond / sizeof *beyond };

#define BEYOND_VALUES                                                                              \
  { 0, 0, 2 }
#define LISTED_VALUES                                                                              \
  { 0, 0, 1 }

enum { MASKED_ROW = 1024 };

enum { LISTED = sizeof list / sizeof *list };

/* --- functions; results below 2^-126 may be 0 */
static double softplus(double x) {
  return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static double sigmoid(double x) {
  return 1 / (1 + exp(-x));
}

static double silu(double x) {
  return x * sigmoid(x);
}

static double mish(double x) {
  return x * tanh(softplus(x));
}

static double elu(double x) {
  return x > 0 ? x : expm1(x);
}

static double one_less(double x) {
  return -expm1(x);
}

static double one_more_tanh(double x) {
  return 2 / (1 + exp(-2 * x));
}

static double one_less_tanh(double x) {
  return one_more_tanh(-x);
}

static double rest_of_sigmoid(double x) {
  return sigmoid(-x);
}

static double positive_log(double x) {
  return log1p(fabs(x));
}

static double relu(double x) {
  return x > 0 || isnan(x) ? x : 0;
}

static double clamp(double x) {
  return x > 2 ? 2 : x < -2 ? -2 : x;
}

static double itself(double x) {
  return x;
}

#define LIST "program p\nsizes N = 40\ninput X: f32[N]\n"
#define ROWS_IN "program p\nsizes B = 8, D = 1024\ninput X: f32[B, D]\n"
#define ROWS_GRAPH                                                                                 \
  "mugraph p\nsizes J = 8, U = 1\nwhere B = J*U\nkernel k\n  grid x = J\n"                         \
  "  load x [U, D] = X x -> 0\n"
#define TWO_PASS                                                                                   \
  "M = mean(X, axis=-1)[:, none]\nC = X - M\nV = mean(C * C, axis=-1)[:, none]\n"                  \
  "output Y = C / sqrt(V + 0.00001)\n"
#define TWO_PASS_GRAPH                                                                             \
  ROWS_GRAPH                                                                                       \
  "  m = mean(x)\n  c = x - m[:, none]\n  q = c * c\n  v = mean(q)\n"                              \
  "  w = v + 0.00001\n  s = sqrt(w)\n  y = c / s[:, none]\n  store Y [U, D] = y x -> 0\n"          \
  "end\n"
#define SHIFTED "E = exp(X - max(X, axis=-1)[:, none])\noutput Y = E / sum(E, axis=-1)[:, none]\n"
#define SHIFTED_GRAPH                                                                              \
  ROWS_GRAPH "  m = max(x)\n  d = x - m[:, none]\n  e = exp(d)\n  z = sum(e)\n"                    \
             "  y = e / z[:, none]\n  store Y [U, D] = y x -> 0\nend\n"
#define ONLINE "M = max(X, axis=-1)\nE = exp(X - M[:, none])\noutput Y = log(sum(E, axis=-1)) + M\n"
#define ONLINE_GRAPH                                                                               \
  "mugraph p\nsizes J = 8, U = 1, L = 4, T = 256\nwhere B = J*U, D = L*T\nkernel k\n"              \
  "  grid x = J\n  loop l = L\n  load x [U, T] = X x -> 0 loop -> 1\n  r = max(x)\n"               \
  "  acc mx, m = max r\n  d = x - m[:, none]\n  e = exp(d)\n  t = sum(e)\n"                        \
  "  acc z = sum t rescale m\n  l = log(z)\n  y = l + mx\n  store Y [U] = y x -> 0\nend\n"
/* scores to which minus infinity is added for all keys of the first blocks */
#define SCORED                                                                                     \
  "program p\nsizes M = 16, E = 64, K = 1024\ninput B: f16[M, K]\ninput Q: f16[M, E]\n"            \
  "input R: f16[E, K]\ninput V: f16[K, E]\nP = softmax(matmul(Q, R) + B, axis=1)\n"                \
  "output Y = matmul(P, V)\n"
#define SCORED_GRAPH                                                                               \
  "mugraph p\nsizes J = 1, U = 16, L = 16, T = 64\nwhere M = J*U, K = L*T\nkernel k\n"             \
  "  grid x = J\n  loop l = L\n  load q [U, E] = Q x -> 0\n  load r [E, T] = R loop -> 1\n"        \
  "  load b [U, T] = B x -> 0 loop -> 1\n  load v [T, E] = V loop -> 0\n  p = matmul(q, r)\n"      \
  "  s = p + b\n  h = max(s, axis=1)\n  acc mx, m = max h\n  d = s - m[:, none]\n"                 \
  "  e = exp(d)\n  t = sum(e, axis=1)\n  w = matmul(e, v)\n  acc z = sum t rescale m\n"            \
  "  acc a = sum w rescale m\n  y = a / z[:, none]\n  store Y [U, E] = y x -> 0\nend\n"
#define QUOTIENTS                                                                                  \
  "program p\nsizes B = 8, D = 256\ninput X: f32[B, D]\ninput P: f32[B, D]\ninput Q: f32[B, D]\n"  \
  "output Y = X / P / Q\n"
#define QUOTIENTS_GRAPH                                                                            \
  "mugraph p\nsizes J = 8, U = 1\nwhere B = J*U\nkernel k\n  grid x = J\n"                         \
  "  load x [U, D] = X x -> 0\n  load p [U, D] = P x -> 0\n  load q [U, D] = Q x -> 0\n"           \
  "  t = x / p\n  y = t / q\n  store Y [U, D] = y x -> 0\nend\n"
#define NORM_LINEAR                                                                                \
  "program p\nsizes B = 16, D = 512, N = 64\ninput X: f16[B, D]\ninput G: f16[D]\n"                \
  "input W: f16[D, N]\nY = rms_norm(X) * G\noutput Z = matmul(Y, W)\n"
#define NORM_LINEAR_GRAPH                                                                          \
  "mugraph p\nsizes L = 2, T = 256, J = 1, U = 64\nwhere D = L*T, N = J*U\nkernel k0\n"            \
  "  grid x = J\n  loop l = L\n  load t2 [B, T] = X loop -> 1\n  load t3 [T] = G loop -> 0\n"      \
  "  load t4 [T, U] = W x -> 1 loop -> 0\n  t5 = t2 * t2\n  t7 = sum(t5)\n"                        \
  "  t6 = t4 * t3[:, none]\n  t8 = matmul(t2, t6)\n  acc t9 = sum t7\n  acc t10 = sum t8\n  t11 "  \
  "= div_by(t9, n=D)\n"                                                                            \
  "  t12 = sqrt(t11)\n  t13 = expand_dims(t12, axis=1)\n  t14 = t10 / t13\n"                       \
  "  store Z [B, U] = t14 x -> 1\nend\n"

/* weights by a multiply-add beside a row's maximum, and by differences where that is far from 0 */
#define ATTENTION                                                                                  \
  "program p\nsizes H = 2, M = 64, K = 128, E = 64\ninput Q: f16[H, M, E]\n"                       \
  "input Kt: f16[H, E, K]\ninput V: f16[H, K, E]\noutput O = softmax(Q @ Kt) @ V\n"
#define ATTENTION_GRAPH                                                                            \
  "mugraph p\nsizes L = 2, T = 64, J = 1, U = 64\nwhere K = L*T, M = J*U\nkernel k\n"              \
  "  grid x = H, y = J\n  loop l = L\n  load q [1, U, E] = Q x -> 0 y -> 1\n"                      \
  "  load k [1, E, T] = Kt x -> 0 loop -> 2\n  load v [1, T, E] = V x -> 0 loop -> 1\n"            \
  "  s = matmul(q, k)\n  r = max(s, axis=-1)\n  acc mx, m = max r\n  d = s - m[:, :, none]\n"      \
  "  e = exp(d)\n  t = sum(e, axis=-1)\n  p = matmul(e, v)\n  acc z = sum t rescale m\n"           \
  "  acc o = sum p rescale m\n  y = o / z[:, :, none]\n  store O [1, U, E] = y x -> 0 y -> 1\n"    \
  "end\n"

#define ELEMENT_GRAPH(what)                                                                        \
  "mugraph p\nsizes J = 10, U = 4\nwhere N = J*U\nkernel k\n  grid x = J\n"                        \
  "  load x [U] = X x -> 0\n" what "  store Y [U] = y x -> 0\nend\n"

static const stable_case cases[] = {
    /* F1: squares about a mean stay squares of differences */
    {ROWS_IN TWO_PASS, NULL, NULL, {{1e3, 1, 0}}, 2e-4},
    {ROWS_IN TWO_PASS, TWO_PASS_GRAPH, NULL, {{1e3, 1, 0}}, 2e-4},
    {ROWS_IN TWO_PASS, TWO_PASS_GRAPH, NULL, {{-1e4, 1, 0}}, 2e-3},
    {ROWS_IN "output Y = layer_norm(X)\n", NULL, NULL, {{1e5, 1, 0}}, 2e-2},
    {ROWS_IN "output Y = layer_norm(X)\n",
     ROWS_GRAPH "  y = layer_norm(x)\n  store Y [U, D] = y x -> 0\nend\n",
     NULL,
     {{1e4, 1, 0}},
     2e-3},
    {ROWS_IN "output Y = layer_norm(X)\n", NULL, NULL, {{1e-3, 1e-3, 0}}, 1e-5},
    /* F6: x - max(x) is 0 at the maximum */
    {ROWS_IN SHIFTED, NULL, NULL, {{1e30, 1e30, 0}}, 1e-5},
    {ROWS_IN SHIFTED, SHIFTED_GRAPH, NULL, {{1e30, 1e30, 0}}, 1e-5},
    {ROWS_IN SHIFTED, SHIFTED_GRAPH, NULL, {{1e4, 3, 0}}, 1e-5},
    {ROWS_IN SHIFTED, SHIFTED_GRAPH, NULL, {{-1.5e4, 1, 0}}, 1e-5},
    /* a running maximum of tiles that are minus infinity so far */
    {ROWS_IN ONLINE, ONLINE_GRAPH, NULL, {{0, 5, 3}}, 1e-6},
    {SCORED, SCORED_GRAPH, NULL, {{0, 5, 3}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}}, 2e-3},
    {ROWS_IN ONLINE, NULL, NULL, {{0, 5, 3}}, 1e-6},
    {ROWS_IN SHIFTED, NULL, NULL, {{0, 5, 3}}, 1e-6},
    {ROWS_IN SHIFTED, SHIFTED_GRAPH, NULL, {{-1e4, 5, 3}}, 1e-5},
    {ATTENTION, ATTENTION_GRAPH, NULL, {{0, 1, 0}, {0, 1, 0}, {0, 1, 0}}, 2e-3},
    {ATTENTION, ATTENTION_GRAPH, NULL, {{3.5, 1, 0}, {3.5, 1, 0}, {0, 1, 0}}, 2e-3},
    {ATTENTION, ATTENTION_GRAPH, NULL, {{10, 1, 0}, {10, 1, 0}, {0, 1, 0}}, 2e-3},
    {ATTENTION, ATTENTION_GRAPH, NULL, {{0, 60, 0}, {0, 60, 0}, {0, 1, 0}}, 2e-3},
    {ATTENTION, ATTENTION_GRAPH, NULL, {{0, 6e4, 0}, {0, 6e4, 0}, {0, 1, 0}}, 2e-3},
    /* F9: a / b / c, where b * c is no float */
    {QUOTIENTS, NULL, NULL, {{1, 0.5, 0}, {3e30, 1e30, 0}, {3e-30, 1e-30, 0}}, 1e-6},
    {QUOTIENTS, QUOTIENTS_GRAPH, NULL, {{2e30, 1e30, 0}, {3e25, 1e25, 0}, {3e20, 1e20, 0}}, 1e-6},
    {QUOTIENTS, QUOTIENTS_GRAPH, NULL, {{2e-30, 1e-30, 0}, {3e-38, 2e-38, 0}, {3e5, 1e5, 0}}, 1e-6},
    {QUOTIENTS, QUOTIENTS_GRAPH, NULL, {{2e38, 1e38, 0}, {3e38, 3e37, 0}, {3, 1, 0}}, 1e-6},
    /* F3: what is divided by its norm later; the factor is written beside the weights (beside X,
       its products are no numbers of 16 bits: verify/floats rejects that graph) */
    {NORM_LINEAR, NORM_LINEAR_GRAPH, NULL, {{0, 6e4, 0}, {0, 10, 0}, {0, 1, 0}}, 2e-3},
    {NORM_LINEAR, NORM_LINEAR_GRAPH, NULL, {{0, 1e-3, 0}, {0, 1, 0}, {0, 1, 0}}, 2e-3},
    {NORM_LINEAR, NORM_LINEAR_GRAPH, NULL, {{0, 4e-7, 0}, {0, 1, 0}, {0, 1, 0}}, 2e-3},
    {NORM_LINEAR, NORM_LINEAR_GRAPH, NULL, {{0, 1, 0}, {0, 10, 0}, {0, 10, 0}}, 2e-3},
    /* F9: functions */
    {LIST "output Y = exp(X) - 1\n", NULL, expm1, {LISTED_VALUES}, 4e-7},
    {LIST "output Y = 1 - exp(X)\n", NULL, one_less, {LISTED_VALUES}, 4e-7},
    {LIST "output Y = log(1 + abs(X))\n", NULL, positive_log, {LISTED_VALUES}, 4e-7},
    {LIST "output Y = log(1 + exp(X))\n", NULL, softplus, {LISTED_VALUES}, 1e-6},
    {LIST "output Y = tanh(X)\n", NULL, tanh, {LISTED_VALUES}, 1e-6},
    {LIST "output Y = sigmoid(X)\n", NULL, sigmoid, {LISTED_VALUES}, 1e-6},
    {LIST "output Y = silu(X)\n", NULL, silu, {LISTED_VALUES}, 1e-6},
    {LIST "output Y = X * tanh(log(1 + exp(X)))\n", NULL, mish, {LISTED_VALUES}, 2e-6},
    {LIST "output Y = select(greater(X, 0), X, exp(X) - 1)\n", NULL, elu, {LISTED_VALUES}, 4e-7},
    {LIST "output Y = exp(X) / (1 + exp(X))\n", NULL, sigmoid, {LISTED_VALUES}, 1e-6},
    {LIST "E = exp(2 * X)\noutput Y = (E - 1) / (E + 1)\n", NULL, tanh, {LISTED_VALUES}, 1e-6},
    {LIST "output Y = (exp(X) - exp(-X)) / (exp(X) + exp(-X))\n",
     NULL,
     tanh,
     {LISTED_VALUES},
     1e-6},
    {LIST "output Y = 1 + tanh(X)\n", NULL, one_more_tanh, {LISTED_VALUES}, 1e-6},
    {LIST "E = exp(2 * X)\noutput Y = (E - 1) / (E + 1) + 1\n",
     NULL,
     one_more_tanh,
     {LISTED_VALUES},
     1e-6},
    {LIST "output Y = 1 - tanh(X)\n", NULL, one_less_tanh, {LISTED_VALUES}, 1e-6},
    {LIST "output Y = 1 - sigmoid(X)\n", NULL, rest_of_sigmoid, {LISTED_VALUES}, 1e-6},
    {LIST "output Y = 1 + tanh(X)\n",
     ELEMENT_GRAPH("  t = tanh(x)\n  y = 1 + t\n"),
     one_more_tanh,
     {LISTED_VALUES},
     1e-6},
    {LIST "output Y = 1 - tanh(X)\n",
     ELEMENT_GRAPH("  t = tanh(x)\n  y = 1 - t\n"),
     one_less_tanh,
     {LISTED_VALUES},
     1e-6},
    {LIST "output Y = relu(X)\n", NULL, relu, {LISTED_VALUES}, 0},
    {LIST "output Y = relu(X)\n", NULL, relu, {BEYOND_VALUES}, 0},
    {LIST "output Y = relu(X)\n", ELEMENT_GRAPH("  y = relu(x)\n"), relu, {BEYOND_VALUES}, 0},
    {LIST "output Y = minimum(maximum(X, -2), 2)\n", NULL, clamp, {BEYOND_VALUES}, 0},
    {"program p\nsizes N = 40, K = 3\ninput X: f32[N]\n"
     "output Y = max(broadcast(X[:, none], axis=1, size=K), axis=1)\n",
     NULL,
     itself,
     {BEYOND_VALUES},
     0},
    {LIST "output Y = X * tanh(log(1 + exp(X)))\n",
     ELEMENT_GRAPH("  e = exp(x)\n  s = e + 1\n  l = log(s)\n  t = tanh(l)\n  y = x * t\n"),
     mish,
     {LISTED_VALUES},
     2e-6},
    {LIST "output Y = exp(X) - 1\n",
     ELEMENT_GRAPH("  e = exp(x)\n  y = e - 1\n"),
     expm1,
     {LISTED_VALUES},
     4e-7},
    {LIST "output Y = tanh(X)\n", ELEMENT_GRAPH("  y = tanh(x)\n"), tanh, {LISTED_VALUES}, 1e-6},
    {LIST "output Y = silu(X)\n", ELEMENT_GRAPH("  y = silu(x)\n"), silu, {LISTED_VALUES}, 1e-6},
};

enum { CASES = sizeof cases / sizeof *cases };

/* to nearest, in as many bits as the type has, denormals too */
static double rounded(double x, as_dtype type) {
  int exponent;
  if (type == AS_F32)
    return (float)x;
  frexp(x, &exponent);
  int least = exponent - 11 > -24 ? exponent - 11 : -24;
  return ldexp(nearbyint(ldexp(x, -least)), least);
}

static void fill(double *to, long n, const filling *how, as_dtype type, unsigned salt) {
  for (long i = 0; i < n; i++) {
    double z = (double)((i * 7919 + salt * 104729 + 13) % 2003 - 1001) / 1001;
    to[i] = how->center + how->width * z;
    if (how->listed == 1 || how->listed == 2)
      to[i] = how->listed == 1 ? list[i % LISTED] : beyond[i % BEYOND];
    if (how->listed == 3 && i % MASKED_ROW < MASKED_ROW / 2)
      to[i] = -INFINITY;
    to[i] = isinf(to[i]) ? to[i] : rounded(to[i], type);
  }
}

typedef struct {
  lower_case read;
  batch_item item;
} opened;

/* Is it a block graph of which no thread graph is made? */
static bool is_general(const stable_case *of) {
  return strcmp(of->graph, ONLINE_GRAPH) == 0;
}

static void open_case(opened *at, const stable_case *of) {
  as_lowered lowered;
  case_open(&at->read);
  case_read(&at->read, of->program, of->graph);
  const as_graph *graph = of->graph ? at->read.mug : at->read.prog;
  ck_assert_msg(as_lower_cuda(graph, NULL, &lowered, &at->read.err), "%s", at->read.err.text);
  ck_assert_msg(!of->graph || lowered.kernel[0].validated != is_general(of),
                "no thread graph: %s\n%s", of->graph, lowered.notes);
  batch_item_init(&at->item, &lowered);
  for (uint32_t i = 0; i < at->item.lowered.n_in; i++)
    fill(at->item.in[i], at->item.lowered.in_elems[i], &of->in[i], at->item.lowered.in_type[i], i);
}

/* of each element, or of all beside the largest */
static void compare(const stable_case *of, double is, double value, double beside) {
  bool tiny = fabs(value) < 1.2e-38 && fabs(is) < 1.2e-38;
  bool same = (is <= value && value <= is) || (isnan(is) && isnan(value));
  ck_assert_msg(tiny || same || fabs(is - value) <= of->most * beside,
                "%g in place of %g, beside %g, of\n%s%s", is, value, beside, of->program,
                of->graph ? of->graph : "");
}

static void check_function(const stable_case *of, const batch_item *item) {
  for (long i = 0; i < item->lowered.out_elems[0]; i++) {
    double value = of->of(item->in[0][i]);
    value = fabs(value) > 3.4e38 ? copysign(INFINITY, value) : value;
    compare(of, item->out[0][i], value, fabs(value));
  }
}

static void check_program(const stable_case *of, opened *at) {
  as_tensor in[4];
  as_tensor out[1];
  int64_t *env = as_env_new(at->read.S);
  const as_graph *program = at->read.prog;
  for (uint32_t i = 0; i < program->n_input; i++) {
    const as_node *node = &program->node[program->input[i]];
    int64_t dim[AS_MAX_RANK];
    for (uint32_t d = 0; d < node->rank; d++)
      dim[d] = as_size_eval(at->read.S, node->dim[d], env);
    as_tensor_init(&in[i], &as_domain_double, dim, node->rank);
    memcpy(in[i].data, at->item.in[i], in[i].n * sizeof(double));
  }
  ck_assert_int_eq(as_eval_graph(program, &as_domain_double, env, in, out, &at->read.err), AS_OK);
  double largest = 0;
  for (size_t k = 0; k < out[0].n; k++)
    largest = fmax(largest, fabs(*(double *)as_tensor_at(&out[0], k)));
  for (size_t k = 0; k < out[0].n; k++)
    compare(of, at->item.out[0][k], *(double *)as_tensor_at(&out[0], k), largest);
  for (uint32_t i = 0; i < program->n_input; i++)
    as_tensor_clear(&in[i]);
  as_tensor_clear(&out[0]);
  free(env);
}

START_TEST(magnitudes) {
  opened *all = calloc(CASES, sizeof *all);
  batch_item *items = calloc(CASES, sizeof *items);
  char dir[] = "stable-test-XXXXXX";
  ck_assert(all && items && mkdtemp(dir) != NULL);
  for (unsigned i = 0; i < CASES; i++) {
    open_case(&all[i], &cases[i]);
    items[i] = all[i].item;
  }
  ck_assert_msg(batch_run(items, CASES, dir), "see %s/log", dir);
  for (unsigned i = 0; i < CASES; i++) {
    ck_assert_msg(items[i].ran, "case %u: see %s/log", i, dir);
    all[i].item = items[i];
    if (cases[i].of)
      check_function(&cases[i], &items[i]);
    else
      check_program(&cases[i], &all[i]);
  }
  for (unsigned i = 0; i < CASES; i++) {
    batch_item_clear(&items[i]);
    case_close(&all[i].read);
  }
  char *command = as_format("rm -r %s", dir);
  ck_assert_int_eq(system(command), 0);
  free(command);
  free(items);
  free(all);
}

END_TEST

int main(void) {
  TCase *tests = test_case("stable", 120);
  tcase_add_test(tests, magnitudes);
  return test_run("stable", tests);
}
