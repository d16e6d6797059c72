/* The judge: what may be said of a candidate against its program, or of a rewrite rule in one
 * direction.  Random test or search for a counterexample, proof, replay of the written certificate
 * by the checker's own code in terms of its own, solvers, and one verdict from all of it.  May
 * include: base, ir, semantics, verify, the checker's headers.  Called by the search and the
 * command line; it prints nothing and writes nothing.
 *
 * One case goes through in this order:
 *
 *     texts --claim--> goals --trials--> a counterexample? --prover--> certificate --replay-->
 *     checked --solvers--> agreed --> conclude: one answer, one reason, certified or not
 *
 * Trials of a program are the random test over fields, and a search for a counterexample only where
 * there is no proof; of a rule a quick search for a counterexample, and a thorough one where there
 * is no proof or no instance yet.  Prover and search take turns: a small part of the prover's
 * effort, a quick search, the rest of the effort, a thorough search.  What ends a part is the work
 * done in it, so that a verdict is the same in every run and for any number of threads.
 *
 * A counterexample is only ever one that was evaluated again, so it and a checked proof cannot both
 * be: where they are, the verdict is a conflict and nothing is certified. */
#ifndef AS_JUDGE_H
#define AS_JUDGE_H
#include "proofs/checker/ck_cert.h"
#include "verify/field/field.h"
#include "verify/prove/prove.h"
#include "verify/refute/rule_refute.h"
#include "verify/smt/smt.h"

/* Answers: the word for people and reports; the word in baselines. */
#define AS_ANSWERS(X)                                                                              \
  X(PROVED, "PROVED", "PROVED")                                                                    \
  X(REFUTED, "REFUTED", "REFUTED")                                                                 \
  X(UNKNOWN, "UNKNOWN", "UNKNOWN")                                                                 \
  /* of a rule: nothing is known at which the side that it starts from is defined */               \
  X(VACUOUS, "VACUOUS", "VACUOUS")                                                                 \
  /* the texts cannot be read, or make no claim */                                                 \
  X(UNREADABLE, "ERROR", "ILL-FORMED")

typedef enum {

#define AS_ANSWER_ID(id, word, recorded) AS_ANSWER_##id,
  AS_ANSWERS(AS_ANSWER_ID)
#undef AS_ANSWER_ID
      AS_N_ANSWERS
} as_answer;

const char *as_answer_word(as_answer answer);
const char *as_answer_recorded(as_answer answer);

/* Reasons: why a verdict is not "certified".  The word is what report.json calls it; %s in the text
 * stands for what is said of this case. */
#define AS_REASONS(X)                                                                              \
  X(NONE, "none", "")                                                                              \
  X(UNREADABLE, "unreadable", "%s")                                                                \
  X(COUNTEREXAMPLE, "counterexample", "a counterexample was found")                                \
  X(CONFLICT, "conflict",                                                                          \
    "internal contradiction: a checked proof and a confirmed counterexample")                      \
  X(NO_PROOF, "no-proof", "%s")                                                                    \
  X(REJECTED, "rejected", "%s")                                                                    \
  X(DISPUTED, "solver-disputes", "%s")                                                             \
  X(FIELD_REQUIRED, "random-test-inconclusive",                                                    \
    "the random test was required to agree and is inconclusive")                                   \
  X(SOLVER_REQUIRED, "solver-did-not-agree", "%s was required to agree and did not")               \
  X(NO_INSTANCE, "no-instance",                                                                    \
    "no sizes and inputs were found at which what the rule starts from is well formed and "        \
    "defined")                                                                                     \
  X(NOT_SEEN_DEFINED, "not-seen-defined",                                                          \
    "a proof, but at no instance is it known that what the rule starts from is defined: it may "   \
    "say nothing")                                                                                 \
  X(STARTS_ILL_FORMED, "starts-ill-formed",                                                        \
    "what the rule starts from is ill-formed at any sizes: %s")                                    \
  X(ABSURD, "absurd", "%s")                                                                        \
  X(BLOCK_GRAPH, "block-graph-not-proved",                                                         \
    "the block graph that would be lowered for this tile program is not proved: %s")

typedef enum {

#define AS_REASON_ID(id, word, text) AS_REASON_##id,
  AS_REASONS(AS_REASON_ID)
#undef AS_REASON_ID
} as_reason;

const char *as_reason_word(as_reason reason);

/* What "certified" demands beyond the checker's acceptance, and who else is asked. */
typedef struct {
  bool field; /* the random test compared enough elements and they are the same */
  bool agree[AS_SMT_N_SOLVERS];
  bool ask[AS_SMT_N_SOLVERS]; /* those of `agree` are asked in any case */
  bool keep_queries;          /* solver_text is wanted, also where nobody is asked */
  /* the cheap part of each way of deciding alone: what is left undecided says so, and is judged
   * again when others have had their turn */
  bool first_turn;
  bool stop_early; /* no more work on what cannot be certified any more: what a search wants */
  double solver_seconds;
  uint64_t seed;
  uint32_t max_steps; /* of a proof of a program's candidate, as in as_prove_opts; 0: the default */
  double until; /* 0, or when as_now() is past it nothing more is begun: what is not decided by then
                   is unknown */
  uint32_t all_steps; /* effort for the proof, all that is tried counted; 0: each way that is
                           tried has the prover's own limit */
  uint64_t all_work;  /* the same in the prover's units of work */
  unsigned threads;   /* more than one: the random test and the proof go on beside each other; the
                         verdict is the same */
} as_policy;

