/* The thirteen rules (RULES.md section 3), each with all its side conditions.  Nothing else makes a theorem: add() is static. */
#include "ck_rules.h"
#include "ck_term_impl.h"
#include <stdlib.h>
#include <string.h>

typedef struct { uint32_t hyps; ck_id formula; } thm;
struct ck_proof { ck_terms *T; thm *s; uint32_t n, cap; };

ck_proof *ck_proof_new(ck_terms *T) { ck_proof *P = ck_alloc(NULL, sizeof *P); return *P = (ck_proof){.T = T}, P; }
void ck_proof_free(ck_proof *P) { if (P) free(P->s), free(P); }

uint32_t ck_thm_count(const ck_proof *P) { return P->n; }
ck_id ck_thm_formula(const ck_proof *P, uint32_t s) { return s < P->n ? P->s[s].formula : CK_BAD; }
const ck_id *ck_thm_hyps(const ck_proof *P, uint32_t s, uint32_t *n) {
  const ck_setrec r = ck_members(P->T, s < P->n ? P->s[s].hyps : P->T->empty);
  return *n = r.n, r.x;
}

static uint32_t no(ck_proof *P, const char *why) { return ck_bad(P->T, why); }
static bool is_closed_formula(const ck_proof *P, ck_id f) { return ck_is_formula(P->T, f) && ck_is_closed(P->T, f); }

static uint32_t add(ck_proof *P, uint32_t hyps, ck_id formula) {
  if (formula == CK_BAD) return CK_BAD; /* a maker failed and said why */
  if (!is_closed_formula(P, formula)) return no(P, "conclusion must be a closed formula");
  if (P->n == 1u << 30) return no(P, "too many steps");
  CK_GROW(P->s, P->cap, P->n + 1);
  P->s[P->n] = (thm){hyps, formula};
  return P->n++;
}

/* ---- what the rules share */
static bool term(const ck_proof *P, ck_id t) { return t < P->T->n && !ck_is_formula(P->T, t) && ck_is_closed(P->T, t); }
static bool int_term(const ck_proof *P, ck_id t) { return term(P, t) && ck_is_int(P->T, t); }
static bool of_sort(const ck_proof *P, ck_id t, char sort) { return sort == 'i' ? int_term(P, t) : sort == 'r' && term(P, t); }
static bool is(const ck_proof *P, ck_id t, ck_op op) { return t < P->T->n && ck_head(P->T, t) == op; }
static bool var(const ck_proof *P, ck_id v, char sort) { return is(P, v, CK_V) && ck_sort(P->T, v) == sort; }
static bool fold(const ck_proof *P, ck_id t) { return term(P, t) && is(P, t, CK_FOLD); }
static bool closed_rel(const ck_proof *P, ck_id f) { return ck_is_rel(P->T, f) && ck_is_closed(P->T, f); }
/* the formula of step s, if it is there and headed by op; else CK_BAD */
static ck_id concl(const ck_proof *P, uint32_t s, ck_op op) { return is(P, ck_thm_formula(P, s), op) ? P->s[s].formula : CK_BAD; }
static ck_id zero(ck_proof *P) { return ck_int(P->T, 0); }
static ck_id mk(ck_proof *P, ck_op op, ck_id a, ck_id b) { return ck_mk2(P->T, op, a, b); }

/* Premise s must conclude exactly f; its hypotheses are added to *hyps. */
static bool premise(ck_proof *P, uint32_t s, ck_id f, uint32_t *hyps) {
  if (f == CK_BAD) return false;
  if (s >= P->n) return ck_fail(P->T, "no such step");
  if (P->s[s].formula != f) return ck_fail(P->T, "premise does not match");
  *hyps = ck_set_union(P->T, *hyps, P->s[s].hyps);
  return true;
}

/* The set without the n formulas of out. */
static uint32_t without(ck_proof *P, uint32_t set, const ck_id *out, uint32_t n) {
  const ck_setrec s = ck_members(P->T, set);
  ck_id *keep = ck_alloc(NULL, s.n * sizeof *keep);
  uint32_t m = 0;
  for (uint32_t i = 0, j; i < s.n; i++) {
    for (j = 0; j < n && out[j] != s.x[i];) j++;
    if (j == n) keep[m++] = s.x[i];
  }
  uint32_t r = m == s.n ? set : ck_set(P->T, keep, m);
  free(keep);
  return r;
}

