#include "saturate.h"
#include "patterns.h"
#include "src/base/mem.h"
#include <stdlib.h>

typedef uint64_t (*function_rule)(tl_graph *graph);

static const struct {
  uint32_t rule;
  function_rule apply;
} functions[] = {

#define TL_FUNCTION_ROW(id, name, apply, text) {TL_RULE_##id, apply},
    TL_FUNCTION_RULES(TL_FUNCTION_ROW)
#undef TL_FUNCTION_ROW
};

typedef struct {
  tl_naive *naive;
  tl_loop_rules *loops;
  tl_patterns algebra;
  tl_saturation *what;
} saturator;

static uint64_t changes(const saturator *s) {
  return s->naive->graph.unions + s->naive->graph.n_live;
}

static void apply_to_tiles(saturator *s) {
  tl_graph *graph = &s->naive->graph;
  for (size_t i = 0; i < sizeof functions / sizeof *functions && !graph->full; i++)
    s->what->applied[functions[i].rule] += functions[i].apply(graph);
  s->what->applied[TL_RULE_ALGEBRA] += tl_algebra_apply(&s->algebra, graph);
}

static void apply_to_loops(saturator *s, uint32_t rule) {
  if (!s->naive->graph.full)
    s->what->refused +=
        tl_loop_rule_apply(s->loops, rule, &s->naive->graph, &s->what->applied[rule]);
}

/* --- pressed together */
enum { MOST_STEPS = 64, NO_RULE = TL_N_RULES };

static void until_done(saturator *s, const uint32_t *rules, uint32_t n) {
  uint64_t before;
  uint32_t steps = 0;
  do {
    before = changes(s);
    for (uint32_t i = 0; i < n; i++)
      apply_to_loops(s, rules[i]);
  } while (changes(s) != before && ++steps < MOST_STEPS);
}

/* Loops that stand side by side, sorted, are fused; what a loop needs goes into it; then loops that
 * statements stand between. */
static void press(saturator *s) {
  static const struct {
    uint32_t first;
    uint32_t rules[2];
  } stages[] = {{NO_RULE, {TL_RULE_SWAP, TL_RULE_FUSE}},
                {TL_RULE_INSERT, {TL_RULE_SWAP, TL_RULE_FUSE}},
                {NO_RULE, {TL_RULE_LIFT, TL_RULE_FUSE}}};

  uint64_t before;
  uint32_t steps = 0;
  s->naive->graph.pressing = true;
  do {
    before = changes(s);
    apply_to_tiles(s);
  } while (changes(s) != before && ++steps < MOST_STEPS);
  tl_prune(&s->naive->graph, s->naive->root);
  for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
    steps = 0;
    do {
      before = changes(s);
      if (stages[i].first != NO_RULE)
        apply_to_loops(s, stages[i].first);
      until_done(s, stages[i].rules, 2);
    } while (changes(s) != before && ++steps < MOST_STEPS);
  }
  s->naive->graph.pressing = false;
}

/* --- all rules */
/* true: the last round changed nothing */
static bool rounds(saturator *s, uint32_t most) {
  bool saturated = false;
  for (uint32_t i = 0; i < most && !saturated && !s->naive->graph.full; i++) {
    uint64_t before = changes(s);
    apply_to_tiles(s);
    for (uint32_t rule = 0; rule < TL_RULE_REINDEX; rule++)
      apply_to_loops(s, rule);
    saturated = changes(s) == before;
    s->what->rounds++;
  }
  return saturated;
}

as_status tl_saturate(tl_naive *naive, uint32_t most_rounds, tl_saturation *what, as_err *err) {
  saturator s = {.naive = naive, .what = what, .loops = tl_loop_rules_read(err)};
  *what = (tl_saturation){.rounds = 0};
  if (s.loops == NULL)
    return AS_INTERNAL;
  if (!tl_patterns_init(&s.algebra, "algebra.rule", tl_algebra_text(), naive->program->lib, err)) {
    tl_loop_rules_free(s.loops);
    return AS_INTERNAL;
  }
  press(&s);
  what->near_saturated = rounds(&s, most_rounds);
  what->near_nodes = naive->graph.n_live;
  tl_unsettle_all(&naive->graph);
  what->saturated = rounds(&s, most_rounds);
  tl_patterns_clear(&s.algebra);
  tl_loop_rules_free(s.loops);
  return AS_OK;
}

/* --- counting */
typedef struct {
  const tl_graph *graph;
  mpz_t *count; /* by class */
  uint8_t *state;
} counter;

enum { NOT_YET, BEING_COUNTED, COUNTED };

static void count_class(counter *c, uint32_t cls);

/* how many are a load of the very place that is stored to */
static bool loads_itself(const tl_graph *graph, uint32_t access, uint32_t value) {
  return tl_lookup(graph, TL_LOAD, access, NULL, 0) == value;
}

static void count_node(counter *c, uint32_t n, mpz_t out) {
  const tl_node *node = tl_node_at(c->graph, n);
  mpz_set_ui(out, node->kind == TL_JOIN ? 0 : 1);
  for (uint32_t i = 0; i < node->n_kid && mpz_sgn(out); i++) {
    uint32_t kid = tl_kid(c->graph, n, i);
    count_class(c, kid);
    if (c->state[kid] != COUNTED) { /* a class that is part of itself: not by this node */
      mpz_set_ui(out, 0);
      return;
    }
    bool itself = node->kind == TL_STORE && loads_itself(c->graph, node->item, kid);
    if (itself)
      mpz_sub_ui(c->count[kid], c->count[kid], 1);
    mpz_mul(out, out, c->count[kid]);
    if (itself)
      mpz_add_ui(c->count[kid], c->count[kid], 1);
  }
}

static void count_class(counter *c, uint32_t cls) {
  if (c->state[cls] != NOT_YET)
    return;
  mpz_t of;
  mpz_init(of);
  c->state[cls] = BEING_COUNTED;
  for (uint32_t n = tl_first(c->graph, cls); n != AS_NONE; n = tl_next(c->graph, n)) {
    count_node(c, n, of);
    mpz_add(c->count[cls], c->count[cls], of);
  }
  mpz_clear(of);
  c->state[cls] = COUNTED;
}

void tl_count(const tl_graph *graph, uint32_t root, mpz_t out) {
  size_t n = graph->parent.n;
  counter c = {
      .graph = graph, .count = as_malloc((n + 1) * sizeof(mpz_t)), .state = as_calloc(n + 1, 1)};
  for (size_t i = 0; i < n; i++)
    mpz_init(c.count[i]);
  count_class(&c, tl_find(graph, root));
  mpz_set(out, c.count[tl_find(graph, root)]);
  for (size_t i = 0; i < n; i++)
    mpz_clear(c.count[i]);
  free(c.count);
  free(c.state);
}
