/* Vectors of items of one size.
 * Includes libc only.
 * Used by everything. */
#ifndef AS_BASE_VEC_H
#define AS_BASE_VEC_H
#include <stddef.h>

typedef struct as_vec {
  void *data;
  size_t n;
  size_t cap;
  size_t item; /* bytes of one */
} as_vec;

#define AS_VEC_AT(v, type, i) (((type *)(v)->data)[i])

void as_vec_init(as_vec *v, size_t item);
void as_vec_clear(as_vec *v);
/* Copies `item` behind the last one, or puts zeros there where it is NULL.  Gives the new item's
 * address, valid till the next push. */
void *as_vec_push(as_vec *v, const void *item);

#endif
