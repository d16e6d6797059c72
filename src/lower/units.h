/* The list of a job's units.  Values know the number of the unit that defines them, and every
 * pass that adds, drops or orders units does so here, where those numbers are kept.  Used by the
 * passes of src/lower. */
#ifndef AS_LOWER_UNITS_H
#define AS_LOWER_UNITS_H
#include "job.h"

/* a unit of that name behind all others, without values and with one iteration; its number */
uint32_t lo_new_unit(lo_job *job, const char *name);
/* of block graphs: the value is defined by the unit, after those that are */
void lo_unit_add(lo_job *job, lo_unit *unit, uint32_t val);
/* a unit over the elements of a value in front of unit number `at` */
void lo_insert_flat_unit(lo_job *job, uint32_t at, uint32_t val);
/* units after it are one number lower from now on */
void lo_remove_unit(lo_job *job, uint32_t at);
/* the job's units are these from now on (lo_unit, copied) */
void lo_give_units(lo_job *job, const as_vec *units);
#endif
