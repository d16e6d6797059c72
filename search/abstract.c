#include "abstract.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Four hash-consed tables: atoms, monomial keys (factors and dependence, no coefficient), reduced
 * keys (factors without sizes and dependence) and expressions (sorted list of monomials with
 * rational coefficients). */
typedef struct {
  uint32_t atom;
  int32_t exp;
} factor;

typedef struct {
  ax_kind kind;
  uint32_t payload;
  uint64_t parts;
  char *head;
  uint32_t n;
  ax_id *arg;
  uint64_t dep;
} atom;

typedef struct {
  uint64_t dep;
  uint32_t n;
  factor *f;
  uint32_t reduced;
} mono;

typedef struct {
  uint32_t n;
  factor *f;
} reduced;

typedef struct {
  uint32_t m;
  int64_t num;
  int64_t den;
} term;

typedef struct {
  uint32_t n;
  term *t;
  uint64_t dep;
  uint32_t n_red;
  uint32_t *red;
} expr;

typedef struct {
  uint32_t *slot;
  uint32_t cap;
  uint32_t n;
} table;

typedef struct {
  uint64_t key;
  uint32_t val;
} memo_slot;

typedef struct {
  memo_slot *slot;
  uint32_t cap;
  uint32_t n;
} memo;

struct ax_store {
  as_arena *mem;
  as_vec atoms;
  as_vec monos;
  as_vec reds;
  as_vec exprs;
  table t_atom;
  table t_mono;
  table t_red;
  table t_expr;
  memo sub;
  memo mul;
};

#define MAX_FACTORS 24
#define MAX_TERMS 48
#define ATOM(A, i) (&AS_VEC_AT(&(A)->atoms, atom, i))
#define MONO(A, i) (&AS_VEC_AT(&(A)->monos, mono, i))
#define RED(A, i) (&AS_VEC_AT(&(A)->reds, reduced, i))
#define EXPR(A, i) (&AS_VEC_AT(&(A)->exprs, expr, i))

/* --- tables */
static uint64_t mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdu;
}

static void table_put(table *t, uint64_t h, uint32_t id) {
  uint32_t i = (uint32_t)(h >> 20) & (t->cap - 1);
  while (t->slot[i])
    i = (i + 1) & (t->cap - 1);
  t->slot[i] = id + 1;
}

static uint64_t hash_atom(const atom *a) {
  uint64_t h = mix(mix((uint64_t)a->kind, a->payload), a->parts);
  for (const char *p = a->head; p && *p; p++)
    h = mix(h, (uint64_t)*p);
  for (uint32_t i = 0; i < a->n; i++)
    h = mix(h, a->arg[i]);
  return h;
}

static uint64_t hash_factors(uint64_t h, const factor *f, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    h = mix(mix(h, f[i].atom), (uint64_t)(int64_t)f[i].exp);
  return h;
}

static uint64_t hash_mono(const mono *m) {
  return hash_factors(mix(7, m->dep), m->f, m->n);
}

static uint64_t hash_red(const reduced *r) {
  return hash_factors(11, r->f, r->n);
}

static uint64_t hash_expr(const expr *e) {
  uint64_t h = 13;
  for (uint32_t i = 0; i < e->n; i++)
    h = mix(mix(mix(h, e->t[i].m), (uint64_t)e->t[i].num), (uint64_t)e->t[i].den);
  return h;
}

static void table_grow(ax_store *A, table *t) {
  if (t->cap && t->n * 2 < t->cap)
    return;
  free(t->slot);
  t->cap = t->cap ? t->cap * 2 : 256;
  t->slot = as_calloc(t->cap, sizeof *t->slot);
  for (uint32_t i = 0; i < t->n; i++) {
    uint64_t h = t == &A->t_atom   ? hash_atom(ATOM(A, i))
                 : t == &A->t_mono ? hash_mono(MONO(A, i))
                 : t == &A->t_red  ? hash_red(RED(A, i))
                                   : hash_expr(EXPR(A, i));
    table_put(t, h, i);
  }
}

static bool memo_get(const memo *m, uint64_t key, uint32_t *val) {
  if (!m->cap)
    return false;
  for (uint32_t i = (uint32_t)(mix(1, key) >> 20) & (m->cap - 1); m->slot[i].key;
       i = (i + 1) & (m->cap - 1)) {
    if (m->slot[i].key == key + 1) {
      *val = m->slot[i].val;
      return true;
    }
  }
  return false;
}

static void memo_put(memo *m, uint64_t key, uint32_t val) {
  if (m->n * 2 >= m->cap) {
    memo old = *m;
    m->cap = old.cap ? old.cap * 2 : 1024;
    m->slot = as_calloc(m->cap, sizeof *m->slot);
    m->n = 0;
    for (uint32_t i = 0; i < old.cap; i++) {
      if (old.slot[i].key)
        memo_put(m, old.slot[i].key - 1, old.slot[i].val);
    }
    free(old.slot);
  }
  uint32_t i = (uint32_t)(mix(1, key) >> 20) & (m->cap - 1);
  while (m->slot[i].key)
    i = (i + 1) & (m->cap - 1);
  m->slot[i] = (memo_slot){key + 1, val};
  m->n++;
}

