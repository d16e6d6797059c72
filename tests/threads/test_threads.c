/* Thread graphs: each case is lowered, validated, right under random interleavings; its text gives
 * it back; named mistakes are refused, each for its own reason. */
#include "cases.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include "verify/threads/den.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *title;
  unsigned of; /* which case */
  as_tg_kind kind;
  unsigned nth; /* of that kind */
  void (*make)(as_tg *g, as_tg_op *in, unsigned at);
  const char *why;
} mistake;

typedef struct {
  as_tg_kind kind;
  unsigned nth;
  as_tg_op *in;
  unsigned at;
} search;

static bool find(search *s, as_tg_op *in) {
  for (unsigned i = 0; i < in->n_body; i++) {
    if (in->body[i]->kind == s->kind && s->nth-- == 0) {
      s->in = in;
      s->at = i;
      return true;
    }
    if (find(s, in->body[i]))
      return true;
  }
  return false;
}

static void drop(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  memmove(in->body + at, in->body + at + 1, (in->n_body - at - 1) * sizeof *in->body);
  in->n_body--;
}

static void after_the_next(as_tg *g, as_tg_op *in, unsigned at) {
  as_tg_op *moved = in->body[at];
  (void)g;
  in->body[at] = in->body[at + 1];
  in->body[at + 1] = moved;
}

static void one_more_group(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->count++;
}

static void other_parity(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->par ^= 1;
}

static void one_round_late(as_tg *g, as_tg_op *in, unsigned at) {
  in->body[at]->from += g->stages;
}

static void fewer_bytes(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->count -= 1024;
}

static void not_transposed(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->instr = "ldmatrix.x4";
}

static void all_lanes(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->lanes = 0;
}

static void lanes_of_copies(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->lanes = 16;
}

static void one_row_more(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->pred[0]++;
}

static void four_stages(as_tg *g, as_tg_op *in, unsigned at) {
  (void)in;
  (void)at;
  g->stages++;
}

static void a_stage_lower(as_tg *g, as_tg_op *in, unsigned at) {
  as_tg_buffer *b = &g->buffer[in->body[at]->buf];
  b->base -= as_tg_buffer_bytes(b);
}

static void another_width(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->instr = "bulk.tensor.2d.32";
}

static void maximum(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->fold = AS_TG_MAXIMUM;
}

static void twice_the_stride(as_tg *g, as_tg_op *in, unsigned at) {
  g->tile[in->body[at]->tile].axis[0].stride *= 2;
}

static void next_block(as_tg *g, as_tg_op *in, unsigned at) {
  g->tile[in->body[at]->tile].axis[1].grid_step += 8;
}

static void the_stage_in_use(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->slot = 0;
  in->body[at]->from = 0;
}

static void from_the_first(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->from = 0;
}

static void the_next_stage(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->slot = 1;
}

static void farther_panels(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->lead *= 2;
}

static void the_other_way(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->instr =
      strstr(in->body[at]->instr, ".kn") ? "wgmma.m64n128k16.f16.kk" : "wgmma.m64n64k16.f16.kn";
}

static void held_the_other_way(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->instr =
      strstr(in->body[at]->instr, ".rn") ? "wgmma.m64n64k16.f16.rk" : "wgmma.m64n64k16.f16.rn";
}

static void one_fragment_twice(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->ga.col[1] = in->body[at]->ga.col[0];
  in->body[at]->dst.col[1] = in->body[at]->dst.col[0];
}

static void fragments_swapped(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  as_lay *l = &in->body[at]->ga;
  uint32_t first = l->col[0];
  l->col[0] = l->col[1];
  l->col[1] = first;
}

static void own_columns(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  unsigned first;
  as_lay *l = &in->body[at]->dst;
  as_lay_in(l, "warp", &first);
  l->col[first] = l->col[0];
}

static void first_value(as_tg *g, as_tg_op *in, unsigned at) {
  in->body[at]->a = as_tg_value(g, "query0");
}

static void one_chunk_further(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->src.col[0] >>= 1;
}

static void into_the_pattern(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->src.col[0] |= 64;
}

