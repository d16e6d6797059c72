/* Runs compiled operator bodies. */
#include "eval_code.h"
#include <stdlib.h>
#include <string.h>

static void stop(as_opcode *o, as_status s) {
  if (o->status == AS_OK)
    o->status = s;
}

static void fail(as_opcode *o, const code *e, const char *what) {
  if (o->status != AS_OK)
    return;
  stop(o, AS_NO);
  as_err_set(o->err, AS_NO, "%s:%d:%d: operator %s: %s%s%s", o->op->file ? o->op->file : "?",
             e ? e->line : o->op->line, e ? e->col : 1, o->op->name, what, e && e->name ? " " : "",
             e && e->name ? e->name : "");
}

static bool tick(as_opcode *o) {
  if (o->ticks && !(*o->ticks)--) {
    *o->ticks = 0;
    stop(o, AS_UNKNOWN);
    as_err_set(o->err, AS_UNKNOWN, "the evaluation takes more steps than allowed");
  }
  return o->status == AS_OK;
}

typedef enum { K_NO, K_YES, K_MAYBE, K_UNDEF, K_POISON } known;

static known test(as_opcode *o, const cond *c, bool *doubt);
static void ev(as_opcode *o, const code *e, void *r);

static int64_t iv(as_opcode *o, const icode *i) {
  int64_t a;
  int64_t b;
  int64_t r = 0;
  bool over = false;
  switch (i->k) {
  case I_CONST:
    return i->v;
  case I_SLOT:
    return o->slot[i->slot];
  case I_IF: {
    bool doubt = false;
    known k = test(o, i->c, &doubt);
    if (k != K_YES && k != K_NO)
      fail(o, NULL, "an index depends on data");
    return iv(o, k == K_YES ? i->a : i->b);
  }
  default:
    break;
  }
  a = iv(o, i->a);
  b = i->b ? iv(o, i->b) : 0;
  switch (i->k) {
  case I_ADD:
    over = __builtin_add_overflow(a, b, &r);
    break;
  case I_SUB:
    over = __builtin_sub_overflow(a, b, &r);
    break;
  case I_MUL:
    over = __builtin_mul_overflow(a, b, &r);
    break;
  case I_NEG:
    over = __builtin_sub_overflow((int64_t)0, a, &r);
    break;
  case I_MAX:
    return a > b ? a : b;
  case I_MIN:
    return a < b ? a : b;
  case I_ABS:
    over = a == INT64_MIN;
    r = over || a >= 0 ? a : -a;
    break;
  case I_DIV:
  case I_MOD:
    if (b <= 0) {
      fail(o, NULL, "an integer division by zero or a negative number");
      return 0;
    }
    r = a / b - (a % b < 0);
    if (i->k == I_MOD)
      r = a - r * b;
    break;
  default:
    break;
  }
  if (over)
    fail(o, NULL, "an integer expression overflows");
  return r;
}

static bool int_rel(as_rel rel, int64_t a, int64_t b) {
  return rel == AS_REL_EQ ? a == b : rel == AS_REL_NE ? a != b : rel == AS_REL_LE ? a <= b : a < b;
}

static known rel_known(as_rel rel, unsigned m) {
  unsigned yes = rel == AS_REL_EQ   ? AS_C_EQ
                 : rel == AS_REL_NE ? AS_C_LT | AS_C_GT
                 : rel == AS_REL_LE ? AS_C_LT | AS_C_EQ
                                    : AS_C_LT;
  return !(m & ~yes) ? K_YES : !(m & yes) ? K_NO : K_MAYBE;
}

static known compare(const as_domain *d, as_rel rel, const void *a, const void *b, bool *doubt) {
  unsigned f = d->flags(d, a) | d->flags(d, b);
  if (f & AS_F_DOUBT)
    *doubt = true;
  return f & AS_F_UNDEF ? K_UNDEF : f & AS_F_POISON ? K_POISON : rel_known(rel, d->cmp(d, a, b));
}

/* three-valued, from left to right: what is undefined matters only when it is reached */
static known test(as_opcode *o, const cond *c, bool *doubt) {
  known x;
  known y;
  switch (c->k) {
  case C_INTREL: {
    int64_t a = iv(o, c->ia);
    int64_t b = iv(o, c->ib);
    return int_rel(c->rel, a, b) ? K_YES : K_NO;
  }
  case C_REL: {
    const as_domain *d = o->d;
    void *a = as_dom_new(d, 2);
    void *b = AS_DOM_AT(d, a, 1);
    ev(o, c->a, a);
    ev(o, c->b, b);
    known k = compare(d, c->rel, a, b, doubt);
    as_dom_free(d, a, 2);
    return k;
  }
  case C_NOT:
    x = test(o, c->x, doubt);
    return x == K_YES ? K_NO : x == K_NO ? K_YES : x;
  case C_AND:
  case C_OR:
    break;
  }
  known stops = c->k == C_AND ? K_NO : K_YES;
  x = test(o, c->x, doubt);
  if (x != K_YES && x != K_NO && x != K_MAYBE)
    return x;
  if (x == stops)
    return x;
  y = test(o, c->y, doubt);
  if (x == K_MAYBE) {
    if (y == stops)
      return y;
    if (y == K_UNDEF || y == K_POISON)
      return K_POISON;
    return K_MAYBE;
  }
  return y;
}

