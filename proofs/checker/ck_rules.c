/* The thirteen rules, in the order and words of RULES.md section 4, each with all its side
 * conditions.  A rule reads the arguments of its step and gives the formula that it concludes;
 * ck_step makes the theorem, and nothing else does. */
#include "ck_rules.h"
#include "ck_formula.h"
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

ck_ids ck_many(ck_args *A, char kind) {
  ck_ids all = {.x = A->val + A->at};
  for (; ck_next(A, kind); A->at++)
    all.n++;
  return all;
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

/* --- a step.  Once it is refused it stays so: what is made of it after that is never looked at. */
typedef struct {
  ck_proof *P;
  ck_terms *T;
  ck_args *A;
  uint32_t hyps; /* of its premises so far */
  bool refused;
} step;

static ck_id refuse(step *s, const char *why) {
  s->refused = s->refused || !ck_fail(s->T, why); /* the first reason counts */
  return CK_BAD;
}

/* What a rule names is closed. */
static bool is_term(const step *s, ck_id t) {
  return ck_is_closed(s->T, t) && !ck_is_formula(s->T, t);
}

/* an integer term, or any one for the sort r */
static bool of_sort(const step *s, ck_id t, char sort) {
  return is_term(s, t) && (sort == 'i' ? ck_is_int(s->T, t) : sort == 'r');
}

static bool all_of_sort(const step *s, ck_ids terms, char sort) {
  CK_BELOW(i, terms.n) {
    if (!of_sort(s, terms.x[i], sort))
      return false;
  }
  return true;
}

static bool is_variable(const step *s, ck_id v, char sort) {
  return ck_is(s->T, v, CK_V) && ck_sort(s->T, v) == sort;
}

static bool are_distinct(ck_ids x) {
  CK_BELOW(i, x.n) {
    CK_BELOW(j, i) {
      if (x.x[i] == x.x[j])
        return false;
    }
  }
  return true;
}

static bool same_poly(step *s, ck_id a, ck_id b) {
  const ck_poly *p = ck_poly_of(s->T, a);
  const ck_poly *q = ck_poly_of(s->T, b);
  s->refused = s->refused || !p || !q; /* too large: the reason has been given */
  return ck_poly_eq(p, q);
}

static ck_id read_term(step *s) {
  ck_id t = ck_one(s->A, 't');
  return is_term(s, t) ? t : refuse(s, "closed term expected");
}

static ck_id read_integer(step *s) {
  ck_id t = ck_one(s->A, 't');
  return of_sort(s, t, 'i') ? t : refuse(s, "closed integer term expected");
}

static ck_id read_fold(step *s) {
  ck_id t = read_term(s);
  return ck_is(s->T, t, CK_FOLD) ? t : refuse(s, "fold expected");
}

static ck_id read_relation(step *s) {
  ck_id f = ck_one(s->A, 't');
  return ck_is_rel(s->T, f) && ck_is_closed(s->T, f) ? f : refuse(s, "closed relation expected");
}

static void read_bar(step *s) {
  ck_one(s->A, '|');
}

/* the arguments of this kind after a | */
static ck_ids read_part(step *s, char kind) {
  read_bar(s);
  return ck_many(s->A, kind);
}

/* To the next member of a list: the first one is after a |, each other one after a comma. */
static bool next_member(step *s, bool first) {
  ck_args *A = s->A;
  if (first) {
    read_bar(s);
    return A->at < A->n && A->kind[A->at] != '|';
  }
  bool more = ck_next(A, ',');
  A->at += more;
  return more;
}

/* The set without the formulas of out. */
static uint32_t without(ck_terms *T, uint32_t set, ck_ids out) {
  const ck_ids all = ck_members(T, set);
  uint32_t n = 0;
  if (out.n == 0)
    return set;
  CK_GROW(T->list, T->cap_list, all.n + 1);
  CK_BELOW(i, all.n) {
    uint32_t j = 0;
    while (j < out.n && out.x[j] != all.x[i])
      j++;
    if (j == out.n)
      T->list[n++] = all.x[i];
  }
  return ck_set(T, T->list, n);
}

/* Premise p must conclude exactly f.  Its hypotheses are added to the step's, but the formulas of
 * out, which it discharges; the variables must be fresh for those that remain. */
static void discharge(step *s, uint32_t p, ck_id f, ck_ids out, ck_ids variables) {
  if (f == CK_BAD)
    s->refused = true; /* a maker failed and said why */
  else if (ck_thm_formula(s->P, p) != f)
    refuse(s, "premise does not match");
  if (s->refused)
    return;
  const uint32_t own = without(s->T, s->P->theorems[p].hyps, out);
  const ck_ids left = ck_members(s->T, own);
  CK_BELOW(v, variables.n) {
    CK_BELOW(i, left.n) {
      if (ck_has_var(s->T, left.x[i], variables.x[v]))
        refuse(s, "eigenvariable in a hypothesis");
    }
  }
  s->hyps = ck_union(s->T, s->hyps, own);
  s->refused = s->refused || !ck_room(s->T);
}

static void premise(step *s, uint32_t p, ck_id f) {
  discharge(s, p, f, (ck_ids){0}, (ck_ids){0});
}

/* the next argument is a premise that concludes exactly f */
static void read_premise(step *s, ck_id f) {
  premise(s, ck_one(s->A, 's'), f);
}

/* the next argument is a premise; what it concludes */
static ck_id read_theorem(step *s) {
  uint32_t p = ck_one(s->A, 's');
  ck_id f = ck_thm_formula(s->P, p);
  if (f == CK_BAD)
    return refuse(s, "no such step");
  premise(s, p, f);
  return f;
}

/* hyp F.  Any closed formula F gives F under the hypothesis F. */
static ck_id rule_hyp(step *s) {
  ck_id f = ck_one(s->A, 't');
  s->hyps = ck_set(s->T, &f, 1);
  return f;
}

/* use C, terms t, premises.  C concludes a clause with m binders and r conditions.  There must be m
 * integer terms and r premises, the i-th concluding exactly the i-th condition opened with t.
 * Conclusion: the clause's conclusion opened with t. */
static ck_id rule_use(step *s) {
  ck_id clause = read_theorem(s);
  ck_ids t = read_part(s, 't');
  ck_ids premises = read_part(s, 's');
  if (!ck_is(s->T, clause, CK_ALL) || t.n != ck_index(s->T, clause) ||
      premises.n + 1 != ck_nkids(s->T, clause))
    return refuse(s, "a clause, its number of terms and of premises expected");
  if (!all_of_sort(s, t, 'i'))
    return refuse(s, "closed integer terms expected");
  CK_BELOW(i, premises.n)
    premise(s, premises.x[i], ck_open(s->T, KID(clause, i), t.x, t.n));
  return ck_open(s->T, KID(clause, premises.n), t.x, t.n);
}

typedef struct { /* an instance: terms for variables, bodies for functions */
  ck_id variables[CK_MAX_WIDTH];
  ck_id terms[CK_MAX_WIDTH];
  ck_fsub functions[CK_MAX_WIDTH];
  uint32_t n_pairs;
  uint32_t n_functions;
} instance;

/* No variable twice.  A variable of sort i takes only an integer term. */
static void read_pairs(step *s, instance *I) {
  uint32_t n = 0;
  for (; next_member(s, n == 0); n++) {
    ck_id x = ck_one(s->A, 't');
    ck_id t = ck_one(s->A, 't');
    if (n == CK_MAX_WIDTH || !ck_is(s->T, x, CK_V) || !of_sort(s, t, ck_sort(s->T, x))) {
      refuse(s, "a variable and a term of its sort expected, at most 1000 of them");
      return;
    }
    I->variables[n] = x;
    I->terms[n] = t;
  }
  I->n_pairs = n;
  if (!are_distinct((ck_ids){n, I->variables}))
    refuse(s, "variable twice");
}

/* A function takes as many distinct variables, of the sorts that the signature says, as it has
 * arguments, and a closed body, integer if the result letter is i. */
static bool fits_signature(const step *s, const ck_fsub *f) {
  const char *signature = ck_word_text(s->T, f->sig);
  if (strlen(signature) != (size_t)f->n + 2 || signature[f->n] != ':' ||
      !are_distinct((ck_ids){f->n, f->params}) || !of_sort(s, f->body, signature[f->n + 1]))
    return false;
  CK_BELOW(i, f->n) {
    if (!is_variable(s, f->params[i], signature[i]))
      return false;
  }
  return true;
}

const char *ck_of_law(const char *function) {
  static const char *const functions[][2] = {
      {"sin", "the sine"}, {"cos", "the cosine"}, {"erf", "the error function"}};
  const char *found = NULL;
  CK_BELOW(i, sizeof functions / sizeof *functions)
    found = strcmp(function, functions[i][0]) == 0 ? functions[i][1] : found;
  return found;
}

/* what a law speaks of is that function, and no other one */
static bool is_of_law(const step *s, uint32_t name, uint32_t signature) {
  const char *function = ck_word_text(s->T, name);
  return strncmp(function, "func.", 5) == 0 && ck_of_law(function + 5) &&
         strcmp(ck_word_text(s->T, signature), "r:r") == 0;
}

/* No function twice, none that a law speaks of. */
static void read_functions(step *s, instance *I) {
  uint32_t n = 0;
  for (; next_member(s, n == 0); n++) {
    uint32_t name = ck_one(s->A, '\'');
    uint32_t signature = ck_one(s->A, '\'');
    ck_ids terms = ck_many(s->A, 't'); /* parameters and body */
    bool well = !s->A->bad && terms.n > 0 && n < CK_MAX_WIDTH && !is_of_law(s, name, signature);
    ck_fsub f = {name, signature, terms.x, terms.n - 1, well ? terms.x[terms.n - 1] : CK_BAD};
    for (uint32_t i = 0; well && i < n; i++)
      well = I->functions[i].name != name || I->functions[i].sig != signature;
    if (!well || !fits_signature(s, &f)) {
      refuse(s, "name, signature, parameters and body of a function expected, at most 1000 times");
      return;
    }
    I->functions[n] = f;
  }
  I->n_functions = n;
}

static ck_id instance_of(step *s, const instance *I, ck_id t) {
  return ck_sub(s->T, t, I->variables, I->terms, I->n_pairs, I->functions, I->n_functions);
}

/* inst S, pairs (variable, term), functions (name, signature, parameters, body), premises.  The
 * conclusion of S and every hypothesis of S are substituted.  Each premise must conclude one of the
 * substituted hypotheses; first all those are removed, then the premises' hypotheses are added. */
static ck_id rule_inst(step *s) {
  instance I;
  uint32_t p = ck_one(s->A, 's');
  read_pairs(s, &I);
  read_functions(s, &I);
  ck_ids premises = read_part(s, 's');
  if (s->refused || p >= s->P->n)
    return refuse(s, "no such step");
  const ck_ids old = ck_members(s->T, s->P->theorems[p].hyps);
  ck_id *formula = ck_alloc(NULL, (old.n + premises.n) * sizeof *formula);
  CK_BELOW(i, old.n) {
    formula[i] = instance_of(s, &I, old.x[i]);
    s->refused = s->refused || formula[i] == CK_BAD || !ck_room(s->T);
  }
  const uint32_t substituted = ck_set_of(s->T, formula, old.n);
  CK_BELOW(i, premises.n) {
    formula[i] = ck_thm_formula(s->P, premises.x[i]);
    if (!ck_has(s->T, substituted, formula[i]))
      refuse(s, "premise discharges nothing");
    premise(s, premises.x[i], formula[i]);
  }
  const uint32_t left = without(s->T, substituted, (ck_ids){premises.n, formula});
  free(formula);
  s->hyps = ck_union(s->T, left, s->hyps);
  return instance_of(s, &I, s->P->theorems[p].formula);
}

/* cases C, P, Q.  C is a relation; P and Q conclude the same F.  Conclusion F, from the hypotheses
 * of P but C and those of Q but the negation of C. */
static ck_id rule_cases(step *s) {
  ck_id c = read_relation(s);
  ck_id not_c = NOT(c);
  uint32_t p = ck_one(s->A, 's');
  uint32_t q = ck_one(s->A, 's');
  ck_id f = ck_thm_formula(s->P, p);
  discharge(s, p, f, (ck_ids){1, &c}, (ck_ids){0});
  discharge(s, q, f, (ck_ids){1, &not_c}, (ck_ids){0});
  return f;
}

/* the same operator, name, signature, sort, index, width, number of kids */
static bool same_head(const ck_terms *T, ck_id a, ck_id b) {
  const ck_node *x = &T->node[a];
  const ck_node *y = &T->node[b];
  return x->op == y->op && x->a == y->a && x->b == y->b && x->n == y->n;
}

/* x and y are the same, or the next premise is x = y; of two conditions of an ite the two sides are
 * compared */
static void same_or_premise(step *s, ck_id x, ck_id y) {
  if (x == y)
    return;
  if (!ck_is_rel(s->T, x)) {
    read_premise(s, EQ(x, y));
  } else if (ck_head(s->T, x) != ck_head(s->T, y)) {
    refuse(s, "different relations");
  } else {
    same_or_premise(s, KID(x, 0), KID(y, 0));
    same_or_premise(s, KID(x, 1), KID(y, 1));
  }
}

/* cong A, B, premises.  Two terms with the same head and the same parts.  Their kids are compared
 * from left to right; where two are not the same, the next premise must conclude exactly kid of A =
 * kid of B.  All premises must be used up.  Kids under binders must be the same.  Conclusion A = B.
 */
static ck_id rule_cong(step *s) {
  ck_id a = read_term(s);
  ck_id b = read_term(s);
  if (s->refused || !same_head(s->T, a, b))
    return refuse(s, "two closed terms with the same head expected");
  for (uint32_t i = 0; i < ck_nkids(s->T, a) && !s->refused; i++) {
    if (KID(a, i) != KID(b, i) && ck_kid_binders(s->T, a, i) > 0)
      return refuse(s, "cong does not enter binders");
    same_or_premise(s, KID(a, i), KID(b, i));
  }
  return EQ(a, b);
}

/* A and B are folds with the same p, w, bound and bases. */
static bool folds_alike(const step *s, ck_id a, ck_id b) {
  bool alike = same_head(s->T, a, b);
  for (uint32_t i = 0; alike && i <= ck_width(s->T, a); i++)
    alike = KID(a, i) == KID(b, i);
  return alike;
}

/* K is a variable of sort i, the others of sort r; all distinct; none free in A or B */
static bool name_binders(const step *s, ck_ids variables, ck_id a, ck_id b) {
  bool well = variables.n == 1 + ck_width(s->T, a) && are_distinct(variables);
  for (uint32_t i = 0; well && i < variables.n; i++) {
    ck_id v = variables.x[i];
    well =
        is_variable(s, v, i == 0 ? 'i' : 'r') && !ck_has_var(s->T, a, v) && !ck_has_var(s->T, b, v);
  }
  return well;
}

/* foldcong A, B, variables K A0 .. A(w-1), premises.  A and B are folds with the same p, w, bound n
 * and bases.  K is a variable of sort i, the others of sort r; all distinct; none free in A or B.
 * Premise q must conclude step q of A opened with K A0.. = step q of B opened with K A0...  From
 * its hypotheses 0 <= K and K < n are removed (with exactly this n), and for what is left all the
 * variables must be fresh.  There must be exactly w premises, whatever p is.  Conclusion A = B. */
static ck_id rule_foldcong(step *s) {
  ck_id a = read_fold(s);
  ck_id b = read_fold(s);
  ck_ids variables = read_part(s, 't');
  ck_ids premises = read_part(s, 's');
  if (s->refused || !folds_alike(s, a, b) || !name_binders(s, variables, a, b))
    return refuse(s, "two folds that differ in steps only, and new variables expected");
  uint32_t w = ck_width(s->T, a);
  ck_id range[2] = {LE(ZERO, variables.x[0]), LT(variables.x[0], KID(a, 0))};
  if (premises.n != w)
    return refuse(s, "number of premises");
  CK_BELOW(q, w) {
    ck_id x = ck_open(s->T, KID(a, 1 + w + q), variables.x, variables.n);
    ck_id y = ck_open(s->T, KID(b, 1 + w + q), variables.x, variables.n);
    discharge(s, premises.x[q], EQ(x, y), (ck_ids){2, range}, variables);
  }
  return EQ(a, b);
}

/* The summands of arith so far: the goal's value less theirs, and what their sum is known to be. */
typedef struct {
  const ck_poly *left;
  uint32_t nonzero; /* number of summands that do not vanish, for a goal a # b */
  bool strict;      /* one of them is positive */
} sum_so_far;

typedef struct { /* which relations are among the premises of a summand; < is none of these */
  bool eq;
  bool ne;
  bool le;
} kinds;

/* What a summand with coefficient c is known to be, for a goal of this relation: the table under
 * arith in RULES.md. */
static void admit_summand(step *s, ck_op goal, ck_id c, kinds k, sum_so_far *sum) {
  mpq_t q;
  if (k.eq)
    return; /* worth zero, whatever the coefficient */
  mpq_init(q);
  bool rational = ck_poly_const(ck_poly_of(s->T, c), q);
  int sign = mpq_sgn(q);
  mpq_clear(q);
  if (!rational)
    refuse(s, "coefficient must be rational");
  else if (goal == CK_EQ)
    refuse(s, "equation from what is no equation");
  else if (goal == CK_NE && (k.le || sign == 0))
    refuse(s, "summand not known to be nonzero");
  else if (goal != CK_NE && (k.ne || sign < 0))
    refuse(s, "summand not known to be nonnegative");
  sum->nonzero++;
  sum->strict = sum->strict || (sign > 0 && !k.le);
}

/* Reads a summand, a coefficient and premises, and takes the product of it with their values off
 * what is left. */
static void read_summand(step *s, ck_op goal, sum_so_far *sum) {
  kinds k = {false, false, false};
  ck_id c = read_term(s);
  const ck_poly *product = ck_poly_of(s->T, c);
  while (!s->refused && product && ck_next(s->A, 's')) {
    ck_id f = read_theorem(s);
    if (!ck_is_rel(s->T, f))
      refuse(s, "premise must be a relation");
    k.eq = k.eq || ck_is(s->T, f, CK_EQ);
    k.ne = k.ne || ck_is(s->T, f, CK_NE);
    k.le = k.le || ck_is(s->T, f, CK_LE);
    const ck_poly *longer = ck_poly_mul(s->T, product, ck_poly_val(s->T, f));
    ck_poly_done(product);
    product = longer;
  }
  const ck_poly *left = ck_poly_add(s->T, sum->left, product, true);
  ck_poly_done(product);
  ck_poly_done(sum->left);
  sum->left = left;
  s->refused = s->refused || !left; /* too large: the reason has been given */
  if (left)
    admit_summand(s, goal, c, k, sum);
}

/* arith F, summands.  F is a relation.  A summand is a term c with any number of premises, each
 * concluding a relation.  The value of F must equal, as a polynomial, the sum over the summands of
 * poly(c) times the product of the values of its premises. */
static ck_id rule_arith(step *s) {
  ck_id f = read_relation(s);
  if (s->refused)
    return CK_BAD;
  const ck_op goal = ck_head(s->T, f);
  sum_so_far sum = {.left = ck_poly_of(s->T, f)};
  for (bool first = true; !s->refused && sum.left && next_member(s, first); first = false)
    read_summand(s, goal, &sum);
  s->refused = s->refused || !sum.left;
  if (sum.left && ck_poly_len(sum.left) > 0)
    refuse(s, "not an identity");
  ck_poly_done(sum.left);
  if (goal == CK_LT && !sum.strict)
    return refuse(s, "nothing strict");
  if (goal == CK_NE && sum.nonzero != 1)
    return refuse(s, "exactly one nonzero summand needed");
  return f;
}

/* antisym P, Q.  From a <= b and b <= a: a = b. */
static ck_id rule_antisym(step *s) {
  ck_id f = read_theorem(s);
  if (!ck_is(s->T, f, CK_LE))
    return refuse(s, "a <= b expected");
  read_premise(s, LE(KID(f, 1), KID(f, 0)));
  return EQ(KID(f, 0), KID(f, 1));
}

/* int F, P.  P concludes a < b with a and b both integer; F is a <= whose value is that of a < b
 * less 1.  Conclusion F. */
static ck_id rule_int(step *s) {
  ck_id f = read_relation(s);
  ck_id p = read_theorem(s);
  if (!ck_is(s->T, f, CK_LE) || !ck_is(s->T, p, CK_LT))
    return refuse(s, "a closed <= expected, of a premise a < b");
  ck_id a = KID(p, 0);
  ck_id b = KID(p, 1);
  if (!ck_is_int(s->T, a) || !ck_is_int(s->T, b))
    return refuse(s, "not integers");
  return same_poly(s, LE(PLUS(a, ONE), b), f) ? f : refuse(s, "not the premise less one");
}

/* the terms of a law are of these sorts; I: an ite */
static bool fit(const step *s, ck_ids terms, const char *sorts) {
  bool well = terms.n == strlen(sorts);
  for (uint32_t i = 0; well && i < terms.n; i++) {
    well = sorts[i] == 'I' ? is_term(s, terms.x[i]) && ck_is(s->T, terms.x[i], CK_ITE)
                           : of_sort(s, terms.x[i], sorts[i]);
  }
  return well;
}

/* a builtin of one argument */
static ck_id call(const step *s, const char *name, ck_id a) {
  return ck_app(s->T, name, "r:r", &a, 1);
}

/* A row of the table of laws: name, sorts of the terms, premise, conclusion.  The formulas are made
 * when the terms are known to fit. */
#define NONE (void)0
#define NEEDS(premise) read_premise(s, premise)
#define LAW(law, sorts, premise, conclusion)                                                       \
  if (strcmp(name, law) == 0 && fit(s, terms, sorts)) {                                            \
    premise;                                                                                       \
    return conclusion;                                                                             \
  }
#define SIN(a) call(s, "func.sin", a)
#define COS(a) call(s, "func.cos", a)
#define ERF(a) call(s, "func.erf", a)
#define CONDITION KID(x, 0)
#define THEN KID(x, 1)
#define ELSE KID(x, 2)

/* law name, terms, premise.  One of the following; the premise must be as written, up to nothing.
 */
static ck_id rule_law(step *s) {
  uint32_t word = ck_one(s->A, '\'');
  ck_ids terms = read_part(s, 't');
  read_bar(s);
  if (s->A->bad || terms.n == 0)
    return refuse(s, "name and terms of a law expected");
  const char *name = ck_word_text(s->T, word);
  ck_id x = terms.x[0];
  ck_id y = terms.x[terms.n - 1];
  LAW("inv", "r", NEEDS(NE(x, ZERO)), EQ(TIMES(x, INV(x)), ONE))
  LAW("exp+", "rr", NONE, EQ(EXP(PLUS(x, y)), TIMES(EXP(x), EXP(y))))
  LAW("exp>", "r", NONE, LE(PLUS(ONE, x), EXP(x)))
  LAW("log", "r", NEEDS(LT(ZERO, x)), EQ(EXP(LOG(x)), x))
  LAW("sqrt2", "r", NEEDS(LE(ZERO, x)), EQ(TIMES(SQRT(x), SQRT(x)), x))
  LAW("sqrt>", "r", NEEDS(LE(ZERO, x)), LE(ZERO, SQRT(x)))
  LAW("sin2", "r", NONE, EQ(PLUS(TIMES(SIN(x), SIN(x)), TIMES(COS(x), COS(x))), ONE))
  LAW("sin+", "rr", NONE, EQ(SIN(PLUS(x, y)), PLUS(TIMES(SIN(x), COS(y)), TIMES(COS(x), SIN(y)))))
  LAW("cos+", "rr", NONE, EQ(PLUS(COS(PLUS(x, y)), TIMES(SIN(x), SIN(y))), TIMES(COS(x), COS(y))))
  LAW("erf", "rr", NEEDS(EQ(PLUS(x, y), ZERO)), EQ(PLUS(ERF(x), ERF(y)), ZERO))
  LAW("div", "ii", NEEDS(LT(ZERO, y)), EQ(x, PLUS(TIMES(y, DIV(x, y)), MOD(x, y))))
  LAW("mod>", "ii", NEEDS(LT(ZERO, y)), LE(ZERO, MOD(x, y)))
  LAW("mod<", "ii", NEEDS(LT(ZERO, y)), LT(MOD(x, y), y))
  LAW("ite1", "I", NEEDS(CONDITION), EQ(x, THEN))
  LAW("ite0", "I", NEEDS(NOT(CONDITION)), EQ(x, ELSE))
  return refuse(s, "unknown law, or terms that do not fit it");
}

/* zero T, P.  T is a fold with bound n, P concludes n <= 0.  Conclusion: T = its base p. */
static ck_id rule_zero(step *s) {
  ck_id t = read_fold(s);
  if (s->refused)
    return CK_BAD;
  read_premise(s, LE(KID(t, 0), ZERO));
  return EQ(t, KID(t, 1 + ck_index(s->T, t)));
}

/* succ T, K, P.  T is fold p w n ..; K is an integer term with poly(n) = poly(K) + 1; P concludes 0
 * <= K.  Conclusion: T = step p opened with K, fold 0 w K .., .., fold w-1 w K .. (same bases and
 * steps). */
static ck_id rule_succ(step *s) {
  ck_id t = read_fold(s);
  ck_id k = read_integer(s);
  ck_id kids[2 * CK_MAX_BINDERS + 1];
  ck_id values[CK_MAX_BINDERS + 1];
  if (s->refused || !same_poly(s, PLUS(k, ONE), KID(t, 0)))
    return refuse(s, "a closed fold, and its bound less 1 expected");
  read_premise(s, LE(ZERO, k));
  const uint32_t w = ck_width(s->T, t);
  const uint32_t p = ck_index(s->T, t);
  kids[0] = values[0] = k;
  for (uint32_t i = 1; i < 1 + 2 * w; i++)
    kids[i] = KID(t, i);
  CK_BELOW(q, w)
    values[1 + q] = ck_fold(s->T, q, w, kids); /* the same fold over k, every component */
  return EQ(t, ck_open(s->T, kids[1 + w + p], values, w + 1));
}

/* induct k, n, j, invariants F1..Fr, bases, steps, P.  k is a variable of sort i, n an integer term
 * in which k is not free; r >= 1; each Fi a relation; j counts from 0 and is below r; exactly r
 * bases and r steps; P concludes 0 <= n.  Base i concludes Fi with k := 0.  Step i concludes Fi
 * with k := k + 1 (the term k + 1 itself); from its hypotheses all of F1..Fr, 0 <= k and k < n are
 * removed, and k must be fresh for what is left. Conclusion: Fj with k := n. */
static ck_id rule_induct(step *s) {
  ck_id k = read_integer(s);
  ck_id n = read_integer(s);
  ck_id removed[CK_MAX_WIDTH + 2];
  uint32_t j = ck_count(s->A, s->T);
  ck_ids F = read_part(s, 't');
  ck_ids bases = read_part(s, 's');
  ck_ids steps = read_part(s, 's');
  uint32_t r = F.n;
  read_bar(s);
  if (s->refused || !is_variable(s, k, 'i') || ck_has_var(s->T, n, k))
    return refuse(s, "integer variable, and a closed integer term without it expected");
  if (j >= r || r > CK_MAX_WIDTH || bases.n != r || steps.n != r)
    return refuse(s, "number of invariants, bases or steps");
  read_premise(s, LE(ZERO, n));
  ck_id zero = ZERO;
  ck_id next = PLUS(k, ONE);
  memcpy(removed, F.x, r * sizeof *removed);
  removed[r] = LE(ZERO, k);
  removed[r + 1] = LT(k, n);
  CK_BELOW(i, r) {
    if (!ck_is_rel(s->T, F.x[i]) || !ck_is_closed(s->T, F.x[i]))
      return refuse(s, "closed relation expected");
    premise(s, bases.x[i], ck_sub(s->T, F.x[i], &k, &zero, 1, NULL, 0));
    discharge(s, steps.x[i], ck_sub(s->T, F.x[i], &k, &next, 1, NULL, 0), (ck_ids){r + 2, removed},
              (ck_ids){1, &k});
  }
  return ck_sub(s->T, F.x[j], &k, &n, 1, NULL, 0);
}

const char *const ck_rule_name[CK_N_RULES] = {"hyp",      "use",   "inst",    "cases", "cong",
                                              "foldcong", "arith", "antisym", "int",   "law",
                                              "zero",     "succ",  "induct"};

/* The only place where a theorem is made: the rule has refused nothing, all arguments have been
 * read, each of the kind that was asked for, and the conclusion is a closed formula. */
uint32_t ck_step(ck_proof *P, uint32_t rule, ck_args A) {
  static ck_id (*const rules[CK_N_RULES])(step *) = {
      rule_hyp,     rule_use, rule_inst, rule_cases, rule_cong, rule_foldcong, rule_arith,
      rule_antisym, rule_int, rule_law,  rule_zero,  rule_succ, rule_induct};
  ck_terms *T = P->T;
  step s = {P, T, &A, T->empty, false};
  ck_id f = rule < CK_N_RULES ? rules[rule](&s) : refuse(&s, "unknown rule");
  if (!ck_end(&A))
    refuse(&s, "arguments of this rule");
  else if (f != CK_BAD && !(ck_is_formula(T, f) && ck_is_closed(T, f)))
    refuse(&s, "conclusion must be a closed formula");
  else if (P->n == 1u << 30)
    refuse(&s, "too many steps");
  if (f == CK_BAD || s.refused || !ck_room(T))
    return CK_BAD;
  CK_GROW(P->theorems, P->capacity, P->n + 1);
  P->theorems[P->n] = (theorem){s.hyps, f};
  return P->n++;
}
