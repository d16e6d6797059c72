/* Random well-formed programs: operators with conditions, offsets, div, mod, nested reductions and
 * wide index arithmetic over extents that may be 0 or 1, alone or in block graphs of random
 * tilings. Used by tests/lower/random.c, written by random_text.c and
 * random_moves.c, random_real.c. */
#ifndef TESTS_LOWER_RANDOM_TEXT_H
#define TESTS_LOWER_RANDOM_TEXT_H
#include "src/base/rng.h"
#include <stdbool.h>

/* What a program may have in it; a campaign in which one of these never occurs has not looked. */
#define RANDOM_KINDS(X)                                                                            \
  X(IF, "if")                                                                                      \
  X(AND_OR_NOT, "and, or, not")                                                                    \
  X(OFFSET, "offset")                                                                              \
  X(DIV, "div")                                                                                    \
  X(MOD, "mod")                                                                                    \
  X(WIDE, "index arithmetic beyond 32 bits")                                                       \
  X(LARGE_SIZE, "size near 2^31")                                                                  \
  X(SUM, "sum")                                                                                    \
  X(EXTREMUM, "max or min")                                                                        \
  X(PROD, "prod")                                                                                  \
  X(SCAN, "bound that depends on an index")                                                        \
  X(INTEGERS, "integers that are data")                                                            \
  X(PLACES, "places that are data")                                                                \
  X(NESTED, "reduction in a reduction")                                                            \
  X(UNDER_IF, "reduction under an if")                                                             \
  X(EXTENT_0, "extent 0")                                                                          \
  X(EXTENT_1, "extent 1")                                                                          \
  X(EXP_SQRT, "exp, sqrt")                                                                         \
  X(F16, "f16")                                                                                    \
  X(BF16, "bf16")                                                                                  \
  X(F32, "f32")                                                                                    \
  X(ALONE, "operators alone")                                                                      \
  X(WHOLE_BLOCK, "block of whole tensors")                                                         \
  X(ROWS, "block graph of rows")                                                                   \
  X(PRODUCT, "block graph of a product")                                                           \
  X(SOFTMAX, "block graph with a running maximum")                                                 \
  X(CONCAT, "concatenation over a loop")                                                           \
  X(LOOP_0, "loop of no iterations")                                                               \
  X(CUT, "tiles that are cut off")                                                                 \
  X(TWO_OUTPUTS, "two outputs")                                                                    \
  X(MOVED, "tensors that are moved, cut and put together")                                         \
  X(CONVOLUTION, "convolution")                                                                    \
  X(PARTS_LOADED, "block that loads what was moved")                                               \
  X(LIBRARY, "products that are calls")                                                            \
  X(THREADS, "thread graph")                                                                       \
  X(MASKS, "mask of positions")

typedef enum {

#define RANDOM_KIND_ID(id, words) RANDOM_##id,
  RANDOM_KINDS(RANDOM_KIND_ID)
#undef RANDOM_KIND_ID
      N_RANDOM_KINDS
} random_kind;

typedef struct {
  char *sem; /* the operators that the program uses beside the built-in ones */
  char *tp;
  char *mug;           /* NULL: the program alone */
  bool equivalent;     /* the muGraph is meant to be equal to the program */
  bool library;        /* matrix products alone are calls of the library */
  bool general;        /* no thread graphs */
  bool scalar;         /* no tensor cores */
  const char *arch;    /* the GPU that it is lowered for; NULL: the default */
  const char *rounded; /* operators whose factors may be rounded to TF32; NULL: none */
  bool has[N_RANDOM_KINDS];
} random_text;

static inline unsigned random_pick(as_rng *rng, unsigned n) {
  return (unsigned)as_rng_below(rng, n);
}

static inline bool random_chance(as_rng *rng, unsigned percent) {
  return random_pick(rng, 100) < percent;
}

void random_text_new(as_rng *rng, random_text *text);
/* of built-in operators: moves and parts of tensors below products, convolutions and elements */
void random_moves_new(as_rng *rng, random_text *text);
/* at the sizes that users have: norms, views, products and what follows them */
void random_real_new(as_rng *rng, random_text *text);
void random_text_clear(random_text *text);
const char *random_kind_words(random_kind kind);
#endif
