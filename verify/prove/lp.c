/* Relations by refutation: the negated goal, the hypotheses in normal form, what is known of the
 * atoms, and products of two of these give 0 < 0 by a nonnegative combination.  A linear programme
 * over the monomials, solved exactly (free of floating point, by a fixed pivot rule, so that it
 * ends and gives the same answer everywhere).  Facts of integers are tightened (a < b is a + 1 <=
 * b), the negated goal too, so that bounds are rounded.  Only facts that are connected to the goal
 * by shared atoms take part. */
#include "pv.h"
#include <flint/fmpq.h>
#include <flint/fmpq_mat.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FACTS = 36, MAX_COLS = 150, MAX_ROWS = 120, MAX_PIVOTS = 400, MAX_WIDE = 10 };

typedef struct {
  poly v;
  uint32_t prem[2];
  uint32_t n;
  bool strict;
  bool eq;
} fact; /* 0 <= v, 0 < v or 0 = v */

typedef struct {
  const fact *f;
  int sign;
} column;

typedef struct {
  fact f[MAX_COLS];
  uint32_t n;
} facts;

static void push_fact(pv *p, facts *F, const poly *v, const uint32_t *prem, uint32_t n, bool strict,
                      bool eq) {
  if (F->n == MAX_COLS)
    return;
  fact *f = &F->f[F->n++];
  poly_init(&f->v);
  poly_add(p, &f->v, v, p->one);
  f->n = n;
  f->strict = strict;
  f->eq = eq;
  for (uint32_t i = 0; i < n; i++)
    f->prem[i] = prem[i];
}

/* theorem s, an = <= or <, as a fact; strict ones of integers tightened */
static void push_thm(pv *p, facts *F, uint32_t s) {
  poly v;
  ck_id f;
  if (s == NO)
    return;
  s = tight(p, s);
  if (s == NO)
    return;
  for (uint32_t i = 0; i < F->n; i++) {
    if (F->f[i].n == 1 && F->f[i].prem[0] == s)
      return;
  }
  f = thm(p, s);
  poly_init(&v);
  poly_of(p, &v, t_sub(p, ck_kid(p->T, f, 1), ck_kid(p->T, f, 0)));
  if (v.n || ck_head(p->T, f) == CK_LT)
    push_fact(p, F, &v, &s, 1, ck_head(p->T, f) == CK_LT, ck_head(p->T, f) == CK_EQ);
  poly_clear(&v);
}

static bool shares(const poly *f, const poly *g) {
  for (uint32_t i = 0; i < f->n; i++) {
    for (uint32_t j = 0; j < f->m[i].n; j++) {
      for (uint32_t k = 0; k < g->n; k++) {
        if (mono_has(&g->m[k], f->m[i].a[j]))
          return true;
      }
    }
  }
  return false;
}

/* x # 0 for what is known not to be negative, or not to be positive, as an order */
static uint32_t apart(pv *p, uint32_t cx, ck_id x, uint32_t nz) {
  bool i = ck_is_int(p->T, x);
  uint32_t ge = i ? side_int(p, cx, t_rel(p, CK_LE, p->zero, x)) : fact_match(p, cx, CK_LE, x);
  if (ge != NO)
    return ne_positive(p, x, ge, nz);
  ck_id m = canon(p, t_neg(p, x));
  ge = i ? side_int(p, cx, t_rel(p, CK_LE, p->zero, m)) : fact_match(p, cx, CK_LE, m);
  return ge == NO
             ? NO
             : ne_positive(p, m, ge, r_arith1(p, t_rel(p, CK_NE, m, p->zero), t_int(p, -1), nz));
}

/* hypothesis s in normal form; while one is being brought there, as it stands, if it is of
 * integers: else this would not end */
static uint32_t said(pv *p, uint32_t cx, uint32_t s, ck_id *nf) {
  ck_id f;
  if (!p->fact_busy.n)
    return fact_normal(p, cx, s, nf);
  if (s == NO || (f = thm(p, s), !ck_is_int(p->T, ck_kid(p->T, f, 0))) ||
      !ck_is_int(p->T, ck_kid(p->T, f, 1)) || ck_head(p->T, f) == CK_NE)
    return NO;
  *nf = canon(p, t_sub(p, ck_kid(p->T, f, 1), ck_kid(p->T, f, 0)));
  return s;
}

