#include "term_eval.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 10000

typedef struct {
  int64_t integer;
  void *real;
} binding;

typedef struct {
  const ck_terms *T;
  const as_domain *domain;
  const as_term_model *model;
  as_err *err;
  as_status status;
  uint64_t left;
  bool limited;
  uint32_t depth;
  binding *stack;
  uint32_t n;
  uint32_t cap;
  void **memo; /* of closed terms, by number */
} evaluator;

static void fail(evaluator *eval, as_status status, const char *what, const char *name) {
  if (eval->status == AS_OK)
    eval->status = status;
  as_err_set(eval->err, status, "%s%s%s", what, name ? " " : "", name ? name : "");
}

static bool go_on(evaluator *eval) {
  if (eval->limited && !eval->left--) {
    eval->left = 0;
    fail(eval, AS_UNKNOWN, "the evaluation takes more steps than allowed", NULL);
  }
  return eval->status == AS_OK;
}

static void push(evaluator *eval, int64_t integer, void *real) {
  if (eval->n == eval->cap)
    eval->stack =
        as_realloc(eval->stack, (eval->cap = eval->cap ? 2 * eval->cap : 64) * sizeof *eval->stack);
  eval->stack[eval->n++] = (binding){integer, real};
}

static const binding *bound(evaluator *eval, ck_id term) {
  uint32_t index = ck_index(eval->T, term);
  if (index >= eval->n) {
    fail(eval, AS_BAD_INPUT, "a loose bound variable", NULL);
    return NULL;
  }
  return &eval->stack[eval->n - 1 - index];
}

static void real(evaluator *eval, ck_id term, void *out);

typedef enum { TRUTH_NO, TRUTH_YES, TRUTH_MAYBE, TRUTH_UNDEFINED, TRUTH_POISON } truth;

static truth relation(evaluator *eval, ck_id formula, unsigned *doubt);

/* an integer that data has no part in: sizes, indices and what is made of them */
static bool plain_integer(evaluator *eval, ck_id term) {
  switch (ck_head(eval->T, term)) {
  case CK_Q:
  case CK_V:
    return ck_is_int(eval->T, term);
  case CK_B: {
    const binding *binding_of = bound(eval, term);
    return binding_of && !binding_of->real;
  }
  case CK_ADD:
  case CK_MUL:
  case CK_DIV:
  case CK_MOD:
  case CK_ITE:
  case CK_EQ:
  case CK_NE:
  case CK_LE:
  case CK_LT:
    for (uint32_t i = 0; i < ck_nkids(eval->T, term); i++) {
      if (!plain_integer(eval, ck_kid(eval->T, term, i)))
        return false;
    }
    return true;
  default:
    return false;
  }
}

/* integer terms; *undef: a division that is not defined */
static int64_t integer(evaluator *eval, ck_id term, bool *undefined) {
  const ck_terms *terms = eval->T;
  if (!go_on(eval))
    return 0;
  int64_t left;
  int64_t right;
  int64_t value = 0;
  switch (ck_head(terms, term)) {
  case CK_Q: {
    const mpq_t *number = ck_q_value(terms, term);
    if (!mpz_fits_slong_p(mpq_numref(*number))) {
      fail(eval, AS_UNKNOWN, "an integer is too large", NULL);
      return 0;
    }
    return mpz_get_si(mpq_numref(*number));
  }
  case CK_V: {
    const char *name = ck_word_text(terms, ck_name(terms, term));
    if (!eval->model->var(eval->model->arg, name, &value))
      fail(eval, AS_BAD_INPUT, "no value for", name);
    return value;
  }
  case CK_B: {
    const binding *binding_of = bound(eval, term);
    return binding_of ? binding_of->integer : 0;
  }
  case CK_ADD:
  case CK_MUL:
  case CK_DIV:
  case CK_MOD: {
    left = integer(eval, ck_kid(terms, term, 0), undefined);
    right = integer(eval, ck_kid(terms, term, 1), undefined);
    ck_op op = ck_head(terms, term);
    if (op == CK_ADD || op == CK_MUL) {
      if (op == CK_ADD ? __builtin_add_overflow(left, right, &value)
                       : __builtin_mul_overflow(left, right, &value))
        fail(eval, AS_UNKNOWN, "an integer is too large", NULL);
      return value;
    }
    if (right <= 0) {
      *undefined = true;
      return 0;
    }
    value = left / right - (left % right < 0);
    return op == CK_DIV ? value : left - value * right;
  }
  case CK_ITE: {
    unsigned doubt = 0;
    truth condition = relation(eval, ck_kid(terms, term, 0), &doubt);
    if (condition != TRUTH_YES && condition != TRUTH_NO) {
      *undefined = true;
      return 0;
    }
    return integer(eval, ck_kid(terms, term, condition == TRUTH_YES ? 1 : 2), undefined);
  }
  case CK_APP: { /* an element of a tensor of integers */
    const as_domain *domain = eval->domain;
    void *element = as_dom_new(domain, 1);
    real(eval, term, element);
    unsigned flags = domain->flags(domain, element) & AS_F_NOVALUE;
    if (flags)
      *undefined = true;
    else if (!domain->to_int(domain, element, &value))
      fail(eval, AS_UNKNOWN, "an integer that this domain does not know", NULL);
    as_dom_free(domain, element, 1);
    return value;
  }
  default:
    fail(eval, AS_BAD_INPUT, "an integer term that has no value here", NULL);
    return 0;
  }
}

