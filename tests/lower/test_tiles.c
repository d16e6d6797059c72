/* Tile programs of any form as kernels: run under the emulation, and compared with the reference
 * that is written beside them and with the evaluator of semantics/, which shares no code with
 * either.  With files as arguments those are run instead, one after another. */
#include "semantics/tile_eval.h"
#include "src/base/file.h"
#include "src/kernels/kernels.h"
#include "src/runtime/rt.h"
#include "tests/operators.h"
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  as_oplib *lib;
  as_sizes *sizes;
  as_tile_program *program;
  as_lowered lowered;
  as_err err;
} tile_case;

static bool open_case(tile_case *it, const char *path) {
  size_t length = 0;
  as_err_init(&it->err);
  as_lowered_init(&it->lowered);
  it->lib = test_operators();
  it->sizes = as_sizes_new();
  char *text = as_read_file(path, &length, &it->err);
  it->program = text ? as_tile_parse(path, text, length, it->sizes, it->lib, &it->err) : NULL;
  free(text);
  as_kernels_of of = {.tile = {it->program, it->program}};
  return it->program && as_kernels_lower(&of, NULL, &it->lowered, &it->err);
}

static void close_case(tile_case *it) {
  as_lowered_clear(&it->lowered);
  as_tile_free(it->program);
  as_sizes_free(it->sizes);
  as_oplib_free(it->lib);
  as_err_clear(&it->err);
}

static bool read_numbers(FILE *file, as_tensor *into) {
  return fread(into->data, sizeof(double), into->n, file) == into->n;
}

/* a tensor of these extents with the next numbers of the dump */
static bool next_tensor(FILE *file, const as_lower_port *port, as_tensor *into) {
  as_tensor_init(into, &as_domain_double, port->extent, port->rank);
  return read_numbers(file, into);
}

/* relative, in the norm of all elements; infinite where one of them is no number */
static double distance(const as_tensor *from, const as_tensor *to) {
  double off = 0;
  double size = 1e-300;
  for (size_t i = 0; i < from->n; i++) {
    double expected = *(const double *)as_tensor_at(from, i);
    double found = *(const double *)as_tensor_at(to, i);
    off += (found - expected) * (found - expected);
    size += expected * expected;
  }
  return isfinite(off) ? sqrt(off / size) : (double)INFINITY;
}

/* the evaluator on the inputs of the dump, against both: the reference first, then the kernels.
 * The largest distance; infinite, and said, where the evaluator cannot run. */
static double evaluate(tile_case *it, const char *dump) {
  const as_lowered *lowered = &it->lowered;
  as_tensor argument[32];
  as_tensor result[32];
  double worst = 0;
  FILE *file = fopen(dump, "rb");
  bool read = file != NULL;
  for (uint32_t i = 0; read && i < lowered->n_in; i++)
    read = next_tensor(file, &lowered->in[i], &argument[i]);
  int64_t *env = as_env_new(it->sizes);
  as_tile_notes notes = {0};
  as_tile_setting setting = {.domain = &as_domain_double, .env = env, .arguments = argument};
  if (!read || as_tile_run(it->program, &setting, result, &notes, &it->err) != AS_OK) {
    printf("the evaluator: %s\n", it->err.text ? it->err.text : "the dump cannot be read");
    return (double)INFINITY;
  }
  for (int which = 0; which < 2; which++) {
    for (uint32_t i = 0; i < lowered->n_out; i++) {
      as_tensor told;
      double own = next_tensor(file, &lowered->out[i], &told) ? distance(&result[i], &told)
                                                              : (double)INFINITY;
      bool right = own <= (which == 0 ? 1e-9 : 2e-3);
      if (!right)
        printf("output %s: %.3g from the evaluator's, by the %s\n", lowered->out[i].name, own,
               which == 0 ? "reference" : "kernels");
      worst = !right ? (double)INFINITY : own > worst ? own : worst;
      as_tensor_clear(&told);
    }
  }
  for (uint32_t i = 0; i < lowered->n_in; i++)
    as_tensor_clear(&argument[i]);
  for (uint32_t i = 0; i < lowered->n_out; i++)
    as_tensor_clear(&result[i]);
  free(env);
  fclose(file);
  return worst;
}