/* an undecided condition between integers in the polynomial t */
static bool has_ite_atom(pv *p, ck_id t) {
  ck_op o = ck_head(p->T, t);
  if (o == CK_ADD || o == CK_MUL)
    return has_ite_atom(p, ck_kid(p->T, t, 0)) || has_ite_atom(p, ck_kid(p->T, t, 1));
  return o == CK_ITE && ck_is_int(p->T, t);
}

/* hypotheses of the context in normal form that are connected to those in F (all of them if `all`)
 */
static void push_hyps(pv *p, uint32_t cx, facts *F, bool all) {
  enum { MOST = 96 };

  bool plain = true;
  uint32_t s[MOST];
  uint32_t n = 0;
  ck_id known[MOST];
  poly v[MOST];
  bool taken[MOST] = {false};
  bool more = true;
  for (uint32_t i = 0; i < F->n; i++) {
    for (uint32_t j = 0; j < F->f[i].v.n; j++) {
      for (uint32_t k = 0; k < F->f[i].v.m[j].n; k++)
        plain = plain && ck_head(p->T, F->f[i].v.m[j].a[k]) != CK_ITE;
    }
  }
  for (uint32_t c = cx; c != 0 && n < MOST; c = CX(p, c).parent) {
    ck_op o = ck_head(p->T, CX(p, c).formula);
    ck_id nf;
    if (o == CK_ALL || (s[n] = said(p, cx, CX(p, c).step, &nf)) == NO || is_q(p, nf))
      continue;
    if (o == CK_NE && (s[n] = apart(p, cx, nf, s[n])) == NO)
      continue;
    if (plain && has_ite_atom(p, nf))
      continue; /* undecided conditions that the goal does not have */
    uint32_t same = 0;
    while (same < n && known[same] != thm(p, s[n]))
      same++;
    if (same < n)
      continue;
    known[n] = thm(p, s[n]);
    poly_init(&v[n]);
    poly_of(p, &v[n], nf);
    n++;
  }
  while (more) {
    more = false;
    uint32_t m = F->n;
    for (uint32_t i = 0; i < n && F->n < MAX_FACTS; i++) {
      bool hit = !taken[i] && all;
      for (uint32_t j = 0; j < m && !hit && !taken[i]; j++)
        hit = shares(&v[i], &F->f[j].v);
      if (!hit)
        continue;
      taken[i] = more = true;
      push_thm(p, F, s[i]);
    }
  }
  for (uint32_t i = 0; i < n; i++)
    poly_clear(&v[i]);
}

/* f(i) <= max(k < n) f(k), for the elements f(i) that the facts speak of */
static void element_facts(pv *p, uint32_t cx, ck_id x, facts *F) {
  ck_id n = ck_kid(p->T, x, 0);
  ck_id k;
  ck_id b;
  uint32_t nf = F->n;
  cx_bind(p, cx, n, &k);
  b = max_body(p, x, k);
  if (ck_head(p->T, b) != CK_APP)
    return;
  for (uint32_t i = 0; i < nf && F->n < MAX_COLS; i++) {
    for (uint32_t j = 0; j < F->f[i].v.n; j++) {
      for (uint32_t l = 0; l < F->f[i].v.m[j].n; l++) {
        ck_id y = F->f[i].v.m[j].a[l];
        ck_id at = CK_BAD;
        if (ck_head(p->T, y) != CK_APP || ck_name(p->T, y) != ck_name(p->T, b) ||
            ck_sig(p->T, y) != ck_sig(p->T, b))
          continue;
        for (uint32_t q = 0; q < ck_nkids(p->T, b) && at == CK_BAD; q++) {
          if (ck_has_var(p->T, ck_kid(p->T, b, q), k))
            at = canon(p, t_sub(p, ck_kid(p->T, y, q), t_sub(p, ck_kid(p->T, b, q), k)));
        }
        if (at == CK_BAD || !ck_is_int(p->T, at) || ck_has_var(p->T, at, k) ||
            ck_sub(p->T, b, &k, &at, 1, NULL, 0) != y)
          continue;
        uint32_t prem[2] = {side(p, cx, t_rel(p, CK_LE, p->zero, at)), NO};
        if (prem[0] == NO || (prem[1] = side(p, cx, t_rel(p, CK_LT, at, n))) == NO)
          continue;
        ck_fsub fs = {ck_word(p->T, "f"), ck_word(p->T, "i:r"), &k, 1, b};
        ck_vsub v[2] = {{ck_var(p->T, "n", 'i'), n}, {ck_var(p->T, "i", 'i'), at}};
        push_thm(p, F, r_lemma(p, L_MAX_GE, v, 2, &fs, 1, prem, 2));
      }
    }
  }
}