static void one_step_twice(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  as_tg_op *op = in->body[at];
  op->src.col[1] = op->src.col[0];
  op->dst.col[1] = op->dst.col[0];
}

static void the_same_rows(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  as_lay *l = &in->body[at]->src;
  l->col[as_lay_in_bits(l) - 1] = 0;
}

static void own_rows(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  unsigned first;
  as_lay *l = &in->body[at]->src;
  as_lay_in(l, "warp", &first);
  l->col[first] = l->col[first + 2];
}

static void copied_by_all(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->who = 'a';
}

/* places and conditions */
static void one_place_further(as_tg *g, as_tg_op *in, unsigned at) {
  as_tg_op *op = in->body[at];
  op->expr = as_tg_expr_new(g, AS_TGS_ADD, op->expr, as_tg_expr_num(g, "1"));
}

static void one_place_less(as_tg *g, as_tg_op *in, unsigned at) {
  as_tg_op *op = in->body[at];
  op->expr = as_tg_expr_new(g, AS_TGS_ADD, op->expr, as_tg_expr_num(g, "-1"));
}

static void the_other_order(as_tg *g, as_tg_op *in, unsigned at) {
  as_tg_op *op = in->body[at];
  op->expr = as_tg_expr_new(g, AS_TGS_NEG, op->expr, NULL);
}

/* the variable `from` stands where `to` stood */
static void exchange(as_tg_expr *e, unsigned from, unsigned to) {
  if (e && e->op == AS_TGS_ARG && e->arg == to)
    e->arg = from;
  for (unsigned i = 0; e && i < 3; i++)
    exchange(e->kid[i], from, to);
}

static void of_another_axis_of_the_grid(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  exchange(in->body[at]->expr, 2, 3); /* $0 row, $1 key, $2.. the block */
}

static void the_block_in_place_of_the_iteration(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  exchange(in->body[at]->expr, 3, 5);
}

static void rows_for_keys(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  exchange(in->body[at]->expr, 0, 1);
}

static void another_lanes_place(as_tg *g, as_tg_op *in, unsigned at) {
  unsigned first;
  (void)g;
  as_lay *l = &in->body[at]->src;
  as_lay_in(l, "lane", &first);
  uint32_t lowest = l->col[first];
  l->col[first] = l->col[first + 1];
  l->col[first + 1] = lowest;
}

static void another_registers_place(as_tg *g, as_tg_op *in, unsigned at) {
  unsigned first;
  (void)g;
  as_lay *l = &in->body[at]->src;
  as_lay_in(l, "u", &first);
  l->col[first] = 0;
}

static as_tg_expr *choice_in(as_tg_expr *e) {
  as_tg_expr *found = e && e->op == AS_TGS_CHOOSE ? e : NULL;
  for (unsigned i = 0; e && i < 3 && !found; i++)
    found = choice_in(e->kid[i]);
  return found;
}

static void the_other_choice(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  as_tg_expr *e = choice_in(in->body[at]->expr);
  as_tg_expr *x = e->kid[1];
  e->kid[1] = e->kid[2];
  e->kid[2] = x;
}

static void no_choice(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  in->body[at]->expr = choice_in(in->body[at]->expr)->kid[1];
}

static void chosen_by_the_score(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  as_tg_op *op = in->body[at];
  as_tg_expr *which = choice_in(op->expr)->kid[0];
  for (int i = 0; i < op->n_arg; i++) {
    if (!strcmp(as_tg_value_name(g, op->arg[i]), "score0"))
      which->arg = (unsigned)i;
  }
}

/* parts of a weight: of all tiles that are parts */
static void each_part(as_tg *g, long further, long times) {
  for (unsigned i = 0; i < g->n_tile; i++) {
    if (g->tile[i].origin)
      g->tile[i].origin = g->tile[i].origin * times + further;
  }
}

static void one_element_further(as_tg *g, as_tg_op *in, unsigned at) {
  (void)in;
  (void)at;
  each_part(g, 1, 1);
}

