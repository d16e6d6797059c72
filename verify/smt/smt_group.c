/* Cuts a proof into queries: see smt.h. */
#include "smt_int.h"
#include <stdlib.h>
#include <string.h>

#define GROUP_LIMIT                                                                                \
  48 /* steps of a query, counted with repetition; longer stretches are cut at intermediate        \
        theorems */

typedef struct {
  const as_steps *p;
  uint32_t n;
  bool *cut;
  bool *seen;
  char **why;
  as_vec steps;
  as_vec leaves;
} groups;

static bool is_hyp(const as_steps *p, uint32_t s) {
  return as_steps_at(p, s)->rule == AS_STEP_HYP;
}

static void need(groups *g, uint32_t s, char *why) { /* takes why */
  if (as_steps_is_schema(g->p, s) || is_hyp(g->p, s) || g->why[s]) {
    free(why);
    return;
  }
  g->cut[s] = true;
  g->why[s] = why;
}

/* what each premise of a schema step is to it */
static void mark_schema(groups *g, uint32_t s) {
  uint32_t n;
  uint32_t bar = 0;
  uint32_t in = 0;
  const as_step_arg *k = as_steps_args(g->p, s, &n);
  as_step_rule r = as_steps_at(g->p, s)->rule;
  for (uint32_t i = 0; i < n; i++) {
    if (k[i].kind == '|') {
      bar++;
      in = 0;
    }
    if (k[i].kind != 's')
      continue;
    uint32_t at = k[i].val;
    const char *what = r == AS_STEP_INDUCT     ? (bar == 2   ? "base case"
                                                  : bar == 3 ? "induction step"
                                                             : "bound not negative")
                       : r == AS_STEP_FOLDCONG ? "equal steps"
                       : r == AS_STEP_INST     ? (bar == 0 ? "lemma" : "premise of an instance")
                                               : "range of a fold";
    need(g, at, as_format("step %u: %s %u of s%u", at, what, in++, s));
  }
}

