/* Products of warpgroups under the emulation: printed from a validated thread graph, right, and
 * wrong as soon as the text waits for one product less or names another place. */
#include "case.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

#define TP(TYPE)                                                                                   \
  "program biased\nsizes M = 128, D = 192, N = 128\ninput X: " TYPE "[M, D]\ninput W: " TYPE       \
  "[D, N]\ninput C: " TYPE "[N]\noutput O = gelu(X @ W + C)\n"
#define MUG                                                                                        \
  "mugraph biased_fused\nsizes I = 2, U = 64, J = 1, V = 128, L = 3, T = 64\n"                     \
  "where M = I * U, N = J * V, D = L * T\nkernel k\n  grid x = I, y = J\n  loop l = L\n"           \
  "  load x [U, T] = X x -> 0 loop -> 1\n  load w [T, V] = W y -> 1 loop -> 0\n"                   \
  "  load c [V] = C y -> 0\n  p = matmul(x, w)\n  acc a = sum p\n  s = a + c\n  o = gelu(s)\n"     \
  "  store O [U, V] = o x -> 0 y -> 1\nend\n"

static void open_case(lower_case *j, const char *program, as_lowered *lowered) {
  case_open(j);
  case_read(j, program, MUG);
  case_set_sizes(j, NULL);
  ck_assert_msg(as_lower_cuda(j->mug, NULL, lowered, &j->err), "%s", j->err.text);
  ck_assert_msg(strstr(lowered->cuda, "at_wgmma_m64n128k16_") != NULL, "%s", lowered->notes);
}

START_TEST(types) {
  static const char *const programs[] = {TP("f16"), TP("bf16")};
  as_lowered lowered;
  lower_case j;
  open_case(&j, programs[_i], &lowered);
  case_demand(&j, &lowered, 1);
}

END_TEST

static const struct {
  const char *from;
  const char *to;
} faults[] = {
    {"at_wgmma_wait<0>();", "at_wgmma_wait<1>();"},
    {"8192u, 1024u)", "4096u, 1024u)"},
};

START_TEST(faults_are_seen) {
  as_lowered lowered;
  lower_case j;
  open_case(&j, TP("f16"), &lowered);
  char *kernel = strstr(lowered.cuda, "AS_KERNEL(160)"); /* the last: behind the prelude's own */
  char *at = kernel ? strstr(kernel, faults[_i].from) : NULL;
  ck_assert_msg(at != NULL, "%s is not in the kernel", faults[_i].from);
  char *text = as_format("%.*s%s%s", (int)(at - lowered.cuda), lowered.cuda, faults[_i].to,
                         at + strlen(faults[_i].from));
  free(lowered.cuda);
  lowered.cuda = text;
  case_demand_fault(&j, &lowered, 1, "");
}

END_TEST

/* 16 warps with 128 accumulators a thread do not fit in a multiprocessor: no such kernel is made */
START_TEST(registers_have_room) {
  static const struct {
    const char *size;
    unsigned warps;
    bool fits;
  } tiles[] = {{"256", 16, false}, {"128", 16, true}};

  as_lowered lowered = {0};
  lower_case j;
  case_open(&j);
  char *program = as_format("program wide\nsizes M = %s, D = 64, N = 512\ninput X: f16[M, D]\n"
                            "input W: f16[D, N]\noutput O = X @ W\n",
                            tiles[_i].size);
  case_read(&j, program,
            "mugraph wide_fused\nsizes J = 2, V = 256, L = 1, T = 64\nwhere N = J * V, D = L * T\n"
            "kernel k\n  grid x = J\n  loop l = L\n  load x [M, T] = X loop -> 1\n"
            "  load w [T, V] = W x -> 1 loop -> 0\n  p = matmul(x, w)\n  acc a = sum p\n"
            "  store O [M, V] = a x -> 1\nend\n");
  case_set_sizes(&j, NULL);
  const as_lower_opts options = {.warps = tiles[_i].warps};
  bool made = as_lower_cuda(j.mug, &options, &lowered, &j.err);
  bool group = made && strstr(lowered.cuda, "at_wgmma_m64") != NULL;
  ck_assert_msg(group == tiles[_i].fits, "%s", made ? lowered.notes : j.err.text);
  if (made)
    as_lowered_clear(&lowered);
  free(program);
  case_close(&j);
}

END_TEST

int main(void) {
  TCase *tests = test_case("groups", 120);
  tcase_add_loop_test(tests, types, 0, 2);
  tcase_add_loop_test(tests, faults_are_seen, 0, (int)(sizeof faults / sizeof *faults));
  tcase_add_loop_test(tests, registers_have_room, 0, 2);
  return case_test_run("groups", tests, 240);
}
