/* Element expressions in normal form: what one element of a tile is, as a sum of monomials over
 * elements of the loaded tiles.  Two expressions that have one id are equal as functions of the
 * inputs over the real numbers.  Includes base, gmp.  Used by the reader of block graphs (block.h),
 * the validator and the lowering to thread graphs.
 *
 * A monomial is a rational and atoms with integer exponents; products of exponentials are one
 * exponential.  Nothing is cancelled: x * (1 / x) stays, since it is not 1 at 0; a root is an atom.
 * Conditions are numbers, 0 or 1, and stand outside of functions: f of a choice is the choice of
 * f's values.
 * Sums and maxima over an axis bind it: the bound index is named by the nesting of folds inside, so
 * that equal terms have equal names. */
#ifndef AS_THREADS_TERM_H
#define AS_THREADS_TERM_H
#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

typedef uint32_t as_poly;
#define AS_POLY_NONE UINT32_MAX
#define AS_TERM_NONE UINT32_MAX /* no atom */
#define AS_INDEX_ZERO INT32_MAX /* of an axis of extent 1 */
#define AS_TERM_RANK 8

typedef enum {
  AS_ATOM_LOAD, /* element index[0..n) of the tile that node `node` loads in this iteration */
  AS_ATOM_SUM,  /* over index `bound` below `extent`, of p */
  AS_ATOM_MAX,
  AS_ATOM_ACC,   /* sum of p over the iterations, rescaled with the running maximum q (or NONE) */
  AS_ATOM_RUN,   /* maximum of p over the iterations up to this one; after the loop over all */
  AS_ATOM_OLD,   /* what value `node` of a thread graph was before this iteration */
  AS_ATOM_PLACE, /* a whole number: `node` (as_place) says of what; index[0] where it is a tile's */
  AS_ATOM_COND,  /* 1 where p, whole and affine in places, is not negative, else 0 */
  AS_ATOM_EXP,
  AS_ATOM_SQRT,
  AS_ATOM_LOG,
  AS_ATOM_ABS,
  AS_ATOM_ERF,
  AS_ATOM_ZERO, /* 1 where p = 0, else 0: p of elements and not of places; p and -p are one */
  AS_ATOM_MAX2, /* of p and q */
  AS_ATOM_MIN2,
  AS_ATOM_POLY /* p, to a negative power */
} as_atom_kind;

/* what a place counts: an index of a tile, the block along a grid axis, the iteration */
typedef enum { AS_PLACE_INDEX, AS_PLACE_X, AS_PLACE_Y, AS_PLACE_Z, AS_PLACE_LOOP } as_place;

typedef struct {
  as_atom_kind kind;
  uint32_t node;
  uint32_t n;
  int32_t index[AS_TERM_RANK]; /* free ones from 0 on; bound ones below 0 */
  int32_t bound;
  long extent;
  as_poly p;
  as_poly q;
} as_atom;

typedef struct {
  uint32_t atom;
  int power;
} as_factor;

typedef struct {
  uint32_t coef;
  uint32_t n;
  const as_factor *factor;
} as_mono;

/* How a value was written: the operation that first made it, and of what.  Normal forms are for
 * comparing alone: over the reals (x - m) * (x - m) is x * x - 2 * x * m + m * m, in floats it is
 * not, so what is printed is printed as it was written. */
typedef enum {
  AS_WRITTEN_NOT, /* a load, a fold, a number, or made by something else than a reader */
  AS_WRITTEN_ADD,
  AS_WRITTEN_SUB,
  AS_WRITTEN_MUL,
  AS_WRITTEN_DIV,
  AS_WRITTEN_NEG,
  AS_WRITTEN_EXP,
  AS_WRITTEN_SQRT,
  AS_WRITTEN_LOG,
  AS_WRITTEN_ABS,
  AS_WRITTEN_ERF,
  AS_WRITTEN_ZERO,
  AS_WRITTEN_MAX2,
  AS_WRITTEN_MIN2,
  AS_WRITTEN_CHOOSE /* by a condition, 1 or 0 */
} as_written_op;

typedef struct {
  as_written_op op;
  as_poly kid[3]; /* AS_POLY_NONE behind the last one */
} as_written;

typedef struct as_terms as_terms;
as_terms *as_terms_new(void);
void as_terms_free(as_terms *t);
/* an expression became too large; what was made since means nothing */
bool as_terms_over(const as_terms *t);

