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
  pv_poly value;
  pv_thm premises[2];
  uint32_t count;
  bool strict;
  bool eq;
} fact; /* 0 <= v, 0 < v or 0 = v */

typedef struct {
  const fact *fact;
  int sign;
} column;

typedef struct {
  fact fact[MAX_COLS];
  uint32_t count;
} fact_list;

static void push_fact(pv *prover, fact_list *F, const pv_poly *value, const pv_thm *premises,
                      uint32_t n, bool strict, bool eq) {
  if (F->count == MAX_COLS)
    return;
  fact *f = &F->fact[F->count++];
  pv_poly_init(&f->value);
  pv_poly_add(prover, &f->value, value, prover->one);
  f->count = n;
  f->strict = strict;
  f->eq = eq;
  for (uint32_t i = 0; i < n; i++)
    f->premises[i] = premises[i];
}

/* theorem s, an = <= or <, as a fact; strict ones of integers tightened */
static void push_thm(pv *prover, fact_list *F, pv_thm thm) {
  pv_poly value;
  ck_id formula;
  if (thm == PV_NONE)
    return;
  thm = pv_tighten(prover, thm);
  if (thm == PV_NONE)
    return;
  for (uint32_t i = 0; i < F->count; i++) {
    if (F->fact[i].count == 1 && F->fact[i].premises[0] == thm)
      return;
  }
  formula = pv_says(prover, thm);
  pv_poly_init(&value);
  pv_poly_read(
      prover, &value,
      pv_sub(prover, ck_kid(prover->terms, formula, 1), ck_kid(prover->terms, formula, 0)));
  if (value.count || ck_head(prover->terms, formula) == CK_LT)
    push_fact(prover, F, &value, &thm, 1, ck_head(prover->terms, formula) == CK_LT,
              ck_head(prover->terms, formula) == CK_EQ);
  pv_poly_clear(&value);
}

static bool shares(const pv_poly *poly, const pv_poly *other) {
  for (uint32_t i = 0; i < poly->count; i++) {
    for (uint32_t j = 0; j < poly->monos[i].degree; j++) {
      for (uint32_t k = 0; k < other->count; k++) {
        if (pv_mono_has(&other->monos[k], poly->monos[i].atoms[j]))
          return true;
      }
    }
  }
  return false;
}

/* x # 0 for what is known not to be negative, or not to be positive, as an order */
static pv_thm apart(pv *prover, pv_ctx ctx, ck_id x, pv_thm nonzero) {
  bool i = ck_is_int(prover->terms, x);
  pv_thm nonneg =
      i ? pv_follows_int(prover, ctx, pv_ge0(prover, x)) : pv_fact_match(prover, ctx, CK_LE, x);
  if (nonneg != PV_NONE)
    return pv_positive_of_nonzero(prover, x, nonneg, nonzero);
  ck_id m = pv_canon(prover, pv_neg(prover, x));
  nonneg =
      i ? pv_follows_int(prover, ctx, pv_ge0(prover, m)) : pv_fact_match(prover, ctx, CK_LE, m);
  return nonneg == PV_NONE ? PV_NONE
                           : pv_positive_of_nonzero(
                                 prover, m, nonneg,
                                 pv_scaled(prover, pv_ne0(prover, m), pv_num(prover, -1), nonzero));
}

/* hypothesis s in normal form; while one is being brought there, as it stands, if it is of
 * integers: else this would not end */
static pv_thm said(pv *prover, pv_ctx ctx, pv_thm thm, ck_id *normal) {
  ck_id formula;
  if (!prover->fact_busy.n)
    return pv_fact_normal(prover, ctx, thm, normal);
  if (thm == PV_NONE ||
      (formula = pv_says(prover, thm),
       !ck_is_int(prover->terms, ck_kid(prover->terms, formula, 0))) ||
      !ck_is_int(prover->terms, ck_kid(prover->terms, formula, 1)) ||
      ck_head(prover->terms, formula) == CK_NE)
    return PV_NONE;
  *normal = pv_canon(
      prover, pv_sub(prover, ck_kid(prover->terms, formula, 1), ck_kid(prover->terms, formula, 0)));
  return thm;
}

/* an undecided condition between integers in the polynomial t */
static bool has_ite_atom(pv *prover, ck_id term) {
  ck_op head = ck_head(prover->terms, term);
  if (head == CK_ADD || head == CK_MUL)
    return has_ite_atom(prover, ck_kid(prover->terms, term, 0)) ||
           has_ite_atom(prover, ck_kid(prover->terms, term, 1));
  return head == CK_ITE && ck_is_int(prover->terms, term);
}

