/* Products that are calls of a library: which they are, what they give at many sizes (0 and 1 among
 * them), and what a launch says where the library is missing or fails.  The library is a stub that
 * is built here, or the emulation's.  AS_SEED (23) draws sizes. */
#include "../../semantics/eval.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/base/rng.h"
#include "src/base/str.h"
#include "subject.h"
#include "tests/source_dir.h"
#include "tests/suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N_SIZES = 4, RANDOM_RUNS = 8 };

static const as_target *always(void) {
  return as_target_using(as_target_default(), AS_LIBRARY_ALWAYS);
}

static const as_lower_kernel *kernel_named(const as_lowered *lowered, const char *name) {
  for (uint32_t i = 0; i < lowered->n_kernel; i++) {
    if (strcmp(lowered->kernel[i].name, name) == 0)
      return &lowered->kernel[i];
  }
  ck_abort_msg("no kernel %s", name);
  return NULL;
}

static bool is_called(const as_lowered *lowered, const char *name) {
  return kernel_named(lowered, name)->library != NULL;
}

/* --- right at all sizes */
static const char products[] =
    "input A: %s[M, K]\ninput T: %s[K, M]\ninput W: %s[K, N]\ninput V: %s[N, K]\n"
    "input P: %s[B, M, K]\ninput Q: %s[B, K, N]\ninput R: %s[B, N, K]\ninput u: %s[K]\n"
    "output nn = A @ W\noutput tn = transpose(T) @ W\noutput nt = A @ transpose(V)\n"
    "output tt = transpose(T) @ transpose(V)\noutput bnn = P @ Q\n"
    "output bnt = P @ transpose(R)\noutput brows = P @ W\noutput bright = A @ Q\n"
    "output moved = swap_axes(P, first=0, second=1) @ W\noutput vector = dot(A, u)\n"
    "output vectors = dot(P, u)\noutput part = A[1:] @ W\noutput turned = transpose(Q) @ T\n";

static const char *const names[] = {"nn",      "tn",    "nt",     "tt",    "bnn",
                                    "bnt",     "brows", "bright", "moved", "vector",
                                    "vectors", "part",  "turned"};

static char *program_of(const char *type, const char *sizes) {
  const char *t = type;
  char *inputs = as_format(products, t, t, t, t, t, t, t, t);
  char *whole = as_format("program products\nsizes %s\n%s", sizes, inputs);
  free(inputs);
  return whole;
}

static const long runs[][N_SIZES] = {{1, 1, 1, 1},   {2, 3, 5, 2},  {11, 9, 13, 3}, {1, 9, 13, 2},
                                     {11, 1, 13, 1}, {11, 9, 1, 3}, {4, 8, 8, 2},   {3, 0, 4, 2},
                                     {1, 5, 0, 1},   {5, 5, 5, 0},  {10, 7, 12, 3}};

static void check_at(subject *under, int64_t *env, const long *value, uint64_t seed) {
  static const char *const symbol[N_SIZES] = {"M", "K", "N", "B"};
  as_str what;
  as_str_init(&what);
  as_str_printf(&what, "seed %llu:", (unsigned long long)seed);
  for (int i = 0; i < N_SIZES; i++) {
    env[as_size_find(under->sizes, symbol[i])] = value[i];
    as_str_printf(&what, " %s=%ld", symbol[i], value[i]);
  }
  ck_assert_msg(subject_lower(under, env), "%s: %s", what.s, under->err.text);
  subject_run_at(under, env, seed, what.s);
  as_str_clear(&what);
}

