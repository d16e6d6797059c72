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

extern const as_import_general triton_general;
#endif
