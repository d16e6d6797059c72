/* Relations by refutation: the negated goal, the hypotheses in normal form, what is known of the
 * atoms, and products of two of these give 0 < 0 by a nonnegative combination.  A linear programme
 * over the monomials, solved exactly (free of floating point, by a fixed pivot rule, so that it
 * ends and gives the same answer everywhere).  Facts of integers are tightened (a < b is a + 1 <=
 * b), the negated goal too, so that bounds are rounded.  Only facts that are connected to the goal
 * by shared atoms take part. */
#include "pv_folds.h"
#include "src/base/mem.h"
#include <flint/fmpq.h>
#include <flint/fmpq_mat.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FACTS = 36, MAX_COLS = 150, MAX_ROWS = 120, MAX_PIVOTS = 400, MAX_WIDE = 10 };

typedef struct {
  pv_poly v;
  pv_thm prem[2];
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

static void push_fact(pv *p, facts *F, const pv_poly *v, const pv_thm *prem, uint32_t n,
                      bool strict, bool eq) {
  if (F->n == MAX_COLS)
    return;
  fact *f = &F->f[F->n++];
  pv_poly_init(&f->v);
  pv_poly_add(p, &f->v, v, p->one);
  f->n = n;
  f->strict = strict;
  f->eq = eq;
  for (uint32_t i = 0; i < n; i++)
    f->prem[i] = prem[i];
}

/* theorem s, an = <= or <, as a fact; strict ones of integers tightened */
static void push_thm(pv *p, facts *F, pv_thm s) {
  pv_poly v;
  ck_id f;
  if (s == PV_NONE)
    return;
  s = pv_tighten(p, s);
  if (s == PV_NONE)
    return;
  for (uint32_t i = 0; i < F->n; i++) {
    if (F->f[i].n == 1 && F->f[i].prem[0] == s)
      return;
  }
  f = pv_says(p, s);
  pv_poly_init(&v);
  pv_poly_read(p, &v, pv_sub(p, ck_kid(p->terms, f, 1), ck_kid(p->terms, f, 0)));
  if (v.count || ck_head(p->terms, f) == CK_LT)
    push_fact(p, F, &v, &s, 1, ck_head(p->terms, f) == CK_LT, ck_head(p->terms, f) == CK_EQ);
  pv_poly_clear(&v);
}

static bool shares(const pv_poly *f, const pv_poly *g) {
  for (uint32_t i = 0; i < f->count; i++) {
    for (uint32_t j = 0; j < f->monos[i].degree; j++) {
      for (uint32_t k = 0; k < g->count; k++) {
        if (pv_mono_has(&g->monos[k], f->monos[i].atoms[j]))
          return true;
      }
    }
  }
  return false;
}

/* x # 0 for what is known not to be negative, or not to be positive, as an order */
static pv_thm apart(pv *p, pv_ctx cx, ck_id x, pv_thm nz) {
  bool i = ck_is_int(p->terms, x);
  pv_thm ge = i ? pv_follows_int(p, cx, pv_ge0(p, x)) : pv_fact_match(p, cx, CK_LE, x);
  if (ge != PV_NONE)
    return pv_positive_of_nonzero(p, x, ge, nz);
  ck_id m = pv_canon(p, pv_neg(p, x));
  ge = i ? pv_follows_int(p, cx, pv_ge0(p, m)) : pv_fact_match(p, cx, CK_LE, m);
  return ge == PV_NONE
             ? PV_NONE
             : pv_positive_of_nonzero(p, m, ge, pv_scaled(p, pv_ne0(p, m), pv_num(p, -1), nz));
}

/* hypothesis s in normal form; while one is being brought there, as it stands, if it is of
 * integers: else this would not end */
static pv_thm said(pv *p, pv_ctx cx, pv_thm s, ck_id *nf) {
  ck_id f;
  if (!p->fact_busy.n)
    return pv_fact_normal(p, cx, s, nf);
  if (s == PV_NONE || (f = pv_says(p, s), !ck_is_int(p->terms, ck_kid(p->terms, f, 0))) ||
      !ck_is_int(p->terms, ck_kid(p->terms, f, 1)) || ck_head(p->terms, f) == CK_NE)
    return PV_NONE;
  *nf = pv_canon(p, pv_sub(p, ck_kid(p->terms, f, 1), ck_kid(p->terms, f, 0)));
  return s;
}

/* an undecided condition between integers in the polynomial t */
static bool has_ite_atom(pv *p, ck_id t) {
  ck_op o = ck_head(p->terms, t);
  if (o == CK_ADD || o == CK_MUL)
    return has_ite_atom(p, ck_kid(p->terms, t, 0)) || has_ite_atom(p, ck_kid(p->terms, t, 1));
  return o == CK_ITE && ck_is_int(p->terms, t);
}

/* hypotheses of the context in normal form that are connected to those in F (all of them if `all`)
 */
static void push_hyps(pv *p, pv_ctx cx, facts *F, bool all) {
  enum { MOST = 96 };

  bool plain = true;
  pv_thm s[MOST];
  uint32_t n = 0;
  ck_id known[MOST];
  pv_poly v[MOST];
  bool taken[MOST] = {false};
  bool more = true;
  for (uint32_t i = 0; i < F->n; i++) {
    for (uint32_t j = 0; j < F->f[i].v.count; j++) {
      for (uint32_t k = 0; k < F->f[i].v.monos[j].degree; k++)
        plain = plain && ck_head(p->terms, F->f[i].v.monos[j].atoms[k]) != CK_ITE;
    }
  }
  for (pv_ctx c = cx; c != 0 && n < MOST; c = CX(p, c).parent) {
    ck_op o = ck_head(p->terms, CX(p, c).formula);
    ck_id nf;
    if (o == CK_ALL || (s[n] = said(p, cx, CX(p, c).thm, &nf)) == PV_NONE || pv_is_const(p, nf))
      continue;
    if (o == CK_NE && (s[n] = apart(p, cx, nf, s[n])) == PV_NONE)
      continue;
    if (plain && has_ite_atom(p, nf))
      continue; /* undecided conditions that the goal does not have */
    uint32_t same = 0;
    while (same < n && known[same] != pv_says(p, s[n]))
      same++;
    if (same < n)
      continue;
    known[n] = pv_says(p, s[n]);
    pv_poly_init(&v[n]);
    pv_poly_read(p, &v[n], nf);
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
    pv_poly_clear(&v[i]);
}

/* f(i) <= max(k < n) f(k), for the elements f(i) that the facts speak of */
static void element_facts(pv *p, pv_ctx cx, ck_id x, facts *F) {
  ck_id n = ck_kid(p->terms, x, 0);
  ck_id k;
  ck_id b;
  uint32_t nf = F->n;
  pv_ctx_bind(p, cx, n, &k);
  b = pv_max_body(p, x, k);
  if (ck_head(p->terms, b) != CK_APP)
    return;
  for (uint32_t i = 0; i < nf && F->n < MAX_COLS; i++) {
    for (uint32_t j = 0; j < F->f[i].v.count; j++) {
      for (uint32_t l = 0; l < F->f[i].v.monos[j].degree; l++) {
        ck_id y = F->f[i].v.monos[j].atoms[l];
        ck_id at = CK_BAD;
        if (ck_head(p->terms, y) != CK_APP || ck_name(p->terms, y) != ck_name(p->terms, b) ||
            ck_sig(p->terms, y) != ck_sig(p->terms, b))
          continue;
        for (uint32_t q = 0; q < ck_nkids(p->terms, b) && at == CK_BAD; q++) {
          if (ck_has_var(p->terms, ck_kid(p->terms, b, q), k))
            at = pv_canon(p,
                          pv_sub(p, ck_kid(p->terms, y, q), pv_sub(p, ck_kid(p->terms, b, q), k)));
        }
        if (at == CK_BAD || !ck_is_int(p->terms, at) || ck_has_var(p->terms, at, k) ||
            ck_sub(p->terms, b, &k, &at, 1, NULL, 0) != y)
          continue;
        pv_thm prem[2] = {pv_follows(p, cx, pv_ge0(p, at)), PV_NONE};
        if (prem[0] == PV_NONE || (prem[1] = pv_follows(p, cx, pv_lt(p, at, n))) == PV_NONE)
          continue;
        ck_fsub fs = pv_fun_sub(p, "f", &k, b);
        pv_var_sub v[2] = {{pv_int_var(p, "n"), n}, {pv_int_var(p, "i"), at}};
        push_thm(p, F, pv_use_lemma(p, PV_MAX_GE, v, 2, &fs, 1, prem, 2));
      }
    }
  }
}

/* what is known of an atom whatever the hypotheses */
static void atom_facts(pv *p, pv_ctx cx, ck_id x, facts *F) {
  ck_op o = ck_head(p->terms, x);
  ck_id f;
  if (o == CK_DIV || o == CK_MOD) {
    ck_id ab[2] = {ck_kid(p->terms, x, 0), ck_kid(p->terms, x, 1)};
    ck_id r = pv_sub(p, ab[0], pv_mul(p, ab[1], x));
    pv_thm bp = pv_follows(p, cx, pv_gt0(p, ab[1]));
    if (bp == PV_NONE)
      return;
    pv_thm lo = pv_law(p, "mod>", ab, 2, bp);
    pv_thm hi = pv_law(p, "mod<", ab, 2, bp);
    pv_thm l = pv_law(p, "div", ab, 2, bp);
    if (o == CK_MOD) {
      push_thm(p, F, lo);
      push_thm(p, F, hi);
      return;
    }
    pv_comb s;
    pv_comb_init(&s);
    pv_comb_add(&s, p->one, lo);
    pv_comb_add(&s, pv_num(p, -1), l);
    push_thm(p, F, pv_comb_prove(p, &s, pv_ge0(p, r)));
    pv_comb_init(&s);
    pv_comb_add(&s, p->one, hi);
    pv_comb_add(&s, p->one, l);
    push_thm(p, F, pv_comb_prove(p, &s, pv_lt(p, r, ab[1])));
  } else if (o == CK_EXP || o == CK_INV) {
    push_thm(p, F, pv_positive(p, cx, x));
  } else if (o == CK_SQRT) {
    push_thm(p, F, pv_nonneg(p, cx, x));
  } else if (pv_is_max(p, x, &f)) {
    push_thm(p, F, pv_max_first(p, cx, x));
    element_facts(p, cx, x, F);
  }
}

/* what is known of the squares in a monomial */
static void square_facts(pv *p, const pv_mono *m, facts *F) {
  for (uint32_t i = 0; i + 1 < m->degree; i++) {
    if (m->atoms[i] != m->atoms[i + 1])
      continue;
    bool i1 = ck_is_int(p->terms, m->atoms[i]);
    pv_var_sub v = {ck_var(p->terms, i1 ? "n" : "x", i1 ? 'i' : 'r'), m->atoms[i]};
    pv_var_sub w = {v.var, pv_neg(p, m->atoms[i])};
    push_thm(p, F, pv_use_lemma(p, i1 ? PV_INT_SQUARE : PV_SQUARE, &v, 1, NULL, 0, NULL, 0));
    if (i1)
      push_thm(p, F, pv_use_lemma(p, PV_INT_SQUARE, &w, 1, NULL, 0, NULL, 0));
  }
}

static void push_atoms(pv *p, pv_ctx cx, facts *F) {
  for (uint32_t i = 0, n = F->n; i < n; i++) {
    for (uint32_t j = 0; j < F->f[i].v.count; j++)
      square_facts(p, &F->f[i].v.monos[j], F);
  }
  ck_id seen[64];
  uint32_t n = 0;
  for (uint32_t i = 0; i < F->n && F->n < MAX_FACTS + 20; i++) /* F grows */
  {
    for (uint32_t j = 0; j < F->f[i].v.count; j++) {
      for (uint32_t k = 0; k < F->f[i].v.monos[j].degree; k++) {
        ck_id x = F->f[i].v.monos[j].atoms[k];
        uint32_t l = 0;
        while (l < n && seen[l] != x)
          l++;
        if (l < n || n == 64 || ck_head(p->terms, x) == CK_V)
          continue;
        seen[n++] = x;
        atom_facts(p, cx, x, F);
      }
    }
  }
}

/* clauses at the arguments that terms have, where they conclude an order or an equation */
static void push_clauses(pv *p, pv_ctx cx, ck_id t, facts *F) {
  for (pv_ctx c = cx; c != 0 && F->n < MAX_FACTS && !p->fact_busy.n; c = CX(p, c).parent) {
    ck_id f = CX(p, c).formula;
    ck_id g;
    pv_thm inst[8];
    uint32_t n;
    if (ck_head(p->terms, f) != CK_ALL)
      continue;
    g = ck_kid(p->terms, f, ck_nkids(p->terms, f) - 1);
    if (ck_head(p->terms, g) == CK_NE)
      continue;
    n = pv_clause_instances(p, cx, CX(p, c).thm, t, inst, 8);
    for (uint32_t i = 0; i < n; i++) {
      ck_id nf;
      pv_thm s = pv_fact_normal(p, cx, inst[i], &nf);
      if (s != PV_NONE && (!pv_is_zero(p, nf) || ck_head(p->terms, pv_says(p, s)) == CK_LT))
        push_thm(p, F, s);
    }
  }
}

/* --- products: only those that bring no monomial of degree 2 that is not there already */
typedef struct {
  const pv_mono *m[MAX_ROWS];
  uint32_t n;
} monos;

static bool known_mono(const monos *M, const pv_mono *m) {
  for (uint32_t i = 0; i < M->n; i++) {
    if (M->m[i]->degree == m->degree &&
        !memcmp(M->m[i]->atoms, m->atoms, m->degree * sizeof *m->atoms))
      return true;
  }
  return false;
}

/* the product of the highest monomials of f and g, which hardly ever cancels, is known */
static bool may_fit(const monos *M, const pv_poly *f, const pv_poly *g) {
  const pv_mono *a = &f->monos[0];
  const pv_mono *b = &g->monos[0];
  ck_id s[32];
  pv_mono m;
  uint32_t i = 0;
  uint32_t j = 0;
  for (uint32_t k = 1; k < f->count; k++) {
    if (f->monos[k].degree > a->degree)
      a = &f->monos[k];
  }
  for (uint32_t k = 1; k < g->count; k++) {
    if (g->monos[k].degree > b->degree)
      b = &g->monos[k];
  }
  m.degree = a->degree + b->degree;
  m.atoms = s;
  if (m.degree > 32)
    return false;
  for (uint32_t k = 0; k < m.degree; k++)
    s[k] = j == b->degree || (i < a->degree && a->atoms[i] <= b->atoms[j]) ? a->atoms[i++]
                                                                           : b->atoms[j++];
  return m.degree < 2 || known_mono(M, &m);
}

static void push_product(pv *p, facts *F, const monos *M, uint32_t i, uint32_t j) {
  pv_poly prod;
  pv_poly t;
  pv_thm pr[2] = {F->f[i].prem[0], F->f[j].prem[0]};
  bool fits = true;
  pv_poly_init(&prod);
  pv_poly_init(&t);
  const pv_poly *g = &F->f[j].v;
  for (uint32_t k = 0; k < g->count; k++) {
    pv_poly_mul_mono(p, &t, &F->f[i].v, g->monos[k].coef, g->monos[k].atoms, g->monos[k].degree);
    pv_poly_add(p, &prod, &t, p->one);
  }
  for (uint32_t k = 0; k < prod.count && fits; k++)
    fits = prod.monos[k].degree < 2 || known_mono(M, &prod.monos[k]);
  if (fits && prod.count)
    push_fact(p, F, &prod, pr, 2, F->f[i].strict && F->f[j].strict, false);
  pv_poly_clear(&prod);
  pv_poly_clear(&t);
}

static void push_products(pv *p, facts *F) {
  monos M;
  M.n = 0;
  uint32_t n = F->n;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < F->f[i].v.count; j++) {
      const pv_mono *m = &F->f[i].v.monos[j];
      if (m->degree >= 2 && M.n < MAX_ROWS && !known_mono(&M, m))
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
static int row_of(const pv_mono *m, const pv_mono **rows, uint32_t *n) {
  for (uint32_t i = 0; i < *n; i++) {
    if (rows[i]->degree == m->degree &&
        (!m->degree || !memcmp(rows[i]->atoms, m->atoms, m->degree * sizeof *m->atoms)))
      return (int)i;
  }
  if (*n == MAX_ROWS)
    return -1;
  rows[*n] = m;
  return (int)(*n)++;
}

static void set_q(pv *p, fmpq_t x, ck_id q, int sign) {
  fmpq_set_mpq(x, *ck_q_value(p->terms, q));
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
static pv_thm refute(pv *p, const facts *F) {
  const pv_mono *rows[MAX_ROWS];
  pv_mono unit = {p->one, 0, NULL};
  column col[2 * MAX_COLS + 1];
  uint32_t nr = 1;
  uint32_t nc = 0;
  pv_thm res = PV_NONE;
  slong basis[MAX_ROWS + 1];
  fmpq_mat_t M;
  rows[0] = &unit;
  for (uint32_t i = 0; i < F->n; i++) {
    for (uint32_t j = 0; j < F->f[i].v.count; j++) {
      if (row_of(&F->f[i].v.monos[j], rows, &nr) < 0)
        return PV_NONE;
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
    const pv_poly *v = &col[i].f->v;
    for (uint32_t j = 0; j < v->count; j++)
      set_q(p, fmpq_mat_entry(M, row_of(&v->monos[j], rows, &nr), i), v->monos[j].coef,
            col[i].sign);
    if (col[i].f->strict)
      fmpq_set_si(fmpq_mat_entry(M, nr, i), 1, 1);
  }
  fmpq_set_si(fmpq_mat_entry(M, 0, cols - 1), 1, 1);
  fmpq_set_si(fmpq_mat_entry(M, nr, cols - 1), 1, 1);
  fmpq_set_si(fmpq_mat_entry(M, nr, cols), 1, 1);
  if (solve(p, M, nrows, cols, basis)) {
    mpq_t q;
    pv_comb b;
    mpq_init(q);
    pv_comb_init(&b);
    for (slong i = 0; i < nrows; i++) {
      if (basis[i] >= cols || fmpq_is_zero(fmpq_mat_entry(M, i, cols)))
        continue;
      fmpq_get_mpq(q, fmpq_mat_entry(M, i, cols));
      if (basis[i] < (slong)nc && col[basis[i]].sign < 0)
        mpq_neg(q, q);
      ck_id co = ck_q(p->terms, q);
      if (basis[i] == (slong)nc) {
        pv_summand m = {co, NULL, 0};
        as_vec_push(&b.summands, &m);
        continue;
      }
      const fact *f = col[basis[i]].f;
      pv_comb_add_product(&b, co, f->prem[0], f->n == 2 ? f->prem[1] : PV_REFL);
    }
    res = pv_comb_prove(p, &b, pv_gt0(p, p->zero));
    mpq_clear(q);
  }
  fmpq_mat_clear(M);
  return res;
}

/* 0 <= x or x <= 0 from the facts, without products; PV_NONE if they do not say */
static pv_thm sign_of(pv *p, facts *F, ck_id x) {
  for (int i = 0; i < 2; i++) {
    ck_id g = i ? pv_le(p, x, p->zero) : pv_ge0(p, x);
    uint32_t n = F->n;
    pv_thm z;
    push_thm(p, F, pv_hyp(p, ck_neg(p->terms, g)));
    z = F->n > n ? refute(p, F) : PV_NONE;
    while (F->n > n)
      pv_poly_clear(&F->f[--F->n].v);
    if (z != PV_NONE)
      return pv_cases(p, g, pv_hyp(p, g), pv_from_zero_below_zero(p, g, z));
  }
  return PV_NONE;
}

/* signs of the factors of products, where no single fact says them */
static void push_signs(pv *p, facts *F) {
  ck_id x[8];
  uint32_t n = 0;
  uint32_t nf = F->n;
  for (uint32_t i = 0; i < nf; i++) {
    for (uint32_t j = 0; j < F->f[i].v.count; j++) {
      for (uint32_t k = 0; F->f[i].v.monos[j].degree >= 2 && k < F->f[i].v.monos[j].degree; k++) {
        ck_id a = F->f[i].v.monos[j].atoms[k];
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
      const pv_poly *v = &F->f[i].v;
      uint32_t lin = 0;
      uint32_t others = 0;
      for (uint32_t j = 0; j < v->count; j++) {
        if (v->monos[j].degree == 1 && v->monos[j].atoms[0] == x[l])
          lin++;
        else if (v->monos[j].degree || pv_const_sign(p, v->monos[j].coef) > 0)
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
static void push_cofactors(pv *p, pv_ctx cx, facts *F) {
  const pv_poly *g = &F->f[0].v;
  ck_id z[6];
  ck_id c[6];
  uint32_t n = 0;
  for (uint32_t i = 0; i < g->count; i++) {
    for (uint32_t j = 0; g->monos[i].degree >= 2 && j < g->monos[i].degree; j++) {
      ck_id a = g->monos[i].atoms[j];
      uint32_t l = 0;
      pv_poly q;
      while (l < n && z[l] != a)
        l++;
      if (l < n || n == 6 || !ck_is_int(p->terms, a))
        continue;
      pv_poly_init(&q);
      for (uint32_t k = 0; k < g->count; k++) {
        ck_id *rest = as_malloc((g->monos[k].degree + 1) * sizeof *rest);
        int m = pv_mono_div(g->monos[k].atoms, g->monos[k].degree, &a, 1, rest);
        if (m >= 0)
          pv_poly_add_mono(p, &q, pv_const_mul(p, g->monos[k].coef, pv_num(p, -1)), rest,
                           (uint32_t)m);
        free(rest);
      }
      z[n] = a;
      c[n] = q.count > 1 ? pv_poly_term(p, &q) : CK_BAD;
      n++;
      pv_poly_clear(&q);
    }
  }
  p->cofactors = true; /* one level of it */
  for (uint32_t l = 0; l < n; l++) {
    if (c[l] == CK_BAD || !ck_is_int(p->terms, c[l]))
      continue;
    pv_thm s = pv_follows(p, cx, pv_le(p, p->one, c[l]));
    push_thm(p, F, s != PV_NONE ? s : pv_follows(p, cx, pv_ge0(p, c[l])));
  }
  p->cofactors = false;
}

/* equations that serve as rules, and so are 0 = 0 in normal form, as they stand: products may have
 * their left sides */
static void push_rules(pv *p, pv_ctx cx, facts *F) {
  for (pv_ctx c = cx; c != 0 && F->n < MAX_COLS; c = CX(p, c).parent) {
    ck_id f = CX(p, c).formula;
    ck_id nf;
    pv_poly v;
    bool product = false;
    if (ck_head(p->terms, f) != CK_EQ || p->fact_busy.n ||
        pv_fact_normal(p, cx, CX(p, c).thm, &nf) == PV_NONE || !pv_is_zero(p, nf))
      continue;
    pv_poly_init(&v);
    pv_poly_read(p, &v, pv_sub(p, ck_kid(p->terms, f, 1), ck_kid(p->terms, f, 0)));
    for (uint32_t i = 0; i < v.count; i++)
      product = product || v.monos[i].degree >= 2;
    pv_poly_clear(&v);
    if (product)
      push_thm(p, F, CX(p, c).thm);
  }
}

static bool has_app(pv *p, ck_id t) {
  if (ck_head(p->terms, t) == CK_APP)
    return true;
  for (uint32_t i = 0, n = ck_nkids(p->terms, t); i < n; i++) {
    if (has_app(p, ck_kid(p->terms, t, i)))
      return true;
  }
  return false;
}

static pv_thm search(pv *p, pv_ctx cx, ck_id t, pv_thm neg) {
  facts *F = as_malloc(sizeof *F);
  pv_thm s;
  F->n = 0;
  if (neg != PV_REFL)
    push_thm(p, F, neg);
  if (t != CK_BAD && (!ck_is_int(p->terms, t) || has_app(p, t)))
    push_clauses(p, cx, t, F);
  push_hyps(p, cx, F, neg == PV_REFL);
  push_atoms(p, cx, F);
  push_hyps(p, cx, F, false); /* atoms bring others */
  s = F->n ? refute(p, F) : PV_NONE;
  if (s == PV_NONE && F->n) {
    uint32_t n = F->n;
    push_rules(p, cx, F);
    if (neg != PV_REFL && !p->cofactors)
      push_cofactors(p, cx, F);
    push_signs(p, F);
    push_products(p, F);
    if (F->n > n)
      s = refute(p, F);
  }
  for (uint32_t i = 0; i < F->n; i++)
    pv_poly_clear(&F->f[i].v);
  free(F);
  return s;
}

/* the relation g between zero and a normal term (or that this is not 0), which is `raw` as it was
 * written */
static pv_thm by_refutation(pv *p, pv_ctx cx, ck_id g, ck_id raw) {
  ck_id n = ck_neg(p->terms, g);
  pv_thm z = search(p, cx, raw, pv_hyp(p, n));
  pv_thm bad = pv_from_zero_below_zero(p, g, z);
  return z == PV_NONE ? PV_NONE : pv_cases(p, g, pv_hyp(p, g), bad);
}

static pv_thm lp_now(pv *p, pv_ctx cx, ck_id f) {
  ck_op o = ck_head(p->terms, f);
  ck_id a = ck_kid(p->terms, f, 0);
  ck_id b = ck_kid(p->terms, f, 1);
  ck_id d = o == CK_NE ? (b == p->zero ? a : pv_sub(p, b, a)) : a == p->zero ? b : pv_sub(p, b, a);
  if (o == CK_EQ) {
    pv_thm x = lp_now(p, cx, pv_le(p, a, b));
    pv_thm y = x == PV_NONE ? PV_NONE : lp_now(p, cx, pv_le(p, b, a));
    return pv_antisym(p, x, y);
  }
  pv_eqn e = pv_norm(p, cx, d);
  if (e.by == PV_NONE || e.to == CK_BAD)
    return PV_NONE;
  pv_thm s = by_refutation(
      p, cx, o == CK_NE ? pv_rel(p, o, e.to, p->zero) : pv_rel(p, o, p->zero, e.to), d);
  if (s == PV_NONE)
    return PV_NONE;
  pv_comb m;
  pv_comb_init(&m); /* 0 <= e.t, d = e.t; e.t # 0 has value -e.t */
  pv_comb_add(&m, o == CK_NE && b != p->zero ? pv_num(p, -1) : p->one, s);
  pv_comb_add(&m, o == CK_NE && b == p->zero ? p->one : pv_num(p, -1), e.by);
  return pv_comb_prove(p, &m, f);
}

pv_thm pv_lp_prove(pv *p, pv_ctx cx, ck_id f) {
  return f == CK_BAD ? PV_NONE : pv_lp_prove_within(p, pv_ctx_strip(p, cx, f), f);
}

pv_thm pv_lp_prove_within(pv *p, pv_ctx cx, ck_id f) {
  uint64_t v;
  uint64_t key = p->fact_busy.n ? 7 : 4;
  if (f == CK_BAD || pv_spent(p))
    return PV_NONE;
  if (as_map_get(&p->rel_memo, AS_KEY(((uint64_t)cx << 32) | f, key), &v))
    return (uint32_t)v;
  as_map_put(&p->rel_memo, AS_KEY(((uint64_t)cx << 32) | f, key), PV_NONE);
  pv_thm s = lp_now(p, cx, f);
  as_map_put(&p->rel_memo, AS_KEY(((uint64_t)cx << 32) | f, key), s);
  return s;
}

pv_thm pv_lp_contradiction(pv *p, pv_ctx cx) {
  uint64_t v;
  if (as_map_get(&p->rel_memo, AS_KEY(cx, 5), &v))
    return (uint32_t)v;
  as_map_put(&p->rel_memo, AS_KEY(cx, 5), PV_NONE);
  pv_thm s = PV_NONE;
  for (pv_ctx c = cx; c != 0 && s == PV_NONE && !pv_spent(p);
       c = CX(p, c).parent) { /* a hypothesis that is false by itself */
    ck_op o = ck_head(p->terms, CX(p, c).formula);
    ck_id nf;
    ck_id bad = pv_gt0(p, p->zero);
    pv_thm u;
    if (o == CK_ALL || (u = pv_fact_normal(p, cx, CX(p, c).thm, &nf)) == PV_NONE ||
        !pv_is_const(p, nf))
      continue;
    if (o == CK_NE) {
      if (pv_is_zero(p, nf))
        s = pv_from_zero_differs(p, bad, u);
    } else if (pv_is_zero(p, nf)) {
      if (o == CK_LT)
        s = u;
    } else if (o == CK_EQ) {
      s = pv_from_zero_is_one(p, bad,
                              pv_scaled(p, pv_eq(p, p->zero, p->one), pv_const_inv(p, nf), u));
    } else if (pv_const_sign(p, nf) < 0) {
      pv_summand m[2] = {{p->one, &u, 1}, {pv_const_mul(p, nf, pv_num(p, -1)), NULL, 0}};
      s = pv_arith(p, bad, m, 2);
    }
  }
  if (s == PV_NONE && cx != 0 && !pv_spent(p))
    s = search(p, cx, CK_BAD, PV_REFL);
  as_map_put(&p->rel_memo, AS_KEY(cx, 5), s);
  return s;
}
