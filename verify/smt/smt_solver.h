/* Inside of verify/smt: what the ways of asking a solver share.  Called by smt_ask.c, smt_child.c
 * and the file of each solver in process. */
#ifndef AS_SMT_SOLVER_H
#define AS_SMT_SOLVER_H
#include "smt.h"

typedef enum { SMT_UNSAT, SMT_SAT, SMT_OTHER } smt_answer;

enum { SMT_MOST_ARGUMENTS = 12 };

/* a solver in process has `ask` and `version`, a child argv */
typedef struct {
  const char *name;
  const char *title;
  /* *words: malloc'ed where the answer is SMT_OTHER, else NULL */
  smt_answer (*ask)(const char *query, unsigned milliseconds, unsigned rlimit, char **words);
  char *(*version)(void); /* malloc'ed */
  const char *argv[SMT_MOST_ARGUMENTS];
} smt_solver;

/* one solver at work on a set of queries; limits are filled in */
typedef struct {
  const smt_solver *solver;
  const as_smt_set *set;
  as_smt_opts limits;
  double deadline; /* as_now() */
  as_smt_result *result;
} smt_work;

extern const char smt_control[]; /* a query that has a model */

/* the answer to query `number` of the set, or to the control query */
enum { SMT_CONTROL = UINT32_MAX };

void smt_answered(smt_work *work, uint32_t number, smt_answer answer, const char *words);
/* worsens the verdict; about a query of the set, or about the solver: SMT_CONTROL */
void smt_spoil(smt_work *work, as_smt_verdict verdict, uint32_t number, const char *why);

void smt_ask_child(smt_work *work);
smt_answer smt_z3_ask(const char *query, unsigned milliseconds, unsigned rlimit, char **words);
char *smt_z3_version(void);
#endif