static uint32_t intern_atom(ax_store *A, const atom *a) {
  uint64_t h = hash_atom(a);
  for (uint32_t i = (uint32_t)(h >> 20) & (A->t_atom.cap - 1); A->t_atom.slot[i];
       i = (i + 1) & (A->t_atom.cap - 1)) {
    const atom *b = ATOM(A, A->t_atom.slot[i] - 1);
    if (b->kind == a->kind && b->payload == a->payload && b->parts == a->parts && b->n == a->n &&
        (!a->n || !memcmp(b->arg, a->arg, a->n * sizeof *a->arg)) &&
        !strcmp(b->head ? b->head : "", a->head ? a->head : ""))
      return A->t_atom.slot[i] - 1;
  }
  atom c = *a;
  c.arg = as_arena_alloc(A->mem, (a->n + 1) * sizeof *c.arg);
  if (a->n)
    memcpy(c.arg, a->arg, a->n * sizeof *c.arg);
  c.head = a->head ? as_arena_strdup(A->mem, a->head) : NULL;
  uint32_t id = (uint32_t)A->atoms.n;
  as_vec_push(&A->atoms, &c);
  A->t_atom.n++;
  table_put(&A->t_atom, h, id);
  table_grow(A, &A->t_atom);
  return id;
}

static uint32_t intern_red(ax_store *A, const factor *f, uint32_t n) {
  reduced r = {n, (factor *)(uintptr_t)f};
  uint64_t h = hash_red(&r);
  for (uint32_t i = (uint32_t)(h >> 20) & (A->t_red.cap - 1); A->t_red.slot[i];
       i = (i + 1) & (A->t_red.cap - 1)) {
    const reduced *b = RED(A, A->t_red.slot[i] - 1);
    if (b->n == n && (!n || !memcmp(b->f, f, n * sizeof *f)))
      return A->t_red.slot[i] - 1;
  }
  r.f = as_arena_alloc(A->mem, (n + 1) * sizeof *r.f);
  if (n)
    memcpy(r.f, f, n * sizeof *f);
  uint32_t id = (uint32_t)A->reds.n;
  as_vec_push(&A->reds, &r);
  A->t_red.n++;
  table_put(&A->t_red, h, id);
  table_grow(A, &A->t_red);
  return id;
}

/* f sorted by atom, no zero exponents */
static uint32_t intern_mono(ax_store *A, uint64_t dep, const factor *f, uint32_t n) {
  mono m = {dep, n, (factor *)(uintptr_t)f, 0};
  uint64_t h = hash_mono(&m);
  for (uint32_t i = (uint32_t)(h >> 20) & (A->t_mono.cap - 1); A->t_mono.slot[i];
       i = (i + 1) & (A->t_mono.cap - 1)) {
    const mono *b = MONO(A, A->t_mono.slot[i] - 1);
    if (b->dep == dep && b->n == n && (!n || !memcmp(b->f, f, n * sizeof *f)))
      return A->t_mono.slot[i] - 1;
  }
  factor r[MAX_FACTORS];
  uint32_t k = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (ATOM(A, f[i].atom)->kind != AX_SIZE)
      r[k++] = f[i];
  }
  m.reduced = intern_red(A, r, k);
  m.f = as_arena_alloc(A->mem, (n + 1) * sizeof *m.f);
  if (n)
    memcpy(m.f, f, n * sizeof *f);
  uint32_t id = (uint32_t)A->monos.n;
  as_vec_push(&A->monos, &m);
  A->t_mono.n++;
  table_put(&A->t_mono, h, id);
  table_grow(A, &A->t_mono);
  return id;
}

