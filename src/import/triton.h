/* Triton's kernels (TTIR) as tile programs: src/ttir behind the interface of formats.
 * Includes src/ttir.  Used by the table of formats. */
#ifndef AS_IMPORT_TRITON_H
#define AS_IMPORT_TRITON_H
#include "import.h"

extern const as_import_tile_format as_triton_format;
#endif