/* false, and said: it is wrong, or cannot be run */
static bool is_right(const char *path) {
  tile_case it;
  char folder[] = "/tmp/assay-tiles-XXXXXX";
  as_rt_result result = {0};
  bool lowered = open_case(&it, path);
  double off = (double)INFINITY;
  if (lowered && mkdtemp(folder)) {
    char *emulation = as_format("%s/src/lower/emu", test_source_dir());
    char *dump = as_format("%s/dump", folder);
    as_rt_opts opts = {
        .dir = folder, .emulate = true, .emu_dir = emulation, .unoptimized = true, .dump = dump};
    bool ran = as_rt_run(&it.lowered, it.program->name, &opts, &result, &it.err);
    off = ran && result.ok ? evaluate(&it, dump) : (double)INFINITY;
    if (ran && !result.ok)
      printf("%s\n%s\n", result.json, result.log);
    as_remove_folder(folder);
    free(emulation);
    free(dump);
  }
  bool right = isfinite(off);
  if (right)
    printf("%s: %u kernels, %.2g off\n", path, it.lowered.n_kernel, off);
  else
    printf("%s: WRONG: %s\n", path, it.err.text ? it.err.text : "differs, or a fault");
  as_rt_result_clear(&result);
  close_case(&it);
  return right;
}

static const char *const cases[] = {
    "tests/lower/tiles/swap.tile",       "tests/lower/tiles/softmax.tile",
    "tests/lower/tiles/gather.tile",     "tests/lower/tiles/large.tile",
    "tests/lower/tiles/labels.tile",     "tests/lower/tiles/norm.tile",
    "tests/lower/tiles/scratch.tile",    "tests/lower/tiles/shared.tile",
    "tests/tile/cases/two_kernels.tile", "tests/ttir/cases/running.tile"};

START_TEST(kernels_compute_what_the_evaluator_does) {
  char *path = as_format("%s/%s", test_source_dir(), cases[_i]);
  ck_assert_msg(is_right(path), "%s", path);
  free(path);
}

END_TEST

static bool said_in(const char *log, const char *words) {
  if (strstr(log, words) == NULL)
    printf("not said: %s\n%s\n", words, log);
  return strstr(log, words) != NULL;
}

/* programs that no certificate is for: the emulation sees what their blocks or threads do */
START_TEST(races_are_reported) {
  static const struct {
    const char *loop;
    const char *said;
  } wrong[] = {
      {"parallel p = 0 to 8\n  load x[] = X[p]\n  store Y[p div 2] = x[] over []\nend\n",
       "race: an element of global memory written twice by blocks"},
      {"parallel p = 0 to 8\n  load y[] = Y[0]\n  store Y[7 - p] = y[] + 1 over []\nend\n",
       "race: an element of global memory read and written by several blocks"},
      {"load x[i < 8] = X[i]\nstore Y[i div 2] = x[i] over [i < 8]\n",
       "race: an element of global memory written twice by threads"},
      {"parallel p = 0 to 8\n  load y[] = Y[0]\n  store Y[0] = 5 over []\n"
       "  store Y[1 + p div 2] = y[] over []\nend\n",
       "race: an element of global memory written and read by blocks"},
      {"parallel p = 0 to 2\n  load y[] = Y[0] where p < 1 else 0\n  store Y[0] = 5 over []\n"
       "  store Y[1 + p] = y[] over []\nend\n",
       "race: an element of global memory written twice by blocks"},
      {"parallel p = 0 to 8\n  store Y[0] = 5 over []\n  store Y[0] = 6 over []\nend\n",
       "race: an element of global memory written twice by blocks"},
  };

  const char *begin = "tile t\ninput X: f32[8]\ninout Y: f32[8]\n";
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    tile_case it;
    char folder[] = "/tmp/assay-tiles-XXXXXX";
    as_rt_result result = {0};
    char *text = as_format("%s%s", begin, wrong[i].loop);
    ck_assert(mkdtemp(folder) != NULL);
    char *path = as_format("%s/race.tile", folder);
    ck_assert(as_write_file(path, text, strlen(text), NULL));
    ck_assert_msg(open_case(&it, path), "%s", it.err.text);
    char *emulation = as_format("%s/src/lower/emu", test_source_dir());
    as_rt_opts opts = {.dir = folder, .emulate = true, .emu_dir = emulation, .unoptimized = true};
    ck_assert(as_rt_run(&it.lowered, "race", &opts, &result, &it.err));
    ck_assert(!result.ok);
    ck_assert(said_in(result.log, wrong[i].said));
    as_remove_folder(folder);
    as_rt_result_clear(&result);
    free(emulation);
    free(path);
    free(text);
    close_case(&it);
  }
}