static void eight_elements_before(as_tg *g, as_tg_op *in, unsigned at) {
  (void)in;
  (void)at;
  each_part(g, -8, 1);
}

static void from_the_start(as_tg *g, as_tg_op *in, unsigned at) {
  (void)in;
  (void)at;
  each_part(g, 0, 0);
}

/* as many rows further as it should be columns */
static void along_the_other_axis(as_tg *g, as_tg_op *in, unsigned at) {
  each_part(g, 0, g->tile[in->body[at]->tile].axis[0].stride);
}

static void parts_exchanged(as_tg *g, as_tg_op *in, unsigned at) {
  (void)in;
  (void)at;
  long first = 0;
  for (unsigned i = 0; i < g->n_tile; i++)
    first = g->tile[i].origin && !first ? g->tile[i].origin : first;
  for (unsigned i = g->n_tile; i-- > 0 && first;) {
    long other = g->tile[i].origin;
    if (other) {
      g->tile[i].origin = first;
      first = other;
    }
  }
}

/* rows as far apart as the part's own extent says */
static void rows_of_its_own(as_tg *g, as_tg_op *in, unsigned at) {
  (void)in;
  (void)at;
  for (unsigned i = 0; i < g->n_tile; i++) {
    if (g->tile[i].origin)
      g->tile[i].axis[0].stride = 2 * g->tile[i].axis[1].live;
  }
}

static void the_first_tile_always(as_tg *g, as_tg_op *in, unsigned at) {
  as_tg_tile *t = &g->tile[in->body[at]->tile];
  for (unsigned i = 0; i < t->n_axis; i++)
    t->axis[i].loop_step = 0;
}

static void negated_in_place_of_compared(as_tg_expr *e) {
  if (e && e->op == AS_TGS_ZERO)
    e->op = AS_TGS_NEG;
  for (unsigned i = 0; e && i < 3; i++)
    negated_in_place_of_compared(e->kid[i]);
}

static void never_zero(as_tg *g, as_tg_op *in, unsigned at) {
  (void)g;
  negated_in_place_of_compared(in->body[at]->expr);
}

