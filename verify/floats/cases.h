/* The program given at some sizes on the battery: inputs, real values, its own errors.  May
 * include: verify/refute, semantics, ir, base.  Private to the float test. */
#ifndef AS_FLOAT_CASES_H
#define AS_FLOAT_CASES_H
#include "floats.h"
#include "sizes.h"

/* an output on one draw */
typedef struct {
  size_t n;
  size_t row;      /* elements of a row (or several short ones): they follow each other */
  double *exact;   /* the nearest doubles; what is not finite is not compared */
  double *given;   /* as the program given computes it */
  double *apart;   /* the larger error of the two runs of the program given, of each element */
  double *allowed; /* by row: the error of the program given, at least what is told apart;
                      infinity where it has no digit right: such a row is not compared */
  double *finest;  /* by row: what is told apart: a unit in the last place at its largest element */
} as_float_output;

typedef struct {
  as_float_class of;
  as_tensor *inputs; /* over the floats, in the order of the program's */
  as_float_output *output;
} as_float_draw;

typedef struct {
  int64_t *env; /* the values of the program's sizes, in the order of own_size */
  as_float_draw *draw;
  uint32_t n_draws;
  uint32_t n_inputs;
  uint32_t n_outputs;
} as_float_case;

/* Evaluates the program at the sizes that env (by size id) has.  is_long: of an axis that is long
 * the class of long sums alone, otherwise all others.  NULL with err: it cannot be evaluated
 * there. */
as_float_case *as_float_case_new(const as_graph *program, const as_floats_options *options,
                                 const int64_t *env, bool is_long, as_err *err);
void as_float_case_free(as_float_case *made); /* NULL allowed */
#endif
