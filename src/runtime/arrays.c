#include "arrays.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, SHOWN = 8 };

void *as_rt_tensor_new(const as_rt_port *port) {
  size_t bytes = as_rt_port_elems(port) * as_rt_type_size(port->type);
  void *memory = aligned_alloc(ALIGNMENT, (bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  if (memory == NULL)
    abort();
  memset(memory, 0, bytes);
  return memory;
}

static bool fits(const as_rt_array *array, const as_rt_port *port) {
  if (array->rank != port->rank)
    return false;
  for (uint32_t axis = 0; axis < port->rank; axis++) {
    if (array->extent[axis] != port->extent[axis])
      return false;
  }
  return true;
}

/* an element of an input of integers: it is one of 32 bits, and where it is a place, in range */
static bool whole(double number, const char *path, const as_rt_port *port, as_err *err) {
  if (!(number >= INT32_MIN && number <= INT32_MAX) || number != floor(number))
    return as_err_set(err, AS_BAD_INPUT, "%s: input %s takes integers of 32 bits, not %.17g", path,
                      port->name, number);
  if (port->exact && (number < 0 || number >= (double)port->range))
    return as_err_set(err, AS_BAD_INPUT,
                      "%s: %.17g is no place that input %s may name: 0 to %lld are", path, number,
                      port->name, (long long)port->range - 1);
  return true;
}

bool as_rt_tensor_read(const char *path, const as_rt_port *port, void *memory, as_err *err) {
  as_rt_array array;
  if (!as_rt_npy_read(path, &array, err))
    return false;
  bool ok = fits(&array, port) ||
            as_err_set(err, AS_BAD_INPUT, "%s: has other extents than input %s", path, port->name);
  for (uint64_t i = 0; ok && port->type == AS_INT && i < array.count; i++)
    ok = whole(array.number[i], path, port, err);
  if (ok)
    as_rt_encode(port->type, array.number, array.count, memory);
  as_rt_array_clear(&array);
  return ok;
}

void as_rt_tensor_random(as_rng *rng, const as_rt_port *port, void *memory) {
  uint64_t count = as_rt_port_elems(port);
  size_t size = as_rt_type_size(port->type);
  for (uint64_t i = 0; i < count; i++) {
    double number = (double)as_rng_below(rng, 65537) / 65536 - 0.5;
    if (port->type == AS_INT)
      number = port->range > 0 ? (double)as_rng_below(rng, (uint64_t)port->range)
                               : (double)as_rng_below(rng, 17) - 8;
    as_rt_encode(port->type, &number, 1, (char *)memory + i * size);
  }
}

void as_rt_tensor_print(const as_rt_port *port, const void *memory) {
  printf("%s: %s[", port->name, as_rt_type_name(port->type));
  for (uint32_t axis = 0; axis < port->rank; axis++)
    printf("%s%lld", axis ? ", " : "", (long long)port->extent[axis]);
  printf("] =");
  uint64_t count = as_rt_port_elems(port);
  for (uint64_t i = 0; i < count && i < SHOWN; i++) {
    double number;
    as_rt_decode(port->type, (const char *)memory + i * as_rt_type_size(port->type), 1, &number);
    printf(" %.6g", number);
  }
  printf("%s\n", count > SHOWN ? " .." : "");
}
