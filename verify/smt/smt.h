/* Second opinions: the content of a proof written as SMT-LIB 2 queries, put to Z3 (in process) and
 * to cvc5 (a child process). May include: base, the checker's headers.  Called by the command line,
 * the search's last filter and the tests.
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
#include "src/base/base.h"

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

typedef enum {
  AS_SMT_AGREES,    /* every query unsat */
  AS_SMT_DISAGREES, /* some query sat: the solver disputes a step of the proof (the theorem may
                       still be true) */
  AS_SMT_UNKNOWN,   /* unknown, out of resources, unreadable answer */
  AS_SMT_MISSING,   /* no such solver on this machine */
  AS_SMT_DIED       /* the solver crashed */
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
  unsigned query_ms; /* per query; 0: 5000 */
  unsigned total_ms; /* all queries; 0: 60000 */
  unsigned rlimit;   /* Z3's deterministic effort limit per query; 0: 20 million */
  const char *cvc5;  /* path of the executable; NULL: `cvc5` on PATH */
} as_smt_opts;

void as_smt_z3(const as_smt_set *s, const as_smt_opts *o, as_smt_result *r); /* o may be NULL */
void as_smt_cvc5(const as_smt_set *s, const as_smt_opts *o, as_smt_result *r);
#endif
