/* Abstract expressions (Mirage, section 4.3): what a tensor computes with its indices dropped, in
 * an exact normal form. A reduction over an axis is a product with a formal scalar; so a term is a
 * polynomial over atoms and every question about it is answered by comparing ids.  May include:
 * base, ir.  Called by the enumerator; one store per thread, nothing shared. */
#ifndef AS_SEARCH_ABSTRACT_H
#define AS_SEARCH_ABSTRACT_H
#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#define AX_BAD UINT32_MAX
#define AX_ZERO 0u /* ids of 0 and 1 in every store */
#define AX_ONE 1u
#define AX_MAX_CLASS 31u /* axis classes of one store: two bits each of 64 */
typedef uint32_t ax_id;  /* an expression */

typedef enum {
  AX_TENSOR,
  AX_SIZE,
  AX_SUM,
  AX_INV,
  AX_EXP,
  AX_LOG,
  AX_SQRT,
  AX_MAXR,
  AX_MINR,
  AX_OPAQUE
} ax_kind;

/* An axis class in a sum: its whole extent is the product of a loop part and a tile part; both are
 * present when the class is not split. */
enum { AX_TILE = 1, AX_LOOP = 2, AX_BOTH = 3 };
typedef struct ax_store ax_store;

ax_store *ax_new(void);
void ax_free(ax_store *store);
/* a number; of one that is too long to count with nothing more is known than which one it is */
ax_id ax_const(ax_store *store, const mpq_t v);
/* whether the expression is such a long number, and then which (`value` is initialised) */
bool ax_long_number(const ax_store *store, ax_id a, mpq_t value);
ax_id ax_int(ax_store *store, long v);
ax_id ax_tensor(
    ax_store *store, uint32_t tensor,
    uint64_t dep); /* dep: bit 2c: depends on the tile index of class c, 2c+1: on its loop index */
ax_id ax_size(ax_store *store, uint32_t sym);
ax_id ax_add(ax_store *store, ax_id a, ax_id b);
ax_id ax_neg(ax_store *store, ax_id a);
ax_id ax_mul(ax_store *store, ax_id a, ax_id b);
ax_id ax_inv(ax_store *store, ax_id a); /* AX_BAD for 0 */
ax_id ax_exp(ax_store *store, ax_id a);
ax_id ax_log(ax_store *store, ax_id a);
ax_id ax_sqrt(ax_store *store, ax_id a);
/* dep: indices on which the value depends beside those of its arguments */
ax_id ax_opaque(ax_store *store, const char *head, const ax_id *arg, uint32_t n, uint64_t dep);
/* sum over parts of class c; a monomial that does not depend on a part is multiplied by that part's
 * size (tile, loop: expressions) */
ax_id ax_sum(ax_store *store, ax_id a, uint32_t c, int parts, ax_id tile, ax_id loop);
ax_id ax_extremum(ax_store *store, bool max, ax_id a, uint32_t c, int parts);
uint64_t ax_dep(const ax_store *store, ax_id a);
/* s is a subexpression of t: s * m is a part of t for some m, or of an argument inside t; numbers
 * and sizes are units */
bool ax_sub(ax_store *store, ax_id s, ax_id t);
bool ax_sub_top(ax_store *store, ax_id s, ax_id t); /* the same without the arguments inside t */
/* s (one monomial or more) has, up to one factor of numbers and sizes, the same terms as some terms
 * of t: gives that factor; false if none. With factor 1 gives AX_ONE. */
bool ax_ratio(ax_store *store, ax_id s, ax_id t, ax_id *factor);
/* some term of a has no number and no size in front, or those of a term of a target that it
 * divides; and a is more than sums and sizes, and not a single negative term */
bool ax_natural(ax_store *store, ax_id a, const ax_id *target, uint32_t n);
/* positive factors f (numbers times sizes, not 1) with which a * f has the units of a part of a
 * target; returns how many */
uint32_t ax_factors(ax_store *store, ax_id a, const ax_id *target, uint32_t n, ax_id *out,
                    uint32_t max);
bool ax_is_negative(const ax_store *store, ax_id a); /* one term with a negative number in front */
/* the expression reads `part` anywhere (one atom) */
bool ax_contains(ax_store *store, ax_id a, ax_id part);
/* every term of a is exp(p - m) * rest, m in neither p nor rest: what a rescaled sum may accumulate
 */
bool ax_rescalable(ax_store *store, ax_id a, ax_id m);
/* arguments of atoms inside a (nested ones too), deepest last; returns how many were written */
uint32_t ax_arguments(ax_store *store, ax_id a, ax_id *out, uint32_t max);
bool ax_is_unit(const ax_store *store, ax_id a); /* a number times sizes */
/* the factor as a number times powers of sizes: num/den and exponents; for units */
bool ax_unit(const ax_store *store, ax_id a, int64_t *num, int64_t *den, uint32_t *sym, int *exp,
             uint32_t max, uint32_t *n);
char *ax_print(const ax_store *store, ax_id a); /* malloc'ed */
uint32_t ax_count(const ax_store *store);
/* 0, or a number times sizes, in another store */
ax_id ax_copy_unit(ax_store *to, const ax_store *from, ax_id unit);
/* expressions that were not made because they have too many terms or factors, or numbers beyond 64
 * bits */
uint64_t ax_refused(const ax_store *store);

/* --- what two operands can make, asked before it is made (abstract_pair.c) */
typedef struct ax_places ax_places;
/* of the targets and their denominators; borrows the store */
ax_places *ax_places_new(ax_store *store, const ax_id *target, uint32_t n);
void ax_places_free(ax_places *places);
/* false: sign[0] * left + sign[1] * right + sign[2] * left * right is no part of a target, as
 * ax_sub_top has it; signs are 1 or -1, sign[2] may be 0 */
bool ax_sum_may_fit(ax_places *places, ax_id left, ax_id right, const int8_t sign[3]);
/* false: left * right is none; summed: nor is it summed over an axis */
bool ax_product_may_fit(ax_places *places, ax_id left, ax_id right, bool summed);
bool ax_quotient_may_fit(ax_places *places, ax_id left, ax_id right, bool summed);

/* structure, for the translation to Z3 */
uint32_t ax_n_terms(const ax_store *store, ax_id a);

typedef struct {
  uint32_t atom;
  ax_kind kind;
  uint32_t payload;
  uint64_t parts;
  const char *head;
  uint32_t n;
  const ax_id *arg;
  int exp;
} ax_factor;

uint32_t ax_term(const ax_store *store, ax_id a, uint32_t i, int64_t *num, int64_t *den,
                 ax_factor *out, uint32_t max);
#endif
