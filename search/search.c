/* The driver: the whole program as one kernel first; where that is impossible or dearer, a
 * partition into consecutive kernels by dynamic programming over the cost model; the program's own
 * operators as kernels last.  Then the filter chain, best first. */
#include "search.h"
#include "segment.h"
#include "src/base/trace.h"
#include <stdlib.h>
#include <string.h>

const as_search_opts as_search_default = {.threads = 0,
                                          .seed = 1,
                                          .keep = 3,
                                          .tilings = 8,
                                          .max_values = 1500,
                                          .max_tested = 24,
                                          .max_part = 24,
                                          .max_states = 800000,
                                          .max_seconds = 0,
                                          .policy = &as_search_policy};

typedef struct {
  uint32_t first;
  uint32_t n;
  sg_segment *segment;
  uint32_t rank;
} piece; /* seg NULL: predefined operators */

typedef struct {
  piece *pieces;
  uint32_t n;
  double us;
} scheme;

typedef struct {
  const as_graph *program;
  as_search_opts opts;
  as_search_result *result;
  uint32_t *ops;
  uint32_t n_op;
  uint32_t *last_use;
  sg_segment **segment;
  uint32_t n_seg;
  scheme *scheme;
  uint32_t n_scheme;
  char **seen;
  uint32_t n_seen;
  double start;
  as_err err;
  bool concrete; /* the program states all its sizes */
} search_state;

static void report_progress(search_state *search, const char *stage, double done) {
  search->result->stats.seconds = as_now() - search->start;
  if (search->opts.progress)
    search->opts.progress(search->opts.progress_arg, stage, &search->result->stats, done);
}

static void add_message(search_state *search, char *text) {
  AS_TRACE(SEARCH, "%s", text);
  if (!search->result->message) {
    search->result->message = text;
  } else {
    char *both = as_format("%s; %s", search->result->message, text);
    free(search->result->message);
    free(text);
    search->result->message = both;
  }
}

static void note_failure(search_state *search, char *text) {
  AS_TRACE(SEARCH, "%s", text);
  search->result->log =
      as_realloc(search->result->log, (search->result->n_log + 1) * sizeof *search->result->log);
  search->result->log[search->result->n_log++] = text;
}

static bool out_of_time(search_state *search) {
  return search->opts.max_seconds > 0 && as_now() - search->start > search->opts.max_seconds;
}

/* --- building a muGraph from a scheme */
static bool add_predefined(const search_state *search, as_graph *graph, uint32_t id,
                           as_node_id *node, as_err *err) {
  const as_node *applied = &search->program->node[id];
  as_node_id arg[AS_MAX_ARGS];
  for (uint32_t j = 0; j < applied->nargs; j++) {
    const as_node *arg_node = &search->program->node[applied->arg[j]];
    arg[j] = arg_node->kind == AS_N_CONST ? as_graph_const(graph, arg_node->value)
                                          : node[applied->arg[j]];
  }
  node[id] = as_graph_op(graph, AS_NONE, applied->name, applied->op, arg, applied->nargs,
                         applied->attr, err);
  return node[id] != AS_NONE;
}

static as_graph *build_graph(search_state *search, const scheme *from, as_err *err) {
  as_graph *graph = as_graph_new(search->program->sizes, search->program->lib, search->program,
                                 search->program->name);
  as_node_id *node = as_malloc((search->program->n + 1) * sizeof *node);
  bool built = true;
  for (uint32_t i = 0; i < search->program->n; i++)
    node[i] = AS_NONE;
  for (uint32_t i = 0; i < search->program->n_input; i++)
    node[search->program->input[i]] = graph->input[i];
  for (uint32_t i = 0; i < from->n && built; i++) {
    const piece *piece_now = &from->pieces[i];
    if (piece_now->segment) {
      built = sg_segment_build(piece_now->segment, piece_now->rank, graph, node, err);
    } else {
      for (uint32_t k = 0; k < piece_now->n && built; k++)
        built = add_predefined(search, graph, search->ops[piece_now->first + k], node, err);
    }
  }
  for (uint32_t i = 0; i < search->program->n_output && built; i++)
    built = as_graph_output(graph, node[search->program->output[i]], err);
  built = built && as_graph_valid(graph, err);
  free(node);
  if (!built) {
    as_graph_free(graph);
    return NULL;
  }
  return graph;
}

