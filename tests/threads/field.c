#include "interp.h"
#include <stdlib.h>

static int64_t generator;

static int64_t power_q(int64_t b, int64_t e) {
  int64_t r = 1;
  for (b %= FIELD_Q; e; e >>= 1) {
    if (e & 1)
      r = r * b % FIELD_Q;
    b = b * b % FIELD_Q;
  }
  return r;
}

static int64_t power_p(int64_t b, int64_t e) {
  int64_t r = 1;
  for (b %= FIELD_P; e; e >>= 1) {
    if (e & 1)
      r = r * b % FIELD_P;
    b = b * b % FIELD_P;
  }
  return r;
}

static bool prime(int64_t n) {
  for (int64_t d = 2; d * d <= n; d++) {
    if (n % d == 0)
      return false;
  }
  return true;
}

void field_init(void) {
  if (generator > 1)
    return;
  if (!prime(FIELD_Q) || !prime(FIELD_P) || (FIELD_P - 1) % FIELD_Q != 0)
    abort();
  for (int64_t h = 2; generator <= 1; h++)
    generator = power_p(h, (FIELD_P - 1) / FIELD_Q);
}

static pair minus_infinity(void) {
  return (pair){-1, -1};
}

pair field_int(int64_t v) {
  return (pair){(v % FIELD_Q + FIELD_Q) % FIELD_Q, (v % FIELD_P + FIELD_P) % FIELD_P};
}

pair field_add(pair a, pair b) {
  if (a.q < 0 || b.q < 0)
    return minus_infinity();
  return (pair){(a.q + b.q) % FIELD_Q, (a.p + b.p) % FIELD_P};
}

pair field_neg(pair a) {
  if (a.q < 0)
    return a;
  return (pair){(FIELD_Q - a.q) % FIELD_Q, (FIELD_P - a.p) % FIELD_P};
}

pair field_mul(pair a, pair b) {
  if (a.q < 0 || b.q < 0)
    return minus_infinity();
  return (pair){a.q * b.q % FIELD_Q, a.p * b.p % FIELD_P};
}

pair field_inv(pair a) {
  if (a.q < 0)
    return a;
  return (pair){power_q(a.q, FIELD_Q - 2), power_p(a.p, FIELD_P - 2)};
}

/* any function serves as a root: it only has to be the same one everywhere */
pair field_rsqrt(pair a) {
  if (a.q < 0)
    return a;
  return (pair){power_q(a.q, 12345), power_p(a.p, 54321)};
}

/* of an exponential only the second component means anything */
pair field_exp(pair a) {
  if (a.q < 0)
    return (pair){0, 0};
  int64_t v = power_p(generator, a.q);
  return (pair){v * 7919 % FIELD_Q, v};
}

pair field_max(pair a, pair b) {
  return a.q >= b.q ? a : b;
}

bool field_is_zero(pair a) {
  return a.q == 0 && a.p == 0;
}

pair field_random(as_rng *r) {
  return (pair){(int64_t)as_rng_below(r, FIELD_Q), (int64_t)as_rng_below(r, FIELD_Q)};
}
