/* Assumptions are met by trial, and by setting the elements of a tensor that stands alone on one
 * side of a relation. */
#include "rule_inputs.h"
#include "refute.h"
#include <stdlib.h>
#include <string.h>

static mpq_t *number(const as_tensor *tensor, size_t i) {
  return (mpq_t *)as_tensor_at(tensor, i);
} /* an exact element starts with its mpq_t */

/* the easiest numbers to read come first, then numbers that reach other branches */
static void pick(mpq_t number, as_rule_type type, const as_constants *constants, as_rng *rng,
                 uint32_t round) {
  static const long square[] = {1, 4, 9, 16, 25};
  if (type == AS_R_BOOL) {
    mpq_set_si(number, round % 8 == 3 ? 0 : (long)as_rng_below(rng, 2), 1);
    return;
  }
  /* every other round numbers beside the constants, among easy ones */
  if (round % 2 == 1 && as_rng_below(rng, 3) == 0 &&
      as_constants_pick(constants, rng, type == AS_R_INT, number))
    return;
  switch (round % 8) {
  case 0:
    mpq_set_si(number, (long)as_rng_below(rng, 5) - 2, 1);
    break;
  case 1:
    mpq_set_si(number, square[as_rng_below(rng, 5)], 1);
    break;
  case 2:
    mpq_set_si(number, ((long)as_rng_below(rng, 4) + 1) * (as_rng_below(rng, 2) ? 1 : -1), 1);
    break;
  case 3:
    mpq_set_si(number, 0, 1);
    break;
  case 4:
    mpq_set_si(number, (long)as_rng_below(rng, 19) + 1, type == AS_R_INT ? 1 : 4);
    break;
  case 5:
    mpq_set_si(number, (long)as_rng_below(rng, 41) - 20, 1);
    break;
  case 6:
    mpq_set_si(number, (long)as_rng_below(rng, 2), 1);
    break;
  default:
    mpq_set_si(number, (long)as_rng_below(rng, 61) - 30,
               type == AS_R_INT ? 1 : 1 + as_rng_below(rng, 7));
    break;
  }
  mpq_canonicalize(number);
}

static void fill(const as_rule *rule, const as_constants *constants, as_tensor *inputs, as_rng *rng,
                 uint32_t round) {
  for (uint32_t i = 0; i < rule->decl->n_input; i++) {
    for (size_t k = 0; k < inputs[i].n; k++)
      pick(*number(&inputs[i], k), rule->type[i], constants, rng, round);
  }
}

/* each tensor all of one number, one number among zeros, or a multiple of a unit matrix: what
 * equations between tensors are often met by */
static void fill_plainly(const as_rule *rule, const as_constants *constants, as_tensor *inputs,
                         as_rng *rng) {
  for (uint32_t i = 0; i < rule->decl->n_input; i++) {
    uint64_t how = as_rng_below(rng, 4);
    size_t chosen = inputs[i].n ? as_rng_below(rng, inputs[i].n) : 0;
    int64_t width = inputs[i].rank >= 2 ? inputs[i].dim[inputs[i].rank - 1] : 1;
    int64_t height = inputs[i].rank >= 2 ? inputs[i].dim[inputs[i].rank - 2] : 1;
    mpq_t value;
    mpq_init(value);
    pick(value, rule->type[i], constants, rng, as_rng_below(rng, 2) ? 6 : 5);
    if (rule->type[i] == AS_R_REAL && mpq_sgn(value) != 0 && as_rng_below(rng, 3) == 0)
      mpq_inv(value, value);
    for (size_t k = 0; k < inputs[i].n; k++) {
      int64_t column = (int64_t)k % width;
      int64_t row = (int64_t)k / width % height;
      bool set = how == 0 || (how == 1 ? k == chosen : column == row);
      if (set)
        mpq_set(*number(&inputs[i], k), value);
      else
        mpq_set_ui(*number(&inputs[i], k), 0, 1);
    }
    mpq_clear(value);
  }
}

static void outputs_clear(const as_graph *graph, as_tensor *outputs) {
  for (uint32_t i = 0; i < graph->n_output; i++)
    as_tensor_clear(&outputs[i]);
  free(outputs);
}

