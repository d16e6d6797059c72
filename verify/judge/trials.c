/* What is tried before and beside a proof. */
#include "judge_int.h"
#include "src/base/file.h"
#include "src/base/stats.h"
#include <stdlib.h>

/* A counterexample is looked for this long even when the time is up: it mostly is among the first
 * instances, and says more than that nothing is known. */
#define LEAST_SECONDS 0.5

static double trials_until(const as_policy *policy) {
  double least = as_now() + LEAST_SECONDS;
  return policy->until <= 0 ? 0 : policy->until > least ? policy->until : least;
}

void judge_random_test(const as_judged *judged, const as_policy *policy, as_verdict *verdict) {
  as_err err;
  as_err_init(&err);
  double start = as_now();
  as_field_options options = as_field_default;
  options.seed = policy->seed;
  options.until = policy->until;
  as_status status = as_field_test(judged->program, judged->graph, &options, &verdict->field, &err);
  verdict->field_ran = status != AS_BAD_INPUT && status != AS_INTERNAL;
  verdict->field_words =
      verdict->field_ran ? as_field_report_print(&verdict->field) : as_err_format(&err);
  as_stats_stage(AS_STAGE_RANDOM, as_now() - start);
  as_err_clear(&err);
}

void judge_refute_program(const as_judged *judged, const as_policy *policy, judge_effort effort,
                          as_verdict *verdict) {
  as_err err;
  as_err_init(&err);
  double start = as_now();
  as_refute_budget budget = effort == JUDGE_QUICK ? as_refute_quick : as_refute_default;
  budget.seed = policy->seed;
  budget.until = trials_until(policy);
  const as_graph *program = judged->program;
  const as_graph *graph = judged->graph;
  if (as_refute(program, graph, &budget, &verdict->cex, &err) == AS_NO) {
    verdict->cex_found = as_cex_replay(program, graph, &verdict->cex, &err) == AS_NO;
  }
  if (!verdict->cex_found && verdict->field_ran && verdict->field.verdict == AS_NO &&
      as_cex_replay(program, graph, &verdict->field.cex, &err) == AS_NO) {
    as_cex_clear(&verdict->cex);
    verdict->cex = verdict->field.cex;
    as_cex_init(&verdict->field.cex);
    verdict->cex_found = true;
  }
  if (verdict->cex_found)
    verdict->cex_words = as_cex_print(program, &verdict->cex);
  as_stats_stage(AS_STAGE_TRIALS, as_now() - start);
  as_err_clear(&err);
}

/* Each effort looks at other instances than those before it.  Beside a proof that the checker
 * accepts, a few larger ones do; between two parts of the prover's effort, as many of a thorough
 * search as take about as long as the first. */
static as_rule_budget budget_of(judge_effort effort, const as_policy *policy) {
  as_rule_budget budget =
      effort == JUDGE_THOROUGH || effort == JUDGE_BETWEEN ? as_rule_thorough : as_rule_quick;
  if (effort == JUDGE_AGAIN) {
    budget.top++;
    budget.sizes /= 2;
    budget.inputs--;
    budget.seed += 100;
  }
  if (effort == JUDGE_BETWEEN) {
    budget.total_ops /= 4;
    budget.sizes /= 4;
    budget.seed += 200;
  }
  budget.seed += policy->seed;
  budget.until = trials_until(policy);
  return budget;
}

bool judge_rule_trial(const as_judged *judged, const as_policy *policy, judge_effort effort,
                      as_verdict *verdict) {
  double start = as_now();
  as_rule_budget budget = budget_of(effort, policy);
  as_err err;
  as_err_init(&err);
  as_rule_cex found;
  as_status status = as_rule_refute(judged->rules, judged->rule, judged->reverse, &budget, &found,
                                    &verdict->tally, &err);
  as_stats_stage(AS_STAGE_TRIALS, as_now() - start);
  if (status == AS_NO) {
    verdict->cex_found = true;
    verdict->rule_cex = found;
    verdict->cex_words = as_rule_cex_print(&found, "    ");
  } else if (status != AS_UNKNOWN) {
    as_err_clear(&verdict->err);
    verdict->err = err;
    as_err_init(&err);
    judge_unreadable(verdict);
    /* AS_INTERNAL: what was found did not stand when it was read again */
    verdict->conflict = status == AS_INTERNAL;
  }
  as_err_clear(&err);
  return status == AS_NO || status == AS_UNKNOWN;
}

bool judge_rule_unmet(const as_verdict *verdict) {
  return verdict->tally.defined + verdict->tally.open == 0;
}