static truth compare(const as_domain *domain, ck_op op, const void *left, const void *right,
                     unsigned *doubt) {
  unsigned flags = domain->flags(domain, left) | domain->flags(domain, right);
  unsigned possible;
  unsigned wanted;
  *doubt |= flags & AS_F_DOUBT;
  if (flags & AS_F_UNDEF)
    return TRUTH_UNDEFINED;
  if (flags & AS_F_POISON)
    return TRUTH_POISON;
  possible = domain->cmp(domain, left, right);
  wanted = op == CK_EQ   ? AS_C_EQ
           : op == CK_NE ? AS_C_LT | AS_C_GT
           : op == CK_LE ? AS_C_LT | AS_C_EQ
                         : AS_C_LT;
  return !(possible & ~wanted) ? TRUTH_YES : !(possible & wanted) ? TRUTH_NO : TRUTH_MAYBE;
}

static truth relation(evaluator *eval, ck_id formula, unsigned *doubt) {
  const ck_terms *terms = eval->T;
  ck_id left = ck_kid(terms, formula, 0);
  ck_id right = ck_kid(terms, formula, 1);
  ck_op op = ck_head(terms, formula);
  if (plain_integer(eval, left) && plain_integer(eval, right)) {
    bool undefined = false;
    int64_t left_value = integer(eval, left, &undefined);
    int64_t right_value = integer(eval, right, &undefined);
    if (undefined)
      return TRUTH_UNDEFINED;
    return (op == CK_EQ   ? left_value == right_value
            : op == CK_NE ? left_value != right_value
            : op == CK_LE ? left_value <= right_value
                          : left_value < right_value)
               ? TRUTH_YES
               : TRUTH_NO;
  }
  void *values = as_dom_new(eval->domain, 2);
  real(eval, left, values);
  real(eval, right, AS_DOM_AT(eval->domain, values, 1));
  truth answer = compare(eval->domain, op, values, AS_DOM_AT(eval->domain, values, 1), doubt);
  as_dom_free(eval->domain, values, 2);
  return answer;
}

static void ite(evaluator *eval, ck_id term, void *out) {
  const as_domain *domain = eval->domain;
  unsigned doubt = 0;
  truth condition = relation(eval, ck_kid(eval->T, term, 0), &doubt);
  if (eval->status != AS_OK)
    return;
  if (condition == TRUTH_YES || condition == TRUTH_NO) {
    real(eval, ck_kid(eval->T, term, condition == TRUTH_YES ? 1 : 2), out);
  } else if (condition == TRUTH_MAYBE) {
    void *branches = as_dom_new(domain, 2);
    real(eval, ck_kid(eval->T, term, 1), branches);
    real(eval, ck_kid(eval->T, term, 2), AS_DOM_AT(domain, branches, 1));
    domain->join(domain, out, branches, AS_DOM_AT(domain, branches, 1));
    as_dom_free(domain, branches, 2);
  } else {
    as_dom_from_int(domain, out, 0);
    domain->flag(domain, out, condition == TRUTH_UNDEFINED ? AS_F_UNDEF : AS_F_POISON);
  }
  if (doubt)
    domain->flag(domain, out, doubt);
}

