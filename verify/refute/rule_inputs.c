/* Assumptions are met by trial, and by setting the elements of a tensor that stands alone on one
 * side of a relation. */
#include "rule_inputs.h"
#include "rule_assume.h"
#include "rule_solve.h"
#include <stdlib.h>
#include <string.h>

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
      pick(*as_assume_number(&inputs[i], k), rule->type[i], constants, rng, round);
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
        mpq_set(*as_assume_number(&inputs[i], k), value);
      else
        mpq_set_ui(*as_assume_number(&inputs[i], k), 0, 1);
    }
    mpq_clear(value);
  }
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
    if (as_assume_meets(whole, k, assumption->rel) || (half && as_rng_below(rng, 2)))
      continue;
    const as_tensor *other = &outputs[3 * i + 1 - (uint32_t)side];
    const as_tensor *own = &inputs[input[side]];
    const void *bound = as_tensor_at(other, aligned(whole, other, k));
    if (as_domain_exact.flags(&as_domain_exact, bound))
      return false;
    choose(*as_assume_number(own, aligned(whole, own, k)), rule->type[input[side]],
           *(const mpq_t *)bound, assumption->rel, side == 0, rng);
  }
  return true;
}

/* sets elements until the assumptions hold, or nothing is left that could be set; false: they do
 * not hold.  *undefined: they cannot be evaluated at these sizes */
static bool mend_all(const as_rule *rule, const int64_t *env, as_eval_codes *codes,
                     as_tensor *inputs, as_rng *rng, uint64_t max_ops, bool *undefined) {
  enum { ROUNDS = 10 };

  for (int mending = 0; mending < ROUNDS; mending++) {
    as_eval_marks marks;
    as_tensor *outputs =
        as_assume_evaluate(rule, env, codes, inputs, &as_domain_exact, max_ops, &marks);
    if (outputs == NULL) {
      *undefined = true;
      return false;
    }
    bool changed = false;
    bool held = !marks.flags && as_assume_all_hold(rule, outputs);
    for (uint32_t i = 0; i < rule->n_assumption && !held && !changed; i++) {
      bool met = true;
      for (size_t k = 0; k < outputs[3 * i + 2].n && met; k++)
        met = as_assume_meets(&outputs[3 * i + 2], k, rule->assumption[i].rel);
      changed = !met && mend(rule, i, outputs, inputs, rng, mending & 1);
    } /* after a change, what was computed from it is stale */
    as_assume_clear(rule->assume, outputs);
    if (held || !changed)
      return held;
  }
  return false;
}

bool as_rule_sample(const as_rule *rule, const as_constants *constants, const int64_t *env,
                    as_eval_codes *codes, as_tensor *inputs, as_rng *rng, uint32_t round,
                    uint64_t max_ops) {
  enum { STARTS = 6, PLAIN = 24, SOLVED = 3, MOVES = 8 };

  bool undefined = false;
  bool equations = as_rule_has_equation(rule);
  for (uint32_t attempt = 0; attempt < STARTS + PLAIN; attempt++) {
    if (attempt < STARTS)
      fill(rule, constants, inputs, rng, round + attempt);
    else
      fill_plainly(rule, constants, inputs, rng);
    if (rule->n_assumption == 0)
      return true;
    bool held = mend_all(rule, env, codes, inputs, rng, max_ops, &undefined);
    if (undefined)
      return false;
    /* points that chance finds are mostly special ones, with zeros and ones */
    if (equations && (held ? as_rng_below(rng, 2) == 0 : attempt % SOLVED == 0))
      as_rule_solve(rule, env, codes, inputs, rng, MOVES, max_ops);
    if (held || as_rule_holds(rule, env, codes, inputs, max_ops))
      return true;
  }
  return false;
}