START_TEST(all_sizes) {
  static const char *const types[] = {"f32", "f16", "bf16"};
  char *program = program_of(types[_i], "M <= 11, K >= 0 <= 9, N >= 0 <= 13, B >= 0 <= 3");
  subject under = {.target = always()};
  subject_open(&under, program, NULL);
  int64_t *env = as_env_new(under.sizes);
  ck_assert_msg(subject_lower(&under, env), "%s", under.err.text);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    ck_assert_msg(is_called(&under.lowered, names[i]), "%s: %s", names[i], under.lowered.notes);
  ck_assert_str_eq(under.lowered.library, "cuBLASLt");
  subject_build(&under);
  for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
    check_at(&under, env, runs[k], k + 1);
  const char *asked = getenv("AS_SEED");
  uint64_t seed = asked ? strtoull(asked, NULL, 10) : 23;
  as_rng rng;
  as_rng_seed(&rng, seed);
  for (int k = 0; k < RANDOM_RUNS; k++) {
    long value[N_SIZES] = {1 + (long)as_rng_below(&rng, 11), (long)as_rng_below(&rng, 10),
                           (long)as_rng_below(&rng, 14), (long)as_rng_below(&rng, 4)};
    check_at(&under, env, value, seed);
  }
  subject_remove_files(&under);
  free(env);
  free(program);
  subject_close(&under);
}

END_TEST

/* sizes that are known: what is not called is beside it, and the notes say why */
static const char mixed[] =
    "program mixed\nsizes M = 12, K = 8, N = 20, B = 2\ninput A: f32[M, K]\ninput W: f32[K, N]\n"
    "input P: f32[B, M, K]\ninput c: int[M]\n"
    "E = exp(A)\noutput after = E @ W\noutput chain = (A @ W) @ transpose(W)\n"
    "output back = reverse(A, axis=1) @ W\noutput dots = sum(A * A, axis=1)\n"
    "output scaled = sum(A * c[:, none], axis=1)\noutput some = P[:, 2:9, 1:5] @ W[2:6, 3:]\n"
    "output skipped = A[:, 0:8:2] @ W[0:4]\noutput bias = A @ W + 1\n";

START_TEST(known_sizes) {
  subject under = {.target = always()};
  subject_open(&under, mixed, NULL);
  int64_t *env = as_env_new(under.sizes);
  ck_assert_msg(subject_lower(&under, env), "%s", under.err.text);
  static const char *const called[] = {"after", "chain", "some"};
  static const char *const kept[] = {"E", "back", "dots", "scaled", "skipped", "bias"};
  for (size_t i = 0; i < sizeof called / sizeof *called; i++)
    ck_assert_msg(is_called(&under.lowered, called[i]), "%s: %s", called[i], under.lowered.notes);
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    ck_assert_msg(!is_called(&under.lowered, kept[i]), "%s is called", kept[i]);
  ck_assert(strstr(under.lowered.notes, "back: no call of cuBLASLt: an operand is read backwards"));
  subject_build(&under);
  subject_run_at(&under, env, 5, "mixed");
  subject_remove_files(&under);
  free(env);
  subject_close(&under);
}

END_TEST

/* --- block graphs */
typedef struct {
  const char *name;
  const char *program;
  const char *graph;
  const char *why; /* it is no call; NULL: it is */
} block_case;

#define MATRICES "program p\ninput A: f16[32, 64]\ninput W: f16[64, 48]\n"
#define TILES                                                                                      \
  "kernel k\ngrid x = 3, y = 2\nloop l = 4\nload a [16, 16] = A y -> 0 loop -> 1\n"                \
  "load w [16, 16] = W x -> 1 loop -> 0\n"

