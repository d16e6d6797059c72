/* Cuts a proof into queries: see smt.h. */
#include "smt_int.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>

#define GROUP_LIMIT                                                                                \
  48 /* steps of a query, counted with repetition; longer stretches are cut at intermediate        \
        theorems */

typedef struct {
  const as_steps *proof;
  uint32_t n;
  bool *is_cut;
  bool *seen;
  char **why;
  as_vec steps;
  as_vec leaves;
} groups;

static bool is_hyp(const as_steps *proof, uint32_t step) {
  return as_steps_at(proof, step)->rule == AS_STEP_HYP;
}

static void need(groups *groups_of, uint32_t step, char *why) { /* takes why */
  if (as_steps_is_schema(groups_of->proof, step) || is_hyp(groups_of->proof, step) ||
      groups_of->why[step]) {
    free(why);
    return;
  }
  groups_of->is_cut[step] = true;
  groups_of->why[step] = why;
}

/* what each premise of a schema step is to it */
static void mark_schema(groups *groups_of, uint32_t step) {
  uint32_t n;
  uint32_t bar = 0;
  uint32_t in = 0;
  const as_step_arg *tokens = as_steps_args(groups_of->proof, step, &n);
  as_step_rule rule = as_steps_at(groups_of->proof, step)->rule;
  for (uint32_t i = 0; i < n; i++) {
    if (tokens[i].kind == '|') {
      bar++;
      in = 0;
    }
    if (tokens[i].kind != 's')
      continue;
    uint32_t at = tokens[i].value;
    const char *what = rule == AS_STEP_INDUCT     ? (bar == 2   ? "base case"
                                                     : bar == 3 ? "induction step"
                                                                : "bound not negative")
                       : rule == AS_STEP_FOLDCONG ? "equal steps"
                       : rule == AS_STEP_INST     ? (bar == 0 ? "lemma" : "premise of an instance")
                                                  : "range of a fold";
    need(groups_of, at, as_format("step %u: %s %u of s%u", at, what, in++, step));
  }
}

static void mark(groups *groups_of, const ck_goal *goals, uint32_t n_goals) {
  const as_steps *proof = groups_of->proof;
  for (uint32_t i = 0; i < n_goals; i++) {
    uint32_t step = AS_VEC_AT(&proof->qed, uint32_t, i);
    need(groups_of, step, as_format("step %u: goal %s", step, goals[i].name));
  }
  for (uint32_t step = 0; step < groups_of->n; step++) {
    if (as_steps_is_schema(proof, step))
      mark_schema(groups_of, step);
  }
  uint32_t *weight = as_calloc(groups_of->n + 1, sizeof *weight);
  for (uint32_t step = 0; step < groups_of->n; step++) {
    uint32_t n;
    const as_step_arg *tokens = as_steps_args(proof, step, &n);
    weight[step] = 1;
    for (uint32_t i = 0; i < n; i++) {
      if (tokens[i].kind == 's' && !as_steps_is_schema(proof, tokens[i].value) &&
          !groups_of->is_cut[tokens[i].value])
        weight[step] += weight[tokens[i].value];
    }
    if (weight[step] > GROUP_LIMIT)
      need(groups_of, step, as_format("step %u: intermediate", step));
  }
  free(weight);
}

static void collect(groups *groups_of, uint32_t target) {
  groups_of->steps.n = groups_of->leaves.n = 0;
  memset(groups_of->seen, 0, groups_of->n);
  as_vec_push(&groups_of->steps, &target);
  groups_of->seen[target] = true;
  for (size_t at = 0; at < groups_of->steps.n; at++) {
    uint32_t n;
    const as_step_arg *tokens =
        as_steps_args(groups_of->proof, AS_VEC_AT(&groups_of->steps, uint32_t, at), &n);
    for (uint32_t i = 0; i < n; i++) {
      if (tokens[i].kind != 's' || groups_of->seen[tokens[i].value])
        continue;
      groups_of->seen[tokens[i].value] = true;
      as_vec_push(as_steps_is_schema(groups_of->proof, tokens[i].value) ||
                          groups_of->is_cut[tokens[i].value]
                      ? &groups_of->leaves
                      : &groups_of->steps,
                  &tokens[i].value);
    }
  }
  if (groups_of->steps.n > 1)
    qsort(groups_of->steps.data, groups_of->steps.n, sizeof(uint32_t), as_id_compare);
  if (groups_of->leaves.n > 1)
    qsort(groups_of->leaves.data, groups_of->leaves.n, sizeof(uint32_t), as_id_compare);
}

