/* The thirteen rules, in the order and words of RULES.md section 4, each with all its side
 * conditions.  Nothing else makes a theorem: conclude() is static. */
#include "ck_rules.h"
#include <stdlib.h>

typedef struct {
  uint32_t hyps; /* a set */
  ck_id formula;
} theorem;

struct ck_proof {
  ck_terms *T;
  theorem *theorems;
  uint32_t n;
  uint32_t capacity;
};

ck_proof *ck_proof_new(ck_terms *T) {
  ck_proof *P = ck_alloc(NULL, sizeof *P);
  *P = (ck_proof){.T = T};
  return P;
}

void ck_proof_free(ck_proof *P) {
  if (!P)
    return;
  free(P->theorems);
  free(P);
}

uint32_t ck_thm_count(const ck_proof *P) {
  return P->n;
}

ck_id ck_thm_formula(const ck_proof *P, uint32_t s) {
  return s < P->n ? P->theorems[s].formula : CK_BAD;
}

const ck_id *ck_thm_hyps(const ck_proof *P, uint32_t s, uint32_t *n) {
  const ck_ids hyps = ck_members(P->T, s < P->n ? P->theorems[s].hyps : P->T->empty);
  *n = hyps.n;
  return hyps.x;
}

/* --- arguments */
uint32_t ck_one(ck_args *A, char kind) {
  if (ck_next(A, kind))
    return A->val[A->at++];
  A->bad = true;
  return CK_BAD;
}

const uint32_t *ck_many(ck_args *A, char kind, uint32_t *n) {
  const uint32_t *first = A->val + A->at;
  for (*n = 0; ck_next(A, kind); A->at++)
    ++*n;
  return first;
}

const uint32_t *ck_part(ck_args *A, char kind, uint32_t *n) {
  ck_one(A, '|');
  return ck_many(A, kind, n);
}

/* To the next member of a list: the first one is after a |, each other one after a comma. */
static bool next_member(ck_args *A, bool first) {
  if (first) {
    ck_one(A, '|');
    return A->at < A->n && A->kind[A->at] != '|';
  }
  if (!ck_next(A, ','))
    return false;
  A->at++;
  return true;
}

bool ck_digits(const char *s, uint32_t limit, uint32_t *out) {
  const size_t n = strspn(s, "0123456789");
  if (n == 0 || n > 10 || s[n] != 0 || (s[0] == '0' && n > 1) || strtoull(s, NULL, 10) >= limit)
    return false;
  *out = (uint32_t)strtoull(s, NULL, 10);
  return true;
}

uint32_t ck_count(ck_args *A, const ck_terms *T) {
  uint32_t word = ck_one(A, '=');
  uint32_t n = CK_BAD;
  if (word == CK_BAD || !ck_digits(ck_word_text(T, word), 1000000, &n))
    A->bad = true;
  return n;
}

/* --- what the rules share */
static uint32_t refuse(ck_proof *P, const char *why) {
  return ck_bad(P->T, why);
}

static bool is_formula(const ck_proof *P, ck_id f) { /* closed, as all of these */
  return ck_is_formula(P->T, f) && ck_is_closed(P->T, f);
}

static bool is_relation(const ck_proof *P, ck_id f) {
  return ck_is_rel(P->T, f) && ck_is_closed(P->T, f);
}

static bool is_term(const ck_proof *P, ck_id t) {
  return ck_is_closed(P->T, t) && !ck_is_formula(P->T, t);
}

/* an integer term, or any one for the sort r */
static bool of_sort(const ck_proof *P, ck_id t, char sort) {
  return is_term(P, t) && (sort == 'i' ? ck_is_int(P->T, t) : sort == 'r');
}

static bool is_variable(const ck_proof *P, ck_id v, char sort) {
  return ck_is(P->T, v, CK_V) && ck_sort(P->T, v) == sort;
}

static bool is_fold(const ck_proof *P, ck_id t) {
  return is_term(P, t) && ck_is(P->T, t, CK_FOLD);
}

static ck_id zero(ck_proof *P) {
  return ck_int(P->T, 0);
}

static ck_id plus_one(ck_proof *P, ck_id t) {
  return ck_mk2(P->T, CK_ADD, t, ck_int(P->T, 1));
}

static bool are_distinct(const ck_id *x, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < i; j++) {
      if (x[i] == x[j])
        return false;
    }
  }
  return true;
}

/* The only place where a theorem is made.  All arguments must have been read, each of the kind that
 * was asked for. */
