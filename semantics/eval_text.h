/* The evaluator as text: a program at concrete sizes as C++ in double precision, printed from the
 * bodies that the evaluators compile.  It shares no step with the lowering, so kernels can be
 * compared with it at sizes that the evaluators themselves take too long for.  May include: base,
 * ir, semantics.  Called by src/lower. */
#ifndef AS_EVAL_TEXT_H
#define AS_EVAL_TEXT_H
#include "eval.h"

/* program: without block graphs.  env: value of each size symbol by its id.  *text, malloc'ed:
 *   bool assay_reference(const double *const *in, double *const *out, double *reach)
 * in, out: the tensors in the program's order, row-major; reach: the largest magnitude of an
 * element of any tensor computed, not finite where one has no value.  The function is false, with a
 * message on standard error, where an index leaves its tensor or an integer 64 bits, as the
 * evaluators are. false with err where the program cannot be compiled at these sizes. */
bool as_eval_text(const as_graph *program, const int64_t *env, char **text, as_err *err);
#endif