static scheme *add_scheme(search_state *search, uint32_t n) {
  search->scheme = as_realloc(search->scheme, (search->n_scheme + 1) * sizeof *search->scheme);
  scheme *added = &search->scheme[search->n_scheme++];
  added->n = n;
  added->us = 0;
  added->pieces = as_calloc(n + 1, sizeof *added->pieces);
  return added;
}

static sg_segment *new_segment(search_state *search, uint32_t first, uint32_t n) {
  sg_segment *segment = as_calloc(1, sizeof *segment);
  as_err why;
  as_err_init(&why);
  sg_segment_init(segment, search->program, search->ops + first, n, search->last_use, &search->opts,
                  &search->result->stats, &why);
  if (why.status == AS_INTERNAL) {
    char *text = as_err_format(&why);
    note_failure(search, as_format("operators %u to %u: %s", first, first + n - 1, text));
    free(text);
  }
  AS_TRACE(SEARCH, "operators %u to %u in one kernel: %u muGraphs, the best %.4g us", first,
           first + n - 1, segment->n_rank, segment->n_rank ? segment->rank[0].us : -1.0);
  as_err_clear(&why);
  return segment;
}

static sg_segment *keep_segment(search_state *search, sg_segment *segment) {
  search->segment = as_realloc(search->segment, (search->n_seg + 1) * sizeof *search->segment);
  search->segment[search->n_seg++] = segment;
  return segment;
}

static void drop_segment(sg_segment *segment) {
  sg_segment_clear(segment);
  free(segment);
}

/* --- schemes */
static double whole_program(search_state *search) {
  if (search->n_op > search->opts.max_part || !search->n_op)
    return -1;
  sg_segment *segment = keep_segment(search, new_segment(search, 0, search->n_op));
  for (uint32_t i = 0; i < segment->n_rank && i < 64; i++) {
    scheme *added = add_scheme(search, 1);
    added->pieces[0] = (piece){0, search->n_op, segment, i};
    added->us = segment->rank[i].us;
  }
  return segment->n_rank ? segment->rank[0].us : -1;
}

static double separate(search_state *search) {
  scheme *added = add_scheme(search, 1);
  added->pieces[0] = (piece){0, search->n_op, NULL, 0};
  as_graph *graph = build_graph(search, added, &search->err);
  if (!graph)
    return -1;
  double shared;
  uint32_t place = search->n_scheme - 1;
  search->scheme[place].us = search->concrete ? as_cost(graph, search->opts.target, &shared)
                                              : 1e10; /* no sizes to go by: fewer kernels first */
  as_graph_free(graph);
  return search->scheme[place].us;
}

/* least total cost over partitions into consecutive pieces; pieces of one operator are predefined
 * kernels */
static void partition(search_state *search) {
  uint32_t n_ops = search->n_op;
  uint32_t width = n_ops ? 600 / n_ops : 0;
  uint32_t *from = as_calloc(n_ops + 1, sizeof *from);
  double *best = as_malloc((n_ops + 1) * sizeof *best);
  if (width > search->opts.max_part)
    width = search->opts.max_part;
  if (width > 12)
    width = 12;
  best[0] = 0;
  for (uint32_t end = 1; end <= n_ops; end++) {
    best[end] = 1e300;
    for (uint32_t length = 1; length <= end && length <= (width < 1 ? 1 : width); length++) {
      double us = 0;
      if (length == 1) {
        us = as_cost_operator(search->program, search->ops[end - 1], search->opts.target);
      } else if (length == n_ops || out_of_time(search)) {
        continue; /* the whole program was tried before */
      } else {
        sg_segment *segment = new_segment(search, end - length, length);
        us = segment->n_rank ? segment->rank[0].us : 1e300;
        drop_segment(segment);
        report_progress(search, "partitioning", (double)end / n_ops);
      }
      if (best[end - length] + us < best[end]) {
        best[end] = best[end - length] + us;
        from[end] = end - length;
      }
    }
  }
  uint32_t n_pieces = 0;
  for (uint32_t end = n_ops; end > 0; end = from[end])
    n_pieces++;
  AS_TRACE(SEARCH, "the best partition: %u kernels, %.4g us", n_pieces, best[n_ops]);
  if (n_pieces < n_ops) {
    scheme *added = add_scheme(search, n_pieces);
    added->us = best[n_ops];
    for (uint32_t end = n_ops; end > 0; end = from[end]) {
      piece *piece_now = &added->pieces[--n_pieces];
      *piece_now = (piece){from[end], end - from[end], NULL, 0};
      if (piece_now->n > 1)
        piece_now->segment =
            keep_segment(search, new_segment(search, piece_now->first, piece_now->n));
    }
  }
  free(best);
  free(from);
}

