/* The thirteen rules (RULES.md section 4), each with all its side conditions.  Nothing else makes a theorem: add() is static. */
#include "ck_rules.h"
#include <stdlib.h>

typedef struct { uint32_t hyps; ck_id formula; } thm;
struct ck_proof { ck_terms *T; thm *s; uint32_t n, cap; };

ck_proof *ck_proof_new(ck_terms *T) { ck_proof *P = ck_alloc(NULL, sizeof *P); return *P = (ck_proof){.T = T}, P; }
void ck_proof_free(ck_proof *P) { if (P) free(P->s), free(P); }

uint32_t ck_thm_count(const ck_proof *P) { return P->n; }
ck_id ck_thm_formula(const ck_proof *P, uint32_t s) { return s < P->n ? P->s[s].formula : CK_BAD; }
const ck_id *ck_thm_hyps(const ck_proof *P, uint32_t s, uint32_t *n) {
  const ck_ids l = ck_members(P->T, s < P->n ? P->s[s].hyps : P->T->empty);
  return *n = l.n, l.x;
}

/* ---- arguments */
uint32_t ck_one(ck_args *A, char kind) {
  if (ck_next(A, kind)) return A->val[A->at++];
  return A->bad = true, CK_BAD;
}

const uint32_t *ck_many(ck_args *A, char kind, uint32_t *n) {
  const uint32_t *first = A->val + A->at;
  for (*n = 0; ck_next(A, kind); A->at++) ++*n;
  return first;
}

const uint32_t *ck_part(ck_args *A, char kind, uint32_t *n) { return ck_one(A, '|'), ck_many(A, kind, n); }

/* To the next member of a list: the first one is after a |, each other one after a comma. */
static bool member(ck_args *A, bool first) {
  if (first) return ck_one(A, '|'), A->at < A->n && A->kind[A->at] != '|';
  return ck_next(A, ',') && ++A->at;
}

bool ck_digits(const char *s, uint32_t limit, uint32_t *out) {
  const size_t n = strspn(s, "0123456789");
  if (n == 0 || n > 10 || s[n] != 0 || (s[0] == '0' && n > 1) || strtoull(s, NULL, 10) >= limit) return false;
  return *out = (uint32_t)strtoull(s, NULL, 10), true;
}

uint32_t ck_count(ck_args *A, const ck_terms *T) {
  uint32_t w = ck_one(A, '='), n = CK_BAD;
  if (w == CK_BAD || !ck_digits(ck_word_text(T, w), 1000000, &n)) A->bad = true;
  return n;
}

/* ---- what the rules share */
static uint32_t no(ck_proof *P, const char *why) { return ck_bad(P->T, why); }
static bool closed_formula(const ck_proof *P, ck_id f) { return ck_is_formula(P->T, f) && ck_is_closed(P->T, f); }
static bool closed_rel(const ck_proof *P, ck_id f) { return ck_is_rel(P->T, f) && ck_is_closed(P->T, f); }
static bool term(const ck_proof *P, ck_id t) { return ck_is_closed(P->T, t) && !ck_is_formula(P->T, t); }
static bool of_sort(const ck_proof *P, ck_id t, char sort) { return term(P, t) && (sort == 'i' ? ck_is_int(P->T, t) : sort == 'r'); }
static bool var(const ck_proof *P, ck_id v, char sort) { return ck_is(P->T, v, CK_V) && ck_sort(P->T, v) == sort; }
static bool fold(const ck_proof *P, ck_id t) { return term(P, t) && ck_is(P->T, t, CK_FOLD); }
/* the formula of step s, if it is there and headed by op; else CK_BAD */
static ck_id concl(const ck_proof *P, uint32_t s, ck_op op) { return ck_is(P->T, ck_thm_formula(P, s), op) ? P->s[s].formula : CK_BAD; }
static ck_id zero(ck_proof *P) { return ck_int(P->T, 0); }
static ck_id plus1(ck_proof *P, ck_id t) { return ck_mk2(P->T, CK_ADD, t, ck_int(P->T, 1)); }

/* The only place where a theorem is made.  All arguments must have been read, each of the kind that was asked for. */
static uint32_t add(ck_proof *P, const ck_args *A, uint32_t hyps, ck_id formula) {
  if (formula == CK_BAD) return CK_BAD; /* a maker failed and said why */
  if (!ck_end(A)) return no(P, "arguments of this rule");
  if (!closed_formula(P, formula)) return no(P, "conclusion must be a closed formula");
  if (P->n == 1u << 30 || !ck_room(P->T)) return no(P, "too many steps");
  CK_GROW(P->s, P->cap, P->n + 1);
  P->s[P->n] = (thm){hyps, formula};
  return P->n++;
}

