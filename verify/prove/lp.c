/* Relations as combinations of hypotheses: a linear programme over the monomials, solved exactly (fraction-free of floating point, by
 * Bland's rule, so that it ends and gives the same answer everywhere).  Only facts that are connected to the goal by shared atoms take part. */
#include "pv.h"
#include <flint/fmpq.h>
#include <flint/fmpq_mat.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FACTS = 14, MAX_COLS = 96, MAX_ROWS = 80 };
typedef struct { poly v; uint32_t prem[2]; uint32_t n; bool strict, eq; int sign; } column;
typedef struct { column c[MAX_COLS]; uint32_t n; } columns;

static void add_column(pv *p, columns *C, const poly *v, const uint32_t *prem, uint32_t n, bool strict, bool eq)
{
  for (int sign = 1; sign >= (eq ? -1 : 1); sign -= 2) {
    if (C->n == MAX_COLS) return;
    column *c = &C->c[C->n++];
    poly_init(&c->v);
    poly_add(p, &c->v, v, t_int(p, sign));
    c->n = n; c->strict = strict; c->eq = eq; c->sign = sign;
    for (uint32_t i = 0; i < n; i++) c->prem[i] = prem[i];
  }
}

static bool shares(const poly *f, const poly *g)
{
  for (uint32_t i = 0; i < f->n; i++)
    for (uint32_t j = 0; j < f->m[i].n; j++)
      for (uint32_t k = 0; k < g->n; k++) if (mono_has(&g->m[k], f->m[i].a[j])) return true;
  return false;
}

/* facts of the context in normal form that are connected to g */
static uint32_t gather(pv *p, uint32_t cx, const poly *g, uint32_t *fact, poly *val)
{
  uint32_t all[64], n = 0, m = 0; poly v[64]; bool taken[64] = { false }, more = true;
  for (uint32_t c = cx; c != 0 && n < 64; c = CX(p, c).parent) {
    ck_op o = ck_head(p->T, CX(p, c).formula); ck_id nf; uint32_t s;
    if (o != CK_EQ && o != CK_LE && o != CK_LT) continue;
    if ((s = fact_normal(p, cx, CX(p, c).step, &nf)) == NO) continue;
    poly_init(&v[n]);
    poly_of(p, &v[n], nf);
    all[n++] = s;
  }
  while (more) {
    more = false;
    for (uint32_t i = 0; i < n && m < MAX_FACTS; i++) {
      bool hit = !taken[i] && shares(&v[i], g);
      for (uint32_t j = 0; j < m && !hit && !taken[i]; j++) hit = shares(&v[i], &val[j]);
      if (!hit) continue;
      taken[i] = more = true;
      fact[m] = all[i]; poly_init(&val[m]); poly_add(p, &val[m], &v[i], p->one); m++;
    }
  }
  for (uint32_t i = 0; i < n; i++) poly_clear(&v[i]);
  return m;
}

static void make_columns(pv *p, uint32_t cx, const poly *g, columns *C)
{
  uint32_t fact[MAX_FACTS]; poly val[MAX_FACTS], one; uint32_t n = gather(p, cx, g, fact, val);
  C->n = 0;
  poly_init(&one);
  poly_push(p, &one, p->one, NULL, 0);
  add_column(p, C, &one, NULL, 0, true, false);
  for (uint32_t i = 0; i < n; i++) {
    ck_op o = ck_head(p->T, thm(p, fact[i]));
    add_column(p, C, &val[i], &fact[i], 1, o == CK_LT, o == CK_EQ);
  }
  for (uint32_t i = 0; i < n && n <= 10; i++)
    for (uint32_t j = i; j < n; j++) {
      ck_op a = ck_head(p->T, thm(p, fact[i])), b = ck_head(p->T, thm(p, fact[j])); poly prod, t; uint32_t pr[2] = { fact[i], fact[j] };
      if (a == CK_EQ || b == CK_EQ) continue;
      poly_init(&prod); poly_init(&t);
      for (uint32_t k = 0; k < val[j].n; k++) { poly_mul_mono(p, &t, &val[i], val[j].m[k].q, val[j].m[k].a, val[j].m[k].n); poly_add(p, &prod, &t, p->one); }
      add_column(p, C, &prod, pr, 2, a == CK_LT && b == CK_LT, false);
      poly_clear(&prod); poly_clear(&t);
    }
  for (uint32_t i = 0; i < n; i++) poly_clear(&val[i]);
  poly_clear(&one);
}

/* rows: the monomials that occur */
static int row_of(const mono *m, const mono **rows, uint32_t *n)
{
  for (uint32_t i = 0; i < *n; i++) if (rows[i]->n == m->n && !memcmp(rows[i]->a, m->a, m->n * sizeof *m->a)) return (int)i;
  if (*n == MAX_ROWS) return -1;
  rows[*n] = m;
  return (int)(*n)++;
}

