/* The slow judge: runs a thread graph with explicit threads over a pair of prime fields and says
 * whether it can be seen to be wrong.  It shares the graph types with the validator and nothing
 * else: maps are applied bit by bit, instructions follow the documentation's formulas, addresses go
 * through the hardware's swizzle of the absolute address, warps are split at random into sets of
 * lanes, agents have random speeds, copies land at a random moment between issue and wait, there is
 * fresh junk wherever nothing was written. */
#ifndef AS_TEST_INTERP_H
#define AS_TEST_INTERP_H
#include "../../src/threads/core/graph.h"
#include "src/base/rng.h"

/* a value is a pair modulo Q and P with Q | P - 1; exponentials go from the first to the second, so
 * that exp(a) exp(b) = exp(a + b).  q < 0: minus infinity. */
typedef struct {
  int64_t q;
  int64_t p;
} pair;

#define FIELD_Q 1000003
#define FIELD_P                                                                                    \
  36000109 /* numbers for the compiler, which divides by them; field_init checks them */
void field_init(void);
pair field_int(int64_t v);
pair field_add(pair a, pair b);
pair field_neg(pair a);
pair field_mul(pair a, pair b);
pair field_inv(pair a);
pair field_rsqrt(pair a);
pair field_exp(pair a);
pair field_max(pair a, pair b);
bool field_is_zero(pair a);
pair field_random(as_rng *r);

typedef struct { /* a tensor, whole; extents per axis of its tile times the iterations */
  unsigned rank;
  long dim[AS_TG_AXES];
  pair *data;
  pair *memory; /* inputs: what the tensor lies in, and all around it */
  long elements;
  bool made; /* by a kernel before */
} field_tensor;

/* A tile's elements are fetched from memory, by its origin and strides.
 * in: one per tile (outputs: what must be stored), of the block at `block`; NULL if `runs` random
 * executions were right, else what was seen */
const char *interp_judge(const as_tg *g, const field_tensor *tensor, const long block[3],
                         unsigned runs, uint64_t seed);
#endif