static void application(evaluator *eval, ck_id term, void *out) {
  const ck_terms *terms = eval->T;
  uint32_t n = ck_nkids(terms, term);
  const char *signature = ck_word_text(terms, ck_sig(terms, term));
  const char *name = ck_word_text(terms, ck_name(terms, term));
  int64_t *integers = as_calloc(n + 1, sizeof *integers);
  void *values = as_dom_new(eval->domain, n);
  const void **reals = as_calloc(n + 1, sizeof *reals);
  bool undefined = false;
  for (uint32_t i = 0; i < n && eval->status == AS_OK; i++) {
    reals[i] = AS_DOM_AT(eval->domain, values, i);
    if (signature[i] == 'i')
      integers[i] = integer(eval, ck_kid(terms, term, i), &undefined);
    else
      real(eval, ck_kid(terms, term, i), AS_DOM_AT(eval->domain, values, i));
  }
  if (undefined) {
    as_dom_from_int(eval->domain, out, 0);
    eval->domain->flag(eval->domain, out, AS_F_UNDEF);
  } else if (eval->status == AS_OK &&
             !eval->model->app(eval->model->arg, name, signature, integers, reals, n, out)) {
    fail(eval, AS_BAD_INPUT, "no meaning for the function", name);
  }
  as_dom_free(eval->domain, values, n);
  free(reals);
  free(integers);
}

static void fold(evaluator *eval, ck_id term, void *out) {
  const ck_terms *terms = eval->T;
  const as_domain *domain = eval->domain;
  uint32_t component = ck_index(terms, term);
  uint32_t width = ck_width(terms, term);
  uint32_t base = eval->n;
  bool undefined = false;
  int64_t rounds = integer(eval, ck_kid(terms, term, 0), &undefined);
  void *state = as_dom_new(domain, width);
  void *next = as_dom_new(domain, width);
  for (uint32_t state_q = 0; state_q < width; state_q++)
    real(eval, ck_kid(terms, term, 1 + state_q), AS_DOM_AT(domain, state, state_q));
  for (int64_t round = 0; round < rounds && !undefined && go_on(eval); round++) {
    for (uint32_t state_q = width; state_q-- > 0;)
      push(eval, 0, AS_DOM_AT(domain, state, state_q));
    push(eval, round, NULL);
    for (uint32_t state_q = 0; state_q < width; state_q++)
      real(eval, ck_kid(terms, term, 1 + width + state_q), AS_DOM_AT(domain, next, state_q));
    eval->n = base;
    for (uint32_t state_q = 0; state_q < width; state_q++)
      domain->set(domain, AS_DOM_AT(domain, state, state_q), AS_DOM_AT(domain, next, state_q));
  }
  domain->set(domain, out, AS_DOM_AT(domain, state, component));
  if (undefined)
    domain->flag(domain, out, AS_F_UNDEF);
  as_dom_free(domain, state, width);
  as_dom_free(domain, next, width);
}

