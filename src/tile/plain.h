/* Tile programs as programs of operators' calls over whole tiles (docs/tile.md section 5.1).
 * May include: base, ir, tile.  Used by src/tile/blocks.c. */
#ifndef AS_TILE_PLAIN_H
#define AS_TILE_PLAIN_H
#include "tile.h"

/* The text of one (malloc'ed); NULL with err: the line and why not.  Numbers that are extents of
 * tensors are the sizes of `given`, whose table of sizes is the program's, where these have that
 * value. */
char *as_tile_plain(as_tile_program *program, const as_graph *given, as_err *err);
#endif
