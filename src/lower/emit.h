/* Text of kernels: lines, expressions, and the parts of a kernel.  Used by the emit_*.c files and
 * lower.c. */
#ifndef AS_LOWER_EMIT_H
#define AS_LOWER_EMIT_H
#include "job.h"
#include "src/base/str.h"

typedef struct {
  const lx *expr;
  int temporary;
} lo_memo; /* a part of an expression and the temporary that holds it */

/* How an accumulator in shared memory begins, and the operator that joins a tile's element to what
 * is there (NULL: a text of its own).  A kind without a row is refused. */
typedef struct {
  const char *first;
  const char *joins;
} lo_acc_row;

const lo_acc_row *lo_acc_row_of(as_acc_kind kind); /* NULL: none */

typedef struct lo_text {
  lo_job *job;
  lo_unit *unit;
  as_str *out;
  int indent;
  int n_temporary;
  const lx *root;
  /* text of a read of value val at the indices */
  void (*ref)(struct lo_text *text, as_str *out, uint32_t val, lx *const *idx, int n);
  const char *const *var;       /* texts of the variables */
  long extent[AS_MAX_RANK + 7]; /* of the variables; those that are set by lo_axes */
  int n_extent;
  bool eager; /* conditions of indices alone are evaluated whole: no branches between them */
  lo_memo *memo;
  uint32_t n_memo;
  uint32_t memo_cap;
} lo_text;

/* the expressions that follow are over the axes of `value`; of a reduction, its reduced index too
 */
void lo_axes(lo_text *text, const lo_value *value);
/* the type of an index that goes up to `most` */
const char *lo_index_type(long most);
void lo_line(lo_text *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void lo_barrier(lo_text *text, const char *why); /* why: a comment, or NULL */
/* scalar text, malloc'ed; shared parts become temporaries printed before */
char *lo_expr(lo_text *text, const lx *expr);
/* a relation of indices that no read decides, or several such? */
bool lo_is_cheap_condition(const lx *expr);
char *lo_condition(lo_text *text, const lx *expr); /* text of one, malloc'ed */
char *lo_index(lo_text *text, const lx *expr);     /* integer text, malloc'ed */
/* text of the buffer that a global value lives in, malloc'ed */
char *lo_global_pointer(const lo_job *job, uint32_t id);
/* the offset of an element of a global value, row by row; malloc'ed */
char *lo_global_offset(lo_text *text, const lo_value *tensor, lx *const *idx, int n);
/* the text of a read of a global value's element; a lo_text's `ref` where all values are global */
void lo_read_global(lo_text *text, as_str *out, uint32_t val, lx *const *idx, int n);
/* how many blocks there are along a grid axis, how many iterations the loop has; malloc'ed */
char *lo_blocks_text(const lo_job *job, const lo_unit *unit, int axis);
/* Does a trial leave its loop early?  Then every accumulator stands for fewer iterations. */
bool lo_may_stop_early(const lo_job *job, const lo_unit *unit);
char *lo_rounds_text(const lo_job *job, const lo_unit *unit);
/* text of a tile's number along an axis, in that type: by the grid axes that divide it (the last
 * one, or -1, and the slower ones as bits) and the loop; NULL where nothing does; malloc'ed */
char *lo_tile_number(const lo_unit *unit, int last, uint8_t slower, bool by_loop, const char *type);
/* element offset of a tile's first element in its tensor, and of an element from `base`, which is
 * that; malloc'ed.  by_loop: per axis whether the loop divides it, NULL: none */
char *lo_tile_base(const lo_text *text, const lo_value *tile, const lo_value *tensor,
                   const int *grid_axis, const uint8_t *slower, const bool *by_loop);
char *lo_tile_offset(const lo_text *text, const lo_value *tile, const lo_value *tensor);
/* element offset text for an index, without stage and base; malloc'ed */
char *lo_smem_offset(const lo_value *value, const lo_smem *shared, char *const *idx);
bool lo_emit_flat(lo_job *job, lo_unit *unit, as_str *out);
bool lo_emit_block(lo_job *job, lo_unit *unit, as_str *out);
void lo_emit_mma(lo_text *text, uint32_t val, const char *fragment);
void lo_emit_mma_decl(lo_text *text, uint32_t val, const char *fragment);
void lo_emit_mma_store(lo_text *text, uint32_t val, const char *fragment);
void lo_emit_mma_rescale(lo_text *text, uint32_t val, uint32_t run, const char *fragment);
#endif