/* hypotheses of the context in normal form that are connected to those in F (all of them if `all`)
 */
static void push_hyps(pv *prover, pv_ctx ctx, fact_list *F, bool all) {
  enum { MOST = 96 };

  bool plain = true;
  pv_thm thm[MOST];
  uint32_t n = 0;
  ck_id known[MOST];
  pv_poly value[MOST];
  bool taken[MOST] = {false};
  bool more = true;
  for (uint32_t i = 0; i < F->count; i++) {
    for (uint32_t j = 0; j < F->fact[i].value.count; j++) {
      for (uint32_t k = 0; k < F->fact[i].value.monos[j].degree; k++)
        plain = plain && ck_head(prover->terms, F->fact[i].value.monos[j].atoms[k]) != CK_ITE;
    }
  }
  for (pv_ctx link = ctx; link != 0 && n < MOST; link = pv_at(prover, link)->parent) {
    ck_op head = ck_head(prover->terms, pv_at(prover, link)->formula);
    ck_id normal;
    if (head == CK_ALL ||
        (thm[n] = said(prover, ctx, pv_at(prover, link)->thm, &normal)) == PV_NONE ||
        pv_is_const(prover, normal))
      continue;
    if (head == CK_NE && (thm[n] = apart(prover, ctx, normal, thm[n])) == PV_NONE)
      continue;
    if (plain && has_ite_atom(prover, normal))
      continue; /* undecided conditions that the goal does not have */
    uint32_t same = 0;
    while (same < n && known[same] != pv_says(prover, thm[n]))
      same++;
    if (same < n)
      continue;
    known[n] = pv_says(prover, thm[n]);
    pv_poly_init(&value[n]);
    pv_poly_read(prover, &value[n], normal);
    n++;
  }
  while (more) {
    more = false;
    uint32_t m = F->count;
    for (uint32_t i = 0; i < n && F->count < MAX_FACTS; i++) {
      bool hit = !taken[i] && all;
      for (uint32_t j = 0; j < m && !hit && !taken[i]; j++)
        hit = shares(&value[i], &F->fact[j].value);
      if (!hit)
        continue;
      taken[i] = more = true;
      push_thm(prover, F, thm[i]);
    }
  }
  for (uint32_t i = 0; i < n; i++)
    pv_poly_clear(&value[i]);
}

/* f(i) <= max(k < n) f(k), for the elements f(i) that the facts speak of */
static void element_facts(pv *prover, pv_ctx ctx, ck_id x, fact_list *F) {
  ck_id n = ck_kid(prover->terms, x, 0);
  ck_id k;
  ck_id b;
  uint32_t nf = F->count;
  pv_ctx_bind(prover, ctx, n, &k);
  b = pv_max_body(prover, x, k);
  if (ck_head(prover->terms, b) != CK_APP)
    return;
  for (uint32_t i = 0; i < nf && F->count < MAX_COLS; i++) {
    for (uint32_t j = 0; j < F->fact[i].value.count; j++) {
      for (uint32_t l = 0; l < F->fact[i].value.monos[j].degree; l++) {
        ck_id y = F->fact[i].value.monos[j].atoms[l];
        ck_id at = CK_BAD;
        if (ck_head(prover->terms, y) != CK_APP ||
            ck_name(prover->terms, y) != ck_name(prover->terms, b) ||
            ck_sig(prover->terms, y) != ck_sig(prover->terms, b))
          continue;
        for (uint32_t q = 0; q < ck_nkids(prover->terms, b) && at == CK_BAD; q++) {
          if (ck_has_var(prover->terms, ck_kid(prover->terms, b, q), k))
            at = pv_canon(prover, pv_sub(prover, ck_kid(prover->terms, y, q),
                                         pv_sub(prover, ck_kid(prover->terms, b, q), k)));
        }
        if (at == CK_BAD || !ck_is_int(prover->terms, at) || ck_has_var(prover->terms, at, k) ||
            ck_sub(prover->terms, b, &k, &at, 1, NULL, 0) != y)
          continue;
        pv_thm premises[2] = {pv_follows(prover, ctx, pv_ge0(prover, at)), PV_NONE};
        if (premises[0] == PV_NONE ||
            (premises[1] = pv_follows(prover, ctx, pv_lt(prover, at, n))) == PV_NONE)
          continue;
        ck_fsub funs = pv_fun_sub(prover, "f", &k, b);
        pv_var_sub vars[2] = {{pv_int_var(prover, "n"), n}, {pv_int_var(prover, "i"), at}};
        push_thm(prover, F, pv_use_lemma(prover, PV_MAX_GE, vars, 2, &funs, 1, premises, 2));
      }
    }
  }
}

