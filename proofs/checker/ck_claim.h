/* The claim (proofs/RULES.md section 4, semantics/SEMANTICS.md): goals and allowed hypotheses of SPEC, CANDIDATE, computed from the
 * user's files alone.  Includes ck_term.h only.  Called by the checker's main and by the prover. */
#pragma once
#include "ck_term.h"

typedef struct {
  char *name;     /* "eq.Z", "def3", "shape0", "bounds2": no blank, unique */
  ck_id *allowed; /* allowed hypotheses, sorted */
  uint32_t n_allowed;
  ck_id formula;
} ck_goal;

typedef struct {
  ck_goal *goals; uint32_t n_goals;
  ck_id *hyps; uint32_t n_hyps;   /* S + Def(given) + output ranges: allowed in every goal but shape goals */
  ck_id *sizes; uint32_t n_sizes; /* size variables */
  ck_id *rels; uint32_t n_rels;   /* stated size facts S */
  char *theorem;                  /* in words and formulas, for people */
  struct { char *name, *sha256; } *relied; uint32_t n_relied; /* operator specifications used */
  bool witness;                   /* the stated concrete sizes satisfy S */
  char spec_sha[65], cand_sha[65]; /* of the two files as read */
} ck_claim;

typedef struct { char *text; int line, col; char *file; } ck_msg; /* text malloc'ed */

/* sem: paths of .sem files (later files may not redefine operators).  NULL and msg filled on bad input. Gives the claim. */
ck_claim *ck_claim_read(ck_terms *T, const char *spec, const char *cand, const char *const *sem, uint32_t n_sem, ck_msg *msg);
/* the same from texts in memory; the names stand in messages.  text NULL: the file of that name is read */
typedef struct { const char *name, *text; size_t len; } ck_text;
ck_claim *ck_claim_texts(ck_terms *T, const ck_text *spec, const ck_text *cand, const ck_text *sem, uint32_t n_sem, ck_msg *msg);
void ck_claim_free(ck_claim *c);
