/* A certificate as a proof that can be read: lemmas by what they say, goal by goal the facts that
 * carry it, routine steps folded. Nothing here is trusted: whether the certificate is accepted is
 * the checker's word alone. May include: base, the checker's headers, proofs/read, proofs/math.
 * Called by explain and by reports. */
#ifndef AS_EXPLAIN_OUTLINE_H
#define AS_EXPLAIN_OUTLINE_H
#include "proofs/checker/ck_claim.h"
#include "proofs/math/math.h"
#include "src/base/err.h"
#include "src/base/vec.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  char *name;
  char *means;
} as_explain_word; /* a letter for a term that occurs often */

typedef struct {
  uint32_t step; /* in the certificate */
  char *name;    /* "a sum over G*T is a sum of sums"; NULL: no name is known */
  char *says;
  char *under;
  char *how; /* formula; its hypotheses; "by induction, 12 steps; uses L1" */
} as_explain_lemma;

typedef struct {
  uint32_t step;
  uint32_t number; /* of the certificate; the number it is shown under, from 1 on */
  char *says;
  char *under;
  char *why; /* under: assumptions beyond the claim's own, "" if none */
  uint32_t *from;
  uint32_t n_from;  /* numbers of the facts it rests on */
  uint32_t routine; /* steps between them and it that are not shown */
} as_explain_fact;

typedef struct {
  char *name;
  char *what;
  char *says;
  char *under; /* "eq.Z"; "the elements of output Z are equal"; the formula; its own conditions */
  uint32_t last;
  uint32_t steps;  /* the step that proves it; how many in all it rests on, lemmas included */
  bool sizes_only; /* about sizes and indices: no facts are listed */
  as_vec facts;    /* outline_fact, first shown here */
  uint32_t *from;
  uint32_t n_from;
  uint32_t routine; /* what it follows from at last */
} as_explain_goal;

typedef struct {
  char *theorem;
  uint32_t steps;
  uint32_t terms;
  uint32_t shown;
  as_vec words;
  as_vec lemmas;
  as_vec goals; /* outline_word, outline_lemma, outline_goal */
  char *full;   /* every step as text, where asked for */
} as_explain_outline;

/* NULL with err if the text is no proof of the goals.  full: also every step. */
as_explain_outline *as_explain_new(ck_terms *T, const ck_claim *claim, const char *cert, size_t len,
                                   bool full, as_err *err);
void as_explain_free(as_explain_outline *outline);
char *as_explain_text(const as_explain_outline *outline); /* malloc'ed */
char *as_explain_html(const as_explain_outline *outline); /* malloc'ed; a part of a page */
void *as_explain_json(const as_explain_outline *outline); /* json_t *, owned by the caller */
#endif
