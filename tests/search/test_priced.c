/* A candidate is priced by the ways that its parts are lowered.  The cost model with a fault
 * planted in it, or asked about another lowering than the one that is handed out, is noticed before
 * a kernel leaves the program (src/optimize/choice.c).  Built with AS_SEEDED_FAULTS. */
#include "search/fault.h"
#include "src/base/mem.h"
#include "src/lower/lower.h"
#include "src/optimize/choice.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <string.h>

typedef struct {
  const char *tp;
  const char *mug; /* NULL: the program's operators */
} subject;

#define ROWS                                                                                       \
  "program p\nsizes B = 1, S = 100, D = 512, F = 1024\ninput x: f16[B, S, D]\n"                    \
  "input w: f16[F, D]\ny = softmax(x)\nz = merge_axes(y, axis=0)\n"                                \
  "output o = gelu(matmul(z, transpose(w, axis=0)))\n"
#define PRODUCT(type, more)                                                                        \
  "program p\nsizes M = 64, D = 256, N = 128\ninput X: " type "[M, D]\ninput W: " type             \
  "[D, N]\noutput Z = matmul(X, W)" more "\n"

static const char two_kernels[] =
    "mugraph c\nsizes J = 1, U = 1, J1 = 100, U1 = 1, L = 8, T = 64, J2 = 128, U2 = 8\n"
    "where B = J * U, S = J1 * U1, D = L * T, F = J2 * U2\nkernel k0\n"
    "  grid x = J1, y = J\n  load t1 [U, U1, D] = x x -> 1 y -> 0\n  t3 = softmax(t1)\n"
    "  store y [U, U1, D] = t3 x -> 1 y -> 0\nend\nkernel k1\n  grid x = J2\n"
    "  loop l = L\n  load t4 [B, S, T] = y loop -> 2\n  load t5 [U2, T] = w x -> 0 loop -> 1\n"
    "  t6 = transpose(t5, axis=0)\n  t7 = matmul(t4, t6)\n  acc t8 = sum t7\n"
    "  t9 = merge_axes(t8, axis=0)\n  t10 = gelu(t9)\n"
    "  store o [B * S, U2] = t10 x -> 1\nend\n";
static const char stream[] =
    "mugraph c\nsizes J = 4, U = 32, L = 4, T = 64\nwhere N = J * U, D = L * T\nkernel k0\n"
    "  grid x = J\n  loop l = L\n  load a [M, T] = X loop -> 1\n"
    "  load b [T, U] = W x -> 1 loop -> 0\n  c = matmul(a, b)\n  acc d = sum c\n"
    "  store Z [M, U] = d x -> 1\nend\n";
static const char maps[] = "mugraph c\nsizes J = 8, U = 8\nwhere M = J * U\nkernel k0\n"
                           "  grid x = J\n  load a [U, N] = X x -> 0\n  c = exp(a)\n"
                           "  store Z [U, N] = c x -> 0\nend\n";

static const subject subjects[] = {
    {ROWS, two_kernels},
    {PRODUCT("f16", ""), stream},
    {PRODUCT("f32", ""), stream},
    {"program p\nsizes M = 64, N = 128\ninput X: f32[M, N]\noutput Z = exp(X)\n", maps},
    {PRODUCT("f32", " * 2"), NULL},
    {PRODUCT("f16", ""), NULL},
};

enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* a lowering: what it is asked with, beside the graph */
typedef struct {
  const char *arch;
  as_library_use library;
  const char *rounded;
  bool no_threads;
  bool no_mma;
} how;

/* what is handed out */
static const how given[] = {{NULL, AS_LIBRARY_NEVER, NULL, false, false},
                            {NULL, AS_LIBRARY_ALWAYS, NULL, false, false},
                            {NULL, AS_LIBRARY_NEVER, "matmul", false, false},
                            {"sm_80", AS_LIBRARY_NEVER, "matmul:3", false, false}};

/* what is asked of instead: each an option that does not come to where prices are made */
typedef enum {
  ASKED_RIGHT,
  ASKED_NO_THREADS,
  ASKED_NO_TENSOR_CORES,
  ASKED_NO_LIBRARY,
  ASKED_LIBRARY,
  ASKED_NO_ROUNDING,
  ASKED_COUNT
} asked;

static how instead(how of, asked fault) {
  of.no_threads = of.no_threads || fault == ASKED_NO_THREADS;
  of.no_mma = of.no_mma || fault == ASKED_NO_TENSOR_CORES;
  if (fault == ASKED_NO_LIBRARY || fault == ASKED_LIBRARY)
    of.library = fault == ASKED_LIBRARY ? AS_LIBRARY_ALWAYS : AS_LIBRARY_NEVER;
  if (fault == ASKED_NO_ROUNDING)
    of.rounded = NULL;
  return of;
}

