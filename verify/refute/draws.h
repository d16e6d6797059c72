/* What inputs of trials are drawn from beside numbers of no kind: data that takes the branches that
 * chance does not meet.  Rows that are all 0, all negative, all equal, 0 but for one element, or
 * change their sign; integers among the numbers that the texts compare them with; truth values.
 * May include: base, ir, semantics.  Called by the field test and the refuters. */
#ifndef AS_REFUTE_DRAWS_H
#define AS_REFUTE_DRAWS_H
#include "../../semantics/eval.h"
#include "constants.h"

/* of one input */
typedef struct {
  const as_constants *literals; /* the numbers of both texts; borrowed */
  bool integers;
  int64_t range; /* integers that places are read at: the values below it are in range; -1: no place
                    is read at them */
  bool exact;    /* any other value is out of range somewhere */
} as_draw;

/* of an input of a program at these sizes */
as_draw as_draw_of(const as_graph *program, as_node_id input, const int64_t *env,
                   const as_constants *literals);
/* An integer.  Of places mostly one in range, and with `beside`, where other values can have a
 * meaning (a label that is ignored), at times a number of the texts.  Of others often 0 or 1, as
 * truth values are, or a number of the texts or beside it; with `beside` also an end of a type. */
void as_draw_integer(const as_draw *draw, as_rng *rng, bool beside, mpq_t number);

enum { AS_DRAW_PATTERNS = 6, AS_DRAW_ZEROS = 1 };

/* all elements, in the pattern of that number (modulo AS_DRAW_PATTERNS); the first is all negative,
 * the second all zeros */
void as_draw_pattern(const as_draw *draw, as_rng *rng, uint64_t pattern, as_tensor *exact);
#endif
