/* Lowering under the host emulation: the emitted text of each example at small sizes against the
 * double reference, odd extents and other number types, an operator of the user's own, refusals;
 * and that the emulation sees the faults it is there for. */
#include "../../semantics/eval.h"
#include "../../src/lower/lower.h"
#include "../../src/runtime/rt.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  const char *name;
  long value;
} size_of;

typedef struct {
  as_oplib *lib;
  as_sizes *S;
  as_graph *prog;
  as_graph *mug;
  as_err err;
} job;

static void open_job(job *j) {
  as_err_init(&j->err);
  j->lib = test_operators();
  j->S = as_sizes_new();
  j->prog = j->mug = NULL;
}

static void read_text(job *j, const char *tp, const char *mug) {
  j->prog = as_parse_tp("test.tp", tp, strlen(tp), j->S, j->lib, &j->err);
  ck_assert_msg(j->prog != NULL, "%s", j->err.text);
  if (!mug)
    return;
  j->mug = as_parse_mug("test.mug", mug, strlen(mug), j->prog, &j->err);
  ck_assert_msg(j->mug != NULL, "%s", j->err.text);
}

static void read_example(job *j, const char *name, bool fused) {
  size_t n;
  char *p = as_format("%s/examples/%s.tp", test_source_dir(), name);
  char *m = as_format("%s/examples/%s.mug", test_source_dir(), name);
  char *tp = as_read_file(p, &n, &j->err);
  char *mug = fused ? as_read_file(m, &n, &j->err) : NULL;
  ck_assert(tp && (mug || !fused));
  read_text(j, tp, mug);
  free(p);
  free(m);
  free(tp);
  free(mug);
}

static void set(job *j, const size_of *s) {
  for (; s && s->name; s++)
    as_size_set_value(j->S, as_size_find(j->S, s->name), s->value);
}

static void close_job(job *j) {
  as_graph_free(j->mug);
  as_graph_free(j->prog);
  as_sizes_free(j->S);
  as_oplib_free(j->lib);
  as_err_clear(&j->err);
}

/* the program given, by the evaluator of semantics/, on the inputs dumped: a second opinion on both
 * the reference and the kernels */
