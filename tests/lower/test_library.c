/* Products that are calls of a library: which they are, what they give at many sizes (0 and 1 among
 * them), and what a launch says where the library is missing or fails.  The library is a stub that
 * is built here, or the emulation's.  AS_SEED (23) draws sizes.
 * More than 20 s: each library is compiled, and run in a process of its own. */
#include "../../semantics/eval.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/base/rng.h"
#include "src/base/str.h"
#include "subject.h"
#include "tests/source_dir.h"
#include "tests/suite.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N_SIZES = 4, RANDOM_RUNS = 8 };

static const as_target *always(void) {
  return as_target_using(as_target_default(), AS_LIBRARY_ALWAYS);
}

/* is it one of those that share the launch? */
static bool has_name(const char *names, const char *name) {
  size_t n = strlen(name);
  for (const char *at = names; at; at = strchr(at, '+') ? strchr(at, '+') + 1 : NULL) {
    if (strncmp(at, name, n) == 0 && (at[n] == '+' || at[n] == 0))
      return true;
  }
  return false;
}

static const as_lower_kernel *kernel_named(const as_lowered *lowered, const char *name) {
  for (uint32_t i = 0; i < lowered->n_kernel; i++) {
    if (has_name(lowered->kernel[i].name, name))
      return &lowered->kernel[i];
  }
  ck_abort_msg("no kernel %s", name);
  return NULL;
}

static bool is_called(const as_lowered *lowered, const char *name) {
  return kernel_named(lowered, name)->library != NULL;
}