static const mistake mistakes[] = {
    {"another lane's elements of a bias", 39, AS_TG_LDG, 1, another_lanes_place,
     "operands that lie differently"},
    {"a bias of the first keys in all iterations", 39, AS_TG_LDG, 1, the_first_tile_always,
     "the looped axis of a tile"},
    {"weights of keys without what is divided by where there are none", 40, AS_TG_MAP, 2,
     never_zero, NULL},
    {"a part one element further", 29, AS_TG_LOOP, 0, one_element_further, "origin of a tensor"},
    {"a part that begins eight elements before", 29, AS_TG_LOOP, 0, eight_elements_before,
     "origin of a tensor"},
    {"a part from the start", 30, AS_TG_LOOP, 0, from_the_start, "origin of a tensor"},
    {"a part along the other axis", 29, AS_TG_BULK, 1, along_the_other_axis, "origin of a tensor"},
    {"parts exchanged", 30, AS_TG_LOOP, 0, parts_exchanged, "origin of a tensor"},
    {"rows of a part of their own", 29, AS_TG_LOOP, 0, rows_of_its_own, "stride of an axis"},
    {"a causal mask that sees the next key", 25, AS_TG_INDEX, 0, one_place_further, NULL},
    {"a causal mask that does not see itself", 28, AS_TG_INDEX, 1, one_place_less, NULL},
    {"a mask the other way round", 25, AS_TG_INDEX, 1, the_other_order, NULL},
    {"the end of a window off by one", 26, AS_TG_INDEX, 1, one_place_further, NULL},
    {"a bias by another position", 27, AS_TG_INDEX, 0, one_place_further, NULL},
    {"rows counted by another axis of the grid", 25, AS_TG_INDEX, 0, of_another_axis_of_the_grid,
     NULL},
    {"keys counted by the block", 28, AS_TG_INDEX, 0, the_block_in_place_of_the_iteration, NULL},
    {"the row in the key's place", 28, AS_TG_INDEX, 0, rows_for_keys, NULL},
    {"the place of another lane's element", 25, AS_TG_INDEX, 0, another_lanes_place,
     "operands that lie differently"},
    {"the place of another register's element", 26, AS_TG_INDEX, 0, another_registers_place,
     "operands that lie differently"},
    {"the masked value where the score is seen", 25, AS_TG_MAP, 0, the_other_choice, NULL},
    {"masked keys are compared without their mask", 28, AS_TG_MAP, 0, no_choice, NULL},
    {"a choice by the score's sign", 25, AS_TG_MAP, 0, chosen_by_the_score,
     "a choice by something else than a place"},
    {"no barrier between the exchange's writes and reads", 0, AS_TG_BAR, 2, drop,
     "read before it is written"},
    {"no barrier between the ring's last reads and the exchange over it", 0, AS_TG_BAR, 1, drop,
     "a race in shared memory"},
    {"no barrier before the ring's next copy", 0, AS_TG_BAR, 0, drop,
     "another iteration's tile is read"},
    {"no wait in the loop", 0, AS_TG_WAITG, 0, drop, "a race in shared memory"},
    {"one group too many in flight", 0, AS_TG_WAITG, 0, one_more_group, "a race in shared memory"},
    {"no syncwarp before lane 0 gives the stage back", 1, AS_TG_SYNCWARP, 0, drop,
     "a race in shared memory"},
    {"no proxy fence before a stage is given back", 1, AS_TG_PROXYFENCE, 0, drop,
     "a bulk copy over what no proxy fence hands over"},
    {"the other lanes' proxy fence after lane 0 may go on", 1, AS_TG_PROXYFENCE, 0, after_the_next,
     "a bulk copy over what no proxy fence hands over"},
    {"full is waited for with the other parity", 1, AS_TG_MBWAIT, 1, other_parity, NULL},
    {"empty is waited for one round late", 4, AS_TG_MBWAIT, 0, one_round_late, NULL},
    {"fewer bytes expected than copied", 1, AS_TG_MBEXPECT, 0, fewer_bytes, NULL},
    {"barriers are not initialised", 1, AS_TG_MBINIT, 0, drop, "a barrier that is not initialised"},
    {"a matrix load that does not transpose", 0, AS_TG_LDMATRIX, 1, not_transposed, NULL},
    {"copies of a side sum are all stored", 2, AS_TG_STS, 1, all_lanes, NULL},
    {"a sum over lanes that hold copies", 2, AS_TG_SHFL, 0, lanes_of_copies, NULL},
    {"a padded row is stored", 1, AS_TG_STG, 0, one_row_more, "the predicate of an access"},
    {"a live row is zeroed", 3, AS_TG_CPASYNC, 2, one_row_more, NULL},
    {"a ring of three stages, indexed as four", 0, AS_TG_STG, 0, four_stages, NULL},
    {"two buffers overlap by a stage", 0, AS_TG_CPASYNC, 1, a_stage_lower, NULL},
    {"a box of another swizzle", 1, AS_TG_BULK, 0, another_width, NULL},
    {"a maximum in place of a sum", 2, AS_TG_RED, 0, maximum, NULL},
    {"rows twice as far apart", 0, AS_TG_CPASYNC, 0, twice_the_stride, "stride of an axis"},
    {"the block begins elsewhere", 0, AS_TG_CPASYNC, 0, next_block, "origin of a block"},
    {"no wait for the last products", 17, AS_TG_WGWAIT, 1, drop,
     "an accumulator is touched while its product is under way"},
    {"a wait that leaves the last product under way", 17, AS_TG_WGWAIT, 1, one_more_group,
     "an accumulator is touched while its product is under way"},
    {"no fence before the first product", 17, AS_TG_WGFENCE, 0, drop,
     "no fence between an accumulator's other uses and its product"},
    {"products are not committed", 17, AS_TG_WGCOMMIT, 0, drop,
     "an accumulator is touched while its product is under way"},
    {"a stage is given back while it is multiplied", 19, AS_TG_MBARRIVE, 0, the_stage_in_use,
     "a race in shared memory"},
    {"a stage is given back one product too early", 19, AS_TG_WGWAIT, 0, one_more_group,
     "a race in shared memory"},
    {"a stage is given back that nobody had", 19, AS_TG_MBARRIVE, 0, from_the_first, NULL},
    {"operands of the next stage", 19, AS_TG_WGMMA, 0, the_next_stage, NULL},
    {"no wait for the operands", 17, AS_TG_MBWAIT, 1, drop, "a race in shared memory"},
    {"panels twice as far apart", 18, AS_TG_WGMMA, 0, farther_panels, NULL},
    {"weights by columns read as by rows", 17, AS_TG_WGMMA, 0, the_other_way, NULL},
    {"weights by rows read as by columns", 19, AS_TG_WGMMA, 0, the_other_way, NULL},
    {"a descriptor half a step off", 17, AS_TG_WGMMA, 0, one_chunk_further, NULL},
    {"a descriptor inside of the swizzle's rows", 17, AS_TG_WGMMA, 0, into_the_pattern,
     "a descriptor whose sum with an offset carries"},
    {"the same part of the sum twice", 17, AS_TG_WGMMA, 0, one_step_twice,
     "an element is counted twice"},
    {"both warpgroups compute the same rows", 18, AS_TG_WGMMA, 0, the_same_rows, NULL},
    {"warps of a group name different rows", 18, AS_TG_WGMMA, 0, own_rows,
     "warps of one group name different operands"},
    {"a fence of the producer too", 17, AS_TG_WGFENCE, 0, copied_by_all, NULL},
    {"scores are used before their product is over", 23, AS_TG_WGWAIT, 0, drop,
     "an accumulator is touched while its product is under way"},
    {"no fence between weights and their product", 23, AS_TG_WGFENCE, 1, drop,
     "no fence between an accumulator's other uses and its product"},
    {"a stage is given back while its values are multiplied", 23, AS_TG_MBARRIVE, 0,
     the_stage_in_use, "a race in shared memory"},
    {"values of the next stage", 23, AS_TG_WGMMAR, 1, the_next_stage, NULL},
    {"values by columns read as by rows", 23, AS_TG_WGMMAR, 1, held_the_other_way, NULL},
    {"keys by rows read as by columns", 24, AS_TG_WGMMAR, 0, held_the_other_way, NULL},
    {"the same keys' weights twice", 23, AS_TG_WGMMAR, 1, one_fragment_twice, NULL},
    {"weights of other keys than their values", 23, AS_TG_WGMMAR, 1, fragments_swapped, NULL},
    {"warps of a group name different values", 24, AS_TG_WGMMAR, 1, own_columns,
     "warps of one group name different operands"},
    {"the query in the weights' place", 23, AS_TG_WGMMAR, 1, first_value, NULL},
};

