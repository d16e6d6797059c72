/* On a line x + t*d an equation of degree two is a*t*t + b*t + c = 0, and three values of it give
 * a, b and c.  Where c = 0, so that x is a solution, t = -b/a is another one and rational: from one
 * rational point of a conic the lines through it lead to all others (Diophantus). */
#include "rule_solve.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_MOVED = 3 };

typedef struct {
  const as_rule *rule;
  const int64_t *env;
  as_eval_codes *codes;
  as_tensor *inputs;
  uint64_t max_ops;
  /* the elements that move, where they started, and how far they go for t = 1 */
  uint32_t n_moved;
  mpq_t *element[MOST_MOVED];
  mpq_t start[MOST_MOVED];
  mpq_t slope[MOST_MOVED];
} search_line;

bool as_rule_has_equation(const as_rule *rule) {
  for (uint32_t i = 0; i < rule->n_assumption; i++) {
    if (rule->assumption[i].rel == AS_REL_EQ)
      return true;
  }
  return false;
}

/* the elements at t; NULL: the assumptions are not defined there */
static as_tensor *at(const search_line *line, const mpq_t t) {
  for (uint32_t i = 0; i < line->n_moved; i++) {
    mpq_mul(*line->element[i], line->slope[i], t);
    mpq_add(*line->element[i], *line->element[i], line->start[i]);
  }
  as_eval_marks marks;
  as_tensor *outputs = as_assume_evaluate(line->rule, line->env, line->codes, line->inputs,
                                          &as_domain_exact, line->max_ops, &marks);
  if (outputs && marks.flags) {
    as_assume_clear(line->rule->assume, outputs);
    return NULL;
  }
  return outputs;
}

static as_tensor *at_integer(const search_line *line, long t) {
  mpq_t position;
  mpq_init(position);
  mpq_set_si(position, t, 1);
  as_tensor *outputs = at(line, position);
  mpq_clear(position);
  return outputs;
}

/* how many equations fail; of these `met` held at the start, which must not be */
static bool no_worse(const search_line *line, const as_tensor *before, const as_tensor *after,
                     bool *better) {
  for (uint32_t i = 0; i < line->rule->n_assumption; i++) {
    as_rel relation = line->rule->assumption[i].rel;
    for (size_t k = 0; k < before[3 * i + 2].n; k++) {
      bool held = as_assume_meets(&before[3 * i + 2], k, relation);
      bool holds = as_assume_meets(&after[3 * i + 2], k, relation);
      if (held && !holds)
        return false;
      *better = *better || (holds && !held);
    }
  }
  return true;
}

/* root = -b / (2a) +- sqrt(b*b - 4*a*c) / (2a), other than 0; false: none is rational */
static bool quadratic_root(mpq_t root, const mpq_t a, const mpq_t b, const mpq_t c, bool plus) {
  mpq_t discriminant;
  mpq_t product;
  mpq_inits(discriminant, product, NULL);
  mpq_mul(discriminant, b, b);
  mpq_mul(product, a, c);
  mpz_mul_2exp(mpq_numref(product), mpq_numref(product), 2);
  mpq_canonicalize(product);
  mpq_sub(discriminant, discriminant, product);
  bool rational = mpq_sgn(discriminant) >= 0 && mpz_perfect_square_p(mpq_numref(discriminant)) &&
                  mpz_perfect_square_p(mpq_denref(discriminant));
  if (rational) {
    mpz_sqrt(mpq_numref(discriminant), mpq_numref(discriminant));
    mpz_sqrt(mpq_denref(discriminant), mpq_denref(discriminant));
    if (!plus)
      mpq_neg(discriminant, discriminant);
    mpq_sub(root, discriminant, b);
    if (mpq_sgn(root) == 0) /* the point at which one is: the other solution */
      mpq_add(root, discriminant, discriminant);
    mpq_div(root, root, a);
    mpz_mul_2exp(mpq_denref(root), mpq_denref(root), 1);
    mpq_canonicalize(root);
  }
  mpq_clears(discriminant, product, NULL);
  return rational && mpq_sgn(root) != 0;
}

/* t such that an equation with these values at t = 0, 1, -1 holds, read as one of degree two */
static bool root_of(mpq_t root, const mpq_t here, const mpq_t ahead, const mpq_t behind,
                    bool plus) {
  mpq_t half;
  mpq_t a;
  mpq_t b;
  mpq_inits(half, a, b, NULL);
  mpq_set_ui(half, 1, 2);
  mpq_add(a, ahead, behind);
  mpq_mul(a, a, half);
  mpq_sub(a, a, here);
  mpq_sub(b, ahead, behind);
  mpq_mul(b, b, half);
  bool found = false;
  if (mpq_sgn(a) != 0) {
    found = quadratic_root(root, a, b, here, plus);
  } else if (mpq_sgn(b) != 0 && mpq_sgn(here) != 0) {
    mpq_div(root, here, b);
    mpq_neg(root, root);
    found = true;
  }
  mpq_clears(half, a, b, NULL);
  return found;
}

