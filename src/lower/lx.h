/* Expressions of lowering: integers (indices) and scalars in one kind of node, immutable and
 * shared, in the arena of the job.  May include: lower's headers.  Used by all of src/lower. */
#ifndef AS_LOWER_LX_H
#define AS_LOWER_LX_H
#include <stdbool.h>
#include <stdint.h>

typedef enum {
  LX_INT,
  LX_VAR,
  LX_NUM,
  LX_REF,
  LX_WHOLE, /* like REF, of a tensor of integers in global memory: an integer */
  LX_ADD,
  LX_SUB,
  LX_MUL,
  LX_FDIV,
  LX_IDIV,
  LX_MOD,
  LX_NEG,
  LX_EXP,
  LX_LOG,
  LX_SQRT,
  LX_INV,
  LX_ABS,
  LX_MAX,
  LX_MIN,
  LX_CALL,
  LX_IF,
  LX_EQ,
  LX_NE,
  LX_LE,
  LX_LT,
  LX_AND,
  LX_OR,
  LX_NOT,
  LX_CUT,   /* an integer: the extent that is left of a tile, of the block and iteration at hand */
  LX_FIRST, /* an integer: the first index of a tile, of the block and iteration at hand */
  LX_FOLD   /* only while expanding: kid[0] body; var, number the extent, red */
} lx_op;

typedef enum { LO_SUM, LO_PROD, LO_MAX, LO_MIN } lo_red;

typedef struct lx {
  lx_op op;
  bool integer;
  long number; /* INT value, VAR number, FOLD extent, CUT and FIRST row; NUM: the numerator */
  long low;
  long high;        /* CUT, FIRST: what it is at least and at most */
  long denominator; /* NUM: positive; 0 where the number is not known as a ratio */
  int var;
  lo_red red;           /* FOLD */
  double real;          /* NUM */
  uint32_t val;         /* REF: id of the value read */
  const char *function; /* CALL: built-in scalar function */
  int n;
  struct lx **kid;
} lx;

struct lo_job;
lx *lx_new(struct lo_job *job, lx_op op, int n);
lx *lx_int(struct lo_job *job, long number);
lx *lx_var(struct lo_job *job, int number);
lx *lx_num(struct lo_job *job, double real);
lx *lx_ratio(struct lo_job *job, long numerator, long denominator); /* denominator > 0 */
/* folds constants within 64 bits and drops units; assumes no ranges.  A relation between sums of
 * indices and ratios becomes one between integers, so that no rounding decides it. */
lx *lx_mk(struct lo_job *job, lx_op op, int n, lx *const *kid);
lx *lx_ref(struct lo_job *job, uint32_t val, int n, lx *const *idx);
lx *lx_whole(struct lo_job *job, uint32_t val, int n, lx *const *idx);
bool lx_has_whole(const lx *expr); /* at any place, indices included */
/* the same number, computed as one: integers that are data are no places any more */
lx *lx_as_number(struct lo_job *job, lx *expr);
/* the node with other children, everything else as it is */
lx *lx_rebuilt(struct lo_job *job, const lx *expr, lx **kid);
/* variables 0..n-1 replaced; others, and those with NULL, kept */
lx *lx_subst(struct lo_job *job, lx *expr, lx *const *replacement, int n);
/* index arithmetic simplified under 0 <= var i < ext[i] */
lx *lx_simplify(struct lo_job *job, lx *expr, const long *ext, int n);
bool lx_equal(const lx *left, const lx *right);
bool lx_uses_var(const lx *expr, int var);
/* some LX_FIRST in it changes with the iteration */
bool lx_moves(const struct lo_job *job, const lx *expr);
long lx_size(const lx *expr);   /* nodes, as a tree, capped */
bool lx_costly(const lx *expr); /* contains a transcendental, root or division by a scalar */
void lx_refs(const lx *expr, void (*visit)(void *arg, const lx *ref), void *arg);
/* REF nodes replaced bottom-up (indices contain no REFs) */
lx *lx_map_refs(struct lo_job *job, lx *expr, lx *(*change)(struct lo_job *job, void *arg, lx *ref),
                void *arg);
#endif
