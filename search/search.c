/* The driver: schemes (which operators share a kernel, and how), then the filter chain. */
#include "search.h"
#include "driver.h"
#include "safe.h"
#include "src/base/file.h"
#include "src/base/id.h"
#include "src/base/trace.h"
#include "variant.h"
#include <stdlib.h>
#include <string.h>

/* In the prover's units: the hardest proofs that were found took two thirds of it; after it has
 * been spent without one, what is certified is nearly always the program's own operators. */
enum { MOST_PROOF_WORK = 180000000 };

enum { WIDER_PARTITIONS = 16 };

static const double WIDER_REACH = 2; /* partitions up to so much of the best one's cost */

const as_search_opts as_search_default = {.threads = 0,
                                          .seed = 1,
                                          .keep = 3,
                                          .tilings = 8,
                                          .max_values = 1500,
                                          .max_tested = 24,
                                          .max_part = 24,
                                          .max_states = 800000,
                                          .max_group_states = 60000000,
                                          .proof_work = MOST_PROOF_WORK,
                                          .max_partitions = 1,
                                          .reach = 1,
                                          .max_seconds = 0,
                                          .policy = &as_search_policy};

const as_search_limit_row as_search_limits[AS_LIMIT_N] = {
#define LIMIT_ROW(id, name, what) [AS_LIMIT_##id] = {name, what},
    AS_SEARCH_LIMITS(LIMIT_ROW)
#undef LIMIT_ROW
};

bool as_search_is_late(const as_search_deadline *deadline, as_search_limit *why) {
  if (deadline->stop && *deadline->stop) {
    *why = AS_LIMIT_INTERRUPT;
    return true;
  }
  *why = AS_LIMIT_TIME;
  return deadline->until > 0 && as_now() > deadline->until;
}

char *as_search_limits_print(const as_search_stats *stats, bool with_meaning) {
  as_str text;
  as_str_init(&text);
  for (uint32_t i = 0; i < AS_LIMIT_N; i++) {
    if (!stats->struck[i])
      continue;
    as_str_printf(&text, "%s%s (%llu)",
                  !text.n        ? ""
                  : with_meaning ? "\n  "
                                 : ", ",
                  as_search_limits[i].name, (unsigned long long)stats->struck[i]);
    if (with_meaning)
      as_str_printf(&text, ": %s", as_search_limits[i].what);
  }
  return text.n ? as_str_take(&text) : NULL;
}

char *as_search_said(const as_search_result *result, bool with_meaning) {
  char *limits = as_search_limits_print(&result->stats, with_meaning);
  char *said = NULL;
  if (limits) {
    said = as_format("%s%slimits that struck: %s", result->message ? result->message : "",
                     result->message ? "; " : "", limits);
  } else if (result->message) {
    said = as_strdup(result->message);
  }
  free(limits);
  return said;
}

void sg_progress(sg_search *search, const char *stage, double done) {
  as_search_stats *stats = &search->result->stats;
  stats->seconds = as_now() - search->start;
  if (search->concrete && search->best_us < SG_NEVER)
    stats->best_us = search->best_us;
  if (search->opts.progress)
    search->opts.progress(search->opts.progress_arg, stage, stats, done);
}

void sg_struck(sg_search *search, as_search_limit limit, uint64_t times) {
  search->result->stats.struck[limit] += times;
}

void sg_message(sg_search *search, char *text) {
  AS_TRACE(SEARCH, "%s", text);
  if (!search->result->message) {
    search->result->message = text;
    return;
  }
  char *both = as_format("%s; %s", search->result->message, text);
  free(search->result->message);
  free(text);
  search->result->message = both;
}

void sg_note(sg_search *search, char *text) {
  AS_TRACE(SEARCH, "%s", text);
  as_search_result *result = search->result;
  result->log = as_realloc(result->log, (result->n_log + 1) * sizeof *result->log);
  result->log[result->n_log++] = text;
}

enum { MOST_VARIANTS = 3 }; /* beside the program */

