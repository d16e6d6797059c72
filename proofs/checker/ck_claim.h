/* The claim (proofs/CLAIM.md): definitions, goals and allowed hypotheses of SPEC and CANDIDATE,
 * computed from the user's files alone. Includes ck_term.h only.  Called by the checker's main and
 * by the prover. */
#pragma once
#include "ck_term.h"

typedef struct { /* for all integers: name[parameter..] = body */
  uint32_t name;
  uint32_t signature;     /* words */
  const ck_id *parameter; /* variables of sort i */
  uint32_t n;             /* how many */
  ck_id body;
  ck_id clause; /* the hypothesis */
  /* loops of a tile program around it, each with a number of its own, from the outermost on: as
   * many first parameters count their iterations */
  const uint32_t *loop;
  uint32_t n_loops;
  /* Of what the last of these loops carries: what it is before the first iteration, with the clause
   * that says so; body is what it is after one more. */
  bool carried;
  ck_id base;
  ck_id base_clause;
  uint32_t until; /* definitions before this one are known to the body */
  bool candidate; /* else of the given side */
  int line;       /* of the text */
  const char *by; /* the operator called, or load, acc, store */
} ck_definition;

typedef struct {
  const char *name;     /* "eq.Z", "shape.Z.0", "call2": no blank, unique */
  const ck_id *allowed; /* hypotheses, sorted */
  uint32_t n_allowed;
  const ck_id *condition; /* those of them that this goal has beside the claim's */
  uint32_t n_conditions;
  ck_id formula;
} ck_goal;

typedef struct {
  ck_goal *goals;
  uint32_t n_goals;
  const ck_definition *definitions; /* in order: the given side's, then the candidate's */
  uint32_t n_definitions;
  const ck_id *stated;
  const ck_id *given; /* S, and the obligations of the given side as clauses, in order */
  uint32_t n_stated;
  uint32_t n_given;
  ck_ids hyps;   /* all that is allowed in every goal, sorted */
  char *theorem; /* in words and formulas, for people */

  struct {
    const char *name; /* NAME of an operator, `func NAME`; of one that stands for another of
                         that name: `own NAME`, in the candidate alone `candidate's NAME` */
    char sha256[65];
  } * relied; /* specifications used */

  uint32_t n_relied;
  char spec_sha[65];
  char cand_sha[65]; /* of the two files as read, or of the rule's text */
  void *mem; /* goals, definitions and relied; what else is pointed to belongs to the terms */
} ck_claim;

typedef struct {
  char *text; /* malloc'ed, as file */
  int line;
  int col; /* line 0: none */
  char *file;
  bool absurd; /* what is stated or needed of numbers is false */
} ck_msg;

typedef struct {
  const char *name;
  const char *text; /* the name stands in messages; text NULL: the file of that name is read */
  size_t len;
} ck_text;

/* sem: .sem files, the first n_library of them known to all (none may define again what another
 * defines), the others to who uses them.  NULL and msg filled on bad input.
 * plain: what is needed but plainly true, and so neither hypothesis nor goal, is written there as
 * it is met (proofs/CLAIM.md section 9); NULL: nowhere. */
ck_claim *ck_claim_listed(ck_terms *T, const ck_text *spec, const ck_text *cand, const ck_text *sem,
                          uint32_t n_library, uint32_t n_sem, FILE *listed, ck_msg *msg);

static inline ck_claim *ck_claim_texts(ck_terms *T, const ck_text *spec, const ck_text *cand,
                                       const ck_text *sem, uint32_t n_sem, ck_msg *msg) {
  return ck_claim_listed(T, spec, cand, sem, n_sem, n_sem, NULL, msg);
}

void ck_claim_free(ck_claim *c);

/* a line `HASH NAME` for every operator (`func NAME` for every function) of these files; false and
 * msg filled on bad input */
bool ck_print_specifications(FILE *out, const ck_text *sem, uint32_t n_sem, ck_msg *msg);
