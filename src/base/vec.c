#include "vec.h"
#include "mem.h"
#include <stdlib.h>
#include <string.h>

void as_vec_init(as_vec *vec, size_t item) {
  *vec = (as_vec){.item = item};
}

void as_vec_clear(as_vec *vec) {
  free(vec->data);
  as_vec_init(vec, vec->item);
}

void *as_vec_push(as_vec *vec, const void *item) {
  if (vec->n == vec->cap) {
    vec->cap = vec->cap ? 2 * vec->cap : 8;
    vec->data = as_realloc(vec->data, vec->cap * vec->item);
  }
  void *at = (char *)vec->data + vec->n++ * vec->item;
  if (item)
    memcpy(at, item, vec->item);
  else
    memset(at, 0, vec->item);
  return at;
}
