/* What a given program says that numbers of a candidate may be examples of, and the same program
 * with relations of its sizes.  Includes import.  Used by tiles.c. */
#ifndef AS_BATCH_GENERAL_H
#define AS_BATCH_GENERAL_H
#include "src/import/import.h"
#include "verify/tile/tile_job.h"

/* sizes, arguments and results of the given program that the job has read; borrowed from it but for
 * the lists, which as_batch_known_clear frees */
void as_batch_known_of(const as_tile_job *job, as_import_known *known);
void as_batch_known_clear(as_import_known *known);

/* The text of a program with lines more behind the last that declares sizes (malloc'ed); NULL: it
 * declares none. */
char *as_batch_with_lines(const char *text, const char *lines);
/* The text of a program without the lines that declare sizes, each of the known ones being its
 * value (malloc'ed). */
char *as_batch_at_values(const char *text, const as_import_known *known, const int64_t *value);
#endif
