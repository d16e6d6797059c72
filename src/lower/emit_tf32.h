/* The text of a contraction in TF32, between the files that print it.
 * May include: emit.h, tf32.h.  Used by emit_tf32.c, emit_tf32_groups.c. */
#ifndef AS_LOWER_EMIT_TF32_H
#define AS_LOWER_EMIT_TF32_H
#include "emit.h"
#include "tf32.h"

typedef struct {
  lo_text text;
  const lo_tf32 *of;
  const char *var[LO_SIMT_AXES + 2];
  uint32_t tile[2]; /* rows and columns of a block */
  uint32_t threads;
  long pitch[2];  /* elements from one k to the next in shared memory */
  long behind[2]; /* bytes of a stage in front of each operand's slice */
  long stage;     /* bytes of a stage */
} tf32_text;

extern const char *const lo_tf32_stored_name[];      /* of axes, where results are stored */
void lo_tf32_open(lo_text *text, const char *line);  /* what follows is indented */
void lo_tf32_close(lo_text *text, const char *line); /* until here */
/* the type of an index of rows (0) or columns (1) */
const char *lo_tf32_index_type(const tf32_text *writer, int which);
/* the axes of both sides are called so from here on */
void lo_tf32_name_axes(tf32_text *writer, const char *const *name);

/* emit_tf32_groups.c: by warpgroups */
void lo_tf32_multiply_groups(tf32_text *writer);
/* a sum of parts that is done to the accumulators of a remainder */
void lo_tf32_add_sum(tf32_text *writer, long phase);
void lo_tf32_store_groups(tf32_text *writer);
/* emit_tf32_patch.c: the same, with columns from patches */
void lo_tf32_declare_patch(tf32_text *writer);
void lo_tf32_fetch_patch(tf32_text *writer);
void lo_tf32_multiply_patch(tf32_text *writer);
/* emit_tf32_staged.c: by warpgroups, through shared memory */
void lo_tf32_store_staged(tf32_text *writer);
void lo_tf32_group_register(lo_text *text, as_str *out, uint32_t id, lx *const *idx, int n);
#endif
