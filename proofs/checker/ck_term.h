/* Hash-consed terms of the proof calculus (proofs/RULES.md sections 1 and 2): building,
 * substitution, polynomials. Includes libc and GMP only.  Called by ck_rules, ck_cert, the claim's
 * reader; and by the untrusted prover, which builds on this kernel so that it can never prove
 * anything but what the checker states.
 *
 * A term is a 32-bit number in one table; equal nodes have equal numbers.  Every function that can
 * fail returns CK_BAD, false or NULL and leaves the reason in ck_error(); nothing aborts but
 * running out of memory. */
#pragma once
#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint32_t ck_id;
#define CK_BAD UINT32_MAX

typedef enum {
  CK_Q,
  CK_V,
  CK_B,
  CK_ADD,
  CK_MUL,
  CK_DIV,
  CK_MOD,
  CK_INV,
  CK_EXP,
  CK_SQRT,
  CK_LOG,
  CK_ITE,
  CK_APP,
  CK_FOLD, /* terms */
  CK_EQ,
  CK_NE,
  CK_LE,
  CK_LT,
  CK_ALL /* formulas */
} ck_op;

/* Bounds that keep every recursion and every count small; what exceeds one is rejected.
 * CK_MAX_BYTES: of all nodes, words and lists. */
enum {
  CK_TERM_DEPTH = 3000,
  CK_MAX_BINDERS = 64,
  CK_MAX_WIDTH = 1000,
  CK_MAX_NODES = 1 << 25,
  CK_MAX_BYTES = 2000000000
};

#define CK_BELOW(i, n) for (uint32_t i = 0; i < (n); i++) /* for i = 0, 1, .. n - 1 */

void *ck_alloc(void *old, size_t n); /* realloc that does not fail */
#define CK_GROW(ptr, cap, need)      /* room for `need` elements */                                \
  do {                                                                                             \
    if ((need) > (cap))                                                                            \
      (cap) = (need) > 2 * (cap) ? (need) + 64 : 2 * (cap),                                        \
      (ptr) = ck_alloc((ptr), (cap) * sizeof *(ptr));                                              \
  } while (0)

/* --- a pool gives strings of bytes the numbers 0, 1, ..: equal strings, equal numbers.  A string
 * stays where it is until the pool is freed. */
typedef struct {
  void *x;
  uint32_t n;
  uint32_t hash;
} ck_string;

typedef struct {
  ck_string *at;
  uint32_t n;
  uint32_t cap;
  uint32_t *slot;
  uint32_t slots;
  size_t bytes;
} ck_pool;

uint32_t ck_pool_find(const ck_pool *p, const void *x, uint32_t n); /* CK_BAD: not in the pool */
uint32_t ck_pool_add(ck_pool *p, const void *x, uint32_t n);        /* its number, old or new */
void ck_pool_free(ck_pool *p);

/* --- the table.  A node is identified by its head, two parts and its kids; the rest follows from
 * these. */
typedef struct ck_poly ck_poly;

typedef struct {
  ck_op op;
  uint32_t a;
  uint32_t b; /* parts: word of the number | name, sort | index, sort | name, signature | p, w | m;
                 else 0 */
  uint32_t n;
  const ck_id *kid;
  uint32_t depth;
  bool isint;
  uint32_t fv;
  uint32_t loose; /* lists: of free variables; of 2*index + (sort is i) for loose bound variables */
  mpq_t *q;       /* CK_Q: the value */
  ck_poly *poly;  /* when asked for before */
} ck_node;

typedef struct {
  ck_pool nodes;
  ck_pool strings; /* the nodes' heads, parts and kids; words, and lists of numbers */
  ck_node *node;
  uint32_t cap;
  uint32_t *key;
  uint32_t cap_key;
  uint32_t *list;
  uint32_t cap_list;
  uint32_t empty;  /* scratch; the empty list */
  uint64_t weight; /* of all polynomials: monomials and limbs of their coefficients */
  const char *why;
} ck_terms;

ck_terms *ck_terms_new(void);
void ck_terms_free(ck_terms *T);

static inline const char *ck_error(const ck_terms *T) {
  return T->why;
} /* the reason of the last CK_BAD or false */

static inline bool ck_fail(ck_terms *T, const char *why) {
  T->why = why;
  return false;
}

static inline ck_id ck_bad(ck_terms *T, const char *why) {
  T->why = why;
  return CK_BAD;
}

static inline bool ck_room(ck_terms *T) {
  return T->nodes.bytes + T->strings.bytes <= CK_MAX_BYTES || ck_fail(T, "too many bytes of terms");
}

/* words: variable names, function names, signatures, numbers */
static inline uint32_t ck_word(ck_terms *T, const char *s) {
  return ck_pool_add(&T->strings, s, (uint32_t)strlen(s) + 1);
}