static uint32_t conclude(ck_proof *P, const ck_args *A, uint32_t hyps, ck_id formula) {
  if (formula == CK_BAD)
    return CK_BAD; /* a maker failed and said why */
  if (!ck_end(A))
    return refuse(P, "arguments of this rule");
  if (!is_formula(P, formula))
    return refuse(P, "conclusion must be a closed formula");
  if (P->n == 1u << 30 || !ck_room(P->T))
    return refuse(P, "too many steps");
  CK_GROW(P->theorems, P->capacity, P->n + 1);
  P->theorems[P->n] = (theorem){hyps, formula};
  return P->n++;
}

/* The set without the n formulas of out. */
static uint32_t without(ck_terms *T, uint32_t set, const ck_id *out, uint32_t n) {
  const ck_ids s = ck_members(T, set);
  uint32_t m = 0;
  CK_GROW(T->list, T->cap_list, s.n + 1);
  for (uint32_t i = 0; i < s.n; i++) {
    uint32_t j = 0;
    while (j < n && out[j] != s.x[i])
      j++;
    if (j == n)
      T->list[m++] = s.x[i];
  }
  return ck_set(T, T->list, m);
}

/* Premise s must conclude exactly f.  Its hypotheses are added to *hyps, but the formulas of out,
 * which it discharges; no variable may be free in those that remain. */
static bool discharge(ck_proof *P, uint32_t s, ck_id f, const ck_id *out, uint32_t n_out,
                      const ck_id *variables, uint32_t n_variables, uint32_t *hyps) {
  if (f == CK_BAD)
    return false; /* a maker failed and said why */
  if (ck_thm_formula(P, s) != f)
    return ck_fail(P->T, "premise does not match");
  const uint32_t own = n_out ? without(P->T, P->theorems[s].hyps, out, n_out) : P->theorems[s].hyps;
  const ck_ids left = ck_members(P->T, own);
  for (uint32_t v = 0; v < n_variables; v++) {
    for (uint32_t i = 0; i < left.n; i++) {
      if (ck_has_var(P->T, left.x[i], variables[v]))
        return ck_fail(P->T, "eigenvariable in a hypothesis");
    }
  }
  *hyps = ck_union(P->T, *hyps, own);
  return ck_room(P->T);
}

static bool premise(ck_proof *P, uint32_t s, ck_id f, uint32_t *hyps) {
  return discharge(P, s, f, NULL, 0, NULL, 0, hyps);
}

/* hyp F.  Any closed formula F gives F under the hypothesis F. */
static uint32_t rule_hyp(ck_proof *P, ck_args *A) {
  ck_id f = ck_one(A, 't');
  if (!is_formula(P, f))
    return refuse(P, "closed formula expected");
  return conclude(P, A, ck_set(P->T, &f, 1), f);
}

/* use C, terms t, premises.  C concludes a clause with m binders and r conditions.  There must be m
 * integer terms and r premises, the i-th concluding exactly the i-th condition opened with t.
 * Conclusion: the clause's conclusion opened with t. */
static uint32_t rule_use(ck_proof *P, ck_args *A) {
  ck_terms *T = P->T;
  uint32_t s = ck_one(A, 's');
  uint32_t n_terms;
  uint32_t n_premises;
  const ck_id *terms = ck_part(A, 't', &n_terms);
  const uint32_t *premises = ck_part(A, 's', &n_premises);
  ck_id clause = ck_thm_formula(P, s);
  if (!ck_is(T, clause, CK_ALL) || n_terms != ck_index(T, clause) ||
      n_premises + 1 != ck_nkids(T, clause))
    return refuse(P, "a clause, its number of terms and of premises expected");
  for (uint32_t i = 0; i < n_terms; i++) {
    if (!of_sort(P, terms[i], 'i'))
      return refuse(P, "closed integer term expected");
  }
  uint32_t hyps = P->theorems[s].hyps;
  for (uint32_t i = 0; i < n_premises; i++) {
    if (!premise(P, premises[i], ck_open(T, ck_kid(T, clause, i), terms, n_terms), &hyps))
      return CK_BAD;
  }
  return conclude(P, A, hyps, ck_open(T, ck_kid(T, clause, n_premises), terms, n_terms));
}

/* pairs of variable and term: no variable twice; a variable of sort i takes only an integer term */
static bool read_pairs(ck_proof *P, ck_args *A, ck_id *variables, ck_id *terms, uint32_t *n) {
  for (*n = 0; next_member(A, *n == 0); ++*n) {
    if (*n == CK_MAX_WIDTH)
      return ck_fail(P->T, "too many instances");
    ck_id x = variables[*n] = ck_one(A, 't');
    ck_id t = terms[*n] = ck_one(A, 't');
    if (!ck_is(P->T, x, CK_V) || !of_sort(P, t, ck_sort(P->T, x)))
      return ck_fail(P->T, "a variable and a term of its sort expected");
  }
  return are_distinct(variables, *n) || ck_fail(P->T, "variable twice");
}