/* The set without the n formulas of out. */
static uint32_t without(ck_terms *T, uint32_t set, const ck_id *out, uint32_t n) {
  const ck_ids s = ck_members(T, set);
  uint32_t m = 0;
  CK_GROW(T->list, T->cap_list, s.n + 1);
  for (uint32_t i = 0, j; i < s.n; i++) {
    for (j = 0; j < n && out[j] != s.x[i];) j++;
    if (j == n) T->list[m++] = s.x[i];
  }
  return ck_set(T, T->list, m);
}

/* Premise s must conclude exactly f.  Its hypotheses are added to *hyps, but the formulas of out, which it discharges; no variable of vars may be
 * free in those that remain. */
static bool discharge(ck_proof *P, uint32_t s, ck_id f, const ck_id *out, uint32_t n, const ck_id *vars, uint32_t nv, uint32_t *hyps) {
  if (f == CK_BAD) return false; /* a maker failed and said why */
  if (ck_thm_formula(P, s) != f) return ck_fail(P->T, "premise does not match");
  const uint32_t own = n ? without(P->T, P->s[s].hyps, out, n) : P->s[s].hyps;
  const ck_ids left = ck_members(P->T, own);
  for (uint32_t v = 0; v < nv; v++)
    for (uint32_t i = 0; i < left.n; i++)
      if (ck_has_var(P->T, left.x[i], vars[v])) return ck_fail(P->T, "eigenvariable in a hypothesis");
  *hyps = ck_union(P->T, *hyps, own);
  return ck_room(P->T);
}
static bool premise(ck_proof *P, uint32_t s, ck_id f, uint32_t *hyps) { return discharge(P, s, f, NULL, 0, NULL, 0, hyps); }

static bool distinct(const ck_id *x, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < i; j++) if (x[i] == x[j]) return false;
  return true;
}

/* ---- logic */
static uint32_t hyp(ck_proof *P, ck_args *A) {
  ck_id f = ck_one(A, 't');
  return closed_formula(P, f) ? add(P, A, ck_set(P->T, &f, 1), f) : no(P, "closed formula expected");
}

static uint32_t use(ck_proof *P, ck_args *A) {
  ck_terms *T = P->T;
  uint32_t s = ck_one(A, 's'), nt, np;
  const ck_id *ts = ck_part(A, 't', &nt);
  const uint32_t *ps = ck_part(A, 's', &np);
  ck_id c = concl(P, s, CK_ALL);
  if (c == CK_BAD || nt != ck_index(T, c) || np + 1 != ck_nkids(T, c)) return no(P, "a clause, its number of terms and of premises expected");
  for (uint32_t i = 0; i < nt; i++) if (!of_sort(P, ts[i], 'i')) return no(P, "closed integer term expected");
  uint32_t H = P->s[s].hyps;
  for (uint32_t i = 0; i < np; i++) if (!premise(P, ps[i], ck_open(T, ck_kid(T, c, i), ts, nt), &H)) return CK_BAD;
  return add(P, A, H, ck_open(T, ck_kid(T, c, np), ts, nt));
}

/* Reads pairs of variable and term. */
static bool pairs(ck_proof *P, ck_args *A, ck_id *vars, ck_id *vals, uint32_t *n) {
  for (*n = 0; member(A, *n == 0); ++*n) {
    if (*n == CK_MAX_WIDTH) return ck_fail(P->T, "too many instances");
    ck_id x = vars[*n] = ck_one(A, 't'), t = vals[*n] = ck_one(A, 't');
    if (!ck_is(P->T, x, CK_V) || !of_sort(P, t, ck_sort(P->T, x))) return ck_fail(P->T, "a variable and a term of its sort expected");
  }
  return distinct(vars, *n) || ck_fail(P->T, "variable twice");
}

