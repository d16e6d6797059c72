/* What the reader of Triton's kernels and its generalisations share.  Private to src/import. */
#ifndef AS_TRITON_INT_H
#define AS_TRITON_INT_H
#include "src/ttir/ttir.h"
#include "triton.h"

typedef struct {
  char *path;
  as_ttir_kernel *kernel;
} triton_file;

/* the launch that the options say; NULL with err */
as_ttir_launch *triton_launch(const triton_file *file, const as_import_tile_options *options,
                              as_err *err);
/* the others of the same JSON text, at most `room`, each to be freed: how many */
uint32_t triton_other_launches(const triton_file *file, const as_import_tile_options *options,
                               as_ttir_launch **to, uint32_t room);
/* the tile program, what is taken for granted at its head (malloc'ed); NULL with err */
char *triton_text(const triton_file *file, const as_ttir_launch *launch, as_err *err);

extern const as_import_general triton_general;
#endif