/* as many distinct parameters, of the sorts that the signature says, as it has arguments; a closed
 * body, integer if the result letter is i */
static bool fits_signature(const ck_proof *P, const ck_fsub *f) {
  const char *signature = ck_word_text(P->T, f->sig);
  if (strlen(signature) != (size_t)f->n + 2 || signature[f->n] != ':' ||
      !are_distinct(f->params, f->n) || !of_sort(P, f->body, signature[f->n + 1]))
    return false;
  for (uint32_t i = 0; i < f->n; i++) {
    if (!is_variable(P, f->params[i], signature[i]))
      return false;
  }
  return true;
}

/* functions: name, signature, parameters, body; none twice */
static bool read_functions(ck_proof *P, ck_args *A, ck_fsub *fs, uint32_t *n) {
  for (*n = 0; next_member(A, *n == 0); ++*n) {
    if (*n == CK_MAX_WIDTH)
      return ck_fail(P->T, "too many instances");
    ck_fsub *f = &fs[*n];
    f->name = ck_one(A, '\'');
    f->sig = ck_one(A, '\'');
    f->params = ck_many(A, 't', &f->n);
    if (A->bad || f->n == 0)
      return ck_fail(P->T, "function without a body");
    f->n--; /* the last term is the body */
    f->body = f->params[f->n];
    bool ok = fits_signature(P, f);
    for (uint32_t i = 0; i < *n; i++)
      ok = ok && (fs[i].name != f->name || fs[i].sig != f->sig);
    if (!ok)
      return ck_fail(P->T, "instance of a function");
  }
  return true;
}

/* inst S, pairs (variable, term), functions (name, signature, parameters, body), premises.  The
 * conclusion of S and every hypothesis of S are substituted.  Each premise must conclude one of the
 * substituted hypotheses; first all those are removed, then the premises' hypotheses are added. */
static uint32_t rule_inst(ck_proof *P, ck_args *A) {
  ck_terms *T = P->T;
  ck_id variables[CK_MAX_WIDTH];
  ck_id terms[CK_MAX_WIDTH];
  ck_fsub fs[CK_MAX_WIDTH];
  uint32_t s = ck_one(A, 's');
  uint32_t n_pairs;
  uint32_t n_functions;
  uint32_t n_premises;
  uint32_t substituted = T->empty;
  uint32_t added = T->empty;
  if (s >= P->n)
    return refuse(P, "no such step");
  if (!read_pairs(P, A, variables, terms, &n_pairs) || !read_functions(P, A, fs, &n_functions))
    return CK_BAD;
  const uint32_t *premises = ck_part(A, 's', &n_premises);
  const ck_ids old = ck_members(T, P->theorems[s].hyps);
  for (uint32_t i = 0; i < old.n; i++) {
    ck_id h = ck_sub(T, old.x[i], variables, terms, n_pairs, fs, n_functions);
    if (h == CK_BAD || !ck_room(T))
      return CK_BAD;
    substituted = ck_union(T, substituted, ck_set(T, &h, 1));
  }
  uint32_t left = substituted;
  for (uint32_t i = 0; i < n_premises; i++) {
    ck_id f = ck_thm_formula(P, premises[i]);
    if (!ck_has(T, substituted, f))
      return refuse(P, "premise discharges nothing");
    left = without(T, left, &f, 1);
    if (!premise(P, premises[i], f, &added))
      return CK_BAD;
  }
  return conclude(P, A, ck_union(T, left, added),
                  ck_sub(T, P->theorems[s].formula, variables, terms, n_pairs, fs, n_functions));
}

/* cases C, P, Q.  C is a relation; P and Q conclude the same F.  Conclusion F, from the hypotheses
 * of P but C and those of Q but the negation of C. */
static uint32_t rule_cases(ck_proof *P, ck_args *A) {
  ck_id c = ck_one(A, 't');
  ck_id not_c = ck_neg(P->T, c);
  uint32_t p = ck_one(A, 's');
  uint32_t q = ck_one(A, 's');
  if (!is_relation(P, c) || not_c == CK_BAD)
    return refuse(P, "closed relation expected");
  if (p >= P->n || q >= P->n || P->theorems[p].formula != P->theorems[q].formula)
    return refuse(P, "two steps with the same conclusion expected");
  uint32_t of_p = without(P->T, P->theorems[p].hyps, &c, 1);
  uint32_t of_q = without(P->T, P->theorems[q].hyps, &not_c, 1);
  return conclude(P, A, ck_union(P->T, of_p, of_q), P->theorems[p].formula);
}

