#include "numbers.h"
#include "src/base/blocks.h"
#include <gmp.h>

void as_numbers_keep(void) {
  mp_set_memory_functions(as_block_take, as_block_resize, as_block_give);
}
