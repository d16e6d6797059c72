/* Ids: 32-bit positions in arrays that stand for pointers, and the id that stands for none.
 * Includes libc only.
 * Used wherever something is named by its position. */
#ifndef AS_BASE_ID_H
#define AS_BASE_ID_H
#include <stdint.h>

#define AS_NONE UINT32_MAX

#endif
