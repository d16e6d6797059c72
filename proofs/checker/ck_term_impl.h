/* Inside of the term table, shared by ck_term.c, ck_subst.c, ck_poly.c, ck_show.c, ck_rules.c and ck_cert.c only. */
#ifndef CK_TERM_IMPL_H
#define CK_TERM_IMPL_H
#include "ck_term.h"

/* Bounds that keep every recursion and every count small; what exceeds one is rejected. */
enum { CK_TERM_DEPTH = 3000, CK_MAX_BINDERS = 64, CK_MAX_WIDTH = 1000, CK_MAX_NODES = 1 << 25, CK_MAX_KIDS = 1 << 28 };

typedef struct { uint32_t *slot, slots, *hash, n; } ck_table; /* numbers 0..n-1, found by hash: open addressing */

typedef struct {
  uint8_t op;
  char sort;         /* CK_V, CK_B */
  bool isint;
  uint32_t a, b;     /* name sig | index | p w | m */
  uint32_t kid0, nkids, depth;
  uint32_t fv;       /* set: 2*variable, 2*(word of a function)+1 */
  uint32_t loose;    /* set: 2*index + (sort is i) */
  const ck_poly *poly;
  mpq_t q;           /* CK_Q only */
} ck_node;

typedef struct { uint32_t n, *x; } ck_setrec;

struct ck_terms {
  ck_table nodes, words_by, sets_by;
  ck_node *node; uint32_t n, cap;
  ck_id *kids; uint32_t n_kids, cap_kids;
  char **words; uint32_t cap_words;
  ck_setrec *sets; uint32_t cap_sets, empty; /* interned sorted sets of numbers; the empty one */
  ck_poly *polys; uint64_t monos;            /* all, for freeing; monomials in them */
  const char *why;
};

void *ck_alloc(void *old, size_t n);
uint32_t ck_set(ck_terms *T, const uint32_t *sorted, uint32_t n);
uint32_t ck_set_union(ck_terms *T, uint32_t a, uint32_t b);
bool ck_set_has(const ck_terms *T, uint32_t s, uint32_t v);
uint32_t ck_function(ck_terms *T, uint32_t name, uint32_t sig); /* its member in a set of free variables and functions */
/* polynomials made since the mark are freed; none of them may be a cached one */
ck_poly *ck_poly_mark(ck_terms *T);
void ck_poly_release(ck_terms *T, ck_poly *mark);
#endif
