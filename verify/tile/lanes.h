/* The numbers of lanes that a tile program states: the sizes of its blocks.
 * May include: base, src/tile.  Used by tile_judge.c. */
#ifndef AS_TILE_LANES_H
#define AS_TILE_LANES_H
#include "src/tile/tile.h"

enum { TILE_MOST_BLOCKS = 3 };

typedef struct {
  int64_t block[TILE_MOST_BLOCKS]; /* the largest first */
  uint32_t n;
} tile_blocks;

/* those above `least` and up to `most`; of no program (NULL) there are none */
void tile_blocks_of(const as_tile_program *program, int64_t least, int64_t most, tile_blocks *to);
#endif