/* what is known of an atom whatever the hypotheses */
static void atom_facts(pv *prover, pv_ctx ctx, ck_id x, fact_list *F) {
  ck_op head = ck_head(prover->terms, x);
  ck_id formula;
  if (head == CK_DIV || head == CK_MOD) {
    ck_id ab[2] = {ck_kid(prover->terms, x, 0), ck_kid(prover->terms, x, 1)};
    ck_id r = pv_sub(prover, ab[0], pv_mul(prover, ab[1], x));
    pv_thm divisor_pos = pv_follows(prover, ctx, pv_gt0(prover, ab[1]));
    if (divisor_pos == PV_NONE)
      return;
    pv_thm lo = pv_law(prover, "mod>", ab, 2, divisor_pos);
    pv_thm hi = pv_law(prover, "mod<", ab, 2, divisor_pos);
    pv_thm l = pv_law(prover, "div", ab, 2, divisor_pos);
    if (head == CK_MOD) {
      push_thm(prover, F, lo);
      push_thm(prover, F, hi);
      return;
    }
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add(&comb, prover->one, lo);
    pv_comb_add(&comb, pv_num(prover, -1), l);
    push_thm(prover, F, pv_comb_prove(prover, &comb, pv_ge0(prover, r)));
    pv_comb_init(&comb);
    pv_comb_add(&comb, prover->one, hi);
    pv_comb_add(&comb, prover->one, l);
    push_thm(prover, F, pv_comb_prove(prover, &comb, pv_lt(prover, r, ab[1])));
  } else if (head == CK_EXP || head == CK_INV) {
    push_thm(prover, F, pv_positive(prover, ctx, x));
  } else if (head == CK_SQRT) {
    push_thm(prover, F, pv_nonneg(prover, ctx, x));
  } else if (pv_is_max(prover, x, &formula)) {
    push_thm(prover, F, pv_max_first(prover, ctx, x));
    element_facts(prover, ctx, x, F);
  }
}

/* what is known of the squares in a monomial */
static void square_facts(pv *prover, const pv_mono *mono, fact_list *F) {
  for (uint32_t i = 0; i + 1 < mono->degree; i++) {
    if (mono->atoms[i] != mono->atoms[i + 1])
      continue;
    bool i1 = ck_is_int(prover->terms, mono->atoms[i]);
    pv_var_sub vars = {ck_var(prover->terms, i1 ? "n" : "x", i1 ? 'i' : 'r'), mono->atoms[i]};
    pv_var_sub w = {vars.var, pv_neg(prover, mono->atoms[i])};
    push_thm(prover, F,
             pv_use_lemma(prover, i1 ? PV_INT_SQUARE : PV_SQUARE, &vars, 1, NULL, 0, NULL, 0));
    if (i1)
      push_thm(prover, F, pv_use_lemma(prover, PV_INT_SQUARE, &w, 1, NULL, 0, NULL, 0));
  }
}

static void push_atoms(pv *prover, pv_ctx ctx, fact_list *F) {
  for (uint32_t i = 0, n = F->count; i < n; i++) {
    for (uint32_t j = 0; j < F->fact[i].value.count; j++)
      square_facts(prover, &F->fact[i].value.monos[j], F);
  }
  ck_id seen[64];
  uint32_t n = 0;
  for (uint32_t i = 0; i < F->count && F->count < MAX_FACTS + 20; i++) /* F grows */
  {
    for (uint32_t j = 0; j < F->fact[i].value.count; j++) {
      for (uint32_t k = 0; k < F->fact[i].value.monos[j].degree; k++) {
        ck_id x = F->fact[i].value.monos[j].atoms[k];
        uint32_t l = 0;
        while (l < n && seen[l] != x)
          l++;
        if (l < n || n == 64 || ck_head(prover->terms, x) == CK_V)
          continue;
        seen[n++] = x;
        atom_facts(prover, ctx, x, F);
      }
    }
  }
}

