/* Certified candidates in the format of another program (`--to FORMAT FILE`).
 * Includes verify/judge, import.  Called by the commands that judge candidates. */
#ifndef AS_BATCH_EXPORT_H
#define AS_BATCH_EXPORT_H
#include "src/import/import.h"
#include "verify/judge/judge.h"

typedef struct as_batch_export as_batch_export;

/* For a file of that format and path.  Borrows; policy: what is written is read back and judged by
 * it, but for the solvers. */
as_batch_export *as_batch_export_new(const as_import_format *format, const char *path,
                                     const as_policy *policy);
void as_batch_export_free(as_batch_export *export); /* NULL allowed */
/* Adds the candidate of a judged case.  What is not certified, what the format cannot express at
 * the concrete sizes, and what is not certified again when it is read back is left out: false, and
 * says so on standard error.  export NULL: nothing to do, true. */
bool as_batch_export_add(as_batch_export *export, const as_judged *judged,
                         const as_verdict *verdict);
/* The same of a tile program that is certified already (its text: `text`), which need not be read
 * back.  false with err: the format cannot express it. */
bool as_batch_export_tile(as_batch_export *export, const struct as_tile_program *tile,
                          const char *text, as_err *err);
/* no file where there is nothing to write; NULL: nothing to do */
bool as_batch_export_write(const as_batch_export *export, as_err *err);
#endif