/* Reads functions: name, signature, parameters, body; these must be of the sorts that the signature says. */
static bool functions(ck_proof *P, ck_args *A, ck_fsub *fs, uint32_t *n) {
  for (*n = 0; member(A, *n == 0); ++*n) {
    if (*n == CK_MAX_WIDTH) return ck_fail(P->T, "too many instances");
    ck_fsub *f = &fs[*n];
    f->name = ck_one(A, '\''), f->sig = ck_one(A, '\''), f->params = ck_many(A, 't', &f->n);
    if (A->bad || f->n-- == 0) return ck_fail(P->T, "function without a body"); /* the last term is the body */
    f->body = f->params[f->n];
    const char *sig = ck_word_text(P->T, f->sig);
    bool ok = strlen(sig) == (size_t)f->n + 2 && sig[f->n] == ':' && distinct(f->params, f->n) && of_sort(P, f->body, sig[f->n + 1]);
    for (uint32_t i = 0; i < f->n && ok; i++) ok = var(P, f->params[i], sig[i]);
    for (uint32_t i = 0; i < *n; i++) ok = ok && (fs[i].name != f->name || fs[i].sig != f->sig);
    if (!ok) return ck_fail(P->T, "instance of a function");
  }
  return true;
}

static uint32_t inst(ck_proof *P, ck_args *A) {
  ck_terms *T = P->T;
  ck_id vars[CK_MAX_WIDTH], vals[CK_MAX_WIDTH];
  ck_fsub fs[CK_MAX_WIDTH];
  uint32_t s = ck_one(A, 's'), nv, nf, np, H = T->empty, added = T->empty;
  if (s >= P->n) return no(P, "no such step");
  if (!pairs(P, A, vars, vals, &nv) || !functions(P, A, fs, &nf)) return CK_BAD;
  const uint32_t *ps = ck_part(A, 's', &np);
  const ck_ids old = ck_members(T, P->s[s].hyps);
  for (uint32_t i = 0; i < old.n; i++) {
    ck_id h = ck_sub(T, old.x[i], vars, vals, nv, fs, nf);
    if (h == CK_BAD || !ck_room(T)) return CK_BAD;
    H = ck_union(T, H, ck_set(T, &h, 1));
  }
  uint32_t left = H; /* drop all first, then add */
  for (uint32_t i = 0; i < np; i++) {
    ck_id f = ck_thm_formula(P, ps[i]);
    if (!ck_has(T, H, f)) return no(P, "premise discharges nothing");
    left = without(T, left, &f, 1);
    if (!premise(P, ps[i], f, &added)) return CK_BAD;
  }
  return add(P, A, ck_union(T, left, added), ck_sub(T, P->s[s].formula, vars, vals, nv, fs, nf));
}

static uint32_t cases(ck_proof *P, ck_args *A) {
  ck_id c = ck_one(A, 't'), nc = ck_neg(P->T, c);
  uint32_t p = ck_one(A, 's'), q = ck_one(A, 's');
  if (!closed_rel(P, c) || nc == CK_BAD) return no(P, "closed relation expected");
  if (p >= P->n || q >= P->n || P->s[p].formula != P->s[q].formula) return no(P, "two steps with the same conclusion expected");
  uint32_t H = without(P->T, P->s[p].hyps, &c, 1), K = without(P->T, P->s[q].hyps, &nc, 1);
  return add(P, A, ck_union(P->T, H, K), P->s[p].formula);
}

/* ---- equality and arithmetic */
/* same operator, name, signature, sort, index, width, number of kids */
static bool same_head(const ck_terms *T, ck_id a, ck_id b) {
  const ck_node *x = &T->node[a], *y = &T->node[b];
  return x->op == y->op && x->a == y->a && x->b == y->b && x->n == y->n;
}

/* x and y are identical, or the next premise is x = y.  Of two relations, the conditions of an ite, the sides are compared. */
static bool same(ck_proof *P, ck_args *A, ck_id x, ck_id y, uint32_t *hyps) {
  ck_terms *T = P->T;
  if (x == y) return true;
  if (!ck_is_rel(T, x)) return premise(P, ck_one(A, 's'), ck_mk2(T, CK_EQ, x, y), hyps);
  if (ck_head(T, x) != ck_head(T, y)) return ck_fail(T, "different relations");
  return same(P, A, ck_kid(T, x, 0), ck_kid(T, y, 0), hyps) && same(P, A, ck_kid(T, x, 1), ck_kid(T, y, 1), hyps);
}

static uint32_t cong(ck_proof *P, ck_args *A) {
  ck_terms *T = P->T;
  ck_id a = ck_one(A, 't'), b = ck_one(A, 't');
  uint32_t H = T->empty;
  if (!term(P, a) || !term(P, b) || !same_head(T, a, b)) return no(P, "two closed terms with the same head expected");
  for (uint32_t i = 0; i < ck_nkids(T, a); i++) {
    ck_id x = ck_kid(T, a, i), y = ck_kid(T, b, i);
    if (x != y && ck_kid_binders(T, a, i) > 0) return no(P, "cong does not enter binders");
    if (!same(P, A, x, y, &H)) return CK_BAD;
  }
  return add(P, A, H, ck_mk2(T, CK_EQ, a, b));
}

