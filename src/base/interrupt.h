/* Ctrl-C as a flag.
 * Includes libc only.
 * Used by commands that can stop early and still leave something valid behind. */
#ifndef AS_BASE_INTERRUPT_H
#define AS_BASE_INTERRUPT_H

/* From now on the first SIGINT sets the flag given and does nothing else; a second one kills. */
const volatile int *as_interrupt_catch(void);

#endif
