/* Iterations that blocks leave out: how many each block runs, and what is refused. */
#include "cases.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include "verify/threads/den.h"
#include <stdlib.h>
#include <string.h>

static const char by_group[] = "masked tiles left out, by a warpgroup";
static const char by_all[] = "a window without maximum, masked tiles left out, copies by all";
static const char longer[] = "masked tiles left out, longer than the rows, bulk";

/* --- what is lowered */
START_TEST(numbers) {
  static const struct {
    const char *of;
    int runs[6]; /* of the blocks along y */
  } expected[] = {
      {by_group, {1, 2, 3, 4}},
      {by_all, {2, 4, 6}},
      {longer, {1, 1, 2, 2, 3, 3}},
  };

  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    opened o;
    case_open(&o, case_of(expected[i].of));
    const as_tg *g = o.kernel.graph;
    ck_assert_msg(g->limit != NULL, "%s: nothing is left out", expected[i].of);
    ck_assert_uint_eq(g->reversed, 2);
    for (long y = 0; y < 6 && expected[i].runs[y]; y++) {
      int n = as_tg_iterations(g, (const long[]){1, y, 0});
      ck_assert_msg(n == expected[i].runs[y], "%s: block %ld runs %d", expected[i].of, y, n);
    }
    ck_assert_ptr_nonnull(strstr(o.kernel.kernel, "l < n_"));
    case_close(&o);
  }
}

END_TEST

/* masks that leave out nothing, or of which too much is known to be left out */
START_TEST(whole) {
  static const char *const names[] = {
      "attention by a warpgroup",        /* no mask */
      "causal attention, copies by all", /* a finite number in place of masked scores */
      "a window, by a warpgroup",
      "causal, masked keys left out, by a warpgroup", /* the maximum sees masked scores */
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    opened o;
    case_open(&o, case_of(names[i]));
    ck_assert_msg(!o.kernel.graph->limit, "%s", names[i]);
    case_close(&o);
  }
}

END_TEST

/* --- changes of a graph */

static as_tg_op *op_of(as_tg_op *in, as_tg_kind kind, char who, bool computes) {
  for (unsigned i = 0; i < in->n_body; i++) {
    as_tg_op *op = in->body[i];
    bool has = computes ? op_of(op, AS_TG_MAP, 'c', false) != NULL : true;
    if (op->kind == kind && op->who == who && has)
      return op;
    as_tg_op *found = op_of(op, kind, who, computes);
    if (found)
      return found;
  }
  return NULL;
}

static as_tg_op *main_loop(as_tg *g) {
  return op_of(&g->top, AS_TG_LOOP, 'c', true);
}

static as_tg_op *copying_loop(as_tg *g) {
  return op_of(&g->top, AS_TG_LOOP, 'p', false);
}

static as_tg_op *maximum(as_tg *g) {
  for (unsigned i = 0; i < g->top.n_body; i++) {
    if (g->top.body[i]->kind == AS_TG_ZERO && g->top.body[i]->fold == AS_TG_MAXIMUM)
      return g->top.body[i];
  }
  return NULL;
}

static void further(as_tg *g, const char *by) {
  g->limit = as_tg_expr_new(g, AS_TGS_ADD, g->limit, as_tg_expr_num(g, by));
}

static void one_more(as_tg *g) {
  further(g, "1");
}

static void all(as_tg *g) {
  g->limit = as_tg_expr_num(g, "64");
}

static void one_less(as_tg *g) {
  further(g, "-1");
}

static void half(as_tg *g) {
  g->per *= 2;
}

static void along_another_axis(as_tg *g) {
  g->limit = as_tg_expr_new(g, AS_TGS_ADD, as_tg_expr_arg(g, 0), as_tg_expr_num(g, "1"));
}

static void an_axis_that_is_not(as_tg *g) {
  g->limit = as_tg_expr_arg(g, 3);
}

static void no_number(as_tg *g) {
  g->limit = as_tg_expr_new(g, AS_TGS_EXP, g->limit, NULL);
}

