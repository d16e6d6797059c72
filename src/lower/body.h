/* Operator calls as expressions over the indices of their result.  Used by expand.c. */
#ifndef AS_LOWER_BODY_H
#define AS_LOWER_BODY_H
#include "job.h"

#define LO_MAX_VARS 64

typedef struct {
  lx *expr; /* reductions are LX_FOLD nodes; variables 0..rank-1 are the result's indices */
  int rank; /* axes of the result */
  int n_var;
  long extent[LO_MAX_VARS];   /* of all variables: the result's axes, then those of reductions */
  uint32_t live[LO_MAX_VARS]; /* rows of those that depend on sizes left to run time; 0: not */
  as_size size[AS_MAX_RANK];  /* extents of the result's axes */
} lo_body;

/* Integers that are data: an input of them, or what is computed from such by integer arithmetic.
 * That is written out where it is read, and never stored, since a float holds few of them. */
bool lo_holds_integers(const lo_value *value);
/* an element of a value */
lx *lo_read(lo_job *job, uint32_t val, int n, lx *const *idx);

/* what a reduction starts from: a term that changes nothing */
lx *lo_neutral(lo_job *job, lo_red red);
bool lo_is_neutral(const lx *expr, lo_red red);

/* what a constant is */
lx *lo_number(lo_job *job, const lo_value *constant);

/* node: an operator call; arg: the values of its arguments; dim, live: the result's extents.  false
 * with job->err. */
bool lo_body_read(lo_job *job, const as_node *node, const as_match *match, const uint32_t *arg,
                  const long *dim, const uint32_t *live, lo_body *body);
/* `expr`, over the first n variables of a body in a block, where these are within what is live or
 * left of their axes, else `beyond`: of what a block computes there, no index may leave shared
 * memory.  `expr` itself where that is never so.  NULL with job->err. */
lx *lo_body_guarded(lo_job *job, const lo_body *body, lx *expr, int n, lx *beyond);
#endif
