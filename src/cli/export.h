/* `assay certify ... --to FORMAT FILE`: certified candidates in the format of another program.
 * Private to src/cli. */
#ifndef AS_CLI_EXPORT_H
#define AS_CLI_EXPORT_H
#include "cli.h"

typedef struct cli_export cli_export;
cli_export *cli_export_new(const cli_opts *o); /* borrows; NULL when nothing is to be exported */
void cli_export_free(cli_export *x);           /* NULL allowed */
/* Adds the candidate of a judged case.  What is not certified, what the format cannot express at
 * the concrete sizes, and what is not certified again when it is read back is left out: false, and
 * says so on standard error. x NULL: nothing to do. */
bool cli_export_add(cli_export *x, const as_judged *judged, const as_verdict *v);
bool cli_export_write(const cli_export *x,
                      as_err *err); /* no file where there is nothing to write */
const char *
cli_export_path(const cli_opts *o); /* the argument that names the file; NULL when there is none */
#endif
