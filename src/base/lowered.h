/* What lowering gives and the runtime takes: texts and shapes, so that neither needs the other.
 * Includes base/dtype.h, base/routes.h. Filled by src/lower (as_lower_cuda), which also initialises
 * and clears it.
 */
#ifndef AS_BASE_LOWERED_H
#define AS_BASE_LOWERED_H
#include "dtype.h"
#include "routes.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  char *name;
  long bytes_smem;
  int barriers_loop;
  int barriers;
  int stages;
  int warps;
  long blocks;
  int mma;
  int ldmatrix;
  const char *route; /* which of the ways of lowering made it, AS_ROUTE_..; static */
  bool validated;    /* printed from a thread graph that the validator accepted */
  const char
      *library; /* no kernel, but a call of this library, which is believed; NULL: a kernel */
  const char *factors; /* how those of products of 32 bits are taken; NULL: as they are */
} as_lower_kernel;

enum { AS_LOWER_MAX_RANK = 8 };

/* a size that is left to run time */
typedef struct {
  char *name;
  int64_t least;
  int64_t most;
  int64_t value; /* of what is described beside it */
} as_lower_size;

/* A tensor that goes into a lowered program or comes out of it.  Texts owned. */
typedef struct {
  char *name;
  as_dtype type;
  uint32_t rank;
  int64_t extent[AS_LOWER_MAX_RANK];
  char *shown[AS_LOWER_MAX_RANK]; /* the extent by the sizes left to run time; NULL: as `extent` */
  int64_t range; /* of integers that are places: how many from 0 on are in range; -1: others */
  bool exact;    /* and any other is out of range */
} as_lower_port;

typedef struct {
  char *cuda;      /* kernel.cu: compiles with nvcc, and with g++ against cuda_emu.h when AS_EMU is
                      defined */
  size_t own;      /* bytes of cuda before what is this program's own: the prelude, always the
                      same but for what calls of a library need */
  char *reference; /* C++ text: `void assay_reference(const double *const *in, double *const *out)`
                      of the *program* given, by its specifications */
  char *trial;     /* C++ text: elements of each tensor in memory, in doubles and on demand, for
                      runtime/trial.h; NULL: there is none */
  long workspace;  /* bytes */
  const char *library; /* that some of its products are calls of; NULL: none */
  /* those left to run time, in the program's order.  The kernels take all of their range; the
   * reference, and the numbers of elements, are at the values */
  as_lower_size *size;
  uint32_t n_size;
  uint32_t n_in;
  uint32_t n_out;
  long *in_elems;
  long *out_elems;
  as_dtype *in_type;
  as_dtype *out_type;
  /* of integers: how many values from 0 on an element may have so that what they index is in range;
   * -1 where they index nothing */
  long *in_range;
  char **in_name;
  char **out_name;
  as_lower_port *in; /* in the order of the program, at the sizes' values */
  as_lower_port *out;
  uint32_t n_kernel;
  as_lower_kernel *kernel;
  as_routes routes; /* by part of the muGraph; of tile programs of other forms none */
  char *notes;      /* what was decided, a line each: placement, layout, levels, offsets */
} as_lowered;
#endif
