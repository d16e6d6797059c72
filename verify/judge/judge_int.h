/* Inside of verify/judge: what its files share.  Includes judge.h. */
#ifndef AS_JUDGE_INT_H
#define AS_JUDGE_INT_H
#include "judge.h"

/* sets the reason, and in words what the table has for it with `detail` at its place */
void judge_because(as_verdict *verdict, as_reason reason, const char *detail);
void judge_unreadable(as_verdict *verdict); /* by verdict->err */

/* The texts of n files of specifications without the definitions that `text` cannot need by their
 * names, malloc'ed as is each of them; NULL: they cannot be taken apart.  A claim read from them is
 * the one read from the whole files, wherever it can be read (pruned.c). */
char **judge_pruned(const as_source *source, uint32_t n, const char *text, size_t len);
/* of a claim that was proved: fills `implied` (implied.c) */
void judge_implied(as_verdict *verdict);

/* ---- trials (trials.c): random tests, and searches for a counterexample */
void judge_random_test(const as_judged *judged, const as_policy *policy, as_verdict *verdict);
/* the smallest that the search finds, replayed; otherwise the one that the random test met */
void judge_refute_program(const as_judged *judged, const as_policy *policy, as_verdict *verdict);

typedef enum {
  JUDGE_QUICK,
  JUDGE_AGAIN, /* beside a proof: other instances, and somewhat larger ones */
  JUDGE_THOROUGH
} judge_effort;

/* adds to the tally; sets cex_found where a counterexample was found; false: UNREADABLE */
bool judge_rule_trial(const as_judged *judged, const as_policy *policy, judge_effort effort,
                      as_verdict *verdict);
/* no instance of the rule was met */
bool judge_rule_unmet(const as_verdict *verdict);
/* blanks in place of `part` of the text `whole`, of which `copy` is a copy; lines stay */
void judge_blank(char *copy, const char *whole, const char *part, size_t len);
#endif
