/* Divisions.  Where the kernel's divisions are defined, no divisor is 0, so
 *   (a / b) / c  is  a / (b * c),      a / (b / c)  is  (a * c) / b,
 * and x / s is x * (1 / s), which is one division for all that share s: the elements of a row, all
 * elements by a constant, several quotients. */
#include "node.h"
#include "src/base/id.h"
#include <stdlib.h>
#include <string.h>

enum { LEAST_BITS = 32, MOST_STEPS = 8 };

typedef struct {
  imp_kernel *kernel;
  imp_region *region;
  size_t at; /* where new operations go: before the division */
  uint32_t applied;
} divider;

static const as_ttir_type *type_of(const divider *in, uint32_t value) {
  return &IMP_VALUE(in->kernel, imp_find(in->kernel, value))->type;
}

static uint32_t add(divider *in, const char *name, const char *operation, const as_ttir_type *type,
                    uint32_t n, const uint32_t *token) {
  char *of = imp_type_text(type);
  char *text = as_format("%s : %s", operation, of);
  imp_node *made = imp_make(in->kernel, name, text, type, n, token);
  imp_insert(in->region, in->at++, made);
  free(text);
  free(of);
  return made->result[0];
}

static uint32_t multiply(divider *in, const as_ttir_type *type, uint32_t a, uint32_t b) {
  return add(in, "arith.mulf", "arith.mulf %a, %b", type, 2, (uint32_t[]){a, b});
}

static uint32_t divide(divider *in, const as_ttir_type *type, uint32_t a, uint32_t b) {
  return add(in, "arith.divf", "arith.divf %a, %b", type, 2, (uint32_t[]){a, b});
}

static uint32_t constant(divider *in, const as_ttir_type *type, const char *number) {
  char *text = as_format(type->rank ? "arith.constant dense<%s>" : "arith.constant %s", number);
  uint32_t made = add(in, "arith.constant", text, type, 0, NULL);
  free(text);
  return made;
}

static bool is_quotient(const imp_node *node) {
  return node && strcmp(node->name, "arith.divf") == 0 && node->n_token == 2;
}

/* the quotient that only this division uses; NULL: none */
static const imp_node *inner_quotient(const divider *in, uint32_t value) {
  const imp_value *of = IMP_VALUE(in->kernel, imp_find(in->kernel, value));
  return is_quotient(of->by) && of->uses == 1 ? of->by : NULL;
}

/* ---- chains */

static uint32_t joined(divider *in, const imp_node *node) {
  const as_ttir_type type = *type_of(in, node->result[0]);
  const imp_node *above = inner_quotient(in, node->token[0]);
  const imp_node *below = inner_quotient(in, node->token[1]);
  if (above)
    return divide(in, &type, above->token[0], multiply(in, &type, above->token[1], node->token[1]));
  if (below)
    return divide(in, &type, multiply(in, &type, node->token[0], below->token[1]), below->token[0]);
  return AS_NONE;
}

/* ---- divisors that are shared */

/* what a divisor is spread from: the operations that spread it, from the last one back */
typedef struct {
  uint32_t source;
  uint32_t n;
  const imp_node *step[MOST_STEPS];
  const char *number; /* it is this constant; NULL: it is `source` */
} spread;

static bool spreads(const imp_node *node) {
  return node && (strcmp(node->name, "tt.splat") == 0 || strcmp(node->name, "tt.broadcast") == 0 ||
                  strcmp(node->name, "tt.expand_dims") == 0);
}

static spread spread_of(const divider *in, uint32_t value) {
  spread made = {.source = imp_find(in->kernel, value)};
  const imp_node *by = IMP_VALUE(in->kernel, made.source)->by;
  while (spreads(by) && made.n < MOST_STEPS) {
    made.step[made.n++] = by;
    made.source = imp_find(in->kernel, by->token[0]);
    by = IMP_VALUE(in->kernel, made.source)->by;
  }
  bool dense = by && by->op && strcmp(by->name, "arith.constant") == 0 && by->op->literal &&
               !strpbrk(by->op->literal, "xX,[");
  made.number = dense ? by->op->literal : NULL;
  return made;
}

