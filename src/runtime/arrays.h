/* Tensors in host memory, as the libraries take them: made, filled, printed.
 * Includes runtime/npy, runtime/port, base/rng.  Used by `assay run`. */
#ifndef AS_RT_ARRAYS_H
#define AS_RT_ARRAYS_H
#include "../base/rng.h"
#include "npy.h"
#include "src/base/err.h"

/* zeroed and aligned as kernels ask for; freed by the caller */
void *as_rt_tensor_new(const as_rt_port *port);
/* the array of a .npy file, rounded to the port's type; false with err also where extents differ */
bool as_rt_tensor_read(const char *path, const as_rt_port *port, void *memory, as_err *err);
/* numbers between -1/2 and 1/2: sums of a few thousand products stay in the range of halves */
void as_rt_tensor_random(as_rng *rng, const as_rt_port *port, void *memory);
/* one line on standard output: name, type, extents, the first elements */
void as_rt_tensor_print(const as_rt_port *port, const void *memory);
#endif
