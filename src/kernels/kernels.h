/* Tile programs of any form as CUDA, the general way (docs/tile.md section 7): an outermost
 * parallel loop is a kernel whose blocks are its iterations, what stands outside of such loops is a
 * kernel of one block; a tile lies in shared memory, and its elements are computed by a block's
 * threads, statement by statement.  What is lowered is the candidate, which is certified; the
 * reference is the given program.
 * May include: lower, write, tile, semantics, ir, target, base.  Used by the command line and by
 * src/check. */
#ifndef AS_KERNELS_H
#define AS_KERNELS_H
#include "src/lower/lower.h"
#include "src/tile/tile.h"

/* A given program and a candidate, each as it was read; borrowed.  The fields of as_job. */
typedef struct {
  const as_graph *program; /* given as .tp; NULL: it is tile[0] */
  const as_graph *graph;   /* a candidate that is a muGraph or a .tp; NULL: it is tile[1] */
  const as_tile_program *tile[2];
} as_kernels_of;

/* Lowers the candidate, for whatever texts the two are.  Inputs and outputs are those of the given
 * program, in its order; `inout` tensors are both.  Of opts the sizes' values (by the ids of the
 * given program's sizes) and the target are read for tile programs.  false with err, where a tile
 * program is lowered: a size has no value, an extent or a loop's bound is data, the tensors do not
 * fit, an operation has no word in CUDA. */
bool as_kernels_lower(const as_kernels_of *of, const as_lower_opts *opts, as_lowered *out,
                      as_err *err);

/* the name of the given program; borrowed */
const char *as_kernels_name(const as_kernels_of *of);
/* the sizes of the given program, and what is stated of them; borrowed */
const as_graph *as_kernels_sizes(const as_kernels_of *of);
#endif
