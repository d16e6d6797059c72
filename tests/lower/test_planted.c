/* Faults that are planted in planning, and in the text that is printed: none leaves the lowering.
 * Either the verification of the text refuses it, or the trial of the kernels does; both are as
 * `assay optimize` has them.  A fault counts where it changes what is printed; with AS_LONG each
 * change of each program must be caught, else the first few of each fault are tried. */
#include "../../src/lower/fault.h"
#include "../../src/runtime/trial.h"
#include "case.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "tests/source_dir.h"
#include "tests/suite.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

/* --- programs that go each way of lowering */
typedef struct {
  const char *tp;
  const char *mug;
  const char *rounded;
  bool general;
  bool library;
} subject;

static const char product[] =
    "mugraph q\nsizes J = 2, U = 16, L = 4, T = 16\nwhere N = J * U, D = L * T\nkernel k\n"
    "  grid x = J\n  loop l = L\n  load x [B, T] = X loop -> 1\n  load g [T] = G loop -> 0\n"
    "  load w [T, U] = W x -> 1 loop -> 0\n  h = x * x\n  p = matmul(h * g, w)\n"
    "  acc z = sum p\n  r = sum(h)\n  acc s = sum r\n  o = z / s[:, none]\n"
    "  store Z [B, U] = o x -> 1\nend\n";
static const char product_tp[] =
    "program p\nsizes B = 16, D = 64, N = 32\ninput X: f16[B, D]\ninput G: f16[D]\n"
    "input W: f16[D, N]\noutput Z = matmul(X * X * G, W) / sum(X * X)[:, none]\n";
static const char attention_tp[] =
    "program p\nsizes Q = 16, K = 64, D = 32\ninput A: f16[Q, D]\ninput B: f16[K, D]\n"
    "input C: f16[K, D]\nS = matmul(A, transpose(B))\nE = exp(S - max(S, axis=-1)[:, none])\n"
    "output Z = matmul(E, C) / sum(E, axis=-1)[:, none]\n";
static const char attention[] =
    "mugraph q\nsizes L = 4, T = 16\nwhere K = L * T\nkernel k\n  loop l = L\n"
    "  load a [Q, D] = A\n  load b [T, D] = B loop -> 0\n  load c [T, D] = C loop -> 0\n"
    "  s = matmul(a, transpose(b))\n  r = max(s, axis=-1)\n  acc mx, m = max r\n"
    "  e = exp(s - m[:, none])\n  t = sum(e, axis=-1)\n  v = matmul(e, c)\n"
    "  acc n = sum t rescale m\n  acc o = sum v rescale m\n  z = o / n[:, none]\n"
    "  store Z [Q, D] = z\nend\n";
static const char rows_tp[] =
    "program p\nsizes B = 2, S = 10, D = 512, F = 48\ninput x: f16[B, S, D]\n"
    "input w: f16[F, D]\ny = softmax(x)\nz = merge_axes(y, axis=0)\n"
    "output o = relu(matmul(z, transpose(w, axis=0)))\n";
static const char rows[] =
    "mugraph c\nsizes J = 2, U = 1, J1 = 10, U1 = 1, L = 8, T = 64, J2 = 6, U2 = 8\n"
    "where B = J * U, (S + U1 - 1) div U1 = J1, D = L * T, F = J2 * U2\nkernel k0\n"
    "  grid x = J1, y = J\n  loop l = L\n  load t1 [U, U1 upto S, T] = x x -> 1 y -> 0 loop -> 2\n"
    "  acc t2 = concat t1 axis 2\n  t3 = softmax(t2)\n"
    "  store y [U, U1 upto S, L*T] = t3 x -> 1 y -> 0\nend\nkernel k1\n  grid x = J2\n"
    "  loop l = L\n  load t4 [B, S, T] = y loop -> 2\n  load t5 [U2, T] = w x -> 0 loop -> 1\n"
    "  t6 = transpose(t5, axis=0)\n  t7 = matmul(t4, t6)\n  acc t8 = sum t7\n"
    "  t9 = merge_axes(t8, axis=0)\n  t10 = relu(t9)\n  store o [B * S, U2] = t10 x -> 1\nend\n";
