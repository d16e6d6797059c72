/* Compilers of generated text: nvcc for a GPU, a C++ compiler for the emulation.  The one place
 * that knows their options.  Includes runtime/rt (options), base/child. */
#ifndef AS_RT_COMPILE_H
#define AS_RT_COMPILE_H
#include "rt.h"

typedef enum {
  AS_RT_PROGRAM, /* that can be run */
  AS_RT_LIBRARY, /* a shared library */
  AS_RT_CUBIN    /* machine code of the kernels alone; not for the emulation */
} as_rt_product;

/* Compiles the text of file `source` to file `product`.  false with err: there is no such compiler
 * (AS_UNKNOWN), or it does not take the text (AS_INTERNAL, with its messages).  *log, if not NULL:
 * its messages, malloc'ed, in any case. */
bool as_rt_compile(const as_rt_opts *o, as_rt_product kind, const char *source, const char *product,
                   char **log, as_err *err);
#endif
