/* Sizes at which two sides may differ where smaller ones show nothing: a mask that ends too early,
 * a tile of 8 where one of 16 was meant, a bound that is a number.
 * May include: base, ir, src/tile, verify/refute.  Private to verify/tile. */
#ifndef AS_TILE_SIZES_H
#define AS_TILE_SIZES_H
#include "side.h"
#include "verify/refute/constants.h"

enum { TILE_MOST_SIZES = 256 };

/* adds the numbers of both texts and of the operators that they call */
void tile_constants_add(as_constants *constants, const as_tile_side *given,
                        const as_tile_side *candidate);
/* Above `least`, ascending, each once: the whole numbers of both texts and of the operators that
 * they call, their doubles, small powers of 2, and what lies next to each; how many. */
uint32_t tile_sizes_beside(const as_tile_side *given, const as_tile_side *candidate, int64_t least,
                           int64_t value[TILE_MOST_SIZES]);
#endif
