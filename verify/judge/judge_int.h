/* Inside of verify/judge: what its files share.  Includes judge.h. */
#ifndef AS_JUDGE_INT_H
#define AS_JUDGE_INT_H
#include "judge.h"

/* sets the reason, and in words what the table has for it with `detail` at its place */
void judge_because(as_verdict *verdict, as_reason reason, const char *detail);
void judge_unreadable(as_verdict *verdict); /* by verdict->err */

/* ---- the texts of a claim (pruned.c) */
typedef struct judge_definitions judge_definitions;

/* The definitions of that library and of a file of rules by their names, with what each names: made
 * once, and read by any number of threads.  rules: the file's text without its defects, which is
 * taken in any case; NULL: there is none.  NULL: the texts cannot be taken apart. */
judge_definitions *judge_definitions_new(const as_oplib *lib, char *rules, size_t n_rules);
void judge_definitions_free(judge_definitions *definitions); /* NULL allowed */

/* What a claim is read from: without the definitions that it cannot need by their names, and of a
 * file of rules without its other rules.  Places are those of the whole file. */
typedef struct {
  ck_text given;
  ck_text *specification;
  uint32_t n_specification;
  char *alone;   /* owned: the text of `given` where it is a file of rules */
  char **pruned; /* owned: those of `specification` */
} judge_texts;

/* A claim read from them is the one read from the whole files, wherever it can be read. */
judge_texts judge_pruned(const judge_definitions *definitions, const as_judged *judged);
void judge_texts_clear(judge_texts *texts);

/* of a claim that was proved: fills `implied` (implied.c) */
void judge_implied(as_verdict *verdict);

/* ---- trials (trials.c): random tests, and searches for a counterexample */
void judge_random_test(const as_judged *judged, const as_policy *policy, as_verdict *verdict);

typedef enum {
  JUDGE_QUICK,
  JUDGE_BETWEEN, /* two parts of the prover's effort */
  JUDGE_AGAIN,   /* beside a proof: other instances, and somewhat larger ones */
  JUDGE_THOROUGH
} judge_effort;

/* the smallest that the search finds, replayed; otherwise the one that the random test met */
void judge_refute_program(const as_judged *judged, const as_policy *policy, judge_effort effort,
                          as_verdict *verdict);

/* adds to the tally; sets cex_found where a counterexample was found; false: UNREADABLE */
bool judge_rule_trial(const as_judged *judged, const as_policy *policy, judge_effort effort,
                      as_verdict *verdict);
/* no instance of the rule was met */
bool judge_rule_unmet(const as_verdict *verdict);
/* blanks in place of `part` of the text `whole`, of which `copy` is a copy; lines stay */
void judge_blank(char *copy, const char *whole, const char *part, size_t len);
#endif
