/* What operations may do, what pointers point into, how often loops run. */
#include "node.h"
#include "src/base/id.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *name; /* with a dot at its end: all of that dialect that have no row of their own */
  imp_effect effect;
} row;

static const row rows[] = {
    {"tt.load", IMP_LOAD},
    {"tt.store", IMP_STORE},
    {"scf.for", IMP_LOOP},
    {"scf.if", IMP_BRANCH},
    {"scf.yield", IMP_NOTHING},
    {"tt.return", IMP_NOTHING},
    {"tt.reduce.return", IMP_NOTHING},
    {"tt.scan.return", IMP_NOTHING},
    {"tt.assert", IMP_NOTHING},
    {"gpu.barrier", IMP_NOTHING},
    {"tt.splat", IMP_PURE},
    {"tt.unsplat", IMP_PURE},
    {"tt.broadcast", IMP_PURE},
    {"tt.expand_dims", IMP_PURE},
    {"tt.trans", IMP_PURE},
    {"tt.join", IMP_PURE},
    {"tt.split", IMP_PURE},
    {"tt.addptr", IMP_PURE},
    {"tt.make_range", IMP_PURE},
    {"tt.get_program_id", IMP_PURE},
    {"tt.get_num_programs", IMP_PURE},
    {"tt.dot", IMP_PURE},
    {"tt.reduce", IMP_PURE},
    {"tt.scan", IMP_PURE},
    {"tt.fp_to_fp", IMP_PURE},
    {"tt.bitcast", IMP_PURE},
    {"tt.precise_sqrt", IMP_PURE},
    {"tt.precise_divf", IMP_PURE},
    {"tt.clampf", IMP_PURE},
    {"tt.mulhiui", IMP_PURE},
    {"arith.", IMP_PURE},
    {"math.", IMP_PURE},
};

static bool row_fits(const row *at, const char *name) {
  size_t n = strlen(at->name);
  return at->name[n - 1] == '.' ? strncmp(at->name, name, n) == 0 : strcmp(at->name, name) == 0;
}

/* an operation that says so itself */
static bool is_declared_pure(const imp_node *node) {
  const char *pure = node->op ? as_ttir_attribute_of(node->op, "pure") : NULL;
  return strcmp(node->name, "tt.extern_elementwise") == 0 && pure && strncmp(pure, "true", 4) == 0;
}

/* `tt.reshape` with allow_reorder chooses an order of its own each time */
static bool is_fixed_reshape(const imp_node *node) {
  if (strcmp(node->name, "tt.reshape") != 0)
    return false;
  for (uint32_t i = 0; node->op && i < node->op->n_word; i++) {
    if (strcmp(node->op->word[i], "allow_reorder") == 0)
      return false;
  }
  return true;
}

imp_effect imp_effect_of(const imp_node *node) {
  const char *is_volatile = node->op ? as_ttir_attribute_of(node->op, "isVolatile") : NULL;
  if (is_volatile && strncmp(is_volatile, "true", 4) == 0)
    return IMP_ANYTHING;
  if (is_declared_pure(node) || is_fixed_reshape(node))
    return IMP_PURE;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (row_fits(&rows[i], node->name))
      return rows[i].effect;
  }
  return IMP_ANYTHING;
}

uint32_t imp_base(const imp_kernel *kernel, uint32_t pointer) {
  static const char *const same[] = {"tt.addptr", "tt.splat", "tt.broadcast", "tt.expand_dims"};
  for (;;) {
    pointer = imp_find(kernel, pointer);
    const imp_value *value = IMP_VALUE(kernel, pointer);
    if (value->name)
      return pointer;
    bool through = false;
    for (size_t i = 0; value->by && i < sizeof same / sizeof *same; i++)
      through = through || strcmp(value->by->name, same[i]) == 0;
    if (!through)
      return AS_NONE;
    pointer = value->by->token[0];
  }
}

bool imp_constant(const imp_kernel *kernel, uint32_t value, int64_t *number) {
  const imp_node *by = IMP_VALUE(kernel, imp_find(kernel, value))->by;
  if (!by || strcmp(by->name, "arith.constant") != 0 || !by->op || !by->op->literal)
    return false;
  char *end;
  *number = strtoll(by->op->literal, &end, 10);
  return *end == 0 && end != by->op->literal;
}

int64_t imp_rounds(const imp_kernel *kernel, const imp_node *loop, int64_t *first, int64_t *step) {
  int64_t last;
  if (!imp_constant(kernel, loop->token[1], first) ||
      !imp_constant(kernel, loop->token[2], &last) || !imp_constant(kernel, loop->token[3], step) ||
      *step <= 0)
    return -1;
  return last > *first ? (last - *first + *step - 1) / *step : 0;
}
