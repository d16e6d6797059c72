/* Second opinions: the content of a proof written as SMT-LIB 2 queries, put to solvers in process
 * (Z3) or as child processes (cvc5). May include: base, the checker's headers.  Called by
 * verify/judge and the tests.
 *
 * What is asked.  Between the rules for folds and instances (induct foldcong zero succ inst), a
 * proof is ordinary reasoning about equations, orders, cases and laws.  Each stretch of it that
 * leads to a premise of such a rule (a base case, an induction step, a side condition) or to a goal
 * becomes one query: hypotheses and earlier theorems hold, the conclusion does not.  `unsat`
 * agrees. The induction principle itself stays outside the solvers; the trusted checker applies it.
 * See the encoding notes in smt_write.c. */
#ifndef AS_SMT_H
#define AS_SMT_H
#include "proofs/checker/ck_claim.h"
#include "src/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  char *name; /* "step 17: induction step of s21": what the conclusion is needed for */
  char *text; /* a complete script, from set-logic to check-sat */
  bool exact; /* no product, law or opaque symbol was abstracted: a model would be a real
                 counterexample to this step */
} as_smt_query;

typedef struct {
  as_smt_query *q;
  uint32_t n;
  uint32_t steps;  /* steps of the certificate */
  uint32_t schema; /* instances of induct foldcong zero succ inst: not put to the solvers */
  uint32_t laws;   /* instances of laws given to the solvers as premises */
} as_smt_set;

/* Reads the certificate, recomputes each step by the checker's rules, checks that every goal has
 * its theorem, and writes the queries. T: the table in which the goals live (grows).  AS_OK; AS_NO:
 * the certificate does not prove the goals; AS_UNKNOWN: too big to write. The set is filled only on
 * AS_OK and cleared by as_smt_set_clear. */
as_status as_smt_obligations(ck_terms *T, const ck_goal *goals, uint32_t n_goals, const char *cert,
                             size_t len, as_smt_set *out, as_err *err);
void as_smt_set_clear(as_smt_set *s);
char *as_smt_text(
    const as_smt_set *s); /* all queries as one script with (reset) between them; malloc'ed */

/* Verdicts of a solver, the word for each, and how bad it is: of several the worst is told. */
#define AS_SMT_VERDICTS(X)                                                                         \
  /* unknown, out of resources, unreadable answer */                                               \
  X(UNKNOWN, "unknown", 1)                                                                         \
  /* every query unsat */                                                                          \
  X(AGREES, "agrees", 0)                                                                           \
  /* no such solver on this machine */                                                             \
  X(MISSING, "missing", 2)                                                                         \
  /* the solver crashed */                                                                         \
  X(DIED, "died", 3)                                                                               \
  /* it called a query unsat that has a model: nothing that it says counts */                      \
  X(UNSOUND, "unsound", 4)                                                                         \
  /* some query sat: the solver disputes a step of the proof (the theorem may still be true) */    \
  X(DISAGREES, "disagrees", 5)

typedef enum {

#define AS_SMT_VERDICT_ID(id, word, rank) AS_SMT_##id,
  AS_SMT_VERDICTS(AS_SMT_VERDICT_ID)
#undef AS_SMT_VERDICT_ID
} as_smt_verdict;

const char *as_smt_verdict_name(as_smt_verdict v);

typedef struct {
  as_smt_verdict verdict;
  uint32_t asked;
  uint32_t agreed; /* of the set's queries */
  char *reason;    /* malloc'ed; says which query and why unless AGREES */
  char *version;   /* malloc'ed or NULL */
  double seconds;
} as_smt_result;

void as_smt_result_clear(as_smt_result *r);

typedef struct {
  unsigned query_ms;   /* per query; 0: 5000 */
  unsigned total_ms;   /* all queries; 0: 60000 */
  unsigned rlimit;     /* Z3's deterministic effort limit per query; 0: 20 million */
  const char *program; /* path of the executable, of a solver that is a child process; NULL: the
                          row's, on PATH */
} as_smt_opts;

/* The solvers: a row each.  What adding one takes: a row, and for one in process its two functions.
 * A child reads SMT-LIB 2 on its standard input and answers each (check-sat) with a line. */
#define AS_SMT_SOLVERS(X)                                                                          \
  X(Z3, "z3", "Z3", .ask = smt_z3_ask, .version = smt_z3_version)                                  \
  X(CVC5, "cvc5", "cvc5",                                                                          \
    .argv = {"cvc5", "--lang=smt2", "--incremental", "--tlimit-per=" AS_SMT_MILLISECONDS, "-"})

#define AS_SMT_MILLISECONDS "%u" /* in an argument: stands for the limit of a query */

typedef enum {

#define AS_SMT_SOLVER_ID(id, name, title, ...) AS_SMT_##id,
  AS_SMT_SOLVERS(AS_SMT_SOLVER_ID)
#undef AS_SMT_SOLVER_ID
      AS_SMT_N_SOLVERS
} as_smt_solver;

/* as --require, --solvers and report.json call it; for people */
const char *as_smt_solver_name(as_smt_solver solver);
const char *as_smt_solver_title(as_smt_solver solver);

/* Puts the queries to the solver, and before them one that is known to have a model: a solver that
 * calls that one unsat is UNSOUND.  result: initialised here; opts may be NULL. */
void as_smt_ask(as_smt_solver solver, const as_smt_set *s, const as_smt_opts *opts,
                as_smt_result *result);
#endif
