/* What the parts of the writer of Triton's Python share.  Private to src/write. */
#ifndef AS_WRITE_TRITON_INT_H
#define AS_WRITE_TRITON_INT_H
#include "flat.h"
#include "src/base/id.h"
#include "src/base/str.h"
#include "words.h"
#include "write.h"

enum { MOST_AXES = 2 * AS_MAX_RANK, LEAST_SUMMED_BY_DOT = 16, MOST_IN_FOUR_WARPS = 4096 };

typedef struct {
  const wr_program *program;
  const as_tile_program *tile;
  as_str out;
  int depth;
  bool *touched;    /* by tensor: the kernel at hand does */
  bool *stored;     /* by tensor: it has stored to it */
  uint32_t *kernel; /* by tile: the kernel that computes it, from 1 */
  uint32_t n_kernel;
  int64_t largest; /* block of the kernel at hand */
  as_err *err;
} tri_writer;

/* the axes that a value is computed over; those of one element are none */
typedef struct {
  uint32_t n;
  uint32_t var[MOST_AXES];
  int64_t length[MOST_AXES]; /* a power of two */
} tri_axes;

/* a text, and the axes along which it has more than one element; none: a scalar */
typedef struct {
  char *text;
  uint32_t along; /* bits */
} tri_value;

void tri_line(tri_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool tri_refuse(tri_writer *w, const char *what, const char *name); /* false */
void tri_add_axis(tri_writer *w, tri_axes *to, uint32_t var);
/* `(8, 16)`, the lengths of the first n axes; malloc'ed */
char *tri_shape_text(const tri_axes *over, uint32_t n);
/* the largest block of the kernel is at least so large */
void tri_note_block(tri_writer *w, const tri_axes *over);
/* a scalar as a block over the axes.  real: as a number of floating point, whatever it is made of
 */
tri_value tri_evaluate(tri_writer *w, const tri_axes *over, const wr_expr *expr, bool real);
/* the condition that lanes or counters are within their extents, where a block is longer; text
 * NULL: they always are */
tri_value tri_within(tri_writer *w, const tri_axes *over, uint32_t n, const uint32_t *var,
                     wr_expr *const *extent);
tri_value tri_nothing(void);
void tri_define(tri_writer *w, const wr_stmt *stmt);
#endif