static int cmp_u32(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a;
  uint32_t y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static int cmp_term(const void *a, const void *b) {
  return cmp_u32(&((const term *)a)->m, &((const term *)b)->m);
}

static bool coef_norm(__int128 n, __int128 d, int64_t *num, int64_t *den) {
  __int128 a = n < 0 ? -n : n;
  __int128 b = d;
  while (b) {
    __int128 r = a % b;
    a = b;
    b = r;
  }
  if (a) {
    n /= a;
    d /= a;
  }
  if (n > INT64_MAX || n < -INT64_MAX || d > INT64_MAX)
    return false;
  *num = (int64_t)n;
  *den = (int64_t)d;
  return true;
}

/* takes terms in any order; equal keys are added */
static ax_id intern_expr(ax_store *A, term *t, uint32_t n) {
  if (n > MAX_TERMS * MAX_TERMS)
    return AX_BAD;
  if (n)
    qsort(t, n, sizeof *t, cmp_term);
  uint32_t k = 0;
  for (uint32_t i = 0; i < n;) {
    term s = t[i++];
    for (; i < n && t[i].m == s.m; i++) {
      if (!coef_norm((__int128)s.num * t[i].den + (__int128)t[i].num * s.den,
                     (__int128)s.den * t[i].den, &s.num, &s.den))
        return AX_BAD;
    }
    if (s.num)
      t[k++] = s;
  }
  if (k > MAX_TERMS)
    return AX_BAD;
  expr e = {k, t, 0, 0, NULL};
  uint64_t h = hash_expr(&e);
  for (uint32_t i = (uint32_t)(h >> 20) & (A->t_expr.cap - 1); A->t_expr.slot[i];
       i = (i + 1) & (A->t_expr.cap - 1)) {
    const expr *b = EXPR(A, A->t_expr.slot[i] - 1);
    if (b->n != k)
      continue;
    uint32_t j = 0;
    while (j < k && b->t[j].m == t[j].m && b->t[j].num == t[j].num && b->t[j].den == t[j].den)
      j++;
    if (j == k)
      return A->t_expr.slot[i] - 1;
  }
  e.t = as_arena_alloc(A->mem, (k + 1) * sizeof *e.t);
  e.red = as_arena_alloc(A->mem, (k + 1) * sizeof *e.red);
  for (uint32_t i = 0; i < k; i++) {
    e.t[i] = t[i];
    e.dep |= MONO(A, t[i].m)->dep;
    e.red[i] = MONO(A, t[i].m)->reduced;
  }
  qsort(e.red, k, sizeof *e.red, cmp_u32);
  for (uint32_t i = 0; i < k; i++) {
    if (!e.n_red || e.red[e.n_red - 1] != e.red[i])
      e.red[e.n_red++] = e.red[i];
  }
  uint32_t id = (uint32_t)A->exprs.n;
  as_vec_push(&A->exprs, &e);
  A->t_expr.n++;
  table_put(&A->t_expr, h, id);
  table_grow(A, &A->t_expr);
  return id;
}

ax_store *ax_new(void) {
  ax_store *A = as_calloc(1, sizeof *A);
  A->mem = as_arena_new();
  as_vec_init(&A->atoms, sizeof(atom));
  as_vec_init(&A->monos, sizeof(mono));
  as_vec_init(&A->reds, sizeof(reduced));
  as_vec_init(&A->exprs, sizeof(expr));
  table_grow(A, &A->t_atom);
  table_grow(A, &A->t_mono);
  table_grow(A, &A->t_red);
  table_grow(A, &A->t_expr);
  intern_expr(A, NULL, 0);
  ax_int(A, 1);
  return A;
}

void ax_free(ax_store *A) {
  if (!A)
    return;
  as_arena_free(A->mem);
  as_vec_clear(&A->atoms);
  as_vec_clear(&A->monos);
  as_vec_clear(&A->reds);
  as_vec_clear(&A->exprs);
  free(A->t_atom.slot);
  free(A->t_mono.slot);
  free(A->t_red.slot);
  free(A->t_expr.slot);
  free(A->sub.slot);
  free(A->mul.slot);
  free(A);
}

/* --- building */
static ax_id ax_rational(ax_store *A, int64_t num, int64_t den) {
  term t = {intern_mono(A, 0, NULL, 0), num, den};
  return intern_expr(A, &t, num != 0);
}

ax_id ax_int(ax_store *A, long v) {
  return ax_rational(A, v, 1);
}

ax_id ax_const(ax_store *A, const mpq_t v) {
  if (!mpz_fits_slong_p(mpq_numref(v)) || !mpz_fits_slong_p(mpq_denref(v)))
    return AX_BAD;
  return ax_rational(A, mpz_get_si(mpq_numref(v)), mpz_get_si(mpq_denref(v)));
}

static ax_id of_atom(ax_store *A, atom *a, int exp) {
  uint32_t id = intern_atom(A, a);
  ATOM(A, id)->dep = a->dep;
  factor f = {id, exp};
  term t = {intern_mono(A, a->dep, &f, 1), 1, 1};
  return intern_expr(A, &t, 1);
}

ax_id ax_tensor(ax_store *A, uint32_t tensor, uint64_t dep) {
  atom a = {.kind = AX_TENSOR, .payload = tensor, .dep = dep};
  return of_atom(A, &a, 1);
}

ax_id ax_size(ax_store *A, uint32_t sym) {
  atom a = {.kind = AX_SIZE, .payload = sym};
  return of_atom(A, &a, 1);
}

uint64_t ax_dep(const ax_store *A, ax_id a) {
  return a == AX_BAD ? 0 : EXPR(A, a)->dep;
}

uint32_t ax_count(const ax_store *A) {
  return (uint32_t)A->exprs.n;
}

ax_id ax_add(ax_store *A, ax_id a, ax_id b) {
  if (a == AX_BAD || b == AX_BAD)
    return AX_BAD;
  term t[2 * MAX_TERMS];
  uint32_t n = EXPR(A, a)->n;
  uint32_t m = EXPR(A, b)->n;
  if (n)
    memcpy(t, EXPR(A, a)->t, n * sizeof *t);
  if (m)
    memcpy(t + n, EXPR(A, b)->t, m * sizeof *t);
  return intern_expr(A, t, n + m);
}

static ax_id scale(ax_store *A, ax_id a, int64_t num, int64_t den) {
  if (a == AX_BAD)
    return AX_BAD;
  term t[MAX_TERMS];
  uint32_t n = EXPR(A, a)->n;
  for (uint32_t i = 0; i < n; i++) {
    t[i] = EXPR(A, a)->t[i];
    if (!coef_norm((__int128)t[i].num * num, (__int128)t[i].den * den, &t[i].num, &t[i].den))
      return AX_BAD;
  }
  return intern_expr(A, t, n);
}

ax_id ax_neg(ax_store *A, ax_id a) {
  return scale(A, a, -1, 1);
}

/* product of two monomials: exponents add; exponentials merge into one */
static uint32_t mono_mul(ax_store *A, uint32_t x, uint32_t y) {
  factor f[2 * MAX_FACTORS];
  uint32_t nx = MONO(A, x)->n;
  uint32_t ny = MONO(A, y)->n;
  uint32_t k = 0;
  ax_id e = AX_ZERO;
  const factor *a = MONO(A, x)->f;
  const factor *b = MONO(A, y)->f;
  uint64_t dep = MONO(A, x)->dep | MONO(A, y)->dep;
  int exps = 0;
  for (uint32_t i = 0, j = 0; i < nx || j < ny;) {
    factor g;
    if (j == ny || (i < nx && a[i].atom < b[j].atom)) {
      g = a[i++];
    } else if (i == nx || b[j].atom < a[i].atom) {
      g = b[j++];
    } else {
      g = a[i];
      g.exp += b[j].exp;
      i++;
      j++;
      if (ATOM(A, g.atom)->kind == AX_EXP)
        exps++;
    }
    if (g.exp && ATOM(A, g.atom)->kind == AX_EXP) {
      exps++;
      e = ax_add(A, e, scale(A, ATOM(A, g.atom)->arg[0], g.exp, 1));
      a = MONO(A, x)->f;
      b = MONO(A, y)->f;
      if (e == AX_BAD)
        return AX_BAD;
    }
    if (g.exp)
      f[k++] = g;
  }
  if (exps > 1) {
    uint32_t q = 0;
    for (uint32_t i = 0; i < k; i++) {
      if (ATOM(A, f[i].atom)->kind != AX_EXP)
        f[q++] = f[i];
    }
    k = q;
    if (e != AX_ZERO) {
      atom at = {.kind = AX_EXP, .n = 1, .arg = &e, .dep = EXPR(A, e)->dep};
      factor g = {intern_atom(A, &at), 1};
      ATOM(A, g.atom)->dep = at.dep;
      for (q = k; q > 0 && f[q - 1].atom > g.atom; q--)
        f[q] = f[q - 1];
      f[q] = g;
      k++;
    }
  }
  if (k > MAX_FACTORS)
    return AX_BAD;
  bool unit = true;
  for (uint32_t i = 0; i < k; i++)
    unit &= ATOM(A, f[i].atom)->kind == AX_SIZE;
  return intern_mono(A, unit ? 0 : dep, f, k);
}

ax_id ax_mul(ax_store *A, ax_id a, ax_id b) {
  if (a == AX_BAD || b == AX_BAD)
    return AX_BAD;
  if (a > b) {
    ax_id t = a;
    a = b;
    b = t;
  }
  uint32_t n = EXPR(A, a)->n;
  uint32_t m = EXPR(A, b)->n;
  uint32_t memoised;
  if (n * m > MAX_TERMS * 4)
    return AX_BAD;
  uint64_t key = (uint64_t)a << 32 | b;
  if (memo_get(&A->mul, key, &memoised))
    return memoised;
  term t[MAX_TERMS * 4 + 1];
  uint32_t k = 0;
  ax_id r = AX_BAD;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < m; j++, k++) {
      term x = EXPR(A, a)->t[i];
      term y = EXPR(A, b)->t[j];
      t[k].m = mono_mul(A, x.m, y.m);
      if (t[k].m == AX_BAD ||
          !coef_norm((__int128)x.num * y.num, (__int128)x.den * y.den, &t[k].num, &t[k].den))
        goto done;
    }
  }
  r = intern_expr(A, t, k);
