/* Kernels that go over tensors in memory as they lie: maps element by element, and reductions whose
 * lanes go along whatever lies side by side.  For units at kernel level of floating-point elements,
 * which are computed with in 32 bits.  Used by lower.c, emit_host.c, emit_sweep.c. */
#ifndef AS_LOWER_SWEEP_H
#define AS_LOWER_SWEEP_H
#include "place.h"

typedef enum {
  LO_SWEEP_MAP,
  LO_SWEEP_ROWS,    /* lanes go along the reduced index: a warp or a block has a result */
  LO_SWEEP_COLUMNS, /* lanes go along the results; warps of a block may share the reduced index */
  LO_SWEEP_SCAN,    /* a block goes along the axis of a scan */
  LO_SWEEP_SCAN_COLUMNS, /* a thread does, neighbours beside each other */
  LO_SWEEP_WINDOW        /* a thread has neighbouring results, and what they read (window.h) */
} lo_sweep_kind;

/* Result i of an axis has the terms below sign * i + shift: of n results the first (sign 1) or last
 * (-1) has one, or none, and each one more than its neighbour. */
typedef struct {
  int axis;
  int sign; /* 1 or -1 */
  long shift;
  bool exclusive; /* the first has none */
  long terms;     /* of all results */
  const lx *term; /* over the axes and k, without that axis */
} lo_scan;

enum {
  LO_SWEEP_THREADS = 256, /* of a block, where nothing else was measured to be faster */
  LO_SWEEP_WARPS = LO_SWEEP_THREADS / 32,
  LO_SWEEP_READS = 24,
  LO_SWEEP_VECTOR = 4, /* elements of 32 bits in 16 bytes .. */
  LO_SWEEP_NARROW = 8  /* .. and of 16 bits */
};

/* An element that every evaluation reads, whose place is a sum of multiples of indices. */
typedef struct {
  const lx *ref;
  lo_offset at;
  long origin; /* of element 0 of its tensor, in what begins 16 bytes */
  bool vector; /* neighbours are read at once */
  bool flat;   /* of a map: it lies where the result does */
  bool same;   /* neighbours are one element */
  bool back;   /* neighbours are read at once, the last one first */
} lo_sweep_read;

/* pair.c: two reductions that one pass makes */
typedef enum {
  LO_PAIR_NONE,
  LO_PAIR_SCALED,  /* a maximum, and the sum of exponentials of what is below it */
  LO_PAIR_MOMENTS, /* a sum, and the sum of squares about the mean */
  LO_PAIR_PLACE    /* an extremum, and the first or last term that has it */
} lo_pair;

typedef struct lo_sweep {
  lo_sweep_kind kind;
  uint32_t reduction; /* LO_NONE: it is a map */
  const lx *end;      /* how many terms a result has, over its axes; NULL: as many as all */
  lx *finish; /* what is stored, over the reduction's axes, with reads of the reduction; NULL: it */
  lo_scan scan;
  struct lo_window *window;
  lo_pair pair;          /* (rows, columns) with another reduction, which is made first .. */
  uint32_t first;        /* .. the value whose terms are read .. */
  uint32_t first_result; /* .. where it is stored .. */
  lx *first_finish;      /* .. and what of it .. */
  bool first_kept;       /* .. for others to read */
  lo_red keeps;          /* of places: LO_MIN the first, LO_MAX the last .. */
  long none;             /* .. and what stands where there is none */
  lo_sweep_read read[LO_SWEEP_READS];
  int n_read;
  int block;               /* threads of a block */
  int vector;              /* neighbours that a thread has: 1, or what 16 bytes have */
  int repeats;             /* of them, in flight at a time */
  int threads;             /* of a result (rows): 32 or LO_SWEEP_THREADS */
  int warps_deep;          /* warps that share the reduced index (columns) */
  bool unrolled;           /* (columns) a thread has all terms, the number of each known */
  bool linear;             /* a map: neighbours may lie in two rows of the last axis */
  struct lo_sweep *before; /* a map: the reduction (rows) that its rows are made after, by the same
                              threads; NULL: none .. */
  uint32_t before_result;  /* .. the value that it gives .. */
  bool before_kept;        /* .. for others to read, too */
} lo_sweep;

/* Joins what one kernel may compute, divides long reductions of few results among blocks, and says
 * how each kernel goes.  After lo_simt_units: units of contractions stay as they are. */
void lo_sweep_units(lo_job *job);
/* sweep.c: is the unit one over whole tensors, all of which are read as memory? */
bool lo_is_swept(const lo_job *job, const lo_unit *unit);
/* scan.c: is the reduction a scan? */
bool lo_scan_of(lo_job *job, const lo_value *value, lo_scan *scan);
/* gaps.c: terms that a condition leaves out are none any more; false: it leaves out no such */
bool lo_close_gaps(lo_job *job, uint32_t value);
/* pair.c: what the two units, in this order, are together */
lo_pair lo_pair_of(lo_job *job, const lo_unit *first, const lo_unit *second);
lx *lo_pair_over(lo_job *job, const lo_value *first, const lo_value *second, lx *expr);
/* merge.c: the reduction of a unit and the one that it is of become one of all terms, and what is
 * left of the unit a map; false: they are not of such a form */
bool lo_merge_reductions(lo_job *job, uint32_t which);
/* merge.c, of a fold over results of another one, whose terms are numbered through in place of the
 * outer one's: an expression of the outer one's indices by that number .. */
lx *lo_by_number(lo_job *job, const lo_value *outer, const lo_value *inner, lx *expr);
/* .. and the term of the inner one with that number, of the result that is read */
lx *lo_term_of_both(lo_job *job, const lo_value *outer, const lo_value *inner, const lx *read);
/* follow.c: maps that read results of a reduction's rows are made where those are; after all units
 * have their plans */
void lo_follow_rows(lo_job *job);
/* join.c: units that one kernel may compute become one */
void lo_join_units(lo_job *job);
/* emit_sweep.c: the text of one; false with job->err */
bool lo_emit_sweep(lo_job *job, lo_unit *unit, as_str *out);
#endif
