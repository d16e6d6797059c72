/* Tile programs written for other systems, at their concrete sizes.  Nothing here is trusted or
 * proved: who calls this writes what is certified, and tests run what is written.
 * May include: tile, ir, base.  Called by the formats of src/import. */
#ifndef AS_WRITE_WRITE_H
#define AS_WRITE_WRITE_H
#include "src/tile/tile.h"

/* As TVMScript: a function of TensorIR, a block with spatial and reduction axes for each
 * definition; the program's own loops, and the lanes in their order, are the schedule.  Malloc'ed;
 * NULL with err: the line, and what cannot be said. */
char *as_write_tensorir(const as_tile_program *tile, as_err *err);

/* As Python with Triton: a kernel for each statement outside of loops, and a function of the
 * inputs, PyTorch's tensors, that launches them and gives the results.  The same. */
char *as_write_triton(const as_tile_program *tile, as_err *err);
#endif