done:
  memo_put(&A->mul, key, r);
  return r;
}

/* A reduction inside a denominator must stay inside: 1/(sum x) is not (1/sum)(1/x).  Numbers and
 * sizes come out. */
ax_id ax_inv(ax_store *A, ax_id a) {
  if (a == AX_BAD || a == AX_ZERO)
    return AX_BAD;
  expr e = *EXPR(A, a);
  int64_t num = e.t[0].num;
  int64_t den = e.t[0].den;
  ax_id r = ax_rational(A, num < 0 ? -den : den, num < 0 ? -num : num);
  if (e.n > 1) {
    ax_id p = ax_mul(A, a, r);
    if (p == AX_BAD)
      return AX_BAD;
    atom at = {.kind = AX_INV, .n = 1, .arg = &p, .dep = EXPR(A, p)->dep};
    return ax_mul(A, of_atom(A, &at, 1), r);
  }
  mono m = *MONO(A, e.t[0].m);
  factor out[MAX_FACTORS];
  factor in[MAX_FACTORS];
  uint32_t n = 0;
  uint32_t k = 0;
  bool sums = false;
  for (uint32_t i = 0; i < m.n; i++)
    sums |= ATOM(A, m.f[i].atom)->kind == AX_SUM;
  for (uint32_t i = 0; i < m.n; i++) {
    const atom *at = ATOM(A, m.f[i].atom);
    if (at->kind == AX_SIZE || (!sums && at->kind != AX_EXP && at->kind != AX_INV)) {
      out[n] = m.f[i];
      out[n].exp = -out[n].exp;
      n++;
    } else {
      in[k++] = m.f[i];
    }
  }
  term t = {intern_mono(A, k ? 0 : m.dep, out, n), 1, 1};
  r = ax_mul(A, r, intern_expr(A, &t, 1));
  if (!k)
    return r;
  t = (term){intern_mono(A, m.dep, in, k), 1, 1};
  ax_id inner = intern_expr(A, &t, 1);
  if (sums) {
    atom at = {.kind = AX_INV, .n = 1, .arg = &inner, .dep = m.dep};
    return ax_mul(A, r, of_atom(A, &at, 1));
  }
  for (uint32_t i = 0; i < k; i++) {
    ax_id arg = ATOM(A, in[i].atom)->arg[0];
    bool is_exp = ATOM(A, in[i].atom)->kind == AX_EXP;
    for (int j = 0; j < in[i].exp; j++)
      r = ax_mul(A, r, is_exp ? ax_exp(A, ax_neg(A, arg)) : arg);
  }
  return r;
}