static int64_t elements(const divider *in, const spread *of) {
  return of->number ? 1 : imp_elements(type_of(in, of->source));
}

/* in how many quotients of this region it is the divisor */
static uint32_t divided_by(const divider *in, uint32_t value) {
  uint32_t n = 0;
  for (size_t i = 0; i < in->region->node.n; i++) {
    const imp_node *node = IMP_NODE(in->region, i);
    n += is_quotient(node) && imp_find(in->kernel, node->token[1]) == imp_find(in->kernel, value);
  }
  return n;
}

/* spread again as it was; a constant at once */
static uint32_t spread_again(divider *in, const spread *of, uint32_t value,
                             const as_ttir_type *type) {
  if (of->number && type->rank) {
    as_ttir_type element = *type;
    element.rank = 0;
    char *from = imp_type_text(&element);
    char *to = imp_type_text(type);
    char *text = as_format("tt.splat %%a : %s -> %s", from, to);
    imp_node *made = imp_make(in->kernel, "tt.splat", text, type, 1, &value);
    imp_insert(in->region, in->at++, made);
    free(text);
    free(from);
    free(to);
    return made->result[0];
  }
  for (uint32_t i = of->n; i-- > 0 && !of->number;) {
    const imp_node *step = of->step[i];
    const char *text = strchr(step->text, '=') + strlen("= ");
    imp_node *made =
        imp_make(in->kernel, step->name, text, type_of(in, step->result[0]), 1, &value);
    made->op = step->op;
    imp_insert(in->region, in->at++, made);
    value = made->result[0];
  }
  return value;
}

static uint32_t shared(divider *in, const imp_node *node) {
  const as_ttir_type type = *type_of(in, node->result[0]);
  spread of = spread_of(in, node->token[1]);
  bool fewer = elements(in, &of) < imp_elements(&type);
  if (!fewer && (of.number || divided_by(in, node->token[1]) < 2))
    return AS_NONE;
  as_ttir_type small = of.number ? type : *type_of(in, of.source);
  small.rank = of.number ? 0 : small.rank;
  uint32_t divisor = of.number ? constant(in, &small, of.number) : of.source;
  uint32_t inverse = divide(in, &small, constant(in, &small, "1.000000e+00"), divisor);
  return multiply(in, &type, node->token[0], spread_again(in, &of, inverse, &type));
}

/* ---- regions */

static uint32_t divide_region(imp_kernel *kernel, imp_region *region,
                              uint32_t (*rule)(divider *in, const imp_node *node)) {
  divider in = {.kernel = kernel, .region = region};
  uint32_t n = 0;
  for (in.at = 0; in.at < region->node.n; in.at++) {
    imp_node *node = IMP_NODE(region, in.at);
    for (uint32_t k = 0; k < node->n_region && imp_effect_of(node) != IMP_PURE; k++)
      n += divide_region(kernel, &node->region[k], rule);
    if (!is_quotient(node) || type_of(&in, node->result[0])->bits < LEAST_BITS)
      continue;
    uint32_t by = rule(&in, node);
    if (by == AS_NONE)
      continue;
    imp_replace(kernel, node->result[0], by);
    imp_remove(region, in.at--);
    n++;
    imp_count_uses(kernel);
  }
  return n;
}

uint32_t imp_divide(imp_kernel *kernel) {
  uint32_t n = 0;
  uint32_t round;
  imp_count_uses(kernel);
  do {
    round = divide_region(kernel, &kernel->body, joined);
    n += round;
    imp_merge(kernel); /* the quotients that were joined are not used any more */
  } while (round > 0);
  return n + divide_region(kernel, &kernel->body, shared);
}