static void mark(groups *g, const ck_goal *goals, uint32_t n_goals) {
  const as_steps *p = g->p;
  for (uint32_t i = 0; i < n_goals; i++) {
    uint32_t s = AS_VEC_AT(&p->qed, uint32_t, i);
    need(g, s, as_format("step %u: goal %s", s, goals[i].name));
  }
  for (uint32_t s = 0; s < g->n; s++) {
    if (as_steps_is_schema(p, s))
      mark_schema(g, s);
  }
  uint32_t *weight = as_calloc(g->n + 1, sizeof *weight);
  for (uint32_t s = 0; s < g->n; s++) {
    uint32_t n;
    const as_step_arg *k = as_steps_args(p, s, &n);
    weight[s] = 1;
    for (uint32_t i = 0; i < n; i++) {
      if (k[i].kind == 's' && !as_steps_is_schema(p, k[i].val) && !g->cut[k[i].val])
        weight[s] += weight[k[i].val];
    }
    if (weight[s] > GROUP_LIMIT)
      need(g, s, as_format("step %u: intermediate", s));
  }
  free(weight);
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a;
  uint32_t y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static void collect(groups *g, uint32_t target) {
  g->steps.n = g->leaves.n = 0;
  memset(g->seen, 0, g->n);
  as_vec_push(&g->steps, &target);
  g->seen[target] = true;
  for (size_t at = 0; at < g->steps.n; at++) {
    uint32_t n;
    const as_step_arg *k = as_steps_args(g->p, AS_VEC_AT(&g->steps, uint32_t, at), &n);
    for (uint32_t i = 0; i < n; i++) {
      if (k[i].kind != 's' || g->seen[k[i].val])
        continue;
      g->seen[k[i].val] = true;
      as_vec_push(as_steps_is_schema(g->p, k[i].val) || g->cut[k[i].val] ? &g->leaves : &g->steps,
                  &k[i].val);
    }
  }
  if (g->steps.n > 1)
    qsort(g->steps.data, g->steps.n, sizeof(uint32_t), by_number);
  if (g->leaves.n > 1)
    qsort(g->leaves.data, g->leaves.n, sizeof(uint32_t), by_number);
}

static as_status write_all(groups *g, as_smt_set *out, as_err *err) {
  as_vec q;
  as_vec_init(&q, sizeof(as_smt_query));
  bool ok = true;
  for (uint32_t s = 0; s < g->n && ok; s++) {
    out->schema += as_steps_is_schema(g->p, s);
    out->laws += as_steps_at(g->p, s)->rule == AS_STEP_LAW;
    if (!g->cut[s])
      continue;
    collect(g, s);
    bool content = false;
    for (size_t i = 0; i < g->steps.n; i++) {
      as_step_rule r = as_steps_at(g->p, AS_VEC_AT(&g->steps, uint32_t, i))->rule;
      content = content || (r != AS_STEP_LAW && r != AS_STEP_HYP);
    }
    if (!content)
      continue; /* a law by itself is an axiom here: nothing to ask */
    as_smt_query *k = as_vec_push(&q, NULL);
    ok = smt_write(g->p, s, g->steps.data, (uint32_t)g->steps.n, g->leaves.data,
                   (uint32_t)g->leaves.n, g->why[s], k);
    if (!ok)
      as_err_set(err, AS_UNKNOWN, "%s: too big to be written for the solvers", g->why[s]);
  }
  out->q = q.data;
  out->n = (uint32_t)q.n;
  out->steps = g->n;
  return ok ? AS_OK : AS_UNKNOWN;
}

as_status as_smt_obligations(ck_terms *T, const ck_goal *goals, uint32_t n_goals, const char *cert,
                             size_t len, as_smt_set *out, as_err *err) {
  as_steps p;
  *out = (as_smt_set){0};
  as_status st = as_steps_read(&p, T, goals, n_goals, cert, len, err);
  if (st == AS_OK) {
    groups g = {.p = &p, .n = (uint32_t)p.step.n};
    g.cut = as_calloc(g.n + 1, sizeof *g.cut);
    g.seen = as_calloc(g.n + 1, sizeof *g.seen);
    g.why = as_calloc(g.n + 1, sizeof *g.why);
    as_vec_init(&g.steps, sizeof(uint32_t));
    as_vec_init(&g.leaves, sizeof(uint32_t));
    mark(&g, goals, n_goals);
    st = write_all(&g, out, err);
    for (uint32_t i = 0; i < g.n; i++)
      free(g.why[i]);
    free(g.why);
    free(g.cut);
    free(g.seen);
    as_vec_clear(&g.steps);
    as_vec_clear(&g.leaves);
    if (st != AS_OK)
      as_smt_set_clear(out);
  }
  as_steps_clear(&p);
  return st;
}

void as_smt_set_clear(as_smt_set *s) {
  for (uint32_t i = 0; i < s->n; i++) {
    free(s->q[i].name);
    free(s->q[i].text);
  }
  free(s->q);
  *s = (as_smt_set){0};
}

char *as_smt_text(const as_smt_set *s) {
  as_str out;
  as_str_init(&out);
  as_str_printf(&out, "; %u queries; each answer should be unsat\n", s->n);
  for (uint32_t i = 0; i < s->n; i++)
    as_str_printf(&out, "%s%s", i ? "(reset)\n" : "", s->q[i].text);
  return as_str_take(&out);
}

const char *as_smt_verdict_name(as_smt_verdict v) {
  static const char *const name[] = {"agrees", "disagrees", "unknown", "missing", "died"};
  return (unsigned)v < 5 ? name[v] : "?";
}

void as_smt_result_clear(as_smt_result *r) {
  free(r->reason);
  free(r->version);
  *r = (as_smt_result){.verdict = AS_SMT_UNKNOWN};
}
