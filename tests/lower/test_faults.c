/* A fault is seeded in each pass of the lowering in turn; the comparison with the evaluators,
 * the emulation, or the verification of what is printed must notice every one, and none may
 * complain without a fault. */
#include "../../src/lower/fault.h"
#include "batch.h"
#include "case.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char operators[] = "op prev_row_sum(x[m, n]) -> [m]\n"
                                "  out[i] = if(0 < i, sum(k < n) x[i - 1, k], 0)\n"
                                "op first(x[n]) -> [n]\n"
                                "  out[k] = x[(k * 2147483647 + 3 * 4000000000) mod n]\n"
                                "op weighted(x[m, k], g[k], w[k, n]) -> [m, n]\n"
                                "  out[i, j] = sum(p < k) x[i, p] * g[p] * w[p, j]\n";

static const struct {
  const char *tp;
  const char *mug;
} program[] = {
    {"program p\nsizes M = 6, N = 40\ninput X: f16[M, N]\noutput Z = prev_row_sum(X)\n"
     "output E = exp(X)\n",
     NULL},
    {"program p\nsizes N = 19\ninput X: f32[N]\noutput A = first(X)\n", NULL},
    {"program p\nsizes B = 16, D = 64, N = 32\ninput X: f16[B, D]\ninput G: f16[D]\n"
     "input W: f16[D, N]\noutput Z = weighted(X * X, G, W) / sum(X * X)[:, none]\n",
     "mugraph q\nsizes J = 2, U = 16, L = 4, T = 16\nwhere N = J * U, D = L * T\nkernel k\n"
     "  grid x = J\n  loop l = L\n  load x [B, T] = X loop -> 1\n  load g [T] = G loop -> 0\n"
     "  load w [T, U] = W x -> 1 loop -> 0\n  h = x * x\n  p = weighted(h, g, w)\n  acc z = sum p\n"
     "  r = sum(h)\n  acc s = sum r\n  o = z / s[:, none]\n  store Z [B, U] = o x -> 1\nend\n"},
};

enum { PROGRAMS = sizeof program / sizeof *program };

/* are the results those of the evaluator? */
static bool right(lower_case *j, const batch_item *item) {
  as_tensor in[4];
  as_tensor out[4];
  int64_t *env = as_env_new(j->S);
  for (uint32_t i = 0; i < j->prog->n_input; i++) {
    const as_node *node = &j->prog->node[j->prog->input[i]];
    int64_t dim[AS_MAX_RANK];
    for (uint32_t d = 0; d < node->rank; d++)
      dim[d] = as_size_eval(j->S, node->dim[d], env);
    as_tensor_init(&in[i], &as_domain_double, dim, node->rank);
    memcpy(in[i].data, item->in[i], in[i].n * sizeof(double));
  }
  ck_assert_int_eq(as_eval_graph(j->prog, &as_domain_double, env, in, out, &j->err), AS_OK);
  bool same = true;
  for (uint32_t i = 0; i < j->prog->n_output; i++) {
    for (size_t k = 0; k < out[i].n; k++) {
      double value = *(double *)as_tensor_at(&out[i], k);
      if (!(fabs(item->out[i][k] - value) <= 2e-2 * (1 + fabs(value))))
        same = false;
    }
    as_tensor_clear(&out[i]);
  }
  for (uint32_t i = 0; i < j->prog->n_input; i++)
    as_tensor_clear(&in[i]);
  free(env);
  return same;
}

/* lowered, with inputs; false: the verification of what is printed refuses it (src/lower/verify.h)
 */
static bool prepared(lower_case *j, batch_item *item) {
  as_lowered lowered;
  const as_lower_opts general = {.no_threads = true}; /* the faults are of its passes */
  bool ok = as_lower_cuda(j->mug ? j->mug : j->prog, &general, &lowered, &j->err);
  ck_assert_msg(ok || j->err.status == AS_INTERNAL, "%s", j->err.text);
  if (!ok)
    return false;
  batch_item_init(item, &lowered);
  for (uint32_t i = 0; i < item->lowered.n_in; i++) {
    for (long k = 0; k < item->lowered.in_elems[i]; k++)
      item->in[i][k] = (double)((k * 7 + (long)i * 3) % 13 - 6) / 4 + 1.0 / 8;
  }
  return true;
}

/* Is a program seen to be wrong with the fault that is switched on?  One that ends the run of all
 * is, and one that is not handed out. */
static bool noticed(void) {
  lower_case j[PROGRAMS];
  batch_item item[PROGRAMS];
  unsigned of_item[PROGRAMS]; /* its program */
  unsigned n = 0;
  char dir[] = "faults-XXXXXX";
  for (unsigned p = 0; p < PROGRAMS; p++) {
    case_open(&j[p]);
    ck_assert(as_oplib_parse(j[p].lib, "user.sem", operators, strlen(operators), &j[p].err));
    case_read(&j[p], program[p].tp, program[p].mug);
    of_item[n] = p;
    n += prepared(&j[p], &item[n]);
  }
  ck_assert(mkdtemp(dir) != NULL);
  bool wrong = n < PROGRAMS || !batch_run(item, n, dir);
  for (unsigned i = 0; i < n; i++) {
    wrong = wrong || !item[i].ran || !right(&j[of_item[i]], &item[i]);
    batch_item_clear(&item[i]);
  }
  for (unsigned p = 0; p < PROGRAMS; p++)
    case_close(&j[p]);
  char *command = as_format("rm -r %s", dir);
  ck_assert_int_eq(system(command), 0);
  free(command);
  return wrong;
}

START_TEST(no_fault) {
  lo_seeded_fault = LO_FAULT_NONE;
  ck_assert(!noticed());
}

END_TEST
START_TEST(fault_is_noticed) {
  lo_seeded_fault = (lo_fault)_i;
  ck_assert_msg(noticed(), "the fault %d goes unseen", _i);
}

END_TEST

int main(void) {
  TCase *tests = test_case("seeded faults", 120);
  tcase_add_test(tests, no_fault);
  tcase_add_loop_test(tests, fault_is_noticed, LO_FAULT_NONE + 1, LO_FAULT_OF_PASSES);
  return test_run("faults", tests);
}
