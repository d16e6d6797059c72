/* Terms of the proof calculus as mathematics for people: sums, maxima, quotients and differences
 * where the calculus has folds, ite and inverses. The notation is that of operator specifications;
 * x^2 is a product.  For reading only: nothing parses it. May include: base, the checker's
 * headers.  Called by the prover, by explain and by reports. */
#ifndef AS_MATH_H
#define AS_MATH_H
#include "proofs/checker/ck_claim.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct as_math as_math;
as_math *as_math_new(ck_terms *T); /* borrows T; opening a fold's step makes terms in it */
void as_math_free(as_math *math);
void as_math_reserve(as_math *math, const char *name); /* a name of the files: no variable made by
                                                 checker or prover is shown under it */
/* reserves all names that the goals and their hypotheses have from the files */
void as_math_reserve_goals(as_math *math, const ck_goal *goals, uint32_t n);
char *as_math_letter(
    as_math *math); /* a capital letter that nothing else is called by, reserved; malloc'ed */
bool as_math_reserved(const as_math *math, const char *name);
/* from now on the closed term t is shown as `name` (copied); NULL takes it back */
void as_math_short(as_math *math, ck_id t, const char *name);
char *as_math_show(as_math *math,
                   ck_id t); /* malloc'ed; cut off with "..." when it has no reasonable length */
bool as_math_alike(as_math *math, ck_id a,
                   ck_id b); /* shown the same but for the order of summands and factors */
/* relations joined by commas, `0 <= k` and `k < n` as one; malloc'ed */
char *as_math_show_all(as_math *math, const ck_id *f, uint32_t n);
#endif
