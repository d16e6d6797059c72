/* Tile programs of block form (docs/tile.md, section 5): a muGraph written as one, and read as what
 * it is.  A file holds one.
 * May include: base, ir, src/tile.  Called by import.c. */
#ifndef AS_IMPORT_TILE_H
#define AS_IMPORT_TILE_H
#include "import.h"

extern const as_import_format as_tile_format;
#endif