/* the same operator, name, signature, sort, index, width, number of kids */
static bool same_head(const ck_terms *T, ck_id a, ck_id b) {
  const ck_node *x = &T->node[a];
  const ck_node *y = &T->node[b];
  return x->op == y->op && x->a == y->a && x->b == y->b && x->n == y->n;
}

/* x and y are the same, or the next premise is x = y; of two conditions of an ite the two sides are
 * compared */
static bool same_or_premise(ck_proof *P, ck_args *A, ck_id x, ck_id y, uint32_t *hyps) {
  ck_terms *T = P->T;
  if (x == y)
    return true;
  if (!ck_is_rel(T, x))
    return premise(P, ck_one(A, 's'), ck_mk2(T, CK_EQ, x, y), hyps);
  if (ck_head(T, x) != ck_head(T, y))
    return ck_fail(T, "different relations");
  return same_or_premise(P, A, ck_kid(T, x, 0), ck_kid(T, y, 0), hyps) &&
         same_or_premise(P, A, ck_kid(T, x, 1), ck_kid(T, y, 1), hyps);
}

/* cong A, B, premises.  Two terms with the same head and the same parts.  Their kids are compared
 * from left to right; where two are not the same, the next premise must conclude exactly kid of A =
 * kid of B.  All premises must be used up.  Kids under binders must be the same.  Conclusion A = B.
 */
static uint32_t rule_cong(ck_proof *P, ck_args *A) {
  ck_terms *T = P->T;
  ck_id a = ck_one(A, 't');
  ck_id b = ck_one(A, 't');
  uint32_t hyps = T->empty;
  if (!is_term(P, a) || !is_term(P, b) || !same_head(T, a, b))
    return refuse(P, "two closed terms with the same head expected");
  for (uint32_t i = 0; i < ck_nkids(T, a); i++) {
    ck_id x = ck_kid(T, a, i);
    ck_id y = ck_kid(T, b, i);
    if (x != y && ck_kid_binders(T, a, i) > 0)
      return refuse(P, "cong does not enter binders");
    if (!same_or_premise(P, A, x, y, &hyps))
      return CK_BAD;
  }
  return conclude(P, A, hyps, ck_mk2(T, CK_EQ, a, b));
}

/* A and B are folds with the same p, w, bound and bases; their variables, an integer and w reals,
 * are distinct and free in neither */
static bool folds_alike(ck_proof *P, ck_id a, ck_id b, const ck_id *variables,
                        uint32_t n_variables) {
  const ck_terms *T = P->T;
  if (!is_fold(P, a) || !is_term(P, b) || !same_head(T, a, b))
    return ck_fail(P->T, "two like folds expected");
  uint32_t w = ck_width(T, a);
  for (uint32_t i = 0; i <= w; i++) {
    if (ck_kid(T, a, i) != ck_kid(T, b, i))
      return ck_fail(P->T, "bounds or bases differ");
  }
  if (n_variables != w + 1 || !are_distinct(variables, n_variables))
    return ck_fail(P->T, "number of variables, or a variable twice");
  for (uint32_t i = 0; i < n_variables; i++) {
    if (!is_variable(P, variables[i], i == 0 ? 'i' : 'r'))
      return ck_fail(P->T, "variable of another sort");
    if (ck_has_var(T, a, variables[i]) || ck_has_var(T, b, variables[i]))
      return ck_fail(P->T, "eigenvariable in the conclusion");
  }
  return true;
}

/* foldcong A, B, variables K A0 .. A(w-1), premises.  A and B are folds with the same p, w, bound n
 * and bases.  Premise q must conclude step q of A opened with K A0.. = step q of B opened with K
 * A0...  From its hypotheses 0 <= K and K < n are removed (with exactly this n), and for what is
 * left all the variables must be fresh.  There must be exactly w premises, whatever p is.
 * Conclusion A = B. */