/* As premise(), but the formulas of out are discharged first, and no variable of vars may be free in what remains. */
static bool discharge(ck_proof *P, uint32_t s, ck_id f, const ck_id *out, uint32_t n, const ck_id *vars, uint32_t nv, uint32_t *hyps) {
  uint32_t own = P->T->empty;
  if (!premise(P, s, f, &own)) return false;
  own = without(P, own, out, n);
  const ck_setrec left = ck_members(P->T, own);
  for (uint32_t i = 0; i < left.n; i++)
    for (uint32_t v = 0; v < nv; v++)
      if (ck_has_var(P->T, left.x[i], vars[v])) return ck_fail(P->T, "eigenvariable in a hypothesis");
  *hyps = ck_set_union(P->T, *hyps, own);
  return true;
}

static bool distinct(const ck_id *x, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < i; j++) if (x[i] == x[j]) return false;
  return true;
}

/* ---- logic */
uint32_t ck_r_hyp(ck_proof *P, ck_id f) {
  if (!is_closed_formula(P, f)) return no(P, "closed formula expected");
  return add(P, ck_set(P->T, &f, 1), f);
}

uint32_t ck_r_use(ck_proof *P, uint32_t s, const ck_id *ts, uint32_t nt, const uint32_t *ps, uint32_t np) {
  ck_terms *T = P->T;
  ck_id c = concl(P, s, CK_ALL);
  if (c == CK_BAD) return no(P, "clause expected");
  if (nt != ck_index(T, c) || np + 1 != ck_nkids(T, c)) return no(P, "wrong number of terms or premises");
  for (uint32_t i = 0; i < nt; i++) if (!int_term(P, ts[i])) return no(P, "closed integer term expected");
  uint32_t H = P->s[s].hyps;
  for (uint32_t i = 0; i < np; i++) if (!premise(P, ps[i], ck_open(T, ck_kid(T, c, i), ts, nt), &H)) return CK_BAD;
  return add(P, H, ck_open(T, ck_kid(T, c, np), ts, nt));
}

/* Side conditions of inst on one function: parameters and body of the sorts that its signature says. */
static bool function_ok(ck_proof *P, const ck_fsub *f) {
  const char *sig = ck_word_text(P->T, f->sig);
  if (strlen(sig) != (size_t)f->n + 2 || sig[f->n] != ':') return false;
  for (uint32_t i = 0; i < f->n; i++)
    if ((sig[i] != 'i' && sig[i] != 'r') || !var(P, f->params[i], sig[i])) return false;
  return distinct(f->params, f->n) && of_sort(P, f->body, sig[f->n + 1]);
}

static bool instance_ok(ck_proof *P, const ck_vsub *vs, uint32_t nv, const ck_fsub *fs, uint32_t nf) {
  if (nv > CK_MAX_WIDTH || nf > CK_MAX_WIDTH) return ck_fail(P->T, "too many instances");
  for (uint32_t i = 0; i < nv; i++) {
    if (!is(P, vs[i].var, CK_V)) return ck_fail(P->T, "variable expected");
    if (!of_sort(P, vs[i].term, ck_sort(P->T, vs[i].var))) return ck_fail(P->T, "instance of another sort");
    for (uint32_t j = 0; j < i; j++) if (vs[i].var == vs[j].var) return ck_fail(P->T, "variable twice");
  }
  for (uint32_t i = 0; i < nf; i++) {
    if (!function_ok(P, &fs[i])) return ck_fail(P->T, "instance of a function");
    for (uint32_t j = 0; j < i; j++)
      if (fs[i].name == fs[j].name && fs[i].sig == fs[j].sig) return ck_fail(P->T, "function twice");
  }
  return true;
}

