/* Contractions on tensor cores with factors rounded to TF32, where the program's user permits it
 * (as_target_rounding), or of 16 bits, which are numbers of TF32: C[batch, row, column] = sum(k)
 * A[batch, row, k] B[batch, column, k], as simt.h says.
 *
 * The terms of the sum are taken in an order in which those that follow each other lie alike: k is
 * `inner` beside `class`, and of all k with one class the guards are the same and the places in
 * memory go up by one step each (channels of a convolution within one tap).  So a thread computes a
 * place and a guard once for several copies.  An operand that is not like that, or that does not
 * follow itself in memory along its rows, is packed by a kernel in front (weights).
 * May include: job.h, simt.h.  Used by tf32.c, emit_tf32.c, lower.c and what lowers units. */
#ifndef AS_LOWER_TF32_H
#define AS_LOWER_TF32_H
#include "simt.h"

enum { LO_TF32_TAPS = 256 };

typedef struct {
  bool packed;           /* fragment by fragment in the order of the slices, rounded already */
  as_target_fetch fetch; /* 16 bytes along the rows, or places that are computed */
  bool scattered;        /* neighbours in memory are not neighbouring rows */
  uint32_t val;          /* the tensor that is read */
  lx *guard;             /* elements where it does not hold are 0; NULL: none is needed */
  lx *fixed;             /* the place in memory: what does not depend on k .. */
  lx *moving;            /* .. and what depends on the class */
  long step;             /* .. and on the inner number, each time */
  long pitch;            /* of a packed one: its rows, with those that fill up the last tile */
} lo_tf32_side;

typedef struct lo_tf32 {
  lo_simt plan;
  lo_tf32_side side[2];
  long classes;
  long inner;
  long group; /* slices hold the inner numbers of a class in groups of so many, a power of two */
  bool inner_first; /* k = class + inner * classes; else class * inner + inner number */
  bool in_parts;    /* factors are two parts, products three */
  bool exact;       /* factors are elements of 16 bits: nothing is rounded */
  bool skips;       /* classes that a block has no terms of are left out */
  lx *needed;       /* of a class: does it have terms?  Over batch axes, class and .. */
  int phase;   /* the axis of remainders of the result's last axis, of which a thread keeps .. */
  long phases; /* .. all that there are; 1: none, such remainders are batches */
  long stored_at_once; /* by warpgroups: results of a row that are one store; 1, 2 or 4 */
  bool staged;         /* by way of shared memory instead */
  long
      tap[LO_TF32_TAPS]; /* of patches (tf32_patch.h): where taps read, from the first one on, .. */
  long patch_low;        /* .. the least of these, and .. */
  bool by_vectors;       /* .. are they copied by 16 bytes? */
  as_target_tf32 tile;
} lo_tf32;

/* Makes units of contractions of the flat ones where that is permitted and the better way; may add
 * units in front of them. */
void lo_tf32_units(lo_job *job);
/* microseconds of a flat unit that becomes one, by the model; infinite: it does not */
double lo_tf32_us(lo_job *job, const lo_unit *unit);
/* of all slices together: k as they are numbered there */
long lo_tf32_depth(const lo_tf32 *of);
/* Is it coefficient * variable + something without the variable? */
bool lo_tf32_affine(const lx *expr, int var, long *coefficient);
/* of the axes, then of the inner number and the class */
void lo_tf32_extents(const lo_tf32 *of, long *extent);
/* of results that are staged: elements from one row to the next, and rows at a time */
long lo_tf32_staged_pitch(const lo_tf32 *of);
long lo_tf32_staged_rows(const lo_tf32 *of);
/* the text of functions that the kernels call */
void lo_tf32_prelude(const lo_job *job, as_str *out);
bool lo_emit_tf32(lo_job *job, lo_unit *unit, as_str *out);
#endif
