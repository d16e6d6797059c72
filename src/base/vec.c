#include "vec.h"
#include "mem.h"
#include <stdlib.h>
#include <string.h>

void as_vec_init(as_vec *v, size_t item) {
  *v = (as_vec){.item = item};
}

void as_vec_clear(as_vec *v) {
  free(v->data);
  as_vec_init(v, v->item);
}

void *as_vec_push(as_vec *v, const void *item) {
  if (v->n == v->cap) {
    v->cap = v->cap ? 2 * v->cap : 8;
    v->data = as_realloc(v->data, v->cap * v->item);
  }
  void *at = (char *)v->data + v->n++ * v->item;
  if (item)
    memcpy(at, item, v->item);
  else
    memset(at, 0, v->item);
  return at;
}
