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

static uint64_t one_round(tl_naive *naive, const tl_loop_rules *loops, const tl_patterns *algebra,
                          tl_saturation *what) {
  tl_graph *graph = &naive->graph;
  uint64_t before = graph->unions + graph->n_live;
  for (size_t i = 0; i < sizeof functions / sizeof *functions && !graph->full; i++)
    what->applied[functions[i].rule] += functions[i].apply(graph);
  what->applied[TL_RULE_ALGEBRA] += tl_algebra_apply(algebra, graph);
  for (uint32_t rule = 0; rule < TL_RULE_REINDEX && !graph->full; rule++)
    what->refused += tl_loop_rule_apply(loops, rule, graph, &what->applied[rule]);
  return graph->unions + graph->n_live - before;
}

as_status tl_saturate(tl_naive *naive, uint32_t most_rounds, tl_saturation *what, as_err *err) {
  tl_patterns algebra;
  *what = (tl_saturation){.rounds = 0};
  tl_loop_rules *loops = tl_loop_rules_read(err);
  if (loops == NULL)
    return AS_INTERNAL;
  if (!tl_patterns_init(&algebra, "algebra.rule", tl_algebra_text(), naive->program->lib, err)) {
    tl_loop_rules_free(loops);
    return AS_INTERNAL;
  }
  while (what->rounds < most_rounds && !what->saturated && !naive->graph.full) {
    what->saturated = one_round(naive, loops, &algebra, what) == 0;
    what->rounds++;
  }
  tl_patterns_clear(&algebra);
  tl_loop_rules_free(loops);
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
