/* The claim (proofs/RULES.md section 4, semantics/SEMANTICS.md): goals and allowed hypotheses of SPEC, CANDIDATE, computed from the
 * user's files alone.  Includes ck_term.h only.  Called by the checker's main and by the prover. */
#pragma once
#include "ck_term.h"

typedef struct {
  const char *name;                        /* "eq.Z", "shape.Z.0", "call2": no blank, unique */
  const ck_id *allowed; uint32_t n_allowed; /* hypotheses, sorted */
  ck_id formula;
} ck_goal;

typedef struct {
  ck_goal *goals; uint32_t n_goals;
  ck_ids hyps, rels;                       /* S + Def(given): allowed in every goal; S, stated facts of sizes */
  char *theorem;                           /* in words and formulas, for people */
  struct { const char *name; char sha256[65]; } *relied; uint32_t n_relied; /* specifications used: NAME of an operator, `func NAME` */
  char spec_sha[65], cand_sha[65];         /* of the two files as read, or of the rule's text */
  void *mem;                               /* goals and relied; what else is pointed to belongs to the terms */
} ck_claim;

typedef struct { char *text; int line, col; char *file; bool absurd; } ck_msg; /* malloc'ed; line 0: none; absurd: something stated or needed of numbers is false */
typedef struct { const char *name, *text; size_t len; } ck_text;  /* the name stands in messages; text NULL: the file of that name is read */

/* sem: .sem files (later ones may not redefine operators).  NULL and msg filled on bad input. */
ck_claim *ck_claim_texts(ck_terms *T, const ck_text *spec, const ck_text *cand, const ck_text *sem, uint32_t n_sem, ck_msg *msg);
void ck_claim_free(ck_claim *c);