static uint32_t foldcong(ck_proof *P, ck_args *A) {
  ck_terms *T = P->T;
  ck_id a = ck_one(A, 't'), b = ck_one(A, 't');
  uint32_t nv, np, H = T->empty;
  const ck_id *vars = ck_part(A, 't', &nv);
  const uint32_t *ps = ck_part(A, 's', &np);
  if (!fold(P, a) || !term(P, b) || !same_head(T, a, b)) return no(P, "two like folds expected");
  uint32_t w = ck_width(T, a);
  for (uint32_t i = 0; i <= w; i++) if (ck_kid(T, a, i) != ck_kid(T, b, i)) return no(P, "bounds or bases differ");
  if (nv != w + 1 || np != w || !distinct(vars, nv)) return no(P, "number of variables or premises, or a variable twice");
  for (uint32_t i = 0; i < nv; i++) {
    if (!var(P, vars[i], i == 0 ? 'i' : 'r')) return no(P, "variable of another sort");
    if (ck_has_var(T, a, vars[i]) || ck_has_var(T, b, vars[i])) return no(P, "eigenvariable in the conclusion");
  }
  ck_id range[2] = {ck_mk2(T, CK_LE, zero(P), vars[0]), ck_mk2(T, CK_LT, vars[0], ck_kid(T, a, 0))};
  for (uint32_t q = 0; q < w; q++) {
    ck_id f = ck_open(T, ck_kid(T, a, 1 + w + q), vars, nv), g = ck_open(T, ck_kid(T, b, 1 + w + q), vars, nv);
    if (!discharge(P, ps[q], ck_mk2(T, CK_EQ, f, g), range, 2, vars, nv, &H)) return CK_BAD;
  }
  return add(P, A, H, ck_mk2(T, CK_EQ, a, b));
}

/* The summands of arith so far: the goal's value less theirs, their hypotheses, and what their sum is known to be. */
typedef struct { const ck_poly *left; uint32_t hyps, nonzero; bool strict; } sum;

/* What a summand with coefficient c and these relations among its premises is known to be, for a goal of this relation (table in RULES.md). */
static bool known(ck_proof *P, ck_op goal, const ck_poly *c, bool eq, bool ne, bool le, sum *S) {
  if (eq) return true; /* worth zero, whatever the coefficient */
  if (c == NULL || ck_poly_len(c) > 1 || (ck_poly_len(c) == 1 && ck_poly_mono(c, 0).deg > 0)) return ck_fail(P->T, "coefficient must be rational");
  int sign = ck_poly_len(c) ? mpq_sgn(*ck_poly_coef(c, 0)) : 0;
  if (goal == CK_EQ) return ck_fail(P->T, "equation from what is no equation");
  if (goal == CK_NE) return S->nonzero++, (!le && sign != 0) || ck_fail(P->T, "summand not known to be nonzero");
  S->strict = S->strict || (sign > 0 && !le);
  return (!ne && sign >= 0) || ck_fail(P->T, "summand not known to be nonnegative");
}

/* Reads a summand, a coefficient and premises, and takes the product of it with their values off what is left. */
static bool summand(ck_proof *P, ck_args *A, ck_op goal, sum *S) {
  ck_terms *T = P->T;
  bool eq = false, ne = false, le = false;
  ck_id c = ck_one(A, 't');
  if (!term(P, c)) return ck_fail(T, "closed term expected");
  const ck_poly *product = ck_poly_of(T, c), *more;
  while (ck_next(A, 's') && product) {
    uint32_t p = ck_one(A, 's');
    ck_id f = ck_thm_formula(P, p);
    bool ok = ck_is_rel(T, f) ? premise(P, p, f, &S->hyps) : ck_fail(T, "premise must be a relation");
    eq = eq || ck_is(T, f, CK_EQ), ne = ne || ck_is(T, f, CK_NE), le = le || ck_is(T, f, CK_LE);
    more = ok ? ck_poly_mul(T, product, ck_poly_of(T, f)) : NULL;
    ck_poly_done(product), product = more;
  }
  more = ck_poly_add(T, S->left, product, true);
  ck_poly_done(product), ck_poly_done(S->left), S->left = more;
  return more && known(P, goal, ck_poly_of(T, c), eq, ne, le, S);
}