/* what is known of an atom whatever the hypotheses */
static void atom_facts(pv *p, uint32_t cx, ck_id x, facts *F) {
  ck_op o = ck_head(p->T, x);
  ck_id f;
  if (o == CK_DIV || o == CK_MOD) {
    ck_id ab[2] = {ck_kid(p->T, x, 0), ck_kid(p->T, x, 1)};
    ck_id r = t_sub(p, ab[0], t_mul(p, ab[1], x));
    uint32_t bp = side(p, cx, t_rel(p, CK_LT, p->zero, ab[1]));
    if (bp == NO)
      return;
    uint32_t lo = r_law(p, "mod>", ab, 2, bp);
    uint32_t hi = r_law(p, "mod<", ab, 2, bp);
    uint32_t l = r_law(p, "div", ab, 2, bp);
    if (o == CK_MOD) {
      push_thm(p, F, lo);
      push_thm(p, F, hi);
      return;
    }
    by s;
    by_start(&s);
    by_add(&s, p->one, lo);
    by_add(&s, t_int(p, -1), l);
    push_thm(p, F, by_end(p, &s, t_rel(p, CK_LE, p->zero, r)));
    by_start(&s);
    by_add(&s, p->one, hi);
    by_add(&s, p->one, l);
    push_thm(p, F, by_end(p, &s, t_rel(p, CK_LT, r, ab[1])));
  } else if (o == CK_EXP || o == CK_INV) {
    push_thm(p, F, positive(p, cx, x));
  } else if (o == CK_SQRT) {
    push_thm(p, F, nonneg(p, cx, x));
  } else if (is_max(p, x, &f)) {
    push_thm(p, F, max_first(p, cx, x));
    element_facts(p, cx, x, F);
  }
}

/* what is known of the squares in a monomial */
static void square_facts(pv *p, const mono *m, facts *F) {
  for (uint32_t i = 0; i + 1 < m->n; i++) {
    if (m->a[i] != m->a[i + 1])
      continue;
    bool i1 = ck_is_int(p->T, m->a[i]);
    ck_vsub v = {ck_var(p->T, i1 ? "n" : "x", i1 ? 'i' : 'r'), m->a[i]};
    ck_vsub w = {v.var, t_neg(p, m->a[i])};
    push_thm(p, F, r_lemma(p, i1 ? L_INT_SQUARE : L_SQUARE, &v, 1, NULL, 0, NULL, 0));
    if (i1)
      push_thm(p, F, r_lemma(p, L_INT_SQUARE, &w, 1, NULL, 0, NULL, 0));
  }
}

static void push_atoms(pv *p, uint32_t cx, facts *F) {
  for (uint32_t i = 0, n = F->n; i < n; i++) {
    for (uint32_t j = 0; j < F->f[i].v.n; j++)
      square_facts(p, &F->f[i].v.m[j], F);
  }
  ck_id seen[64];
  uint32_t n = 0;
  for (uint32_t i = 0; i < F->n && F->n < MAX_FACTS + 20; i++) /* F grows */
  {
    for (uint32_t j = 0; j < F->f[i].v.n; j++) {
      for (uint32_t k = 0; k < F->f[i].v.m[j].n; k++) {
        ck_id x = F->f[i].v.m[j].a[k];
        uint32_t l = 0;
        while (l < n && seen[l] != x)
          l++;
        if (l < n || n == 64 || ck_head(p->T, x) == CK_V)
          continue;
        seen[n++] = x;
        atom_facts(p, cx, x, F);
      }
    }
  }
}

