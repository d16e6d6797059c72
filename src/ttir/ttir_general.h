/* Launches of which a concrete one may be an example: its numbers taken for sizes.
 *
 * Nothing here is trusted.  What comes out is a launch like any other, a hypothesis, which stands
 * in the text that is judged: which numbers are which sizes as extents of the grid and of tensors,
 * and what relations of sizes launches keep. */
#ifndef AS_TTIR_GENERAL_H
#define AS_TTIR_GENERAL_H
#include "src/ir/size.h"
#include "ttir.h"

typedef struct {
  const char *name;
  uint32_t rank;
  const as_size *dim;
} as_ttir_tensor;

/* what the given program says: its sizes, with an example of each, and its arguments and results */
typedef struct {
  as_sizes *sizes;
  uint32_t n_size;
  const as_size *size;
  uint32_t n_tensor;
  const as_ttir_tensor *tensor;
} as_ttir_known;

typedef struct as_ttir_general as_ttir_general;

/* Concrete launches of one kernel: the first is the one at hand, the others are examples that a
 * hypothesis has to fit too (those whose sizes are not seen from the shapes in them are left out).
 * NULL with err: the first does not fit what is given. */
as_ttir_general *as_ttir_general_new(const as_ttir_kernel *kernel, as_ttir_launch *const *launch,
                                     uint32_t n_launch, const as_ttir_known *known, as_err *err);
void as_ttir_general_free(as_ttir_general *general); /* NULL allowed */

/* A reading: which numbers are which sizes; the first is the most likely.  A scope: which sizes are
 * free, which are bounded, or multiples, by a block of the kernel, which are at most what they are
 * in the examples, and which keep their value; the first is the widest, the last is the example
 * alone. */
uint32_t as_ttir_general_readings(const as_ttir_general *general);
uint32_t as_ttir_general_scopes(const as_ttir_general *general);
/* of a size of the given program, by its number there, in the example */
int64_t as_ttir_general_value(const as_ttir_general *general, uint32_t size);
/* The launch, of the last scope with numbers alone; *says (malloc'ed): the same in words, one
 * line. */
as_ttir_launch *as_ttir_general_launch(const as_ttir_general *general, uint32_t reading,
                                       uint32_t scope, char **says);
#endif