static const char chain_tp[] =
    "program p\nsizes M = 24, D = 40, N = 36\ninput X: f32[M, D]\ninput G: f32[D]\n"
    "input W: f32[D, N]\ninput C: f32[N]\noutput Z = gelu(matmul(rms_norm(X) * G, W) + C)\n";
static const char several_tp[] =
    "program p\nsizes M = 33, D = 40\ninput X: f32[M, D]\ninput Y: f32[M, D]\n"
    "output A = exp(X) * 2\noutput B = sum(Y)\noutput C = softmax(X * Y)\n";
static const char halves_tp[] =
    "program p\nsizes M = 64, D = 128, N = 128\ninput X: f16[M, D]\ninput W: f16[D, N]\n"
    "input V: f16[N, D]\noutput Z = matmul(matmul(X, W), V)\n";

static const char sums_tp[] = "program p\nsizes M = 8, D = 32, N = 16\ninput X: f32[M, D]\n"
                              "input W: f32[D, N]\noutput Z = matmul(exp(X), W)\n"
                              "output S = sum(exp(X), axis=0)\n";
static const char sums[] =
    "mugraph q\nsizes L = 4, T = 8\nwhere D = L * T\nkernel k\n  loop l = L\n"
    "  load x [M, T] = X loop -> 1\n  load w [T, N] = W loop -> 0\n  e = exp(x)\n"
    "  p = matmul(e, w)\n  acc z = sum p\n  store Z [M, N] = z\nend\nkernel j\n  grid x = L\n"
    "  loop l = M\n  load y [1, T] = X x -> 1 loop -> 0\n  f = exp(y)\n  acc t = sum f\n"
    "  u = squeeze(t, axis=0)\n  store S [T] = u x -> 0\nend\n";

static const subject subjects[] = {
    {product_tp, product, NULL, true, false},     {product_tp, product, NULL, false, false},
    {attention_tp, attention, NULL, true, false}, {attention_tp, attention, NULL, false, false},
    {rows_tp, rows, NULL, false, false},          {chain_tp, NULL, NULL, true, false},
    {chain_tp, NULL, "matmul", true, false},      {chain_tp, NULL, NULL, true, true},
    {several_tp, NULL, NULL, true, false},        {halves_tp, NULL, NULL, true, false},
    {sums_tp, sums, NULL, true, false},
};

enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* --- faults of printing: a text for another, of the n-th time that it occurs */
typedef struct {
  const char *from;
  const char *to; /* NULL: the whole line is left out; "twice": it stands twice */
  int which;      /* -1: the last time */
} printed;

static const printed prints[] = {
    {"as_cp_async<", NULL, 0},
    {"as_cp_async<", NULL, 1},
    {"as_sts_f32(", NULL, 0},
    {"as_sts_f32(", NULL, -1},
    {"as_sts2_f16(", NULL, 0},
    {"as_mma_f16(", NULL, 0},
    {"as_ldsm4", NULL, 0},
    {"as_stg_", NULL, 0},
    {"as_stg_", NULL, -1},
    {"as_ldg4_f32(", NULL, 0},
    {"  at_st_global", NULL, 0},
    {"  at_mma", NULL, 0},
    {"  at_bulk_tensor", NULL, 0},
    {"  at_ldmatrix", NULL, 0},
    {"AS_LAUNCH(k", NULL, 0},
    {"AS_LAUNCH(k", NULL, -1},
    {"AS_LAUNCH(k", "twice", 0},
    {"   AT_LAUNCH", NULL, 0},
    {"as_lt::multiply(", NULL, 0},
    {"return part", NULL, 0},
    {"issue(0, 0)", NULL, 0},
    {"a.in[0]", "a.in[1]", 0},
    {"a.in[1]", "a.in[0]", 0},
    {"a.in[2]", "a.in[0]", 0},
    {"a.out[0]", "a.in[0]", 0},
    {"a.out[1]", "a.out[0]", 0},
    {"(a.ws + 0L)", "(a.ws + 256L)", 0},
    {"(a.ws + 0L)", "a.in[0]", -1},
    {"as_sts_f32(sm, 0", "as_sts_f32(sm, 64", 0},
    {"as_lds_f32(sm, ", "as_lds_f32(sm, 4 + ", 0},
    {"as_lds_f16(sm, ", "as_lds_f16(sm, 262144 + ", 0},
    {"AS_KERNEL(256)", "AS_KERNEL(128)", 0},
    {", 256, ", ", 128, ", -1},
    {"as_sync();", NULL, 0},
    {"as_sync();", NULL, -1},
    {"as_cp_wait<", NULL, 0},
    {"l0 = 0", "l0 = 1", 0},
    {"AS_ROUNDS(", "-1 + AS_ROUNDS(", 0},
    {"as_shfl_xor(x, d)", "x", 0},
    {"as_expf(", "(", 0},
    {" * ", " + ", 20},
    {" % ", " / ", 4},
    {" / 32", " / 16", 0},
    {"bx = bid %", "bx = 1 + bid %", 0},
    {"const size_t base = 0", "const size_t base = 8", 0},
    {"break;", ";", 0},
};