/* clauses at the arguments that terms have, where they conclude an order or an equation */
static void push_clauses(pv *p, uint32_t cx, ck_id t, facts *F) {
  for (uint32_t c = cx; c != 0 && F->n < MAX_FACTS && !p->fact_busy.n; c = CX(p, c).parent) {
    ck_id f = CX(p, c).formula;
    ck_id g;
    uint32_t inst[8];
    uint32_t n;
    if (ck_head(p->T, f) != CK_ALL)
      continue;
    g = ck_kid(p->T, f, ck_nkids(p->T, f) - 1);
    if (ck_head(p->T, g) == CK_NE)
      continue;
    n = clause_instances(p, cx, CX(p, c).step, t, inst, 8);
    for (uint32_t i = 0; i < n; i++) {
      ck_id nf;
      uint32_t s = fact_normal(p, cx, inst[i], &nf);
      if (s != NO && (!is_zero(p, nf) || ck_head(p->T, thm(p, s)) == CK_LT))
        push_thm(p, F, s);
    }
  }
}

/* --- products: only those that bring no monomial of degree 2 that is not there already */
typedef struct {
  const mono *m[MAX_ROWS];
  uint32_t n;
} monos;

static bool known_mono(const monos *M, const mono *m) {
  for (uint32_t i = 0; i < M->n; i++) {
    if (M->m[i]->n == m->n && !memcmp(M->m[i]->a, m->a, m->n * sizeof *m->a))
      return true;
  }
  return false;
}

/* the product of the highest monomials of f and g, which hardly ever cancels, is known */
static bool may_fit(const monos *M, const poly *f, const poly *g) {
  const mono *a = &f->m[0];
  const mono *b = &g->m[0];
  ck_id s[32];
  mono m;
  uint32_t i = 0;
  uint32_t j = 0;
  for (uint32_t k = 1; k < f->n; k++) {
    if (f->m[k].n > a->n)
      a = &f->m[k];
  }
  for (uint32_t k = 1; k < g->n; k++) {
    if (g->m[k].n > b->n)
      b = &g->m[k];
  }
  m.n = a->n + b->n;
  m.a = s;
  if (m.n > 32)
    return false;
  for (uint32_t k = 0; k < m.n; k++)
    s[k] = j == b->n || (i < a->n && a->a[i] <= b->a[j]) ? a->a[i++] : b->a[j++];
  return m.n < 2 || known_mono(M, &m);
}

static void push_product(pv *p, facts *F, const monos *M, uint32_t i, uint32_t j) {
  poly prod;
  poly t;
  uint32_t pr[2] = {F->f[i].prem[0], F->f[j].prem[0]};
  bool fits = true;
  poly_init(&prod);
  poly_init(&t);
  const poly *g = &F->f[j].v;
  for (uint32_t k = 0; k < g->n; k++) {
    poly_mul_mono(p, &t, &F->f[i].v, g->m[k].q, g->m[k].a, g->m[k].n);
    poly_add(p, &prod, &t, p->one);
  }
  for (uint32_t k = 0; k < prod.n && fits; k++)
    fits = prod.m[k].n < 2 || known_mono(M, &prod.m[k]);
  if (fits && prod.n)
    push_fact(p, F, &prod, pr, 2, F->f[i].strict && F->f[j].strict, false);
  poly_clear(&prod);
  poly_clear(&t);
}

static void push_products(pv *p, facts *F) {
  monos M;
  M.n = 0;
  uint32_t n = F->n;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < F->f[i].v.n; j++) {
      const mono *m = &F->f[i].v.m[j];
      if (m->n >= 2 && M.n < MAX_ROWS && !known_mono(&M, m))
        M.m[M.n++] = m;
    }
  }
  if (!M.n)
    return;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = i; j < n && F->n < MAX_COLS; j++) {
      if (!F->f[i].eq && !F->f[j].eq && F->f[i].n == 1 && F->f[j].n == 1 &&
          may_fit(&M, &F->f[i].v, &F->f[j].v))
        push_product(p, F, &M, i, j);
    }
  }
}

/* --- the programme */
/* rows: the monomials that occur */
static int row_of(const mono *m, const mono **rows, uint32_t *n) {
  for (uint32_t i = 0; i < *n; i++) {
    if (rows[i]->n == m->n && (!m->n || !memcmp(rows[i]->a, m->a, m->n * sizeof *m->a)))
      return (int)i;
  }
  if (*n == MAX_ROWS)
    return -1;
  rows[*n] = m;
  return (int)(*n)++;
}

