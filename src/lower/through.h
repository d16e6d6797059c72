/* Which kernel-level values are written out where they are read.  Used by expand.c. */
#ifndef AS_LOWER_THROUGH_H
#define AS_LOWER_THROUGH_H
#include "job.h"

/* of a node of the graph: who reads it */
typedef struct {
  uint32_t n;
  bool kernel_level;    /* it and all of them are, and it is no output */
  bool reduce;          /* one of them has a reduction, and may read an element many times */
  bool of_index_tensor; /* it is one */
} lo_readers;

lo_readers *lo_readers_of(lo_job *job); /* by node, in the job's arena */
/* value: a map, just made of one kernel-level operator */
bool lo_is_read_through(const lo_job *job, const lo_value *value, const lo_readers *readers);
#endif