/* the assumptions' tensors over a domain; NULL where they have no shape or cannot be evaluated */
static as_tensor *evaluate(const as_rule *rule, const int64_t *env, as_eval_codes *codes,
                           const as_tensor *inputs, const as_domain *domain, uint64_t max_ops,
                           as_eval_marks *marks) {
  const as_graph *graph = rule->assume;
  as_tensor *converted = NULL;
  as_tensor *outputs = as_calloc(graph->n_output + 1, sizeof *outputs);
  if (domain != &as_domain_exact && (converted = as_inputs_new(graph, domain, env, NULL)) != NULL) {
    for (uint32_t i = 0; i < graph->n_input; i++) {
      for (size_t k = 0; k < converted[i].n; k++)
        domain->from_q(domain, as_tensor_at(&converted[i], k), *number(&inputs[i], k));
    }
  }
  as_status status = as_eval_graph_again(graph, domain, env, codes, converted ? converted : inputs,
                                         outputs, max_ops, marks, NULL);
  as_inputs_free(graph, converted);
  if (status == AS_OK)
    return outputs;
  outputs_clear(graph, outputs);
  return NULL;
}

static unsigned orders(as_rel rel) {
  return rel == AS_REL_EQ   ? AS_C_EQ
         : rel == AS_REL_NE ? AS_C_LT | AS_C_GT
         : rel == AS_REL_LE ? AS_C_LT | AS_C_EQ
                            : AS_C_LT;
}

/* 0 rel x for element k of rhs - lhs, surely */
static bool meets(const as_tensor *differences, size_t k, as_rel rel) {
  const as_domain *domain = differences->d;
  const void *difference = as_tensor_at(differences, k);
  if (domain->flags(domain, difference))
    return false;
  void *zero = as_dom_new(domain, 1);
  bool holds = !(domain->cmp(domain, zero, difference) & ~orders(rel));
  as_dom_free(domain, zero, 1);
  return holds;
}

static bool all_hold(const as_rule *rule, const as_tensor *outputs) {
  for (uint32_t i = 0; i < rule->n_assumption; i++) {
    for (size_t k = 0; k < outputs[3 * i + 2].n; k++) {
      if (!meets(&outputs[3 * i + 2], k, rule->assumption[i].rel))
        return false;
    }
  }
  return true;
}

