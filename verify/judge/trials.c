/* What is tried before and beside a proof. */
#include "judge_int.h"
#include "src/base/file.h"
#include <stdlib.h>

/* A counterexample is looked for this long even when the time is up: it mostly is among the first
 * instances, and says more than that nothing is known. */
#define LEAST_SECONDS 0.5

void judge_random_test(const as_judged *judged, const as_policy *policy, as_verdict *verdict) {
  as_err err;
  as_err_init(&err);
  as_field_options options = as_field_default;
  options.seed = policy->seed;
  options.until = policy->until;
  as_status status = as_field_test(judged->program, judged->graph, &options, &verdict->field, &err);
  verdict->field_ran = status != AS_BAD_INPUT && status != AS_INTERNAL;
  verdict->field_words =
      verdict->field_ran ? as_field_report_print(&verdict->field) : as_err_format(&err);
  as_err_clear(&err);
}

void judge_refute_program(const as_judged *judged, const as_policy *policy, as_verdict *verdict) {
  as_err err;
  as_err_init(&err);
  as_refute_budget budget = as_refute_default;
  budget.seed = policy->seed;
  if (policy->until > 0) {
    double left = policy->until - as_now();
    budget.seconds = left < LEAST_SECONDS    ? LEAST_SECONDS
                     : left < budget.seconds ? left
                                             : budget.seconds;
  }
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
  as_err_clear(&err);
}

/* Each effort looks at other instances than those before it.  Beside a proof that the checker
 * accepts, a few larger ones do. */
static as_rule_budget budget_of(judge_effort effort, const as_policy *policy) {
  as_rule_budget budget = effort == JUDGE_THOROUGH ? as_rule_thorough : as_rule_quick;
  if (effort == JUDGE_AGAIN) {
    budget.top++;
    budget.sizes /= 2;
    budget.inputs--;
    budget.seed += 100;
  }
  budget.seed += policy->seed;
  return budget;
}

bool judge_rule_trial(const as_judged *judged, const as_policy *policy, judge_effort effort,
                      as_verdict *verdict) {
  as_rule_budget budget = budget_of(effort, policy);
  as_err err;
  as_err_init(&err);
  as_rule_cex found;
  as_status status = as_rule_refute(judged->rules, judged->rule, judged->reverse, &budget, &found,
                                    &verdict->tally, &err);
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