static void read_operators(sg_variant *variant, sg_moves moves) {
  const as_graph *graph = variant->graph;
  variant->ops = as_malloc((graph->n + 1) * sizeof *variant->ops);
  for (uint32_t i = 0; i < graph->n; i++) {
    if (graph->node[i].kind == AS_N_OP && graph->node[i].block == AS_NONE)
      variant->ops[variant->n_ops++] = i;
  }
  variant->is_late = sg_late_moves(graph, moves);
}

static sg_variant *add_variant(sg_search *search, const as_graph *graph, as_graph *owned,
                               sg_moves moves) {
  sg_variant *variant = &search->variants[search->n_variants++];
  *variant = (sg_variant){.graph = graph, .owned = owned};
  read_operators(variant, moves);
  return variant;
}

/* parts of results as they are computed of parts of the inputs, which are inputs of this variant */
static void add_in_parts(sg_search *search, const as_graph *program) {
  sg_slices slices;
  as_graph *divided = sg_divided(program);
  as_graph *graph = sg_parts_as_inputs(divided ? divided : program, &slices);
  if (divided)
    as_graph_free(divided);
  if (graph)
    add_variant(search, graph, graph, SG_MOVES_AS_GIVEN)->slices = slices;
}

/* the variant with its moves where they are read */
static void move_late(sg_variant *variant) {
  as_graph *moved = sg_reordered(variant->graph, SG_MOVES_LATE);
  if (!moved)
    return;
  if (variant->owned)
    as_graph_free(variant->owned);
  free(variant->ops);
  free(variant->is_late);
  *variant = (sg_variant){
      .graph = moved, .owned = moved, .slices = variant->slices, .risky = variant->risky};
  read_operators(variant, SG_MOVES_LATE);
}

static void read_program(sg_search *search) {
  const as_graph *program = search->program;
  search->variants = as_calloc(6 + MOST_VARIANTS, sizeof *search->variants);
  add_variant(search, program, NULL, SG_MOVES_AS_GIVEN);
  search->concrete = true;
  for (uint32_t i = 0; i < program->n_own_size; i++)
    search->concrete &= as_size_value(program->sizes, program->own_size[i]) >= 0;
}

/* the program with joined axes made by kernels before those that read them */
static void add_joined_first(sg_search *search) {
  const sg_variant *of = &search->variants[1];
  bool any;
  for (uint32_t i = 2; i < search->n_variants; i++) {
    if (search->variants[i].slices.n > 0)
      of = &search->variants[i];
  }
  bool *is_border = sg_joined_first(of->graph, &any);
  free(is_border);
  as_graph *graph = any ? sg_reordered(of->graph, SG_MOVES_LATE_UNLESS_JOINED) : NULL;
  if (!graph)
    return;
  sg_variant *variant = add_variant(search, graph, graph, SG_MOVES_LATE_UNLESS_JOINED);
  sg_slices_copy(&variant->slices, &of->slices);
  variant->is_border = sg_joined_first(graph, &any);
}

/* other orders of the program that risk no more in floats than it does */
static void add_orders(sg_search *search) {
  uint32_t n;
  const as_graph *of = search->variants[1].graph;
  as_condition given;
  as_condition_of(of, &given);
  as_graph **graphs = sg_variants(of, search->opts.target, search->concrete, MOST_VARIANTS, &n,
                                  search->result->stats.struck);
  for (uint32_t i = 0; i < n; i++) {
    as_condition risks;
    as_condition_of(graphs[i], &risks);
    as_risk worse = as_condition_worse(&risks, &given);
    if (worse == AS_N_RISK || search->opts.fast_floats) {
      add_variant(search, graphs[i], graphs[i], SG_MOVES_AS_GIVEN);
      continue;
    }
    AS_TRACE(SEARCH, "an order left out: %s", as_risk_meaning(worse));
    as_graph_free(graphs[i]);
  }
  free(graphs);
}

/* The first order is the program's own, or a safer form of it.  Then the program as it is given is
 * one of the others, which are looked into only as far as they are cheaper by some parts in a
 * hundred. */
