/* Kernels of Triton (TTIR) made cheaper: loads and reductions that are there already, loads of what
 * was just stored, divisions, what a loop repeats.  A kernel's text is rewritten operation by
 * operation; what no rule touches stays as it was written, so the result compiles where the kernel
 * did.  Nothing here is trusted: whoever offers the result proves it equal to the kernel.
 * May include: ttir, base.  Called by the command line. */
#ifndef AS_IMPROVE_IMPROVE_H
#define AS_IMPROVE_IMPROVE_H
#include "src/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* what an instance of a kernel does; loops of a constant number of rounds count each */
typedef struct {
  uint64_t loads;
  uint64_t reductions;
  uint64_t divisions; /* of floats */
  uint64_t divided;   /* elements that they compute */
  uint64_t operations;
} as_improve_count;

/* which rules are applied */
typedef struct {
  bool divide; /* chains of divisions, divisors that many elements share */
  bool unroll; /* loops whose bodies load what another iteration or loop loads */
} as_improve_how;

typedef struct {
  char *text; /* malloc'ed; NULL: nothing was found */
  as_improve_count before;
  as_improve_count after;
} as_improved;

/* false with err: the text is no kernel.  *improved: to be cleared in any case. */
bool as_improve(const char *file, const char *text, size_t len, const as_improve_how *how,
                as_improved *improved, as_err *err);
void as_improved_clear(as_improved *improved);
#endif