/* Registers of a product under way: Z zeros what is accumulated, M writes the operand, R reads it,
 * F fences, P multiplies, C commits, W waits for all */
static as_tg *products_in_turn(const char *order) {
  static const as_tg_kind kinds[] = {
      ['Z'] = AS_TG_ZERO,   ['M'] = AS_TG_MAP,      ['R'] = AS_TG_MAP,   ['F'] = AS_TG_WGFENCE,
      ['P'] = AS_TG_WGMMAR, ['C'] = AS_TG_WGCOMMIT, ['W'] = AS_TG_WGWAIT};
  as_tg *g = as_tg_new("k");
  int sum = as_tg_value(g, "sum");
  int operand = as_tg_value(g, "operand");
  int other = as_tg_value(g, "other");
  for (const char *at = order; *at; at++) {
    as_tg_op *op = as_tg_add(g, NULL, kinds[(unsigned char)*at], 'c');
    op->v = *at == 'M' ? operand : *at == 'R' ? other : sum;
    op->a = operand;
    op->n_arg = *at == 'R';
    op->arg[0] = operand;
    op->instr = "wgmma.m64n64k16.f16.rn";
  }
  return g;
}

/* a graph is that of its own mask, not of one that differs at one place */
START_TEST(another_mask) {
  static const char *const changes[][2] = {
      {"less_equal", "less"},
      {"less_equal", "greater_equal"},
      {"less_equal(Key, Row)", "less_equal(Row, Key)"},
      {"less_equal(Key, Row)", "less_equal(Key, Row + 1)"},
      {"less_equal(Key, Row)", "less_equal(Key, Row) * less_equal(Row, Key + 63)"},
      {"* 5", "* 6"},
  };
  opened o;
  case_open(&o, &thread_cases[25]);
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    as_err err;
    as_err_init(&err);
    char *why = NULL;
    const char *at = strstr(o.c->mug, changes[i][0]);
    ck_assert(at);
    char *text = as_format("%.*s%s%s", (int)(at - o.c->mug), o.c->mug, changes[i][1],
                           at + strlen(changes[i][0]));
    as_graph *mug = as_parse_mug("other.mug", text, strlen(text), o.program, &err);
    ck_assert_msg(mug != NULL, "%s", err.text);
    as_block_ref ref = {mug, 0, o.env, NULL};
    bool ok = as_threads_validate(o.kernel.graph, o.isa, &ref, &why);
    ck_assert_msg(!ok, "%s", changes[i][1]);
    free(why);
    free(text);
    as_graph_free(mug);
    as_err_clear(&err);
  }
  case_close(&o);
}

