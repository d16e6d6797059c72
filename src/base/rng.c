#include "rng.h"

/* xoshiro256** 1.0 (Blackman, Vigna), seeded by splitmix64 as its authors advise. */
static uint64_t rotl(uint64_t word, int count) {
  return (word << count) | (word >> (64 - count));
}

void as_rng_seed(as_rng *rng, uint64_t seed) {
  for (int i = 0; i < 4; i++) {
    uint64_t mixed = (seed += 0x9e3779b97f4a7c15u);
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    rng->s[i] = mixed ^ (mixed >> 31);
  }
}

uint64_t as_rng_next(as_rng *rng) {
  uint64_t *state = rng->s;
  uint64_t result = rotl(state[1] * 5, 7) * 9;
  uint64_t shifted = state[1] << 17;
  state[2] ^= state[0];
  state[3] ^= state[1];
  state[1] ^= state[2];
  state[0] ^= state[3];
  state[2] ^= shifted;
  state[3] = rotl(state[3], 45);
  return result;
}

uint64_t as_rng_below(as_rng *rng, uint64_t n) {
  if (n < 2)
    return 0;
  uint64_t limit = UINT64_MAX - UINT64_MAX % n;
  uint64_t drawn; /* rejection keeps the numbers evenly spread */
  do
    drawn = as_rng_next(rng);
  while (drawn >= limit);
  return drawn % n;
}

double as_rng_unit(as_rng *rng) {
  return (double)(as_rng_next(rng) >> 11) * 0x1p-53;
}