static void set_q(pv *p, fmpq_t x, ck_id q, int sign) {
  fmpq_set_mpq(x, *ck_q_value(p->T, q));
  if (sign < 0)
    fmpq_neg(x, x);
}

/* phase one: x >= 0 with A x = b (last column of M); basis out.  M is rows x (cols + 1). */
static bool solve(pv *p, fmpq_mat_t M, slong rows, slong cols, slong *b) {
  fmpq_t r;
  fmpq_t best;
  fmpq_t t;
  bool ok = true;
  fmpq_init(r);
  fmpq_init(best);
  fmpq_init(t);
  fmpq_mat_t D;
  fmpq_mat_init(D, 1, cols + 1); /* reduced cost: sum of rows whose basic variable is artificial */
  for (slong i = 0; i < rows; i++) {
    b[i] = cols + i;
    if (fmpq_sgn(fmpq_mat_entry(M, i, cols)) < 0) {
      for (slong j = 0; j <= cols; j++)
        fmpq_neg(fmpq_mat_entry(M, i, j), fmpq_mat_entry(M, i, j));
    }
    for (slong j = 0; j <= cols; j++)
      fmpq_add(fmpq_mat_entry(D, 0, j), fmpq_mat_entry(D, 0, j), fmpq_mat_entry(M, i, j));
  }
  for (int it = 0; !fmpq_is_zero(fmpq_mat_entry(D, 0, cols)); it++) {
    slong e = 0;
    slong out = -1;
    if (it == MAX_PIVOTS) {
      ok = false;
      break;
    }
    while (e < cols && fmpq_sgn(fmpq_mat_entry(D, 0, e)) <= 0)
      e++;
    if (e == cols) {
      ok = false;
      break;
    }
    for (slong i = 0; i < rows; i++) {
      if (fmpq_sgn(fmpq_mat_entry(M, i, e)) <= 0)
        continue;
      fmpq_div(r, fmpq_mat_entry(M, i, cols), fmpq_mat_entry(M, i, e));
      int c = out < 0 ? -1 : fmpq_cmp(r, best);
      if (out < 0 || c < 0 || (c == 0 && b[i] < b[out])) {
        out = i;
        fmpq_set(best, r);
      }
    }
    if (out < 0) {
      ok = false;
      break;
    }
    fmpq_inv(r, fmpq_mat_entry(M, out, e));
    for (slong j = 0; j <= cols; j++) {
      if (!fmpq_is_zero(fmpq_mat_entry(M, out, j)))
        fmpq_mul(fmpq_mat_entry(M, out, j), fmpq_mat_entry(M, out, j), r);
    }
    for (slong i = 0; i <= rows; i++) {
      fmpq *x = i < rows ? fmpq_mat_entry(M, i, e) : fmpq_mat_entry(D, 0, e);
      if (i == out || fmpq_is_zero(x))
        continue;
      fmpq_set(t, x);
      p->work += (uint64_t)cols;
      for (slong j = 0; j <= cols; j++) {
        if (fmpq_is_zero(fmpq_mat_entry(M, out, j)))
          continue;
        fmpq_submul(i < rows ? fmpq_mat_entry(M, i, j) : fmpq_mat_entry(D, 0, j), t,
                    fmpq_mat_entry(M, out, j));
      }
    }
    b[out] = e;
  }
  fmpq_mat_clear(D);
  fmpq_clear(r);
  fmpq_clear(best);
  fmpq_clear(t);
  return ok;
}

/* 0 < 0 from the facts: sum x_i v_i = 0 with the x_i of strict facts adding up to 1; the last
 * column is 0 < 1 */
