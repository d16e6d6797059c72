/* The tables under abstract expressions.  Private to abstract_*.c.
 *
 * An expression is a sum of *addends*: a rational number times a *monomial*.  A monomial is a
 * product of *powers* of *atoms*: an input, a size, the formal scalar of a sum over an axis, a
 * function of expressions.  It also carries the set of indices on which its value depends, since a
 * sum over an axis is a multiplication by the axis' formal scalar where the monomial depends on the
 * index, and by the axis' size where it does not.  Example, for S = sum over k of X[i,k] * W[k,j],
 * divided by the size D of the axis k:
 *
 *     atoms       X (depends on i, k)   W (on k, j)   c (the sum over k)   D
 *     monomial    X * W * c * D^-1, which depends on i, j: the sum took k away
 *     expression  1/1 * that monomial
 *
 * Atoms, monomials and expressions are stored once each, children before parents, so that equality
 * is equality of ids.  A monomial's *reduced* form, without sizes and without dependence, is stored
 * once too: two monomials with one reduced form differ by a unit, and the questions that prune the
 * search (is this a part of that, up to numbers and sizes?) compare reduced forms first.
 *
 * Rows move when a table grows: a pointer to one lives until the next expression is made. */
#ifndef AS_SEARCH_ABSTRACT_STORE_H
#define AS_SEARCH_ABSTRACT_STORE_H
#include "abstract.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/base/vec.h"

typedef struct {
  uint32_t atom;
  int32_t exp; /* not 0 */
} ax_power;

typedef struct {
  ax_kind kind;
  uint32_t payload; /* tensor, size symbol, or 2 * class + (1 for its loop part) of a sum */
  uint64_t parts;   /* the indices that a maximum goes over, in the bits of dep */
  char *head;       /* AX_OPAQUE: name of the function */
  uint32_t n;
  ax_id *arg;
  uint64_t dep; /* bit 2c: depends on the tile index of class c, 2c+1: on its loop index */
} ax_atom;

typedef struct {
  uint64_t dep;
  uint32_t n;
  ax_power *factors; /* by atom */
  uint32_t reduced;
  bool has_denominator; /* it is known */
  ax_id denominator;    /* see ax_denominator */
} ax_monomial;

typedef struct {
  uint32_t n;
  ax_power *factors;
} ax_reduced;

typedef struct {
  uint32_t mono;
  int64_t num;
  int64_t den; /* positive, lowest terms */
} ax_addend;

typedef struct {
  uint32_t n;
  ax_addend *terms; /* by monomial */
  uint64_t dep;
  uint32_t n_reduced;
  uint32_t *reduced_ids; /* of its monomials, each once, in order */
} ax_expr;

struct ax_store {
  as_arena *mem;
  as_vec atoms;
  as_vec monos;
  as_vec reds;
  as_vec exprs;
  as_index atom_index;
  as_index mono_index;
  as_index reduced_index;
  as_index expr_index;
  as_map product; /* of two expressions */
  as_map part;    /* whether one is a part of another */
  uint64_t refused;
};

/* An expression beyond these is not made (AX_BAD), which is counted: see ax_refused. */
#define AX_MAX_FACTORS 24
#define AX_MAX_TERMS 48

#define AX_ATOM(store, i) (&AS_VEC_AT(&(store)->atoms, ax_atom, i))
#define AX_MONOMIAL(store, i) (&AS_VEC_AT(&(store)->monos, ax_monomial, i))
#define AX_REDUCED(store, i) (&AS_VEC_AT(&(store)->reds, ax_reduced, i))
#define AX_EXPR(store, i) (&AS_VEC_AT(&(store)->exprs, ax_expr, i))

/* counts an expression that a limit keeps from being made; gives AX_BAD */
ax_id ax_refuse(ax_store *store);
/* over / under in lowest terms; false: beyond 64 bits */
bool ax_lowest_terms(__int128 over, __int128 under, int64_t *num, int64_t *den);
uint32_t ax_intern_atom(ax_store *store, const ax_atom *wanted); /* copies */
/* factors sorted by atom, no exponent 0; copies */
uint32_t ax_intern_monomial(ax_store *store, uint64_t dep, const ax_power *factors, uint32_t n);
/* terms in any order, which is changed; those of one monomial are added */
ax_id ax_intern_expr(ax_store *store, ax_addend *terms, uint32_t n);
/* what stands under the line in a monomial, but for sizes; AX_BAD: nothing does */
ax_id ax_denominator(ax_store *store, uint32_t mono);
/* whether every factor of `part` is in `whole`, on the same side of the line; rest: what is left,
 * room for AX_MAX_FACTORS */
bool ax_divides(const ax_reduced *part, const ax_reduced *whole, ax_power *rest, uint32_t *n);
ax_id ax_rational(ax_store *store, int64_t num, int64_t den);
ax_id ax_power_of_atom(ax_store *store, ax_atom *of, int exp);
#endif
