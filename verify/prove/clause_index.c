/* Indices that are sums: what stands for i in `C*i + j`, i being counted in steps of C, and j below
 * C.  C is a number or a product of sizes.  Nothing is proved here: what is found is tried. */
#include "pv_facts.h"

enum { MOST_VARIABLES = 16, MOST_ATOMS = 16 };

/* how far the index moves with a variable: a number times these sizes */
typedef struct {
  uint32_t index; /* of the variable, as a bound one */
  ck_id coef;
  ck_id atoms[MOST_ATOMS];
  uint32_t degree;
} stride;

typedef struct {
  stride strides[MOST_VARIABLES];
  uint32_t n;
  pv_poly constant; /* what does not move */
} index_sum;

static bool variables_for(pv *prover, uint32_t n, ck_id *out) {
  char text[32];
  if (n > MOST_VARIABLES)
    return false;
  for (uint32_t i = 0; i < n; i++) {
    snprintf(text, sizeof text, "$$moves%u", i);
    out[i] = pv_int_var(prover, text);
  }
  return true;
}

/* which of the variables is a factor of the monomial, if only one is, once, and none is hidden in
 * another atom; n: none; more than that: it is no such */
static uint32_t factor_among(pv *prover, const pv_mono *mono, const ck_id *variables, uint32_t n) {
  uint32_t found = n;
  for (uint32_t k = 0; k < mono->degree; k++) {
    for (uint32_t i = 0; i < n; i++) {
      if (mono->atoms[k] == variables[i])
        found = found == n ? i : n + 1;
      else if (pv_occurs(prover, mono->atoms[k], variables[i]))
        return n + 1;
    }
  }
  return found;
}

static bool add_stride(pv *prover, index_sum *sum, const pv_mono *mono, ck_id variable,
                       uint32_t index) {
  stride *next = &sum->strides[sum->n];
  if (sum->n == MOST_VARIABLES || mono->degree > MOST_ATOMS ||
      pv_const_sign(prover, mono->coef) <= 0 || !ck_is_int(prover->terms, mono->coef))
    return false;
  *next = (stride){.index = index, .coef = mono->coef};
  for (uint32_t k = 0; k < mono->degree; k++) {
    if (mono->atoms[k] != variable)
      next->atoms[next->degree++] = mono->atoms[k];
  }
  sum->n++;
  return true;
}

/* the pattern, whose bound variables below `depth` are those of folds in it, which are left out */
static bool read_sum(pv *prover, ck_id pattern, uint32_t depth, index_sum *sum) {
  uint32_t n = ck_loose_max(prover->terms, pattern);
  ck_id variables[MOST_VARIABLES];
  pv_poly poly;
  if (!variables_for(prover, n, variables))
    return false;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, ck_open(prover->terms, pattern, variables, n));
  bool readable = true;
  for (uint32_t i = 0; i < poly.count && readable; i++) {
    const pv_mono *mono = &poly.monos[i];
    uint32_t which = factor_among(prover, mono, variables, n);
    readable = which <= n;
    if (readable && which == n)
      pv_poly_add_mono(prover, &sum->constant, mono->coef, mono->atoms, mono->degree);
    else if (readable && which >= depth)
      readable = add_stride(prover, sum, mono, variables[which], which);
  }
  pv_poly_clear(&poly);
  return readable;
}

/* the argument without the constant, and without what moves with variables of folds around it;
 * false: that is all of it, and no `first` places are asked for */
static bool read_argument(pv *prover, ck_id argument, const pv_poly *constant, bool first,
                          pv_poly *rest) {
  index_sum own = {.n = 0};
  pv_poly_init(&own.constant);
  bool readable = read_sum(prover, argument, ck_loose_max(prover->terms, argument), &own);
  bool some = first || ck_is_closed(prover->terms, argument) || own.constant.count > 0;
  pv_poly_add(prover, rest, &own.constant, prover->one);
  pv_poly_add(prover, rest, constant, pv_num(prover, -1));
  pv_poly_clear(&own.constant);
  return readable && some;
}

