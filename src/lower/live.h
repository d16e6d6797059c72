/* Sizes left to run time (`sizes B <= 64`).  A program is lowered with each of them at its bound:
 * tiles in shared memory and tensors between kernels have the room that they need there.  What an
 * extent is in a launch, its live part, is an integer expression of the launch's sizes: grids,
 * loops and the strides of inputs and outputs are computed from it, and copies, reductions and
 * stores stop there, as they do where a tile is cut off (cut.c). Sizes of the muGraph that a
 * relation ties to such a size follow it, the others are as its file says: `B = G * U` with U = 1
 * makes G follow B, and with U = 16 is refused, since it does not hold for every B.  Used by all of
 * src/lower. */
#ifndef AS_LOWER_LIVE_H
#define AS_LOWER_LIVE_H
#include "job.h"

/* The sizes left to run time, and what follows them.  false with job->err: a relation of the
 * muGraph does not hold for all sizes of the range. */
bool lo_live_read(lo_job *job);
/* does the size depend on one that is left to run time? */
bool lo_is_live(const lo_job *job, as_size size);
/* The row (lo_cut_row) of a size that is live; 0 where it is not.  false with job->err: it is not
 * largest at the bounds, so that the room there does not do. */
bool lo_live_row(lo_job *job, as_size size, uint32_t *row);
/* the same of the extent of a tensor or tile, which may be cut off as well */
bool lo_live_extent(lo_job *job, as_size extent, uint32_t *row);
/* the integer that a row stands for */
lx *lo_live_leaf(lo_job *job, uint32_t row);
/* Are the two equal at all sizes of the range?  false also where that is not known. */
bool lo_live_same(lo_job *job, as_size left, as_size right);

/* an integer of C, malloc'ed; table: the array of the sizes left to run time */
char *lo_live_text(const lo_job *job, as_size size, const char *table);
/* the extent of an axis in a kernel: a number, or what is live of it; malloc'ed */
char *lo_live_dim(const lo_job *job, const lo_value *value, int axis);
/* the number of elements of the axes from this one on; malloc'ed */
char *lo_live_elements(const lo_job *job, const lo_value *value, int axis);
/* elements from one index of an axis to the next, in memory; malloc'ed.  Tensors between kernels
 * have the strides of the bounds. */
char *lo_live_stride(const lo_job *job, const lo_value *tensor, int axis);
/* Does a block do the same whatever the sizes left to run time are, so that they decide only how
 * many blocks there are?  Then a thread graph that is right at the bounds is right in every launch,
 * whose blocks are some of those that it was validated for.  NULL: it does; else why not. */
const char *lo_live_within(const lo_job *job, const lo_unit *unit, uint32_t block);

/* live_host.c: the declarations of a program with sizes left to run time, and the functions that
 * check them and say how large tensors are; nothing for others.  false with job->err */
/* Does the program take these sizes?  They are in range, and what the program states of its sizes
 * and its calls ask of them holds.  false with job->err */
bool lo_live_takes(lo_job *job, const int64_t *at);
void lo_live_declare(const lo_job *job, as_str *out);
bool lo_live_functions(lo_job *job, as_str *out);
/* how many blocks a launch has, an integer of C, malloc'ed */
char *lo_live_blocks(const lo_job *job, const lo_unit *unit, long per_block);
/* does the last axis of a tensor in memory depend on a size left to run time? */
bool lo_live_last(const lo_value *tensor);
#endif