static void set_q(pv *p, fmpq_t x, ck_id q) { fmpq_set_mpq(x, *ck_q_value(p->T, q)); }

/* phase one: x >= 0 with A x = b (last column of M); basis out.  M is rows x (cols + 1). */
static bool solve(fmpq_mat_t M, slong rows, slong cols, slong *basis)
{
  fmpq_t r, best, t; bool ok = true;
  slong *b = as_malloc((size_t)(rows + 1) * sizeof *b);
  fmpq_init(r); fmpq_init(best); fmpq_init(t);
  fmpq_mat_t D; fmpq_mat_init(D, 1, cols + 1); /* reduced cost: sum of rows whose basic variable is artificial */
  for (slong i = 0; i < rows; i++) {
    b[i] = cols + i;
    if (fmpq_sgn(fmpq_mat_entry(M, i, cols)) < 0) for (slong j = 0; j <= cols; j++) fmpq_neg(fmpq_mat_entry(M, i, j), fmpq_mat_entry(M, i, j));
    for (slong j = 0; j <= cols; j++) fmpq_add(fmpq_mat_entry(D, 0, j), fmpq_mat_entry(D, 0, j), fmpq_mat_entry(M, i, j));
  }
  for (int it = 0; it < 2000 && !fmpq_is_zero(fmpq_mat_entry(D, 0, cols)); it++) {
    slong e = 0, out = -1;
    while (e < cols && fmpq_sgn(fmpq_mat_entry(D, 0, e)) <= 0) e++;
    if (e == cols) { ok = false; break; }
    for (slong i = 0; i < rows; i++) {
      if (fmpq_sgn(fmpq_mat_entry(M, i, e)) <= 0) continue;
      fmpq_div(r, fmpq_mat_entry(M, i, cols), fmpq_mat_entry(M, i, e));
      int c = out < 0 ? -1 : fmpq_cmp(r, best);
      if (out < 0 || c < 0 || (c == 0 && b[i] < b[out])) { out = i; fmpq_set(best, r); }
    }
    if (out < 0) { ok = false; break; }
    fmpq_inv(r, fmpq_mat_entry(M, out, e));
    for (slong j = 0; j <= cols; j++) fmpq_mul(fmpq_mat_entry(M, out, j), fmpq_mat_entry(M, out, j), r);
    for (slong i = 0; i <= rows; i++) {
      fmpq *x = i < rows ? fmpq_mat_entry(M, i, e) : fmpq_mat_entry(D, 0, e);
      if (i == out || fmpq_is_zero(x)) continue;
      fmpq_set(t, x);
      for (slong j = 0; j <= cols; j++) {
        if (fmpq_is_zero(fmpq_mat_entry(M, out, j))) continue;
        fmpq_submul(i < rows ? fmpq_mat_entry(M, i, j) : fmpq_mat_entry(D, 0, j), t, fmpq_mat_entry(M, out, j));
      }
    }
    b[out] = e;
  }
  ok = ok && fmpq_is_zero(fmpq_mat_entry(D, 0, cols));
  for (slong i = 0; i < rows; i++) basis[i] = b[i];
  free(b);
  fmpq_mat_clear(D); fmpq_clear(r); fmpq_clear(best); fmpq_clear(t);
  return ok;
}

