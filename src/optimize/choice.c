#include "choice.h"
#include "src/base/mem.h"
#include "src/check/check.h"
#include "src/kernels/kernels.h"
#include <stdlib.h>

void as_choice_clear(as_choice *chosen) {
  if (chosen->lowered)
    as_lowered_clear(&chosen->low);
  as_report_words_clear(&chosen->words);
  as_saturated_tile_clear(&chosen->tile);
  as_floats_result_clear(&chosen->tile_floats);
}

/* asks the solvers; whether it is certified still */
static bool ask(const as_policy *policy, as_choice *chosen, as_verdict *verdict,
                const as_floats_result *floats) {
  as_policy own = *policy;
  own.field = own.field && chosen->judged.program; /* else it was evaluated */
  chosen->verdict = verdict;
  as_judge_ask(&chosen->judged, &own, verdict);
  as_report_words_clear(&chosen->words);
  as_report_words_of(verdict, true, &chosen->words);
  chosen->words.floats = floats;
  as_verdict_release(verdict);
  return verdict->certified;
}

bool as_lowered_as_priced(const as_candidate *cand, const as_routes *lowered, as_err *err) {
  uint32_t number;
  bool is_node;
  if (as_routes_same(&cand->priced, lowered, &number, &is_node))
    return true;
  const as_graph *graph = cand->graph;
  const as_routes *priced = &cand->priced;
  bool there =
      is_node ? number < graph->n && number < priced->n_node && number < lowered->n_node
              : number < graph->n_block && number < priced->n_block && number < lowered->n_block;
  if (!there)
    return as_err_set(err, AS_INTERNAL, "the candidate has no price of each of its kernels");
  const char *name = is_node ? graph->node[number].name : graph->block[number].name;
  const char *was = is_node ? priced->node[number] : priced->block[number];
  const char *is = is_node ? lowered->node[number] : lowered->block[number];
  return as_err_set(err, AS_INTERNAL,
                    "%s is lowered as: %s; it was chosen by the price of: %s.  Its kernels are not "
                    "handed out; please report this, with the program",
                    name ? name : "an operator", is ? is : "kernels", was ? was : "kernels");
}

static bool choose_graph(const as_policy *policy, const as_job *job, const as_target *target,
                         as_candidate *cand, as_choice *chosen, as_err *err) {
  as_lower_opts plan = {.target = target};
  as_judged program = as_job_judged(job);
  chosen->cand = cand;
  chosen->judged = as_search_judged(job->program, &program.given, cand);
  as_search_select(cand, cand->chosen);
  if (!ask(policy, chosen, &cand->verdict, &cand->floats))
    return true;
  as_lowered_init(&chosen->low);
  chosen->lowered = true;
  return as_lower_cuda(cand->graph, &plan, &chosen->low, err) &&
         as_lowered_as_priced(cand, &chosen->low.routes, err);
}

/* false with *why: it cannot be lowered */
static bool choose_tile(const as_policy *policy, const as_target *target, as_choice *chosen,
                        char **why) {
  as_lower_opts plan = {.target = target};
  as_kernels_of texts = as_check_texts(&chosen->tile.job);
  as_lowered low;
  as_err err;
  as_err_init(&err);
  as_lowered_init(&low);
  bool lowers_so = as_kernels_lower(&texts, &plan, &low, &err);
  if (!lowers_so && *why == NULL)
    *why = as_strdup(err.text ? err.text : "no reason given");
  chosen->judged = as_job_judged(&chosen->tile.job);
  if (lowers_so && ask(policy, chosen, &chosen->tile.verdict, &chosen->tile_floats)) {
    chosen->cand = NULL;
    chosen->low = low;
    chosen->lowered = true;
  } else {
    if (*why == NULL)
      *why = as_strdup(chosen->verdict->why ? chosen->verdict->why : "no reason given");
    as_lowered_clear(&low);
  }
  as_err_clear(&err);
  return chosen->lowered;
}

bool as_choose(const as_job *job, const as_policy *policy, const as_target *target,
               const as_guard *guard, as_search_result *found, as_choice *chosen, as_err *err) {
  char *why = NULL;
  bool tile = chosen->tile.found;
  if (tile)
    as_guard_untested(guard, "a tile program that no block graph is", &chosen->tile_floats);
  for (uint32_t i = 0; i < found->n && !chosen->lowered; i++) {
    if (tile && chosen->tile.us < found->cand[i].us) {
      tile = false;
      if (choose_tile(policy, target, chosen, &why))
        break;
    }
    if (!choose_graph(policy, job, target, &found->cand[i], chosen, err))
      return false;
    if (!chosen->lowered && why == NULL)
      why = as_strdup(chosen->verdict->why ? chosen->verdict->why : "no reason given");
  }
  if (tile && !chosen->lowered)
    choose_tile(policy, target, chosen, &why);
  if (!chosen->lowered)
    as_err_set(err, AS_UNKNOWN, "no candidate is certified: %s", why ? why : "none was found");
  free(why);
  return chosen->lowered;
}