static inline const char *ck_word_text(const ck_terms *T, uint32_t w) {
  return T->strings.at[w].x;
}

/* sorted lists of numbers: free variables of a node, its loose bound variables, hypotheses; atoms
 * of a monomial */
typedef struct {
  uint32_t n;
  const uint32_t *x;
} ck_ids;

static inline ck_ids ck_members(const ck_terms *T, uint32_t s) {
  return (ck_ids){T->strings.at[s].n / (uint32_t)sizeof(uint32_t), T->strings.at[s].x};
}

static inline uint32_t ck_set(ck_terms *T, const uint32_t *x, uint32_t n) {
  return ck_pool_add(&T->strings, x, n * (uint32_t)sizeof *x);
} /* x sorted */

uint32_t ck_set_of(ck_terms *T, uint32_t *x, uint32_t n); /* sorts x, in place */

uint32_t
ck_merge(ck_terms *T, uint32_t a, uint32_t b,
         bool repeat); /* a number in both is kept once, or as often as it is in both together */

static inline uint32_t ck_union(ck_terms *T, uint32_t a, uint32_t b) {
  return ck_merge(T, a, b, false);
}

bool ck_has(const ck_terms *T, uint32_t set, uint32_t member);

/* --- makers: number of the node, or CK_BAD when the node would not be well formed (table of
 * section 1) */
ck_id ck_make(ck_terms *T, ck_op op, uint32_t a, uint32_t b, const ck_id *kids, uint32_t n);
ck_id ck_q(ck_terms *T, const mpq_t x); /* borrows x */
ck_id ck_int(ck_terms *T, long n);

static inline ck_id ck_var(ck_terms *T, const char *name, char sort) {
  return ck_make(T, CK_V, ck_word(T, name), (uint8_t)sort, NULL, 0);
}

static inline ck_id ck_bound(ck_terms *T, uint32_t index, char sort) {
  return ck_make(T, CK_B, index, (uint8_t)sort, NULL, 0);
}

static inline ck_id ck_mk1(ck_terms *T, ck_op op, ck_id a) {
  return ck_make(T, op, 0, 0, &a, 1);
}

static inline ck_id ck_mk2(ck_terms *T, ck_op op, ck_id a, ck_id b) {
  return ck_make(T, op, 0, 0, (ck_id[]){a, b}, 2);
}

static inline ck_id ck_ite(ck_terms *T, ck_id rel, ck_id a, ck_id b) {
  return ck_make(T, CK_ITE, 0, 0, (ck_id[]){rel, a, b}, 3);
}

static inline ck_id ck_app(ck_terms *T, const char *f, const char *sig, const ck_id *args,
                           uint32_t n) {
  return ck_make(T, CK_APP, ck_word(T, f), ck_word(T, sig), args, n);
}

/* kids of a fold: bound, w bases, w steps, each of these under w+1 binders; of a clause:
 * conditions, conclusion */
static inline ck_id ck_fold(ck_terms *T, uint32_t p, uint32_t w, const ck_id *kids) {
  return ck_make(T, CK_FOLD, p, w, kids, 1 + 2 * w);
}

static inline ck_id ck_all(ck_terms *T, uint32_t m, const ck_id *kids, uint32_t n) {
  return ck_make(T, CK_ALL, m, 0, kids, n);
}

/* --- reading a node */
static inline size_t ck_size(const ck_terms *T) {
  return T->nodes.n;
} /* nodes in the table */

static inline ck_op ck_head(const ck_terms *T, ck_id t) {
  return T->node[t].op;
}

static inline uint32_t ck_nkids(const ck_terms *T, ck_id t) {
  return T->node[t].n;
}

static inline ck_id ck_kid(const ck_terms *T, ck_id t, uint32_t i) {
  return T->node[t].kid[i];
}

static inline const mpq_t *ck_q_value(const ck_terms *T, ck_id t) {
  return (const mpq_t *)T->node[t].q;
} /* CK_Q, borrowed */

static inline uint32_t ck_name(const ck_terms *T, ck_id t) {
  return T->node[t].a;
} /* CK_V, CK_APP: word */

static inline uint32_t ck_sig(const ck_terms *T, ck_id t) {
  return T->node[t].b;
} /* CK_APP: word */

static inline char ck_sort(const ck_terms *T, ck_id t) {
  return (char)T->node[t].b;
} /* CK_V, CK_B */

static inline uint32_t ck_index(const ck_terms *T, ck_id t) {
  return T->node[t].a;
} /* CK_B index; CK_FOLD p; CK_ALL m */

static inline uint32_t ck_width(const ck_terms *T, ck_id t) {
  return T->node[t].b;
} /* CK_FOLD w */

