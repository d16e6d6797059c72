/* Operations that are executed one iteration late, choices that are sure for all of a tile, and
 * registers that are handed over: what is lowered, and what is refused. */
#include "cases.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

static const char by_one[] = "causal, products of values waited for in their iteration";
static const char by_two[] = "values one iteration late, registers handed over, two warpgroups";

typedef struct {
  as_tg_op *in;
  unsigned at;
} found;

/* the nth of a kind, delayed or not */
static bool find(as_tg_op *in, as_tg_kind kind, int delay, unsigned *nth, found *out) {
  for (unsigned i = 0; i < in->n_body; i++) {
    as_tg_op *op = in->body[i];
    if (op->kind == kind && op->delay == delay && (*nth)-- == 0) {
      *out = (found){in, i};
      return true;
    }
    if (find(op, kind, delay, nth, out))
      return true;
  }
  return false;
}

static found get(as_tg *g, as_tg_kind kind, int delay, unsigned nth) {
  found f;
  ck_assert_msg(find(&g->top, kind, delay, &nth, &f), "no such operation");
  return f;
}

static as_tg_op *op_at(found f) {
  return f.in->body[f.at];
}

static void take(found f) {
  memmove(f.in->body + f.at, f.in->body + f.at + 1, (f.in->n_body - f.at - 1) * sizeof *f.in->body);
  f.in->n_body--;
}

static void move(as_tg *g, found f, as_tg_op *to, unsigned at) {
  as_tg_op *op = op_at(f);
  take(f);
  as_tg_insert(g, to, at, op);
}

/* --- lowered */
START_TEST(lowered) {
  static const char *const names[] = {by_one, by_two};
  for (size_t i = 0; i < 2; i++) {
    opened o;
    case_open(&o, case_of(names[i]));
    as_tg *g = o.kernel.graph;
    get(g, AS_TG_WGMMAR, 1, 0);
    get(g, AS_TG_SURE, 0, 1);
    ck_assert_int_eq(g->compute_registers, i ? 240 : 0);
    ck_assert_uint_eq(o.kernel.threads, i ? 384 : 160);
    ck_assert_int_eq(strstr(o.kernel.kernel, "AS_KERNEL_AT_ONCE(384)") != NULL, i == 1);
    ck_assert_int_eq(strstr(o.kernel.kernel, "at_registers_more<240>();") != NULL, i == 1);
    case_close(&o);
  }
}

END_TEST

/* --- changes */
static void behind_the_operand(as_tg *g) {
  found f = get(g, AS_TG_WGMMAR, 1, 0);
  move(g, f, f.in, f.in->n_body - 1);
}

static void at_once(as_tg *g) {
  op_at(get(g, AS_TG_WGMMAR, 1, 0))->delay = 0;
}

static void two_late(as_tg *g) {
  op_at(get(g, AS_TG_WGMMAR, 1, 0))->delay = 2;
}

static void a_late_fold(as_tg *g) {
  op_at(get(g, AS_TG_ACCADD, 0, 0))->delay = 1;
}

static void a_late_wait(as_tg *g) {
  op_at(get(g, AS_TG_WGWAIT, 0, 1))->delay = 1;
}

static void late_scores(as_tg *g) {
  op_at(get(g, AS_TG_WGMMAR, 0, 0))->delay = 1;
}

static void late_outside(as_tg *g) {
  found f = get(g, AS_TG_WGFENCE, 1, 0);
  move(g, f, &g->top, g->top.n_body);
}

static void no_late_fence(as_tg *g) {
  take(get(g, AS_TG_WGFENCE, 1, 0));
}

static void the_fence_at_once(as_tg *g) {
  op_at(get(g, AS_TG_WGFENCE, 1, 0))->delay = 0;
}

static void no_commit_behind(as_tg *g) {
  take(get(g, AS_TG_WGCOMMIT, 0, 2));
}

static void no_wait_behind(as_tg *g) {
  take(get(g, AS_TG_WGWAIT, 0, 2));
}

static void no_commit_of_its_own(as_tg *g) {
  take(get(g, AS_TG_WGCOMMIT, 0, 1));
}

static void scores_not_waited_for(as_tg *g) {
  op_at(get(g, AS_TG_WGWAIT, 0, 0))->count = 2;
}

static void all_waited_for(as_tg *g) {
  op_at(get(g, AS_TG_WGWAIT, 0, 0))->count = 0;
}

static void sums_not_waited_for(as_tg *g) {
  op_at(get(g, AS_TG_WGWAIT, 0, 1))->count = 1;
}

static void given_back_too_early(as_tg *g) {
  as_tg_op *back = op_at(get(g, AS_TG_MBARRIVE, 0, 0));
  back->slot = 0;
  back->from = 0;
}

static void the_next_stage(as_tg *g) {
  op_at(get(g, AS_TG_WGMMAR, 1, 0))->slot = 1;
}

/* --- what is sure */
static as_tg_op *sure(as_tg *g, unsigned nth) {
  return op_at(get(g, AS_TG_SURE, 0, nth));
}

static void raise(as_tg *g, unsigned nth, const char *by) {
  as_tg_op *op = sure(g, nth);
  op->expr = as_tg_expr_new(g, AS_TGS_ADD, op->expr, as_tg_expr_num(g, by));
}

static void one_key_more(as_tg *g) {
  raise(g, 0, "1");
}

static void one_key_more_of_weights(as_tg *g) {
  raise(g, 1, "1");
}

