/* The finite-field pair: p-part and q-part of each value, q | p - 1, exp(x) = w^(x mod q) for a
 * random w of order q.  Each element also carries an interval of doubles that contains its true
 * real value (comparisons are decided by it, and a difference is believed only where reals differ),
 * and the degrees from which the error bound of a test is computed.  May include:
 * semantics/domain.h, FLINT.  Called by verify/field. */
#ifndef AS_DOMAIN_FIELD_H
#define AS_DOMAIN_FIELD_H
#include "domain.h"
#include "src/base/rng.h"
#include "src/base/vec.h"

typedef struct {
  as_domain d;
  uint64_t p;
  uint64_t q;
  uint64_t pinv;
  uint64_t qinv;
  uint64_t p_inverse; /* mod q */
  uint64_t w;
  uint64_t half_p;
  uint64_t half_q; /* w: random of order q mod p; half: powers that give the root which is a square
                      itself */
  uint64_t seed;   /* of the random functions */
  mpz_t pq;
  long scale;   /* inputs are integers over 2^scale */
  as_vec roots; /* squares (mod p) whose root was taken */
} as_field_domain;

/* q of 59 bits, p < 2^63, q | p - 1, both 7 mod 8, with the primes up to 13 squares mod p; takes
 * about a millisecond */
void as_field_primes(as_rng *rng, uint64_t *p, uint64_t *q);
void as_field_domain_init(as_field_domain *F, as_rng *rng); /* with fresh primes */
void as_field_domain_over(as_field_domain *F, uint64_t p, uint64_t q,
                          as_rng *rng); /* with primes found before */
void as_field_domain_clear(as_field_domain *F);
/* A random input: its residues mod p and mod q are independent and uniform, and independent of its
 * interval.  exact gets the rational. */
void as_field_random(const as_field_domain *F, as_rng *rng, bool positive, void *r, mpq_t exact);

/* An input that is no random number: drawn from a few.  What is made of such numbers alone is
 * compared, and no chance of a missed difference can be stated of it. */
void as_field_drawn(const as_field_domain *F, const mpq_t exact, void *r);

typedef enum { AS_FC_NONE, AS_FC_SAME, AS_FC_DIFFER, AS_FC_CLOSE, AS_FC_APART } as_field_cmp;

/* SAME, DIFFER: by the p-parts.  Where one has none: CLOSE (intervals meet and are narrow), APART
 * (disjoint), NONE (nothing can be said). */
as_field_cmp as_field_compare(const void *a, const void *b);
bool as_field_apart(const void *a, const void *b);

/* probability, over the choice of the inputs and of w, that a - b vanishes in the field although it
 * does not formally; at least 1: says nothing */
typedef struct {
  double bound;
  double degree;
  double exponentials;
  double exp_degree;
  int roots;
  bool affine;
  bool is_random; /* false: made of numbers alone that were drawn from a few: nothing is stated */
} as_field_bound;

as_field_bound as_field_error(const as_field_domain *F, const void *a, const void *b);
#endif
