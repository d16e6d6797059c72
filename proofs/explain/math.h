/* Terms of the proof calculus as mathematics for people: sums, maxima, quotients and differences
 * where the calculus has folds, ite and inverses. The notation is that of operator specifications;
 * x^2 is a product.  For reading only: nothing parses it. May include: base, the checker's terms.
 * Called by explain and by reports. */
#ifndef AS_CLI_MATH_H
#define AS_CLI_MATH_H
#include "proofs/checker/ck_term.h"
#include "src/base/base.h"

typedef struct math math;
math *math_new(ck_terms *T); /* borrows T; opening a fold's step makes terms in it */
void math_free(math *m);
void math_reserve(math *m, const char *name); /* a name of the files: no variable made by checker or
                                                 prover is shown under it */
char *
math_letter(math *m); /* a capital letter that nothing else is called by, reserved; malloc'ed */
bool math_reserved(const math *m, const char *name);
/* from now on the closed term t is shown as `name` (copied); NULL takes it back */
void math_short(math *m, ck_id t, const char *name);
char *math_show(math *m,
                ck_id t); /* malloc'ed; cut off with "..." when it has no reasonable length */
bool math_alike(math *m, ck_id a,
                ck_id b); /* shown the same but for the order of summands and factors */
/* relations joined by commas, `0 <= k` and `k < n` as one; malloc'ed */
char *math_show_all(math *m, const ck_id *f, uint32_t n);
#endif
