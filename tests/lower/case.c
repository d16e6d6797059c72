#include "case.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include "together.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void case_open(lower_case *j) {
  as_err_init(&j->err);
  j->lib = test_operators();
  j->S = as_sizes_new();
  j->prog = j->mug = NULL;
}

void case_read(lower_case *j, const char *tp, const char *mug) {
  j->prog = as_parse_tp("test.tp", tp, strlen(tp), j->S, j->lib, &j->err);
  ck_assert_msg(j->prog != NULL, "%s", j->err.text);
  if (!mug)
    return;
  j->mug = as_parse_mug("test.mug", mug, strlen(mug), j->prog, &j->err);
  ck_assert_msg(j->mug != NULL, "%s", j->err.text);
}

void case_read_example(lower_case *j, const char *name, bool fused) {
  size_t n;
  char *p = as_format("%s/examples/%s.tp", test_source_dir(), name);
  char *m = as_format("%s/examples/%s.mug", test_source_dir(), name);
  char *tp = as_read_file(p, &n, &j->err);
  char *mug = fused ? as_read_file(m, &n, &j->err) : NULL;
  ck_assert(tp && (mug || !fused));
  case_read(j, tp, mug);
  free(p);
  free(m);
  free(tp);
  free(mug);
}

void case_set_sizes(lower_case *j, const case_size *size) {
  for (; size && size->name; size++)
    as_size_set_value(j->S, as_size_find(j->S, size->name), size->value);
}

void case_close(lower_case *j) {
  as_graph_free(j->mug);
  as_graph_free(j->prog);
  as_sizes_free(j->S);
  as_oplib_free(j->lib);
  as_err_clear(&j->err);
}

/* the program given, by the evaluator of semantics/, on the inputs dumped: a second opinion on both
 * the reference and the kernels */
static void compare_with_evaluator(lower_case *j, const as_lowered *lowered, const char *dump) {
  as_tensor inputs[8];
  as_tensor out[8];
  FILE *file = fopen(dump, "rb");
  int64_t *env = as_env_new(j->S);
  ck_assert(file && env);
  for (uint32_t i = 0; i < lowered->n_in; i++) {
    const as_node *node = &j->prog->node[j->prog->input[i]];
    int64_t dim[AS_MAX_RANK];
    for (uint32_t d = 0; d < node->rank; d++)
      dim[d] = as_size_eval(j->S, node->dim[d], env);
    as_tensor_init(&inputs[i], &as_domain_double, dim, node->rank);
    ck_assert_int_eq(
        (long)fread(inputs[i].data, sizeof(double), (size_t)lowered->in_elems[i], file),
        lowered->in_elems[i]);
  }
  ck_assert_int_eq(as_eval_graph(j->prog, &as_domain_double, env, inputs, out, &j->err), AS_OK);
  for (int kernel = 0; kernel < 2; kernel++) {
    for (uint32_t i = 0; i < lowered->n_out; i++) {
      double num = 0;
      double den = 1e-300;
      ck_assert_int_eq((long)out[i].n, lowered->out_elems[i]);
      for (size_t e = 0; e < out[i].n; e++) {
        double x;
        double y = *(double *)as_tensor_at(&out[i], e);
        if (fread(&x, sizeof x, 1, file) != 1)
          ck_abort_msg("the dump is cut off");
        num += (x - y) * (x - y);
        den += y * y;
      }
      ck_assert_msg(sqrt(num / den) < (kernel ? 5e-3 : 1e-12), "%s of %s: %g off the evaluator",
                    kernel ? "kernel" : "reference", lowered->out_name[i], sqrt(num / den));
    }
  }
  for (uint32_t i = 0; i < lowered->n_in; i++)
    as_tensor_clear(&inputs[i]);
  for (uint32_t i = 0; i < lowered->n_out; i++)
    as_tensor_clear(&out[i]);
  fclose(file);
  free(env);
}

/* runs them under the emulation; what was said of each */
static void emulate(lower_case *of, as_lowered *lowered, const double *scale, uint32_t n,
                    as_rt_result *result, char **build_log) {
  char dir[] = "lower-test-XXXXXX";
  ck_assert(mkdtemp(dir) != NULL);
  as_err err;
  as_err_init(&err);
  bool ran = together_run(lowered, scale, n, dir, result, build_log, &err);
  ck_assert_msg(ran, "%s", err.text);
  for (uint32_t i = 0; i < n; i++) {
    char *dump = as_format("%s/dump%u", dir, i);
    if (result[i].ok)
      compare_with_evaluator(&of[i], &lowered[i], dump);
    free(dump);
  }
  char *command = as_format("rm -r %s", dir);
  ck_assert_int_eq(system(command), 0);
  free(command);
  as_err_clear(&err);
}

