/* Kernels that are launched while those before run: what they may do before they wait, and what is
 * refused. */
#include "cases.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

static unsigned nth(const as_tg *g, as_tg_kind kind, char who, unsigned n) {
  for (unsigned i = 0; i < g->top.n_body; i++) {
    if (g->top.body[i]->kind == kind && g->top.body[i]->who == who && n-- == 0)
      return i;
  }
  ck_abort_msg("no such operation");
  return 0;
}

static as_tg_op *take(as_tg *g, unsigned at) {
  as_tg_op *op = g->top.body[at];
  g->top.n_body--;
  memmove(&g->top.body[at], &g->top.body[at + 1], (g->top.n_body - at) * sizeof(*g->top.body));
  return op;
}

/* --- changes of a kernel all of whose tiles are inputs */
static void wait_at(as_tg *g, char who, unsigned at) {
  as_tg_insert(g, &g->top, at, as_tg_new_op(g, AS_TG_GRIDWAIT, who));
}

static void all_first(as_tg *g) {
  wait_at(g, 'a', 0);
}

static void all_behind_barriers(as_tg *g) {
  wait_at(g, 'a', 2);
}

static void compute_warps_alone(as_tg *g) {
  wait_at(g, 'c', 0);
}

static void producer_alone(as_tg *g) {
  wait_at(g, 'p', 0);
}

static void in_a_loop(as_tg *g) {
  as_tg_op *loop = g->top.body[nth(g, AS_TG_LOOP, 'c', 0)];
  as_tg_insert(g, loop, 0, as_tg_new_op(g, AS_TG_GRIDWAIT, 'c'));
}

static void in_a_loop_as_well(as_tg *g) {
  all_first(g);
  in_a_loop(g);
}

static void behind_the_store(as_tg *g) {
  wait_at(g, 'a', g->top.n_body);
}

static void go_first(as_tg *g) {
  as_tg_insert(g, &g->top, 0, as_tg_new_op(g, AS_TG_GRIDGO, 'c'));
}

/* --- of one whose first tiles of inputs are fetched early: loops 0 and 1 of the producer */
static void as_it_is(as_tg *g) {
  (void)g;
}

static void without_its_wait(as_tg *g) {
  take(g, nth(g, AS_TG_GRIDWAIT, 'p', 0));
}

static void wait_behind_both(as_tg *g) {
  as_tg_op *wait = take(g, nth(g, AS_TG_GRIDWAIT, 'p', 0));
  as_tg_insert(g, &g->top, nth(g, AS_TG_LOOP, 'p', 1) + 1, wait);
}

static void wait_before_both(as_tg *g) {
  as_tg_op *wait = take(g, nth(g, AS_TG_GRIDWAIT, 'p', 0));
  as_tg_insert(g, &g->top, nth(g, AS_TG_LOOP, 'p', 0), wait);
}

static void made_ones_early(as_tg *g) {
  as_tg_op *given = g->top.body[nth(g, AS_TG_LOOP, 'p', 0)];
  as_tg_op *made = g->top.body[nth(g, AS_TG_LOOP, 'p', 1)];
  as_tg_op *copy = given->body[1];
  given->body[1] = made->body[0];
  made->body[0] = copy;
}

static void computing_does_not_wait(as_tg *g) {
  take(g, nth(g, AS_TG_GRIDWAIT, 'c', 0));
}

static void from_one_before(as_tg *g) {
  g->top.body[nth(g, AS_TG_LOOP, 'p', 2)]->from--;
}

static void from_one_after(as_tg *g) {
  g->top.body[nth(g, AS_TG_LOOP, 'p', 2)]->from++;
}

static void fewer_early(as_tg *g) {
  g->top.body[nth(g, AS_TG_LOOP, 'p', 0)]->count--;
}

static void more_early(as_tg *g) {
  g->top.body[nth(g, AS_TG_LOOP, 'p', 0)]->count++;
}

static void fewer_bytes(as_tg *g) {
  g->top.body[nth(g, AS_TG_LOOP, 'p', 0)]->body[0]->count -= 16;
}

static void computes_later(as_tg *g) {
  g->top.body[nth(g, AS_TG_LOOP, 'c', 0)]->from = 1;
}

static void a_copy_later(as_tg *g) {
  as_tg_op *loop = g->top.body[nth(g, AS_TG_LOOP, 'p', 2)];
  loop->body[loop->n_body - 1]->from = 3;
}

static const char waits_once[] = "a wait for the kernels before that is not each thread's once";
static const char touched[] = "memory of other kernels is touched before they are over";
static const char given[] = "gated, bulk, five rows";
static const char made[] = "a second kernel";

static const thread_change changes[] = {
    {given, all_first, NULL},
    {given, all_behind_barriers, NULL},
    {given, compute_warps_alone, NULL},
    {given, producer_alone, touched},
    {given, in_a_loop, waits_once},
    {given, in_a_loop_as_well, waits_once},
    {given, behind_the_store, touched},
    {given, go_first, NULL},
    {made, as_it_is, NULL},
    {made, go_first, NULL},
    {made, without_its_wait, touched},
    {made, wait_behind_both, touched},
    {made, wait_before_both, NULL},
    {made, made_ones_early, touched},
    {made, computing_does_not_wait, touched},
    {made, from_one_before, ""},
    {made, from_one_after, ""},
    {made, fewer_early, ""},
    {made, more_early, ""},
    {made, fewer_bytes, ""},
    {made, computes_later, "a loop that leaves out its first iterations"},
    {made, a_copy_later, "iterations that are left out"},
};

/* what is accepted is executed, too: an agent that touches others' memory before its wait is seen
 */
START_TEST(changed) {
  opened o[2];
  case_open(&o[0], case_of(given));
  case_open(&o[1], case_of(made));
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    const opened *of = &o[changes[i].of == made];
    case_judge_change(of, &changes[i], (unsigned)i, 2);
  }
  case_close(&o[0]);
  case_close(&o[1]);
}

END_TEST

/* the first tiles of the weights, as many as the ring has, then the wait, then what was made */
START_TEST(lowered) {
  opened o;
  case_open(&o, case_of(made));
  const as_tg *g = o.kernel.graph;
  const as_tg_op *early = g->top.body[nth(g, AS_TG_LOOP, 'p', 0)];
  const as_tg_op *main = g->top.body[nth(g, AS_TG_LOOP, 'p', 2)];
  ck_assert(o.kernel.waits && o.kernel.early);
  ck_assert_int_eq(early->count, g->stages);
  ck_assert_str_eq(g->tile[early->body[1]->tile].name, "w");
  ck_assert_uint_lt(nth(g, AS_TG_LOOP, 'p', 0), nth(g, AS_TG_GRIDWAIT, 'p', 0));
  ck_assert_int_eq(main->from, g->stages);
  ck_assert_int_eq(main->count, g->trip);
  case_close(&o);
}

END_TEST

int main(void) {
  TCase *tests = test_case("all", 120);
  tcase_add_test(tests, lowered);
  tcase_add_test(tests, changed);
  return test_run("beside", tests);
}
