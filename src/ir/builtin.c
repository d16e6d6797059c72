#include "builtin.h"
#include <string.h>

const as_builtin_row as_builtin_rows[] = {
#define X(name, c, shape, least, most) {#name, #c, shape, least, most},
    AS_BUILTINS(X)
#undef X
};

as_builtin as_builtin_find(const char *name, uint32_t n_args) {
  as_builtin i = 0;
  while (i < AS_N_BUILTINS && strcmp(as_builtin_rows[i].name, name) != 0)
    i++;
  return n_args == 1 ? i : AS_N_BUILTINS;
}