static uint32_t refute(pv *p, const facts *F) {
  const mono *rows[MAX_ROWS];
  mono unit = {p->one, 0, NULL};
  column col[2 * MAX_COLS + 1];
  uint32_t nr = 1;
  uint32_t nc = 0;
  uint32_t res = NO;
  slong basis[MAX_ROWS + 1];
  fmpq_mat_t M;
  rows[0] = &unit;
  for (uint32_t i = 0; i < F->n; i++) {
    for (uint32_t j = 0; j < F->f[i].v.n; j++) {
      if (row_of(&F->f[i].v.m[j], rows, &nr) < 0)
        return NO;
    }
    col[nc++] = (column){&F->f[i], 1};
    if (F->f[i].eq)
      col[nc++] = (column){&F->f[i], -1};
  }
  slong nrows = (slong)nr + 1;
  slong cols = (slong)nc + 1;
  p->work += (uint64_t)nrows * (uint64_t)cols;
  fmpq_mat_init(M, nrows, cols + 1);
  for (uint32_t i = 0; i < nc; i++) {
    const poly *v = &col[i].f->v;
    for (uint32_t j = 0; j < v->n; j++)
      set_q(p, fmpq_mat_entry(M, row_of(&v->m[j], rows, &nr), i), v->m[j].q, col[i].sign);
    if (col[i].f->strict)
      fmpq_set_si(fmpq_mat_entry(M, nr, i), 1, 1);
  }
  fmpq_set_si(fmpq_mat_entry(M, 0, cols - 1), 1, 1);
  fmpq_set_si(fmpq_mat_entry(M, nr, cols - 1), 1, 1);
  fmpq_set_si(fmpq_mat_entry(M, nr, cols), 1, 1);
  if (solve(p, M, nrows, cols, basis)) {
    mpq_t q;
    by b;
    mpq_init(q);
    by_start(&b);
    for (slong i = 0; i < nrows; i++) {
      if (basis[i] >= cols || fmpq_is_zero(fmpq_mat_entry(M, i, cols)))
        continue;
      fmpq_get_mpq(q, fmpq_mat_entry(M, i, cols));
      if (basis[i] < (slong)nc && col[basis[i]].sign < 0)
        mpq_neg(q, q);
      ck_id co = ck_q(p->T, q);
      if (basis[i] == (slong)nc) {
        ck_summand m = {co, NULL, 0};
        as_vec_push(&b.sum, &m);
        continue;
      }
      const fact *f = col[basis[i]].f;
      by_add2(&b, co, f->prem[0], f->n == 2 ? f->prem[1] : REFL);
    }
    res = by_end(p, &b, t_rel(p, CK_LT, p->zero, p->zero));
    mpq_clear(q);
  }
  fmpq_mat_clear(M);
  return res;
}

/* 0 <= x or x <= 0 from the facts, without products; NO if they do not say */
static uint32_t sign_of(pv *p, facts *F, ck_id x) {
  for (int i = 0; i < 2; i++) {
    ck_id g = i ? t_rel(p, CK_LE, x, p->zero) : t_rel(p, CK_LE, p->zero, x);
    uint32_t n = F->n;
    uint32_t z;
    push_thm(p, F, r_hyp(p, ck_neg(p->T, g)));
    z = F->n > n ? refute(p, F) : NO;
    while (F->n > n)
      poly_clear(&F->f[--F->n].v);
    if (z != NO)
      return r_cases(p, g, r_hyp(p, g), from_false(p, g, z));
  }
  return NO;
}

/* signs of the factors of products, where no single fact says them */
static void push_signs(pv *p, facts *F) {
  ck_id x[8];
  uint32_t n = 0;
  uint32_t nf = F->n;
  for (uint32_t i = 0; i < nf; i++) {
    for (uint32_t j = 0; j < F->f[i].v.n; j++) {
      for (uint32_t k = 0; F->f[i].v.m[j].n >= 2 && k < F->f[i].v.m[j].n; k++) {
        ck_id a = F->f[i].v.m[j].a[k];
        uint32_t l = 0;
        while (l < n && x[l] != a)
          l++;
        if (l == n && n < 8)
          x[n++] = a;
      }
    }
  }
  for (uint32_t l = 0; l < n && F->n < MAX_COLS; l++) {
    bool told = false;
    for (uint32_t i = 0; i < nf && !told; i++) {
      const poly *v = &F->f[i].v;
      uint32_t lin = 0;
      uint32_t others = 0;
      for (uint32_t j = 0; j < v->n; j++) {
        if (v->m[j].n == 1 && v->m[j].a[0] == x[l])
          lin++;
        else if (v->m[j].n || q_sgn(p, v->m[j].q) > 0)
          others++;
      }
      told = lin == 1 && !others && !F->f[i].eq;
    }
    if (!told)
      push_thm(p, F, sign_of(p, F, x[l]));
  }
}