uint32_t ck_r_inst(ck_proof *P, uint32_t s, const ck_vsub *vs, uint32_t nv, const ck_fsub *fs, uint32_t nf, const uint32_t *ps, uint32_t np) {
  ck_terms *T = P->T;
  if (s >= P->n) return no(P, "no such step");
  for (uint32_t i = 0; i < np; i++) if (ps[i] >= P->n) return no(P, "no such step");
  if (!instance_ok(P, vs, nv, fs, nf)) return CK_BAD;
  const ck_setrec old = ck_members(T, P->s[s].hyps);
  ck_id *vars = ck_alloc(NULL, (2 * (size_t)nv + np) * sizeof *vars), *vals = vars + nv, *dropped = vals + nv;
  for (uint32_t i = 0; i < nv; i++) vars[i] = vs[i].var, vals[i] = vs[i].term;
  ck_id concl = ck_sub(T, P->s[s].formula, vars, vals, nv, fs, nf);
  bool ok = concl != CK_BAD;
  uint32_t H = T->empty;
  for (uint32_t i = 0; i < old.n && ok; i++) {
    ck_id h = ck_sub(T, old.x[i], vars, vals, nv, fs, nf);
    ok = h != CK_BAD;
    if (ok) H = ck_set_union(T, H, ck_set(T, &h, 1));
  }
  for (uint32_t i = 0; i < np && ok; i++) {
    dropped[i] = P->s[ps[i]].formula;
    ok = ck_set_has(T, H, dropped[i]) || ck_fail(T, "premise discharges nothing");
  }
  if (ok) H = without(P, H, dropped, np); /* drop all first, then add */
  for (uint32_t i = 0; i < np && ok; i++) H = ck_set_union(T, H, P->s[ps[i]].hyps);
  free(vars);
  return ok ? add(P, H, concl) : CK_BAD;
}

uint32_t ck_r_cases(ck_proof *P, ck_id c, uint32_t p, uint32_t q) {
  if (!closed_rel(P, c)) return no(P, "closed relation expected");
  if (p >= P->n || q >= P->n) return no(P, "no such step");
  if (P->s[p].formula != P->s[q].formula) return no(P, "branches conclude different formulas");
  ck_id nc = ck_neg(P->T, c);
  if (nc == CK_BAD) return CK_BAD;
  uint32_t H = without(P, P->s[p].hyps, &c, 1), K = without(P, P->s[q].hyps, &nc, 1);
  return add(P, ck_set_union(P->T, H, K), P->s[p].formula);
}

/* ---- equality and arithmetic */
typedef struct { const uint32_t *ps; uint32_t np, used, hyps; } eqs;

/* x and y are identical, or the next premise is x = y */
static bool same(ck_proof *P, eqs *e, ck_id x, ck_id y) {
  if (x == y) return true;
  if (e->used == e->np) return ck_fail(P->T, "premise missing");
  return premise(P, e->ps[e->used++], mk(P, CK_EQ, x, y), &e->hyps);
}

/* same operator, name, signature, sort, index, width, number of kids */
static bool same_head(const ck_terms *T, ck_id a, ck_id b) {
  const ck_node *x = &T->node[a], *y = &T->node[b];
  return x->op == y->op && x->sort == y->sort && x->a == y->a && x->b == y->b && x->nkids == y->nkids && (x->op != CK_Q || a == b);
}

uint32_t ck_r_cong(ck_proof *P, ck_id a, ck_id b, const uint32_t *ps, uint32_t np) {
  ck_terms *T = P->T;
  if (!term(P, a) || !term(P, b)) return no(P, "closed terms expected");
  if (!same_head(T, a, b)) return no(P, "different heads");
  eqs e = {ps, np, 0, T->empty};
  for (uint32_t i = 0; i < ck_nkids(T, a); i++) {
    ck_id x = ck_kid(T, a, i), y = ck_kid(T, b, i);
    if (ck_kid_binders(T, a, i) > 0) {
      if (x != y) return no(P, "cong does not enter binders");
    } else if (ck_is_rel(T, x)) { /* the condition of an ite */
      if (ck_head(T, x) != ck_head(T, y)) return no(P, "different relations");
      for (uint32_t j = 0; j < 2; j++) if (!same(P, &e, ck_kid(T, x, j), ck_kid(T, y, j))) return CK_BAD;
    } else if (!same(P, &e, x, y))
      return CK_BAD;
  }
  if (e.used != np) return no(P, "premise left over");
  return add(P, e.hyps, mk(P, CK_EQ, a, b));
}

uint32_t ck_r_foldcong(ck_proof *P, ck_id a, ck_id b, const ck_id *vars, uint32_t nv, const uint32_t *ps, uint32_t np) {
  ck_terms *T = P->T;
  if (!fold(P, a) || !term(P, b) || !same_head(T, a, b)) return no(P, "two like folds expected");
  uint32_t w = ck_width(T, a);
  for (uint32_t i = 0; i <= w; i++) if (ck_kid(T, a, i) != ck_kid(T, b, i)) return no(P, "bounds or bases differ");
  if (nv != w + 1 || np != w) return no(P, "wrong number of variables or premises");
  for (uint32_t i = 0; i < nv; i++) {
    if (!var(P, vars[i], i == 0 ? 'i' : 'r')) return no(P, "variable of another sort");
    if (ck_has_var(T, a, vars[i]) || ck_has_var(T, b, vars[i])) return no(P, "eigenvariable in the conclusion");
  }
  if (!distinct(vars, nv)) return no(P, "variables must be distinct");
  ck_id range[2] = {mk(P, CK_LE, zero(P), vars[0]), mk(P, CK_LT, vars[0], ck_kid(T, a, 0))};
  uint32_t H = T->empty;
  for (uint32_t q = 0; q < w; q++) {
    ck_id f = ck_open(T, ck_kid(T, a, 1 + w + q), vars, nv), g = ck_open(T, ck_kid(T, b, 1 + w + q), vars, nv);
    if (!discharge(P, ps[q], mk(P, CK_EQ, f, g), range, 2, vars, nv, &H)) return CK_BAD;
  }
  return add(P, H, mk(P, CK_EQ, a, b));
}