void sg_find_variants(sg_search *search) {
  as_graph *safe = search->opts.fast_floats ? NULL : sg_safe_form(search->program);
  const as_graph *first = safe ? safe : search->program;
  as_graph *named = sg_reordered(first, SG_MOVES_AS_GIVEN);
  if (safe)
    AS_TRACE(SEARCH, "%s", "a form that is safer in floats is searched first");
  if (named && safe)
    as_graph_free(safe);
  if (!named)
    named = safe;
  add_variant(search, named ? named : search->program, named, SG_MOVES_AS_GIVEN);
  add_in_parts(search, search->variants[1].graph);
  add_orders(search);
  if (safe) {
    as_graph *given = sg_reordered(search->program, SG_MOVES_AS_GIVEN);
    add_variant(search, given ? given : search->program, given, SG_MOVES_AS_GIVEN)->risky = true;
    search->variants[0].risky = true;
  }
  uint32_t n_late = search->n_variants;
  if (sg_moves_matter(search->program)) {
    as_graph *some_stay = sg_reordered(search->variants[1].graph, SG_MOVES_LATE_UNLESS_COMPUTED);
    if (some_stay)
      add_variant(search, some_stay, some_stay, SG_MOVES_LATE_UNLESS_COMPUTED);
  }
  add_joined_first(search);
  for (uint32_t i = 1; i < n_late; i++)
    move_late(&search->variants[i]);
}

/* false, with the sizes in the result's message, where some have no value */
static bool has_values(const as_graph *program, as_search_result *result) {
  as_str missing;
  as_str_init(&missing);
  for (uint32_t i = 0; i < program->n_own_size; i++) {
    if (as_size_value(program->sizes, program->own_size[i]) < 0) {
      as_str_printf(&missing, "%s%s", missing.n ? ", " : "",
                    as_size_name(program->sizes, program->own_size[i]));
    }
  }
  bool all = missing.n == 0;
  if (!all) {
    result->message =
        as_format("%s: kernels are made for concrete sizes: give a value to %s, as in "
                  "`sizes %.*s = 64`",
                  program->name, missing.s, (int)strcspn(missing.s, ","), missing.s);
  }
  as_str_clear(&missing);
  return all;
}

/* three quarters of the time for finding candidates, the rest for certifying them */
static void set_deadlines(sg_search *search) {
  const as_search_opts *opts = &search->opts;
  search->deadline.stop = search->enumerate_till.stop = opts->stop;
  if (opts->max_seconds > 0) {
    search->deadline.until = search->start + opts->max_seconds;
    search->enumerate_till.until = search->start + 0.75 * opts->max_seconds;
  }
}

/* what the user should know: why nothing was found, or what better-looking candidates met */
static void say_what_failed(sg_search *search) {
  as_search_result *result = search->result;
  const as_search_stats *stats = &result->stats;
  uint64_t unproved = stats->unproved + stats->replay_failed;
  char *last = search->err.status != AS_OK ? as_err_format(&search->err)
               : result->n_log             ? as_strdup(result->log[result->n_log - 1])
                                           : NULL;
  if (last && strchr(last, '\n'))
    *strchr(last, '\n') = 0;
  if (!result->n) {
    sg_message(search,
               as_format("no candidate was certified: %llu tested, %llu failed the field "
                         "test, %llu unproved%s%s",
                         (unsigned long long)stats->tested, (unsigned long long)stats->field_failed,
                         (unsigned long long)unproved, last ? ": " : "", last ? last : ""));
  } else if (stats->field_failed + unproved + stats->ill_formed > 0) {
    sg_message(search,
               as_format("of the candidates that the model puts first, %llu were not "
                         "well-formed, %llu failed the field test, %llu were not proved",
                         (unsigned long long)stats->ill_formed,
                         (unsigned long long)stats->field_failed, (unsigned long long)unproved));
  }
  char *limits = as_search_limits_print(stats, false);
  if (!result->n && limits)
    sg_message(search, as_format("limits that struck: %s", limits));
  free(limits);
  free(last);
}

