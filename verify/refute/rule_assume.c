/* The differences of the two sides of each assumption, over a domain. */
#include "rule_assume.h"
#include "refute.h"
#include <stdlib.h>

void as_assume_clear(const as_graph *graph, as_tensor *outputs) {
  for (uint32_t i = 0; i < graph->n_output; i++)
    as_tensor_clear(&outputs[i]);
  free(outputs);
}

/* the assumptions' tensors over a domain; NULL where they have no shape or cannot be evaluated */
as_tensor *as_assume_evaluate(const as_rule *rule, const int64_t *env, as_eval_codes *codes,
                              const as_tensor *inputs, const as_domain *domain, uint64_t max_ops,
                              as_eval_marks *marks) {
  const as_graph *graph = rule->assume;
  as_tensor *converted = NULL;
  as_tensor *outputs = as_calloc(graph->n_output + 1, sizeof *outputs);
  if (domain != &as_domain_exact && (converted = as_inputs_new(graph, domain, env, NULL)) != NULL) {
    for (uint32_t i = 0; i < graph->n_input; i++) {
      for (size_t k = 0; k < converted[i].n; k++)
        domain->from_q(domain, as_tensor_at(&converted[i], k), *as_assume_number(&inputs[i], k));
    }
  }
  as_status status = as_eval_graph_again(graph, domain, env, codes, converted ? converted : inputs,
                                         outputs, max_ops, marks, NULL);
  as_inputs_free(graph, converted);
  if (status == AS_OK)
    return outputs;
  as_assume_clear(graph, outputs);
  return NULL;
}

static unsigned orders(as_rel rel) {
  return rel == AS_REL_EQ   ? AS_C_EQ
         : rel == AS_REL_NE ? AS_C_LT | AS_C_GT
         : rel == AS_REL_LE ? AS_C_LT | AS_C_EQ
                            : AS_C_LT;
}

/* 0 rel x for element k of rhs - lhs, surely */
bool as_assume_meets(const as_tensor *differences, size_t k, as_rel rel) {
  const as_domain *domain = differences->d;
  const void *difference = as_tensor_at(differences, k);
  if (domain->flags(domain, difference))
    return false;
  void *zero = as_dom_new(domain, 1);
  bool holds = !(domain->cmp(domain, zero, difference) & ~orders(rel));
  as_dom_free(domain, zero, 1);
  return holds;
}

bool as_assume_all_hold(const as_rule *rule, const as_tensor *outputs) {
  for (uint32_t i = 0; i < rule->n_assumption; i++) {
    for (size_t k = 0; k < outputs[3 * i + 2].n; k++) {
      if (!as_assume_meets(&outputs[3 * i + 2], k, rule->assumption[i].rel))
        return false;
    }
  }
  return true;
}

bool as_rule_holds(const as_rule *rule, const int64_t *env, as_eval_codes *codes,
                   const as_tensor *inputs, uint64_t max_ops) {
  for (uint32_t i = 0; i < rule->decl->n_input; i++) {
    for (size_t k = 0; k < inputs[i].n && rule->type[i] != AS_R_REAL; k++) {
      mpq_t *value = as_assume_number(&inputs[i], k);
      if (mpz_cmp_ui(mpq_denref(*value), 1) != 0)
        return false;
      if (rule->type[i] == AS_R_BOOL && mpz_cmp_ui(mpq_numref(*value), 0) != 0 &&
          mpz_cmp_ui(mpq_numref(*value), 1) != 0)
        return false;
    }
  }
  if (rule->n_assumption == 0)
    return true;
  bool holds = false;
  for (int way = 0; way < 2 && !holds; way++) { /* rationals, then intervals */
    as_interval_domain interval;
    as_interval_domain_init(&interval, 100);
    as_eval_marks marks; /* also of what no element of the assumptions needs */
    as_tensor *outputs =
        way ? as_assume_evaluate(rule, env, NULL, inputs, &interval.d, max_ops, &marks)
            : as_assume_evaluate(rule, env, codes, inputs, &as_domain_exact, max_ops, &marks);
    if (outputs == NULL)
      return false;
    holds = !marks.flags && as_assume_all_hold(rule, outputs);
    as_assume_clear(rule->assume, outputs);
  }
  return holds;
}