/* What one summand is known to be, given the goal's relation; *strict and *nonzero as in RULES.md. */
static bool summand_ok(ck_proof *P, ck_op goal, const ck_summand *s, bool *strict, uint32_t *nonzero) {
  bool eq = false, ne = false, le = false;
  for (uint32_t i = 0; i < s->n; i++) {
    ck_op op = ck_head(P->T, P->s[s->prem[i]].formula);
    eq = eq || op == CK_EQ, ne = ne || op == CK_NE, le = le || op == CK_LE;
  }
  if (eq) return true; /* worth zero, whatever the coefficient */
  mpq_t c;
  mpq_init(c);
  bool constant = ck_poly_const(ck_poly_of(P->T, s->coef), c);
  int sign = mpq_sgn(c);
  mpq_clear(c);
  if (goal == CK_EQ || !constant) return ck_fail(P->T, "coefficient must be rational, goal not an equation");
  if (goal == CK_NE) return ++*nonzero, (!le && sign != 0) || ck_fail(P->T, "summand not known to be nonzero");
  *strict = *strict || (sign > 0 && !le);
  return (!ne && sign >= 0) || ck_fail(P->T, "summand not known to be nonnegative");
}

/* value of the goal = sum of coefficient * product of the premises' values */
static bool identity(ck_proof *P, ck_id f, const ck_summand *sums, uint32_t n) {
  ck_terms *T = P->T;
  for (uint32_t i = 0; i < n; i++) { /* fill the caches, so that all later polynomials are scratch */
    if (ck_poly_of(T, sums[i].coef) == NULL) return false;
    for (uint32_t j = 0; j < sums[i].n; j++)
      if (ck_poly_val(T, P->s[sums[i].prem[j]].formula) == NULL) return false;
  }
  const ck_poly *goal = ck_poly_val(T, f), *total = ck_poly_of(T, zero(P));
  if (goal == NULL || total == NULL) return false;
  ck_poly *mark = ck_poly_mark(T);
  for (uint32_t i = 0; i < n && total; i++) {
    const ck_poly *pr = ck_poly_of(T, sums[i].coef);
    for (uint32_t j = 0; j < sums[i].n && pr; j++) pr = ck_poly_mul(T, pr, ck_poly_val(T, P->s[sums[i].prem[j]].formula));
    total = ck_poly_add(T, total, pr, NULL);
  }
  bool ok = total != NULL && (ck_poly_eq(total, goal) || ck_fail(T, "not an identity"));
  ck_poly_release(T, mark);
  return ok;
}

uint32_t ck_r_arith(ck_proof *P, ck_id f, const ck_summand *sums, uint32_t n) {
  if (!closed_rel(P, f)) return no(P, "closed relation expected");
  uint32_t H = P->T->empty, nonzero = 0;
  bool strict = false;
  for (uint32_t i = 0; i < n; i++) {
    if (!term(P, sums[i].coef)) return no(P, "closed term expected");
    for (uint32_t j = 0; j < sums[i].n; j++) {
      uint32_t p = sums[i].prem[j];
      if (!ck_is_rel(P->T, ck_thm_formula(P, p))) return no(P, "premise must be a relation");
      H = ck_set_union(P->T, H, P->s[p].hyps);
    }
  }
  if (!identity(P, f, sums, n)) return CK_BAD;
  ck_op goal = ck_head(P->T, f);
  for (uint32_t i = 0; i < n; i++) if (!summand_ok(P, goal, &sums[i], &strict, &nonzero)) return CK_BAD;
  if (goal == CK_LT && !strict) return no(P, "nothing strict");
  if (goal == CK_NE && nonzero != 1) return no(P, "exactly one nonzero summand needed");
  return add(P, H, f);
}