static uint32_t rule_foldcong(ck_proof *P, ck_args *A) {
  ck_terms *T = P->T;
  ck_id a = ck_one(A, 't');
  ck_id b = ck_one(A, 't');
  uint32_t n_variables;
  uint32_t n_premises;
  uint32_t hyps = T->empty;
  const ck_id *variables = ck_part(A, 't', &n_variables);
  const uint32_t *premises = ck_part(A, 's', &n_premises);
  if (!folds_alike(P, a, b, variables, n_variables))
    return CK_BAD;
  uint32_t w = ck_width(T, a);
  if (n_premises != w)
    return refuse(P, "number of premises");
  ck_id range[2] = {ck_mk2(T, CK_LE, zero(P), variables[0]),
                    ck_mk2(T, CK_LT, variables[0], ck_kid(T, a, 0))};
  for (uint32_t q = 0; q < w; q++) {
    ck_id x = ck_open(T, ck_kid(T, a, 1 + w + q), variables, n_variables);
    ck_id y = ck_open(T, ck_kid(T, b, 1 + w + q), variables, n_variables);
    if (!discharge(P, premises[q], ck_mk2(T, CK_EQ, x, y), range, 2, variables, n_variables, &hyps))
      return CK_BAD;
  }
  return conclude(P, A, hyps, ck_mk2(T, CK_EQ, a, b));
}

/* The summands of arith so far: the goal's value less theirs, their hypotheses, and what their sum
 * is known to be. */
typedef struct {
  const ck_poly *left;
  uint32_t hyps;
  uint32_t nonzero; /* nonzero: number of summands that do not vanish, for a goal a # b */
  bool strict;      /* one of them is positive */
} sum;

typedef struct { /* which relations are among the premises of a summand; < is none of these */
  bool eq;
  bool ne;
  bool le;
} kinds;

/* What a summand with coefficient c is known to be, for a goal of this relation: the table under
 * arith in RULES.md. */
static bool admit_summand(ck_proof *P, ck_op goal, const ck_poly *c, kinds k, sum *S) {
  if (k.eq)
    return true; /* worth zero, whatever the coefficient */
  if (c == NULL || ck_poly_len(c) > 1 || (ck_poly_len(c) == 1 && ck_poly_mono(c, 0).deg > 0))
    return ck_fail(P->T, "coefficient must be rational");
  int sign = ck_poly_len(c) ? mpq_sgn(*ck_poly_coef(c, 0)) : 0;
  switch (goal) {
  case CK_EQ:
    return ck_fail(P->T, "equation from what is no equation");
  case CK_NE:
    S->nonzero++;
    return (!k.le && sign != 0) || ck_fail(P->T, "summand not known to be nonzero");
  default:
    S->strict = S->strict || (sign > 0 && !k.le);
    return (!k.ne && sign >= 0) || ck_fail(P->T, "summand not known to be nonnegative");
  }
}

/* Reads a summand, a coefficient and premises, and takes the product of it with their values off
 * what is left. */
static bool read_summand(ck_proof *P, ck_args *A, ck_op goal, sum *S) {
  ck_terms *T = P->T;
  kinds k = {false, false, false};
  ck_id coefficient = ck_one(A, 't');
  if (!is_term(P, coefficient))
    return ck_fail(T, "closed term expected");
  const ck_poly *c = ck_poly_of(T, coefficient);
  const ck_poly *product = c;
  while (ck_next(A, 's') && product) {
    uint32_t p = ck_one(A, 's');
    ck_id f = ck_thm_formula(P, p);
    bool ok =
        ck_is_rel(T, f) ? premise(P, p, f, &S->hyps) : ck_fail(T, "premise must be a relation");
    k.eq = k.eq || ck_is(T, f, CK_EQ);
    k.ne = k.ne || ck_is(T, f, CK_NE);
    k.le = k.le || ck_is(T, f, CK_LE);
    const ck_poly *next = ok ? ck_poly_mul(T, product, ck_poly_of(T, f)) : NULL;
    ck_poly_done(product);
    product = next;
  }
  const ck_poly *left = ck_poly_add(T, S->left, product, true);
  ck_poly_done(product);
  ck_poly_done(S->left);
  S->left = left;
  return left && admit_summand(P, goal, c, k, S);
}

/* arith F, summands.  F is a relation.  A summand is a term c with any number of premises, each
 * concluding a relation.  The value of F must equal, as a polynomial, the sum over the summands of
 * poly(c) times the product of the values of its premises. */
static uint32_t rule_arith(ck_proof *P, ck_args *A) {
  ck_terms *T = P->T;
  ck_id f = ck_one(A, 't');
  if (!is_relation(P, f))
    return refuse(P, "closed relation expected");
  const ck_op goal = ck_head(T, f);
  sum S = {.left = ck_poly_of(T, f), .hyps = T->empty};
  bool ok = S.left != NULL;
  for (bool first = true; ok && next_member(A, first); first = false)
    ok = read_summand(P, A, goal, &S);
  if (ok && ck_poly_len(S.left) > 0)
    ok = ck_fail(T, "not an identity");
  ck_poly_done(S.left);
  if (!ok)
    return CK_BAD;
  if (goal == CK_LT && !S.strict)
    return refuse(P, "nothing strict");
  if (goal == CK_NE && S.nonzero != 1)
    return refuse(P, "exactly one nonzero summand needed");
  return conclude(P, A, S.hyps, f);
}