static ax_id unary(ax_store *A, ax_kind k, ax_id a) {
  if (a == AX_BAD)
    return AX_BAD;
  atom at = {.kind = k, .n = 1, .arg = &a, .dep = EXPR(A, a)->dep};
  return of_atom(A, &at, 1);
}

ax_id ax_exp(ax_store *A, ax_id a) {
  return a == AX_ZERO ? AX_ONE : unary(A, AX_EXP, a);
}

ax_id ax_log(ax_store *A, ax_id a) {
  return a == AX_ONE ? AX_ZERO : unary(A, AX_LOG, a);
}

ax_id ax_sqrt(ax_store *A, ax_id a) {
  return a <= AX_ONE ? a : unary(A, AX_SQRT, a);
}

ax_id ax_opaque(ax_store *A, const char *head, const ax_id *arg, uint32_t n) {
  atom at = {
      .kind = AX_OPAQUE, .head = (char *)(uintptr_t)head, .n = n, .arg = (ax_id *)(uintptr_t)arg};
  for (uint32_t i = 0; i < n; i++) {
    if (arg[i] == AX_BAD)
      return AX_BAD;
    at.dep |= EXPR(A, arg[i])->dep;
  }
  return of_atom(A, &at, 1);
}

static ax_id sum_part(ax_store *A, ax_id a, uint32_t c, int part, ax_id size) {
  if (a == AX_BAD || size == AX_BAD)
    return AX_BAD;
  uint64_t bit = part == AX_TILE ? 1ull << (2 * c) : 2ull << (2 * c);
  term in[MAX_TERMS];
  term out[MAX_TERMS];
  uint32_t ni = 0;
  uint32_t no = 0;
  uint32_t n = EXPR(A, a)->n;
  atom at = {.kind = AX_SUM, .payload = 2 * c + (part == AX_LOOP)};
  ax_id cs = of_atom(A, &at, 1);
  uint32_t cm = EXPR(A, cs)->t[0].m;
  for (uint32_t i = 0; i < n; i++) {
    term t = EXPR(A, a)->t[i];
    if (!(MONO(A, t.m)->dep & bit)) {
      out[no++] = t;
      continue;
    }
    t.m = mono_mul(A, t.m, cm);
    if (t.m == AX_BAD)
      return AX_BAD;
    factor f[MAX_FACTORS];
    mono m = *MONO(A, t.m);
    if (m.n)
      memcpy(f, m.f, m.n * sizeof *f);
    t.m = intern_mono(A, m.dep & ~bit, f, m.n);
    in[ni++] = t;
  }
  ax_id r = intern_expr(A, in, ni);
  return no ? ax_add(A, r, ax_mul(A, intern_expr(A, out, no), size)) : r;
}

ax_id ax_sum(ax_store *A, ax_id a, uint32_t c, int parts, ax_id tile, ax_id loop) {
  if (parts & AX_TILE)
    a = sum_part(A, a, c, AX_TILE, tile);
  if (parts & AX_LOOP)
    a = sum_part(A, a, c, AX_LOOP, loop);
  return a;
}

ax_id ax_extremum(ax_store *A, bool max, ax_id a, uint32_t c, int parts) {
  if (a == AX_BAD)
    return AX_BAD;
  uint64_t bits = (uint64_t)parts << (2 * c);
  if (!(EXPR(A, a)->dep & bits))
    return a;
  ax_kind kind = max ? AX_MAXR : AX_MINR;
  uint64_t was = 0;
  uint64_t dep = EXPR(A, a)->dep & ~bits;
  const expr *e = EXPR(A, a);
  if (e->n == 1 && e->t[0].num == 1 && e->t[0].den == 1 && MONO(A, e->t[0].m)->n == 1 &&
      MONO(A, e->t[0].m)->f[0].exp == 1) {
    const atom *in = ATOM(A, MONO(A, e->t[0].m)->f[0].atom);
    if (in->kind == kind) {
      was = in->parts;
      a = in->arg[0];
    }
  }
  atom at = {.kind = kind, .parts = was | bits, .n = 1, .arg = &a, .dep = dep};
  uint32_t id = intern_atom(A, &at);
  ATOM(A, id)->dep = dep;
  factor f = {id, 1};
  term t = {intern_mono(A, dep, &f, 1), 1, 1};
  return intern_expr(A, &t, 1);
}

