/* Lowering under the host emulation: the emitted text of each example at small sizes against the
 * double reference, odd extents and other number types, an operator of the user's own, refusals;
 * and that the emulation sees the faults it is there for. */
#include "case.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const case_size rms[] = {{"B", 16}, {"D", 256}, {"N", 64}, {"J", 2},
                                {"U", 32}, {"L", 4},   {"T", 64}, {NULL, 0}};
static const case_size lora[] = {{"B", 16}, {"D", 128}, {"R", 16}, {"N", 64}, {"J", 2},
                                 {"U", 32}, {"L", 2},   {"T", 64}, {NULL, 0}};
static const case_size gqa[] = {{"H", 2},  {"M", 32}, {"E", 32}, {"K", 128}, {"J", 2},
                                {"U", 16}, {"L", 4},  {"T", 32}, {NULL, 0}};

START_TEST(rmsnorm_linear) {
  case_check_example("rmsnorm_linear", true, rms, NULL, 1);
}

END_TEST
START_TEST(gated_mlp) {
  const case_size size[] = {{"B", 8},  {"D", 256}, {"N", 64}, {"J", 2},
                            {"U", 32}, {"L", 4},   {"T", 64}, {NULL, 0}};
  case_check_example("gated_mlp", true, size, NULL, 1);
}

END_TEST
START_TEST(lora_fused) {
  case_check_example("lora", true, lora, NULL, 1);
}

END_TEST
START_TEST(attention) {
  case_check_example("gqa", true, gqa, NULL, 1);
}

END_TEST
START_TEST(attention_large_scores) {
  case_check_example("gqa", true, gqa, NULL, 40);
}

END_TEST /* scores beyond 1e4 */
START_TEST(layernorm_linear) {
  const case_size size[] = {{"B", 8},  {"D", 256}, {"N", 32}, {"J", 2},
                            {"U", 16}, {"L", 4},   {"T", 64}, {NULL, 0}};
  case_check_example("layernorm_linear", true, size, NULL, 1);
}

END_TEST
START_TEST(gated_mixer) {
  case_check_example("gated_mixer", true, rms, NULL, 1);
}

END_TEST

/* extents that are multiples of nothing: fragments padded with zeros, copies element by element,
 * idle threads */
START_TEST(odd_extents) {
  const case_size size[] = {{"B", 5}, {"D", 60}, {"N", 18}, {"J", 2},
                            {"U", 9}, {"L", 3},  {"T", 20}, {NULL, 0}};
  case_check_example("rmsnorm_linear", true, size, NULL, 1);
}

END_TEST
START_TEST(odd_attention) {
  const case_size size[] = {{"H", 2}, {"M", 6}, {"E", 10}, {"K", 21}, {"J", 2},
                            {"U", 3}, {"L", 3}, {"T", 7},  {NULL, 0}};
  case_check_example("gqa", true, size, NULL, 1);
}

END_TEST
START_TEST(few_warps_short_ring) {
  const as_lower_opts options = {.warps = 2, .stages = 1};
  case_check_example("rmsnorm_linear", true, rms, &options, 1);
}

END_TEST
START_TEST(without_tensor_cores) {
  const as_lower_opts options = {.no_mma = true, .warps = 4};
  case_check_example("gqa", true, gqa, &options, 1);
}

END_TEST

/* programs as given: one or more generated kernels for each operator */
START_TEST(operators_alone) {
  const case_size size[] = {{"H", 2}, {"M", 32}, {"E", 32}, {"K", 64}, {NULL, 0}};
  case_check_example("gqa", false, size, NULL, 1);
}

END_TEST
START_TEST(moving_elements) {
  lower_case j;
  case_open(&j);
  case_read(&j,
            "program moves\nsizes A = 6, B = 5\ninput X: f32[A, B]\ninput Y: f32[B, A]\n"
            "C = concat(X, transpose(Y), axis=0)\nR = repeat(C[1:9:2, :], axis=1, times=2)\n"
            "output S = merge_axes(R, axis=0)\noutput M = max(C, axis=0) - mean(X)[0:1]\n",
            NULL);
  case_check(&j, NULL, NULL, 1);
}

END_TEST

/* a sum of sums is one kernel, by a thread or by a warp for each result; sums that differ stay
 * apart
 */