/* r = (a rel b) ? b : a, for maxima and minima; acc may be r itself */
static void choose(as_opcode *o, void *r, const void *a, const void *b, bool greater) {
  const as_domain *d = o->d;
  bool doubt = false;
  known k = compare(d, AS_REL_LE, a, b, &doubt);
  unsigned f = (d->flags(d, a) | d->flags(d, b)) & AS_F_DOUBT;
  if (k == K_UNDEF || k == K_POISON) {
    d->set(d, r, a);
    d->flag(d, r, (k == K_UNDEF ? AS_F_UNDEF : AS_F_POISON) | f);
    return;
  }
  if (k == K_MAYBE)
    d->join(d, r, a, b);
  else
    d->set(d, r, (k == K_YES) == greater ? b : a);
  if (f)
    d->flag(d, r, f);
}

static void reduce(as_opcode *o, const code *e, void *r) {
  const as_domain *d = o->d;
  int64_t n = iv(o, e->i);
  if (e->k == S_SUM || e->k == S_PROD) {
    as_dom_from_int(d, r, e->k == S_PROD);
    for (int64_t k = 0; k < n; k++) {
      if (!tick(o))
        return;
      o->slot[e->slot] = k;
      ev(o, e->kid[0], e->tmp[0]);
      (e->k == S_SUM ? d->add : d->mul)(d, r, r, e->tmp[0]);
    }
    return;
  }
  if (n <= 0) {
    as_dom_from_int(d, r, 0);
    d->flag(d, r, AS_F_UNDEF);
    return;
  }
  for (int64_t k = 0; k < n; k++) {
    if (!tick(o))
      return;
    o->slot[e->slot] = k;
    if (!k) {
      ev(o, e->kid[0], r);
      continue;
    }
    ev(o, e->kid[0], e->tmp[0]);
    if (e->k == S_MAXR)
      choose(o, r, r, e->tmp[0], true);
    else
      choose(o, r, r, e->tmp[0], false);
  }
}

static void access_arg(as_opcode *o, const code *e, void *r) {
  const as_tensor *t = o->arg[e->which];
  size_t at = 0;
  for (uint32_t i = 0; i < e->nix; i++) {
    int64_t x = iv(o, e->ix[i]);
    if (x < 0 || x >= t->dim[i]) {
      fail(o, e, "an index leaves the tensor");
      return;
    }
    at = at * (size_t)t->dim[i] + (size_t)x;
  }
  o->d->set(o->d, r, as_tensor_at(t, at));
}

static void let_grow(const as_domain *d, letcode *L) {
  letcode old = *L;
  L->cap = old.cap ? old.cap * 2 : 16;
  L->val = as_dom_new(d, L->cap);
  for (size_t i = 0; i < old.cap; i++)
    d->set(d, AS_DOM_AT(d, L->val, i), AS_DOM_AT(d, old.val, i));
  as_dom_free(d, old.val, old.cap);
}

static void access_let(as_opcode *o, const code *e, void *r) {
  letcode *L = &o->let[e->which];
  uint64_t key[4 * AS_MAX_RANK];
  for (uint32_t i = 0; i < e->nix; i++)
    key[i] = (uint64_t)iv(o, e->ix[i]);
  uint64_t at;
  if (as_map_get(&L->known, key, &at)) {
    o->d->set(o->d, r, AS_DOM_AT(o->d, L->val, at));
    return;
  }
  /* the body reads only earlier lets, so this table cannot change meanwhile */
  for (uint32_t i = 0; i < L->nix; i++)
    o->slot[L->slot[i]] = (int64_t)key[i];
  ev(o, L->body, r);
  if (o->status != AS_OK)
    return;
  at = L->known.count;
  if (at == L->cap)
    let_grow(o->d, L);
  as_map_put(&L->known, key, at);
  o->d->set(o->d, AS_DOM_AT(o->d, L->val, at), r);
}

static void ev_if(as_opcode *o, const code *e, void *r) {
  const as_domain *d = o->d;
  bool doubt = false;
  known k = test(o, e->c, &doubt);
  if (o->status != AS_OK)
    return;
  switch (k) {
  case K_YES:
    ev(o, e->kid[0], r);
    break;
  case K_NO:
    ev(o, e->kid[1], r);
    break;
  case K_MAYBE:
    ev(o, e->kid[0], e->tmp[0]);
    ev(o, e->kid[1], e->tmp[1]);
    d->join(d, r, e->tmp[0], e->tmp[1]);
    break;
  case K_UNDEF:
  case K_POISON:
    as_dom_from_int(d, r, 0);
    d->flag(d, r, k == K_UNDEF ? AS_F_UNDEF : AS_F_POISON);
    break;
  }
  if (doubt)
    d->flag(d, r, AS_F_DOUBT);
}

