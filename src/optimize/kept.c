/* Keys, candidates taken from the cache, and what is kept. */
#include "kept.h"
#include "build_id.h"
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* which build this is: another one may find other candidates */
static void add_build(as_str *words) {
  char id[65];
  as_build_id(id);
  as_str_printf(words, "assay %s %s\n", PACKAGE_VERSION, id);
}

/* All that the result depends on beside the program and the specifications.  Not the number of
 * threads, which changes nothing, and no time limit: a result of which one struck is not kept. */
static char *rest_of_key(const char *options, const as_policy *policy, const as_target *target) {
  as_str words;
  as_str_init(&words);
  add_build(&words);
  as_str_printf(&words, "target %s %s library %s tf32 %s\n%s\n", target->gpu, target->arch,
                as_library_use_word(target->library), target->rounded ? target->rounded : "",
                options);
  as_str_printf(&words, "seed %llu field %d queries %d solver seconds %.17g",
                (unsigned long long)policy->seed, policy->field, policy->keep_queries,
                policy->solver_seconds);
  for (int i = 0; i < AS_SMT_N_SOLVERS; i++)
    as_str_printf(&words, " %s %d%d", as_smt_solver_name((as_smt_solver)i), policy->ask[i],
                  policy->agree[i]);
  return as_str_take(&words);
}

void as_kept_key(const char *options, const as_policy *policy, const as_job *job,
                 const as_target *target, char key[AS_CACHE_KEY]) {
  char *rest = rest_of_key(options, policy, target);
  as_cache_key(job->program, rest, key);
  free(rest);
}

void as_kept_open(const char *dir, const char *key, as_kept *kept) {
  memset(kept, 0, sizeof *kept);
  kept->dir = dir ? as_strdup(dir) : NULL;
  snprintf(kept->key, sizeof kept->key, "%s", key);
}

void as_kept_clear(as_kept *kept) {
  free(kept->dir);
  free(kept->refused);
  memset(kept, 0, sizeof *kept);
}

void as_kept_refuse(as_kept *kept, const char *why) {
  char *path = as_cache_path(kept->dir, kept->key);
  fprintf(stderr, "assay: what the cache has is not used: %s: %s\n", path, why);
  free(path);
  free(kept->refused);
  kept->refused = as_strdup(why);
  kept->hit = false;
}

/* the values that the candidate's own sizes have in its text, as the tiling chosen */
static void take_tiling(as_candidate *candidate) {
  const as_graph *graph = candidate->graph;
  candidate->tiling = as_calloc(1, sizeof *candidate->tiling);
  as_tiling *tiling = &candidate->tiling[0];
  tiling->size = as_malloc((graph->n_own_size + 1) * sizeof *tiling->size);
  tiling->value = as_malloc((graph->n_own_size + 1) * sizeof *tiling->value);
  for (uint32_t i = 0; i < graph->n_own_size; i++) {
    tiling->size[i] = graph->own_size[i];
    tiling->value[i] = as_size_value(graph->sizes, graph->own_size[i]);
  }
  tiling->n = graph->n_own_size;
  tiling->us = candidate->us;
  candidate->n_tiling = 1;
  candidate->kernels = as_graph_kernels(graph);
}

/* the ways that the price is of, as put_routes left them; false: they are not those of the graph */
static bool take_routes(json_t *about, as_candidate *candidate) {
  const json_t *blocks = json_object_get(about, "block_routes");
  json_t *nodes = json_object_get(about, "node_routes");
  const as_graph *graph = candidate->graph;
  bool ok =
      json_is_array(blocks) && json_array_size(blocks) == graph->n_block && json_is_object(nodes);
  as_routes_init(&candidate->priced, graph->n_block, graph->n);
  for (uint32_t i = 0; ok && i < graph->n_block; i++) {
    const char *name = json_string_value(json_array_get(blocks, i));
    candidate->priced.block[i] = name ? as_route_find(name) : NULL;
    ok = candidate->priced.block[i] != NULL;
  }
  const char *key;
  json_t *name;
  json_object_foreach(nodes, key, name) {
    unsigned long number = strtoul(key, NULL, 10);
    const char *route = json_is_string(name) ? as_route_find(json_string_value(name)) : NULL;
    ok = ok && number < graph->n && route;
    if (ok)
      candidate->priced.node[number] = route;
  }
  return ok;
}

static void put_routes(const as_routes *priced, json_t *about) {
  json_t *blocks = json_array();
  json_t *nodes = json_object();
  for (uint32_t i = 0; i < priced->n_block; i++)
    json_array_append_new(blocks, json_string(priced->block[i]));
  for (uint32_t i = 0; i < priced->n_node; i++) {
    char *key = as_format("%u", i);
    if (priced->node[i])
      json_object_set_new(nodes, key, json_string(priced->node[i]));
    free(key);
  }
  json_object_set_new(about, "block_routes", blocks);
  json_object_set_new(about, "node_routes", nodes);
}