uint32_t ck_r_antisym(ck_proof *P, uint32_t p, uint32_t q) {
  ck_id f = concl(P, p, CK_LE);
  if (f == CK_BAD) return no(P, "a <= b expected");
  ck_id a = ck_kid(P->T, f, 0), b = ck_kid(P->T, f, 1);
  uint32_t H = P->s[p].hyps;
  return premise(P, q, mk(P, CK_LE, b, a), &H) ? add(P, H, mk(P, CK_EQ, a, b)) : CK_BAD;
}

static ck_id plus1(ck_proof *P, ck_id t) { return mk(P, CK_ADD, t, ck_int(P->T, 1)); }

/* from a < b over the integers: a + 1 <= b, or what has the same value */
uint32_t ck_r_int(ck_proof *P, ck_id f, uint32_t p) {
  ck_terms *T = P->T;
  ck_id g = concl(P, p, CK_LT);
  if (!is(P, f, CK_LE) || !ck_is_closed(T, f) || g == CK_BAD) return no(P, "a closed <= expected, of a premise a < b");
  ck_id a = ck_kid(T, g, 0), b = ck_kid(T, g, 1);
  if (!ck_is_int(T, a) || !ck_is_int(T, b)) return no(P, "not integers");
  ck_id next = mk(P, CK_LE, plus1(P, a), b);
  if (!ck_poly_eq(ck_poly_val(T, next), ck_poly_val(T, f))) return no(P, "goal is not the premise less one");
  return add(P, P->s[p].hyps, f);
}

/* ---- laws of the primitive functions */
/* Each law is about x (and y), real or integer terms; `premise` and `says` are in prefix notation: 0 1, x y, operators (I E S L are inv exp
 * sqrt log, M is mod, D is div, l is <=), and for x = ite(c, a, b): c, n (the negation of c), a, b. */
static const struct { const char *name, *about, *premise, *says; } laws[] = {
    {"inv", "r", "#x0", "=*xIx1"},         /* x # 0:  x * inv(x) = 1 */
    {"exp+", "rr", "", "=E+xy*ExEy"},      /*         exp(x + y) = exp(x) * exp(y) */
    {"exp>", "r", "", "l+1xEx"},           /*         1 + x <= exp(x) */
    {"log", "r", "<0x", "=ELxx"},          /* 0 < x:  exp(log(x)) = x */
    {"sqrt2", "r", "l0x", "=*SxSxx"},      /* 0 <= x: sqrt(x) * sqrt(x) = x */
    {"sqrt>", "r", "l0x", "l0Sx"},         /* 0 <= x: 0 <= sqrt(x) */
    {"div", "ii", "<0y", "=x+*yDxyMxy"},   /* 0 < y:  x = y * (x div y) + x mod y */
    {"mod>", "ii", "<0y", "l0Mxy"},        /* 0 < y:  0 <= x mod y */
    {"mod<", "ii", "<0y", "<Mxyy"},        /* 0 < y:  x mod y < y */
    {"ite1", "r", "c", "=xa"},             /* c:      ite(c, a, b) = a */
    {"ite0", "r", "n", "=xb"}};            /* not c:  ite(c, a, b) = b */
enum { N_LAWS = sizeof laws / sizeof *laws };

/* What the text at *s says of x and y; *s moves behind it. */
static ck_id law_text(ck_proof *P, const char **s, ck_id x, ck_id y) {
  static const char binary[] = "+*DM", unary[] = "IESL", relations[] = "=#l<"; /* in the order of ck_op */
  char c = *(*s)++;
  const char *b = strchr(binary, c), *u = strchr(unary, c), *r = strchr(relations, c);
  switch (c) {
  case '0': case '1': return ck_int(P->T, c - '0');
  case 'x': case 'y': return c == 'x' ? x : y;
  case 'c': case 'a': case 'b': return ck_kid(P->T, x, c == 'c' ? 0 : c == 'a' ? 1 : 2);
  case 'n': return ck_neg(P->T, ck_kid(P->T, x, 0));
  default: break;
  }
  ck_id k = law_text(P, s, x, y);
  if (u) return ck_mk1(P->T, (ck_op)(CK_INV + (u - unary)), k);
  return mk(P, (ck_op)(b ? CK_ADD + (b - binary) : CK_EQ + (r - relations)), k, law_text(P, s, x, y));
}

