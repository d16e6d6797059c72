/* Inside of the term table, shared by ck_term.c, ck_subst.c, ck_poly.c, ck_show.c, ck_rules.c and ck_cert.c only. */
#pragma once
#include "ck_term.h"

/* Bounds that keep every recursion and every count small; what exceeds one is rejected. */
enum { CK_TERM_DEPTH = 3000, CK_MAX_BINDERS = 64, CK_MAX_WIDTH = 1000, CK_MAX_NODES = 1 << 25, CK_MAX_KIDS = 1 << 28 };

void *ck_alloc(void *old, size_t n);
#define CK_GROW(ptr, cap, need) /* room for `need` elements */ \
  do { \
    if ((need) > (cap)) (cap) = (need) > 2 * (cap) ? (need) + 64 : 2 * (cap), (ptr) = ck_alloc((ptr), (cap) * sizeof *(ptr)); \
  } while (0)

/* A hash table of the numbers 0..n-1, which its user gives a meaning: open addressing. */
typedef struct { uint32_t *slot, slots, *hash, n; } ck_table;
uint32_t ck_table_add(ck_table *t, uint32_t hash);                    /* enters the number t->n */
uint32_t ck_table_next(const ck_table *t, uint32_t hash, uint32_t *at); /* next number with this hash, or CK_BAD; *at begins as the hash */
void ck_table_free(ck_table *t);

typedef struct {
  uint8_t op; bool isint;
  char sort;         /* CK_V, CK_B */
  uint32_t a, b;     /* name sig | index | p w | m */
  uint32_t kid0, nkids, depth;
  uint32_t fv;       /* set: 2*variable, 2*(word of a function)+1 */
  uint32_t loose;    /* set: 2*index + (sort is i) */
  const ck_poly *poly;
  mpq_t q;           /* CK_Q only */
} ck_node;

typedef struct { size_t n; void *x; } ck_bytes;
typedef struct { uint32_t n; const uint32_t *x; } ck_setrec;

struct ck_terms {
  ck_table nodes, bytes_by;
  ck_node *node; uint32_t n, cap;
  ck_id *kids; uint32_t n_kids, cap_kids;
  ck_bytes *bytes; uint32_t cap_bytes, empty; /* words and sets; the empty set */
  ck_poly *polys; uint64_t monos;             /* all, for freeing; monomials in them */
  const char *why;
};

ck_id ck_bad(ck_terms *T, const char *why);                     /* ck_fail() that returns CK_BAD */
uint32_t ck_set(ck_terms *T, const uint32_t *sorted, uint32_t n); /* the interned set of these numbers */
ck_setrec ck_members(const ck_terms *T, uint32_t s);            /* sorted; stays where it is */
uint32_t ck_set_union(ck_terms *T, uint32_t a, uint32_t b);
bool ck_set_has(const ck_terms *T, uint32_t s, uint32_t v);
uint32_t ck_function(ck_terms *T, uint32_t name, uint32_t sig); /* its member in a set of free variables and functions */
/* polynomials made since the mark are freed; none of them may be a cached one */
ck_poly *ck_poly_mark(ck_terms *T);
void ck_poly_release(ck_terms *T, ck_poly *mark);