/* --- questions */
static bool red_divides(const reduced *s, const reduced *t, factor *rest, uint32_t *n) {
  uint32_t k = 0;
  uint32_t i = 0;
  for (uint32_t j = 0; j < t->n; j++) {
    factor f = t->f[j];
    if (i < s->n && s->f[i].atom < f.atom)
      return false;
    if (i < s->n && s->f[i].atom == f.atom) {
      int d = f.exp - s->f[i].exp;
      if (f.exp > 0 ? s->f[i].exp < 0 || d < 0 : s->f[i].exp > 0 || d > 0)
        return false;
      i++;
      f.exp = d;
    }
    if (f.exp)
      rest[k++] = f;
  }
  *n = k;
  return i == s->n;
}

static ax_id unit_of(ax_store *A, term t);

/* the term of t whose reduced key is s * rest and whose unit is `ratio` times s's unit */
static bool term_in(ax_store *A, term s, const factor *rest, uint32_t nr, const expr *t,
                    ax_id ratio) {
  factor f[2 * MAX_FACTORS];
  uint32_t k = 0;
  const reduced r = *RED(A, MONO(A, s.m)->reduced);
  for (uint32_t i = 0, j = 0; i < r.n || j < nr;) {
    factor g;
    if (j == nr || (i < r.n && r.f[i].atom < rest[j].atom)) {
      g = r.f[i++];
    } else if (i == r.n || rest[j].atom < r.f[i].atom) {
      g = rest[j++];
    } else {
      g = r.f[i++];
      g.exp += rest[j++].exp;
    }
    if (g.exp)
      f[k++] = g;
  }
  for (uint32_t i = 0; i < t->n; i++) {
    const reduced q = *RED(A, MONO(A, t->t[i].m)->reduced);
    if (q.n == k && !memcmp(q.f, f, k * sizeof *f) &&
        ax_mul(A, unit_of(A, s), ratio) == unit_of(A, t->t[i]))
      return true;
  }
  return false;
}

/* s * m is a part of t for one monomial m; the ratio of numbers and sizes is the same for all terms
 * of s */
static bool sub_here(ax_store *A, const expr *s, const expr *t) {
  factor rest[MAX_FACTORS];
  uint32_t nr;
  if (s->n > t->n && s->n_red > t->n_red)
    return false;
  for (uint32_t j = 0; j < t->n; j++) {
    if (!red_divides(RED(A, MONO(A, s->t[0].m)->reduced), RED(A, MONO(A, t->t[j].m)->reduced), rest,
                     &nr))
      continue;
    if (s->n == 1)
      return true;
    ax_id ratio = ax_mul(A, unit_of(A, t->t[j]), ax_inv(A, unit_of(A, s->t[0])));
    uint32_t i = 1;
    if (ratio == AX_BAD || EXPR(A, ratio)->t[0].num < 0)
      continue; /* b - a is not a part of a - b: one of the two is enough */
    while (i < s->n && term_in(A, s->t[i], rest, nr, t, ratio))
      i++;
    if (i == s->n)
      return true;
  }
  return false;
}

/* s is one factor max over fewer parts than a maximum in t has */
static bool partial_extremum(const ax_store *A, const expr *s, const atom *t) {
  if (s->n != 1)
    return false;
  const reduced *r = RED(A, s->red[0]);
  if (r->n != 1 || r->f[0].exp != 1)
    return false;
  const atom *a = ATOM(A, r->f[0].atom);
  return a->kind == t->kind && a->arg[0] == t->arg[0] && !(a->parts & ~t->parts);
}

bool ax_sub_top(ax_store *A, ax_id s, ax_id t) {
  if (s == AX_BAD || t == AX_BAD)
    return false;
  if (s == t || s == AX_ZERO || ax_is_unit(A, s))
    return true;
  expr es = *EXPR(A, s);
  expr et = *EXPR(A, t);
  if (sub_here(A, &es, &et))
    return true;
  for (uint32_t i = 0; i < et.n; i++) {
    mono m = *MONO(A, et.t[i].m);
    factor den[MAX_FACTORS];
    uint32_t nd = 0;
    for (uint32_t j = 0; j < m.n; j++) {
      atom a = *ATOM(A, m.f[j].atom);
      if (m.f[j].exp < 0 && a.kind != AX_SIZE) {
        den[nd] = m.f[j];
        den[nd].exp = -den[nd].exp;
        nd++;
      }
      if ((a.kind == AX_MAXR || a.kind == AX_MINR) && partial_extremum(A, &es, &a))
        return true;
    }
    if (!nd)
      continue;
    term d = {intern_mono(A, m.dep, den, nd), 1, 1};
    ax_id id = intern_expr(A, &d, 1);
    expr ed = *EXPR(A, id);
    if (sub_here(A, &es, &ed))
      return true;
  }
  return false;
}

bool ax_sub(ax_store *A, ax_id s, ax_id t) {
  if (s == AX_BAD || t == AX_BAD)
    return false;
  if (s == t || s == AX_ZERO || ax_is_unit(A, s))
    return true;
  uint64_t key = (uint64_t)s << 32 | t;
  uint32_t known;
  if (memo_get(&A->sub, key, &known))
    return known;
  bool yes = ax_sub_top(A, s, t);
  expr et = *EXPR(A, t);
  for (uint32_t i = 0; i < et.n && !yes; i++) {
    mono m = *MONO(A, et.t[i].m);
    for (uint32_t j = 0; j < m.n && !yes; j++) {
      atom a = *ATOM(A, m.f[j].atom);
      for (uint32_t k = 0; k < a.n && !yes; k++)
        yes = ax_sub(A, s, a.arg[k]);
    }
  }
  memo_put(&A->sub, key, yes);
  return yes;
}

