#include "term_eval.h"
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 10000

typedef struct {
  int64_t i;
  void *r;
} slot;

typedef struct {
  const ck_terms *T;
  const as_domain *d;
  const as_term_model *m;
  as_err *err;
  as_status status;
  uint64_t left;
  bool limited;
  uint32_t depth;
  slot *stack;
  uint32_t n;
  uint32_t cap;
  void **memo; /* of closed terms, by number */
} te;

static void fail(te *E, as_status s, const char *what, const char *name) {
  if (E->status == AS_OK)
    E->status = s;
  as_err_set(E->err, s, "%s%s%s", what, name ? " " : "", name ? name : "");
}

static bool go_on(te *E) {
  if (E->limited && !E->left--) {
    E->left = 0;
    fail(E, AS_UNKNOWN, "the evaluation takes more steps than allowed", NULL);
  }
  return E->status == AS_OK;
}

static void push(te *E, int64_t i, void *r) {
  if (E->n == E->cap)
    E->stack = as_realloc(E->stack, (E->cap = E->cap ? 2 * E->cap : 64) * sizeof *E->stack);
  E->stack[E->n++] = (slot){i, r};
}

static const slot *bound(te *E, ck_id t) {
  uint32_t k = ck_index(E->T, t);
  if (k >= E->n) {
    fail(E, AS_BAD_INPUT, "a loose bound variable", NULL);
    return NULL;
  }
  return &E->stack[E->n - 1 - k];
}

static void real(te *E, ck_id t, void *out);

typedef enum { R_NO, R_YES, R_MAYBE, R_UNDEF, R_POISON } truth;

static truth relation(te *E, ck_id f, unsigned *doubt);

