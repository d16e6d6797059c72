/* Tiles side by side along an axis of a tensor, and which blocks and iterations they are of. */
#include "job.h"
#include <stdlib.h>

lo_divided lo_divided_by(const lo_unit *unit, uint8_t grid_axes, bool by_loop) {
  lo_divided by = {.grid_axes = grid_axes, .by_loop = by_loop, .count[3] = unit->loop};
  for (int axis = 0; axis < 3; axis++)
    by.count[axis] = unit->grid[axis];
  return by;
}

long lo_blocks_along(const lo_unit *unit, uint8_t grid_axes) {
  long blocks = 1;
  for (int axis = 0; axis < 3; axis++)
    blocks *= grid_axes >> axis & 1 ? unit->grid[axis] : 1;
  return blocks;
}

char *lo_tile_number(const lo_divided *by, const char *type) {
  static const char *const name[] = {"bx", "by", "bz", "l"};
  char *number = NULL;
  for (int axis = 0; axis < 4; axis++) {
    if (axis < 3 ? !(by->grid_axes >> axis & 1) : !by->by_loop)
      continue;
    char *longer = number
                       ? as_format("(%s * %ld + (%s)%s)", number, by->count[axis], type, name[axis])
                       : as_format("(%s)%s", type, name[axis]);
    free(number);
    number = longer;
  }
  return number;
}