/* the goal, whose negation is the first fact, as z*C + R: the sign of C, where it has several
 * terms, by a proof of its own */
static void push_cofactors(pv *p, uint32_t cx, facts *F) {
  const poly *g = &F->f[0].v;
  ck_id z[6];
  ck_id c[6];
  uint32_t n = 0;
  for (uint32_t i = 0; i < g->n; i++) {
    for (uint32_t j = 0; g->m[i].n >= 2 && j < g->m[i].n; j++) {
      ck_id a = g->m[i].a[j];
      uint32_t l = 0;
      poly q;
      while (l < n && z[l] != a)
        l++;
      if (l < n || n == 6 || !ck_is_int(p->T, a))
        continue;
      poly_init(&q);
      for (uint32_t k = 0; k < g->n; k++) {
        ck_id *rest = as_malloc((g->m[k].n + 1) * sizeof *rest);
        int m = mono_div(g->m[k].a, g->m[k].n, &a, 1, rest);
        if (m >= 0)
          poly_push(p, &q, q_mul(p, g->m[k].q, t_int(p, -1)), rest, (uint32_t)m);
        free(rest);
      }
      z[n] = a;
      c[n] = q.n > 1 ? poly_term(p, &q) : CK_BAD;
      n++;
      poly_clear(&q);
    }
  }
  p->cofactors = true; /* one level of it */
  for (uint32_t l = 0; l < n; l++) {
    if (c[l] == CK_BAD || !ck_is_int(p->T, c[l]))
      continue;
    uint32_t s = side(p, cx, t_rel(p, CK_LE, p->one, c[l]));
    push_thm(p, F, s != NO ? s : side(p, cx, t_rel(p, CK_LE, p->zero, c[l])));
  }
  p->cofactors = false;
}

/* equations that serve as rules, and so are 0 = 0 in normal form, as they stand: products may have
 * their left sides */
static void push_rules(pv *p, uint32_t cx, facts *F) {
  for (uint32_t c = cx; c != 0 && F->n < MAX_COLS; c = CX(p, c).parent) {
    ck_id f = CX(p, c).formula;
    ck_id nf;
    poly v;
    bool product = false;
    if (ck_head(p->T, f) != CK_EQ || p->fact_busy.n ||
        fact_normal(p, cx, CX(p, c).step, &nf) == NO || !is_zero(p, nf))
      continue;
    poly_init(&v);
    poly_of(p, &v, t_sub(p, ck_kid(p->T, f, 1), ck_kid(p->T, f, 0)));
    for (uint32_t i = 0; i < v.n; i++)
      product = product || v.m[i].n >= 2;
    poly_clear(&v);
    if (product)
      push_thm(p, F, CX(p, c).step);
  }
}

static bool has_app(pv *p, ck_id t) {
  if (ck_head(p->T, t) == CK_APP)
    return true;
  for (uint32_t i = 0, n = ck_nkids(p->T, t); i < n; i++) {
    if (has_app(p, ck_kid(p->T, t, i)))
      return true;
  }
  return false;
}

static uint32_t search(pv *p, uint32_t cx, ck_id t, uint32_t neg) {
  facts *F = as_malloc(sizeof *F);
  uint32_t s;
  F->n = 0;
  if (neg != REFL)
    push_thm(p, F, neg);
  if (t != CK_BAD && (!ck_is_int(p->T, t) || has_app(p, t)))
    push_clauses(p, cx, t, F);
  push_hyps(p, cx, F, neg == REFL);
  push_atoms(p, cx, F);
  push_hyps(p, cx, F, false); /* atoms bring others */
  s = F->n ? refute(p, F) : NO;
  if (s == NO && F->n) {
    uint32_t n = F->n;
    push_rules(p, cx, F);
    if (neg != REFL && !p->cofactors)
      push_cofactors(p, cx, F);
    push_signs(p, F);
    push_products(p, F);
    if (F->n > n)
      s = refute(p, F);
  }
  for (uint32_t i = 0; i < F->n; i++)
    poly_clear(&F->f[i].v);
  free(F);
  return s;
}