static uint32_t arith(ck_proof *P, ck_args *A) {
  ck_terms *T = P->T;
  ck_id f = ck_one(A, 't');
  if (!closed_rel(P, f)) return no(P, "closed relation expected");
  const ck_op goal = ck_head(T, f);
  sum S = {.left = ck_poly_of(T, f), .hyps = T->empty};
  bool ok = S.left != NULL;
  for (bool first = true; ok && member(A, first); first = false) ok = summand(P, A, goal, &S);
  if (ok && ck_poly_len(S.left) > 0) ok = ck_fail(T, "not an identity");
  ck_poly_done(S.left);
  if (!ok) return CK_BAD;
  if (goal == CK_LT && !S.strict) return no(P, "nothing strict");
  if (goal == CK_NE && S.nonzero != 1) return no(P, "exactly one nonzero summand needed");
  return add(P, A, S.hyps, f);
}

static uint32_t antisym(ck_proof *P, ck_args *A) {
  uint32_t p = ck_one(A, 's'), q = ck_one(A, 's'), H = P->T->empty;
  ck_id f = concl(P, p, CK_LE);
  if (f == CK_BAD) return no(P, "a <= b expected");
  ck_id a = ck_kid(P->T, f, 0), b = ck_kid(P->T, f, 1);
  bool ok = premise(P, p, f, &H) && premise(P, q, ck_mk2(P->T, CK_LE, b, a), &H);
  return ok ? add(P, A, H, ck_mk2(P->T, CK_EQ, a, b)) : CK_BAD;
}

/* from a < b over the integers: a + 1 <= b, or what has the same value */
static uint32_t integers(ck_proof *P, ck_args *A) {
  ck_terms *T = P->T;
  ck_id f = ck_one(A, 't');
  uint32_t p = ck_one(A, 's');
  ck_id g = concl(P, p, CK_LT);
  if (!ck_is(T, f, CK_LE) || !ck_is_closed(T, f) || g == CK_BAD) return no(P, "a closed <= expected, of a premise a < b");
  ck_id a = ck_kid(T, g, 0), b = ck_kid(T, g, 1);
  if (!ck_is_int(T, a) || !ck_is_int(T, b)) return no(P, "not integers");
  ck_id next = ck_mk2(T, CK_LE, plus1(P, a), b);
  if (!ck_poly_eq(ck_poly_of(T, next), ck_poly_of(T, f))) return no(P, "goal is not the premise less one");
  return add(P, A, P->s[p].hyps, f);
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
  static const char operators[] = "+*DMIESL", relations[] = "=#l<"; /* in the order of ck_op */
  char c = *(*s)++;
  const char *o = strchr(operators, c), *r = strchr(relations, c);
  switch (c) {
  case '0': case '1': return ck_int(P->T, c - '0');
  case 'x': case 'y': return c == 'x' ? x : y;
  case 'c': case 'a': case 'b': return ck_kid(P->T, x, c == 'c' ? 0 : c == 'a' ? 1 : 2);
  case 'n': return ck_neg(P->T, ck_kid(P->T, x, 0));
  default: break;
  }
  const ck_op op = (ck_op)(o ? CK_ADD + (o - operators) : CK_EQ + (r - relations));
  ck_id k = law_text(P, s, x, y);
  return op >= CK_INV && op <= CK_LOG ? ck_mk1(P->T, op, k) : ck_mk2(P->T, op, k, law_text(P, s, x, y));
}

static uint32_t law(ck_proof *P, ck_args *A) {
  uint32_t name = ck_one(A, '\''), nt, w = 0, H = P->T->empty;
  const ck_id *ts = ck_part(A, 't', &nt);
  ck_one(A, '|');
  while (w < N_LAWS && (A->bad || strcmp(laws[w].name, ck_word_text(P->T, name)) != 0)) w++;
  if (w == N_LAWS || nt != strlen(laws[w].about)) return no(P, "unknown law, or wrong number of terms");
  const char *pre = laws[w].premise, *says = laws[w].says;
  for (uint32_t i = 0; i < nt; i++) if (!of_sort(P, ts[i], laws[w].about[i])) return no(P, "closed (integer) terms expected");
  if ((*pre == 'c' || *pre == 'n') && !ck_is(P->T, ts[0], CK_ITE)) return no(P, "ite expected");
  if (*pre && !premise(P, ck_one(A, 's'), law_text(P, &pre, ts[0], ts[nt - 1]), &H)) return CK_BAD;
  return add(P, A, H, law_text(P, &says, ts[0], ts[nt - 1]));
}