enum { PRINTS = sizeof prints / sizeof *prints, PLANS = LO_FAULT_COUNT - LO_FAULT_OF_PASSES - 1 };

static const printed *printing; /* the fault that lo_seeded_text plants */

static char *plant(const char *own) {
  const char *at = NULL;
  int n = 0;
  for (const char *next = own; (next = strstr(next, printing->from)); next++) {
    at = printing->which < 0 || n <= printing->which ? next : at;
    n++;
  }
  if (at == NULL || n <= printing->which)
    return NULL;
  if (printing->to && strcmp(printing->to, "twice") != 0)
    return as_format("%.*s%s%s", (int)(at - own), own, printing->to, at + strlen(printing->from));
  const char *begin = at;
  while (begin > own && begin[-1] != '\n')
    begin--;
  const char *end = strchr(at, '\n');
  bool opens = end[-1] == '{'; /* a loop over the next lines: not one statement */
  if (opens)
    return NULL;
  bool twice = printing->to != NULL;
  return as_format("%.*s%.*s%s", (int)(begin - own), own, twice ? (int)(end + 1 - begin) : 3,
                   twice ? begin : " ;\n", twice ? begin : end + 1);
}

/* --- one lowering */
typedef enum { SAME, REFUSED, CHANGED } outcome;

static outcome lower(const subject *of, const char *unchanged, as_lowered *lowered) {
  lower_case j;
  case_open(&j);
  case_read(&j, of->tp, of->mug);
  as_lower_opts options = {.no_threads = of->general, .target = as_target_default()};
  if (of->library)
    options.target = as_target_using(options.target, AS_LIBRARY_ALWAYS);
  if (of->rounded)
    options.target = as_target_rounding(options.target, of->rounded);
  bool ok = as_lower_cuda(j.mug ? j.mug : j.prog, &options, lowered, &j.err);
  outcome end = !ok ? REFUSED : unchanged && strcmp(unchanged, lowered->cuda) == 0 ? SAME : CHANGED;
  if (!ok && !unchanged)
    ck_abort_msg("without a fault: %s", j.err.text);
  as_err_clear(&j.err);
  case_close(&j);
  return end;
}

typedef struct {
  int fault; /* of planning; beyond them of printing */
  int subject;
  as_lowered lowered;
} pending;

enum { FAULTS = PLANS + PRINTS, TRIED = 2 };

static char *name_of(int fault) {
  if (fault < PLANS)
    return as_format("fault of planning %d", LO_FAULT_OF_PASSES + 1 + fault);
  return as_format("fault of printing %d (%s)", fault - PLANS, prints[fault - PLANS].from);
}

static void seed(int fault) {
  lo_seeded_fault =
      fault >= 0 && fault < PLANS ? (lo_fault)(LO_FAULT_OF_PASSES + 1 + fault) : LO_FAULT_NONE;
  printing = fault >= PLANS ? &prints[fault - PLANS] : NULL;
  lo_seeded_text = printing ? plant : NULL;
}