static const block_case blocks[] = {
    {"tiles", MATRICES "output C = A @ W\n",
     "mugraph g\n" TILES "p = a @ w\nacc c = sum p\nstore C [16, 16] = c x -> 1 y -> 0\nend\n",
     NULL},
    {"a tile seen with other axes",
     "program p\ninput A: f16[64, 32]\ninput W: f16[64, 48]\n"
     "output C = transpose(A) @ W\n",
     "mugraph g\nkernel k\ngrid x = 3\nload a [64, 32] = A\nload w [64, 16] = W x -> 1\n"
     "t = transpose(a)\nc = t @ w\nstore C [32, 16] = c x -> 1\nend\n",
     NULL},
    {"parts of both operands, which lie among what is between them", /* strides of the wholes */
     "program p\ninput A: f16[34, 80]\ninput W: f16[64, 120]\n"
     "output C = A[2:34, 8:72] @ transpose(transpose(W)[72:120])\n",
     "mugraph g\nX = slice(A, axis=0, start=2, stop=34)\nY = slice(X, axis=1, start=8, stop=72)\n"
     "Z = slice(W, axis=1, start=72, stop=120)\n"
     "kernel k\ngrid x = 3, y = 2\nloop l = 4\nload a [16, 16] = Y y -> 0 loop -> 1\n"
     "load w [16, 16] = Z x -> 1 loop -> 0\n"
     "p = a @ w\nacc c = sum p\nstore C [16, 16] = c x -> 1 y -> 0\nend\n",
     NULL},
    {"something after it", MATRICES "output C = relu(A @ W)\n",
     "mugraph g\n" TILES
     "p = a @ w\nacc c = sum p\nr = relu(c)\nstore C [16, 16] = r x -> 1 y -> 0\nend\n",
     "it is no sum of products"},
    {"an operand that is computed", MATRICES "output C = relu(A) @ W\n",
     "mugraph g\n" TILES
     "r = relu(a)\np = r @ w\nacc c = sum p\nstore C [16, 16] = c x -> 1 y -> 0\nend\n",
     "a factor is no element of a tile that is loaded"},
    {"a largest instead of a sum", MATRICES "output C = max(A, axis=1)\n",
     "mugraph g\nkernel k\ngrid x = 2\nloop l = 4\nload a [16, 16] = A x -> 0 loop -> 1\n"
     "m = max(a, axis=1)\nacc c = max m\nstore C [16] = c x -> 0\nend\n",
     "it is no sum over its iterations"},
    {"two results", MATRICES "output C = A @ W\noutput D = sum(A, axis=1)\n",
     "mugraph g\nkernel k\ngrid x = 2\nloop l = 4\nload a [16, 16] = A x -> 0 loop -> 1\n"
     "load w [16, 48] = W loop -> 0\np = a @ w\nq = sum(a, axis=1)\nacc c = sum p\nacc d = sum q\n"
     "store C [16, 48] = c x -> 0\nstore D [16] = d x -> 0\nend\n",
     "it has several results"},
    {"tiles that are cut off",
     "program p\ninput A: f16[30, 64]\ninput W: f16[64, 48]\n"
     "output C = A @ W\n",
     "mugraph g\nkernel k\ngrid x = 2\nloop l = 4\nload a [16 upto 30, 16] = A x -> 0 loop -> 1\n"
     "load w [16, 48] = W loop -> 0\np = a @ w\nacc c = sum p\n"
     "store C [16 upto 30, 48] = c x -> 0\nend\n",
     "its tiles are cut off or left to run time"},
    {"a product of an iteration with all", MATRICES "output C = A[:, 0:16] @ W[0:16] * 4\n",
     "mugraph g\nX = A[:, 0:16]\nY = W[0:16]\nkernel k\nloop l = 4\nload a [32, 16] = X\n"
     "load w [16, 48] = Y\np = a @ w\nacc c = sum p\nstore C [32, 48] = c\nend\n",
     "a tile lies otherwise than the result's"},
};

START_TEST(block_graphs) {
  const block_case *of = &blocks[_i];
  subject under = {.target = always()};
  subject_open(&under, of->program, of->graph);
  int64_t *env = as_env_new(under.sizes);
  ck_assert_msg(subject_lower(&under, env), "%s: %s", of->name, under.err.text);
  char *said = as_format("k: no call of cuBLASLt: %s\n", of->why ? of->why : "");
  ck_assert_msg(is_called(&under.lowered, "k") == (of->why == NULL), "%s: %s", of->name,
                under.lowered.notes);
  ck_assert_msg(of->why == NULL || strstr(under.lowered.notes, said), "%s: %s", of->name,
                under.lowered.notes);
  if (of->why == NULL) {
    subject_build(&under);
    subject_run_at(&under, env, 3, of->name);
    subject_remove_files(&under);
  }
  free(said);
  free(env);
  subject_close(&under);
}

