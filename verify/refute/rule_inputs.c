/* Assumptions are met by trial, and by setting the elements of a tensor that stands alone on one
 * side of a relation. */
#include "rule_inputs.h"
#include "refute.h"
#include <stdlib.h>
#include <string.h>

static mpq_t *number(const as_tensor *t, size_t i) {
  return (mpq_t *)as_tensor_at(t, i);
} /* an exact element starts with its mpq_t */

/* the easiest numbers to read come first, then numbers that reach other branches */
static void pick(mpq_t q, as_rule_type type, as_rng *rng, uint32_t t) {
  static const long square[] = {1, 4, 9, 16, 25};
  if (type == AS_R_BOOL) {
    mpq_set_si(q, t % 8 == 3 ? 0 : (long)as_rng_below(rng, 2), 1);
    return;
  }
  switch (t % 8) {
  case 0:
    mpq_set_si(q, (long)as_rng_below(rng, 5) - 2, 1);
    break;
  case 1:
    mpq_set_si(q, square[as_rng_below(rng, 5)], 1);
    break;
  case 2:
    mpq_set_si(q, ((long)as_rng_below(rng, 4) + 1) * (as_rng_below(rng, 2) ? 1 : -1), 1);
    break;
  case 3:
    mpq_set_si(q, 0, 1);
    break;
  case 4:
    mpq_set_si(q, (long)as_rng_below(rng, 19) + 1, type == AS_R_INT ? 1 : 4);
    break;
  case 5:
    mpq_set_si(q, (long)as_rng_below(rng, 41) - 20, 1);
    break;
  case 6:
    mpq_set_si(q, (long)as_rng_below(rng, 2), 1);
    break;
  default:
    mpq_set_si(q, (long)as_rng_below(rng, 61) - 30,
               type == AS_R_INT ? 1 : 1 + as_rng_below(rng, 7));
    break;
  }
  mpq_canonicalize(q);
}

static void fill(const as_rule *r, as_tensor *in, as_rng *rng, uint32_t t) {
  for (uint32_t i = 0; i < r->decl->n_input; i++) {
    for (size_t k = 0; k < in[i].n; k++)
      pick(*number(&in[i], k), r->type[i], rng, t);
  }
}

/* each tensor all of one number, one number among zeros, or a multiple of a unit matrix: what
 * equations between tensors are often met by */
static void fill_plainly(const as_rule *r, as_tensor *in, as_rng *rng) {
  for (uint32_t i = 0; i < r->decl->n_input; i++) {
    uint64_t how = as_rng_below(rng, 4);
    size_t one = in[i].n ? as_rng_below(rng, in[i].n) : 0;
    int64_t w = in[i].rank >= 2 ? in[i].dim[in[i].rank - 1] : 1;
    int64_t h = in[i].rank >= 2 ? in[i].dim[in[i].rank - 2] : 1;
    mpq_t q;
    mpq_init(q);
    pick(q, r->type[i], rng, as_rng_below(rng, 2) ? 6 : 2);
    if (r->type[i] == AS_R_REAL && mpq_sgn(q) != 0 && as_rng_below(rng, 3) == 0)
      mpq_inv(q, q);
    for (size_t k = 0; k < in[i].n; k++) {
      int64_t x = (int64_t)k % w;
      int64_t y = (int64_t)k / w % h;
      bool set = how == 0 || (how == 1 ? k == one : x == y);
      if (set)
        mpq_set(*number(&in[i], k), q);
      else
        mpq_set_ui(*number(&in[i], k), 0, 1);
    }
    mpq_clear(q);
  }
}

static void outputs_clear(const as_graph *g, as_tensor *out) {
  for (uint32_t i = 0; i < g->n_output; i++)
    as_tensor_clear(&out[i]);
  free(out);
}

