/* The memory of GMP's numbers.  May include: base, GMP.  Called where a program starts. */
#ifndef AS_NUMBERS_H
#define AS_NUMBERS_H

/* From now on GMP's numbers, and so rationals and intervals, take small blocks (blocks.h).  Before
 * the first number is made. */
void as_numbers_keep(void);

#endif