/* antisym P, Q.  From a <= b and b <= a: a = b. */
static uint32_t rule_antisym(ck_proof *P, ck_args *A) {
  ck_terms *T = P->T;
  uint32_t p = ck_one(A, 's');
  uint32_t q = ck_one(A, 's');
  uint32_t hyps = T->empty;
  ck_id f = ck_thm_formula(P, p);
  if (!ck_is(T, f, CK_LE))
    return refuse(P, "a <= b expected");
  ck_id a = ck_kid(T, f, 0);
  ck_id b = ck_kid(T, f, 1);
  if (!premise(P, p, f, &hyps) || !premise(P, q, ck_mk2(T, CK_LE, b, a), &hyps))
    return CK_BAD;
  return conclude(P, A, hyps, ck_mk2(T, CK_EQ, a, b));
}

/* int F, P.  P concludes a < b with a and b both integer; F is a <= whose value is that of a < b
 * less 1.  Conclusion F. */
static uint32_t rule_int(ck_proof *P, ck_args *A) {
  ck_terms *T = P->T;
  ck_id f = ck_one(A, 't');
  uint32_t p = ck_one(A, 's');
  ck_id less = ck_thm_formula(P, p);
  if (!ck_is(T, f, CK_LE) || !ck_is_closed(T, f) || !ck_is(T, less, CK_LT))
    return refuse(P, "a closed <= expected, of a premise a < b");
  ck_id a = ck_kid(T, less, 0);
  ck_id b = ck_kid(T, less, 1);
  if (!ck_is_int(T, a) || !ck_is_int(T, b))
    return refuse(P, "not integers");
  ck_id next = ck_mk2(T, CK_LE, plus_one(P, a), b);
  if (!ck_poly_eq(ck_poly_of(T, next), ck_poly_of(T, f)))
    return refuse(P, "goal is not the premise less one");
  return conclude(P, A, P->theorems[p].hyps, f);
}

/* --- laws.  Formulas over the terms x and y that the step names; of an ite(c, a, b) named x, over
 * its parts. */
typedef struct {
  ck_terms *T;
  ck_id x;
  ck_id y;
} named;

#define ZERO ck_int(v->T, 0)
#define ONE ck_int(v->T, 1)
#define X v->x
#define Y v->y
#define EQ(a, b) ck_mk2(v->T, CK_EQ, a, b)
#define NE(a, b) ck_mk2(v->T, CK_NE, a, b)
#define LE(a, b) ck_mk2(v->T, CK_LE, a, b)
#define LT(a, b) ck_mk2(v->T, CK_LT, a, b)
#define PLUS(a, b) ck_mk2(v->T, CK_ADD, a, b)
#define TIMES(a, b) ck_mk2(v->T, CK_MUL, a, b)
#define DIV(a, b) ck_mk2(v->T, CK_DIV, a, b)
#define MOD(a, b) ck_mk2(v->T, CK_MOD, a, b)
#define INV(a) ck_mk1(v->T, CK_INV, a)
#define EXP(a) ck_mk1(v->T, CK_EXP, a)
#define SQRT(a) ck_mk1(v->T, CK_SQRT, a)
#define LOG(a) ck_mk1(v->T, CK_LOG, a)
#define CONDITION ck_kid(v->T, v->x, 0)
#define THEN ck_kid(v->T, v->x, 1)
#define ELSE ck_kid(v->T, v->x, 2)
#define NOT(c) ck_neg(v->T, c)
#define NOTHING                                                                                    \
  (CK_BAD - 1) /* no premise is asked for; no node has this number, and CK_BAD is a premise that   \
                  could not be made */

