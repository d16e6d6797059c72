#include "value.h"

long lo_elems(const lo_value *value) {
  long n = 1;
  for (int i = 0; i < value->rank; i++)
    n *= value->dim[i];
  return n;
}

const char *lo_dtype_name(as_dtype type) {
  static const char *const names[] = {"f16", "bf16", "f32", "int"};
  return names[type];
}