static void search_clear(sg_search *search) {
  for (uint32_t i = 0; i < search->n_schemes; i++) {
    for (uint32_t k = 0; k < search->schemes[i].n; k++)
      free(search->schemes[i].pieces[k].ops);
    free(search->schemes[i].pieces);
  }
  for (uint32_t i = 0; i < search->n_segments; i++) {
    sg_segment_clear(search->segments[i]);
    free(search->segments[i]);
  }
  for (uint32_t i = 0; i < search->n_seen; i++)
    free(search->seen[i]);
  free(search->schemes);
  free(search->segments);
  free(search->seen);
  for (uint32_t i = 0; i < search->n_variants; i++) {
    free(search->variants[i].ops);
    free(search->variants[i].is_late);
    free(search->variants[i].is_border);
    sg_slices_clear(&search->variants[i].slices);
    if (search->variants[i].owned)
      as_graph_free(search->variants[i].owned);
  }
  free(search->variants);
  as_err_clear(&search->err);
}

/* Beside what fails the float test there are cheaper partitions than the one that is certified: a
 * second round looks further, as only those that are cheapest by the model were made. */
static bool wants_wider(const sg_search *search) {
  const as_search_result *result = search->result;
  as_search_limit why;
  return result->n_unsafe > 0 && search->opts.max_partitions < WIDER_PARTITIONS &&
         (result->n == 0 || result->unsafe[0].us < result->cand[0].us) &&
         !as_search_is_late(&search->enumerate_till, &why);
}

static void look_wider(sg_search *first) {
  sg_search search = {.program = first->program,
                      .opts = first->opts,
                      .result = first->result,
                      .best_us = SG_NEVER,
                      .is_wider = true,
                      .start = first->start,
                      .deadline = first->deadline,
                      .enumerate_till = first->enumerate_till,
                      .proof_work = first->proof_work,
                      .seen = first->seen,
                      .n_seen = first->n_seen};
  search.opts.max_partitions = WIDER_PARTITIONS;
  search.opts.reach = WIDER_REACH;
  first->seen = NULL; /* the second round's now */
  first->n_seen = 0;
  as_err_init(&search.err);
  read_program(&search);
  sg_make_schemes(&search);
  sg_certify_schemes(&search);
  search_clear(&search);
}

as_status as_search(const as_graph *program, const as_search_opts *opts, as_search_result *result) {
  sg_search search = {.program = program,
                      .opts = opts ? *opts : as_search_default,
                      .result = result,
                      .best_us = SG_NEVER,
                      .start = as_now()};
  memset(result, 0, sizeof *result);
  if (search.opts.concrete && !has_values(program, result))
    return AS_BAD_INPUT;
  as_err_init(&search.err);
  if (!search.opts.target)
    search.opts.target = as_target_default();
  char *printed = search.opts.given.text ? NULL : as_print_tp_using(program);
  if (printed)
    search.opts.given = (ck_text){"program", printed, strlen(printed)};
  if (!search.opts.keep)
    search.opts.keep = 1;
  if (search.opts.no_prune) /* a plan may take the whole budget */
    search.opts.max_states = search.opts.max_group_states;
  set_deadlines(&search);
  read_program(&search);
  sg_progress(&search, "enumerating", 0);
  sg_make_schemes(&search);
  bool whole = search.opts.shard == 0;
  if (whole) {
    sg_certify_schemes(&search);
    if (wants_wider(&search))
      look_wider(&search);
    say_what_failed(&search);
  }
  if (result->n)
    as_search_select(&result->cand[0], result->cand[0].chosen);
  sg_progress(&search, "done", 1);
  search_clear(&search);
  free(printed);
  return result->n || !whole ? AS_OK : AS_UNKNOWN;
}

void as_search_result_clear(as_search_result *result) {
  for (uint32_t i = 0; i < result->n; i++)
    sg_candidate_clear(&result->cand[i]);
  for (uint32_t i = 0; i < result->n_unsafe; i++)
    sg_candidate_clear(&result->unsafe[i]);
  for (uint32_t i = 0; i < result->n_log; i++)
    free(result->log[i]);
  free(result->cand);
  free(result->unsafe);
  free(result->log);
  free(result->message);
  memset(result, 0, sizeof *result);
}
