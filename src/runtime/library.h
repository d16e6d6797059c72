/* A lowered program as a shared library that other programs link or load: `libassay_NAME.so`, the C
 * header `assay_NAME.h`, `interface.json` (the same for programs that read it), the kernels' text,
 * and for a GPU `NAME.cubin`.
 * Includes runtime/port, runtime/rt.  Used by `assay build` and `assay run`. */
#ifndef AS_RT_LIBRARY_H
#define AS_RT_LIBRARY_H
#include "port.h"
#include "rt.h"

/* o->dir must exist; o->emulate says for what.  false with err as of as_rt_compile */
bool as_rt_library_build(const as_lowered *l, const char *name, const as_rt_interface *ports,
                         const as_rt_opts *o, as_err *err);

/* Loads the library of that name from dir and runs it once on tensors in host memory, given and
 * taken as bytes of the ports' types, 16-byte aligned, at the values of the ports' sizes.
 * AS_BAD_INPUT: the program does not take them; AS_UNKNOWN: it cannot be loaded or run
 * (no GPU); AS_NO: the emulation found a fault, which it has told on standard error. */
as_status as_rt_library_run(const char *dir, const char *name, const as_rt_interface *ports,
                            void *const *inputs, void *const *outputs, as_err *err);
#endif
