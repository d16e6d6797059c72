#include "value.h"

long lo_elems(const lo_value *value) {
  long n = 1;
  for (int i = 0; i < value->rank; i++)
    n *= value->dim[i];
  return n;
}

int lo_last_axis(const lo_value *value) {
  int last = value->rank - 1;
  while (last >= 0 && value->dim[last] == 1)
    last--;
  return last;
}

const char *lo_dtype_name(as_dtype type) {
  static const char *const names[] = {"f16", "bf16", "f32", "int"};
  return names[type];
}

bool lo_rows_aligned(const lo_value *tensor, long elem, long bytes) {
  long columns = tensor->rank ? tensor->dim[tensor->rank - 1] : 1;
  if (tensor->buffer_class != LG_PART)
    return columns * elem % bytes == 0;
  bool aligned = columns * elem % bytes == 0 && tensor->origin * elem % bytes == 0;
  for (int axis = 0; axis < tensor->rank && bytes > elem; axis++) {
    bool last = axis + 1 == tensor->rank;
    aligned &= last ? tensor->stride[axis] == 1
                    : tensor->dim[axis] == 1 || tensor->stride[axis] * elem % bytes == 0;
  }
  return aligned;
}