/* the assumptions' tensors over a domain; NULL where they have no shape or cannot be evaluated */
static as_tensor *evaluate(const as_rule *r, const int64_t *env, const as_tensor *in,
                           const as_domain *d, uint64_t max_ops, as_eval_marks *marks) {
  const as_graph *g = r->assume;
  as_tensor *own = NULL;
  as_tensor *out = as_calloc(g->n_output + 1, sizeof *out);
  if (d != &as_domain_exact && (own = as_inputs_new(g, d, env, NULL)) != NULL) {
    for (uint32_t i = 0; i < g->n_input; i++) {
      for (size_t k = 0; k < own[i].n; k++)
        d->from_q(d, as_tensor_at(&own[i], k), *number(&in[i], k));
    }
  }
  as_status s = as_eval_graph_ops(g, d, env, own ? own : in, out, max_ops, marks, NULL);
  as_inputs_free(g, own);
  if (s == AS_OK)
    return out;
  outputs_clear(g, out);
  return NULL;
}

static unsigned orders(as_rel rel) {
  return rel == AS_REL_EQ   ? AS_C_EQ
         : rel == AS_REL_NE ? AS_C_LT | AS_C_GT
         : rel == AS_REL_LE ? AS_C_LT | AS_C_EQ
                            : AS_C_LT;
}

/* 0 rel x for element k of rhs - lhs, surely */
static bool meets(const as_tensor *x, size_t k, as_rel rel) {
  const as_domain *d = x->d;
  const void *e = as_tensor_at(x, k);
  if (d->flags(d, e))
    return false;
  void *zero = as_dom_new(d, 1);
  bool ok = !(d->cmp(d, zero, e) & ~orders(rel));
  as_dom_free(d, zero, 1);
  return ok;
}

static bool all_hold(const as_rule *r, const as_tensor *out) {
  for (uint32_t i = 0; i < r->n_assumption; i++) {
    for (size_t k = 0; k < out[3 * i + 2].n; k++) {
      if (!meets(&out[3 * i + 2], k, r->assumption[i].rel))
        return false;
    }
  }
  return true;
}

bool as_rule_holds(const as_rule *r, const int64_t *env, const as_tensor *in, uint64_t max_ops) {
  for (uint32_t i = 0; i < r->decl->n_input; i++) {
    for (size_t k = 0; k < in[i].n && r->type[i] != AS_R_REAL; k++) {
      mpq_t *q = number(&in[i], k);
      if (mpz_cmp_ui(mpq_denref(*q), 1) != 0)
        return false;
      if (r->type[i] == AS_R_BOOL && mpz_cmp_ui(mpq_numref(*q), 0) != 0 &&
          mpz_cmp_ui(mpq_numref(*q), 1) != 0)
        return false;
    }
  }
  if (r->n_assumption == 0)
    return true;
  bool ok = false;
  for (int way = 0; way < 2 && !ok; way++) { /* rationals, then intervals */
    as_interval_domain I;
    as_interval_domain_init(&I, 100);
    as_eval_marks marks; /* also of what no element of the assumptions needs */
    as_tensor *out = evaluate(r, env, in, way ? &I.d : &as_domain_exact, max_ops, &marks);
    if (out == NULL)
      return false;
    ok = !marks.flags && all_hold(r, out);
    outputs_clear(r->assume, out);
  }
  return ok;
}

/* element of a side at element k of the common shape: aligned at the right, extents 1 give way */
static size_t aligned(const as_tensor *whole, const as_tensor *side, size_t k) {
  size_t at = 0;
  size_t by = 1;
  for (uint32_t i = 1; i <= whole->rank; i++) {
    int64_t e = whole->dim[whole->rank - i];
    int64_t ix = (int64_t)(k % (size_t)e);
    k /= (size_t)e;
    if (i > side->rank)
      continue;
    int64_t own = side->dim[side->rank - i];
    at += by * (size_t)(own == 1 ? 0 : ix);
    by *= (size_t)own;
  }
  return at;
}

static int input_of(const as_rule *r, as_node_id id) {
  for (uint32_t i = 0; i < r->assume->n_input; i++) {
    if (r->assume->input[i] == id)
      return (int)i;
  }
  return -1;
}

