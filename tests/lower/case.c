#include "case.h"
#include "src/base/file.h"
#include "tests/operators.h"
#include <check.h>
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
        ck_assert(fread(&x, sizeof x, 1, file) == 1);
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

/* builds and runs under the emulation; gives whether the result was right and no fault reported */
bool case_emulate(lower_case *j, as_lowered *lowered, double scale, as_rt_result *result) {
  char dir[] = "lower-test-XXXXXX";
  char *emu = as_format("%s/src/lower/emu", test_source_dir());
  ck_assert(mkdtemp(dir) != NULL);
  char *dump = as_format("%s/dump", dir);
  as_rt_opts o = {
      .dir = dir, .emulate = true, .emu_dir = emu, .scale = scale, .seed = 7, .dump = dump};
  bool ran = as_rt_run(lowered, "test", &o, result, &j->err);
  ck_assert_msg(ran, "%s", j->err.text);
  if (result->ok)
    compare_with_evaluator(j, lowered, dump);
  free(dump);
  static const char *const files[] = {"dump", "kernel.cu", "reference.inc", "shapes.inc", "main.cu",
                                      "main", "build.log", "run.json",      "run.log"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char *p = as_format("%s/%s", dir, files[i]);
    unlink(p);
    free(p);
  }
  rmdir(dir);
  free(emu);
  return result->ok;
}

void case_check(lower_case *j, const case_size *size, const as_lower_opts *options, double scale) {
  as_lowered lowered;
  as_rt_result result;
  case_set_sizes(j, size);
  ck_assert_msg(as_lower_cuda(j->mug ? j->mug : j->prog, options, &lowered, &j->err), "%s",
                j->err.text);
  ck_assert_msg(case_emulate(j, &lowered, scale, &result), "%s\n%s\n%s", result.json, result.log,
                lowered.notes);
  ck_assert_msg(strstr(result.log, "warning") == NULL, "%s", result.log);
  as_rt_result_clear(&result);
  as_lowered_clear(&lowered);
  case_close(j);
}

void case_check_example(const char *name, bool fused, const case_size *size,
                        const as_lower_opts *options, double scale) {
  lower_case j;
  case_open(&j);
  case_read_example(&j, name, fused);
  case_check(&j, size, options, scale);
}