static as_lower_opts options_of(const how *of) {
  as_err err;
  as_err_init(&err);
  const as_target *target = of->arch ? as_target_find(of->arch, &err) : as_target_default();
  target = as_target_using(target, of->library);
  if (of->rounded)
    target = as_target_rounding(target, of->rounded);
  return (as_lower_opts){.target = target, .no_threads = of->no_threads, .no_mma = of->no_mma};
}

static as_routes routes_of(const as_graph *graph, const how *of) {
  as_lower_opts options = options_of(of);
  as_routes routes = {0};
  as_lowered lowered;
  as_err err;
  as_err_init(&err);
  if (!as_lower_cuda(graph, &options, &lowered, &err))
    ck_abort_msg("%s", err.text);
  as_lowered_take_routes(&lowered, &routes);
  as_lowered_clear(&lowered);
  return routes;
}

/* Is the subject, priced by what is asked, handed out as it is lowered?  No: an error, AS_INTERNAL.
 */
static bool is_handed_out(const subject *of, const how *lowered, asked fault) {
  as_err err;
  as_err_init(&err);
  as_oplib *lib = test_operators();
  as_sizes *sizes = as_sizes_new();
  as_graph *program = as_parse_tp("p.tp", of->tp, strlen(of->tp), sizes, lib, &err);
  as_graph *mug =
      of->mug && program ? as_parse_mug("p.mug", of->mug, strlen(of->mug), program, &err) : NULL;
  if (!program || (of->mug && !mug))
    ck_abort_msg("%s", err.text);
  as_graph *graph = mug ? mug : program;
  const how other = instead(*lowered, fault);
  as_lower_opts options = options_of(&other);
  as_routes routes = routes_of(graph, &other);
  as_candidate candidate = {.graph = graph};
  double us = as_cost_lowered(graph, options.target, &routes, &candidate.priced, NULL);
  as_routes handed = routes_of(graph, lowered);
  bool is = us > 0 && as_lowered_as_priced(&candidate, &handed, &err);
  ck_assert(is || us <= 0 || err.status == AS_INTERNAL);
  as_routes_clear(&routes);
  as_routes_clear(&handed);
  as_routes_clear(&candidate.priced);
  as_err_clear(&err);
  if (mug)
    as_graph_free(mug);
  as_graph_free(program);
  as_sizes_free(sizes);
  as_oplib_free(lib);
  return is;
}

enum { GIVEN = sizeof given / sizeof *given };

START_TEST(without_faults) {
  for (int i = 0; i < SUBJECTS; i++)
    for (int k = 0; k < GIVEN; k++)
      ck_assert_msg(is_handed_out(&subjects[i], &given[k], ASKED_RIGHT), "subject %d, %d", i, k);
}

END_TEST

static int refused(asked fault) {
  int n = 0;
  for (int i = 0; i < SUBJECTS; i++)
    for (int k = 0; k < GIVEN; k++)
      n += !is_handed_out(&subjects[i], &given[k], fault);
  return n;
}

START_TEST(faults_of_the_model) {
  sg_seeded_fault = (sg_fault)_i;
  ck_assert_int_gt(refused(ASKED_RIGHT), 0);
  sg_seeded_fault = SG_FAULT_NONE;
}

END_TEST
START_TEST(faults_of_what_is_asked) {
  ck_assert_int_gt(refused((asked)_i), 0);
}

END_TEST

/* What the search prices is what it asks about: at the tiling that it takes. */
START_TEST(search_prices_what_is_lowered) {
  as_err err;
  as_err_init(&err);
  const subject *of = &subjects[_i];
  as_oplib *lib = test_operators();
  as_sizes *sizes = as_sizes_new();
  as_graph *program = as_parse_tp("p.tp", of->tp, strlen(of->tp), sizes, lib, &err);
  as_lower_opts plan = options_of(&given[0]);
  as_search_opts options = as_search_default;
  options.policy = NULL; /* candidates are priced and not judged */
  options.lowers = as_lowers;
  options.lowers_arg = &plan;
  as_search_result found = {0};
  ck_assert_int_eq(as_search_offer(program, &options, of->mug, &found), AS_OFFERED_TAKEN);
  as_candidate *candidate = &found.cand[0];
  as_search_select(candidate, candidate->chosen);
  as_routes routes = routes_of(candidate->graph, &given[0]);
  ck_assert_msg(as_lowered_as_priced(candidate, &routes, &err), "%s", err.text);
  as_routes_clear(&routes);
  as_search_result_clear(&found);
  as_graph_free(program);
  as_sizes_free(sizes);
  as_oplib_free(lib);
}

END_TEST

int main(void) {
  TCase *tests = test_case("priced", 120);
  tcase_add_test(tests, without_faults);
  tcase_add_loop_test(tests, faults_of_the_model, SG_FAULT_NONE + 1, SG_FAULT_COUNT);
  tcase_add_loop_test(tests, faults_of_what_is_asked, ASKED_RIGHT + 1, ASKED_COUNT);
  tcase_add_loop_test(tests, search_prices_what_is_lowered, 0, 4);
  return test_run("priced", tests);
}