START_TEST(sums_of_sums) {
  static const struct {
    long batch;
    unsigned kernels;
    const char *output;
  } row[] = {{2, 1, "conv2d(X, F, top = 1, left = 1, bottom = 1, right = 1)"},
             {64, 1, "conv2d(X, F, stride_h = 2)"},
             {2, 1, "max_pool2d(X, kh = 3, kw = 2, top = 1)"},
             {2, 2, "softmax(X, axis=3)"}};

  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    lower_case j;
    case_open(&j);
    char *text = as_format("program sums\nsizes B = %ld\ninput X: f32[B, 4, 9, 10]\n"
                           "input F: f32[8, 4, 3, 2]\noutput Y = %s\n",
                           row[i].batch, row[i].output);
    case_read(&j, text, NULL);
    free(text);
    as_lowered lowered;
    as_lowered_init(&lowered);
    bool made = as_lower_cuda(j.prog, &(as_lower_opts){0}, &lowered, &j.err);
    ck_assert_msg(made, "%s: %s", row[i].output, made ? "" : as_err_format(&j.err));
    if (row[i].kernels == 1)
      ck_assert_msg(lowered.n_kernel == 1, "%s: %u kernels", row[i].output, lowered.n_kernel);
    else
      ck_assert_uint_ge(lowered.n_kernel, row[i].kernels);
    as_lowered_clear(&lowered);
    case_check(&j, NULL, NULL, 1);
  }
}

END_TEST

/* powers, built-in functions, kept axes, permutations, choice, products of other batches */
START_TEST(powers_and_batches) {
  lower_case j;
  case_open(&j);
  case_read(&j,
            "program many\nsizes A = 3, B = 5, C = 4\ninput X: f32[A, B, C]\ninput W: f32[C, B]\n"
            "input P: f32[B, 1]\n"
            "output R = pow(X, n=3) - floor(X * 4) + round(X * 3) + sin(X) * cos(X)\n"
            "output K = X - mean_keep(X, axis=1) + max_keep(X, axis=-1)\n"
            "output T = move_axis(swap_axes(X, first=0, second=2), axis=0, by=2)\n"
            "output M = matmul(X, W) + mean2(X, axis=1)[:, none, none]\n"
            "output F = masked_fill(X, P, 2) + sum2(X, axis=0)\n",
            NULL);
  case_check(&j, NULL, NULL, 1);
}

END_TEST

START_TEST(bfloat_user_operator) {
  static const char sem[] = "func bump(x) = x / (1 + abs(x))\nop scaled_bump(x[..a, n], s[n]; c = "
                            "2) -> [..a, n]\n  out[..a, i] = c * s[i] * bump(x[..a, i])\n"
                            "op weighted(x[m, k], g[k], w[k, n]) -> [m, n]\n  out[i, j] = sum(p < "
                            "k) x[i, p] * g[p] * w[p, j]\n";
  lower_case j;
  case_open(&j);
  ck_assert(as_oplib_parse(j.lib, "user.sem", sem, strlen(sem), &j.err));
  case_read(&j,
            "program user\nsizes B = 8, D = 64, N = 32\ninput X: bf16[B, D]\ninput S: "
            "bf16[D]\ninput W: bf16[D, N]\noutput Z = weighted(scaled_bump(X, S, c=3), S, W)\n",
            "mugraph user_fused\nsizes J = 2, U = 16, L = 2, T = 32\nwhere N = J * U, D = L * "
            "T\nkernel k\n  grid x = J\n  loop l = L\n"
            "  load x [B, T] = X loop -> 1\n  load s [T] = S loop -> 0\n  load w [T, U] = W x -> 1 "
            "loop -> 0\n  h = scaled_bump(x, s, c=3)\n"
            "  p = weighted(h, s, w)\n  acc z = sum p\n  store Z [B, U] = z x -> 1\nend\n");
  case_check(&j, NULL, NULL, 1);
}

END_TEST

START_TEST(concat_and_max_accumulators) {
  lower_case j;
  case_open(&j);
  case_read(
      &j,
      "program shifted\nsizes B = 4, D = 24\ninput X: f16[B, D]\noutput Z = X - max(X)[:, none]\n",
      "mugraph shifted_fused\nsizes L = 3, T = 8\nwhere D = L * T\nkernel k\n  grid x = B\n  loop "
      "l = L\n  load x [1, T] = X x -> 0 loop -> 1\n"
      "  acc c = concat x axis 1\n  r = max(x)\n  acc m = max r\n  z = c - m[:, none]\n  store Z "
      "[1, D] = z x -> 0\nend\n");
  case_check(&j, NULL, NULL, 1);
}