bool as_rule_holds(const as_rule *rule, const int64_t *env, as_eval_codes *codes,
                   const as_tensor *inputs, uint64_t max_ops) {
  for (uint32_t i = 0; i < rule->decl->n_input; i++) {
    for (size_t k = 0; k < inputs[i].n && rule->type[i] != AS_R_REAL; k++) {
      mpq_t *value = number(&inputs[i], k);
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
        way ? evaluate(rule, env, NULL, inputs, &interval.d, max_ops, &marks)
            : evaluate(rule, env, codes, inputs, &as_domain_exact, max_ops, &marks);
    if (outputs == NULL)
      return false;
    holds = !marks.flags && all_hold(rule, outputs);
    outputs_clear(rule->assume, outputs);
  }
  return holds;
}

/* element of a side at element k of the common shape: aligned at the right, extents 1 give way */
static size_t aligned(const as_tensor *whole, const as_tensor *side, size_t k) {
  size_t position = 0;
  size_t stride = 1;
  for (uint32_t i = 1; i <= whole->rank; i++) {
    int64_t extent = whole->dim[whole->rank - i];
    int64_t index = (int64_t)(k % (size_t)extent);
    k /= (size_t)extent;
    if (i > side->rank)
      continue;
    int64_t own = side->dim[side->rank - i];
    position += stride * (size_t)(own == 1 ? 0 : index);
    stride *= (size_t)own;
  }
  return position;
}

static int input_of(const as_rule *rule, as_node_id node) {
  for (uint32_t i = 0; i < rule->assume->n_input; i++) {
    if (rule->assume->input[i] == node)
      return (int)i;
  }
  return -1;
}

/* a value for x such that x rel v (less: x stands on the left), near v */
static void choose(mpq_t value, as_rule_type type, const mpq_t bound, as_rel relation, bool less,
                   as_rng *rng) {
  long offset = (long)as_rng_below(rng, 3) + (relation == AS_REL_LT);
  mpq_t step;
  mpq_init(step);
  if (relation == AS_REL_EQ)
    offset = 0;
  if (relation == AS_REL_NE)
    offset = ((long)as_rng_below(rng, 2) + 1) * (as_rng_below(rng, 2) ? 1 : -1);
  else if (less)
    offset = -offset;
  mpq_set_si(step, offset, type == AS_R_REAL ? 1 + as_rng_below(rng, 2) : 1);
  mpq_canonicalize(step);
  mpq_add(value, bound, step);
  if (type != AS_R_REAL && mpz_cmp_ui(mpq_denref(value), 1) != 0) {
    if (less)
      mpz_fdiv_q(mpq_numref(value), mpq_numref(value), mpq_denref(value));
    else
      mpz_cdiv_q(mpq_numref(value), mpq_numref(value), mpq_denref(value));
    mpz_set_ui(mpq_denref(value), 1);
  }
  if (type == AS_R_BOOL && mpz_cmp_ui(mpq_numref(value), 0) != 0 &&
      mpz_cmp_ui(mpq_numref(value), 1) != 0)
    mpq_set_ui(value, (unsigned long)as_rng_below(rng, 2), 1);
  mpq_clear(step);
}

/* sets elements of a tensor that is a side of a relation that fails there (some: half of them, for
 * a tensor that is related to itself, as A = transpose(A)); false where neither side is one */
static bool mend(const as_rule *rule, uint32_t i, const as_tensor *outputs, as_tensor *inputs,
                 as_rng *rng, bool half) {
  const as_assumption *assumption = &rule->assumption[i];
  const as_tensor *whole = &outputs[3 * i + 2];
  int input[2] = {input_of(rule, assumption->lhs), input_of(rule, assumption->rhs)};
  if (input[0] < 0 && input[1] < 0)
    return false;
  int side = input[0] >= 0 && (input[1] < 0 || as_rng_below(rng, 2)) ? 0 : 1;
  for (size_t k = 0; k < whole->n; k++) {
    if (meets(whole, k, assumption->rel) || (half && as_rng_below(rng, 2)))
      continue;
    const as_tensor *other = &outputs[3 * i + 1 - (uint32_t)side];
    const as_tensor *own = &inputs[input[side]];
    const void *bound = as_tensor_at(other, aligned(whole, other, k));
    if (as_domain_exact.flags(&as_domain_exact, bound))
      return false;
    choose(*number(own, aligned(whole, own, k)), rule->type[input[side]], *(const mpq_t *)bound,
           assumption->rel, side == 0, rng);
  }
  return true;
}

bool as_rule_sample(const as_rule *rule, const as_constants *constants, const int64_t *env,
                    as_eval_codes *codes, as_tensor *inputs, as_rng *rng, uint32_t round,
                    uint64_t max_ops) {
  enum { STARTS = 6, PLAIN = 24, ROUNDS = 10 };

  for (uint32_t attempt = 0; attempt < STARTS + PLAIN; attempt++) {
    if (attempt < STARTS)
      fill(rule, constants, inputs, rng, round + attempt);
    else
      fill_plainly(rule, constants, inputs, rng);
    if (rule->n_assumption == 0)
      return true;
    for (int mending = 0; mending < ROUNDS; mending++) {
      as_eval_marks marks;
      as_tensor *outputs = evaluate(rule, env, codes, inputs, &as_domain_exact, max_ops, &marks);
      if (outputs == NULL)
        return false;
      bool changed = false;
      bool held = !marks.flags && all_hold(rule, outputs);
      for (uint32_t i = 0; i < rule->n_assumption && !held; i++) {
        bool met = true;
        for (size_t k = 0; k < outputs[3 * i + 2].n && met; k++)
          met = meets(&outputs[3 * i + 2], k, rule->assumption[i].rel);
        if (!met && mend(rule, i, outputs, inputs, rng, mending & 1))
          changed = true;
        if (changed)
          break; /* what was computed from it is stale */
      }
      outputs_clear(rule->assume, outputs);
      if (held)
        return true;
      if (!changed)
        break;
    }
    if (as_rule_holds(rule, env, codes, inputs, max_ops))
      return true;
  }
  return false;
}
