/* Which units read a value as memory: whoever takes a unit away, or computes a value elsewhere,
 * asks here, so that no kernel reads what nobody stores.  May include: job.h.  Used by the passes
 * that join units. */
#ifndef AS_LOWER_READS_H
#define AS_LOWER_READS_H
#include "job.h"

/* Is the value a part of that one: the same memory, read by other indices? */
bool lo_is_part_of(const lo_value *value, uint32_t whole);
/* Does the expression read the value or a part of it?  NULL reads nothing. */
bool lo_expr_reads(const lo_job *job, const lx *expr, uint32_t id);
/* Does anything that the unit computes: of a contraction what follows it too, of a sweep both
 * reductions and what is made of them. */
bool lo_unit_reads(const lo_job *job, const lo_unit *unit, uint32_t id);
/* the number of the unit that alone reads it, or parts of it; LO_NONE: there are several, or none
 */
uint32_t lo_sole_reader(const lo_job *job, uint32_t id);
/* Is a part of the value one that units read as memory of its own? */
bool lo_has_parts(const lo_job *job, uint32_t id);
#endif
