/* The filter chain: each scheme as a muGraph, read back from its own text, with tile sizes, tested
 * over finite fields, proved, its certificate replayed.  Best first, until enough are certified. */
#include "driver.h"
#include <stdlib.h>
#include <string.h>

void sg_candidate_clear(as_candidate *candidate) {
  for (uint32_t i = 0; i < candidate->n_tiling; i++) {
    free(candidate->tiling[i].size);
    free(candidate->tiling[i].value);
  }
  free(candidate->tiling);
  free(candidate->text);
  free(candidate->cert);
  free(candidate->field_report);
  if (candidate->graph)
    as_graph_free(candidate->graph);
  memset(candidate, 0, sizeof *candidate);
}

void as_search_select(const as_candidate *candidate, uint32_t tiling) {
  for (uint32_t i = 0; i < candidate->graph->n_own_size; i++)
    as_size_set_value(candidate->graph->sizes, candidate->graph->own_size[i], -1);
  if (tiling >= candidate->n_tiling)
    return;
  for (uint32_t i = 0; i < candidate->tiling[tiling].n; i++)
    as_size_set_value(candidate->graph->sizes, candidate->tiling[tiling].size[i],
                      candidate->tiling[tiling].value[i]);
}

static bool seen_before(sg_search *search, const char *text) {
  for (uint32_t i = 0; i < search->n_seen; i++) {
    if (!strcmp(search->seen[i], text))
      return true;
  }
  search->seen = as_realloc(search->seen, (search->n_seen + 1) * sizeof *search->seen);
  search->seen[search->n_seen++] = as_strdup(text);
  return false;
}

static bool passes_field_test(sg_search *search, as_candidate *candidate, uint32_t number) {
  static const uint32_t runs[] = {1, 3}; /* wrong ones fail the first at little cost */
  const as_search_filter *chain = search->opts.filter;
  for (size_t i = 0; i < sizeof runs / sizeof *runs && chain->field; i++) {
    char *why = NULL;
    as_status verdict = chain->field(chain->arg, search->program, candidate->graph, runs[i],
                                     search->opts.seed + (uint64_t)i, &why);
    if (verdict != AS_OK) {
      search->result->stats.field_failed++;
      sg_note(search, as_format("candidate %u failed the field test: %s\n%s", number,
                                why ? why : "no reason given", candidate->text));
      free(why);
      return false;
    }
    free(candidate->field_report);
    candidate->field_report = why;
  }
  return true;
}

static bool is_proved(sg_search *search, as_candidate *candidate, uint32_t number) {
  const as_search_filter *chain = search->opts.filter;
  as_search_stats *stats = &search->result->stats;
  char *why = NULL;
  sg_progress(search, "proving", (double)search->result->n / search->opts.keep);
  as_status verdict = chain->prove ? chain->prove(chain->arg, search->program, candidate->graph,
                                                  &candidate->cert, &candidate->cert_len, &why)
                                   : AS_OK;
  if (verdict != AS_OK) {
    if (verdict == AS_NO)
      stats->replay_failed++;
    else
      stats->unproved++;
    sg_note(search, as_format("candidate %u was not proved: %s\n%s", number,
                              why ? why : "no reason given", candidate->text));
  }
  free(why);
  return verdict == AS_OK;
}

/* The muGraph as its printed text says, so that what is tiled, tested, proved and lowered is what
 * will be read from the file.  NULL where the scheme makes no well-formed one, which is noted, or
 * one that was there before. */
static as_graph *graph_of_scheme(sg_search *search, const sg_scheme *scheme) {
  as_err err;
  as_err_init(&err);
  as_graph *read = NULL;
  as_graph *built = sg_scheme_build(search, scheme, &err);
  if (built) {
    for (uint32_t i = 0; i < built->n_own_size; i++)
      as_size_set_value(built->sizes, built->own_size[i], -1);
    char *text = as_print_mug(built);
    if (seen_before(search, text))
      search->result->stats.duplicates++;
    else
      read = as_parse_mug("candidate.mug", text, strlen(text), search->program, &err);
    free(text);
    as_graph_free(built);
  }
  if (err.status != AS_OK) {
    char *why = as_err_format(&err);
    sg_note(search, as_format("a candidate of %u pieces (%.2f us by the model) is not well-formed: "
                              "%s",
                              scheme->n, scheme->us, why));
    search->result->stats.ill_formed++;
    free(why);
  }
  as_err_clear(&err);
  return read;
}