END_TEST

/* a block graph like that of the case, but for where its parts begin and how wide the weight is */
static as_graph *with_parts(const opened *o, long from, long columns, as_graph **program) {
  as_err err;
  as_err_init(&err);
  bool bulk = o->kernel.graph->producer;
  const char *body = strstr(o->c->mug, "kernel k0");
  const char *sizes_end = strstr(o->c->mug, "W1 = slice");
  char *tp = as_format("program other\nsizes B = 8, D = %d, N = %d\ninput X: f16[B, D]\n"
                       "input W: f16[D, %ld]\noutput O = silu(X @ W[:, %ld:%ld + N]) * "
                       "(X @ W[:, %ld + N:%ld + 2*N])\n",
                       bulk ? 320 : 160, bulk ? 64 : 32, columns, from, from, from, from);
  char *mug = as_format("%.*sW1 = slice(W, axis=1, start=%ld, stop=%ld + N)\n"
                        "W2 = slice(W, axis=1, start=%ld + N, stop=%ld + 2*N)\n%s",
                        (int)(sizes_end - o->c->mug), o->c->mug, from, from, from, from, body);
  *program = as_parse_tp("other.tp", tp, strlen(tp), o->sizes, o->lib, &err);
  ck_assert_msg(*program != NULL, "%s", err.text);
  as_graph *graph = as_parse_mug("other.mug", mug, strlen(mug), *program, &err);
  ck_assert_msg(graph != NULL, "%s", err.text);
  free(tp);
  free(mug);
  as_err_clear(&err);
  return graph;
}

/* Copies are of 16 bytes that begin at multiples of 16: a graph that says truly where its parts lie
 * is refused all the same where that is no such place. */
START_TEST(parts_elsewhere) {
  static const struct {
    unsigned of;
    long from; /* in the case: 16, 8 */
    long columns;
    const char *why; /* NULL: right */
  } changes[] = {
      {29, 16, 144, NULL},
      {29, 8, 152, NULL},
      {29, 3, 144, "an origin that is not aligned"},
      {29, 16, 147, "rows of the map that are not aligned"},
      {30, 16, 80, NULL},
      {30, 3, 72, "an origin that is not aligned"},
      {30, 8, 75, "rows that are not aligned"},
  };

  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    opened o;
    as_graph *program;
    char *why = NULL;
    case_open(&o, &thread_cases[changes[i].of]);
    as_graph *mug = with_parts(&o, changes[i].from, changes[i].columns, &program);
    as_tg *g = as_tg_copy(o.kernel.graph);
    for (unsigned t = 0; t < g->n_tile; t++) {
      if (!g->tile[t].origin)
        continue;
      g->tile[t].origin += changes[i].from - (changes[i].of == 29 ? 16 : 8);
      g->tile[t].axis[0].stride = changes[i].columns;
    }
    as_block_ref ref = {mug, 0, o.env, NULL};
    bool ok = as_threads_validate(g, o.isa, &ref, &why);
    ck_assert_msg(ok == !changes[i].why, "change %zu: %s", i, why ? why : "accepted");
    ck_assert_msg(ok || strstr(why, changes[i].why), "change %zu: %s", i, why);
    free(why);
    as_tg_free(g);
    as_graph_free(mug);
    as_graph_free(program);
    case_close(&o);
  }
}