static int compare_schemes(const void *left, const void *right) {
  const scheme *first = left;
  const scheme *second = right;
  if (first->us != second->us)
    return first->us < second->us ? -1 : 1;
  if (first->n != second->n)
    return first->n < second->n ? -1 : 1;
  uint32_t first_rank = first->n && first->pieces[0].segment ? first->pieces[0].rank : AS_NONE;
  uint32_t second_rank = second->n && second->pieces[0].segment ? second->pieces[0].rank : AS_NONE;
  return first_rank < second_rank ? -1 : first_rank > second_rank;
}

/* --- the filter chain */
static void candidate_clear(as_candidate *candidate) {
  for (uint32_t i = 0; i < candidate->n_tiling; i++) {
    free(candidate->tiling[i].size);
    free(candidate->tiling[i].value);
  }
  free(candidate->tiling);
  free(candidate->text);
  as_verdict_clear(&candidate->verdict);
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

static bool seen_before(search_state *search, const char *text) {
  for (uint32_t i = 0; i < search->n_seen; i++) {
    if (!strcmp(search->seen[i], text))
      return true;
  }
  search->seen = as_realloc(search->seen, (search->n_seen + 1) * sizeof *search->seen);
  search->seen[search->n_seen++] = as_strdup(text);
  return false;
}

/* what a candidate fell over, for the log; malloc'ed */
static char *why_not(const as_verdict *verdict, uint32_t number, bool tested) {
  const as_proof_result *proof = &verdict->proof;
  if (!tested)
    return as_format("candidate %u failed the field test: %s", number,
                     verdict->field_words ? verdict->field_words : "no reason given");
  if (verdict->answer != AS_ANSWER_UNREADABLE && proof->verdict != AS_PROVED)
    return as_format("candidate %u was not proved: goal %s: %s\n  left:  %s\n  right: %s", number,
                     proof->goal ? proof->goal : "?",
                     proof->reason ? proof->reason : "no proof found",
                     proof->left ? proof->left : "-", proof->right ? proof->right : "-");
  return as_format("candidate %u was not proved: %s", number,
                   verdict->why ? verdict->why : "no reason given");
}

static bool is_certified(search_state *search, as_candidate *candidate, uint32_t number) {
  as_search_stats *stats = &search->result->stats;
  stats->tested++;
  if (search->opts.policy == NULL)
    return true;
  report_progress(search, "proving", (double)search->result->n / search->opts.keep);
  as_verdict *verdict = &candidate->verdict;
  as_judged judged = as_search_judged(search->program, &search->opts.given, candidate);
  as_judge(&judged, search->opts.policy, verdict);
  if (verdict->certified)
    return true;
  bool readable = verdict->answer != AS_ANSWER_UNREADABLE;
  bool tested = !readable || verdict->proof.goals > 0; /* the prover was reached */
  if (!tested)
    stats->field_failed++;
  else if (readable && verdict->proof.verdict == AS_PROVED)
    stats->replay_failed++;
  else
    stats->unproved++;
  char *why = why_not(verdict, number, tested);
  note_failure(search, as_format("%s\n%s", why, candidate->text));
  free(why);
  return false;
}

/* gives the candidate's graph and tilings; false: a duplicate or not well-formed */
static bool make_candidate(search_state *search, const scheme *from, as_candidate *out,
                           char **why) {
  as_err err;
  memset(out, 0, sizeof *out);
  as_verdict_init(&out->verdict);
  as_err_init(&err);
  out->graph = build_graph(search, from, &err);
  if (!out->graph) {
    char *text = as_err_format(&err);
    note_failure(search, as_format("a candidate is not well-formed: %s", text));
    free(text);
    as_err_clear(&err);
    return false;
  }
  as_err_clear(&err);
  char *shown = NULL;
  as_search_select(out, AS_NONE);
  shown = as_print_mug(out->graph);
  bool twice = seen_before(search, shown);
  free(shown);
  if (twice) {
    search->result->stats.duplicates++;
    AS_TRACE(SEARCH, "a muGraph of %.4g us is one that was judged before", from->us);
    candidate_clear(out);
    return false;
  }
  out->tiling = as_tilings(out->graph, search->opts.target,
                           search->opts.tilings ? search->opts.tilings : 1, &out->n_tiling, why);
  out->us = out->n_tiling ? out->tiling[0].us : from->us;
  out->kernels = as_graph_kernels(out->graph);
  return true;
}

/* The best tiling that lowers, and the candidate's text with it.  false: none does; *why is
 * malloc'ed. */
static bool choose_tiling(const search_state *search, as_candidate *candidate, char **why) {
  const as_search_opts *opts = &search->opts;
  as_err err;
  as_err_init(&err);
  bool lowers = false;
  candidate->chosen = 0;
  do {
    as_err_clear(&err);
    as_search_select(candidate, candidate->chosen);
    lowers = opts->lowers == NULL || opts->lowers(opts->lowers_arg, candidate->graph, &err);
  } while (!lowers && ++candidate->chosen < candidate->n_tiling);
  if (lowers) {
    candidate->text = as_print_mug(candidate->graph);
    AS_TRACE(SEARCH, "to be judged: %u kernels, %.4g us, tiling %u of %u\n%s", candidate->kernels,
             candidate->us, candidate->chosen + 1, candidate->n_tiling, candidate->text);
  }
  free(*why);
  *why = lowers ? NULL : as_err_format(&err);
  as_err_clear(&err);
  return lowers;
}

static void filter_candidates(search_state *search) {
  char *untiled = NULL;
  char *unlowered = NULL;
  bool late = false;
  for (uint32_t i = 0; i < search->n_scheme && search->result->n < search->opts.keep &&
                       search->result->stats.tested < search->opts.max_tested && !late;
       i++) {
    as_candidate candidate;
    char *why = NULL;
    if (!make_candidate(search, &search->scheme[i], &candidate, &why)) {
      free(why);
      continue;
    }
    if (!candidate.n_tiling && search->concrete) { /* nothing could run it at the sizes asked for */
      search->result->stats.untiled++;
      AS_TRACE(SEARCH, "a muGraph of %.4g us has no tiling: %s", candidate.us,
               why ? why : "none fits");
      if (why && !untiled) {
        untiled = why;
        why = NULL;
      }
      candidate_clear(&candidate);
      free(why);
      continue;
    }
    if (!choose_tiling(search, &candidate, &why)) {
      search->result->stats.unlowered++;
      AS_TRACE(SEARCH, "a muGraph of %.4g us cannot be lowered: %s", candidate.us, why);
      if (!unlowered)
        unlowered = as_format("a candidate cannot be lowered at the sizes stated: %s", why);
      candidate_clear(&candidate);
      free(why);
      continue;
    }
    report_progress(search, "testing", (double)search->result->n / search->opts.keep);
    if (is_certified(search, &candidate, i)) {
      search->result->stats.certified++;
      search->result->cand =
          as_realloc(search->result->cand, (search->result->n + 1) * sizeof *search->result->cand);
      search->result->cand[search->result->n++] = candidate;
    } else {
      candidate_clear(&candidate);
    }
    free(why);
    late = out_of_time(search);
  }
  if (late) {
    add_message(search, as_format("the time limit of %g s struck: results depend on the machine",
                                  search->opts.max_seconds));
  }
  if (untiled)
    add_message(search, untiled);
  if (unlowered)
    add_message(search, unlowered);
}

static void collect_operators(search_state *search) {
  search->ops = as_malloc((search->program->n + 1) * sizeof *search->ops);
  for (uint32_t i = 0; i < search->program->n; i++) {
    if (search->program->node[i].kind == AS_N_OP && search->program->node[i].block == AS_NONE)
      search->ops[search->n_op++] = i;
  }
  search->last_use = sg_last_use(search->program);
  search->concrete = true;
  for (uint32_t i = 0; i < search->program->n_own_size; i++)
    search->concrete &= as_size_value(search->program->sizes, search->program->own_size[i]) >= 0;
}

/* all specifications are given as texts, so the lines that name files are left out */
static char *print_without_use(const as_graph *program) {
  char *text = as_print_tp(program);
  while (strncmp(text, "use ", strlen("use ")) == 0) {
    const char *rest = text + strcspn(text, "\n");
    rest += *rest == '\n';
    memmove(text, rest, strlen(rest) + 1);
  }
  return text;
}

as_status as_search(const as_graph *program, const as_search_opts *opts, as_search_result *result) {
  search_state search = {.program = program,
                         .opts = opts ? *opts : as_search_default,
                         .result = result,
                         .start = as_now()};
  memset(result, 0, sizeof *result);
  as_err_init(&search.err);
  if (!search.opts.target)
    search.opts.target = as_target_default();
  char *printed = search.opts.given.text ? NULL : print_without_use(program);
  if (printed)
    search.opts.given = (ck_text){"program", printed, strlen(printed)};
  if (!search.opts.keep)
    search.opts.keep = 1;
  collect_operators(&search);
  report_progress(&search, "enumerating", 0);
  double one = whole_program(&search);
  double apart = separate(&search);
  if (search.n_op > 2 && search.n_op <= 300 && (one < 0 || one > apart))
    partition(&search);
  if (search.n_op > 300) {
    add_message(
        &search,
        as_format(
            "%u operators: too many to partition within the budget; each is a kernel of its own",
            search.n_op));
  }
  qsort(search.scheme, search.n_scheme, sizeof *search.scheme, compare_schemes);
  filter_candidates(&search);
  if (!result->n) {
    char *last = search.err.status != AS_OK ? as_err_format(&search.err)
                 : result->n_log            ? as_strdup(result->log[result->n_log - 1])
                                            : NULL;
    if (last && strchr(last, '\n'))
      *strchr(last, '\n') = 0;
    add_message(
        &search,
        as_format("no candidate was certified: %llu tested, %llu failed the field test, "
                  "%llu unproved%s%s",
                  (unsigned long long)result->stats.tested,
                  (unsigned long long)result->stats.field_failed,
                  (unsigned long long)(result->stats.unproved + result->stats.replay_failed),
                  last ? ": " : "", last ? last : ""));
    free(last);
  } else {
    as_search_select(&result->cand[0], result->cand[0].chosen);
  }
  report_progress(&search, "done", 1);
  for (uint32_t i = 0; i < search.n_scheme; i++)
    free(search.scheme[i].pieces);
  for (uint32_t i = 0; i < search.n_seg; i++)
    drop_segment(search.segment[i]);
  for (uint32_t i = 0; i < search.n_seen; i++)
    free(search.seen[i]);
  free(search.scheme);
  free(search.segment);
  free(search.seen);
  free(search.ops);
  free(search.last_use);
  free(printed);
  as_err_clear(&search.err);
  return result->n ? AS_OK : AS_UNKNOWN;
}

void as_search_result_clear(as_search_result *result) {
  for (uint32_t i = 0; i < result->n; i++)
    candidate_clear(&result->cand[i]);
  for (uint32_t i = 0; i < result->n_log; i++)
    free(result->log[i]);
  free(result->cand);
  free(result->log);
  free(result->message);
  memset(result, 0, sizeof *result);
}
