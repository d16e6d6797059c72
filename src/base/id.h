/* Ids: 32-bit positions in arrays that stand for pointers, and the id that stands for none.
 * Includes libc only.
 * Used wherever something is named by its position. */
#ifndef AS_BASE_ID_H
#define AS_BASE_ID_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AS_NONE UINT32_MAX

static inline bool as_id_among(const uint32_t *list, size_t n, uint32_t id) {
  for (size_t i = 0; i < n; i++) {
    if (list[i] == id)
      return true;
  }
  return false;
}

/* for qsort: the smaller id first */
static inline int as_id_compare(const void *left, const void *right) {
  uint32_t first = *(const uint32_t *)left;
  uint32_t second = *(const uint32_t *)right;
  return first < second ? -1 : first > second;
}

#endif