bool case_emulate(lower_case *j, as_lowered *lowered, double scale, as_rt_result *result) {
  char *build_log;
  emulate(j, lowered, &scale, 1, result, &build_log);
  free(build_log);
  return result->ok;
}

/* ---- what is demanded, in the order in which it was */
typedef struct {
  lower_case *of;
  as_lowered *lowered;
  double *scale;
  const char **said; /* of a faulty one, by the emulation; borrowed */
  uint32_t n;
} demands;

static bool kept; /* until case_test_run runs them */
static demands right;
static demands faulty;

static void demands_add(demands *to, lower_case *j, as_lowered *lowered, double scale,
                        const char *said) {
  uint32_t n = to->n++;
  to->of = as_realloc(to->of, to->n * sizeof *to->of);
  to->lowered = as_realloc(to->lowered, to->n * sizeof *to->lowered);
  to->scale = as_realloc(to->scale, to->n * sizeof *to->scale);
  to->said = as_realloc(to->said, to->n * sizeof *to->said);
  to->of[n] = *j;
  to->lowered[n] = *lowered;
  to->scale[n] = scale;
  to->said[n] = said;
  memset(j, 0, sizeof *j);
  memset(lowered, 0, sizeof *lowered);
}

static void demands_clear(demands *all) {
  for (uint32_t i = 0; i < all->n; i++) {
    as_lowered_clear(&all->lowered[i]);
    case_close(&all->of[i]);
  }
  free(all->of);
  free(all->lowered);
  free(all->scale);
  free(all->said);
  memset(all, 0, sizeof *all);
}

/* the programs of both kinds apart, since the compiler may say of a faulty one what it likes */
static void demanded(demands *all) {
  if (all->n == 0 || !test_kernels_run()) {
    demands_clear(all);
    return;
  }
  char *log = NULL;
  as_rt_result *result = as_calloc(all->n, sizeof *result);
  emulate(all->of, all->lowered, all->scale, all->n, result, &log);
  for (uint32_t i = 0; i < all->n; i++) {
    const as_rt_result *r = &result[i];
    const as_lowered *lowered = &all->lowered[i];
    if (all == &right)
      ck_assert_msg(r->ok, "%s\n%s\n%s\n%s", lowered->reference, r->json, r->log, lowered->notes);
    else
      ck_assert_msg(!r->ok && strstr(r->log, all->said[i]), "a fault went unseen (%s):\n%s\n%s\n%s",
                    all->said[i], r->json, r->log, lowered->cuda + lowered->own);
    as_rt_result_clear(&result[i]);
  }
  ck_assert_msg(all == &faulty || !strstr(log, "warning"), "%s", log);
  free(log);
  free(result);
  demands_clear(all);
}

void case_demand(lower_case *j, as_lowered *lowered, double scale) {
  demands_add(&right, j, lowered, scale, NULL);
  if (!kept)
    demanded(&right);
}

void case_demand_fault(lower_case *j, as_lowered *lowered, double scale, const char *said) {
  demands_add(&faulty, j, lowered, scale, said);
  if (!kept)
    demanded(&faulty);
}

START_TEST(all_that_is_right) {
  demanded(&right);
}

END_TEST
START_TEST(all_faults_are_seen) {
  demanded(&faulty);
}

END_TEST

int case_test_run(const char *name, TCase *tests, unsigned seconds) {
  kept = true;
  tcase_add_test(tests, all_that_is_right);
  tcase_add_test(tests, all_faults_are_seen);
  Suite *suite = suite_create(name);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK);
  const char *multiplier = getenv("CK_TIMEOUT_MULTIPLIER");
  alarm(seconds * (multiplier ? (unsigned)atoi(multiplier) : 1)); /* ends this process */
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

void case_check(lower_case *j, const case_size *size, const as_lower_opts *options, double scale) {
  as_lowered lowered;
  case_set_sizes(j, size);
  ck_assert_msg(as_lower_cuda(j->mug ? j->mug : j->prog, options, &lowered, &j->err), "%s",
                j->err.text);
  case_demand(j, &lowered, scale);
}

void case_check_example(const char *name, bool fused, const case_size *size,
                        const as_lower_opts *options, double scale) {
  lower_case j;
  case_open(&j);
  case_read_example(&j, name, fused);
  case_check(&j, size, options, scale);
}
