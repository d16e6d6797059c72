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
/* Visits what an expression reads, places that are read from memory themselves included; NULL reads
 * nothing. */
void lo_each_in(const lx *expr, void (*visit)(void *arg, uint32_t read), void *arg);
/* Visits what a unit reads, once or several times: of a contraction what follows it too, of a sweep
 * both reductions and what is made of them. */
void lo_each_read(const lo_job *job, const lo_unit *unit, void (*visit)(void *arg, uint32_t read),
                  void *arg);
/* Is the value, or a part of it, among that? */
bool lo_unit_reads(const lo_job *job, const lo_unit *unit, uint32_t id);
/* Visits what it stores, and what only its own threads have. */
void lo_each_given(const lo_unit *unit, void (*visit)(void *arg, uint32_t given), void *arg);
/* the number of the unit that alone reads it, or parts of it; LO_NONE: there are several, or none
 */
uint32_t lo_sole_reader(const lo_job *job, uint32_t id);
/* Is a part of the value one that units read as memory of its own? */
bool lo_has_parts(const lo_job *job, uint32_t id);
#endif