static bool try_all(pending *all, size_t n, as_trial *trial) {
  const as_lowered **lowered = as_calloc(n + 1, sizeof *lowered);
  for (size_t i = 0; i < n; i++)
    lowered[i] = &all[i].lowered;
  char *emulation = as_format("%s/src/lower/emu", test_source_dir());
  as_rt_opts options = {.emu_dir = emulation};
  as_err err;
  as_err_init(&err);
  bool ok = as_rt_try(lowered, (uint32_t)n, &options, trial, &err);
  if (!ok)
    fprintf(stderr, "%s\n", err.text);
  as_err_clear(&err);
  free(emulation);
  free(lowered);
  return ok;
}

START_TEST(without_faults) {
  pending all[SUBJECTS] = {0};
  as_trial trial[SUBJECTS];
  seed(-1);
  for (int i = 0; i < SUBJECTS; i++)
    ck_assert_int_eq(lower(&subjects[i], NULL, &all[i].lowered), CHANGED);
  ck_assert(try_all(all, SUBJECTS, trial));
  for (int i = 0; i < SUBJECTS; i++) {
    ck_assert_msg(trial[i].end == AS_TRIAL_RIGHT, "program %d: %s", i, trial[i].words);
    ck_assert_int_gt(trial[i].compared, 0);
    as_trial_clear(&trial[i]);
    as_lowered_clear(&all[i].lowered);
  }
}

END_TEST

START_TEST(every_fault_is_caught) {
  char *text[SUBJECTS];
  as_vec left;
  int changed[FAULTS] = {0};
  int refused[FAULTS] = {0};
  int caught[FAULTS] = {0};
  bool all = getenv("AS_LONG") != NULL;
  as_vec_init(&left, sizeof(pending));
  seed(-1);
  for (int i = 0; i < SUBJECTS; i++) {
    as_lowered lowered;
    lower(&subjects[i], NULL, &lowered);
    text[i] = as_strdup(lowered.cuda);
    as_lowered_clear(&lowered);
  }
  for (int fault = 0; fault < FAULTS; fault++) {
    int tried = 0;
    for (int i = 0; i < SUBJECTS; i++) {
      pending one = {.fault = fault, .subject = i};
      seed(fault);
      outcome end = lower(&subjects[i], text[i], &one.lowered);
      changed[fault] += end != SAME;
      refused[fault] += end == REFUSED;
      bool tries = end == CHANGED && (all || (tried < TRIED && refused[fault] == 0));
      if (tries)
        as_vec_push(&left, &one);
      else if (end != REFUSED)
        as_lowered_clear(&one.lowered);
      tried += tries;
    }
  }
  seed(-1);
  as_trial *trial = as_calloc(left.n + 1, sizeof *trial);
  ck_assert(try_all(left.data, left.n, trial));
  for (size_t i = 0; i < left.n; i++) {
    pending *one = &AS_VEC_AT(&left, pending, i);
    caught[one->fault] += trial[i].end == AS_TRIAL_WRONG;
    if (all && trial[i].end != AS_TRIAL_WRONG)
      printf("%d goes unseen in program %d: %s\n", one->fault, one->subject, trial[i].words);
    as_trial_clear(&trial[i]);
    as_lowered_clear(&one->lowered);
  }
  int by_text = 0;
  int by_trial = 0;
  int none = 0;
  for (int fault = 0; fault < FAULTS; fault++) {
    char *name = name_of(fault);
    if (changed[fault] == 0)
      printf("%s changes no program\n", name);
    else if (refused[fault] + caught[fault] == 0)
      printf("%s goes unseen\n", name);
    none += changed[fault] == 0 || refused[fault] + caught[fault] == 0;
    by_text += refused[fault] > 0;
    by_trial += refused[fault] == 0 && caught[fault] > 0;
    free(name);
  }
  printf("%d faults: %d refused by the verification, %d by the trial (%zu programs), %d unseen\n",
         FAULTS, by_text, by_trial, left.n, none);
  fflush(stdout);
  ck_assert_int_eq(none, 0);
  ck_assert_int_ge(by_text + by_trial, 60);
  for (int i = 0; i < SUBJECTS; i++)
    free(text[i]);
  as_vec_clear(&left);
  free(trial);
}

