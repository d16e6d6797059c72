/* Whether the prover can do a kernel, asked of the operators that it is for as a program of their
 * own: a long program is proved stretch by stretch, and one kernel that is beyond the prover would
 * cost all of it.  Nothing rests on the answer: what is certified is the whole program. */
#include "driver.h"
#include "src/base/stats.h"
#include <stdlib.h>
#include <string.h>

/* a quarter of what the proof of the whole program may take, the second time that it is tried in
 * another way included: what is proved takes two thirds of it at most */
enum { MOST_STEPS_APART = 15000, MOST_WORK_APART = 48000000 };

static bool judge_alone(sg_search *search, const sg_segment *segment, const as_graph *graph) {
  const as_policy proof_only = {.stop_early = true,
                                .seed = search->opts.seed,
                                .max_steps = MOST_STEPS_APART,
                                .all_work = MOST_WORK_APART};
  char *given = as_print_tp_alone(segment->sub);
  char *candidate = as_print_mug(graph);
  as_judged judged = {.lib = search->program->lib,
                      .given = {"segment.tp", given, strlen(given)},
                      .candidate = {"kernel.mug", candidate, strlen(candidate)}};
  as_verdict verdict;
  as_verdict_init(&verdict);
  as_judge(&judged, &proof_only, &verdict);
  as_stats_add(AS_STAT_KERNELS_APART, 1);
  bool certified = verdict.certified;
  if (!certified) {
    sg_note(search, as_format("a kernel was not proved apart: %s\n%s%s",
                              verdict.proof.reason ? verdict.proof.reason
                              : verdict.why        ? verdict.why
                                                   : "no reason given",
                              given, candidate));
  }
  as_verdict_clear(&verdict);
  free(candidate);
  free(given);
  return certified;
}

bool sg_is_proved_apart(sg_search *search, sg_segment *segment) {
  bool proved = false;
  as_err err;
  if (search->opts.policy == NULL || sg_segment_is_proved(segment))
    return true;
  as_err_init(&err);
  as_graph *graph = sg_segment_alone(segment, 0, &err);
  if (graph) {
    proved = judge_alone(search, segment, graph);
    as_graph_free(graph);
  }
  as_err_clear(&err);
  if (proved)
    sg_segment_proved(segment);
  return proved;
}
