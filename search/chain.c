/* The filter chain: each scheme as a muGraph, read back from its own text, with tile sizes that can
 * be lowered, judged.  Best first, until enough are certified. */
#include "driver.h"
#include "src/base/file.h"
#include "src/base/pool.h"
#include "src/base/trace.h"
#include "src/ir/graph_types.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  AT_ONCE = 8,            /* candidates judged at the same time, whatever the number of threads */
  SECONDS_OF_ITS_OWN = 20 /* of a processor */
};

/* A smaller part of what proofs may take is too little to begin with: where two thirds of it have
 * led to none, the candidates that are left have the same kernels but for one. */
enum { LEAST_PART_OF_PROOFS = 3 };

/* Schemes are priced piece by piece, candidates as they are lowered.  Where those that were
 * certified cost so many times more than a scheme that is left, so many more schemes are looked at.
 */
enum { MOST_BESIDE = 32 };

static const double AS_EXPECTED = 1.25;

static const double MOST_BUSY = 2.5; /* of a busy machine no more is asked */

void sg_candidate_clear(as_candidate *candidate) {
  for (uint32_t i = 0; i < candidate->n_tiling; i++) {
    free(candidate->tiling[i].size);
    free(candidate->tiling[i].value);
  }
  free(candidate->tiling);
  free(candidate->text);
  as_routes_clear(&candidate->priced);
  as_verdict_clear(&candidate->verdict);
  as_floats_result_clear(&candidate->floats);
  if (candidate->graph)
    as_graph_free(candidate->graph);
  if (candidate->program) {
    as_sizes *sizes = candidate->program->sizes;
    as_graph_free(candidate->program);
    as_sizes_free(sizes);
  }
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

/* --- one candidate of several that are judged at the same time */
typedef struct {
  as_candidate candidate;
  double until;  /* as_policy */
  char *unfit;   /* why it has no tile sizes, or cannot be lowered; malloc'ed */
  bool left;     /* not judged: a cheaper one is certified, or proofs have taken what they may */
  bool dear;     /* not judged: by the model one that is certified is as cheap */
  bool separate; /* the program's own operators as kernels */
  bool unsafe;   /* not judged: it fails the float test */
  uint64_t proof_work; /* as_policy */
  unsigned threads;    /* as_policy: of one that is judged alone */
} trial;

typedef struct {
  sg_search *search;
  trial *trial;
  double below; /* only what is cheaper is judged */
} trials;

static void note_ill_formed(sg_search *search, const sg_scheme *scheme, const as_err *err) {
  char *why = as_err_format(err);
  sg_note(search,
          as_format("a candidate of %u pieces (%.2f us by the model) is not well-formed: %s",
                    scheme->n, scheme->us, why));
  search->result->stats.ill_formed++;
  free(why);
}

/* The muGraph of a scheme as its text; malloc'ed, NULL where the scheme makes none that can be
 * built, which is noted, or one that was there before. */
static char *text_of_scheme(sg_search *search, const sg_scheme *scheme) {
  as_err err;
  as_err_init(&err);
  char *text = NULL;
  as_graph *built = sg_scheme_build(search, scheme, &err);
  if (built) {
    for (uint32_t i = 0; i < built->n_own_size; i++)
      as_size_set_value(built->sizes, built->own_size[i], -1);
    as_graph_state_types(built);
    text = as_print_mug(built);
    as_graph_free(built);
    if (seen_before(search, text)) {
      search->result->stats.duplicates++;
      free(text);
      text = NULL;
    }
  }
  if (err.status != AS_OK)
    note_ill_formed(search, scheme, &err);
  as_err_clear(&err);
  return text;
}

/* The candidate as its text says, so that what is tiled, tested, proved and lowered is what will be
 * read from the file; with sizes of its own, since others are judged at the same time. */
static bool read_candidate(sg_search *search, const sg_scheme *scheme, as_candidate *out) {
  as_err err;
  as_err_init(&err);
  memset(out, 0, sizeof *out);
  as_verdict_init(&out->verdict);
  char *text = text_of_scheme(search, scheme);
  if (text) {
    out->program = as_graph_copy(search->program);
    out->program->sizes = as_sizes_copy(search->program->sizes);
    out->graph = as_parse_mug("candidate.mug", text, strlen(text), out->program, &err);
    out->us = scheme->us;
    out->risky = scheme->variant->risky;
  }
  if (text && !out->graph) {
    note_ill_formed(search, scheme, &err);
    sg_candidate_clear(out);
  }
  free(text);
  as_err_clear(&err);
  return out->graph != NULL;
}

/* Lowers the candidate at a tiling, and prices it by the ways that it is lowered; false with err.
 */
static bool price_tiling(const as_search_opts *opts, as_candidate *candidate, uint32_t which,
                         as_routes *priced, as_err *err) {
  as_tiling *tiling = &candidate->tiling[which];
  as_routes routes;
  as_search_select(candidate, which);
  if (!opts->lowers(opts->lowers_arg, candidate->graph, &routes, err))
    return false;
  double foreseen = tiling->us;
  tiling->us = as_cost_lowered(candidate->graph, opts->target, &routes, priced, &tiling->shared);
  as_routes_clear(&routes);
  if (tiling->us != foreseen)
    AS_TRACE(SEARCH, "tiling %u: %.2f us as it is lowered, %.2f foreseen", which + 1, tiling->us,
             foreseen);
  return tiling->us >= 0 ||
         as_err_set(err, AS_UNKNOWN, "the cost model has no price for how it is lowered");
}

/* The cheapest tiling as it is lowered, by the order in which they are foreseen: those that are
 * foreseen to take longer than one that is known are not asked about.  false: none lowers; err says
 * why the last one does not. */
static bool choose_lowered(const as_search_opts *opts, as_candidate *candidate, as_err *err) {
  bool found = false;
  for (uint32_t i = 0; i < candidate->n_tiling; i++) {
    as_tiling *tiling = &candidate->tiling[i];
    as_routes priced = {0};
    if (found && tiling->us >= candidate->tiling[candidate->chosen].us)
      break;
    as_err_clear(err);
    if (price_tiling(opts, candidate, i, &priced, err) &&
        (!found || tiling->us < candidate->tiling[candidate->chosen].us)) {
      as_routes_clear(&candidate->priced);
      candidate->priced = priced;
      candidate->chosen = i;
      found = true;
    } else {
      as_routes_clear(&priced);
    }
  }
  as_search_select(candidate, candidate->chosen);
  return found;
}

/* The best tiling that lowers, and the candidate's text with it.  false: none does; *why is
 * malloc'ed. */
static bool choose_tiling(const sg_search *search, as_candidate *candidate, char **why) {
  const as_search_opts *opts = &search->opts;
  as_err err;
  as_err_init(&err);
  candidate->chosen = 0;
  as_search_select(candidate, 0);
  bool lowers =
      opts->lowers == NULL ||
      (candidate->n_tiling ? choose_lowered(opts, candidate, &err)
                           : opts->lowers(opts->lowers_arg, candidate->graph, NULL, &err));
  if (lowers) {
    candidate->text = as_print_mug(candidate->graph);
    AS_TRACE(SEARCH, "to be judged: tiling %u of %u\n%s", candidate->chosen + 1,
             candidate->n_tiling, candidate->text);
  } else {
    *why = as_format("a candidate cannot be lowered at the sizes stated: %s",
                     err.text ? err.text : "no reason given");
    AS_TRACE(SEARCH, "%s", *why);
  }
  as_err_clear(&err);
  return lowers;
}

static bool fits(const trial *tried) {
  return tried->unfit == NULL && tried->candidate.text;
}

/* tile sizes, the best that can be lowered; false: none is to be judged */
static bool tile_candidate(const sg_search *search, trial *tried) {
  const as_search_opts *opts = &search->opts;
  as_candidate *candidate = &tried->candidate;
  char **why = &tried->unfit;
  candidate->tiling = as_tilings(candidate->graph, opts->target, opts->tilings ? opts->tilings : 1,
                                 &candidate->n_tiling, why);
  if (!candidate->n_tiling && search->concrete)
    return false; /* nothing could run it at the sizes asked for */
  free(*why);
  *why = NULL;
  if (!choose_tiling(search, candidate, why))
    return false;
  if (candidate->n_tiling)
    candidate->us = candidate->tiling[candidate->chosen].us;
  candidate->kernels = as_graph_kernels(candidate->graph);
  return true;
}

static void judge_candidate(const sg_search *search, trial *tried) {
  const as_search_opts *opts = &search->opts;
  if (opts->policy == NULL || !fits(tried))
    return;
  tried->unsafe = opts->floats &&
                  !opts->floats(opts->floats_arg, tried->candidate.graph, &tried->candidate.floats);
  if (tried->unsafe) {
    AS_TRACE(SEARCH, "not judged: worse in floats than the program given");
    return;
  }
  as_judged judged = as_search_judged(search->program, &opts->given, &tried->candidate);
  as_policy policy = *opts->policy;
  policy.until = tried->until;
  policy.all_work = tried->proof_work;
  policy.threads = tried->threads;
  as_judge(&judged, &policy, &tried->candidate.verdict);
  AS_TRACE(SEARCH, "judged: %s, %llu work of the prover",
           tried->candidate.verdict.certified ? "certified" : "not certified",
           (unsigned long long)tried->candidate.verdict.proof.work);
}

/* microseconds by which candidates are chosen: of one that is not safe in floats what a safer form
 * may take */
static double weighed(const as_candidate *candidate) {
  return candidate->us * (candidate->risky ? SG_SAFER : 1);
}

static void tile_ith(void *arg, size_t i) {
  const trials *all = arg;
  trial *tried = &all->trial[i];
  bool is_tiled = tile_candidate(all->search, tried);
  tried->dear = is_tiled && weighed(&tried->candidate) >= all->below;
}

static void try_ith(void *arg, size_t i) {
  const trials *all = arg;
  tile_ith(arg, i);
  if (fits(&all->trial[i]) && !all->trial[i].dear)
    judge_candidate(all->search, &all->trial[i]);
}

/* counts what became of a candidate without tile sizes; *unfit: the first such reason */
static void count_unfit(sg_search *search, trial *tried, char **unfit) {
  if (!tried->candidate.n_tiling && search->concrete) {
    search->result->stats.untiled++;
    sg_struck(search, AS_LIMIT_TILES, 1);
  } else {
    search->result->stats.unlowered++;
  }
  if (*unfit == NULL)
    *unfit = tried->unfit;
  else
    free(tried->unfit);
  tried->unfit = NULL;
}

/* whether the verdict is what is wanted; counts it, and notes what a candidate fell over */
static bool is_certified(sg_search *search, const as_candidate *candidate, uint32_t number) {
  as_search_stats *stats = &search->result->stats;
  const as_verdict *verdict = &candidate->verdict;
  stats->tested++;
  if (search->opts.policy == NULL || verdict->certified)
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
  sg_note(search, as_format("%s\n%s", why, candidate->text));
  free(why);
  return false;
}

static int compare_candidates(const void *left, const void *right) {
  double first = weighed(left);
  double second = weighed(right);
  return first < second ? -1 : first > second;
}

/* what the model cannot tell apart: it knows times to some parts in a thousand at most */
static const double ALIKE = 1.003;

/* The candidates, cheapest first by the model; of those that it cannot tell from the cheapest, one
 * with the fewest kernels is put first. */
static void sort_candidates(as_search_result *result) {
  if (result->n == 0)
    return;
  qsort(result->cand, result->n, sizeof *result->cand, compare_candidates);
  uint32_t best = 0;
  double least = weighed(&result->cand[0]);
  for (uint32_t i = 1; i < result->n && weighed(&result->cand[i]) <= ALIKE * least; i++) {
    if (result->cand[i].kernels < result->cand[best].kernels)
      best = i;
  }
  as_candidate first = result->cand[best];
  memmove(result->cand + 1, result->cand, best * sizeof first);
  result->cand[0] = first;
}

static bool is_separate(const sg_scheme *scheme) {
  return scheme->n == 1 && scheme->pieces[0].segment == NULL;
}

/* what proofs may take yet; 0: nothing to speak of */
static uint64_t proof_work_left(const sg_search *search) {
  uint64_t most = search->opts.proof_work;
  uint64_t left = search->proof_work < most ? most - search->proof_work : 0;
  return left < most / LEAST_PART_OF_PROOFS ? 0 : left;
}

/* Whether there is budget for one more, beside so many that are not counted yet.  When it is up and
 * nothing is certified, the program's own operators as kernels are still tried: they are the
 * easiest to prove.  Who interrupts a search wants the best so far: the first few candidates are
 * still tried, until one is certified. */
static bool has_budget(sg_search *search, const sg_scheme *scheme, uint32_t n_trials) {
  as_search_limit why;
  as_search_result *result = search->result;
  uint64_t tested = result->stats.tested + n_trials;
  bool needed = result->n == 0 && is_separate(scheme);
  if (tested >= search->opts.max_tested && !needed) {
    sg_struck(search, AS_LIMIT_TESTED, 1);
    return false;
  }
  if (search->opts.only_first && !needed && proof_work_left(search) == 0) {
    sg_struck(search, AS_LIMIT_PROOFS, 1);
    return false;
  }
  if (!as_search_is_late(&search->deadline, &why))
    return true;
  bool best_so_far = why == AS_LIMIT_INTERRUPT && result->n == 0 && tested < search->opts.keep;
  if (!needed && !best_so_far)
    sg_struck(search, why, 1);
  return needed || best_so_far;
}

/* How much longer than on a machine of its own this process takes, as far as the search has shown
 * it: seconds by the clock over those of a processor. */
static double busyness(const sg_search *search) {
  double used = (double)clock() / CLOCKS_PER_SEC;
  double passed = as_now() - search->start;
  double times = used > 0 ? passed / used : 1;
  return fmin(fmax(times, 1), MOST_BUSY);
}

/* When a candidate's judgement has to end.  The program's own operators as kernels have some time
 * in any case. */
static double time_for(const sg_search *search, const sg_scheme *scheme) {
  double until = search->deadline.until;
  double least = as_now() + SECONDS_OF_ITS_OWN * busyness(search);
  return until > 0 && is_separate(scheme) && until < least ? least : until;
}

/* keeps a candidate that fails the float test, for who asks why it is not chosen */
static void take_unsafe(sg_search *search, trial *tried, uint32_t number) {
  as_search_result *result = search->result;
  char *why = as_floats_print(&tried->candidate.floats);
  sg_note(search, as_format("candidate %u is worse in floats than the program given: %s\n%s",
                            number, why, tried->candidate.text));
  free(why);
  result->stats.unsafe++;
  result->unsafe = as_realloc(result->unsafe, (result->n_unsafe + 1) * sizeof *result->unsafe);
  result->unsafe[result->n_unsafe++] = tried->candidate;
}

static void take(sg_search *search, trial *tried, uint32_t number, char **unfit) {
  as_search_result *result = search->result;
  if (tried->left || tried->dear) {
    sg_candidate_clear(&tried->candidate);
    return;
  }
  if (tried->unsafe) {
    take_unsafe(search, tried, number);
    return;
  }
  if (!fits(tried))
    count_unfit(search, tried, unfit);
  if (!fits(tried) || !is_certified(search, &tried->candidate, number)) {
    sg_candidate_clear(&tried->candidate);
    return;
  }
  result->stats.certified++;
  result->cand = as_realloc(result->cand, (result->n + 1) * sizeof *result->cand);
  result->cand[result->n++] = tried->candidate;
}

static bool is_open(const sg_search *search, const trial *tried) {
  return tried->left && (tried->separate || proof_work_left(search) > 0);
}

/* Of those that are not judged yet the one that would be first, as sort_candidates has them; n:
 * there is none. */
static uint32_t first_of(const sg_search *search, const trial *tried, uint32_t n) {
  uint32_t first = n;
  double least = SG_NEVER;
  for (uint32_t i = 0; i < n; i++)
    least = is_open(search, &tried[i]) ? fmin(least, weighed(&tried[i].candidate)) : least;
  for (uint32_t i = 0; i < n; i++) {
    const as_candidate *candidate = &tried[i].candidate;
    if (!is_open(search, &tried[i]) || weighed(candidate) > ALIKE * least)
      continue;
    if (first == n || candidate->kernels < tried[first].candidate.kernels ||
        (candidate->kernels == tried[first].candidate.kernels &&
         weighed(candidate) < weighed(&tried[first].candidate)))
      first = i;
  }
  return first;
}

/* Judges one after the other, the one that would be chosen first, until one is certified.  What
 * proofs that are not found may take is one amount for all of them. */
static void judge_first(trials *all, uint32_t n) {
  sg_search *search = all->search;
  as_parallel(search->opts.threads, n, tile_ith, all);
  for (uint32_t i = 0; i < n; i++)
    all->trial[i].left = fits(&all->trial[i]) && !all->trial[i].dear;
  for (uint32_t i; (i = first_of(search, all->trial, n)) < n;) {
    trial *tried = &all->trial[i];
    tried->left = false;
    tried->proof_work = tried->separate ? 0 : proof_work_left(search);
    tried->threads = search->opts.threads;
    judge_candidate(search, tried);
    if (tried->candidate.verdict.certified)
      return;
    search->proof_work += tried->candidate.verdict.proof.work;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (all->trial[i].left)
      sg_struck(search, AS_LIMIT_PROOFS, 1);
  }
}

/* Judges the schemes of these numbers at the same time, and takes what is certified in their
 * order, so that the number of threads makes no difference. */
static void certify_schemes(sg_search *search, const uint32_t *number, uint32_t n, double below,
                            char **unfit) {
  trials all = {search, as_calloc(n + 1, sizeof *all.trial), below};
  uint32_t *of = as_calloc(n + 1, sizeof *of);
  uint32_t n_trials = 0;
  for (uint32_t i = 0; i < n; i++) {
    const sg_scheme *scheme = &search->schemes[number[i]];
    trial *next = &all.trial[n_trials];
    if (!has_budget(search, scheme, n_trials) || !read_candidate(search, scheme, &next->candidate))
      continue;
    next->until = time_for(search, scheme);
    next->separate = is_separate(scheme);
    of[n_trials++] = number[i];
  }
  sg_progress(search, "certifying", (double)search->result->n / search->opts.keep);
  if (search->opts.only_first && search->opts.policy)
    judge_first(&all, n_trials);
  else
    as_parallel(search->opts.threads, n_trials, try_ith, &all);
  for (uint32_t i = 0; i < n_trials; i++)
    take(search, &all.trial[i], of[i], unfit);
  free(of);
  free(all.trial);
}

static bool has_one_kernel(const as_search_result *result) {
  for (uint32_t i = 0; i < result->n; i++) {
    if (result->cand[i].kernels == 1)
      return true;
  }
  return false;
}

/* as many as are wanted beside the `before` that there were, or one where that is enough */
static bool has_enough(const sg_search *search, uint32_t before) {
  uint32_t n = search->result->n - before;
  return n >= search->opts.keep || (search->opts.only_first && n > 0);
}

/* a second round is about what is cheaper than the cheapest that there was */
static bool matters(const sg_search *search, uint32_t before, const sg_scheme *scheme) {
  return !search->is_wider || before == 0 || scheme->us < search->result->cand[0].us;
}

/* microseconds of the cheapest that is certified */
static double cheapest(const as_search_result *result) {
  double least = SG_NEVER;
  for (uint32_t i = 0; i < result->n; i++)
    least = fmin(least, weighed(&result->cand[i]));
  return least;
}

/* Whether there may be something cheaper among the schemes from this one on, as what is certified
 * costs more than its scheme did. */
static bool looks_cheaper(const sg_search *search, const sg_scheme *scheme) {
  return cheapest(search->result) > AS_EXPECTED * scheme->us;
}

void sg_certify_schemes(sg_search *search) {
  as_search_result *result = search->result;
  uint32_t *number = as_malloc((search->n_schemes + 1) * sizeof *number);
  char *unfit = NULL;
  uint32_t next = 0;
  uint32_t beside_them = 0;
  const uint32_t before = result->n;
  while (next < search->n_schemes && matters(search, before, &search->schemes[next])) {
    bool enough = has_enough(search, before);
    if (enough && (beside_them >= MOST_BESIDE || !looks_cheaper(search, &search->schemes[next])))
      break;
    /* as many as are wanted yet, which would be tried one after the other as well; a few at a time,
     * since time that is up is only seen between */
    uint32_t n = 0;
    uint32_t wanted = enough ? AT_ONCE : search->opts.keep - (result->n - before);
    while (next < search->n_schemes && n < wanted && n < AT_ONCE)
      number[n++] = next++;
    certify_schemes(search, number, n, enough ? cheapest(result) : INFINITY, &unfit);
    beside_them += enough ? n : 0;
  }
  /* beside the cheapest by the model, which is only a model: one kernel for everything */
  bool beside = result->n > 0 && !search->opts.only_first && !search->is_wider;
  for (; next < search->n_schemes && beside && !has_one_kernel(result); next++) {
    const sg_scheme *scheme = &search->schemes[next];
    const sg_piece *piece = &scheme->pieces[0];
    const sg_rank *rank = piece->segment ? &piece->segment->rank[piece->rank] : NULL;
    if (scheme->n == 1 && rank && !rank->split && !rank->joined)
      certify_schemes(search, &next, 1, INFINITY, &unfit);
  }
  /* with nothing certified, the program's own operators: the easiest to prove */
  for (next = 0; next < search->n_schemes && result->n == 0; next++) {
    if (is_separate(&search->schemes[next]))
      certify_schemes(search, &next, 1, INFINITY, &unfit);
  }
  sort_candidates(result);
  if (result->n_unsafe)
    qsort(result->unsafe, result->n_unsafe, sizeof *result->unsafe, compare_candidates);
  if (unfit)
    sg_message(search, unfit);
  free(number);
}

/* does a candidate of the result have this text at its sizes? */
static bool is_known(const as_search_result *result, const char *text) {
  for (uint32_t i = 0; i < result->n; i++) {
    if (strcmp(result->cand[i].text, text) == 0)
      return true;
  }
  return false;
}

as_offered as_search_offer(const as_graph *program, const as_search_opts *opts, const char *text,
                           as_search_result *result) {
  sg_search search = {.program = program,
                      .opts = *opts,
                      .result = result,
                      .concrete = true,
                      .start = as_now() - result->stats.seconds};
  trial tried = {.unfit = NULL};
  as_candidate *candidate = &tried.candidate;
  char *unfit = NULL;
  uint32_t before = result->n;
  as_offered became = AS_OFFERED_UNFIT;
  as_err err;
  as_err_init(&err);
  as_verdict_init(&candidate->verdict);
  if (search.opts.target == NULL)
    search.opts.target = as_target_default();
  candidate->program = as_graph_copy(program);
  candidate->program->sizes = as_sizes_copy(program->sizes);
  candidate->graph = as_parse_mug("candidate.mug", text, strlen(text), candidate->program, &err);
  bool usable = candidate->graph && tile_candidate(&search, &tried);
  if (!usable)
    AS_TRACE(SEARCH, "offered, and not taken: %s", err.text ? err.text : tried.unfit);
  as_err_clear(&err);
  if (usable && result->n && candidate->us >= result->cand[0].us) {
    became = AS_OFFERED_DEAR;
    sg_candidate_clear(candidate);
  } else if (usable && candidate->text && !is_known(result, candidate->text)) {
    judge_candidate(&search, &tried);
    take(&search, &tried, result->n, &unfit);
    sort_candidates(result);
    became = tried.unsafe         ? AS_OFFERED_UNSAFE
             : result->n > before ? AS_OFFERED_TAKEN
                                  : AS_OFFERED_UNPROVED;
  } else {
    sg_candidate_clear(candidate);
  }
  free(tried.unfit);
  free(unfit);
  return became;
}
