/* What was judged, told again: a certificate as a proof to be read, a counterexample evaluated
 * anew, what is left to show.  On standard output. Includes verify/judge.  Called by `explain`. */
#ifndef AS_REPORT_EXPLAIN_H
#define AS_REPORT_EXPLAIN_H
#include "verify/judge/judge.h"

typedef struct {
  const as_policy *policy; /* for what is judged again; nobody is asked */
  bool json;
  bool full; /* every step of the proof, nothing folded */
} as_explaining;

/* each gives the exit status, with err where something cannot be told at all */

/* The theorem and its proof, and whether the checker accepts it.  Of a rule, judged names it. */
int as_explain_certificate(const as_explaining *how, const as_judged *judged, const char *text,
                           size_t length, as_err *err);
/* a result that has neither certificate nor counterexample: what was left to show, found again */
int as_explain_open(const as_explaining *how, const as_judged *judged);
/* `kept`: the counterexample of a report.json (json_t *, borrowed), at its sizes and inputs */
int as_explain_refutation(const as_explaining *how, const as_judged *judged, void *kept,
                          as_err *err);
/* a rule without a certificate: the counterexample that is found now */
int as_explain_rule(const as_explaining *how, const as_judged *judged);
/* the kernels of a result directory that are calls of a library, as its report.json says: the
 * theorem is of what they are asked for */
void as_explain_calls(const char *dir);

#endif
