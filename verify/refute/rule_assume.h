/* What a rule assumes of its inputs, evaluated: the two sides of each assumption and their
 * difference.  May include: base, ir, semantics.  Called by rule_inputs.c, rule_solve.c,
 * rule_refute.c. */
#ifndef AS_RULE_ASSUME_H
#define AS_RULE_ASSUME_H
#include "../../semantics/eval.h"
#include "../../src/ir/rule.h"

/* an element of an exact tensor, which starts with its mpq_t */
static inline mpq_t *as_assume_number(const as_tensor *tensor, size_t i) {
  return (mpq_t *)as_tensor_at(tensor, i);
}

/* Three tensors an assumption: left side, right side, the difference that its relation is asked of.
 * Free with as_assume_clear; NULL where they have no shape or cannot be evaluated.  codes: NULL,
 * nothing is kept */
as_tensor *as_assume_evaluate(const as_rule *rule, const int64_t *env, as_eval_codes *codes,
                              const as_tensor *inputs, const as_domain *domain, uint64_t max_ops,
                              as_eval_marks *marks);
void as_assume_clear(const as_graph *graph, as_tensor *outputs);
/* 0 rel x for element k of the difference, surely */
bool as_assume_meets(const as_tensor *differences, size_t k, as_rel rel);
bool as_assume_all_hold(const as_rule *rule, const as_tensor *outputs);
/* types and assumptions, surely */
bool as_rule_holds(const as_rule *rule, const int64_t *env, as_eval_codes *codes,
                   const as_tensor *inputs, uint64_t max_ops);
#endif