/* goal: 0 <= g (strict: 0 < g).  mode 0: sum x_i c_i = g.  mode 1: sum x_i c_i = lambda g with the strict x_i adding up to 1. */
static uint32_t attempt(pv *p, const columns *C, const poly *g, ck_id goal, bool scaled)
{
  const mono *rows[MAX_ROWS]; uint32_t nr = 0; slong cols = (slong)C->n + (scaled ? 1 : 0); uint32_t res = NO; bool fits = true;
  for (uint32_t i = 0; i < C->n && fits; i++) for (uint32_t j = 0; j < C->c[i].v.n; j++) if (row_of(&C->c[i].v.m[j], rows, &nr) < 0) fits = false;
  for (uint32_t j = 0; j < g->n && fits; j++) if (row_of(&g->m[j], rows, &nr) < 0) fits = false;
  if (!fits) return NO;
  slong nrows = (slong)nr + (scaled ? 1 : 0); fmpq_mat_t M;
  p->work += (uint64_t)nrows * (uint64_t)cols;
  slong basis[MAX_ROWS + 1];
  fmpq_mat_init(M, nrows, cols + 1);
  for (uint32_t i = 0; i < C->n; i++) {
    for (uint32_t j = 0; j < C->c[i].v.n; j++) set_q(p, fmpq_mat_entry(M, row_of(&C->c[i].v.m[j], rows, &nr), i), C->c[i].v.m[j].q);
    if (scaled && C->c[i].strict) fmpq_set_si(fmpq_mat_entry(M, nr, i), 1, 1);
  }
  for (uint32_t j = 0; j < g->n; j++) {
    fmpq *x = fmpq_mat_entry(M, row_of(&g->m[j], rows, &nr), scaled ? cols - 1 : cols);
    set_q(p, x, g->m[j].q);
    if (scaled) fmpq_neg(x, x);
  }
  if (scaled) fmpq_set_si(fmpq_mat_entry(M, nr, cols), 1, 1);
  if (solve(M, nrows, cols, basis)) {
    fmpq_t lambda, x; mpq_t q; by b; fmpq_init(lambda); fmpq_init(x); mpq_init(q);
    for (slong i = 0; i < nrows; i++) if (scaled && basis[i] == cols - 1) fmpq_set(lambda, fmpq_mat_entry(M, i, cols));
    bool contra = scaled && fmpq_is_zero(lambda);
    by_start(&b);
    for (slong i = 0; i < nrows; i++) {
      if (basis[i] >= (slong)C->n || fmpq_is_zero(fmpq_mat_entry(M, i, cols))) continue;
      const column *c = &C->c[basis[i]];
      fmpq_set(x, fmpq_mat_entry(M, i, cols));
      if (scaled && !contra) fmpq_div(x, x, lambda);
      if (c->sign < 0) fmpq_neg(x, x);
      fmpq_get_mpq(q, x);
      ck_id co = ck_q(p->T, q);
      if (c->n == 0) { ck_summand m = { co, NULL, 0 }; as_vec_push(&b.sum, &m); }
      else if (c->n == 1) by_add(&b, co, c->prem[0]);
      else by_add2(&b, co, c->prem[0], c->prem[1]);
    }
    if (contra) res = from_false(p, goal, by_end(p, &b, t_rel(p, CK_LT, p->zero, p->zero)));
    else res = by_end(p, &b, goal);
    fmpq_clear(lambda); fmpq_clear(x); mpq_clear(q);
  }
  fmpq_mat_clear(M);
  return res;
}

/* 0 <= t or 0 < t for a normal t */
static uint32_t lp_sign(pv *p, uint32_t cx, ck_id t, bool strict)
{
  poly g; columns *C = as_malloc(sizeof *C); ck_id goal = t_rel(p, strict ? CK_LT : CK_LE, p->zero, t); uint32_t s = NO;
  poly_init(&g);
  poly_of(p, &g, t);
  make_columns(p, cx, &g, C);
  if (C->n > 1) {
    if (!strict) s = attempt(p, C, &g, goal, false);
    if (s == NO) s = attempt(p, C, &g, goal, true);
  }
  for (uint32_t i = 0; i < C->n; i++) poly_clear(&C->c[i].v);
  free(C);
  poly_clear(&g);
  return s;
}

static uint32_t lp_now(pv *p, uint32_t cx, ck_id f)
{
  ck_op o = ck_head(p->T, f); ck_id a = ck_kid(p->T, f, 0), b = ck_kid(p->T, f, 1), d = a == p->zero ? b : t_sub(p, b, a);
  if (o == CK_EQ) {
    uint32_t x = lp_now(p, cx, t_rel(p, CK_LE, a, b)), y = x == NO ? NO : lp_now(p, cx, t_rel(p, CK_LE, b, a));
    return r_antisym(p, x, y);
  }
  if (o == CK_NE) {
    uint32_t x = lp_now(p, cx, t_rel(p, CK_LT, a, b));
    if (x != NO) return r_arith1(p, f, p->one, x);
    x = lp_now(p, cx, t_rel(p, CK_LT, b, a));
    return x == NO ? NO : r_arith1(p, f, t_int(p, -1), x);
  }
  eqn e = norm(p, cx, d);
  if (e.s == NO) return NO;
  uint32_t s = lp_sign(p, cx, e.t, o == CK_LT);
  if (s == NO) return NO;
  by m; by_start(&m); /* 0 <= e.t, d = e.t */
  by_add(&m, p->one, s); by_add(&m, t_int(p, -1), e.s);
  return by_end(p, &m, f);
}

uint32_t lp_prove(pv *p, uint32_t cx, ck_id f)
{
  uint64_t v; bool real = false;
  cx = cx_strip(p, cx, f);
  for (uint32_t c = cx; c != 0 && !real; c = CX(p, c).parent) { /* sizes and counters alone are bounds.c's business */
    ck_id h = CX(p, c).formula; ck_op o = ck_head(p->T, h);
    real = (o == CK_EQ || o == CK_LE || o == CK_LT) && !(ck_is_int(p->T, ck_kid(p->T, h, 0)) && ck_is_int(p->T, ck_kid(p->T, h, 1)));
  }
  if (!real) return NO;
  if (map_get(&p->rel_memo, ((uint64_t)cx << 32) | f, 4, &v)) return (uint32_t)v;
  map_put(&p->rel_memo, ((uint64_t)cx << 32) | f, 4, NO);
  uint32_t s = lp_now(p, cx, f);
  map_put(&p->rel_memo, ((uint64_t)cx << 32) | f, 4, s);
  return s;
}
