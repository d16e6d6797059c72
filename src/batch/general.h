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

typedef struct {
  as_oplib *library;
  const char *name; /* of its file */
  const char *text;
} as_batch_given;

/* What is printed of the given program (malloc'ed), under these relations too, lines `where a <=
 * b`; and where each size that it declares is its value, in the order in which as_batch_known_of
 * has them.  NULL with err. */
char *as_batch_related(const as_batch_given *given, const char *relations, as_err *err);
char *as_batch_at_values(const as_batch_given *given, const int64_t *value, as_err *err);
#endif