/* ---- folds */
static uint32_t fold0(ck_proof *P, ck_args *A) {
  ck_id t = ck_one(A, 't');
  uint32_t H = P->T->empty;
  if (!fold(P, t)) return no(P, "closed fold expected");
  if (!premise(P, ck_one(A, 's'), ck_mk2(P->T, CK_LE, ck_kid(P->T, t, 0), zero(P)), &H)) return CK_BAD;
  return add(P, A, H, ck_mk2(P->T, CK_EQ, t, ck_kid(P->T, t, 1 + ck_index(P->T, t))));
}

static uint32_t succ(ck_proof *P, ck_args *A) {
  ck_terms *T = P->T;
  ck_id t = ck_one(A, 't'), k = ck_one(A, 't'), kids[2 * CK_MAX_BINDERS + 1], vals[CK_MAX_BINDERS + 1];
  uint32_t H = T->empty;
  if (!fold(P, t) || !of_sort(P, k, 'i')) return no(P, "closed fold and closed integer term expected");
  if (!ck_poly_eq(ck_poly_of(T, plus1(P, k)), ck_poly_of(T, ck_kid(T, t, 0)))) return no(P, "bound is not k + 1");
  if (!premise(P, ck_one(A, 's'), ck_mk2(T, CK_LE, zero(P), k), &H)) return CK_BAD;
  const uint32_t w = ck_width(T, t), p = ck_index(T, t);
  kids[0] = vals[0] = k;
  for (uint32_t i = 1; i < 1 + 2 * w; i++) kids[i] = ck_kid(T, t, i);
  for (uint32_t q = 0; q < w; q++) vals[1 + q] = ck_fold(T, q, w, kids); /* the same fold over k, every component */
  return add(P, A, H, ck_mk2(T, CK_EQ, t, ck_open(T, kids[1 + w + p], vals, w + 1)));
}

static uint32_t induct(ck_proof *P, ck_args *A) {
  ck_terms *T = P->T;
  ck_id k = ck_one(A, 't'), n = ck_one(A, 't'), out[CK_MAX_WIDTH + 2], z = zero(P), k1 = plus1(P, k);
  uint32_t j = ck_count(A, T), r, nb, ns, H = T->empty;
  const ck_id *fs = ck_part(A, 't', &r);
  const uint32_t *base = ck_part(A, 's', &nb), *step = ck_part(A, 's', &ns);
  ck_one(A, '|');
  if (!var(P, k, 'i')) return no(P, "integer variable expected");
  if (!of_sort(P, n, 'i') || ck_has_var(T, n, k)) return no(P, "bound must be a closed integer term without the variable");
  if (j >= r || r > CK_MAX_WIDTH || nb != r || ns != r) return no(P, "number of invariants, bases or steps");
  if (!premise(P, ck_one(A, 's'), ck_mk2(T, CK_LE, z, n), &H)) return CK_BAD;
  memcpy(out, fs, r * sizeof *out); /* what a step may assume */
  out[r] = ck_mk2(T, CK_LE, z, k), out[r + 1] = ck_mk2(T, CK_LT, k, n);
  for (uint32_t i = 0; i < r; i++) {
    if (!closed_rel(P, fs[i])) return no(P, "closed relation expected");
    if (!premise(P, base[i], ck_sub(T, fs[i], &k, &z, 1, NULL, 0), &H)) return CK_BAD;
    if (!discharge(P, step[i], ck_sub(T, fs[i], &k, &k1, 1, NULL, 0), out, r + 2, &k, 1, &H)) return CK_BAD;
  }
  return add(P, A, H, ck_sub(T, fs[j], &k, &n, 1, NULL, 0));
}

const char *const ck_rule_name[CK_N_RULES] = {"hyp", "use", "inst", "cases", "cong", "foldcong", "arith", "antisym", "int", "law", "zero", "succ", "induct"};

uint32_t ck_step(ck_proof *P, uint32_t rule, ck_args A) {
  static uint32_t (*const rules[])(ck_proof *, ck_args *) = {hyp, use, inst, cases, cong, foldcong, arith, antisym, integers, law, fold0, succ, induct};
  return rule < CK_N_RULES ? rules[rule](P, &A) : no(P, "unknown rule");
}
