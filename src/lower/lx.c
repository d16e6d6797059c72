#include "lo.h"
#include <stdlib.h>
#include <string.h>

lx *lx_new(lo *L, lx_op op, int n) {
  lx *e = as_arena_alloc(L->mem, sizeof *e);
  e->op = op;
  e->n = n;
  if (n)
    e->kid = as_arena_alloc(L->mem, (size_t)n * sizeof *e->kid);
  return e;
}

lx *lx_int(lo *L, long i) {
  lx *e = lx_new(L, LX_INT, 0);
  e->i = i;
  e->integer = true;
  return e;
}

lx *lx_var(lo *L, int v) {
  lx *e = lx_new(L, LX_VAR, 0);
  e->i = v;
  e->integer = true;
  return e;
}

lx *lx_num(lo *L, double f) {
  lx *e = lx_new(L, LX_NUM, 0);
  e->f = f;
  return e;
}

lx *lx_ref(lo *L, uint32_t val, int n, lx *const *idx) {
  lx *e = lx_new(L, LX_REF, n);
  e->val = val;
  for (int i = 0; i < n; i++)
    e->kid[i] = idx[i];
  return e;
}

static bool is_int(const lx *e, long i) {
  return e->op == LX_INT && e->i == i;
}

static bool boolean(lx_op op) {
  return op >= LX_EQ && op <= LX_NOT;
}