static void take_statistics(const json_t *about, as_search_result *found) {
  as_search_stats *stats = &found->stats;
  stats->states = (uint64_t)json_integer_value(json_object_get(about, "states"));
  stats->candidates = (uint64_t)json_integer_value(json_object_get(about, "candidates"));
  stats->tested = (uint64_t)json_integer_value(json_object_get(about, "tested"));
  stats->certified = (uint64_t)json_integer_value(json_object_get(about, "certified"));
  stats->unproved = (uint64_t)json_integer_value(json_object_get(about, "failed_late"));
  stats->seconds = json_real_value(json_object_get(about, "seconds"));
  const char *said = json_string_value(json_object_get(about, "said"));
  found->message = said ? as_strdup(said) : NULL;
}

/* The entry's candidate, read and judged; false: it is not certified, *why (malloc'ed) says why. */
static bool judge_entry(const as_job *job, const as_policy *policy, const as_cache_entry *entry,
                        as_candidate *candidate, char **why) {
  as_err err;
  as_err_init(&err);
  candidate->program = as_graph_copy(job->program);
  candidate->program->sizes = as_sizes_copy(job->program->sizes);
  candidate->text = as_strdup(entry->candidate);
  candidate->graph = as_parse_mug("candidate.mug", candidate->text, strlen(candidate->text),
                                  candidate->program, &err);
  bool certified = false;
  if (candidate->graph) {
    as_judged program = as_job_judged(job);
    as_judged judged = as_search_judged(job->program, &program.given, candidate);
    if (entry->certificate)
      as_judge_certificate(&judged, policy, entry->certificate, strlen(entry->certificate),
                           &candidate->verdict);
    else
      as_judge(&judged, policy, &candidate->verdict);
    certified = candidate->verdict.certified;
    *why = certified
               ? NULL
               : as_format("it is not certified: %s",
                           candidate->verdict.why ? candidate->verdict.why : "no reason given");
  } else {
    *why = as_err_format(&err);
  }
  as_err_clear(&err);
  return certified;
}

bool as_kept_find(as_kept *kept, const as_job *job, const as_policy *policy,
                  as_search_result *found) {
  if (kept->dir == NULL)
    return false;
  as_cache_entry entry;
  as_err err;
  as_err_init(&err);
  char *why = NULL;
  as_cache_answer answer = as_cache_find(kept->dir, kept->key, job->program, &entry, &err);
  json_t *about = answer == AS_CACHE_FOUND ? json_loads(entry.about, 0, NULL) : NULL;
  if (answer == AS_CACHE_FOUND && !json_is_object(about)) {
    why = as_strdup("what it says of the search is no JSON object");
  } else if (answer == AS_CACHE_FOUND) {
    found->cand = as_calloc(1, sizeof *found->cand);
    found->n = 1;
    as_verdict_init(&found->cand->verdict);
    kept->hit = judge_entry(job, policy, &entry, found->cand, &why);
    kept->renamed = entry.certificate == NULL;
    if (kept->hit && !take_routes(about, found->cand)) {
      kept->hit = false;
      why = as_strdup("it does not say by which ways the program is lowered");
    }
  } else if (answer == AS_CACHE_DAMAGED) {
    why = as_err_format(&err);
  }
  if (kept->hit) {
    found->cand->us = json_real_value(json_object_get(about, "model_us"));
    take_tiling(found->cand);
    take_statistics(about, found);
  } else if (why) {
    as_search_result_clear(found);
    as_kept_refuse(kept, why);
  }
  free(why);
  json_decref(about);
  as_cache_entry_clear(&entry);
  as_err_clear(&err);
  return kept->hit;
}

static char *about_search(const as_search_result *found, const as_candidate *chosen) {
  const as_search_stats *stats = &found->stats;
  char *said = as_search_said(found, false);
  json_t *about =
      json_pack("{s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:s}", "states", (json_int_t)stats->states,
                "candidates", (json_int_t)stats->candidates, "tested", (json_int_t)stats->tested,
                "certified", (json_int_t)stats->certified, "failed_late",
                (json_int_t)(stats->unproved + stats->replay_failed), "seconds", stats->seconds,
                "model_us", chosen->us, "said", said ? said : "");
  put_routes(&chosen->priced, about);
  char *text = json_dumps(about, JSON_COMPACT | JSON_SORT_KEYS);
  json_decref(about);
  free(said);
  return text;
}

void as_kept_keep(const as_kept *kept, const as_job *job, const as_search_result *found,
                  const as_candidate *chosen) {
  const uint64_t *struck = found->stats.struck;
  if (kept->dir == NULL || kept->hit || chosen != &found->cand[0] ||
      struck[AS_LIMIT_TIME] + struck[AS_LIMIT_INTERRUPT] > 0)
    return;
  as_err err;
  as_err_init(&err);
  as_cache_entry entry = {chosen->text, chosen->verdict.proof.cert, about_search(found, chosen)};
  if (!as_cache_keep(kept->dir, kept->key, job->program, &entry, &err)) {
    char *why = as_err_format(&err);
    fprintf(stderr, "assay: the result is not kept in the cache: %s\n", why);
    free(why);
  }
  free(entry.about);
  as_err_clear(&err);
}

json_t *as_kept_json(const as_kept *kept) {
  json_t *object = json_pack("{s:b, s:s}", "taken_from_it", kept->hit, "key", kept->key);
  if (kept->hit) {
    json_object_set_new(object, "certificate",
                        json_string(kept->renamed ? "proved anew, for other names" : "replayed"));
  }
  if (kept->refused)
    json_object_set_new(object, "refused", json_string(kept->refused));
  return object;
}