as_poly as_poly_num(as_terms *t, const mpq_t v);
as_poly as_poly_int(as_terms *t, long v);
as_poly as_poly_add(as_terms *t, as_poly a, as_poly b);
as_poly as_poly_neg(as_terms *t, as_poly a);
as_poly as_poly_mul(as_terms *t, as_poly a, as_poly b);
as_poly as_poly_inv(as_terms *t, as_poly a);
as_poly as_poly_exp(as_terms *t, as_poly a);
as_poly as_poly_fn(as_terms *t, as_atom_kind kind, as_poly p, as_poly q); /* SQRT .. MIN2 */
as_poly as_poly_load(as_terms *t, uint32_t node, const int32_t *index, uint32_t n);
as_poly as_poly_fold(as_terms *t, as_atom_kind kind, int32_t index, long extent, as_poly body);
as_poly as_poly_acc(as_terms *t, as_poly body, as_poly run);
as_poly as_poly_run(as_terms *t, as_poly body);
as_poly as_poly_old(as_terms *t, uint32_t value);
/* index: of AS_PLACE_INDEX; AS_INDEX_ZERO gives 0 */
as_poly as_poly_place(as_terms *t, as_place place, int32_t index);

/* condition.c */
/* 1 where p >= 0, else 0; AS_POLY_NONE: p is not affine in places under a few conditions, or has
 * other coefficients than whole ones */
as_poly as_poly_at_least(as_terms *t, as_poly p);
/* 1 where p = 0, else 0; AS_POLY_NONE as above */
as_poly as_poly_equals(as_terms *t, as_poly p);
/* x where the condition is 1, y where it is 0 */
as_poly as_poly_choice(as_terms *t, as_poly condition, as_poly x, as_poly y);
/* has p a value whatever its elements are? */
bool as_poly_total(const as_terms *t, as_poly p);
/* a condition that p has outside of folds; AS_TERM_NONE: there is none */
uint32_t as_poly_condition(const as_terms *t, as_poly p);
/* p where that condition, outside of folds, is 1 (true) or 0 */
as_poly as_poly_where(as_terms *t, as_poly p, uint32_t condition, bool is);

/* p where these conditions are known in one iteration, inside of folds too: is: 1, 0, or -1 for one
 * that is not known.  What stands for several iterations stays as it is. */
typedef struct {
  uint32_t n;
  const uint32_t *atom;
  const int *is;
} as_decided;

as_poly as_poly_decided(as_terms *t, as_poly p, const as_decided *known);
/* an index of places, wherever it is free, becomes the number `with`; p has no loads */
as_poly as_poly_moved(as_terms *t, as_poly p, int32_t index, as_poly with);

/* p / atom, if every monomial has the atom as a factor; AS_POLY_NONE else */
as_poly as_poly_without(as_terms *t, as_poly p, uint32_t atom);
/* index `from` renamed where it is free */
as_poly as_poly_rename(as_terms *t, as_poly p, int32_t from, int32_t to);
/* one atom alone */
as_poly as_poly_atom(as_terms *t, const as_atom *a);
as_poly as_poly_power(as_terms *t, uint32_t atom, int power);
bool as_poly_uses_kind(const as_terms *t, as_poly p, as_atom_kind kind);
bool as_poly_uses_index(const as_terms *t, as_poly p, int32_t index);

/* written.c */
/* sums and products of places, conditions and whole numbers: in whole numbers all orders are one */
bool as_poly_is_whole(const as_terms *t, as_poly p);
/* p was written so; of several ways the first is kept.  Numbers and single elements or folds are
 * never written any other way, and nothing is of itself: what is written has no circle. */
void as_poly_write(as_terms *t, as_poly p, as_written written);
/* r is p under a map of terms that keeps all operations: then it is written as p is */
typedef as_poly as_poly_map(as_terms *t, as_poly p, const void *arg);
void as_poly_carry(as_terms *t, as_poly p, as_poly r, as_poly_map *map, const void *arg);
/* r is p without the factor `atom` */
void as_poly_carry_without(as_terms *t, as_poly p, as_poly r, uint32_t atom);
/* term.c */
as_written as_poly_written(const as_terms *t, as_poly p);
void as_poly_set_written(as_terms *t, as_poly p, as_written written);

/* structure */
bool as_atom_has_index(const as_atom *a, int32_t index); /* as one of its own, not within a part */
bool as_poly_is_number(const as_terms *t, as_poly p);
uint32_t as_poly_monos(const as_terms *t, as_poly p);
const as_mono *as_poly_mono(const as_terms *t, as_poly p, uint32_t i);
uint32_t as_terms_atoms(const as_terms *t); /* how many there are */
const as_atom *as_term_atom(const as_terms *t, uint32_t atom);
void as_term_coef(const as_terms *t, uint32_t coef, mpq_t out);
#endif