/* clauses at the arguments that terms have, where they conclude an order or an equation */
static void push_clauses(pv *prover, pv_ctx ctx, ck_id term, fact_list *F) {
  for (pv_ctx link = ctx; link != 0 && F->count < MAX_FACTS && !prover->fact_busy.n;
       link = pv_at(prover, link)->parent) {
    ck_id formula = pv_at(prover, link)->formula;
    ck_id g;
    pv_thm inst[8];
    uint32_t n;
    if (ck_head(prover->terms, formula) != CK_ALL)
      continue;
    g = ck_kid(prover->terms, formula, ck_nkids(prover->terms, formula) - 1);
    if (ck_head(prover->terms, g) == CK_NE)
      continue;
    n = pv_clause_instances(prover, ctx, pv_at(prover, link)->thm, term, inst, 8);
    for (uint32_t i = 0; i < n; i++) {
      ck_id normal;
      pv_thm thm = pv_fact_normal(prover, ctx, inst[i], &normal);
      if (thm != PV_NONE &&
          (!pv_is_zero(prover, normal) || ck_head(prover->terms, pv_says(prover, thm)) == CK_LT))
        push_thm(prover, F, thm);
    }
  }
}

/* --- products: only those that bring no monomial of degree 2 that is not there already */
typedef struct {
  const pv_mono *mono[MAX_ROWS];
  uint32_t count;
} monos;

static bool known_mono(const monos *M, const pv_mono *mono) {
  for (uint32_t i = 0; i < M->count; i++) {
    if (M->mono[i]->degree == mono->degree &&
        !memcmp(M->mono[i]->atoms, mono->atoms, mono->degree * sizeof *mono->atoms))
      return true;
  }
  return false;
}

/* the product of the highest monomials of f and g, which hardly ever cancels, is known */
static bool may_fit(const monos *M, const pv_poly *poly, const pv_poly *other) {
  const pv_mono *a = &poly->monos[0];
  const pv_mono *b = &other->monos[0];
  ck_id s[32];
  pv_mono mono;
  uint32_t i = 0;
  uint32_t j = 0;
  for (uint32_t k = 1; k < poly->count; k++) {
    if (poly->monos[k].degree > a->degree)
      a = &poly->monos[k];
  }
  for (uint32_t k = 1; k < other->count; k++) {
    if (other->monos[k].degree > b->degree)
      b = &other->monos[k];
  }
  mono.degree = a->degree + b->degree;
  mono.atoms = s;
  if (mono.degree > 32)
    return false;
  for (uint32_t k = 0; k < mono.degree; k++)
    s[k] = j == b->degree || (i < a->degree && a->atoms[i] <= b->atoms[j]) ? a->atoms[i++]
                                                                           : b->atoms[j++];
  return mono.degree < 2 || known_mono(M, &mono);
}

static void push_product(pv *prover, fact_list *F, const monos *M, uint32_t i, uint32_t j) {
  pv_poly prod;
  pv_poly t;
  pv_thm pr[2] = {F->fact[i].premises[0], F->fact[j].premises[0]};
  bool fits = true;
  pv_poly_init(&prod);
  pv_poly_init(&t);
  const pv_poly *other = &F->fact[j].value;
  for (uint32_t k = 0; k < other->count; k++) {
    pv_poly_mul_mono(prover, &t, &F->fact[i].value, other->monos[k].coef, other->monos[k].atoms,
                     other->monos[k].degree);
    pv_poly_add(prover, &prod, &t, prover->one);
  }
  for (uint32_t k = 0; k < prod.count && fits; k++)
    fits = prod.monos[k].degree < 2 || known_mono(M, &prod.monos[k]);
  if (fits && prod.count)
    push_fact(prover, F, &prod, pr, 2, F->fact[i].strict && F->fact[j].strict, false);
  pv_poly_clear(&prod);
  pv_poly_clear(&t);
}

static void push_products(pv *prover, fact_list *F) {
  monos M;
  M.count = 0;
  uint32_t n = F->count;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < F->fact[i].value.count; j++) {
      const pv_mono *mono = &F->fact[i].value.monos[j];
      if (mono->degree >= 2 && M.count < MAX_ROWS && !known_mono(&M, mono))
        M.mono[M.count++] = mono;
    }
  }
  if (!M.count)
    return;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = i; j < n && F->count < MAX_COLS; j++) {
      if (!F->fact[i].eq && !F->fact[j].eq && F->fact[i].count == 1 && F->fact[j].count == 1 &&
          may_fit(&M, &F->fact[i].value, &F->fact[j].value))
        push_product(prover, F, &M, i, j);
    }
  }
}