static void compare_with_evaluator(job *j, const as_lowered *lowered, const char *dump) {
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
static bool emulate(job *j, as_lowered *lowered, double scale, as_rt_result *r) {
  char dir[] = "lower-test-XXXXXX";
  char *emu = as_format("%s/src/lower/emu", test_source_dir());
  ck_assert(mkdtemp(dir) != NULL);
  char *dump = as_format("%s/dump", dir);
  as_rt_opts o = {
      .dir = dir, .emulate = true, .emu_dir = emu, .scale = scale, .seed = 7, .dump = dump};
  bool ran = as_bench_program(lowered, "test", &o, r, &j->err);
  ck_assert_msg(ran, "%s", j->err.text);
  if (r->ok)
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
  return r->ok;
}

static void check_job(job *j, const size_of *s, const as_lower_opts *options, double scale) {
  as_lowered lowered;
  as_rt_result r;
  set(j, s);
  ck_assert_msg(as_lower_cuda(j->mug ? j->mug : j->prog, options, &lowered, &j->err), "%s",
                j->err.text);
  ck_assert_msg(emulate(j, &lowered, scale, &r), "%s\n%s\n%s", r.json, r.log, lowered.notes);
  ck_assert_msg(strstr(r.log, "warning") == NULL, "%s", r.log);
  as_rt_result_clear(&r);
  as_lowered_clear(&lowered);
  close_job(j);
}

static void check_example(const char *name, bool fused, const size_of *s,
                          const as_lower_opts *options, double scale) {
  job j;
  open_job(&j);
  read_example(&j, name, fused);
  check_job(&j, s, options, scale);
}

static const size_of rms[] = {{"B", 16}, {"D", 256}, {"N", 64}, {"J", 2},
                              {"U", 32}, {"L", 4},   {"T", 64}, {NULL, 0}};
static const size_of lora[] = {{"B", 16}, {"D", 128}, {"R", 16}, {"N", 64}, {"J", 2},
                               {"U", 32}, {"L", 2},   {"T", 64}, {NULL, 0}};
static const size_of gqa[] = {{"H", 2},  {"M", 32}, {"E", 32}, {"K", 128}, {"J", 2},
                              {"U", 16}, {"L", 4},  {"T", 32}, {NULL, 0}};

START_TEST(rmsnorm_linear) {
  check_example("rmsnorm_linear", true, rms, NULL, 1);
}

END_TEST
START_TEST(gated_mlp) {
  const size_of s[] = {{"B", 8},  {"D", 256}, {"N", 64}, {"J", 2},
                       {"U", 32}, {"L", 4},   {"T", 64}, {NULL, 0}};
  check_example("gated_mlp", true, s, NULL, 1);
}

END_TEST
START_TEST(lora_fused) {
  check_example("lora", true, lora, NULL, 1);
}

END_TEST
START_TEST(attention) {
  check_example("gqa", true, gqa, NULL, 1);
}

END_TEST
START_TEST(attention_large_scores) {
  check_example("gqa", true, gqa, NULL, 40);
}

END_TEST /* scores beyond 1e4 */
START_TEST(layernorm_linear) {
  const size_of s[] = {{"B", 8},  {"D", 256}, {"N", 32}, {"J", 2},
                       {"U", 16}, {"L", 4},   {"T", 64}, {NULL, 0}};
  check_example("layernorm_linear", true, s, NULL, 1);
}

END_TEST
START_TEST(gated_mixer) {
  check_example("gated_mixer", true, rms, NULL, 1);
}

END_TEST

/* extents that are multiples of nothing: fragments padded with zeros, copies element by element,
 * idle threads */
START_TEST(odd_extents) {
  const size_of s[] = {{"B", 5}, {"D", 60}, {"N", 18}, {"J", 2},
                       {"U", 9}, {"L", 3},  {"T", 20}, {NULL, 0}};
  check_example("rmsnorm_linear", true, s, NULL, 1);
}

END_TEST
START_TEST(odd_attention) {
  const size_of s[] = {{"H", 2}, {"M", 6}, {"E", 10}, {"K", 21}, {"J", 2},
                       {"U", 3}, {"L", 3}, {"T", 7},  {NULL, 0}};
  check_example("gqa", true, s, NULL, 1);
}

END_TEST
START_TEST(few_warps_short_ring) {
  const as_lower_opts options = {.warps = 2, .stages = 1};
  check_example("rmsnorm_linear", true, rms, &options, 1);
}

END_TEST
START_TEST(without_tensor_cores) {
  const as_lower_opts options = {.no_mma = true, .warps = 4};
  check_example("gqa", true, gqa, &options, 1);
}

END_TEST

/* programs as given: one or more generated kernels for each operator */
START_TEST(operators_alone) {
  const size_of s[] = {{"H", 2}, {"M", 32}, {"E", 32}, {"K", 64}, {NULL, 0}};
  check_example("gqa", false, s, NULL, 1);
}

END_TEST
START_TEST(moving_elements) {
  job j;
  open_job(&j);
  read_text(&j,
            "program moves\nsizes A = 6, B = 5\ninput X: f32[A, B]\ninput Y: f32[B, A]\n"
            "C = concat(X, transpose(Y), axis=0)\nR = repeat(C[1:9:2, :], axis=1, times=2)\n"
            "output S = merge_axes(R, axis=0)\noutput M = max(C, axis=0) - mean(X)[0:1]\n",
            NULL);
  check_job(&j, NULL, NULL, 1);
}

END_TEST

START_TEST(bfloat_user_operator) {
  static const char sem[] = "func bump(x) = x / (1 + abs(x))\nop scaled_bump(x[..a, n], s[n]; c = "
                            "2) -> [..a, n]\n  out[..a, i] = c * s[i] * bump(x[..a, i])\n"
                            "op weighted(x[m, k], g[k], w[k, n]) -> [m, n]\n  out[i, j] = sum(p < "
                            "k) x[i, p] * g[p] * w[p, j]\n";
  job j;
  open_job(&j);
  ck_assert(as_oplib_parse(j.lib, "user.sem", sem, strlen(sem), &j.err));
  read_text(&j,
            "program user\nsizes B = 8, D = 64, N = 32\ninput X: bf16[B, D]\ninput S: "
            "bf16[D]\ninput W: bf16[D, N]\noutput Z = weighted(scaled_bump(X, S, c=3), S, W)\n",
            "mugraph user_fused\nsizes J = 2, U = 16, L = 2, T = 32\nwhere N = J * U, D = L * "
            "T\nkernel k\n  grid x = J\n  loop l = L\n"
            "  load x [B, T] = X loop -> 1\n  load s [T] = S loop -> 0\n  load w [T, U] = W x -> 1 "
            "loop -> 0\n  h = scaled_bump(x, s, c=3)\n"
            "  p = weighted(h, s, w)\n  acc z = sum p\n  store Z [B, U] = z x -> 1\nend\n");
  check_job(&j, NULL, NULL, 1);
}

END_TEST

START_TEST(concat_and_max_accumulators) {
  job j;
  open_job(&j);
  read_text(
      &j,
      "program shifted\nsizes B = 4, D = 24\ninput X: f16[B, D]\noutput Z = X - max(X)[:, none]\n",
      "mugraph shifted_fused\nsizes L = 3, T = 8\nwhere D = L * T\nkernel k\n  grid x = B\n  loop "
      "l = L\n  load x [1, T] = X x -> 0 loop -> 1\n"
      "  acc c = concat x axis 1\n  r = max(x)\n  acc m = max r\n  z = c - m[:, none]\n  store Z "
      "[1, D] = z x -> 0\nend\n");
  check_job(&j, NULL, NULL, 1);
}

END_TEST

static void refused(const char *name, const size_of *s, const as_lower_opts *options,
                    as_status status, const char *part) {
  job j;
  as_lowered lowered;
  open_job(&j);
  read_example(&j, name, true);
  set(&j, s);
  ck_assert(!as_lower_cuda(j.mug, options, &lowered, &j.err));
  ck_assert_int_eq(j.err.status, status);
  ck_assert_msg(strstr(j.err.text, part) != NULL, "%s", j.err.text);
  close_job(&j);
}

START_TEST(refusals) {
  const size_of undivided[] = {{"N", 6145}, {NULL, 0}};
  const size_of huge[] = {{"L", 1}, {"T", 4096}, {NULL, 0}};
  as_target tiny = *as_target_default();
  as_target ancient = tiny;
  tiny.shared_block = 4096;
  ancient.has = 0;
  const as_lower_opts small = {.target = &tiny};
  const as_lower_opts none = {.target = &ancient};
  const as_lower_opts three = {.warps = 3};
  refused("rmsnorm_linear", undivided, NULL, AS_BAD_INPUT, "does not hold");
  refused("rmsnorm_linear", huge, NULL, AS_NO, "shared memory");
  refused("rmsnorm_linear", NULL, &small, AS_NO, "shared memory");
  refused("rmsnorm_linear", NULL, &none, AS_BAD_INPUT, "asynchronous copies");
  refused("rmsnorm_linear", NULL, &three, AS_BAD_INPUT, "power of two");
}

END_TEST

/* text with `from` replaced once, at the last occurrence when `last` */
static void spoil(as_lowered *lowered, const char *from, const char *to, bool last) {
  char *at = strstr(lowered->cuda, from);
  ck_assert_msg(at != NULL, "%s is not in the kernel", from);
  for (char *p = at; last && p; p = strstr(p + 1, from))
    at = p;
  as_str out;
  as_str_init(&out);
  as_str_addn(&out, lowered->cuda, (size_t)(at - lowered->cuda));
  as_str_add(&out, to);
  as_str_add(&out, at + strlen(from));
  free(lowered->cuda);
  lowered->cuda = as_str_take(&out);
}

START_TEST(faults_are_seen) {
  static const struct {
    const char *from;
    const char *to;
    const char *said;
    bool last;
  } fault[] = {
      {"as_cp_wait<2>();\n    as_sync();", "as_cp_wait<2>();", "race",
       false}, /* a barrier left out */
      {"as_cp_wait<2>();", "as_cp_wait<3>();", "in flight",
       false},                                    /* one copy too many left in flight */
      {"  as_sync();\n  {", "  {", "race", true}, /* the epilogue does not wait */
      {"as_cp_async<16>(sm, ", "as_cp_async<16>(sm, 100000 + ", "shared access", false},
      {"bid % 2u", "bid % 2u + 1", "global", false},
      {"float part", "if (tid == 5) return;\n  float part", "wait for others", false},
  };

  job j;
  open_job(&j);
  read_example(&j, "rmsnorm_linear", true);
  set(&j, rms);
  size_t i = (size_t)_i;
  as_lowered lowered;
  as_rt_result r;
  const as_lower_opts general = {.no_threads = true}; /* the faults are of its text */
  ck_assert(as_lower_cuda(j.mug, &general, &lowered, &j.err));
  spoil(&lowered, fault[i].from, fault[i].to, fault[i].last);
  ck_assert_msg(!emulate(&j, &lowered, 1, &r), "fault %zu went unseen", i);
  ck_assert_msg(strstr(r.log, fault[i].said) != NULL, "fault %zu: %s", i, r.log);
  as_rt_result_clear(&r);
  as_lowered_clear(&lowered);
  close_job(&j);
}

END_TEST

/* the same muGraph is planned within each GPU's own limits, and what only the larger one can hold
 * is refused for the smaller */
START_TEST(each_target_has_its_limits) {
  const as_target *target = as_target_at((uint32_t)_i);
  const size_of tall[] = {{"D", 2048}, {"L", 1}, {"T", 2048}, {NULL, 0}};
  const as_lower_opts options = {.target = target};
  const long one_stage = 2048 * (16 + 32) * 2; /* X and W tiles of 16-bit elements */
  as_lowered l;
  job j;
  check_example("rmsnorm_linear", true, rms, &options, 1);
  open_job(&j);
  read_example(&j, "rmsnorm_linear", true);
  set(&j, rms);
  ck_assert(as_lower_cuda(j.mug, &options, &l, &j.err));
  ck_assert_int_le(l.kernel[0].bytes_smem, target->shared_block);
  ck_assert(strstr(l.cuda, target->arch) != NULL);
  as_lowered_clear(&l);
  set(&j, tall);
  bool lowered = as_lower_cuda(j.mug, &options, &l, &j.err);
  if (target->shared_block < one_stage) {
    ck_assert(!lowered);
    ck_assert_int_eq(j.err.status, AS_NO);
  } else if (lowered) {
    ck_assert_int_le(l.kernel[0].bytes_smem, target->shared_block);
  }
  if (lowered)
    as_lowered_clear(&l);
  close_job(&j);
}

END_TEST

START_TEST(targets_by_name) {
  as_err err;
  as_err_init(&err);
  ck_assert_str_eq(as_target_find("sm_80", &err)->gpu, "A100");
  ck_assert_str_eq(as_target_find("sm_90", &err)->arch, "sm_90a");
  ck_assert_ptr_eq(as_target_find("h200", &err), as_target_default());
  ck_assert_str_eq(as_target_find("H100", &err)->gpu, "H100");
  ck_assert_int_eq(err.status, AS_OK);
  ck_assert(as_target_find("sm_13", &err) == NULL);
  ck_assert_int_eq(err.status, AS_BAD_INPUT);
  for (uint32_t i = 0; i < as_target_count(); i++) {
    const as_target *target = as_target_at(i);
    ck_assert(strstr(err.text, target->gpu) != NULL);
    ck_assert_ptr_eq(as_target_find(target->gpu, NULL), target);
    ck_assert_int_le(target->shared_block + target->shared_reserved, target->shared_mp);
    ck_assert_int_le(target->ring_alone, target->shared_block);
    ck_assert_int_le(target->ring_shared, target->ring_alone);
    ck_assert_int_le(target->block_warps, target->warps_mp);
  }
  as_err_clear(&err);
}

END_TEST

START_TEST(same_text_twice) {
  job j;
  as_lowered a;
  as_lowered b;
  open_job(&j);
  read_example(&j, "gqa", true);
  ck_assert(as_lower_cuda(j.mug, NULL, &a, &j.err) && as_lower_cuda(j.mug, NULL, &b, &j.err));
  ck_assert_str_eq(a.cuda, b.cuda);
  ck_assert_str_eq(a.reference, b.reference);
  ck_assert_int_eq((int)a.n_kernel, 1);
  ck_assert_int_eq(a.kernel[0].mma, 2);
  as_lowered_clear(&a);
  as_lowered_clear(&b);
  close_job(&j);
}

END_TEST

/* with a CUDA compiler at hand: no warnings for any GPU, at the examples' own sizes */
START_TEST(compiles_for_gpus) {
  const char *env = getenv("NVCC");
  const char *nvcc = env && *env ? env : "/usr/local/cuda/bin/nvcc";
  if (access(nvcc, X_OK)) {
    fprintf(stderr, "no CUDA compiler: not compiled for GPUs\n");
    return;
  }
  job j;
  as_lowered lowered;
  open_job(&j);
  const as_target *target = as_target_at((uint32_t)_i / 2);
  const as_lower_opts options = {.target = target};
  read_example(&j, _i % 2 ? "gqa" : "rmsnorm_linear", true);
  ck_assert_msg(as_lower_cuda(j.mug, &options, &lowered, &j.err), "%s", j.err.text);
  char dir[] = "nvcc-test-XXXXXX";
  ck_assert(mkdtemp(dir) != NULL);
  ck_assert(as_rt_write(&lowered, "test", dir, &j.err));
  char *cmd = as_format("%s -std=c++17 -arch=%s -cubin -Werror all-warnings -Xcompiler "
                        "-Wall,-Wextra,-Werror -o %s/k.cubin %s/kernel.cu && rm -r %s",
                        nvcc, target->arch, dir, dir, dir);
  ck_assert_int_eq(system(cmd), 0);
  free(cmd);
  as_lowered_clear(&lowered);
  close_job(&j);
}

END_TEST

int main(void) {
  TCase *tests = test_case("emulation", 120);
  tcase_add_test(tests, rmsnorm_linear);
  tcase_add_test(tests, gated_mlp);
  tcase_add_test(tests, lora_fused);
  tcase_add_test(tests, attention);
  tcase_add_test(tests, attention_large_scores);
  tcase_add_test(tests, layernorm_linear);
  tcase_add_test(tests, gated_mixer);
  tcase_add_test(tests, odd_extents);
  tcase_add_test(tests, odd_attention);
  tcase_add_test(tests, few_warps_short_ring);
  tcase_add_test(tests, without_tensor_cores);
  tcase_add_test(tests, operators_alone);
  tcase_add_test(tests, moving_elements);
  tcase_add_test(tests, bfloat_user_operator);
  tcase_add_test(tests, concat_and_max_accumulators);
  tcase_add_test(tests, refusals);
  tcase_add_test(tests, targets_by_name);
  tcase_add_loop_test(tests, each_target_has_its_limits, 0, (int)as_target_count());
  tcase_add_test(tests, same_text_twice);
  tcase_add_loop_test(tests, faults_are_seen, 0, 6);
  tcase_add_loop_test(tests, compiles_for_gpus, 0, 2 * (int)as_target_count());
  return test_run("lower", tests);
}