static void ev_call(as_opcode *o, const code *e, void *r) {
  for (uint32_t i = 0; i < e->n; i++)
    ev(o, e->kid[i], e->param[i]);
  if (o->status != AS_OK)
    return;
  if (e->k == S_FUNC) {
    ev(o, e->kid[e->n], r);
    return;
  }
  if (!o->d->builtin(o->d, e->name, r, (const void *const *)e->param, e->n)) {
    stop(o, AS_BAD_INPUT);
    as_err_set(o->err, AS_BAD_INPUT, "the built-in function %s has no evaluator", e->name);
  }
}

/* quotients of data are rounded as the domain's own `div` does; domains without one know nothing of
 * them */
static void ev_idiv(as_opcode *o, const code *e, void *r) {
  const as_domain *d = o->d;
  ev(o, e->kid[0], e->tmp[0]);
  ev(o, e->kid[1], e->tmp[1]);
  if (o->status != AS_OK)
    return;
  if (!d->builtin(d, "div", r, (const void *const[]){e->tmp[0], e->tmp[1]}, 2)) {
    as_dom_from_int(d, r, 0);
    d->flag(d, r, AS_F_POISON | AS_F_DOUBT);
  }
  if (e->k == S_IDIV)
    return;
  d->mul(d, r, e->tmp[1], r);
  d->sub(d, r, e->tmp[0], r);
}

static void ev(as_opcode *o, const code *e, void *r) {
  const as_domain *d = o->d;
  if (o->status != AS_OK)
    return;
  switch (e->k) {
  case S_CONST:
  case S_PARAM:
    d->set(d, r, e->from);
    return;
  case S_INT:
    as_dom_from_int(d, r, iv(o, e->i));
    return;
  case S_ARG:
    access_arg(o, e, r);
    return;
  case S_LET:
    access_let(o, e, r);
    return;
  case S_ADD:
  case S_SUB:
  case S_MUL:
    ev(o, e->kid[0], e->tmp[0]);
    ev(o, e->kid[1], r);
    (e->k == S_ADD ? d->add : e->k == S_SUB ? d->sub : d->mul)(d, r, e->tmp[0], r);
    return;
  case S_DIV:
    ev(o, e->kid[0], e->tmp[0]);
    ev(o, e->kid[1], r);
    d->un(d, AS_U_INV, r, r);
    d->mul(d, r, e->tmp[0], r);
    return;
  case S_IDIV:
  case S_MOD:
    ev_idiv(o, e, r);
    return;
  case S_UN:
    ev(o, e->kid[0], r);
    d->un(d, e->un, r, r);
    return;
  case S_ABS:
    ev(o, e->kid[0], e->tmp[0]);
    d->un(d, AS_U_NEG, e->tmp[1], e->tmp[0]);
    choose(o, r, e->tmp[1], e->tmp[0], true); /* |x| = max(-x, x) */
    return;
  case S_MAX2:
  case S_MIN2:
    ev(o, e->kid[0], e->tmp[0]);
    ev(o, e->kid[1], r);
    choose(o, r, e->tmp[0], r, e->k == S_MAX2);
    return;
  case S_SUM:
  case S_PROD:
  case S_MAXR:
  case S_MINR:
    reduce(o, e, r);
    return;
  case S_IF:
    ev_if(o, e, r);
    return;
  case S_FUNC:
  case S_BUILTIN:
    ev_call(o, e, r);
    return;
  }
}

as_status as_opcode_value(as_opcode *o, void *out, as_err *err) {
  o->err = err;
  o->status = AS_OK;
  ev(o, o->out, out);
  return o->status;
}

as_status as_opcode_run(as_opcode *o, const as_tensor *const *arg, as_tensor *out, uint64_t *ticks,
                        as_err *err) {
  o->arg = arg;
  o->ticks = ticks;
  o->err = err;
  o->status = AS_OK;
  for (uint32_t i = 0; i < o->nlet; i++) /* remembered values belong to the last arguments */
    as_map_reset(&o->let[i].known);
  int64_t ix[AS_MAX_RANK] = {0};
  for (size_t at = 0; at < out->n && tick(o); at++) {
    for (uint32_t i = 0; i < o->outrank; i++)
      o->slot[o->out_slot + i] = ix[i];
    ev(o, o->out, as_tensor_at(out, at));
    for (uint32_t i = o->outrank; i-- > 0;) {
      if (++ix[i] < o->outdim[i])
        break;
      ix[i] = 0;
    }
  }
  return o->status;
}