/* the units of a monomial with coefficient, as an expression */
static ax_id unit_of(ax_store *A, term t) {
  factor f[MAX_FACTORS];
  uint32_t n = 0;
  const mono *m = MONO(A, t.m);
  for (uint32_t i = 0; i < m->n; i++) {
    if (ATOM(A, m->f[i].atom)->kind == AX_SIZE)
      f[n++] = m->f[i];
  }
  t.m = intern_mono(A, 0, f, n);
  return intern_expr(A, &t, 1);
}

bool ax_ratio(ax_store *A, ax_id s, ax_id t, ax_id *factor_out) {
  expr es = *EXPR(A, s);
  expr et = *EXPR(A, t);
  if (!es.n || es.n > et.n)
    return false;
  ax_id r = AX_BAD;
  for (uint32_t i = 0; i < es.n; i++) {
    uint32_t red = MONO(A, es.t[i].m)->reduced;
    uint32_t j = 0;
    uint64_t dep = MONO(A, es.t[i].m)->dep;
    for (; j < et.n; j++) {
      if (MONO(A, et.t[j].m)->reduced != red || MONO(A, et.t[j].m)->dep != dep)
        continue;
      ax_id q = ax_mul(A, unit_of(A, et.t[j]), ax_inv(A, unit_of(A, es.t[i])));
      if (r == AX_BAD)
        r = q;
      if (q == r)
        break;
    }
    if (j == et.n || r == AX_BAD)
      return false;
  }
  *factor_out = r;
  return true;
}

bool ax_is_unit(const ax_store *A, ax_id a) {
  const expr *e = EXPR(A, a);
  return e->n == 1 && !RED(A, e->red[0])->n;
}

bool ax_unit(const ax_store *A, ax_id a, int64_t *num, int64_t *den, uint32_t *sym, int *exps,
             uint32_t max, uint32_t *n) {
  if (a == AX_BAD || !ax_is_unit(A, a))
    return false;
  const expr *e = EXPR(A, a);
  const mono *m = MONO(A, e->t[0].m);
  if (m->n > max)
    return false;
  *num = e->t[0].num;
  *den = e->t[0].den;
  *n = m->n;
  for (uint32_t i = 0; i < m->n; i++) {
    sym[i] = ATOM(A, m->f[i].atom)->payload;
    exps[i] = m->f[i].exp;
  }
  return true;
}

uint32_t ax_factors(ax_store *A, ax_id a, const ax_id *target, uint32_t n, ax_id *out,
                    uint32_t max) {
  const expr e = *EXPR(A, a);
  uint32_t k = 0;
  for (uint32_t i = 0; i < n && e.n; i++) {
    const expr g = *EXPR(A, target[i]);
    for (uint32_t j = 0; j < g.n; j++) {
      factor rest[MAX_FACTORS];
      uint32_t nr;
      ax_id f = AX_BAD;
      if (e.n > 1) {
        if (j || !ax_ratio(A, a, target[i], &f))
          continue;
      } else if (red_divides(RED(A, MONO(A, e.t[0].m)->reduced), RED(A, MONO(A, g.t[j].m)->reduced),
                             rest, &nr)) {
        f = ax_mul(A, unit_of(A, g.t[j]), ax_inv(A, unit_of(A, e.t[0])));
      }
      if (f == AX_BAD)
        continue;
      if (EXPR(A, f)->t[0].num < 0)
        f = ax_neg(A, f);
      bool known = f == AX_ONE;
      for (uint32_t q = 0; q < k; q++)
        known |= out[q] == f;
      if (!known && k < max)
        out[k++] = f;
    }
  }
  return k;
}

bool ax_is_negative(const ax_store *A, ax_id a) {
  return EXPR(A, a)->n == 1 && EXPR(A, a)->t[0].num < 0;
}

bool ax_natural(ax_store *A, ax_id a, const ax_id *target, uint32_t n) {
  const expr e = *EXPR(A, a);
  if (!e.n || (e.n == 1 && e.t[0].num < 0))
    return false;
  for (uint32_t i = 0; i < e.n; i++) {
    term t = e.t[i];
    if (t.num < 0)
      continue;
    const reduced r = *RED(A, MONO(A, t.m)->reduced);
    ax_id u = unit_of(A, t);
    bool plain = true;
    for (uint32_t j = 0; j < r.n; j++)
      plain &= ATOM(A, r.f[j].atom)->kind == AX_SUM;
    if (plain && e.n == 1)
      return false;
    if (u == AX_ONE)
      return true;
    for (uint32_t k = 0; k < n; k++) {
      const expr g = *EXPR(A, target[k]);
      for (uint32_t j = 0; j < g.n; j++) {
        factor rest[MAX_FACTORS];
        uint32_t nr;
        term x = g.t[j];
        x.num = x.num < 0 ? -x.num : x.num;
        if (unit_of(A, x) == u && red_divides(&r, RED(A, MONO(A, x.m)->reduced), rest, &nr))
          return true;
      }
    }
  }
  return false;
}