END_TEST

static void refused(const char *name, const case_size *size, const as_lower_opts *options,
                    as_status status, const char *part) {
  lower_case j;
  as_lowered lowered;
  case_open(&j);
  case_read_example(&j, name, true);
  case_set_sizes(&j, size);
  ck_assert(!as_lower_cuda(j.mug, options, &lowered, &j.err));
  ck_assert_int_eq(j.err.status, status);
  ck_assert_msg(strstr(j.err.text, part) != NULL, "%s", j.err.text);
  case_close(&j);
}

START_TEST(refusals) {
  const case_size undivided[] = {{"N", 6145}, {NULL, 0}};
  const case_size huge[] = {{"L", 1}, {"T", 4096}, {NULL, 0}};
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

  lower_case j;
  case_open(&j);
  case_read_example(&j, "rmsnorm_linear", true);
  case_set_sizes(&j, rms);
  size_t i = (size_t)_i;
  as_lowered lowered;
  const as_lower_opts general = {.no_threads = true}; /* the faults are of its text */
  ck_assert(as_lower_cuda(j.mug, &general, &lowered, &j.err));
  spoil(&lowered, fault[i].from, fault[i].to, fault[i].last);
  case_demand_fault(&j, &lowered, 1, fault[i].said);
}

END_TEST

/* the same muGraph is planned within each GPU's own limits, and what only the larger one can hold
 * is refused for the smaller */
START_TEST(each_target_has_its_limits) {
  const as_target *target = as_target_at((uint32_t)_i);
  const case_size tall[] = {{"D", 2048}, {"L", 1}, {"T", 2048}, {NULL, 0}};
  const as_lower_opts options = {.target = target};
  const long one_stage = 2048 * (16 + 32) * 2; /* X and W tiles of 16-bit elements */
  as_lowered l;
  lower_case j;
  case_check_example("rmsnorm_linear", true, rms, &options, 1);
  case_open(&j);
  case_read_example(&j, "rmsnorm_linear", true);
  case_set_sizes(&j, rms);
  ck_assert(as_lower_cuda(j.mug, &options, &l, &j.err));
  ck_assert_int_le(l.kernel[0].bytes_smem, target->shared_block);
  ck_assert(strstr(l.cuda, target->arch) != NULL);
  as_lowered_clear(&l);
  case_set_sizes(&j, tall);
  bool lowered = as_lower_cuda(j.mug, &options, &l, &j.err);
  if (target->shared_block < one_stage) {
    ck_assert(!lowered);
    ck_assert_int_eq(j.err.status, AS_NO);
  } else if (lowered) {
    ck_assert_int_le(l.kernel[0].bytes_smem, target->shared_block);
  }
  if (lowered)
    as_lowered_clear(&l);
  case_close(&j);
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
  lower_case j;
  as_lowered a;
  as_lowered lowered;
  case_open(&j);
  case_read_example(&j, "gqa", true);
  ck_assert(as_lower_cuda(j.mug, NULL, &a, &j.err) && as_lower_cuda(j.mug, NULL, &lowered, &j.err));
  ck_assert_str_eq(a.cuda, lowered.cuda);
  ck_assert_str_eq(a.reference, lowered.reference);
  ck_assert_int_eq((int)a.n_kernel, 1);
  ck_assert(a.kernel[0].validated); /* by a thread graph, with tensor cores for both products */
  as_lowered_clear(&a);
  as_lowered_clear(&lowered);
  case_close(&j);
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
  lower_case j;
  as_lowered lowered;
  case_open(&j);
  const as_target *target = as_target_at((uint32_t)_i / 2);
  const as_lower_opts options = {.target = target};
  case_read_example(&j, _i % 2 ? "gqa" : "rmsnorm_linear", true);
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
  case_close(&j);
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
  tcase_add_test(tests, sums_of_sums);
  tcase_add_test(tests, powers_and_batches);
  tcase_add_test(tests, bfloat_user_operator);
  tcase_add_test(tests, concat_and_max_accumulators);
  tcase_add_test(tests, refusals);
  tcase_add_test(tests, targets_by_name);
  tcase_add_loop_test(tests, each_target_has_its_limits, 0, (int)as_target_count());
  tcase_add_test(tests, same_text_twice);
  tcase_add_loop_test(tests, faults_are_seen, 0, 6);
  tcase_add_loop_test(tests, compiles_for_gpus, 0, 2 * (int)as_target_count());
  return case_test_run("lower", tests, 300);
}
