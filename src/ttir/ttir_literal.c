/* What number a literal of real numbers is read as: as printed, as a decimal, or as a fraction. */
#include "ttir_lift.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* the shortest decimal that rounds to the same number of this width; of some of one length the
 * nearest to what it is rounded to, however many digits the text has; malloc'ed */
static char *shortest(double value, uint32_t bits) {
  if (bits != 64)
    value = (double)(float)value;
  for (int digits = 1; digits <= 17; digits++) {
    char *text = as_format("%.*g", digits, value);
    bool same = bits == 64 ? strtod(text, NULL) == value : strtof(text, NULL) == (float)value;
    if (same)
      return text;
    free(text);
  }
  return as_format("%.17g", value);
}

/* `1.500000e+00` without the zeros at its end; malloc'ed */
static char *without_zeros(const char *literal) {
  const char *exponent = strchr(literal, 'e');
  if (!exponent)
    exponent = strchr(literal, 'E');
  size_t n = exponent ? (size_t)(exponent - literal) : strlen(literal);
  if (memchr(literal, '.', n)) {
    while (literal[n - 1] == '0')
      n--;
    n -= literal[n - 1] == '.';
  }
  bool plain = !exponent || strtol(exponent + 1, NULL, 10) == 0;
  return as_format("%.*s%s", (int)n, literal, plain ? "" : exponent);
}

double ttir_real_of_bits(uint64_t bits, const as_ttir_type *type) {
  if (type->bits == 64) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  if (type->bits == 16 && !type->brain) {
    double fraction = (double)(bits & 1023);
    int exponent = (int)(bits >> 10 & 31);
    double value = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                   : exponent == 0 ? ldexp(fraction, -24)
                                   : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 & 1 ? -value : value;
  }
  uint32_t word = (uint32_t)(type->bits == 16 ? bits << 16 : bits);
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

/* Bounds of what is taken for a rounded fraction. A decimal of so many digits is meant as one. Of
 * all f32 one in 200 is a fraction of such a product of numerator and denominator by chance. */
enum { MOST_DIGITS = 6, MOST_PRODUCT = 1 << 17 };

/* The fraction of the least denominator that rounds to the same f32. The numbers that do lie
 * between the means of it and its neighbours, which have 25 bits: all products here are exact. */
static bool is_fraction(float value, int64_t *numerator, int64_t *denominator) {
  double low = ((double)nextafterf(value, -INFINITY) + (double)value) / 2;
  double high = ((double)nextafterf(value, INFINITY) + (double)value) / 2;
  for (int64_t q = 2; q <= MOST_PRODUCT; q++) {
    double p = nearbyint((double)value * (double)q);
    if (fabs(p) * (double)q > MOST_PRODUCT)
      return false;
    if (p != 0 && low * (double)q < p && p < high * (double)q) {
      *numerator = (int64_t)p;
      *denominator = q;
      return true;
    }
  }
  return false;
}

/* how many digits a decimal has between its first and its last one that is not 0 */
static size_t digits_of(const char *decimal) {
  size_t n = 0;
  size_t zeros = 0;
  for (; *decimal && *decimal != 'e'; decimal++) {
    if (*decimal == '0') {
      zeros += n > 0;
    } else if (*decimal >= '1' && *decimal <= '9') {
      n += zeros + 1;
      zeros = 0;
    }
  }
  return n;
}

ttir_node *ttir_literal(ttir_lift *lift, const char *written, double value, uint32_t bits) {
  bool hexadecimal = strncmp(written, "0x", 2) == 0;
  as_ttir_literals how = lift->launch->literals;
  bool printed = how == AS_TTIR_PRINTED && !hexadecimal;
  char *text = printed ? without_zeros(written) : shortest(value, bits);
  ttir_node *node = ttir_real(lift->mem, text);
  bool is_long = digits_of(text) > MOST_DIGITS;
  free(text);
  int64_t numerator;
  int64_t denominator;
  if (how != AS_TTIR_FRACTION || bits == 64 || !is_long ||
      !is_fraction((float)value, &numerator, &denominator))
    return node;
  char *p = as_format("%lld", (long long)numerator);
  char *q = as_format("%lld", (long long)denominator);
  node = ttir_arith(lift->mem, TTIR_N_DIVIDE, ttir_real(lift->mem, p), ttir_real(lift->mem, q));
  free(p);
  free(q);
  return node;
}
