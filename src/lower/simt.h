/* Contractions in plain f32 arithmetic: sums of products at kernel level whose factors fall into
 * two groups, read as C[batch, row, column] = sum(k) A[batch, row, k] B[batch, column, k].  Rows,
 * columns and batches may be several axes each; what A and B are at an index is any expression of
 * reads and guards, so that a convolution is one of them.  A block keeps a tile of C in registers
 * and goes over k in slices that it gathers to shared memory.  May include: job.h.  Used by simt.c,
 * emit_simt.c, lower.c and what lowers units. */
#ifndef AS_LOWER_SIMT_H
#define AS_LOWER_SIMT_H
#include "job.h"

/* Axes are those of the result, but one that a factor reads in pieces only (`q div 4`) is two: a
 * group and what is within it. */
enum { LO_SIMT_TABLE = 4, LO_SIMT_AXES = AS_MAX_RANK + 2 };

typedef struct {
  lx *body; /* the group's product, over the axes, k, which is variable number n_axis, and those of
               the table, which follow */
  int n_table;
  lx *table[LO_SIMT_TABLE]; /* integers that k alone determines: computed once for a slice */
  long table_extent[LO_SIMT_TABLE]; /* each is within 0 .. extent - 1 */
  int n_axis;
  int axis[LO_SIMT_AXES];
  long extent; /* of the axes together */
  as_target_fetch fetch;
  bool along_depth; /* what follows in memory is the next k, not the next row or column */
} lo_simt_side;

typedef struct lo_simt {
  int n_axis;
  long dim[LO_SIMT_AXES];
  uint32_t live_dim[LO_SIMT_AXES]; /* as of a value */
  int n_batch;
  int batch[LO_SIMT_AXES];
  long batches;
  lo_simt_side side[2];   /* rows, columns; the result's last axis is a column */
  lx *index[AS_MAX_RANK]; /* of the result's axes, over those here */
  lx *inside; /* where axes are divided into more places than they have: those that exist; NULL: all
               */
  uint32_t stored;     /* the value that is stored: the sum itself, or .. */
  lx *stored_body;     /* .. a map of it, over the axes here; a read of the sum is the register */
  bool stores_vectors; /* four columns at once */
  /* What is stored may be made of a reduction over the rows of what is computed of the sum: */
  lx *fold_body;   /* its terms, over the axes here; NULL: there is none */
  lo_red fold_red; /* how they are joined */
  uint32_t fold;   /* a read of this value in stored_body is the reduction's result */
  as_target_simt tile;
} lo_simt;

/* Makes units of contractions of the flat ones for which that is the better way. */
void lo_simt_units(lo_job *job);
/* The axes, sides and what is stored of a sum that is a contraction; no tile, and of sides neither
 * fetch nor tables.  phases: are axes divided by what a factor asks of their remainders
 * (`z mod 2 = 0`)? The remainders are batch axes then.  false: it is none. */
bool lo_simt_read(lo_job *job, uint32_t id, bool phases, lo_simt *plan);
/* the extent in memory from an element of an axis to the next */
long lo_simt_stride(const lo_value *tensor, int axis);
/* Do elements lie elsewhere than the extents say: by sizes at run time, or in another tensor? */
bool lo_simt_lies_elsewhere(const lo_value *tensor);
/* Texts of how many rows (0) or columns (1) there are, malloc'ed. */
char *lo_simt_extent_text(const lo_job *job, const lo_simt *plan, int side);
struct lo_text;
/* lines that give indices of some axes, the last fastest, from a flat number of them; name: of each
 * axis of the plan */
void lo_simt_decode(struct lo_text *text, const lo_simt *plan, const char *const *name,
                    const int *axis, int n, const char *flat);
bool lo_emit_simt(lo_job *job, lo_unit *unit, as_str *out);
#endif