static void one_key_less(as_tg *g) {
  raise(g, 0, "-1");
}

static void never(as_tg *g) {
  sure(g, 0)->expr = as_tg_expr_num(g, "-1");
}

static void always(as_tg *g) {
  sure(g, 1)->expr = as_tg_expr_num(g, "0");
}

static void exchange(as_tg_expr *e, unsigned from, unsigned to) {
  if (e && e->op == AS_TGS_ARG && e->arg == from)
    e->arg = to;
  for (unsigned i = 0; e && i < 3; i++)
    exchange(e->kid[i], from, to);
}

static void of_another_axis(as_tg *g) {
  exchange(sure(g, 0)->expr, 1, 0);
}

static void of_no_iteration(as_tg *g) {
  exchange(sure(g, 0)->expr, 3, 4);
}

static void the_other_side(as_tg *g) {
  sure(g, 0)->side = 1;
}

static void a_third_side(as_tg *g) {
  sure(g, 0)->side = 2;
}

static void no_number(as_tg *g) {
  as_tg_op *op = sure(g, 0);
  op->expr = as_tg_expr_new(g, AS_TGS_EXP, op->expr, NULL);
}

static void a_place_that_is_used_behind(as_tg *g) {
  found f = get(g, AS_TG_SURE, 0, 0);
  as_tg_op *op = op_at(f);
  as_tg_op *last = op->body[op->n_body - 1];
  as_tg_op *map = op->body[op->n_body - 2];
  op->n_body -= 2;
  as_tg_insert(g, f.in, f.at + 1, map);
  as_tg_insert(g, f.in, f.at + 2, last);
}

static void a_fold_over_lanes_inside(as_tg *g) {
  found f = get(g, AS_TG_SHFL, 0, 0);
  as_tg_op *to = sure(g, 0);
  move(g, f, to, to->n_body);
}

static void a_place_as_a_number(as_tg *g) {
  as_tg_op *in = sure(g, 1);
  as_tg_op *map = in->body[in->n_body - 1];
  ck_assert(map->kind == AS_TG_MAP);
  for (int i = 0; i < map->n_arg; i++) {
    if (!strncmp(as_tg_value_name(g, map->arg[i]), "place", 5))
      map->expr = as_tg_expr_new(g, AS_TGS_ADD, map->expr, as_tg_expr_arg(g, (unsigned)i));
  }
}

/* --- registers */
static void no_eights(as_tg *g) {
  g->compute_registers = 236;
}

static void too_few_left(as_tg *g) {
  g->copy_registers = 16;
}

static void handed_the_other_way(as_tg *g) {
  g->compute_registers = 24;
  g->copy_registers = 240;
}

static void of_no_warpgroup(as_tg *g) {
  g->compute_registers = 240;
  g->copy_registers = 24;
  g->producer = false;
}

static const char late[] = "a delayed operation is overtaken by what it meets";
static const char touched[] = "an accumulator is touched while its product is under way";
static const char unsure[] = "a choice that is not sure";
static const char handed[] = "registers that warpgroups cannot hand over";

static const thread_change changes[] = {
    {by_one, all_waited_for, NULL},
    {by_one, one_key_less, NULL},
    {by_one, never, unsure},
    {by_one, behind_the_operand, late},
    {by_one, at_once, "a value that is not defined here"},
    {by_one, two_late, "a delay"},
    {by_one, a_late_fold, "a delay"},
    {by_one, a_late_wait, "a delay"},
    {by_one, late_scores, "a value that is not defined here"},
    {by_one, late_outside, "a delay outside of a loop"},
    {by_one, no_late_fence, "no fence between"},
    {by_one, the_fence_at_once, "no fence between"},
    {by_one, no_commit_behind, touched},
    {by_one, no_wait_behind, touched},
    {by_one, no_commit_of_its_own, touched},
    {by_one, scores_not_waited_for, touched},
    {by_one, sums_not_waited_for, touched},
    {by_one, given_back_too_early, "a race in shared memory"},
    {by_one, the_next_stage, "another iteration's tile is read"},
    {by_two, given_back_too_early, "a race in shared memory"},
    {by_one, one_key_more, unsure},
    {by_one, one_key_more_of_weights, unsure},
    {by_one, always, unsure},
    {by_one, of_another_axis, unsure},
    {by_one, of_no_iteration, "an expression of places that is none of small whole numbers"},
    {by_one, the_other_side, unsure},
    {by_one, a_third_side, "a side that a choice does not have"},
    {by_one, no_number, "an expression of places that is none of small whole numbers"},
    {by_one, a_place_that_is_used_behind, "a value that is not defined here"},
    {by_one, a_fold_over_lanes_inside, "an operation that no place says anything of"},
    {by_one, a_place_as_a_number, "a place that may not be computed"},
    {by_two, no_eights, handed},
    {by_two, too_few_left, handed},
    {by_two, handed_the_other_way, handed},
    {by_one, of_no_warpgroup, ""},
};

/* opened once, since what they compute takes longest */
START_TEST(changed) {
  opened o[2];
  case_open(&o[0], case_of(by_one));
  case_open(&o[1], case_of(by_two));
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    const opened *of = &o[changes[i].of == by_two];
    case_judge_change(of, &changes[i], (unsigned)i, 2);
  }
  case_close(&o[0]);
  case_close(&o[1]);
}

END_TEST

int main(void) {
  TCase *tests = test_case("all", 120);
  tcase_add_test(tests, lowered);
  tcase_add_test(tests, changed);
  return test_run("order", tests);
}