/* an integer that data has no part in: sizes, indices and what is made of them */
static bool plain_integer(te *E, ck_id t) {
  switch (ck_head(E->T, t)) {
  case CK_Q:
  case CK_V:
    return ck_is_int(E->T, t);
  case CK_B: {
    const slot *s = bound(E, t);
    return s && !s->r;
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
    for (uint32_t i = 0; i < ck_nkids(E->T, t); i++) {
      if (!plain_integer(E, ck_kid(E->T, t, i)))
        return false;
    }
    return true;
  default:
    return false;
  }
}

/* integer terms; *undef: a division that is not defined */
static int64_t integer(te *E, ck_id t, bool *undef) {
  const ck_terms *T = E->T;
  if (!go_on(E))
    return 0;
  int64_t a;
  int64_t b;
  int64_t r = 0;
  switch (ck_head(T, t)) {
  case CK_Q: {
    const mpq_t *q = ck_q_value(T, t);
    if (!mpz_fits_slong_p(mpq_numref(*q))) {
      fail(E, AS_UNKNOWN, "an integer is too large", NULL);
      return 0;
    }
    return mpz_get_si(mpq_numref(*q));
  }
  case CK_V: {
    const char *name = ck_word_text(T, ck_name(T, t));
    if (!E->m->var(E->m->arg, name, &r))
      fail(E, AS_BAD_INPUT, "no value for", name);
    return r;
  }
  case CK_B: {
    const slot *s = bound(E, t);
    return s ? s->i : 0;
  }
  case CK_ADD:
  case CK_MUL:
  case CK_DIV:
  case CK_MOD: {
    a = integer(E, ck_kid(T, t, 0), undef);
    b = integer(E, ck_kid(T, t, 1), undef);
    ck_op op = ck_head(T, t);
    if (op == CK_ADD || op == CK_MUL) {
      if (op == CK_ADD ? __builtin_add_overflow(a, b, &r) : __builtin_mul_overflow(a, b, &r))
        fail(E, AS_UNKNOWN, "an integer is too large", NULL);
      return r;
    }
    if (b <= 0) {
      *undef = true;
      return 0;
    }
    r = a / b - (a % b < 0);
    return op == CK_DIV ? r : a - r * b;
  }
  case CK_ITE: {
    unsigned doubt = 0;
    truth c = relation(E, ck_kid(T, t, 0), &doubt);
    if (c != R_YES && c != R_NO) {
      *undef = true;
      return 0;
    }
    return integer(E, ck_kid(T, t, c == R_YES ? 1 : 2), undef);
  }
  default:
    fail(E, AS_BAD_INPUT, "an integer term that has no value here", NULL);
    return 0;
  }
}

static truth compare(const as_domain *d, ck_op rel, const void *a, const void *b, unsigned *doubt) {
  unsigned f = d->flags(d, a) | d->flags(d, b);
  unsigned m;
  unsigned yes;
  *doubt |= f & AS_F_DOUBT;
  if (f & AS_F_UNDEF)
    return R_UNDEF;
  if (f & AS_F_POISON)
    return R_POISON;
  m = d->cmp(d, a, b);
  yes = rel == CK_EQ   ? AS_C_EQ
        : rel == CK_NE ? AS_C_LT | AS_C_GT
        : rel == CK_LE ? AS_C_LT | AS_C_EQ
                       : AS_C_LT;
  return !(m & ~yes) ? R_YES : !(m & yes) ? R_NO : R_MAYBE;
}

static truth relation(te *E, ck_id f, unsigned *doubt) {
  const ck_terms *T = E->T;
  ck_id x = ck_kid(T, f, 0);
  ck_id y = ck_kid(T, f, 1);
  ck_op rel = ck_head(T, f);
  if (plain_integer(E, x) && plain_integer(E, y)) {
    bool undef = false;
    int64_t a = integer(E, x, &undef);
    int64_t b = integer(E, y, &undef);
    if (undef)
      return R_UNDEF;
    return (rel == CK_EQ   ? a == b
            : rel == CK_NE ? a != b
            : rel == CK_LE ? a <= b
                           : a < b)
               ? R_YES
               : R_NO;
  }
  void *v = as_dom_new(E->d, 2);
  real(E, x, v);
  real(E, y, AS_DOM_AT(E->d, v, 1));
  truth r = compare(E->d, rel, v, AS_DOM_AT(E->d, v, 1), doubt);
  as_dom_free(E->d, v, 2);
  return r;
}

static void ite(te *E, ck_id t, void *out) {
  const as_domain *d = E->d;
  unsigned doubt = 0;
  truth c = relation(E, ck_kid(E->T, t, 0), &doubt);
  if (E->status != AS_OK)
    return;
  if (c == R_YES || c == R_NO) {
    real(E, ck_kid(E->T, t, c == R_YES ? 1 : 2), out);
  } else if (c == R_MAYBE) {
    void *v = as_dom_new(d, 2);
    real(E, ck_kid(E->T, t, 1), v);
    real(E, ck_kid(E->T, t, 2), AS_DOM_AT(d, v, 1));
    d->join(d, out, v, AS_DOM_AT(d, v, 1));
    as_dom_free(d, v, 2);
  } else {
    as_dom_from_int(d, out, 0);
    d->flag(d, out, c == R_UNDEF ? AS_F_UNDEF : AS_F_POISON);
  }
  if (doubt)
    d->flag(d, out, doubt);
}

static void application(te *E, ck_id t, void *out) {
  const ck_terms *T = E->T;
  uint32_t n = ck_nkids(T, t);
  const char *sig = ck_word_text(T, ck_sig(T, t));
  const char *name = ck_word_text(T, ck_name(T, t));
  int64_t *ix = as_calloc(n + 1, sizeof *ix);
  void *v = as_dom_new(E->d, n);
  const void **arg = as_calloc(n + 1, sizeof *arg);
  bool undef = false;
  for (uint32_t i = 0; i < n && E->status == AS_OK; i++) {
    arg[i] = AS_DOM_AT(E->d, v, i);
    if (sig[i] == 'i')
      ix[i] = integer(E, ck_kid(T, t, i), &undef);
    else
      real(E, ck_kid(T, t, i), AS_DOM_AT(E->d, v, i));
  }
  if (undef) {
    as_dom_from_int(E->d, out, 0);
    E->d->flag(E->d, out, AS_F_UNDEF);
  } else if (E->status == AS_OK && !E->m->app(E->m->arg, name, sig, ix, arg, n, out)) {
    fail(E, AS_BAD_INPUT, "no meaning for the function", name);
  }
  as_dom_free(E->d, v, n);
  free(arg);
  free(ix);
}

static void fold(te *E, ck_id t, void *out) {
  const ck_terms *T = E->T;
  const as_domain *d = E->d;
  uint32_t p = ck_index(T, t);
  uint32_t w = ck_width(T, t);
  uint32_t base = E->n;
  bool undef = false;
  int64_t n = integer(E, ck_kid(T, t, 0), &undef);
  void *state = as_dom_new(d, w);
  void *next = as_dom_new(d, w);
  for (uint32_t q = 0; q < w; q++)
    real(E, ck_kid(T, t, 1 + q), AS_DOM_AT(d, state, q));
  for (int64_t k = 0; k < n && !undef && go_on(E); k++) {
    for (uint32_t q = w; q-- > 0;)
      push(E, 0, AS_DOM_AT(d, state, q));
    push(E, k, NULL);
    for (uint32_t q = 0; q < w; q++)
      real(E, ck_kid(T, t, 1 + w + q), AS_DOM_AT(d, next, q));
    E->n = base;
    for (uint32_t q = 0; q < w; q++)
      d->set(d, AS_DOM_AT(d, state, q), AS_DOM_AT(d, next, q));
  }
  d->set(d, out, AS_DOM_AT(d, state, p));
  if (undef)
    d->flag(d, out, AS_F_UNDEF);
  as_dom_free(d, state, w);
  as_dom_free(d, next, w);
}

static void compute(te *E, ck_id t, void *out) {
  const ck_terms *T = E->T;
  const as_domain *d = E->d;
  if (plain_integer(E, t)) {
    bool undef = false;
    as_dom_from_int(d, out, integer(E, t, &undef));
    if (undef)
      d->flag(d, out, AS_F_UNDEF);
    return;
  }
  switch (ck_head(T, t)) {
  case CK_Q:
    d->from_q(d, out, *ck_q_value(T, t));
    return;
  case CK_B: {
    const slot *s = bound(E, t);
    if (s && s->r)
      d->set(d, out, s->r);
    else
      fail(E, AS_BAD_INPUT, "a bound variable of the wrong sort", NULL);
    return;
  }
  case CK_ADD:
  case CK_MUL: {
    void *v = as_dom_new(d, 1);
    real(E, ck_kid(T, t, 0), v);
    real(E, ck_kid(T, t, 1), out);
    (ck_head(T, t) == CK_ADD ? d->add : d->mul)(d, out, v, out);
    as_dom_free(d, v, 1);
    return;
  }
  case CK_DIV:
  case CK_MOD: { /* of integers that are data: rounded as the domain's own `div` does */
    void *v = as_dom_new(d, 2);
    real(E, ck_kid(T, t, 0), v);
    real(E, ck_kid(T, t, 1), AS_DOM_AT(d, v, 1));
    if (!d->builtin(d, "div", out, (const void *const[]){v, AS_DOM_AT(d, v, 1)}, 2)) {
      as_dom_from_int(d, out, 0);
      d->flag(d, out, AS_F_POISON | AS_F_DOUBT);
    }
    if (ck_head(T, t) == CK_MOD) {
      d->mul(d, out, AS_DOM_AT(d, v, 1), out);
      d->sub(d, out, v, out);
    }
    as_dom_free(d, v, 2);
    return;
  }
  case CK_INV:
  case CK_EXP:
  case CK_SQRT:
  case CK_LOG: {
    ck_op h = ck_head(T, t);
    real(E, ck_kid(T, t, 0), out);
    d->un(d,
          h == CK_INV    ? AS_U_INV
          : h == CK_EXP  ? AS_U_EXP
          : h == CK_SQRT ? AS_U_SQRT
                         : AS_U_LOG,
          out, out);
    return;
  }
  case CK_ITE:
    ite(E, t, out);
    return;
  case CK_APP:
    application(E, t, out);
    return;
  case CK_FOLD:
    fold(E, t, out);
    return;
  default:
    fail(E, AS_BAD_INPUT, "a term that has no value here", NULL);
    return;
  }
}

static void real(te *E, ck_id t, void *out) {
  if (!go_on(E))
    return;
  bool keep = ck_is_closed(E->T, t) && ck_nkids(E->T, t) > 0;
  if (keep && E->memo[t]) {
    E->d->set(E->d, out, E->memo[t]);
    return;
  }
  if (++E->depth > MAX_DEPTH)
    fail(E, AS_UNKNOWN, "the term is too deep", NULL);
  else
    compute(E, t, out);
  E->depth--;
  if (!keep || E->status != AS_OK)
    return;
  E->memo[t] = as_dom_new(E->d, 1);
  E->d->set(E->d, E->memo[t], out);
}

static void start(te *E, const ck_terms *T, const as_domain *d, const as_term_model *m,
                  uint64_t max_ops, as_err *err) {
  *E = (te){.T = T, .d = d, .m = m, .err = err, .left = max_ops, .limited = max_ops != 0};
  E->memo = as_calloc(ck_size(T) + 1, sizeof *E->memo);
}

static void finish(te *E) {
  for (size_t i = 0; i < ck_size(E->T); i++) {
    if (E->memo[i])
      as_dom_free(E->d, E->memo[i], 1);
  }
  free(E->memo);
  free(E->stack);
}

as_status as_term_eval(const ck_terms *T, ck_id t, const as_domain *d, const as_term_model *m,
                       uint64_t max_ops, void *out, as_err *err) {
  te E;
  start(&E, T, d, m, max_ops, err);
  real(&E, t, out);
  finish(&E);
  return E.status;
}

as_status as_term_holds(const ck_terms *T, ck_id rel, const as_domain *d, const as_term_model *m,
                        uint64_t max_ops, as_err *err) {
  te E;
  start(&E, T, d, m, max_ops, err);
  unsigned doubt = 0;
  truth r = ck_is_rel(T, rel) ? relation(&E, rel, &doubt) : R_POISON;
  finish(&E);
  if (E.status != AS_OK)
    return E.status;
  return r == R_YES ? AS_OK : r == R_NO ? AS_NO : AS_UNKNOWN;
}