END_TEST

/* --- the choice */
START_TEST(choice) {
  static const char large[] = "program p\nsizes M = 4096, K = 4096, N = 4096\n"
                              "input A: f32[M, K]\ninput W: f32[K, N]\noutput C = A @ W\n";
  static const char small[] = "program p\nsizes M = 4, K = 4, N = 4\n"
                              "input A: f16[M, K]\ninput W: f16[K, N]\noutput C = A @ W\n";

  static const struct {
    const char *program;
    as_library_use use;
    bool called;
  } rows[] = {{large, AS_LIBRARY_NEVER, false}, {large, AS_LIBRARY_AUTO, true},
              {large, AS_LIBRARY_ALWAYS, true}, {small, AS_LIBRARY_NEVER, false},
              {small, AS_LIBRARY_AUTO, false},  {small, AS_LIBRARY_ALWAYS, true}};

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    subject under = {.target = as_target_using(as_target_default(), rows[i].use)};
    subject_open(&under, rows[i].program, NULL);
    int64_t *env = as_env_new(under.sizes);
    ck_assert_msg(subject_lower(&under, env), "%s", under.err.text);
    ck_assert_msg(is_called(&under.lowered, "C") == rows[i].called, "row %zu: %s", i,
                  under.lowered.notes);
    ck_assert((strstr(under.lowered.cuda, "cublasLtMatmul") != NULL) == rows[i].called);
    ck_assert((under.lowered.workspace > 0) == rows[i].called);
    free(env);
    subject_close(&under);
  }
}

END_TEST

/* --- what goes wrong */
static void build_stub(const char *path) {
  const char *compiler = getenv("CXX");
  char *command = as_format("%s -std=c++17 -O1 -shared -fPIC -DAS_EMU_SHARED_BLOCK=1 "
                            "-DAS_EMU_GRID=1 -DAS_EMU_THREADS=1 -I%s/src/lower/emu "
                            "%s/tests/lower/stub_library.cc -o %s",
                            compiler && *compiler ? compiler : "g++", test_source_dir(),
                            test_source_dir(), path);
  ck_assert_int_eq(system(command), 0);
  free(command);
}

/* one launch that is to fail */
static void fails(subject *of, const char *words) {
  as_rt_interface ports = as_rt_interface_of(&of->lowered);
  void *tensor[3];
  for (int i = 0; i < 3; i++) {
    tensor[i] = aligned_alloc(16, 4096);
    memset(tensor[i], 0, 4096);
  }
  as_status status = as_rt_library_run(of->dir, "live", &ports, tensor, tensor + 2, &of->err);
  ck_assert_msg(status == AS_UNKNOWN, "%s: not failed", words);
  ck_assert_msg(strstr(of->err.text, words) != NULL, "%s: %s", words, of->err.text);
  as_err_clear(&of->err);
  for (int i = 0; i < 3; i++)
    free(tensor[i]);
}

static long count_lines(const char *path, const char *line) {
  size_t n;
  as_err err;
  as_err_init(&err);
  char *text = as_read_file(path, &n, &err);
  ck_assert(text != NULL);
  long count = 0;
  for (const char *at = text; (at = strstr(at, line)) != NULL; at += strlen(line))
    count++;
  free(text);
  as_err_clear(&err);
  return count;
}

static const char batched[] =
    "program p\nsizes M <= 6, K = 8, N = 4, B = 2\ninput A: f32[B, M, K]\n"
    "input W: f32[B, N, K]\noutput C = A @ transpose(W)\n";