/* --- the programme */
/* rows: the monomials that occur */
static int row_of(const pv_mono *mono, const pv_mono **rows, uint32_t *n) {
  for (uint32_t i = 0; i < *n; i++) {
    if (rows[i]->degree == mono->degree &&
        (!mono->degree || !memcmp(rows[i]->atoms, mono->atoms, mono->degree * sizeof *mono->atoms)))
      return (int)i;
  }
  if (*n == MAX_ROWS)
    return -1;
  rows[*n] = mono;
  return (int)(*n)++;
}

static void set_q(pv *prover, fmpq_t x, ck_id q, int sign) {
  fmpq_set_mpq(x, *ck_q_value(prover->terms, q));
  if (sign < 0)
    fmpq_neg(x, x);
}

/* phase one: x >= 0 with A x = b (last column of M); basis out.  M is rows x (cols + 1). */
static bool solve(pv *prover, fmpq_mat_t tableau, slong rows, slong cols, slong *b) {
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
    if (fmpq_sgn(fmpq_mat_entry(tableau, i, cols)) < 0) {
      for (slong j = 0; j <= cols; j++)
        fmpq_neg(fmpq_mat_entry(tableau, i, j), fmpq_mat_entry(tableau, i, j));
    }
    for (slong j = 0; j <= cols; j++)
      fmpq_add(fmpq_mat_entry(D, 0, j), fmpq_mat_entry(D, 0, j), fmpq_mat_entry(tableau, i, j));
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
      if (fmpq_sgn(fmpq_mat_entry(tableau, i, e)) <= 0)
        continue;
      fmpq_div(r, fmpq_mat_entry(tableau, i, cols), fmpq_mat_entry(tableau, i, e));
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
    fmpq_inv(r, fmpq_mat_entry(tableau, out, e));
    for (slong j = 0; j <= cols; j++) {
      if (!fmpq_is_zero(fmpq_mat_entry(tableau, out, j)))
        fmpq_mul(fmpq_mat_entry(tableau, out, j), fmpq_mat_entry(tableau, out, j), r);
    }
    for (slong i = 0; i <= rows; i++) {
      fmpq *x = i < rows ? fmpq_mat_entry(tableau, i, e) : fmpq_mat_entry(D, 0, e);
      if (i == out || fmpq_is_zero(x))
        continue;
      fmpq_set(t, x);
      prover->work += (uint64_t)cols;
      for (slong j = 0; j <= cols; j++) {
        if (fmpq_is_zero(fmpq_mat_entry(tableau, out, j)))
          continue;
        fmpq_submul(i < rows ? fmpq_mat_entry(tableau, i, j) : fmpq_mat_entry(D, 0, j), t,
                    fmpq_mat_entry(tableau, out, j));
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
static pv_thm refute(pv *prover, const fact_list *F) {
  const pv_mono *rows[MAX_ROWS];
  pv_mono unit = {prover->one, 0, NULL};
  column col[2 * MAX_COLS + 1];
  uint32_t nr = 1;
  uint32_t nc = 0;
  pv_thm cases = PV_NONE;
  slong basis[MAX_ROWS + 1];
  fmpq_mat_t tableau;
  rows[0] = &unit;
  for (uint32_t i = 0; i < F->count; i++) {
    for (uint32_t j = 0; j < F->fact[i].value.count; j++) {
      if (row_of(&F->fact[i].value.monos[j], rows, &nr) < 0)
        return PV_NONE;
    }
    col[nc++] = (column){&F->fact[i], 1};
    if (F->fact[i].eq)
      col[nc++] = (column){&F->fact[i], -1};
  }
  slong nrows = (slong)nr + 1;
  slong cols = (slong)nc + 1;
  prover->work += (uint64_t)nrows * (uint64_t)cols;
  fmpq_mat_init(tableau, nrows, cols + 1);
  for (uint32_t i = 0; i < nc; i++) {
    const pv_poly *value = &col[i].fact->value;
    for (uint32_t j = 0; j < value->count; j++)
      set_q(prover, fmpq_mat_entry(tableau, row_of(&value->monos[j], rows, &nr), i),
            value->monos[j].coef, col[i].sign);
    if (col[i].fact->strict)
      fmpq_set_si(fmpq_mat_entry(tableau, nr, i), 1, 1);
  }
  fmpq_set_si(fmpq_mat_entry(tableau, 0, cols - 1), 1, 1);
  fmpq_set_si(fmpq_mat_entry(tableau, nr, cols - 1), 1, 1);
  fmpq_set_si(fmpq_mat_entry(tableau, nr, cols), 1, 1);
  if (solve(prover, tableau, nrows, cols, basis)) {
    mpq_t q;
    pv_comb comb;
    mpq_init(q);
    pv_comb_init(&comb);
    for (slong i = 0; i < nrows; i++) {
      if (basis[i] >= cols || fmpq_is_zero(fmpq_mat_entry(tableau, i, cols)))
        continue;
      fmpq_get_mpq(q, fmpq_mat_entry(tableau, i, cols));
      if (basis[i] < (slong)nc && col[basis[i]].sign < 0)
        mpq_neg(q, q);
      ck_id co = ck_q(prover->terms, q);
      if (basis[i] == (slong)nc) {
        pv_summand summand = {co, NULL, 0};
        as_vec_push(&comb.summands, &summand);
        continue;
      }
      const fact *f = col[basis[i]].fact;
      pv_comb_add_product(&comb, co, f->premises[0], f->count == 2 ? f->premises[1] : PV_REFL);
    }
    cases = pv_comb_prove(prover, &comb, pv_gt0(prover, prover->zero));
    mpq_clear(q);
  }
  fmpq_mat_clear(tableau);
  return cases;
}

/* 0 <= x or x <= 0 from the facts, without products; PV_NONE if they do not say */
static pv_thm sign_of(pv *prover, fact_list *F, ck_id x) {
  for (int i = 0; i < 2; i++) {
    ck_id g = i ? pv_le(prover, x, prover->zero) : pv_ge0(prover, x);
    uint32_t n = F->count;
    pv_thm z;
    push_thm(prover, F, pv_hyp(prover, ck_neg(prover->terms, g)));
    z = F->count > n ? refute(prover, F) : PV_NONE;
    while (F->count > n)
      pv_poly_clear(&F->fact[--F->count].value);
    if (z != PV_NONE)
      return pv_cases(prover, g, pv_hyp(prover, g), pv_from_zero_below_zero(prover, g, z));
  }
  return PV_NONE;
}

/* signs of the factors of products, where no single fact says them */
static void push_signs(pv *prover, fact_list *F) {
  ck_id x[8];
  uint32_t n = 0;
  uint32_t nf = F->count;
  for (uint32_t i = 0; i < nf; i++) {
    for (uint32_t j = 0; j < F->fact[i].value.count; j++) {
      for (uint32_t k = 0;
           F->fact[i].value.monos[j].degree >= 2 && k < F->fact[i].value.monos[j].degree; k++) {
        ck_id a = F->fact[i].value.monos[j].atoms[k];
        uint32_t l = 0;
        while (l < n && x[l] != a)
          l++;
        if (l == n && n < 8)
          x[n++] = a;
      }
    }
  }
  for (uint32_t l = 0; l < n && F->count < MAX_COLS; l++) {
    bool told = false;
    for (uint32_t i = 0; i < nf && !told; i++) {
      const pv_poly *value = &F->fact[i].value;
      uint32_t lin = 0;
      uint32_t others = 0;
      for (uint32_t j = 0; j < value->count; j++) {
        if (value->monos[j].degree == 1 && value->monos[j].atoms[0] == x[l])
          lin++;
        else if (value->monos[j].degree || pv_const_sign(prover, value->monos[j].coef) > 0)
          others++;
      }
      told = lin == 1 && !others && !F->fact[i].eq;
    }
    if (!told)
      push_thm(prover, F, sign_of(prover, F, x[l]));
  }
}

/* the goal, whose negation is the first fact, as z*C + R: the sign of C, where it has several
 * terms, by a proof of its own */
static void push_cofactors(pv *prover, pv_ctx ctx, fact_list *F) {
  const pv_poly *other = &F->fact[0].value;
  ck_id z[6];
  ck_id c[6];
  uint32_t n = 0;
  for (uint32_t i = 0; i < other->count; i++) {
    for (uint32_t j = 0; other->monos[i].degree >= 2 && j < other->monos[i].degree; j++) {
      ck_id a = other->monos[i].atoms[j];
      uint32_t l = 0;
      pv_poly q;
      while (l < n && z[l] != a)
        l++;
      if (l < n || n == 6 || !ck_is_int(prover->terms, a))
        continue;
      pv_poly_init(&q);
      for (uint32_t k = 0; k < other->count; k++) {
        ck_id *rest = as_malloc((other->monos[k].degree + 1) * sizeof *rest);
        int m = pv_mono_div(other->monos[k].atoms, other->monos[k].degree, &a, 1, rest);
        if (m >= 0)
          pv_poly_add_mono(prover, &q,
                           pv_const_mul(prover, other->monos[k].coef, pv_num(prover, -1)), rest,
                           (uint32_t)m);
        free(rest);
      }
      z[n] = a;
      c[n] = q.count > 1 ? pv_poly_term(prover, &q) : CK_BAD;
      n++;
      pv_poly_clear(&q);
    }
  }
  prover->cofactors = true; /* one level of it */
  for (uint32_t l = 0; l < n; l++) {
    if (c[l] == CK_BAD || !ck_is_int(prover->terms, c[l]))
      continue;
    pv_thm thm = pv_follows(prover, ctx, pv_le(prover, prover->one, c[l]));
    push_thm(prover, F, thm != PV_NONE ? thm : pv_follows(prover, ctx, pv_ge0(prover, c[l])));
  }
  prover->cofactors = false;
}

/* equations that serve as rules, and so are 0 = 0 in normal form, as they stand: products may have
 * their left sides */
static void push_rules(pv *prover, pv_ctx ctx, fact_list *F) {
  for (pv_ctx link = ctx; link != 0 && F->count < MAX_COLS; link = pv_at(prover, link)->parent) {
    ck_id formula = pv_at(prover, link)->formula;
    ck_id normal;
    pv_poly value;
    bool product = false;
    if (ck_head(prover->terms, formula) != CK_EQ || prover->fact_busy.n ||
        pv_fact_normal(prover, ctx, pv_at(prover, link)->thm, &normal) == PV_NONE ||
        !pv_is_zero(prover, normal))
      continue;
    pv_poly_init(&value);
    pv_poly_read(
        prover, &value,
        pv_sub(prover, ck_kid(prover->terms, formula, 1), ck_kid(prover->terms, formula, 0)));
    for (uint32_t i = 0; i < value.count; i++)
      product = product || value.monos[i].degree >= 2;
    pv_poly_clear(&value);
    if (product)
      push_thm(prover, F, pv_at(prover, link)->thm);
  }
}

static bool has_app(pv *prover, ck_id term) {
  if (ck_head(prover->terms, term) == CK_APP)
    return true;
  for (uint32_t i = 0, n = ck_nkids(prover->terms, term); i < n; i++) {
    if (has_app(prover, ck_kid(prover->terms, term, i)))
      return true;
  }
  return false;
}

static pv_thm search(pv *prover, pv_ctx ctx, ck_id term, pv_thm neg) {
  fact_list *F = as_malloc(sizeof *F);
  pv_thm thm;
  F->count = 0;
  if (neg != PV_REFL)
    push_thm(prover, F, neg);
  if (term != CK_BAD && (!ck_is_int(prover->terms, term) || has_app(prover, term)))
    push_clauses(prover, ctx, term, F);
  push_hyps(prover, ctx, F, neg == PV_REFL);
  push_atoms(prover, ctx, F);
  push_hyps(prover, ctx, F, false); /* atoms bring others */
  thm = F->count ? refute(prover, F) : PV_NONE;
  if (thm == PV_NONE && F->count) {
    uint32_t n = F->count;
    push_rules(prover, ctx, F);
    if (neg != PV_REFL && !prover->cofactors)
      push_cofactors(prover, ctx, F);
    push_signs(prover, F);
    push_products(prover, F);
    if (F->count > n)
      thm = refute(prover, F);
  }
  for (uint32_t i = 0; i < F->count; i++)
    pv_poly_clear(&F->fact[i].value);
  free(F);
  return thm;
}

/* the relation g between zero and a normal term (or that this is not 0), which is `raw` as it was
 * written */
static pv_thm by_refutation(pv *prover, pv_ctx ctx, ck_id g, ck_id raw) {
  ck_id n = ck_neg(prover->terms, g);
  pv_thm z = search(prover, ctx, raw, pv_hyp(prover, n));
  pv_thm bad = pv_from_zero_below_zero(prover, g, z);
  return z == PV_NONE ? PV_NONE : pv_cases(prover, g, pv_hyp(prover, g), bad);
}

static pv_thm lp_now(pv *prover, pv_ctx ctx, ck_id formula) {
  ck_op head = ck_head(prover->terms, formula);
  ck_id a = ck_kid(prover->terms, formula, 0);
  ck_id b = ck_kid(prover->terms, formula, 1);
  ck_id d = head == CK_NE       ? (b == prover->zero ? a : pv_sub(prover, b, a))
            : a == prover->zero ? b
                                : pv_sub(prover, b, a);
  if (head == CK_EQ) {
    pv_thm x = lp_now(prover, ctx, pv_le(prover, a, b));
    pv_thm y = x == PV_NONE ? PV_NONE : lp_now(prover, ctx, pv_le(prover, b, a));
    return pv_antisym(prover, x, y);
  }
  pv_eqn eqn = pv_norm(prover, ctx, d);
  if (eqn.by == PV_NONE || eqn.to == CK_BAD)
    return PV_NONE;
  pv_thm thm = by_refutation(prover, ctx,
                             head == CK_NE ? pv_rel(prover, head, eqn.to, prover->zero)
                                           : pv_rel(prover, head, prover->zero, eqn.to),
                             d);
  if (thm == PV_NONE)
    return PV_NONE;
  pv_comb comb;
  pv_comb_init(&comb); /* 0 <= e.t, d = e.t; e.t # 0 has value -e.t */
  pv_comb_add(&comb, head == CK_NE && b != prover->zero ? pv_num(prover, -1) : prover->one, thm);
  pv_comb_add(&comb, head == CK_NE && b == prover->zero ? prover->one : pv_num(prover, -1), eqn.by);
  return pv_comb_prove(prover, &comb, formula);
}

pv_thm pv_lp_prove(pv *prover, pv_ctx ctx, ck_id formula) {
  return formula == CK_BAD
             ? PV_NONE
             : pv_lp_prove_within(prover, pv_ctx_strip(prover, ctx, formula), formula);
}

pv_thm pv_lp_prove_within(pv *prover, pv_ctx ctx, ck_id formula) {
  uint64_t v;
  uint64_t key = prover->fact_busy.n ? 7 : 4;
  if (formula == CK_BAD || pv_spent(prover))
    return PV_NONE;
  if (as_map_get(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | formula, key), &v))
    return (uint32_t)v;
  as_map_put(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | formula, key), PV_NONE);
  pv_thm thm = lp_now(prover, ctx, formula);
  as_map_put(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | formula, key), thm);
  return thm;
}