static void compute(evaluator *eval, ck_id term, void *out) {
  const ck_terms *terms = eval->T;
  const as_domain *domain = eval->domain;
  if (plain_integer(eval, term)) {
    bool undefined = false;
    as_dom_from_int(domain, out, integer(eval, term, &undefined));
    if (undefined)
      domain->flag(domain, out, AS_F_UNDEF);
    return;
  }
  switch (ck_head(terms, term)) {
  case CK_Q:
    domain->from_q(domain, out, *ck_q_value(terms, term));
    return;
  case CK_B: {
    const binding *binding_of = bound(eval, term);
    if (binding_of && binding_of->real)
      domain->set(domain, out, binding_of->real);
    else
      fail(eval, AS_BAD_INPUT, "a bound variable of the wrong sort", NULL);
    return;
  }
  case CK_ADD:
  case CK_MUL: {
    void *values = as_dom_new(domain, 1);
    real(eval, ck_kid(terms, term, 0), values);
    real(eval, ck_kid(terms, term, 1), out);
    (ck_head(terms, term) == CK_ADD ? domain->add : domain->mul)(domain, out, values, out);
    as_dom_free(domain, values, 1);
    return;
  }
  case CK_DIV:
  case CK_MOD: { /* of integers that are data: rounded as the domain's own `div` does */
    void *values = as_dom_new(domain, 2);
    real(eval, ck_kid(terms, term, 0), values);
    real(eval, ck_kid(terms, term, 1), AS_DOM_AT(domain, values, 1));
    if (!domain->builtin(domain, "div", out,
                         (const void *const[]){values, AS_DOM_AT(domain, values, 1)}, 2)) {
      as_dom_from_int(domain, out, 0);
      domain->flag(domain, out, AS_F_POISON | AS_F_DOUBT);
    }
    if (ck_head(terms, term) == CK_MOD) {
      domain->mul(domain, out, AS_DOM_AT(domain, values, 1), out);
      domain->sub(domain, out, values, out);
    }
    as_dom_free(domain, values, 2);
    return;
  }
  case CK_INV:
  case CK_EXP:
  case CK_SQRT:
  case CK_LOG: {
    ck_op op = ck_head(terms, term);
    real(eval, ck_kid(terms, term, 0), out);
    domain->un(domain,
               op == CK_INV    ? AS_U_INV
               : op == CK_EXP  ? AS_U_EXP
               : op == CK_SQRT ? AS_U_SQRT
                               : AS_U_LOG,
               out, out);
    return;
  }
  case CK_ITE:
    ite(eval, term, out);
    return;
  case CK_APP:
    application(eval, term, out);
    return;
  case CK_FOLD:
    fold(eval, term, out);
    return;
  default:
    fail(eval, AS_BAD_INPUT, "a term that has no value here", NULL);
    return;
  }
}

static void real(evaluator *eval, ck_id term, void *out) {
  if (!go_on(eval))
    return;
  bool keep = ck_is_closed(eval->T, term) && ck_nkids(eval->T, term) > 0;
  if (keep && eval->memo[term]) {
    eval->domain->set(eval->domain, out, eval->memo[term]);
    return;
  }
  if (++eval->depth > MAX_DEPTH)
    fail(eval, AS_UNKNOWN, "the term is too deep", NULL);
  else
    compute(eval, term, out);
  eval->depth--;
  if (!keep || eval->status != AS_OK)
    return;
  eval->memo[term] = as_dom_new(eval->domain, 1);
  eval->domain->set(eval->domain, eval->memo[term], out);
}

static void start(evaluator *eval, const ck_terms *terms, const as_domain *domain,
                  const as_term_model *model, uint64_t max_ops, as_err *err) {
  *eval = (evaluator){.T = terms,
                      .domain = domain,
                      .model = model,
                      .err = err,
                      .left = max_ops,
                      .limited = max_ops != 0};
  eval->memo = as_calloc(ck_size(terms) + 1, sizeof *eval->memo);
}

static void finish(evaluator *eval) {
  for (size_t i = 0; i < ck_size(eval->T); i++) {
    if (eval->memo[i])
      as_dom_free(eval->domain, eval->memo[i], 1);
  }
  free(eval->memo);
  free(eval->stack);
}

as_status as_term_eval(const ck_terms *T, ck_id t, const as_domain *d, const as_term_model *m,
                       uint64_t max_ops, void *out, as_err *err) {
  evaluator eval;
  start(&eval, T, d, m, max_ops, err);
  real(&eval, t, out);
  finish(&eval);
  return eval.status;
}

as_status as_term_holds(const ck_terms *T, ck_id rel, const as_domain *d, const as_term_model *m,
                        uint64_t max_ops, as_err *err) {
  evaluator eval;
  start(&eval, T, d, m, max_ops, err);
  unsigned doubt = 0;
  truth r = ck_is_rel(T, rel) ? relation(&eval, rel, &doubt) : TRUTH_POISON;
  finish(&eval);
  if (eval.status != AS_OK)
    return eval.status;
  return r == TRUTH_YES ? AS_OK : r == TRUTH_NO ? AS_NO : AS_UNKNOWN;
}