/* name, sorts of the terms (I: an ite), premise, conclusion */
#define LAWS(LAW)                                                                                  \
  LAW(inv, "inv", "r", NE(X, ZERO), EQ(TIMES(X, INV(X)), ONE))                                     \
  LAW(exp_sum, "exp+", "rr", NOTHING, EQ(EXP(PLUS(X, Y)), TIMES(EXP(X), EXP(Y))))                  \
  LAW(exp_tangent, "exp>", "r", NOTHING, LE(PLUS(ONE, X), EXP(X)))                                 \
  LAW(log, "log", "r", LT(ZERO, X), EQ(EXP(LOG(X)), X))                                            \
  LAW(sqrt_square, "sqrt2", "r", LE(ZERO, X), EQ(TIMES(SQRT(X), SQRT(X)), X))                      \
  LAW(sqrt_sign, "sqrt>", "r", LE(ZERO, X), LE(ZERO, SQRT(X)))                                     \
  LAW(div, "div", "ii", LT(ZERO, Y), EQ(X, PLUS(TIMES(Y, DIV(X, Y)), MOD(X, Y))))                  \
  LAW(mod_sign, "mod>", "ii", LT(ZERO, Y), LE(ZERO, MOD(X, Y)))                                    \
  LAW(mod_bound, "mod<", "ii", LT(ZERO, Y), LT(MOD(X, Y), Y))                                      \
  LAW(ite_then, "ite1", "I", CONDITION, EQ(X, THEN))                                               \
  LAW(ite_else, "ite0", "I", NOT(CONDITION), EQ(X, ELSE))

#define AS_FUNCTIONS(id, name, sorts, premise, conclusion)                                         \
  static ck_id premise_of_##id(const named *v) {                                                   \
    (void)v;                                                                                       \
    return premise;                                                                                \
  }                                                                                                \
  static ck_id conclusion_of_##id(const named *v) {                                                \
    return conclusion;                                                                             \
  }
