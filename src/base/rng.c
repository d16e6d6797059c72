#include "rng.h"

/* xoshiro256** 1.0 (Blackman, Vigna), seeded by splitmix64 as its authors advise. */
static uint64_t rotl(uint64_t x, int k) {
  return (x << k) | (x >> (64 - k));
}

void as_rng_seed(as_rng *r, uint64_t seed) {
  for (int i = 0; i < 4; i++) {
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    r->s[i] = z ^ (z >> 31);
  }
}

uint64_t as_rng_next(as_rng *r) {
  uint64_t *s = r->s;
  uint64_t out = rotl(s[1] * 5, 7) * 9;
  uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotl(s[3], 45);
  return out;
}

uint64_t as_rng_below(as_rng *r, uint64_t n) {
  if (n < 2)
    return 0;
  uint64_t limit = UINT64_MAX - UINT64_MAX % n;
  uint64_t x; /* rejection keeps the numbers evenly spread */
  do
    x = as_rng_next(r);
  while (x >= limit);
  return x % n;
}

double as_rng_unit(as_rng *r) {
  return (double)(as_rng_next(r) >> 11) * 0x1p-53;
}
