/* Random numbers (xoshiro256**): the same seed gives the same numbers on every machine.
 * Includes libc only.
 * Used by the random tests and by those who sample. */
#ifndef AS_BASE_RNG_H
#define AS_BASE_RNG_H
#include <stdint.h>

typedef struct {
  uint64_t s[4];
} as_rng;

void as_rng_seed(as_rng *r, uint64_t seed);
uint64_t as_rng_next(as_rng *r);
uint64_t as_rng_below(as_rng *r, uint64_t n); /* uniform in 0 .. n - 1; n at least 1 */
double as_rng_unit(as_rng *r);                /* uniform in [0, 1) */

#endif
