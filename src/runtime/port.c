#include "port.h"
#include <math.h>
#include <string.h>

as_rt_interface as_rt_interface_of(const as_lowered *lowered) {
  return (as_rt_interface){.size = lowered->size,
                           .n_size = lowered->n_size,
                           .in = lowered->in,
                           .n_in = lowered->n_in,
                           .out = lowered->out,
                           .n_out = lowered->n_out};
}

uint64_t as_rt_port_elems(const as_rt_port *port) {
  uint64_t count = 1;
  for (uint32_t axis = 0; axis < port->rank; axis++)
    count *= (uint64_t)port->extent[axis];
  return count;
}

size_t as_rt_type_size(as_dtype type) {
  return (size_t)as_dtype_bytes(type);
}

const char *as_rt_type_name(as_dtype type) {
  static const char *const names[] = {"f16", "bf16", "f32", "int"};
  return names[type];
}

static uint32_t bits_of(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

static float of_bits(uint32_t bits) {
  float number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

/* The binary16 number nearest to x, ties to even.  Scaling by powers of two is exact, and rint
 * rounds as asked, so no bit is handled by hand. */
static uint16_t half_of(double x) {
  uint16_t sign = signbit(x) ? 0x8000 : 0;
  double size = fabs(x);
  if (isnan(x))
    return 0x7e00;
  if (size >= 65520.0) /* what lies half way to the next power of two goes to infinity */
    return sign | 0x7c00;
  int exponent = -14;
  if (size >= 0x1p-14)
    exponent = ilogb(size);
  /* units of the last of ten places; 1024 of them carry into the next exponent by themselves */
  uint16_t units = (uint16_t)rint(ldexp(size, 10 - exponent));
  if (size < 0x1p-14)
    return sign | units;
  return (uint16_t)(sign | (((exponent + 15) << 10) + (units - 1024)));
}

static double number_of_half(uint16_t half) {
  int exponent = (half >> 10) & 31;
  int fraction = half & 1023;
  double size;
  if (exponent == 31)
    size = fraction ? (double)NAN : (double)INFINITY;
  else if (exponent == 0)
    size = ldexp(fraction, -24);
  else
    size = ldexp(1024 + fraction, exponent - 25);
  return half & 0x8000 ? -size : size;
}

/* The upper half of the binary32 number nearest to x: ties to even by the usual carry. */
static uint16_t bfloat_of(double x) {
  uint32_t bits = bits_of((float)x);
  if (isnan(x))
    return 0x7fc0;
  return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

void as_rt_encode(as_dtype type, const double *numbers, size_t n, void *bytes) {
  for (size_t i = 0; i < n; i++) {
    if (type == AS_F32)
      ((float *)bytes)[i] = (float)numbers[i];
    else if (type == AS_INT)
      ((int32_t *)bytes)[i] = (int32_t)numbers[i];
    else
      ((uint16_t *)bytes)[i] = type == AS_F16 ? half_of(numbers[i]) : bfloat_of(numbers[i]);
  }
}

void as_rt_decode(as_dtype type, const void *bytes, size_t n, double *numbers) {
  for (size_t i = 0; i < n; i++) {
    if (type == AS_F32)
      numbers[i] = (double)((const float *)bytes)[i];
    else if (type == AS_INT)
      numbers[i] = ((const int32_t *)bytes)[i];
    else if (type == AS_F16)
      numbers[i] = number_of_half(((const uint16_t *)bytes)[i]);
    else
      numbers[i] = (double)of_bits((uint32_t)((const uint16_t *)bytes)[i] << 16);
  }
}
