/* Terms for tests from short s-expressions.  Names that begin with r..z but t are real variables,
 * other lower-case or upper-case names are integers; (F a b) applies the function F (result real)
 * to arguments of the sorts they have. Forms: (sum k N f) (max k N f) (fold p N (k a ..) (init ..)
 * (step ..)) (ite rel a b) (mx a b) (all (k ..) (rel ..) rel), + - * / div mod inv exp sqrt log = #
 * <= <. */
#ifndef TEST_SEXP_H
#define TEST_SEXP_H
#include "proofs/checker/ck_term.h"
ck_id sexp_read(ck_terms *T, const char **s); /* aborts on bad text: tests only */
#endif