static bool calls_any(const as_lowered *lowered) {
  for (uint32_t i = 0; i < lowered->n_kernel; i++) {
    if (lowered->kernel[i].library)
      return true;
  }
  return false;
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
  for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
    if (_i == 0 || (int)(k % 2) == _i - 1 || getenv("AS_LONG")) /* types of 16 bits: half each */
      check_at(&under, env, runs[k], k + 1);
  }
  const char *asked = getenv("AS_SEED");
  uint64_t seed = asked ? strtoull(asked, NULL, 10) : 23;
  as_rng rng;
  as_rng_seed(&rng, seed);
  for (int k = 0; k < (int)test_number(2, RANDOM_RUNS); k++) {
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
    "output skipped = A[:, 0:8:2] @ W[0:4]\noutput bias = A @ W + 1\n"
    "output joined = merge_axes(P, axis=0) @ W\n"
    "output across = merge_axes(transpose(P, axis=0), axis=0) @ W\n"
    "output parts = merge_axes(P[:, 2:9], axis=0) @ W\n";

START_TEST(known_sizes) {
  subject under = {.target = always()};
  subject_open(&under, mixed, NULL);
  int64_t *env = as_env_new(under.sizes);
  ck_assert_msg(subject_lower(&under, env), "%s", under.err.text);
  static const char *const called[] = {"after", "chain", "some", "joined"};
  static const char *const kept[] = {"E",       "back", "dots",   "scaled",
                                     "skipped", "bias", "across", "parts"};
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
  ck_assert_msg(calls_any(&under.lowered) == (of->why == NULL), "%s: %s", of->name,
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
    const char *rounded; /* operators whose factors may be */
    bool called;
  } rows[] = {{large, AS_LIBRARY_NEVER, "", false},
              {large, AS_LIBRARY_AUTO, "", true},
              {large, AS_LIBRARY_ALWAYS, "", true},
              {small, AS_LIBRARY_NEVER, "", false},
              {small, AS_LIBRARY_AUTO, "", false},
              {small, AS_LIBRARY_ALWAYS, "", true},
              /* tensor cores are faster than the library's arithmetic in 32 bits */
              {large, AS_LIBRARY_AUTO, "matmul:3", false},
              {large, AS_LIBRARY_AUTO, "matmul", false},
              {large, AS_LIBRARY_AUTO, "conv2d:3", true},
              {large, AS_LIBRARY_ALWAYS, "matmul:3", true}};

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const as_target *target = as_target_using(as_target_default(), rows[i].use);
    subject under = {.target = as_target_rounding(target, rows[i].rounded)};
    subject_open(&under, rows[i].program, NULL);
    int64_t *env = as_env_new(under.sizes);
    ck_assert_msg(subject_lower(&under, env), "%s", under.err.text);
    ck_assert_msg(is_called(&under.lowered, "C") == rows[i].called, "row %zu: %s", i,
                  under.lowered.notes);
    ck_assert((strstr(under.lowered.cuda, "cublasLtMatmul") != NULL) == rows[i].called);
    bool packs = !rows[i].called && *rows[i].rounded; /* an operand, in front */
    ck_assert(packs || (under.lowered.workspace > 0) == rows[i].called);
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

/* --- which of the library's algorithms: functions of a library that is built, by their names */
typedef struct {
  void *library;
  int (*run)(void *const *, void *const *, const long long *);
  void (*choosing)(int);
  size_t (*choices)(char *, size_t);
  int (*take)(const char *);
} built;

static void find(const built *of, const char *name, void *function) {
  void *entry = dlsym(of->library, name);
  ck_assert_msg(entry != NULL, "no function %s", name);
  memcpy(function, &entry, sizeof entry);
}

/* a copy of the library, which has met nothing yet */
static built open_copy(const subject *of, int number) {
  built made;
  char *path = as_format("./%s/copy%d.so", of->dir, number);
  char *command = as_format("cp %s/libassay_live.so %s", of->dir, path);
  ck_assert_int_eq(system(command), 0);
  made.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(made.library != NULL, "%s", dlerror());
  find(&made, "assay_run_host", &made.run);
  find(&made, "assay_choosing", &made.choosing);
  find(&made, "assay_choices", &made.choices);
  find(&made, "assay_take_choices", &made.take);
  unlink(path);
  free(command);
  free(path);
  return made;
}

/* a launch at M = m, whose result is that of the evaluator's kind: A and W count up */
static void launch(const built *of, long long m) {
  float *tensor[3];
  for (int i = 0; i < 3; i++) {
    tensor[i] = aligned_alloc(16, 4096);
    for (int k = 0; k < 1024; k++)
      tensor[i][k] = (float)(k % 7);
  }
  ck_assert_int_eq(of->run((void **)tensor, (void **)(tensor + 2), &m), 0);
  for (long b = 0; b < 2; b++) {
    for (long i = 0; i < m; i++) {
      for (long j = 0; j < 4; j++) {
        float sum = 0;
        for (long k = 0; k < 8; k++)
          sum += tensor[0][(b * m + i) * 8 + k] * tensor[1][(b * 4 + j) * 8 + k];
        ck_assert_float_eq(tensor[2][(b * m + i) * 4 + j], sum);
      }
    }
  }
  for (int i = 0; i < 3; i++)
    free(tensor[i]);
}

/* what it has chosen; malloc'ed */
static char *chosen(const built *of) {
  size_t n = of->choices(NULL, 0);
  char *text = as_malloc(n + 1);
  ck_assert_uint_eq(of->choices(text, n + 1), n);
  ck_assert_uint_eq(strlen(text), n);
  return text;
}

/* the words of a line, by number from the end: the last is 0 */
static char *word_from_end(const char *line, int number) {
  const char *end = line + strcspn(line, "\n");
  for (;; number--) {
    const char *begin = end;
    while (begin > line && begin[-1] != ' ')
      begin--;
    if (number == 0)
      return as_format("%.*s", (int)(end - begin), begin);
    end = begin - 1;
  }
}

static char *replaced(const char *text, const char *from, const char *to) {
  const char *at = strstr(text, from);
  ck_assert(at != NULL);
  return as_format("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

/* given these choices, a launch at that size is right, and so many bytes of them are in use then */
static void given(const subject *under, int number, const char *text, int taken, long long m,
                  size_t used) {
  built other = open_copy(under, number);
  ck_assert_int_eq(other.take(text), taken);
  launch(&other, m);
  char *after = chosen(&other);
  ck_assert_msg(strlen(after) == used, "%s\nof\n%s", after, text);
  free(after);
  dlclose(other.library);
}

START_TEST(algorithms) {
  enum { NUMBER_OF_ALGORITHM = 3, PROBLEM = 4 }; /* words of the emulation's, from the end */

  subject under = {.target = always()};
  subject_open(&under, batched, NULL);
  int64_t *env = as_env_new(under.sizes);
  ck_assert_msg(subject_lower(&under, env), "%s", under.err.text);
  subject_build(&under);
  built first = open_copy(&under, 0);
  launch(&first, 3);
  char *none = chosen(&first);
  ck_assert_str_eq(none, ""); /* not asked for */
  first.choosing(1);
  launch(&first, 3); /* met before: it is chosen now */
  first.choosing(0);
  launch(&first, 5); /* not asked for again */
  char *text = chosen(&first);
  ck_assert_uint_eq(strcspn(text, "\n") + 1, strlen(text)); /* one line */
  ck_assert_int_eq(strncmp(text, "13.1.2:emulated ", 16), 0);
  /* the fastest that can be called: the two that are said to be faster cannot */
  char *which = word_from_end(text, NUMBER_OF_ALGORITHM);
  ck_assert_str_eq(which, "1");
  char *problem = word_from_end(text, PROBLEM);
  launch(&first, 3);
  dlclose(first.library);
  size_t all = strlen(text);
  char *elsewhere = replaced(text, "13.1.2:", "13.2.2:");
  char *not_of_it = replaced(text, problem, "123");
  char *beyond = replaced(text, "\n", " 5\n");
  char *twice = as_format("nonsense\n%s%s", text, text);
  given(&under, 1, text, 1, 3, all);
  given(&under, 2, text, 1, 4, 0); /* of another size */
  given(&under, 3, elsewhere, 1, 3, 0);
  given(&under, 4, not_of_it, 1, 3, 0); /* the library refuses it */
  given(&under, 5, beyond, 0, 3, 0);
  given(&under, 6, twice, 2, 3, all);
  given(&under, 7, "", 0, 3, 0);
  text[all - 4] = 0; /* cut off */
  given(&under, 8, text, 0, 3, 0);
  subject_remove_files(&under);
  free(twice);
  free(beyond);
  free(not_of_it);
  free(elsewhere);
  free(problem);
  free(which);
  free(text);
  free(none);
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
  tcase_add_test(tests, algorithms);
  return test_run("lower_library", tests);
}