pv_thm pv_lp_contradiction(pv *prover, pv_ctx ctx) {
  uint64_t v;
  if (as_map_get(&prover->rel_memo, AS_KEY(ctx, 5), &v))
    return (uint32_t)v;
  as_map_put(&prover->rel_memo, AS_KEY(ctx, 5), PV_NONE);
  pv_thm thm = PV_NONE;
  for (pv_ctx link = ctx; link != 0 && thm == PV_NONE && !pv_spent(prover);
       link = pv_at(prover, link)->parent) { /* a hypothesis that is false by itself */
    ck_op head = ck_head(prover->terms, pv_at(prover, link)->formula);
    ck_id normal;
    ck_id bad = pv_gt0(prover, prover->zero);
    pv_thm u;
    if (head == CK_ALL ||
        (u = pv_fact_normal(prover, ctx, pv_at(prover, link)->thm, &normal)) == PV_NONE ||
        !pv_is_const(prover, normal))
      continue;
    if (head == CK_NE) {
      if (pv_is_zero(prover, normal))
        thm = pv_from_zero_differs(prover, bad, u);
    } else if (pv_is_zero(prover, normal)) {
      if (head == CK_LT)
        thm = u;
    } else if (head == CK_EQ) {
      thm = pv_from_zero_is_one(prover, bad,
                                pv_scaled(prover, pv_eq(prover, prover->zero, prover->one),
                                          pv_const_inv(prover, normal), u));
    } else if (pv_const_sign(prover, normal) < 0) {
      pv_summand summand[2] = {{prover->one, &u, 1},
                               {pv_const_mul(prover, normal, pv_num(prover, -1)), NULL, 0}};
      thm = pv_arith(prover, bad, summand, 2);
    }
  }
  if (thm == PV_NONE && ctx != 0 && !pv_spent(prover))
    thm = search(prover, ctx, CK_BAD, PV_REFL);
  as_map_put(&prover->rel_memo, AS_KEY(ctx, 5), thm);
  return thm;
}