/* what one stride is in steps of the other; CK_BAD: no whole number above one of them, as far as
 * is seen */
static ck_id steps_of(pv *prover, const stride *far, const stride *near) {
  ck_id rest[MOST_ATOMS];
  int degree = pv_mono_div(far->atoms, far->degree, near->atoms, near->degree, rest);
  if (degree < 0)
    return CK_BAD;
  ck_id scale = pv_const_mul(prover, far->coef, pv_const_inv(prover, near->coef));
  bool more = degree > 0 || mpq_cmp_ui(*ck_q_value(prover->terms, scale), 1, 1) > 0;
  return more ? pv_mono_term(prover, scale, rest, (uint32_t)degree) : CK_BAD;
}

/* the next longer stride; NULL: there is none */
static const stride *next_above(pv *prover, const index_sum *sum, const stride *here) {
  const stride *next = NULL;
  for (uint32_t i = 0; i < sum->n; i++) {
    const stride *other = &sum->strides[i];
    if (steps_of(prover, other, here) != CK_BAD &&
        (next == NULL || steps_of(prover, next, other) != CK_BAD))
      next = other;
  }
  return next;
}

/* takes the factors that all of the argument has out of both */
static void cancel(pv *prover, pv_poly *argument, stride *by) {
  for (uint32_t k = 0; k < by->degree;) {
    bool all = argument->count > 0;
    for (uint32_t i = 0; i < argument->count && all; i++)
      all = pv_mono_has(&argument->monos[i], by->atoms[k]);
    if (!all) {
      k++;
      continue;
    }
    pv_poly without;
    pv_poly_init(&without);
    for (uint32_t i = 0; i < argument->count; i++) {
      ck_id rest[64];
      const pv_mono *mono = &argument->monos[i];
      int degree =
          mono->degree > 64 ? -1 : pv_mono_div(mono->atoms, mono->degree, &by->atoms[k], 1, rest);
      if (degree >= 0)
        pv_poly_add_mono(prover, &without, mono->coef, rest, (uint32_t)degree);
    }
    pv_poly_clear(argument);
    *argument = without;
    by->degree--;
    for (uint32_t i = k; i < by->degree; i++)
      by->atoms[i] = by->atoms[i + 1];
  }
}

static ck_id digit_of(pv *prover, const index_sum *sum, const stride *found, pv_poly *argument) {
  stride by = *found;
  const stride *next = next_above(prover, sum, found);
  ck_id radix = next ? steps_of(prover, next, found) : CK_BAD;
  cancel(prover, argument, &by);
  ck_id divisor = pv_mono_term(prover, by.coef, by.atoms, by.degree);
  ck_id digit = pv_poly_term(prover, argument);
  if (!pv_is_one(prover, divisor))
    digit = ck_mk2(prover->terms, CK_DIV, digit, divisor);
  if (next == NULL)
    return digit;
  return ck_is_int(prover->terms, radix) ? ck_mk2(prover->terms, CK_MOD, digit, radix) : CK_BAD;
}

ck_id pv_clause_digit(pv *prover, ck_id pattern, uint32_t index, uint32_t depth, ck_id argument,
                      bool first) {
  index_sum sum = {.n = 0};
  pv_poly rest;
  ck_id digit = CK_BAD;
  pv_poly_init(&sum.constant);
  pv_poly_init(&rest);
  if (read_sum(prover, pattern, depth, &sum) &&
      read_argument(prover, argument, &sum.constant, first, &rest)) {
    for (uint32_t i = 0; i < sum.n && digit == CK_BAD; i++) {
      if (sum.strides[i].index == index)
        digit = digit_of(prover, &sum, &sum.strides[i], &rest);
    }
  }
  pv_poly_clear(&sum.constant);
  pv_poly_clear(&rest);
  return digit != CK_BAD && ck_is_int(prover->terms, digit) ? digit : CK_BAD;
}
