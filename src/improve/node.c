/* Kernels as operations: read off the tree and the text, printed, copied. */
#include "node.h"
#include "src/base/id.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts */

static bool is_name(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

/* behind a value's name, `%` included: names may hold a minus, as in `%c-1_i32` */
static const char *behind_name(const char *at) {
  for (at++; is_name(*at) || (*at == '-' && at[1] != '>'); at++) {
  }
  return at;
}

/* the text without locations and comments, one blank for each run of blanks; in the arena */
static const char *cleaned(imp_kernel *kernel, size_t from, size_t to) {
  as_str out;
  as_str_init(&out);
  for (size_t i = from; i < to;) {
    if (strncmp(kernel->source + i, "loc(", 4) == 0 &&
        (i == from || !is_name(kernel->source[i - 1]))) {
      int depth = 0;
      bool quoted = false;
      if (out.n > 0 && out.s[out.n - 1] == ' ')
        out.s[--out.n] = 0;
      i += 3;
      do {
        char c = kernel->source[i++];
        quoted = quoted != (c == '"');
        depth += quoted ? 0 : (c == '(') - (c == ')');
      } while (depth > 0 && i < to);
      continue;
    }
    as_str_addn(&out, kernel->source + i++, 1);
  }
  while (out.n > 0 && isspace((unsigned char)out.s[out.n - 1]))
    out.s[--out.n] = 0;
  char *text = as_str_take(&out);
  const char *kept = as_arena_strdup(kernel->mem, text);
  free(text);
  return kept;
}

/* ---- values */

uint32_t imp_new_value(imp_kernel *kernel, const as_ttir_type *type, imp_node *by) {
  uint32_t id = (uint32_t)kernel->value.n;
  imp_value made = {.type = *type, .same = id, .group = id, .parts = 1, .by = by};
  as_vec_push(&kernel->value, &made);
  return id;
}

uint32_t imp_find(const imp_kernel *kernel, uint32_t value) {
  while (IMP_VALUE(kernel, value)->same != value)
    value = IMP_VALUE(kernel, value)->same;
  return value;
}

void imp_replace(imp_kernel *kernel, uint32_t value, uint32_t by) {
  IMP_VALUE(kernel, imp_find(kernel, value))->same = imp_find(kernel, by);
}

/* ---- from the tree */

void imp_region_init(imp_kernel *kernel, imp_region *region) {
  as_vec_init(&region->node, sizeof(imp_node *));
  as_vec_push(&kernel->regions, &region);
}

static uint32_t *kept_ids(imp_kernel *kernel, uint32_t n, const uint32_t *id) {
  uint32_t *kept = as_arena_alloc(kernel->mem, (n + 1) * sizeof *kept);
  if (n)
    memcpy(kept, id, n * sizeof *kept);
  return kept;
}

/* the results that are named together on the left: `%a:2, %b` */
static void group_results(imp_kernel *kernel, const imp_node *node) {
  uint32_t at = 0;
  const char *equals = strchr(node->text, '='); /* a name holds none */
  for (const char *c = node->text; equals && c < equals && at < node->n_result;) {
    if (*c != '%') {
      c++;
      continue;
    }
    c = behind_name(c);
    uint32_t parts = *c == ':' ? (uint32_t)strtoul(c + 1, NULL, 10) : 1;
    for (uint32_t i = 0; i < parts && at + i < node->n_result; i++)
      IMP_VALUE(kernel, node->result[at + i])->group = node->result[at];
    IMP_VALUE(kernel, node->result[at])->parts = parts;
    at += parts;
  }
}

static void read_region(imp_kernel *kernel, const as_ttir_region *from, imp_region *to);

static void read_tokens(imp_kernel *kernel, const as_ttir_op *op, imp_node *node) {
  if (strcmp(op->name, "scf.for") != 0) {
    node->n_token = op->n_operand;
    node->token = kept_ids(kernel, op->n_operand, op->operand);
    return;
  }
  const as_ttir_region *body = &op->region[0];
  node->n_token = 2 * body->n_argument + 2;
  node->token = as_arena_alloc(kernel->mem, (node->n_token + 1) * sizeof *node->token);
  uint32_t n = 0;
  node->token[n++] = body->argument[0];
  for (uint32_t i = 0; i < 3; i++)
    node->token[n++] = op->operand[i];
  for (uint32_t i = 1; i < body->n_argument; i++) {
    node->token[n++] = body->argument[i];
    node->token[n++] = op->operand[i + 2];
  }
  node->n_token = n;
}

static imp_node *read_op(imp_kernel *kernel, const as_ttir_op *op) {
  imp_node *node = as_arena_alloc(kernel->mem, sizeof *node);
  node->op = op;
  node->name = op->name;
  node->n_result = op->n_result;
  node->result = kept_ids(kernel, op->n_result, op->result);
  node->n_region = op->n_region;
  for (uint32_t i = 0; i < op->n_result; i++)
    IMP_VALUE(kernel, op->result[i])->by = node;
  read_tokens(kernel, op, node);
  node->text = cleaned(kernel, op->from, op->n_region ? op->region[0].from : op->to);
  if (op->n_region == 2)
    node->between = cleaned(kernel, op->region[0].to, op->region[1].from);
  if (op->n_region)
    node->tail = cleaned(kernel, op->region[op->n_region - 1].to, op->to);
  group_results(kernel, node);
  for (uint32_t i = 0; i < op->n_region; i++)
    read_region(kernel, &op->region[i], &node->region[i]);
  return node;
}

static void read_region(imp_kernel *kernel, const as_ttir_region *from, imp_region *to) {
  imp_region_init(kernel, to);
  to->n_argument = from->n_argument;
  to->argument = kept_ids(kernel, from->n_argument, from->argument);
  for (uint32_t i = 0; i < from->n_op; i++) {
    imp_node *node = read_op(kernel, from->op[i]);
    as_vec_push(&to->node, &node);
  }
}

/* without the lines of aliases of locations */
static const char *without_aliases(imp_kernel *kernel, size_t from, size_t to) {
  const char *text = cleaned(kernel, from, to);
  as_str out;
  as_str_init(&out);
  for (const char *at = text; *at;) {
    size_t length = strcspn(at, "\n");
    length += at[length] == '\n';
    if (at[0] != '#')
      as_str_addn(&out, at, length);
    at += length;
  }
  char *made = as_str_take(&out);
  const char *kept = as_arena_strdup(kernel->mem, made);
  free(made);
  return kept;
}

imp_kernel *imp_kernel_of(const as_ttir_kernel *from, const char *text, size_t len) {
  imp_kernel *kernel = as_calloc(1, sizeof *kernel);
  kernel->mem = as_arena_new();
  kernel->source = text;
  as_vec_init(&kernel->value, sizeof(imp_value));
  as_vec_init(&kernel->regions, sizeof(imp_region *));
  for (uint32_t i = 0; i < from->n_value; i++)
    imp_new_value(kernel, &from->value[i].type, NULL);
  for (uint32_t i = 0; i < from->body.n_argument; i++)
    IMP_VALUE(kernel, from->body.argument[i])->name = from->value[from->body.argument[i]].name;
  read_region(kernel, &from->body, &kernel->body);
  kernel->head = without_aliases(kernel, 0, from->body.from);
  kernel->tail = without_aliases(kernel, from->body.to, len);
  return kernel;
}

void imp_kernel_free(imp_kernel *kernel) {
  if (!kernel)
    return;
  for (size_t i = 0; i < kernel->regions.n; i++)
    as_vec_clear(&AS_VEC_AT(&kernel->regions, imp_region *, i)->node);
  as_vec_clear(&kernel->regions);
  as_vec_clear(&kernel->value);
  as_arena_free(kernel->mem);
  free(kernel);
}

/* ---- new operations */

char *imp_type_text(const as_ttir_type *type) {
  as_str out;
  as_str_init(&out);
  bool floating = type->kind == AS_TTIR_FLOAT || type->floating;
  const char *letter = !floating ? "i" : type->brain ? "bf" : "f";
  as_str_add(&out, type->rank ? "tensor<" : "");
  for (uint32_t i = 0; i < type->rank; i++)
    as_str_printf(&out, "%lldx", (long long)type->dim[i]);
  bool pointer = type->kind == AS_TTIR_POINTER;
  as_str_printf(&out, "%s%s%u%s%s", pointer ? "!tt.ptr<" : "", letter, type->bits,
                pointer ? ">" : "", type->rank ? ">" : "");
  return as_str_take(&out);
}

int64_t imp_elements(const as_ttir_type *type) {
  int64_t n = 1;
  for (uint32_t i = 0; i < type->rank; i++)
    n *= type->dim[i];
  return n;
}

imp_node *imp_make(imp_kernel *kernel, const char *name, const char *text, const as_ttir_type *type,
                   uint32_t n_token, const uint32_t *token) {
  imp_node *node = as_arena_alloc(kernel->mem, sizeof *node);
  char *whole = as_format("%%r = %s", text);
  node->name = name;
  node->text = as_arena_strdup(kernel->mem, whole);
  free(whole);
  node->n_result = 1;
  node->result = as_arena_alloc(kernel->mem, sizeof *node->result);
  node->result[0] = imp_new_value(kernel, type, node);
  node->n_token = n_token;
  node->token = kept_ids(kernel, n_token, token);
  return node;
}

void imp_insert(imp_region *region, size_t at, imp_node *node) {
  as_vec_push(&region->node, NULL);
  imp_node **list = region->node.data;
  memmove(list + at + 1, list + at, (region->node.n - 1 - at) * sizeof *list);
  list[at] = node;
}

void imp_remove(imp_region *region, size_t at) {
  imp_node **list = region->node.data;
  region->node.n--;
  memmove(list + at, list + at + 1, (region->node.n - at) * sizeof *list);
}

/* ---- copies */

uint32_t imp_mapped(const imp_kernel *kernel, const as_vec *map, uint32_t value) {
  value = imp_find(kernel, value);
  uint32_t to = value < map->n ? AS_VEC_AT(map, uint32_t, value) : AS_NONE;
  return to == AS_NONE ? value : to;
}

void imp_set_mapped(as_vec *map, uint32_t value, uint32_t to) {
  uint32_t none = AS_NONE;
  while (map->n <= value)
    as_vec_push(map, &none);
  AS_VEC_AT(map, uint32_t, value) = to;
}

static uint32_t copy_value(imp_kernel *kernel, uint32_t value, imp_node *by, as_vec *map) {
  imp_value own = *IMP_VALUE(kernel, value);
  uint32_t made = imp_new_value(kernel, &own.type, by);
  imp_set_mapped(map, value, made);
  return made;
}

static void copy_region(imp_kernel *kernel, const imp_region *from, imp_region *to, as_vec *map) {
  imp_region_init(kernel, to);
  to->n_argument = from->n_argument;
  to->argument = as_arena_alloc(kernel->mem, (from->n_argument + 1) * sizeof *to->argument);
  for (uint32_t i = 0; i < from->n_argument; i++)
    to->argument[i] = copy_value(kernel, from->argument[i], NULL, map);
  for (size_t i = 0; i < from->node.n; i++) {
    imp_node *node = imp_copy(kernel, IMP_NODE(from, i), map);
    as_vec_push(&to->node, &node);
  }
}

imp_node *imp_copy(imp_kernel *kernel, const imp_node *node, as_vec *map) {
  imp_node *made = as_arena_alloc(kernel->mem, sizeof *made);
  *made = *node;
  made->result = as_arena_alloc(kernel->mem, (node->n_result + 1) * sizeof *made->result);
  for (uint32_t i = 0; i < node->n_result; i++)
    made->result[i] = copy_value(kernel, node->result[i], made, map);
  for (uint32_t i = 0; i < node->n_result; i++) {
    const imp_value *own = IMP_VALUE(kernel, node->result[i]);
    imp_value *copy = IMP_VALUE(kernel, made->result[i]);
    copy->group = imp_mapped(kernel, map, own->group);
    copy->parts = own->parts;
  }
  for (uint32_t i = 0; i < node->n_region; i++) /* first: a loop's tokens name its arguments */
    copy_region(kernel, &node->region[i], &made->region[i], map);
  made->token = as_arena_alloc(kernel->mem, (node->n_token + 1) * sizeof *made->token);
  for (uint32_t i = 0; i < node->n_token; i++)
    made->token[i] = imp_mapped(kernel, map, node->token[i]);
  return made;
}

static void count_region(imp_kernel *kernel, const imp_region *region) {
  for (size_t i = 0; i < region->node.n; i++) {
    const imp_node *node = IMP_NODE(region, i);
    for (uint32_t k = 0; k < node->n_token; k++)
      IMP_VALUE(kernel, imp_find(kernel, node->token[k]))->uses++;
    for (uint32_t k = 0; k < node->n_region; k++)
      count_region(kernel, &node->region[k]);
  }
}

void imp_count_uses(imp_kernel *kernel) {
  for (size_t i = 0; i < kernel->value.n; i++)
    IMP_VALUE(kernel, i)->uses = 0;
  count_region(kernel, &kernel->body);
}