/* false: a duplicate, not well-formed, or without tile sizes: *untiled says why, once */
static bool make_candidate(sg_search *search, const sg_scheme *scheme, as_candidate *out,
                           char **untiled) {
  memset(out, 0, sizeof *out);
  out->graph = graph_of_scheme(search, scheme);
  if (!out->graph)
    return false;
  char *why = NULL;
  out->tiling = as_tilings(out->graph, search->opts.target,
                           search->opts.tilings ? search->opts.tilings : 1, &out->n_tiling, &why);
  if (!out->n_tiling && search->concrete) { /* nothing could run it at the sizes asked for */
    search->result->stats.untiled++;
    sg_struck(search, AS_LIMIT_TILES, 1);
    if (!*untiled) {
      *untiled = why;
      why = NULL;
    }
    free(why);
    sg_candidate_clear(out);
    return false;
  }
  free(why);
  out->us = out->n_tiling ? out->tiling[0].us : scheme->us;
  out->kernels = as_graph_kernels(out->graph);
  as_search_select(out, 0);
  out->text = as_print_mug(out->graph);
  return true;
}

static int compare_candidates(const void *left, const void *right) {
  const as_candidate *first = left;
  const as_candidate *second = right;
  return first->us < second->us ? -1 : first->us > second->us;
}

/* Whether there is budget for one more.  When the time is up and nothing is certified, the
 * program's own operators as kernels are all that is tried: they are the easiest to prove. */
static bool has_budget(sg_search *search, const sg_scheme *scheme) {
  as_search_limit why;
  as_search_result *result = search->result;
  bool separate = scheme->n == 1 && scheme->pieces[0].segment == NULL;
  if (result->stats.tested >= search->opts.max_tested) {
    sg_struck(search, AS_LIMIT_TESTED, 1);
    return false;
  }
  if (as_search_is_late(&search->deadline, &why) && (result->n > 0 || !separate)) {
    sg_struck(search, why, 1);
    return false;
  }
  return true;
}

static void certify_scheme(sg_search *search, uint32_t number, char **untiled) {
  as_search_result *result = search->result;
  as_candidate candidate;
  if (!has_budget(search, &search->schemes[number]) ||
      !make_candidate(search, &search->schemes[number], &candidate, untiled))
    return;
  sg_progress(search, "testing", (double)result->n / search->opts.keep);
  result->stats.tested++;
  if (!passes_field_test(search, &candidate, number) || !is_proved(search, &candidate, number)) {
    sg_candidate_clear(&candidate);
    return;
  }
  result->stats.certified++;
  result->cand = as_realloc(result->cand, (result->n + 1) * sizeof *result->cand);
  result->cand[result->n++] = candidate;
}

static bool has_one_kernel(const as_search_result *result) {
  for (uint32_t i = 0; i < result->n; i++) {
    if (result->cand[i].kernels == 1)
      return true;
  }
  return false;
}

void sg_certify_schemes(sg_search *search) {
  as_search_result *result = search->result;
  char *untiled = NULL;
  uint32_t next = 0;
  for (; next < search->n_schemes && result->n < search->opts.keep; next++)
    certify_scheme(search, next, &untiled);
  /* beside the cheapest by the model, which is only a model: one kernel for everything */
  for (; next < search->n_schemes && result->n > 0 && !has_one_kernel(result); next++) {
    const sg_scheme *scheme = &search->schemes[next];
    if (scheme->n == 1 && scheme->pieces[0].segment)
      certify_scheme(search, next, &untiled);
  }
  if (result->n)
    qsort(result->cand, result->n, sizeof *result->cand, compare_candidates);
  if (untiled)
    sg_message(search, untiled);
}