/* the first equation that the elements occur in says where to go */
static bool find_root(mpq_t root, const search_line *line, const as_tensor *here,
                      const as_tensor *ahead, const as_tensor *behind, bool plus) {
  for (uint32_t i = 0; i < line->rule->n_assumption; i++) {
    for (size_t k = 0; k < here[3 * i + 2].n && line->rule->assumption[i].rel == AS_REL_EQ; k++) {
      const mpq_t *value = as_assume_number(&here[3 * i + 2], k);
      const mpq_t *forth = as_assume_number(&ahead[3 * i + 2], k);
      const mpq_t *back = as_assume_number(&behind[3 * i + 2], k);
      if ((!mpq_equal(*value, *forth) || !mpq_equal(*value, *back)) &&
          root_of(root, *value, *forth, *back, plus))
        return true;
    }
  }
  return false;
}

/* one, two or three real elements; mostly at the same place of their tensors, as equations between
 * tensors relate them */
static bool choose_line(search_line *line, as_rng *rng) {
  uint32_t n_inputs = line->rule->decl->n_input;
  uint32_t wanted = 1 + (uint32_t)as_rng_below(rng, MOST_MOVED);
  uint64_t place = as_rng_next(rng);
  bool aligned = as_rng_below(rng, 3) > 0;
  line->n_moved = 0;
  for (uint32_t attempt = 0; attempt < 4 * wanted && line->n_moved < wanted; attempt++) {
    uint32_t i = (uint32_t)as_rng_below(rng, n_inputs ? n_inputs : 1);
    if (i >= n_inputs || line->inputs[i].n == 0 || line->rule->type[i] != AS_R_REAL)
      continue;
    size_t k = (aligned ? place : as_rng_next(rng)) % line->inputs[i].n;
    mpq_t *element = as_assume_number(&line->inputs[i], k);
    bool taken = false;
    for (uint32_t other = 0; other < line->n_moved; other++)
      taken = taken || line->element[other] == element;
    if (taken)
      continue;
    mpq_set(line->start[line->n_moved], *element);
    mpq_set_si(line->slope[line->n_moved],
               (long)(1 + as_rng_below(rng, 3)) * (as_rng_below(rng, 2) ? 1 : -1), 1);
    line->element[line->n_moved++] = element;
  }
  return line->n_moved > 0;
}

/* true: the elements are where more equations hold, or as many at another place */
static bool move(search_line *line, as_rng *rng) {
  if (!choose_line(line, rng))
    return false;
  bool made = false;
  mpq_t root;
  mpq_init(root);
  as_tensor *here = at_integer(line, 0);
  as_tensor *ahead = here ? at_integer(line, 1) : NULL;
  as_tensor *behind = ahead ? at_integer(line, -1) : NULL;
  if (behind && find_root(root, line, here, ahead, behind, as_rng_below(rng, 2))) {
    as_tensor *there = at(line, root);
    bool better = as_assume_all_hold(line->rule, here);
    made = there && no_worse(line, here, there, &better) && better;
    if (there)
      as_assume_clear(line->rule->assume, there);
  }
  as_tensor *const seen[] = {here, ahead, behind};
  for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
    if (seen[i])
      as_assume_clear(line->rule->assume, seen[i]);
  }
  for (uint32_t i = 0; i < line->n_moved && !made; i++)
    mpq_set(*line->element[i], line->start[i]);
  mpq_clear(root);
  return made;
}

bool as_rule_solve(const as_rule *rule, const int64_t *env, as_eval_codes *codes, as_tensor *inputs,
                   as_rng *rng, uint32_t moves, uint64_t max_ops) {
  search_line line = {
      .rule = rule, .env = env, .codes = codes, .inputs = inputs, .max_ops = max_ops};
  bool moved = false;
  for (uint32_t i = 0; i < MOST_MOVED; i++)
    mpq_inits(line.start[i], line.slope[i], NULL);
  for (uint32_t i = 0; i < moves; i++)
    moved = move(&line, rng) || moved;
  for (uint32_t i = 0; i < MOST_MOVED; i++)
    mpq_clears(line.start[i], line.slope[i], NULL);
  return moved;
}
