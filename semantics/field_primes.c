/* The pairs of primes that finite-field tests compute over: p = k*q + 1, roots of small numbers in
 * both. */
#include "domain_field.h"
#include <flint/ulong_extras.h>

static bool small_squares(uint64_t m, uint64_t top) {
  static const uint64_t s[] = {3, 5, 7, 11, 13};
  for (size_t i = 0; i < sizeof s / sizeof *s && s[i] <= top; i++) {
    if (n_jacobi_unsigned(s[i], m) != 1)
      return false;
  }
  return true;
}

void as_field_primes(as_rng *rng, uint64_t *p_out, uint64_t *q_out) {
  uint64_t q;
  uint64_t p = 0;
  do {
    q = ((uint64_t)1 << 58) | (as_rng_next(rng) >> 6) | 7; /* 7 mod 8 */
    if (!small_squares(q, 5) || !n_is_prime(q))
      continue;
    for (uint64_t k = 2; k < 16; k += 8) { /* keeps p 7 mod 8 */
      p = k * q + 1;
      if (small_squares(p, 13) && n_is_prime(p))
        break;
      p = 0;
    }
  } while (!p);
  *p_out = p;
  *q_out = q;
}
