/* Which build of the program runs. */
#ifndef AS_OPTIMIZE_BUILD_ID_H
#define AS_OPTIMIZE_BUILD_ID_H

/* What tells the running program from other builds of it, in hexadecimal digits: the hash that the
 * linker left in it or, where it left none, one of the whole file; "unknown" where neither is to be
 * had. */
void as_build_id(char id[65]);

#endif