uint32_t ck_r_law(ck_proof *P, const char *name, const ck_id *ts, uint32_t nt, const uint32_t *ps, uint32_t np) {
  uint32_t w = 0, H = P->T->empty;
  while (w < N_LAWS && strcmp(laws[w].name, name) != 0) w++;
  if (w == N_LAWS) return no(P, "unknown law");
  const char *pre = laws[w].premise, *says = laws[w].says;
  if (nt != strlen(laws[w].about)) return no(P, "wrong number of terms");
  for (uint32_t i = 0; i < nt; i++)
    if (!of_sort(P, ts[i], laws[w].about[i])) return no(P, "closed (integer) terms expected");
  if ((*pre == 'c' || *pre == 'n') && !is(P, ts[0], CK_ITE)) return no(P, "ite expected");
  if (np != (*pre ? 1 : 0)) return no(P, "wrong number of premises");
  if (*pre && !premise(P, ps[0], law_text(P, &pre, ts[0], ts[nt - 1]), &H)) return CK_BAD;
  return add(P, H, law_text(P, &says, ts[0], ts[nt - 1]));
}

/* ---- folds */
uint32_t ck_r_zero(ck_proof *P, ck_id t, uint32_t p) {
  uint32_t H = P->T->empty;
  if (!fold(P, t)) return no(P, "closed fold expected");
  if (!premise(P, p, mk(P, CK_LE, ck_kid(P->T, t, 0), zero(P)), &H)) return CK_BAD;
  return add(P, H, mk(P, CK_EQ, t, ck_kid(P->T, t, 1 + ck_index(P->T, t))));
}

uint32_t ck_r_succ(ck_proof *P, ck_id t, ck_id k, uint32_t p) {
  ck_terms *T = P->T;
  if (!fold(P, t)) return no(P, "closed fold expected");
  if (!int_term(P, k)) return no(P, "closed integer term expected");
  if (!ck_poly_eq(ck_poly_of(T, plus1(P, k)), ck_poly_of(T, ck_kid(T, t, 0)))) return no(P, "bound is not k + 1");
  uint32_t H = T->empty, w = ck_width(T, t), q0 = ck_index(T, t);
  if (!premise(P, p, mk(P, CK_LE, zero(P), k), &H)) return CK_BAD;
  ck_id *kids = ck_alloc(NULL, (3 * (size_t)w + 2) * sizeof *kids), *vals = kids + 2 * w + 1;
  kids[0] = vals[0] = k;
  for (uint32_t i = 1; i < 1 + 2 * w; i++) kids[i] = ck_kid(T, t, i);
  for (uint32_t q = 0; q < w; q++) vals[1 + q] = ck_fold(T, q, w, kids); /* the same fold over k, every component */
  ck_id step = ck_open(T, kids[1 + w + q0], vals, w + 1);
  free(kids);
  return add(P, H, mk(P, CK_EQ, t, step));
}

uint32_t ck_r_induct(ck_proof *P, ck_id k, ck_id n, uint32_t j, const ck_id *fs, const uint32_t *base, const uint32_t *step, uint32_t r, uint32_t p) {
  ck_terms *T = P->T;
  if (!var(P, k, 'i')) return no(P, "integer variable expected");
  if (!int_term(P, n) || ck_has_var(T, n, k)) return no(P, "bound must be a closed integer term without the variable");
  if (r == 0 || j >= r || r > CK_MAX_WIDTH) return no(P, "number of invariants");
  for (uint32_t i = 0; i < r; i++) if (!closed_rel(P, fs[i])) return no(P, "closed relation expected");
  ck_id z = zero(P), k1 = plus1(P, k);
  uint32_t H = T->empty;
  if (!premise(P, p, mk(P, CK_LE, z, n), &H)) return CK_BAD;
  ck_id *out = ck_alloc(NULL, ((size_t)r + 2) * sizeof *out); /* what a step may assume */
  memcpy(out, fs, r * sizeof *out);
  out[r] = mk(P, CK_LE, z, k), out[r + 1] = mk(P, CK_LT, k, n);
  bool ok = k1 != CK_BAD && out[r] != CK_BAD && out[r + 1] != CK_BAD;
  for (uint32_t i = 0; i < r && ok; i++)
    ok = premise(P, base[i], ck_sub(T, fs[i], &k, &z, 1, NULL, 0), &H) &&
         discharge(P, step[i], ck_sub(T, fs[i], &k, &k1, 1, NULL, 0), out, r + 2, &k, 1, &H);
  free(out);
  return ok ? add(P, H, ck_sub(T, fs[j], &k, &n, 1, NULL, 0)) : CK_BAD;
}