END_TEST

START_TEST(registers_under_way) {
  static const struct {
    const char *order;
    const char *why; /* NULL: right */
  } turns[] = {
      {"ZMFPCW", NULL},
      {"ZMFPCRW", NULL},
      {"ZMFPCWMFPCW", NULL},
      {"ZMPCW", "no fence between an accumulator's other uses and its product"},
      {"ZFMPCW", "no fence between an operand's registers and its product"},
      {"ZMFPCMW", "an operand is written while a product reads it"},
      {"ZMFPMCW", "an operand is written while a product reads it"},
      {"ZMFPCWMPCW", "no fence between an operand's registers and its product"},
      {"ZMFPC", "products that nobody waits for"},
      {"ZMFPW", "products that nobody waits for"},
  };

  for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
    const char *why = NULL;
    as_tg *g = products_in_turn(turns[i].order);
    bool ok = as_flight_validate(g, &why);
    ck_assert_msg(ok == !turns[i].why, "%s: %s", turns[i].order, why ? why : "accepted");
    ck_assert_msg(ok || !strcmp(why, turns[i].why), "%s: %s", turns[i].order, why);
    as_tg_free(g);
  }
}

END_TEST

START_TEST(named_mistakes) {
  const mistake *m = &mistakes[_i];
  opened o;
  case_open(&o, &thread_cases[m->of]);
  as_tg *g = as_tg_copy(o.kernel.graph);
  search s = {.kind = m->kind, .nth = m->nth};
  char *why = NULL;
  ck_assert_msg(find(&s, &g->top), "%s: no such operation", m->title);
  m->make(g, s.in, s.at);
  ck_assert_msg(!as_threads_validate(g, o.isa, &o.ref, &why), "%s is accepted", m->title);
  ck_assert_msg(!m->why || strstr(why, m->why), "%s: %s", m->title, why);
  free(why);
  as_tg_free(g);
  case_close(&o);
}

END_TEST

static uint32_t executions = 10; /* of each case, in random orders of its warps */

START_TEST(cases) {
  opened o;
  char *why = NULL;
  case_open(&o, &thread_cases[_i]);
  const char *seen = interp_judge(o.kernel.graph, o.tensor, o.c->block, executions, 1);
  ck_assert_msg(!seen, "%s: %s", o.c->name, seen);
  as_err err;
  as_err_init(&err);
  char *text = as_tg_print(o.kernel.graph);
  as_tg *again = as_tg_parse("again.thr", text, strlen(text), &err);
  ck_assert_msg(again != NULL, "%s: %s", o.c->name, err.text);
  char *same = as_tg_print(again);
  ck_assert_str_eq(text, same);
  bool ok = as_threads_validate(again, o.isa, &o.ref, &why);
  ck_assert_msg(ok, "%s: %s", o.c->name, why);
  free(text);
  free(same);
  as_tg_free(again);
  as_err_clear(&err);
  case_close(&o);
}

END_TEST

static bool has_value(const as_tg *g, const char *name) {
  bool found = false;
  for (size_t i = 0; i < g->value.n; i++)
    found = found || !strcmp(as_tg_value_name(g, (int)i), name);
  return found;
}

/* a factor of the summed index is multiplied into the operand that it is written beside: what is
 * rounded is what the float test executes */
