/* What goes into a lowered program and what comes out of it: names, element types, extents.
 * Includes base.  As the lowering describes them; read by the library's writer and by whoever
 * converts arrays. */
#ifndef AS_RT_PORT_H
#define AS_RT_PORT_H
#include "src/base/lowered.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AS_RT_MAX_RANK = AS_LOWER_MAX_RANK };

typedef as_lower_port as_rt_port;

typedef struct {
  const as_lower_size *size; /* those left to run time, in the order of the program */
  uint32_t n_size;
  const as_rt_port *in; /* in the order of the program */
  uint32_t n_in;
  const as_rt_port *out;
  uint32_t n_out;
} as_rt_interface; /* all borrowed */

as_rt_interface as_rt_interface_of(const as_lowered *lowered);

uint64_t as_rt_port_elems(const as_rt_port *port);
size_t as_rt_type_size(as_dtype type);
const char *as_rt_type_name(as_dtype type); /* as in a program: f16, bf16, f32 */

/* n numbers as the bytes of that type, rounded to nearest even; and back, exactly */
void as_rt_encode(as_dtype type, const double *numbers, size_t n, void *bytes);
void as_rt_decode(as_dtype type, const void *bytes, size_t n, double *numbers);
#endif
