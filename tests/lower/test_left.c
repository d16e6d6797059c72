/* Causal attention under the emulation, wholly masked tiles left out: right, whoever copies and
 * multiplies, and wrong as soon as the text leaves out one tile more, takes a mask for asked that
 * is not, or multiplies other values. */
#include "case.h"
#include "src/base/str.h"
#include "src/target/target.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

#define PROGRAM                                                                                    \
  "program causal\nsizes H = %d, M = 256, E = 128\ninput Q: f16[H, M, E]\n"                        \
  "input Kt: f16[H, E, M]\ninput V: f16[H, M, E]\nI = iota(size=M)\n"                              \
  "Keep = less_equal(I[none, :], I[:, none])\nS = matmul(Q, Kt)\nW = exp(S) * Keep\n"              \
  "N = W / sum(W, axis=-1)[:, :, none]\noutput O = matmul(N, V)\n"
#define GRAPH                                                                                      \
  "mugraph causal_rows\nsizes R = %s, U = %s, L = %s, T = %s\nwhere M = R * U, M = L * T\n"        \
  "I = iota(size=M)\nKey = I[none, :]\nRow = I[:, none]\nKeep = less_equal(Key, Row)\n"            \
  "Drop = greater(Key, Row)\nkernel attend\n  grid x = H, y = R\n  loop l = L\n"                   \
  "  load q [1, U, E] = Q x -> 0 y -> 1\n  load k [1, E, T] = Kt x -> 0 loop -> 2\n"               \
  "  load v [1, T, E] = V x -> 0 loop -> 1\n  load keep [U, T] = Keep y -> 0 loop -> 1\n"          \
  "  load drop [U, T] = Drop y -> 0 loop -> 1\n  s0 = matmul(q, k)\n"                              \
  "  s = masked_fill(s0, drop[none, :, :], -100)\n  r = max(s, axis=-1)\n  acc mx, m = max r\n"    \
  "  d = s - m[:, :, none]\n  e0 = exp(d)\n  e = e0 * keep\n  t = sum(e, axis=-1)\n"               \
  "  p = matmul(e, v)\n  acc z = sum t rescale m\n  acc o = sum p rescale m\n"                     \
  "  y = o / z[:, :, none]\n  store O [1, U, E] = y x -> 0 y -> 1\nend\n"

typedef struct {
  const char *rows; /* blocks and their rows, iterations and their keys */
  const char *each;
  const char *loop;
  const char *keys;
  const char *arch;
  const char *shows; /* in the text */
} shape;

static const shape shapes[] = {
    {"2", "128", "4", "64", "sm_90a", "at_registers_more<240>();"},
    {"2", "128", "2", "128", "sm_90a", "at_registers_more<240>();"},
    {"4", "64", "4", "64", "sm_90a", "at_wgmma_wait<1>();"},
    {"8", "32", "4", "64", "sm_80", "at_cp_async_16("},
};

static void lower(lower_case *j, const shape *s, int heads, long cache, as_lowered *lowered) {
  char *program = as_format(PROGRAM, heads);
  char *graph = as_format(GRAPH, s->rows, s->each, s->loop, s->keys);
  case_open(j);
  case_read(j, program, graph);
  free(program);
  free(graph);
  case_set_sizes(j, NULL);
  const as_target *target = as_target_find(s->arch, &j->err);
  ck_assert_msg(target != NULL, "%s", j->err.text);
  static as_target gpu; /* lives as long as what is lowered */
  gpu = *target;
  gpu.l2_bytes = cache ? cache : gpu.l2_bytes;
  const as_lower_opts options = {.target = &gpu};
  ck_assert_msg(as_lower_cuda(j->mug, &options, lowered, &j->err), "%s", j->err.text);
  ck_assert_msg(strstr(lowered->cuda, s->shows) && strstr(lowered->cuda, "l < n_"), "%s",
                lowered->notes);
}

START_TEST(left_out) {
  as_lowered lowered;
  lower_case j;
  lower(&j, &shapes[_i], 1, 0, &lowered);
  case_demand(&j, &lowered, 0.25);
}

END_TEST

/* the cache holds keys and values of one head: all blocks of one start before those of the next */
START_TEST(head_by_head) {
  as_lowered lowered;
  lower_case j;
  lower(&j, &shapes[2], 2, 200000, &lowered);
  ck_assert_ptr_nonnull(strstr(lowered.cuda, "part_ = as_bid() / 4u * 1u + as_bid() % 1u"));
  case_demand(&j, &lowered, 0.25);
}

END_TEST

/* of the third shape */
static const struct {
  const char *from;
  const char *to;
} faults[] = {
    {"const int n_ = most_ < 1 ? 1 : most_",
     "const int n_ = most_ < 2 ? 1 : most_ - 1, m_ = most_"},
    {"(-63)) >= 0", "(63)) >= 0"},
    {"gy = 4u - 1u - ", "gy = 4u - 2u - "},
    {"(l + -1) % 4u", "(l + 0) % 4u"},
};

static char *everywhere(const char *text, const char *from, const char *to) {
  as_str s;
  const char *at = text;
  as_str_init(&s);
  for (const char *found; (found = strstr(at, from)); at = found + strlen(from)) {
    as_str_addn(&s, at, (size_t)(found - at));
    as_str_add(&s, to);
  }
  ck_assert_msg(at != text, "%s is not in the text", from);
  as_str_add(&s, at);
  return as_str_take(&s);
}

START_TEST(faults_are_seen) {
  as_lowered lowered;
  lower_case j;
  lower(&j, &shapes[2], 1, 0, &lowered);
  char *text = everywhere(lowered.cuda, faults[_i].from, faults[_i].to);
  free(lowered.cuda);
  lowered.cuda = text;
  case_demand_fault(&j, &lowered, 0.25, "");
}

END_TEST

int main(void) {
  TCase *tests = test_case("left", 300);
  tcase_add_loop_test(tests, left_out, 0, (int)(sizeof shapes / sizeof *shapes));
  tcase_add_test(tests, head_by_head);
  tcase_add_loop_test(tests, faults_are_seen, 0, (int)(sizeof faults / sizeof *faults));
  return case_test_run("left", tests, 300);
}
