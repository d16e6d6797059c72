/* Trinity's tile programs, as the optimizer and the evaluation files of its artifact have them,
 * read into `.tile`: S-expressions with loops, loads, stores and named scratch tensors. May
 * include: base. Used by the command line and the tests.
 *
 * Numbers that are extents of tensors become sizes (4096 becomes `N4096 = 4096`), so that a program
 * speaks of all sizes; what the numbers say of each other is kept where the program relies on it: a
 * loop over 4096 in steps of 128 makes `N4096 = N32 * N128`.  A tile's size is one of its kernel.
 */
#ifndef AS_IMPORT_TRINITY_H
#define AS_IMPORT_TRINITY_H
#include "import.h"
#include "src/base/err.h"

/* what is there of a tensor of kind `tensor`; and of one that a kernel sums up */
#define AS_TRINITY_SCRATCH_WORDS "global,private,generator"

typedef enum {
  AS_TRINITY_GLOBAL,   /* one array for the whole program, zeros at the start */
  AS_TRINITY_PRIVATE,  /* zeros anew in each instance of the only kernel that uses it */
  AS_TRINITY_GENERATOR /* as the artifact's code generator emits it: sums are in registers that
                          start at zero, and a load after a store may see the old value */
} as_trinity_scratch;

const char *as_trinity_scratch_text(as_trinity_scratch scratch);
as_trinity_scratch as_trinity_scratch_named(const char *word); /* one of the words */

typedef struct as_trinity as_trinity;

/* One program, or one a line as `NUMBER: PROGRAM`.  shapes: the table of extents; NULL:
 * `shapes.tsv` beside the file or in the folder above.  NULL with err. */
as_trinity *as_trinity_read(const char *path, const char *shapes, as_err *err);
void as_trinity_free(as_trinity *file); /* NULL allowed */
size_t as_trinity_count(const as_trinity *file);
/* its number in the file, or its position */
const char *as_trinity_label(const as_trinity *file, size_t i);

typedef struct {
  as_trinity_scratch scratch;
  const char *config; /* which rows of the table; NULL: the only ones that fit */
  const char *prefix; /* of the names of tile sizes, which two programs do not share */
} as_trinity_options;

/* Text of program i as `.tile`, malloc'ed; NULL with err (file, line, column): a hole, a variable
 * that no loop binds, an operator that is not known. */
char *as_trinity_tile(const as_trinity *file, size_t i, const as_trinity_options *options,
                      as_err *err);
extern const as_import_tile_format as_trinity_format;
#endif