static void half_a_number(as_tg *g) {
  g->limit = as_tg_expr_num(g, "3/2");
}

static void by_nothing(as_tg *g) {
  g->per = 0;
}

static void from_nothing(as_tg *g) {
  maximum(g)->begin = NULL;
}

static void from_another_number(as_tg *g) {
  maximum(g)->begin = as_tg_expr_num(g, "-4");
}

static void from_a_place(as_tg *g) {
  maximum(g)->begin = as_tg_expr_arg(g, 0);
}

static void a_sum_from_a_number(as_tg *g) {
  for (unsigned i = 0; i < g->top.n_body; i++) {
    if (g->top.body[i]->kind == AS_TG_ZERO && g->top.body[i]->fold == AS_TG_SUM)
      g->top.body[i]->begin = as_tg_expr_num(g, "-5");
  }
}

/* all iterations, by all: right, but for the maximum, which must not begin at a number */
static void nothing_left_out(as_tg *g) {
  main_loop(g)->cut = copying_loop(g)->cut = 0;
}

static void nothing_left_out_from_nothing(as_tg *g) {
  nothing_left_out(g);
  from_nothing(g);
}

static void all_copied(as_tg *g) {
  copying_loop(g)->cut = 0;
}

static void all_multiplied(as_tg *g) {
  main_loop(g)->cut = 0;
  from_nothing(g);
}

static void all_multiplied_by_all(as_tg *g) {
  main_loop(g)->cut = 0;
}

static void another_count(as_tg *g) {
  main_loop(g)->count--;
}

static void another_order(as_tg *g) {
  g->reversed = 5;
}

static void heads_by_ones(as_tg *g) {
  g->together = 1;
}

static void heads_by_threes(as_tg *g) {
  g->together = 3;
}

static void no_such_axis(as_tg *g) {
  g->reversed = 8;
}

static const char sum[] = "an iteration is left out that adds to a sum";
static const char most[] = "an iteration is left out that changes a maximum";
static const char number[] = "a number of iterations that cannot be told";
static const char beyond[] = "a copy beyond the last iteration";
static const char order[] = "an order of blocks that is none of them all";
static const char deadlock[] = "a deadlock";

static const thread_change changes[] = {
    {by_group, one_more, NULL},
    {by_group, all, NULL},
    {by_group, nothing_left_out_from_nothing, beyond},
    {by_group, another_order, NULL},
    {by_group, heads_by_ones, NULL},
    {by_group, heads_by_threes, order},
    {by_all, one_more, NULL},
    {by_all, all_multiplied_by_all, "another iteration's tile is read"},
    {longer, one_more, NULL},
    {by_group, one_less, most},
    {by_group, half, most},
    {by_group, along_another_axis, most},
    {by_group, from_nothing, most},
    {by_group, from_another_number, most},
    {by_group, from_a_place, "a beginning that is no number, or of something else than a maximum"},
    {by_group, a_sum_from_a_number,
     "a beginning that is no number, or of something else than a maximum"},
    {by_group, nothing_left_out, "a maximum begins at a number where nothing is left out"},
    {by_group, all_copied, beyond},
    {by_group, all_multiplied, deadlock},
    {by_group, another_count, "a loop that computes has another trip count"},
    {by_group, no_such_axis, order},
    {by_group, an_axis_that_is_not, number},
    {by_group, no_number, number},
    {by_group, half_a_number, number},
    {by_group, by_nothing, number},
    {by_all, one_less, sum},
    {by_all, along_another_axis, sum},
    {longer, one_less, most},
    {longer, half, most},
};

START_TEST(changed) {
  opened o;
  case_open(&o, case_of(changes[_i].of));
  case_judge_change(&o, &changes[_i], (unsigned)_i, 4);
  case_close(&o);
}

END_TEST

