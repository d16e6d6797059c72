/* What `assay optimize` chooses: of the certified candidates, muGraphs and what saturation found,
 * the cheapest that solvers have nothing against and that can be lowered.  May include: search,
 * lower, kernels, floats, check, report, verify/judge, target, base. */
#ifndef AS_OPTIMIZE_CHOICE_H
#define AS_OPTIMIZE_CHOICE_H
#include "saturated.h"
#include "src/floats/guard.h"
#include "src/lower/lower.h"
#include "src/report/judged.h"

typedef struct {
  as_candidate *cand;     /* the search's; NULL: the tile program */
  as_saturated_tile tile; /* found by saturation, or empty */
  as_verdict *verdict;    /* of the one that is chosen */
  as_judged judged;
  as_report_words words;
  as_floats_result tile_floats; /* of the tile program */
  as_lowered low;
  bool lowered;
} as_choice;

/* The first candidate, in order of cost, that is certified when the solvers have been asked as
 * well: the search has proved each, and a tiling of it lowers.  The tile program in `chosen` has
 * its place among them.  guard: the float test, which the search's candidates have passed; NULL:
 * off. false with err */
bool as_choose(const as_job *job, const as_policy *policy, const as_target *target,
               const as_guard *guard, as_search_result *found, as_choice *chosen, as_err *err);
void as_choice_clear(as_choice *chosen);
/* Are the candidate's parts lowered by the ways that its price is of?  What was compared with
 * others and chosen is else another program than the one that is handed out: false with err
 * (AS_INTERNAL). */
bool as_lowered_as_priced(const as_candidate *cand, const as_routes *lowered, as_err *err);
#endif
