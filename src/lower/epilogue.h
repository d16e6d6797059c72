/* What follows a contraction element by element (a bias, an activation, a residual) is computed
 * where its results are in registers.  May include: simt.h.  Used by simt.c, tf32.c. */
#ifndef AS_LOWER_EPILOGUE_H
#define AS_LOWER_EPILOGUE_H
#include "simt.h"

/* If all that reads the sum of flat unit number *unit is a map that reads it at its own indices,
 * the map is stored instead, and what follows that in turn; the unit then stands where the last
 * map's stood, number *unit, and the others are gone.  all_rows: a thread may go over all rows of
 * its columns, so that the last map may also be followed by a reduction over the rows (output
 * channels), and that by maps.  Fills plan->stored and plan->stored_body, and plan->fold_body and
 * others. */
void lo_epilogue(lo_job *job, uint32_t *unit, lo_simt *plan, bool all_rows);
#endif