bool ax_contains(ax_store *A, ax_id a, ax_id part) {
  if (a == part)
    return true;
  expr e = *EXPR(A, a);
  expr p = *EXPR(A, part);
  if (p.n != 1 || RED(A, p.red[0])->n != 1)
    return false;
  uint32_t want = RED(A, p.red[0])->f[0].atom;
  for (uint32_t i = 0; i < e.n; i++) {
    const mono m = *MONO(A, e.t[i].m);
    for (uint32_t j = 0; j < m.n; j++) {
      if (m.f[j].atom == want)
        return true;
      const atom at = *ATOM(A, m.f[j].atom);
      for (uint32_t k = 0; k < at.n; k++) {
        if (ax_contains(A, at.arg[k], part))
          return true;
      }
    }
  }
  return false;
}

bool ax_rescalable(ax_store *A, ax_id a, ax_id m) {
  expr e = *EXPR(A, a);
  if (!e.n)
    return false;
  for (uint32_t i = 0; i < e.n; i++) {
    mono mo = *MONO(A, e.t[i].m);
    bool shifted = false;
    for (uint32_t j = 0; j < mo.n; j++) {
      atom at = *ATOM(A, mo.f[j].atom);
      if (at.kind == AX_EXP && mo.f[j].exp == 1) {
        ax_id p = ax_add(A, at.arg[0], m);
        if (p == AX_BAD || ax_contains(A, p, m))
          return false;
        shifted = true;
        continue;
      }
      factor f = {mo.f[j].atom, 1};
      term t = {intern_mono(A, at.dep, &f, 1), 1, 1};
      if (ax_contains(A, intern_expr(A, &t, 1), m))
        return false;
    }
    if (!shifted)
      return false;
  }
  return true;
}

uint32_t ax_arguments(ax_store *A, ax_id a, ax_id *out, uint32_t max) {
  uint32_t n = 0;
  if (a == AX_BAD)
    return 0;
  expr e = *EXPR(A, a);
  for (uint32_t i = 0; i < e.n; i++) {
    mono m = *MONO(A, e.t[i].m);
    for (uint32_t j = 0; j < m.n; j++) {
      atom at = *ATOM(A, m.f[j].atom);
      for (uint32_t k = 0; k < at.n; k++) {
        bool seen = false;
        for (uint32_t q = 0; q < n; q++)
          seen |= out[q] == at.arg[k];
        if (seen || n == max)
          continue;
        out[n++] = at.arg[k];
      }
    }
  }
  for (uint32_t done = 0, end = n; done < end; done++) {
    ax_id in[64];
    uint32_t k = ax_arguments(A, out[done], in, 64);
    for (uint32_t i = 0; i < k && n < max; i++) {
      bool seen = false;
      for (uint32_t q = 0; q < n; q++)
        seen |= out[q] == in[i];
      if (!seen)
        out[n++] = in[i];
    }
  }
  return n;
}

uint32_t ax_n_terms(const ax_store *A, ax_id a) {
  return EXPR(A, a)->n;
}

uint32_t ax_term(const ax_store *A, ax_id a, uint32_t i, int64_t *num, int64_t *den, ax_factor *out,
                 uint32_t max) {
  const term *t = &EXPR(A, a)->t[i];
  const mono *m = MONO(A, t->m);
  *num = t->num;
  *den = t->den;
  for (uint32_t j = 0; j < m->n && j < max; j++) {
    const atom *at = ATOM(A, m->f[j].atom);
    out[j] = (ax_factor){m->f[j].atom, at->kind, at->payload, at->parts,
                         at->head,     at->n,    at->arg,     m->f[j].exp};
  }
  return m->n < max ? m->n : max;
}

static void print_into(const ax_store *A, ax_id a, as_str *s) {
  static const char *const name[] = {"X", "n", "c", "inv", "exp", "log", "sqrt", "max", "min", ""};
  const expr *e = EXPR(A, a);
  if (!e->n)
    as_str_add(s, "0");
  for (uint32_t i = 0; i < e->n; i++) {
    const mono *m = MONO(A, e->t[i].m);
    if (i)
      as_str_add(s, " + ");
    bool first = true;
    if (e->t[i].num != 1 || e->t[i].den != 1 || !m->n) {
      as_str_printf(s, "%lld", (long long)e->t[i].num);
      if (e->t[i].den != 1)
        as_str_printf(s, "/%lld", (long long)e->t[i].den);
      first = false;
    }
    for (uint32_t j = 0; j < m->n; j++) {
      const atom *at = ATOM(A, m->f[j].atom);
      as_str_printf(s, "%s%s", first ? "" : "*", at->kind == AX_OPAQUE ? at->head : name[at->kind]);
      first = false;
      if (!at->n || at->kind == AX_SUM)
        as_str_printf(s, "%u", at->payload);
      if (at->kind == AX_MAXR || at->kind == AX_MINR)
        as_str_printf(s, "%llx", (unsigned long long)at->parts);
      for (uint32_t k = 0; k < at->n; k++) {
        as_str_add(s, k ? ", " : "(");
        print_into(A, at->arg[k], s);
      }
      if (at->n)
        as_str_add(s, ")");
      if (m->f[j].exp != 1)
        as_str_printf(s, "^%d", m->f[j].exp);
    }
  }
}

char *ax_print(const ax_store *A, ax_id a) {
  as_str s;
  as_str_init(&s);
  if (a == AX_BAD)
    as_str_add(&s, "?");
  else
    print_into(A, a, &s);
  return as_str_take(&s);
}
