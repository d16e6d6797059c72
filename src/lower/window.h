/* Folds over small windows: neighbouring results read elements in common (x[2 * i + k]), so a
 * thread computes a tile of them from elements that it reads once, with all terms written out.
 * For reductions of units that are swept (sweep.h).  May include: sweep.h.  Used by sweep.c,
 * emit_window.c. */
#ifndef AS_LOWER_WINDOW_H
#define AS_LOWER_WINDOW_H
#include "range.h"
#include "sweep.h"

enum {
  LO_WINDOW_TERMS = 128,      /* of a result, at most */
  LO_WINDOW_INSTANCES = 1024, /* terms of all results of a thread, at most */
  LO_WINDOW_ALL_FIRST = 96    /* so many elements are all read before the first term */
};

/* in expressions of a window: LX_REF of this value is the read with that number (kid 0), or, with
 * LO_WINDOW_FOLD for it, the result's fold */
#define LO_WINDOW_VALUE (UINT32_MAX - 1)

enum { LO_WINDOW_FOLD = -1 };

/* One element, or 2 or LO_SWEEP_VECTOR side by side: read where all guards hold, else `fill`. */
typedef struct {
  uint32_t val;
  lx *base; /* where the first one is, less `number` */
  long number;
  const lx *fill;
  lx *guard[2 * AS_MAX_RANK];
  int n_guard;
  int width;
} lo_window_load;

typedef struct {
  int load;
  int lane; /* of a vector */
} lo_window_read;

typedef struct lo_window {
  int last;                  /* the axis along which lanes go */
  long count[AS_MAX_RANK];   /* neighbours that a thread has along each axis: a chunk */
  long chunks[AS_MAX_RANK];  /* how many there are, the last perhaps not whole */
  lo_range box[AS_MAX_RANK]; /* the chunks that the text below is of .. */
  bool everywhere;           /* .. which are all; others go result by result */
  int results;               /* of a thread, the last axis fastest */
  lo_window_load *load;
  int n_load;
  lo_window_read *read;
  int n_read;
  lx **term;   /* over the numbers of chunks, term by term, of each all results */
  int *order;  /* numbers of those, as they are to be computed */
  lx **stored; /* of each result; NULL: the fold */
  bool staged; /* results go through shared memory to where they lie */
} lo_window;

/* Is the value a fold of a few terms of which neighbouring results may have some in common? */
bool lo_reads_windows(const lo_value *value);
/* How the reduction goes as a window; NULL: it is none, or better made otherwise.  finish: what is
 * stored of it, or NULL. */
lo_window *lo_window_of(lo_job *job, uint32_t id, lx *finish);
#endif
