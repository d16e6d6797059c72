/* What goes into a lowered program and what comes out of it: names, element types, extents.
 * Includes base.  Filled by the command line; read by the library's writer and by whoever converts
 * arrays. */
#ifndef AS_RT_PORT_H
#define AS_RT_PORT_H
#include "src/base/dtype.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AS_RT_MAX_RANK = 8 };

typedef struct {
  const char *name; /* borrowed */
  as_dtype type;
  uint32_t rank;
  int64_t extent[AS_RT_MAX_RANK];
  int64_t range; /* of integers that are places: how many from 0 on are in range; -1: others */
  bool exact;    /* and any other is out of range */
} as_rt_port;

typedef struct {
  const as_rt_port *in; /* borrowed, in the order of the program */
  uint32_t n_in;
  const as_rt_port *out;
  uint32_t n_out;
} as_rt_interface;

uint64_t as_rt_port_elems(const as_rt_port *port);
size_t as_rt_type_size(as_dtype type);
const char *as_rt_type_name(as_dtype type); /* as in a program: f16, bf16, f32 */

/* n numbers as the bytes of that type, rounded to nearest even; and back, exactly */
void as_rt_encode(as_dtype type, const double *numbers, size_t n, void *bytes);
void as_rt_decode(as_dtype type, const void *bytes, size_t n, double *numbers);
#endif