/* a value for x such that x rel v (less: x stands on the left), near v */
static void choose(mpq_t x, as_rule_type type, const mpq_t v, as_rel rel, bool less, as_rng *rng) {
  long by = (long)as_rng_below(rng, 3) + (rel == AS_REL_LT);
  mpq_t step;
  mpq_init(step);
  if (rel == AS_REL_EQ)
    by = 0;
  if (rel == AS_REL_NE)
    by = ((long)as_rng_below(rng, 2) + 1) * (as_rng_below(rng, 2) ? 1 : -1);
  else if (less)
    by = -by;
  mpq_set_si(step, by, type == AS_R_REAL ? 1 + as_rng_below(rng, 2) : 1);
  mpq_canonicalize(step);
  mpq_add(x, v, step);
  if (type != AS_R_REAL && mpz_cmp_ui(mpq_denref(x), 1) != 0) {
    if (less)
      mpz_fdiv_q(mpq_numref(x), mpq_numref(x), mpq_denref(x));
    else
      mpz_cdiv_q(mpq_numref(x), mpq_numref(x), mpq_denref(x));
    mpz_set_ui(mpq_denref(x), 1);
  }
  if (type == AS_R_BOOL && mpz_cmp_ui(mpq_numref(x), 0) != 0 && mpz_cmp_ui(mpq_numref(x), 1) != 0)
    mpq_set_ui(x, (unsigned long)as_rng_below(rng, 2), 1);
  mpq_clear(step);
}

/* sets elements of a tensor that is a side of a relation that fails there (some: half of them, for
 * a tensor that is related to itself, as A = transpose(A)); false where neither side is one */
static bool mend(const as_rule *r, uint32_t i, const as_tensor *out, as_tensor *in, as_rng *rng,
                 bool some) {
  const as_assumption *a = &r->assumption[i];
  const as_tensor *whole = &out[3 * i + 2];
  int x[2] = {input_of(r, a->lhs), input_of(r, a->rhs)};
  if (x[0] < 0 && x[1] < 0)
    return false;
  int side = x[0] >= 0 && (x[1] < 0 || as_rng_below(rng, 2)) ? 0 : 1;
  for (size_t k = 0; k < whole->n; k++) {
    if (meets(whole, k, a->rel) || (some && as_rng_below(rng, 2)))
      continue;
    const as_tensor *other = &out[3 * i + 1 - (uint32_t)side];
    const as_tensor *own = &in[x[side]];
    const void *v = as_tensor_at(other, aligned(whole, other, k));
    if (as_domain_exact.flags(&as_domain_exact, v))
      return false;
    choose(*number(own, aligned(whole, own, k)), r->type[x[side]], *(const mpq_t *)v, a->rel,
           side == 0, rng);
  }
  return true;
}

bool as_rule_sample(const as_rule *r, const int64_t *env, as_tensor *in, as_rng *rng, uint32_t t,
                    uint64_t max_ops) {
  enum { STARTS = 6, PLAIN = 24, ROUNDS = 10 };

  for (uint32_t start = 0; start < STARTS + PLAIN; start++) {
    if (start < STARTS)
      fill(r, in, rng, t + start);
    else
      fill_plainly(r, in, rng);
    if (r->n_assumption == 0)
      return true;
    for (int round = 0; round < ROUNDS; round++) {
      as_eval_marks marks;
      as_tensor *out = evaluate(r, env, in, &as_domain_exact, max_ops, &marks);
      if (out == NULL)
        return false;
      bool changed = false;
      bool held = !marks.flags && all_hold(r, out);
      for (uint32_t i = 0; i < r->n_assumption && !held; i++) {
        bool ok = true;
        for (size_t k = 0; k < out[3 * i + 2].n && ok; k++)
          ok = meets(&out[3 * i + 2], k, r->assumption[i].rel);
        if (!ok && mend(r, i, out, in, rng, round & 1))
          changed = true;
        if (changed)
          break; /* what was computed from it is stale */
      }
      outputs_clear(r->assume, out);
      if (held)
        return true;
      if (!changed)
        break;
    }
    if (as_rule_holds(r, env, in, max_ops))
      return true;
  }
  return false;
}
