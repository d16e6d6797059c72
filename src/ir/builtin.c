#include "builtin.h"
#include <string.h>

const as_builtin_row as_builtin_rows[] = {
#define X(name, c, shape, least, most, has_laws) {#name, #c, shape, least, most, has_laws},
    AS_BUILTINS(X)
#undef X
};

as_builtin as_builtin_find(const char *name, uint32_t n_args) {
  as_builtin i = 0;
  while (i < AS_N_BUILTINS && strcmp(as_builtin_rows[i].name, name) != 0)
    i++;
  return n_args == 1 ? i : AS_N_BUILTINS;
}

static bool calls_builtin(const as_expr *expr) {
  if (expr->kind == AS_E_CALL && (expr->func->body == NULL || calls_builtin(expr->func->body)))
    return true;
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->kid[i] && calls_builtin(expr->kid[i]))
      return true;
  }
  return false;
}

bool as_opdef_calls_builtin(const as_opdef *op) {
  for (uint32_t i = 0; i < op->nlet; i++) {
    if (calls_builtin(op->let[i].body))
      return true;
  }
  return false;
}
