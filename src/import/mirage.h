/* The muGraphs that Mirage saves (github.com/mirage-project/mirage, benchmark/saved_mugraphs), each
 * read as a muGraph of ours, its concrete extents lifted to the named sizes of a program: grid
 * extents, loop counts and tiles become sizes of the muGraph with the relations between them; an
 * extent for which no such reading is found stays the number that it is.  The meaning of the
 * format: docs/mirage.md.  May include: base, ir, jansson.  Called by import.c. */
#ifndef AS_IMPORT_MIRAGE_H
#define AS_IMPORT_MIRAGE_H
#include "import.h"

extern const as_import_format as_mirage_format;
#endif