static inline bool ck_is(const ck_terms *T, ck_id t, ck_op op) {
  return t < T->nodes.n && T->node[t].op == op;
}

static inline bool ck_is_formula(const ck_terms *T, ck_id t) {
  return t < T->nodes.n && T->node[t].op >= CK_EQ;
}

static inline bool ck_is_rel(const ck_terms *T, ck_id t) {
  return ck_is_formula(T, t) && T->node[t].op <= CK_LT;
}

static inline bool ck_is_int(const ck_terms *T, ck_id t) {
  return t < T->nodes.n && T->node[t].isint;
}

static inline bool ck_is_closed(const ck_terms *T, ck_id t) {
  return t < T->nodes.n && T->node[t].loose == T->empty;
} /* no loose bound variable */

static inline bool ck_has_var(const ck_terms *T, ck_id t, ck_id var) {
  return t < T->nodes.n && ck_has(T, T->node[t].fv, var);
}

/* 1 + greatest loose index, 0 if closed */
static inline uint32_t ck_loose_max(const ck_terms *T, ck_id t) {
  const ck_ids l = ck_members(T, T->node[t].loose);
  return l.n ? l.x[l.n - 1] / 2 + 1 : 0;
}

/* binders that kid i stands under: 0 but for fold steps and clause kids */
static inline uint32_t ck_binders(const ck_node *x, uint32_t i) {
  return x->op == CK_ALL ? x->a : x->op == CK_FOLD && i > x->b ? x->b + 1 : 0;
}

static inline uint32_t ck_kid_binders(const ck_terms *T, ck_id t, uint32_t i) {
  return ck_binders(&T->node[t], i);
}

/* --- operations of section 2 */
ck_id ck_open(ck_terms *T, ck_id t, const ck_id *vals,
              uint32_t n); /* vals[0] replaces index 0 (innermost) */
ck_id ck_close(
    ck_terms *T, ck_id t, const ck_id *vars,
    uint32_t n); /* variable vars[i] becomes bound index i: only builds terms, no rule uses it */

typedef struct {
  uint32_t name;
  uint32_t sig;
  const ck_id *params;
  uint32_t n;
  ck_id body;
} ck_fsub;

ck_id ck_sub(ck_terms *T, ck_id t, const ck_id *vars, const ck_id *vals, uint32_t n,
             const ck_fsub *fs, uint32_t nf);
ck_id ck_neg(ck_terms *T, ck_id rel);

/* the node of t with other kids */
static inline ck_id ck_rebuild(ck_terms *T, ck_id t, const ck_id *kids) {
  const ck_node x = T->node[t];
  return ck_make(T, x.op, x.a, x.b, kids, x.n);
}

/* --- polynomials over atoms.  A monomial is the list of its atoms, sorted, with repetition */
typedef struct {
  uint32_t mono;
  mpq_t coef;
} ck_entry;

struct ck_poly {
  ck_terms *T;
  bool kept;
  uint32_t n;
  ck_entry *e;
}; /* entries by number of the monomial, none zero; kept: by a term */

const ck_poly *ck_poly_of(
    ck_terms *T,
    ck_id t); /* of a relation: b - a.  Kept by the term.  NULL: beyond a bound, or no such term */

static inline const ck_poly *ck_poly_val(ck_terms *T, ck_id rel) {
  return ck_is_rel(T, rel) ? ck_poly_of(T, rel) : NULL;
}

const ck_poly *ck_poly_add(ck_terms *T, const ck_poly *a, const ck_poly *b,
                           bool minus); /* a + b or a - b, the caller's; NULL if one is */
const ck_poly *ck_poly_mul(ck_terms *T, const ck_poly *a, const ck_poly *b);
void ck_poly_done(const ck_poly *p); /* frees it, unless a term keeps it */
bool ck_poly_eq(const ck_poly *a, const ck_poly *b);

static inline uint32_t ck_poly_len(const ck_poly *p) {
  return p->n;
}

static inline const mpq_t *ck_poly_coef(const ck_poly *p, uint32_t i) {
  return (const mpq_t *)&p->e[i].coef;
}

typedef struct {
  uint32_t deg;
  const ck_id *atoms;
} ck_mono;

static inline ck_mono ck_poly_mono(const ck_poly *p, uint32_t i) {
  const ck_ids l = ck_members(p->T, p->e[i].mono);
  return (ck_mono){l.n, l.x};
}

bool ck_poly_const(const ck_poly *p, mpq_t out); /* true if constant; out gets it */

/* text (CLAIM.md section 9): malloc'ed, for messages, cut off with `...` when it is long; and
 * printed whole, false: it would be endless */
char *ck_show(const ck_terms *T, ck_id t);
bool ck_print(FILE *out, const ck_terms *T, const char *before, ck_id t, const char *after);
