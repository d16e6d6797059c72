/* Values of the checker's terms over a number domain: the second reading of SEMANTICS.md against
 * which the graph evaluators are tested, and the field test's view of a claim.  May include: base,
 * ir, semantics, the checker's ck_term.h.  Called by tests and by the soundness harness. */
#ifndef AS_TERM_EVAL_H
#define AS_TERM_EVAL_H
#include "../../proofs/checker/ck_term.h"
#include "../../semantics/eval.h"

typedef struct {
  bool (*var)(void *arg, const char *name, int64_t *value); /* integer variable; false: unknown */
  /* application f(args), f of the signature given: integer arguments in ix, real ones in real (the
   * other array holds nothing at that place).  false: unknown */
  bool (*app)(void *arg, const char *f, const char *sig, const int64_t *ix, const void *const *real,
              uint32_t n, void *out);
  void *arg;
} as_term_model;

/* out: initialised element.  AS_UNKNOWN over max_ops (0: no limit), AS_BAD_INPUT for terms that
 * name unknown things or leave a real variable free. */
as_status as_term_eval(const ck_terms *T, ck_id t, const as_domain *d, const as_term_model *m,
                       uint64_t max_ops, void *out, as_err *err);
/* truth of a closed relation: AS_OK holds, AS_NO does not, AS_UNKNOWN not decided (undefined or
 * undecided values) */
as_status as_term_holds(const ck_terms *T, ck_id rel, const as_domain *d, const as_term_model *m,
                        uint64_t max_ops, as_err *err);
#endif