static as_status write_all(groups *groups_of, as_smt_set *out, as_err *err) {
  as_vec queries;
  as_vec_init(&queries, sizeof(as_smt_query));
  bool written = true;
  for (uint32_t step = 0; step < groups_of->n && written; step++) {
    out->schema += as_steps_is_schema(groups_of->proof, step);
    out->laws += as_steps_at(groups_of->proof, step)->rule == AS_STEP_LAW;
    if (!groups_of->is_cut[step])
      continue;
    collect(groups_of, step);
    bool content = false;
    for (size_t i = 0; i < groups_of->steps.n; i++) {
      as_step_rule rule =
          as_steps_at(groups_of->proof, AS_VEC_AT(&groups_of->steps, uint32_t, i))->rule;
      content = content || (rule != AS_STEP_LAW && rule != AS_STEP_HYP);
    }
    if (!content)
      continue; /* a law by itself is an axiom here: nothing to ask */
    as_smt_query *query = as_vec_push(&queries, NULL);
    written = smt_write(groups_of->proof, step, groups_of->steps.data, (uint32_t)groups_of->steps.n,
                        groups_of->leaves.data, (uint32_t)groups_of->leaves.n, groups_of->why[step],
                        query);
    if (!written)
      as_err_set(err, AS_UNKNOWN, "%s: too big to be written for the solvers",
                 groups_of->why[step]);
  }
  out->q = queries.data;
  out->n = (uint32_t)queries.n;
  out->steps = groups_of->n;
  return written ? AS_OK : AS_UNKNOWN;
}

as_status as_smt_obligations(ck_terms *terms, const ck_goal *goals, uint32_t n_goals,
                             const char *cert, size_t len, as_smt_set *out, as_err *err) {
  as_steps proof;
  *out = (as_smt_set){0};
  as_status status = as_steps_read(&proof, terms, goals, n_goals, cert, len, err);
  if (status == AS_OK) {
    groups groups_of = {.proof = &proof, .n = (uint32_t)proof.step.n};
    groups_of.is_cut = as_calloc(groups_of.n + 1, sizeof *groups_of.is_cut);
    groups_of.seen = as_calloc(groups_of.n + 1, sizeof *groups_of.seen);
    groups_of.why = as_calloc(groups_of.n + 1, sizeof *groups_of.why);
    as_vec_init(&groups_of.steps, sizeof(uint32_t));
    as_vec_init(&groups_of.leaves, sizeof(uint32_t));
    mark(&groups_of, goals, n_goals);
    status = write_all(&groups_of, out, err);
    for (uint32_t i = 0; i < groups_of.n; i++)
      free(groups_of.why[i]);
    free(groups_of.why);
    free(groups_of.is_cut);
    free(groups_of.seen);
    as_vec_clear(&groups_of.steps);
    as_vec_clear(&groups_of.leaves);
    if (status != AS_OK)
      as_smt_set_clear(out);
  }
  as_steps_clear(&proof);
  return status;
}

void as_smt_set_clear(as_smt_set *set) {
  for (uint32_t i = 0; i < set->n; i++) {
    free(set->q[i].name);
    free(set->q[i].text);
  }
  free(set->q);
  *set = (as_smt_set){0};
}

char *as_smt_text(const as_smt_set *set) {
  as_str text;
  as_str_init(&text);
  as_str_printf(&text, "; %u queries; each answer should be unsat\n", set->n);
  for (uint32_t i = 0; i < set->n; i++)
    as_str_printf(&text, "%s%s", i ? "(reset)\n" : "", set->q[i].text);
  return as_str_take(&text);
}