/* the relation g between zero and a normal term (or that this is not 0), which is `raw` as it was
 * written */
static uint32_t by_refutation(pv *p, uint32_t cx, ck_id g, ck_id raw) {
  ck_id n = ck_neg(p->T, g);
  uint32_t z = search(p, cx, raw, r_hyp(p, n));
  uint32_t bad = from_false(p, g, z);
  return z == NO ? NO : r_cases(p, g, r_hyp(p, g), bad);
}

static uint32_t lp_now(pv *p, uint32_t cx, ck_id f) {
  ck_op o = ck_head(p->T, f);
  ck_id a = ck_kid(p->T, f, 0);
  ck_id b = ck_kid(p->T, f, 1);
  ck_id d = o == CK_NE ? (b == p->zero ? a : t_sub(p, b, a)) : a == p->zero ? b : t_sub(p, b, a);
  if (o == CK_EQ) {
    uint32_t x = lp_now(p, cx, t_rel(p, CK_LE, a, b));
    uint32_t y = x == NO ? NO : lp_now(p, cx, t_rel(p, CK_LE, b, a));
    return r_antisym(p, x, y);
  }
  eqn e = norm(p, cx, d);
  if (e.s == NO || e.t == CK_BAD)
    return NO;
  uint32_t s =
      by_refutation(p, cx, o == CK_NE ? t_rel(p, o, e.t, p->zero) : t_rel(p, o, p->zero, e.t), d);
  if (s == NO)
    return NO;
  by m;
  by_start(&m); /* 0 <= e.t, d = e.t; e.t # 0 has value -e.t */
  by_add(&m, o == CK_NE && b != p->zero ? t_int(p, -1) : p->one, s);
  by_add(&m, o == CK_NE && b == p->zero ? p->one : t_int(p, -1), e.s);
  return by_end(p, &m, f);
}

uint32_t lp_prove(pv *p, uint32_t cx, ck_id f) {
  return f == CK_BAD ? NO : lp_prove_within(p, cx_strip(p, cx, f), f);
}

uint32_t lp_prove_within(pv *p, uint32_t cx, ck_id f) {
  uint64_t v;
  uint64_t key = p->fact_busy.n ? 7 : 4;
  if (f == CK_BAD || pv_spent(p))
    return NO;
  if (map_get(&p->rel_memo, ((uint64_t)cx << 32) | f, key, &v))
    return (uint32_t)v;
  map_put(&p->rel_memo, ((uint64_t)cx << 32) | f, key, NO);
  uint32_t s = lp_now(p, cx, f);
  map_put(&p->rel_memo, ((uint64_t)cx << 32) | f, key, s);
  return s;
}

uint32_t lp_contradiction(pv *p, uint32_t cx) {
  uint64_t v;
  if (map_get(&p->rel_memo, cx, 5, &v))
    return (uint32_t)v;
  map_put(&p->rel_memo, cx, 5, NO);
  uint32_t s = NO;
  for (uint32_t c = cx; c != 0 && s == NO && !pv_spent(p);
       c = CX(p, c).parent) { /* a hypothesis that is false by itself */
    ck_op o = ck_head(p->T, CX(p, c).formula);
    ck_id nf;
    ck_id bad = t_rel(p, CK_LT, p->zero, p->zero);
    uint32_t u;
    if (o == CK_ALL || (u = fact_normal(p, cx, CX(p, c).step, &nf)) == NO || !is_q(p, nf))
      continue;
    if (o == CK_NE) {
      if (is_zero(p, nf))
        s = false_ne(p, bad, u);
    } else if (is_zero(p, nf)) {
      if (o == CK_LT)
        s = u;
    } else if (o == CK_EQ) {
      s = absurd(p, bad, r_arith1(p, t_rel(p, CK_EQ, p->zero, p->one), q_inv(p, nf), u));
    } else if (q_sgn(p, nf) < 0) {
      ck_summand m[2] = {{p->one, &u, 1}, {q_mul(p, nf, t_int(p, -1)), NULL, 0}};
      s = r_arith(p, bad, m, 2);
    }
  }
  if (s == NO && cx != 0 && !pv_spent(p))
    s = search(p, cx, CK_BAD, REFL);
  map_put(&p->rel_memo, cx, 5, s);
  return s;
}
