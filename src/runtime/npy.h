/* Arrays in NumPy's .npy format (versions 1 to 3 of the documented format, little-endian,
 * row-major): read as doubles, written as f4, or as f2 where the numbers are halves. Includes
 * runtime/port, base.  Used by `assay run` and tests. */
#ifndef AS_RT_NPY_H
#define AS_RT_NPY_H
#include "port.h"
#include "src/base/err.h"

typedef struct {
  uint32_t rank;
  int64_t extent[AS_RT_MAX_RANK];
  uint64_t count;
  double *number; /* owned */
} as_rt_array;

void as_rt_array_clear(as_rt_array *array);
/* false with err: no such file, another format, an element type that is none of f2 f4 f8 i1 u1 i4
 * i8 b1, column-major order, or a size that does not fit the file's */
bool as_rt_npy_read(const char *path, as_rt_array *array, as_err *err);
/* the tensor whose bytes are `data`, of the port's type and extents; bf16 is written as f4 */
bool as_rt_npy_write(const char *path, const as_rt_port *port, const void *data, as_err *err);
#endif
