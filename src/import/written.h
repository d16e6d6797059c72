/* Formats that programs are written in and not read from: TensorIR, Python with Triton.  A muGraph
 * is written as the tile program that it is, at its concrete sizes.
 * May include: base, ir, src/tile, src/write.  Called by import.c. */
#ifndef AS_IMPORT_WRITTEN_H
#define AS_IMPORT_WRITTEN_H
#include "import.h"

extern const as_import_format as_tensorir_format;
extern const as_import_format as_written_triton_format;
#endif
