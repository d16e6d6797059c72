/* What texts of kernels that go over memory have in common.  Private to emit_sweep.c,
 * emit_pair.c and emit_scan.c. */
#ifndef AS_LOWER_EMIT_SWEEP_H
#define AS_LOWER_EMIT_SWEEP_H
#include "emit.h"
#include "sweep.h"

typedef struct {
  lo_text text; /* first: what reads are printed by has its address */
  const lo_sweep *sweep;
  const lo_value *value; /* whose axes the indices are */
  const char *repeat;    /* which of the repeats is at hand; NULL: nothing was read before */
  bool finishing;        /* the reduction is a variable */
  int window_result;     /* of a window: which one is at hand */
  uint32_t result;       /* (pair) what the last of the two gives .. */
  bool result_kept;      /* .. to memory, too */
  /* (rows) the map that all threads go on with, which reads the results as stored_x and stored_y;
   * NULL: none follows */
  const lo_value *follower;
} lo_sweeper;

/* texts of indices by their numbers */
extern const char *const lo_sweep_index[];

void lo_sweep_loop(lo_text *text, const char *variable, long count); /* opened, unrolled */
void lo_sweep_close(lo_text *text);
void lo_sweep_declare_reads(lo_sweeper *at);
/* the index `along` as `first` plus the neighbour's number j */
void lo_sweep_declare(lo_sweeper *at, int along, const char *first);
/* The reads of one repeat u, at indices that are known except `along`, whose first neighbour has
 * the name `first`. */
void lo_sweep_reads(lo_sweeper *at, int along, const char *first);
/* the same one by one, of the neighbour j */
void lo_sweep_single_reads(lo_sweeper *at);
/* all indices but those of the set `without`, from the number of an element among them */
void lo_sweep_decode(lo_sweeper *at, const char *number, unsigned without);
const char *lo_sweep_number_type(long most);
const char *lo_sweep_identity(lo_red red);
char *lo_sweep_joined(lo_red red, const char *left, const char *right); /* malloc'ed */
/* one fold x, of the indices of the result: what is stored of it */
void lo_sweep_result(lo_sweeper *at, const char *place);
void lo_sweep_store(lo_sweeper *at, int vector, const char *place, const char *from);

/* the indices of columns, whose number is e, and whether there is such a one; gives the axis along
 * which neighbours lie */
int lo_sweep_columns(lo_sweeper *at, long results);
/* the number of a row, e, and of a thread among those that have it, t */
void lo_sweep_rows(lo_sweeper *at, long results);
/* a reduction of rows, from these and their indices on */
void lo_emit_rows(lo_sweeper *at);
/* neighbours of a map from e on: read, or computed and stored; `elements` of them there are */
void lo_sweep_map_reads(lo_sweeper *at, long elements);
void lo_sweep_map_results(lo_sweeper *at, long elements);

/* emit_pair.c, emit_scan.c, emit_follow.c */
void lo_emit_pair_rows(lo_sweeper *at);
/* Is the first, or the second, of the two results named in the text?  What is neither stored nor
 * read again is not. */
bool lo_pair_names_first(const lo_sweeper *at);
bool lo_pair_names_second(const lo_sweeper *at);
void lo_emit_follow(lo_sweeper *at);
/* elements of a map in a row of the reduction that it follows */
long lo_row_of(const lo_job *job, const lo_sweep *sweep, long elements);
void lo_emit_pair(lo_sweeper *at, long results);
void lo_emit_scan(lo_sweeper *at);
void lo_emit_scan_columns(lo_sweeper *at);
#endif