/* the random test demanded, every solver asked, 20 s, seed 1 */
void as_policy_init(as_policy *policy);
/* lists of words with commas: `check`, `field` and the solvers' names; the solvers' names, `both`
 * (all of them), `none`.  false with err: an unknown word */
bool as_policy_require(as_policy *policy, const char *list, as_err *err);
bool as_policy_ask(as_policy *policy, const char *list, as_err *err);
void as_policy_ask_nobody(as_policy *policy);      /* but those whose agreement is demanded */
void as_policy_without_solvers(as_policy *policy); /* nor those */

/* What is judged; all of it borrowed, and the texts with their names are the ones that the claim is
 * about.  Of a rule: `given` is the file of rules, `candidate` the rule's name (NAME or
 * NAME.reverse) without a text. */
typedef struct {
  const as_oplib *lib; /* its files are the specifications */
  ck_text given;
  ck_text candidate;
  const as_graph *program; /* NULL: the texts alone are judged, and nothing is run */
  const as_graph *graph;   /* the candidate's; its size table is the program's or a copy of it */
  /* where the texts alone are judged: graphs that have the sizes and the `use` lines of the texts,
   * whatever else; or NULL */
  const as_graph *declared[2];
  bool tile;                /* the candidate's text is a tile program, the graph what it is */
  const as_rulefile *rules; /* NULL: no rule */
  uint32_t rule;
  bool reverse;
  /* of lib and the file of rules, by name; NULL: looked up anew for each claim */
  const struct judge_definitions *definitions;
} as_judged;

/* the graph that has the sizes of the given program, and its relations of them; NULL: a rule's */
const as_graph *as_judged_sizes(const as_judged *judged);

typedef struct {
  char *name;
  char sha256[65];
} as_relied;

typedef struct {
  bool asked;
  as_smt_result result;
} as_opinion;

typedef struct {
  as_answer answer;
  as_reason reason;
  char *why; /* the reason in words; NULL when certified */
  bool certified;
  bool unfinished; /* UNKNOWN or UNREADABLE after a first turn: more effort may decide it */
  bool conflict;   /* a proof that the checker accepts and a counterexample that stands */
  as_err err;      /* UNREADABLE: the message with its place */

  ck_terms *terms; /* the claim as read; NULL where it cannot be, or after as_verdict_release */
  ck_claim *claim;
  bool absurd; /* it cannot be read because what is stated or needed of numbers is false */
  char *theorem;
  char *shadowing; /* definitions with names of others (as_oplib_shadowing); NULL: none */
  as_relied *relied;
  uint32_t n_relied;
  /* PROVED: what the given side demands of the sizes, to be defined at all, and the texts do not
   * state: relations of verdict->terms.  A theorem says nothing of other sizes. */
  ck_id *implied;
  uint32_t n_implied;
  bool implied_reads; /* beyond that, that indices are in their ranges was not seen to follow */

  as_proof_result proof;
  double prove_seconds;
  bool checked; /* the certificate as written was replayed and accepted */
  char *check_why;
  char *block_why; /* of a tile program: why its block graph is not proved; NULL: it is */
  ck_usage usage;
  double check_seconds;

  bool field_ran; /* of a program */
  as_field_report field;
  char *field_words;
  bool cex_found;
  as_cex cex;           /* of a program */
  as_rule_cex rule_cex; /* of a rule */
  char *cex_words;
  as_rule_tally tally; /* of a rule: what the search for counterexamples met */
  as_expect expect;    /* what the rule says of itself; nothing for the other direction */
  bool surprise;       /* and the answer is another */

  as_opinion opinion[AS_SMT_N_SOLVERS];
  bool queries_written;
  uint32_t n_queries;
  char *queries_text;    /* where the policy keeps them */
  bool queries_disputed; /* the second reader of certificates does not find the proof */
  char *queries_why;     /* why nobody could be asked */
  as_policy policy;      /* by which it was concluded */
  double seconds;        /* all of it */
} as_verdict;

void as_verdict_init(as_verdict *verdict);
void as_verdict_clear(as_verdict *verdict);
/* gives the claim's terms back, which weigh the most, and keeps what is said of them */
void as_verdict_release(as_verdict *verdict);

/* Reads the claim and takes over what it demands and relies on: as_judge's first step, for who
 * wants to know what a case is about before it is judged.  false: UNREADABLE, verdict->err says
 * why. */
bool as_judge_read(const as_judged *judged, as_verdict *verdict);
/* All of it.  verdict: initialised, and as as_judge_read left it where that was called. */
void as_judge(const as_judged *judged, const as_policy *policy, as_verdict *verdict);
/* The same with a certificate that somebody brings in place of the prover's: what `check` makes of
 * a result.  The certificate is copied. */
void as_judge_certificate(const as_judged *judged, const as_policy *policy, const char *cert,
                          size_t len, as_verdict *verdict);
/* Asks solvers that the policy names about a case that was judged without them, and concludes anew;
 * the claim must not have been released. */
void as_judge_ask(const as_judged *judged, const as_policy *policy, as_verdict *verdict);
/* the exit status that the verdict stands for: AS_OK certified, AS_NO refuted, AS_UNKNOWN, .. */
as_status as_verdict_status(const as_verdict *verdict);
#endif