static long floor_div(long a, long b) {
  long q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static lx *fold_int(lo *L, lx_op op, lx *const *k) {
  long a = k[0]->i;
  long b = k[1]->i;
  switch (op) {
  case LX_ADD:
    return lx_int(L, a + b);
  case LX_SUB:
    return lx_int(L, a - b);
  case LX_MUL:
    return lx_int(L, a * b);
  case LX_IDIV:
    return b > 0 ? lx_int(L, floor_div(a, b)) : NULL;
  case LX_MOD:
    return b > 0 ? lx_int(L, a - b * floor_div(a, b)) : NULL;
  default:
    return NULL;
  }
}

lx *lx_mk(lo *L, lx_op op, int n, lx *const *k) {
  bool integer = !boolean(op) && op != LX_FDIV && op != LX_CALL && op != LX_REF &&
                 !(op >= LX_EXP && op <= LX_INV);
  for (int i = op == LX_IF; i < n; i++)
    integer = integer && k[i]->integer;
  if (integer && op == LX_NEG) {
    return k[0]->op == LX_INT ? lx_int(L, -k[0]->i)
                              : lx_mk(L, LX_SUB, 2, (lx *[]){lx_int(L, 0), k[0]});
  }
  if (integer && n == 2) {
    if (k[0]->op == LX_INT && k[1]->op == LX_INT) {
      lx *r = fold_int(L, op, k);
      if (r)
        return r;
    }
    if ((op == LX_ADD || op == LX_SUB) && is_int(k[1], 0))
      return k[0];
    if (op == LX_ADD && is_int(k[0], 0))
      return k[1];
    if (op == LX_MUL && (is_int(k[0], 0) || is_int(k[1], 0)))
      return lx_int(L, 0);
    if ((op == LX_MUL || op == LX_IDIV) && is_int(k[1], 1))
      return k[0];
    if (op == LX_MUL && is_int(k[0], 1))
      return k[1];
    if (op == LX_MOD && is_int(k[1], 1))
      return lx_int(L, 0);
  }
  if ((op == LX_ADD || op == LX_SUB) && is_int(k[1], 0))
    return k[0];
  if (op == LX_ADD && is_int(k[0], 0))
    return k[1];
  lx *e = lx_new(L, op, n);
  e->integer = integer;
  for (int i = 0; i < n; i++)
    e->kid[i] = k[i];
  return e;
}

/* rebuilt with new children; everything else copied */
static lx *rebuild(lo *L, const lx *e, lx **k) {
  if (e->op == LX_REF || e->op == LX_CALL || e->op == LX_FOLD) {
    lx *r = lx_new(L, e->op, e->n);
    r->val = e->val;
    r->fn = e->fn;
    r->i = e->i;
    r->var = e->var;
    r->red = e->red;
    memcpy(r->kid, k, (size_t)e->n * sizeof *k);
    return r;
  }
  return lx_mk(L, e->op, e->n, k);
}

typedef struct {
  const lx **from;
  lx **to;
  uint32_t n;
  uint32_t cap;
} memo;

static lx *memo_find(const memo *m, const lx *e) {
  for (uint32_t i = m->n; i-- > 0;) {
    if (m->from[i] == e)
      return m->to[i];
  }
  return NULL;
}

static void memo_put(memo *m, const lx *e, lx *r) {
  if (m->n == m->cap) {
    m->cap = m->cap ? 2 * m->cap : 32;
    m->from = as_realloc(m->from, m->cap * sizeof *m->from);
    m->to = as_realloc(m->to, m->cap * sizeof *m->to);
  }
  m->from[m->n] = e;
  m->to[m->n++] = r;
}

static void memo_clear(memo *m) {
  free(m->from);
  free(m->to);
}

static lx *subst(lo *L, lx *e, lx *const *by, int n, memo *m) {
  if (e->op == LX_VAR)
    return e->i < n && by[e->i] ? by[e->i] : e;
  if (!e->n)
    return e;
  lx *r = memo_find(m, e);
  if (r)
    return r;
  lx *k[8 + 1];
  lx **kk = e->n <= 9 ? k : as_arena_alloc(L->mem, (size_t)e->n * sizeof *kk);
  bool same = true;
  for (int i = 0; i < e->n; i++) {
    kk[i] = subst(L, e->kid[i], by, n, m);
    same = same && kk[i] == e->kid[i];
  }
  r = same ? e : rebuild(L, e, kk);
  memo_put(m, e, r);
  return r;
}

lx *lx_subst(lo *L, lx *e, lx *const *by, int n) {
  memo m = {0};
  lx *r = subst(L, e, by, n, &m);
  memo_clear(&m);
  return r;
}

static lx *map_refs(lo *L, lx *e, lx *(*f)(lo *, void *, lx *), void *arg, memo *m) {
  if (e->op == LX_REF) {
    lx *r = memo_find(m, e);
    if (!r) {
      r = f(L, arg, e);
      memo_put(m, e, r);
    }
    return r;
  }
  if (!e->n)
    return e;
  lx *r = memo_find(m, e);
  if (r)
    return r;
  lx *k[9];
  lx **kk = e->n <= 9 ? k : as_arena_alloc(L->mem, (size_t)e->n * sizeof *kk);
  bool same = true;
  for (int i = 0; i < e->n; i++) {
    kk[i] = map_refs(L, e->kid[i], f, arg, m);
    same = same && kk[i] == e->kid[i];
  }
  r = same ? e : rebuild(L, e, kk);
  memo_put(m, e, r);
  return r;
}

lx *lx_map_refs(lo *L, lx *e, lx *(*f)(lo *, void *, lx *), void *arg) {
  memo m = {0};
  lx *r = map_refs(L, e, f, arg, &m);
  memo_clear(&m);
  return r;
}

/* least and greatest value of an index expression; false: not known */
static bool range(const lx *e, const long *ext, int n, long *lo_, long *hi) {
  if (e->op == LX_INT) {
    *lo_ = *hi = e->i;
    return true;
  }
  if (e->op == LX_VAR) {
    if (e->i >= n || ext[e->i] <= 0)
      return false;
    *lo_ = 0;
    *hi = ext[e->i] - 1;
    return true;
  }
  if (e->n != 2 || !e->integer)
    return false;
  long a;
  long b;
  long c;
  long d;
  if (!range(e->kid[0], ext, n, &a, &b) || !range(e->kid[1], ext, n, &c, &d))
    return false;
  switch (e->op) {
  case LX_ADD:
    *lo_ = a + c;
    *hi = b + d;
    return true;
  case LX_SUB:
    *lo_ = a - d;
    *hi = b - c;
    return true;
  case LX_MUL:
    if (a < 0 || c < 0)
      return false;
    *lo_ = a * c;
    *hi = b * d;
    return true;
  case LX_IDIV:
    if (c != d || c <= 0)
      return false;
    *lo_ = floor_div(a, c);
    *hi = floor_div(b, c);
    return true;
  case LX_MOD:
    if (c != d || c <= 0)
      return false;
    if (a >= 0 && b < c) {
      *lo_ = a;
      *hi = b;
    } else {
      *lo_ = 0;
      *hi = c - 1;
    }
    return true;
  default:
    return false;
  }
}

/* e = q*d + r with 0 <= r < d for all indices, when that can be read off a sum */
static bool split(lo *L, lx *e, long d, const long *ext, int n, lx **q, lx **r) {
  long a;
  long b;
  if (range(e, ext, n, &a, &b) && a >= 0 && b < d) {
    *q = lx_int(L, 0);
    *r = e;
    return true;
  }
  if (e->op == LX_INT) {
    *q = lx_int(L, floor_div(e->i, d));
    *r = lx_int(L, e->i - d * floor_div(e->i, d));
    return true;
  }
  if (e->op == LX_MUL) {
    for (int j = 0; j < 2; j++) {
      if (e->kid[j]->op == LX_INT && e->kid[j]->i % d == 0) {
        *q = lx_mk(L, LX_MUL, 2, (lx *[]){e->kid[1 - j], lx_int(L, e->kid[j]->i / d)});
        *r = lx_int(L, 0);
        return true;
      }
    }
  }
  if (e->op == LX_ADD) {
    lx *q0;
    lx *r0;
    lx *q1;
    lx *r1;
    long c;
    long f;
    if (!split(L, e->kid[0], d, ext, n, &q0, &r0) || !split(L, e->kid[1], d, ext, n, &q1, &r1))
      return false;
    if (!range(r0, ext, n, &a, &b) || !range(r1, ext, n, &c, &f) || b + f >= d)
      return false;
    *q = lx_mk(L, LX_ADD, 2, (lx *[]){q0, q1});
    *r = lx_mk(L, LX_ADD, 2, (lx *[]){r0, r1});
    return true;
  }
  return false;
}

static lx *simplify(lo *L, lx *e, const long *ext, int n, memo *m) {
  if (e->op == LX_VAR && e->i < n && ext[e->i] == 1)
    return lx_int(L, 0);
  if (!e->n)
    return e;
  lx *r = memo_find(m, e);
  if (r)
    return r;
  lx *k[9];
  lx **kk = e->n <= 9 ? k : as_arena_alloc(L->mem, (size_t)e->n * sizeof *kk);
  for (int i = 0; i < e->n; i++)
    kk[i] = simplify(L, e->kid[i], ext, n, m);
  r = rebuild(L, e, kk);
  long a;
  long b;
  long c;
  long d;
  if ((r->op == LX_IDIV || r->op == LX_MOD) && r->integer && r->kid[1]->op == LX_INT &&
      r->kid[1]->i > 0) {
    lx *q;
    lx *rem;
    if (split(L, r->kid[0], r->kid[1]->i, ext, n, &q, &rem))
      r = r->op == LX_IDIV ? q : rem;
  } else if (r->op == LX_IF && r->n == 3 && (r->kid[0]->op == LX_LT || r->kid[0]->op == LX_LE) &&
             range(r->kid[0]->kid[0], ext, n, &a, &b) && range(r->kid[0]->kid[1], ext, n, &c, &d)) {
    bool lt = r->kid[0]->op == LX_LT;
    if (lt ? b < c : b <= c)
      r = r->kid[1];
    else if (lt ? a >= d : a > d)
      r = r->kid[2];
  }
  memo_put(m, e, r);
  return r;
}

lx *lx_simplify(lo *L, lx *e, const long *ext, int n) {
  memo m = {0};
  lx *r = simplify(L, e, ext, n, &m);
  memo_clear(&m);
  return r;
}

bool lx_equal(const lx *a, const lx *b) {
  if (a == b)
    return true;
  if (a->op != b->op || a->n != b->n || a->i != b->i || a->val != b->val || a->var != b->var ||
      a->red != b->red)
    return false;
  if (a->op == LX_NUM && !(a->f <= b->f && b->f <= a->f))
    return false;
  if (a->op == LX_CALL && strcmp(a->fn, b->fn))
    return false;
  for (int i = 0; i < a->n; i++) {
    if (!lx_equal(a->kid[i], b->kid[i]))
      return false;
  }
  return true;
}

bool lx_uses_var(const lx *e, int var) {
  if (e->op == LX_VAR)
    return e->i == var;
  for (int i = 0; i < e->n; i++) {
    if (lx_uses_var(e->kid[i], var))
      return true;
  }
  return false;
}

static long size_upto(const lx *e, long cap) {
  long n = 1;
  for (int i = 0; i < e->n && n < cap; i++)
    n += size_upto(e->kid[i], cap - n);
  return n;
}

long lx_size(const lx *e) {
  return size_upto(e, 1000);
}

bool lx_costly(const lx *e) {
  if ((e->op >= LX_EXP && e->op <= LX_INV) || e->op == LX_CALL)
    return true;
  if (e->op == LX_FDIV && !e->kid[1]->integer && e->kid[1]->op != LX_NUM)
    return true;
  for (int i = 0; i < e->n; i++) {
    if (e->op != LX_REF && lx_costly(e->kid[i]))
      return true;
  }
  return false;
}

void lx_refs(const lx *e, void (*f)(void *, const lx *), void *arg) {
  if (e->op == LX_REF) {
    f(arg, e);
    return;
  }
  for (int i = 0; i < e->n; i++)
    lx_refs(e->kid[i], f, arg);
}