START_TEST(failures) {
  static const char *const functions[] = {"cublasLtCreate",
                                          "cublasLtMatmulPreferenceCreate",
                                          "cublasLtMatmulDescCreate",
                                          "cublasLtMatmulDescSetAttribute",
                                          "cublasLtMatrixLayoutCreate",
                                          "cublasLtMatrixLayoutSetAttribute",
                                          "cublasLtMatmulPreferenceSetAttribute",
                                          "cublasLtMatmulAlgoGetHeuristic",
                                          "cublasLtMatmul"};
  subject under = {.target = always()};
  subject_open(&under, batched, NULL);
  int64_t *env = as_env_new(under.sizes);
  ck_assert_msg(subject_lower(&under, env), "%s", under.err.text);
  subject_build(&under);
  char *stub = as_format("%s/stub.so", under.dir);
  char *rooted = as_format("./%s", stub);
  char *log = as_format("%s/log", under.dir);
  build_stub(stub);
  setenv("ASSAY_CUBLASLT", "./no-such-library.so", 1);
  fails(&under, "cuBLASLt: cannot be opened");
  setenv("ASSAY_CUBLASLT", "libm.so.6", 1);
  fails(&under, "cuBLASLt: has no function cublasLtCreate");
  setenv("ASSAY_CUBLASLT", rooted, 1);
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    char *failing = as_format("%s:13", functions[i]);
    char *words = as_format("cuBLASLt: %s: status 13 (EXECUTION_FAILED)", functions[i]);
    setenv("ASSAY_STUB_FAIL", failing, 1);
    bool last = i + 1 == sizeof functions / sizeof *functions;
    if (last) { /* no plan is kept of what failed before it */
      setenv("ASSAY_STUB_FAIL", "state:15", 1);
      fails(&under, "its algorithm: status 15 (NOT_SUPPORTED)");
      setenv("ASSAY_STUB_FAIL", "none:1", 1);
      fails(&under, "no algorithm for this product");
      unsetenv("ASSAY_STUB_FAIL");
      setenv("ASSAY_STUB_WORKSPACE", "99999999999", 1);
      fails(&under, "needs more workspace than it was given");
      unsetenv("ASSAY_STUB_WORKSPACE");
      setenv("ASSAY_STUB_FAIL", failing, 1);
    }
    fails(&under, words);
    free(failing);
    free(words);
  }
  unsetenv("ASSAY_STUB_FAIL");
  setenv("ASSAY_STUB_LOG", log, 1);
  /* then all is well: one plan for each size, and a call each launch */
  as_size m = as_size_find(under.sizes, "M");
  for (int k = 0; k < 6; k++) {
    env[m] = 5 - k % 3;
    ck_assert(subject_lower(&under, env));
    subject_run_at(&under, env, (uint64_t)k + 1, "by the stub");
  }
  ck_assert_int_eq(count_lines(log, "cublasLtMatmul\n"), 6);
  ck_assert_int_eq(count_lines(log, "cublasLtMatmulAlgoGetHeuristic\n"), 3);
  ck_assert_int_eq(count_lines(log, "cublasLtCreate\n"), 0); /* made above, and kept */
  unsetenv("ASSAY_STUB_LOG");
  unsetenv("ASSAY_CUBLASLT");
  unlink(stub);
  unlink(log);
  subject_remove_files(&under);
  free(stub);
  free(rooted);
  free(log);
  free(env);
  subject_close(&under);
}

END_TEST

int main(void) {
  TCase *tests = test_case("library", 240);
  tcase_add_loop_test(tests, all_sizes, 0, 3);
  tcase_add_test(tests, known_sizes);
  tcase_add_loop_test(tests, block_graphs, 0, (int)(sizeof blocks / sizeof *blocks));
  tcase_add_test(tests, choice);
  tcase_add_test(tests, failures);
  return test_run("lower_library", tests);
}
