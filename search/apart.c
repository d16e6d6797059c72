/* Whether the prover can do a kernel, asked of the operators that it is for as a program of their
 * own: a long program is proved stretch by stretch, and one kernel that is beyond the prover would
 * cost all of it.  Nothing rests on the answer, so that nothing is replayed: what is certified is
 * the whole program. */
#include "driver.h"
#include "src/base/pool.h"
#include "src/base/stats.h"
#include "src/base/trace.h"
#include <stdlib.h>
#include <string.h>

/* What the proof of a group's best graph may take, tried in other ways included: of those that are
 * found the longest takes half of it.  Of a group whose best graph was beyond it the next one has
 * half as much, and so on: they are much alike. */
enum { MOST_STEPS_APART = 15000, MOST_WORK_APART = 16000000, MOST_HALVES = 4 };

/* the best graph of a segment, as texts; owned */
typedef struct {
  const as_oplib *lib;
  sg_segment *segment;
  char *given;
  char *candidate; /* NULL: it cannot be built */
  char *why;       /* it was not proved; NULL: it was */
} question;

static question question_of(const sg_search *search, sg_segment *segment) {
  question asked = {.lib = search->program->lib, .segment = segment};
  as_err err;
  as_err_init(&err);
  as_graph *graph = sg_segment_alone(segment, 0, &err);
  asked.given = as_print_tp_using(segment->sub);
  if (graph) {
    asked.candidate = as_print_mug(graph);
    as_graph_free(graph);
  }
  as_err_clear(&err);
  return asked;
}

static void question_clear(question *asked) {
  free(asked->given);
  free(asked->candidate);
  free(asked->why);
}

static void prove(question *asked) {
  const as_judged judged = {
      .lib = asked->lib,
      .given = {"segment.tp", asked->given, strlen(asked->given)},
      .candidate = {"kernel.mug", asked->candidate, strlen(asked->candidate)}};
  uint32_t again =
      asked->segment->n_unproved < MOST_HALVES ? asked->segment->n_unproved : MOST_HALVES;
  const as_prove_opts limits = {.max_steps = MOST_STEPS_APART,
                                .all_work = MOST_WORK_APART >> again};
  as_verdict verdict;
  as_verdict_init(&verdict);
  if (as_judge_read(&judged, &verdict))
    as_prove_claim(verdict.terms, verdict.claim, &limits, &verdict.proof);
  const as_proof_result *proof = &verdict.proof;
  as_stats_add(AS_STAT_KERNELS_APART, 1);
  if (!verdict.claim || proof->verdict != AS_PROVED)
    asked->why = as_strdup(proof->reason ? proof->reason
                           : verdict.why ? verdict.why
                                         : "no reason given");
  AS_TRACE(SEARCH, "a kernel apart: %s, %llu work", asked->why ? "not proved" : "proved",
           (unsigned long long)proof->work);
  as_verdict_clear(&verdict);
}

static void prove_ith(void *arg, size_t i) {
  question *asked = (question *)arg + i;
  if (asked->candidate)
    prove(asked);
  else
    asked->why = as_strdup("its graph cannot be built");
}

/* whether one of those has the same best graph */
static bool is_asked(const question *asked, uint32_t n, const sg_segment *segment) {
  bool found = false;
  for (uint32_t i = 0; i < n && !found; i++)
    found = sg_segment_same_best(asked[i].segment, segment);
  return found;
}

/* takes over what became of a question */
static void take(sg_search *search, question *asked) {
  asked->segment->n_unproved += asked->why != NULL;
  if (asked->why == NULL)
    sg_segment_proved(asked->segment);
  else
    sg_note(search, as_format("a kernel was not proved apart: %s\n%s%s", asked->why, asked->given,
                              asked->candidate ? asked->candidate : ""));
  question_clear(asked);
}

void sg_prove_apart(sg_search *search, sg_segment *const *segment, uint32_t n, bool *proved) {
  question *asked = as_calloc(n + 1, sizeof *asked);
  uint32_t n_asked = 0;
  for (uint32_t i = 0; i < n; i++) {
    bool known = search->opts.policy == NULL || sg_segment_is_proved(segment[i]);
    if (!known && !is_asked(asked, n_asked, segment[i]))
      asked[n_asked++] = question_of(search, segment[i]);
  }
  as_parallel(search->opts.threads, n_asked, prove_ith, asked);
  for (uint32_t i = 0; i < n_asked; i++)
    take(search, &asked[i]);
  for (uint32_t i = 0; i < n; i++)
    proved[i] = search->opts.policy == NULL || sg_segment_is_proved(segment[i]);
  free(asked);
}