END_TEST

static void check_range(const tile_case *it, const char *name, int64_t range) {
  bool found = false;
  for (uint32_t i = 0; i < it->lowered.n_in; i++) {
    bool named = strcmp(it->lowered.in_name[i], name) == 0;
    ck_assert_msg(!named || it->lowered.in_range[i] == range, "%s: %lld", name,
                  (long long)it->lowered.in_range[i]);
    found = found || named;
  }
  ck_assert(found);
}

/* what is drawn for integers is within the extent that is left beside what is added to them */
START_TEST(integers_that_are_places_are_drawn_in_range) {
  tile_case it;
  char *path = as_format("%s/tests/lower/tiles/labels.tile", test_source_dir());
  ck_assert_msg(open_case(&it, path), "%s", it.err.text);
  check_range(&it, "L", 20);
  check_range(&it, "W", 45);
  check_range(&it, "E", 70);
  check_range(&it, "X", -1);
  close_case(&it);
  free(path);
}

END_TEST

/* a text lowered, and what is said of it where it is refused; malloc'ed */
static char *refusal(const char *text) {
  as_err err;
  as_err_init(&err);
  as_oplib *lib = test_operators();
  as_sizes *sizes = as_sizes_new();
  as_tile_program *program = as_tile_parse("test.tile", text, strlen(text), sizes, lib, &err);
  as_kernels_of of = {.tile = {program, program}};
  as_lowered lowered;
  as_lowered_init(&lowered);
  ck_assert_msg(program != NULL, "%s", err.text);
  bool done = as_kernels_lower(&of, NULL, &lowered, &err);
  char *said = as_strdup(done ? "lowered" : err.text);
  as_lowered_clear(&lowered);
  as_tile_free(program);
  as_sizes_free(sizes);
  as_oplib_free(lib);
  as_err_clear(&err);
  return said;
}

static void refused(const char *text, const char *why) {
  char *said = refusal(text);
  ck_assert_msg(strstr(said, why) != NULL, "%s", said);
  free(said);
}

#define BEGIN "tile t\nsizes N = 8\ninput X: f32[N]\ninput P: int[N]\noutput Y: f32[N]\n"
#define END "load x[i < N] = X[i]\nstore Y[i] = x[i] over [i < N]\n"

START_TEST(what_cannot_be_lowered_is_named) {
  refused(BEGIN END, "lowered");
  refused(BEGIN "load p[] = P[0]\nfor k = 0 to p[]\n  make a[] = k\nend\n" END,
          "the bounds of the loop over `k` are data");
  refused(BEGIN "load p[] = P[0]\nload y[i < p[]] = X[i]\n" END, "has no bound that is known");
  refused("tile t\nsizes N\ninput X: f32[N]\noutput Y: f32[N]\n" END, "the size N has no value");
  refused("tile t\nsizes N = 8\ninput X: f32[N]\noutput Y: f32[N]\n"
          "scratch s: f32[N, 1000000000, 1000000]\n" END,
          "`s` is too large");
}

END_TEST

static int run_suite(void) {
  Suite *suite = suite_create("kernels of tile programs");
  TCase *group = tcase_create("tiles");
  tcase_set_timeout(group, 120);
  tcase_add_loop_test(group, kernels_compute_what_the_evaluator_does, 0,
                      (int)(sizeof cases / sizeof *cases));
  tcase_add_test(group, races_are_reported);
  tcase_add_test(group, integers_that_are_places_are_drawn_in_range);
  tcase_add_test(group, what_cannot_be_lowered_is_named);
  suite_add_tcase(suite, group);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  int wrong = 0;
  if (argc < 2)
    return run_suite();
  for (int i = 1; i < argc; i++) {
    wrong += !is_right(argv[i]);
    fflush(stdout);
  }
  printf("%d of %d wrong\n", wrong, argc - 1);
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