END_TEST

/* --- inputs that an output is made without (src/lower/depend.h) */
#define ROWS "program p\nsizes N = 8, M = 6\ninput X: f32[N, M]\ninput Y: f32[N, M]\n"
#define PLACES                                                                                     \
  "program p\nsizes N = 8, M = 6\ninput X: f32[N, M]\ninput a: int[N]\ninput b: int[N]\n"

/* of each of these a text that reads input 1 nowhere is right */
static const char *const without[] = {
    PLACES "output Z = gather(X, a - a + b)\n",
    PLACES "u = a * 1\nv = a + 0\noutput Z = gather(X, u - v + b)\n",
    PLACES "output Z = gather(X[0:1, 0:M], a * b)\n",
    ROWS "C = concat(X, Y, axis=0)\noutput Z = C[0:8, 0:M] * 2\n",
    ROWS "C = transpose(concat(X, Y, axis=1))\noutput Z = sum(C[1:6, 0:N])\n",
    ROWS "C = concat(X, Y[0:0, 0:M], axis=0)\noutput Z = exp(C)\n",
};

/* these depend on it */
static const char *const with[] = {
    PLACES "output Z = gather(X, a + b)\n",
    PLACES "u = a * 2\nv = a + 0\noutput Z = gather(X, b - b + a) + gather(X, u - v)\n",
    PLACES "output Z = gather(X[0:2, 0:M], a)\n",
    ROWS "C = concat(X, Y, axis=0)\noutput Z = C[0:9, 0:M] * 2\n",
    ROWS "C = transpose(concat(X, Y, axis=1))\noutput Z = sum(C[1:7, 0:N])\n",
    ROWS "output Z = X + (Y - Y)\n",
    ROWS "output Z = select(X, X, Y)\n",
    ROWS "E = exp(Y - max(Y)[:, none])\noutput Z = X * E / sum(E)[:, none]\n",
};

enum { WITHOUT = sizeof without / sizeof *without, WITH = sizeof with / sizeof *with };

/* the text with input 0 wherever it has input 1; of a place's element the place that is 0 */
static char *other_input(const char *own) {
  static const char *const other[][2] = {{"as_ldg_int(a.in[1], ", "(0 * "}, {"a.in[1]", "a.in[0]"}};
  char *text = as_strdup(own);
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
    for (char *at; (at = strstr(text, other[i][0]));) {
      char *next =
          as_format("%.*s%s%s", (int)(at - text), text, other[i][1], at + strlen(other[i][0]));
      free(text);
      text = next;
    }
  }
  return text;
}

static outcome lower_alone(const char *tp, char *(*fault)(const char *)) {
  as_lowered lowered;
  const subject alone = {tp, NULL, NULL, true, false};
  seed(-1);
  lo_seeded_text = fault;
  outcome end = lower(&alone, "", &lowered);
  lo_seeded_text = NULL;
  if (end != REFUSED)
    as_lowered_clear(&lowered);
  return end;
}

START_TEST(inputs_that_do_not_matter) {
  ck_assert_int_eq(lower_alone(without[_i], NULL), CHANGED);
  ck_assert_int_eq(lower_alone(without[_i], other_input), CHANGED);
}

END_TEST
START_TEST(inputs_that_matter) {
  ck_assert_int_eq(lower_alone(with[_i], NULL), CHANGED);
  ck_assert_int_eq(lower_alone(with[_i], other_input), REFUSED);
}

END_TEST

int main(void) {
  TCase *tests = test_case("planted faults", 300);
  tcase_add_test(tests, without_faults);
  tcase_add_test(tests, every_fault_is_caught);
  tcase_add_loop_test(tests, inputs_that_do_not_matter, 0, WITHOUT);
  tcase_add_loop_test(tests, inputs_that_matter, 0, WITH);
  return test_run("planted", tests);
}