/* --- masks of which iterations are left out that must not be */
static const struct {
  const char *title;
  const char *from; /* of the case's block graph */
  const char *to;
  bool own; /* the limit is not lowered, but put there */
  const char *why;
} masks[] = {
    {"keys before, whose tiles lie at the front", "less_equal(Key, Row)",
     "less_equal(Row, Key + 20)", true, most},
    {"the weight is masked by a finite number alone", "e = e0 * w", "e = e0 * 1", true, sum},
    {"one key of the next tile is kept", "less_equal(Key, Row)", "less_equal(Key, Row + 1)", true,
     most},
    {"the maximum sees what is masked", "s2 = s1 * w", "s2 = s1 * 1", true, most},
    {"the maximum sees keys", "s = s2 - f5", "s = s2 - f5 * s1", true, most},
    {"a sum is not rescaled", "acc o = sum p rescale m", "acc o = sum p", false,
     "what the maximum was in between changes a sum"},
    {"a sum knows the maximum otherwise", "t = sum(e, axis=-1)",
     "e2 = e * m[:, :, none]\n  t = sum(e2, axis=-1)", false,
     "what the maximum was in between changes a sum"},
};

static as_graph *masked_by(const opened *o, size_t i) {
  as_err err;
  as_err_init(&err);
  const char *at = strstr(o->c->mug, masks[i].from);
  ck_assert_msg(at != NULL, "%s", masks[i].title);
  char *text = as_format("%.*s%s%s", (int)(at - o->c->mug), o->c->mug, masks[i].to,
                         at + strlen(masks[i].from));
  as_graph *mug = as_parse_mug("other.mug", text, strlen(text), o->program, &err);
  ck_assert_msg(mug != NULL, "%s: %s", masks[i].title, err.text);
  free(text);
  as_err_clear(&err);
  return mug;
}

static char *address(void *arg, as_node_id tensor) {
  (void)arg;
  return as_format("t%u", tensor);
}

/* the limit of the case, on a graph that was lowered without one */
static void leave_out(as_tg *g, const as_tg *as) {
  g->limit = as_tg_expr_new(g, AS_TGS_ADD, as_tg_expr_arg(g, 1), as_tg_expr_num(g, "1"));
  g->per = as->per;
  main_loop(g)->cut = copying_loop(g)->cut = 1;
  maximum(g)->begin = as_tg_expr_num(g, "-5");
}

START_TEST(other_masks) {
  opened o;
  char *why = NULL;
  as_threads_kernel kernel;
  case_open(&o, case_of(by_group));
  as_graph *mug = masked_by(&o, (size_t)_i);
  as_block_ref ref = {mug, 0, o.env, NULL};
  as_threads_opts opts = {
      .target = o.c->target, .smem_limit = 200000, .warps = o.c->warps, .stages = o.c->stages};
  bool lowered = as_threads_lower(&ref, &opts, "k", address, NULL, &kernel, &why);
  ck_assert_msg(lowered == masks[_i].own, "%s: %s", masks[_i].title, why ? why : "lowered");
  if (lowered) {
    as_tg *g = as_tg_copy(kernel.graph);
    bool cut = g->limit != NULL;
    leave_out(g, o.kernel.graph);
    ck_assert_msg(!as_threads_validate(g, o.isa, &ref, &why), "%s", masks[_i].title);
    ck_assert_msg(strstr(why, masks[_i].why), "%s: %s", masks[_i].title, why);
    ck_assert_msg(!cut || _i == 2, "%s: iterations are left out", masks[_i].title);
    as_tg_free(g);
    as_threads_kernel_clear(&kernel);
  } else {
    ck_assert_msg(strstr(why, masks[_i].why), "%s: %s", masks[_i].title, why);
  }
  free(why);
  as_graph_free(mug);
  case_close(&o);
}

END_TEST

int main(void) {
  TCase *tests = test_case("all", 120);
  tcase_add_test(tests, numbers);
  tcase_add_test(tests, whole);
  tcase_add_loop_test(tests, changed, 0, (int)(sizeof changes / sizeof *changes));
  tcase_add_loop_test(tests, other_masks, 0, (int)(sizeof masks / sizeof *masks));
  return test_run("cut", tests);
}
