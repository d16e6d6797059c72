#include "patterns.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>

static bool has_operators(const tl_patterns *patterns, const as_graph *side) {
  for (uint32_t i = 0; i < side->n; i++) {
    const as_node *node = &side->node[i];
    if (node->kind == AS_N_OP && tl_patterns_op(patterns, node->op) == NULL)
      return false;
  }
  return true;
}

bool tl_patterns_init(tl_patterns *patterns, const char *name, const char *const *lines,
                      const as_oplib *lib, as_err *err) {
  *patterns = (tl_patterns){.program_lib = lib, .lib = as_oplib_again(lib, err)};
  if (patterns->lib == NULL)
    return false;
  as_str text;
  as_str_init(&text);
  for (uint32_t i = 0; lines[i]; i++)
    as_str_add(&text, lines[i]);
  size_t len = text.n;
  patterns->text = as_str_take(&text);
  patterns->file = as_rulefile_open(name, patterns->text, len, patterns->lib, err);
  if (patterns->file == NULL) {
    tl_patterns_clear(patterns);
    return false;
  }
  as_oplib_read_as(patterns->lib, AS_READ_LIBRARY); /* the rules are about its operators */
  uint32_t count = as_rulefile_count(patterns->file);
  patterns->rule = as_calloc(count + 1, sizeof *patterns->rule);
  for (uint32_t i = 0; i < count; i++) {
    as_err unread; /* an operator that this library does not have */
    as_err_init(&unread);
    as_rule *rule = as_rule_read(patterns->file, i, NULL, &unread);
    as_err_clear(&unread);
    if (rule && has_operators(patterns, rule->lhs) && has_operators(patterns, rule->rhs))
      patterns->rule[patterns->n++] = rule;
    else if (rule)
      as_rule_free(rule);
  }
  return true;
}

void tl_patterns_clear(tl_patterns *patterns) {
  for (uint32_t i = 0; i < patterns->n; i++)
    as_rule_free(patterns->rule[i]);
  free(patterns->rule);
  if (patterns->file)
    as_rulefile_free(patterns->file);
  as_oplib_free(patterns->lib);
  free(patterns->text);
  *patterns = (tl_patterns){0};
}

const as_opdef *tl_patterns_op(const tl_patterns *patterns, const as_opdef *op) {
  const as_opdef *own = as_oplib_find(patterns->program_lib, op->name);
  return own && strcmp(own->sha256, op->sha256) == 0 ? own : NULL;
}

/* --- attributes */
bool tl_same_attributes(const as_rule *rule, const as_node *part, const as_sizes *sizes,
                        const as_attr *attr) {
  for (uint32_t i = 0; i < part->op->nattrs; i++) {
    const as_attr *wanted = &part->attr[i];
    long value;
    long given;
    bool same = wanted->is_size == attr[i].is_size;
    if (same && wanted->is_size)
      same = as_size_is_const(rule->sizes, wanted->size, &value) &&
             as_size_is_const(sizes, attr[i].size, &given) && value == given;
    else if (same)
      same = mpq_equal(wanted->num, attr[i].num);
    if (!same)
      return false;
  }
  return true;
}

bool tl_take_attributes(const as_rule *rule, const as_node *part, as_sizes *sizes, as_attr *attr) {
  for (uint32_t i = 0; i < part->op->nattrs; i++) {
    long value;
    if (part->attr[i].is_size && !as_size_is_const(rule->sizes, part->attr[i].size, &value))
      return false;
  }
  for (uint32_t i = 0; i < part->op->nattrs; i++) {
    long value = 0;
    as_attr_init(&attr[i]);
    as_attr_set(&attr[i], &part->attr[i]);
    if (attr[i].is_size && as_size_is_const(rule->sizes, part->attr[i].size, &value))
      attr[i].size = as_size_int(sizes, value);
  }
  return true;
}

void tl_drop_attributes(const as_opdef *op, as_attr *attr) {
  for (uint32_t i = 0; i < op->nattrs; i++)
    as_attr_clear(&attr[i]);
}

/* --- extents */
static uint32_t bound_item(const tl_bound_sizes *bound, as_size name) {
  uint32_t i = 0;
  while (i < bound->n && bound->item[i].name != name)
    i++;
  return i;
}

as_size tl_bound_size(const tl_bound_sizes *bound, as_size name) {
  uint32_t i = bound_item(bound, name);
  return i == bound->n || bound->item[i].n != 1 ? AS_SIZE_BAD : bound->item[i].dim[0];
}

static bool bind_item(tl_bound_sizes *bound, as_size name, const as_size *dim, uint32_t n) {
  uint32_t i = bound_item(bound, name);
  if (i == TL_MOST_BOUND)
    return false;
  if (i < bound->n)
    return bound->item[i].n == n && memcmp(bound->item[i].dim, dim, n * sizeof *dim) == 0;
  bound->n++;
  bound->item[i].name = name;
  bound->item[i].n = n;
  memcpy(bound->item[i].dim, dim, n * sizeof *dim);
  return true;
}

static bool bind_extent(tl_bound_sizes *bound, const as_rule *rule, as_size declared,
                        const as_sizes *sizes, as_size extent) {
  long value;
  long actual;
  if (as_size_is_const(rule->sizes, declared, &value))
    return as_size_is_const(sizes, extent, &actual) && actual == value;
  return as_size_is_sym(rule->sizes, declared) && bind_item(bound, declared, &extent, 1);
}

bool tl_bind_shape(tl_bound_sizes *bound, const as_rule *rule, const as_node *tensor,
                   const as_sizes *sizes, const as_size *dim, uint32_t rank) {
  uint32_t group = 0;
  while (group < tensor->rank && !as_size_is_group(rule->sizes, tensor->dim[group]))
    group++;
  bool grouped = group < tensor->rank;
  uint32_t alone = tensor->rank - grouped; /* axes that are no group */
  if (rank < alone || (!grouped && rank != alone))
    return false;
  for (uint32_t k = 0; k < group; k++) {
    if (!bind_extent(bound, rule, tensor->dim[k], sizes, dim[k]))
      return false;
  }
  if (grouped && !bind_item(bound, tensor->dim[group], dim + group, rank - alone))
    return false;
  for (uint32_t k = group + 1; k < tensor->rank; k++) {
    if (!bind_extent(bound, rule, tensor->dim[k], sizes, dim[k + rank - tensor->rank]))
      return false;
  }
  return true;
}