#define AS_ROW(id, name, sorts, premise, conclusion)                                               \
  {name, sorts, premise_of_##id, conclusion_of_##id},

LAWS(AS_FUNCTIONS)

static const struct {
  const char *name;
  const char *sorts;
  ck_id (*premise)(const named *v);
  ck_id (*conclusion)(const named *v);
} laws[] = {LAWS(AS_ROW)};

enum { N_LAWS = sizeof laws / sizeof *laws };

static bool fits_law(const ck_proof *P, ck_id t, char sort) {
  return sort == 'I' ? is_term(P, t) && ck_is(P->T, t, CK_ITE) : of_sort(P, t, sort);
}

/* law name, terms, premise.  One of the laws; the premise must be as written, up to nothing. */
static uint32_t rule_law(ck_proof *P, ck_args *A) {
  uint32_t name = ck_one(A, '\'');
  uint32_t n;
  uint32_t w = 0;
  uint32_t hyps = P->T->empty;
  const ck_id *terms = ck_part(A, 't', &n);
  ck_one(A, '|');
  while (w < N_LAWS && (A->bad || strcmp(laws[w].name, ck_word_text(P->T, name)) != 0))
    w++;
  if (w == N_LAWS || n != strlen(laws[w].sorts))
    return refuse(P, "unknown law, or wrong number of terms");
  for (uint32_t i = 0; i < n; i++) {
    if (!fits_law(P, terms[i], laws[w].sorts[i])) {
      return refuse(P,
                    laws[w].sorts[i] == 'I' ? "ite expected" : "closed (integer) terms expected");
    }
  }
  const named v = {P->T, terms[0], terms[n - 1]};
  ck_id wanted = laws[w].premise(&v);
  if (wanted != NOTHING && !premise(P, ck_one(A, 's'), wanted, &hyps))
    return CK_BAD;
  return conclude(P, A, hyps, laws[w].conclusion(&v));
}

/* zero T, P.  T is a fold with bound n, P concludes n <= 0.  Conclusion: T = its base p. */
static uint32_t rule_zero(ck_proof *P, ck_args *A) {
  ck_terms *T = P->T;
  ck_id t = ck_one(A, 't');
  uint32_t hyps = T->empty;
  if (!is_fold(P, t))
    return refuse(P, "closed fold expected");
  if (!premise(P, ck_one(A, 's'), ck_mk2(T, CK_LE, ck_kid(T, t, 0), zero(P)), &hyps))
    return CK_BAD;
  return conclude(P, A, hyps, ck_mk2(T, CK_EQ, t, ck_kid(T, t, 1 + ck_index(T, t))));
}

/* succ T, K, P.  T is fold p w n ..; K is an integer term with poly(n) = poly(K) + 1; P concludes 0
 * <= K.  Conclusion: T = step p opened with K, fold 0 w K .., .., fold w-1 w K .. (same bases and
 * steps). */
static uint32_t rule_succ(ck_proof *P, ck_args *A) {
  ck_terms *T = P->T;
  ck_id t = ck_one(A, 't');
  ck_id k = ck_one(A, 't');
  ck_id kids[2 * CK_MAX_BINDERS + 1];
  ck_id values[CK_MAX_BINDERS + 1];
  uint32_t hyps = T->empty;
  if (!is_fold(P, t) || !of_sort(P, k, 'i'))
    return refuse(P, "closed fold and closed integer term expected");
  if (!ck_poly_eq(ck_poly_of(T, plus_one(P, k)), ck_poly_of(T, ck_kid(T, t, 0))))
    return refuse(P, "bound is not k + 1");
  if (!premise(P, ck_one(A, 's'), ck_mk2(T, CK_LE, zero(P), k), &hyps))
    return CK_BAD;
  const uint32_t w = ck_width(T, t);
  const uint32_t p = ck_index(T, t);
  kids[0] = values[0] = k;
  for (uint32_t i = 1; i < 1 + 2 * w; i++)
    kids[i] = ck_kid(T, t, i);
  for (uint32_t q = 0; q < w; q++)
    values[1 + q] = ck_fold(T, q, w, kids); /* the same fold over k, every component */
  return conclude(P, A, hyps, ck_mk2(T, CK_EQ, t, ck_open(T, kids[1 + w + p], values, w + 1)));
}

/* induct k, n, j, invariants F1..Fr, bases, steps, P.  k is a variable of sort i, n an integer term
 * in which k is not free; r >= 1; each Fi a relation; j counts from 0 and is below r; exactly r
 * bases and r steps; P concludes 0 <= n.  Base i concludes Fi with k := 0.  Step i concludes Fi
 * with k := k + 1 (the term k + 1 itself); from its hypotheses all of F1..Fr, 0 <= k and k < n are
 * removed, and k must be fresh for what is left. Conclusion: Fj with k := n. */
static uint32_t rule_induct(ck_proof *P, ck_args *A) {
  ck_terms *T = P->T;
  ck_id k = ck_one(A, 't');
  ck_id n = ck_one(A, 't');
  ck_id out[CK_MAX_WIDTH + 2];
  ck_id at_zero = zero(P);
  ck_id at_next = plus_one(P, k);
  uint32_t j = ck_count(A, T);
  uint32_t r;
  uint32_t n_bases;
  uint32_t n_steps;
  uint32_t hyps = T->empty;
  const ck_id *invariants = ck_part(A, 't', &r);
  const uint32_t *bases = ck_part(A, 's', &n_bases);
  const uint32_t *steps = ck_part(A, 's', &n_steps);
  ck_one(A, '|');
  if (!is_variable(P, k, 'i'))
    return refuse(P, "integer variable expected");
  if (!of_sort(P, n, 'i') || ck_has_var(T, n, k))
    return refuse(P, "bound must be a closed integer term without the variable");
  if (j >= r || r > CK_MAX_WIDTH || n_bases != r || n_steps != r)
    return refuse(P, "number of invariants, bases or steps");
  if (!premise(P, ck_one(A, 's'), ck_mk2(T, CK_LE, at_zero, n), &hyps))
    return CK_BAD;
  memcpy(out, invariants, r * sizeof *out); /* what a step may assume */
  out[r] = ck_mk2(T, CK_LE, at_zero, k);
  out[r + 1] = ck_mk2(T, CK_LT, k, n);
  for (uint32_t i = 0; i < r; i++) {
    if (!is_relation(P, invariants[i]))
      return refuse(P, "closed relation expected");
    if (!premise(P, bases[i], ck_sub(T, invariants[i], &k, &at_zero, 1, NULL, 0), &hyps))
      return CK_BAD;
    if (!discharge(P, steps[i], ck_sub(T, invariants[i], &k, &at_next, 1, NULL, 0), out, r + 2, &k,
                   1, &hyps))
      return CK_BAD;
  }
  return conclude(P, A, hyps, ck_sub(T, invariants[j], &k, &n, 1, NULL, 0));
}

const char *const ck_rule_name[CK_N_RULES] = {"hyp",      "use",   "inst",    "cases", "cong",
                                              "foldcong", "arith", "antisym", "int",   "law",
                                              "zero",     "succ",  "induct"};

uint32_t ck_step(ck_proof *P, uint32_t rule, ck_args A) {
  static uint32_t (*const rules[CK_N_RULES])(ck_proof *, ck_args *) = {
      rule_hyp,     rule_use, rule_inst, rule_cases, rule_cong, rule_foldcong, rule_arith,
      rule_antisym, rule_int, rule_law,  rule_zero,  rule_succ, rule_induct};
  return rule < CK_N_RULES ? rules[rule](P, &A) : refuse(P, "unknown rule");
}