START_TEST(factors_as_written) {
  static const struct {
    const char *of;
    bool weights;
  } written[] = {{"rms, weight, copies by all", false}, {"rms, weights times a factor", true}};

  for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
    opened o;
    unsigned at = 0;
    while (strcmp(thread_cases[at].name, written[i].of) != 0)
      at++;
    case_open(&o, &thread_cases[at]);
    ck_assert_int_eq(has_value(o.kernel.graph, "scaled_weight0"), written[i].weights);
    ck_assert_int_eq(has_value(o.kernel.graph, "scaled0"), !written[i].weights);
    case_close(&o);
  }
}

END_TEST

START_TEST(bad_texts) {
  static const char *const texts[] = {
      "",
      "threads k\n",
      "threads k warps=9 producer=0 trip=1 stages=1\nbody\nend\n",
      "threads k warps=1 producer=0 trip=1 stages=1\nbody\n",
      "threads k warps=1 producer=0 trip=1 stages=1\nbody\n  c dance\nend\n",
      "threads k warps=1 producer=0 trip=1 stages=1\nbody\n  c waitg\nend\n",
      "threads k warps=1 producer=0 trip=1 stages=1\nbody\n  c waitg count=1 count=1\nend\n",
      ("threads k warps=1 producer=0 trip=1 stages=1\nbody\n  c lds v=x buf=y vec=0 base=0 "
       "src={}\nend\n"),
      "threads k warps=1 producer=0 trip=1 stages=1\nbody\n  q bar\nend\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    as_err err;
    as_err_init(&err);
    as_tg *g = as_tg_parse("bad.thr", texts[i], strlen(texts[i]), &err);
    ck_assert_msg(!g && err.status == AS_BAD_INPUT && err.text, "%s", texts[i]);
    as_err_clear(&err);
  }
}

END_TEST

static unsigned scalar_operations(const as_tg_expr *e) {
  unsigned n = e->op != AS_TGS_ARG && e->op != AS_TGS_NUM;
  for (unsigned i = 0; i < as_tg_scalar_arity(e->op); i++)
    n += scalar_operations(e->kid[i]);
  return n;
}

/* Four folds of p p, p q, q q and h h, of two sums p and q: each is one product of what is named,
 * and none waits for another's shuffles. */
START_TEST(folds_of_a_wave) {
  opened o;
  const thread_case *c = NULL;
  for (unsigned i = 0; i < n_thread_cases; i++) {
    if (!strcmp(thread_cases[i].name, "four folds at one time"))
      c = &thread_cases[i];
  }
  ck_assert(c != NULL);
  case_open(&o, c);
  const as_tg_op *top = &o.kernel.graph->top;
  unsigned shuffles = 0;
  unsigned maps = 0;
  unsigned operations = 0;
  for (unsigned i = 0; i < top->n_body; i++) {
    const as_tg_op *op = top->body[i];
    shuffles += op->kind == AS_TG_SHFL;
    if (op->kind == AS_TG_SHFL && shuffles > 1 && top->body[i - 1]->kind == AS_TG_SHFL)
      ck_assert_msg(op->v != top->body[i - 1]->v, "a shuffle waits for the one before it");
    if (op->kind == AS_TG_MAP && maps < 4) {
      operations += scalar_operations(op->expr);
      maps++;
    }
  }
  ck_assert_uint_eq(shuffles, 20);
  ck_assert_uint_eq(maps, 4);
  /* ((1 + a) x)^2, h^2, (a h)^2, ((1 + a) x) (a h) */
  ck_assert_uint_eq(operations, 5 + 1 + 3 + 4);
  case_close(&o);
}

END_TEST

int main(void) {
  TCase *tests = test_case("all", 120);
  if (!test_slow("eight in ten random executions of each kernel"))
    executions = 2;
  tcase_add_loop_test(tests, cases, 0, (int)n_thread_cases);
  tcase_add_loop_test(tests, named_mistakes, 0, (int)(sizeof mistakes / sizeof *mistakes));
  tcase_add_test(tests, another_mask);
  tcase_add_test(tests, parts_elsewhere);
  tcase_add_test(tests, registers_under_way);
  tcase_add_test(tests, factors_as_written);
  tcase_add_test(tests, bad_texts);
  tcase_add_test(tests, folds_of_a_wave);
  return test_run("threads", tests);
}
