/* Tile programs as block graphs (docs/tile.md section 5): kernels of loops that carry sums are cut
 * where one block graph cannot say them.  Nothing rests on it: what it gives is judged as any
 * candidate.  May include: base, ir, tile.  Used by src/optimize, the command line, tests. */
#ifndef AS_TILE_BLOCKS_H
#define AS_TILE_BLOCKS_H
#include "tile.h"

/* Where a value that a loop has summed up is needed in another loop. */
typedef enum {
  AS_TILE_CUT_LATE, /* what is needed is stored, but for moves of elements */
  AS_TILE_CUT_SUMS, /* the sums themselves are stored */
  AS_TILE_CUT_BOTH, /* both, so that what lies between is a kernel */
  AS_TILE_N_CUTS
} as_tile_cut;

typedef struct {
  as_tile_cut cut;
  bool shifted; /* exponentials that are summed are of the difference to the maximum so far */
  bool alike;   /* tiles of any extent along axes of one extent have one extent */
} as_tile_blocks_how;

/* The muGraph as text for as_parse_mug (malloc'ed).  NULL with err: the line and why not. */
char *as_tile_blocks(const char *text, const as_graph *given, as_oplib *lib,
                     const as_tile_blocks_how *how, as_err *err);
#endif
